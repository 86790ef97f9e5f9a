/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/logic/engine.h"

#include "oracles/logic/setup.h"
#include "oracles/rng.h"
#include "oracles/rules/transport/engine_judge.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

/* A path with a delay of `rtt` cycles, whose end acknowledges what comes in order. */
enum { RTT_MAX = 512, FLOWS_MAX = 2048, RING = 8 };

struct world {
    struct fal_logic_engine *engine;
    struct fal_en_setup setup;
    unsigned rtt;
    uint32_t flows;
    struct {
        bool full;
        uint32_t flow;
        struct fal_logic_reply reply;
    } back[RTT_MAX]; /* by the cycle in which it arrives */
    uint32_t cum[FLOWS_MAX];
    uint64_t got[FLOWS_MAX][FAL_LOGIC_WORDS];
    uint64_t bytes, transmitted[FLOWS_MAX];
    struct fal_rng rng;
    uint32_t loss_ppm;
    /* The findings of an observer of the engine. */
    uint64_t last_generate, last_transmit, longest;
    bool in[2][FLOWS_MAX];
    uint32_t ring[FLOWS_MAX];
    uint64_t merges, dropped;
    unsigned k7, k11, k12, k13;
    bool failed; /* memory was out; an assertion for each cycle would take most of the time */
    uint64_t sizes[FLOWS_MAX / 256][1024]; /* K7: offset and bytes by segment, few flows */
    struct fal_en_judge *judge;            /* the rules, where a test asks for them */
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
};

static void transmit(void *ctx, uint32_t flow, const struct fal_logic_packet *packet)
{
    struct world *w = ctx;
    uint64_t at = fal_logic_engine_cycle(w->engine) + w->rtt;
    uint32_t above = packet->id - w->cum[flow];

    w->bytes += packet->bytes;
    w->transmitted[flow] += packet->bytes;
    if (w->rtt == 0 || (w->loss_ppm != 0 && fal_rng_below(&w->rng, 1000000) < w->loss_ppm))
        return;
    if (above < FAL_LOGIC_WINDOW)
        fal_ring_put(w->got[flow], packet->id, true);
    above = fal_ring_first_clear(w->got[flow], w->cum[flow], FAL_LOGIC_WINDOW);
    fal_ring_clear(w->got[flow], w->cum[flow], above);
    w->cum[flow] += above;
    w->back[at % RTT_MAX].full = true;
    w->back[at % RTT_MAX].flow = flow;
    w->back[at % RTT_MAX].reply =
        (struct fal_logic_reply){.has_cum = true, .cum = w->cum[flow], .grant = w->bytes};
}

/* ---- the observer ---- */

/* After a merge each variable is what the writers, one after another, would have left. */
static bool serial(const struct fal_en_var *var)
{
    uint64_t sum = var->before, changed = 0;

    if (var->join == FAL_EN_VALUE) {
        for (unsigned k = 0; k < FAL_EN_WRITERS; k++)
            if ((var->wrote >> k & 1) != 0 && var->value[k] == var->after)
                return true;
        return false;
    }
    for (unsigned k = 0; k < FAL_EN_WRITERS; k++) {
        if ((var->wrote >> k & 1) == 0)
            continue;
        sum += var->value[k] - var->before;
        changed |= var->value[k] ^ var->before;
    }
    return var->join == FAL_EN_SUM ? (uint32_t)sum == (uint32_t)var->after
                                   : (var->before ^ changed) == var->after;
}

static void look_at_sets(struct world *w, const struct fal_en_event *event)
{
    bool *in = &w->in[event->set][event->flow];

    w->k11 += *in == (event->kind == FAL_EN_PUSH);
    *in = event->kind == FAL_EN_PUSH;
}

static void look_at_state(struct world *w, const struct fal_en_event *event)
{
    uint32_t ring = w->ring[event->flow];

    w->k11 += ring > w->setup.ring ||
              (event->work && ring < w->setup.ring && !w->in[FAL_EN_ACTIVE][event->flow]);
    w->k11 += event->credit && ring > 0 && !w->in[FAL_EN_READY][event->flow];
    w->k12 += ring != event->outstanding;
}

