/* SPDX-License-Identifier: Apache-2.0
 * A request survives run.json and the command line, and reproduces itself. */
#include "harness/run/request.h"

#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 500 };

/* Texts that are hard for a command line. Each is valid for every TEXT row: the request does
 * not look into texts. */
static const char *const texts[] = {"x",   "-",   "-5",   "--fast",   "--sut", "--",
                                    "a b", "a=b", "'\"$", "\xc3\xa4", "[{\\n"};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char *draw_text(uint64_t *state)
{
    return texts[test_random(state) % TEXTS];
}

static unsigned count_of(const char *words)
{
    unsigned n = 1;

    for (; *words != 0; words++)
        n += *words == ' ';
    return n;
}

static void draw_row(uint64_t *state, const struct tl_option *row, struct tl_request *r)
{
    void *place = (char *)r + row->at;
    uint64_t dice = test_random(state), most = row->most != 0 ? row->most : UINT64_MAX;
    struct tl_texts *list = place;

    if (row->given_at != 0)
        *(bool *)((char *)r + row->given_at) = true;
    switch (row->kind) {
    case TL_OPTION_FLAG: *(bool *)place = true; break;
    case TL_OPTION_TEXT: *(const char **)place = draw_text(state); break;
    case TL_OPTION_TEXTS:
        list->count = 1 + dice % 3;
        list->list = calloc(list->count, sizeof *list->list);
        for (size_t i = 0; i < list->count; i++)
            list->list[i] = draw_text(state);
        break;
    case TL_OPTION_NUMBER:
        *(uint64_t *)place = most == UINT64_MAX ? dice >> dice % 64 : dice % (most + 1);
        break;
    case TL_OPTION_COUNT:
        *(unsigned *)place = (unsigned)(row->least + dice % (row->most - row->least + 1));
        break;
    case TL_OPTION_CHOICE: *(int *)place = (int)(dice % count_of(row->words)); break;
    case TL_OPTION_OWN: break; /* --bench: the program reads it before the verb does */
    case TL_OPTION_DURATION: ck_abort_msg("%s: the request has no such row", row->name);
    }
}

static void draw(uint64_t *state, struct tl_request *r)
{
    tl_request_init(r);
    for (size_t i = 0; i < tl_request_options.count; i++)
        if (test_random(state) % 4 == 0)
            draw_row(state, &tl_request_options.list[i], r);
}

static void compare(const struct tl_request *due, const struct tl_request *got, const char *how,
                    uint64_t seed)
{
    for (size_t i = 0; i < tl_request_options.count; i++) {
        const struct tl_option *row = &tl_request_options.list[i];

        ck_assert_msg(tl_option_same(row, due, got), "%s differs %s: %s", row->name, how,
                      test_again(seed));
    }
}

START_TEST(a_request_survives_json_and_a_command_line)
{
    uint64_t seed = test_seed(7);

    for (unsigned long i = 0; i < test_rounds(ROUNDS); i++, seed++) {
        uint64_t state = seed;
        struct tl_request due, from_json, from_words;
        struct fal_error err = {{0}};
        json_t *run, *words, *empty;
        char *text;

        draw(&state, &due);
        run = json_pack("{s:o, s:[]}", "request", tl_request_json(&due), "command");
        text = json_dumps(run, 0);
        json_decref(run);
        run = json_loads(text, 0, NULL);
        tl_request_init(&from_json);
        ck_assert_msg(tl_request_from_run(run, &from_json, &err) == 0, "%s: %s: %s", err.text,
                      text, test_again(seed));
        compare(&due, &from_json, "after JSON", seed);

        words = tl_request_command(&from_json, NULL);
        empty = json_pack("{s:O}", "command", words);
        tl_request_init(&from_words);
        ck_assert_msg(tl_request_from_run(empty, &from_words, &err) == 0, "%s: %s: %s",
                      err.text, text, test_again(seed));
        compare(&due, &from_words, "after words", seed);

        tl_request_free(&from_words);
        tl_request_free(&from_json);
        tl_request_free(&due);
        json_decref(empty);
        json_decref(words);
        json_decref(run);
        free(text);
    }
}
END_TEST

