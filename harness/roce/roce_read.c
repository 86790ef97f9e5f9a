/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_inject.h"
#include "harness/roce/roce_scenario.h"

#include "codecs/base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_MAX = 1600 };

int tl_roce_rate(const char *text, uint64_t line_bps, uint64_t *out, struct fal_error *err)
{
    static const struct {
        const char *unit;
        uint64_t bps;
    } units[] = {{"Gb/s", 1000000000}, {"Mb/s", 1000000}, {"kb/s", 1000}};
    char *end;
    double number = strtod(text, &end);

    if (text[0] >= '0' && text[0] <= '9' && strcmp(end, "%") == 0 && line_bps != 0 &&
        number <= 1000) {
        *out = (uint64_t)(number * (double)line_bps / 100);
        return 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (text[0] >= '0' && text[0] <= '9' && strcmp(end, units[i].unit) == 0 && number > 0 &&
            number * (double)units[i].bps <= RATE_MAX * 1e9) {
            *out = (uint64_t)(number * (double)units[i].bps);
            return 0;
        }
    return fal_fail(err, FAL_ERR_FORM, "'%.40s': expected a rate such as 5Gb/s, or 60%%", text);
}

bool tl_roce_has(const json_t *list, const char *word)
{
    size_t i;
    json_t *item;

    json_array_foreach(list, i, item)
    {
        if (strcmp(json_string_value(item), word) == 0)
            return true;
    }
    return false;
}

/* The verb of a step: the one member that says it. */
static int find_verb(const struct tl_doc *doc, const struct tl_path *at,
                     struct tl_roce_step *step)
{
    int found = -1;

    for (int v = 0; v < TL_ROCE_VERBS; v++) {
        if (step->word[v] == NULL)
            continue;
        if (found >= 0)
            return tl_doc_fail(doc, at, "both '%s' and '%s'; a step does one thing",
                               tl_roce_verbs[found], tl_roce_verbs[v]);
        found = v;
    }
    if (found < 0)
        return tl_doc_fail(doc, at,
                           "no verb; expected one of post, drop, mark, delay, "
                           "duplicate, corrupt, inject, receives, expect, "
                           "expect_none, count, spacing, rate, copies, ended, messages");
    step->verb = (enum tl_roce_verb)found;
    return 0;
}

static bool has_pattern(enum tl_roce_verb verb)
{
    return verb != TL_ROCE_POST && verb != TL_ROCE_RECEIVES && verb != TL_ROCE_ENDED &&
           verb != TL_ROCE_MESSAGES;
}

static int check_word(const struct tl_doc *doc, const struct tl_path *at,
                      struct tl_roce_step *step)
{
    static const char *const posts[] = {"send", "write", "write_imm", "read"};
    const char *word = step->word[step->verb];
    struct tl_path here = {.up = at, .key = tl_roce_verbs[step->verb]};
    struct fal_error err = {{0}};
    char *end;

    if (has_pattern(step->verb)) {
        if (fal_roce_pattern_parse(word, &step->pattern, &err) != 0 ||
            (step->verb == TL_ROCE_INJECT && tl_roce_inject_check(&step->pattern, &err) != 0))
            return tl_doc_fail(doc, &here, "%s", err.text);
        return 0;
    }
    if (step->verb == TL_ROCE_POST) {
        for (size_t i = 0; i < sizeof posts / sizeof *posts; i++)
            if (strcmp(posts[i], word) == 0) {
                step->value = i;
                return 0;
            }
        return tl_doc_fail(doc, &here, "'%.40s'; expected send, write, write_imm or read%s",
                           word, fal_hint(fal_nearest(word, posts, 4), "").text);
    }
    if (step->verb == TL_ROCE_RECEIVES || step->verb == TL_ROCE_MESSAGES) {
        step->value = strtoull(word, &end, 10);
        if (*word < '0' || *word > '9' || *end != 0)
            return tl_doc_fail(doc, &here, "'%.40s'; expected a number", word);
    }
    return 0;
}

/* The labels of steps up to (not including) this one. */
static bool label_before(const struct tl_roce_scenario *s, size_t n, const char *label)
{
    for (size_t i = 0; i < n; i++)
        if (s->steps[i].as != NULL && strcmp(s->steps[i].as, label) == 0)
            return true;
    return false;
}

struct labels {
    const struct tl_roce_scenario *scenario;
    size_t before;
};

static bool knows(const void *ctx, const char *name)
{
    const struct labels *labels = ctx;

    return label_before(labels->scenario, labels->before, name);
}

static int check_labels(const struct tl_roce_scenario *s, size_t i, const struct tl_path *at)
{
    const struct tl_roce_step *step = &s->steps[i];
    const struct labels labels = {s, i};
    const char *given[] = {step->after, step->until,
                           step->verb == TL_ROCE_ENDED ? step->word[TL_ROCE_ENDED] : NULL};
    const char *unknown = fal_roce_pattern_label(&step->pattern, knows, &labels);

    for (size_t k = 0; k < 3 && unknown == NULL; k++)
        if (given[k] != NULL && !label_before(s, i, given[k]))
            unknown = given[k];
    if (unknown != NULL)
        return tl_doc_fail(&s->doc, at, "no step before this one has \"as\": \"%.40s\"",
                           unknown);
    if (step->as != NULL && label_before(s, i, step->as))
        return tl_doc_fail(&s->doc, at, "a step before this one has \"as\": \"%.40s\", too",
                           step->as);
    return 0;
}

static int check_bounds(const struct tl_roce_scenario *s, const struct tl_roce_step *step,
                        const struct tl_path *at)
{
    const char *bounds[] = {step->least, step->most};
    struct fal_error err = {{0}};
    uint64_t value;

    if (step->verb == TL_ROCE_COUNT || step->verb == TL_ROCE_SPACING ||
        step->verb == TL_ROCE_RATE) {
        if (step->least == NULL && step->most == NULL)
            return tl_doc_fail(&s->doc, at, "neither 'least' nor 'most'; expected one of them");
    } else if (step->least != NULL || step->most != NULL) {
        return tl_doc_fail(&s->doc, at, "'least' and 'most' are for count, spacing and rate");
    }
    for (size_t i = 0; i < 2; i++)
        if (step->verb == TL_ROCE_RATE && bounds[i] != NULL &&
            tl_roce_rate(bounds[i], s->rate_bps, &value, &err) != 0)
            return tl_doc_fail(&s->doc, at, "%s", err.text);
    return 0;
}

/* The step as a reader sees it: its verb and what it is about. */
static void set_text(struct tl_roce_step *step)
{
    (void)snprintf(step->text, sizeof step->text, "%s %.120s%s%.20s%s%.24s",
                   tl_roce_verbs[step->verb], step->word[step->verb],
                   step->rule != NULL ? ", rule " : "", step->rule != NULL ? step->rule : "",
                   step->after != NULL ? ", after " : "",
                   step->after != NULL ? step->after : "");
}

static int check_steps(struct tl_roce_scenario *s, const struct tl_path *root)
{
    struct tl_path list = {.up = root, .key = "steps"};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < s->num_steps; i++) {
        struct tl_path at = {.up = &list, .index = i};
        struct tl_position place = tl_source_find(s->doc.text, s->doc.len, &at);

        s->steps[i].line = place.line;
        rc = find_verb(&s->doc, &at, &s->steps[i]);
        if (rc == 0)
            rc = check_word(&s->doc, &at, &s->steps[i]);
        if (rc == 0)
            rc = check_labels(s, i, &at);
        if (rc == 0)
            rc = check_bounds(s, &s->steps[i], &at);
        if (rc == 0)
            set_text(&s->steps[i]);
    }
    return rc;
}

