/* SPDX-License-Identifier: Apache-2.0
 * ep_property_test.c - random traces of a conforming pipeline give no finding, whole, shuffled
 * within each time, or with sources, drops and answers only; planted mistakes are found by the
 * rule named for each; traces of random lines never crash the judge. */
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/eventpipe/ep_toy_testing.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TICKS = 4000 };

enum form { WHOLE, SHUFFLED, OUTSIDE, FORMS };

/* Between the pipeline and the judge: what a vendor's trace may lack, and the order it may have
 * within one time. */
struct tap {
    struct fal_ep_judge *judge;
    enum form form;
    struct fal_rng rng;
    struct fal_ep_event held[256];
    size_t num;
};

static bool is_outside(const struct fal_ep_event *e)
{
    return e->point == FAL_EP_SOURCE || e->point == FAL_EP_WRED || e->point == FAL_EP_TABLE ||
           e->point == FAL_EP_RATE || e->point == FAL_EP_WIRE ||
           (e->point == FAL_EP_CCP && e->act == FAL_EP_START);
}

/* A slice, a FIFO, a table and a port write their own lines in order. */
static bool may_swap(const struct fal_ep_event *a, const struct fal_ep_event *b)
{
    return a->point != b->point && !(a->point == FAL_EP_CCP && b->point == FAL_EP_RATE) &&
           !(a->point == FAL_EP_RATE && b->point == FAL_EP_CCP);
}

static void flush(struct tap *tap)
{
    for (size_t round = 0; tap->form == SHUFFLED && round < 4 * tap->num; round++) {
        size_t i = fal_rng_below(&tap->rng, tap->num);
        struct fal_ep_event event = tap->held[i];

        if (i + 1 == tap->num || !may_swap(&tap->held[i], &tap->held[i + 1]))
            continue;
        tap->held[i] = tap->held[i + 1];
        tap->held[i + 1] = event;
    }
    for (size_t i = 0; i < tap->num; i++)
        fal_ep_judge_event(tap->judge, &tap->held[i]);
    tap->num = 0;
}

static void put(void *ctx, const struct fal_ep_event *event)
{
    struct tap *tap = ctx;

    if (tap->num > 0 && tap->held[0].at_ns != event->at_ns)
        flush(tap);
    if (tap->form != OUTSIDE || is_outside(event))
        tap->held[tap->num++] = *event;
}

static struct fal_ep_judge *run(uint64_t seed, enum toy_mistake mistake, enum form form,
                                unsigned long ticks)
{
    struct toy toy;
    struct tap tap = {.form = form, .rng = {seed}};

    toy_init(&toy, seed, mistake);
    toy.setup.all_points = form != OUTSIDE;
    tap.judge = fal_ep_judge_new(&toy.setup);
    toy.put = put;
    toy.ctx = &tap;
    for (unsigned long i = 0; i < ticks; i++)
        toy_tick(&toy);
    flush(&tap);
    fal_ep_judge_end(tap.judge);
    return tap.judge;
}

static void ck_silent(const struct fal_tally *tally, uint64_t seed)
{
    for (size_t i = 0; i < tally->num_rules; i++)
        ck_assert_msg(tally->rows[i].num_findings == 0, "%s: line %" PRIu64 ": %s; %s",
                      tally->rules[i].id, tally->rows[i].findings[0].number,
                      tally->rows[i].findings[0].what, test_again(seed));
}

START_TEST(a_conforming_pipeline_gives_no_finding)
{
    for (unsigned long round = 0; round < test_rounds(6); round++) {
        uint64_t seed = test_seed(31) + round;
        enum form form = (enum form)(round % FORMS);
        struct fal_ep_judge *judge = run(seed, TOY_NONE, form, TICKS);
        const struct fal_tally *tally = fal_ep_judge_tally(judge);

        ck_silent(tally, seed);
        for (size_t i = 0; form != OUTSIDE && i < tally->num_rules; i++)
            ck_assert_msg(tally->rows[i].held > 0, "%s never held; %s", tally->rules[i].id,
                          test_again(seed));
        fal_ep_judge_free(judge);
    }
}
END_TEST

