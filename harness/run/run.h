/* SPDX-License-Identifier: Apache-2.0
 * run.h - runs cases and makes results of them. A case is a value: bench, session,
 * interpreter, judge. With the built-in SUT each case has a bench of its own, so threads run
 * them side by side and --jobs cannot be seen in the results; a SUT at the end of a wire serves
 * one case after another. */
#ifndef TL_HARNESS_RUN_RUN_H
#define TL_HARNESS_RUN_RUN_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "harness/check/recording.h"
#include "harness/claims/waivers.h"
#include "harness/profile/profile.h"
#include "harness/run/evidence.h"
#include "harness/run/plan.h"
#include "harness/scenario/scenario.h"
#include "harness/session/bench_sut.h"
#include "reports/results/results.h"

#include <jansson.h>

struct tl_session;

/* Scenarios that are tagged so may leave a device in need of a reset. */
#define TL_TAG_MAY_WEDGE "may-wedge"

struct tl_run {
    struct tl_target target;
    const struct tl_planned *cases; /* borrowed */
    size_t num_cases;
    uint64_t seed;
    bool has_case_seed; /* each case's own, instead of one made of `seed` and its id */
    uint64_t case_seed;
    struct tl_twins twins;              /* of the tester's own end */
    struct fal_fault_set tester_faults; /* likewise: for tests of Talon itself */
    enum fal_encap encap;               /* of connections that ask for none of their own */
    unsigned jobs;                      /* threads, for the built-in SUT */
    unsigned retries;                   /* of an inconclusive case on a live link */
    unsigned copies;                    /* connections that play each case at once; 0 is 1 */
    unsigned repeat;                    /* runs of each case, with different seeds; 0 is 1 */
    uint64_t timeout_ns;                /* of a case on a live link */
    json_t *psp_keys, *esp_keys;        /* files of keys that the SUT does not tell, or NULL */
    struct tl_recording_config recording; /* what of it holds for a bridge */
    const char *sut_exec; /* brings a SUT back that is gone from its wire; NULL: nothing does */
    bool fail_fast;       /* what comes after the first failure is not run */
    bool probe;           /* find out what the SUT does (probe.h) */
    bool may_wedge;       /* scenarios of that tag too */
    bool whole_packets;   /* keep each case's whole conversation */
    bool stories;         /* keep each case's steps, and the flow of what did not pass */
    const struct tl_ics *ics;    /* as it was given; NULL: not at all */
    const struct tl_ics *stated; /* of it, what the vendor says, not a profile; or NULL */
    const struct tl_given_params *params; /* or NULL */
    const struct tl_waivers *waivers;     /* or NULL */
    uint32_t today;                       /* for them, as tl_date_read gives it */
    struct tl_evidence *evidence;         /* where it is kept, or NULL */
    bool keep_all;                        /* that of passing cases too */
    const char *again; /* what follows the file in the command that repeats a case */
    /* Asked before each case, by one thread at a time: whether to run no more. May be NULL. */
    bool (*stopped)(void *ctx);
    /* A case has ended; called in the order of the cases, by one thread at a time. May be NULL.
     */
    void (*ended)(void *ctx, const struct tl_results *results, const struct tl_case *c);
    void *ctx;
    /* A case has been played and judged; its session is still there. Called by the thread that
     * plays it. May be NULL. */
    void (*looked)(void *ctx, const struct tl_session *session);
    void *looked_ctx;
};

/* Runs all. `results` has version and sut filled in by the caller; cases are added
 * (tl_run_clear frees them). 0, or FAL_ERR_MEM, FAL_ERR_IO with `err` when the run itself could
 * not go on. */
MUST_USE int tl_run_all(const struct tl_run *run, struct tl_results *results,
                        struct fal_error *err);
void tl_run_clear(struct tl_results *results);

/* The path of the scenario of a bridge that has none. */
#define TL_BRIDGE_WATCHES "bridge"

/* The id of the scenario that the case is of: it has no parameters. */
const char *tl_run_scenario_id(const struct tl_scenario *scenario);

/* Runs a scenario's first case, for its own sake. */
void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out);

/* The case's seed: of the run's, and of its name, not of its place in the suite. */
uint64_t tl_run_seed(uint64_t run_seed, const char *id);
/* What a case leaves behind, beside its result. */
struct tl_kept {
    char *timeline; /* lines of talon/timeline/1 */
    size_t timeline_len;
    uint8_t *packets; /* a pcapng file */
    size_t packets_len;
};
void tl_kept_free(struct tl_kept *kept);

/* Fills in what the case is, but for what comes of it. */
void tl_run_name(const struct tl_run *run, const struct tl_planned *planned, uint64_t seed,
                 struct tl_case *out);

/* Runs one case on a bench, again where that may help, and fills in `out`, which
 * tl_run_name has begun. `kept` may be NULL; it gets the timeline of the last attempt. */
void tl_run_attempts(const struct tl_run *run, struct tl_bench *bench,
                     const struct tl_planned *planned, struct tl_kept *kept,
                     struct tl_case *out);

/* The seed of a case of this run, for the n-th time that it is run (from 0). */
uint64_t tl_run_seed_of(const struct tl_run *run, const char *id, unsigned n);

/* Whether the case may run at all; else its disposition is set. */
bool tl_run_gate(const struct tl_run *run, const struct tl_ics *ics,
                 const struct tl_planned *planned, struct tl_case *c);

/* What a report states about the ICS, as a statement. */
void tl_run_ics_of(const struct tl_results *results, struct tl_ics *out);

/* Of each case two, for the ends of a bridge: "ID@end=IFACE". 0, or FAL_ERR_MEM. */
MUST_USE int tl_run_both_ends(const struct tl_run *run, struct tl_plan *plan);

#endif
