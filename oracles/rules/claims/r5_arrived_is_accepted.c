/* SPDX-License-Identifier: Apache-2.0
 * r5_arrived_is_accepted.c - rule R5: a packet that arrives inside the window is accepted, or
 * refused by a NACK. An EACK whose state is provably younger than the arrival must show the
 * number, or a NACK that names it must come within the SUT's declared time to answer. */
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/timers.h"

const struct fal_rule fal_about_r5 = {
    .id = "R5",
    .title = "a packet that arrives inside the window is accepted, or refused by a NACK",
    .requirements =
        FAL_IDS("FTP-6.5-08", "FTP-6.6.6-01", "FTP-8.5.3.1-03", "FTP-8.5.3.3-03", "FTP-9-02",
                "FTP-9.2.1-12", "FTP-9.2.1-14", "FTP-9.2.2.2-01", "FTP-9.2.2.2-04",
                "FTP-9.2.2.2-05", "FTP-9.2.2.3-11", "FTP-9.2.2.3-12", "FTP-9.2.2.3-13",
                "FTP-9.2.2.3-14", "FTP-9.2.2.4-12", "FTP-11-19"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc = "On a path that loses nothing, a packet arrived before the state that an EACK "
           "shows, inside the window for every possible base. Violated when neither base nor "
           "bit of that EACK covers it, and no NACK names it within twice the declared "
           "turnaround and coalescing timeout, and no packet acknowledges it before another "
           "copy of it, or a Resync, was sent. Where the NACK may have been lost, the packet "
           "may have been dropped for lack of resources.",
};

enum { MISSING_MAX = 64 };

/* A number that an EACK does not show. */
struct missing {
    int64_t x;
    uint8_t window;
    struct fal_at eack;
    uint64_t until_ns; /* a NACK has come by then */
};

struct state {
    struct fal_bag missing; /* struct missing */
    uint64_t epoch[FAL_WINDOWS];
    int64_t
        shown[FAL_WINDOWS]; /* numbers below it were found in an EACK, or missing from one */
};

static struct missing *item_at(const struct state *state, unsigned i)
{
    return FAL_BAG(&state->missing, struct missing, i);
}

static struct missing *find(const struct state *state, enum fal_window w, int64_t x)
{
    for (unsigned i = 0; i < state->missing.num; i++)
        if (item_at(state, i)->window == (uint8_t)w && item_at(state, i)->x == x)
            return item_at(state, i);
    return NULL;
}

/* How long after an EACK a NACK for a packet missing in it may still arrive. False: not known.
 */
static bool patience(const struct fal_ctx *c, uint64_t *ns)
{
    struct fal_timer_bounds b;
    uint64_t in_ns, out_ns, slack_ns;

    if (!fal_coalescing_judged(c, &b) || !fal_round_ns(c, &in_ns, &out_ns) ||
        !fal_slack_ns(c, FAL_TIMER_COALESCING, 1, &slack_ns))
        return false;
    *ns = out_ns + 2 * (b.late_ns + slack_ns);
    return true;
}

/* Whether x must be in q: a sound copy, inside the window whichever base there was, came
 * before. A push that was NACKed once may be in any state (AMB-65). */
static bool due(const struct fal_ctx *c, const struct fal_seen *q, enum fal_window w, int64_t x)
{
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, w), x);

    return sent != NULL &&
           (sent->flags & (FAL_SENT_DOUBTFUL | FAL_SENT_VARIED | FAL_SENT_BEYOND)) == 0 &&
           fal_surely_arrived(c, &sent->first, q);
}

static void take_missing(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                         enum fal_window w, int64_t x)
{
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, w), x);
    struct missing *item;
    uint64_t ns;

    if ((sent->flags & FAL_SENT_REFUSED) != 0) {
        fal_holds(c); /* the NACK told */
    } else if (!fal_path_out(c).lossless) {
        fal_excused(c, FAL_EXCUSE_RESOURCE_DROP);
    } else if (c->track->gap_index[fal_out(c)] > sent->first.index) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* the NACK may have gone unseen */
    } else if (!patience(c, &ns)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    } else if (find(state, w, x) == NULL) {
        item = fal_bag_add(&state->missing, sizeof *item, MISSING_MAX);
        if (item == NULL)
            return;
        *item = (struct missing){
            .x = x, .window = (uint8_t)w, .eack = q->at, .until_ns = q->at.t_ns + ns};
        fal_wake(c, item->until_ns);
    }
}

