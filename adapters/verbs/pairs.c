/* SPDX-License-Identifier: Apache-2.0
 * pairs.c - queue pairs: qp_create, qp_connect, qp_query. */
#include "vendor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    RETRIES = 7, /* tried again seven times; RNR without an end */
    ATTEMPTS = 5 /* to find the address of a peer, each of a second */
};

/* The waits that an RNR answer can ask for, in microseconds [IB]: code 0 is the longest. */
static const uint32_t rnr_us[32] = {
    655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
    480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
    20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};

uint64_t va_rnr_ns(uint8_t code)
{
    return rnr_us[code & 31] * UINT64_C(1000);
}

static uint8_t rnr_code(uint64_t ns)
{
    for (uint8_t i = 1; i < 32; i++)
        if (va_rnr_ns(i) >= ns)
            return i;
    return 0;
}

static const char *const orderings[] = {"strong", "weak", "unordered"};
static const char *const errors[] = {"verbs", "cie"};

struct wish {
    struct va_pd *pd;
    struct va_cq *send_cq, *recv_cq;
    struct va_srq *srq;
    unsigned type, ordering, errors;
    uint64_t path_mtu, qkey, sq, rq, sge, rd_atomic, rnr_ns;
};

static bool read_numbers(const struct va_args *args, struct wish *wish)
{
    const struct {
        const char *key;
        struct va_range range;
        uint64_t *out;
    } numbers[] = {{"qkey", {0, UINT32_MAX, true, VA_QKEY}, &wish->qkey},
                   {"path_mtu", {0, 4096, true, 1024}, &wish->path_mtu},
                   {"sq", {0, 65536, true, 64}, &wish->sq},
                   {"rq", {0, 65536, true, 64}, &wish->rq},
                   {"sge", {0, VA_SGE_MAX, true, 4}, &wish->sge},
                   {"rd_atomic", {0, 255, true, 16}, &wish->rd_atomic},
                   {"rnr_ns", {0, UINT64_MAX, true, 640000}, &wish->rnr_ns}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!va_number(args, numbers[i].key, numbers[i].range, numbers[i].out))
            return false;
        if (i > 0 && *numbers[i].out == 0) /* the adapter chooses */
            *numbers[i].out = numbers[i].range.otherwise;
    }
    if ((wish->path_mtu & (wish->path_mtu - 1)) == 0 && wish->path_mtu >= 256)
        return true;
    (void)va_fail(args->device, args->why, "path_mtu: expected 256, 512, 1024, 2048 or 4096");
    return false;
}

static bool read_wish(const struct va_args *args, struct wish *wish)
{
    static const char *const types[] = {"rc", "ud", "xrc_ini", "xrc_tgt"};

    if (!va_choose(args, "type", (struct va_choice){types, 4, true}, &wish->type) ||
        !va_choose(args, "ordering", (struct va_choice){orderings, 3, true}, &wish->ordering) ||
        !va_choose(args, "errors", (struct va_choice){errors, 2, true}, &wish->errors) ||
        (wish->pd = va_object(args, "pd", VA_PD, false)) == NULL ||
        (wish->send_cq = va_object(args, "send_cq", VA_CQ, false)) == NULL ||
        (wish->recv_cq = va_object(args, "recv_cq", VA_CQ, false)) == NULL ||
        !read_numbers(args, wish))
        return false;
    *args->why = NULL;
    wish->srq = va_object(args, "srq", VA_SRQ, true);
    return *args->why == NULL;
}

static enum ibv_mtu mtu_code(uint64_t bytes)
{
    enum ibv_mtu code = IBV_MTU_256;

    while (code < IBV_MTU_4096 && (UINT64_C(128) << code) < bytes)
        code++;
    return code;
}

