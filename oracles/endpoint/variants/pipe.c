/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/variants/pipe.h"

#include "oracles/params.h"

#include <stdlib.h>

enum { PACE_KEPT = 16 /* on average so many items pass before a lane's speed changes */ };

static void draw_pace(struct fal_pipe_lane *lane, struct fal_rng *rng, uint64_t most_ns)
{
    uint64_t kind = fal_rng_below(rng, 4);

    lane->steady = kind < 2;
    lane->pace_ns = kind == 0 ? 0 : kind == 1 ? most_ns : fal_rng_below(rng, most_ns + 1);
}

struct fal_pipe *fal_pipe_new(struct fal_rng *rng, uint64_t most_ns)
{
    struct fal_pipe *pipe = calloc(1, sizeof *pipe);

    for (unsigned i = 0; pipe != NULL && i < FAL_PIPE_LANES; i++) {
        fal_link_init(&pipe->lane[i].queue);
        draw_pace(&pipe->lane[i], rng, most_ns);
    }
    return pipe;
}

uint64_t fal_pipe_leaves_ns(struct fal_pipe_lane *lane, struct fal_rng *rng, uint64_t now_ns,
                            uint64_t most_ns, bool longest)
{
    uint64_t leaves_ns;

    if (fal_rng_below(rng, PACE_KEPT) == 0)
        draw_pace(lane, rng, most_ns);
    if (lane->pace_ns > most_ns)
        lane->pace_ns = most_ns; /* the allowance has been changed */
    leaves_ns = now_ns + (longest        ? most_ns
                          : lane->steady ? lane->pace_ns
                                         : fal_rng_below(rng, lane->pace_ns + 1));
    return leaves_ns > lane->last_ns ? leaves_ns : lane->last_ns;
}

bool fal_pipe_passes(const struct fal_pipe_lane *lane, uint64_t leaves_ns, uint64_t now_ns)
{
    return leaves_ns <= now_ns && fal_link_alone(&lane->queue);
}

void fal_pipe_put(struct fal_pipe_lane *lane, struct fal_pipe_item *item, uint64_t leaves_ns)
{
    item->leaves_ns = lane->last_ns = leaves_ns;
    fal_link_append(&lane->queue, &item->link);
}

struct fal_pipe_item *fal_pipe_next(const struct fal_pipe *pipe)
{
    struct fal_pipe_item *soonest = NULL;

    for (unsigned i = 0; i < FAL_PIPE_LANES; i++) {
        const struct fal_link *queue = &pipe->lane[i].queue;
        struct fal_pipe_item *first;

        if (fal_link_alone(queue))
            continue;
        first = FAL_ITEM(queue->next, struct fal_pipe_item, link);
        if (soonest == NULL || first->leaves_ns < soonest->leaves_ns)
            soonest = first;
    }
    return soonest;
}

struct fal_pipe_item *fal_pipe_take(struct fal_pipe *pipe, uint64_t now_ns, bool all)
{
    struct fal_pipe_item *item = fal_pipe_next(pipe);

    if (item == NULL || (!all && item->leaves_ns > now_ns))
        return NULL;
    fal_link_remove(&item->link);
    return item;
}

void fal_pipe_hold(struct fal_pipe_lane *lane, struct fal_pipe_item *item, uint64_t leaves_ns,
                   bool *out_of_memory)
{
    if (item != NULL)
        fal_pipe_put(lane, item, leaves_ns);
    else
        *out_of_memory = true;
}

uint64_t fal_pipe_deadline(const struct fal_pipe *pipe)
{
    const struct fal_pipe_item *item = pipe != NULL ? fal_pipe_next(pipe) : NULL;

    return item != NULL ? item->leaves_ns : FAL_NEVER;
}

void fal_pipe_emptied(struct fal_pipe *pipe, uint64_t now_ns)
{
    for (unsigned i = 0; i < FAL_PIPE_LANES; i++)
        pipe->lane[i].last_ns = now_ns;
}
