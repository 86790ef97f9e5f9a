/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rng.h"
#include "oracles/timeline_names.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t push[] = {0x10, 0x11, 0x11, 0x11, 0, 0, 0,   0x4a, 0,   0,  0,
                               1,    0,    0,    0,    2, 0, 0,   0,    3,   0,  0,
                               0,    4,    0,    0,    0, 4, 0xa, 0xb,  0xc, 0xd};

/* Writes, dumps, loads and reads an event; the JSON in *line (caller frees). */
static struct fal_event again(const struct fal_event *event, struct fal_event_storage *storage,
                              char **line)
{
    json_t *object = fal_event_to_json(event), *loaded;
    struct fal_event out;
    struct fal_error err = {""};

    ck_assert_ptr_nonnull(object);
    *line = json_dumps(object, JSON_COMPACT);
    ck_assert_ptr_nonnull(*line);
    loaded = json_loads(*line, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(fal_event_from_json(loaded, &out, storage, &err) == 0, "%s: %s", *line,
                  err.text);
    json_decref(object);
    json_decref(loaded);
    ck_assert_int_eq(out.kind, event->kind);
    ck_assert_uint_eq(out.index, event->index);
    ck_assert_uint_eq(out.t_ns, event->t_ns);
    ck_assert_uint_eq(out.conn, event->conn);
    return out;
}

static struct fal_event_storage storage;
static char *line;

static void setup(void)
{
    storage = (struct fal_event_storage){0};
    line = NULL;
}

static void teardown(void)
{
    fal_event_storage_free(&storage);
    free(line);
}

#define SAME(member)      ck_assert_uint_eq((uint64_t)got->member, (uint64_t)due->member)
#define SAME_TEXT(member) ck_assert_pstr_eq(got->member, due->member)

static struct fal_event base(enum fal_event_kind kind)
{
    return (struct fal_event){
        .kind = kind, .index = 77, .t_ns = UINT64_C(123456789012), .conn = 3};
}

START_TEST(run_comes_back)
{
    struct fal_event event = base(FAL_EV_RUN), out;
    struct fal_ev_run *due = &event.u.run, *got = &out.u.run;

    *due = (struct fal_ev_run){.title = "push \"x\" \xc3\xa4",
                               .seed = UINT64_MAX - 1,
                               .live = true,
                               .vantage = FAL_VANTAGE_MIDDLE,
                               .lossless_in = true,
                               .no_duplicates_out = true,
                               .in_order_in = true,
                               .delay_min_ns = 5,
                               .delay_max_ns = FAL_NEVER,
                               .clock_error_ns = 9,
                               .may_miss = true,
                               .ordered_events = true};
    for (int flip = 0; flip < 2; flip++) {
        free(line);
        out = again(&event, &storage, &line);
        SAME_TEXT(title);
        SAME(seed);
        SAME(live);
        SAME(vantage);
        SAME(lossless_in);
        SAME(lossless_out);
        SAME(no_duplicates_in);
        SAME(no_duplicates_out);
        SAME(in_order_in);
        SAME(in_order_out);
        SAME(delay_min_ns);
        SAME(delay_max_ns);
        SAME(clock_error_ns);
        SAME(may_miss);
        SAME(ordered_events);
        due->live = due->lossless_in = due->no_duplicates_out = due->in_order_in = false;
        due->may_miss = due->ordered_events = false;
        due->lossless_out = due->no_duplicates_in = due->in_order_out = true;
        due->delay_max_ns = 1000;
    }
}
END_TEST

START_TEST(connection_comes_back)
{
    struct fal_event event = base(FAL_EV_CONNECTION), out;
    struct fal_connection *due = &event.u.connection, *got = &out.u.connection;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    *due = (struct fal_connection){.name = "c1",
                                   .tester = {1, 2, 3, 4, 5},
                                   .sut = {0xffffff, 7, UINT32_MAX, 9, 10},
                                   .initial_known = true,
                                   .tester_rack_tlp = true,
                                   .encap_known = true,
                                   .encap = FAL_ENCAP_ESP_TUNNEL,
                                   .pcid_known = true,
                                   .pcid = UINT64_MAX,
                                   .unknown_params = 1 | FAL_PARAM_BIT(FAL_PARAM_ROWS - 1)};
    ck_assert_uint_eq(n, FAL_PARAM_ROWS);
    for (size_t i = 0; i < n; i++)
        ck_assert_int_eq(fal_param_set(&table[i], &due->params,
                                       table[i].kind == FAL_PARAM_SWITCH ? i % 2 : 1000 + i),
                         0);
    out = again(&event, &storage, &line);
    SAME_TEXT(name);
    ck_assert_mem_eq(&got->tester, &due->tester, sizeof due->tester);
    ck_assert_mem_eq(&got->sut, &due->sut, sizeof due->sut);
    SAME(initial_known);
    SAME(unknown_params);
    SAME(tester_rack_tlp);
    SAME(encap_known);
    SAME(encap);
    SAME(pcid_known);
    SAME(pcid);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(fal_param_get(&table[i], &got->params),
                          fal_param_get(&table[i], &due->params));
}
END_TEST

START_TEST(packet_comes_back_decoded)
{
    struct fal_event event = base(FAL_EV_PACKET), out;
    struct fal_ev_packet *due = &event.u.packet, *got = &out.u.packet;

    *due = (struct fal_ev_packet){
        .dir = FAL_FROM_SUT,
        .origin = FAL_ORIGIN_STEP,
        .step = 4,
        .frame = 5,
        .path = 6,
        .error_ns = 7,
        .truncated = true,
        .has_iv = true,
        .iv = UINT64_C(0xfedcba9876543210),
        .spi = UINT32_MAX,
        .carrier = {true, FAL_ENCAP_PSP_TUNNEL, 4, 252, 63, true, UINT64_C(0x8000000000000005)},
        .bad = FAL_BAD_REPLAY,
        .bytes = push,
        .len = sizeof push};
    fal_event_packet(due);
    out = again(&event, &storage, &line);
    SAME(dir);
    SAME(origin);
    SAME(step);
    SAME(frame);
    SAME(path);
    SAME(error_ns);
    SAME(truncated);
    SAME(has_iv);
    SAME(iv);
    SAME(spi);
    SAME(carrier.known);
    SAME(carrier.encap);
    SAME(carrier.next_header);
    SAME(carrier.inner_protocol);
    SAME(carrier.crypt_offset);
    SAME(carrier.has_vc);
    SAME(carrier.vc);
    SAME(bad);
    SAME(len);
    ck_assert_mem_eq(got->bytes, push, sizeof push);
    SAME(header_len);
    SAME(payload_len);
    ck_assert_mem_eq(got->payload, push + 28, 4);
    ck_assert_uint_eq(got->falcon.psn, 3);
    SAME(issues.count);
    ck_assert_ptr_nonnull(strstr(line, "\"text\":\"push_data "));
}
END_TEST

START_TEST(empty_and_broken_packets_come_back)
{
    struct fal_event event = base(FAL_EV_PACKET), out;

    event.u.packet = (struct fal_ev_packet){.step = -1, .bytes = push, .len = 0};
    out = again(&event, &storage, &line);
    ck_assert_uint_eq(out.u.packet.len, 0);
    ck_assert_int_eq(out.u.packet.step, -1);
    ck_assert_int_lt(out.u.packet.header_len, 0);
    ck_assert(!out.u.packet.has_iv);
    free(line);
    event.u.packet.len = 9;
    out = again(&event, &storage, &line);
    ck_assert_int_lt(out.u.packet.header_len, 0);
    ck_assert_uint_eq(out.u.packet.falcon.dest_cid, 0x111111);
    ck_assert_ptr_null(out.u.packet.payload);
    ck_assert_uint_gt(out.u.packet.issues.count, 0);
}
END_TEST

START_TEST(command_and_reply_come_back)
{
    struct fal_event event = base(FAL_EV_COMMAND), out;

    for (int hash = 0; hash < 2; hash++) {
        struct fal_ev_command *due = &event.u.command, *got = &out.u.command;

        *due = (struct fal_ev_command){.id = -3,
                                       .verb = "respond",
                                       .rsn = UINT32_MAX,
                                       .answer = FAL_ANSWER_WITHHOLD,
                                       .rnr_ns = 655360000,
                                       .code = 200,
                                       .op = FAL_OP_PULL,
                                       .tag = UINT64_MAX,
                                       .length = 65535,
                                       .hash = hash ? 0 : 17,
                                       .has_hash = hash != 0,
                                       .text = "{\"do\": \"respond\"}"};
        free(line);
        out = again(&event, &storage, &line);
        SAME(id);
        SAME_TEXT(verb);
        SAME(rsn);
        SAME(answer);
        SAME(rnr_ns);
        SAME(code);
        SAME(op);
        SAME(tag);
        SAME(length);
        SAME(has_hash);
        ck_assert_uint_eq(got->hash, 0);
        SAME_TEXT(text);
    }
    event = base(FAL_EV_REPLY);
    for (int rsn = 0; rsn < 2; rsn++) {
        struct fal_ev_reply *due = &event.u.reply, *got = &out.u.reply;

        *due = (struct fal_ev_reply){.id = 4, .ok = rsn != 0, .has_rsn = rsn != 0, .text = "x"};
        free(line);
        out = again(&event, &storage, &line);
        SAME(id);
        SAME(ok);
        SAME(has_rsn);
        SAME(rsn);
        SAME_TEXT(text);
    }
}
END_TEST

START_TEST(ulp_events_come_back)
{
    struct fal_event event = base(FAL_EV_ULP), out;

    for (unsigned kind = 0; kind < FAL_ULP_COUNT; kind++) {
        struct fal_ev_ulp *due = &event.u.ulp, *got = &out.u.ulp;

        *due = (struct fal_ev_ulp){.kind = (enum fal_ulp_kind)kind,
                                   .seq = 1 + kind,
                                   .rsn = 9,
                                   .op = FAL_OP_PULL,
                                   .length = 10,
                                   .tag = UINT64_MAX - 2,
                                   .hash = UINT64_C(0xcbf29ce484222325),
                                   .has_hash = true,
                                   .redelivery = kind % 2 == 0,
                                   .answer = FAL_ANSWER_CID,
                                   .code = 4,
                                   .ulp_nack_code = 5,
                                   .has_stamp = kind > 0,
                                   .stamp_ns = kind > 0 ? UINT64_C(1) << 62 : 0,
                                   .stamp_error_ns = kind > 0 ? 3 : 0};
        free(line);
        out = again(&event, &storage, &line);
        SAME(kind);
        SAME(seq);
        SAME(rsn);
        SAME(op);
        SAME(length);
        SAME(tag);
        SAME(hash);
        SAME(has_hash);
        SAME(redelivery);
        SAME(answer);
        SAME(code);
        SAME(ulp_nack_code);
        SAME(has_stamp);
        SAME(stamp_ns);
        SAME(stamp_error_ns);
        ck_assert_ptr_null(got->text);
    }
}
END_TEST

START_TEST(the_rest_comes_back)
{
    struct fal_event event = base(FAL_EV_CM), out;

    event.u.cm = (struct fal_ev_cm){.what = "dropped", .seq = 2, .count = 30, .text = "t"};
    out = again(&event, &storage, &line);
    ck_assert_str_eq(out.u.cm.what, "dropped");
    ck_assert_uint_eq(out.u.cm.seq, 2);
    ck_assert_uint_eq(out.u.cm.count, 30);
    ck_assert_str_eq(out.u.cm.text, "t");
    for (unsigned m = 0; m < FAL_MARK_COUNT; m++) {
        event = base(FAL_EV_MARK);
        event.u.mark = (struct fal_ev_mark){(enum fal_mark)m, m};
        free(line);
        out = again(&event, &storage, &line);
        ck_assert_uint_eq(out.u.mark.mark, m);
        ck_assert_uint_eq(out.u.mark.value, m);
    }
    for (enum fal_event_kind k = FAL_EV_STEP; k <= FAL_EV_INTERNAL; k++) {
        event = base(k);
        event.u.text =
            (struct fal_ev_text){.step = k == FAL_EV_STEP ? 2 : -1, .text = "a \\ b\n"};
        free(line);
        out = again(&event, &storage, &line);
        ck_assert_int_eq(out.u.text.step, event.u.text.step);
        ck_assert_str_eq(out.u.text.text, "a \\ b\n");
    }
    event = base(FAL_EV_TIMING);
    event.u.timing = (struct fal_ev_timing){3, 40, 50, 60, 70, 80};
    free(line);
    out = again(&event, &storage, &line);
    ck_assert_int_eq(out.u.timing.step, 3);
    ck_assert_uint_eq(out.u.timing.due_ns, 40);
    ck_assert_uint_eq(out.u.timing.at_ns, 50);
    ck_assert_uint_eq(out.u.timing.late_ns, 60);
    ck_assert_uint_eq(out.u.timing.queue_ns, 70);
    ck_assert_uint_eq(out.u.timing.drops, 80);
    for (unsigned w = 0; w < FAL_BENCH_COUNT; w++) {
        event = base(FAL_EV_BENCH);
        event.u.bench = (struct fal_ev_bench){(enum fal_bench_act)w, FAL_FROM_SUT, "a line"};
        free(line);
        out = again(&event, &storage, &line);
        ck_assert_uint_eq(out.u.bench.what, w);
        ck_assert_uint_eq(out.u.bench.dir, w == FAL_BENCH_TIMER ? FAL_TO_SUT : FAL_FROM_SUT);
        ck_assert_str_eq(out.u.bench.text, "a line");
    }
    for (enum fal_event_kind k = FAL_EV_CLOSE; k <= FAL_EV_END;
         k += FAL_EV_END - FAL_EV_CLOSE) {
        event = base(k);
        free(line);
        (void)again(&event, &storage, &line);
    }
}
END_TEST

static struct fal_event comes_back(const struct fal_event *event)
{
    json_t *object = fal_event_to_json(event);
    struct fal_event out;

    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, NULL), 0);
    json_decref(object);
    return out;
}

