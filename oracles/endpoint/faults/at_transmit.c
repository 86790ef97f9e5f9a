/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of transmit.c: which packets are sent, when, and with which header
 * (9.1.2, 9.1.3). */
#include "oracles/endpoint/delivery/transmit.h"

#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/faults/fault_format.h"
#include "oracles/endpoint/faults/rack.h"
#include "oracles/endpoint/variants/lanes.h"

enum { SMALL_WINDOW = 16 };

/* ---- the packet on the wire ---- */

bool fal_at_leaves(struct fal_ep_conn *conn, struct fal_falcon *header, const uint8_t *payload,
                   size_t payload_len)
{
    const struct fal_layout *layout = fal_falcon_layout(header->packet_type);
    bool alters = conn->odd->alters;
    uint8_t whole[FAL_HEADER_MAX], *room, *wire;
    struct fal_endpoint_out *out;
    size_t size, at = 0;
    int change;

    if (!fal_tx_lanes_take(conn, header, payload, payload_len))
        return false;
    if (!fal_faulty(conn))
        return true;
    conn->odd->alters = false;
    change = fal_format_change(conn, header->packet_type, &at);
    /* `change` may be negative: unsigned arithmetic wraps to the right size. */
    size = layout->size_bytes + (size_t)change;
    room = fal_ep_conn_put(conn, FAL_OUT_PACKET, size + payload_len, &out);
    if (room == NULL)
        return false;
    fal_measure_departure(conn, header, out);
    if (fal_fault(conn, FAL_FAULT_RESERVED_BITS_SET))
        header->reserved_0 = 1;
    fal_format_header(conn, header);
    wire = change != 0 ? whole : room;
    layout->encode(header, wire);
    fal_fault_header(conn, layout, wire);
    if (change != 0)
        fal_format_resize(whole, layout->size_bytes, at, change, room);
    if (payload_len > 0)
        memcpy(room + size, payload, payload_len);
    if (payload_len > 0 && alters)
        room[size + payload_len - 1] ^= 1;
    return false;
}

/* ---- the header ---- */

uint32_t fal_at_ar_percent(const struct fal_ep_conn *conn, uint32_t percent)
{
    const struct fal_params *params = &conn->params;

    if (fal_fault(conn, FAL_FAULT_AR_NEVER))
        return 0;
    if (percent < 100 && fal_fault(conn, FAL_FAULT_AR_HALF_MORE))
        percent += percent / 2;
    if (fal_twin(conn, FAL_TWIN_AR_ALWAYS) || params->fcwnd < params->ar_threshold)
        return 100;
    if (params->fcwnd == params->ar_threshold) {
        if (!fal_fault(conn, FAL_FAULT_AR_THRESHOLD_STRICT))
            return percent;
        percent = params->ar_percent;
    }
    if (fal_twin(conn, FAL_TWIN_AR_RANDOM))
        return fal_rng_below(&conn->ep->twin_rng, 100) < percent ? 100 : 0;
    return percent;
}

static bool alters_payload(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                           bool again)
{
    return packet->payload_len > 0 &&
           ((again && fal_fault(conn, FAL_FAULT_RETRANSMIT_PAYLOAD_CHANGED)) ||
            (packet->type == FAL_PUSH_DATA && fal_fault(conn, FAL_FAULT_PUSH_PAYLOAD_WRONG)) ||
            (packet->type == FAL_PULL_DATA &&
             fal_fault(conn, FAL_FAULT_PULL_DATA_PAYLOAD_WRONG)) ||
            fal_fault_at_length(conn, FAL_FAULT_PAYLOAD_WRONG_AT_LENGTH, packet->payload_len));
}

/* piggyback-stale: the bases of the last ACK. */
static void stale_bases(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    const uint32_t *told = conn->odd->told_base;

    if ((header->recv_req_base_psn != told[FAL_WINDOW_REQ] ||
         header->recv_data_base_psn != told[FAL_WINDOW_DATA]) &&
        fal_fault(conn, FAL_FAULT_PIGGYBACK_STALE)) {
        header->recv_req_base_psn = told[FAL_WINDOW_REQ];
        header->recv_data_base_psn = told[FAL_WINDOW_DATA];
    }
}

