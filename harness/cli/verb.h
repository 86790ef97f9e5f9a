/* SPDX-License-Identifier: Apache-2.0
 * verb.h - shared by all verbs: reading options by a table, printing help, reporting an error
 * in one form. */
#ifndef TL_HARNESS_CLI_VERB_H
#define TL_HARNESS_CLI_VERB_H

#include "codecs/base/error.h"
#include "harness/doc/options.h"

enum { TL_VERB_GO = -1 };

/* Reads the command line of a verb into `into`, which has its defaults (options.h). `usage` is
 * the text of the help; its line "@options" stands for the options. Returns TL_VERB_GO, or the
 * exit status after the help or an error was printed. */
MUST_USE int tl_verb_read(const struct tl_options *options, const char *usage, int argc,
                          char *const *argv, void *into);

/* Prints "talon VERB: WHAT; see talon VERB --help" on standard error. Returns TL_STATUS_USAGE.
 */
MUST_USE int tl_verb_wrong(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints "talon VERB: WHAT" on standard error. Returns TL_STATUS_ERROR when `code` says that
 * memory ran out, else TL_STATUS_USAGE. */
MUST_USE int tl_verb_failed(const char *verb, int code, const struct fal_error *err);

/* For verbs that play cases, which allocate and free memory thousands of times: memory stays in
 * the process, and is asked of the system in large pieces. */
void tl_verb_keep_heap(void);

/* Prints the text of the help. */
void tl_verb_help(const struct tl_options *options, const char *usage);

#endif
