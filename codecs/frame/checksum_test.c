/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/checksum.h"
#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

#include <stdlib.h>

/* RFC 1071 word for word: 16-bit big-endian words, carries added back at once. */
static uint16_t by_words(const uint8_t *bytes, size_t len)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        sum += i % 2 == 0 ? (uint32_t)bytes[i] << 8 : bytes[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

/* The example of RFC 1071, section 3: the sum is ddf2. */
START_TEST(rfc_1071_example)
{
    static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

    ck_assert_uint_eq(fal_checksum(bytes, sizeof bytes), (uint16_t)~0xddf2);
}
END_TEST

START_TEST(agrees_with_words_at_every_length_and_alignment)
{
    uint64_t seed = test_seed(4), state = seed;

    for (size_t len = 0; len < 100; len++) {
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *bytes = malloc(shift + len + 1); /* exact: reading beyond is seen */

            ck_assert_ptr_nonnull(bytes);
            test_random_bytes(&state, bytes, shift + len);
            if (len % 3 == 0)
                memset(bytes, 0xff, shift + len); /* most carries */
            ck_assert_msg(fal_checksum(bytes + shift, len) == by_words(bytes + shift, len),
                          "len %zu TALON_SEED=%llu", len, (unsigned long long)seed);
            free(bytes);
        }
    }
}
END_TEST

START_TEST(longest_packet_of_ones)
{
    static uint8_t bytes[65535];

    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(fal_checksum(bytes, sizeof bytes), by_words(bytes, sizeof bytes));
}
END_TEST

/* An IPv4 header of RFC 791's form whose checksum (b861) is widely published. */
START_TEST(a_right_header_sums_to_zero)
{
    static const uint8_t header[] = {0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40,
                                     0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8,
                                     0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};
    uint8_t zeroed[sizeof header];

    ck_assert_uint_eq(fal_checksum(header, sizeof header), 0);
    memcpy(zeroed, header, sizeof header);
    zeroed[10] = zeroed[11] = 0;
    ck_assert_uint_eq(fal_checksum(zeroed, sizeof zeroed), 0xb861);
}
END_TEST

/* The pseudo header of RFC 768 written out by hand, then one sum over both. */
START_TEST(udp_over_ipv4_covers_the_pseudo_header)
{
    const struct fal_ipv4 ip = {.src = 0x0a000001, .dst = 0x0a000002, .protocol = 17};
    uint8_t all[12 + 13] = {10,   0,    0,    1, 10, 0, 0, 2, 0, 17, 0, 13, 0xc0,
                            0x00, 0x1e, 0x61, 0, 13, 0, 0, 1, 2, 3,  4, 5};
    uint8_t *udp = all + 12;
    uint16_t due = by_words(all, sizeof all);

    ck_assert_uint_eq(fal_checksum_udp4(&ip, udp, 13), due);
    udp[6] = (uint8_t)(due >> 8);
    udp[7] = (uint8_t)due;
    ck_assert_uint_eq(fal_checksum_udp4(&ip, udp, 13), 0xffff);
    udp[12] ^= 1;
    ck_assert_uint_ne(fal_checksum_udp4(&ip, udp, 13), 0xffff);
}
END_TEST

/* That of RFC 8200: 32 bits of length, and the protocol UDP even behind extension headers. */
START_TEST(udp_over_ipv6_covers_the_pseudo_header)
{
    const struct fal_ipv6 ip = {.src = fal_u128_halves(UINT64_C(0x20010db800000000), 1),
                                .dst = fal_u128_halves(UINT64_C(0xfd00000000000000), 2),
                                .next_header = 43};
    uint8_t all[40 + 9] = {0x20, 1,    0x0d, 0xb8, 0,    0, 0, 0, 0, 0,   0, 0, 0,
                           0,    0,    1,    0xfd, 0,    0, 0, 0, 0, 0,   0, 0, 0,
                           0,    0,    0,    0,    0,    2, 0, 0, 0, 9,   0, 0, 0,
                           17,   0xc0, 0x00, 0x1e, 0x61, 0, 9, 0, 0, 0xab};
    uint8_t *udp = all + 40;
    uint16_t due = by_words(all, sizeof all);

    ck_assert_uint_eq(fal_checksum_udp6(&ip, udp, 9), due);
    udp[6] = (uint8_t)(due >> 8);
    udp[7] = (uint8_t)due;
    ck_assert_uint_eq(fal_checksum_udp6(&ip, udp, 9), 0xffff);
}
END_TEST

/* A sum whose checksum is 0 is sent as ffff: 0 would mean "not computed". */
START_TEST(udp_checksum_is_never_zero)
{
    const struct fal_ipv4 ip = {.src = 0, .dst = 0, .protocol = 17};
    uint8_t udp[10] = {0, 0, 0, 0, 0, 10, 0, 0, 0, 0};
    uint16_t sum = (uint16_t)~fal_checksum_udp4(&ip, udp, sizeof udp);

    udp[8] = (uint8_t)((uint16_t)~sum >> 8); /* makes the sum ffff */
    udp[9] = (uint8_t)~sum;
    ck_assert_uint_eq(fal_checksum_udp4(&ip, udp, sizeof udp), 0xffff);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tcase = tcase_create("checksum");

    tcase_add_test(tcase, rfc_1071_example);
    tcase_add_test(tcase, agrees_with_words_at_every_length_and_alignment);
    tcase_add_test(tcase, longest_packet_of_ones);
    tcase_add_test(tcase, a_right_header_sums_to_zero);
    tcase_add_test(tcase, udp_over_ipv4_covers_the_pseudo_header);
    tcase_add_test(tcase, udp_over_ipv6_covers_the_pseudo_header);
    tcase_add_test(tcase, udp_checksum_is_never_zero);
    suite_add_tcase(suite, tcase);
    return suite;
}
