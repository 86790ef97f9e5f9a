/* SPDX-License-Identifier: Apache-2.0
 * traffic_testing.h - for the tests of this folder: two endpoints with several connections
 * between them, over a bad network, under scripted ULPs that are slow, not ready, or in error.
 * Whatever the seed: every transaction completes exactly once with the code that its ULP meant,
 * order holds, payload is intact, and in the end all is quiet and given back.
 *
 * traffic_draw_testing.h draws a run from a seed; traffic_run() plays it to its end and aborts
 * the test where something does not hold. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_TRAFFIC_TESTING_H
#define FAL_ORACLES_ENDPOINT_RIG_TRAFFIC_TESTING_H

#include "oracles/endpoint/base/sound_testing.h"
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_cm.h"
#include "oracles/payload.h"
#include "oracles/scripted.h"
#include "oracles/simnet.h"
#include "tests/testing.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRAFFIC_CONNS_MAX = 4,
    TRAFFIC_TXNS_MAX = 160, /* of one side of a connection */
    TRAFFIC_BYTES_MAX = 4096,
    TRAFFIC_FRAME_MAX = 16384,
    TRAFFIC_TTL = 64,
};

/* What will become of a transaction, and what has. Its answers are a rule of the peer's ULP. */
struct traffic_txn {
    enum fal_ulp_op op;
    uint32_t length;      /* pushed or asked for */
    uint32_t response;    /* a pull's */
    enum fal_answer last; /* the answer that ends it */
    uint32_t code;        /* ULP NACK code */
    uint64_t post_ns;
    unsigned delivered, rnrs, completed;
    bool taken;
};

struct traffic_side {
    struct traffic_txn txns[TRAFFIC_TXNS_MAX];
    unsigned num, posted;
    unsigned next_delivery, next_completion; /* ordered: what must be first next */
    struct fal_scripted ulp;                 /* answers the other side */
    struct fal_scripted_rule rules[TRAFFIC_TXNS_MAX];
};

struct traffic_conn {
    struct cm_conn cm;
    struct traffic_side sides[2];
    struct fal_endpoint_credits credits[2]; /* when it was opened */
    bool ordered, dead;
};

/* What stands before the bytes of a frame: a checksum in place of the one that a real link
 * would have, and what the seal says. */
struct traffic_front {
    uint64_t fcs;
    struct fal_seal seal;
};

/* An answer to come. */
struct traffic_pending {
    uint64_t at_ns;
    unsigned conn, side;
    uint32_t rsn;
};

struct traffic {
    uint64_t seed;
    struct fal_endpoint_config config[2];
    struct fal_impairment impair[2];
    struct cm cm;
    struct fal_simnet *net;
    unsigned num_conns, num_pending;
    struct traffic_conn conns[TRAFFIC_CONNS_MAX];
    struct traffic_pending pending[TRAFFIC_CONNS_MAX * 2 * TRAFFIC_TXNS_MAX];
    bool forgiving; /* attempts and time may run out: transactions may end for that */
    bool instant;   /* ULPs answer at once */
    uint64_t rotation_gap_ns;
    unsigned rotations, rotated; /* steps of key rotations, one each gap: all; done */
    uint64_t now_ns;
    uint64_t trace; /* hash of all that happened */
    uint64_t packets, completed;
};

