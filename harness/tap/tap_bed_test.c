/* SPDX-License-Identifier: Apache-2.0
 * tap_bed_test.c - the mark of congestion in a frame. tests/live/run_tcp.sh runs the bed. */
#include "harness/tap/tap_bed.h"

#include "codecs/frame/checksum.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <string.h>

enum { ETHERNET = 14, V4 = 20, V6 = 40 };

START_TEST(ipv4_keeps_its_checksum)
{
    struct fal_rng rng = {1};

    for (unsigned i = 0; i < 20000; i++) {
        uint8_t b[ETHERNET + V4] = {[12] = 8}, *ip = b + ETHERNET;
        uint16_t sum;

        for (unsigned at = 0; at < V4; at++)
            ip[at] = (uint8_t)fal_rng_next(&rng);
        ip[0] = 0x45;
        ip[10] = ip[11] = 0;
        sum = fal_checksum(ip, V4);
        ip[10] = (uint8_t)(sum >> 8);
        ip[11] = (uint8_t)sum;
        ck_assert_uint_eq(tl_tap_ecn(b, sizeof b), ip[1] & 3);
        tl_tap_mark(b, sizeof b);
        ck_assert_uint_eq(tl_tap_ecn(b, sizeof b), FAL_ECN_CE);
        ck_assert_uint_eq(fal_checksum(ip, V4), 0);
    }
}
END_TEST

START_TEST(ipv6_is_marked_and_nothing_else)
{
    uint8_t b[ETHERNET + V6] = {[12] = 0x86, [13] = 0xdd, [14] = 0x60, [15] = 2 << 4},
                         want[sizeof b];

    memcpy(want, b, sizeof b);
    want[15] = 3 << 4;
    ck_assert_uint_eq(tl_tap_ecn(b, sizeof b), FAL_ECN_ECT0);
    tl_tap_mark(b, sizeof b);
    ck_assert_mem_eq(b, want, sizeof b);
    tl_tap_mark(b, sizeof b - 1); /* too short for its header */
    b[12] = 8, b[13] = 6;         /* ARP */
    memcpy(want, b, sizeof b);
    tl_tap_mark(b, sizeof b);
    ck_assert_mem_eq(b, want, sizeof b);
    ck_assert_uint_eq(tl_tap_ecn(b, sizeof b), FAL_ECN_NOT_ECT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tap_bed");
    TCase *tc = tcase_create("tap_bed");

    tcase_add_test(tc, ipv4_keeps_its_checksum);
    tcase_add_test(tc, ipv6_is_marked_and_nothing_else);
    suite_add_tcase(suite, tc);
    return suite;
}
