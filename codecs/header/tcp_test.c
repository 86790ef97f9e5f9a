/* SPDX-License-Identifier: Apache-2.0
 * tcp_test.c - headers of TCP with options, cut and wrong ones. */
#include "codecs/header/tcp.h"

#include "tests/testing.h"

#include <string.h>

static const uint8_t syn[] = {0x9c, 0x40, 0x00, 0x50, 0x01, 0x02, 0x03, 0x04, 0x00, 0x00, 0x00,
                              0x00, 0xa0, 0x02, 0xfa, 0xf0, 0x00, 0x00, 0x00, 0x00,
                              /* MSS 1460, SACK permitted, timestamps, NOP, scale 7 */
                              0x02, 0x04, 0x05, 0xb4, 0x04, 0x02, 0x08, 0x0a, 0x00, 0x00, 0x00,
                              0x11, 0x00, 0x00, 0x00, 0x00, 0x01, 0x03, 0x03, 0x07};
static const uint8_t ack[] = {0x00, 0x50, 0x9c, 0x40, 0x00, 0x00, 0x00, 0x01, 0xff, 0xff, 0xff,
                              0xf0, 0x80, 0x10, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                              /* NOP, NOP, a SACK block over the end of the numbers */
                              0x01, 0x01, 0x05, 0x0a, 0xff, 0xff, 0xff, 0xf8, 0x00, 0x00, 0x00,
                              0x08};

START_TEST(options_are_read)
{
    struct fal_tcp t;

    ck_assert_int_eq(fal_tcp_decode(syn, sizeof syn, &t), 40);
    ck_assert_uint_eq(t.src_port, 40000);
    ck_assert_uint_eq(t.dst_port, 80);
    ck_assert_uint_eq(t.seq, 0x01020304);
    ck_assert_uint_eq(t.flags, FAL_TCP_SYN);
    ck_assert_uint_eq(t.window, 64240);
    ck_assert(t.has_mss && t.mss == 1460 && t.sack_permitted);
    ck_assert(t.has_scale && t.scale == 7 && t.has_timestamps && t.ts_value == 17);
    ck_assert_int_eq(fal_tcp_decode(ack, sizeof ack, &t), 32);
    ck_assert_uint_eq(t.ack, 0xfffffff0);
    ck_assert_uint_eq(t.num_sacks, 1);
    ck_assert_uint_eq(t.sack_first[0], 0xfffffff8);
    ck_assert_uint_eq(t.sack_end[0], 8);
}
END_TEST

START_TEST(what_is_cut_is_not_read)
{
    struct fal_tcp t;
    uint8_t wrong[sizeof syn];

    for (size_t len = 0; len < sizeof syn; len++)
        ck_assert_int_eq(fal_tcp_decode(syn, len, &t), FAL_ERR_SHORT);
    memcpy(wrong, syn, sizeof wrong);
    wrong[12] = 0x40;
    ck_assert_int_eq(fal_tcp_decode(wrong, sizeof wrong, &t), FAL_ERR_SHORT);
    for (unsigned at = 20; at < sizeof syn; at++) /* any length of any option */
        for (unsigned value = 0; value < 256; value++) {
            memcpy(wrong, syn, sizeof wrong);
            wrong[at] = (uint8_t)value;
            ck_assert_int_eq(fal_tcp_decode(wrong, sizeof wrong, &t), 40);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tcp");
    TCase *tc = tcase_create("tcp");

    tcase_add_test(tc, options_are_read);
    tcase_add_test(tc, what_is_cut_is_not_read);
    suite_add_tcase(suite, tc);
    return suite;
}
