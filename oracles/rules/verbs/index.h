/* SPDX-License-Identifier: Apache-2.0
 * index.h - finds the items of a list by a key. With 16,384 queue pairs a search through the
 * list would be most of what a message costs. Several items may have one key, and keys may
 * share a place, so the caller compares. */
#ifndef FAL_ORACLES_RULES_VERBS_INDEX_H
#define FAL_ORACLES_RULES_VERBS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_index {
    struct fal_index_item {
        uint32_t key, older;
    } * items;      /* in the order of the list */
    uint32_t *head; /* of each place, the position of its newest item; FAL_INDEX_NONE: empty */
    size_t num, cap, num_heads;
};

#define FAL_INDEX_NONE UINT32_MAX

/* A key made of a name or a number. */
uint32_t fal_index_name(const char *name);
uint32_t fal_index_number(uint32_t number);

/* Enters the next item of the list. False: out of memory, and nothing changed. */
bool fal_index_add(struct fal_index *index, uint32_t key);
void fal_index_free(struct fal_index *index);

/* The position of the newest item that may have the key, then of older ones; FAL_INDEX_NONE:
 * there are no more. */
uint32_t fal_index_first(const struct fal_index *index, uint32_t key);
uint32_t fal_index_next(const struct fal_index *index, uint32_t position);

#endif
