/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n)      "< push_data psn=" #n "r rsn=" #n "r len=4"
#define AT(us, n) "@" #us "us < push_data psn=" #n "r rsn=" #n "r len=4 ar"

static struct fal_connection connection(const struct kind *kind)
{
    struct fal_connection c = script_connection(kind);

    c.params.fcwnd = 4;
    return c;
}

static struct outcome x6(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = connection(kind);

    return script_run("X6", kind, &c, lines);
}

START_TEST(nothing_is_repeated)
{
    ck_holds(x6(&clean, LINES(P(0), "> back dbase=1r rbase=0r", "wait 3ms", "mark barrier")),
             1);
    /* before its ACK a copy is no matter of this rule */
    ck_holds(x6(&clean, LINES(P(0), AT(1000, 0), "> back dbase=1r rbase=0r")), 0);
}
END_TEST

/* A path that loses nothing, with its longest delay: 10 us each way. */
START_TEST(FTP_9_15_long_after_the_ack_came)
{
    struct outcome o = x6(&jitter, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(71, 0)));

    ck_breaks(o, "FTP-9-15", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 3);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2); /* its last copy */
    ck_assert_uint_eq(o.findings[0].evidence[1], 3); /* the ACK */
    ck_assert_uint_eq(o.findings[0].evidence[2], 4);
    ck_excused(x6(&jitter, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(70, 0))),
               FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

START_TEST(FTP_9_2_3_09_by_a_bit)
{
    const char *const *bit =
        LINES(P(0), P(1), "@50us > eack dbase=0r rbase=0r dack=0b10 drx=0b10", AT(100, 1));

    ck_breaks(x6(&clean, bit), "FTP-9-15", 1);
    /* where packets overtake each other a younger ACK may have it discarded (AMB-23) */
    ck_excused(x6(&jitter, bit), FAL_EXCUSE_PIPELINE, 1);
    /* received is not acknowledged */
    ck_holds(
        x6(&clean, LINES(P(0), P(1), "@50us > eack dbase=0r rbase=0r drx=0b10", AT(100, 1))),
        0);
}
END_TEST

/* An ACK with an older base in the other window may be discarded whole. */
START_TEST(a_stale_ack_proves_nothing)
{
    ck_excused(
        x6(&clean, LINES(P(0), "< pull_request psn=0r rsn=1r len=4", "> back dbase=0r rbase=1r",
                         "step > back dbase=1r rbase=0r", AT(100, 0))),
        FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

/* It sent number 4, which only base 1 or more permits: so it knew. */
START_TEST(by_a_number_that_only_its_base_permits)
{
    struct kind ordered = lossy;

    ordered.run.in_order_out = ordered.run.no_duplicates_out = true;
    ck_breaks(x6(&ordered, LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 4), AT(30, 0))),
              "FTP-9-15", 1);
    ck_excused(x6(&ordered, LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 3), AT(30, 0))),
               FAL_EXCUSE_IN_LOSS, 1);
    ck_excused(x6(&lossy, LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 4), AT(30, 0))),
               FAL_EXCUSE_IN_LOSS, 1); /* the two may have left the other way round */
}
END_TEST

START_TEST(by_the_transmit_window)
{
    struct kind ordered = lossy;
    struct fal_connection c = script_connection(&ordered);

    ordered.run.in_order_out = ordered.run.no_duplicates_out = true;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_fcwnd);
    c.params.tx_window_data = 4;
    ck_excused(script_run("X6", &ordered, &c,
                          LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 4), AT(30, 0))),
               FAL_EXCUSE_IN_LOSS, 1); /* its right edge may count (AMB-10) */
    ck_breaks(script_run("X6", &ordered, &c,
                         LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 5), AT(30, 0))),
              "FTP-9-15", 1);
    c.unknown_params |= FAL_PARAM_BIT(FAL_PARAM_AT_tx_window_data);
    ck_excused(script_run("X6", &ordered, &c,
                          LINES(P(0), "> back dbase=1r rbase=0r", AT(20, 500), AT(30, 0))),
               FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

/* Its upper layer was told: read, and only then did it repeat the packet. */
START_TEST(by_a_completion)
{
    struct kind bounded = lossy;

    bounded.run.delay_max_ns = 10 * FAL_US;
    ck_breaks(
        x6(&bounded, LINES(P(0), "> back dbase=1r rbase=0r", "@50us > back dbase=1r rbase=0r",
                           "completion 0r 0", AT(61, 0))),
        "FTP-9-15", 1);
    ck_excused(
        x6(&bounded, LINES(P(0), "> back dbase=1r rbase=0r", "@50us > back dbase=1r rbase=0r",
                           "completion 0r 0", AT(60, 0))),
        FAL_EXCUSE_IN_LOSS, 1);
    /* an error completion needs no ACK */
    ck_excused(
        x6(&bounded, LINES(P(0), "> back dbase=1r rbase=0r", "@50us > back dbase=1r rbase=0r",
                           "completion 0r 0 error", AT(90, 0))),
        FAL_EXCUSE_IN_LOSS, 1);
}
END_TEST

START_TEST(excuse_in_loss)
{
    struct kind lost = jitter;

    lost.run.lossless_in = false;
    ck_excused(x6(&lost, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(500, 0))),
               FAL_EXCUSE_IN_LOSS, 1);
    ck_breaks(x6(&jitter, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(500, 0))),
              "FTP-9-15", 1);
}
END_TEST

