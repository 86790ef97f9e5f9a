/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/json/shape.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

/* One member of each kind. */
struct inner {
    uint16_t a;
    bool has_a;
};
struct all {
    const char *text;
    char name[5];
    bool flag, yes;
    uint8_t byte;
    uint32_t number;
    int32_t step;
    uint64_t wide, hex;
    bool has_hex;
    double real;
    enum { RED, GREEN, BLUE } word;
    struct inner inner;
    struct inner *list;
    size_t num_list;
    const char **texts;
    size_t num_texts;
    const json_t *kept, *checked;
    uint32_t twice; /* by a hook */
};

static int read_twice(const json_t *value, void *out, struct fal_misfit *wrong)
{
    uint32_t number = 2 * (uint32_t)json_integer_value(value);

    if (!json_is_integer(value))
        return fal_misfit_say_of(wrong, "deep", "expected a number to double");
    if (out != NULL)
        memcpy(out, &number, sizeof number);
    return 0;
}

static int write_twice(const void *in, json_t **out)
{
    uint32_t number;

    memcpy(&number, in, sizeof number);
    *out = number != 0 ? json_integer(number / 2) : NULL;
    return 0;
}

#define AT(field) FAL_AT(struct all, field)
static const struct fal_member inner_members[] = {
    {"a", &fal_shape_uint, 0, FAL_AT(struct inner, a), FAL_HAS(struct inner, has_a)}};
static const struct fal_shape inner = {
    .kind = FAL_SHAPE_OBJECT, .name = "inner", FAL_MEMBERS(inner_members)};
static const struct fal_shape inners = {.kind = FAL_SHAPE_LIST,
                                        FAL_OF(&inner),
                                        .min = 1,
                                        .max = 3,
                                        .item_size = sizeof(struct inner)};
static const char *const colours[] = {"red", "green", "blue"};
static const struct fal_shape colour = {.kind = FAL_SHAPE_WORD, FAL_WORDS(colours)};
static const struct fal_shape short_text = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 3};
static const struct fal_shape small = {.kind = FAL_SHAPE_UINT, .min = 2, .max = 9};
static const struct fal_shape step = {.kind = FAL_SHAPE_INT, .min = -1, .max = 100};
static const struct fal_shape kept = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&colour), .keeps_json = true};
static const struct fal_shape checked = {
    .kind = FAL_SHAPE_UINT, .read = read_twice, .keeps_json = true};
static const struct fal_shape twice = {
    .kind = FAL_SHAPE_UINT, .read = read_twice, .write = write_twice};
static const struct fal_shape number_or_text = {.kind = FAL_SHAPE_ANY_OF,
                                                FAL_OF(&fal_shape_uint, &short_text)};
static const struct fal_shape map = {.kind = FAL_SHAPE_MAP, FAL_OF(&number_or_text)};
static const struct fal_member members[] = {
    {"schema", FAL_ONE_WORD("talon/all/1"), .flags = FAL_MUST},
    {"text", &short_text, FAL_NULL | FAL_ALWAYS, AT(text), .doc = "some text"},
    {"name", &fal_shape_name, 0, AT(name)},
    {"flag", &fal_shape_flag, 0, AT(flag), .initial = 1},
    {"yes", &fal_shape_yes, 0, AT(yes)},
    {"byte", &fal_shape_uint, 0, AT(byte)},
    {"number", &small, 0, AT(number), .initial = 7},
    {"step", &step, 0, AT(step), .initial = UINT64_MAX},
    {"wide", &fal_shape_wide, FAL_ALWAYS, AT(wide)},
    {"hex", &fal_shape_hex, 0, AT(hex), FAL_HAS(struct all, has_hex)},
    {"real", &fal_shape_real, 0, AT(real)},
    {"word", &colour, 0, AT(word), .initial = GREEN},
    {"inner", &inner, 0, AT(inner), .doc = "an object"},
    {"list", &inners, 0, AT(list), FAL_COUNT(struct all, num_list)},
    {"texts", &fal_shape_texts, 0, AT(texts), FAL_COUNT(struct all, num_texts)},
    {"kept", &kept, 0, AT(kept)},
    {"checked", &checked, 0, AT(checked)},
    {"twice", &twice, 0, AT(twice)},
    {"map", &map, .flags = 0},
    {"any", &fal_shape_any, .flags = 0},
};
static const struct fal_shape all = {
    .kind = FAL_SHAPE_OBJECT, .doc = "all kinds", FAL_MEMBERS(members)};

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    ck_assert_msg(value != NULL, "%s", text);
    return value;
}

