/* SPDX-License-Identifier: Apache-2.0
 * hunt_doc.c - cases as documents: the plain workload corpus, and scenarios from other sources.
 */
#include "fuzz/hunt/hunt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jansson's own copy looks for circles, which no document here has. */
static json_t *copy_of(const json_t *value, bool share)
{
    json_t *copy, *item;
    const char *key;
    size_t i;

    switch (json_typeof(value)) {
    case JSON_OBJECT:
        copy = json_object();
        json_object_foreach((json_t *)value, key, item)
        {
            if (json_object_set_new_nocheck(copy, key, copy_of(item, share)) != 0)
                goto fail;
        }
        return copy;
    case JSON_ARRAY:
        copy = json_array();
        json_array_foreach(value, i, item)
        {
            if (json_array_append_new(copy, copy_of(item, share)) != 0)
                goto fail;
        }
        return copy;
    case JSON_STRING:
    case JSON_INTEGER:
    case JSON_REAL:
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL: break;
    }
    return share ? json_incref((json_t *)value) : json_copy((json_t *)value);
fail:
    json_decref(copy);
    return NULL;
}

json_t *hunt_copy(const json_t *doc)
{
    return doc != NULL ? copy_of(doc, false) : NULL;
}

json_t *hunt_branch(const json_t *doc)
{
    return doc != NULL ? copy_of(doc, true) : NULL;
}

/* Behind the JSON value at `text`, which is well formed. */
static const char *behind(const char *text)
{
    unsigned depth = 0;

    do {
        text += strcspn(text, "\"{}[]");
        if (*text == '"')
            for (text++; *text != '"'; text++)
                text += *text == '\\';
        else if (*text == '{' || *text == '[')
            depth++;
        else if (*text != 0)
            depth--;
        text += *text != 0;
    } while (depth > 0 && *text != 0);
    return text;
}

/* The next object of a list, from there on; NULL: there is none. */
static const char *next_object(const char *text)
{
    text += strcspn(text, "{]");
    return *text == '{' ? text : NULL;
}

size_t hunt_element_count(const char *list)
{
    const char *at = next_object(list);
    size_t n = 0;

    for (; at != NULL; at = next_object(behind(at)))
        n++;
    return n;
}

json_t *hunt_element(const char *list, size_t i)
{
    const char *at = next_object(list);

    while (i-- > 0 && at != NULL)
        at = next_object(behind(at));
    return at != NULL ? json_loads(at, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

json_t *hunt_list(json_t *object, const char *key)
{
    json_t *list = json_object_get(object, key);

    if (!json_is_array(list) && json_object_set_new(object, key, json_array()) != 0)
        return NULL;
    return json_object_get(object, key);
}

json_t *hunt_object(json_t *object, const char *key)
{
    json_t *member = json_object_get(object, key);

    if (!json_is_object(member) && json_object_set_new(object, key, json_object()) != 0)
        return NULL;
    return json_object_get(object, key);
}

static bool is_empty(const json_t *value)
{
    return (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}

static void prune_members(json_t *object, const char *spared)
{
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(object, next, key, value)
    {
        if (is_empty(value) && strcmp(key, spared) != 0)
            (void)json_object_del(object, key);
    }
}

void hunt_prune(json_t *doc)
{
    prune_members(json_object_get(doc, "connection"), "");
    prune_members(json_object_get(doc, "impair"), "");
    prune_members(doc, "steps");
}

void hunt_name(json_t *doc, uint64_t number)
{
    char id[HUNT_ID_MAX];

    (void)snprintf(id, sizeof id, "fuzz-%012" PRIx64, number & UINT64_C(0xffffffffffff));
    (void)json_object_set_new(doc, "id", json_string(id));
}

/* ---- the plain workload corpus ---- */

extern const char hunt_seeds[]; /* seeds.json */

json_t *hunt_seed(size_t i)
{
    return hunt_element(hunt_seeds, i);
}

/* ---- scenarios of others ---- */

/* Whether a step acts, and needs nothing that an expectation would have bound. */
static bool acts(const json_t *step)
{
    static const char *const verbs[] = {"send", "ulp", "cm",      "wait",
                                        "on",   "off", "release", "let"};
    const char *line = json_string_value(step);

    if (line != NULL)
        return strchr(line, '>') != NULL && strchr(line, '<') == NULL;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (json_object_get(step, verbs[i]) != NULL)
            return true;
    return false;
}

static bool import_steps(json_t *to, const json_t *from)
{
    size_t i;
    json_t *step;

    json_array_foreach(from, i, step)
    {
        json_t *copy;

        if (json_object_get(step, "repeat") != NULL) {
            json_t *inner = json_array();

            copy = hunt_copy(step);
            if (!import_steps(inner, json_object_get(step, "steps")) ||
                json_object_set_new(copy, "steps", inner) != 0)
                return false;
            if (json_array_size(json_object_get(copy, "steps")) == 0) {
                json_decref(copy);
                continue;
            }
        } else if (acts(step)) {
            copy = hunt_copy(step);
        } else {
            continue;
        }
        (void)json_object_del(copy, "covers");
        (void)json_object_del(copy, "name");
        if (json_array_append_new(to, copy) != 0)
            return false;
    }
    return true;
}

/* Of each parameter of the file its first value. */
static void fix_params(json_t *doc)
{
    const char *key;
    json_t *values;

    json_object_foreach(json_object_get(doc, "params"), key, values)
    {
        while (json_array_size(values) > 1)
            (void)json_array_remove(values, 1);
    }
}

static bool reads(const json_t *doc)
{
    char *text = json_dumps(doc, JSON_COMPACT), *errors = NULL;
    struct tl_scenario *s;
    bool good;

    if (text == NULL)
        return false;
    s = tl_scenario_read("import", text, strlen(text), &errors);
    good = s != NULL && s->next == NULL;
    while (s != NULL) {
        struct tl_scenario *next = s->next;

        tl_scenario_free(s);
        s = next;
    }
    free(errors);
    free(text);
    return good;
}

json_t *hunt_import(const json_t *scenario)
{
    static const char *const kept[] = {"params", "connection", "policy", "auto",
                                       "impair", "workload",   "vars"};
    json_t *doc = hunt_seed(0), *steps = json_array();
    bool ours = strncmp(json_string_value(json_object_get(scenario, "id")) != NULL
                            ? json_string_value(json_object_get(scenario, "id"))
                            : "",
                        "fuzz-", 5) == 0;

    if (ours) { /* a case of an earlier hunt needs nothing done to it */
        json_decref(steps);
        json_decref(doc);
        return hunt_copy(scenario);
    }
    if (doc == NULL || steps == NULL)
        goto fail;
    (void)json_object_del(doc, "workload");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *member = json_object_get(scenario, kept[i]);

        if (member != NULL && json_object_set_new(doc, kept[i], hunt_copy(member)) != 0)
            goto fail;
    }
    fix_params(doc);
    if (!import_steps(steps, json_object_get(scenario, "preamble")) ||
        !import_steps(steps, json_object_get(scenario, "steps")) ||
        json_object_set(doc, "steps", steps) != 0)
        goto fail;
    (void)json_object_del(doc, "fragments");
    /* Removes everything that depends on a part that was left out. */
    for (size_t i = json_array_size(steps); !reads(doc) && i > 0; i--)
        (void)json_array_remove(steps, i - 1);
    if (!reads(doc))
        goto fail;
    json_decref(steps);
    return doc;
fail:
    json_decref(steps);
    json_decref(doc);
    return NULL;
}
