/* SPDX-License-Identifier: Apache-2.0
 * Files with several connections: what each of them gets, whose a step is, and what is an error
 * of the file. */
#include "harness/scenario/scenario.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scenario with these members beside those that every file has; NULL with *errors. */
static struct tl_scenario *read_with(const char *members, char **errors)
{
    static char text[4096];

    (void)snprintf(text, sizeof text,
                   "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\",\n"
                   "\"purpose\": \"p\", \"class\": \"valid\", \"version\": 1,\n"
                   "\"covers\": [\"FTP-9.1.6-03\"],\n%s}",
                   members);
    return tl_scenario_read("t.json", text, strlen(text), errors);
}

static struct tl_scenario *good(const char *members)
{
    char *errors = NULL;
    struct tl_scenario *s = read_with(members, &errors);

    ck_assert_msg(s != NULL, "%s", errors != NULL ? errors : "out of memory");
    return s;
}

#define AB "\"connections\": {\"a\": {}, \"b\": {}},\n"

START_TEST(each_connection_has_the_file_s_members_or_its_own)
{
    struct tl_scenario *s = good(
        "\"connection\": {\"params\": {\"rto\": \"5ms\", \"coalescing\": \"1ms\"}},\n"
        "\"policy\": [{\"answer\": \"withhold\"}], \"exercises\": [\"R7\"],\n"
        "\"connections\": {\"a\": {}, \"b\": {\"params\": {\"rto\": \"20ms\"}, \"policy\": [],\n"
        "  \"auto\": {\"acks\": false}, \"workload\": [{\"count\": 3}]}},\n"
        "\"steps\": [\"> push_data\"]");

    ck_assert_uint_eq(s->num_conns, 2);
    ck_assert_str_eq(s->conn_names[1], "b");
    for (unsigned i = 0; i < 2; i++) {
        const struct tl_scenario *conn = tl_scenario_conn(s, i);

        ck_assert_uint_eq(conn->self, i);
        ck_assert_uint_eq(conn->num_params, 2);
        ck_assert_ptr_eq(conn->steps, s->steps);
        ck_assert_uint_eq(conn->policy.count, 1 - i);
        ck_assert_uint_eq(conn->num_exercises, 1 - i);
        ck_assert_uint_eq(conn->num_streams, i);
        ck_assert(conn->auto_acks == (i == 0));
        ck_assert_str_eq(conn->id, "t");
        for (size_t k = 0; k < 2; k++)
            if (strcmp(conn->params[k].param->name, "rto") == 0)
                ck_assert_uint_eq(conn->params[k].value.expr.ns,
                                  (i == 0 ? 5 : 20) * (uint64_t)1000000);
    }
    ck_assert_ptr_null(tl_scenario_conn(s, 2));
    tl_scenario_free(s);
}
END_TEST

START_TEST(a_step_is_of_the_connection_it_names_of_its_block_s_or_of_the_first)
{
    static const unsigned whose[] = {0, 1, 1, 1, 0, 1, 0};
    struct tl_scenario *s = good(
        AB "\"steps\": [\"> push_data\", \"b: > push_data\",\n"
           "{\"repeat\": 2, \"conn\": \"b\", \"steps\": [\"> push_data\", \"a: > push_data\"]},"
           "{\"wait\": \"1ms\"}]");

    ck_assert_uint_eq(s->num_steps, sizeof whose / sizeof *whose);
    for (size_t i = 0; i < s->num_steps; i++)
        ck_assert_msg(s->steps[i].conn == whose[i], "step %zu: %u", i, s->steps[i].conn);
    ck_assert_str_eq(s->steps[1].text, "b: > push_data");
    ck_assert_str_eq(s->steps[3].text, "b: > push_data");
    tl_scenario_free(s);
}
END_TEST

START_TEST(each_case_of_a_file_has_its_connections)
{
    struct tl_scenario *s = good("\"params\": {\"wait\": [\"1ms\", \"2ms\"]},\n"
                                 "\"connections\": {\"a\": {}, \"b\": {\"params\": {\"rto\": "
                                 "\"$wait\"}}}, \"steps\": [\"> push_data\"]");

    while (s != NULL) {
        struct tl_scenario *next = s->next;

        ck_assert_str_eq(s->conns[1]->id, s->id);
        ck_assert(s->conns[1]->params[0].needed);
        tl_scenario_free(s);
        s = next;
    }
}
END_TEST

static const struct {
    const char *members, *says;
} wrong[] = {
    {"\"connections\": {\"a\": {}}, \"steps\": []", "expected 2 to 16"},
    {"\"connections\": {\"a\": {}, \"B\": {}}, \"steps\": []", "lower-case letters"},
    {"\"copies\": 2, " AB "\"steps\": []", "only one of the two"},
    {"\"connections\": {\"a\": {}, \"b\": {\"rto\": 1}}, \"steps\": []", "b.rto: no such"},
    {AB "\"steps\": [\"c: > push_data\"]", "'c'"},
    {"\"connections\": {\"left\": {}, \"right\": {}}, \"steps\": [{\"wait\": \"1ms\", "
     "\"conn\": \"rigth\"}]",
     "did you mean 'right'"},
    {"\"steps\": [\"b: > push_data\"]", "'b' is no connection"},
    {"\"steps\": [{\"wait\": \"1ms\", \"conn\": \"b\"}]", "'b' is no connection"},
    {AB "\"steps\": [{\"any_order\": [\"< back\", \"b: < back\"]}]", "another connection"},
    {AB "\"steps\": [{\"alt\": [[\"< back\"], [\"b: < back\"]]}]", "another connection"},
    {AB "\"steps\": [{\"on\": \"< back\", \"steps\": [\"b: > push_data\"]}]",
     "another connection"},
    {AB "\"steps\": [{\"cm\": {\"do\": \"open\"}}]", "needs a scenario with one connection"},
    {"\"connections\": {\"a\": {}, \"b\": {\"auto\": {\"override\": []}}}, \"steps\": [\"> push_data\"]",
     "\"conn\""},
    {"\"connections\": {\"a\": {}, \"b\": {\"params\": {\"rto\": \"$what\"}}}, \"steps\": [\"> push_data\"]",
     "what"},
};

START_TEST(errors_say_what_is_wrong)
{
    char *errors = NULL;
    struct tl_scenario *s = read_with(wrong[_i].members, &errors);

    ck_assert_ptr_null(s);
    ck_assert_msg(errors != NULL && strstr(errors, wrong[_i].says) != NULL, "%s: %s",
                  wrong[_i].members, errors != NULL ? errors : "no error");
    free(errors);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("read_connections");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, each_connection_has_the_file_s_members_or_its_own);
    tcase_add_test(tc, a_step_is_of_the_connection_it_names_of_its_block_s_or_of_the_first);
    tcase_add_test(tc, each_case_of_a_file_has_its_connections);
    tcase_add_loop_test(tc, errors_say_what_is_wrong, 0, (int)(sizeof wrong / sizeof *wrong));
    suite_add_tcase(suite, tc);
    return suite;
}
