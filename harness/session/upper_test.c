/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/session/upper.h"

#include "harness/sut/sut.h"
#include "harness/wire/control_io.h"
#include "oracles/payload.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tl_upper *upper;
static struct tl_upper_line got;

static void set_up(void)
{
    upper = tl_upper_new();
    ck_assert_ptr_nonnull(upper);
}

static void tear_down(void)
{
    tl_upper_free(upper);
}

/* Takes a line in which ' stands for ". */
static enum tl_upper_got take(const char *text)
{
    char line[4096];
    size_t len = strlen(text);

    ck_assert_uint_lt(len, sizeof line);
    memcpy(line, text, len + 1);
    for (char *at = line; *at != 0; at++)
        if (*at == '\'')
            *at = '"';
    return tl_upper_line(upper, line, len, &got);
}

/* Writes a command; its id. The line must be `want`, if that is given. */
static int64_t ask(const char *members, const char *want, struct fal_event *event)
{
    char text[1024], expected[1024];
    json_t *command;
    char *line;
    int64_t id;

    (void)snprintf(text, sizeof text, "{%s}", members);
    for (char *at = text; *at != 0; at++)
        if (*at == '\'')
            *at = '"';
    command = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(command);
    line = tl_upper_command(upper, command, &id, event);
    json_decref(command);
    ck_assert_ptr_nonnull(line);
    if (want != NULL) {
        (void)snprintf(expected, sizeof expected, "%s", want);
        for (char *at = expected; *at != 0; at++)
            if (*at == '\'')
                *at = '"';
        ck_assert_str_eq(line, expected);
    }
    if (event != NULL)
        ck_assert_ptr_eq(event->u.command.text, line);
    free(line);
    return id;
}

START_TEST(commands_are_numbered_and_carry_the_epoch)
{
    ck_assert_int_eq(
        ask("'do': 'hello', 'version': 1", "{'id':1,'epoch':1,'do':'hello','version':1}", NULL),
        1);
    ck_assert_int_eq(ask("'do': 'barrier'", "{'id':2,'epoch':1,'do':'barrier'}", NULL), 2);
    tl_upper_set_epoch(upper, 9);
    ck_assert_int_eq(
        ask("'id': 77, 'epoch': 5, 'do': 'x'", "{'id':3,'epoch':9,'do':'x'}", NULL), 3);
    tl_upper_set_epoch(upper, 4);
    ck_assert_int_eq(ask("'do': 'x'", "{'id':4,'epoch':9,'do':'x'}", NULL), 4);
}
END_TEST

START_TEST(a_command_becomes_an_event)
{
    struct fal_event event;
    uint8_t payload[100];

    (void)ask("'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 100, 'tag': 5, 'seed': 6",
              NULL, &event);
    ck_assert_int_eq(event.kind, FAL_EV_COMMAND);
    ck_assert_int_eq(event.u.command.id, 1);
    ck_assert_str_eq(event.u.command.verb, "post");
    ck_assert_int_eq(event.u.command.op, FAL_OP_PUSH);
    ck_assert_uint_eq(event.u.command.length, 100);
    ck_assert_uint_eq(event.u.command.tag, 5);
    fal_payload_fill(5, 6, payload, 100);
    ck_assert(event.u.command.has_hash);
    ck_assert_uint_eq(event.u.command.hash, fal_payload_hash(payload, 100));

    (void)ask("'do': 'post', 'conn': 'c1', 'op': 'pull', 'length': 100, 'tag': 5", NULL,
              &event);
    ck_assert_int_eq(event.u.command.op, FAL_OP_PULL);
    ck_assert(!event.u.command.has_hash);

    (void)ask("'do': 'respond', 'conn': 'c1', 'rsn': 8, 'answer': 'rnr', 'rnr_ns': 10000", NULL,
              &event);
    ck_assert_uint_eq(event.u.command.rsn, 8);
    ck_assert_int_eq(event.u.command.answer, FAL_ANSWER_RNR);
    ck_assert_uint_eq(event.u.command.rnr_ns, 10000);
    (void)ask("'do': 'respond', 'conn': 'c1', 'rsn': 8, 'answer': 'cie', 'code': 3", NULL,
              &event);
    ck_assert_int_eq(event.u.command.answer, FAL_ANSWER_CIE);
    ck_assert_uint_eq(event.u.command.code, 3);
    (void)ask("'do': 'respond', 'conn': 'c1', 'rsn': 8, 'answer': 'data', 'length': 20", NULL,
              &event);
    fal_payload_fill(8, 0, payload, 20); /* the protocol's default */
    ck_assert(event.u.command.has_hash);
    ck_assert_uint_eq(event.u.command.hash, fal_payload_hash(payload, 20));
    (void)ask("'do': 'respond', 'conn': 'c1', 'rsn': 8, 'answer': 'data'", NULL, &event);
    ck_assert(!event.u.command.has_hash);
    (void)ask("'do': 'a_verb_longer_than_fits', 'length': -1, 'op': 3", NULL, &event);
    ck_assert_str_eq(event.u.command.verb, "a_verb_longer_t");
    ck_assert_uint_eq(event.u.command.length, 0);
    (void)ask("'do': 'post', 'op': 'push', 'length': 4294967295, 'tag': 5", NULL, &event);
    ck_assert(!event.u.command.has_hash);
}
END_TEST

