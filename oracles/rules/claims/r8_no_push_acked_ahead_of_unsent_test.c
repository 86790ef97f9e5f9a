/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r8(const struct kind *kind, const char *const *lines)
{
    return judged("R8", kind, lines);
}

#define PUSH0 "> push_data psn=0r rsn=0r len=4"
#define PULL1 "> pull_request psn=0r rsn=1r len=4"
#define PUSH2 "> push_data psn=1r rsn=2r len=4"

START_TEST(in_order_it_holds)
{
    ck_holds(r8(&lossy, LINES(PUSH0, PULL1, PUSH2, "< back dbase=2r rbase=1r")), 2);
    ck_holds(r8(&lossy, LINES(PUSH2, PULL1, PUSH0, "< eack dbase=0r rbase=1r dack=0b10")), 1);
    /* that it was received is no acknowledgement */
    ck_holds(r8(&lossy, LINES(PUSH0, PUSH2, "< eack dbase=0r rbase=0r drx=0b11")), 0);
    /* packets after the push do not matter */
    ck_holds(r8(&lossy, LINES(PUSH0, PUSH2, "< back dbase=1r rbase=0r")), 1);
}
END_TEST

START_TEST(FTP_8_5_2_01_acknowledged_ahead_of_an_unsent_one)
{
    struct outcome o = r8(&lossy, LINES(PUSH0, PUSH2, "< back dbase=2r rbase=0r"));

    ck_breaks(o, "FTP-8.5.2-01", 1);
    ck_assert_uint_eq(o.findings[0].evidence[0], 3);
    ck_assert_ptr_nonnull(strstr(o.findings[0].expected, "RSN 1r"));
    ck_breaks(r8(&udp, LINES(PUSH2, "< eack dbase=0r rbase=0r dack=0b10 drx=0b10")),
              "FTP-8.5.2-01", 1);
}
END_TEST

START_TEST(a_resync_stands_for_its_packet)
{
    ck_holds(r8(&lossy, LINES(PUSH0, PUSH2, "> resync psn=0r rsn=1r code=cie of=pull_request",
                              "< back dbase=2r rbase=0r")),
             2);
    /* that of the push itself acknowledges by itself */
    ck_holds(r8(&lossy, LINES(PUSH2, "> resync psn=1r rsn=2r code=cie of=push_data",
                              "< eack dbase=0r rbase=0r dack=0b10")),
             0);
}
END_TEST

START_TEST(unordered_connections_are_not_judged)
{
    struct fal_connection c = script_connection(&lossy);

    c.params.ordered = false;
    ck_holds(script_run("R8", &lossy, &c, LINES(PUSH0, PUSH2, "< back dbase=2r rbase=0r")), 0);
    c.params.ordered = true;
    c.unknown_params = FAL_PARAM_BIT(FAL_PARAM_AT_ordered);
    ck_holds(script_run("R8", &lossy, &c, LINES(PUSH0, PUSH2, "< back dbase=2r rbase=0r")), 0);
}
END_TEST

START_TEST(what_may_have_gone_unseen_is_undecided)
{
    struct kind middle = lossy;

    ck_undecided(r8(&lossy, LINES("mark gap_in 1", PUSH0, PUSH2, "< back dbase=2r rbase=0r")),
                 1);
    middle.unknown = true;
    ck_undecided(r8(&middle, LINES("< back dbase=0r rbase=0r", PUSH0, PUSH2,
                                   "< back dbase=2r rbase=0r")),
                 2);
    ck_undecided(r8(&capture, LINES("< back dbase=0r rbase=0r", PUSH0, PUSH2,
                                    "< back dbase=2r rbase=0r")),
                 2);
}
END_TEST

START_TEST(wrap_around)
{
    struct fal_connection c = script_connection(&lossy);

    c.tester.rsn = 0xffffffff;
    c.tester.data_psn = 0xffffffff;
    ck_holds(
        script_run("R8", &lossy, &c, LINES(PUSH0, PULL1, PUSH2, "< back dbase=2r rbase=1r")),
        2);
    ck_breaks(script_run("R8", &lossy, &c, LINES(PUSH0, PUSH2, "< back dbase=2r rbase=0r")),
              "FTP-8.5.2-01", 1);
}
END_TEST

START_TEST(our_own_side)
{
    ck_asked(
        r8(&lossy, LINES("< push_data psn=0r rsn=1r len=4", "step > back dbase=1r rbase=0r")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R8");
    TCase *tc = tcase_create("R8");

    tcase_add_test(tc, in_order_it_holds);
    tcase_add_test(tc, FTP_8_5_2_01_acknowledged_ahead_of_an_unsent_one);
    tcase_add_test(tc, a_resync_stands_for_its_packet);
    tcase_add_test(tc, unordered_connections_are_not_judged);
    tcase_add_test(tc, what_may_have_gone_unseen_is_undecided);
    tcase_add_test(tc, wrap_around);
    tcase_add_test(tc, our_own_side);
    suite_add_tcase(suite, tc);
    return suite;
}
