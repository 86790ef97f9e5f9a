/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt.h"

#include "tests/testing.h"

#include <string.h>

/* Whether the fuzzer asks for more transactions at the end of a valid case, where the user
 * gives these parameters. */
static bool is_asked(const char *members, const char *const *params)
{
    struct tl_given_params given = {.given = {false}};
    struct hunt_book *book = hunt_book_new(false);
    json_t *doc = json_loads(members, 0, NULL), *whole, *step;
    struct fal_error err = {{0}};
    bool asked = false;
    size_t i;

    ck_assert_ptr_nonnull(doc);
    for (; *params != NULL; params++)
        ck_assert_int_eq(tl_given_params_add(&given, *params, &err), 0);
    hunt_book_given(book, &given);
    ck_assert(hunt_lawful(doc));
    whole = hunt_complete_by(book, doc);
    ck_assert_ptr_nonnull(whole);
    json_array_foreach(json_object_get(whole, "steps"), i, step)
    {
        asked |= strcmp(hunt_word(step, "name"), HUNT_ALIVE) == 0;
    }
    json_decref(whole);
    json_decref(doc);
    hunt_book_free(book);
    return asked;
}

/* A transmitter gives a packet up after seven timeouts. Each ACK comes a coalescing time after
 * the packet, and if it is lost, the next one comes a coalescing time after the next copy. */
START_TEST(no_question_where_acks_come_too_late)
{
    static const char plain[] = "{}";
    static const char short_rto[] = "{\"connection\": {\"params\": {\"rto\": \"300us\"}}}";
    static const char set_rto[] =
        "{\"steps\": [{\"cm\": {\"do\": \"set\", \"params\": {\"rto\": \"300us\"}}}]}";
    static const char two_lost[] =
        "{\"steps\": [{\"on\": \"< back\", \"do\": \"drop\", \"times\": 2}]}";
    static const char lossy[] = "{\"impair\": {\"to_sut\": {\"loss\": \"3%\"}}}";
    static const char slow[] = "{\"impair\": {\"to_sut\": {\"latency\": \"20us\", "
                               "\"jitter\": \"20us\"}}}";
    static const struct {
        const char *members, *params[4];
        bool asked;
    } rows[] = {
        {plain, {NULL}, true},
        {two_lost, {NULL}, true},
        {lossy, {NULL}, true},
        {short_rto, {NULL}, true},
        {plain, {"coalescing=2898485ns"}, true},
        {two_lost, {"coalescing=2898485ns"}, false},
        {short_rto, {"coalescing=2898485ns"}, false},
        {set_rto, {"coalescing=2898485ns"}, false},
        {two_lost, {"coalescing=2898485ns", "rto=100ms"}, true},
        {lossy, {"coalescing=2ms"}, false},
        {lossy, {"coalescing=900us"}, true},
        {plain, {"coalescing=900us", "rto=100us"}, false},
        {plain, {"coalescing=900us", "rto_varies=true", "rto_lo=100us"}, false},
        {plain, {"coalescing=900us", "rto_lo=100us"}, true},
        {slow, {"rto=100us"}, true},
        {slow, {"rto=50us"}, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(is_asked(rows[i].members, rows[i].params) == rows[i].asked, "row %zu: %s",
                      i, rows[i].members);
}
END_TEST

START_TEST(the_shortest_rto_of_a_case)
{
    json_t *doc = json_loads("{\"connection\": {\"params\": {\"rto\": \"2ms\"}}, \"steps\": ["
                             "{\"repeat\": 2, \"steps\": [{\"cm\": {\"do\": \"set\", "
                             "\"params\": {\"rto\": \"1ms\"}}}]}]}",
                             0, NULL);
    json_t *none = json_object();

    ck_assert_uint_eq(hunt_rto_ns(doc, 0), FAL_MS);
    ck_assert_uint_eq(hunt_rto_ns(doc, 100 * FAL_US), FAL_MS); /* the case has its own */
    ck_assert_uint_eq(hunt_rto_ns(none, 100 * FAL_US), 100 * FAL_US);
    ck_assert_uint_eq(hunt_rto_ns(none, 0), FAL_MS);
    ck_assert_uint_eq(hunt_time_of("30s"), 30 * FAL_S);
    ck_assert_uint_eq(hunt_time_of("$rto"), 0);
    json_decref(doc);
    json_decref(none);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("the times of a case");
    TCase *cases = tcase_create("all");

    tcase_add_test(cases, no_question_where_acks_come_too_late);
    tcase_add_test(cases, the_shortest_rto_of_a_case);
    suite_add_tcase(suite, cases);
    return suite;
}
