/* SPDX-License-Identifier: Apache-2.0
 * e4_timer_repeats_unacked.c - rule E4: the base of a window, sent and not acknowledged, is
 * sent again when its timer has expired. Only the base is certain not to be held back by a
 * congestion window. The SUT must be alive: it sent other packets after the timeout, twice and
 * a timeout apart, on a path that loses nothing. */
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/repeats/repeats.h"

#include <string.h>

const struct fal_rule fal_about_e4 = {
    .id = "E4",
    .title = "an unacknowledged packet is retransmitted at its timeout",
    .requirements = FAL_IDS("FTP-9-13", "FTP-9.1.1-21", "FTP-9.1.3-06", "FTP-9.1.5-08",
                            "FTP-9.1.8-02", "FTP-11-06"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when the base of a window had no other copy two timeouts after its last "
        "copy, and still none a timeout later, while the SUT sent other packets at both "
        "times. RNR waits, NACKs and gaps suspend the rule. On a path that loses packets the "
        "copies may all be lost.",
};

struct window {
    bool late; /* another packet was seen after the time */
    int64_t x;
    uint64_t index;    /* of x's last copy then */
    uint64_t since_ns; /* when that packet was seen */
    struct fal_at by;
    uint64_t told; /* the copy (index) about which all has been said */
};

struct state {
    struct window window[FAL_WINDOWS];
    uint64_t reset_index; /* marks after which nothing before counts */
};

/* The base of a window, if its timer surely runs. */
static const struct fal_sent *timed(const struct fal_ctx *c, enum fal_window w)
{
    const struct state *state = c->state;
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct fal_sent *sent;

    if (!stream->based || stream->base_unsure || stream->bits_unsure ||
        stream->base < stream->doubt || stream->base >= stream->next)
        return NULL;
    sent = fal_stream_sent(stream, stream->base);
    if (sent == NULL || sent->copies == 0 || fal_stream_acked(stream, stream->base) ||
        fal_u128_test(stream->received, 0) ||
        (sent->flags &
         (FAL_SENT_NACKED | FAL_SENT_REFUSED | FAL_SENT_RESYNC | FAL_SENT_STEPPED)) != 0 ||
        sent->copies >= c->track->setup.params.max_attempts ||
        sent->last_index < state->reset_index ||
        fal_track_may_miss(c->track, fal_out(c), sent->last_index) ||
        fal_track_may_miss(c->track, fal_in(c), sent->last_index))
        return NULL; /* RNR delays it, a Resync replaces it, rule E5 has it, or a gap hides it
                      */
    return sent;
}

/* What the subject may take beyond its timer; with no bound, one that no time reaches. */
static uint64_t slack_ns(const struct fal_ctx *c)
{
    uint64_t ns;

    if (!fal_is_learned(c)) /* also of a SUT that declared none: an RTO is far longer */
        return fal_pipeline_ns(c) + c->track->setup.params.turnaround_ns;
    return fal_slack_ns(c, FAL_TIMER_RTO, 1, &ns) ? ns : FAL_UNLIMITED;
}

/* When another copy should long have been seen, by the vantage's clock. */
static uint64_t overdue_ns(const struct fal_ctx *c, const struct fal_sent *sent,
                           unsigned timeouts)
{
    const struct fal_params *params = &c->track->setup.params;
    struct fal_path out = fal_path_out(c);

    return sent->last_ns + (timeouts + 1) * params->rto_ns + slack_ns(c) + 2 * out.jitter_ns +
           2 * c->bench->run.clock_error_ns;
}

static void broken(struct fal_ctx *c, enum fal_window w, const struct fal_sent *sent,
                   const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    const struct state *state = c->state;
    struct fal_at last = fal_last_copy(sent);
    char number[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){.requirement = "FTP-9.1.1-21",
                            .cause = {&last, &state->window[w].by},
                            .effect = &q->at,
                            .packet = q->packet},
        "another copy of %s PSN %s: its timer expired %llu ns after the last, it was not "
        "acknowledged, and %llu ns have passed",
        fal_window_word(w), fal_psn_text(stream, stream->base, number),
        (unsigned long long)c->track->setup.params.rto_ns,
        (unsigned long long)(q->at.t_ns - sent->last_ns));
}

static void check(struct fal_ctx *c, enum fal_window w, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct window *window = &state->window[w];
    const struct fal_params *params = &c->track->setup.params;
    const struct fal_sent *sent = timed(c, w);
    int64_t base = fal_out_stream(c, w)->base;
    struct fal_path out;

    if (sent == NULL) {
        window->late = false;
        return;
    }
    out = fal_path_out(c);
    if (window->told == sent->last_index || q->at.t_ns <= overdue_ns(c, sent, 1))
        return;
    if (!fal_given(c, FAL_PARAM_AT_rto) || !fal_given(c, FAL_PARAM_AT_max_attempts) ||
        !fal_given(c, FAL_PARAM_AT_fcwnd) || !fal_given(c, FAL_PARAM_AT_ncwnd)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        window->told = sent->last_index;
    } else if (!out.lossless || !out.jitter_known) {
        if (q->at.t_ns <= overdue_ns(c, sent, params->max_attempts + 2))
            return;
        fal_excused(c, out.lossless ? FAL_EXCUSE_OUT_REORDER : FAL_EXCUSE_OUT_LOSS);
        window->told = sent->last_index;
    } else if (!window->late || window->x != base || window->index != sent->last_index) {
        window->late = true;
        window->x = base;
        window->index = sent->last_index;
        window->since_ns = q->at.t_ns;
        window->by = q->at;
    } else if (q->at.t_ns - window->since_ns > params->rto_ns + slack_ns(c)) {
        broken(c, w, sent, q);
        window->told = sent->last_index;
    }
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    if (c->track->foreign[FAL_TO_SUT] || c->track->foreign[FAL_FROM_SUT])
        return; /* No timer surely runs: fal_track_may_miss of any packet. */
    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        if (q->reliable && q->window == w && q->x == fal_out_stream(c, w)->base) {
            const struct fal_sent *sent = timed(c, w);

            if (sent != NULL && fal_given(c, FAL_PARAM_AT_rto) &&
                q->at.t_ns - sent->last_ns <= overdue_ns(c, sent, 1) - sent->last_ns &&
                q->at.t_ns - sent->last_ns >= c->track->setup.params.rto_ns / 2)
                fal_met(c, q->at.t_ns, overdue_ns(c, sent, 1), slack_ns(c));
            continue;
        }
        check(c, w, q);
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    switch (event->u.mark.mark) {
    case FAL_MARK_TESTER_LATE:
    case FAL_MARK_SUT_LATE:
        if (c->subject == FAL_SUBJECT_TESTER)
            state->reset_index = event->index;
        break;
    case FAL_MARK_CLOCK_STEP: state->reset_index = event->index; break;
    case FAL_MARK_GAP_IN:
    case FAL_MARK_GAP_OUT:
    case FAL_MARK_LOSSLESS_IN:
    case FAL_MARK_LOSSLESS_OUT:
    case FAL_MARK_BARRIER: break;
    }
}

/* The connection is given up: what its timers do then is another matter. */
static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.cm.what, "fatal") == 0)
        state->reset_index = UINT64_MAX;
}

const struct fal_rule_impl fal_rule_e4 = {
    .about = &fal_about_e4,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .out = out,
    .mark = mark,
    .cm = cm,
};
