/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/measure.h"

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/transaction/occupancy.h"

enum {
    ECN_MASK = 3,
    ECN_CE = 3,
    HOPS_MAX = 15,
    ECN_COUNT_MAX = 0x3fff,
    RTT_ALPHA = 128 /* of 1024 (10.1) */
};

/* ---- what arrives ---- */

/* AMB-61: which packets the times, hops and marks are of. */
static bool measured(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    return fal_decide(conn, stamped, !fal_falcon_is_ack(falcon->packet_type), falcon);
}

static uint8_t hops_of(const struct fal_ep_conn *conn, uint8_t ttl)
{
    uint32_t initial = conn->params.initial_ttl;
    uint32_t hops = ttl > 0 && ttl < initial ? initial - ttl : 0;

    return (uint8_t)(hops < HOPS_MAX ? hops : HOPS_MAX);
}

void fal_measure_arrival(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                         const struct fal_falcon *falcon)
{
    const struct fal_clock *clock = &conn->ep->clock;
    uint64_t now_ns = conn->ep->now_ns;
    struct fal_measured m;

    if (!measured(conn, falcon))
        return;
    m.hops = hops_of(conn, in->ttl);
    m.marked = (in->ecn & ECN_MASK) == ECN_CE;
    m.t1 = in->seal.present ? fal_clock_t1(clock, in->seal.iv) : in->t1;
    m.t2 = fal_clock_ticks(clock, now_ns > in->age_ns ? now_ns - in->age_ns : 0);
    fal_filter(conn, measured, in, &m);
    conn->hops = m.hops;
    conn->ecn = (conn->ecn + m.marked + fal_steer_marks(conn)) & ECN_COUNT_MAX;
    conn->t1 = m.t1;
    conn->t2 = m.t2;
}

/* ---- what is told ---- */

uint8_t fal_measure_level(const struct fal_ep_conn *conn)
{
    const unsigned *levels = conn->ep->rx_level;
    unsigned packets = levels[FAL_RX_PACKETS], buffers = levels[FAL_RX_BUFFERS];

    return (uint8_t)fal_decide(conn, level, packets > buffers ? packets : buffers);
}

void fal_measure_fill(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    ack->t1 = conn->t1;
    ack->t2 = conn->t2;
    ack->hop_count = conn->hops;
    ack->ecn_rx_count = conn->ecn;
    ack->rx_buffer_occupancy = fal_measure_level(conn);
}

void fal_measure_seal(struct fal_ep_conn *conn, uint64_t now_ns, struct fal_seal *seal)
{
    const struct fal_security *security = &conn->security;

    *seal = (struct fal_seal){0};
    if (!security->on)
        return;
    *seal = (struct fal_seal){
        .present = true,
        .spi = security->peer_spi,
        .has_vc = security->has_vc,
        .vc = security->has_vc ? security->peer_pcid : 0,
        .iv = fal_clock_iv(&conn->ep->clock, now_ns),
    };
}

void fal_measure_departure(struct fal_ep_conn *conn, struct fal_falcon *header,
                           struct fal_endpoint_out *out)
{
    uint64_t last_iv = conn->ep->clock.last_iv;

    out->path = conn->cc.path;
    if (conn->security.on)
        fal_measure_seal(conn, conn->ep->now_ns, &out->seal);
    fal_filter(conn, departure, header, last_iv, out);
}

/* ---- round trips ---- */

void fal_measure_rtt(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    uint32_t now = fal_clock_ticks(&conn->ep->clock, conn->ep->now_ns);
    /* Without IVs there is no t1; nor is there one before the other end has received a packet.
     */
    bool known = ack->t1 != 0 || (conn->security.on && ack->t2 != 0);
    uint32_t ticks = fal_decide(conn, rtt, known ? now - ack->t1 : FAL_RTT_UNKNOWN, ack, now);

    if (ticks <= INT32_MAX)
        conn->rtt_ns = fal_smooth(conn->rtt_ns, fal_ticks_ns(ticks),
                                  fal_decide(conn, rtt_alpha, RTT_ALPHA));
}

/* ---- resources ---- */

void fal_measure_pools(struct fal_endpoint *ep)
{
    static const enum fal_resource resources[FAL_RX_POOLS] = {
        [FAL_RX_PACKETS] = FAL_RES_NET_PKT_RX, [FAL_RX_BUFFERS] = FAL_RES_NET_BUF_RX};

    for (unsigned i = 0; i < FAL_RX_POOLS; i++) {
        uint32_t used = ep->pools.host.used[resources[i]];

        if (used == ep->rx_used[i])
            continue;
        ep->rx_used[i] = used;
        fal_occupancy_update(&ep->occupancy[i], used);
        ep->rx_level[i] = fal_occupancy_level(&ep->occupancy[i], false);
    }
}
