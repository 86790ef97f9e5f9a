/* SPDX-License-Identifier: Apache-2.0
 * explore_test.c - the alphabet, the sequences and the digests of `talon explore`: every action
 * is a scenario, states that are pruned behave alike whatever follows, and wrong alphabets are
 * rejected with one error. */
#include "fuzz/explore/explore.h"

#include "fuzz/hunt/hunt_target.h"
#include "oracles/payload.h"
#include "tests/testing.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char explore_alphabet[];

enum { PAIRS_WANTED = 30, PAIRS_LEAST = 5, TRIES = 3000, RANDOM_DEPTH = 4, FOLLOW_DEPTH = 2 };

/* One world, and a bench on the built-in SUT. */
struct bench {
    struct tl_alphabet alphabet;
    struct explore_world world;
    struct hunt_target target;
    struct hunt_bench hunt;
};

static struct bench *bench_of(const char *theme)
{
    struct bench *b = calloc(1, sizeof *b);
    struct fal_error err = {{0}};

    ck_assert_ptr_nonnull(b);
    ck_assert_msg(tl_alphabet_read("alphabet.json", explore_alphabet, strlen(explore_alphabet),
                                   &b->alphabet, &err) == 0,
                  "%s", err.text);
    ck_assert_msg(explore_world_of(&b->alphabet, theme, &b->world, &err) == 0, "%s", err.text);
    hunt_target_init(&b->target);
    hunt_target_ready(&b->target);
    b->hunt.run = b->target.run;
    b->hunt.book = hunt_book_new(false);
    b->hunt.warnings = true;
    ck_assert_ptr_nonnull(b->hunt.book);
    hunt_book_no_promises(b->hunt.book);
    ck_assert_int_eq(hunt_bench_greet(&b->hunt, NULL), 0);
    return b;
}

static void bench_free(struct bench *b)
{
    hunt_bench_close(&b->hunt);
    hunt_book_free(b->hunt.book);
    tl_alphabet_free(&b->alphabet);
    free(b);
}

/* Everything that happens, by the JSON of the timeline and not by the code of the digest;
 * without what says where on the timeline or in the scenario it is. From `from_ns` on. */
struct heard {
    struct explore_digest digest;
    uint64_t from_ns, hash;
};

static void hear(void *ctx, const struct fal_event *event)
{
    struct heard *h = ctx;
    json_t *json;
    char *text;

    explore_digest_event(&h->digest, event);
    if (event->t_ns < h->from_ns || event->kind == FAL_EV_STEP || event->kind == FAL_EV_NOTE ||
        event->kind == FAL_EV_TIMING || event->kind == FAL_EV_RUN)
        return;
    json = fal_event_to_json(event);
    ck_assert_ptr_nonnull(json);
    (void)json_object_del(json, "index");
    (void)json_object_del(json, "step");
    text = json_dumps(json, JSON_COMPACT);
    h->hash = h->hash * 31 + fal_payload_hash((const uint8_t *)text, strlen(text));
    free(text);
    json_decref(json);
}

static struct hunt_outcome play(struct bench *b, const explore_act *sequence, unsigned depth,
                                struct heard *heard)
{
    json_t *doc = explore_doc(&b->world, sequence, depth), *whole;
    struct hunt_outcome out;

    ck_assert_ptr_nonnull(doc);
    whole = hunt_complete_by(b->hunt.book, doc);
    ck_assert_ptr_nonnull(whole);
    b->hunt.run.event = hear;
    b->hunt.run.event_ctx = heard;
    hunt_play(&b->hunt, whole, &out);
    json_decref(whole);
    json_decref(doc);
    return out;
}

/* ---- the alphabet ---- */

START_TEST(every_action_is_a_scenario_that_conforms)
{
    struct bench *b = bench_of(EXPLORE_PRODUCT);
    struct fal_error err = {{0}};

    ck_assert_uint_ge(b->alphabet.num_themes, 6);
    ck_assert_msg(explore_world_check(&b->world, "alphabet.json", &err) == 0, "%s", err.text);
    for (size_t i = 0; i < b->world.num_actions; i++) {
        explore_act one = (explore_act)i;
        struct heard heard = {.hash = 0};
        struct hunt_outcome out = play(b, &one, 1, &heard);

        ck_assert_msg(out.end == HUNT_RAN && out.num_problems == 0, "%s: %s %s",
                      b->world.actions[i].name, out.why, out.problems[0].key);
    }
    bench_free(b);
}
END_TEST

