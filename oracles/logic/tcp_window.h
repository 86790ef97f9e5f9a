/* SPDX-License-Identifier: Apache-2.0
 * tcp_window.h - the congestion window of RFC 5681, in segments, which Reno, NewReno and SACK
 * share. */
#ifndef FAL_ORACLES_LOGIC_TCP_WINDOW_H
#define FAL_ORACLES_LOGIC_TCP_WINDOW_H

#include "oracles/logic/logic.h"

struct fal_tcp_window {
    uint32_t cwnd, ssthresh;
    uint32_t acked; /* in congestion avoidance, since cwnd grew */
};

static inline void fal_tcp_window_init(struct fal_tcp_window *w, struct fal_logic_flow *flow)
{
    w->cwnd = flow->wnd = flow->config->initial_window;
    w->ssthresh = flow->config->max_window;
}

/* ssthresh after a loss: half the flight, at least two segments (equation 4). */
static inline uint32_t fal_tcp_half_flight(const struct fal_logic_flow *flow)
{
    uint32_t half = fal_logic_span(flow) / 2;

    return half > 2 ? half : 2;
}

/* `n` segments were acknowledged (3.1): slow start by at most two segments an acknowledgement,
 * else one a window. */
static inline void fal_tcp_window_grow(struct fal_tcp_window *w,
                                       const struct fal_logic_flow *flow, uint32_t n)
{
    if (w->cwnd < w->ssthresh) {
        w->cwnd += n < 2 ? n : 2;
    } else if ((w->acked += n) >= w->cwnd) {
        w->acked -= w->cwnd;
        w->cwnd++;
    }
    if (w->cwnd > flow->config->max_window)
        w->cwnd = flow->config->max_window;
}

/* A retransmission timeout. The second one of one segment leaves ssthresh as it is. */
static inline void fal_tcp_window_timeout(struct fal_tcp_window *w, struct fal_logic_flow *flow,
                                          bool recovering)
{
    if (w->cwnd > 1 || recovering)
        w->ssthresh = fal_tcp_half_flight(flow);
    w->cwnd = flow->wnd = 1;
    w->acked = 0;
}

#endif
