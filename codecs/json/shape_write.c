/* SPDX-License-Identifier: Apache-2.0
 * shape_write.c - a C struct to JSON by its table. Members at their initial value are left out,
 * except those that the table says are always written. */
#include "codecs/json/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_value(const struct fal_shape *shape, const void *in, size_t size,
                       json_t **out);

static uint64_t get_number(const void *in, size_t size)
{
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    uint64_t u64 = 0;

    switch (size) {
    case 1: memcpy(&u8, in, 1); return u8;
    case 2: memcpy(&u16, in, 2); return u16;
    case 4: memcpy(&u32, in, 4); return u32;
    case 8: memcpy(&u64, in, 8); return u64;
    default: return 0;
    }
}

static int64_t get_signed(const void *in, size_t size)
{
    int32_t i32;
    int64_t i64;

    if (size == 4) {
        memcpy(&i32, in, sizeof i32);
        return i32;
    }
    memcpy(&i64, in, sizeof i64);
    return i64;
}

static const char *get_text(const struct fal_shape *shape, const void *in)
{
    const char *text;

    if (shape->kind == FAL_SHAPE_NAME)
        return in;
    memcpy(&text, in, sizeof text);
    return text;
}

static bool get_flag(const void *in)
{
    bool flag;

    memcpy(&flag, in, sizeof flag);
    return flag;
}

/* Text that is not UTF-8 (a file name may be anything) is written with '?' for the other bytes.
 */
