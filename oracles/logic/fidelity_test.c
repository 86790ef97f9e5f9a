/* SPDX-License-Identifier: Apache-2.0
 * fidelity_test.c - the logics beside senders of another hand and beside closed forms. */
#include "oracles/logic/bench.h"
#include "oracles/logic/dcqcn_testing.h"
#include "oracles/logic/newreno_testing.h"
#include "oracles/logic/setup.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- DCQCN ---- */

START_TEST(one_cnp_gives_the_closed_form)
{
    uint64_t seed = test_seed(1);

    for (unsigned i = 0; i < 100; i++) {
        struct fal_rng rng = fal_rng_split(seed + i, 9);
        struct fal_logic_setup setup;
        struct fal_logic_sender s;
        struct fal_dcqcn *p = &setup.flow.dcqcn;
        double share;

        fal_logic_setup_init(&setup, fal_logic_of("roce-gbn-dcqcn"));
        setup.flow.line_rate_bps = 1000000000 + fal_rng_below(&rng, UINT64_C(399000000000));
        p->alpha_start_1024 = (uint32_t)fal_rng_below(&rng, 1025);
        p->g_1024 = (uint32_t)fal_rng_below(&rng, 1025);
        p->gd = 10 + (uint32_t)fal_rng_below(&rng, 6);
        p->max_cut_percent = 1 + (uint32_t)fal_rng_below(&rng, 99);
        p->alpha_at_cnp = fal_rng_below(&rng, 2) == 0;
        p->clamp_target = fal_rng_below(&rng, 2) == 0;
        share = p->alpha_start_1024 / 1024.0 / (double)(1U << (p->gd - 10));
        if (share > p->max_cut_percent / 100.0)
            share = p->max_cut_percent / 100.0;
        fal_logic_sender_init(&s, setup.logic, &setup.flow, 0, 0);
        fal_logic_sender_feedback(&s, &(struct fal_logic_reply){.cnp = true}, 1000);
        ck_assert_msg(
            fabs((double)s.flow.rate_bps - (double)setup.flow.line_rate_bps * (1 - share)) <=
                1e-6 * (double)setup.flow.line_rate_bps * (1 - share) + 1,
            "rate %lu; %s", (unsigned long)s.flow.rate_bps, test_again(seed + i));
    }
}
END_TEST

enum { QUANTUM_NS = 10, SEGMENT = 1000, SENDS_MAX = 20000 };

/* The kit's sends, and the other's, in the same scene: CNPs at given times. */
struct sends {
    uint64_t at_ns[SENDS_MAX];
    unsigned n;
};

static void kit_sends(struct fal_logic_sender *s, const uint64_t *cnps, unsigned num_cnps,
                      uint64_t end_ns, struct sends *out)
{
    struct fal_logic_packet packet;
    uint64_t at_ns, free_ns = 0;
    uint32_t id;

    for (uint64_t now = 0; now < end_ns && out->n < SENDS_MAX; now += QUANTUM_NS) {
        while (num_cnps > 0 && *cnps <= now) {
            fal_logic_sender_feedback(s, &(struct fal_logic_reply){.cnp = true}, now);
            cnps++;
            num_cnps--;
        }
        (void)fal_logic_sender_timers(s, now);
        (void)fal_logic_sender_post(s, SEGMENT);
        if (now < free_ns || fal_logic_sender_next(s, now, &id, &at_ns) != FAL_LOGIC_GO)
            continue;
        fal_logic_sender_send(s, id, now, &packet);
        (void)fal_logic_sender_timers(s, now); /* the byte counter */
        /* All is acknowledged at once: only the rate decides. */
        fal_logic_sender_feedback(s, &(struct fal_logic_reply){.has_cum = true, .cum = id + 1},
                                  now);
        free_ns = now + SEGMENT * UINT64_C(8000000000) / s->config.line_rate_bps;
        out->at_ns[out->n++] = now;
    }
}