START_TEST(replies_match_their_commands_in_any_order)
{
    (void)ask("'do': 'post', 'conn': 'c7'", NULL, NULL);
    (void)ask("'do': 'barrier'", NULL, NULL);
    ck_assert_int_eq(take("{'id': 2, 'epoch': 1, 'ok': true}"), TL_UPPER_REPLY);
    ck_assert_int_eq(got.id, 2);
    ck_assert(got.ok);
    ck_assert_str_eq(got.conn_name, "");
    ck_assert(!got.event.u.reply.has_rsn);
    ck_assert_int_eq(take("{'id': 1, 'epoch': 1, 'ok': true, 'rsn': 12, 'later': {}}"),
                     TL_UPPER_REPLY);
    ck_assert_int_eq(got.id, 1);
    ck_assert_str_eq(got.conn_name, "c7"); /* that of its command */
    ck_assert_int_eq(got.event.kind, FAL_EV_REPLY);
    ck_assert_int_eq(got.event.u.reply.id, 1);
    ck_assert(got.event.u.reply.ok);
    ck_assert(got.event.u.reply.has_rsn);
    ck_assert_uint_eq(got.event.u.reply.rsn, 12);
    ck_assert_str_eq(got.event.u.reply.text,
                     "{\"id\": 1, \"epoch\": 1, \"ok\": true, \"rsn\": 12, \"later\": {}}");
    ck_assert(json_is_object(json_object_get(got.object, "later")));
    (void)ask("'do': 'x'", NULL, NULL);
    ck_assert_int_eq(take("{'id': 3, 'epoch': 1, 'error': 'busy', 'why': 'not now'}"),
                     TL_UPPER_REPLY);
    ck_assert(!got.ok);
    ck_assert(!got.event.u.reply.ok);
}
END_TEST

