/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/simnet_wire.h"

/* The time that so many bytes take; what is beyond reckoning takes for ever. */
static uint64_t time_of(uint64_t bytes, uint64_t rate_bps)
{
    const uint64_t bit_ns = 8 * FAL_S;

    return bytes > (FAL_NEVER - 1) / bit_ns ? FAL_NEVER - 1 : bytes * bit_ns / rate_bps;
}

uint64_t fal_impairment_delay_min_ns(const struct fal_impairment *impair)
{
    return impair->latency_ns;
}

uint64_t fal_impairment_delay_max_ns(const struct fal_impairment *impair)
{
    uint64_t most = fal_simnet_later(impair->latency_ns, impair->jitter_ns);

    if (impair->reorder_ppm != 0)
        most = fal_simnet_later(most, impair->reorder_ns);
    if (impair->rate_bps == 0)
        return most;
    if (impair->queue_bytes == 0)
        return FAL_NEVER;
    return fal_simnet_later(most, time_of(impair->queue_bytes, impair->rate_bps));
}

enum fal_simnet_pass fal_simnet_wire_pass(struct fal_simnet_wire *wire,
                                          const struct fal_impairment *impair, size_t len,
                                          uint64_t now_ns, uint64_t *left_ns, bool *mark)
{
    uint64_t rate = impair->rate_bps, start = now_ns, own, backlog;

    *mark = false;
    *left_ns = now_ns;
    if (rate == 0)
        return FAL_SIMNET_PASSED;
    if (wire->busy_until_ns > start)
        start = wire->busy_until_ns;
    /* The queue is reckoned in time: its bytes at the rate of the wire. */
    own = time_of(len, rate);
    backlog = start - now_ns;
    if (impair->queue_bytes > 0 &&
        fal_simnet_later(backlog, own) > time_of(impair->queue_bytes, rate))
        return FAL_SIMNET_FULL;
    *mark = impair->ecn_bytes > 0 && backlog >= time_of(impair->ecn_bytes, rate);
    *left_ns = wire->busy_until_ns = fal_simnet_later(start, own);
    return FAL_SIMNET_PASSED;
}
