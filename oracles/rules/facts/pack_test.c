/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/pack.h"

#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdbool.h>
#include <string.h>

enum { WORDS = 300, BYTES = 8 * WORDS };

/* Words of all lengths, and runs of zeros. */
static void fill(struct fal_rng *rng, uint64_t words[WORDS])
{
    uint64_t some = fal_rng_below(rng, 5);

    for (size_t i = 0; i < WORDS; i++)
        words[i] =
            fal_rng_below(rng, 4) < some ? fal_rng_next(rng) >> fal_rng_below(rng, 64) : 0;
}

START_TEST(what_was_packed_comes_back)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 0);

    for (uint64_t round = 0; round < test_rounds(2000); round++) {
        uint64_t raw[WORDS], model[WORDS], back[WORDS] = {0};
        uint8_t packed[FAL_PACKED_MAX(BYTES) + FAL_PACK_SLACK];
        bool with_model = fal_rng_below(&rng, 2) == 0;
        size_t n = 8 * (size_t)fal_rng_below(&rng, WORDS + 1), len;

        fill(&rng, raw);
        fill(&rng, model);
        for (size_t i = 0; i < WORDS; i++) /* much alike */
            if (fal_rng_below(&rng, 2) == 0)
                model[i] = raw[i];
        memset(packed, 0xa5, sizeof packed);
        len = fal_pack(raw, with_model ? model : NULL, n, packed);
        ck_assert_uint_le(len, FAL_PACKED_MAX(n));
        ck_assert_uint_eq(packed[len], 0xa5);
        ck_assert_uint_eq(fal_unpack(packed, with_model ? model : NULL, n, back), len);
        ck_assert_mem_eq(back, raw, n);
        for (size_t i = n / 8; i < WORDS; i++)
            ck_assert_uint_eq(back[i], 0);
    }
}
END_TEST

START_TEST(zeros_and_what_is_equal_take_no_room)
{
    uint64_t raw[WORDS] = {0}, model[WORDS];
    uint8_t packed[FAL_PACKED_MAX(BYTES)];
    struct fal_rng rng = fal_rng_split(1, 0);

    ck_assert_uint_lt(fal_pack(raw, NULL, BYTES, packed), 8);
    fill(&rng, raw);
    memcpy(model, raw, sizeof raw);
    ck_assert_uint_lt(fal_pack(raw, model, BYTES, packed), 8);
    model[7]++;
    ck_assert_uint_lt(fal_pack(raw, model, BYTES, packed), 16);
}
END_TEST

/* Items of an array against the one before each. */
START_TEST(the_model_may_be_the_bytes_before)
{
    uint64_t raw[WORDS], back[WORDS] = {0};
    uint8_t packed[FAL_PACKED_MAX(BYTES) + FAL_PACK_SLACK] = {0};
    size_t len;

    for (size_t i = 0; i < WORDS; i++)
        raw[i] = i % 3 == 0 ? UINT64_MAX - i : (UINT64_C(1) << 40) + i;
    back[0] = raw[0];
    back[1] = raw[1];
    back[2] = raw[2];
    len = fal_pack(raw + 3, raw, BYTES - 24, packed);
    ck_assert_uint_lt(len, BYTES / 4);
    ck_assert_uint_eq(fal_unpack(packed, back, BYTES - 24, back + 3), len);
    ck_assert_mem_eq(back, raw, BYTES);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pack");
    TCase *tc = tcase_create("pack");

    tcase_add_test(tc, what_was_packed_comes_back);
    tcase_add_test(tc, zeros_and_what_is_equal_take_no_room);
    tcase_add_test(tc, the_model_may_be_the_bytes_before);
    suite_add_tcase(suite, tc);
    return suite;
}
