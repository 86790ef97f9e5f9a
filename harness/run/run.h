/* SPDX-License-Identifier: Apache-2.0
 * run.h - runs cases and collects their results. A case is a value: bench, session,
 * interpreter, judge. With the built-in SUT each case has its own bench, so threads run cases
 * in parallel and --jobs does not change the results. A SUT on a real link has one bench. If
 * its adapter allows, several cases play at the same time, each on a connection of its own
 * (run_lanes.c); those that need the SUT for themselves are played alone. */
#ifndef TL_HARNESS_RUN_RUN_H
#define TL_HARNESS_RUN_RUN_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "harness/check/recording.h"
#include "harness/claims/waivers.h"
#include "harness/link/fibers.h"
#include "harness/profile/profile.h"
#include "harness/run/evidence.h"
#include "harness/scenario/scenario.h"
#include "harness/session/bench_sut.h"
#include "harness/suite/journal.h"
#include "harness/suite/plan.h"
#include "reports/results/results.h"

#include <jansson.h>

struct tl_session;
struct tl_stops;

/* Scenarios with this tag may leave a device in need of a reset. */
#define TL_TAG_MAY_WEDGE "may-wedge"

struct tl_run {
    struct tl_target target;
    const struct tl_planned *cases; /* borrowed */
    size_t num_cases;
    uint64_t seed;
    bool has_case_seed; /* of each case itself; else it is derived from `seed` and the id of the
                           case */
    uint64_t case_seed;
    struct tl_twins twins; /* conforming variants of the tester's own end */
    struct fal_fault_set
        tester_faults;    /* faults of the tester's own end, for tests of Talon itself */
    enum fal_encap encap; /* of connections that do not set one */
    unsigned jobs;        /* number of threads, for a SUT in virtual time */
    unsigned lanes;       /* cases played at the same time on a live link; 0: as many as the
                             adapter allows */
    unsigned retries;     /* of an inconclusive case on a live link */
    unsigned copies;      /* connections that play each case at the same time; 0 means 1 */
    unsigned life;        /* cases that one SUT in virtual time plays, one after another; 0 and
                             1: one */
    unsigned repeat;      /* runs of each case, with different seeds; 0 means 1 */
    uint64_t timeout_ns;  /* of a case on a live link */
    json_t *psp_keys, *esp_keys; /* key files for a SUT that does not send its keys, or NULL */
    struct tl_recording_config recording; /* settings of a bridge */
    const char *sut_exec; /* command that restarts a SUT that no longer answers; NULL: it is not
                             restarted */
    bool fail_fast;       /* do not run the cases after the first failure */
    bool keep_going;    /* cases are played whatever happened to the SUT in cases before them */
    bool probe;         /* find out which features the SUT has (probe.h) */
    bool may_wedge;     /* also run scenarios with the tag may-wedge */
    bool judge_steps;   /* the tester's packets are judged, too (turned.h) */
    bool whole_packets; /* keep each case's whole conversation */
    bool stories;       /* keep each case's steps, and the ladder of a case that did not pass */
    const struct tl_ics *ics; /* the ICS as given; NULL: none */
    const struct tl_ics
        *stated; /* the part of it that the vendor states, without the profile's; or NULL */
    const struct tl_given_params *params; /* or NULL */
    const struct tl_learned *learned; /* turnaround and pipeline that nobody declared, as they
                                         were measured; or NULL */
    const struct tl_waivers *waivers; /* or NULL */
    uint32_t today;                   /* the day for waivers, as tl_date_read gives it */
    struct tl_evidence *evidence;     /* where evidence is kept, or NULL */
    const struct fal_asking *asking;  /* what the judges of all cases share; or NULL */
    struct tl_stacks *stacks;         /* of the copies of all cases; or NULL */
    struct tl_journal *journal;       /* gets each case that has ended, or NULL */
    bool resumes;                     /* the cases in the journal have ended already */
    bool keep_all;                    /* keep the evidence of passing cases, too */
    const char
        *again; /* the options that follow the file in the command that reproduces a case */
    const char *again_whole; /* the paths and options that select the same cases */
    /* Whether to stop the run. Called before each case, by one thread at a time. May be NULL.
     */
    bool (*stopped)(void *ctx);
    /* Called when a case has ended, in the order of the cases, by one thread at a time. May be
     * NULL. */
    void (*ended)(void *ctx, const struct tl_results *results, const struct tl_case *c);
    /* Called before the first case and when any case has ended, by one thread at a time: how
     * many have ended, how many there are, and how many play at the same time. May be NULL. */
    void (*moved)(void *ctx, size_t ended, size_t cases, unsigned lanes);
    void *ctx;
    /* Called when a case has been played and judged, while its session still exists, by the
     * thread that plays it. May be NULL. */
    void (*looked)(void *ctx, const struct tl_session *session);
    void *looked_ctx;
    /* Called with each event of a case, by the thread that plays it. May be NULL. */
    void (*event)(void *ctx, const struct fal_event *event);
    void *event_ctx;
    const struct tl_stops *stops; /* who may stop the steps of the case (interp.h); or NULL */
};

