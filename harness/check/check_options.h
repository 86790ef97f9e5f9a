/* SPDX-License-Identifier: Apache-2.0
 * check_options.h - the options of `talon check`. */
#ifndef TL_HARNESS_CHECK_CHECK_OPTIONS_H
#define TL_HARNESS_CHECK_CHECK_OPTIONS_H

#include "codecs/base/error.h"
#include "harness/check/check.h"
#include "harness/check/report_file.h"
#include "harness/doc/options.h"

enum { TL_CHECK_REPORTS_MAX = 8 };

struct tl_rule_list {
    const char *ids[FAL_RULES_MAX + 1]; /* NULL at the end */
    size_t num;
};

struct tl_check_command {
    struct tl_texts files;
    struct tl_check_options options;
    struct tl_rule_list only, skip;
    json_t *connections;            /* the file */
    const json_t *connections_list; /* in it, or NULL */
    const char *connections_path;
    const char *reports[TL_CHECK_REPORTS_MAX]; /* "FORMAT:FILE", which can be read */
    size_t num_reports;
    enum tl_junit_flavor junit;
    enum { TL_CHECK_TEXT, TL_CHECK_JSON } format;
    unsigned falcon_port;                  /* 0: the default */
    const char *event_trace, *event_setup; /* of an event pipeline; NULL: none */
    bool join, in_order;
    const char *part;     /* --shard: the file that the shard's results go to */
    const char *readings; /* of shards: what others showed; or NULL */
    bool merge;           /* the files are parts */
};

extern const struct tl_options tl_check_options_table;

/* Fills in the defaults. tl_check_command_free frees what reading adds. */
void tl_check_command_init(struct tl_check_command *command);
/* When all options are read: sets what follows from several of those about judging, and checks
 * these against each other. The same returns as below. */
MUST_USE int tl_check_judging_ready(struct tl_check_command *command, struct fal_error *err);
/* When all options are read: sets what follows from several of them, and checks them against
 * each other. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_check_command_ready(struct tl_check_command *command, struct fal_error *err);
void tl_check_command_free(struct tl_check_command *command);

#endif
