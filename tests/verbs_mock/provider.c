/* SPDX-License-Identifier: Apache-2.0
 * provider.c - the functions of libibverbs that the adapter calls: the device, its objects, and
 * what it tells. */
#include "tests/verbs_mock/mock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mock *mock_device(void)
{
    static struct mock mock;

    return &mock;
}

/* Ends the list of objects at `*head` for `object`. */
#define UNLINK(head, object)           \
    do {                               \
        while (*(head) != (object))    \
            (head) = &(*(head))->next; \
        *(head) = (object)->next;      \
    } while (0)

/* ---- the device ---- */

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    struct mock *mock = mock_device();

    if (list == NULL)
        return NULL;
    memcpy(mock->device.name, "talon0", sizeof "talon0");
    list[0] = &mock->device;
    *n = 1;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
    return device->name;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct mock_cq *own = (struct mock_cq *)cq;
    int got = 0;

    while (got < n && own->first < own->count)
        wc[got++] = own->wc[own->first++];
    return got;
}

static int arm(struct ibv_cq *cq, int solicited_only)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_CQ_ARM, .solicited_only = solicited_only != 0};

    memcpy(ask.cq, ((struct mock_cq *)cq)->name, sizeof ask.cq);
    return mock_word(mock_device(), &ask, NULL);
}

/* The engine's region whose key the window has; a bind makes it show a part of another. */
static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct mock_mw *mw = calloc(1, sizeof *mw);
    struct fal_verbs answer,
        ask = {.kind = FAL_VERBS_MR_REG, .length = 1, .access = FAL_VERBS_INVALIDATE};

    if (mw == NULL)
        return NULL;
    memcpy(ask.pd, ((struct mock_pd *)pd)->name, sizeof ask.pd);
    errno = mock_word(mock_device(), &ask, &answer);
    if (errno != 0) {
        free(mw);
        return NULL;
    }
    memcpy(mw->name, answer.mr, sizeof mw->name);
    mw->mw =
        (struct ibv_mw){.context = pd->context, .pd = pd, .rkey = answer.rkey, .type = type};
    mock_made(mock_device());
    return &mw->mw;
}

static int dereg(const char *region)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_DEREG};

    mock_memory_end(mock_device(), region);
    memcpy(ask.mr, region, sizeof ask.mr);
    return mock_word(mock_device(), &ask, NULL);
}

static int dealloc_mw(struct ibv_mw *mw)
{
    int error = dereg(((struct mock_mw *)mw)->name);

    free(mw);
    mock_ended(mock_device());
    return error;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct mock *mock = mock_device();
    struct ibv_context *context = &mock->context.context;

    if (pipe(mock->pipe) != 0)
        return NULL;
    context->device = device;
    context->async_fd = mock->pipe[0];
    context->ops.poll_cq = poll_cq;
    context->ops.req_notify_cq = arm;
    context->ops.post_send = mock_post_send;
    context->ops.post_recv = mock_post_recv;
    context->ops.post_srq_recv = mock_post_srq_recv;
    context->ops.alloc_mw = alloc_mw;
    context->ops.dealloc_mw = dealloc_mw;
    return context;
}

int ibv_close_device(struct ibv_context *context)
{
    struct mock *mock = mock_device();

    (void)context;
    (void)close(mock->pipe[0]);
    (void)close(mock->pipe[1]);
    if (mock->sut != NULL)
        tl_sut_free(mock->sut);
    json_decref(mock->reply);
    free(mock->line);
    return 0;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port,
                   struct _compat_ibv_port_attr *attr)
{
    (void)context, (void)port;
    ((struct ibv_port_attr *)(void *)attr)->active_mtu = IBV_MTU_4096;
    return 0;
}

