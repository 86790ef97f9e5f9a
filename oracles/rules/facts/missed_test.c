/* SPDX-License-Identifier: Apache-2.0
 * missed_test.c - captures of third parties that are declared to be complete: rules that a
 * capture leaves undecided decide, the path may still lose packets, and a packet that the
 * capture misses is noticed. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* A capture at the SUT's port: each path is as the run says. */
#define AT_SUT .live = true, .vantage = FAL_VANTAGE_SUT, .delay_max_ns = FAL_NEVER

static const struct kind plain = {.run = {AT_SUT}, .foreign = true};
static const struct kind complete = {.run = {AT_SUT, .complete = true}, .foreign = true};
/* In the middle of a path that loses packets. */
static const struct kind between = {.run = {.live = true,
                                            .vantage = FAL_VANTAGE_MIDDLE,
                                            .delay_max_ns = 10 * FAL_US,
                                            .complete = true},
                                    .foreign = true};

#define PUSH(n) "> push_data psn=" #n "r rsn=" #n "r len=4"
#define SENT(n) "< push_data psn=" #n "r rsn=" #n "r len=4"

/* Plays the lines with all rules, and returns the proof that the capture misses a packet. */
static struct fal_missed missed(const struct kind *kind, const char *const *lines)
{
    struct fal_connection connection = script_connection(kind);
    struct fal_judge *judge = fal_judge_new(&(struct fal_judge_config){.whole = true});
    struct fal_event_storage storage = {0};
    struct fal_missed out = {0};
    struct script s;

    ck_assert_ptr_nonnull(judge);
    script_start(&s, kind, &connection);
    for (; *lines != NULL; lines++)
        script_line(&s, *lines);
    for (size_t i = 0; i < json_array_size(s.events); i++) {
        struct fal_event event;
        struct fal_error err;

        ck_assert_int_eq(
            fal_event_from_json(json_array_get(s.events, i), &event, &storage, &err), 0);
        fal_judge_event(judge, &event);
    }
    fal_judge_finish(judge);
    if (fal_judge_missed(judge) != NULL)
        out = *fal_judge_missed(judge);
    fal_judge_free(judge);
    fal_event_storage_free(&storage);
    json_decref(s.events);
    return out;
}

static void ck_missed(struct fal_missed m, enum fal_dir dir, uint32_t psn, uint64_t index)
{
    ck_assert(m.found);
    ck_assert_int_eq(m.dir, dir);
    ck_assert_int_eq(m.window, FAL_WINDOW_DATA);
    ck_assert_uint_eq(m.psn, psn);
    ck_assert_uint_eq(m.index, index);
    ck_assert_uint_eq(m.conn, 1);
}

START_TEST(rules_decide)
{
    const char *const *swapped = LINES(SENT(1), "+1ms < push_data psn=0r rsn=0r len=4");
    const char *const *ahead = LINES(PUSH(1), "< eack dbase=0r rbase=0r dack=0b10 drx=0b10");
    const char *const *silent = LINES(PUSH(0), SENT(0), "+500ms < back dbase=1r rbase=0r",
                                      "+500ms < back dbase=1r rbase=0r");

    ck_undecided(judged("X3", &plain, swapped), 2);                 /* by PSN and by RSN */
    ck_breaks(judged("X3", &complete, swapped), "FTP-9.1.3-03", 2); /* and -04 */
    ck_undecided(judged("R8", &plain, ahead), 1);
    ck_breaks(judged("R8", &complete, ahead), "FTP-8.5.2-01", 1);
    ck_assert_uint_eq(judged("E4", &plain, silent).sut.broken, 0);
    ck_breaks(judged("E4", &complete, silent), "FTP-9.1.1-21", 1);
}
END_TEST

/* R8 needs no declaration where nothing is missing below the push. */
START_TEST(FTP_8_5_2_01_every_lower_rsn_was_seen)
{
    ck_holds(judged("R8", &plain, LINES(PUSH(0), PUSH(1), "< back dbase=2r rbase=0r")), 2);
}
END_TEST

