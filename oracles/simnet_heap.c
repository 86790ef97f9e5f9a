/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/simnet_heap.h"

#include "codecs/base/error.h"

#include <stdlib.h>

void fal_simnet_heap_free(struct fal_simnet_heap *heap)
{
    for (size_t i = 0; i < heap->count; i++)
        free(heap->items[i]);
    free(heap->items);
    *heap = (struct fal_simnet_heap){0};
}

static bool sooner(const struct fal_simnet_item *a, const struct fal_simnet_item *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void swap(struct fal_simnet_item **a, struct fal_simnet_item **b)
{
    struct fal_simnet_item *t = *a;

    *a = *b;
    *b = t;
}

int fal_simnet_heap_reserve(struct fal_simnet_heap *heap)
{
    size_t cap = heap->cap == 0 ? 64 : heap->cap * 2;
    struct fal_simnet_item **items;

    if (heap->count < heap->cap)
        return 0;
    items = realloc(heap->items, cap * sizeof(struct fal_simnet_item *));
    if (items == NULL)
        return FAL_ERR_MEM;
    heap->items = items;
    heap->cap = cap;
    return 0;
}

void fal_simnet_heap_push(struct fal_simnet_heap *heap, struct fal_simnet_item *item)
{
    size_t at = heap->count++;

    heap->items[at] = item;
    while (at > 0 && sooner(heap->items[at], heap->items[(at - 1) / 2])) {
        swap(&heap->items[at], &heap->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

struct fal_simnet_item *fal_simnet_heap_pop(struct fal_simnet_heap *heap)
{
    struct fal_simnet_item *top = heap->items[0];
    size_t at = 0;

    heap->items[0] = heap->items[--heap->count];
    for (;;) {
        size_t least = at, left = 2 * at + 1, right = left + 1;

        if (left < heap->count && sooner(heap->items[left], heap->items[least]))
            least = left;
        if (right < heap->count && sooner(heap->items[right], heap->items[least]))
            least = right;
        if (least == at)
            return top;
        swap(&heap->items[at], &heap->items[least]);
        at = least;
    }
}
