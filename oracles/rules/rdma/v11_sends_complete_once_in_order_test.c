/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

static struct outcome run(const char *ordering, bool ordered, const char *const *lines)
{
    struct fal_connection c = script_connection(&told);
    const char *all[40] = {MEMORY,
                           strcmp(ordering, "strong") == 0 ? PAIR_CREATE("strong")
                           : strcmp(ordering, "weak") == 0 ? PAIR_CREATE("weak")
                                                           : PAIR_CREATE("unordered"),
                           PAIR_CONNECT};
    size_t n = 5;

    c.params.ordered = ordered;
    while (*lines != NULL)
        all[n++] = *lines++;
    return script_run("V11", &told, &c, all);
}

#define RUN(...)    run("strong", true, LINES(__VA_ARGS__))
#define SIGNALED    ",\"flags\":[\"signaled\"]"
#define SENT(id, n) POST(id, "send", 4, SIGNALED), PUSH(n, "send_only dqp=5 data=4@7")
#define WC(id, op) \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id ",\"status\":0,\"opcode\":\"" op "\"}"
#define ACK(base) "> back dbase=" #base "r rbase=0r"

START_TEST(complete_after_their_acknowledgement)
{
    ck_holds(RUN(SENT(1, 0), SENT(2, 1), ACK(1), WC(1, "send"), ACK(2), WC(2, "send")), 4);
    ck_holds(RUN(POST(1, "read", 4, REMOTE SIGNALED),
                 PULL(0, "read_request dqp=5 reth.length=4 steth.va=65536 lkey=90"),
                 "> pull_data psn=0r rsn=0r / rdma read_response_only data=4", WC(1, "read")),
             2);
}
END_TEST

START_TEST(RDMA_6_7_02_not_before_all_its_packets)
{
    ck_breaks(RUN(SENT(1, 0), WC(1, "send")), "RDMA-6.7-02", 1);
    ck_breaks(RUN(POST(1, "send", 300, SIGNALED), PUSH(0, "send_first dqp=5 data=256"),
                  PUSH(1, "send_last dqp=5 data=44"), ACK(1), WC(1, "send")),
              "RDMA-6.7-02", 1);
    ck_breaks(RUN(POST(1, "send", 4, SIGNALED), WC(1, "send")), "RDMA-6.7-02", 1);
    ck_breaks(RUN(POST(1, "read", 4, REMOTE SIGNALED),
                  PULL(0, "read_request dqp=5 reth.length=4 steth.va=65536 lkey=90"),
                  "> back dbase=0r rbase=1r", WC(1, "read")),
              "RDMA-6.7-02", 1);
}
END_TEST

START_TEST(RDMA_6_7_02_none_is_missing_at_a_barrier)
{
    ck_breaks(RUN(SENT(1, 0), ACK(1), "wait 10ms", "barrier"), "RDMA-6.7-02", 1);
    ck_holds(RUN(SENT(1, 0), "wait 10ms", "barrier"), 0);
    ck_holds(RUN(SENT(1, 0), ACK(1), "barrier"), 0); /* too soon to know */
    ck_holds(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4"), ACK(1), "wait 10ms",
                 "barrier"),
             0); /* not signaled */
}
END_TEST

START_TEST(RDMA_6_8_04_once)
{
    ck_breaks(RUN(SENT(1, 0), ACK(1), WC(1, "send"), WC(1, "send")), "RDMA-6.8-04", 1);
    ck_breaks(RUN(WC(3, "send")), "RDMA-6.8-04", 1);
}
END_TEST

#define BOTH                                                                              \
    SENT(1, 0), POST(2, "write", 4, REMOTE SIGNALED), PUSH(1, "write_only dqp=5 data=4"), \
        SENT(3, 2), ACK(3)

START_TEST(RDMA_6_2_01_02_6_4_03_05_in_order)
{
    ck_breaks(RUN(BOTH, WC(2, "write")), "RDMA-6.4-03", 1);
    ck_breaks(run("weak", false, LINES(BOTH, WC(2, "write"))), "RDMA-6.4-05", 1);
    ck_breaks(RUN(SENT(1, 0), SENT(2, 1), ACK(2), WC(2, "send")), "RDMA-6.2-01", 1);
    ck_breaks(run("weak", false, LINES(SENT(1, 0), SENT(2, 1), ACK(2), WC(2, "send"))),
              "RDMA-6.2-02", 1);
    /* 6.2-03: any order */
    ck_holds(run("unordered", false, LINES(BOTH, WC(3, "send"), WC(2, "write"))), 2);
}
END_TEST

START_TEST(RDMA_6_4_04_06_datagrams)
{
    static const char *const requirement[] = {"RDMA-6.4-04", "RDMA-6.4-06"};

    for (int weak = 0; weak < 2; weak++) {
        struct fal_connection c = script_connection(&told);

        c.params.ordered = weak == 0;
        ck_breaks(
            script_run(
                "V11", &told, &c,
                LINES(MEMORY,
                      weak != 0
                          ? "verbs qp_create {\"type\":\"ud\",\"pd\":\"p\",\"send_cq\":\"c\","
                            "\"recv_cq\":\"c\"} -> {\"qp\":\"q\",\"qpn\":17,\"ordering\":"
                            "\"weak\"}"
                          : "verbs qp_create {\"type\":\"ud\",\"pd\":\"p\",\"send_cq\":\"c\","
                            "\"recv_cq\":\"c\"} -> {\"qp\":\"q\",\"qpn\":17}",
                      "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}",
                      POST(1, "send", 4, SIGNALED ",\"ah\":\"a\",\"dest_qpn\":6"),
                      POST(2, "send", 4, SIGNALED ",\"ah\":\"a\",\"dest_qpn\":6"),
                      WC(2, "send"))),
            requirement[weak], 1);
    }
}
END_TEST

START_TEST(what_is_not_known)
{
    struct fal_connection c = script_connection(&clean);

    /* events in no order */
    ck_undecided(script_run("V11", &clean, &c,
                            LINES(MEMORY, PAIR, SENT(1, 0), SENT(2, 1), ACK(2), WC(2, "send"))),
                 1);
    /* an error */
    ck_holds(RUN(SENT(1, 0), SENT(2, 1),
                 "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":10}",
                 WC(2, "send")),
             0);
    /* packets beyond one that was not seen yet */
    ck_undecided(run("unordered", false,
                     LINES(SENT(1, 0), POST(2, "send", 4, SIGNALED),
                           PUSH(2, "send_only dqp=5 data=4@7"), WC(2, "send"))),
                 1);
    /* a refused post */
    ck_undecided(RUN(POST(1, "send", 4, SIGNALED) " -> failed", WC(1, "send")), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V11");
    TCase *tcase = tcase_create("V11");

    tcase_add_test(tcase, complete_after_their_acknowledgement);
    tcase_add_test(tcase, RDMA_6_7_02_not_before_all_its_packets);
    tcase_add_test(tcase, RDMA_6_7_02_none_is_missing_at_a_barrier);
    tcase_add_test(tcase, RDMA_6_8_04_once);
    tcase_add_test(tcase, RDMA_6_2_01_02_6_4_03_05_in_order);
    tcase_add_test(tcase, RDMA_6_4_04_06_datagrams);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