static const struct {
    enum toy_mistake mistake;
    const char *rule;
    bool outside; /* found from the outside, too */
} planted[] = {
    {TOY_WRONG_FLOW, "EP1", true},
    {TOY_FIRST_LOST, "EP2", true},
    {TOY_EVENT_LOST, "EP2", true},
    {TOY_INVERTED, "EP3", false},
    {TOY_STALE, "EP4", false},
    {TOY_STARVED, "EP6", false},
    {TOY_ASLEEP, "EP7", false},
    {TOY_SHIFTED, "EP8", true},
    {TOY_FAST, "EP9", true},
    {TOY_STAMPS, "EP10", true},
    {TOY_NO_REQUEST, "EP11", false},
    {TOY_OLD_CONTEXT, "EP12", false},
    {TOY_OVERRIDE_LOST, "EP13", false},
};

START_TEST(a_planted_mistake_is_found_by_its_rule)
{
    uint64_t seed = test_seed(47);

    for (int form = 0; form < FORMS; form++) {
        struct fal_ep_judge *judge = run(seed, planted[_i].mistake, (enum form)form, TICKS);
        const struct fal_tally *tally = fal_ep_judge_tally(judge);
        size_t rule = fal_tally_rule_of(tally, planted[_i].rule);

        ck_assert_msg(tally->rows[rule].broken > 0 || (form == OUTSIDE && !planted[_i].outside),
                      "%s finds nothing in form %d; %s", planted[_i].rule, form,
                      test_again(seed));
        fal_ep_judge_free(judge);
    }
}
END_TEST

static void draw_line(struct fal_rng *rng, struct fal_ep_event *e)
{
    static const uint32_t odd[] = {0, 1, 2, 3, 5, 7, 8, 4095, 4096, UINT32_MAX};
    const size_t n = sizeof odd / sizeof *odd;

    *e = (struct fal_ep_event){.at_ns = e->at_ns + fal_rng_below(rng, 3) / 2};
    e->point = (enum fal_ep_point)fal_rng_below(rng, FAL_EP_WIRE + 1);
    e->act = (enum fal_ep_act)fal_rng_below(rng, FAL_EP_MOVE + 1);
    e->kind = (enum fal_ep_kind)fal_rng_below(rng, FAL_EP_KINDS);
    e->queue = (enum fal_ep_queue)fal_rng_below(rng, 3);
    e->flow = odd[fal_rng_below(rng, n)];
    e->slice = odd[fal_rng_below(rng, n)];
    e->processor = odd[fal_rng_below(rng, n)];
    e->klass = odd[fal_rng_below(rng, n)];
    e->occupancy = odd[fal_rng_below(rng, n)];
    e->from = (enum fal_ep_state)fal_rng_below(rng, 6);
    e->to = (enum fal_ep_state)fal_rng_below(rng, 6);
    e->cause = (enum fal_ep_cause)fal_rng_below(rng, 5);
    e->seq = odd[fal_rng_below(rng, n)];
    e->last_seq = odd[fal_rng_below(rng, n)];
    e->bytes = fal_rng_below(rng, 3) == 0 ? UINT64_MAX : odd[fal_rng_below(rng, n)];
    e->count = odd[fal_rng_below(rng, n)];
    e->t1_ns = fal_rng_next(rng) >> fal_rng_below(rng, 64);
    e->t2_ns = fal_rng_next(rng) >> fal_rng_below(rng, 64);
    e->t3_ns = fal_rng_next(rng) >> fal_rng_below(rng, 64);
    e->t4_ns = fal_rng_next(rng) >> fal_rng_below(rng, 64);
    e->rate_bps = fal_rng_next(rng) >> fal_rng_below(rng, 64);
    e->rtt_request = fal_rng_below(rng, 2) != 0;
    e->digest = fal_rng_below(rng, 3);
}

