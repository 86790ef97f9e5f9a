/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/repeats/held.h"

#include "oracles/rules/judge/learned.h"
#include "oracles/rules/repeats/overdue.h"
#include "oracles/rules/repeats/repeats.h"

/* Whether retransmissions of both windows are in one order, that of the RSNs. */
static bool one_order(const struct fal_ctx *c)
{
    return c->track->setup.params.ordered || !fal_given(c, FAL_PARAM_AT_ordered);
}

/* Whether number y of window v is to leave before number x of window w. The text gives the
 * response to a pull no place among the requests of its own side, so it may have any. */
static bool precedes(const struct fal_ctx *c, enum fal_window v, int64_t y, enum fal_window w,
                     int64_t x)
{
    const struct fal_sent *first, *second;

    if (v == w)
        return y < x;
    if (!one_order(c))
        return false;
    first = fal_stream_sent(fal_out_stream(c, v), y);
    second = fal_stream_sent(fal_out_stream(c, w), x);
    return first == NULL || second == NULL || first->type == FAL_PULL_DATA ||
           second->type == FAL_PULL_DATA || first->rsn < second->rsn;
}

/* Whether a packet with that RNR may still wait for its delay. */
static bool waits(const struct fal_ctx *c, const struct fal_nack *nack)
{
    struct fal_timer_bounds rto, rnr;
    uint64_t in_ns, out_ns, slack_ns = fal_rto_slack_ns(c), late_ns;

    if (nack->code != FAL_NACK_RNR ||
        fal_stream_acked(fal_out_stream(c, (enum fal_window)nack->window), nack->x))
        return false;
    if (!fal_rto_judged(c, &rto) || !fal_rnr_judged(c, nack->rnr_ns, &rnr) ||
        !fal_round_ns(c, &in_ns, &out_ns) || slack_ns >= FAL_UNLIMITED)
        return true;
    late_ns = rto.late_ns > rnr.late_ns ? rto.late_ns : rnr.late_ns;
    return c->now_ns <= nack->at.t_ns + in_ns + out_ns + late_ns + slack_ns;
}

uint32_t fal_nic_limit(const struct fal_ctx *c)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];

    for (unsigned i = 0; i < nacks->bag.num; i++)
        if (FAL_BAG(&nacks->bag, struct fal_nack, i)->code == FAL_NACK_RESOURCE)
            return 1;
    return nacks->lost ? 1 : c->track->setup.params.ncwnd;
}

bool fal_nic_open(const struct fal_ctx *c, enum fal_window w, int64_t but)
{
    return fal_repeated_requests(c, w, but) < fal_nic_limit(c);
}

static bool behind_rnr(const struct fal_ctx *c, enum fal_window of, enum fal_window w,
                       int64_t x)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];

    for (unsigned i = 0; i < nacks->bag.num; i++) {
        const struct fal_nack *nack = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (nack->window == (uint8_t)of && precedes(c, of, nack->x, w, x) && waits(c, nack))
            return true;
    }
    return nacks->lost;
}

/* Whether fcwnd may hold back number y of window v. The subject counts from the base that it
 * knows. A window that nobody gave may be 1. */
static bool fabric_may_hold(const struct fal_ctx *c, enum fal_window v, int64_t y)
{
    uint32_t fcwnd = c->track->setup.params.fcwnd;
    int64_t taken = fal_taken(c, v);

    if (taken == INT64_MIN)
        return true;
    return y - taken >= (fal_given(c, FAL_PARAM_AT_fcwnd) && fcwnd > 0 ? fcwnd : 1);
}

/* Whether fcwnd or ncwnd may hold back a packet of the other window that is to leave before. */
static bool behind_gated(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    enum fal_window v = (enum fal_window)(1 - w);
    const struct fal_stream *stream = fal_out_stream(c, v);
    bool open;

    if (!one_order(c))
        return false;
    if (fal_stream_leaps(stream))
        return true;
    open = fal_nic_open(c, v, INT64_MIN);
    for (int64_t y = stream->base; y < stream->next; y++)
        if (!fal_stream_acked(stream, y) && precedes(c, v, y, w, x) &&
            (!open || fabric_may_hold(c, v, y)))
            return true;
    return false;
}

bool fal_behind_waiting(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    return behind_rnr(c, w, w, x) || behind_rnr(c, (enum fal_window)(1 - w), w, x) ||
           behind_gated(c, w, x);
}

bool fal_rnr_waits(const struct fal_ctx *c, enum fal_window w, int64_t but)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];

    for (unsigned i = 0; i < nacks->bag.num; i++) {
        const struct fal_nack *nack = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (nack->window == (uint8_t)w && nack->x != but && waits(c, nack))
            return true;
    }
    return nacks->lost;
}
