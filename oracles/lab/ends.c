/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/ends.h"

#include "oracles/lab/flow.h"
#include "oracles/lab/frames.h"
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

struct end {
    struct fal_endpoint *ep;
    uint32_t conn;
    uint64_t wake_ps; /* of the timer that is set */
};

struct pair {
    struct fal_lab_ends *ends;
    uint32_t number;
    struct end end[2];
    struct fal_rng rng;
    uint64_t back_ps; /* when the last packet to the sender arrives */
    uint32_t posted, completed;
    uint32_t path, mask; /* of the last packet; what makes of its first path that of the flow */
    bool has_path;
    bool failed; /* a push did: it posts no more */
};

struct fal_lab_ends {
    struct fal_lab *lab;
    struct fal_swift *swift;
    struct pair *pairs;
    struct fal_lab_frames frames;
    int rc; /* of the first endpoint that failed */
};

/* The algorithm of a sender: Swift, whose answers are counted and noted. */
static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct pair *pair = ctx;
    struct fal_lab *lab = pair->ends->lab;
    struct fal_lab_counts *counts = &lab->flows[pair->number].counts;
    uint32_t fcwnd;

    fal_lab_count_round(&lab->flows[pair->number], event);
    fal_swift_process(pair->ends->swift, state, now_ticks, event, result);
    fcwnd = (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
    lab->trace = fal_lab_mixed(fal_lab_mixed(lab->trace, lab->fabric.now_ps),
                               (uint64_t)pair->number << 32 | fcwnd);
    if (result->randomize_path)
        fal_lab_count_draw(lab, pair->number);
    if (event->event_type == FAL_CC_RETRANSMIT) {
        bool timeout = event->retransmit_reason == FAL_CC_RTO;

        counts->retransmitted++;
        counts->timeouts += timeout;
        fal_lab_note(lab, timeout ? FAL_LAB_NOTE_TIMEOUT : FAL_LAB_NOTE_RETRANSMIT,
                     pair->number, event->retransmit_count);
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

static uint64_t now_ns(const struct fal_lab_ends *ends)
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

/* The entropy of a packet. The first path is that of the flow's configuration, which the
 * experiment has chosen; a path that PLB draws is any other one. */
static uint32_t entropy_of(struct pair *pair, uint32_t path)
{
    struct fal_lab *lab = pair->ends->lab;
    const struct fal_lab_flow_config *config = &lab->flows[pair->number].config;

    if (!pair->has_path)
        pair->mask = path ^ config->entropy;
    else if (path != pair->path)
        fal_lab_note(lab, FAL_LAB_NOTE_PATH, pair->number,
                     fal_lab_fabric_path(&lab->fabric, config->groups[0], path ^ pair->mask));
    pair->has_path = true;
    pair->path = path;
    return path ^ pair->mask;
}

/* To the receiver through the fabric, to the sender after a constant time. */
static void transmit(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct fal_lab_ends *ends = pair->ends;
    struct fal_lab *lab = ends->lab;
    const struct fal_lab_flow_config *config = &lab->flows[pair->number].config;
    uint32_t frame = fal_lab_frame_keep(&ends->frames, pair->number, out);
    struct fal_lab_packet packet = {.flow = pair->number,
                                    .number = frame,
                                    .bytes = (uint32_t)out->len + HEADERS,
                                    .stages = config->stages};

    if (frame == FAL_LAB_NONE) {
        ends->rc = FAL_ERR_MEM;
        return;
    }
    if (side == RECEIVER) {
        uint64_t due = lab->fabric.now_ps + config->return_ps - JITTER_PS / 2 +
                       fal_rng_below(&pair->rng, JITTER_PS);

        /* They keep their order. */
        pair->back_ps = due > pair->back_ps ? due : pair->back_ps;
        fal_lab_heap_push(&lab->fabric.heap, pair->back_ps, FAL_LAB_TIMER,
                          3 * lab->n_flows + frame);
        return;
    }
    memcpy(packet.groups, config->groups, sizeof packet.groups);
    packet.entropy = entropy_of(pair, out->path);
    lab->flows[pair->number].counts.sent++;
    fal_lab_fabric_send(&lab->fabric, &packet);
}

/* Acts on what an end wants, and sets its timer. */
static void drain(struct pair *pair, unsigned side)
{
    struct fal_lab_ends *ends = pair->ends;
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
    fal_lab_heap_push(&ends->lab->fabric.heap, wake_ps, FAL_LAB_TIMER,
                      ends->lab->n_flows + 2 * pair->number + side);
}

/* A frame is at that side of its pair. */
static void arrive(struct fal_lab_ends *ends, uint32_t number, unsigned side, bool marked)
{
    const struct fal_lab_frame *frame = &ends->frames.list[number];
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
    fal_lab_frame_free(&ends->frames, number);
    drain(pair, side);
}

/* ---- the fabric ---- */

/* A flow without congestion control is a model flow here, too, and has no bytes. */
static void delivered(void *ctx, uint32_t packet)
{
    struct fal_lab_ends *ends = ctx;
    struct fal_lab *lab = ends->lab;
    const struct fal_lab_packet p = lab->fabric.packets[packet];

    fal_lab_count_delivered(lab, &p);
    if (!lab->flows[p.flow].config.unresponsive)
        arrive(ends, p.number, RECEIVER, p.marked);
}

static void dropped(void *ctx, uint32_t packet)
{
    struct fal_lab_ends *ends = ctx;
    struct fal_lab *lab = ends->lab;
    const struct fal_lab_packet *p = &lab->fabric.packets[packet];

    fal_lab_count_dropped(lab, p);
    if (!lab->flows[p->flow].config.unresponsive)
        fal_lab_frame_free(&ends->frames, p->number);
}

static void queued(void *ctx, uint32_t queue)
{
    struct fal_lab_ends *ends = ctx;

    fal_lab_note(ends->lab, FAL_LAB_NOTE_QUEUE, queue, ends->lab->fabric.queues[queue].bytes);
}

/* Timers have the numbers of model flows, then of ends, then of frames to a sender. */
static void event(void *ctx, const struct fal_lab_item *item)
{
    struct fal_lab_ends *ends = ctx;
    uint32_t flows = ends->lab->n_flows, number = item->index;
    unsigned side = (number - flows) % 2;
    struct pair *pair;

    if (number < flows) {
        fal_lab_flow_timer(ends->lab, number);
        return;
    }
    if (number >= 3 * flows) {
        arrive(ends, number - 3 * flows, SENDER, false);
        return;
    }
    pair = &ends->pairs[(number - flows) / 2];
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

static int open_end(struct fal_lab_ends *ends, struct pair *pair, unsigned side)
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

/* Opens both ends of a flow; the sender posts when the flow starts. */
static int open_pair(struct fal_lab_ends *ends, uint32_t number)
{
    struct fal_lab *lab = ends->lab;
    struct fal_lab_flow *flow = &lab->flows[number];
    struct pair *pair = &ends->pairs[number];
    int rc = 0;

    pair->ends = ends;
    pair->number = number;
    pair->rng = fal_rng_split(lab->seed, UINT64_C(2000000) + number);
    for (unsigned side = 0; side < 2 && rc == 0; side++)
        rc = open_end(ends, pair, side);
    flow->cc.fcwnd_integer = FAL_CC_START_FCWND;
    fal_lab_note(
        lab, FAL_LAB_NOTE_PATH, number,
        fal_lab_fabric_path(&lab->fabric, flow->config.groups[0], flow->config.entropy));
    pair->end[SENDER].wake_ps = flow->config.start_ps;
    fal_lab_heap_push(&lab->fabric.heap, flow->config.start_ps, FAL_LAB_TIMER,
                      lab->n_flows + 2 * number + SENDER);
    return rc;
}

int fal_lab_ends_begin(struct fal_lab_bench *bench)
{
    struct fal_lab_ends *ends = calloc(1, sizeof *ends);
    uint32_t flows = bench->lab.n_flows;
    int rc;

    bench->ends = ends;
    if (ends == NULL)
        return FAL_ERR_MEM;
    ends->lab = &bench->lab;
    ends->swift = &bench->swift;
    ends->pairs = calloc(flows, sizeof *ends->pairs);
    if (ends->pairs == NULL)
        return FAL_ERR_MEM;
    rc = fal_lab_prepare(&bench->lab, &ops, ends);
    for (uint32_t i = 0; i < flows && rc == 0; i++) {
        if (bench->lab.flows[i].config.unresponsive)
            fal_lab_flow_begin(&bench->lab, i);
        else
            rc = open_pair(ends, i);
    }
    return rc;
}

int fal_lab_ends_error(const struct fal_lab_ends *ends)
{
    return ends != NULL ? ends->rc : 0;
}

void fal_lab_ends_free(struct fal_lab_ends *ends)
{
    if (ends == NULL)
        return;
    for (uint32_t i = 0; ends->pairs != NULL && i < ends->lab->n_flows; i++)
        for (unsigned side = 0; side < 2; side++)
            fal_endpoint_free(ends->pairs[i].end[side].ep);
    free(ends->pairs);
    free(ends->frames.list);
    free(ends);
}
