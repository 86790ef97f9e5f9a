/* SPDX-License-Identifier: Apache-2.0
 * The JSON Schema of the SUT control protocol: it takes the examples of the document and every
 * line of recorded sessions, and it takes nothing that the readers of the tester, or of a SUT,
 * refuse for its structure. Run from the top of the sources. */
#include "harness/session/upper.h"
#include "harness/sut/sut.h"
#include "oracles/rng.h"

#include "tests/support/json_schema.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4096, ROUNDS = 40000 };

static json_t *schema;
static json_t *lines[LINES_MAX]; /* of recorded sessions */
static size_t num_lines;

static bool takes(json_t *line)
{
    return takes_schema(schema, schema, line, true);
}

static void add(json_t *line)
{
    if (num_lines < LINES_MAX)
        lines[num_lines++] = line;
    else
        json_decref(line);
}

/* What a timeline has of the control channel. */
static void record(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t cap = 0;

    ck_assert_msg(file != NULL, "%s", path);
    while (getline(&text, &cap, file) > 0) {
        json_t *event = json_loads(text, 0, NULL);
        const char *kind = json_string_value(json_object_get(event, "event"));
        const char *line = json_string_value(json_object_get(event, "text"));

        if (kind != NULL && line != NULL && line[0] == '{' &&
            strstr("command reply ulp cm", kind))
            add(json_loads(line, 0, NULL));
        json_decref(event);
    }
    free(text);
    (void)fclose(file);
}

/* Sessions of several kinds are played, and kept. */
static void set_up(void)
{
    static const char play[] =
        "d=$(mktemp -d) && \"${BUILD:-build}/talon\" run scenarios/6-overview scenarios/11-errors "
        "scenarios/8.5.3.4-rnr scenarios/9.2.2-security --shard 1/12 "
        "--out \"$d/out\" --keep all >\"$d/log\" "
        "2>&1; cat \"$d\"/out/*/timeline.jsonl >\"$0\"; rm -rf \"$d\"";
    char path[] = "/tmp/talon-test-XXXXXX", command[1200];
    int fd = mkstemp(path);

    schema = json_load_file("scenarios/schema/sut-protocol.json", JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(schema);
    ck_assert_int_ge(fd, 0);
    (void)snprintf(command, sizeof command, "sh -c '%s' %s", play, path);
    ck_assert_int_eq(system(command), 0); /* NOLINT */
    record(path);
    (void)remove(path);
    ck_assert_uint_gt(num_lines, 200);
}

static void tear_down(void)
{
    while (num_lines > 0)
        json_decref(lines[--num_lines]);
    json_decref(schema);
}

START_TEST(it_takes_the_examples_of_the_document)
{
    FILE *file = fopen("docs/sut-protocol.md", "r");
    char *text = NULL;
    size_t cap = 0, seen = 0;

    ck_assert_ptr_nonnull(file);
    while (getline(&text, &cap, file) > 0) {
        char *at = text + strspn(text, " ");
        json_t *line;

        if ((at[0] != '>' && at[0] != '<') || at[1] != ' ' || at[2] != '{')
            continue;
        line = json_loads(at + 2, 0, NULL);
        ck_assert_msg(line != NULL && takes(line), "%s", at);
        json_decref(line);
        seen++;
    }
    free(text);
    (void)fclose(file);
    ck_assert_uint_ge(seen, 15);
}
END_TEST

START_TEST(it_takes_recorded_sessions)
{
    for (size_t i = 0; i < num_lines; i++) {
        char *text = json_dumps(lines[i], JSON_COMPACT);

        ck_assert_msg(takes(lines[i]), "%s", text);
        free(text);
    }
}
END_TEST

/* A value of another kind, or none. */
static json_t *other_value(struct fal_rng *rng)
{
    switch (fal_rng_below(rng, 10)) {
    case 0: return json_integer(-1);
    case 1: return json_integer((json_int_t)1 << 40);
    case 2: return json_string("");
    case 3: return json_string("0x12");
    case 4: return json_true();
    case 5: return json_array();
    case 6: return json_object();
    case 7:
        return json_string("a handle, or a word, that is longer than any that there may be");
    case 8: return json_real(1.5);
    default: return NULL;
    }
}

/* Changes a member, of the object or of one in it, but those that only a session can judge. */
static void change(json_t *object, struct fal_rng *rng)
{
    uint64_t pick = fal_rng_below(rng, json_object_size(object)), i = 0;
    const char *key;
    json_t *value, *other;
    void *next;

    json_object_foreach_safe(object, next, key, value)
    {
        if (i++ != pick || strcmp(key, "id") == 0 || strcmp(key, "epoch") == 0 ||
            strcmp(key, "seq") == 0 || strcmp(key, "do") == 0)
            continue;
        if (json_object_size(value) > 0 && fal_rng_below(rng, 3) > 0) {
            change(value, rng);
            return;
        }
        other = other_value(rng);
        if (other != NULL)
            (void)json_object_set_new(object, key, other);
        else
            (void)json_object_del(object, key);
        return;
    }
}

/* Whether the tester's reader accepts a line of a SUT at that place. */
static bool upper_takes(json_t *line, char *why, size_t cap)
{
    struct tl_upper *upper = tl_upper_new();
    json_int_t id = json_integer_value(json_object_get(line, "id"));
    json_t *barrier = json_pack("{s:s}", "do", "barrier");
    struct tl_upper_line got;
    enum tl_upper_got what;
    int64_t asked = 0;
    char *text;

    tl_upper_set_epoch(upper, json_integer_value(json_object_get(line, "epoch")));
    while (asked < id) {
        char *command = tl_upper_command(upper, barrier, &asked, NULL);

        free(command);
    }
    text = json_dumps(line, JSON_COMPACT);
    what = tl_upper_line(upper, text, strlen(text), &got);
    (void)snprintf(why, cap, "%.300s", got.err.text);
    free(text);
    json_decref(barrier);
    tl_upper_free(upper);
    return what != TL_UPPER_GARBAGE;
}

START_TEST(it_refuses_what_the_tester_refuses)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);
    size_t refused = 0;

    for (int i = 0; i < ROUNDS; i++) {
        json_t *line = json_deep_copy(lines[fal_rng_below(&rng, num_lines)]);
        char why[400], *text;

        if (json_object_get(line, "do") == NULL) {
            change(line, &rng);
            if (!upper_takes(line, why, sizeof why)) {
                refused++;
                text = json_dumps(line, JSON_COMPACT);
                ck_assert_msg(!takes(line), "the reader refuses it (%s): %s", why, text);
                free(text);
            }
        }
        json_decref(line);
    }
    ck_assert_uint_gt(refused, 500);
}
END_TEST

