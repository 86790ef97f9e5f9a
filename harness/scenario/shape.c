/* SPDX-License-Identifier: Apache-2.0
 * shape.c - holds a JSON value against its type (types.h): everything that is
 * wrong with its structure, not only the first thing. */
#include "harness/scenario/reader.h"
#include "harness/scenario/types.h"

#include "codecs/base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 80 };

static bool wrong(struct tl_reader *r, const struct tl_path *at, const struct tl_type *type)
{
    tl_reader_error(r, at, "expected %s", type->expected);
    return false;
}

/* "${op}", which is not known here. */
static bool is_placeholder(const struct tl_reader *r, json_t *value)
{
    const char *at = json_is_string(value) ? strstr(json_string_value(value), "${") : NULL;

    return r->as_written && at != NULL && isalpha((unsigned char)at[2]);
}

static bool check_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       const struct tl_type *type)
{
    size_t n = 0;

    while (type->words[n] != NULL)
        n++;
    if (n == 1) { /* no choice */
        const char *text = json_string_value(value);

        if (text == NULL || strcmp(text, type->words[0]) != 0)
            tl_reader_error(r, at, "expected \"%s\"", type->words[0]);
        return text != NULL && strcmp(text, type->words[0]) == 0;
    }
    return is_placeholder(r, value) || tl_read_word(r, at, value, type->words, n) >= 0;
}

static void unknown_key(struct tl_reader *r, const struct tl_path *at, const char *key,
                        const struct tl_type *type)
{
    const char *keys[KEYS_MAX];
    size_t n = 0;

    for (; n < type->num_members && n < KEYS_MAX; n++)
        keys[n] = type->members[n].key;
    tl_reader_unknown(r, at, key, keys, n);
}

/* `members`: those of `value`, which is an object. */
static bool check_members(struct tl_reader *r, const struct tl_path *at,
                          const struct tl_members *members, const struct tl_type *type)
{
    const char *key;
    json_t *item;
    bool ok = true;

    for (size_t i = 0; i < type->num_members; i++)
        if (type->members[i].required &&
            tl_members_get(members, type->members[i].key) == NULL) {
            tl_reader_error(r, at, "\"%s\" is missing", type->members[i].key);
            ok = false;
        }
    json_object_foreach(members->object, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        size_t i = 0;

        while (i < type->num_members && !tl_same(type->members[i].key, key))
            i++;
        if (i == type->num_members) {
            unknown_key(r, at, key, type);
            ok = false;
        } else {
            ok &= tl_shape_check(r, &here, item, type->members[i].type);
        }
    }
    return ok;
}

static bool check_object(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type)
{
    struct tl_members members;

    if (!json_is_object(value)) {
        tl_reader_error(r, at, "not an object; expected %s", type->expected);
        return false;
    }
    tl_members_list(value, &members);
    return check_members(r, at, &members, type);
}

static bool check_list(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       const struct tl_type *type)
{
    size_t n = json_array_size(value), i;
    json_t *item;
    bool ok = true;

    if (!json_is_array(value) || n < (size_t)type->min ||
        (type->max > 0 && n > (size_t)type->max))
        return wrong(r, at, type);
    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};

        ok &= tl_shape_check(r, &here, item, type->of[0]);
    }
    return ok;
}

static bool check_map(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      const struct tl_type *type)
{
    const char *key;
    json_t *item;
    bool ok = true;

    if (!json_is_object(value))
        return wrong(r, at, type);
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};

        ok &= tl_shape_check(r, &here, item, type->of[0]);
    }
    return ok;
}

