/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/verbs/index.h"

#include <stdlib.h>

enum { FIRST_ITEMS = 16, MULTIPLIER_OF_NAMES = 31 };

uint32_t fal_index_number(uint32_t number)
{
    uint32_t key = number * UINT32_C(2654435761);

    return key ^ key >> 16;
}

uint32_t fal_index_name(const char *name)
{
    uint32_t hash = 0;

    while (*name != 0)
        hash = MULTIPLIER_OF_NAMES * hash + (uint8_t)*name++;
    return fal_index_number(hash);
}

static void enter(struct fal_index *index, uint32_t position)
{
    struct fal_index_item *item = &index->items[position];
    uint32_t *head = &index->head[item->key & (index->num_heads - 1)];

    item->older = *head;
    *head = position;
}

/* Doubles the room. Items enter anew in their order, so that the newest is found first. */
static bool grow(struct fal_index *index)
{
    size_t cap = index->cap == 0 ? FIRST_ITEMS : 2 * index->cap;
    struct fal_index_item *items;
    uint32_t *head = malloc(cap * sizeof *head);

    if (head == NULL)
        return false;
    items = realloc(index->items, cap * sizeof *items);
    if (items == NULL) {
        free(head);
        return false;
    }
    free(index->head);
    index->items = items;
    index->head = head;
    index->cap = index->num_heads = cap;
    for (size_t i = 0; i < cap; i++)
        head[i] = FAL_INDEX_NONE;
    for (uint32_t i = 0; i < index->num; i++)
        enter(index, i);
    return true;
}

bool fal_index_add(struct fal_index *index, uint32_t key)
{
    if (index->num == index->cap && !grow(index))
        return false;
    index->items[index->num].key = key;
    enter(index, (uint32_t)index->num);
    index->num++;
    return true;
}

void fal_index_free(struct fal_index *index)
{
    free(index->items);
    free(index->head);
    *index = (struct fal_index){0};
}

static uint32_t with_key(const struct fal_index *index, uint32_t position, uint32_t key)
{
    while (position != FAL_INDEX_NONE && index->items[position].key != key)
        position = index->items[position].older;
    return position;
}

uint32_t fal_index_first(const struct fal_index *index, uint32_t key)
{
    return index->num == 0 ? FAL_INDEX_NONE
                           : with_key(index, index->head[key & (index->num_heads - 1)], key);
}

uint32_t fal_index_next(const struct fal_index *index, uint32_t position)
{
    const struct fal_index_item *item = &index->items[position];

    return with_key(index, item->older, item->key);
}
