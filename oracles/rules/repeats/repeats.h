/* SPDX-License-Identifier: Apache-2.0
 * repeats.h - the second and later copies of a number: how far apart they left, and what
 * allowed them to come before the timer (judging.md, section 12). The facts are in
 * facts/copies.h. */
#ifndef FAL_ORACLES_RULES_REPEATS_REPEATS_H
#define FAL_ORACLES_RULES_REPEATS_REPEATS_H

#include "oracles/rules/facts/copies.h"
#include "oracles/rules/judge/order.h"

/* The time between the newest copy so far and this one. */
struct fal_gap {
    bool known; /* false: `why` */
    bool same;  /* it may be that copy once more, duplicated by the network */
    uint64_t min_ns, max_ns;
    enum fal_excuse why;
};

/* Of q, a reliable packet with an earlier copy (q->prior). */
struct fal_gap fal_gap_of(const struct fal_ctx *c, const struct fal_seen *q);

enum fal_licence {
    FAL_LICENCE_NONE, /* only its timer may repeat it */
    FAL_LICENCE_EACK, /* an EACK showed it missing, or a notification (OWN) did */
    FAL_LICENCE_NACK, /* a NACK for it */
    FAL_LICENCE_MAYBE /* unknown: what gives it may have gone unseen */
};

/* Whether number x of the subject, which was sent before, may be repeated early. It lasts until
 * x is acknowledged. */
enum fal_licence fal_licence_of(const struct fal_ctx *c, enum fal_window w, int64_t x);
/* Whether an EACK so far showed x missing by the out-of-order threshold, or notified of drops
 * beyond the window after x was sent (9.1.4). */
bool fal_eack_licenses(const struct fal_ctx *c, enum fal_window w, int64_t x);

/* The retransmitted requests of a window that are outstanding (9.1.2), at most: numbers that
 * were not seen count, and Resyncs, which may count as requests (AMB-53). Without number `but`.
 */
uint32_t fal_repeated_requests(const struct fal_ctx *c, enum fal_window w, int64_t but);

/* Whether the subject retransmits early by RACK-TLP or probes its tail: then any copy may come
 * early. */
enum fal_rack { FAL_RACK_DENIED, FAL_RACK_CLAIMED, FAL_RACK_UNKNOWN };
enum fal_rack fal_rack_of(const struct fal_ctx *c);

#endif
