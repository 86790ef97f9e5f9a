/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/send.h"

#include "oracles/ulp/complete.h"
#include "oracles/ulp/link.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"
#include "oracles/ulp/segment.h"

#include <stdlib.h>

/* ---- sending ---- */

static void block(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    if (qp->blocked)
        return;
    if (engine->num_blocked == engine->cap_blocked) {
        uint32_t cap = engine->cap_blocked == 0 ? 8 : 2 * engine->cap_blocked;
        uint32_t *grown = realloc(engine->blocked, cap * sizeof *grown);

        if (grown == NULL) {
            engine->out_of_memory = true;
            return;
        }
        engine->blocked = grown;
        engine->cap_blocked = cap;
    }
    engine->blocked[engine->num_blocked++] = qp->self;
    qp->blocked = true;
}

static struct fal_vb_link *link_of(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                                   const struct fal_vb_send *wqe)
{
    uint32_t conn = qp->type == FAL_VERBS_UD ? wqe->ah_conn : qp->conn;

    return fal_vb_link(engine,
                       fal_vb_either(engine, conn, fal_vb_at_connection(engine, qp, conn)));
}

/* Hands a segment to the endpoint. */
static void hand(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                 const struct fal_vb_segment *segment, uint32_t sn)
{
    struct fal_vb_send *wqe = segment->wqe;
    struct fal_vb_qp *qp = segment->qp;
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = link->conn,
                                 .op = segment->pull ? FAL_OP_PULL : FAL_OP_PUSH,
                                 .length =
                                     segment->pull ? segment->request_length : segment->len,
                                 .payload = segment->bytes,
                                 .payload_len = segment->pull ? segment->len : 0};
    struct fal_vb_open *open = fal_vb_open_add(engine, link, &in.tag);
    uint32_t rsn = 0;
    int rc;

    if (open == NULL)
        return;
    *open = (struct fal_vb_open){.used = true,
                                 .pull = segment->pull,
                                 .op = wqe->op,
                                 .qp = qp->self,
                                 .wqe = wqe->number,
                                 .sn = sn,
                                 .length = segment->length,
                                 .sink_va = segment->sink_va,
                                 .lkey = segment->lkey};
    if (segment->sink != NULL) {
        open->sink_mr = segment->sink->mr;
        open->sink_offset = segment->sink->offset + segment->sink_at;
    }
    qp->pulls += segment->pull;
    fal_vb_seam(engine, fal_vb_at_post(engine, link, segment, &in));
    rc = fal_endpoint_input(engine->config.endpoint, &in, engine->now_ns, &rsn);
    if (rc == FAL_ERR_MEM)
        engine->out_of_memory = true;
    if (wqe->segments++ == 0)
        wqe->rsn_first = rsn;
    if (rc != 0) {
        struct fal_vb_open gone;

        if (fal_vb_open_take(link, in.tag, &gone))
            fal_vb_open_failed(engine, &gone, FAL_VERBS_LOC_QP_OP);
    }
}

/* The class of messages counts each that takes a receive request, that of pulls each packet
 * (RDMA 8.3.2, AMB-R05). A Write with immediate data tells its number in its last packet. */
static void number(const struct fal_vb_segment *segment)
{
    struct fal_vb_send *wqe = segment->wqe;
    struct fal_vb_qp *qp = segment->qp;

    if (segment->pull)
        wqe->rmsn = qp->rmsn_pull++;
    else if ((fal_vb_is_send(wqe->op) && segment->first) ||
             (wqe->op == FAL_VERBS_WRITE_IMM && segment->last))
        wqe->rmsn = qp->rmsn_message++;
}

/* Nothing of the segment was sent: its number is free again. */
static void unnumber(const struct fal_vb_segment *segment)
{
    struct fal_vb_qp *qp = segment->qp;

    if (segment->pull)
        qp->rmsn_pull--;
    else if ((fal_vb_is_send(segment->wqe->op) && segment->first) ||
             (segment->wqe->op == FAL_VERBS_WRITE_IMM && segment->last))
        qp->rmsn_message--;
}

static void sent(const struct fal_vb_segment *segment)
{
    segment->wqe->sent += segment->length;
    segment->wqe->all_sent = segment->last;
}

/* The counters that number segments. */
struct counters {
    uint32_t sn, own_sn, message, pull;
};

