/* SPDX-License-Identifier: Apache-2.0
 * bench_verbs.h - for the tests of this folder: two verbs engines, each above an endpoint, over
 * a simulated network. Side 0 is mostly the initiator. */
#ifndef FAL_ORACLES_ULP_RIG_BENCH_VERBS_H
#define FAL_ORACLES_ULP_RIG_BENCH_VERBS_H

#include "oracles/endpoint/rig/bench_pair.h"
#include "oracles/ulp/engine.h"

#include <stdio.h>

enum { BENCH_EVENTS = 512, BENCH_MTU = 4300 };

/* One end: a protection domain, two completion queues, a queue pair and a region. */
struct bench_end {
    struct fal_verbs_engine *engine;
    char pd[FAL_VERBS_NAME_MAX], send_cq[FAL_VERBS_NAME_MAX], recv_cq[FAL_VERBS_NAME_MAX];
    struct fal_verbs qp, mr; /* the replies */
    struct fal_verbs events[BENCH_EVENTS];
    unsigned num_events, seen; /* seen: by bench_event */
};

struct bench {
    struct pair pair;
    struct bench_end ends[2];
    struct fal_error err;
    uint32_t other[2]; /* a second connection, by the name "d"; 0: none */
    /* Requests and completions on their way to an engine may be looked at, and changed. */
    void (*watch)(struct bench *b, unsigned side, struct fal_endpoint_out *out);
    /* Each event of an engine, when it happens. */
    void (*told)(struct bench *b, unsigned side, const struct fal_verbs *event);
    void *ctx;
};

static inline void bench_collect(struct bench *b, unsigned side)
{
    struct bench_end *end = &b->ends[side];

    while (fal_verbs_next(end->engine, &end->events[end->num_events % BENCH_EVENTS])) {
        end->num_events++;
        if (b->told != NULL)
            b->told(b, side, &end->events[(end->num_events - 1) % BENCH_EVENTS]);
    }
}

static inline void bench_take(struct pair *pair, unsigned side,
                              const struct fal_endpoint_out *out)
{
    struct bench *b = pair->ctx;
    struct fal_endpoint_out copy = *out;

    if (b->watch != NULL)
        b->watch(b, side, &copy);
    (void)fal_verbs_take(b->ends[side].engine, &copy, pair->now_ns);
    bench_collect(b, side);
}

static const struct pair_ops bench_ops = {.event = bench_take};

/* A word; the result in *answer. */
static inline int bench_word(struct bench *b, unsigned side, struct fal_verbs ask,
                             struct fal_verbs *answer)
{
    uint32_t conn;
    int rc;

    b->err.text[0] = 0;
    conn = strcmp(ask.conn, "d") == 0 ? b->other[side]
           : *ask.conn != 0           ? b->pair.conn[side]
                                      : 0;
    rc = fal_verbs_command(b->ends[side].engine, conn, &ask, answer, b->pair.now_ns, &b->err);
    pair_drain(&b->pair, side);
    bench_collect(b, side);
    return rc;
}

/* One that must be carried out. */
static inline struct fal_verbs bench_do(struct bench *b, unsigned side, struct fal_verbs ask)
{
    struct fal_verbs answer;

    ck_assert_msg(bench_word(b, side, ask, &answer) == 0, "%s: %s", fal_verbs_names[ask.kind],
                  b->err.text);
    return answer;
}

static inline void bench_name(char out[FAL_VERBS_NAME_MAX], const char *name)
{
    snprintf(out, FAL_VERBS_NAME_MAX, "%s", name);
}

static inline struct fal_verbs bench_reg(struct bench *b, unsigned side, uint64_t length,
                                         unsigned access)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_REG, .length = length, .access = access};

    bench_name(ask.pd, b->ends[side].pd);
    return bench_do(b, side, ask);
}

/* What a test wants; `qp` has type, ordering, errors, path_mtu, qkey, ... */
struct bench_plan {
    struct fal_verbs qp;
    struct fal_impairment impairment;
    uint64_t seed;
    uint64_t memory;          /* bytes of each end's region; 0: 64 KiB */
    uint32_t srq;             /* depth of an SRQ of side 1; 0: none */
    struct fal_params params; /* with mtu > 0 */
    struct fal_fault_set faults[2];
    struct fal_twin_set twins[2];
    uint32_t first_sn;
};

