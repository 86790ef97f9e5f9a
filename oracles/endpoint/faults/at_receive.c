/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of receive.c: what a receiver takes and discards (9.2.2, 9.2.5, 11). */
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/acks.h"
#include "oracles/endpoint/delivery/receive.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"
#include "oracles/endpoint/variants/lanes.h"

#include <stdlib.h>

/* ---- the header ---- */

enum {
    VERSION_SHIFT = 4, /* in byte 0 */
    TYPE_AT = 7,       /* byte with protocol type and packet type */
    TYPE_SHIFT = 1,
    TYPE_MASK = 15,
    PROTOCOL_SHIFT = 5,
    PROTOCOL_RDMA = 2,
    FRAME_MAX = FAL_HEADER_MAX + UINT16_MAX,
    BLOW = 64, /* packets of one word of a bitmap */
};

struct fal_ep_conn *fal_odd_addressee(const struct fal_endpoint *ep, struct fal_ep_conn *conn,
                                      bool formed)
{
    if (conn == NULL && formed && ep->num_conns > 0 && ep->conns[0] != NULL &&
        fal_fault(ep->conns[0], FAL_FAULT_CID_IGNORED))
        conn = ep->conns[0];
    if (conn != NULL && conn->dead && !fal_fault(conn, FAL_FAULT_DEAD_CONNECTION_ANSWERS))
        return NULL;
    return conn;
}

/* A copy of the packet that may be changed, with zeros behind it up to the longest header; or
 * NULL: it is longer than any packet, or memory is short. */
static uint8_t *copy(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in)
{
    struct fal_odd *odd = conn->odd;

    if (in->len > FRAME_MAX)
        return NULL;
    if (odd->frame == NULL)
        odd->frame = malloc(FRAME_MAX);
    if (odd->frame == NULL)
        return NULL;
    memset(odd->frame, 0, FAL_HEADER_MAX);
    if (in->len > 0)
        memcpy(odd->frame, in->bytes, in->len);
    return odd->frame;
}

/* A malformed packet: whether a fault takes it all the same. */
static bool passes(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                   struct fal_arrival *arrival)
{
    struct fal_endpoint_in other = *in;
    const struct fal_layout *layout;
    uint8_t *bytes;

    if (!fal_faulty(conn))
        return false;
    bytes = copy(conn, in);
    other.bytes = bytes;
    other.falcon = NULL; /* these bytes are decoded anew */
    if (fal_fault(conn, FAL_FAULT_VERSION_UNCHECKED)) {
        if (bytes == NULL)
            return false;
        bytes[0] = (uint8_t)((bytes[0] & ((1 << VERSION_SHIFT) - 1)) | 1 << VERSION_SHIFT);
        return fal_receive_read(&other, arrival);
    }
    if (in->len <= TYPE_AT || bytes == NULL)
        return false;
    layout = fal_falcon_layout(bytes[TYPE_AT] >> TYPE_SHIFT & TYPE_MASK);
    if (layout == NULL && fal_fault(conn, FAL_FAULT_TYPE_UNCHECKED)) {
        bytes[TYPE_AT] = (uint8_t)((bytes[TYPE_AT] & ~(TYPE_MASK << TYPE_SHIFT)) |
                                   FAL_PUSH_DATA << TYPE_SHIFT);
        return fal_receive_read(&other, arrival);
    }
    if (layout == NULL)
        return false;
    if (in->len < layout->size_bytes && fal_fault(conn, FAL_FAULT_HEADER_CUT_TAKEN)) {
        other.len = layout->size_bytes;
        return fal_receive_read(&other, arrival);
    }
    if (in->len >= layout->size_bytes && fal_fault(conn, FAL_FAULT_PROTOCOL_UNCHECKED)) {
        bytes[TYPE_AT] = (uint8_t)((bytes[TYPE_AT] & ((1 << PROTOCOL_SHIFT) - 1)) |
                                   PROTOCOL_RDMA << PROTOCOL_SHIFT);
        return fal_receive_read(&other, arrival);
    }
    return false;
}

void fal_at_arrives(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                    struct fal_arrival *arrival, bool *formed)
{
    *formed = *formed || passes(conn, in, arrival);
}

bool fal_at_engine(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                   const struct fal_arrival *arrival)
{
    return fal_rx_lanes_take(conn, in, arrival);
}

/* ---- the window ---- */

enum fal_rx fal_at_place(const struct fal_ep_conn *conn, enum fal_rx place,
                         struct fal_rxwin *win, const struct fal_falcon *falcon)
{
    bool req = fal_falcon_window(falcon) == FAL_WINDOW_REQ;
    uint32_t ahead = falcon->psn - win->base;

