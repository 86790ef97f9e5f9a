/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of measure.c: times, hops, marks (10.1, 10.2). */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/variants/timers.h"

enum { ECN_MASK = 3, ECN_ECT0 = 2, HOPS_MAX = 15 };

/* ---- what arrives ---- */

bool fal_at_stamped(const struct fal_ep_conn *conn, bool stamped,
                    const struct fal_falcon *falcon)
{
    if (!stamped)
        return fal_twin(conn, FAL_TWIN_STAMPS_OF_ACKS_TOO);
    if (!fal_twin(conn, FAL_TWIN_STAMPS_OF_NEW_ONLY))
        return true;
    return fal_rxwin_check(&conn->rx[fal_falcon_window(falcon)], falcon->psn) == FAL_RX_NEW;
}

static uint32_t hops_told(const struct fal_ep_conn *conn, uint32_t told, uint8_t ttl)
{
    uint32_t initial = conn->params.initial_ttl;
    uint32_t hops = ttl > 0 && ttl < initial ? initial - ttl : 0;

    if (hops != (ttl & HOPS_MAX) && fal_fault(conn, FAL_FAULT_HOPS_ARE_TTL))
        return ttl & HOPS_MAX;
    return fal_twin(conn, FAL_TWIN_HOPS_WRAP) ? hops & HOPS_MAX : told;
}

static bool counts_as_marked(struct fal_ep_conn *conn, bool marked, unsigned ecn)
{
    if (marked && fal_fault(conn, FAL_FAULT_ECN_NEVER_COUNTED))
        return false;
    if (ecn == ECN_ECT0 && fal_fault(conn, FAL_FAULT_ECN_COUNTS_CAPABLE))
        marked = true;
    if (conn->ecn > 0 && fal_fault(conn, FAL_FAULT_ECN_NOT_CUMULATIVE))
        conn->ecn = 0;
    return marked;
}

void fal_at_measured(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                     struct fal_measured *m)
{
    struct fal_odd *odd = conn->odd;

    odd->arrived_ns = conn->ep->now_ns - (in->age_ns < conn->ep->now_ns ? in->age_ns : 0);
    m->hops = (uint8_t)hops_told(conn, m->hops, in->ttl);
    m->marked = counts_as_marked(conn, m->marked, in->ecn & ECN_MASK);
    m->t2 = fal_timers_stamp(conn, m->t2);
    if (conn->coalesce_ns != FAL_NEVER && fal_fault(conn, FAL_FAULT_T1_OF_THE_FIRST)) {
        m->t1 = conn->t1;
        m->t2 = conn->t2;
        return;
    }
    if (m->t1 == 0 && odd->timed && conn->t1 == 0 && fal_fault(conn, FAL_FAULT_T2_KEPT))
        m->t2 = odd->first_t2;
    if (odd->timed)
        return;
    odd->timed = true;
    odd->first_t1 = m->t1;
    odd->first_t2 = m->t2;
}

/* ---- what leaves ---- */

/* The level of a pool by the thresholds of another. */
static unsigned level_by(const struct fal_occupancy *pool, const struct fal_occupancy *other)
{
    struct fal_occupancy mixed = *other;

    mixed.average = pool->average;
    return fal_occupancy_level(&mixed, false);
}

/* The level of the present occupancy of both pools, without averages. */
static unsigned level_now(const struct fal_endpoint *ep)
{
    unsigned most = 0;

    for (unsigned i = 0; i < FAL_RX_POOLS; i++) {
        struct fal_occupancy present = ep->occupancy[i];
        unsigned level;

        present.average = (uint64_t)ep->rx_used[i] * FAL_ALPHA_ONE;
        level = fal_occupancy_level(&present, false);
        if (level > most)
            most = level;
    }
    return most;
}

unsigned fal_at_level(const struct fal_ep_conn *conn, unsigned level)
{
    bool below = fal_twin(conn, FAL_TWIN_LEVEL_BELOW_AT_EQUALITY); /* at a threshold (AMB-44) */
    const struct fal_occupancy *pools = conn->ep->occupancy;
    unsigned packets = fal_occupancy_level(&pools[FAL_RX_PACKETS], below);
    unsigned buffers = fal_occupancy_level(&pools[FAL_RX_BUFFERS], below), shared;

    if (below)
        level = packets > buffers ? packets : buffers;
    if (level_now(conn->ep) != level && fal_fault(conn, FAL_FAULT_LEVEL_WITHOUT_AVERAGE))
        level = level_now(conn->ep);
    if (packets != level && fal_fault(conn, FAL_FAULT_LEVEL_OF_PACKETS_ALONE))
        level = packets;
    if (packets != buffers && fal_fault(conn, FAL_FAULT_LEVEL_OF_THE_EMPTIER))
        level = packets < buffers ? packets : buffers;
    shared = level_by(&pools[FAL_RX_BUFFERS], &pools[FAL_RX_PACKETS]);
    shared = packets > shared ? packets : shared;
    if (shared != level && fal_fault(conn, FAL_FAULT_LEVEL_THRESHOLDS_SHARED))
        level = shared;
    if (level < conn->odd->level_most && fal_fault(conn, FAL_FAULT_LEVEL_NEVER_FALLS))
        return conn->odd->level_most;
    conn->odd->level_most = level;
    return level;
}

