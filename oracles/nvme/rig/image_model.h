/* SPDX-License-Identifier: Apache-2.0
 * image_model.h - a model of a virtual namespace in its simplest form: what a host has written,
 * and where on the devices it must lie. It divides bytes where the specification shifts blocks,
 * and knows nothing of packets, nCMDs or protection information. */
#ifndef FAL_ORACLES_NVME_RIG_IMAGE_MODEL_H
#define FAL_ORACLES_NVME_RIG_IMAGE_MODEL_H

#include "oracles/payload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_AREAS = 6, MODEL_SPAN = 1024, MODEL_ROWS = 16, MODEL_BLOCK_MAX = 4096 };

#define MODEL_GIB     (UINT64_C(1) << 30)
#define MODEL_QUARTER (UINT64_C(1) << 18) /* 256 KiB */

struct model_row {
    uint32_t nsid;
    uint64_t chunk;
};

struct model {
    uint32_t block_len;
    uint64_t chunk_len, stripe_len; /* bytes */
    uint64_t striped;               /* chunks of a group */
    uint32_t start;                 /* first row */
    struct model_row rows[MODEL_ROWS];
    uint64_t areas[MODEL_AREAS]; /* the first block of each range that commands touch */
    bool *written;               /* by area and block in it */
    uint8_t *data;
};

static inline bool model_init(struct model *m)
{
    m->written = calloc(MODEL_AREAS * MODEL_SPAN, sizeof *m->written);
    m->data = calloc(MODEL_AREAS * MODEL_SPAN, m->block_len);
    return m->written != NULL && m->data != NULL;
}

static inline void model_free(struct model *m)
{
    free(m->written);
    free(m->data);
}

/* ---- where a block lies ---- */

struct model_place {
    uint32_t row, nsid;
    uint64_t lba;
};

static inline struct model_place model_place(const struct model *m, uint64_t lba)
{
    uint64_t at = lba * m->block_len, group_len = m->chunk_len * m->striped;
    uint64_t group = at / group_len, in_group = at % group_len;
    uint64_t stripe = in_group / m->stripe_len, in_stripe = in_group % m->stripe_len;
    uint32_t row = (uint32_t)(group * m->striped + stripe % m->striped);
    uint64_t in_chunk = stripe / m->striped * m->stripe_len + in_stripe;

    return (struct model_place){m->start + row, m->rows[row % MODEL_ROWS].nsid,
                                (m->rows[row % MODEL_ROWS].chunk * m->chunk_len + in_chunk) /
                                    m->block_len};
}

/* ---- what the host has written ---- */

static inline size_t model_slot(uint32_t area, uint32_t offset)
{
    return (size_t)area * MODEL_SPAN + offset;
}

static inline void model_write(struct model *m, uint32_t area, uint32_t offset, uint32_t blocks,
                               uint64_t tag)
{
    size_t at = model_slot(area, offset);

    fal_payload_fill(tag, 0, m->data + at * m->block_len, (size_t)blocks * m->block_len);
    for (uint32_t i = 0; i < blocks; i++)
        m->written[at + i] = true;
}

static inline bool model_all_written(const struct model *m, uint32_t area, uint32_t offset,
                                     uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++)
        if (!m->written[model_slot(area, offset + i)])
            return false;
    return true;
}

/* The hash of blocks; those that were never written are zero. */
static inline uint64_t model_hash(const struct model *m, uint32_t area, uint32_t offset,
                                  uint32_t blocks)
{
    return fal_payload_hash(m->data + model_slot(area, offset) * m->block_len,
                            (size_t)blocks * m->block_len);
}

/* Whether a block of a device belongs to some block that was written. */
static inline bool model_holds(const struct model *m, uint32_t nsid, uint64_t lba)
{
    for (uint32_t area = 0; area < MODEL_AREAS; area++)
        for (uint32_t i = 0; i < MODEL_SPAN; i++) {
            struct model_place place;

            if (!m->written[model_slot(area, i)])
                continue;
            place = model_place(m, m->areas[area] + i);
            if (place.nsid == nsid && place.lba == lba)
                return true;
        }
    return false;
}

#endif
