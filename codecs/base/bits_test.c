/* SPDX-License-Identifier: Apache-2.0
 * bits.h and u128.h against a bit at a time, at every offset and width. */
#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

#include <stdlib.h>

enum { BYTES = 24 };

START_TEST(get_reads_every_offset_and_width)
{
    uint64_t seed = test_seed(1), state = seed;
    uint8_t bytes[BYTES];

    for (unsigned off = 0; off < 16; off++) {
        for (unsigned width = 1; width <= 128; width++) {
            fal_u128 seen, due;

            test_random_bytes(&state, bytes, sizeof bytes);
            due = bitloop_get(bytes, off, width);
            seen = width <= 64 ? (fal_u128)fal_bits_get(bytes, off, width)
                               : fal_bits_get_wide(bytes, off, width);
            ck_assert_msg(seen == due, "off %u width %u TALON_SEED=%llu", off, width,
                          (unsigned long long)seed);
        }
    }
}
END_TEST

START_TEST(set_writes_its_bits_and_no_other)
{
    uint64_t seed = test_seed(2), state = seed;
    uint8_t seen[BYTES], due[BYTES];

    for (unsigned off = 0; off < 16; off++) {
        for (unsigned width = 1; width <= 128; width++) {
            /* Bits above the width must not leak into the neighbours. */
            fal_u128 v = (fal_u128)test_random(&state) << 64;

            v |= test_random(&state);

            test_random_bytes(&state, due, sizeof due);
            memcpy(seen, due, sizeof due);
            bitloop_set(due, off, width, v);
            if (width <= 64)
                fal_bits_set(seen, off, width, fal_u128_lo(v));
            else
                fal_bits_set_wide(seen, off, width, v);
            ck_assert_msg(memcmp(seen, due, sizeof due) == 0, "off %u width %u TALON_SEED=%llu",
                          off, width, (unsigned long long)seed);
        }
    }
}
END_TEST

/* Reading the last bits of a buffer touches no byte beyond it: an address sanitizer sees it. */
START_TEST(get_and_set_stay_inside)
{
    for (unsigned bytes = 1; bytes <= 16; bytes++) {
        uint8_t *p = malloc(bytes);

        ck_assert_ptr_nonnull(p);
        memset(p, 0xa5, bytes);
        for (unsigned off = 0; off < bytes * 8; off++) {
            for (unsigned width = 1; width <= 64 && off + width <= bytes * 8; width++) {
                fal_bits_set(p, off, width, fal_bits_get(p, off, width));
                ck_assert_uint_eq(p[bytes - 1], 0xa5);
            }
        }
        free(p);
    }
}
END_TEST

/* The specification's own words: bit 0 of a word is its most significant one. */
START_TEST(bit_0_is_the_most_significant)
{
    static const uint8_t word[] = {0x80, 0x00, 0x00, 0x01};

    ck_assert_uint_eq(fal_bits_get(word, 0, 1), 1);
    ck_assert_uint_eq(fal_bits_get(word, 1, 30), 0);
    ck_assert_uint_eq(fal_bits_get(word, 31, 1), 1);
    ck_assert_uint_eq(fal_bits_get(word, 0, 32), 0x80000001);
}
END_TEST

START_TEST(u128_shifts_by_any_count)
{
    const fal_u128 v =
        fal_u128_halves(UINT64_C(0x8123456789abcdef), UINT64_C(0xfedcba9876543211));

    for (unsigned n = 0; n <= 200; n++) {
        fal_u128 left = fal_u128_shl(v, n), right = fal_u128_shr(v, n);

        for (unsigned bit = 0; bit < 128; bit++) {
            ck_assert_int_eq(fal_u128_test(left, bit), bit >= n && fal_u128_test(v, bit - n));
            ck_assert_int_eq(fal_u128_test(right, bit), fal_u128_test(v, bit + n));
        }
    }
}
END_TEST

START_TEST(u128_bits_and_ones)
{
    for (unsigned n = 0; n < 128; n++) {
        fal_u128 one = fal_u128_with(0, n);

        ck_assert_int_eq(fal_u128_top(one), (int)n);
        ck_assert_uint_eq(fal_u128_low(one), n);
        ck_assert_uint_eq(fal_u128_low(~fal_u128_ones(n)), n);
        ck_assert(fal_u128_test(one, n));
        ck_assert(fal_u128_shl(1, n) == one);
        ck_assert_int_eq(fal_u128_top(fal_u128_ones(n + 1)), (int)n);
        ck_assert((one & fal_u128_ones(n)) == 0);
        ck_assert((one | fal_u128_ones(n)) == fal_u128_ones(n + 1));
        ck_assert((~one & one) == 0);
    }
    ck_assert_int_eq(fal_u128_top(0), -1);
    ck_assert_uint_eq(fal_u128_low(0), 128);
    ck_assert(fal_u128_ones(0) == 0);
    ck_assert(fal_u128_with(0, 128) == 0);
    ck_assert(!fal_u128_test(fal_u128_ones(128), 128));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bits");
    TCase *tcase = tcase_create("bits");

    tcase_add_test(tcase, get_reads_every_offset_and_width);
    tcase_add_test(tcase, set_writes_its_bits_and_no_other);
    tcase_add_test(tcase, get_and_set_stay_inside);
    tcase_add_test(tcase, bit_0_is_the_most_significant);
    tcase_add_test(tcase, u128_shifts_by_any_count);
    tcase_add_test(tcase, u128_bits_and_ones);
    suite_add_tcase(suite, tcase);
    return suite;
}
