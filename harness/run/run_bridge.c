/* SPDX-License-Identifier: Apache-2.0
 * run_bridge.c - a case between two real ends: played once, and judged for each of them. The
 * first of its two cases plays it, and keeps the verdict of the other end's judge for the
 * second case. */
#include "harness/run/run_impl.h"

#include "harness/link/link_bridge.h"
#include "harness/play/interp.h"
#include "harness/session/bridge.h"
#include "harness/verdict/case_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After the last step: held packets are due, and answers are in flight. */
#define AFTERMATH_NS (20 * FAL_MS)

/* Names the part that a step needs and bridge mode lacks; NULL: bridge mode lacks nothing. */
static const char *needs_of(const struct tl_step *step)
{
    switch (step->verb) {
    case TL_ACKS:
    case TL_SEND: return "a tester's end that sends";
    case TL_ULP:
    case TL_CC:
    case TL_WORD:
    case TL_EXPECT_ULP:
    case TL_EXPECT_NO_EVENT: return "a control channel";
    case TL_EXPECT:
    case TL_EXPECT_NONE:
    case TL_WAIT:
    case TL_NOTE:
    case TL_LET:
    case TL_MEASURE:
    case TL_AWAIT:
    case TL_UNTIL_QUIET:
    case TL_ANY_ORDER:
    case TL_ALT:
    case TL_ON:
    case TL_OFF:
    case TL_RELEASE:
    case TL_IF:
    case TL_JUMP:
    case TL_REPEAT:
    case TL_REPEAT_END: break;
    }
    return NULL;
}

/* A case that Talon cannot play between two real ends says nothing about them. */
static void skip(struct tl_case *out, const char *why)
{
    out->disposition = TL_SKIPPED;
    out->why = strdup(why);
}

/* Whether the case can be played between two real ends; else it is skipped. */
static bool playable(const struct tl_scenario *scenario, struct tl_case *out)
{
    const char *rest = NULL, *needs;
    char why[240];

    for (size_t i = 0; i < scenario->num_steps; i++) {
        needs = needs_of(&scenario->steps[i]);
        if (needs == NULL)
            continue;
        (void)snprintf(why, sizeof why,
                       "step %zu (%.100s) needs %s; between two real ends there is none", i + 1,
                       scenario->steps[i].text, needs);
        skip(out, why);
        return false;
    }
    if (scenario->num_conns > 0)
        rest = "the scenario needs several connections; between two real ends it has one";
    else if (scenario->policy.count > 0)
        rest = "`policy` needs a control channel; between two real ends there is none";
    else if (scenario->num_streams > 0)
        rest = "the workload needs `post`; between two real ends there is no control channel";
    if (rest != NULL)
        skip(out, rest);
    return rest == NULL;
}

/* The input of a play, and its result for the other end. */
struct play {
    const struct tl_run *run;
    struct tl_bench *bench;
    const struct tl_scenario *scenario;
    struct tl_bridge *bridge;
    struct tl_session *sessions[TL_BRIDGE_ENDS];
    struct tl_interp *interp;
};

static bool prepare(struct play *p, const char *title, uint64_t seed, FILE *const timelines[2],
                    struct tl_case *out)
{
    struct fal_error err = {{0}};
    struct fal_params params;

    fal_params_default(&params, true);
    if (p->run->params != NULL)
        tl_given_params_apply(p->run->params, &params);
    p->bridge = tl_bridge_new(p->bench, &p->run->recording, &err);
    if (p->bridge == NULL) {
        tl_case_broken(out, TL_REASON_BRIDGE, err.text);
        return false;
    }
    for (unsigned end = 0; end < TL_BRIDGE_ENDS; end++) {
        const struct tl_session_config config = {
            .bench = p->bench,
            .title = title,
            .seed = seed,
            .timeout_ns = p->run->timeout_ns,
            .late_ns = FAL_MS,
            .timeline = timelines[end],
            .bridge = p->bridge,
        };

        p->sessions[end] = tl_session_new(&config);
        if (p->sessions[end] == NULL)
            break;
        p->sessions[end]->connection.params = params;
    }
    p->interp = calloc(1, sizeof *p->interp);
    if (p->sessions[0] != NULL && p->sessions[1] != NULL && p->interp != NULL) {
        p->sessions[0]->base_ns = p->sessions[1]->base_ns;
        tl_bridge_between(p->bridge, p->sessions);
        return true;
    }
    tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
    return false;
}

static void play_steps(struct play *p)
{
    struct tl_session *session = p->sessions[1];
    uint64_t until;
    bool idle = false;

    tl_interp_init(p->interp, session, p->scenario);
    while (session->broken.reason == TL_REASON_NONE) {
        until = tl_interp_advance(p->interp, idle);
        if (p->interp->state != TL_INTERP_RUNNING)
            break;
        idle = tl_session_pump(session, until);
    }
    until = tl_session_now(session) + AFTERMATH_NS;
    while (session->broken.reason == TL_REASON_NONE && !tl_session_pump(session, until))
        ;
}

static void tell(const struct play *p)
{
    struct tl_bridge_counts counts = tl_bridge_counts(p->bridge);
    char text[240];

    (void)snprintf(text, sizeof text,
                   "%llu packets from the first interface, %llu from the second; %llu frames "
                   "of other protocols, or sealed without a key",
                   (unsigned long long)counts.packets[0], (unsigned long long)counts.packets[1],
                   (unsigned long long)counts.others);
    for (unsigned end = 0; end < TL_BRIDGE_ENDS; end++)
        tl_session_text(p->sessions[end], FAL_EV_NOTE, -1, text);
}

