/* SPDX-License-Identifier: Apache-2.0
 * shape_write.c - a C struct to JSON by its table. Members at their initial value are left out,
 * except those that the table says are always written. */
#include "codecs/json/shape_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int write_value(const struct fal_shape *shape, const void *in, size_t size,
                       json_t **out);

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

static json_t *write_list(const struct fal_member *m, const void *base)
{
    const struct fal_shape *shape = m->shape;
    json_t *list = json_array();
    size_t n;
    const char *items = fal_shape_items(m, base, &n);

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
    const void *at;
    json_t *kept;

    *out = NULL;
    switch (fal_shape_how(m, base, &at)) {
    case FAL_SHAPE_LEFT_OUT: return 0;
    case FAL_SHAPE_AS_CONST: *out = json_string(m->shape->words[0]); break;
    case FAL_SHAPE_AS_HOOK: return m->shape->write(at, out);
    case FAL_SHAPE_AS_KEPT:
        memcpy(&kept, at, sizeof kept);
        *out = json_incref(kept);
        return 0;
    case FAL_SHAPE_AS_NULL: *out = json_null(); break;
    case FAL_SHAPE_AS_LIST: *out = write_list(m, base); break;
    case FAL_SHAPE_AS_VALUE: return write_value(m->shape, at, m->size, out);
    }
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
    case FAL_SHAPE_NAME: *out = fal_shape_any_text(fal_shape_text_of(shape, in)); break;
    case FAL_SHAPE_FLAG:
    case FAL_SHAPE_YES: *out = json_boolean(fal_shape_flag_of(in)); break;
    case FAL_SHAPE_UINT: *out = json_integer((json_int_t)fal_shape_number(in, size)); break;
    case FAL_SHAPE_INT: *out = json_integer(fal_shape_signed(in, size)); break;
    case FAL_SHAPE_WIDE: *out = wide(fal_shape_number(in, 8)); break;
    case FAL_SHAPE_HEX: *out = hex(fal_shape_number(in, 8)); break;
    case FAL_SHAPE_REAL:
        memcpy(&real, in, sizeof real);
        *out = json_real(real);
        break;
    case FAL_SHAPE_WORD:
        *out = json_string(shape->words[fal_shape_number(in, size) - (uint64_t)shape->min]);
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
