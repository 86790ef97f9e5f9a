/* SPDX-License-Identifier: Apache-2.0
 * k_feedback.c - what feedback shows the sender: acknowledged and lost segments. K3 at the
 * sender: no feedback names a segment that was never sent.
 *
 * Two readings of the same feedback: "licensed" is set where a loss may be shown (K5 needs one
 * cause), "lost" only where every sender of this row must hold the segment for lost (K6). */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

/* ---- K3 at the sender ---- */

/* The highest segment that the feedback says something about, plus one. */
static uint64_t reach(const struct fal_tp_reply *r)
{
    uint64_t most = r->has_cum ? r->cum : 0;

    for (unsigned i = 0; i < r->num_got && i < FAL_TP_RANGES; i++)
        if (r->got[i].end > most && r->got[i].first < r->got[i].end)
            most = r->got[i].end;
    if (r->nack && fal_k_more(r->nack_seg, 1) > most)
        most = fal_k_more(r->nack_seg, 1);
    return most;
}

/* False: the feedback names segments that were surely never sent. */
static bool names_what_was_sent(struct fal_tp_judge *k, struct fal_k_flow *f,
                                const struct fal_tp_reply *r)
{
    const uint64_t most = reach(r);

    if (k->view.vantage != FAL_TP_SENDER)
        return true; /* K3 is decided where the receiver sends it */
    if (most <= f->next)
        fal_k_held(k, FAL_K3);
    else if (fal_k_unsure(k, f, most - 1))
        fal_k_excused(k, FAL_K3, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K3,
                     "feedback names segment %" PRIu64 ", but only segments below %" PRIu64
                     " were sent",
                     most - 1, f->next);
    return most <= f->next || fal_k_unsure(k, f, most - 1);
}

/* ---- what is acknowledged ---- */

static void acknowledge(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t first,
                        uint64_t end)
{
    if (end > f->high)
        end = f->high;
    for (uint64_t seg = first > f->low ? first : f->low; seg < end; seg++) {
        struct fal_k_seg *s = fal_k_at(f, seg);

        if (s->acked)
            continue;
        f->unacked -= s->copies > 0 && f->unacked > 0;
        if (!k->row.cumulative) /* a timer of the flow starts anew at the latest here */
            f->timer_ns = k->now_ns;
        s->acked = true;
        s->acked_ns = k->now_ns;
        f->backoffs = 0;
        f->flying -= s->flying;
        s->flying = false;
        f->lost_count -= s->lost;
        s->lost = false;
        if (s->last_order > f->newest_acked)
            f->newest_acked = s->last_order;
    }
}

/* ---- what is shown to be lost ---- */

static void license(struct fal_k_flow *f, uint64_t first, uint64_t end)
{
    if (end > f->high)
        end = f->high;
    for (uint64_t seg = first > f->low ? first : f->low; seg < end; seg++) {
        struct fal_k_seg *s = fal_k_at(f, seg);

        s->licensed = !s->acked;
        f->flying -= s->flying && s->licensed;
        s->flying = s->flying && !s->licensed;
    }
}

/* A segment below an acknowledged one may have left the network. */
static void ground(struct fal_k_flow *f)
{
    for (uint64_t seg = f->low; seg < f->acked_above && seg < f->high; seg++) {
        struct fal_k_seg *s = fal_k_at(f, seg);

        f->flying -= s->flying;
        s->flying = false;
    }
}

/* Every sender must hold it for lost: it was sent once, so the feedback cannot be about an
 * earlier copy, and no recovery that began after it is in the way. */
static void lose(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    struct fal_k_seg *s = fal_k_at(f, seg);

    if (s == NULL || s->acked || s->copies != 1 || s->lost || fal_k_unsure(k, f, seg))
        return;
    s->lost = true;
    f->lost_count++;
    f->lost_ns = k->now_ns;
}

/* Whether the threshold begins a recovery for every sender: not in one, nor after a timeout.
 * Until more than what was sent before is acknowledged, duplicate acknowledgements may come
 * from segments that were sent twice (RFC 6582 3.2, step 1). */
static bool recovery_begins(const struct fal_k_flow *f)
{
    return (f->recover == 0 || f->cum > f->recover) &&
           (f->timeout_high == 0 || f->cum > f->timeout_high);
}

static void recover(struct fal_tp_judge *k, struct fal_k_flow *f, bool sure)
{
    if (sure && !k->row.reorder_by_time)
        lose(k, f, f->cum);
    if (!f->recovering) {
        f->recovering = true;
        f->recovery_order = k->order;
    }
    f->recover = f->next; /* some senders begin a recovery anew within one */
    f->entered = false;
    license(f, f->cum, f->cum + 1);
}

enum above { BELOW_THRESHOLD, MAY_BE_LOST, SURELY_LOST };

/* What selective acknowledgements show of the oldest segment. RFC 6675 4 (IsLost) counts their
 * bytes, so that segments which are not full do not show a loss to every sender. */