START_TEST(entries_and_their_engine_come_back)
{
    struct fal_event event = {.kind = FAL_EV_CC, .conn = 1}, back;
    struct fal_event open = {.kind = FAL_EV_CONNECTION, .conn = 1};

    event.u.cc = (struct fal_ev_cc){.queue = FAL_CC_QUEUE_RESULT, .seq = 9, .now_ticks = 77};
    for (unsigned i = 0; i < FAL_CC_ENTRY_LEN; i++)
        event.u.cc.entry[i] = (uint8_t)(3 * i);
    back = comes_back(&event);
    ck_assert_int_eq(back.kind, FAL_EV_CC);
    ck_assert_mem_eq(&back.u.cc, &event.u.cc, sizeof event.u.cc);
    fal_params_default(&open.u.connection.params, false);
    ck_assert(!comes_back(&open).u.connection.rue.known);
    open.u.connection.rue = (struct fal_rue_facts){.known = true,
                                                   .moves_limits = true,
                                                   .has_latency = true,
                                                   .latency_ns = 700,
                                                   .format = FAL_CC_GEN1_LSB,
                                                   .gap_tick_ps = 512000,
                                                   .has_policy = true,
                                                   .when_empty = FAL_RUE_BOTH,
                                                   .p2_metric = FAL_RUE_CELLS,
                                                   .p1_ns = 7000,
                                                   .p2 = 9,
                                                   .has_queues = true,
                                                   .event_queues = 4,
                                                   .event_ring = 64};
    back = comes_back(&open);
    ck_assert(back.u.connection.rue.known && back.u.connection.rue.moves_limits);
    ck_assert(back.u.connection.rue.has_latency && !back.u.connection.rue.swift);
    ck_assert_uint_eq(back.u.connection.rue.latency_ns, 700);
    ck_assert_uint_eq(back.u.connection.rue.gap_tick_ps, 512000);
    ck_assert_int_eq(back.u.connection.rue.format, FAL_CC_GEN1_LSB);
    ck_assert_mem_eq(&back.u.connection.rue, &open.u.connection.rue,
                     sizeof open.u.connection.rue);
    event = (struct fal_event){.kind = FAL_EV_COMMAND, .conn = 1};
    event.u.command.has_entry = event.u.command.on = true;
    event.u.command.entry[63] = 5;
    back = comes_back(&event);
    ck_assert(back.u.command.has_entry && back.u.command.on);
    ck_assert_uint_eq(back.u.command.entry[63], 5);
}
END_TEST

