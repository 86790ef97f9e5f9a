/* SPDX-License-Identifier: Apache-2.0
 * rp.c - the reaction point: RP1 to RP4. The rate of a sender is known as an interval (rate.h);
 * above its upper edge RP1 decides. That a sender is slow proves something only if it always
 * had data to send, which has to be declared. */
#include "oracles/rules/roce/state.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TEXT = 200,
    SLOT = 32,    /* packets */
    QUIET = 20,   /* T without a CNP */
    FRAMING = 24, /* bytes of a frame on the wire that are not in a capture */
};
#define ENOUGH 0.9 /* of a rate */

/* A flow that is paced, or NULL. */
static struct fal_roce_rate *rate_of(struct fal_roce_judge *j, uint32_t flow, uint64_t at_ns)
{
    struct fal_roce_flow *f = &j->flows[flow];
    uint32_t peer;

    if (f->rate != NULL)
        return f->rate;
    f->rate = malloc(sizeof *f->rate);
    if (f->rate == NULL)
        j->counts.out_of_memory = true;
    else
        /* CNPs before a pair is learned are not known. */
        fal_rj_rate_begin(f->rate, &j->setup, at_ns,
                          !j->was_gap && fal_rj_given_peer(j, flow, &peer));
    return f->rate;
}

/* ---- slots: RP2 to RP4 ---- */

/* The rate that a slot shows at most, or at least: bytes that the limiter held back or let pass
 * at once may belong to the slot beside it. */
static double rate_in(const struct fal_roce_judge *j, const struct fal_roce_slot *slot,
                      uint64_t now_ns, bool most)
{
    uint64_t took = fal_rj_since(now_ns, slot->from_ns), slack = fal_rj_slack(&j->setup);
    uint64_t bytes = slot->bytes, burst = j->setup.burst_bytes;

    if (most) {
        took = took > slack ? took - slack : 1;
        return (double)(bytes + burst) * 8e9 / (double)took;
    }
    took += slack + 1;
    return bytes > burst ? (double)(bytes - burst) * 8e9 / (double)took : 0;
}

static bool is_quiet(const struct fal_roce_judge *j, const struct fal_roce_rate *r,
                     uint64_t now_ns)
{
    return !r->had_cnp || fal_rj_since(now_ns, r->last_cnp_ns) >
                              QUIET * fal_rj_longest(&j->setup, j->setup.dcqcn.timer_ns);
}

struct view {
    struct fal_roce_judge *judge;
    const struct fal_roce_rate *rate;
    struct fal_roce_place place;
    uint32_t qp;
    double measured;
    bool full;   /* the port had no room for more */
    bool shared; /* other flows sent, too */
};

/* Why a slow sender proves nothing; NULL: it does. */
static const char *slow_excuse(const struct view *v)
{
    if (!v->judge->setup.backlogged)
        return "app-limited";
    if (v->full)
        return "link-full";
    /* A packet of another queue pair at the port delays the next one of this one. */
    return v->shared && !v->judge->setup.separate_scheduler ? "shared-scheduler" : NULL;
}

/* CNPs of two pieces of time, one after the other. */
static struct fal_roce_cnps_of both(const struct fal_roce_cnps_of *a,
                                    const struct fal_roce_cnps_of *b)
{
    struct fal_roce_cnps_of sum = *a;

    if (b->count == 0)
        return sum;
    if (a->count == 0)
        return *b;
    sum.count += b->count;
    sum.last_ns = b->last_ns;
    sum.alpha = b->alpha > a->alpha ? b->alpha : a->alpha;
    return sum;
}

