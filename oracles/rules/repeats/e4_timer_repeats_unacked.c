/* SPDX-License-Identifier: Apache-2.0
 * e4_timer_repeats_unacked.c - rule E4: the base of a window, sent and not acknowledged, is
 * sent again when its timer has expired. The base is the packet that congestion windows hold
 * back last. On an ordered connection it may be behind a packet of the other window that waits:
 * whether it waits, too, is another reading of 9.1.5 (AMB-58). The SUT must be alive: it sent
 * other packets after the timeout, twice and a timeout apart, on a path that loses nothing.
 * Where results or `set` change the RTO, the longest one counts that may have been in force
 * during three of these timeouts: it applies to packets that were sent before, too
 * (10.6.2.2). */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"
#include "oracles/rules/repeats/held.h"
#include "oracles/rules/repeats/overdue.h"
#include "oracles/rules/repeats/repeats.h"

const struct fal_rule fal_about_e4 = {
    .id = "E4",
    .title = "an unacknowledged packet is retransmitted at its timeout",
    .requirements = FAL_IDS("FTP-9-13", "FTP-9.1.1-21", "FTP-9.1.3-06", "FTP-9.1.5-08",
                            "FTP-9.1.8-02", "FTP-10.6.2.2-09", "FTP-11-06"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when the base of a window had no other copy two timeouts after its last "
        "copy, and still none a timeout later, while the SUT sent other packets at both "
        "times. Each timeout may be 5 % and a tick late; an RTO that varies counts as its "
        "longest. Where results or `set` change it, the longest counts that may have been in "
        "force during the last three timeouts. An RNR NACK that may have arrived after the last copy left allows its delay "
        "once; NACKs with other codes allow nothing. A packet that waits on an ordered "
        "connection because a lower RSN of the other window may wait for its RNR delay, or for "
        "fcwnd or ncwnd, is the other reading of AMB-58 (a warning). Gaps suspend the rule. On "
        "a path that loses packets the copies may all be lost, or the SUT may not know its "
        "base.",
};

enum {
    RNRS_MAX = 32,
    MOVED_RATIO = 8,    /* as FAL_RATIO_E4: the RTO is so many times what a SUT may take */
    MOVED_TIMEOUTS = 3, /* during which the RTO must have been in force */
};

/* An RNR NACK that the subject may receive until `latest_ns`. */
struct rnr {
    int64_t x;
    enum fal_window window;
    uint64_t latest_ns; /* FAL_NEVER: not known */
    uint64_t delay_ns;
};

struct state {
    struct fal_bag rnrs; /* first, for fal_bag_release */
    struct fal_overdue window[FAL_WINDOWS];
    struct fal_overdue behind[FAL_WINDOWS]; /* the same while a packet before it may wait */
    uint64_t epoch[FAL_WINDOWS];
    uint64_t reset_index; /* marks after which nothing before counts */
};

/* The timer of a packet. Moved: results or `set` have changed the RTO; by_result: the last of
 * them was a result. */
struct timer {
    struct fal_timer_bounds b;
    bool moved, by_result;
};

/* Whether windows that results change surely let the base of a window out: no gap delays it,
 * and no packet of the other window, which may be held back, can be in front of it. */
static bool moved_windows_open(const struct fal_ctx *c, enum fal_window w,
                               const struct fal_in_force *now)
{
    const struct fal_stream *other =
        fal_out_stream(c, w == FAL_WINDOW_DATA ? FAL_WINDOW_REQ : FAL_WINDOW_DATA);

    return now->of.lo.fcwnd >= FAL_CC_FRACTION && now->of.lo.ncwnd > 0 &&
           other->base >= other->next;
}

/* The timer, if the values are known with which a missing copy at t_ns may fail the SUT. */
static bool timer_of(const struct fal_ctx *c, enum fal_window w, uint64_t t_ns,
                     struct timer *timer)
{
    const struct fal_params *params = &c->track->setup.params;
    uint64_t room_ns = params->turnaround_ns + 2 * fal_pipeline_ns(c), longest_ns;
    struct fal_in_force now;

    *timer = (struct timer){.moved = false};
    now = fal_in_force(c, t_ns, 0);
    if (!now.moved || now.of.hi.rto_ns == FAL_NEVER)
        return fal_rto_decides(c, &timer->b);
    timer->moved = true;
    timer->by_result = now.by_result;
    longest_ns = now.of.hi.rto_ns;
    timer->b = fal_timer_bounds(FAL_TIMED_RTO, longest_ns, longest_ns, params->tick_ns, 0);
    if (fal_is_learned(c) || timer->b.coarse || longest_ns / MOVED_RATIO < room_ns ||
        params->rto_varies || !fal_given(c, FAL_PARAM_AT_max_attempts))
        return false;
    now = fal_in_force(c, t_ns, MOVED_TIMEOUTS * timer->b.late_ns + fal_rto_slack_ns(c));
    return now.of.hi.rto_ns <= longest_ns && moved_windows_open(c, w, &now);
}

/* The base of a window, if its timer surely runs. */
static const struct fal_sent *timed(const struct fal_ctx *c, enum fal_window w)
{
    const struct state *state = c->state;
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct fal_sent *sent;

    if (!stream->based || stream->base_unsure || stream->bits_unsure ||
        stream->base < stream->doubt || stream->base >= stream->next || c->track->dead)
        return NULL;
    sent = fal_stream_sent(stream, stream->base);
    if (sent == NULL || sent->copies == 0 || fal_stream_acked(stream, stream->base) ||
        (sent->flags & (FAL_SENT_RESYNC | FAL_SENT_STEPPED)) != 0 ||
        sent->copies >= c->track->setup.params.max_attempts ||
        sent->last_index < state->reset_index ||
        fal_track_may_miss(c->track, fal_out(c), sent->last_index) ||
        fal_track_may_miss(c->track, fal_in(c), sent->last_index))
        return NULL; /* a Resync replaces it, rule E5 has it, or a gap hides what delays it */
    return sent;
}

/* The end of the delay that an RNR NACK for the packet may ask for, one that may reach the
 * subject after the last copy has left; 0: there is none. Only the longest counts, as each asks
 * for its delay once. */
static uint64_t rnr_until_ns(const struct fal_ctx *c, enum fal_window w,
                             const struct fal_sent *sent, const struct fal_timer_bounds *rto)
{
    const struct state *state = c->state;
    uint64_t in_ns, out_ns, left_ns = 0, until_ns = 0;
    struct fal_timer_bounds rnr;

    if (fal_round_ns(c, &in_ns, &out_ns) && sent->last_ns > out_ns)
        left_ns = sent->last_ns - out_ns;
    for (unsigned i = 0; i < state->rnrs.num; i++) {
        const struct rnr *n = FAL_BAG(&state->rnrs, struct rnr, i);
        uint64_t end_ns = FAL_UNLIMITED;

        if (n->window != w || n->x != fal_out_stream(c, w)->base || n->latest_ns < left_ns)
            continue;
        if (n->latest_ns != FAL_NEVER && fal_rnr_judged(c, n->delay_ns, &rnr))
            end_ns = n->latest_ns + (rnr.late_ns > rto->late_ns ? rnr.late_ns : rto->late_ns);
        if (end_ns > until_ns)
            until_ns = end_ns;
    }
    return until_ns;
}

/* When another copy should long have been seen, by the vantage's clock: so many timeouts after
 * the one that was due. */
static uint64_t overdue_ns(const struct fal_ctx *c, enum fal_window w,
                           const struct fal_sent *sent, const struct fal_timer_bounds *b,
                           unsigned timeouts)
{
    uint64_t from_ns = sent->last_ns + b->late_ns, rnr_ns = rnr_until_ns(c, w, sent, b);

    return (rnr_ns > from_ns ? rnr_ns : from_ns) + timeouts * b->late_ns + fal_rto_slack_ns(c);
}

static void broken(struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                   const struct fal_seen *q, const struct timer *timer)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct state *state = c->state;
    struct fal_at last = fal_last_copy(sent);
    char number[FAL_NUMBER_MAX], nominal[FAL_NOMINAL_MAX];

    fal_broken(c,
               &(struct fal_blame){.requirement =
                                       timer->by_result ? "FTP-10.6.2.2-09" : "FTP-9.1.1-21",
                                   .cause = {&last, &state->window[w].by},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "another copy of %s PSN %s: its timer expired no later than %s after the last "
               "(RTO %s), it was not acknowledged, and %s have passed",
               fal_window_word(w), fal_psn_text(stream, stream->base, number),
               fal_time_text(timer->b.late_ns).text, fal_nominal_text(&timer->b, nominal),
               fal_time_text(q->at.t_ns - sent->last_ns).text);
}

/* Whether the subject surely knows that this is the base. If not, it may take the packet for
 * one above its base, which ncwnd may hold back: more requests may be outstanding for it. */
static bool surely_base(const struct fal_ctx *c, enum fal_window w, bool moved)
{
    const struct fal_stream *stream = fal_out_stream(c, w);

    return (!moved && c->track->setup.params.fcwnd <= fal_nic_limit(c)) ||
           (stream->known && stream->base == stream->first) ||
           (fal_path_in(c).lossless && fal_taken(c, w) >= stream->base);
}

/* The packet is overdue, and q is another one. */
static void overdue(struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                    const struct fal_seen *q, const struct timer *timer)
{
    struct state *state = c->state;
    int64_t base = fal_out_stream(c, w)->base;
    bool behind = fal_behind_waiting(c, w, base);
    bool closed = (timer->moved || !fal_nic_open(c, w, base)) && fal_rnr_waits(c, w, base);

    if (behind || closed)
        state->window[w].late = false; /* it may leave later */
    if (!behind || closed)
        state->behind[w].late = false;
    if (closed)
        return;
    if (!fal_overdue_again(behind ? &state->behind[w] : &state->window[w], base, sent, q,
                           timer->b.hi_ns + fal_rto_slack_ns(c)))
        return;
    if (!behind || !fal_read_as(c, FAL_AMB_58, FAL_READ_OTHER, &q->at))
        broken(c, w, sent, q, timer);
    state->window[w].told = sent->last_index;
}

static void check(struct fal_ctx *c, enum fal_window w, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct fal_overdue *window = &state->window[w];
    const struct fal_sent *sent = timed(c, w);
    struct fal_path out;
    struct timer timer;
    bool sure;

    if (sent == NULL) {
        window->late = state->behind[w].late = false;
        return;
    }
    if (window->told == sent->last_index)
        return;
    out = fal_path_out(c);
    if (!timer_of(c, w, q->at.t_ns, &timer)) {
        window->late = state->behind[w].late = false;
        if (timer.moved || q->at.t_ns <= sent->last_ns + 2 * timer.b.hi_ns)
            return; /* A moved timer may be known later. */
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        window->told = sent->last_index;
        return;
    }
    sure = surely_base(c, w, timer.moved);
    if (q->at.t_ns <= overdue_ns(c, w, sent, &timer.b, 1)) {
        window->late = state->behind[w].late = false;
    } else if (out.lossless && out.jitter_known && sure) {
        overdue(c, w, sent, q, &timer);
    } else if (q->at.t_ns >
               overdue_ns(c, w, sent, &timer.b, c->track->setup.params.max_attempts + 2)) {
        if (!out.lossless || sure)
            fal_excused(c, out.lossless ? FAL_EXCUSE_OUT_REORDER : FAL_EXCUSE_OUT_LOSS);
        else if (!fal_path_in(c).lossless)
            fal_excused(c, FAL_EXCUSE_IN_LOSS);
        window->told = sent->last_index;
    }
}

/* A copy of the base: it came at its time. */
static void copy(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_sent *sent = timed(c, q->window);
    struct timer timer;
    uint64_t until_ns;

    if (sent == NULL || !timer_of(c, q->window, q->at.t_ns, &timer) ||
        q->at.t_ns - sent->last_ns < timer.b.lo_ns / 2)
        return;
    until_ns = overdue_ns(c, q->window, sent, &timer.b, 1);
    if (q->at.t_ns <= until_ns)
        fal_met(c, q->at.t_ns, until_ns, fal_rto_slack_ns(c));
}

/* Numbers learned anew have nothing to do with the old ones, and what the base has passed needs
 * no copy. */
static void sweep(const struct fal_ctx *c, struct state *state)
{
    for (unsigned i = 0; i < state->rnrs.num;) {
        const struct rnr *n = FAL_BAG(&state->rnrs, struct rnr, i);
        const struct fal_stream *stream = fal_out_stream(c, n->window);

        if (state->epoch[n->window] != stream->epoch || n->x < stream->base)
            fal_bag_remove(&state->rnrs, sizeof *n, i);
        else
            i++;
    }
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++)
        state->epoch[w] = fal_out_stream(c, w)->epoch;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    if (c->track->foreign[FAL_TO_SUT] || c->track->foreign[FAL_FROM_SUT])
        return; /* No timer surely runs: fal_track_may_miss of any packet. */
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        if (q->reliable && q->window == w && q->x == fal_out_stream(c, w)->base)
            copy(c, q);
        else
            check(c, w, q);
    }
}

