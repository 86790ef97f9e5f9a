/* SPDX-License-Identifier: Apache-2.0
 * faults_traffic_test.c - each fault at work in traffic of all kinds, both ends being initiator
 * and target at once: it acts, the endpoint stays sound, everything comes to its end, and plain
 * traffic flows. What a fault cannot help but break is said in a table. */
#include "oracles/endpoint/bench_pair.h"
#include "oracles/rng.h"
#include "tests/testing.h"

enum { POSTS = 60, LATE_MAX = 256, STEPS_MAX = 400000, FAULTY = 1 };

/* ---- what faults cannot help ---- */

enum {
    HARMS = 1,     /* transactions of plain traffic end in error */
    MISCOUNTS = 2, /* not every transaction completes exactly once */
    RUNS_ON = 4,   /* something goes on for ever */
    ELSEWHERE = 8, /* needs more than two plain endpoints: its own test shows it */
};

static const struct {
    enum fal_fault_id fault;
    unsigned what;
    const char *why;
} exceptions[] = {
    {FAL_FAULT_PSN_SKIPPED, HARMS, "the gap is never filled, and the window stops there"},
    {FAL_FAULT_HEADER_FIELD_SHIFTED, HARMS, "any field may be hit"},
    {FAL_FAULT_HEADER_FIELD_CORRUPTED, HARMS, "any field may be hit"},
    {FAL_FAULT_RETRANSMIT_UNGATED, ELSEWHERE, "takes a window that shrinks"},
    {FAL_FAULT_ACK_BEYOND_SENT_TAKEN, ELSEWHERE, "takes a peer that lies"},
    {FAL_FAULT_COMPLETION_DOUBLED, MISCOUNTS, "that is what it does"},
    {FAL_FAULT_CONNECTIONS_STARVED, ELSEWHERE, "takes many connections on a narrow way out"},
    {FAL_FAULT_RESOURCES_LEAKED, ELSEWHERE, "takes limits"},
    {FAL_FAULT_LIMITS_IGNORED, ELSEWHERE, "takes limits"},
    {FAL_FAULT_HEAD_OF_LINE_REFUSED, ELSEWHERE, "takes limits"},
    {FAL_FAULT_RSN_SKIPPED, HARMS, "an ordered target waits for that RSN for ever"},
    {FAL_FAULT_PULL_RSN_REPEATED, HARMS, "its response does not find it"},
    {FAL_FAULT_PULL_DATA_WRONG_RSN, HARMS, "they answer another pull"},
    {FAL_FAULT_COMPLETION_LOST, HARMS | MISCOUNTS, "that is what it does"},
    {FAL_FAULT_TRANSACTION_NEVER_TIMES_OUT, MISCOUNTS, "what never ends never completes"},
    {FAL_FAULT_DEAD_CONNECTION_SILENT, ELSEWHERE, "takes a post on a dead connection"},
    {FAL_FAULT_PULL_DATA_UNMATCHED_DELIVERED, MISCOUNTS, "that is what it does"},
    {FAL_FAULT_PULL_DATA_LONG_DELIVERED, ELSEWHERE, "takes a peer that answers too much"},
    {FAL_FAULT_REMOTE_XLR_COMPLETES_AS_CIE, ELSEWHERE, "takes a drop filter"},
};

static bool excused(int fault, unsigned what)
{
    if (what == ELSEWHERE && fault >= FAL_FAULT_INTEGRITY_UNCHECKED &&
        fault <= FAL_FAULT_PATH_NEVER_CHANGED)
        return true;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if ((int)exceptions[i].fault == fault)
            return (exceptions[i].what & what) != 0;
    return false;
}

/* ---- traffic ---- */

/* A kind of traffic. Percentages are of the ULP's answers. */
struct storm {
    const char *name;
    struct fal_impairment wire;
    unsigned burst; /* posts at a time */
    unsigned refused_percent, late_percent, never_percent;
    uint32_t tx_window, max_attempts;
    uint32_t gate;         /* fcwnd, and one more than ncwnd */
    uint32_t before_wrap;  /* sequence numbers begin so far before 2^32; 0: elsewhere */
    bool unordered, twins; /* both ends draw some */
};

