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

/* A command or an event that has the members of a word. */
#define WORD_COMMAND(word, shape)                                                           \
    {                                                                                       \
        LINE,                                                                               \
            .members =                                                                      \
                (const struct fal_member[]){                                                \
                    {"id", &tl_proto_id, FAL_MUST, FAL_AT(struct tl_protocol_command, id)}, \
                    {"epoch", &tl_proto_epoch, FAL_MUST,                                    \
                     FAL_AT(struct tl_protocol_command, epoch)},                            \
                    {"do", FAL_ONE_WORD(word), .flags = FAL_MUST},                          \
                    {"", shape, .flags = FAL_MUST | FAL_FLAT}},                             \
            .num_members = 4                                                                \
    }
#define WORD_EVENT(word, shape)                                                              \
    {                                                                                        \
        LINE,                                                                                \
            .members =                                                                       \
                (const struct fal_member[]){                                                 \
                    {"seq", &tl_proto_seq, FAL_MUST, FAL_AT(struct tl_protocol_event, seq)}, \
                    {"epoch", &tl_proto_epoch, FAL_MUST,                                     \
                     FAL_AT(struct tl_protocol_event, epoch)},                               \
                    {"event", FAL_ONE_WORD(word), .flags = FAL_MUST},                        \
                    {"", shape, .flags = FAL_MUST | FAL_FLAT}},                              \
            .num_members = 4                                                                 \
    }

/* The words of the verbs (protocol_verbs.c). */
extern const struct fal_shape tl_proto_verbs[FAL_VERBS_KINDS], tl_proto_verbs_commands,
    tl_proto_verbs_reply, tl_proto_verbs_events, tl_proto_upper;
/* Those of NVMe (protocol_nvme.c). */
extern const struct fal_shape tl_proto_nvme[FAL_NVME_KINDS], tl_proto_nvme_commands,
    tl_proto_nvme_reply, tl_proto_nvme_events;
/* The line of a word, by its number (protocol_words.c). */
const struct fal_shape *tl_proto_word(enum tl_upper_layer upper, unsigned kind);
/* The place of an event of an upper layer in the sequence. Returns as fal_shape_read;
 * FAL_ERR_TYPE: there is no such event. */
MUST_USE int tl_proto_word_event_read(const char *name, const json_t *object,
                                      struct tl_protocol_event *out, struct fal_misfit *wrong);
/* As tl_protocol_event_write. */
json_t *tl_proto_word_event_write(const struct tl_protocol_event *event);

#endif
