/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/nvme/device.h"

#include "oracles/nvme/odd.h"
#include "oracles/nvme/protect.h"
#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_SHIFT = 12, FORMATS_MAX = 1024, DEVICES_MAX = 1024, PI_TYPE = 1 };

static struct fal_nv_format *find(const struct fal_nvme_engine *engine, uint32_t dev,
                                  uint32_t nsid)
{
    for (size_t i = 0; i < engine->formats.num; i++) {
        struct fal_nv_format *format = engine->formats.items[i];

        if (format->dev == dev && format->nsid == nsid)
            return format;
    }
    return NULL;
}

struct fal_nv_format fal_nv_format(const struct fal_nvme_engine *engine, uint32_t dev,
                                   uint32_t nsid)
{
    const struct fal_nv_format *format = find(engine, dev, nsid);

    return format != NULL ? *format
                          : (struct fal_nv_format){.dev = dev,
                                                   .nsid = nsid,
                                                   .block_shift = BLOCK_SHIFT,
                                                   .metadata = FAL_DIF_META_LEN};
}

uint32_t fal_nv_dev(const struct fal_nvme_engine *engine, uint8_t sqid)
{
    return engine->dev_of_sq[sqid];
}

/* ---- words ---- */

int fal_nv_dev_format(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                      struct fal_error *err)
{
    struct fal_nv_format *format = find(engine, ask->dev, ask->nsid);

    if (ask->dev >= DEVICES_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "dev: expected less than %d", DEVICES_MAX);
    if (ask->metadata != 0 && ask->metadata != FAL_DIF_META_LEN)
        return fal_fail(err, FAL_ERR_RANGE, "metadata: expected 0 or %d, found %u",
                        FAL_DIF_META_LEN, ask->metadata);
    if (ask->block_shift != 9 && ask->block_shift != BLOCK_SHIFT)
        return fal_fail(err, FAL_ERR_RANGE, "block_shift: expected 9 or 12, found %u",
                        ask->block_shift);
    if (format == NULL && engine->formats.num >= FORMATS_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "nsid: expected at most %d namespaces",
                        FORMATS_MAX);
    if (format == NULL) {
        format = fal_nv_alloc(engine, 1, sizeof *format);
        if (format == NULL || !fal_nv_list_add(engine, &engine->formats, format)) {
            free(format);
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        }
    }
    *format = (struct fal_nv_format){.dev = ask->dev,
                                     .nsid = ask->nsid,
                                     .block_shift = ask->block_shift,
                                     .metadata = ask->metadata};
    if (ask->has_sqid)
        engine->dev_of_sq[ask->sqid] = ask->dev;
    return 0;
}

static int check_range(const struct fal_nvme_word *ask, struct fal_error *err)
{
    return ask->slba + ask->nlb0 >= ask->slba
               ? 0
               : fal_fail(err, FAL_ERR_RANGE, "slba: expected blocks below 2^64");
}

/* Nobody checks the inner protection information: its application tag is FFFF. */
static void protect(struct fal_nv_block *block, uint32_t len)
{
    struct fal_dif inner = fal_nv_inner(block->data, len, UINT16_MAX, UINT32_MAX);
    struct fal_dif outer;

    fal_dif_write(&inner, block->meta);
    outer = fal_nv_outer(block->data, len, block->meta, (uint16_t)block->place.lba,
                         (uint32_t)block->place.lba);
    fal_dif_write(&outer, block->meta + FAL_DIF_LEN);
}

int fal_nv_dev_fill(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                    struct fal_error *err)
{
    struct fal_nv_format format = fal_nv_format(engine, ask->dev, ask->nsid);
    uint32_t len = 1U << format.block_shift;
    int rc = check_range(ask, err);

    for (uint32_t i = 0; rc == 0 && i <= ask->nlb0; i++) {
        struct fal_nv_block *block = fal_nv_image_put(
            &engine->image, &(struct fal_nv_place){ask->dev, ask->nsid, ask->slba + i});

        if (block == NULL)
            return fal_fail(err, FAL_ERR_RANGE,
                            "nlb0: expected at most %llu blocks of all devices together",
                            (unsigned long long)engine->image.max);
        fal_payload_slice(ask->tag, ask->seed, (size_t)i * len, block->data, len);
        protect(block, len);
    }
    return rc;
}

int fal_nv_dev_hash(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                    struct fal_nvme_word *answer, struct fal_error *err)
{
    struct fal_nv_format format = fal_nv_format(engine, ask->dev, ask->nsid);
    uint32_t len = 1U << format.block_shift;
    int rc = check_range(ask, err);

    answer->hash = fal_payload_hash(NULL, 0);
    for (uint32_t i = 0; rc == 0 && i <= ask->nlb0; i++) {
        const struct fal_nv_place place = {ask->dev, ask->nsid, ask->slba + i};
        uint8_t data[FAL_NV_BLOCK_MAX], meta[FAL_DIF_META_LEN];

        fal_nv_image_read(&engine->image, &place, len, data, meta);
        answer->hash = fal_payload_hash_on(answer->hash, data, len);
        if (ask->meta)
            answer->hash = fal_payload_hash_on(answer->hash, meta, sizeof meta);
    }
    return rc;
}

void fal_nv_dev_policy(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask)
{
    engine->after_ns = ask->after_ns;
    engine->dev_status = ask->status;
    engine->hold = ask->hold;
}

int fal_nv_dev_complete(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                        struct fal_error *err)
{
    for (size_t i = 0; i < engine->dcmds.num; i++) {
        const struct fal_nv_dcmd *dcmd = engine->dcmds.items[i];

        if (dcmd->number != ask->dcmd || !dcmd->held)
            continue;
        fal_nv_dev_end(engine, i, ask->status);
        return 0;
    }
    return fal_fail(err, FAL_ERR_RANGE, "dcmd: expected a command that a device holds");
}

void fal_nv_dev_identify(const struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                         struct fal_nvme_word *answer)
{
    answer->metadata = fal_nv_format(engine, ask->dev, ask->nsid).metadata;
    answer->pi_type = answer->metadata > 0 ? PI_TYPE : 0; /* PIL and MSET are 0 (NVME 6.7) */
    fal_nv_seam(engine, fal_nv_at_identify(engine, answer));
}
