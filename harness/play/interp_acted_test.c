/* SPDX-License-Identifier: Apache-2.0
 * Whether a missed step fails a SUT that has another parameter than the case wished
 * (interp_acted.c): the built-in SUT fixes the parameter, and the steps expect a packet that no
 * conforming SUT sends. */
#include "harness/run/run.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUSH(n)  "\"> push_data psn=" #n "r rsn=" #n "r len=64 ar\", "
#define PULL(n)  "\"> pull_request psn=" #n "r rsn=" #n "r len=64\", "
#define ACKED(n) "\"< packet packet_type={back,eack} dbase=" #n "r\", "
#define POST \
    "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}}, \"< push_data\", "
#define MISSED    "{\"expect\": \"< nack\", \"within\": \"100us\"}"
#define LATER     "{\"expect\": \"< nack\", \"within\": \"20ms\"}"
#define UNORDERED "ordered=false"
#define VARIES    "rto_varies=true"
#define BETWEEN   "rto_varies=true rto_lo=800us rto_hi=2ms"

static const struct row {
    const char *fixed, *steps;
    enum fal_verdict verdict;
    bool given; /* by the user, not fixed by the SUT */
} rows[] = {
    /* Each transaction ends before the next one begins: no order can matter. */
    {UNORDERED, PUSH(0) MISSED, FAL_VERDICT_FAIL, false},
    {UNORDERED, PUSH(0) ACKED(1) PUSH(1) ACKED(2) MISSED, FAL_VERDICT_FAIL, false},
    {UNORDERED, PUSH(0) ACKED(1) PUSH(1) "\"> push_data psn=1r rsn=1r len=64 ar\", " MISSED,
     FAL_VERDICT_FAIL, false},
    {UNORDERED,
     "\"> pull_request psn=0r rsn=0r len=64\", \"< pull_data rsn=0r\", "
     "\"> push_data psn=0r rsn=1r len=64\", " MISSED,
     FAL_VERDICT_FAIL, false},
    {UNORDERED, POST MISSED, FAL_VERDICT_FAIL, false},
    /* Two at a time, or one whose turn has not come. */
    {UNORDERED, PUSH(0) PUSH(1) MISSED, FAL_VERDICT_INCONC, false},
    {UNORDERED, PULL(0) "\"> push_data psn=0r rsn=1r len=64\", " MISSED, FAL_VERDICT_INCONC,
     false},
    {UNORDERED, "\"> push_data psn=0r rsn=1r len=64\", " MISSED, FAL_VERDICT_INCONC, false},
    {UNORDERED, POST POST MISSED, FAL_VERDICT_INCONC, false},
    /* The SUT has nothing that its RTO could repeat, or not for so long. */
    {VARIES, PUSH(0) MISSED, FAL_VERDICT_FAIL, false},
    {VARIES, PUSH(0) LATER, FAL_VERDICT_FAIL, false},
    {VARIES, POST MISSED, FAL_VERDICT_FAIL, false},
    {VARIES, POST "\"> back dbase=1r rbase=0r\", " LATER, FAL_VERDICT_FAIL, false},
    {BETWEEN, POST MISSED, FAL_VERDICT_FAIL, false},
    /* A copy was due, or came. */
    {VARIES, POST LATER, FAL_VERDICT_INCONC, false},
    {BETWEEN, POST LATER, FAL_VERDICT_INCONC, false},
    /* The filter of the user drops a transaction of the case, or none. */
    {"xlr_target=2", PUSH(0) ACKED(1) PUSH(1) ACKED(2) "\"< nack\"", FAL_VERDICT_INCONC, true},
};

static void run_row(const struct row *row, struct tl_case *result)
{
    static const char head[] =
        "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\", \"purpose\": \"p\", "
        "\"class\": \"valid\", \"version\": 1, \"covers\": [\"FTP-9.1.6-03\"], "
        "\"connection\": {\"tester\": {\"rsn\": 1}}, "
        "\"auto\": {\"acks\": false, \"ulp\": false}, \"steps\": [";
    struct tl_run run = {
        .seed = 3, .again = " --sut x", .timeout_ns = 10 * FAL_S, .whole_packets = true};
    struct tl_given_params params = {{0}, {0}};
    struct fal_error err = {{0}};
    struct tl_scenario *scenario;
    struct tl_bench bench;
    char text[2048], *errors;
    char values[80], *rest = NULL;

    (void)snprintf(values, sizeof values, "%s", row->fixed);
    for (char *one = strtok_r(values, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        ck_assert_msg(tl_given_params_add(&params, one, &err) == 0, "%s", err.text);
    if (row->given)
        run.params = &params;
    else
        run.target.limits.fixed = params;
    (void)snprintf(text, sizeof text, "%s%s]}", head, row->steps);
    scenario = tl_scenario_read("t.json", text, strlen(text), &errors);
    ck_assert_msg(scenario != NULL, "%s", errors);
    ck_assert_msg(tl_bench_open(&bench, &run.target, 3, &err) == 0, "%s", err.text);
    tl_run_case(&run, &bench, scenario, result);
    tl_bench_close(&bench);
    tl_scenario_free(scenario);
}

START_TEST(a_missed_step_fails_unless_the_parameter_can_have_acted)
{
    const struct row *row = &rows[_i];
    struct tl_case result;

    run_row(row, &result);
    ck_assert_msg(result.verdict == row->verdict, "%s, %s: due %s, got %s (%s)", row->fixed,
                  row->steps, fal_verdict_name(row->verdict), fal_verdict_name(result.verdict),
                  result.reason.word != NULL ? result.reason.word : "");
    if (row->verdict == FAL_VERDICT_INCONC)
        ck_assert_str_eq(result.reason.word, "setup");
    tl_case_clear(&result);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("interp_acted");
    TCase *tc = tcase_create("interp_acted");

    tcase_add_loop_test(tc, a_missed_step_fails_unless_the_parameter_can_have_acted, 0,
                        sizeof rows / sizeof *rows);
    suite_add_tcase(suite, tc);
    return suite;
}
