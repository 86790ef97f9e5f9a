/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/ackgen.h"

#include "oracles/endpoint/faults/ackfaults.h"
#include "oracles/endpoint/measure.h"
#include "oracles/endpoint/transmit.h"

enum { ACK_COUNT = 4 }; /* for those who count */

static uint64_t coalescing_ns(const struct fal_ep_conn *conn)
{
    uint64_t timeout_ns = conn->params.coalescing_ns;

    if (fal_twin(conn, FAL_TWIN_COALESCING_EARLY))
        timeout_ns /= 2;
    return fal_fault(conn, FAL_FAULT_COALESCING_DOUBLED) ? 2 * timeout_ns : timeout_ns;
}

void fal_ackgen_news(struct fal_ep_conn *conn, bool at_once)
{
    if (!conn->auto_ack)
        return;
    if ((conn->coalesce_ns == FAL_NEVER && !conn->jammed) ||
        fal_fault(conn, FAL_FAULT_COALESCING_RESTARTED))
        conn->coalesce_ns = conn->ep->now_ns + coalescing_ns(conn);
    if ((at_once && !fal_fault(conn, FAL_FAULT_AR_IGNORED)) ||
        fal_twin(conn, FAL_TWIN_ACK_IMMEDIATE) ||
        (++conn->news >= ACK_COUNT && fal_twin(conn, FAL_TWIN_ACK_BY_COUNT)))
        conn->ack_now = true;
}

void fal_ackgen_discarded(struct fal_ep_conn *conn, bool ar)
{
    if (ar && fal_fault(conn, FAL_FAULT_AR_DISCARDED_UNANSWERED))
        return;
    if (!fal_fault(conn, FAL_FAULT_DISCARD_SILENT))
        fal_ackgen_news(conn, ar && fal_twin(conn, FAL_TWIN_DUPLICATE_ACK_AT_ONCE));
}

void fal_ackgen_expire(struct fal_ep_conn *conn)
{
    if (conn->coalesce_ns > conn->ep->now_ns)
        return;
    conn->coalesce_ns = FAL_NEVER;
    fal_ep_conn_note(conn, "coalescing timer");
    if (!fal_fault(conn, FAL_FAULT_COALESCING_NEVER))
        conn->ack_now = true;
}

static bool silent(const struct fal_rxwin *win)
{
    return fal_u128_zero(win->rx) && fal_u128_zero(win->ack) && !win->own;
}

void fal_ackgen_piggybacked(struct fal_ep_conn *conn)
{
    struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];
    bool all = silent(req) && silent(data);

    if (conn->coalesce_ns != FAL_NEVER && !fal_twin(conn, FAL_TWIN_PIGGYBACK_LAZY) &&
        (all || fal_fault(conn, FAL_FAULT_PIGGYBACK_ENDS_TIMER))) {
        conn->coalesce_ns = FAL_NEVER;
        conn->jammed = all && fal_fault(conn, FAL_FAULT_PIGGYBACK_JAMS_TIMER);
    }
    if ((req->own || data->own) && fal_fault(conn, FAL_FAULT_OWN_CLEARED_BY_PIGGYBACK))
        req->own = data->own = false;
}

enum fal_packet_type fal_ackgen_type(const struct fal_ep_conn *conn)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    if (!fal_u128_zero(req->ack) || !fal_u128_zero(data->ack) || fal_rxwin_holes(data) ||
        req->own || data->own || fal_twin(conn, FAL_TWIN_EACK_ALWAYS) ||
        (!fal_u128_zero(data->rx) && fal_twin(conn, FAL_TWIN_RACK_TLP) &&
         !fal_fault(conn, FAL_FAULT_RACK_EACK_OMITTED)))
        return FAL_EACK;
    return FAL_BACK;
}

