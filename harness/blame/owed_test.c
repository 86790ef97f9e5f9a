/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/blame/trace_testing.h"

static void ck_owed(const char *const *lines, uint64_t number, const char *due)
{
    struct told told;

    tell(&told, lines);
    ck_symptoms(tl_owed_ack(&told.trace, number, FAL_NEVER), due);
}

#define PULL0 "> pull_request psn=0r rsn=0r len=4"
#define PULL1 "> pull_request psn=1r rsn=1r len=4"

START_TEST(an_acknowledgement_is_no_symptom)
{
    ck_owed(LINES(PULL0, "+8us < back dbase=0r rbase=1r"), 0, "");
    ck_owed(LINES(PULL1, "+8us < eack dbase=0r rbase=0r req=0b10"), 0, "");
    ck_owed(LINES("> pull_request psn=64r rsn=64r len=4", "+8us < eack own=1"), 0, "");
    ck_owed(LINES(PULL0), 0, "");
}
END_TEST

START_TEST(what_an_ack_lacks)
{
    ck_owed(LINES(PULL1, "+8us < eack dbase=0r rbase=0r"), 0, "req-bit-missing");
    ck_owed(LINES(PULL1, "+8us < back dbase=0r rbase=0r"), 0, "back-for-requests");
    ck_owed(LINES(PULL0, "+8us < back dbase=0r rbase=0r"), 0, "req-base-behind");
    ck_owed(LINES("> push_data psn=1r rsn=1r len=4", "+8us < back"), 0, "back-for-hole");
    ck_owed(LINES("> push_data psn=1r rsn=1r len=4", "+8us < eack"), 0, "rx-bit-missing");
    /* its upper layer has not taken it yet */
    ck_owed(LINES("> push_data psn=1r rsn=1r len=4", "+8us < eack drx=0b10"), 0, "");
    ck_owed(LINES("> pull_data psn=1r rsn=1r", "+8us < back"), 0,
            "back-for-acks back-for-hole");
    ck_owed(LINES("> pull_data psn=1r rsn=1r", "+8us < eack drx=0b10"), 0, "ack-bit-missing");
    ck_owed(LINES("> pull_data psn=0r rsn=1r", "+8us < back"), 0,
            "pull-data-unacked data-base-behind");
    /* the ACK of a push may leave before the upper layer has taken it */
    ck_owed(LINES("> push_data psn=0r rsn=0r len=4 ar", "< back"), 0, "");
    ck_owed(LINES("> push_data psn=0r rsn=0r len=4 ar", "< back", "+8us < back"), 0,
            "data-base-behind");
}
END_TEST

START_TEST(what_a_resync_does_is_a_matter_of_its_own)
{
    ck_owed(LINES("> resync psn=0r rsn=0r code=cie of=push_data", "+8us < back"), 0, "");
    ck_owed(LINES("> resync psn=1r rsn=1r code=cie of=push_data", "+8us < eack"), 0, "");
    ck_owed(LINES("> resync psn=1r rsn=1r code=cie of=push_data", "+8us < back"), 0,
            "back-for-acks back-for-hole");
}
END_TEST

START_TEST(beyond_the_window)
{
    const char *const beyond = "> push_data psn=128r rsn=128r len=4";

    ck_owed(LINES(beyond, "+8us < back"), 0, "back-for-own own-missing-data");
    ck_owed(LINES(beyond, "+8us < eack"), 0, "own-missing-data");
    ck_owed(LINES(beyond, "+8us < eack own=2"), 0, "");
    ck_owed(LINES("> pull_request psn=64r rsn=64r len=4", "+8us < back"), 0,
            "back-for-own own-missing-requests");
    /* a packet without the bit left in between */
    ck_owed(LINES(beyond, "< push_data psn=0r rsn=0r len=4", "+8us < back"), 0,
            "own-lost-data own-missing-data");
}
END_TEST

START_TEST(piggybacks)
{
    ck_owed(LINES(PULL0, "+1us < push_data psn=0r rsn=0r len=4"), 0, "piggyback-old");
    ck_owed(LINES(PULL1, "+1us < push_data psn=0r rsn=0r len=4"), 0, "piggyback-stops-timer");
    ck_owed(LINES(PULL1, "+1us < push_data psn=0r rsn=0r len=4", "+7us < eack req=0b10"), 0,
            "");
}
END_TEST