/* As they were before the event "cc". */
START_TEST(old_timelines_show_entries_in_lines)
{
    struct fal_event event = {.kind = FAL_EV_CM, .conn = 1}, back;
    char said[256] =
        "{\"event\": \"cc\", \"kind\": \"result\", \"now_ticks\": 8, \"entry\": \"";
    size_t len = strlen(said);

    memset(said + len, 'a', 128);
    memcpy(said + len + 128, "\"}", 3);
    memcpy(event.u.cm.what, "cc", 3);
    event.u.cm.seq = 4;
    event.u.cm.text = said;
    back = comes_back(&event);
    ck_assert_int_eq(back.kind, FAL_EV_CC);
    ck_assert_int_eq(back.u.cc.queue, FAL_CC_QUEUE_RESULT);
    ck_assert_uint_eq(back.u.cc.seq, 4);
    ck_assert_uint_eq(back.u.cc.now_ticks, 8);
    ck_assert_uint_eq(back.u.cc.entry[63], 0xaa);
    said[len + 127] = 'g'; /* no entry: it remains what it is */
    ck_assert_int_eq(comes_back(&event).kind, FAL_EV_CM);
    event.u.cm.text = "";
    ck_assert_int_eq(comes_back(&event).kind, FAL_EV_CM);
}
END_TEST

