/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON      "cc_trace on"
#define P       "< push_data psn=0r rsn=0r len=4"
#define Q       "< push_data psn=1r rsn=1r len=4"
#define BACK    "> back dbase=1r rbase=0r t1=7 t2=9"
#define BACK2   "> back dbase=2r rbase=0r t1=17 t2=19"
#define NACK    "> nack dbase=0r rbase=0r nack_psn=0r code=resource w=data t1=7 t2=9"
#define E       "entry event event_type=0 t1=7 t2=9"
#define N       "entry event event_type=1 nack_code=1 t1=7 t2=9"
#define AGAIN   "entry event event_type=2"
#define R       "entry result"
#define SETTLED "wait 1s"

static struct outcome with(const struct kind *kind, enum fal_rue_empty when_empty, uint64_t p2,
                           const char *const *lines)
{
    struct fal_connection c = queue_connection(kind);

    c.rue.has_policy = true;
    c.rue.when_empty = when_empty;
    c.rue.p1_ns = FAL_MS;
    c.rue.p2 = p2;
    return script_run("Q9", kind, &c, lines);
}

static struct outcome q9(const char *const *lines)
{
    return with(&clean, FAL_RUE_ALWAYS, 16, lines);
}

static void ck_nothing(struct outcome o)
{
    ck_assert_uint_eq(o.sut.broken, 0);
    ck_assert_uint_eq(o.sut.holds, 0);
}

START_TEST(an_event_for_each)
{
    ck_holds(q9(LINES(ON, P, BACK, E, R, SETTLED)), 1);
    ck_holds(q9(LINES(ON, P, BACK, E, R, SETTLED, Q, BACK2, E, R)), 2);
    ck_holds(q9(LINES(ON, P, NACK, N, R, SETTLED)), 1);
    ck_holds(q9(LINES("cc_engine tester", P, BACK, E, "cc_result", SETTLED, Q, BACK2, E)), 2);
}
END_TEST

