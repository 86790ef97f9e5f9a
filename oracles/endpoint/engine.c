/* SPDX-License-Identifier: Apache-2.0
 * engine.c - congestion control from outside: another Rate Update Engine, results that no event
 * asked for, the state of a connection as an event states it, levels of buffers. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/rue.h"

void fal_endpoint_rue(struct fal_endpoint *ep, const struct fal_rue_config *config)
{
    fal_rue_change(&ep->rue, config);
}

int fal_endpoint_cc(const struct fal_endpoint *ep, uint32_t conn, struct fal_cc_event *now)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return FAL_ERR_RANGE;
    *now = fal_rue_event_of(of, FAL_CC_ACK);
    return 0;
}

int fal_endpoint_apply(struct fal_endpoint *ep, uint32_t conn,
                       const struct fal_cc_result *result, uint64_t now_ns)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return FAL_ERR_RANGE;
    if (now_ns > ep->now_ns)
        ep->now_ns = now_ns;
    ep->out_of_memory = false;
    if (!of->dead)
        fal_rue_apply(of, result);
    fal_ep_conn_settle(of);
    return ep->out_of_memory ? FAL_ERR_MEM : 0;
}

enum fal_cc_format fal_endpoint_entry_format(const struct fal_endpoint *ep, uint32_t conn)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    return of != NULL ? fal_decide(of, entry_format, ep->rue.config.format)
                      : ep->rue.config.format;
}

uint32_t fal_endpoint_ticks(const struct fal_endpoint *ep)
{
    return fal_clock_ticks(&ep->clock, ep->now_ns) & FAL_CC_TIME_MAX;
}

void fal_endpoint_rx_levels(struct fal_endpoint *ep, enum fal_rx_pool pool,
                            const struct fal_occupancy *levels)
{
    struct fal_occupancy *own = &ep->occupancy[pool];
    uint64_t average = own->average;

    if (levels != NULL)
        *own = *levels;
    else
        fal_occupancy_init(own, UINT32_MAX, 0);
    own->average = average;
    ep->levels_given[pool] = levels != NULL;
    ep->rx_level[pool] = fal_occupancy_level(own, false);
}
