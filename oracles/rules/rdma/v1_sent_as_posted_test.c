/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

#define RUN(...) posted_judged("V1", true, LINES(MEMORY, PAIR, __VA_ARGS__))

START_TEST(what_was_posted_is_sent)
{
    ck_holds(RUN(POST(1, "send", 300, ""), POST(2, "write", 8, REMOTE),
                 PUSH(0, "send_first dqp=5 data=256@7"),
                 PUSH(1, "send_last dqp=5 data=44@7+256"),
                 PUSH(2, "write_only dqp=5 va=4096 rkey=9 reth.length=8 data=8@7")),
             3);
    ck_holds(RUN(POST(1, "read", 300, REMOTE),
                 PULL(0, "read_request dqp=5 reth.va=4096 reth.rkey=9 reth.length=256"),
                 PULL(1, "read_request dqp=5 reth.va=4352 reth.rkey=9 reth.length=44")),
             2);
    /* a refused post has no packets */
    ck_holds(RUN(POST(1, "send", 8, "") " -> failed", POST(2, "send_imm", 4, ",\"imm\":77"),
                 PUSH(0, "send_only_imm dqp=5 imm=77 data=4@7")),
             1);
}
END_TEST

/* Packets that overtake each other are taken in the order of their RSNs. */
START_TEST(order_of_arrival_does_not_matter)
{
    ck_holds(RUN(POST(1, "send", 4, ""), POST(2, "send", 8, ""),
                 PUSH(1, "send_only dqp=5 data=8@7"), PUSH(0, "send_only dqp=5 data=4@7")),
             2);
}
END_TEST

START_TEST(RDMA_8_2_10_the_destination)
{
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only dqp=6 data=4@7")), "RDMA-8.2-10",
              1);
    /* nobody posted it */
    ck_breaks(RUN(PUSH(0, "send_only dqp=5 data=4@7")), "RDMA-8.2-10", 1);
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4@7"),
                  PUSH(1, "send_only dqp=5 sn=2 data=4@7")),
              "RDMA-8.2-10", 1);
    ck_breaks(RUN(PUSH(0, "send_only dqp=5 data=4@7"), POST(1, "send", 4, "")), "RDMA-8.2-10",
              1);
}
END_TEST

START_TEST(RDMA_6_8_02_no_retransmission_above_falcon)
{
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 sn=1 rmsn=1 data=4@7"),
                  PUSH(1, "send_only dqp=5 sn=1 rmsn=1 data=4@7")),
              "RDMA-6.8-02", 1);
    /* that of Falcon has the same RSN */
    ck_holds(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only dqp=5 sn=1 rmsn=1 data=4@7"),
                 PUSH(0, "send_only dqp=5 sn=1 rmsn=1 data=4@7")),
             1);
}
END_TEST

START_TEST(RDMA_8_3_1_01_02_04_address_key_length)
{
    ck_breaks(RUN(POST(1, "write", 300, REMOTE),
                  PUSH(0, "write_first dqp=5 va=4096 rkey=9 reth.length=256 data=256@7"),
                  PUSH(1, "write_last dqp=5 va=4096 rkey=9 reth.length=44 data=44@7+256")),
              "RDMA-8.3.1-01", 1);
    ck_breaks(RUN(POST(1, "write", 8, REMOTE),
                  PUSH(0, "write_only dqp=5 va=4096 rkey=10 reth.length=8 data=8@7")),
              "RDMA-8.3.1-02", 1);
    ck_breaks(RUN(POST(1, "write", 8, REMOTE),
                  PUSH(0, "write_only dqp=5 va=4096 rkey=9 reth.length=9 data=8@7")),
              "RDMA-8.3.1-04", 1);
    /* AMB-R07: that of the whole operation */
    ck_warns(RUN(POST(1, "write", 300, REMOTE),
                 PUSH(0, "write_first dqp=5 va=4096 rkey=9 reth.length=300 data=256@7")),
             "RDMA-8.3.1-04");
    ck_breaks(RUN(POST(1, "read", 8, REMOTE),
                  PULL(0, "read_request dqp=5 reth.va=4100 reth.rkey=9 reth.length=8")),
              "RDMA-8.3.1-01", 1);
}
END_TEST

