/* SPDX-License-Identifier: Apache-2.0
 * run_setup.h - derives what the runner needs from a request: addresses, keys, selections. */
#ifndef TL_HARNESS_RUN_RUN_SETUP_H
#define TL_HARNESS_RUN_RUN_SETUP_H

#include "codecs/base/error.h"
#include "harness/check/recording.h"
#include "harness/check/report_file.h"
#include "harness/claims/sut_map.h"
#include "harness/doc/shard.h"
#include "harness/run/request.h"
#include "harness/run/run.h"
#include "harness/session/bench_facts.h"

enum { TL_REPORTS_MAX = 8 };

struct tl_stepper;

/* What a shard plays: the request as --shard and --sut-map complete it. */
struct tl_run_share {
    struct tl_request request; /* texts are borrowed from the given one, the map and `shard` */
    struct tl_sut_map map;
    char shard[32]; /* "3/8", also of --shard auto */
};

struct tl_run_setup {
    const struct tl_request *request;     /* borrowed; it outlives this. Or that of `share`. */
    const char *sut;                      /* what the results call the SUT */
    struct tl_run_share *share;           /* with --shard; or NULL */
    struct tl_run run;                    /* without cases and documents */
    struct tl_recording_config recording; /* of --sut pcap:; its path is NULL without */
    char *recording_path;                 /* memory of the path */
    struct tl_report_spec reports[TL_REPORTS_MAX];
    size_t num_reports;
    struct tl_select select;
    struct tl_given_params params; /* of --param */
    struct tl_shard shard;         /* 0 of 0: the whole */
    char *again;                   /* memory of run.again */
    char *again_whole;             /* likewise */
    struct tl_stepper *stepper;    /* who stops the steps; the caller's; or NULL */
    struct tl_bench_facts
        facts; /* measured facts of host and path; the caller loads and frees them */
};

/* Reads every value of the request, loads the key files and the connections that it names, and
 * checks the options against each other. Returns 0, FAL_ERR_FORM or FAL_ERR_MEM with `err`,
 * which names the option; tl_run_setup_free is due in any case. */
MUST_USE MUST_USE int tl_run_setup(struct tl_run_setup *setup, const struct tl_request *request,
                                   struct fal_error *err);
void tl_run_setup_free(struct tl_run_setup *setup);

#endif