void fal_ackgen_fill(const struct fal_ep_conn *conn, enum fal_packet_type type,
                     struct fal_falcon *ack)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    *ack = (struct fal_falcon){
        .version = 1,
        .packet_type = (uint8_t)type,
        .dest_cid = conn->peer.cid,
        .recv_data_base_psn = data->base,
        .recv_req_base_psn = req->base,
        .rue_info = fal_rue_info(conn, type),
    };
    fal_measure_fill(conn, ack);
    if (type != FAL_EACK)
        return;
    ack->own = (uint8_t)fal_ackgen_own(conn, (req->own ? FAL_OWN_REQ : 0) |
                                                 (data->own ? FAL_OWN_DATA : 0));
    ack->data_ack_bitmap = data->ack;
    ack->data_rx_bitmap = data->rx;
    ack->req_bitmap = req->ack.lo;
}

unsigned fal_ackgen_own(const struct fal_ep_conn *conn, unsigned own)
{
    if (!fal_twin(conn, FAL_TWIN_OWN_BITS_REVERSED))
        return own;
    return ((own & FAL_OWN_REQ) != 0 ? FAL_OWN_DATA : 0) |
           ((own & FAL_OWN_DATA) != 0 ? FAL_OWN_REQ : 0);
}

void fal_ackgen_told(struct fal_ep_conn *conn, unsigned own)
{
    conn->coalesce_ns = FAL_NEVER;
    conn->jammed = fal_fault(conn, FAL_FAULT_ACK_JAMS_TIMER);
    conn->ack_now = false;
    conn->news = 0;
    conn->acks_sent++;
    for (unsigned i = 0; i < 2; i++)
        conn->told_base[i] = conn->rx[i].base;
    if (own != 0 && fal_fault(conn, FAL_FAULT_OWN_NEVER_CLEARED))
        return;
    own = fal_ackgen_own(conn, own);
    if ((own & FAL_OWN_REQ) != 0)
        conn->rx[FAL_WINDOW_REQ].own = false;
    if ((own & FAL_OWN_DATA) != 0)
        conn->rx[FAL_WINDOW_DATA].own = false;
}

/* Two transmit queues may overtake each other within the pipeline allowance. */
static void hold(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    if (conn->held_ns != FAL_NEVER)
        fal_transmit_emit(conn, &conn->held, NULL, 0);
    conn->held = *ack;
    conn->held_ns =
        conn->ep->now_ns + fal_rng_below(&conn->ep->twin_rng, conn->params.pipeline_ns + 1);
}

void fal_ackgen_flush(struct fal_ep_conn *conn)
{
    struct fal_falcon ack;
    unsigned own;

    if (!conn->ack_now)
        return;
    fal_ackgen_fill(conn, fal_ackfaults_omit(conn) ? FAL_BACK : fal_ackgen_type(conn), &ack);
    own = ack.own;
    fal_ackfaults_tell(conn, &ack);
    if (fal_twin(conn, FAL_TWIN_QUEUES_SWAP))
        hold(conn, &ack);
    else
        fal_transmit_emit(conn, &ack, NULL, 0);
    fal_ackgen_told(conn, own);
}

void fal_ackgen_release(struct fal_ep_conn *conn)
{
    if (conn->held_ns > conn->ep->now_ns)
        return;
    conn->held_ns = FAL_NEVER;
    fal_transmit_emit(conn, &conn->held, NULL, 0);
}

void fal_ackgen_nack(struct fal_ep_conn *conn, enum fal_window window, uint32_t psn,
                     enum fal_nack_code code, uint8_t rnr_code, uint8_t ulp_nack_code)
{
    struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];
    struct fal_falcon nack;

    if (!conn->auto_ack || fal_fault(conn, FAL_FAULT_NACK_OMITTED))
        return;
    fal_ackgen_fill(conn, FAL_NACK, &nack);
    nack.nack_psn = psn;
    nack.window = (uint8_t)window;
    nack.nack_code = (uint8_t)code;
    nack.rnr_timeout = rnr_code;
    nack.ulp_nack_code = ulp_nack_code;
    fal_ackfaults_tell(conn, &nack);
    fal_transmit_emit(conn, &nack, NULL, 0);
    if ((req->own || data->own) && fal_fault(conn, FAL_FAULT_OWN_CLEARED_BY_NACK))
        req->own = data->own = false;
}