static const struct storm storms[] = {
    {.name = "plain", .wire = {.latency_ns = 5000}, .burst = 1},
    {.name = "rough ULPs",
     .wire = {.latency_ns = 5000},
     .burst = 3,
     .refused_percent = 25,
     .late_percent = 30},
    {.name = "rough network",
     .wire = {.latency_ns = 3000,
              .jitter_ns = 8000,
              .loss_ppm = 100000,
              .duplicate_ppm = 100000,
              .reorder_ppm = 100000,
              .reorder_ns = 100000},
     .burst = 2,
     .refused_percent = 25},
    {.name = "bursts beyond the windows",
     .wire = {.latency_ns = 20000, .loss_ppm = 20000},
     .burst = 400,
     .refused_percent = 3,
     .late_percent = 80,
     .tx_window = 1024},
    {.name = "wrap-around, unordered",
     .wire = {.latency_ns = 3000, .jitter_ns = 20000, .loss_ppm = 30000},
     .burst = 8,
     .refused_percent = 10,
     .late_percent = 20,
     .before_wrap = 30,
     .unordered = true},
    {.name = "losses to the end of patience",
     .wire = {.latency_ns = 3000, .loss_ppm = 450000},
     .burst = 4,
     .refused_percent = 20,
     .max_attempts = 2},
    {.name = "twins of all kinds",
     .wire = {.latency_ns = 3000, .jitter_ns = 3000, .loss_ppm = 10000},
     .burst = 30,
     .refused_percent = 10,
     .late_percent = 30,
     .twins = true},
    {.name = "ULPs that never answer",
     .wire = {.latency_ns = 3000, .loss_ppm = 30000},
     .burst = 4,
     .late_percent = 20,
     .never_percent = 10},
    {.name = "narrow gates",
     .wire = {.latency_ns = 20000, .loss_ppm = 50000},
     .burst = 20,
     .late_percent = 20,
     .never_percent = 5,
     .max_attempts = 100,
     .gate = 4},
    {.name = "a transmit window narrower than the gates",
     .wire = {.latency_ns = 20000, .loss_ppm = 20000},
     .burst = 20,
     .tx_window = 3,
     .gate = 20},
};

enum { STORMS = sizeof storms / sizeof *storms };

struct late {
    uint64_t at_ns;
    unsigned side;
    struct fal_endpoint_in in;
};

struct traffic {
    struct pair pair;
    const struct storm *storm;
    struct fal_rng rng;
    unsigned posted[2], completed[2], good[2];
    struct late late[LATE_MAX];
    size_t num_late;
    uint64_t acts;
    bool runs_on;
};

static bool chance(struct traffic *traffic, unsigned percent)
{
    return fal_rng_below(&traffic->rng, 100) < percent;
}

static struct fal_endpoint_in answer_to(struct traffic *traffic,
                                        const struct fal_endpoint_out *out)
{
    static const enum fal_answer refusals[] = {FAL_ANSWER_RNR, FAL_ANSWER_CIE, FAL_ANSWER_NRE,
                                               FAL_ANSWER_CID};
    static const uint8_t data[64];
    struct fal_endpoint_in in = {.rsn = out->rsn,
                                 .payload = data,
                                 .payload_len = 64,
                                 .length = 64,
                                 .code = 3,
                                 .rnr_ns = 50000};

    in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (chance(traffic, traffic->storm->refused_percent))
        in.answer = refusals[fal_rng_below(&traffic->rng, 4)];
    return in;
}

/* Answers that are refused were given to what a fault delivered, and nobody waits for. */
static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct traffic *traffic = pair->ctx;

    if (out->kind == FAL_OUT_COMPLETE) {
        traffic->completed[side]++;
        traffic->good[side] += out->code == FAL_CMPL_ACK;
    }
    if (out->kind != FAL_OUT_REQUEST || chance(traffic, traffic->storm->never_percent))
        return;
    if (!chance(traffic, traffic->storm->late_percent) || traffic->num_late == LATE_MAX)
        (void)pair_respond(pair, side, answer_to(traffic, out));
    else
        traffic->late[traffic->num_late++] =
            (struct late){.at_ns = pair->now_ns + fal_rng_below(&traffic->rng, 60000),
                          .side = side,
                          .in = answer_to(traffic, out)};
}

