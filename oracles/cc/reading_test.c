/* SPDX-License-Identifier: Apache-2.0
 * reading_test.c - the names of readings, and readings worked out by hand.
 * harness/cc/cc_judge_test.c shows that a judge by another hand allows each. */
#include "oracles/cc/feed_test.h"

#include <string.h>

static struct fal_swift reader(enum fal_cc_reading reading)
{
    struct fal_swift swift = feed_swift();

    fal_swift_read(&swift, 1U << reading);
    return swift;
}

START_TEST(names_are_read_and_slips_told)
{
    size_t n;
    const struct fal_cc_reading_row *rows = fal_cc_readings(&n);
    fal_cc_reading_set set = 0;
    struct fal_error err = {{0}};

    for (size_t i = 0; i < n; i++) {
        set = 0;
        ck_assert_int_eq(fal_cc_readings_read(&set, rows[i].name, strlen(rows[i].name), &err),
                         0);
        ck_assert_uint_eq(set, 1U << i);
        ck_assert(strncmp(rows[i].of, "AMB-", 4) == 0 || strncmp(rows[i].of, "FTP-", 4) == 0);
        ck_assert_int_eq(rows[i].doc[strlen(rows[i].doc) - 1], '.');
    }
    set = 0;
    ck_assert_int_eq(fal_cc_readings_read(&set, "swift-isekai,gap-grows", 22, &err), 0);
    ck_assert_uint_eq(set, FAL_CC_ISEKAI | 1U << FAL_CC_READING_GAP_GROWS);
    ck_assert_int_eq(fal_cc_readings_read(&set, "gap-grows,", 10, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "no reading '' (talon help swift lists them)");
}
END_TEST

START_TEST(AMB_35_68_averages)
{
    struct fal_swift of_sample = reader(FAL_CC_READING_ALPHA_OF_SAMPLE),
                     first = reader(FAL_CC_READING_FIRST_SAMPLE);
    struct fal_cc_state state = {0};
    struct fal_cc_event event = feed_ack(FEED_NOW, 400, 0);

    event.rtt_state = 200; /* alpha 0.75 */
    ck_assert_uint_eq(feed(&of_sample, &state, FEED_NOW, &event).rtt_state, 350);
    ck_assert_uint_eq(feed(&first, &state, FEED_NOW, &event).rtt_state, 250);
    event.rtt_state = 0;
    ck_assert_uint_eq(feed(&first, &state, FEED_NOW, &event).rtt_state, 400);
}
END_TEST

START_TEST(AMB_37_66_gaps)
{
    static const struct {
        fal_cc_reading_set readings;
        uint32_t gap;
    } rows[] = {{0, 800},
                {1U << FAL_CC_READING_GAP_LESS_RTT, 400},
                {1U << FAL_CC_READING_GAP_GROWS, 200},
                {1U << FAL_CC_READING_GAP_WHEEL, 205},
                {FAL_CC_ISEKAI, 102}};
    struct fal_cc_event event = feed_ack(FEED_NOW, 400, 0);
    struct fal_cc_state state = {0};

    /* The delay is above the target; the guard keeps the window. */
    feed_fcwnd(&event, 0.5);
    event.delay_state = 4000;
    event.t3 = event.t2;
    event.base_delay_target = 1;
    event.inter_packet_gap = 100;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_swift swift = feed_swift();
        struct fal_cc_result result;

        swift.params.max_flow_scaling = 0;
        fal_swift_read(&swift, rows[i].readings);
        result = feed(&swift, &state, FEED_NOW, &event);
        ck_assert_uint_eq(feed_units(&result), 512);
        ck_assert_uint_eq(result.inter_packet_gap, rows[i].gap);
    }
}
END_TEST

/* The event states 1 each time; the engine counts to the limit of 3. */
START_TEST(AMB_39_78_retransmissions)
{
    struct fal_swift counts = reader(FAL_CC_READING_COUNTS_REPEATS),
                     waits = reader(FAL_CC_READING_LIMIT_WAITS);
    struct fal_cc_state state = {0};
    struct fal_cc_event event = feed_ack(FEED_NOW, 400, 0);
    struct fal_cc_event ack = event;
    struct fal_cc_result result;

    event.event_type = FAL_CC_RETRANSMIT;
    event.retransmit_count = 1;
    event.fabric_window_time_marker = fal_cc_since(FEED_NOW, 500);
    for (unsigned i = 1; i <= 3; i++) {
        result = feed(&counts, &state, FEED_NOW, &event);
        ck_assert_uint_eq(feed_units(&result), i == 1 ? 16 * 1024 : i == 2 ? 32 * 1024 : 10);
    }
    (void)feed(&counts, &state, FEED_NOW, &ack);
    result = feed(&counts, &state, FEED_NOW, &event);
    ck_assert_uint_eq(feed_units(&result), 16 * 1024);
    event.retransmit_count = 3;
    result = feed(&waits, &state, FEED_NOW, &event);
    ck_assert_uint_eq(feed_units(&result), 10);
    event.fabric_window_time_marker = fal_cc_since(FEED_NOW, 399);
    result = feed(&waits, &state, FEED_NOW, &event);
    ck_assert_uint_eq(feed_units(&result), 32 * 1024);
}
END_TEST

START_TEST(FTP_10_3_1_03_an_engine_that_counts_rises_once_in_a_window)
{
    struct fal_swift counts = reader(FAL_CC_READING_COUNTS);
    struct fal_cc_state state = {0};
    struct fal_cc_event event = feed_ack(FEED_NOW, 150, 0);
    struct fal_cc_result result;

    event.num_packets_acked = 16;
    for (unsigned i = 0; i < 3; i++) {
        result = feed(&counts, &state, FEED_NOW, &event);
        ck_assert_uint_eq(result.fcwnd_integer, i < 2 ? 32 : 33);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("readings of the model");
    TCase *tc = tcase_create("readings");

    tcase_add_test(tc, names_are_read_and_slips_told);
    tcase_add_test(tc, AMB_35_68_averages);
    tcase_add_test(tc, AMB_37_66_gaps);
    tcase_add_test(tc, AMB_39_78_retransmissions);
    tcase_add_test(tc, FTP_10_3_1_03_an_engine_that_counts_rises_once_in_a_window);
    suite_add_tcase(suite, tc);
    return suite;
}
