/* SPDX-License-Identifier: Apache-2.0
 * e1_round_trip_before_early_repeat.c - rule E1: before a packet is sent again early, at least
 * one round trip has passed since its last copy (9.1.4). The specification leaves open which
 * round trip the SUT uses (AMB-55). But no average is below the least sample, and no sample is
 * below the time for which the other side held the echoed packet: from the last packet seen of
 * the SUT to the ACK. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_e1 = {
    .id = "E1",
    .title = "an early retransmission waits for a round trip",
    .requirements = FAL_IDS("FTP-9.1.4-06", "FTP-9.1.4-07", "FTP-9.1.4-13"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when the SUT retransmits a packet early, as an EACK or OWN allows, and "
        "sooner after its last copy than the least round trip that the SUT can have "
        "measured: the initial one, and no sample is less than the time for which the other "
        "side held the echoed packet. To make the rule sharp, delay every ACK. Between the "
        "least and the greatest sample nothing is judged. A warning (AMB-55): after 64 samples "
        "the SUT still waits less than a quarter of the least of them, so it seems to measure "
        "no round trip; or OWN asks for a packet soon after its first transmission, which is "
        "no retransmission.",
};

/* Ticks of 131.072 ns at both ends of a sample, and arithmetic with whole ones. */
enum { ROUNDING_NS = 400 };
/* After so many samples an average is above that part of the least of them, unless each sample
 * moves it by less than 0.5 %. */
enum { SETTLED = 64, SETTLED_PART = 4 };
/* An ACK that echoes an older packet than so many is taken for one that echoes the last. */
enum { ECHOES = 8 };

struct state {
    bool sampled;
    uint64_t least_ns;   /* no sample so far was less */
    unsigned settled;    /* samples of different packets */
    uint64_t settled_ns; /* the packet that the last of them may have echoed */
};

/* What lies between the observer and the subject at least, both ways. */
static uint64_t path_ns(const struct fal_ctx *c)
{
    const struct fal_ev_run *run = &c->bench->run;

    if (run->vantage == FAL_VANTAGE_MIDDLE || fal_path_in(c).at_port)
        return 0;
    return run->delay_min_ns < FAL_NEVER / 4 ? 2 * run->delay_min_ns : 0;
}

/* When the packet was seen that an ACK echoes: one of the newest with that t1, or the last. */
static uint64_t echoed_ns(const struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_ring *ring = &c->track->echoes[fal_out(c)].ring;

    for (int64_t n = ring->hi - 1; n >= ring->lo && n >= ring->hi - ECHOES; n--) {
        const struct fal_echo *echo = fal_ring_at(ring, n);

        if (echo != NULL && (uint32_t)(echo->iv >> FAL_T1_SHIFT) == p->falcon->t1)
            return echo->at.t_ns;
    }
    return c->track->last_ns[fal_out(c)];
}

/* Whether t1 is later than every packet of the subject so far: no sample is known then. */
static bool from_the_future(const struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    const struct fal_ring *ring = &c->track->echoes[fal_out(c)].ring;
    const struct fal_echo *last = fal_ring_at(ring, ring->hi - 1);

    return p->falcon->t1 != 0 && clock->verified && last != NULL &&
           (int32_t)(p->falcon->t1 - (uint32_t)(last->highest >> FAL_T1_SHIFT)) > 0;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    enum fal_packet_type type = p->falcon->packet_type;
    uint64_t last_ns, held_ns = 0;

    if (fal_falcon_reliable(type))
        return; /* only ACKs and NACKs echo */
    last_ns = echoed_ns(c, p);
    if (p->at.t_ns > last_ns && !fal_track_may_miss(c->track, fal_out(c), 0) &&
        !c->bench->stepped)
        held_ns = p->at.t_ns - last_ns;
    held_ns = from_the_future(c, p) ? 0 : held_ns + path_ns(c);
    if (!state->sampled || held_ns < state->least_ns)
        state->least_ns = held_ns;
    state->sampled = true;
    if (p->falcon->t1 != 0 && last_ns > state->settled_ns) {
        state->settled++;
        state->settled_ns = last_ns;
    }
}

