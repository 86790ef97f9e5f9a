/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/formats/sarif_rules.h"

#include "reports/base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1000 };

bool tl_sarif_is_result(const struct tl_problem *p)
{
    return p->verdict >= FAL_VERDICT_WARN && p->verdict <= FAL_VERDICT_FAIL;
}

struct tl_problem tl_sarif_shown(const struct tl_problem *p, const struct tl_cause *cause)
{
    struct tl_problem shown = *p;

    if (cause != NULL && cause->requirement != NULL) {
        shown.requirement = cause->requirement;
        shown.num_symptoms = 0;
    }
    return shown;
}

const char *tl_sarif_rule_id(const struct tl_problem *p)
{
    if (tl_problem_blames(p) != NULL)
        return tl_problem_blames(p)->id;
    return p->rule != NULL ? p->rule->id : p->reason.word;
}

size_t tl_sarif_rule_index(const struct tl_sarif_rules *rules, const struct tl_problem *p)
{
    const char *id = tl_sarif_rule_id(p);
    size_t i = 0;

    while (i < rules->count && strcmp(rules->list[i].id, id) != 0)
        i++;
    return i;
}

static bool add(struct tl_sarif_rules *rules, const struct tl_problem *p)
{
    struct tl_sarif_rule *rule;
    const struct fal_requirement *r = tl_problem_blames(p);

    if (tl_sarif_rule_index(rules, p) < rules->count)
        return true;
    if (rules->count == rules->cap) {
        size_t cap = rules->cap == 0 ? 32 : rules->cap * 2;
        struct tl_sarif_rule *grown = realloc(rules->list, cap * sizeof *grown);

        if (grown == NULL)
            return false;
        rules->list = grown;
        rules->cap = cap;
    }
    rule = &rules->list[rules->count++];
    *rule = (struct tl_sarif_rule){
        .id = strdup(tl_sarif_rule_id(p)),
        .title = strdup(r != NULL         ? r->title
                        : p->rule != NULL ? p->rule->title
                                          : "a step of the scenario"),
        .text = strdup(r != NULL         ? r->text
                       : p->rule != NULL ? p->rule->doc
                                         : "an event that the scenario expects did not occur"),
        .section = strdup(r != NULL ? r->section : ""),
        .level = strdup(r != NULL ? r->level : ""),
    };
    return rule->id != NULL && rule->title != NULL && rule->text != NULL &&
           rule->section != NULL && rule->level != NULL;
}

int tl_sarif_rules_gather(struct tl_sarif_rules *rules, const struct tl_results *results,
                          const struct tl_causes *causes)
{
    const struct tl_problem none = {.num_symptoms = 0};
    struct tl_cases it;
    const struct tl_case *c;
    bool ok = true;

    *rules = (struct tl_sarif_rules){.count = 0};
    tl_cases_begin(&it, results);
    while (ok && (c = tl_cases_next(&it)) != NULL)
        for (size_t i = 0; ok && i < c->num_problems; i++)
            ok = !tl_sarif_is_result(&c->problems[i]) || add(rules, &c->problems[i]);
    tl_cases_end(&it);
    for (size_t i = 0; ok && i < causes->count; i++) {
        const struct tl_problem shown = tl_sarif_shown(&none, &causes->list[i]);

        ok = shown.requirement == NULL || add(rules, &shown);
    }
    return ok ? it.rc : FAL_ERR_MEM;
}

/* A text that must not be empty. */
static void put(FILE *out, const char *text)
{
    fputc('"', out);
    tl_put_json_string(out, text[0] != 0 ? text : "-", TEXT_MAX);
    fputc('"', out);
}

void tl_sarif_rules_put(FILE *out, const struct tl_sarif_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct tl_sarif_rule *r = &rules->list[i];

        fprintf(out, "%s\n     {\"id\": ", i > 0 ? "," : "");
        put(out, r->id);
        fputs(", \"shortDescription\": {\"text\": ", out);
        put(out, r->title);
        fputs("}, \"fullDescription\": {\"text\": ", out);
        put(out, r->text);
        fputs("},\n      \"help\": {\"text\": \"", out);
        tl_put_json_string(out, r->text, TEXT_MAX);
        fputs(" (talon explain ", out);
        tl_put_json_string(out, r->id, 100);
        fputs(")\"}, \"defaultConfiguration\": {\"level\": \"error\"},\n      \"properties\": "
              "{\"precision\": \"very-high\", \"tags\": [\"falcon\"",
              out);
        if (r->section[0] != 0) {
            fputs(", \"section ", out);
            tl_put_json_string(out, r->section, 40);
            fputc('"', out);
        }
        if (r->level[0] != 0) {
            fputs(", ", out);
            put(out, r->level);
        }
        fputs("]}}", out);
    }
}

void tl_sarif_rules_free(struct tl_sarif_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->list[i].id);
        free(rules->list[i].title);
        free(rules->list[i].text);
        free(rules->list[i].section);
        free(rules->list[i].level);
    }
    free(rules->list);
    *rules = (struct tl_sarif_rules){.count = 0};
}
