/* SPDX-License-Identifier: Apache-2.0
 * swift_test.c - Swift: vectors that were calculated by hand from 10.3. */
#include "oracles/cc/feed_test.h"

/* ---- fcwnd on an ACK ---- */

struct fabric_row {
    const char *name;
    double fcwnd;
    uint32_t rtt, held;
    uint16_t acked;
    uint8_t hops;
    uint32_t age, now; /* of the marker; of the event */
    double target;
    uint32_t units, marker_age;
};

static const struct fabric_row fabric_rows[] = {
    {"G1", 32, 150, 10, 4, 3, 500, FEED_NOW, 243.13, 32896, 150},
    {"G2", 0.5, 400, 0, 1, 3, 10, FEED_NOW, 547.72, 1536, 10},
    {"G3", 32, 400, 0, 4, 3, 500, FEED_NOW, 243.13, 22487, 0},
    {"G4", 32, 400, 0, 4, 3, 399, FEED_NOW, 243.13, 32768, 399},
    {"G5", 32, 4000, 0, 1, 3, 5000, FEED_NOW, 243.13, 16384, 0},
    {"G6", 255.9, 150, 0, 40, 0, 10, FEED_NOW, 191.00, 262144, 10},
    {"G7", 0.012, 4000, 0, 1, 0, 5000, FEED_NOW, 954.00, 10, 0},
    {"G8", 1, 150, 0, 1, 0, 10, FEED_NOW, 421.76, 2048, 10},
    {"rounded", 3, 150, 10, 2, 0, 10, FEED_NOW, 317.73, 3755, 10}, /* 3754.67 */
    {"G9", 4, 300, 0, 1, 5, 500, 50, 338.69, 4352, 300},
};

START_TEST(FTP_10_3_1_01_to_09_FTP_10_3_4_03_04_FTP_10_3_6_01_02_vectors_of_fcwnd)
{
    const struct fabric_row *row = &fabric_rows[_i];
    struct fal_swift swift = feed_swift();
    struct fal_cc_event e = feed_ack(row->now, row->rtt, row->held);
    struct fal_cc_state state = {0};
    struct fal_cc_result r;
    double target;

    feed_fcwnd(&e, row->fcwnd);
    e.num_packets_acked = row->acked;
    e.forward_hops = row->hops;
    e.fabric_window_time_marker = fal_cc_since(row->now, row->age);
    r = feed(&swift, &state, row->now, &e);
    target =
        fal_swift_target(&swift, 191, e.fcwnd_integer + e.fcwnd_fraction / 1024.0, row->hops);
    ck_assert_msg(target > row->target - 0.006 && target < row->target + 0.006, "%s: %f",
                  row->name, target);
    ck_assert_msg(feed_units(&r) == row->units, "%s: fcwnd %u/1024, expected %u", row->name,
                  feed_units(&r), row->units);
    ck_assert_msg(r.fabric_window_time_marker == fal_cc_since(row->now, row->marker_age),
                  "%s: marker %u", row->name, r.fabric_window_time_marker);
    ck_assert_uint_eq(r.retransmit_timeout, FAL_CC_START_RTO); /* AMB-67 */
}
END_TEST

/* The figure of 10.3.6 counts mod 100 with a round trip of 30. Here a unit of it is 2^24 / 100
 * ticks. A marker that stood still would be taken for 5 units old at the last event. */
START_TEST(FTP_10_3_6_04_05_08_09_the_figure_of_the_moving_marker)
{
    enum { UNIT = 167772 };
    static const struct {
        uint32_t at, held, marker;
    } rows[] = {{5, 0, 5}, {40, 30 * UNIT - 100, 10}, {70, 30 * UNIT - 100, 40}, {110, 0, 110}};
    struct fal_swift swift = feed_swift();
    struct fal_cc_state state = {0};
    uint32_t marker = (5 - 40 + 100) * UNIT; /* long before */

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t now = rows[i].at * UNIT & FAL_CC_TIME_MAX;
        struct fal_cc_event e = feed_ack(now, 30 * UNIT, rows[i].held);
        struct fal_cc_result r;

        e.fabric_window_time_marker = marker;
        r = feed(&swift, &state, now, &e);
        marker = r.fabric_window_time_marker;
        ck_assert_uint_eq(marker, rows[i].marker * UNIT & FAL_CC_TIME_MAX);
        ck_assert_int_eq(feed_units(&r) < 32 * 1024, rows[i].held == 0);
    }
}
END_TEST

/* ---- the target ---- */

