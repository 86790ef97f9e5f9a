/* SPDX-License-Identifier: Apache-2.0
 * bench_solo.h - for the tests of this folder: one endpoint played with by hand in virtual
 * time, its outputs kept. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_SOLO_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_SOLO_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/payload.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOLO_CID = 5, /* the endpoint's */
    SOLO_PEER_CID = 9,
    SOLO_REQ = 100, /* first PSNs and RSNs: of the endpoint */
    SOLO_DATA = 200,
    SOLO_RSN = 1,
    PEER_REQ = 1100, /* of its peer, who is the test */
    PEER_DATA = 1200,
    PEER_RSN = 1001,
    SOLO_OUTS_MAX = 2048,
    SOLO_BYTES_MAX = 64,
};

struct solo_out {
    struct fal_endpoint_out out;
    struct fal_falcon packet; /* PACKET */
    uint64_t at_ns;
    uint8_t bytes[SOLO_BYTES_MAX]; /* the first ones of the payload */
    char what[SOLO_BYTES_MAX];
};

struct solo {
    struct fal_endpoint *ep;
    struct fal_endpoint_config config;
    struct fal_endpoint_conn open;
    uint32_t conn;
    uint64_t now_ns;
    size_t n;
    struct solo_out outs[SOLO_OUTS_MAX];
};

/* A configuration to be changed before solo_open(). The caller frees with solo_free(). */
static inline struct solo *solo_new(void)
{
    struct solo *s = calloc(1, sizeof *s);

    ck_assert_ptr_nonnull(s);
    s->now_ns = 1000000;
    fal_params_default(&s->open.params, false);
    s->open.local = (struct fal_end){SOLO_CID, 3, SOLO_REQ, SOLO_DATA, SOLO_RSN};
    s->open.peer = (struct fal_end){SOLO_PEER_CID, 4, PEER_REQ, PEER_DATA, PEER_RSN};
    s->open.auto_ack = s->open.auto_retransmit = true;
    return s;
}

static inline void solo_fault(struct solo *s, enum fal_fault_id id)
{
    fal_fault_add(&s->config.faults, id);
}

static inline void solo_open(struct solo *s)
{
    s->ep = fal_endpoint_new(&s->config);
    ck_assert_ptr_nonnull(s->ep);
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
}

static inline struct solo *solo(void)
{
    struct solo *s = solo_new();

    solo_open(s);
    return s;
}

static inline struct solo *solo_cwnd(uint32_t fcwnd, uint32_t ncwnd)
{
    struct solo *s = solo_new();

    s->open.params.fcwnd = fcwnd;
    s->open.params.ncwnd = ncwnd;
    solo_open(s);
    return s;
}

static inline void solo_free(struct solo *s)
{
    fal_endpoint_free(s->ep);
    free(s);
}

static inline void solo_drain(struct solo *s)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(s->ep, &out)) {
        struct solo_out *keep = &s->outs[s->n++];

        ck_assert_uint_lt(s->n, SOLO_OUTS_MAX);
        keep->out = out;
        keep->at_ns = s->now_ns;
        if (out.kind == FAL_OUT_PACKET) {
            int header = fal_falcon_decode(out.bytes, out.len, &keep->packet);

            ck_assert_int_gt(header, 0);
            keep->out.payload = out.bytes + header;
            keep->out.payload_len = (uint32_t)(out.len - (size_t)header);
        }
        if (out.kind == FAL_OUT_RUE) {
            keep->out.payload = out.bytes;
            keep->out.payload_len = (uint32_t)out.len;
        }
        if (keep->out.payload_len > 0)
            memcpy(keep->bytes, keep->out.payload,
                   keep->out.payload_len < SOLO_BYTES_MAX ? keep->out.payload_len
                                                          : SOLO_BYTES_MAX);
        keep->out.payload = keep->bytes;
        if (out.what != NULL)
            strncpy(keep->what, out.what, SOLO_BYTES_MAX - 1);
        keep->out.what = keep->what;
    }
}