/* The same bytes again may be the network's doing. */
START_TEST(excuse_out_dup)
{
    ck_excused(x6(&jitter, LINES(P(0), "@50us > back dbase=1r rbase=0r", "@500us " P(0))),
               FAL_EXCUSE_OUT_DUP, 1);
    struct kind once = jitter;

    once.run.no_duplicates_out = true;
    ck_breaks(x6(&once, LINES(P(0), "@50us > back dbase=1r rbase=0r", "@500us " P(0))),
              "FTP-9-15", 1);
}
END_TEST

START_TEST(excuse_pipeline)
{
    struct kind piped = jitter;

    piped.pipeline_ns = 5 * FAL_US;
    ck_excused(x6(&piped, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(80, 0))),
               FAL_EXCUSE_PIPELINE, 1);
    ck_breaks(x6(&piped, LINES(P(0), "@50us > back dbase=1r rbase=0r", AT(81, 0))), "FTP-9-15",
              1);
}
END_TEST

START_TEST(across_a_step_of_the_clock_nothing_is_known)
{
    ck_excused(x6(&jitter,
                  LINES(P(0), "@50us > back dbase=1r rbase=0r", "mark clock_step", AT(500, 0))),
               FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = connection(&jitter);

    c.sut.data_psn = UINT32_MAX;
    ck_breaks(script_run("X6", &jitter, &c,
                         LINES(P(0), P(1), "@50us > back dbase=2r rbase=0r", AT(90, 1))),
              "FTP-9-15", 1);
    ck_holds(script_run("X6", &jitter, &c,
                        LINES(P(0), P(1), "@50us > back dbase=1r rbase=0r", AT(2190, 1))),
             1);
}
END_TEST

/* A base that another engine processes first makes the EACK stale. */
START_TEST(FTP_9_2_3_09_by_an_eack_that_may_be_overtaken)
{
    const char *eack = "@50us > eack dbase=0r rbase=0r dack=0b100 drx=0b100";

    ck_breaks(
        x6(&lanes, LINES(P(0), P(1), P(2), eack, "@56us > back dbase=1r rbase=0r", AT(100, 2))),
        "FTP-9-15", 1);
    ck_excused(
        x6(&lanes, LINES(P(0), P(1), P(2), eack, "@55us > back dbase=1r rbase=0r", AT(100, 2))),
        FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

/* A step acknowledged what was never sent: what the SUT makes of that is its own affair. */
START_TEST(assumes_base_not_beyond_sent)
{
    ck_holds(x6(&clean, LINES(P(0), "step > eack dbase=0r rbase=0r dack=0b10 drx=0b10", P(1),
                              AT(100, 1))),
             0);
    ck_breaks(x6(&clean, LINES(P(0), P(1), "step > eack dbase=0r rbase=0r dack=0b10 drx=0b10",
                               AT(100, 1))),
              "FTP-9-15", 1);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(
        x6(&jitter, LINES("> push_data psn=0r rsn=0r len=4", "@50us < back dbase=1r rbase=0r",
                          "@90us > push_data psn=0r rsn=0r len=4 ar"))
            .verdict,
        FAL_VERDICT_ERROR);
    ck_asked(
        x6(&jitter, LINES("> push_data psn=0r rsn=0r len=4", "@50us < back dbase=1r rbase=0r",
                          "wait 40us", "step > push_data psn=0r rsn=0r len=4 ar")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X6");
    TCase *tc = tcase_create("X6");

    tcase_add_test(tc, nothing_is_repeated);
    tcase_add_test(tc, FTP_9_15_long_after_the_ack_came);
    tcase_add_test(tc, FTP_9_2_3_09_by_a_bit);
    tcase_add_test(tc, a_stale_ack_proves_nothing);
    tcase_add_test(tc, by_a_number_that_only_its_base_permits);
    tcase_add_test(tc, by_the_transmit_window);
    tcase_add_test(tc, by_a_completion);
    tcase_add_test(tc, excuse_in_loss);
    tcase_add_test(tc, excuse_out_dup);
    tcase_add_test(tc, excuse_pipeline);
    tcase_add_test(tc, across_a_step_of_the_clock_nothing_is_known);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, assumes_base_not_beyond_sent);
    tcase_add_test(tc, our_own_side);
    tcase_add_test(tc, FTP_9_2_3_09_by_an_eack_that_may_be_overtaken);
    suite_add_tcase(suite, tc);
    return suite;
}
