/* SPDX-License-Identifier: Apache-2.0
 * cmd.h - the verbs of the command line. Each takes its arguments with argv[0] the verb and
 * returns the exit status (design: 0 every verdict passed, 1 something failed, 2 the command or
 * its input is wrong, 3 inconclusive, 4 error). Results go to standard output, all else to
 * standard error. */
#ifndef TL_HARNESS_CLI_CMD_H
#define TL_HARNESS_CLI_CMD_H

#include "reports/base/status.h"

#include <stddef.h>

int tl_cmd_capture(int argc, char **argv); /* fuzz/field/cmd_capture.c */
int tl_cmd_cc(int argc, char **argv);
int tl_cmd_certify(int argc, char **argv);
int tl_cmd_check(int argc, char **argv);
int tl_cmd_check_roce(int argc, char **argv); /* harness/cli/roce/check_roce.c */
int tl_cmd_diagnose(int argc, char **argv);
int tl_cmd_diff(int argc, char **argv);
int tl_cmd_decode(int argc, char **argv);
int tl_cmd_encode(int argc, char **argv);
int tl_cmd_eventpipe(int argc, char **argv); /* harness/eventpipe/cmd_eventpipe.c */
int tl_cmd_explain(int argc, char **argv);
int tl_cmd_explore(int argc, char **argv); /* fuzz/explore/cmd_explore.c */
int tl_cmd_fmt(int argc, char **argv);     /* harness/cli/author/cmd_fmt.c */
int tl_cmd_fuzz(int argc, char **argv);    /* fuzz/hunt/cmd_fuzz.c */
int tl_cmd_help(int argc, char **argv);
int tl_cmd_history(int argc, char **argv); /* harness/cli/history/cmd_history.c */
int tl_cmd_host_check(int argc, char **argv);
int tl_cmd_init(int argc, char **argv);
int tl_cmd_lab(int argc, char **argv); /* harness/lab/cmd_lab.c */
int tl_cmd_list(int argc, char **argv);
int tl_cmd_logic(int argc, char **argv); /* harness/logic/cmd_logic.c */
int tl_cmd_new(int argc, char **argv);   /* harness/cli/author/cmd_new.c */
int tl_cmd_path_check(int argc, char **argv);
int tl_cmd_report(int argc, char **argv);
int tl_cmd_run(int argc, char **argv);
int tl_cmd_shrink(int argc, char **argv); /* fuzz/hunt/cmd_shrink.c */
int tl_cmd_sut(int argc, char **argv);
int tl_cmd_sut_check(int argc, char **argv);

/* The options that a verb reads from the bench file (bench_words.h). */
enum tl_bench_use {
    TL_BENCH_NONE,
    TL_BENCH_SUT,     /* --sut and --control */
    TL_BENCH_ALL,     /* also --ics, --ixit, --waivers, --profile */
    TL_BENCH_ADAPTER, /* --control, or the adapter without an option */
};

struct tl_cmd {
    const char *name;
    int (*run)(int argc, char **argv);
    enum tl_bench_use bench;
};

/* The verb whose name is most like `name`; NULL: none is near. harness/talon.c */
const char *tl_cmd_nearest(const char *name);

/* The i-th verb, in the order of their names; NULL: there are fewer. harness/talon.c */
const struct tl_cmd *tl_cmd_at(size_t i);

/* The verb of that name; NULL: there is none. harness/talon.c */
const struct tl_cmd *tl_cmd_find(const char *name);

#endif
