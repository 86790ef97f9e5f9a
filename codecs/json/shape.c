/* SPDX-License-Identifier: Apache-2.0
 * shape.c - the shapes that many tables share, freeing of arrays, and errors. */
#include "codecs/json/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fal_shape fal_shape_any = {.kind = FAL_SHAPE_ANY};
const struct fal_shape fal_shape_text = {.kind = FAL_SHAPE_TEXT};
const struct fal_shape fal_shape_name = {.kind = FAL_SHAPE_NAME};
const struct fal_shape fal_shape_flag = {.kind = FAL_SHAPE_FLAG};
const struct fal_shape fal_shape_yes = {.kind = FAL_SHAPE_YES};
const struct fal_shape fal_shape_uint = {.kind = FAL_SHAPE_UINT};
const struct fal_shape fal_shape_wide = {.kind = FAL_SHAPE_WIDE,
                                         .name = "wide",
                                         .doc = "a number; \"0x...\" beyond 2^63; \"never\""};
const struct fal_shape fal_shape_hex = {.kind = FAL_SHAPE_HEX};
const struct fal_shape fal_shape_real = {.kind = FAL_SHAPE_REAL};
const struct fal_shape fal_shape_texts = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_text),
                                          .expected = "an array of texts",
                                          .item_size = sizeof(const char *)};

/* 64 bits: a number where every JSON reader can hold it (below 2^53), else "0x...". */
static int write_u64(const void *in, json_t **out)
{
    uint64_t number;

    memcpy(&number, in, sizeof number);
    *out = number < UINT64_C(1) << 53 ? json_integer((json_int_t)number)
                                      : fal_shape_write(&fal_shape_hex, &number);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static json_t *u64_schema(void)
{
    return json_pack("{s:[{s:s, s:i}, {s:s, s:s}]}", "anyOf", "type", "integer", "minimum", 0,
                     "type", "string", "pattern", "^0x[0-9a-fA-F]{1,16}$");
}

const struct fal_shape fal_shape_u64 = {
    .kind = FAL_SHAPE_HEX,
    .name = "u64",
    .doc = "64 bits: an integer, or \"0x\" and up to 16 digits",
    .write = write_u64,
    .schema = u64_schema};

void fal_shape_free(const struct fal_shape *shape, void *out)
{
    for (size_t i = 0; i < shape->num_members; i++) {
        const struct fal_member *m = &shape->members[i];
        char *at = (char *)out + m->at, *items;
        size_t n;

        if (m->size == 0)
            continue;
        if (m->shape->kind == FAL_SHAPE_OBJECT)
            fal_shape_free(m->shape, at);
        if (m->shape->kind != FAL_SHAPE_LIST || m->shape->item_size == 0 || m->shape->in_place)
            continue;
        memcpy(&items, at, sizeof items);
        memcpy(&n, (char *)out + m->count, sizeof n);
        for (size_t k = 0; items != NULL && k < n; k++)
            if (m->shape->of[0]->kind == FAL_SHAPE_OBJECT)
                fal_shape_free(m->shape->of[0], items + k * m->shape->item_size);
        free(items);
        memset(at, 0, m->size);
        memset((char *)out + m->count, 0, sizeof n);
    }
}

/* ---- errors ---- */

int fal_misfit_say(struct fal_misfit *wrong, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(wrong->text, sizeof wrong->text, format, args);
    va_end(args);
    return FAL_ERR_FORM;
}

int fal_misfit_say_of(struct fal_misfit *wrong, const char *key, const char *format, ...)
{
    va_list args;

    if (wrong->depth < FAL_SHAPE_DEPTH)
        wrong->way[wrong->depth++].key = key;
    va_start(args, format);
    (void)vsnprintf(wrong->text, sizeof wrong->text, format, args);
    va_end(args);
    return FAL_ERR_FORM;
}

void fal_misfit_place(const struct fal_misfit *wrong, char *out, size_t cap)
{
    size_t len = 0;

    out[0] = 0;
    for (size_t i = 0; i < wrong->depth && len < cap; i++) {
        const char *key = wrong->way[i].key;

        if (key != NULL)
            len += (size_t)snprintf(out + len, cap - len, "%s%.60s", len > 0 ? "." : "", key);
        else
            len += (size_t)snprintf(out + len, cap - len, "[%zu]", wrong->way[i].index);
    }
}

int fal_misfit_error(const struct fal_misfit *wrong, int rc, const char *what,
                     struct fal_error *err)
{
    char place[200];

    fal_misfit_place(wrong, place, sizeof place);
    return fal_fail(err, rc, "%s%s%s%s%s", what, what[0] != 0 ? ": " : "", place,
                    place[0] != 0 ? ": " : "", wrong->text);
}
