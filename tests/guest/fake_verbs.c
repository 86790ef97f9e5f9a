/* SPDX-License-Identifier: Apache-2.0
 * fake_verbs.c - in place of libibverbs: a device "fake0" without a wire, for tests of what the
 * adapter itself says. Work requests succeed at once and move no bytes. A send queue takes
 * four; those that are unsignaled stay in it. The address of the peer with QP number LATE is
 * found at the third question, that of the one with ABSENT never. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE = 64, SENDS = 4, LATE = 0xa7e, ABSENT = 0xab5 };

struct fake_cq {
    struct ibv_cq cq;
    struct ibv_wc wc[QUEUE];
    unsigned head, tail;
};

struct fake_qp {
    struct ibv_qp qp;
    enum ibv_qp_state state;
    unsigned sends, asked;
};

struct fake {
    struct ibv_device device;
    struct verbs_context context; /* its ops are what the inline functions call */
    uint32_t numbers;
    int pipe[2]; /* nothing ever arrives there */
};

static struct fake *fake_of(struct ibv_context *context)
{
    return (struct fake *)(void *)((char *)context - offsetof(struct fake, context) -
                                   offsetof(struct verbs_context, context));
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct fake_cq *fake = (struct fake_cq *)cq;
    int got = 0;

    while (got < n && fake->tail != fake->head)
        wc[got++] = fake->wc[fake->tail++ % QUEUE];
    return got;
}

static int arm(struct ibv_cq *cq, int solicited_only)
{
    (void)cq, (void)solicited_only;
    return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct fake_cq *cq = (struct fake_cq *)qp->send_cq;
    struct fake_qp *fake = (struct fake_qp *)qp;

    *bad = wr;
    if (fake->sends == SENDS)
        return ENOMEM;
    fake->sends++;
    if (!(wr->send_flags & IBV_SEND_SIGNALED))
        return 0;
    fake->sends = 0;
    cq->wc[cq->head++ % QUEUE] = (struct ibv_wc){.wr_id = wr->wr_id, .qp_num = qp->qp_num};
    return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)qp;
    *bad = wr;
    return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    (void)srq;
    *bad = wr;
    return 0;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct ibv_mw *mw = calloc(1, sizeof *mw);

    if (mw == NULL)
        return NULL;
    mw->context = pd->context;
    mw->type = type;
    mw->rkey = ++fake_of(pd->context)->numbers << 8;
    return mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
    free(mw);
    return 0;
}

/* ---- the device ---- */

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = calloc(2, sizeof *list);
    struct fake *fake = calloc(1, sizeof *fake);

    if (list == NULL || fake == NULL)
        abort();
    memcpy(fake->device.name, "fake0", sizeof "fake0");
    list[0] = &fake->device;
    *n = 1;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    free(list); /* the device is freed when it is closed */
}

const char *ibv_get_device_name(struct ibv_device *device)
{
    return device->name;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct fake *fake = (struct fake *)device;
    struct ibv_context *context = &fake->context.context;

    if (pipe(fake->pipe) != 0)
        return NULL;
    context->device = device;
    context->async_fd = fake->pipe[0];
    context->ops.poll_cq = poll_cq;
    context->ops.req_notify_cq = arm;
    context->ops.post_send = post_send;
    context->ops.post_recv = post_recv;
    context->ops.post_srq_recv = post_srq_recv;
    context->ops.alloc_mw = alloc_mw;
    context->ops.dealloc_mw = dealloc_mw;
    return context;
}

int ibv_close_device(struct ibv_context *context)
{
    struct fake *fake = fake_of(context);

    (void)close(fake->pipe[0]);
    (void)close(fake->pipe[1]);
    free(fake);
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
    (void)channel, (void)cq, (void)context;
    return -1;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq, (void)n;
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    (void)context, (void)event;
    return -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

/* ---- objects ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = calloc(1, sizeof *pd);

    if (pd != NULL)
        pd->context = context;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
                                unsigned access)
{
    struct ibv_mr *mr = calloc(1, sizeof *mr);

    (void)iova, (void)access;
    if (mr == NULL)
        return NULL;
    mr->context = pd->context;
    mr->addr = addr;
    mr->length = length;
    mr->lkey = mr->rkey = ++fake_of(pd->context)->numbers << 8;
    return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    free(mr);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int depth, void *cq_context,
                             struct ibv_comp_channel *channel, int vector)
{
    struct fake_cq *fake = calloc(1, sizeof *fake);

    (void)depth, (void)vector;
    if (fake == NULL)
        return NULL;
    fake->cq.context = context;
    fake->cq.channel = channel;
    fake->cq.cq_context = cq_context;
    return &fake->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    free(cq);
    return 0;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    struct ibv_srq *srq = calloc(1, sizeof *srq);

    (void)attr;
    if (srq != NULL)
        srq->context = pd->context;
    return srq;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
    free(srq);
    return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    struct fake_qp *fake = calloc(1, sizeof *fake);

    if (fake == NULL)
        return NULL;
    fake->qp = (struct ibv_qp){.context = pd->context,
                               .qp_context = attr->qp_context,
                               .send_cq = attr->send_cq,
                               .recv_cq = attr->recv_cq,
                               .qp_type = attr->qp_type,
                               .qp_num = ++fake_of(pd->context)->numbers};
    return &fake->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct fake_qp *fake = (struct fake_qp *)qp;

    if (attr->qp_state == IBV_QPS_RTR && (mask & IBV_QP_AV) != 0) {
        fake->asked++;
        if (attr->dest_qp_num == ABSENT || (attr->dest_qp_num == LATE && fake->asked < 3))
            return ETIMEDOUT;
    }
    fake->state = attr->qp_state;
    return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
                 struct ibv_qp_init_attr *init)
{
    (void)mask, (void)init;
    attr->qp_state = ((struct fake_qp *)qp)->state;
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    free(qp);
    return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    struct ibv_ah *ah = calloc(1, sizeof *ah);

    (void)attr;
    if (ah != NULL)
        ah->context = pd->context;
    return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
    free(ah);
    return 0;
}