/* Lets time pass; every timer fires at its moment. */
static inline void solo_to(struct solo *s, uint64_t now_ns)
{
    struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    uint64_t at_ns;

    while ((at_ns = fal_endpoint_deadline(s->ep)) <= now_ns) {
        ck_assert_uint_ge(at_ns, s->now_ns);
        s->now_ns = at_ns;
        ck_assert_int_eq(fal_endpoint_input(s->ep, &tick, s->now_ns, NULL), 0);
        solo_drain(s);
    }
    s->now_ns = now_ns;
}

static inline void solo_wait(struct solo *s, uint64_t ns)
{
    solo_to(s, s->now_ns + ns);
}

/* Forgets the outputs so far. */
static inline void solo_forget(struct solo *s)
{
    s->n = 0;
}

/* A packet of the peer, filled in but for what the test is about. */
static inline struct fal_falcon solo_packet(enum fal_packet_type type, uint32_t psn,
                                            uint32_t rsn)
{
    struct fal_falcon p;

    fal_falcon_init(&p, type);
    p.dest_cid = SOLO_CID;
    p.dest_function = 3;
    if (!fal_falcon_is_ack(type))
        p.protocol_type = 2;
    p.recv_data_base_psn = SOLO_DATA;
    p.recv_req_base_psn = SOLO_REQ;
    p.psn = psn;
    p.rsn = rsn;
    return p;
}

struct solo_arrival {
    uint32_t t1;
    uint8_t ecn, ttl;
};

static inline void solo_feed_bytes(struct solo *s, const uint8_t *bytes, size_t len,
                                   struct solo_arrival how)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = bytes,
                                 .len = len,
                                 .t1 = how.t1,
                                 .ecn = how.ecn,
                                 .ttl = how.ttl};

    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
}

static inline void solo_feed(struct solo *s, const struct fal_falcon *packet,
                             const void *payload, size_t len)
{
    uint8_t bytes[FAL_HEADER_MAX + 8192];
    int n = fal_falcon_encode(packet, payload, len, bytes, sizeof bytes, NULL);

    ck_assert_int_gt(n, 0);
    solo_feed_bytes(s, bytes, (size_t)n, (struct solo_arrival){0});
}

static inline void solo_feed_push(struct solo *s, uint32_t n, bool ar)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + n, PEER_RSN + n);

    p.request_length = 4;
    p.ack_req = ar;
    solo_feed(s, &p, "push", 4);
}

static inline void solo_feed_pull(struct solo *s, uint32_t psn, uint32_t rsn, bool ar)
{
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + psn, PEER_RSN + rsn);

    p.request_length = 8;
    p.ack_req = ar;
    solo_feed(s, &p, NULL, 0);
}

/* A BACK with bases so far beyond the first PSNs. */
static inline void solo_feed_back(struct solo *s, uint32_t req, uint32_t data)
{
    struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);

    p.recv_req_base_psn += req;
    p.recv_data_base_psn += data;
    solo_feed(s, &p, NULL, 0);
}

static inline struct fal_falcon solo_nack(uint32_t psn, enum fal_nack_code code)
{
    struct fal_falcon p = solo_packet(FAL_NACK, 0, 0);

    p.nack_psn = psn;
    p.nack_code = (uint8_t)code;
    return p;
}

static inline uint32_t solo_post(struct solo *s, enum fal_ulp_op op, uint32_t length,
                                 uint64_t tag)
{
    uint8_t payload[8192];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = s->conn,
                                 .op = op,
                                 .tag = tag,
                                 .length = length,
                                 .payload = op == FAL_OP_PUSH ? payload : NULL};
    uint32_t rsn;

    ck_assert_uint_le(length, sizeof payload);
    fal_payload_fill(tag, 1, payload, length);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, &rsn), 0);
    solo_drain(s);
    return rsn;
}

