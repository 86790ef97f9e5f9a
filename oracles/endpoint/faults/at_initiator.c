/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of initiator.c: how the local ULP's transactions start and complete
 * (8.4, 11); and of endpoint.c: on which connection. */
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/variants/timers.h"

/* The longest ULP header that an answer without ULP payload may have: NVMe's (AMB-25). */
enum { ULP_HEADER_MAX = 36 };

/* ended-holds: so many packets of ended connections leave no room for others. */
enum { HELD_TOO_MUCH = 16 };

/* ---- the connection of a post or an answer (8.4.3.1, 8.4.3.3, 8.5.3.2) ---- */

/* The fault that such an input may suffer, or FAL_FAULT_COUNT. */
static enum fal_fault_id fault_of(const struct fal_endpoint_in *in)
{
    if (in->kind == FAL_IN_POST)
        return in->op == FAL_OP_PULL ? FAL_FAULT_PULLS_ON_ANOTHER : FAL_FAULT_PUSHES_ON_ANOTHER;
    return in->answer == FAL_ANSWER_DATA ? FAL_FAULT_ANSWERS_ON_ANOTHER : FAL_FAULT_COUNT;
}

/* The first connection beside `own` that could take the input, or NULL. */
static struct fal_ep_conn *another(const struct fal_ep_conn *own, bool answer)
{
    const struct fal_endpoint *ep = own->ep;

    for (uint32_t n = 0; n < ep->num_conns; n++) {
        struct fal_ep_conn *conn = ep->conns[n];

        if (conn != NULL && conn != own && !conn->dead &&
            (!answer || fal_odd_waiting_pull(conn) != NULL))
            return conn;
    }
    return NULL;
}

struct fal_ep_conn *fal_at_of_ulp(struct fal_ep_conn *conn, struct fal_ep_conn *own,
                                  const struct fal_endpoint_in *in)
{
    enum fal_fault_id fault = fault_of(in);
    struct fal_ep_conn *other;

    if (fault == FAL_FAULT_COUNT || !fal_fault_in(&conn->ep->faulty.set, fault))
        return own;
    other = another(own, in->kind == FAL_IN_RESPOND);
    if (other == NULL || other->odd == NULL || !fal_fault(conn, fault))
        return own;
    other->odd->misled = in->kind == FAL_IN_RESPOND;
    return other;
}

/* ---- start ---- */

bool fal_at_fits_mtu(const struct fal_ep_conn *conn, bool fits)
{
    return fits || fal_fault(conn, FAL_FAULT_MTU_IGNORED);
}

bool fal_at_reject_dead(const struct fal_ep_conn *conn, const struct fal_endpoint_in *in)
{
    (void)in;
    return !fal_fault(conn, FAL_FAULT_DEAD_CONNECTION_SILENT);
}

uint32_t fal_at_new_rsn(const struct fal_ep_conn *conn, uint32_t rsn)
{
    return rsn % 4 == 2 && fal_fault(conn, FAL_FAULT_RSN_SKIPPED) ? rsn + 1 : rsn;
}

bool fal_at_granted(const struct fal_ep_conn *conn, bool granted)
{
    if (granted && conn->ep->faulty.held > HELD_TOO_MUCH)
        return false;
    /* credits-ignored is a fault of RDMA: Falcon must not notice. */
    return granted || fal_fault(conn, FAL_FAULT_LIMITS_IGNORED) ||
           fal_fault(conn, FAL_FAULT_CREDITS_IGNORED);
}

enum fal_completion fal_at_refusal(const struct fal_ep_conn *conn, enum fal_completion code)
{
    if (fal_fault(conn, FAL_FAULT_REFUSED_COMPLETES_WELL))
        return FAL_CMPL_ACK;
    return fal_twin(conn, FAL_TWIN_EXHAUSTION_AS_CIE) ? FAL_CMPL_TARGET_CIE : code;
}

uint64_t fal_at_transaction_deadline(const struct fal_ep_conn *conn, uint64_t deadline_ns)
{
    uint64_t now_ns = conn->ep->now_ns;

    return fal_fault(conn, FAL_FAULT_TRANSACTION_NEVER_TIMES_OUT)
               ? FAL_NEVER
               : now_ns + fal_timers_delay(conn, deadline_ns - now_ns);
}

/* ---- when a transaction completes ---- */

/* pulls-not-resynced: a pull that a NACK ended, whose request is sent on until it is
 * acknowledged. */
