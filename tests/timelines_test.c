/* SPDX-License-Identifier: Apache-2.0
 * timelines_test.c - what is true of every timeline, on worlds of random traffic (world.h),
 * seen from anywhere: no beginning of a good one fails, wherever it ends, and one that is
 * written and read back is judged alike to the byte. */
#include "oracles/rng.h"
#include "tests/testing.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CUT_WORLDS = 30,
    CUT_STEPS = 250,
    END_WORLDS = 80,
    ENDS = 4,
    TWICE_WORLDS = 70,
    WHY_MAX = 1024
};

/* A timeline that went through JSON lines. */
struct kept {
    struct fal_event event;
    struct fal_event_storage storage;
};

struct timeline {
    struct kept *list;
    size_t num, cap;
    struct fal_judge *judge; /* of the events themselves, or NULL */
    bool sut_alone;          /* only findings about the SUT count; */
    bool undeclared;         /* of those, the ones that no missing packet explains */
};

static void keep(void *ctx, const struct fal_event *event)
{
    struct timeline *t = ctx;
    json_t *object = fal_event_to_json(event), *again;
    struct fal_error err;
    char *line;

    ck_assert_ptr_nonnull(object);
    line = json_dumps(object, JSON_COMPACT);
    again = json_loads(line, 0, NULL);
    ck_assert_ptr_nonnull(again);
    if (t->num == t->cap) {
        t->cap = t->cap == 0 ? 1024 : 2 * t->cap;
        t->list = realloc(t->list, t->cap * sizeof *t->list);
        ck_assert_ptr_nonnull(t->list);
    }
    t->list[t->num] = (struct kept){0};
    ck_assert_msg(
        fal_event_from_json(again, &t->list[t->num].event, &t->list[t->num].storage, &err) == 0,
        "%s: %s", line, err.text);
    t->num++;
    free(line);
    json_decref(object);
    json_decref(again);
    if (t->judge != NULL)
        fal_judge_event(t->judge, event);
}

static void timeline_free(struct timeline *t)
{
    for (size_t i = 0; i < t->num; i++)
        fal_event_storage_free(&t->list[i].storage);
    free(t->list);
}

static void run(uint64_t seed, const struct fal_fault_set *faults, unsigned steps,
                struct timeline *t)
{
    struct world_config config = {
        .seed = seed, .clean = seed % 4 == 0, .steps_max = steps, .recorder = {keep, t}};
    struct world_outcome outcome;

    if (faults != NULL)
        config.faults = *faults;
    world_draw_twins(&config);
    world_draw_view(&config);
    config.trials &= ~(unsigned)WORLD_SILENCE; /* a tester that falls silent errs */
    ck_assert_int_eq(world_run(&config, &outcome), 0);
    t->undeclared =
        config.capture_loss_ppm > 0 && !config.loss_is_told && config.loss_is_secret;
    t->sut_alone = (config.trials & WORLD_TESTER_ERRS) != 0 || outcome.inexact || t->undeclared;
}

/* Whether what such a rule says of the subject counts. */
static bool counts(const struct timeline *t, const struct fal_rule *rule,
                   enum fal_subject subject)
{
    if (t->undeclared && !rule->shown && !rule->alone)
        return false;
    return subject == FAL_SUBJECT_SUT || !t->sut_alone;
}

/* ---- beginnings ---- */

struct first_break {
    const struct timeline *timeline;
    char why[WHY_MAX];
};

static void first_break(void *ctx, const struct fal_finding *f)
{
    struct first_break *first = ctx;

    if (first->why[0] == 0 && f->instance == FAL_BROKEN && !f->asked &&
        counts(first->timeline, f->rule, f->subject))
        (void)snprintf(first->why, WHY_MAX, "%s by the %s: due %s; seen %s", f->rule->id,
                       f->subject == FAL_SUBJECT_SUT ? "SUT" : "tester", f->expected, f->seen);
}

/* A tester that errs on purpose is blamed correctly, and one that delays packets and timers is
 * blamed for what only a SUT may declare. Findings about such a tester do not count. */
static enum fal_verdict verdict_of(const struct fal_judge *judge, const struct timeline *t)
{
    enum fal_verdict worst = FAL_VERDICT_PASS;
    const struct fal_rule_result *r;

    if (!t->sut_alone)
        return fal_judge_verdict(judge);
    for (size_t i = 0; (r = fal_judge_result(judge, i)) != NULL; i++)
        if (counts(t, r->rule, r->subject))
            worst = fal_verdict_worse(worst, r->verdict);
    return worst;
}

static void ck_beginning(const struct timeline *t, size_t end, uint64_t seed)
{
    struct first_break first = {.timeline = t};
    struct fal_judge_config config = {.finding = first_break, .ctx = &first};
    struct fal_judge *judge = fal_judge_new(&config);

    ck_assert_ptr_nonnull(judge);
    for (size_t i = 0; i < end; i++)
        fal_judge_event(judge, &t->list[i].event);
    fal_judge_finish(judge);
    ck_assert_msg(verdict_of(judge, t) < FAL_VERDICT_FAIL,
                  "%s: the first %zu of %zu events fail: %s", test_again(seed), end, t->num,
                  first.why);
    fal_judge_free(judge);
}

/* A mark for drops precedes the packets that follow them, so no rule can stop between the two
 * marks. */
static bool is_gap(const struct timeline *t, size_t i)
{
    const struct fal_event *event = &t->list[i].event;

    return i < t->num && event->kind == FAL_EV_MARK &&
           (event->u.mark.mark == FAL_MARK_GAP_IN || event->u.mark.mark == FAL_MARK_GAP_OUT);
}

