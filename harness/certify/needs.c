/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/certify/needs.h"

#include "oracles/endpoint/faults/faults.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_LEN = 48 };

static struct tl_need *find(struct tl_needs *needs, const char *id)
{
    const struct fal_requirement *all = fal_catalogue(&(size_t){0});
    const struct fal_requirement *found = fal_requirement_find(id);

    return found != NULL ? &needs->list[found - all] : NULL;
}

/* The next word of a list of ids; NULL at its end. */
static const char *next_word(const char *at, char word[WORD_LEN])
{
    size_t len;

    at += strspn(at, " ");
    len = strcspn(at, " ");
    if (len == 0)
        return NULL;
    (void)snprintf(word, WORD_LEN, "%.*s", (int)len, at);
    return at + len;
}

static const struct fal_fault *fault_named(const char *name, const struct fal_fault *hint)
{
    size_t n;
    const struct fal_fault *all = fal_faults(&n);

    if (hint != NULL && strcmp(hint->name, name) == 0)
        return hint;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static bool rule_names(const struct fal_rule *rule, const char *id)
{
    for (const char *const *r = rule->requirements; *r != NULL; r++)
        if (strcmp(*r, id) == 0)
            return true;
    return false;
}

/* Rules that detected a fault of a requirement which they decide. */
static void add_rules(struct tl_needs *needs)
{
    size_t n;
    const struct fal_kill *kills = fal_kills(&n);
    const struct fal_fault *fault = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct fal_rule *rule = fal_rule_find(kills[i].rule);
        char word[WORD_LEN];

        fault = fault_named(kills[i].fault, fault);
        if (fault == NULL || rule == NULL)
            continue;
        for (const char *at = fault->requirements; (at = next_word(at, word)) != NULL;) {
            struct tl_need *need = rule_names(rule, word) ? find(needs, word) : NULL;

            if (need != NULL)
                fal_rule_set_add(&need->rules, fal_rule_number(rule));
        }
    }
}

static bool add_scenario(struct tl_need *need, const char *scenario)
{
    const char **grown;

    for (size_t i = need->num_scenarios; i > 0; i--)
        if (strcmp(need->scenarios[i - 1], scenario) == 0)
            return true;
    grown = realloc(need->scenarios, (need->num_scenarios + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    grown[need->num_scenarios++] = scenario;
    need->scenarios = grown;
    return true;
}

/* Scenarios that detected one; whether they cover the requirement that their cases name. */
static int add_scenarios(struct tl_needs *needs)
{
    size_t n;
    const struct fal_suite_kill *kills = fal_suite_kills(&n);
    const struct fal_fault *fault = NULL;

    for (size_t i = 0; i < n; i++) {
        char word[WORD_LEN];

        fault = fault_named(kills[i].fault, fault);
        if (fault == NULL)
            continue;
        for (const char *at = fault->requirements; (at = next_word(at, word)) != NULL;) {
            struct tl_need *need = find(needs, word);

            if (need != NULL && need->demanded &&
                kills[i].verdict >= fal_requirement_breach(need->requirement) &&
                !add_scenario(need, kills[i].scenario))
                return FAL_ERR_MEM;
        }
    }
    return 0;
}

int tl_needs_make(struct tl_needs *needs, const struct tl_certify_rules *rules)
{
    const struct fal_requirement *all = fal_catalogue(&needs->count);

    needs->list = calloc(needs->count, sizeof *needs->list);
    needs->sums = calloc(FAL_RULES_MAX, sizeof *needs->sums);
    if (needs->list == NULL || needs->sums == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < needs->count; i++) {
        const struct fal_requirement *r = &all[i];

        needs->list[i].requirement = r;
        needs->list[i].sums = needs->sums;
        /* Requirements that cannot be violated, cannot be observed, or are about the bench
         * itself are not required. */
        needs->list[i].demanded = tl_patterns_take(rules->requirements, r->id) && !r->bench &&
                                  fal_requirement_breach(r) != FAL_VERDICT_NONE &&
                                  strcmp(r->observable, "internal") != 0;
    }
    add_rules(needs);
    return add_scenarios(needs);
}

void tl_needs_free(struct tl_needs *needs)
{
    for (size_t i = 0; needs->list != NULL && i < needs->count; i++)
        free(needs->list[i].scenarios);
    free(needs->list);
    free(needs->sums);
    *needs = (struct tl_needs){.list = NULL};
}

/* ---- cases ---- */

static bool is_scenario(const struct tl_need *need, const char *case_id)
{
    size_t len = strcspn(case_id, "@");

    for (size_t i = 0; i < need->num_scenarios; i++)
        if (strncmp(need->scenarios[i], case_id, len) == 0 && need->scenarios[i][len] == 0)
            return true;
    return false;
}

static void add_covered(struct tl_needs *needs, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_covers; i++) {
        struct tl_need *need = find(needs, c->covers[i]->id);

        if (need == NULL || !is_scenario(need, c->id))
            continue;
        need->cases += c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN;
        need->held += c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN;
        need->undecided += c->verdict == FAL_VERDICT_INCONC;
    }
}

static void add_rule_results(struct tl_needs *needs, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_rules; i++) {
        const struct fal_rule_result *r = &c->rules[i];
        const struct fal_rule *rule = fal_rule_find(r->rule->id);

        if (rule == NULL || r->subject != FAL_SUBJECT_SUT)
            continue;
        tl_spent_add(&needs->sums[fal_rule_number(rule)], r);
        for (const char *const *id = rule->requirements; *id != NULL; id++) {
            struct tl_need *need = find(needs, *id);

            if (need == NULL || !fal_rule_set_has(&need->rules, fal_rule_number(rule)))
                continue;
            need->held += r->holds;
            need->undecided += r->undecided;
            for (size_t e = 0; e < FAL_EXCUSE_COUNT; e++)
                need->excused += r->excused[e];
        }
    }
}

