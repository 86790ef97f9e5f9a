/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/bitloop_test.h"
#include "codecs/text/text_full.h"
#include "tests/testing.h"

static char text[FAL_TEXT_FULL_MAX];

static bool has_line(const char *line)
{
    return strstr(text, line) != NULL;
}

START_TEST(a_push_in_full)
{
    struct fal_falcon push;

    fal_falcon_init(&push, FAL_PUSH_DATA);
    push.dest_cid = 17;
    push.reserved_1 = 3;
    push.request_length = 64;
    (void)fal_text_full(&fal_push_data_layout, &push, text, sizeof text);
    ck_assert_msg(has_line("    w0[8..31]       dest_cid            17  # connection"), "%s",
                  text);
    ck_assert(has_line("    w1[31]          ack_req             0  # AR"));
    ck_assert(has_line("    w1[27..30]      packet_type         5 push_data  # "));
    ck_assert(has_line("    w2              recv_data_base_psn  0  # "));
    ck_assert(has_line("    w6[0..15]       reserved_1          3 (not legal)\n"));
    ck_assert(has_line("    w6[16..31]      request_length      64  # bytes of payload"));
    push.protocol_type = 5;
    (void)fal_text_full(&fal_push_data_layout, &push, text, sizeof text);
    ck_assert(has_line("protocol_type       5 (reserved)  # upper layer"));
}
END_TEST

START_TEST(words_segments_and_addresses)
{
    struct fal_nvme read = {.slba = UINT64_C(0x0123456789abcdef)};
    struct fal_falcon back = {.packet_type = FAL_BACK, .reserved_3 = 1};
    struct fal_ipv4 ip = {.src = 0x0a000001};
    struct fal_eth eth = {.dst = UINT64_C(0x020000000002)};
    struct fal_ipv6 ip6 = {.dst = fal_u128_halves(UINT64_C(0xfd00) << 48, 2)};

    (void)fal_text_full(&fal_nvme_read_request_layout, &read, text, sizeof text);
    ck_assert_msg(has_line("    w10,w9          slba                0x0123456789abcdef  # "),
                  "%s", text);
    ck_assert(has_line(
        "    w4..w7          reserved_2          0x00000000000000000000000000000000\n"));
    (void)fal_text_full(&fal_back_layout, &back, text, sizeof text);
    ck_assert(has_line("    w6[23]..w7[7]   reserved_3          1 (not legal)\n"));
    (void)fal_text_full(&fal_ipv4_layout, &ip, text, sizeof text);
    ck_assert(has_line("src                 10.0.0.1  # "));
    (void)fal_text_full(&fal_eth_layout, &eth, text, sizeof text);
    ck_assert(has_line("dst                 02:00:00:00:00:02  # "));
    (void)fal_text_full(&fal_ipv6_layout, &ip6, text, sizeof text);
    ck_assert(has_line("    w6..w9          dst                 fd00::2  # "));
}
END_TEST

/* Every header with every bit set fits, has a line a field, and is cut like snprintf's. */
START_TEST(every_header_fits)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        uint8_t wire[TEST_HEADER_MAX];
        char small[50];
        union test_host host;
        size_t len, lines = 0;

        memset(wire, 0xff, sizeof wire);
        layouts[i]->decode(wire, &host);
        len = fal_text_full(layouts[i], &host, text, sizeof text);
        ck_assert_uint_lt(len, sizeof text);
        ck_assert_uint_eq(len, strlen(text));
        for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
            lines++;
        ck_assert_uint_eq(lines, layouts[i]->num_fields);
        ck_assert_uint_eq(fal_text_full(layouts[i], &host, small, sizeof small), len);
        ck_assert_int_eq(strncmp(small, text, sizeof small - 1), 0);
        ck_assert_uint_eq(fal_text_full(layouts[i], &host, NULL, 0), len);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text_full");
    TCase *tcase = tcase_create("text_full");

    tcase_add_test(tcase, a_push_in_full);
    tcase_add_test(tcase, words_segments_and_addresses);
    tcase_add_test(tcase, every_header_fits);
    suite_add_tcase(suite, tcase);
    return suite;
}
