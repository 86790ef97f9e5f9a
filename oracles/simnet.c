/* SPDX-License-Identifier: Apache-2.0
 * simnet.c - frames under way lie in a binary heap by (due time, order of entry). Each
 * direction draws from a generator of its own and draws equally often for every frame, so that
 * one frame's fate does not depend on what was switched on for others. */
#include "oracles/simnet.h"

#include "codecs/error.h"
#include "oracles/rng.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    uint64_t due_ns, order;
    enum fal_dir dir;
    size_t len;
    uint8_t bytes[];
};

struct fal_simnet {
    struct fal_impairment impair[2];
    struct fal_rng rng[2];
    struct fal_simnet_counts counts;
    struct frame **heap;
    size_t count, cap;
    uint64_t order;
    struct frame *current; /* what the last fal_simnet_next() handed out */
};

struct fal_simnet *fal_simnet_new(const struct fal_impairment impair[2], uint64_t seed)
{
    struct fal_simnet *net = calloc(1, sizeof *net);

    if (net == NULL)
        return NULL;
    for (unsigned dir = 0; dir < 2; dir++) {
        net->impair[dir] = impair[dir];
        net->rng[dir] = fal_rng_split(seed, 1 + dir);
    }
    return net;
}

void fal_simnet_free(struct fal_simnet *net)
{
    if (net == NULL)
        return;
    for (size_t i = 0; i < net->count; i++)
        free(net->heap[i]);
    free(net->heap);
    free(net->current);
    free(net);
}

static bool sooner(const struct frame *a, const struct frame *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void swap(struct frame **a, struct frame **b)
{
    struct frame *t = *a;

    *a = *b;
    *b = t;
}

static int reserve(struct fal_simnet *net)
{
    size_t cap = net->cap == 0 ? 64 : net->cap * 2;
    struct frame **heap;

    if (net->count < net->cap)
        return 0;
    heap = realloc(net->heap, cap * sizeof(struct frame *));
    if (heap == NULL)
        return FAL_ERR_MEM;
    net->heap = heap;
    net->cap = cap;
    return 0;
}

static void push(struct fal_simnet *net, struct frame *frame)
{
    size_t at = net->count++;

    net->heap[at] = frame;
    while (at > 0 && sooner(net->heap[at], net->heap[(at - 1) / 2])) {
        swap(&net->heap[at], &net->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static struct frame *pop(struct fal_simnet *net)
{
    struct frame *top = net->heap[0];
    size_t at = 0;

    net->heap[0] = net->heap[--net->count];
    for (;;) {
        size_t least = at, left = 2 * at + 1, right = left + 1;

        if (left < net->count && sooner(net->heap[left], net->heap[least]))
            least = left;
        if (right < net->count && sooner(net->heap[right], net->heap[least]))
            least = right;
        if (least == at)
            return top;
        swap(&net->heap[at], &net->heap[least]);
        at = least;
    }
}

/* What chance has in store for one frame. Every value is drawn, wanted or not. */
struct fate {
    bool lost, duplicated, late, corrupted;
    uint64_t jitter_ns;
    uint64_t bit;
};

static bool chance(struct fal_rng *rng, uint32_t ppm)
{
    return fal_rng_below(rng, 1000000) < ppm;
}

static struct fate draw(struct fal_rng *rng, const struct fal_impairment *impair)
{
    struct fate fate;

    /* One by one: the order within an initializer would be the compiler's. */
    fate.lost = chance(rng, impair->loss_ppm);
    fate.duplicated = chance(rng, impair->duplicate_ppm);
    fate.late = chance(rng, impair->reorder_ppm);
    fate.corrupted = chance(rng, impair->corrupt_ppm);
    fate.jitter_ns = fal_rng_next(rng);
    fate.bit = fal_rng_next(rng);
    if (impair->jitter_ns != FAL_NEVER)
        fate.jitter_ns %= impair->jitter_ns + 1;
    return fate;
}

/* a + b without wrapping: a frame that would arrive after the end of time does so at its end.
 */
static uint64_t later(uint64_t a, uint64_t b)
{
    return b > FAL_NEVER - 1 - a ? FAL_NEVER - 1 : a + b;
}

static int carry(struct fal_simnet *net, enum fal_dir dir, const uint8_t *bytes, size_t len,
                 uint64_t now_ns, const struct fate *fate)
{
    const struct fal_impairment *impair = &net->impair[dir];
    struct frame *frame;

    if (fate->lost) {
        net->counts.lost[dir]++;
        return 0;
    }
    if (reserve(net) < 0 || len > SIZE_MAX - sizeof *frame)
        return FAL_ERR_MEM;
    frame = malloc(sizeof *frame + len);
    if (frame == NULL)
        return FAL_ERR_MEM;
    *frame = (struct frame){.due_ns = later(now_ns, impair->latency_ns),
                            .order = net->order++,
                            .dir = dir,
                            .len = len};
    frame->due_ns = later(frame->due_ns, fate->jitter_ns);
    if (fate->late)
        frame->due_ns = later(frame->due_ns, impair->reorder_ns);
    if (len > 0)
        memcpy(frame->bytes, bytes, len);
    if (fate->corrupted && len > 0) {
        uint64_t bit = fate->bit % (len * 8);

        frame->bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        net->counts.corrupted[dir]++;
    }
    push(net, frame);
    return 0;
}

int fal_simnet_send(struct fal_simnet *net, enum fal_dir dir, const uint8_t *bytes, size_t len,
                    uint64_t now_ns)
{
    struct fate fate = draw(&net->rng[dir], &net->impair[dir]);
    struct fate second = draw(&net->rng[dir], &net->impair[dir]);
    int rc;

    net->counts.sent[dir]++;
    rc = carry(net, dir, bytes, len, now_ns, &fate);
    if (rc == 0 && fate.duplicated) {
        net->counts.duplicated[dir]++;
        rc = carry(net, dir, bytes, len, now_ns, &second);
    }
    return rc;
}

uint64_t fal_simnet_deadline(const struct fal_simnet *net)
{
    return net->count == 0 ? FAL_NEVER : net->heap[0]->due_ns;
}

bool fal_simnet_next(struct fal_simnet *net, uint64_t now_ns, enum fal_dir *dir,
                     uint64_t *at_ns, const uint8_t **bytes, size_t *len)
{
    free(net->current);
    net->current = NULL;
    if (net->count == 0 || net->heap[0]->due_ns > now_ns)
        return false;
    net->current = pop(net);
    *dir = net->current->dir;
    *at_ns = net->current->due_ns;
    *bytes = net->current->bytes;
    *len = net->current->len;
    return true;
}

struct fal_simnet_counts fal_simnet_counts(const struct fal_simnet *net)
{
    return net->counts;
}
