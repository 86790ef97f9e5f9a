/* SPDX-License-Identifier: Apache-2.0
 * series_test.c - curves over time: no peak is lost, a value holds until the next one, and
 * shares are those of the bytes. */
#include "oracles/lab/bench.h"
#include "oracles/lab/series.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <string.h>

#define RATE (100 * UINT64_C(1000000000))
#define TIME (540 * FAL_LAB_US * 10) /* a column is 10 us */

static struct fal_swift swift_default(void)
{
    struct fal_swift_params params;
    struct fal_swift swift;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    return swift;
}

/* A lab that is never played: only its numbers count. */
struct stage {
    struct fal_lab_queue queue;
    struct fal_lab_group group;
    struct fal_lab_flow flows[2];
    struct fal_lab lab;
    struct fal_swift swift;
    struct fal_lab_series series;
};

static void stage_init(struct stage *s)
{
    memset(s, 0, sizeof *s);
    s->swift = swift_default();
    s->queue.rate_bps = RATE;
    s->group.count = 1;
    for (unsigned i = 0; i < 2; i++)
        s->flows[i].config.stop_ps = FAL_LAB_NEVER;
    s->lab.fabric = (struct fal_lab_fabric){
        .queues = &s->queue, .groups = &s->group, .n_queues = 1, .n_groups = 1};
    s->lab.flows = s->flows;
    s->lab.n_flows = 2;
    s->series = (struct fal_lab_series){.swift = &s->swift, .until_ps = TIME};
}

static void note(struct stage *s, enum fal_lab_note what, uint32_t index, uint64_t at_us,
                 uint64_t value)
{
    fal_lab_series_record(&s->series, &(struct fal_lab_record){.note = what,
                                                               .index = index,
                                                               .at_ps = at_us * FAL_LAB_US,
                                                               .value = value,
                                                               .fcwnd = (uint32_t)value,
                                                               .lab = &s->lab});
}

START_TEST(a_column_has_the_least_and_the_largest_value)
{
    static struct stage s;
    const struct fal_lab_curve *q;

    stage_init(&s);
    note(&s, FAL_LAB_NOTE_QUEUE, 0, 101, 500);
    note(&s, FAL_LAB_NOTE_QUEUE, 0, 102, 90000);
    note(&s, FAL_LAB_NOTE_QUEUE, 0, 103, 40);
    note(&s, FAL_LAB_NOTE_QUEUE, 0, 205, 7);
    ck_assert_int_eq(fal_lab_series_end(&s.series), 0);
    q = &s.series.queues[0];
    /* Empty at first; the value before the first record is in its column, too. */
    ck_assert_uint_eq(q->high[9], 0);
    ck_assert_uint_eq(q->low[10], 0);
    ck_assert_uint_eq(q->high[10], 90000);
    for (unsigned i = 11; i < 20; i++) {
        ck_assert_uint_eq(q->low[i], 40);
        ck_assert_uint_eq(q->high[i], 40);
    }
    ck_assert_uint_eq(q->low[20], 7);
    ck_assert_uint_eq(q->high[20], 40);
    ck_assert_uint_eq(q->high[FAL_LAB_COLUMNS - 1], 7);
    fal_lab_series_free(&s.series);
}
END_TEST

START_TEST(a_flow_has_curves_from_its_start_to_its_stop)
{
    static struct stage s;
    const struct fal_lab_curve *c;

    stage_init(&s);
    s.flows[1].config.stop_ps = 3000 * FAL_LAB_US;
    note(&s, FAL_LAB_NOTE_ACK, 1, 1000, 8 * 1024);
    note(&s, FAL_LAB_NOTE_ACK, 1, 3010, 4 * 1024);
    ck_assert_int_eq(fal_lab_series_end(&s.series), 0);
    c = fal_lab_series_flow(&s.series, 1, FAL_LAB_FCWND);
    ck_assert_uint_eq(c->low[99], FAL_LAB_NOTHING);
    ck_assert_uint_eq(c->low[100], 8 * 1024);
    ck_assert_uint_eq(c->low[300], 8 * 1024);
    ck_assert_uint_eq(c->low[301], 4 * 1024);
    ck_assert_uint_eq(c->low[302], FAL_LAB_NOTHING);
    c = fal_lab_series_flow(&s.series, 0, FAL_LAB_FCWND);
    ck_assert_uint_eq(c->low[FAL_LAB_COLUMNS - 1], FAL_LAB_NOTHING);
    /* The target of a window of 8 packets, without hops: 191 ticks and flow scaling. */
    c = fal_lab_series_flow(&s.series, 1, FAL_LAB_TARGET);
    ck_assert_uint_eq(c->low[200],
                      (uint32_t)(fal_swift_target(&s.swift, 191, 8, 0) * 131.072 + 0.5));
    fal_lab_series_free(&s.series);
}
END_TEST

