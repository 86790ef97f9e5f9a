/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/nvme/devices_testing.h"

static struct outcome nv8(const char *const *lines)
{
    return judged("NV8", &clean, lines);
}

START_TEST(NVME_6_5_05_reads_wait_for_the_device)
{
    ck_holds(nv8(LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), COMPLETE(1),
                       ANSWER(0, 0, 0, "data=4096"))),
             1);
    ck_breaks(
        nv8(LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), ANSWER(0, 0, 0, "data=4096"))),
        "NVME-6.5-05", 1);
    ck_breaks(nv8(LINES(HOLD, READ(0, ""), ANSWER(0, 0, 0, "data=4096"))), "NVME-6.5-05", 1);
    ck_holds(nv8(LINES(HOLD, READ(0, ""), ANSWER(0, 0, 0, "status=4"))), 0);
    ck_holds(nv8(LINES(FREE, READ(0, ""), ANSWER(0, 0, 0, "data=4096"))), 0);
    ck_holds(nv8(LINES(READ(0, ""), HOLD, ANSWER(0, 0, 0, "data=4096"))), 0);
}
END_TEST

#define TWO                                                                                    \
    HOLD, WRITE(0, "nlb=1 total=1"), WRITE(1, "nlb=1 total=1 ncmd=1"), PULL(0, 0), PULL(1, 1), \
        DATA(2, 0, 0), DATA(3, 1, 1), DEVICE(1, "write", 100, 1)

START_TEST(NVME_7_2_08_the_last_completion_waits)
{
    ck_holds(nv8(LINES(TWO, DONE(0, 2, 0, ""), COMPLETE(1), DONE(1, 3, 1, ""))), 1);
    ck_holds(nv8(LINES(TWO, DONE(0, 2, 1, ""), COMPLETE(1), DONE(1, 3, 0, ""))), 1);
    ck_breaks(nv8(LINES(TWO, DONE(0, 2, 0, ""), DONE(1, 3, 1, ""), COMPLETE(1))), "NVME-7.2-08",
              1);
}
END_TEST

/* Two commands that are the same: whose the command of the device is, is not known. */
START_TEST(commands_that_are_the_same_decide_nothing)
{
    const char *other = "> push_data psn=1r rsn=1r / nvme read_request ifn=5 itag=1 icmd=4 "
                        "tnsid=9 slba=100";

    ck_undecided(nv8(LINES(HOLD, READ(0, ""), other, DEVICE(1, "read", 100, 0), COMPLETE(1),
                           "< push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 icmd=4 "
                           "data=4096")),
                 1);
}
END_TEST

/* The event of the device is read only after the answer that dev_complete allowed. */
START_TEST(NVME_6_5_05_events_may_be_read_late)
{
    const char *event = DEVICE(1, "read", 100, 0), *answer = ANSWER(0, 0, 0, "data=4096");

    ck_undecided(nv8(LINES(HOLD, READ(0, ""), COMPLETE(1), answer, event)), 1);
    ck_holds(nv8(LINES(HOLD, READ(0, ""), COMPLETE(1), event, answer)), 1);
    ck_breaks(nv8(LINES(HOLD, READ(0, ""), "nvme dev_complete {\"dcmd\":1} -> failed", answer)),
              "NVME-6.5-05", 1);
    /* All events are read again. */
    ck_breaks(nv8(LINES(HOLD, READ(0, ""), COMPLETE(1), event,
                        "> push_data psn=1r rsn=1r / nvme read_request ifn=5 itag=1 icmd=4 "
                        "tnsid=9 slba=200",
                        ANSWER(0, 0, 0, "data=4096"),
                        "< push_data psn=1r rsn=1r / nvme read_response ifn=5 itag=1 icmd=4 "
                        "data=4096")),
              "NVME-6.5-05", 1);
    ck_undecided(nv8(LINES(HOLD, READ(0, ""), "dropped", answer)), 1);
}
END_TEST

#define COMPLETE_WITH(dcmd, status) \
    "nvme dev_complete {\"dcmd\":" #dcmd ",\"status\":" #status "} -> {}"
#define FORMAT    "nvme dev_format {\"nsid\":9,\"block_shift\":12,\"sqid\":0} -> {}"
#define ERRS      "nvme dev_policy {\"status\":641} -> {}"
#define READ_DONE HOLD, READ(0, ""), DEVICE(1, "read", 100, 0)

