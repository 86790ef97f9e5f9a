/* SPDX-License-Identifier: Apache-2.0 */
/* Macros join the strings of a line. NOLINTBEGIN(bugprone-suspicious-missing-comma) */
#include "oracles/rules/nvme/data_testing.h"

static struct outcome nv12(const char *const *lines)
{
    return judged("NV12", &clean, lines);
}

#define PULLS "> pull_request psn=0r rsn=0r len=4148 / nvme write_data_request ifn=5 itag=0"
#define DATA(more) \
    "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=0 data=4112 " more
#define BAD(prinfo, pi)                                                                        \
    TABLES(",\"pi\":\"" pi "\""),                                                              \
        POST(1, "write", 0, 0, ",\"bad_pi\":true,\"prinfo\":" prinfo), WRITES(0, FIRST_OF_10), \
        PULLS

START_TEST(NVME_8_2_06_the_initiator_marks_bad_data)
{
    ck_breaks(nv12(LINES(BAD("4", "host"), DATA(""), COMPLETES(1, 0))), "NVME-8.2-06", 1);
    ck_holds(nv12(LINES(BAD("4", "host"), DATA("inv"), COMPLETES(1, 0))), 1);
    ck_holds(nv12(LINES(BAD("4", "host"), DATA(""), COMPLETES(1, 642))), 1);
    /* it was refused at once */
    ck_holds(
        nv12(LINES(TABLES(",\"pi\":\"host\""),
                   POST(1, "write", 0, 0, ",\"bad_pi\":true,\"prinfo\":4"), COMPLETES(1, 642))),
        1);
    /* no check was asked for, or there is nothing to check */
    ck_holds(nv12(LINES(BAD("0", "host"), DATA(""), COMPLETES(1, 0))), 0);
    ck_holds(nv12(LINES(BAD("4", "insert"), DATA(""), COMPLETES(1, 0))), 0);
}
END_TEST

/* A write whose first block has a wrong guard, with that application tag of the host; its data
 * were sent without INV. */
static struct outcome tagged(const char *more, uint16_t app, const char *completion)
{
    struct test_data d;
    struct fal_dif inner = {.guard = 1, .app = app, .ref = 0};
    char space[240];

    (void)snprintf(space, sizeof space,
                   "nvme nvme_ns {\"nsid\":1,\"start\":10,\"N\":1,\"block_shift\":9,\"pi\":"
                   "\"host\"%s} -> {\"function\":5,\"mdts\":262144}",
                   more);
    test_data_make(&d, 8, 512, 0, SMALL_FIRST, false);
    fal_dif_write(&inner, d.bytes + 8 * 512);
    test_data_seal(&d, 8, 512, 0);
    return judged_data(
        "NV12",
        LINES(space, ROWS, POST(1, "write", 0, 7, ",\"tag\":7,\"bad_pi\":true,\"prinfo\":4"),
              "< push_data psn=0r rsn=0r / nvme write_request ifn=5 insid=1 itag=1 nlb=7 "
              "slba=0xa00000 tnsid=9 sqid=3 prinfo=7 ilbrt=0xa00000 lbatm=0xffff lbat=0",
              "> pull_request psn=0r rsn=0r len=4260 / nvme write_data_request ifn=5 itag=1"),
        SMALL_DATA, &small_data, &d, LINES(completion));
}

START_TEST(NVME_6_7_03_tags_may_switch_the_check_off)
{
    ck_breaks(tagged("", 0xfffe, COMPLETES(1, 0)), "NVME-8.2-06", 1);
    ck_holds(tagged("", 0xffff, COMPLETES(1, 0)), 0);
    ck_holds(tagged("", 0xffff, COMPLETES(1, 642)), 1); /* it was checked all the same */
    /* an encrypted tag cannot be read */
    ck_undecided(tagged(",\"encrypt\":true", 0, COMPLETES(1, 0)), 1);
}
END_TEST

/* The tester sends data with INV. */
#define WRITTEN                                                                         \
    "> push_data psn=0r rsn=0r / nvme write_request ifn=5 itag=1 tnsid=9 slba=100",     \
        "< pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 itag=1", \
        "> pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 itag=1 inv data=4096"
#define POLICY "nvme dev_policy {} -> {}"

START_TEST(NVME_8_2_06_the_target_does_not_write_them)
{
    ck_breaks(nv12(LINES(POLICY, WRITTEN,
                         "tells dev_cmd {\"dcmd\":1,\"op\":\"write\",\"nsid\":9,\"slba\":100,"
                         "\"nlb0\":0,\"sqid\":0}")),
              "NVME-8.2-06", 1);
    ck_holds(nv12(LINES(POLICY, WRITTEN,
                        "< push_data psn=0r rsn=1r / nvme write_completion ifn=5 itag=1 "
                        "status=5")),
             1);
    ck_warns(nv12(LINES(POLICY, WRITTEN,
                        "< push_data psn=0r rsn=1r / nvme write_completion ifn=5 itag=1")),
             "NVME-8.2-06");
}
END_TEST

/* Of two writes of the same blocks one has INV, and the other one reaches the device. */
#define AFTER_BAD                                                                          \
    "> push_data psn=2r rsn=1r / nvme write_request ifn=5 itag=2 icmd=1 tnsid=9 slba=100", \
        "< pull_request psn=1r rsn=1r len=4132 / nvme write_data_request ifn=5 itag=2 icmd=1"
#define GOOD_DATA \
    "> pull_data psn=3r rsn=1r / nvme write_data_response ifn=5 itag=2 icmd=1 data=4096"
#define WRITE_AT_DEVICE(dcmd)                                                     \
    "tells dev_cmd {\"dcmd\":" #dcmd ",\"op\":\"write\",\"nsid\":9,\"slba\":100," \
    "\"nlb0\":0,\"sqid\":0}"

START_TEST(NVME_8_2_06_of_equal_writes_the_valid_one_is_meant)
{
    ck_holds(nv12(LINES(POLICY, WRITTEN, AFTER_BAD, GOOD_DATA, WRITE_AT_DEVICE(1))), 0);
    ck_breaks(nv12(LINES(POLICY, WRITTEN, AFTER_BAD, GOOD_DATA, WRITE_AT_DEVICE(1),
                         WRITE_AT_DEVICE(2))),
              "NVME-8.2-06", 1);
    /* the valid one may have gone unseen */
    ck_undecided(nv12(LINES("mark gap_in 1", POLICY, WRITTEN, WRITE_AT_DEVICE(1))), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV12");
    TCase *tcase = tcase_create("NV12");

    tcase_add_test(tcase, NVME_8_2_06_the_initiator_marks_bad_data);
    tcase_add_test(tcase, NVME_6_7_03_tags_may_switch_the_check_off);
    tcase_add_test(tcase, NVME_8_2_06_the_target_does_not_write_them);
    tcase_add_test(tcase, NVME_8_2_06_of_equal_writes_the_valid_one_is_meant);
    suite_add_tcase(suite, tcase);
    return suite;
}
/* NOLINTEND(bugprone-suspicious-missing-comma) */