START_TEST(text_that_is_no_utf8_is_written_all_the_same)
{
    struct fal_event event = base(FAL_EV_NOTE), out;

    event.u.text = (struct fal_ev_text){.step = -1,
                                        .text = "a\xff\xfe"
                                                "b"};
    out = again(&event, &storage, &line);
    ck_assert_str_eq(out.u.text.text, "a??b");
}
END_TEST

/* What a person writes by hand: the rest has its initial value. */
START_TEST(absent_members_have_initial_values)
{
    struct fal_event out;
    json_t *object = json_loads(
        "{\"event\": \"packet\", \"t_ns\": 5, \"dir\": \"<\", \"bytes\": \"00\", \"unknown\": [1]}",
        0, NULL);

    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, NULL), 0);
    ck_assert_int_eq(out.u.packet.step, -1);
    ck_assert_int_eq(out.u.packet.origin, FAL_ORIGIN_ENDPOINT);
    json_decref(object);
    object = json_loads("{\"event\": \"run\", \"t_ns\": 0}", 0, NULL);
    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, NULL), 0);
    ck_assert_uint_eq(out.u.run.delay_max_ns, FAL_NEVER);
    ck_assert(!out.u.run.lossless_in);
    json_decref(object);
    object = json_loads(
        "{\"event\": \"connection\", \"t_ns\": 0, \"conn\": 1, \"tester\": {}, \"sut\": {}, \"params\": {\"rto_ns\": 7}}",
        0, NULL);
    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, NULL), 0);
    ck_assert_uint_eq(out.u.connection.params.rto_ns, 7);
    ck_assert_uint_eq(out.u.connection.params.fcwnd, 64);
    json_decref(object);
}
END_TEST

