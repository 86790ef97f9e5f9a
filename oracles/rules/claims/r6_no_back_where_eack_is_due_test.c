/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r6(const struct kind *kind, const char *const *lines)
{
    return judged("R6", kind, lines);
}

#define SENT                                                                     \
    "> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",        \
        "> push_data psn=2r rsn=2r len=4", "> pull_request psn=0r rsn=4r len=4", \
        "> pull_request psn=1r rsn=5r len=4", "> pull_request psn=2r rsn=6r len=4"
/* data PSN 1 is never sent */
#define HOLE "> push_data psn=0r rsn=0r len=4", "> push_data psn=2r rsn=2r len=4"

START_TEST(eacks_where_due_and_backs_elsewhere_hold)
{
    ck_holds(r6(&clean, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10",
                              "< eack dbase=0r rbase=0r req=0b10 dack=0b10 drx=0b11",
                              "< back dbase=2r rbase=2r")),
             3);
    /* an EACK where a BACK would do, and consecutive pushes that wait (AMB-20) */
    ck_holds(r6(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11",
                              "< back dbase=0r rbase=0r", "< eack dbase=0r rbase=0r")),
             0);
    ck_holds(r6(&clean, LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10",
                              "> push_data psn=1r rsn=1r len=4", "< back dbase=1r rbase=0r")),
             2);
}
END_TEST

START_TEST(FTP_9_1_6_11_back_with_request_bits)
{
    struct outcome o = r6(
        &clean, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10", "< back dbase=0r rbase=0r"));

    ck_breaks(o, "FTP-9.1.6-11", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 2);
    ck_assert_uint_eq(o.findings[0].evidence[0], 8);
    ck_assert_uint_eq(o.findings[0].evidence[1], 9);
}
END_TEST

START_TEST(FTP_9_1_6_12_back_with_data_ack_bits)
{
    ck_breaks(r6(&clean, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b100 drx=0b110",
                               "< back dbase=1r rbase=0r")),
              "FTP-9.1.6-12", 1);
    /* at its base too, which should have moved */
    ck_breaks(r6(&clean, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b10 drx=0b11",
                               "< back dbase=1r rbase=0r")),
              "FTP-9.1.6-12", 1);
}
END_TEST

START_TEST(FTP_9_1_6_13_back_with_a_hole)
{
    ck_breaks(r6(&clean,
                 LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10", "< back dbase=1r rbase=0r")),
              "FTP-9.1.6-13", 1);
    /* a Resync fills it as well */
    ck_holds(r6(&clean, LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10",
                              "> resync psn=1r rsn=1r code=cie of=push_data",
                              "< back dbase=1r rbase=0r")),
             2);
}
END_TEST

START_TEST(reading_amb_65_the_number_above_the_hole_was_refused)
{
    ck_excused(r6(&clean, LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10",
                                "< nack dbase=1r rbase=0r nack_psn=2r code=2 rnr=10us w=data",
                                "< back dbase=1r rbase=0r")),
               FAL_EXCUSE_READING, 1);
}
END_TEST

START_TEST(excuse_out_reorder)
{
    ck_excused(r6(&jitter, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10",
                                 "+10us < back dbase=0r rbase=0r")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(r6(&jitter, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10",
                                "+10001ns < back dbase=0r rbase=0r")),
              "FTP-9.1.6-11", 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(r6(&piped, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10",
                                "+5us < back dbase=0r rbase=0r")),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(r6(&piped, LINES(SENT, "< eack dbase=0r rbase=0r req=0b10",
                               "+5001ns < back dbase=0r rbase=0r")),
              "FTP-9.1.6-11", 1);
}
END_TEST

START_TEST(excuse_out_loss_and_capture_gap_of_a_nack)
{
    struct kind loses = clean;

    loses.run.lossless_out = false;
    ck_excused(r6(&loses,
                  LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10", "< back dbase=1r rbase=0r")),
               FAL_EXCUSE_OUT_LOSS, 1);
    ck_excused(r6(&clean, LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10", "mark gap_out 1",
                                "< back dbase=1r rbase=0r")),
               FAL_EXCUSE_CAPTURE_GAP, 1);
    /* not for what is acknowledged */
    ck_breaks(r6(&loses, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b10 drx=0b10",
                               "< back dbase=0r rbase=0r")),
              "FTP-9.1.6-12", 1);
}
END_TEST

/* A copy of the hole may have gone unseen. */
START_TEST(a_hole_that_may_have_been_filled_is_none)
{
    ck_holds(r6(&clean, LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10", "mark gap_in 1",
                              "< back dbase=1r rbase=0r")),
             2);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.req_psn = c.tester.data_psn = 0xffffffff;
    ck_breaks(script_run(
                  "R6", &clean, &c,
                  LINES(SENT, "< eack dbase=0r rbase=0r req=0b10", "< back dbase=0r rbase=0r")),
              "FTP-9.1.6-11", 1);
    ck_breaks(script_run(
                  "R6", &clean, &c,
                  LINES(HOLE, "< eack dbase=1r rbase=0r drx=0b10", "< back dbase=1r rbase=0r")),
              "FTP-9.1.6-13", 1);
    ck_holds(script_run(
                 "R6", &clean, &c,
                 LINES(SENT, "< eack dbase=0r rbase=0r req=0b10", "< back dbase=0r rbase=2r")),
             2);
}
END_TEST

START_TEST(our_own_side)
{
    ck_asked(
        r6(&clean,
           LINES("< pull_request psn=0r rsn=0r len=4", "< pull_request psn=1r rsn=1r len=4",
                 "> eack dbase=0r rbase=0r req=0b10", "step > back dbase=0r rbase=0r")));
}
END_TEST

START_TEST(FTP_9_1_6_17_every_received_bit_with_rack)
{
    struct fal_connection c = script_connection(&clean);
    const char *const *lines =
        LINES("> push_data psn=0r rsn=0r len=4", "< eack dbase=0r rbase=0r drx=0b1",
              "< back dbase=0r rbase=0r");

    ck_holds(script_run("R6", &clean, &c, lines), 0);
    c.params.rack_tlp = true;
    ck_breaks(script_run("R6", &clean, &c, lines), "FTP-9.1.6-17", 1);
    ck_holds(script_run("R6", &clean, &c,
                        LINES("> push_data psn=0r rsn=0r len=4",
                              "< eack dbase=0r rbase=0r drx=0b1", "< back dbase=1r rbase=0r")),
             2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R6");
    TCase *tc = tcase_create("R6");

    tcase_add_test(tc, eacks_where_due_and_backs_elsewhere_hold);
    tcase_add_test(tc, FTP_9_1_6_11_back_with_request_bits);
    tcase_add_test(tc, FTP_9_1_6_12_back_with_data_ack_bits);
    tcase_add_test(tc, FTP_9_1_6_13_back_with_a_hole);
    tcase_add_test(tc, reading_amb_65_the_number_above_the_hole_was_refused);
    tcase_add_test(tc, excuse_out_reorder);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, excuse_out_loss_and_capture_gap_of_a_nack);
    tcase_add_test(tc, a_hole_that_may_have_been_filled_is_none);
    tcase_add_test(tc, wrap_around);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, FTP_9_1_6_17_every_received_bit_with_rack);
    suite_add_tcase(suite, tc);
    return suite;
}
