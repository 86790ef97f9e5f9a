/* SPDX-License-Identifier: Apache-2.0
 * What an option table reads, refuses and prints. */
#include "harness/doc/options.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN, BLUE };

struct place {
    const char *file;
    struct tl_texts more;
    const char *name, *filter;
    struct tl_texts params;
    uint64_t seed, big, time_ns;
    unsigned jobs;
    enum colour colour;
    bool fast, has_big, own_given;
    char own[20];
};

static int read_own(void *into, const char *value, struct fal_error *err)
{
    struct place *p = into;

    if (strcmp(value, "bad") == 0)
        return fal_fail(err, FAL_ERR_FORM, "'bad' is refused");
    (void)snprintf(p->own, sizeof p->own, "%s", value);
    return 0;
}

#define PLACE(type, option, member) \
    .name = option, .kind = type, .at = offsetof(struct place, member)

static const struct tl_option list[] = {
    {PLACE(TL_OPTION_TEXT, "FILE", file)},
    {PLACE(TL_OPTION_TEXTS, "MORE", more)},
    {PLACE(TL_OPTION_TEXT, "--name", name), .alias = "-n", .value = "NAME", .help = "a text"},
    {PLACE(TL_OPTION_TEXT, "--filter", filter), .value = "F", .may_be_empty = true,
     .help = "f"},
    {PLACE(TL_OPTION_TEXTS, "--param", params), .value = "P",
     .help = "several words that together are longer than a line of the help can be, so that "
             "they must be wrapped\nand a line of its own"},
    {PLACE(TL_OPTION_NUMBER, "--seed", seed), .value = "N", .help = "a number"},
    {PLACE(TL_OPTION_NUMBER, "--big", big), .given_at = offsetof(struct place, has_big),
     .value = "N", .least = 5, .help = "at least 5"},
    {PLACE(TL_OPTION_COUNT, "--jobs", jobs), .value = "N", .least = 1, .most = 256,
     .help = "j"},
    {PLACE(TL_OPTION_CHOICE, "--colour", colour), .alias = "--color", .value = "WORD",
     .words = "red green blue", .help = "a word"},
    {PLACE(TL_OPTION_DURATION, "--time", time_ns), .value = "TIME", .help = "a time"},
    {PLACE(TL_OPTION_FLAG, "--fast", fast), .help = "a switch"},
    {.name = "--own",
     .kind = TL_OPTION_OWN,
     .read = read_own,
     .given_at = offsetof(struct place, own_given),
     .value = "OWN",
     .help = "read by itself"},
    {.name = "--next", .kind = TL_OPTION_OWN, .read = read_own, .value = "X", .help = "x"},
};
static const struct tl_options options = {"verb", list, sizeof list / sizeof *list};

enum { WORDS_MAX = 24 };

/* Reads the words of a line, separated by single spaces. Texts stay valid until the next call.
 */
static int read_line(const char *line, struct place *out, struct fal_error *err)
{
    static char copy[400];
    char *argv[WORDS_MAX + 1] = {0}, verb[] = "verb", *save = NULL;
    int argc = 1;

    (void)snprintf(copy, sizeof copy, "%s", line);
    argv[0] = verb;
    for (char *word = strtok_r(copy, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save)) {
        ck_assert_int_lt(argc, WORDS_MAX);
        argv[argc++] = word;
    }
    *out = (struct place){.seed = 1};
    err->text[0] = 0;
    return tl_options_read(&options, argc, argv, out, err);
}

START_TEST(values_go_to_their_places)
{
    struct place p;
    struct fal_error err;

    ck_assert_int_eq(read_line("--name x f1 --seed 0x10 --param a=1 f2 --param b --jobs 256 "
                               "--colour blue --time 250us --fast",
                               &p, &err),
                     0);
    ck_assert_str_eq(p.name, "x");
    ck_assert_str_eq(p.file, "f1");
    ck_assert_uint_eq(p.more.count, 1);
    ck_assert_str_eq(p.more.list[0], "f2");
    ck_assert_uint_eq(p.seed, 16);
    ck_assert_uint_eq(p.params.count, 2);
    ck_assert_str_eq(p.params.list[0], "a=1");
    ck_assert_str_eq(p.params.list[1], "b");
    ck_assert_uint_eq(p.jobs, 256);
    ck_assert_int_eq(p.colour, BLUE);
    ck_assert_uint_eq(p.time_ns, 250000);
    ck_assert(p.fast && !p.has_big && !p.own_given);
    tl_options_free(&options, &p);
    ck_assert_uint_eq(p.params.count, 0);
}
END_TEST

