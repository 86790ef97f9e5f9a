/* SPDX-License-Identifier: Apache-2.0
 * events.c - what the device tells: completions, notifications of CQs, asynchronous errors. */
#include "vendor.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 16 };

uint64_t va_now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* The work that a completion ends. Unsignaled works before it on an ordered QP have ended too.
 */
static struct va_work *take_work(struct va_qp *qp, uint64_t id)
{
    struct va_work *work = va_work_take(&qp->sent, id);

    if (work != NULL) {
        while (qp->ordering != VA_UNORDERED && qp->sent.first != NULL &&
               !qp->sent.first->signaled && qp->sent.first->id < id)
            free(va_work_take(&qp->sent, qp->sent.first->id));
        return work;
    }
    work = va_work_take(&qp->received, id);
    return work == NULL && qp->srq != NULL ? va_work_take(&qp->srq->received, id) : work;
}

/* The opcode of a good completion. That of a bad one is undefined in libibverbs: the work has
 * it. */
static const char *opcode_of(const struct ibv_wc *wc, const struct va_work *work)
{
    if (wc->status == IBV_WC_SUCCESS && wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
        return "recv_imm";
    return work->opcode;
}

static void tell_wc(struct va_device *device, const struct va_cq *cq, const struct ibv_wc *wc)
{
    struct va_qp *qp = va_qp_of_number(device, wc->qp_num);
    struct va_work *work = qp != NULL ? take_work(qp, wc->wr_id) : NULL;
    bool received = wc->status == IBV_WC_SUCCESS && (wc->opcode & IBV_WC_RECV) != 0;
    json_t *event;

    if (work == NULL)
        return; /* of a QP that is gone */
    if (work->own) {
        qp->bound = (int)wc->status;
        free(work);
        return;
    }
    event = json_pack("{s:s, s:s, s:o, s:i, s:s}", "cq", cq->head.name, "qp", qp->head.name,
                      "wr_id", va_wide(work->wr_id), "status", (int)wc->status, "opcode",
                      opcode_of(wc, work));
    if (wc->status == IBV_WC_SUCCESS)
        (void)json_object_set_new(event, "byte_len", json_integer(wc->byte_len));
    if (received && wc->wc_flags & IBV_WC_WITH_IMM)
        (void)json_object_set_new(event, "imm", json_integer(ntohl(wc->imm_data)));
    if (received && wc->wc_flags & IBV_WC_WITH_INV)
        (void)json_object_set_new(event, "inv", json_integer(wc->invalidated_rkey));
    if (received && qp->ud)
        (void)json_object_set_new(event, "src_qp", json_integer(wc->src_qp));
    talon_client_event(device->client, "wc", event);
    free(work);
}

static bool poll_cq(struct va_device *device, struct va_cq *cq)
{
    struct ibv_wc wc[BATCH];
    bool any = false;
    int n;

    while ((n = ibv_poll_cq(cq->cq, BATCH, wc)) > 0) {
        for (int i = 0; i < n; i++)
            tell_wc(device, cq, &wc[i]);
        any = true;
    }
    return any;
}

static bool poll_channel(struct va_device *device)
{
    struct ibv_cq *told;
    void *cq;
    bool any = false;

    while (ibv_get_cq_event(device->channel, &told, &cq) == 0) {
        ibv_ack_cq_events(told, 1);
        talon_client_event(device->client, "cq_event",
                           json_pack("{s:s}", "cq", ((struct va_cq *)cq)->head.name));
        any = true;
    }
    return any;
}

static const char *const async_names[] = {
    [IBV_EVENT_CQ_ERR] = "cq_err",
    [IBV_EVENT_QP_FATAL] = "qp_fatal",
    [IBV_EVENT_QP_REQ_ERR] = "qp_req_err",
    [IBV_EVENT_QP_ACCESS_ERR] = "qp_access_err",
    [IBV_EVENT_COMM_EST] = "comm_est",
    [IBV_EVENT_SQ_DRAINED] = "sq_drained",
    [IBV_EVENT_PATH_MIG] = "path_mig",
    [IBV_EVENT_PATH_MIG_ERR] = "path_mig_err",
    [IBV_EVENT_DEVICE_FATAL] = "device_fatal",
    [IBV_EVENT_PORT_ACTIVE] = "port_active",
    [IBV_EVENT_PORT_ERR] = "port_err",
    [IBV_EVENT_LID_CHANGE] = "lid_change",
    [IBV_EVENT_PKEY_CHANGE] = "pkey_change",
    [IBV_EVENT_SM_CHANGE] = "sm_change",
    [IBV_EVENT_SRQ_ERR] = "srq_err",
    [IBV_EVENT_SRQ_LIMIT_REACHED] = "srq_limit_reached",
    [IBV_EVENT_QP_LAST_WQE_REACHED] = "qp_last_wqe_reached",
    [IBV_EVENT_CLIENT_REREGISTER] = "client_reregister",
    [IBV_EVENT_GID_CHANGE] = "gid_change",
};

static bool about_qp(enum ibv_event_type type)
{
    return type == IBV_EVENT_QP_FATAL || type == IBV_EVENT_QP_REQ_ERR ||
           type == IBV_EVENT_QP_ACCESS_ERR || type == IBV_EVENT_COMM_EST ||
           type == IBV_EVENT_SQ_DRAINED || type == IBV_EVENT_PATH_MIG ||
           type == IBV_EVENT_PATH_MIG_ERR || type == IBV_EVENT_QP_LAST_WQE_REACHED;
}

static bool poll_async(struct va_device *device)
{
    struct ibv_async_event told;
    bool any = false;

    while (ibv_get_async_event(device->context, &told) == 0) {
        size_t type = (size_t)told.event_type;
        const char *what =
            type < sizeof async_names / sizeof *async_names && async_names[type] != NULL
                ? async_names[type]
                : "other";
        json_t *event = json_pack("{s:s}", "what", what);
        const struct va_qp *qp = about_qp(told.event_type) ? told.element.qp->qp_context : NULL;

        if (qp != NULL)
            (void)json_object_set_new(event, "qp", json_string(qp->head.name));
        ibv_ack_async_event(&told);
        talon_client_event(device->client, "async", event);
        any = true;
    }
    return any;
}

bool va_poll(struct va_device *device)
{
    bool any = false;

    for (struct va_head *o = device->objects; o != NULL; o = o->next)
        if (o->kind == VA_CQ)
            any |= poll_cq(device, (struct va_cq *)o);
    any |= poll_channel(device);
    any |= poll_async(device);
    return any;
}

static bool has_qp(const struct va_device *device)
{
    for (const struct va_head *o = device->objects; o != NULL; o = o->next)
        if (o->kind == VA_QP)
            return true;
    return false;
}

void va_settle(struct va_device *device)
{
    uint64_t start = va_now_ns(), quiet = start, now = start;

    if (va_vendor()->settle != NULL) {
        va_vendor()->settle(device);
        (void)va_poll(device);
        return;
    }
    if (!has_qp(device)) { /* nothing can come */
        (void)va_poll(device);
        return;
    }
    while (now - quiet < device->settle_ns && now - start < UINT64_C(1000000000)) {
        if (va_poll(device))
            quiet = va_now_ns();
        else
            (void)usleep(100); /* soft devices need the processor too */
        now = va_now_ns();
    }
}

enum talon_client_done va_barrier(void *ctx, const json_t *command, json_t *reply,
                                  const char **why)
{
    (void)command, (void)reply, (void)why;
    va_settle(ctx);
    return TALON_CLIENT_DONE;
}
