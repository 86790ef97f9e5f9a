/* SPDX-License-Identifier: Apache-2.0
 * queues.c - the FIFOs behind WRED, the register of firmware, and the selector
 * [0110-0131, 0134-0140]. */
#include "oracles/eventpipe/pipe_impl.h"

#include <stdlib.h>

int fal_ep_queues_begin(struct fal_ep_pipe *pipe)
{
    for (unsigned q = 0; q <= FAL_EP_FW_REGISTER; q++) {
        struct fal_ep_fifo *fifo = &pipe->fifos[q];

        fifo->cap = q == FAL_EP_FW_REGISTER ? 1 : pipe->config.setup.fifo_depth[q];
        fifo->ring = calloc(fifo->cap, sizeof *fifo->ring);
        if (fifo->ring == NULL)
            return FAL_ERR_MEM;
    }
    pipe->served = FAL_EP_FW_REGISTER;
    return 0;
}

static enum fal_ep_queue queue_of(const struct fal_ep_pipe *pipe, enum fal_ep_kind kind)
{
    if (pipe->config.carry) /* a Rate Update Engine has one queue */
        return FAL_EP_RX_FIFO;
    switch (kind) {
    case FAL_EP_TX:
    case FAL_EP_RTT_SENT: return FAL_EP_TX_FIFO; /* [0126]: a TX event with an indication */
    case FAL_EP_FW: return FAL_EP_FW_REGISTER;
    case FAL_EP_CNP:
    case FAL_EP_NACK:
    case FAL_EP_ACK:
    case FAL_EP_RTT: break;
    }
    return FAL_EP_RX_FIFO;
}

/* ---- WRED ---- */

/* The probability of a drop between the thresholds, in parts of `span`. */
static uint32_t curve(const struct fal_ep_pipe *pipe, uint32_t above, uint32_t span)
{
    if (fal_ep_fault(pipe, FAL_EP_WRED_INVERTED))
        return span - above;
    if (fal_ep_variant(pipe, FAL_EP_DROP_CURVE)) /* a quarter of the way up to the middle */
        return above < span / 2 ? above / 2 : above;
    return above;
}

static bool dropped(struct fal_ep_pipe *pipe, const struct fal_ep_event *event,
                    uint32_t occupancy)
{
    uint32_t th1 = pipe->config.setup.th1[event->kind],
             th2 = pipe->config.setup.th2[event->kind];

    if (pipe->config.admit != NULL)
        return !pipe->config.admit(pipe->config.ctx, event, occupancy);
    if (fal_ep_variant(pipe, FAL_EP_NO_DROP) || th2 == 0)
        return false;
    if (occupancy >= th2)
        return true;
    if (occupancy < th1)
        return fal_ep_strikes(pipe, FAL_EP_WRED_EARLY, 16) && occupancy > 0;
    return fal_rng_below(&pipe->wred, th2 - th1) < curve(pipe, occupancy - th1, th2 - th1);
}

/* ---- events come in ---- */

static void put(struct fal_ep_pipe *pipe, const struct fal_ep_event *event)
{
    struct fal_ep_fifo *fifo = &pipe->fifos[event->queue];
    struct fal_ep_event line = *event;

    line.point = FAL_EP_FIFO;
    line.act = FAL_EP_IN;
    line.occupancy = fifo->count;
    fal_ep_emit(pipe, line);
    if (fifo->count == fifo->cap) /* fw-overwritten */
        fifo->count--;
    fifo->ring[(fifo->head + fifo->count++) % fifo->cap] = *event;
    if (pipe->config.carry)
        pipe->unanswered++;
}

/* What an event that is not admitted leaves to the next of its flow. */
static void carry(struct fal_ep_pipe *pipe, const struct fal_ep_event *event)
{
    struct fal_ep_event *kept = &pipe->carried[event->flow];

    kept->count += event->count;
    kept->bytes += event->bytes;
}

static void take_carried(struct fal_ep_pipe *pipe, struct fal_ep_event *event)
{
    struct fal_ep_event *kept = &pipe->carried[event->flow];

    event->count += kept->count;
    event->bytes += kept->bytes;
    kept->count = 0;
    kept->bytes = 0;
}

static bool has_room(const struct fal_ep_pipe *pipe, enum fal_ep_queue queue)
{
    const struct fal_ep_fifo *fifo = &pipe->fifos[queue];

    return fifo->count < fifo->cap ||
           (queue == FAL_EP_FW_REGISTER && fal_ep_fault(pipe, FAL_EP_FW_OVERWRITTEN));
}

