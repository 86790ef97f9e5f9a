/* SPDX-License-Identifier: Apache-2.0
 * What a case demands of its connection (usage.h), and which numbers of the SUT's end it needs
 * (numbers.h). */
#include "harness/play/usage.h"

#include "harness/play/numbers.h"
#include "harness/scenario/scenario_testing.h"
#include "harness/session/session.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

#define POST "{'ulp': {'do': 'post', 'op': 'push', 'length': 300}}"
#define PULL "{'ulp': {'do': 'post', 'op': 'pull', 'length': 8}}"
#define PUSH "'> push_data psn=0r rsn=0r len=64'"
#define READ "'> pull_request psn=0r rsn=0r len=700'"
#define ALL  TL_USAGE_UNKNOWN

static const struct {
    const char *members;
    uint64_t pushes[2], pulls[2], longest; /* of the SUT, of the tester */
} rows[] = {
    {"'steps': [" POST ", " PULL ", " PULL "]", {1, 0}, {2, 0}, 300},
    {"'steps': [" PUSH ", " READ "]", {0, 1}, {0, 1}, 700},
    {"'steps': [{'repeat': 5, 'as': 'i', 'steps': [" POST ", {'repeat': 2, 'as': 'k', "
     "'steps': [" PUSH "]}]}, " POST "]",
     {6, 10},
     {0, 0},
     300},
    /* Both ways of a condition count; a rule may act as often as it is asked. */
    {"'steps': [{'if': 'rack-tlp', 'then': [" POST "], 'else': [" PULL "]}, " PUSH "]",
     {1, 1},
     {1, 0},
     300},
    {"'steps': [{'on': '< push_data', 'steps': [" POST "]}, " PUSH "]", {ALL, 1}, {0, 0}, 300},
    {"'workload': [{'side': 'sut', 'count': 7, 'length': '1..900'}], 'steps': [" PUSH "]",
     {7, 1},
     {7, 0},
     900},
};

static void check_usage(struct tl_usage is, struct tl_usage due)
{
    for (int side = 0; side < 2; side++) {
        ck_assert_uint_eq(is.pushes[side], due.pushes[side]);
        ck_assert_uint_eq(is.pulls[side], due.pulls[side]);
    }
    ck_assert_uint_eq(is.longest, due.longest);
}

START_TEST(the_steps_limit_what_a_case_demands)
{
    struct tl_scenario *s = scenario_of(rows[_i].members);
    struct tl_interp *interp = calloc(1, sizeof *interp);
    struct tl_usage due;

    ck_assert_ptr_nonnull(interp);
    interp->scenario = s;
    interp->scope = (struct tl_scope){.vars = interp->vars, .exprs = &s->exprs};
    due.longest = rows[_i].longest;
    memcpy(due.pushes, rows[_i].pushes, sizeof due.pushes);
    memcpy(due.pulls, rows[_i].pulls, sizeof due.pulls);
    check_usage(tl_usage_of(interp), due);
    free(interp);
    tl_scenario_free(s);
}
END_TEST

/* Connections, and copies of a case, may share the resources of the device; other limits are of
 * each. */
static const struct {
    const char *members;
    unsigned copies;
    struct tl_usage own, all; /* of the first connection, of all */
} shared[] = {
    {"'connections': {'a': {}, 'b': {'workload': [{'side': 'tester', 'count': 7, 'length': 900}]}}, "
     "'steps': [{'conn': 'a', 'ulp': {'do': 'post', 'op': 'push', 'length': 300}}]",
     2,
     {.pushes = {1, 0}, .longest = 300},
     {.pushes = {1, 7}, .pulls = {0, 7}, .longest = 900}},
    {"'steps': [" POST "]",
     0,
     {.pushes = {1, 0}, .longest = 300},
     {.pushes = {1, 0}, .longest = 300}},
    {"'copies': 3, 'steps': [" POST "]",
     3,
     {.pushes = {1, 0}, .longest = 300},
     {.pushes = {3, 0}, .longest = 300}},
};

START_TEST(the_connections_of_a_case_count_together_for_the_device)
{
    struct tl_scenario *s = scenario_of(shared[_i].members);
    struct tl_interp *interp = calloc(1, sizeof *interp);
    struct tl_session *session = calloc(1, sizeof *session);

    ck_assert_ptr_nonnull(interp);
    ck_assert_ptr_nonnull(session);
    session->config.copies = shared[_i].copies;
    interp->session = session;
    interp->scenario = tl_scenario_conn(s, 0);
    interp->scope = (struct tl_scope){.vars = interp->vars, .exprs = &s->exprs};
    check_usage(tl_usage_of(interp), shared[_i].own);
    check_usage(tl_usage_of_device(interp), shared[_i].all);
    free(session);
    free(interp);
    tl_scenario_free(s);
}
END_TEST

static const struct {
    const char *members;
    bool sequence, address;
} numbers[] = {
    {"'steps': [" PUSH ", '< back dbase=1r']", false, false},
    {"'steps': [{'repeat': 2, 'as': 'i', 'steps': ['> push_data psn=($i)r rsn=($i)r len=8']}]",
     false, false},
    {"'steps': ['> push_data psn=7 rsn=0r len=8']", true, false},
    {"'steps': ['< eack dbase={1r,9}']", true, false},
    {"'vars': {'x': 3}, 'steps': ['< back dbase=$x']", true, false},
    {"'steps': ['> push_data cid=77 psn=0r rsn=0r len=8']", false, true},
    {"'steps': ['< push_data cid=77']", false, false}, /* the tester's own CID */
    {"'steps': [{'expect_ulp': {'event': 'request', 'rsn': '0r'}}]", false, false},
    {"'steps': [{'expect_ulp': {'event': 'request', 'rsn': 4}}]", true, false},
    {"'connection': {'params': {'xlr_initiator': 2}}, 'steps': [" PUSH "]", true, false},
};

START_TEST(absolute_numbers_are_found)
{
    struct tl_scenario *s = scenario_of(numbers[_i].members);
    const struct tl_absolute absolute = tl_absolute_of(s);

    ck_assert_int_eq(absolute.sequence, numbers[_i].sequence);
    ck_assert_int_eq(absolute.address, numbers[_i].address);
    tl_scenario_free(s);
}
END_TEST

START_TEST(numbers_at_the_wrap_are_edges)
{
    static const uint32_t edges[] = {0,          1U << 31,   0xffffffff,
                                     0xfffffff0, 0x7fffffff, 0x7ffffff0};
    static const uint32_t plain[] = {1, 200, 0x12345678, 0x80000001, 0xff000000};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        ck_assert_msg(tl_number_is_edge(edges[i]), "%u", edges[i]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        ck_assert_msg(!tl_number_is_edge(plain[i]), "%u", plain[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("usage");
    TCase *tc = tcase_create("usage");

    tcase_add_loop_test(tc, the_steps_limit_what_a_case_demands, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tc, the_connections_of_a_case_count_together_for_the_device, 0,
                        sizeof shared / sizeof *shared);
    tcase_add_loop_test(tc, absolute_numbers_are_found, 0, sizeof numbers / sizeof *numbers);
    tcase_add_test(tc, numbers_at_the_wrap_are_edges);
    suite_add_tcase(suite, tc);
    return suite;
}