static void ack_times(const struct fal_ep_conn *conn, struct fal_falcon *ack)
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

/* The IV of an ACK as if it had left earlier. */
static uint64_t iv_of_ack(const struct fal_ep_conn *conn, uint64_t iv)
{
    uint64_t now_ns = conn->ep->now_ns, news_ns = conn->odd->news_ns,
             arrived_ns = conn->odd->arrived_ns;

    if (arrived_ns < now_ns && fal_fault(conn, FAL_FAULT_T3_OF_ARRIVAL))
        return iv - fal_clock_span(&conn->ep->clock, now_ns - arrived_ns);
    if (news_ns < now_ns && fal_fault(conn, FAL_FAULT_T3_BEFORE_QUEUE))
        return iv - fal_clock_span(&conn->ep->clock, now_ns - news_ns);
    return iv;
}

static void seal_of(const struct fal_ep_conn *conn, uint64_t last_iv, struct fal_seal *seal)
{
    static const struct {
        enum fal_fault_id fault;
        enum fal_seal_flaw flaw;
    } flaws[] = {
        {FAL_FAULT_SEAL_MISSING, FAL_SEAL_NONE},
        {FAL_FAULT_SEAL_NEXT_HEADER, FAL_SEAL_NEXT_HEADER},
        {FAL_FAULT_SEAL_CRYPT_OFFSET, FAL_SEAL_CRYPT_OFFSET},
        {FAL_FAULT_SEAL_OTHER_MODE, FAL_SEAL_OTHER_MODE},
    };

    if (seal->vc != 0 && fal_fault(conn, FAL_FAULT_PCID_NOT_SENT))
        seal->vc = 0;
    if (!seal->has_vc && fal_twin(conn, FAL_TWIN_COOKIE_UNASKED)) {
        seal->has_vc = true;
        seal->vc = conn->security.spi;
    }
    seal->iv = conn->ep->clock.last_iv = fal_timers_iv(conn, seal->iv, last_iv);
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
        if (fal_fault(conn, flaws[i].fault))
            seal->flaw = flaws[i].flaw;
    if (fal_fault(conn, FAL_FAULT_IV_REPEATED) ||
        (seal->iv == last_iv + 1 && fal_fault(conn, FAL_FAULT_IV_TWICE)))
        seal->iv = conn->ep->clock.last_iv = last_iv;
    if (fal_fault(conn, FAL_FAULT_IV_COUNTS))
        seal->iv = conn->ep->clock.last_iv = last_iv + 1;
}

void fal_at_departure(const struct fal_ep_conn *conn, struct fal_falcon *header,
                      uint64_t last_iv, struct fal_endpoint_out *out)
{
    const uint32_t spread = 0x9e3779b9; /* Multiples of it spread over all values. */

    if (fal_fault(conn, FAL_FAULT_PATH_PER_PACKET))
        out->path += spread * ++conn->odd->packets;
    if (fal_falcon_is_ack(header->packet_type))
        ack_times(conn, header);
    if (conn->security.on)
        seal_of(conn, last_iv, &out->seal);
    if (conn->security.on && fal_falcon_is_ack(header->packet_type))
        out->seal.iv = iv_of_ack(conn, out->seal.iv);
}

/* ---- round trips ---- */

uint32_t fal_at_rtt(const struct fal_ep_conn *conn, uint32_t ticks,
                    const struct fal_falcon *ack, uint32_t now)
{
    if (ticks == FAL_RTT_UNKNOWN)
        return fal_fault(conn, FAL_FAULT_RTT_FROM_ZERO) ? now & INT32_MAX : ticks;
    if (fal_fault(conn, FAL_FAULT_RTT_NEVER_MEASURED))
        return FAL_RTT_UNKNOWN;
    if (ack->t2 != now && fal_fault(conn, FAL_FAULT_RTT_FROM_T2))
        return ack->t2 - ack->t1;
    if (fal_fault(conn, FAL_FAULT_RTT_QUARTERED))
        return ticks / 4;
    return ticks - (now - fal_timers_stamp(conn, now));
}

uint32_t fal_at_rtt_alpha(const struct fal_ep_conn *conn, uint32_t alpha)
{
    return fal_twin(conn, FAL_TWIN_RTT_SMOOTHED_REVERSED) ? FAL_ALPHA_ONE - alpha : alpha;
}