/* One clear line: which event, which member, what was expected. */
static const struct {
    const char *json, *error;
} wrong[] = {
    {"[]", "event: expected an object"},
    {"{}",
     "event: missing; expected run, connection, packet, command, reply, ulp, cm, mark, step, note, internal, timing, close, bench, cc, verbs, nvme or end"},
    {"{\"event\": 3}",
     "event: expected run, connection, packet, command, reply, ulp, cm, mark, step, note, internal, timing, close, bench, cc, verbs, nvme or end, found 3"},
    {"{\"event\": \"pakcet\"}",
     "event: expected run, connection, packet, command, reply, ulp, cm, mark, step, note, internal, timing, close, bench, cc, verbs, nvme or end, found 'pakcet'"},
    {"{\"event\": \"end\"}",
     "end: t_ns: missing; expected a whole number, \"0x\" and up to 16 digits, or never"},
    {"{\"event\": \"end\", \"t_ns\": -1}",
     "end: t_ns: expected a whole number, \"0x\" and up to 16 digits, or never, found -1"},
    {"{\"event\": \"end\", \"t_ns\": 1.5}",
     "end: t_ns: expected a whole number, \"0x\" and up to 16 digits, or never"},
    {"{\"event\": \"end\", \"t_ns\": \"0x\"}",
     "end: t_ns: expected a whole number, \"0x\" and up to 16 digits, or never, found '0x'"},
    {"{\"event\": \"end\", \"t_ns\": \"0x11112222333344445\"}",
     "end: t_ns: expected a whole number, \"0x\" and up to 16 digits, or never, found '0x11112222333344445'"},
    {"{\"event\": \"end\", \"t_ns\": 0, \"conn\": 4294967296}",
     "end: conn: expected a whole number from 0 to 4294967295, found 4294967296"},
    {"{\"event\": \"packet\", \"t_ns\": 0}", "packet: dir: missing; expected > or <"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\"}",
     "packet: bytes: missing; expected hex digits"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\", \"bytes\": \"0\"}",
     "packet: bytes: expected an even number of hex digits"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\", \"bytes\": \"0g\"}",
     "packet: bytes: expected an even number of hex digits"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\", \"bytes\": 7}",
     "packet: bytes: expected an even number of hex digits"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\", \"bytes\": \"\", \"step\": -2}",
     "packet: step: expected a step index, or -1, found -2"},
    {"{\"event\": \"packet\", \"t_ns\": 0, \"dir\": \">\", \"bytes\": \"\", \"truncated\": 1}",
     "packet: truncated: expected true or false"},
    {"{\"event\": \"connection\", \"t_ns\": 0}",
     "connection: tester: missing; expected an object"},
    {"{\"event\": \"connection\", \"t_ns\": 0, \"tester\": 1}",
     "connection: tester: expected an object"},
    {"{\"event\": \"connection\", \"t_ns\": 0, \"tester\": {\"cid\": \"x\"}}",
     "connection: tester.cid: expected a whole number from 0 to 4294967295, found 'x'"},
    {"{\"event\": \"connection\", \"t_ns\": 0, \"tester\": {}, \"sut\": {}, \"params\": {\"fcwnd\": 4294967296}}",
     "connection: params.fcwnd: expected a smaller number"},
    {"{\"event\": \"connection\", \"t_ns\": 0, \"tester\": {}, \"sut\": {}, \"name\": "
     "\"a name that is longer than any name may be\"}",
     "connection: name: expected a text of at most 31 bytes"},
    {"{\"event\": \"mark\", \"t_ns\": 0, \"mark\": \"gap\"}",
     "mark: mark: expected tester_late, gap_in, gap_out, lossless_in, lossless_out, clock_step, sut_late or barrier, found 'gap'"},
    {"{\"event\": \"note\", \"t_ns\": 0, \"text\": 1}", "note: text: expected a text"},
};

