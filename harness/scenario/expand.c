/* SPDX-License-Identifier: Apache-2.0
 * expand.c - "${name}" in the strings of a scenario: parameters of cases and of
 * fragments, put in as text before anything is read. */
#include "harness/scenario/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *tl_expansion(json_t *value)
{
    char number[32];

    if (json_is_string(value))
        return json_incref(value);
    if (json_is_boolean(value))
        return json_string(json_is_true(value) ? "true" : "false");
    (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return json_string(number);
}

/* The name in "${name}" at `at`, and its text; NULL when the name is not known. */
static const char *text_at(const char *at, json_t *values, size_t *len)
{
    char name[FAL_VAR_MAX];
    size_t n = 0;

    if (at[0] != '$' || at[1] != '{')
        return NULL;
    while (at[2 + n] != 0 && at[2 + n] != '}' && n + 1 < sizeof name) {
        name[n] = at[2 + n];
        n++;
    }
    name[n] = 0;
    *len = n + 3;
    return at[2 + n] == '}' ? json_string_value(json_object_get(values, name)) : NULL;
}

/* A flag keeps its type where it is all there is. */
static json_t *whole(const char *text, json_t *values)
{
    size_t len = 0;
    const char *put = text_at(text, values, &len);

    if (put == NULL || text[len] != 0)
        return NULL;
    return strcmp(put, "true") == 0    ? json_true()
           : strcmp(put, "false") == 0 ? json_false()
                                       : NULL;
}

static json_t *expand_string(const char *text, json_t *values)
{
    json_t *flag = whole(text, values);
    char *out = NULL;
    size_t cap = 0, len;
    FILE *file = open_memstream(&out, &cap);
    json_t *made = NULL;

    if (file == NULL || flag != NULL) {
        if (file != NULL)
            (void)fclose(file);
        free(out);
        return flag;
    }
    while (*text != 0) {
        const char *put = text_at(text, values, &len);

        if (put != NULL) {
            (void)fputs(put, file);
            text += len;
        } else {
            (void)fputc(*text++, file);
        }
    }
    if (fclose(file) == 0)
        made = json_stringn(out, cap);
    free(out);
    return made;
}

static json_t *expand(json_t *value, json_t *values, bool *no_memory);

/* The list or object, with this element or member (taken) in it: a copy, unless `out` is one
 * already. */
static json_t *put(json_t *value, json_t *out, const char *key, size_t index, json_t *item)
{
    out = out != NULL ? out : json_copy(value);
    if (out != NULL && (key != NULL ? json_object_set_new(out, key, item)
                                    : json_array_set_new(out, index, item)) == 0)
        return out;
    json_decref(out);
    return NULL;
}

/* The elements or members with their parameters; NULL: there are none in them. */
static json_t *expand_items(json_t *value, json_t *values, bool *no_memory)
{
    json_t *out = NULL, *item, *made;
    const char *key;
    size_t i;

    json_array_foreach(value, i, item)
    {
        made = *no_memory ? NULL : expand(item, values, no_memory);
        if (made != NULL)
            *no_memory |= (out = put(value, out, NULL, i, made)) == NULL;
    }
    json_object_foreach(value, key, item)
    {
        made = *no_memory ? NULL : expand(item, values, no_memory);
        if (made != NULL)
            *no_memory |= (out = put(value, out, key, 0, made)) == NULL;
    }
    return out;
}

/* A new value; NULL: no string in it mentions a parameter, so it stays as it is. */
static json_t *expand(json_t *value, json_t *values, bool *no_memory)
{
    json_t *out;

    if (!json_is_string(value))
        return expand_items(value, values, no_memory);
    if (strstr(json_string_value(value), "${") == NULL)
        return NULL;
    out = expand_string(json_string_value(value), values);
    *no_memory |= out == NULL;
    return out;
}

json_t *tl_expand_document(json_t *value, json_t *values)
{
    bool no_memory = false;
    json_t *out = expand(value, values, &no_memory);

    if (!no_memory)
        return out != NULL ? out : json_incref(value);
    json_decref(out);
    return NULL;
}
