/* SPDX-License-Identifier: Apache-2.0
 * sut_engine_test.c - the engines of the built-in SUT that are not plain Swift: with a mistake,
 * other readings, another algorithm, a latency. */
#include "harness/sut/cc/sut_engine.h"

#include "codecs/base/hex.h"
#include "harness/sut/sut_testing.h"
#include "oracles/cc/aimd.h"
#include "oracles/cc/golden.h"
#include "tests/testing.h"

enum { HEX = 2 * FAL_CC_ENTRY_LEN + 1, LATENCY_NS = 50000 };

static void bench_with(struct bench *b, struct tl_engine engine, const char *fault)
{
    struct tl_sut_config config = {.seed = 7, .engine = engine};
    const struct fal_endpoint_config peer = {.seed = 8};
    struct fal_error err;

    if (fault != NULL)
        ck_assert_int_eq(fal_faults_read(&config.faults, fault, strlen(fault), &err), 0);
    *b = (struct bench){.epoch = 1, .said = json_array()};
    b->sut = tl_sut_new(&config);
    b->peer = fal_endpoint_new(&peer);
}

static struct fal_cc_result fed(struct bench *b, const struct fal_cc_vector *vector)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};
    struct fal_cc_result result;
    const json_t *reply;
    char hex[HEX];

    ck_assert_int_ge(fal_cc_encode(0, FAL_CC_ENTRY_EVENT, &vector->event, bytes, NULL), 0);
    fal_hex_write(bytes, sizeof bytes, hex);
    reply = bench_ask(b, "'do': 'cc_feed', 'now_ticks': %u, 'state': 'reset', 'entry': '%s'",
                      vector->now, hex);
    ck_ok(reply);
    ck_assert_int_eq(fal_hex_read(text_of(reply, "entry"), bytes, sizeof bytes),
                     FAL_CC_ENTRY_LEN);
    ck_assert_int_ge(fal_cc_decode(0, FAL_CC_ENTRY_RESULT, bytes, sizeof bytes, &result), 0);
    return result;
}

static struct fal_cc_vector vector_named(const char *id)
{
    struct fal_cc_vector vector;

    for (size_t i = 0; fal_cc_vector(i, &vector); i++)
        if (strcmp(vector.id, id) == 0)
            return vector;
    ck_abort_msg("no vector %s", id);
}

START_TEST(an_engine_with_a_fault_makes_its_mistake)
{
    struct fal_cc_vector guarded = vector_named("G4");
    struct bench b;

    bench_with(&b, (struct tl_engine){.swift = true}, NULL);
    ck_assert_uint_eq(fed(&b, &guarded).fcwnd_integer, 32);
    bench_free(&b);
    bench_with(&b,
               (struct tl_engine){.swift = true, .fault = fal_cc_fault_find("guard-ignored")},
               NULL);
    ck_assert_uint_lt(fed(&b, &guarded).fcwnd_integer, 32);
    bench_free(&b);
    /* One that changes the parameters changes those of cc_config, too. */
    bench_with(
        &b, (struct tl_engine){.swift = true, .fault = fal_cc_fault_find("fall-without-bound")},
        NULL);
    ck_ok(bench_ask(&b, "'do': 'cc_config', 'params': {'max_fcwnd': 100}"));
    guarded = vector_named("G5");
    ck_assert_uint_lt(fed(&b, &guarded).fcwnd_integer, 16);
    bench_free(&b);
}
END_TEST

START_TEST(AMB_77_an_engine_has_the_readings_of_its_options)
{
    struct fal_cc_vector fall = vector_named("G3");
    struct bench b;

    bench_with(
        &b,
        (struct tl_engine){.swift = true, .readings = 1U << FAL_CC_READING_TARGET_TRUNCATED},
        NULL);
    ck_assert_int_eq(fed(&b, &fall).fcwnd_integer * 1024 + fed(&b, &fall).fcwnd_fraction,
                     22479);
    bench_free(&b);
}
END_TEST

START_TEST(hello_says_what_the_engine_is)
{
    const struct tl_engine isekai = {
        .swift = true, .isekai = true, .readings = FAL_CC_ISEKAI, .format = FAL_CC_GEN1_LSB};
    const json_t *cc;
    struct bench b;

    bench_with(&b, isekai, NULL);
    cc = json_object_get(bench_ask(&b, "'do': 'hello', 'version': 1"), "cc");
    ck_assert_str_eq(text_of(cc, "algorithm"), "swift");
    ck_assert_str_eq(text_of(cc, "format"), "gen1-lsb");
    ck_assert_int_eq(number_of(cc, "gap_tick_ps"), 512000);
    ck_assert_uint_eq(tl_sut_engine_config(&isekai, false).p2_packets, 512);
    bench_free(&b);
    bench_with(&b, (struct tl_engine){.other = true, .latency_ns = LATENCY_NS}, NULL);
    cc = json_object_get(bench_ask(&b, "'do': 'hello', 'version': 1"), "cc");
    ck_assert_str_eq(text_of(cc, "algorithm"), "other");
    ck_assert_int_eq(number_of(cc, "rue_latency_ns"), LATENCY_NS);
    bench_free(&b);
}
END_TEST

