/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/sut_testing.h"
#include "harness/wire/control_io.h"
#include "oracles/rng.h"
#include "tests/testing.h"

START_TEST(hello_tells_who_it_is)
{
    struct bench b;
    json_t *reply;

    bench_new(&b, NULL);
    reply = bench_ask(&b, "'do': 'hello', 'version': 1, 'tester': 'test', 'unheard_of': [1]");
    ck_ok(reply);
    ck_assert_int_eq(number_of(reply, "version"), 1);
    ck_assert_int_eq(number_of(reply, "epoch"), 1);
    ck_assert_str_eq(text_of(reply, "vendor"), "Talon");
    ck_assert_uint_eq(json_array_size(json_object_get(reply, "levels")), 9);
    ck_assert_str_eq(text_of(reply, "clock"), "none");
    ck_assert(json_is_object(json_object_get(reply, "ics")));
    ck_assert(json_is_true(json_object_get(reply, "ordered_events")));
    ck_error(bench_ask(&b, "'do': 'hello', 'version': 2"), "unsupported", "version");
    ck_error(bench_ask(&b, "'do': 'hello'"), "failed", "version: missing");
    bench_free(&b);
}
END_TEST

/* What is wrong, and what the answer says; none may crash, and each is answered. */
static const struct {
    const char *members, *error, *why;
} bad_commands[] = {
    {"'x': 1", "failed", "do: missing"},
    {"'do': 7", "failed", "do: missing; expected the name"},
    {"'do': 'dance'", "unsupported", "unknown command 'dance'"},
    {"'do': 'd\\u00e4nce'", "unsupported", "unknown command"},
    {"'do': 'cut within a character, at the fortieth\\u00e4\\u00e4'", "unsupported",
     "unknown command"},
    {"'do': 'clock'", "unsupported", "clock"},
    {"'do': 'open'", "failed", "peer: missing"},
    {"'do': 'open', 'peer': 7", "failed", "peer: expected an object"},
    {"'do': 'open', 'peer': {'cid': 1}", "failed", "peer.function: missing"},
    {"'do': 'open', 'encap': 'gre', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "unsupported", "encap: unknown encapsulation"},
    {"'do': 'open', 'encap': {}", "failed", "encap: expected a text"},
    {"'do': 'open', 'peer': {'cid': 16777216, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "failed", "peer.cid: expected a whole number from 0 to 16777215, found 16777216"},
    {"'do': 'open', 'peer': {'cid': -1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "failed", "peer.cid: expected a whole number"},
    {"'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 4294967296, 'data_psn': 0, 'rsn': 0}",
     "failed", "peer.req_psn: expected a whole number from 0 to 4294967295, found 4294967296"},
    {"'do': 'open', 'local': [], 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "failed", "local: expected an object"},
    {"'do': 'open', 'params': 3, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "failed", "params: expected an object"},
    {"'do': 'open', 'params': {'ordered': 1}, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "failed", "params.ordered: expected true or false"},
    {"'do': 'open', 'params': {'rto_ns': '1ms'}, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
     "'data_psn': 0, 'rsn': 0}",
     "failed", "params.rto_ns: expected a whole number"},
    {"'do': 'open', 'params': {'mtu': 4294967296}, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
     "'data_psn': 0, 'rsn': 0}",
     "failed", "params.mtu: 4294967296 does not fit"},
    {"'do': 'open', 'params': {'rto_ns': 0}, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
     "unsupported", "out of range"},
    {"'do': 'open', 'params': {'net_buf_rx': 1}, 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
     "'data_psn': 0, 'rsn': 0}",
     "unsupported", "out of range"},
    {"'do': 'post'", "failed", "conn: missing"},
    {"'do': 'post', 'conn': 1", "failed", "conn: expected a text"},
    {"'do': 'post', 'op': 'push', 'length': 1, 'tag': 1, 'conn': 'c9'", "failed",
     "unknown connection 'c9'"},
    {"'do': 'post', 'op': 'push', 'length': 1, 'tag': 1, 'conn': 'c01'", "failed",
     "unknown connection"},
    {"'do': 'post', 'op': 'push', 'length': 1, 'tag': 1, 'conn': 'c4294967297'", "failed",
     "unknown connection"},
    {"'do': 'post', 'conn': 'c1'", "failed", "op: missing"},
    {"'do': 'post', 'conn': 'c1', 'op': 'shove'", "failed", "op: expected push or pull"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'tag': 1", "failed", "length: missing"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 65536, 'tag': 1", "failed", "65536"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 1.5, 'tag': 1", "failed", "length"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 4097, 'tag': 1", "failed", "post"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8", "failed", "tag: missing"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': '12'", "failed",
     "tag: expected"},
    {"'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': '0x10000000000000000'",
     "failed", "tag: expected"},
    {"'do': 'policy', 'conn': 'c1'", "failed", "rules: missing; expected a list"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [3]", "failed", "rules[0]: expected an object"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{}]", "failed", "rules[0].answer: missing"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack'}, {'answer': 'no'}]", "failed",
     "rules[1].answer: expected ack"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack', 'request': 0}]", "failed",
     "request: expected a whole number from 1"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack', 'every': 0}]", "failed",
     "every: expected a whole number from 1"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack', 'every': 1, 'request': 2}]",
     "failed", "request and every exclude"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'data', 'op': 'push'}]", "failed",
     "the answer to a push carries no data"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'cie', 'code': 256}]", "failed",
     "code: expected a whole number from 0 to 255, found 256"},
    {"'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack', 'after_ns': -5}]", "failed",
     "after_ns"},
    {"'do': 'respond', 'conn': 'c1', 'rsn': 1", "failed", "answer: missing"},
    {"'do': 'respond', 'conn': 'c1', 'answer': 'ack'", "failed", "rsn: missing"},
    {"'do': 'respond', 'conn': 'c1', 'rsn': 1, 'answer': 'ack'", "failed",
     "no request 1 is waiting"},
    {"'do': 'set', 'conn': 'c1'", "failed", "params: missing"},
    {"'do': 'set', 'conn': 'c1', 'params': {'rto_ns': 0}", "failed", "out of range"},
    {"'do': 'barrier', 'conn': 'c7'", "failed", "unknown connection"},
    {"'do': 'state', 'conn': 'c7'", "failed", "unknown connection"},
    {"'do': 'close', 'conn': 'c7'", "failed", "unknown connection"},
    {"'do': 'reset'", "failed", "scope: missing"},
    {"'do': 'reset', 'scope': 'world'", "failed",
     "scope: expected connection, function or device"},
    {"'do': 'reset', 'scope': 'connection'", "failed", "conn: missing"},
    {"'do': 'reset', 'scope': 'function', 'function': 'f'", "failed", "function"},
};

START_TEST(a_bad_command_is_answered_with_its_reason_and_changes_nothing)
{
    struct bench b;
    json_t *before, *after;

    bench_new(&b, NULL);
    bench_open(&b, "");
    before =
        json_deep_copy(json_object_get(bench_ask(&b, "'do': 'state', 'conn': 'c1'"), "state"));
    ck_error(bench_ask(&b, "%s", bad_commands[_i].members), bad_commands[_i].error,
             bad_commands[_i].why);
    after = json_object_get(bench_ask(&b, "'do': 'state', 'conn': 'c1'"), "state");
    ck_assert(json_equal(before, after));
    bench_run(&b, 10 * FAL_S);
    ck_assert_uint_eq(bench_count(&b, "event", "request"), 0);
    ck_assert_uint_eq(bench_count(&b, "event", "completion"), 0);
    json_decref(before);
    bench_free(&b);
}
END_TEST

static const char *const bad_lines[] = {
    "",
    " ",
    "x",
    "[]",
    "7",
    "\"do\"",
    "null",
    "{",
    "{\"id\": 1, \"epoch\": 1, \"do\": \"hello\"",
    "{\"id\": 1, \"id\": 2, \"epoch\": 1, \"do\": \"hello\"}",
    "{\"epoch\": 1, \"do\": \"hello\"}",
    "{\"id\": -1, \"epoch\": 1, \"do\": \"hello\"}",
    "{\"id\": \"1\", \"epoch\": 1, \"do\": \"hello\"}",
    "{\"id\": 99999999999999999999, \"epoch\": 1}",
    "{\"id\": 1e3, \"epoch\": 1}",
    "{\"id\": 1, \"epoch\": 1, \"do\": \"\\u0000\"}",
    "{\"id\": 1, \"epoch\": 1, \"do\": \"\xff\xfe\"}",
    "{\"id\": 1, \"epoch\": 1, \"do\": \"a\tb\"}",
    "{\"id\": 1} trailing",
};

START_TEST(a_line_that_makes_no_sense_is_answered_with_id_0)
{
    struct bench b;
    json_t *reply;

    bench_new(&b, NULL);
    reply = bench_line(&b, bad_lines[_i], strlen(bad_lines[_i]));
    ck_assert_int_eq(number_of(reply, "id"), 0);
    ck_error(reply, "failed", "");
    ck_assert_uint_eq(json_array_size(b.said), 1);
    ck_ok(bench_ask(&b, "'do': 'barrier'"));
    bench_free(&b);
}
END_TEST

START_TEST(hostile_lines_do_no_harm)
{
    enum { LEN = 70000 };
    static const char nest[] = {'{', '"', 'a', '"', ':'};
    struct bench b;
    char *line = malloc(LEN);

    bench_new(&b, NULL);
    memset(line, '[', LEN);
    ck_error(bench_line(&b, line, TL_LINE_MAX), "failed", "depth");
    ck_error(bench_line(&b, line, LEN), "failed", "longer than 65536");
    for (size_t i = 0; i + 6 < TL_LINE_MAX; i += 5)
        memcpy(line + i, nest, sizeof nest);
    ck_error(bench_line(&b, line, TL_LINE_MAX), "failed", "depth");
    memset(line, 0, LEN);
    ck_error(bench_line(&b, line, 100), "failed", "not a JSON object");
    memset(line, '"', LEN);
    ck_error(bench_line(&b, line, TL_LINE_MAX), "failed", "not a JSON object");
    tl_sut_line_too_long(b.sut);
    bench_settle(&b);
    ck_error(bench_last(&b), "failed", "longer than 65536");
    ck_ok(bench_ask(&b, "'do': 'barrier'"));
    free(line);
    bench_free(&b);
}
END_TEST

/* Lines made of the protocol's own pieces, wrongly put together: each is answered once. */
START_TEST(random_lines_are_each_answered_once)
{
    static const char *const pieces[] = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"id\":1",
        "\"epoch\":1",
        "\"do\":\"open\"",
        "\"do\":\"policy\"",
        "\"conn\":\"c1\"",
        "\"rules\":[",
        "\"answer\":\"rnr\"",
        "1",
        "-1",
        "1e99",
        "null",
        "true",
        "\"",
        "\"peer\":{\"cid\":1}",
        "\"do\":\"reset\",\"scope\":\"device\"",
        "\\",
        "\"\\ud800\"",
    };
    uint64_t seed = test_seed(1);
    struct bench b;

    bench_new(&b, NULL);
    for (unsigned long round = 0; round < test_rounds(5000); round++) {
        struct fal_rng rng = fal_rng_split(seed, round);
        char line[1024] = "";

        for (uint64_t n = fal_rng_below(&rng, 12); n > 0; n--)
            strcat(line, pieces[fal_rng_below(&rng, sizeof pieces / sizeof *pieces)]);
        json_array_clear(b.said);
        (void)bench_line(&b, line, strlen(line));
        ck_assert_msg(json_array_size(b.said) == 1, "TALON_SEED=%llu round %lu: %s",
                      (unsigned long long)seed, round, line);
    }
    bench_free(&b);
}
END_TEST

START_TEST(open_honours_wishes_and_chooses_the_rest)
{
    struct bench b;
    json_t *reply;
    const json_t *local;
    long long cid;

    bench_new(&b, NULL);
    reply = bench_ask(
        &b,
        "'do': 'open', 'peer': {'cid': 1, 'function': 2, 'req_psn': 3, 'data_psn': 4, "
        "'rsn': 5}, 'local': {'cid': 77, 'function': 88, 'req_psn': 0, 'data_psn': 4294967295, 'rsn': 9}");
    ck_ok(reply);
    ck_assert_str_eq(text_of(reply, "conn"), "c1");
    local = json_object_get(reply, "local");
    ck_assert_int_eq(number_of(local, "cid"), 77);
    ck_assert_int_eq(number_of(local, "function"), 88);
    ck_assert_int_eq(number_of(local, "req_psn"), 0);
    ck_assert_int_eq(number_of(local, "data_psn"), 4294967295LL);
    ck_assert_int_eq(number_of(local, "rsn"), 9);

    /* The same CID cannot be had twice: it is another, and the answer says which. */
    reply = bench_ask(
        &b,
        "'do': 'open', 'peer': {'cid': 1, 'function': 2, 'req_psn': 3, 'data_psn': 4, 'rsn': 5}, 'local': {'cid': 77}");
    ck_ok(reply);
    ck_assert_str_eq(text_of(reply, "conn"), "c2");
    cid = number_of(json_object_get(reply, "local"), "cid");
    ck_assert_int_ne(cid, 77);
    ck_assert_int_gt(cid, 0);
    ck_assert_int_le(cid, 0xffffff);
    bench_free(&b);
}
END_TEST

START_TEST(open_takes_parameters_by_their_keys)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "'rto_ns': 3000000, 'coalescing_ns': 20000, 'ordered': true, 'of_later': 1");
    ck_assert_uint_eq(json_object_size(json_object_get(b.sut_end, "params")), 0);
    (void)bench_post(&b, FAL_OP_PUSH, 8);
    bench_run(&b, 19999);
    ck_assert_uint_eq(b.completed, 0); /* a coalesced ACK */
    bench_run(&b, 20000);
    ck_assert_uint_eq(b.completed, 1);
    b.deaf = true;
    ck_ok(bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 1);
    bench_run(&b, b.now_ns + 2999999);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 1);
    bench_run(&b, b.now_ns + 1);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 2);
    bench_free(&b);
}
END_TEST

