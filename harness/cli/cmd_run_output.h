/* SPDX-License-Identifier: Apache-2.0
 * cmd_run_output.h - where the results of `talon run` go: console, reports, evidence. */
#ifndef TL_HARNESS_CLI_CMD_RUN_OUTPUT_H
#define TL_HARNESS_CLI_CMD_RUN_OUTPUT_H

#include "codecs/base/error.h"
#include "harness/link/guard.h"
#include "harness/run/run_setup.h"
#include "reports/results/diff.h"

#include <time.h>

struct tl_run_output {
    const struct tl_run_setup *setup;
    bool colour;   /* of the console */
    bool tty;      /* standard output is a terminal */
    bool verbose;  /* each case is shown whole as it ends */
    bool progress; /* a line of it on standard error */
    bool shown;    /* there is one now */
    bool live;
    int signals; /* where an interruption is told, or -1 */
    FILE *reports[TL_REPORTS_MAX];
    struct tl_causes *causes;   /* of the results, at the end */
    size_t changes[TL_CHANGES]; /* since the results of --against */
    size_t failed;
    size_t moved, cases;   /* cases that have ended, and all */
    unsigned lanes;        /* cases that play at the same time */
    struct timespec begun; /* of the clock on the wall */
    uint64_t begun_ns, shown_ns;
    struct tl_guard guard; /* of a live run: the process to watch */
};

/* 0, or FAL_ERR_IO after a line on standard error: a report cannot be written. */
MUST_USE int tl_run_output_begin(struct tl_run_output *output);
/* Whether to stop: SIGINT or SIGTERM came, or the process that started a live run has ended.
 * The current case is finished and the results so far are reported; the next signal ends the
 * program */
bool tl_run_output_stopped(void *ctx);
/* The callbacks `ended` and `moved` of struct tl_run; `ctx` is the output. */
void tl_run_output_case(void *ctx, const struct tl_results *results, const struct tl_case *c);
void tl_run_output_moved(void *ctx, size_t ended, size_t cases, unsigned lanes);
/* The documents that were given, for the evidence; empty if none was. */
struct tl_run_documents {
    const struct tl_doc *waivers, *profile, *ixit;
};

/* The rest. Returns the exit status. */
MUST_USE int tl_run_output_end(struct tl_run_output *output,
                               const struct tl_run_documents *documents,
                               const struct tl_results *results, const json_t *command);

/* Prints which cases would run. */
void tl_run_output_dry(const struct tl_run *run, const struct tl_plan *plan);

#endif