#define FULL                                                                                 \
    "{\"schema\": \"talon/all/1\", \"text\": \"abc\", \"name\": \"four\", \"flag\": false, " \
    "\"yes\": true, \"byte\": 255, \"number\": 9, \"step\": 5, \"wide\": \"never\", "        \
    "\"hex\": \"0x00000000000000ff\", \"real\": 1.5, \"word\": \"blue\", "                   \
    "\"inner\": {\"a\": 65535}, \"list\": [{\"a\": 0}, {}], \"texts\": [\"x\", \"y\"], "     \
    "\"kept\": [\"red\"], \"twice\": 4}"

/* Whether the value is that text, as JSON. */
static bool is_json(const json_t *value, const char *text)
{
    json_t *due = parse(text);
    bool same = json_equal(value, due) != 0;

    json_decref(due);
    return same;
}

/* The printer writes the bytes of the compact dump of what the writer makes, after what there
 * was. */
static void prints_alike(const struct all *value, const json_t *written)
{
    struct fal_shape_text text = {0};
    char *due = json_dumps(written, JSON_COMPACT);

    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(fal_shape_print(&all, value, &text), 0);
    ck_assert_uint_eq(text.len, 2 * (strlen(due) + 1));
    ck_assert_msg(strncmp(text.text, due, strlen(due)) == 0, "%.*s instead of %s",
                  (int)text.len, text.text, due);
    ck_assert_int_eq(text.text[strlen(due)], '\n');
    ck_assert_int_eq(strncmp(text.text + strlen(due) + 1, due, strlen(due)), 0);
    free(text.text);
    free(due);
}

static const char *const texts[] = {
    "",
    "plain",
    "a \"quote\" and a \\ and a /",
    "tab\t, newline\n, \x01 and \x7f",
    "\xc3\xa4 is UTF-8",
    "\xff is not",
};

START_TEST(the_printer_writes_any_text_as_the_writer_does)
{
    struct all value = {.text = texts[_i], .name = "n", .number = UINT32_MAX};
    json_t *written = fal_shape_write(&all, &value);

    prints_alike(&value, written);
    json_decref(written);
}
END_TEST

static const uint64_t wides[] = {0,         1,          9,          10,
                                 INT64_MAX, 1ULL << 63, UINT64_MAX, UINT64_MAX - 1};

START_TEST(the_printer_writes_any_number_as_the_writer_does)
{
    struct all value = {.wide = wides[_i],
                        .has_hex = true,
                        .hex = wides[_i],
                        .step = (int32_t)(uint32_t)wides[_i],
                        .real = 0.1};
    json_t *written = fal_shape_write(&all, &value);

    prints_alike(&value, written);
    json_decref(written);
}
END_TEST

START_TEST(each_kind_is_read_and_written_back)
{
    json_t *value = parse(FULL), *back;
    struct fal_misfit wrong;
    struct all out;

    ck_assert_msg(fal_shape_read(&all, value, &out, false, &wrong) == 0, "%s", wrong.text);
    ck_assert_str_eq(out.text, "abc");
    ck_assert_str_eq(out.name, "four");
    ck_assert(!out.flag && out.yes);
    ck_assert_uint_eq(out.byte, 255);
    ck_assert_uint_eq(out.number, 9);
    ck_assert_int_eq(out.step, 5);
    ck_assert_uint_eq(out.wide, UINT64_MAX);
    ck_assert(out.has_hex && out.hex == 0xff);
    ck_assert(out.real > 1.4 && out.real < 1.6);
    ck_assert_int_eq(out.word, BLUE);
    ck_assert(out.inner.has_a && out.inner.a == 65535);
    ck_assert_uint_eq(out.num_list, 2);
    ck_assert(out.list[0].has_a && out.list[0].a == 0 && !out.list[1].has_a);
    ck_assert_uint_eq(out.num_texts, 2);
    ck_assert_str_eq(out.texts[1], "y");
    ck_assert_uint_eq(json_array_size(out.kept), 1);
    ck_assert_uint_eq(out.twice, 8);
    back = fal_shape_write(&all, &out);
    ck_assert_msg(json_equal(back, value), "%s", json_dumps(back, 0));
    prints_alike(&out, back);
    json_decref(back);
    fal_shape_free(&all, &out);
    ck_assert_ptr_null(out.list);
    json_decref(value);
}
END_TEST

