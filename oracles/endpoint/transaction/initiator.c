/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/initiator.h"

#include "codecs/base/zero.h"

#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/transaction/pools.h"

#include <stdlib.h>

void fal_initiator_init(struct fal_initiator *initiator, struct fal_endpoint *ep, uint32_t rsn)
{
    *initiator = (struct fal_initiator){.slab = &ep->initiated, .nrsn = rsn, .turn = rsn};
    fal_seqring_init(&initiator->txns, &ep->slots, rsn);
    fal_link_init(&initiator->deadlines);
}

static void free_data(struct fal_initiated *txn)
{
    if (txn->data != NULL && txn->data != txn->inside)
        free(txn->data);
    txn->data = NULL;
}

static void drop(struct fal_initiator *initiator, struct fal_initiated *txn)
{
    if (txn == NULL)
        return;
    free_data(txn);
    fal_slab_give(initiator->slab, txn);
}

void fal_initiator_free(struct fal_initiator *initiator)
{
    while (initiator->txns.span > 0)
        drop(initiator, fal_seqring_pop(&initiator->txns));
    fal_seqring_free(&initiator->txns);
}

struct fal_initiated *fal_initiator_get(const struct fal_ep_conn *conn, uint32_t rsn)
{
    return fal_seqring_get(&conn->initiator.txns, rsn);
}

static void set_state(struct fal_ep_conn *conn, struct fal_initiated *txn,
                      enum fal_txn_state state)
{
    txn->state = state;
    fal_ep_conn_note(conn, "initiator rsn %u: %s", txn->rsn, fal_txn_state_name(state));
}

static enum fal_spend spend_of(enum fal_ulp_op op)
{
    return op == FAL_OP_PUSH ? FAL_SPEND_PUSH : FAL_SPEND_PULL;
}

/* ---- completion ---- */

/* Tells the ULP. */
static void tell(struct fal_ep_conn *conn, struct fal_initiated *txn)
{
    struct fal_endpoint_out *out;
    uint8_t *room = fal_ep_conn_put(conn, FAL_OUT_COMPLETE, txn->data_len, &out);

    if (room == NULL)
        return;
    out->op = txn->op;
    out->rsn = txn->rsn;
    out->tag = txn->tag;
    out->length = txn->length;
    out->code = txn->code;
    out->ulp_nack_code = txn->ulp_nack_code;
    fal_filter(conn, completion, out);
    if (txn->data_len > 0)
        memcpy(room, txn->data, txn->data_len);
    fal_filter(conn, completed, out, room, txn->data_len);
}

static void complete(struct fal_ep_conn *conn, struct fal_initiated *txn)
{
    if (fal_proceed(conn, complete, txn))
        tell(conn, txn);
    if (txn->charged)
        fal_pools_give(conn, spend_of(txn->op), FAL_PART_RX, txn->length);
    txn->completed = true;
    free_data(txn);
    txn->data_len = 0;
    conn->initiator.open--;
    set_state(conn, txn,
              txn->op == FAL_OP_PUSH ? FAL_TXN_PUSH_CPL_TX : FAL_TXN_PULL_DATA_ULP_TX);
}

/* Completes the transactions whose turn has come. An RSN that was never used is passed over
 * (script.c). */
static void take_turns(struct fal_ep_conn *conn)
{
    struct fal_initiator *initiator = &conn->initiator;

    while (initiator->turn != initiator->nrsn) {
        struct fal_initiated *txn = fal_initiator_get(conn, initiator->turn);

        if (txn != NULL && !txn->finished)
            return;
        if (txn != NULL && !txn->completed)
            complete(conn, txn);
        initiator->turn++;
    }
}

/* Frees the oldest transactions that have completed. */
static void slide(struct fal_ep_conn *conn)
{
    struct fal_seqring *txns = &conn->initiator.txns;
    struct fal_initiated *txn;

    while ((txn = fal_seqring_get(txns, txns->base)) != NULL && txn->completed)
        drop(&conn->initiator, fal_seqring_pop(txns));
}

/* The fate of a transaction is settled; it completes now or when its turn comes (8.4.2). */
void fal_initiator_finish(struct fal_ep_conn *conn, struct fal_initiated *txn,
                          enum fal_completion code)
{
    bool at_once = !conn->params.ordered || fal_seq_lt(txn->rsn, conn->initiator.turn);

    if (txn->finished)
        return;
    txn->finished = true;
    txn->code = code;
    fal_link_remove(&txn->link);
    if (fal_decide(conn, completes_at_once, at_once, txn))
        complete(conn, txn);
    take_turns(conn);
    slide(conn);
}

