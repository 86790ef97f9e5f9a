/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/explain.h"

#include "codecs/header/headers.h"
#include "codecs/header/lint.h"
#include "harness/cli/list_coverage.h"
#include "harness/cli/words.h"
#include "harness/run/run.h"
#include "oracles/ambiguity.h"
#include "oracles/catalogue.h"
#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/judge/judge.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* The state of one question. */
struct asked {
    const char *id;
    struct fal_nearest_list *nearest; /* or NULL: names that are like it are not wanted */
    struct tl_known *known;
    json_t *out;
};

static bool is(struct asked *a, const char *name)
{
    if (a->nearest != NULL)
        fal_nearest_add(a->nearest, name);
    return strcasecmp(a->id, name) == 0;
}

/* Sets a text member, or none. */
static void text(json_t *object, const char *key, const char *value)
{
    if (value != NULL && value[0] != 0)
        (void)json_object_set_new(object, key, json_string(value));
}

/* Sets a list, or none when it is empty. Takes it. */
static void list(json_t *object, const char *key, json_t *value)
{
    if (json_array_size(value) > 0)
        (void)json_object_set(object, key, value);
    json_decref(value);
}

static json_t *begin(struct asked *a, const char *kind, const char *id)
{
    json_t *object = json_pack("{s:s, s:s}", "kind", kind, "id", id);

    (void)json_array_append_new(a->out, object);
    return object;
}

/* Each once. */
static void add(json_t *names, const char *name)
{
    size_t i;
    json_t *have;

    json_array_foreach(names, i, have)
    {
        if (strcmp(json_string_value(have), name) == 0)
            return;
    }
    (void)json_array_append_new(names, json_string(name));
}

/* Whether `word` stands in a text, not as a part of a longer one. */
static bool mentions(const char *where, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = where; at != NULL && (at = strstr(at, word)) != NULL; at += len)
        if (strchr("0123456789.-", at[len] != 0 ? at[len] : ' ') == NULL ||
            (at[len] == '.' && (at[len + 1] < '0' || at[len + 1] > '9')))
            return true;
    return false;
}

static json_t *words(const char *text_of)
{
    json_t *out = json_array();
    size_t len;

    for (; *text_of != 0; text_of += len) {
        text_of += strspn(text_of, " ");
        len = strcspn(text_of, " ");
        if (len > 0)
            (void)json_array_append_new(out, json_stringn(text_of, len));
    }
    return out;
}

/* ---- requirements ---- */

static const json_t *covered(struct asked *a, const char *id)
{
    size_t i;
    json_t *row;

    if (a->known->coverage == NULL)
        a->known->coverage = tl_coverage(a->known->suite);
    json_array_foreach(a->known->coverage, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "id")), id) == 0)
            return row;
    }
    return NULL;
}

static json_t *copied(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);

    return value != NULL ? json_copy((json_t *)value) : json_array();
}

/* Faults declared to break this requirement, whichever rule detects them. */
static json_t *tagged_faults(const char *id)
{
    json_t *out = json_array();
    size_t n;
    const struct fal_fault *faults = fal_faults(&n);

    for (size_t i = 0; i < n; i++)
        if (mentions(faults[i].requirements, id))
            add(out, faults[i].name);
    return out;
}

static json_t *tagged_twins(const char *id)
{
    json_t *out = json_array();
    size_t n;
    const struct fal_twin *twins = fal_twins(&n);

    for (size_t i = 0; i < n; i++)
        if (mentions(twins[i].requirements, id))
            add(out, twins[i].name);
    return out;
}

/* Fields of headers whose table names it. */
static json_t *fields_of(const char *id)
{
    json_t *out = json_array();
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    char name[96];

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < layouts[i]->num_fields; k++) {
            const struct fal_field *f = &layouts[i]->fields[k];

            if (f->requirement == NULL || strcmp(f->requirement, id) != 0)
                continue;
            (void)snprintf(name, sizeof name, "%s.%s", layouts[i]->name, f->name);
            add(out, name);
        }
    }
    return out;
}

static json_t *issues_of(const char *id)
{
    json_t *out = json_array();
    const struct fal_lint_row *rows = fal_lint_rows();

    for (int i = 0; i < FAL_LINT_COUNT; i++)
        if (rows[i].requirement != NULL && strcmp(rows[i].requirement, id) == 0)
            add(out, rows[i].code);
    return out;
}

