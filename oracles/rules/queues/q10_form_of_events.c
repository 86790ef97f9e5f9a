/* SPDX-License-Identifier: Apache-2.0
 * q10_form_of_events.c - rule Q10: what an event says of its queue (10.6.2.1): its reserved
 * bits are 0, event_queue_select names a queue that there is, and gen turns each time the queue
 * begins from its start again. The adapter declares how many queues there are, and how many
 * entries one has. */
#include "oracles/rules/judge/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_q10 = {
    .id = "Q10",
    .title = "an event for the RUE has the form of its queue",
    .requirements =
        FAL_IDS("FTP-10.6.2.1-22", "FTP-10.6.2.1-23", "FTP-10.6.2.1-33", "FTP-10.6.2.1-34"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine). Violated by reserved bits that "
        "are not 0. Violated by event_queue_select that is not less than the declared number "
        "of queues. Violated by gen that stays for more events than the declared queue has "
        "entries, or turns after fewer; judged where there is one queue and one connection.",
};

struct state {
    bool started;   /* the numbers below count every event of the queue */
    bool turned;    /* gen has turned at event `turn` */
    uint64_t n;     /* of the newest event */
    uint64_t first; /* the oldest event that is known to have the same gen */
    uint64_t opened;
    uint8_t gen;
};

static void wrong(struct fal_ctx *c, const struct fal_entry *entry, const char *id,
                  const char *seen, const char *expected)
{
    fal_broken(c, &(struct fal_blame){.requirement = id, .effect = &entry->at, .seen = seen},
               "%s", expected);
}

/* Whether every event of the queue is seen, and all of them are of this connection. */
static bool sees_all(const struct fal_ctx *c)
{
    const struct fal_engine *engine = &c->bench->engine;
    const struct fal_rue_facts *rue = &c->track->setup.rue;

    return (engine->traced || engine->tester) && !engine->unsure && !c->bench->events_lost &&
           c->bench->open == 1 && rue->has_queues && rue->event_queues == 1;
}

/* Whether gen is right, as far as it is known where the queue begins. */
static bool turns(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    uint64_t ring = c->track->setup.rue.event_ring, kept;
    bool same, known;
    char seen[80], expected[80];

    if (!sees_all(c) || (state->started && state->opened != c->bench->opened)) {
        state->started = false;
        return true;
    }
    if (!state->started) {
        *state = (struct state){
            .started = true, .opened = c->bench->opened, .gen = entry->event.gen};
        return true;
    }
    state->n++;
    kept = state->n - state->first;
    same = entry->event.gen == state->gen;
    known = state->turned;
    if (same && kept < ring)
        return true;
    state->first = state->n;
    state->turned = !same;
    state->gen = entry->event.gen;
    if (!same && (kept == ring || (!known && kept < ring)))
        return true;
    (void)snprintf(seen, sizeof seen, "gen %s after %" PRIu64 " events",
                   same ? "is the same" : "is another", kept);
    (void)snprintf(expected, sizeof expected, "another gen after each %" PRIu64 " events",
                   ring);
    wrong(c, entry, "FTP-10.6.2.1-34", seen, expected);
    return false;
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    const struct fal_rue_facts *rue = &c->track->setup.rue;
    const struct fal_cc_event *event = &entry->event;
    char seen[64], expected[64];

    if (entry->is_result)
        return;
    if (!turns(c, c->state, entry))
        return;
    if (event->reserved_0 != 0) {
        wrong(c, entry, "FTP-10.6.2.1-22", "an event with a reserved bit of 1", "0");
    } else if (event->reserved_1 != 0) {
        wrong(c, entry, "FTP-10.6.2.1-33", "an event with a reserved bit of 1", "0");
    } else if (rue->has_queues && event->event_queue_select >= rue->event_queues) {
        (void)snprintf(seen, sizeof seen, "event_queue_select %u", event->event_queue_select);
        (void)snprintf(expected, sizeof expected, "one of the %" PRIu32 " event queues",
                       rue->event_queues);
        wrong(c, entry, "FTP-10.6.2.1-23", seen, expected);
    } else {
        fal_holds(c);
    }
}

/* Another engine, or the end of the trace: events go unseen. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;

    if (strcmp(event->u.command.verb, "cc_engine") == 0 ||
        strcmp(event->u.command.verb, "cc_trace") == 0)
        state->started = false;
}

const struct fal_rule_impl fal_rule_q10 = {
    .about = &fal_about_q10,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .command = command,
    .entry = entry,
};
