/* SPDX-License-Identifier: Apache-2.0
 * list_coverage.c - `talon list requirements --coverage`: the checks that decide each
 * requirement, and the faults that prove it. */
#include "harness/cli/list_coverage.h"

#include "codecs/header/ccqueue.h"
#include "harness/run/run.h"
#include "harness/suite/suite_level.h"
#include "oracles/catalogue.h"
#include "oracles/cc/cc_fault.h"
#include "oracles/cc/reading.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/judge/judge.h"

#include <stdlib.h>
#include <string.h>

enum { CHAPTERS = 16 };

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

static bool has(const json_t *list, const char *text)
{
    size_t i;
    json_t *have;

    json_array_foreach(list, i, have)
    {
        if (strcmp(json_string_value(have), text) == 0)
            return true;
    }
    return false;
}

/* Whether `id` is one of the words. */
static bool tagged(const char *words, const char *id)
{
    size_t len = strlen(id);

    for (const char *at = words; (at = strstr(at, id)) != NULL; at += len)
        if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == 0))
            return true;
    return false;
}

static json_t *rules_of(const char *id)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        for (const char *const *r = rules[i]->requirements; *r != NULL; r++)
            if (strcmp(*r, id) == 0)
                add(list, rules[i]->id);
    return list;
}

static json_t *scenarios_of(const json_t *suite, const char *id)
{
    json_t *list = json_array(), *scenario;
    size_t i;

    json_array_foreach(suite, i, scenario)
    {
        if (has(json_object_get(scenario, "covers"), id))
            add(list, json_string_value(json_object_get(scenario, "id")));
    }
    return list;
}

/* At which levels scenarios and rules decide it. */
static json_t *levels_of(const json_t *suite, const json_t *rules, const char *id)
{
    json_t *list = json_array(), *scenario, *level, *name;
    size_t i, k;

    json_array_foreach(rules, i, name)
    {
        const struct fal_rule *rule = fal_rule_find(json_string_value(name));
        bool reads = strcmp(rule->needs, "queues") == 0;

        add(list, tl_level_name(reads ? TL_LEVEL_QUEUES : TL_LEVEL_WIRE));
    }
    json_array_foreach(suite, i, scenario)
    {
        const json_t *levels = json_object_get(json_object_get(scenario, "levels"), id);

        json_array_foreach(levels, k, level) add(list, json_string_value(level));
    }
    return list;
}

/* Mistakes of a device with the field of an entry that the requirement is about: scenarios at
 * the level RUE detect them (tests/rue_suite.sh). */
static void add_entry_faults(json_t *list, const struct fal_requirement *r,
                             const json_t *levels)
{
    static const char *const words[] = {
        [FAL_CC_ENTRY_EVENT] = "event-wrong", [FAL_CC_ENTRY_RESULT] = "result-ignored"};

    if (fal_requirement_breach(r) == FAL_VERDICT_NONE)
        return;
    for (int e = FAL_CC_ENTRY_EVENT; e <= FAL_CC_ENTRY_RESULT; e++) {
        const struct fal_layout *layout = fal_cc_layout(FAL_CC_TABLE_MSB, (enum fal_cc_entry)e);

        for (size_t i = 0; i < layout->num_fields; i++) {
            const struct fal_field *field = &layout->fields[i];
            char name[80];

            if (field->requirement == NULL || strcmp(field->requirement, r->id) != 0 ||
                !has(levels, tl_level_name(TL_LEVEL_ENGINE)))
                continue;
            (void)snprintf(name, sizeof name, "%s=%s", words[e], field->name);
            add(list, name);
        }
    }
}

/* The mistakes of engines that a scenario of the requirement detects (tests/rue_suite.sh). */
static void add_engine_faults(json_t *list, const struct fal_requirement *r,
                              const json_t *scenarios)
{
    size_t n;
    const struct fal_cc_fault *faults = fal_cc_faults(&n);

    for (size_t i = 0; i < n && json_array_size(scenarios) > 0; i++)
        if (strcmp(faults[i].requirement, r->id) == 0 ||
            (faults[i].also != NULL && tagged(faults[i].also, r->id)))
            add(list, faults[i].name);
}

/* The faults of the requirement that one of the rules, or one of the scenarios, detects: as a
 * failure, or as a warning if the requirement only warns. */
static json_t *faults_of(const struct fal_requirement *r, const json_t *rules,
                         const json_t *scenarios)
{
    json_t *list = json_array();
    enum fal_verdict due = fal_requirement_breach(r);
    size_t n, num_suite, num_faults;
    const struct fal_kill *kills = fal_kills(&n);
    const struct fal_suite_kill *suite = fal_suite_kills(&num_suite);
    const struct fal_fault *faults = fal_faults(&num_faults);

    for (size_t f = 0; f < num_faults && due != FAL_VERDICT_NONE; f++) {
        if (!tagged(faults[f].requirements, r->id))
            continue;
        for (size_t i = 0; i < n; i++)
            if (strcmp(kills[i].fault, faults[f].name) == 0 && has(rules, kills[i].rule))
                add(list, faults[f].name);
        for (size_t i = 0; i < num_suite; i++)
            if (strcmp(suite[i].fault, faults[f].name) == 0 && suite[i].verdict >= due &&
                has(scenarios, suite[i].scenario))
                add(list, faults[f].name);
    }
    add_engine_faults(list, r, scenarios);
    return list;
}