/* Unclear sentences that its texts refer to. */
static json_t *readings_of(const struct fal_requirement *r)
{
    json_t *out = json_array();
    size_t n;
    const struct fal_ambiguity *all = fal_ambiguities(&n);

    for (size_t i = 0; i < n; i++)
        if (mentions(r->text, all[i].id) || mentions(r->verdict, all[i].id) ||
            mentions(r->alt, all[i].id))
            add(out, all[i].id);
    return out;
}

static const char *spec_name(const char *spec)
{
    if (strcmp(spec, "FTP") == 0)
        return "OCP Falcon Transport Protocol, Rev 0.9";
    return strcmp(spec, "RDMA") == 0 ? "RDMA over Falcon, Rev 0.9"
                                     : "NVMe over Falcon, Rev 0.9";
}

static void explain_requirement(struct asked *a, const struct fal_requirement *r)
{
    json_t *o = begin(a, "requirement", r->id);
    const json_t *row = covered(a, r->id);

    text(o, "title", r->title);
    text(o, "text", r->text);
    text(o, "specification", spec_name(r->spec));
    text(o, "section", r->section);
    text(o, "level", r->level);
    text(o, "role", r->role);
    text(o, "layer", r->layer);
    text(o, "on_breach", r->on_breach);
    text(o, "ics", r->ics);
    if (r->bench)
        text(o, "bench", "a duty of the test bench, not of the SUT");
    text(o, "observable", r->observable);
    text(o, "stimulus", r->stimulus);
    text(o, "judged", r->verdict);
    text(o, "tolerated", r->alt);
    list(o, "fields", fields_of(r->id));
    list(o, "issues", issues_of(r->id));
    list(o, "readings", readings_of(r));
    list(o, "rules", copied(row, "rules"));
    list(o, "scenarios", copied(row, "scenarios"));
    list(o, "faults", tagged_faults(r->id));
    list(o, "proven_by", copied(row, "faults"));
    list(o, "twins", tagged_twins(r->id));
    text(o, "not_proven", json_string_value(json_object_get(row, "reason")));
}

/* One line of many. */
static void explain_short(struct asked *a, const struct fal_requirement *r)
{
    json_t *o = begin(a, "requirement", r->id);
    const json_t *row = covered(a, r->id);

    text(o, "level", r->level);
    text(o, "on_breach", r->on_breach);
    text(o, "title", r->title);
    list(o, "rules", copied(row, "rules"));
    list(o, "scenarios", copied(row, "scenarios"));
}

static void find_requirements(struct asked *a)
{
    bool section = a->id[0] >= '0' && a->id[0] <= '9';
    bool pattern = strpbrk(a->id, "*?[") != NULL;
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);

    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(a->id);

        if (is(a, all[i].id))
            explain_requirement(a, &all[i]);
        else if (pattern && fnmatch(a->id, all[i].id, FNM_CASEFOLD) == 0)
            explain_short(a, &all[i]);
        else if (section && strcmp(all[i].spec, "FTP") == 0 &&
                 strncmp(all[i].section, a->id, len) == 0 &&
                 (all[i].section[len] == 0 || all[i].section[len] == '.'))
            explain_short(a, &all[i]);
    }
}

/* ---- rules ---- */

static void explain_rule(struct asked *a, const struct fal_rule *rule)
{
    json_t *o = begin(a, "rule", rule->id), *requirements = json_array();
    json_t *faults = json_array(), *readings = json_array(), *scenarios = json_array();
    json_t *scenario, *id;
    size_t n, i, k;
    const struct fal_kill *kills = fal_kills(&n);
    const struct fal_ambiguity *all;

    text(o, "title", rule->title);
    text(o, "text", rule->doc);
    text(o, "role", rule->role);
    text(o, "needs", rule->needs);
    text(o, "assumes", rule->assumes);
    if (rule->alone)
        text(o, "alone", "it judges each packet by itself");
    text(o, "captures",
         rule->alone || rule->shown
             ? "a violation fails the SUT in any capture"
             : "a violation fails the SUT in a capture that is declared to be complete");
    for (const char *const *r = rule->requirements; *r != NULL; r++)
        add(requirements, *r);
    list(o, "requirements", requirements);
    list(o, "excuses", words(tl_explain_excuses_of(rule->id)));
    for (i = 0; i < n; i++)
        if (strcmp(kills[i].rule, rule->id) == 0)
            add(faults, kills[i].fault);
    list(o, "faults", faults);
    json_array_foreach(a->known->suite, i, scenario)
    {
        json_array_foreach(json_object_get(scenario, "exercises"), k, id)
        {
            if (strcmp(json_string_value(id), rule->id) == 0)
                add(scenarios, json_string_value(json_object_get(scenario, "id")));
        }
    }
    list(o, "scenarios", scenarios);
    all = fal_ambiguities(&n);
    for (i = 0; i < n; i++)
        if (mentions(rule->doc, all[i].id))
            add(readings, all[i].id);
    list(o, "readings", readings);
}