START_TEST(NVME_8_4_01_the_status_of_a_held_read)
{
    ck_holds(nv8(LINES(READ_DONE, COMPLETE_WITH(1, 641), ANSWER(0, 0, 0, "status=0x281"))), 1);
    ck_holds(nv8(LINES(READ_DONE, COMPLETE_WITH(1, 641), ANSWER(0, 0, 0, "status=0x4281"))), 1);
    ck_breaks(nv8(LINES(READ_DONE, COMPLETE_WITH(1, 641), ANSWER(0, 0, 0, "status=0x502"))),
              "NVME-8.4-01", 1);
    ck_breaks(nv8(LINES(READ_DONE, COMPLETE(1), ANSWER(0, 0, 0, "status=0x281"))),
              "NVME-8.4-01", 1);
    /* Before dev_complete the status is the target's own. */
    ck_holds(nv8(LINES(READ_DONE, ANSWER(0, 0, 0, "status=0x281"), COMPLETE(1))), 0);
}
END_TEST

/* Only the target checks what the request asks for. */
START_TEST(NVME_8_4_01_protection_information_may_fail)
{
    ck_holds(nv8(LINES(HOLD, READ(0, "prinfo=7"), DEVICE(1, "read", 100, 0), COMPLETE(1),
                       ANSWER(0, 0, 0, "status=0x282"))),
             0);
    ck_breaks(nv8(LINES(READ_DONE, COMPLETE(1), ANSWER(0, 0, 0, "status=0x282"))),
              "NVME-8.4-01", 1);
}
END_TEST

START_TEST(NVME_8_4_01_the_status_of_a_policy)
{
    const char *device = DEVICE(1, "read", 100, 0), *wrong = ANSWER(0, 0, 0, "status=0x502");

    ck_holds(nv8(LINES(FORMAT, ERRS, READ(0, ""), device, ANSWER(0, 0, 0, "status=0x281"))), 1);
    ck_breaks(nv8(LINES(FORMAT, ERRS, READ(0, ""), device, wrong)), "NVME-8.4-01", 1);
    ck_breaks(nv8(LINES(FORMAT, ERRS, READ(0, ""), device, ANSWER(0, 0, 0, "data=4096"))),
              "NVME-8.4-01", 1);
    /* another policy may be meant, the device may refuse the command, or it did not get it */
    ck_holds(nv8(LINES(FORMAT, READ(0, ""), ERRS, device, wrong)), 0);
    ck_holds(nv8(LINES(FORMAT, ERRS, READ(0, ""), device, FREE, wrong)), 0);
    ck_holds(nv8(LINES(FORMAT, FREE, READ(0, ""), device, wrong)), 0);
    ck_holds(nv8(LINES(ERRS, READ(0, ""), device, wrong)), 0);
    ck_holds(nv8(LINES(FORMAT, ERRS, READ(0, ""), wrong)), 0);
    ck_undecided(nv8(LINES("mark gap_in 1", FORMAT, ERRS, READ(0, ""), device, wrong)), 1);
}
END_TEST

#define TWO_DONE TWO, COMPLETE_WITH(1, 641)

START_TEST(NVME_8_8_01_one_completion_has_the_status)
{
    ck_holds(nv8(LINES(TWO, DONE(0, 2, 0, ""), COMPLETE_WITH(1, 641),
                       DONE(1, 3, 1, "status=0x281"))),
             1);
    ck_holds(nv8(LINES(TWO_DONE, DONE(0, 2, 0, "status=0x281"), DONE(1, 3, 1, ""))), 2);
    ck_breaks(nv8(LINES(TWO_DONE, DONE(0, 2, 0, ""), DONE(1, 3, 1, ""))), "NVME-8.8-01", 1);
    ck_breaks(nv8(LINES(TWO_DONE, DONE(0, 2, 0, "status=0x502"))), "NVME-8.8-01", 1);
}
END_TEST

/* Data with INV get a status of their own. */
START_TEST(NVME_8_8_01_invalid_data_have_another_status)
{
    ck_holds(nv8(LINES(HOLD, WRITE(0, ""), PULL(0, 0), DATA(1, 0, 0) " inv",
                       DEVICE(1, "write", 100, 0), COMPLETE(1), DONE(0, 1, 0, "status=0x281"))),
             0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV8");
    TCase *tcase = tcase_create("NV8");

    tcase_add_test(tcase, NVME_6_5_05_reads_wait_for_the_device);
    tcase_add_test(tcase, NVME_7_2_08_the_last_completion_waits);
    tcase_add_test(tcase, commands_that_are_the_same_decide_nothing);
    tcase_add_test(tcase, NVME_6_5_05_events_may_be_read_late);
    tcase_add_test(tcase, NVME_8_4_01_the_status_of_a_held_read);
    tcase_add_test(tcase, NVME_8_4_01_protection_information_may_fail);
    tcase_add_test(tcase, NVME_8_4_01_the_status_of_a_policy);
    tcase_add_test(tcase, NVME_8_8_01_one_completion_has_the_status);
    tcase_add_test(tcase, NVME_8_8_01_invalid_data_have_another_status);
    suite_add_tcase(suite, tcase);
    return suite;
}
