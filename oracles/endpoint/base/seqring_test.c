/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/base/seqring.h"

#include "codecs/base/error.h"
#include "oracles/rng.h"
#include "tests/testing.h"

static int things[4096];

START_TEST(what_was_put_is_found_across_the_wrap)
{
    struct fal_seqring ring;

    fal_seqring_init(&ring, NULL, UINT32_MAX - 2);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_int_eq(fal_seqring_put(&ring, UINT32_MAX - 2 + i, &things[i], 128), 0);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_ptr_eq(fal_seqring_get(&ring, UINT32_MAX - 2 + i), &things[i]);
    ck_assert_ptr_null(fal_seqring_get(&ring, UINT32_MAX - 3));
    ck_assert_ptr_null(fal_seqring_get(&ring, 97));
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_ptr_eq(fal_seqring_pop(&ring), &things[i]);
    ck_assert_uint_eq(ring.base, 97);
    ck_assert_uint_eq(ring.span, 0);
    fal_seqring_free(&ring);
}
END_TEST

START_TEST(the_limit_is_exclusive_and_refusal_changes_nothing)
{
    struct fal_seqring ring;

    fal_seqring_init(&ring, NULL, 10);
    ck_assert_int_eq(fal_seqring_put(&ring, 18, &things[0], 8), FAL_ERR_RANGE);
    ck_assert_int_eq(fal_seqring_put(&ring, 9, &things[0], 8), FAL_ERR_RANGE);
    ck_assert_uint_eq(ring.span, 0);
    ck_assert_int_eq(fal_seqring_put(&ring, 17, &things[0], 8), 0);
    ck_assert_uint_eq(ring.span, 8);
    for (uint32_t seq = 10; seq < 17; seq++)
        ck_assert_ptr_null(fal_seqring_get(&ring, seq));
    ck_assert_ptr_eq(fal_seqring_get(&ring, 17), &things[0]);
    fal_seqring_free(&ring);
}
END_TEST

START_TEST(an_empty_ring_moves_its_base_and_gives_back_its_memory)
{
    struct fal_seqring ring;

    fal_seqring_init(&ring, NULL, UINT32_MAX);
    ck_assert_ptr_null(fal_seqring_pop(&ring));
    ck_assert_uint_eq(ring.base, 0);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_int_eq(fal_seqring_put(&ring, i, &things[i], 1000), 0);
    ck_assert_uint_ge(ring.cap, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_ptr_eq(fal_seqring_pop(&ring), &things[i]);
    ck_assert_uint_eq(ring.cap, 0);
    ck_assert_uint_eq(ring.base, 1000);
    fal_seqring_free(&ring);
}
END_TEST

START_TEST(it_agrees_with_a_plain_array)
{
    struct fal_rng rng = {test_seed(1)};
    struct fal_seqring ring;
    void *model[4096] = {0};
    uint32_t base = 0, start = UINT32_MAX - 1500;

    fal_seqring_init(&ring, NULL, start);
    for (unsigned step = 0; step < 20000 && base < 3000; step++) {
        uint32_t at = base + (uint32_t)fal_rng_below(&rng, 300);

        if (fal_rng_below(&rng, 3) == 0) {
            ck_assert_ptr_eq(fal_seqring_pop(&ring), model[base]);
            base++;
        } else if (at < 4096) {
            ck_assert_int_eq(fal_seqring_put(&ring, start + at, &things[at], 300), 0);
            model[at] = &things[at];
        }
        for (uint32_t i = base; i < base + 310 && i < 4096; i++)
            if (fal_seqring_get(&ring, start + i) != model[i])
                ck_abort_msg("step %u: item %u", step, i);
    }
    fal_seqring_free(&ring);
}
END_TEST

START_TEST(rings_share_slots_and_give_them_back_when_empty)
{
    struct fal_ring_slots slots;
    struct fal_seqring rings[3];

    fal_ring_slots_init(&slots, false);
    for (unsigned turn = 0; turn < 3; turn++) {
        const uint32_t depth[3] = {1, 64, 500};

        for (unsigned r = 0; r < 3; r++) {
            fal_seqring_init(&rings[r], &slots, UINT32_MAX - 7);
            for (uint32_t i = 0; i < depth[r]; i++)
                ck_assert_int_eq(
                    fal_seqring_put(&rings[r], UINT32_MAX - 7 + i, &things[500 * r + i], 4096),
                    0);
        }
        for (unsigned r = 0; r < 3; r++)
            for (uint32_t i = 0; i < depth[r]; i++)
                ck_assert_ptr_eq(fal_seqring_pop(&rings[r]), &things[500 * r + i]);
        ck_assert_uint_eq(slots.few.in_use, 0);
        ck_assert_uint_eq(slots.many.in_use, 0);
    }
    fal_ring_slots_free(&slots);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("seqring");
    TCase *tc = tcase_create("seqring");

    tcase_add_test(tc, what_was_put_is_found_across_the_wrap);
    tcase_add_test(tc, the_limit_is_exclusive_and_refusal_changes_nothing);
    tcase_add_test(tc, an_empty_ring_moves_its_base_and_gives_back_its_memory);
    tcase_add_test(tc, rings_share_slots_and_give_them_back_when_empty);
    tcase_add_test(tc, it_agrees_with_a_plain_array);
    suite_add_tcase(suite, tc);
    return suite;
}