static void look_at_address(struct world *w, const struct fal_en_event *event)
{
    uint64_t key = event->offset << 16 | event->bytes;
    uint64_t *known = event->flow < FLOWS_MAX / 256 && event->seg < 1024
                          ? &w->sizes[event->flow][event->seg]
                          : NULL;

    if (event->kind == FAL_EN_GENERATE) {
        w->k13 += w->last_generate == event->cycle;
        w->last_generate = event->cycle;
        w->ring[event->flow]++;
        if (known != NULL && *known == 0)
            *known = key;
    } else {
        w->k13 += w->last_transmit == event->cycle;
        w->last_transmit = event->cycle;
        w->ring[event->flow]--;
        if (event->cycle - event->since > w->longest)
            w->longest = event->cycle - event->since;
    }
    w->k7 += known != NULL && *known != key;
}

static void observe(void *ctx, const struct fal_en_event *event)
{
    struct world *w = ctx;

    if (w->judge != NULL)
        w->failed |= fal_en_judge_event(w->judge, event) != 0;
    switch (event->kind) {
    case FAL_EN_PUSH:
    case FAL_EN_POP: look_at_sets(w, event); break;
    case FAL_EN_GENERATE:
    case FAL_EN_TRANSMIT: look_at_address(w, event); break;
    case FAL_EN_STATE: look_at_state(w, event); break;
    case FAL_EN_MERGE:
        w->merges++;
        w->dropped += event->merge->timeout_dropped;
        for (unsigned i = 0; i < event->merge->num_vars; i++)
            w->k12 += !serial(&event->merge->vars[i]);
        break;
    case FAL_EN_ADD:
    case FAL_EN_REMOVE:
    case FAL_EN_RATE:
    case FAL_EN_INCOMING:
    case FAL_EN_PERIODIC: break;
    }
}

static struct world *begin_with(bool judged, const struct fal_logic *logic,
                                const struct fal_logic_config *flow, uint32_t flows,
                                enum fal_logic_engine_fault fault)
{
    struct world *w = calloc(1, sizeof *w);
    struct fal_logic_engine_config config = {.logic = logic,
                                             .flow = *flow,
                                             .setup = fal_logic_engine_usual(),
                                             .fault = fault,
                                             .sink = {observe, w},
                                             .transmit = transmit,
                                             .ctx = w};

    ck_assert_ptr_nonnull(w);
    config.setup.flows = flows;
    config.setup.ring = RING;
    w->setup = config.setup;
    w->flows = flows;
    w->tally.rules = fal_k_rules(&w->tally.num_rules);
    w->tally.rows = w->rows;
    config.setup.burst_bytes = flow->burst_bytes;
    if (judged) {
        w->judge = fal_en_judge_new(&config.setup, &w->tally);
        ck_assert_ptr_nonnull(w->judge);
    }
    w->engine = fal_logic_engine_new(&config);
    ck_assert_ptr_nonnull(w->engine);
    for (uint32_t i = 0; i < flows; i++) {
        w->cum[i] = UINT32_MAX - 5 - i;
        fal_logic_engine_add(w->engine, i, w->cum[i]);
    }
    return w;
}

static struct world *begin(const struct fal_logic *logic, const struct fal_logic_config *flow,
                           uint32_t flows, enum fal_logic_engine_fault fault)
{
    return begin_with(false, logic, flow, flows, fault);
}

static void end(struct world *w)
{
    ck_assert(!w->failed);
    fal_en_judge_free(w->judge);
    fal_logic_engine_free(w->engine);
    free(w);
}

/* One cycle; flows always have something to send. */
static void step(struct world *w, uint32_t bytes)
{
    uint64_t cycle = fal_logic_engine_cycle(w->engine);
    uint32_t flow = (uint32_t)(cycle % w->flows);

    if (w->back[cycle % RTT_MAX].full)
        w->failed |= fal_logic_engine_feedback(w->engine, w->back[cycle % RTT_MAX].flow,
                                               &w->back[cycle % RTT_MAX].reply) != 0;
    w->back[cycle % RTT_MAX].full = false;
    while (fal_logic_engine_post(w->engine, flow, bytes)) {
    }
    w->failed |= fal_logic_engine_step(w->engine) != 0;
}

