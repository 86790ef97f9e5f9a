/* SPDX-License-Identifier: Apache-2.0
 * bench_nvme.h - for the tests of this folder: two NVMe engines, each above an endpoint, over a
 * simulated network. Side 0 is mostly the initiator, side 1 the target. */
#ifndef FAL_ORACLES_NVME_RIG_BENCH_NVME_H
#define FAL_ORACLES_NVME_RIG_BENCH_NVME_H

#include "oracles/endpoint/rig/bench_pair.h"
#include "oracles/nvme/engine.h"

#include <stdio.h>

enum { BENCH_EVENTS = 1024, BENCH_CONNS = 3 };

struct bench_end {
    struct fal_nvme_engine *engine;
    uint32_t conns[BENCH_CONNS]; /* the endpoint's numbers, by the names "0", "1", "2" */
    struct fal_nvme_word events[BENCH_EVENTS];
    unsigned num_events, seen; /* seen: by bench_event */
};

struct bench {
    struct pair pair;
    struct bench_end ends[2];
    struct fal_error err;
    /* Requests and completions on their way to an engine may be looked at, and changed. */
    void (*watch)(struct bench *b, unsigned side, struct fal_endpoint_out *out);
    void *ctx;
};

struct bench_plan {
    struct fal_impairment impairment;
    uint64_t seed;
    uint64_t image_blocks;
    struct fal_fault_set faults[2];
    struct fal_twin_set twins[2];
    uint32_t requests; /* packets of requests that side 0 can have on their way; 0: no limit */
};

static inline void bench_collect(struct bench *b, unsigned side)
{
    struct bench_end *end = &b->ends[side];

    while (fal_nvme_engine_next(end->engine, &end->events[end->num_events % BENCH_EVENTS]))
        end->num_events++;
}

static inline void bench_take(struct pair *pair, unsigned side,
                              const struct fal_endpoint_out *out)
{
    struct bench *b = pair->ctx;
    struct fal_endpoint_out copy = *out;

    if (b->watch != NULL)
        b->watch(b, side, &copy);
    (void)fal_nvme_engine_take(b->ends[side].engine, &copy, pair->now_ns);
    bench_collect(b, side);
}

static const struct pair_ops bench_ops = {.event = bench_take};

/* A word; the result in *answer. */
static inline int bench_word(struct bench *b, unsigned side, struct fal_nvme_word ask,
                             struct fal_nvme_word *answer)
{
    uint32_t conn = *ask.conn != 0 ? b->ends[side].conns[*ask.conn - '0'] : 0;
    int rc;

    b->err.text[0] = 0;
    rc = fal_nvme_engine_command(b->ends[side].engine, conn, &ask, answer, b->pair.now_ns,
                                 &b->err);
    pair_drain(&b->pair, side);
    bench_collect(b, side);
    return rc;
}

/* One that must be carried out. */
static inline struct fal_nvme_word bench_do(struct bench *b, unsigned side,
                                            struct fal_nvme_word ask)
{
    struct fal_nvme_word answer;

    ck_assert_msg(bench_word(b, side, ask, &answer) == 0, "%s: %s",
                  fal_nvme_word_names[ask.kind], b->err.text);
    return answer;
}

/* Another connection, whose upper layer is NVMe at both ends. */
static inline void bench_open_conn(struct bench *b, unsigned n)
{
    for (unsigned side = 0; side < 2; side++) {
        struct fal_endpoint_conn open = b->pair.open[side];
        uint32_t *conn = &b->ends[side].conns[n];

        open.local.cid += 100 * n;
        open.peer.cid += 100 * n;
        if (n == 0)
            *conn = b->pair.conn[side];
        else
            ck_assert_int_eq(fal_endpoint_open(b->pair.ep[side], &open, b->pair.now_ns, conn),
                             0);
        ck_assert_int_eq(fal_nvme_engine_attach(b->ends[side].engine, *conn, &open.params), 0);
    }
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
        b->pair.open[side].params.ordered = false;
        b->pair.open[side].params.mtu = FAL_NVME_MTU;
        b->pair.open[side].params.protocol_type = 3;
        b->pair.config[side].faults = plan->faults[side]; /* some act in Falcon */
    }
    b->pair.config[0].host_limits.units[FAL_RES_REQ_PKT_TX] = plan->requests;
    pair_open(&b->pair, ends, both, plan->seed);
    for (unsigned side = 0; side < 2; side++) {
        b->ends[side].engine =
            fal_nvme_engine_new(&(struct fal_nvme_config){.endpoint = b->pair.ep[side],
                                                          .seed = plan->seed + side,
                                                          .image_blocks = plan->image_blocks,
                                                          .faults = plan->faults[side],
                                                          .twins = plan->twins[side]});
        ck_assert_ptr_nonnull(b->ends[side].engine);
    }
    for (unsigned n = 0; n < BENCH_CONNS; n++)
        bench_open_conn(b, n);
    return b;
}

