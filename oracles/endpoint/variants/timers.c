/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/variants/timers.h"

uint64_t fal_timers_delay(const struct fal_ep_conn *conn, uint64_t delay_ns)
{
    uint64_t now_ns = conn->ep->now_ns, tick_ns = conn->params.tick_ns, past_ns;

    if (delay_ns == FAL_NEVER || tick_ns == 0)
        return delay_ns;
    past_ns = (now_ns + delay_ns) % tick_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_WHEEL) && delay_ns >= tick_ns)
        return delay_ns - past_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_GRID) || fal_twin(conn, FAL_TWIN_TIMERS_WHEEL))
        return delay_ns + (past_ns > 0 ? tick_ns - past_ns : 0);
    return delay_ns;
}

uint64_t fal_timers_rto(const struct fal_ep_conn *conn, uint64_t rto_ns)
{
    const struct fal_params *p = &conn->params;

    if (!fal_twin(conn, FAL_TWIN_RTO_VARIES) || !p->rto_varies || p->rto_lo_ns == 0 ||
        p->rto_hi_ns < p->rto_lo_ns)
        return rto_ns;
    return p->rto_lo_ns + fal_rng_below(&conn->ep->twin_rng, p->rto_hi_ns - p->rto_lo_ns + 1);
}