static void find_rules(struct asked *a)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (is(a, rules[i]->id))
            explain_rule(a, rules[i]);
}

/* ---- scenarios, faults, twins ---- */

static void find_scenarios(struct asked *a)
{
    static const char *const texts[] = {"title", "purpose", "file", "class"};
    static const char *const lists[] = {"covers", "exercises", "tags"};
    size_t i, n;
    json_t *scenario;
    const struct fal_suite_kill *kills = fal_suite_kills(&n);

    json_array_foreach(a->known->suite, i, scenario)
    {
        const char *id = json_string_value(json_object_get(scenario, "id"));
        json_t *o, *faults = json_array();

        if (!is(a, id)) {
            json_decref(faults);
            continue;
        }
        o = begin(a, "scenario", id);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            text(o, texts[k], json_string_value(json_object_get(scenario, texts[k])));
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            list(o, lists[k], copied(scenario, lists[k]));
        for (size_t k = 0; k < n; k++)
            if (strcmp(kills[k].scenario, id) == 0)
                add(faults, kills[k].fault);
        list(o, "faults", faults);
    }
}

static void explain_fault(struct asked *a, const struct fal_fault *fault)
{
    json_t *o = begin(a, "fault", fault->name);
    json_t *rules = json_array(), *scenarios = json_array();
    size_t n, num;
    const struct fal_kill *kills = fal_kills(&n);
    const struct fal_suite_kill *suite = fal_suite_kills(&num);

    text(o, "text", fault->doc);
    text(o, "section", fault->section);
    list(o, "requirements", words(fault->requirements));
    for (size_t i = 0; i < n; i++)
        if (strcmp(kills[i].fault, fault->name) == 0)
            add(rules, kills[i].rule);
    for (size_t i = 0; i < num; i++)
        if (strcmp(suite[i].fault, fault->name) == 0)
            add(scenarios, suite[i].scenario);
    list(o, "rules", rules);
    list(o, "scenarios", scenarios);
    (void)json_object_set_new(o, "switched_on",
                              json_sprintf("talon run --sut builtin:fault=%s", fault->name));
}

static void find_faults(struct asked *a)
{
    size_t n;
    const struct fal_fault *faults = fal_faults(&n);
    const struct fal_twin *twins;

    for (size_t i = 0; i < n; i++)
        if (is(a, faults[i].name))
            explain_fault(a, &faults[i]);
    twins = fal_twins(&n);
    for (size_t i = 0; i < n; i++) {
        json_t *o;

        if (!is(a, twins[i].name))
            continue;
        o = begin(a, "twin", twins[i].name);
        text(o, "text", twins[i].doc);
        text(o, "section", twins[i].section);
        text(o, "reading", twins[i].reading);
        list(o, "requirements", words(twins[i].requirements));
        (void)json_object_set_new(
            o, "switched_on", json_sprintf("talon run --sut builtin:twin=%s", twins[i].name));
    }
}

/* ---- issues, excuses, unclear sentences ---- */

static void find_issues(struct asked *a)
{
    const struct fal_lint_row *rows = fal_lint_rows();

    for (int i = 0; i < FAL_LINT_COUNT; i++) {
        json_t *o;
        bool told = false;

        for (int k = 0; k < i; k++)
            told = told || (strcmp(rows[k].code, rows[i].code) == 0 &&
                            strcmp(rows[k].message, rows[i].message) == 0);
        if (!is(a, rows[i].code) || told)
            continue;
        o = begin(a, "issue", rows[i].code);
        text(o, "text", rows[i].message);
        text(o, "severity",
             rows[i].table ? "as a breach of the field's requirement"
                           : fal_severity_name(rows[i].severity));
        text(o, "requirement", rows[i].requirement);
        text(o, "rules", rows[i].severity == FAL_NOTE ? NULL : "L1");
    }
}