/* What q shows and does not show, from the first number on that none has shown yet. */
static void take_eack(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                      enum fal_window w)
{
    const struct fal_stream *stream = fal_in_stream(c, w);
    const struct fal_claim *claim = &q->claim[w];
    int64_t x = state->shown[w] > claim->base ? state->shown[w] : claim->base;
    int64_t end = claim->base + (int64_t)fal_window_size(w);

    for (; x < end && x < stream->next && due(c, q, w, x); x++) {
        if (fal_u128_test(claim->received, (unsigned)(x - claim->base)))
            fal_holds(c);
        else
            take_missing(c, state, q, w, x);
    }
    if (x > state->shown[w])
        state->shown[w] = x;
}

/* An EACK that shows an older state of the lane of x: x is accepted after all, if nothing but
 * the copy that had arrived can be what the SUT acknowledges now. */
static void withdraw(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    for (unsigned i = 0; i < state->missing.num;) {
        const struct missing *item = item_at(state, i);
        enum fal_window w = (enum fal_window)item->window;
        const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, w), item->x);
        const struct fal_claim *claim = &q->claim[w];
        int64_t n = item->x - claim->base;

        if (sent != NULL && sent->copies == 1 && (sent->flags & FAL_SENT_RESYNC) == 0 &&
            (n < 0 || (n < 128 && fal_u128_test(claim->received, (unsigned)n))))
            fal_bag_remove(&state->missing, sizeof *item, i);
        else
            i++;
    }
}

static void take_nack(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    enum fal_window w = (enum fal_window)(q->falcon->window & 1);
    int64_t x = fal_stream_extend(&c->track->stream[fal_in(c)][w], q->falcon->nack_psn);
    struct missing *item = find(state, w, x);
    uint64_t slack_ns;

    if (item == NULL)
        return;
    fal_met(c, q->at.t_ns, item->until_ns,
            fal_slack_ns(c, FAL_TIMER_COALESCING, 1, &slack_ns) ? 2 * slack_ns : 0);
    fal_bag_remove(&state->missing, sizeof *item, (unsigned)(item - item_at(state, 0)));
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        uint64_t epoch = fal_in_stream(c, (enum fal_window)w)->epoch;

        if (state->epoch[w] != epoch) {
            fal_bag_free(&state->missing);
            state->shown[w] = 0;
        }
        state->epoch[w] = epoch;
    }
    withdraw(c, state, q);
    if (q->falcon->packet_type == FAL_NACK)
        take_nack(c, state, q);
    if (q->falcon->packet_type != FAL_EACK || !fal_path_in(c).lossless)
        return;
    take_eack(c, state, q, FAL_WINDOW_DATA);
    take_eack(c, state, q, FAL_WINDOW_REQ);
}

static void broken(struct fal_ctx *c, const struct missing *item)
{
    enum fal_window w = (enum fal_window)item->window;
    const struct fal_sent *sent = fal_stream_sent(fal_in_stream(c, w), item->x);
    char x[FAL_NUMBER_MAX];

    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-9-02",
                                   .cause = {sent != NULL ? &sent->first : NULL},
                                   .effect = &item->eack,
                                   .seen = "an EACK that does not cover it, and no NACK since"},
               "%s PSN %s accepted, or refused by a NACK: it arrived before, inside the window",
               fal_window_word(w), fal_psn_text(fal_in_stream(c, w), item->x, x));
}

static void wake(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->missing.num;) {
        const struct missing item = *item_at(state, i);

        if (c->now_ns <= item.until_ns) {
            fal_wake(c, item.until_ns);
            i++;
        } else {
            broken(c, &item);
            fal_bag_remove(&state->missing, sizeof item, i);
        }
    }
}

static void forget(struct fal_ctx *c)
{
    struct state *state = c->state;

    fal_undecided_all(c, &state->missing, FAL_EXCUSE_CAPTURE_GAP);
}

/* The NACK may have gone unseen; times mean nothing across a step. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_marks_gap(event, fal_out(c)) || event->u.mark.mark == FAL_MARK_CLOCK_STEP)
        forget(c);
}

/* A connection that failed drops everything. */
static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    if (fal_connection_failed(event))
        forget(c);
}

const struct fal_rule_impl fal_rule_r5 = {
    .about = &fal_about_r5,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_EACK | FAL_ON_NACK | FAL_ON_WAITING,
    .wake = wake,
    .mark = mark,
    .cm = cm,
    .release = fal_bag_release,
};