START_TEST(no_beginning_of_a_short_one_fails)
{
    uint64_t first = test_seed(500001);

    for (uint64_t seed = first; seed < first + test_rounds(CUT_WORLDS); seed++) {
        struct timeline t = {0};

        run(seed, NULL, CUT_STEPS, &t);
        for (size_t end = 0; end <= t.num; end++)
            if (end == 0 || end == t.num || !(is_gap(&t, end - 1) && is_gap(&t, end)))
                ck_beginning(&t, end, seed);
        timeline_free(&t);
    }
}
END_TEST

START_TEST(no_beginning_fails)
{
    uint64_t first = test_seed(600001);

    for (uint64_t seed = first; seed < first + test_rounds(END_WORLDS); seed++) {
        struct timeline t = {0};
        struct fal_rng rng = fal_rng_split(seed, 1);

        run(seed, NULL, 0, &t);
        for (unsigned n = 0; n < ENDS; n++) {
            size_t end = (size_t)fal_rng_below(&rng, t.num + 1);

            while (end > 0 && end < t.num && is_gap(&t, end - 1) && is_gap(&t, end))
                end++;
            ck_beginning(&t, end, seed);
        }
        timeline_free(&t);
    }
}
END_TEST

/* ---- the same verdicts ---- */

static void say_finding(void *ctx, const struct fal_finding *f)
{
    fprintf(ctx, "%s %d %d %s %d %" PRIu32 " %" PRIu64 " %" PRId32 " %d [%s] [%s]", f->rule->id,
            (int)f->instance, (int)f->excuse, f->requirement != NULL ? f->requirement : "-",
            (int)f->subject, f->conn, f->t_ns, f->step, f->asked, f->expected, f->seen);
    for (size_t i = 0; i < f->num_evidence; i++)
        fprintf(ctx, " %" PRIu64 "/%" PRIu32, f->evidence[i], f->evidence_frames[i]);
    putc('\n', ctx);
}

static void say_results(struct fal_judge *judge, FILE *out)
{
    const struct fal_rule_result *r;
    struct fal_reading_result reading;
    struct fal_suspect suspect;

    fal_judge_finish(judge);
    for (size_t i = 0; (r = fal_judge_result(judge, i)) != NULL; i++) {
        fprintf(out, "%s %d %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d", r->rule->id,
                (int)r->subject, r->conn, r->holds, r->broken, r->undecided, (int)r->verdict);
        for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
            fprintf(out, " %" PRIu64, r->excused[e]);
        putc('\n', out);
    }
    for (enum fal_subject s = FAL_SUBJECT_SUT; s <= FAL_SUBJECT_TESTER; s++)
        for (size_t i = 0; fal_judge_reading(judge, s, i, &reading); i++)
            fprintf(out, "%s %s %d %" PRIu64 "\n", reading.id, reading.text,
                    reading.alternative, reading.by);
    for (size_t i = 0; fal_judge_suspect(judge, i, &suspect); i++)
        fprintf(out, "%d %" PRIu64 " %" PRIu64 "\n", (int)suspect.excuse, suspect.used,
                suspect.allowed);
    fprintf(out, "%d\n", (int)fal_judge_verdict(judge));
}

START_TEST(judged_again_it_is_judged_alike)
{
    uint64_t first = test_seed(700001);
    size_t broken = 0;

    for (uint64_t seed = first; seed < first + test_rounds(TWICE_WORLDS); seed++) {
        char *text[2];
        size_t len[2];
        FILE *out[2] = {open_memstream(&text[0], &len[0]), open_memstream(&text[1], &len[1])};
        struct fal_judge_config config[2] = {{.finding = say_finding, .ctx = out[0]},
                                             {.finding = say_finding, .ctx = out[1]}};
        struct timeline t = {.judge = fal_judge_new(&config[0])};
        struct fal_judge *again = fal_judge_new(&config[1]);
        struct fal_fault_set faults = {0};
        struct fal_rng rng = fal_rng_split(seed, 2);

        ck_assert(out[0] != NULL && out[1] != NULL && t.judge != NULL && again != NULL);
        if (seed % 2 == 0)
            fal_fault_add(&faults, (enum fal_fault_id)fal_rng_below(&rng, FAL_FAULT_ULP_FIRST));
        run(seed, &faults, 20000, &t);
        for (size_t i = 0; i < t.num; i++)
            fal_judge_event(again, &t.list[i].event);
        say_results(t.judge, out[0]);
        say_results(again, out[1]);
        ck_assert(fclose(out[0]) == 0 && fclose(out[1]) == 0);
        ck_assert_msg(len[0] == len[1] && memcmp(text[0], text[1], len[0]) == 0,
                      "%s: the verdicts differ", test_again(seed));
        broken += fal_judge_verdict(again) >= FAL_VERDICT_FAIL;
        fal_judge_free(t.judge);
        fal_judge_free(again);
        timeline_free(&t);
        free(text[0]);
        free(text[1]);
    }
    if (test_rounds(TWICE_WORLDS) >= TWICE_WORLDS)
        ck_assert_uint_gt(broken, 0); /* not only good ones */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timelines");
    TCase *tc = tcase_create("timelines");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, no_beginning_of_a_short_one_fails);
    tcase_add_test(tc, no_beginning_fails);
    tcase_add_test(tc, judged_again_it_is_judged_alike);
    suite_add_tcase(suite, tc);
    return suite;
}
