/* SPDX-License-Identifier: Apache-2.0
 * ndp.c - NDP (SIGCOMM 2017): each segment is acknowledged, a trimmed one is answered by a
 * NACK; after a first window the receiver's pulls are the tokens to send. */
#include "oracles/logic/logics.h"

static void init(struct fal_logic_flow *flow)
{
    flow->rto_ns = flow->config->rto_min_ns;
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    if (in->kind == FAL_LOGIC_NACK)
        fal_logic_mark(flow, in->nack_seg, in->nack_seg + 1);
    if (in->newly_acked != 0 || in->kind == FAL_LOGIC_NACK) {
        flow->rto_ns = flow->config->rto_min_ns;
        fal_logic_timer(flow, in->now_ns);
    }
}

/* Segments that went lost bring no pull, so the timeout brings the tokens [S1 3.3.2]. */
static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    uint64_t twice_ns = 2 * flow->rto_ns;
    uint32_t lost;

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    flow->rto_ns = twice_ns < flow->config->rto_max_ns ? twice_ns : flow->config->rto_max_ns;
    fal_logic_timeout(flow, in->now_ns);
    lost = fal_ring_count(flow->marked_rtx, flow->wnd_start, fal_logic_span(flow));
    if (flow->tokens < lost)
        flow->tokens = lost;
}

const struct fal_logic fal_logic_ndp = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "ndp",
    .credit = FAL_LOGIC_BY_TOKENS,
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