START_TEST(events_become_events)
{
    ck_assert_int_eq(
        take(
            "{'seq': 1, 'epoch': 1, 'event': 'request', 'conn': 'c1', 'rsn': 4294967295, 'op': "
            "'push', 'length': 64, 'tag': '0xffffffffffffffff', 'hash': '0x00000000000000ff', "
            "'redelivery': true, 'stamp_ns': 5, 'err_ns': 6}"),
        TL_UPPER_EVENT);
    ck_assert_str_eq(got.conn_name, "c1");
    ck_assert_int_eq(got.event.kind, FAL_EV_ULP);
    ck_assert_int_eq(got.event.u.ulp.kind, FAL_ULP_REQUEST);
    ck_assert_uint_eq(got.event.u.ulp.seq, 1);
    ck_assert_uint_eq(got.event.u.ulp.rsn, UINT32_MAX);
    ck_assert_int_eq(got.event.u.ulp.op, FAL_OP_PUSH);
    ck_assert_uint_eq(got.event.u.ulp.length, 64);
    ck_assert_uint_eq(got.event.u.ulp.tag, UINT64_MAX);
    ck_assert(got.event.u.ulp.has_hash);
    ck_assert_uint_eq(got.event.u.ulp.hash, 255);
    ck_assert(got.event.u.ulp.redelivery);
    ck_assert(got.event.u.ulp.has_stamp);
    ck_assert_uint_eq(got.event.u.ulp.stamp_ns, 5);
    ck_assert_uint_eq(got.event.u.ulp.stamp_error_ns, 6);
    ck_assert_uint_eq(got.lost, 0);

    ck_assert_int_eq(
        take(
            "{'seq': 2, 'epoch': 1, 'event': 'ulp_ack', 'conn': 'c1', 'rsn': 3, 'answer': 'cie', "
            "'code': 9, 'stamp_ns': 5}"),
        TL_UPPER_EVENT);
    ck_assert_int_eq(got.event.u.ulp.kind, FAL_ULP_ACK);
    ck_assert_int_eq(got.event.u.ulp.answer, FAL_ANSWER_CIE);
    ck_assert_uint_eq(got.event.u.ulp.code, 9);
    ck_assert(!got.event.u.ulp.has_stamp); /* without its error it counts as none */

    ck_assert_int_eq(
        take(
            "{'seq': 3, 'epoch': 1, 'event': 'completion', 'conn': 'c1', 'rsn': 3, 'tag': 4, 'code': "
            "3, 'ulp_nack_code': 200}"),
        TL_UPPER_EVENT);
    ck_assert_int_eq(got.event.u.ulp.kind, FAL_ULP_COMPLETION);
    ck_assert_uint_eq(got.event.u.ulp.code, 3);
    ck_assert_uint_eq(got.event.u.ulp.ulp_nack_code, 200);
    ck_assert(!got.event.u.ulp.has_hash);

    ck_assert_int_eq(take("{'seq': 4, 'epoch': 1, 'event': 'cm_error', 'conn': 'c1', 'what': "
                          "'a reason that is much longer than the event has room for'}"),
                     TL_UPPER_EVENT);
    ck_assert_int_eq(got.event.kind, FAL_EV_CM);
    ck_assert_uint_eq(got.event.u.cm.seq, 4);
    ck_assert_str_eq(got.event.u.cm.what, "a reason that is much longer th");
    ck_assert_int_eq(take("{'seq': 5, 'epoch': 1, 'event': 'dropped', 'count': 17}"),
                     TL_UPPER_EVENT);
    ck_assert_str_eq(got.event.u.cm.what, "dropped");
    ck_assert_uint_eq(got.event.u.cm.count, 17);
    ck_assert_str_eq(got.conn_name, "");
}
END_TEST

START_TEST(a_gap_in_seq_is_counted_as_lost)
{
    ck_assert_int_eq(take("{'seq': 4, 'epoch': 1, 'event': 'dropped', 'count': 3}"),
                     TL_UPPER_EVENT);
    ck_assert_uint_eq(got.lost, 3);
    ck_assert_int_eq(take("{'seq': 5, 'epoch': 1, 'event': 'dropped', 'count': 3}"),
                     TL_UPPER_EVENT);
    ck_assert_uint_eq(got.lost, 0);
    ck_assert_int_eq(take("{'seq': 1000000, 'epoch': 1, 'event': 'dropped', 'count': 3}"),
                     TL_UPPER_EVENT);
    ck_assert_uint_eq(got.lost, 999994);
    ck_assert_int_eq(take("{'seq': 1000000, 'epoch': 1, 'event': 'dropped', 'count': 3}"),
                     TL_UPPER_GARBAGE);
    ck_assert(strncmp(got.err.text, "seq: 1000000 after 1000000", 26) == 0);
    ck_assert_int_eq(take("{'seq': 999999, 'epoch': 1, 'event': 'dropped', 'count': 3}"),
                     TL_UPPER_GARBAGE);
}
END_TEST