static struct counters counters_of(const struct fal_vb_link *link, const struct fal_vb_qp *qp)
{
    return (struct counters){link->sn, qp->own_sn, qp->rmsn_message, qp->rmsn_pull};
}

/* Data or a sink of the own side cannot be used. In the mode complete-in-error the target is
 * told if it knows of the message. Else nothing is sent, and the numbers of the segment are
 * free again; `before`: the counters before it. */
static void fail_here(struct fal_verbs_engine *engine, struct fal_vb_link *link,
                      struct fal_vb_segment *segment, uint32_t sn,
                      const struct counters *before)
{
    struct fal_vb_send *wqe = segment->wqe;
    bool told =
        segment->qp->errors == FAL_VERBS_ERRORS_CIE && !segment->pull && !segment->first;

    if (!told) {
        link->sn = before->sn;
        segment->qp->own_sn = before->own_sn;
        segment->qp->rmsn_message = before->message;
        segment->qp->rmsn_pull = before->pull;
        fal_vb_send_failed(engine, segment->qp, wqe, FAL_VERBS_LOC_PROT);
        return;
    }
    unnumber(segment);
    wqe->status = FAL_VERBS_LOC_PROT;
    segment->last = true;
    number(segment);
    fal_vb_segment_in_error(engine, link, segment, sn);
    wqe->all_sent = true;
    link->sn += engine->odd == NULL;
    hand(engine, link, segment, sn);
}

/* Datagrams need none if the connection has no flow control. */
static bool credits_for(const struct fal_verbs_engine *engine, const struct fal_vb_link *link,
                        const struct fal_vb_segment *segment)
{
    bool enough = (!link->flow_control && segment->qp->type == FAL_VERBS_UD) ||
                  fal_vb_affords(engine, link, segment->pull ? FAL_SPEND_PULL : FAL_SPEND_PUSH,
                                 fal_vb_segment_size(segment));

    return fal_vb_either(engine, enough, fal_vb_at_credits(engine, link, enough));
}

/* Sends the next segment of a request. False: there are no credits now. */
static bool send_one(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                     struct fal_vb_send *wqe)
{
    struct fal_vb_link *link = link_of(engine, qp, wqe);
    struct fal_vb_segment segment;
    struct counters before;
    uint32_t sn;

    if (link == NULL || link->dead) {
        fal_vb_send_failed(engine, qp, wqe, FAL_VERBS_RETRY_EXC);
        return true;
    }
    fal_vb_segment_cut(&segment, qp, wqe);
    fal_vb_seam(engine, fal_vb_at_cut(engine, link, &segment));
    if (link->next_tag - link->first_tag >= FAL_VB_OPEN_MAX ||
        !credits_for(engine, link, &segment))
        return false;
    before = counters_of(link, qp);
    number(&segment);
    fal_vb_seam(engine, fal_vb_at_number(engine, link, &segment));
    sn = fal_vb_either(engine, link->sn, fal_vb_at_sn(engine, link, qp));
    if (!fal_vb_segment_write(engine, link, &segment, sn)) {
        fail_here(engine, link, &segment, sn, &before);
        return true;
    }
    sent(&segment);
    link->sn += engine->odd == NULL; /* else the seam has counted it */
    hand(engine, link, &segment, sn);
    return true;
}

/* The request that has something to send and may; NULL if there is none. */
static struct fal_vb_send *next_of(struct fal_vb_qp *qp)
{
    for (; qp->next < qp->sq.tail && qp->next < qp->halted; qp->next++) {
        struct fal_vb_send *wqe = fal_vb_ring_get(&qp->sq, qp->next);

        if (wqe == NULL || wqe->all_sent || wqe->done)
            continue;
        if ((wqe->flags & FAL_VERBS_FENCE) != 0 && wqe->segments == 0 && qp->pulls > 0)
            return NULL;
        return fal_vb_is_pull(wqe->op) && qp->pulls >= qp->rd_atomic ? NULL : wqe;
    }
    return NULL;
}

/* The first of two requests that may take turns. */
static struct fal_vb_send *turn_of(const struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    struct fal_vb_send *wqe = next_of(qp);

    return fal_vb_either(engine, wqe, fal_vb_at_next(engine, qp, wqe));
}

static void send_all(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    struct fal_vb_send *wqe;

    while (!engine->out_of_memory && (wqe = turn_of(engine, qp)) != NULL)
        if (!send_one(engine, qp, wqe)) {
            block(engine, qp);
            return;
        }
}