static enum above threshold_above(const struct fal_tp_judge *k, const struct fal_k_flow *f)
{
    const uint64_t full = (uint64_t)f->largest * (k->row.dup_threshold - 1);
    uint64_t bytes = 0;
    unsigned n = 0;

    if (!k->row.selective || k->row.dup_threshold == 0 || f->recovering)
        return BELOW_THRESHOLD;
    for (uint64_t seg = f->cum > f->low ? f->cum : f->low;
         seg < f->acked_above && seg < f->high && (n < k->row.dup_threshold || bytes <= full);
         seg++) {
        const struct fal_k_seg *s = fal_k_at(f, seg);

        n += s->acked;
        bytes += s->acked ? s->bytes : 0;
    }
    if (n < k->row.dup_threshold)
        return BELOW_THRESHOLD;
    return f->largest == 0 || bytes > full ? SURELY_LOST : MAY_BE_LOST;
}

/* One more acknowledgement of what was acknowledged before. */
static void duplicate(struct fal_tp_judge *k, struct fal_k_flow *f,
                      const struct fal_tp_reply *r)
{
    const unsigned threshold = k->row.dup_threshold;
    const unsigned least =
        k->row.dup_least > 0 && k->row.dup_least < threshold ? k->row.dup_least : threshold;

    if (f->dups == 0) {
        f->fresh = recovery_begins(f);
        f->sure_dups = 0;
    }
    f->dups++;
    f->inflation++;
    f->sure_dups += !r->update && r->window == f->window;
    if (f->dups >= least && f->dups <= threshold)
        recover(k, f, false);
    if (f->fresh && f->sure_dups == threshold && threshold > 0 && !k->row.selective &&
        !k->row.reorder_by_time)
        lose(k, f, f->cum);
}

static void cumulative(struct fal_tp_judge *k, struct fal_k_flow *f,
                       const struct fal_tp_reply *r)
{
    if (r->cum > f->cum) {
        acknowledge(k, f, f->cum, r->cum);
        f->cum = r->cum;
        f->cum_ns = k->now_ns;
        f->backoffs = 0;
        /* RFC 6582 3.2: of partial acknowledgements only the first one resets the timer. */
        if (!k->row.partial_acks || !f->recovering || f->cum >= f->recover)
            f->timer_ns = k->now_ns;
        f->dups = 0;
        if (!f->recovering || f->cum >= f->recover)
            f->inflation = 0;
        if (f->recovering && f->cum >= f->recover)
            f->recovering = false;
        else if (f->recovering && k->row.partial_acks)
            license(f, f->cum, f->cum + 1);
        fal_k_sure_again(k, f, f->cum);
    } else if (r->cum == f->cum && f->cum < f->next) {
        duplicate(k, f, r);
    }
    f->window = r->window;
}

static void nack(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    if (!k->row.nacks || seg >= f->next)
        return;
    if (k->row.repair == FAL_TP_GO_BACK_N) {
        if (f->num_nacks == FAL_K_NACKS) /* the oldest is the least likely to be used */
            for (unsigned i = 1; i < FAL_K_NACKS; i++)
                f->nacks[i - 1] = f->nacks[i];
        else
            f->num_nacks++;
        f->nacks[f->num_nacks - 1] = seg;
        license(f, seg, f->next);
    } else {
        license(f, seg, seg + 1);
        license(f, f->cum, f->acked_above);
    }
    lose(k, f, seg);
}

void fal_k_feedback(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    const struct fal_tp_reply *r = &e->reply;
    const uint64_t unacked = f->unacked, cum = f->cum;
    const bool begins = recovery_begins(f);
    enum above above;

    /* Senders drop such feedback whole (RFC 9293 3.10.7.4): it says nothing about segments. */
    if (!names_what_was_sent(k, f, r))
        return;
    for (unsigned i = 0; i < r->num_got && i < FAL_TP_RANGES; i++) {
        if (r->got[i].first >= r->got[i].end)
            continue;
        acknowledge(k, f, r->got[i].first, r->got[i].end);
        if (r->got[i].end > f->acked_above)
            f->acked_above = r->got[i].end < f->next ? r->got[i].end : f->next;
        f->feedback_order = k->order;
    }
    if (r->num_got > 0)
        ground(f);
    above = threshold_above(k, f); /* before duplicates begin the recovery */
    if (r->has_cum)
        cumulative(k, f, r);
    /* RFC 6675 5: only a duplicate acknowledgement with news begins a recovery. */
    if (f->cum != cum)
        above = threshold_above(k, f);
    if (above != BELOW_THRESHOLD)
        recover(k, f, above == SURELY_LOST && begins && f->cum == cum && f->unacked < unacked);
    if (r->nack)
        nack(k, f, r->nack_seg);
    fal_k_grant(f, r);
    f->probed = false;
    f->last_feedback_ns = k->now_ns;
    fal_k_settle(k, f);
}
