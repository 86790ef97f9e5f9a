/* SPDX-License-Identifier: Apache-2.0
 * bitloop_test.h - for tests: fields read and written a bit at a time, evidently right, to hold
 * the straight-line code against; room for any host struct; and random numbers by seed. */
#ifndef FAL_CODECS_HEADER_BITLOOP_TEST_H
#define FAL_CODECS_HEADER_BITLOOP_TEST_H

#include "codecs/header/falcon.h"
#include "codecs/header/headers.h"
#include "codecs/header/ulp.h"

enum { TEST_HEADER_MAX = 80, TEST_FIELDS_MAX = 40 };

union test_host {
    struct fal_eth eth;
    struct fal_ipv4 ipv4;
    struct fal_ipv6 ipv6;
    struct fal_udp udp;
    struct fal_psp psp;
    struct fal_psp_vc psp_vc;
    struct fal_falcon falcon;
    struct fal_vlan vlan;
    struct fal_sll sll;
    struct fal_sll2 sll2;
    struct fal_ipv6_ext ipv6_ext;
    struct fal_ipv6_fragment ipv6_fragment;
    struct fal_esp esp;
    struct fal_esp_iv esp_iv;
    struct fal_esp_trailer esp_trailer;
    struct fal_nvme nvme;
    struct fal_rdma rdma;
    struct fal_roce roce;
    struct fal_aeth aeth;
    struct fal_roce_deth roce_deth;
    struct fal_cnp cnp;
};

static inline fal_u128 bitloop_get(const uint8_t *wire, size_t off, size_t width)
{
    fal_u128 v = 0;

    for (size_t bit = off; bit < off + width; bit++) {
        v = v << 1 | (wire[bit / 8] >> (7 - bit % 8) & 1);
    }
    return v;
}

static inline void bitloop_set(uint8_t *wire, size_t off, size_t width, fal_u128 v)
{
    for (size_t i = 0; i < width; i++) {
        size_t bit = off + width - 1 - i;
        unsigned mask = 0x80u >> bit % 8;

        wire[bit / 8] = (uint8_t)(wire[bit / 8] & ~mask);
        if (fal_u128_test(v, (unsigned)i))
            wire[bit / 8] = (uint8_t)(wire[bit / 8] | mask);
    }
}

/* A field of one or two segments. The half that comes second has the more significant bits. */
static inline fal_u128 bitloop_get_field(const uint8_t *wire, const struct fal_field *f)
{
    size_t half = f->width_bits / 2u;

    if (!f->low_first)
        return bitloop_get(wire, f->offset_bits, f->width_bits);
    return fal_u128_shl(bitloop_get(wire, f->offset_bits + half, f->width_bits - half),
                        (unsigned)half) |
           bitloop_get(wire, f->offset_bits, half);
}

static inline void bitloop_set_field(uint8_t *wire, const struct fal_field *f, fal_u128 v)
{
    size_t half = f->width_bits / 2u;

    if (!f->low_first) {
        bitloop_set(wire, f->offset_bits, f->width_bits, v);
        return;
    }
    bitloop_set(wire, f->offset_bits, half, v);
    bitloop_set(wire, f->offset_bits + half, f->width_bits - half,
                fal_u128_shr(v, (unsigned)half));
}

/* Whether two packets agree in every member of every type; the padding of the struct is
 * ignored. */
static inline bool test_same_packet(const struct fal_falcon *a, const struct fal_falcon *b)
{
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);

        for (size_t i = 0; layout != NULL && i < layout->num_fields; i++)
            if (fal_field_get(&layout->fields[i], a) != fal_field_get(&layout->fields[i], b))
                return false;
    }
    return true;
}

/* splitmix64 */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void test_random_bytes(uint64_t *state, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(test_random(state) >> 56);
}

#endif
