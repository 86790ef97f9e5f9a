/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/sut_timer.h"

#include "codecs/base/error.h"
#include "oracles/params.h"

#include <stdlib.h>

static bool before(const struct tl_sut_timer *a, const struct tl_sut_timer *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void swap(struct tl_sut_timer *a, struct tl_sut_timer *b)
{
    struct tl_sut_timer t = *a;

    *a = *b;
    *b = t;
}

static void sift_up(struct tl_sut_timer *heap, size_t i)
{
    for (; i > 0 && before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(struct tl_sut_timer *heap, size_t count, size_t i)
{
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (before(&heap[child], &heap[least]))
                least = child;
        if (least == i)
            return;
        swap(&heap[i], &heap[least]);
        i = least;
    }
}

int tl_sut_timers_add(struct tl_sut_timers *timers, uint64_t at_ns, uint32_t conn, uint32_t rsn)
{
    if (timers->count == timers->cap) {
        size_t cap = timers->cap == 0 ? 16 : timers->cap * 2;
        struct tl_sut_timer *heap = realloc(timers->heap, cap * sizeof *heap);

        if (heap == NULL)
            return FAL_ERR_MEM;
        timers->heap = heap;
        timers->cap = cap;
    }
    timers->heap[timers->count] = (struct tl_sut_timer){at_ns, timers->order++, conn, rsn};
    sift_up(timers->heap, timers->count++);
    return 0;
}

uint64_t tl_sut_timers_next(const struct tl_sut_timers *timers)
{
    return timers->count > 0 ? timers->heap[0].at_ns : FAL_NEVER;
}

struct tl_sut_timer tl_sut_timers_take(struct tl_sut_timers *timers)
{
    struct tl_sut_timer first = timers->heap[0];

    timers->heap[0] = timers->heap[--timers->count];
    sift_down(timers->heap, timers->count, 0);
    return first;
}

void tl_sut_timers_drop(struct tl_sut_timers *timers, uint32_t conn)
{
    size_t kept = 0;

    for (size_t i = 0; i < timers->count; i++)
        if (timers->heap[i].conn != conn)
            timers->heap[kept++] = timers->heap[i];
    timers->count = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down(timers->heap, kept, i);
}

void tl_sut_timers_free(struct tl_sut_timers *timers)
{
    free(timers->heap);
    *timers = (struct tl_sut_timers){0};
}
