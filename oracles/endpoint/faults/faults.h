/* SPDX-License-Identifier: Apache-2.0
 * faults.h - the faults that can be planted in the endpoint: names, and their table. A check
 * that no fault can fail is a defect; a fault breaks what it says and little else. To add one,
 * add a row, and a line in the function of the seam where it acts (seams.h).
 *
 * A fault acts always, unless parameters say when:
 *
 *   NAME[:one-in=N][:from=N][:when=wrap|resync|second-window][:field=HEADER.FIELD][:seed=N]
 *
 *   one-in=N            on average each N-th time that it could act
 *   from=N              from the N-th time on that it could act, counted from 1 over all
 *                       connections of the endpoint; times at which `when` does not hold do
 *                       not count
 *   when=wrap           a sequence number of the connection is about to wrap round at 2^32, or
 *                       just has
 *   when=resync         a resync was sent or received on the connection
 *   when=second-window  a whole receive window of packets has gone by, in either direction
 *   field=HEADER.FIELD  for faults of header fields: this field; without it, one is drawn for
 *                       each packet
 *   seed=N              of its random numbers; without it, they come from the endpoint's seed
 *
 * Columns: enumerator, name, section, requirement ids (space-separated), one sentence. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULTS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULTS_H

#include "codecs/base/error.h"
#include "codecs/base/field.h"
#include "oracles/endpoint/faults/fault_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAL_FAULT_ENUM(id, ...) FAL_FAULT_##id,
enum fal_fault_id { FAL_FAULTS(FAL_FAULT_ENUM) FAL_FAULT_COUNT };
/* Those before the first of these are faults of the endpoint, the others of the engines above
 * it: RDMA (oracles/ulp), then NVMe (oracles/nvme). */
enum {
    FAL_FAULT_ULP_FIRST = FAL_FAULT_RBTH_VERSION_0,
    FAL_FAULT_NVME_FIRST = FAL_FAULT_NBTH_VERSION_0,
};

struct fal_fault {
    const char *name;         /* "ack-before-ulp" */
    const char *section;      /* "9.2.2.4" */
    const char *requirements; /* "FTP-9.2.2.4-08 FTP-9.1.6-03" */
    const char *doc;
};

enum fal_fault_when {
    FAL_WHEN_ALWAYS,
    FAL_WHEN_WRAP,
    FAL_WHEN_RESYNC,
    FAL_WHEN_SECOND_WINDOW,
};

/* The parameters of one fault. */
struct fal_fault_how {
    enum fal_fault_id id;
    enum fal_fault_when when;
    uint32_t one_in; /* 0: as the set says */
    uint32_t from;   /* the first opportunity at which it acts, from 1; 0: not given */
    bool has_seed;
    uint64_t seed;
    const struct fal_layout *header; /* `field`, and the header that it belongs to; or NULL */
    const struct fal_field *field;
};

enum { FAL_FAULT_HOWS_MAX = 8 };

enum { FAL_FAULT_WORDS = (FAL_FAULT_COUNT + 63) / 64 };

/* A set of faults that are switched on; all zero: none. */
struct fal_fault_set {
    uint64_t bits[FAL_FAULT_WORDS];
    uint32_t one_in;   /* of those that do not say it themselves; 0, 1: always */
    uint32_t num_hows; /* faults with parameters */
    struct fal_fault_how hows[FAL_FAULT_HOWS_MAX];
};

const struct fal_fault *fal_faults(size_t *n);
/* The fault of that name, or -1. */
int fal_fault_find(const char *name);
/* Switches it on, without parameters. */
void fal_fault_add(struct fal_fault_set *set, enum fal_fault_id id);
/* Switches it on with parameters; those of an earlier call for the same fault are replaced.
 * FAL_ERR_RANGE when FAL_FAULT_HOWS_MAX faults have some already. */
MUST_USE int fal_fault_add_how(struct fal_fault_set *set, const struct fal_fault_how *how);

/* Reads one fault with its parameters, `len` bytes in the form above, and switches it on. 0;
 * FAL_ERR_FORM with what is wrong, and what may have been meant, in `err`. */
MUST_USE int fal_fault_read(struct fal_fault_set *set, const char *text, size_t len,
                            struct fal_error *err);
/* Reads a list of them, separated by commas. Same returns. */
MUST_USE int fal_faults_read(struct fal_fault_set *set, const char *text, size_t len,
                             struct fal_error *err);

/* Whether a fault takes `field`. */
bool fal_fault_of_field(enum fal_fault_id id);

static inline bool fal_fault_in(const struct fal_fault_set *set, enum fal_fault_id id)
{
    return (set->bits[id / 64] >> (id % 64) & 1) != 0;
}

/* Whether any is on. */
static inline bool fal_fault_any(const struct fal_fault_set *set)
{
    uint64_t any = 0;

    for (int i = 0; i < FAL_FAULT_WORDS; i++)
        any |= set->bits[i];
    return any != 0;
}

/* Its parameters, or NULL. */
static inline const struct fal_fault_how *fal_fault_how(const struct fal_fault_set *set,
                                                        enum fal_fault_id id)
{
    for (uint32_t i = 0; i < set->num_hows; i++)
        if (set->hows[i].id == id)
            return &set->hows[i];
    return NULL;
}

#endif
