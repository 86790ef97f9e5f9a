/* SPDX-License-Identifier: Apache-2.0
 * traffic_draw_testing.h - a run of traffic_testing.h from a seed: parameters, twins, the
 * network, and what becomes of each transaction. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_TRAFFIC_DRAW_TESTING_H
#define FAL_ORACLES_ENDPOINT_RIG_TRAFFIC_DRAW_TESTING_H

#include "oracles/endpoint/rig/traffic_testing.h"

enum { TRAFFIC_RNR_MAX = 3 };

/* The transaction and the rule by which it is answered. */
static inline void traffic_draw_txn(struct fal_rng *rng, const struct traffic *t,
                                    struct traffic_txn *txn, struct fal_scripted_rule *rule)
{
    static const enum fal_answer errors[] = {FAL_ANSWER_CIE, FAL_ANSWER_NRE, FAL_ANSWER_CID};
    struct fal_scripted_answer last = {0};
    uint32_t rnrs = 0;

    *txn = (struct traffic_txn){.op = fal_rng_below(rng, 2) == 0 ? FAL_OP_PUSH : FAL_OP_PULL};
    txn->length = (uint32_t)fal_rng_below(rng, fal_rng_below(rng, 8) == 0 ? 4097 : 200);
    txn->response = txn->length;
    txn->last = txn->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (txn->op == FAL_OP_PULL && fal_rng_below(rng, 4) == 0)
        txn->response = (uint32_t)fal_rng_below(rng, txn->length + 1);
    txn->code = (uint32_t)fal_rng_below(rng, 256);
    if (fal_rng_below(rng, 8) == 0)
        txn->last = txn->op == FAL_OP_PUSH ? errors[fal_rng_below(rng, 3)] : FAL_ANSWER_CIE;
    if (fal_rng_below(rng, 8) == 0)
        rnrs = 1 + (uint32_t)fal_rng_below(rng, TRAFFIC_RNR_MAX);
    last.rnr_ns = fal_rng_below(rng, 3000000);
    last.after_ns = t->instant || fal_rng_below(rng, 2) == 0 ? 0 : fal_rng_below(rng, 300000);
    txn->post_ns = fal_rng_below(rng, 2000000);
    last.answer = txn->last;
    last.code = txn->code;
    last.length = txn->response;
    *rule = (struct fal_scripted_rule){
        .has_rsn = true,
        .answer = rnrs > 0 ? FAL_ANSWER_RNR : last.answer,
        .after_ns = last.after_ns,
        .rnr_ns = last.rnr_ns,
        .times = rnrs,
        .code = last.code,
        .has_length = true,
        .length = last.length,
        .has_then = true,
        .then = last,
    };
}

static inline void traffic_draw_params(struct fal_rng *rng, const struct traffic *t,
                                       struct fal_params *params)
{
    bool ordered = params->ordered;

    fal_params_default(params, false);
    params->ordered = ordered;
    params->fcwnd = 1 + (uint32_t)fal_rng_below(rng, fal_rng_below(rng, 2) == 0 ? 8 : 200);
    params->ncwnd = 1 + (uint32_t)fal_rng_below(rng, fal_rng_below(rng, 2) == 0 ? 8 : 200);
    params->tx_window_req = 16 + (uint32_t)fal_rng_below(rng, 1009);
    params->tx_window_data = 16 + (uint32_t)fal_rng_below(rng, 1009);
    params->ar_percent = (uint32_t)fal_rng_below(rng, 101);
    params->ar_threshold = (uint32_t)fal_rng_below(rng, 20);
    params->ooo_threshold = (uint32_t)fal_rng_below(rng, 6);
    params->coalescing_ns = fal_rng_below(rng, 50000);
    params->initial_rtt_ns = fal_rng_below(rng, 50000);
    params->pipeline_ns = fal_rng_below(rng, 2) == 0 ? 0 : fal_rng_below(rng, 2000);
    params->replay_margin_ns = fal_rng_below(rng, 4000000);
    if (fal_rng_below(rng, 3) == 0)
        params->net_pkt_rx = 2 + (uint32_t)fal_rng_below(rng, 100);
    params->transaction_timeout_ns = t->forgiving ? 50 * FAL_MS : 1000 * FAL_S;
    params->max_attempts = t->forgiving ? (uint32_t)fal_rng_below(rng, 6) : 200;
}

