/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

static struct outcome run(bool strong, const char *const *lines)
{
    struct fal_connection c = script_connection(&told);
    const char *all[40] = {MEMORY, strong ? PAIR_CREATE("strong") : PAIR_CREATE("weak"),
                           PAIR_CONNECT};
    size_t n = 5;

    c.params.ordered = strong;
    while (*lines != NULL)
        all[n++] = *lines++;
    return script_run("V12", &told, &c, all);
}

#define RUN(...) run(true, LINES(__VA_ARGS__))
#define RECV(id) \
    "verbs post_recv {\"qp\":\"q\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", 0, 512) "]}"
#define IN(n, text) "> push_data psn=" #n "r rsn=" #n "r / rdma " text
#define WC(id, len, more)                                                                     \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":" #id ",\"status\":0,\"opcode\":\"recv\"," \
    "\"byte_len\":" #len more "}"

START_TEST(messages_in_their_order)
{
    ck_holds(RUN(RECV(1), RECV(2), RECV(3), IN(0, "send_first dqp=17 rmsn=1 data=256"),
                 IN(1, "send_last dqp=17 rmsn=1 data=4"),
                 IN(2, "send_only_imm dqp=17 rmsn=2 imm=9 data=8"), WC(1, 260, ""),
                 WC(2, 8, ",\"imm\":9"), IN(3, "write_first dqp=17 va=0 data=256"),
                 IN(4, "write_last_imm dqp=17 va=256 rmsn=3 imm=7 data=4"),
                 WC(3, 260, ",\"imm\":7")),
             3);
    /* a WRITE alone takes no receive request */
    ck_holds(RUN(RECV(1), IN(0, "write_only dqp=17 data=4"), IN(1, "send_only dqp=17 data=8"),
                 WC(1, 8, "")),
             1);
}
END_TEST

/* A SEND and a WRITE with the same immediate data, in any order. */
/* A WRITE has its place among the messages when its last packet says that it is one. */
START_TEST(a_write_is_begun_before_another_message)
{
#define BEGUN RECV(1), RECV(2), IN(0, "write_first dqp=17 va=0 data=256")
    for (unsigned strong = 0; strong < 2; strong++) {
        ck_holds(run(strong == 1, LINES(BEGUN, IN(1, "send_only dqp=17 rmsn=1 data=8"),
                                        WC(1, 8, ""), IN(2, "write_last dqp=17 va=256 data=4"),
                                        IN(3, "send_only dqp=17 rmsn=2 data=9"), WC(2, 9, ""))),
                 2);
        ck_holds(
            run(strong == 1, LINES(BEGUN, IN(1, "send_only dqp=17 rmsn=1 data=8"),
                                   IN(2, "write_last_imm dqp=17 va=256 rmsn=2 imm=7 data=4"),
                                   WC(1, 8, ""), WC(2, 260, ",\"imm\":7"))),
            2);
    }
    ck_breaks(RUN(BEGUN, IN(1, "write_last_imm dqp=17 va=256 rmsn=1 imm=7 data=4"),
                  IN(2, "send_only dqp=17 rmsn=2 data=8"), WC(1, 8, "")),
              "RDMA-8.3.5-02", 1);
}
END_TEST

START_TEST(the_message_of_the_operation)
{
    struct fal_connection c = script_connection(&told);

    c.params.ordered = false;
    ck_holds(script_run("V12", &told, &c,
                        LINES(MEMORY, PAIR_CREATE("unordered"), PAIR_CONNECT, RECV(1), RECV(2),
                              IN(0, "write_only_imm dqp=17 va=0 rmsn=1 imm=9 data=8"),
                              IN(1, "send_only_imm dqp=17 rmsn=2 imm=9 data=4"),
                              WC(1, 4, ",\"imm\":9"),
                              "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":2,\"status\":0,"
                              "\"opcode\":\"recv_imm\",\"byte_len\":8,\"imm\":9}")),
             2);
}
END_TEST

START_TEST(RDMA_6_8_01_no_completion_without_a_message)
{
    ck_breaks(RUN(RECV(1), WC(1, 4, "")), "RDMA-6.8-01", 1);
    ck_breaks(
        RUN(RECV(1), RECV(2), IN(0, "send_only dqp=17 data=4"), WC(1, 4, ""), WC(2, 4, "")),
        "RDMA-6.8-01", 1);
    ck_breaks(RUN(RECV(1), IN(0, "send_first dqp=17 rmsn=1 data=256"), WC(1, 256, "")),
              "RDMA-6.8-01", 1);
    ck_breaks(RUN(RECV(1), IN(0, "send_only dqp=17 data=4"), IN(1, "send_only dqp=17 data=4"),
                  WC(1, 4, ""), WC(1, 4, "")),
              "RDMA-6.8-01", 1);
    /* A copy is no message. */
    ck_breaks(RUN(RECV(1), RECV(2), IN(0, "send_only dqp=17 data=4"),
                  IN(0, "send_only dqp=17 data=4"), WC(1, 4, ""), WC(2, 4, "")),
              "RDMA-6.8-01", 1);
}
END_TEST

