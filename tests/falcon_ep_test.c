/* SPDX-License-Identifier: Apache-2.0
 * falcon_ep_test.c - the Rate Update Engine of Falcon as an event pipeline with one processor:
 * in random worlds conforming ends break no EP rule, and what breaks one breaks a rule of
 * Falcon too. TALON_TIMES multiplies the worlds. */
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/eventpipe/falcon_trace.h"
#include "oracles/rules/queues/queue_testing.h"
#include "tests/testing.h"
#include "tests/world/world.h"
#include "tests/world/world_trials.h"

#include <string.h>

enum { CONFORMING = 2, FAULTY = 1 };

struct beside {
    struct fal_falcon_trace *trace;
    struct fal_ep_judge *judge;
    const struct fal_tally *tally;
};

static void see(void *ctx, const struct fal_event *event)
{
    struct beside *b = ctx;

    ck_assert_int_eq(fal_falcon_trace_take(b->trace, event), 0);
}

static void judge(void *ctx, const struct fal_ep_event *line)
{
    struct beside *b = ctx;

    fal_ep_judge_event(b->judge, line);
}

static void begin(struct world_config *config, struct beside *b, struct world_outcome *outcome)
{
    const struct fal_ep_setup setup = fal_falcon_trace_setup();

    b->trace = fal_falcon_trace_new();
    b->judge = fal_ep_judge_new(&setup);
    ck_assert(b->trace != NULL && b->judge != NULL);
    config->recorder = (struct fal_recorder){see, b};
    ck_assert_int_eq(world_run(config, outcome), 0);
    ck_assert_int_ge(fal_falcon_trace_end(b->trace, judge, b), 0);
    fal_ep_judge_end(b->judge);
    b->tally = fal_ep_judge_tally(b->judge);
}

static void end(struct beside *b)
{
    fal_ep_judge_free(b->judge);
    fal_falcon_trace_free(b->trace);
}

/* The first rule that was broken; num_rules: none. */
static size_t first_broken(const struct beside *b)
{
    size_t k = 0;

    while (k < b->tally->num_rules && b->tally->rows[k].broken == 0)
        k++;
    return k;
}

START_TEST(conforming_ends_break_no_rule)
{
    const uint64_t seed = test_seed(1);
    uint64_t causes = 0;

    for (uint64_t i = 0; i < test_rounds(CONFORMING); i++) {
        struct world_config config = {
            .seed = seed + i, .trials = WORLD_SWIFT, .clean = i % 2 == 0};
        static struct world_outcome outcome;
        struct beside b;
        size_t k;

        world_draw_twins(&config);
        begin(&config, &b, &outcome);
        k = first_broken(&b);
        ck_assert_msg(k == b.tally->num_rules, "%s: number %d: %s\n%s",
                      b.tally->rules[k % b.tally->num_rules].id,
                      (int)b.tally->rows[k % b.tally->num_rules].findings[0].number,
                      b.tally->rows[k % b.tally->num_rules].findings[0].what,
                      test_again(seed + i));
        causes += b.tally->rows[fal_tally_rule_of(b.tally, "EP1")].held;
        end(&b);
    }
    ck_assert_uint_gt(causes, 20);
}
END_TEST

/* Q5, Q1 and Q9 of Falcon (tests/falcon_trace.sh has a scenario for each). */
START_TEST(what_breaks_a_rule_breaks_one_of_falcon)
{
    static const char *const faults[] = {"acked-count-kept", "policy-inverted",
                                         "event-for-stale-ack"};
    const uint64_t seed = test_seed(1);
    unsigned broken = 0;

    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
        for (uint64_t i = 0; i < test_rounds(FAULTY); i++) {
            struct world_config config = {
                .seed = seed + i, .trials = WORLD_SWIFT, .clean = true};
            const int fault = fal_fault_find(faults[f]);
            static struct world_outcome outcome;
            struct beside b;
            size_t k;

            ck_assert_int_ge(fault, 0);
            fal_fault_add(&config.faults, (enum fal_fault_id)fault);
            begin(&config, &b, &outcome);
            k = first_broken(&b);
            broken += k < b.tally->num_rules;
            ck_assert_msg(k == b.tally->num_rules || outcome.num_kills > 0,
                          "%s: %s: %s; no rule of Falcon\n%s", faults[f],
                          b.tally->rules[k % b.tally->num_rules].id,
                          b.tally->rows[k % b.tally->num_rules].findings[0].what,
                          test_again(seed + i));
            end(&b);
        }
    ck_assert_uint_gt(broken, 0);
}
END_TEST

/* ---- one trace, judged by both ---- */

#define ON    "cc_trace on"
#define P     "< push_data psn=0r rsn=0r len=4"
#define BACK  "> back dbase=1r rbase=0r t1=7 t2=9"
#define E     "entry event event_type=0 t1=7 t2=9 num_packets_acked=1"
#define R     "entry result"
#define OTHER "entry result connection_id=7"

