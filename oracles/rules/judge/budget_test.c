/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/budget.h"

#include "oracles/rng.h"
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

enum { MANY = 1100, RUNS = 400, ROUND_NS = 20000, PROBE_NS = 1000000 };

/* One packet of a long run: number i of its sender, with the base that it claims. */
struct step {
    enum fal_dir dir;
    unsigned i, base;
};

static void take(struct fal_judge *judge, const struct fal_connection *c, struct step step,
                 uint64_t *index)
{
    bool in = step.dir == FAL_TO_SUT;
    const struct fal_end *own = in ? &c->tester : &c->sut, *peer = in ? &c->sut : &c->tester;
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = 1};
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_PUSH_DATA);
    f.dest_cid = peer->cid;
    f.dest_function = peer->function;
    f.recv_data_base_psn = peer->data_psn + step.base;
    f.recv_req_base_psn = peer->req_psn;
    f.psn = own->data_psn + step.i;
    f.rsn = own->rsn + step.i;
    event.index = ++*index;
    event.t_ns = event.index * FAL_US;
    event.u.packet = (struct fal_ev_packet){.dir = step.dir, .step = -1, .bytes = bytes};
    event.u.packet.len = (uint32_t)fal_falcon_encode(&f, NULL, 0, bytes, sizeof bytes, NULL);
    fal_event_packet(&event.u.packet);
    fal_judge_event(judge, &event);
}

/* Both sides push, over plain UDP; the tester acknowledges each push with its next. Every
 * `lose`-th push of the SUT never comes; with `deaf` it repeats each that was acknowledged. A
 * judge of both ends has the ends the other way round. */
static struct fal_judge *judged_run(const struct fal_judge_config *config, unsigned n,
                                    unsigned lose, bool deaf)
{
    struct fal_judge *judge = fal_judge_new(config);
    struct fal_event event = {.kind = FAL_EV_RUN};
    struct fal_connection connection = script_connection(&udp);
    enum fal_dir out =
        config->both_ends ? FAL_TO_SUT : FAL_FROM_SUT; /* of the SUT of interest */
    uint64_t index = 0;

    ck_assert_ptr_nonnull(judge);
    event.u.run = udp.run;
    if (config->trials[FAL_FROM_SUT].trials > 0) /* who measured the path knows its delay */
        event.u.run.delay_max_ns = 100;
    if (config->both_ends) /* which says the same of the path either way */
        event.u.run.vantage = FAL_VANTAGE_MIDDLE;
    fal_judge_event(judge, &event);
    index++;
    event = (struct fal_event){.kind = FAL_EV_CONNECTION, .index = index, .conn = 1};
    event.u.connection = connection;
    fal_judge_event(judge, &event);
    for (unsigned i = 0; i < n; i++) {
        if (lose == 0 || i % lose != 1)
            take(judge, &connection, (struct step){out, i, 0}, &index);
        take(judge, &connection, (struct step){fal_dir_other(out), i, lose == 0 ? i + 1 : 0},
             &index);
        if (deaf)
            take(judge, &connection, (struct step){out, i, 0}, &index);
    }
    fal_judge_finish(judge);
    return judge;
}

static struct fal_judge *long_run(const char *rule, unsigned n, unsigned lose, bool deaf)
{
    const char *only[] = {rule, NULL};

    return judged_run(&(struct fal_judge_config){.only = only, .whole = true}, n, lose, deaf);
}

/* What was lost is excused. */
START_TEST(a_path_that_loses_excuses)
{
    struct fal_judge *judge = long_run("X2", MANY, 10, false);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result(judge, 0)->excused[FAL_EXCUSE_OUT_LOSS], MANY / 10);
    ck_assert(!fal_judge_suspect(judge, 0, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_PASS);
    fal_judge_free(judge);
}
END_TEST

/* A thousand acknowledgements, all of them lost, on a path that lost nothing else: no break, as
 * each of them may be, but no pass either. */
START_TEST(excuses_beyond_what_the_path_did_are_suspect)
{
    struct fal_judge *judge = long_run("X6", MANY, 0, true);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result(judge, 0)->excused[FAL_EXCUSE_IN_LOSS], MANY);
    ck_assert_uint_eq(fal_judge_result(judge, 0)->broken, 0);
    ck_assert(fal_judge_suspect(judge, 0, &suspect));
    ck_assert_int_eq(suspect.excuse, FAL_EXCUSE_IN_LOSS);
    ck_assert_uint_eq(suspect.used, MANY);
    ck_assert_uint_lt(suspect.allowed, 100);
    ck_assert_ptr_null(suspect.rule);
    ck_assert(!fal_judge_suspect(judge, 1, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_INCONC);
    fal_judge_free(judge);
}
END_TEST

