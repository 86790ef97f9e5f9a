/* SPDX-License-Identifier: Apache-2.0
 * overdue.h - a retransmission that does not come: what rules E4 and E7 share. One look shows a
 * packet from the subject after the time; a second one, a timeout later, that the subject was
 * alive and still sent no copy. */
#ifndef FAL_ORACLES_RULES_REPEATS_OVERDUE_H
#define FAL_ORACLES_RULES_REPEATS_OVERDUE_H

#include "oracles/rules/judge/order.h"
#include "oracles/rules/judge/timers.h"

/* Of one window. */
struct fal_overdue {
    bool late; /* another packet was seen after the time */
    int64_t x;
    uint64_t index;    /* of x's last copy then */
    uint64_t since_ns; /* when that packet was seen */
    struct fal_at by;
    uint64_t told; /* the copy (index) about which all has been said */
};

/* Takes the packet q, which was seen after the time of number x, whose last copy is `sent`.
 * Returns whether another packet had been seen a timeout (`apart_ns`) before. */
bool fal_overdue_again(struct fal_overdue *o, int64_t x, const struct fal_sent *sent,
                       const struct fal_seen *q, uint64_t apart_ns);

/* Time in nanoseconds that the subject may take beyond its RTO; with no bound,
 * FAL_UNLIMITED. */
uint64_t fal_rto_slack_ns(const struct fal_ctx *c);

/* Whether the values are known with which a missing retransmission may fail the subject. The
 * bounds of its RTO are written to `b` in any case. */
bool fal_rto_decides(const struct fal_ctx *c, struct fal_timer_bounds *b);

/* Event index before which no timer counts any more, after a mark: `reset_index` as it was, or
 * that of the mark. */
uint64_t fal_timers_reset(const struct fal_ctx *c, const struct fal_event *mark,
                          uint64_t reset_index);

#endif
