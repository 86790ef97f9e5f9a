/* SPDX-License-Identifier: Apache-2.0
 * session_impl.h - functions that the files of the session (session*.c, bridge.c) share. Others
 * include session.h. */
#ifndef TL_HARNESS_SESSION_SESSION_IMPL_H
#define TL_HARNESS_SESSION_SESSION_IMPL_H

#include "codecs/base/error.h"
#include "harness/session/session.h"

/* Resources and filters: each end has its own, of which the other end knows nothing. */
enum {
    TL_PARAMS_OF_AN_END = FAL_PARAM_AT_xlr_initiator,
    TL_PARAMS_OF_BOTH = FAL_PARAM_AT_net_buf_rx + 1
};

/* A packet on its way between the tester's endpoint and the place where packets are stamped. */
struct tl_passing {
    struct tl_packet packet; /* for a packet that arrived: at_ns is its arrival time */
    bool corrupt, mark, rewritten;
    /* For a packet that a bridge forwards, the frame as it arrived: */
    const uint8_t *whole;
    size_t whole_len;
    size_t at, ip_at; /* as of struct tl_recorded_frame */
};

/* ---- the timeline (session.c, session_packet.c) ---- */

/* Gives the event its index and its time, not before that of the last one, and hands it to the
 * judge and the timeline. */
void tl_session_emit(struct tl_session *session, struct fal_event *event, uint64_t t_ns);
/* Puts an act of the bench on the timeline. */
void tl_session_bench(struct tl_session *session, const struct fal_ev_bench *bench);
/* Puts a packet on the timeline and into the log, at packet->at_ns. */
void tl_session_record(struct tl_session *session, const struct tl_packet *packet);

/* ---- what arrives ---- */

/* Takes a frame from the link: opens, decodes and records it, and passes it on to the tester's
 * endpoint. */
void tl_session_frame(struct tl_session *session, const struct tl_link_got *got);
/* A frame that another copy sent on this connection. */
void tl_session_other(struct tl_session *session, const struct tl_link_got *got);
/* Takes a line of the SUT's control channel. */
void tl_session_line(struct tl_session *session, const struct tl_link_got *got);

/* ---- seals (session_seal.c) ---- */

/* Adds the tester's keys to the command `open`. Returns 0, or an error and the session is
 * broken. */
MUST_USE int tl_session_seal_open(struct tl_session *session, json_t *command);
/* The same for a command as a struct, which borrows *sa: a new reference, or NULL. */
struct tl_protocol_command;
MUST_USE int tl_session_seal_order(struct tl_session *session,
                                   struct tl_protocol_command *command, json_t **sa);
/* Reads the SUT's keys from its answer to `open`. 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_session_seal_opened(struct tl_session *session,
                                    const struct tl_upper_line *reply, struct fal_error *err);
/* Replaces the plain bytes by the sealed ones. Returns 0, or the session is broken. */
MUST_USE int tl_session_seal(struct tl_session *session, const struct tl_sealing *how,
                             const uint8_t **bytes, size_t *len);
/* Opens a frame of the SUT and decodes the packet in it. Returns false if the frame cannot be
 * opened; the timeline says so. */
bool tl_session_unseal(struct tl_session *session, const struct tl_link_got *got,
                       struct tl_packet *out);
void tl_session_seal_free(struct tl_session *session);

/* ---- the gate (session_gate.c) ---- */

/* Takes a packet through the gate, in the direction passing->packet.dir. */
void tl_session_pass(struct tl_session *session, const struct tl_passing *passing);
/* Puts the packets that the simulated network lost since the last call on the timeline; the
 * judge does not read them. */
void tl_session_losses(struct tl_session *session);
/* When the next packet that is held back is due; FAL_NEVER: none. */
uint64_t tl_session_gate_deadline(const struct tl_session *session);
/* Delivers the held packets that are due. True when there was one. */
bool tl_session_gate_tick(struct tl_session *session);
void tl_session_gate_clear(struct tl_session *session);

/* ---- lost time (session_time.c) ---- */

static inline uint64_t tl_session_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* On a live link with control the tester sends a command every 10 ms, to see whether the SUT's
 * process answers. These commands are not on the timeline. Returns when the next one is due;
 * FAL_NEVER: never. */
uint64_t tl_session_beat_deadline(const struct tl_session *session);
/* Sends it when it is due. */
void tl_session_beat(struct tl_session *session);
/* Takes the answer. Returns false if it answers another command. */
bool tl_session_beat_answered(struct tl_session *session, int64_t id, uint64_t at_ns);
/* Notes that the SUT's process did not run, or did not answer, for by_ns. */
void tl_session_sut_late(struct tl_session *session, uint64_t by_ns);

/* ---- the tester's endpoint (session_ulp.c) ---- */

/* Keeps the number of the event of an upper layer that was kept last (words/session_words.h)
 * among the events for which steps wait. */
void tl_session_keep_word_number(struct tl_session *session, enum tl_side side,
                                 const char *layer, uint64_t t_ns);

/* Reads the counters in a reply to `counters`. */
void tl_session_counts(const struct tl_upper_line *line, uint64_t *received, uint64_t *sent);

/* Like tl_session_input, at now_ns: the clock advances meanwhile. */
MUST_USE int tl_session_input_at(struct tl_session *session, const struct fal_endpoint_in *in,
                                 uint64_t now_ns, uint32_t *rsn);

#endif