/* The completion code of a transaction whose request was replaced by a resync, if no NACK gave
 * one. */
static enum fal_completion code_of(uint8_t resync_code)
{
    switch ((enum fal_resync_code)resync_code) {
    case FAL_RESYNC_CIE: return FAL_CMPL_TARGET_CIE;
    case FAL_RESYNC_NRE: return FAL_CMPL_TARGET_NRE;
    case FAL_RESYNC_CID: return FAL_CMPL_TARGET_CID;
    case FAL_RESYNC_LOCAL_XLR: return FAL_CMPL_LOCAL_XLR;
    case FAL_RESYNC_EXHAUSTED:
    case FAL_RESYNC_TIMED_OUT: return FAL_CMPL_LOCAL_TO;
    case FAL_RESYNC_REMOTE_XLR: return FAL_CMPL_REMOTE_ERR;
    }
    return FAL_CMPL_REMOTE_ERR;
}

/* ---- start ---- */

/* Whether there is room for that RSN, if need be by forgetting the lowest ones that were never
 * used. */
static bool room_for(struct fal_initiator *initiator, uint32_t rsn)
{
    struct fal_seqring *txns = &initiator->txns;

    while (rsn - txns->base >= FAL_ENDPOINT_OPEN_MAX && txns->base != initiator->nrsn &&
           fal_seqring_get(txns, txns->base) == NULL)
        (void)fal_seqring_pop(txns);
    return rsn - txns->base < FAL_ENDPOINT_OPEN_MAX;
}

static struct fal_initiated *start(struct fal_ep_conn *conn, uint32_t rsn, enum fal_ulp_op op,
                                   struct fal_tx_packet *packet)
{
    struct fal_initiator *initiator = &conn->initiator;
    struct fal_initiated *txn = fal_slab_take(initiator->slab);

    if (txn == NULL)
        return NULL;
    *txn = (struct fal_initiated){.rsn = rsn, .op = op, .packet = packet};
    if (fal_seqring_put(&initiator->txns, rsn, txn, FAL_ENDPOINT_OPEN_MAX) < 0) {
        drop(initiator, txn);
        return NULL;
    }
    txn->deadline_ns = fal_decide(conn, transaction_deadline,
                                  conn->ep->now_ns + conn->params.transaction_timeout_ns);
    fal_link_append(&initiator->deadlines, &txn->link);
    initiator->open++;
    if (fal_seq_le(initiator->nrsn, rsn))
        initiator->nrsn = rsn + 1;
    return txn;
}

static int reject(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                  enum fal_completion code)
{
    (void)fal_ep_conn_out(conn,
                          &(struct fal_endpoint_out){.kind = FAL_OUT_COMPLETE,
                                                     .op = in->op,
                                                     .rsn = conn->initiator.nrsn,
                                                     .tag = in->tag,
                                                     .length = in->length,
                                                     .code = code},
                          0);
    return 0;
}

/* A ULP with flow control has overrun its credits, which is an error. Without flow control the
 * ULP learns from the completion that resources are short (8.2.3, 11, AMB-50, AMB-54). */
static enum fal_completion refusal(const struct fal_ep_conn *conn, enum fal_shortage shortage)
{
    bool credit = shortage == FAL_SHORT_CREDIT && conn->params.flow_control;

    return fal_decide(conn, refusal, credit ? FAL_CMPL_CDT_ERR : FAL_CMPL_LOCAL_RSRC);
}

