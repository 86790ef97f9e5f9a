/* SPDX-License-Identifier: Apache-2.0
 * trace_read.h - reads traces of event pipelines: a file of lines (oracles/beyond/eventpipe.h)
 * and the file that declares the setup (docs/event-pipeline-rules.md). Errors name the file,
 * the line, the member and what was expected. */
#ifndef TL_HARNESS_EVENTTRACE_TRACE_READ_H
#define TL_HARNESS_EVENTTRACE_TRACE_READ_H

#include "codecs/base/error.h"
#include "oracles/beyond/eventpipe.h"

#include <stddef.h>

#define TL_EVENT_TRACE_SCHEMA "talon/event-trace/1"
#define TL_EVENT_SETUP_SCHEMA "talon/event-setup/1"

/* Reads one line, without its newline, into `out`; `number` is left as it is. Returns 0,
 * FAL_ERR_FORM or FAL_ERR_MEM with `err`, which names the member or the column. */
MUST_USE int tl_event_line_read(const char *text, size_t len, struct fal_ep_event *out,
                                struct fal_error *err);

/* Reads the text of a setup. The same errors. */
MUST_USE int tl_event_setup_parse(const char *text, size_t len, struct fal_ep_setup *out,
                                  struct fal_error *err);

/* Reads the file of a setup. FAL_ERR_IO, too. */
MUST_USE int tl_event_setup_read(const char *path, struct fal_ep_setup *out,
                                 struct fal_error *err);

/* Takes an event of a trace. */
typedef void tl_event_fn(void *ctx, const struct fal_ep_event *event);

/* Reads a trace ("-": standard input) and gives each event to `take`, its `number` being that
 * of the line. Empty lines are skipped. `*events` counts them. Returns 0, or as above: also if
 * a time lies before that of the line before it, or the trace is empty. */
MUST_USE int tl_event_trace_read(const char *path, tl_event_fn *take, void *ctx,
                                 uint64_t *events, struct fal_error *err);

#endif
