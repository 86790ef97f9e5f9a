/* SPDX-License-Identifier: Apache-2.0
 * runner.h - runs scenarios and makes results of them. A case is a value: bench, session,
 * interpreter, judge. With the built-in SUT each case has a bench of its own, so threads run
 * them side by side and
 * --jobs cannot be seen in the results; a SUT at the end of a wire serves one case after
 * another. */
#ifndef TL_HARNESS_RUNNER_H
#define TL_HARNESS_RUNNER_H

#include "harness/bench_sut.h"
#include "harness/scenario.h"
#include "reports/results.h"

#include <jansson.h>
#include <stdio.h>

struct tl_run {
    struct tl_target target;
    struct tl_scenario *const *scenarios; /* borrowed */
    size_t num_scenarios;
    uint64_t seed;
    struct tl_twins twins;              /* of the tester's own end */
    struct fal_fault_set tester_faults; /* likewise: for tests of Talon itself */
    unsigned jobs;                      /* threads, for the built-in SUT */
    unsigned retries;                   /* of an inconclusive case on a live link */
    uint64_t timeout_ns;                /* of a case on a live link */
    bool whole_packets;                 /* keep each case's whole conversation */
    const char *out_dir;                /* for timelines, or NULL */
    bool keep_all;                      /* timelines of passing cases too */
    const char *again; /* what follows the file in the command that repeats a case */
    /* A case has ended; called in the order of the scenarios, by one thread at a time. May be
     * NULL. */
    void (*ended)(void *ctx, const struct tl_results *results, const struct tl_case *c);
    void *ctx;
};

/* Runs all. `results` has version and sut filled in by the caller; cases are added
 * (tl_run_clear frees them). 0, or FAL_ERR_MEM, FAL_ERR_IO with `err` when the run itself could
 * not go on. */
int tl_run_all(const struct tl_run *run, struct tl_results *results, struct fal_error *err);
void tl_run_clear(struct tl_results *results);

/* ---- between the files of the runner ---- */

/* Runs one case on a bench, again where that may help, and fills in `out`. */
void tl_run_case(const struct tl_run *run, struct tl_bench *bench,
                 const struct tl_scenario *scenario, struct tl_case *out);

/* The case's seed: of the run's, and of the scenario's name, not of its place in the suite. */
uint64_t tl_run_seed(uint64_t run_seed, const char *id);

/* ---- files (runner_files.c) ---- */

struct tl_suite {
    struct tl_scenario **list;
    size_t count;
    size_t bad_files;
};

/* Reads the scenarios of files and directories (all *.json below, but not below schema/),
 * sorted by path; what is wrong goes to `errors`, one line each. 0, or FAL_ERR_MEM. */
int tl_suite_read(struct tl_suite *suite, const char *const *paths, size_t n, FILE *errors);
void tl_suite_free(struct tl_suite *suite);

/* The suite that comes with the program, for `talon list scenarios`: an array of {id, title,
 * file, class, version, covers, exercises, tags}. New reference; NULL when there is none, or
 * out of memory. */
json_t *tl_suite_list(void);

/* Where the suite lies: beside the program, or where it was installed; relative to the working
 * directory where that is above it. False when there is none. */
bool tl_suite_default(char *out, size_t cap);

/* Writes DIR/NAME/FILE (or DIR/FILE when `name` is NULL), making the directories. 0, or
 * FAL_ERR_IO with `err`. */
int tl_write_file(const char *dir, const char *name, const char *file, const char *bytes,
                  size_t len, struct fal_error *err);

#endif
