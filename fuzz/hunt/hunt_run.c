/* SPDX-License-Identifier: Apache-2.0
 * hunt_run.c - plays a case as `talon run` would, and reports what it shows about the SUT. */
#include "fuzz/hunt/hunt.h"

#include "fuzz/hunt/hunt_map.h"
#include "harness/run/evidence.h"
#include "harness/session/session.h"
#include "harness/verdict/case_verdict.h"
#include "harness/wire/privileges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void looked(void *ctx, const struct tl_session *session)
{
    hunt_features_of(ctx, session);
}

/* The packet at which it was seen: its direction and type, of "@8us < back dbase=1r". */
static void state_of(const struct tl_problem *p, char *out, size_t cap)
{
    out[0] = 0;
    for (size_t i = p->num_ladder; i > 0; i--) {
        const char *text = p->ladder[i - 1].text, *type;

        if (!p->ladder[i - 1].marked && p->kind == TL_PROBLEM_RULE)
            continue;
        type = strpbrk(text, "<>");
        if (type != NULL)
            (void)snprintf(out, cap, "%.*s", (int)(2 + strcspn(type + 2, " ")), type);
        return;
    }
}

/* Failures of the bench that the SUT causes. */
static bool is_crash(enum tl_reason reason)
{
    static const enum tl_reason reasons[] = {
        TL_REASON_CONTROL,         TL_REASON_CONTROL_CLOSED, TL_REASON_CONTROL_SILENT,
        TL_REASON_CONTROL_GARBAGE, TL_REASON_CONTROL_FLOOD,  TL_REASON_NO_PROGRESS,
        TL_REASON_EVENTS_LOST};

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i] == reason)
            return true;
    return false;
}

static void note(struct hunt_outcome *out, const struct tl_problem *p, const char *key)
{
    struct hunt_problem *mine;

    for (size_t i = 0; i < out->num_problems; i++)
        if (strcmp(out->problems[i].key, key) == 0)
            return;
    if (out->num_problems == HUNT_PROBLEMS_MAX)
        return;
    mine = &out->problems[out->num_problems++];
    (void)snprintf(mine->key, sizeof mine->key, "%s", key);
    mine->verdict = p->verdict;
    mine->requirement = p->requirement != NULL ? p->requirement->id : NULL;
    state_of(p, mine->state, sizeof mine->state);
}

/* Whether the case is valid, so that all its transactions must complete. */
static bool asks_for_life(const struct tl_scenario *scenario)
{
    for (size_t i = 0; i < scenario->num_steps; i++)
        if (scenario->steps[i].name != NULL && strcmp(scenario->steps[i].name, HUNT_ALIVE) == 0)
            return true;
    return false;
}

/* A SUT that stopped, by how it stopped: "crash ended by signal 11 (Segmentation fault) ID". */
static void stop_key(const struct tl_problem *p, const char *id, char *key, size_t cap)
{
    static const char by[] = "the SUT ", after[] = " after packet ";
    const char *how = p->seen != NULL ? p->seen : p->reason.word, *end = strstr(how, after);

    if (strncmp(how, by, strlen(by)) == 0)
        how += strlen(by);
    else
        how = p->reason.word;
    (void)snprintf(key, cap, "crash %.*s %.20s",
                   (int)(end != NULL && end > how ? end - how : 40), how, id);
}

/* A step asks for what the scenario, the link or the tester's endpoint cannot do. In a valid
 * case the last two are problems of Talon. */
static bool cannot_be_played(const struct tl_scenario *scenario, enum tl_reason reason)
{
    return reason == TL_REASON_SCENARIO ||
           ((reason == TL_REASON_ENDPOINT || reason == TL_REASON_SEND) &&
            !asks_for_life(scenario));
}

static void weigh(const struct hunt_bench *bench, const struct tl_scenario *scenario,
                  const struct tl_case *c, struct hunt_outcome *out)
{
    enum fal_verdict least = bench->warnings ? FAL_VERDICT_WARN : FAL_VERDICT_FAIL;
    char key[HUNT_KEY_MAX];

    for (size_t i = 0; i < c->num_problems; i++) {
        const struct tl_problem *p = &c->problems[i];
        const char *id = p->requirement != NULL ? p->requirement->id : "-";

        switch (p->kind) {
        case TL_PROBLEM_RULE:
            /* After packets that a step made up, the tester's own end may have to break a rule:
             * only in a valid case that is a problem of Talon. */
            if (p->subject == FAL_SUBJECT_TESTER && !asks_for_life(scenario))
                break;
            if (p->subject == FAL_SUBJECT_TESTER && p->verdict != FAL_VERDICT_INCONC) {
                out->end = HUNT_OURS;
                (void)snprintf(out->why, sizeof out->why, "%s: %s", p->rule->id, p->seen);
            } else if (p->verdict >= least && p->verdict != FAL_VERDICT_INCONC) {
                (void)snprintf(key, sizeof key, "%s %s", p->rule->id, id);
                note(out, p, key);
            }
            break;
        case TL_PROBLEM_STEP:
            if (bench->steps && p->verdict >= least && p->verdict != FAL_VERDICT_INCONC) {
                (void)snprintf(key, sizeof key, "step %.80s", p->text != NULL ? p->text : "");
                note(out, p, key);
            }
            if (p->verdict != FAL_VERDICT_FAIL || p->step < 0 || bench->steps ||
                !asks_for_life(scenario))
                break;
            (void)snprintf(key, sizeof key, "alive %s",
                           scenario->steps[p->step].name != NULL ? scenario->steps[p->step].name
                                                                 : "transaction");
            note(out, p, key);
            break;
        case TL_PROBLEM_BENCH:
            if (is_crash(p->reason.id)) {
                (void)snprintf(key, sizeof key, "crash %s", p->reason.word);
                note(out, p, key);
                break;
            }
            if (cannot_be_played(scenario, p->reason.id) || out->end == HUNT_OURS)
                break; /* to its end: no matter */
            out->end = HUNT_OURS;
            (void)snprintf(out->why, sizeof out->why, "%s: %s", p->reason.word,
                           p->seen != NULL ? p->seen : "");
            break;
        case TL_PROBLEM_STOP:
            stop_key(p, id, key, sizeof key);
            note(out, p, key);
            break;
        case TL_PROBLEM_EXERCISE: break;
        }
    }
    out->verdict = c->verdict;
}