#define TWO RECV(1), RECV(2), IN(0, "send_only dqp=17 data=4"), IN(1, "send_only dqp=17 data=8")

START_TEST(RDMA_6_2_01_02_6_8_05_in_order)
{
    ck_breaks(RUN(TWO, WC(2, 4, "")), "RDMA-6.2-01", 1);
    ck_breaks(run(false, LINES(TWO, WC(2, 4, ""))), "RDMA-6.2-02", 1);
    ck_breaks(RUN(TWO, WC(1, 8, "")), "RDMA-6.8-05", 1);
}
END_TEST

START_TEST(RDMA_8_3_5_02_immediate_data)
{
    ck_breaks(RUN(RECV(1), IN(0, "send_only_imm dqp=17 imm=9 data=4"), WC(1, 4, ",\"imm\":10")),
              "RDMA-8.3.5-02", 1);
    ck_breaks(RUN(RECV(1), IN(0, "send_only_imm dqp=17 imm=9 data=4"), WC(1, 4, "")),
              "RDMA-8.3.5-02", 1);
}
END_TEST

START_TEST(what_is_not_known)
{
    struct fal_connection c = script_connection(&clean);

    ck_undecided(script_run("V12", &clean, &c, LINES(MEMORY, PAIR, TWO, WC(2, 4, ""))), 1);
    ck_undecided(RUN(RECV(1), IN(1, "send_only dqp=17 data=4"), WC(1, 4, "")), 1);
    ck_undecided(RUN(RECV(1), IN(0, "send_only ce dqp=17 data=4"), WC(1, 4, "")), 1);
    ck_undecided(RUN(TWO, "< nack nack_psn=0r code=2 rnr_timeout=3", WC(1, 8, "")), 1);
}
END_TEST

/* Packets of a WRITE and of a SEND take turns. A WRITE takes a receive request when it ends, if
 * it takes one at all. */
#define TURNS                                                    \
    RECV(1), RECV(2), IN(0, "write_first dqp=17 va=0 data=256"), \
        IN(1, "send_only_imm dqp=17 rmsn=1 imm=9 data=4")
START_TEST(a_write_that_has_not_ended)
{
    ck_holds(run(false, LINES(TURNS, WC(1, 4, ",\"imm\":9"))), 1);
    ck_breaks(run(false, LINES(TURNS, WC(1, 5, ",\"imm\":9"))), "RDMA-6.8-05", 1);
    ck_holds(run(false, LINES(TURNS, IN(2, "write_last dqp=17 va=256 data=4"),
                              WC(1, 4, ",\"imm\":9"))),
             1);
    ck_holds(run(false, LINES(TURNS, IN(2, "write_last_imm dqp=17 va=256 rmsn=2 imm=7 data=4"),
                              WC(1, 4, ",\"imm\":9"))),
             1);
    ck_breaks(run(false, LINES(RECV(1), IN(0, "write_first dqp=17 va=0 data=256"),
                               WC(1, 256, ",\"imm\":9"))),
              "RDMA-6.8-01", 1);
}
END_TEST

/* In the mode that completes in error, the NACK of a message may come after the completion of
 * the next one. */
START_TEST(a_message_may_be_refused)
{
    struct fal_connection c = script_connection(&told);
#define CIE(...)                 \
    script_run("V12", &told, &c, \
               LINES(MEMORY, PAIR_OF("rc", "strong", "cie"), TWO, __VA_ARGS__))
    ck_undecided(CIE(WC(1, 8, "")), 1);
    ck_breaks(CIE("< back dbase=1r rbase=0r", WC(1, 8, "")), "RDMA-6.8-05", 1);
    ck_breaks(CIE(WC(1, 9, "")), "RDMA-6.8-05", 1);
}
END_TEST

/* A completion that could not be judged has taken its message, too. */
START_TEST(after_a_hole_was_filled)
{
    struct outcome o =
        run(false, LINES(RECV(1), RECV(2), IN(1, "send_only dqp=17 rmsn=2 data=8"),
                         WC(1, 4, ""), IN(0, "send_only dqp=17 rmsn=1 data=4"), WC(2, 8, "")));

    ck_undecided(o, 1);
    ck_assert_uint_eq(o.sut.holds, 1);
}
END_TEST

#define ON_SHARED(...)                                                                     \
    script_run(                                                                            \
        "V12", &told, &shared_connection,                                                  \
        LINES(MEMORY,                                                                      \
              "verbs srq_create {\"pd\":\"p\",\"depth\":8} -> {\"srq\":\"s\",\"srqn\":3}", \
              "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\","           \
              "\"recv_cq\":\"c\",\"srq\":\"s\"} -> {\"qp\":\"q\",\"qpn\":17}",             \
              PAIR_CONNECT, RECV_SHARED(1), RECV_SHARED(2), __VA_ARGS__))
#define RECV_SHARED(id) \
    "verbs post_recv {\"srq\":\"s\",\"wr_id\":" #id ",\"sgl\":[" SGE("m", 0, 512) "]}"