START_TEST(RDMA_8_3_3_01_8_3_1_01_the_data)
{
    ck_breaks(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first dqp=5 data=256@7"),
                  PUSH(1, "send_last dqp=5 data=44@7")),
              "RDMA-8.3.3-01", 1);
    ck_breaks(RUN(POST(1, "write", 16, REMOTE),
                  PUSH(0, "write_only dqp=5 va=4096 rkey=9 reth.length=16 data=16@8")),
              "RDMA-8.3.1-01", 1);
    /* Two entries are read in their order. */
    ck_breaks(RUN(POST_LIST(1, "send", SGE("m", 4, 4) "," SGE("m", 0, 4), ""),
                  PUSH(0, "send_only dqp=5 data=8@7")),
              "RDMA-8.3.3-01", 1);
    /* memory that nobody filled, and that changed after the post */
    ck_holds(
        RUN(POST_LIST(1, "send", SGE("n", 0, 16), ""), PUSH(0, "send_only dqp=5 data=16@8")),
        1);
    ck_holds(RUN(POST(1, "send", 16, ""),
                 "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":9}",
                 PUSH(0, "send_only dqp=5 data=16@8")),
             1);
}
END_TEST

START_TEST(RDMA_8_3_5_01_8_3_8_01_immediate_and_key)
{
    ck_breaks(RUN(POST(1, "send_imm", 4, ",\"imm\":77"),
                  PUSH(0, "send_only_imm dqp=5 imm=78 data=4@7")),
              "RDMA-8.3.5-01", 1);
    ck_breaks(RUN(POST(1, "send_imm", 4, ",\"imm\":77"), PUSH(0, "send_only dqp=5 data=4@7")),
              "RDMA-8.3.5-01", 1);
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "send_only_imm dqp=5 data=4@7")),
              "RDMA-8.3.5-01", 1);
    ck_breaks(RUN(POST(1, "send_inv", 4, ",\"inv\":77"),
                  PUSH(0, "send_only_inv dqp=5 rkey=78 data=4@7")),
              "RDMA-8.3.8-01", 1);
    ck_holds(RUN(POST(1, "send_inv", 4, ",\"inv\":77"),
                 PUSH(0, "send_only_inv dqp=5 rkey=77 data=4@7")),
             1);
}
END_TEST

#define CAS   POST(1, "cas", 8, REMOTE ",\"compare\":3,\"swap\":4")
#define FAA   POST(1, "faa", 8, REMOTE ",\"add\":6")
#define SWAP  "atomic_cmp_swap dqp=5 atomiceth.va="
#define FETCH "atomic_fetch_add dqp=5 atomiceth.va="

START_TEST(RDMA_8_3_6_02_03_04_05_operands)
{
    ck_holds(RUN(CAS, PULL(0, SWAP "4096 atomiceth.rkey=9 swap=4 compare=3")), 1);
    ck_holds(RUN(FAA, PULL(0, FETCH "4096 atomiceth.rkey=9 swap=6")), 1);
    ck_breaks(RUN(CAS, PULL(0, SWAP "4104 atomiceth.rkey=9 swap=4 compare=3")), "RDMA-8.3.6-02",
              1);
    ck_breaks(RUN(CAS, PULL(0, SWAP "4096 atomiceth.rkey=8 swap=4 compare=3")), "RDMA-8.3.6-03",
              1);
    ck_breaks(RUN(CAS, PULL(0, SWAP "4096 atomiceth.rkey=9 swap=3 compare=4")), "RDMA-8.3.6-04",
              1);
    ck_breaks(RUN(CAS, PULL(0, SWAP "4096 atomiceth.rkey=9 swap=4 compare=4")), "RDMA-8.3.6-05",
              1);
    ck_breaks(RUN(FAA, PULL(0, FETCH "4096 atomiceth.rkey=9 swap=5")), "RDMA-8.3.6-04", 1);
}
END_TEST

#define UD_RUN(...)                                                                         \
    posted_judged("V1", true,                                                               \
                  LINES(MEMORY, PAIR_OF("ud", "strong", "verbs"),                           \
                        "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}", \
                        POST(1, "send", 4, ",\"ah\":\"a\",\"dest_qpn\":6,\"qkey\":3"),      \
                        __VA_ARGS__))

