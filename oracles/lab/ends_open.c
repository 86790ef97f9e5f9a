/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/ends_impl.h"
#include "oracles/lab/flow.h"
#include "oracles/lab/trace.h"

#include <stdlib.h>

enum { SPI = 0x1000 }; /* of the packets to the sender, and the next one */

/* The clock of the receiver is so far ahead: one-way delays are no delays of one clock. */
#define AHEAD_PS (FAL_S * 3000)

/* The algorithm of a sender: Swift, whose answers are counted and noted. */
static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct fal_lab_pair *pair = ctx;
    struct fal_lab *lab = pair->ends->lab;
    struct fal_lab_counts *counts = &lab->flows[pair->number].counts;
    uint32_t fcwnd;

    fal_lab_count_event(&lab->flows[pair->number], event);
    fal_swift_process(pair->ends->swift, state, now_ticks, event, result);
    fcwnd = (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
    lab->trace = fal_lab_mixed(fal_lab_mixed(lab->trace, lab->fabric.now_ps),
                               (uint64_t)pair->number << 32 | fcwnd);
    if (event->event_type == FAL_CC_NACK && event->nack_code == FAL_NACK_RESOURCE) {
        counts->refused++;
        counts->last_refused_ps = lab->fabric.now_ps;
    }
    if (event->event_type == FAL_CC_ACK && lab->flows[pair->number].levels != NULL &&
        lab->fabric.now_ps >= lab->from_ps)
        fal_lab_histogram_add(lab->flows[pair->number].levels, event->rx_buffer_level);
    if (result->randomize_path)
        fal_lab_count_draw(lab, pair->number);
    if (event->event_type == FAL_CC_RETRANSMIT && event->retransmit_reason == FAL_CC_RTO) {
        counts->timeouts++;
        fal_lab_note(lab, FAL_LAB_NOTE_TIMEOUT, pair->number, event->retransmit_count);
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
                                                              .rto = result->retransmit_timeout,
                                                              .lab = lab});
}

/* Numbers of both ends. */
static const struct fal_end ends_of[2] = {{1, 1, 0, 1000, 7}, {2, 2, 5000, 0, 70}};

static struct fal_params params_of(void)
{
    struct fal_params params;

    fal_params_default(&params, false);
    fal_cc_start(&params);
    params.initial_ttl = FAL_LAB_END_TTL;
    return params;
}

/* Fills in what a connection of both built-in ends has. */
static struct fal_endpoint_conn conn_of(unsigned side)
{
    return (struct fal_endpoint_conn){.params = params_of(),
                                      .local = ends_of[side],
                                      .peer = ends_of[1 - side],
                                      .auto_ack = true,
                                      .auto_retransmit = true,
                                      .security = {.on = true,
                                                   .spi = SPI + side,
                                                   .peer_spi = SPI + 1 - side,
                                                   .remote_time = AHEAD_PS / 2}};
}

static int open_end(struct fal_lab_ends *ends, struct fal_lab_pair *pair, unsigned side,
                    const struct fal_endpoint_conn *conn)
{
    const struct fal_lab *lab = ends->lab;
    struct fal_endpoint_config config = {.seed = lab->seed + 2 * (uint64_t)pair->number + side,
                                         .max_connections = 1,
                                         .clock_ps = side == FAL_LAB_END_RECEIVER ? 2 * AHEAD_PS
                                                                                  : AHEAD_PS};

    if (side == FAL_LAB_END_SENDER) {
        config.rue = (struct fal_rue_config){.policy = {process, pair},
                                             .delay = FAL_CC_DELAY_FABRIC,
                                             .base_delay_target = lab->base_delay_target};
        config.tx_gap_ns = lab->flows[pair->number].config.spacing_ps / FAL_LAB_END_PS_PER_NS;
    }
    if (side == FAL_LAB_END_RECEIVER) {
        config.host_limits.units[FAL_RES_NET_PKT_RX] = lab->flows[pair->number].config.buffer;
        config.host_limits.red_pkt = lab->flows[pair->number].config.buffer > 0;
    }
    pair->end[side].ep = fal_endpoint_new(&config);
    if (pair->end[side].ep == NULL)
        return FAL_ERR_MEM;
    return fal_endpoint_open(pair->end[side].ep, conn, 0, &pair->end[side].conn);
}