/* ---- what it tells ---- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    struct ibv_comp_channel *channel = calloc(1, sizeof *channel);

    if (channel != NULL)
        *channel = (struct ibv_comp_channel){.context = context, .fd = context->async_fd};
    return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    free(channel);
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
    (void)channel;
    for (struct mock_cq *own = mock_device()->cqs; own != NULL; own = own->next)
        if (own->told) {
            own->told = false;
            *cq = &own->cq;
            *context = own->cq.cq_context;
            return 0;
        }
    return -1;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq, (void)n;
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct mock *mock = mock_device();

    (void)context;
    if (mock->num_async == 0)
        return -1;
    *event = mock->async[0];
    memmove(mock->async, mock->async + 1, --mock->num_async * sizeof *mock->async);
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

/* ---- objects ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    const struct fal_verbs ask = {.kind = FAL_VERBS_PD_CREATE};
    struct mock_pd *pd = calloc(1, sizeof *pd);
    struct fal_verbs answer;

    if (pd == NULL || (errno = mock_word(mock_device(), &ask, &answer)) != 0) {
        free(pd);
        return NULL;
    }
    pd->pd.context = context;
    memcpy(pd->name, answer.pd, sizeof pd->name);
    mock_made(mock_device());
    return &pd->pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    mock_ended(mock_device());
    return 0;
}

/* The live region that has all these bytes, or NULL. */
static const struct mock_mr *around(const uint8_t *bytes, size_t length)
{
    const struct mock_mr *mr = mock_device()->mrs;

    while (mr != NULL &&
           !(mr->live && bytes >= mr->bytes && bytes + length <= mr->bytes + mr->length))
        mr = mr->next;
    return mr;
}

static unsigned access_of(unsigned access)
{
    static const unsigned rights[][2] = {{IBV_ACCESS_LOCAL_WRITE, FAL_VERBS_LOCAL_WRITE},
                                         {IBV_ACCESS_REMOTE_WRITE, FAL_VERBS_REMOTE_WRITE},
                                         {IBV_ACCESS_REMOTE_READ, FAL_VERBS_REMOTE_READ},
                                         {IBV_ACCESS_REMOTE_ATOMIC, FAL_VERBS_REMOTE_ATOMIC}};
    unsigned out = 0;

    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++)
        if (access & rights[i][0])
            out |= rights[i][1];
    return out;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                unsigned access)
{
    const struct mock_mr *within = around(addr, length);
    struct fal_verbs answer, ask = {.kind = FAL_VERBS_MR_REG,
                                    .length = length,
                                    .va = iova,
                                    .has_va = true,
                                    .access = access_of(access)};
    struct mock_mr *own = calloc(1, sizeof *own);
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    struct mock *mock = mock_device();

    if (within != NULL) {
        memcpy(ask.within, within->name, sizeof ask.within);
        ask.offset = (uint64_t)((uint8_t *)addr - within->bytes);
    }
    memcpy(ask.pd, ((struct mock_pd *)pd)->name, sizeof ask.pd);
    if (mr == NULL || own == NULL || (errno = mock_word(mock, &ask, &answer)) != 0) {
        free(own);
        free(mr);
        return NULL;
    }
    *own = (struct mock_mr){.next = mock->mrs,
                            .bytes = addr,
                            .length = length,
                            .va = iova,
                            .lkey = answer.lkey,
                            .live = true};
    memcpy(own->name, answer.mr, sizeof own->name);
    mock->mrs = own;
    mock_memory_share(mock, own->name, addr);
    mr->context = pd->context;
    mr->pd = pd;
    mr->addr = addr;
    mr->length = length;
    mr->lkey = answer.lkey;
    mr->rkey = answer.rkey;
    mock_made(mock);
    return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    struct mock_mr *own = mock_device()->mrs;
    int error;

    while (own->lkey != mr->lkey)
        own = own->next;
    error = dereg(own->name);
    own->live = false;
    free(mr);
    mock_ended(mock_device());
    return error;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int depth, void *cq_context,
                             struct ibv_comp_channel *channel, int vector)
{
    const struct fal_verbs ask = {.kind = FAL_VERBS_CQ_CREATE, .depth = (uint32_t)depth};
    struct mock_cq *cq = calloc(1, sizeof *cq);
    struct mock *mock = mock_device();
    struct fal_verbs answer;

