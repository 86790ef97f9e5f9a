/* SPDX-License-Identifier: Apache-2.0
 * e6_resync_attempts_end.c - rule E6: a Resync is sent at most m + 1 times. When its last timer
 * has expired, the SUT reports to the connection manager that the connection is dead (9.1.5,
 * 11; AMB-14: m or m + 1). That there was no report is known only at a barrier. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"
#include "oracles/rules/repeats/repeats.h"

#include <string.h>

const struct fal_rule fal_about_e6 = {
    .id = "E6",
    .title = "a Resync is retransmitted only as often as attempts are allowed",
    .requirements =
        FAL_IDS("FTP-6.4-09", "FTP-9.1.1-23", "FTP-9.1.5-02", "FTP-11-08", "FTP-11-10"),
    .role = "transmitter",
    .needs = "wire+config, cm events for the signal",
    .assumes = "base-not-beyond-sent",
    .doc = "Violated by more than max_attempts + 1 copies of a Resync that only its timer "
           "retransmits; and by a barrier four timeouts after the last of max_attempts copies, "
           "at which it was not acknowledged and no fatal error was signalled. The rule holds "
           "with the signal.",
};

enum { COUNTS_MAX = 64, SLACK_RTOS = 4 };

/* A Resync with its copies. */
struct count {
    enum fal_window window;
    int64_t x;
    uint32_t seen;
    struct fal_at first, last;
};

struct state {
    struct fal_bag counts; /* first, for fal_bag_release */
    uint64_t epoch[FAL_WINDOWS];
    bool dead;
};

static bool done(const struct fal_ctx *c, const struct state *state, const struct count *n)
{
    const struct fal_stream *stream = fal_out_stream(c, n->window);

    return state->epoch[n->window] != stream->epoch || fal_stream_acked(stream, n->x);
}

static void sweep(struct fal_ctx *c, struct state *state)
{
    for (unsigned i = 0; i < state->counts.num;) {
        const struct count *n = FAL_BAG(&state->counts, struct count, i);

        if (done(c, state, n))
            fal_bag_remove(&state->counts, sizeof *n, i);
        else
            i++;
    }
}

static struct count *find(const struct state *state, const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->counts.num; i++) {
        struct count *n = FAL_BAG(&state->counts, struct count, i);

        if (n->window == q->window && n->x == q->x)
            return n;
    }
    return NULL;
}

static void too_many(struct fal_ctx *c, const struct fal_seen *q, const struct count *n)
{
    char number[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){
                   "FTP-11-08", {&n->first, &n->last}, .effect = &q->at, .packet = q->packet},
               "the connection fails after %u copies of the Resync of %s PSN %s",
               c->track->setup.params.max_attempts + 1, fal_window_word(q->window),
               fal_psn_text(fal_out_stream(c, q->window), q->x, number));
}

static void copy(struct fal_ctx *c, struct count *n, const struct fal_seen *q)
{
    struct fal_gap gap = fal_gap_of(c, q);

    if (gap.same) {
        fal_excused(c, gap.why);
        return;
    }
    if (q->packet->has_iv && q->prior->last_has_iv && q->packet->iv < q->prior->last_iv)
        return; /* an older one, late */
    n->seen++;
    if (n->seen == c->track->setup.params.max_attempts + 2)
        too_many(c, q, n);
    n->last = q->at;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct count *n;

    if (!q->reliable || q->falcon->packet_type != FAL_RESYNC ||
        !fal_given(c, FAL_PARAM_AT_max_attempts) || fal_rack_of(c) == FAL_RACK_CLAIMED)
        return;
    if (state->epoch[q->window] != fal_out_stream(c, q->window)->epoch) {
        sweep(c, state);
        state->epoch[q->window] = fal_out_stream(c, q->window)->epoch;
    }
    n = find(state, q);
    if (n != NULL && fal_licence_of(c, q->window, q->x) != FAL_LICENCE_NONE) {
        n->last = q->at; /* repeated early, which is no attempt */
    } else if (n != NULL) {
        copy(c, n, q);
    } else if (q->prior == NULL || (q->prior->flags & FAL_SENT_RESYNC) == 0) {
        if (state->counts.num == COUNTS_MAX)
            sweep(c, state);
        n = fal_bag_add(&state->counts, sizeof *n, COUNTS_MAX);
        if (n != NULL)
            *n = (struct count){q->window, q->x, 1, q->at, q->at};
    }
}

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.cm.what, "fatal") != 0)
        return;
    if (state->counts.num > 0 && !state->dead)
        fal_holds(c);
    state->dead = true;
    fal_bag_free(&state->counts);
}

static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *verb = event->u.command.verb;

    if (strcmp(verb, "close") == 0 || strcmp(verb, "reset") == 0) {
        state->dead = true;
        fal_bag_free(&state->counts);
    }
}

static void untold(struct fal_ctx *c, const struct count *n, const struct fal_event *event)
{
    struct fal_at at = fal_at_event(event);
    char number[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){"FTP-9.1.5-02",
                            {&n->first, &n->last},
                            .effect = &at,
                            .seen = "no such signal at the barrier"},
        "a fatal error for the connection manager: the Resync of %s PSN %s was sent %u times and not acknowledged",
        fal_window_word(n->window), fal_psn_text(fal_out_stream(c, n->window), n->x, number),
        n->seen);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_params *params = &c->track->setup.params;
    struct fal_timer_bounds b;
    unsigned i = 0;

    if (event->u.mark.mark != FAL_MARK_BARRIER || c->subject != FAL_SUBJECT_SUT ||
        state->dead || !fal_rto_judged(c, &b))
        return;
    while (i < state->counts.num) {
        struct count n = *FAL_BAG(&state->counts, struct count, i);

        if (n.seen < params->max_attempts || done(c, state, &n) ||
            c->track->barrier_ns <= n.last.t_ns + SLACK_RTOS * b.late_ns) {
            i++;
            continue;
        }
        fal_bag_remove(&state->counts, sizeof n, i);
        if (c->bench->events_lost)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else if (fal_track_may_miss(c->track, fal_in(c), n.first.index))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* its acknowledgement */
        else
            untold(c, &n, event);
    }
}

const struct fal_rule_impl fal_rule_e6 = {
    .about = &fal_about_e6,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_RESYNC,
    .cm = cm,
    .command = command,
    .mark = mark,
    .release = fal_bag_release,
};
