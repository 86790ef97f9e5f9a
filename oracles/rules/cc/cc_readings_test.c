/* SPDX-License-Identifier: Apache-2.0
 * cc_readings_test.c - for each axis: a result of each reading is spared when alone, and a SUT
 * that follows one reading first and then another is convicted. */
#include "oracles/rules/cc/cc_band.h"
#include "oracles/rules/cc/cc_trial_testing.h"

/* The next event of the same run. */
static struct trial after(const struct trial *before, struct trial next)
{
    next.forks = before->forks;
    next.series = before->series;
    return next;
}

/* Two results of one event that only different readings of that axis give. Each is spared, and
 * then only its reading is left. Both in one run contradict each other. */
static void check_axis(enum fal_band_axis axis, unsigned first, struct trial one,
                       unsigned second, struct trial two)
{
    for (int order = 0; order < 2; order++) {
        struct trial a = order == 0 ? one : two;
        struct trial b = order == 0 ? two : one;
        struct fal_band_breach breach = {0};

        TRIAL_RIGHT(&a);
        ck_assert_msg(fal_band_forks_left(&a.forks, axis) ==
                          1U << (order == 0 ? first : second),
                      "axis %d: %x is left", axis, fal_band_forks_left(&a.forks, axis));
        a = after(&a, a);
        TRIAL_RIGHT(&a); /* it keeps to it */
        b = after(&a, b);
        ck_assert(!trial_take(&b, &breach));
        ck_assert(breach.mixed);
        ck_assert_uint_ne(
            (breach.field == FAL_BAND_FIELDS ? 1U : 1U << breach.field) &
                (breach.field == FAL_BAND_FIELDS ? 1U : fal_band_axis(axis)->fields),
            0);
    }
}

START_TEST(orientation_of_alpha)
{
    struct trial one = trial(), two;

    one.params.rtt_smoothing_alpha = 0.75;
    one.event.rtt_state = 200;
    two = one;
    one.result.rtt_state = 250; /* 200 * 3/4 + 400 / 4 */
    two.result.rtt_state = 350;
    one.event.fabric_window_time_marker = two.event.fabric_window_time_marker = TRIAL_NOW - 398;
    one.event.ncwnd_direction = two.event.ncwnd_direction = FAL_CC_DECREASE;
    one.result.fabric_window_time_marker = TRIAL_NOW - 398;
    two.result.fabric_window_time_marker = TRIAL_NOW - 398;
    check_axis(FAL_BAND_AXIS_ORIENTATION, 0, one, 1, two);
}
END_TEST

START_TEST(first_sample)
{
    struct trial one = trial(), two;

    one.event.rtt_state = 0;
    two = one;
    one.result.rtt_state = 200;
    two.result.rtt_state = 400;
    check_axis(FAL_BAND_AXIS_FIRST, 0, one, 1, two);
}
END_TEST

START_TEST(averages_at_a_resource_nack)
{
    struct trial one = trial_exhausted(), two;

    one.event.rtt_state = 200;
    two = one;
    one.result.rtt_state = 300;
    two.result.rtt_state = 200;
    check_axis(FAL_BAND_AXIS_EXHAUSTED_SMOOTHS, 0, one, 1, two);
}
END_TEST

START_TEST(rtt_of_the_guards)
{
    struct trial one = trial(), two, three;

    one.event.rtt_state = 200;
    one.result.rtt_state = 300;
    two = three = one;
    two.result.fabric_window_time_marker = TRIAL_NOW - 300;
    three.result.fabric_window_time_marker = TRIAL_NOW - 200;
    check_axis(FAL_BAND_AXIS_RTT, 0, one, 1, two);
    check_axis(FAL_BAND_AXIS_RTT, 1, two, 2, three);
}
END_TEST

/* A window of 1, with windows of 1/4 and 256 for flow scaling and 31 ticks at most: adder 1
 * with reciprocals, 0 clamped as written. */
START_TEST(flow_scaling_alpha)
{
    struct trial one = trial(), two;

    one.params.max_flow_scaling = 62;
    one.params.min_flow_scaling_window = 0.25;
    trial_from(&one, 1);
    one.event.num_packets_acked = 1;
    trial_delay(&one, 315); /* 300 + 62 * (1 - 1/16) / (2 - 1/16) = 330 */
    two = one;
    trial_to(&one, 2);
    /* The target as written: 300. 1 - 0.5 * 15 / 315 */
    trial_to(&two, 1 - 0.5 * 15 / 315);
    two.result.fabric_window_time_marker = TRIAL_NOW;
    two.result.inter_packet_gap = 409;
    one.result.inter_packet_gap = 0;
    check_axis(FAL_BAND_AXIS_FLOW_ALPHA, 0, one, 1, two);
}
END_TEST

