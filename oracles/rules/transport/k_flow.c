/* SPDX-License-Identifier: Apache-2.0
 * k_flow.c - see k_flow.h. */
#include "oracles/rules/transport/k_flow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 16, FIRST_SEGMENTS = 32 };

/* Segments in flight at a gap: a window, another by inflation in a recovery (RFC 5681 3.2), and
 * as many that are sent until the recovery ends. */
enum { GAP_WINDOWS = 4 };

/* ---- flows ---- */

static size_t slot_of(const struct fal_tp_judge *k, uint32_t id)
{
    return (size_t)(id * UINT32_C(2654435761)) & (k->slots - 1);
}

static void put(struct fal_tp_judge *k, struct fal_k_flow *flow)
{
    size_t i = slot_of(k, flow->id);

    while (k->flows[i] != NULL)
        i = (i + 1) & (k->slots - 1);
    k->flows[i] = flow;
}

/* At least half of the slots stay empty. */
static int make_room(struct fal_tp_judge *k)
{
    struct fal_k_flow **old = k->flows;
    size_t slots = k->slots;

    if (k->num_flows * 2 < slots)
        return 0;
    k->slots = slots > 0 ? slots * 2 : FIRST_SLOTS;
    k->flows = calloc(k->slots, sizeof(struct fal_k_flow *));
    if (k->flows == NULL) {
        k->flows = old;
        k->slots = slots;
        return FAL_ERR_MEM;
    }
    for (size_t i = 0; i < slots; i++)
        if (old[i] != NULL)
            put(k, old[i]);
    free(old);
    return 0;
}

struct fal_k_flow *fal_k_flow_find(const struct fal_tp_judge *k, uint32_t id)
{
    if (k->slots > 0)
        for (size_t i = slot_of(k, id); k->flows[i] != NULL; i = (i + 1) & (k->slots - 1))
            if (k->flows[i]->id == id)
                return k->flows[i];
    return NULL;
}

void fal_k_flow_clear(struct fal_k_flow *f)
{
    free(f->ring);
    *f = (struct fal_k_flow){.id = f->id};
}

int fal_k_flow_of(struct fal_tp_judge *k, uint32_t id, struct fal_k_flow **flow)
{
    *flow = fal_k_flow_find(k, id);
    if (*flow != NULL)
        return 1;
    if (k->num_flows == FAL_K_FLOWS)
        return 0;
    if (make_room(k) != 0)
        return FAL_ERR_MEM;
    *flow = calloc(1, sizeof **flow);
    if (*flow == NULL)
        return FAL_ERR_MEM;
    (*flow)->id = id;
    put(k, *flow);
    k->num_flows++;
    return 1;
}

void fal_k_flows_free(struct fal_tp_judge *k)
{
    for (size_t i = 0; i < k->slots; i++)
        if (k->flows[i] != NULL) {
            free(k->flows[i]->ring);
            free(k->flows[i]);
        }
    free(k->flows);
}

/* ---- segments ---- */

static struct fal_k_seg *slot(const struct fal_k_flow *f, uint64_t seg)
{
    return &f->ring[seg & (f->capacity - 1)];
}

struct fal_k_seg *fal_k_at(const struct fal_k_flow *f, uint64_t seg)
{
    return seg >= f->low && seg < f->high ? slot(f, seg) : NULL;
}

/* The lowest segment leaves, and no longer counts. */
static void drop_lowest(struct fal_k_flow *f)
{
    struct fal_k_seg *s = slot(f, f->low);

    f->flying -= s->flying;
    f->lost_count -= s->lost;
    f->unacked -= s->copies > 0 && !s->acked && f->unacked > 0;
    *s = (struct fal_k_seg){0};
    f->low++;
}

/* Enlarges the ring to hold [low, seg]. */
static int widen(struct fal_k_flow *f, uint64_t seg)
{
    size_t capacity = f->capacity > 0 ? f->capacity : FIRST_SEGMENTS;
    struct fal_k_seg *ring, *old = f->ring;
    const size_t before = f->capacity;

    while (seg - f->low >= capacity)
        capacity *= 2;
    if (capacity == before)
        return 0;
    ring = calloc(capacity, sizeof *ring);
    if (ring == NULL)
        return FAL_ERR_MEM;
    for (uint64_t i = f->low; i < f->high; i++)
        ring[i & (capacity - 1)] = old[i & (before - 1)];
    free(old);
    f->ring = ring;
    f->capacity = capacity;
    return 0;
}

int fal_k_hold(struct fal_k_flow *f, uint64_t seg, struct fal_k_seg **out)
{
    *out = NULL;
    if (seg >= FAL_K_SEG_END)
        return 0;
    if (!f->begun) { /* the middle of a flow begins with the first segment seen */
        f->begun = true;
        if (f->unsure) {
            f->low = f->high = seg;
            f->forgot = true;
        }
    }
    if (seg < f->low)
        return 0;
    if (seg - f->low >= FAL_K_SEGMENTS) {
        const uint64_t low = seg - FAL_K_SEGMENTS / 2;

        f->forgot = true;
        while (f->low < low && f->low < f->high)
            drop_lowest(f);
        if (f->low < low)
            f->low = f->high = low;
    }
    if (widen(f, seg) != 0)
        return FAL_ERR_MEM;
    if (f->high <= seg)
        f->high = seg + 1;
    *out = slot(f, seg);
    return 0;
}

const struct fal_k_seg *fal_k_oldest(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                                     uint64_t *seg)
{
    for (*seg = k->row.cumulative && f->cum > f->low ? f->cum : f->low; *seg < f->high;
         ++*seg) {
        const struct fal_k_seg *s = fal_k_at(f, *seg);

        if (s->copies > 0 && !s->acked)
            return s;
    }
    return NULL;
}

void fal_k_sure_again(const struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t cum)
{
    uint64_t window = k->row.max_window;

    if (!f->unsure)
        return;
    if (window == 0 || window > FAL_K_SEGMENTS)
        window = FAL_K_SEGMENTS;
    f->unsure = false;
    f->unsure_below = fal_k_more(cum, GAP_WINDOWS * window);
}

static bool settled(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                    const struct fal_k_seg *s)
{
    if (k->view.vantage == FAL_TP_MIDDLE)
        return s->arrived && s->claimed;
    if (fal_k_at_sender(k) && (!s->acked || (k->row.cumulative && f->low >= f->cum)))
        return false;
    if (!fal_k_at_receiver(k))
        return true;
    if (!s->arrived || !s->claimed)
        return false;
    return s->delivered || (!f->delivers && f->high - f->low > FAL_K_DELIVERY_LAG);
}

void fal_k_settle(const struct fal_tp_judge *k, struct fal_k_flow *f)
{
    while (f->low < f->high && settled(k, f, slot(f, f->low))) {
        f->undelivered = f->undelivered || !slot(f, f->low)->delivered;
        drop_lowest(f);
    }
}
