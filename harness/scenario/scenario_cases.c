/* SPDX-License-Identifier: Apache-2.0
 * scenario_cases.c - from the text of a file to its cases: each combination of its parameters
 * is one, read as if it were a file of its own. */
#include "harness/scenario/reader.h"
#include "harness/scenario/types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMS_MAX = 16, CASES_MAX = 10000, CASE_ID_LEN = 240 };

/* "id@len=64,op=push" */
static void case_id(const char *id, json_t *params, char out[CASE_ID_LEN])
{
    char text[60];
    size_t len = (size_t)snprintf(out, CASE_ID_LEN, "%s", id);
    const char *key;
    json_t *value;
    char sep = '@';

    json_object_foreach(params, key, value)
    {
        json_t *said = tl_expansion(value);
        size_t n = 0;

        for (const char *c = json_string_value(said);
             c != NULL && *c != 0 && n + 1 < sizeof text; c++)
            text[n++] = (char)(islower((unsigned char)*c) || isdigit((unsigned char)*c) ||
                                       strchr("_.", *c) != NULL
                                   ? *c
                               : isupper((unsigned char)*c) ? tolower((unsigned char)*c)
                                                            : '-');
        text[n] = 0;
        json_decref(said);
        if (len < CASE_ID_LEN)
            len += (size_t)snprintf(out + len, CASE_ID_LEN - len, "%c%.20s=%s", sep, key, text);
        sep = ',';
    }
}

/* One case: the document with its parameters put in. NULL after errors. */
static struct tl_scenario *read_case(struct tl_reader *r, json_t *document, json_t *params)
{
    struct tl_scenario *s = calloc(1, sizeof *s);
    json_t *texts = json_object(), *value;
    const char *key;
    char id[CASE_ID_LEN];

    r->scenario = s;
    r->num_steps = 0;
    if (s == NULL || texts == NULL)
        goto no_memory;
    s->auto_acks = s->auto_retransmission = s->auto_ulp = true;
    s->path = fal_arena_strdup(&s->arena, r->path);
    json_object_foreach(params, key,
                        value) if (json_object_set_new(texts, key, tl_expansion(value)) !=
                                   0) goto no_memory;
    r->document = json_object_size(texts) > 0 ? tl_expand_document(document, texts)
                                              : json_incref(document);
    if (s->path == NULL || r->document == NULL)
        goto no_memory;
    r->written = document;
    r->cases = params;
    tl_read_document(r, params);
    if (r->num_errors == 0 && !r->no_memory && json_object_size(params) > 0) {
        case_id(s->id, params, id);
        s->id = fal_arena_strdup(&s->arena, id);
        r->no_memory |= s->id == NULL;
    }
    for (unsigned i = 0; i < s->num_conns && r->num_errors == 0 && !r->no_memory; i++)
        s->conns[i]->id = s->id;
    json_decref(r->document);
    r->document = NULL;
    json_decref(texts);
    if (r->num_errors == 0 && !r->no_memory)
        return s;
    tl_scenario_free(s);
    return NULL;
no_memory:
    r->no_memory = true;
    json_decref(texts);
    tl_scenario_free(s);
    return NULL;
}

/* The case of that number, of all combinations; the last parameter changes fastest. */
static json_t *combination(json_t *params, size_t number)
{
    json_t *out = json_object();
    size_t rest = number, n = json_object_size(params), i = 0;
    const char *keys[PARAMS_MAX] = {0}, *key;
    json_t *lists[PARAMS_MAX] = {0}, *list;
    size_t at[PARAMS_MAX] = {0};

    json_object_foreach(params, key, list)
    {
        keys[i] = key;
        lists[i++] = list;
    }
    for (i = n; i-- > 0;) {
        at[i] = rest % json_array_size(lists[i]);
        rest /= json_array_size(lists[i]);
    }
    for (i = 0; i < n && out != NULL; i++)
        if (json_object_set(out, keys[i], json_array_get(lists[i], at[i])) != 0) {
            json_decref(out);
            out = NULL;
        }
    return out;
}

