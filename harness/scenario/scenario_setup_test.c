/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/scenario/reader.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

#define HEAD                                                                            \
    "{\"schema\": \"talon/scenario/1\", \"id\": \"a\", \"title\": \"t\", \"purpose\": " \
    "\"p\",\n"                                                                          \
    " \"class\": \"valid\", \"covers\": [\"FTP-9.1.6-03\"], \"version\": 1,\n"

/* The parameters of a connection that has these, on a path with this round trip. */
static struct fal_params params_of(const char *params, struct tl_path_known path)
{
    struct tl_setup_from from = {.path = path, .seed = 1};
    struct fal_connection out;
    struct tl_scenario *s;
    char text[1000], *errors;
    struct fal_error err = {{0}};

    (void)snprintf(text, sizeof text,
                   HEAD "\"connection\": {\"params\": {%s}}, \"steps\": [{\"note\": \"n\"}]}",
                   params);
    s = tl_scenario_read("f.json", text, strlen(text), &errors);
    ck_assert_msg(s != NULL, "%s", errors);
    fal_params_default(&from.defaults, false);
    ck_assert_msg(tl_scenario_setup(s, &from, &out, &err) == 0, "%s", err.text);
    tl_scenario_free(s);
    return out.params;
}

static struct fal_params on(const char *params, uint64_t rtt_ns)
{
    return params_of(params, (struct tl_path_known){.rtt_ns = rtt_ns});
}

START_TEST(a_short_path_changes_nothing)
{
    struct fal_params p = on("\"rto\": \"60ms\", \"initial_rtt\": \"100ms\"", 15 * FAL_MS);

    ck_assert_uint_eq(p.rto_ns, 60 * FAL_MS);
    ck_assert_uint_eq(p.initial_rtt_ns, 100 * FAL_MS);
    ck_assert_uint_eq(p.transaction_timeout_ns, FAL_S);
}
END_TEST

START_TEST(the_rto_is_at_least_four_round_trips)
{
    struct fal_params p = on("\"rto\": \"60ms\"", 15 * FAL_MS + 1);

    ck_assert_uint_eq(p.rto_ns, 120 * FAL_MS); /* a multiple of what the scenario has */
    p = on("", 100 * FAL_MS);
    ck_assert_uint_eq(p.rto_ns, 400 * FAL_MS);
    ck_assert_uint_eq(p.coalescing_ns, 8 * FAL_US);
}
END_TEST

START_TEST(times_that_are_measured_by_the_rto_keep_their_ratio)
{
    struct fal_params p =
        on("\"rto\": \"60ms\", \"initial_rtt\": \"100ms\", \"transaction_timeout\": \"300ms\"",
           30 * FAL_MS);

    ck_assert_uint_eq(p.rto_ns, 120 * FAL_MS);
    ck_assert_uint_eq(p.initial_rtt_ns, 200 * FAL_MS);
    ck_assert_uint_eq(p.transaction_timeout_ns, 600 * FAL_MS);
    /* One that is far longer than the RTO does not grow without end. */
    p = on("\"rto\": \"1ms\", \"transaction_timeout\": \"10s\"", FAL_S);
    ck_assert_uint_eq(p.rto_ns, 4 * FAL_S);
    ck_assert_uint_eq(p.transaction_timeout_ns, 64 * 4 * FAL_S);
    /* A first round trip below the RTO is no defence against early copies, and stays. */
    p = on("\"rto\": \"60ms\", \"initial_rtt\": \"10ms\"", 30 * FAL_MS);
    ck_assert_uint_eq(p.initial_rtt_ns, 10 * FAL_MS);
}
END_TEST

START_TEST(a_transaction_outlives_a_round_trip)
{
    struct fal_params p =
        on("\"rto\": \"2s\", \"transaction_timeout\": \"50ms\"", 100 * FAL_MS);

    ck_assert_uint_eq(p.rto_ns, 2 * FAL_S);
    ck_assert_uint_eq(p.transaction_timeout_ns, 800 * FAL_MS);
}
END_TEST

START_TEST(a_time_beyond_all_paths_changes_nothing)
{
    struct fal_params p = on("\"rto\": \"1ms\"", FAL_NEVER / 2);

    ck_assert_uint_eq(p.rto_ns, FAL_MS);
}
END_TEST

START_TEST(variables_of_the_path)
{
    const struct tl_path_known path = {
        .rtt_ns = 7 * FAL_US, .hops_known = true, .hops = 3, .marks = true};
    struct fal_params p =
        params_of("\"coalescing\": \"$rtt * 2\", \"fcwnd\": \"$path_hops + 1\", \"ncwnd\": "
                  "\"$path_hops_known * 10 + $path_marks\"",
                  path);

    ck_assert_uint_eq(p.coalescing_ns, 14 * FAL_US);
    ck_assert_uint_eq(p.fcwnd, 4);
    ck_assert_uint_eq(p.ncwnd, 11);
    ck_assert(!tl_path_variable(&path, "path", &(struct tl_expr_value){TL_INTEGER, 0}));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario setup");
    TCase *tc = tcase_create("setup");

    tcase_add_test(tc, a_short_path_changes_nothing);
    tcase_add_test(tc, the_rto_is_at_least_four_round_trips);
    tcase_add_test(tc, times_that_are_measured_by_the_rto_keep_their_ratio);
    tcase_add_test(tc, a_transaction_outlives_a_round_trip);
    tcase_add_test(tc, a_time_beyond_all_paths_changes_nothing);
    tcase_add_test(tc, variables_of_the_path);
    suite_add_tcase(suite, tc);
    return suite;
}
