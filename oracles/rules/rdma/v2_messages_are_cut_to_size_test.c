/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

/* Packets of the SUT. S: a SEND of message m at offset o; W: a WRITE at address a. */
#define S(n, kind, m, o, len) \
    "< push_data psn=" #n "r rsn=" #n "r / rdma " kind " rmsn=" #m " off=" #o " data=" #len
#define W(n, kind, a, len) \
    "< push_data psn=" #n "r rsn=" #n "r / rdma " kind " va=" #a " data=" #len

static struct outcome v2(const struct kind *kind, const char *const *lines)
{
    return judged("V2", kind, lines);
}

START_TEST(messages_of_whole_packets)
{
    ck_holds(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_middle", 1, 256, 256),
                              S(2, "send_last", 1, 512, 10), S(3, "send_only", 2, 0, 0))),
             8); /* four sizes, two rests, two trains */
    ck_holds(v2(&clean, LINES(W(0, "write_first", 0x1000, 256), W(1, "write_last", 0x1100, 256),
                              W(2, "write_only", 0x9, 1))),
             5);
}
END_TEST

START_TEST(datagrams_come_between)
{
    ck_holds(v2(&clean, LINES(S(0, "send_first", 1, 0, 256),
                              "< push_data psn=1r rsn=1r / rdma ud_send_only sqp=9 data=4",
                              S(2, "send_last", 1, 256, 10))),
             5); /* the datagram has a size, too */
}
END_TEST

START_TEST(RDMA_6_7_04_07_first_and_middle_have_one_size)
{
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_middle", 1, 256, 200),
                               S(2, "send_last", 1, 456, 10))),
              "RDMA-6.7-04", 1);
    ck_breaks(v2(&clean, LINES(W(0, "write_first", 0, 256), W(1, "write_middle", 256, 300),
                               W(2, "write_last", 556, 1))),
              "RDMA-6.7-07", 1);
    /* the size is that of the queue pair, over messages */
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 256, 1),
                               S(2, "send_first", 2, 0, 128), S(3, "send_last", 2, 128, 1))),
              "RDMA-6.7-04", 1);
}
END_TEST

START_TEST(RDMA_6_7_05_08_the_last_is_not_longer_and_not_empty)
{
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 256, 257))),
              "RDMA-6.7-05", 1);
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 256, 0))),
              "RDMA-6.7-05", 1);
    ck_breaks(v2(&clean, LINES(W(0, "write_first", 0, 256), W(1, "write_last", 256, 260))),
              "RDMA-6.7-08", 1);
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 256, 1),
                               S(2, "send_only", 2, 0, 300))),
              "RDMA-6.7-05", 1);
}
END_TEST

START_TEST(RDMA_6_7_01_no_rest_without_a_beginning)
{
    ck_breaks(v2(&clean, LINES(S(0, "send_middle", 1, 0, 256))), "RDMA-6.7-01", 1);
    ck_breaks(v2(&clean, LINES(S(0, "send_only", 1, 0, 4), S(1, "send_last", 1, 4, 9))),
              "RDMA-6.7-01", 1);
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 256, 9),
                               S(2, "send_last", 1, 265, 9))),
              "RDMA-6.7-01", 1);
    ck_breaks(v2(&clean, LINES(W(0, "write_first", 0, 256), W(1, "write_last", 300, 9))),
              "RDMA-6.7-01", 1);
}
END_TEST

/* Segments of two messages may interleave where nothing orders them (AMB-R19). */
START_TEST(interleaved_messages)
{
    const char *const *lines =
        LINES(S(0, "send_first", 1, 0, 256), S(1, "send_first", 2, 0, 256),
              S(2, "send_last", 2, 256, 4), S(3, "send_last", 1, 256, 4));
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    ck_holds(script_run("V2", &clean, &c, lines), 6);
    c.params.ordered = true;
    ck_breaks(script_run("V2", &clean, &c, lines), "RDMA-6.7-01", 1);
}
END_TEST

START_TEST(order_of_arrival_does_not_matter)
{
    struct outcome o =
        v2(&clean, LINES(S(1, "send_middle", 1, 256, 256), S(0, "send_first", 1, 0, 256)));

    ck_assert_uint_eq(o.sut.holds, 3);
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1); /* what came before the middle one was not seen */
    ck_breaks(v2(&clean, LINES(S(0, "send_first", 1, 0, 256), S(2, "send_last", 1, 512, 300),
                               S(1, "send_middle", 1, 256, 256))),
              "RDMA-6.7-05", 1);
}
END_TEST

START_TEST(RDMA_6_7_03_datagrams_are_not_cut)
{
    ck_breaks(v2(&clean, LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x60")),
              "RDMA-6.7-03", 1);
    ck_holds(v2(&clean, LINES("< push_data psn=0r rsn=0r / rdma rbth opcode=0x66",
                              "< push_data psn=1r rsn=1r / rdma ud_send_only data=4")),
             1);
}
END_TEST

/* The tester's own bytes, and payload that is no RDMA, are not judged. */
START_TEST(payload_of_the_tester)
{
    ck_holds(v2(&clean, LINES("post 9r push 40", S(0, "send_middle", 1, 7, 1))), 0);
    ck_holds(v2(&clean, LINES("< push_data psn=0r rsn=0r len=64")), 0);
}
END_TEST

#define RUN(...) posted_judged("V2", true, LINES(MEMORY, PAIR, __VA_ARGS__))

START_TEST(RDMA_6_7_01_as_long_as_its_post)
{
    ck_holds(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first rmsn=1 dqp=5 data=256"),
                 PUSH(1, "send_last rmsn=1 off=256 dqp=5 data=44")),
             6);
    ck_breaks(RUN(POST(1, "send", 300, ""), PUSH(0, "send_only dqp=5 data=300")), "RDMA-6.7-01",
              1);
    ck_breaks(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first rmsn=1 dqp=5 data=256"),
                  PUSH(1, "send_last rmsn=1 off=256 dqp=5 data=40")),
              "RDMA-6.7-01", 1);
    ck_breaks(RUN(POST(1, "write", 200, REMOTE), PUSH(0, "write_first dqp=5 data=100")),
              "RDMA-6.7-01", 1);
    /* with CE the rest may be missing */
    ck_holds(RUN(POST(1, "send", 300, ""), PUSH(0, "send_first rmsn=1 dqp=5 data=256"),
                 PUSH(1, "send_last ce rmsn=1 off=256 dqp=5 data=4")),
             5);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V2");
    TCase *tcase = tcase_create("V2");

    tcase_add_test(tcase, messages_of_whole_packets);
    tcase_add_test(tcase, datagrams_come_between);
    tcase_add_test(tcase, RDMA_6_7_04_07_first_and_middle_have_one_size);
    tcase_add_test(tcase, RDMA_6_7_05_08_the_last_is_not_longer_and_not_empty);
    tcase_add_test(tcase, RDMA_6_7_01_no_rest_without_a_beginning);
    tcase_add_test(tcase, interleaved_messages);
    tcase_add_test(tcase, order_of_arrival_does_not_matter);
    tcase_add_test(tcase, RDMA_6_7_03_datagrams_are_not_cut);
    tcase_add_test(tcase, payload_of_the_tester);
    tcase_add_test(tcase, RDMA_6_7_01_as_long_as_its_post);
    suite_add_tcase(suite, tcase);
    return suite;
}