START_TEST(hostile_run_json_gives_one_error_that_names_the_member)
{
    static const struct {
        const char *text, *due;
    } rows[] = {
        {"{}", "'command': expected an array of texts"},
        {"{\"command\": \"run\"}", "'command': expected an array of texts"},
        {"{\"command\": []}", "'command': expected an array of texts"},
        {"{\"command\": [\"run\", 5]}", "'command': expected an array of texts"},
        {"{\"command\": [\"run\", \"--help\"]}",
         "'command': contains --help, which runs no cases"},
        {"{\"command\": [\"run\", \"--jobs\", \"0\"]}",
         "'command': --jobs '0'; expected 1 to 256"},
        {"{\"command\": [\"run\"], \"request\": []}", "'request': expected an object"},
        {"{\"command\": [\"run\"], \"request\": {\"sut\": 1}}",
         "'request': 'sut': expected a text"},
        {"{\"command\": [\"run\"], \"request\": {\"encap\": \"bare\"}}",
         "'request': 'encap': --encap 'bare'; expected udp, "},
        {"{\"command\": [\"run\"], \"request\": {\"help\": true}}",
         "'request': no member 'help'"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *json = json_loads(rows[i].text, 0, NULL);
        struct tl_request r;
        struct fal_error err = {{0}};

        tl_request_init(&r);
        ck_assert_msg(tl_request_from_run(json, &r, &err) == FAL_ERR_FORM, "%s", rows[i].text);
        ck_assert_msg(strncmp(err.text, rows[i].due, strlen(rows[i].due)) == 0, "%s: %s",
                      rows[i].text, err.text);
        tl_request_free(&r);
        json_decref(json);
    }
}
END_TEST

static char *again_of(const char *words)
{
    json_t *command = json_loads(words, 0, NULL);
    struct tl_request r;
    struct fal_error err = {{0}};
    char *text;

    tl_request_init(&r);
    ck_assert_msg(tl_request_from_command(command, &r, &err) == 0, "%s: %s", words, err.text);
    text = tl_request_again(&r);
    tl_request_free(&r);
    json_decref(command);
    ck_assert_ptr_nonnull(text);
    return text;
}

START_TEST(what_a_case_needs_is_said_again_and_no_more)
{
    static const struct {
        const char *words, *due;
    } rows[] = {
        {"[\"run\"]", " --sut builtin --seed 1"},
        {"[\"run\", \"x.json\", \"--jobs\", \"3\", \"--out\", \"d\", \"--copies\", \"1\"]",
         " --sut builtin --seed 1"},
        {"[\"run\", \"--seed=7\", \"--param\", \"rto=2ms\", \"--sut\", \"udp:h:1\", "
         "\"--control\", \"tcp:h:2\", \"--copies\", \"2\", \"--busy-poll\", \"--allow\", "
         "\"may-wedge\", \"--probe\", \"--encap\", \"udp\"]",
         " --sut udp:h:1 --control tcp:h:2 --param rto=2ms --copies 2 --busy-poll --probe "
         "--seed 7 --allow may-wedge"},
        {"[\"run\", \"--sut-exec\", \"a 'b'\", \"--encap\", \"psp_tunnel\", "
         "\"--capture-speed\", \"own\"]",
         " --sut builtin --sut-exec 'a '\\''b'\\''' --encap psp_tunnel --capture-speed own "
         "--seed 1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = again_of(rows[i].words);

        ck_assert_str_eq(text, rows[i].due);
        free(text);
    }
}
END_TEST

START_TEST(a_command_says_what_is_asked)
{
    const char *paths[] = {"-x"};
    struct tl_request r, unsaid;
    json_t *words;
    char *text;

    tl_request_init(&r);
    r.paths = (struct tl_texts){paths, 1};
    r.network = "-1";
    words = tl_request_command(&r, NULL);
    text = json_dumps(words, JSON_COMPACT);
    ck_assert_str_eq(text, "[\"run\",\"--network=-1\",\"--\",\"-x\"]");
    free(text);
    json_decref(words);
    tl_request_init(&r);
    unsaid = r;
    unsaid.sut = NULL;
    unsaid.retries = 9;
    words = tl_request_command(&r, &unsaid);
    text = json_dumps(words, JSON_COMPACT);
    ck_assert_str_eq(text, "[\"run\",\"--sut\",\"builtin\",\"--retries\",\"2\"]");
    free(text);
    json_decref(words);
}
END_TEST

/* The words of a CHOICE stand for the enum's names. */
START_TEST(words_of_choices_are_the_names_of_their_enums)
{
    const struct tl_option *row = tl_options_find(&tl_request_options, "--encap");
    char text[TL_OPTION_TEXT_MAX];
    struct tl_request r;

    tl_request_init(&r);
    ck_assert_uint_eq(count_of(row->words), FAL_ENCAP_BARE);
    for (int e = 0; e < FAL_ENCAP_BARE; e++) {
        r.encap = (enum fal_encap)e;
        ck_assert_str_eq(tl_option_value(row, &r, 0, text), fal_encap_name((enum fal_encap)e));
    }
    row = tl_options_find(&tl_request_options, "--junit-flavor");
    ck_assert_uint_eq(count_of(row->words), TL_JUNIT_RICH + 1);
    for (int f = 0; f <= TL_JUNIT_RICH; f++) {
        r.junit = (enum tl_junit_flavor)f;
        ck_assert_int_eq(tl_junit_flavor_from(tl_option_value(row, &r, 0, text)), f);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("request");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_request_survives_json_and_a_command_line);
    tcase_add_test(tc, hostile_run_json_gives_one_error_that_names_the_member);
    tcase_add_test(tc, what_a_case_needs_is_said_again_and_no_more);
    tcase_add_test(tc, a_command_says_what_is_asked);
    tcase_add_test(tc, words_of_choices_are_the_names_of_their_enums);
    suite_add_tcase(suite, tc);
    return suite;
}
