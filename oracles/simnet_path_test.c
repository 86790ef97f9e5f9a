/* SPDX-License-Identifier: Apache-2.0
 * simnet_path_test.c - the bottleneck of a path: rate, queue, ECN marking, MTU, hops; and paths
 * that differ by direction. */
#include "oracles/simnet.h"
#include "oracles/simnet_wire.h"
#include "tests/testing.h"

static const uint8_t bytes[9000];

static struct fal_simnet *net_with(struct fal_impairment in, struct fal_impairment out)
{
    struct fal_impairment both[2] = {in, out};
    struct fal_simnet *net = fal_simnet_new(both, 1);

    ck_assert_ptr_nonnull(net);
    return net;
}

static struct fal_simnet_frame frame(size_t len, uint8_t ecn, uint8_t ttl)
{
    return (struct fal_simnet_frame){
        .dir = FAL_TO_SUT, .bytes = bytes, .len = len, .ecn = ecn, .ttl = ttl};
}

static void put(struct fal_simnet *net, struct fal_simnet_frame f, uint64_t at_ns)
{
    f.at_ns = at_ns;
    ck_assert_int_eq(fal_simnet_put(net, &f), 0);
}

START_TEST(frames_leave_at_the_rate_of_the_wire)
{
    /* 8 Mbit/s: a byte takes a microsecond. */
    struct fal_simnet *net =
        net_with((struct fal_impairment){.rate_bps = 8000000, .latency_ns = 50},
                 (struct fal_impairment){0});
    static const uint64_t due_ns[] = {100050, 300050, 700050, 1010050};
    struct fal_simnet_frame got;

    put(net, frame(100, 0, 0), 0);
    put(net, frame(200, 0, 0), 0);
    put(net, frame(400, 0, 0), 250000); /* waits for the one before */
    put(net, frame(10, 0, 0), 1000000); /* finds the wire idle */
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(fal_simnet_deadline(net), due_ns[i]);
        ck_assert(fal_simnet_take(net, due_ns[i], &got));
        ck_assert_uint_eq(got.at_ns, due_ns[i]);
    }
    fal_simnet_free(net);
}
END_TEST

START_TEST(a_queue_has_room_for_so_many_bytes_and_no_more)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.rate_bps = 8000000, .queue_bytes = 1000},
                 (struct fal_impairment){0});
    struct fal_simnet_frame got;
    unsigned arrived = 0;

    put(net, frame(600, 0, 0), 0);
    put(net, frame(400, 0, 0), 0); /* fills it to the byte */
    put(net, frame(1, 0, 0), 0);
    ck_assert_uint_eq(fal_simnet_counts(net).overflowed[0], 1);
    put(net, frame(2, 0, 0), 1000); /* one byte has left */
    ck_assert_uint_eq(fal_simnet_counts(net).overflowed[0], 2);
    put(net, frame(1, 0, 0), 1000);
    put(net, frame(1, 0, 0), 2000);
    ck_assert_uint_eq(fal_simnet_counts(net).overflowed[0], 2);
    while (fal_simnet_take(net, FAL_NEVER, &got))
        arrived++;
    ck_assert_uint_eq(arrived, 4);
    ck_assert_uint_eq(got.at_ns, 1002000);
    fal_simnet_free(net);
}
END_TEST

START_TEST(a_long_queue_marks_frames_that_can_be_marked)
{
    static const struct {
        uint8_t sent, got;
    } rows[] = {{FAL_ECN_ECT0, FAL_ECN_ECT0}, {FAL_ECN_ECT0, FAL_ECN_ECT0},
                {FAL_ECN_ECT0, FAL_ECN_CE},   {FAL_ECN_ECT1, FAL_ECN_CE},
                {FAL_ECN_CE, FAL_ECN_CE},     {FAL_ECN_NOT_ECT, FAL_ECN_NOT_ECT}};
    struct fal_simnet *net =
        net_with((struct fal_impairment){.rate_bps = 8000000, .ecn_bytes = 200},
                 (struct fal_impairment){0});
    struct fal_simnet_frame got;

    for (unsigned i = 0; i < 6; i++)
        put(net, frame(100, rows[i].sent, 0), 0);
    for (unsigned i = 0; i < 6; i++) {
        ck_assert(fal_simnet_take(net, FAL_NEVER, &got));
        ck_assert_uint_eq(got.ecn, rows[i].got);
    }
    ck_assert_uint_eq(fal_simnet_counts(net).marked[0], 2);
    fal_simnet_free(net);
}
END_TEST

