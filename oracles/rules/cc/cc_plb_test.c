/* SPDX-License-Identifier: Apache-2.0
 * cc_plb_test.c - PLB (10.4): series of rounds worked out by hand, and its readings. */
#include "oracles/rules/cc/cc_band.h"
#include "oracles/rules/cc/cc_trial_testing.h"

enum { WINDOW = 8 };

/* An ACK of `acked` packets at fcwnd 8, which does not change: within an RTT of its marker it
 * does not fall, and its increment is zero. */
static struct trial ack(bool congested, uint16_t acked)
{
    struct trial t = trial();

    t.params.fabric_additive_increment = 0;
    trial_from(&t, WINDOW);
    trial_to(&t, WINDOW);
    trial_delay(&t, congested ? 400 : 200);
    t.event.fabric_window_time_marker = t.result.fabric_window_time_marker = TRIAL_NOW - 200;
    t.event.num_packets_acked = acked;
    return t;
}

/* The run begins with default readings alone. */
static void begin(struct trial *run)
{
    struct fal_band_fork fork = {{0}};

    *run = trial();
    fal_band_forks_one(&run->forks, &fork);
}

/* The next event of the run. Whether that answer is allowed; then the run goes on after it. */
static bool take(struct trial *run, struct trial t, bool reroute,
                 struct fal_band_breach *breach)
{
    bool holds;

    t.forks = run->forks;
    t.series = run->series;
    t.result.randomize_path = reroute;
    holds = trial_take(&t, breach);
    *run = holds ? t : *run;
    return holds;
}

/* The next event of the run: `reroute` is right, and its opposite violates that requirement. */
static void next(struct trial *run, struct trial t, bool reroute, const char *id)
{
    struct fal_band_breach breach = {0};

    ck_assert(!take(run, t, !reroute, &breach));
    ck_assert_int_eq(breach.field, FAL_BAND_PATH);
    ck_assert_str_eq(breach.requirement, id);
    ck_assert(take(run, t, reroute, &breach));
}

START_TEST(five_congested_rounds_reroute)
{
    struct trial run;

    begin(&run);
    for (int series = 0; series < 2; series++) { /* all counters are zero after it */
        for (int round = 0; round < 4; round++)
            next(&run, ack(true, WINDOW), false, "FTP-10.4-11");
        next(&run, ack(true, WINDOW), true, "FTP-10.4-08");
    }
}
END_TEST

START_TEST(a_round_is_a_window)
{
    struct trial run;

    begin(&run);
    for (int round = 0; round < 5; round++) {
        next(&run, ack(true, 3), false, "FTP-10.4-05");
        next(&run, ack(true, 4), false, "FTP-10.4-05");
        next(&run, ack(true, 1), round == 4, round == 4 ? "FTP-10.4-08" : "FTP-10.4-11");
    }
    begin(&run);
    for (int round = 0; round < 5; round++) { /* ncwnd is the smaller window */
        struct trial t = ack(true, 2);

        t.event.ncwnd = 2;
        t.result.ncwnd = 3;
        next(&run, t, round == 4, round == 4 ? "FTP-10.4-08" : "FTP-10.4-11");
    }
}
END_TEST

START_TEST(a_round_without_congestion_resets)
{
    struct trial run;

    begin(&run);
    for (int round = 0; round < 4; round++)
        next(&run, ack(true, WINDOW), false, "FTP-10.4-11");
    next(&run, ack(false, WINDOW), false, "FTP-10.4-06");
    for (int round = 0; round < 4; round++)
        next(&run, ack(true, WINDOW), false, "FTP-10.4-11");
    /* Half of the packets is enough, three eighths are not. */
    next(&run, ack(true, 4), false, "FTP-10.4-05");
    next(&run, ack(false, 4), true, "FTP-10.4-08");
    next(&run, ack(true, 3), false, "FTP-10.4-05");
    next(&run, ack(false, 5), false, "FTP-10.4-06");
}
END_TEST

START_TEST(only_acks_count)
{
    struct trial run;

    begin(&run);
    for (int round = 0; round < 10; round++) {
        struct trial t = ack(true, WINDOW);

        t.event.event_type = FAL_CC_NACK;
        t.event.nack_code = FAL_NACK_RNR;
        next(&run, t, false, "FTP-10.4-01");
    }
    for (int round = 0; round < 4; round++)
        next(&run, ack(true, WINDOW), false, "FTP-10.4-11");
    next(&run, ack(true, WINDOW), true, "FTP-10.4-08");
}
END_TEST

