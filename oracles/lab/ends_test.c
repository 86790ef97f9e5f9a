/* SPDX-License-Identifier: Apache-2.0
 * ends_test.c - endpoints as flows of the lab: they come to rest where theory and model flows
 * do, each byte is accounted for, and their packets carry times and hops through the fabric. */
#include "oracles/lab/ends.h"
#include "oracles/lab/theory.h"
#include "tests/testing.h"

#define RATE (100 * UINT64_C(1000000000))

static struct fal_swift swift_with(const char *name, double value)
{
    struct fal_swift_params params;
    struct fal_swift swift;

    fal_swift_params_default(&params);
    if (name != NULL)
        ck_assert_int_eq(fal_swift_param_set(fal_swift_param_find(name), &params, value), 0);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    return swift;
}

/* The observations of a run. */
struct seen {
    unsigned acks, unbalanced;
    uint32_t least_delay, hops;
};

static void see(void *ctx, const struct fal_lab_record *r)
{
    struct seen *seen = ctx;

    if (r->note == FAL_LAB_NOTE_DELIVERED)
        seen->unbalanced += !fal_lab_fabric_balanced(&r->lab->fabric);
    if (r->note != FAL_LAB_NOTE_ACK)
        return;
    seen->acks++;
    seen->hops = r->hops;
    if (r->delay < seen->least_delay)
        seen->least_delay = r->delay;
}

static struct fal_lab_outcome played(const char *name, uint32_t flows,
                                     const struct fal_swift *swift, uint64_t seed,
                                     uint64_t time_ps)
{
    const struct fal_lab_experiment *e = fal_lab_experiment_find(name);
    struct fal_lab_ask ask = fal_lab_ask_of(e, flows);
    struct fal_lab_outcome out;

    ask.seed = seed;
    ask.rate_bps = RATE;
    ask.swift = swift;
    ask.endpoints = true;
    ask.time_ps = time_ps > 0 ? time_ps : e->time_ps(&ask);
    ck_assert_int_eq(e->run(&ask, &out), 0);
    return out;
}

static int64_t milli(const struct fal_lab_outcome *out, const char *name)
{
    const struct fal_lab_value *value = fal_lab_value_find(out, name);

    ck_assert_ptr_nonnull(value);
    return value->milli;
}

START_TEST(endpoints_come_to_rest_where_swift_does)
{
    static const uint32_t flows[] = {1, 2, 8, 32};
    struct fal_swift swift = swift_with(NULL, 0);

    for (unsigned i = 0; i < sizeof flows / sizeof *flows; i++) {
        const struct fal_lab_case c = {.flows = flows[i],
                                       .bytes = FAL_LAB_PACKET,
                                       .rate_bps = RATE,
                                       .base_ps = FAL_LAB_BASE_PS,
                                       .hops = FAL_LAB_HOPS};
        struct fal_lab_outcome out = played("incast", flows[i], &swift, test_seed(1), 0);
        double rest = fal_lab_theory(&swift, &c).queue_ps / FAL_LAB_US * 1000;
        double ratio = (double)milli(&out, "queueing delay, median") / rest;

        ck_assert_msg(ratio > 0.9 && ratio < 1.1, "%u flows: %f of the theory", flows[i],
                      ratio);
        for (unsigned v = 0; v < out.n_values; v++)
            ck_assert_msg(!fal_lab_outside(&out.values[v]), "%u flows: %s", flows[i],
                          out.values[v].name);
        ck_assert_int_eq(milli(&out, "drops"), 0);
    }
}
END_TEST

/* The test above can fail: a target that differs is seen. */
START_TEST(endpoints_with_another_target_rest_elsewhere)
{
    struct fal_swift low = swift_with("base_delay_target", 120);
    struct fal_swift far = swift_with("topology_scaling_per_hop", 40);
    struct fal_lab_outcome a = played("incast", 2, &low, 1, 0);
    struct fal_lab_outcome b = played("incast", 2, &far, 1, 0);

    /* 71 ticks less, and 3 hops of 32 ticks more, than 19 to 21 us. */
    ck_assert_int_lt(milli(&a, "queueing delay, median"), 14000);
    ck_assert_int_gt(milli(&b, "queueing delay, median"), 29000);
}
END_TEST

/* ACKs of several packets measure the delay seldom, so shares are less equal than those of
 * model flows; the way back to the whole rate is as fast. */
START_TEST(endpoints_join_and_leave)
{
    struct fal_swift swift = swift_with(NULL, 0);
    struct fal_lab_outcome out = played("join-leave", 2, &swift, test_seed(1), 0);

    for (unsigned v = 0; v < out.n_values; v++)
        ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s: %ld/1000", out.values[v].name,
                      (long)out.values[v].milli);
}
END_TEST

