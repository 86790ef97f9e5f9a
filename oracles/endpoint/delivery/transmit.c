/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/transmit.h"

#include "codecs/base/zero.h"

#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/target.h"

#include <stdlib.h>

void fal_transmit_header(const struct fal_ep_conn *conn, enum fal_packet_type type,
                         struct fal_falcon *header)
{
    fal_zero(header, sizeof *header);
    header->version = 1;
    header->packet_type = (uint8_t)type;
    header->dest_cid = conn->peer.cid;
    header->dest_function = conn->peer.function;
    header->protocol_type = (uint8_t)conn->params.protocol_type;
    header->recv_data_base_psn = conn->rx[FAL_WINDOW_DATA].base;
    header->recv_req_base_psn = conn->rx[FAL_WINDOW_REQ].base;
}

void fal_transmit_emit(struct fal_ep_conn *conn, struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len)
{
    const struct fal_layout *layout = fal_falcon_layout(header->packet_type);
    struct fal_endpoint_out *out;
    uint8_t *room;

    if (!fal_proceed(conn, leaves, header, payload, payload_len))
        return;
    room = fal_ep_conn_put(conn, FAL_OUT_PACKET, layout->size_bytes + payload_len, &out);
    if (room == NULL)
        return;
    out->path = conn->cc.path;
    if (!fal_ep_conn_plain(conn))
        fal_measure_departure(conn, header, out);
    layout->encode(header, room);
    if (payload_len > 0)
        memcpy(room + layout->size_bytes, payload, payload_len);
}

/* 9.1.3.1: every packet while the window is small, else every so many (AMB-56). */
static bool asks_for_ack(struct fal_ep_conn *conn)
{
    const struct fal_params *params = &conn->params;
    uint32_t percent = params->fcwnd <= params->ar_threshold ? 100 : params->ar_percent;

    percent = fal_decide(conn, ar_percent, percent);
    if (percent >= 100)
        return true;
    conn->ar_credit += percent;
    if (conn->ar_credit < 100)
        return false;
    conn->ar_credit -= 100;
    return true;
}

/* `again`: this is not its first transmission. */
static void put_on_wire(struct fal_ep_conn *conn, struct fal_tx_packet *packet, bool again)
{
    struct fal_falcon header;

    fal_transmit_header(conn, packet->type, &header);
    header.ack_req = asks_for_ack(conn);
    header.psn = packet->psn;
    header.rsn = packet->rsn;
    if (packet->type == FAL_RESYNC) {
        header.resync_code = packet->resync_code;
        header.resync_packet_type = packet->original;
    } else if (packet->type != FAL_PULL_DATA) {
        header.request_length = packet->request_length;
    }
    fal_filter(conn, header, packet, again, &header);
    fal_transmit_emit(conn, &header, packet->payload, packet->payload_len);
    fal_rue_departed(conn);
    packet->last_tx_ns = conn->ep->now_ns;
    packet->due = false;
    fal_retransmit_sent(conn, packet, again);
    fal_ackgen_piggybacked(conn);
}

/* ---- the gate (9.1.2) ---- */

/* Whether fcwnd lets a PSN out that lies so far ahead of the base. */
static bool fabric_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                        uint32_t ahead)
{
    uint32_t fcwnd = conn->params.fcwnd > 0 ? conn->params.fcwnd : 1; /* AMB-11 */

    return fal_decide(conn, fcwnd, ahead < fcwnd, packet, ahead);
}

/* Whether ncwnd lets it out: RORC, DORC count for what is new, RORRC, DORRC for what is
 * repeated. Pull data start no transaction and pass, and so do resyncs (AMB-53). */
static bool nic_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    const struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];
    uint32_t ncwnd = conn->params.ncwnd > 0 ? conn->params.ncwnd : 1;
    bool gated = packet->type == FAL_PULL_REQUEST || packet->type == FAL_PUSH_DATA;
    uint32_t outstanding = packet->sent ? win->repeated : win->requests;

    return fal_decide(conn, ncwnd, !gated || outstanding < ncwnd, packet);
}

/* `psn`: that of the packet, or the one it would get. */
bool fal_transmit_gate_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                            uint32_t psn)
{
    const struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];
    uint32_t ahead = psn - win->sent.base;

    return fabric_open(conn, packet, ahead) && nic_open(conn, packet) &&
           fal_decide(conn, tx_window, ahead < win->size, ahead);
}

static struct fal_tx_packet *first(const struct fal_link *head)
{
    return fal_link_alone(head) ? NULL : FAL_ITEM(head->next, struct fal_tx_packet, link);
}

/* The first packet of a window that is due, or NULL: none, or the gate is closed. */
static struct fal_tx_packet *due(const struct fal_ep_conn *conn, enum fal_window window)
{
    const struct fal_link *list = &conn->tx[window].due;
    struct fal_tx_packet *packet = first(list);

    if (packet == NULL || !fal_transmit_gate_open(conn, packet, packet->psn))
        return NULL;
    return fal_decide(conn, due, packet, list);
}

/* The next retransmission: in PSN order within a window, in RSN order across both (9.1.5). Pull
 * data carry RSNs of the peer and go first. */
static struct fal_tx_packet *next_due(const struct fal_ep_conn *conn)
{
    struct fal_tx_packet *data, *req;

    if (fal_link_alone(&conn->tx[FAL_WINDOW_DATA].due) &&
        fal_link_alone(&conn->tx[FAL_WINDOW_REQ].due))
        return NULL; /* nearly always */
    data = due(conn, FAL_WINDOW_DATA);
    req = due(conn, FAL_WINDOW_REQ);
    if (data == NULL || req == NULL)
        return data != NULL ? data : req;
    if (data->original == FAL_PULL_DATA || fal_seq_lt(data->rsn, req->rsn))
        return data;
    return fal_decide(conn, data_first, false) ? data : req;
}

static void repeat(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];

    fal_link_remove(&packet->link);
    if (fal_tx_request(packet)) {
        packet->repeated = true;
        win->repeated++;
    }
    fal_filter(conn, repeat, win, packet);
    fal_ep_conn_note(conn, "retransmit %s psn %u rsn %u", fal_falcon_type_name(packet->type),
                     packet->psn, packet->rsn);
    put_on_wire(conn, packet, true);
}

/* Gives a packet its PSN and sends it. False when memory is short: it stays queued. */
static bool send_new(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];

    packet->psn = fal_decide(conn, new_psn, win->next, win);
    if (fal_txwin_sent(win, packet) < 0) {
        conn->ep->out_of_memory = true;
        return false;
    }
    fal_schedule_take(conn, packet);
    if (packet->original == FAL_PULL_DATA)
        fal_target_sent(conn, packet);
    else
        fal_initiator_sent(conn, packet);
    put_on_wire(conn, packet, false);
    return true;
}

bool fal_transmit_eligible(const struct fal_ep_conn *conn)
{
    return !conn->dead && fal_rue_may_depart(conn) &&
           (next_due(conn) != NULL || fal_schedule_first(conn) != NULL);
}

bool fal_transmit_one(struct fal_ep_conn *conn)
{
    struct fal_tx_packet *packet;

    if (fal_transmit_idle(conn) || conn->dead || !fal_rue_may_depart(conn))
        return false;
    if ((packet = next_due(conn)) != NULL) {
        repeat(conn, packet);
        return true;
    }
    packet = fal_schedule_first(conn);
    return packet != NULL && send_new(conn, packet);
}
