/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome r2(const char *eack)
{
    return judged(
        "R2", &udp,
        LINES("> push_data psn=0r rsn=0r len=4", "> push_data psn=1r rsn=1r len=4", eack));
}

START_TEST(FTP_9_2_2_4_10_bit_0_of_data_ack_bitmap)
{
    ck_breaks(r2("< eack dbase=0r rbase=0r dack=0b1 drx=0b1"), "FTP-9.2.2.4-10", 1);
}
END_TEST

START_TEST(FTP_9_2_2_4_10_bit_0_of_req_bitmap)
{
    ck_breaks(r2("< eack dbase=0r rbase=0r req=0b1"), "FTP-9.2.2.4-10", 1);
    ck_breaks(r2("< eack dbase=0r rbase=0r req=0b1 dack=0b11"), "FTP-9.2.2.4-10", 2);
}
END_TEST

/* A push at the base that waits for its upper layer; an ack bit without its rx bit; all rx
 * bits; an EACK where a BACK would do. */
START_TEST(what_breaks_nothing)
{
    ck_holds(r2("< eack dbase=0r rbase=0r drx=0b11"), 1);
    ck_holds(r2("< eack dbase=0r rbase=0r dack=0b10"), 1);
    ck_holds(r2("< eack dbase=0r rbase=0r drx=0xffffffffffffffffffffffffffffffff"), 1);
    ck_holds(r2("< eack dbase=0r rbase=0r"), 1);
}
END_TEST

START_TEST(other_packets_are_no_instance)
{
    ck_holds(r2("< back dbase=2r rbase=0r"), 0);
    ck_holds(r2("< nack dbase=0r rbase=0r nack_psn=0r code=1 w=data"), 0);
}
END_TEST

START_TEST(our_own_eacks_are_judged)
{
    struct outcome o = judged("R2", &clean, LINES("> eack dbase=0r rbase=0r req=0b1"));

    ck_assert_int_eq(o.verdict, FAL_VERDICT_ERROR);
    ck_asked(judged("R2", &clean, LINES("step > eack dbase=0r rbase=0r req=0b1")));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule R2");
    TCase *tc = tcase_create("R2");

    tcase_add_test(tc, FTP_9_2_2_4_10_bit_0_of_data_ack_bitmap);
    tcase_add_test(tc, FTP_9_2_2_4_10_bit_0_of_req_bitmap);
    tcase_add_test(tc, what_breaks_nothing);
    tcase_add_test(tc, other_packets_are_no_instance);
    tcase_add_test(tc, our_own_eacks_are_judged);
    suite_add_tcase(suite, tc);
    return suite;
}