void fal_vb_pump(struct fal_verbs_engine *engine, struct fal_vb_qp *qp)
{
    if (qp->state == FAL_VERBS_RTS)
        send_all(engine, qp);
}

void fal_vb_pump_blocked(struct fal_verbs_engine *engine)
{
    uint32_t n = engine->num_blocked;

    for (uint32_t i = 0; i < n; i++)
        fal_vb_qp_get(engine, engine->blocked[i])->blocked = false;
    engine->num_blocked = 0;
    /* Those that block again come behind: each has its turn first. */
    for (uint32_t i = 0; i < n; i++) {
        struct fal_vb_qp *qp = fal_vb_qp_get(engine, engine->blocked[i]);

        fal_vb_pump(engine, qp);
    }
}

/* ---- posting ---- */

/* Operations of an unordered queue pair that are at most an MTU long (RDMA 6.4). */
static bool one_mtu_alone(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                          const struct fal_verbs *ask)
{
    return qp->ordering == FAL_VERBS_UNORDERED &&
           (fal_vb_is_send(ask->op) || (ask->op == FAL_VERBS_WRITE_IMM &&
                                        !fal_vb_twin(engine, FAL_TWIN_WRITE_IMM_ANY_SIZE))) &&
           fal_vb_either(engine, true, fal_vb_at_mode(engine));
}

/* Messages longer than an MTU that the queue pair does not send (RDMA 6.4). */
static bool too_long(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                     const struct fal_verbs *ask, uint64_t length)
{
    bool much;

    if (length <= qp->path_mtu)
        return false;
    much = qp->type == FAL_VERBS_UD || one_mtu_alone(engine, qp, ask);
    return fal_vb_either(engine, much, fal_vb_at_too_long(engine, qp, ask->op, much));
}

static int check_reach(const struct fal_vb_qp *qp, const struct fal_verbs *ask, uint64_t length,
                       struct fal_error *err)
{
    bool remote = !fal_vb_is_send(ask->op),
         atomic = ask->op == FAL_VERBS_CAS || ask->op == FAL_VERBS_FAA;

    if (qp->type == FAL_VERBS_UD && ask->op != FAL_VERBS_SEND && ask->op != FAL_VERBS_SEND_IMM)
        return fal_fail(err, FAL_ERR_RANGE, "op %s: UD has send and send_imm alone (RDMA 6.4)",
                        fal_verbs_op_names[ask->op]);
    if (qp->type == FAL_VERBS_XRC_TGT)
        return fal_fail(err, FAL_ERR_RANGE, "qp '%s': an XRC target queue pair sends nothing",
                        ask->qp);
    if (ask->srqn > FAL_VB_NUMBER_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "srqn %u: it has 24 bits", ask->srqn);
    if (remote && !ask->has_remote)
        return fal_fail(err, FAL_ERR_FORM, "remote: %s needs it", fal_verbs_op_names[ask->op]);
    if (atomic && (ask->num_sge != 1 || length != 8))
        return fal_fail(err, FAL_ERR_RANGE, "sgl: %s needs one entry of 8 bytes",
                        fal_verbs_op_names[ask->op]);
    if (length > INT32_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "sgl: %llu bytes; expected at most 2^31 - 1",
                        (unsigned long long)length);
    return 0;
}

/* UD: the connection and the queue pair at its other end. */
static int check_address(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                         const struct fal_verbs *ask, uint32_t *conn, struct fal_error *err)
{
    const struct fal_vb_ah *ah;
    uint32_t number = 0;
    int rc;

    *conn = qp->conn;
    if (qp->type != FAL_VERBS_UD)
        return 0;
    rc = fal_vb_find(engine, FAL_VB_AH, ask->ah, "ah", &number, err);
    if (rc != 0)
        return rc;
    ah = fal_vb_row(&engine->ahs, number);
    *conn = ah->conn;
    if (ah->pd != qp->pd)
        return fal_fail(err, FAL_ERR_RANGE, "ah '%s': it is of another protection domain",
                        ask->ah);
    if (ask->dest_qpn > FAL_VB_NUMBER_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "dest_qpn %u: it has 24 bits", ask->dest_qpn);
    return 0;
}

