/* SPDX-License-Identifier: Apache-2.0
 * cc_plb.c - ComputePlb (10.4). Where an event leaves open whether its packets count as
 * congested, the states of both answers go on, and later results remove what does not fit. */
#include "oracles/rules/cc/cc_judging.h"

#include <string.h>

/* One state after the event. Returns whether it reroutes; *of says why. */
static bool step(const struct fal_band_view *view, const struct fal_band_fork *fork,
                 bool congested, struct fal_band_plb_state *state, const char **of)
{
    const struct fal_band_params *params = view->params;
    uint32_t acked = state->acked + view->event->num_packets_acked;
    uint32_t marked = state->congested + (congested ? view->event->num_packets_acked : 0U);
    double window = fal_least(fal_band_fcwnd(view->event).lo, view->event->ncwnd);
    /* A quotient in single precision may differ from the product by so much at equality. */
    double least = params->plb_congestion_threshold * acked, slack = 1e-6 * acked;
    unsigned attempts = params->plb_attempt_threshold;

    if (acked < window) {
        *of = "FTP-10.4-05";
        state->acked = (uint16_t)acked;
        state->congested = (uint16_t)marked;
        return false;
    }
    state->acked = state->congested = 0;
    *of = "FTP-10.4-06";
    if (marked < least - slack ||
        (marked <= least + slack && fork->of[FAL_BAND_AXIS_FRACTION] != 0)) {
        state->attempts = 0;
        return false;
    }
    state->attempts++;
    *of = "FTP-10.4-11";
    if (fork->of[FAL_BAND_AXIS_ATTEMPTS] != 0 ? state->attempts <= attempts
                                              : state->attempts < attempts)
        return false;
    state->attempts = 0;
    *of = "FTP-10.4-08";
    return true;
}

/* Adds a state once. More than fit: every state is allowed from then on. */
static void add(struct fal_band_plb *plb, const struct fal_band_plb_state *state)
{
    for (int i = 0; i < plb->n; i++)
        if (memcmp(&plb->at[i], state, sizeof *state) == 0)
            return;
    if (plb->n < FAL_BAND_PLB_STATES)
        plb->at[plb->n++] = *state;
    else
        plb->open = true;
}

void fal_band_plb_copy(struct fal_band_plb *to, const struct fal_band_plb *from)
{
    to->n = from->n;
    to->open = from->open;
    for (int i = 0; i < from->n; i++)
        to->at[i] = from->at[i];
}

bool fal_band_plb_is(const struct fal_band_plb *a, const struct fal_band_plb *b)
{
    return a->n == b->n && a->open == b->open &&
           memcmp(a->at, b->at, a->n * sizeof a->at[0]) == 0;
}

bool fal_band_plb(const struct fal_band_view *view, const struct fal_band_fork *fork,
                  struct fal_cc_span target, bool reroute, struct fal_band_plb *plb,
                  const char **of)
{
    struct fal_cc_span limit =
        fal_span_mul(target, fal_span_of(view->params->plb_target_delay_multiplier));
    bool may[2] = {view->smoothed_delay.lo <= limit.hi + FAL_BAND_NEAR,
                   view->smoothed_delay.hi >= limit.lo - FAL_BAND_NEAR};
    struct fal_band_plb next;

    *of = "FTP-10.4-01";
    if (view->retransmit ||
        (view->event->event_type == FAL_CC_NACK && fork->of[FAL_BAND_AXIS_PLB_NACK] == 0)) {
        plb->open |= reroute;
        return !reroute;
    }
    if (plb->open)
        return true;
    next.n = 0;
    next.open = false;
    for (int i = 0; i < plb->n; i++)
        for (int congested = 0; congested < 2; congested++) {
            struct fal_band_plb_state state = plb->at[i];

            if (may[congested] && step(view, fork, congested != 0, &state, of) == reroute)
                add(&next, &state);
        }
    next.open |= next.n == 0;
    fal_band_plb_copy(plb, &next);
    return next.n != 0;
}

/* One fork whose counters are kept. */
static void judge_one(struct fal_band_judging *j, unsigned s, unsigned t, unsigned l)
{
    const struct fal_band_plb *from = &j->series->plb[s][t][l];
    struct fal_band_plb *to = &j->next[s][t][l];
    bool reroute = j->result->randomize_path, fits;
    unsigned twin = j->twin[s];
    struct fal_band_fork fork;
    const char *of;

    j->counted[s][t] |= (uint16_t)(1U << l);
    if (twin != s && (j->counted[twin][t] >> l & 1) != 0 &&
        fal_band_plb_is(&j->series->plb[twin][t][l], from)) {
        fal_band_plb_copy(to, &j->next[twin][t][l]);
        fits = (j->after.plb[twin][t] >> l & 1) != 0;
    } else {
        struct fal_band_targets *targets;

        fal_band_choose(&fork, FAL_BAND_PLB, l);
        targets = fork.of[FAL_BAND_AXIS_PLB_TARGET] != 0 ? &j->new_targets : &j->targets;
        fal_band_plb_copy(to, from);
        fits = fal_band_plb(&j->view, &fork, fal_band_targets_at(targets, &j->view, t)->delay,
                            reroute, to, &of);
        if (!fits)
            fal_band_offer(
                j, FAL_BAND_PLB, 0,
                fal_band_breach_of(FAL_BAND_PATH, of, fal_span_of(!reroute), reroute));
    }
    if (fits)
        return;
    j->after.plb[s][t] &= (uint16_t) ~(1U << l);
    j->changed = true;
}

void fal_band_judge_plb(struct fal_band_judging *j, unsigned s)
{
    for (unsigned t = 0; t < FAL_BAND_T; t++) {
        unsigned was = j->before->plb[s][t], kept = j->counting->plb[s][t];

        j->counted[s][t] = 0;
        for (unsigned l = 0; was >> l != 0; l++) {
            if ((was >> l & 1) == 0)
                continue;
            if ((kept >> l & 1) != 0)
                judge_one(j, s, t, l);
            else if (!j->series->plb[s][t][l].open)
                j->after.plb[s][t] &= (uint16_t) ~(1U << l);
        }
    }
}
