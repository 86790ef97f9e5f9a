/* SPDX-License-Identifier: Apache-2.0
 * q8_rue_follows_swift_test.c - vectors of the band (10.3): a rise, a fall and a
 * retransmission, calculated by hand. */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON "cc_trace on"
#define CONFIG_WITHOUT_LIMIT                                                             \
    "cc_config {\"params\": {\"max_fcwnd\": 256, \"min_fcwnd\": 0.01, "                  \
    "\"fabric_additive_increment\": 1, \"fabric_multiplicative_decrease_factor\": 0.8, " \
    "\"max_fabric_multiplicative_decrease_factor\": 0.5, \"max_ncwnd\": 256, "           \
    "\"min_ncwnd\": 1, \"nic_additive_increment\": 1, "                                  \
    "\"nic_multiplicative_decrease_factor\": 0.8, "                                      \
    "\"max_nic_multiplicative_decrease_factor\": 0.5, \"target_rx_buffer_level\": 15, "  \
    "\"plb_target_delay_multiplier\": 1.01, \"plb_congestion_threshold\": 0.5, "         \
    "\"plb_attempt_threshold\": 5, \"rtt_smoothing_alpha\": 0.75, "                      \
    "\"delay_smoothing_alpha\": 0, \"topology_scaling_per_hop\": 8, "                    \
    "\"retransmit_timeout_scalar\": 2, \"min_retransmission_timeout\": 1907, "           \
    "\"min_flow_scaling_window\": 0.1, \"max_flow_scaling_window\": 256, "               \
    "\"max_flow_scaling\": 763"
#define CONFIG CONFIG_WITHOUT_LIMIT ", \"retransmit_limit\": 3}}"

/* rtt 400 of which 0 in the peer, window 32, 4 packets, 3 hops: T is 243.13 and fcwnd falls to
 * 22487/1024. The level 15 leaves ncwnd; its marker becomes now - rtt. */
#define EVENT                                                                                 \
    "entry event now=100000 event_type=0 t1=99600 t4=100000 forward_hops=3 fcwnd_integer=32 " \
    "num_packets_acked=4 fabric_window_time_marker=99500 nic_window_time_marker=99990 "       \
    "rtt_state=400 delay_state=400 rx_buffer_level=15"
#define RESULT                                                                   \
    "entry result now=100000 fcwnd_integer=21 fcwnd_fraction=983 rtt_state=400 " \
    "delay_state=400 nic_window_time_marker=99990 fabric_window_time_marker="

static struct outcome q8(const char *const *lines)
{
    return queue_run("Q8", &clean, lines);
}

START_TEST(a_result_of_swift)
{
    ck_holds(q8(LINES(ON, CONFIG, EVENT, RESULT "100000")), 1);
}
END_TEST

START_TEST(FTP_10_3_1_08_a_result_that_no_reading_allows)
{
    ck_breaks(q8(LINES(ON, CONFIG, EVENT, RESULT "99500")), "FTP-10.3.1-08", 1);
    ck_breaks(q8(LINES(ON, CONFIG, EVENT,
                       "entry result now=100000 fcwnd_integer=32 rtt_state=400 delay_state=400 "
                       "nic_window_time_marker=99990 fabric_window_time_marker=99600")),
              "FTP-10.3.1-06", 1);
}
END_TEST

/* open gave it a window that the RUE would not give; then its counters are unknown. */
START_TEST(a_window_beyond_the_parameters)
{
    struct outcome o =
        q8(LINES(ON, CONFIG, "entry event event_type=2 now=7 fcwnd_integer=1000 rtt_state=9",
                 "entry result now=7 fcwnd_integer=256 rtt_state=9", EVENT, RESULT "100000"));

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    ck_assert_uint_eq(o.sut.holds, 1);
}
END_TEST

START_TEST(what_is_not_judged)
{
    struct fal_connection c = queue_connection(&clean);

    /* a parameter is missing, the trace is off, the tester is the RUE, a command was refused */
    ck_holds(q8(LINES(ON, CONFIG_WITHOUT_LIMIT "}}", EVENT, RESULT "9")), 0);
    ck_holds(q8(LINES(CONFIG, EVENT, RESULT "9")), 0);
    ck_holds(q8(LINES("cc_engine tester", CONFIG, EVENT, RESULT "9")), 0);
    ck_holds(q8(LINES(ON, CONFIG, "cc_config {} failed", EVENT, RESULT "9")), 0);
    ck_holds(q8(LINES(ON, CONFIG, "dropped", EVENT, RESULT "9")), 0);
    /* an engine that is not Swift */
    c.rue.swift = false;
    ck_holds(script_run("Q8", &clean, &c, LINES(ON, CONFIG, EVENT, RESULT "9")), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q8");
    TCase *tc = tcase_create("rule Q8");

    tcase_add_test(tc, a_result_of_swift);
    tcase_add_test(tc, FTP_10_3_1_08_a_result_that_no_reading_allows);
    tcase_add_test(tc, a_window_beyond_the_parameters);
    tcase_add_test(tc, what_is_not_judged);
    suite_add_tcase(suite, tc);
    return suite;
}