START_TEST(what_is_wrong_is_named)
{
    json_t *object = json_loads(wrong[_i].json, 0, NULL);
    struct fal_event out;
    struct fal_error err = {""};

    ck_assert_ptr_nonnull(object);
    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, wrong[_i].error);
    ck_assert_int_eq(fal_event_from_json(object, &out, &storage, NULL), FAL_ERR_FORM);
    json_decref(object);
}
END_TEST

/* Members swapped for others of the wrong kind: an event or an error, never a crash. */
START_TEST(hostile_members)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "-1",
                                         "1e300",
                                         "\"\"",
                                         "\"0x10\"",
                                         "[]",
                                         "{}",
                                         "\"packet\"",
                                         "\"<\"",
                                         "9007199254740993",
                                         "\"never\"",
                                         "18446744073709551"};
    const struct fal_verbs post = {.kind = FAL_VERBS_POST_SEND, .qp = "q1"};
    const struct fal_nvme_word read = {.kind = FAL_NVME_POST, .cmd = 3};
    uint64_t seed = test_seed(1);
    struct fal_rng rng = {seed};

    for (unsigned long i = 0; i < test_rounds(20000); i++) {
        struct fal_event event = base((enum fal_event_kind)fal_rng_below(&rng, FAL_EV_COUNT)),
                         out;
        json_t *object;
        const char *key;
        json_t *value;
        void *tmp;
        uint64_t pick = fal_rng_below(&rng, 30);
        struct fal_error err = {""};
        int status;

        if (event.kind == FAL_EV_PACKET)
            event.u.packet = (struct fal_ev_packet){.bytes = push, .len = sizeof push};
        if (event.kind == FAL_EV_VERBS)
            event.u.verbs.verbs = &post;
        if (event.kind == FAL_EV_NVME)
            event.u.nvme.word = &read;
        object = fal_event_to_json(&event);
        json_object_foreach_safe(object, tmp, key, value)
        {
            const char *text = values[fal_rng_below(&rng, sizeof values / sizeof *values)];

            if (pick-- == 0)
                json_object_set_new(object, key, json_loads(text, JSON_DECODE_ANY, NULL));
        }
        status = fal_event_from_json(object, &out, &storage, &err);
        ck_assert_msg((status == 0) == (err.text[0] == 0), "TALON_SEED=%" PRIu64 ": %s", seed,
                      err.text);
        json_decref(object);
    }
}
END_TEST

START_TEST(answers_have_names)
{
    for (int a = 0; a < FAL_ANSWER_COUNT; a++)
        ck_assert_int_eq(fal_answer_from(fal_answer_name((enum fal_answer)a)), a);
    ck_assert_int_eq(fal_answer_from("nack"), -1);
    ck_assert_int_eq(fal_answer_from(""), -1);
}
END_TEST

