/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv3(const struct kind *kind, const char *const *lines)
{
    return judged("NV3", kind, lines);
}

#define THREE(n, more) READS(n, FIRST_OF_10 " icmd=3 nlb=2 total=2 ncmd=" #n " " more)

START_TEST(NVME_6_5_01_an_ncmd_for_each_4k)
{
    ck_holds(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                               THREE(2, ""), THREE(1, ""), COMPLETES(1, 0))),
             4);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                THREE(1, ""), COMPLETES(1, 0))),
              "NVME-6.5-01", 1);
    /* an RSN before it was not seen */
    ck_undecided(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                   THREE(2, ""), COMPLETES(1, 0))),
                 1);
    /* the last one is in a gap */
    ck_undecided(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                   THREE(1, ""), "mark gap_out 1", COMPLETES(1, 0))),
                 1);
    /* it failed */
    ck_holds(nv3(&clean,
                 LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""), COMPLETES(1, 5))),
             1);
}
END_TEST

START_TEST(NVME_6_5_06_no_more_than_mdts)
{
    ck_holds(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 63, ""),
                               READS(0, FIRST_OF_10 " nlb=63 total=63"))),
             1);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 64, ""),
                                READS(0, FIRST_OF_10 " s nlb=63 total=64"))),
              "NVME-6.5-06", 1);
}
END_TEST

START_TEST(NVME_8_2_10_the_total_is_that_of_the_command)
{
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""),
                                READS(0, FIRST_OF_10 " nlb=2 total=3"))),
              "NVME-8.2-10", 1);
    /* split: of both parts; or of one (AMB-N06) */
    ck_holds(nv3(&clean, LINES(TABLES(""), POST(1, "read", 62, 2, ""),
                               READS(0, "s nlb=1 total=2 slba=0x14003e tnsid=9 sqid=3"),
                               READS(1, "s ng nlb=0 total=2 ncmd=2 " FIRST_OF_11))),
             2);
    ck_warns(nv3(&clean, LINES(TABLES(""), POST(1, "read", 62, 2, ""),
                               READS(0, "s nlb=1 total=1 slba=0x14003e tnsid=9 sqid=3"))),
             "NVME-8.2-10");
}
END_TEST

START_TEST(NVME_8_2_12_offsets_are_different)
{
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""),
                                READS(0, FIRST_OF_10 " icmd=3 nlb=2 total=2 ncmd=3"))),
              "NVME-8.2-12", 1);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                READS(1, FIRST_OF_10 " icmd=3 nlb=2 total=2 ncmd=0"))),
              "NVME-8.2-12", 1);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 62, 2, ""),
                                READS(0, "s nlb=1 total=2 slba=0x14003e tnsid=9 sqid=3"),
                                READS(1, "s ng nlb=0 total=2 " FIRST_OF_11))),
              "NVME-8.2-12", 1);
}
END_TEST

START_TEST(NVME_8_3_06_all_of_a_part_name_its_blocks)
{
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                READS(1, FIRST_OF_10 " icmd=3 nlb=0 total=2 ncmd=1"))),
              "NVME-8.3-06", 1);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "read", 0, 2, ""), THREE(0, ""),
                                READS(1, "slba=0x140001 tnsid=9 sqid=3 icmd=3 nlb=2 total=2 "
                                         "ncmd=1"))),
              "NVME-8.3-05", 1);
    ck_breaks(nv3(&clean, LINES(TABLES(""), POST(1, "write", 0, 1, ""),
                                WRITES(0, FIRST_OF_10 " nlb=1 total=1"),
                                WRITES(1, FIRST_OF_10 " nlb=0 total=1 ncmd=1"))),
              "NVME-8.5-04", 1);
    ck_breaks(
        nv3(&clean, LINES(TABLES(""), POST(1, "write", 0, 1, ""),
                          WRITES(0, FIRST_OF_10 " nlb=1 total=1"),
                          WRITES(1, "slba=0x140001 tnsid=9 sqid=3 nlb=1 total=1 ncmd=1"))),
        "NVME-8.5-03", 1);
}
END_TEST

/* AMB-N24: commands of two queues with one identifier, whose nCMDs take turns. */
START_TEST(commands_with_one_identifier_are_kept_apart)
{
    const char *a = POST(1, "read", 0, 1, ""), *b = POST(2, "read", 4, 1, "");
#define SECOND "slba=0x140004 tnsid=9 sqid=3"

    ck_holds(nv3(&clean, LINES(TABLES(""), a, b, READS(0, FIRST_OF_10 " nlb=1 total=1"),
                               READS(1, SECOND " nlb=1 total=1"),
                               READS(2, FIRST_OF_10 " nlb=1 total=1 ncmd=1"),
                               READS(3, SECOND " nlb=1 total=1 ncmd=1"), COMPLETES(1, 0),
                               COMPLETES(2, 0))),
             6);
    ck_holds(nv3(&clean, LINES(TABLES(""), a, b, READS(0, FIRST_OF_10 " nlb=1 total=1"),
                               READS(1, SECOND " nlb=1 total=1 ncmd=1"),
                               READS(2, SECOND " nlb=1 total=1"),
                               READS(3, FIRST_OF_10 " nlb=1 total=1 ncmd=1"), COMPLETES(1, 0),
                               COMPLETES(2, 0))),
             6);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV3");
    TCase *tcase = tcase_create("NV3");

    tcase_add_test(tcase, NVME_6_5_01_an_ncmd_for_each_4k);
    tcase_add_test(tcase, NVME_6_5_06_no_more_than_mdts);
    tcase_add_test(tcase, NVME_8_2_10_the_total_is_that_of_the_command);
    tcase_add_test(tcase, NVME_8_2_12_offsets_are_different);
    tcase_add_test(tcase, NVME_8_3_06_all_of_a_part_name_its_blocks);
    tcase_add_test(tcase, commands_with_one_identifier_are_kept_apart);
    suite_add_tcase(suite, tcase);
    return suite;
}
