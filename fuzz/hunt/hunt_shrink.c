/* SPDX-License-Identifier: Apache-2.0
 * hunt_shrink.c - minimises a case: delta debugging over its lists, then members that can be
 * removed, then smaller values. A callback decides whether a candidate is a valid scenario and
 * still shows the finding. */
#include "fuzz/hunt/hunt.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_MAX = 48 };

struct shrinker {
    json_t *doc; /* the smallest so far; changed in place, and back */
    hunt_shows *shows;
    void *ctx;
    unsigned left; /* questions */
    bool progress, oom;
};

static bool ask(struct shrinker *s)
{
    bool shows;
    json_t *candidate;

    if (s->left == 0 || s->oom)
        return false;
    s->left--;
    candidate = hunt_copy(s->doc);
    s->oom = candidate == NULL;
    if (s->oom)
        return false;
    hunt_prune(candidate);
    shows = s->shows(s->ctx, candidate);
    json_decref(candidate);
    s->progress |= shows;
    return shows;
}

/* ---- lists ---- */

static json_t *part(const json_t *list, size_t at, size_t count)
{
    json_t *out = json_array();

    for (size_t i = at; out != NULL && i < at + count && i < json_array_size(list); i++)
        (void)json_array_append(out, json_array_get(list, i));
    return out;
}

/* Takes out stretches, long ones first. */
static void shrink_list(struct shrinker *s, json_t *list)
{
    for (size_t len = json_array_size(list); len > 0; len /= 2) {
        for (size_t at = 0; at < json_array_size(list);) {
            json_t *cut = part(list, at, len);
            size_t n = json_array_size(cut);

            for (size_t i = 0; i < n; i++)
                (void)json_array_remove(list, at);
            if (cut == NULL || !ask(s)) {
                for (size_t i = 0; i < n; i++)
                    (void)json_array_insert(list, at + i, json_array_get(cut, i));
                at += len;
            }
            json_decref(cut);
        }
    }
}

/* ---- members ---- */

static void shrink_value(struct shrinker *s, json_t *of, const char *key);

static void shrink_object(struct shrinker *s, json_t *object)
{
    char *copies[MEMBERS_MAX] = {NULL};
    const char *key;
    json_t *value;
    size_t i = 0;

    json_object_foreach(object, key, value)
    {
        if (i < MEMBERS_MAX)
            copies[i++] = strdup(key);
    }
    for (size_t k = 0; k < i && copies[k] != NULL; k++) {
        json_t *kept = json_incref(json_object_get(object, copies[k]));

        (void)json_object_del(object, copies[k]);
        if (!ask(s)) {
            (void)json_object_set(object, copies[k], kept);
            shrink_value(s, object, copies[k]);
        }
        json_decref(kept);
    }
    for (size_t k = 0; k < i; k++)
        free(copies[k]);
}

static bool try_value(struct shrinker *s, json_t *of, const char *key, json_t *value)
{
    json_t *kept = json_incref(json_object_get(of, key));
    bool good;

    (void)json_object_set_new(of, key, value);
    good = ask(s);
    if (!good)
        (void)json_object_set(of, key, kept);
    json_decref(kept);
    return good;
}

static void shrink_number(struct shrinker *s, json_t *of, const char *key)
{
    static const char *const never_none[] = {
        "count", "outstanding", "times", "repeat", "ncwnd", "tx_window_req", "tx_window_data"};
    static const json_int_t first[] = {0, 1, 2};
    json_int_t value = json_integer_value(json_object_get(of, key));
    unsigned i = 0;

    for (size_t k = 0; k < sizeof never_none / sizeof *never_none; k++)
        i |= strcmp(key, never_none[k]) == 0; /* none would mean all, or nothing */
    for (; i < 3; i++)
        if (value > first[i] && try_value(s, of, key, json_integer(first[i])))
            return;
    while (value > 4 && try_value(s, of, key, json_integer(value / 2)))
        value /= 2;
    for (unsigned k = 1; k < 4; k++)
        if (value > 4 && try_value(s, of, key, json_integer(value - value / 4)))
            value -= value / 4;
}

/* A line of the notation: words of the form name=value that can be missed. */
static void shrink_line(struct shrinker *s, json_t *of, const char *key)
{
    const char *line = json_string_value(json_object_get(of, key));
    const char *word = line != NULL ? strchr(line, ' ') : NULL;

    while (word != NULL && (word = strchr(word + 1, ' ')) != NULL) {
        size_t at = (size_t)(word - line), len = 1 + strcspn(word + 1, " ");
        char *shorter = strdup(line);

        if (shorter == NULL)
            return;
        memmove(shorter + at, line + at + len, strlen(line + at + len) + 1);
        if (try_value(s, of, key, json_string(shorter))) {
            line = json_string_value(json_object_get(of, key));
            word = line + at - 1;
        } else {
            line = json_string_value(json_object_get(of, key));
            word = line + at;
        }
        free(shorter);
    }
}