START_TEST(AMB_66_gaps_have_the_unit_of_the_engine)
{
    const struct tl_engine plain = {.swift = true}, wheel = {.readings = FAL_CC_ISEKAI};

    ck_assert_uint_eq(tl_sut_engine_gap(&plain, 1311), 11);
    ck_assert_uint_eq(tl_sut_engine_gap(&plain, 1310), 10);
    ck_assert_uint_eq(tl_sut_engine_gap(&wheel, 1025), 3);
    ck_assert_uint_eq(tl_sut_engine_gap(&wheel, 1024), 2);
    ck_assert_uint_eq(tl_sut_engine_gap_ns(&wheel, 3), 1536);
    ck_assert_uint_eq(tl_sut_engine_gap(&wheel, UINT64_C(1) << 40), FAL_CC_GAP_MAX);
}
END_TEST

START_TEST(the_other_algorithm_halves_at_marks_and_ignores_delay)
{
    struct fal_cc_event event = {.fcwnd_integer = 32,
                                 .ncwnd = 64,
                                 .t4 = 4000,
                                 .num_packets_acked = 32,
                                 .rtt_state = 190,
                                 .ecn_accumulated = 5};
    struct fal_cc_state state = {.spare = {5}};
    struct fal_cc_result result;

    fal_aimd_process(NULL, &state, 10000, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 33);
    ck_assert_uint_eq(result.ncwnd, 64);
    event.ecn_accumulated = 6;
    fal_aimd_process(NULL, &state, 10000, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 16);
    ck_assert_uint_eq(result.fabric_window_time_marker, 10000);
    /* Once in a round trip. */
    event.fabric_window_time_marker = 10000;
    event.ecn_accumulated = 7;
    fal_aimd_process(NULL, &state, 10189, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 32);
    event.event_type = FAL_CC_RETRANSMIT;
    fal_aimd_process(NULL, &state, 10190, &event, &result);
    ck_assert_uint_eq(result.fcwnd_integer, 16);
}
END_TEST

static uint32_t fcwnd_of(const struct bench *b)
{
    struct fal_cc_event now;

    ck_assert_int_eq(fal_endpoint_cc(b->sut->endpoint, b->sut->conns[0]->number, &now), 0);
    return now.fcwnd_integer;
}

/* Opens a connection whose windows an engine with a latency changes, as if its links were
 * sealed: without times the round trip is long, and each event halves fcwnd. */
static void late_bench(struct bench *b, bool batch, uint64_t now_ns)
{
    bench_with(b, (struct tl_engine){.swift = true, .latency_ns = LATENCY_NS, .batch = batch},
               NULL);
    bench_open(b, "'fcwnd': 32, 'ncwnd': 64, 'rto_ns': 1000000000");
    b->sut->conns[0]->config.security.on = true;
    b->now_ns = now_ns;
    ck_ok(bench_ask(b, "'do': 'cc_trace', 'on': true"));
}