/* Max. window 16 instead of 256: at a window of 4 the adder is 62 * (1/2 - 1/16) / (2 - 1/16) =
 * 14, or 62 * (1/2 - 1/4) / (31/16) = 8. */
START_TEST(flow_scaling_beta)
{
    struct trial one = trial(), two;

    one.params.max_flow_scaling = 62;
    one.params.max_fcwnd = 16;
    trial_from(&one, 4);
    one.event.num_packets_acked = 4;
    trial_delay(&one, 311);
    two = one;
    trial_to(&one, 5);
    trial_to(&two, 4 - 4 * 0.5 * 3 / 311);
    two.result.fabric_window_time_marker = TRIAL_NOW;
    check_axis(FAL_BAND_AXIS_FLOW_BETA, 0, one, 1, two);
}
END_TEST

/* A hop of 3/4 tick: target 300.75, 300 or 301. */
START_TEST(target_in_whole_ticks)
{
    struct trial t[3];
    const double targets[3] = {300.75, 300, 301};

    for (int i = 0; i < 3; i++) {
        t[i] = trial_fall();
        t[i].params.topology_scaling_per_hop = 0.75;
        t[i].event.forward_hops = 1;
        trial_from(&t[i], 256);
        trial_to(&t[i], 256 * (1 - 0.5 * (400 - targets[i]) / 400));
    }
    check_axis(FAL_BAND_AXIS_TARGET_TICKS, 0, t[0], 1, t[1]);
    check_axis(FAL_BAND_AXIS_TARGET_TICKS, 0, t[0], 2, t[2]);
}
END_TEST

/* An engine that counts adds the increment only when the count exceeds fcwnd. */
START_TEST(an_increase_by_counting_waits_for_a_window_of_packets)
{
    struct trial t = trial();
    struct fal_band_breach breach;

    trial_to(&t, 33); /* from 32, at 4 packets */
    t.series.counted = 20;
    ck_assert(!trial_take(&t, &breach));
    ck_assert_str_eq(breach.requirement, "FTP-10.3.1-02");
    ck_assert_double_eq(t.series.counted, 0); /* it rose; what is left cannot be below 0 */
    t.series.counted = 28;
    ck_assert(trial_take(&t, &breach));
    t.series.counted = 100;
    ck_assert(trial_take(&t, &breach));
    ck_assert_double_eq(t.series.counted, 72);
}
END_TEST

/* An engine that counts must add it when ACKs below the target have acknowledged more than
 * fcwnd and one more packet. What may end its count begins the judge's anew. */
START_TEST(an_increase_by_counting_does_not_stay_out)
{
    static const char *const between[] = {"nothing", "a NACK", "a delay above the target"};
    struct trial stays = trial();
    struct fal_band_breach breach;

    trial_to(&stays, 32);
    for (int what = 0; what < 3; what++) {
        struct trial t = stays, other = what == 2 ? trial_fall() : stays;

        for (int i = 0; i < 8; i++) /* 32 packets */
            TRIAL_RIGHT(&t);
        if (what == 1)
            other.event.event_type = FAL_CC_NACK;
        if (what == 2) { /* guarded */
            trial_to(&other, 32);
            other.event.fabric_window_time_marker = TRIAL_NOW - 398;
            other.result.fabric_window_time_marker = TRIAL_NOW - 398;
        }
        other = after(&t, other);
        if (what > 0)
            TRIAL_RIGHT(&other);
        t = after(&other, t);
        if (what > 0)
            TRIAL_RIGHT(&t);
        else
            TRIAL_BREACH(&t, FAL_BAND_FCWND, "FTP-10.3.1-02");
        ck_assert_msg(t.series.counted_least == (what > 0 ? 4 : 0), "after %s: %g",
                      between[what], t.series.counted_least);
        trial_to(&t, 33);
        ck_assert(trial_take(&t, &breach));
    }
}
END_TEST

