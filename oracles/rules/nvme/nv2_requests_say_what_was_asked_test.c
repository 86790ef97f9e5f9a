/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/tables_testing.h"

static struct outcome nv2(const char *const *lines)
{
    return judged("NV2", &clean, lines);
}

#define FIELDS ",\"fua\":1,\"lr\":1,\"dsm\":165,\"dtype\":2,\"dspec\":4660"

static struct outcome read_with(const char *request)
{
    return nv2(LINES(TABLES(""), POST(1, "read", 0, 0, FIELDS), request));
}

static struct outcome write_with(const char *request)
{
    return nv2(LINES(TABLES(""), POST(1, "write", 0, 0, FIELDS), request));
}

START_TEST(NVME_8_3_09_reads_have_the_fields_of_the_command)
{
    ck_holds(read_with(READS(0, FIRST_OF_10 " fua lr dsm=165")), 1);
    ck_breaks(read_with(READS(0, FIRST_OF_10 " lr dsm=165")), "NVME-8.3-09", 1);
    ck_breaks(read_with(READS(0, FIRST_OF_10 " fua dsm=165")), "NVME-8.3-10", 1);
    ck_breaks(read_with(READS(0, FIRST_OF_10 " fua lr dsm=164")), "NVME-8.3-11", 1);
    ck_breaks(read_with("< push_data psn=0r rsn=0r / nvme read_request ifn=6 insid=1 fua lr "
                        "dsm=165 " FIRST_OF_10),
              "NVME-8.2-04", 1);
    ck_breaks(read_with("< push_data psn=0r rsn=0r / nvme read_request ifn=5 insid=0 fua lr "
                        "dsm=165 " FIRST_OF_10),
              "NVME-8.3-02", 1);
}
END_TEST

START_TEST(NVME_8_5_07_writes_have_the_fields_of_the_command)
{
    ck_holds(write_with(WRITES(0, FIRST_OF_10 " fua lr dsm=165 dtype=2 dspec=0x1234")), 1);
    ck_breaks(write_with(WRITES(0, FIRST_OF_10 " lr dsm=165 dtype=2 dspec=0x1234")),
              "NVME-8.5-07", 1);
    ck_breaks(write_with(WRITES(0, FIRST_OF_10 " fua dsm=165 dtype=2 dspec=0x1234")),
              "NVME-8.5-07", 1);
    ck_breaks(write_with(WRITES(0, FIRST_OF_10 " fua lr dsm=5 dtype=2 dspec=0x1234")),
              "NVME-8.5-08", 1);
    ck_breaks(write_with(WRITES(0, FIRST_OF_10 " fua lr dsm=165 dtype=1 dspec=0x1234")),
              "NVME-8.5-05", 1);
    ck_breaks(write_with(WRITES(0, FIRST_OF_10 " fua lr dsm=165 dtype=2 dspec=0x3412")),
              "NVME-8.5-09", 1);
    ck_breaks(write_with("< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=2 fua lr "
                         "dsm=165 dtype=2 dspec=0x1234 " FIRST_OF_10),
              "NVME-8.5-02", 1);
}
END_TEST

/* 6.3: each request has a command. An operating system may read, too. */
START_TEST(NVME_6_3_01_no_request_without_a_command)
{
    const char *request = READS(0, FIRST_OF_10);

    ck_breaks(nv2(LINES(TABLES(",\"exclusive\":true"), request)), "NVME-6.3-01", 1);
    ck_breaks(nv2(LINES(TABLES(",\"exclusive\":true"), WRITES(0, FIRST_OF_10))), "NVME-6.3-02",
              1);
    ck_holds(nv2(LINES(TABLES(""), request)), 0);
    ck_holds(nv2(LINES(request)), 0);
    /* what was submitted before the capture began */
    ck_holds(judged("NV2", &begins_late, LINES(TABLES(",\"exclusive\":true"), request)), 0);
    /* a copy of one that went unseen, after its command has ended */
    ck_undecided(nv2(LINES(TABLES(",\"exclusive\":true"), "mark gap_out 1", request)), 1);
    /* a copy of one that went unseen, and left before a command that was submitted since */
    const char *later = "< push_data psn=1r rsn=1r len=4", *wrong = READS(0, FIRST_OF_10 " lr");

    ck_holds(
        nv2(LINES(TABLES(""), "mark gap_out 1", later, POST(1, "read", 0, 0, FIELDS), wrong)),
        0);
    ck_breaks(
        nv2(LINES(TABLES(""), "mark gap_out 1", POST(1, "read", 0, 0, FIELDS), later, wrong)),
        "NVME-8.3-09", 1);
    /* of another operation */
    ck_breaks(nv2(LINES(TABLES(",\"exclusive\":true"), POST(1, "write", 0, 0, ""), request)),
              "NVME-6.3-01", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV2");
    TCase *tcase = tcase_create("NV2");

    tcase_add_test(tcase, NVME_8_3_09_reads_have_the_fields_of_the_command);
    tcase_add_test(tcase, NVME_8_5_07_writes_have_the_fields_of_the_command);
    tcase_add_test(tcase, NVME_6_3_01_no_request_without_a_command);
    suite_add_tcase(suite, tcase);
    return suite;
}
