/* SPDX-License-Identifier: Apache-2.0
 * q7_path_changes_when_asked.c - rule Q7: a result with randomize_path draws a new path:
 * another flow label, or UDP source port (10.6.2.2). So does `set` with randomize_path. A draw
 * may give the same value, so only many of them without any change are a violation. No sentence
 * forbids another change; the rule warns of one (PLB, 10.4). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/in_force.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_q7 = {
    .id = "Q7",
    .title = "the path changes when a result asks for it",
    .requirements = FAL_IDS("FTP-10.4-08", "FTP-10.4-11", "FTP-10.5.7-02", "FTP-10.6.2.2-03"),
    .role = "transmitter",
    .needs = "queues, wire",
    .assumes = "",
    .doc =
        "Needs paths of packets, and entries of the queues (cc_trace or cc_engine) or the "
        "command `set` with randomize_path. Violated if 20 results or commands that ask for a "
        "new path, each of them followed by a first copy, have left the path of a window as it "
        "was. The path of a window that changes between first copies although nothing asked "
        "for it is a warning, if the entries of all results are seen.",
};

enum { REDRAWS = 20 };

struct state {
    struct fal_at asked_at; /* the newest result with randomize_path; valid when asked > 0 */
    uint32_t asked;         /* results that asked so far */
    bool ours;              /* the newest is the tester's */
    bool free;              /* A command may have changed the path since. */
    struct {
        uint32_t path, asked; /* of the newest first copy, and state.asked when it was seen */
        uint32_t same;        /* redraws after which the path was the same */
        struct fal_at at;
    } of[FAL_WINDOWS];
};

static bool sees_all(const struct fal_ctx *c)
{
    const struct fal_engine *engine = &c->bench->engine;

    return (engine->traced || engine->tester) && !engine->unsure && !c->bench->events_lost &&
           c->track->setup.rue.known && !(c->bench->run.live && !engine->tester);
}

static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *verb = event->u.command.verb;

    state->free |= strcmp(verb, "cc_config") == 0;
    if (strcmp(verb, "set") != 0 || !fal_limits_draws_path(event->u.command.text))
        return;
    state->asked++;
    state->asked_at = fal_at_event(event);
    state->ours = true;
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;

    if (!entry->is_result || entry->result.randomize_path == 0 ||
        (c->bench->engine.tester && !entry->ours))
        return;
    state->asked++;
    state->asked_at = entry->at;
    state->ours = entry->ours;
}

/* Whether the SUT had surely applied every result that asked when it sent the packet. */
static bool applied(const struct fal_ctx *c, const struct state *state,
                    const struct fal_seen *q)
{
    uint64_t in_ns, out_ns;

    return state->asked == 0 ||
           (fal_round_ns(c, &in_ns, &out_ns) && q->at.t_ns >= out_ns &&
            fal_result_applied(c, &state->asked_at, state->ours, q->at.t_ns - out_ns));
}

static void judge(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    bool changed = state->of[q->window].path != q->packet->path;
    bool asked = state->of[q->window].asked != state->asked;
    char seen[64];

    if (!changed && !asked)
        return;
    (void)snprintf(seen, sizeof seen, "path %" PRIu32 ", %s", q->packet->path,
                   changed ? "another one than before" : "as before");
    if (changed) {
        state->of[q->window].same = 0;
        if (asked)
            fal_holds(c);
        else if (!state->free)
            fal_broken(c,
                       &(struct fal_blame){.requirement = "FTP-10.4-11",
                                           .cause = {&state->of[q->window].at},
                                           .effect = &q->at,
                                           .seen = seen,
                                           .warn = true},
                       "path %" PRIu32 ", as no result asked for another one",
                       state->of[q->window].path);
        return;
    }
    if (!asked || !applied(c, state, q) || ++state->of[q->window].same < REDRAWS)
        return;
    state->of[q->window].same = 0;
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-10.6.2.2-03",
                                   .cause = {&state->asked_at},
                                   .effect = &q->at,
                                   .seen = seen},
               "another path after one of %d results that ask for it", (int)REDRAWS);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (!q->reliable || q->prior != NULL || q->packet->path == 0)
        return;
    if (!sees_all(c))
        state->free = true;
    if (state->of[q->window].path != 0)
        judge(c, state, q);
    if (state->of[q->window].path != q->packet->path || applied(c, state, q))
        state->of[q->window].asked = state->asked;
    state->of[q->window].path = q->packet->path;
    state->of[q->window].at = q->at;
}

const struct fal_rule_impl fal_rule_q7 = {
    .about = &fal_about_q7,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_FIRST,
    .command = command,
    .entry = entry,
};
