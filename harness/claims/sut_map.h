/* SPDX-License-Identifier: Apache-2.0
 * sut_map.h - which SUT each shard of a run plays (schema talon/sut-map/1). Shards on live
 * links play at the same time, and two testers at one device disturb each other: each needs a
 * SUT of its own. */
#ifndef TL_HARNESS_CLAIMS_SUT_MAP_H
#define TL_HARNESS_CLAIMS_SUT_MAP_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/doc/doc.h"
#include "harness/doc/shard.h"

#define TL_SUT_MAP_SCHEMA "talon/sut-map/1"

enum { TL_SUT_MAP_MAX = 1024 }; /* shards of a map */

/* The SUT of a shard, as the options of `talon run` describe it. Texts are borrowed from the
 * document; NULL: not given. */
struct tl_sut_map_row {
    unsigned shard; /* from 1 */
    const char *sut, *control, *connections, *sut_exec, *psp_keys, *esp_keys, *host_check,
        *path_check;
};

struct tl_sut_map {
    const char *name; /* of the SUT in the results: the same for all shards */
    struct tl_sut_map_row *rows;
    size_t num_rows;
    struct tl_doc doc;
};

/* Reads the file. Refuses two rows of one shard, and two rows of one device: live SUTs with the
 * same address or the same control channel. Returns 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM
 * with `err`, which names file and place. */
MUST_USE int tl_sut_map_load(const char *path, struct tl_sut_map *out, struct fal_error *err);
void tl_sut_map_free(struct tl_sut_map *map);

/* Returns the row of a shard; or NULL with `err` if the map has not exactly the shards from 1
 * to shard.total: the error names those that are missing, or one that is no shard of the run.
 */
const struct tl_sut_map_row *tl_sut_map_find(const struct tl_sut_map *map,
                                             struct tl_shard shard, struct fal_error *err);

extern const struct fal_shape tl_sut_map_shape;

#endif