/* Parameters are a table of their own. */
static bool check_params(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type)
{
    const char *key;
    json_t *item;
    bool ok = true;

    if (!json_is_object(value))
        return wrong(r, at, type);
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};
        const struct fal_param *param = fal_param_find(key);
        const char *due = NULL;

        if (param == NULL || strcmp(param->name, key) != 0) {
            tl_unknown_param(r, &here, key);
            ok = false;
            continue;
        }
        switch (param->kind) {
        case FAL_PARAM_SWITCH:
            if (!json_is_boolean(item) && !is_placeholder(r, item))
                due = "true or false";
            break;
        case FAL_PARAM_NUMBER:
            if (json_string_length(item) == 0 &&
                (!json_is_integer(item) || json_integer_value(item) < 0 ||
                 json_integer_value(item) > UINT32_MAX))
                due = "a number of 32 bits, or an expression";
            break;
        case FAL_PARAM_DURATION:
            if (json_string_length(item) == 0)
                due = "a duration in a string: \"250us\", \"$rto * 2\"";
            break;
        }
        if (due != NULL) {
            tl_reader_error(r, &here, "expected %s", due);
            ok = false;
        }
    }
    return ok;
}

static bool check_fields(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type)
{
    const char *key;
    json_t *item;
    bool ok = true;

    if (!json_is_object(value))
        return wrong(r, at, type);
    if (!json_is_string(json_object_get(value, "packet_type"))) {
        tl_reader_error(r, at,
                        "expected \"packet_type\": the packet's type, or \"packet\" for any");
        ok = false;
    }
    json_object_foreach(value, key, item)
    {
        struct tl_path here = {.up = at, .key = key};

        if (json_is_integer(item) || json_is_boolean(item) || json_is_string(item))
            continue;
        tl_reader_error(r, &here, "expected a number, true, false or a value in a string");
        ok = false;
    }
    return ok;
}

/* Whether the value is meant for this alternative; then it is checked against this one alone.
 * `members`: those of the value. */
static bool is_meant(const struct tl_type *type, json_t *value,
                     const struct tl_members *members)
{
    const json_t *selected;

    switch (type->shape) {
    case TL_SHAPE_TEXT:
    case TL_SHAPE_WORD:
    case TL_SHAPE_DURATION: return json_is_string(value);
    case TL_SHAPE_FLAG: return json_is_boolean(value);
    case TL_SHAPE_INTEGER: return json_is_integer(value);
    case TL_SHAPE_NUMBER:
    case TL_SHAPE_DECIMAL:
    case TL_SHAPE_VALUE: return !json_is_object(value) && !json_is_array(value);
    case TL_SHAPE_LIST: return json_is_array(value);
    case TL_SHAPE_MAP:
    case TL_SHAPE_PARAMS:
    case TL_SHAPE_FIELDS: return json_is_object(value);
    case TL_SHAPE_OBJECT:
        if (type->select == NULL)
            return json_is_object(value);
        selected = tl_members_get(members, type->select);
        return selected != NULL &&
               (type->select_word == NULL ||
                (json_is_string(selected) &&
                 strcmp(json_string_value(selected), type->select_word) == 0));
    case TL_SHAPE_ANY_OF:
        for (size_t i = 0; type->of[i] != NULL; i++)
            if (is_meant(type->of[i], value, members))
                return true;
        return false;
    }
    return false;
}

/* No alternative's word or key is present: reports the nearest key, or the possible ones. */
static bool none_meant(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       const struct tl_type *type)
{
    const char *keys[KEYS_MAX], *key, *near = NULL, *select = NULL;
    bool by_word = false;
    size_t n = 0;
    json_t *item;

    for (size_t i = 0; type->of[i] != NULL && n < KEYS_MAX; i++) {
        if (type->of[i]->shape != TL_SHAPE_OBJECT || type->of[i]->select == NULL)
            continue;
        by_word |= type->of[i]->select_word != NULL;
        select = type->of[i]->select;
        keys[n++] = by_word ? type->of[i]->select_word : select;
    }
    if (!json_is_object(value) || n == 0)
        return wrong(r, at, type);
    if (by_word && json_object_get(value, select) != NULL) {
        struct tl_path here = {.up = at, .key = select};

        return tl_read_word(r, &here, json_object_get(value, select), keys, n) >= 0;
    }
    json_object_foreach(value, key, item)
    {
        near = by_word ? NULL : fal_nearest(key, keys, n);
        if (near != NULL) {
            struct tl_path here = {.up = at, .key = key};

            tl_reader_error_key(r, &here, "no such verb; did you mean \"%s\"?", near);
            return false;
        }
    }
    if (type == &tl_type_step) {
        char list[300] = "";
        size_t len = 0;

        for (size_t i = 0; i < n && len < sizeof list; i++)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "",
                                    keys[i]);
        tl_reader_error(r, at, "a step without a verb; expected one of %s", list);
        return false;
    }
    return wrong(r, at, type);
}