static void rp2(const struct view *v)
{
    const struct fal_rj_setup *s = &v->judge->setup;
    const struct fal_roce_slot *slot = &v->rate->slot;
    struct fal_roce_cnps_of cnps = both(&v->rate->cnps_before, &slot->cnps);
    double least = v->rate->before * fal_rj_rate_left(s, &cnps);
    double floor = (double)s->dcqcn.min_rate_bps;
    char text[TEXT];

    if (!v->rate->had_cnp)
        return;
    if (cnps.count == 0)
        least = 0; /* a fall without a CNP is for RP3 */
    if (least < floor)
        least = floor;
    if (least == 0)
        return;
    if (slow_excuse(v) != NULL) {
        fal_rj_excused(v->judge, FAL_ROCE_RP2, slow_excuse(v));
        return;
    }
    if (v->measured >= ENOUGH * least) {
        fal_rj_held(v->judge, FAL_ROCE_RP2);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected at least %.0f bit/s after %.0f bit/s and %u CNPs; found %.0f",
                   least, v->rate->before, cnps.count, v->measured);
    fal_rj_found(v->judge, FAL_ROCE_RP2, FAL_VERDICT_WARN, &v->place, v->qp, text);
}

static void rp3(const struct view *v)
{
    const struct fal_rj_setup *s = &v->judge->setup;
    char text[TEXT];

    if (!v->rate->had_cnp || !is_quiet(v->judge, v->rate, v->rate->slot.from_ns))
        return;
    if (slow_excuse(v) != NULL) {
        fal_rj_excused(v->judge, FAL_ROCE_RP3, slow_excuse(v));
        return;
    }
    if (v->measured >= ENOUGH * v->rate->slot.least) {
        fal_rj_held(v->judge, FAL_ROCE_RP3);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "expected at least %.0f bit/s, %d increases after the last CNP; found %.0f",
                   ENOUGH * v->rate->slot.least, QUIET, v->measured);
    fal_rj_found(v->judge, FAL_ROCE_RP3,
                 s->virtual_link ? fal_rj_unseen(v->judge) : FAL_VERDICT_INCONC, &v->place,
                 v->qp, text);
}

static void rp4(const struct view *v)
{
    const struct fal_rj_setup *s = &v->judge->setup;
    const struct fal_roce_slot *slot = &v->rate->slot;
    char text[TEXT];

    if (!slot->others || slot->cnps.count > 0 || v->rate->before == 0 ||
        !is_quiet(v->judge, v->rate, slot->from_ns))
        return;
    if (slow_excuse(v) != NULL || !s->separate_scheduler) {
        fal_rj_excused(v->judge, FAL_ROCE_RP4,
                       slow_excuse(v) != NULL ? slow_excuse(v) : "shared-scheduler");
        return;
    }
    if (v->measured >= ENOUGH * v->rate->before) {
        fal_rj_held(v->judge, FAL_ROCE_RP4);
        return;
    }
    (void)snprintf(
        text, sizeof text,
        "expected a CNP for another queue pair to change nothing; the rate fell from "
        "%.0f to %.0f bit/s",
        v->rate->before, v->measured);
    fal_rj_found(v->judge, FAL_ROCE_RP4,
                 s->virtual_link ? fal_rj_unseen(v->judge) : FAL_VERDICT_INCONC, &v->place,
                 v->qp, text);
}

static void end_slot(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    struct fal_roce_rate *r = j->flows[flow].rate;
    struct view v = {j,
                     r,
                     {r->slot.from_ns, r->slot.number, true},
                     j->flows[flow].qp,
                     rate_in(j, &r->slot, seen->at_ns, true),
                     false,
                     false};

    uint64_t took = fal_rj_since(seen->at_ns, r->slot.from_ns) + fal_rj_slack(&j->setup) + 1;

    v.full = (double)(j->port_bytes - r->slot.port) * 8e9 / (double)took >=
             ENOUGH * (double)j->setup.dcqcn.line_rate_bps;
    v.shared = j->port_bytes - r->slot.port > r->slot.bytes + r->slot.bytes / 10;
    rp2(&v);
    rp3(&v);
    rp4(&v);
    r->before = rate_in(j, &r->slot, seen->at_ns, false);
    r->cnps_before = r->slot.cnps;
    r->slot.there = false;
}