static bool not_resynced(const struct fal_ep_conn *conn, const struct fal_initiated *txn)
{
    return txn->code != FAL_CMPL_ACK && fal_twin(conn, FAL_TWIN_PULLS_NOT_RESYNCED);
}

bool fal_at_completes_at_once(const struct fal_ep_conn *conn, bool at_once,
                              const struct fal_initiated *txn)
{
    if (!conn->params.ordered && !fal_seq_lt(txn->rsn, conn->initiator.turn) &&
        fal_twin(conn, FAL_TWIN_COMPLETIONS_IN_ORDER))
        return false;
    return at_once || fal_fault(conn, FAL_FAULT_COMPLETION_UNORDERED) ||
           (txn->op == FAL_OP_PULL && fal_fault(conn, FAL_FAULT_PULLS_COMPLETE_APART));
}

bool fal_at_completes_unacknowledged(const struct fal_ep_conn *conn, bool completes,
                                     const struct fal_initiated *txn,
                                     const struct fal_tx_packet *packet)
{
    return completes || (txn->op == FAL_OP_PUSH && packet->type != FAL_RESYNC &&
                         fal_fault(conn, FAL_FAULT_COMPLETION_BEFORE_ACK));
}

bool fal_at_pull_completes_on_ack(const struct fal_ep_conn *conn, bool completes,
                                  const struct fal_initiated *txn)
{
    return completes || not_resynced(conn, txn) ||
           fal_fault(conn, FAL_FAULT_PULL_COMPLETED_ON_ACK);
}

bool fal_at_completes_at_nack(const struct fal_ep_conn *conn, bool completes,
                              enum fal_completion code)
{
    return completes || (code != FAL_CMPL_LOCAL_TO && code != FAL_CMPL_LOCAL_XLR &&
                         (fal_twin(conn, FAL_TWIN_COMPLETION_AT_NACK) ||
                          (fal_twin(conn, FAL_TWIN_COMPLETION_LATE) &&
                           fal_rng_below(&conn->ep->twin_rng, 4) > 0)));
}

bool fal_at_response_lost(const struct fal_ep_conn *conn, const struct fal_initiated *txn)
{
    (void)txn;
    return !fal_twin(conn, FAL_TWIN_RESPONSE_LOST_TIMES_OUT);
}

/* ---- with which code ---- */

enum fal_completion fal_at_resync_completion(struct fal_ep_conn *conn, enum fal_completion code,
                                             const struct fal_initiated *txn,
                                             enum fal_completion of_resync)
{
    struct fal_initiated *next = fal_initiator_get(conn, txn->rsn + 1);

    if (next == NULL || next->finished || !fal_fault(conn, FAL_FAULT_ERROR_OF_ANOTHER))
        return code;
    fal_initiator_finish(conn, next, of_resync);
    return FAL_CMPL_ACK;
}

enum fal_pull_end fal_at_pull_length(const struct fal_ep_conn *conn, enum fal_pull_end end,
                                     const struct fal_initiated *txn, uint32_t payload_len)
{
    if (not_resynced(conn, txn))
        return FAL_PULL_WAITS;
    if (payload_len == 0)
        return fal_fault(conn, FAL_FAULT_PULL_DATA_EMPTY_DISCARDED) ? FAL_PULL_WAITS : end;
    if (payload_len < txn->length && fal_fault(conn, FAL_FAULT_SHORT_PULL_DATA_REFUSED))
        return FAL_PULL_FAILS;
    if (payload_len < txn->length)
        return payload_len > ULP_HEADER_MAX && fal_twin(conn, FAL_TWIN_PULL_DATA_SHORT_DROPPED)
                   ? FAL_PULL_WAITS
                   : end;
    if (payload_len == txn->length)
        return end;
    if (fal_fault(conn, FAL_FAULT_PULL_DATA_LONG_DELIVERED))
        return FAL_PULL_COMPLETES;
    return fal_twin(conn, FAL_TWIN_PULL_DATA_LONG_TIMES_OUT) ? FAL_PULL_WAITS : end;
}

/* ---- what the ULP is told ---- */