START_TEST(set_changes_parameters_until_something_happens)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {'rto_ns': 5000000}"));
    b.deaf = true;
    ck_ok(bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
    bench_run(&b, 4999999);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 1);
    bench_run(&b, 5000000);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 2);
    ck_error(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {'coalescing_ns': 1}"),
             "failed", "after the first packet");
    /* As a result of a congestion engine: for what is under way, too. */
    ck_ok(bench_ask(&b, "'do': 'set', 'conn': 'c1', 'params': {'rto_ns': 20000000}"));
    bench_run(&b, 24000000);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 2);
    bench_run(&b, 26000000);
    ck_assert_uint_eq(bench_count(&b, "packet", "push_data"), 3);
    bench_free(&b);
}
END_TEST

START_TEST(connections_are_many_and_bounded)
{
    struct bench b;

    bench_new(&b, NULL);
    for (unsigned i = 1; i <= 1024; i++) {
        char name[16];
        const json_t *reply = bench_ask(
            &b,
            "'do': 'open', 'peer': {'cid': %u, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
            i);

        (void)snprintf(name, sizeof name, "c%u", i);
        ck_ok(reply);
        ck_assert_str_eq(text_of(reply, "conn"), name);
    }
    ck_error(
        bench_ask(
            &b,
            "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}"),
        "busy", "1024 connections");
    ck_ok(bench_ask(&b, "'do': 'close', 'conn': 'c512'"));
    ck_error(bench_ask(&b, "'do': 'close', 'conn': 'c512'"), "failed", "unknown connection");
    ck_ok(bench_ask(&b, "'do': 'state', 'conn': 'c511'"));
    ck_ok(bench_ask(&b, "'do': 'state', 'conn': 'c513'"));
    ck_assert_str_eq(
        text_of(
            bench_ask(
                &b,
                "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}"),
            "conn"),
        "c1025"); /* a handle is not used twice */
    bench_free(&b);
}
END_TEST

