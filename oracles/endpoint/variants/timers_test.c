/* SPDX-License-Identifier: Apache-2.0
 * timers_test.c - timers that are late, or run by ticks: how far each may be off. */
#include "oracles/endpoint/variants/timers.h"

#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { TICK = 70000, SEEDS = 20, LATE_PART = 20, STAMP_PS = 131072 };

static struct solo *with(enum fal_twin_id id, uint64_t seed)
{
    struct solo *s = solo_new();

    s->config.seed = seed;
    s->now_ns += seed * 12345; /* a tick begins elsewhere for each */
    s->open.params.tick_ns = TICK;
    s->open.params.coalescing_ns = 200 * FAL_US;
    s->open.params.initial_rtt_ns = 100 * FAL_MS;
    s->open.params.rto_varies = true;
    s->open.params.rto_lo_ns = 700 * FAL_US;
    s->open.params.rto_hi_ns = 900 * FAL_US;
    fal_twin_add(&s->open.twins, id);
    solo_open(s);
    return s;
}

/* After how long a push is sent again, a pull is acknowledged, a pull whose ULP is not ready is
 * delivered again, and a pull without an answer times out. */
enum what { RTO, COALESCING, RNR, TIMEOUT };

static uint64_t took(struct solo *s, enum what what)
{
    uint64_t begin = s->now_ns;

    switch (what) {
    case RTO:
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_wait(s, 3 * s->open.params.rto_ns / 2);
        return solo_sent(s, FAL_PUSH_DATA, 1)->at_ns - begin;
    case COALESCING:
        solo_feed_pull(s, 0, 0, false);
        solo_wait(s, 2 * s->open.params.coalescing_ns);
        return solo_sent(s, FAL_BACK, 0)->at_ns - begin;
    case RNR:
        solo_feed_pull(s, 0, 0, false);
        solo_rnr(s, 0, 1280 * FAL_US);
        solo_wait(s, 3 * FAL_MS);
        return solo_nth(s, FAL_OUT_REQUEST, 1)->at_ns - begin;
    case TIMEOUT:
        solo_post(s, FAL_OP_PULL, 4, 1);
        solo_wait(s, 100);
        solo_feed_back(s, 1, 0);
        solo_wait(s, 2 * s->open.params.transaction_timeout_ns);
        return solo_nth(s, FAL_OUT_COMPLETE, 0)->at_ns - begin;
    }
    return 0;
}

static uint64_t nominal(const struct solo *s, enum what what)
{
    const struct fal_params *p = &s->open.params;

    return what == RTO          ? p->rto_ns
           : what == COALESCING ? p->coalescing_ns
           : what == RNR        ? 1280 * FAL_US
                                : p->transaction_timeout_ns;
}

/* A variant, and how much earlier and later than nominal it may be. */
static const struct {
    enum fal_twin_id id;
    bool early, late, part; /* part: of the time; else a tick */
} bounds[] = {
    {FAL_TWIN_TIMERS_LATE, false, true, true},
    {FAL_TWIN_TIMERS_GRID, false, true, false},
    {FAL_TWIN_TIMERS_WHEEL, true, false, false},
    {FAL_TWIN_CLOCK_COARSE, false, true, false},
};

START_TEST(a_timer_is_off_by_no_more_than_its_variant_says)
{
    for (int what = RTO; what <= TIMEOUT; what++) {
        bool off = false;

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct solo *s = with(bounds[_i].id, seed);
            uint64_t due = nominal(s, (enum what)what), real = took(s, (enum what)what);
            uint64_t most = bounds[_i].part ? due / LATE_PART : TICK - 1;

            ck_assert_uint_ge(real, bounds[_i].early ? due - most : due);
            ck_assert_uint_le(real, bounds[_i].late ? due + most : due);
            off |= real != due;
            solo_free(s);
        }
        ck_assert_msg(off, "timer %d is exact", what);
    }
}
END_TEST