START_TEST(shares_are_those_of_windows)
{
    static struct stage s;
    const struct fal_lab_curve *c;
    /* 200 us of 100 Gb/s are 2500000 bytes. */
    const uint64_t quarter = 625000;

    stage_init(&s);
    s.flows[1].config.start_ps = 600 * FAL_LAB_US;
    s.flows[1].config.stop_ps = 1000 * FAL_LAB_US;
    note(&s, FAL_LAB_NOTE_DELIVERED, 0, 100, quarter);
    note(&s, FAL_LAB_NOTE_DELIVERED, 0, 150, quarter);
    note(&s, FAL_LAB_NOTE_DELIVERED, 0, 200, quarter);
    note(&s, FAL_LAB_NOTE_DELIVERED, 1, 700, 3 * quarter);
    ck_assert_int_eq(fal_lab_series_end(&s.series), 0);
    c = fal_lab_series_flow(&s.series, 0, FAL_LAB_SHARE);
    ck_assert_uint_eq(c->high[0], 5000);
    ck_assert_uint_eq(c->high[19], 5000);
    ck_assert_uint_eq(c->low[20], 2500);
    ck_assert_uint_eq(c->low[40], 0);
    ck_assert_uint_eq(c->high[41], 0);
    c = fal_lab_series_flow(&s.series, 1, FAL_LAB_SHARE);
    ck_assert_uint_eq(c->low[59], FAL_LAB_NOTHING);
    ck_assert_uint_eq(c->high[60], 7500);
    ck_assert_uint_eq(c->low[99], 0);
    ck_assert_uint_eq(c->low[101], FAL_LAB_NOTHING);
    fal_lab_series_free(&s.series);
}
END_TEST

START_TEST(ticks_are_counted_by_column)
{
    static struct stage s;

    stage_init(&s);
    note(&s, FAL_LAB_NOTE_DROPPED, 0, 10, 0);
    note(&s, FAL_LAB_NOTE_DROPPED, 1, 19, 0);
    note(&s, FAL_LAB_NOTE_TIMEOUT, 1, 20, 0);
    note(&s, FAL_LAB_NOTE_RETRANSMIT, 1, 5400, 0); /* at the end: the last column */
    ck_assert_int_eq(fal_lab_series_end(&s.series), 0);
    ck_assert_uint_eq(s.series.ticks[FAL_LAB_TICK_DROP][1], 2);
    ck_assert_uint_eq(s.series.ticks[FAL_LAB_TICK_TIMEOUT][2], 1);
    ck_assert_uint_eq(s.series.ticks[FAL_LAB_TICK_RETRANSMIT][FAL_LAB_COLUMNS - 1], 1);
    ck_assert_uint_eq(s.series.totals[FAL_LAB_TICK_DROP], 2);
    fal_lab_series_free(&s.series);
}
END_TEST

/* Random values: each column has the extremes of what was recorded in it and before it. */
START_TEST(no_peak_is_lost)
{
    static struct stage s;
    static uint32_t low[FAL_LAB_COLUMNS], high[FAL_LAB_COLUMNS];
    uint64_t seed = test_seed(1);

    for (unsigned long round = 0; round < test_rounds(20); round++) {
        struct fal_rng rng = {seed + round};
        uint32_t last = 0, filled = 0;
        uint64_t at = 0;

        stage_init(&s);
        for (unsigned i = 0; i < 3000; i++) {
            uint32_t column = (uint32_t)(at / 10), v = (uint32_t)fal_rng_below(&rng, 1000000);

            for (; filled <= column; filled++)
                low[filled] = high[filled] = last;
            low[column] = v < low[column] ? v : low[column];
            high[column] = v > high[column] ? v : high[column];
            last = v;
            note(&s, FAL_LAB_NOTE_QUEUE, 0, at, v);
            at += fal_rng_below(&rng, 4);
            if (at >= 5400)
                break;
        }
        for (; filled < FAL_LAB_COLUMNS; filled++)
            low[filled] = high[filled] = last;
        ck_assert_int_eq(fal_lab_series_end(&s.series), 0);
        ck_assert_msg(memcmp(s.series.queues[0].low, low, sizeof low) == 0, "%s",
                      test_again(seed + round));
        ck_assert_msg(memcmp(s.series.queues[0].high, high, sizeof high) == 0, "%s",
                      test_again(seed + round));
        fal_lab_series_free(&s.series);
    }
}
END_TEST

/* A recorder changes nothing in the run, and its shares add up to the rate. */
START_TEST(a_run_with_a_recorder_is_the_same_run)
{
    struct fal_swift swift = swift_default();
    const struct fal_lab_experiment *e = fal_lab_experiment_find("incast");
    static struct fal_lab_series series;
    struct fal_lab_ask ask = fal_lab_ask_of(e, 8);
    struct fal_lab_outcome plain, recorded;

    ask.rate_bps = RATE;
    ask.swift = &swift;
    ask.time_ps = TIME;
    ck_assert_int_eq(e->run(&ask, &plain), 0);
    series = (struct fal_lab_series){.swift = &swift, .until_ps = TIME};
    ask.record = fal_lab_series_record;
    ask.record_ctx = &series;
    ck_assert_int_eq(e->run(&ask, &recorded), 0);
    ck_assert_uint_eq(plain.trace, recorded.trace);
    ck_assert_int_eq(fal_lab_series_end(&series), 0);
    for (unsigned c = 200; c < FAL_LAB_COLUMNS; c += 20) {
        uint32_t sum = 0;

        for (uint32_t i = 0; i < 8; i++)
            sum += fal_lab_series_flow(&series, i, FAL_LAB_SHARE)->low[c + 10];
        ck_assert_uint_ge(sum, 9900);
        ck_assert_uint_le(sum, 10050);
    }
    fal_lab_series_free(&series);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("series");
    TCase *tc = tcase_create("series");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_column_has_the_least_and_the_largest_value);
    tcase_add_test(tc, a_flow_has_curves_from_its_start_to_its_stop);
    tcase_add_test(tc, shares_are_those_of_windows);
    tcase_add_test(tc, ticks_are_counted_by_column);
    tcase_add_test(tc, no_peak_is_lost);
    tcase_add_test(tc, a_run_with_a_recorder_is_the_same_run);
    suite_add_tcase(s, tc);
    return s;
}
