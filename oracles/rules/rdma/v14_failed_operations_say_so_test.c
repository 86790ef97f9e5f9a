/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(errors, ...) \
    posted_judged("V14", true, LINES(MEMORY, PAIR_OF("rc", "strong", errors), __VA_ARGS__))
#define WC(op, status)                                                 \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"opcode\":\"" op \
    "\",\"status\":" #status "}"
#define FAILED                                                                              \
    POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4"), "> nack nack_psn=0r code=6", \
        "< resync psn=0r rsn=0r resync_code=1 resync_packet_type=6",                        \
        "> back dbase=1r rbase=0r"
#define NO_DATA                                                             \
    POST(1, "read", 4, REMOTE),                                             \
        PULL(0, "read_request dqp=5 reth.length=4 steth.va=65536 lkey=90"), \
        "> pull_data psn=0r rsn=0r / rdma read_response_only ce steth.va=65536 lkey=90"
#define QUERY(state) "verbs qp_query {\"qp\":\"q\"} -> {\"state\":\"" state "\"}"

START_TEST(RDMA_6_3_02_a_failed_operation_completes_in_error)
{
    ck_breaks(RUN("cie", FAILED, WC("send", 0)), "RDMA-6.3-02", 1);
    ck_breaks(RUN("cie", NO_DATA, WC("read", 0)), "RDMA-6.3-02", 1);
    ck_holds(RUN("cie", FAILED, WC("send", 11)), 1);
    ck_holds(RUN("cie", NO_DATA, WC("read", 10)), 1);
}
END_TEST

START_TEST(RDMA_6_3_01_in_verbs_mode_too)
{
    ck_breaks(RUN("verbs", FAILED, WC("send", 0)), "RDMA-6.3-01", 1);
    ck_holds(RUN("verbs", FAILED, WC("send", 11)), 1);
}
END_TEST

START_TEST(RDMA_6_3_02_the_queue_pair_goes_on)
{
    ck_breaks(RUN("cie", FAILED, WC("send", 11), QUERY("err")), "RDMA-6.3-02", 1);
    ck_holds(RUN("cie", FAILED, WC("send", 11), QUERY("rts")), 2);
    ck_holds(RUN("verbs", FAILED, WC("send", 11), QUERY("err")), 1);
    /* its connection does not answer any more */
    ck_holds(RUN("cie", POST(1, "send", 4, ""), WC("send", 12), QUERY("err")), 0);
}
END_TEST

START_TEST(what_did_not_fail)
{
    ck_holds(RUN("cie", POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4"),
                 "> back dbase=1r rbase=0r", WC("send", 0)),
             0);
    /* A NACK that the SUT did not answer may have been lost, or stale. */
    ck_holds(RUN("cie", POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4"),
                 "> nack nack_psn=0r code=6", "> back dbase=1r rbase=0r", WC("send", 0)),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V14");
    TCase *tcase = tcase_create("V14");

    tcase_add_test(tcase, RDMA_6_3_02_a_failed_operation_completes_in_error);
    tcase_add_test(tcase, RDMA_6_3_01_in_verbs_mode_too);
    tcase_add_test(tcase, RDMA_6_3_02_the_queue_pair_goes_on);
    tcase_add_test(tcase, what_did_not_fail);
    suite_add_tcase(suite, tcase);
    return suite;
}
