/* SPDX-License-Identifier: Apache-2.0
 * bench_net.c - the network of a bench, and the events that it and the ends tell. */
#include "codecs/base/error.h"
#include "oracles/logic/bench_impl.h"

#include <stdlib.h>

enum { HEADER = 64, MILLION = 1000000 };

uint64_t fal_logic_wire_ns(uint32_t bytes, uint64_t bps)
{
    return bps == 0 ? 0 : (UINT64_C(8000000000) * bytes + bps - 1) / bps;
}

static uint32_t item_new(struct fal_logic_bench *b)
{
    struct fal_logic_item *items = b->items;
    uint32_t at = b->free_item, room = b->num_items != 0 ? 2 * b->num_items : 64;

    if (at < b->num_items) {
        b->free_item = items[at].next;
        return at;
    }
    items = realloc(items, room * sizeof *items);
    if (items == NULL) {
        b->error = FAL_ERR_MEM;
        return UINT32_MAX;
    }
    for (uint32_t i = b->num_items; i < room; i++)
        items[i] = (struct fal_logic_item){.next = i + 1};
    b->items = items;
    b->free_item = b->num_items + 1;
    b->num_items = room;
    return at;
}

static bool chance(struct fal_logic_one *one, uint32_t ppm)
{
    return ppm != 0 && fal_rng_below(&one->rng, MILLION) < ppm;
}

/* The delay of the path from now on, sometimes longer so that later packets overtake. */
static uint64_t delay(const struct fal_logic_bench *b, struct fal_logic_one *one)
{
    const struct fal_logic_net *net = &b->config.net;

    if (!chance(one, net->reorder_ppm) || net->jitter_ns == 0)
        return net->delay_ns;
    return net->delay_ns + 1 + fal_rng_below(&one->rng, net->jitter_ns);
}

static void put(struct fal_logic_bench *b, struct fal_logic_one *one, uint64_t at_ns,
                const struct fal_logic_item *what)
{
    uint32_t item = item_new(b), next;

    if (item == UINT32_MAX)
        return;
    next = b->items[item].next;
    b->items[item] = *what;
    b->items[item].next = next;
    fal_logic_bench_add(b, at_ns, what->is_reply ? FAL_LOGIC_AT_SENDER : FAL_LOGIC_AT_RECEIVER,
                        one->number, item);
}

static void trim(struct fal_logic_one *one, struct fal_logic_packet *packet)
{
    packet->trimmed = true;
    packet->digest = 0;
    one->count.trimmed++;
}

/* The queue of the bottleneck: returns false when it drops the segment; *at_ns: when the
 * segment has left it. Trimmed headers overtake the queue. */
static bool queue(struct fal_logic_bench *b, struct fal_logic_one *one,
                  struct fal_logic_packet *packet, uint64_t *at_ns)
{
    const struct fal_logic_net *net = &b->config.net;
    uint64_t busy_ns = b->link_ns > b->now_ns ? b->link_ns - b->now_ns : 0;
    uint64_t bytes = busy_ns * (net->link_bps / MILLION) / UINT64_C(8000);
    uint64_t above = bytes > net->kmin_bytes ? bytes - net->kmin_bytes : 0;

    *at_ns = b->now_ns;
    if (net->link_bps == 0)
        return true;
    if (bytes + packet->bytes > net->queue_bytes) {
        if (net->trims)
            trim(one, packet);
        return net->trims;
    }
    if (net->kmax_bytes > net->kmin_bytes && above > 0)
        packet->ce |= bytes >= net->kmax_bytes ||
                      chance(one, (uint32_t)(above * net->pmax_ppm /
                                             (net->kmax_bytes - net->kmin_bytes)));
    b->link_ns = b->now_ns + busy_ns + fal_logic_wire_ns(packet->bytes, net->link_bps);
    *at_ns = b->link_ns;
    return true;
}

void fal_logic_net_segment(struct fal_logic_bench *b, struct fal_logic_one *one,
                           const struct fal_logic_packet *packet)
{
    const struct fal_logic_net *net = &b->config.net;
    struct fal_logic_item item = {.packet = *packet};
    uint64_t at_ns;

    if (chance(one, net->loss_ppm) || !queue(b, one, &item.packet, &at_ns)) {
        one->count.lost++;
        return;
    }
    if (!item.packet.trimmed && chance(one, net->trim_ppm))
        trim(one, &item.packet);
    item.packet.ce |= chance(one, net->mark_ppm);
    one->count.marked += item.packet.ce;
    put(b, one, at_ns + delay(b, one), &item);
    if (chance(one, net->dup_ppm))
        put(b, one, at_ns + delay(b, one), &item);
}

void fal_logic_net_reply(struct fal_logic_bench *b, struct fal_logic_one *one,
                         const struct fal_logic_reply *reply)
{
    const struct fal_logic_item item = {.is_reply = true, .reply = *reply};

    fal_logic_tell_reply(b, one, FAL_TP_REPLY, reply);
    if (!chance(one, b->config.net.reply_loss_ppm))
        put(b, one, b->now_ns + delay(b, one), &item);
}

/* ---- events ---- */

static void tell(struct fal_logic_bench *b, struct fal_tp_event *event)
{
    event->at_ns = b->now_ns;
    event->number = ++b->number;
    if (b->config.sink.event != NULL)
        b->config.sink.event(b->config.sink.ctx, event);
}

void fal_logic_tell(struct fal_logic_bench *b, const struct fal_logic_one *one,
                    enum fal_tp_kind kind, uint32_t id)
{
    struct fal_tp_event event = {
        .flow = one->number, .kind = kind, .seg = id - one->sender.first};

    if (kind == FAL_TP_DELIVER) {
        event.bytes = one->sizes[id % FAL_LOGIC_WINDOW];
        event.digest = one->digests[id % FAL_LOGIC_WINDOW];
    }
    tell(b, &event);
}

void fal_logic_tell_packet(struct fal_logic_bench *b, const struct fal_logic_one *one,
                           enum fal_tp_kind kind, const struct fal_logic_packet *packet)
{
    struct fal_tp_event event = {.flow = one->number,
                                 .kind = kind,
                                 .seg = packet->id - one->sender.first,
                                 .bytes = packet->bytes,
                                 .digest = packet->digest,
                                 .ce = packet->ce,
                                 .trimmed = packet->trimmed};

    tell(b, &event);
}

void fal_logic_tell_reply(struct fal_logic_bench *b, const struct fal_logic_one *one,
                          enum fal_tp_kind kind, const struct fal_logic_reply *reply)
{
    uint32_t first = one->sender.first;
    struct fal_tp_event event = {.flow = one->number,
                                 .kind = kind,
                                 .reply = {.cum = reply->has_cum ? reply->cum - first : 0,
                                           .has_cum = reply->has_cum,
                                           .num_got = reply->num_got,
                                           .nack = reply->nack,
                                           .nack_seg = reply->nack ? reply->nack_id - first : 0,
                                           .ecn = reply->ecn,
                                           .cnp = reply->cnp,
                                           .window = reply->window,
                                           .grant = reply->grant}};

    for (unsigned i = 0; i < reply->num_got; i++)
        event.reply.got[i] =
            (struct fal_tp_range){reply->got[i].first - first, reply->got[i].end - first};
    tell(b, &event);
}
