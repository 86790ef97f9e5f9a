/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/target.h"

#include "codecs/base/zero.h"

#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/transaction/pools.h"

#include <stdlib.h>

void fal_target_init(struct fal_target *target, struct fal_endpoint *ep, uint32_t rsn,
                     bool ordered)
{
    *target = (struct fal_target){.slab = &ep->received, .nrsn = rsn, .ordered = ordered};
    fal_seqring_init(&target->txns, &ep->slots, rsn);
    fal_link_init(&target->ready);
    fal_link_init(&target->rnr);
    fal_link_init(&target->reclaim);
}

static void free_payload(struct fal_received *txn)
{
    if (txn->payload != NULL && txn->payload != txn->inside)
        free(txn->payload);
    txn->payload = NULL;
}

static void drop(struct fal_target *target, struct fal_received *txn)
{
    if (txn == NULL)
        return;
    free_payload(txn);
    fal_slab_give(target->slab, txn);
}

void fal_target_free(struct fal_target *target)
{
    while (target->txns.span > 0)
        drop(target, fal_seqring_pop(&target->txns));
    fal_seqring_free(&target->txns);
}

struct fal_received *fal_target_get(const struct fal_ep_conn *conn, uint32_t rsn)
{
    return fal_seqring_get(&conn->target.txns, rsn);
}

void fal_target_set_state(struct fal_ep_conn *conn, struct fal_received *txn,
                          enum fal_txn_state state)
{
    txn->state = state;
    fal_ep_conn_note(conn, "target rsn %u: %s", txn->rsn, fal_txn_state_name(state));
}

static bool undelivered(const struct fal_received *txn)
{
    return txn->state == FAL_TXN_PUSH_DATA_RX || txn->state == FAL_TXN_PULL_REQ_RX;
}

/* ---- the order of delivery ---- */

/* The request that may be delivered now, or NULL. On an ordered connection it is that of the
 * next RSN; while transactions are RNRed, only the lowest of them, once its retry is due
 * (8.5.3.4, AMB-49). */
static struct fal_received *candidate(const struct fal_ep_conn *conn)
{
    const struct fal_target *target = &conn->target;
    struct fal_received *txn = NULL;

    if (target->ordered)
        txn = fal_target_get(conn, target->rnr_count > 0 ? target->rnr_rsn : target->nrsn);
    else if (!fal_link_alone(&target->ready))
        txn = FAL_ITEM(target->ready.next, struct fal_received, link);
    txn = fal_decide(conn, next_delivery, txn);
    if (!target->ordered)
        return txn;
    return txn != NULL && undelivered(txn) && (!txn->rnr || txn->due) ? txn : NULL;
}

bool fal_target_ready(const struct fal_ep_conn *conn)
{
    if (conn->odd == NULL && conn->target.open == 0)
        return false; /* what most inputs leave behind */
    return candidate(conn) != NULL;
}

/* Moves the next RSN past requests that need no delivery: they are delivered, closed, or
 * answered by a script. */
void fal_target_skip_settled(struct fal_ep_conn *conn)
{
    const struct fal_received *txn;

    while ((txn = fal_target_get(conn, conn->target.nrsn)) != NULL && !undelivered(txn))
        conn->target.nrsn++;
}

/* An undelivered transaction may be delivered as soon as its turn comes. */
static void make_ready(struct fal_ep_conn *conn, struct fal_received *txn)
{
    if (conn->target.ordered)
        return; /* candidate() finds it */
    fal_link_remove(&txn->link);
    if (fal_proceed(conn, make_ready, txn))
        fal_link_append(&conn->target.ready, &txn->link);
}

/* The request is no longer RNRed. */
void fal_target_end_rnr(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_target *target = &conn->target;
    const struct fal_received *other;

    if (!txn->rnr)
        return;
    txn->rnr = txn->due = false;
    if (--target->rnr_count == 0 || txn->rsn != target->rnr_rsn)
        return;
    do
        other = fal_target_get(conn, ++target->rnr_rsn);
    while (other == NULL || !other->rnr);
}