static void draw_setup(struct fal_rng *rng, struct fal_ep_setup *s)
{
    *s = (struct fal_ep_setup){.round_robin = fal_rng_below(rng, 2) != 0,
                               .all_points = fal_rng_below(rng, 2) != 0,
                               .ends_at_rest = fal_rng_below(rng, 2) != 0,
                               .clocks_synchronised = fal_rng_below(rng, 2) != 0,
                               .rtt_by_difference = fal_rng_below(rng, 2) != 0,
                               .default_rate_bps = fal_rng_below(rng, 3),
                               .pipeline_ns = fal_rng_below(rng, 9)};
    for (int k = 0; k < FAL_EP_KINDS; k++) {
        s->classes[k] = (uint32_t)fal_rng_below(rng, 9);
        s->th1[k] = (uint32_t)fal_rng_below(rng, 9);
        s->th2[k] = (uint32_t)fal_rng_below(rng, 9);
    }
}

START_TEST(hostile_lines_are_judged)
{
    struct fal_rng rng = {test_seed(53)};

    for (unsigned long round = 0; round < test_rounds(20); round++) {
        struct fal_ep_setup setup;
        struct fal_ep_event event = {.at_ns = 0};
        struct fal_ep_judge *judge;

        draw_setup(&rng, &setup);
        judge = fal_ep_judge_new(&setup);
        for (int i = 0; i < 2000; i++) {
            draw_line(&rng, &event);
            event.number++;
            fal_ep_judge_event(judge, &event);
        }
        fal_ep_judge_end(judge);
        fal_ep_judge_free(judge);
    }
}
END_TEST

/* More than is kept of anything: the rules are excused, and nothing is found. */
START_TEST(what_does_not_fit_is_excused)
{
    const struct fal_ep_setup setup = {.classes = {0, 1, 1, 2, 3, 0, 4}};
    struct fal_ep_judge *judge = fal_ep_judge_new(&setup);
    const struct fal_tally *tally = fal_ep_judge_tally(judge);
    struct fal_ep_event event = {.at_ns = 1, .kind = FAL_EP_ACK};

    for (uint32_t i = 0; i < FAL_EP_AT_ONCE_MAX + 9; i++) {
        event.flow = i;
        fal_ep_judge_event(judge, &event);
    }
    event.point = FAL_EP_RATE; /* an answer without a cause: not decided at this time */
    event.flow = UINT32_MAX;
    fal_ep_judge_event(judge, &event);
    event.point = FAL_EP_SOURCE;
    for (uint32_t i = 0; i < FAL_EP_FLOWS_MAX + 9; i++) {
        event.at_ns++;
        event.flow = i;
        fal_ep_judge_event(judge, &event);
    }
    for (uint32_t i = 0; i < FAL_EP_PENDING_FLOW_MAX + 9; i++) {
        event.at_ns++;
        event.flow = 7;
        fal_ep_judge_event(judge, &event);
    }
    event.point = FAL_EP_CCP;
    event.act = FAL_EP_START;
    event.klass = 2;
    event.count = FAL_EP_PENDING_FLOW_MAX + 50;
    fal_ep_judge_event(judge, &event);
    fal_ep_judge_end(judge);
    ck_silent(tally, 0);
    ck_assert_uint_gt(tally->rows[0].excused, 2);
    fal_ep_judge_free(judge);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event pipelines: random traces");
    TCase *tc = tcase_create("random");

    tcase_add_test(tc, a_conforming_pipeline_gives_no_finding);
    tcase_add_loop_test(tc, a_planted_mistake_is_found_by_its_rule, 0,
                        (int)(sizeof planted / sizeof *planted));
    tcase_add_test(tc, hostile_lines_are_judged);
    tcase_add_test(tc, what_does_not_fit_is_excused);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return suite;
}
