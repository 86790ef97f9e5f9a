/* SPDX-License-Identifier: Apache-2.0
 * bench_pair.h - for the tests of this folder: two endpoints over a simulated network, in
 * virtual time. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_PAIR_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_PAIR_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/payload.h"
#include "oracles/simnet.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* What a test does about them; side 0 and 1. */
struct pair;
struct pair_ops {
    /* A request, completion or CM signal; may answer by pair_respond(). */
    void (*event)(struct pair *pair, unsigned side, const struct fal_endpoint_out *out);
    /* A packet about to enter the network: by how much it is held back, FAL_NEVER to drop it.
     * May be NULL. */
    uint64_t (*packet)(struct pair *pair, unsigned side, const struct fal_falcon *packet);
    /* A packet was handed to that side: who stands by the wire may hand it more. May be NULL.
     */
    void (*handed)(struct pair *pair, unsigned side, const struct fal_endpoint_in *in);
};

struct pair {
    const struct pair_ops *ops;
    void *ctx;
    struct fal_endpoint *ep[2];
    struct fal_endpoint_conn open[2];
    struct fal_endpoint_config config[2];
    uint32_t conn[2];
    struct fal_simnet *net;
    bool sealed; /* with security associations; frames carry ECN and TTL too */
    uint64_t now_ns;
    uint64_t trace; /* hash of all that happened */
};

static inline void pair_init(struct pair *pair, const struct pair_ops *ops, void *ctx)
{
    *pair = (struct pair){.ops = ops, .ctx = ctx, .trace = UINT64_C(0xcbf29ce484222325)};
    for (unsigned side = 0; side < 2; side++) {
        fal_params_default(&pair->open[side].params, false);
        pair->open[side].auto_ack = pair->open[side].auto_retransmit = true;
    }
}

enum { PAIR_SPI = 0x1000, PAIR_PCID = 0x77 };

/* The security association of a side; its peer's clock was ahead of Remote Time by a second. */
static inline void pair_secure(struct pair *pair, unsigned side)
{
    pair->open[side].security = (struct fal_endpoint_security){
        .on = true,
        .spi = PAIR_SPI + side,
        .peer_spi = PAIR_SPI + 1 - side,
        .has_vc = true,
        .pcid = PAIR_PCID + side,
        .peer_pcid = PAIR_PCID + 1 - side,
        .remote_time = pair->config[1 - side].clock_ps - 1000 * FAL_S,
    };
}

/* `ends`: of the sides. Both sides have the parameters of their own `open`. */
static inline void pair_open(struct pair *pair, const struct fal_end ends[2],
                             const struct fal_impairment impair[2], uint64_t seed)
{
    pair->net = fal_simnet_new(impair, seed);
    ck_assert_ptr_nonnull(pair->net);
    for (unsigned side = 0; side < 2; side++) {
        pair->config[side].seed = seed + side;
        pair->ep[side] = fal_endpoint_new(&pair->config[side]);
        ck_assert_ptr_nonnull(pair->ep[side]);
        pair->open[side].local = ends[side];
        pair->open[side].peer = ends[1 - side];
        if (pair->sealed)
            pair_secure(pair, side);
        ck_assert_int_eq(fal_endpoint_open(pair->ep[side], &pair->open[side], pair->now_ns,
                                           &pair->conn[side]),
                         0);
    }
}

static inline void pair_free(struct pair *pair)
{
    fal_simnet_free(pair->net);
    fal_endpoint_free(pair->ep[0]);
    fal_endpoint_free(pair->ep[1]);
}