START_TEST(absent_members_have_their_initial_value_and_are_left_out)
{
    json_t *value = parse("{\"schema\": \"talon/all/1\", \"text\": null}"), *back;
    json_t *due = parse("{\"schema\": \"talon/all/1\", \"text\": null, \"wide\": 0, "
                        "\"real\": 0.0, \"inner\": {}}");
    struct fal_misfit wrong;
    struct all out;

    memset(&out, 0x55, sizeof out);
    out.twice = 0;
    ck_assert_int_eq(fal_shape_read(&all, value, &out, false, &wrong), 0);
    ck_assert_ptr_null(out.text);
    ck_assert_str_eq(out.name, "");
    ck_assert(out.flag && !out.yes && !out.has_hex);
    ck_assert_uint_eq(out.number, 7);
    ck_assert_int_eq(out.step, -1);
    ck_assert_int_eq(out.word, GREEN);
    ck_assert_uint_eq(out.num_list, 0);
    ck_assert_ptr_null(out.kept);
    ck_assert_ptr_null(out.checked); /* also where a hook checks it */
    back = fal_shape_write(&all, &out);
    ck_assert_msg(json_equal(back, due), "%s", json_dumps(back, 0));
    prints_alike(&out, back);
    json_decref(back);
    /* With `keep` an absent member keeps what C has. */
    out.number = 3;
    ck_assert_int_eq(fal_shape_read(&all, value, &out, true, &wrong), 0);
    ck_assert_uint_eq(out.number, 3);
    json_decref(due);
    json_decref(value);
}
END_TEST

#define WITH(member) "{\"schema\": \"talon/all/1\", " member "}"

static const struct {
    const char *json, *error;
} misfits[] = {
    {"[]", "expected an object"},
    {"{}", "schema: missing; expected \"talon/all/1\""},
    {"{\"schema\": \"talon/all/2\"}", "schema: expected \"talon/all/1\", found 'talon/all/2'"},
    {WITH("\"nmae\": 1"), "nmae: unknown; did you mean 'name'?"},
    {WITH("\"qqqqqqqq\": 1"), "qqqqqqqq: unknown"},
    {WITH("\"text\": \"\""), "text: expected a text that is not empty"},
    {WITH("\"text\": \"abcd\""), "text: longer than 3 bytes"},
    {WITH("\"text\": 3"), "text: expected a text that is not empty"},
    {WITH("\"name\": \"fives\""), "name: expected a text of at most 4 bytes"},
    {WITH("\"name\": null"), "name: expected a text of at most 4 bytes"},
    {WITH("\"flag\": 1"), "flag: expected true or false"},
    {WITH("\"yes\": false"), "yes: expected true"},
    {WITH("\"byte\": 256"), "byte: expected a whole number from 0 to 255, found 256"},
    {WITH("\"byte\": -1"), "byte: expected a whole number from 0 to 255, found -1"},
    {WITH("\"number\": 1"), "number: expected a whole number from 2 to 9, found 1"},
    {WITH("\"number\": 10"), "number: expected a whole number from 2 to 9, found 10"},
    {WITH("\"step\": -2"), "step: expected a whole number from -1 to 100, found -2"},
    {WITH("\"wide\": \"0x\""),
     "wide: expected a whole number, \"0x\" and up to 16 digits, or never, found '0x'"},
    {WITH("\"wide\": \"0x11112222333344445\""),
     "wide: expected a whole number, \"0x\" and up to 16 digits, or never, found '0x11112222333344445'"},
    {WITH("\"hex\": \"never\""),
     "hex: expected a whole number or \"0x\" and up to 16 digits, found 'never'"},
    {WITH("\"real\": \"1\""), "real: expected a number"},
    {WITH("\"word\": \"pink\""), "word: expected red, green or blue, found 'pink'"},
    {WITH("\"word\": 1"), "word: expected red, green or blue, found 1"},
    {WITH("\"inner\": {\"a\": 65536}"),
     "inner.a: expected a whole number from 0 to 65535, found 65536"},
    {WITH("\"inner\": {\"b\": 1}"), "inner.b: unknown"},
    {WITH("\"list\": []"), "list: expected at least 1 element"},
    {WITH("\"list\": [{}, {}, {}, {}]"), "list: expected at most 3 elements, found 4"},
    {WITH("\"list\": {}"), "list: expected an array"},
    {WITH("\"list\": [{}, {\"a\": true}]"),
     "list[1].a: expected a whole number from 0 to 65535"},
    {WITH("\"texts\": [\"x\", 2]"), "texts[1]: expected a text"},
    {WITH("\"kept\": [\"red\", \"pink\"]"),
     "kept[1]: expected red, green or blue, found 'pink'"},
    {WITH("\"twice\": true"), "twice.deep: expected a number to double"},
    {WITH("\"map\": {\"x\": 1, \"y\": \"long text\"}"), "map.y: longer than 3 bytes"},
    {WITH("\"map\": {\"x\": []}"), "map.x: expected another value"},
};

