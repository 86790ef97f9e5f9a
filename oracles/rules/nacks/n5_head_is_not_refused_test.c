/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define PUSH    "> push_data psn=0r rsn=0r len=4"
#define NEXT    "> push_data psn=1r rsn=1r len=4"
#define REFUSED "+1us < nack nack_psn=0r code=1 w=data"
#define LATER   "+1us < nack nack_psn=1r code=1 w=data dbase=1r"
#define ACK     "+1us < back dbase=1r rbase=0r"

/* A SUT that has no other connection. */
static const struct kind alone = {.run = {RUN_VIRTUAL, .delay_max_ns = 0, .alone = true}};

static struct outcome n5(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N5", kind, lines);
}

static struct outcome unordered_of(const struct kind *kind, const char *const *lines,
                                   uint32_t net_buf_rx)
{
    struct fal_connection c = script_connection(kind);

    c.params.ordered = false;
    c.params.net_buf_rx = net_buf_rx;
    return script_run("N5", kind, &c, lines);
}

static struct outcome unordered(const char *const *lines, uint32_t net_buf_rx)
{
    return unordered_of(&alone, lines, net_buf_rx);
}

START_TEST(FTP_8_2_1_2_05_the_head_of_the_line)
{
    ck_holds(n5(&alone, LINES(PUSH, ACK, NEXT, "+1us < back dbase=2r rbase=0r")), 2);
    ck_breaks(n5(&alone, LINES(PUSH, REFUSED)), "FTP-8.2.1.2-05", 1);
    ck_breaks(n5(&alone, LINES(PUSH, ACK, NEXT, LATER)), "FTP-8.2.1.2-05", 1);
    ck_breaks(n5(&alone, LINES("> pull_request psn=0r rsn=0r len=4",
                               "+1us < nack nack_psn=0r code=1 w=req")),
              "FTP-8.2.1.2-05", 1);
    /* other codes have other causes */
    ck_holds(n5(&alone, LINES(PUSH, "+1us < nack nack_psn=0r code=2 rnr=10us w=data")), 1);
}
END_TEST

START_TEST(others_before_it_may_hold_the_room)
{
    ck_holds(n5(&alone, LINES(PUSH, NEXT, "+1us < nack nack_psn=1r code=1 w=data", ACK)), 1);
    /* it was sent before the one ahead of it had ended */
    ck_holds(n5(&alone, LINES(PUSH, NEXT, ACK, LATER)), 1);
    /* a Resync ends the transaction, but the upper layer may still hold the push */
    ck_holds(n5(&alone, LINES(PUSH, "> resync psn=0r rsn=0r code=3 of=push_data", ACK,
                              "wait 1ms", NEXT, LATER)),
             1);
    /* a pull holds it until its data are there */
    ck_holds(n5(&alone, LINES("> pull_request psn=0r rsn=0r len=4", "+1us < back rbase=1r",
                              "> push_data psn=0r rsn=1r len=4", REFUSED)),
             1);
    ck_breaks(n5(&alone, LINES("> pull_request psn=0r rsn=0r len=4",
                               "+1us < pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                               "> push_data psn=0r rsn=1r len=4",
                               "+1us < nack nack_psn=0r code=1 w=data rbase=1r")),
              "FTP-8.2.1.2-05", 1);
}
END_TEST

START_TEST(no_instance)
{
    struct kind twice = alone, slow = alone;

    /* there may be other connections */
    ck_holds(n5(&clean, LINES(PUSH, REFUSED)), 0);
    ck_holds(n5(&udp, LINES(PUSH, REFUSED)), 0);
    ck_holds(n5(&capture, LINES(PUSH, REFUSED)), 0);
    /* of another copy the window may have had it already (AMB-75) */
    ck_holds(n5(&alone, LINES(PUSH, PUSH, REFUSED)), 0);
    twice.run.no_duplicates_in = false;
    ck_holds(n5(&twice, LINES(PUSH, REFUSED)), 0);
    /* the room of the one before may still be on its way back */
    slow.pipeline_ns = 5 * FAL_US;
    ck_holds(n5(&slow, LINES(PUSH, ACK, NEXT, LATER)), 1);
    ck_breaks(n5(&slow, LINES(PUSH, ACK, "wait 20us", NEXT, LATER)), "FTP-8.2.1.2-05", 1);
    /* beyond the window (AMB-12) */
    ck_holds(n5(&alone, LINES("> push_data psn=128r rsn=0r len=4",
                              "+1us < nack nack_psn=128r code=1 w=data")),
             0);
}
END_TEST

START_TEST(FTP_7_8_17_unordered)
{
    ck_breaks(unordered(LINES(PUSH, REFUSED), 0), "FTP-7.8-17", 1);
    ck_breaks(unordered(LINES(PUSH, ACK, NEXT, LATER), 0), "FTP-7.8-17", 1);
    /* a limit of the case may be lower than its length */
    ck_holds(unordered(LINES(PUSH, REFUSED), 1), 0);
    /* the data of a pull occupy the target until they are acknowledged */
    ck_holds(unordered(LINES("> pull_request psn=0r rsn=0r len=4",
                             "+1us < pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                             "> push_data psn=0r rsn=1r len=4",
                             "+1us < nack nack_psn=0r code=1 w=data rbase=1r"),
                       0),
             1);
    ck_breaks(unordered(LINES("> pull_request psn=0r rsn=0r len=4",
                              "+1us < pull_data psn=0r rsn=0r payload_len=4 rbase=1r",
                              "> back dbase=1r rbase=0r", "> push_data psn=0r rsn=1r len=4",
                              "+1us < nack nack_psn=0r code=1 w=data rbase=1r"),
                        0),
              "FTP-7.8-17", 1);
    /* a later one may hold the room */
    ck_holds(unordered(LINES(NEXT, PUSH, REFUSED), 0), 0);
}
END_TEST

/* The engine of the data window may process the push before the other one has the pull. */
START_TEST(FTP_7_8_17_a_later_request_overtakes_within_the_target)
{
    static const char *const early[] = {"> pull_request psn=0r rsn=0r len=4",
                                        "> push_data psn=0r rsn=1r len=4",
                                        "+1us < nack nack_psn=0r code=1 w=req", NULL};
    static const char *const late[] = {"> pull_request psn=0r rsn=0r len=4",
                                       "+5us > push_data psn=0r rsn=1r len=4",
                                       "+1us < nack nack_psn=0r code=1 w=req", NULL};
    struct kind side_by_side = alone;

    ck_breaks(unordered(early, 0), "FTP-7.8-17", 1);
    side_by_side.pipeline_ns = 2 * FAL_US;
    ck_holds(unordered_of(&side_by_side, early, 0), 0);
    ck_breaks(unordered_of(&side_by_side, late, 0), "FTP-7.8-17", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N5");
    TCase *tc = tcase_create("N5");

    tcase_add_test(tc, FTP_8_2_1_2_05_the_head_of_the_line);
    tcase_add_test(tc, others_before_it_may_hold_the_room);
    tcase_add_test(tc, no_instance);
    tcase_add_test(tc, FTP_7_8_17_unordered);
    tcase_add_test(tc, FTP_7_8_17_a_later_request_overtakes_within_the_target);
    suite_add_tcase(suite, tc);
    return suite;
}
