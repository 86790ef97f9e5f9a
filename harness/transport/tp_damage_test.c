/* SPDX-License-Identifier: Apache-2.0
 * tp_damage_test.c - frames of TCP that the network has damaged, and those that only look so.
 */
#include "harness/transport/tp_damage.h"

#include "codecs/frame/checksum.h"
#include "codecs/header/tcp.h"
#include "tests/testing.h"

#include <string.h>

enum { ETHERNET = 14, V4 = 20, V6 = 40, TCP = 20, DATA = 7, SUM_AT = 16, LEN = TCP + DATA };

static void put16(uint8_t *p, unsigned n)
{
    p[0] = (uint8_t)(n >> 8);
    p[1] = (uint8_t)n;
}

/* Fills in the checksum of TCP by the definition of RFC 9293 3.1. */
static void seal(uint8_t *tcp, const uint8_t *addresses, size_t n)
{
    uint8_t all[2 * 16 + 6 + LEN] = {0};

    memcpy(all, addresses, n);
    put16(all + n, FAL_PROTOCOL_TCP);
    put16(all + n + 4, LEN);
    memcpy(all + n + 6, tcp, LEN);
    put16(tcp + SUM_AT, fal_checksum(all, n + 6 + LEN));
}

static size_t make_v4(uint8_t *b)
{
    static const uint8_t addresses[] = {10, 0, 0, 1, 10, 0, 0, 2};
    uint8_t *ip = b + ETHERNET, *tcp = ip + V4;

    memset(b, 0, ETHERNET + V4 + LEN);
    put16(b + 12, 0x0800);
    ip[0] = 0x45;
    put16(ip + 2, V4 + LEN);
    ip[8] = 64;
    ip[9] = FAL_PROTOCOL_TCP;
    memcpy(ip + 12, addresses, sizeof addresses);
    put16(ip + 10, fal_checksum(ip, V4));
    tcp[12] = 5 << 4;
    memcpy(tcp + TCP, "payload", DATA);
    seal(tcp, ip + 12, 8);
    return ETHERNET + V4 + LEN;
}

static size_t make_v6(uint8_t *b)
{
    uint8_t *ip = b + ETHERNET, *tcp = ip + V6;

    memset(b, 0, ETHERNET + V6 + LEN);
    put16(b + 12, 0x86dd);
    ip[0] = 0x60;
    put16(ip + 4, LEN);
    ip[6] = FAL_PROTOCOL_TCP;
    ip[8] = 0xfd;
    ip[39] = 2;
    tcp[12] = 5 << 4;
    memcpy(tcp + TCP, "payload", DATA);
    seal(tcp, ip + 8, 32);
    return ETHERNET + V6 + LEN;
}

static bool damaged(const uint8_t *bytes, size_t caplen, size_t len)
{
    const struct fal_captured captured = {bytes, (uint32_t)caplen, (uint32_t)len, 1};
    static struct fal_frame frame;

    ck_assert_int_eq(fal_frame_decode(&captured, NULL, NULL, &frame), 0);
    ck_assert(fal_frame_has(&frame, FAL_LAYER_RAW));
    return tl_tp_damaged(&frame, LEN);
}

START_TEST(each_bit_counts)
{
    uint8_t b[ETHERNET + V6 + LEN];

    for (unsigned v6 = 0; v6 < 2; v6++) {
        const size_t len = v6 ? make_v6(b) : make_v4(b), addresses = ETHERNET + (v6 ? 8 : 12);

        ck_assert(!damaged(b, len, len));
        for (size_t bit = addresses * 8; bit < len * 8; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            ck_assert_msg(damaged(b, len, len), "IPv%d, bit %zu", v6 ? 6 : 4, bit);
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    b[0] ^= 1; /* the Ethernet header has no checksum here */
    ck_assert(!damaged(b, ETHERNET + V6 + LEN, ETHERNET + V6 + LEN));
}
END_TEST

START_TEST(a_header_of_ipv4_has_its_own)
{
    uint8_t b[ETHERNET + V6 + LEN];
    const size_t len = make_v4(b);

    b[ETHERNET + 8] ^= 1; /* the TTL */
    ck_assert(damaged(b, len, len));
    put16(b + ETHERNET + 10, 0); /* left to the device */
    ck_assert(!damaged(b, len, len));
}
END_TEST

START_TEST(what_the_device_computes_is_not_there_yet)
{
    uint8_t b[ETHERNET + V6 + LEN], pseudo[14] = {0};
    const size_t len = make_v4(b);
    uint8_t *sum = b + ETHERNET + V4 + SUM_AT;

    put16(sum, 0);
    ck_assert(!damaged(b, len, len));
    memcpy(pseudo, b + ETHERNET + 12, 8);
    put16(pseudo + 8, FAL_PROTOCOL_TCP);
    put16(pseudo + 12, LEN);
    put16(sum, (uint16_t)~fal_checksum(pseudo, sizeof pseudo));
    ck_assert(!damaged(b, len, len));
    sum[1] ^= 1;
    ck_assert(damaged(b, len, len));
    ck_assert(!damaged(b, len - 1, len)); /* cut: nobody knows */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tp_damage");
    TCase *tc = tcase_create("tp_damage");

    tcase_add_test(tc, each_bit_counts);
    tcase_add_test(tc, a_header_of_ipv4_has_its_own);
    tcase_add_test(tc, what_the_device_computes_is_not_there_yet);
    suite_add_tcase(suite, tc);
    return suite;
}
