/* SPDX-License-Identifier: Apache-2.0
 * json_place.h - where something stands in a JSON text. Jansson knows positions of syntax
 * errors only; this scanner walks the same text along a path and says line and column, so that
 * an error of meaning can too. It runs when there is an error, and once a file for the lines of
 * the steps. */
#ifndef TL_HARNESS_SCENARIO_SOURCE_H
#define TL_HARNESS_SCENARIO_SOURCE_H

#include <stddef.h>

/* A place in a JSON document, as a chain on the stack of whoever walks down it: the root has no
 * `up`; a member has its `key`, an element its `index` (key NULL). */
struct tl_path {
    const struct tl_path *up;
    const char *key;
    size_t index;
};

struct tl_position {
    unsigned line, column; /* from 1; columns count bytes; 0: not found */
};

/* "steps[3].expect"; "" for the root. Returns the length as snprintf does. */
size_t tl_path_print(const struct tl_path *path, char *out, size_t cap);

/* Where the value at `path` begins; the nearest one above it that exists when it does not. The
 * text must be JSON that parsed; on any other text it finds something or nothing, and reads no
 * further than `len`. */
struct tl_position tl_source_find(const char *text, size_t len, const struct tl_path *path);

/* Where the key of the member at `path` begins, for keys that should not be there. */
struct tl_position tl_source_find_key(const char *text, size_t len, const struct tl_path *path);

/* Positions of the first `n` elements of the array at `path` into `out`; returns how many it
 * has found. */
size_t tl_source_elements(const char *text, size_t len, const struct tl_path *path,
                          struct tl_position *out, size_t n);

#endif
