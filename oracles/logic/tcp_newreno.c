/* SPDX-License-Identifier: Apache-2.0
 * tcp_newreno.c - NewReno: RFC 5681 and, for recovery, RFC 6582. Windows are in segments. */
#include "oracles/logic/logics.h"
#include "oracles/logic/rtt.h"
#include "oracles/logic/tcp_window.h"

struct newreno {
    struct fal_logic_rtt rtt;
    struct fal_tcp_window w;
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

    fal_tcp_window_init(&u->w, flow);
    u->recover = flow->next_new - 1; /* so that the first loss counts */
}

/* RFC 6582 3.2 step 3: an acknowledgement of all, or a partial one. */
static void in_recovery(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);
    uint32_t left;

    if (!fal_logic_before(in->cum, u->recover)) {
        left = fal_logic_span(flow) + 1;
        u->w.cwnd = flow->wnd = left > 2 && left < u->w.ssthresh ? left : u->w.ssthresh;
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
        u->w.ssthresh = fal_tcp_half_flight(flow);
        u->recover = flow->next_new;
        u->recovering = true;
        u->partial = false;
        flow->wnd = u->w.ssthresh + u->dup;
        fal_logic_mark(flow, in->cum, in->cum + 1);
    } else if (flow->config->limited_transmit && u->dup < flow->config->dup_threshold) {
        flow->wnd = u->w.cwnd + u->dup;
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
    fal_tcp_window_grow(&u->w, flow, in->newly_acked);
    flow->wnd = u->w.cwnd;
    fal_logic_timer(flow, in->now_ns);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct newreno *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    fal_tcp_window_timeout(&u->w, flow, u->recovering);
    u->dup = 0;
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