START_TEST(chance_marks_as_many_as_asked_for_and_changes_nothing_else)
{
    struct fal_impairment plain = {.jitter_ns = 1000, .loss_ppm = 100000}, marking = plain;
    struct fal_simnet *nets[2];
    struct fal_simnet_frame a, b;
    unsigned n = 0, ce = 0;

    marking.ce_ppm = 250000;
    nets[0] = net_with(plain, plain);
    nets[1] = net_with(marking, plain);
    for (unsigned i = 0; i < 8000; i++)
        for (unsigned k = 0; k < 2; k++)
            put(nets[k], frame(64, FAL_ECN_ECT1, 0), 10 * i);
    while (fal_simnet_take(nets[0], FAL_NEVER, &a)) {
        ck_assert(fal_simnet_take(nets[1], FAL_NEVER, &b));
        ck_assert_uint_eq(a.at_ns, b.at_ns);
        ck_assert_uint_eq(a.ecn, FAL_ECN_ECT1);
        ce += b.ecn == FAL_ECN_CE;
        n++;
    }
    ck_assert(!fal_simnet_take(nets[1], FAL_NEVER, &b));
    ck_assert_uint_gt(ce, n / 5);
    ck_assert_uint_lt(ce, n * 3 / 10);
    ck_assert_uint_ge(fal_simnet_counts(nets[1]).marked[0], ce);
    fal_simnet_free(nets[0]);
    fal_simnet_free(nets[1]);
}
END_TEST

START_TEST(frames_longer_than_the_mtu_are_lost)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.mtu = 1500}, (struct fal_impairment){0});
    struct fal_simnet_frame got;

    put(net, frame(1501, 0, 0), 0);
    put(net, frame(1500, 0, 0), 0);
    ck_assert(fal_simnet_take(net, 0, &got));
    ck_assert_uint_eq(got.len, 1500);
    ck_assert(!fal_simnet_take(net, FAL_NEVER, &got));
    ck_assert_uint_eq(fal_simnet_counts(net).oversized[0], 1);
    fal_simnet_free(net);
}
END_TEST

START_TEST(hops_take_off_the_ttl_until_it_expires)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.hops = 3}, (struct fal_impairment){0});
    struct fal_simnet_frame got;

    put(net, frame(1, 0, 64), 0);
    put(net, frame(2, 0, 4), 0);
    put(net, frame(3, 0, 3), 0); /* expires at the last router */
    put(net, frame(4, 0, 0), 0); /* not known */
    ck_assert(fal_simnet_take(net, 0, &got));
    ck_assert_uint_eq(got.ttl, 61);
    ck_assert(fal_simnet_take(net, 0, &got));
    ck_assert_uint_eq(got.ttl, 1);
    ck_assert(fal_simnet_take(net, 0, &got));
    ck_assert_uint_eq(got.len, 4);
    ck_assert_uint_eq(got.ttl, 0);
    ck_assert_uint_eq(fal_simnet_counts(net).expired[0], 1);
    fal_simnet_free(net);
}
END_TEST

START_TEST(directions_have_paths_of_their_own)
{
    struct fal_simnet *net = net_with((struct fal_impairment){.latency_ns = 10, .mtu = 5},
                                      (struct fal_impairment){.latency_ns = 9000, .hops = 1});
    struct fal_simnet_frame f = frame(100, 0, 9), got;

    put(net, f, 0);
    f.dir = FAL_FROM_SUT;
    put(net, f, 0);
    ck_assert(fal_simnet_take(net, FAL_NEVER, &got));
    ck_assert_int_eq(got.dir, FAL_FROM_SUT);
    ck_assert_uint_eq(got.at_ns, 9000);
    ck_assert_uint_eq(got.ttl, 8);
    ck_assert(!fal_simnet_take(net, FAL_NEVER, &got));
    fal_simnet_free(net);
}
END_TEST

