/* SPDX-License-Identifier: Apache-2.0
 * sender.h - the fixed functions of a sending flow around a logic: stage 1 of incoming, the
 * retransmission timer, the choice of the next segment (lost before new), credit [S1 3.2, 3.3].
 * Time is an argument in ns that never goes back. */
#ifndef FAL_ORACLES_LOGIC_SENDER_H
#define FAL_ORACLES_LOGIC_SENDER_H

#include "oracles/logic/fault.h"
#include "oracles/logic/logic.h"
#include "oracles/logic/packet.h"

struct fal_logic_sender {
    struct fal_logic_flow flow;
    struct fal_logic_config config;
    const struct fal_logic *logic; /* the caller's */
    struct fal_logic_seam seam;    /* the planted fault */
    uint32_t first, posted;        /* ids: the first of the flow, one above the last posted */
    uint32_t window;               /* that the receiver told */
    uint64_t grant, credit_ns;     /* tokens got in all; when the credit was counted */
    uint32_t barren;               /* timeouts since the window moved */
    bool given_up;                 /* after config.retries of them: nothing is sent any more */
    uint64_t key;                  /* of payloads */
    uint16_t short_bytes[FAL_LOGIC_WINDOW]; /* by id % 256; 0: a whole segment */
};

enum fal_logic_wait {
    FAL_LOGIC_GO,        /* a segment may be sent now */
    FAL_LOGIC_NO_WORK,   /* nothing is posted and unsent, nothing is lost */
    FAL_LOGIC_NO_WINDOW, /* an acknowledgement opens it */
    FAL_LOGIC_NO_CREDIT, /* time brings it */
    FAL_LOGIC_NO_TOKEN,
};

/* A flow whose first segment has the id `first`. `config` is copied. */
void fal_logic_sender_init(struct fal_logic_sender *s, const struct fal_logic *logic,
                           const struct fal_logic_config *config, uint32_t first,
                           uint64_t now_ns);
/* The user gives one more segment of `bytes` bytes, 1 to segment_bytes. Returns false, and
 * takes nothing, when 256 segments are posted and not acknowledged. */
bool fal_logic_sender_post(struct fal_logic_sender *s, uint32_t bytes);
/* Feedback came: stage 1 and the logic. Feedback for segments never sent is ignored. */
void fal_logic_sender_feedback(struct fal_logic_sender *s, const struct fal_logic_reply *reply,
                               uint64_t now_ns);
/* Calls periodic for timers that are due. Returns whether a retransmission timeout happened. */
bool fal_logic_sender_timers(struct fal_logic_sender *s, uint64_t now_ns);
/* When fal_logic_sender_timers has to be called; UINT64_MAX: never. */
uint64_t fal_logic_sender_deadline(const struct fal_logic_sender *s);
/* Chooses the segment `*id` that may be sent now; with NO_CREDIT, it may be sent at *at_ns. */
enum fal_logic_wait fal_logic_sender_next(struct fal_logic_sender *s, uint64_t now_ns,
                                          uint32_t *id, uint64_t *at_ns);
/* Sends that segment: takes the credit, counts, starts the timer. */
void fal_logic_sender_send(struct fal_logic_sender *s, uint32_t id, uint64_t now_ns,
                           struct fal_logic_packet *out);
/* Returns true if every posted segment is acknowledged. */
bool fal_logic_sender_done(const struct fal_logic_sender *s);

/* ---- parts that the engine (engine.h) uses too ---- */

/* Stage 1 of incoming: window, bitmaps, tokens. `in` is filled in. Returns false when there is
 * nothing to tell the logic. */
bool fal_logic_stage_one(struct fal_logic_sender *s, const struct fal_logic_reply *reply,
                         uint64_t now_ns, struct fal_logic_in *in);
/* The segment to generate next by window and marks, regardless of credit. */
enum fal_logic_wait fal_logic_pick(struct fal_logic_sender *s, uint32_t *id);
/* The segment leaves the set of what is to be generated. */
void fal_logic_generated(struct fal_logic_sender *s, uint32_t id);
uint32_t fal_logic_bytes(const struct fal_logic_sender *s, uint32_t id);
/* The payload's digest of segment number `number` (from 0) of a flow with that key. */
uint64_t fal_logic_digest(uint64_t key, uint32_t number);

#endif
