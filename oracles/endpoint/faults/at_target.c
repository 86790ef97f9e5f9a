/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of target.c and pools.c: which requests are accepted, in which order they
 * are delivered to the ULP, and which are refused (8.2, 8.5, 6.6). */
#include "oracles/endpoint/delivery/ackgen.h"

#include "codecs/base/error.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

/* The variant that drops requests as if it had no resources drops one in so many, while it
 * holds so many. */
enum { DROP_ONE_IN = 16, DROP_HOLDING = 8 };

/* pools-of-device: the limits of the connection hold for what all connections use. */
bool fal_at_device_room(const struct fal_ep_conn *conn, const struct fal_units *units,
                        bool head)
{
    struct fal_account device = conn->ep->pools.host;

    device.limits = conn->account.limits;
    return !fal_twin(conn, FAL_TWIN_POOLS_OF_DEVICE) || fal_account_room(&device, units, head);
}

bool fal_at_give_back(const struct fal_ep_conn *conn, enum fal_spend spend)
{
    return !fal_fault(conn, FAL_FAULT_RESOURCES_LEAKED) &&
           (spend != FAL_SPEND_RESPONSE || !fal_fault(conn, FAL_FAULT_RESPONSE_CREDITS_LEAKED));
}

bool fal_at_level_freed(const struct fal_ep_conn *conn, const struct fal_units *freed,
                        bool ended)
{
    bool changes = freed->of[FAL_RES_NET_PKT_RX] + freed->of[FAL_RES_NET_BUF_RX] > 0;

    return !changes || !fal_fault(conn, ended ? FAL_FAULT_LEVEL_OUTLIVES_CONNECTION
                                              : FAL_FAULT_LEVEL_OF_WHAT_IS_TAKEN);
}

/* room-refused: whether this is the first copy of a request with an odd RSN. */
static bool room_refused(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    struct fal_odd *odd = conn->odd;

    if (packet->rsn % 2 == 0 || (odd->refused && !fal_seq_lt(odd->refused_rsn, packet->rsn)) ||
        !fal_fault(conn, FAL_FAULT_ROOM_REFUSED))
        return false;
    odd->refused = true;
    odd->refused_rsn = packet->rsn;
    return true;
}

/* A NACK of a push that will be accepted all the same. */
static void nack_uncaused(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    static const struct {
        enum fal_fault_id fault;
        enum fal_nack_code code;
        uint8_t rnr_code;
    } uncaused[] = {{FAL_FAULT_RNR_WITHOUT_CAUSE, FAL_NACK_RNR, 1},
                    {FAL_FAULT_ERROR_WITHOUT_CAUSE, FAL_NACK_CIE, 0},
                    {FAL_FAULT_FILTER_WITHOUT_CAUSE, FAL_NACK_XLR, 0}};
    struct fal_refusal refusal = {.window = FAL_WINDOW_DATA, .psn = packet->psn};

    if (packet->packet_type != FAL_PUSH_DATA)
        return;
    for (size_t i = 0; i < sizeof uncaused / sizeof *uncaused; i++) {
        refusal.code = uncaused[i].code;
        refusal.rnr_code = uncaused[i].rnr_code;
        if (fal_fault(conn, uncaused[i].fault))
            fal_ackgen_nack(conn, &refusal);
    }
}

bool fal_at_admit(struct fal_ep_conn *conn, bool *head, const struct fal_falcon *packet)
{
    nack_uncaused(conn, packet);
    if (room_refused(conn, packet))
        return false;
    if (!*head && conn->target.open >= DROP_HOLDING &&
        fal_twin(conn, FAL_TWIN_RESOURCE_DROPS) &&
        fal_rng_below(&conn->ep->twin_rng, DROP_ONE_IN) == 0)
        return false;
    if (*head && conn->limited &&
        ((!conn->target.ordered && fal_fault(conn, FAL_FAULT_UNORDERED_HEAD_REFUSED)) ||
         fal_fault(conn, FAL_FAULT_HEAD_OF_LINE_REFUSED)))
        *head = false;
    return !fal_pools_spent(conn, FAL_RES_REQ_PKT_TX) ||
           !fal_fault(conn, FAL_FAULT_POOLS_SHARED);
}

/* ---- the order of delivery ---- */

