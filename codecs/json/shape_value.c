/* SPDX-License-Identifier: Apache-2.0
 * shape_value.c - the values of a C struct, and how each is written as JSON. */
#include "codecs/json/shape_impl.h"

#include <stdlib.h>
#include <string.h>

uint64_t fal_shape_number(const void *in, size_t size)
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

int64_t fal_shape_signed(const void *in, size_t size)
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

const char *fal_shape_text_of(const struct fal_shape *shape, const void *in)
{
    const char *text;

    if (shape->kind == FAL_SHAPE_NAME)
        return in;
    memcpy(&text, in, sizeof text);
    return text;
}

bool fal_shape_flag_of(const void *in)
{
    bool flag;

    memcpy(&flag, in, sizeof flag);
    return flag;
}

json_t *fal_shape_any_text(const char *text)
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

/* Whether the member has the value that the reader would give it if it were absent. */
static bool is_initial(const struct fal_member *m, const void *base)
{
    const void *at = (const char *)base + m->at;
    size_t n;

    switch (m->shape->kind) {
    case FAL_SHAPE_TEXT: return fal_shape_text_of(m->shape, at) == NULL;
    case FAL_SHAPE_NAME: return *(const char *)at == 0;
    case FAL_SHAPE_FLAG: return fal_shape_flag_of(at) == (m->initial != 0);
    case FAL_SHAPE_YES: return !fal_shape_flag_of(at);
    case FAL_SHAPE_UINT:
    case FAL_SHAPE_WIDE:
    case FAL_SHAPE_HEX:
    case FAL_SHAPE_WORD: return fal_shape_number(at, m->size) == m->initial;
    case FAL_SHAPE_INT: return fal_shape_signed(at, m->size) == (int64_t)m->initial;
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

const char *fal_shape_items(const struct fal_member *m, const void *base, size_t *n)
{
    const char *items;

    memcpy(n, (const char *)base + m->count, sizeof *n);
    if (m->shape->in_place)
        return (const char *)base + m->at;
    memcpy(&items, (const char *)base + m->at, sizeof items);
    return items;
}

enum fal_shape_how fal_shape_how(const struct fal_member *m, const void *base, const void **at)
{
    const struct fal_shape *shape = m->shape;
    bool always = (m->flags & (FAL_ALWAYS | FAL_MUST)) != 0, may_go = !always && m->has == 0;

    *at = (m->flags & FAL_INLINE) != 0 ? base : (const char *)base + m->at;
    if ((m->flags & FAL_FLAT) != 0)
        return FAL_SHAPE_LEFT_OUT;
    if (shape->kind == FAL_SHAPE_CONST)
        return FAL_SHAPE_AS_CONST;
    if ((m->flags & FAL_INLINE) != 0)
        return !always && all_initial(m, base) ? FAL_SHAPE_LEFT_OUT
               : shape->write != NULL          ? FAL_SHAPE_AS_HOOK
                                               : FAL_SHAPE_AS_VALUE;
    if (m->size == 0 || (m->has != 0 && !fal_shape_flag_of((const char *)base + m->has)))
        return FAL_SHAPE_LEFT_OUT;
    if (shape->kind == FAL_SHAPE_HEX && may_go && is_initial(m, base))
        return FAL_SHAPE_LEFT_OUT;
    if (shape->write != NULL)
        return FAL_SHAPE_AS_HOOK;
    if (shape->keeps_json)
        return FAL_SHAPE_AS_KEPT;
    if (shape->kind == FAL_SHAPE_TEXT && fal_shape_text_of(shape, *at) == NULL)
        return (m->flags & FAL_ALWAYS) != 0 && (m->flags & FAL_NULL) != 0 ? FAL_SHAPE_AS_NULL
                                                                          : FAL_SHAPE_LEFT_OUT;
    if (may_go && is_initial(m, base))
        return FAL_SHAPE_LEFT_OUT;
    return shape->kind == FAL_SHAPE_LIST ? FAL_SHAPE_AS_LIST : FAL_SHAPE_AS_VALUE;
}