static const struct {
    const char *text, *error;
} wrong[] = {
    {"{\"schema\": \"talon/alphabet/1\"}", "themes"},
    {"{\"schema\": \"talon/alphabet/1\", \"themes\": []}", "at least 1 element"},
    {"{\"schema\": \"talon/alphabet/1\", \"themes\": [{\"name\": \"A b\", \"about\": \"x\", "
     "\"actions\": [{\"name\": \"a\", \"does\": \"x\", \"steps\": [\"> back\"]}]}]}",
     "lower-case"},
    {"{\"schema\": \"talon/alphabet/1\", \"themes\": [{\"name\": \"t\", \"about\": \"x\", "
     "\"actions\": []}]}",
     "actions: expected at least 1 element"},
    {"{\"schema\": \"talon/alphabet/1\", \"themes\": [{\"name\": \"t\", \"about\": \"x\", "
     "\"actions\": [{\"name\": \"a\", \"does\": \"x\", \"steps\": [\"> back\"]}, {\"name\": "
     "\"a\", \"does\": \"y\", \"steps\": [\"> back\"]}]}]}",
     "two actions have the name 'a'"},
};

START_TEST(a_wrong_alphabet_is_rejected_with_its_error)
{
    struct tl_alphabet alphabet;
    struct fal_error err = {{0}};

    ck_assert_int_eq(
        tl_alphabet_read("a.json", wrong[_i].text, strlen(wrong[_i].text), &alphabet, &err),
        FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, wrong[_i].error) != NULL, "%s", err.text);
    ck_assert_msg(strncmp(err.text, "a.json:1:", 9) == 0, "%s", err.text);
}
END_TEST

START_TEST(an_action_that_is_no_scenario_is_named)
{
    static const char text[] =
        "{\"schema\": \"talon/alphabet/1\", \"themes\": [{\"name\": \"t\", \"about\": \"x\", "
        "\"actions\": [{\"name\": \"good\", \"does\": \"x\", \"steps\": [\"> back\"]}, "
        "{\"name\": \"bad\", \"does\": \"x\", \"steps\": [\"> bock\"]}]}]}";
    struct tl_alphabet alphabet;
    struct explore_world world;
    struct fal_error err = {{0}};

    ck_assert_int_eq(tl_alphabet_read("a.json", text, strlen(text), &alphabet, &err), 0);
    ck_assert_int_eq(explore_world_of(&alphabet, "t", &world, &err), 0);
    ck_assert_int_eq(explore_world_check(&world, "a.json", &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, "action 'bad'") != NULL && strstr(err.text, "bock") != NULL,
                  "%s", err.text);
    ck_assert_int_eq(explore_world_of(&alphabet, "u", &world, &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, "there are: t, product") != NULL, "%s", err.text);
    tl_alphabet_free(&alphabet);
}
END_TEST

/* ---- digests ---- */

/* The index of an action. */
static explore_act act(const struct bench *b, const char *name)
{
    for (size_t i = 0; i < b->world.num_actions; i++)
        if (strcmp(b->world.actions[i].name, name) == 0)
            return (explore_act)i;
    ck_abort_msg("no action %s", name);
    return 0;
}

static uint64_t state_of(struct bench *b, const char *first, const char *second)
{
    explore_act sequence[] = {act(b, first), act(b, second)};
    struct heard heard = {.hash = 0};

    (void)play(b, sequence, 2, &heard);
    ck_assert(heard.digest.ended);
    return heard.digest.state;
}

START_TEST(the_digest_is_of_the_state_and_not_of_the_steps)
{
    struct bench *b = bench_of("timers");

    /* rules of `on` in any order; waits in any order while nothing happens */
    ck_assert_uint_eq(state_of(b, "lose-data", "lose-ack"),
                      state_of(b, "lose-ack", "lose-data"));
    ck_assert_uint_eq(state_of(b, "wait-rto", "wait-coalescing"),
                      state_of(b, "wait-coalescing", "wait-rto"));
    ck_assert_uint_eq(state_of(b, "lose-data", "wait-rto"),
                      state_of(b, "wait-rto", "lose-data"));
    /* and nothing else */
    ck_assert_uint_ne(state_of(b, "lose-data", "lose-data"),
                      state_of(b, "lose-data", "lose-ack"));
    ck_assert_uint_ne(state_of(b, "wait-rto", "wait-rto"),
                      state_of(b, "wait-rto", "wait-long"));
    ck_assert_uint_ne(state_of(b, "sut-push", "lose-data"),
                      state_of(b, "lose-data", "sut-push"));
    ck_assert_uint_ne(state_of(b, "sut-push", "wait-rto"), state_of(b, "wait-rto", "sut-push"));
    ck_assert_uint_ne(state_of(b, "push", "pull"), state_of(b, "pull", "push"));
    bench_free(b);
}
END_TEST

