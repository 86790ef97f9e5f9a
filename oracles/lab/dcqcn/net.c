/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/dcqcn/net.h"

#include "codecs/base/error.h"
#include "oracles/lab/trace.h"

#include <stdlib.h>
#include <string.h>

enum { READY = 2, PS_PER_NS = 1000, PAUSE_BITS = 2 };

static const uint64_t ps_per_s = UINT64_C(1000000000000);

static uint64_t time_ps(uint64_t bytes, uint64_t bps)
{
    return (uint64_t)((double)bytes * 8 * (double)ps_per_s / (double)bps);
}

static bool measured(const struct fal_pfc_net *net)
{
    return net->now_ps >= net->from_ps;
}

static void later(struct fal_pfc_net *net, uint64_t at_ps, enum fal_lab_kind kind,
                  uint32_t index)
{
    fal_lab_heap_push(&net->events, at_ps, kind, index);
    net->no_memory |= net->events.out_of_memory;
}

/* ---- packets ---- */

static uint32_t new_packet(struct fal_pfc_net *net)
{
    uint32_t index = net->free_packet;

    if (index != FAL_PFC_NONE) {
        net->free_packet = net->packets[index].next;
        return index;
    }
    if (net->num_packets == net->cap_packets) {
        uint32_t cap = net->cap_packets == 0 ? 64 : net->cap_packets * 2;
        struct fal_pfc_packet *grown = realloc(net->packets, cap * sizeof *grown);

        if (grown == NULL) {
            net->no_memory = true;
            return FAL_PFC_NONE;
        }
        net->packets = grown;
        net->cap_packets = cap;
    }
    return net->num_packets++;
}

static void drop_packet(struct fal_pfc_net *net, uint32_t index)
{
    net->packets[index].next = net->free_packet;
    net->free_packet = index;
}

/* ---- links ---- */

static void begin_sending(struct fal_pfc_net *net, uint32_t number)
{
    struct fal_pfc_link *link = &net->links[number];

    if (link->sending != FAL_PFC_NONE)
        return;
    for (uint32_t i = 1; i <= FAL_PFC_PRIORITIES; i++) {
        uint32_t priority = (link->turn + i) % FAL_PFC_PRIORITIES;
        struct fal_pfc_queue *queue = &link->queues[priority];

        if (queue->paused || queue->first == FAL_PFC_NONE)
            continue;
        link->turn = priority;
        link->sending = queue->first;
        queue->first = net->packets[queue->first].next;
        if (queue->first == FAL_PFC_NONE)
            queue->last = FAL_PFC_NONE;
        later(net, net->now_ps + time_ps(net->packets[link->sending].bytes, link->rate_bps),
              FAL_LAB_DEPART, number);
        return;
    }
}

static void enqueue(struct fal_pfc_net *net, uint32_t number, uint32_t packet)
{
    struct fal_pfc_packet *p = &net->packets[packet];
    struct fal_pfc_link *link = &net->links[number];
    struct fal_pfc_queue *queue = &link->queues[net->flows[p->flow].priority];

    p->next = FAL_PFC_NONE;
    p->since_ps = net->now_ps;
    if (queue->last == FAL_PFC_NONE)
        queue->first = packet;
    else
        net->packets[queue->last].next = packet;
    queue->last = packet;
    queue->bytes += p->bytes;
    if (measured(net) && queue->bytes > link->most_bytes)
        link->most_bytes = queue->bytes;
    begin_sending(net, number);
}

/* The node behind a link pauses it or lets it go on. */
static void ask(struct fal_pfc_net *net, uint32_t number, uint32_t priority)
{
    struct fal_pfc_link *link = &net->links[number];
    struct fal_pfc_queue *queue = &link->queues[priority];
    bool pause = queue->behind > net->pause_bytes;

    if (net->pause_bytes == 0 || pause == queue->asked ||
        (queue->asked && queue->behind > net->pause_bytes / 2))
        return;
    queue->asked = pause;
    if (pause && measured(net))
        link->pauses++;
    later(net, net->now_ps + link->delay_ps, FAL_LAB_TAKEN,
          number << PAUSE_BITS | priority << 1 | pause);
}

