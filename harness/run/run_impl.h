/* SPDX-License-Identifier: Apache-2.0
 * run_impl.h - between the files of the runner: one attempt, its copies and repetitions, what a
 * case leaves behind. */
#ifndef TL_HARNESS_RUN_RUN_IMPL_H
#define TL_HARNESS_RUN_RUN_IMPL_H

#include "harness/run/run.h"

#include <stdio.h>

/* What a copy of a case (mux.h) needs of the other copies. */
struct tl_copy_of {
    unsigned count, number;                      /* how many copies, and which one, from 0 */
    bool (*together)(void *ctx, unsigned stage); /* of struct tl_session_config */
    uint32_t (*other_cid)(void *ctx);            /* likewise */
    void *ctx;
    struct tl_baton *baton; /* of connections that play the steps together; or NULL */
};

/* The input of one attempt. All pointers are borrowed. */
struct tl_attempt_of {
    const struct tl_planned *planned;
    uint64_t seed;
    const struct tl_copy_of *among; /* for a copy; NULL: the case has the bench for itself */
    FILE *timeline;                 /* gets the timeline; may be NULL */
    /* Gets the time from the cause of each packet that a step awaits to that packet; or NULL.
     */
    void (*answered)(void *ctx, uint64_t ns);
    void *answered_ctx;
};

/* Which values of the SUT are to be learned; nothing is measured yet. */
struct tl_learned tl_run_unknown(const struct tl_run *run);
/* Gives a connection the values that were learned (run->learned). */
void tl_run_apply_learned(const struct tl_run *run, struct fal_connection *setup);

/* Plays one attempt on the bench and judges it into `out`. */
void tl_run_attempt(const struct tl_run *run, struct tl_bench *bench,
                    const struct tl_attempt_of *attempt, struct tl_case *out);
/* The number of connections that play the case at the same time. */
unsigned tl_run_copies_of(const struct tl_run *run, const struct tl_scenario *scenario);
/* Plays an attempt on several connections at the same time. */
void tl_run_copies(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out);
/* Why the case cannot be copied (static text), or NULL. `ports`: each copy has its own. */
const char *tl_run_uncopied(const struct tl_scenario *scenario, bool ports);

/* Plays an attempt between two real ends (run_bridge.c). */
void tl_run_bridge(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out);
/* What a play has left for the case of the other end of a bridge. */
struct tl_run_stash {
    const struct tl_scenario *scenario;
    unsigned end;
    struct tl_case other;
    char *timeline;
    size_t timeline_len;
};
void tl_run_stash_free(struct tl_run_stash *stash);

/* Fills in the ICS of the report. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_run_report_ics(const struct tl_ics *given, const struct tl_ics *said,
                               const struct tl_ics *all, struct tl_results *results);

/* Plays the case as often as requested: calls `play` once for each seed. The worst result stays
 * in *out. */
typedef void tl_play_fn(void *ctx, uint64_t seed, struct tl_kept *kept, struct tl_case *out);
void tl_run_repeat(const struct tl_run *run, const struct tl_planned *planned, tl_play_fn *play,
                   void *ctx, struct tl_kept *kept, struct tl_case *out);

#endif
