/* SPDX-License-Identifier: Apache-2.0
 * check_shards.h - `talon check --shard` and `talon check --merge`. */
#ifndef TL_HARNESS_CLI_CHECK_CHECK_SHARDS_H
#define TL_HARNESS_CLI_CHECK_CHECK_SHARDS_H

#include "harness/check/check_options.h"
#include "harness/cli/check/check_judge.h"

/* The words of a command line that are about judging, for the part of a shard: an array, or
 * NULL when out of memory. */
json_t *tl_check_shard_words(int argc, char *const *argv);

/* Judges the command's shard of the files, which are parts of one capture, and writes its part.
 * `words` are those of the command. Returns the exit status. */
int tl_check_shard_files(const struct tl_check_telling *telling,
                         const struct tl_check_command *command, const json_t *words,
                         char *const *files, size_t num);

/* Opens the parts that are the command's files, and reads the options that they are about into
 * the command, ready for judging. NULL after an error was printed. The caller closes them when
 * it has freed the command. */
struct tl_parts *tl_check_shards_open(struct tl_check_command *command, const json_t *words);
/* Merges the parts and prints the report. Returns the exit status. */
int tl_check_shards_merge(const struct tl_check_telling *telling,
                          const struct tl_check_command *command, struct tl_parts *parts);

#endif
