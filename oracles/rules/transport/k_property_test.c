/* SPDX-License-Identifier: Apache-2.0
 * k_property_test.c - conforming senders and receivers on a bad network break no K rule, from
 * whatever vantage and with whatever gaps in the view; and no event, however wrong, harms the
 * judge. TALON_TIMES multiplies the rounds. */
#include "oracles/rules/transport/k_world_testing.h"

#include <stdio.h>

enum { VANTAGES = 4, VIEWS = 2 * VANTAGES, MOST_STEPS = 200000 };

struct watched {
    struct fal_tp_judge *judges[VIEWS];
    struct fal_tally_row rows[VIEWS][FAL_K_RULES];
    struct fal_tally tallies[VIEWS];
    struct fal_rng gaps;
    unsigned blind;  /* events that the second half of the views do not see */
    bool gap[VIEWS]; /* of which LOST_VIEW was not told yet */
};

static void show(void *ctx, bool middle, const struct fal_tp_event *event)
{
    struct watched *x = ctx;
    const struct fal_tp_event lost = {
        .kind = FAL_TP_LOST_VIEW, .at_ns = event->at_ns, .flow = event->flow};

    if (x->blind == 0 && fal_rng_below(&x->gaps, 60) == 0) {
        x->blind = 1 + (unsigned)fal_rng_below(&x->gaps, 30);
        for (unsigned v = VANTAGES; v < VIEWS; v++)
            x->gap[v] = true;
    }
    for (unsigned v = 0; v < VIEWS; v++) {
        const bool gappy = v >= VANTAGES;

        if (middle != (v % VANTAGES == FAL_TP_MIDDLE) || (gappy && x->blind > 0))
            continue;
        if (x->gap[v])
            ck_assert_int_eq(fal_tp_judge_event(x->judges[v], &lost), 0);
        x->gap[v] = false;
        ck_assert_int_eq(fal_tp_judge_event(x->judges[v], event), 0);
    }
    x->blind -= x->blind > 0;
}

/* A gap at the end of the view. */
static void missed_to_the_end(struct watched *x, uint64_t now_ns)
{
    const struct fal_tp_event lost = {.kind = FAL_TP_LOST_VIEW, .at_ns = now_ns, .flow = 7};

    for (unsigned v = VANTAGES; v < VIEWS; v++)
        if (x->gap[v])
            ck_assert_int_eq(fal_tp_judge_event(x->judges[v], &lost), 0);
}

static void watch(struct watched *x, const struct fal_tp_row *row)
{
    size_t n;

    for (unsigned v = 0; v < VIEWS; v++) {
        const struct fal_tp_view view = {.vantage = (enum fal_tp_vantage)(v % VANTAGES),
                                         .complete = true};

        x->tallies[v] = (struct fal_tally){fal_k_rules(&n), x->rows[v], FAL_K_RULES};
        fal_tally_clear(&x->tallies[v]);
        x->judges[v] = fal_tp_judge_new(row, &view, &x->tallies[v]);
        ck_assert_ptr_nonnull(x->judges[v]);
    }
}

/* A copy of each judge's decisions in all rounds: every rule must have decided something. */
static uint64_t decided[VIEWS][FAL_K_RULES];

static void round_of(uint64_t seed)
{
    static struct world w;
    struct watched x = {.gaps = {seed ^ 99}};

    memset(&w, 0, sizeof w);
    w.sink = (struct world_sink){show, &x};
    world_begin(&w, seed);
    watch(&x, &w.row);
    ck_assert_msg(world_play(&w, MOST_STEPS), "no end: %s", test_again(seed));
    missed_to_the_end(&x, w.now_ns);
    for (unsigned v = 0; v < VIEWS; v++) {
        fal_tp_judge_end(x.judges[v], w.now_ns);
        for (unsigned k = 0; k < FAL_K_RULES; k++) {
            decided[v][k] += x.rows[v][k].held;
            ck_assert_msg(x.rows[v][k].broken == 0, "view %u, mode %d, %s at event %d: %s\n%s",
                          v, (int)w.mode, x.tallies[v].rules[k].id,
                          (int)x.rows[v][k].findings[0].number, x.rows[v][k].findings[0].what,
                          test_again(seed));
        }
        fal_tp_judge_free(x.judges[v]);
    }
}

START_TEST(conforming_ends_break_no_rule)
{
    /* What each vantage decides at all. */
    static const char *const powers[VANTAGES] = {
        [FAL_TP_BOTH] = "K1 K2 K3 K4 K5 K6 K7 K8 K9 K10",
        [FAL_TP_SENDER] = "K1 K3 K4 K5 K6 K7 K8 K9 K10",
        [FAL_TP_RECEIVER] = "K2 K3 K4 K7",
        [FAL_TP_MIDDLE] = "K3 K4 K7",
    };
    const uint64_t seed = test_seed(1);
    size_t n;
    const struct fal_tally_rule *rules = fal_k_rules(&n);

    memset(decided, 0, sizeof decided);
    for (unsigned long i = 0; i < test_rounds(60); i++)
        round_of(seed + i);
    for (unsigned v = 0; v < VANTAGES; v++)
        for (unsigned k = 0; k < FAL_K11; k++) {
            char word[8];

            (void)snprintf(word, sizeof word, "%s ", rules[k].id);
            if (strstr(powers[v], rules[k].id) != NULL && strcmp(rules[k].id, "K1") != 0)
                ck_assert_msg(decided[v][k] > 0, "%s decided nothing at vantage %u",
                              rules[k].id, v);
        }
}
END_TEST