/* A step has one verb; a note may stand beside another. */
static bool has_two_verbs(struct tl_reader *r, const struct tl_path *at,
                          const struct tl_members *members)
{
    const char *first = NULL;

    for (size_t i = 0; tl_type_step.of[i] != NULL; i++) {
        const char *verb = tl_type_step.of[i]->select;

        if (verb == NULL || tl_members_get(members, verb) == NULL || strcmp(verb, "note") == 0)
            continue;
        if (first != NULL) {
            tl_reader_error(r, at, "two verbs, %s and %s; a step has one", first, verb);
            return true;
        }
        first = verb;
    }
    return false;
}

static bool check_any_of(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type)
{
    struct tl_members members;

    tl_members_list(value, &members);
    if (type == &tl_type_step && json_is_object(value) && has_two_verbs(r, at, &members))
        return false;
    for (size_t i = 0; type->of[i] != NULL; i++) {
        if (!is_meant(type->of[i], value, &members))
            continue;
        return type->of[i]->shape == TL_SHAPE_OBJECT
                   ? check_members(r, at, &members, type->of[i])
                   : tl_shape_check(r, at, value, type->of[i]);
    }
    return none_meant(r, at, value, type);
}

bool tl_shape_check(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    const struct tl_type *type)
{
    bool is_text = json_string_length(value) > 0;
    bool is_number = json_is_integer(value) && json_integer_value(value) >= 0;

    switch (type->shape) {
    case TL_SHAPE_TEXT:
    case TL_SHAPE_DURATION: return is_text || wrong(r, at, type);
    case TL_SHAPE_FLAG:
        return json_is_boolean(value) || is_placeholder(r, value) || wrong(r, at, type);
    case TL_SHAPE_INTEGER:
        return (json_is_integer(value) && json_integer_value(value) >= type->min &&
                json_integer_value(value) <= type->max) ||
               wrong(r, at, type);
    case TL_SHAPE_NUMBER: return is_text || is_number || wrong(r, at, type);
    case TL_SHAPE_DECIMAL: return is_text || json_is_number(value) || wrong(r, at, type);
    case TL_SHAPE_VALUE:
        return is_text || is_number || json_is_boolean(value) || wrong(r, at, type);
    case TL_SHAPE_WORD: return check_word(r, at, value, type);
    case TL_SHAPE_OBJECT: return check_object(r, at, value, type);
    case TL_SHAPE_LIST: return check_list(r, at, value, type);
    case TL_SHAPE_MAP: return check_map(r, at, value, type);
    case TL_SHAPE_PARAMS: return check_params(r, at, value, type);
    case TL_SHAPE_FIELDS: return check_fields(r, at, value, type);
    case TL_SHAPE_ANY_OF: return check_any_of(r, at, value, type);
    }
    return false;
}

bool tl_shape_check_once(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type)
{
    struct tl_sound *sound = &r->sound[(uintptr_t)value / 16 % TL_SOUND];

    if (sound->value == value && sound->type == type)
        return true;
    if (!tl_shape_check(r, at, value, type))
        return false;
    if (json_object_size(r->cases) == 0 || r->as_written)
        return true;
    json_decref(sound->value);
    *sound = (struct tl_sound){.value = json_incref(value), .type = type};
    return true;
}

void tl_shape_forget(struct tl_reader *r)
{
    for (size_t i = 0; i < TL_SOUND; i++) {
        json_decref(r->sound[i].value);
        r->sound[i] = (struct tl_sound){.value = NULL};
    }
}
