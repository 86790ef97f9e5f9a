/* SPDX-License-Identifier: Apache-2.0
 * check_options.h - the command line of `talon check`. */
#ifndef TL_HARNESS_CHECK_CHECK_OPTIONS_H
#define TL_HARNESS_CHECK_CHECK_OPTIONS_H

#include "harness/check/check.h"
#include "harness/check/report_file.h"

enum { TL_CHECK_REPORTS_MAX = 8 };

struct tl_rule_list {
    const char *ids[FAL_RULES_MAX + 1]; /* NULL at the end */
    size_t num;
};

struct tl_check_command {
    struct tl_check_options options;
    struct tl_rule_list only, skip;
    json_t *connections;            /* the file */
    const json_t *connections_list; /* in it, or NULL */
    const char *connections_path;
    struct tl_report_spec reports[TL_CHECK_REPORTS_MAX];
    size_t num_reports;
    enum tl_junit_flavor junit;
    bool json, join;
};

/* Reads the options; `argv` is put in order and optind names the first file. 0, a status above
 * 0 with one line on standard error, or -1: the usage was asked for. */
int tl_check_options_read(struct tl_check_command *command, int argc, char **argv);
void tl_check_options_free(struct tl_check_command *command);

/* One line on standard error; returns the status. */
int tl_check_complain(int status, const char *what, const char *about);

extern const char tl_check_usage[];

#endif
