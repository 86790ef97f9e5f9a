/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define SENT                                                                        \
    "> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",           \
        "> push_data psn=2r rsn=2r len=4", "> push_data psn=3r rsn=3r len=4",       \
        "> pull_request psn=0r rsn=4r len=4", "> pull_request psn=1r rsn=5r len=4", \
        "> pull_request psn=2r rsn=6r len=4"

static struct outcome r3(const struct kind *kind, const char *const *lines)
{
    return judged("R3", kind, lines);
}

/* 40 us of the SUT's clock: IVs that advance with our clock are used as a clock. */
#define PACE                                                      \
    "iv 1000us", "@1000us < back dbase=0r rbase=0r", "iv 3000us", \
        "@3000us < back dbase=0r rbase=0r"

START_TEST(rising_claims_hold)
{
    ck_holds(r3(&clean,
                LINES(SENT, "< back dbase=1r rbase=0r", "< eack dbase=1r rbase=0r drx=0b110",
                      "< eack dbase=1r rbase=0r dack=0b10 drx=0b110",
                      "< eack dbase=3r rbase=0r drx=0b1 req=0b10", "< back dbase=3r rbase=2r")),
             4);
}
END_TEST

START_TEST(FTP_9_1_6_08_ack_with_an_older_base)
{
    struct outcome o =
        r3(&clean, LINES(SENT, "< back dbase=2r rbase=0r", "< back dbase=1r rbase=0r",
                         "< back dbase=1r rbase=0r"));

    ck_breaks(o, "FTP-9.1.6-08", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 2);
    ck_assert_uint_eq(o.findings[0].evidence[0], 9);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "data base 2r"));
}
END_TEST

START_TEST(FTP_9_1_7_02_nack_with_an_older_base)
{
    ck_breaks(r3(&clean, LINES(SENT, "< back dbase=0r rbase=2r",
                               "< nack dbase=0r rbase=1r nack_psn=2r code=2 rnr=10us w=data")),
              "FTP-9.1.7-02", 1);
}
END_TEST

START_TEST(FTP_9_1_6_04_data_packet_with_an_older_base)
{
    ck_breaks(r3(&clean, LINES(SENT, "< back dbase=1r rbase=2r",
                               "< push_data psn=0r rsn=0r len=4 dbase=1r rbase=1r")),
              "FTP-9.1.6-04", 1);
}
END_TEST

START_TEST(FTP_9_2_1_02_05_base_below_the_initial_one)
{
    ck_breaks(r3(&udp, LINES("< back recv_data_base_psn=1999 rbase=0r")), "FTP-9.2.1-05", 1);
    ck_breaks(r3(&lossy, LINES("< back dbase=0r recv_req_base_psn=7")), "FTP-9.2.1-02", 1);
}
END_TEST

START_TEST(FTP_9_2_1_07_request_bit_taken_back)
{
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r req=0b110",
                               "< eack dbase=0r rbase=0r req=0b100")),
              "FTP-9.2.1-07", 1);
}
END_TEST

START_TEST(FTP_9_2_1_08_ack_bit_taken_back)
{
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b100 drx=0b100",
                               "< eack dbase=1r rbase=0r drx=0b10")),
              "FTP-9.2.1-08", 1);
}
END_TEST

START_TEST(FTP_9_2_1_09_rx_bit_taken_back)
{
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110",
                               "< eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-09", 1);
}
END_TEST

/* The base moved past a bit: nothing is missing; a bit moved with the base: nor there. */
START_TEST(bits_move_with_the_base)
{
    ck_holds(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b1010 drx=0b1110",
                              "< eack dbase=2r rbase=0r dack=0b10 drx=0b11",
                              "< eack dbase=4r rbase=0r")),
             2);
}
END_TEST

