/* SPDX-License-Identifier: Apache-2.0
 * sut_cc_test.c - commands about congestion control. */
#include "codecs/base/hex.h"
#include "harness/sut/cc/sut_cc.h"
#include "harness/sut/sut_testing.h"
#include "oracles/cc/golden.h"
#include "oracles/endpoint/connection.h"
#include "tests/testing.h"

enum { HEX = 2 * FAL_CC_ENTRY_LEN + 1 };

static void bench_engine(struct bench *b, struct tl_engine engine, const char *without)
{
    struct tl_sut_config config = {.seed = 7, .engine = engine};
    const struct fal_endpoint_config peer = {.seed = 8};
    struct fal_error err;

    *b = (struct bench){.epoch = 1, .said = json_array()};
    if (without != NULL)
        ck_assert_int_eq(tl_limits_without(&config.limits, without, strlen(without), &err), 0);
    b->sut = tl_sut_new(&config);
    b->peer = fal_endpoint_new(&peer);
}

static void entry_hex(enum fal_cc_format format, enum fal_cc_entry entry, const void *host,
                      char hex[HEX])
{
    uint8_t bytes[FAL_CC_ENTRY_LEN] = {0};

    ck_assert_int_ge(fal_cc_encode(format, entry, host, bytes, NULL), 0);
    fal_hex_write(bytes, sizeof bytes, hex);
}

static json_t *feed_hex(struct bench *b, uint32_t now, bool keep, const char *hex)
{
    return bench_ask(b, "'do': 'cc_feed', 'now_ticks': %u, 'state': '%s', 'entry': '%s'", now,
                     keep ? "keep" : "reset", hex);
}

static json_t *feed(struct bench *b, enum fal_cc_format format, uint32_t now, bool keep,
                    const struct fal_cc_event *event)
{
    char hex[HEX];

    entry_hex(format, FAL_CC_ENTRY_EVENT, event, hex);
    return feed_hex(b, now, keep, hex);
}

/* The result that the SUT gave. */
static struct fal_cc_result result_of(enum fal_cc_format format, const json_t *reply)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    struct fal_cc_result result;

    ck_ok(reply);
    ck_assert_int_eq(fal_hex_read(text_of(reply, "entry"), bytes, sizeof bytes),
                     FAL_CC_ENTRY_LEN);
    ck_assert_int_ge(fal_cc_decode(format, FAL_CC_ENTRY_RESULT, bytes, sizeof bytes, &result),
                     0);
    return result;
}

static struct fal_cc_event rise(uint32_t cid)
{
    struct fal_cc_vector vector;

    ck_assert(fal_cc_vector(0, &vector));
    vector.event.connection_id = cid;
    return vector.event;
}

START_TEST(hello_says_the_format_and_the_algorithm)
{
    static const char *const without[] = {
        NULL, "cc_feed", "cc_feed,cc_config,cc_trace,cc_engine,cc_result,rx_levels"};

    for (unsigned i = 0; i < 3; i++) {
        struct bench b;
        const json_t *reply, *cc;

        bench_engine(&b, (struct tl_engine){.format = FAL_CC_GEN1_LSB}, without[i]);
        reply = bench_ask(&b, "'do': 'hello', 'version': 1");
        cc = json_object_get(reply, "cc");
        ck_assert_uint_eq(json_array_size(json_object_get(reply, "levels")), i < 2 ? 9 : 8);
        ck_assert_str_eq(text_of(cc, "format"), i < 2 ? "gen1-lsb" : "");
        ck_assert_str_eq(text_of(cc, "algorithm"), i < 2 ? "swift" : "");
        ck_assert_int_eq(number_of(cc, "gap_tick_ps"), i < 2 ? 131072 : 0);
        bench_free(&b);
    }
}
END_TEST

