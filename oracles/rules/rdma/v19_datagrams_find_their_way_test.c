/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

/* An address handle of connection 2. */
#define AH_OF_2    "verbs2 ah"
#define TO(id, ah) POST(id, "send", 4, ",\"ah\":\"" ah "\",\"dest_qpn\":6")
#define SENT(n)    PUSH(n, "ud_send_only dqp=6 source_qp=17 data=4@7")
#define IN(n, source)                                                                   \
    "> push_data psn=" #n "r rsn=" #n "r / rdma ud_send_only dqp=17 source_qp=" #source \
    " data=4"
#define WC(src)                                                                                         \
    "tells wc {\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":1,\"status\":0,\"opcode\":\"recv\",\"src_qp\":" #src \
    "}"

static struct outcome run(const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);
    struct script s;
    struct outcome o;

    script_start(&s, &clean, &c);
    for (; *lines != NULL; lines++) {
        if (strcmp(*lines, AH_OF_2) == 0) { /* asked and answered on a connection 2 */
            struct fal_event open = {.kind = FAL_EV_CONNECTION, .conn = 2},
                             word = {.kind = FAL_EV_VERBS, .conn = 2};
            struct fal_verbs asked = {.kind = FAL_VERBS_AH_CREATE, .pd = "p", .conn = "c2"},
                             told_by = {.kind = FAL_VERBS_AH_CREATE, .ah = "b"};

            open.u.connection = c;
            open.u.connection.name[1] = '2';
            open.u.connection.tester.cid += 7;
            open.u.connection.sut.cid += 7;
            script_add(&s, &open);
            word.u.verbs = (struct fal_ev_verbs){
                .phase = FAL_VERBS_ASKED, .id = ++s.command_id, .verbs = &asked};
            script_add(&s, &word);
            word.u.verbs = (struct fal_ev_verbs){
                .phase = FAL_VERBS_ANSWERED, .id = s.command_id, .ok = true, .verbs = &told_by};
            script_add(&s, &word);
        } else {
            script_line(&s, *lines);
        }
    }
    o = script_judge(s.events, json_array_size(s.events), "V19");
    json_decref(s.events);
    return o;
}
#define RUN(...)                                                                           \
    run(LINES(MEMORY, CREATE("ud", "strong", "verbs"),                                     \
              "verbs ah_create {\"pd\":\"p\",\"conn\":\"c1\"} -> {\"ah\":\"a\"}", AH_OF_2, \
              __VA_ARGS__))

static void one_finding(struct outcome o, const char *requirement)
{
    ck_assert_uint_eq(o.num_findings, 1);
    ck_assert_str_eq(o.findings[0].requirement, requirement);
}

START_TEST(RDMA_6_6_3_01_the_connection_of_the_address_handle)
{
    ck_assert_uint_eq(RUN(TO(1, "a"), SENT(0)).num_findings, 0);
    one_finding(RUN(TO(1, "b"), SENT(0)), "RDMA-6.6.3-01");
    ck_assert_uint_eq(RUN(SENT(0)).num_findings, 0); /* a matter of rule V1 */
}
END_TEST

START_TEST(RDMA_8_3_10_04_the_source)
{
    ck_assert_uint_eq(RUN(IN(0, 5), WC(5)).num_findings, 0);
    one_finding(RUN(IN(0, 5), WC(6)), "RDMA-8.3.10-04");
    ck_assert_uint_eq(RUN(IN(0, 5), IN(1, 6), WC(6), WC(5)).num_findings, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V19");
    TCase *tcase = tcase_create("V19");

    tcase_add_test(tcase, RDMA_6_6_3_01_the_connection_of_the_address_handle);
    tcase_add_test(tcase, RDMA_8_3_10_04_the_source);
    suite_add_tcase(suite, tcase);
    return suite;
}
