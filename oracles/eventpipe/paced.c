/* SPDX-License-Identifier: Apache-2.0
 * paced.c - a TX event each 4 packets, an ACK or NACK event for each answer, a NACK for a loss,
 * a CNP for an ECN mark (one of a flow in a time), and round trips of the packets that stand
 * for RTT packets. */
#include "oracles/eventpipe/paced.h"

#include <stdlib.h>

enum {
    SLICES = 16,
    FIFO = 256,
    TH1 = 128,
    TH2 = 240,
    CYCLE_NS = 4,
    SERVICE_NS = 150,
    RELOAD_NS = 200,
    RATE_NS = 20,
    TX_PACKETS = 4,
    CNP_NS = 4000,
    PS_PER_NS = 1000,
};

#define PS_PER_S UINT64_C(1000000000000)

static void transmit(void *ctx, uint32_t number, const struct fal_ep_answer *answer,
                     uint64_t now_ns)
{
    struct fal_ep_paced *p = ctx;
    struct fal_ep_paced_flow *flow = &p->flows[number];

    (void)now_ns;
    if (answer->rate_bps > 0)
        flow->rate_bps = answer->rate_bps < p->line_bps ? answer->rate_bps : p->line_bps;
    if (answer->rtt_request && !flow->rtt_under_way)
        flow->rtt_wanted = true;
}

static void trace(void *ctx, const struct fal_ep_event *event)
{
    struct fal_ep_paced *p = ctx;

    p->trace(p->ctx, event);
}

static struct fal_ep_pipe_config config_of(struct fal_ep_paced *p, uint32_t flows,
                                           uint64_t seed)
{
    struct fal_ep_pipe_config config = {.setup = {.slices = SLICES,
                                                  .processors = SLICES,
                                                  .classes = {0, 1, 2, 3, 4, 0, 4},
                                                  .fifo_depth = {FIFO, FIFO},
                                                  .default_rate_bps = p->default_rate_bps,
                                                  .all_points = true,
                                                  .round_robin = true},
                                        .seed = seed,
                                        .flows = flows,
                                        .cycle_ns = CYCLE_NS,
                                        .service_ns = SERVICE_NS,
                                        .reload_ns = RELOAD_NS,
                                        .rate_ns = RATE_NS,
                                        .algorithm = p->algorithm,
                                        .trace = p->trace != NULL ? trace : NULL,
                                        .transmit = transmit,
                                        .ctx = p};

    for (unsigned k = 0; k < FAL_EP_FW; k++) {
        config.setup.th1[k] = TH1;
        config.setup.th2[k] = TH2;
    }
    return config;
}

void fal_ep_paced_free(struct fal_ep_paced *paced)
{
    fal_ep_pipe_free(paced->pipe);
    free(paced->flows);
    paced->pipe = NULL;
    paced->flows = NULL;
}

static int begin(void *ctx, uint32_t flows, uint64_t seed)
{
    struct fal_ep_paced *p = ctx;
    struct fal_ep_pipe_config config = config_of(p, flows, seed);

    fal_ep_paced_free(p);
    p->error = 0;
    p->num_flows = flows;
    p->flows = calloc(flows, sizeof *p->flows);
    if (p->flows == NULL)
        return FAL_ERR_MEM;
    for (uint32_t i = 0; i < flows; i++)
        p->flows[i].rate_bps = p->default_rate_bps;
    return fal_ep_pipe_new(&p->pipe, &config, &p->why);
}

/* ---- events ---- */

static void run_to(struct fal_ep_paced *p, uint64_t now_ps)
{
    int rc = fal_ep_pipe_run(p->pipe, now_ps / PS_PER_NS);

    if (rc != 0)
        p->error = rc;
}

static void offer(struct fal_ep_paced *p, struct fal_ep_event event, uint64_t now_ps)
{
    /* Only firmware can be refused, and there is none. */
    (void)fal_ep_pipe_offer(p->pipe, &event, now_ps / PS_PER_NS);
}

