/* SPDX-License-Identifier: Apache-2.0
 * ends_foreign.c - pairs whose sender is behind struct fal_lab_foreign. */
#include "codecs/header/falcon.h"
#include "oracles/lab/ends_impl.h"
#include "oracles/lab/trace.h"

static uint64_t now_ns(const struct fal_lab_pair *pair)
{
    return pair->ends->lab->fabric.now_ps / FAL_LAB_END_PS_PER_NS;
}

/* Keeps the first error. */
static int checked(const struct fal_lab_pair *pair, int rc)
{
    if (rc < 0 && pair->ends->rc == 0)
        pair->ends->rc = rc;
    return rc;
}

int fal_lab_foreign_begin(struct fal_lab_pair *pair, const struct fal_lab_foreign_order *order,
                          struct fal_lab_foreign_opened *opened)
{
    const struct fal_lab_foreign *foreign = pair->ends->foreign;

    pair->foreign = foreign->open(foreign->ctx, pair->number, order, opened);
    return pair->foreign != NULL ? 0 : FAL_ERR_IO;
}

static void post(struct fal_lab_pair *pair)
{
    const struct fal_lab *lab = pair->ends->lab;
    bool full = false;

    while (!full && pair->posted - pair->completed < FAL_LAB_END_BACKLOG && !pair->failed &&
           pair->ends->rc == 0 &&
           lab->fabric.now_ps < lab->flows[pair->number].config.stop_ps) {
        int rc = checked(
            pair, pair->ends->foreign->post(pair->foreign, FAL_LAB_END_LENGTH, now_ns(pair)));

        full = rc != 0;
        pair->posted += !full;
    }
}

/* A packet leaves when the NIC has sent the ones before. */
static void depart(struct fal_lab_pair *pair, const struct fal_lab_foreign_out *out)
{
    struct fal_lab_ends *ends = pair->ends;
    struct fal_lab *lab = ends->lab;
    const struct fal_endpoint_out packet = {
        .kind = FAL_OUT_PACKET, .bytes = out->bytes, .len = out->len, .seal = out->seal};
    uint32_t frame = fal_lab_frame_keep(&ends->frames, pair->number, &packet);

    if (frame == FAL_LAB_NONE) {
        ends->rc = FAL_ERR_MEM;
        return;
    }
    if (pair->departs_ps < lab->fabric.now_ps)
        pair->departs_ps = lab->fabric.now_ps;
    fal_lab_heap_push(&lab->fabric.heap, pair->departs_ps, FAL_LAB_TIMER,
                      fal_lab_frame_timer(lab, frame, FAL_LAB_END_RECEIVER));
    pair->departs_ps += lab->flows[pair->number].config.spacing_ps;
}

/* Takes what the sender wants, until it wants nothing. */
static void drain(struct fal_lab_pair *pair)
{
    const struct fal_lab_foreign *foreign = pair->ends->foreign;
    struct fal_lab_foreign_out out;
    bool completed = true;

    while (completed && pair->ends->rc == 0) {
        completed = false;
        while (pair->ends->rc == 0 && checked(pair, foreign->next(pair->foreign, &out)) > 0) {
            if (out.is_packet) {
                depart(pair, &out);
                continue;
            }
            pair->completed++;
            pair->failed = pair->failed || out.failed;
            completed = true;
        }
        if (completed)
            post(pair);
    }
    if (pair->ends->rc == 0)
        fal_lab_end_timer(pair, FAL_LAB_END_SENDER, foreign->deadline(pair->foreign));
}

void fal_lab_foreign_tick(struct fal_lab_pair *pair)
{
    (void)checked(pair, pair->ends->foreign->tick(pair->foreign, now_ns(pair)));
    post(pair);
    drain(pair);
}

/* The facts that ACKs give to a sender, whose own events nobody sees. */
static void told(struct fal_lab_pair *pair, const struct fal_lab_frame *frame)
{
    struct fal_lab *lab = pair->ends->lab;
    struct fal_lab_flow *flow = &lab->flows[pair->number];
    struct fal_falcon ack;

    if (fal_falcon_decode(frame->bytes, frame->len, &ack) < 0 ||
        !fal_falcon_is_ack(ack.packet_type))
        return;
    flow->counts.marks_told += (ack.ecn_rx_count - flow->marks) & FAL_LAB_MARKS_MAX;
    flow->marks = ack.ecn_rx_count;
    if (ack.packet_type == FAL_NACK && ack.nack_code == FAL_NACK_RESOURCE) {
        flow->counts.refused++;
        flow->counts.last_refused_ps = lab->fabric.now_ps;
    } else if (ack.packet_type != FAL_NACK && flow->levels != NULL &&
               lab->fabric.now_ps >= lab->from_ps) {
        fal_lab_histogram_add(flow->levels, ack.rx_buffer_occupancy);
    }
}

void fal_lab_foreign_arrive(struct fal_lab_pair *pair, const struct fal_lab_frame *frame)
{
    told(pair, frame);
    (void)checked(pair, pair->ends->foreign->packet(pair->foreign, frame->bytes, frame->len,
                                                    &frame->seal, now_ns(pair)));
    drain(pair);
}