static void other_sends(const struct fal_dcqcn *p, const uint64_t *cnps, unsigned num_cnps,
                        uint64_t end_ns, uint32_t burst, struct sends *out)
{
    struct dcqcn_end e;
    double credit = burst; /* bytes */
    uint64_t free_ns = 0;

    dcqcn_begin(&e, p);
    for (uint64_t now = 0; now < end_ns && out->n < SENDS_MAX; now += QUANTUM_NS) {
        if (now > 0) {
            credit += e.rc * QUANTUM_NS / 8e9;
            credit = credit > burst ? burst : credit;
            dcqcn_pass(&e, QUANTUM_NS);
        }
        for (; num_cnps > 0 && *cnps <= now; num_cnps--, cnps++)
            dcqcn_cnp(&e);
        if (now < free_ns || credit + 1e-6 < SEGMENT)
            continue;
        credit -= SEGMENT;
        dcqcn_bytes(&e, SEGMENT);
        free_ns = now + (uint64_t)(SEGMENT * 8e9 / (double)p->line_rate_bps);
        out->at_ns[out->n++] = now;
    }
}

START_TEST(a_dcqcn_sender_of_another_hand_sends_at_the_same_times)
{
    static const uint64_t end_ns = 4000000;
    static struct sends kit, other;
    uint64_t seed = test_seed(1), cnps[16], at = 0, worst = 0;
    struct fal_rng rng = fal_rng_split(seed, 3);
    struct fal_logic_setup setup;
    struct fal_logic_sender s;

    fal_logic_setup_init(&setup, fal_logic_of("roce-gbn-dcqcn"));
    setup.flow.dcqcn.line_rate_bps = setup.flow.line_rate_bps;
    setup.flow.dcqcn.byte_counter = 1000000;
    for (unsigned i = 0; i < 16; i++)
        cnps[i] = at += 50000 + 10 * fal_rng_below(&rng, 20000);
    fal_logic_sender_init(&s, setup.logic, &setup.flow, 0, 0);
    kit_sends(&s, cnps, 16, end_ns, &kit);
    other_sends(&setup.flow.dcqcn, cnps, 16, end_ns, setup.flow.burst_bytes, &other);
    ck_assert_uint_gt(kit.n, 1000); /* by the seed, 3,000 to 5,000 */
    ck_assert_uint_le(kit.n > other.n ? kit.n - other.n : other.n - kit.n, 1);
    for (unsigned i = 0; i < kit.n && i < other.n; i++) {
        uint64_t off = kit.at_ns[i] > other.at_ns[i] ? kit.at_ns[i] - other.at_ns[i]
                                                     : other.at_ns[i] - kit.at_ns[i];

        worst = off > worst ? off : worst;
    }
    ck_assert_msg(worst <= QUANTUM_NS, "%lu ns apart; %s", (unsigned long)worst,
                  test_again(seed));
}
END_TEST

/* The switch marks from one queue length on, so that marks are not random. */
static const struct fal_logic_net sure_marks = {
    .kmin_bytes = 100000, .kmax_bytes = 100001, .pmax_ppm = 1000000};
static const struct fal_logic_net paper_marks = {
    .kmin_bytes = 5000, .kmax_bytes = 200000, .pmax_ppm = 10000};

/* Flows of two hosts share a link of 40 Gb/s without loss; round trip 4 us, 1,000 bytes.
 * Returns how far the worst is from the mean, as a part of it. */
static double worst_share(uint32_t flows, uint64_t end_ns, const struct fal_logic_net *marks,
                          uint64_t seed)
{
    struct fal_logic_bench_config config = {.flows = flows,
                                            .hosts = 2,
                                            .bytes = UINT64_MAX,
                                            .stream = true,
                                            .seed = seed,
                                            .end_ns = end_ns,
                                            .net = {.delay_ns = 2000,
                                                    .link_bps = UINT64_C(40000000000),
                                                    .queue_bytes = 1000000,
                                                    .pause_bytes = 150000,
                                                    .kmin_bytes = marks->kmin_bytes,
                                                    .kmax_bytes = marks->kmax_bytes,
                                                    .pmax_ppm = marks->pmax_ppm}};
    struct fal_logic_bench *bench;
    struct fal_logic_setup setup;
    double mean = 0, worst = 0;

    fal_logic_setup_init(&setup, fal_logic_of("roce-gbn-dcqcn"));
    config.logic = setup.logic;
    config.flow = setup.flow;
    config.receiver = setup.receiver;
    bench = fal_logic_bench_new(&config);
    ck_assert_ptr_nonnull(bench);
    ck_assert_int_eq(fal_logic_bench_run(bench), 0);
    for (uint32_t i = 0; i < flows; i++)
        mean += (double)fal_logic_bench_count(bench, i)->bytes / flows;
    for (uint32_t i = 0; i < flows; i++)
        worst = fmax(worst, fabs((double)fal_logic_bench_count(bench, i)->bytes - mean) / mean);
    fal_logic_bench_free(bench);
    return worst;
}

