/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(errors, ...) \
    posted_judged("V15", true, LINES(MEMORY, PAIR_OF("rc", "strong", errors), __VA_ARGS__))
#define WC(id, status)                                   \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id \
    ",\"opcode\":\"send\",\"status\":" #status "}"
#define FAILED POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4"), POST(2, "send", 4, "")

START_TEST(RDMA_6_3_01_nothing_new_is_sent)
{
    ck_breaks(RUN("verbs", FAILED, WC(1, 10), WC(2, 5), POST(3, "send", 4, ""),
                  PUSH(1, "send_only dqp=5 data=4"), PUSH(2, "send_only dqp=5 data=4")),
              "RDMA-6.3-01", 1);
    /* that of an earlier post may be under way */
    ck_holds(RUN("verbs", FAILED, WC(1, 10), PUSH(1, "send_only dqp=5 data=4")), 0);
    ck_holds(RUN("cie", FAILED, WC(1, 10), POST(3, "send", 4, ""),
                 PUSH(1, "send_only dqp=5 data=4"), PUSH(2, "send_only dqp=5 data=4")),
             0);
}
END_TEST

START_TEST(RDMA_6_3_01_no_success_after_an_error)
{
    ck_breaks(RUN("verbs", FAILED, WC(1, 10), WC(2, 0)), "RDMA-6.3-01", 1);
    ck_holds(RUN("verbs", FAILED, WC(1, 10), WC(2, 5)), 1);
    ck_holds(RUN("cie", FAILED, WC(1, 10), WC(2, 0)), 0);
    /* of a post before it */
    ck_holds(RUN("verbs", FAILED, WC(2, 5), WC(1, 0)), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V15");
    TCase *tcase = tcase_create("V15");

    tcase_add_test(tcase, RDMA_6_3_01_nothing_new_is_sent);
    tcase_add_test(tcase, RDMA_6_3_01_no_success_after_an_error);
    suite_add_tcase(suite, tcase);
    return suite;
}