int fal_initiator_post(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                       uint32_t *rsn)
{
    struct fal_initiator *initiator = &conn->initiator;
    uint32_t len = in->op == FAL_OP_PUSH ? in->length : in->payload_len;
    enum fal_shortage shortage;
    struct fal_tx_packet *packet;
    struct fal_initiated *txn;

    *rsn = initiator->nrsn;
    if (!fal_decide(conn, fits_mtu,
                    in->length <= conn->params.mtu && len <= conn->params.mtu) ||
        in->length > UINT16_MAX || len > UINT16_MAX || (len > 0 && in->payload == NULL))
        return FAL_ERR_RANGE;
    if (conn->dead)
        return fal_proceed(conn, reject_dead, in) ? reject(conn, in, FAL_CMPL_DEAD_CONN) : 0;
    *rsn = initiator->nrsn = fal_decide(conn, new_rsn, initiator->nrsn);
    if (!room_for(initiator, initiator->nrsn))
        return reject(conn, in, FAL_CMPL_LOCAL_RSRC);
    shortage = fal_pools_take(conn, spend_of(in->op), in->length, false);
    if (!fal_decide(conn, granted, shortage == FAL_SHORT_NOTHING))
        return reject(conn, in, refusal(conn, shortage));
    packet = fal_tx_packet_new(&conn->ep->packets,
                               in->op == FAL_OP_PUSH ? FAL_PUSH_DATA : FAL_PULL_REQUEST, *rsn,
                               in->payload, len);
    txn = packet == NULL ? NULL : start(conn, *rsn, in->op, packet);
    if (txn == NULL) {
        fal_tx_packet_free(&conn->ep->packets, packet);
        if (shortage == FAL_SHORT_NOTHING)
            fal_pools_give(conn, spend_of(in->op), FAL_PART_ALL, in->length);
        return FAL_ERR_MEM;
    }
    packet->request_length = (uint16_t)in->length;
    packet->charged = txn->charged = shortage == FAL_SHORT_NOTHING;
    txn->tag = in->tag;
    txn->length = in->length;
    set_state(conn, txn,
              in->op == FAL_OP_PUSH ? FAL_TXN_PUSH_REQ_ULP_RX : FAL_TXN_PULL_REQ_ULP_RX);
    fal_schedule_queue(conn, packet);
    if (conn->params.xlr_initiator > 0 && txn->rsn % conn->params.xlr_initiator == 0) {
        fal_initiator_failed(conn, packet, FAL_CMPL_LOCAL_XLR, 0);
        fal_retransmit_resync(conn, packet, FAL_RESYNC_LOCAL_XLR);
    }
    return 0;
}

int fal_initiator_adopt(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    struct fal_initiator *initiator = &conn->initiator;
    uint32_t rsn = packet->rsn;
    struct fal_initiated *txn;

    if (fal_initiator_get(conn, rsn) != NULL || fal_seq_lt(rsn, initiator->txns.base))
        return 0;
    if (!room_for(initiator, rsn)) {
        if (initiator->open > 0)
            return 0;
        fal_initiator_free(initiator); /* nothing is open: begin anew from there */
        fal_initiator_init(initiator, conn->ep, rsn);
    }
    if (packet->type == FAL_RESYNC) { /* of a request that was never sent: its RSN is used up */
        if (fal_seq_le(initiator->nrsn, rsn))
            initiator->nrsn = rsn + 1;
        return 0;
    }
    txn = start(conn, rsn, packet->type == FAL_PUSH_DATA ? FAL_OP_PUSH : FAL_OP_PULL, packet);
    if (txn == NULL)
        return FAL_ERR_MEM;
    txn->length = packet->request_length;
    fal_initiator_sent(conn, packet);
    return 0;
}

/* ---- the request on its way ---- */

/* The transaction whose request this packet carries, or NULL. */
static struct fal_initiated *owner(const struct fal_ep_conn *conn,
                                   const struct fal_tx_packet *packet)
{
    struct fal_initiated *txn = fal_initiator_get(conn, packet->rsn);

    return txn != NULL && txn->packet == packet ? txn : NULL;
}

void fal_initiator_sent(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_initiated *txn = owner(conn, packet);

    if (txn == NULL)
        return;
    set_state(conn, txn, txn->op == FAL_OP_PUSH ? FAL_TXN_PUSH_DATA_TX : FAL_TXN_PULL_REQ_TX);
    if (fal_decide(conn, completes_unacknowledged, false, txn, packet))
        fal_initiator_finish(conn, txn, FAL_CMPL_ACK);
}

void fal_initiator_acked(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_initiated *txn = owner(conn, packet);
    enum fal_completion code;

    if (txn == NULL)
        return;
    txn->packet = NULL;
    if (packet->type == FAL_RESYNC) {
        code = code_of(packet->resync_code);
        fal_initiator_finish(conn, txn,
                             fal_decide(conn, resync_completion,
                                        txn->code != FAL_CMPL_ACK ? txn->code : code, txn,
                                        code));
    } else if (txn->op == FAL_OP_PUSH) {
        set_state(conn, txn, FAL_TXN_PUSH_DATA_ACKD);
        fal_initiator_finish(conn, txn, FAL_CMPL_ACK);
    } else if (txn->state == FAL_TXN_PULL_REQ_TX) {
        set_state(conn, txn, FAL_TXN_PULL_REQ_ACKD);
        if (fal_decide(conn, pull_completes_on_ack, false, txn))
            fal_initiator_finish(conn, txn, txn->code);
    }
}

void fal_initiator_failed(struct fal_ep_conn *conn, const struct fal_tx_packet *packet,
                          enum fal_completion code, uint8_t ulp_nack_code)
{
    struct fal_initiated *txn = owner(conn, packet);