#define TRAFFIC_HOLD(t, condition)                                                           \
    do {                                                                                     \
        if (!(condition))                                                                    \
            ck_abort_msg("at %llu ns: %s; repeat with: %s", (unsigned long long)(t)->now_ns, \
                         #condition, test_again((t)->seed));                                 \
    } while (0)

static inline void traffic_mix(struct traffic *t, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        t->trace = (t->trace ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static inline void traffic_mix_number(struct traffic *t, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        t->trace = (t->trace ^ (uint8_t)(v >> (8 * i))) * UINT64_C(0x100000001b3);
}

static inline uint64_t traffic_tag(unsigned conn, unsigned side, unsigned n, bool response)
{
    return (uint64_t)conn << 48 | (uint64_t)side << 40 | (uint64_t)response << 32 | n;
}

static inline void traffic_same_payload(const struct traffic *t,
                                        const struct fal_endpoint_out *out, uint64_t tag)
{
    uint8_t due[TRAFFIC_BYTES_MAX];

    TRAFFIC_HOLD(t, out->payload_len <= sizeof due);
    fal_payload_fill(tag, t->seed, due, out->payload_len);
    TRAFFIC_HOLD(t, out->payload_len == 0 || memcmp(due, out->payload, out->payload_len) == 0);
}

/* The RSN of the first transaction of a side. */
static inline uint32_t traffic_first_rsn(const struct traffic_conn *conn, unsigned side)
{
    return conn->cm.open[side].local.rsn;
}

/* ---- the ULP of a side ---- */

static inline void traffic_answer(struct traffic *t, unsigned c, unsigned side, uint32_t rsn)
{
    struct traffic_conn *conn = &t->conns[c];
    struct fal_scripted_request *request = fal_scripted_find(&conn->sides[side].ulp, rsn);
    unsigned n = rsn - traffic_first_rsn(conn, 1 - side);
    struct traffic_txn *txn = &conn->sides[1 - side].txns[n];
    uint8_t payload[TRAFFIC_BYTES_MAX];
    struct fal_endpoint_in in = {
        .kind = FAL_IN_RESPOND, .conn = conn->cm.number[side], .rsn = rsn};
    int rc;

    if (request == NULL) {
        TRAFFIC_HOLD(t, false);
        return;
    }
    in.answer = request->plan.answer;
    in.rnr_ns = request->plan.rnr_ns;
    in.code = request->plan.code;
    if (in.answer == FAL_ANSWER_RNR) {
        txn->rnrs++;
    } else {
        txn->taken = true;
        TRAFFIC_HOLD(t, in.answer == txn->last);
    }
    if (in.answer == FAL_ANSWER_DATA) {
        in.length = request->plan.length;
        in.payload = payload;
        fal_payload_fill(traffic_tag(c, 1 - side, n, true), t->seed, payload, in.length);
    }
    fal_scripted_answered(request, in.answer);
    rc = fal_endpoint_input(t->cm.ep[side], &in, t->now_ns, NULL);
    TRAFFIC_HOLD(t, rc == 0 || (t->forgiving && rc == FAL_ERR_RANGE));
}

static inline void traffic_request(struct traffic *t, unsigned c, unsigned side,
                                   const struct fal_endpoint_out *out)
{
    struct traffic_conn *conn = &t->conns[c];
    struct traffic_side *from = &conn->sides[1 - side];
    struct fal_scripted_request *request;
    unsigned n = out->rsn - traffic_first_rsn(conn, 1 - side);
    struct traffic_txn *txn = &from->txns[n];

    TRAFFIC_HOLD(t, n < from->posted);
    TRAFFIC_HOLD(t, out->op == txn->op);
    TRAFFIC_HOLD(t, out->length == txn->length);
    TRAFFIC_HOLD(t, out->redelivery == (txn->delivered > 0));
    TRAFFIC_HOLD(t, txn->delivered == txn->rnrs); /* once, and once for each RNR */
    if (txn->op == FAL_OP_PUSH) {
        TRAFFIC_HOLD(t, out->payload_len == txn->length);
        traffic_same_payload(t, out, traffic_tag(c, 1 - side, n, false));
    }
    if (conn->ordered && txn->delivered == 0) {
        TRAFFIC_HOLD(t, t->forgiving ? n >= from->next_delivery : n == from->next_delivery);
        from->next_delivery = n + 1;
        for (unsigned i = 0; t->instant && i < n; i++) /* 8.5.3.4 */
            TRAFFIC_HOLD(t, from->txns[i].taken || t->forgiving);
    }
    txn->delivered++;
    if (fal_scripted_deliver(&conn->sides[side].ulp, out->rsn, out->op, out->length,
                             &request) != FAL_SCRIPTED_ANSWER)
        TRAFFIC_HOLD(t, false);
    if (request->plan.after_ns == 0)
        traffic_answer(t, c, side, out->rsn);
    else
        t->pending[t->num_pending++] =
            (struct traffic_pending){t->now_ns + request->plan.after_ns, c, side, out->rsn};
}

static inline enum fal_completion traffic_due_code(const struct traffic_txn *txn)
{
    switch (txn->op == FAL_OP_PULL ? FAL_ANSWER_DATA : txn->last) {
    case FAL_ANSWER_CIE: return FAL_CMPL_TARGET_CIE;
    case FAL_ANSWER_NRE: return FAL_CMPL_TARGET_NRE;
    case FAL_ANSWER_CID: return FAL_CMPL_TARGET_CID;
    case FAL_ANSWER_ACK:
    case FAL_ANSWER_DATA:
    case FAL_ANSWER_RNR:
    case FAL_ANSWER_WITHHOLD: break;
    }
    return FAL_CMPL_ACK;
}

static inline void traffic_complete(struct traffic *t, unsigned c, unsigned side,
                                    const struct fal_endpoint_out *out)
{
    struct traffic_conn *conn = &t->conns[c];
    struct traffic_side *own = &conn->sides[side];
    unsigned n = (uint32_t)out->tag;
    struct traffic_txn *txn = &own->txns[n];
    bool lost = out->code == FAL_CMPL_LOCAL_TO || out->code == FAL_CMPL_DEAD_CONN;

    TRAFFIC_HOLD(t, n < own->posted);
    TRAFFIC_HOLD(t, txn->completed == 0);
    TRAFFIC_HOLD(t, out->tag == traffic_tag(c, side, n, false));
    /* What is posted on a dead connection takes no RSN. */
    TRAFFIC_HOLD(t, out->rsn == traffic_first_rsn(conn, side) + n ||
                        out->code == FAL_CMPL_DEAD_CONN);
    txn->completed++;
    t->completed++;
    if (conn->ordered) {
        TRAFFIC_HOLD(t, n == own->next_completion);
        own->next_completion++;
    }
    if (t->forgiving && lost)
        return;
    TRAFFIC_HOLD(t, out->code == traffic_due_code(txn));
    TRAFFIC_HOLD(t, txn->delivered > 0 && txn->taken);
    if (txn->op == FAL_OP_PUSH) {
        TRAFFIC_HOLD(t, out->ulp_nack_code == (txn->last == FAL_ANSWER_ACK ? 0 : txn->code));
    } else {
        TRAFFIC_HOLD(t, out->payload_len == (txn->last == FAL_ANSWER_DATA ? txn->response : 0));
        traffic_same_payload(t, out, traffic_tag(c, side, n, true));
    }
}

/* ---- the wire ---- */

static inline uint64_t traffic_fcs(const struct traffic_front *front, const uint8_t *bytes,
                                   size_t len)
{
    return fal_payload_hash((const uint8_t *)&front->seal, sizeof front->seal) ^
           fal_payload_hash(bytes, len);
}

static inline void traffic_transmit(struct traffic *t, unsigned side,
                                    const struct fal_endpoint_out *out)
{
    uint8_t wire[TRAFFIC_FRAME_MAX];
    struct traffic_front front;
    struct fal_falcon packet;
    const struct fal_simnet_frame frame = {.dir = side == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
                                           .at_ns = t->now_ns,
                                           .bytes = wire,
                                           .len = out->len + sizeof front,
                                           .ecn = FAL_ECN_ECT0,
                                           .ttl = TRAFFIC_TTL,
                                           .packet = &packet};

    TRAFFIC_HOLD(t, frame.len <= sizeof wire);
    TRAFFIC_HOLD(t, fal_falcon_decode(out->bytes, out->len, &packet) > 0);
    memset(&front, 0, sizeof front); /* the padding too: every bit may be hit */
    front.seal.present = out->seal.present;
    front.seal.has_vc = out->seal.has_vc;
    front.seal.spi = out->seal.spi;
    front.seal.iv = out->seal.iv;
    front.seal.vc = out->seal.vc;
    front.fcs = traffic_fcs(&front, out->bytes, out->len);
    memcpy(wire, &front, sizeof front);
    memcpy(wire + sizeof front, out->bytes, out->len);
    TRAFFIC_HOLD(t, fal_simnet_put(t->net, &frame) == 0);
    t->packets++;
}

static inline unsigned traffic_conn_of(const struct traffic *t, unsigned side, uint32_t number)
{
    for (unsigned c = 0; c < t->num_conns; c++)
        if (t->conns[c].cm.number[side] == number)
            return c;
    ck_abort_msg("an output of connection %u; repeat with: %s", (unsigned)number,
                 test_again(t->seed));
    return 0;
}

static inline void traffic_drain(struct traffic *t, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(t->cm.ep[side], &out)) {
        unsigned c = traffic_conn_of(t, side, out.conn);

        traffic_mix_number(t, t->now_ns << 8 | (uint64_t)out.kind << 1 | side);
        traffic_mix(t, out.bytes, out.len);
        traffic_mix(t, out.payload, out.payload_len);
        traffic_mix_number(t,
                           (uint64_t)out.rsn << 32 | (uint64_t)out.code << 1 | out.redelivery);
        if (out.kind == FAL_OUT_PACKET) {
            traffic_transmit(t, side, &out);
        } else if (out.kind == FAL_OUT_REQUEST) {
            traffic_request(t, c, side, &out);
        } else if (out.kind == FAL_OUT_COMPLETE) {
            traffic_complete(t, c, side, &out);
        } else if (out.kind == FAL_OUT_CM && strcmp(out.what, "fatal") == 0) {
            TRAFFIC_HOLD(t, t->forgiving);
            t->conns[c].dead = true;
        }
    }
}

static inline void traffic_check_windows(struct traffic *t, unsigned side)
{
    const struct fal_endpoint *ep = t->cm.ep[side];

    for (uint32_t i = 0; i < ep->num_conns; i++)
        if (ep->conns[i] != NULL)
            TRAFFIC_HOLD(t, txwin_sound(&ep->conns[i]->tx[FAL_WINDOW_REQ]) &&
                                txwin_sound(&ep->conns[i]->tx[FAL_WINDOW_DATA]));
}

/* A tick, or a packet. */
static inline void traffic_input(struct traffic *t, unsigned side,
                                 const struct fal_endpoint_in *in)
{
    TRAFFIC_HOLD(t, fal_endpoint_input(t->cm.ep[side], in, t->now_ns, NULL) == 0);
    traffic_check_windows(t, side);
    traffic_drain(t, side);
}

/* ---- a run ---- */

static inline void traffic_post(struct traffic *t, unsigned c, unsigned side)
{
    struct traffic_side *own = &t->conns[c].sides[side];
    unsigned n = own->posted++;
    uint8_t payload[TRAFFIC_BYTES_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = t->conns[c].cm.number[side],
                                 .op = own->txns[n].op,
                                 .tag = traffic_tag(c, side, n, false),
                                 .length = own->txns[n].length,
                                 .payload = payload};
    uint32_t rsn;

    fal_payload_fill(in.tag, t->seed, payload, in.length);
    TRAFFIC_HOLD(t, fal_endpoint_input(t->cm.ep[side], &in, t->now_ns, &rsn) == 0);
    TRAFFIC_HOLD(t, t->forgiving || rsn == traffic_first_rsn(&t->conns[c], side) + n);
    traffic_drain(t, side);
}

static inline void traffic_rotate(struct traffic *t)
{
    struct cm_conn *conns[TRAFFIC_CONNS_MAX];

    for (unsigned c = 0; c < t->num_conns; c++)
        conns[c] = &t->conns[c].cm;
    TRAFFIC_HOLD(t, cm_rotate(&t->cm, conns, t->num_conns, t->rotated++ % CM_ROTATION_STEPS,
                              t->now_ns) == 0);
    for (unsigned side = 0; side < 2; side++)
        traffic_drain(t, side);
}

/* When the next step of a key rotation is due. */
static inline uint64_t traffic_rotation(const struct traffic *t)
{
    return t->rotated < t->rotations ? (t->rotated + 1) * t->rotation_gap_ns : FAL_NEVER;
}

/* Answers and posts that are due. */
static inline void traffic_play(struct traffic *t)
{
    if (traffic_rotation(t) <= t->now_ns)
        traffic_rotate(t);
    for (unsigned i = 0; i < t->num_pending;) {
        struct traffic_pending pending = t->pending[i];

        if (pending.at_ns > t->now_ns) {
            i++;
            continue;
        }
        t->pending[i] = t->pending[--t->num_pending];
        traffic_answer(t, pending.conn, pending.side, pending.rsn);
        traffic_drain(t, pending.side);
    }
    for (unsigned k = 0; k < 2 * t->num_conns; k++) {
        struct traffic_side *own = &t->conns[k / 2].sides[k % 2];

        while (own->posted < own->num && own->txns[own->posted].post_ns <= t->now_ns)
            traffic_post(t, k / 2, k % 2);
    }
}

static inline uint64_t traffic_next(const struct traffic *t)
{
    uint64_t first = fal_simnet_deadline(t->net);

    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(t->cm.ep[side]) < first)
            first = fal_endpoint_deadline(t->cm.ep[side]);
    for (unsigned k = 0; k < 2 * t->num_conns; k++) {
        const struct traffic_side *own = &t->conns[k / 2].sides[k % 2];

        if (own->posted < own->num && own->txns[own->posted].post_ns < first)
            first = own->txns[own->posted].post_ns;
    }
    for (unsigned i = 0; i < t->num_pending; i++)
        if (t->pending[i].at_ns < first)
            first = t->pending[i].at_ns;
    if (traffic_rotation(t) < first)
        first = traffic_rotation(t);
    return first > t->now_ns ? first : t->now_ns;
}

static inline void traffic_step(struct traffic *t)
{
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_simnet_frame got;
    struct traffic_front front;

    while (fal_simnet_take(t->net, t->now_ns, &got)) {
        struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                     .bytes = got.bytes + sizeof front,
                                     .len = got.len - sizeof front,
                                     .ecn = got.ecn,
                                     .ttl = got.ttl};

        memcpy(&front, got.bytes, sizeof front);
        in.seal = front.seal;
        if (traffic_fcs(&front, in.bytes, in.len) == front.fcs)
            traffic_input(t, got.dir == FAL_TO_SUT ? 1 : 0, &in);
    }
    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(t->cm.ep[side]) <= t->now_ns)
            traffic_input(t, side, &tick);
    traffic_play(t);
}