/* Messages take the requests of a shared queue in any order, but each completes once. */
START_TEST(RDMA_6_8_01_05_shared_receive_queues)
{
    struct fal_connection shared_connection = script_connection(&told);

    shared_connection.params.ordered = true;
#define BOTH IN(0, "send_only dqp=17 rmsn=1 data=4"), IN(1, "send_only_imm dqp=17 imm=9 data=8")
    ck_holds(ON_SHARED(BOTH, WC(2, 4, ""), WC(1, 8, ",\"imm\":9")), 2);
    ck_breaks(ON_SHARED(WC(2, 4, "")), "RDMA-6.8-01", 1);
    ck_breaks(ON_SHARED(BOTH, WC(2, 4, ""), WC(2, 8, ",\"imm\":9")), "RDMA-6.8-01", 1);
    ck_breaks(ON_SHARED(BOTH, WC(2, 8, ",\"imm\":9")), "RDMA-6.8-05", 1);
    ck_breaks(ON_SHARED(BOTH, WC(2, 4, ""), WC(1, 8, ",\"imm\":8")), "RDMA-8.3.5-02", 1);
}
END_TEST

#define DATAGRAMS(...)                                                                   \
    script_run("V12", &told, &datagrams,                                                 \
               LINES(MEMORY,                                                             \
                     "verbs qp_create {\"type\":\"ud\",\"pd\":\"p\",\"send_cq\":\"c\","  \
                     "\"recv_cq\":\"c\",\"qkey\":7} -> {\"qp\":\"q\",\"qpn\":17}",       \
                     "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}", \
                     RECV(1), RECV(2), RECV(3), __VA_ARGS__))
#define DATAGRAM(n, src, data) \
    IN(n, "ud_send_only dqp=17 queue_key=7 source_qp=" #src " data=" #data)
#define FROM(src) ",\"src_qp\":" #src

START_TEST(RDMA_6_8_01_05_8_3_5_02_datagrams)
{
    struct fal_connection datagrams = script_connection(&told);

    ck_holds(
        DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 6, 8), WC(2, 48, FROM(6)), WC(1, 44, FROM(6))),
        2);
    ck_breaks(DATAGRAMS(WC(1, 44, FROM(6))), "RDMA-6.8-01", 1);
    ck_breaks(DATAGRAMS(DATAGRAM(0, 6, 4), WC(1, 44, FROM(6)), WC(2, 44, FROM(6))),
              "RDMA-6.8-01", 1);
    ck_breaks(DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 6, 4), WC(1, 44, ""), WC(1, 44, "")),
              "RDMA-6.8-01", 1);
    ck_breaks(DATAGRAMS(DATAGRAM(0, 6, 4), WC(1, 45, "")), "RDMA-6.8-05", 1);
    /* that of another sender */
    ck_breaks(DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 5, 8), WC(1, 48, FROM(6))),
              "RDMA-6.8-05", 1);
    ck_breaks(DATAGRAMS(IN(0, "ud_send_only_imm dqp=17 queue_key=7 source_qp=6 imm=3 data=4"),
                        WC(1, 44, ",\"imm\":4")),
              "RDMA-8.3.5-02", 1);
}
END_TEST

/* The room for a GRH is there in all receives, or in none. */
START_TEST(reading_amb_r25_room_in_receives)
{
    struct fal_connection datagrams = script_connection(&told);

    ck_holds(DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 6, 8), WC(1, 4, ""), WC(2, 8, "")), 2);
    ck_breaks(DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 6, 8), WC(1, 4, ""), WC(2, 48, "")),
              "RDMA-6.8-05", 1);
    /* Of 4 bytes with room, or of 44 without: nothing is learned. */
    ck_undecided(DATAGRAMS(DATAGRAM(0, 6, 4), DATAGRAM(1, 6, 44), DATAGRAM(2, 6, 8),
                           WC(1, 44, ""), WC(2, 84, "")),
                 1);
    ck_undecided(
        DATAGRAMS(IN(0, "ud_send_only dqp=17 queue_key=8 source_qp=6 data=4"), WC(1, 44, "")),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V12");
    TCase *tcase = tcase_create("V12");

    tcase_add_test(tcase, messages_in_their_order);
    tcase_add_test(tcase, a_write_is_begun_before_another_message);
    tcase_add_test(tcase, the_message_of_the_operation);
    tcase_add_test(tcase, RDMA_6_8_01_no_completion_without_a_message);
    tcase_add_test(tcase, RDMA_6_2_01_02_6_8_05_in_order);
    tcase_add_test(tcase, RDMA_8_3_5_02_immediate_data);
    tcase_add_test(tcase, what_is_not_known);
    tcase_add_test(tcase, a_write_that_has_not_ended);
    tcase_add_test(tcase, a_message_may_be_refused);
    tcase_add_test(tcase, after_a_hole_was_filled);
    tcase_add_test(tcase, RDMA_6_8_01_05_shared_receive_queues);
    tcase_add_test(tcase, RDMA_6_8_01_05_8_3_5_02_datagrams);
    tcase_add_test(tcase, reading_amb_r25_room_in_receives);
    suite_add_tcase(suite, tcase);
    return suite;
}
