/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define P(n) "< push_data psn=" #n "r rsn=" #n "r len=4"
#define D(n) "< pull_data psn=" #n "r rsn=" #n "r"
#define R(n) "< pull_request psn=" #n "r rsn=" #n "r len=4"

static struct fal_connection connection(const struct kind *kind)
{
    struct fal_connection c = script_connection(kind);

    c.params.ncwnd = 2;
    c.params.max_attempts = 3;
    return c;
}

static struct outcome x5(const struct kind *kind, const char *const *lines)
{
    struct fal_connection c = connection(kind);

    return script_run("X5", kind, &c, lines);
}

START_TEST(as_many_as_allowed)
{
    ck_holds(x5(&clean, LINES(P(0))), 0);
    ck_holds(x5(&clean, LINES(P(0), P(1), R(0), "< pull_request psn=1r rsn=3r len=4")), 2);
    /* copies and answers do not count */
    ck_holds(x5(&clean, LINES(P(0), P(1), P(1), D(2), D(3), D(4))), 1);
    ck_holds(x5(&clean, LINES(P(0), P(1), "> back dbase=1r rbase=0r", P(2),
                              "> eack dbase=1r rbase=0r dack=0b10 drx=0b10", P(3))),
             3);
}
END_TEST

START_TEST(FTP_9_1_2_05_a_push_too_many)
{
    struct outcome o = x5(&clean, LINES(P(0), P(1), P(2)));

    ck_breaks(o, "FTP-9.1.2-05", 1);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "at most 2 pushes"));
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "3 are"));
    /* received is not acknowledged */
    ck_breaks(x5(&clean, LINES(P(0), P(1), "> eack dbase=0r rbase=0r drx=0b11", P(2))),
              "FTP-9.1.2-05", 1);
}
END_TEST

START_TEST(FTP_9_1_2_02_a_pull_request_too_many)
{
    ck_breaks(x5(&clean, LINES(R(0), R(1), R(2))), "FTP-9.1.2-02", 1);
}
END_TEST

/* What lies between was not sent; going through it would take minutes. */
START_TEST(a_leap_takes_no_time)
{
    struct outcome o = x5(&clean, LINES(P(0), P(1), "< push_data psn=2000000000r rsn=2r len=4",
                                        "< push_data psn=2000000001r rsn=3r len=4",
                                        "< push_data psn=2000000002r rsn=4r len=4",
                                        "< push_data psn=2000000003r rsn=5r len=4"));

    ck_assert_uint_ge(o.sut.broken, 1);
}
END_TEST

START_TEST(numbers_wrap)
{
    struct fal_connection c = connection(&clean);

    c.sut.data_psn = UINT32_MAX;
    ck_holds(script_run("X5", &clean, &c, LINES(P(0), P(1), "> back dbase=2r rbase=0r", P(2))),
             1);
    ck_breaks(script_run("X5", &clean, &c, LINES(P(0), P(1), P(2))), "FTP-9.1.2-05", 1);
}
END_TEST

/* A Resync took its place, or a NACK that leads to one came: no longer a push. */
START_TEST(what_is_replaced_does_not_count)
{
    ck_holds(x5(&clean, LINES(P(0), P(1), "< resync psn=0r rsn=0r code=4 of=push_data", P(2))),
             2);
    ck_holds(x5(&clean, LINES(P(0), P(1),
                              "> nack dbase=0r rbase=0r nack_psn=0r code=cie w=data", P(2))),
             2);
    ck_breaks(x5(&clean, LINES(P(0), P(1),
                               "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data", P(2))),
              "FTP-9.1.2-05", 1);
}
END_TEST

/* The Resync of one that ran out of attempts may have been lost on its way to us. */
START_TEST(lost_resyncs)
{
    struct kind late = jitter;

    late.run.lossless_out = false;
    ck_breaks(x5(&late, LINES(P(0), P(1), "+1ms < push_data psn=2r rsn=2r len=4")),
              "FTP-9.1.2-05", 1);
    ck_holds(x5(&late, LINES(P(0), P(1), "+3ms < push_data psn=2r rsn=2r len=4")), 2);
    ck_holds(x5(&late, LINES(P(0), "+3ms < pull_data psn=1r rsn=1r", P(2), P(3))), 2);
    ck_breaks(x5(&clean, LINES(P(0), P(1), "+3ms < push_data psn=2r rsn=2r len=4")),
              "FTP-9.1.2-05", 1);
    ck_holds(x5(&lossy, LINES(P(0), P(1), P(2))), 2); /* no bound at all */
    /* nor lost, but overtaken */
    ck_holds(x5(&jitter, LINES(P(0), P(1), "+3ms < push_data psn=2r rsn=2r len=4")), 2);
    ck_breaks(x5(&jitter, LINES(P(0), P(1), "+1ms < push_data psn=2r rsn=2r len=4")),
              "FTP-9.1.2-05", 1);
    /* that of a transaction that took too long, be it sent for the first time just before */
    ck_holds(x5(&late, LINES("wait 1s", P(0), P(1), P(2))), 2);
    ck_breaks(x5(&clean, LINES("wait 1s", P(0), P(1), P(2))), "FTP-9.1.2-05", 1);
}
END_TEST

