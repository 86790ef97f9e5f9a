/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/results.h"

#include "codecs/base/time_text.h"
#include "oracles/ambiguity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tl_problem_kind_names[TL_PROBLEM_KINDS] = {"step", "rule", "exercise",
                                                             "bench", "stop"};
const char *const tl_probe_seen_names[TL_PROBE_SEEN] = {"unclear", "does", "partly",
                                                        "does not"};
const char *const tl_disposition_names[TL_DISPOSITIONS] = {
    "",       "not applicable",   "skipped",         "not run",
    "waived", "expected failure", "unexpected pass", "flaky"};
const char *const tl_flow_kind_names[TL_FLOW_KINDS] = {"packet", "lost", "timer", "step",
                                                       "ulp",    "mark", "note",  "gap"};

const char *tl_problem_kind_name(enum tl_problem_kind kind)
{
    return tl_problem_kind_names[kind];
}

const char *tl_probe_claim_name(int claimed)
{
    return claimed < 0 ? "undeclared" : claimed == 0 ? "denied" : "claimed";
}

const char *tl_probe_seen_name(enum tl_probe_seen seen)
{
    return tl_probe_seen_names[seen];
}

const char *tl_disposition_name(enum tl_disposition disposition)
{
    return tl_disposition_names[disposition];
}

const char *tl_flow_kind_name(enum tl_flow_kind kind)
{
    return tl_flow_kind_names[kind];
}

bool tl_case_ran(const struct tl_case *c)
{
    switch (c->disposition) {
    case TL_NOT_APPLICABLE:
    case TL_SKIPPED:
    case TL_NOT_RUN: return false;
    case TL_RAN:
    case TL_WAIVED:
    case TL_EXPECTED_FAILURE:
    case TL_UNEXPECTED_PASS:
    case TL_FLAKY: break;
    }
    return true;
}

enum fal_verdict tl_case_counts(const struct tl_case *c)
{
    switch (c->disposition) {
    case TL_RAN:
    case TL_UNEXPECTED_PASS: return c->verdict;
    case TL_NOT_APPLICABLE:
    case TL_SKIPPED:
    case TL_NOT_RUN:
    case TL_WAIVED:
    case TL_EXPECTED_FAILURE:
    case TL_FLAKY: break;
    }
    return FAL_VERDICT_NONE;
}

struct tl_problem *tl_case_problem(struct tl_case *c)
{
    struct tl_problem *grown = realloc(c->problems, (c->num_problems + 1) * sizeof *grown);

    if (grown == NULL)
        return NULL;
    c->problems = grown;
    grown += c->num_problems++;
    *grown = (struct tl_problem){.step = -1};
    return grown;
}

const struct fal_requirement *tl_problem_blames(const struct tl_problem *p)
{
    const struct tl_symptom_about *about =
        p->num_symptoms > 0 ? tl_symptom_about(p->symptoms[0]) : NULL;

    return about != NULL ? fal_requirement_find(about->requirement) : p->requirement;
}

bool tl_ladder_add(struct tl_ladder_line **lines, size_t *count, const char *text, bool marked)
{
    struct tl_ladder_line *grown;
    char *copy;

    /* Grown by doubling: a whole conversation may be long. */
    if ((*count & (*count - 1)) == 0) {
        grown = realloc(*lines, (*count == 0 ? 1 : *count * 2) * sizeof *grown);
        if (grown == NULL)
            return false;
        *lines = grown;
    }
    copy = strdup(text);
    if (copy == NULL)
        return false;
    (*lines)[(*count)++] = (struct tl_ladder_line){.text = copy, .marked = marked};
    return true;
}

struct tl_flow_item *tl_case_flow(struct tl_case *c)
{
    struct tl_flow_item *grown;

    if ((c->num_flow & (c->num_flow - 1)) == 0) {
        grown = realloc(c->flow, (c->num_flow == 0 ? 1 : c->num_flow * 2) * sizeof *grown);
        if (grown == NULL)
            return NULL;
        c->flow = grown;
    }
    grown = &c->flow[c->num_flow++];
    *grown = (struct tl_flow_item){.step = -1};
    return grown;
}

static void free_ladder(struct tl_ladder_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i].text);
    free(lines);
}

void tl_case_clear(struct tl_case *c)
{
    for (size_t i = 0; i < c->num_problems; i++) {
        struct tl_problem *p = &c->problems[i];

        free(p->text);
        free(p->step_code);
        free(p->expected);
        free(p->seen);
        free(p->why);
        free_ladder(p->ladder, p->num_ladder);
    }
    free(c->problems);
    free(c->rules);
    free(c->readings);
    free_ladder(c->packets, c->num_packets);
    for (size_t i = 0; i < c->num_flow; i++)
        free(c->flow[i].text);
    free(c->flow);
    free(c->steps);
    free(c->why);
    free(c->life.first);
    free(c->life.fresh);
    free(c->repetitions);
    free(c->evidence);
    free(c->repeat);
    free(c->timing.steps);
    fal_arena_free(&c->arena);
    *c = (struct tl_case){0};
}

static void gather_case(struct tl_results *results, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_readings; i++) {
        const struct fal_reading_result *r = &c->readings[i];
        size_t k = 0;

        while (k < results->num_readings && (strcmp(results->readings[k].id, r->id) != 0 ||
                                             strcmp(results->readings[k].text, r->text) != 0))
            k++;
        if (k == TL_READINGS_MAX)
            continue;
        if (k == results->num_readings)
            results->readings[results->num_readings++] =
                (struct tl_reading_use){r->id, r->text, r->alternative, 0};
        results->readings[k].cases++;
    }
}