START_TEST(nothing_that_came_after_the_time_counts)
{
    struct told told;

    tell(&told, LINES(PULL1, "+8us < eack dbase=0r rbase=0r"));
    ck_symptoms(tl_owed_ack(&told.trace, 0, 5 * FAL_US), "");
    ck_symptoms(tl_owed_ack(&told.trace, 0, 8 * FAL_US), "req-bit-missing");
    ck_symptoms(tl_owed_ack(&told.trace, 1, FAL_NEVER), ""); /* the SUT's own packet */
    ck_symptoms(tl_owed_ack(&told.trace, 7, FAL_NEVER), ""); /* there is none */
}
END_TEST

START_TEST(a_timer_that_each_packet_restarts)
{
    ck_owed(LINES(PULL0, "+5us > pull_request psn=1r rsn=1r len=4", "+8us < back rbase=2r"), 0,
            "timer-restarted");
    ck_owed(LINES(PULL0, "+5us > pull_request psn=1r rsn=1r len=4", "+3us < back rbase=2r"), 0,
            "");
}
END_TEST

START_TEST(what_refused_packets_have_in_common)
{
    struct told told;

    tell(&told, LINES("> push_data psn=0xffffffff rsn=0r len=4", "+8us < back dbase=0",
                      "> push_data psn=0 rsn=1r len=4"));
    ck_symptom(tl_why_refused(&told.trace, 2), "after-wrap");
    tell(&told,
         LINES("> push_data psn=0r rsn=0xffffffff len=4", "> push_data psn=1r rsn=0 len=4"));
    ck_symptom(tl_why_refused(&told.trace, 1), "after-rsn-wrap");
    tell(&told, LINES(PULL0, PULL1));
    told.packets[0].iv = 20;
    told.packets[1].iv = 10;
    ck_symptom(tl_why_refused(&told.trace, 1), "late-refused");
    told.packets[1].iv = 30;
    ck_symptom(tl_why_refused(&told.trace, 1), "");
}
END_TEST

static void ck_no_ack(const char *const *lines, uint64_t number, const char *due)
{
    struct told told;

    tell(&told, lines);
    ck_symptoms(tl_no_ack(&told.trace, number), due);
}

START_TEST(no_ack_at_all)
{
    ck_no_ack(LINES(PULL0), 0, "no-ack-in-time");
    ck_no_ack(LINES("> pull_request psn=0r rsn=0r len=4 ar"), 0, "no-ack-at-once");
    ck_no_ack(LINES("> push_data psn=0r rsn=0r len=4 ar"), 0, "no-ack-of-push");
    ck_no_ack(LINES(PULL0, "< back rbase=1r", PULL1), 2, "timer-jammed no-ack-in-time");
    ck_no_ack(LINES(PULL0, "< push_data psn=0r rsn=0r len=4 rbase=1r", PULL1), 2,
              "timer-jammed-by-piggyback no-ack-in-time");
    ck_no_ack(LINES(PULL0, "< back rbase=1r", PULL0), 2, "no-ack-of-dropped");
    ck_no_ack(LINES(PULL0, "< back rbase=1r", "> pull_request psn=80r rsn=80r len=4"), 2,
              "no-ack-of-dropped");
}
END_TEST

START_TEST(own_bits)
{
    struct told told;

    tell(&told, LINES("> push_data psn=127r rsn=0r len=4", "+8us < eack own=2",
                      "> push_data psn=128r rsn=1r len=4", "+8us < eack own=2"));
    ck_symptom(tl_own_inside(&told.trace, 1), "in-window-refused");
    ck_symptom(tl_own_inside(&told.trace, 3), "");
    ck_symptom(tl_own_kept(&told.packets[1].falcon), "own-kept-data");
    ck_symptom(tl_own_kept(&told.packets[0].falcon), "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("owed");
    TCase *tc = tcase_create("owed");

    tcase_add_test(tc, an_acknowledgement_is_no_symptom);
    tcase_add_test(tc, what_an_ack_lacks);
    tcase_add_test(tc, what_a_resync_does_is_a_matter_of_its_own);
    tcase_add_test(tc, beyond_the_window);
    tcase_add_test(tc, piggybacks);
    tcase_add_test(tc, nothing_that_came_after_the_time_counts);
    tcase_add_test(tc, a_timer_that_each_packet_restarts);
    tcase_add_test(tc, what_refused_packets_have_in_common);
    tcase_add_test(tc, no_ack_at_all);
    tcase_add_test(tc, own_bits);
    suite_add_tcase(suite, tc);
    return suite;
}