/* A NACK ended it before its first copy was seen: a Resync may have taken its place. */
START_TEST(refused_before_it_was_seen)
{
    struct kind late = jitter;

    late.run.lossless_out = false;
    ck_holds(x5(&late, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=1r code=cie w=data",
                             "+1us < push_data psn=1r rsn=1r len=4",
                             "+1us < push_data psn=2r rsn=2r len=4")),
             1);
    /* itself: it left before its Resync, and came after what that made room for */
    ck_holds(x5(&late, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=1r code=cie w=data",
                             "+1us < push_data psn=2r rsn=2r len=4",
                             "+1us < push_data psn=1r rsn=1r len=4")),
             1);
    ck_breaks(x5(&late, LINES(P(0), "> nack dbase=0r rbase=0r nack_psn=1r code=resource w=data",
                              "+1us < push_data psn=1r rsn=1r len=4",
                              "+1us < push_data psn=2r rsn=2r len=4")),
              "FTP-9.1.2-05", 1);
}
END_TEST

START_TEST(not_given)
{
    struct fal_connection c = connection(&clean);

    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_ncwnd);
    ck_holds(script_run("X5", &clean, &c, LINES(P(0), P(1), P(2))), 0);
}
END_TEST

START_TEST(excuse_capture_gap)
{
    struct kind late = jitter;

    ck_undecided(x5(&clean, LINES(P(0), P(1), "mark gap_in 1", P(2))), 1);
    ck_breaks(x5(&clean, LINES(P(0), P(1), "mark gap_out 1", P(2))), "FTP-9.1.2-05", 1);
    /* a BACK tells the base again, an EACK everything */
    ck_undecided(
        x5(&clean, LINES(P(0), P(1), "mark gap_in 1", "> back dbase=0r rbase=0r", P(2))), 1);
    ck_breaks(x5(&clean, LINES(P(0), P(1), "mark gap_in 1", "> eack dbase=0r rbase=0r", P(2))),
              "FTP-9.1.2-05", 1);
    /* but not the NACK whose Resync was lost on its way to us */
    late.run.lossless_out = false;
    ck_holds(x5(&late, LINES(P(0), P(1), "mark gap_in 1", "> eack dbase=0r rbase=0r", P(2))),
             2);
    ck_breaks(x5(&late, LINES("mark gap_in 1", "> eack dbase=0r rbase=0r", P(0), P(1), P(2))),
              "FTP-9.1.2-05", 1);
}
END_TEST

/* Acknowledged before it was seen for the first time: it is not one more. */
START_TEST(a_late_copy_of_what_is_acknowledged)
{
    ck_holds(x5(&lossy, LINES(P(1), P(2), "> eack dbase=0r rbase=0r dack=0b1 drx=0b1", P(0))),
             1);
}
END_TEST

START_TEST(our_own_side)
{
    ck_assert_int_eq(
        x5(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "> push_data psn=2r rsn=2r len=4"))
            .verdict,
        FAL_VERDICT_ERROR);
    ck_asked(
        x5(&clean, LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4",
                         "step > push_data psn=2r rsn=2r len=4")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule X5");
    TCase *tc = tcase_create("X5");

    tcase_add_test(tc, as_many_as_allowed);
    tcase_add_test(tc, FTP_9_1_2_05_a_push_too_many);
    tcase_add_test(tc, FTP_9_1_2_02_a_pull_request_too_many);
    tcase_add_test(tc, a_leap_takes_no_time);
    tcase_add_test(tc, numbers_wrap);
    tcase_add_test(tc, what_is_replaced_does_not_count);
    tcase_add_test(tc, lost_resyncs);
    tcase_add_test(tc, refused_before_it_was_seen);
    tcase_add_test(tc, not_given);
    tcase_add_test(tc, excuse_capture_gap);
    tcase_add_test(tc, a_late_copy_of_what_is_acknowledged);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