static inline void traffic_check_end(const struct traffic *t, const struct traffic_conn *conn)
{
    struct fal_endpoint_state state[2];
    struct fal_endpoint_credits left;

    for (unsigned s = 0; s < 2; s++) {
        TRAFFIC_HOLD(t, fal_endpoint_state(t->cm.ep[s], conn->cm.number[s], &state[s]) == 0);
        for (unsigned n = 0; n < conn->sides[s].num; n++)
            TRAFFIC_HOLD(t, conn->sides[s].txns[n].completed == 1);
    }
    if (t->forgiving)
        return;
    for (unsigned s = 0; s < 2; s++) {
        TRAFFIC_HOLD(t, fal_endpoint_quiet(t->cm.ep[s], conn->cm.number[s]));
        TRAFFIC_HOLD(t, state[s].open_initiated == 0 && state[s].open_received == 0);
        TRAFFIC_HOLD(t, state[s].tx_dbpsn == state[s].tx_dnpsn &&
                            state[s].tx_rbpsn == state[s].tx_rnpsn);
        TRAFFIC_HOLD(t, state[s].tx_dbpsn == state[1 - s].rx_dbpsn);
        TRAFFIC_HOLD(t, state[s].tx_rbpsn == state[1 - s].rx_rbpsn);
        TRAFFIC_HOLD(t, fal_endpoint_credits(t->cm.ep[s], conn->cm.number[s], &left) == 0);
        TRAFFIC_HOLD(t, memcmp(&left, &conn->credits[s], sizeof left) == 0); /* none leaked */
    }
}

