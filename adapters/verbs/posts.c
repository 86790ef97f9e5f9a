/* SPDX-License-Identifier: Apache-2.0
 * posts.c - post_send and post_recv. */
#include "adapter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The names of operations, and of what has completed. */
static const char *const op_names[] = {"send",      "send_imm", "send_inv", "write",
                                       "write_imm", "read",     "cas",      "faa"};
enum { OPS = sizeof op_names / sizeof *op_names };

static const struct {
    enum ibv_wr_opcode opcode;
    const char *done; /* opcode of its completion */
    bool remote, imm, atomic, datagram;
} ops[OPS] = {{IBV_WR_SEND, "send", false, false, false, true},
              {IBV_WR_SEND_WITH_IMM, "send", false, true, false, true},
              {IBV_WR_SEND_WITH_INV, "send", false, false, false, false},
              {IBV_WR_RDMA_WRITE, "write", true, false, false, false},
              {IBV_WR_RDMA_WRITE_WITH_IMM, "write", true, true, false, false},
              {IBV_WR_RDMA_READ, "read", true, false, false, false},
              {IBV_WR_ATOMIC_CMP_AND_SWP, "cas", true, false, true, false},
              {IBV_WR_ATOMIC_FETCH_AND_ADD, "faa", true, false, true, false}};

static const struct va_range u32 = {.min = 0, .max = UINT32_MAX};
static const struct va_range u64 = {.min = 0, .max = UINT64_MAX};
/* A tester may leave out what is 0. */
static const struct va_range words = {.min = 0, .max = UINT64_MAX, .optional = true};
static const struct va_range qpns = {.min = 0, .max = 0xffffff, .optional = true};

struct sgl {
    struct ibv_sge entries[VA_SGE_MAX];
    int count;
    uint64_t bytes;
};

/* A range outside of its region, and a region that is deregistered, are for the device to
 * refuse: it checks the l_key. */
static bool read_entry(const struct va_args *args, struct ibv_sge *sge)
{
    struct va_range any = {.min = 0, .max = VA_REGION_MAX, .optional = true};
    const struct va_mr *mr = va_object(args, "mr", VA_MR, false);
    uint64_t offset, length;

    if (mr == NULL || !va_number(args, "offset", any, &offset))
        return false;
    any.optional = false;
    if (!va_number(args, "length", any, &length))
        return false;
    *sge =
        (struct ibv_sge){.addr = mr->va + offset, .length = (uint32_t)length, .lkey = mr->lkey};
    return true;
}

static bool read_sgl(const struct va_args *args, uint32_t most, struct sgl *sgl)
{
    const json_t *list = va_member(args, "sgl");
    size_t count = json_array_size(list);

    if (list != NULL && !json_is_array(list)) {
        (void)va_fail(args->device, args->why,
                      "sgl: expected a list of objects with mr, offset and length");
        return false;
    }
    if (count > most || count > VA_SGE_MAX) {
        (void)va_fail(args->device, args->why, "sgl: %zu entries; expected at most %u", count,
                      most < VA_SGE_MAX ? (unsigned)most : (unsigned)VA_SGE_MAX);
        return false;
    }
    *sgl = (struct sgl){.count = (int)count};
    for (size_t i = 0; i < count; i++) {
        struct va_args entry = {args->device, json_array_get(list, i), "sgl.", args->why};

        if (!read_entry(&entry, &sgl->entries[i]))
            return false;
        sgl->bytes += sgl->entries[i].length;
    }
    return true;
}

static bool read_flags(const struct va_args *args, unsigned *flags)
{
    static const char *const names[] = {"signaled", "solicited", "fence"};
    static const unsigned bits[] = {IBV_SEND_SIGNALED, IBV_SEND_SOLICITED, IBV_SEND_FENCE};
    const json_t *list = va_member(args, "flags");
    size_t count = json_array_size(list);

    *flags = 0;
    if (list != NULL && !json_is_array(list)) {
        (void)va_fail(args->device, args->why,
                      "flags: expected a list of signaled, solicited, fence");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        size_t k = 0;

        while (k < 3 && (name == NULL || strcmp(name, names[k]) != 0))
            k++;
        if (k == 3) {
            (void)va_fail(args->device, args->why,
                          "flags: \"%.20s\" is unknown; expected signaled, solicited, fence",
                          name != NULL ? name : "");
            return false;
        }
        *flags |= bits[k];
    }
    return true;
}

static bool read_remote(const struct va_args *args, struct ibv_send_wr *wr, bool atomic)
{
    struct va_args remote = {args->device, va_member(args, "remote"), "remote.", args->why};
    uint64_t va, rkey, first, second = 0;

    if (!json_is_object(remote.object)) {
        (void)va_fail(args->device, args->why,
                      "remote: missing; expected an object with va, rkey");
        return false;
    }
    if (!va_number(&remote, "va", u64, &va) || !va_number(&remote, "rkey", u32, &rkey))
        return false;
    if (!atomic) {
        wr->wr.rdma.remote_addr = va;
        wr->wr.rdma.rkey = (uint32_t)rkey;
        return true;
    }
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD
            ? !va_number(args, "add", words, &first)
            : !va_number(args, "compare", words, &first) ||
                  !va_number(args, "swap", words, &second))
        return false;
    wr->wr.atomic.remote_addr = va;
    wr->wr.atomic.rkey = (uint32_t)rkey;
    wr->wr.atomic.compare_add = first;
    wr->wr.atomic.swap = second;
    return true;
}

