/* SPDX-License-Identifier: Apache-2.0
 * json_tree.h - a JSON text as a tree that keeps how each value was written: numbers with their
 * digits, strings with their escapes, members in their order. */
#ifndef TL_HARNESS_SCENARIO_LAYOUT_JSON_TREE_H
#define TL_HARNESS_SCENARIO_LAYOUT_JSON_TREE_H

#include "codecs/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A value. Texts are as the file has them, with quotes; they are not NUL-terminated. */
struct tl_json_node {
    char kind;                         /* '{', '[', or 's': a string, a number or a word */
    const char *key;                   /* of a member, with its quotes; NULL: no member */
    size_t key_len;                    /* bytes */
    const char *text;                  /* of kind 's' */
    size_t len;                        /* bytes */
    size_t width;                      /* columns of the value on one line, without its key */
    struct tl_json_node *first, *next; /* children in their order */
    size_t count;                      /* of children */
};

/* Parses `text`, which must be valid JSON (Jansson has accepted it) and outlives the tree. The
 * arena owns the nodes. Returns the root, or NULL when out of memory. */
struct tl_json_node *tl_json_tree(const char *text, size_t len, struct fal_arena *arena);

/* Returns whether the member has that key. */
bool tl_json_key_is(const struct tl_json_node *node, const char *key);

/* Columns of a text: characters of UTF-8. */
size_t tl_json_columns(const char *text, size_t len);

/* Columns of the value on one line, computed from its children, with its key. */
size_t tl_json_width(const struct tl_json_node *node);

/* Computes `width` of the node and of all below. */
void tl_json_measure(struct tl_json_node *node);

#endif
