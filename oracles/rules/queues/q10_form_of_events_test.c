/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"

#define ON "cc_trace on"
#define P  "< push_data psn=0r rsn=0r len=4"
#define G0 "entry event gen=0"
#define G1 "entry event gen=1"

static struct outcome with(unsigned queues, const char *const *lines)
{
    struct fal_connection c = queue_connection(&clean);

    c.rue.has_queues = true;
    c.rue.event_queues = queues;
    c.rue.event_ring = 3;
    return script_run("Q10", &clean, &c, lines);
}

static struct outcome q10(const char *const *lines)
{
    return with(1, lines);
}

START_TEST(gen_turns_each_time_the_queue_begins_again)
{
    ck_holds(q10(LINES(ON, G1, G1, G1, G0, G0, G0, G1, G1)), 8);
    ck_holds(q10(LINES(ON, G1, G0, G0, G0, G1)), 5); /* seen from its last entry on */
    ck_holds(q10(LINES(ON, G0, G0, "entry result", G0, G1)), 4);
}
END_TEST

START_TEST(FTP_10_6_2_1_34_gen_that_is_stuck_or_turns_too_soon)
{
    ck_breaks(q10(LINES(ON, G1, G1, G1, G1)), "FTP-10.6.2.1-34", 1);
    ck_breaks(q10(LINES(ON, G1, G0, G0, G0, G0)), "FTP-10.6.2.1-34", 1);
    ck_breaks(q10(LINES(ON, G1, G0, G0, G1)), "FTP-10.6.2.1-34", 1);
    ck_breaks(q10(LINES(ON, G1, G0, G1)), "FTP-10.6.2.1-34", 1);
}
END_TEST

/* Events of other queues, or of other connections, or that nobody saw, lie between. */
START_TEST(gen_where_events_go_unseen)
{
    ck_holds(with(2, LINES(ON, G1, G1, G1, G1)), 4);
    ck_holds(q10(LINES(ON, G1, G1, "cc_trace off", ON, G1, G1, G1)), 5);
    ck_assert_uint_eq(q10(LINES(ON, G1, "dropped", G1, G1, G1, G1)).sut.broken, 0);
    ck_holds(queue_run("Q10", &clean, LINES(ON, G1, G1, G1, G1)), 4); /* not declared */
}
END_TEST

START_TEST(FTP_10_6_2_1_22_FTP_10_6_2_1_33_reserved_bits)
{
    ck_breaks(q10(LINES(ON, "entry event reserved_0=1")), "FTP-10.6.2.1-22", 1);
    ck_breaks(q10(LINES(ON, "entry event reserved_1=4")), "FTP-10.6.2.1-33", 1);
}
END_TEST

START_TEST(FTP_10_6_2_1_23_a_queue_that_there_is_not)
{
    ck_breaks(q10(LINES(ON, "entry event event_queue_select=1")), "FTP-10.6.2.1-23", 1);
    ck_breaks(with(2, LINES(ON, "entry event event_queue_select=2")), "FTP-10.6.2.1-23", 1);
    ck_holds(with(2, LINES(ON, "entry event event_queue_select=1")), 1);
    ck_holds(queue_run("Q10", &clean, LINES(ON, "entry event event_queue_select=3")), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule Q10");
    TCase *tc = tcase_create("rule Q10");

    tcase_add_test(tc, gen_turns_each_time_the_queue_begins_again);
    tcase_add_test(tc, FTP_10_6_2_1_34_gen_that_is_stuck_or_turns_too_soon);
    tcase_add_test(tc, gen_where_events_go_unseen);
    tcase_add_test(tc, FTP_10_6_2_1_22_FTP_10_6_2_1_33_reserved_bits);
    tcase_add_test(tc, FTP_10_6_2_1_23_a_queue_that_there_is_not);
    suite_add_tcase(suite, tc);
    return suite;
}
