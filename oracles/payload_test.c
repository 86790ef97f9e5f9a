/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/payload.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

/* The reference outputs of splitmix64 from seed 0: 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4. */
START_TEST(known_bytes)
{
    static const uint8_t due[32] = {'T',  'A',  'L',  'N',  0,    0,    0,    0,
                                    0,    0,    0,    5,    0,    0,    0,    0,
                                    0xaf, 0xcd, 0x1d, 0x7b, 0x39, 0xa8, 0x20, 0xe2,
                                    0xf4, 0x65, 0xb9, 0xa1, 0x6a, 0x9e, 0x78, 0x6e};
    uint8_t got[32];

    fal_payload_fill(5, 5, got, sizeof got); /* seed ^ tag is 0 */
    ck_assert_mem_eq(got, due, sizeof due);
}
END_TEST

START_TEST(a_shorter_payload_is_the_beginning)
{
    uint8_t whole[100], part[101];

    fal_payload_fill(UINT64_C(0x0102030405060708), 99, whole, sizeof whole);
    ck_assert_mem_eq(whole + 4, "\1\2\3\4\5\6\7\10", 8);
    for (size_t len = 0; len <= sizeof whole; len++) {
        memset(part, 0xee, sizeof part);
        fal_payload_fill(UINT64_C(0x0102030405060708), 99, part, len);
        ck_assert_mem_eq(part, whole, len);
        ck_assert_uint_eq(part[len], 0xee);
    }
}
END_TEST

START_TEST(a_slice_is_a_part_of_the_whole)
{
    uint8_t whole[100], slice[101];

    fal_payload_fill(7, 99, whole, sizeof whole);
    for (size_t from = 0; from <= sizeof whole; from++) {
        for (size_t len = 0; from + len <= sizeof whole; len++) {
            memset(slice, 0xee, sizeof slice);
            fal_payload_slice(7, 99, from, slice, len);
            ck_assert_mem_eq(slice, whole + from, len);
            ck_assert_uint_eq(slice[len], 0xee);
        }
    }
}
END_TEST

START_TEST(a_hash_goes_on)
{
    uint64_t hash = fal_payload_hash((const uint8_t *)"foo", 3);

    ck_assert_uint_eq(fal_payload_hash_on(hash, (const uint8_t *)"bar", 3),
                      UINT64_C(0x85944171f73967e8));
}
END_TEST

/* Published values of FNV-1a, 64 bits. */
START_TEST(known_hashes)
{
    ck_assert_uint_eq(fal_payload_hash(NULL, 0), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(fal_payload_hash((const uint8_t *)"a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(fal_payload_hash((const uint8_t *)"foobar", 6),
                      UINT64_C(0x85944171f73967e8));
}
END_TEST

/* Payloads that are hashed again, that differ in one byte or in length only, and that share a
 * place: always the hash of these bytes. */
START_TEST(known_payloads_have_the_same_hash)
{
    static uint8_t bytes[5000];
    static const size_t lens[] = {0, 1, 23, 24, 25, 64, 1024, 4096, 4097, 5000};
    struct fal_payload_hashes *known = fal_payload_hashes_new();

    ck_assert_ptr_nonnull(known);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t tag = 0; tag < 40; tag++)
            for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
                size_t len = lens[i];

                fal_payload_fill(tag, 7, bytes, len);
                ck_assert_uint_eq(fal_payload_hash_by(known, bytes, len),
                                  fal_payload_hash(bytes, len));
                if (len == 0)
                    continue;
                bytes[(tag * 37) % len] ^= 1;
                ck_assert_uint_eq(fal_payload_hash_by(known, bytes, len),
                                  fal_payload_hash(bytes, len));
                bytes[(tag * 37) % len] ^= 1;
                ck_assert_uint_eq(fal_payload_hash_by(known, bytes, len),
                                  fal_payload_hash(bytes, len));
                ck_assert_uint_eq(fal_payload_hash_by(NULL, bytes, len),
                                  fal_payload_hash(bytes, len));
            }
    free(known);
}
END_TEST

/* Every byte and the length count, wherever the last step of eight bytes ends. */
START_TEST(another_byte_has_another_mark)
{
    uint8_t bytes[40];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        uint64_t mark = fal_payload_mark(bytes, len);

        ck_assert_uint_eq(fal_payload_mark(bytes, len), mark);
        for (size_t other = 0; other < len; other++)
            ck_assert_uint_ne(fal_payload_mark(bytes, other), mark);
        for (size_t i = 0; i < len; i++) {
            bytes[i] ^= 0x80;
            ck_assert_uint_ne(fal_payload_mark(bytes, len), mark);
            bytes[i] ^= 0x80;
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("payload");
    TCase *tc = tcase_create("payload");

    tcase_add_test(tc, known_bytes);
    tcase_add_test(tc, a_shorter_payload_is_the_beginning);
    tcase_add_test(tc, known_hashes);
    tcase_add_test(tc, a_slice_is_a_part_of_the_whole);
    tcase_add_test(tc, a_hash_goes_on);
    tcase_add_test(tc, known_payloads_have_the_same_hash);
    tcase_add_test(tc, another_byte_has_another_mark);
    suite_add_tcase(suite, tc);
    return suite;
}
