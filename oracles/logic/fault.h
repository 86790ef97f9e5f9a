/* SPDX-License-Identifier: Apache-2.0
 * fault.h - planted faults of the kit. Each breaks one rule, which it names, and acts at a seam
 * of sender or receiver, so that the logics themselves know of no fault. */
#ifndef FAL_ORACLES_LOGIC_FAULT_H
#define FAL_ORACLES_LOGIC_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_logic_in;
struct fal_logic_packet;
struct fal_logic_receiver;
struct fal_logic_reply;
struct fal_logic_sender;

enum fal_logic_fault_kind {
    FAL_LOGIC_SOUND,
    FAL_LOGIC_DISCARDED_ACKED,
    FAL_LOGIC_DELIVERED_TWICE,
    FAL_LOGIC_DELIVERED_LATE,
    FAL_LOGIC_GAP_ACKED,
    FAL_LOGIC_MISSING_SACKED,
    FAL_LOGIC_WINDOW_IGNORED,
    FAL_LOGIC_RATE_EXCEEDED,
    FAL_LOGIC_TOKEN_FORGED,
    FAL_LOGIC_ONE_DUP_ENOUGH,
    FAL_LOGIC_RESENDS_UNASKED,
    FAL_LOGIC_NEW_BEFORE_LOST,
    FAL_LOGIC_COPY_CHANGED,
    FAL_LOGIC_COPY_CUT,
    FAL_LOGIC_TIMER_LOST,
    FAL_LOGIC_WORK_FORGOTTEN,
    FAL_LOGIC_GOES_BACK_ONE,
    FAL_LOGIC_GOES_BACK_SHORT,
    FAL_LOGIC_HOLE_SKIPPED,
    FAL_LOGIC_HOLES_AND_MORE,
    FAL_LOGIC_RTO_EARLY,
};

struct fal_logic_fault {
    enum fal_logic_fault_kind kind;
    const char *id;     /* "window-ignored" */
    const char *rule;   /* "K4" */
    const char *logics; /* names with spaces between them; NULL: all */
    const char *text;   /* what the faulty end does */
};

/* A fault at work in one end; all zero: none. */
struct fal_logic_seam {
    enum fal_logic_fault_kind kind;
    uint32_t count; /* of chances so far */
};

/* All of them. */
const struct fal_logic_fault *fal_logic_faults(size_t *n);
/* NULL: there is none of that id. */
const struct fal_logic_fault *fal_logic_fault_of(const char *id);
/* Returns true if the fault can be planted into that logic. */
bool fal_logic_fault_fits(const struct fal_logic_fault *fault, const char *logic);

/* The seams. Without a fault none of them changes anything. */
void fal_logic_seam_before(struct fal_logic_sender *s, struct fal_logic_in *in);
void fal_logic_seam_after(struct fal_logic_sender *s, const struct fal_logic_in *in);
/* When the retransmission timer counts as expired; UINT64_MAX: never. */
uint64_t fal_logic_seam_expiry(const struct fal_logic_sender *s);
/* Returns true if the fault chooses the next segment, `*id`. */
bool fal_logic_seam_pick(struct fal_logic_sender *s, uint32_t *id);
uint32_t fal_logic_seam_window(const struct fal_logic_sender *s, uint32_t window);
uint64_t fal_logic_seam_rate(const struct fal_logic_sender *s, uint64_t rate_bps);
bool fal_logic_seam_token(const struct fal_logic_sender *s);
void fal_logic_seam_sent(struct fal_logic_sender *s, struct fal_logic_packet *packet);
void fal_logic_seam_reply(struct fal_logic_receiver *r, struct fal_logic_reply *reply);
/* Decides how often, and in which order, the receiver gives [from, end) to its user: ids are
 * written to `out`, which has room for 2 * (end - from) + 1. Returns their number. */
size_t fal_logic_seam_deliver(struct fal_logic_receiver *r, uint32_t from, uint32_t end,
                              uint32_t *out);

#endif
