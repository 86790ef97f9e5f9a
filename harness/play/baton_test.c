/* SPDX-License-Identifier: Apache-2.0
 * Steps of several connections: they are played in their order, times count from the step
 * before on whatever connection that was, variables are everybody's, and a miss on one is the
 * miss of the case. */
#include "harness/run/run.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_scenario *scenario;
static struct tl_case result;

/* Plays a scenario with these members beside those that every file has. */
static void run(const char *members, const char *fault)
{
    static char text[8192];
    struct tl_run run = {
        .seed = 3, .again = " --sut x", .timeout_ns = 10 * FAL_S, .whole_packets = true};
    struct tl_bench bench;
    struct fal_error err = {{0}};
    char *errors = NULL;

    (void)snprintf(text, sizeof text,
                   "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\",\n"
                   "\"purpose\": \"p\", \"class\": \"valid\", \"version\": 1,\n"
                   "\"covers\": [\"FTP-9.1.6-03\", \"FTP-9.1.5-04\"],\n%s}",
                   members);
    scenario = tl_scenario_read("t.json", text, strlen(text), &errors);
    ck_assert_msg(scenario != NULL, "%s", errors != NULL ? errors : "out of memory");
    if (fault != NULL)
        fal_fault_add(&run.target.faults, (enum fal_fault_id)fal_fault_find(fault));
    ck_assert_msg(tl_bench_open(&bench, &run.target, 3, &err) == 0, "%s", err.text);
    tl_run_case(&run, &bench, scenario, &result);
    tl_bench_close(&bench);
}

static void clear(void)
{
    tl_case_clear(&result);
    tl_scenario_free(scenario);
}

static void expect(enum fal_verdict verdict, enum tl_reason reason, const char *connection)
{
    ck_assert_msg(result.verdict == verdict && result.reason.id == reason, "%d %s: %s %s",
                  (int)result.verdict, result.reason.word,
                  result.num_problems > 0 ? result.problems[0].expected : "",
                  result.num_problems > 0 ? result.problems[0].seen : "");
    if (connection != NULL)
        ck_assert_str_eq(result.connection, connection);
    else
        ck_assert_ptr_null(result.connection);
    clear();
}

#define AB                                                                        \
    "\"connection\": {\"params\": {\"coalescing\": \"5ms\", \"rto\": \"1s\"}},\n" \
    "\"connections\": {\"a\": {}, \"b\": {\"params\": {\"rto\": \"20ms\"},"       \
    " \"auto\": {\"acks\": false}}},\n"

START_TEST(steps_of_two_connections_are_played_in_their_order)
{
    run(AB "\"steps\": [\"a: > push_data psn=0r rsn=0r len=64 ar\","
           "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}, \"conn\": \"b\","
           " \"name\": \"posted\"}, \"b: < push_data psn=@p rsn=0r\","
           "\"a: < packet packet_type={back,eack} dbase=1r\","
           "{\"let\": {\"next\": \"$p + 1\"}},"
           "\"b: @posted + $rto < push_data psn=$p rsn=0r\", \"b: > back dbase=$next\","
           "{\"expect_ulp\": {\"event\": \"completion\", \"code\": 0}, \"conn\": \"b\"}]",
        NULL);
    expect(FAL_VERDICT_PASS, TL_REASON_NONE, NULL);
}
END_TEST

START_TEST(what_one_connection_sends_is_not_seen_on_the_other)
{
    run(AB "\"steps\": [\"a: > push_data psn=0r rsn=0r len=64 ar\","
           "{\"expect_none\": \"packet\", \"for\": \"10ms\", \"conn\": \"b\"},"
           "\"a: < packet dbase=1r\"]",
        NULL);
    /* The ACK is in the log; it came before its step began, as it does on one connection. */
    expect(FAL_VERDICT_PASS, TL_REASON_NONE, NULL);
    run(AB "\"steps\": [\"b: > push_data psn=0r rsn=0r len=64 ar\","
           "{\"expect_none\": \"packet\", \"for\": \"10ms\", \"conn\": \"b\"}]",
        NULL);
    expect(FAL_VERDICT_FAIL, TL_REASON_UNEXPECTED, "b");
}
END_TEST

START_TEST(a_step_that_is_missed_is_named_with_its_connection_and_ends_the_others)
{
    run(AB "\"steps\": [\"a: > push_data psn=0r rsn=0r len=64\","
           "\"b: < nack\", {\"wait\": \"5s\"}]",
        NULL);
    ck_assert_uint_lt(result.duration_ns, FAL_S);
    expect(FAL_VERDICT_FAIL, TL_REASON_UNMET, "b");
}
END_TEST