    (void)vector;
    if (cq == NULL || (errno = mock_word(mock, &ask, &answer)) != 0) {
        free(cq);
        return NULL;
    }
    cq->cq.context = context;
    cq->cq.channel = channel;
    cq->cq.cq_context = cq_context;
    memcpy(cq->name, answer.cq, sizeof cq->name);
    cq->next = mock->cqs;
    mock->cqs = cq;
    mock_made(mock);
    return &cq->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    struct mock_cq *own = (struct mock_cq *)cq, **at = &mock_device()->cqs;

    UNLINK(at, own);
    free(own->wc);
    free(own);
    mock_ended(mock_device());
    return 0;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    struct fal_verbs answer, ask = {.kind = FAL_VERBS_SRQ_CREATE, .depth = attr->attr.max_wr};
    struct mock_srq *srq = calloc(1, sizeof *srq);

    memcpy(ask.pd, ((struct mock_pd *)pd)->name, sizeof ask.pd);
    if (srq == NULL || (errno = mock_word(mock_device(), &ask, &answer)) != 0) {
        free(srq);
        return NULL;
    }
    srq->srq.context = pd->context;
    memcpy(srq->name, answer.srq, sizeof srq->name);
    mock_made(mock_device());
    return &srq->srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
    free(srq);
    mock_ended(mock_device());
    return 0;
}

/* The hook `mode` makes it in the engine, which needs its ordering and error mode at once. */
struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    struct mock_qp *own = calloc(1, sizeof *own);
    struct mock *mock = mock_device();

    if (own == NULL)
        return NULL;
    own->qp = (struct ibv_qp){.context = pd->context,
                              .qp_context = attr->qp_context,
                              .pd = pd,
                              .send_cq = attr->send_cq,
                              .recv_cq = attr->recv_cq,
                              .srq = attr->srq,
                              .qp_type = attr->qp_type};
    own->next = mock->qps;
    mock->qps = own;
    mock_made(mock);
    return &own->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    if (mask & IBV_QP_QKEY)
        ((struct mock_qp *)qp)->qkey = attr->qkey;
    return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
                 struct ibv_qp_init_attr *init)
{
    static const enum ibv_qp_state states[FAL_VERBS_STATES] = {[FAL_VERBS_RTS] = IBV_QPS_RTS,
                                                               [FAL_VERBS_SQE] = IBV_QPS_SQE,
                                                               [FAL_VERBS_ERR] = IBV_QPS_ERR,
                                                               [FAL_VERBS_OTHER] =
                                                                   IBV_QPS_INIT};
    struct fal_verbs answer, ask = {.kind = FAL_VERBS_QP_QUERY};
    int error;

    (void)mask, (void)init;
    memcpy(ask.qp, ((struct mock_qp *)qp)->name, sizeof ask.qp);
    error = mock_word(mock_device(), &ask, &answer);
    if (error == 0)
        attr->qp_state = states[answer.state];
    return error;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    struct mock_qp *own = (struct mock_qp *)qp, **at = &mock_device()->qps;
    struct mock *mock = mock_device();
    size_t kept = 0;

    for (size_t i = 0; i < mock->num_async; i++)
        if (mock->async[i].element.qp != qp)
            mock->async[kept++] = mock->async[i];
    mock->num_async = kept;
    UNLINK(at, own);
    free(own);
    mock_ended(mock);
    return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    struct fal_verbs answer, ask = {.kind = FAL_VERBS_AH_CREATE};
    struct mock_ah *ah = calloc(1, sizeof *ah);

    memcpy(ask.pd, ((struct mock_pd *)pd)->name, sizeof ask.pd);
    memcpy(ask.conn, attr->grh.dgid.raw,
           sizeof attr->grh.dgid.raw); /* as the hook `open` set */
    if (ah == NULL || (errno = mock_word(mock_device(), &ask, &answer)) != 0) {
        free(ah);
        return NULL;
    }
    ah->ah.context = pd->context;
    memcpy(ah->name, answer.ah, sizeof ah->name);
    mock_made(mock_device());
    return &ah->ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
    free(ah);
    mock_ended(mock_device());
    return 0;
}
