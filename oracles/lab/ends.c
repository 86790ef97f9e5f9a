/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/falcon.h"
#include "oracles/lab/ends_impl.h"
#include "oracles/lab/flow.h"
#include "oracles/lab/trace.h"
#include "oracles/seq.h"
#include "oracles/simnet.h"

#include <string.h>

enum {
    HEADERS = 90, /* of Ethernet, IPv6, UDP and PSP, around each packet */
};

/* The way back takes longer or shorter by up to half of this, as in a host. Without it, flows
 * stay in step for ever: an ACK of several packets measures the delay at the same place of a
 * burst each time. */
#define JITTER_PS FAL_LAB_US

/* ---- the ends ---- */

static uint64_t now_ns(const struct fal_lab_ends *ends)
{
    return ends->lab->fabric.now_ps / FAL_LAB_END_PS_PER_NS;
}

static void input(struct fal_lab_pair *pair, unsigned side, struct fal_endpoint_in *in)
{
    int rc;

    in->conn = pair->end[side].conn;
    rc = fal_endpoint_input(pair->end[side].ep, in, now_ns(pair->ends), NULL);
    if (rc != 0 && pair->ends->rc == 0)
        pair->ends->rc = rc;
}

/* Keeps the backlog of the sender. */
static void post(struct fal_lab_pair *pair)
{
    static const uint8_t payload[FAL_LAB_END_LENGTH];
    const struct fal_lab *lab = pair->ends->lab;

    while (pair->posted - pair->completed < FAL_LAB_END_BACKLOG && !pair->failed &&
           pair->ends->rc == 0 &&
           lab->fabric.now_ps < lab->flows[pair->number].config.stop_ps) {
        input(pair, FAL_LAB_END_SENDER,
              &(struct fal_endpoint_in){.kind = FAL_IN_POST,
                                        .op = FAL_OP_PUSH,
                                        .length = FAL_LAB_END_LENGTH,
                                        .payload = payload});
        pair->posted++;
    }
}

/* The entropy of a packet. The first path is that of the flow's configuration, which the
 * experiment has chosen; a path that PLB draws is any other one. */
static uint32_t entropy_of(struct fal_lab_pair *pair, uint32_t path)
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

/* A push whose PSN is not a new one goes again. */
static void count_again(struct fal_lab_pair *pair, const struct fal_lab_frame *frame)
{
    struct fal_lab *lab = pair->ends->lab;
    struct fal_falcon packet;

    if (fal_falcon_decode(frame->bytes, frame->len, &packet) < 0 ||
        packet.packet_type != FAL_PUSH_DATA)
        return;
    if (!pair->has_sent || fal_seq_lt(pair->highest, packet.psn)) {
        pair->has_sent = true;
        pair->highest = packet.psn;
        return;
    }
    lab->flows[pair->number].counts.retransmitted++;
    fal_lab_note(lab, FAL_LAB_NOTE_RETRANSMIT, pair->number, 0);
}

/* A frame goes to the receiver through the fabric. */
static void enter(struct fal_lab_pair *pair, uint32_t frame, uint32_t path)
{
    struct fal_lab *lab = pair->ends->lab;
    const struct fal_lab_flow_config *config = &lab->flows[pair->number].config;
    const struct fal_lab_frame *f = &pair->ends->frames.list[frame];
    struct fal_lab_packet packet = {.flow = pair->number,
                                    .number = frame,
                                    .bytes = f->len + HEADERS,
                                    .stages = config->stages};

    memcpy(packet.groups, config->groups, sizeof packet.groups);
    packet.entropy = entropy_of(pair, path);
    count_again(pair, f);
    lab->flows[pair->number].counts.sent++;
    fal_lab_fabric_send(&lab->fabric, &packet);
}

/* To the receiver through the fabric, to the sender after a constant time. */
static void transmit(struct fal_lab_pair *pair, unsigned side,
                     const struct fal_endpoint_out *out)
{
    struct fal_lab_ends *ends = pair->ends;
    struct fal_lab *lab = ends->lab;
    uint32_t frame = fal_lab_frame_keep(&ends->frames, pair->number, out);
    uint64_t due;

    if (frame == FAL_LAB_NONE) {
        ends->rc = FAL_ERR_MEM;
        return;
    }
    if (side == FAL_LAB_END_SENDER) {
        enter(pair, frame, out->path);
        return;
    }
    due = lab->fabric.now_ps + lab->flows[pair->number].config.return_ps - JITTER_PS / 2 +
          fal_rng_below(&pair->rng, JITTER_PS);
    /* They keep their order. */
    pair->back_ps = due > pair->back_ps ? due : pair->back_ps;
    fal_lab_heap_push(&lab->fabric.heap, pair->back_ps, FAL_LAB_TIMER,
                      fal_lab_frame_timer(lab, frame, FAL_LAB_END_SENDER));
}

/* The FAL_LAB_END_ULP of the receiver has a push: its ACK may go. */
static void take(struct fal_lab_pair *pair, uint32_t rsn)
{
    input(pair, FAL_LAB_END_RECEIVER,
          &(struct fal_endpoint_in){
              .kind = FAL_IN_RESPOND, .rsn = rsn, .answer = FAL_ANSWER_ACK});
}

/* A push is in the buffer of the receiver. A slow FAL_LAB_END_ULP takes it when it has taken
 * all others. */