START_TEST(the_postamble_is_played_on_all_connections_after_a_miss)
{
    run(AB "\"steps\": [\"b: < nack\"],"
           "\"postamble\": [{\"wait\": \"3ms\"}, \"a: > push_data psn=0r rsn=0r len=64 ar\","
           "\"a: < packet dbase=1r\", {\"wait\": \"4ms\", \"conn\": \"b\"}]",
        NULL);
    ck_assert_uint_ge(result.duration_ns, 7 * FAL_MS);
    expect(FAL_VERDICT_FAIL, TL_REASON_UNMET, "b");
}
END_TEST

START_TEST(a_rule_is_broken_on_the_connection_where_it_is_broken)
{
    run(AB "\"steps\": [\"b: > push_data psn=0r rsn=0r len=64 ar\", {\"wait\": \"50ms\"}]",
        "ar-ignored");
    ck_assert_str_eq(result.connection, "b");
    ck_assert_int_eq(result.problems[0].kind, TL_PROBLEM_RULE);
    clear();
}
END_TEST

START_TEST(traffic_of_every_connection_ends_before_the_case)
{
    run("\"connections\": {\"a\": {}, \"b\": {\"workload\": [{\"count\": 50, \"think\": "
        "\"1ms\"}]}, \"c\": {\"workload\": [{\"side\": \"tester\", \"count\": 5, \"think\": "
        "\"20ms\"}]}},"
        "\"steps\": [\"a: > push_data psn=0r rsn=0r len=64 ar\"],"
        "\"postamble\": [{\"expect\": {\"events\": {\"event\": \"completion\"}, \"is\": 50}, "
        "\"conn\": \"b\"}, {\"expect\": {\"events\": {\"event\": \"request\"}, \"is\": 5}, "
        "\"conn\": \"c\"}]",
        NULL);
    ck_assert_uint_ge(result.duration_ns, 80 * FAL_MS);
    expect(FAL_VERDICT_PASS, TL_REASON_NONE, NULL);
}
END_TEST

START_TEST(repetitions_and_reactions_go_over_connections)
{
    run(AB "\"steps\": [{\"on\": \"< push_data\", \"conn\": \"b\", \"times\": 0, \"steps\": "
           "[{\"let\": {\"seen\": 1}}]}, {\"let\": {\"seen\": 0}},"
           "{\"repeat\": 3, \"as\": \"i\", \"steps\": ["
           "\"a: > push_data psn=($i)r rsn=($i)r len=64 ar\","
           "\"a: < packet dbase=($i + 1)r\","
           "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}, \"conn\": \"b\"},"
           "\"b: < push_data rsn=($i)r\"]},"
           "{\"if\": \"$seen == 0\", \"then\": [\"a: < nack\"]},"
           "{\"expect\": {\"count\": \"< push_data\", \"is\": 3}, \"conn\": \"b\"}]",
        NULL);
    expect(FAL_VERDICT_PASS, TL_REASON_NONE, NULL);
}
END_TEST

START_TEST(a_count_is_a_value_for_other_connections)
{
    run(AB
        "\"steps\": [{\"repeat\": 3, \"steps\": [\"a: > push_data len=64 ar\"]},"
        "{\"await\": {\"events\": {\"event\": \"request\"}, \"is\": 3}, \"within\": \"1ms\"},"
        "{\"expect\": {\"events\": {\"event\": \"request\"}, \"is\": \"@seen\"}},"
        "{\"if\": \"$seen != 3\", \"conn\": \"b\", \"then\": [\"< nack\"]}]",
        NULL);
    expect(FAL_VERDICT_PASS, TL_REASON_NONE, NULL);
}
END_TEST

START_TEST(a_connection_that_cannot_open_ends_the_case)
{
    run("\"connections\": {\"a\": {}, \"b\": {\"params\": {\"rto\": \"($rto * 0)\"}}},"
        "\"steps\": [\"a: > push_data\", {\"wait\": \"5s\"}, {\"wait\": \"1ms\", \"conn\": "
        "\"b\"}]",
        NULL);
    ck_assert_int_ge(result.verdict, FAL_VERDICT_INCONC);
    ck_assert_uint_lt(result.duration_ns, 6 * FAL_S);
    clear();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("baton");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, steps_of_two_connections_are_played_in_their_order);
    tcase_add_test(tc, what_one_connection_sends_is_not_seen_on_the_other);
    tcase_add_test(tc, a_step_that_is_missed_is_named_with_its_connection_and_ends_the_others);
    tcase_add_test(tc, the_postamble_is_played_on_all_connections_after_a_miss);
    tcase_add_test(tc, a_rule_is_broken_on_the_connection_where_it_is_broken);
    tcase_add_test(tc, traffic_of_every_connection_ends_before_the_case);
    tcase_add_test(tc, repetitions_and_reactions_go_over_connections);
    tcase_add_test(tc, a_count_is_a_value_for_other_connections);
    tcase_add_test(tc, a_connection_that_cannot_open_ends_the_case);
    suite_add_tcase(suite, tc);
    return suite;
}