/* Results of the engine, each judged by Q3 of Falcon and by EP1 of the pipeline. */
static const struct {
    const char *lines[8];
    bool broken;
} traces[] = {
    {{ON, P, BACK, E, R}, false},
    {{ON, P, BACK, E, R, R}, true},
    {{ON, R}, true},
    {{ON, P, BACK, R}, true},
    {{ON, P, BACK, E, OTHER}, true},
    {{ON, P, BACK, E, R, OTHER}, true},
    {{BACK, ON, R}, false}, /* its event may have come before the trace */
    {{ON, P, BACK, E, "cc_trace off", ON, R}, false},
    {{ON, P, BACK, "dropped", R}, false},
    {{"cc_engine tester", P, BACK, E, R, R}, false},
};

/* The same events for the pipeline. */
static uint32_t broken_in_pipeline(const json_t *events)
{
    const struct fal_ep_setup setup = fal_falcon_trace_setup();
    struct beside b = {fal_falcon_trace_new(), fal_ep_judge_new(&setup), NULL};
    struct fal_event_storage storage = {0};
    uint32_t broken = 0;
    size_t i;
    json_t *object;

    json_array_foreach(events, i, object)
    {
        struct fal_event event;

        ck_assert_int_eq(fal_event_from_json(object, &event, &storage, NULL), 0);
        see(&b, &event);
    }
    ck_assert_int_ge(fal_falcon_trace_end(b.trace, judge, &b), 0);
    fal_ep_judge_end(b.judge);
    b.tally = fal_ep_judge_tally(b.judge);
    for (i = 0; i < b.tally->num_rules; i++)
        broken += (uint32_t)b.tally->rows[i].broken;
    fal_event_storage_free(&storage);
    end(&b);
    return broken;
}

START_TEST(a_result_without_an_event_breaks_q3_and_ep1)
{
    struct fal_connection c = queue_connection(&clean);
    struct script s;
    struct outcome o;

    script_start(&s, &clean, &c);
    for (const char *const *line = traces[_i].lines; *line != NULL; line++)
        script_line(&s, *line);
    o = script_judge(s.events, json_array_size(s.events), "Q3");
    ck_assert_msg((o.sut.broken > 0) == traces[_i].broken, "Q3: %u", (unsigned)o.sut.broken);
    ck_assert_uint_eq(broken_in_pipeline(s.events), traces[_i].broken ? 1 : 0);
    json_decref(s.events);
}
END_TEST

/* ---- a timeline that is huge ---- */

static void count_line(void *ctx, const struct fal_ep_event *line)
{
    size_t *lines = ctx;

    *lines += line->point == FAL_EP_CCP;
}

/* No ACK has the times of an event, so each event is compared with many of them; and there are
 * many connections. The time for each stays bounded: with a search of all, this takes a minute.
 */
START_TEST(events_without_a_packet_are_searched_in_bounded_time)
{
    enum { HUGE_NUMBER = 20000 };
    struct fal_falcon_trace *trace = fal_falcon_trace_new();
    struct fal_event connection = {.kind = FAL_EV_CONNECTION};
    struct fal_event packet = {.kind = FAL_EV_PACKET, .conn = 1};
    struct fal_event entry = {.kind = FAL_EV_CC, .conn = 1};
    const struct fal_cc_event made = {.connection_id = 1, .t1 = 2, .t2 = 2};
    size_t lines = 0;

    ck_assert_ptr_nonnull(trace);
    connection.u.connection.rue = (struct fal_rue_facts){.known = true};
    for (connection.conn = HUGE_NUMBER; connection.conn > 0; connection.conn--) {
        connection.u.connection.sut.cid = connection.conn;
        ck_assert_int_eq(fal_falcon_trace_take(trace, &connection), 0);
    }
    packet.u.packet.dir = FAL_TO_SUT;
    packet.u.packet.falcon.packet_type = FAL_BACK;
    entry.u.cc.queue = FAL_CC_QUEUE_EVENT;
    FAL_IGNORE(
        fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT, &made, entry.u.cc.entry, NULL));
    for (unsigned i = 0; i < HUGE_NUMBER; i++)
        ck_assert_int_eq(fal_falcon_trace_take(trace, &packet), 0);
    for (unsigned i = 0; i < HUGE_NUMBER; i++)
        ck_assert_int_eq(fal_falcon_trace_take(trace, &entry), 0);
    ck_assert_int_eq(fal_falcon_trace_end(trace, count_line, &lines), 1);
    ck_assert_uint_eq(lines, HUGE_NUMBER);
    fal_falcon_trace_free(trace);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("falcon_ep");
    TCase *tc = tcase_create("falcon_ep");

    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, conforming_ends_break_no_rule);
    tcase_add_test(tc, what_breaks_a_rule_breaks_one_of_falcon);
    tcase_add_test(tc, events_without_a_packet_are_searched_in_bounded_time);
    tcase_add_loop_test(tc, a_result_without_an_event_breaks_q3_and_ep1, 0,
                        sizeof traces / sizeof *traces);
    suite_add_tcase(suite, tc);
    return suite;
}
