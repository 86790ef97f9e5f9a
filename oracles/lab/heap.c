/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/heap.h"

#include <stdlib.h>

static bool before(const struct fal_lab_item *a, const struct fal_lab_item *b)
{
    return a->due_ps < b->due_ps || (a->due_ps == b->due_ps && a->order < b->order);
}

static bool grow(struct fal_lab_heap *heap)
{
    size_t cap = heap->cap > 0 ? heap->cap * 2 : 1024;
    struct fal_lab_item *items = realloc(heap->items, cap * sizeof *items);

    if (items == NULL)
        return false;
    heap->items = items;
    heap->cap = cap;
    return true;
}

void fal_lab_heap_push(struct fal_lab_heap *heap, uint64_t due_ps, enum fal_lab_kind kind,
                       uint32_t index)
{
    const struct fal_lab_item item = {due_ps, heap->order++, kind, index};
    size_t at = heap->count;

    if (heap->count == heap->cap && !grow(heap)) {
        heap->out_of_memory = true;
        return;
    }
    heap->count++;
    while (at > 0 && before(&item, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = item;
}

bool fal_lab_heap_pop(struct fal_lab_heap *heap, struct fal_lab_item *out)
{
    const struct fal_lab_item *last;
    size_t at = 0, child;

    if (heap->count == 0)
        return false;
    *out = heap->items[0];
    last = &heap->items[--heap->count];
    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (!before(&heap->items[child], last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = *last;
    return true;
}

void fal_lab_heap_free(struct fal_lab_heap *heap)
{
    free(heap->items);
    *heap = (struct fal_lab_heap){0};
}