/* What the built-in SUT says of a command, alone in its session; "" when nothing is wrong. */
static void sut_answer(json_t *line, char *why, size_t cap)
{
    const struct tl_sut_config config = {.seed = 1};
    struct tl_sut *sut = tl_sut_new(&config);
    struct tl_sut_out out;
    char *text;

    (void)json_object_set_new(line, "epoch", json_integer(1));
    (void)json_object_set_new(line, "id", json_integer(1));
    text = json_dumps(line, JSON_COMPACT);
    tl_sut_line(sut, text, strlen(text), 0);
    free(text);
    why[0] = 0;
    while (tl_sut_next(sut, &out)) {
        json_t *reply = out.kind == TL_SUT_LINE
                            ? json_loadb((const char *)out.bytes, out.len, 0, NULL)
                            : NULL;
        const char *said = json_string_value(json_object_get(reply, "why"));

        if (said != NULL)
            (void)snprintf(why, cap, "%s", said);
        json_decref(reply);
    }
    tl_sut_free(sut);
}

/* Of a SUT's reasons those that are about the line's own structure. */
static bool structural(const char *why)
{
    return strstr(why, "expected") != NULL || strstr(why, "is missing") != NULL ||
           strstr(why, "must be") != NULL;
}

START_TEST(it_refuses_what_a_sut_refuses)
{
    struct fal_rng rng = fal_rng_split(test_seed(2), 2);
    size_t refused = 0;

    for (int i = 0; i < ROUNDS; i++) {
        json_t *line = json_deep_copy(lines[fal_rng_below(&rng, num_lines)]);
        char why[400], *text;

        if (json_object_get(line, "do") != NULL) {
            change(line, &rng);
            sut_answer(line, why, sizeof why);
            if (structural(why)) {
                refused++;
                text = json_dumps(line, JSON_COMPACT);
                ck_assert_msg(!takes(line), "the SUT refuses it (%s): %s", why, text);
                free(text);
            }
        }
        json_decref(line);
    }
    ck_assert_uint_gt(refused, 500);
}
END_TEST

/* What a SUT in lockstep must not say (virtual_exec.c). */
START_TEST(it_refuses_what_lockstep_refuses)
{
    static const char *const bad[] = {
        "{\"done\": \"begin\"}",
        "{\"done\": \"begin\", \"next_ns\": -1}",
        "{\"done\": \"begin\", \"next_ns\": \"9\"}",
        "{\"done\": true, \"next_ns\": null}",
        "{\"done\": \"end\", \"next_ns\": null}",
        "{\"frame\": 7}",
        "{\"frame\": \"1\"}",
        "{\"frame\": \"1g\"}",
        "{}",
        "[1]",
        "{\"do\": \"begin\", \"version\": 2, \"seed\": 1}",
        "{\"do\": \"frame\", \"at_ns\": 1}",
        "{\"do\": \"frame\", \"at_ns\": 1, \"bytes\": \"0\"}",
        "{\"do\": \"advance\", \"until_ns\": -1}",
        "{\"do\": \"dance\", \"id\": 1, \"epoch\": 1}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *line = json_loads(bad[i], JSON_DECODE_ANY, NULL);

        ck_assert_ptr_nonnull(line);
        ck_assert_msg(!takes(line), "%s", bad[i]);
        json_decref(line);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("schema of the control protocol");
    TCase *tc = tcase_create("schema");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, it_takes_the_examples_of_the_document);
    tcase_add_test(tc, it_takes_recorded_sessions);
    tcase_add_test(tc, it_refuses_what_the_tester_refuses);
    tcase_add_test(tc, it_refuses_what_a_sut_refuses);
    tcase_add_test(tc, it_refuses_what_lockstep_refuses);
    suite_add_tcase(s, tc);
    return s;
}
