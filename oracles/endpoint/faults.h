/* SPDX-License-Identifier: Apache-2.0
 * faults.h - named ways for the endpoint to be wrong, behind one table. A check that no fault
 * can fail is a defect; a fault breaks what it says and little else. To add one, add a row and
 * ask for it in one line of the endpoint.
 *
 * Columns: enumerator, name, section, requirement ids (space-separated), one sentence. */
#ifndef FAL_ORACLES_FAULTS_H
#define FAL_ORACLES_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracles/endpoint/fault_list.h"

#define FAL_FAULT_ENUM(id, ...) FAL_FAULT_##id,
enum fal_fault_id { FAL_FAULTS(FAL_FAULT_ENUM) FAL_FAULT_COUNT };

struct fal_fault {
    const char *name;         /* "ack-before-ulp" */
    const char *section;      /* "9.2.2.4" */
    const char *requirements; /* "FTP-9.2.2.4-08 FTP-9.1.6-03" */
    const char *doc;
};

/* A set of faults that are switched on; all zero: none. */
struct fal_fault_set {
    uint64_t bits[4];
    uint32_t one_in; /* 0, 1: always; n: on average each n-th time it could act */
};

const struct fal_fault *fal_faults(size_t *n);
/* The fault of that name, or -1. */
int fal_fault_find(const char *name);
/* Switches it on. */
void fal_fault_add(struct fal_fault_set *set, enum fal_fault_id id);

static inline bool fal_fault_in(const struct fal_fault_set *set, enum fal_fault_id id)
{
    return (set->bits[id / 64] >> (id % 64) & 1) != 0;
}

#endif
