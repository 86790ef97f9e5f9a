/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V23", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define SET(v)   "verbs mr_word {\"mr\":\"m\",\"offset\":8,\"set\":" #v "} -> {\"value\":1}"
#define WORD(v)  "verbs mr_word {\"mr\":\"m\",\"offset\":8} -> {\"value\":" #v "}"
#define FAA(n, add)                                                                 \
    "> pull_request psn=" #n "r rsn=" #n "r len=32 / rdma atomic_fetch_add dqp=17 " \
    "atomiceth.va=65544 atomiceth.rkey=91 swap=" #add
#define CAS(n, old, new)                                                           \
    "> pull_request psn=" #n "r rsn=" #n "r len=32 / rdma atomic_cmp_swap dqp=17 " \
    "atomiceth.va=65544 atomiceth.rkey=91 swap=" #new " compare=" #old
#define ANSWER(n, v) "< pull_data psn=" #n "r rsn=" #n "r / rdma atomic_response orig=" #v

START_TEST(one_after_the_other)
{
    ck_holds(RUN(SET(5), FAA(0, 3), ANSWER(0, 5), CAS(1, 8, 9), ANSWER(1, 8), CAS(2, 8, 7),
                 ANSWER(2, 9), WORD(9)),
             4);
    /* The first answer says what was there. */
    ck_holds(RUN(FAA(0, 3), ANSWER(0, 40), FAA(1, 1), ANSWER(1, 43)), 1);
    /* answers in another order */
    ck_holds(RUN(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(1, 8), ANSWER(0, 5)), 2);
}
END_TEST

START_TEST(RDMA_8_3_7_01_what_was_there)
{
    ck_breaks(RUN(SET(5), FAA(0, 3), ANSWER(0, 8)), "RDMA-8.3.7-01", 1);
}
END_TEST

START_TEST(RDMA_8_3_6_06_compare_and_swap)
{
    /* It swaps though the values differ, and does not though they are equal. */
    ck_breaks(RUN(SET(5), CAS(0, 4, 9), ANSWER(0, 5), WORD(9)), "RDMA-8.3.6-06", 1);
    ck_breaks(RUN(SET(5), CAS(0, 5, 9), ANSWER(0, 5), WORD(5)), "RDMA-8.3.6-06", 1);
}
END_TEST

START_TEST(RDMA_8_3_6_07_fetch_and_add_once)
{
    ck_breaks(RUN(SET(5), FAA(0, 3), ANSWER(0, 5), FAA(0, 3), FAA(1, 1), ANSWER(1, 11)),
              "RDMA-8.3.6-07", 1);
    ck_breaks(RUN(SET(5), FAA(0, 3), ANSWER(0, 5), WORD(5)), "RDMA-8.3.6-07", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    ck_undecided(RUN(SET(5), FAA(0, 3), "< pull_data psn=0r rsn=0r / rdma atomic_response ce",
                     FAA(1, 1), ANSWER(1, 1)),
                 1);
    /* a WRITE, and a word that is asked for meanwhile */
    ck_holds(RUN(SET(5),
                 "> push_data psn=0r rsn=0r / rdma write_only dqp=17 va=65540 rkey=91 data=8",
                 FAA(1, 3), "< pull_data psn=0r rsn=1r / rdma atomic_response orig=77"),
             0);
    ck_holds(RUN(SET(5), FAA(0, 3), WORD(8), ANSWER(0, 5)), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V23");
    TCase *tcase = tcase_create("V23");

    tcase_add_test(tcase, one_after_the_other);
    tcase_add_test(tcase, RDMA_8_3_7_01_what_was_there);
    tcase_add_test(tcase, RDMA_8_3_6_06_compare_and_swap);
    tcase_add_test(tcase, RDMA_8_3_6_07_fetch_and_add_once);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