START_TEST(increase_by_counting)
{
    struct trial one = trial(), two = trial(), three = trial();

    trial_to(&two, 32);
    trial_to(&three, 33);
    check_axis(FAL_BAND_AXIS_COUNTING, 0, one, 1, two);
    check_axis(FAL_BAND_AXIS_COUNTING, 0, one, 1, three);
}
END_TEST

START_TEST(count_of_retransmissions)
{
    struct trial one = trial_retransmit(), two;

    one.event.retransmit_count = 3;
    one.params.retransmit_limit = 3;
    two = one;
    trial_to(&two, 0.0625);
    two.result.inter_packet_gap = 6400;
    {
        struct trial a = one, b = two, ack = trial();
        struct fal_band_breach breach = {0};

        TRIAL_RIGHT(&a);
        ck_assert_uint_eq(fal_band_forks_left(&a.forks, FAL_BAND_AXIS_RETRANSMITS), 1);
        ack = after(&a, ack);
        TRIAL_RIGHT(&ack);
        b = after(&ack, b);
        ck_assert(!trial_take(&b, &breach));
        ck_assert(breach.mixed);
        b = two;
        TRIAL_RIGHT(&b);
        ck_assert_uint_eq(fal_band_forks_left(&b.forks, FAL_BAND_AXIS_RETRANSMITS), 2);
    }
}
END_TEST

START_TEST(clamp_after_a_retransmission)
{
    struct trial one = trial_retransmit(), two, ack = trial();
    struct fal_band_breach breach = {0};

    trial_from(&one, 0.0703125); /* three quarters of it are less than 0.0625 */
    one.event.num_packets_acked = 0;
    one.params.retransmit_limit = 7;
    two = one;
    trial_to(&one, 0.0625);
    one.result.inter_packet_gap = 6400;
    trial_to(&two, 0.052734375);
    two.result.inter_packet_gap = 7585;
    TRIAL_RIGHT(&one);
    ck_assert_uint_eq(fal_band_forks_left(&one.forks, FAL_BAND_AXIS_RETRANSMIT_CLAMP), 1);
    ack = after(&one, ack);
    TRIAL_RIGHT(&ack);
    one = after(&ack, two);
    TRIAL_RIGHT(&two);
    ck_assert_uint_eq(fal_band_forks_left(&two.forks, FAL_BAND_AXIS_RETRANSMIT_CLAMP), 2);
    ck_assert(!trial_take(&one, &breach));
    ck_assert(breach.mixed);
}
END_TEST

START_TEST(limit_within_an_rtt)
{
    struct trial one = trial_retransmit(), two;

    one.params.retransmit_limit = 1;
    one.event.fabric_window_time_marker = TRIAL_NOW - 200;
    two = one;
    trial_to(&one, 0.0625);
    one.result.inter_packet_gap = 6400;
    trial_to(&two, 32);
    two.result.fabric_window_time_marker = TRIAL_NOW - 200;
    check_axis(FAL_BAND_AXIS_LIMIT, 0, one, 1, two);
}
END_TEST

/* A window of a quarter and a gap of 1600; it stays. */
static struct trial slow(void)
{
    struct trial t = trial();

    trial_from(&t, 0.25);
    trial_to(&t, 0.25);
    t.params.fabric_additive_increment = 0;
    t.event.inter_packet_gap = t.result.inter_packet_gap = 1600;
    return t;
}

START_TEST(gap_at_a_retransmission)
{
    struct trial one = trial_retransmit(), two;

    one.params.max_fabric_multiplicative_decrease_factor = 0;
    trial_from(&one, 0.25);
    trial_to(&one, 0.25);
    one.event.inter_packet_gap = 2000;
    one.result.inter_packet_gap = 1600;
    two = one;
    two.result.inter_packet_gap = 2000;
    check_axis(FAL_BAND_AXIS_RETRANSMIT_GAP, 0, one, 1, two);
}
END_TEST

START_TEST(form_and_unit_of_the_gap)
{
    struct trial one = slow(), unit = slow(), repeated = slow(), less = slow();

    unit.result.inter_packet_gap = 410; /* 1600 * 131.072 / 512 = 409.6 */
    repeated.result.inter_packet_gap = 6400;
    less.result.inter_packet_gap = 1200;
    check_axis(FAL_BAND_AXIS_GAP_UNIT, 0, less, 1, unit);
    check_axis(FAL_BAND_AXIS_GAP_FORM, 1, repeated, 2, less);
    TRIAL_RIGHT(&one);
    ck_assert_uint_eq(fal_band_forks_left(&one.forks, FAL_BAND_AXIS_GAP_FORM), 1 | 4);
    repeated = after(&one, repeated);
    {
        struct fal_band_breach breach = {0};

        ck_assert(!trial_take(&repeated, &breach));
        ck_assert(breach.mixed);
        ck_assert_str_eq(breach.requirement, "FTP-10.3.4-11");
    }
}
END_TEST