static inline void traffic_open(struct traffic *t)
{
    t->trace = UINT64_C(0xcbf29ce484222325);
    t->net = fal_simnet_new(t->impair, t->seed);
    ck_assert_ptr_nonnull(t->net);
    t->cm.rng = fal_rng_split(t->seed, 78);
    for (unsigned side = 0; side < 2; side++) {
        t->cm.clock_ps[side] = t->config[side].clock_ps;
        t->cm.ep[side] = fal_endpoint_new(&t->config[side]);
        ck_assert_ptr_nonnull(t->cm.ep[side]);
    }
    for (unsigned c = 0; c < t->num_conns; c++) {
        struct traffic_conn *conn = &t->conns[c];

        ck_assert_int_eq(cm_connect(&t->cm, &conn->cm, 0), 0);
        for (unsigned s = 0; s < 2; s++) {
            struct traffic_side *own = &conn->sides[s];

            ck_assert_int_eq(
                fal_endpoint_credits(t->cm.ep[s], conn->cm.number[s], &conn->credits[s]), 0);
            own->ulp.rules = own->rules;
            own->ulp.num_rules = conn->sides[1 - s].num;
            for (unsigned n = 0; n < own->ulp.num_rules; n++)
                own->rules[n].rsn = traffic_first_rsn(conn, 1 - s) + n;
        }
    }
}

static inline void traffic_free(struct traffic *t)
{
    for (unsigned c = 0; c < t->num_conns; c++) {
        cm_disconnect(&t->cm, &t->conns[c].cm);
        for (unsigned s = 0; s < 2; s++) {
            t->conns[c].sides[s].ulp.rules = NULL;
            fal_scripted_free(&t->conns[c].sides[s].ulp);
        }
    }
    for (unsigned side = 0; side < 2; side++)
        fal_endpoint_free(t->cm.ep[side]);
    fal_simnet_free(t->net);
}

/* Plays what was drawn to its end. */
static inline void traffic_run(struct traffic *t)
{
    uint64_t at_ns;

    while ((at_ns = traffic_next(t)) != FAL_NEVER) {
        TRAFFIC_HOLD(t, at_ns < 900 * FAL_S);
        t->now_ns = at_ns;
        traffic_step(t);
    }
    for (unsigned c = 0; c < t->num_conns; c++)
        traffic_check_end(t, &t->conns[c]);
}

#endif
