/* SPDX-License-Identifier: Apache-2.0
 * tcp_newreno.c - NewReno: RFC 5681 and, for recovery, RFC 6582. Windows are in segments. */
#include "oracles/logic/logics.h"
#include "oracles/logic/rtt.h"

struct newreno {
    struct fal_logic_rtt rtt;
    uint32_t cwnd, ssthresh;
    uint32_t acked;   /* in congestion avoidance, since cwnd grew */
    uint32_t dup;     /* acknowledgements in a row */
    uint32_t recover; /* next_new when the last recovery or timeout began */
    bool recovering;
    bool partial; /* one came in this recovery */
};

static struct newreno *of(struct fal_logic_flow *flow)
{
    return (struct newreno *)(void *)flow->user;
}

static void init(struct fal_logic_flow *flow)
{
    struct newreno *u = of(flow);

    u->cwnd = flow->wnd = flow->config->initial_window;
    u->ssthresh = flow->config->max_window;
    u->recover = flow->next_new - 1; /* so that the first loss counts */
}

static uint32_t half_flight(const struct fal_logic_flow *flow)
{
    uint32_t half = fal_logic_span(flow) / 2;

    return half > 2 ? half : 2;
}

/* RFC 5681 3.1: slow start by at most two segments an acknowledgement, else one a window. */
static void grow(struct fal_logic_flow *flow, uint32_t n)
{
    struct newreno *u = of(flow);

    if (u->cwnd < u->ssthresh) {
        u->cwnd += n < 2 ? n : 2;
    } else if ((u->acked += n) >= u->cwnd) {
        u->acked -= u->cwnd;
        u->cwnd++;
    }
    if (u->cwnd > flow->config->max_window)
        u->cwnd = flow->config->max_window;
}

/* RFC 6582 3.2 step 3: an acknowledgement of all, or a partial one. */
static void in_recovery(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);
    uint32_t left;

    if (!fal_logic_before(in->cum, u->recover)) {
        left = fal_logic_span(flow) + 1;
        u->cwnd = flow->wnd = left > 2 && left < u->ssthresh ? left : u->ssthresh;
        u->recovering = false;
        fal_logic_timer(flow, in->now_ns);
        return;
    }
    fal_logic_mark(flow, in->cum, in->cum + 1);
    flow->wnd = (flow->wnd > in->newly_acked ? flow->wnd - in->newly_acked : 0) + 1;
    if (!u->partial) /* the "impatient" variant: only the first one starts the timer anew */
        fal_logic_timer(flow, in->now_ns);
    u->partial = true;
}

static void duplicate(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);

    u->dup++;
    if (u->recovering) {
        flow->wnd++;
    } else if (u->dup == flow->config->dup_threshold && fal_logic_before(u->recover, in->cum)) {
        u->ssthresh = half_flight(flow);
        u->recover = flow->next_new;
        u->recovering = true;
        u->partial = false;
        flow->wnd = u->ssthresh + u->dup;
        fal_logic_mark(flow, in->cum, in->cum + 1);
    } else if (flow->config->limited_transmit && u->dup < flow->config->dup_threshold) {
        flow->wnd = u->cwnd + u->dup;
    }
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);

    if (in->kind != FAL_LOGIC_ACK)
        return;
    fal_logic_rtt_take(&u->rtt, flow, in->rtt_ns);
    if (in->newly_acked == 0) {
        if (in->cum == flow->wnd_start && fal_logic_span(flow) > 0)
            duplicate(flow, in);
        return;
    }
    u->dup = 0;
    if (u->recovering) {
        in_recovery(flow, in);
        return;
    }
    grow(flow, in->newly_acked);
    flow->wnd = u->cwnd;
    fal_logic_timer(flow, in->now_ns);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    if (u->cwnd > 1 || u->recovering) /* not for the second timeout of one segment */
        u->ssthresh = half_flight(flow);
    u->cwnd = flow->wnd = 1;
    u->acked = u->dup = 0;
    u->recovering = false;
    u->recover = flow->next_new;
    fal_logic_back_off(flow);
    fal_logic_timeout(flow, in->now_ns);
}

const struct fal_logic fal_logic_tcp_newreno = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "tcp-newreno",
    .credit = FAL_LOGIC_BY_WINDOW,
    .user_bytes = sizeof(struct newreno),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
