/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_net.c - see dcqcn_net.h. */
#include "oracles/cc/dcqcn_net.h"

uint32_t fal_dcqcn_mark_ppm(const struct fal_dcqcn *params, uint64_t queue_bytes)
{
    uint64_t range = params->kmax_bytes - params->kmin_bytes;

    if (params->kmax_bytes == 0 || queue_bytes < params->kmin_bytes)
        return 0;
    if (queue_bytes >= params->kmax_bytes)
        return FAL_DCQCN_PPM;
    return (uint32_t)((queue_bytes - params->kmin_bytes) * params->pmax_ppm / range);
}

unsigned fal_dcqcn_mark(const struct fal_dcqcn *params, uint64_t queue_bytes, unsigned ecn,
                        uint32_t draw)
{
    if (ecn == FAL_ECN_NOT_ECT || draw >= fal_dcqcn_mark_ppm(params, queue_bytes))
        return ecn;
    return FAL_ECN_CE;
}

bool fal_dcqcn_np_marked(struct fal_dcqcn_np *np, const struct fal_dcqcn *params,
                         uint64_t now_ns)
{
    if (now_ns < np->free_ns) {
        np->remembered = true;
        return false;
    }
    np->remembered = false;
    np->free_ns = now_ns + params->cnp_interval_ns;
    return true;
}

bool fal_dcqcn_np_due(struct fal_dcqcn_np *np, const struct fal_dcqcn *params, uint64_t now_ns)
{
    if (!np->remembered || now_ns < np->free_ns)
        return false;
    return fal_dcqcn_np_marked(np, params, now_ns);
}

uint64_t fal_dcqcn_np_next_ns(const struct fal_dcqcn_np *np)
{
    return np->remembered ? np->free_ns : UINT64_MAX;
}
