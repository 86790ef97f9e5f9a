/* SPDX-License-Identifier: Apache-2.0
 * scenario_reader.c - what all readers of scenario parts use: errors with positions, members,
 * values. */
#include "harness/scenario_reader.h"

#include "codecs/nearest.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_MAX = 20, ERROR_LEN = 700 };

static void add_error(struct tl_reader *r, struct tl_position pos, const char *where,
                      const char *what)
{
    char line[ERROR_LEN];
    char *grown;
    int n;

    if (++r->num_errors > ERRORS_MAX)
        return;
    n = snprintf(line, sizeof line, "%s:%u:%u: %s%s%s\n", r->path, pos.line, pos.column, where,
                 *where != 0 ? ": " : "", what);
    if (n >= (int)sizeof line) {
        n = (int)sizeof line - 1;
        line[n - 1] = '\n';
    }
    for (int i = 0; i < n - 1;
         i++) /* whatever stands in the file, an error is one line of text */
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    grown = realloc(r->errors, r->errors_len + (size_t)n + 1);
    if (grown == NULL) {
        r->no_memory = true;
        return;
    }
    r->errors = grown;
    memcpy(r->errors + r->errors_len, line, (size_t)n + 1);
    r->errors_len += (size_t)n;
}

void tl_reader_error(struct tl_reader *r, const struct tl_path *at, const char *format, ...)
{
    char where[160], what[ERROR_LEN];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)tl_path_print(at, where, sizeof where);
    add_error(r, tl_source_find(r->text, r->len, at), where, what);
}

void tl_reader_syntax(struct tl_reader *r, const json_error_t *error)
{
    struct tl_position pos = {.line = error->line > 0 ? (unsigned)error->line : 1,
                              .column = error->column > 0 ? (unsigned)error->column : 1};
    char what[ERROR_LEN];

    if (json_error_code(error) == json_error_out_of_memory) {
        r->no_memory = true;
        return;
    }
    (void)snprintf(what, sizeof what, "not JSON: %s", error->text);
    add_error(r, pos, "", what);
}

static void unknown_member(struct tl_reader *r, const struct tl_path *at, const char *key,
                           const struct tl_key *members, size_t n)
{
    struct tl_path here = {.up = at, .key = key};
    const char *keys[32] = {0}, *near;
    char where[160], what[ERROR_LEN];
    size_t len = 0;
    int out = 0;

    for (; len < n && len < sizeof keys / sizeof *keys; len++)
        keys[len] = members[len].key;
    near = fal_nearest(key, keys, len);
    if (near != NULL) {
        (void)snprintf(what, sizeof what, "no such member; did you mean \"%s\"?", near);
    } else {
        out = snprintf(what, sizeof what, "no such member; there are");
        for (size_t i = 0; i < len && out > 0 && (size_t)out < sizeof what; i++)
            out += snprintf(what + out, sizeof what - (size_t)out, "%s %s", i > 0 ? "," : "",
                            keys[i]);
    }
    (void)tl_path_print(&here, where, sizeof where);
    add_error(r, tl_source_find_key(r->text, r->len, &here), where, what);
}

void tl_read_object(struct tl_reader *r, const struct tl_path *at, json_t *object,
                    const struct tl_key *members, size_t n, void *ctx)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        tl_reader_error(r, at, "not an object; expected {...}");
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (members[i].required && json_object_get(object, members[i].key) == NULL)
            tl_reader_error(r, at, "\"%s\" is missing", members[i].key);
    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};
        size_t i = 0;

        while (i < n && strcmp(members[i].key, key) != 0)
            i++;
        if (i == n)
            unknown_member(r, at, key, members, n);
        else if (members[i].read != NULL)
            members[i].read(r, &here, value, ctx);
    }
}

const char *tl_read_string(struct tl_reader *r, const struct tl_path *at, json_t *value)
{
    const char *copy;

    if (!json_is_string(value) || json_string_length(value) == 0) {
        tl_reader_error(r, at, "expected a string that is not empty");
        return NULL;
    }
    copy = tl_arena_strdup(&r->scenario->arena, json_string_value(value));
    r->no_memory |= copy == NULL;
    return copy;
}

int tl_read_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 const char *const *words, size_t n)
{
    const char *text = json_string_value(value), *near;
    char list[ERROR_LEN / 2] = "";
    size_t len = 0;

    for (size_t i = 0; text != NULL && i < n; i++)
        if (strcmp(words[i], text) == 0)
            return (int)i;
    for (size_t i = 0; i < n && len < sizeof list; i++)
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "",
                                words[i]);
    near = text != NULL ? fal_nearest(text, words, n) : NULL;
    if (near != NULL)
        tl_reader_error(r, at, "'%s' is none of %s; did you mean '%s'?", text, list, near);
    else if (text != NULL)
        tl_reader_error(r, at, "'%s' is none of %s", text, list);
    else
        tl_reader_error(r, at, "expected one of %s", list);
    return -1;
}

