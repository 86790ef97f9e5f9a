/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/overview.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RULE_REQUIREMENTS = 192 };

/* Requirements that each rule decides, as indices into the catalogue. */
struct rule_map {
    const struct fal_rule *const *rules;
    size_t num_rules;
    struct {
        size_t count, at[RULE_REQUIREMENTS];
    } * of;
};

const char *tl_proof_name(enum tl_proof proof)
{
    static const char *const names[] = {"not exercised", "watched", "pass", "undecided",
                                        "follows",       "waived",  "warn", "fail"};

    return names[proof];
}

size_t tl_rules_of(const struct fal_requirement *requirement, const char **out, size_t cap)
{
    size_t n, found = 0;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        for (const char *const *id = rules[i]->requirements; *id != NULL; id++)
            if (strcmp(*id, requirement->id) == 0 && found < cap) {
                out[found++] = rules[i]->id;
                break;
            }
    return found;
}

/* ---- groups ---- */

/* Cases of a group mostly stand together. */
static bool add_to(struct tl_groups *groups, const char *name, size_t len,
                   const struct tl_case *c)
{
    struct tl_group *group;
    size_t i = groups->count;

    while (i > 0 && (strlen(groups->list[i - 1].name) != len ||
                     strncmp(groups->list[i - 1].name, name, len) != 0))
        i--;
    if (i == 0) {
        if (groups->count == groups->cap) {
            size_t cap = groups->cap == 0 ? 16 : groups->cap * 2;
            struct tl_group *grown = realloc(groups->list, cap * sizeof *grown);

            if (grown == NULL)
                return false;
            groups->list = grown;
            groups->cap = cap;
        }
        groups->list[groups->count] = (struct tl_group){.name = strndup(name, len)};
        if (groups->list[groups->count].name == NULL)
            return false;
        i = ++groups->count;
    }
    group = &groups->list[i - 1];
    group->cases++;
    group->counted[tl_case_counts(c)]++;
    return true;
}

static void free_groups(struct tl_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->list[i].name);
    free(groups->list);
}

/* ---- requirements ---- */

/* Its place in the catalogue, or SIZE_MAX. */
static size_t place_of(const struct fal_requirement *requirement)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    return requirement >= all && requirement < all + n ? (size_t)(requirement - all) : SIZE_MAX;
}

static bool map_rules(struct rule_map *map)
{
    map->rules = fal_rules(&map->num_rules);
    map->of = calloc(map->num_rules + 1, sizeof *map->of);
    if (map->of == NULL)
        return false;
    for (size_t i = 0; i < map->num_rules; i++) {
        for (const char *const *id = map->rules[i]->requirements; *id != NULL; id++) {
            const struct fal_requirement *r = fal_requirement_find(*id);

            if (r != NULL && map->of[i].count < RULE_REQUIREMENTS)
                map->of[i].at[map->of[i].count++] = place_of(r);
        }
    }
    return true;
}

static bool remember(char *list[TL_PROOF_CASES], size_t before, const char *id)
{
    if (before >= TL_PROOF_CASES)
        return true;
    list[before] = strdup(id);
    return list[before] != NULL;
}

/* Whether an earlier problem of the case violated the same requirement. */
static bool told(const struct tl_case *c, size_t problem)
{
    for (size_t i = 0; i < problem; i++)
        if (tl_problem_blames(&c->problems[i]) == tl_problem_blames(&c->problems[problem]) &&
            c->problems[i].verdict >= FAL_VERDICT_WARN &&
            c->problems[i].verdict != FAL_VERDICT_INCONC)
            return true;
    return false;
}

static bool is_break(const struct tl_problem *p)
{
    return tl_problem_blames(p) != NULL && p->subject == FAL_SUBJECT_SUT &&
           (p->verdict == FAL_VERDICT_WARN || p->verdict == FAL_VERDICT_FAIL);
}

static bool take_breaks(struct tl_overview *o, const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_problems; i++) {
        const struct tl_problem *p = &c->problems[i];
        size_t at = is_break(p) ? place_of(tl_problem_blames(p)) : SIZE_MAX;
        struct tl_proven *proven;

        if (at == SIZE_MAX)
            o->unknown += is_break(p);
        if (at == SIZE_MAX || told(c, i))
            continue;
        proven = &o->requirements[at];
        if (!remember(proven->broke, proven->broken, c->id))
            return false;
        proven->broken++;
        if (p->waiver != NULL || tl_case_counts(c) == FAL_VERDICT_NONE)
            proven->waived++;
        else
            proven->worst = fal_verdict_worse(proven->worst, p->verdict);
    }
    return true;
}