START_TEST(what_does_not_fit_is_named_with_its_place)
{
    json_t *value = parse(misfits[_i].json);
    struct fal_misfit wrong;
    struct fal_error err;
    struct all out = {.text = NULL};

    ck_assert_int_eq(fal_shape_read(&all, value, &out, false, &wrong), FAL_ERR_FORM);
    ck_assert_int_eq(fal_misfit_error(&wrong, FAL_ERR_FORM, "", &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, misfits[_i].error);
    fal_shape_free(&all, &out);
    /* The same when nothing is kept of it. */
    ck_assert_int_eq(fal_shape_read(&all, value, NULL, false, &wrong), FAL_ERR_FORM);
    json_decref(value);
}
END_TEST

/* A shape may contain itself; hostile nesting ends in an error. */
static const struct fal_shape nest;
static const struct fal_shape nests = {.kind = FAL_SHAPE_LIST, FAL_OF(&nest)};
static const struct fal_member nest_members[] = {{"in", &nests, .flags = 0}};
static const struct fal_shape nest = {
    .kind = FAL_SHAPE_OBJECT, .name = "nest", FAL_MEMBERS(nest_members)};

START_TEST(deep_nesting_is_an_error)
{
    json_t *value = json_object();
    struct fal_misfit wrong;

    for (int i = 0; i < 100; i++)
        value = json_pack("{s:[o]}", "in", value);
    ck_assert_int_eq(fal_shape_read(&nest, value, NULL, false, &wrong), FAL_ERR_FORM);
    ck_assert_str_eq(wrong.text, "nested too deeply");
    json_decref(value);
}
END_TEST

START_TEST(the_schema_has_every_member)
{
    json_t *schema = fal_shape_schema(&all, "talon/all/1", "All"), *properties, *text;

    ck_assert_ptr_nonnull(schema);
    properties = json_object_get(schema, "properties");
    ck_assert_uint_eq(json_object_size(properties), sizeof members / sizeof *members);
    ck_assert_uint_eq(json_array_size(json_object_get(schema, "required")), 1);
    text = json_object_get(properties, "text");
    ck_assert(is_json(json_object_get(text, "type"), "[\"string\", \"null\"]"));
    ck_assert_str_eq(json_string_value(json_object_get(text, "description")), "some text");
    ck_assert(is_json(json_object_get(json_object_get(properties, "word"), "enum"),
                      "[\"red\", \"green\", \"blue\"]"));
    ck_assert_ptr_nonnull(json_object_get(json_object_get(schema, "definitions"), "inner"));
    ck_assert(json_is_false(json_object_get(schema, "additionalProperties")));
    json_decref(schema);
    schema = fal_shape_schema(&nest, "talon/nest/1", "Nest");
    ck_assert_ptr_nonnull(schema);
    json_decref(schema);
}
END_TEST

START_TEST(text_that_is_not_utf8_is_written_with_question_marks)
{
    struct all in = {.text = "\xff"
                             "a"};
    json_t *back = fal_shape_write(&all, &in);

    ck_assert_str_eq(json_string_value(json_object_get(back, "text")), "?a");
    json_decref(back);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shape");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, each_kind_is_read_and_written_back);
    tcase_add_test(tc, absent_members_have_their_initial_value_and_are_left_out);
    tcase_add_loop_test(tc, what_does_not_fit_is_named_with_its_place, 0,
                        (int)(sizeof misfits / sizeof *misfits));
    tcase_add_test(tc, deep_nesting_is_an_error);
    tcase_add_test(tc, the_schema_has_every_member);
    tcase_add_test(tc, text_that_is_not_utf8_is_written_with_question_marks);
    tcase_add_loop_test(tc, the_printer_writes_any_text_as_the_writer_does, 0,
                        (int)(sizeof texts / sizeof *texts));
    tcase_add_loop_test(tc, the_printer_writes_any_number_as_the_writer_does, 0,
                        (int)(sizeof wides / sizeof *wides));
    suite_add_tcase(suite, tc);
    return suite;
}