START_TEST(a_reset_ends_its_epoch)
{
    (void)ask("'do': 'barrier'", NULL, NULL);
    (void)ask("'do': 'reset', 'scope': 'device'", NULL, NULL);
    (void)ask("'do': 'barrier'", NULL, NULL); /* written before the answer came */
    ck_assert_int_eq(take("{'seq': 1, 'epoch': 1, 'event': 'dropped', 'count': 1}"),
                     TL_UPPER_EVENT);
    ck_assert_int_eq(take("{'id': 2, 'epoch': 1, 'ok': true, 'new_epoch': 5, 'survives': []}"),
                     TL_UPPER_REPLY);
    (void)ask("'do': 'x'", "{'id':4,'epoch':5,'do':'x'}", NULL);
    /* Of the old epoch: ignored, but part of the sequence. */
    ck_assert_int_eq(take("{'id': 1, 'epoch': 1, 'ok': true}"), TL_UPPER_STALE);
    ck_assert_int_eq(take("{'seq': 3, 'epoch': 1, 'event': 'dropped', 'count': 1}"),
                     TL_UPPER_STALE);
    ck_assert_uint_eq(got.lost, 1);
    ck_assert_int_eq(take("{'id': 3, 'epoch': 5, 'error': 'failed', 'why': 'epoch 1 is over'}"),
                     TL_UPPER_STALE);
    ck_assert_int_eq(take("{'seq': 4, 'epoch': 5, 'event': 'dropped', 'count': 1}"),
                     TL_UPPER_EVENT);
    ck_assert_uint_eq(got.lost, 0);
    ck_assert_int_eq(take("{'id': 4, 'epoch': 5, 'ok': true}"), TL_UPPER_REPLY);
    ck_assert_int_eq(take("{'seq': 5, 'epoch': 6, 'event': 'dropped', 'count': 1}"),
                     TL_UPPER_GARBAGE);
}
END_TEST

START_TEST(a_refused_reset_ends_nothing)
{
    (void)ask("'do': 'reset', 'scope': 'device'", NULL, NULL);
    ck_assert_int_eq(take("{'id': 1, 'epoch': 1, 'error': 'unsupported', 'why': 'no'}"),
                     TL_UPPER_REPLY);
    (void)ask("'do': 'x'", "{'id':2,'epoch':1,'do':'x'}", NULL);
}
END_TEST