static bool read_datagram(const struct va_args *args, struct ibv_send_wr *wr)
{
    struct va_range qkeys = {
        .min = 0, .max = UINT32_MAX, .optional = true, .otherwise = VA_QKEY};
    const struct va_ah *ah = va_object(args, "ah", VA_AH, false);
    uint64_t qpn, qkey;

    if (ah == NULL || !va_number(args, "dest_qpn", qpns, &qpn) ||
        !va_number(args, "qkey", qkeys, &qkey))
        return false;
    wr->wr.ud.ah = ah->ah;
    wr->wr.ud.remote_qpn = (uint32_t)qpn;
    wr->wr.ud.remote_qkey = (uint32_t)qkey;
    return true;
}

/* Reads the members that an operation needs beside its SGL. */
static bool read_operation(const struct va_args *args, const struct va_qp *qp, unsigned op,
                           struct ibv_send_wr *wr)
{
    uint64_t value;

    wr->opcode = ops[op].opcode;
    if (qp->ud && !ops[op].datagram) {
        (void)va_fail(args->device, args->why,
                      "op: %s is a ud QP and cannot %s; expected send or send_imm",
                      qp->head.name, op_names[op]);
        return false;
    }
    if (ops[op].imm) {
        if (!va_number(args, "imm", u32, &value))
            return false;
        wr->imm_data = htonl((uint32_t)value);
    }
    if (wr->opcode == IBV_WR_SEND_WITH_INV) {
        if (!va_number(args, "inv", u32, &value))
            return false;
        wr->invalidate_rkey = (uint32_t)value;
    }
    if (ops[op].remote && !read_remote(args, wr, ops[op].atomic))
        return false;
    return !qp->ud || read_datagram(args, wr);
}

/* Turns the result of a post into an answer: a full queue is `busy`. */
static enum talon_client_done posted(struct va_device *device, const char *name, int error,
                                     const char **why)
{
    if (error == 0)
        return TALON_CLIENT_DONE;
    if (error == ENOMEM || error == EAGAIN) {
        *why = "the queue is full";
        return TALON_CLIENT_BUSY;
    }
    return va_fail(device, why, "%s: the device refuses the work: %s", name, strerror(error));
}

enum talon_client_done va_post_send(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_qp *qp = va_object(&args, "qp", VA_QP, false);
    struct ibv_send_wr wr = {.next = NULL}, *bad;
    struct va_work *work;
    struct sgl sgl;
    uint64_t wr_id;
    unsigned op;
    int error;

    (void)reply;
    if (qp == NULL || !va_number(&args, "wr_id", u64, &wr_id) ||
        !va_choose(&args, "op", (struct va_choice){op_names, OPS, false}, &op) ||
        !read_sgl(&args, qp->cap.max_send_sge, &sgl) || !read_operation(&args, qp, op, &wr) ||
        !read_flags(&args, &wr.send_flags))
        return TALON_CLIENT_FAILED;
    if (ops[op].atomic && sgl.bytes != 8)
        return va_fail(device, why, "sgl: %" PRIu64 " bytes; expected 8 for %s", sgl.bytes,
                       op_names[op]);
    if (!qp->ud && qp->conn == NULL)
        return va_fail(device, why, "qp: %s is not connected; use qp_connect", qp->head.name);
    work = va_work_add(device, &qp->sent, wr_id);
    if (work == NULL)
        return va_fail(device, why, "post_send: out of memory");
    work->opcode = ops[op].done;
    work->signaled = (wr.send_flags & IBV_SEND_SIGNALED) != 0;
    wr.wr_id = work->id;
    wr.sg_list = sgl.entries;
    wr.num_sge = sgl.count;
    error = ibv_post_send(qp->qp, &wr, &bad);
    if (error != 0)
        free(va_work_take(&qp->sent, wr.wr_id));
    return posted(device, "post_send", error, why);
}

enum talon_client_done va_post_recv(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    bool shared = va_member(&args, "srq") != NULL;
    struct va_qp *qp = shared ? NULL : va_object(&args, "qp", VA_QP, false);
    struct va_srq *srq = shared ? va_object(&args, "srq", VA_SRQ, false) : NULL;
    struct va_works *works;
    struct ibv_recv_wr wr = {.next = NULL}, *bad;
    struct va_work *work;
    struct sgl sgl;
    uint64_t wr_id;
    int error;

    (void)reply;
    if ((qp == NULL && srq == NULL) || !va_number(&args, "wr_id", u64, &wr_id) ||
        !read_sgl(&args, shared ? srq->max_sge : qp->cap.max_recv_sge, &sgl))
        return TALON_CLIENT_FAILED;
    if (!shared && qp->srq != NULL)
        return va_fail(device, why, "qp: %s takes its receives from %s; give srq instead",
                       qp->head.name, qp->srq->head.name);
    works = shared ? &srq->received : &qp->received;
    work = va_work_add(device, works, wr_id);
    if (work == NULL)
        return va_fail(device, why, "post_recv: out of memory");
    work->opcode = "recv";
    work->signaled = true;
    wr.wr_id = work->id;
    wr.sg_list = sgl.entries;
    wr.num_sge = sgl.count;
    error = shared ? ibv_post_srq_recv(srq->srq, &wr, &bad) : ibv_post_recv(qp->qp, &wr, &bad);
    if (error != 0)
        free(va_work_take(works, wr.wr_id));
    return posted(device, "post_recv", error, why);
}
