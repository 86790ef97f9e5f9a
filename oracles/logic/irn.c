/* SPDX-License-Identifier: Apache-2.0
 * irn.c - IRN (SIGCOMM 2018): a receiver that keeps segments out of order and answers each with
 * a NACK that has a selective acknowledgement; holes are filled, once in a recovery; a short
 * timeout while few segments are in flight. The rate is that of the line, the window the
 * bandwidth-delay product (max_window). */
#include "oracles/logic/logics.h"

struct irn {
    uint32_t recover;  /* next_new when the recovery began */
    uint32_t high_rxt; /* below it holes of this recovery were looked for */
    bool recovering;
};

static struct irn *of(struct fal_logic_flow *flow)
{
    return (struct irn *)(void *)flow->user;
}

static bool few(const struct fal_logic_flow *flow)
{
    return flow->config->rto_low_ns != 0 && fal_logic_span(flow) < flow->config->low_segments;
}

static void restart(struct fal_logic_flow *flow, uint64_t now_ns)
{
    flow->rto_ns = few(flow) ? flow->config->rto_low_ns : flow->config->rto_min_ns;
    fal_logic_timer(flow, now_ns);
}

static void init(struct fal_logic_flow *flow)
{
    restart(flow, 0);
}

/* A segment is a hole if it is not acknowledged and a later one is. */
static void fill_holes(struct fal_logic_flow *flow)
{
    struct irn *u = of(flow);
    uint32_t end = fal_logic_acked_end(flow);

    if (end == flow->wnd_start)
        end++; /* the NACK itself names the first */
    if (!fal_logic_before(u->high_rxt, end))
        return;
    fal_logic_mark(flow, u->high_rxt, end);
    u->high_rxt = end;
}

static void incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct irn *u = of(flow);

    if (u->recovering && !fal_logic_before(flow->wnd_start, u->recover))
        u->recovering = false;
    if (in->kind == FAL_LOGIC_NACK && in->nack_seg == flow->wnd_start &&
        fal_logic_span(flow) > 0) { /* else it is old */
        if (!u->recovering) {
            u->recovering = true;
            u->recover = flow->next_new;
            u->high_rxt = flow->wnd_start;
        }
        fill_holes(flow);
    }
    if (in->newly_acked != 0)
        restart(flow, in->now_ns);
}

static void periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    struct irn *u = of(flow);

    if (in->kind != FAL_LOGIC_TIMEOUT)
        return;
    if (flow->rto_ns < flow->config->rto_min_ns && !few(flow)) {
        /* It was set when few were in flight; now the long one counts. */
        flow->rto_ns = flow->config->rto_min_ns;
        flow->rtx_timer_ns = in->now_ns + flow->config->rto_min_ns - flow->config->rto_low_ns;
        return;
    }
    u->recovering = true;
    u->recover = u->high_rxt = flow->next_new;
    restart(flow, in->now_ns);
    fal_logic_timeout(flow, in->now_ns);
}

const struct fal_logic fal_logic_irn = {
    .abi = FAL_LOGIC_ABI,
    .flow_bytes = sizeof(struct fal_logic_flow),
    .name = "irn",
    .credit = FAL_LOGIC_BY_RATE,
    .user_bytes = sizeof(struct irn),
    .init = init,
    .incoming = incoming,
    .periodic = periodic,
};
