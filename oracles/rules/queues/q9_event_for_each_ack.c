/* SPDX-License-Identifier: Apache-2.0
 * q9_event_for_each_ack.c - rule Q9: an ACK or NACK gives an event for the Rate Update Engine
 * if the queue is empty and the declared policy asks for one (10.6.1, AMB-43). How the
 * predicates P1 and P2 combine is not given, so the adapter declares it; without that, nothing
 * is due. The rule decides only where nothing else can have an influence: one connection, each
 * event before has its result, no other ACK is under way, nothing is lost. */
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

#include <string.h>

const struct fal_rule fal_about_q9 = {
    .id = "Q9",
    .title = "an ACK or NACK gives an event while the queue is empty",
    .requirements =
        FAL_IDS("FTP-10.6.1-01", "FTP-10.6.1-02", "FTP-10.6.2.1-01", "FTP-9.2.4-07"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine) and event_policy of the adapter. "
        "Violated by an ACK that acknowledges packets, or a NACK of code 1 for a packet that "
        "is outstanding, without an event, if the policy asks for one while the queue is "
        "empty. Packets that this ACK acknowledges do not count for P2. Judged in virtual "
        "time, for the only connection, on a path that keeps order and neither loses nor "
        "duplicates; not if an event has no result yet, another ACK may be under way, or the "
        "ACK may be stale (AMB-79).",
};

struct state {
    struct fal_at last_event, last_result, newest; /* newest: ACK or NACK to the SUT */
    bool any_event, any_result, any_in, result_ours;
    bool hidden; /* Events may have gone unseen. */
    bool begun;
    uint64_t begun_ns; /* of the first packet */
    uint32_t waiting;  /* events without a result */
    uint64_t acked;    /* since the last event, in the metric of P2 */
    struct due {
        bool on, nack;
        struct fal_at at;
        uint64_t until_ns;
    } due;
};

static bool watches(const struct fal_ctx *c)
{
    const struct fal_engine *engine = &c->bench->engine;

    return (engine->traced || engine->tester) && !engine->unsure && !c->bench->events_lost &&
           !c->bench->run.live && c->bench->open == 1;
}

/* ---- the event that is due ---- */

static void miss(struct fal_ctx *c, struct state *state)
{
    struct fal_at now = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};

    state->due.on = false;
    fal_broken(c,
               &(struct fal_blame){.requirement =
                                       state->due.nack ? "FTP-10.6.2.1-01" : "FTP-10.6.1-02",
                                   .cause = {&state->due.at},
                                   .effect = &now,
                                   .seen = "none"},
               "an event for this %s, as the queue is empty and event_policy asks for it",
               state->due.nack ? "NACK" : "ACK");
}

/* The time of the event that is due may be over. */
static void expire(struct fal_ctx *c, struct state *state)
{
    if (state->due.on && c->now_ns > state->due.until_ns && watches(c))
        miss(c, state);
}

static void wake(struct fal_ctx *c)
{
    expire(c, c->state);
}

/* ---- what an ACK acknowledges ---- */

struct count {
    enum fal_rue_metric metric;
    uint64_t packets, units;
};

static void count(void *ctx, const struct fal_new *fresh)
{
    struct count *n = ctx;

    if (!fresh->ack)
        return;
    n->packets++;
    /* A packet has a cell at least. */
    if (n->metric == FAL_RUE_PACKETS || n->metric == FAL_RUE_CELLS)
        n->units++;
    else if (n->metric == FAL_RUE_BYTES && fresh->sent != NULL &&
             fresh->sent->type != FAL_PULL_REQUEST)
        n->units += fresh->sent->length;
}

/* Whether a NACK of code 1 names a packet that is outstanding. */
static bool names_outstanding(struct fal_ctx *c, const struct fal_seen *p)
{
    enum fal_window w = (enum fal_window)(p->falcon->window & 1);
    struct fal_stream *stream = &c->track->stream[fal_out(c)][w];
    int64_t x;

    if (p->falcon->nack_code != FAL_NACK_RESOURCE || !stream->started)
        return false;
    x = fal_stream_extend(stream, p->falcon->nack_psn);
    return fal_track_was_sent(c->track, fal_out(c), w, x) == FAL_WAS_SENT &&
           x >= fal_stream_edge(stream) && x >= p->claim[w].base;
}

/* ---- the terms ---- */

/* Whether the policy asks for an event. The time since the last event is not longer than the
 * rule takes it for. */