START_TEST(FTP_10_6_1_02_no_event_although_the_queue_is_empty)
{
    ck_breaks(q9(LINES(ON, P, BACK, SETTLED, "close")), "FTP-10.6.1-02", 1);
    ck_breaks(q9(LINES(ON, P, BACK, SETTLED, Q, BACK2, E)), "FTP-10.6.1-02", 1);
    ck_breaks(q9(LINES(ON, P, BACK, E, R, SETTLED, Q, BACK2, SETTLED, "close")),
              "FTP-10.6.1-02", 1);
    ck_breaks(q9(LINES("cc_engine tester", P, BACK, E, "cc_result", SETTLED, Q, BACK2, SETTLED,
                       "close")),
              "FTP-10.6.1-02", 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_01_no_event_for_a_resource_nack)
{
    ck_breaks(q9(LINES(ON, P, NACK, SETTLED, "close")), "FTP-10.6.2.1-01", 1);
    /* of a packet that was acknowledged, or with another code */
    ck_nothing(q9(LINES(ON, P, "> nack dbase=1r rbase=0r nack_psn=0r code=resource w=data",
                        SETTLED, "close")));
    ck_nothing(q9(LINES(ON, P, "> nack dbase=0r rbase=0r nack_psn=0r code=rnr w=data", SETTLED,
                        "close")));
}
END_TEST

/* 10.6.1: P1 since the last event, P2 acknowledged since then. */
START_TEST(FTP_10_6_1_03_FTP_10_6_1_04_the_policy_as_it_was_declared)
{
    static const struct {
        enum fal_rue_empty when_empty;
        uint64_t p2;
        const char *pause;
        bool due; /* for the second ACK, with one packet before that had no event */
    } rows[] = {
        {FAL_RUE_ALWAYS, 16, "wait 100us", true}, {FAL_RUE_P1, 16, "wait 100us", false},
        {FAL_RUE_P1, 16, "wait 2ms", true},       {FAL_RUE_P2, 1, "wait 2ms", false},
        {FAL_RUE_P2, 0, "wait 100us", true},      {FAL_RUE_EITHER, 0, "wait 100us", true},
        {FAL_RUE_EITHER, 1, "wait 2ms", true},    {FAL_RUE_EITHER, 1, "wait 100us", false},
        {FAL_RUE_BOTH, 0, "wait 100us", false},   {FAL_RUE_BOTH, 1, "wait 2ms", false},
        {FAL_RUE_BOTH, 0, "wait 2ms", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* The first packet comes at once, so P1 of the first ACK never holds. */
        struct outcome o =
            with(&clean, rows[i].when_empty, rows[i].p2,
                 LINES(ON, P, Q, BACK, rows[i].pause, BACK2, "wait 100us", "close"));
        unsigned first = rows[i].when_empty == FAL_RUE_ALWAYS;

        ck_assert_msg(o.sut.broken == first + rows[i].due, "row %zu: %u", i,
                      (unsigned)o.sut.broken);
    }
}
END_TEST

/* AMB-43, AMB-79: only a queue that is surely empty, and an ACK that surely counts. */
START_TEST(what_may_have_filled_the_queue_or_was_no_ack_of_news)
{
    ck_nothing(q9(LINES(ON, P, AGAIN, BACK, SETTLED, "close")));    /* an event waits */
    ck_nothing(q9(LINES(ON, P, BACK, AGAIN, R, SETTLED, "close"))); /* it came before the ACK */
    ck_nothing(q9(LINES(ON, P, "> back dbase=0r rbase=0r", SETTLED, "close"))); /* no news */
    ck_nothing(q9(LINES(P, BACK, ON, Q, BACK2, SETTLED, "close"))); /* an event went unseen */
    ck_nothing(q9(LINES(ON, P, BACK, "cc_trace off", SETTLED, "close")));
    ck_nothing(q9(LINES(P, BACK, SETTLED, "close"))); /* nobody asked for entries */
    /* The second comes when the first may still be under way. */
    ck_assert_uint_eq(q9(LINES(ON, P, Q, BACK, BACK2, SETTLED, "close")).sut.broken, 0);
    ck_nothing(q9(LINES(ON, P, BACK, "dropped", SETTLED, "close")));
    ck_nothing(q9(LINES(ON, P, "mark gap_in 1", "> back dbase=0r rbase=0r", SETTLED, "close")));
}
END_TEST

START_TEST(a_path_that_may_lose_it)
{
    ck_nothing(with(&jitter, FAL_RUE_ALWAYS, 16, LINES(ON, P, BACK, SETTLED, "close")));
}
END_TEST

/* Without event_policy an event that is missing proves nothing. */
START_TEST(a_policy_that_was_not_declared)
{
    ck_nothing(queue_run("Q9", &clean, LINES(ON, P, BACK, SETTLED, "close")));
}
END_TEST

/* What P2 counts: bytes of payload, or something that nobody can count. */
START_TEST(FTP_10_6_1_05_the_metric_of_p2)
{
    struct fal_connection c = queue_connection(&clean);
    const char *const *lines =
        LINES(ON, P, Q, BACK, "wait 100us", BACK2, "wait 100us", "close");

    c.rue.has_policy = true;
    c.rue.when_empty = FAL_RUE_P2;
    c.rue.p2_metric = FAL_RUE_BYTES;
    c.rue.p2 = 4;
    ck_assert_uint_eq(script_run("Q9", &clean, &c, lines).sut.broken, 0);
    c.rue.p2 = 3;
    ck_assert_uint_eq(script_run("Q9", &clean, &c, lines).sut.broken, 1);
    c.rue.p2 = 0;
    c.rue.p2_metric = FAL_RUE_CELLS;
    ck_assert_uint_eq(script_run("Q9", &clean, &c, lines).sut.broken, 1);
    c.rue.p2_metric = FAL_RUE_OTHER;
    ck_assert_uint_eq(script_run("Q9", &clean, &c, lines).sut.broken, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q9");
    TCase *tc = tcase_create("rule Q9");

    tcase_add_test(tc, an_event_for_each);
    tcase_add_test(tc, FTP_10_6_1_02_no_event_although_the_queue_is_empty);
    tcase_add_test(tc, FTP_10_6_2_1_01_no_event_for_a_resource_nack);
    tcase_add_test(tc, FTP_10_6_1_03_FTP_10_6_1_04_the_policy_as_it_was_declared);
    tcase_add_test(tc, what_may_have_filled_the_queue_or_was_no_ack_of_news);
    tcase_add_test(tc, a_path_that_may_lose_it);
    tcase_add_test(tc, a_policy_that_was_not_declared);
    tcase_add_test(tc, FTP_10_6_1_05_the_metric_of_p2);
    suite_add_tcase(suite, tc);
    return suite;
}
