/* SPDX-License-Identifier: Apache-2.0
 * k_receive.c - what the receiver says (K3) and delivers (K2), and that nothing is lost (K1).
 * In the network a segment that has not passed cannot have arrived, so that K3 holds there
 * too. */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

int fal_k_arrive(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    struct fal_k_seg *s;

    if (fal_k_hold(f, e->seg, &s) != 0)
        return FAL_ERR_MEM;
    if (s == NULL)
        return 0;
    if (k->view.vantage == FAL_TP_RECEIVER) { /* it sees no SEND */
        fal_k_credit(k, f, e, s);
        fal_k_identity(k, f, s, e);
        if (s->copies > 0)
            fal_k_excused(k, FAL_K5, "vantage");
        s->copies += s->copies < UINT32_MAX;
        if (f->next <= e->seg)
            f->next = e->seg + 1;
    }
    if (e->trimmed) {
        s->trimmed = s->arrived;
        return 0;
    }
    if (!s->arrived && k->row.answer_ns > 0 && f->answer_due_ns == 0 && e->seg == f->claim)
        f->answer_due_ns = fal_k_more(k->now_ns, k->row.answer_ns);
    s->arrived = true;
    return 0;
}

/* ---- K3 ---- */

/* Marks [first, end) as acknowledged by the receiver. Returns the first of them that cannot
 * have arrived, one of which events may have been missed if there is no other; else `end`. */
static uint64_t claim(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t first,
                      uint64_t end)
{
    uint64_t missing = end, beyond = first > f->high ? first : f->high;

    for (uint64_t seg = first > f->low ? first : f->low; seg < end && seg < f->high; seg++) {
        struct fal_k_seg *s = fal_k_at(f, seg);

        if (!s->claimed && !s->arrived && (missing == end || fal_k_unsure(k, f, missing)))
            missing = seg;
        s->claimed = true;
    }
    if (beyond < f->unsure_below && f->unsure_below < end)
        beyond = f->unsure_below;
    if (end > beyond && (missing == end || fal_k_unsure(k, f, missing)))
        missing = beyond;
    return missing;
}

static void claimed(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t missing,
                    uint64_t end, const char *how)
{
    if (missing >= end)
        fal_k_held(k, FAL_K3);
    else if (fal_k_unsure(k, f, missing))
        fal_k_excused(k, FAL_K3, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K3,
                     "segment %" PRIu64 " was acknowledged (%s up to %" PRIu64
                     "), but no copy of it %s before",
                     missing, how, end,
                     k->view.vantage == FAL_TP_MIDDLE ? "had passed" : "had arrived");
}

static void cumulative(struct fal_tp_judge *k, struct fal_k_flow *f,
                       const struct fal_tp_reply *r)
{
    if (f->has_claim && r->cum < f->claim) {
        if (!fal_k_at_receiver(k))
            fal_k_excused(k, FAL_K3, "vantage"); /* the network may have reordered it */
        else
            fal_k_broken(k, f, FAL_K3,
                         "the cumulative acknowledgement went back from %" PRIu64
                         " to %" PRIu64,
                         f->claim, r->cum);
        return;
    }
    if (f->has_claim && r->cum == f->claim) {
        f->claim_dups++;
        f->claim_dup_high = f->next;
    } else if (r->cum > fal_k_more(f->claim_dup_high, k->row.max_window)) {
        f->claim_dups = 0; /* a recovery that they began is over */
    }
    /* A segment acknowledged falsely is reported once. */
    if (r->cum > f->claim)
        claimed(k, f, claim(k, f, f->claim, r->cum), r->cum, "cumulative");
    else
        fal_k_held(k, FAL_K3);
    f->claim = r->cum;
    f->has_claim = true;
}

/* A receiver may drop what arrives (go-back-N drops all that is out of sequence). So only what
 * it has acknowledged or delivered itself is surely not missing. */
static void missing_is_missing(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    const struct fal_k_seg *s = fal_k_at(f, seg);
    const bool there = s != NULL ? s->claimed || s->delivered || seg < f->claim : seg < f->low;

    if (!fal_k_at_receiver(k))
        fal_k_excused(k, FAL_K3, "vantage");
    else if (!there && s != NULL && s->arrived)
        fal_k_excused(k, FAL_K3, "receiver-drop");
    else if (!there)
        fal_k_held(k, FAL_K3);
    else if ((s == NULL && f->forgot) || (s != NULL && s->trimmed))
        fal_k_excused(k, FAL_K3, s == NULL ? "forgotten" : "stale");
    else
        fal_k_broken(k, f, FAL_K3,
                     "a NACK reports segment %" PRIu64 " as missing, but it had been "
                     "acknowledged or delivered",
                     seg);
}