START_TEST(FTP_10_3_01_a_fed_event_gets_the_result_of_the_model_in_either_format)
{
    for (int format = FAL_CC_TABLE_MSB; format <= FAL_CC_GEN1_LSB; format++) {
        struct fal_swift_params params;
        struct fal_swift swift;
        struct fal_cc_state state = {0};
        struct fal_cc_vector vector;
        struct bench b;

        bench_engine(&b, (struct tl_engine){.format = (enum fal_cc_format)format}, NULL);
        fal_swift_params_default(&params);
        ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
        for (size_t i = 0; fal_cc_vector(i, &vector); i++) {
            struct fal_cc_result expected;
            char hex[HEX];
            const json_t *reply =
                feed(&b, (enum fal_cc_format)format, vector.now, vector.keep, &vector.event);

            if (!vector.keep)
                state = (struct fal_cc_state){0};
            fal_swift_process(&swift, &state, vector.now, &vector.event, &expected);
            entry_hex((enum fal_cc_format)format, FAL_CC_ENTRY_RESULT, &expected, hex);
            ck_ok(reply);
            ck_assert_msg(strcmp(text_of(reply, "entry"), hex) == 0, "%s", vector.id);
        }
        bench_free(&b);
    }
}
END_TEST

START_TEST(FTP_10_5_1_01_parameters_take_effect_for_all_or_for_one_connection)
{
    struct fal_cc_event one, other = rise(7);
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    one = rise(b.end.cid);
    ck_ok(bench_ask(&b, "'do': 'cc_config', 'params': {'max_fcwnd': 20.5}"));
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &one)).fcwnd_integer, 20);
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &other)).fcwnd_fraction, 512);
    ck_ok(bench_ask(&b, "'do': 'cc_config', 'conn': 'c1', 'params': {'max_fcwnd': 10}"));
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &one)).fcwnd_integer, 10);
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &other)).fcwnd_integer, 20);
    /* Parameters that a command does not name keep their values. Without conn a command sets
     * those of each connection. */
    ck_ok(bench_ask(&b, "'do': 'cc_config', 'params': {'max_ncwnd': 9}"));
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &one)).fcwnd_integer, 20);
    ck_assert_uint_eq(result_of(0, feed(&b, 0, 1000, false, &one)).ncwnd, 9);
    ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'device'"));
    b.epoch++;
    ck_assert_uint_gt(result_of(0, feed(&b, 0, 1000, false, &one)).fcwnd_integer, 20);
    bench_free(&b);
}
END_TEST

START_TEST(FTP_10_4_01_the_counters_of_a_fed_connection_stay_until_a_reset)
{
    struct fal_swift_params params;
    struct fal_cc_vector vector;
    struct bench b;
    unsigned drawn[2] = {0, 0};
    size_t i = 0;

    bench_new(&b, NULL);
    fal_swift_params_default(&params);
    while (fal_cc_vector(i, &vector) && strncmp(vector.id, "P1", 2) != 0)
        i++;
    for (unsigned keep = 0; keep < 2; keep++)
        for (unsigned n = 0; n < 2 * params.plb_attempt_threshold; n++)
            drawn[keep] +=
                result_of(0, feed(&b, 0, vector.now, keep > 0, &vector.event)).randomize_path;
    ck_assert_uint_eq(drawn[0], 0);
    ck_assert_uint_eq(drawn[1], 2);
    bench_free(&b);
}
END_TEST