START_TEST(reset_begins_an_epoch_and_the_old_one_is_over)
{
    struct bench b;
    json_t *reply;
    size_t place;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b, "'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'ack', 'after_ns': 1000}]"));
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    b.deaf = true;
    ck_ok(bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
    reply = bench_ask(&b, "'do': 'reset', 'scope': 'device'");
    ck_ok(reply);
    ck_assert_int_eq(number_of(reply, "epoch"), 1);
    ck_assert_int_eq(number_of(reply, "new_epoch"), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(reply, "survives")), 0);
    place = bench_place(&b, reply);

    /* Neither the delayed answer nor the retransmission nor a timeout comes any more. */
    ck_assert_uint_eq(tl_sut_deadline(b.sut), FAL_NEVER);
    bench_run(&b, 10 * FAL_S);
    for (size_t i = place + 1; i < json_array_size(b.said); i++)
        ck_assert_int_eq(number_of(json_array_get(b.said, i), "epoch"), 2);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 0);

    /* A command of the old epoch is refused, in the new one. */
    reply = bench_ask(&b, "'do': 'barrier'");
    ck_error(reply, "failed", "epoch: 1 is not the current one, 2");
    ck_assert_int_eq(number_of(reply, "epoch"), 2);
    b.epoch = 3;
    ck_error(bench_ask(&b, "'do': 'barrier'"), "failed", "epoch: 3");
    b.epoch = 2;
    ck_ok(bench_ask(&b, "'do': 'barrier'"));
    ck_error(bench_ask(&b, "'do': 'barrier', 'conn': 'c1'"), "failed",
             "unknown connection 'c1'");
    bench_free(&b);
}
END_TEST

