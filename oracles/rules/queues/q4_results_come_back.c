/* SPDX-License-Identifier: Apache-2.0
 * q4_results_come_back.c - rule Q4: the SUT keeps what a result sets, and the next event
 * carries it: windows, gap, RTO, markers, direction, averages, base delay target, cc_opaque
 * (10.6.2). An event that is made before the result was surely applied may carry what held
 * before. The fields of one event belong to one result. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_q4 = {
    .id = "Q4",
    .title = "an event for the RUE carries what the last result has set",
    .requirements =
        FAL_IDS("FTP-10.3.6-01", "FTP-10.5.6-01", "FTP-10.6.2.1-14", "FTP-10.6.2.1-15",
                "FTP-10.6.2.1-16", "FTP-10.6.2.1-17", "FTP-10.6.2.1-18", "FTP-10.6.2.1-25",
                "FTP-10.6.2.1-26", "FTP-10.6.2.1-27", "FTP-10.6.2.1-28", "FTP-10.6.2.1-29",
                "FTP-10.6.2.1-30", "FTP-10.6.2.1-31", "FTP-10.6.2.2-10", "FTP-10.6.2.2-11",
                "FTP-10.6.2.2-12", "FTP-10.6.2.2-13", "FTP-10.6.2.2-14", "FTP-10.6.2.2-15",
                "FTP-10.6.2.2-16", "FTP-10.6.2.2-18"),
    .role = "transmitter",
    .needs = "queues",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace or cc_engine). Violated by an event whose "
        "windows, gap, RTO, markers, direction, averages, base_delay_target or cc_opaque are "
        "those of no result that may be in force. A result of the SUT is in force at the "
        "latest when the declared rue_latency_ns is over, one of the tester when its command "
        "was answered.",
};

/* Fields that both entries have, and the event carries unchanged. */
static const char *const carried[] = {"fcwnd_integer",
                                      "fcwnd_fraction",
                                      "inter_packet_gap",
                                      "ncwnd",
                                      "retransmit_timeout",
                                      "fabric_window_time_marker",
                                      "nic_window_time_marker",
                                      "ncwnd_direction",
                                      "base_delay_target",
                                      "delay_state",
                                      "rtt_state",
                                      "cc_opaque"};
enum { CARRIED = sizeof carried / sizeof *carried, RESULTS_KEPT = 6 };

struct result {
    struct fal_at at;
    bool ours;
    uint32_t value[CARRIED];
};

struct state {
    struct fal_bag results; /* struct result: those that may be in force, the oldest first */
};

static void forget(struct state *state)
{
    while (state->results.num > 0)
        fal_bag_remove(&state->results, sizeof(struct result), 0);
}

/* These commands change values beside results, or who the engine is. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    static const char *const verbs[] = {"set", "cc_config", "cc_engine", "cc_trace"};

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(event->u.command.verb, verbs[i]) == 0)
            forget(c->state);
}

static void values_of(enum fal_cc_entry kind, const void *host, uint32_t value[CARRIED])
{
    const struct fal_layout *layout = fal_cc_layout(FAL_CC_TABLE_MSB, kind);

    for (unsigned i = 0; i < CARRIED; i++)
        value[i] = (uint32_t)fal_field_get(fal_layout_find(layout, carried[i]), host);
}

/* Whether the event shows a state in which the SUT surely had applied that result. */
static bool applied(const struct fal_ctx *c, const struct state *state, unsigned i,
                    const struct fal_entry *event)
{
    const struct result *result = FAL_BAG(&state->results, struct result, i);

    return fal_result_applied(c, &result->at, result->ours, event->at.t_ns);
}

static void note(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    struct result *result;

    if (entry->result.connection_id != c->track->setup.sut.cid)
        return;
    if (state->results.num == RESULTS_KEPT) { /* The oldest may still hold: nothing is known. */
        forget(state);
        return;
    }
    result = fal_bag_add(&state->results, sizeof *result, RESULTS_KEPT);
    if (result == NULL)
        return;
    result->at = entry->at;
    result->ours = entry->ours;
    values_of(FAL_CC_ENTRY_RESULT, &entry->result, result->value);
}

/* The first field of the event that differs from a result; CARRIED: none. */
static unsigned differs(const struct result *result, const uint32_t value[CARRIED])
{
    unsigned i = 0;

    while (i < CARRIED && result->value[i] == value[i])
        i++;
    return i;
}

static void judge(struct fal_ctx *c, struct state *state, const struct fal_entry *entry)
{
    const struct fal_layout *layout = fal_cc_layout(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT);
    const struct result *newest;
    uint32_t value[CARRIED];
    unsigned field;
    char seen[64];

    while (state->results.num > 1 && applied(c, state, 1, entry))
        fal_bag_remove(&state->results, sizeof *newest, 0);
    if (state->results.num == 0)
        return;
    values_of(FAL_CC_ENTRY_EVENT, &entry->event, value);
    for (unsigned i = 0; i < state->results.num; i++)
        if (differs(FAL_BAG(&state->results, struct result, i), value) == CARRIED) {
            fal_holds(c);
            return;
        }
    if (!applied(c, state, 0, entry)) {
        fal_undecided(c, FAL_EXCUSE_CONFIG); /* What held before it is not known. */
        return;
    }
    newest = FAL_BAG(&state->results, struct result, state->results.num - 1);
    field = differs(newest, value);
    (void)snprintf(seen, sizeof seen, "an event with %s %u", carried[field], value[field]);
    fal_broken(
        c,
        &(struct fal_blame){.requirement = fal_layout_find(layout, carried[field])->requirement,
                            .cause = {&newest->at},
                            .effect = &entry->at,
                            .seen = seen},
        "%s %u, as the result has set it", carried[field], newest->value[field]);
}

/* Whether a command that changes values was written, and its reply was not read yet. */
static bool unsettled(const struct fal_ctx *c)
{
    const struct fal_limits *limits = &c->track->limits;

    for (unsigned i = 0; i < limits->num; i++)
        if (limits->at[i].id != 0 && !limits->at[i].by_result)
            return true;
    return c->bench->engine.unsure;
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    const struct fal_engine *engine = &c->bench->engine;
    struct state *state = c->state;

    if (unsettled(c))
        forget(state);
    else if (entry->is_result && (entry->ours || !engine->tester))
        note(c, state, entry);
    else if (!entry->is_result && !fal_engine_hidden(engine, &c->track->setup.rue) &&
             !c->bench->events_lost && !(c->bench->run.live && !c->bench->run.ordered_events))
        judge(c, state, entry);
}

const struct fal_rule_impl fal_rule_q4 = {
    .about = &fal_about_q4,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .command = command,
    .entry = entry,
    .release = fal_bag_release,
};