void fal_target_reclaim(struct fal_ep_conn *conn, struct fal_received *txn)
{
    if (txn->charged)
        fal_pools_give(conn, txn->op == FAL_OP_PUSH ? FAL_SPEND_NET_PUSH : FAL_SPEND_NET_PULL,
                       FAL_PART_ALL, txn->length);
    txn->charged = false;
    free_payload(txn);
    conn->target.bytes -= txn->payload_len;
    txn->payload_len = 0;
}

/* Ends the transaction and frees the oldest ones that have ended. */
void fal_target_close(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_target *target = &conn->target;
    const struct fal_received *oldest;

    fal_target_end_rnr(conn, txn);
    fal_link_remove(&txn->link);
    fal_link_remove(&txn->reclaim);
    if (txn->packet != NULL) {
        fal_pools_give_packet(conn, txn->packet);
        fal_link_remove(&txn->packet->link);
        fal_tx_packet_free(&conn->ep->packets, txn->packet);
        txn->packet = NULL;
    }
    fal_target_reclaim(conn, txn);
    target->open--;
    fal_target_set_state(conn, txn, FAL_TXN_CLOSED);
    fal_target_skip_settled(conn);
    while ((oldest = fal_seqring_get(&target->txns, target->txns.base)) != NULL &&
           oldest->state == FAL_TXN_CLOSED)
        drop(target, fal_seqring_pop(&target->txns));
}

/* ---- what arrives ---- */

/* Its payload, of which it keeps a copy, may be empty. NULL when out of memory. */
static struct fal_received *new_txn(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                                    enum fal_ulp_op op, const uint8_t *payload,
                                    uint32_t payload_len)
{
    struct fal_target *target = &conn->target;
    struct fal_received *txn = fal_slab_take(target->slab);

    if (txn == NULL)
        return NULL;
    fal_zero(txn, offsetof(struct fal_received, inside));
    txn->psn = packet->psn;
    txn->rsn = packet->rsn;
    txn->op = op;
    fal_link_init(&txn->link);
    fal_link_init(&txn->reclaim);
    if (payload_len > 0)
        txn->payload = payload_len <= FAL_INSIDE ? txn->inside : malloc(payload_len);
    if ((payload_len > 0 && txn->payload == NULL) ||
        fal_seqring_put(&target->txns, packet->rsn, txn, FAL_ENDPOINT_OPEN_MAX) < 0) {
        drop(target, txn);
        return NULL;
    }
    if (payload_len > 0)
        memcpy(txn->payload, payload, payload_len);
    txn->payload_len = payload_len;
    target->bytes += payload_len;
    target->open++;
    return txn;
}

/* Whether there is room for a request. CR rule 3: the head of the line, which the requests
 * behind it wait for, is taken where others are not (8.2.1.2, 8.2.4). */
static bool admit(struct fal_ep_conn *conn, const struct fal_falcon *packet,
                  uint32_t payload_len)
{
    const struct fal_target *target = &conn->target;
    /* Where nothing is in order, a request is its own head of line if the target holds no
     * other: a pull is held until its upper layer has acknowledged it, not until its answer
     * is acknowledged (8.2.1.2). */
    bool idle = conn->limited ? !fal_pools_hold_requests(conn) : target->open == 0;
    bool head = target->ordered ? packet->rsn == target->nrsn : idle;
    enum fal_spend spend =
        packet->packet_type == FAL_PUSH_DATA ? FAL_SPEND_NET_PUSH : FAL_SPEND_NET_PULL;

    if (packet->rsn - target->txns.base >= FAL_ENDPOINT_OPEN_MAX ||
        (target->bytes + payload_len > FAL_TARGET_BYTES_MAX && packet->rsn != target->nrsn))
        return false;
    return fal_proceed(conn, admit, &head, packet) &&
           fal_pools_take(conn, spend, packet->request_length, head) == FAL_SHORT_NOTHING;
}

