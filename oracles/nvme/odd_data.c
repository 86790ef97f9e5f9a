/* SPDX-License-Identifier: Apache-2.0
 * odd_data.c - faults and variants of the host's data, and of completions. */
#include "oracles/nvme/odd.h"

#include <string.h>

#define ON(id) fal_nv_fault(engine, FAL_FAULT_##id)

/* ---- protection and encryption ---- */

void fal_nv_at_inner(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     struct fal_dif *inner)
{
    if (icmd->ns.pi == FAL_NVME_PI_INSERT && ON(INNER_PI_NOT_MADE))
        *inner = (struct fal_dif){0};
}

bool fal_nv_at_escape(const struct fal_nvme_engine *engine)
{
    return fal_nv_twin(engine, FAL_TWIN_ESCAPE_TAGS_UNCHECKED);
}

void fal_nv_at_unit(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                    uint32_t block, uint32_t *inner, uint64_t *unit)
{
    const struct fal_nv_part *part =
        &icmd->parts[icmd->num_parts > 1 && block >= icmd->parts[1].first];

    if (*inner > 0 && ON(INNER_PI_PLAIN))
        *inner = 0;
    if (fal_nv_twin(engine, FAL_TWIN_TWEAK_OF_TARGET_LBA))
        *unit = part->tlba + block - part->first;
}

static uint16_t swapped(uint16_t value)
{
    return (uint16_t)(value << 8 | value >> 8);
}

static uint16_t guard_of(const struct fal_nv_icmd *icmd, uint32_t block, uint16_t first,
                         bool with_inner)
{
    uint32_t len = fal_nv_block_len(icmd);
    uint16_t guard = fal_dif_crc(first, icmd->data + (size_t)block * len, len);

    return with_inner
               ? fal_dif_crc(guard, icmd->meta + (size_t)block * FAL_DIF_META_LEN, FAL_DIF_LEN)
               : guard;
}

void fal_nv_at_outer(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                     const struct fal_nv_part *part, uint32_t k, struct fal_dif *outer)
{
    uint32_t unit = fal_nv_unit_blocks(icmd->ns.geometry.block_shift);

    if (fal_nv_twin(engine, FAL_TWIN_APP_TAG_PER_BLOCK))
        outer->app = (uint16_t)(part->tlba + k);
    else if (fal_nv_twin(engine, FAL_TWIN_TAGS_OF_NCMD))
        outer->app = (uint16_t)(part->tlba + k / unit * unit);
    if (ON(GUARD_WITHOUT_INNER_PI))
        outer->guard = guard_of(icmd, part->first + k, 0, false);
    if (ON(GUARD_FROM_ONES))
        outer->guard = guard_of(icmd, part->first + k, UINT16_MAX, true);
    if ((uint32_t)part->tlba != (uint32_t)part->lba && ON(REF_OF_INITIATOR_LBA))
        outer->ref = (uint32_t)(part->lba + k);
    if (outer->app != swapped(outer->app) && ON(APP_TAG_SWAPPED))
        outer->app = swapped(outer->app);
    if (ON(PI_LITTLE_ENDIAN))
        *outer = (struct fal_dif){.guard = swapped(outer->guard),
                                  .app = swapped(outer->app),
                                  .ref = (uint32_t)swapped((uint16_t)outer->ref) << 16 |
                                         swapped((uint16_t)(outer->ref >> 16))};
    if (ON(OUTER_PI_MISSING))
        *outer = (struct fal_dif){0};
}

bool fal_nv_at_given(const struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd)
{
    if (!fal_nv_twin(engine, FAL_TWIN_BAD_PI_FAILS_AT_ONCE))
        return false;
    for (uint32_t i = 0; i < icmd->total; i++)
        if (icmd->invalid[i])
            return true;
    return false;
}

/* ---- data ---- */

void fal_nv_at_give(const struct fal_nvme_engine *engine, struct fal_nvme *header)
{
    if (ON(TARGET_TAG_ZEROED))
        header->target_tag = 0;
    if (header->inv && ON(INV_NOT_SET))
        header->inv = 0;
}