START_TEST(reset_drops_what_its_scope_says)
{
    struct bench b;
    json_t *reply;

    bench_new(&b, NULL);
    for (unsigned i = 1; i <= 6; i++)
        ck_ok(bench_ask(
            &b,
            "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}, 'local': {'function': %u}",
            i <= 2   ? 50
            : i <= 4 ? 60
                     : 70));
    reply = bench_ask(&b, "'do': 'reset', 'scope': 'connection', 'conn': 'c1'");
    ck_ok(reply);
    ck_assert_uint_eq(json_array_size(json_object_get(reply, "survives")), 2);
    b.epoch = 2;
    ck_error(bench_ask(&b, "'do': 'state', 'conn': 'c1'"), "failed", "unknown connection");
    ck_ok(bench_ask(&b, "'do': 'state', 'conn': 'c2'"));
    ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'function', 'function': 60"));
    b.epoch = 3;
    ck_error(bench_ask(&b, "'do': 'state', 'conn': 'c3'"), "failed", "unknown connection");
    ck_error(bench_ask(&b, "'do': 'state', 'conn': 'c4'"), "failed", "unknown connection");
    ck_ok(bench_ask(&b, "'do': 'state', 'conn': 'c2'"));
    ck_ok(bench_ask(&b, "'do': 'state', 'conn': 'c5'"));
    ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'function'"));
    b.epoch = 4;
    ck_error(bench_ask(&b, "'do': 'state', 'conn': 'c5'"), "failed", "unknown connection");
    bench_free(&b);
}
END_TEST

