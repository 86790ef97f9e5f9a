/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transmit.h"

#include "oracles/endpoint/ackgen.h"
#include "oracles/endpoint/faults/fault_format.h"
#include "oracles/endpoint/initiator.h"
#include "oracles/endpoint/measure.h"
#include "oracles/endpoint/rack.h"
#include "oracles/endpoint/retransmit.h"
#include "oracles/endpoint/schedule.h"
#include "oracles/endpoint/target.h"

#include <stdlib.h>

void fal_transmit_header(const struct fal_ep_conn *conn, enum fal_packet_type type,
                         struct fal_falcon *header)
{
    *header = (struct fal_falcon){
        .version = 1,
        .packet_type = (uint8_t)type,
        .dest_cid = conn->peer.cid,
        .dest_function = conn->peer.function,
        .protocol_type = (uint8_t)conn->params.protocol_type,
        .recv_data_base_psn = conn->rx[FAL_WINDOW_DATA].base,
        .recv_req_base_psn = conn->rx[FAL_WINDOW_REQ].base,
    };
}

void fal_transmit_emit(struct fal_ep_conn *conn, struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len)
{
    const struct fal_layout *layout = fal_falcon_layout(header->packet_type);
    bool faulty = fal_fault_any(&conn->ep->faulty.set);
    size_t size = layout->size_bytes, at = 0;
    int change = faulty ? fal_format_change(conn, header->packet_type, &at) : 0;
    uint8_t whole[FAL_HEADER_MAX], *room, *wire;
    struct fal_endpoint_out *out;

    size = change < 0 ? size - (size_t)-change : size + (size_t)change;
    room = fal_ep_conn_out_packet(conn, size + payload_len, &out);
    if (room == NULL)
        return;
    fal_measure_departure(conn, header, out);
    if (fal_fault(conn, FAL_FAULT_RESERVED_BITS_SET))
        header->reserved_0 = 1;
    if (faulty)
        fal_format_header(conn, header);
    wire = change != 0 ? whole : room;
    layout->encode(header, wire);
    if (faulty)
        fal_fault_header(conn, layout, wire);
    if (change != 0)
        fal_format_resize(whole, layout->size_bytes, at, change, room);
    if (payload_len > 0)
        memcpy(room + size, payload, payload_len);
}

/* 9.1.3.1: every packet while the window is small, else every so many, or by lot (AMB-56). */
static bool asks_for_ack(struct fal_ep_conn *conn)
{
    uint32_t fcwnd = conn->params.fcwnd, threshold = conn->params.ar_threshold;

    if (fal_fault(conn, FAL_FAULT_AR_NEVER))
        return false;
    if (fal_twin(conn, FAL_TWIN_AR_ALWAYS) || fcwnd < threshold ||
        (fcwnd == threshold && !fal_fault(conn, FAL_FAULT_AR_THRESHOLD_STRICT)))
        return true;
    if (fal_twin(conn, FAL_TWIN_AR_RANDOM))
        return fal_rng_below(&conn->ep->twin_rng, 100) < conn->params.ar_percent;
    conn->ar_credit += conn->params.ar_percent;
    if (conn->ar_credit < 100)
        return false;
    conn->ar_credit -= 100;
    return true;
}

/* What a faulty transmitter piggybacks: the bases of its last ACK. */
static void stale_bases(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    const uint32_t *told = conn->told_base;

    if ((header->recv_req_base_psn != told[FAL_WINDOW_REQ] ||
         header->recv_data_base_psn != told[FAL_WINDOW_DATA]) &&
        fal_fault(conn, FAL_FAULT_PIGGYBACK_STALE)) {
        header->recv_req_base_psn = told[FAL_WINDOW_REQ];
        header->recv_data_base_psn = told[FAL_WINDOW_DATA];
    }
}

/* What faults make of the transaction in a header. */
static void wrong_transaction(struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                              struct fal_falcon *header)
{
    bool pull = packet->type == FAL_PULL_REQUEST;

    if (packet->type == FAL_PULL_DATA && fal_fault(conn, FAL_FAULT_PULL_DATA_WRONG_RSN))
        header->rsn++;
    if (pull && fal_fault(conn, FAL_FAULT_PULL_RSN_REPEATED))
        header->rsn--;
    if (pull && fal_fault(conn, FAL_FAULT_PULL_LENGTH_WRONG))
        header->request_length++;
}