static void pause_arrives(struct fal_pfc_net *net, uint32_t coded)
{
    uint32_t number = coded >> PAUSE_BITS;
    struct fal_pfc_link *link = &net->links[number];
    struct fal_pfc_queue *queue = &link->queues[coded >> 1 & 1];
    bool pause = (coded & 1) != 0;

    if (queue->paused && !pause && measured(net))
        link->paused_ps +=
            net->now_ps - (queue->since_ps > net->from_ps ? queue->since_ps : net->from_ps);
    queue->paused = pause;
    queue->since_ps = net->now_ps;
    begin_sending(net, number);
}

/* ---- flows ---- */

static uint64_t rate_of(const struct fal_pfc_net *net, const struct fal_pfc_flow *flow)
{
    uint64_t rate =
        net->dcqcn ? fal_dcqcn_rp_rate_bps(&flow->rp) : net->links[flow->path[0]].rate_bps;

    return flow->cap_bps != 0 && flow->cap_bps < rate ? flow->cap_bps : rate;
}

/* Puts packets into the sender's port, as its rate allows and as long as few wait there. */
static void feed(struct fal_pfc_net *net, uint32_t number)
{
    struct fal_pfc_flow *flow = &net->flows[number];
    struct fal_pfc_link *port = &net->links[flow->path[0]];

    while (port->queues[flow->priority].bytes < (uint64_t)READY * net->packet_bytes &&
           flow->next_ps <= net->now_ps) {
        uint32_t packet = new_packet(net);

        if (packet == FAL_PFC_NONE)
            return;
        net->packets[packet] =
            (struct fal_pfc_packet){.flow = number, .bytes = net->packet_bytes};
        if (net->dcqcn)
            fal_dcqcn_rp_sent(&flow->rp, net->packet_bytes, net->now_ps / PS_PER_NS);
        flow->next_ps = net->now_ps + time_ps(net->packet_bytes, rate_of(net, flow));
        enqueue(net, flow->path[0], packet);
    }
    if (flow->next_ps > net->now_ps && flow->timer_ps != flow->next_ps) {
        flow->timer_ps = flow->next_ps;
        later(net, flow->next_ps, FAL_LAB_TIMER, number);
    }
}

static void notify(struct fal_pfc_net *net, uint32_t number)
{
    struct fal_pfc_flow *flow = &net->flows[number];
    uint64_t back_ps = 0;

    for (uint32_t i = 0; i < flow->hops; i++)
        back_ps += net->links[flow->path[i]].delay_ps;
    flow->cnps += measured(net);
    later(net, net->now_ps + back_ps, FAL_LAB_ACK, number);
}

static void delivered(struct fal_pfc_net *net, uint32_t packet)
{
    struct fal_pfc_packet *p = &net->packets[packet];
    struct fal_pfc_flow *flow = &net->flows[p->flow];
    uint64_t now_ns = net->now_ps / PS_PER_NS;

    if (measured(net))
        flow->measured_bytes += p->bytes;
    net->trace = fal_lab_mixed(net->trace, net->now_ps ^ p->flow);
    if (net->dcqcn && fal_dcqcn_np_due(&flow->np, &net->params, now_ns))
        notify(net, p->flow);
    if (net->dcqcn && p->ce && fal_dcqcn_np_marked(&flow->np, &net->params, now_ns))
        notify(net, p->flow);
    drop_packet(net, packet);
}

/* ---- events ---- */

static void departed(struct fal_pfc_net *net, uint32_t number)
{
    struct fal_pfc_link *link = &net->links[number];
    uint32_t packet = link->sending;
    struct fal_pfc_packet *p = &net->packets[packet];
    const struct fal_pfc_flow *flow = &net->flows[p->flow];

    link->sending = FAL_PFC_NONE;
    link->queues[flow->priority].bytes -= p->bytes;
    if (number == net->watched && measured(net))
        fal_lab_histogram_add(&net->waited,
                              net->now_ps - p->since_ps - time_ps(p->bytes, link->rate_bps));
    if (p->hop > 0) {
        uint32_t before = flow->path[p->hop - 1];

        net->links[before].queues[flow->priority].behind -= p->bytes;
        ask(net, before, flow->priority);
    }
    later(net, net->now_ps + link->delay_ps, FAL_LAB_ARRIVE, packet);
    if (p->hop == 0)
        feed(net, p->flow);
    begin_sending(net, number);
}

