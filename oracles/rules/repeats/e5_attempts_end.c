/* SPDX-License-Identifier: Apache-2.0
 * e5_attempts_end.c - rule E5: a packet that only its timer repeats is sent at most m + 1
 * times, the first time included. Then a Resync takes its place, or the connection fails
 * (9.1.1, 9.1.5, 11; AMB-14: m or m + 1). Copies that were lost unseen only make the true count
 * higher. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/repeats/repeats.h"

#include <string.h>

const struct fal_rule fal_about_e5 = {
    .id = "E5",
    .title = "a packet is retransmitted only as often as attempts are allowed",
    .requirements = FAL_IDS("FTP-9.1.1-23", "FTP-9.1.5-02", "FTP-11-07"),
    .role = "transmitter",
    .needs = "wire+config",
    .assumes = "base-not-beyond-sent",
    .doc = "Violated by more than max_attempts + 1 copies of a packet that only its timer "
           "retransmits: then a Resync must take its place, or the connection must fail. The "
           "rule holds when such a Resync is sent in time. A Resync after max_attempts copies, "
           "the first included, is the other reading of AMB-14 (a warning), and so is a "
           "connection that fails after as many copies without any Resync.",
};

enum { COUNTS_MAX = 128 };

/* A packet with several copies. */
struct count {
    enum fal_window window;
    int64_t x;
    uint32_t seen;
};

struct state {
    struct fal_bag counts; /* first, for fal_bag_release */
    uint64_t epoch[FAL_WINDOWS];
    bool full; /* some found no room */
    bool resynced, dead;
};

/* Forgets those that are acknowledged by now. */
static void sweep(struct fal_ctx *c, struct state *state)
{
    for (unsigned i = 0; i < state->counts.num;) {
        const struct count *n = FAL_BAG(&state->counts, struct count, i);
        const struct fal_stream *stream = fal_out_stream(c, n->window);

        if (fal_stream_acked(stream, n->x) || state->epoch[n->window] != stream->epoch)
            fal_bag_remove(&state->counts, sizeof *n, i);
        else
            i++;
    }
}

static struct count *count_of(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct count *n;

    for (unsigned i = 0; i < state->counts.num; i++) {
        n = FAL_BAG(&state->counts, struct count, i);
        if (n->window == q->window && n->x == q->x)
            return n;
    }
    if (state->counts.num == COUNTS_MAX)
        sweep(c, state);
    n = fal_bag_add(&state->counts, sizeof *n, COUNTS_MAX);
    if (n == NULL) {
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* no room to count it */
        return NULL;
    }
    *n = (struct count){.window = q->window, .x = q->x, .seen = 1};
    return n;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct count *n)
{
    struct fal_at last = fal_last_copy(q->prior);
    char number[FAL_NUMBER_MAX];

    fal_broken(
        c,
        &(struct fal_blame){.requirement = "FTP-11-07",
                            .cause = {&q->prior->first, &last},
                            .effect = &q->at,
                            .packet = q->packet},
        "a Resync for %s PSN %s after %u copies, or the connection fails; this is copy %u",
        fal_window_word(q->window), fal_psn_text(fal_out_stream(c, q->window), q->x, number),
        c->track->setup.params.max_attempts + 1, n->seen);
}

/* Whether every copy of a packet, of which so many are known, was surely seen, so that the
 * number of its attempts is known (AMB-14). */
static bool counted(const struct fal_ctx *c, uint64_t since)
{
    return c->subject == FAL_SUBJECT_SUT && fal_given(c, FAL_PARAM_AT_max_attempts) &&
           fal_path_out(c).lossless && fal_path_out(c).no_duplicates &&
           !fal_track_may_miss(c->track, fal_out(c), since);
}

/* A Resync for it: the attempts ended in time. The first transmission may be one of them. */
static void ended(struct fal_ctx *c, const struct fal_seen *q, uint32_t seen)
{
    if (q->falcon->resync_code != FAL_RESYNC_EXHAUSTED)
        return;
    if (seen == c->track->setup.params.max_attempts && seen == q->prior->copies &&
        counted(c, q->prior->first.index))
        (void)fal_read_as(c, FAL_AMB_14, FAL_READ_OTHER, &q->at);
    else
        fal_holds(c);
}

static void resync(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->counts.num; i++) {
        const struct count *n = FAL_BAG(&state->counts, struct count, i);

        if (n->window != q->window || n->x != q->x)
            continue;
        ended(c, q, n->seen);
        fal_bag_remove(&state->counts, sizeof *n, i);
        return;
    }
}

static void copy(struct fal_ctx *c, const struct fal_seen *q)
{
    uint32_t max = c->track->setup.params.max_attempts;
    struct fal_gap gap = fal_gap_of(c, q);
    struct count *n;

    if (gap.same) {
        fal_excused(c, gap.why);
        return;
    }
    if (q->packet->has_iv && q->prior->last_has_iv && q->packet->iv < q->prior->last_iv)
        return; /* older than the newest: it may be a duplicate of any of them */
    n = count_of(c, q);
    if (n == NULL)
        return;
    n->seen++;
    if (n->seen <= max + 1)
        return;
    if (!fal_given(c, FAL_PARAM_AT_max_attempts))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        broken(c, q, n);
    n->seen = 0; /* said once */
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (q->reliable && q->falcon->packet_type == FAL_RESYNC)
        state->resynced = true;
    if (!q->reliable || q->prior == NULL)
        return;
    if (state->epoch[q->window] != fal_out_stream(c, q->window)->epoch) {
        sweep(c, state);
        state->epoch[q->window] = fal_out_stream(c, q->window)->epoch;
    }
    if (q->falcon->packet_type == FAL_RESYNC)
        resync(c, q);
    else if (q->prior->copies > 0 && (q->prior->flags & FAL_SENT_RESYNC) == 0 &&
             !fal_stream_acked(fal_out_stream(c, q->window), q->x) &&
             fal_rack_of(c) != FAL_RACK_CLAIMED &&
             fal_licence_of(c, q->window, q->x) == FAL_LICENCE_NONE)
        copy(c, q);
}

/* The connection failed although no Resync was sent, and no packet to the subject went unseen
 * that may be the cause: the attempts of a packet ended it at once. */
static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);

    if (strcmp(event->u.cm.what, "fatal") != 0)
        return;
    for (unsigned i = 0; i < state->counts.num && !state->resynced && !state->dead; i++) {
        const struct count *n = FAL_BAG(&state->counts, struct count, i);
        const struct fal_stream *stream = fal_out_stream(c, n->window);
        const struct fal_sent *sent = fal_stream_sent(stream, n->x);

        if (sent == NULL || n->seen < c->track->setup.params.max_attempts ||
            fal_stream_acked(stream, n->x) || !counted(c, sent->first.index))
            continue;
        (void)fal_read_as(c, FAL_AMB_14, FAL_READ_OTHER, &at);
        break;
    }
    state->dead = true;
}

const struct fal_rule_impl fal_rule_e5 = {
    .about = &fal_about_e5,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_AGAIN | FAL_ON_RESYNC,
    .cm = cm,
    .release = fal_bag_release,
};