static inline void bench_end_open(struct bench *b, unsigned side, const struct bench_plan *plan)
{
    struct bench_end *end = &b->ends[side];
    const unsigned all = FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_WRITE |
                         FAL_VERBS_REMOTE_READ | FAL_VERBS_REMOTE_ATOMIC;
    struct fal_verbs ask = plan->qp;

    end->engine = fal_verbs_new(&(struct fal_verbs_config){.endpoint = b->pair.ep[side],
                                                           .seed = plan->seed + side,
                                                           .faults = plan->faults[side],
                                                           .twins = plan->twins[side],
                                                           .first_sn = plan->first_sn});
    ck_assert_ptr_nonnull(end->engine);
    ck_assert_int_eq(
        fal_verbs_attach(end->engine, b->pair.conn[side], &b->pair.open[side].params), 0);
    bench_name(end->pd, bench_do(b, side, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}).pd);
    for (unsigned i = 0; i < 2; i++)
        bench_name(
            i == 0 ? end->send_cq : end->recv_cq,
            bench_do(b, side, (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 64}).cq);
    ask.kind = FAL_VERBS_QP_CREATE;
    bench_name(ask.pd, end->pd);
    bench_name(ask.send_cq, end->send_cq);
    bench_name(ask.recv_cq, end->recv_cq);
    if (plan->srq > 0 && side == 1) {
        struct fal_verbs srq = {.kind = FAL_VERBS_SRQ_CREATE, .depth = plan->srq};

        bench_name(srq.pd, end->pd);
        bench_name(ask.srq, bench_do(b, side, srq).srq);
    }
    end->qp = bench_do(b, side, ask);
    end->mr = bench_reg(b, side, plan->memory > 0 ? plan->memory : 65536, all);
}

static inline void bench_connect(struct bench *b, unsigned side)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CONNECT, .dest_qpn = b->ends[1 - side].qp.qpn};

    bench_name(ask.qp, b->ends[side].qp.qp);
    bench_name(ask.conn, "c");
    (void)bench_do(b, side, ask);
}

static inline struct bench *bench_new(const struct bench_plan *plan)
{
    struct bench *b = calloc(1, sizeof *b);
    const struct fal_end ends[2] = {{.cid = 5, .req_psn = 1, .data_psn = 1, .rsn = 1},
                                    {.cid = 9, .req_psn = 7, .data_psn = 8, .rsn = 9}};
    const struct fal_impairment both[2] = {plan->impairment, plan->impairment};

    ck_assert_ptr_nonnull(b);
    pair_init(&b->pair, &bench_ops, b);
    for (unsigned side = 0; side < 2; side++) {
        struct fal_params *params = &b->pair.open[side].params;

        if (plan->params.mtu > 0)
            *params = plan->params;
        params->ordered = plan->qp.ordering == FAL_VERBS_STRONG;
        params->mtu = BENCH_MTU;
        b->pair.config[side].faults = plan->faults[side]; /* some act in Falcon */
    }
    pair_open(&b->pair, ends, both, plan->seed);
    for (unsigned side = 0; side < 2; side++)
        bench_end_open(b, side, plan);
    for (unsigned side = 0; side < 2 && plan->qp.type == FAL_VERBS_RC; side++)
        bench_connect(b, side);
    return b;
}

/* A second connection, whose upper layer is verbs at both ends. */
static inline void bench_open_other(struct bench *b)
{
    for (unsigned side = 0; side < 2; side++) {
        struct fal_endpoint_conn open = b->pair.open[side];

        open.local.cid += 100;
        open.peer.cid += 100;
        ck_assert_int_eq(
            fal_endpoint_open(b->pair.ep[side], &open, b->pair.now_ns, &b->other[side]), 0);
        ck_assert_int_eq(fal_verbs_attach(b->ends[side].engine, b->other[side], &open.params),
                         0);
    }
}

static inline void bench_free(struct bench *b)
{
    for (unsigned side = 0; side < 2; side++)
        fal_verbs_free(b->ends[side].engine);
    pair_free(&b->pair);
    free(b);
}

