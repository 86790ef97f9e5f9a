/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/devices_testing.h"

static struct outcome nv14(const char *const *lines)
{
    return judged("NV14", &clean, lines);
}

#define TWO WRITE(0, "nlb=1 total=1"), WRITE(1, "nlb=1 total=1 ncmd=1"), PULL(0, 0), PULL(1, 1)

START_TEST(NVME_6_3_04_writes_wait_for_their_data)
{
    ck_holds(nv14(LINES(FREE, TWO, DATA(2, 0, 0), DATA(3, 1, 1), DEVICE(1, "write", 100, 1))),
             1);
    ck_breaks(nv14(LINES(FREE, TWO, DATA(2, 0, 0), DEVICE(1, "write", 100, 1), DATA(3, 1, 1))),
              "NVME-6.3-04", 1);
    ck_breaks(nv14(LINES(FREE, WRITE(0, "nlb=1 total=1"), PULL(0, 0), DATA(1, 0, 0),
                         DEVICE(1, "write", 100, 1))),
              "NVME-6.3-04", 1);
    /* a read begins with the first request (7.1) */
    ck_holds(nv14(LINES(FREE, READ(0, "nlb=1 total=1"), DEVICE(1, "read", 100, 1))), 1);
}
END_TEST

START_TEST(NVME_6_5_04_one_command_for_each)
{
    ck_breaks(nv14(LINES(FREE, TWO, DATA(2, 0, 0), DATA(3, 1, 1), DEVICE(1, "write", 100, 0))),
              "NVME-6.5-04", 1);
    ck_breaks(nv14(LINES(FREE, TWO, DATA(2, 0, 0), DATA(3, 1, 1), DEVICE(1, "write", 101, 1))),
              "NVME-6.5-04", 1);
    ck_breaks(nv14(LINES(FREE, READ(0, "nlb=1 total=1"), DEVICE(1, "read", 100, 1),
                         DEVICE(2, "read", 100, 1))),
              "NVME-6.5-04", 1);
    /* of something else */
    ck_holds(nv14(LINES(FREE, READ(0, "nlb=1 total=1"), DEVICE(1, "read", 7000, 1))), 0);
}
END_TEST

/* Another write of the same blocks, whose data came before those of the first one. */
#define FIRST  WRITE(0, ""), PULL(0, 0)
#define SECOND OTHER_WRITE(1, ""), PULL(1, 1), DATA(2, 1, 1)

START_TEST(NVME_6_3_04_of_equal_writes_the_one_with_its_data_is_meant)
{
    ck_holds(nv14(LINES(FREE, FIRST, SECOND, DEVICE(1, "write", 100, 0), DATA(3, 0, 0),
                        DEVICE(2, "write", 100, 0))),
             2);
    ck_breaks(nv14(LINES(FREE, FIRST, SECOND, DEVICE(1, "write", 100, 0),
                         DEVICE(2, "write", 100, 0), DATA(3, 0, 0))),
              "NVME-6.3-04", 1);
}
END_TEST

/* Packets that the record does not have may explain a command of a device. */
START_TEST(NVME_6_5_04_requests_may_go_unseen)
{
    const char *write = DEVICE(1, "write", 100, 1);

    ck_undecided(nv14(LINES(FREE, TWO, DATA(2, 0, 0), "mark gap_in 1", write)), 1);
    ck_undecided(nv14(LINES("mark gap_in 1", FREE, WRITE(0, "nlb=1 total=1"), PULL(0, 0),
                            DATA(1, 0, 0), write)),
                 1);
    ck_undecided(nv14(LINES("mark gap_in 1", FREE, READ(0, "nlb=1 total=1"),
                            DEVICE(1, "read", 100, 1), DEVICE(2, "read", 100, 0))),
                 1);
}
END_TEST

/* A capture from the middle. */
START_TEST(NVME_6_3_04_requests_may_be_older_than_the_capture)
{
    struct fal_connection c = script_connection(&clean);

    c.initial_known = false;
    ck_undecided(script_run("NV14", &clean, &c,
                            LINES(FREE, WRITE(1, "nlb=1 total=1 ncmd=1"), PULL(1, 1),
                                  DATA(2, 1, 1), DEVICE(1, "write", 100, 1))),
                 1);
    ck_undecided(
        script_run("NV14", &clean, &c,
                   LINES(FREE, READ(1, "nlb=1 total=1 ncmd=1"), DEVICE(1, "read", 101, 4))),
        1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV14");
    TCase *tcase = tcase_create("NV14");

    tcase_add_test(tcase, NVME_6_3_04_writes_wait_for_their_data);
    tcase_add_test(tcase, NVME_6_3_04_of_equal_writes_the_one_with_its_data_is_meant);
    tcase_add_test(tcase, NVME_6_5_04_one_command_for_each);
    tcase_add_test(tcase, NVME_6_5_04_requests_may_go_unseen);
    tcase_add_test(tcase, NVME_6_3_04_requests_may_be_older_than_the_capture);
    suite_add_tcase(suite, tcase);
    return suite;
}