static void shrink_value(struct shrinker *s, json_t *of, const char *key)
{
    json_t *value = json_object_get(of, key), *item;
    size_t i;

    if (strcmp(key, "seal") == 0) /* the declarations of the case are true as a whole */
        return;
    switch (json_typeof(value)) {
    case JSON_OBJECT: shrink_object(s, value); break;
    case JSON_ARRAY:
        shrink_list(s, value);
        json_array_foreach(value, i, item)
        {
            if (json_is_object(item))
                shrink_object(s, item);
        }
        break;
    case JSON_INTEGER: shrink_number(s, of, key); break;
    case JSON_STRING:
        if (strcmp(key, "send") == 0)
            shrink_line(s, of, key);
        break;
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
}

/* Steps of a repeat in its place. */
static void unroll(struct shrinker *s, json_t *steps)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *step = json_array_get(steps, i), *inner = json_object_get(step, "steps"), *kept;
        size_t n = json_array_size(inner);

        if (json_object_get(step, "repeat") == NULL)
            continue;
        kept = json_incref(step);
        (void)json_array_remove(steps, i);
        for (size_t k = 0; k < n; k++)
            (void)json_array_insert(steps, i + k, json_array_get(inner, k));
        if (!ask(s)) {
            for (size_t k = 0; k < n; k++)
                (void)json_array_remove(steps, i);
            (void)json_array_insert(steps, i, kept);
        }
        json_decref(kept);
    }
}

json_t *hunt_shrink(const json_t *doc, hunt_shows *shows, void *ctx, unsigned most)
{
    static const char *const members[] = {"steps", "workload",   "policy",   "impair",   "auto",
                                          "vars",  "connection", "preamble", "postamble"};
    struct shrinker s = {
        .doc = hunt_copy(doc), .shows = shows, .ctx = ctx, .left = most, .progress = true};

    while (s.doc != NULL && s.progress && s.left > 0 && !s.oom) {
        s.progress = false;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            json_t *value = json_object_get(s.doc, members[i]);

            if (value == NULL)
                continue;
            if (json_is_array(value)) {
                unroll(&s, value);
                shrink_list(&s, value);
            }
            shrink_value(&s, s.doc, members[i]);
        }
    }
    if (s.doc != NULL)
        hunt_prune(s.doc);
    return s.doc;
}

/* ---- what is left ---- */

size_t hunt_size(const json_t *doc)
{
    static const char *const members[] = {"workload", "policy",     "impair",
                                          "auto",     "connection", "params"};
    size_t n = 0, i;
    json_t *value;
    const char *key;

    json_array_foreach(json_object_get(doc, "steps"), i, value)
    {
        n += 1 + (json_object_get(value, "repeat") != NULL ? hunt_size(value) : 0);
    }
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        json_t *member = json_object_get(doc, members[k]);

        n += json_is_array(member) ? json_array_size(member) : 0;
        json_object_foreach(json_is_object(member) ? member : NULL, key, value)
        {
            n += json_is_object(value) ? json_object_size(value) : 1;
        }
    }
    return n;
}

/* A step in a word or three: its verb, and what it is about. */
static void say_step(FILE *out, const json_t *step)
{
    static const char *const verbs[] = {"send", "ulp",     "cm",  "on",   "wait",
                                        "off",  "release", "let", "await"};
    const char *line = json_string_value(step), *side;
    json_t *value = NULL;
    size_t i = 0;

    if (line != NULL) {
        fprintf(out, " send %.*s", (int)strcspn(line + strspn(line, "> "), " "),
                line + strspn(line, "> "));
        return;
    }
    if (json_object_get(step, "repeat") != NULL) {
        fputs(" (", out);
        json_array_foreach(json_object_get(step, "steps"), i, value)
        {
            say_step(out, value);
        }
        fputs(" )", out);
        return;
    }
    for (; i < sizeof verbs / sizeof *verbs && value == NULL; i++)
        value = json_object_get(step, verbs[i]);
    if (value == NULL)
        return;
    fprintf(out, " %s", verbs[i - 1]);
    line = json_string_value(value);
    if (line != NULL && (i == 1 || i == 4)) {
        bool in = line[0] == '<';

        line += strspn(line, "<> ");
        fprintf(out, " %s%.*s", in ? "<" : "", (int)strcspn(line, " "), line);
    }
    side = json_string_value(json_object_get(step, "side"));
    if (json_is_object(value)) {
        const char *act = json_string_value(json_object_get(value, "do"));
        const char *op = json_string_value(json_object_get(value, "op"));

        fprintf(out, " %s %s%s%s", side != NULL ? side : "sut", act != NULL ? act : "",
                op != NULL ? " " : "", op != NULL ? op : "");
    }
}

char *hunt_sequence(const json_t *doc)
{
    static const char *const members[] = {"workload", "policy", "impair", "auto"};
    char *text = NULL;
    size_t len, i;
    FILE *out = open_memstream(&text, &len);
    json_t *value;

    if (out == NULL)
        return NULL;
    for (i = 0; i < sizeof members / sizeof *members; i++)
        if (json_object_get(doc, members[i]) != NULL)
            fprintf(out, " %s", members[i]);
    json_array_foreach(json_object_get(doc, "steps"), i, value)
    {
        say_step(out, value);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