START_TEST(counters_count_frames_since_the_reset)
{
    struct bench b;
    const json_t *reply;
    const uint8_t noise[3] = {1, 2, 3};

    bench_new(&b, NULL);
    bench_open(&b, "");
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    bench_run(&b, 10 * FAL_US);
    tl_sut_frame(b.sut, noise, sizeof noise, b.now_ns);
    tl_sut_frame(b.sut, NULL, 0, b.now_ns);
    reply = bench_ask(&b, "'do': 'counters'");
    ck_assert_int_eq(number_of(reply, "frames_received"), 3);
    ck_assert_int_eq(number_of(reply, "frames_sent"), 1);
    ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'function'"));
    b.epoch = 2;
    ck_assert_int_eq(number_of(bench_ask(&b, "'do': 'counters'"), "frames_received"), 3);
    ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'device'"));
    b.epoch = 3;
    ck_assert_int_eq(number_of(bench_ask(&b, "'do': 'counters'"), "frames_received"), 0);
    bench_free(&b);
}
END_TEST

START_TEST(state_has_the_windows)
{
    struct bench b;
    const json_t *state;

    bench_new(&b, NULL);
    bench_open(&b, "");
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    state = json_object_get(bench_ask(&b, "'do': 'state', 'conn': 'c1'"), "state");
    ck_assert_int_eq(number_of(state, "rx_dbpsn"), 0); /* one past 2^32 - 1 */
    ck_assert_int_eq(number_of(state, "rx_rbpsn"), 0xfffffffe);
    ck_assert_int_eq(number_of(state, "tx_dbpsn"), b.end.data_psn);
    ck_assert_str_eq(text_of(state, "data_rx_bitmap"), "0x00000000000000000000000000000000");
    ck_assert_int_eq(number_of(state, "nrsn"), 0xffffffff);
    bench_free(&b);
}
END_TEST