/* AMB-65: after a NACK with code 1 or 2 the rx bit of that push may go. */
START_TEST(reading_amb_65_rx_bit_after_a_nack)
{
    struct outcome o =
        r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110",
                         "< nack dbase=0r rbase=0r nack_psn=1r code=2 rnr=10us w=data",
                         "< eack dbase=0r rbase=0r drx=0b100"));

    ck_excused(o, FAL_EXCUSE_READING, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_WARN);
}
END_TEST

START_TEST(reading_amb_65_not_for_other_codes_pushes_or_bits)
{
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110",
                               "< nack dbase=0r rbase=0r nack_psn=1r code=6 w=data",
                               "< eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-09", 1);
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110",
                               "< nack dbase=0r rbase=0r nack_psn=2r code=2 rnr=10us w=data",
                               "< eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-09", 1);
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r dack=0b10 drx=0b110",
                               "< nack dbase=0r rbase=0r nack_psn=1r code=2 rnr=10us w=data",
                               "< eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-08", 1);
}
END_TEST

/* The NACK that cleared it may have been lost, or come later; here the IVs give the order. */
START_TEST(excuse_out_loss_the_nack_was_lost)
{
    ck_excused(
        r3(&lossy, LINES(SENT, PACE, "iv 3010us", "@3010us < eack dbase=0r rbase=0r drx=0b110",
                         "iv 3050us", "+40us < eack dbase=0r rbase=0r drx=0b100")),
        FAL_EXCUSE_OUT_LOSS, 1);
    /* not for the data of a pull, which is acknowledged when it is received */
    ck_breaks(r3(&lossy, LINES("> pull_request psn=0r rsn=0r len=4", PACE,
                               "> push_data psn=0r rsn=1r len=4",
                               "> pull_data psn=1r rsn=0r payload_len=4", "iv 3010us",
                               "@3010us < eack dbase=0r rbase=0r drx=0b10", "iv 3050us",
                               "+40us < eack dbase=0r rbase=0r")),
              "FTP-9.2.1-09", 1);
}
END_TEST

START_TEST(excuse_capture_gap_the_nack_went_unseen)
{
    ck_excused(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110", "mark gap_out 1",
                                "< eack dbase=0r rbase=0r drx=0b100")),
               FAL_EXCUSE_CAPTURE_GAP, 1);
    ck_breaks(r3(&clean, LINES(SENT, "mark gap_out 1", "< eack dbase=0r rbase=0r drx=0b110",
                               "mark gap_in 1", "< eack dbase=0r rbase=0r drx=0b100")),
              "FTP-9.2.1-09", 1);
    ck_breaks(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r req=0b110", "mark gap_out 1",
                               "< eack dbase=0r rbase=0r req=0b100")),
              "FTP-9.2.1-07", 1);
}
END_TEST

/* A capture from the middle: the NACK named a push that had not been seen yet. */
START_TEST(excuse_capture_gap_a_start_in_the_middle)
{
    struct kind middle = clean;

    middle.unknown = true;
    ck_excused(
        r3(&middle, LINES("< eack dbase=0r rbase=0r drx=0b10",
                          "< nack dbase=0r rbase=0r nack_psn=1r code=2 rnr=10us w=data",
                          "> push_data psn=1r rsn=1r len=4", "< eack dbase=0r rbase=0r")),
        FAL_EXCUSE_CAPTURE_GAP, 1);
}
END_TEST

