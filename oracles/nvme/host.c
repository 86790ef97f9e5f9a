/* SPDX-License-Identifier: Apache-2.0
 * host.c - data of the host and their protection information, on the way to a target and back
 * (NVME 6.7, 8.4, 8.7). */
#include "oracles/nvme/initiator.h"
#include "oracles/nvme/odd.h"
#include "oracles/nvme/protect.h"
#include "oracles/payload.h"

#include <string.h>

static bool has_meta(const struct fal_nv_icmd *icmd)
{
    return icmd->ns.pi != FAL_NVME_PI_OFF;
}

static uint8_t *block_at(const struct fal_nv_icmd *icmd, uint32_t block)
{
    return icmd->data + (size_t)block * fal_nv_block_len(icmd);
}

static uint8_t *meta_at(const struct fal_nv_icmd *icmd, uint32_t block)
{
    return icmd->meta + (size_t)block * FAL_DIF_META_LEN;
}

bool fal_nv_host_room(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    icmd->data = fal_nv_alloc(engine, icmd->post.nlb0 + 1, fal_nv_block_len(icmd));
    if (icmd->data == NULL)
        return false;
    if (has_meta(icmd))
        icmd->meta = fal_nv_alloc(engine, icmd->post.nlb0 + 1, FAL_DIF_META_LEN);
    if (has_meta(icmd) && icmd->meta == NULL)
        return false;
    icmd->invalid = fal_nv_alloc(engine, icmd->total, sizeof *icmd->invalid);
    return icmd->invalid != NULL;
}

/* What the host's checks ask for of a block of the command. */
static struct fal_nv_expect host_expects(const struct fal_nv_icmd *icmd, uint32_t block)
{
    uint32_t checks = icmd->post.prinfo & FAL_NV_CHECK;

    return (struct fal_nv_expect){
        .checks = checks & ~(uint32_t)FAL_NV_CHECK_APP, /* its tag is the host's own */
        .guard = fal_dif_crc(0, block_at(icmd, block), fal_nv_block_len(icmd)),
        .ref = (uint32_t)(icmd->post.slba + block),
        .escapes = true};
}

/* ---- writes ---- */

/* The inner protection information of a block, and whether it is wrong. */
static bool give_inner(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd, uint32_t block)
{
    bool given = icmd->ns.pi == FAL_NVME_PI_HOST;
    struct fal_dif inner = fal_nv_inner(block_at(icmd, block), fal_nv_block_len(icmd),
                                        (uint16_t)(given ? icmd->post.app : 0),
                                        (uint32_t)(icmd->post.slba + block));
    struct fal_nv_expect expect = host_expects(icmd, block);

    /* The tags of a block that is written may switch its check off (NVME-6.7-03). */
    expect.escapes = fal_nv_either(engine, false, fal_nv_at_escape(engine));
    if (given && icmd->post.bad_pi && block == 0)
        inner.guard ^= UINT16_MAX;
    fal_nv_seam(engine, fal_nv_at_inner(engine, icmd, &inner));
    fal_dif_write(&inner, meta_at(icmd, block));
    return given && fal_nv_check(&inner, &expect) != FAL_NVME_OK;
}

/* Block and inner protection information are one data unit of the cipher. */
static bool seal_block(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd, uint32_t block)
{
    uint32_t len = fal_nv_block_len(icmd);
    uint32_t inner = has_meta(icmd) ? FAL_DIF_LEN : 0;
    uint8_t unit[FAL_NV_BLOCK_MAX + FAL_DIF_LEN];

    uint64_t number = icmd->post.slba + block;

    if (!icmd->ns.encrypt)
        return true;
    memcpy(unit, block_at(icmd, block), len);
    if (inner > 0)
        memcpy(unit + len, meta_at(icmd, block), inner);
    fal_nv_seam(engine, fal_nv_at_unit(engine, icmd, block, &inner, &number));
    if (!fal_nv_encrypt(icmd->ns.key, number, unit, len + inner, unit)) {
        engine->out_of_memory = true;
        return false;
    }
    memcpy(block_at(icmd, block), unit, len);
    if (inner > 0)
        memcpy(meta_at(icmd, block), unit + len, inner);
    return true;
}

static void give_outer(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                       const struct fal_nv_part *part, uint32_t k)
{
    uint32_t block = part->first + k;
    struct fal_dif outer =
        fal_nv_outer(block_at(icmd, block), fal_nv_block_len(icmd), meta_at(icmd, block),
                     (uint16_t)part->tlba, (uint32_t)(part->tlba + k));

    fal_nv_seam(engine, fal_nv_at_outer(engine, icmd, part, k, &outer));
    fal_dif_write(&outer, meta_at(icmd, block) + FAL_DIF_LEN);
}