START_TEST(peer_address_is_required_and_harmless)
{
    static const struct {
        const char *address, *why;
    } rows[] = {
        {"", "peer_address: missing"},
        {", 'peer_address': 5", "peer_address: expected a text"},
        {", 'peer_address': '8.8.8.8:53'", "is not loopback or private"},
        {", 'peer_address': '0.0.0.0:53'", "is not loopback or private"},
        {", 'peer_address': '224.0.0.1:53'", "is not loopback or private"},
        {", 'peer_address': '[::1]:53'", "a different IP version"},
        {", 'peer_address': '127.0.0.1:0'", "no port"},
        {", 'peer_address': '127.0.0.1'", "expected HOST:PORT"},
        {", 'peer_address': 'localhost:7'", "not a numeric"},
    };
    struct tl_sut_config config = {.seed = 7, .live = true, .peer_family = AF_INET};
    struct bench b;
    char text[TL_ADDRESS_TEXT];

    bench_new(&b, NULL);
    tl_sut_free(b.sut);
    b.sut = tl_sut_new(&config);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_error(
            bench_ask(
                &b,
                "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}%s",
                rows[i].address),
            "failed", rows[i].why);
    ck_ok(bench_ask(
        &b,
        "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': "
        "0}, 'peer_address': '10.1.2.3:7777'"));
    ck_assert_ptr_null(tl_sut_peer(b.sut, 0));
    ck_assert_ptr_nonnull(tl_sut_peer(b.sut, 1));
    tl_address_text(tl_sut_peer(b.sut, 1), text);
    ck_assert_str_eq(text, "10.1.2.3:7777");
    bench_free(&b);
}
END_TEST

/* The caller reads no lines: replies are kept, events beyond the limit are dropped and counted,
 * frames continue. */