static struct fal_logic_config flow_of(uint32_t segment, uint64_t rate_bps)
{
    return (struct fal_logic_config){.segment_bytes = segment,
                                     .max_window = FAL_LOGIC_WINDOW,
                                     .initial_window = 10,
                                     .dup_threshold = 3,
                                     .rto_min_ns = 100000,
                                     .rto_max_ns = 1000000,
                                     .line_rate_bps = rate_bps,
                                     .burst_bytes = 4 * segment,
                                     .initial_tokens = 20,
                                     .dcqcn = *fal_dcqcn_preset("paper")};
}

static void held(const struct world *w)
{
    ck_assert_uint_eq(w->k7 + w->k11 + w->k12 + w->k13, 0);
}

START_TEST(one_flow_of_small_segments_fills_the_link)
{
    const struct fal_logic_config flow = flow_of(128, UINT64_C(100000000000));
    struct world *w = begin(fal_logic_of("roce-gbn-dcqcn"), &flow, 1, FAL_LOGIC_ENGINE_SOUND);
    const uint64_t cycles = 20000;

    w->rtt = 100;
    for (uint64_t i = 0; i < cycles; i++)
        step(w, 128);
    held(w);
    /* 125 bytes a cycle are 100 Gb/s. */
    ck_assert_uint_ge(w->bytes * 1000, 125 * cycles * 999);
    ck_assert_uint_le(w->bytes, 125 * cycles + flow.burst_bytes);
    ck_assert_uint_gt(w->merges, cycles / 2);
    end(w);
}
END_TEST

START_TEST(two_thousand_flows_share_the_link_one_address_a_cycle)
{
    const struct fal_logic_config flow = flow_of(128, UINT64_C(100000000000));
    struct world *w =
        begin(fal_logic_of("roce-gbn-dcqcn"), &flow, FLOWS_MAX, FAL_LOGIC_ENGINE_SOUND);
    uint64_t least = UINT64_MAX, most = 0;
    const unsigned cycles = 6 * FLOWS_MAX;

    w->rtt = 400;
    for (uint32_t i = 0; i < FLOWS_MAX; i++)
        for (unsigned k = 0; k < 10; k++)
            w->failed |= !fal_logic_engine_post(w->engine, i, 128);
    for (unsigned i = 0; i < cycles; i++)
        step(w, 128);
    held(w);
    ck_assert_uint_ge(w->bytes, UINT64_C(128) * (cycles - 10));
    for (unsigned i = 0; i < FLOWS_MAX; i++) {
        least = w->transmitted[i] < least ? w->transmitted[i] : least;
        most = w->transmitted[i] > most ? w->transmitted[i] : most;
    }
    ck_assert_uint_le(most - least, 2 * 128); /* round robin */
    end(w);
}
END_TEST

START_TEST(an_address_passes_within_a_tenth_of_a_microsecond)
{
    const struct fal_logic_config flow = flow_of(128, UINT64_C(100000000000));
    struct world *w = begin(fal_logic_of("tcp-newreno"), &flow, 1, FAL_LOGIC_ENGINE_SOUND);

    for (unsigned i = 0; i < 100; i++)
        step(w, 128);
    held(w);
    ck_assert_uint_gt(w->bytes, 0);
    ck_assert_uint_le(w->longest, w->setup.latency_cycles);
    end(w);
}
END_TEST

START_TEST(a_timeout_in_the_cycle_of_an_acknowledgement_is_dropped)
{
    struct fal_logic_config flow = flow_of(128, UINT64_C(100000000000));
    struct world *w;

    flow.initial_window = 1;
    flow.rto_min_ns = 1000; /* as long as a round trip of 100 cycles */
    w = begin(fal_logic_of("tcp-newreno"), &flow, 1, FAL_LOGIC_ENGINE_SOUND);
    w->rtt = 100;
    for (unsigned i = 0; i < 150; i++)
        step(w, 128);
    held(w);
    ck_assert_uint_gt(w->dropped, 0);
    ck_assert_uint_eq(fal_logic_engine_flow(w->engine, 0)->flow.timeouts, 0);
    end(w);
}
END_TEST

