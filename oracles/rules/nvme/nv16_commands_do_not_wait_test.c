/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/devices_testing.h"

static struct outcome nv16(const struct kind *kind, bool ordered, const char *const *lines)
{
    struct fal_connection c = script_connection(kind);

    c.params.ordered = ordered;
    return script_run("NV16", kind, &c, lines);
}

/* RSN 0 is left out at first. */
#define SECOND READ(1, "")
#define FIRST  "> push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=8 icmd=8 tnsid=9 slba=7"

START_TEST(NVME_8_01_a_command_does_not_wait_for_another)
{
    ck_holds(nv16(&clean, false,
                  LINES(FREE, SECOND, ANSWER(0, 0, 1, "data=4096"), "wait 10s", FIRST)),
             2);
    ck_breaks(nv16(&clean, false,
                   LINES(FREE, SECOND, "wait 10s", FIRST, ANSWER(0, 0, 1, "data=4096"))),
              "NVME-8-01", 1);
    ck_breaks(nv16(&clean, false, LINES(FREE, SECOND, "wait 10s", "barrier")), "NVME-8-01", 1);
    /* the answer may have gone unseen */
    ck_holds(nv16(&clean, false, LINES(FREE, SECOND, "mark gap_out 1", "wait 10s", "barrier")),
             1);
    /* too soon, or a path that loses packets, or a device that holds it */
    ck_holds(nv16(&clean, false, LINES(FREE, SECOND, FIRST)), 1);
    ck_holds(nv16(&lossy, false, LINES(FREE, SECOND, "wait 10s", "barrier")), 1);
    ck_holds(nv16(&clean, false, LINES(HOLD, SECOND, "wait 10s", "barrier")), 1);
}
END_TEST

START_TEST(NVME_7_01_an_ordered_connection_warns)
{
    ck_warns(nv16(&clean, true, LINES(FREE, FIRST)), "NVME-7-01");
    ck_holds(nv16(&clean, true, LINES("barrier", FIRST)), 0); /* It may be a raw upper layer. */
}
END_TEST

START_TEST(NVME_7_1_02_reads_in_order_of_arrival)
{
    const char *seven = DEVICE(1, "read", 7, 0), *hundred = DEVICE(2, "read", 100, 0);

    ck_holds(nv16(&told, false, LINES(HOLD, FIRST, SECOND, seven, hundred)), 3);
    ck_warns(nv16(&told, false, LINES(HOLD, FIRST, SECOND, hundred)), "NVME-7.1-02");
    ck_holds(nv16(&clean, false, LINES(HOLD, FIRST, SECOND, hundred)), 1);
    ck_holds(nv16(&told, false, LINES("mark gap_in 1", HOLD, FIRST, SECOND, hundred)), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV16");
    TCase *tcase = tcase_create("NV16");

    tcase_add_test(tcase, NVME_8_01_a_command_does_not_wait_for_another);
    tcase_add_test(tcase, NVME_7_01_an_ordered_connection_warns);
    tcase_add_test(tcase, NVME_7_1_02_reads_in_order_of_arrival);
    suite_add_tcase(suite, tcase);
    return suite;
}
