/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V7", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define EVENT    ",\"flags\":[\"solicited\"]"

START_TEST(flags_as_posted)
{
    ck_holds(RUN(POST(1, "send", 300, EVENT), POST(2, "send", 4, ""),
                 PUSH(0, "send_first dqp=5 data=256"), PUSH(1, "send_last se dqp=5 data=44"),
                 PUSH(2, "send_only dqp=5 data=4")),
             3);
    ck_holds(RUN(POST(1, "write_imm", 5, REMOTE EVENT), POST(2, "write", 4, REMOTE EVENT),
                 PUSH(0, "write_only_imm se dqp=5 data=5"), PUSH(1, "write_only dqp=5 data=4")),
             2);
}
END_TEST

START_TEST(RDMA_8_2_08_solicited_event)
{
    ck_breaks(RUN(POST(1, "send", 4, EVENT), PUSH(0, "send_only dqp=5 data=4")), "RDMA-8.2-08",
              1);
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only se dqp=5 data=4")), "RDMA-8.2-08",
              1);
    ck_breaks(RUN(POST(1, "send", 300, EVENT), PUSH(0, "send_first se dqp=5 data=256"),
                  PUSH(1, "send_last se dqp=5 data=44")),
              "RDMA-8.2-08", 1);
    ck_breaks(RUN(POST(1, "write", 4, REMOTE EVENT), PUSH(0, "write_only se dqp=5 data=4")),
              "RDMA-8.2-08", 1);
    ck_breaks(RUN(POST(1, "read", 4, REMOTE EVENT), PULL(0, "read_request se dqp=5")),
              "RDMA-8.2-08", 1);
}
END_TEST

START_TEST(RDMA_8_2_04_complete_in_error)
{
    ck_breaks(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first ce dqp=5 data=256"),
                  PUSH(1, "send_last dqp=5 data=44")),
              "RDMA-8.2-04", 1);
    ck_holds(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first ce dqp=5 data=256"),
                 PUSH(1, "send_last ce dqp=5 data=44")),
             2);
}
END_TEST

START_TEST(RDMA_8_2_05_pad)
{
    ck_holds(RUN(POST(1, "send", 5, ""), PUSH(0, "send_only dqp=5 data=5")), 1);
    ck_breaks(RUN(POST(1, "send", 5, ""), PUSH(0, "send_only dqp=5 data=8")), "RDMA-8.2-05", 1);
    ck_breaks(RUN(POST(1, "send", 8, ""), PUSH(0, "send_only dqp=5 pad=3 data=5")),
              "RDMA-8.2-05", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    ck_undecided(RUN(POST(1, "send", 4, EVENT),
                     "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":10}",
                     PUSH(0, "send_only dqp=5 data=4")),
                 1);
    ck_holds(RUN(PUSH(0, "send_only se dqp=5 data=4")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V7");
    TCase *tcase = tcase_create("V7");

    tcase_add_test(tcase, flags_as_posted);
    tcase_add_test(tcase, RDMA_8_2_08_solicited_event);
    tcase_add_test(tcase, RDMA_8_2_04_complete_in_error);
    tcase_add_test(tcase, RDMA_8_2_05_pad);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
