/* SPDX-License-Identifier: Apache-2.0
 * reader.c - functions for all readers of scenario parts: errors with positions, members,
 * values. */
#include "harness/scenario/reader.h"

#include "codecs/base/nearest.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_LEN = 700, EXCERPT_LEN = 160, EXCERPT_ROOM = 2 * EXCERPT_LEN + 4 };

static bool is_before(struct tl_position a, struct tl_position b)
{
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

static void add_error(struct tl_reader *r, struct tl_position pos, const char *where,
                      const char *what)
{
    char line[ERROR_LEN];
    size_t i = r->num_errors;
    int n;

    if (r->num_errors == TL_ERRORS_MAX)
        return;
    n = snprintf(line, sizeof line, "%s:%u:%u: %s%s%s\n", r->path, pos.line, pos.column, where,
                 *where != 0 ? ": " : "", what);
    if (n >= (int)sizeof line) {
        n = (int)sizeof line - 1;
        line[n - 1] = '\n';
    }
    /* Whatever stands in the file, an error is one line of text. */
    for (int k = 0; k < n - 1; k++)
        if ((unsigned char)line[k] < ' ' || line[k] == 0x7f)
            line[k] = '?';
    for (size_t k = 0; k < r->num_errors; k++)
        if (strcmp(r->errors[k].text, line) == 0)
            return; /* of a fragment that is used twice, say */
    while (i > 0 && is_before(pos, r->errors[i - 1].at))
        i--;
    memmove(&r->errors[i + 1], &r->errors[i], (r->num_errors - i) * sizeof r->errors[0]);
    r->errors[i].at = pos;
    r->errors[i].text = strdup(line);
    if (r->errors[i].text == NULL) {
        memmove(&r->errors[i], &r->errors[i + 1], (r->num_errors - i) * sizeof r->errors[0]);
        r->no_memory = true;
        return;
    }
    r->num_errors++;
}

/* The part of the source line around `pos` that is shown, and where the caret stands in it. */
struct excerpt {
    const char *line;
    size_t len, caret;
};

/* Whether `c` is a byte of a UTF-8 character that is not its first. Source: RFC 3629. */
static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The start of that line in the text, or NULL. */
static const char *line_start(const struct tl_reader *r, unsigned line)
{
    const char *at = r->text, *end = r->text + r->len;

    for (unsigned n = 1; at != NULL && n < line; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    return at;
}

static struct excerpt excerpt_of(const struct tl_reader *r, struct tl_position pos)
{
    struct excerpt e = {.line = line_start(r, pos.line)};
    const char *end = r->text + r->len, *line_end;

    if (e.line == NULL || e.line == end)
        return (struct excerpt){NULL, 0, 0};
    line_end = memchr(e.line, '\n', (size_t)(end - e.line));
    e.len = (size_t)((line_end != NULL ? line_end : end) - e.line);
    e.caret = pos.column > 0 ? pos.column - 1 : 0;
    if (e.caret > e.len)
        e.caret = e.len;
    if (e.caret > EXCERPT_LEN / 2 && e.len > EXCERPT_LEN) { /* a long line: the part around */
        size_t skipped = e.caret - EXCERPT_LEN / 2;

        while (skipped < e.caret && is_continuation(e.line[skipped]))
            skipped++;
        e.line += skipped;
        e.len -= skipped;
        e.caret -= skipped;
    }
    if (e.len > EXCERPT_LEN)
        for (e.len = EXCERPT_LEN; e.len > 0 && is_continuation(e.line[e.len]);)
            e.len--;
    return e;
}

/* Writes the source line and below it a caret; control characters are shown as '?', a tab as a
 * blank, so that the caret is below its place. At most EXCERPT_ROOM bytes. */
static char *print_excerpt(char *at, const struct tl_reader *r, struct tl_position pos)
{
    struct excerpt e = excerpt_of(r, pos);

    if (e.line == NULL)
        return at;
    for (size_t i = 0; i < e.len; i++) {
        unsigned char c = (unsigned char)e.line[i];

        *at++ = c == '\t' ? ' ' : c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    *at++ = '\n';
    for (size_t i = 0; i < e.caret; i++)
        if (!is_continuation(e.line[i])) /* a character of several bytes once */
            *at++ = ' ';
    return stpcpy(at, "^\n");
}

char *tl_reader_errors(struct tl_reader *r)
{
    size_t len = 1;
    char *out, *at;

    for (size_t i = 0; i < r->num_errors; i++)
        len += strlen(r->errors[i].text) + EXCERPT_ROOM;
    at = out = r->num_errors > 0 && !r->no_memory ? malloc(len) : NULL;
    for (size_t i = 0; i < r->num_errors; i++) {
        if (at != NULL)
            at = print_excerpt(stpcpy(at, r->errors[i].text), r, r->errors[i].at);
        free(r->errors[i].text);
    }
    return out;
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

void tl_reader_error_key(struct tl_reader *r, const struct tl_path *at, const char *format, ...)
{
    char where[160], what[ERROR_LEN];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)tl_path_print(at, where, sizeof where);
    add_error(r, tl_source_find_key(r->text, r->len, at), where, what);
}

void tl_reader_error_in(struct tl_reader *r, const struct tl_path *at, const char *line,
                        unsigned column, const char *what)
{
    struct tl_position pos = tl_source_find(r->text, r->len, at);
    const char *start = line_start(r, pos.line);
    size_t before = column > 0 ? column - 1 : 0; /* the part that is right */
    char where[160];

    (void)tl_path_print(at, where, sizeof where);
    /* Expressions and placeholders were replaced in the line, and a string may hold escapes:
     * only what is in the file, letter by letter, has its place there. */
    if (column > 0 && start != NULL &&
        (size_t)(r->text + r->len - start) > pos.column + before &&
        start[pos.column - 1] == '"' && strlen(line) >= before &&
        memcmp(start + pos.column, line, before) == 0)
        pos.column += column;
    add_error(r, pos, where, what);
}

void tl_reader_error_at(struct tl_reader *r, struct tl_position at, const char *where,
                        const char *format, ...)
{
    char what[ERROR_LEN];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    add_error(r, at, where, what);
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

const struct tl_position *tl_places_of(struct tl_reader *r, const struct tl_path *at,
                                       const char *where, size_t n)
{
    struct tl_places *places = r->places;
    size_t len = strlen(where) + 1;

    while (places != NULL &&
           (*where == 0 || places->count != n || strcmp(places->path, where) != 0))
        places = places->next;
    if (places != NULL)
        return places->at;
    places = malloc(sizeof *places + len);
    if (places == NULL)
        return NULL;
    places->at = calloc(n + 1, sizeof *places->at);
    if (places->at == NULL) {
        free(places);
        return NULL;
    }
    places->count = n;
    memcpy(places->path, where, len);
    (void)tl_source_elements(r->text, r->len, at, places->at, n);
    places->next = r->places;
    r->places = places;
    return places->at;
}

void tl_places_free(struct tl_places *places)
{
    while (places != NULL) {
        struct tl_places *next = places->next;

        free(places->at);
        free(places);
        places = next;
    }
}

void tl_reader_unknown(struct tl_reader *r, const struct tl_path *at, const char *key,
                       const char *const *keys, size_t n)
{
    struct tl_path here = {.up = at, .key = key};
    const char *near = fal_nearest(key, keys, n);
    char where[160], what[ERROR_LEN];
    int out = 0;

    if (near != NULL) {
        (void)snprintf(what, sizeof what, "no such member; did you mean \"%s\"?", near);
    } else {
        out = snprintf(what, sizeof what, "no such member; there are");
        for (size_t i = 0; i < n && out > 0 && (size_t)out < sizeof what; i++)
            out += snprintf(what + out, sizeof what - (size_t)out, "%s %s", i > 0 ? "," : "",
                            keys[i]);
    }
    (void)tl_path_print(&here, where, sizeof where);
    add_error(r, tl_source_find_key(r->text, r->len, &here), where, what);
}

void tl_members_list(json_t *value, struct tl_members *out)
{
    const char *key;
    json_t *item;
    size_t n = 0;

    out->object = value;
    out->count = json_object_size(value);
    if (out->count > TL_FEW)
        return;
    json_object_foreach(value, key, item)
    {
        out->keys[n] = key;
        out->values[n++] = item;
    }
}

json_t *tl_members_get(const struct tl_members *members, const char *key)
{
    if (members->count > TL_FEW)
        return json_object_get(members->object, key);
    for (size_t i = 0; i < members->count; i++)
        if (tl_same(members->keys[i], key))
            return members->values[i];
    return NULL;
}

void tl_read_object(struct tl_reader *r, const struct tl_path *at, json_t *object,
                    const struct tl_key *members, size_t n, void *ctx)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        struct tl_path here = {.up = at, .key = key};

        for (size_t i = 0; i < n; i++)
            if (tl_same(members[i].key, key))
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
    copy = fal_arena_strdup(&r->scenario->arena, json_string_value(value));
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
    int rc;

    if (!json_is_string(value)) {
        tl_reader_error(r, at, "expected a duration in a string: \"250us\", \"$rto * 2\"");
        return false;
    }
    rc = tl_duration_parse(json_string_value(value), &r->scenario->arena, &r->scenario->exprs,
                           out, &err);
    r->no_memory |= rc == FAL_ERR_MEM;
    if (rc != 0)
        tl_reader_error(r, at, "%s", err.text);
    return rc == 0;
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
    rc = tl_value_parse(json_string_value(value), words, &r->scenario->arena,
                        &r->scenario->exprs, out, &err);
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
    out->list = fal_arena_alloc(&r->scenario->arena, n, sizeof(void *));
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

    if (len == 0 || len >= FAL_VAR_MAX || isdigit((unsigned char)*name) || *name == '_')
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
    *list = fal_arena_alloc(&r->scenario->arena, json_object_size(value) + 1, sizeof **list);
    if (*list == NULL) {
        r->no_memory = true;
        return;
    }
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        struct tl_assignment *a = &(*list)[*count];

        if (!is_variable_name(key)) {
            tl_reader_error(
                r, &here,
                "no name for a variable: letters, digits and _, at most %d, a letter first",
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