static void sent(void *ctx, uint32_t number, uint32_t packet, uint32_t bytes, uint64_t now_ps)
{
    struct fal_ep_paced *p = ctx;
    struct fal_ep_paced_flow *flow = &p->flows[number];

    run_to(p, now_ps);
    flow->tx_bytes += bytes;
    if (packet % TX_PACKETS == 0) {
        offer(p,
              (struct fal_ep_event){
                  .kind = FAL_EP_TX, .flow = number, .seq = packet, .bytes = flow->tx_bytes},
              now_ps);
        flow->tx_bytes = 0;
    }
    if (!flow->rtt_wanted)
        return;
    flow->rtt_wanted = false;
    flow->rtt_under_way = true;
    flow->rtt_number = packet;
    offer(p,
          (struct fal_ep_event){.kind = FAL_EP_RTT_SENT,
                                .flow = number,
                                .seq = packet,
                                .t1_ns = now_ps / PS_PER_NS},
          now_ps);
}

/* One CNP for the marks of some time. */
static void marked(struct fal_ep_paced *p, uint32_t number, uint32_t packet, uint64_t now_ps)
{
    struct fal_ep_paced_flow *flow = &p->flows[number];
    uint64_t now_ns = now_ps / PS_PER_NS, least = p->cnp_ns > 0 ? p->cnp_ns : CNP_NS;

    if (flow->had_cnp && now_ns - flow->last_cnp_ns < least)
        return;
    flow->had_cnp = true;
    flow->last_cnp_ns = now_ns;
    offer(p, (struct fal_ep_event){.kind = FAL_EP_CNP, .flow = number, .seq = packet}, now_ps);
}

static void acked(void *ctx, uint32_t number, const struct fal_lab_paced *packet)
{
    struct fal_ep_paced *p = ctx;
    struct fal_ep_paced_flow *flow = &p->flows[number];

    run_to(p, packet->now_ps);
    if (packet->marked)
        marked(p, number, packet->number, packet->now_ps);
    offer(p,
          (struct fal_ep_event){.kind = packet->refused ? FAL_EP_NACK : FAL_EP_ACK,
                                .flow = number,
                                .seq = packet->number},
          packet->now_ps);
    if (!flow->rtt_under_way || packet->number < flow->rtt_number)
        return;
    flow->rtt_under_way = false;
    if (packet->number == flow->rtt_number) /* otherwise it was lost */
        offer(p,
              (struct fal_ep_event){.kind = FAL_EP_RTT,
                                    .flow = number,
                                    .seq = packet->number,
                                    .t1_ns = packet->sent_ps / PS_PER_NS,
                                    .t2_ns = packet->received_ps / PS_PER_NS,
                                    .t3_ns = packet->taken_ps / PS_PER_NS,
                                    .t4_ns = packet->now_ps / PS_PER_NS},
              packet->now_ps);
    else
        flow->rtt_wanted = true;
}

static void lost(void *ctx, uint32_t number, uint64_t now_ps)
{
    struct fal_ep_paced *p = ctx;

    run_to(p, now_ps);
    offer(p, (struct fal_ep_event){.kind = FAL_EP_NACK, .flow = number}, now_ps);
}

static uint64_t gap_ps(void *ctx, uint32_t number, uint32_t bytes, uint64_t now_ps)
{
    struct fal_ep_paced *p = ctx;

    run_to(p, now_ps);
    return bytes * 8 * (PS_PER_S / 1000) / (p->flows[number].rate_bps / 1000 + 1);
}

static int error(void *ctx)
{
    return ((struct fal_ep_paced *)ctx)->error;
}

struct fal_lab_pacer fal_ep_paced_pacer(struct fal_ep_paced *paced)
{
    return (struct fal_lab_pacer){paced, begin, sent, acked, lost, gap_ps, error};
}
