/* SPDX-License-Identifier: Apache-2.0
 * The JSON Schema of scenarios and the validator agree: each accepts what the other accepts, on
 * thousands of files changed at random. A small evaluator of draft-07, of the words that our
 * schema uses (json_schema.h), stands for an editor's.
 * The validator alone knows what is no structure: `pattern` is passed over here, as grammar,
 * names, ids, cycles and limits are (docs/scenarios.md). Run from the top of the sources. */
#include "harness/run/run.h"
#include "harness/scenario/reader.h"
#include "harness/scenario/types.h"
#include "oracles/rng.h"

#include "tests/support/json_schema.h"
#include "tests/testing.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 400 };

static bool takes(json_t *root, json_t *schema, json_t *value)
{
    return takes_schema(root, schema, value, false);
}

/* ---- files, and what becomes of them ---- */

static json_t *files[FILES_MAX];
static size_t num_files;

static void load_below(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    ck_assert_msg(dir != NULL, "%s", path);
    while ((entry = readdir(dir)) != NULL) { /* NOLINT(concurrency-mt-unsafe) */
        char below[600];
        size_t len = strlen(entry->d_name);

        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "schema") == 0 ||
            strcmp(entry->d_name, "profiles") == 0 || strncmp(entry->d_name, "roce-", 5) == 0)
            continue;
        (void)snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (len < 5 || strcmp(entry->d_name + len - 5, ".json") != 0) {
            load_below(below);
        } else if (num_files < FILES_MAX) {
            files[num_files] = json_load_file(below, JSON_REJECT_DUPLICATES, NULL);
            ck_assert_msg(files[num_files] != NULL, "%s", below);
            num_files++;
        }
    }
    (void)closedir(dir);
}

/* A value of any kind, or one from elsewhere in the file. */
static json_t *any_value(struct fal_rng *rng, json_t *file)
{
    static const char *const words[] = {"",     "push",  "sut",   "1ms",   "$rto", "drop",
                                        "post", "valid", "count", "event", "0r",   "workload"};
    json_t *item = NULL;
    size_t n;

    switch (fal_rng_below(rng, 9)) {
    case 0: return json_integer((json_int_t)fal_rng_below(rng, 3));
    case 1: return json_integer(-1);
    case 2: return json_integer((json_int_t)1 << 40);
    case 3: return json_boolean(fal_rng_below(rng, 2) != 0);
    case 4: return json_null();
    case 5: return json_real(1.5);
    case 6: return fal_rng_below(rng, 2) != 0 ? json_array() : json_object();
    case 7: return json_string(words[fal_rng_below(rng, sizeof words / sizeof *words)]);
    default: break;
    }
    item = file;
    while (fal_rng_below(rng, 4) != 0 && (json_is_object(item) || json_is_array(item))) {
        n = json_is_object(item) ? json_object_size(item) : json_array_size(item);
        if (n == 0)
            break;
        n = fal_rng_below(rng, n);
        if (json_is_array(item)) {
            item = json_array_get(item, n);
        } else {
            void *at = json_object_iter(item);

            while (n-- > 0)
                at = json_object_iter_next(item, at);
            item = json_object_iter_value(at);
        }
    }
    return json_deep_copy(item);
}

static const char *any_key(struct fal_rng *rng)
{
    static const char *const keys[] = {
        "send", "expect", "within", "steps",  "covers", "note", "is",    "any_of", "count",
        "on",   "do",     "side",   "params", "event",  "name", "state", "bogus",  "at",
        "with", "repeat", "then",   "alt",    "what",   "of",   "share", "events", "length"};

    return keys[fal_rng_below(rng, sizeof keys / sizeof *keys)];
}

/* Changes one thing somewhere below `at`. */
static void change(struct fal_rng *rng, json_t *file, json_t *at)
{
    size_t n = json_is_object(at) ? json_object_size(at) : json_array_size(at), pick;
    json_t *child = NULL;
    const char *key = NULL;

    if (n == 0) {
        if (json_is_object(at))
            (void)json_object_set_new(at, any_key(rng), any_value(rng, file));
        else if (json_is_array(at))
            (void)json_array_append_new(at, any_value(rng, file));
        return;
    }
    pick = fal_rng_below(rng, n);
    if (json_is_object(at)) {
        void *it = json_object_iter(at);

        for (size_t i = 0; i < pick; i++)
            it = json_object_iter_next(at, it);
        key = json_object_iter_key(it);
        child = json_object_iter_value(it);
    } else {
        child = json_array_get(at, pick);
    }
    if ((json_is_object(child) || json_is_array(child)) && fal_rng_below(rng, 4) != 0) {
        change(rng, file, child);
        return;
    }
    switch (fal_rng_below(rng, 4)) {
    case 0:
        if (key != NULL)
            (void)json_object_del(at, key);
        else
            (void)json_array_remove(at, pick);
        break;
    case 1:
        if (key != NULL)
            (void)json_object_set_new(at, any_key(rng), any_value(rng, file));
        else
            (void)json_array_append_new(at, any_value(rng, file));
        break;
    case 2:
        if (key != NULL) { /* under another name */
            json_t *copy = json_incref(child);

            (void)json_object_del(at, key);
            (void)json_object_set_new(at, any_key(rng), copy);
            break;
        } /* fall through */
    default:
        if (key != NULL)
            (void)json_object_set_new(at, key, any_value(rng, file));
        else
            (void)json_array_set_new(at, pick, any_value(rng, file));
        break;
    }
}

/* Whether the validator finds the structure right; *said gets its errors. */
static bool validator_takes(json_t *file, const char *text, char **said)
{
    struct tl_reader r = {
        .path = "f.json", .text = text, .len = strlen(text), .as_written = true};
    struct tl_path root = {0};
    bool ok = tl_shape_check(&r, &root, file, &tl_type_file);

    *said = tl_reader_errors(&r);
    ck_assert(ok == (*said == NULL));
    return ok;
}

