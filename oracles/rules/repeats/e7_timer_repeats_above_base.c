/* SPDX-License-Identifier: Apache-2.0
 * e7_timer_repeats_above_base.c - rule E7: each packet has its own timer, not only the base of
 * a window (rule E4). The lowest number above the base that is neither acknowledged nor
 * received is sent again when its timer has expired, if the windows surely let it out: its PSN
 * is less than fcwnd above the base, and by the judge's own count fewer than ncwnd
 * retransmitted requests are outstanding (9.1.2). Packets are retransmitted in the order of
 * their PSNs, on an ordered connection of their RSNs (9.1.5), so one that must wait may hold up
 * those after it. The SUT must be alive: it sent other packets after the timeout, twice and a
 * timeout apart, on paths that lose nothing. Both times the windows must be open. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/repeats/held.h"
#include "oracles/rules/repeats/overdue.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_e7 = {
    .id = "E7",
    .title = "a packet above the base is retransmitted at its timeout, if the windows allow",
    .requirements = FAL_IDS("FTP-9-15", "FTP-9.1.1-21", "FTP-9.1.2-06", "FTP-9.1.2-07",
                            "FTP-9.1.2-08", "FTP-9.1.2-11", "FTP-9.1.5-04"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when the lowest number above the base that is neither acknowledged nor "
        "received had no other copy two timeouts after its last copy, and still none a "
        "timeout later, while the SUT sent other packets at both times. fcwnd must let it "
        "out from the base, and fewer than ncwnd other numbers of its window that may be "
        "retransmitted requests may be outstanding, on an ordered connection also of the other "
        "window if a lower RSN waits there, at both times. fcwnd must let that one out, too. "
        "After a NACK with code 1, which lowers ncwnd (9.2.4), none may be. A packet that got a "
        "NACK with another code is left out, and so is one behind a packet that waits for its "
        "RNR delay. Each timeout may be 5 % and a tick late. Gaps suspend the rule. On a path "
        "that loses packets the copies may all be lost.",
};

struct state {
    struct fal_overdue window[FAL_WINDOWS];
    uint64_t reset_index; /* marks after which nothing before counts */
};

/* The number that the rule is about: its place in the bitmaps is 1 or more. */
static int64_t subject_of(const struct fal_stream *stream)
{
    return stream->base + fal_u128_low(~(stream->acked | stream->received | 1));
}

/* Whether a NACK may make the packet wait, or end it. */
static bool nacked(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    const struct fal_nacks *nacks = &c->track->nacks[fal_out(c)];

    for (unsigned i = 0; i < nacks->bag.num; i++) {
        const struct fal_nack *nack = FAL_BAG(&nacks->bag, struct fal_nack, i);

        if (nack->window == (uint8_t)w && nack->x == x && nack->code != FAL_NACK_RESOURCE)
            return true;
    }
    return false;
}

/* The packet, if its timer surely runs. */
static const struct fal_sent *timed(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    const struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    const struct fal_stream *stream = fal_out_stream(c, w);
    int64_t taken = fal_taken(c, w);
    const struct fal_sent *sent;

    if (!stream->based || stream->base_unsure || stream->bits_unsure || x < stream->doubt ||
        x >= stream->next || taken == INT64_MIN || x >= taken + params->fcwnd || c->track->dead)
        return NULL;
    sent = fal_stream_sent(stream, x);
    if (sent == NULL || sent->copies == 0 || sent->copies >= params->max_attempts ||
        (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_STEPPED)) != 0 ||
        sent->last_index < state->reset_index ||
        fal_track_may_miss(c->track, fal_out(c), sent->last_index) ||
        fal_track_may_miss(c->track, fal_in(c), sent->last_index))
        return NULL;
    return sent;
}

/* Whether nothing holds the packet up: no NACK, no window, and no packet that waits and that it
 * is to follow in order (9.1.5). */
static bool may_leave(const struct fal_ctx *c, enum fal_window w, int64_t x)
{
    return !nacked(c, w, x) && fal_nic_open(c, w, x) && !fal_behind_waiting(c, w, x);
}

