/* SPDX-License-Identifier: Apache-2.0
 * q3_one_result_per_event.c - rule Q3: the SUT's own Rate Update Engine gives one result for
 * each event, for the connection of the event (10.6.2.2). Results may come late and in groups.
 */
#include "oracles/rules/judge/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_q3 = {
    .id = "Q3",
    .title = "the RUE gives one result per event",
    .requirements = FAL_IDS("FTP-10.5.7-01", "FTP-10.6.2.2-01", "FTP-10.6.2.2-02"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace), and that the SUT has its own RUE. Violated by "
        "a result for which no event waits, by a result with another connection_id than its "
        "event, and by an event without a result when the declared rue_latency_ns is over.",
};

enum { WAITING_MAX = 64 };

struct waiting {
    struct fal_at at;
    uint32_t connection_id;
};

struct state {
    struct fal_bag waiting; /* struct waiting: events without a result, the oldest first */
    bool hidden;            /* Events may wait that were not shown. */
    bool heard; /* an ACK was sent, or a packet was repeated: there may have been events */
};

static bool watches(const struct fal_ctx *c)
{
    return c->bench->engine.traced && !c->bench->engine.tester && !c->bench->engine.unsure &&
           c->track->setup.rue.known;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    (void)p;
    state->heard = true;
    state->hidden |= !watches(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    state->heard = true;
    state->hidden |= q->prior != NULL && !watches(c);
}

/* The tester becomes the RUE, or ends the trace: what waits then is not known. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.command.verb, "cc_engine") != 0 &&
        strcmp(event->u.command.verb, "cc_trace") != 0)
        return;
    state->hidden |= state->heard || state->waiting.num > 0;
    while (state->waiting.num > 0)
        fal_bag_remove(&state->waiting, sizeof(struct waiting), 0);
}

static void wait_for(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    struct waiting *item = fal_bag_add(&state->waiting, sizeof *item, WAITING_MAX);

    if (item == NULL)
        state->hidden = true;
    else
        *item = (struct waiting){entry->at, entry->event.connection_id};
    (void)c;
}

static void take_result(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    const struct waiting item = state->waiting.num > 0
                                    ? *FAL_BAG(&state->waiting, struct waiting, 0)
                                    : (struct waiting){.connection_id = 0};
    bool lost = c->bench->events_lost; /* entries of events among them, perhaps */
    char seen[64];

    (void)snprintf(seen, sizeof seen, "a result with connection_id %" PRIu32,
                   entry->result.connection_id);
    if (state->waiting.num == 0 && (state->hidden || lost)) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    if (state->waiting.num == 0) {
        fal_broken(c,
                   &(struct fal_blame){
                       .requirement = "FTP-10.6.2.2-01", .effect = &entry->at, .seen = seen},
                   "a result only for an event that has none yet");
        return;
    }
    fal_bag_remove(&state->waiting, sizeof item, 0);
    if (entry->result.connection_id == item.connection_id)
        fal_holds(c);
    else if (lost)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "FTP-10.6.2.2-02",
                                       .cause = {&item.at},
                                       .effect = &entry->at,
                                       .seen = seen},
                   "connection_id %" PRIu32 ", as in the event", item.connection_id);
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;

    if (!watches(c) || entry->ours)
        return;
    if (entry->is_result)
        take_result(c, state, entry);
    else
        wait_for(c, state, entry);
}

/* Events whose result is overdue. Entries may be read late on a live link. */
static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;
    const struct fal_rue_facts *rue = &c->track->setup.rue;

    for (unsigned i = 0; i < state->waiting.num; i++) {
        const struct waiting *item = FAL_BAG(&state->waiting, struct waiting, i);
        struct fal_at at = {.index = c->now_index, .t_ns = c->now_ns, .step = -1};

        if (!watches(c) || c->bench->events_lost || c->bench->run.live || !rue->has_latency ||
            item->at.t_ns + rue->latency_ns + fal_pipeline_ns(c) >= c->now_ns)
            fal_undecided(c, FAL_EXCUSE_CONFIG);
        else
            fal_broken(c,
                       &(struct fal_blame){.requirement = "FTP-10.6.2.2-01",
                                           .cause = {&item->at},
                                           .effect = &at,
                                           .seen = "none until the end"},
                       "a result within %" PRIu64 " ns after the event",
                       rue->latency_ns + fal_pipeline_ns(c));
    }
    while (state->waiting.num > 0)
        fal_bag_remove(&state->waiting, sizeof(struct waiting), 0);
}

const struct fal_rule_impl fal_rule_q3 = {
    .about = &fal_about_q3,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = in,
    .out = out,
    .on_in = FAL_ON_ACK,
    .on_out = FAL_ON_AGAIN,
    .command = command,
    .entry = entry,
    .finish = finish,
    .release = fal_bag_release,
};