static const struct {
    const char *line, *why;
} bad[] = {
    {"", "not a JSON object"},
    {"OK", "not a JSON object"},
    {"HTTP/1.1 400 Bad Request\r", "not a JSON object"},
    {"\x1b[31mroot@dut:~#", "not a JSON object"},
    {"{'id': 1, 'epoch': 1, 'ok': tr", "not a JSON object"},
    {"[]", "not a JSON object"},
    {"null", "not a JSON object"},
    {"'x'", "not a JSON object"},
    {"{}", "id: missing"},
    {"{'id': 1, 'ok': true}", "epoch: missing"},
    {"{'epoch': 1, 'ok': true}", "id: missing"},
    {"{'id': null, 'epoch': 1, 'ok': true}", "id: missing"},
    {"{'id': '1', 'epoch': 1, 'ok': true}", "id: expected a whole number"},
    {"{'id': 1.0, 'epoch': 1, 'ok': true}", "id: expected a whole number"},
    {"{'id': -1, 'epoch': 1, 'ok': true}", "id: expected a whole number"},
    {"{'id': 99999999999999999999, 'epoch': 1, 'ok': true}", "not a JSON object"},
    {"{'id': 1, 'epoch': 'x', 'ok': true}", "epoch: expected a whole number"},
    {"{'id': 1, 'epoch': 2, 'ok': true}", "epoch: 2 has not begun"},
    {"{'id': 1, 'epoch': 1}", "either"},
    {"{'id': 1, 'epoch': 1, 'ok': false}", "either"},
    {"{'id': 1, 'epoch': 1, 'ok': true, 'error': 'failed'}", "either"},
    {"{'id': 1, 'epoch': 1, 'ok': 1}", "ok: expected true or false"},
    {"{'id': 1, 'epoch': 1, 'error': 5}",
     "error: expected unsupported, busy or failed, found 5"},
    {"{'id': 1, 'epoch': 1, 'error': 'sorry', 'why': ''}",
     "error: expected unsupported, busy or failed, found 'sorry'"},
    {"{'id': 1, 'epoch': 1, 'error': 'failed', 'why': []}", "why: expected a text"},
    {"{'id': 9, 'epoch': 1, 'ok': true}", "no command 9 waits"},
    {"{'id': 0, 'epoch': 1, 'error': 'failed', 'why': 'not JSON'}",
     "could not read a command: not JSON"},
    {"{'id': 1, 'epoch': 1, 'ok': true, 'rsn': 4294967296}", "found 4294967296"},
    {"{'id': 1, 'epoch': 1, 'ok': true, 'conn': 1}", "conn: expected a text"},
    {"{'id': 1, 'id': 1, 'epoch': 1, 'ok': true}", "duplicate"},
    {"{'event': 'request'}", "seq: missing"},
    {"{'event': 1, 'seq': 1, 'epoch': 1}", "event: expected a text"},
    {"{'event': 'party', 'seq': 1, 'epoch': 1}", "there is no 'party'"},
    {"{'event': 'dropped', 'seq': 0, 'epoch': 1, 'count': 1}", "seq: 0 after 0"},
    {"{'event': 'dropped', 'seq': 1, 'epoch': 1}", "count: missing"},
    {"{'event': 'dropped', 'seq': 1, 'count': 1}", "epoch: missing"},
    {"{'event': 'cm_error', 'seq': 1, 'epoch': 1, 'conn': 'c1'}", "what: missing"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'rsn': 1, 'code': 0}", "conn: missing"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'code': 0}", "rsn: missing"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0}", "code: missing"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'code': 'ok'}",
     "code: expected"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'code': 0, 'hash': 5}",
     "hash"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'code': 0, 'hash': '0x12'}",
     "hash"},
    {"{'event': 'completion', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'code': 0, 'hash': '0xgggggggggggggggg'}",
     "hash"},
    {"{'event': 'ulp_ack', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0}", "answer: missing"},
    {"{'event': 'ulp_ack', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'answer': 'nack'}",
     "answer: expected"},
    {"{'event': 'request', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'length': 1}",
     "op: missing"},
    {"{'event': 'request', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 0, 'op': 'push'}",
     "length: missing"},
    {"{'event': 'request', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': -1, 'op': 'push', 'length': 1}",
     "rsn"},
    {"{'event': 'request', 'seq': 1, 'epoch': 1, 'conn': 'c1', 'rsn': 1, 'op': 'push', 'length': 1, 'redelivery': 0}",
     "redelivery"},
    {"{'event': 'request', 'seq': 1, 'epoch': 1, 'conn': 'a handle of more than thirty-one bytes', 'rsn': 1, "
     "'op': 'push', 'length': 1}",
     "conn: expected a text of at most 31 bytes"},
};

START_TEST(garbage_is_refused_with_its_reason_and_a_piece_of_it)
{
    (void)ask("'do': 'x'", NULL, NULL);
    ck_assert_int_eq(take(bad[_i].line), TL_UPPER_GARBAGE);
    ck_assert_msg(strstr(got.err.text, bad[_i].why) != NULL, "%s", got.err.text);
    ck_assert(strstr(got.err.text, "the line: ") != NULL);
    for (const char *at = got.err.text; *at != 0; at++)
        ck_assert(*at >= 0x20 && *at < 0x7f);
}
END_TEST

START_TEST(a_reset_must_name_a_new_epoch)
{
    static const char *const lines[] = {
        "{'id': 1, 'epoch': 1, 'ok': true}",
        "{'id': 1, 'epoch': 1, 'ok': true, 'new_epoch': 1}",
        "{'id': 1, 'epoch': 1, 'ok': true, 'new_epoch': 0}",
        "{'id': 1, 'epoch': 1, 'ok': true, 'new_epoch': '2'}",
    };

    (void)ask("'do': 'reset'", NULL, NULL);
    ck_assert_int_eq(take(lines[_i]), TL_UPPER_GARBAGE);
    ck_assert_msg(strstr(got.err.text, "new_epoch") != NULL, "%s", got.err.text);
}
END_TEST

START_TEST(an_answer_comes_once)
{
    (void)ask("'do': 'x'", NULL, NULL);
    ck_assert_int_eq(take("{'id': 1, 'epoch': 1, 'ok': true}"), TL_UPPER_REPLY);
    ck_assert_int_eq(take("{'id': 1, 'epoch': 1, 'ok': true}"), TL_UPPER_GARBAGE);
}
END_TEST

