/* SPDX-License-Identifier: Apache-2.0
 * pages.h - the man pages and the completion of all verbs. Each verb answers with its own
 * table: tl_verb_read knows the words below. */
#ifndef TL_HARNESS_CLI_SHELL_PAGES_H
#define TL_HARNESS_CLI_SHELL_PAGES_H

/* As the last word of a command line, with the name of the page: print the man page. */
#define TL_HELP_MAN "--help=man:"
/* As the first word: offer completions for the last word. */
#define TL_HELP_COMPLETE "--help=complete"
/* As the verb: offer completions of a whole command line; the shells use it. */
#define TL_COMPLETE_VERB "--complete"

/* `talon help man [NAME|pages]`; argv[0] is "man". Returns the exit status. */
int tl_help_man(int argc, char **argv);

/* `talon --complete WORD...`: the words after `talon`, up to the cursor. */
int tl_complete_line(int argc, char **argv);

#endif