/* FTP-9.1.5-06: packets of a window that time out are sent again in PSN order. */
START_TEST(FTP_9_1_5_06_late_timers_keep_their_order)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_TIMERS_LATE, seed);

        solo_post_many(s, FAL_OP_PUSH, 30);
        solo_forget(s);
        solo_wait(s, s->open.params.rto_ns + s->open.params.rto_ns / LATE_PART);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 30);
        for (uint32_t i = 0; i < 30; i++)
            ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + i);
        solo_free(s);
    }
}
END_TEST

START_TEST(expiries_lie_on_ticks)
{
    static const enum fal_twin_id ids[] = {FAL_TWIN_TIMERS_GRID, FAL_TWIN_TIMERS_WHEEL};

    for (int what = RTO; what <= TIMEOUT; what++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct solo *s = with(ids[_i], seed);
            uint64_t begin = s->now_ns, real = took(s, (enum what)what);

            ck_assert_uint_eq((begin + real) % TICK, 0);
            solo_free(s);
        }
}
END_TEST

/* A timer shorter than a tick is rounded up: nothing expires at once. */
START_TEST(a_wheel_rounds_short_times_up)
{
    struct solo *s = with(FAL_TWIN_TIMERS_WHEEL, 1);

    fal_endpoint_close(s->ep, s->conn);
    s->open.params.coalescing_ns = TICK / 2;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    s->now_ns += TICK - s->now_ns % TICK;
    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, TICK - 1);
    solo_no_ack(s);
    solo_wait(s, 1);
    solo_the_ack(s, FAL_BACK);
    solo_free(s);
}
END_TEST

START_TEST(an_RTO_varies_within_its_limits)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RTO_VARIES, seed);
        uint64_t real = took(s, RTO);

        ck_assert_uint_ge(real, s->open.params.rto_lo_ns);
        ck_assert_uint_le(real, s->open.params.rto_hi_ns);
        least = real < least ? real : least;
        most = real > most ? real : most;
        solo_free(s);
    }
    ck_assert_uint_gt(most, least);
}
END_TEST

/* A push that gets an RNR NACK with a short timeout is sent again after the RTO (8.5.3.4). */
START_TEST(FTP_6_6_3_01_after_an_RNR_the_RTO_varies_too)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RTO_VARIES, seed);
        struct fal_falcon nack = solo_nack(SOLO_DATA, FAL_NACK_RNR);
        uint64_t begin, real;

        nack.window = FAL_WINDOW_DATA;
        nack.rnr_timeout = 1;
        fal_retransmit_timeout(fal_ep_conn_find(s->ep, s->conn), 10 * FAL_MS);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        solo_feed(s, &nack, NULL, 0);
        begin = s->now_ns;
        solo_wait(s, 3 * FAL_MS);
        ck_assert_uint_ge(solo_packets(s, FAL_PUSH_DATA), 2);
        real = solo_sent(s, FAL_PUSH_DATA, 1)->at_ns - begin;
        ck_assert_uint_ge(real, s->open.params.rto_lo_ns);
        ck_assert_uint_le(real, s->open.params.rto_hi_ns);
        solo_free(s);
    }
}
END_TEST

/* Two pushes are sent in one moment, and between them the congestion engine gives the
 * connection a new RTO. Writes after how long each is sent again. */
static void moved(enum fal_twin_id id, uint64_t seed, uint64_t rto_ns, uint64_t again_ns[2])
{
    struct solo *s = with(id, seed);
    uint64_t begin = s->now_ns;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    fal_retransmit_timeout(fal_ep_conn_find(s->ep, s->conn), rto_ns);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_wait(s, 3 * FAL_MS);
    for (uint32_t i = 0; i < 2; i++) {
        const struct solo_out *out = solo_sent(s, FAL_PUSH_DATA, 2 + i);

        again_ns[out->packet.psn - SOLO_DATA] = out->at_ns - begin;
    }
    solo_free(s);
}

/* The timer that ran when the RTO came is as accurate as one that is started then. */
START_TEST(FTP_9_1_5_06_a_timer_that_runs_when_the_RTO_changes)
{
    const uint64_t rto_ns = 1500003;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t most = bounds[_i].part ? rto_ns / LATE_PART : TICK, again_ns[2];

        moved(bounds[_i].id, seed, rto_ns, again_ns);
        ck_assert_uint_le(again_ns[0], again_ns[1]);
        ck_assert_uint_ge(again_ns[0], bounds[_i].early ? rto_ns - most : rto_ns);
        ck_assert_uint_le(again_ns[1], bounds[_i].late ? rto_ns + most : rto_ns);
    }
}
END_TEST

