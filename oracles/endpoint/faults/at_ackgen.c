/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of ackgen.c: when an ACK leaves, and what it says (9.1.6, 9.1.7). */
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/delivery/transmit.h"
#include "oracles/endpoint/faults/ackfaults.h"
#include "oracles/endpoint/variants/conveyed.h"
#include "oracles/endpoint/variants/lanes.h"
#include "oracles/endpoint/variants/timers.h"

enum { ACK_COUNT = 4 }; /* packets that an ACK by count waits for */

uint64_t fal_at_coalescing(const struct fal_ep_conn *conn, uint64_t deadline_ns)
{
    uint64_t timeout_ns = conn->params.coalescing_ns;
    bool starts = conn->coalesce_ns == FAL_NEVER && !conn->odd->jammed;

    (void)deadline_ns;
    if (!starts && !fal_fault(conn, FAL_FAULT_COALESCING_RESTARTED))
        return conn->coalesce_ns;
    if (starts)
        conn->odd->news_ns = conn->ep->now_ns;
    if (fal_twin(conn, FAL_TWIN_COALESCING_EARLY))
        timeout_ns /= 2;
    if (fal_fault(conn, FAL_FAULT_COALESCING_DOUBLED))
        timeout_ns *= 2;
    return conn->ep->now_ns + fal_timers_delay(conn, timeout_ns);
}

bool fal_at_ack_now(const struct fal_ep_conn *conn, bool now, bool fired)
{
    if (fired)
        return !fal_fault(conn, FAL_FAULT_COALESCING_NEVER);
    if (now && (conn->rx[FAL_WINDOW_REQ].own || conn->rx[FAL_WINDOW_DATA].own) &&
        fal_fault(conn, FAL_FAULT_AR_IGNORED_WITH_OWN))
        return false;
    return (now && !fal_fault(conn, FAL_FAULT_AR_IGNORED)) ||
           fal_twin(conn, FAL_TWIN_ACK_IMMEDIATE) ||
           (++conn->odd->news >= ACK_COUNT && fal_twin(conn, FAL_TWIN_ACK_BY_COUNT));
}

enum fal_ack_due fal_at_ack_due(struct fal_ep_conn *conn, enum fal_ack_due due,
                                const struct fal_falcon *falcon, bool taken)
{
    bool asks = falcon->ack_req != 0;

    fal_conveyed_arrived(conn, falcon);
    if (!taken) {
        if ((asks && fal_fault(conn, FAL_FAULT_AR_DISCARDED_UNANSWERED)) ||
            fal_fault(conn, FAL_FAULT_DISCARD_SILENT))
            return FAL_ACK_NONE;
        return asks && fal_twin(conn, FAL_TWIN_DUPLICATE_ACK_AT_ONCE) ? FAL_ACK_AT_ONCE : due;
    }
    if (falcon->packet_type == FAL_RESYNC && fal_fault(conn, FAL_FAULT_RESYNC_UNACKNOWLEDGED))
        return FAL_ACK_NONE;
    if (asks && falcon->packet_type == FAL_PUSH_DATA &&
        fal_fault(conn, FAL_FAULT_AR_OF_PUSH_AT_ONCE))
        return FAL_ACK_AT_ONCE;
    return due;
}

bool fal_at_piggyback_ends_timer(struct fal_ep_conn *conn, bool ends)
{
    struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];
    bool stops =
        conn->coalesce_ns != FAL_NEVER && !fal_twin(conn, FAL_TWIN_PIGGYBACK_LAZY) &&
        (ends || fal_conveyed(conn) || fal_fault(conn, FAL_FAULT_PIGGYBACK_ENDS_TIMER));

    if (stops)
        conn->odd->jammed = ends && fal_fault(conn, FAL_FAULT_PIGGYBACK_JAMS_TIMER);
    if ((req->own || data->own) && fal_fault(conn, FAL_FAULT_OWN_CLEARED_BY_PIGGYBACK))
        req->own = data->own = false;
    return stops;
}

enum fal_packet_type fal_at_ack_type(const struct fal_ep_conn *conn, enum fal_packet_type type)
{
    if (fal_ackfaults_omit(conn))
        return FAL_BACK;
    if (type == FAL_EACK || fal_twin(conn, FAL_TWIN_EACK_ALWAYS) ||
        (conn->rx[FAL_WINDOW_DATA].rx != 0 && fal_twin(conn, FAL_TWIN_RACK_TLP) &&
         !fal_fault(conn, FAL_FAULT_RACK_EACK_OMITTED)))
        return FAL_EACK;
    return FAL_BACK;
}

unsigned fal_at_own_bits(const struct fal_ep_conn *conn, unsigned own)
{
    if (!fal_twin(conn, FAL_TWIN_OWN_BITS_REVERSED))
        return own;
    return ((own & FAL_OWN_REQ) != 0 ? FAL_OWN_DATA : 0) |
           ((own & FAL_OWN_DATA) != 0 ? FAL_OWN_REQ : 0);
}

unsigned fal_at_ack_told(struct fal_ep_conn *conn, unsigned own)
{
    struct fal_odd *odd = conn->odd;

    odd->jammed = fal_fault(conn, FAL_FAULT_ACK_JAMS_TIMER);
    odd->news = 0;
    fal_conveyed_told(conn);
    odd->acks_sent++;
    for (unsigned i = 0; i < 2; i++)
        odd->told_base[i] = conn->rx[i].base;
    if (own != 0 && fal_fault(conn, FAL_FAULT_OWN_NEVER_CLEARED))
        return 0;
    return own;
}

/* queues-swap: two transmit queues may overtake each other within the pipeline allowance. */
static void hold(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    if (conn->held_ns != FAL_NEVER)
        fal_transmit_emit(conn, &conn->odd->held, NULL, 0);
    conn->odd->held = *ack;
    conn->held_ns =
        conn->ep->now_ns + fal_rng_below(&conn->ep->twin_rng, fal_lanes_share_ns(conn) + 1);
}

void fal_odd_release(struct fal_ep_conn *conn)
{
    if (conn->held_ns > conn->ep->now_ns)
        return;
    conn->held_ns = FAL_NEVER;
    fal_transmit_emit(conn, &conn->odd->held, NULL, 0);
}

static bool nack_leaves(struct fal_ep_conn *conn, struct fal_falcon *nack)
{
    struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    if (fal_fault(conn, FAL_FAULT_NACK_OMITTED))
        return false;
    fal_ackfaults_tell(conn, nack);
    if (nack->window == FAL_WINDOW_DATA && nack->nack_psn == nack->recv_data_base_psn &&
        fal_fault(conn, FAL_FAULT_NACK_ACKNOWLEDGES))
        nack->recv_data_base_psn++;
    if ((req->own || data->own) && nack->nack_code <= FAL_NACK_RNR &&
        fal_fault(conn, FAL_FAULT_OWN_CLEARED_BY_RNR))
        req->own = data->own = false;
    if (fal_conveyed(conn))
        conn->coalesce_ns = FAL_NEVER;
    if ((req->own || data->own) && fal_fault(conn, FAL_FAULT_OWN_CLEARED_BY_NACK))
        req->own = data->own = false;
    return true;
}

bool fal_at_ack_leaves(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (ack->packet_type == FAL_NACK)
        return nack_leaves(conn, ack);
    ack->own = (uint8_t)fal_at_own_bits(conn, ack->own);
    fal_ackfaults_tell(conn, ack);
    /* A step that chose when ACKs leave has its way. */
    if (!fal_twin(conn, FAL_TWIN_QUEUES_SWAP) || fal_steer_each(conn))
        return true;
    hold(conn, ack);
    return false;
}
