/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

/* Queue pair "r", number 18, of another connection, whose name is not on the timeline. */
#define OTHER                                                                                \
    "verbs qp_create {\"type\":\"rc\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"} -> " \
    "{\"qp\":\"r\",\"qpn\":18,\"path_mtu\":256}"
#define RUN(...)     run(&clean, LINES(MEMORY, PAIR, OTHER, __VA_ARGS__))
#define IN(n, text)  "> push_data psn=" #n "r rsn=" #n "r / rdma " text
#define WRONG        IN(0, "write_only dqp=18 va=65536 rkey=91 reth.length=4 data=4")
#define NACK(code)   "< nack nack_psn=0r code=" #code
#define RESYNC       "> resync psn=0r rsn=0r resync_code=3 resync_packet_type=6"
#define ACK(base)    "< back dbase=" #base "r rbase=0r"
#define QUERY(state) "verbs qp_query {\"qp\":\"q\"} -> {\"state\":\"" state "\"}"

static struct outcome run(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = script_connection(kind);
    struct fal_event connect = {.kind = FAL_EV_VERBS, .conn = 2};
    struct fal_verbs verbs = {.kind = FAL_VERBS_QP_CONNECT, .qp = "r", .conn = "c2"};
    struct script s;
    struct outcome o;

    script_start(&s, kind, &c);
    for (; *lines != NULL; lines++) {
        script_line(&s, *lines);
        if (strstr(*lines, "\"qpn\":18") == NULL)
            continue;
        {
            struct fal_event open = {.kind = FAL_EV_CONNECTION, .conn = 2};

            open.u.connection = c;
            open.u.connection.name[1] = '2';
            open.u.connection.tester.cid += 7;
            open.u.connection.sut.cid += 7;
            script_add(&s, &open);
        }
        for (int phase = FAL_VERBS_ASKED; phase <= FAL_VERBS_ANSWERED; phase++) {
            connect.u.verbs = (struct fal_ev_verbs){.phase = (enum fal_verbs_phase)phase,
                                                    .id = ++s.command_id - (phase > 0),
                                                    .ok = true,
                                                    .verbs = &verbs};
            script_add(&s, &connect);
        }
    }
    o = script_judge(s.events, json_array_size(s.events), "V16");
    json_decref(s.events);
    return o;
}

/* The results of the other connection come last, and have no instances: those of the first are
 * found by its findings. */
static unsigned violations(struct outcome o, const char *requirement)
{
    unsigned n = 0;

    for (unsigned i = 0; i < o.num_findings && i < FINDINGS_KEPT; i++) {
        ck_assert_str_eq(o.findings[i].requirement, requirement);
        n++;
    }
    return n;
}

START_TEST(RDMA_6_9_01_a_request_of_another_connection_is_not_taken)
{
    ck_assert_uint_eq(violations(RUN(WRONG, ACK(1)), "RDMA-6.9-01"), 1);
    ck_assert_uint_eq(
        violations(RUN("> pull_request psn=0r rsn=0r len=28 / rdma read_request dqp=18 "
                       "reth.length=4",
                       "< pull_data psn=0r rsn=0r / rdma read_response_only data=4"),
                   "RDMA-6.9-01"),
        1);
    ck_assert_uint_eq(RUN(WRONG, NACK(8), RESYNC, ACK(1)).num_findings, 0);
    ck_assert_uint_eq(RUN(WRONG, RESYNC, ACK(1)).num_findings, 0);
    /* its own queue pair */
    ck_assert_uint_eq(RUN(IN(0, "send_only dqp=17 data=4"), ACK(1)).num_findings, 0);
    /* the NACK may be lost */
    ck_assert_uint_eq(run(&lossy, LINES(MEMORY, PAIR, OTHER, WRONG, ACK(1))).num_findings, 0);
}
END_TEST

START_TEST(RDMA_6_9_02_refused_with_its_code)
{
    ck_assert_uint_eq(violations(RUN(WRONG, NACK(6)), "RDMA-6.9-02"), 1);
    ck_assert_uint_eq(violations(RUN(WRONG, NACK(7)), "RDMA-6.9-02"), 1);
    ck_assert_uint_eq(RUN(WRONG, NACK(1), NACK(8)).num_findings, 0);
}
END_TEST

START_TEST(RDMA_6_9_03_the_queue_pair_goes_on)
{
    ck_assert_uint_eq(violations(RUN(WRONG, NACK(8), QUERY("err")), "RDMA-6.9-03"), 1);
    ck_assert_uint_eq(RUN(WRONG, NACK(8), QUERY("rts")).num_findings, 0);
    ck_assert_uint_eq(RUN(QUERY("err")).num_findings, 0);
}
END_TEST

#define ASKED                                                                        \
    POST(1, "read", 4, REMOTE),                                                      \
        PULL(0, "read_request dqp=5 reth.length=4 steth.va=65536 lkey=90"),          \
        "> pull_data psn=0r rsn=0r / rdma read_response_only dqp=18 steth.va=65536 " \
        "lkey=90 data=4"
#define WC(status)                                                                            \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"opcode\":\"read\",\"status\":" #status \
    "}"

START_TEST(RDMA_6_9_04_05_a_response_is_dropped)
{
    ck_assert_uint_eq(violations(RUN(ASKED, WC(0)), "RDMA-6.9-04"), 1);
    ck_assert_uint_eq(violations(RUN(ASKED, NACK(8)), "RDMA-6.9-05"), 1);
    ck_assert_uint_eq(RUN(ASKED, WC(12)).num_findings, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V16");
    TCase *tcase = tcase_create("V16");

    tcase_add_test(tcase, RDMA_6_9_01_a_request_of_another_connection_is_not_taken);
    tcase_add_test(tcase, RDMA_6_9_02_refused_with_its_code);
    tcase_add_test(tcase, RDMA_6_9_03_the_queue_pair_goes_on);
    tcase_add_test(tcase, RDMA_6_9_04_05_a_response_is_dropped);
    suite_add_tcase(suite, tcase);
    return suite;
}