void fal_at_new_target(const struct fal_ep_conn *conn, struct fal_target *target)
{
    bool ordered = target->ordered;

    target->ordered = ordered ? !fal_fault(conn, FAL_FAULT_DELIVERY_UNORDERED)
                              : fal_fault(conn, FAL_FAULT_UNORDERED_IN_ORDER);
    if (ordered && fal_fault(conn, FAL_FAULT_ORDERED_DELIVERY_BY_PSN)) {
        target->ordered = false;
        target->by_psn = true;
    }
}

/* ordered-delivery-by-psn: requests are delivered by window, in the order of their PSNs. */
bool fal_at_make_ready(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_link *head = &conn->target.ready, *at = head->prev;

    if (!conn->target.by_psn)
        return true;
    for (; at != head; at = at->prev) {
        const struct fal_received *other = FAL_ITEM(at, struct fal_received, link);

        if (other->op != txn->op || fal_seq_lt(other->psn, txn->psn))
            break;
    }
    fal_link_insert(at, &txn->link);
    return false;
}

static bool psns_complete(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    const struct fal_rxwin *win =
        &conn->rx[txn->op == FAL_OP_PUSH ? FAL_WINDOW_DATA : FAL_WINDOW_REQ];
    uint32_t ahead = txn->psn - win->base;

    if (ahead >= win->size)
        return true; /* left of the window */
    for (uint32_t n = 0; n < ahead; n++)
        if (!fal_u128_test(win->rx, n))
            return false;
    return true;
}

/* The newest request of that kind that got RNR and is to be delivered again, or NULL. */
static struct fal_received *newest_due(const struct fal_target *target, enum fal_ulp_op op)
{
    struct fal_received *found = NULL;

    for (uint32_t rsn = target->txns.base; rsn != target->nrsn; rsn++) {
        struct fal_received *txn = fal_seqring_get(&target->txns, rsn);

        if (txn != NULL && txn->rnr && txn->due && txn->op == op)
            found = txn;
    }
    return found;
}

/* rnr-followers-delivered: whether the ULP will answer that request with RNR. */
static bool not_ready(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    const struct fal_endpoint *ep = conn->ep;

    return ep->not_ready != NULL && fal_twin(conn, FAL_TWIN_RNR_FOLLOWERS_DELIVERED) &&
           ep->not_ready(ep->ulp, conn->number, txn->rsn, txn->op);
}

/* rnr-followers-delivered: the first request behind one that waits after RNR which may be
 * delivered, or NULL. */
static struct fal_received *follower(const struct fal_ep_conn *conn)
{
    const struct fal_target *target = &conn->target;

    for (uint32_t rsn = target->rnr_rsn + 1; fal_seq_le(rsn, target->nrsn); rsn++) {
        struct fal_received *txn = fal_seqring_get(&target->txns, rsn);

        if (txn != NULL && (txn->rnr ? txn->due : rsn == target->nrsn) &&
            (txn->state == FAL_TXN_PUSH_DATA_RX || txn->state == FAL_TXN_PULL_REQ_RX) &&
            not_ready(conn, txn))
            return txn;
    }
    return NULL;
}

/* The endpoint seeks the next delivery more than once before it takes it. A fault that has
 * acted once acts until something is delivered; it would have no effect otherwise. */
static bool out_of_turn(const struct fal_ep_conn *conn, enum fal_fault_id id)
{
    struct fal_odd *odd = conn->odd;

    if (!fal_fault_in(&conn->ep->faulty.set, id))
        return false;
    odd->out_of_turn = odd->out_of_turn || fal_fault(conn, id);
    return odd->out_of_turn;
}

struct fal_received *fal_at_next_delivery(const struct fal_ep_conn *conn,
                                          struct fal_received *txn)
{
    const struct fal_target *target = &conn->target;
    struct fal_received *newest;

    if (!target->ordered)
        return txn != NULL && target->by_psn && !psns_complete(conn, txn) ? NULL : txn;
    if (target->nrsn < conn->peer.rsn && fal_fault(conn, FAL_FAULT_DELIVERY_ENDS_AT_WRAP))
        return NULL;
    if (target->rnr_count > 0 && (txn == NULL || !txn->due) &&
        fal_twin(conn, FAL_TWIN_RNR_FOLLOWERS_DELIVERED) && (newest = follower(conn)) != NULL)
        return newest;
    newest = target->rnr_count > 1 ? newest_due(target, FAL_OP_PULL) : NULL;
    if (newest != NULL && newest != txn &&
        out_of_turn(conn, FAL_FAULT_RNR_REDELIVERED_BACKWARDS))
        return newest;
    newest = target->rnr_count > 1 && (txn == NULL || !txn->due)
                 ? newest_due(target, FAL_OP_PUSH)
                 : NULL;
    if (newest != NULL && out_of_turn(conn, FAL_FAULT_RNR_PUSH_OVERTAKES))
        return newest;
    if (target->rnr_count > 0 && txn != NULL && !txn->due &&
        out_of_turn(conn, FAL_FAULT_RNR_NOT_STICKY))
        return fal_target_get(conn, target->nrsn);
    return txn;
}