/* From RESET to INIT; a UD QP needs no peer and goes on to RTS. */
static int begin(struct va_qp *qp, const struct wish *wish)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = 1,
                               .qkey = (uint32_t)wish->qkey,
                               .qp_access_flags = IBV_ACCESS_REMOTE_READ |
                                                  IBV_ACCESS_REMOTE_WRITE |
                                                  IBV_ACCESS_REMOTE_ATOMIC};
    int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
    int error =
        ibv_modify_qp(qp->qp, &attr, mask | (qp->ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));

    if (!qp->ud || error != 0)
        return error;
    attr.qp_state = IBV_QPS_RTR;
    error = ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
    if (error != 0)
        return error;
    attr.qp_state = IBV_QPS_RTS;
    return ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static int create(struct va_device *device, struct va_qp *qp, const struct wish *wish)
{
    struct ibv_qp_init_attr attr = {.qp_context = qp,
                                    .send_cq = wish->send_cq->cq,
                                    .recv_cq = wish->recv_cq->cq,
                                    .srq = wish->srq != NULL ? wish->srq->srq : NULL,
                                    .qp_type = wish->type == 1 ? IBV_QPT_UD : IBV_QPT_RC,
                                    .cap = {.max_send_wr = (uint32_t)wish->sq,
                                            .max_recv_wr = (uint32_t)wish->rq,
                                            .max_send_sge = (uint32_t)wish->sge,
                                            .max_recv_sge = (uint32_t)wish->sge}};
    enum ibv_mtu active = device->port.active_mtu;

    errno = 0;
    qp->qp = ibv_create_qp(wish->pd->pd, &attr);
    if (qp->qp == NULL)
        return errno != 0 ? errno : ENOMEM;
    qp->ud = wish->type == 1;
    qp->srq = wish->srq;
    qp->ordering = (enum va_ordering)wish->ordering;
    qp->errors = (enum va_errors)wish->errors;
    qp->cap = attr.cap;
    qp->mtu = mtu_code(wish->path_mtu);
    if (qp->mtu > active)
        qp->mtu = active;
    qp->rd_atomic = (uint8_t)wish->rd_atomic;
    qp->rnr_code = rnr_code(wish->rnr_ns);
    va_add(device, &qp->head, VA_QP);
    return 0;
}

static void describe(const struct va_qp *qp, json_t *reply)
{
    const struct {
        const char *key;
        uint64_t value;
    } members[] = {{"qpn", qp->qp->qp_num},
                   {"path_mtu", UINT64_C(128) << qp->mtu},
                   {"sq", qp->cap.max_send_wr},
                   {"rq", qp->cap.max_recv_wr},
                   {"sge", qp->cap.max_recv_sge < qp->cap.max_send_sge && qp->srq == NULL
                               ? qp->cap.max_recv_sge
                               : qp->cap.max_send_sge},
                   {"rd_atomic", qp->rd_atomic},
                   {"rnr_ns", va_rnr_ns(qp->rnr_code)}};

    (void)json_object_set_new(reply, "qp", json_string(qp->head.name));
    (void)json_object_set_new(reply, "ordering", json_string(orderings[qp->ordering]));
    (void)json_object_set_new(reply, "errors", json_string(errors[qp->errors]));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        (void)json_object_set_new(reply, members[i].key,
                                  json_integer((json_int_t)members[i].value));
}

enum talon_client_done va_qp_create(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct wish wish;
    enum talon_client_done done = TALON_CLIENT_FAILED;
    struct va_qp *qp;
    int error;

    if (!read_wish(&args, &wish))
        return TALON_CLIENT_FAILED;
    if (wish.type > 1) {
        *why = "type: this adapter has no XRC";
        return TALON_CLIENT_UNSUPPORTED;
    }
    qp = calloc(1, sizeof *qp);
    if (qp == NULL)
        return va_fail(device, why, "qp_create: out of memory");
    error = create(device, qp, &wish);
    if (error != 0) {
        free(qp);
        return va_fail(device, why, "qp_create: the device refuses it: %s", strerror(error));
    }
    error = begin(qp, &wish);
    if (error == 0)
        done = va_vendor()->mode(device, qp, why);
    else
        (void)va_fail(device, why, "qp_create: the device refuses INIT: %s", strerror(error));
    if (done != TALON_CLIENT_DONE) {
        (void)va_remove(device, &qp->head);
        return done;
    }
    describe(qp, reply);
    return TALON_CLIENT_DONE;
}

