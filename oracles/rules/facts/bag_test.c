/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/bag.h"

#include "codecs/header/falcon.h"
#include "oracles/ambiguity.h"
#include "oracles/rng.h"
#include "oracles/rules/facts/answers.h"
#include "oracles/rules/facts/nacks.h"
#include "oracles/rules/judge/readings.h"
#include "tests/testing.h"

#include <inttypes.h>

START_TEST(keeps_order_and_bounds)
{
    struct fal_bag bag = {0};

    for (int i = 0; i < 9; i++) {
        int *item = fal_bag_add(&bag, sizeof *item, 9);

        ck_assert_ptr_nonnull(item);
        ck_assert_int_eq(*item, 0);
        *item = i;
    }
    ck_assert_ptr_null(fal_bag_add(&bag, sizeof(int), 9));
    fal_bag_remove(&bag, sizeof(int), 0);
    fal_bag_remove(&bag, sizeof(int), 3);
    fal_bag_remove(&bag, sizeof(int), 6);
    ck_assert_uint_eq(bag.num, 6);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_int_eq(*FAL_BAG(&bag, int, i), i < 3 ? (int)i + 1 : (int)i + 2);
    for (unsigned i = 6; i-- > 0;)
        fal_bag_remove(&bag, sizeof(int), i);
    ck_assert_ptr_null(bag.items); /* an idle connection costs nothing */
    ck_assert_ptr_nonnull(fal_bag_add(&bag, sizeof(int), 9));
    fal_bag_release(&bag);
    ck_assert_uint_eq(bag.num, 0);
}
END_TEST

/* Against an array that does the same the long way. */
START_TEST(as_an_array_does)
{
    uint64_t seed = test_seed(1);
    struct fal_rng rng = fal_rng_split(seed, 31);
    struct fal_bag bag = {0};
    int model[16], num = 0;

    for (int step = 0; step < 20000; step++) {
        if (fal_rng_below(&rng, 2) != 0) {
            int *item = fal_bag_add(&bag, sizeof *item, 16);

            ck_assert_int_eq(item != NULL, num < 16);
            if (item != NULL)
                *item = model[num++] = step;
        } else if (num > 0) {
            int at = (int)fal_rng_below(&rng, (uint64_t)num);

            fal_bag_remove(&bag, sizeof(int), (unsigned)at);
            num--;
            for (int i = at; i < num; i++)
                model[i] = model[i + 1];
        }
        ck_assert_msg((int)bag.num == num, "TALON_SEED=%" PRIu64, seed);
        for (int i = 0; i < num; i++)
            ck_assert_msg(*FAL_BAG(&bag, int, i) == model[i], "TALON_SEED=%" PRIu64, seed);
    }
    fal_bag_free(&bag);
}
END_TEST

START_TEST(newest_nack_of_each_code)
{
    struct fal_nacks nacks = {0};
    struct fal_nack n = {
        .x = 5, .window = 1, .code = FAL_NACK_RNR, .rnr_ns = 1, .discarded = 2};

    fal_nacks_note(&nacks, &n);
    ck_assert(!fal_nacks_find(&nacks, 1, 5, 0)->was_fresh);
    n.discarded = 0;
    n.rnr_ns = 2;
    fal_nacks_note(&nacks, &n);
    n.discarded = 1;
    n.code = FAL_NACK_CIE;
    fal_nacks_note(&nacks, &n);
    ck_assert_uint_eq(fal_nacks_find(&nacks, 1, 5, FAL_NACK_RNR)->rnr_ns, 2);
    ck_assert_uint_eq(fal_nacks_find(&nacks, 1, 5, FAL_NACK_RNR)->count, 2);
    ck_assert(fal_nacks_find(&nacks, 1, 5, FAL_NACK_RNR)->was_fresh);
    ck_assert_uint_eq(fal_nacks_find(&nacks, 1, 5, 0)->code, FAL_NACK_CIE);
    ck_assert_ptr_null(fal_nacks_find(&nacks, 0, 5, 0));
    ck_assert_ptr_null(fal_nacks_find(&nacks, 1, 6, 0));
    for (int64_t x = 100; x < 100 + FAL_NACKS_MAX; x++) {
        ck_assert_int_eq(nacks.lost, x > 100 + FAL_NACKS_MAX - 2);
        n.x = x;
        fal_nacks_note(&nacks, &n);
    }
    ck_assert_ptr_null(fal_nacks_find(&nacks, 1, 5, 0));
    fal_nacks_free(&nacks);
}
END_TEST

