/* SPDX-License-Identifier: Apache-2.0
 * layout_test.c - the canonical layout: what it looks like, that it keeps values, and that
 * blanks in the file never change it. */
#include "harness/scenario/layout/layout.h"

#include "oracles/rng.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *laid_out(const char *text)
{
    struct fal_error err = {{0}};
    size_t len = 0;
    char *out = tl_layout(text, strlen(text), &len, &err);

    ck_assert_msg(out != NULL, "%s", err.text);
    ck_assert_uint_eq(len, strlen(out));
    return out;
}

#define HEAD "{\n  \"schema\": \"talon/scenario/1\",\n"
#define LONG                                                                                   \
    "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}, \"note\": \"a step that " \
    "is longer than a line, but has no steps of its own\"}"

static const struct {
    const char *from, *to;
} rows[] = {
    /* The order of the reference; unknown members stay together at the end. */
    {"{\"zz\":1,\"steps\":[],\"yy\":2,\"id\":\"a\",\"schema\":\"talon/scenario/1\"}",
     HEAD "  \"id\": \"a\",\n  \"steps\": [],\n  \"zz\": 1,\n  \"yy\": 2\n}\n"},
    /* Other schemas keep theirs. */
    {"{\"steps\":[{\"post\":\"write\"}],\"schema\":\"talon/roce/1\"}",
     "{\n  \"steps\": [{\"post\": \"write\"}],\n  \"schema\": \"talon/roce/1\"\n}\n"},
    /* Numbers and escapes stay as they were written. */
    {"{\"schema\":\"talon/scenario/1\",\"vars\":{\"a\":1.50,\"b\":-0,\"c\":1E3,\"d\":\"\\u0041"
     "\\/\\\"]\"}}",
     HEAD "  \"vars\": {\"a\": 1.50, \"b\": -0, \"c\": 1E3, \"d\": \"\\u0041\\/\\\"]\"}\n}\n"},
    /* A step on one line; blanks of packet lines; comments of neighbours aligned. */
    {"{\"schema\":\"talon/scenario/1\",\"steps\":[\">  push_data   psn=0r#  no comment \","
     "\"< back # a\",\"<=5us < packet dbase=1r     #  b\",{\"send\":\"> nack  #c\"},"
     "{\"note\":\"two  blanks  # stay\"},\"< back\\t# x\"]}",
     HEAD "  \"steps\": [\n    \"> push_data psn=0r# no comment\",\n"
          "    \"< back                     # a\",\n"
          "    \"<=5us < packet dbase=1r    #  b\",\n"
          "    {\"send\": \"> nack    #c\"},\n    {\"note\": \"two  blanks  # stay\"},\n"
          "    \"< back\\t# x\"\n  ]\n}\n"},
    /* One step that fits stays beside its list; a long step is never broken. */
    {"{\"schema\":\"talon/scenario/1\",\"steps\":[\n\n{\"wait\":\"1ms\"}]}",
     HEAD "  \"steps\": [{\"wait\": \"1ms\"}]\n}\n"},
    {"{\"schema\":\"talon/scenario/1\",\"steps\":[" LONG "]}",
     HEAD "  \"steps\": [\n    " LONG "\n  ]\n}\n"},
    /* A block that does not fit has its steps below it. */
    {"{\"schema\":\"talon/scenario/1\",\"steps\":[{\"if\":\"a\",\"then\":[" LONG "],\"else\":["
     "{\"alt\":[[\"< a\"],[" LONG "]]}]}]}",
     HEAD "  \"steps\": [\n    {\"if\": \"a\", \"then\": [\n      " LONG
          "\n    ], \"else\": [\n"
          "      {\"alt\": [\n        [\"< a\"],\n        [\n          " LONG
          "\n        ]\n      ]}\n    ]}\n  ]\n}\n"},
    /* UTF-8 counts characters. */
    {"{\"schema\":\"talon/scenario/1\",\"steps\":[\"< a # \xc3\xa9\",\"< \xc3\xa9 # b\"]}",
     HEAD "  \"steps\": [\n    \"< a    # \xc3\xa9\",\n    \"< \xc3\xa9    # b\"\n  ]\n}\n"},
};

