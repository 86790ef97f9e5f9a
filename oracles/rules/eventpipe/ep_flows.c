/* SPDX-License-Identifier: Apache-2.0
 * ep_flows.c - flows by their id, and the events of each that are not delivered yet. */
#include "oracles/rules/eventpipe/ep_state.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_FIRST = 64 };

/* ---- flows ---- */

struct fal_ep_flow *fal_ep_flow_at(const struct fal_ep_judge *j, uint32_t index)
{
    return &j->flow_blocks[index / FAL_EP_BLOCK][index % FAL_EP_BLOCK];
}

static uint32_t place_of(const struct fal_ep_judge *j, uint32_t id)
{
    uint32_t at = (id * UINT32_C(2654435769)) & (j->hash_size - 1);

    while (j->hash[at] != 0 && fal_ep_flow_at(j, j->hash[at] - 1)->id != id)
        at = (at + 1) & (j->hash_size - 1);
    return at;
}

/* Keeps half of the places free. */
static bool make_room(struct fal_ep_judge *j)
{
    uint32_t size = j->hash_size == 0 ? HASH_FIRST : 2 * j->hash_size;
    uint32_t *hash;

    if (2 * (j->num_flows + 1) <= j->hash_size)
        return true;
    hash = calloc(size, sizeof *hash);
    if (hash == NULL)
        return false;
    free(j->hash);
    j->hash = hash;
    j->hash_size = size;
    for (uint32_t i = 0; i < j->num_flows; i++)
        hash[place_of(j, fal_ep_flow_at(j, i)->id)] = i + 1;
    return true;
}

static struct fal_ep_flow *new_flow(struct fal_ep_judge *j, uint32_t id)
{
    struct fal_ep_flow **block = &j->flow_blocks[j->num_flows / FAL_EP_BLOCK], *flow;

    if (*block == NULL)
        *block = calloc(FAL_EP_BLOCK, sizeof **block);
    if (*block == NULL)
        return NULL;
    flow = fal_ep_flow_at(j, j->num_flows++);
    flow->id = id;
    flow->slice = flow->last_slice = flow->processor = flow->last_processor = FAL_EP_NONE;
    return flow;
}

struct fal_ep_flow *fal_ep_flow_of(struct fal_ep_judge *j, uint32_t id)
{
    uint32_t at;
    struct fal_ep_flow *flow;

    if (!make_room(j)) {
        j->no_memory = true;
        return NULL;
    }
    at = place_of(j, id);
    if (j->hash[at] != 0)
        return fal_ep_flow_at(j, j->hash[at] - 1);
    if (j->num_flows == FAL_EP_FLOWS_MAX) {
        fal_ep_excused(j, EP1, "too-many-flows");
        fal_ep_excused(j, EP2, "too-many-flows");
        return NULL;
    }
    flow = new_flow(j, id);
    if (flow == NULL)
        j->no_memory = true;
    else
        j->hash[at] = j->num_flows;
    return flow;
}

/* ---- events ---- */

enum fal_ep_queue fal_ep_queue_of(enum fal_ep_kind kind)
{
    switch (kind) {
    case FAL_EP_TX:
    case FAL_EP_RTT_SENT: return FAL_EP_TX_FIFO;
    case FAL_EP_CNP:
    case FAL_EP_NACK:
    case FAL_EP_ACK:
    case FAL_EP_RTT: return FAL_EP_RX_FIFO;
    case FAL_EP_FW: break;
    }
    return FAL_EP_FW_REGISTER;
}

static void append(struct fal_ep_list *list, struct fal_ep_item *item)
{
    item->next = NULL;
    item->prev = list->last;
    if (list->last != NULL)
        list->last->next = item;
    else
        list->first = item;
    list->last = item;
}

static void take_out(struct fal_ep_item *item)
{
    struct fal_ep_list *list = &item->flow->lists[item->list];

    if (item->prev != NULL)
        item->prev->next = item->next;
    else
        list->first = item->next;
    if (item->next != NULL)
        item->next->prev = item->prev;
    else
        list->last = item->prev;
}

void fal_ep_item_move(struct fal_ep_item *item, unsigned list)
{
    take_out(item);
    item->list = (uint8_t)list;
    append(&item->flow->lists[list], item);
}

void fal_ep_item_remove(struct fal_ep_judge *j, struct fal_ep_item *item)
{
    struct fal_ep_flow *flow = item->flow;

    take_out(item);
    if (item->slice != FAL_EP_NONE)
        j->slices[item->slice].merged--;
    if (--flow->pending == 0)
        flow->unsure = false;
    item->next = j->free_items;
    j->free_items = item;
}

static void lose_track(struct fal_ep_judge *j, struct fal_ep_flow *flow)
{
    for (unsigned list = 0; list < FAL_EP_LISTS; list++)
        while (flow->lists[list].first != NULL)
            fal_ep_item_remove(j, flow->lists[list].first);
    flow->lost_track = true;
    fal_ep_excused(j, EP1, "too-many-pending");
    fal_ep_excused(j, EP2, "too-many-pending");
}

static bool more_items(struct fal_ep_judge *j)
{
    struct fal_ep_item *block;

    if (j->num_blocks == FAL_EP_PENDING_MAX / FAL_EP_BLOCK)
        return false;
    block = calloc(FAL_EP_BLOCK, sizeof *block);
    if (block == NULL)
        return false;
    j->item_blocks[j->num_blocks++] = block;
    for (size_t i = 0; i < FAL_EP_BLOCK; i++) {
        block[i].next = j->free_items;
        j->free_items = &block[i];
    }
    return true;
}

void fal_ep_item_add(struct fal_ep_judge *j, struct fal_ep_flow *flow,
                     const struct fal_ep_event *event)
{
    struct fal_ep_item *item;

    flow->had_input = true;
    if (flow->lost_track)
        return;
    if (flow->pending == FAL_EP_PENDING_FLOW_MAX || (j->free_items == NULL && !more_items(j))) {
        lose_track(j, flow);
        return;
    }
    item = j->free_items;
    j->free_items = item->next;
    *item = (struct fal_ep_item){.flow = flow,
                                 .number = event->number,
                                 .at_ns = event->at_ns,
                                 .seq = event->seq,
                                 .bytes = event->bytes,
                                 .writes = fal_ep_class_writes(j, event->kind),
                                 .kind = event->kind,
                                 .list = (uint8_t)fal_ep_queue_of(event->kind),
                                 .slice = FAL_EP_NONE};
    append(&flow->lists[item->list], item);
    flow->pending++;
}

struct fal_ep_item *fal_ep_item_find(const struct fal_ep_list *list,
                                     const struct fal_ep_event *event)
{
    struct fal_ep_item *item = list->first;

    while (item != NULL && !(item->kind == event->kind && item->seq == event->seq &&
                             (event->bytes == 0 || item->bytes == event->bytes)))
        item = item->next;
    return item;
}

void fal_ep_flows_free(struct fal_ep_judge *j)
{
    for (size_t i = 0; i < FAL_EP_FLOWS_MAX / FAL_EP_BLOCK; i++)
        free(j->flow_blocks[i]);
    for (size_t i = 0; i < j->num_blocks; i++)
        free(j->item_blocks[i]);
    free(j->hash);
}