    if (falcon->psn < win->base && place != FAL_RX_OLD &&
        fal_fault(conn, FAL_FAULT_PSN_COMPARE_UNSIGNED))
        return FAL_RX_OLD;
    if (place == FAL_RX_BEYOND && req && ahead == FAL_RX_WINDOW_REQ &&
        fal_fault(conn, FAL_FAULT_REQUEST_WINDOW_WIDE)) {
        win->size = FAL_RX_WINDOW_REQ + 1;
        return FAL_RX_NEW;
    }
    if (place == FAL_RX_BEYOND && ahead == INT32_MAX &&
        fal_fault(conn, FAL_FAULT_FARTHEST_PSN_OLD))
        return FAL_RX_OLD;
    if (place == FAL_RX_NEW && ahead == win->size - 1 && fal_u128_test(win->rx, 0) &&
        fal_fault(conn, FAL_FAULT_EDGE_REFUSED_WHILE_HELD))
        return FAL_RX_BEYOND;
    if (place == FAL_RX_NEW &&
        ((ahead == win->size - 1 && fal_fault(conn, FAL_FAULT_WINDOW_EDGE_REFUSED)) ||
         (req && ahead >= FAL_RX_WINDOW_REQ / 2 &&
          fal_fault(conn, FAL_FAULT_REQUEST_WINDOW_SHORT)) ||
         (!req && ahead >= FAL_RX_WINDOW_DATA / 2 &&
          fal_fault(conn, FAL_FAULT_DATA_WINDOW_SHORT))))
        return FAL_RX_BEYOND;
    return place;
}

/* base-moves-by-64: the base stays behind; what it should have passed counts as received. */
static void stay_behind(struct fal_rxwin *win, unsigned by)
{
    win->base -= by;
    win->rx = fal_u128_shl(win->rx, by) | fal_u128_ones(by);
    win->ack = fal_u128_shl(win->ack, by) | (fal_u128_ones(by) & ~(fal_u128)1);
}

void fal_at_base_moved(struct fal_ep_conn *conn, struct fal_rxwin *win, uint32_t moved)
{
    if (moved > BLOW && fal_fault(conn, FAL_FAULT_BASE_MOVES_BY_64))
        stay_behind(win, moved - BLOW);
    else if (moved >= BLOW - 1 && fal_fault(conn, FAL_FAULT_BASE_MOVES_TOO_FAR))
        fal_rxwin_ack(win, win->base);
}

/* resources-before-window: a copy of an acknowledged request finds no room (AMB-75). */
static bool copy_refused(struct fal_ep_conn *conn, const struct fal_falcon *falcon,
                         enum fal_rx place)
{
    if ((place != FAL_RX_DUPLICATE && place != FAL_RX_OLD) ||
        !fal_twin(conn, FAL_TWIN_RESOURCES_BEFORE_WINDOW) ||
        !fal_pools_spent(conn, FAL_RES_NET_PKT_RX))
        return false;
    fal_receive_refuse(conn, falcon, FAL_NACK_RESOURCE);
    return true;
}

/* done-rsn-blocks: the next RSN goes back to that of a transaction that is over. */
static void done_again(struct fal_ep_conn *conn, const struct fal_falcon *falcon,
                       enum fal_rx place)
{
    if (place == FAL_RX_NEW && conn->target.ordered &&
        fal_seq_lt(falcon->rsn, conn->target.txns.base) &&
        fal_fault(conn, FAL_FAULT_DONE_RSN_BLOCKS))
        conn->target.nrsn = falcon->rsn;
}

/* one-role: a new request comes while this end is an initiator. */
static bool one_role(const struct fal_ep_conn *conn, enum fal_rx place)
{
    return place == FAL_RX_NEW && conn->initiator.open > 0 &&
           fal_fault(conn, FAL_FAULT_ONE_ROLE);
}

bool fal_at_take(struct fal_ep_conn *conn, const struct fal_arrival *packet, enum fal_rx *place)
{
    const struct fal_falcon *falcon = &packet->falcon;
    unsigned type = falcon->packet_type;
    bool resync = type == FAL_RESYNC;

    if (type == FAL_PUSH_DATA || type == FAL_PULL_REQUEST)
        done_again(conn, falcon, *place);
    if (type == FAL_PUSH_DATA || type == FAL_PULL_REQUEST)
        return !one_role(conn, *place) && !copy_refused(conn, falcon, *place);
    if (*place != FAL_RX_NEW && *place != FAL_RX_RECEIVED)
        return true;
    if (*place == FAL_RX_RECEIVED && fal_fault(conn, FAL_FAULT_RESYNC_OF_RECEIVED_DROPPED)) {
        fal_target_again(conn, falcon);
        *place = FAL_RX_DUPLICATE;
        return true;
    }
    if (resync && fal_fault(conn, FAL_FAULT_RESYNC_IGNORED))
        return false;
    if (!resync && fal_pools_spent(conn, FAL_RES_NET_PKT_RX) &&
        fal_fault(conn, FAL_FAULT_RESPONSE_ROOM_LATE)) {
        fal_receive_refuse(conn, falcon, FAL_NACK_RESOURCE);
        return false;
    }
    return true;
}

