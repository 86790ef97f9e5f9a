/* SPDX-License-Identifier: Apache-2.0
 * list.c - lists of pointers, whose items stay where they are. */
#include "oracles/rules/blocks/blocks_impl.h"

#include <stdlib.h>
#include <string.h>

void *fal_nlist_at(const struct fal_nlist *list, size_t i)
{
    return list->items[i];
}

void *fal_nlist_add(struct fal_blocks *b, struct fal_nlist *list, size_t size)
{
    if (list->num == list->cap) {
        size_t cap = list->cap == 0 ? 16 : list->cap * 2;
        void **grown = realloc(list->items, cap * sizeof *grown);

        if (grown == NULL) {
            b->oom = true;
            return NULL;
        }
        list->items = grown;
        list->cap = cap;
    }
    list->items[list->num] = calloc(1, size);
    if (list->items[list->num] == NULL) {
        b->oom = true;
        return NULL;
    }
    return list->items[list->num++];
}

void fal_nlist_remove(struct fal_nlist *list, size_t i)
{
    free(list->items[i]);
    memmove(&list->items[i], &list->items[i + 1], (list->num - i - 1) * sizeof *list->items);
    list->num--;
}

void fal_nlist_free(struct fal_nlist *list)
{
    for (size_t i = 0; i < list->num; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct fal_nlist){0};
}
