/* SPDX-License-Identifier: Apache-2.0
 * tcp_sack.c - loss recovery by selective acknowledgements: RFC 6675, without its rescue
 * retransmission; windows of RFC 5681, in segments. A window counts segments in flight. */
#include "oracles/logic/logics.h"
#include "oracles/logic/rtt.h"
#include "oracles/logic/tcp_window.h"

struct sack {
    struct fal_logic_rtt rtt;
    struct fal_tcp_window w;
    uint32_t dup;
    uint32_t recover;  /* next_new when the last recovery or timeout began */
    uint32_t high_rxt; /* below it losses of this recovery were looked for */
    bool recovering;
};

static struct sack *of(struct fal_logic_flow *flow)
{
    return (struct sack *)(void *)flow->user;
}

static void init(struct fal_logic_flow *flow)
{
    struct sack *u = of(flow);

    fal_tcp_window_init(&u->w, flow);
    u->recover = flow->next_new - 1;
}

/* IsLost (section 4): below a segment with dup_threshold - 1 others above it, all of them
 * acknowledged selectively, everything else is lost. wnd_start: nothing is. */
static uint32_t lost_end(const struct fal_logic_flow *flow)
{
    uint32_t n = fal_logic_span(flow);
    uint32_t at =
        fal_ring_from_end(flow->acked, flow->wnd_start, n, flow->config->dup_threshold);

    return flow->wnd_start + (at == n ? 0 : at);
}

static void mark_lost(struct fal_logic_flow *flow, uint32_t end)
{
    struct sack *u = of(flow);

    if (!fal_logic_before(u->high_rxt, end))
        return;
    fal_logic_mark(flow, u->high_rxt, end);
    u->high_rxt = end;
}

/* Section 5, step 4: a recovery begins. */
static void enter(struct fal_logic_flow *flow)
{
    struct sack *u = of(flow);

    u->w.ssthresh = u->w.cwnd = fal_tcp_half_flight(flow);
    u->recover = flow->next_new;
    u->recovering = true;
    u->high_rxt = flow->wnd_start;
    mark_lost(flow, flow->wnd_start + 1);
}

static void count_duplicate(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct sack *u = of(flow);
    bool enough;

    if (in->cum != flow->wnd_start || fal_logic_span(flow) == 0)
        return;
    u->dup++;
    enough = u->dup >= flow->config->dup_threshold || lost_end(flow) != flow->wnd_start;
    if (!u->recovering && enough && fal_logic_before(u->recover, in->cum))
        enter(flow);
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct sack *u = of(flow);

    if (in->kind != FAL_LOGIC_ACK)
        return;
    fal_logic_rtt_take(&u->rtt, flow, in->rtt_ns);
    if (flow->wnd_start == in->old_start) {
        count_duplicate(flow, in);
    } else {
        u->dup = 0;
        if (u->recovering && !fal_logic_before(in->cum, u->recover))
            u->recovering = false;
        else if (!u->recovering)
            fal_tcp_window_grow(&u->w, flow, flow->wnd_start - in->old_start);
        fal_logic_timer(flow, in->now_ns);
    }
    if (u->recovering)
        mark_lost(flow, lost_end(flow));
    flow->wnd = u->w.cwnd;
    if (flow->config->limited_transmit && !u->recovering)
        flow->wnd += u->dup < 2 ? u->dup : 2;
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct sack *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    fal_tcp_window_timeout(&u->w, flow, u->recovering);
    u->dup = 0;
    u->recovering = false;
    u->recover = flow->next_new;
    /* Section 5.1: what was acknowledged selectively may have been dropped since. */
    fal_ring_clear(flow->acked, flow->wnd_start, fal_logic_span(flow));
    fal_logic_back_off(flow);
    fal_logic_timeout(flow, in->now_ns);
}

const struct fal_logic fal_logic_tcp_sack = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "tcp-sack",
    .credit = FAL_LOGIC_BY_WINDOW,
    .selective = true,
    .user_bytes = sizeof(struct sack),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
