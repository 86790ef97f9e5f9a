/* SPDX-License-Identifier: Apache-2.0
 * k_causes.c - K5: a retransmission has a cause. K10: no timer expires early.
 *
 * A cause that is possible is enough. A timer may run for each segment, from its last copy, or
 * for the flow: from the last time that the cumulative acknowledgement moved (RFC 6298 5.3), or
 * from the last copy of the oldest segment. */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

/* Segments that a TIMEOUT looks through for one whose timer may have expired. */
enum { LOOKED_THROUGH = 4096 };

/* RFC 6298 2.5: a maximum of the timeout is at least 60 s. */
#define RTO_MAX_NS UINT64_C(60000000000)

/* The shortest timeout that the row allows now; 0: not declared. */
static uint64_t shortest(const struct fal_tp_judge *k, const struct fal_k_flow *f)
{
    const struct fal_tp_row *row = &k->row;
    const uint64_t most = row->rto_max_ns > 0 ? row->rto_max_ns : RTO_MAX_NS;
    uint64_t ns = row->rto_low_ns > 0 && row->rto_low_ns < row->rto_min_ns ? row->rto_low_ns
                                                                           : row->rto_min_ns;

    for (unsigned i = 0; row->backoff && i < f->backoffs && ns < most; i++)
        ns = ns <= most / 2 ? ns * 2 : most;
    return ns;
}

static bool long_ago(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                     uint64_t since_ns)
{
    return fal_k_more(fal_k_less(k->now_ns, since_ns), k->view.pipeline_ns) >= shortest(k, f);
}

bool fal_k_may_time_out(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                        const struct fal_k_seg *s)
{
    uint64_t seg;
    const struct fal_k_seg *oldest;

    if ((s != NULL && long_ago(k, f, s->last_ns)) || long_ago(k, f, f->timer_ns))
        return true;
    oldest = fal_k_oldest(k, f, &seg);
    return oldest != NULL && long_ago(k, f, oldest->last_ns);
}

void fal_k_timed_out(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    f->timeout_order = k->order;
    f->timeout_high = f->next;
    f->timer_ns = k->now_ns;
    f->dups = 0;
    for (uint64_t seg = f->low; seg < f->high && f->flying > 0; seg++) {
        struct fal_k_seg *s = fal_k_at(f, seg);

        f->flying -= s->flying;
        s->flying = false;
    }
}

static bool any_timer(const struct fal_tp_judge *k, const struct fal_k_flow *f)
{
    unsigned n = 0;

    if (fal_k_may_time_out(k, f, NULL))
        return true;
    for (uint64_t seg = f->low; seg < f->high && n < LOOKED_THROUGH; seg++, n++) {
        const struct fal_k_seg *s = fal_k_at(f, seg);

        if (s->copies > 0 && !s->acked && long_ago(k, f, s->last_ns))
            return true;
    }
    return n == LOOKED_THROUGH;
}

/* Of a segment that the timeout surely is about, no copy must be late (K6): the oldest, where
 * acknowledgements are cumulative and F-RTO does not send new segments first. */
static void lose_oldest(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    struct fal_k_seg *oldest = fal_k_at(f, f->cum);

    if (!k->row.cumulative || k->row.frto || k->row.tail_probe || oldest == NULL ||
        oldest->copies == 0 || oldest->lost || fal_k_unsure(k, f, f->cum))
        return;
    oldest->lost = true;
    f->lost_count++;
    f->lost_ns = k->now_ns;
}

void fal_k_timeout(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    if (k->row.rto_min_ns == 0 || f->clock_back)
        fal_k_excused(k, FAL_K10, f->clock_back ? "clock" : "row:rto_min_ns");
    else if (f->unacked == 0)
        fal_k_excused(k, FAL_K10, "nothing-in-flight");
    else if (any_timer(k, f))
        fal_k_held(k, FAL_K10);
    else if (fal_k_unsure(k, f, f->cum))
        fal_k_excused(k, FAL_K10, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K10,
                     "the retransmission timer expired %" PRIu64
                     " ns after it was started, expected at least %" PRIu64 " ns",
                     fal_k_less(k->now_ns, f->timer_ns), shortest(k, f));
    fal_k_timed_out(k, f);
    f->backoffs += f->unacked > 0;
    lose_oldest(k, f);
}

