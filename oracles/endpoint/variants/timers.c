/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/variants/timers.h"

enum { LATE_PART = 20 /* a timer is late by up to this part of its time */ };

uint64_t fal_timers_delay(const struct fal_ep_conn *conn, uint64_t delay_ns)
{
    uint64_t now_ns = conn->ep->now_ns, tick_ns = conn->params.tick_ns, past_ns;

    if (delay_ns == FAL_NEVER)
        return delay_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_LATE))
        delay_ns += fal_rng_below(&conn->ep->twin_rng, delay_ns / LATE_PART + 1);
    if (tick_ns == 0)
        return delay_ns;
    past_ns = (now_ns + delay_ns) % tick_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_WHEEL) && delay_ns >= tick_ns)
        return delay_ns - past_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_GRID) || fal_twin(conn, FAL_TWIN_TIMERS_WHEEL) ||
        fal_twin(conn, FAL_TWIN_CLOCK_COARSE))
        return delay_ns + (past_ns > 0 ? tick_ns - past_ns : 0);
    return delay_ns;
}

uint64_t fal_timers_retransmit(struct fal_ep_conn *conn, uint64_t rto_ns)
{
    uint64_t now_ns = conn->ep->now_ns, delay_ns = fal_timers_delay(conn, rto_ns);
    uint64_t before_ns = conn->odd->rto_ends_ns, most_ns = rto_ns;

    if (delay_ns == FAL_NEVER ||
        !(fal_twin(conn, FAL_TWIN_TIMERS_LATE) || fal_twin(conn, FAL_TWIN_RTO_VARIES)))
        return delay_ns;
    if (fal_twin(conn, FAL_TWIN_RTO_VARIES) && conn->params.rto_varies &&
        conn->params.rto_hi_ns > most_ns)
        most_ns = conn->params.rto_hi_ns;
    if (fal_twin(conn, FAL_TWIN_TIMERS_LATE))
        most_ns += most_ns / LATE_PART;
    if (before_ns > now_ns + delay_ns && before_ns - now_ns <= most_ns + conn->params.tick_ns)
        delay_ns = before_ns - now_ns;
    conn->odd->rto_ends_ns = now_ns + delay_ns;
    return delay_ns;
}

/* Whether the device draws the RTO of each packet. */
static bool draws_rto(const struct fal_ep_conn *conn)
{
    const struct fal_params *p = &conn->params;

    return fal_twin(conn, FAL_TWIN_RTO_VARIES) && p->rto_varies && p->rto_lo_ns > 0 &&
           p->rto_lo_ns <= p->rto_hi_ns;
}

uint64_t fal_timers_moved(struct fal_ep_conn *conn, uint64_t left_ns, uint64_t ends_ns)
{
    uint64_t now_ns = conn->ep->now_ns;

    if (!draws_rto(conn))
        return fal_timers_retransmit(conn, left_ns);
    return ends_ns > now_ns ? ends_ns - now_ns : 0;
}

uint64_t fal_timers_rto(const struct fal_ep_conn *conn, uint64_t rto_ns)
{
    const struct fal_params *p = &conn->params;

    if (!draws_rto(conn))
        return rto_ns;
    return p->rto_lo_ns + fal_rng_below(&conn->ep->twin_rng, p->rto_hi_ns - p->rto_lo_ns + 1);
}

/* The bits of a time in ticks that the clock does not show: it advances in steps of the largest
 * power of two ticks that is no longer than the device's tick. */
static uint32_t hidden_bits(const struct fal_ep_conn *conn)
{
    uint64_t tick_ns = conn->params.tick_ns;
    uint32_t step = 1;

    while (step < UINT32_C(1) << 16 && fal_ticks_ns(2 * (uint64_t)step) <= tick_ns)
        step *= 2;
    return step - 1;
}

uint32_t fal_timers_stamp(const struct fal_ep_conn *conn, uint32_t ticks)
{
    return fal_twin(conn, FAL_TWIN_CLOCK_COARSE) ? ticks & ~hidden_bits(conn) : ticks;
}

/* The bits below the clock's step count packets, so that no IV is used twice. */
uint64_t fal_timers_iv(const struct fal_ep_conn *conn, uint64_t iv, uint64_t last_iv)
{
    unsigned shift = conn->ep->clock.iv_shift;
    uint64_t step = ((uint64_t)hidden_bits(conn) + 1) << shift, coarse = iv & ~(step - 1);

    if (!fal_twin(conn, FAL_TWIN_CLOCK_COARSE))
        return iv;
    return (int64_t)(coarse - last_iv) > 0 ? coarse : last_iv + 1;
}
