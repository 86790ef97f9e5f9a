/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define M(n, kind, m) "< push_data psn=" #n "r rsn=" #n "r / rdma " kind " rmsn=" #m
#define R(n, psn, m)  "< pull_request psn=" #psn "r rsn=" #n "r / rdma read_request rmsn=" #m
#define W(n)          "< push_data psn=" #n "r rsn=" #n "r / rdma write_only"

static struct outcome v5(const struct kind *kind, const char *const *lines)
{
    return judged("V5", kind, lines);
}

START_TEST(both_classes_count)
{
    /* A: 1 2 3 4; B: 1 2 3 (RDMA 8.3.2) */
    ck_holds(
        v5(&clean, LINES(M(0, "send_only", 1), M(1, "send_only", 2), R(2, 0, 1), R(3, 1, 2),
                         "< push_data psn=2r rsn=4r / rdma write_only_imm rmsn=3",
                         "< push_data psn=3r rsn=5r / rdma send_first rmsn=4 data=256",
                         "< push_data psn=4r rsn=6r / rdma send_middle rmsn=4 data=256",
                         "< push_data psn=5r rsn=7r / rdma send_last rmsn=4 data=1",
                         "< pull_request psn=2r rsn=8r / rdma atomic_fetch_add rmsn=3")),
        9);
    /* a WRITE without immediate data has no number, and takes none */
    ck_holds(v5(&clean, LINES(M(0, "send_only", 1), W(1), M(2, "send_only", 2))), 2);
}
END_TEST

START_TEST(RDMA_8_3_2_02_the_first_is_1)
{
    ck_breaks(v5(&clean, LINES(M(0, "send_only", 0))), "RDMA-8.3.2-02", 1);
    ck_breaks(v5(&clean, LINES(W(0), R(1, 0, 2))), "RDMA-8.3.2-02", 1);
}
END_TEST

START_TEST(RDMA_8_3_2_04_one_more_for_each_message)
{
    ck_breaks(v5(&clean, LINES(M(0, "send_only_imm", 1), M(1, "send_only_imm", 1))),
              "RDMA-8.3.2-04", 1);
    /* within a message it stays */
    ck_breaks(v5(&clean, LINES(M(0, "send_first", 1), M(1, "send_last", 2))), "RDMA-8.3.2-04",
              1);
}
END_TEST

START_TEST(RDMA_8_3_2_05_one_more_for_each_pull)
{
    ck_breaks(v5(&clean, LINES(R(0, 0, 1), R(1, 1, 1))), "RDMA-8.3.2-05", 1);
}
END_TEST

START_TEST(RDMA_8_3_2_07_the_classes_count_apart)
{
    ck_breaks(v5(&clean, LINES(R(0, 0, 1), M(1, "send_only", 1), R(2, 1, 3))), "RDMA-8.3.2-07",
              1);
    ck_breaks(v5(&clean, LINES("< push_data psn=0r rsn=0r / rdma send_only rmsn=1", R(1, 0, 1),
                               "< push_data psn=1r rsn=2r / rdma send_only rmsn=3")),
              "RDMA-8.3.2-07", 1);
}
END_TEST

/* Only SENDs and WRITEs with immediate data count. */
START_TEST(reading_amb_r05_plain_sends_do_not_count)
{
    struct outcome o = v5(&clean, LINES(M(0, "send_only", 1), M(1, "send_only", 1)));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
    ck_assert_str_eq(o.findings[0].requirement, "RDMA-8.3.2-03");
#define OF_MODE(mode, ordered)                                                       \
    posted_judged("V5", ordered,                                                     \
                  LINES(PAIR_CREATE(mode), PAIR_CONNECT, M(0, "send_only dqp=5", 1), \
                        M(1, "send_only dqp=5", 1)))
    ck_warns(OF_MODE("strong", true), "RDMA-8.3.2-03");
    ck_warns(OF_MODE("unordered", false), "RDMA-8.3.2-03");
    /* There the target needs the number to place the data. */
    ck_breaks(OF_MODE("weak", false), "RDMA-8.3.2-03", 1);
}
END_TEST

START_TEST(reading_amb_r27_upper_bits_that_do_not_count)
{
    struct outcome o = v5(&clean, LINES(M(0, "send_only", 1), M(1, "send_only", 0x102)));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_WARN);
    ck_assert_str_eq(o.findings[0].requirement, "RDMA-8.3.2-01");
}
END_TEST

START_TEST(holes_decide_nothing)
{
    ck_holds(v5(&capture, LINES("< push_data psn=5 rsn=5 / rdma send_only rmsn=7",
                                "< push_data psn=9 rsn=9 / rdma send_only rmsn=3")),
             0);
    ck_holds(v5(&clean, LINES(M(0, "send_only", 1), M(2, "send_only_imm", 9), W(1))), 1);
}
END_TEST

START_TEST(order_of_arrival_does_not_matter)
{
    ck_holds(
        v5(&clean, LINES(M(2, "send_only", 3), M(0, "send_only", 1), M(1, "send_only", 2))), 3);
    ck_breaks(v5(&clean, LINES(M(2, "send_only_imm", 9), M(0, "send_only_imm", 1),
                               M(1, "send_only_imm", 2))),
              "RDMA-8.3.2-04", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V5");
    TCase *tcase = tcase_create("V5");

    tcase_add_test(tcase, both_classes_count);
    tcase_add_test(tcase, RDMA_8_3_2_02_the_first_is_1);
    tcase_add_test(tcase, RDMA_8_3_2_04_one_more_for_each_message);
    tcase_add_test(tcase, RDMA_8_3_2_05_one_more_for_each_pull);
    tcase_add_test(tcase, RDMA_8_3_2_07_the_classes_count_apart);
    tcase_add_test(tcase, reading_amb_r05_plain_sends_do_not_count);
    tcase_add_test(tcase, reading_amb_r27_upper_bits_that_do_not_count);
    tcase_add_test(tcase, holes_decide_nothing);
    tcase_add_test(tcase, order_of_arrival_does_not_matter);
    suite_add_tcase(suite, tcase);
    return suite;
}
