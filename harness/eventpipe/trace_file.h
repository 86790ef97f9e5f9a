/* SPDX-License-Identifier: Apache-2.0
 * trace_file.h - writes events of a pipeline as lines of JSON, and the setup as an object
 * (oracles/beyond/eventpipe_shape.h). */
#ifndef TL_HARNESS_EVENTPIPE_TRACE_FILE_H
#define TL_HARNESS_EVENTPIPE_TRACE_FILE_H

#include "codecs/json/shape.h"
#include "oracles/beyond/eventpipe.h"

#include <stdio.h>

/* All 0 at first. */
struct tl_ep_trace_file {
    FILE *file;
    const char *name; /* borrowed; for messages */
    struct fal_shape_text text;
    bool failed; /* memory ran out */
};

/* Creates the file. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_ep_trace_open(struct tl_ep_trace_file *trace, const char *name,
                              struct fal_error *err);
/* Adds a line; what goes wrong is kept until the file is closed. */
void tl_ep_trace_put(struct tl_ep_trace_file *trace, const struct fal_ep_event *event);
/* Returns 0, or FAL_ERR_IO or FAL_ERR_MEM with `err` when a line could not be written. A file
 * that was never opened is allowed. */
MUST_USE int tl_ep_trace_close(struct tl_ep_trace_file *trace, struct fal_error *err);

/* Writes the setup into a file of its own. Returns 0, FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_ep_setup_write(const char *name, const struct fal_ep_setup *setup,
                               struct fal_error *err);

#endif
