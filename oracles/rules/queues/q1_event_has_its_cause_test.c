/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON "cc_trace on"
#define P  "< push_data psn=0r rsn=0r len=4"
#define BACK \
    "> back dbase=1r rbase=0r t1=7 t2=9 hop_count=3 rx_buffer_occupancy=4 ecn_rx_count=5"
#define EACK   "> eack dbase=0r rbase=0r drx=0b10 t1=7 t2=9"
#define NACK   "> nack dbase=0r rbase=0r nack_psn=0r code=resource w=data t1=7 t2=9"
#define TIMES  "entry event event_type=0 t1=7 t2=9"
#define AND(x) (TIMES x)
#define FIELDS TIMES " forward_hops=3 rx_buffer_level=4 ecn_accumulated=5"
#define GOOD   (FIELDS)

static struct outcome q1(const struct kind *kind, const char *const *lines)
{
    return queue_run("Q1", kind, lines);
}

START_TEST(an_event_like_its_packet)
{
    ck_holds(q1(&clean, LINES(ON, P, BACK, GOOD)), 1);
    ck_holds(q1(&clean, LINES(ON, P, EACK, AND(" eack=1 eack_drop=1"))), 1);
    ck_holds(q1(&clean, LINES(ON, P, EACK, AND(" eack=1 eack_drop=0"))), 1);
    ck_holds(q1(&clean, LINES(ON, P, NACK, "entry event event_type=1 t1=7 t2=9 nack_code=1")),
             1);
    ck_holds(q1(&clean, LINES("cc_engine tester", P, BACK, GOOD)), 1);
    /* two packets of the same times, whichever event comes first */
    ck_holds(q1(&clean, LINES(ON, P, EACK, "> back dbase=0r rbase=0r t1=7 t2=9", TIMES,
                              AND(" eack=1"))),
             2);
    /* no event at all is not judged */
    ck_holds(q1(&clean, LINES(ON, P, BACK)), 0);
}
END_TEST

