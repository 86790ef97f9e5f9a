/* SPDX-License-Identifier: Apache-2.0
 * answer.c - the answer of the target's ULP to a request, and the response on its way back. */
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/receive.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

/* The shortest delay of 7.8, for pulls too: a retry takes time. */
#define RNR_MIN_NS (10 * FAL_US)

static bool with_ulp(const struct fal_received *txn)
{
    return txn->state == FAL_TXN_PUSH_REQ_ULP_TX || txn->state == FAL_TXN_PULL_REQ_ULP_TX;
}

/* The response of a pull. 0; FAL_ERR_RANGE: it is longer than an MTU, or the ULP has no credits
 * for it (the request waits on); FAL_ERR_MEM. */
static int respond_data(struct fal_ep_conn *conn, struct fal_received *txn,
                        const uint8_t *payload, uint32_t length)
{
    struct fal_tx_packet *packet;

    length = fal_decide(conn, response_length, length, txn);
    if (!fal_decide(conn, fits_mtu, length <= conn->params.mtu) || length > UINT16_MAX ||
        (length > 0 && payload == NULL))
        return FAL_ERR_RANGE;
    if (!fal_proceed(conn, respond, txn) ||
        fal_pools_take(conn, FAL_SPEND_RESPONSE, length, false) != FAL_SHORT_NOTHING)
        return FAL_ERR_RANGE;
    packet = fal_tx_packet_new(&conn->ep->packets, FAL_PULL_DATA, txn->rsn, payload, length);
    if (packet == NULL) {
        fal_pools_give(conn, FAL_SPEND_RESPONSE, FAL_PART_ALL, length);
        return FAL_ERR_MEM;
    }
    packet->request_length = (uint16_t)length;
    packet->charged = true;
    fal_target_reclaim(conn, txn);
    fal_target_end_rnr(conn, txn);
    txn->packet = packet;
    fal_target_set_state(conn, txn, FAL_TXN_PULL_DATA_ULP_RX);
    fal_schedule_queue(conn, packet);
    fal_filter(conn, responded, packet);
    return 0;
}

/* The request waits at this end until its delay is over. */
static void wait_here(struct fal_ep_conn *conn, struct fal_received *txn, uint64_t rnr_ns)
{
    struct fal_link *at = conn->target.rnr.prev;

    txn->retry_ns = conn->ep->now_ns + (rnr_ns > RNR_MIN_NS ? rnr_ns : RNR_MIN_NS);
    while (at != &conn->target.rnr &&
           FAL_ITEM(at, struct fal_received, link)->retry_ns > txn->retry_ns)
        at = at->prev;
    fal_link_insert(at, &txn->link);
}

/* The ULP is not ready (8.5.3.4): a push is NACKed and sent again by its initiator; a pull
 * waits at this end. */
static void respond_rnr(struct fal_ep_conn *conn, struct fal_received *txn, uint64_t rnr_ns)
{
    struct fal_target *target = &conn->target;

    txn->rnr_code = (uint8_t)fal_rnr_timeout_code(rnr_ns);
    if (!txn->rnr) {
        txn->rnr = true;
        if (target->rnr_count++ == 0 || fal_seq_lt(txn->rsn, target->rnr_rsn))
            target->rnr_rsn = txn->rsn;
    }
    if (txn->op == FAL_OP_PULL) { /* the peer hears nothing of it (6.6.4) */
        txn->state = FAL_TXN_PULL_REQ_RX;
        wait_here(conn, txn, fal_decide(conn, rnr_pull_delay, rnr_ns, txn));
    } else { /* repeated by the initiator; by this end too, if it likes (AMB-16) */
        txn->state = FAL_TXN_PUSH_DATA_RX;
        if (fal_decide(conn, rnr_push_waits_here, false))
            wait_here(conn, txn, rnr_ns);
        fal_target_nack(conn, txn, FAL_NACK_RNR, txn->rnr_code);
    }
}

/* The ULP has taken the request. A push is acknowledged to the peer now, a pull with its
 * response. */
static int respond_ack(struct fal_ep_conn *conn, struct fal_received *txn)
{
    bool at_once = fal_decide(conn, ar_of_answered, txn->ar);

    if (txn->op == FAL_OP_PULL) {
        fal_target_end_rnr(conn, txn);
        fal_target_reclaim(conn, txn);
        fal_target_set_state(conn, txn, FAL_TXN_PULL_REQ_ULP_ACKD);
        return 0;
    }
    fal_receive_acknowledge(conn, FAL_WINDOW_DATA, txn->psn);
    fal_target_set_state(conn, txn, FAL_TXN_PUSH_REQ_ULP_ACKD);
    fal_target_close(conn, txn);
    if (fal_proceed(conn, ulp_ack_told, at_once))
        fal_ackgen_news(conn, at_once || fal_steer_each(conn));
    return 0;
}