/* The NCNT Offset of the nCMD that has a block of a part. */
static uint32_t offset_of(const struct fal_nv_icmd *icmd, const struct fal_nv_part *part,
                          uint32_t k)
{
    return part->offset + k / fal_nv_unit_blocks(icmd->ns.geometry.block_shift);
}

bool fal_nv_host_gives(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd)
{
    if (!fal_nv_host_room(engine, icmd))
        return false;
    fal_payload_fill(icmd->post.tag, icmd->post.seed, icmd->data, fal_nv_bytes(icmd));
    for (uint32_t p = 0; p < icmd->num_parts; p++) {
        const struct fal_nv_part *part = &icmd->parts[p];

        for (uint32_t k = 0; k < part->blocks; k++) {
            if (has_meta(icmd) && give_inner(engine, icmd, part->first + k))
                icmd->invalid[offset_of(icmd, part, k)] = true;
            if (!seal_block(engine, icmd, part->first + k))
                return false;
            if (has_meta(icmd))
                give_outer(engine, icmd, part, k);
        }
    }
    return true;
}

/* Blocks, then their metadata: DIX (NVME 8.7). */
uint32_t fal_nv_host_slice(struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                           uint8_t *out)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    uint32_t first = icmd->parts[ncmd->part].first + ncmd->first;
    uint32_t len = ncmd->blocks * fal_nv_block_len(icmd);

    fal_nv_seam(engine, fal_nv_at_slice(engine, ncmd, &first));
    memcpy(out, block_at(icmd, first), len);
    if (has_meta(icmd)) {
        memcpy(out + len, meta_at(icmd, first), ncmd->blocks * FAL_DIF_META_LEN);
        len += ncmd->blocks * FAL_DIF_META_LEN;
    }
    return fal_nv_either(engine, len, fal_nv_at_sliced(engine, ncmd, out, len));
}

/* ---- reads ---- */

static uint32_t open_block(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                           uint32_t block)
{
    uint32_t len = fal_nv_block_len(icmd);
    uint32_t inner = has_meta(icmd) ? FAL_DIF_LEN : 0;
    uint8_t unit[FAL_NV_BLOCK_MAX + FAL_DIF_LEN];
    uint64_t number = icmd->post.slba + block;

    fal_nv_seam(engine, fal_nv_at_unit(engine, icmd, block, &inner, &number));
    memcpy(unit, block_at(icmd, block), len);
    if (inner > 0)
        memcpy(unit + len, meta_at(icmd, block), inner);
    if (!fal_nv_decrypt(icmd->ns.key, number, unit, len + inner, unit)) {
        engine->out_of_memory = true;
        return FAL_NVME_INTERNAL;
    }
    memcpy(block_at(icmd, block), unit, len);
    if (inner > 0)
        memcpy(meta_at(icmd, block), unit + len, inner);
    return FAL_NVME_OK;
}

/* Decrypts a block and checks what the host asked for. */
static uint32_t finish_block(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                             uint32_t block)
{
    struct fal_nv_expect expect;
    struct fal_dif inner;

    if (icmd->ns.encrypt && open_block(engine, icmd, block) != FAL_NVME_OK)
        return FAL_NVME_INTERNAL;
    if (!has_meta(icmd))
        return FAL_NVME_OK;
    inner = fal_dif_read(meta_at(icmd, block));
    expect = host_expects(icmd, block);
    return fal_nv_check(&inner, &expect);
}

uint32_t fal_nv_host_take(struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                          const uint8_t *data, uint32_t len)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    uint32_t block_len = fal_nv_block_len(icmd), status = FAL_NVME_OK;
    uint32_t step = block_len + (has_meta(icmd) ? FAL_DIF_META_LEN : 0);
    uint32_t first = icmd->parts[ncmd->part].first + ncmd->first;

    if (len != ncmd->blocks * step)
        return FAL_NVME_TRANSFER_ERROR;
    fal_nv_seam(engine, fal_nv_at_place(engine, ncmd, &first));
    for (uint32_t k = 0; k < ncmd->blocks; k++) { /* block, metadata, block, ...: DIF (8.4) */
        uint32_t one;

        memcpy(block_at(icmd, first + k), data + (size_t)k * step, block_len);
        if (has_meta(icmd))
            memcpy(meta_at(icmd, first + k), data + (size_t)k * step + block_len,
                   FAL_DIF_META_LEN);
        one = finish_block(engine, icmd, first + k);
        if (status == FAL_NVME_OK)
            status = one;
    }
    return status;
}
