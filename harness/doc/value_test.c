/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/value.h"

#include "tests/testing.h"

#include <string.h>

static int answer_word(const char *word)
{
    return strcmp(word, "ack") == 0 ? 0 : strcmp(word, "rnr") == 0 ? 2 : -1;
}

static bool fixed(const void *ctx, const char *name, struct tl_expr_value *value)
{
    (void)ctx;
    if (strcmp(name, "rto") != 0)
        return false;
    *value = (struct tl_expr_value){TL_TIME, 1000000};
    return true;
}

static const struct tl_var vars[] = {
    {"psn", {TL_SEQUENCE, 0xffffffff}},
    {"count", {TL_INTEGER, 7}},
};
static struct tl_exprs exprs;
static const struct tl_scope scope = {
    .vars = vars, .num_vars = 2, .fixed = fixed, .exprs = &exprs};

static struct fal_arena arena;

static void setup(void)
{
    arena = (struct fal_arena){0};
    exprs = (struct tl_exprs){0};
}

static void teardown(void)
{
    fal_arena_free(&arena);
}

static struct tl_value parse(const char *text)
{
    struct tl_value value;
    struct fal_error err = {{0}};

    ck_assert_msg(tl_value_parse(text, answer_word, &arena, &exprs, &value, &err) == 0,
                  "%s: %s", text, err.text);
    return value;
}

START_TEST(one_value_in_each_form)
{
    static const struct {
        const char *text;
        uint64_t due;
    } rows[] = {
        {"0", 0},
        {"42", 42},
        {"0xff", 255},
        {"0b101", 5},
        {"18446744073709551615", UINT64_MAX},
        {"3r", 2}, /* from 0xffffffff, over the wrap */
        {"0r", 0xffffffff},
        {"rnr", 2},
        {"250us", 250000},
        {"$count", 7},
        {"$count+1", 8},
        {"$count + 1", 8},
        {"$psn", 0xffffffff},
        {"$psn + 1", 0}, /* a sequence number wraps */
        {"$psn + 4", 3},
        {"$psn - 1", 0xfffffffe},
        {"$rto * 2", 2000000},
        {"$rto+10%", 1100000},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_value value = parse(rows[i].text);
        struct fal_error err = {{0}};
        uint64_t out = 1;

        ck_assert_msg(tl_value_get(&value, 0xffffffff, &scope, &out, &err) == 0, "%s: %s",
                      rows[i].text, err.text);
        ck_assert_msg(out == rows[i].due, "%s: due %llu, got %llu", rows[i].text,
                      (unsigned long long)rows[i].due, (unsigned long long)out);
    }
}
END_TEST

START_TEST(patterns_match_what_they_say)
{
    static const struct {
        const char *text;
        uint64_t seen;
        int due;
    } rows[] = {
        {"any", 5, 1},
        {"@x", 5, 1},
        {"5", 5, 1},
        {"5", 6, 0},
        {"!5", 5, 0},
        {"!5", 6, 1},
        {"1..3", 0, 0},
        {"1..3", 1, 1},
        {"1..3", 3, 1},
        {"1..3", 4, 0},
        {"{1,4}", 4, 1},
        {"{1,4}", 3, 0},
        {"!{1,4}", 3, 1},
        {"{ack,rnr}", 2, 1},
        {"{ack,rnr}", 1, 0},
        {"3r", 2, 1},
        {"0r..3r", 1, 1},
        {"0r..3r", 3, 0},
        {"0r..3r", 0xffffffff, 1},
        {"0r..3r", 0xfffffffe, 0},
        {"{0r,1r}", 0, 1},
        {"$count..9", 7, 1},
        {"$count..9", 6, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_value value = parse(rows[i].text);

        ck_assert_msg(tl_value_match(&value, 0xffffffff, &scope, rows[i].seen, NULL) ==
                          rows[i].due,
                      "%s against %llu", rows[i].text, (unsigned long long)rows[i].seen);
    }
}
END_TEST

START_TEST(a_value_is_fixed_if_neither_variables_nor_the_base_change_it)
{
    static const struct {
        const char *text;
        bool due;
    } rows[] = {
        {"any", true},      {"@x", true},         {"5", true},           {"!5", true},
        {"1..3", true},     {"{1,4}", true},      {"rnr", true},         {"3r", false},
        {"!3r", false},     {"$count", false},    {"$rto * 2", false},   {"0r..3r", false},
        {"{0r,1r}", false}, {"$count..9", false}, {"{1,$count}", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_value value = parse(rows[i].text);

        ck_assert_msg(tl_value_is_fixed(&value) == rows[i].due, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(bad_values_are_refused_with_a_word_why)
{
    static const char *const rows[] = {
        "",
        "!",
        "0x",
        "0b2",
        "12a",
        "3rr",
        "-1",
        "18446744073709551616",
        "@",
        "@9",
        "@a-b",
        "{}",
        "{1",
        "push",
        "{a}",
        "$",
        "5 parsecs",
        "{1,2}3",
        "{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_error err = {{0}};
        struct tl_value value;

        ck_assert_msg(tl_value_parse(rows[i], answer_word, &arena, &exprs, &value, &err) ==
                          FAL_ERR_FORM,
                      "'%s' was taken", rows[i]);
        ck_assert_msg(err.text[0] != 0, "'%s' says nothing", rows[i]);
    }
}
END_TEST

START_TEST(an_endless_value_is_refused)
{
    struct fal_error err = {{0}};
    struct tl_value value;
    char text[400];

    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ck_assert_int_eq(tl_value_parse(text, NULL, &arena, &exprs, &value, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "characters"));
}
END_TEST

START_TEST(unknown_variables_and_patterns_for_values_are_errors)
{
    static const char *const rows[] = {"$nobody", "any", "@x", "1..2", "{1,2}", "$count - 9"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_value value = parse(rows[i]);
        struct fal_error err = {{0}};
        uint64_t out;

        ck_assert_msg(tl_value_get(&value, 0, &scope, &out, &err) == FAL_ERR_FORM, "%s",
                      rows[i]);
        ck_assert(err.text[0] != 0);
    }
}
END_TEST

START_TEST(arena_gives_zeroed_aligned_memory_of_any_size)
{
    size_t total = 0;

    for (size_t n = 1; n < 60000; n = n * 3 / 2 + 1) {
        unsigned char *p = fal_arena_alloc(&arena, n, 1);

        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq((uintptr_t)p % sizeof(void *), 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_uint_eq(p[i], 0);
        memset(p, 0xff, n);
        total += n;
    }
    ck_assert_uint_gt(total, 100000);
    ck_assert_ptr_null(fal_arena_alloc(&arena, SIZE_MAX / 2, 4));
    ck_assert_str_eq(fal_arena_strdup(&arena, "word"), "word");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_value");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, one_value_in_each_form);
    tcase_add_test(tc, patterns_match_what_they_say);
    tcase_add_test(tc, a_value_is_fixed_if_neither_variables_nor_the_base_change_it);
    tcase_add_test(tc, bad_values_are_refused_with_a_word_why);
    tcase_add_test(tc, an_endless_value_is_refused);
    tcase_add_test(tc, unknown_variables_and_patterns_for_values_are_errors);
    tcase_add_test(tc, arena_gives_zeroed_aligned_memory_of_any_size);
    suite_add_tcase(suite, tc);
    return suite;
}