static inline void solo_post_many(struct solo *s, enum fal_ulp_op op, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        solo_post(s, op, 4, i);
}

static inline void solo_feed_eack(struct solo *s, uint32_t base, uint64_t ack, uint64_t rx,
                                  unsigned own)
{
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    p.recv_data_base_psn += base;
    p.data_ack_bitmap = ack;
    p.data_rx_bitmap = rx;
    p.own = (uint8_t)own;
    solo_feed(s, &p, NULL, 0);
}

static inline int solo_answer(struct solo *s, struct fal_endpoint_in in, uint32_t rsn,
                              enum fal_answer answer)
{
    int rc;

    in.kind = FAL_IN_RESPOND;
    in.conn = s->conn;
    in.rsn = PEER_RSN + rsn;
    in.answer = answer;
    rc = fal_endpoint_input(s->ep, &in, s->now_ns, NULL);
    solo_drain(s);
    return rc;
}

static inline void solo_ack(struct solo *s, uint32_t rsn)
{
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){0}, rsn, FAL_ANSWER_ACK), 0);
}

static inline void solo_rnr(struct solo *s, uint32_t rsn, uint64_t rnr_ns)
{
    ck_assert_int_eq(
        solo_answer(s, (struct fal_endpoint_in){.rnr_ns = rnr_ns}, rsn, FAL_ANSWER_RNR), 0);
}

/* How many outputs of that kind, or packets of that type, are kept. */
static inline size_t solo_count(const struct solo *s, enum fal_out_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->outs[i].out.kind == kind;
    return n;
}

static inline size_t solo_packets(const struct solo *s, enum fal_packet_type type)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->outs[i].out.kind == FAL_OUT_PACKET && s->outs[i].packet.packet_type == type;
    return n;
}

/* The n-th (from 0) of them; the test fails when there is none. */
static inline const struct solo_out *solo_nth(const struct solo *s, enum fal_out_kind kind,
                                              size_t n)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->outs[i].out.kind == kind && n-- == 0)
            return &s->outs[i];
    ck_abort_msg("no such output of kind %d", (int)kind);
    return NULL;
}

static inline const struct solo_out *solo_sent(const struct solo *s, enum fal_packet_type type,
                                               size_t n)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->outs[i].out.kind == FAL_OUT_PACKET && s->outs[i].packet.packet_type == type &&
            n-- == 0)
            return &s->outs[i];
    ck_abort_msg("no such %s", fal_falcon_type_name(type));
    return NULL;
}

static inline struct fal_endpoint_state solo_state(const struct solo *s)
{
    struct fal_endpoint_state state;

    ck_assert_int_eq(fal_endpoint_state(s->ep, s->conn, &state), 0);
    return state;
}

/* The one ACK that was sent since the last forgetting. */
static inline const struct fal_falcon *solo_the_ack(const struct solo *s,
                                                    enum fal_packet_type type)
{
    ck_assert_uint_eq(solo_packets(s, FAL_BACK) + solo_packets(s, FAL_EACK), 1);
    return &solo_sent(s, type, 0)->packet;
}

static inline void solo_no_ack(const struct solo *s)
{
    ck_assert_uint_eq(solo_packets(s, FAL_BACK) + solo_packets(s, FAL_EACK), 0);
}

static inline void solo_feed_pull_data(struct solo *s, uint32_t psn, uint32_t rsn, bool ar)
{
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + psn, SOLO_RSN + rsn);

    p.ack_req = ar;
    solo_feed(s, &p, "data", 4);
}

static inline void solo_feed_resync(struct solo *s, enum fal_packet_type of, uint32_t psn,
                                    uint32_t rsn, bool ar)
{
    struct fal_falcon p = solo_packet(FAL_RESYNC, psn, PEER_RSN + rsn);

    p.resync_packet_type = (uint8_t)of;
    p.ack_req = ar;
    solo_feed(s, &p, NULL, 0);
}

#endif
