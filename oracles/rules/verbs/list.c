/* SPDX-License-Identifier: Apache-2.0
 * list.c - lists of pointers, whose items stay where they are. */
#include "oracles/rules/verbs/objects_impl.h"

#include <stdlib.h>
#include <string.h>

void *fal_list_at(const struct fal_list *list, size_t i)
{
    return list->items[i];
}

void *fal_list_add(struct fal_objects *o, struct fal_list *list, size_t size, size_t max)
{
    void **grown;

    if (list->num == max)
        return NULL;
    if (list->num == list->cap) {
        size_t cap = list->cap == 0 ? 16 : list->cap * 2;

        grown = realloc(list->items, cap * sizeof *grown);
        if (grown == NULL) {
            o->oom = true;
            return NULL;
        }
        list->items = grown;
        list->cap = cap;
    }
    list->items[list->num] = calloc(1, size);
    if (list->items[list->num] == NULL) {
        o->oom = true;
        return NULL;
    }
    return list->items[list->num++];
}

void fal_list_remove(struct fal_list *list, size_t i)
{
    free(list->items[i]);
    memmove(&list->items[i], &list->items[i + 1], (list->num - i - 1) * sizeof *list->items);
    list->num--;
}

void fal_list_free(struct fal_list *list)
{
    for (size_t i = 0; i < list->num; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct fal_list){0};
}