/* One end's verdict. The steps are about the end at the second interface. */
static void judge_end(const struct play *p, unsigned end, struct tl_case *out)
{
    struct tl_session *session = p->sessions[end];

    tl_session_finish(session);
    tl_case_judge(out, session, p->scenario, end == 1 ? p->interp : NULL,
                  p->run->whole_packets);
    if (tl_bridge_counts(p->bridge).packets[end] == 0)
        tl_case_undecided(out, TL_REASON_SILENT,
                          "this end has sent no packet that could be opened");
}

static void finish(struct play *p)
{
    if (p->interp != NULL)
        tl_interp_clear(p->interp);
    free(p->interp);
    for (unsigned end = 0; end < TL_BRIDGE_ENDS; end++)
        tl_session_free(p->sessions[end]);
    tl_bridge_free(p->bridge);
}

void tl_run_stash_free(struct tl_run_stash *stash)
{
    if (stash == NULL)
        return;
    tl_case_clear(&stash->other);
    free(stash->timeline);
    free(stash);
}

/* The result for this end of the play that the other case began. */
static void take_stash(struct tl_run_stash *stash, FILE *timeline, struct tl_case *out)
{
    struct tl_case *other = &stash->other;

    out->verdict = other->verdict;
    out->reason = other->reason;
    out->duration_ns = other->duration_ns;
    out->timing = other->timing;
    out->path = other->path;
    out->problems = other->problems;
    out->num_problems = other->num_problems;
    out->rules = other->rules;
    out->num_rules = other->num_rules;
    out->readings = other->readings;
    out->num_readings = other->num_readings;
    out->packets = other->packets;
    out->num_packets = other->num_packets;
    if (timeline != NULL)
        (void)fwrite(stash->timeline, 1, stash->timeline_len, timeline);
    *other = (struct tl_case){.id = NULL};
}

/* Plays, and returns the result for `end`; the other case's result is kept. */
static void play_both(const struct tl_run *run, struct tl_bench *bench,
                      const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                      struct tl_case *out)
{
    unsigned end = planned->end;
    struct play p = {.run = run, .bench = bench, .scenario = planned->scenario};
    struct tl_run_stash *stash = calloc(1, sizeof *stash);
    FILE *file = stash != NULL ? open_memstream(&stash->timeline, &stash->timeline_len) : NULL;
    FILE *timelines[TL_BRIDGE_ENDS] = {file, file};

    timelines[end] = timeline;
    if (file == NULL) {
        tl_case_broken(out, TL_REASON_MEMORY, "out of memory");
        free(stash);
        return;
    }
    if (prepare(&p, planned->id, seed, timelines, out)) {
        play_steps(&p);
        tell(&p);
        if (p.sessions[1]->broken.reason != TL_REASON_NONE)
            tl_session_break(p.sessions[0], p.sessions[1]->broken.reason, "%s",
                             p.sessions[1]->broken.what.text);
        judge_end(&p, end, out);
        judge_end(&p, 1 - end, &stash->other);
        stash->scenario = planned->scenario;
        stash->end = 1 - end;
    }
    finish(&p);
    (void)fclose(file);
    tl_run_stash_free(bench->stash);
    bench->stash = stash;
}

void tl_run_bridge(const struct tl_run *run, struct tl_bench *bench,
                   const struct tl_planned *planned, uint64_t seed, FILE *timeline,
                   struct tl_case *out)
{
    struct tl_run_stash *stash = bench->stash;

    if (bench->dead) {
        tl_case_broken(out, TL_REASON_LINK, bench->why.text);
        return;
    }
    if (!playable(planned->scenario, out))
        return;
    if (stash == NULL || stash->scenario != planned->scenario || stash->end != planned->end ||
        out->num_attempts > 0) {
        play_both(run, bench, planned, seed, timeline, out);
        return;
    }
    take_stash(stash, timeline, out);
    tl_run_stash_free(stash);
    bench->stash = NULL;
}

int tl_run_both_ends(const struct tl_run *run, struct tl_plan *plan)
{
    struct tl_bridge_address at;
    struct tl_planned *both = calloc(2 * plan->num_cases + 1, sizeof *both);
    bool made = both != NULL && tl_bridge_address_read(run->target.address, &at, NULL) == 0;

    for (size_t i = 0; made && i < 2 * plan->num_cases; i++) {
        const struct tl_planned *one = &plan->cases[i / 2];

        both[i] = *one;
        both[i].end = 1 - i % 2; /* the second interface's first: the steps are about it */
        both[i].place = 2 * one->place + i % 2;
        both[i].own = NULL;
        made = asprintf(&both[i].own, "%s%cend=%s", one->id,
                        strchr(one->id, '@') != NULL ? ',' : '@', at.iface[both[i].end]) >= 0;
        both[i].id = both[i].own;
    }
    if (made) {
        struct tl_plan twice = {.cases = both,
                                .num_cases = 2 * plan->num_cases,
                                .other_shards = 2 * plan->other_shards,
                                .selection = plan->selection};

        tl_plan_free(plan);
        *plan = twice;
        return 0;
    }
    for (size_t i = 0; both != NULL && i < 2 * plan->num_cases; i++)
        free(both[i].own);
    free(both);
    return FAL_ERR_MEM;
}