/* A path that was measured: 1,100 packets of which it lost 110, and of 10,000 trials as many.
 */
static struct fal_judge *measured_run(uint64_t losses)
{
    const char *only[] = {"X2", NULL};

    return judged_run(&(struct fal_judge_config){.only = only,
                                                 .whole = true,
                                                 .trials = {[FAL_FROM_SUT] = {10000, losses}}},
                      MANY, 10, false);
}

START_TEST(a_rule_is_compared_with_a_measured_path)
{
    struct fal_judge *judge = measured_run(900);
    struct fal_suspect suspect;

    ck_assert(!fal_judge_suspect(judge, 0, &suspect));
    fal_judge_free(judge);
    judge = measured_run(200);
    ck_assert(fal_judge_suspect(judge, 0, &suspect));
    ck_assert_str_eq(suspect.rule->id, "X2");
    ck_assert_int_eq(suspect.excuse, FAL_EXCUSE_OUT_LOSS);
    ck_assert_uint_eq(suspect.used, MANY / 10);
    ck_assert_uint_eq(suspect.of, MANY);
    ck_assert(!suspect.unmeasured);
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_INCONC);
    fal_judge_free(judge);
}
END_TEST

/* A case is one of many; its excuses count for the run. */
START_TEST(one_case_has_no_budget)
{
    const char *only[] = {"X6", NULL};
    struct fal_judge *judge =
        judged_run(&(struct fal_judge_config){.only = only}, MANY, 0, true);
    struct fal_suspect suspect;

    ck_assert(!fal_judge_suspect(judge, 0, &suspect));
    ck_assert(fal_judge_enough(judge, 0, fal_rule_find("X6")));
    fal_judge_free(judge);
}
END_TEST

/* Each end of a judge of both has excuses and paths of its own. */
START_TEST(the_other_end_is_suspect_alone)
{
    const char *only[] = {"X6", NULL};
    struct fal_judge *judge =
        judged_run(&(struct fal_judge_config){.only = only, .both_ends = true, .whole = true},
                   MANY, 0, true);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result_of(judge, 1, 0)->excused[FAL_EXCUSE_IN_LOSS], MANY);
    ck_assert_int_eq(fal_judge_result_of(judge, 1, 0)->subject, FAL_SUBJECT_SUT);
    ck_assert_uint_eq(fal_judge_result_of(judge, 0, 0)->excused[FAL_EXCUSE_IN_LOSS], 0);
    ck_assert(fal_judge_suspect_of(judge, 1, 0, &suspect));
    ck_assert_int_eq(suspect.excuse, FAL_EXCUSE_IN_LOSS);
    ck_assert_uint_eq(suspect.used, MANY);
    ck_assert(!fal_judge_suspect_of(judge, 0, 0, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_INCONC);
    fal_judge_free(judge);
}
END_TEST

/* Two judges of parts of a run, joined, say what one judge of the whole run says. */
START_TEST(joined_judges_share_a_budget)
{
    struct fal_judge *one = long_run("X6", 900, 0, true), *two = long_run("X6", 900, 0, true);
    struct fal_suspect suspect;

    ck_assert(!fal_judge_suspect(one, 0, &suspect)); /* too short to know the path */
    ck_assert(!fal_judge_enough(one, 0, fal_rule_find("X6")));
    fal_judge_join(one, two);
    ck_assert(fal_judge_suspect(one, 0, &suspect));
    ck_assert_uint_eq(suspect.used, 1800);
    fal_judge_free(one);
    fal_judge_free(two);
}
END_TEST