START_TEST(a_word_of_the_verbs_comes_back)
{
    const struct fal_verbs post = {.kind = FAL_VERBS_POST_SEND,
                                   .qp = "q1",
                                   .wr_id = 7,
                                   .op = FAL_VERBS_WRITE,
                                   .num_sge = 1,
                                   .sgl = {{.mr = "m1", .offset = 3, .length = 60}},
                                   .has_remote = true,
                                   .remote = {.va = UINT64_MAX - 1, .rkey = UINT32_MAX}};
    const struct fal_verbs wc = {.kind = FAL_VERBS_WC, .cq = "c", .qp = "q1", .status = 5};
    struct fal_event event = base(FAL_EV_VERBS), out;

    event.u.verbs = (struct fal_ev_verbs){.phase = FAL_VERBS_ASKED, .id = 4, .verbs = &post};
    out = again(&event, &storage, &line);
    ck_assert_int_eq(out.u.verbs.phase, FAL_VERBS_ASKED);
    ck_assert_int_eq(out.u.verbs.id, 4);
    ck_assert_mem_eq(out.u.verbs.verbs, &post, sizeof post);
    free(line);
    event.u.verbs = (struct fal_ev_verbs){.phase = FAL_VERBS_ANSWERED, .id = 4, .verbs = &post};
    out = again(&event, &storage, &line);
    ck_assert(!out.u.verbs.ok);
    ck_assert_int_eq(out.u.verbs.verbs->kind, FAL_VERBS_POST_SEND);
    ck_assert_int_eq(out.u.verbs.verbs->qp[0], 0); /* refused: nothing but the word */
    free(line);
    event.u.verbs = (struct fal_ev_verbs){.phase = FAL_VERBS_TOLD, .seq = 9, .verbs = &wc};
    out = again(&event, &storage, &line);
    ck_assert_uint_eq(out.u.verbs.seq, 9);
    ck_assert_mem_eq(out.u.verbs.verbs, &wc, sizeof wc);
}
END_TEST

START_TEST(a_bad_word_of_the_verbs_is_named)
{
    static const struct {
        const char *text, *err;
    } bad[] = {
        {"{\"event\":\"verbs\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"post\"}",
         "verbs: word: expected a word of the verbs"},
        {"{\"event\":\"verbs\",\"t_ns\":1,\"phase\":\"told\",\"word\":\"mr_reg\"}",
         "verbs: word: expected an event, not mr_reg"},
        {"{\"event\":\"verbs\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"wc\"}",
         "verbs: word: expected a command, not wc"},
        {"{\"event\":\"verbs\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"cq_arm\","
         "\"body\":{}}",
         "cq_arm: cq: missing"},
        {"{\"event\":\"verbs\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"cq_arm\"}",
         "cq_arm: "},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *object = json_loads(bad[i].text, 0, NULL);
        struct fal_error err = {""};
        struct fal_event out;

        ck_assert_int_eq(fal_event_from_json(object, &out, &storage, &err), FAL_ERR_FORM);
        ck_assert_msg(strncmp(err.text, bad[i].err, strlen(bad[i].err)) == 0, "%s", err.text);
        json_decref(object);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *tc = tcase_create("timeline");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, run_comes_back);
    tcase_add_test(tc, connection_comes_back);
    tcase_add_test(tc, packet_comes_back_decoded);
    tcase_add_test(tc, empty_and_broken_packets_come_back);
    tcase_add_test(tc, command_and_reply_come_back);
    tcase_add_test(tc, ulp_events_come_back);
    tcase_add_test(tc, the_rest_comes_back);
    tcase_add_test(tc, entries_and_their_engine_come_back);
    tcase_add_test(tc, old_timelines_show_entries_in_lines);
    tcase_add_test(tc, text_that_is_no_utf8_is_written_all_the_same);
    tcase_add_test(tc, absent_members_have_initial_values);
    tcase_add_loop_test(tc, what_is_wrong_is_named, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, hostile_members);
    tcase_add_test(tc, answers_have_names);
    tcase_add_test(tc, a_word_of_the_verbs_comes_back);
    tcase_add_test(tc, a_bad_word_of_the_verbs_is_named);
    suite_add_tcase(suite, tc);
    return suite;
}
