/* SPDX-License-Identifier: Apache-2.0
 * shape_read.c - checks a JSON value against its table and puts it into a C struct. The value
 * is hostile: each error says where it is and what was expected. */
#include "codecs/json/shape.h"

#include "codecs/base/nearest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 80 };

struct reader {
    struct fal_misfit *wrong;
    bool keep;
};

static int read_value(struct reader *r, const struct fal_shape *shape, const json_t *value,
                      void *out, size_t size);

/* ---- what a shape expects, in words ---- */

static void print_words(const struct fal_shape *shape, char *out, size_t cap)
{
    size_t len = 0;

    for (size_t i = 0; i < shape->num_words && len < cap; i++)
        len += (size_t)snprintf(out + len, cap - len, "%s%s",
                                i == 0                     ? ""
                                : i + 1 < shape->num_words ? ", "
                                                           : " or ",
                                shape->words[i]);
}

static uint64_t uint_max(const struct fal_shape *shape, size_t size)
{
    uint64_t held = size == 0 || size >= 8 ? INT64_MAX : (UINT64_C(1) << 8 * size) - 1;

    return shape->max > 0 && (uint64_t)shape->max < held ? (uint64_t)shape->max : held;
}

static void print_expected(const struct fal_shape *shape, size_t size, char *out, size_t cap)
{
    const char *plain = "";

    switch (shape->kind) {
    case FAL_SHAPE_ANY: plain = "a value"; break;
    case FAL_SHAPE_CONST: (void)snprintf(out, cap, "\"%s\"", shape->words[0]); return;
    case FAL_SHAPE_TEXT: plain = shape->min > 0 ? "a text that is not empty" : "a text"; break;
    case FAL_SHAPE_NAME:
        (void)snprintf(out, cap, "a text of at most %zu bytes", size > 0 ? size - 1 : 0);
        return;
    case FAL_SHAPE_FLAG: plain = "true or false"; break;
    case FAL_SHAPE_YES: plain = "true"; break;
    case FAL_SHAPE_UINT:
        (void)snprintf(out, cap, "a whole number from %" PRId64 " to %" PRIu64, shape->min,
                       uint_max(shape, size));
        return;
    case FAL_SHAPE_INT:
        (void)snprintf(out, cap, "a whole number from %" PRId64 " to %" PRId64, shape->min,
                       shape->max);
        return;
    case FAL_SHAPE_WIDE: plain = "a whole number, \"0x\" and up to 16 digits, or never"; break;
    case FAL_SHAPE_HEX: plain = "a whole number or \"0x\" and up to 16 digits"; break;
    case FAL_SHAPE_REAL: plain = "a number"; break;
    case FAL_SHAPE_WORD: print_words(shape, out, cap); return;
    case FAL_SHAPE_OBJECT:
    case FAL_SHAPE_MAP: plain = "an object"; break;
    case FAL_SHAPE_LIST: plain = "an array"; break;
    case FAL_SHAPE_ANY_OF: plain = "another value"; break;
    }
    (void)snprintf(out, cap, "%s", plain);
}

/* "expected a text", or "missing; expected a text". */
static int unexpected(struct reader *r, const struct fal_shape *shape, size_t size,
                      const char *before)
{
    char text[240];

    if (shape->expected != NULL)
        return fal_misfit_say(r->wrong, "%sexpected %s", before, shape->expected);
    print_expected(shape, size, text, sizeof text);
    return fal_misfit_say(r->wrong, "%sexpected %s", before, text);
}

/* The same for a value that a short message can repeat. */
static int unexpected_value(struct reader *r, const struct fal_shape *shape, size_t size,
                            const json_t *value)
{
    char *text = r->wrong->text;
    size_t cap = sizeof r->wrong->text, len;

    (void)unexpected(r, shape, size, "");
    len = strlen(text);
    if (json_is_string(value))
        (void)snprintf(text + len, cap - len, ", found '%.40s'", json_string_value(value));
    else if (json_is_integer(value))
        (void)snprintf(text + len, cap - len, ", found %" JSON_INTEGER_FORMAT,
                       json_integer_value(value));
    return FAL_ERR_FORM;
}

/* ---- plain values ---- */

static void put_number(void *out, size_t size, uint64_t value)
{
    uint8_t u8 = (uint8_t)value;
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;

    switch (size) {
    case 1: memcpy(out, &u8, 1); break;
    case 2: memcpy(out, &u16, 2); break;
    case 4: memcpy(out, &u32, 4); break;
    case 8: memcpy(out, &value, 8); break;
    default: break;
    }
}

