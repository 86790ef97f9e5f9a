/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv4(const char *const *lines)
{
    return judged("NV4", &clean, lines);
}

/* One block of the namespace. */
#define ONE(slba, request) \
    nv4(LINES(TABLES(""), POST(1, "read", slba, 0, ""), READS(0, request)))
#define WRITTEN(slba, request) \
    nv4(LINES(TABLES(""), POST(1, "write", slba, 0, ""), WRITES(0, request)))

START_TEST(NVME_6_6_2_14_the_block_of_the_target)
{
    ck_holds(ONE(0, FIRST_OF_10), 1);
    ck_holds(ONE(64, FIRST_OF_11), 1);
    ck_holds(ONE(130, "slba=0x140042 tnsid=9 sqid=3"), 1);
    ck_breaks(ONE(130, "slba=130 tnsid=9 sqid=3"), "NVME-6.6-02", 1);
    ck_breaks(ONE(130, "slba=0x140082 tnsid=9 sqid=3"), "NVME-6.6.1-05", 1);
    ck_breaks(ONE(130, "slba=0x140002 tnsid=9 sqid=3"), "NVME-6.6.2-10", 1);
    ck_breaks(ONE(130, "slba=0x180042 tnsid=9 sqid=3"), "NVME-6.6.2-04", 1);
    ck_breaks(ONE(130, "slba=0x140043 tnsid=9 sqid=3"), "NVME-6.6.2-14", 1);
    ck_breaks(ONE(64, "slba=0x45c0000000000004 tnsid=8 sqid=4"), "NVME-8.3-04", 1);
    ck_breaks(WRITTEN(64, "slba=0x45c0000000000004 tnsid=8 sqid=4"), "NVME-8.5-03", 1);
}
END_TEST

/* The request may be that of a command which was submitted before the capture began. */
START_TEST(a_capture_that_begins_late_decides_nothing)
{
    ck_undecided(judged("NV4", &begins_late,
                        LINES(TABLES(""), POST(1, "read", 130, 0, ""), READS(0, FIRST_OF_10))),
                 1);
}
END_TEST

START_TEST(NVME_6_6_2_12_the_row_of_the_block)
{
    ck_breaks(ONE(64, "slba=0x445c00000 tnsid=9 sqid=3"), "NVME-6.6.2-11", 1);
    ck_breaks(ONE(0, "slba=0x140000 tnsid=0 sqid=0"), "NVME-6.6.2-12", 1);
    ck_breaks(ONE(0, "slba=0x140000 tnsid=8 sqid=3"), "NVME-8.3-03", 1);
    ck_breaks(ONE(0, "slba=0x140000 tnsid=9 sqid=4"), "NVME-8.3-15", 1);
    ck_breaks(WRITTEN(0, "slba=0x140000 tnsid=8 sqid=3"), "NVME-8.5-02", 1);
    ck_breaks(WRITTEN(0, "slba=0x140000 tnsid=9 sqid=4"), "NVME-8.5-13", 1);
}
END_TEST

START_TEST(NVME_8_3_05_the_block_of_the_whole_part)
{
    ck_breaks(
        nv4(LINES(TABLES(""), POST(1, "read", 0, 1, ""), READS(0, FIRST_OF_10 " nlb=1 total=1"),
                  READS(1, "slba=0x140001 tnsid=9 sqid=3 nlb=1 total=1 ncmd=1"))),
        "NVME-8.3-05", 1);
}
END_TEST

/* The row of another connection. */
START_TEST(NVME_6_6_2_05_the_connection_of_the_row)
{
    const char *elsewhere = "nvme nvme_lba conn 0 {\"index\":10,\"valid\":true,\"sqid\":3,"
                            "\"conn\":\"nowhere\",\"target_nsid\":9,\"chunk\":5} -> {}";

    ck_holds(nv4(LINES(SPACE(""), elsewhere, POST(1, "read", 0, 0, ""), READS(0, FIRST_OF_10))),
             1); /* not known which */
}
END_TEST

/* The change may come before the command, or after it. */
START_TEST(rows_that_change_under_way_count_as_both)
{
    const char *change = "asks nvme_lba {\"index\":10,\"valid\":true,\"sqid\":7,"
                         "\"target_nsid\":6,\"chunk\":5}",
               *answer = "answers nvme_lba {}", *old = READS(0, FIRST_OF_10),
               *new = READS(0, "slba=0x140000 tnsid=6 sqid=7"),
               *post = POST(1, "read", 0, 0, "");

    ck_holds(nv4(LINES(TABLES(""), change, post, old)), 1);
    ck_holds(nv4(LINES(TABLES(""), change, post, new)), 1);
    ck_holds(nv4(LINES(TABLES(""), change, answer, post, new)), 1);
    ck_breaks(nv4(LINES(TABLES(""), change, answer, post, old)), "NVME-6.6.2-12", 1);
    ck_breaks(nv4(LINES(TABLES(""), change, "answers nvme_lba failed", post, new)),
              "NVME-6.6.2-12", 1);
    ck_holds(nv4(LINES(TABLES(""), change, "answers nvme_lba failed", post, old)), 1);
    /* a row that was never given, or a namespace */
    ck_holds(nv4(LINES(SPACE(""), post, old)), 1);
    ck_holds(nv4(LINES(post, old)), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV4");
    TCase *tcase = tcase_create("NV4");

    tcase_add_test(tcase, NVME_6_6_2_14_the_block_of_the_target);
    tcase_add_test(tcase, a_capture_that_begins_late_decides_nothing);
    tcase_add_test(tcase, NVME_6_6_2_12_the_row_of_the_block);
    tcase_add_test(tcase, NVME_8_3_05_the_block_of_the_whole_part);
    tcase_add_test(tcase, NVME_6_6_2_05_the_connection_of_the_row);
    tcase_add_test(tcase, rows_that_change_under_way_count_as_both);
    suite_add_tcase(suite, tcase);
    return suite;
}
