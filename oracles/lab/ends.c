/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/ends.h"

#include "oracles/endpoint/endpoint.h"
#include "oracles/lab/trace.h"
#include "oracles/rng.h"
#include "oracles/simnet.h"

#include <stdlib.h>
#include <string.h>

enum {
    SENDER,
    RECEIVER,
    BACKLOG = 256, /* pushes that the ULP has posted and not seen complete */
    LENGTH = 4042, /* of a push: with headers, it is a packet of the lab */
    FRAME = 4200,  /* bytes of the longest packet */
    FRAMES = 1024, /* at first */
    HEADERS = 90,  /* of Ethernet, IPv6, UDP and PSP, around each packet */
    SPI = 0x1000,  /* of the packets to the sender, and the next one */
    PS_PER_NS = 1000,
    TTL = 64,
};

/* The clock of the receiver is so far ahead: one-way delays are no delays of one clock. */
#define AHEAD_PS (FAL_S * 3000)

/* The way back takes longer or shorter by up to half of this, as in a host. Without it, flows
 * stay in step for ever: an ACK of several packets measures the delay at the same place of a
 * burst each time. */
#define JITTER_PS FAL_LAB_US

/* A packet on its way. */
struct frame {
    uint8_t bytes[FRAME];
    uint32_t len, flow, next;
    struct fal_seal seal;
};

struct end {
    struct fal_endpoint *ep;
    uint32_t conn;
    uint64_t wake_ps; /* of the timer that is set */
};

struct ends;

struct pair {
    struct ends *ends;
    uint32_t number;
    struct end end[2];
    struct fal_rng rng;
    uint64_t back_ps; /* when the last packet to the sender arrives */
    uint32_t posted, completed;
    bool failed; /* a push did: it posts no more */
};

struct ends {
    struct fal_lab *lab;
    struct fal_swift *swift;
    struct pair *pairs;
    struct frame *frames;
    uint32_t cap, free;
    int rc; /* of the first endpoint that failed */
};

/* ---- frames ---- */

static bool more_frames(struct ends *ends)
{
    uint32_t cap = ends->cap > 0 ? ends->cap * 2 : FRAMES;
    struct frame *frames = realloc(ends->frames, cap * sizeof *frames);

    if (frames == NULL)
        return false;
    ends->frames = frames;
    for (uint32_t i = ends->cap; i < cap; i++)
        frames[i].next = i + 1 < cap ? i + 1 : FAL_LAB_NONE;
    ends->free = ends->cap;
    ends->cap = cap;
    return true;
}

static void frame_free(struct ends *ends, uint32_t frame)
{
    ends->frames[frame].next = ends->free;
    ends->free = frame;
}

/* Keeps a packet. Returns its number, or FAL_LAB_NONE. */
static uint32_t frame_of(struct ends *ends, uint32_t flow, const struct fal_endpoint_out *out)
{
    uint32_t number;
    struct frame *frame;

    if (out->len > FRAME ||
        ((ends->cap == 0 || ends->free == FAL_LAB_NONE) && !more_frames(ends))) {
        ends->rc = FAL_ERR_MEM;
        return FAL_LAB_NONE;
    }
    number = ends->free;
    frame = &ends->frames[number];
    ends->free = frame->next;
    frame->flow = flow;
    frame->len = (uint32_t)out->len;
    frame->seal = out->seal;
    memcpy(frame->bytes, out->bytes, out->len);
    return number;
}

/* ---- notes ---- */

static void note(struct ends *ends, enum fal_lab_note what, uint32_t flow, uint64_t value)
{
    struct fal_lab *lab = ends->lab;

    if (lab->record != NULL)
        lab->record(lab->record_ctx, &(struct fal_lab_record){.note = what,
                                                              .index = flow,
                                                              .at_ps = lab->fabric.now_ps,
                                                              .value = value,
                                                              .lab = lab});
}