static void resync_header(struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                          struct fal_falcon *header)
{
    conn->resynced = true;
    header->resync_code = packet->resync_code;
    header->resync_packet_type = packet->original;
    if (fal_fault(conn, FAL_FAULT_RESYNC_WRONG_PSN))
        header->psn++;
    if (fal_fault(conn, FAL_FAULT_RESYNC_WRONG_RSN))
        header->rsn++;
    if (packet->original == FAL_PUSH_DATA && fal_fault(conn, FAL_FAULT_RESYNC_WRONG_TYPE))
        header->resync_packet_type = FAL_PULL_DATA;
    if (packet->resync_code != FAL_RESYNC_EXHAUSTED &&
        fal_fault(conn, FAL_FAULT_RESYNC_WRONG_CODE))
        header->resync_code = FAL_RESYNC_EXHAUSTED;
}

static bool alters_payload(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                           bool again)
{
    return (again && fal_fault(conn, FAL_FAULT_RETRANSMIT_PAYLOAD_CHANGED)) ||
           (packet->type == FAL_PUSH_DATA && fal_fault(conn, FAL_FAULT_PUSH_PAYLOAD_WRONG)) ||
           (packet->type == FAL_PULL_DATA &&
            fal_fault(conn, FAL_FAULT_PULL_DATA_PAYLOAD_WRONG));
}

/* `again`: this is not its first transmission. */
static void put_on_wire(struct fal_ep_conn *conn, struct fal_tx_packet *packet, bool again)
{
    bool changed = packet->payload_len > 0 && alters_payload(conn, packet, again);
    struct fal_falcon header;

    fal_transmit_header(conn, packet->type, &header);
    stale_bases(conn, &header);
    header.ack_req = asks_for_ack(conn);
    header.psn = packet->psn;
    header.rsn = packet->rsn;
    if (packet->type == FAL_RESYNC)
        resync_header(conn, packet, &header);
    else if (packet->type != FAL_PULL_DATA)
        header.request_length = packet->request_length;
    if (fal_faulty(conn))
        wrong_transaction(conn, packet, &header);
    if (changed)
        packet->payload[packet->payload_len - 1] ^= 1;
    fal_transmit_emit(conn, &header, packet->payload, packet->payload_len);
    if (changed)
        packet->payload[packet->payload_len - 1] ^= 1;
    fal_rue_departed(conn);
    packet->last_tx_ns = conn->ep->now_ns;
    fal_retransmit_sent(conn, packet, again);
    fal_ackgen_piggybacked(conn);
}

/* ---- the gate (9.1.2) ---- */

/* Whether fcwnd lets a PSN out that lies so far ahead of the base. */
static bool fabric_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                        uint32_t ahead)
{
    const struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];
    uint32_t fcwnd = conn->params.fcwnd > 0 ? conn->params.fcwnd : 1; /* AMB-11 */

    if (fcwnd <= conn->params.fcwnd && conn->cc.fcwnd_fraction > 0 &&
        fal_twin(conn, FAL_TWIN_FCWND_REAL))
        fcwnd++;
    if (fal_twin(conn, FAL_TWIN_FCWND_SHARED) && !packet->sent)
        ahead = req->next - req->sent.base + data->next - data->sent.base;
    if (ahead < fcwnd)
        return true;
    if (packet->type == FAL_RESYNC)
        return fal_fault(conn, FAL_FAULT_RESYNC_UNGATED);
    if (packet->sent)
        return fal_fault(conn, FAL_FAULT_RETRANSMIT_UNGATED);
    return fal_fault(conn, FAL_FAULT_FCWND_IGNORED) ||
           (ahead == fcwnd && fal_fault(conn, FAL_FAULT_FCWND_ONE_MORE)) ||
           (conn->tx[fal_tx_window(packet)].unacked < fcwnd &&
            fal_fault(conn, FAL_FAULT_FCWND_COUNTS_UNACKED));
}

/* Whether ncwnd lets it out: RORC, DORC count for what is new, RORRC, DORRC for what is
 * repeated. Resyncs start no transaction and pass (AMB-53). */
static bool nic_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    const struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];
    uint32_t ncwnd = conn->params.ncwnd > 0 ? conn->params.ncwnd : 1;

    if (packet->type == FAL_PULL_DATA)
        return win->requests < ncwnd || !fal_fault(conn, FAL_FAULT_NCWND_GATES_PULL_DATA);
    if (packet->type == FAL_RESYNC && !fal_twin(conn, FAL_TWIN_RESYNC_NCWND_GATED))
        return true;
    if (packet->sent)
        return win->repeated < ncwnd || fal_fault(conn, FAL_FAULT_RETRANSMIT_UNGATED);
    return win->requests < ncwnd || fal_fault(conn, FAL_FAULT_NCWND_IGNORED);
}

/* `psn`: that of the packet, or the one it would get. */
bool fal_transmit_gate_open(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                            uint32_t psn)
{
    const struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];
    uint32_t ahead = psn - win->sent.base;

    return fabric_open(conn, packet, ahead) && nic_open(conn, packet) &&
           (ahead < win->size || fal_fault(conn, FAL_FAULT_TX_WINDOW_IGNORED));
}

