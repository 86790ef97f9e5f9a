/* SPDX-License-Identifier: Apache-2.0
 * bench_words.h - the bench file as options: verbs that name a SUT are run as if the options of
 * the file stood before those of the command line. */
#ifndef TL_HARNESS_CLI_BENCH_WORDS_H
#define TL_HARNESS_CLI_BENCH_WORDS_H

#include "codecs/base/error.h"
#include "harness/cli/cmd.h"

/* Runs the verb with the options of `--bench FILE`, or of ./talon.json if it exists. Options on
 * the command line replace those of the file. Returns the exit status. */
MUST_USE int tl_bench_run(const struct tl_cmd *verb, int argc, char **argv);

#endif
