/* SPDX-License-Identifier: Apache-2.0
 * man.h - man pages of the verbs, from their usage texts and option tables. */
#ifndef TL_HARNESS_CLI_SHELL_MAN_H
#define TL_HARNESS_CLI_SHELL_MAN_H

#include "harness/doc/options.h"

#include <stdio.h>

enum { TL_VERB_TEXT_MAX = 200 };

/* Copies what the overview (usage/help.txt) says of a verb, or of a verb and its action as
 * "logic check"; "" if there is no such verb. */
void tl_verb_summary(const char *verb, char out[TL_VERB_TEXT_MAX]);

/* Writes the page talon-NAME(1) of a verb. `verb` is its name, with that of an action that has
 * options of its own ("logic check"). `usage` is its help, whose first lines are the synopsis,
 * and whose line "@options" stands for the options. */
void tl_man_verb(FILE *out, const char *verb, const struct tl_options *options,
                 const char *usage);

/* Writes talon(1) from the overview of the verbs. */
void tl_man_overview(FILE *out);

#endif
