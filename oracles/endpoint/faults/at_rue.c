/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of rue.c: events, results and pacing of congestion control (10.6). */
#include "oracles/endpoint/delivery/transmit.h"

enum { T4_LATE_TICKS = 763 /* 100 us */, OWN_BITS = 2 };

/* ---- events ---- */

bool fal_at_p2(const struct fal_ep_conn *conn, bool enough)
{
    uint64_t due = (uint64_t)conn->ep->rue.config.p2_packets * FAL_RUE_P2_BYTES;

    return fal_twin(conn, FAL_TWIN_RUE_P2_COUNTS_BYTES) ? conn->cc.acked_bytes > due : enough;
}

bool fal_at_event_wanted(const struct fal_ep_conn *conn, bool wanted)
{
    const struct fal_rue *rue = &conn->ep->rue;
    bool both = fal_rue_p1(conn) && fal_rue_p2(conn);
    bool inverted = rue->waiting < rue->config.depth[0] ? both : true;

    wanted |= fal_twin(conn, FAL_TWIN_RUE_EVENT_EACH_TIME);
    if (fal_twin(conn, FAL_TWIN_RUE_EVENT_AFTER_TIME))
        wanted &= fal_rue_p1(conn);
    if (fal_twin(conn, FAL_TWIN_RUE_EVENT_AFTER_PACKETS))
        wanted &= fal_rue_p2(conn);
    if (fal_twin(conn, FAL_TWIN_RUE_EVENT_ONE_AT_A_TIME))
        wanted &= !conn->cc.asked;
    return inverted != wanted && fal_fault(conn, FAL_FAULT_POLICY_INVERTED) ? inverted : wanted;
}

/* Whether an ACK has a base that its window has left behind. */
static bool is_stale(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    return fal_seq_lt(ack->recv_req_base_psn, conn->tx[FAL_WINDOW_REQ].sent.base) ||
           fal_seq_lt(ack->recv_data_base_psn, conn->tx[FAL_WINDOW_DATA].sent.base);
}

void fal_at_rue_event(const struct fal_ep_conn *conn, struct fal_cc_event *event)
{
    bool acked = event->event_type != FAL_CC_RETRANSMIT;

    if (acked && fal_fault(conn, FAL_FAULT_T4_OF_THE_EVENT))
        event->t4 = (event->t4 + T4_LATE_TICKS) & FAL_CC_TIME_MAX;
    if (event->eack && !event->eack_drop && fal_fault(conn, FAL_FAULT_EACK_DROP_ALWAYS))
        event->eack_drop = 1;
    if (!event->gen && fal_fault(conn, FAL_FAULT_GEN_STUCK))
        event->gen = 1;
    if (!fal_fault(conn, FAL_FAULT_STATE_LOST_BETWEEN_EVENTS))
        return;
    event->fabric_window_time_marker = event->nic_window_time_marker = 0;
    event->delay_state = event->rtt_state = FAL_CC_START_DELAY;
    event->cc_opaque = 0;
}

enum fal_cc_format fal_at_entry_format(const struct fal_ep_conn *conn,
                                       enum fal_cc_format format)
{
    if (!fal_fault(conn, FAL_FAULT_ENTRY_BIT_ORDER))
        return format;
    return format == FAL_CC_TABLE_MSB ? FAL_CC_GEN1_LSB : FAL_CC_TABLE_MSB;
}

bool fal_at_ack_event(const struct fal_ep_conn *conn, bool accepted,
                      const struct fal_falcon *ack)
{
    const struct fal_rue_config *rue = &conn->ep->rue.config;

    if (!rue->outside && rue->policy.process == NULL)
        return false;
    if (!accepted)
        return is_stale(conn, ack) && fal_fault(conn, FAL_FAULT_EVENT_FOR_STALE_ACK);
    return ack->packet_type != FAL_NACK || ack->nack_code != FAL_NACK_RESOURCE ||
           !fal_fault(conn, FAL_FAULT_RESOURCE_DROP_NOT_TOLD);
}

uint32_t fal_at_metadata(const struct fal_ep_conn *conn, uint32_t metadata,
                         const struct fal_falcon *ack)
{
    return fal_twin(conn, FAL_TWIN_METADATA_WITHOUT_OWN) ? ack->rue_info : metadata;
}

uint8_t fal_at_retransmit_reason(const struct fal_ep_conn *conn, uint8_t reason)
{
    return fal_fault(conn, FAL_FAULT_RETRANSMIT_REASON_SWAPPED) ? reason ^ 1 : reason;
}

uint16_t fal_at_acked_after_event(const struct fal_ep_conn *conn, uint16_t acked)
{
    return conn->cc.acked != 0 && fal_fault(conn, FAL_FAULT_ACKED_COUNT_KEPT) ? conn->cc.acked
                                                                              : acked;
}