/* A device that sets the RTO itself keeps within its limits, whatever it is given. */
START_TEST(FTP_9_1_1_17_an_RTO_of_the_device_stays_within_its_limits)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int longer = 0; longer < 2; longer++) {
            uint64_t again_ns[2];

            moved(FAL_TWIN_RTO_VARIES, seed, longer ? 2 * FAL_MS : 100 * FAL_US, again_ns);
            for (int i = 0; i < 2; i++) {
                ck_assert_uint_ge(again_ns[i], 700 * FAL_US);
                ck_assert_uint_le(again_ns[i], 900 * FAL_US);
            }
        }
}
END_TEST

/* FTP-7.7.1-11: t2 stays in units of 131.072 ns, however coarse the clock is. */
START_TEST(FTP_7_7_1_11_stamps_of_a_coarse_clock)
{
    struct solo *s = with(FAL_TWIN_CLOCK_COARSE, 1);
    uint32_t step = 1, t2;

    while (UINT64_C(2) * step * STAMP_PS <= UINT64_C(1000) * TICK)
        step *= 2;
    ck_assert_uint_gt(step, 1);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t exact = (uint32_t)(s->now_ns * 1000 / STAMP_PS);

        solo_forget(s);
        solo_feed_pull(s, i, i, true);
        t2 = solo_the_ack(s, FAL_BACK)->t2;
        ck_assert_uint_eq(t2, exact / step * step);
        solo_wait(s, 7777);
    }
    solo_free(s);
}
END_TEST

/* No IV is used twice, and each is as old as a step of the clock at most. */
START_TEST(IVs_of_a_coarse_clock_grow)
{
    struct solo *s = with(FAL_TWIN_CLOCK_COARSE, 1);
    uint64_t last = 0;

    fal_endpoint_close(s->ep, s->conn);
    s->open.security = (struct fal_endpoint_security){.on = true, .spi = 1, .peer_spi = 2};
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    for (uint32_t i = 0; i < 40; i++) {
        solo_forget(s);
        solo_post(s, FAL_OP_PUSH, 4, i);
        for (size_t k = 0; k < s->n; k++) {
            uint64_t iv = s->outs[k].out.seal.iv, now_ps = s->now_ns * 1000;

            ck_assert_uint_gt(iv, last);
            ck_assert_uint_le(iv, now_ps + 100); /* what it does not show counts packets */
            ck_assert_uint_lt(now_ps - iv + 100, UINT64_C(1000) * TICK + 100);
            last = iv;
        }
        solo_wait(s, i % 3 == 0 ? 0 : 7777);
    }
    ck_assert_uint_gt(last, 0);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timers and clocks");
    TCase *tc = tcase_create("timers");

    tcase_add_loop_test(tc, a_timer_is_off_by_no_more_than_its_variant_says, 0, 4);
    tcase_add_test(tc, FTP_9_1_5_06_late_timers_keep_their_order);
    tcase_add_loop_test(tc, expiries_lie_on_ticks, 0, 2);
    tcase_add_test(tc, a_wheel_rounds_short_times_up);
    tcase_add_test(tc, an_RTO_varies_within_its_limits);
    tcase_add_test(tc, FTP_6_6_3_01_after_an_RNR_the_RTO_varies_too);
    tcase_add_loop_test(tc, FTP_9_1_5_06_a_timer_that_runs_when_the_RTO_changes, 0, 4);
    tcase_add_test(tc, FTP_9_1_1_17_an_RTO_of_the_device_stays_within_its_limits);
    tcase_add_test(tc, FTP_7_7_1_11_stamps_of_a_coarse_clock);
    tcase_add_test(tc, IVs_of_a_coarse_clock_grow);
    suite_add_tcase(suite, tc);
    return suite;
}
