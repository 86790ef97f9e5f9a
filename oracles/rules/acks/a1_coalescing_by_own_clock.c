/* SPDX-License-Identifier: Apache-2.0
 * a1_coalescing_by_own_clock.c - rule A1: an ACK leaves within the coalescing timeout, measured
 * by the SUT's own clock: from the arrival of a packet (t2) to the departure of the first
 * packet that acknowledges it (its IV). Delays of the path do not enter. */
#include "codecs/base/time_text.h"
#include "oracles/rules/acks/duty.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

const struct fal_rule fal_about_a1 = {
    .id = "A1",
    .title = "an ACK leaves within the coalescing timeout, measured by the SUT's own clock",
    .requirements = FAL_IDS("FTP-9.1.1-24", "FTP-9.1.6-07"),
    .role = "receiver",
    .needs = "wire, IV, coalescing",
    .assumes = "same-packet-on-retransmit",
    .doc = "An ACK that echoes the t1 of a new packet other than a push, and that is the first "
           "to acknowledge it, leaves no later than the coalescing timeout after t2. The IV of "
           "the ACK gives the departure. Jitter of the path has no influence. On a path that "
           "loses packets an earlier ACK may have been lost.",
};

/* The packet that q acknowledges first, or NULL when q is not an ACK that this rule uses. */
static const struct fal_echo *told_of(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    const struct fal_echo *p;
    const struct fal_sent *sent;
    const struct fal_claim *claim;
    bool alone;

    if ((q->falcon->packet_type != FAL_BACK && q->falcon->packet_type != FAL_EACK) ||
        !q->packet->has_iv || !clock->verified || clock->refuted)
        return NULL;
    p = fal_echo_find(&c->track->echoes[fal_in(c)], q->falcon->t1, FAL_T1_SHIFT, NULL, &alone);
    if (p == NULL || !alone || !p->fresh || p->type == FAL_PUSH_DATA)
        return NULL;
    claim = &q->claim[p->window];
    sent = fal_stream_sent(fal_in_stream(c, (enum fal_window)p->window), p->x);
    if (sent == NULL || (sent->flags & (FAL_SENT_REFUSED | FAL_SENT_DOUBTFUL)) != 0 ||
        sent->first.index != p->at.index ||
        fal_duty_claimed(c, (enum fal_window)p->window, p->x))
        return NULL;
    if (p->x >= claim->base && (p->x - claim->base >= 128 ||
                                !fal_u128_test(claim->ack, (unsigned)(p->x - claim->base))))
        return NULL;
    return p;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_echo *p = told_of(c, q);
    struct fal_timer_bounds b;
    struct fal_path path = fal_path_out(c);
    uint64_t held_ns, limit_ns, apart_ns, slack_ns = 0;
    uint64_t stamps_ns = (uint64_t)fal_ticks_ns(1) + fal_t2_step_ns(c);
    bool bounded;
    int32_t held;

    if (p == NULL)
        return;
    bounded = fal_coalescing_judged(c, &b) && fal_duty_slack(c, &slack_ns) &&
              fal_in_ratio(c, FAL_RATIO_A1);
    held = (int32_t)((uint32_t)(q->packet->iv >> FAL_T1_SHIFT) - q->falcon->t2);
    apart_ns = q->at.t_ns > p->at.t_ns ? q->at.t_ns - p->at.t_ns : 0;
    held_ns = held > 0 ? (uint64_t)fal_ticks_ns(held) : 0;
    limit_ns = b.late_ns + slack_ns + stamps_ns;
    if (held < -1 || held_ns > apart_ns + apart_ns / 5000 + 2 * c->bench->run.clock_error_ns +
                                   q->at.error_ns + p->at.error_ns + stamps_ns) {
        fal_undecided(c, FAL_EXCUSE_CLOCK); /* t2 is of another clock */
    } else if (!bounded) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    } else if (held_ns <= limit_ns) {
        fal_met(c, held_ns, limit_ns, slack_ns);
    } else if (fal_track_may_miss(c->track, fal_out(c), p->at.index)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* an earlier ACK may have acknowledged it */
    } else if (!path.lossless) {
        fal_excused(c, FAL_EXCUSE_OUT_LOSS);
    } else if (!path.in_order) {
        fal_excused(c, FAL_EXCUSE_OUT_REORDER);
    } else {
        fal_broken(c,
                   &(struct fal_blame){.requirement = "FTP-9.1.6-07",
                                       .cause = {&p->at},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "an ACK no later than %s after the packet arrived, by the clock of IV and "
                   "t2; it left after %s",
                   fal_time_text(limit_ns).text, fal_time_text(held_ns).text);
    }
}

const struct fal_rule_impl fal_rule_a1 = {
    .about = &fal_about_a1,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_IV,
};