START_TEST(answers_by_rsn)
{
    struct fal_answers answers = {0};

    fal_answers_note(&answers, &(struct fal_answer_given){.rsn = 3, .answer = FAL_ANSWER_ACK});
    ck_assert_uint_eq(answers.bag.num, 0); /* it took the request */
    fal_answers_note(&answers,
                     &(struct fal_answer_given){.rsn = 3, .answer = FAL_ANSWER_RNR, .code = 1});
    fal_answers_note(&answers,
                     &(struct fal_answer_given){.rsn = 3, .answer = FAL_ANSWER_RNR, .code = 2});
    ck_assert_uint_eq(fal_answers_of(&answers, 3, FAL_ANSWER_RNR, 1)->code, 2);
    ck_assert_ptr_null(fal_answers_of(&answers, 3, FAL_ANSWER_RNR, 2));
    ck_assert_ptr_null(fal_answers_of(&answers, 3, FAL_ANSWER_CIE, 0));
    ck_assert_ptr_null(fal_answers_before(&answers, 3, FAL_ANSWER_RNR));
    ck_assert_uint_eq(fal_answers_before(&answers, 4, FAL_ANSWER_RNR)->code, 2);
    for (unsigned code = 0; code < 16; code++)
        ck_assert_uint_eq(fal_nack_of_answer(fal_answer_of_nack(code)),
                          code == 2 || (code >= 6 && code <= 8) ? code : 0);
    for (int64_t rsn = 10; rsn < 10 + FAL_ANSWERS_MAX; rsn++)
        fal_answers_note(&answers,
                         &(struct fal_answer_given){.rsn = rsn, .answer = FAL_ANSWER_CID});
    ck_assert(answers.lost);
    fal_answers_free(&answers);
}
END_TEST

/* One reading for the whole run: the default, or another, but not both. */
START_TEST(a_reading_is_taken_once)
{
    enum fal_window w = FAL_WINDOW_DATA;
    struct fal_readings r = {0};
    struct fal_at at = {.index = 7}, later = {.index = 9};

    ck_assert_int_eq(fal_reading_now(&r, FAL_AMB_47, w), FAL_READING_DEFAULT);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_47, w, FAL_READ_ANY, &at),
                     FAL_READING_DEFAULT);
    ck_assert(!r.of[FAL_AMB_47][w].told);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_47, w, FAL_READ_OTHER, &at),
                     FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_47, w, FAL_READ_ANY, &later),
                     FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_47, w, FAL_READ_OTHER, &later),
                     FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_47, w, FAL_READ_DEFAULT, &later),
                     FAL_READING_NONE);
    ck_assert_uint_eq(r.of[FAL_AMB_47][w].by.index, 7);
    ck_assert_int_eq(fal_reading_now(&r, FAL_AMB_47, w), FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_13, w, FAL_READ_DEFAULT, &at),
                     FAL_READING_DEFAULT);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_13, w, FAL_READ_OTHER, &later),
                     FAL_READING_NONE);
    ck_assert_str_eq(fal_amb_name(FAL_AMB_13), "AMB-13");
    ck_assert_str_ne(fal_amb_text(FAL_AMB_13, FAL_READING_OTHER),
                     fal_amb_text(FAL_AMB_13, FAL_READING_DEFAULT));
}
END_TEST

/* The windows may read the same sentence in different ways. */
START_TEST(a_reading_is_of_one_window)
{
    struct fal_readings r = {0};
    struct fal_at at = {.index = 7};

    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_10, FAL_WINDOW_REQ, FAL_READ_OTHER, &at),
                     FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_now(&r, FAL_AMB_10, FAL_WINDOW_DATA), FAL_READING_DEFAULT);
    ck_assert_uint_eq(fal_reading_left(&r, FAL_AMB_10, FAL_WINDOW_REQ), FAL_READ_OTHER);
    ck_assert_uint_eq(fal_reading_left(&r, FAL_AMB_10, FAL_WINDOW_DATA), FAL_READ_ANY);
}
END_TEST

/* Of a free ambiguity each packet may show another reading; the first alternative is kept. */
START_TEST(a_free_reading_binds_nobody)
{
    enum fal_window w = FAL_WINDOW_DATA;
    struct fal_readings r = {0};
    struct fal_at at = {.index = 7}, later = {.index = 9};

    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_18, w, FAL_READ_DEFAULT, &at),
                     FAL_READING_DEFAULT);
    ck_assert(!r.of[FAL_AMB_18][w].told);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_18, w, FAL_READ_OTHER, &later),
                     FAL_READING_OTHER);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_18, w, FAL_READ_DEFAULT, &later),
                     FAL_READING_DEFAULT);
    ck_assert_int_eq(fal_reading_take(&r, FAL_AMB_18, w, FAL_READ_OTHER, &at),
                     FAL_READING_OTHER);
    ck_assert_uint_eq(r.of[FAL_AMB_18][w].by.index, 7);
}
END_TEST

START_TEST(every_reading_is_of_a_listed_ambiguity)
{
    for (enum fal_amb amb = 0; amb < FAL_AMB_COUNT; amb++) {
        const struct fal_ambiguity *of = fal_ambiguity_find(fal_amb_name(amb));

        ck_assert_msg(of != NULL, "%s", fal_amb_name(amb));
        ck_assert_msg((of->kind == FAL_AMBIGUITY_FREE) == fal_amb_free(amb), "%s", of->id);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lists and readings of the rules");
    TCase *tc = tcase_create("lists");

    tcase_add_test(tc, keeps_order_and_bounds);
    tcase_add_test(tc, as_an_array_does);
    tcase_add_test(tc, newest_nack_of_each_code);
    tcase_add_test(tc, answers_by_rsn);
    tcase_add_test(tc, a_reading_is_taken_once);
    tcase_add_test(tc, a_reading_is_of_one_window);
    tcase_add_test(tc, a_free_reading_binds_nobody);
    tcase_add_test(tc, every_reading_is_of_a_listed_ambiguity);
    suite_add_tcase(suite, tc);
    return suite;
}
