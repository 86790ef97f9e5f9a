/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/devices_testing.h"

static struct outcome nv15(const struct kind *kind, const char *const *lines)
{
    return judged("NV15", kind, lines);
}

START_TEST(NVME_7_1_06_each_response_is_acknowledged)
{
    const char *request = "< push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1",
               *answer = "> push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 "
                         "data=4096";

    ck_holds(nv15(&clean, LINES(FREE, request, answer, "< back dbase=1r", "barrier")), 1);
    ck_breaks(nv15(&clean, LINES(FREE, request, answer, "wait 10s", "barrier")), "NVME-7.1-06",
              1);
    ck_holds(nv15(&clean, LINES(FREE, request, answer, "barrier")), 0);
    ck_holds(nv15(&lossy, LINES(FREE, request, answer, "wait 10s", "barrier")), 0);
}
END_TEST

START_TEST(reading_amb_n16_NVME_7_1_03_requests_are_acknowledged_at_receipt)
{
    ck_holds(nv15(&clean, LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), "< back dbase=1r",
                                "barrier")),
             1);
    ck_warns(nv15(&clean,
                  LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), "wait 10s", "barrier")),
             "NVME-7.1-03");
    ck_warns(nv15(&clean, LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), "wait 10s",
                                COMPLETE(1), "< back dbase=1r", "barrier")),
             "NVME-7.1-03");
    ck_holds(nv15(&clean,
                  LINES(FREE, READ(0, ""), DEVICE(1, "read", 100, 0), "wait 10s", "barrier")),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV15");
    TCase *tcase = tcase_create("NV15");

    tcase_add_test(tcase, NVME_7_1_06_each_response_is_acknowledged);
    tcase_add_test(tcase, reading_amb_n16_NVME_7_1_03_requests_are_acknowledged_at_receipt);
    suite_add_tcase(suite, tcase);
    return suite;
}