START_TEST(dcqcn_senders_have_equal_shares)
{
    uint64_t seed = test_seed(1);

    /* Two senders whose CNPs come at the same moments are equal at once. Random marks bring
     * each of them about ten CNPs in 20 ms, at different moments: up to a third apart (seed 2),
     * for 200 ms 3 %, for 1 s, as long as [S1 6.2] measures, less than 1 %. The marks of many
     * flows even out at once. */
    ck_assert_double_le(worst_share(2, 20000000, &sure_marks, seed), 0.0001);
    ck_assert_double_le(worst_share(20, 20000000, &paper_marks, seed), 0.01);
    if (test_rounds(1) >= 5) {
        ck_assert_double_le(worst_share(2, 1000000000, &paper_marks, seed), 0.01);
        ck_assert_double_le(worst_share(200, 1000000000, &paper_marks, seed), 0.001);
    }
}
END_TEST

/* ---- NewReno ---- */

/* A path of 10 Gb/s with a round trip of 10 us, a receiver that acknowledges every second
 * segment, and losses of chosen transmissions. Both senders run on it. */
enum { PATH_NS = 5000, SERIAL_NS = 800, IN_FLIGHT = 4096, TRACE_MAX = 60000 };

struct path {
    struct {
        uint64_t at_ns, value, sent_ns;
        bool ack;
    } queue[IN_FLIGHT]; /* in the order of time: both ways take as long */
    unsigned head, num;
    uint64_t cum, delayed_ns, echo_ns; /* of the receiver, in segments; 0: no delayed ACK */
    bool got[8192];
    uint64_t sends, loss_ppm;
    struct fal_rng rng;
    uint64_t window[TRACE_MAX]; /* in segments, after each ACK */
    unsigned n;
};

static void put(struct path *p, uint64_t at_ns, uint64_t value, uint64_t sent_ns, bool ack)
{
    unsigned at = p->head + p->num++;

    /* ACKs and segments are in one queue: keep it sorted. */
    for (; at > p->head && p->queue[(at - 1) % IN_FLIGHT].at_ns > at_ns; at--)
        p->queue[at % IN_FLIGHT] = p->queue[(at - 1) % IN_FLIGHT];
    p->queue[at % IN_FLIGHT].at_ns = at_ns;
    p->queue[at % IN_FLIGHT].value = value;
    p->queue[at % IN_FLIGHT].sent_ns = sent_ns;
    p->queue[at % IN_FLIGHT].ack = ack;
}

static void path_send(struct path *p, uint64_t segment, uint64_t now_ns)
{
    p->sends++;
    if (fal_rng_below(&p->rng, 1000000) >= p->loss_ppm)
        put(p, now_ns + SERIAL_NS + PATH_NS, segment, now_ns, false);
}

static void acknowledge(struct path *p, uint64_t now_ns)
{
    put(p, now_ns + PATH_NS, p->cum, p->echo_ns, true);
    p->delayed_ns = p->echo_ns = 0;
}

static void path_arrive(struct path *p, uint64_t segment, uint64_t sent_ns, uint64_t now_ns)
{
    bool expected = segment == p->cum, gap;

    if (p->echo_ns == 0)
        p->echo_ns = sent_ns;
    p->got[segment] = true;
    while (p->got[p->cum])
        p->cum++;
    gap = expected && p->cum != segment + 1;
    if (expected && !gap && p->delayed_ns == 0)
        p->delayed_ns = now_ns + 100000;
    else
        acknowledge(p, now_ns);
}

/* Both senders behind the same functions. */
struct either {
    bool kit;
    struct fal_logic_sender s;
    struct reno_end e;
};

static uint64_t window_of(const struct either *x)
{
    return x->kit ? x->s.flow.wnd : x->e.cwnd / x->e.smss;
}