/* The sender opens first: its numbers are its own. */
static int open_foreign(struct fal_lab_ends *ends, struct fal_lab_pair *pair)
{
    struct fal_endpoint_conn receiver = conn_of(FAL_LAB_END_RECEIVER);
    const struct fal_lab_foreign_order order = {.local = ends_of[FAL_LAB_END_SENDER],
                                                .peer = ends_of[FAL_LAB_END_RECEIVER],
                                                .params = params_of(),
                                                .remote_time = 2 * AHEAD_PS - 1,
                                                .seed = ends->lab->seed + pair->number,
                                                .swift = ends->swift};
    struct fal_lab_foreign_opened opened = {.local = order.local, .params = order.params};
    int rc = fal_lab_foreign_begin(pair, &order, &opened);

    if (rc != 0)
        return rc;
    pair->sealed = opened.sealed;
    receiver.peer = opened.local;
    receiver.params = opened.params;
    receiver.security.on = opened.sealed;
    receiver.security.spi = opened.spi;
    receiver.security.peer_spi = opened.sender_spi;
    receiver.security.remote_time = 0; /* its clock may begin at 0 */
    return open_end(ends, pair, FAL_LAB_END_RECEIVER, &receiver);
}

static int open_both(struct fal_lab_ends *ends, struct fal_lab_pair *pair)
{
    int rc = 0;

    pair->sealed = true;
    for (unsigned side = 0; side < 2 && rc == 0; side++) {
        const struct fal_endpoint_conn conn = conn_of(side);

        rc = open_end(ends, pair, side, &conn);
    }
    return rc;
}

/* Opens both ends of a flow; the sender posts when the flow starts. */
static int open_pair(struct fal_lab_ends *ends, uint32_t number)
{
    struct fal_lab *lab = ends->lab;
    struct fal_lab_flow *flow = &lab->flows[number];
    struct fal_lab_pair *pair = &ends->pairs[number];
    int rc;

    pair->ends = ends;
    pair->number = number;
    pair->rng = fal_rng_split(lab->seed, UINT64_C(2000000) + number);
    pair->end[FAL_LAB_END_RECEIVER].wake_ps = FAL_LAB_NEVER;
    rc = flow->config.foreign ? open_foreign(ends, pair) : open_both(ends, pair);
    flow->cc.fcwnd_integer = FAL_CC_START_FCWND;
    fal_lab_note(
        lab, FAL_LAB_NOTE_PATH, number,
        fal_lab_fabric_path(&lab->fabric, flow->config.groups[0], flow->config.entropy));
    pair->end[FAL_LAB_END_SENDER].wake_ps = flow->config.start_ps;
    fal_lab_heap_push(&lab->fabric.heap, flow->config.start_ps, FAL_LAB_TIMER,
                      lab->n_flows + FAL_LAB_END_TIMERS * number + FAL_LAB_END_SENDER);
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
    ends->foreign = bench->foreign;
    ends->pairs = calloc(flows, sizeof *ends->pairs);
    if (ends->pairs == NULL)
        return FAL_ERR_MEM;
    rc = fal_lab_prepare(&bench->lab, &fal_lab_ends_ops, ends);
    for (uint32_t i = 0; i < flows && ends->foreign != NULL; i++)
        bench->lab.flows[i].config.foreign = !bench->lab.flows[i].config.unresponsive &&
                                             ends->foreign->serves(ends->foreign->ctx, i);
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
    for (uint32_t i = 0; ends->pairs != NULL && i < ends->lab->n_flows; i++) {
        for (unsigned side = 0; side < 2; side++)
            fal_endpoint_free(ends->pairs[i].end[side].ep);
        if (ends->pairs[i].foreign != NULL)
            ends->foreign->close(ends->pairs[i].foreign);
    }
    free(ends->pairs);
    free(ends->frames.list);
    free(ends);
}