/* 0 half of the time, else below n. */
static inline uint32_t traffic_maybe(struct fal_rng *rng, uint32_t n)
{
    uint32_t v = (uint32_t)fal_rng_below(rng, n);

    return fal_rng_below(rng, 2) == 0 ? 0 : v;
}

static inline struct fal_impairment traffic_draw_path(struct fal_rng *rng)
{
    struct fal_impairment path = {.latency_ns = fal_rng_below(rng, 20000)};

    path.jitter_ns = traffic_maybe(rng, 30000);
    path.loss_ppm = traffic_maybe(rng, 300001);
    path.duplicate_ppm = traffic_maybe(rng, 200001);
    path.reorder_ppm = traffic_maybe(rng, 300001);
    path.reorder_ns = fal_rng_below(rng, 3000000);
    path.corrupt_ppm = traffic_maybe(rng, 100001);
    path.ce_ppm = traffic_maybe(rng, 500001);
    path.hops = (uint8_t)traffic_maybe(rng, 30);
    if (fal_rng_below(rng, 4) == 0) {
        path.rate_bps = UINT64_C(1000000000) << fal_rng_below(rng, 9);
        path.queue_bytes = 16384 + (uint32_t)fal_rng_below(rng, 1 << 18);
        path.ecn_bytes = 1 + (uint32_t)fal_rng_below(rng, path.queue_bytes);
    }
    return path;
}

/* Fills in a run that is all zero. */
static inline void traffic_draw(struct traffic *t, uint64_t seed)
{
    struct fal_rng rng = fal_rng_split(seed, 77);

    t->seed = seed;
    t->instant = fal_rng_below(&rng, 2) != 0;
    t->forgiving = fal_rng_below(&rng, 5) == 0;
    t->num_conns = fal_rng_below(&rng, 2) == 0 ? 1 : 1 + (unsigned)fal_rng_below(&rng, 4);
    for (unsigned s = 0; s < 2; s++) {
        t->impair[s] = traffic_draw_path(&rng);
        t->config[s].seed = seed + s;
        t->config[s].clock_ps = fal_rng_next(&rng) | UINT64_C(1) << 50;
        t->config[s].tx_gap_ns = traffic_maybe(&rng, 3000);
        t->config[s].tx_burst = (uint32_t)fal_rng_below(&rng, 8);
    }
    if (fal_rng_below(&rng, 2) == 0) {
        t->rotations = CM_ROTATION_STEPS * (unsigned)fal_rng_below(&rng, 4);
        t->rotation_gap_ns = 4 * FAL_MS; /* longer than anything is under way */
    }
    for (unsigned c = 0; c < t->num_conns; c++) {
        struct traffic_conn *conn = &t->conns[c];

        conn->ordered = fal_rng_below(&rng, 3) != 0;
        conn->cm.sealed = fal_rng_below(&rng, 2) != 0;
        for (unsigned s = 0; s < 2; s++) {
            struct traffic_side *own = &conn->sides[s];

            conn->cm.open[s].params.ordered = conn->ordered;
            traffic_draw_params(&rng, t, &conn->cm.open[s].params);
            fal_twins_draw(&conn->cm.open[s].twins, &rng);
            /* short answers are drawn, and must arrive */
            conn->cm.open[s].twins.bits[FAL_TWIN_PULL_DATA_SHORT_DROPPED / 64] &=
                ~(UINT64_C(1) << FAL_TWIN_PULL_DATA_SHORT_DROPPED % 64);
            own->num = (unsigned)fal_rng_below(&rng, TRAFFIC_TXNS_MAX / t->num_conns + 1);
            for (unsigned n = 0; n < own->num; n++) {
                traffic_draw_txn(&rng, t, &own->txns[n], &conn->sides[1 - s].rules[n]);
                if (n > 0 && own->txns[n].post_ns < own->txns[n - 1].post_ns)
                    own->txns[n].post_ns = own->txns[n - 1].post_ns;
            }
        }
    }
}

#endif
