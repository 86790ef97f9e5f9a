/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...)  posted_judged("V21", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define OWN(n)    POST(1, "read", 4, REMOTE), PULL(n, "read_request dqp=5 reth.length=4")
#define BUSY      "verbs post_send {\"qp\":\"q\",\"wr_id\":9,\"op\":\"read\"} -> failed"
#define TAKEN(to) "> back dbase=0r rbase=" #to "r"
#define FULL      OWN(0), TAKEN(1), BUSY
#define READ(key)                                                                             \
    "> pull_request psn=0r rsn=0r len=32 / rdma read_request dqp=17 reth.va=65536 rkey=" #key \
    " reth.length=8"
#define ACK    "< back dbase=0r rbase=1r"
#define ANSWER "< pull_data psn=0r rsn=0r / rdma read_response_only data=8"
#define LATE   "wait 600ms", "barrier"

START_TEST(RDMA_6_5_04_answered_while_posts_are_refused)
{
    ck_holds(RUN(FULL, READ(91), ACK, ANSWER, LATE), 1);
    ck_holds(RUN(FULL, READ(91), ACK, "wait 300ms", ANSWER, LATE), 1);
    ck_breaks(RUN(FULL, READ(91), ACK, LATE), "RDMA-6.5-04", 1);
    ck_breaks(RUN(FULL, READ(91), "wait 200ms", ACK, LATE, ANSWER), "RDMA-6.5-04", 1);
}
END_TEST

START_TEST(RDMA_6_5_04_only_while_requests_are_stopped)
{
    ck_holds(RUN(OWN(0), TAKEN(1), READ(91), ACK, LATE), 0); /* no post was refused */
    ck_holds(RUN(BUSY, READ(91), ACK, LATE), 0);             /* no READ of its own is open */
    /* There is room again: an answer, a completion, a post. */
    ck_holds(RUN(FULL, READ(91), ACK, "wait 100ms",
                 "> pull_data psn=0r rsn=0r / rdma read_response_only data=4", LATE),
             0);
    ck_holds(RUN(FULL, READ(91), ACK, "wait 100ms",
                 "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":12,"
                 "\"opcode\":\"read\"}",
                 LATE),
             0);
    ck_holds(RUN(FULL, READ(91), ACK, POST(3, "read", 4, REMOTE),
                 PULL(1, "read_request dqp=5 reth.length=4"), TAKEN(2), LATE),
             0);
}
END_TEST

/* A post that is taken and not sent is a witness, too. */
START_TEST(RDMA_6_5_04_while_posts_are_held)
{
    ck_breaks(RUN(OWN(0), TAKEN(1), POST(2, "read", 4, REMOTE), READ(91), ACK, LATE),
              "RDMA-6.5-04", 1);
    ck_holds(RUN(OWN(0), TAKEN(1), POST(2, "read", 4, REMOTE), READ(91), ACK, ANSWER, LATE), 1);
    /* It is sent in time. */
    ck_holds(RUN(OWN(0), TAKEN(1), POST(2, "read", 4, REMOTE), READ(91), ACK, "wait 100ms",
                 PULL(1, "read_request dqp=5 reth.length=4"), TAKEN(2), LATE),
             0);
}
END_TEST

START_TEST(what_else_stops_an_answer)
{
    struct fal_connection c = script_connection(&lossy);

    ck_holds(script_run("V21", &lossy, &c, LINES(MEMORY, PAIR, FULL, READ(91), ACK, LATE)), 0);
    ck_holds(RUN(FULL, READ(77), ACK, LATE), 0);         /* no right */
    ck_holds(RUN(FULL, READ(91), LATE), 0);              /* not acknowledged */
    ck_holds(RUN(OWN(0), BUSY, READ(91), ACK, LATE), 0); /* a packet of it is open */
    ck_holds(RUN(FULL, READ(91), ACK, "wait 400ms", "barrier", ANSWER), 1);
    c = script_connection(&clean);
    c.params.credit_data_pkt_tx = 1;
    ck_holds(script_run("V21", &clean, &c, LINES(MEMORY, PAIR, FULL, READ(91), ACK, LATE)), 0);
    /* another READ before it */
    ck_holds(RUN(OWN(0), TAKEN(1), READ(91), ACK, BUSY,
                 "> pull_request psn=1r rsn=1r len=32 / rdma read_request dqp=17 "
                 "reth.va=65536 rkey=91 reth.length=8",
                 "< back dbase=0r rbase=2r", LATE),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V21");
    TCase *tcase = tcase_create("V21");

    tcase_add_test(tcase, RDMA_6_5_04_answered_while_posts_are_refused);
    tcase_add_test(tcase, RDMA_6_5_04_only_while_requests_are_stopped);
    tcase_add_test(tcase, RDMA_6_5_04_while_posts_are_held);
    tcase_add_test(tcase, what_else_stops_an_answer);
    suite_add_tcase(suite, tcase);
    return suite;
}