/* The algorithm of a sender: Swift, whose answers are counted and noted. */
static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct pair *pair = ctx;
    struct fal_lab *lab = pair->ends->lab;
    struct fal_lab_counts *counts = &lab->flows[pair->number].counts;
    uint32_t fcwnd;

    fal_swift_process(pair->ends->swift, state, now_ticks, event, result);
    fcwnd = (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
    lab->trace = fal_lab_mixed(fal_lab_mixed(lab->trace, lab->fabric.now_ps),
                               (uint64_t)pair->number << 32 | fcwnd);
    counts->repaths += result->randomize_path;
    if (event->event_type == FAL_CC_RETRANSMIT) {
        bool timeout = event->retransmit_reason == FAL_CC_RTO;

        counts->retransmitted++;
        counts->timeouts += timeout;
        note(pair->ends, timeout ? FAL_LAB_NOTE_TIMEOUT : FAL_LAB_NOTE_RETRANSMIT, pair->number,
             event->retransmit_count);
    }
    if (lab->record != NULL)
        lab->record(lab->record_ctx, &(struct fal_lab_record){.note = FAL_LAB_NOTE_ACK,
                                                              .index = pair->number,
                                                              .at_ps = lab->fabric.now_ps,
                                                              .fcwnd = fcwnd,
                                                              .ncwnd = result->ncwnd,
                                                              .delay = result->delay_state,
                                                              .hops = event->forward_hops,
                                                              .level = event->rx_buffer_level,
                                                              .lab = lab});
}

/* ---- the ends ---- */

static uint64_t now_ns(const struct ends *ends)
{
    return ends->lab->fabric.now_ps / PS_PER_NS;
}

static void input(struct pair *pair, unsigned side, struct fal_endpoint_in *in)
{
    int rc;

    in->conn = pair->end[side].conn;
    rc = fal_endpoint_input(pair->end[side].ep, in, now_ns(pair->ends), NULL);
    if (rc != 0 && pair->ends->rc == 0)
        pair->ends->rc = rc;
}

/* Keeps the backlog of the sender. */
static void post(struct pair *pair)
{
    static const uint8_t payload[LENGTH];
    const struct fal_lab *lab = pair->ends->lab;

    while (pair->posted - pair->completed < BACKLOG && !pair->failed && pair->ends->rc == 0 &&
           lab->fabric.now_ps < lab->flows[pair->number].config.stop_ps) {
        input(
            pair, SENDER,
            &(struct fal_endpoint_in){
                .kind = FAL_IN_POST, .op = FAL_OP_PUSH, .length = LENGTH, .payload = payload});
        pair->posted++;
    }
}

/* To the receiver through the fabric, to the sender after a constant time. */
static void transmit(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct ends *ends = pair->ends;
    struct fal_lab *lab = ends->lab;
    const struct fal_lab_flow_config *config = &lab->flows[pair->number].config;
    uint32_t frame = frame_of(ends, pair->number, out);
    struct fal_lab_packet packet = {.flow = pair->number,
                                    .number = frame,
                                    .bytes = (uint32_t)out->len + HEADERS,
                                    .entropy = out->path,
                                    .stages = config->stages};

    if (frame == FAL_LAB_NONE)
        return;
    if (side == RECEIVER) {
        uint64_t due = lab->fabric.now_ps + config->return_ps - JITTER_PS / 2 +
                       fal_rng_below(&pair->rng, JITTER_PS);

        /* They keep their order. */
        pair->back_ps = due > pair->back_ps ? due : pair->back_ps;
        fal_lab_heap_push(&lab->fabric.heap, pair->back_ps, FAL_LAB_TIMER,
                          2 * lab->n_flows + frame);
        return;
    }
    memcpy(packet.groups, config->groups, sizeof packet.groups);
    lab->flows[pair->number].counts.sent++;
    fal_lab_fabric_send(&lab->fabric, &packet);
}

