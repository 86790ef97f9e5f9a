/* SPDX-License-Identifier: Apache-2.0
 * cut.c - a command of the host: its parts, their places at targets, and its nCMDs (NVME 6.5,
 * 6.6). */
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/odd.h"

uint32_t fal_nv_block_len(const struct fal_nv_icmd *icmd)
{
    return 1U << icmd->ns.geometry.block_shift;
}

uint64_t fal_nv_bytes(const struct fal_nv_icmd *icmd)
{
    return (uint64_t)(icmd->post.nlb0 + 1) << icmd->ns.geometry.block_shift;
}

uint32_t fal_nv_unit_blocks(uint32_t block_shift)
{
    return FAL_NV_UNIT >> block_shift;
}

static uint32_t ncmds_of(uint32_t blocks, uint32_t block_shift)
{
    uint32_t unit = fal_nv_unit_blocks(block_shift);

    return (blocks + unit - 1) / unit;
}

/* The target of a part. */
static uint32_t translate(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                          struct fal_nv_part *part)
{
    const struct fal_nv_geometry *g = &icmd->ns.geometry;
    uint64_t index = fal_nv_row_index(g, part->lba);
    const struct fal_nv_row *row;

    fal_nv_seam(engine, fal_nv_at_index(engine, icmd, part, &index));
    row = fal_nv_row(engine, index);
    if (row == NULL || (!row->valid && fal_nv_either(engine, true, fal_nv_at_invalid(engine))))
        return FAL_NVME_LBA_RANGE;
    part->row = *row;
    fal_nv_seam(engine, fal_nv_at_row(engine, icmd, part));
    part->tlba = fal_nv_target_lba(g, part->lba, part->row.chunk);
    fal_nv_seam(engine, fal_nv_at_target_lba(engine, icmd, part));
    return fal_nv_link(engine, part->row.conn) != NULL ? FAL_NVME_OK : FAL_NVME_PATH;
}

uint32_t fal_nv_cut(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    const struct fal_nv_geometry *g = &icmd->ns.geometry;
    uint64_t first = icmd->post.slba, last = first + icmd->post.nlb0, boundary = last + 1;
    bool split = fal_nv_is_split(g, first, last, &boundary);

    fal_nv_seam(engine, fal_nv_at_split(engine, icmd, &split, &boundary));
    icmd->num_parts = split ? 2 : 1;
    icmd->parts[0] = (struct fal_nv_part){
        .lba = first, .blocks = split ? (uint32_t)(boundary - first) : icmd->post.nlb0 + 1};
    if (split)
        icmd->parts[1] = (struct fal_nv_part){.lba = boundary,
                                              .first = icmd->parts[0].blocks,
                                              .blocks = (uint32_t)(last - boundary) + 1};
    icmd->total = 0;
    for (uint32_t i = 0; i < icmd->num_parts; i++) {
        struct fal_nv_part *part = &icmd->parts[i];
        uint32_t status = translate(engine, icmd, part);

        if (status != FAL_NVME_OK)
            return status;
        part->offset = icmd->total;
        part->ncmds = ncmds_of(part->blocks, g->block_shift);
        icmd->total += part->ncmds;
    }
    return FAL_NVME_OK;
}

struct fal_nv_ncmd fal_nv_ncmd_at(const struct fal_nv_icmd *icmd, uint32_t offset)
{
    uint32_t unit = fal_nv_unit_blocks(icmd->ns.geometry.block_shift);
    struct fal_nv_ncmd ncmd = {.icmd = (struct fal_nv_icmd *)icmd, .offset = offset};
    const struct fal_nv_part *part;

    ncmd.part = icmd->num_parts > 1 && offset >= icmd->parts[1].offset;
    part = &icmd->parts[ncmd.part];
    ncmd.first = (offset - part->offset) * unit;
    ncmd.blocks = part->blocks - ncmd.first < unit ? part->blocks - ncmd.first : unit;
    return ncmd;
}

/* The fields that ask for checks of protection information (NVME 6.7). */
static void protection(const struct fal_nv_icmd *icmd, const struct fal_nv_part *part,
                       struct fal_nvme *h)
{
    bool on = icmd->ns.pi != FAL_NVME_PI_OFF;
    uint32_t ref = on ? (uint32_t)part->tlba : UINT32_MAX;
    uint16_t app = on ? (uint16_t)part->tlba : UINT16_MAX;

    h->prinfo = on ? FAL_NV_CHECK : 0; /* PRACT is 0 */
    h->ilbrt = h->eilbrt = ref;
    h->lbatm = h->elbatm = UINT16_MAX;
    h->lbat = h->elbat = app;
}

struct fal_nvme fal_nv_request(const struct fal_nvme_engine *engine,
                               const struct fal_nv_ncmd *ncmd)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    const struct fal_nvme_word *post = &icmd->post;
    const struct fal_nv_part *part = &icmd->parts[ncmd->part];
    bool write = post->op == FAL_NVME_WRITE;
    struct fal_nvme h = {.version = 1,
                         .packet_type = write ? FAL_NVME_WRITE_REQUEST : FAL_NVME_READ_REQUEST,
                         .initiator_function = engine->function,
                         .s = icmd->num_parts > 1,
                         .ng = ncmd->part > 0,
                         .ncnt_total = (uint8_t)(icmd->total - 1),
                         .ncnt_offset = (uint8_t)ncmd->offset,
                         .initiator_tag = (uint32_t)ncmd->number & FAL_NV_TAG_MASK,
                         .icmd_identifier = icmd->id,
                         .initiator_nsid = (uint16_t)post->nsid,
                         .target_nsid = (uint16_t)part->row.target_nsid,
                         .slba = part->tlba,
                         .nlb = (uint16_t)(part->blocks - 1),
                         .fua = (uint8_t)post->fua,
                         .lr = (uint8_t)post->lr,
                         .dsm = (uint8_t)post->dsm,
                         .target_sqid = part->row.sqid};

    if (write) {
        h.dtype = (uint8_t)post->dtype;
        h.dspec = (uint16_t)post->dspec;
    }
    protection(icmd, part, &h);
    return h;
}
