/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/timers.h"

#include "codecs/base/error.h"
#include "oracles/params.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void fal_timers_free(struct fal_timers *timers)
{
    free(timers->heap);
    free(timers->place);
    *timers = (struct fal_timers){0};
}

int fal_timers_reserve(struct fal_timers *timers, uint32_t ids)
{
    uint32_t room = timers->ids == 0 ? 16 : timers->ids;
    struct fal_timer *heap;
    uint32_t *place;

    if (ids <= timers->ids)
        return 0;
    while (room < ids)
        room *= 2;
    heap = realloc(timers->heap, room * sizeof *heap);
    if (heap == NULL)
        return FAL_ERR_MEM;
    timers->heap = heap;
    place = realloc(timers->place, room * sizeof *place);
    if (place == NULL)
        return FAL_ERR_MEM;
    memset(place + timers->ids, 0, (room - timers->ids) * sizeof *place);
    timers->place = place;
    timers->ids = room;
    return 0;
}

static bool sooner(struct fal_timer a, struct fal_timer b)
{
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.id < b.id;
}

static void put(struct fal_timers *timers, uint32_t at, struct fal_timer timer)
{
    timers->heap[at] = timer;
    timers->place[timer.id] = at + 1;
}

static void up(struct fal_timers *timers, uint32_t at, struct fal_timer timer)
{
    for (; at > 0 && sooner(timer, timers->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(timers, at, timers->heap[(at - 1) / 2]);
    put(timers, at, timer);
}

static void down(struct fal_timers *timers, uint32_t at, struct fal_timer timer)
{
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < timers->count && sooner(timers->heap[child + 1], timers->heap[child]))
            child++;
        if (child >= timers->count || !sooner(timers->heap[child], timer))
            break;
        put(timers, at, timers->heap[child]);
        at = child;
    }
    put(timers, at, timer);
}

static void settle(struct fal_timers *timers, uint32_t at, struct fal_timer timer)
{
    if (at > 0 && sooner(timer, timers->heap[(at - 1) / 2]))
        up(timers, at, timer);
    else
        down(timers, at, timer);
}

/* Whether `id` is where `place` states, and not before the timer above it. */
static bool in_place(const struct fal_timers *timers, uint32_t id)
{
    uint32_t at = timers->place[id];

    return at == 0 || (at <= timers->count && timers->heap[at - 1].id == id &&
                       (at == 1 || !sooner(timers->heap[at - 1], timers->heap[at / 2 - 1])));
}

void fal_timers_set(struct fal_timers *timers, uint32_t id, uint64_t at_ns)
{
    uint32_t place;
    struct fal_timer timer = {at_ns, id}, last;

    assert(id < timers->ids && in_place(timers, id));
    place = timers->place[id];
    if (at_ns != FAL_NEVER) {
        if (place == 0)
            up(timers, timers->count++, timer);
        else if (timers->heap[place - 1].at_ns != at_ns)
            settle(timers, place - 1, timer);
    } else if (place != 0) {
        last = timers->heap[--timers->count];
        timers->place[id] = 0;
        if (last.id != id)
            settle(timers, place - 1, last);
    }
    assert(timers->count <= timers->ids && in_place(timers, id));
}

struct fal_timer fal_timers_first(const struct fal_timers *timers)
{
    return timers->count > 0 ? timers->heap[0] : (struct fal_timer){FAL_NEVER, 0};
}