bool tl_read_bool(struct tl_reader *r, const struct tl_path *at, json_t *value, bool *out)
{
    if (!json_is_boolean(value)) {
        tl_reader_error(r, at, "expected true or false");
        return false;
    }
    *out = json_is_true(value);
    return true;
}

bool tl_read_duration(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      struct fal_duration *out)
{
    struct fal_error err = {{0}};

    if (!json_is_string(value)) {
        tl_reader_error(r, at, "expected a duration in a string: \"250us\", \"$rto * 2\"");
        return false;
    }
    if (fal_text_parse_duration(json_string_value(value), out, &err) != 0) {
        tl_reader_error(r, at, "%s", err.text);
        return false;
    }
    return true;
}

bool tl_read_value(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   tl_word_fn *words, struct tl_value *out)
{
    struct fal_error err = {{0}};
    int rc;

    *out = (struct tl_value){0};
    if (json_is_boolean(value)) {
        out->number = json_is_true(value);
        return true;
    }
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        out->number = (uint64_t)json_integer_value(value);
        return true;
    }
    if (!json_is_string(value)) {
        tl_reader_error(r, at, "expected a number, or a value in a string");
        return false;
    }
    rc = tl_value_parse(json_string_value(value), words, &r->scenario->arena, out, &err);
    r->no_memory |= rc == FAL_ERR_MEM;
    if (rc != 0)
        tl_reader_error(r, at, "%s", err.text);
    return rc == 0;
}

const struct fal_requirement *tl_read_id(struct tl_reader *r, const struct tl_path *at,
                                         const char *id)
{
    const struct fal_requirement *found = fal_requirement_find(id);
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);
    const char **ids, *near = NULL;

    if (found != NULL)
        return found;
    ids = calloc(n, sizeof *ids);
    if (ids != NULL) {
        for (size_t i = 0; i < n; i++)
            ids[i] = all[i].id;
        near = fal_nearest(id, ids, n);
    }
    if (near != NULL)
        tl_reader_error(r, at, "no requirement '%s'; did you mean '%s'?", id, near);
    else
        tl_reader_error(r, at, "no requirement '%s'; see talon list requirements", id);
    free(ids);
    return NULL;
}

void tl_read_ids(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 struct tl_ids *out)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;

    *out = (struct tl_ids){0};
    out->list = tl_arena_alloc(&r->scenario->arena, n, sizeof(void *));
    if (out->list == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct tl_path element = {.up = at, .index = i};
        const struct tl_path *here = json_is_array(value) ? &element : at;
        const char *id =
            json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
        const struct fal_requirement *found = id != NULL ? tl_read_id(r, here, id) : NULL;

        if (id == NULL)
            tl_reader_error(r, here, "expected a requirement id, \"FTP-9.1.6-03\"");
        else if (found != NULL)
            out->list[out->count++] = found;
    }
}

static bool is_variable_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len >= FAL_VAR_MAX || isdigit((unsigned char)*name))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

void tl_read_assignments(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         struct tl_assignment **list, size_t *count)
{
    const char *key;
    json_t *item;

    *count = 0;
    if (!json_is_object(value)) {
        tl_reader_error(r, at, "not an object; expected {\"name\": value, ...}");
        return;
    }
    *list = tl_arena_alloc(&r->scenario->arena, json_object_size(value), sizeof **list);
    if (*list == NULL) {
        r->no_memory = true;
        return;
    }
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        struct tl_assignment *a = &(*list)[*count];

        if (!is_variable_name(key)) {
            tl_reader_error(r, &here,
                            "no name for a variable: letters, digits and _, at most %d",
                            FAL_VAR_MAX - 1);
            continue;
        }
        if (fal_param_find(key) != NULL) {
            tl_reader_error(r, &here, "$%s is a parameter; expected another name", key);
            continue;
        }
        memcpy(a->name, key, strlen(key) + 1);
        if (!tl_read_value(r, &here, item, NULL, &a->value))
            continue;
        if (a->value.negated ||
            (a->value.kind != TL_VALUE_NUMBER && a->value.kind != TL_VALUE_EXPR))
            tl_reader_error(r, &here, "expected one value: a number, a duration or $name + 1");
        else
            (*count)++;
    }
}