START_TEST(excuse_out_reorder_plain_udp)
{
    ck_excused(
        r3(&udp, LINES(SENT, "< back dbase=2r rbase=0r", "+900ms < back dbase=1r rbase=0r")),
        FAL_EXCUSE_OUT_REORDER, 1);
    ck_excused(r3(&udp, LINES(SENT, "< eack dbase=0r rbase=0r req=0b110",
                              "+900ms < eack dbase=0r rbase=0r req=0b100")),
               FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

/* A duplicate of an older packet of ours looks the same: a path that duplicates packets does
 * not keep their order. */
START_TEST(excuse_out_reorder_a_path_that_doubles)
{
    struct kind doubles = clean;

    doubles.run.no_duplicates_out = false;
    doubles.run.delay_max_ns = FAL_NEVER;
    ck_excused(r3(&doubles, LINES(SENT, "< back dbase=1r rbase=0r", "< back dbase=2r rbase=0r",
                                  "< back dbase=1r rbase=0r")),
               FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

/* Within the jitter the order is open, beyond it is not. */
START_TEST(declared_jitter_decides)
{
    ck_excused(
        r3(&jitter, LINES(SENT, "< back dbase=2r rbase=0r", "+10us < back dbase=1r rbase=0r")),
        FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(r3(&jitter,
                 LINES(SENT, "< back dbase=2r rbase=0r", "+10001ns < back dbase=1r rbase=0r")),
              "FTP-9.1.6-08", 1);
}
END_TEST

START_TEST(declared_jitter_pipeline_and_clock_error_add_up)
{
    struct kind late = jitter;

    late.pipeline_ns = 5 * FAL_US;
    late.run.clock_error_ns = FAL_US;
    ck_excused(
        r3(&late, LINES(SENT, "< back dbase=2r rbase=0r", "+17us < back dbase=1r rbase=0r")),
        FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(
        r3(&late, LINES(SENT, "< back dbase=2r rbase=0r", "+17001ns < back dbase=1r rbase=0r")),
        "FTP-9.1.6-08", 1);
    /* across a step of the clock no difference of times means anything */
    ck_excused(r3(&late, LINES(SENT, "< back dbase=2r rbase=0r", "mark clock_step",
                               "+17001ns < back dbase=1r rbase=0r")),
               FAL_EXCUSE_CLOCK, 1);
}
END_TEST

/* Two queues inside the SUT may swap packets within P, even where the path keeps order. */
START_TEST(excuse_pipeline)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(
        r3(&piped, LINES(SENT, "< back dbase=2r rbase=0r", "+5us < back dbase=1r rbase=0r")),
        FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(
        r3(&piped, LINES(SENT, "< back dbase=2r rbase=0r", "+5001ns < back dbase=1r rbase=0r")),
        "FTP-9.1.6-08", 1);
}
END_TEST

START_TEST(at_the_port_of_the_sut_order_is_seen)
{
    struct kind port = {
        .run = {.live = true, .vantage = FAL_VANTAGE_SUT, .delay_max_ns = FAL_NEVER}};

    ck_breaks(r3(&port, LINES(SENT, "< back dbase=2r rbase=0r", "< back dbase=1r rbase=0r")),
              "FTP-9.1.6-08", 1);
}
END_TEST

/* Without clocks and bounds: what acknowledges a packet that was sent after another was seen is
 * younger than it. */
START_TEST(a_witness_orders_on_any_path)
{
    ck_breaks(
        r3(&udp, LINES(SENT, "< back dbase=2r rbase=0r", "> push_data psn=4r rsn=7r len=4",
                       "< eack dbase=1r rbase=0r drx=0b1000")),
        "FTP-9.1.6-08", 1);
    /* one of the other window must be younger by the pipeline allowance, 100 us */
    ck_excused(r3(&udp, LINES(SENT, "< eack dbase=0r rbase=0r req=0b100",
                              "+100us > push_data psn=4r rsn=7r len=4",
                              "< eack dbase=0r rbase=0r drx=0b10000")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(r3(&udp, LINES(SENT, "< eack dbase=0r rbase=0r req=0b100",
                             "+100001ns > push_data psn=4r rsn=7r len=4",
                             "< eack dbase=0r rbase=0r drx=0b10000")),
              "FTP-9.2.1-07", 1);
    /* the packet was sent before: it proves nothing */
    ck_excused(
        r3(&udp, LINES(SENT, "> pull_request psn=3r rsn=7r len=4", "< back dbase=2r rbase=0r",
                       "< eack dbase=1r rbase=0r req=0b1000")),
        FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

/* Hard case 6: base 0xFFFFFFFE and bits 0..3. */
START_TEST(hard_case_6_wrap)
{
    struct fal_connection c = script_connection(&clean);

    c.tester.data_psn = c.tester.req_psn = 0xfffffffe;
    ck_holds(script_run("R3", &clean, &c,
                        LINES(SENT, "< eack dbase=0r rbase=0r drx=0b1110 req=0b110",
                              "< eack dbase=1r rbase=1r drx=0b111 req=0b11",
                              "< eack dbase=3r rbase=3r drx=0b1", "< back dbase=4r rbase=3r")),
             3);
    ck_breaks(script_run("R3", &clean, &c,
                         LINES(SENT, "< back dbase=3r rbase=3r", "< back dbase=1r rbase=3r")),
              "FTP-9.1.6-08", 1);
    ck_breaks(script_run("R3", &clean, &c,
                         LINES(SENT, "< eack dbase=1r rbase=1r drx=0b110",
                               "< eack dbase=2r rbase=1r drx=0b1")),
              "FTP-9.2.1-09", 1);
}
END_TEST

/* Hard case 8: EACK base 14 comes, then BACK base 12. */
START_TEST(hard_case_8_reordered_acks)
{
    struct kind p5 = udp;

    p5.pipeline_ns = 5 * FAL_US;
    /* the BACK is 3 us older: the order is restored */
    ck_holds(r3(&p5, LINES(SENT, PACE, "iv 4003us", "@4003us < eack dbase=3r rbase=0r",
                           "iv 4000us", "+1us < back dbase=2r rbase=0r")),
             3);
    /* it is 40 us younger */
    ck_breaks(r3(&p5, LINES(SENT, PACE, "iv 4000us", "@4000us < eack dbase=3r rbase=0r",
                            "iv 4040us", "+40us < back dbase=2r rbase=0r")),
              "FTP-9.1.6-08", 1);
    /* no IV, no bound */
    ck_excused(r3(&p5, LINES(SENT, "@4000us < eack dbase=3r rbase=0r",
                             "+40us < back dbase=2r rbase=0r")),
               FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

/* An IV that does not advance with time is not a clock (it may be a counter or use another
 * unit). The rule then does not fail. */
START_TEST(an_iv_that_is_no_clock_is_not_believed)
{
    ck_excused(r3(&udp, LINES(SENT, "iv 1us", "@1000us < back dbase=0r rbase=0r", "iv 2us",
                              "@3000us < back dbase=0r rbase=0r", "iv 400us",
                              "@4000us < back dbase=3r rbase=0r", "iv 600us",
                              "@4001us < back dbase=2r rbase=0r")),
               FAL_EXCUSE_OUT_REORDER, 1);
}
END_TEST

/* The first copy that was seen may be a retransmission of one that was not: it is no witness.
 */
START_TEST(a_witness_must_be_the_first_copy)
{
    ck_excused(r3(&udp, LINES("mark gap_in", "< back dbase=2r rbase=0r",
                              "> push_data psn=3r rsn=3r len=4",
                              "< eack dbase=1r rbase=0r drx=0b100")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(r3(&udp, LINES("< back dbase=0r rbase=0r", "> push_data psn=0r rsn=0r len=4",
                             "> push_data psn=1r rsn=1r len=4", "< back dbase=2r rbase=0r",
                             "> push_data psn=3r rsn=3r len=4",
                             "< eack dbase=1r rbase=0r drx=0b100")),
              "FTP-9.1.6-08", 1);
}
END_TEST

/* A clock that stops advancing with ours is no longer used. */
START_TEST(a_clock_that_fails_is_not_believed)
{
    ck_excused(r3(&udp, LINES(SENT, PACE, "iv 3001us", "@9000us < back dbase=3r rbase=0r",
                              "iv 3900us", "@9001us < back dbase=2r rbase=0r")),
               FAL_EXCUSE_OUT_REORDER, 1);
    ck_breaks(r3(&udp, LINES(SENT, PACE, "iv 9000us", "@9000us < back dbase=3r rbase=0r",
                             "iv 9900us", "@9001us < back dbase=2r rbase=0r")),
              "FTP-9.1.6-08", 1);
}
END_TEST

START_TEST(by_its_clock_the_pipeline_counts_too)
{
    ck_holds(r3(&udp, LINES(SENT, PACE, "iv 9000us", "@9000us < back dbase=3r rbase=0r",
                            "iv 9100us", "+1us < back dbase=2r rbase=0r")),
             3); /* P is 100 us: they may have been swapped */
}
END_TEST

/* An ack bit stands for its rx bit too. */
START_TEST(an_ack_bit_without_its_rx_bit_takes_nothing_back)
{
    ck_holds(r3(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b110",
                              "< eack dbase=0r rbase=0r dack=0b10 drx=0b100")),
             1);
}
END_TEST

/* What the older snapshot had set lies beyond what the newer one can show. */
START_TEST(a_bitmap_shows_no_more_than_its_window)
{
    struct outcome o = r3(&clean, LINES(SENT, "< eack dbase=0r rbase=2r req=0x8000000000000000",
                                        "< eack dbase=0r rbase=1r"));

    ck_breaks(o, "FTP-9.1.6-08", 1);
}
END_TEST

START_TEST(our_own_side)
{
    struct outcome o = r3(&udp, LINES("< push_data psn=0r rsn=0r len=4",
                                      "> back dbase=1r rbase=0r", "> back dbase=0r rbase=0r"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR); /* at our own port order is seen */
    /* a step lied about the base; that our endpoint then told the truth is the step's doing too
     */
    ck_asked(r3(&udp, LINES("< push_data psn=0r rsn=0r len=4", "step > back dbase=1r rbase=0r",
                            "> back dbase=0r rbase=0r")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R3");
    TCase *tc = tcase_create("R3");

    tcase_add_test(tc, rising_claims_hold);
    tcase_add_test(tc, FTP_9_1_6_08_ack_with_an_older_base);
    tcase_add_test(tc, FTP_9_1_7_02_nack_with_an_older_base);
    tcase_add_test(tc, FTP_9_1_6_04_data_packet_with_an_older_base);
    tcase_add_test(tc, FTP_9_2_1_02_05_base_below_the_initial_one);
    tcase_add_test(tc, FTP_9_2_1_07_request_bit_taken_back);
    tcase_add_test(tc, FTP_9_2_1_08_ack_bit_taken_back);
    tcase_add_test(tc, FTP_9_2_1_09_rx_bit_taken_back);
    tcase_add_test(tc, bits_move_with_the_base);
    tcase_add_test(tc, reading_amb_65_rx_bit_after_a_nack);
    tcase_add_test(tc, reading_amb_65_not_for_other_codes_pushes_or_bits);
    tcase_add_test(tc, excuse_out_loss_the_nack_was_lost);
    tcase_add_test(tc, excuse_capture_gap_the_nack_went_unseen);
    tcase_add_test(tc, excuse_capture_gap_a_start_in_the_middle);
    tcase_add_test(tc, excuse_out_reorder_plain_udp);
    tcase_add_test(tc, excuse_out_reorder_a_path_that_doubles);
    tcase_add_test(tc, declared_jitter_decides);
    tcase_add_test(tc, declared_jitter_pipeline_and_clock_error_add_up);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, at_the_port_of_the_sut_order_is_seen);
    tcase_add_test(tc, a_witness_orders_on_any_path);
    tcase_add_test(tc, hard_case_6_wrap);
    tcase_add_test(tc, hard_case_8_reordered_acks);
    tcase_add_test(tc, an_iv_that_is_no_clock_is_not_believed);
    tcase_add_test(tc, a_witness_must_be_the_first_copy);
    tcase_add_test(tc, a_clock_that_fails_is_not_believed);
    tcase_add_test(tc, by_its_clock_the_pipeline_counts_too);
    tcase_add_test(tc, an_ack_bit_without_its_rx_bit_takes_nothing_back);
    tcase_add_test(tc, a_bitmap_shows_no_more_than_its_window);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