/* The path of real packets changes by PLB, beside a model flow that is the load. */
START_TEST(FTP_10_4_11_plb_draws_a_path_for_endpoints)
{
    struct fal_swift swift = swift_with(NULL, 0),
                     patient = swift_with("plb_attempt_threshold", 255);
    struct fal_lab_outcome out = played("plb", 1, &swift, test_seed(1), 0);

    for (unsigned v = 0; v < out.n_values; v++)
        ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s: %ld/1000", out.values[v].name,
                      (long)out.values[v].milli);
    ck_assert_int_eq(milli(&out, "runs with draw 1"), 20000);
    out = played("plb", 1, &patient, test_seed(1), 5 * FAL_LAB_MS);
    ck_assert_int_eq(milli(&out, "runs without a draw"), 20000);
}
END_TEST

START_TEST(endpoints_climb_the_staircase)
{
    struct fal_swift swift = swift_with(NULL, 0);
    struct fal_lab_outcome out = played("staircase", 8, &swift, test_seed(1), 0);

    for (unsigned v = 0; v < out.n_values; v++)
        ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s: %ld/1000", out.values[v].name,
                      (long)out.values[v].milli);
}
END_TEST

/* A slow ULP fills the buffer of the receiver; levels and NACKs are those of real packets. */
START_TEST(FTP_10_2_endpoints_keep_a_buffer_half_full)
{
    struct fal_swift swift = swift_with(NULL, 0),
                     deaf = swift_with("target_rx_buffer_level", 28);
    const struct fal_lab_experiment *e = fal_lab_experiment_find("slow-receiver");
    struct fal_lab_ask ask = fal_lab_ask_of(e, 1);
    struct fal_lab_outcome out;

    ask.settings[1] = 64; /* buffer */
    ask.rate_bps = RATE;
    ask.swift = &swift;
    ask.endpoints = true;
    ask.time_ps = e->time_ps(&ask);
    ck_assert_int_eq(e->run(&ask, &out), 0);
    for (unsigned v = 0; v < out.n_values; v++)
        ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s: %ld/1000", out.values[v].name,
                      (long)out.values[v].milli);
    ask.swift = &deaf;
    ck_assert_int_eq(e->run(&ask, &out), 0);
    ck_assert_int_gt(milli(&out, "level of the buffer, median"), 24000);
    /* A buffer that the first window overflows: the rest is refused, and nothing is lost. */
    ask.swift = &swift;
    ask.settings[1] = 16;
    ck_assert_int_eq(e->run(&ask, &out), 0);
    ck_assert_int_gt(milli(&out, "resource NACKs"), 0);
    ck_assert_int_eq(milli(&out, "drops"), 0);
}
END_TEST

/* One event for all packets that an EACK shows as lost (AMB-79), and the count of one packet
 * (AMB-39): a burst of losses, of refused packets or of timeouts leaves no flow at its least
 * window. */
START_TEST(FTP_10_6_2_1_08_endpoints_recover_from_bursts)
{
    static const struct {
        const char *name;
        uint32_t flows;
    } rows[] = {{"incast-loss", 32}, {"slow-receiver", 1}, {"incast", 512}};
    struct fal_swift swift = swift_with(NULL, 0);

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_lab_outcome out =
            played(rows[i].name, rows[i].flows, &swift, test_seed(1), 0);

        ck_assert_int_gt(milli(&out, "retransmissions"), 0);
        for (unsigned v = 0; v < out.n_values; v++)
            ck_assert_msg(!fal_lab_outside(&out.values[v]), "%s: %s: %ld/1000", rows[i].name,
                          out.values[v].name, (long)out.values[v].milli);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_packets)
{
    struct fal_swift swift = swift_with(NULL, 0);
    struct fal_lab_outcome a = played("incast", 8, &swift, 3, FAL_LAB_MS);
    struct fal_lab_outcome b = played("incast", 8, &swift, 3, FAL_LAB_MS);
    struct fal_lab_outcome c = played("incast", 8, &swift, 4, FAL_LAB_MS);

    ck_assert_uint_eq(a.trace, b.trace);
    ck_assert_uint_eq(a.events, b.events);
    ck_assert_uint_ne(a.trace, c.trace);
}
END_TEST

