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

json_t *tl_expand_document(json_t *value, json_t *values)
{
    json_t *out, *item;
    const char *key;
    size_t i;
    bool ok = true;

    if (json_is_string(value))
        return strstr(json_string_value(value), "${") != NULL
                   ? expand_string(json_string_value(value), values)
                   : json_incref(value);
    if (json_is_array(value)) {
        out = json_array();
        json_array_foreach(value, i, item) ok &=
            json_array_append_new(out, tl_expand_document(item, values)) == 0;
    } else if (json_is_object(value)) {
        out = json_object();
        json_object_foreach(value, key, item) ok &=
            json_object_set_new(out, key, tl_expand_document(item, values)) == 0;
    } else {
        return json_incref(value);
    }
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}