static struct tl_scenario *read_text(const json_t *doc, const char *path, char *why, size_t cap)
{
    char *text = json_dumps(doc, JSON_COMPACT), *errors = NULL;
    struct tl_scenario *s = NULL;

    if (text != NULL)
        s = tl_scenario_read(path, text, strlen(text), &errors);
    if (s == NULL)
        (void)snprintf(why, cap, "%.*s", errors != NULL ? (int)strcspn(errors, "\n") : 13,
                       errors != NULL ? errors : "out of memory");
    free(errors);
    free(text);
    return s;
}

/* `place`: the steps state where they are in the text. An error always states it. */
static struct tl_scenario *read_doc(const json_t *doc, const char *path, bool place, char *why,
                                    size_t cap)
{
    char *errors = NULL;
    struct tl_scenario *s = place ? NULL : tl_scenario_of(path, (json_t *)doc, &errors);

    free(errors);
    if (s == NULL)
        s = read_text(doc, path, why, cap);
    while (s != NULL && s->next != NULL) { /* one case a document */
        struct tl_scenario *next = s->next->next;

        tl_scenario_free(s->next);
        s->next = next;
    }
    return s;
}

/* Before the first case: how long the SUT takes to answer, if it declares no turnaround. In
 * virtual time `to` is the case's, so it is asked on another bench. */
static void learn(struct hunt_bench *bench, struct tl_bench *to)
{
    struct fal_error err = {{0}};
    struct tl_bench own;

    if (bench->has_learned)
        return;
    bench->has_learned = true;
    if (tl_target_live(bench->run.target.kind)) {
        tl_run_learn(&bench->run, to, &bench->learned);
    } else if (tl_bench_open(&own, &bench->run.target, 1, &err) == 0) {
        tl_run_learn(&bench->run, &own, &bench->learned);
        tl_bench_close(&own);
    }
    bench->run.learned = &bench->learned;
}

/* The bench that a case has: one of its own in virtual time. NULL: `why` says so. */
static struct tl_bench *reach(struct hunt_bench *bench, struct tl_bench *own, uint64_t seed,
                              char *why, size_t cap)
{
    bool live = tl_target_live(bench->run.target.kind);
    struct tl_bench *to = live ? &bench->wire : own;
    struct fal_error err = {{0}};

    if (live && bench->open && !bench->wire.dead)
        return to;
    if (live && bench->open)
        tl_bench_close(&bench->wire);
    bench->open = false;
    if (live)
        tl_privileges_raise(); /* what opening the link takes; nothing else does */
    if ((bench->has_like ? tl_bench_open_like(to, &bench->run.target, seed, &bench->like, &err)
                         : tl_bench_open(to, &bench->run.target, seed, &err)) != 0) {
        (void)snprintf(why, cap, "%.190s", err.text);
        tl_bench_explain(to, &bench->run.target, &err);
        bench->broken = err;
        return NULL;
    }
    if (bench->run.target.kind == TL_TARGET_BUILTIN && !bench->has_like) {
        bench->like = *to; /* of which only what the SUT said is read */
        bench->has_like = true;
    }
    if (live && tl_privileges_drop(true, &err) != 0) {
        (void)snprintf(why, cap, "%.190s", err.text);
        tl_bench_close(to);
        return NULL;
    }
    bench->open = live;
    learn(bench, to);
    return to;
}

/* Reaches the SUT and notes what it says of itself. */
static struct tl_bench *greet(struct hunt_bench *bench, struct tl_bench *own, uint64_t seed,
                              char *why, size_t cap)
{
    struct tl_bench *to = reach(bench, own, seed, why, cap);

    if (to == NULL || bench->has_ics)
        return to;
    bench->has_ics = bench->has_like;
    bench->ics = bench->run.ics != NULL ? *bench->run.ics : to->ics;
    tl_ics_complete(&bench->ics, &to->ics);
    return to;
}