/* 8.5.3.5: a push that ends in error waits for the initiator's resync; a pull ends with an
 * empty response, but for an invalid CID with none (11, AMB-59). */
static int respond_error(struct fal_ep_conn *conn, struct fal_received *txn,
                         enum fal_nack_code code, uint32_t ulp_nack_code)
{
    if (ulp_nack_code > UINT8_MAX)
        return FAL_ERR_RANGE;
    if (!fal_proceed(conn, ulp_error, txn, &code))
        return respond_ack(conn, txn);
    if (txn->op == FAL_OP_PULL && code != FAL_NACK_CID)
        return respond_data(conn, txn, NULL, 0);
    if (txn->op == FAL_OP_PULL) {
        fal_target_close(conn, txn);
        return 0;
    }
    fal_target_end_rnr(conn, txn);
    fal_target_reclaim(conn, txn);
    txn->nack_code = (uint8_t)code;
    txn->ulp_nack_code = (uint8_t)ulp_nack_code;
    fal_target_set_state(conn, txn, FAL_TXN_PUSH_REQ_ULP_ACKD);
    fal_target_nack(conn, txn, code, 0);
    return 0;
}

int fal_target_respond(struct fal_ep_conn *conn, const struct fal_endpoint_in *in)
{
    /* The answer is for the transaction of its RSN (8.5.3.4, 8.5.3.5). */
    struct fal_received *txn =
        fal_decide(conn, answered_request, fal_target_get(conn, in->rsn), in);

    if (txn == NULL || !(with_ulp(txn) || (txn->state == FAL_TXN_PULL_REQ_ULP_ACKD &&
                                           in->answer == FAL_ANSWER_DATA)))
        return FAL_ERR_RANGE;
    switch (in->answer) {
    case FAL_ANSWER_ACK: return respond_ack(conn, txn);
    case FAL_ANSWER_DATA:
        return txn->op == FAL_OP_PULL ? respond_data(conn, txn, in->payload, in->length)
                                      : FAL_ERR_RANGE;
    case FAL_ANSWER_RNR: respond_rnr(conn, txn, in->rnr_ns); return 0;
    case FAL_ANSWER_CIE: return respond_error(conn, txn, FAL_NACK_CIE, in->code);
    case FAL_ANSWER_NRE: return respond_error(conn, txn, FAL_NACK_NRE, in->code);
    case FAL_ANSWER_CID: return respond_error(conn, txn, FAL_NACK_CID, in->code);
    case FAL_ANSWER_WITHHOLD: return 0;
    }
    return FAL_ERR_RANGE;
}

/* ---- the response on its way ---- */

static struct fal_received *answered(const struct fal_ep_conn *conn, uint32_t rsn)
{
    struct fal_received *txn = fal_target_get(conn, rsn);

    return txn != NULL && txn->op == FAL_OP_PULL && txn->state != FAL_TXN_CLOSED ? txn : NULL;
}

void fal_target_adopt(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_received *txn = answered(conn, packet->rsn);

    if (txn == NULL)
        return;
    fal_target_end_rnr(conn, txn);
    fal_link_remove(&txn->link);
    fal_link_remove(&txn->reclaim);
    fal_target_set_state(conn, txn, FAL_TXN_PULL_DATA_TX);
    fal_target_skip_settled(conn);
}

void fal_target_sent(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_received *txn = answered(conn, packet->rsn);

    if (txn == NULL)
        return;
    txn->packet = NULL;
    fal_link_remove(&txn->reclaim);
    fal_target_set_state(conn, txn, FAL_TXN_PULL_DATA_TX);
}

void fal_target_acked(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_received *txn = answered(conn, packet->rsn);

    if (txn == NULL)
        return;
    fal_target_set_state(conn, txn, FAL_TXN_PULL_DATA_ACKD);
    fal_target_close(conn, txn);
}

bool fal_target_unanswered(const struct fal_ep_conn *conn, uint32_t *rsn)
{
    const struct fal_link *head = &conn->target.reclaim;

    for (const struct fal_link *link = head->next; link != head; link = link->next) {
        const struct fal_received *txn = FAL_ITEM(link, struct fal_received, reclaim);

        if (txn->op == FAL_OP_PULL && txn->packet == NULL) {
            *rsn = txn->rsn;
            return true;
        }
    }
    return false;
}