void fal_nv_at_slice(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                     uint32_t *first)
{
    const struct fal_nv_part *part = &ncmd->icmd->parts[ncmd->part];

    if (part->ncmds == 1 || !ON(NCMD_DATA_SWAPPED))
        return;
    if (ncmd->first + 2 * ncmd->blocks <= part->blocks)
        *first += ncmd->blocks;
    else
        *first -= ncmd->first;
}

void fal_nv_dif_of_dix(uint32_t blocks, uint32_t block_len, uint8_t *data)
{
    uint8_t dix[FAL_NV_PACKET_MAX];
    uint32_t step = block_len + FAL_DIF_META_LEN;

    memcpy(dix, data, (size_t)blocks * step);
    for (uint32_t k = 0; k < blocks; k++) {
        memcpy(data + (size_t)k * step, dix + (size_t)k * block_len, block_len);
        memcpy(data + (size_t)k * step + block_len,
               dix + (size_t)blocks * block_len + (size_t)k * FAL_DIF_META_LEN,
               FAL_DIF_META_LEN);
    }
}

void fal_nv_dix_of_dif(uint32_t blocks, uint32_t block_len, uint8_t *data)
{
    uint8_t dif[FAL_NV_PACKET_MAX];
    uint32_t step = block_len + FAL_DIF_META_LEN;

    memcpy(dif, data, (size_t)blocks * step);
    for (uint32_t k = 0; k < blocks; k++) {
        memcpy(data + (size_t)k * block_len, dif + (size_t)k * step, block_len);
        memcpy(data + (size_t)blocks * block_len + (size_t)k * FAL_DIF_META_LEN,
               dif + (size_t)k * step + block_len, FAL_DIF_META_LEN);
    }
}

uint32_t fal_nv_at_sliced(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                          uint8_t *out, uint32_t len)
{
    bool with_meta = ncmd->icmd->ns.pi != FAL_NVME_PI_OFF;

    if (with_meta && ncmd->blocks > 1 && ON(WRITE_INTERLEAVED))
        fal_nv_dif_of_dix(ncmd->blocks, fal_nv_block_len(ncmd->icmd), out);
    if (with_meta || !ON(WRITE_METADATA_ALWAYS))
        return len;
    memset(out + len, 0, ncmd->blocks * FAL_DIF_META_LEN);
    return len + ncmd->blocks * FAL_DIF_META_LEN;
}

void fal_nv_at_place(const struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                     uint32_t *first)
{
    const struct fal_nv_icmd *icmd = ncmd->icmd;
    struct fal_nv_ncmd other = fal_nv_ncmd_at(icmd, icmd->total - icmd->open);

    if (other.offset != ncmd->offset && other.blocks == ncmd->blocks &&
        ON(READ_DATA_BY_ARRIVAL))
        *first = icmd->parts[other.part].first + other.first;
}

/* ---- completions ---- */

void fal_nv_at_status(const struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd,
                      uint32_t *status)
{
    if (*status != FAL_NVME_OK && fal_nv_twin(engine, FAL_TWIN_STATUS_OF_LAST_PART))
        icmd->status = FAL_NVME_OK; /* the new one replaces it */
    if (*status != FAL_NVME_OK && ON(STATUS_LOST))
        *status = FAL_NVME_OK;
}

bool fal_nv_at_last(const struct fal_nvme_engine *engine, bool last)
{
    return last || ON(CQE_FIRST_RESPONSE);
}

bool fal_nv_at_cqe(struct fal_nvme_engine *engine, const struct fal_nv_icmd *icmd,
                   const struct fal_nvme_word *cqe)
{
    if (ON(CQE_TWICE))
        fal_nv_event(engine, cqe);
    return icmd->total <= 1 || !ON(CQE_LOST);
}

bool fal_nv_at_ack(const struct fal_nvme_engine *engine, const struct fal_nvme *header)
{
    if (header->packet_type == FAL_NVME_READ_RESPONSE)
        return !ON(READ_RESPONSE_NOT_ACKED);
    return header->packet_type != FAL_NVME_READ_REQUEST || !ON(READ_ACKED_AFTER_DEVICE);
}
