/* SPDX-License-Identifier: Apache-2.0
 * complete.h - what a shell can offer for the word at the cursor. The scripts for bash, zsh and
 * fish (harness/cli/shell/talon.*) ask the program itself, so that its tables are the only
 * source. Each offer is a line: the word, a tab, and what it is. A line ":files" lets the shell
 * add names of files. */
#ifndef TL_HARNESS_CLI_SHELL_COMPLETE_H
#define TL_HARNESS_CLI_SHELL_COMPLETE_H

#include "harness/doc/options.h"

#include <stdio.h>

/* `words` are the words after the verb; the last is the one at the cursor, perhaps "". `usage`
 * is the help of the verb: its synopsis names the actions. */
void tl_complete(FILE *out, const struct tl_options *options, const char *usage, int count,
                 char *const *words);

/* One offer, if `word` begins with `start`. `before` is put before the word, or NULL. */
void tl_offer(FILE *out, const char *start, const char *before, const char *word,
              const char *what);

/* Offers for the value of an option, or for an argument, of a verb. `name` is that of the row
 * ("--sut", "PATH"), `value` how the help calls it ("FILE"). */
void tl_complete_value(FILE *out, const char *verb, const struct tl_option *row,
                       const char *start, const char *before);

#endif
