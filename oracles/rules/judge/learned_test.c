/* SPDX-License-Identifier: Apache-2.0
 * learned_test.c - a turnaround that was learned may excuse, and never convicts. In all of
 * these the coalescing timeout is 8 us and the RTO 1 ms, so the caps are 2 us and 125 us. */
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

enum {
    BOTH = 1U << FAL_PARAM_AT_turnaround | 1U << FAL_PARAM_AT_pipeline,
};

#define PULL0 "> pull_request psn=0r rsn=0r len=4"
#define AR0   "> pull_request psn=0r rsn=0r len=4 ar"
#define LATER "wait 10ms", "mark barrier"

/* A SUT whose longest answer in the calibration took `max_ns`. */
static struct fal_connection learned(uint64_t max_ns)
{
    struct fal_connection c = script_connection(&clean);

    c.learned_params = BOTH;
    c.learned_max_ns = max_ns;
    c.params.turnaround_ns = c.params.pipeline_ns =
        fal_learned_capped_ns(&c.params, max_ns + max_ns / 4);
    return c;
}

static struct outcome after(const char *rule, uint64_t max_ns, const char *const *lines)
{
    struct fal_connection c = learned(max_ns);

    return script_run(rule, &clean, &c, lines);
}

START_TEST(a_learned_value_is_capped)
{
    struct fal_params params;

    fal_params_default(&params, false);
    ck_assert_uint_eq(fal_undeclared_cap_ns(&params, FAL_TIMER_COALESCING), 2 * FAL_US);
    ck_assert_uint_eq(fal_undeclared_cap_ns(&params, FAL_TIMER_RTO), 125 * FAL_US);
    ck_assert_uint_eq(fal_learned_capped_ns(&params, 1999), 1999);
    ck_assert_uint_eq(fal_learned_capped_ns(&params, 50 * FAL_US), 2 * FAL_US);
    params.coalescing_ns = FAL_S;
    ck_assert_uint_eq(fal_learned_capped_ns(&params, 50 * FAL_US), 50 * FAL_US);
    ck_assert_uint_eq(fal_learned_capped_ns(&params, FAL_MS), 125 * FAL_US);
}
END_TEST

START_TEST(what_may_convict_is_the_cap_of_a_timer_that_is_far_longer)
{
    struct fal_connection c = learned(1000);

    fal_learned_settle(&c);
    ck_assert_uint_eq(c.params.turnaround_ns, 2 * FAL_US);
    ck_assert_uint_eq(c.params.pipeline_ns, 2 * FAL_US);
    ck_assert_uint_eq(c.unknown_params, 0);
    c = learned(1601); /* with a quarter more it is above 2 us */
    fal_learned_settle(&c);
    ck_assert_uint_eq(c.params.turnaround_ns, 125 * FAL_US);
    c = learned(FAL_MS);
    fal_learned_settle(&c);
    ck_assert_uint_eq(c.params.turnaround_ns, FAL_UNLIMITED);
    ck_assert_uint_eq(c.unknown_params, BOTH);
    c = learned(0); /* nothing was measured */
    fal_learned_settle(&c);
    ck_assert_uint_eq(c.unknown_params, BOTH);
    c = learned(1000);
    c.learned_params = 0;
    c.params.turnaround_ns = 77;
    fal_learned_settle(&c);
    ck_assert_uint_eq(c.params.turnaround_ns, 77); /* declared */
}
END_TEST

/* Within the timeout it HOLDS; beyond, only the learned value helps; where that is no
 * explanation any more, the SUT fails. */
START_TEST(FTP_9_1_6_07_in_time_only_by_a_learned_value)
{
    struct outcome o = after("A2", 1000, LINES(PULL0, "+8us < back dbase=0r rbase=1r", LATER));

    ck_holds(o, 1);
    o = after("A2", 1000, LINES(PULL0, "+9us < back dbase=0r rbase=1r", LATER));
    ck_excused(o, FAL_EXCUSE_TURNAROUND, 1);
    ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_INCONC);
    o = after("A2", 1000, LINES(PULL0, "+15us < back dbase=0r rbase=1r", LATER));
    ck_breaks(o, "FTP-9.1.6-07", 1);
}
END_TEST

/* A slow SUT is not failed, and not passed: whatever the time, it is undecided. */
START_TEST(a_sut_that_is_slow_against_the_timer_is_undecided)
{
    ck_undecided(after("A2", 3000, LINES(PULL0, "+16us < back dbase=0r rbase=1r", LATER)), 1);
    ck_undecided(after("A2", FAL_MS, LINES(PULL0, "+2ms < back dbase=0r rbase=1r", LATER)), 1);
    ck_undecided(after("A2", FAL_MS, LINES(PULL0, LATER)), 1);
}
END_TEST

/* "At once" needs a timer 20 times as long as what the SUT takes. */
START_TEST(FTP_9_1_6_02_ar_of_an_undeclared_sut)
{
    ck_holds(after("A3", 100, LINES(AR0, "+1us < back dbase=0r rbase=1r", LATER)), 1);
    ck_breaks(after("A3", 100, LINES(AR0, "+8us < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-02", 1);
    ck_breaks(after("A3", 320, LINES(AR0, "+5us < back dbase=0r rbase=1r", LATER)),
              "FTP-9.1.6-02", 1);
    ck_undecided(after("A3", 321, LINES(AR0, "+5us < back dbase=0r rbase=1r", LATER)), 1);
    ck_undecided(after("A3", 1000, LINES(AR0, "+1us < back dbase=0r rbase=1r", LATER)), 1);
}
END_TEST

/* The order of two packets of the SUT is uncertain by as much as an undeclared P may be. */
START_TEST(order_within_an_undeclared_pipeline)
{
#define TWO(back)                                                                             \
    LINES(PULL0, "> pull_request psn=1r rsn=1r len=4", "+1us < back dbase=0r rbase=2r", back, \
          LATER)
    ck_excused(after("R3", 1000, TWO("+1us < back dbase=0r rbase=1r")), FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(after("R3", 1000, TWO("+3us < back dbase=0r rbase=1r")), "FTP-9.1.6-08", 1);
    ck_excused(after("R3", FAL_MS, TWO("+2ms < back dbase=0r rbase=1r")), FAL_EXCUSE_PIPELINE,
               1);
#undef TWO
}
END_TEST

/* The tester's own side has no learned values. */
START_TEST(the_testers_side_is_judged_as_before)
{
    struct outcome o =
        after("A2", FAL_MS, LINES("< pull_request psn=0r rsn=0r len=4", "+1us > back", LATER));

    ck_assert_uint_eq(o.sut.undecided, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("learned");
    TCase *tc = tcase_create("learned");

    tcase_add_test(tc, a_learned_value_is_capped);
    tcase_add_test(tc, what_may_convict_is_the_cap_of_a_timer_that_is_far_longer);
    tcase_add_test(tc, FTP_9_1_6_07_in_time_only_by_a_learned_value);
    tcase_add_test(tc, a_sut_that_is_slow_against_the_timer_is_undecided);
    tcase_add_test(tc, FTP_9_1_6_02_ar_of_an_undeclared_sut);
    tcase_add_test(tc, order_within_an_undeclared_pipeline);
    tcase_add_test(tc, the_testers_side_is_judged_as_before);
    suite_add_tcase(suite, tc);
    return suite;
}