START_TEST(forms_that_are_the_same)
{
    static const char *const lines[] = {"--name=a=b", "--name a=b", "-n a=b",
                                        "-na=b",      "--nam a=b",  "--name x --name a=b"};
    struct place p;
    struct fal_error err;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ck_assert_msg(read_line(lines[i], &p, &err) == 0, "%s: %s", lines[i], err.text);
        ck_assert_msg(strcmp(p.name, "a=b") == 0, "%s: %s", lines[i], p.name);
    }
    ck_assert_int_eq(read_line("--color green", &p, &err), 0);
    ck_assert_int_eq(p.colour, GREEN);
    ck_assert_int_eq(read_line("--big 5 --own=", &p, &err), FAL_ERR_FORM);
    ck_assert_int_eq(read_line("--big 5 --own x", &p, &err), 0);
    ck_assert(p.has_big && p.own_given);
    ck_assert_int_eq(read_line("--filter=", &p, &err), 0);
    ck_assert_str_eq(p.filter, "");
}
END_TEST

START_TEST(arguments_and_the_end_of_options)
{
    struct place p;
    struct fal_error err;

    ck_assert_int_eq(read_line("- -- --fast -n --", &p, &err), 0);
    ck_assert_str_eq(p.file, "-");
    ck_assert(!p.fast);
    ck_assert_uint_eq(p.more.count, 3);
    ck_assert_str_eq(p.more.list[0], "--fast");
    ck_assert_str_eq(p.more.list[2], "--");
    tl_options_free(&options, &p);
    ck_assert_int_eq(read_line("--name -5", &p, &err), 0); /* a dash is no option */
    ck_assert_str_eq(p.name, "-5");
    ck_assert_int_eq(read_line("--name=--fast", &p, &err), 0);
    ck_assert_str_eq(p.name, "--fast");
}
END_TEST

START_TEST(help_ends_the_reading)
{
    struct place p;
    struct fal_error err;

    ck_assert_int_eq(read_line("--fast --help --no-such", &p, &err), TL_OPTIONS_HELP);
    ck_assert_int_eq(read_line("-h", &p, &err), TL_OPTIONS_HELP);
    ck_assert_int_eq(read_line("--name x -- --help", &p, &err), 0);
    tl_options_free(&options, &p);
}
END_TEST

START_TEST(each_error_names_the_option)
{
    static const struct {
        const char *line, *due;
    } rows[] = {
        {"--sede 3", "no option '--sede'; did you mean '--seed'?"},
        {"--quite-another", "no option '--quite-another'"},
        {"-x", "no option '-x'"},
        {"--quite=3", "no option '--quite'"},
        {"--n 3", "'--n' can be --name or --next"},
        {"--seed", "--seed needs a value: expected N"},
        {"--name", "--name needs a value: expected NAME"},
        {"--name --fast", "--name needs a value: expected NAME, but --fast follows"},
        {"-n --colour red", "--name needs a value: expected NAME, but --colour follows"},
        {"--name=", "--name ''; expected NAME"},
        {"--fast=yes", "--fast takes no value: 'yes'"},
        {"--seed x", "--seed 'x'; expected a number"},
        {"--seed -1", "--seed '-1'; expected a number"},
        {"--seed 1x", "--seed '1x'; expected a number"},
        {"--seed 18446744073709551616", "--seed '18446744073709551616'; expected a number"},
        {"--big 4", "--big '4'; expected a number, at least 5"},
        {"--jobs 0", "--jobs '0'; expected 1 to 256"},
        {"--jobs 257", "--jobs '257'; expected 1 to 256"},
        {"--jobs 4294967297", "--jobs '4294967297'; expected 1 to 256"},
        {"--colour pink", "--colour 'pink'; expected red, green or blue"},
        {"--colour re", "--colour 're'; expected red, green or blue"},
        {"--time 5", "--time '5'; expected a time such as 250us"},
        {"--own bad", "--own 'bad' is refused"},
    };
    struct place p;
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(read_line(rows[i].line, &p, &err) == FAL_ERR_FORM, "%s", rows[i].line);
        ck_assert_msg(strcmp(err.text, rows[i].due) == 0, "%s: %s", rows[i].line, err.text);
        tl_options_free(&options, &p);
    }
}
END_TEST