void fal_k_reply(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    const struct fal_tp_reply *r = &e->reply;

    for (unsigned i = 0; i < r->num_got && i < FAL_TP_RANGES; i++)
        if (r->got[i].first < r->got[i].end)
            claimed(k, f, claim(k, f, r->got[i].first, r->got[i].end), r->got[i].end,
                    "selective");
    if (r->has_cum)
        cumulative(k, f, r);
    if (r->nack)
        missing_is_missing(k, f, r->nack_seg);
    if (!fal_k_at_sender(k))
        fal_k_grant(f, r);
    if (r->has_cum && !fal_k_at_sender(k))
        fal_k_sure_again(k, f, r->cum);
    f->answer_due_ns = 0;
    fal_k_settle(k, f);
}

/* ---- K2 ---- */

static void in_order(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg)
{
    if (!k->row.in_order || !f->has_deliver_next || seg == f->deliver_next)
        fal_k_held(k, FAL_K2);
    else if (fal_k_unsure(k, f, seg))
        fal_k_excused(k, FAL_K2, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K2,
                     "segment %" PRIu64 " was delivered, expected segment %" PRIu64
                     ": delivery is in order",
                     seg, f->deliver_next);
}

int fal_k_deliver(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    struct fal_k_seg *s;

    if (!f->delivers && f->low == 0 && !f->unsure && f->unsure_below == 0)
        f->has_deliver_next = true; /* the first one is segment 0 */
    f->delivers = true;
    if (fal_k_hold(f, e->seg, &s) != 0)
        return FAL_ERR_MEM;
    if (s == NULL && (f->forgot || f->undelivered || e->seg >= FAL_K_SEG_END))
        fal_k_excused(k, FAL_K2, "forgotten");
    else if (s == NULL || s->delivered)
        fal_k_broken(k, f, FAL_K2, "segment %" PRIu64 " was delivered twice", e->seg);
    else if (!s->arrived && fal_k_unsure(k, f, e->seg))
        fal_k_excused(k, FAL_K2, "capture-gap");
    else if (!s->arrived)
        fal_k_broken(k, f, FAL_K2,
                     "segment %" PRIu64 " was delivered, but no copy of it had arrived",
                     e->seg);
    else
        in_order(k, f, e->seg);
    if (s != NULL)
        s->delivered = true;
    f->deliver_next = fal_k_more(e->seg, 1);
    f->has_deliver_next = true;
    fal_k_settle(k, f);
    return 0;
}

/* ---- K1 ---- */

/* The first segment below `end` that is kept and lacks what the vantage shows, else `end`. */
static uint64_t first_open(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                           uint64_t end)
{
    uint64_t seg = f->low;

    for (; seg < end && seg < f->high; seg++) {
        const struct fal_k_seg *s = fal_k_at(f, seg);

        if (fal_k_at_receiver(k) ? !s->arrived : !s->acked && seg >= f->cum)
            return seg;
    }
    return seg < end ? (seg > f->cum || fal_k_at_receiver(k) ? seg : f->cum) : end;
}

void fal_k_done(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    const uint64_t end = f->has_posted && f->posted > f->next ? f->posted : f->next;
    const uint64_t open = first_open(k, f, end);

    if (open >= end)
        fal_k_held(k, FAL_K1);
    else if (fal_k_unsure(k, f, open))
        fal_k_excused(k, FAL_K1, "capture-gap");
    else
        fal_k_broken(k, f, FAL_K1,
                     "the sender reports segments below %" PRIu64
                     " as acknowledged, but segment %" PRIu64 " %s",
                     end, open,
                     fal_k_at_receiver(k) ? "never arrived" : "was never acknowledged");
    f->done = true;
    f->done_high = end;
}

void fal_k_delivered_at_end(struct fal_tp_judge *k, struct fal_k_flow *f)
{
    if (!f->done || !f->delivers || !fal_k_at_receiver(k))
        return;
    if (f->undelivered || f->forgot)
        fal_k_excused(k, FAL_K1, "forgotten");
    for (uint64_t seg = f->low; seg < f->done_high && seg < f->high; seg++) {
        const struct fal_k_seg *s = fal_k_at(f, seg);

        if (s->delivered || !s->arrived)
            continue;
        if (fal_k_unsure(k, f, seg)) {
            fal_k_excused(k, FAL_K1, "capture-gap");
            continue;
        }
        fal_k_broken(
            k, f, FAL_K1,
            "segment %" PRIu64 " was acknowledged and arrived, but was never delivered", seg);
        return;
    }
}