/* How many combinations there are; 0 after an error. */
static size_t count_cases(struct tl_reader *r, json_t *document)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "params"};
    json_t *params = json_object_get(document, "params"), *list;
    const char *key;
    size_t n = 1;

    if (params == NULL)
        return 1;
    for (size_t i = 0; i < tl_type_file.num_members; i++)
        if (strcmp(tl_type_file.members[i].key, "params") == 0 &&
            !tl_shape_check(r, &at, params, tl_type_file.members[i].type))
            return 0;
    if (json_object_size(params) > PARAMS_MAX) {
        tl_reader_error(r, &at, "more than %d parameters", PARAMS_MAX);
        return 0;
    }
    json_object_foreach(params, key, list)
    {
        n *= json_array_size(list);
        if (n > CASES_MAX) {
            tl_reader_error(r, &at, "more than %d cases", CASES_MAX);
            return 0;
        }
    }
    return n;
}

static void free_chain(struct tl_scenario *s)
{
    while (s != NULL) {
        struct tl_scenario *next = s->next;

        tl_scenario_free(s);
        s = next;
    }
}

/* Two combinations must not have one name. */
static void check_ids(struct tl_reader *r, const struct tl_scenario *s)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "params"};
    size_t checked = 0;

    for (; s != NULL && checked < 200; s = s->next, checked++)
        for (const struct tl_scenario *t = s->next; t != NULL; t = t->next)
            if (strcmp(s->id, t->id) == 0) {
                tl_reader_error(r, &at, "two cases have the name %s", s->id);
                return;
            }
}

/* Whether the case with these parameters is to be read. */
static bool is_wanted(const struct tl_wanted *wanted, json_t *document, json_t *params)
{
    const char *file_id = json_string_value(json_object_get(document, "id"));
    char id[CASE_ID_LEN];

    if (wanted == NULL || file_id == NULL)
        return true;
    case_id(file_id, params, id);
    return wanted->takes(wanted->ctx, file_id, id);
}

/* Reads the wanted cases of the document. Frees what the reader holds. */
static struct tl_scenario *read_cases(struct tl_reader *r, json_t *document,
                                      const struct tl_wanted *wanted, size_t *passed_over)
{
    struct tl_scenario *first = NULL, **last = &first;
    json_t *params;
    size_t n = count_cases(r, document);

    for (size_t i = 0; i < n && r->num_errors == 0 && !r->no_memory; i++) {
        params = json_object_get(document, "params");
        params = params != NULL ? combination(params, i) : json_object();
        r->no_memory |= params == NULL;
        if (i > 0 && params != NULL && !is_wanted(wanted, document, params)) {
            json_decref(params);
            ++*passed_over;
            continue;
        }
        *last = params != NULL ? read_case(r, document, params) : NULL;
        json_decref(params);
        if (*last != NULL)
            last = &(*last)->next;
    }
    if (first != NULL && first->next != NULL)
        check_ids(r, first);
    free(r->steps);
    tl_shape_forget(r);
    tl_places_free(r->places);
    if (r->num_errors > 0 || r->no_memory) {
        free_chain(first);
        first = NULL;
    }
    return first;
}

struct tl_scenario *tl_scenario_read_wanted(const char *path, const char *text, size_t len,
                                            const struct tl_wanted *wanted, size_t *passed_over,
                                            char **errors)
{
    struct tl_reader r = {.path = path, .text = text, .len = len};
    struct tl_scenario *first = NULL;
    json_error_t error;
    json_t *document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);

    if (document == NULL)
        tl_reader_syntax(&r, &error);
    else
        first = read_cases(&r, document, wanted, passed_over);
    json_decref(document);
    *errors = tl_reader_errors(&r);
    return first;
}

struct tl_scenario *tl_scenario_read(const char *path, const char *text, size_t len,
                                     char **errors)
{
    size_t none = 0;

    return tl_scenario_read_wanted(path, text, len, NULL, &none, errors);
}

struct tl_scenario *tl_scenario_of(const char *path, json_t *document, char **errors)
{
    struct tl_reader r = {.path = path, .text = ""};
    size_t none = 0;
    struct tl_scenario *first = read_cases(&r, document, NULL, &none);

    *errors = tl_reader_errors(&r);
    return first;
}
