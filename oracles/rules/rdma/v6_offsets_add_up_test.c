/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define S(n, kind, m, o, len) \
    "< push_data psn=" #n "r rsn=" #n "r / rdma " kind " rmsn=" #m " off=" #o " data=" #len

static struct outcome v6(const struct kind *kind, const char *const *lines)
{
    return judged("V6", kind, lines);
}

START_TEST(offsets_are_the_bytes_before)
{
    ck_holds(v6(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_middle", 1, 256, 256),
                              S(2, "send_last", 1, 512, 3), S(3, "send_only", 2, 0, 9))),
             4);
    ck_holds(v6(&clean, LINES(S(1, "send_middle", 1, 256, 256), S(0, "send_first", 1, 0, 256))),
             2);
}
END_TEST

START_TEST(RDMA_8_3_3_01_a_wrong_offset)
{
    ck_breaks(v6(&clean, LINES(S(0, "send_only", 1, 4, 9))), "RDMA-8.3.3-01", 1);
    /* counted in packets */
    ck_breaks(v6(&clean, LINES(S(0, "send_first", 1, 0, 256), S(1, "send_last", 1, 1, 9))),
              "RDMA-8.3.3-01", 1);
    ck_breaks(v6(&clean, LINES(S(1, "send_last", 1, 255, 9), S(0, "send_first", 1, 0, 256))),
              "RDMA-8.3.3-01", 1);
}
END_TEST

/* The packet before it in its message was not seen. */
START_TEST(holes_decide_nothing)
{
    ck_holds(v6(&clean, LINES(S(0, "send_first", 1, 0, 256), S(2, "send_last", 1, 9, 9))), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("V6");
    TCase *tcase = tcase_create("V6");

    tcase_add_test(tcase, offsets_are_the_bytes_before);
    tcase_add_test(tcase, RDMA_8_3_3_01_a_wrong_offset);
    tcase_add_test(tcase, holes_decide_nothing);
    suite_add_tcase(suite, tcase);
    return suite;
}
