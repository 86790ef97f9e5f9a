/* SPDX-License-Identifier: Apache-2.0
 * tcp_reno.c - Reno: slow start, congestion avoidance, fast retransmit and fast recovery of
 * RFC 5681. The first acknowledgement of new data ends a recovery. Windows are in segments. */
#include "oracles/logic/logics.h"
#include "oracles/logic/rtt.h"
#include "oracles/logic/tcp_window.h"

struct reno {
    struct fal_logic_rtt rtt;
    struct fal_tcp_window w;
    uint32_t dup;
    uint32_t resent; /* next_new at the last timeout: duplicates below it show no loss */
    bool recovering;
};

static struct reno *of(struct fal_logic_flow *flow)
{
    return (struct reno *)(void *)flow->user;
}

static void init(struct fal_logic_flow *flow)
{
    struct reno *u = of(flow);

    fal_tcp_window_init(&u->w, flow);
    u->resent = flow->next_new - 1;
}

static void duplicate(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct reno *u = of(flow);

    u->dup++;
    if (u->recovering) {
        flow->wnd++;
    } else if (u->dup == flow->config->dup_threshold && fal_logic_before(u->resent, in->cum)) {
        u->w.ssthresh = fal_tcp_half_flight(flow);
        u->recovering = true;
        flow->wnd = u->w.ssthresh + u->dup;
        fal_logic_mark(flow, in->cum, in->cum + 1);
    } else if (flow->config->limited_transmit && u->dup < flow->config->dup_threshold) {
        flow->wnd = u->w.cwnd + u->dup;
    }
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct reno *u = of(flow);

    if (in->kind != FAL_LOGIC_ACK)
        return;
    fal_logic_rtt_take(&u->rtt, flow, in->rtt_ns);
    if (in->newly_acked == 0) {
        if (in->cum == flow->wnd_start && fal_logic_span(flow) > 0)
            duplicate(flow, in);
        return;
    }
    u->dup = 0;
    if (u->recovering)
        u->w.cwnd = u->w.ssthresh;
    else
        fal_tcp_window_grow(&u->w, flow, in->newly_acked);
    u->recovering = false;
    flow->wnd = u->w.cwnd;
    fal_logic_timer(flow, in->now_ns);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct reno *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    fal_tcp_window_timeout(&u->w, flow, u->recovering);
    u->dup = 0;
    u->recovering = false;
    u->resent = flow->next_new;
    fal_logic_back_off(flow);
    fal_logic_timeout(flow, in->now_ns);
}

const struct fal_logic fal_logic_tcp_reno = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "tcp-reno",
    .credit = FAL_LOGIC_BY_WINDOW,
    .user_bytes = sizeof(struct reno),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
