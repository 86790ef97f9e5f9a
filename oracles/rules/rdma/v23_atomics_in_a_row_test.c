/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"
#include "oracles/rules/verbs/atomics.h"

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

#define WEAK(...) \
    posted_judged("V23", false, LINES(MEMORY, PAIR_CREATE("weak"), PAIR_CONNECT, __VA_ARGS__))

/* Where RSNs do not order them, any order may explain the answers. */
START_TEST(RDMA_8_3_7_01_any_order)
{
    ck_holds(WEAK(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(1, 5), ANSWER(0, 6), WORD(9)), 1);
    ck_holds(WEAK(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(0, 5), ANSWER(1, 8)), 1);
    ck_holds(WEAK(SET(5), CAS(0, 6, 9), FAA(1, 1), ANSWER(0, 6), ANSWER(1, 5), WORD(9)), 1);
    ck_breaks(WEAK(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(0, 5), ANSWER(1, 5)), "RDMA-8.3.7-01",
              1);
    /* One of them was done twice, or not at all. */
    ck_breaks(WEAK(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(1, 5), ANSWER(0, 6), WORD(12)),
              "RDMA-8.3.7-01", 1);
    /* The second was sent when the first had been answered. */
    ck_breaks(WEAK(SET(5), FAA(0, 3), ANSWER(0, 6), FAA(1, 1), ANSWER(1, 5), WORD(9)),
              "RDMA-8.3.7-01", 1);
    ck_undecided(
        WEAK(SET(5), FAA(0, 3), ANSWER(0, 5),
             "> push_data psn=0r rsn=1r / rdma write_only dqp=17 va=65544 rkey=91 data=8",
             WORD(77)),
        1);
    /* One has no answer yet. */
    ck_holds(WEAK(SET(5), FAA(0, 3), FAA(1, 1), ANSWER(0, 77), WORD(9)), 0);
}
END_TEST

static uint64_t random_of(uint64_t *draw)
{
    *draw = *draw * 6364136223846793005u + 1442695040888963407u;
    return *draw >> 33;
}

/* Eight FetchAdds of powers of 2, four on each of two connections, done in a random order. */
START_TEST(RDMA_8_3_7_01_two_connections)
{
    enum { OPS = 8, ROUNDS = 300 };
    static struct fal_vqp qps[2];
    uint64_t seed = 0x5eed0023, draw = seed;

    for (int round = 0; round < ROUNDS; round++) {
        struct fal_word word = {.known = true, .mixed = true, .num = OPS};
        unsigned done[2] = {0};
        uint64_t value = word.start = random_of(&draw) % 7;

        for (unsigned i = 0; i < OPS; i++)
            word.ops[i] = (struct fal_atomic){.rsn = i / 2,
                                              .conn = 1 + i % 2,
                                              .qp = &qps[i % 2],
                                              .swap = 1u << (i + 3),
                                              .answered = true,
                                              .sent.index = 1,
                                              .answer.index = 2};
        for (unsigned i = 0; i < OPS; i++) { /* each connection in the order of its RSNs */
            unsigned conn = random_of(&draw) % 2;
            struct fal_atomic *op;

            conn = done[conn] == OPS / 2 ? 1 - conn : conn;
            op = &word.ops[2 * done[conn]++ + conn];
            op->original = value;
            value += op->swap;
        }
        ck_assert_msg(fal_word_search(&word, &value) == FAL_WORD_FOUND &&
                          fal_word_search(&word, NULL) == FAL_WORD_FOUND,
                      "seed %" PRIx64 ", round %d", seed, round);
        value++;
        ck_assert_int_eq(fal_word_search(&word, &value), FAL_WORD_NONE);
        word.ops[random_of(&draw) % OPS].original++;
        ck_assert_int_eq(fal_word_search(&word, NULL), FAL_WORD_NONE);
    }
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
    tcase_add_test(tcase, RDMA_8_3_7_01_any_order);
    tcase_add_test(tcase, RDMA_8_3_7_01_two_connections);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