static bool number_in_text(const char *text, bool or_never, uint64_t *out)
{
    char *end;

    if (or_never && strcmp(text, "never") == 0) {
        *out = UINT64_MAX;
        return true;
    }
    if (strncmp(text, "0x", 2) != 0 || strlen(text) < 3 || strlen(text) > 18 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
        return false;
    *out = strtoull(text, &end, 16);
    return *end == 0;
}

/* Kept in 8 bytes, wherever it stands. */
static bool is_wide(const struct fal_shape *shape)
{
    return shape->kind == FAL_SHAPE_WIDE || shape->kind == FAL_SHAPE_HEX;
}

static int read_number(struct reader *r, const struct fal_shape *shape, const json_t *value,
                       void *out, size_t size)
{
    json_int_t given = json_integer_value(value);
    uint64_t number = (uint64_t)given;
    bool good = json_is_integer(value);

    if (shape->kind == FAL_SHAPE_INT)
        good =
            good && (shape->min == shape->max || (given >= shape->min && given <= shape->max));
    else if (shape->kind == FAL_SHAPE_UINT)
        good = good && given >= 0 && given >= shape->min && number <= uint_max(shape, size);
    else if (json_is_string(value))
        good = number_in_text(json_string_value(value), shape->kind == FAL_SHAPE_WIDE, &number);
    else
        good = good && given >= 0;
    if (!good)
        return unexpected_value(r, shape, size, value);
    if (out != NULL)
        put_number(out, is_wide(shape) ? sizeof number : size, number);
    return 0;
}

static int read_text(struct reader *r, const struct fal_shape *shape, const json_t *value,
                     void *out, size_t size)
{
    const char *text = json_string_value(value);
    size_t len = text != NULL ? strlen(text) : 0;

    if (text == NULL || len < (size_t)shape->min)
        return unexpected(r, shape, size, "");
    if (shape->max > 0 && len > (size_t)shape->max)
        return fal_misfit_say(r->wrong, "longer than %" PRId64 " bytes", shape->max);
    if (shape->kind == FAL_SHAPE_NAME && size > 0 && len >= size)
        return unexpected(r, shape, size, "");
    if (out != NULL && shape->kind == FAL_SHAPE_NAME)
        memcpy(out, text, len + 1);
    else if (out != NULL)
        memcpy(out, &text, sizeof text);
    return 0;
}

static int read_word(struct reader *r, const struct fal_shape *shape, const json_t *value,
                     void *out, size_t size)
{
    const char *text = json_string_value(value);

    for (size_t i = 0; text != NULL && i < shape->num_words; i++) {
        if (strcmp(shape->words[i], text) != 0)
            continue;
        if (out != NULL)
            put_number(out, size, i + (uint64_t)shape->min);
        return 0;
    }
    return unexpected_value(r, shape, size, value);
}

/* ---- objects ---- */

static int unknown_member(struct reader *r, const struct fal_shape *shape, const char *key)
{
    const char *keys[KEYS_MAX], *near;
    size_t n = 0;

    for (; n < shape->num_members && n < KEYS_MAX; n++)
        keys[n] = shape->members[n].key;
    near = fal_nearest(key, keys, n);
    r->wrong->at_key = true;
    return fal_misfit_say(r->wrong, "unknown%s", fal_hint(near, "").text);
}

static const struct fal_member *member_of(const struct fal_shape *shape, const char *key)
{
    for (size_t i = 0; i < shape->num_members; i++)
        if (strcmp(shape->members[i].key, key) == 0)
            return &shape->members[i];
    return NULL;
}

static int check_keys(struct reader *r, const struct fal_shape *shape, const json_t *value)
{
    json_t *object = (json_t *)value; /* the iterator of Jansson takes no const */
    const char *key;
    json_t *item;

    if (shape->skips_unknown)
        return 0;
    json_object_foreach(object, key, item)
    {
        if (member_of(shape, key) != NULL)
            continue;
        r->wrong->way[r->wrong->depth - 1].key = key;
        return unknown_member(r, shape, key);
    }
    return 0;
}

/* Gives a member that is absent its initial value. */
static void put_initial(const struct fal_member *m, void *base)
{
    void *to = (char *)base + m->at;

    if (m->has != 0)
        memset((char *)base + m->has, 0, sizeof(bool));
    if (m->shape->keeps_json)
        memset(to, 0, sizeof(const json_t *));
    if (m->shape->read != NULL || m->shape->keeps_json)
        return; /* its owner knows the initial value */
    if ((m->flags & FAL_INLINE) != 0) {
        for (size_t i = 0; i < m->shape->num_members; i++)
            if (m->shape->members[i].size > 0)
                put_initial(&m->shape->members[i], base);
        return;
    }
    switch (m->shape->kind) {
    case FAL_SHAPE_FLAG:
    case FAL_SHAPE_YES:
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_INT:
    case FAL_SHAPE_WIDE:
    case FAL_SHAPE_HEX:
    case FAL_SHAPE_WORD: put_number(to, m->size, m->initial); break;
    case FAL_SHAPE_ANY_OF:
    case FAL_SHAPE_ANY:
    case FAL_SHAPE_CONST:
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME:
    case FAL_SHAPE_REAL:
    case FAL_SHAPE_OBJECT:
    case FAL_SHAPE_MAP:
    case FAL_SHAPE_LIST: memset(to, 0, m->size); break;
    }
    if (m->count != 0)
        memset((char *)base + m->count, 0, sizeof(size_t));
}

static int read_list(struct reader *r, const struct fal_shape *shape, const json_t *value,
                     void *items_out, void *count_out);

static int read_member(struct reader *r, const struct fal_shape *of, const struct fal_member *m,
                       const json_t *object, void *base)
{
    const json_t *value = json_object_get(object, m->key);
    bool in_base = (m->flags & FAL_INLINE) != 0;
    void *to = base == NULL || (m->size == 0 && !in_base) ? NULL : (char *)base + m->at;
    bool null_ok = of->null_is_absent || (m->flags & FAL_NULL) != 0, yes = true;
    bool there = value != NULL && !(null_ok && json_is_null(value));
    int rc;

    if ((m->flags & FAL_FLAT) != 0)
        return 0;
    r->wrong->way[r->wrong->depth - 1].key = m->key;
    if (!there && to != NULL && !r->keep)
        put_initial(m, base);
    if (!there && value != NULL && (m->flags & FAL_NULL) != 0)
        return 0;
    if (!there)
        return (m->flags & FAL_MUST) != 0 ? unexpected(r, m->shape, m->size, "missing; ") : 0;
    if (m->shape->kind == FAL_SHAPE_LIST && m->shape->item_size > 0)
        rc = read_list(r, m->shape, value, to,
                       to != NULL && m->count != 0 ? (char *)base + m->count : NULL);
    else
        rc = read_value(r, m->shape, value, m->shape->keeps_json ? NULL : to, m->size);
    if (rc == 0 && to != NULL && m->shape->keeps_json)
        memcpy(to, &value, sizeof value);
    if (rc == 0 && base != NULL && m->has != 0)
        memcpy((char *)base + m->has, &yes, sizeof yes);
    return rc;
}

/* One step further down the way; the caller leaves it with the depth that it had. */
static int go_down(struct reader *r)
{
    if (r->wrong->depth == FAL_SHAPE_DEPTH)
        return fal_misfit_say(r->wrong, "nested too deeply");
    r->wrong->way[r->wrong->depth].key = NULL;
    r->wrong->way[r->wrong->depth++].index = 0;
    return 0;
}

static int read_object(struct reader *r, const struct fal_shape *shape, const json_t *value,
                       void *out)
{
    int rc;

    if (!json_is_object(value))
        return unexpected(r, shape, 0, "");
    rc = go_down(r);
    if (rc == 0)
        rc = check_keys(r, shape, value);
    for (size_t i = 0; rc == 0 && i < shape->num_members; i++)
        rc = read_member(r, shape, &shape->members[i], value, out);
    if (rc == 0)
        r->wrong->depth--;
    return rc;
}

static int read_map(struct reader *r, const struct fal_shape *shape, const json_t *value)
{
    json_t *object = (json_t *)value, *item;
    const char *key;
    int rc;

    if (!json_is_object(value))
        return unexpected(r, shape, 0, "");
    rc = go_down(r);
    if (rc != 0)
        return rc;
    json_object_foreach(object, key, item)
    {
        r->wrong->way[r->wrong->depth - 1].key = key;
        rc = read_value(r, shape->of[0], item, NULL, 0);
        if (rc != 0)
            return rc;
    }
    r->wrong->depth--;
    return 0;
}

static int read_list(struct reader *r, const struct fal_shape *shape, const json_t *value,
                     void *items_out, void *count_out)
{
    size_t n = json_array_size(value), size = items_out != NULL ? shape->item_size : 0;
    char *items = NULL;
    int rc;

    assert(size == 0 || count_out != NULL);
    if (!json_is_array(value))
        return unexpected(r, shape, 0, "");
    if (n < (size_t)shape->min)
        return fal_misfit_say(r->wrong, "expected at least %" PRId64 " element%s", shape->min,
                              shape->min == 1 ? "" : "s");
    if (shape->max > 0 && n > (size_t)shape->max)
        return fal_misfit_say(r->wrong, "expected at most %" PRId64 " elements, found %zu",
                              shape->max, n);
    if (size > 0 && shape->in_place) {
        items = items_out;
    } else if (size > 0) {
        items = calloc(n + 1, size);
        if (items == NULL) {
            (void)fal_misfit_say(r->wrong, "out of memory");
            return FAL_ERR_MEM;
        }
        memcpy(items_out, &items, sizeof items);
    }
    if (size > 0)
        memcpy(count_out, &n, sizeof n);
    rc = go_down(r);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        r->wrong->way[r->wrong->depth - 1].key = NULL;
        r->wrong->way[r->wrong->depth - 1].index = i;
        rc = read_value(r, shape->of[0], json_array_get(value, i),
                        items != NULL ? items + i * size : NULL, size);
    }
    if (rc == 0)
        r->wrong->depth--;
    return rc;
}