static void take_ack(struct either *x, uint64_t cum, uint64_t echo_ns, uint64_t now_ns)
{
    const struct fal_logic_reply reply = {
        .has_cum = true, .cum = (uint32_t)cum, .echo_ns = echo_ns};

    if (x->kit)
        fal_logic_sender_feedback(&x->s, &reply, now_ns);
    else
        reno_ack(&x->e, cum * x->e.smss, echo_ns != 0 ? (double)(now_ns - echo_ns) : 0, now_ns);
}

static bool next_segment(struct either *x, uint64_t now_ns, uint64_t *segment)
{
    struct fal_logic_packet packet;
    uint64_t from, at_ns;
    uint32_t id;

    if (x->kit) {
        while (x->s.posted < x->e.total / SEGMENT && fal_logic_sender_post(&x->s, SEGMENT)) {
        }
        if (fal_logic_sender_next(&x->s, now_ns, &id, &at_ns) != FAL_LOGIC_GO)
            return false;
        fal_logic_sender_send(&x->s, id, now_ns, &packet);
        *segment = id;
        return true;
    }
    from = reno_next(&x->e);
    if (from == UINT64_MAX)
        return false;
    reno_sent(&x->e, from, now_ns);
    *segment = from / SEGMENT;
    return true;
}

static void expire(struct either *x, uint64_t now_ns)
{
    if (x->kit)
        (void)fal_logic_sender_timers(&x->s, now_ns);
    else if (x->e.timer != 0 && x->e.timer <= now_ns)
        reno_timeout(&x->e, now_ns);
}

