/* SPDX-License-Identifier: Apache-2.0
 * repeats.h - the second and later copies of a number: how far apart they left, and what
 * allowed them to come before the timer (judging.md, section 12). The facts lie in struct
 * fal_sent and struct fal_stream. */
#ifndef FAL_ORACLES_RULES_REPEATS_H
#define FAL_ORACLES_RULES_REPEATS_H

#include "oracles/rules/order.h"

/* The time between the newest copy so far and this one. */
struct fal_gap {
    bool known; /* false: `why` */
    bool same;  /* it may be that copy once more, doubled by the network */
    uint64_t min_ns, max_ns;
    enum fal_excuse why;
};

/* Of q, a reliable packet with an earlier copy (q->prior). */
struct fal_gap fal_gap_of(const struct fal_ctx *c, const struct fal_seen *q);

/* Where the newest copy stands. */
struct fal_at fal_last_copy(const struct fal_sent *sent);

enum fal_licence {
    FAL_LICENCE_NONE, /* only its timer may repeat it */
    FAL_LICENCE_EACK, /* an EACK showed it missing, or a notification (OWN) did */
    FAL_LICENCE_NACK, /* a NACK for it */
    FAL_LICENCE_MAYBE /* unknown: what gives it may have gone unseen */
};

/* Whether number x of the subject, which was sent before, may be repeated early. It lasts until
 * x is acknowledged. */
enum fal_licence fal_licence_of(const struct fal_ctx *c, enum fal_window w, int64_t x);

/* Whether the subject retransmits early by RACK-TLP or probes its tail: then any copy may come
 * early. */
enum fal_rack { FAL_RACK_DENIED, FAL_RACK_CLAIMED, FAL_RACK_UNKNOWN };
enum fal_rack fal_rack_of(const struct fal_ctx *c);

/* Whether its receiver has claimed x acknowledged, by base or bit, in a packet that came
 * before.
 */
bool fal_stream_acked(const struct fal_stream *stream, int64_t x);

/* ---- for the track ---- */

void fal_repeats_copy(struct fal_sent *sent, const struct fal_seen *seen);
void fal_repeats_count(struct fal_stream *stream, const struct fal_seen *seen,
                       struct fal_sent *sent);
void fal_repeats_uncount(struct fal_stream *stream, struct fal_sent *sent);
/* After the claim was taken. */
void fal_repeats_claim(struct fal_track *track, const struct fal_seen *seen, enum fal_window w);
/* Claims about this stream may have gone unseen. */
void fal_repeats_gap(struct fal_stream *stream);

#endif