START_TEST(bytes_of_all_kinds_do_no_harm)
{
    uint64_t seed = test_seed(1);
    const char base[] =
        "{\"seq\": 1, \"epoch\": 1, \"event\": \"request\", \"conn\": \"c1\", \"rsn\": 1, \"op\": "
        "\"push\", \"length\": 64, \"hash\": \"0x0123456789abcdef\"}";
    char *line = malloc(TL_LINE_MAX + 2);

    for (unsigned long round = 0; round < test_rounds(10000); round++) {
        struct fal_rng rng = fal_rng_split(seed, round);
        size_t len = sizeof base - 1;

        memcpy(line, base, len);
        for (uint64_t n = 1 + fal_rng_below(&rng, 4); n > 0; n--)
            line[fal_rng_below(&rng, len)] = (char)fal_rng_next(&rng);
        if (round % 7 == 0)
            len = fal_rng_below(&rng, len + 1);
        (void)tl_upper_line(upper, line, len, &got);
    }
    memset(line, '[', TL_LINE_MAX + 1);
    ck_assert_int_eq(tl_upper_line(upper, line, TL_LINE_MAX, &got), TL_UPPER_GARBAGE);
    ck_assert_int_eq(tl_upper_line(upper, line, TL_LINE_MAX + 1, &got), TL_UPPER_GARBAGE);
    ck_assert(strncmp(got.err.text, "a line of more than 65536 bytes", 31) == 0);
    memset(line, 0, TL_LINE_MAX);
    ck_assert_int_eq(tl_upper_line(upper, line, TL_LINE_MAX, &got), TL_UPPER_GARBAGE);
    free(line);
}
END_TEST

START_TEST(a_flood_of_events_takes_no_memory)
{
    unsigned long rounds = test_rounds(50000);
    char line[200];

    for (unsigned long i = 1; i <= rounds; i++) {
        int len = snprintf(line, sizeof line,
                           "{\"seq\":%lu,\"epoch\":1,\"event\":\"dropped\",\"count\":1}", i);

        ck_assert_int_eq(tl_upper_line(upper, line, (size_t)len, &got), TL_UPPER_EVENT);
    }
    ck_assert_uint_eq(got.event.u.cm.seq, rounds);
}
END_TEST

START_TEST(open_says_wishes_and_every_parameter)
{
    struct fal_connection connection = {.tester = {1, 2, 3, 4, 5}, .sut = {.req_psn = 9}};
    json_t *open, *local;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    fal_params_default(&connection.params, false);
    connection.params.coalescing_ns = FAL_NEVER;
    open = tl_upper_open(&connection);
    local = json_object_get(open, "local");
    ck_assert_uint_eq(json_object_size(local), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(local, "req_psn")), 9);
    ck_assert_uint_eq(json_object_size(json_object_get(open, "params")), n);
    for (size_t i = 0; i < n; i++)
        ck_assert_ptr_nonnull(json_object_get(json_object_get(open, "params"), table[i].key));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(open, "peer"), "rsn")),
                     5);
    json_decref(open);

    connection.initial_known = true;
    open = tl_upper_open(&connection);
    local = json_object_get(open, "local");
    ck_assert_uint_eq(json_object_size(local), 4); /* all but the CID of 0 */
    ck_assert_ptr_null(json_object_get(local, "cid"));
    ck_assert_ptr_nonnull(json_object_get(local, "rsn"));
    json_decref(open);
}
END_TEST