static struct fal_tx_packet *first(const struct fal_link *head)
{
    return fal_link_alone(head) ? NULL : FAL_ITEM(head->next, struct fal_tx_packet, link);
}

/* The first packet of a window that is due, or NULL: none, or the gate is closed. */
static struct fal_tx_packet *due(const struct fal_ep_conn *conn, enum fal_window window)
{
    const struct fal_link *list = &conn->tx[window].due;
    struct fal_tx_packet *packet = first(list), *last;

    if (packet == NULL || !fal_transmit_gate_open(conn, packet, packet->psn))
        return NULL;
    last = FAL_ITEM(list->prev, struct fal_tx_packet, link);
    if (last != packet && fal_fault_any(&conn->ep->faulty.set) &&
        fal_transmit_gate_open(conn, last, last->psn) &&
        fal_fault(conn, FAL_FAULT_RETRANSMIT_BACKWARDS))
        return last;
    return packet;
}

/* The next retransmission: in PSN order within a window, in RSN order across both (9.1.5). Pull
 * data carry RSNs of the peer and go first. */
static struct fal_tx_packet *next_due(const struct fal_ep_conn *conn)
{
    struct fal_tx_packet *data = due(conn, FAL_WINDOW_DATA), *req = due(conn, FAL_WINDOW_REQ);

    if (data == NULL || req == NULL)
        return data != NULL ? data : req;
    if (data->original == FAL_PULL_DATA || fal_seq_lt(data->rsn, req->rsn))
        return data;
    return fal_fault(conn, FAL_FAULT_RETRANSMIT_DATA_FIRST) ? data : req;
}

static void repeat(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];

    fal_link_remove(&packet->link);
    if (fal_tx_request(packet)) {
        packet->repeated = true;
        win->repeated++;
    }
    if (fal_fault(conn, FAL_FAULT_RETRANSMIT_NEW_PSN))
        fal_txwin_renumber(win, packet);
    fal_ep_conn_note(conn, "retransmit %s psn %u rsn %u", fal_falcon_type_name(packet->type),
                     packet->psn, packet->rsn);
    put_on_wire(conn, packet, true);
}

/* The PSN of a new packet, where a faulty transmitter numbers them in pairs: the later first.
 */
static uint32_t swapped(struct fal_ep_conn *conn, const struct fal_txwin *win)
{
    bool *owed = &conn->psn_owed[win - conn->tx];

    if (*owed) {
        *owed = false;
        return win->next - 2 - win->sent.base < win->size &&
                       fal_txwin_get(win, win->next - 2) == NULL
                   ? win->next - 2
                   : win->next;
    }
    if (win->next + 1 - win->sent.base >= win->size ||
        !fal_fault(conn, FAL_FAULT_FIRST_COPIES_SWAPPED))
        return win->next;
    *owed = true;
    return win->next + 1;
}

/* Gives a packet its PSN and sends it. False when memory is short: it stays queued. */
static bool send_new(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];

    if (++conn->new_sent % 4 == 2 && win->next + 1 - win->sent.base < win->size &&
        fal_fault(conn, FAL_FAULT_PSN_SKIPPED))
        win->next++;
    if (win->next == 0 && conn->new_sent > 1 && win->next + 1 - win->sent.base < win->size &&
        fal_fault(conn, FAL_FAULT_PSN_SKIPS_ZERO))
        win->next++;
    packet->psn = fal_faulty(conn) ? swapped(conn, win) : win->next;
    if (packet->psn - win->sent.base >= win->size)
        win->size = packet->psn - win->sent.base + 1; /* a fault has let it pass */
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
    fal_rack_touch(conn);
    return true;
}

bool fal_transmit_eligible(const struct fal_ep_conn *conn)
{
    return !conn->dead && fal_rue_may_depart(conn) &&
           (next_due(conn) != NULL || fal_schedule_first(conn) != NULL);
}

/* Nothing is queued: what most inputs leave behind. */
static bool idle(const struct fal_ep_conn *conn)
{
    return fal_link_alone(&conn->tx[FAL_WINDOW_DATA].due) &&
           fal_link_alone(&conn->tx[FAL_WINDOW_REQ].due) && fal_schedule_idle(conn);
}

bool fal_transmit_one(struct fal_ep_conn *conn)
{
    struct fal_tx_packet *packet;

    if (idle(conn) || conn->dead || !fal_rue_may_depart(conn))
        return false;
    if ((packet = next_due(conn)) != NULL) {
        repeat(conn, packet);
        return true;
    }
    packet = fal_schedule_first(conn);
    return packet != NULL && send_new(conn, packet);
}