static const struct pair_ops traffic_ops = {.event = on_event};

static uint64_t next_late(const struct traffic *traffic, size_t *which)
{
    uint64_t first = FAL_NEVER;

    for (size_t i = 0; i < traffic->num_late; i++)
        if (traffic->late[i].at_ns < first) {
            first = traffic->late[i].at_ns;
            *which = i;
        }
    return first;
}

static void answer_late(struct traffic *traffic, size_t which)
{
    struct late late = traffic->late[which];

    traffic->late[which] = traffic->late[--traffic->num_late];
    traffic->pair.now_ns = late.at_ns;
    late.in.kind = FAL_IN_RESPOND;
    (void)pair_input(&traffic->pair, late.side, late.in, NULL);
}

static void run(struct traffic *traffic, uint64_t until_ns)
{
    for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
        size_t which = 0;
        uint64_t late_ns = next_late(traffic, &which), at_ns = pair_deadline(&traffic->pair);

        if (late_ns == FAL_NEVER && at_ns == FAL_NEVER)
            return;
        if (late_ns > until_ns && at_ns > until_ns)
            return;
        if (late_ns < at_ns)
            answer_late(traffic, which);
        else
            pair_at(&traffic->pair, at_ns);
    }
    traffic->runs_on = true;
}

static void set_up(struct traffic *traffic, int fault, uint32_t one_in, uint64_t seed)
{
    const struct storm *storm = traffic->storm;
    const struct fal_impairment both[2] = {storm->wire, storm->wire};
    uint32_t base = 0u - storm->before_wrap, apart = storm->before_wrap > 0 ? 0 : 1000;
    const struct fal_end ends[2] = {{1, 1, base, base + apart, base + 7},
                                    {2, 2, base + 5 * apart, base, base}};

    pair_init(&traffic->pair, &traffic_ops, traffic);
    for (unsigned side = 0; side < 2; side++) {
        struct fal_params *params = &traffic->pair.open[side].params;

        if (storm->twins)
            fal_twins_draw(&traffic->pair.open[side].twins, &traffic->rng);
        params->transaction_timeout_ns = 20 * FAL_MS;
        params->ordered = !storm->unordered;
        if (storm->max_attempts > 0)
            params->max_attempts = storm->max_attempts;
        if (storm->tx_window > 0)
            params->tx_window_req = params->tx_window_data = params->fcwnd = params->ncwnd =
                storm->tx_window;
        if (storm->gate > 0) {
            params->fcwnd = params->ar_threshold = storm->gate;
            params->ncwnd = storm->gate - 1;
        }
    }
    if (fault >= 0)
        fal_fault_add(&traffic->pair.config[FAULTY].faults, (enum fal_fault_id)fault);
    traffic->pair.config[FAULTY].faults.one_in = one_in;
    pair_open(&traffic->pair, ends, both, seed);
}

/* POSTS transactions each way; until all is quiet or dead. */
static void flow(struct traffic *traffic, const struct storm *storm, int fault, uint32_t one_in,
                 uint64_t seed)
{
    static const uint8_t payload[64];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = 64, .payload = payload};

    *traffic = (struct traffic){.storm = storm, .rng = fal_rng_split(seed, 3)};
    set_up(traffic, fault, one_in, seed);
    for (unsigned i = 0; i < (storm->burst > POSTS ? storm->burst : POSTS); i++) {
        for (unsigned side = 0; side < 2; side++) {
            in.op = chance(traffic, 50) ? FAL_OP_PUSH : FAL_OP_PULL;
            traffic->posted[side] += pair_input(&traffic->pair, side, in, NULL) == 0;
        }
        if (i % storm->burst == storm->burst - 1)
            run(traffic, traffic->pair.now_ns + 3000);
    }
    run(traffic, 60 * FAL_S);
    traffic->runs_on |= pair_deadline(&traffic->pair) != FAL_NEVER;
    if (fault >= 0)
        traffic->acts =
            fal_endpoint_fault_acts(traffic->pair.ep[FAULTY], (enum fal_fault_id)fault);
    pair_free(&traffic->pair);
}