START_TEST(FTP_10_3_4_01_to_05_the_target_falls_with_the_window)
{
    static const struct {
        double fcwnd, target;
    } rows[] = {{0.1, 954.0}, {0.5, 523.7}, {1, 421.8},  {4, 298.7},
                {16, 237.2},  {64, 206.4},  {256, 191.0}};
    struct fal_swift swift = feed_swift();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned hops = 0; hops < 16; hops++) {
            double target = fal_swift_target(&swift, 191, rows[i].fcwnd, hops);

            ck_assert_msg(target > rows[i].target + 8 * hops - 0.051 &&
                              target < rows[i].target + 8 * hops + 0.051,
                          "fcwnd %f: %f", rows[i].fcwnd, target);
        }
    ck_assert(fal_swift_target(&swift, 191, 0, 0) == 954);
    ck_assert(fal_swift_target(&swift, 191, 0.01, 0) == 954);
    ck_assert(fal_swift_target(&swift, 191, 2047, 0) == 191);
}
END_TEST

START_TEST(FTP_10_3_4_01_02_the_constants_of_flow_scaling)
{
    struct fal_swift swift = feed_swift();

    ck_assert(swift.scaling_alpha > 246.1465 && swift.scaling_alpha < 246.1475);
    ck_assert(swift.scaling_beta > -15.3845 && swift.scaling_beta < -15.3835);
}
END_TEST

/* ---- ncwnd ---- */

struct nic_row {
    const char *name;
    uint8_t level, code, direction; /* code of the NACK; 0: an ACK */
    uint32_t age;
    uint16_t ncwnd;
    int to; /* direction; -1: not judged (AMB-80) */
    uint32_t marker_age;
};

static const struct nic_row nic_rows[] = {
    {"N1", 10, 0, FAL_CC_DECREASE, 1, 65, FAL_CC_INCREASE, 0},
    {"N2", 20, 0, FAL_CC_DECREASE, 400, 48, FAL_CC_DECREASE, 0},
    {"N3", 31, 0, FAL_CC_INCREASE, 400, 32, FAL_CC_DECREASE, 0},
    {"N4", 15, 0, FAL_CC_INCREASE, 401, 64, -1, 400},
    {"N5", 20, 0, FAL_CC_INCREASE, 399, 64, FAL_CC_INCREASE, 399},
    {"N6", 10, 1, FAL_CC_INCREASE, 1, 32, FAL_CC_DECREASE, 0},
    /* No second rise within a round trip; a second NACK does not reduce again (AMB-40). */
    {"second rise", 10, 0, FAL_CC_INCREASE, 399, 64, FAL_CC_INCREASE, 399},
    {"rise again", 10, 0, FAL_CC_INCREASE, 400, 65, FAL_CC_INCREASE, 0},
    {"second NACK", 10, 1, FAL_CC_DECREASE, 399, 64, FAL_CC_DECREASE, 399},
    {"late NACK", 10, 1, FAL_CC_DECREASE, 400, 32, FAL_CC_DECREASE, 0},
    {"other NACK", 10, 2, FAL_CC_DECREASE, 1, 65, FAL_CC_INCREASE, 0},
};

START_TEST(FTP_10_3_1_10_to_15_FTP_10_3_3_01_to_03_FTP_10_3_6_03_06_07_vectors_of_ncwnd)
{
    const struct nic_row *row = &nic_rows[_i];
    struct fal_swift swift = feed_swift();
    struct fal_cc_event e = feed_ack(FEED_NOW, 400, 0);
    struct fal_cc_state state = {0};
    struct fal_cc_result r;

    e.event_type = row->code != 0 ? FAL_CC_NACK : FAL_CC_ACK;
    e.nack_code = row->code;
    e.rx_buffer_level = row->level;
    e.ncwnd_direction = row->direction;
    e.nic_window_time_marker = FEED_NOW - row->age;
    r = feed(&swift, &state, FEED_NOW, &e);
    ck_assert_msg(r.ncwnd == row->ncwnd, "%s: ncwnd %u", row->name, r.ncwnd);
    ck_assert_msg(row->to < 0 || r.ncwnd_direction == row->to, "%s: direction", row->name);
    ck_assert_msg(r.nic_window_time_marker == FEED_NOW - row->marker_age, "%s: marker",
                  row->name);
}
END_TEST

