/* SPDX-License-Identifier: Apache-2.0
 * event_check.h - `talon check --event-trace`: judges a trace by the rules EP1 to EP13. */
#ifndef TL_HARNESS_EVENTTRACE_EVENT_CHECK_H
#define TL_HARNESS_EVENTTRACE_EVENT_CHECK_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "oracles/beyond/tally.h"

#include <stdbool.h>
#include <stdio.h>

#define TL_EVENT_CHECK_SCHEMA "talon/event-check/1"
extern const struct fal_shape tl_event_check_shape;

/* A trace on its way to the rules. */
struct tl_event_check;

/* `setup` is the file that declares the pipeline, which is read when the first event comes;
 * NULL: nothing is declared. NULL with `err`. */
struct tl_event_check *tl_event_check_new(const char *setup, struct fal_error *err);
void tl_event_check_free(struct tl_event_check *check); /* NULL is fine */

/* Judges a whole file, "-" for standard input, in place of lines: a trace, or a timeline of
 * Falcon, whose pipeline is known. Returns 0; FAL_ERR_FORM, FAL_ERR_IO, FAL_ERR_MEM with `err`.
 */
MUST_USE int tl_event_check_file(struct tl_event_check *check, const char *path,
                                 struct fal_error *err);
/* Judges the next line of a trace, without its newline. The same returns; after an error the
 * line counts as if it were not there. */
MUST_USE int tl_event_check_line(struct tl_event_check *check, const char *line, size_t len,
                                 struct fal_error *err);
/* The trace is over. */
void tl_event_check_end(struct tl_event_check *check);

/* What was found so far, complete after the end; it belongs to the check. NULL: nothing was
 * judged. */
const struct fal_tally *tl_event_check_tally(const struct tl_event_check *check);
/* Prints the report. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_event_check_print(const struct tl_event_check *check, bool json, FILE *out);

#endif
