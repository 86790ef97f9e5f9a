/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of measure.c: times, hops, marks (10.1, 10.2). */
#include "oracles/endpoint/connection.h"

enum { ECN_ECT0 = 2, HOPS_MAX = 15 };

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

uint32_t fal_at_hops(const struct fal_ep_conn *conn, uint32_t told, uint32_t hops, uint8_t ttl)
{
    if (hops != (ttl & HOPS_MAX) && fal_fault(conn, FAL_FAULT_HOPS_ARE_TTL))
        return ttl & HOPS_MAX;
    return fal_twin(conn, FAL_TWIN_HOPS_WRAP) ? hops & HOPS_MAX : told;
}

bool fal_at_mark(struct fal_ep_conn *conn, bool marked, unsigned ecn)
{
    if (marked && fal_fault(conn, FAL_FAULT_ECN_NEVER_COUNTED))
        return false;
    if (ecn == ECN_ECT0 && fal_fault(conn, FAL_FAULT_ECN_COUNTS_CAPABLE))
        marked = true;
    if (conn->ecn > 0 && fal_fault(conn, FAL_FAULT_ECN_NOT_CUMULATIVE))
        conn->ecn = 0;
    return marked;
}

bool fal_at_times(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    (void)falcon;
    return conn->coalesce_ns == FAL_NEVER || !fal_fault(conn, FAL_FAULT_T1_OF_THE_FIRST);
}

void fal_at_measured(const struct fal_ep_conn *conn, uint32_t t1, uint32_t t2)
{
    struct fal_odd *odd = conn->odd;

    if (odd->timed)
        return;
    odd->timed = true;
    odd->first_t1 = t1;
    odd->first_t2 = t2;
}

/* ---- what leaves ---- */

bool fal_at_level_below(const struct fal_ep_conn *conn, bool below)
{
    return below || fal_twin(conn, FAL_TWIN_LEVEL_BELOW_AT_EQUALITY);
}

unsigned fal_at_level(const struct fal_ep_conn *conn, unsigned level, unsigned packets,
                      unsigned buffers)
{
    if (packets != buffers && fal_fault(conn, FAL_FAULT_LEVEL_OF_THE_EMPTIER))
        return packets < buffers ? packets : buffers;
    return level;
}

void fal_at_ack_times(const struct fal_ep_conn *conn, struct fal_falcon *ack)
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

void fal_at_seal(const struct fal_ep_conn *conn, uint64_t last_iv, struct fal_seal *seal)
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

    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++)
        if (fal_fault(conn, flaws[i].fault))
            seal->flaw = flaws[i].flaw;
    if (fal_fault(conn, FAL_FAULT_IV_REPEATED))
        seal->iv = conn->ep->clock.last_iv = last_iv;
}

/* ---- round trips ---- */

uint32_t fal_at_rtt(const struct fal_ep_conn *conn, uint32_t ticks,
                    const struct fal_falcon *ack, uint32_t now)
{
    return ack->t2 != now && fal_fault(conn, FAL_FAULT_RTT_FROM_T2) ? ack->t2 - ack->t1 : ticks;
}

uint32_t fal_at_rtt_alpha(const struct fal_ep_conn *conn, uint32_t alpha)
{
    return fal_twin(conn, FAL_TWIN_RTT_SMOOTHED_REVERSED) ? FAL_ALPHA_ONE - alpha : alpha;
}
