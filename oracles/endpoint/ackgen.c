/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/ackgen.h"

#include "oracles/endpoint/transmit.h"

void fal_ackgen_news(struct fal_ep_conn *conn, bool at_once)
{
    if (!conn->auto_ack)
        return;
    if (conn->coalesce_ns == FAL_NEVER)
        conn->coalesce_ns = conn->ep->now_ns + conn->params.coalescing_ns;
    if (at_once && !fal_fault(conn, FAL_FAULT_AR_IGNORED))
        conn->ack_now = true;
}

void fal_ackgen_expire(struct fal_ep_conn *conn)
{
    if (conn->coalesce_ns > conn->ep->now_ns)
        return;
    conn->coalesce_ns = FAL_NEVER;
    if (!fal_fault(conn, FAL_FAULT_COALESCING_NEVER))
        conn->ack_now = true;
}

static bool silent(const struct fal_rxwin *win)
{
    return fal_u128_zero(win->rx) && fal_u128_zero(win->ack) && !win->own;
}

void fal_ackgen_piggybacked(struct fal_ep_conn *conn)
{
    if (silent(&conn->rx[FAL_WINDOW_REQ]) && silent(&conn->rx[FAL_WINDOW_DATA]))
        conn->coalesce_ns = FAL_NEVER;
}

enum fal_packet_type fal_ackgen_type(const struct fal_ep_conn *conn)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    if (!fal_u128_zero(req->ack) || !fal_u128_zero(data->ack) || fal_rxwin_holes(data) ||
        req->own || data->own || fal_twin(conn, FAL_TWIN_EACK_ALWAYS))
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
        .t1 = conn->t1,
        .t2 = conn->t2,
        .hop_count = conn->hops,
        .ecn_rx_count = conn->ecn,
    };
    if (type != FAL_EACK)
        return;
    ack->own = (uint8_t)((req->own ? FAL_OWN_REQ : 0) | (data->own ? FAL_OWN_DATA : 0));
    ack->data_ack_bitmap = data->ack;
    ack->data_rx_bitmap = data->rx;
    ack->req_bitmap = req->ack.lo;
}

/* Shows the data window as it was one PSN ago, when it was. */
static void show_older_base(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (ack->recv_data_base_psn == conn->peer.data_psn)
        return;
    ack->recv_data_base_psn--;
    ack->data_ack_bitmap = fal_u128_shl(ack->data_ack_bitmap, 1);
    ack->data_rx_bitmap = fal_u128_shl(ack->data_rx_bitmap, 1);
}

static void distort(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    uint32_t n = conn->acks_sent++;

    if (fal_fault(conn, FAL_FAULT_RX_BITMAP_SHIFTED))
        ack->data_rx_bitmap = fal_u128_shl(ack->data_rx_bitmap, 1);
    if (ack->packet_type == FAL_EACK && fal_fault(conn, FAL_FAULT_EACK_BIT0_SET)) {
        ack->data_ack_bitmap.lo |= 1;
        ack->req_bitmap |= 1;
    }
    if (n % 2 == 1 && fal_fault(conn, FAL_FAULT_BASE_GOES_BACK))
        show_older_base(conn, ack);
    if (n % 3 == 0 && fal_fault(conn, FAL_FAULT_ACKS_UNSENT))
        ack->recv_data_base_psn += (uint32_t)(2 + fal_u128_top(conn->rx[FAL_WINDOW_DATA].rx));
}

void fal_ackgen_told(struct fal_ep_conn *conn, unsigned own)
{
    conn->coalesce_ns = FAL_NEVER;
    conn->ack_now = false;
    if (fal_fault(conn, FAL_FAULT_OWN_NEVER_CLEARED))
        return;
    if ((own & FAL_OWN_REQ) != 0)
        conn->rx[FAL_WINDOW_REQ].own = false;
    if ((own & FAL_OWN_DATA) != 0)
        conn->rx[FAL_WINDOW_DATA].own = false;
}

void fal_ackgen_flush(struct fal_ep_conn *conn)
{
    enum fal_packet_type type = fal_ackgen_type(conn);
    struct fal_falcon ack;
    unsigned own;

    if (!conn->ack_now)
        return;
    if (fal_rxwin_holes(&conn->rx[FAL_WINDOW_DATA]) &&
        fal_fault(conn, FAL_FAULT_EACK_OMITTED_ON_HOLE))
        type = FAL_BACK;
    fal_ackgen_fill(conn, type, &ack);
    own = ack.own;
    distort(conn, &ack);
    fal_transmit_emit(conn, &ack, NULL, 0);
    fal_ackgen_told(conn, own);
}

void fal_ackgen_nack(struct fal_ep_conn *conn, enum fal_window window, uint32_t psn,
                     enum fal_nack_code code, uint8_t rnr_code, uint8_t ulp_nack_code)
{
    struct fal_falcon nack;

    if (!conn->auto_ack)
        return;
    fal_ackgen_fill(conn, FAL_NACK, &nack);
    nack.nack_psn = psn;
    nack.window = (uint8_t)window;
    nack.nack_code = (uint8_t)code;
    nack.rnr_timeout = rnr_code;
    nack.ulp_nack_code = ulp_nack_code;
    if (code == FAL_NACK_CIE && fal_fault(conn, FAL_FAULT_CIE_NACK_WRONG_CODE))
        nack.nack_code = FAL_NACK_NRE;
    fal_transmit_emit(conn, &nack, NULL, 0);
}