/* Sequences with an end state that another one has, drawn at random from those of one theme. */
struct drawn {
    explore_act sequence[RANDOM_DEPTH];
    unsigned depth;
    uint64_t state, now_ns;
};

static struct drawn draw(struct bench *b, struct fal_rng *rng)
{
    struct drawn d = {.depth = 1 + (unsigned)fal_rng_below(rng, RANDOM_DEPTH)};
    struct heard heard = {.hash = 0};

    for (unsigned i = 0; i < d.depth; i++)
        d.sequence[i] = (explore_act)fal_rng_below(rng, b->world.num_actions);
    (void)play(b, d.sequence, d.depth, &heard);
    d.state = heard.digest.ended ? heard.digest.state : 0;
    return d;
}

/* Both are followed by the same actions: the same must happen, at the same times. */
static bool same_future(struct bench *b, const struct drawn *x, const struct drawn *y,
                        struct fal_rng *rng)
{
    explore_act one[RANDOM_DEPTH + FOLLOW_DEPTH], two[RANDOM_DEPTH + FOLLOW_DEPTH];
    struct heard first = {.hash = 0}, second = {.hash = 0};
    struct hunt_outcome a, c;

    memcpy(one, x->sequence, sizeof x->sequence);
    memcpy(two, y->sequence, sizeof y->sequence);
    for (unsigned i = 0; i < FOLLOW_DEPTH; i++)
        one[x->depth + i] = two[y->depth + i] =
            (explore_act)fal_rng_below(rng, b->world.num_actions);
    a = play(b, one, x->depth + FOLLOW_DEPTH, &first);
    c = play(b, two, y->depth + FOLLOW_DEPTH, &second);
    if (first.hash != second.hash || first.digest.state != second.digest.state ||
        a.end != c.end || a.verdict != c.verdict || a.num_problems != c.num_problems)
        return false;
    for (size_t i = 0; i < a.num_problems; i++)
        if (strcmp(a.problems[i].key, c.problems[i].key) != 0)
            return false;
    return true;
}

static bool same_sequence(const struct drawn *x, const struct drawn *y)
{
    return x->depth == y->depth &&
           memcmp(x->sequence, y->sequence, x->depth * sizeof *x->sequence) == 0;
}

START_TEST(equal_digests_have_equal_futures)
{
    static const char *const themes[] = {"timers", "nacks", "gates"};
    uint64_t seed = test_seed(1);
    struct fal_rng rng = fal_rng_split(seed, (uint64_t)_i);
    struct bench *b = bench_of(themes[_i]);
    struct drawn *all = calloc(TRIES, sizeof *all);
    unsigned pairs = 0;

    ck_assert_ptr_nonnull(all);
    for (size_t n = 0; n < TRIES && pairs < PAIRS_WANTED; n++) {
        all[n] = draw(b, &rng);
        for (size_t k = 0; k < n; k++)
            if (all[n].state != 0 && all[k].state == all[n].state &&
                !same_sequence(&all[k], &all[n])) {
                ck_assert_msg(same_future(b, &all[k], &all[n], &rng), "%s", test_again(seed));
                pairs++;
                break;
            }
    }
    ck_assert_uint_ge(pairs, PAIRS_LEAST);
    free(all);
    bench_free(b);
}
END_TEST

START_TEST(a_set_has_each_state_once)
{
    struct explore_set set = {.cap = 0};

    for (uint64_t i = 1; i <= 20000; i++)
        ck_assert_int_eq(explore_set_add(&set, i * 0x10001), 1);
    for (uint64_t i = 1; i <= 20000; i++)
        ck_assert_int_eq(explore_set_add(&set, i * 0x10001), 0);
    ck_assert_uint_eq(set.count, 20000);
    explore_set_free(&set);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("explore");
    TCase *tc = tcase_create("explore");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_action_is_a_scenario_that_conforms);
    tcase_add_loop_test(tc, a_wrong_alphabet_is_rejected_with_its_error, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, an_action_that_is_no_scenario_is_named);
    tcase_add_test(tc, the_digest_is_of_the_state_and_not_of_the_steps);
    tcase_add_loop_test(tc, equal_digests_have_equal_futures, 0, 3);
    tcase_add_test(tc, a_set_has_each_state_once);
    suite_add_tcase(suite, tc);
    return suite;
}