static const char *name_of(int fault)
{
    size_t n;

    return fault < 0 ? "no fault" : fal_faults(&n)[fault].name;
}

static void ends_in_peace(const struct traffic *t, int fault, uint64_t seed)
{
    for (unsigned side = 0; side < 2 && !excused(fault, MISCOUNTS); side++)
        ck_assert_msg(t->completed[side] == t->posted[side],
                      "%s, %s, TALON_SEED=%llu: side %u completed %u of %u", name_of(fault),
                      t->storm->name, (unsigned long long)seed, side, t->completed[side],
                      t->posted[side]);
    ck_assert_msg(!t->runs_on || excused(fault, RUNS_ON), "%s, %s, TALON_SEED=%llu: runs on",
                  name_of(fault), t->storm->name, (unsigned long long)seed);
}

/* ---- tests ---- */

START_TEST(plain_traffic_flows_under_every_fault)
{
    static struct traffic t;

    for (int fault = -1; fault < FAL_FAULT_COUNT; fault++)
        for (uint32_t one_in = 1; one_in < 10; one_in += 4) {
            flow(&t, &storms[0], fault, one_in, one_in);
            ends_in_peace(&t, fault, one_in);
            for (unsigned side = 0; side < 2 && !excused(fault, HARMS); side++)
                ck_assert_msg(t.good[side] >= POSTS, "%s, one in %u: %u of %d well",
                              name_of(fault), one_in, t.good[side], POSTS);
        }
}
END_TEST

START_TEST(every_fault_acts_and_ends_in_peace_in_every_storm)
{
    unsigned long seeds = test_rounds(3);
    uint64_t first = test_seed(1);
    static struct traffic t;
    char idle[1000] = "";

    for (int fault = -1; fault < FAL_FAULT_COUNT; fault++) {
        uint64_t acts = 0;

        for (size_t i = 0; i < STORMS; i++)
            for (uint64_t seed = first; seed < first + seeds; seed++) {
                flow(&t, &storms[i], fault, 1 + (uint32_t)(seed % 3), seed);
                ends_in_peace(&t, fault, seed);
                acts += t.acts;
            }
        if (fault >= 0 && acts == 0 && !excused(fault, ELSEWHERE))
            (void)snprintf(idle + strlen(idle), sizeof idle - strlen(idle), " %s",
                           name_of(fault));
    }
    ck_assert_msg(idle[0] == 0, "never act:%s", idle);
}
END_TEST

/* An exception that is none any more would hide what it excuses next. */
START_TEST(every_exception_is_needed)
{
    static struct traffic t;

    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        int fault = (int)exceptions[i].fault;
        unsigned seen = ELSEWHERE;

        ck_assert_uint_gt(strlen(exceptions[i].why), 0);
        for (size_t s = 0; s < STORMS; s++)
            for (uint64_t seed = 1; seed < 12; seed++) {
                flow(&t, &storms[s], fault, 1 + (uint32_t)(seed % 3), seed);
                if (t.acts > 0)
                    seen &= ~(unsigned)ELSEWHERE;
                if (t.runs_on)
                    seen |= RUNS_ON;
                if (s == 0 && (t.good[0] < POSTS || t.good[1] < POSTS))
                    seen |= HARMS;
                if (t.completed[0] != t.posted[0] || t.completed[1] != t.posted[1])
                    seen |= MISCOUNTS;
            }
        ck_assert_msg((exceptions[i].what & ~seen) == 0, "%s: excused for %u, seen %u",
                      name_of(fault), exceptions[i].what, seen);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("traffic with faults");
    TCase *tc = tcase_create("faults");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, plain_traffic_flows_under_every_fault);
    tcase_add_test(tc, every_fault_acts_and_ends_in_peace_in_every_storm);
    tcase_add_test(tc, every_exception_is_needed);
    suite_add_tcase(suite, tc);
    return suite;
}