/* Acts on what an end wants, and sets its timer. */
static void drain(struct pair *pair, unsigned side)
{
    struct ends *ends = pair->ends;
    struct end *end = &pair->end[side];
    struct fal_endpoint_out out;
    uint64_t due_ns, wake_ps;

    while (ends->rc == 0 && fal_endpoint_next(end->ep, &out)) {
        if (out.kind == FAL_OUT_PACKET) {
            transmit(pair, side, &out);
        } else if (out.kind == FAL_OUT_REQUEST) {
            input(pair, side,
                  &(struct fal_endpoint_in){
                      .kind = FAL_IN_RESPOND, .rsn = out.rsn, .answer = FAL_ANSWER_ACK});
        } else if (out.kind == FAL_OUT_COMPLETE) {
            pair->completed++;
            pair->failed = pair->failed || out.code != FAL_CMPL_ACK;
            post(pair);
        }
    }
    due_ns = fal_endpoint_deadline(end->ep);
    if (due_ns >= FAL_LAB_NEVER / PS_PER_NS)
        return;
    wake_ps = due_ns * PS_PER_NS;
    if (wake_ps < ends->lab->fabric.now_ps)
        wake_ps = ends->lab->fabric.now_ps;
    if (wake_ps >= end->wake_ps)
        return;
    end->wake_ps = wake_ps;
    fal_lab_heap_push(&ends->lab->fabric.heap, wake_ps, FAL_LAB_TIMER, 2 * pair->number + side);
}

/* A frame is at that side of its pair. */
static void arrive(struct ends *ends, uint32_t number, unsigned side, bool marked)
{
    struct frame *frame = &ends->frames[number];
    struct pair *pair = &ends->pairs[frame->flow];
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = frame->bytes,
                                 .len = frame->len,
                                 .seal = frame->seal,
                                 .ecn = marked ? FAL_ECN_CE : FAL_ECN_ECT0,
                                 .ttl = TTL};

    if (side == RECEIVER)
        in.ttl = (uint8_t)(TTL - ends->lab->flows[pair->number].config.hops);
    in.seal.present = true;
    input(pair, side, &in);
    frame_free(ends, number);
    drain(pair, side);
}

/* ---- the fabric ---- */

static void delivered(void *ctx, uint32_t packet)
{
    struct ends *ends = ctx;
    struct fal_lab *lab = ends->lab;
    const struct fal_lab_packet p = lab->fabric.packets[packet];

    fal_lab_count_delivered(lab, &p);
    arrive(ends, p.number, RECEIVER, p.marked);
}

static void dropped(void *ctx, uint32_t packet)
{
    struct ends *ends = ctx;
    struct fal_lab *lab = ends->lab;

    frame_free(ends, lab->fabric.packets[packet].number);
    fal_lab_count_dropped(lab, &lab->fabric.packets[packet]);
}

static void queued(void *ctx, uint32_t queue)
{
    struct ends *ends = ctx;

    note(ends, FAL_LAB_NOTE_QUEUE, queue, ends->lab->fabric.queues[queue].bytes);
}

static void event(void *ctx, const struct fal_lab_item *item)
{
    struct ends *ends = ctx;
    uint32_t timers = 2 * ends->lab->n_flows;
    struct pair *pair;
    unsigned side = item->index % 2;

    if (item->index >= timers) {
        arrive(ends, item->index - timers, SENDER, false);
        return;
    }
    pair = &ends->pairs[item->index / 2];
    if (pair->end[side].wake_ps != item->due_ps)
        return; /* an earlier one was set since */
    pair->end[side].wake_ps = FAL_LAB_NEVER;
    input(pair, side, &(struct fal_endpoint_in){.kind = FAL_IN_TICK});
    if (side == SENDER)
        post(pair);
    drain(pair, side);
}

static const struct fal_lab_ops ops = {delivered, dropped, queued, event};