/* repeats-first-bases: those of the beginning of the connection. */
static void first_bases(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    const struct fal_end *peer = &conn->peer;

    if ((header->recv_req_base_psn != peer->req_psn ||
         header->recv_data_base_psn != peer->data_psn) &&
        fal_fault(conn, FAL_FAULT_REPEATS_FIRST_BASES)) {
        header->recv_req_base_psn = peer->req_psn;
        header->recv_data_base_psn = peer->data_psn;
    }
}

static void wrong_resync(const struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                         struct fal_falcon *header)
{
    conn->odd->resynced = true;
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

static void wrong_transaction(const struct fal_ep_conn *conn,
                              const struct fal_tx_packet *packet, struct fal_falcon *header)
{
    bool pull = packet->type == FAL_PULL_REQUEST;

    if (packet->type == FAL_PULL_DATA && fal_fault(conn, FAL_FAULT_PULL_DATA_WRONG_RSN))
        header->rsn++;
    if (pull && fal_fault(conn, FAL_FAULT_PULL_RSN_REPEATED))
        header->rsn--;
    if (pull && fal_fault(conn, FAL_FAULT_PULL_LENGTH_WRONG))
        header->request_length++;
}

void fal_at_header(struct fal_ep_conn *conn, const struct fal_tx_packet *packet, bool again,
                   struct fal_falcon *header)
{
    conn->odd->alters = alters_payload(conn, packet, again);
    conn->odd->again = again;
    stale_bases(conn, header);
    if (again)
        first_bases(conn, header);
    if (packet->type == FAL_RESYNC)
        wrong_resync(conn, packet, header);
    wrong_transaction(conn, packet, header);
    if (!again)
        fal_rack_sent(conn);
}

/* ---- the gate (9.1.2) ---- */

bool fal_at_fcwnd(const struct fal_ep_conn *conn, bool open, const struct fal_tx_packet *packet,
                  uint32_t ahead)
{
    const struct fal_txwin *req = &conn->tx[FAL_WINDOW_REQ], *data = &conn->tx[FAL_WINDOW_DATA];
    uint32_t fcwnd = conn->params.fcwnd > 0 ? conn->params.fcwnd : 1;

    if (fcwnd <= conn->params.fcwnd && conn->cc.fcwnd_fraction > 0 &&
        fal_twin(conn, FAL_TWIN_FCWND_REAL))
        fcwnd++;
    if (conn->cc.fcwnd_fraction > 0 && ahead >= fcwnd && !packet->sent &&
        fal_fault(conn, FAL_FAULT_FCWND_FRACTION_COUNTS))
        return true;
    if (fal_twin(conn, FAL_TWIN_FCWND_SHARED) && !packet->sent)
        ahead = req->next - req->sent.base + data->next - data->sent.base;
    open = ahead < fcwnd;
    if (open)
        return !packet->sent || ahead == 0 || packet->type == FAL_RESYNC ||
               !fal_fault(conn, FAL_FAULT_REPEATS_BASE_ONLY);
    if (packet->type == FAL_RESYNC)
        return fal_fault(conn, FAL_FAULT_RESYNC_UNGATED);
    if (packet->sent)
        return fal_fault(conn, FAL_FAULT_RETRANSMIT_UNGATED);
    return fal_fault(conn, FAL_FAULT_FCWND_IGNORED) ||
           (ahead == fcwnd && fal_fault(conn, FAL_FAULT_FCWND_ONE_MORE)) ||
           (conn->tx[fal_tx_window(packet)].unacked < fcwnd &&
            fal_fault(conn, FAL_FAULT_FCWND_COUNTS_UNACKED));
}

bool fal_at_ncwnd(const struct fal_ep_conn *conn, bool open, const struct fal_tx_packet *packet)
{
    const struct fal_txwin *win = &conn->tx[fal_tx_window(packet)];
    uint32_t ncwnd = conn->params.ncwnd > 0 ? conn->params.ncwnd : 1;

    if (packet->type == FAL_PULL_DATA)
        return win->requests < ncwnd || !fal_fault(conn, FAL_FAULT_NCWND_GATES_PULL_DATA);
    if (packet->type == FAL_RESYNC) {
        if (!fal_twin(conn, FAL_TWIN_RESYNC_NCWND_GATED))
            return open;
        open = (packet->sent ? win->repeated : win->requests) < ncwnd;
    }
    return open || fal_fault(conn, packet->sent ? FAL_FAULT_RETRANSMIT_UNGATED
                                                : FAL_FAULT_NCWND_IGNORED);
}

bool fal_at_tx_window(const struct fal_ep_conn *conn, bool open, uint32_t ahead)
{
    if (ahead >= SMALL_WINDOW && fal_twin(conn, FAL_TWIN_TX_WINDOW_SMALL))
        return false;
    return open || fal_fault(conn, FAL_FAULT_TX_WINDOW_IGNORED);
}

/* ---- which packet, and its PSN ---- */

/* Whether a request of this window with a lower RSN than the packet waits: for the delay of its
 * RNR, or for a congestion window. */
static bool follows_one_that_waits(const struct fal_ep_conn *conn, const struct fal_txwin *win,
                                   const struct fal_tx_packet *packet)
{
    for (uint32_t psn = win->sent.base; psn != win->next; psn++) {
        const struct fal_tx_packet *other = fal_txwin_get(win, psn);

        if (other != NULL && other->rnr && !other->acked && fal_tx_request(other) &&
            fal_seq_lt(other->rsn, packet->rsn))
            return true;
    }
    for (const struct fal_link *link = win->due.next; link != &win->due; link = link->next) {
        const struct fal_tx_packet *other = FAL_ITEM(link, struct fal_tx_packet, link);

        if (fal_tx_request(other) && fal_seq_lt(other->rsn, packet->rsn) &&
            !fal_transmit_gate_open(conn, other, other->psn))
            return true;
    }
    return false;
}

struct fal_tx_packet *fal_at_due(const struct fal_ep_conn *conn, struct fal_tx_packet *packet,
                                 const struct fal_link *list)
{
    struct fal_tx_packet *last = FAL_ITEM(list->prev, struct fal_tx_packet, link);

    if (conn->params.ordered && fal_tx_request(packet) &&
        fal_twin(conn, FAL_TWIN_REPEATS_BEHIND_LOWER_RSN) &&
        (follows_one_that_waits(conn, &conn->tx[FAL_WINDOW_REQ], packet) ||
         follows_one_that_waits(conn, &conn->tx[FAL_WINDOW_DATA], packet)))
        return NULL;
    if (last != packet && fal_faulty(conn) && fal_transmit_gate_open(conn, last, last->psn) &&
        fal_fault(conn, FAL_FAULT_RETRANSMIT_BACKWARDS))
        return last;
    return packet;
}

bool fal_at_data_first(const struct fal_ep_conn *conn, bool first)
{
    return first || fal_fault(conn, FAL_FAULT_RETRANSMIT_DATA_FIRST);
}

void fal_at_repeat(const struct fal_ep_conn *conn, struct fal_txwin *win,
                   struct fal_tx_packet *packet)
{
    if (fal_fault(conn, FAL_FAULT_RETRANSMIT_NEW_PSN))
        fal_txwin_renumber(win, packet);
}

/* first-copies-swapped: PSNs are given in pairs, the later one first. */
static uint32_t swapped(const struct fal_ep_conn *conn, const struct fal_txwin *win)
{
    bool *owed = &conn->odd->psn_owed[win - conn->tx];

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

uint32_t fal_at_new_psn(const struct fal_ep_conn *conn, uint32_t psn, struct fal_txwin *win)
{
    uint32_t sent = ++conn->odd->new_sent;

    if (sent % 4 == 2 && win->next + 1 - win->sent.base < win->size &&
        fal_fault(conn, FAL_FAULT_PSN_SKIPPED))
        win->next++;
    if (win->next == 0 && sent > 1 && win->next + 1 - win->sent.base < win->size &&
        fal_fault(conn, FAL_FAULT_PSN_SKIPS_ZERO))
        win->next++;
    psn = swapped(conn, win);
    if (psn - win->sent.base >= win->size)
        win->size = psn - win->sent.base + 1; /* a fault has let it pass */
    return psn;
}