/* When another copy should long have been seen: so many timeouts after the one that was due. */
static uint64_t overdue_ns(const struct fal_ctx *c, const struct fal_sent *sent,
                           unsigned timeouts)
{
    struct fal_timer_bounds b;

    if (!fal_rto_judged(c, &b))
        return sent->last_ns + FAL_UNLIMITED;
    return sent->last_ns + (timeouts + 1) * b.late_ns + fal_rto_slack_ns(c);
}

static const char *requirement(unsigned type)
{
    if (type == FAL_PULL_REQUEST)
        return "FTP-9.1.2-06";
    return type == FAL_PULL_DATA ? "FTP-9.1.2-07" : "FTP-9.1.2-08";
}

static void broken(struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                   const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct state *state = c->state;
    struct fal_at last = fal_last_copy(sent);
    struct fal_timer_bounds b;
    char number[FAL_NUMBER_MAX], nominal[FAL_NOMINAL_MAX];

    (void)fal_rto_judged(c, &b);
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement(sent->type),
                                   .cause = {&last, &state->window[w].by},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "another copy of %s PSN %s: its timer expired no later than %s after the "
               "last (RTO %s), fcwnd %u and ncwnd %u let it out, and %s have passed",
               fal_window_word(w), fal_psn_text(stream, state->window[w].x, number),
               fal_time_text(b.late_ns).text, fal_nominal_text(&b, nominal),
               c->track->setup.params.fcwnd, c->track->setup.params.ncwnd,
               fal_time_text(q->at.t_ns - sent->last_ns).text);
}

/* The packet is overdue, and q is another one. */
static void overdue(struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                    const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_overdue *window = &state->window[w];
    int64_t x = subject_of(fal_out_stream(c, w));
    struct fal_timer_bounds b;

    (void)fal_rto_judged(c, &b);
    if (!may_leave(c, w, x)) {
        window->late = false; /* it may leave later */
        return;
    }
    if (!fal_overdue_again(window, x, sent, q, b.hi_ns + fal_rto_slack_ns(c)))
        return;
    broken(c, w, sent, q);
    window->told = sent->last_index;
}

static void check(struct fal_ctx *c, enum fal_window w, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_overdue *window = &state->window[w];
    const struct fal_sent *sent = timed(c, w, subject_of(fal_out_stream(c, w)));
    struct fal_path in = fal_path_in(c), out = fal_path_out(c);
    struct fal_timer_bounds b;

    if (sent == NULL || window->told == sent->last_index)
        return;
    if (!fal_rto_decides(c, &b) || q->at.t_ns <= overdue_ns(c, sent, 1))
        return;
    if (in.lossless && out.lossless && out.jitter_known) {
        overdue(c, w, sent, q);
        return;
    }
    if (q->at.t_ns <= overdue_ns(c, sent, c->track->setup.params.max_attempts + 2))
        return;
    fal_excused(c, !in.lossless    ? FAL_EXCUSE_IN_LOSS
                   : !out.lossless ? FAL_EXCUSE_OUT_LOSS
                                   : FAL_EXCUSE_OUT_REORDER);
    window->told = sent->last_index;
}

/* A copy of the packet: it came at its time. */
static void copy(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_sent *sent = timed(c, q->window, q->x);
    struct fal_timer_bounds b;
    uint64_t until_ns;

    if (sent == NULL || !fal_rto_decides(c, &b) || q->at.t_ns - sent->last_ns < b.lo_ns / 2)
        return;
    until_ns = overdue_ns(c, sent, 1);
    if (q->at.t_ns <= until_ns)
        fal_met(c, q->at.t_ns, until_ns, fal_rto_slack_ns(c));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    if (c->track->foreign[FAL_TO_SUT] || c->track->foreign[FAL_FROM_SUT])
        return; /* No timer surely runs: fal_track_may_miss of any packet. */
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        if (q->reliable && q->window == w && q->x == subject_of(fal_out_stream(c, w)))
            copy(c, q);
        else
            check(c, w, q);
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    state->reset_index = fal_timers_reset(c, event, state->reset_index);
}

const struct fal_rule_impl fal_rule_e7 = {
    .about = &fal_about_e7,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_OURS,
    .mark = mark,
};
