/* SPDX-License-Identifier: Apache-2.0
 * q5_acked_count_adds_up.c - rule Q5: num_packets_acked of events counts the packets that were
 * acknowledged since the event before (10.6.2.1). The sum over all events never exceeds the
 * packets that the tester acknowledged; and if no packet was lost or repeated, and the event of
 * the newest ACK was shown, the sum has all of them. Whether bases in data packets count is
 * open (AMB-79). */
#include "oracles/rules/judge/report.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_q5 = {
    .id = "Q5",
    .title = "num_packets_acked of events adds up to what was acknowledged",
    .requirements = FAL_IDS("FTP-10.6.2.1-19"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine). Violated if the sum of "
        "num_packets_acked over all events of a connection is higher than the number of "
        "packets of the SUT that the tester had acknowledged. Violated if it is lower after "
        "the event of the newest ACK, on a path without loss on which nothing was "
        "retransmitted, if entries were asked for before the first ACK. A number of 1023 may "
        "stand for more.",
};

enum { RECENT = 16 };

struct state {
    uint64_t acked;       /* packets of the SUT that any packet of the tester acknowledged */
    uint64_t by_acks;     /* those that an ACK or NACK did */
    uint64_t sum;         /* of all events */
    struct fal_at newest; /* the newest ACK that acknowledged something */
    uint32_t t1, t2;      /* its times, 24 bits */
    uint32_t recent[RECENT][2]; /* those of the newest ACKs and NACKs of all */
    unsigned num_recent;
    bool alone; /* `newest` has other times than the ACKs before */
    /* The lower bound does not hold: events went unseen, packets were repeated, or an ACK may
     * have been discarded. */
    bool loose;
};

static void count(void *ctx, const struct fal_new *fresh)
{
    uint64_t *n = ctx;

    *n += fresh->ack;
}

static bool watches(const struct fal_ctx *c)
{
    const struct fal_engine *engine = &c->bench->engine;

    return (engine->traced || engine->tester) && !engine->unsure;
}

/* Whether one of the newest ACKs had these times; they are kept. */
static bool told_before(struct state *state, uint32_t t1, uint32_t t2)
{
    unsigned kept = state->num_recent < RECENT ? state->num_recent : RECENT;
    uint32_t *slot = state->recent[state->num_recent % RECENT];

    for (unsigned i = 0; i < kept; i++)
        if (state->recent[i][0] == t1 && state->recent[i][1] == t2)
            return true;
    slot[0] = t1;
    slot[1] = t2;
    state->num_recent++;
    return false;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    uint64_t n = 0;
    bool ack = fal_falcon_is_ack(p->falcon->packet_type), again, same;
    uint32_t t1 = p->falcon->t1 & FAL_CC_TIME_MAX, t2 = p->falcon->t2 & FAL_CC_TIME_MAX;

    if (!c->track->setup.rue.known)
        return;
    again = ack && told_before(state, t1, t2);
    same = ack && state->by_acks > 0 && state->t1 == t1 && state->t2 == t2;
    if (same)
        state->alone = false; /* The event of this one has the same times. */
    if (!p->news)
        return;
    for (unsigned w = 0; w < FAL_WINDOWS; w++)
        fal_track_news(c->track, p, (enum fal_window)w, count, &n);
    if (n == 0)
        return;
    state->acked += n;
    state->loose |= !watches(c) || !fal_path_in(c).lossless || !fal_path_in(c).in_order ||
                    fal_may_be_stale(c, p);
    if (!ack)
        return;
    state->by_acks += n;
    state->newest = p->at;
    state->alone = !again && !same;
    state->t1 = t1;
    state->t2 = t2;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (c->track->setup.rue.known && q->prior != NULL)
        state->loose = true; /* A copy and its original are one packet, or two. */
}

static void wrong(struct fal_ctx *c, const struct state *state, const struct fal_entry *entry,
                  const char *bound, uint64_t due)
{
    char seen[64];

    (void)snprintf(seen, sizeof seen, "num_packets_acked adds up to %" PRIu64, state->sum);
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-10.6.2.1-19",
                                   .cause = {&state->newest},
                                   .effect = &entry->at,
                                   .seen = seen},
               "at %s %" PRIu64 ", the packets that were acknowledged", bound, due);
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;
    const struct fal_cc_event *event = &entry->event;
    bool newest;

    if (entry->is_result)
        return;
    state->sum += event->num_packets_acked;
    state->loose |=
        event->num_packets_acked >= FAL_CC_ACKED_MAX || c->bench->events_lost || !watches(c);
    newest = state->alone && event->event_type <= FAL_CC_NACK && event->t1 == state->t1 &&
             event->t2 == state->t2;
    if (state->sum > state->acked && fal_track_may_miss(c->track, fal_in(c), 0))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (state->sum > state->acked)
        wrong(c, state, entry, "most", state->acked);
    else if (newest && !state->loose && state->sum < state->by_acks)
        wrong(c, state, entry, "least", state->by_acks);
    else if (event->num_packets_acked > 0)
        fal_holds(c);
    if (state->sum > state->acked) /* Each excess is reported once. */
        state->sum = state->acked;
}

const struct fal_rule_impl fal_rule_q5 = {
    .about = &fal_about_q5,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .in = in,
    .out = out,
    .on_in = FAL_ON_NEWS | FAL_ON_ACK,
    .on_out = FAL_ON_AGAIN,
    .entry = entry,
};