/* ---- alternatives ---- */

/* Whether an object is meant for this table: the members that have one word say so. */
static bool says_its_words(const struct fal_shape *shape, const json_t *value)
{
    for (size_t i = 0; i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];
        const char *text = json_string_value(json_object_get(value, m->key));

        if (m->shape->kind == FAL_SHAPE_CONST && (m->flags & FAL_MUST) != 0 &&
            (text == NULL || strcmp(text, m->shape->words[0]) != 0))
            return false;
    }
    return true;
}

static bool is_meant(const struct fal_shape *shape, const json_t *value)
{
    switch (shape->kind) {
    case FAL_SHAPE_ANY: return true;
    case FAL_SHAPE_CONST:
        return json_is_string(value) && strcmp(json_string_value(value), shape->words[0]) == 0;
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME:
    case FAL_SHAPE_WORD: return json_is_string(value);
    case FAL_SHAPE_FLAG: return json_is_boolean(value);
    case FAL_SHAPE_YES: return json_is_true(value);
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_INT: return json_is_integer(value);
    case FAL_SHAPE_REAL: return json_is_number(value);
    case FAL_SHAPE_WIDE:
    case FAL_SHAPE_HEX: return json_is_integer(value) || json_is_string(value);
    case FAL_SHAPE_OBJECT: return json_is_object(value) && says_its_words(shape, value);
    case FAL_SHAPE_MAP: return json_is_object(value);
    case FAL_SHAPE_LIST: return json_is_array(value);
    case FAL_SHAPE_ANY_OF:
        for (size_t i = 0; shape->of[i] != NULL; i++)
            if (is_meant(shape->of[i], value))
                return true;
    }
    return false;
}