static inline uint64_t bench_deadline(const struct bench *b)
{
    uint64_t first = pair_deadline(&b->pair);

    for (unsigned side = 0; side < 2; side++)
        if (fal_verbs_deadline(b->ends[side].engine) < first)
            first = fal_verbs_deadline(b->ends[side].engine);
    return first;
}

/* Until nothing is left to happen, or until `until_ns`. */
static inline void bench_run(struct bench *b, uint64_t until_ns)
{
    uint64_t at_ns;

    while ((at_ns = bench_deadline(b)) <= until_ns && at_ns != FAL_NEVER) {
        pair_at(&b->pair, at_ns > b->pair.now_ns ? at_ns : b->pair.now_ns);
        for (unsigned side = 0; side < 2; side++) {
            fal_verbs_tick(b->ends[side].engine, b->pair.now_ns);
            pair_drain(&b->pair, side);
            bench_collect(b, side);
        }
    }
}

static inline void bench_settle(struct bench *b)
{
    bench_run(b, b->pair.now_ns + 60 * FAL_S);
}

/* ---- posting ---- */

static inline struct fal_verbs bench_send(const struct bench *b, unsigned side,
                                          enum fal_verbs_op op, uint64_t offset,
                                          uint32_t length)
{
    const struct bench_end *own = &b->ends[side], *peer = &b->ends[1 - side];
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_SEND,
                            .op = op,
                            .flags = FAL_VERBS_SIGNALED,
                            .num_sge = 1,
                            .sgl[0] = {.offset = offset, .length = length},
                            .has_remote = true,
                            .remote = {peer->mr.va + offset, peer->mr.rkey}};

    bench_name(ask.qp, own->qp.qp);
    bench_name(ask.sgl[0].mr, own->mr.mr);
    return ask;
}

static inline void bench_recv(struct bench *b, unsigned side, uint64_t wr_id, uint64_t offset,
                              uint32_t length)
{
    struct bench_end *own = &b->ends[side];
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_RECV,
                            .wr_id = wr_id,
                            .num_sge = 1,
                            .sgl[0] = {.offset = offset, .length = length}};

    bench_name(ask.qp, own->qp.qp);
    bench_name(ask.sgl[0].mr, own->mr.mr);
    (void)bench_do(b, side, ask);
}

static inline void bench_fill(struct bench *b, unsigned side, uint64_t offset, uint64_t length,
                              uint64_t tag)
{
    struct fal_verbs ask = {
        .kind = FAL_VERBS_MR_FILL, .offset = offset, .length = length, .tag = tag};

    bench_name(ask.mr, b->ends[side].mr.mr);
    (void)bench_do(b, side, ask);
}

static inline uint64_t bench_hash(struct bench *b, unsigned side, uint64_t offset,
                                  uint64_t length)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_MR_HASH, .offset = offset, .length = length};

    bench_name(ask.mr, b->ends[side].mr.mr);
    return bench_do(b, side, ask).hash;
}

static inline enum fal_verbs_state bench_state(struct bench *b, unsigned side)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_QUERY};

    bench_name(ask.qp, b->ends[side].qp.qp);
    return bench_do(b, side, ask).state;
}

/* The next event of a side that no call has returned yet, of that kind; NULL if there is none.
 */
static inline const struct fal_verbs *bench_event(struct bench *b, unsigned side,
                                                  enum fal_verbs_kind kind)
{
    struct bench_end *end = &b->ends[side];

    while (end->seen < end->num_events) {
        const struct fal_verbs *event = &end->events[end->seen++ % BENCH_EVENTS];

        if (event->kind == kind)
            return event;
    }
    return NULL;
}

/* The next work completion must be this one. */
static inline const struct fal_verbs *bench_wc(struct bench *b, unsigned side, uint64_t wr_id,
                                               uint32_t status)
{
    const struct fal_verbs *wc = bench_event(b, side, FAL_VERBS_WC);

    ck_assert_msg(wc != NULL, "no completion of %llu at side %u", (unsigned long long)wr_id,
                  side);
    ck_assert_msg(wc->wr_id == wr_id && wc->status == status,
                  "side %u: expected completion %llu with status %u, got %llu with %u", side,
                  (unsigned long long)wr_id, status, (unsigned long long)wc->wr_id, wc->status);
    return wc;
}

#endif
