/* SPDX-License-Identifier: Apache-2.0
 * clock_test.c - IVs, ticks and delays: 7.7.1, 10.1. */
#include "oracles/endpoint/base/clock.h"
#include "oracles/rng.h"
#include "tests/testing.h"

START_TEST(FTP_7_7_1_09_a_tick_is_131_072_ns)
{
    static const struct {
        uint64_t ns;
        uint32_t ticks;
    } rows[] = {{0, 0},
                {131, 0},
                {132, 1},
                {262, 1},
                {263, 2},
                {131072, 1000},
                {131071, 999},
                {1000000000, 7629394},
                {UINT64_C(131072) << 23, UINT32_C(1000) << 23}};
    struct fal_clock clock;

    fal_clock_init(&clock, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(fal_clock_ticks(&clock, rows[i].ns), rows[i].ticks);
    /* 2^32 ticks and one more: the count has wrapped. */
    ck_assert_uint_eq(fal_clock_ticks(&clock, UINT64_C(562949953421) + 132), 1);
    ck_assert_uint_eq(fal_ticks_ns(1000), 131072);
    ck_assert_uint_eq(fal_ns_ticks(131072), 1000);
    ck_assert_uint_eq(fal_ns_ticks(131073), 1001);
}
END_TEST

START_TEST(FTP_10_1_01_t1_is_the_IV_of_the_packet)
{
    static const unsigned shifts[] = {0, 1, 8, 17, 18, 32};
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);

    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++)
        for (unsigned long round = 0; round < test_rounds(1000); round++) {
            struct fal_clock clock;
            uint64_t now = fal_rng_below(&rng, UINT64_C(1) << 50);

            fal_clock_init(&clock, fal_rng_next(&rng) & UINT64_MAX >> 16, shifts[i]);
            ck_assert_uint_eq(fal_clock_t1(&clock, fal_clock_iv(&clock, now)),
                              fal_clock_ticks(&clock, now));
        }
}
END_TEST

START_TEST(AMB_32_by_default_an_IV_is_picoseconds)
{
    struct fal_clock clock;

    fal_clock_init(&clock, 5000, 0);
    ck_assert_uint_eq(fal_clock_iv(&clock, 0), 5000);
    ck_assert_uint_eq(fal_clock_iv(&clock, 7), 12000);
    ck_assert_uint_eq(fal_clock_span(&clock, 3), 3000);
    fal_clock_init(&clock, 1 << 17, 18);
    ck_assert_uint_eq(fal_clock_iv(&clock, 0), 1 << 18);
    fal_clock_init(&clock, 1 << 17, 77); /* nonsense is the default */
    ck_assert_uint_eq(fal_clock_iv(&clock, 0), 1 << 17);
}
END_TEST

START_TEST(no_IV_is_used_twice)
{
    struct fal_clock clock;
    uint64_t last, iv;

    for (unsigned wrap = 0; wrap < 2; wrap++) {
        fal_clock_init(&clock, wrap ? UINT64_MAX - 2000 : 0, 0);
        last = fal_clock_iv(&clock, 0);
        ck_assert_uint_eq(last, wrap ? UINT64_MAX - 2000 : 0);
        for (unsigned i = 0; i < 10000; i++) {
            iv = fal_clock_iv(&clock, i / 4000); /* thousands within a nanosecond */
            ck_assert_int_gt((int64_t)(iv - last), 0);
            last = iv;
        }
        ck_assert_uint_eq(fal_clock_iv(&clock, 1000), clock.origin_ps + 1000000);
    }
}
END_TEST

START_TEST(FTP_10_1_06_to_09_the_four_delays)
{
    /* The peer's clock is 1000 ticks ahead; 5 ticks there, 7 at the peer, 6 back. */
    struct fal_times times = {.t1 = 100, .t2 = 1105, .t3 = 1112, .t4 = 118};

    ck_assert_uint_eq(fal_delay(&times, FAL_CC_DELAY_FULL, 32), 18);
    ck_assert_uint_eq(fal_delay(&times, FAL_CC_DELAY_FABRIC, 32), 11);
    ck_assert_uint_eq(fal_delay(&times, FAL_CC_DELAY_FORWARD, 32), 1005);
    ck_assert_uint_eq(fal_delay(&times, FAL_CC_DELAY_REVERSE, 24), 0x1000000 - 994);
}
END_TEST

START_TEST(delays_hold_over_the_wrap_of_their_counts)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);

    for (unsigned long i = 0; i < test_rounds(10000); i++) {
        unsigned bits = i % 2 == 0 ? 32 : 24;
        uint32_t mask = bits == 32 ? UINT32_MAX : 0xffffff;
        uint32_t there = (uint32_t)fal_rng_below(&rng, 1000),
                 back = (uint32_t)fal_rng_below(&rng, 1000);
        uint32_t stay = (uint32_t)fal_rng_below(&rng, 1000),
                 ahead = (uint32_t)fal_rng_next(&rng);
        struct fal_times t = {.t1 = (uint32_t)fal_rng_next(&rng) | 0xfffe00};

        t.t2 = t.t1 + there + ahead;
        t.t3 = t.t2 + stay;
        t.t4 = t.t1 + there + stay + back;
        t = (struct fal_times){t.t1 & mask, t.t2 & mask, t.t3 & mask, t.t4 & mask};
        ck_assert_uint_eq(fal_delay(&t, FAL_CC_DELAY_FULL, bits), there + stay + back);
        ck_assert_uint_eq(fal_delay(&t, FAL_CC_DELAY_FABRIC, bits), there + back);
        ck_assert_uint_eq(fal_delay(&t, FAL_CC_DELAY_FORWARD, bits), (there + ahead) & mask);
        ck_assert_uint_eq(fal_delay(&t, FAL_CC_DELAY_REVERSE, bits), (back - ahead) & mask);
    }
}
END_TEST

START_TEST(FTP_10_1_11_smoothing_weighs_the_sample_with_alpha)
{
    static const struct {
        uint64_t smoothed, sample;
        unsigned alpha;
        uint64_t due;
    } rows[] = {{800, 1600, 1024, 1600},
                {800, 1600, 0, 800},
                {800, 1600, 512, 1200},
                {800, 1600, 128, 900},
                {1600, 0, 128, 1400}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(fal_smooth(rows[i].smoothed, rows[i].sample, rows[i].alpha),
                          rows[i].due);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *tc = tcase_create("clock");

    tcase_add_test(tc, FTP_7_7_1_09_a_tick_is_131_072_ns);
    tcase_add_test(tc, FTP_10_1_01_t1_is_the_IV_of_the_packet);
    tcase_add_test(tc, AMB_32_by_default_an_IV_is_picoseconds);
    tcase_add_test(tc, no_IV_is_used_twice);
    tcase_add_test(tc, FTP_10_1_06_to_09_the_four_delays);
    tcase_add_test(tc, delays_hold_over_the_wrap_of_their_counts);
    tcase_add_test(tc, FTP_10_1_11_smoothing_weighs_the_sample_with_alpha);
    suite_add_tcase(suite, tc);
    return suite;
}