START_TEST(layout_is_this)
{
    char *once = laid_out(rows[_i].from), *twice = laid_out(once);

    ck_assert_str_eq(once, rows[_i].to);
    ck_assert_str_eq(twice, once);
    free(once);
    free(twice);
}
END_TEST

static const char *const wrong[] = {
    "",
    "{",
    "[]",
    "1",
    "{\"id\": \"x\"}",
    "{\"schema\": 7}",
    "{\"schema\":\"a\"} x",
    "{\"schema\":\"a\",\"b\":1,\"b\":2}",
};

START_TEST(what_is_no_scenario_is_refused)
{
    struct fal_error err = {{0}};
    size_t len;

    ck_assert_ptr_null(tl_layout(wrong[_i], strlen(wrong[_i]), &len, &err));
    ck_assert_str_ne(err.text, "");
}
END_TEST

/* ---- blanks do not matter ---- */

enum { ROUNDS = 300, DEPTH = 5 };

static json_t *some_value(struct fal_rng *rng, unsigned depth)
{
    static const char *const keys[] = {"steps", "then", "alt", "send", "x", "params", "note"};
    static const char *const texts[] = {"< back dbase=1r # FTP-9",
                                        "> push_data psn=0r",
                                        "a b",
                                        "\xc3\xa9 \"\\",
                                        "",
                                        "#",
                                        " # "};
    uint64_t kind = fal_rng_below(rng, depth == 0 ? 3 : 6);
    json_t *value;

    if (kind == 0)
        return json_integer((json_int_t)fal_rng_below(rng, 1000));
    if (kind <= 2)
        return json_string(texts[fal_rng_below(rng, 7)]);
    value = kind <= 4 ? json_array() : json_object();
    for (uint64_t n = fal_rng_below(rng, 6); n > 0; n--) {
        json_t *child = some_value(rng, depth - 1);

        if (kind <= 4)
            (void)json_array_append_new(value, child);
        else
            (void)json_object_set_new(value, keys[fal_rng_below(rng, 7)], child);
    }
    return value;
}

/* The text with blanks put in and taken out between its values. */
static char *with_blanks(const char *text, struct fal_rng *rng)
{
    char *out = malloc(strlen(text) * 5 + 1), *to = out;
    bool quoted = false;

    ck_assert_ptr_nonnull(out);
    for (const char *c = text; *c != 0; c++) {
        bool stands_alone = !quoted && strchr("{}[],:", *c) != NULL;

        if (!quoted && (*c == ' ' || *c == '\n'))
            continue;
        if (stands_alone && fal_rng_below(rng, 2) == 0)
            *to++ = " \n\t\r"[fal_rng_below(rng, 4)];
        *to++ = *c;
        if (quoted && *c == '\\')
            *to++ = *++c;
        else if (*c == '"')
            quoted = !quoted;
        if (stands_alone && fal_rng_below(rng, 2) == 0)
            *to++ = " \n\t\r"[fal_rng_below(rng, 4)];
    }
    *to = 0;
    return out;
}

START_TEST(blanks_do_not_matter)
{
    uint64_t seed = test_seed(25);

    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++, seed++) {
        struct fal_rng rng = {seed};
        json_t *file = json_object();
        char *text, *once, *spaced, *again;

        (void)json_object_set_new(file, "schema", json_string("talon/scenario/1"));
        (void)json_object_set_new(file, "steps", some_value(&rng, DEPTH));
        (void)json_object_set_new(file, "fragments", some_value(&rng, DEPTH));
        text = json_dumps(file, JSON_COMPACT);
        once = laid_out(text);
        spaced = with_blanks(once, &rng);
        again = laid_out(spaced);
        ck_assert_msg(strcmp(once, again) == 0, "%s differ for blanks in %s", test_again(seed),
                      text);
        free(text);
        free(once);
        free(spaced);
        free(again);
        json_decref(file);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("layout");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, layout_is_this, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_loop_test(tc, what_is_no_scenario_is_refused, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, blanks_do_not_matter);
    suite_add_tcase(suite, tc);
    return suite;
}
