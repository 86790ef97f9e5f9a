/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome t2(const struct kind *kind, const char *const *lines)
{
    return judged("T2", kind, lines);
}

/* t1 7629 and 7705: packets of 1000 us and 1010 us. */
#define SENT                                                             \
    "iv 1000us", "@1000us > push_data psn=0r rsn=0r len=4", "iv 1010us", \
        "@1010us > push_data psn=1r rsn=1r len=4"

START_TEST(the_most_recent_holds)
{
    ck_holds(t2(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7705",
                              "< eack dbase=0r rbase=0r drx=0b11 t1=7705")),
             2);
    /* the second is not known to have come */
    ck_holds(t2(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b01 t1=7629")), 1);
}
END_TEST

START_TEST(FTP_10_1_10_an_older_one)
{
    struct outcome o = t2(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7705",
                                        "+1us < back dbase=2r rbase=0r t1=7629"));

    ck_breaks(o, "FTP-10.1-10", 1);
    ck_assert_uint_eq(o.findings[0].num_evidence, 4);
    ck_assert_uint_eq(o.findings[0].evidence[0], 2);
    ck_assert_uint_eq(o.findings[0].evidence[1], 3);
    ck_assert_uint_eq(o.findings[0].evidence[2], 4);
    /* its own claim tells */
    ck_breaks(t2(&clean, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
              "FTP-10.1-10", 1);
    /* so does that of a packet that is no ACK */
    ck_breaks(t2(&clean, LINES(SENT, "< push_data psn=0r rsn=0r len=4 dbase=2r",
                               "< back dbase=2r rbase=0r t1=7629")),
              "FTP-10.1-10", 1);
}
END_TEST

START_TEST(FTP_9_1_7_06_an_older_one_in_a_nack)
{
    ck_breaks(
        t2(&clean, LINES(SENT, "< nack dbase=2r rbase=0r nack_psn=1r code=6 w=data t1=7629")),
        "FTP-9.1.7-06", 1);
}
END_TEST

START_TEST(excuse_in_reorder)
{
    struct kind mixes = clean;

    mixes.run.in_order_in = false;
    mixes.run.delay_max_ns = FAL_NEVER;
    ck_excused(t2(&mixes, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
               FAL_EXCUSE_IN_REORDER, 1);
    mixes.run.delay_max_ns = 10 * FAL_US;
    ck_excused(t2(&mixes, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
               FAL_EXCUSE_IN_REORDER, 1);
    mixes.run.delay_max_ns = 10 * FAL_US - 1;
    ck_breaks(t2(&mixes, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
              "FTP-10.1-10", 1);
}
END_TEST

START_TEST(excuse_in_dup)
{
    struct kind doubles = clean;

    doubles.run.no_duplicates_in = false;
    doubles.run.delay_max_ns = FAL_NEVER;
    ck_excused(t2(&doubles, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
               FAL_EXCUSE_IN_DUP, 1);
}
END_TEST

/* By P the ACK may show an older state than the claim; and its own claim may be younger. */
START_TEST(pipeline_and_order)
{
    struct kind piped = clean;

    piped.pipeline_ns = 5 * FAL_US;
    ck_holds(t2(&piped, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7629",
                              "+5us < back dbase=2r rbase=0r t1=7629")),
             0);
    ck_holds(t2(&piped, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7705",
                              "+10us < back dbase=2r rbase=0r t1=7629")),
             0);
    ck_breaks(t2(&piped, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7705",
                               "+10001ns < back dbase=2r rbase=0r t1=7629")),
              "FTP-10.1-10", 1);
    /* an ACK that shows the newer packet may echo the older one for 2 P, and no longer */
    ck_holds(t2(&piped, LINES(SENT, "+10us < eack dbase=0r rbase=0r drx=0b11 t1=7629")), 0);
    ck_breaks(t2(&piped, LINES(SENT, "+10001ns < eack dbase=0r rbase=0r drx=0b11 t1=7629")),
              "FTP-10.1-10", 1);
    /* the two came 10 us apart: within this allowance the first may be processed last */
    piped.pipeline_ns = 10 * FAL_US;
    ck_excused(t2(&piped, LINES(SENT, "< eack dbase=0r rbase=0r drx=0b11 t1=7705",
                                "+30us < back dbase=2r rbase=0r t1=7629")),
               FAL_EXCUSE_PIPELINE, 1);
}
END_TEST

/* A retransmission has a t1 of its own, and is the most recent when it comes. */
START_TEST(a_retransmission_counts)
{
    ck_holds(t2(&clean, LINES(SENT, "iv 2000us", "@2000us > push_data psn=0r rsn=0r len=4",
                              "< eack dbase=0r rbase=0r drx=0b11 t1=15258")),
             1);
    /* the copy that came may have been the second: still younger than the other */
    ck_breaks(t2(&clean, LINES("iv 1000us", "@1000us > push_data psn=0r rsn=0r len=4",
                               "iv 1010us", "@1010us > push_data psn=1r rsn=1r len=4",
                               "iv 2000us", "@2000us > push_data psn=1r rsn=1r len=4",
                               "< eack dbase=0r rbase=0r drx=0b11 t1=7629")),
              "FTP-10.1-10", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule T2");
    TCase *tc = tcase_create("T2");

    tcase_add_test(tc, the_most_recent_holds);
    tcase_add_test(tc, FTP_10_1_10_an_older_one);
    tcase_add_test(tc, FTP_9_1_7_06_an_older_one_in_a_nack);
    tcase_add_test(tc, excuse_in_reorder);
    tcase_add_test(tc, excuse_in_dup);
    tcase_add_test(tc, pipeline_and_order);
    tcase_add_test(tc, a_retransmission_counts);
    suite_add_tcase(suite, tc);
    return suite;
}
