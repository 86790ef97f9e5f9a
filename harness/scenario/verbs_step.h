/* SPDX-License-Identifier: Apache-2.0
 * verbs_step.h - the steps `verbs` and `expect_verbs` as they were read: a word of the verbs
 * (codecs/verbs/verbs.h), with the values that are computed when it is played, and what its
 * reply, or an event, must show. A scenario gives the objects of the SUT (domains, regions,
 * queue pairs) names of its own. */
#ifndef TL_HARNESS_SCENARIO_VERBS_STEP_H
#define TL_HARNESS_SCENARIO_VERBS_STEP_H

#include "codecs/verbs/verbs.h"
#include "harness/doc/value.h"

/* A number of a word: where struct fal_verbs keeps it, and what it is or must be. */
struct tl_verbs_slot {
    const char *key; /* "remote.va" */
    size_t at, size; /* 1, 2, 4 or 8 bytes */
    struct tl_value value;
};

struct tl_verbs_slots {
    struct tl_verbs_slot *list;
    size_t n;
    bool patterns; /* they must match; else each is one value */
};

/* A variable that the reply binds. */
struct tl_verbs_bind {
    char name[FAL_VAR_MAX]; /* "m_rkey" */
    size_t at, size;
};

struct tl_verbs_step {
    struct fal_verbs ask; /* without what `slots` sets; handles are names of the scenario */
    struct tl_verbs_slots slots, reply;
    const char *as; /* the name of the object that it makes; or NULL */
    struct tl_verbs_bind *binds;
    size_t num_binds;
    bool tester;              /* it is for the tester's upper layer, not for the SUT's */
    bool refused, may_refuse; /* the SUT must, or may, refuse it */
    bool has_data;            /* mr_hash: the range must hold */
    struct tl_value tag;      /* this payload pattern */
    struct tl_value from;
};

/* What an event must show. */
struct tl_verbs_pattern {
    struct fal_verbs due; /* its kind, and the names of its objects, "" where any will do */
    struct tl_verbs_slots slots;
};

/* The number of that many bytes there. */
uint64_t tl_verbs_number(const struct fal_verbs *verbs, size_t at, size_t size);
/* Sets it. Returns 0, or FAL_ERR_RANGE for a number that does not fit. */
MUST_USE int tl_verbs_set(struct fal_verbs *verbs, size_t at, size_t size, uint64_t number);

#endif
