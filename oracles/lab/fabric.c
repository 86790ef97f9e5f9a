/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/fabric.h"

#include "oracles/rng.h"

#include <stdlib.h>

#define PS_PER_S UINT64_C(1000000000000)

uint64_t fal_lab_serial_ps(uint64_t rate_bps, uint64_t bytes)
{
    return bytes * 8 * PS_PER_S / rate_bps;
}

/* ---- memory of packets ---- */

static bool more_packets(struct fal_lab_fabric *fabric)
{
    uint32_t cap = fabric->cap > 0 ? fabric->cap * 2 : 1024;
    struct fal_lab_packet *packets = realloc(fabric->packets, cap * sizeof *packets);

    if (packets == NULL)
        return false;
    fabric->packets = packets;
    for (uint32_t i = fabric->cap; i < cap; i++)
        packets[i].next = i + 1 < cap ? i + 1 : FAL_LAB_NONE;
    fabric->free = fabric->cap;
    fabric->cap = cap;
    return true;
}

static void packet_free(struct fal_lab_fabric *fabric, uint32_t packet)
{
    fabric->packets[packet].next = fabric->free;
    fabric->free = packet;
}

/* ---- paths ---- */

uint32_t fal_lab_fabric_path(const struct fal_lab_fabric *fabric, uint32_t group,
                             uint32_t entropy)
{
    const struct fal_lab_group *g = &fabric->groups[group];
    struct fal_rng rng = fal_rng_split(fabric->seed ^ entropy, group + 1);
    uint64_t hash = fal_rng_next(&rng);

    if (fabric->fault == FAL_LAB_UNEQUAL_PATHS && hash >> 62 == 0)
        return g->first;
    return g->first + (uint32_t)(hash % g->count);
}

/* ---- queues ---- */

static uint64_t serial_ps(const struct fal_lab_fabric *fabric, uint64_t rate_bps,
                          uint32_t bytes)
{
    return fal_lab_serial_ps(fabric->fault == FAL_LAB_SLOW ? rate_bps / 100 * 95 : rate_bps,
                             bytes);
}

static void drop(struct fal_lab_fabric *fabric, struct fal_lab_queue *queue, uint32_t packet)
{
    uint32_t bytes = fabric->packets[packet].bytes;

    queue->bytes_dropped += bytes;
    queue->dropped++;
    fabric->bytes_dropped += bytes;
    if (fabric->ops->dropped != NULL)
        fabric->ops->dropped(fabric->ctx, packet);
    packet_free(fabric, packet);
}

/* The packet enters the queue of its stage. */
static void enter(struct fal_lab_fabric *fabric, uint32_t packet)
{
    struct fal_lab_packet *p = &fabric->packets[packet];
    uint32_t number = fal_lab_fabric_path(fabric, p->groups[p->stage], p->entropy);
    struct fal_lab_queue *queue = &fabric->queues[number];

    queue->bytes_in += p->bytes;
    if (queue->limit_bytes > 0 && queue->bytes + p->bytes > queue->limit_bytes) {
        drop(fabric, queue, packet);
        return;
    }
    if (queue->ecn_bytes > 0 && queue->bytes >= queue->ecn_bytes) {
        p->marked = true;
        queue->marked++;
    }
    p->entered_ps = fabric->now_ps;
    p->next = FAL_LAB_NONE;
    if (queue->bytes == 0) {
        queue->first = packet;
        fal_lab_heap_push(&fabric->heap,
                          fabric->now_ps + serial_ps(fabric, queue->rate_bps, p->bytes),
                          FAL_LAB_DEPART, number);
    } else {
        fabric->packets[queue->last].next = packet;
    }
    queue->last = packet;
    queue->bytes += p->bytes;
    if (fabric->ops->queued != NULL)
        fabric->ops->queued(fabric->ctx, number);
}

