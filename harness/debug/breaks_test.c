/* SPDX-License-Identifier: Apache-2.0
 * breaks_test.c - which step a word names, and where the steps can stop. */
#include "harness/debug/breaks.h"

#include "harness/scenario/scenario_testing.h"

/* Steps 1 to 9; the third has a name, and lines begin at some of them. */
static struct tl_scenario *steps(void)
{
    return scenario_of("'steps': ['> push_data', {'note': 'n'},\n"
                       "{'wait': '1us', 'name': 'settled'},\n\n"
                       "{'any_order': ['< back', '< eack']},\n"
                       "{'on': '< nack', 'steps': ['> back']}, '< back']");
}

static void finds(const struct tl_scenario *s, const char *word, size_t step)
{
    struct fal_error err = {{0}};
    size_t at = SIZE_MAX;

    ck_assert_msg(tl_break_find(s, word, &at, &err) == 0, "%s: %s", word, err.text);
    ck_assert_uint_eq(at, step);
    ck_assert(tl_break_possible(s, at));
}

static void refuses(const struct tl_scenario *s, const char *word, const char *why)
{
    struct fal_error err = {{0}};
    size_t at = SIZE_MAX;

    ck_assert_int_eq(tl_break_find(s, word, &at, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, why);
    ck_assert_uint_eq(at, SIZE_MAX);
}

START_TEST(a_step_has_a_number_a_name_and_a_line)
{
    struct tl_scenario *s = steps();

    finds(s, "1", 0);
    finds(s, "settled", 2);
    finds(s, ":1", 0);
    finds(s, ":2", 2);
    finds(s, ":4", 3);
    tl_scenario_free(s);
}
END_TEST

START_TEST(other_words_name_none)
{
    struct tl_scenario *s = steps();

    refuses(s, "0", "there is no step 0: the scenario has 9");
    refuses(s, "10", "there is no step 10: the scenario has 9");
    refuses(s, "99999999999999999999",
            "there is no step 99999999999999999999: the scenario has 9");
    refuses(s, "1x", "'1x' is no step: expected a number, a name or :LINE");
    refuses(s, "setled", "no step has the name 'setled'; did you mean 'settled'?");
    refuses(s, "", "no step has the name ''");
    refuses(s, ":", "':': expected the number of a line");
    refuses(s, ":-1", "':-1': expected the number of a line");
    refuses(s, ":3", "no step begins on line 3; the next one, step 4, begins on line 4");
    refuses(s, ":99", "no step begins on line 99 or behind it");
    tl_scenario_free(s);
}
END_TEST

START_TEST(a_part_of_a_step_names_that_step)
{
    struct tl_scenario *s = steps();

    for (size_t i = 0; i < s->num_steps; i++)
        ck_assert_int_eq(tl_break_possible(s, i), i < 4 || i == 6 || i == 8);
    ck_assert(!tl_break_possible(s, s->num_steps));
    refuses(s, "5", "step 5 is played as a part of step 4 (any_order): stop before that one");
    refuses(s, "8",
            "step 8 is played as a part of step 7 (on < nack pass): stop before that one");
    tl_scenario_free(s);
}
END_TEST

START_TEST(the_end_of_a_block_is_no_step)
{
    struct tl_scenario *s =
        scenario_of("'steps': [{'repeat': 2, 'steps': ['> push_data']}, '< back']");

    finds(s, "2", 1);
    refuses(s, "3", "step 3 is only the end of a block: stop before step 4");
    finds(s, "4", 3);
    tl_scenario_free(s);
}
END_TEST

START_TEST(breaks_are_kept_in_order_and_hit)
{
    struct tl_breaks breaks = {.count = 0};
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_breaks_add(&breaks, 7, &err), 0);
    ck_assert_int_eq(tl_breaks_add(&breaks, 3, &err), 0);
    ck_assert_int_eq(tl_breaks_add(&breaks, 7, &err), 0);
    ck_assert_uint_eq(breaks.count, 2);
    ck_assert(!tl_breaks_hit(&breaks, 4));
    ck_assert(tl_breaks_hit(&breaks, 7));
    ck_assert_int_eq(tl_breaks_add(&breaks, 5, &err), 0);
    ck_assert(breaks.steps[0] == 3 && breaks.steps[1] == 5 && breaks.steps[2] == 7);
    ck_assert(!breaks.reached[0] && !breaks.reached[1] && breaks.reached[2]);
    ck_assert(!tl_breaks_remove(&breaks, 4));
    ck_assert(tl_breaks_remove(&breaks, 3));
    ck_assert(breaks.count == 2 && breaks.steps[1] == 7 && breaks.reached[1]);
}
END_TEST

START_TEST(there_is_a_most)
{
    struct tl_breaks breaks = {.count = 0};
    struct fal_error err = {{0}};

    for (size_t i = 0; i < TL_BREAKS_MAX; i++)
        ck_assert_int_eq(tl_breaks_add(&breaks, i, &err), 0);
    ck_assert_int_eq(tl_breaks_add(&breaks, TL_BREAKS_MAX, &err), FAL_ERR_RANGE);
    ck_assert_str_eq(err.text, "more than 64 breaks");
    ck_assert_int_eq(tl_breaks_add(&breaks, 0, &err), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("breaks");
    TCase *tc = tcase_create("breaks");

    tcase_add_test(tc, a_step_has_a_number_a_name_and_a_line);
    tcase_add_test(tc, other_words_name_none);
    tcase_add_test(tc, a_part_of_a_step_names_that_step);
    tcase_add_test(tc, the_end_of_a_block_is_no_step);
    tcase_add_test(tc, breaks_are_kept_in_order_and_hit);
    tcase_add_test(tc, there_is_a_most);
    suite_add_tcase(suite, tc);
    return suite;
}