static bool asks(const struct fal_ctx *c, const struct state *state, uint64_t t_ns)
{
    const struct fal_rue_facts *rue = &c->track->setup.rue;
    uint64_t since_ns = state->any_event ? state->last_event.t_ns : state->begun_ns;
    uint64_t apart_ns = t_ns > since_ns ? t_ns - since_ns : 0;
    bool p1 = apart_ns > rue->p1_ns + fal_drift_ns(rue->p1_ns) + fal_clock_step_ns(c);
    bool p2 = rue->p2_metric != FAL_RUE_OTHER && state->acked > rue->p2;

    switch (rue->when_empty) {
    case FAL_RUE_ALWAYS: return true;
    case FAL_RUE_P1: return p1;
    case FAL_RUE_P2: return p2;
    case FAL_RUE_EITHER: return p1 || p2;
    case FAL_RUE_BOTH: return p1 && p2;
    }
    return false;
}

/* Whether the queue was surely empty when p came, and nothing else is under way. */
static bool quiet(const struct fal_ctx *c, const struct state *state, const struct fal_seen *p,
                  uint64_t within_ns)
{
    const struct fal_path in = fal_path_in(c);

    return in.lossless && in.in_order && in.no_duplicates && !state->hidden &&
           state->waiting == 0 &&
           (!state->any_result ||
            fal_result_applied(c, &state->last_result, state->result_ours, p->at.t_ns)) &&
           (!state->any_in || p->at.t_ns - state->newest.t_ns > within_ns) && !c->track->dead &&
           !p->doubtful && !fal_may_be_stale(c, p);
}

static void begin(struct state *state, const struct fal_seen *packet)
{
    if (!state->begun)
        state->begun_ns = packet->at.t_ns;
    state->begun = true;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_rue_facts *rue = &c->track->setup.rue;
    struct count n = {.metric = rue->p2_metric};
    bool nack = p->falcon->packet_type == FAL_NACK;
    uint64_t in_ns = 0, out_ns = 0, within_ns;

    begin(state, p);
    if (!rue->known || !rue->has_policy || !fal_falcon_is_ack(p->falcon->packet_type))
        return;
    expire(c, state);
    state->due.on = false;
    state->hidden |= !watches(c);
    for (unsigned w = 0; w < FAL_WINDOWS && p->news; w++)
        fal_track_news(c->track, p, (enum fal_window)w, count, &n);
    within_ns = fal_pipeline_ns(c) + c->track->setup.params.turnaround_ns;
    if (fal_round_ns(c, &in_ns, &out_ns) && !fal_is_learned(c) &&
        (nack ? names_outstanding(c, p) : n.packets > 0) &&
        quiet(c, state, p, in_ns + within_ns + rue->latency_ns) && asks(c, state, p->at.t_ns)) {
        state->due = (struct due){true, nack, p->at, p->at.t_ns + in_ns + within_ns};
        fal_wake(c, state->due.until_ns);
    }
    state->acked += n.units;
    state->any_in = true;
    state->newest = p->at;
}

/* A retransmission may give an event. */
static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    begin(state, q);
    state->hidden |= q->prior != NULL && c->track->setup.rue.has_policy && !watches(c);
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;

    if (!c->track->setup.rue.has_policy)
        return;
    expire(c, state);
    if (entry->is_result) {
        /* The tester's results are seen as commands. */
        if (entry->ours != c->bench->engine.tester)
            return;
        state->waiting -= state->waiting > 0;
        state->any_result = true;
        state->result_ours = entry->ours;
        state->last_result = entry->at;
        return;
    }
    /* An event of something else came first, so the queue was not empty. */
    if (state->due.on && entry->event.event_type <= FAL_CC_NACK)
        fal_holds(c);
    else if (state->due.on)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    state->due.on = false;
    state->waiting++;
    state->acked = 0;
    state->any_event = true;
    state->last_event = entry->at;
}

/* Another engine, or the end of the trace: what waits then is not known. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.command.verb, "cc_engine") != 0 &&
        strcmp(event->u.command.verb, "cc_trace") != 0)
        return;
    expire(c, state);
    state->due.on = false;
    state->hidden |= state->any_in || state->any_event;
}

static void cm(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (!fal_connection_failed(event))
        return;
    expire(c, state);
    state->due.on = false;
    state->hidden = true;
}

static void finish(struct fal_ctx *c)
{
    expire(c, c->state);
}

const struct fal_rule_impl fal_rule_q9 = {
    .about = &fal_about_q9,
    .power = 1,
    .sut_only = true,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .in = in,
    .out = out,
    .on_in = FAL_ON_ACK,
    .on_out = FAL_ON_AGAIN,
    .command = command,
    .entry = entry,
    .cm = cm,
    .wake = wake,
    .finish = finish,
};
