/* SPDX-License-Identifier: Apache-2.0
 * e5_attempts_end.c - rule E5: a packet that only its timer repeats is sent at most m + 1
 * times, the first time included. Then a Resync takes its place, or the connection fails
 * (9.1.1, 9.1.5, 11; AMB-14: m or m + 1). Copies that were lost unseen only make the true count
 * higher. Each EACK makes the SUT send a packet early once at most (9.1.4), so of one that
 * EACKs allow to be sent early there are so many copies more. */
#include "oracles/rule_ratios.h"
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
    .doc =
        "Violated by more than max_attempts + 1 copies of a packet that only its timer "
        "retransmits, and one more for each EACK since its first copy if EACKs allow it to be "
        "sent early: then a Resync must take its place, or the connection must fail. The "
        "rule holds when such a Resync is sent in time. A Resync after max_attempts copies, "
        "the first included, is the other reading of AMB-14 (a warning), and so is a "
        "connection that fails after as many copies without any Resync.",
};

enum { COUNTS_MAX = 128, EACKS_MAX = 64 };

/* A packet with several copies. */
struct count {
    enum fal_window window;
    int64_t x;
    uint32_t seen;
};

struct state {
    struct fal_bag counts; /* first, for fal_bag_release */
    uint64_t epoch[FAL_WINDOWS];
    uint64_t eacks[EACKS_MAX]; /* the times of the newest EACKs to the subject */
    uint64_t num_eacks;        /* of all */
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

static struct count *count_of(struct fal_ctx *c, const struct fal_seen *q, bool early)
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
    if (n == NULL) { /* no room to count it */
        if (!early)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        return NULL;
    }
    *n = (struct count){.window = q->window, .x = q->x, .seen = 1};
    return n;
}

/* How many EACKs may have been processed since a packet was sent, each of which may have made
 * the subject send the packet early. An EACK may cross the packet on the wire or within the
 * subject. False: there were too many, or some may have gone unseen or come twice. */
static bool eacks_since(const struct fal_ctx *c, const struct fal_at *first, uint32_t *num)
{
    const struct state *state = c->state;
    uint64_t in_ns, out_ns, inside_ns = fal_pipeline_ns(c), before_ns;

    *num = 0;
    if (!fal_round_ns(c, &in_ns, &out_ns) || inside_ns >= FAL_UNLIMITED ||
        !fal_path_in(c).no_duplicates ||
        fal_track_may_miss(c->track, fal_in(c), first->index) ||
        (c->bench->stepped && first->index < c->bench->step_index))
        return false;
    before_ns = in_ns + out_ns + 2 * inside_ns + first->error_ns;
    while (*num < EACKS_MAX && *num < state->num_eacks &&
           state->eacks[(state->num_eacks - 1 - *num) % EACKS_MAX] + before_ns >= first->t_ns)
        ++*num;
    return *num < EACKS_MAX;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (p->falcon->packet_type == FAL_EACK)
        state->eacks[state->num_eacks++ % EACKS_MAX] = p->at.t_ns;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct count *n,
                   uint32_t limit)
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
        limit, n->seen);
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
    if (q->falcon->resync_code != FAL_RESYNC_EXHAUSTED ||
        fal_licence_of(c, q->window, q->x) != FAL_LICENCE_NONE)
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

static void copy(struct fal_ctx *c, const struct fal_seen *q, bool early)
{
    uint32_t limit = c->track->setup.params.max_attempts + 1, eacks = 0;
    struct fal_gap gap = fal_gap_of(c, q);
    struct count *n;

    if (gap.same) {
        if (!early)
            fal_excused(c, gap.why);
        return;
    }
    if (q->packet->has_iv && q->prior->last_has_iv && q->packet->iv < q->prior->last_iv)
        return; /* older than the newest: it may be a duplicate of any of them */
    n = count_of(c, q, early);
    if (n == NULL)
        return;
    n->seen++;
    if (early && !eacks_since(c, &q->prior->first, &eacks))
        return;
    limit += eacks;
    if (n->seen <= limit)
        return;
    if (!fal_given(c, FAL_PARAM_AT_max_attempts))
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else
        broken(c, q, n, limit);
    n->seen = 0; /* said once */
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    enum fal_licence licence;

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
             fal_rack_of(c) != FAL_RACK_CLAIMED) {
        licence = fal_licence_of(c, q->window, q->x);
        if (licence == FAL_LICENCE_NONE || licence == FAL_LICENCE_EACK)
            copy(c, q, licence == FAL_LICENCE_EACK);
    }
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
            fal_licence_of(c, n->window, n->x) != FAL_LICENCE_NONE ||
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
    .in = in,
    .on_in = FAL_ON_EACK,
    .cm = cm,
    .release = fal_bag_release,
};
