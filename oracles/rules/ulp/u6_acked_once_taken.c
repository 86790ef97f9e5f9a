/* SPDX-License-Identifier: Apache-2.0
 * u6_acked_once_taken.c - rule U6: once its upper layer accepted a push, the acknowledgement
 * follows within a coalescing timeout. The time begins, at the latest, when the reply to
 * `respond` was read, or an event of the upper layer whose time is known. */
#include "codecs/base/time_text.h"
#include "oracles/rules/acks/duty.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_u6 = {
    .id = "U6",
    .title = "a push is acknowledged after its upper layer accepted it",
    .requirements = FAL_IDS("FTP-6.6.2-01", "FTP-8.5.3.3-09", "FTP-9.1.1-18"),
    .role = "target",
    .needs = "ulp, coalescing timeout, lossless path",
    .assumes = "same-packet-on-retransmit one-psn-per-rsn",
    .doc =
        "On a path that loses nothing, violated when no packet acknowledges the push within a "
        "coalescing timeout after the reply to the answer was read, or after the upper layer "
        "answered by itself at a time that is known.",
};

enum { WAITING_MAX = 64 };

struct waiting {
    int64_t x;
    uint32_t rsn;
    uint64_t until_ns; /* FAL_NEVER: no bound is known */
    bool held;         /* by the tester; else the upper layer answered by itself */
    struct fal_at reply;
};

struct state {
    struct fal_bag waiting;
    bool trusted; /* one that the tester held was met */
};

static uint64_t deadline(const struct fal_ctx *c, uint64_t from_ns)
{
    struct fal_timer_bounds b;
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_path_out(c).lossless || !fal_coalescing_judged(c, &b) ||
        !fal_slack_ns(c, FAL_TIMER_COALESCING, 1, &slack_ns) ||
        !fal_round_ns(c, &in_ns, &out_ns))
        return FAL_NEVER;
    return from_ns + out_ns + b.late_ns + slack_ns;
}

static void told(struct fal_ctx *c, const struct fal_told *told)
{
    struct state *state = c->state;
    const struct fal_stream *stream = fal_in_stream(c, FAL_WINDOW_DATA);
    const struct fal_request *r = fal_track_request(c->track, fal_in(c), told->rsn);
    struct waiting *it;

    if ((!told->held && !told->timed) || told->answer != FAL_ANSWER_ACK || r == NULL ||
        c->track->dead || (r->flags & FAL_REQ_SENT) == 0 || r->type != FAL_PUSH_DATA ||
        fal_duty_claimed(c, FAL_WINDOW_DATA, r->psn) ||
        r->psn >= stream->base + FAL_RX_WINDOW_DATA ||
        fal_may_be_reclaimed(c, r, told->known.t_ns))
        return;
    if (stream->base_unsure || stream->bits_unsure) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* its ACK may have gone unseen */
        return;
    }
    it = fal_bag_add(&state->waiting, sizeof *it, WAITING_MAX);
    if (it == NULL)
        return;
    *it = (struct waiting){.x = r->psn,
                           .rsn = told->rsn,
                           .until_ns = deadline(c, told->known.t_ns),
                           .held = told->held,
                           .reply = told->known};
    fal_wake(c, it->until_ns);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint64_t slack_ns;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting *it = FAL_BAG(&state->waiting, struct waiting, i);

        if (!fal_claim_acks(&q->claim[FAL_WINDOW_DATA], it->x)) {
            i++;
            continue;
        }
        if (!fal_slack_ns(c, FAL_TIMER_COALESCING, 1, &slack_ns))
            slack_ns = 0; /* no bound is known */
        if (it->held || state->trusted)
            fal_met(c, q->at.t_ns, it->until_ns, slack_ns);
        else
            fal_self_held(c, false);
        state->trusted = state->trusted || it->held;
        fal_bag_remove(&state->waiting, sizeof *it, i);
    }
}

static void wake(struct fal_ctx *c)
{
    struct state *state = c->state;
    unsigned i = 0;

    while (i < state->waiting.num) {
        const struct waiting it = *FAL_BAG(&state->waiting, struct waiting, i);
        char number[FAL_NUMBER_MAX], rsn[FAL_NUMBER_MAX];

        if (c->now_ns <= it.until_ns) {
            fal_wake(c, it.until_ns);
            i++;
            continue;
        }
        fal_bag_remove(&state->waiting, sizeof it, i);
        if (c->track->gap_index[fal_out(c)] > it.reply.index)
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            fal_broken(c,
                       &(struct fal_blame){"FTP-8.5.3.3-09",
                                           {&it.reply},
                                           .effect = &it.reply,
                                           .seen = "no packet that acknowledges it"},
                       "push PSN %s (RSN %s) acknowledged by %s, because its upper layer "
                       "accepted it",
                       fal_psn_text(fal_in_stream(c, FAL_WINDOW_DATA), it.x, number),
                       fal_rsn_text(c, fal_in(c), it.rsn, rsn),
                       fal_time_text(it.until_ns).text);
    }
}

/* Times mean nothing across a step of the clock. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        fal_undecided_all(c, &state->waiting, FAL_EXCUSE_CLOCK);
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_out_lost_or_undecided(c, &state->waiting);
}

const struct fal_rule_impl fal_rule_u6 = {
    .about = &fal_about_u6,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_SAME_PACKET | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_WAITING,
    .told = told,
    .wake = wake,
    .mark = mark,
    .cm = fal_forget_when_dead,
    .finish = finish,
    .release = fal_bag_release,
};
