/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of answer.c: how the target's ULP answers a request (8.5.3, 6.6.4). */
#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"
#include "oracles/endpoint/variants/conveyed.h"
#include "oracles/endpoint/variants/timers.h"

enum { RSNS_SEARCHED = 4096 }; /* in which a deep queue of pulls is looked for */

static bool waits(const struct fal_received *txn)
{
    return txn != NULL && txn->op == FAL_OP_PULL && txn->state == FAL_TXN_PULL_REQ_ULP_TX;
}

/* answers-swapped-deep: the other pull of a pair whose RSNs differ in the last bit. */
static struct fal_received *swapped(const struct fal_ep_conn *conn, struct fal_received *txn,
                                    uint32_t rsn)
{
    struct fal_received *other = fal_target_get(conn, rsn ^ 1);
    struct fal_odd *odd = conn->odd;
    uint32_t deep = 0;

    if (odd->swaps[0] && odd->swapped[0] == (rsn | 1)) {
        odd->swaps[0] = false;
        return waits(other) ? other : txn;
    }
    if (odd->swaps[0] || !waits(txn) || !waits(other) || other->length != txn->length)
        return txn;
    for (uint32_t at = conn->target.txns.base; deep <= FAL_FAULT_DEEP; at++) {
        if (at - conn->target.txns.base > RSNS_SEARCHED)
            return txn;
        deep += waits(fal_target_get(conn, at));
    }
    if (!fal_fault(conn, FAL_FAULT_ANSWERS_SWAPPED_DEEP))
        return txn;
    odd->swaps[0] = true;
    odd->swapped[0] = rsn | 1;
    return other;
}

struct fal_received *fal_at_answered_request(const struct fal_ep_conn *conn,
                                             struct fal_received *txn,
                                             const struct fal_endpoint_in *in)
{
    if (conn->odd->misled) {
        conn->odd->misled = false;
        return waits(txn) ? txn : fal_odd_waiting_pull(conn);
    }
    if (in->answer == FAL_ANSWER_DATA &&
        fal_fault_in(&conn->ep->faulty.set, FAL_FAULT_ANSWERS_SWAPPED_DEEP))
        return swapped(conn, txn, in->rsn);
    if (txn == NULL || txn->op != FAL_OP_PULL || in->answer != FAL_ANSWER_RNR ||
        !fal_fault(conn, FAL_FAULT_RNR_PULL_OF_ANOTHER))
        return txn;
    for (uint32_t rsn = conn->target.txns.base; rsn != in->rsn; rsn++) {
        struct fal_received *other = fal_target_get(conn, rsn);

        if (waits(other))
            return other;
    }
    return txn;
}

struct fal_received *fal_odd_waiting_pull(const struct fal_ep_conn *conn)
{
    for (uint32_t n = 0; n < RSNS_SEARCHED; n++) {
        struct fal_received *txn = fal_target_get(conn, conn->target.txns.base + n);

        if (waits(txn))
            return txn;
    }
    return NULL;
}

/* ---- with data ---- */

uint32_t fal_at_response_length(const struct fal_ep_conn *conn, uint32_t length,
                                const struct fal_received *txn)
{
    if (length > txn->length && fal_twin(conn, FAL_TWIN_ANSWER_CUT))
        length = txn->length;
    if (length > 0 && fal_fault(conn, FAL_FAULT_PULL_DATA_SHORT))
        length--;
    return length > 0 && fal_fault(conn, FAL_FAULT_PULL_DATA_OF_NOTHING) ? 0 : length;
}

bool fal_at_respond(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    (void)txn;
    return !fal_pools_spent(conn, FAL_RES_REQ_PKT_TX) ||
           !fal_fault(conn, FAL_FAULT_RESPONSES_SHARE_CREDITS);
}

/* pull-data-doubled: the response is sent twice, with two PSNs. */
void fal_at_responded(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_tx_packet *copy;

    if (!fal_fault(conn, FAL_FAULT_PULL_DATA_DOUBLED))
        return;
    copy = fal_tx_packet_new(&conn->ep->packets, FAL_PULL_DATA, packet->rsn, packet->payload,
                             packet->payload_len);
    if (copy != NULL)
        fal_schedule_queue(conn, copy);
}

/* ---- not ready ---- */

uint64_t fal_at_rnr_pull_delay(struct fal_ep_conn *conn, uint64_t delay_ns,
                               const struct fal_received *txn)
{
    if (fal_fault(conn, FAL_FAULT_RNR_PULL_EARLY))
        delay_ns /= 2;
    if (fal_fault(conn, FAL_FAULT_RNR_PULL_NACKED))
        fal_target_nack(conn, txn, FAL_NACK_RNR, txn->rnr_code);
    return fal_timers_delay(conn, delay_ns);
}

bool fal_at_rnr_push_waits_here(const struct fal_ep_conn *conn, bool waits)
{
    return waits || fal_twin(conn, FAL_TWIN_RNR_PUSH_BY_TIMER) ||
           fal_twin(conn, FAL_TWIN_RX_BIT_DROPS);
}

/* ---- ACK and error ---- */

bool fal_at_ar_of_answered(const struct fal_ep_conn *conn, bool ar)
{
    return ar && !fal_fault(conn, FAL_FAULT_AR_OF_PUSH_AT_ONCE);
}

bool fal_at_ulp_ack_told(const struct fal_ep_conn *conn, bool at_once)
{
    return at_once || !fal_fault(conn, FAL_FAULT_ULP_ACK_UNTIMED);
}

/* Whether no packet says yet that the pull came: the base is below it, its upper layer answered
 * at the moment of its arrival, and the coalescing timer runs, which an ACK stops. */
static bool unclaimed(const struct fal_ep_conn *conn, const struct fal_received *txn)
{
    return conn->coalesce_ns != FAL_NEVER &&
           fal_seq_lt(conn->rx[FAL_WINDOW_REQ].base, txn->psn) &&
           !fal_conveyed_reported(conn, FAL_WINDOW_REQ, txn->psn) &&
           txn->reclaim_ns == conn->ep->now_ns + conn->params.transaction_timeout_ns;
}

bool fal_at_ulp_error(struct fal_ep_conn *conn, const struct fal_received *txn,
                      enum fal_nack_code *code)
{
    if (txn->op == FAL_OP_PULL) {
        if (*code == FAL_NACK_CID && unclaimed(conn, txn) &&
            fal_twin(conn, FAL_TWIN_PULL_CID_NACKED))
            fal_target_nack(conn, txn, FAL_NACK_CID, 0);
        if (fal_fault(conn, FAL_FAULT_PULL_ERROR_NACKED))
            fal_target_nack(conn, txn, *code, 0);
        if (*code != FAL_NACK_CID && fal_fault(conn, FAL_FAULT_PULL_ERROR_UNANSWERED))
            *code = FAL_NACK_CID;
        return true;
    }
    if (fal_fault(conn, FAL_FAULT_ERROR_ACKNOWLEDGED))
        return false;
    if (*code == FAL_NACK_NRE && fal_fault(conn, FAL_FAULT_NRE_NACK_WRONG_CODE))
        *code = FAL_NACK_CIE;
    if (*code == FAL_NACK_CID && fal_fault(conn, FAL_FAULT_CID_NACK_WRONG_CODE))
        *code = FAL_NACK_NRE;
    return true;
}
