/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* Requests of the SUT: a SEND, a READ. */
#define S(n, sn)      "< push_data psn=" #n "r rsn=" #n "r / rdma send_only sn=" #sn
#define R(n, psn, sn) "< pull_request psn=" #psn "r rsn=" #n "r / rdma read_request sn=" #sn
#define UD(n, sn, qp) \
    "< push_data psn=" #n "r rsn=" #n "r / rdma ud_send_only sn=" #sn " sqp=" #qp

static struct outcome v4(const struct kind *kind, const char *const *lines)
{
    return judged("V4", kind, lines);
}

START_TEST(numbers_count_the_requests)
{
    ck_holds(v4(&clean, LINES(S(0, 1), S(1, 2), R(2, 0, 3), S(1, 2))), 3);
    /* in any order of arrival; the hole is filled later */
    ck_holds(v4(&clean, LINES(S(0, 1), S(2, 3), S(1, 2))), 4);
    ck_holds(v4(&clean, LINES("< push_data psn=0r rsn=0r len=40")), 0);
}
END_TEST

START_TEST(numbers_wrap)
{
    ck_holds(v4(&capture, LINES("< push_data psn=5 rsn=5 / rdma send_only sn=0xffffffff",
                                "< push_data psn=6 rsn=6 / rdma send_only sn=0")),
             1);
}
END_TEST

START_TEST(RDMA_8_2_13_the_first_is_1)
{
    ck_breaks(v4(&clean, LINES(S(0, 0), S(1, 1))), "RDMA-8.2-13", 1);
    ck_breaks(v4(&clean, LINES(S(0, 2))), "RDMA-8.2-13", 1);
}
END_TEST

START_TEST(RDMA_8_2_12_numbers_grow)
{
    ck_breaks(v4(&clean, LINES(S(0, 1), S(1, 1))), "RDMA-8.2-12", 1);
    ck_breaks(v4(&clean, LINES(S(0, 1), S(1, 2), S(2, 2))), "RDMA-8.2-12", 1);
    /* against the next one, where it came before */
    ck_assert_int_eq(v4(&clean, LINES(S(0, 1), S(2, 3), S(1, 9))).verdict, FAL_VERDICT_FAIL);
}
END_TEST

/* A step of more than one is unusual. */
START_TEST(reading_amb_r06_steps_of_two)
{
    struct outcome o = v4(&clean, LINES(S(0, 1), S(1, 3), S(2, 5)));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
    ck_assert_str_eq(o.findings[0].requirement, "RDMA-8.2-12");
}
END_TEST

/* UD may count for each source queue pair. */
START_TEST(reading_amb_r06_datagrams_count_by_queue_pair)
{
    ck_holds(v4(&clean, LINES(UD(0, 1, 5), UD(1, 2, 6))), 2);
    ck_assert_int_eq(v4(&clean, LINES(UD(0, 1, 5), UD(1, 1, 6), UD(2, 2, 5))).verdict,
                     FAL_VERDICT_WARN);
    ck_breaks(v4(&clean, LINES(UD(0, 1, 5), UD(1, 1, 5))), "RDMA-8.2-12", 1);
    /* beside a queue pair that counts for itself */
    ck_assert_int_eq(v4(&clean, LINES(S(0, 1), UD(1, 1, 5), UD(2, 2, 5), S(3, 2))).verdict,
                     FAL_VERDICT_WARN);
    /* it has sent to another connection before */
    ck_assert_int_eq(v4(&clean, LINES(UD(0, 2, 5))).verdict, FAL_VERDICT_WARN);
    ck_breaks(v4(&clean, LINES(UD(0, 0, 5))), "RDMA-8.2-13", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V4");
    TCase *tcase = tcase_create("V4");

    tcase_add_test(tcase, numbers_count_the_requests);
    tcase_add_test(tcase, numbers_wrap);
    tcase_add_test(tcase, RDMA_8_2_13_the_first_is_1);
    tcase_add_test(tcase, RDMA_8_2_12_numbers_grow);
    tcase_add_test(tcase, reading_amb_r06_steps_of_two);
    tcase_add_test(tcase, reading_amb_r06_datagrams_count_by_queue_pair);
    suite_add_tcase(suite, tcase);
    return suite;
}