START_TEST(rto_of_an_ack)
{
    struct trial one = trial(), two;

    one.event.retransmit_timeout = 7000;
    two = one;
    one.result.retransmit_timeout = 7000;
    two.result.retransmit_timeout = 800;
    check_axis(FAL_BAND_AXIS_ACK_RTO, 0, one, 1, two);
}
END_TEST

START_TEST(rto_with_the_gap)
{
    struct trial one = trial_retransmit(), two;

    one.params.max_fabric_multiplicative_decrease_factor = 0;
    trial_from(&one, 0.25);
    trial_to(&one, 0.25);
    one.result.inter_packet_gap = 1600;
    two = one;
    two.result.retransmit_timeout = 2400;
    check_axis(FAL_BAND_AXIS_RTO_GAP, 0, one, 1, two);
}
END_TEST

START_TEST(factor_of_ncwnd)
{
    struct trial one = trial(), two;

    one.params.nic_multiplicative_decrease_factor = 0.5;
    one.event.rx_buffer_level = 20;
    one.result.ncwnd_direction = FAL_CC_DECREASE;
    two = one;
    one.result.ncwnd = 48;
    two.result.ncwnd = 56;
    check_axis(FAL_BAND_AXIS_NIC_FACTOR, 0, one, 1, two);
}
END_TEST

START_TEST(resource_nack_and_its_direction)
{
    struct trial one = trial_exhausted(), two = trial_exhausted();

    two.result.ncwnd_direction = FAL_CC_INCREASE;
    check_axis(FAL_BAND_AXIS_EXHAUSTED_TURNS, 0, one, 1, two);
}
END_TEST

START_TEST(resource_nack_and_its_clamp)
{
    struct trial one = trial_exhausted(), two;

    one.params.min_ncwnd = 40;
    two = one;
    one.result.ncwnd = 40;
    two.result.ncwnd = 32;
    check_axis(FAL_BAND_AXIS_EXHAUSTED_CLAMP, 0, one, 1, two);
}
END_TEST

START_TEST(resource_nack_and_its_marker)
{
    struct trial one = trial_exhausted(), two;

    one.event.ncwnd_direction = FAL_CC_DECREASE;
    one.event.nic_window_time_marker = TRIAL_NOW - 200;
    one.event.ncwnd = 1; /* at its minimum it counts as lowered */
    one.result.ncwnd = 1;
    two = one;
    two.result.nic_window_time_marker = TRIAL_NOW - 200;
    check_axis(FAL_BAND_AXIS_EXHAUSTED_MARKS, 0, one, 1, two);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("readings of Swift");
    TCase *tc = tcase_create("axes");

    tcase_add_test(tc, orientation_of_alpha);
    tcase_add_test(tc, first_sample);
    tcase_add_test(tc, averages_at_a_resource_nack);
    tcase_add_test(tc, rtt_of_the_guards);
    tcase_add_test(tc, flow_scaling_alpha);
    tcase_add_test(tc, flow_scaling_beta);
    tcase_add_test(tc, target_in_whole_ticks);
    tcase_add_test(tc, an_increase_by_counting_waits_for_a_window_of_packets);
    tcase_add_test(tc, an_increase_by_counting_does_not_stay_out);
    tcase_add_test(tc, increase_by_counting);
    tcase_add_test(tc, count_of_retransmissions);
    tcase_add_test(tc, clamp_after_a_retransmission);
    tcase_add_test(tc, limit_within_an_rtt);
    tcase_add_test(tc, gap_at_a_retransmission);
    tcase_add_test(tc, form_and_unit_of_the_gap);
    tcase_add_test(tc, rto_of_an_ack);
    tcase_add_test(tc, rto_with_the_gap);
    tcase_add_test(tc, factor_of_ncwnd);
    tcase_add_test(tc, resource_nack_and_its_direction);
    tcase_add_test(tc, resource_nack_and_its_clamp);
    tcase_add_test(tc, resource_nack_and_its_marker);
    suite_add_tcase(suite, tc);
    return suite;
}
