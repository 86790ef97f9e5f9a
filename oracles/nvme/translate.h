/* SPDX-License-Identifier: Apache-2.0
 * translate.h - from a block of a virtual namespace to the block of a target: row of the LBA
 * translation table, target LBA, and where a command is split (NVME 6.6.2, 6.6.3). */
#ifndef FAL_ORACLES_NVME_TRANSLATE_H
#define FAL_ORACLES_NVME_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

/* A row of the NSID table. */
struct fal_nv_geometry {
    uint32_t start;       /* first row in the LBA translation table */
    uint32_t C, S, N;     /* shifts of chunk size, stripe size and striping group */
    uint32_t block_shift; /* 9 or 12 */
};

/* NULL, or what cannot be: "C + N", "S", "block_shift". */
const char *fal_nv_geometry_wrong(const struct fal_nv_geometry *g);

/* log2 of the blocks of a stripe, and of a group of striped chunks. */
uint32_t fal_nv_stripe_shift(const struct fal_nv_geometry *g);
uint32_t fal_nv_group_shift(const struct fal_nv_geometry *g);

/* Numbers of the group of chunks that a block lies in, and of its stripe in the group. */
uint64_t fal_nv_group(const struct fal_nv_geometry *g, uint64_t lba);
uint64_t fal_nv_stripe(const struct fal_nv_geometry *g, uint64_t lba);

/* Index of a block's row in the LBA translation table. */
uint64_t fal_nv_row_index(const struct fal_nv_geometry *g, uint64_t lba);
/* The target's block, in the chunk of that number. */
uint64_t fal_nv_target_lba(const struct fal_nv_geometry *g, uint64_t lba, uint64_t chunk);
/* Whether a command from block `first` to block `last` is split; *boundary is then the first
 * block of its second part. A change of the chunk group splits, too (AMB-N14). */
bool fal_nv_is_split(const struct fal_nv_geometry *g, uint64_t first, uint64_t last,
                     uint64_t *boundary);

#endif
