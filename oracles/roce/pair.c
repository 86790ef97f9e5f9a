/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/roce/pair.h"

#include "codecs/frame/roce_frame.h"
#include "oracles/cc/dcqcn_net.h"
#include "oracles/rng.h"
#include "oracles/simnet_heap.h"

#include <stdlib.h>
#include <string.h>

enum { IP_AT = 14, AT_GATE = 0, AT_END = 1 };

/* An end, and the way of what it sends. */
struct side {
    struct fal_roce_pair *pair;
    unsigned number;
    struct fal_roce_end *end;
    struct fal_roce_route route;
    uint64_t busy_ns; /* of the switch's port towards the other end */
};

struct fal_roce_pair {
    struct fal_roce_pair_setup setup;
    struct fal_roce_watch watch;
    struct side sides[2];
    struct fal_simnet_heap frames; /* path: AT_GATE or AT_END; dir: the end that sent it */
    uint64_t now_ns, order;
    struct fal_rng rng;
    bool no_memory;
};

static void put(struct fal_roce_pair *pair, uint64_t at_ns, unsigned from, uint32_t point,
                struct fal_span frame)
{
    struct fal_simnet_item *item = malloc(sizeof *item + frame.len);

    if (item == NULL || fal_simnet_heap_reserve(&pair->frames) != 0) {
        pair->no_memory = true;
        free(item);
        return;
    }
    *item = (struct fal_simnet_item){.due_ns = at_ns,
                                     .order = pair->order++,
                                     .dir = (enum fal_dir)from,
                                     .path = point,
                                     .len = frame.len};
    memcpy(item->bytes, frame.bytes, frame.len);
    fal_simnet_heap_push(&pair->frames, item);
}

static void sent(void *ctx, uint64_t now_ns, const struct fal_roce_out *out)
{
    struct side *side = ctx;
    uint8_t bytes[FAL_ROCE_FRAME_MAX];
    int len;

    side->route.ecn = out->ecn;
    side->route.dscp = out->dscp;
    side->route.src_port = out->src_port;
    len = fal_roce_frame_encode(&out->packet, &side->route, bytes, sizeof bytes, NULL);
    if (len < 0)
        return; /* cannot be: the player fills in what fits */
    if (out->spoil_icrc)
        bytes[len - 1] ^= 1;
    if (side->pair->watch.port != NULL)
        side->pair->watch.port(side->pair->watch.ctx, now_ns, side->number, true,
                               (struct fal_span){bytes, (size_t)len});
    put(side->pair, now_ns + side->pair->setup.delay_ns, side->number, AT_GATE,
        (struct fal_span){bytes, (size_t)len});
}

static void happened(void *ctx, const struct fal_roce_event *event)
{
    struct side *side = ctx;
    const struct fal_roce_watch *watch = &side->pair->watch;

    if (watch->event != NULL)
        watch->event(watch->ctx, side->number, event);
}

struct fal_roce_pair *fal_roce_pair_new(const struct fal_roce_pair_setup *setup,
                                        const struct fal_roce_watch *watch)
{
    struct fal_roce_pair *pair = calloc(1, sizeof *pair);

    if (pair == NULL)
        return NULL;
    pair->setup = *setup;
    pair->watch = *watch;
    pair->rng = fal_rng_split(setup->seed, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &pair->sides[i];
        const struct fal_roce_outlet outlet = {sent, happened, side};

        side->pair = pair;
        side->number = i;
        fal_roce_route_lab(&side->route, setup->v6, i == 1);
        side->end = fal_roce_end_new(&setup->ends[i], &outlet);
        if (side->end == NULL) {
            fal_roce_pair_free(pair);
            return NULL;
        }
    }
    return pair;
}

void fal_roce_pair_free(struct fal_roce_pair *pair)
{
    if (pair == NULL)
        return;
    for (unsigned i = 0; i < 2; i++)
        fal_roce_end_free(pair->sides[i].end);
    fal_simnet_heap_free(&pair->frames);
    free(pair);
}

struct fal_roce_end *fal_roce_pair_end(struct fal_roce_pair *pair, unsigned end)
{
    return pair->sides[end].end;
}

int fal_roce_pair_join(struct fal_roce_pair *pair, const struct fal_roce_qp_setup *setup)
{
    struct fal_roce_qp_setup other = *setup;
    int index = fal_roce_end_add(pair->sides[0].end, setup);

    other.qpn = setup->remote_qpn;
    other.remote_qpn = setup->qpn;
    other.psn = setup->expected_psn;
    other.expected_psn = setup->psn;
    if (index < 0)
        return index;
    index = fal_roce_end_add(pair->sides[1].end, &other);
    return index;
}

