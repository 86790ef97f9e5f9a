/* SPDX-License-Identifier: Apache-2.0
 * icrc_test.c - the invariant CRC. The CRCs of the two packets were calculated by another
 * program (Python's zlib over the packet with its variant fields set to ones). */
#include "codecs/frame/icrc.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ETH = 14, PACKET_MAX = 96 };

/* A SEND of five bytes over IPv4, and a CNP over IPv6. */
static const uint8_t send_packet[] = {
    0x45, 0x02, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0xab, 0xcd, 0x0a,
    0x00, 0x00, 0x01, 0x0a, 0x00, 0x00, 0x02, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x20,
    0x00, 0x00, 0x04, 0x70, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12, 0x80, 0x00, 0x00,
    0x07, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x00, 0x00, 0x00, 0xb8, 0x01, 0x91, 0x9b};
static const uint8_t cnp_packet[] = {
    0x60, 0x20, 0x00, 0x07, 0x00, 0x28, 0x11, 0x03, 0xfd, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xc0, 0x00,
    0x12, 0xb7, 0x00, 0x28, 0x55, 0x55, 0x81, 0x40, 0xff, 0xff, 0x40, 0x00, 0x00, 0x11,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x25, 0x41, 0xb1, 0xab};

static const struct {
    const uint8_t *bytes;
    size_t len;
    uint32_t icrc;
    const char *variant; /* the bytes that the CRC does not see, wholly or in part */
} packets[] = {
    {send_packet, sizeof send_packet, 0xb801919b, " 1 8 10 11 26 27 32 "},
    {cnp_packet, sizeof cnp_packet, 0x2541b1ab, " 0 1 2 3 7 46 47 52 "},
};

START_TEST(known_packets)
{
    uint32_t icrc = 0;

    ck_assert(fal_icrc(packets[_i].bytes, packets[_i].len - 4, &icrc));
    ck_assert_uint_eq(icrc, packets[_i].icrc);
}
END_TEST

/* Each bit: the CRC changes, unless routers may change the bit. */
START_TEST(only_variant_bits_are_free)
{
    uint8_t bytes[PACKET_MAX];
    uint32_t icrc;
    size_t len = packets[_i].len - 4;

    for (size_t bit = 0; bit < 8 * len; bit++) {
        char word[32];
        bool there, free_bit;

        memcpy(bytes, packets[_i].bytes, len);
        bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        (void)snprintf(word, sizeof word, " %zu ", bit / 8);
        free_bit = strstr(packets[_i].variant, word) != NULL && bit >= 4;
        there = fal_icrc(bytes, len, &icrc);
        if (bit < 4 || bit / 8 == (_i == 0 ? 9u : 6u)) {
            ck_assert(!there); /* another version or protocol */
            continue;
        }
        if (_i == 0 && bit < 8)
            continue; /* the length of the header: UDP stands elsewhere */
        ck_assert(there);
        ck_assert_msg((icrc == packets[_i].icrc) == free_bit, "bit %zu", bit);
    }
}
END_TEST

START_TEST(every_truncation)
{
    for (size_t len = 0; len < packets[_i].len; len++) {
        size_t least = _i == 0 ? 40 : 60;
        uint8_t *bytes = malloc(len + 1);
        uint32_t icrc;

        ck_assert_ptr_nonnull(bytes);
        memcpy(bytes, packets[_i].bytes, len);
        ck_assert_int_eq(fal_icrc(bytes, len, &icrc), len >= least);
        free(bytes);
    }
}
END_TEST

/* In a frame: read, checked, spoiled, written anew. */
START_TEST(a_frame_is_checked)
{
    uint8_t bytes[ETH + PACKET_MAX] = {[12] = 0x08, [13] = 0x00};
    size_t len = ETH + packets[_i].len;
    struct fal_captured captured = {bytes, len, len, FAL_LINKTYPE_ETHERNET};
    struct fal_frame frame = {0};
    uint32_t due = 0;

    if (_i == 1) {
        bytes[12] = 0x86;
        bytes[13] = 0xdd;
    }
    memcpy(bytes + ETH, packets[_i].bytes, packets[_i].len);
    ck_assert_int_eq(fal_frame_decode(&captured, NULL, NULL, &frame), 0);
    ck_assert_int_eq(fal_frame_icrc(&frame, bytes, NULL), FAL_ICRC_GOOD);
    bytes[len - 1] ^= 1;
    ck_assert_int_eq(fal_frame_icrc(&frame, bytes, &due), FAL_ICRC_BAD);
    ck_assert_uint_eq(due, packets[_i].icrc);
    ck_assert(fal_icrc_put(bytes, len, ETH));
    ck_assert_int_eq(memcmp(bytes + ETH, packets[_i].bytes, packets[_i].len), 0);
    captured.caplen--;
    ck_assert_int_eq(fal_frame_decode(&captured, NULL, NULL, &frame), 0);
    ck_assert_int_eq(fal_frame_icrc(&frame, bytes, NULL), FAL_ICRC_ABSENT);
    ck_assert(!fal_icrc_put(bytes, 3, 0));
    ck_assert(!fal_icrc_put(bytes, len, ETH + 1));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("icrc");
    TCase *tc = tcase_create("icrc");

    tcase_add_loop_test(tc, known_packets, 0, 2);
    tcase_add_loop_test(tc, only_variant_bits_are_free, 0, 2);
    tcase_add_loop_test(tc, every_truncation, 0, 2);
    tcase_add_loop_test(tc, a_frame_is_checked, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
