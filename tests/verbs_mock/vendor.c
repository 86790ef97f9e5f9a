/* SPDX-License-Identifier: Apache-2.0
 * vendor.c - the hooks of the adapter for the mock device, in place of adapters/verbs/vendor.c:
 * an example of what a vendor of a Falcon NIC fills in. */
#include "harness/claims/ics.h"
#include "tests/verbs_mock/mock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void declare(json_t *ics)
{
    struct tl_ics builtin;
    json_t *items;

    tl_ics_builtin(&builtin);
    items = tl_ics_items(&builtin);
    (void)json_object_update(ics, items);
    json_decref(items);
}

static enum talon_client_done refused(struct va_device *device, int error, const char **why)
{
    (void)va_fail(device, why, "%s", mock_device()->why);
    return error == ENOMEM       ? TALON_CLIENT_BUSY
           : error == EOPNOTSUPP ? TALON_CLIENT_UNSUPPORTED
                                 : TALON_CLIENT_FAILED;
}

static uint32_t member(const json_t *end, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(end, key));
}

/* The address of the peer has the handle of the connection, for ibv_create_ah. */
static enum talon_client_done open_conn(struct va_device *device, struct va_conn *conn,
                                        const json_t *command, json_t *reply, const char **why)
{
    static const char *const taken[] = {"params", "security"};
    struct mock *mock = mock_device();
    int error = mock_ask(mock, json_deep_copy(command));
    const json_t *local = json_object_get(mock->reply, "local");
    const char *name = json_string_value(json_object_get(mock->reply, "conn"));

    if (error != 0 || name == NULL)
        return refused(device, error, why);
    conn->local = (struct va_end){member(local, "cid"), member(local, "function"),
                                  member(local, "req_psn"), member(local, "data_psn"),
                                  member(local, "rsn")};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (json_object_get(mock->reply, taken[i]) != NULL)
            (void)json_object_set(reply, taken[i], json_object_get(mock->reply, taken[i]));
    memset(&conn->gid, 0, sizeof conn->gid);
    (void)snprintf((char *)conn->gid.raw, sizeof conn->gid.raw, "%s", name);
    conn->own = strdup(name);
    mock_made(mock);
    return conn->own != NULL ? TALON_CLIENT_DONE : TALON_CLIENT_FAILED;
}

static void close_conn(struct va_device *device, struct va_conn *conn)
{
    struct mock *mock = mock_device();

    (void)device;
    (void)mock_ask(mock, json_pack("{s:s, s:s}", "do", "close", "conn", (char *)conn->own));
    free(conn->own);
    mock_ended(mock);
}

/* The engine makes a queue pair with its mode, so that it is made here. */
static enum talon_client_done mode(struct va_device *device, struct va_qp *qp, const char **why)
{
    struct mock_qp *own = (struct mock_qp *)qp->qp;
    struct fal_verbs answer,
        ask = {.kind = FAL_VERBS_QP_CREATE,
               .type = qp->ud ? FAL_VERBS_UD : FAL_VERBS_RC,
               .ordering = (enum fal_verbs_ordering)qp->ordering,
               .errors = (enum fal_verbs_errors)qp->errors,
               .path_mtu = 128U << qp->mtu,
               .qkey = own->qkey,
               .has_qkey = qp->ud,
               .sq = qp->cap.max_send_wr,
               .rq = qp->cap.max_recv_wr,
               .sge = qp->cap.max_send_sge < FAL_VERBS_SGE_MAX ? qp->cap.max_send_sge
                                                               : FAL_VERBS_SGE_MAX,
               .rd_atomic = qp->rd_atomic,
               .rnr_ns = va_rnr_ns(qp->rnr_code)};
    int error;

    memcpy(ask.pd, ((struct mock_pd *)qp->qp->pd)->name, sizeof ask.pd);
    memcpy(ask.send_cq, ((struct mock_cq *)qp->qp->send_cq)->name, sizeof ask.send_cq);
    memcpy(ask.recv_cq, ((struct mock_cq *)qp->qp->recv_cq)->name, sizeof ask.recv_cq);
    if (qp->qp->srq != NULL)
        memcpy(ask.srq, ((struct mock_srq *)qp->qp->srq)->name, sizeof ask.srq);
    error = mock_word(mock_device(), &ask, &answer);
    if (error != 0)
        return refused(device, error, why);
    memcpy(own->name, answer.qp, sizeof own->name);
    own->qp.qp_num = answer.qpn;
    qp->cap.max_send_wr = answer.sq;
    qp->cap.max_recv_wr = answer.rq;
    qp->cap.max_send_sge = qp->cap.max_recv_sge = answer.sge;
    qp->rd_atomic = (uint8_t)answer.rd_atomic;
    return TALON_CLIENT_DONE;
}

static enum talon_client_done connect_qp(struct va_device *device, struct va_qp *qp,
                                         struct va_conn *conn, struct ibv_qp_attr *attr,
                                         const char **why)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CONNECT, .dest_qpn = attr->dest_qp_num};
    int error;

    if (attr->qp_state != IBV_QPS_RTR)
        return TALON_CLIENT_DONE;
    memcpy(ask.qp, ((struct mock_qp *)qp->qp)->name, sizeof ask.qp);
    (void)snprintf(ask.conn, sizeof ask.conn, "%s", (char *)conn->own);
    error = mock_word(mock_device(), &ask, NULL);
    return error == 0 ? TALON_CLIENT_DONE : refused(device, error, why);
}

/* In virtual time, all that has arrived is processed. */
static void settle(struct va_device *device)
{
    (void)device;
}

static enum talon_client_done counters(struct va_device *device, json_t *reply,
                                       const char **why)
{
    static const char *const names[] = {"frames_received", "frames_sent"};
    struct mock *mock = mock_device();
    int error = mock_ask(mock, json_pack("{s:s}", "do", "counters"));

    if (error != 0)
        return refused(device, error, why);
    for (size_t i = 0; i < 2; i++)
        (void)json_object_set(reply, names[i], json_object_get(mock->reply, names[i]));
    return TALON_CLIENT_DONE;
}

const struct va_vendor *va_vendor(void)
{
    static const struct va_vendor talon = {.vendor = "Talon",
                                           .product = "mock provider",
                                           .firmware = "0",
                                           .serial = "0",
                                           .ordered_events = true,
                                           .declare = declare,
                                           .open = open_conn,
                                           .close = close_conn,
                                           .mode = mode,
                                           .connect = connect_qp,
                                           .settle = settle,
                                           .counters = counters};

    return &talon;
}