START_TEST(what_cannot_be_is_refused_and_changes_nothing)
{
    static const struct {
        const char *members, *why;
    } rows[] = {
        {"'do': 'cc_config'", "params: missing"},
        {"'do': 'cc_config', 'params': 3", "params: expected an object"},
        {"'do': 'cc_config', 'params': {'max_fcwnd': 9, 'max_fcwd': 3}",
         "found 'max_fcwd'; did you mean max_fcwnd"},
        {"'do': 'cc_config', 'params': {'max_fcwnd': 9, 'min_fcwnd': '1'}",
         "params.min_fcwnd: expected a number from 0.0009765625 to 2047"},
        {"'do': 'cc_config', 'params': {'max_fcwnd': 9, 'min_fcwnd': 10}",
         "min_fcwnd must not exceed max_fcwnd"},
        {"'do': 'cc_config', 'params': {'max_fcwnd': 9, 'retransmit_limit': 1.5}",
         "params.retransmit_limit: expected a whole number from 1 to 7"},
        {"'do': 'cc_config', 'conn': 'c1', 'params': {}", "conn: unknown connection 'c1'"},
        {"'do': 'cc_feed', 'now_ticks': 1, 'state': 'reset'", "entry: missing"},
        {"'do': 'cc_feed', 'now_ticks': 1, 'state': 'reset', 'entry': '00'",
         "entry: expected 128 hex digits"},
        {"'do': 'cc_feed', 'now_ticks': 16777216, 'state': 'reset', 'entry': '00'",
         "now_ticks: expected a whole number from 0 to 16777215"},
        {"'do': 'cc_feed', 'now_ticks': 1, 'state': 'new', 'entry': '00'",
         "state: expected reset or keep"},
    };
    struct fal_cc_event event = rise(1);
    struct bench b;

    bench_new(&b, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_error(bench_ask(&b, "%s", rows[i].members), "failed", rows[i].why);
    ck_assert_uint_gt(result_of(0, feed(&b, 0, 1000, false, &event)).fcwnd_integer, 9);
    event.event_type = 3;
    ck_error(feed(&b, 0, 1000, false, &event), "failed", "event_type 3 is reserved");
    bench_free(&b);
}
END_TEST

/* The n-th entry that the SUT showed, which must be of that kind. */
static void shown(const struct bench *b, unsigned n, const char *kind, void *host)
{
    const json_t *event = bench_event(b, "cc", n);
    bool result = strcmp(kind, "result") == 0;
    uint8_t bytes[FAL_CC_ENTRY_LEN];

    ck_assert_msg(event != NULL, "entry %u", n);
    ck_assert_str_eq(text_of(event, "kind"), kind);
    ck_assert_str_eq(text_of(event, "conn"), "c1");
    ck_assert_int_eq(fal_hex_read(text_of(event, "entry"), bytes, sizeof bytes),
                     FAL_CC_ENTRY_LEN);
    ck_assert_int_ge(fal_cc_decode(0, result ? FAL_CC_ENTRY_RESULT : FAL_CC_ENTRY_EVENT, bytes,
                                   sizeof bytes, host),
                     0);
}

/* The SUT pushes, and its peer acknowledges. */
static void push_one(struct bench *b)
{
    ck_ok(bench_ask(b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
    bench_run(b, b->now_ns + 10 * FAL_MS);
}

START_TEST(FTP_10_6_1_01_entries_are_shown_while_the_trace_is_on)
{
    struct fal_cc_event event;
    struct fal_cc_result result;
    struct bench b;
    unsigned n;

    bench_new(&b, NULL);
    bench_open(&b, "'fcwnd': 37, 'rto_ns': 100000000");
    push_one(&b);
    ck_assert_ptr_null(bench_event(&b, "cc", 0));
    ck_ok(bench_ask(&b, "'do': 'cc_trace', 'on': true"));
    push_one(&b);
    shown(&b, 0, "event", &event);
    shown(&b, 1, "result", &result);
    ck_assert_uint_eq(event.event_type, FAL_CC_ACK);
    ck_assert_uint_eq(event.connection_id, b.end.cid);
    ck_assert_uint_eq(event.num_packets_acked, 2); /* one before the trace */
    ck_assert_uint_eq(event.fcwnd_integer, 37);
    ck_assert_int_eq(number_of(bench_event(&b, "cc", 0), "now_ticks"), event.t4);
    ck_assert_uint_eq(result.fcwnd_integer, 37); /* windows are fixed */
    ck_assert_uint_eq(result.connection_id, b.end.cid);
    ck_ok(bench_ask(&b, "'do': 'cc_trace', 'on': false"));
    n = bench_count(&b, "event", "cc");
    push_one(&b);
    ck_assert_uint_eq(bench_count(&b, "event", "cc"), n);
    ck_error(bench_ask(&b, "'do': 'cc_trace'"), "failed", "on: missing");
    bench_free(&b);
}
END_TEST

START_TEST(FTP_10_6_2_2_05_08_results_of_the_tester_are_applied)
{
    struct fal_cc_event event;
    struct fal_cc_result result;
    struct bench b;
    char hex[HEX];

    bench_new(&b, NULL);
    bench_open(&b, "'rto_ns': 100000000");
    ck_error(bench_ask(&b, "'do': 'cc_engine', 'who': 'nobody'"), "failed", "self or tester");
    memset(hex, '0', sizeof hex - 1);
    hex[HEX - 1] = 0;
    ck_error(bench_ask(&b, "'do': 'cc_result', 'entry': '%s'", hex), "failed",
             "cc_engine first");
    ck_ok(bench_ask(&b, "'do': 'cc_engine', 'who': 'tester'"));
    ck_error(bench_ask(&b, "'do': 'cc_result', 'entry': '%s'", hex), "failed",
             "no connection has the connection_id 0");
    ck_error(bench_ask(&b, "'do': 'cc_result', 'entry': '%sx'", hex), "failed",
             "entry: expected 128 hex digits");
    push_one(&b);
    shown(&b, 0, "event", &event);
    fal_cc_unchanged(&event, &result);
    result.fcwnd_integer = 5;
    result.ncwnd = 6;
    result.cc_opaque = 3;
    result.rtt_state = 1234;
    entry_hex(0, FAL_CC_ENTRY_RESULT, &result, hex);
    ck_ok(bench_ask(&b, "'do': 'cc_result', 'entry': '%s'", hex));
    push_one(&b);
    shown(&b, 1, "event", &event); /* the result is not shown: no trace */
    ck_assert_uint_eq(event.fcwnd_integer, 5);
    ck_assert_uint_eq(event.ncwnd, 6);
    ck_assert_uint_eq(event.cc_opaque, 3);
    ck_assert_uint_eq(event.rtt_state, 1234);
    ck_ok(bench_ask(&b, "'do': 'cc_trace', 'on': true"));
    ck_ok(bench_ask(&b, "'do': 'cc_result', 'entry': '%s'", hex));
    shown(&b, 2, "result", &result);
    ck_ok(bench_ask(&b, "'do': 'cc_engine', 'who': 'self'"));
    push_one(&b);
    shown(&b, 3, "event", &event);
    shown(&b, 4, "result", &result);
    bench_free(&b);
}
END_TEST

/* Without a seal t1 and t3 are 0, so that the round trip is the time since 0: a long one. */
START_TEST(FTP_10_3_1_05_Swift_changes_windows_where_it_is_asked_to_and_set_keeps_them)
{
    for (unsigned own = 0; own < 2; own++) {
        struct fal_cc_event event;
        struct fal_cc_result first, second;
        struct bench b;

        bench_new(&b, NULL);
        bench_open(&b, "'fcwnd': 32, 'ncwnd': 64, 'rto_ns': 100000000");
        b.sut->conns[0]->config.security.on = true; /* as if its links were sealed */
        b.now_ns = 10 * FAL_MS;
        ck_ok(bench_ask(&b, "'do': 'cc_trace', 'on': true"));
        ck_ok(bench_ask(&b, "'do': 'cc_config'%s, 'params': {'base_delay_target': 50}",
                        own > 0 ? ", 'conn': 'c1'" : ""));
        push_one(&b);
        shown(&b, 0, "event", &event);
        shown(&b, 1, "result", &first);
        ck_assert_uint_eq(event.base_delay_target, 50);
        ck_assert_uint_eq(first.fcwnd_integer, 16);
        ck_assert_uint_eq(first.fabric_window_time_marker, event.t4);
        ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {'ncwnd': 7}"));
        push_one(&b);
        shown(&b, 2, "event", &event);
        shown(&b, 3, "result", &second);
        ck_assert_uint_eq(event.fcwnd_integer, 16);
        ck_assert_uint_eq(event.ncwnd, 7);
        ck_assert_uint_eq(event.fabric_window_time_marker, first.fabric_window_time_marker);
        ck_assert_uint_eq(event.base_delay_target, 50);
        bench_free(&b);
    }
}
END_TEST

START_TEST(FTP_10_4_11_set_draws_a_new_path)
{
    struct bench b;
    const struct fal_ep_conn *conn;
    uint32_t first, second;

    bench_new(&b, NULL);
    bench_open(&b, "'fcwnd': 32, 'rto_ns': 100000000");
    first = fal_ep_conn_find(b.sut->endpoint, b.sut->conns[0]->number)->cc.path;
    ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {}, 'randomize_path': true"));
    second = fal_ep_conn_find(b.sut->endpoint, b.sut->conns[0]->number)->cc.path;
    ck_assert_uint_ne(first, second);
    push_one(&b); /* it is not new any longer */
    ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {}"));
    conn = fal_ep_conn_find(b.sut->endpoint, b.sut->conns[0]->number);
    ck_assert_uint_eq(second, conn->cc.path);
    ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {}, 'randomize_path': true"));
    ck_assert_uint_ne(second, conn->cc.path);
    bench_free(&b);
}
END_TEST

static void thresholds(char *text, size_t cap, int first, int step, unsigned n)
{
    size_t len = 0;

    for (unsigned i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, cap - len, "%s%d", i > 0 ? ", " : "",
                                first + (int)i * step);
}

START_TEST(FTP_10_2_03_05_levels_have_the_thresholds_of_the_tester)
{
    static const struct {
        const char *pool;
        int alpha, step;
        unsigned n;
        const char *why;
    } wrong[] = {
        {"packets", 1024, 1, 30, "thresholds: expected at least 31 elements"},
        {"packets", 1024, 1, 32, "thresholds: expected at most 31 elements"},
        {"packets", 0, 1, 31, "alpha: expected a whole number from 1 to 1024"},
        {"bytes", 1024, 1, 31, "pool: expected packets or buffers"},
        {"packets", 1024, -1, 31, "thresholds[1] is less than the threshold before it"}};
    const struct fal_endpoint *ep;
    struct bench b;
    char text[400];

    bench_new(&b, NULL);
    bench_open(&b, "'net_pkt_rx': 64, 'net_buf_rx': 640");
    ep = b.sut->endpoint;
    thresholds(text, sizeof text, 1, 1, 31);
    ck_ok(bench_ask(
        &b, "'do': 'rx_levels', 'pool': 'packets', 'alpha': 1024, 'thresholds': [%s]", text));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        thresholds(text, sizeof text, 100, wrong[i].step, wrong[i].n);
        ck_error(bench_ask(&b,
                           "'do': 'rx_levels', 'pool': '%s', 'alpha': %d, 'thresholds': [%s]",
                           wrong[i].pool, wrong[i].alpha, text),
                 "failed", wrong[i].why);
    }
    ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'withhold'}]"));
    for (unsigned i = 0; i < 5; i++)
        (void)bench_post(&b, FAL_OP_PUSH, 8);
    ck_assert_uint_eq(ep->rx_level[FAL_RX_PACKETS], 5);
    ck_assert_uint_eq(ep->rx_level[FAL_RX_BUFFERS], 0);
    bench_free(&b);
}
END_TEST