static json_t *schema;

static void agree(json_t *file, uint64_t seed)
{
    char *text = json_dumps(file, JSON_COMPACT | JSON_ENCODE_ANY), *said;
    bool by_schema = takes(schema, schema, file), by_program;

    by_program = validator_takes(file, text, &said);
    ck_assert_msg(by_schema == by_program, "the schema %s, the program %s\n%s%s\n%s",
                  by_schema ? "takes it" : "refuses it", by_program ? "takes it" : "refuses it",
                  said != NULL ? said : "", text, test_again(seed));
    free(said);
    free(text);
}

START_TEST(on_the_files_that_are_there)
{
    ck_assert_uint_gt(num_files, 50);
    for (size_t i = 0; i < num_files; i++) {
        ck_assert_msg(takes(schema, schema, files[i]), "file %zu", i);
        agree(files[i], 0);
    }
}
END_TEST

START_TEST(on_files_that_are_changed)
{
    uint64_t seed = test_seed(0x5c4e3a);
    struct fal_rng rng = {seed};
    unsigned long taken = 0, rounds = test_rounds(20000);

    for (unsigned long i = 0; i < rounds; i++) {
        json_t *file = json_deep_copy(files[fal_rng_below(&rng, num_files)]);

        for (uint64_t edits = 1 + fal_rng_below(&rng, 2); edits > 0; edits--)
            change(&rng, file, file);
        agree(file, seed);
        taken += takes(schema, schema, file);
        json_decref(file);
    }
    /* Both answers are tried. */
    ck_assert_uint_gt(taken, rounds / 50);
    ck_assert_uint_lt(taken, rounds - rounds / 50);
}
END_TEST

/* What is changed at random is read or refused, whatever it means; nothing else happens. */
START_TEST(whatever_it_says_it_is_read_or_refused)
{
    uint64_t seed = test_seed(0xf00d);
    struct fal_rng rng = {seed};

    for (unsigned long i = 0; i < test_rounds(5000); i++) {
        json_t *file = json_deep_copy(files[fal_rng_below(&rng, num_files)]);
        struct tl_scenario *s, *next;
        char *text, *errors;

        change(&rng, file, file);
        text = json_dumps(file, JSON_COMPACT | JSON_ENCODE_ANY);
        s = tl_scenario_read("f.json", text, strlen(text), &errors);
        ck_assert_msg((s == NULL) == (errors != NULL), "%s\n%s", text, test_again(seed));
        for (; s != NULL; s = next) {
            next = s->next;
            tl_scenario_free(s);
        }
        free(errors);
        free(text);
        json_decref(file);
    }
}
END_TEST

static enum fal_verdict play(const struct tl_scenario *scenario)
{
    struct tl_run run = {.seed = 3, .again = "", .timeout_ns = 10 * FAL_S};
    struct tl_bench bench;
    struct tl_case result;
    struct fal_error err = {{0}};
    enum fal_verdict verdict;

    ck_assert_msg(tl_bench_open(&bench, &run.target, 3, &err) == 0, "%s", err.text);
    tl_run_case(&run, &bench, scenario, &result);
    tl_bench_close(&bench);
    verdict = result.verdict;
    tl_case_clear(&result);
    return verdict;
}

/* What is read can be played: to its end, to a verdict, and twice to the same. */
START_TEST(whatever_is_read_is_played)
{
    enum { LEAST = 300 };
    uint64_t seed = test_seed(0xbeef);
    struct fal_rng rng = {seed};
    unsigned long played = 0, rounds = test_rounds(1500);

    if (rounds < LEAST) /* of fewer files the share that is played says nothing */
        rounds = LEAST;
    for (unsigned long i = 0; i < rounds; i++) {
        json_t *file = json_deep_copy(files[fal_rng_below(&rng, num_files)]);
        struct tl_scenario *s, *next;
        char *text, *errors;

        for (uint64_t edits = 1 + fal_rng_below(&rng, 3); edits > 0; edits--)
            change(&rng, file,
                   json_object_get(file, "steps") != NULL ? json_object_get(file, "steps")
                                                          : file);
        text = json_dumps(file, JSON_COMPACT | JSON_ENCODE_ANY);
        s = tl_scenario_read("f.json", text, strlen(text), &errors);
        for (bool first = true; s != NULL; s = next, first = false) {
            next = s->next;
            if (first) { /* the other cases are like it */
                enum fal_verdict verdict = play(s);

                ck_assert_msg(verdict > FAL_VERDICT_NONE && verdict == play(s), "%s\n%s", text,
                              test_again(seed));
                played++;
            }
            tl_scenario_free(s);
        }
        free(errors);
        free(text);
        json_decref(file);
    }
    ck_assert_uint_gt(played, rounds / 20);
}
END_TEST

static void setup(void)
{
    json_object_seed(1); /* the order of members is that of the files; of nothing else */
    num_files = 0;
    load_below("scenarios");
    load_below("tests/data/language");
    load_below("tests/data/scenarios");
    schema = tl_scenario_schema();
    ck_assert_ptr_nonnull(schema);
}

static void teardown(void)
{
    for (size_t i = 0; i < num_files; i++)
        json_decref(files[i]);
    json_decref(schema);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("schema_agrees");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, on_the_files_that_are_there);
    tcase_add_test(tc, on_files_that_are_changed);
    tcase_add_test(tc, whatever_it_says_it_is_read_or_refused);
    tcase_add_test(tc, whatever_is_read_is_played);
    suite_add_tcase(suite, tc);
    return suite;
}
