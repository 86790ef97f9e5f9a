/* SPDX-License-Identifier: Apache-2.0
 * plan.h - the cases of a run: the selected cases of the suite. */
#ifndef TL_HARNESS_SUITE_PLAN_H
#define TL_HARNESS_SUITE_PLAN_H

#include "codecs/base/error.h"
#include "harness/doc/shard.h"
#include "harness/profile/select.h"
#include "harness/suite/suite.h"

/* A case to be run. */
struct tl_planned {
    const struct tl_scenario *scenario; /* borrowed */
    const char *id;
    char *own;      /* memory of the id, or NULL */
    unsigned end;   /* on a bridge: the interface on which the judged end is */
    uint64_t place; /* among the selected cases of all shards */
};

struct tl_plan {
    struct tl_planned *cases;
    size_t num_cases;
    size_t deselected, other_shards;
    uint64_t selection; /* hash of the ids of the selected cases of all shards */
    uint64_t *places;   /* of its cases, in their order; NULL: not noted */
};

/* What the cases of a plan are selected by: each of them must take a case. */
struct tl_plan_by {
    const struct tl_select *const *selects;
    size_t n;
};
/* `takes` of struct tl_wanted; `ctx` is a struct tl_plan_by. */
bool tl_plan_wants(const void *ctx, const char *file_id, const char *id);

/* Takes the selected cases of a suite, those of one shard. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_plan_make(struct tl_plan *plan, const struct tl_suite *suite,
                          const struct tl_plan_by *by, struct tl_shard shard);
/* Keeps the cases from the one with the id `first` to the one with the id `last`; NULL: from
 * the beginning, to the end. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_plan_between(struct tl_plan *plan, const char *first, const char *last,
                             struct fal_error *err);
/* Sets `places`, when the plan has its cases. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_plan_note_places(struct tl_plan *plan);
void tl_plan_free(struct tl_plan *plan);

#endif
