/* SPDX-License-Identifier: Apache-2.0
 * tp_row.h - what is declared of a transport (oracles/beyond/transport.h) as text and JSON. */
#ifndef TL_HARNESS_TRANSPORT_TP_ROW_H
#define TL_HARNESS_TRANSPORT_TP_ROW_H

#include "codecs/base/error.h"
#include "oracles/beyond/transport.h"

#include <jansson.h>

/* Sets a member from "KEY=VALUE": "max_window=64", "rto_min_ns=200ms" (a time may have a unit),
 * "selective=yes", "repair=go-back-n". Returns 0, or FAL_ERR_FORM with `err`: the key, what was
 * expected, and the keys that there are. */
MUST_USE int tl_tp_row_set(struct fal_tp_row *row, const char *text, struct fal_error *err);

/* Reads an object whose members have the names of those of the struct. Members that it lacks
 * stay. The name is not read. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_tp_row_read(struct fal_tp_row *row, const json_t *object,
                            struct fal_error *err);

#endif
