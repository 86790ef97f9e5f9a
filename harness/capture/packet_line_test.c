/* SPDX-License-Identifier: Apache-2.0
 * packet_line_test.c - what people read of a packet: numbers that begin with its connection. */
#include "harness/capture/packet_line.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

static const struct fal_connection connection = {
    .tester = {.cid = 7, .req_psn = 100, .data_psn = 200, .rsn = 300},
    .sut = {.cid = 9, .req_psn = 400, .data_psn = 500, .rsn = 600},
    .initial_known = true};

static struct fal_falcon push_to(uint32_t cid)
{
    return (struct fal_falcon){.version = 1,
                               .dest_cid = cid,
                               .packet_type = FAL_PUSH_DATA,
                               .recv_data_base_psn = 501,
                               .recv_req_base_psn = 400,
                               .psn = 203,
                               .rsn = 302};
}

START_TEST(numbers_of_the_connection_begin_with_it)
{
    struct fal_falcon push = push_to(9);
    char line[FAL_TEXT_MAX];

    tl_packet_line(&connection, FAL_TO_SUT, &push, line, sizeof line);
    ck_assert_msg(strstr(line, "dbase=1r rbase=0r psn=3r rsn=2r") != NULL, "%s", line);
    ck_assert_msg(strstr(line, "cid=") == NULL, "%s", line);
}
END_TEST

/* A packet for somebody else, or of no connection: nobody knows where its numbers begin. */
START_TEST(numbers_of_another_connection_stay_as_they_are)
{
    struct fal_falcon push = push_to(8);
    char line[FAL_TEXT_MAX];

    tl_packet_line(&connection, FAL_TO_SUT, &push, line, sizeof line);
    ck_assert_msg(strstr(line, "dbase=501 rbase=400 psn=203 rsn=302") != NULL, "%s", line);
    ck_assert_msg(strstr(line, "cid=") != NULL, "%s", line);
    tl_packet_line(NULL, FAL_TO_SUT, &push, line, sizeof line);
    ck_assert_msg(strstr(line, "psn=203 rsn=302") != NULL, "%s", line);
    /* The same CID is that of the tester's end, in the other direction alone. */
    push.dest_cid = 9;
    tl_packet_line(&connection, FAL_FROM_SUT, &push, line, sizeof line);
    ck_assert_msg(strstr(line, "psn=203 rsn=302") != NULL, "%s", line);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lines of packets");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, numbers_of_the_connection_begin_with_it);
    tcase_add_test(tc, numbers_of_another_connection_stay_as_they_are);
    suite_add_tcase(suite, tc);
    return suite;
}
