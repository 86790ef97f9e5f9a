/* SPDX-License-Identifier: Apache-2.0
 * ambiguity.h - unclear sentences of the specifications, and how they are read: the ids AMB-nn
 * that requirements, rules, faults and twins refer to. */
#ifndef FAL_ORACLES_AMBIGUITY_H
#define FAL_ORACLES_AMBIGUITY_H

#include <stddef.h>

/* Whether an implementation must keep to the reading that it once took. */
enum fal_ambiguity_kind {
    FAL_AMBIGUITY_FIXED, /* for a whole run: bit orders, units, edges, formulas */
    FAL_AMBIGUITY_FREE,  /* it may take another one for each packet */
};

struct fal_ambiguity {
    const char *id; /* "AMB-47" */
    enum fal_ambiguity_kind kind;
    const char *where;    /* sections of the FTP specification, or with the name of another */
    const char *question; /* what is unclear */
    const char *reading;  /* how it is read here */
    const char *others;   /* what else is tolerated, with a warning; "" nothing */
};

/* All of them, in the order of their ids. */
const struct fal_ambiguity *fal_ambiguities(size_t *n);
/* The one of that id, or NULL. */
const struct fal_ambiguity *fal_ambiguity_find(const char *id);

#endif
