/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define WITHHOLD "policy {\"do\": \"policy\", \"rules\": [{\"answer\": \"withhold\"}]}"
#define PUSH     "> push_data psn=0r rsn=0r len=4"
#define NEXT     "> push_data psn=1r rsn=1r len=4"
#define REQUEST  "request 0r push 4"
#define AGAIN    "request 0r push 4 again"
#define ANSWER   "respond 0r rnr 1.28ms"
#define RNR      "+1us < nack nack_psn=0r code=2 rnr=1.28ms w=data"
#define REFUSED  WITHHOLD, PUSH, REQUEST, ANSWER, RNR

static struct outcome n6(const struct kind *kind, const char *const *lines)
{
    return judged_wrapping("N6", kind, lines);
}

static struct outcome unordered(const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = false;
    return script_run("N6", &clean, &c, lines);
}

START_TEST(one_for_each_answer)
{
    ck_holds(n6(&clean, LINES(REFUSED)), 1);
    ck_holds(n6(&clean, LINES(REFUSED, PUSH, AGAIN, ANSWER, RNR)), 2);
    ck_holds(n6(&clean, LINES(REFUSED, "wait 2ms", AGAIN, ANSWER, RNR)), 2);
    ck_breaks(n6(&clean, LINES(REFUSED, RNR)), "FTP-8.5.3.4-10", 1);
}
END_TEST

START_TEST(FTP_8_5_3_4_10_none_for_a_copy_that_is_delivered)
{
    ck_breaks(n6(&clean, LINES(REFUSED, PUSH, RNR, AGAIN, "respond 0r ack", RNR)),
              "FTP-8.5.3.4-10", 2);
    ck_breaks(n6(&clean, LINES(REFUSED, PUSH, AGAIN, RNR)), "FTP-8.5.3.4-10", 1);
    ck_breaks(n6(&clean, LINES(REFUSED, PUSH, RNR, AGAIN)), "FTP-8.5.3.4-10", 1);
    ck_breaks(unordered(LINES(REFUSED, PUSH, AGAIN, RNR)), "FTP-8.5.3.4-10", 1);
    /* after the delay its own timer may have delivered it, and the copy came before (AMB-16) */
    ck_holds(n6(&clean, LINES(REFUSED, PUSH, RNR, "wait 2ms", AGAIN)), 2);
    ck_holds(n6(&clean, LINES(REFUSED, PUSH, "wait 2ms", AGAIN, RNR)), 2);
}
END_TEST

START_TEST(none_while_the_upper_layer_has_it)
{
    ck_breaks(n6(&clean, LINES(REFUSED, "wait 2ms", AGAIN, PUSH, RNR)), "FTP-8.5.3.4-10", 1);
    /* two copies before its delay was over, and one of them was delivered */
    ck_holds(n6(&clean, LINES(REFUSED, PUSH, PUSH, AGAIN, PUSH, RNR)), 2);
    ck_breaks(n6(&clean, LINES(REFUSED, PUSH, PUSH, AGAIN, PUSH, RNR, RNR)), "FTP-8.5.3.4-10",
              1);
    /* another copy may have come after the second answer */
    ck_holds(n6(&clean, LINES(REFUSED, PUSH, AGAIN, PUSH, ANSWER, RNR, RNR)), 3);
}
END_TEST

START_TEST(no_instance)
{
    /* the SUT's upper layer may answer by itself */
    ck_holds(n6(&clean, LINES(PUSH, REQUEST, ANSWER, RNR, RNR)), 0);
    ck_holds(n6(&clean, LINES(WITHHOLD, PUSH, REQUEST, "respond 0r cie 8",
                              "+1us < nack nack_psn=0r code=6 w=data")),
             0);
    /* the answer to an earlier one may be the cause (AMB-49) */
    ck_holds(n6(&clean, LINES(WITHHOLD, PUSH, NEXT, REQUEST, "request 1r push 4", ANSWER, RNR,
                              "respond 1r rnr 1.28ms",
                              "+1us < nack nack_psn=1r code=2 rnr=1.28ms w=data",
                              "+1us < nack nack_psn=1r code=2 rnr=1.28ms w=data")),
             1);
    ck_holds(n6(&clean, LINES(REFUSED, "dropped", RNR)), 1);
}
END_TEST

START_TEST(a_network_that_duplicates)
{
    ck_excused(n6(&lossy, LINES(REFUSED, PUSH, AGAIN, RNR)), FAL_EXCUSE_IN_DUP, 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule N6");
    TCase *tc = tcase_create("N6");

    tcase_add_test(tc, one_for_each_answer);
    tcase_add_test(tc, FTP_8_5_3_4_10_none_for_a_copy_that_is_delivered);
    tcase_add_test(tc, none_while_the_upper_layer_has_it);
    tcase_add_test(tc, no_instance);
    tcase_add_test(tc, a_network_that_duplicates);
    suite_add_tcase(suite, tc);
    return suite;
}