static void add_problem(struct tl_needs *needs, const struct tl_problem *p, const char *id)
{
    struct tl_need *need = find(needs, id);

    if (need == NULL)
        return;
    if (p->waiver != NULL)
        need->waived = true;
    else if (p->verdict >= FAL_VERDICT_FAIL)
        need->failed = true;
    else if (p->verdict == FAL_VERDICT_WARN)
        need->warned = true;
}

void tl_needs_add(struct tl_needs *needs, const struct tl_case *c)
{
    if (!tl_case_ran(c))
        return;
    for (size_t i = 0; i < c->num_problems; i++) {
        const struct tl_problem *p = &c->problems[i];

        if (p->kind == TL_PROBLEM_RULE && p->subject != FAL_SUBJECT_SUT)
            continue;
        if (p->requirement != NULL)
            add_problem(needs, p, p->requirement->id);
        for (size_t k = 0; k < p->num_also; k++)
            add_problem(needs, p, p->also[k]->id);
    }
    add_covered(needs, c);
    /* Observations of a case without a verdict prove nothing. */
    if (c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN)
        add_rule_results(needs, c);
}

/* ---- what it comes to ---- */

/* A reason says that nothing proves it, though a scenario may tell a fault that is tagged with
 * it: by something else. */
static bool proven(const struct tl_need *need)
{
    if (need->held == 0 && fal_requirement_reason(need->requirement->id) != NULL)
        return false;
    return !fal_rule_set_empty(&need->rules) || need->num_scenarios > 0;
}

/* Whether a case of a scenario held, or a rule decided enough of its instances to read pass. */
static bool decided(const struct tl_need *need)
{
    bool enough = need->cases > 0;
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);
    const struct fal_trials unmeasured[2] = {{0, 0}, {0, 0}};
    struct fal_suspect suspect;

    /* A certificate allows for the losses of a path that was not measured, and for no more. */
    for (size_t i = 0; i < n && !enough; i++)
        enough = fal_rule_set_has(&need->rules, i) && need->sums[i].decided > 0 &&
                 tl_spent_enough(&need->sums[i], rules[i], unmeasured, &suspect);
    return enough;
}

enum tl_need_state tl_need_state(const struct tl_need *need, const struct tl_ics *ics)
{
    int item = need->requirement->ics != NULL ? tl_ics_find(need->requirement->ics) : -1;

    if (need->failed)
        return TL_NEED_FAILED;
    if (need->waived)
        return TL_NEED_WAIVED;
    if (item >= 0 && ics->items[item] == TL_ICS_NO)
        return TL_NEED_NOT_APPLICABLE;
    if (need->warned)
        return TL_NEED_WARNED;
    if (need->held > 0)
        return decided(need) ? TL_NEED_HELD : TL_NEED_INCONCLUSIVE;
    if (!proven(need))
        return TL_NEED_UNPROVEN;
    if (need->undecided > 0)
        return TL_NEED_INCONCLUSIVE;
    return need->excused > 0 ? TL_NEED_EXCUSED : TL_NEED_NOT_EXERCISED;
}

const char *tl_need_state_name(enum tl_need_state state)
{
    static const char *const names[] = {"held",           "warned",       "waived",
                                        "not applicable", "unproven",     "not exercised",
                                        "excused",        "inconclusive", "failed"};

    return names[state];
}

bool tl_needs_fault(const struct tl_needs *needs, const char *requirements)
{
    char word[WORD_LEN];

    for (const char *at = requirements; (at = next_word(at, word)) != NULL;) {
        const struct tl_need *need = find((struct tl_needs *)needs, word);

        if (need != NULL && need->demanded && proven(need))
            return true;
    }
    return false;
}
