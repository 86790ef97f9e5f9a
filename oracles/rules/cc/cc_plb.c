/* SPDX-License-Identifier: Apache-2.0
 * cc_plb.c - ComputePlb (10.4). Where an event leaves open whether its packets count as
 * congested, the states of both answers go on, and later results remove what does not fit. */
#include "oracles/rules/cc/cc_view.h"

#include <string.h>

/* One state after the event. Returns whether it reroutes; *of says why. */
static bool step(const struct fal_band_view *view, const struct fal_band_fork *fork,
                 bool congested, struct fal_band_plb_state *state, const char **of)
{
    const struct fal_band_params *params = view->params;
    uint32_t acked = state->acked + view->event->num_packets_acked;
    uint32_t marked = state->congested + (congested ? view->event->num_packets_acked : 0U);
    double window = fmin(fal_band_fcwnd(view->event).lo, view->event->ncwnd);
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

bool fal_band_plb(const struct fal_band_view *view, const struct fal_band_fork *fork,
                  struct fal_cc_span target, bool reroute, struct fal_band_plb *plb,
                  const char **of)
{
    struct fal_cc_span limit =
        fal_span_mul(target, fal_span_of(view->params->plb_target_delay_multiplier));
    bool may[2] = {view->smoothed_delay.lo <= limit.hi + FAL_BAND_NEAR,
                   view->smoothed_delay.hi >= limit.lo - FAL_BAND_NEAR};
    struct fal_band_plb next = {0};

    *of = "FTP-10.4-01";
    if (view->retransmit ||
        (view->event->event_type == FAL_CC_NACK && fork->of[FAL_BAND_AXIS_PLB_NACK] == 0))
        return !reroute;
    if (plb->open)
        return true;
    for (int i = 0; i < plb->n; i++)
        for (int congested = 0; congested < 2; congested++) {
            struct fal_band_plb_state state = plb->at[i];

            if (may[congested] && step(view, fork, congested != 0, &state, of) == reroute)
                add(&next, &state);
        }
    if (next.n == 0)
        return false;
    *plb = next;
    return true;
}
