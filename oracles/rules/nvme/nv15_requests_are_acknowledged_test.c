/* SPDX-License-Identifier: Apache-2.0 */
/* Macros join the strings of a line. NOLINTBEGIN(bugprone-suspicious-missing-comma) */
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

/* The SUT's host reads a block; the tester answers with a status, and gives up the transaction
 * a second later. */
#define TABLES                                         \
    "nvme nvme_ns {\"nsid\":1,\"block_shift\":12} -> " \
    "{\"function\":5,\"mdts\":262144}",                \
        "nvme nvme_lba {\"index\":0,\"valid\":true,\"target_nsid\":9} -> {}"
#define POST                                                                          \
    "nvme nvme_post {\"cmd\":1,\"op\":\"read\",\"nsid\":1,\"slba\":3,\"nlb0\":0} -> " \
    "{\"sq\":1,\"cid\":4}"
#define REQUEST \
    "< push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1 insid=1 slba=3 tnsid=9"
#define RESPONSE(status) \
    "> push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 status=" status
#define ENDS(status) "tells nvme_cqe {\"cmd\":1,\"status\":" status "}"
#define GIVES_UP     "> resync psn=0r rsn=0r code=timed_out of=push_data"
#define BEGUN        TABLES, POST, REQUEST
#define DATA_OF      " data=4096"

START_TEST(NVME_7_1_06_a_completion_shows_that_the_response_came)
{
    ck_breaks(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), "wait 10s", GIVES_UP,
                                 "< back dbase=1r")),
              "NVME-7.1-06", 1);
    ck_breaks(nv15(&clean, LINES(BEGUN, RESPONSE("641"), ENDS("641"), "wait 10s", GIVES_UP,
                                 "< back dbase=1r")),
              "NVME-7.1-06", 1);
    ck_breaks(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), "wait 10s", GIVES_UP,
                                 "barrier")),
              "NVME-7.1-06", 1);
    ck_holds(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), "< back dbase=1r",
                                "wait 10s", "barrier")),
             1);
}
END_TEST

/* A command of two nCMDs, each of which gets an answer; that of the second one has an error. */
#define BEGUN_2                                                                              \
    TABLES,                                                                                  \
        "nvme nvme_post {\"cmd\":1,\"op\":\"read\",\"nsid\":1,\"slba\":3,\"nlb0\":1} -> "    \
        "{\"sq\":1,\"cid\":4}",                                                              \
        "< push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1 insid=1 slba=3 tnsid=9 " \
        "nlb=1 total=1",                                                                     \
        "< push_data psn=1r rsn=1r / nvme read_request ifn=5 itag=2 insid=1 slba=3 tnsid=9 " \
        "nlb=1 total=1 ncmd=1",                                                              \
        "> push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 data=4096"
#define SECOND(more) "> push_data psn=1r rsn=1r / nvme read_response ifn=5 itag=2 ncmd=1 " more

START_TEST(NVME_7_1_06_completions_of_several_ncmds)
{
    ck_breaks(
        nv15(&clean, LINES(BEGUN_2, SECOND("data=4096"), ENDS("0"), "wait 10s", "barrier")),
        "NVME-7.1-06", 2);
    ck_breaks(nv15(&clean, LINES(BEGUN_2, SECOND("data=4096"), ENDS("0"), "wait 10s", GIVES_UP,
                                 "< back dbase=2r")),
              "NVME-7.1-06", 2);
    /* one of them may be enough to fail it */
    ck_holds(nv15(&clean, LINES(BEGUN_2, SECOND("status=641"), ENDS("641"), "wait 10s",
                                GIVES_UP, "< back dbase=2r")),
             1);
}
END_TEST

START_TEST(an_acknowledgement_may_go_unseen)
{
    ck_undecided(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), "mark gap_out 1",
                                    "wait 10s", GIVES_UP, "< eack dbase=1r")),
                 1);
    /* it was that of a first copy, which went unseen */
    ck_undecided(nv15(&clean, LINES(BEGUN, "mark gap_in 1", "< back dbase=1r",
                                    RESPONSE("0" DATA_OF), ENDS("0"), "wait 10s", "barrier")),
                 1);
}
END_TEST

START_TEST(an_acknowledgement_of_a_request_may_go_unseen)
{
    ck_undecided(nv15(&clean, LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0),
                                    "mark gap_out 1", "wait 10s", "barrier")),
                 1);
    ck_undecided(
        nv15(&clean, LINES(HOLD, READ(0, ""), DEVICE(1, "read", 100, 0), "mark gap_out 1",
                           "wait 10s", COMPLETE(1), "< back dbase=1r", "barrier")),
        1);
}
END_TEST

START_TEST(NVME_7_1_06_nothing_is_due_before_the_response_came)
{
    /* it may have completed by itself, or so late that the acknowledgement may still come */
    ck_holds(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("7"), "wait 10s", GIVES_UP,
                                "< back dbase=1r")),
             0);
    ck_holds(nv15(&clean, LINES(BEGUN, RESPONSE("0" DATA_OF), "wait 10s", ENDS("0"), GIVES_UP,
                                "< back dbase=1r")),
             0);
    /* nobody waited */
    ck_holds(nv15(&clean,
                  LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), GIVES_UP, "< back dbase=1r")),
             0);
    ck_holds(nv15(&lossy, LINES(BEGUN, RESPONSE("0" DATA_OF), ENDS("0"), "wait 10s", GIVES_UP,
                                "< back dbase=1r")),
             0);
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
    tcase_add_test(tcase, NVME_7_1_06_a_completion_shows_that_the_response_came);
    tcase_add_test(tcase, NVME_7_1_06_completions_of_several_ncmds);
    tcase_add_test(tcase, an_acknowledgement_may_go_unseen);
    tcase_add_test(tcase, an_acknowledgement_of_a_request_may_go_unseen);
    tcase_add_test(tcase, NVME_7_1_06_nothing_is_due_before_the_response_came);
    tcase_add_test(tcase, reading_amb_n16_NVME_7_1_03_requests_are_acknowledged_at_receipt);
    suite_add_tcase(suite, tcase);
    return suite;
}
/* NOLINTEND(bugprone-suspicious-missing-comma) */
