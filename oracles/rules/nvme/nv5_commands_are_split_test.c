/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv5(const char *const *lines)
{
    return judged("NV5", &clean, lines);
}

/* Blocks 62 to 65: two in each of two stripes. */
#define BOTH       POST(1, "read", 62, 3, "")
#define LOW(more)  READS(0, "total=3 slba=0x14003e tnsid=9 sqid=3 " more)
#define HIGH(more) READS(1, "total=3 ncmd=2 tnsid=8 sqid=4 " more)

START_TEST(NVME_6_6_3_01_parts_begin_and_end_at_the_boundary)
{
    ck_holds(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00000 s ng nlb=1"))),
             2);
    /* the other order */
    ck_holds(nv5(LINES(TABLES(""), BOTH,
                       READS(0, "total=3 ncmd=2 tnsid=8 sqid=4 slba=0x445c00000 s ng nlb=1"),
                       READS(1, "total=3 slba=0x14003e tnsid=9 sqid=3 s nlb=1"))),
             2);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("nlb=3"))), "NVME-6.6.3-04", 1);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=0"))), "NVME-6.6.3-06", 1);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00000 s ng nlb=0"))),
              "NVME-6.6.3-03", 1);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00001 s ng nlb=0"))),
              "NVME-6.6.3-05", 1);
}
END_TEST

START_TEST(NVME_8_2_07_s_and_ng)
{
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("nlb=1"))), "NVME-8.2-07", 1);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s ng nlb=1"))), "NVME-8.2-08", 1);
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00000 s nlb=1"))),
              "NVME-8.2-08", 1);
    /* in one stripe */
    ck_breaks(nv5(LINES(TABLES(""), POST(1, "read", 60, 3, ""),
                        READS(0, "total=3 slba=0x14003c tnsid=9 sqid=3 s nlb=3"))),
              "NVME-8.2-07", 1);
    ck_breaks(nv5(LINES(TABLES(""), POST(1, "read", 60, 3, ""),
                        READS(0, "total=3 slba=0x14003c tnsid=9 sqid=3 s nlb=2"))),
              "NVME-6.6.3-04", 1);
}
END_TEST

/* AMB-N14: a chunk of one stripe. */
START_TEST(NVME_6_6_3_01_between_chunks)
{
    const char *space = "nvme nvme_ns {\"nsid\":1,\"start\":10,\"C\":0,\"S\":12,\"N\":0,"
                        "\"block_shift\":12} -> {\"function\":5,\"mdts\":262144}";

    ck_breaks(nv5(LINES(space, ROWS, POST(1, "read", 262143, 1, ""),
                        READS(0, "total=1 slba=0x17ffff tnsid=9 sqid=3 nlb=1"))),
              "NVME-6.6.3-01", 1);
    ck_holds(nv5(LINES(space, ROWS, POST(1, "read", 262143, 1, ""),
                       READS(0, "total=1 slba=0x17ffff tnsid=9 sqid=3 s nlb=0"),
                       READS(1, "total=1 ncmd=1 s ng nlb=0 " FIRST_OF_11))),
             2);
}
END_TEST

/* AMB-N21: without striping both are right. */
START_TEST(boundaries_without_striping_are_free)
{
    const char *space = "nvme nvme_ns {\"nsid\":1,\"start\":10,\"C\":0,\"S\":0,\"N\":0,"
                        "\"block_shift\":12} -> {\"function\":5,\"mdts\":262144}";

    ck_holds(nv5(LINES(space, ROWS, BOTH, LOW("nlb=3"))), 1);
    ck_holds(nv5(LINES(space, ROWS, BOTH, LOW("s nlb=1"),
                       READS(1, "total=3 ncmd=2 slba=0x140040 tnsid=9 sqid=3 s ng nlb=1"))),
             2);
}
END_TEST

START_TEST(NVME_8_3_06_blocks_of_a_command)
{
    const char *read = POST(1, "read", 0, 3, ""), *write = POST(1, "write", 0, 3, "");

    ck_breaks(nv5(LINES(TABLES(""), read, READS(0, FIRST_OF_10 " total=3 nlb=2"))),
              "NVME-8.3-06", 1);
    ck_breaks(nv5(LINES(TABLES(""), write, WRITES(0, FIRST_OF_10 " total=3 nlb=2"))),
              "NVME-8.5-04", 1);
}
END_TEST

START_TEST(reading_amb_n01_blocks_count_from_one)
{
    ck_warns(nv5(LINES(TABLES(""), POST(1, "read", 0, 3, ""),
                       READS(0, FIRST_OF_10 " total=3 nlb=4"))),
             "NVME-8.3-06");
}
END_TEST

START_TEST(NVME_6_6_3_02_no_third_part)
{
    ck_breaks(nv5(LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00000 s ng nlb=1"),
                        READS(2, "total=3 slba=0x140040 tnsid=9 sqid=3 s nlb=1"))),
              "NVME-6.6.3-02", 1);
    /* it may be the part of a command that was submitted before the capture began */
    ck_holds(judged("NV5", &begins_late,
                    LINES(TABLES(""), BOTH, LOW("s nlb=1"), HIGH("slba=0x445c00000 s ng nlb=1"),
                          READS(2, "total=3 slba=0x140040 tnsid=9 sqid=3 s nlb=1"))),
             2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV5");
    TCase *tcase = tcase_create("NV5");

    tcase_add_test(tcase, NVME_6_6_3_01_parts_begin_and_end_at_the_boundary);
    tcase_add_test(tcase, NVME_8_2_07_s_and_ng);
    tcase_add_test(tcase, NVME_6_6_3_01_between_chunks);
    tcase_add_test(tcase, boundaries_without_striping_are_free);
    tcase_add_test(tcase, NVME_8_3_06_blocks_of_a_command);
    tcase_add_test(tcase, reading_amb_n01_blocks_count_from_one);
    tcase_add_test(tcase, NVME_6_6_3_02_no_third_part);
    suite_add_tcase(suite, tcase);
    return suite;
}