/* With losses, too: at each packet that arrives, and for each flow after all have stopped. */
START_TEST(each_byte_of_endpoints_is_accounted_for)
{
    struct fal_swift swift = swift_with(NULL, 0);
    struct seen seen = {.least_delay = UINT32_MAX};
    struct fal_lab_ask ask = {.flows = 6,
                              .seed = test_seed(1),
                              .rate_bps = RATE,
                              .swift = &swift,
                              .endpoints = true,
                              .record = see,
                              .record_ctx = &seen};
    struct fal_lab_bench *bench;
    struct fal_lab_outcome out;

    ask.time_ps = 60 * FAL_LAB_MS;
    bench = fal_lab_bench_new(&ask, 0);
    ck_assert_ptr_nonnull(bench);
    bench->queues[0].limit_bytes = 300000;
    for (uint32_t i = 0; i < ask.flows; i++)
        bench->lab.flows[i].config.stop_ps = FAL_LAB_MS;
    ck_assert_int_eq(fal_lab_bench_run(bench, &out), 0);
    ck_assert_uint_eq(seen.unbalanced, 0);
    ck_assert_uint_gt(bench->queues[0].dropped, 0);
    ck_assert_uint_eq(bench->queues[0].bytes, 0);
    ck_assert_uint_eq(bench->lab.fabric.bytes_in,
                      bench->lab.fabric.bytes_out + bench->lab.fabric.bytes_dropped);
    for (uint32_t i = 0; i < ask.flows; i++) {
        ck_assert_uint_gt(bench->lab.flows[i].counts.sent, 10);
        ck_assert_uint_gt(bench->lab.flows[i].counts.delivered_bytes, 0);
    }
    fal_lab_bench_free(bench);
}
END_TEST

/* Times and hops come from the packets: the least delay is that of the empty fabric. */
START_TEST(packets_carry_delay_and_hops)
{
    struct fal_swift swift = swift_with("max_fcwnd", 2);
    struct seen seen = {.least_delay = UINT32_MAX};
    struct fal_lab_ask ask = {.flows = 1,
                              .seed = 1,
                              .rate_bps = RATE,
                              .swift = &swift,
                              .endpoints = true,
                              .record = see,
                              .record_ctx = &seen};
    struct fal_lab_bench *bench;
    struct fal_lab_outcome out;
    const double empty = (double)(FAL_LAB_BASE_PS + fal_lab_serial_ps(RATE, FAL_LAB_PACKET)) /
                         (1 << FAL_LAB_TICK_SHIFT);

    ask.time_ps = FAL_LAB_MS;
    bench = fal_lab_bench_new(&ask, 0);
    ck_assert_ptr_nonnull(bench);
    bench->lab.flows[0].config.hops = 7;
    ck_assert_int_eq(fal_lab_bench_run(bench, &out), 0);
    ck_assert_uint_gt(seen.acks, 20);
    ck_assert_uint_eq(seen.hops, 7);
    /* The way back is up to half a microsecond shorter, that is 4 ticks. */
    ck_assert_msg(seen.least_delay > empty - 7 && seen.least_delay < empty + 1,
                  "%u ticks, expected %f", seen.least_delay, empty);
    /* Packets of the sizes that theory assumes, within 1 %. */
    ck_assert_uint_ge(bench->lab.fabric.bytes_in,
                      bench->lab.flows[0].counts.sent * FAL_LAB_PACKET / 100 * 99);
    ck_assert_uint_le(bench->lab.fabric.bytes_in,
                      bench->lab.flows[0].counts.sent * FAL_LAB_PACKET / 100 * 101);
    fal_lab_bench_free(bench);
}
END_TEST

START_TEST(many_endpoints_and_any_time_can_be_played)
{
    static const uint64_t times_us[] = {1, 200, 777};
    struct fal_swift swift = swift_with(NULL, 0);

    for (unsigned i = 0; i < sizeof times_us / sizeof *times_us; i++)
        (void)played("incast", 3, &swift, 1, times_us[i] * FAL_LAB_US);
    (void)played("incast", FAL_LAB_FLOWS_MAX, &swift, 1, FAL_LAB_MS);
    (void)played("incast-loss", 32, &swift, 1, 2 * FAL_LAB_MS);
    (void)played("mixed-rtt", 2, &swift, 1, 2 * FAL_LAB_MS);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("ends");
    TCase *tc = tcase_create("ends");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, endpoints_come_to_rest_where_swift_does);
    tcase_add_test(tc, endpoints_with_another_target_rest_elsewhere);
    tcase_add_test(tc, endpoints_join_and_leave);
    tcase_add_test(tc, FTP_10_4_11_plb_draws_a_path_for_endpoints);
    tcase_add_test(tc, endpoints_climb_the_staircase);
    tcase_add_test(tc, FTP_10_2_endpoints_keep_a_buffer_half_full);
    tcase_add_test(tc, FTP_10_6_2_1_08_endpoints_recover_from_bursts);
    tcase_add_test(tc, the_same_seed_gives_the_same_packets);
    tcase_add_test(tc, each_byte_of_endpoints_is_accounted_for);
    tcase_add_test(tc, packets_carry_delay_and_hops);
    tcase_add_test(tc, many_endpoints_and_any_time_can_be_played);
    suite_add_tcase(s, tc);
    return s;
}