START_TEST(too_many_arguments)
{
    static const struct tl_option one[] = {
        {PLACE(TL_OPTION_TEXT, "FILE", file)},
        {PLACE(TL_OPTION_FLAG, "--fast", fast), .help = "f"}};
    const struct tl_options few = {"verb", one, 2}, none = {"verb", one + 1, 1};
    char *argv[] = {(char *)"verb", (char *)"a", (char *)"b"};
    struct place p = {.file = NULL};
    struct fal_error err;

    ck_assert_int_eq(tl_options_read(&few, 2, argv, &p, &err), 0);
    ck_assert_int_eq(tl_options_read(&few, 3, argv, &p, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "one argument too many: 'b'");
    ck_assert_int_eq(tl_options_read(&none, 2, argv, &p, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "no option, and no other argument: 'a'");
}
END_TEST

START_TEST(the_help_names_each_option_once)
{
    char *text = NULL, head[40];
    size_t len;
    FILE *out = open_memstream(&text, &len);

    tl_options_print_help(&options, out);
    ck_assert_int_eq(fclose(out), 0);
    for (size_t i = 0; i < options.count; i++) {
        const char *first;

        (void)snprintf(head, sizeof head, "  %s%c", list[i].name,
                       list[i].alias != NULL ? ',' : ' ');
        first = strstr(text, head);
        ck_assert_msg((first != NULL) == (list[i].name[0] == '-'), "%s", list[i].name);
        ck_assert_msg(first == NULL || strstr(first + 1, head) == NULL, "%s", list[i].name);
    }
    for (char *line = text; *line != 0; line = strchr(line, '\n') + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "%s", line);
    ck_assert_ptr_nonnull(strstr(text, "\n                         and a line of its own\n"));
    free(text);
}
END_TEST

START_TEST(hostile_json_gives_one_error_that_names_the_member)
{
    static const struct {
        const char *text, *due;
    } rows[] = {
        {"[]", "expected an object"},
        {"{\"no_such\": 1}", "no member 'no_such'"},
        {"{\"own\": \"x\"}", "'own': expected no such member"},
        {"{\"name\": 5}", "'name': expected a text"},
        {"{\"name\": \"\"}", "'name': --name ''; expected NAME"},
        {"{\"fast\": 1}", "'fast': expected true or false"},
        {"{\"param\": \"a\"}", "'param': expected an array of texts"},
        {"{\"param\": [\"a\", {}]}", "'param': expected an array of texts"},
        {"{\"more\": [null]}", "'more': expected an array of texts"},
        {"{\"jobs\": 0}", "'jobs': --jobs '0'; expected 1 to 256"},
        {"{\"jobs\": -1}", "jobs"},
        {"{\"jobs\": 1.5}", "jobs"},
        {"{\"seed\": \"0x1g\"}", "seed"},
        {"{\"seed\": [1]}", "seed"},
        {"{\"colour\": \"pink\"}", "'colour': --colour 'pink'; expected red, green or blue"},
        {"{\"colour\": 1}", "'colour': expected a text"},
        {"{\"time\": \"5\"}", "'time': --time '5'; expected a time such as 250us"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *json = json_loads(rows[i].text, 0, NULL);
        struct place p = {.seed = 1};
        struct fal_error err = {{0}};

        ck_assert_ptr_nonnull(json);
        ck_assert_msg(tl_options_from_json(&options, json, &p, &err) == FAL_ERR_FORM, "%s",
                      rows[i].text);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%s: %s", rows[i].text, err.text);
        tl_options_free(&options, &p);
        json_decref(json);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, values_go_to_their_places);
    tcase_add_test(tc, forms_that_are_the_same);
    tcase_add_test(tc, arguments_and_the_end_of_options);
    tcase_add_test(tc, help_ends_the_reading);
    tcase_add_test(tc, each_error_names_the_option);
    tcase_add_test(tc, too_many_arguments);
    tcase_add_test(tc, the_help_names_each_option_once);
    tcase_add_test(tc, hostile_json_gives_one_error_that_names_the_member);
    suite_add_tcase(suite, tc);
    return suite;
}