START_TEST(opened_reads_what_the_sut_chose)
{
    struct fal_connection connection = {.tester = {1, 2, 3, 4, 5}};
    struct fal_error err;
    json_t *reply =
        json_pack("{s:s, s:{s:i, s:i, s:i, s:i, s:i}, s:{s:i, s:b, s:i}}", "conn", "h-7",
                  "local", "cid", 11, "function", 12, "req_psn", 13, "data_psn", 14, "rsn", 15,
                  "params", "rto_ns", 4000000, "ordered", 0, "unheard_of", 3);

    fal_params_default(&connection.params, false);
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), 0);
    ck_assert_str_eq(connection.name, "h-7");
    ck_assert_uint_eq(connection.sut.cid, 11);
    ck_assert_uint_eq(connection.sut.rsn, 15);
    ck_assert_uint_eq(connection.params.rto_ns, 4000000);
    ck_assert(!connection.params.ordered);
    ck_assert(connection.initial_known);

    json_object_set_new(json_object_get(reply, "local"), "cid", json_integer(0x1000000));
    connection.sut.cid = 99;
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), FAL_ERR_FORM);
    ck_assert_uint_eq(connection.sut.cid, 99); /* nothing half read */
    json_object_set_new(json_object_get(reply, "local"), "cid", json_integer(1));
    json_object_set_new(json_object_get(reply, "params"), "mtu", json_string("big"));
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "params.mtu: expected a whole number from 0");
    json_object_set_new(reply, "params", json_null());
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), 0);
    json_object_del(reply, "local");
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), FAL_ERR_FORM);
    json_object_set_new(reply, "conn", json_string(""));
    ck_assert_int_eq(tl_upper_opened(reply, &connection, &err), FAL_ERR_FORM);
    json_decref(reply);
}
END_TEST

/* Both ends of the protocol in one room: they must understand each other. */
START_TEST(upper_and_sut_understand_each_other)
{
    struct tl_sut *sut = tl_sut_new(&(struct tl_sut_config){.seed = 3});
    struct fal_connection connection = {
        .tester = {1, 2, 3, 4, 5}, .initial_known = true, .sut = {0, 8, 0, 0xffffffff, 6}};
    json_t *commands[4], *open;
    struct tl_sut_out out;
    struct fal_error err;
    int64_t id;

    fal_params_default(&connection.params, false);
    open = tl_upper_open(&connection);
    commands[0] = json_pack("{s:s, s:i}", "do", "hello", "version", 1);
    commands[1] = open;
    commands[2] = json_pack("{s:s, s:s, s:s, s:i, s:i}", "do", "post", "conn", "c1", "op",
                            "push", "length", 9, "tag", 1);
    commands[3] = json_pack("{s:s, s:s}", "do", "reset", "scope", "device");
    for (unsigned i = 0; i < 4; i++) {
        char *line = tl_upper_command(upper, commands[i], &id, NULL);

        tl_sut_line(sut, line, strlen(line), 0);
        free(line);
        ck_assert(tl_sut_next(sut, &out));
        ck_assert_int_eq(tl_upper_line(upper, (const char *)out.bytes, out.len, &got),
                         TL_UPPER_REPLY);
        ck_assert_int_eq(got.id, id);
        ck_assert_msg(got.ok, "%s", got.event.u.reply.text);
        if (i == 1)
            ck_assert_int_eq(tl_upper_opened(got.object, &connection, &err), 0);
        json_decref(commands[i]);
    }
    ck_assert_str_eq(connection.name, "c1");
    ck_assert_uint_eq(connection.sut.function, 8);
    ck_assert_uint_eq(connection.sut.data_psn, 0xffffffff);
    (void)ask("'do': 'barrier'", "{'id':5,'epoch':2,'do':'barrier'}", NULL);
    tl_sut_free(sut);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("upper");
    TCase *tc = tcase_create("upper");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, commands_are_numbered_and_carry_the_epoch);
    tcase_add_test(tc, a_command_becomes_an_event);
    tcase_add_test(tc, replies_match_their_commands_in_any_order);
    tcase_add_test(tc, events_become_events);
    tcase_add_test(tc, a_gap_in_seq_is_counted_as_lost);
    tcase_add_test(tc, a_reset_ends_its_epoch);
    tcase_add_test(tc, a_refused_reset_ends_nothing);
    tcase_add_loop_test(tc, garbage_is_refused_with_its_reason_and_a_piece_of_it, 0,
                        sizeof bad / sizeof *bad);
    tcase_add_loop_test(tc, a_reset_must_name_a_new_epoch, 0, 4);
    tcase_add_test(tc, an_answer_comes_once);
    tcase_add_test(tc, bytes_of_all_kinds_do_no_harm);
    tcase_add_test(tc, a_flood_of_events_takes_no_memory);
    tcase_add_test(tc, open_says_wishes_and_every_parameter);
    tcase_add_test(tc, opened_reads_what_the_sut_chose);
    tcase_add_test(tc, upper_and_sut_understand_each_other);
    suite_add_tcase(suite, tc);
    return suite;
}