START_TEST(what_each_kind_goes_by)
{
    struct fal_measured measured[FAL_DIRS] = {{.packets = 5000, .reliable = 2500},
                                              {.packets = 5000, .reliable = 2500}};
    uint64_t free = fal_seen_allowed(measured, FAL_EXCUSE_OUT_LOSS);

    ck_assert_uint_lt(free, 100);
    ck_assert_uint_gt(free, 16);
    measured[FAL_FROM_SUT].holes = 50;
    ck_assert_uint_gt(fal_seen_allowed(measured, FAL_EXCUSE_OUT_LOSS), free + 300);
    ck_assert_uint_eq(fal_seen_allowed(measured, FAL_EXCUSE_IN_LOSS), free);
    measured[FAL_FROM_SUT].repeats = 50; /* its own copies excuse only duplicates */
    ck_assert_uint_eq(fal_seen_allowed(measured, FAL_EXCUSE_IN_LOSS), free);
    ck_assert_uint_gt(fal_seen_allowed(measured, FAL_EXCUSE_OUT_DUP), free + 300);
    measured[FAL_TO_SUT].shown = 50;
    ck_assert_uint_gt(fal_seen_allowed(measured, FAL_EXCUSE_IN_LOSS), free + 300);
}
END_TEST

/* Too few packets give no measurement; an effect that the path does not cause is not measured.
 */
START_TEST(where_nothing_is_measured_all_is_allowed)
{
    struct fal_measured few[FAL_DIRS] = {{.packets = 900, .reliable = 900}};
    struct fal_measured many[FAL_DIRS] = {{.packets = 9000, .reliable = 9000},
                                          {.packets = 9000, .reliable = 9000}};

    ck_assert_uint_eq(fal_seen_allowed(few, FAL_EXCUSE_IN_LOSS), UINT64_MAX);
    for (enum fal_excuse e = 0; e < FAL_EXCUSE_COUNT; e++)
        ck_assert_int_eq(fal_seen_allowed(many, e) == UINT64_MAX,
                         e > FAL_EXCUSE_OUT_REORDER || e == FAL_EXCUSE_IN_DUP);
}
END_TEST

/* The tables of judging.md, section 18: the least number that is not believed of a path of
 * which 10,000 trials lost so many. */
START_TEST(the_least_number_that_is_not_believed)
{
    static const struct {
        uint64_t losses, n, k;
    } table[] = {{0, 100, 3},    {0, 300, 4},    {0, 1000, 6},    {0, 3000, 10},
                 {100, 100, 10}, {100, 300, 16}, {100, 1000, 31}, {100, 3000, 67}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct fal_trials path = {.trials = 10000, .losses = table[i].losses};

        ck_assert_uint_eq(fal_budget_allowed(table[i].n, path) + 1, table[i].k);
        ck_assert_int_eq(fal_budget_word(table[i].n, table[i].k, path), FAL_BUDGET_BEYOND);
        ck_assert_int_eq(fal_budget_word(table[i].n, table[i].k - 1, path), FAL_BUDGET_FITS);
    }
}
END_TEST

/* Fewer than 300 trials are no measurement: one event in 20 is believed then. */
START_TEST(a_path_that_was_hardly_measured)
{
    struct fal_trials few = {.trials = 299, .losses = 0}, enough = {.trials = 300};

    ck_assert_int_eq(fal_budget_word(19, 19, few), FAL_BUDGET_FITS);
    ck_assert_int_eq(fal_budget_word(20, 1, few), FAL_BUDGET_FITS);
    ck_assert_int_eq(fal_budget_word(20, 2, few), FAL_BUDGET_UNMEASURED);
    ck_assert_int_eq(fal_budget_word(1000, 50, few), FAL_BUDGET_FITS);
    ck_assert_int_eq(fal_budget_word(1000, 51, few), FAL_BUDGET_UNMEASURED);
    ck_assert_int_eq(fal_budget_word(20, 2, enough), FAL_BUDGET_FITS);
    ck_assert_int_eq(fal_budget_word(20, 20, enough), FAL_BUDGET_BEYOND);
    ck_assert_int_eq(fal_budget_word(0, 0, enough), FAL_BUDGET_FITS);
}
END_TEST

/* The tail against one that is counted out. */
START_TEST(the_tail_is_a_probability)
{
    struct fal_trials path = {.trials = 4, .losses = 1};

    /* 3 marked of 10, 6 drawn: C(6,2)C(4,1)/C(10,3) + C(6,3)/C(10,3) = 80/120 */
    ck_assert_double_eq_tol(fal_budget_tail(6, 2, path), 80.0 / 120, 1e-12);
    ck_assert_double_eq_tol(fal_budget_tail(6, 0, path), 1, 1e-12);
    path = (struct fal_trials){.trials = 1000000, .losses = 1000};
    ck_assert_double_eq_tol(fal_budget_tail(1000000, 1000, path), 0.5, 0.02);
    ck_assert_double_lt(fal_budget_tail(1000000, 2000, path), 1e-60);
}
END_TEST