static json_t *any_text(const char *text)
{
    json_t *value = json_string(text);
    char *clean;

    if (value != NULL || (clean = strdup(text)) == NULL)
        return value;
    for (char *c = clean; *c != 0; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(clean);
    free(clean);
    return value;
}

static json_t *hex(uint64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%016" PRIx64, number);
    return json_string(text);
}

static json_t *wide(uint64_t number)
{
    if (number == UINT64_MAX)
        return json_string("never");
    return number > INT64_MAX ? hex(number) : json_integer((json_int_t)number);
}

/* Whether the member has the value that the reader would give it if it were absent. */
static bool is_initial(const struct fal_member *m, const void *base)
{
    const void *at = (const char *)base + m->at;
    size_t n;

    switch (m->shape->kind) {
    case FAL_SHAPE_TEXT: return get_text(m->shape, at) == NULL;
    case FAL_SHAPE_NAME: return *(const char *)at == 0;
    case FAL_SHAPE_FLAG: return get_flag(at) == (m->initial != 0);
    case FAL_SHAPE_YES: return !get_flag(at);
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_WIDE:
    case FAL_SHAPE_HEX:
    case FAL_SHAPE_WORD: return get_number(at, m->size) == m->initial;
    case FAL_SHAPE_INT: return get_signed(at, m->size) == (int64_t)m->initial;
    case FAL_SHAPE_LIST: memcpy(&n, (const char *)base + m->count, sizeof n); return n == 0;
    case FAL_SHAPE_ANY:
    case FAL_SHAPE_CONST:
    case FAL_SHAPE_REAL:
    case FAL_SHAPE_OBJECT:
    case FAL_SHAPE_MAP:
    case FAL_SHAPE_ANY_OF: break;
    }
    return false;
}

/* The same of an object whose members lie in the struct itself. */
static bool all_initial(const struct fal_member *m, const void *base)
{
    for (size_t i = 0; i < m->shape->num_members; i++)
        if (!is_initial(&m->shape->members[i], base))
            return false;
    return true;
}

static json_t *write_list(const struct fal_member *m, const void *base)
{
    const struct fal_shape *shape = m->shape;
    json_t *list = json_array();
    const char *items;
    size_t n;

    if (shape->in_place)
        items = (const char *)base + m->at;
    else
        memcpy(&items, (const char *)base + m->at, sizeof items);
    memcpy(&n, (const char *)base + m->count, sizeof n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        json_t *item = NULL;

        if (write_value(shape->of[0], items + i * shape->item_size, shape->item_size, &item) !=
                0 ||
            json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* Sets *out to NULL for a member that is left out. */
static int write_member(const struct fal_member *m, const void *base, json_t **out)
{
    const void *at = (const char *)base + m->at;
    const struct fal_shape *shape = m->shape;
    bool is_text = shape->kind == FAL_SHAPE_TEXT;
    json_t *kept;

    *out = NULL;
    if ((m->flags & FAL_FLAT) != 0)
        return 0;
    if (shape->kind == FAL_SHAPE_CONST) {
        *out = json_string(shape->words[0]);
        return *out != NULL ? 0 : FAL_ERR_MEM;
    }
    if ((m->flags & FAL_INLINE) != 0 && (m->flags & (FAL_ALWAYS | FAL_MUST)) == 0 &&
        all_initial(m, base))
        return 0;
    if ((m->flags & FAL_INLINE) != 0)
        return write_value(shape, base, 0, out);
    if (m->size == 0 || (m->has != 0 && !get_flag((const char *)base + m->has)))
        return 0;
    if (shape->kind == FAL_SHAPE_HEX && (m->flags & (FAL_ALWAYS | FAL_MUST)) == 0 &&
        m->has == 0 && is_initial(m, base))
        return 0;
    if (shape->write != NULL)
        return shape->write(at, out);
    if (shape->keeps_json) {
        memcpy(&kept, at, sizeof kept);
        *out = json_incref(kept);
        return 0;
    }
    if (is_text && get_text(shape, at) == NULL) {
        *out = (m->flags & FAL_ALWAYS) != 0 && (m->flags & FAL_NULL) != 0 ? json_null() : NULL;
        return 0;
    }
    if ((m->flags & (FAL_ALWAYS | FAL_MUST)) == 0 && m->has == 0 && is_initial(m, base))
        return 0;
    if (shape->kind != FAL_SHAPE_LIST)
        return write_value(shape, at, m->size, out);
    *out = write_list(m, base);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static json_t *write_object(const struct fal_shape *shape, const void *in)
{
    json_t *object = json_object(), *value;

    for (size_t i = 0; object != NULL && i < shape->num_members; i++) {
        if (write_member(&shape->members[i], in, &value) == 0 &&
            (value == NULL || json_object_set_new(object, shape->members[i].key, value) == 0))
            continue;
        json_decref(object);
        object = NULL;
    }
    return object;
}

static int write_value(const struct fal_shape *shape, const void *in, size_t size, json_t **out)
{
    double real = 0;

    if (shape->write != NULL)
        return shape->write(in, out);
    *out = NULL;
    switch (shape->kind) {
    case FAL_SHAPE_TEXT:
    case FAL_SHAPE_NAME: *out = any_text(get_text(shape, in)); break;
    case FAL_SHAPE_FLAG:
    case FAL_SHAPE_YES: *out = json_boolean(get_flag(in)); break;
    case FAL_SHAPE_UINT: *out = json_integer((json_int_t)get_number(in, size)); break;
    case FAL_SHAPE_INT: *out = json_integer(get_signed(in, size)); break;
    case FAL_SHAPE_WIDE: *out = wide(get_number(in, 8)); break;
    case FAL_SHAPE_HEX: *out = hex(get_number(in, 8)); break;
    case FAL_SHAPE_REAL:
        memcpy(&real, in, sizeof real);
        *out = json_real(real);
        break;
    case FAL_SHAPE_WORD:
        *out = json_string(shape->words[get_number(in, size) - (uint64_t)shape->min]);
        break;
    case FAL_SHAPE_OBJECT: *out = write_object(shape, in); break;
    case FAL_SHAPE_ANY_OF: return write_value(shape->of[0], in, size, out);
    case FAL_SHAPE_ANY:
    case FAL_SHAPE_CONST:
    case FAL_SHAPE_LIST:
    case FAL_SHAPE_MAP: break; /* nothing in C to write */
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

json_t *fal_shape_write(const struct fal_shape *shape, const void *in)
{
    json_t *out = NULL;

    return write_value(shape, in, 0, &out) == 0 ? out : NULL;
}