START_TEST(overtaken_frames_are_counted_and_the_last_arrival_is_known)
{
    const struct fal_impairment to = {.latency_ns = 50}, from = {.latency_ns = 900};
    struct fal_simnet *net = net_with(to, from);
    struct fal_simnet_rule late = FAL_SIMNET_RULE;
    struct fal_simnet_frame got, back = frame(3, 0, 0);

    late.action = FAL_SIMNET_DELAY;
    late.dir = FAL_TO_SUT;
    late.times = 1;
    late.delay_ns = 500;
    ck_assert_int_eq(fal_simnet_add_rule(net, &late), 0);
    ck_assert_uint_eq(fal_simnet_last_arrival(net, FAL_TO_SUT), 0);
    put(net, frame(1, 0, 0), 0);
    put(net, frame(2, 0, 0), 100);
    back.dir = FAL_FROM_SUT;
    put(net, back, 0);
    ck_assert_uint_eq(fal_simnet_last_arrival(net, FAL_TO_SUT), 550);
    ck_assert_uint_eq(fal_simnet_last_arrival(net, FAL_FROM_SUT), 900);
    while (fal_simnet_take(net, FAL_NEVER, &got))
        ;
    ck_assert_uint_eq(fal_simnet_counts(net).overtaken[FAL_TO_SUT], 1);
    ck_assert_uint_eq(fal_simnet_counts(net).overtaken[FAL_FROM_SUT], 0);
    ck_assert_uint_eq(fal_simnet_last_arrival(net, FAL_TO_SUT), 0);
    fal_simnet_free(net);
}
END_TEST

START_TEST(figures_beyond_reason_do_not_wrap)
{
    struct fal_impairment slow = {.rate_bps = 1, .queue_bytes = UINT32_MAX};
    struct fal_simnet_wire wire = {0};
    uint64_t left_ns;
    bool mark;

    ck_assert_int_eq(
        fal_simnet_wire_pass(&wire, &slow, UINT32_MAX, FAL_NEVER - 5, &left_ns, &mark),
        FAL_SIMNET_PASSED);
    ck_assert_uint_eq(left_ns, FAL_NEVER - 1);
    wire.busy_until_ns = 0;
    slow.queue_bytes = 0;
    ck_assert_int_eq(fal_simnet_wire_pass(&wire, &slow, SIZE_MAX, 0, &left_ns, &mark),
                     FAL_SIMNET_PASSED);
    ck_assert_uint_eq(left_ns, FAL_NEVER - 1);
    slow.rate_bps = UINT64_MAX;
    wire.busy_until_ns = 0;
    ck_assert_int_eq(fal_simnet_wire_pass(&wire, &slow, 9000, 7, &left_ns, &mark),
                     FAL_SIMNET_PASSED);
    ck_assert_uint_eq(left_ns, 7);
}
END_TEST

/* Each frame of a path that loses by chance is a trial; a frame is lost with all its copies. */
START_TEST(each_frame_that_chance_may_lose_is_a_trial)
{
    struct fal_simnet *net = net_with(
        (struct fal_impairment){.loss_ppm = 100000, .corrupt_ppm = 100000, .mtu = 1000},
        (struct fal_impairment){0});
    struct fal_simnet_counts counts;
    struct fal_simnet_trials trials;

    for (unsigned i = 0; i < 10000; i++)
        put(net, frame(i % 10 == 0 ? 2000 : 100, 0, 0), i);
    counts = fal_simnet_counts(net);
    trials = fal_simnet_trials(net);
    ck_assert_uint_gt(counts.oversized[FAL_TO_SUT], 800);
    ck_assert_uint_eq(trials.trials[FAL_TO_SUT], 10000 - counts.oversized[FAL_TO_SUT]);
    ck_assert_uint_eq(trials.lost[FAL_TO_SUT],
                      counts.lost[FAL_TO_SUT] + counts.corrupted[FAL_TO_SUT]);
    ck_assert_uint_gt(trials.lost[FAL_TO_SUT], 1700);
    ck_assert_uint_lt(trials.lost[FAL_TO_SUT], 2100);
    ck_assert_uint_eq(trials.trials[FAL_FROM_SUT], 0);
    fal_simnet_free(net);
}
END_TEST