static void push_one(struct bench *b)
{
    ck_ok(bench_ask(b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
}

static unsigned entries(const struct bench *b)
{
    return bench_count(b, "event", "cc");
}

/* The coalescing timer of the peer, 8 us, sends the ACK. */
START_TEST(FTP_10_6_2_2_01_an_engine_with_a_latency_gives_its_result_later)
{
    uint64_t acked_ns = 10 * FAL_MS + 8000;
    struct bench b;
    long long ticks;

    late_bench(&b, false, 10 * FAL_MS);
    push_one(&b);
    bench_run(&b, acked_ns + LATENCY_NS - 1);
    ck_assert_uint_eq(entries(&b), 1);
    ck_assert_uint_eq(fcwnd_of(&b), 32);
    bench_run(&b, acked_ns + LATENCY_NS);
    ck_assert_uint_eq(entries(&b), 2);
    ck_assert_uint_eq(fcwnd_of(&b), 16);
    ck_assert_str_eq(text_of(bench_event(&b, "cc", 1), "kind"), "result");
    ticks = number_of(bench_event(&b, "cc", 1), "now_ticks") -
            number_of(bench_event(&b, "cc", 0), "now_ticks");
    ck_assert_int_ge(ticks, LATENCY_NS * 1000LL / 131072);
    ck_assert_int_le(ticks, LATENCY_NS * 1000LL / 131072 + 1);
    bench_free(&b);
}
END_TEST

START_TEST(FTP_10_6_2_2_01_results_can_come_together)
{
    struct bench b;

    late_bench(&b, true, 10 * FAL_MS + 1);
    for (unsigned i = 0; i < 2; i++) {
        push_one(&b);
        bench_run(&b, b.now_ns + 15000);
    }
    ck_assert_uint_eq(entries(&b), 2);
    bench_run(&b, 10 * FAL_MS + LATENCY_NS - 1);
    ck_assert_uint_eq(entries(&b), 2);
    bench_run(&b, 10 * FAL_MS + LATENCY_NS);
    ck_assert_uint_eq(entries(&b), 4);
    bench_free(&b);
}
END_TEST

/* The endpoint forgets the events of a connection that is closed, and so does the engine. */
START_TEST(a_result_for_a_closed_connection_is_ignored)
{
    struct bench b;

    late_bench(&b, false, 10 * FAL_MS);
    push_one(&b);
    bench_run(&b, b.now_ns + 20000);
    ck_assert_uint_eq(entries(&b), 1);
    ck_ok(bench_ask(&b, "'do': 'close', 'conn': 'c1'"));
    bench_run(&b, b.now_ns + FAL_MS);
    ck_assert_uint_eq(entries(&b), 1);
    bench_free(&b);
}
END_TEST

START_TEST(FTP_10_6_2_1_35_the_fault_of_bit_order_shows_in_the_trace_alone)
{
    for (unsigned late = 0; late < 2; late++) {
        uint8_t bytes[FAL_CC_ENTRY_LEN];
        struct fal_cc_event event;
        struct bench b;

        bench_with(&b, (struct tl_engine){.swift = true, .latency_ns = late * LATENCY_NS},
                   "entry-bit-order");
        bench_open(&b, "'fcwnd': 32, 'ncwnd': 64, 'rto_ns': 1000000000");
        b.sut->conns[0]->config.security.on = true;
        b.now_ns = 10 * FAL_MS;
        ck_ok(bench_ask(&b, "'do': 'cc_trace', 'on': true"));
        push_one(&b);
        bench_run(&b, b.now_ns + FAL_MS);
        ck_assert_uint_eq(fcwnd_of(&b), 16);
        ck_assert_int_eq(
            fal_hex_read(text_of(bench_event(&b, "cc", 0), "entry"), bytes, sizeof bytes),
            FAL_CC_ENTRY_LEN);
        ck_assert_int_ge(
            fal_cc_decode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_EVENT, bytes, sizeof bytes, &event), 0);
        ck_assert_uint_eq(event.connection_id, b.end.cid);
        bench_free(&b);
    }
}
END_TEST

/* The source ports of the frames that the SUT sends for two posts, with a new path between them
 * or not. */
static void ports_of(const char *fault, bool draws, uint16_t port[2])
{
    struct tl_sut_out out;
    struct bench b;

    bench_with(&b, (struct tl_engine){.swift = true}, fault);
    bench_open(&b, "'fcwnd': 32, 'rto_ns': 1000000000");
    for (unsigned i = 0; i < 2; i++) {
        static const char post[] = "{\"id\":90,\"epoch\":1,\"do\":\"post\",\"conn\":\"c1\","
                                   "\"op\":\"push\",\"length\":8,\"tag\":1}";

        port[i] = 0;
        tl_sut_line(b.sut, post, sizeof post - 1, b.now_ns);
        while (tl_sut_next(b.sut, &out))
            if (out.kind == TL_SUT_FRAME)
                port[i] = out.path;
        ck_assert_uint_ge(port[i], 49152);
        if (draws)
            ck_ok(bench_ask(&b,
                            "'do': 'set', 'conn': 'c1', 'params': {}, 'randomize_path': true"));
    }
    bench_free(&b);
}

START_TEST(FTP_10_5_7_02_a_path_is_a_source_port)
{
    uint16_t port[2];

    ports_of(NULL, false, port);
    ck_assert_uint_eq(port[0], port[1]);
    ports_of(NULL, true, port);
    ck_assert_uint_ne(port[0], port[1]);
    ports_of("path-never-changed", true, port);
    ck_assert_uint_eq(port[0], port[1]);
    ports_of("path-per-packet", false, port);
    ck_assert_uint_ne(port[0], port[1]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("engines of the built-in SUT");
    TCase *tc = tcase_create("engines");

    tcase_add_test(tc, an_engine_with_a_fault_makes_its_mistake);
    tcase_add_test(tc, AMB_77_an_engine_has_the_readings_of_its_options);
    tcase_add_test(tc, hello_says_what_the_engine_is);
    tcase_add_test(tc, AMB_66_gaps_have_the_unit_of_the_engine);
    tcase_add_test(tc, the_other_algorithm_halves_at_marks_and_ignores_delay);
    tcase_add_test(tc, FTP_10_6_2_2_01_an_engine_with_a_latency_gives_its_result_later);
    tcase_add_test(tc, FTP_10_6_2_2_01_results_can_come_together);
    tcase_add_test(tc, a_result_for_a_closed_connection_is_ignored);
    tcase_add_test(tc, FTP_10_6_2_1_35_the_fault_of_bit_order_shows_in_the_trace_alone);
    tcase_add_test(tc, FTP_10_5_7_02_a_path_is_a_source_port);
    suite_add_tcase(s, tc);
    return s;
}
