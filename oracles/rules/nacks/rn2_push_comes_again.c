/* SPDX-License-Identifier: Apache-2.0
 * rn2_push_comes_again.c - rule RN2: a push that got an RNR is sent again, by the longer of
 * delay and RTO. Waiting does not use up its attempts (rule RN3). Only the packet at the base
 * is certain not to be held back by the windows. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/held.h"

const struct fal_rule fal_about_rn2 = {
    .id = "RN2",
    .title = "a push is retransmitted after its RNR",
    .requirements = FAL_IDS("FTP-6.6.3-01", "FTP-8.5.3.4-03"),
    .role = "initiator",
    .needs = "wire, RTO, lossless paths",
    .assumes = "base-not-beyond-sent",
    .doc =
        "On paths that lose nothing, violated when the packet at the base got an RNR and has "
        "no further copy by twice the longer of delay and RTO. Decided when the SUT sends "
        "something later (a silent SUT may be dead). The windows may hold back other packets, "
        "and the packet at the base if others that wait for their RNR delays fill ncwnd. If it "
        "waits on an ordered connection because a lower RSN of the other window may wait for "
        "fcwnd, for ncwnd or for its RNR delay, that is the other reading of AMB-58 (a warning).",
};

enum { WAITING_MAX = 64 };

struct waiting {
    int64_t x, base[2]; /* base: of the NACK, by window */
    enum fal_window window;
    uint64_t until_ns; /* FAL_NEVER: no bound is known */
    struct fal_at nack;
};

struct state {
    struct fal_bag waiting;
};

/* By when the copy has been seen. The RTO may run from a copy that was sent meanwhile, so twice
 * the time. */
static uint64_t deadline(const struct fal_ctx *c, const struct fal_seen *p)
{
    struct fal_path in = fal_path_in(c);
    struct fal_timer_bounds rto, rnr;
    uint64_t delay = fal_rnr_timeout_ns(p->falcon->rnr_timeout), in_ns, out_ns, slack_ns;

    /* a NACK that a newer acknowledgement overtakes is stale */
    if (!in.lossless || !in.in_order || !fal_path_out(c).lossless || !fal_rto_judged(c, &rto) ||
        !fal_rnr_judged(c, delay, &rnr) || !fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return FAL_NEVER;
    delay = rnr.late_ns > rto.late_ns ? rnr.late_ns : rto.late_ns;
    return p->at.t_ns + in_ns + out_ns + 2 * delay + slack_ns;
}

static bool forget(struct state *state, enum fal_window w, int64_t x)
{
    for (unsigned i = 0; i < state->waiting.num; i++) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (it->x != x || it->window != w)
            continue;
        fal_bag_remove(&state->waiting, sizeof *it, i);
        return true;
    }
    return false;
}

/* A push that is acknowledged, or whose NACK may be stale, need not come again. */
static void claimed(const struct fal_ctx *c, struct state *state, const struct fal_seen *p)
{
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (fal_claim_acks(&p->claim[it->window], it->x) ||
            fal_may_overtake(c, &it->nack, it->base, p))
            fal_bag_remove(&state->waiting, sizeof *it, i);
        else
            i++;
    }
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_falcon *f = p->falcon;
    enum fal_window w = (enum fal_window)(f->window & 1);
    struct fal_stream *stream = &c->track->stream[fal_out(c)][w];
    const struct fal_sent *sent;
    struct waiting *it;
    int64_t x;

    claimed(c, state, p);
    if (f->packet_type != FAL_NACK || !stream->started)
        return;
    x = fal_stream_extend(stream, f->nack_psn);
    (void)forget(state, w, x);
    sent = fal_stream_sent(stream, x);
    if (f->nack_code != FAL_NACK_RNR || p->doubtful || sent == NULL ||
        sent->type != FAL_PUSH_DATA || (sent->flags & FAL_SENT_RESYNC) != 0 ||
        x < stream->base || fal_may_be_stale(c, p))
        return;
    it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);
    if (it == NULL)
        return;
    *it = (struct waiting){.x = x,
                           .base = {p->claim[0].base, p->claim[1].base},
                           .window = w,
                           .until_ns = deadline(c, p),
                           .nack = p->at};
}

static void overdue(struct fal_ctx *c, const struct waiting *it, const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, it->window);
    char number[FAL_NUMBER_MAX];
    struct fal_timer_bounds rto;

    if (it->x != stream->base || fal_taken(c, it->window) < it->x ||
        (!fal_nic_open(c, it->window, it->x) && fal_rnr_waits(c, it->window, it->x)))
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
    else if (c->track->gap_index[fal_out(c)] > it->nack.index)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!fal_rto_judged(c, &rto)) /* it was changed meanwhile */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (!fal_behind_waiting(c, it->window, it->x) ||
             !fal_read_as(c, FAL_AMB_58, FAL_READ_OTHER, &q->at))
        fal_broken(c,
                   &(struct fal_blame){
                       "FTP-6.6.3-01",
                       {&it->nack},
                       .effect = &q->at,
                       .packet = q->packet,
                       .seen = "no copy until this packet, on a path that loses nothing"},
                   "push PSN %s retransmitted after its RNR NACK, by %s",
                   fal_psn_text(stream, it->x, number), fal_time_text(it->until_ns).text);
}

/* A SUT that sends a packet after the deadline was alive at the deadline. */
static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint64_t slack_ns;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting it = *FAL_BAG(&state->waiting, struct waiting, i);
        bool late = q->at.t_ns > it.until_ns;

        if (!late && (!q->reliable || q->window != it.window || q->x != it.x)) {
            i++;
            continue;
        }
        fal_bag_remove(&state->waiting, sizeof it, i);
        if (late)
            overdue(c, &it, q);
        else
            fal_met(c, q->at.t_ns, it.until_ns,
                    fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns) ? slack_ns : 0);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->waiting, FAL_EXCUSE_IN_LOSS);
}

const struct fal_rule_impl fal_rule_rn2 = {
    .about = &fal_about_rn2,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_NACK | FAL_ON_WAITING,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .finish = finish,
    .release = fal_bag_release,
};
