/* SPDX-License-Identifier: Apache-2.0
 * hunt_map.h - the coverage map of a SUT that was built with AFL++'s compilers: shared memory
 * that the SUT finds by the variable __AFL_SHM_ID and counts its edges in. We make it before
 * the SUT is started, and read it after each case. */
#ifndef FAL_FUZZ_HUNT_HUNT_MAP_H
#define FAL_FUZZ_HUNT_HUNT_MAP_H

#include "codecs/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { HUNT_MAP_LEN = 1 << 16, HUNT_MAP_MOST = 1 << 24 };

struct hunt_map;

/* A map by its number (of shmget), or, of -1, a new one of `len` bytes. FAL_ERR_IO,
 * FAL_ERR_MEM with `err`. */
MUST_USE int hunt_map_open(struct hunt_map **out, int number, size_t len,
                           struct fal_error *err);
/* One that was made here is removed when the last that uses it goes. NULL is fine in each. */
void hunt_map_close(struct hunt_map *map);

int hunt_map_number(const struct hunt_map *map);
void hunt_map_clear(struct hunt_map *map);
const uint8_t *hunt_map_bytes(const struct hunt_map *map, size_t *len);

#endif
