/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of rue.c: events, results and pacing of congestion control (10.6). */
#include "oracles/endpoint/delivery/transmit.h"

/* ---- events ---- */

bool fal_at_event_wanted(const struct fal_ep_conn *conn, bool wanted)
{
    return wanted || fal_twin(conn, FAL_TWIN_RUE_EVENT_EACH_TIME);
}

bool fal_at_ack_event(const struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
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

uint32_t fal_at_rue_info(const struct fal_ep_conn *conn, uint32_t info, unsigned bits)
{
    return fal_twin(conn, FAL_TWIN_RUE_INFO_WIDE) ? info | 1u << (bits - 1) : info;
}
