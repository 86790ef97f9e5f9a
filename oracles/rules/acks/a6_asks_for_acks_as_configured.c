/* SPDX-License-Identifier: Apache-2.0
 * a6_asks_for_acks_as_configured.c - rule A6: when a transmitter asks for an ACK. The
 * specification gives a guideline (9.1.3.1, AMB-56), so a violation is a warning. With a
 * congestion window up to the threshold every packet asks; above it a share of the packets
 * does, chosen at random or by counting. The rule judges many packets and leaves room for
 * chance. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

#include <math.h>
#include <stdio.h>

const struct fal_rule fal_about_a6 = {
    .id = "A6",
    .title = "a transmitter asks for ACKs as configured",
    .requirements = FAL_IDS("FTP-7.2-19", "FTP-9.1.1-25", "FTP-9.1.1-26", "FTP-9.1.3.1-02",
                            "FTP-9.1.3.1-03"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "",
    .doc =
        "The specification gives a guideline, so violations are warnings (AMB-56). With a "
        "congestion window up to the threshold: a first copy without AR. Above it: a share of "
        "first copies with AR that differs from the configured one by six standard "
        "deviations, over at least 400 packets.",
};

enum { SHARE_MIN = 400, SIGMAS = 6 };

struct state {
    uint32_t packets, asking; /* first copies, above the threshold */
    struct fal_at first;
};

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    struct fal_in_force now;
    uint32_t least, most;

    /* the tester asks as it likes */
    if (c->subject != FAL_SUBJECT_SUT || !q->reliable || q->prior != NULL ||
        !fal_given(c, FAL_PARAM_AT_ar_threshold))
        return;
    now = fal_in_force(c, q->at.t_ns, 0);
    if (!fal_fcwnd_known(&now) || (!now.moved && !fal_given(c, FAL_PARAM_AT_fcwnd)))
        return;
    least = now.of.lo.fcwnd / FAL_CC_FRACTION;
    most = now.of.hi.fcwnd / FAL_CC_FRACTION;
    if (least <= params->ar_threshold && most > params->ar_threshold)
        return; /* Either may hold. */
    if (most <= params->ar_threshold) {
        if (q->falcon->ack_req != 0)
            fal_holds(c);
        else
            fal_broken(
                c,
                &(struct fal_blame){
                    .requirement = "FTP-9.1.3.1-02", .effect = &q->at, .packet = q->packet},
                "ar=1: the congestion window is %u packets, the threshold for asking on each packet is %u",
                (unsigned)most, (unsigned)params->ar_threshold);
        return;
    }
    if (state->packets == 0)
        state->first = q->at;
    state->packets++;
    state->asking += q->falcon->ack_req != 0;
}

static void finish(struct fal_ctx *c)
{
    const struct state *state = c->state;
    double share = c->track->setup.params.ar_percent / 100.0, n = state->packets, room;
    char seen[64];
    struct fal_at at = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};

    if (state->packets < SHARE_MIN || !fal_given(c, FAL_PARAM_AT_ar_percent))
        return;
    room = SIGMAS * sqrt(n * share * (1 - share)) + 1;
    if (state->asking >= n * share - room && state->asking <= n * share + room) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "%u of %u", (unsigned)state->asking,
                   (unsigned)state->packets);
    fal_broken(
        c, &(struct fal_blame){"FTP-9.1.3.1-03", {&state->first}, .effect = &at, .seen = seen},
        "%u %% of the packets with AR", (unsigned)c->track->setup.params.ar_percent);
}

const struct fal_rule_impl fal_rule_a6 = {
    .about = &fal_about_a6,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_LIMITS,
    .finish = finish,
};
