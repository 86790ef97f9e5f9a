/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv20(const char *const *lines)
{
    return judged("NV20", &clean, lines);
}

#define INVALID SPACE(""), ROW(10, false, 3, 9, 5), ROW(11, true, 4, 8, 70000)

START_TEST(NVME_6_6_2_13_no_request_and_an_error)
{
    const char *read = POST(1, "read", 0, 0, "");

    ck_holds(nv20(LINES(INVALID, read, COMPLETES(1, 640))), 1);
    ck_breaks(nv20(LINES(INVALID, read, COMPLETES(1, 0))), "NVME-6.6.2-13", 1);
    ck_breaks(nv20(LINES(INVALID, read, READS(0, FIRST_OF_10))), "NVME-6.6.2-13", 1);
    ck_holds(judged("NV20", &begins_late, LINES(INVALID, read, READS(0, FIRST_OF_10))), 0);
    ck_holds(nv20(LINES(TABLES(""), read, READS(0, FIRST_OF_10), COMPLETES(1, 0))), 0);
    /* the second part alone */
    ck_breaks(nv20(LINES(SPACE(""), ROW(10, true, 3, 9, 5), ROW(11, false, 4, 8, 70000),
                         POST(1, "read", 63, 1, ""), COMPLETES(1, 0))),
              "NVME-6.6.2-13", 1);
}
END_TEST

START_TEST(NVME_6_6_2_13_it_completes)
{
    const char *other = "< push_data psn=0r rsn=0r / nvme read_request ifn=9 insid=7 itag=77";

    ck_breaks(nv20(LINES(INVALID, other, POST(1, "read", 0, 0, ""), "barrier")),
              "NVME-6.6.2-13", 1);
    ck_holds(
        nv20(LINES(INVALID, other, POST(1, "read", 0, 0, ""), COMPLETES(1, 640), "barrier")),
        1);
}
END_TEST

/* 6.6.2: new rows, the start index, then the old rows. */
START_TEST(rows_that_change_under_way_count_as_both)
{
    const char *clear = "asks nvme_lba {\"index\":10,\"valid\":false}";

    ck_holds(nv20(LINES(TABLES(""), POST(1, "read", 0, 0, ""), clear, READS(0, FIRST_OF_10),
                        COMPLETES(1, 0))),
             0);
    ck_holds(nv20(LINES(TABLES(""), clear, POST(1, "read", 0, 0, ""), READS(0, FIRST_OF_10))),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV20");
    TCase *tcase = tcase_create("NV20");

    tcase_add_test(tcase, NVME_6_6_2_13_no_request_and_an_error);
    tcase_add_test(tcase, NVME_6_6_2_13_it_completes);
    tcase_add_test(tcase, rows_that_change_under_way_count_as_both);
    suite_add_tcase(suite, tcase);
    return suite;
}