/* ---- hostile events ---- */

static uint64_t odd_number(struct fal_rng *rng)
{
    switch (fal_rng_below(rng, 6)) {
    case 0: return fal_rng_next(rng);
    case 1: return UINT64_MAX - fal_rng_below(rng, 3);
    case 2: return fal_rng_below(rng, fal_rng_below(rng, 20) == 0 ? 60000 : 200);
    case 3: return (UINT64_C(1) << 62) - 2 + fal_rng_below(rng, 4);
    default: return fal_rng_below(rng, 40);
    }
}

static struct fal_tp_event odd_event(struct fal_rng *rng)
{
    struct fal_tp_event e = {.at_ns = odd_number(rng), .number = odd_number(rng)};

    e.flow = (uint32_t)fal_rng_below(rng, 3);
    e.kind = (enum fal_tp_kind)fal_rng_below(rng, FAL_TP_LOST_VIEW + 3);
    if (e.kind == FAL_TP_RESET && fal_rng_below(rng, 50) != 0)
        e.kind = FAL_TP_SEND;
    e.seg = odd_number(rng);
    e.bytes = (uint32_t)odd_number(rng);
    e.digest = odd_number(rng);
    e.trimmed = fal_rng_below(rng, 9) == 0;
    e.reply.has_cum = fal_rng_below(rng, 3) != 0;
    e.reply.cum = odd_number(rng);
    e.reply.num_got = (unsigned)fal_rng_below(rng, FAL_TP_RANGES + 3);
    for (unsigned i = 0; i < FAL_TP_RANGES; i++) {
        e.reply.got[i].first = odd_number(rng);
        e.reply.got[i].end = odd_number(rng);
    }
    e.reply.nack = fal_rng_below(rng, 3) == 0;
    e.reply.nack_seg = odd_number(rng);
    e.reply.window = odd_number(rng);
    e.reply.grant = odd_number(rng);
    return e;
}

static struct fal_tp_row odd_row(struct fal_rng *rng)
{
    struct fal_tp_row row = {.name = "odd"};

    row.credit = (enum fal_tp_credit)fal_rng_below(rng, 3);
    row.repair = (enum fal_tp_repair)fal_rng_below(rng, 2);
    row.in_order = fal_rng_below(rng, 2);
    row.cumulative = fal_rng_below(rng, 2);
    row.selective = fal_rng_below(rng, 2);
    row.nacks = fal_rng_below(rng, 2);
    row.partial_acks = fal_rng_below(rng, 2);
    row.reorder_by_time = fal_rng_below(rng, 2);
    row.tail_probe = fal_rng_below(rng, 2);
    row.dup_threshold = (unsigned)odd_number(rng);
    row.reorder_segments = (unsigned)odd_number(rng);
    row.rto_min_ns = odd_number(rng);
    row.rto_low_ns = odd_number(rng);
    row.rto_max_ns = odd_number(rng);
    row.max_window = odd_number(rng);
    row.rate_bps = odd_number(rng);
    row.burst_bytes = odd_number(rng);
    row.initial_tokens = odd_number(rng);
    row.answer_ns = odd_number(rng);
    row.liveness_ns = odd_number(rng);
    return row;
}

START_TEST(no_event_harms_the_judge)
{
    const uint64_t seed = test_seed(7);

    for (unsigned long i = 0; i < test_rounds(40); i++) {
        struct fal_rng rng = {seed + i};
        const struct fal_tp_row row = odd_row(&rng);
        const struct fal_tp_view view = {.vantage = (enum fal_tp_vantage)(i % VANTAGES),
                                         .complete = fal_rng_below(&rng, 4) != 0,
                                         .pipeline_ns = odd_number(&rng)};
        struct fal_tally_row rows[FAL_K_RULES];
        size_t n;
        struct fal_tally tally = {fal_k_rules(&n), rows, FAL_K_RULES};
        struct fal_tp_judge *judge;

        fal_tally_clear(&tally);
        judge = fal_tp_judge_new(&row, &view, &tally);
        for (unsigned e = 0; e < 300; e++) {
            const struct fal_tp_event event = odd_event(&rng);

            ck_assert_int_eq(fal_tp_judge_event(judge, &event), 0);
        }
        fal_tp_judge_end(judge, odd_number(&rng));
        fal_tp_judge_free(judge);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("k_property");
    TCase *tc = tcase_create("k_property");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, conforming_ends_break_no_rule);
    tcase_add_test(tc, no_event_harms_the_judge);
    suite_add_tcase(suite, tc);
    return suite;
}
