/* SPDX-License-Identifier: Apache-2.0
 * bench_sealed.h - for the tests of this folder: bench_solo.h on a sealed link, with the keys
 * and clocks in the test's hand. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_SEALED_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_SEALED_H

#include "oracles/endpoint/base/clock.h"
#include "oracles/endpoint/rig/bench_solo.h"

#define SEALED_TIME   UINT64_C(0x5000000000000000) /* Remote Time as the CM sets it */
#define SEALED_MARGIN (100 * FAL_US * 1000)        /* ps: the default replay margin */

enum {
    SEALED_SPI = 0x10,
    SEALED_PEER_SPI = 0x20,
    SEALED_PCID = 0x1234,
    SEALED_PEER_PCID = 0x5678
};

/* To be changed before sealed_open(). */
static inline struct solo *sealed_new(void)
{
    struct solo *s = solo_new();

    s->open.security = (struct fal_endpoint_security){
        .on = true,
        .spi = SEALED_SPI,
        .peer_spi = SEALED_PEER_SPI,
        .has_vc = true,
        .pcid = SEALED_PCID,
        .peer_pcid = SEALED_PEER_PCID,
        .remote_time = SEALED_TIME,
    };
    return s;
}

static inline struct solo *sealed(void)
{
    struct solo *s = sealed_new();

    solo_open(s);
    return s;
}

/* As the peer seals it; `iv` counts from SEALED_TIME, in ps. */
static inline struct fal_seal sealed_by_peer(int64_t iv)
{
    return (struct fal_seal){.present = true,
                             .has_vc = true,
                             .spi = SEALED_SPI,
                             .iv = SEALED_TIME + (uint64_t)iv,
                             .vc = SEALED_PCID};
}

/* How a packet arrives. */
struct sealed_arrival {
    struct fal_seal seal;
    enum fal_integrity integrity;
    uint32_t t1;
    uint8_t ecn, ttl;
    uint64_t age_ns;
};

static inline void sealed_feed_as(struct solo *s, const struct fal_falcon *packet,
                                  struct sealed_arrival how)
{
    uint8_t bytes[FAL_HEADER_MAX + 16];
    bool push = packet->packet_type == FAL_PUSH_DATA;
    int n = fal_falcon_encode(packet, (const uint8_t *)"push", push ? 4 : 0, bytes,
                              sizeof bytes, NULL);
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = bytes,
                                 .len = (size_t)n,
                                 .integrity = how.integrity,
                                 .seal = how.seal,
                                 .t1 = how.t1,
                                 .age_ns = how.age_ns,
                                 .ecn = how.ecn,
                                 .ttl = how.ttl};

    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
}

static inline void sealed_feed(struct solo *s, const struct fal_falcon *packet,
                               struct fal_seal seal)
{
    sealed_feed_as(s, packet, (struct sealed_arrival){.seal = seal});
}

/* Sealed now; an ACK is of a packet that left just now, when the test does not say otherwise.
 */
static inline void sealed_feed_now(struct solo *s, const struct fal_falcon *ack)
{
    struct fal_falcon packet = *ack;

    if (fal_falcon_is_ack(ack->packet_type) && ack->t1 == 0)
        packet.t1 = (uint32_t)(s->now_ns * 1000 >> 17);
    sealed_feed(s, &packet, sealed_by_peer((int64_t)s->now_ns * 1000));
}

/* The n-th push of the peer. */
static inline struct fal_falcon sealed_push(uint32_t n)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + n, PEER_RSN + n);

    p.request_length = 4;
    return p;
}

/* Whether the n-th push gets through with that seal. */
static inline bool sealed_takes(struct solo *s, uint32_t n, struct fal_seal seal)
{
    struct fal_falcon p = sealed_push(n);
    size_t before = solo_count(s, FAL_OUT_REQUEST);

    sealed_feed(s, &p, seal);
    return solo_count(s, FAL_OUT_REQUEST) > before;
}

static inline void sealed_order(struct solo *s, enum fal_cm_order order, uint32_t spi,
                                uint64_t iv)
{
    const struct fal_endpoint_in in = {
        .kind = FAL_IN_CM, .conn = s->conn, .order = order, .seal = {.spi = spi, .iv = iv}};

    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    solo_drain(s);
}

/* Steps 1 and 2 of a rotation. */
static inline void sealed_rotate(struct solo *s, uint32_t spi, uint64_t remote_time)
{
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    sealed_order(s, FAL_CM_NEW_SPI, spi, remote_time);
}

/* How often the CM heard that. */
static inline size_t sealed_told(const struct solo *s, const char *what)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->outs[i].out.kind == FAL_OUT_CM && strcmp(s->outs[i].what, what) == 0;
    return n;
}

#endif
