/* SPDX-License-Identifier: Apache-2.0
 * twins.h - conforming variants ("twins"): other ways to be a Falcon endpoint that the
 * specification allows. Each option that it leaves open, and each tenable reading of an unclear
 * sentence, is a row of one table. No rule may fail an endpoint for one. To add one, add a row,
 * and a line in the function of the seam where it acts (seams.h).
 *
 * Columns: enumerator, name, section, requirement ids (space-separated), AMB id or "" (then it
 * is a freedom of the text, not a reading), one sentence. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_TWINS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_TWINS_H

#include "codecs/base/error.h"
#include "oracles/endpoint/faults/twin_list.h"
#include "oracles/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAL_TWIN_ENUM(id, ...) FAL_TWIN_##id,
enum fal_twin_id { FAL_TWINS(FAL_TWIN_ENUM) FAL_TWIN_COUNT };
/* Those before the first of these are variants of the endpoint, the others of the engines above
 * it: RDMA (oracles/ulp), then NVMe (oracles/nvme). */
enum {
    FAL_TWIN_ULP_FIRST = FAL_TWIN_RETH_LENGTH_WHOLE,
    FAL_TWIN_NVME_FIRST = FAL_TWIN_COMPLETIONS_EARLY_BUT_LAST,
};

struct fal_twin {
    const char *name;         /* "eack-always" */
    const char *section;      /* "9.1.6" */
    const char *requirements; /* "FTP-9.1.6-13" */
    const char *reading;      /* "AMB-20", or "" */
    const char *doc;
};

/* A set of twins that are switched on; all zero: none. */
struct fal_twin_set {
    uint64_t bits[2];
    uint64_t lanes_ns; /* how late packets leave the lanes of variants with lanes at most; 0:
                          the pipeline allowance of the connection */
};

const struct fal_twin *fal_twins(size_t *n);
/* The twin of that name, or -1. */
int fal_twin_find(const char *name);
/* Switches it on. */
void fal_twin_add(struct fal_twin_set *set, enum fal_twin_id id);
/* Switches on each of the table, or not: in one draw of four none at all, else any of them with
 * the same, drawn, likelihood. */
void fal_twins_draw(struct fal_twin_set *set, struct fal_rng *rng);
/* Reads "NAME,NAME", `len` bytes, and switches them on. 0; FAL_ERR_FORM with what is wrong, and
 * what may have been meant, in `err`. */
MUST_USE int fal_twins_read(struct fal_twin_set *set, const char *text, size_t len,
                            struct fal_error *err);

static inline bool fal_twin_in(const struct fal_twin_set *set, enum fal_twin_id id)
{
    return (set->bits[id / 64] >> (id % 64) & 1) != 0;
}

#endif