START_TEST(FTP_10_6_2_1_each_field_is_that_of_the_packet)
{
    static const struct {
        const char *packet, *event, *requirement;
    } rows[] = {
        {NACK, TIMES, "FTP-10.6.2.1-03"},
        {BACK, "entry event event_type=1 t1=7 t2=9 forward_hops=3", "FTP-10.6.2.1-03"},
        {NACK, "entry event event_type=1 t1=7 t2=9 nack_code=2", "FTP-10.6.2.1-10"},
        {BACK, AND(" forward_hops=2 rx_buffer_level=4 ecn_accumulated=5"), "FTP-10.6.2.1-11"},
        {BACK, AND(" forward_hops=3 rx_buffer_level=5 ecn_accumulated=5"), "FTP-10.6.2.1-12"},
        {BACK, AND(" forward_hops=3 rx_buffer_level=4 ecn_accumulated=6"), "FTP-10.6.2.1-32"},
        {BACK, (FIELDS " eack=1"), "FTP-10.6.2.1-21"},
        {EACK, TIMES, "FTP-10.6.2.1-21"},
        {BACK, (FIELDS " eack_drop=1"), "FTP-10.6.2.1-20"},
        {BACK, (FIELDS " connection_id=5"), "FTP-10.6.2.1-02"},
        {BACK, "entry event event_type=3 t1=7 t2=9", "FTP-10.6.2.1-03"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_breaks(q1(&clean, LINES(ON, P, rows[i].packet, rows[i].event)), rows[i].requirement,
                  1);
    /* an EACK without a hole */
    ck_breaks(q1(&clean, LINES(ON, P, "> eack dbase=0r rbase=0r drx=0b1 t1=7 t2=9",
                               AND(" eack=1 eack_drop=1"))),
              "FTP-10.6.2.1-20", 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_01_an_event_without_a_cause)
{
    ck_breaks(q1(&clean, LINES(ON, P, GOOD)), "FTP-10.6.2.1-01", 1);
    ck_breaks(q1(&clean, LINES(ON, P, BACK, GOOD, GOOD)), "FTP-10.6.2.1-01", 1);
    ck_breaks(q1(&clean, LINES(ON, P, BACK, "entry event event_type=0 t1=8 t2=10")),
              "FTP-10.6.2.1-01", 1);
}
END_TEST

/* The network doubled it, or nobody asked for entries when it was sent, or it went unseen. */
START_TEST(what_may_have_been_another_packet)
{
    struct outcome o = q1(&jitter, LINES(ON, P, BACK, GOOD, GOOD));

    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_IN_DUP], 1);
    o = q1(&clean, LINES(P, BACK, ON, GOOD));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    o = q1(&clean, LINES(ON, P, "mark gap_in 1", GOOD));
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_09_early_needs_an_eack_or_nack)
{
    const char *early = "entry event event_type=2 retransmit_reason=1";

    ck_breaks(q1(&clean, LINES(ON, P, early)), "FTP-10.6.2.1-09", 1);
    ck_breaks(q1(&clean, LINES(ON, P, BACK, early)), "FTP-10.6.2.1-09", 1);
    ck_holds(q1(&clean, LINES(ON, P, EACK, early)), 1);
    ck_holds(q1(&clean, LINES(ON, P, "entry event event_type=2 retransmit_reason=0")), 1);
}
END_TEST

#define R            "< pull_request psn=0r rsn=0r len=4"
#define P1           "< push_data psn=0r rsn=1r len=4"
#define AT(n, bases) "> back " bases " t1=" n " t2=" n
#define OF(n)        "entry event event_type=0 t1=" n " t2=" n

/* 9.2.3: an ACK with older bases than one before it is discarded, and has no effect. */
START_TEST(FTP_9_2_3_02_FTP_9_2_3_04_an_event_for_a_discarded_ack)
{
    struct outcome o;

    ck_breaks(q1(&clean, LINES(ON, R, P1, AT("1", "dbase=1r rbase=1r"), OF("1"),
                               AT("2", "dbase=0r rbase=0r"), OF("2"))),
              "FTP-9.2.3-02", 1);
    /* one base is older: AMB-23 */
    o = q1(&clean, LINES(ON, R, P1, AT("1", "dbase=1r rbase=0r"), OF("1"),
                         AT("2", "dbase=0r rbase=1r"), OF("2")));
    ck_assert_uint_eq(o.sut.broken, 0);
    /* the one before claims what was never sent, so it may be discarded itself */
    ck_holds(q1(&clean, LINES(ON, R, P1, AT("1", "dbase=9r rbase=9r"),
                              AT("2", "dbase=1r rbase=1r"), OF("2"))),
             1);
    /* the one before has one older base, so it may be discarded itself */
    ck_holds(
        q1(&clean, LINES(ON, R, P1, AT("1", "dbase=1r rbase=0r"), OF("1"),
                         AT("2", "dbase=0r rbase=1r"), AT("3", "dbase=1r rbase=0r"), OF("3"))),
        2);
    /* it may have come before the other, or the other not at all */
    o = q1(&jitter, LINES(ON, R, P1, AT("1", "dbase=1r rbase=1r"), OF("1"),
                          AT("2", "dbase=0r rbase=0r"), OF("2")));
    ck_assert_uint_eq(o.sut.broken, 0);
}
END_TEST

START_TEST(entries_of_an_unknown_format_say_nothing)
{
    ck_holds(judged("Q1", &clean, LINES(ON, P, GOOD)), 0);
}
END_TEST

/* Of EACKs that agree in all but their bitmaps, each event may be about each. */
START_TEST(packets_of_one_moment)
{
    static const char whole[] = "> eack dbase=0r rbase=0r drx=0b1 t1=7 t2=9";

    ck_holds(q1(&clean, LINES(ON, P, EACK, whole, AND(" eack=1"), AND(" eack=1 eack_drop=1"))),
             2);
    ck_holds(q1(&clean, LINES(ON, P, whole, EACK, AND(" eack=1 eack_drop=1"), AND(" eack=1"))),
             2);
    ck_breaks(q1(&clean, LINES(ON, P, whole, whole, AND(" eack=1 eack_drop=1"))),
              "FTP-10.6.2.1-20", 1);
}
END_TEST

/* More ACKs than are kept: an event may be about one of the first, and not about a later one
 * that was never sent. */
START_TEST(a_long_burst)
{
    enum { BURST = 300, WIDTH = 80 };
    static char text[BURST][WIDTH];
    const char *lines[BURST + 4] = {ON, P};
    struct outcome o;

    for (int i = 0; i < BURST; i++) {
        (void)snprintf(text[i], WIDTH, "> back dbase=0r rbase=0r t1=7 t2=%d", 100 + i);
        lines[2 + i] = text[i];
    }
    lines[2 + BURST] = "entry event event_type=0 t1=7 t2=101";
    o = q1(&clean, lines);
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.undecided, 1);
    lines[2 + BURST] = "entry event event_type=0 t1=7 t2=399";
    ck_holds(q1(&clean, lines), 1);
    lines[2 + BURST] = "entry event event_type=0 t1=7 t2=401";
    ck_breaks(q1(&clean, lines), "FTP-10.6.2.1-01", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q1");
    TCase *tc = tcase_create("rule Q1");

    tcase_add_test(tc, an_event_like_its_packet);
    tcase_add_test(tc, FTP_10_6_2_1_each_field_is_that_of_the_packet);
    tcase_add_test(tc, FTP_10_6_2_1_01_an_event_without_a_cause);
    tcase_add_test(tc, what_may_have_been_another_packet);
    tcase_add_test(tc, FTP_10_6_2_1_09_early_needs_an_eack_or_nack);
    tcase_add_test(tc, FTP_9_2_3_02_FTP_9_2_3_04_an_event_for_a_discarded_ack);
    tcase_add_test(tc, entries_of_an_unknown_format_say_nothing);
    tcase_add_test(tc, packets_of_one_moment);
    tcase_add_test(tc, a_long_burst);
    suite_add_tcase(suite, tc);
    return suite;
}
