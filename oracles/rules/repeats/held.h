/* SPDX-License-Identifier: Apache-2.0
 * held.h - what may hold a retransmission back although its timer has expired (9.1.2, 9.1.5):
 * what rules E3, E4, E7 and RN2 share. Packets are retransmitted in the order of their PSNs, on
 * an ordered connection of their RSNs in both windows. One that waits may hold up those after
 * it. */
#ifndef FAL_ORACLES_RULES_REPEATS_HELD_H
#define FAL_ORACLES_RULES_REPEATS_HELD_H

#include "oracles/rules/judge/order.h"

/* The least that ncwnd may be: a NACK for lack of resources makes the congestion engine lower
 * it (9.2.4). */
uint32_t fal_nic_limit(const struct fal_ctx *c);
/* Whether ncwnd surely lets a retransmission of window w out. Number `but` does not count: its
 * timer has expired, and that takes it from the count. */
bool fal_nic_open(const struct fal_ctx *c, enum fal_window w, int64_t but);

/* Whether number x of window w is to leave after a packet that may wait: for the delay of its
 * RNR, or, in the other window, for fcwnd or ncwnd. Whether x waits, too, is open (AMB-58). */
bool fal_behind_waiting(const struct fal_ctx *c, enum fal_window w, int64_t x);
/* Whether a packet of window w, other than x, may still wait for the delay of its RNR: it
 * counts as an outstanding retransmitted request until the delay is over (9.1.2). */
bool fal_rnr_waits(const struct fal_ctx *c, enum fal_window w, int64_t but);

#endif
