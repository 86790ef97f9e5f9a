/* SPDX-License-Identifier: Apache-2.0
 * roce_gbn_dcqcn.c - RoCEv2: go-back-N from a NAK or a timeout [A17], the rate by DCQCN [P]. */
#include "oracles/cc/dcqcn.h"
#include "oracles/logic/logics.h"

struct roce {
    struct fal_dcqcn_rp rp;
    uint64_t counted; /* bytes that the reaction point knows of */
};

static struct roce *of(struct fal_logic_flow *flow)
{
    return (struct roce *)(void *)flow->user;
}

/* Takes the rate, and asks for a call when it may change next. */
static void follow(struct fal_logic_flow *flow)
{
    const struct fal_dcqcn_rp *rp = &of(flow)->rp;
    uint64_t next_ns = fal_dcqcn_rp_next_ns(rp);

    flow->rate_bps = fal_dcqcn_rp_rate_bps(rp);
    flow->tick_ns = next_ns == UINT64_MAX ? 0 : next_ns;
    flow->tick_bytes = flow->sent_bytes + 1;
}

static void count(struct fal_logic_flow *flow, uint64_t now_ns)
{
    struct roce *u = of(flow);

    if (flow->sent_bytes != u->counted)
        fal_dcqcn_rp_sent(&u->rp, flow->sent_bytes - u->counted, now_ns);
    u->counted = flow->sent_bytes;
    fal_dcqcn_rp_until(&u->rp, now_ns);
}

static void init(struct fal_logic_flow *flow)
{
    struct roce *u = of(flow);
    struct fal_dcqcn params = flow->config->dcqcn;

    params.line_rate_bps = flow->config->line_rate_bps;
    fal_dcqcn_rp_init(&u->rp, &params, 0);
    follow(flow);
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    count(flow, in->now_ns);
    if (in->kind == FAL_LOGIC_CNP)
        fal_dcqcn_rp_cnp(&of(flow)->rp, in->now_ns);
    if (in->kind == FAL_LOGIC_NACK && in->nack_seg == flow->wnd_start) /* else it is old */
        fal_logic_mark(flow, in->nack_seg, flow->next_new);
    if (in->newly_acked != 0)
        fal_logic_timer(flow, in->now_ns);
    follow(flow);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    count(flow, in->now_ns);
    if (in->kind == FAL_LOGIC_TIMEOUT)
        fal_logic_timeout(flow, in->now_ns);
    follow(flow);
}

const struct fal_logic fal_logic_roce_gbn_dcqcn = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "roce-gbn-dcqcn",
    .credit = FAL_LOGIC_BY_RATE,
    .user_bytes = sizeof(struct roce),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