/* What the average of a SUT that measures has surely come up to; 0: unknown. */
static uint64_t settled_wait(const struct fal_ctx *c)
{
    const struct state *state = c->state;

    return state->settled >= SETTLED && c->track->clock[fal_out(c)].started
               ? state->least_ns / SETTLED_PART
               : 0;
}

/* What the subject must at least have waited; 0: unknown. */
static uint64_t least_wait(const struct fal_ctx *c)
{
    const struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    uint64_t least = params->initial_rtt_ns, slack;
    struct fal_timer_bounds b;

    if (!fal_given(c, FAL_PARAM_AT_initial_rtt) || !fal_rto_judged(c, &b) ||
        !c->track->setup.initial_known || c->track->clock[fal_out(c)].refuted)
        return 0; /* Samples may have gone before, or t1 counts other units (AMB-32). */
    if (state->sampled && state->least_ns < least)
        least = state->least_ns;
    if (b.least_ns < least)
        least = b.least_ns;
    slack = least / 1000 + ROUNDING_NS + 2 * fal_clock_step_ns(c) + fal_pipeline_ns(c);
    return least > slack ? least - slack : 0;
}

/* Whether OWN asks for the packet, of which no copy but the first is known. It asks for those
 * "not retransmitted recently", and the first transmission is no retransmission; the text
 * before demands a round trip since either. */
static bool own_may_ask(const struct fal_ctx *c, const struct fal_seen *q)
{
    return q->prior->copies == 1 && q->x < fal_out_stream(c, q->window)->licensed_below;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, uint64_t gap_ns,
                   uint64_t due_ns, bool warn)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    struct fal_at last = fal_last_copy(q->prior);
    char number[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){.requirement = "FTP-9.1.4-07",
                            .cause = {&last, &stream->licence},
                            .effect = &q->at,
                            .packet = q->packet,
                            .warn = warn},
        "%s PSN %s retransmitted early no sooner than a round trip after its last copy, at "
        "least %s; it was %s",
        fal_window_word(q->window), fal_psn_text(stream, q->x, number),
        fal_time_text(due_ns).text, fal_time_text(gap_ns).text);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct fal_timer_bounds b;
    struct fal_gap gap;
    uint64_t due_ns;

    if (!q->reliable || q->prior == NULL || q->falcon->packet_type == FAL_RESYNC ||
        q->prior->copies == 0 || (q->prior->flags & FAL_SENT_RESYNC) != 0 ||
        fal_stream_acked(fal_out_stream(c, q->window), q->x) ||
        fal_licence_of(c, q->window, q->x) != FAL_LICENCE_EACK)
        return;
    gap = fal_gap_of(c, q);
    due_ns = least_wait(c);
    if (!gap.known) {
        if (gap.same)
            fal_excused(c, gap.why);
        else
            fal_undecided(c, gap.why);
    } else if (fal_rto_judged(c, &b) && gap.max_ns + fal_pipeline_ns(c) >= b.least_ns) {
        return; /* its timer did it */
    } else if (due_ns == 0) {
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
    } else if (fal_rack_of(c) != FAL_RACK_DENIED) {
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* another clock than the round trip */
    } else if (gap.max_ns < due_ns) {
        broken(c, q, gap.max_ns, due_ns, own_may_ask(c, q));
    } else if (gap.max_ns + fal_pipeline_ns(c) < settled_wait(c)) {
        broken(c, q, gap.max_ns, settled_wait(c), true);
    } else {
        fal_held(c, gap.max_ns >= due_ns + fal_pipeline_ns(c));
    }
}

const struct fal_rule_impl fal_rule_e1 = {
    .about = &fal_about_e1,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_AGAIN,
    .in = in,
    .on_in = FAL_ON_ACK,
};