START_TEST(who_does_not_read_loses_events_and_is_told)
{
    enum { POSTS = 6000 };
    struct tl_sut_out out;
    struct bench b;
    uint64_t seq = 0, gap = 0, told = 0;
    unsigned events = 0, replies = 0;
    const char post[] =
        "{\"id\": 9, \"epoch\": 1, \"do\": \"post\", \"conn\": \"c1\", \"op\": \"shove\"}";

    const char barrier[] = "{\"id\": 10, \"epoch\": 1, \"do\": \"barrier\"}";

    bench_new(&b, NULL);
    bench_open(&b, "");
    json_array_clear(b.said);
    tl_sut_hold_lines(b.sut, true);
    for (unsigned i = 0; i < POSTS; i++) {
        (void)bench_post(&b, FAL_OP_PUSH, 16);
        bench_run(&b, b.now_ns + 10000);
    }
    ck_assert_uint_eq(b.completed, POSTS); /* the wire never noticed */
    ck_assert_uint_eq(bench_count(&b, "event", "request"), 0);
    for (unsigned i = 0; i < 1000; i++)
        tl_sut_line(b.sut, post, sizeof post - 1, b.now_ns);
    tl_sut_line(b.sut, barrier, sizeof barrier - 1, b.now_ns);
    tl_sut_hold_lines(b.sut, false);
    while (tl_sut_next(b.sut, &out)) {
        json_t *line = json_loadb((const char *)out.bytes, out.len, 0, NULL);

        ck_assert_ptr_nonnull(line);
        if (json_object_get(line, "id") != NULL) {
            replies++;
            if (number_of(line, "id") == 10)
                ck_assert_uint_gt(told, 0); /* before the barrier's answer */
        } else {
            gap += (uint64_t)number_of(line, "seq") - seq - 1;
            seq = (uint64_t)number_of(line, "seq");
            events++;
            told += (uint64_t)number_of(line, "count");
        }
        json_decref(line);
    }
    ck_assert_uint_eq(replies, 1001);
    ck_assert_uint_gt(told, 0);
    ck_assert_uint_eq(told, gap);
    ck_assert_uint_eq(events - 1 + told, 2 * POSTS); /* a request and a ulp_ack each */
    bench_free(&b);
}
END_TEST

/* A SUT need not support tunnel mode; one that does opens the connection. */
START_TEST(FTP_7_1_2_02_tunnel_mode_may_be_refused)
{
    static const char *const open_tunnel =
        "'do': 'open', 'encap': 'psp_tunnel', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
        "'data_psn': 0, 'rsn': 0}";

    for (unsigned refused = 0; refused < 2; refused++) {
        struct tl_sut_config config = {.seed = 1};
        struct bench b;
        const json_t *reply;

        if (refused == 1)
            fal_twin_add(&config.twins.set, FAL_TWIN_TUNNELS_REFUSED);
        bench_new(&b, NULL);
        tl_sut_free(b.sut);
        b.sut = tl_sut_new(&config);
        ck_assert_ptr_nonnull(b.sut);
        reply = bench_ask(&b, "%s", open_tunnel);
        if (refused == 1)
            ck_error(reply, "unsupported", "tunnel mode is not supported");
        else
            ck_assert_str_ne(text_of(reply, "error"), "unsupported");
        bench_free(&b);
    }
}
END_TEST

START_TEST(same_seed_same_words)
{
    json_t *said[2];

    for (unsigned i = 0; i < 2; i++) {
        struct bench b;

        bench_new(&b, NULL);
        bench_open(&b, "");
        for (unsigned k = 0; k < 50; k++) {
            (void)bench_post(&b, k % 3 == 0 ? FAL_OP_PULL : FAL_OP_PUSH, 16 + k);
            (void)bench_ask(&b,
                            "'do': 'post', 'conn': 'c1', 'op': '%s', 'length': %u, 'tag': %u",
                            k % 2 == 0 ? "pull" : "push", k, k);
        }
        bench_run(&b, FAL_S);
        said[i] = json_incref(b.said);
        bench_free(&b);
    }
    ck_assert_uint_gt(json_array_size(said[0]), 200);
    ck_assert(json_equal(said[0], said[1]));
    json_decref(said[0]);
    json_decref(said[1]);
}
END_TEST

