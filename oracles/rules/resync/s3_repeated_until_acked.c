/* SPDX-License-Identifier: Apache-2.0
 * s3_repeated_until_acked.c - rule S3: a Resync is reliable, so it is repeated until it is
 * acknowledged. Only a Resync at the base is certain not to be held back by the windows, and
 * only a SUT that goes on sending is alive. */
#include "codecs/base/time_text.h"
#include "oracles/rules/facts/copies.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_s3 = {
    .id = "S3",
    .title = "a Resync is retransmitted until it is acknowledged",
    .requirements = FAL_IDS("FTP-9.1.8-02"),
    .role = "transmitter",
    .needs = "wire, RTO, lossless path",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated by a Resync at the base that is neither acknowledged nor retransmitted for "
        "four timeouts before the SUT sends another packet.",
};

enum { WAITING_MAX = 64, PATIENCE = 4 /* timeouts */ };

struct waiting {
    int64_t x;
    enum fal_window window;
    struct fal_at last;
};

struct state {
    struct fal_bag waiting;
};

/* FAL_NEVER: no bound is known. */
static uint64_t deadline(const struct fal_ctx *c, const struct waiting *it)
{
    struct fal_timer_bounds b;
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_path_out(c).lossless || !fal_rto_judged(c, &b) ||
        !fal_given(c, FAL_PARAM_AT_fcwnd) || c->track->setup.params.fcwnd == 0 ||
        !fal_slack_ns(c, FAL_TIMER_RTO, 1, &slack_ns) || !fal_round_ns(c, &in_ns, &out_ns))
        return FAL_NEVER;
    return it->last.t_ns + out_ns + PATIENCE * b.late_ns + slack_ns;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (fal_claim_acks(&p->claim[it->window], it->x))
            fal_bag_remove(&state->waiting, sizeof *it, i);
        else
            i++;
    }
}

static void overdue(struct fal_ctx *c, const struct waiting *it, uint64_t until_ns,
                    const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, it->window);
    char number[FAL_NUMBER_MAX];
    struct fal_timer_bounds rto;

    if (it->x != stream->base)
        fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
    else if (c->track->gap_index[fal_out(c)] > it->last.index ||
             c->track->gap_index[fal_in(c)] > it->last.index) /* its ACK */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!fal_rto_judged(c, &rto)) /* it was changed meanwhile */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (!fal_given(c, FAL_PARAM_AT_ncwnd) ||
             fal_repeated_requests(c, it->window, it->x) < c->track->setup.params.ncwnd ||
             !fal_read_as(c, FAL_AMB_53, FAL_READ_OTHER, &q->at))
        fal_broken(c,
                   &(struct fal_blame){"FTP-9.1.8-02",
                                       {&it->last},
                                       .effect = &q->at,
                                       .packet = q->packet,
                                       .seen = "no copy of it until this packet"},
                   "the Resync of %s PSN %s retransmitted, by %s", fal_window_word(it->window),
                   fal_psn_text(stream, it->x, number), fal_time_text(until_ns).text);
}

/* A SUT that sends a packet after the deadline was alive at the deadline. */
static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting it = *FAL_BAG(&state->waiting, struct waiting, i);
        uint64_t until_ns = deadline(c, &it);
        bool late = q->at.t_ns > until_ns;

        if (!late &&
            (q->falcon->packet_type != FAL_RESYNC || q->x != it.x || q->window != it.window)) {
            i++;
            continue;
        }
        fal_bag_remove(&state->waiting, sizeof it, i);
        if (late)
            overdue(c, &it, until_ns, q);
        else
            fal_holds(c);
    }
    /* An acknowledgement of the packet, by base or bit, may cross its Resync. */
    if (q->falcon->packet_type == FAL_RESYNC &&
        !fal_stream_acked(fal_out_stream(c, q->window), q->x)) {
        struct waiting *it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);

        if (it != NULL)
            *it = (struct waiting){q->x, q->window, q->at};
    }
}

/* Times mean nothing across a step of the clock. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        fal_bag_free(&state->waiting);
}

/* Nothing came after the time was up: it may have died. */
static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->waiting.num; i++)
        if (c->now_ns > deadline(c, FAL_BAG(&state->waiting, struct waiting, i)))
            fal_undecided(c, FAL_EXCUSE_CC_UNKNOWN);
}

const struct fal_rule_impl fal_rule_s3 = {
    .about = &fal_about_s3,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .on_in = FAL_ON_WAITING,
    .out = out,
    .on_out = FAL_ON_RESYNC | FAL_ON_WAITING,
    .mark = mark,
    .cm = fal_forget_when_dead,
    .finish = finish,
    .release = fal_bag_release,
};