static inline void bench_free(struct bench *b)
{
    for (unsigned side = 0; side < 2; side++)
        fal_nvme_engine_free(b->ends[side].engine);
    pair_free(&b->pair);
    free(b);
}

static inline uint64_t bench_deadline(const struct bench *b)
{
    uint64_t first = pair_deadline(&b->pair);

    for (unsigned side = 0; side < 2; side++)
        if (fal_nvme_engine_deadline(b->ends[side].engine) < first)
            first = fal_nvme_engine_deadline(b->ends[side].engine);
    return first;
}

/* Until nothing is left to happen, or until `until_ns`. */
static inline void bench_run(struct bench *b, uint64_t until_ns)
{
    uint64_t at_ns;

    while ((at_ns = bench_deadline(b)) <= until_ns && at_ns != FAL_NEVER) {
        pair_at(&b->pair, at_ns > b->pair.now_ns ? at_ns : b->pair.now_ns);
        for (unsigned side = 0; side < 2; side++) {
            fal_nvme_engine_tick(b->ends[side].engine, b->pair.now_ns);
            pair_drain(&b->pair, side);
            bench_collect(b, side);
        }
    }
}

static inline void bench_settle(struct bench *b)
{
    bench_run(b, b->pair.now_ns + 60 * FAL_S);
}

/* ---- words ---- */

/* A row of the initiator's table. */
static inline void bench_row(struct bench *b, unsigned side, struct fal_nvme_word row,
                             unsigned conn)
{
    row.kind = FAL_NVME_LBA;
    row.valid = true;
    row.conn[0] = (char)('0' + conn);
    (void)bench_do(b, side, row);
}

/* Namespace 1 of side 0, one chunk of 1 GiB on namespace 9 of the device behind side 1. */
static inline void bench_simple(struct bench *b, struct fal_nvme_word ns)
{
    ns.kind = FAL_NVME_NS;
    ns.nsid = 1;
    (void)bench_do(b, 0, ns);
    bench_row(b, 0, (struct fal_nvme_word){.sqid = 3, .target_nsid = 9, .chunk = 5}, 0);
    (void)bench_do(b, 1,
                   (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                                          .nsid = 9,
                                          .block_shift = ns.block_shift,
                                          .metadata = 16});
}

static inline struct fal_nvme_word bench_io(uint64_t cmd, enum fal_nvme_op op, uint64_t slba,
                                            uint32_t blocks)
{
    return (struct fal_nvme_word){.kind = FAL_NVME_POST,
                                  .cmd = cmd,
                                  .op = op,
                                  .nsid = 1,
                                  .slba = slba,
                                  .nlb0 = blocks - 1,
                                  .tag = cmd};
}

/* The hash of device blocks, without or with metadata. */
static inline uint64_t bench_dev_hash(struct bench *b, uint64_t slba, uint32_t blocks)
{
    return bench_do(b, 1,
                    (struct fal_nvme_word){
                        .kind = FAL_NVME_DEV_HASH, .nsid = 9, .slba = slba, .nlb0 = blocks - 1})
        .hash;
}

/* The next event of a side that no call has returned yet, of that kind; NULL if there is none.
 */
static inline const struct fal_nvme_word *bench_event(struct bench *b, unsigned side,
                                                      enum fal_nvme_word_kind kind)
{
    struct bench_end *end = &b->ends[side];

    while (end->seen < end->num_events) {
        const struct fal_nvme_word *event = &end->events[end->seen++ % BENCH_EVENTS];

        if (event->kind == kind)
            return event;
    }
    return NULL;
}

/* The next completion of side 0 must be this one. */
static inline const struct fal_nvme_word *bench_cqe(struct bench *b, uint64_t cmd,
                                                    uint32_t status)
{
    const struct fal_nvme_word *cqe = bench_event(b, 0, FAL_NVME_CQE);

    ck_assert_msg(cqe != NULL, "no completion of %llu", (unsigned long long)cmd);
    ck_assert_msg(cqe->cmd == cmd && cqe->status == status,
                  "expected completion %llu with status 0x%x, got %llu with 0x%x",
                  (unsigned long long)cmd, status, (unsigned long long)cqe->cmd, cqe->status);
    return cqe;
}

/* The hash of `blocks` blocks of the pattern of a tag. */
static inline uint64_t bench_pattern_hash(uint64_t tag, uint32_t blocks, uint32_t block_len)
{
    size_t len = (size_t)blocks * block_len;
    uint8_t *bytes = malloc(len);
    uint64_t hash;

    ck_assert_ptr_nonnull(bytes);
    fal_payload_fill(tag, 0, bytes, len);
    hash = fal_payload_hash(bytes, len);
    free(bytes);
    return hash;
}

#endif