/* ---- delivery ---- */

/* delivery-lost: a push is acknowledged that its ULP has never seen. */
bool fal_at_deliver(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_endpoint_in in = {.rsn = txn->rsn, .answer = FAL_ANSWER_ACK};

    conn->odd->out_of_turn = false;
    if (txn->op != FAL_OP_PUSH || txn->rsn % 3 != 0 ||
        !fal_fault(conn, FAL_FAULT_DELIVERY_LOST))
        return true;
    fal_target_delivered(conn, txn);
    /* The request waits for this answer. */
    FAL_IGNORE(fal_target_respond(conn, &in));
    fal_ep_conn_rearm(conn);
    return false;
}

bool fal_at_tell_request(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    return txn->op != FAL_OP_PULL || txn->rsn % 2 != 0 ||
           !fal_fault(conn, FAL_FAULT_PULL_DELIVERY_LOST);
}

void fal_at_told_request(struct fal_ep_conn *conn, const struct fal_received *txn)
{
    if (txn->delivered && fal_fault(conn, FAL_FAULT_RNR_REDELIVERED_TWICE))
        (void)fal_target_tell(conn, txn);
}

void fal_at_told_payload(const struct fal_ep_conn *conn, uint8_t *payload, uint32_t payload_len)
{
    if (fal_fault(conn, FAL_FAULT_PAYLOAD_CORRUPTED) ||
        fal_fault_at_length(conn, FAL_FAULT_DELIVERED_WRONG_AT_LENGTH, payload_len))
        payload[payload_len - 1] ^= 1;
}

void fal_odd_deliver_again(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                           const uint8_t *payload, uint32_t payload_len)
{
    struct fal_endpoint_out out = {.kind = FAL_OUT_REQUEST,
                                   .op = packet->packet_type == FAL_PULL_REQUEST ? FAL_OP_PULL
                                                                                 : FAL_OP_PUSH,
                                   .rsn = packet->rsn,
                                   .length = packet->request_length};
    uint8_t *room;

    room = fal_ep_conn_out(conn, &out, payload_len);
    if (room == NULL || payload_len == 0)
        return;
    memcpy(room, payload, payload_len);
    fal_at_told_payload(conn, room, payload_len);
}

bool fal_at_redeliver_push(struct fal_ep_conn *conn, const struct fal_received *txn)
{
    if (fal_twin(conn, FAL_TWIN_RX_BIT_DROPS) || fal_fault(conn, FAL_FAULT_RNR_PUSH_FORGOTTEN))
        return false;
    if (fal_fault(conn, FAL_FAULT_RNR_NACK_AGAIN))
        fal_target_nack(conn, txn, FAL_NACK_RNR, txn->rnr_code);
    return true;
}

bool fal_at_retry(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    return txn->op != FAL_OP_PULL || !fal_fault(conn, FAL_FAULT_RNR_PULL_FORGOTTEN);
}

/* ---- NACKs ---- */

void fal_at_nacked(struct fal_ep_conn *conn, const struct fal_refusal *refusal)
{
    if (refusal->code == FAL_NACK_RNR && refusal->window == FAL_WINDOW_DATA &&
        fal_twin(conn, FAL_TWIN_RNR_CLEARS_RX))
        fal_rxwin_forget(&conn->rx[FAL_WINDOW_DATA], refusal->psn);
}

bool fal_at_refuse_follower(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    return !fal_twin(conn, FAL_TWIN_RNR_FOLLOWERS_HELD) && !not_ready(conn, txn);
}

bool fal_at_repeat_refusal(const struct fal_ep_conn *conn, struct fal_received *txn)
{
    if (fal_fault(conn, FAL_FAULT_CIE_NACK_ONCE))
        return false;
    if (fal_fault(conn, FAL_FAULT_CIE_NACK_REPEATED_OTHERWISE))
        txn->ulp_nack_code ^= 1;
    return true;
}
