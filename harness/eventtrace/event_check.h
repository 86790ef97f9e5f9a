/* SPDX-License-Identifier: Apache-2.0
 * event_check.h - `talon check --event-trace`: judges a trace by the rules EP1 to EP13. */
#ifndef TL_HARNESS_EVENTTRACE_EVENT_CHECK_H
#define TL_HARNESS_EVENTTRACE_EVENT_CHECK_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"

#include <stdbool.h>
#include <stdio.h>

#define TL_EVENT_CHECK_SCHEMA "talon/event-check/1"
extern const struct fal_shape tl_event_check_shape;

struct tl_event_check {
    const char *trace, *setup; /* files; setup NULL: nothing is declared */
    bool json;
};

/* Reads both files, judges and prints the report. Returns the exit status of the verdict; or a
 * negative code of enum fal_err with `err`, and nothing was printed. */
MUST_USE int tl_event_check(const struct tl_event_check *check, FILE *out,
                            struct fal_error *err);

#endif