/* Runs all cases. The caller fills in `version` and `sut` of `results`; cases are added
 * (tl_run_clear frees them). Returns 0, or FAL_ERR_MEM, FAL_ERR_IO with `err` if the run itself
 * could not continue. */
MUST_USE int tl_run_all(const struct tl_run *run, struct tl_results *results,
                        struct fal_error *err);
void tl_run_clear(struct tl_results *results);

/* Whether a declared turnaround or pipeline allowance keeps rules from deciding, so that it is
 * compared with measured answers. The declared values are written to `declared` (or NULL). */
bool tl_run_doubts(const struct tl_run *run, struct fal_params *declared);

/* Measures how long the SUT takes to answer, if that is not declared, or doubtful
 * (run_learn.c). The caller gives the result to the run (run->learned) before it plays cases.
 */
void tl_run_learn(const struct tl_run *run, struct tl_bench *bench, struct tl_learned *learned);

/* Asks the SUT for a connection of run->encap, if packets are sealed in it (run_learn.c).
 * Returns 0, FAL_ERR_IO (it refuses, with a sentence that says what to do) or FAL_ERR_MEM. */
MUST_USE int tl_run_ask_encap(const struct tl_run *run, struct tl_bench *bench,
                              struct fal_error *err);

/* The path of the scenario of a bridge without a scenario file. */
#define TL_BRIDGE_WATCHES "bridge"

/* The id of the scenario without parameters. */
const char *tl_run_scenario_id(const struct tl_scenario *scenario);

/* Runs the first case of a scenario alone. */
void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out);

/* The seed of a case: it depends on the seed of the run and the id of the case, not on its
 * place in the suite. */
uint64_t tl_run_seed(uint64_t run_seed, const char *id);
/* The files that a case leaves behind, beside its result. */
struct tl_kept {
    char *timeline; /* lines of talon/timeline/1 */
    size_t timeline_len;
    uint8_t *packets; /* a pcapng file */
    size_t packets_len;
};
void tl_kept_free(struct tl_kept *kept);

/* Fills in what identifies the case, but not its result. */
void tl_run_name(const struct tl_run *run, const struct tl_planned *planned, uint64_t seed,
                 struct tl_case *out);

/* Runs one case on a bench, again if that may help, and fills in `out`, which tl_run_name has
 * begun. `kept` may be NULL; it gets the timeline of the last attempt. */
void tl_run_attempts(const struct tl_run *run, struct tl_bench *bench,
                     const struct tl_planned *planned, struct tl_kept *kept,
                     struct tl_case *out);

/* Whether cases share a SUT. */
bool tl_run_shares_sut(const struct tl_run *run);
/* Where cases share a SUT: why it is reset before and after this one (static text), or NULL. */
const char *tl_run_fresh(const struct tl_run *run, const struct tl_scenario *scenario);

/* The seed of the n-th run of a case (from 0). */
uint64_t tl_run_seed_of(const struct tl_run *run, const char *id, unsigned n);

/* Whether the case may run; if not, its disposition is set. */
bool tl_run_gate(const struct tl_run *run, const struct tl_ics *ics,
                 const struct tl_planned *planned, struct tl_case *c);

/* Reads the ICS that a report states. */
void tl_run_ics_of(const struct tl_results *results, struct tl_ics *out);

/* Doubles each case, one for each end of a bridge: "ID@end=IFACE". Returns 0, or FAL_ERR_MEM.
 */
MUST_USE int tl_run_both_ends(const struct tl_run *run, struct tl_plan *plan);

#endif