/* A modification that may have to find the peer's address first. The kernel ends it with
 * ETIMEDOUT where a neighbor does not answer within a second, so one lost question is enough:
 * it is asked again. */
static int modify(struct va_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    int error = 0;

    for (int i = 0; i < ATTEMPTS; i++) {
        error = ibv_modify_qp(qp->qp, attr, mask);
        if (error != ETIMEDOUT)
            break;
    }
    return error;
}

/* From INIT to RTR to RTS, each as the vendor's hook changes it. */
static enum talon_client_done connect_to(struct va_device *device, struct va_qp *qp,
                                         struct va_conn *conn, uint32_t dest_qpn,
                                         const char **why)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = qp->mtu,
        .dest_qp_num = dest_qpn,
        .rq_psn = conn->peer.req_psn & 0xffffff,
        .sq_psn = conn->local.req_psn & 0xffffff,
        .max_dest_rd_atomic = qp->rd_atomic,
        .max_rd_atomic = qp->rd_atomic,
        .min_rnr_timer = qp->rnr_code,
        .timeout = device->ack_timeout,
        .retry_cnt = RETRIES,
        .rnr_retry = RETRIES,
        .ah_attr = {.is_global = 1,
                    .port_num = 1,
                    .grh = {.dgid = conn->gid,
                            .sgid_index = device->gid_index,
                            .hop_limit = 64}},
    };
    static const int masks[] = {IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
                                    IBV_QP_MIN_RNR_TIMER,
                                IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC};
    static const enum ibv_qp_state states[] = {IBV_QPS_RTR, IBV_QPS_RTS};

    for (int i = 0; i < 2; i++) {
        enum talon_client_done done;
        int error;

        attr.qp_state = states[i];
        done = va_vendor()->connect(device, qp, conn, &attr, why);
        if (done != TALON_CLIENT_DONE)
            return done;
        error = modify(qp, &attr, masks[i]);
        if (error != 0)
            return va_fail(device, why, "qp: the device refuses %s to %s: %s",
                           i == 0 ? "RTR" : "RTS", qp->head.name, strerror(error));
    }
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_qp_connect(void *ctx, const json_t *command, json_t *reply,
                                     const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_qp *qp = va_object(&args, "qp", VA_QP, false);
    struct va_conn *conn = qp != NULL ? va_object(&args, "conn", VA_CONN, false) : NULL;
    enum talon_client_done done;
    uint64_t dest;

    (void)reply;
    if (conn == NULL || !va_number(&args, "dest_qpn",
                                   (struct va_range){.max = 0xffffff, .optional = true}, &dest))
        return TALON_CLIENT_FAILED;
    if (qp->ud)
        return va_fail(device, why, "qp: %s is a ud QP; expected an rc QP. Use ah_create",
                       qp->head.name);
    if (qp->conn != NULL)
        return va_fail(device, why, "qp: %s is connected already", qp->head.name);
    for (struct va_head *o = device->objects; o != NULL; o = o->next)
        if (o->kind == VA_QP && ((struct va_qp *)o)->conn == conn)
            return va_fail(device, why, "conn: %s has the rc QP %s already (RDMA 6.6.1)",
                           conn->head.name, o->name);
    done = connect_to(device, qp, conn, (uint32_t)dest, why);
    if (done == TALON_CLIENT_DONE)
        qp->conn = conn;
    return done;
}

enum talon_client_done va_qp_query(void *ctx, const json_t *command, json_t *reply,
                                   const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_qp *qp = va_object(&args, "qp", VA_QP, false);
    struct ibv_qp_init_attr init;
    struct ibv_qp_attr attr;
    const char *state;
    int error;

    if (qp == NULL)
        return TALON_CLIENT_FAILED;
    error = ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init);
    if (error != 0)
        return va_fail(device, why, "qp: %s cannot be queried: %s", qp->head.name,
                       strerror(error));
    state = attr.qp_state == IBV_QPS_RTS   ? "rts"
            : attr.qp_state == IBV_QPS_SQE ? "sqe"
            : attr.qp_state == IBV_QPS_ERR ? "err"
                                           : "other";
    (void)json_object_set_new(reply, "state", json_string(state));
    return TALON_CLIENT_DONE;
}