static void arrived(struct fal_pfc_net *net, uint32_t packet)
{
    struct fal_pfc_packet *p = &net->packets[packet];
    const struct fal_pfc_flow *flow = &net->flows[p->flow];
    uint32_t over = flow->path[p->hop], next;

    if (++p->hop == flow->hops) {
        delivered(net, packet);
        return;
    }
    next = flow->path[p->hop];
    if (fal_dcqcn_mark(&net->params, net->links[next].queues[flow->priority].bytes,
                       FAL_ECN_ECT0,
                       (uint32_t)fal_rng_below(&net->rng, FAL_DCQCN_PPM)) == FAL_ECN_CE)
        p->ce = true;
    net->links[over].queues[flow->priority].behind += p->bytes;
    ask(net, over, flow->priority);
    enqueue(net, next, packet);
}

static void handle(struct fal_pfc_net *net, const struct fal_lab_item *item)
{
    switch (item->kind) {
    case FAL_LAB_DEPART: departed(net, item->index); return;
    case FAL_LAB_ARRIVE: arrived(net, item->index); return;
    case FAL_LAB_TAKEN: pause_arrives(net, item->index); return;
    case FAL_LAB_ACK:
        fal_dcqcn_rp_cnp(&net->flows[item->index].rp, net->now_ps / PS_PER_NS);
        return;
    case FAL_LAB_TIMER:
        if (net->flows[item->index].timer_ps == net->now_ps)
            feed(net, item->index);
        return;
    }
}

static void begin(struct fal_pfc_net *net)
{
    net->rng = fal_rng_split(net->seed, 1);
    net->free_packet = FAL_PFC_NONE;
    for (uint32_t i = 0; i < net->num_links; i++) {
        net->links[i].sending = FAL_PFC_NONE;
        for (uint32_t k = 0; k < FAL_PFC_PRIORITIES; k++)
            net->links[i].queues[k].first = net->links[i].queues[k].last = FAL_PFC_NONE;
    }
    for (uint32_t i = 0; i < net->num_flows; i++) {
        struct fal_pfc_flow *flow = &net->flows[i];

        fal_dcqcn_rp_init(&flow->rp, &net->params, 0);
        flow->next_ps = flow->timer_ps = flow->start_ps;
        later(net, flow->start_ps, FAL_LAB_TIMER, i);
    }
}

int fal_pfc_run(struct fal_pfc_net *net)
{
    struct fal_lab_item item;

    begin(net);
    while (!net->no_memory && fal_lab_heap_pop(&net->events, &item)) {
        if (item.due_ps >= net->until_ps)
            break;
        net->now_ps = item.due_ps;
        net->played++;
        handle(net, &item);
    }
    net->now_ps = net->until_ps;
    for (uint32_t i = 0; i < net->num_links; i++)
        for (uint32_t k = 0; k < FAL_PFC_PRIORITIES; k++)
            if (net->links[i].queues[k].paused && measured(net)) {
                uint64_t since_ps = net->links[i].queues[k].since_ps;

                net->links[i].paused_ps +=
                    net->now_ps - (since_ps > net->from_ps ? since_ps : net->from_ps);
            }
    return net->no_memory ? FAL_ERR_MEM : 0;
}

void fal_pfc_end(struct fal_pfc_net *net)
{
    fal_lab_heap_free(&net->events);
    free(net->packets);
    net->packets = NULL;
}

int64_t fal_pfc_share_milli(const struct fal_pfc_net *net, uint32_t flow, uint64_t rate_bps)
{
    double span_ps = (double)net->until_ps - (double)net->from_ps;
    double whole = (double)rate_bps * span_ps / (double)ps_per_s / 8;

    return whole <= 0 ? 0
                      : (int64_t)((double)net->flows[flow].measured_bytes * 1000 / whole + 0.5);
}