/* 59 instances show a fault that acts once in 20 with 95 %. */
START_TEST(what_a_run_must_decide_to_pass)
{
    static const struct {
        uint64_t decided, open;
        bool enough;
    } table[] = {{0, 0, true},   {1, 0, true},    {58, 1, false},    {59, 1, true},
                 {59, 59, true}, {59, 60, false}, {30, 2970, false}, {3000, 2970, true}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        ck_assert_int_eq(fal_power_enough(table[i].decided, table[i].open), table[i].enough);
}
END_TEST

/* A SUT that answers the first of 3,000 pulls with AR in time and no other: of none of them is
 * it known that its ACK was not lost, and yet they add up to no pass (FTP-9.1.6-02). */
static struct outcome answers(const char *rule, int in_time)
{
    struct kind loses = clean;
    struct fal_connection c;
    struct script s;
    struct outcome o;
    char line[80];

    loses.run.lossless_out = false;
    c = script_connection(&loses);
    script_start(&s, &loses, &c);
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(line, sizeof line, "> pull_request psn=%dr rsn=%dr len=4 ar", i, i);
        script_line(&s, line);
        (void)snprintf(line, sizeof line, "%s < back dbase=0r rbase=%dr",
                       i < in_time ? "+2us" : "+1ms", i + 1);
        script_line(&s, line);
    }
    o = script_judge_as(s.events, json_array_size(s.events), rule, true);
    json_decref(s.events);
    return o;
}

START_TEST(excuses_never_add_up_to_a_pass)
{
    static const char *const rules[] = {"A2", "A3"};

    for (size_t i = 0; i < 2; i++) {
        struct outcome o = answers(rules[i], 30);

        ck_assert_uint_eq(o.sut.holds, 30);
        ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_OUT_LOSS], 2970);
        ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_INCONC);
        ck_assert_int_eq(o.verdict, FAL_VERDICT_INCONC);
        o = answers(rules[i], 2800); /* one in 15 is not answered in time */
        ck_assert_uint_eq(o.sut.excused[FAL_EXCUSE_OUT_LOSS], 200);
        ck_assert_int_eq(o.sut.verdict, FAL_VERDICT_PASS);
        ck_assert_int_eq(o.verdict, FAL_VERDICT_INCONC);
        o = answers(rules[i], 2900); /* one in 30: the path may be like that */
        ck_assert_int_eq(o.verdict, FAL_VERDICT_PASS);
    }
}
END_TEST

/* ---- random runs ----
 * The budget over runs whose path loses packets in bursts: a conforming SUT is never suspect,
 * one that omits ACKs is. TALON_TIMES=50 makes 20,000 of them. */

/* A path with bursts of losses (Gilbert): in a burst each packet is lost. */
struct channel {
    struct fal_rng rng;
    uint64_t gap_ns, burst_ns; /* mean times between bursts, and of one burst */
    uint64_t next_ns, end_ns;  /* of the burst that is next, or under way */
};

/* A random time whose mean is about that. */
static uint64_t some(struct fal_rng *rng, uint64_t mean_ns)
{
    uint64_t sum = 0;

    /* A geometric number of parts. */
    do
        sum += mean_ns / 8;
    while (fal_rng_below(rng, 8) != 0);
    return sum + fal_rng_below(rng, mean_ns / 8 + 1);
}

static void next_burst(struct channel *c)
{
    c->next_ns = c->end_ns + some(&c->rng, c->gap_ns);
    c->end_ns = c->next_ns + some(&c->rng, c->burst_ns);
}

static bool is_lost(struct channel *c, uint64_t t_ns)
{
    while (c->end_ns <= t_ns)
        next_burst(c);
    return t_ns >= c->next_ns;
}

static struct channel channel_of(struct fal_rng *rng, uint64_t *seed)
{
    /* Losses from one packet in 20 to one in 20,000; bursts of up to half a round trip. */
    uint64_t burst_ns = 100 + fal_rng_below(rng, ROUND_NS / 4);

    *seed = fal_rng_next(rng);
    return (struct channel){.rng = fal_rng_split(*seed, 0),
                            .burst_ns = burst_ns,
                            .gap_ns = burst_ns * (UINT64_C(20) << fal_rng_below(rng, 11))};
}

/* One probe for each millisecond, so that losses of two probes are two events. */
static struct fal_trials probe(struct channel channel, uint64_t trials)
{
    struct fal_trials path = {.trials = trials};

