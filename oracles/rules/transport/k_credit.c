/* SPDX-License-Identifier: Apache-2.0
 * k_credit.c - K4: window, rate and tokens are obeyed.
 *
 * What the sender may know is taken as wide as possible: at the receiver and in the network all
 * feedback that was sent up to now, for the window each duplicate acknowledgement as a segment
 * that has left the network (RFC 5681 3.2, inflation). */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

/* Credit of a rate is counted in bits of 10^-9: at 1 bit/s one in each nanosecond. */
enum { BITS = 8 };
#define NANO       UINT64_C(1000000000)
#define BURST_MOST (UINT64_MAX / (BITS * NANO))

void fal_k_grant(struct fal_k_flow *f, const struct fal_tp_reply *reply)
{
    if (reply->has_cum && reply->window > 0) {
        const uint64_t edge = fal_k_more(reply->cum, reply->window);

        f->edge = edge > f->edge ? edge : f->edge;
        f->edge_known = true;
    }
    if (reply->grant > f->grant)
        f->grant = reply->grant;
}

/* Whether the window counts segments in flight, of which those that may be lost are none (RFC
 * 6675, pipe). Else it begins at the oldest segment that is not acknowledged (IRN, bitmaps). */
static bool counts_flying(const struct fal_tp_row *row)
{
    return row->selective &&
           (!row->cumulative || row->dup_threshold > 0 || row->reorder_by_time);
}

/* The segment is outside the window that the row declares. */
static bool beyond_row(const struct fal_tp_judge *k, const struct fal_k_flow *f, uint64_t seg)
{
    const bool inflates = k->row.dup_threshold > 0;
    const uint64_t more = fal_k_at_sender(k) ? f->inflation : f->claim_dups;
    const uint64_t most = fal_k_more(k->row.max_window, inflates ? more : 0);

    if (counts_flying(&k->row))
        return f->flying + 1 > k->row.max_window;
    return seg >= fal_k_more(fal_k_at_sender(k) ? f->cum : f->claim, most);
}

/* RFC 9293 3.8.6.1 lets a sender probe a window of zero with a new segment. */
static bool beyond_edge(const struct fal_tp_judge *k, const struct fal_k_flow *f, uint64_t seg)
{
    const uint64_t oldest = fal_k_at_sender(k) ? f->cum : f->claim;

    return f->edge_known && seg >= f->edge && !(seg == f->edge && oldest == seg);
}

static void window(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    const bool row = k->row.max_window > 0 && (fal_k_at_sender(k) || !counts_flying(&k->row));
    const bool outside = row && beyond_row(k, f, seg);

    if (k->row.max_window == 0 && !f->edge_known) {
        if (k->row.credit == FAL_TP_WINDOW)
            fal_k_excused(k, FAL_K4, "row:max_window");
        return;
    }
    if (!row && !f->edge_known)
        fal_k_excused(k, FAL_K4, "vantage");
    else if (!outside && !beyond_edge(k, f, seg))
        fal_k_held(k, FAL_K4);
    else if (fal_k_unsure(k, f, seg))
        fal_k_excused(k, FAL_K4, "capture-gap");
    else if (outside)
        fal_k_broken(k, f, FAL_K4,
                     "segment %" PRIu64 " was sent while %" PRIu64
                     " was the oldest without acknowledgement, expected at most %" PRIu64
                     " segments in flight",
                     seg, fal_k_at_sender(k) ? f->cum : f->claim, k->row.max_window);
    else
        fal_k_broken(k, f, FAL_K4,
                     "segment %" PRIu64 " was sent, expected only segments below %" PRIu64
                     ", the edge of the receiver's window",
                     seg, f->edge);
}

static void rate(struct fal_tp_judge *k, struct fal_k_flow *f, uint32_t bytes)
{
    const uint64_t burst = k->row.burst_bytes < BURST_MOST ? k->row.burst_bytes : BURST_MOST;
    const uint64_t full = burst * BITS * NANO, need = (uint64_t)bytes * BITS * NANO;
    const uint64_t passed = fal_k_less(k->now_ns, f->credit_ns);

    if (k->row.rate_bps == 0 || burst == 0) {
        if (k->row.credit == FAL_TP_RATE)
            fal_k_excused(k, FAL_K4, k->row.rate_bps == 0 ? "row:rate_bps" : "row:burst_bytes");
        return;
    }
    if (!fal_k_at_sender(k) || f->clock_back) {
        fal_k_excused(k, FAL_K4, f->clock_back ? "clock" : "vantage");
        return;
    }
    if (!f->has_credit || passed >= full / k->row.rate_bps)
        f->credit = full;
    else
        f->credit = fal_k_more(f->credit, passed * k->row.rate_bps);
    f->credit = f->credit < full ? f->credit : full;
    f->has_credit = true;
    f->credit_ns = k->now_ns;
    if (need <= f->credit) {
        f->credit -= need;
        fal_k_held(k, FAL_K4);
        return;
    }
    fal_k_broken(k, f, FAL_K4,
                 "%" PRIu32 " bytes were sent, but %" PRIu64 " bit/s with bursts of %" PRIu64
                 " bytes left credit for %" PRIu64,
                 bytes, k->row.rate_bps, burst, f->credit / (BITS * NANO));
    f->credit = 0;
}

/* A copy in the network or at the receiver may be a duplicate of the network. One of a timeout
 * needs no token. */
static bool takes_token(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                        const struct fal_k_seg *s)
{
    if (s != NULL && s->copies == 0)
        return true;
    return fal_k_at_sender(k) && !fal_k_may_time_out(k, f, s);
}

static void tokens(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                   const struct fal_k_seg *s)
{
    uint64_t given;

    if (k->row.credit != FAL_TP_TOKENS)
        return;
    if (k->row.initial_tokens == 0) {
        fal_k_excused(k, FAL_K4, "row:initial_tokens");
        return;
    }
    f->used += takes_token(k, f, s);
    given = fal_k_more(k->row.initial_tokens, f->grant);
    if (f->used <= given)
        fal_k_held(k, FAL_K4);
    else if (fal_k_unsure(k, f, seg) || f->forgot)
        fal_k_excused(k, FAL_K4, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K4,
                     "segment %" PRIu64 " used token %" PRIu64 ", but only %" PRIu64
                     " were granted",
                     seg, f->used, given);
}

void fal_k_credit(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e,
                  const struct fal_k_seg *s)
{
    if (s != NULL && s->copies == 0)
        window(k, f, e->seg);
    rate(k, f, e->bytes);
    tokens(k, f, e->seg, s);
}