enum fal_target_got fal_target_request(struct fal_ep_conn *conn,
                                       const struct fal_falcon *packet, const uint8_t *payload,
                                       uint32_t payload_len)
{
    struct fal_target *target = &conn->target;
    bool push = packet->packet_type == FAL_PUSH_DATA;
    struct fal_received *txn = NULL;

    txn = fal_target_get(conn, packet->rsn);
    if (txn != NULL && push && txn->op == FAL_OP_PUSH && txn->psn == packet->psn &&
        txn->state != FAL_TXN_CLOSED)
        return FAL_TARGET_AGAIN;
    if (txn != NULL || fal_seq_lt(packet->rsn, target->txns.base))
        return FAL_TARGET_STALE;
    if (!admit(conn, packet, payload_len))
        return FAL_TARGET_NO_RESOURCES;
    txn = new_txn(conn, packet, push ? FAL_OP_PUSH : FAL_OP_PULL, payload, payload_len);
    if (txn == NULL) {
        fal_pools_give(conn, push ? FAL_SPEND_NET_PUSH : FAL_SPEND_NET_PULL, FAL_PART_ALL,
                       packet->request_length);
        return FAL_TARGET_NO_RESOURCES;
    }
    txn->charged = true;
    txn->length = packet->request_length;
    txn->ar = packet->ack_req != 0;
    txn->reclaim_ns = conn->ep->now_ns + conn->params.transaction_timeout_ns;
    fal_link_append(&target->reclaim, &txn->reclaim);
    fal_target_set_state(conn, txn, push ? FAL_TXN_PUSH_DATA_RX : FAL_TXN_PULL_REQ_RX);
    make_ready(conn, txn);
    return FAL_TARGET_TAKEN;
}

void fal_target_nack(struct fal_ep_conn *conn, const struct fal_received *txn,
                     enum fal_nack_code code, uint8_t rnr_code)
{
    struct fal_refusal refusal = {
        .window = txn->op == FAL_OP_PUSH ? FAL_WINDOW_DATA : FAL_WINDOW_REQ,
        .psn = txn->psn,
        .code = code,
        .rnr_code = rnr_code,
        .ulp_nack_code = txn->ulp_nack_code,
    };

    fal_ackgen_nack(conn, &refusal);
    fal_filter(conn, nacked, &refusal);
}

/* A push behind an RNRed transaction is refused with that one's timeout; it is kept all the
 * same, and delivered when its turn comes (AMB-49). */
static void refuse_follower(struct fal_ep_conn *conn, const struct fal_received *txn)
{
    const struct fal_target *target = &conn->target;

    if (!target->ordered || target->rnr_count == 0 || !fal_seq_lt(target->rnr_rsn, txn->rsn))
        return;
    if (fal_proceed(conn, refuse_follower, txn))
        fal_target_nack(conn, txn, FAL_NACK_RNR,
                        fal_target_get(conn, target->rnr_rsn)->rnr_code);
}

void fal_target_arrived(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    const struct fal_received *txn = fal_target_get(conn, packet->rsn);

    if (txn->op == FAL_OP_PUSH)
        refuse_follower(conn, txn);
}

bool fal_target_refused(const struct fal_ep_conn *conn, uint32_t rsn)
{
    const struct fal_received *txn = fal_target_get(conn, rsn);

    return txn != NULL && txn->nack_code != 0 && txn->state != FAL_TXN_CLOSED;
}

/* Sends the same NACK as before (6.6.5). */
static void repeat_refusal(struct fal_ep_conn *conn, const struct fal_received *txn)
{
    struct fal_received same = *txn;

    if (fal_proceed(conn, repeat_refusal, &same))
        fal_target_nack(conn, &same, txn->nack_code, 0);
}

void fal_target_again(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    struct fal_received *txn = fal_target_get(conn, packet->rsn);

    if (txn == NULL || txn->op != FAL_OP_PUSH || txn->psn != packet->psn)
        return;
    if (txn->nack_code != 0) {
        repeat_refusal(conn, txn);
    } else if (undelivered(txn)) {
        if (txn->rnr && fal_proceed(conn, redeliver_push, txn)) {
            txn->due = true; /* AMB-16: delivered again upon the retransmission */
            make_ready(conn, txn);
        }
        refuse_follower(conn, txn);
    }
}