static int read_any_of(struct reader *r, const struct fal_shape *shape, const json_t *value,
                       void *out, size_t size)
{
    for (size_t i = 0; shape->of[i] != NULL; i++)
        if (is_meant(shape->of[i], value))
            return read_value(r, shape->of[i], value, out, size);
    return unexpected(r, shape, size, "");
}

static int read_value(struct reader *r, const struct fal_shape *shape, const json_t *value,
                      void *out, size_t size)
{
    bool yes = json_is_true(value);
    double real = json_number_value(value);

    if (shape->read != NULL)
        return shape->read(value, out, r->wrong);
    switch (shape->kind) {
    case FAL_SHAPE_ANY: return 0;
    case FAL_SHAPE_CONST:
        return is_meant(shape, value) ? 0 : unexpected_value(r, shape, size, value);
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME: return read_text(r, shape, value, out, size);
    case FAL_SHAPE_FLAG:
    case FAL_SHAPE_YES:
        if (!is_meant(shape, value))
            return unexpected(r, shape, size, "");
        if (out != NULL)
            memcpy(out, &yes, sizeof yes);
        return 0;
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_INT:
    case FAL_SHAPE_WIDE:
    case FAL_SHAPE_HEX: return read_number(r, shape, value, out, size);
    case FAL_SHAPE_REAL:
        if (!json_is_number(value))
            return unexpected(r, shape, size, "");
        if (out != NULL)
            memcpy(out, &real, sizeof real);
        return 0;
    case FAL_SHAPE_WORD: return read_word(r, shape, value, out, size);
    case FAL_SHAPE_OBJECT: return read_object(r, shape, value, out);
    case FAL_SHAPE_LIST: return read_list(r, shape, value, NULL, NULL);
    case FAL_SHAPE_MAP: return read_map(r, shape, value);
    case FAL_SHAPE_ANY_OF: return read_any_of(r, shape, value, out, size);
    }
    return 0;
}

int fal_shape_read(const struct fal_shape *shape, const json_t *value, void *out, bool keep,
                   struct fal_misfit *wrong)
{
    struct reader r = {.wrong = wrong, .keep = keep};

    wrong->depth = 0;
    wrong->at_key = false;
    wrong->text[0] = 0;
    return read_value(&r, shape, value, out, 0);
}
