/* SPDX-License-Identifier: Apache-2.0
 * tcp_reno.c - Reno: slow start, congestion avoidance, fast retransmit and fast recovery of
 * RFC 5681. The first acknowledgement of new data ends a recovery. Windows are in segments. */
#include "oracles/logic/logics.h"
#include "oracles/logic/rtt.h"

struct reno {
    struct fal_logic_rtt rtt;
    uint32_t cwnd, ssthresh;
    uint32_t acked; /* in congestion avoidance, since cwnd grew */
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

    u->cwnd = flow->wnd = flow->config->initial_window;
    u->ssthresh = flow->config->max_window;
    u->resent = flow->next_new - 1;
}

static uint32_t half_flight(const struct fal_logic_flow *flow)
{
    uint32_t half = fal_logic_span(flow) / 2;

    return half > 2 ? half : 2;
}

static void grow(struct fal_logic_flow *flow, uint32_t n)
{
    struct reno *u = of(flow);

    if (u->cwnd < u->ssthresh) {
        u->cwnd += n < 2 ? n : 2;
    } else if ((u->acked += n) >= u->cwnd) {
        u->acked -= u->cwnd;
        u->cwnd++;
    }
    if (u->cwnd > flow->config->max_window)
        u->cwnd = flow->config->max_window;
}

static void duplicate(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct reno *u = of(flow);

    u->dup++;
    if (u->recovering) {
        flow->wnd++;
    } else if (u->dup == flow->config->dup_threshold && fal_logic_before(u->resent, in->cum)) {
        u->ssthresh = half_flight(flow);
        u->recovering = true;
        flow->wnd = u->ssthresh + u->dup;
        fal_logic_mark(flow, in->cum, in->cum + 1);
    } else if (flow->config->limited_transmit && u->dup < flow->config->dup_threshold) {
        flow->wnd = u->cwnd + u->dup;
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
        u->cwnd = u->ssthresh;
    else
        grow(flow, in->newly_acked);
    u->recovering = false;
    flow->wnd = u->cwnd;
    fal_logic_timer(flow, in->now_ns);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct reno *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    if (u->cwnd > 1 || u->recovering) /* not for the second timeout of one segment */
        u->ssthresh = half_flight(flow);
    u->cwnd = flow->wnd = 1;
    u->acked = u->dup = 0;
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