    for (uint64_t i = 0; i < trials; i++)
        path.losses += is_lost(&channel, (i + 1) * PROBE_NS);
    return path;
}

/* The events of loss among n ACKs, counted as the judge counts them. */
static uint64_t lose(struct channel channel, uint64_t n, uint64_t apart_ns)
{
    struct fal_tallies tallies;
    struct fal_tally tally;
    uint64_t t_ns = 0;

    ck_assert(fal_tallies_init(&tallies, 2));
    for (uint64_t i = 0; i < n; i++) {
        t_ns += 1 + fal_rng_below(&channel.rng, 2 * apart_ns);
        if (is_lost(&channel, t_ns))
            fal_tallies_event(&tallies, 1, FAL_EXCUSE_OUT_LOSS, t_ns, ROUND_NS);
    }
    tally = fal_tallies_of(&tallies, 1);
    fal_tallies_free(&tallies);
    return tally.events[FAL_EXCUSE_OUT_LOSS];
}

START_TEST(no_conforming_run_is_suspect)
{
    uint64_t first = test_seed(180001);
    uint64_t with_losses = 0;

    for (uint64_t seed = first; seed < first + test_rounds(RUNS); seed++) {
        struct fal_rng rng = fal_rng_split(seed, 18);
        uint64_t again, n = 20 + fal_rng_below(&rng, 5000);
        struct channel channel = channel_of(&rng, &again);
        struct fal_trials path = probe(channel, 300 + fal_rng_below(&rng, 10000));
        uint64_t k;

        channel.rng = fal_rng_split(again, 1); /* at another time */
        k = lose(channel, n, 100 + fal_rng_below(&rng, 2 * ROUND_NS));
        with_losses += k > 0;
        ck_assert_msg(fal_budget_word(n, k, path) != FAL_BUDGET_BEYOND,
                      "%s: %llu events among %llu packets, of a path that lost %llu of %llu",
                      test_again(seed), (unsigned long long)k, (unsigned long long)n,
                      (unsigned long long)path.losses, (unsigned long long)path.trials);
    }
    if (test_rounds(RUNS) >= RUNS)
        ck_assert_uint_gt(with_losses, test_rounds(RUNS) / 2); /* not only quiet ones */
}
END_TEST

/* A SUT that omits one ACK in five on the same paths is suspect, unless the path itself loses
 * one in a hundred. */
START_TEST(omitted_acks_are_suspect)
{
    uint64_t first = test_seed(280001);

    for (uint64_t seed = first; seed < first + test_rounds(RUNS / 4); seed++) {
        struct fal_rng rng = fal_rng_split(seed, 19);
        uint64_t again, n = 1000 + fal_rng_below(&rng, 4000);
        struct channel channel = channel_of(&rng, &again);
        struct fal_trials path = probe(channel, 5000 + fal_rng_below(&rng, 5000));

        if (path.losses * 100 < path.trials)
            ck_assert_msg(fal_budget_word(n, n / 5, path) == FAL_BUDGET_BEYOND,
                          "%s: 1 in 5 of %llu packets, of a path that lost %llu of %llu",
                          test_again(seed), (unsigned long long)n,
                          (unsigned long long)path.losses, (unsigned long long)path.trials);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("excuse budget");
    TCase *tc = tcase_create("budget");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_path_that_loses_excuses);
    tcase_add_test(tc, excuses_beyond_what_the_path_did_are_suspect);
    tcase_add_test(tc, a_rule_is_compared_with_a_measured_path);
    tcase_add_test(tc, one_case_has_no_budget);
    tcase_add_test(tc, the_other_end_is_suspect_alone);
    tcase_add_test(tc, joined_judges_share_a_budget);
    tcase_add_test(tc, what_each_kind_goes_by);
    tcase_add_test(tc, where_nothing_is_measured_all_is_allowed);
    tcase_add_test(tc, the_least_number_that_is_not_believed);
    tcase_add_test(tc, a_path_that_was_hardly_measured);
    tcase_add_test(tc, the_tail_is_a_probability);
    tcase_add_test(tc, what_a_run_must_decide_to_pass);
    tcase_add_test(tc, excuses_never_add_up_to_a_pass);
    tcase_add_test(tc, no_conforming_run_is_suspect);
    tcase_add_test(tc, omitted_acks_are_suspect);
    suite_add_tcase(suite, tc);
    return suite;
}