static inline void pair_mix(struct pair *pair, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        pair->trace = (pair->trace ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static inline void pair_mix_number(struct pair *pair, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        pair->trace = (pair->trace ^ (uint8_t)(v >> (8 * i))) * UINT64_C(0x100000001b3);
}

/* Frames carry a checksum in front, in place of the one that a real link would have, and what
 * their seal says. */
struct pair_front {
    uint64_t fcs;
    struct fal_seal seal;
};
enum { PAIR_FRONT_LEN = sizeof(struct pair_front), PAIR_FRAME_MAX = 16384, PAIR_TTL = 64 };

static inline uint64_t pair_fcs(const struct fal_seal *seal, const uint8_t *bytes, size_t len)
{
    return fal_payload_hash(bytes, len) ^ seal->iv ^ seal->vc << 1 ^ (uint64_t)seal->spi << 32;
}

static inline void pair_transmit(struct pair *pair, unsigned side,
                                 const struct fal_endpoint_out *out)
{
    uint8_t frame[PAIR_FRAME_MAX];
    struct pair_front front;
    struct fal_falcon packet;
    uint64_t delay_ns = 0;

    if (out->len + PAIR_FRONT_LEN > sizeof frame)
        ck_abort_msg("a packet that cannot be");
    if (fal_falcon_decode(out->bytes, out->len, &packet) <= 0) {
        if (!fal_fault_any(&pair->config[side].faults)) /* some make them so */
            ck_abort_msg("a packet that cannot be");
    } else if (pair->ops->packet != NULL)
        delay_ns = pair->ops->packet(pair, side, &packet);
    if (delay_ns == FAL_NEVER)
        return;
    memset(&front, 0, sizeof front);
    front.seal = out->seal;
    front.fcs = pair_fcs(&out->seal, out->bytes, out->len);
    memcpy(frame, &front, PAIR_FRONT_LEN);
    memcpy(frame + PAIR_FRONT_LEN, out->bytes, out->len);
    if (fal_simnet_put(pair->net, &(struct fal_simnet_frame){
                                      .dir = side == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
                                      .at_ns = pair->now_ns + delay_ns,
                                      .bytes = frame,
                                      .len = out->len + PAIR_FRONT_LEN,
                                      .ecn = pair->sealed ? FAL_ECN_ECT0 : FAL_ECN_NOT_ECT,
                                      .ttl = pair->sealed ? PAIR_TTL : 0}) < 0)
        ck_abort_msg("out of memory");
}

static inline void pair_drain(struct pair *pair, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(pair->ep[side], &out)) {
        pair_mix_number(pair, pair->now_ns << 8 | (uint64_t)out.kind << 1 | side);
        pair_mix(pair, out.bytes, out.len);
        pair_mix(pair, out.payload, out.payload_len);
        pair_mix_number(pair, out.seal.iv ^ out.seal.vc << 1 ^ (uint64_t)out.seal.spi << 32);
        pair_mix_number(pair,
                        (uint64_t)out.rsn << 32 | (uint64_t)out.code << 1 | out.redelivery);
        if (out.kind == FAL_OUT_PACKET)
            pair_transmit(pair, side, &out);
        else if (out.kind != FAL_OUT_NOTE)
            pair->ops->event(pair, side, &out);
    }
}

static inline int pair_input(struct pair *pair, unsigned side, struct fal_endpoint_in in,
                             uint32_t *rsn)
{
    int rc;

    in.conn = pair->conn[side];
    rc = fal_endpoint_input(pair->ep[side], &in, pair->now_ns, rsn);
    pair_drain(pair, side);
    return rc;
}

/* From within `event`: the outputs follow in the loop that called it. */
static inline int pair_respond(struct pair *pair, unsigned side, struct fal_endpoint_in in)
{
    in.kind = FAL_IN_RESPOND;
    in.conn = pair->conn[side];
    return fal_endpoint_input(pair->ep[side], &in, pair->now_ns, NULL);
}

static inline uint64_t pair_deadline(const struct pair *pair)
{
    uint64_t first = fal_simnet_deadline(pair->net);

    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(pair->ep[side]) < first)
            first = fal_endpoint_deadline(pair->ep[side]);
    return first;
}

/* A frame has crossed the network. On a plain link a broken one is lost; a sealed one arrives,
 * and cannot be opened. */
static inline void pair_hand(struct pair *pair, const struct fal_simnet_frame *frame)
{
    unsigned side = frame->dir == FAL_TO_SUT ? 1 : 0;
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = frame->bytes + PAIR_FRONT_LEN,
                                 .len = frame->len - PAIR_FRONT_LEN,
                                 .ecn = frame->ecn,
                                 .ttl = frame->ttl};
    struct pair_front front;

    memcpy(&front, frame->bytes, PAIR_FRONT_LEN);
    if (pair_fcs(&front.seal, in.bytes, in.len) != front.fcs) {
        if (!pair->sealed)
            return;
        in.integrity = FAL_NOT_OPENED;
    }
    in.seal = front.seal;
    in.seal.present = in.seal.has_vc = pair->sealed;
    if (pair_input(pair, side, in, NULL) != 0)
        ck_abort_msg("a packet was refused");
    if (pair->ops->handed != NULL)
        pair->ops->handed(pair, side, &in);
}

/* All that happens at `now_ns`, which is at most pair_deadline(). */
static inline void pair_at(struct pair *pair, uint64_t now_ns)
{
    struct fal_simnet_frame frame;

    if (now_ns < pair->now_ns)
        ck_abort_msg("time goes back");
    pair->now_ns = now_ns;
    while (fal_simnet_take(pair->net, now_ns, &frame))
        pair_hand(pair, &frame);
    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(pair->ep[side]) <= now_ns &&
            pair_input(pair, side, (struct fal_endpoint_in){.kind = FAL_IN_TICK}, NULL) != 0)
            ck_abort_msg("a tick was refused");
}

/* Runs until nothing is left to happen, or until `until_ns`. */
static inline void pair_run(struct pair *pair, uint64_t until_ns)
{
    uint64_t at_ns;

    while ((at_ns = pair_deadline(pair)) <= until_ns && at_ns != FAL_NEVER)
        pair_at(pair, at_ns);
}

#endif