/* ---- beginning and end ---- */

static int open_end(struct ends *ends, struct pair *pair, unsigned side)
{
    static const struct fal_end ends_of[2] = {{1, 1, 0, 1000, 7}, {2, 2, 5000, 0, 70}};
    const struct fal_lab *lab = ends->lab;
    struct fal_endpoint_config config = {.seed = lab->seed + 2 * (uint64_t)pair->number + side,
                                         .max_connections = 1,
                                         .clock_ps =
                                             side == RECEIVER ? 2 * AHEAD_PS : AHEAD_PS};
    struct fal_endpoint_conn conn = {.local = ends_of[side],
                                     .peer = ends_of[1 - side],
                                     .auto_ack = true,
                                     .auto_retransmit = true,
                                     .security = {.on = true,
                                                  .spi = SPI + side,
                                                  .peer_spi = SPI + 1 - side,
                                                  .remote_time = AHEAD_PS / 2}};

    fal_params_default(&conn.params, false);
    fal_cc_start(&conn.params);
    conn.params.initial_ttl = TTL;
    if (side == SENDER) {
        config.rue = (struct fal_rue_config){.policy = {process, pair},
                                             .delay = FAL_CC_DELAY_FABRIC,
                                             .base_delay_target = lab->base_delay_target};
        config.tx_gap_ns = lab->flows[pair->number].config.spacing_ps / PS_PER_NS;
    }
    pair->end[side].wake_ps = FAL_LAB_NEVER;
    pair->end[side].ep = fal_endpoint_new(&config);
    if (pair->end[side].ep == NULL)
        return FAL_ERR_MEM;
    return fal_endpoint_open(pair->end[side].ep, &conn, 0, &pair->end[side].conn);
}

/* Opens both ends of each flow; the sender posts when the flow starts. */
static int open_all(struct ends *ends)
{
    struct fal_lab *lab = ends->lab;

    for (uint32_t i = 0; i < lab->n_flows; i++) {
        struct pair *pair = &ends->pairs[i];
        int rc;

        pair->ends = ends;
        pair->number = i;
        pair->rng = fal_rng_split(lab->seed, UINT64_C(2000000) + i);
        for (unsigned side = 0; side < 2; side++)
            if ((rc = open_end(ends, pair, side)) != 0)
                return rc;
        lab->flows[i].cc.fcwnd_integer = FAL_CC_START_FCWND;
        note(ends, FAL_LAB_NOTE_PATH, i,
             lab->fabric.groups[lab->flows[i].config.groups[0]].first);
        pair->end[SENDER].wake_ps = lab->flows[i].config.start_ps;
        fal_lab_heap_push(&lab->fabric.heap, lab->flows[i].config.start_ps, FAL_LAB_TIMER,
                          2 * i + SENDER);
    }
    return 0;
}

int fal_lab_ends_run(struct fal_lab_bench *bench, struct fal_lab_outcome *out)
{
    struct ends ends = {.lab = &bench->lab, .swift = &bench->swift};
    int rc = fal_lab_prepare(&bench->lab, &ops, &ends);

    ends.pairs = calloc(bench->lab.n_flows, sizeof *ends.pairs);
    if (ends.pairs == NULL)
        return FAL_ERR_MEM;
    if (rc == 0)
        rc = open_all(&ends);
    if (rc == 0)
        do
            rc = fal_lab_step(&bench->lab);
        while (rc > 0 && ends.rc == 0);
    *out = (struct fal_lab_outcome){.trace = bench->lab.trace,
                                    .events = bench->lab.fabric.heap.order};
    for (uint32_t i = 0; i < bench->lab.n_flows; i++)
        for (unsigned side = 0; side < 2; side++)
            fal_endpoint_free(ends.pairs[i].end[side].ep);
    free(ends.pairs);
    free(ends.frames);
    return ends.rc != 0 ? ends.rc : rc;
}