/* Other words of --sut builtin: that use such a freedom. The engines, of `cc=`, pass the
 * scenarios about the engine and about queues (tests/rue_suite.sh); the initiator alone passes
 * those of NVMe that it can play (tests/adapters.sh). */
static void add_variants(json_t *list, const struct fal_requirement *r)
{
    static const struct {
        const char *requirement, *words;
    } others[] = {{"FTP-10-03", "latency=10us"},
                  {"FTP-10-03", "latency=10us,batch"},
                  {"NVME-6.2-01", "without=dev_format"}};
    size_t n;
    const struct fal_cc_reading_row *readings = fal_cc_readings(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(readings[i].of, r->id) == 0)
            add(list, readings[i].name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].requirement, r->id) == 0)
            add(list, others[i].words);
}

/* The twins that use the freedom of an entry that nothing can break: they pass suite and soak
 * (tests/run_twins.sh, tests/soak_test.c). */
static json_t *twins_of(const struct fal_requirement *r)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_twin *twins = fal_twins(&n);

    if (fal_requirement_breach(r) != FAL_VERDICT_NONE)
        return list;
    for (size_t i = 0; i < n; i++)
        if (tagged(twins[i].requirements, r->id))
            add(list, twins[i].name);
    add_variants(list, r);
    return list;
}

/* Why nothing proves it: its own reason where there is one. */
static const char *reason(const struct fal_requirement *r)
{
    const char *own = fal_requirement_reason(r->id);

    if (own != NULL)
        return own;
    if (r->bench)
        return "a duty of the test bench, not of the SUT";
    if (strcmp(r->observable, "internal") == 0)
        return "inside the SUT: nothing shows it at its ports";
    return "no rule and no scenario yet";
}

json_t *tl_coverage(const json_t *suite)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++) {
        const struct fal_requirement *r = &all[i];
        json_t *rules = rules_of(r->id), *scenarios = scenarios_of(suite, r->id);
        json_t *faults = faults_of(r, rules, scenarios), *twins = twins_of(r);
        json_t *levels = levels_of(suite, rules, r->id);
        bool proven;

        add_entry_faults(faults, r, levels);
        proven = json_array_size(faults) + json_array_size(twins) > 0;

        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s?}", "id", r->id, "observable",
                      r->observable, "levels", levels, "rules", rules, "scenarios", scenarios,
                      "faults", faults, "twins", twins, "reason", proven ? NULL : reason(r)));
    }
    return list;
}

json_t *tl_list_coverage(void)
{
    json_t *suite = tl_suite_list(), *list = tl_coverage(suite);

    if (suite == NULL)
        fprintf(stderr, "talon list: no suite beside the program: without its scenarios\n");
    json_decref(suite);
    return list;
}

/* ---- the totals ---- */

struct total {
    unsigned all, decided, proven;
};

static void count(struct total *total, const json_t *row)
{
    bool proven = json_array_size(json_object_get(row, "faults")) +
                      json_array_size(json_object_get(row, "twins")) >
                  0;

    total->all++;
    total->decided += json_array_size(json_object_get(row, "rules")) +
                          json_array_size(json_object_get(row, "scenarios")) >
                      0;
    total->proven += proven;
}

static void print(FILE *out, const char *what, const struct total *total)
{
    fprintf(out, "# %-44s %4u: %4u decided, %4u proven (%u.%u %%)\n", what, total->all,
            total->decided, total->proven, total->proven * 100 / (total->all + !total->all),
            total->proven * 1000 / (total->all + !total->all) % 10);
}

/* Whether the row counts among what its specification asks of a SUT that is seen from outside.
 * A requirement about the inside of the SUT counts where a level shows it. */
static bool counts(const struct fal_requirement *r, const json_t *row)
{
    return !r->bench && (strcmp(r->observable, "internal") != 0 ||
                         json_array_size(json_object_get(row, "levels")) > 0);
}

/* The totals of one specification: nothing if the list has none of its requirements. */
static void print_spec(FILE *out, const json_t *list, const char *spec)
{
    struct total outside = {0}, chapters[CHAPTERS] = {{0}};
    char what[64];
    json_t *row;
    size_t i;

    json_array_foreach(list, i, row)
    {
        const struct fal_requirement *r =
            fal_requirement_find(json_string_value(json_object_get(row, "id")));
        unsigned chapter = (unsigned)strtoul(r->section, NULL, 10);

        if (strcmp(r->spec, spec) != 0 || !counts(r, row))
            continue;
        count(&outside, row);
        if (chapter < CHAPTERS)
            count(&chapters[chapter], row);
    }
    (void)snprintf(what, sizeof what, "%s, seen from outside, no duty of the bench", spec);
    if (outside.all > 0)
        print(out, what, &outside);
    for (unsigned c = 0; c < CHAPTERS; c++) {
        (void)snprintf(what, sizeof what, "  of them, chapter %u", c);
        if (chapters[c].all > 0)
            print(out, what, &chapters[c]);
    }
}

void tl_coverage_totals(FILE *out, const json_t *list)
{
    static const char *const specs[] = {"FTP", "RDMA", "NVME"};
    struct total every = {0};
    json_t *row;
    size_t i;

    json_array_foreach(list, i, row) count(&every, row);
    print(out, "requirements", &every);
    for (i = 0; i < sizeof specs / sizeof *specs; i++)
        print_spec(out, list, specs[i]);
}
