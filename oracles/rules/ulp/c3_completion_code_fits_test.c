/* SPDX-License-Identifier: Apache-2.0
 * c3_completion_code_fits_test.c - codes whose cause lies on the initiator's own side; those
 * that a NACK causes are in rule_c1_test.c. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

static struct outcome c3(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("C3", kind, lines);
}

#define PUSH "post 0r push 4", "< push_data psn=0r rsn=0r len=4"
#define PULL "post 0r pull 8", "< pull_request psn=0r rsn=0r len=8"

START_TEST(FTP_11_48_code_9_for_data_that_are_too_long)
{
    ck_holds(c3(&clean, LINES(PULL, "> pull_data psn=0r rsn=0r payload_len=9", "done 0r 9")),
             1);
    ck_breaks(c3(&clean, LINES(PULL, "> pull_data psn=0r rsn=0r payload_len=8", "done 0r 9")),
              "FTP-11-48", 1);
    ck_breaks(c3(&clean, LINES(PULL, "done 0r 9")), "FTP-11-48", 1);
    ck_breaks(c3(&clean, LINES(PUSH, "done 0r 9")), "FTP-11-48", 1);
    ck_undecided(c3(&clean, LINES(PULL, "mark gap_in", "done 0r 9")), 1);
}
END_TEST

START_TEST(FTP_11_26_data_that_are_too_long_as_if_nothing_were)
{
    ck_breaks(
        c3(&clean, LINES(PULL, "> pull_data psn=0r rsn=0r payload_len=9", "completion 0r 9")),
        "FTP-11-26", 1);
    /* AMB-25: shorter data are a normal case */
    ck_holds(
        c3(&clean, LINES(PULL, "> pull_data psn=0r rsn=0r payload_len=7", "completion 0r 7")),
        1);
}
END_TEST

START_TEST(FTP_11_47_code_8_at_its_time)
{
    /* seven timeouts of 1 ms come first, each at most 5 % early */
    ck_holds(c3(&clean, LINES(PUSH, "@6650us > back", "done 0r 8")), 1);
    ck_breaks(c3(&clean, LINES(PUSH, "@6649us > back", "done 0r 8")), "FTP-11-47", 1);
    ck_undecided(c3(&clean, LINES(PUSH, "mark clock_step", "@6600us > back", "done 0r 8")), 1);
    ck_undecided(c3(&clean, LINES("< push_data psn=0r rsn=0r len=4", "done 0r 8")), 1);
}
END_TEST

START_TEST(FTP_11_49_code_a_of_a_dead_connection)
{
    ck_holds(c3(&clean, LINES(PUSH, "cm fatal", "done 0r 10")), 1);
    ck_holds(c3(&clean, LINES(PUSH, "done 0r 10", "cm fatal", "barrier")), 1);
    ck_holds(c3(&clean, LINES("post 0r push 4", "cm fatal", "done 0r 10")), 1);
    ck_breaks(c3(&clean, LINES(PUSH, "done 0r 10", "barrier")), "FTP-11-49", 1);
    ck_undecided(c3(&clean, LINES(PUSH, "done 0r 10")), 1);
    ck_undecided(c3(&clean, LINES(PUSH, "done 0r 10", "dropped", "barrier")), 1);
}
END_TEST

START_TEST(FTP_11_33_nothing_goes_well_on_a_dead_connection)
{
    ck_breaks(c3(&told, LINES(PUSH, "cm fatal", "> back dbase=1r", "done 0r")), "FTP-11-33", 1);
    ck_holds(c3(&clean, LINES(PUSH, "cm fatal", "> back dbase=1r", "done 0r")), 1);
    /* acknowledged before, it may have waited for its turn */
    ck_holds(c3(&told, LINES(PUSH, "> back dbase=1r", "cm fatal", "done 0r")), 1);
}
END_TEST

static struct outcome filtered(uint32_t every, const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.params.xlr_initiator = every;
    return script_run("C3", &clean, &c, lines);
}

START_TEST(FTP_11_53_code_f_for_what_the_filter_matches)
{
    ck_holds(filtered(6000, LINES(PUSH, "done 0r 15")), 1);
    ck_holds(filtered(6000, LINES("post 0r push 4", "done 0r 15")), 1);
    ck_breaks(filtered(7, LINES(PUSH, "done 0r 15")), "FTP-11-53", 1);
    ck_breaks(filtered(0, LINES(PUSH, "done 0r 15")), "FTP-11-53", 1);
}
END_TEST

START_TEST(FTP_11_25_what_the_filter_matches_does_not_go_well)
{
    ck_breaks(filtered(6000, LINES(PUSH, "> back dbase=1r", "done 0r")), "FTP-11-25", 1);
    ck_holds(filtered(7, LINES(PUSH, "> back dbase=1r", "done 0r")), 1);
}
END_TEST

/* The answer to a pull was replaced by a Resync: with which error it ends is open (AMB-48). */
START_TEST(FTP_11_28_a_pull_whose_answer_was_given_up)
{
#define GIVEN_UP PULL, "> resync psn=0r rsn=0r code=5 of=pull_data"
    ck_undecided(c3(&clean, LINES(GIVEN_UP, "done 0r 13")), 1);
    ck_undecided(c3(&clean, LINES(GIVEN_UP, "done 0r 1")), 1);
    ck_undecided(c3(&clean, LINES(GIVEN_UP, "done 0r 9")), 1);
    ck_breaks(c3(&clean, LINES(PULL, "done 0r 13")), "FTP-11-28", 1);
    ck_breaks(c3(&clean, LINES(PULL, "done 0r 1")), "FTP-11-34", 1);
    /* a NACK may have gone unseen */
    ck_undecided(c3(&clean, LINES(PULL, "mark gap_in", "done 0r 1")), 1);
#undef GIVEN_UP
}
END_TEST

/* Nothing was sent for it, so no packet can be the cause: it found no resources. */
START_TEST(reading_amb_54_another_code_for_a_lack_of_resources)
{
    ck_assert_int_eq(c3(&clean, LINES(PUSH, "done 1r 1")).sut.verdict, FAL_VERDICT_WARN);
    ck_assert_int_eq(c3(&clean, LINES(PUSH, "done 1r 9")).sut.verdict, FAL_VERDICT_WARN);
    /* the codes of the specification; and where the packet may have been lost or gone unseen */
    ck_undecided(c3(&clean, LINES(PUSH, "done 1r 11")), 1);
    ck_undecided(c3(&lossy, LINES(PUSH, "done 1r 1")), 1);
    ck_undecided(c3(&clean, LINES(PUSH, "mark gap_out", "done 1r 1")), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule C3");
    TCase *tc = tcase_create("C3");

    tcase_add_test(tc, FTP_11_48_code_9_for_data_that_are_too_long);
    tcase_add_test(tc, FTP_11_26_data_that_are_too_long_as_if_nothing_were);
    tcase_add_test(tc, FTP_11_47_code_8_at_its_time);
    tcase_add_test(tc, FTP_11_49_code_a_of_a_dead_connection);
    tcase_add_test(tc, FTP_11_33_nothing_goes_well_on_a_dead_connection);
    tcase_add_test(tc, FTP_11_53_code_f_for_what_the_filter_matches);
    tcase_add_test(tc, FTP_11_25_what_the_filter_matches_does_not_go_well);
    tcase_add_test(tc, FTP_11_28_a_pull_whose_answer_was_given_up);
    tcase_add_test(tc, reading_amb_54_another_code_for_a_lack_of_resources);
    suite_add_tcase(suite, tc);
    return suite;
}