bool fal_ep_pipe_offer(struct fal_ep_pipe *pipe, const struct fal_ep_event *event,
                       uint64_t now_ns)
{
    struct fal_ep_event e = *event;

    pipe->now_ns = now_ns;
    if (fal_ep_variant(pipe, FAL_EP_SOME_PORTS) && e.flow % 2 != 0 && e.kind != FAL_EP_FW)
        return true;
    e.queue = queue_of(pipe, e.kind);
    if (!has_room(pipe, e.queue))
        return false;
    e.last_seq = e.seq;
    if (e.count == 0 && !pipe->config.carry)
        e.count = 1;
    e.first_ns = e.last_ns = now_ns;
    e.point = FAL_EP_SOURCE;
    e.act = FAL_EP_NOT;
    fal_ep_emit(pipe, e);
    pipe->counts.sources++;
    if (e.queue != FAL_EP_FW_REGISTER) {
        uint32_t met = pipe->config.carry ? pipe->unanswered : pipe->fifos[e.queue].count;

        e.occupancy = met;
        if (dropped(pipe, &e, met)) {
            e.point = FAL_EP_WRED;
            e.act = FAL_EP_DROP;
            fal_ep_emit(pipe, e);
            pipe->counts.dropped++;
            if (pipe->config.carry)
                carry(pipe, &e);
            return true;
        }
        e.occupancy = 0;
        if (pipe->config.carry)
            take_carried(pipe, &e);
    }
    put(pipe, &e);
    return true;
}

/* ---- the selector ---- */

bool fal_ep_queues_ready(const struct fal_ep_pipe *pipe)
{
    if (pipe->holding)
        return !pipe->held_blocked;
    return pipe->fifos[FAL_EP_TX_FIFO].count + pipe->fifos[FAL_EP_RX_FIFO].count +
               pipe->fifos[FAL_EP_FW_REGISTER].count >
           0;
}

/* The queue to be served; one of them has an event. */
static unsigned choose(const struct fal_ep_pipe *pipe)
{
    static const unsigned rx_first[] = {FAL_EP_RX_FIFO, FAL_EP_TX_FIFO, FAL_EP_FW_REGISTER};
    static const unsigned tx_first[] = {FAL_EP_TX_FIFO, FAL_EP_FW_REGISTER, FAL_EP_RX_FIFO};
    const unsigned *order = fal_ep_fault(pipe, FAL_EP_TX_STARVES_RX) ? tx_first
                            : fal_ep_variant(pipe, FAL_EP_RX_FIRST)  ? rx_first
                                                                     : NULL;

    for (unsigned i = 0; i < 3; i++) {
        unsigned q = order != NULL ? order[i] : (pipe->served + 1 + i) % 3;

        if (pipe->fifos[q].count > 0)
            return q;
    }
    return 0;
}

static struct fal_ep_event take(struct fal_ep_pipe *pipe, unsigned queue)
{
    struct fal_ep_fifo *fifo = &pipe->fifos[queue];
    struct fal_ep_event event = fifo->ring[fifo->head], line = event;

    line.point = FAL_EP_FIFO;
    line.act = FAL_EP_OUT;
    line.occupancy = fifo->count;
    fifo->head = (fifo->head + 1) % fifo->cap;
    fifo->count--;
    pipe->served = queue;
    pipe->counts.selected++;
    if (queue != FAL_EP_FW_REGISTER && fal_ep_strikes(pipe, FAL_EP_FIFO_LOSES_EVENT, 64)) {
        event.count = 0;
        return event;
    }
    fal_ep_emit(pipe, line);
    return event;
}

static uint32_t class_of(struct fal_ep_pipe *pipe, enum fal_ep_kind kind)
{
    uint32_t klass =
        fal_ep_variant(pipe, FAL_EP_NO_MAPPER) ? (uint32_t)kind : pipe->classes[kind];

    if (fal_ep_strikes(pipe, FAL_EP_CLASS_SHIFT, 16))
        klass = (klass + 1) % FAL_EP_CLASSES;
    return klass;
}

void fal_ep_queues_select(struct fal_ep_pipe *pipe)
{
    if (!pipe->holding) {
        pipe->held = take(pipe, choose(pipe));
        if (pipe->held.count == 0 && !pipe->config.carry)
            return;
        pipe->held.klass = class_of(pipe, pipe->held.kind);
    }
    pipe->holding = !fal_ep_slices_place(pipe, &pipe->held);
    pipe->held_blocked = pipe->holding;
}
