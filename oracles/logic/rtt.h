/* SPDX-License-Identifier: Apache-2.0
 * rtt.h - the retransmission timeout of RFC 6298, for the logics of TCP; in integers. */
#ifndef FAL_ORACLES_LOGIC_RTT_H
#define FAL_ORACLES_LOGIC_RTT_H

#include "oracles/logic/logic.h"

struct fal_logic_rtt {
    uint64_t srtt_ns, rttvar_ns; /* srtt_ns 0: none was measured */
};

static inline uint64_t fal_logic_clamp_rto(const struct fal_logic_flow *flow, uint64_t rto_ns)
{
    const struct fal_logic_config *config = flow->config;

    rto_ns = rto_ns < config->rto_min_ns ? config->rto_min_ns : rto_ns;
    return rto_ns > config->rto_max_ns ? config->rto_max_ns : rto_ns;
}

/* A measurement (section 2); 0: none. The backoff of timeouts ends with it. */
static inline void fal_logic_rtt_take(struct fal_logic_rtt *rtt, struct fal_logic_flow *flow,
                                      uint64_t ns)
{
    uint64_t off = ns > rtt->srtt_ns ? ns - rtt->srtt_ns : rtt->srtt_ns - ns;

    if (ns == 0)
        return;
    rtt->rttvar_ns = rtt->srtt_ns == 0 ? ns / 2 : (3 * rtt->rttvar_ns + off) / 4;
    rtt->srtt_ns = rtt->srtt_ns == 0 ? ns : (7 * rtt->srtt_ns + ns) / 8;
    flow->rto_ns = fal_logic_clamp_rto(flow, rtt->srtt_ns + 4 * rtt->rttvar_ns);
}

/* A timeout (5.5). */
static inline void fal_logic_back_off(struct fal_logic_flow *flow)
{
    flow->rto_ns = fal_logic_clamp_rto(flow, 2 * flow->rto_ns);
}

#endif