static struct fal_vb_send *new_send(const struct fal_vb_qp *qp, const struct fal_verbs *ask,
                                    uint32_t conn)
{
    struct fal_vb_send *wqe = calloc(1, sizeof *wqe + ask->num_sge * sizeof(struct fal_vb_sge));

    if (wqe == NULL)
        return NULL;
    *wqe = (struct fal_vb_send){
        .number = qp->sq.tail,
        .wr_id = ask->wr_id,
        .op = (uint8_t)ask->op,
        .flags = (uint8_t)ask->flags,
        .va = ask->remote.va,
        .rkey = ask->remote.rkey,
        .imm = ask->imm,
        .inv = ask->inv,
        .qkey = ask->qkey,
        .compare = ask->compare,
        .swap_or_add = ask->op == FAL_VERBS_CAS ? ask->swap : ask->add,
        .dest_qpn = ask->dest_qpn,
        .srqn = ask->srqn,
        .ah_conn = conn,
        .length = (uint32_t)fal_verbs_length(ask),
        .num_sge = (uint16_t)ask->num_sge,
    };
    return wqe;
}

static int check_length(const struct fal_verbs_engine *engine, const struct fal_vb_qp *qp,
                        const struct fal_verbs *ask, struct fal_error *err)
{
    if (!too_long(engine, qp, ask, fal_verbs_length(ask)) ||
        fal_vb_either(engine, false, fal_vb_at_long_taken(engine)))
        return 0;
    return fal_fail(err, FAL_ERR_RANGE,
                    "sgl: %llu bytes; this queue pair sends at most %u with %s "
                    "(RDMA 6.4)",
                    (unsigned long long)fal_verbs_length(ask), qp->path_mtu,
                    fal_verbs_op_names[ask->op]);
}

static int check_queue(const struct fal_vb_qp *qp, const struct fal_verbs *ask,
                       struct fal_error *err)
{
    if (qp->state == FAL_VERBS_OTHER)
        return fal_fail(err, FAL_ERR_RANGE, "qp '%s': it is not connected; use qp_connect",
                        ask->qp);
    if (qp->state == FAL_VERBS_RTS && qp->sq.tail - qp->sq.head >= qp->sq_max)
        return fal_fail(err, FAL_VERBS_BUSY, "qp '%s': its send queue is full", ask->qp);
    return 0;
}

/* Sends what may be sent of a request that is in the queue, and tells its RSNs if that is all
 * of it. In the error state it is flushed at once (RDMA 6.3). */
static void start(struct fal_verbs_engine *engine, struct fal_vb_qp *qp,
                  struct fal_vb_send *wqe, const struct fal_verbs *ask,
                  struct fal_verbs *answer)
{
    uint64_t at = wqe->number;
    bool sends = qp->state == FAL_VERBS_RTS;

    if (too_long(engine, qp, ask, wqe->length) && sends) {
        fal_vb_send_failed(engine, qp, wqe, FAL_VERBS_LOC_LEN);
        return;
    }
    if (!fal_vb_either(engine, sends, fal_vb_at_sends(engine, qp, sends))) {
        fal_vb_sq_flush(engine, qp);
        return;
    }
    send_all(engine, qp);
    wqe = fal_vb_ring_get(&qp->sq, at);
    answer->has_rsn = wqe != NULL && wqe->all_sent && wqe->segments > 0;
    if (answer->has_rsn) {
        answer->rsn_first = wqe->rsn_first;
        answer->rsn_count = wqe->segments;
    }
}

int fal_vb_post_send(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_verbs *answer, struct fal_error *err)
{
    struct fal_vb_send *wqe = NULL;
    struct fal_vb_qp *qp = NULL;
    uint32_t number_of = 0, conn = 0;
    int rc = fal_vb_find(engine, FAL_VB_QP, ask->qp, "qp", &number_of, err);

    if (rc != 0)
        return rc;
    qp = fal_vb_qp_get(engine, number_of);
    rc = check_queue(qp, ask, err);
    if (rc == 0)
        rc = check_reach(qp, ask, fal_verbs_length(ask), err);
    if (rc == 0)
        rc = check_length(engine, qp, ask, err);
    if (rc == 0)
        rc = check_address(engine, qp, ask, &conn, err);
    if (rc != 0)
        return rc;
    wqe = new_send(qp, ask, conn);
    if (wqe == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = fal_vb_list_read(engine, ask, qp->sge, wqe->sgl, err);
    if (rc == 0 && fal_vb_ring_put(&qp->sq, wqe->number, wqe) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (rc != 0) {
        free(wqe);
        return rc;
    }
    start(engine, qp, wqe, ask, answer);
    return 0;
}
