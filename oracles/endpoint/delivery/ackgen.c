/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/ackgen.h"

#include "codecs/base/zero.h"

#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/delivery/transmit.h"

/* An ACK leaves before this input is done with; `fired`: the coalescing timer has fired. */
static void ack_now(struct fal_ep_conn *conn, bool now, bool fired)
{
    if (fal_decide(conn, ack_now, now, fired))
        conn->ack_now = true;
}

/* 9.1.6: the timer starts with the first packet that is to be acknowledged, and runs on when
 * others follow. */
void fal_ackgen_news(struct fal_ep_conn *conn, bool at_once)
{
    uint64_t due_ns = conn->coalesce_ns != FAL_NEVER
                          ? conn->coalesce_ns
                          : conn->ep->now_ns + conn->params.coalescing_ns;

    if (!conn->auto_ack)
        return;
    conn->coalesce_ns = fal_decide(conn, coalescing, due_ns);
    ack_now(conn, at_once, false);
}

void fal_ackgen_arrived(struct fal_ep_conn *conn, const struct fal_falcon *falcon, bool taken)
{
    bool at_once = taken && (falcon->ack_req != 0 || fal_steer_each(conn)) &&
                   falcon->packet_type != FAL_PUSH_DATA;
    enum fal_ack_due due = at_once ? FAL_ACK_AT_ONCE : FAL_ACK_COALESCED;

    due = fal_decide(conn, ack_due, due, falcon, taken);
    if (due != FAL_ACK_NONE)
        fal_ackgen_news(conn, due == FAL_ACK_AT_ONCE);
}

void fal_ackgen_expire(struct fal_ep_conn *conn)
{
    if (conn->coalesce_ns > conn->ep->now_ns)
        return;
    conn->coalesce_ns = FAL_NEVER;
    fal_ep_conn_note_timer(conn, "coalescing timer");
    ack_now(conn, true, true);
}

/* Whether the base says all there is to say about a window. */
static bool silent(const struct fal_rxwin *win)
{
    return win->rx == 0 && win->ack == 0 && !win->own;
}

/* 9.1.6: a packet with the current bases is as good as a BACK, so no BACK needs to follow. */
void fal_ackgen_piggybacked(struct fal_ep_conn *conn)
{
    bool all = silent(&conn->rx[FAL_WINDOW_REQ]) && silent(&conn->rx[FAL_WINDOW_DATA]);

    if (fal_decide(conn, piggyback_ends_timer, all))
        conn->coalesce_ns = FAL_NEVER;
}

/* 9.1.6: an EACK is due where the bitmaps or the OWN bits say more than the bases. Packets that
 * wait for their ULP alone, without a hole before them, ask for none. */
enum fal_packet_type fal_ackgen_type(const struct fal_ep_conn *conn)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];
    enum fal_packet_type type = FAL_BACK;

    if (req->ack != 0 || data->ack != 0 || fal_rxwin_holes(data) || req->own || data->own)
        type = FAL_EACK;
    return fal_decide(conn, ack_type, type);
}

void fal_ackgen_fill(const struct fal_ep_conn *conn, enum fal_packet_type type,
                     struct fal_falcon *ack)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    fal_zero(ack, sizeof *ack);
    ack->version = 1;
    ack->packet_type = (uint8_t)type;
    ack->dest_cid = conn->peer.cid;
    ack->recv_data_base_psn = data->base;
    ack->recv_req_base_psn = req->base;
    ack->rue_info = fal_rue_info(conn, type);
    fal_measure_fill(conn, ack);
    fal_steer_fill(conn, ack);
    if (type != FAL_EACK)
        return;
    ack->own = (req->own ? FAL_OWN_REQ : 0) | (data->own ? FAL_OWN_DATA : 0);
    ack->data_ack_bitmap = data->ack;
    ack->data_rx_bitmap = data->rx;
    ack->req_bitmap = fal_u128_lo(req->ack);
}

/* 9.2.1: an OWN bit is cleared when an EACK has carried it. */
void fal_ackgen_told(struct fal_ep_conn *conn, unsigned own)
{
    conn->coalesce_ns = FAL_NEVER;
    conn->ack_now = false;
    own = fal_decide(conn, ack_told, own);
    if ((own & FAL_OWN_REQ) != 0)
        conn->rx[FAL_WINDOW_REQ].own = false;
    if ((own & FAL_OWN_DATA) != 0)
        conn->rx[FAL_WINDOW_DATA].own = false;
}

static void emit(struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (fal_proceed(conn, ack_leaves, ack) && !fal_steer_hold(conn, ack))
        fal_transmit_emit(conn, ack, NULL, 0);
}

void fal_ackgen_flush(struct fal_ep_conn *conn)
{
    struct fal_falcon ack;
    unsigned own;

    if (!conn->ack_now)
        return;
    fal_ackgen_fill(conn, fal_ackgen_type(conn), &ack);
    own = ack.own;
    emit(conn, &ack);
    fal_ackgen_told(conn, own);
}

void fal_ackgen_nack(struct fal_ep_conn *conn, const struct fal_refusal *refusal)
{
    struct fal_falcon nack;

    if (!conn->auto_ack)
        return;
    fal_ackgen_fill(conn, FAL_NACK, &nack);
    nack.nack_psn = refusal->psn;
    nack.window = (uint8_t)refusal->window;
    nack.nack_code = (uint8_t)refusal->code;
    nack.rnr_timeout = refusal->rnr_code;
    nack.ulp_nack_code = refusal->ulp_nack_code;
    emit(conn, &nack);
}