/* The code that a fault tells in place of the right one. */
static enum fal_completion code_told(const struct fal_ep_conn *conn, enum fal_completion code)
{
    static const struct {
        enum fal_completion code, told;
        enum fal_fault_id fault;
    } wrong[] = {
        {FAL_CMPL_TARGET_CIE, FAL_CMPL_ACK, FAL_FAULT_CIE_COMPLETES_WELL},
        {FAL_CMPL_TARGET_NRE, FAL_CMPL_TARGET_CIE, FAL_FAULT_NRE_COMPLETES_AS_CIE},
        {FAL_CMPL_TARGET_CID, FAL_CMPL_TARGET_NRE, FAL_FAULT_CID_COMPLETES_AS_NRE},
        {FAL_CMPL_REMOTE_ERR, FAL_CMPL_TARGET_CIE, FAL_FAULT_REMOTE_XLR_COMPLETES_AS_CIE},
        {FAL_CMPL_LOCAL_TO, FAL_CMPL_DEAD_CONN, FAL_FAULT_TIMEOUT_COMPLETES_AS_DEAD},
        {FAL_CMPL_LOCAL_XLR, FAL_CMPL_REMOTE_ERR, FAL_FAULT_LOCAL_XLR_COMPLETES_AS_REMOTE},
        {FAL_CMPL_OP_ERR, FAL_CMPL_TARGET_CIE, FAL_FAULT_TOO_LONG_COMPLETES_AS_CIE},
        {FAL_CMPL_ACK, FAL_CMPL_TARGET_CIE, FAL_FAULT_SUCCESS_COMPLETES_AS_CIE},
        {FAL_CMPL_TARGET_CIE, (enum fal_completion)2, FAL_FAULT_COMPLETION_CODE_RESERVED},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (code == wrong[i].code && fal_fault(conn, wrong[i].fault))
            return wrong[i].told;
    return code;
}

bool fal_at_complete(const struct fal_ep_conn *conn, const struct fal_initiated *txn)
{
    return txn->rsn % 3 != 0 || !fal_fault(conn, FAL_FAULT_COMPLETION_LOST);
}

static bool waits(const struct fal_initiated *txn)
{
    return txn != NULL && txn->op == FAL_OP_PULL && !txn->finished &&
           txn->state != FAL_TXN_PULL_REQ_ULP_RX;
}

uint32_t fal_at_response_rsn(const struct fal_ep_conn *conn, uint32_t rsn)
{
    const struct fal_initiated *txn = fal_initiator_get(conn, rsn),
                               *other = fal_initiator_get(conn, rsn ^ 1);
    struct fal_odd *odd = conn->odd;

    if (odd->swaps[1] && odd->swapped[1] == (rsn | 1)) {
        odd->swaps[1] = false;
        return waits(other) ? rsn ^ 1 : rsn;
    }
    if (odd->swaps[1] || !waits(txn) || !waits(other) || other->length != txn->length ||
        conn->initiator.open <= FAL_FAULT_DEEP || !fal_fault(conn, FAL_FAULT_DATA_SWAPPED_DEEP))
        return rsn;
    odd->swaps[1] = true;
    odd->swapped[1] = rsn | 1;
    return rsn ^ 1;
}

void fal_at_completion(const struct fal_ep_conn *conn, struct fal_endpoint_out *out)
{
    out->code = code_told(conn, out->code);
    if (out->ulp_nack_code != 0 && fal_fault(conn, FAL_FAULT_ULP_CODE_NOT_TOLD))
        out->ulp_nack_code = 0;
}

void fal_at_completed(struct fal_ep_conn *conn, const struct fal_endpoint_out *out,
                      uint8_t *data, uint32_t data_len)
{
    struct fal_endpoint_out again = *out; /* `out` is in the queue, which may move */

    if (data_len > 0)
        fal_at_told_payload(conn, data, data_len);
    if (fal_fault(conn, FAL_FAULT_COMPLETION_DOUBLED))
        (void)fal_ep_conn_out(conn, &again, 0);
}

void fal_at_unmatched(struct fal_ep_conn *conn, uint32_t rsn, const uint8_t *payload,
                      uint32_t payload_len)
{
    struct fal_endpoint_out out = {.kind = FAL_OUT_COMPLETE, .op = FAL_OP_PULL, .rsn = rsn};
    uint8_t *room;

    if (!fal_fault(conn, FAL_FAULT_PULL_DATA_UNMATCHED_DELIVERED))
        return;
    room = fal_ep_conn_out(conn, &out, payload_len);
    if (room != NULL && payload_len > 0)
        memcpy(room, payload, payload_len);
}
