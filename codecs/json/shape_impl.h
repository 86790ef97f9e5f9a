/* SPDX-License-Identifier: Apache-2.0
 * shape_impl.h - reading values of a C struct by its table: for the two writers of JSON. */
#ifndef FAL_CODECS_JSON_SHAPE_IMPL_H
#define FAL_CODECS_JSON_SHAPE_IMPL_H

#include "codecs/json/shape.h"

/* How a member is written. */
enum fal_shape_how {
    FAL_SHAPE_LEFT_OUT, /* it is not */
    FAL_SHAPE_AS_CONST, /* the word of its shape */
    FAL_SHAPE_AS_HOOK,  /* by shape->write, which gets the place of the member */
    FAL_SHAPE_AS_KEPT,  /* as the JSON value that C keeps, which may be NULL: left out */
    FAL_SHAPE_AS_NULL,
    FAL_SHAPE_AS_LIST,
    FAL_SHAPE_AS_VALUE,
};

/* Decides it. *at: the place of the member, or of the struct for FAL_INLINE. */
enum fal_shape_how fal_shape_how(const struct fal_member *m, const void *base, const void **at);

/* The values of a place: a number of `size` bytes, a signed one of 4 or 8, a flag, a text
 * (NULL: none). */
uint64_t fal_shape_number(const void *in, size_t size);
int64_t fal_shape_signed(const void *in, size_t size);
bool fal_shape_flag_of(const void *in);
const char *fal_shape_text_of(const struct fal_shape *shape, const void *in);
/* The items of a list, and in *n how many. */
const char *fal_shape_items(const struct fal_member *m, const void *base, size_t *n);

/* A text as a JSON string. Text that is not UTF-8 (a file name may be anything) is written with
 * '?' for the other bytes. A new reference, NULL when out of memory. */
json_t *fal_shape_any_text(const char *text);

#endif