/* An RNR NACK, also for a packet that has not been seen yet: the two may cross on the wire or
 * within the subject. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    enum fal_window w = (enum fal_window)(p->falcon->window & 1);
    struct fal_stream *stream = &c->track->stream[fal_out(c)][w];
    uint64_t in_ns, out_ns, inside_ns = fal_pipeline_ns(c);
    struct rnr *n;

    if (p->falcon->packet_type != FAL_NACK)
        return;
    sweep(c, state);
    if (p->falcon->nack_code != FAL_NACK_RNR || !stream->started)
        return;
    n = fal_bag_add(&state->rnrs, sizeof *n, RNRS_MAX);
    if (n == NULL) { /* no room: no timer surely runs any more */
        state->reset_index = UINT64_MAX;
        return;
    }
    *n = (struct rnr){.x = fal_stream_extend(stream, p->falcon->nack_psn),
                      .window = w,
                      .latest_ns = FAL_NEVER,
                      .delay_ns = fal_rnr_timeout_ns(p->falcon->rnr_timeout)};
    if (fal_round_ns(c, &in_ns, &out_ns) && inside_ns < FAL_UNLIMITED)
        n->latest_ns = p->at.t_ns + in_ns + 2 * inside_ns + p->at.error_ns;
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    state->reset_index = fal_timers_reset(c, event, state->reset_index);
}

const struct fal_rule_impl fal_rule_e4 = {
    .about = &fal_about_e4,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_OURS,
    .in = in,
    .on_in = FAL_ON_NACK,
    .mark = mark,
    .release = fal_bag_release,
};
