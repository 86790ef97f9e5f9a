/* SPDX-License-Identifier: Apache-2.0
 * cmd_run_options.h - the command line of `talon run`. */
#ifndef TL_HARNESS_RUN_RUN_OPTIONS_H
#define TL_HARNESS_RUN_RUN_OPTIONS_H

#include "harness/check/recording.h"
#include "harness/check/report_file.h"
#include "harness/run/run.h"

#include <netinet/in.h>

enum tl_colour { TL_COLOUR_AUTO, TL_COLOUR_ALWAYS, TL_COLOUR_NEVER };

enum { TL_REPORTS_MAX = 8, TL_AGAIN_MAX = 2400 };

struct tl_run_options {
    struct tl_run run;
    const char *connections;              /* the file, as it was given, or NULL */
    const char *sut;                      /* as it was given */
    const char *psp_keys, *esp_keys;      /* files, as they were given, or NULL */
    const char *twins;                    /* likewise, or NULL */
    const char *network;                  /* likewise */
    struct tl_recording_config recording; /* of --sut pcap:; its path is NULL without */
    char *recording_path;                 /* memory of it */
    const char *capture_speed;            /* as it was given, or NULL */
    bool fast;
    const char **paths;
    size_t num_paths;
    struct tl_report_spec reports[TL_REPORTS_MAX];
    size_t num_reports;
    enum tl_junit_flavor junit;
    struct tl_select select;
    struct tl_given_params params; /* of --param; those of a profile stand behind them */
    char params_again[400];        /* as they were given */
    char copies_again[20];         /* of --copies */
    char allow_again[TL_ALLOWED_MAX *
                     (INET6_ADDRSTRLEN + 10)]; /* likewise, addresses of --allow */
    const char *profile, *ics, *ixit, *waivers, *out_dir, *date;
    const char *host_check, *path_check; /* files, or NULL */
    struct tl_bench_facts facts;
    unsigned shard, shards;
    enum tl_colour colour;
    bool list, dry_run, check_only, help, strict, verbose;
    char again[TL_AGAIN_MAX];
};

extern const char *const tl_run_usage[]; /* parts of one text; the last is NULL */

/* Reads the command line; *o has its defaults and room for `argc` paths. 0, or TL_STATUS_USAGE
 * after one line on standard error. o->run.again points into *o. */
int tl_run_options_read(int argc, char **argv, struct tl_run_options *o);

/* Frees what reading has allocated; not `paths`. */
void tl_run_options_free(struct tl_run_options *o);

/* One line on standard error; returns TL_STATUS_USAGE. */
int tl_run_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