bool fal_at_ulp_acknowledges(const struct fal_ep_conn *conn, bool ulp,
                             const struct fal_falcon *falcon)
{
    const struct fal_rxwin *win = &conn->rx[fal_falcon_window(falcon)];

    if (falcon->packet_type == FAL_PULL_DATA)
        conn->odd->answer_psn = falcon->psn;
    if (falcon->packet_type == FAL_PUSH_DATA)
        return ulp && !fal_fault(conn, FAL_FAULT_ACK_BEFORE_ULP);
    if (falcon->packet_type == FAL_PULL_REQUEST &&
        fal_rxwin_check(win, falcon->psn) == FAL_RX_NEW)
        return ulp || fal_fault(conn, FAL_FAULT_PULL_UNACKNOWLEDGED);
    if (falcon->packet_type != FAL_RESYNC)
        return ulp || fal_fault(conn, FAL_FAULT_PULL_DATA_UNACKNOWLEDGED);
    return ulp;
}

void fal_endpoint_refuse_answer(struct fal_endpoint *ep, uint32_t conn)
{
    struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL || of->odd == NULL || of->dead)
        return;
    fal_ackgen_nack(of, &(struct fal_refusal){.window = FAL_WINDOW_DATA,
                                              .psn = of->odd->answer_psn,
                                              .code = FAL_NACK_CID});
    fal_ep_conn_settle(of);
}

bool fal_at_refuse(struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    if (fal_fault(conn, FAL_FAULT_RESOURCE_DROP_RECEIVED))
        fal_rxwin_ack(&conn->rx[fal_falcon_window(falcon)], falcon->psn);
    return !fal_fault(conn, FAL_FAULT_RESOURCE_DROP_SILENT);
}

bool fal_at_resync(struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    bool data = falcon->resync_packet_type == FAL_PULL_DATA;
    struct fal_received *txn = data ? fal_target_get(conn, falcon->rsn) : NULL;
    bool known = data ? fal_initiator_get(conn, falcon->rsn) != NULL
                      : !fal_seq_lt(falcon->rsn, conn->target.txns.base);

    conn->odd->resynced = true;
    if (!known && fal_fault(conn, FAL_FAULT_RESYNC_OF_NOTHING_FATAL)) {
        fal_ep_conn_fatal(conn);
        return false;
    }
    if (txn != NULL && txn->state != FAL_TXN_CLOSED &&
        fal_fault(conn, FAL_FAULT_RESYNC_OF_DATA_ENDS_BOTH))
        fal_target_close(conn, txn);
    if (fal_fault(conn, FAL_FAULT_RESYNC_DELIVERED))
        fal_odd_deliver_again(conn, falcon, NULL, 0);
    return falcon->resync_packet_type == FAL_PULL_DATA ||
           !fal_fault(conn, FAL_FAULT_RESYNC_BLOCKS_RSN);
}

static void beyond(struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    enum fal_window window = fal_falcon_window(falcon);
    struct fal_refusal refusal = {
        .window = window, .psn = falcon->psn, .code = FAL_NACK_RESOURCE};

    if (!fal_fault(conn, FAL_FAULT_OWN_NEVER_SET))
        conn->rx[window].own = true;
    if (fal_twin(conn, FAL_TWIN_NACK_BEYOND_WINDOW))
        fal_ackgen_nack(conn, &refusal);
}

bool fal_at_discard(struct fal_ep_conn *conn, const struct fal_arrival *packet,
                    enum fal_rx place)
{
    const struct fal_falcon *falcon = &packet->falcon;

    if (place == FAL_RX_BEYOND) {
        beyond(conn, falcon);
        return false;
    }
    if (place == FAL_RX_OLD && fal_fault(conn, FAL_FAULT_OWN_ON_OLD))
        conn->rx[fal_falcon_window(falcon)].own = true;
    if (falcon->packet_type == FAL_PUSH_DATA &&
        (fal_fault(conn, FAL_FAULT_DUPLICATE_DELIVERED) ||
         (fal_target_refused(conn, falcon->rsn) && fal_fault(conn, FAL_FAULT_CIE_REDELIVERED))))
        fal_odd_deliver_again(conn, falcon, packet->payload, packet->payload_len);
    if (falcon->packet_type == FAL_PULL_REQUEST &&
        fal_fault(conn, FAL_FAULT_COPY_OF_PULL_DELIVERED))
        fal_odd_deliver_again(conn, falcon, NULL, 0);
    return true;
}