START_TEST(RDMA_8_2_10_8_3_10_01_03_datagrams)
{
    ck_holds(UD_RUN(PUSH(0, "ud_send_only dqp=6 queue_key=3 source_qp=17 data=4@7")), 1);
    ck_breaks(UD_RUN(PUSH(0, "ud_send_only dqp=5 queue_key=3 source_qp=17 data=4@7")),
              "RDMA-8.2-10", 1);
    ck_breaks(UD_RUN(PUSH(0, "ud_send_only dqp=6 queue_key=4 source_qp=17 data=4@7")),
              "RDMA-8.3.10-01", 1);
    ck_breaks(UD_RUN(PUSH(0, "ud_send_only dqp=6 queue_key=3 source_qp=0 data=4@7")),
              "RDMA-8.3.10-03", 1);
}
END_TEST

#define XRC(...) \
    posted_judged("V1", true, LINES(MEMORY, PAIR_OF("xrc_ini", "strong", "verbs"), __VA_ARGS__))
#define TO_SRQ ",\"srqn\":66051" /* 0x010203 */

START_TEST(RDMA_8_3_9_01_the_shared_receive_queue)
{
    ck_holds(XRC(POST(1, "send", 4, TO_SRQ),
                 PUSH(0, "xrc_send_only dqp=5 xrc_srq=0x010203 data=4@7")),
             1);
    ck_holds(XRC(POST(1, "read", 8, REMOTE TO_SRQ),
                 PULL(0, "xrc_read_request dqp=5 xrc_srq=0x010203 reth.va=4096 reth.rkey=9 "
                         "reth.length=8")),
             1);
    ck_breaks(XRC(POST(1, "send", 4, TO_SRQ),
                  PUSH(0, "xrc_send_only dqp=5 xrc_srq=0x010204 data=4@7")),
              "RDMA-8.3.9-01", 1);
    ck_breaks(XRC(POST(1, "write", 4, REMOTE TO_SRQ),
                  PUSH(0, "xrc_write_only dqp=5 va=4096 rkey=9 reth.length=4 data=4@7")),
              "RDMA-8.3.9-01", 1);
    /* What else is compared is as of RC. */
    ck_breaks(XRC(POST(1, "send", 4, TO_SRQ),
                  PUSH(0, "xrc_send_only dqp=6 xrc_srq=0x010203 data=4@7")),
              "RDMA-8.2-10", 1);
    /* The post does not name one. */
    ck_holds(XRC(POST(1, "send", 4, ""), PUSH(0, "xrc_send_only dqp=5 xrc_srq=9 data=4@7")), 1);
}
END_TEST

START_TEST(reading_amb_r03_reserved_byte_first)
{
    ck_warns(XRC(POST(1, "send", 4, TO_SRQ),
                 PUSH(0, "xrc_send_only dqp=5 xrc_srq=0x000102 xrceth.reserved_0=3 data=4@7")),
             "RDMA-8.3.9-01");
}
END_TEST

START_TEST(RDMA_8_3_9_02_8_1_3_01_the_service)
{
    ck_breaks(XRC(POST(1, "send", 4, TO_SRQ), PUSH(0, "send_only dqp=5 data=4@7")),
              "RDMA-8.3.9-02", 1);
    ck_breaks(XRC(POST(1, "read", 8, REMOTE TO_SRQ),
                  PULL(0, "read_request dqp=5 reth.va=4096 reth.rkey=9 reth.length=8")),
              "RDMA-8.3.9-02", 1);
    ck_breaks(RUN(POST(1, "send", 4, ""), PUSH(0, "xrc_send_only dqp=5 data=4@7")),
              "RDMA-8.1.3-01", 1);
}
END_TEST

/* Another timeline has the words that made its queue pair. */
START_TEST(a_datagram_of_an_unknown_queue_pair)
{
    ck_undecided(
        posted_judged("V1", true,
                      LINES(MEMORY, PAIR_OF("rc", "strong", "verbs"),
                            "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}",
                            PUSH(0, "ud_send_only dqp=6 queue_key=3 source_qp=99 data=4@7"))),
        1);
}
END_TEST