/* The error of a flow's rate over `cycles`, in parts of a million. */
static uint64_t rate_error(uint64_t bps, uint64_t cycles, enum fal_logic_engine_fault fault)
{
    const struct fal_logic_config flow = flow_of(125, bps);
    struct world *w = begin(fal_logic_of("irn"), &flow, 1, fault);
    uint64_t due = bps / 100000 * cycles / 8000, off;

    w->rtt = 2;
    for (uint64_t i = 0; i < cycles; i++)
        step(w, 125);
    held(w);
    /* A full burst is there at the start, and the first cycles fill the pipeline. */
    w->bytes -= 4 * 125;
    off = w->bytes > due ? w->bytes - due : due - w->bytes;
    off = off > 4 * 125 ? off - 4 * 125 : 0;
    end(w);
    return off * 1000000 / due;
}

START_TEST(rates_are_kept_from_slow_to_fast)
{
    static const struct {
        uint64_t bps, cycles;
    } rates[] = {{1000000, 10000000},
                 {10000000, 2000000},
                 {999000000, 40000},
                 {UINT64_C(12345000000), 40000},
                 {UINT64_C(40000000000), 20000},
                 {UINT64_C(100000000000), 20000}};

    for (unsigned i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct fal_logic_rate rate = fal_logic_rate_of(rates[i].bps, 10, false);
        /* as bits a second again: within 100 ppm */
        double back = (double)rate.bytes * 8e8 / (double)(UINT64_C(1) << rate.shift);

        ck_assert_double_ge(back, (double)rates[i].bps * 0.9999);
        ck_assert_double_le(back, (double)rates[i].bps);
        if (rates[i].cycles <= 40000)
            ck_assert_uint_le(rate_error(rates[i].bps, rates[i].cycles, FAL_LOGIC_ENGINE_SOUND),
                              100);
    }
    ck_assert_uint_gt(rate_error(UINT64_C(12345000000), 20000, FAL_LOGIC_RATE_COARSE), 10000);
}
END_TEST

/* ---- random programs ---- */

/* A program is a list of operations that both functions take from the flow's user bytes. */
struct program {
    uint64_t seed, state;
};

static void operate(struct fal_logic_flow *flow, const struct fal_logic_in *in, unsigned first)
{
    struct program *p = (struct program *)(void *)flow->user;
    uint64_t *words = (uint64_t *)(void *)flow->user;
    struct fal_rng rng = fal_rng_split(p->seed, in->now_ns + first);

    for (unsigned n = 0; n < 4; n++) {
        uint32_t span = fal_logic_span(flow) + 1;
        uint32_t at = flow->wnd_start + (uint32_t)fal_rng_below(&rng, span);

        switch (fal_rng_below(&rng, 8)) {
        case 0: flow->wnd = 1 + (uint32_t)fal_rng_below(&rng, 300); break;
        case 1: fal_logic_mark(flow, at, at + (uint32_t)fal_rng_below(&rng, 5)); break;
        case 2: fal_logic_timer(flow, in->now_ns); break;
        case 3: flow->tick_ns = in->now_ns + 10 * fal_rng_below(&rng, 50); break;
        case 4: flow->rto_ns = 500 + fal_rng_below(&rng, 2000); break;
        case 5: flow->tokens += (uint32_t)fal_rng_below(&rng, 3); break;
        case 6: flow->rate_bps = 1000000 + fal_rng_below(&rng, UINT64_C(100000000000)); break;
        default: words[2 + at % 54] += fal_rng_next(&rng); break;
        }
    }
}

static void program_init(struct fal_logic_flow *flow)
{
    (void)flow;
}

static void program_incoming(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    operate(flow, in, 1);
}

static void program_periodic(struct fal_logic_flow *flow, const struct fal_logic_in *in)
{
    operate(flow, in, 2);
    if (in->kind == FAL_LOGIC_TIMEOUT)
        fal_logic_timeout(flow, in->now_ns);
}