/* What a learned turnaround kept undecided. */
static void gather_weak(struct tl_results *results, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_rules; i++) {
        const struct fal_rule_result *r = &c->rules[i];
        size_t k = 0;

        if (r->subject != FAL_SUBJECT_SUT || r->excused[FAL_EXCUSE_TURNAROUND] == 0)
            continue;
        while (k < results->num_weak && results->weak[k].rule != r->rule)
            k++;
        if (k == FAL_RULES_MAX)
            return;
        if (k == results->num_weak)
            results->weak[results->num_weak++] = (struct tl_weak_rule){.rule = r->rule};
        results->weak[k].instances += r->excused[FAL_EXCUSE_TURNAROUND];
        results->weak[k].cases++;
    }
}

static int by_rule(const void *a, const void *b)
{
    const struct tl_weak_rule *x = a, *y = b;

    return strcmp(x->rule->id, y->rule->id);
}

static void limits(struct tl_results *results, const struct fal_params *declared)
{
    size_t n;
    const struct fal_param *params = fal_param_table(&n);

    results->num_costly = 0;
    for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++) {
        struct tl_costly *costly = &results->costly[results->num_costly];

        if (fal_limit_kept(at, declared))
            continue;
        *costly = (struct tl_costly){.measured = false};
        (void)snprintf(costly->value, sizeof costly->value, "%s",
                       params[fal_limit(at)->param].name);
        fal_limit_text(at, declared, costly->why);
        results->num_costly++;
    }
}

void tl_results_ratios(struct tl_results *results, const struct fal_params *declared)
{
    results->num_low = 0;
    for (enum fal_ratio_at at = 0; at < FAL_RATIO_COUNT; at++) {
        struct tl_low_ratio *low = &results->low[results->num_low];

        low->rule = fal_rule_find(fal_ratio(at)->rule);
        if (low->rule == NULL || fal_ratio_kept(at, declared))
            continue;
        fal_ratio_text(at, declared, low->why);
        results->num_low++;
    }
    limits(results, declared);
}

static void measured(struct tl_results *results, const char *value, uint64_t declared_ns,
                     uint64_t answers, uint64_t longest_ns)
{
    struct tl_costly *costly = &results->costly[results->num_costly];
    uint64_t most_ns = fal_plausible_ns(longest_ns);

    if (declared_ns <= most_ns || results->num_costly == TL_COSTLY_MAX)
        return;
    *costly = (struct tl_costly){.measured = true};
    (void)snprintf(costly->value, sizeof costly->value, "%s", value);
    (void)snprintf(costly->why, sizeof costly->why,
                   "%s %s is more than %s: the longest of %llu measured answers took "
                   "%s, so that rules lose power for no reason; declare what the SUT needs, "
                   "or, if it needs so much, configure longer timers",
                   value, fal_time_text(declared_ns).text, fal_time_text(most_ns).text,
                   (unsigned long long)answers, fal_time_text(longest_ns).text);
    results->num_costly++;
}

void tl_results_measured(struct tl_results *results, const struct fal_params *declared,
                         uint64_t answers, uint64_t longest_ns)
{
    if (answers < TL_LEARNED_LEAST)
        return;
    measured(results, "turnaround", declared->turnaround_ns, answers, longest_ns);
    measured(results, "pipeline", declared->pipeline_ns, answers, longest_ns);
}

void tl_results_gather(struct tl_results *results)
{
    if (results->source != NULL)
        return;
    results->num_readings = results->num_weak = 0;
    for (size_t i = 0; i < results->num_cases; i++) {
        gather_case(results, &results->cases[i]);
        gather_weak(results, &results->cases[i]);
    }
    qsort(results->weak, results->num_weak, sizeof *results->weak, by_rule);
}

void tl_cases_begin(struct tl_cases *it, const struct tl_results *results)
{
    *it = (struct tl_cases){.results = results};
    if (results->source != NULL)
        it->rc = results->source->rewind(results->source->ctx, &it->err);
}

const struct tl_case *tl_cases_next(struct tl_cases *it)
{
    const struct tl_results *results = it->results;
    int got;

    if (it->rc != 0)
        return NULL;
    if (results->source == NULL)
        return it->next < results->num_cases ? &results->cases[it->next++] : NULL;
    tl_case_clear(&it->now);
    got = results->source->next(results->source->ctx, &it->now, &it->err);
    if (got != 1)
        tl_case_clear(&it->now);
    it->rc = got < 0 ? got : 0;
    it->next += got == 1;
    return got == 1 ? &it->now : NULL;
}

void tl_cases_end(struct tl_cases *it)
{
    if (it->results->source != NULL)
        tl_case_clear(&it->now);
}

const struct tl_reading_use *tl_results_reading(const struct tl_results *results, size_t i)
{
    return i < results->num_readings ? &results->readings[i] : NULL;
}

size_t tl_results_contradicting(const struct tl_results *results,
                                const struct tl_reading_use *use)
{
    const struct fal_ambiguity *amb = fal_ambiguity_find(use->id);
    size_t cases = 0;

    if (amb == NULL || amb->kind != FAL_AMBIGUITY_FIXED)
        return 0;
    for (size_t i = 0; i < results->num_readings; i++)
        if (strcmp(results->readings[i].id, use->id) == 0 &&
            results->readings[i].alternative != use->alternative)
            cases += results->readings[i].cases;
    return cases;
}