START_TEST(FTP_10_3_1_13_15_ncwnd_at_its_limits_moves_the_marker)
{
    static const struct {
        uint16_t ncwnd, to;
        uint8_t level;
    } rows[] = {{256, 256, 10}, {1, 1, 31}, {2, 1, 31}, {1, 1, 15}};
    struct fal_swift swift = feed_swift();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_cc_event e = feed_ack(FEED_NOW, 400, 0);
        struct fal_cc_state state = {0};
        struct fal_cc_result r;

        e.ncwnd = rows[i].ncwnd;
        e.rx_buffer_level = rows[i].level;
        e.nic_window_time_marker = FEED_NOW - 5000;
        r = feed(&swift, &state, FEED_NOW, &e);
        ck_assert_uint_eq(r.ncwnd, rows[i].to);
        ck_assert_uint_eq(r.nic_window_time_marker, FEED_NOW);
    }
}
END_TEST

START_TEST(a_target_level_of_0_never_divides_by_a_level_of_0)
{
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_cc_event e = feed_ack(FEED_NOW, 400, 0);
    struct fal_cc_state state = {0};
    struct fal_cc_result r;

    fal_swift_params_default(&params);
    params.target_rx_buffer_level = 0;
    ck_assert_int_eq(fal_swift_init(&swift, &params, false, NULL), 0);
    e.nic_window_time_marker = FEED_NOW - 400;
    r = feed(&swift, &state, FEED_NOW, &e);
    ck_assert_uint_eq(r.ncwnd, 64);
}
END_TEST

/* ---- retransmissions ---- */

static struct fal_cc_event retransmission(uint8_t count, uint32_t age, uint32_t rtt_state)
{
    struct fal_cc_event e = feed_ack(FEED_NOW, 400, 0);

    e.event_type = FAL_CC_RETRANSMIT;
    e.retransmit_count = count;
    e.t1 = e.t2 = e.t3 = e.t4 = 0;
    e.rtt_state = rtt_state;
    e.fabric_window_time_marker = FEED_NOW - age;
    return e;
}

START_TEST(FTP_10_3_2_01_to_06_vectors_of_retransmissions)
{
    static const struct {
        const char *name;
        uint8_t count;
        uint32_t age, rtt_state, units, marker_age, rto;
    } rows[] = {{"R1", 1, 400, 400, 16 * 1024, 0, 1907},
                {"R2", 2, 400, 400, 32 * 1024, 400, 1907},
                {"R3", 3, 400, 400, 10, 0, 1907},
                {"R1 guarded", 1, 399, 400, 32 * 1024, 399, 1907},
                {"R3 guarded", 3, 1, 400, 10, 0, 1907}, /* AMB-78 */
                {"R4", 2, 400, 1500, 32 * 1024, 400, 3000},
                {"R4 least", 2, 400, 500, 32 * 1024, 400, 1907},
                {"R4 longest", 2, 400, 0xffffff, 32 * 1024, 400, 0xffffff}};
    struct fal_swift swift = feed_swift();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_cc_event e = retransmission(rows[i].count, rows[i].age, rows[i].rtt_state);
        struct fal_cc_state state = {0};
        struct fal_cc_result r = feed(&swift, &state, FEED_NOW, &e);

        ck_assert_msg(feed_units(&r) == rows[i].units, "%s: fcwnd %u", rows[i].name,
                      feed_units(&r));
        ck_assert_msg(r.fabric_window_time_marker == FEED_NOW - rows[i].marker_age,
                      "%s: marker", rows[i].name);
        ck_assert_msg(r.retransmit_timeout == rows[i].rto, "%s: rto %u", rows[i].name,
                      r.retransmit_timeout);
        ck_assert_uint_eq(r.ncwnd, 64);
        ck_assert_uint_eq(r.rtt_state, rows[i].rtt_state);
        ck_assert_uint_eq(r.delay_state, e.delay_state);
    }
}
END_TEST

/* ---- delays, averages, gap ---- */

START_TEST(FTP_10_1_06_to_10_FTP_10_6_2_1_24_each_form_of_delay)
{
    static const uint32_t delays[] = {400, 370, FAL_CC_TIME_MAX + 1 + 7000 - 99600,
                                      100000 - 7030};
    struct fal_swift swift = feed_swift();

    for (unsigned select = 0; select < 4; select++) {
        struct fal_cc_event e = feed_ack(FEED_NOW, 400, 30);
        struct fal_cc_state state = {0};

        e.delay_select = (uint8_t)select;
        ck_assert_uint_eq(feed(&swift, &state, FEED_NOW, &e).delay_state, delays[select]);
    }
}
END_TEST