static bool take_case(struct tl_overview *o, struct rule_map *map, const struct tl_case *c)
{
    bool passed = c->verdict == FAL_VERDICT_PASS || c->verdict == FAL_VERDICT_WARN;

    assert(o->requirements != NULL);
    if (!tl_case_ran(c))
        return true;
    for (size_t i = 0; i < c->num_covers; i++) {
        size_t at = place_of(c->covers[i]);
        struct tl_proven *proven = at != SIZE_MAX ? &o->requirements[at] : NULL;

        if (proven == NULL)
            continue;
        if (passed && !remember(proven->pass, proven->passed, c->id))
            return false;
        proven->passed += passed;
        proven->undecided += !passed;
    }
    for (size_t i = 0; i < c->num_rules; i++) {
        const struct fal_rule_result *r = &c->rules[i];

        size_t rule = fal_rule_number(r->rule);

        if (r->subject != FAL_SUBJECT_SUT || rule == map->num_rules)
            continue;
        for (size_t k = 0; k < map->of[rule].count; k++)
            o->requirements[map->of[rule].at[k]].held += r->holds;
    }
    return take_breaks(o, c);
}

static enum tl_proof proof_of(const struct tl_proven *p)
{
    if (p->worst == FAL_VERDICT_FAIL)
        return TL_PROOF_FAIL;
    if (p->worst == FAL_VERDICT_WARN)
        return TL_PROOF_WARN;
    if (p->broken > 0)
        return TL_PROOF_WAIVED;
    if (p->passed > 0)
        return TL_PROOF_PASS;
    if (p->undecided > 0)
        return TL_PROOF_UNDECIDED;
    if (p->held > 0)
        return p->enough ? TL_PROOF_WATCHED : TL_PROOF_UNDECIDED;
    return TL_PROOF_NOT_EXERCISED;
}

/* Marks the requirements of rules that read pass over the run. */
static void take_power(struct tl_overview *o, const struct rule_map *map)
{
    struct fal_suspect suspect;

    for (size_t i = 0; i < map->num_rules && i < FAL_RULES_MAX; i++) {
        const struct tl_spent *spent = &o->tally.spent[i];
        bool enough = tl_spent_enough(spent, map->rules[i], o->path, &suspect);

        for (size_t k = 0; enough && spent->decided > 0 && k < map->of[i].count; k++)
            o->requirements[map->of[i].at[k]].enough = true;
    }
}

/* ---- the whole ---- */

static bool take(struct tl_overview *o, const struct tl_results *results, struct rule_map *map,
                 const struct tl_case *c)
{
    size_t len;
    const char *chapter = tl_overview_chapter(c->file, &len);
    const char *profile = c->profile != NULL         ? c->profile
                          : results->profile != NULL ? results->profile
                                                     : "";

    tl_tally_add(&o->tally, c);
    o->flows += c->num_flow > 0;
    if (tl_case_counts(c) >= FAL_VERDICT_INCONC) {
        if (o->num_failing < TL_FAILING_SHOWN) {
            o->failing[o->num_failing] = strdup(c->id);
            if (o->failing[o->num_failing] == NULL)
                return false;
        }
        o->num_failing++;
    }
    return add_to(&o->chapters, chapter, len, c) &&
           add_to(&o->profiles, profile, strlen(profile), c) && take_case(o, map, c);
}

int tl_overview_make(const struct tl_results *results, struct tl_overview *out,
                     struct fal_error *err)
{
    struct rule_map map = {.of = NULL};
    const struct fal_requirement *all;
    struct tl_cases it;
    const struct tl_case *c;
    bool ok;

    *out = (struct tl_overview){.flows = 0};
    all = fal_catalogue(&out->num_requirements);
    out->requirements = calloc(out->num_requirements + 1, sizeof *out->requirements);
    ok = out->requirements != NULL && map_rules(&map);
    if (!ok)
        out->num_requirements = 0;
    for (size_t i = 0; i < out->num_requirements; i++)
        out->requirements[i].requirement = &all[i];
    tl_cases_begin(&it, results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        ok = take(out, results, &map, c);
    tl_cases_end(&it);
    tl_tally_path(&out->tally, results, out->path);
    while (out->num_suspects < TL_SUSPECTS_MAX &&
           tl_tally_suspect(&out->tally, results, out->num_suspects,
                            &out->suspects[out->num_suspects]))
        out->num_suspects++;
    if (ok)
        take_power(out, &map);
    free(map.of);
    if (it.rc != 0) {
        if (err != NULL)
            *err = it.err;
        return it.rc;
    }
    for (size_t i = 0; i < out->num_requirements; i++) {
        out->requirements[i].proof = proof_of(&out->requirements[i]);
        out->proofs[out->requirements[i].proof]++;
    }
    return ok ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

void tl_overview_free(struct tl_overview *overview)
{
    free_groups(&overview->chapters);
    free_groups(&overview->profiles);
    for (size_t i = 0; i < overview->num_requirements; i++) {
        for (size_t k = 0; k < TL_PROOF_CASES; k++) {
            free(overview->requirements[i].broke[k]);
            free(overview->requirements[i].pass[k]);
        }
    }
    for (size_t i = 0; i < TL_FAILING_SHOWN; i++)
        free(overview->failing[i]);
    free(overview->requirements);
    *overview = (struct tl_overview){.num_requirements = 0};
}

const char *tl_overview_chapter(const char *file, size_t *len)
{
    const char *end = strrchr(file, '/'), *begin = end;

    while (begin != NULL && begin > file && begin[-1] != '/')
        begin--;
    *len = begin != NULL ? (size_t)(end - begin) : 0;
    return begin != NULL ? begin : file;
}