START_TEST(many_connections_can_be_fed_but_not_endlessly_many)
{
    struct bench b;

    bench_new(&b, NULL);
    for (uint32_t cid = 0; cid < 1025; cid++) {
        struct fal_cc_event event = rise(cid);
        const json_t *reply = feed(&b, 0, 1000, true, &event);

        if (cid < 1024)
            ck_ok(reply);
        else
            ck_error(reply, "busy", "1024 connections");
    }
    bench_free(&b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("congestion control of the built-in SUT");
    TCase *tc = tcase_create("commands");

    tcase_add_test(tc, hello_says_the_format_and_the_algorithm);
    tcase_add_test(tc, FTP_10_3_01_a_fed_event_gets_the_result_of_the_model_in_either_format);
    tcase_add_test(tc, FTP_10_5_1_01_parameters_take_effect_for_all_or_for_one_connection);
    tcase_add_test(tc, FTP_10_4_01_the_counters_of_a_fed_connection_stay_until_a_reset);
    tcase_add_test(tc, what_cannot_be_is_refused_and_changes_nothing);
    tcase_add_test(tc, FTP_10_6_1_01_entries_are_shown_while_the_trace_is_on);
    tcase_add_test(tc, FTP_10_6_2_2_05_08_results_of_the_tester_are_applied);
    tcase_add_test(tc,
                   FTP_10_3_1_05_Swift_changes_windows_where_it_is_asked_to_and_set_keeps_them);
    tcase_add_test(tc, FTP_10_4_11_set_draws_a_new_path);
    tcase_add_test(tc, FTP_10_2_03_05_levels_have_the_thresholds_of_the_tester);
    tcase_add_test(tc, many_connections_can_be_fed_but_not_endlessly_many);
    suite_add_tcase(s, tc);
    return s;
}