static void request(struct fal_lab_pair *pair, uint32_t rsn)
{
    struct fal_lab *lab = pair->ends->lab;
    const struct fal_lab_flow_config *config = &lab->flows[pair->number].config;

    if (config->buffer == 0 || pair->next - pair->first == FAL_LAB_END_HELD) {
        take(pair, rsn);
        return;
    }
    pair->held[pair->next++ % FAL_LAB_END_HELD] = rsn;
    if (pair->busy_ps < lab->fabric.now_ps)
        pair->busy_ps = lab->fabric.now_ps;
    pair->busy_ps += config->drain_ps;
    fal_lab_heap_push(&lab->fabric.heap, pair->busy_ps, FAL_LAB_TIMER,
                      lab->n_flows + FAL_LAB_END_TIMERS * pair->number + FAL_LAB_END_ULP);
}

void fal_lab_end_timer(struct fal_lab_pair *pair, unsigned side, uint64_t due_ns)
{
    struct fal_lab *lab = pair->ends->lab;
    struct fal_lab_end *end = &pair->end[side];
    uint64_t wake_ps = due_ns * FAL_LAB_END_PS_PER_NS;

    if (due_ns >= FAL_LAB_NEVER / FAL_LAB_END_PS_PER_NS)
        return;
    if (wake_ps < lab->fabric.now_ps)
        wake_ps = lab->fabric.now_ps;
    if (wake_ps >= end->wake_ps)
        return;
    end->wake_ps = wake_ps;
    fal_lab_heap_push(&lab->fabric.heap, wake_ps, FAL_LAB_TIMER,
                      lab->n_flows + FAL_LAB_END_TIMERS * pair->number + side);
}

/* Acts on what an end wants, and sets its timer. */
static void drain(struct fal_lab_pair *pair, unsigned side)
{
    struct fal_lab_ends *ends = pair->ends;
    struct fal_lab_end *end = &pair->end[side];
    struct fal_endpoint_out out;

    while (ends->rc == 0 && fal_endpoint_next(end->ep, &out)) {
        if (out.kind == FAL_OUT_PACKET) {
            transmit(pair, side, &out);
        } else if (out.kind == FAL_OUT_REQUEST) {
            request(pair, out.rsn);
        } else if (out.kind == FAL_OUT_COMPLETE) {
            pair->completed++;
            pair->failed = pair->failed || out.code != FAL_CMPL_ACK;
            post(pair);
        }
    }
    fal_lab_end_timer(pair, side, fal_endpoint_deadline(end->ep));
}

/* A frame is at that side of its pair. */
static void arrive(struct fal_lab_ends *ends, uint32_t number, unsigned side, bool marked)
{
    const struct fal_lab_frame *frame = &ends->frames.list[number];
    struct fal_lab_pair *pair = &ends->pairs[frame->flow];
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = frame->bytes,
                                 .len = frame->len,
                                 .seal = frame->seal,
                                 .ecn = marked ? FAL_ECN_CE : FAL_ECN_ECT0,
                                 .ttl = FAL_LAB_END_TTL};

    if (side == FAL_LAB_END_SENDER && pair->foreign != NULL) {
        const struct fal_lab_frame copy = *frame; /* frames may move */

        fal_lab_frame_free(&ends->frames, number);
        fal_lab_foreign_arrive(pair, &copy);
        return;
    }
    if (side == FAL_LAB_END_RECEIVER)
        in.ttl = (uint8_t)(FAL_LAB_END_TTL - ends->lab->flows[pair->number].config.hops);
    in.seal.present = pair->sealed;
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
        arrive(ends, p.number, FAL_LAB_END_RECEIVER, p.marked);
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
    unsigned side = (number - flows) % FAL_LAB_END_TIMERS;
    struct fal_lab_pair *pair;

    if (number < flows) {
        fal_lab_flow_timer(ends->lab, number);
        return;
    }
    if (number >= (1 + FAL_LAB_END_TIMERS) * flows) {
        uint32_t frame = (number - (1 + FAL_LAB_END_TIMERS) * flows) / 2;

        if (number == fal_lab_frame_timer(ends->lab, frame, FAL_LAB_END_SENDER))
            arrive(ends, frame, FAL_LAB_END_SENDER, false);
        else
            enter(&ends->pairs[ends->frames.list[frame].flow], frame, 0);
        return;
    }
    pair = &ends->pairs[(number - flows) / FAL_LAB_END_TIMERS];
    if (side == FAL_LAB_END_ULP) {
        take(pair, pair->held[pair->first++ % FAL_LAB_END_HELD]);
        ends->lab->flows[pair->number].counts.measured_taken +=
            ends->lab->fabric.now_ps >= ends->lab->from_ps;
        drain(pair, FAL_LAB_END_RECEIVER);
        return;
    }
    if (pair->end[side].wake_ps != item->due_ps)
        return; /* an earlier one was set since */
    pair->end[side].wake_ps = FAL_LAB_NEVER;
    if (side == FAL_LAB_END_SENDER && pair->foreign != NULL) {
        fal_lab_foreign_tick(pair);
        return;
    }
    input(pair, side, &(struct fal_endpoint_in){.kind = FAL_IN_TICK});
    if (side == FAL_LAB_END_SENDER)
        post(pair);
    drain(pair, side);
}

const struct fal_lab_ops fal_lab_ends_ops = {delivered, dropped, queued, event};