START_TEST(FTP_10_1_11_FTP_10_3_1_16_FTP_10_3_4_06_averages_are_truncated)
{
    struct fal_swift swift = feed_swift();
    struct fal_cc_event e = feed_ack(FEED_NOW, 401, 0);
    struct fal_cc_state state = {0};
    struct fal_cc_result r;

    e.rtt_state = 200; /* 0.75 * 200 + 0.25 * 401 = 250.25 */
    e.delay_state = 7;
    r = feed(&swift, &state, FEED_NOW, &e);
    ck_assert_uint_eq(r.rtt_state, 250);
    ck_assert_uint_eq(r.delay_state, 401);
    e.rtt_state = 0; /* the first sample is not special (AMB-68) */
    ck_assert_uint_eq(feed(&swift, &state, FEED_NOW, &e).rtt_state, 100);
}
END_TEST

START_TEST(FTP_10_3_4_09_to_11_FTP_10_3_2_06_the_gap_below_a_window_of_one)
{
    static const struct {
        double fcwnd;
        uint32_t rtt, gap;
    } rows[] = {{0.5, 4000, 8000}, /* guarded: the window stays */
                {0.25, 1500, 6000},
                {1, 4000, 0},
                {2, 4000, 0},
                {0.3, 0xffffff, FAL_CC_GAP_MAX}};
    struct fal_swift swift = feed_swift();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_cc_event e = feed_ack(FEED_NOW, rows[i].rtt, 0);
        struct fal_cc_state state = {0};

        feed_fcwnd(&e, rows[i].fcwnd);
        e.inter_packet_gap = 5; /* a gap in force does not matter (AMB-37) */
        ck_assert_uint_eq(feed(&swift, &state, FEED_NOW, &e).inter_packet_gap, rows[i].gap);
        e.event_type = FAL_CC_RETRANSMIT;
        e.retransmit_count = 2;
        ck_assert_uint_eq(feed(&swift, &state, FEED_NOW, &e).inter_packet_gap, rows[i].gap);
    }
}
END_TEST

START_TEST(an_event_of_the_reserved_type_changes_nothing)
{
    struct fal_swift swift = feed_swift();
    struct fal_cc_event e = feed_ack(FEED_NOW, 4000, 0);
    struct fal_cc_state state = {0};
    struct fal_cc_result r, unchanged;

    e.event_type = 3;
    e.fabric_window_time_marker = FEED_NOW - 5000;
    fal_cc_unchanged(&e, &unchanged);
    r = feed(&swift, &state, FEED_NOW, &e);
    ck_assert_uint_eq(feed_units(&r), feed_units(&unchanged));
    ck_assert_uint_eq(r.fabric_window_time_marker, unchanged.fabric_window_time_marker);
    ck_assert_uint_eq(r.ncwnd, unchanged.ncwnd);
    ck_assert_uint_eq(r.rtt_state, unchanged.rtt_state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("Swift");
    TCase *tc = tcase_create("vectors");

    tcase_add_loop_test(tc,
                        FTP_10_3_1_01_to_09_FTP_10_3_4_03_04_FTP_10_3_6_01_02_vectors_of_fcwnd,
                        0, sizeof fabric_rows / sizeof *fabric_rows);
    tcase_add_test(tc, FTP_10_3_6_04_05_08_09_the_figure_of_the_moving_marker);
    tcase_add_test(tc, FTP_10_3_4_01_to_05_the_target_falls_with_the_window);
    tcase_add_test(tc, FTP_10_3_4_01_02_the_constants_of_flow_scaling);
    tcase_add_loop_test(
        tc, FTP_10_3_1_10_to_15_FTP_10_3_3_01_to_03_FTP_10_3_6_03_06_07_vectors_of_ncwnd, 0,
        sizeof nic_rows / sizeof *nic_rows);
    tcase_add_test(tc, FTP_10_3_1_13_15_ncwnd_at_its_limits_moves_the_marker);
    tcase_add_test(tc, a_target_level_of_0_never_divides_by_a_level_of_0);
    tcase_add_test(tc, FTP_10_3_2_01_to_06_vectors_of_retransmissions);
    tcase_add_test(tc, FTP_10_1_06_to_10_FTP_10_6_2_1_24_each_form_of_delay);
    tcase_add_test(tc, FTP_10_1_11_FTP_10_3_1_16_FTP_10_3_4_06_averages_are_truncated);
    tcase_add_test(tc, FTP_10_3_4_09_to_11_FTP_10_3_2_06_the_gap_below_a_window_of_one);
    tcase_add_test(tc, an_event_of_the_reserved_type_changes_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