/* Complete is the capture, not the path. */
START_TEST(the_path_may_lose_packets)
{
    ck_excused(judged("X2", &between, LINES(SENT(0), SENT(2), "wait 1s", "> back")),
               FAL_EXCUSE_OUT_LOSS, 1);
    ck_assert_uint_eq(judged("A2", &between, LINES(PUSH(0), "wait 1s", "> back")).sut.broken,
                      0);
    ck_assert(!missed(&between, LINES(SENT(0), SENT(2), "+1us > back dbase=1r", PUSH(0),
                                      PUSH(2), "+1us < back dbase=1r"))
                   .found);
}
END_TEST

START_TEST(an_acknowledged_number_that_no_packet_carries)
{
    const char *const *from_sut = LINES(SENT(0), SENT(2), "+1us > back dbase=3r");

    ck_missed(missed(&between, from_sut), FAL_FROM_SUT, 5001, 4);
    ck_assert(!missed(&plain, from_sut).found); /* nobody declared it */
    ck_missed(missed(&complete, LINES(PUSH(0), PUSH(2), "< back dbase=2r")), FAL_TO_SUT, 2001,
              4);
    ck_missed(missed(&complete, LINES(PUSH(1), "< eack drx=0b11")), FAL_TO_SUT, 2000, 3);
    /* the higher number comes after the acknowledgement */
    ck_missed(missed(&complete, LINES(PUSH(0), "< back dbase=2r", PUSH(2))), FAL_TO_SUT, 2001,
              4);
    ck_missed(missed(&complete, LINES(PUSH(0), "< eack dbase=0r dack=0b11 drx=0b11", PUSH(2))),
              FAL_TO_SUT, 2001, 4);
}
END_TEST

START_TEST(no_proof)
{
    /* the capture counted what it dropped; the number may never have been sent (R1) */
    ck_assert(
        !missed(&complete, LINES(PUSH(0), "mark gap_in 1", PUSH(2), "< back dbase=3r")).found);
    ck_assert(!missed(&complete, LINES(PUSH(0), "< back dbase=2r")).found);
    ck_breaks(judged("R1", &complete, LINES(PUSH(0), "< back dbase=2r")), "FTP-9.2.1-04", 1);
    /* nothing of one direction is there, so it is not seen from here */
    ck_assert_uint_eq(
        judged("R1", &complete, LINES("< back dbase=2r", "< back dbase=2r")).sut.broken, 0);
}
END_TEST

/* A sender that leaves its window before the other end has sent anything: the other end sent
 * nothing. Whether it is seen at all shows later (talon check). */
START_TEST(the_first_packets_of_a_connection)
{
    struct fal_connection c = script_connection(&complete);
    const char *const *beyond = LINES(SENT(0), SENT(1), SENT(2), "+1ms > back dbase=3r");

    c.params.fcwnd = c.params.ncwnd = 2;
    ck_breaks(script_run("X4", &complete, &c, beyond), "FTP-9.1.2-04", 1);
    ck_breaks(script_run("X5", &complete, &c, beyond), "FTP-9.1.2-05", 1);
    ck_undecided(script_run("X4", &plain, &c, beyond), 2);
    ck_undecided(script_run("X5", &plain, &c, beyond), 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("complete captures");
    TCase *tc = tcase_create("complete captures");

    tcase_add_test(tc, rules_decide);
    tcase_add_test(tc, FTP_8_5_2_01_every_lower_rsn_was_seen);
    tcase_add_test(tc, the_path_may_lose_packets);
    tcase_add_test(tc, an_acknowledged_number_that_no_packet_carries);
    tcase_add_test(tc, no_proof);
    tcase_add_test(tc, the_first_packets_of_a_connection);
    suite_add_tcase(suite, tc);
    return suite;
}
