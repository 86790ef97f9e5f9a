/* SPDX-License-Identifier: Apache-2.0
 * map.h - from blocks of a virtual namespace to blocks of a target: the row of the LBA
 * translation table, the target's block, and where a command is split (NVME 6.6). */
#ifndef FAL_ORACLES_RULES_BLOCKS_MAP_H
#define FAL_ORACLES_RULES_BLOCKS_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* The parameters of a row of the NSID table, as shifts (NVME 6.6.2). */
struct fal_map {
    uint32_t start;                /* first row of the namespace in the translation table */
    uint32_t chunk, stripe, group; /* C: 2^C GiB; S: 2^S * 256 KiB; N: 2^N chunks */
    uint32_t block;                /* a block has 2^block bytes */
};

/* Whether all shifts fit into 64 bits, and a stripe has a block at least and lies in a chunk.
 */
bool fal_map_valid(const struct fal_map *map);
/* The row of a block in the translation table. */
uint64_t fal_map_row(const struct fal_map *map, uint64_t lba);
/* The block of the target, in the chunk that the row names. */
uint64_t fal_map_target(const struct fal_map *map, uint64_t chunk, uint64_t lba);

/* A part of a command, which is one command of the target. */
struct fal_map_part {
    uint64_t first;  /* block of the virtual namespace */
    uint32_t blocks; /* at least 1 */
};

/* The parts of a command of nlb0 + 1 blocks: 1 or 2; 0: it crosses more boundaries than one, or
 * its blocks go beyond 64 bits. *free: the two parts may as well be sent as one, because no
 * striping makes them lie in a row (AMB-N21). */
unsigned fal_map_split(const struct fal_map *map, uint64_t first, uint32_t nlb0,
                       struct fal_map_part parts[2], bool *free);

#endif
