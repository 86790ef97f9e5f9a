/* SPDX-License-Identifier: Apache-2.0
 * pipe.h - several lanes in which items wait, each for a time of its own within an allowance.
 * A lane keeps its order; the lanes overtake each other. Times are drawn: a lane is idle, busy,
 * or anything between, and stays so for a while. The items are the caller's. */
#ifndef FAL_ORACLES_ENDPOINT_VARIANTS_PIPE_H
#define FAL_ORACLES_ENDPOINT_VARIANTS_PIPE_H

#include "oracles/endpoint/base/list.h"
#include "oracles/rng.h"

#include <stdint.h>

enum { FAL_PIPE_LANES = 5 };

/* The beginning of an item that waits. */
struct fal_pipe_item {
    struct fal_link link;
    uint64_t leaves_ns;
};

struct fal_pipe_lane {
    struct fal_link queue; /* oldest first */
    uint64_t pace_ns;      /* no item waits for longer, while the lane has this speed */
    uint64_t last_ns;      /* when the newest item leaves or has left */
    bool steady;           /* each item waits for just that time */
};

struct fal_pipe {
    struct fal_pipe_lane lane[FAL_PIPE_LANES];
    bool running; /* an item is being processed */
};

/* NULL when out of memory. The caller frees it with free() when no item waits. */
struct fal_pipe *fal_pipe_new(struct fal_rng *rng, uint64_t most_ns);

/* When an item that comes now leaves its lane: at most `most_ns` from now. With `longest`, not
 * before that. */
uint64_t fal_pipe_leaves_ns(struct fal_pipe_lane *lane, struct fal_rng *rng, uint64_t now_ns,
                            uint64_t most_ns, bool longest);

/* Whether an item that leaves then need not wait at all. */
bool fal_pipe_passes(const struct fal_pipe_lane *lane, uint64_t leaves_ns, uint64_t now_ns);

/* The item is the last of its lane, until then. */
void fal_pipe_put(struct fal_pipe_lane *lane, struct fal_pipe_item *item, uint64_t leaves_ns);

/* The same of an item that was just made. NULL: there was no memory for it, and
 * *out_of_memory is set. */
void fal_pipe_hold(struct fal_pipe_lane *lane, struct fal_pipe_item *item, uint64_t leaves_ns,
                   bool *out_of_memory);

/* The item that leaves before all others, or NULL. It is taken out with fal_link_remove(). */
struct fal_pipe_item *fal_pipe_next(const struct fal_pipe *pipe);

/* Takes out the next item that leaves by now, or, with `all`, whenever it leaves. NULL: none.
 */
struct fal_pipe_item *fal_pipe_take(struct fal_pipe *pipe, uint64_t now_ns, bool all);

/* When that is, or FAL_NEVER; `pipe` may be NULL. */
uint64_t fal_pipe_deadline(const struct fal_pipe *pipe);

/* Nothing waits any more: what comes next waits for nothing that has left. */
void fal_pipe_emptied(struct fal_pipe *pipe, uint64_t now_ns);

#endif