static void find_excuses(struct asked *a)
{
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++) {
        const char *name = fal_excuse_name((enum fal_excuse)e);
        json_t *o, *rules = json_array();
        size_t n;
        const struct fal_rule *const *all = fal_rules(&n);

        if (is(a, name)) {
            o = begin(a, "excuse", name);
            text(o, "text", tl_explain_excuse(name));
            for (size_t i = 0; i < n; i++)
                if (mentions(tl_explain_excuses_of(all[i]->id), name))
                    add(rules, all[i]->id);
            list(o, "rules", json_incref(rules));
        }
        json_decref(rules);
    }
}

static void explain_reading(struct asked *a, const struct fal_ambiguity *amb)
{
    json_t *o = begin(a, "reading", amb->id);
    json_t *requirements = json_array(), *rules = json_array(), *twins = json_array();
    size_t n;
    const struct fal_requirement *r = fal_catalogue(&n);
    const struct fal_rule *const *rule;
    const struct fal_twin *twin;

    text(o, "text", amb->question);
    text(o, "section", amb->where);
    text(o, "reading", amb->reading);
    text(o, "tolerated", amb->others[0] != 0 ? amb->others : "nothing else");
    text(o, "kept",
         amb->kind == FAL_AMBIGUITY_FREE ? "each packet may show another reading"
                                         : "one reading for the whole run");
    for (size_t i = 0; i < n; i++)
        if (mentions(r[i].text, amb->id) || mentions(r[i].verdict, amb->id) ||
            mentions(r[i].alt, amb->id))
            add(requirements, r[i].id);
    rule = fal_rules(&n);
    for (size_t i = 0; i < n; i++)
        if (mentions(rule[i]->doc, amb->id))
            add(rules, rule[i]->id);
    twin = fal_twins(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(twin[i].reading, amb->id) == 0)
            add(twins, twin[i].name);
    list(o, "requirements", requirements);
    list(o, "rules", rules);
    list(o, "twins", twins);
}

static void find_readings(struct asked *a)
{
    size_t n;
    const struct fal_ambiguity *all = fal_ambiguities(&n);

    for (size_t i = 0; i < n; i++)
        if (is(a, all[i].id))
            explain_reading(a, &all[i]);
}

/* ---- words of the glossary ---- */

/* "3r" and "-1r" are explained as "0r". */
static bool is_relative(const char *id)
{
    size_t digits = strspn(id + (id[0] == '-'), "0123456789");

    return digits > 0 && strcasecmp(id + (id[0] == '-') + digits, "r") == 0;
}

static bool is_word(struct asked *a, const json_t *object)
{
    const char *word = json_string_value(json_object_get(object, "word"));
    bool found = is(a, word) || (strcmp(word, "0r") == 0 && is_relative(a->id));
    size_t i;
    json_t *alias;

    json_array_foreach(json_object_get(object, "aliases"), i, alias)
    {
        found = is(a, json_string_value(alias)) || found;
    }
    return found;
}

/* Excuses are left to find_excuses, which also names the rules that use them. */
static void find_words(struct asked *a)
{
    size_t i;
    json_t *object;

    json_array_foreach(a->known->words, i, object)
    {
        const char *kind = json_string_value(json_object_get(object, "kind"));
        const char *key;
        json_t *value, *o;

        if (strcmp(kind, "excuse") == 0 || !is_word(a, object))
            continue;
        o = begin(a, strcmp(kind, "term") == 0 || strcmp(kind, "falcon") == 0 ? "word" : kind,
                  json_string_value(json_object_get(object, "word")));
        json_object_foreach(object, key, value)
        {
            if (strcmp(key, "kind") != 0 && strcmp(key, "word") != 0)
                (void)json_object_set(o, key, value);
        }
    }
}

static void find(struct asked *a)
{
    find_words(a);
    find_rules(a);
    find_scenarios(a);
    find_faults(a);
    find_issues(a);
    find_excuses(a);
    find_readings(a);
    find_requirements(a);
}

json_t *tl_explain(const char *id, struct fal_nearest_list *nearest, struct tl_known *known)
{
    struct asked a = {.id = id, .known = known, .out = json_array()};

    *nearest = (struct fal_nearest_list){.word = id};
    if (!known->read) {
        known->suite = tl_suite_list();
        known->words = tl_list_words();
    }
    known->read = true;
    if (a.out == NULL)
        return NULL;
    find(&a);
    if (json_array_size(a.out) == 0) { /* only then does a comparison with every name pay */
        a.nearest = nearest;
        find(&a);
    }
    return a.out;
}

void tl_known_free(struct tl_known *known)
{
    json_decref(known->suite);
    json_decref(known->words);
    json_decref(known->coverage);
}