/* A post that fails at its own end sends nothing: the packet is of the next one. */
START_TEST(RDMA_8_2_10_posts_that_are_not_sent)
{
#define NEXT POST(2, "send", 4, ""), PUSH(0, "send_only dqp=5 data=4@7")
    /* beyond the end of the region; an unknown region; one that is gone, or goes */
    ck_holds(RUN(POST_LIST(1, "send", SGE("m", 4090, 16), ""), NEXT), 1);
    ck_holds(RUN(POST_LIST(1, "send", SGE("x", 0, 16), ""), NEXT), 1);
    ck_holds(
        RUN("verbs mr_dereg {\"mr\":\"n\"}", POST_LIST(1, "send", SGE("n", 0, 16), ""), NEXT),
        1);
    ck_holds(
        RUN(POST_LIST(1, "send", SGE("n", 0, 16), ""), "verbs mr_dereg {\"mr\":\"n\"}", NEXT),
        1);
    /* Once the next one was begun, it is not sent any more. */
    ck_breaks(RUN(POST_LIST(1, "send", SGE("x", 0, 16), ""), NEXT,
                  PUSH(1, "send_only dqp=5 data=16")),
              "RDMA-8.2-10", 1);
}
END_TEST

/* Where several may be under way, it is of the one that it does not contradict. */
START_TEST(RDMA_8_3_5_01_the_post_that_fits)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_holds(script_run("V1", &clean, &c,
                        LINES(MEMORY, PAIR_OF("rc", "weak", "verbs"),
                              POST(1, "send_imm", 4, ",\"imm\":77"), POST(2, "send", 4, ""),
                              PUSH(0, "send_only dqp=5 data=4@7"),
                              PUSH(1, "send_only_imm dqp=5 imm=77 data=4@7"))),
             2);
}
END_TEST

/* A completion in error frees the queue pair of its order; a packet that was cut in the capture
 * may be any. */
START_TEST(what_is_not_known)
{
    ck_undecided(RUN(POST(1, "send", 4, ""),
                     "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":10}",
                     PUSH(0, "send_only dqp=9 data=4@7")),
                 1);
    ck_undecided(RUN(POST(1, "send", 4, ""), POST(2, "send", 4, ""), "truncated",
                     PUSH(0, "send_only dqp=5 data=4@7"), PUSH(1, "send_only dqp=9 data=4@7")),
                 1);
    /* what no queue pair of the verbs sent, and what is not seen whole yet */
    ck_holds(posted_judged("V1", true, LINES(PUSH(0, "send_only dqp=5 data=4"))), 0);
    ck_holds(RUN(POST(1, "send", 4, ""), PUSH(1, "send_only dqp=9 data=4@7")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V1");
    TCase *tcase = tcase_create("V1");

    tcase_add_test(tcase, what_was_posted_is_sent);
    tcase_add_test(tcase, order_of_arrival_does_not_matter);
    tcase_add_test(tcase, RDMA_8_2_10_the_destination);
    tcase_add_test(tcase, RDMA_6_8_02_no_retransmission_above_falcon);
    tcase_add_test(tcase, RDMA_8_3_1_01_02_04_address_key_length);
    tcase_add_test(tcase, RDMA_8_3_3_01_8_3_1_01_the_data);
    tcase_add_test(tcase, RDMA_8_3_5_01_8_3_8_01_immediate_and_key);
    tcase_add_test(tcase, RDMA_8_3_6_02_03_04_05_operands);
    tcase_add_test(tcase, RDMA_8_2_10_8_3_10_01_03_datagrams);
    tcase_add_test(tcase, RDMA_8_3_9_01_the_shared_receive_queue);
    tcase_add_test(tcase, reading_amb_r03_reserved_byte_first);
    tcase_add_test(tcase, RDMA_8_3_9_02_8_1_3_01_the_service);
    tcase_add_test(tcase, a_datagram_of_an_unknown_queue_pair);
    tcase_add_test(tcase, RDMA_8_2_10_posts_that_are_not_sent);
    tcase_add_test(tcase, RDMA_8_3_5_01_the_post_that_fits);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