    if (txn == NULL || txn->finished || txn->code != FAL_CMPL_ACK)
        return;
    txn->code = code;
    txn->ulp_nack_code = ulp_nack_code;
    if (fal_decide(conn, completes_at_nack, false, code))
        fal_initiator_finish(conn, txn, code);
}

/* What becomes of a pull whose response has that length. 8.4.3.2 demands the length that was
 * asked for; 11 allows a shorter one, and makes a longer one an error, of which the ULP learns
 * at once or at the timeout (AMB-25). A response without ULP payload is the answer of a target
 * whose ULP failed, and counts in any case. */
static enum fal_pull_end length_verdict(const struct fal_ep_conn *conn,
                                        const struct fal_initiated *txn, uint32_t payload_len)
{
    enum fal_pull_end end = payload_len <= txn->length ? FAL_PULL_COMPLETES : FAL_PULL_FAILS;

    return fal_decide(conn, pull_length, end, txn, payload_len);
}

void fal_initiator_response(struct fal_ep_conn *conn, uint32_t rsn, const uint8_t *payload,
                            uint32_t payload_len)
{
    struct fal_initiated *txn = fal_initiator_get(conn, fal_decide(conn, response_rsn, rsn));
    enum fal_pull_end end;

    if (txn == NULL || txn->op != FAL_OP_PULL || txn->finished ||
        txn->state == FAL_TXN_PULL_REQ_ULP_RX) {
        fal_filter(conn, unmatched, rsn, payload, payload_len);
        return; /* no pull waits for these data (8.4.3.2) */
    }
    end = length_verdict(conn, txn, payload_len);
    if (end == FAL_PULL_FAILS)
        fal_initiator_finish(conn, txn, FAL_CMPL_OP_ERR);
    if (end != FAL_PULL_COMPLETES)
        return;
    set_state(conn, txn, FAL_TXN_PULL_DATA_RX);
    if (payload_len > 0) {
        txn->data = payload_len <= FAL_INSIDE ? txn->inside : malloc(payload_len);
        if (txn->data == NULL) {
            conn->ep->out_of_memory = true;
            return;
        }
        memcpy(txn->data, payload, payload_len);
        txn->data_len = payload_len;
    }
    fal_initiator_finish(conn, txn, FAL_CMPL_ACK);
}

void fal_initiator_response_lost(struct fal_ep_conn *conn, uint32_t rsn)
{
    struct fal_initiated *txn = fal_initiator_get(conn, rsn);

    if (txn != NULL && txn->op == FAL_OP_PULL && txn->state != FAL_TXN_PULL_REQ_ULP_RX &&
        fal_proceed(conn, response_lost, txn))
        fal_initiator_finish(conn, txn, FAL_CMPL_LOCAL_TO);
}

/* ---- time ---- */

static struct fal_initiated *oldest(const struct fal_initiator *initiator)
{
    return fal_link_alone(&initiator->deadlines)
               ? NULL
               : FAL_ITEM(initiator->deadlines.next, struct fal_initiated, link);
}

uint64_t fal_initiator_deadline(const struct fal_initiator *initiator)
{
    const struct fal_initiated *txn = oldest(initiator);

    return txn != NULL ? txn->deadline_ns : FAL_NEVER;
}

/* The ULP is told at once (11). A resync takes over the PSN of a request that is not
 * acknowledged, or the RSN of one that has not been sent. */
void fal_initiator_expire(struct fal_ep_conn *conn)
{
    while (fal_initiator_deadline(&conn->initiator) <= conn->ep->now_ns) {
        struct fal_initiated *txn = oldest(&conn->initiator);

        if (txn->packet != NULL && !txn->packet->sent)
            fal_pools_give_packet(conn, txn->packet);
        if (txn->packet != NULL)
            fal_retransmit_resync(conn, txn->packet, FAL_RESYNC_TIMED_OUT);
        fal_initiator_finish(conn, txn,
                             txn->code != FAL_CMPL_ACK ? txn->code : FAL_CMPL_LOCAL_TO);
    }
}

void fal_initiator_abort(struct fal_ep_conn *conn)
{
    struct fal_initiator *initiator = &conn->initiator;

    for (uint32_t rsn = initiator->txns.base; rsn != initiator->nrsn; rsn++) {
        struct fal_initiated *txn = fal_initiator_get(conn, rsn);

        if (txn != NULL) {
            txn->packet = NULL;
            fal_initiator_finish(conn, txn,
                                 txn->code != FAL_CMPL_ACK ? txn->code : FAL_CMPL_DEAD_CONN);
        }
    }
}