int hunt_bench_greet(struct hunt_bench *bench, struct fal_error *err)
{
    struct tl_bench own;
    char why[200];
    struct tl_bench *to = greet(bench, &own, 1, why, sizeof why);

    if (to != NULL && tl_run_ask_encap(&bench->run, to, &bench->broken) != 0) {
        tl_bench_close(to);
        bench->open = false;
        to = NULL;
    }
    if (to == &own)
        tl_bench_close(&own);
    if (to != NULL)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "%s",
                    bench->broken.text[0] != 0 ? bench->broken.text : why);
}

void hunt_bench_close(struct hunt_bench *bench)
{
    if (bench->open)
        tl_bench_close(&bench->wire);
    bench->open = false;
}

/* On a wire, whether another connection can still be opened and used. */
static void still_alive(struct hunt_bench *bench, struct hunt_outcome *out)
{
    const struct tl_planned planned = {.scenario = bench->alive, .id = "alive"};
    struct tl_case c = {.id = NULL};

    if (bench->alive == NULL || !bench->open || out->num_problems > 0)
        return;
    tl_run_name(&bench->run, &planned, 1, &c);
    tl_run_attempts(&bench->run, &bench->wire, &planned, NULL, &c);
    if (c.verdict == FAL_VERDICT_FAIL || c.verdict == FAL_VERDICT_ERROR) {
        struct hunt_outcome after = {.end = HUNT_RAN};

        weigh(bench, bench->alive, &c, &after);
        for (size_t i = 0; i < after.num_problems && out->num_problems < HUNT_PROBLEMS_MAX;
             i++) {
            struct hunt_problem *p = &out->problems[out->num_problems++];

            *p = after.problems[i];
            (void)snprintf(p->key, sizeof p->key, "afterwards %.80s", after.problems[i].key);
        }
    }
    tl_case_clear(&c);
}

void hunt_play(struct hunt_bench *bench, const json_t *doc, struct hunt_outcome *out)
{
    struct tl_scenario *scenario;
    struct tl_planned planned;
    struct tl_case c = {.id = NULL};
    struct tl_bench own, *to;
    uint64_t seed;

    *out = (struct hunt_outcome){.end = HUNT_RAN};
    scenario = read_doc(doc, "case.json", false, out->why, sizeof out->why);
    if (scenario == NULL) {
        out->end = HUNT_REJECTED;
        return;
    }
    planned = (struct tl_planned){.scenario = scenario, .id = scenario->id};
    seed = tl_run_seed(1, scenario->id);
    to = greet(bench, &own, seed, out->why, sizeof out->why);
    if (to == NULL || !hunt_suits(doc, &bench->ics)) {
        out->end = to == NULL ? HUNT_DEAD : HUNT_UNSUITED;
        if (to == &own)
            tl_bench_close(&own);
        tl_scenario_free(scenario);
        return;
    }
    bench->run.looked = looked;
    bench->run.looked_ctx = &bench->features;
    hunt_map_clear(bench->map);
    tl_run_name(&bench->run, &planned, seed, &c);
    tl_run_attempts(&bench->run, to, &planned, NULL, &c);
    weigh(bench, scenario, &c, out);
    if (hunt_has_words(doc) &&
        !bench->steps) /* where steps decide, they are right on purpose */
        hunt_words_excuse(doc, out);
    tl_case_clear(&c);
    if (to == &own)
        tl_bench_close(&own);
    else
        still_alive(bench, out);
    tl_scenario_free(scenario);
}

int hunt_play_kept(struct hunt_bench *bench, const json_t *doc, const char *path,
                   struct tl_kept *kept, struct tl_results *results,
                   struct tl_scenario **scenario)
{
    char why[200];
    struct tl_run run = bench->run;
    struct fal_error err;
    struct tl_planned planned;
    struct tl_bench own, *to;
    uint64_t seed;
    int rc = 0;

    *scenario = read_doc(doc, path, true, why, sizeof why);
    if (*scenario == NULL)
        return FAL_ERR_FORM;
    results->cases = calloc(1, sizeof *results->cases);
    if (results->cases == NULL)
        return FAL_ERR_MEM;
    run.stories = true; /* reports show steps and packets */
    results->num_cases = 1;
    results->seed = 1;
    results->live = tl_target_live(bench->run.target.kind);
    planned = (struct tl_planned){.scenario = *scenario, .id = (*scenario)->id};
    seed = tl_run_seed(1, (*scenario)->id);
    tl_run_name(&run, &planned, seed, &results->cases[0]);
    to = reach(bench, &own, seed, why, sizeof why);
    if (to == NULL)
        return FAL_ERR_IO;
    tl_run_attempts(&run, to, &planned, kept, &results->cases[0]);
    tl_case_fingerprint(&results->cases[0], tl_run_scenario_id(*scenario));
    if (kept->timeline != NULL)
        rc = tl_evidence_packets(kept->timeline, kept->timeline_len, &results->cases[0],
                                 &kept->packets, &kept->packets_len, &err);
    tl_results_gather(results);
    results->status = tl_results_status(results);
    if (to == &own)
        tl_bench_close(&own);
    return rc;
}
