/* SPDX-License-Identifier: Apache-2.0
 * tp_line.h - one line of JSON of transport events (docs/transport-logic.md): an event, what is
 * declared of the transport of a flow, or until when a flow was observed. */
#ifndef TL_HARNESS_TRANSPORT_TP_LINE_H
#define TL_HARNESS_TRANSPORT_TP_LINE_H

#include "codecs/base/error.h"
#include "oracles/beyond/transport.h"

#include <jansson.h>

enum tl_tp_line { TL_TP_EMPTY, TL_TP_EVENT, TL_TP_ROW, TL_TP_END };

/* Reads a line. ROW sets event->flow and the members of *row that the line has, END sets
 * event->flow and event->at_ns, the end of the observation. Returns a
 * number of enum tl_tp_line, or FAL_ERR_FORM with `err`: the member and what was expected. */
MUST_USE int tl_tp_line_read(const char *line, size_t len, struct fal_tp_event *event,
                             struct fal_tp_row *row, struct fal_error *err);

#endif
