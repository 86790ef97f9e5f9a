/* SPDX-License-Identifier: Apache-2.0
 * cidmap.h - from the connection ID in a packet to the connection: a hash table with linear
 * probing. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_CIDMAP_H
#define FAL_ORACLES_ENDPOINT_BASE_CIDMAP_H

#include "codecs/base/error.h"

#include <stdint.h>

struct fal_cid {
    uint32_t cid;
    uint32_t conn; /* 0: an empty place */
};

struct fal_cidmap {
    struct fal_cid *places;
    uint32_t count, cap; /* cap: 0 or a power of two, at least twice the count */
};

void fal_cidmap_free(struct fal_cidmap *map);

/* The connection of that CID, or 0. */
uint32_t fal_cidmap_find(const struct fal_cidmap *map, uint32_t cid);

/* The place of that CID is needed soon: it is fetched into the cache. */
void fal_cidmap_fetch(const struct fal_cidmap *map, uint32_t cid);

/* Adds a CID that is not there, conn > 0. 0, FAL_ERR_MEM. */
MUST_USE int fal_cidmap_add(struct fal_cidmap *map, uint32_t cid, uint32_t conn);

/* Removes a CID; nothing happens when it is not there. */
void fal_cidmap_remove(struct fal_cidmap *map, uint32_t cid);

#endif