/* ---- results ---- */

/* A value that a fault ignores is replaced by the present one, which changes nothing. */
void fal_at_rue_result(const struct fal_ep_conn *conn, struct fal_cc_result *result)
{
    const struct fal_cc_event now = fal_rue_event_of(conn, FAL_CC_ACK);

    if (result->fcwnd_integer != now.fcwnd_integer &&
        fal_fault(conn, FAL_FAULT_FCWND_RESULT_IGNORED))
        result->fcwnd_integer = now.fcwnd_integer;
    if (result->ncwnd != now.ncwnd && fal_fault(conn, FAL_FAULT_NCWND_RESULT_IGNORED))
        result->ncwnd = now.ncwnd;
    if (result->retransmit_timeout != now.retransmit_timeout &&
        result->retransmit_timeout > 0 && fal_fault(conn, FAL_FAULT_RTO_RESULT_IGNORED))
        result->retransmit_timeout = now.retransmit_timeout;
}

/* The next open connection of the endpoint; the connection itself if it is the only one. */
static struct fal_ep_conn *next_of(const struct fal_ep_conn *conn)
{
    const struct fal_endpoint *ep = conn->ep;
    uint32_t at = conn->number - 1;

    do
        at = at + 1 < ep->num_conns ? at + 1 : 0;
    while (ep->conns[at] == NULL || ep->conns[at]->dead);
    return ep->conns[at];
}

struct fal_ep_conn *fal_at_addressee(const struct fal_ep_conn *conn,
                                     struct fal_ep_conn *addressee)
{
    struct fal_ep_conn *next = addressee->dead ? addressee : next_of(conn);

    return next != addressee && fal_fault(conn, FAL_FAULT_RESULTS_CROSS_CONNECTIONS)
               ? next
               : addressee;
}

void fal_at_rue_applied(struct fal_ep_conn *conn)
{
    struct fal_endpoint *ep = conn->ep;

    for (uint32_t i = 0; i < ep->num_conns; i++) {
        struct fal_ep_conn *other = ep->conns[i];

        if (other == NULL || other == conn || other->dead ||
            !fal_fault(conn, FAL_FAULT_CC_SHARED_STATE))
            continue;
        other->params.fcwnd = conn->params.fcwnd;
        other->params.ncwnd = conn->params.ncwnd;
        other->params.rto_ns = conn->params.rto_ns;
        other->cc.fcwnd_fraction = conn->cc.fcwnd_fraction;
        other->cc.gap = conn->cc.gap;
    }
}

bool fal_at_path_changes(const struct fal_ep_conn *conn, bool changes)
{
    return changes && !fal_fault(conn, FAL_FAULT_PATH_NEVER_CHANGED);
}

/* ---- what leaves ---- */

/* Whether another connection has packets that wait, or has ended by an error. */
static bool is_behind(const struct fal_ep_conn *conn, bool dead)
{
    const struct fal_endpoint *ep = conn->ep;

    for (uint32_t i = 0; i < ep->num_conns && ep->conns[i] != conn; i++)
        if (ep->conns[i] != NULL && !dead && !fal_transmit_idle(ep->conns[i]))
            return true;
    for (uint32_t i = 0; dead && i < ep->num_conns; i++)
        if (ep->conns[i] != NULL && ep->conns[i]->dead)
            return true;
    return false;
}

bool fal_at_may_depart(const struct fal_ep_conn *conn, bool may)
{
    if (may && conn->ep->schedule.gap_ns == 0 && is_behind(conn, false) &&
        fal_fault(conn, FAL_FAULT_CONNECTIONS_STARVED))
        return false;
    if (may && is_behind(conn, true) && fal_fault(conn, FAL_FAULT_ERROR_STALLS_OTHERS))
        return false;
    return may || fal_fault(conn, FAL_FAULT_GAP_IGNORED);
}

bool fal_at_paced(const struct fal_ep_conn *conn, bool paced)
{
    return paced || fal_fault(conn, FAL_FAULT_GAP_ABOVE_ONE);
}

uint32_t fal_at_gap(const struct fal_ep_conn *conn, uint32_t gap)
{
    return gap > 1 && fal_fault(conn, FAL_FAULT_GAP_HALVED) ? gap / 2 : gap;
}

uint32_t fal_at_rue_info(const struct fal_ep_conn *conn, uint32_t info, unsigned bits)
{
    if (fal_twin(conn, FAL_TWIN_RUE_INFO_OF_UPPER_BITS))
        info = conn->cc.metadata >> OWN_BITS & ((1u << bits) - 1);
    return fal_twin(conn, FAL_TWIN_RUE_INFO_WIDE) ? info | 1u << (bits - 1) : info;
}
