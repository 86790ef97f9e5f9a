/* SPDX-License-Identifier: Apache-2.0
 * k_send.c - a segment that the sender sends, or that passes; K7. */
#include "oracles/rules/transport/k_sides.h"

#include <inttypes.h>

void fal_k_identity(struct fal_tp_judge *k, const struct fal_k_flow *f, struct fal_k_seg *s,
                    const struct fal_tp_event *e)
{
    const bool both = s->digest != 0 && e->digest != 0;

    if (e->trimmed)
        return;
    if (s->bytes != 0 && e->bytes != 0) {
        if (s->bytes != e->bytes)
            fal_k_broken(k, f, FAL_K7,
                         "a copy of segment %" PRIu64 " has %" PRIu32
                         " bytes, an earlier copy had %" PRIu32,
                         e->seg, e->bytes, s->bytes);
        else if (both && s->digest != e->digest)
            fal_k_broken(k, f, FAL_K7,
                         "the payload of a copy of segment %" PRIu64
                         " differs from that of an earlier copy",
                         e->seg);
        else
            fal_k_held(k, FAL_K7);
    }
    if (e->bytes != 0)
        s->bytes = e->bytes;
    if (e->digest != 0)
        s->digest = e->digest;
}

/* In the network a segment that passes again may be a duplicate of the network. */
static void passes(struct fal_tp_judge *k, struct fal_k_seg *s)
{
    if (s->copies > 0) {
        fal_k_excused(k, FAL_K5, "vantage");
        fal_k_excused(k, FAL_K9, "vantage");
    }
    s->arrived = true; /* it may arrive from now on */
}

static void first_copy(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                       struct fal_k_seg *s)
{
    if (seg >= f->next)
        fal_k_new_in_order(k, f, seg);
    if (f->unacked == 0) /* nothing was in flight: the timer starts */
        f->timer_ns = k->now_ns;
    if (seg < f->cum) { /* acknowledged before a copy was seen */
        s->acked = true;
        s->acked_ns = f->cum_ns;
    }
    if (!s->acked) {
        s->flying = true;
        f->flying++;
        f->unacked++;
    }
}

static void again(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                  struct fal_k_seg *s)
{
    fal_k_copy_in_order(k, f, seg, s);
    if (s->acked || seg < f->cum)
        return;
    fal_k_cause(k, f, seg, s);
    /* RFC 6582 3.2: `recover` is the highest segment that was sent before this one. A sender
     * may begin it after further duplicates, while limited transmit sends new segments. */
    if (f->recovering && !f->entered && seg == f->cum) {
        f->entered = true;
        f->recover = f->next;
    }
    if (s->lost) {
        s->lost = false;
        f->lost_count--;
        fal_k_held(k, FAL_K6);
    }
    s->licensed = false;
    if (!s->flying) {
        s->flying = true;
        f->flying++;
    }
}

int fal_k_send(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e)
{
    struct fal_k_seg *s;
    const uint64_t seg = e->seg;

    if (fal_k_hold(f, seg, &s) != 0)
        return FAL_ERR_MEM;
    fal_k_credit(k, f, e, s);
    if (s == NULL) {
        if (seg < f->low && fal_k_at_sender(k))
            fal_k_copy_in_order(k, f, seg, NULL);
        else
            fal_k_excused(k, FAL_K7, "forgotten");
        f->last_send_ns = k->now_ns;
        return 0;
    }
    fal_k_identity(k, f, s, e);
    if (e->bytes > f->largest)
        f->largest = e->bytes;
    if (fal_k_at_sender(k)) {
        fal_k_goes_on(k, f, seg);
        if (s->copies == 0)
            first_copy(k, f, seg, s);
        else
            again(k, f, seg, s);
    } else {
        passes(k, s);
    }
    s->copies += s->copies < UINT32_MAX;
    s->last_ns = k->now_ns;
    s->last_order = k->order;
    if (f->next <= seg)
        f->next = seg + 1;
    f->last_send_ns = k->now_ns;
    f->stalled = false;
    return 0;
}