/* The switch: when the frame leaves it, and the ECN bits with which it does. */
static uint64_t through_switch(struct fal_roce_pair *pair, struct side *side, uint8_t *bytes,
                               size_t len)
{
    const struct fal_roce_odd *odd = &pair->setup.network;
    uint64_t now_ns = pair->now_ns, waits_ns;
    unsigned ecn = bytes[IP_AT] >> 4 == 6 ? bytes[IP_AT + 1] >> 4 & 3 : bytes[IP_AT + 1] & 3u;
    unsigned before = ecn;

    if (side->busy_ns < now_ns)
        side->busy_ns = now_ns;
    waits_ns = side->busy_ns - now_ns;
    side->busy_ns += fal_roce_time_ns(len, pair->setup.switch_bps);
    ecn =
        fal_dcqcn_mark(&pair->setup.marks, waits_ns * (pair->setup.switch_bps / 1000000) / 8000,
                       fal_roce_bad(odd, FAL_ROCE_FAULT_CE_ON_NOT_ECT) ? FAL_ECN_ECT0 : ecn,
                       (uint32_t)fal_rng_below(&pair->rng, FAL_DCQCN_PPM));
    if (ecn != FAL_ECN_CE)
        ecn = before;
    if (ecn == FAL_ECN_CE && fal_roce_bad(odd, FAL_ROCE_FAULT_CE_CLEARED))
        ecn = FAL_ECN_ECT0;
    fal_frame_set_ecn(bytes, len, IP_AT, ecn);
    return side->busy_ns;
}

void fal_roce_pair_forward(struct fal_roce_pair *pair, uint64_t at_ns, unsigned from,
                           const uint8_t *bytes, size_t len)
{
    uint8_t copy[FAL_ROCE_FRAME_MAX];

    if (at_ns < pair->now_ns)
        at_ns = pair->now_ns;
    if (len > sizeof copy)
        return;
    memcpy(copy, bytes, len);
    if (pair->setup.switch_bps != 0) {
        uint64_t out_ns = through_switch(pair, &pair->sides[from], copy, len);

        at_ns = at_ns > out_ns ? at_ns : out_ns;
    }
    put(pair, at_ns + pair->setup.delay_ns, from, AT_END, (struct fal_span){copy, len});
}

static void arrive(struct fal_roce_pair *pair, const struct fal_simnet_item *item)
{
    const struct fal_captured captured = {item->bytes, item->len, item->len,
                                          FAL_LINKTYPE_ETHERNET};
    unsigned from = (unsigned)item->dir;
    struct fal_roce_packet packet;
    struct fal_roce_route route;
    enum fal_icrc_state icrc;

    if (pair->watch.arrived != NULL)
        pair->watch.arrived(pair->watch.ctx, pair->now_ns, from, item->bytes, item->len);
    if (pair->watch.port != NULL)
        pair->watch.port(pair->watch.ctx, pair->now_ns, 1 - from, false,
                         (struct fal_span){item->bytes, item->len});
    if (fal_roce_frame_decode(&captured, &packet, &route, &icrc))
        fal_roce_end_take(pair->sides[1 - from].end, pair->now_ns, &packet, route.ecn,
                          icrc == FAL_ICRC_GOOD);
}

static void take_frame(struct fal_roce_pair *pair)
{
    struct fal_simnet_item *item = fal_simnet_heap_pop(&pair->frames);

    if (item->path == AT_END)
        arrive(pair, item);
    else if (pair->watch.gate != NULL)
        pair->watch.gate(pair->watch.ctx, pair->now_ns, (unsigned)item->dir, item->bytes,
                         item->len);
    else
        fal_roce_pair_forward(pair, pair->now_ns, (unsigned)item->dir, item->bytes, item->len);
    free(item);
}

uint64_t fal_roce_pair_now(const struct fal_roce_pair *pair)
{
    return pair->now_ns;
}

uint64_t fal_roce_pair_next_ns(const struct fal_roce_pair *pair)
{
    uint64_t next_ns = pair->frames.count > 0 ? pair->frames.items[0]->due_ns : UINT64_MAX;

    for (unsigned i = 0; i < 2; i++) {
        uint64_t end_ns = fal_roce_end_next_ns(pair->sides[i].end);

        next_ns = end_ns < next_ns ? end_ns : next_ns;
    }
    return next_ns;
}

int fal_roce_pair_run(struct fal_roce_pair *pair, uint64_t until_ns, const bool *stop)
{
    while (!pair->no_memory && (stop == NULL || !*stop)) {
        uint64_t next_ns = fal_roce_pair_next_ns(pair);

        if (next_ns > until_ns)
            break;
        if (next_ns > pair->now_ns)
            pair->now_ns = next_ns;
        while (pair->frames.count > 0 && pair->frames.items[0]->due_ns <= pair->now_ns)
            take_frame(pair);
        for (unsigned i = 0; i < 2; i++)
            fal_roce_end_run(pair->sides[i].end, pair->now_ns);
    }
    if ((stop == NULL || !*stop) && until_ns != UINT64_MAX && until_ns > pair->now_ns)
        pair->now_ns = until_ns;
    return pair->no_memory ? FAL_ERR_MEM : 0;
}
