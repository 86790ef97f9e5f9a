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
#include "harness/profile/select.h"
#include "harness/run/evidence.h"
#include "harness/scenario/scenario.h"
#include "harness/session/bench_sut.h"
#include "reports/results/results.h"

#include <jansson.h>
#include <stdio.h>

struct tl_session;

/* A case to be run. */
struct tl_planned {
    const struct tl_scenario *scenario; /* borrowed */
    const char *id;
    char *own;    /* memory of the id, or NULL */
    unsigned end; /* on a bridge: at which interface the end is that is judged */
};

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

/* ---- between the files of the runner ---- */

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

/* What a copy of a case (mux.h) asks of the others. */
struct tl_copy_of {
    unsigned count, number;                      /* how many, and which, from 0 */
    bool (*together)(void *ctx, unsigned stage); /* of struct tl_session_config */
    uint32_t (*other_cid)(void *ctx);            /* likewise */
    void *ctx;
};

/* What one attempt plays. All borrowed. */
struct tl_attempt_of {
    const struct tl_planned *planned;
    uint64_t seed;
    const struct tl_copy_of *among; /* of a copy; NULL: the case has the bench for itself */
    FILE *timeline;                 /* gets the timeline; may be NULL */
};

/* Plays one attempt on the bench and judges it into `out`. */
void tl_run_attempt(const struct tl_run *run, struct tl_bench *bench,
                    const struct tl_attempt_of *attempt, struct tl_case *out);
/* Connections that play the case at once. */
unsigned tl_run_copies_of(const struct tl_run *run, const struct tl_scenario *scenario);
/* The same on several connections at once. */
void tl_run_copies(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out);
/* Why the case cannot be copied (static text), or NULL. `ports`: each copy has its own. */
const char *tl_run_uncopied(const struct tl_scenario *scenario, bool ports);

/* The path of the scenario of a bridge that has none. */
#define TL_BRIDGE_WATCHES "bridge"

/* The same between two real ends (run_bridge.c). */
void tl_run_bridge(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out);
/* What a play has left for the case of the other end. */
struct tl_run_stash {
    const struct tl_scenario *scenario;
    unsigned end;
    struct tl_case other;
    char *timeline;
    size_t timeline_len;
};
void tl_run_stash_free(struct tl_run_stash *stash);

/* The id of the scenario that the case is of: it has no parameters. */
const char *tl_run_scenario_id(const struct tl_scenario *scenario);

/* Runs a scenario's first case, for its own sake. */
void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out);

/* The case's seed: of the run's, and of its name, not of its place in the suite. */
uint64_t tl_run_seed(uint64_t run_seed, const char *id);
/* The same, as the run has it, for the n-th time that it is run (from 0). */
uint64_t tl_run_seed_of(const struct tl_run *run, const char *id, unsigned n);

/* Whether the case may run at all; else its disposition is set. */
bool tl_run_gate(const struct tl_run *run, const struct tl_ics *ics,
                 const struct tl_planned *planned, struct tl_case *c);

/* The ICS as the report has it. 0, or FAL_ERR_MEM. */
MUST_USE int tl_run_report_ics(const struct tl_ics *given, const struct tl_ics *said,
                               const struct tl_ics *all, struct tl_results *results);

/* And back: what the report says, as a statement. */
void tl_run_ics_of(const struct tl_results *results, struct tl_ics *out);

/* Plays the case as often as is asked for: `play` once each with a seed. The worst is what
 * stays in *out. */
typedef void tl_play_fn(void *ctx, uint64_t seed, struct tl_kept *kept, struct tl_case *out);
void tl_run_repeat(const struct tl_run *run, const struct tl_planned *planned, tl_play_fn *play,
                   void *ctx, struct tl_kept *kept, struct tl_case *out);

/* ---- what is run (plan.c) ---- */

struct tl_plan {
    struct tl_planned *cases;
    size_t num_cases;
    size_t deselected, other_shards;
};

struct tl_suite;

/* The cases of a suite that are selected, those of one shard (`shard` of `shards`; 0: all). 0,
 * or FAL_ERR_MEM. */
MUST_USE int tl_plan_make(struct tl_plan *plan, const struct tl_suite *suite,
                          const struct tl_select *const *selects, size_t num_selects,
                          unsigned shard, unsigned shards);
void tl_plan_free(struct tl_plan *plan);
/* Of each case two, for the ends of a bridge: "ID@end=IFACE". 0, or FAL_ERR_MEM. */
MUST_USE int tl_run_both_ends(const struct tl_run *run, struct tl_plan *plan);

/* ---- files (suite_files.c) ---- */

struct tl_suite {
    struct tl_scenario **list; /* cases */
    size_t count, cap;
    size_t files, bad_files, checked; /* files; cases in order */
};

/* Reads the scenarios of files and directories (all *.json below, but not below schema/ and
 * profiles/), sorted by path, with so many threads at most; what is wrong goes to `errors`, one
 * line each. When they are only checked, the list holds a case of each file. 0, or
 * FAL_ERR_MEM. */
MUST_USE int tl_suite_read(struct tl_suite *suite, const char *const *paths, size_t n,
                           unsigned jobs, bool only_check, FILE *errors);
void tl_suite_free(struct tl_suite *suite);

/* The suite that comes with the program, for `talon list scenarios`: an array of {id, title,
 * file, class, version, covers, exercises, tags}. New reference; NULL when there is none, or
 * out of memory. */
json_t *tl_suite_list(void);
/* Its cases: {id, scenario, title, file, class, tags, needs, covers}. */
json_t *tl_suite_cases(void);
/* Its profiles: {name, title, file}. */
json_t *tl_suite_profiles(void);

/* Where the suite lies: beside the program, or where it was installed; relative to the working
 * directory where that is above it. False when there is none. */
bool tl_suite_default(char *out, size_t cap);
/* The file of that profile: a path (it holds a '/' or ends in .json), or a name of the suite's.
 */
bool tl_suite_profile(const char *name, char *out, size_t cap);

#endif