/* Within 2 ticks of the threshold both counts go on, and a later result decides. */
START_TEST(a_close_delay_leaves_both_counts)
{
    for (uint32_t delay = 298; delay <= 302; delay++) {
        struct trial run;
        struct fal_band_breach breach = {0};

        begin(&run);
        for (int round = 0; round < 5; round++) {
            struct trial t = ack(true, WINDOW), fork = run;

            trial_delay(&t, delay);
            ck_assert(take(&fork, t, true, &breach) == (round == 4));
            ck_assert(take(&run, t, false, &breach));
        }
        next(&run, ack(false, WINDOW), false, "FTP-10.4-06");
        for (int round = 0; round < 4; round++)
            next(&run, ack(true, WINDOW), false, "FTP-10.4-11");
    }
}
END_TEST

/* A round that is congested under one reading of an axis alone, `congested`; an attempt is
 * enough. A reroute shows that reading. Two rounds without one show the other reading, since a
 * SUT that reroutes above the threshold does so at the second. */
static void check_axis(enum fal_band_axis axis, unsigned congested, const struct trial *t,
                       const struct trial *before)
{
    struct trial run = trial();
    struct fal_band_breach breach = {0};

    ck_assert(!before || take(&run, *before, false, &breach));
    ck_assert(take(&run, *t, true, &breach));
    ck_assert_uint_eq(fal_band_forks_left(&run.forks, axis), 1U << congested);
    ck_assert(!before || take(&run, *before, false, &breach));
    ck_assert(!take(&run, *t, false, &breach));
    ck_assert(breach.mixed);
    ck_assert_int_eq(breach.field, FAL_BAND_PATH);

    run = trial();
    for (int round = 0; round < 2; round++) {
        ck_assert(!before || take(&run, *before, false, &breach));
        ck_assert(take(&run, *t, false, &breach));
    }
    ck_assert_uint_eq(fal_band_forks_left(&run.forks, axis), 1U << (1 - congested));
    ck_assert(!before || take(&run, *before, false, &breach));
    ck_assert(!take(&run, *t, true, &breach));
    ck_assert(breach.mixed);
}

START_TEST(attempts_and_their_threshold)
{
    struct trial t = ack(true, WINDOW);

    t.params.plb_attempt_threshold = 1;
    for (int other = 0; other < 2; other++) {
        struct trial run = trial();
        struct fal_band_breach breach = {0};

        ck_assert(take(&run, t, other == 0, &breach));
        ck_assert_uint_eq(fal_band_forks_left(&run.forks, FAL_BAND_AXIS_ATTEMPTS),
                          other == 0 ? 1 : 2);
        ck_assert(!take(&run, t, false, &breach)); /* either reroutes at the second round */
        ck_assert(breach.mixed);
        ck_assert(take(&run, t, true, &breach));
    }
}
END_TEST

START_TEST(a_fraction_equal_to_the_threshold)
{
    struct trial half = ack(true, 4), rest = ack(false, 4);

    half.params.plb_attempt_threshold = rest.params.plb_attempt_threshold = 1;
    check_axis(FAL_BAND_AXIS_FRACTION, 0, &rest, &half);
}
END_TEST

/* fcwnd rises from 0.25 to 1.25, so the target falls from 362 to 326.6. */
START_TEST(target_of_the_old_or_the_new_window)
{
    struct trial t = trial();

    t.params.max_flow_scaling = 62;
    t.params.plb_attempt_threshold = 1;
    trial_from(&t, 0.25);
    trial_to(&t, 1.25);
    trial_delay(&t, 340);
    t.event.num_packets_acked = 1;
    check_axis(FAL_BAND_AXIS_PLB_TARGET, 1, &t, NULL);
}
END_TEST

START_TEST(nacks_and_plb)
{
    struct trial t = ack(true, WINDOW);

    t.params.plb_attempt_threshold = 1;
    t.event.event_type = FAL_CC_NACK;
    t.event.nack_code = FAL_NACK_RNR;
    check_axis(FAL_BAND_AXIS_PLB_NACK, 1, &t, NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("band of PLB");
    TCase *tc = tcase_create("plb");

    tcase_add_test(tc, five_congested_rounds_reroute);
    tcase_add_test(tc, a_round_is_a_window);
    tcase_add_test(tc, a_round_without_congestion_resets);
    tcase_add_test(tc, only_acks_count);
    tcase_add_test(tc, a_close_delay_leaves_both_counts);
    tcase_add_test(tc, attempts_and_their_threshold);
    tcase_add_test(tc, a_fraction_equal_to_the_threshold);
    tcase_add_test(tc, target_of_the_old_or_the_new_window);
    tcase_add_test(tc, nacks_and_plb);
    suite_add_tcase(suite, tc);
    return suite;
}
