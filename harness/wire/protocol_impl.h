/* SPDX-License-Identifier: Apache-2.0
 * protocol_impl.h - shapes that the tables of the control protocol share. */
#ifndef TL_HARNESS_WIRE_PROTOCOL_IMPL_H
#define TL_HARNESS_WIRE_PROTOCOL_IMPL_H

#include "harness/wire/protocol.h"

/* A line: what it does not know belongs to a newer version; null is the same as absent. */
#define LINE .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, .null_is_absent = true

extern const struct fal_shape tl_proto_epoch, tl_proto_conn, tl_proto_wide, tl_proto_ns,
    tl_proto_code, tl_proto_op, tl_proto_answer, tl_proto_params, tl_proto_sa, tl_proto_u24,
    tl_proto_bytes, tl_proto_commands, tl_proto_reply, tl_proto_events, tl_proto_lockstep,
    tl_proto_lockstep_answer, tl_proto_entry, tl_proto_ticks, tl_proto_cc;

#endif