static uint64_t deadline(const struct either *x)
{
    if (x->kit)
        return fal_logic_sender_deadline(&x->s);
    return x->e.timer != 0 ? x->e.timer : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Plays the transfer; the windows after each ACK are in p->window. Returns when it ends. */
static uint64_t play(struct either *x, struct path *p)
{
    uint64_t now = 0, free_ns = 0, segments = x->e.total / SEGMENT, segment;

    while (p->n < TRACE_MAX) {
        uint64_t next = UINT64_MAX;

        while (now >= free_ns && next_segment(x, now, &segment)) {
            path_send(p, segment, now);
            free_ns = now + SERIAL_NS;
        }
        if (now < free_ns)
            next = free_ns;
        if (p->num > 0)
            next = least(next, p->queue[p->head % IN_FLIGHT].at_ns);
        if (p->delayed_ns != 0)
            next = least(next, p->delayed_ns);
        next = least(next, deadline(x));
        if (next == UINT64_MAX)
            return now;
        now = next > now ? next : now;
        if (p->delayed_ns != 0 && p->delayed_ns <= now)
            acknowledge(p, now);
        while (p->num > 0 && p->queue[p->head % IN_FLIGHT].at_ns <= now) {
            unsigned at = p->head++ % IN_FLIGHT;

            p->num--;
            if (!p->queue[at].ack) {
                path_arrive(p, p->queue[at].value, p->queue[at].sent_ns, now);
                continue;
            }
            take_ack(x, p->queue[at].value, p->queue[at].sent_ns, now);
            p->window[p->n++] = window_of(x);
            if (p->queue[at].value == segments)
                return now;
        }
        expire(x, now);
    }
    return now;
}

static uint64_t newreno(bool kit, uint64_t seed, uint32_t loss_ppm, struct path *p)
{
    struct fal_logic_setup setup;
    static struct either x;

    *p = (struct path){.loss_ppm = loss_ppm, .rng = fal_rng_split(seed, 11)};
    x = (struct either){.kit = kit};
    fal_logic_setup_init(&setup, fal_logic_of("tcp-newreno"));
    setup.flow.rto_min_ns = 200000000;
    setup.flow.rto_max_ns = UINT64_C(64000000000);
    setup.flow.line_rate_bps = UINT64_C(10000000000);
    reno_begin(&x.e, SEGMENT, 5500 * SEGMENT, setup.flow.initial_window * SEGMENT,
               setup.flow.max_window * SEGMENT, setup.flow.rto_min_ns);
    fal_logic_sender_init(&x.s, setup.logic, &setup.flow, 0, 0);
    return play(&x, p);
}

/* 10 Gb/s, round trip 10 us, 5.5 MB, 1,000 bytes, least RTO 200 ms, delayed ACKs [S1 6.2]. */
START_TEST(a_newreno_sender_of_another_hand_has_the_same_window)
{
    static struct path kit, other;
    uint64_t seed = test_seed(1), losses = 0;

    for (unsigned long i = 0; i < test_rounds(12); i++) {
        uint32_t ppm = (uint32_t)(3 - i % 4) * 2000; /* losses in the first round, too */
        uint64_t a = newreno(true, seed + i, ppm, &kit);
        uint64_t b = newreno(false, seed + i, ppm, &other);

        ck_assert_msg(kit.n == other.n && a == b, "%u and %u ACKs, %lu and %lu ns; %s", kit.n,
                      other.n, (unsigned long)a, (unsigned long)b, test_again(seed + i));
        for (unsigned k = 0; k < kit.n; k++)
            ck_assert_msg(kit.window[k] == other.window[k], "ACK %u: %lu and %lu segments; %s",
                          k, (unsigned long)kit.window[k], (unsigned long)other.window[k],
                          test_again(seed + i));
        losses += kit.sends - 5500;
    }
    ck_assert_uint_gt(losses, 0);
}
END_TEST

/* The mean window in segments: throughput times round trip. Returns false after a timeout. */
static bool mean_window(uint64_t seed, uint32_t loss_ppm, double *window)
{
    static const uint64_t round_trip_ns = 400000;
    struct fal_logic_bench_config config = {
        .flows = 1,
        .bytes = UINT64_MAX,
        .stream = true,
        .seed = seed,
        .net = {.loss_ppm = loss_ppm, .delay_ns = round_trip_ns / 2}};
    struct fal_logic_setup setup;
    struct fal_logic_bench *bench;
    bool timeouts;

    fal_logic_setup_init(&setup, fal_logic_of("tcp-newreno"));
    fal_logic_variant_of("window-256")->apply(&setup);
    config.logic = setup.logic;
    config.flow = setup.flow;
    config.receiver = setup.receiver;
    /* 100 losses and more */
    config.end_ns = round_trip_ns * (uint64_t)(100 / (sqrt(loss_ppm / 1e6) * 1.22));
    bench = fal_logic_bench_new(&config);
    ck_assert_ptr_nonnull(bench);
    ck_assert_int_eq(fal_logic_bench_run(bench), 0);
    timeouts = fal_logic_bench_count(bench, 0)->timeouts > 0;
    *window = (double)fal_logic_bench_count(bench, 0)->delivered * (double)round_trip_ns /
              (double)config.end_ns;
    fal_logic_bench_free(bench);
    return !timeouts;
}

/* The mean of eight runs: that of one run of a hundred losses has a deviation of 6 %, and
 * losses at random, not at equal distances, raise the mean by 7 %. */
enum { LOSS_RUNS = 8 };

START_TEST(newreno_follows_the_square_root_of_loss)
{
    static const uint32_t losses[] = {3000, 1000, 10000, 300, 100};
    unsigned long rounds = test_rounds(1); /* all of them with TALON_TIMES=5 */
    uint64_t seed = test_seed(1);

    for (unsigned i = 0; i < sizeof losses / sizeof *losses && i < rounds; i++) {
        double due = 1.22 / sqrt(losses[i] / 1e6), sum = 0, window;
        unsigned n = 0;

        for (unsigned k = 0; k < 60 && n < LOSS_RUNS; k++)
            if (mean_window(seed + k, losses[i], &window)) {
                sum += window;
                n++;
            }
        ck_assert_msg(n > 0, "%u ppm: each run has a timeout", losses[i]);
        ck_assert_msg(fabs(sum / n - due) <= 0.15 * due,
                      "%u ppm: %.1f segments, expected %.1f; %s", losses[i], sum / n, due,
                      test_again(seed));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fidelity");
    TCase *tc = tcase_create("fidelity");

    tcase_add_test(tc, one_cnp_gives_the_closed_form);
    tcase_add_test(tc, a_dcqcn_sender_of_another_hand_sends_at_the_same_times);
    tcase_add_test(tc, dcqcn_senders_have_equal_shares);
    tcase_add_test(tc, a_newreno_sender_of_another_hand_has_the_same_window);
    tcase_add_test(tc, newreno_follows_the_square_root_of_loss);
    suite_add_tcase(suite, tc);
    return suite;
}
