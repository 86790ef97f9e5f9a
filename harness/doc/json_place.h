/* SPDX-License-Identifier: Apache-2.0
 * json_place.h - finds line and column of a value in a JSON text, for errors of meaning:
 * Jansson reports positions of syntax errors only. The scanner runs when there is an error, and
 * once a file to find the lines of the steps. */
#ifndef TL_HARNESS_DOC_JSON_PLACE_H
#define TL_HARNESS_DOC_JSON_PLACE_H

#include <stddef.h>

/* A place in a JSON document, as a chain on the caller's stack: the root has no `up`; a member
 * has its `key`; an element has its `index` and key NULL. */
struct tl_path {
    const struct tl_path *up;
    const char *key;
    size_t index;
};

struct tl_position {
    unsigned line, column; /* counted from 1; columns count bytes; 0: not found */
};

/* Prints "steps[3].expect"; "" for the root. Returns the length as snprintf does. */
size_t tl_path_print(const struct tl_path *path, char *out, size_t cap);

/* Finds where the value at `path` begins, or the nearest existing value above it. The text must
 * be valid JSON; on any other text the result is meaningless, but nothing beyond `len` is read.
 */
struct tl_position tl_source_find(const char *text, size_t len, const struct tl_path *path);

/* Finds where the key of the member at `path` begins, for errors about unexpected keys. */
struct tl_position tl_source_find_key(const char *text, size_t len, const struct tl_path *path);

/* Writes the positions of the first `n` elements of the array at `path` to `out`. Returns how
 * many were found. */
size_t tl_source_elements(const char *text, size_t len, const struct tl_path *path,
                          struct tl_position *out, size_t n);

#endif
