/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/learned.h"

#include "tests/testing.h"

#include <check.h>
#include <string.h>

enum { MANY = 100 };

START_TEST(a_percentile_is_the_nearest_rank)
{
    uint64_t list[MANY], four[] = {40, 10, 30, 20};

    for (size_t i = 0; i < MANY; i++)
        list[i] = MANY - i; /* 1 to 100, backwards */
    ck_assert_uint_eq(tl_percentile(list, MANY, 95), 95);
    ck_assert_uint_eq(tl_percentile(list, MANY, 50), 50);
    ck_assert_uint_eq(tl_percentile(list, MANY, 100), 100);
    ck_assert_uint_eq(tl_percentile(four, 4, 95), 40);
    ck_assert_uint_eq(tl_percentile(four, 4, 50), 20);
    ck_assert_uint_eq(tl_percentile(four, 1, 95), 10);
    ck_assert_uint_eq(tl_percentile(NULL, 0, 95), 0);
}
END_TEST

START_TEST(a_quarter_more_is_rounded_up)
{
    ck_assert_uint_eq(tl_quarter_more(0), 0);
    ck_assert_uint_eq(tl_quarter_more(1), 2);
    ck_assert_uint_eq(tl_quarter_more(4), 5);
    ck_assert_uint_eq(tl_quarter_more(37), 47);
    ck_assert_uint_eq(tl_quarter_more(1000), 1250);
}
END_TEST

/* A SUT with two kinds of answers: the slower kind counts. */
static struct tl_learned of_two_kinds(uint64_t fast, uint64_t slow, size_t each)
{
    struct tl_learned learned = {.turnaround = true, .pipeline = true};
    uint64_t all[2 * MANY];

    for (size_t i = 0; i < each; i++) {
        all[i] = fast;
        all[each + i] = slow;
    }
    tl_learned_kind(&learned, all, each);
    tl_learned_kind(&learned, all + each, each);
    tl_learned_conclude(&learned, all, 2 * each);
    return learned;
}

START_TEST(the_slowest_kind_of_answer_counts)
{
    struct tl_learned l = of_two_kinds(1000, 2000, MANY);

    ck_assert_uint_eq(l.answers, 2 * MANY);
    ck_assert_uint_eq(l.median_ns, 1000);
    ck_assert_uint_eq(l.p95_ns, 2000);
    ck_assert_uint_eq(l.max_ns, 2000);
    ck_assert_uint_eq(l.value_ns, 2500);
    ck_assert(!l.two_speeds);
}
END_TEST

START_TEST(fewer_than_64_answers_teach_nothing)
{
    struct tl_learned l = of_two_kinds(1000, 5000, 31);
    char line[TL_LEARNED_LINE];

    ck_assert_uint_eq(l.answers, 62);
    ck_assert_uint_eq(l.value_ns, 0);
    ck_assert(!l.two_speeds);
    ck_assert(tl_learned_line(&l, 0, line));
    ck_assert_ptr_nonnull(strstr(line, "only 62 of the packets"));
    ck_assert(tl_learned_line(&l, 1, line));
    ck_assert_ptr_nonnull(strstr(line, "--param turnaround=TIME --param pipeline=TIME"));
    ck_assert(!tl_learned_line(&l, 2, line));
    ck_assert_uint_gt(of_two_kinds(1000, 5000, 32).value_ns, 0);
}
END_TEST

START_TEST(two_speeds_are_a_finding)
{
    struct tl_learned l = {.turnaround = true}, even = of_two_kinds(1000, 4000, MANY);
    uint64_t list[MANY];
    char line[TL_LEARNED_LINE];

    for (size_t i = 0; i < MANY; i++)
        list[i] = i < 90 ? 1000 : 100000;
    tl_learned_conclude(&l, list, MANY);
    ck_assert(l.two_speeds);
    ck_assert_uint_eq(l.value_ns, 125000);
    ck_assert(tl_learned_line(&l, 2, line));
    ck_assert_ptr_nonnull(strstr(line, "answers come in two speeds"));
    ck_assert(!even.two_speeds); /* 4 times the median is not more than that */
    ck_assert(of_two_kinds(1000, 4001, MANY).two_speeds);
}
END_TEST

/* What to declare covers the slowest answer, too. */
START_TEST(what_to_declare)
{
    struct tl_learned l = {.turnaround = true, .pipeline = true};
    uint64_t list[MANY];
    char line[TL_LEARNED_LINE];

    for (size_t i = 0; i < MANY; i++)
        list[i] = i < 99 ? 1000 : 77000;
    tl_learned_conclude(&l, list, MANY);
    ck_assert(tl_learned_line(&l, 1, line));
    ck_assert_ptr_nonnull(strstr(line, "--param turnaround=77us --param pipeline=77us"));
    l.pipeline = false;
    ck_assert(tl_learned_line(&l, 1, line));
    ck_assert_ptr_null(strstr(line, "pipeline"));
    l.turnaround = false; /* nothing was to be learned */
    ck_assert(!tl_learned_line(&l, 0, line));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("learned turnaround");
    TCase *tc = tcase_create("learned turnaround");

    tcase_add_test(tc, a_percentile_is_the_nearest_rank);
    tcase_add_test(tc, a_quarter_more_is_rounded_up);
    tcase_add_test(tc, the_slowest_kind_of_answer_counts);
    tcase_add_test(tc, fewer_than_64_answers_teach_nothing);
    tcase_add_test(tc, two_speeds_are_a_finding);
    tcase_add_test(tc, what_to_declare);
    suite_add_tcase(suite, tc);
    return suite;
}