/* A frame that is lost twice as a duplicate is one loss, and none if a copy arrives. */
START_TEST(a_frame_is_lost_with_all_its_copies)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.loss_ppm = 500000, .duplicate_ppm = 1000000},
                 (struct fal_impairment){0});
    struct fal_simnet_trials trials;

    for (unsigned i = 0; i < 10000; i++)
        put(net, frame(100, 0, 0), i);
    trials = fal_simnet_trials(net);
    ck_assert_uint_eq(trials.trials[FAL_TO_SUT], 10000);
    ck_assert_uint_gt(trials.lost[FAL_TO_SUT], 2300); /* a quarter */
    ck_assert_uint_lt(trials.lost[FAL_TO_SUT], 2700);
    fal_simnet_free(net);
}
END_TEST

/* A queue that overflows loses many frames at once: they are one event of a round trip. */
START_TEST(a_round_trip_of_a_queue_is_a_trial)
{
    struct fal_impairment to = {.rate_bps = 8000000, .queue_bytes = 1000, .latency_ns = 300};
    struct fal_impairment from = {.latency_ns = 699};
    struct fal_simnet *net = net_with(to, from);
    struct fal_simnet_trials trials;

    for (unsigned i = 0; i < 100; i++)
        put(net, frame(100, 0, 0), i * 10); /* within 1001 ns: the queue is full after ten */
    put(net, frame(100, 0, 0), 100000000);
    trials = fal_simnet_trials(net);
    ck_assert_uint_gt(fal_simnet_counts(net).overflowed[FAL_TO_SUT], 80);
    ck_assert_uint_eq(trials.trials[FAL_TO_SUT], 2);
    ck_assert_uint_eq(trials.lost[FAL_TO_SUT], 1);
    fal_simnet_free(net);
}
END_TEST

START_TEST(a_network_whose_rules_choose_frames_is_not_measured)
{
    struct fal_simnet *net =
        net_with((struct fal_impairment){.loss_ppm = 500000}, (struct fal_impairment){0});
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;

    rule.action = FAL_SIMNET_DROP;
    ck_assert_int_eq(fal_simnet_add_rule(net, &rule), 0);
    put(net, frame(100, 0, 0), 0);
    ck_assert_uint_eq(fal_simnet_trials(net).trials[FAL_TO_SUT], 0);
    fal_simnet_free(net);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("simnet: paths");
    TCase *tc = tcase_create("paths");

    tcase_add_test(tc, frames_leave_at_the_rate_of_the_wire);
    tcase_add_test(tc, a_queue_has_room_for_so_many_bytes_and_no_more);
    tcase_add_test(tc, a_long_queue_marks_frames_that_can_be_marked);
    tcase_add_test(tc, chance_marks_as_many_as_asked_for_and_changes_nothing_else);
    tcase_add_test(tc, frames_longer_than_the_mtu_are_lost);
    tcase_add_test(tc, hops_take_off_the_ttl_until_it_expires);
    tcase_add_test(tc, directions_have_paths_of_their_own);
    tcase_add_test(tc, overtaken_frames_are_counted_and_the_last_arrival_is_known);
    tcase_add_test(tc, figures_beyond_reason_do_not_wrap);
    tcase_add_test(tc, each_frame_that_chance_may_lose_is_a_trial);
    tcase_add_test(tc, a_frame_is_lost_with_all_its_copies);
    tcase_add_test(tc, a_round_trip_of_a_queue_is_a_trial);
    tcase_add_test(tc, a_network_whose_rules_choose_frames_is_not_measured);
    suite_add_tcase(suite, tc);
    return suite;
}