/* Of K11 to K14 that rule is broken; FAL_K_RULES: none is. A fault may break others too. */
static void judged(struct world *w, enum fal_k_rule broken, uint64_t seed)
{
    fal_en_judge_end(w->judge);
    for (unsigned k = FAL_K11; k <= FAL_K14; k++)
        ck_assert_msg(broken != FAL_K_RULES ? k != broken || w->rows[k].broken > 0
                                            : w->rows[k].broken == 0,
                      "%s: %s; %s", w->tally.rules[k].id,
                      w->rows[k].broken > 0 ? w->rows[k].findings[0].what : "not broken",
                      test_again(seed));
}

static void random_program(uint64_t seed, unsigned cycles, struct world *sum)
{
    struct fal_rng rng = fal_rng_split(seed, 5);
    uint32_t segment = 1 + (uint32_t)fal_rng_below(&rng, 1000);
    uint64_t rate_bps = 1000000000 + fal_rng_below(&rng, 99000000000);
    struct fal_logic_config flow = flow_of(segment, rate_bps);
    struct fal_logic program = {.abi = FAL_LOGIC_ABI,
                                .flow_bytes = sizeof(struct fal_logic_flow),
                                .name = "random",
                                .user_bytes = FAL_LOGIC_USER,
                                .init = program_init,
                                .incoming = program_incoming,
                                .periodic = program_periodic};
    struct world *w;

    program.credit = (enum fal_logic_credit)fal_rng_below(&rng, 3);
    program.selective = fal_rng_below(&rng, 2) == 0;
    w = begin_with(true, &program, &flow, 1 + (uint32_t)fal_rng_below(&rng, 4),
                   FAL_LOGIC_ENGINE_SOUND);
    w->rng = rng;
    w->rtt = 1 + (unsigned)fal_rng_below(&rng, 60);
    w->loss_ppm = 100000;
    for (unsigned i = 0; i < cycles; i++)
        step(w, flow.segment_bytes);
    ck_assert_msg(w->k7 + w->k11 + w->k12 + w->k13 == 0, "K7 %u, K11 %u, K12 %u, K13 %u; %s",
                  w->k7, w->k11, w->k12, w->k13, test_again(seed));
    judged(w, FAL_K_RULES, seed);
    sum->merges += w->merges;
    sum->bytes += w->bytes;
    end(w);
}

START_TEST(random_programs_keep_the_rules)
{
    static struct world sum;
    uint64_t seed = test_seed(1);

    /* One in a hundred of 10,000 programs; TALON_TIMES=100 plays all. */
    for (unsigned long i = 0; i < test_rounds(100); i++)
        random_program(seed + i, 400, &sum);
    ck_assert_uint_gt(sum.merges, 0);
    ck_assert_uint_gt(sum.bytes, 0);
}
END_TEST

/* By the observer of this test, and by the rule that the table of faults names. */
START_TEST(each_fault_is_seen)
{
    size_t n;
    const struct fal_logic_engine_fault_row *rows = fal_logic_engine_faults(&n);
    const struct fal_logic_config flow = flow_of(128, UINT64_C(12345000000));

    for (size_t i = 0; i < n; i++) {
        struct world *w =
            begin_with(true, fal_logic_of("roce-gbn-dcqcn"), &flow, 1, rows[i].fault);
        unsigned rule = FAL_K11;

        w->rtt = 100;
        for (unsigned k = 0; k < 6000; k++)
            step(w, 128);
        while (strcmp(w->tally.rules[rule].id, rows[i].rule) != 0)
            rule++;
        judged(w, (enum fal_k_rule)rule, 0);
        ck_assert_msg(rule != FAL_K11 || w->k11 > 0, "%s", rows[i].id);
        ck_assert_msg(rule != FAL_K12 || w->k12 > 0, "%s", rows[i].id);
        end(w);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *tc = tcase_create("engine");

    tcase_add_test(tc, one_flow_of_small_segments_fills_the_link);
    tcase_add_test(tc, two_thousand_flows_share_the_link_one_address_a_cycle);
    tcase_add_test(tc, an_address_passes_within_a_tenth_of_a_microsecond);
    tcase_add_test(tc, a_timeout_in_the_cycle_of_an_acknowledgement_is_dropped);
    tcase_add_test(tc, rates_are_kept_from_slow_to_fast);
    tcase_add_test(tc, random_programs_keep_the_rules);
    tcase_add_test(tc, each_fault_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}