/* A slot has enough packets, and is no shorter than the sender needs to act on a CNP. */
static void count_in_slot(struct fal_roce_judge *j, uint32_t flow,
                          const struct fal_roce_seen *seen)
{
    struct fal_roce_slot *slot = &j->flows[flow].rate->slot;
    uint64_t least = fal_rj_longest(&j->setup, j->setup.dcqcn.decrease_period_ns) +
                     fal_rj_slack(&j->setup) + 2 * j->setup.pipeline_ns;

    if (slot->there && slot->packets >= SLOT &&
        fal_rj_since(seen->at_ns, slot->from_ns) > 4 * least)
        end_slot(j, flow, seen);
    if (!slot->there)
        *slot = (struct fal_roce_slot){.from_ns = seen->at_ns,
                                       .number = seen->number,
                                       .port = j->port_bytes,
                                       .least = j->flows[flow].rate->lower.rate,
                                       .there = true};
    slot->packets++;
    slot->bytes += seen->wire + FRAMING;
}

/* ---- packets ---- */

void fal_rj_rp_sent(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    const struct fal_roce_place place = fal_rj_place(seen);
    struct fal_roce_rate *r;
    char text[TEXT];
    bool limited;

    if (!j->paths[j->flows[flow].path].src_judged || fal_rj_rate_excuse(&j->setup) != NULL)
        return;
    r = rate_of(j, flow, seen->at_ns);
    if (r == NULL)
        return;
    limited = r->upper.limited;
    if (fal_rj_rate_sent(r, &j->setup, seen->at_ns, seen->payload, seen->wire + FRAMING)) {
        (void)snprintf(text, sizeof text,
                       "expected at most %.0f bit/s after the CNPs of this flow; found more, "
                       "beyond a burst of %llu bytes",
                       r->upper.rate, (unsigned long long)j->setup.burst_bytes);
        fal_rj_found(j, FAL_ROCE_RP1, fal_rj_unseen(j), &place, seen->dest_qp, text);
    } else if (limited && r->upper.packets == SLOT) {
        fal_rj_held(j, FAL_ROCE_RP1);
    }
    /* Without its twin the CNPs of a flow are not known. */
    if (j->flows[flow].twin != FAL_ROCE_NO_FLOW)
        count_in_slot(j, flow, seen);
}

/* The other queue pairs of the same sender. */
static void tell_others(struct fal_roce_judge *j, uint32_t flow)
{
    const struct fal_rj_host sender = j->paths[j->flows[flow].path].src;

    for (uint32_t i = 0; j->setup.backlogged && i < j->num_flows; i++)
        if (i != flow && j->flows[i].rate != NULL &&
            fal_rj_same_host(&j->paths[j->flows[i].path].src, &sender))
            j->flows[i].rate->slot.others = true;
}

void fal_rj_rp_cnp(struct fal_roce_judge *j, uint32_t flow, const struct fal_roce_seen *seen)
{
    const char *why = fal_rj_rate_excuse(&j->setup);
    uint32_t paced = j->flows[flow].twin;
    struct fal_roce_rate *r;

    if (!j->paths[j->flows[flow].path].dst_judged || seen->icrc == FAL_ROCE_ICRC_WRONG)
        return;
    if (why == NULL && paced == FAL_ROCE_NO_FLOW)
        why = "pairing-unknown";
    if (why != NULL) {
        fal_rj_excused(j, FAL_ROCE_RP1, why);
        return;
    }
    r = rate_of(j, paced, seen->at_ns);
    if (r == NULL)
        return;
    fal_rj_rate_cnp(r, &j->setup, seen->at_ns);
    tell_others(j, paced);
}

void fal_rj_rp_gap(struct fal_roce_judge *j)
{
    for (size_t i = 0; i < j->num_flows; i++)
        if (j->flows[i].rate != NULL) {
            fal_rj_rate_forget(j->flows[i].rate, &j->setup, j->now_ns);
            j->flows[i].rate->slot.there = false;
        }
}