/* Of members that are read by a rule of their own. */
static void set_defaults(struct tl_roce_scenario *s)
{
    const struct {
        uint64_t *value, initial;
    } rows[] = {
        {&s->rate_bps, UINT64_C(100000000000)},
        {&s->cnp_interval_ns, 50000},
        {&s->answer_ns, 500},
        {&s->timeout_ns, 400000},
        {&s->for_ns, 20000000},
        {&s->network.delay_ns, 1000},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (*rows[i].value == 0)
            *rows[i].value = rows[i].initial;
    if (!s->has_receives)
        s->receives = UINT64_MAX;
    if (s->preset == NULL)
        s->preset = "nic";
}

int tl_roce_load(const char *path, struct tl_roce_scenario *out, struct fal_error *err)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "dcqcn"};
    int rc;

    *out = (struct tl_roce_scenario){.path = strdup(path)};
    if (out->path == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = tl_doc_open(&out->doc, out->path, TL_ROCE_SCHEMA, err);
    if (rc == 0)
        rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_roce_shape, out);
    if (rc == 0)
        set_defaults(out);
    if (rc == 0 && fal_dcqcn_preset(out->preset) == NULL)
        rc = tl_doc_fail(&out->doc, &at, "'%.40s'; expected nic or paper", out->preset);
    if (rc == 0)
        rc = check_steps(out, &root);
    if (rc != 0)
        tl_roce_free(out);
    return rc;
}

void tl_roce_free(struct tl_roce_scenario *scenario)
{
    fal_shape_free(&tl_roce_shape, scenario);
    tl_doc_close(&scenario->doc);
    free(scenario->path);
    *scenario = (struct tl_roce_scenario){.id = NULL};
}
