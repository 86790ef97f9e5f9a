/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/measure.h"

#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/occupancy.h"

enum {
    ECN_ECT0 = 2,
    ECN_CE = 3,
    HOPS_MAX = 15,
    ECN_COUNT_MAX = 0x3fff,
    RTT_ALPHA = 128 /* of 1024 (10.1) */
};

/* ---- what arrives ---- */

/* AMB-61: which packets the times, hops and marks are of. */
static bool measured(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    if (fal_falcon_is_ack(falcon->packet_type))
        return fal_twin(conn, FAL_TWIN_STAMPS_OF_ACKS_TOO);
    if (!fal_twin(conn, FAL_TWIN_STAMPS_OF_NEW_ONLY))
        return true;
    return fal_rxwin_check(&conn->rx[fal_falcon_window(falcon)], falcon->psn) == FAL_RX_NEW;
}

static uint8_t hops_of(const struct fal_ep_conn *conn, uint8_t ttl)
{
    uint32_t initial = conn->params.initial_ttl;
    uint32_t hops = ttl > 0 && ttl < initial ? initial - ttl : 0;

    if (hops != (ttl & HOPS_MAX) && fal_fault(conn, FAL_FAULT_HOPS_ARE_TTL))
        return ttl & HOPS_MAX;
    if (fal_twin(conn, FAL_TWIN_HOPS_WRAP))
        return hops & HOPS_MAX;
    return (uint8_t)(hops < HOPS_MAX ? hops : HOPS_MAX);
}

static void count_mark(struct fal_ep_conn *conn, unsigned ecn)
{
    bool marked = ecn == ECN_CE;

    if (marked && fal_fault(conn, FAL_FAULT_ECN_NEVER_COUNTED))
        return;
    if (ecn == ECN_ECT0 && fal_fault(conn, FAL_FAULT_ECN_COUNTS_CAPABLE))
        marked = true;
    if (conn->ecn > 0 && fal_fault(conn, FAL_FAULT_ECN_NOT_CUMULATIVE))
        conn->ecn = 0;
    conn->ecn = (conn->ecn + marked) & ECN_COUNT_MAX;
}

void fal_measure_arrival(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                         const struct fal_falcon *falcon)
{
    const struct fal_clock *clock = &conn->ep->clock;

    if (!measured(conn, falcon))
        return;
    conn->hops = hops_of(conn, in->ttl);
    count_mark(conn, in->ecn & 3u);
    if (conn->coalesce_ns != FAL_NEVER && fal_fault(conn, FAL_FAULT_T1_OF_THE_FIRST))
        return;
    conn->t1 = in->seal.present ? fal_clock_t1(clock, in->seal.iv) : in->t1;
    conn->t2 = fal_clock_ticks(
        clock, conn->ep->now_ns > in->age_ns ? conn->ep->now_ns - in->age_ns : 0);
    fal_filter(conn, measured, conn->t1, conn->t2);
}

/* ---- what is told ---- */

uint8_t fal_measure_level(const struct fal_ep_conn *conn)
{
    bool below = fal_twin(conn, FAL_TWIN_LEVEL_BELOW_AT_EQUALITY);
    const struct fal_occupancy *pools = conn->ep->occupancy;
    unsigned packets = fal_occupancy_level(&pools[FAL_RX_PACKETS], below);
    unsigned buffers = fal_occupancy_level(&pools[FAL_RX_BUFFERS], below);
    unsigned high = packets > buffers ? packets : buffers;

    if (packets != buffers && fal_fault(conn, FAL_FAULT_LEVEL_OF_THE_EMPTIER))
        return (uint8_t)(packets < buffers ? packets : buffers);
    return (uint8_t)high;
}

void fal_measure_fill(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    ack->t1 = conn->t1;
    ack->t2 = conn->t2;
    ack->hop_count = conn->hops;
    ack->ecn_rx_count = conn->ecn;
    ack->rx_buffer_occupancy = fal_measure_level(conn);
}

static void distort_times(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    uint32_t t1 = ack->t1, now = fal_clock_ticks(&conn->ep->clock, conn->ep->now_ns);

    if (ack->t1 != ack->t2 && fal_fault(conn, FAL_FAULT_T1_T2_SWAPPED)) {
        ack->t1 = ack->t2;
        ack->t2 = t1;
    }
    if (ack->t2 != now && fal_fault(conn, FAL_FAULT_T2_OF_THE_ACK))
        ack->t2 = now;
    if (fal_fault(conn, FAL_FAULT_T2_IN_MICROSECONDS))
        ack->t2 = (uint32_t)(conn->ep->now_ns / FAL_US);
    if (ack->t1 != 0 && fal_fault(conn, FAL_FAULT_T1_ZERO))
        ack->t1 = 0;
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

static const struct {
    enum fal_fault_id fault;
    enum fal_seal_flaw flaw;
} flaws[] = {
    {FAL_FAULT_SEAL_MISSING, FAL_SEAL_NONE},
    {FAL_FAULT_SEAL_NEXT_HEADER, FAL_SEAL_NEXT_HEADER},
    {FAL_FAULT_SEAL_CRYPT_OFFSET, FAL_SEAL_CRYPT_OFFSET},
    {FAL_FAULT_SEAL_OTHER_MODE, FAL_SEAL_OTHER_MODE},
};

void fal_measure_departure(struct fal_ep_conn *conn, struct fal_falcon *header,
                           struct fal_endpoint_out *out)
{
    const struct fal_security *security = &conn->security;
    struct fal_clock *clock = &conn->ep->clock;
    uint64_t last_iv = clock->last_iv;

    if (fal_falcon_is_ack(header->packet_type))
        distort_times(conn, header);
    out->path = conn->cc.path;
    if (!security->on)
        return;
    fal_measure_seal(conn, conn->ep->now_ns, &out->seal);
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
        if (fal_fault(conn, flaws[i].fault))
            out->seal.flaw = flaws[i].flaw;
    if (fal_fault(conn, FAL_FAULT_IV_REPEATED))
        out->seal.iv = clock->last_iv = last_iv;
}

/* ---- round trips ---- */

void fal_measure_rtt(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    uint32_t now = fal_clock_ticks(&conn->ep->clock, conn->ep->now_ns);
    uint32_t ticks = now - ack->t1;

    if (ack->t1 == 0 && !conn->security.on)
        return;
    if (ack->t2 != now && fal_fault(conn, FAL_FAULT_RTT_FROM_T2))
        ticks = ack->t2 - ack->t1;
    if (ticks <= INT32_MAX)
        conn->rtt_ns = fal_smooth(conn->rtt_ns, fal_ticks_ns(ticks),
                                  fal_twin(conn, FAL_TWIN_RTT_SMOOTHED_REVERSED)
                                      ? FAL_ALPHA_ONE - RTT_ALPHA
                                      : RTT_ALPHA);
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
    }
}