/* Acknowledged segments above `seg`, at most `enough`. */
static unsigned acked_above(const struct fal_k_flow *f, uint64_t seg, unsigned enough)
{
    unsigned n = 0;

    for (uint64_t i = seg + 1; i < f->acked_above && i < f->high && n < enough; i++)
        n += fal_k_at(f, i)->acked;
    return n;
}

/* RFC 6675: in recovery each segment may be sent once, below the highest acknowledged one
 * (NextSeg 1 and 3), and the last one (NextSeg 4). */
static bool by_threshold(const struct fal_tp_judge *k, const struct fal_k_flow *f, uint64_t seg,
                         const struct fal_k_seg *s)
{
    const unsigned threshold = k->row.dup_threshold;

    if (threshold == 0 || !k->row.selective)
        return false;
    if (f->recovering && s->last_order < f->recovery_order &&
        (seg < f->acked_above || seg + 1 == f->next))
        return true;
    return (s->copies == 1 || s->last_order < f->recovery_order) &&
           acked_above(f, seg, threshold) >= threshold;
}

static bool by_feedback(const struct fal_tp_judge *k, const struct fal_k_flow *f, uint64_t seg,
                        const struct fal_k_seg *s)
{
    if (s->licensed || by_threshold(k, f, seg, s))
        return true;
    if (k->row.reorder_segments > 0 && s->last_order < f->feedback_order &&
        f->acked_above > fal_k_more(seg, k->row.reorder_segments))
        return true;
    return k->row.reorder_by_time && s->last_order < f->newest_acked;
}

/* No event of the sender came just before: only a timer lets it act. */
static bool alone(const struct fal_tp_judge *k, const struct fal_k_flow *f)
{
    return fal_k_less(k->now_ns, f->last_feedback_ns) > k->view.pipeline_ns &&
           fal_k_less(k->now_ns, f->last_send_ns) > k->view.pipeline_ns;
}

/* Names the rule that a copy without a cause breaks. Where both ends are seen, TIMEOUT tells of
 * each timer. Else only a timer lets a sender act on the oldest segment without any event. */
static enum fal_k_rule rule_of(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                               uint64_t seg)
{
    uint64_t oldest;

    if (k->view.vantage == FAL_TP_BOTH || !alone(k, f))
        return FAL_K5;
    return fal_k_oldest(k, f, &oldest) != NULL && oldest == seg ? FAL_K10 : FAL_K5;
}

void fal_k_cause(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                 struct fal_k_seg *s)
{
    enum fal_k_rule rule;

    if (by_feedback(k, f, seg, s) ||
        (seg < f->timeout_high && s->last_order < f->timeout_order)) {
        fal_k_held(k, FAL_K5);
        return;
    }
    if (k->row.rto_min_ns == 0) {
        fal_k_excused(k, FAL_K5, "row:rto_min_ns");
        return;
    }
    if (f->clock_back) {
        fal_k_excused(k, FAL_K5, "clock");
        return;
    }
    if (fal_k_may_time_out(k, f, s)) {
        /* What came with other events may have another cause, and doubles nothing. A tail probe
         * may count: the timeout after it is another probe, or all copies are due to this one.
         */
        f->backoffs += alone(k, f);
        fal_k_timed_out(k, f);
        fal_k_held(k, FAL_K5);
        fal_k_held(k, FAL_K10);
        return;
    }
    if (k->row.tail_probe && !f->probed && seg + 1 == f->next) {
        f->probed = true;
        fal_k_held(k, FAL_K5);
        return;
    }
    rule = rule_of(k, f, seg);
    if (fal_k_unsure(k, f, seg)) {
        fal_k_excused(k, rule, "capture-gap");
        return;
    }
    fal_k_broken(k, f, rule,
                 "segment %" PRIu64 " was sent again %" PRIu64
                 " ns after its last copy; expected feedback that shows its loss (there were "
                 "%" PRIu64
                 " duplicate acknowledgements, %u acknowledged segments above it) or "
                 "a timeout of at least %" PRIu64 " ns",
                 seg, fal_k_less(k->now_ns, s->last_ns), f->dups,
                 acked_above(f, seg, UINT32_MAX), shortest(k, f));
}
