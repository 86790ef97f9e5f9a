/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/rdma/posts_testing.h"

/* m: 4096 bytes at 65536 with rkey 91, all rights; n: at 131072 with rkey 92, no remote ones.
 */
#define RUN(...) posted_judged("V17", true, LINES(MEMORY, PAIR, __VA_ARGS__))
#define WRITE(n, at, key, len)                                                           \
    "> push_data psn=" #n "r rsn=" #n "r / rdma write_only dqp=17 va=" #at " rkey=" #key \
    " data=" #len
#define READ(at, key, len)                                                        \
    "> pull_request psn=0r rsn=0r len=28 / rdma read_request dqp=17 reth.va=" #at \
    " reth.rkey=" #key " reth.length=" #len
#define DATA(len) "< pull_data psn=0r rsn=0r / rdma read_response_only data=" #len
#define ACK(base) "< back dbase=" #base "r rbase=0r"
#define REFUSED                                                                               \
    "< nack nack_psn=0r code=7", "> resync psn=0r rsn=0r resync_code=3 resync_packet_type=6", \
        ACK(1)

START_TEST(what_has_the_right)
{
    ck_holds(RUN(WRITE(0, 65536, 91, 8), ACK(1)), 0);
    ck_holds(RUN(WRITE(0, 69628, 91, 4), ACK(1)), 0);
    ck_holds(RUN(READ(65536, 91, 8), DATA(8)), 0);
    ck_holds(RUN(WRITE(0, 1, 77, 0), ACK(1)), 0); /* no bytes */
}
END_TEST

START_TEST(RDMA_8_3_1_03_what_has_not_is_refused)
{
    ck_holds(RUN(WRITE(0, 65536, 77, 8), REFUSED), 1);
    ck_breaks(RUN(WRITE(0, 65536, 77, 8), ACK(1)), "RDMA-8.3.1-03", 1);  /* no such key */
    ck_breaks(RUN(WRITE(0, 65535, 91, 8), ACK(1)), "RDMA-8.3.1-03", 1);  /* before */
    ck_breaks(RUN(WRITE(0, 69628, 91, 5), ACK(1)), "RDMA-8.3.1-03", 1);  /* behind */
    ck_breaks(RUN(WRITE(0, 131072, 92, 8), ACK(1)), "RDMA-8.3.1-03", 1); /* no right */
    ck_breaks(RUN(READ(131072, 92, 8), DATA(8)), "RDMA-8.3.1-03", 1);
    ck_holds(RUN(READ(131072, 92, 8), "< pull_data psn=0r rsn=0r / rdma read_response_only ce"),
             1);
    ck_holds(RUN(READ(131072, 92, 8), "< pull_data psn=0r rsn=0r"), 1);
}
END_TEST

START_TEST(RDMA_8_3_1_03_the_region_lives_and_is_of_the_domain)
{
    ck_breaks(RUN("verbs mr_dereg {\"mr\":\"m\"}", WRITE(0, 65536, 91, 8), ACK(1)),
              "RDMA-8.3.1-03", 1);
    ck_breaks(RUN("verbs mr_reg {\"pd\":\"other\",\"length\":64,\"access\":[\"rw\"]} -> "
                  "{\"mr\":\"o\",\"va\":0,\"lkey\":1,\"rkey\":2}",
                  WRITE(0, 0, 2, 8), ACK(1)),
              "RDMA-8.3.1-03", 1);
    /* while it ends */
    ck_holds(RUN("asks mr_dereg {\"mr\":\"m\"}", WRITE(0, 65536, 91, 8), ACK(1)), 0);
}
END_TEST

START_TEST(what_is_not_known)
{
    struct fal_connection c = script_connection(&lossy);

    ck_undecided(
        script_run("V17", &lossy, &c, LINES(MEMORY, PAIR, WRITE(0, 65536, 77, 8), ACK(1))), 1);
    /* After the first error a queue pair in Verbs mode may do anything. */
    ck_breaks(RUN(WRITE(0, 65536, 77, 8), WRITE(1, 65536, 77, 8), ACK(2)), "RDMA-8.3.1-03", 1);
    /* A packet of another queue pair is no matter of this rule. */
    ck_holds(RUN("> push_data psn=0r rsn=0r / rdma write_only dqp=3 rkey=77 data=8", ACK(1)),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V17");
    TCase *tcase = tcase_create("V17");

    tcase_add_test(tcase, what_has_the_right);
    tcase_add_test(tcase, RDMA_8_3_1_03_what_has_not_is_refused);
    tcase_add_test(tcase, RDMA_8_3_1_03_the_region_lives_and_is_of_the_domain);
    tcase_add_test(tcase, what_is_not_known);
    suite_add_tcase(suite, tcase);
    return suite;
}