/* The first packet of the queue has left it: it is on the link. */
static void depart(struct fal_lab_fabric *fabric, uint32_t number)
{
    struct fal_lab_queue *queue = &fabric->queues[number];
    uint32_t packet = queue->first;
    struct fal_lab_packet *p = &fabric->packets[packet];
    uint64_t twice = fabric->fault == FAL_LAB_DELAY_TWICE ? 2 : 1;

    p->waited_ps +=
        fabric->now_ps - p->entered_ps - serial_ps(fabric, queue->rate_bps, p->bytes);
    queue->bytes -= p->bytes;
    queue->bytes_out += p->bytes;
    queue->first = p->next;
    if (queue->bytes > 0) {
        uint32_t bytes = fabric->packets[queue->first].bytes;

        fal_lab_heap_push(&fabric->heap,
                          fabric->now_ps + serial_ps(fabric, queue->rate_bps, bytes),
                          FAL_LAB_DEPART, number);
    }
    fabric->bytes_on_links += p->bytes;
    fal_lab_heap_push(&fabric->heap, fabric->now_ps + queue->delay_ps * twice, FAL_LAB_ARRIVE,
                      packet);
    if (fabric->ops->queued != NULL)
        fabric->ops->queued(fabric->ctx, number);
}

static void arrive(struct fal_lab_fabric *fabric, uint32_t packet)
{
    struct fal_lab_packet *p = &fabric->packets[packet];

    fabric->bytes_on_links -= p->bytes;
    p->stage++;
    if (p->stage < p->stages) {
        enter(fabric, packet);
        return;
    }
    fabric->bytes_out += p->bytes;
    p->received_ps = fabric->now_ps;
    fabric->kept = false;
    fabric->ops->delivered(fabric->ctx, packet);
    if (!fabric->kept)
        packet_free(fabric, packet);
}

/* ---- for the ends ---- */

void fal_lab_fabric_send(struct fal_lab_fabric *fabric, const struct fal_lab_packet *packet)
{
    uint32_t at;

    if ((fabric->cap == 0 || fabric->free == FAL_LAB_NONE) && !more_packets(fabric)) {
        fabric->heap.out_of_memory = true;
        return;
    }
    at = fabric->free;
    fabric->free = fabric->packets[at].next;
    fabric->packets[at] = *packet;
    fabric->packets[at].sent_ps = fabric->now_ps;
    fabric->bytes_in += packet->bytes;
    enter(fabric, at);
}

void fal_lab_fabric_later(struct fal_lab_fabric *fabric, uint32_t packet, uint64_t delay_ps,
                          enum fal_lab_kind kind)
{
    fabric->kept = true;
    fal_lab_heap_push(&fabric->heap, fabric->now_ps + delay_ps, kind, packet);
}

static void own_event(struct fal_lab_fabric *fabric, const struct fal_lab_item *item)
{
    fabric->kept = item->kind == FAL_LAB_TIMER; /* that is no packet */
    fabric->ops->event(fabric->ctx, item);
    if (!fabric->kept)
        packet_free(fabric, item->index);
}

int fal_lab_fabric_step(struct fal_lab_fabric *fabric, uint64_t until_ps)
{
    struct fal_lab_item item;

    if (fabric->heap.count == 0 || fabric->heap.items[0].due_ps > until_ps ||
        !fal_lab_heap_pop(&fabric->heap, &item))
        return 0;
    fabric->now_ps = item.due_ps;
    switch (item.kind) {
    case FAL_LAB_DEPART: depart(fabric, item.index); break;
    case FAL_LAB_ARRIVE: arrive(fabric, item.index); break;
    case FAL_LAB_TAKEN:
    case FAL_LAB_ACK:
    case FAL_LAB_TIMER: own_event(fabric, &item); break;
    }
    return fabric->heap.out_of_memory ? FAL_ERR_MEM : 1;
}

bool fal_lab_fabric_balanced(const struct fal_lab_fabric *fabric)
{
    uint64_t queued = 0, dropped = 0;

    for (uint32_t i = 0; i < fabric->n_queues; i++) {
        const struct fal_lab_queue *q = &fabric->queues[i];
        uint64_t bytes = 0;

        for (uint32_t p = q->bytes > 0 ? q->first : FAL_LAB_NONE; p != FAL_LAB_NONE;
             p = fabric->packets[p].next)
            bytes += fabric->packets[p].bytes;
        if (bytes != q->bytes || q->bytes_in != q->bytes_out + q->bytes_dropped + q->bytes)
            return false;
        queued += bytes;
        dropped += q->bytes_dropped;
    }
    return dropped == fabric->bytes_dropped &&
           fabric->bytes_in ==
               fabric->bytes_out + fabric->bytes_dropped + queued + fabric->bytes_on_links;
}

void fal_lab_fabric_free(struct fal_lab_fabric *fabric)
{
    free(fabric->packets);
    fal_lab_heap_free(&fabric->heap);
    fabric->packets = NULL;
    fabric->cap = 0;
}
