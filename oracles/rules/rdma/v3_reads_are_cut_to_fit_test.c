/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V3", true, LINES(MEMORY, PAIR, __VA_ARGS__))

/* A pull of `length` bytes of the READ from va 4096 + `at` on, into `sink`. */
#define READ(n, at, len, sink, key)                                            \
    PULL(n, "read_request dqp=5 reth.va=" #at " reth.rkey=9 reth.length=" #len \
            " steth.va=" #sink " lkey=" #key)

/* The region m is at 65536 with key 90, n at 131072 with key 91. */
START_TEST(RDMA_6_7_13_pulls_that_fit)
{
    ck_holds(RUN(POST(1, "read", 300, REMOTE), READ(0, 4096, 256, 65536, 90),
                 READ(1, 4352, 44, 65792, 90)),
             2);
    /* smaller ones, as the initiator likes */
    ck_holds(RUN(POST(1, "read", 300, REMOTE), READ(0, 4096, 100, 65536, 90),
                 READ(1, 4196, 200, 65636, 90)),
             2);
    /* two entries of the list, each with its key */
    ck_holds(RUN(POST_LIST(1, "read", SGE("m", 8, 3) "," SGE("n", 0, 5), REMOTE),
                 READ(0, 4096, 3, 65544, 90), READ(1, 4099, 5, 131072, 91)),
             2);
}
END_TEST

START_TEST(RDMA_6_7_10_11_no_more_than_an_mtu)
{
    ck_breaks(RUN(POST(1, "read", 300, REMOTE), READ(0, 4096, 300, 65536, 90)), "RDMA-6.7-10",
              1);
    ck_breaks(RUN(POST(1, "read", 600, REMOTE), READ(0, 4096, 257, 65536, 90)), "RDMA-6.7-11",
              1);
}
END_TEST

START_TEST(RDMA_6_7_12_no_boundary_is_crossed)
{
    ck_breaks(RUN(POST_LIST(1, "read", SGE("m", 0, 3) "," SGE("m", 3, 5), REMOTE),
                  READ(0, 4096, 8, 65536, 90)),
              "RDMA-6.7-12", 1);
}
END_TEST

START_TEST(RDMA_8_3_1_04_no_more_than_the_read)
{
    ck_breaks(RUN(POST(1, "read", 8, REMOTE), READ(0, 4096, 9, 65536, 90)), "RDMA-8.3.1-04", 1);
    ck_breaks(RUN(POST(1, "read", 8, REMOTE), READ(0, 4096, 4, 65536, 90),
                  READ(1, 4100, 5, 65540, 90)),
              "RDMA-8.3.1-04", 1);
}
END_TEST

START_TEST(RDMA_8_3_4_01_02_the_sink)
{
    ck_breaks(RUN(POST(1, "read", 300, REMOTE), READ(0, 4096, 256, 65536, 90),
                  READ(1, 4352, 44, 65536, 90)),
              "RDMA-8.3.4-01", 1);
    ck_breaks(RUN(POST_LIST(1, "read", SGE("m", 8, 3) "," SGE("n", 0, 5), REMOTE),
                  READ(0, 4096, 3, 65544, 90), READ(1, 4099, 5, 131072, 90)),
              "RDMA-8.3.4-02", 1);
    /* the answer to an atomic operation */
    ck_holds(RUN(POST(1, "faa", 8, REMOTE),
                 PULL(0, "atomic_fetch_add dqp=5 va=4096 steth.va=65536 lkey=90")),
             1);
    ck_breaks(RUN(POST(1, "faa", 8, REMOTE),
                  PULL(0, "atomic_fetch_add dqp=5 va=4096 steth.va=65544 lkey=90")),
              "RDMA-8.3.4-01", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    ck_undecided(RUN(POST_LIST(1, "read", SGE("z", 0, 8), REMOTE), READ(0, 4096, 8, 1, 1)), 1);
    ck_undecided(RUN(POST(1, "read", 8, REMOTE),
                     "tells async {\"qp\":\"q\",\"what\":\"fatal\"}", READ(0, 4096, 8, 1, 1)),
                 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V3");
    TCase *tcase = tcase_create("V3");

    tcase_add_test(tcase, RDMA_6_7_13_pulls_that_fit);
    tcase_add_test(tcase, RDMA_6_7_10_11_no_more_than_an_mtu);
    tcase_add_test(tcase, RDMA_6_7_12_no_boundary_is_crossed);
    tcase_add_test(tcase, RDMA_8_3_1_04_no_more_than_the_read);
    tcase_add_test(tcase, RDMA_8_3_4_01_02_the_sink);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
