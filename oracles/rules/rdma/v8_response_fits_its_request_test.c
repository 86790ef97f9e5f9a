/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define READ(n, len)                                                               \
    "> pull_request psn=" #n "r rsn=" #n "r / rdma read_request reth.length=" #len \
    " steth.va=0x1000 lkey=7"
#define ANSWER(n, what) "< pull_data psn=" #n "r rsn=" #n "r / rdma " what

static struct outcome v8(const struct kind *kind, const char *const *lines)
{
    return judged("V8", kind, lines);
}

START_TEST(answers_return_what_was_asked)
{
    ck_holds(
        v8(&clean, LINES(READ(0, 64), ANSWER(0, "read_response_only steth.va=0x1000 lkey=7 "
                                                "data=64"))),
        1);
    /* which of the four it is, the target cannot know (AMB-R07) */
    ck_holds(
        v8(&clean, LINES(READ(0, 5), ANSWER(0, "read_response_middle steth.va=0x1000 lkey=7 "
                                               "data=5"))),
        1);
    ck_holds(v8(&clean, LINES("> pull_request psn=0r rsn=0r / rdma atomic_cmp_swap steth.va=9",
                              ANSWER(0, "atomic_response steth.va=9"))),
             1);
}
END_TEST

START_TEST(RDMA_8_01_the_answer_is_of_its_kind_and_length)
{
    ck_breaks(
        v8(&clean, LINES(READ(0, 64), ANSWER(0, "atomic_response steth.va=0x1000 lkey=7"))),
        "RDMA-8-01", 1);
    ck_breaks(
        v8(&clean, LINES(READ(0, 64), ANSWER(0, "read_response_only steth.va=0x1000 lkey=7 "
                                                "data=60"))),
        "RDMA-8-01", 1);
}
END_TEST

/* Two parts of one READ, each of less than a path MTU. */
#define PART(n, va, length)                                                        \
    "> pull_request psn=" #n "r rsn=" #n "r / rdma read_request sn=1 reth.va=" #va \
    " reth.length=" #length " steth.va=0x1000 lkey=7"

START_TEST(RDMA_6_7_13_short_parts_have_answers_of_their_own)
{
    const char *short_one = ANSWER(0, "read_response_only sn=1 steth.va=0x1000 lkey=7 data=64"),
               *long_one = ANSWER(0, "read_response_only sn=1 steth.va=0x1000 lkey=7 data=128");

    ck_holds(v8(&clean, LINES(PART(0, 0, 64), PART(1, 64, 64), short_one)), 1);
    ck_breaks(v8(&clean, LINES(PART(0, 0, 64), PART(1, 64, 64), long_one)), "RDMA-6.7-13", 1);
    /* no parts of one READ, or as long as a packet may be */
    ck_breaks(v8(&clean, LINES(PART(0, 0, 64), PART(1, 128, 64), long_one)), "RDMA-8-01", 1);
    ck_breaks(v8(&clean, LINES(PART(0, 0, 256), PART(1, 256, 64), long_one)), "RDMA-8-01", 1);
}
END_TEST

START_TEST(RDMA_8_2_14_the_sequence_number_is_the_requests)
{
    ck_breaks(v8(&clean, LINES(READ(0, 4), ANSWER(0, "read_response_only sn=2 steth.va=0x1000 "
                                                     "lkey=7 data=4"))),
              "RDMA-8.2-14", 1);
}
END_TEST

START_TEST(RDMA_8_3_4_03_the_steth_comes_back)
{
    ck_breaks(
        v8(&clean, LINES(READ(0, 4), ANSWER(0, "read_response_only steth.va=0x1004 lkey=7 "
                                               "data=4"))),
        "RDMA-8.3.4-03", 1);
    ck_breaks(
        v8(&clean, LINES(READ(0, 4), ANSWER(0, "read_response_only steth.va=0x1000 lkey=8 "
                                               "data=4"))),
        "RDMA-8.3.4-03", 1);
}
END_TEST

/* RDMA 8.2, AMB-R23: an error, with its headers or without. */
START_TEST(errors_have_no_data)
{
    ck_holds(v8(&clean, LINES(READ(0, 64), ANSWER(0, "read_response_only ce steth.va=0x1000 "
                                                     "lkey=7"))),
             1);
    ck_holds(v8(&clean, LINES(READ(0, 64), "< pull_data psn=0r rsn=0r")), 0);
}
END_TEST

/* AMB-R17: so may a target that is compatible with Verbs tell of an error. */
START_TEST(RDMA_8_01_no_data_without_ce_warns)
{
    ck_warns(v8(&clean, LINES(READ(0, 64), ANSWER(0, "read_response_only steth.va=0x1000 "
                                                     "lkey=7"))),
             "RDMA-8-01");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V8");
    TCase *tcase = tcase_create("V8");

    tcase_add_test(tcase, answers_return_what_was_asked);
    tcase_add_test(tcase, RDMA_8_01_the_answer_is_of_its_kind_and_length);
    tcase_add_test(tcase, RDMA_8_2_14_the_sequence_number_is_the_requests);
    tcase_add_test(tcase, RDMA_8_3_4_03_the_steth_comes_back);
    tcase_add_test(tcase, errors_have_no_data);
    tcase_add_test(tcase, RDMA_8_01_no_data_without_ce_warns);
    tcase_add_test(tcase, RDMA_6_7_13_short_parts_have_answers_of_their_own);
    suite_add_tcase(suite, tcase);
    return suite;
}
