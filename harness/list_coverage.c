/* SPDX-License-Identifier: Apache-2.0
 * list_coverage.c - `talon list requirements --coverage`: what decides each requirement, and
 * which faults prove that it does. */
#include "harness/list_coverage.h"

#include "harness/runner.h"
#include "oracles/catalogue.h"
#include "oracles/rules/judge.h"

#include <string.h>

/* Each once. */
static void add(json_t *list, const char *text)
{
    size_t i;
    json_t *have;

    json_array_foreach(list, i, have)
    {
        if (strcmp(json_string_value(have), text) == 0)
            return;
    }
    (void)json_array_append_new(list, json_string(text));
}

static json_t *rules_of(const char *id)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_rule *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        for (const char *const *r = rules[i].requirements; *r != NULL; r++)
            if (strcmp(*r, id) == 0)
                add(list, rules[i].id);
    return list;
}

static json_t *scenarios_of(const json_t *suite, const char *id)
{
    json_t *list = json_array(), *scenario, *covered;
    size_t i, k;

    json_array_foreach(suite, i, scenario)
    {
        json_array_foreach(json_object_get(scenario, "covers"), k, covered)
        {
            if (strcmp(json_string_value(covered), id) == 0)
                add(list, json_string_value(json_object_get(scenario, "id")));
        }
    }
    return list;
}

static json_t *faults_of(const char *id)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_kill *kills = fal_kills(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(kills[i].requirement, id) == 0)
            add(list, kills[i].fault);
    return list;
}

/* Why nothing decides it. */
static const char *reason(const struct fal_requirement *r)
{
    if (r->bench)
        return "a duty of the test bench, not of the SUT";
    if (strcmp(r->on_breach, "never") == 0)
        return "a permission, or a definition: nothing can break it";
    if (strcmp(r->observable, "internal") == 0)
        return "inside the SUT: nothing shows it at its ports";
    if (strcmp(r->spec, "FTP") != 0)
        return "of an upper layer's mapping, which no rule judges yet";
    return "no rule and no scenario yet";
}

json_t *tl_list_coverage(void)
{
    json_t *list = json_array(), *suite = tl_suite_list();
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++) {
        json_t *rules = rules_of(all[i].id), *scenarios = scenarios_of(suite, all[i].id);
        bool decided = json_array_size(rules) + json_array_size(scenarios) > 0;

        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:s?}", "id", all[i].id, "observable",
                            all[i].observable, "rules", rules, "scenarios", scenarios, "faults",
                            faults_of(all[i].id), "reason", decided ? NULL : reason(&all[i])));
    }
    json_decref(suite);
    return list;
}
