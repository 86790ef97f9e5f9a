/* SPDX-License-Identifier: Apache-2.0
 * shard.h - one of N parts of a run, a check or a capture store, which N processes do side by
 * side: `--shard 2/8`, or `--shard auto` in an array of Slurm or an indexed job of Kubernetes.
 */
#ifndef TL_HARNESS_DOC_SHARD_H
#define TL_HARNESS_DOC_SHARD_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_shard {
    unsigned number, total; /* from 1 to total; 0 of 0: no shard, the whole */
};

/* Reads "I/N", I from 1 to N, N at most `most`, or "auto". The values of the environment that
 * "auto" needs come from `get`, which returns NULL for a variable that is not set:
 * SLURM_ARRAY_TASK_ID is I, counted from SLURM_ARRAY_TASK_MIN; without it JOB_COMPLETION_INDEX
 * is, counted from 0. N is TALON_SHARDS, and then tasks count from 0; without it
 * SLURM_ARRAY_TASK_COUNT, if the array has no holes. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_shard_read(const char *text, unsigned most, const char *(*get)(const char *),
                           struct tl_shard *out, struct fal_error *err);
/* The value of a variable of this process, for tl_shard_read. */
const char *tl_shard_environment(const char *name);

/* Whether what has this name belongs to the shard: its hash decides, so a name that is added or
 * goes away moves no other. */
bool tl_shard_takes(struct tl_shard shard, const char *name);

/* FNV-1a, 64 bits, of a name, continued from `hash`; the first one begins with
 * TL_SHARD_HASH. The end of the name counts. */
#define TL_SHARD_HASH UINT64_C(0xcbf29ce484222325)
uint64_t tl_shard_hash(uint64_t hash, const char *name);

#endif
