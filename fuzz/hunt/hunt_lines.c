/* SPDX-License-Identifier: Apache-2.0
 * hunt_lines.c - minimises a timeline by leaving events out. The rest must violate the same
 * rule in the same words by the same packets, because a timeline without some packets to the
 * SUT could show another violation where the SUT was correct. */
#include "fuzz/hunt/hunt_lines.h"

#include "oracles/rules/judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first violation that the judge found. */
struct found {
    bool any;
    const struct fal_rule *rule;
    const char *requirement;
    uint64_t evidence[FAL_EVIDENCE_MAX];
    size_t num_evidence;
    char expected[FAL_SAY_MAX], seen[FAL_SAY_MAX];
};

struct shrinker {
    struct hunt_lines *lines;
    bool *kept, *tried;
    json_t **event; /* by line; NULL: none */
    struct found wanted, now;
    unsigned left;
};

static void note(void *ctx, const struct fal_finding *finding)
{
    struct shrinker *s = ctx;
    struct found f = {.any = true,
                      .rule = finding->rule,
                      .requirement = finding->requirement,
                      .num_evidence = finding->num_evidence};

    if (finding->instance != FAL_BROKEN || finding->subject != FAL_SUBJECT_SUT || s->now.any)
        return;
    memcpy(f.evidence, finding->evidence, sizeof f.evidence);
    memcpy(f.expected, finding->expected, sizeof f.expected);
    memcpy(f.seen, finding->seen, sizeof f.seen);
    if (!s->wanted.any ||
        (f.rule == s->wanted.rule && f.requirement == s->wanted.requirement &&
         f.num_evidence == s->wanted.num_evidence &&
         memcmp(f.evidence, s->wanted.evidence, f.num_evidence * sizeof *f.evidence) == 0 &&
         strcmp(f.expected, s->wanted.expected) == 0 && strcmp(f.seen, s->wanted.seen) == 0))
        s->now = f;
}

/* Judges what is kept. 0, or FAL_ERR_FORM, FAL_ERR_MEM. */
static int judge(struct shrinker *s, struct fal_error *err)
{
    const struct fal_judge_config config = {.finding = note, .ctx = s};
    struct fal_judge *j = fal_judge_new(&config);
    struct fal_event_storage storage = {0};
    int rc = j != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");

    s->now = (struct found){.any = false};
    for (size_t i = 0; rc == 0 && i < s->lines->count; i++) {
        struct fal_event event;

        if (!s->kept[i] || s->event[i] == NULL)
            continue;
        rc = fal_event_from_json(s->event[i], &event, &storage, err);
        if (rc == 0)
            fal_judge_event(j, &event);
    }
    if (j != NULL)
        fal_judge_finish(j);
    fal_judge_free(j);
    fal_event_storage_free(&storage);
    return rc;
}

static bool ask(struct shrinker *s)
{
    struct fal_error err;

    if (s->left == 0)
        return false;
    s->left--;
    return judge(s, &err) == 0 && s->now.any;
}

/* Leaves out stretches of so many lines. */
static bool leave_out(struct shrinker *s, size_t len)
{
    size_t n = s->lines->count, at = s->lines->before;
    bool progress = false;

    while (at < n) {
        size_t end = at, gone = 0;

        for (; end < n && gone < len; end++) {
            s->tried[end] = s->kept[end];
            gone += s->kept[end];
            s->kept[end] = false;
        }
        if (gone == 0)
            break;
        if (ask(s))
            progress = true;
        else
            memcpy(s->kept + at, s->tried + at, (end - at) * sizeof *s->kept);
        at = end;
    }
    return progress;
}

static int split(const char *text, size_t len, struct hunt_lines *out)
{
    const char *end = text + len;
    size_t n = 0, i = 0;

    for (const char *c = text; c < end; c++)
        n += *c == '\n';
    out->line = calloc(n + 2, sizeof *out->line);
    if (out->line == NULL)
        return FAL_ERR_MEM;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop != NULL ? stop : end) - text);

        if (size > 0) {
            out->line[i] = strndup(text, size);
            if (out->line[i] == NULL)
                return FAL_ERR_MEM;
            out->count = ++i;
        }
        text += size + 1;
    }
    return 0;
}

static int parse(struct shrinker *s, struct fal_error *err)
{
    const char *schema;

    for (size_t i = 0; i < s->lines->count; i++) {
        json_t *object = json_loads(s->lines->line[i], 0, NULL);

        s->kept[i] = true;
        schema = json_string_value(json_object_get(object, "schema"));
        if (i == 0 && (schema == NULL || strcmp(schema, FAL_TIMELINE_SCHEMA) != 0)) {
            json_decref(object);
            return fal_fail(err, FAL_ERR_FORM, "its first line is not {\"schema\": \"%s\"}",
                            FAL_TIMELINE_SCHEMA);
        }
        if (object == NULL)
            return fal_fail(err, FAL_ERR_FORM, "line %zu is no JSON", i + 1);
        if (i == 0) {
            json_decref(object);
            s->lines->before = 1;
            continue;
        }
        s->event[i] = object;
        schema = json_string_value(json_object_get(object, "event"));
        if (schema != NULL && i == s->lines->before && strcmp(schema, "run") == 0)
            s->lines->before = i + 1;
    }
    return 0;
}

/* Drops the lines that are not kept. */
static void compact(struct shrinker *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->lines->count; i++) {
        if (s->kept[i])
            s->lines->line[n++] = s->lines->line[i];
        else
            free(s->lines->line[i]);
    }
    s->lines->count = n;
}

int hunt_lines_shrink(const char *text, size_t len, unsigned most, struct hunt_lines *out,
                      struct fal_error *err)
{
    struct shrinker s = {.lines = out, .left = most};
    int rc = split(text, len, out);
    size_t all = out->count;

    if (rc == 0) {
        s.kept = calloc(out->count + 1, sizeof *s.kept);
        s.tried = calloc(out->count + 1, sizeof *s.tried);
        s.event = calloc(out->count + 1, sizeof(json_t *));
    }
    if (s.kept == NULL || s.tried == NULL || s.event == NULL) {
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    rc = parse(&s, err);
    if (rc == 0)
        rc = judge(&s, err);
    if (rc == 0 && !s.now.any)
        rc = fal_fail(err, FAL_ERR_FORM, "the SUT violates no rule in it");
    if (rc != 0 || s.now.rule == NULL)
        goto done;
    s.wanted = s.now;
    (void)snprintf(out->words, sizeof out->words, "%s %s: %.300s", s.wanted.rule->id,
                   s.wanted.requirement != NULL ? s.wanted.requirement : "", s.wanted.expected);
    for (size_t size = out->count / 2; size > 0; size /= 2)
        while (leave_out(&s, size) && size == 1)
            ;
    compact(&s);
done:
    for (size_t i = 0; s.event != NULL && i < all; i++)
        json_decref(s.event[i]);
    free(s.event);
    free(s.kept);
    free(s.tried);
    return rc;
}

void hunt_lines_free(struct hunt_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->line[i]);
    free(lines->line);
    *lines = (struct hunt_lines){.line = NULL};
}