/* Each command of the list is one that the SUT knows. */
static void check_commands(struct bench *b, const json_t *commands)
{
    const json_t *each;
    size_t i;

    json_array_foreach(commands, i, each)
    {
        const json_t *verb = json_object_get(json_object_get(each, "properties"), "do");
        const json_t *reply;

        if (json_object_get(each, "$ref") != NULL)
            continue; /* the words of an upper layer */
        reply = bench_ask(b, "'do': '%s'", text_of(verb, "const"));
        ck_assert_msg(strstr(text_of(reply, "why"), "unknown command") == NULL, "%s",
                      text_of(reply, "why"));
    }
}

/* The schema that vendors read names the commands and parameters that there are, and no others.
 */
START_TEST(the_schema_knows_every_command_and_parameter)
{
    json_t *schema = json_load_file("scenarios/schema/sut-protocol.json", 0, NULL);
    const json_t *definitions = json_object_get(schema, "definitions");
    const json_t *commands = json_object_get(json_object_get(definitions, "command"), "anyOf");
    const json_t *words =
        json_object_get(json_object_get(definitions, "verbs_command"), "anyOf");
    const json_t *nvme = json_object_get(json_object_get(definitions, "nvme_command"), "anyOf");
    const json_t *params =
        json_object_get(json_object_get(definitions, "params"), "properties");
    size_t n, i;
    const struct fal_param *table = fal_param_table(&n);
    struct bench b;

    ck_assert_ptr_nonnull(schema);
    bench_new(&b, NULL);
    ck_assert_uint_eq(json_object_size(params), n);
    for (i = 0; i < n; i++)
        ck_assert_msg(json_object_get(params, table[i].key) != NULL, "%s", table[i].key);
    /* The last two of them stand for the words of RDMA verbs and of NVMe. */
    ck_assert_uint_eq(json_array_size(commands), 21);
    check_commands(&b, commands);
    ck_assert_uint_eq(json_array_size(words), FAL_VERBS_COMMANDS);
    check_commands(&b, words);
    ck_assert_uint_eq(json_array_size(nvme), FAL_NVME_COMMANDS);
    check_commands(&b, nvme);
    json_decref(schema);
    bench_free(&b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sut");
    TCase *tc = tcase_create("commands");

    tcase_add_test(tc, hello_tells_who_it_is);
    tcase_add_loop_test(tc, a_bad_command_is_answered_with_its_reason_and_changes_nothing, 0,
                        sizeof bad_commands / sizeof *bad_commands);
    tcase_add_loop_test(tc, a_line_that_makes_no_sense_is_answered_with_id_0, 0,
                        sizeof bad_lines / sizeof *bad_lines);
    tcase_add_test(tc, hostile_lines_do_no_harm);
    tcase_add_test(tc, random_lines_are_each_answered_once);
    tcase_add_test(tc, open_honours_wishes_and_chooses_the_rest);
    tcase_add_test(tc, open_takes_parameters_by_their_keys);
    tcase_add_test(tc, set_changes_parameters_until_something_happens);
    tcase_add_test(tc, connections_are_many_and_bounded);
    tcase_add_test(tc, reset_begins_an_epoch_and_the_old_one_is_over);
    tcase_add_test(tc, reset_drops_what_its_scope_says);
    tcase_add_test(tc, counters_count_frames_since_the_reset);
    tcase_add_test(tc, state_has_the_windows);
    tcase_add_test(tc, peer_address_is_required_and_harmless);
    tcase_add_test(tc, who_does_not_read_loses_events_and_is_told);
    tcase_add_test(tc, FTP_7_1_2_02_tunnel_mode_may_be_refused);
    tcase_add_test(tc, same_seed_same_words);
    tcase_add_test(tc, the_schema_knows_every_command_and_parameter);
    suite_add_tcase(suite, tc);
    return suite;
}
