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
    tl_proto_lockstep_answer, tl_proto_entry, tl_proto_ticks, tl_proto_cc, tl_proto_id,
    tl_proto_seq;

/* The words of the verbs (protocol_verbs.c). */
extern const struct fal_shape tl_proto_verbs[FAL_VERBS_COMMANDS], tl_proto_verbs_commands,
    tl_proto_verbs_reply, tl_proto_verbs_events, tl_proto_upper;
/* The place of an event of the verbs in the sequence. Returns as fal_shape_read. */
MUST_USE int tl_proto_verbs_event_read(enum fal_verbs_kind word, const json_t *object,
                                       struct tl_protocol_event *out, struct fal_misfit *wrong);
/* As tl_protocol_event_write. */
json_t *tl_proto_verbs_event_write(const struct tl_protocol_event *event);

#endif