void fal_target_resync(struct fal_ep_conn *conn, const struct fal_falcon *packet)
{
    enum fal_ulp_op op =
        packet->resync_packet_type == FAL_PULL_REQUEST ? FAL_OP_PULL : FAL_OP_PUSH;
    struct fal_received *txn = fal_target_get(conn, packet->rsn);

    if (txn == NULL && !fal_seq_lt(packet->rsn, conn->target.txns.base))
        txn = new_txn(conn, packet, op, NULL, 0); /* AMB-48: it never came and never will */
    if (txn == NULL && packet->rsn - conn->target.txns.base < FAL_ENDPOINT_OPEN_MAX)
        conn->ep->out_of_memory = true;
    if (txn != NULL && txn->op == op && txn->psn == packet->psn && txn->state != FAL_TXN_CLOSED)
        fal_target_close(conn, txn);
}

/* ---- delivery ---- */

bool fal_target_tell(struct fal_ep_conn *conn, const struct fal_received *txn)
{
    struct fal_endpoint_out *out;
    uint8_t *room = fal_ep_conn_put(conn, FAL_OUT_REQUEST, txn->payload_len, &out);

    if (room == NULL)
        return false;
    out->op = txn->op;
    out->rsn = txn->rsn;
    out->length = txn->length;
    out->redelivery = txn->delivered;
    if (txn->payload_len > 0) {
        memcpy(room, txn->payload, txn->payload_len);
        fal_filter(conn, told_payload, room, txn->payload_len);
    }
    return true;
}

void fal_target_delivered(struct fal_ep_conn *conn, struct fal_received *txn)
{
    fal_link_remove(&txn->link);
    txn->delivered = true;
    txn->due = false;
    fal_target_set_state(
        conn, txn, txn->op == FAL_OP_PUSH ? FAL_TXN_PUSH_REQ_ULP_TX : FAL_TXN_PULL_REQ_ULP_TX);
    fal_target_skip_settled(conn);
}

bool fal_target_deliver(struct fal_ep_conn *conn)
{
    struct fal_received *txn = candidate(conn);

    if (txn == NULL || !fal_proceed(conn, deliver, txn))
        return true;
    if (fal_proceed(conn, tell_request, txn) && !fal_target_tell(conn, txn))
        return false;
    fal_filter(conn, told_request, txn);
    fal_target_delivered(conn, txn);
    return true;
}

/* ---- time ---- */

static struct fal_received *first_retry(const struct fal_target *target)
{
    return fal_link_alone(&target->rnr) ? NULL
                                        : FAL_ITEM(target->rnr.next, struct fal_received, link);
}

static struct fal_received *first_reclaim(const struct fal_target *target)
{
    return fal_link_alone(&target->reclaim)
               ? NULL
               : FAL_ITEM(target->reclaim.next, struct fal_received, reclaim);
}

uint64_t fal_target_deadline(const struct fal_target *target)
{
    const struct fal_received *retry = first_retry(target), *old = first_reclaim(target);
    uint64_t at_ns = retry != NULL ? retry->retry_ns : FAL_NEVER;

    return old != NULL && old->reclaim_ns < at_ns ? old->reclaim_ns : at_ns;
}

/* Redelivers requests whose delay is over, and gives up those whose initiator has given up by
 * now (6.4: resources are soft state), and with them a response that waits for its turn (11).
 */
void fal_target_expire(struct fal_ep_conn *conn)
{
    struct fal_received *txn;

    while ((txn = first_retry(&conn->target)) != NULL && txn->retry_ns <= conn->ep->now_ns) {
        fal_link_remove(&txn->link);
        if (!fal_proceed(conn, retry, txn))
            continue;
        txn->due = true;
        make_ready(conn, txn);
    }
    while ((txn = first_reclaim(&conn->target)) != NULL && txn->reclaim_ns <= conn->ep->now_ns)
        fal_target_close(conn, txn);
}
