/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/target_faults.h"

#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/transaction/target.h"

void fal_target_ready_by_psn(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_link *head = &conn->target.ready, *at = head->prev;

    for (; at != head; at = at->prev) {
        const struct fal_received *other = FAL_ITEM(at, struct fal_received, link);

        if (other->op != txn->op || fal_seq_lt(other->psn, txn->psn))
            break;
    }
    fal_link_insert(at, &txn->link);
}

bool fal_target_psns_complete(const struct fal_ep_conn *conn, const struct fal_received *txn)
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

bool fal_target_unseen(struct fal_ep_conn *conn, struct fal_received *txn)
{
    struct fal_endpoint_in in = {.rsn = txn->rsn, .answer = FAL_ANSWER_ACK};

    fal_link_remove(&txn->link);
    txn->delivered = true;
    txn->due = false;
    fal_target_set_state(conn, txn, FAL_TXN_PUSH_REQ_ULP_TX);
    fal_target_skip_settled(conn);
    (void)fal_target_respond(conn, &in);
    fal_ep_conn_rearm(conn);
    return true;
}

void fal_target_respond_twice(struct fal_ep_conn *conn, const struct fal_tx_packet *packet)
{
    struct fal_tx_packet *twin =
        fal_tx_packet_new(FAL_PULL_DATA, packet->rsn, packet->payload, packet->payload_len);

    if (twin != NULL)
        fal_schedule_queue(conn, twin);
}
