/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/json_member.h"
#include "harness/link/link.h"
#include "harness/session/upper.h"
#include "harness/sut/link_sim.h"
#include "harness/wire/protocol.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/payload.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

/* A tester: link, upper tester and endpoint, driven by one loop; everything seen goes into a
 * hash. */
struct bench {
    struct tl_link *link;
    struct tl_upper *upper;
    struct fal_endpoint *endpoint;
    struct fal_connection connection;
    uint32_t conn;
    uint64_t hash; /* of everything that arrived, with its time */
    unsigned frames, lines, requests, completions;
    uint64_t last_ns;
    bool replied;
    int64_t reply_id;
    json_t *reply;
};

static const uint8_t zeros[4096]; /* what the tester pushes */

static void note(struct bench *b, const struct tl_link_got *got, enum tl_link_event kind)
{
    uint64_t parts[3] = {b->hash, fal_payload_hash(got->bytes, got->len),
                         got->at_ns * 4 + kind};

    ck_assert_uint_ge(got->at_ns, b->last_ns);
    ck_assert_uint_ge(got->read_ns, got->at_ns);
    b->last_ns = got->at_ns;
    b->hash = fal_payload_hash((const uint8_t *)parts, sizeof parts);
}

static void send_out(struct bench *b)
{
    struct fal_endpoint_out out;
    struct fal_error err;
    uint64_t sent_ns;

    while (fal_endpoint_next(b->endpoint, &out)) {
        if (out.kind == FAL_OUT_PACKET) {
            ck_assert_int_eq(b->link->ops->send(b->link, out.bytes, out.len, &sent_ns, &err),
                             0);
            ck_assert_uint_eq(sent_ns, b->link->ops->now_ns(b->link));
        } else if (out.kind == FAL_OUT_COMPLETE) {
            b->completions++;
        } else if (out.kind == FAL_OUT_REQUEST) {
            struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                         .conn = b->conn,
                                         .rsn = out.rsn,
                                         .answer = out.op == FAL_OP_PUSH ? FAL_ANSWER_ACK
                                                                         : FAL_ANSWER_DATA,
                                         .payload = zeros,
                                         .length = out.length,
                                         .payload_len = out.length};

            FAL_IGNORE(
                fal_endpoint_input(b->endpoint, &in, b->link->ops->now_ns(b->link), NULL));
        }
    }
}

/* One turn of the loop; false when the deadline came. */
static bool turn(struct bench *b, uint64_t deadline_ns)
{
    uint64_t own = fal_endpoint_deadline(b->endpoint);
    struct tl_link_got got;
    struct tl_upper_line line;
    struct fal_endpoint_in in = {.kind = FAL_IN_TICK};
    enum tl_link_event event;

    send_out(b);
    event = b->link->ops->wait(b->link, own < deadline_ns ? own : deadline_ns, &got);
    switch (event) {
    case TL_LINK_TIMEOUT:
        FAL_IGNORE(fal_endpoint_input(b->endpoint, &in, got.at_ns, NULL));
        return got.at_ns < deadline_ns;
    case TL_LINK_FRAME:
        note(b, &got, event);
        b->frames++;
        in =
            (struct fal_endpoint_in){.kind = FAL_IN_PACKET, .bytes = got.bytes, .len = got.len};
        FAL_IGNORE(fal_endpoint_input(b->endpoint, &in, got.at_ns, NULL));
        return true;
    case TL_LINK_LINE:
        note(b, &got, event);
        b->lines++;
        ck_assert_uint_eq(got.bytes[got.len], 0);
        switch (tl_upper_line(b->upper, (const char *)got.bytes, got.len, &line)) {
        case TL_UPPER_REPLY:
            b->replied = true;
            b->reply_id = line.id;
            json_decref(b->reply);
            b->reply = json_incref(line.object);
            ck_assert_msg(line.ok, "%s", line.event.u.reply.text);
            break;
        case TL_UPPER_EVENT:
            if (line.event.kind != FAL_EV_ULP || line.event.u.ulp.kind != FAL_ULP_REQUEST)
                break;
            b->requests++;
            if (line.event.u.ulp.op == FAL_OP_PUSH)
                ck_assert_uint_eq(line.event.u.ulp.hash,
                                  fal_payload_hash(zeros, line.event.u.ulp.length));
            break;
        case TL_UPPER_STALE:
        case TL_UPPER_GARBAGE: ck_abort_msg("%s", line.err.text);
        }
        return true;
    case TL_LINK_OTHER:
    case TL_LINK_CLOSED:
    case TL_LINK_ERROR: break;
    }
    ck_abort_msg("%s", got.error.text);
    return false;
}

static void ask(struct bench *b, json_t *command)
{
    struct fal_error err;
    int64_t id;
    char *line = tl_upper_command(b->upper, command, &id, NULL);
    uint64_t now = b->link->ops->now_ns(b->link);

    b->replied = false;
    ck_assert_int_eq(b->link->ops->send_line(b->link, line, strlen(line), &err), 0);
    while (!b->replied)
        ck_assert(turn(b, now + FAL_S));
    ck_assert_int_eq(b->reply_id, id);
    free(line);
    json_decref(command);
}

static void open_bench(struct bench *b, const struct tl_link_sim_config *config)
{
    struct fal_endpoint_conn conn = {.auto_ack = true, .auto_retransmit = true};
    struct fal_error err;

    *b = (struct bench){.link = tl_link_sim_open(config, &err), .upper = tl_upper_new()};
    ck_assert_ptr_nonnull(b->link);
    b->endpoint = fal_endpoint_new(&(struct fal_endpoint_config){.seed = config->seed});
    b->connection.tester =
        (struct fal_end){.cid = 1, .function = 2, .req_psn = 0xfffffff0, .rsn = 5};
    fal_params_default(&b->connection.params, false);
    ask(b, tl_upper_open(&b->connection));
    ck_assert_int_eq(tl_upper_opened(b->reply, &b->connection, &err), 0);
    conn.params = b->connection.params;
    conn.local = b->connection.tester;
    conn.peer = b->connection.sut;
    ck_assert_int_eq(
        fal_endpoint_open(b->endpoint, &conn, b->link->ops->now_ns(b->link), &b->conn), 0);
}

static void close_bench(struct bench *b)
{
    b->link->ops->free(b->link);
    tl_upper_free(b->upper);
    fal_endpoint_free(b->endpoint);
    json_decref(b->reply);
}

static void post(struct bench *b, enum fal_ulp_op op, uint32_t length)
{
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .conn = b->conn, .op = op, .length = length};

    if (op == FAL_OP_PUSH) {
        in.payload = zeros;
        in.payload_len = length;
    }
    ck_assert_int_eq(fal_endpoint_input(b->endpoint, &in, b->link->ops->now_ns(b->link), NULL),
                     0);
}

static void run_until(struct bench *b, uint64_t until_ns)
{
    while (turn(b, until_ns))
        ;
}

/* Traffic both ways; the hash of all that was seen. */
static uint64_t traffic(const struct tl_link_sim_config *config, unsigned posts)
{
    struct bench b;
    uint64_t hash;

    open_bench(&b, config);
    for (unsigned i = 0; i < posts; i++) {
        post(&b, i % 3 == 0 ? FAL_OP_PULL : FAL_OP_PUSH, 10 + i);
        ask(&b, json_pack("{s:s, s:s, s:s, s:i, s:i}", "do", "post", "conn", b.connection.name,
                          "op", i % 2 == 0 ? "push" : "pull", "length", (int)i, "tag", (int)i));
    }
    run_until(&b, b.link->ops->now_ns(b.link) + 2 * FAL_S);
    ck_assert_uint_eq(b.completions, posts);
    ck_assert_uint_eq(b.requests, posts);
    ask(&b, json_pack("{s:s}", "do", "barrier"));
    hash = b.hash;
    close_bench(&b);
    return hash;
}

static const struct fal_impairment bad_wire = {.latency_ns = 2000,
                                               .jitter_ns = 5000,
                                               .loss_ppm = 100000,
                                               .duplicate_ppm = 50000,
                                               .reorder_ppm = 50000,
                                               .corrupt_ppm = 50000,
                                               .reorder_ns = 30000};

START_TEST(one_seed_gives_one_run)
{
    struct tl_link_sim_config config = {.seed = test_seed(11), .impair = {bad_wire, bad_wire}};
    uint64_t first = traffic(&config, 60);

    ck_assert_uint_eq(traffic(&config, 60), first);
    config.seed++;
    ck_assert_uint_ne(traffic(&config, 60), first);
}
END_TEST

/* Corrupted frames are lost, so that all traffic ends well whatever the wire does. */
START_TEST(traffic_survives_a_bad_wire)
{
    uint64_t seed = test_seed(100);

    for (unsigned long i = 0; i < test_rounds(20); i++) {
        struct tl_link_sim_config config = {.seed = seed + i, .impair = {bad_wire, bad_wire}};

        (void)traffic(&config, 30);
    }
}
END_TEST

START_TEST(a_wire_without_delay_takes_no_time)
{
    struct tl_link_sim_config config = {.seed = 1};
    struct bench b;

    open_bench(&b, &config);
    ck_assert_uint_eq(b.link->ops->now_ns(b.link), 0);
    post(&b, FAL_OP_PULL, 64);
    while (b.completions == 0)
        ck_assert(turn(&b, FAL_S));
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_uint_eq(b.last_ns, 0);
    close_bench(&b);
}
END_TEST

START_TEST(waiting_leaps_to_what_comes_first)
{
    struct tl_link_sim_config config = {.seed = 1,
                                        .impair = {{.latency_ns = 700}, {.latency_ns = 300}}};
    struct tl_link_got got;
    struct bench b;

    open_bench(&b, &config);
    ask(&b, json_pack("{s:s, s:s, s:[{s:s, s:i}]}", "do", "policy", "conn", "c1", "rules",
                      "answer", "ack", "after_ns", 5000));
    post(&b, FAL_OP_PUSH, 64);
    send_out(&b);
    ck_assert_int_eq(b.link->ops->wait(b.link, 699, &got), TL_LINK_TIMEOUT);
    ck_assert_uint_eq(got.at_ns, 699);
    ck_assert_uint_eq(b.link->ops->now_ns(b.link), 699);
    ck_assert_int_eq(b.link->ops->wait(b.link, 700, &got), TL_LINK_LINE); /* arrived: request */
    ck_assert_uint_eq(got.at_ns, 700);
    ck_assert(strstr((const char *)got.bytes, "\"request\"") != NULL);
    ck_assert_int_eq(b.link->ops->wait(b.link, FAL_NEVER, &got),
                     TL_LINK_LINE); /* answered: ulp_ack */
    ck_assert_uint_eq(got.at_ns, 5700);
    ck_assert_int_eq(b.link->ops->wait(b.link, FAL_NEVER, &got),
                     TL_LINK_FRAME); /* coalesced, carried */
    ck_assert_uint_eq(got.at_ns, 700 + 8000 + 300);
    /* A deadline in the past: nothing moves. */
    ck_assert_int_eq(b.link->ops->wait(b.link, 1, &got), TL_LINK_TIMEOUT);
    ck_assert_uint_eq(b.link->ops->now_ns(b.link), 9000);
    close_bench(&b);
}
END_TEST

START_TEST(a_past_deadline_comes_before_what_arrived_after_it)
{
    struct tl_link_sim_config config = {.seed = 1};
    struct tl_link_got got;
    struct fal_error err;
    struct bench b;
    const char line[] = "{\"id\": 90, \"epoch\": 1, \"do\": \"barrier\"}";

    open_bench(&b, &config);
    run_until(&b, 1000);
    ck_assert_int_eq(b.link->ops->send_line(b.link, line, sizeof line - 1, &err), 0);
    ck_assert_int_eq(b.link->ops->wait(b.link, 999, &got), TL_LINK_TIMEOUT);
    ck_assert_int_eq(b.link->ops->wait(b.link, 1000, &got), TL_LINK_LINE);
    close_bench(&b);
}
END_TEST

START_TEST(waiting_for_nothing_is_an_error_not_a_hang)
{
    struct tl_link_sim_config config = {.seed = 1};
    struct tl_link_got got;
    struct bench b;

    open_bench(&b, &config);
    ck_assert_int_eq(b.link->ops->wait(b.link, FAL_NEVER, &got), TL_LINK_ERROR);
    ck_assert_str_eq(got.error.text, "no event is left: nothing will ever happen");
    close_bench(&b);
}
END_TEST

START_TEST(a_frame_that_is_there_takes_effect_before_a_line)
{
    struct tl_link_sim_config config = {.seed = 1};
    struct bench b;

    open_bench(&b, &config);
    post(&b, FAL_OP_PUSH, 64);
    send_out(&b);
    ask(&b, json_pack("{s:s}", "do", "barrier"));
    ck_assert_uint_eq(b.requests, 1);
    ask(&b, json_pack("{s:s}", "do", "counters"));
    ck_assert_int_eq(json_integer_value(json_object_get(b.reply, "frames_received")), 1);
    close_bench(&b);
}
END_TEST

START_TEST(caps_say_what_the_wire_does)
{
    static const struct {
        struct fal_impairment in, out;
        bool lossless_in, lossless_out, no_duplicates, in_order;
        uint64_t min_ns, max_ns;
    } rows[] = {
        {{0}, {0}, true, true, true, true, 0, 0},
        {{.latency_ns = 5}, {.latency_ns = 9}, true, true, true, true, 5, 9},
        {{.loss_ppm = 1}, {0}, false, true, true, true, 0, 0},
        {{0}, {.loss_ppm = 1}, true, false, true, true, 0, 0},
        {{.corrupt_ppm = 1}, {0}, false, true, true, true, 0, 0},
        {{0}, {.duplicate_ppm = 1}, true, true, false, true, 0, 0},
        {{.jitter_ns = 4, .latency_ns = 1}, {.latency_ns = 2}, true, true, true, false, 1, 5},
        {{.reorder_ppm = 1, .reorder_ns = 100}, {0}, true, true, true, false, 0, 100},
        {{.reorder_ns = 100}, {0}, true, true, true, true, 0, 0},
        {{.rate_bps = 8000}, {0}, true, true, true, true, 0, FAL_NEVER},
        {{.rate_bps = 8000, .queue_bytes = 9}, {0}, false, true, true, true, 0, 9 * FAL_MS},
        {{0}, {.mtu = 1500}, true, false, true, true, 0, 0},
        {{.mtu = 1400}, {.mtu = 9000}, false, false, true, true, 0, 0},
        {{0}, {.hops = 64}, true, false, true, true, 0, 0},
        {{.hops = 63}, {.ce_ppm = 1}, true, true, true, true, 0, 0},
        {{.ce_ppm = 1}, {0}, true, true, true, true, 0, 0},
    };
    struct tl_link_sim_config config = {.seed = 1};
    struct tl_link_caps caps;
    struct tl_link *link;

    config.impair[FAL_TO_SUT] = rows[_i].in;
    config.impair[FAL_FROM_SUT] = rows[_i].out;
    link = tl_link_sim_open(&config, NULL);
    caps = link->ops->caps(link);
    ck_assert_str_eq(caps.name, "sim");
    ck_assert(!caps.live);
    ck_assert(caps.control);
    ck_assert_int_eq(caps.lossless_in, rows[_i].lossless_in);
    ck_assert_int_eq(caps.lossless_out, rows[_i].lossless_out);
    ck_assert_int_eq(caps.no_duplicates, rows[_i].no_duplicates);
    ck_assert_int_eq(caps.in_order, rows[_i].in_order);
    ck_assert_uint_eq(caps.delay_min_ns, rows[_i].min_ns);
    ck_assert_uint_eq(caps.delay_max_ns, rows[_i].max_ns);
    ck_assert_uint_eq(caps.mtu, rows[_i].in.mtu > 0 ? rows[_i].in.mtu : rows[_i].out.mtu);
    ck_assert(caps.hops_declared);
    ck_assert_uint_eq(caps.hops_in, rows[_i].in.hops);
    ck_assert_int_eq(caps.unmarked_in, rows[_i].in.ce_ppm == 0 && rows[_i].in.ecn_bytes == 0);
    ck_assert_ptr_null(caps.local_address);
    ck_assert_uint_eq(link->ops->drops(link), 0);
    link->ops->free(link);
}
END_TEST

START_TEST(caps_say_what_rules_do)
{
    static const struct {
        enum fal_simnet_action action;
        bool lossless_in, lossless_out, no_duplicates, in_order;
        uint64_t max_ns;
    } rows[] = {
        {FAL_SIMNET_DROP, false, true, true, true, 0},
        {FAL_SIMNET_CORRUPT, false, true, true, true, 0},
        {FAL_SIMNET_DUPLICATE, true, true, false, true, 0},
        {FAL_SIMNET_DELAY, true, true, true, false, 77},
        {FAL_SIMNET_MARK_CE, true, true, true, true, 0},
    };
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;
    struct tl_link_sim_config config = {.seed = 1, .rules = &rule, .num_rules = 1};
    struct tl_link_caps caps;
    struct tl_link *link;

    rule.dir = FAL_TO_SUT;
    rule.action = rows[_i].action;
    rule.delay_ns = 77;
    link = tl_link_sim_open(&config, NULL);
    caps = link->ops->caps(link);
    ck_assert_int_eq(caps.lossless_in, rows[_i].lossless_in);
    ck_assert_int_eq(caps.lossless_out, rows[_i].lossless_out);
    ck_assert_int_eq(caps.no_duplicates, rows[_i].no_duplicates);
    ck_assert_int_eq(caps.in_order, rows[_i].in_order);
    ck_assert_uint_eq(caps.delay_max_ns, rows[_i].max_ns);
    ck_assert_int_eq(caps.unmarked_in, rows[_i].action != FAL_SIMNET_MARK_CE);
    link->ops->free(link);
}
END_TEST

/* The lines of a link until nothing is left, one behind the other. */
static char *lines_of(struct tl_link *link)
{
    struct tl_link_got got;
    enum tl_link_event event;
    char *all = strdup("");

    while ((event = link->ops->wait(link, link->ops->now_ns(link) + FAL_MS, &got)) !=
           TL_LINK_TIMEOUT) {
        char *text = NULL, *longer = NULL;

        if (event != TL_LINK_LINE)
            continue;
        if (got.said != NULL)
            got.object = tl_protocol_said_write(got.said);
        text = got.object != NULL ? json_dumps(got.object, JSON_COMPACT)
                                  : strdup((const char *)got.bytes);
        if (got.said != NULL)
            json_decref(got.object);
        ck_assert_int_gt(asprintf(&longer, "%s%s\n", all, text), 0);
        free(all);
        free(text);
        all = longer;
    }
    return all;
}

/* What a SUT in this process says as objects it says as text, to good and to bad commands. */
START_TEST(objects_are_the_same_lines_as_text)
{
    static const char *const commands[] = {
        "{\"id\":1,\"epoch\":1,\"do\":\"hello\",\"version\":1,\"tester\":\"t\"}",
        "{\"id\":2,\"epoch\":1,\"do\":\"open\",\"encap\":\"udp\",\"peer\":{\"cid\":5,\"function\":1,"
        "\"req_psn\":0,\"data_psn\":0,\"rsn\":0},\"params\":{}}",
        "{\"id\":3,\"epoch\":1,\"do\":\"post\",\"conn\":\"c1\",\"op\":\"push\",\"length\":64,\"tag\":"
        "\"0xffffffffffffffff\"}",
        "{\"id\":4,\"epoch\":1,\"do\":\"state\",\"conn\":\"c1\"}",
        "{\"id\":5,\"epoch\":1,\"do\":\"open\",\"encap\":\"tcp\"}",
        "{\"id\":6,\"epoch\":7,\"do\":\"barrier\"}",
        "{\"epoch\":1,\"do\":\"barrier\"}",
        "{\"id\":8,\"epoch\":1,\"do\":\"fly\"}",
        "{\"id\":9,\"epoch\":1,\"do\":\"reset\",\"scope\":\"device\"}",
    };
    struct tl_link_sim_config config = {.seed = 3};
    struct fal_error err = {{0}};
    struct tl_link *text, *objects;

    text = tl_link_sim_open(&config, &err);
    config.objects = true;
    objects = tl_link_sim_open(&config, &err);
    ck_assert(text != NULL && objects != NULL);
    ck_assert(text->ops->send_object == NULL && objects->ops->send_object != NULL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        json_t *object = json_loads(commands[i], 0, NULL);
        char *a, *b;

        ck_assert_ptr_nonnull(object);
        ck_assert_int_eq(text->ops->send_line(text, commands[i], strlen(commands[i]), &err), 0);
        ck_assert_int_eq(objects->ops->send_object(objects, object, &err), 0);
        json_decref(object);
        a = lines_of(text);
        b = lines_of(objects);
        ck_assert_str_eq(a, b);
        ck_assert_ptr_nonnull(strstr(a, "{"));
        free(a);
        free(b);
    }
    text->ops->free(text);
    objects->ops->free(objects);
}
END_TEST

/* An event with random members, those that belong to another kind of event, too. */
static struct tl_protocol_event any_event(struct fal_rng *rng)
{
    struct tl_protocol_event e = {
        .seq = fal_rng_below(rng, 100) + 1,
        .epoch = fal_rng_below(rng, 9) + 1,
        .conn = "c1",
        .kind = fal_rng_below(rng, 4) > 0 ? FAL_EV_ULP : FAL_EV_CM,
        .rnr_ns = fal_rng_below(rng, 1000),
        .has_tag = fal_rng_below(rng, 2) > 0,
        .has_rnr = fal_rng_below(rng, 2) > 0,
        .has_code = fal_rng_below(rng, 2) > 0,
        .has_length = fal_rng_below(rng, 2) > 0,
        .ulp = {.kind = (enum fal_ulp_kind)fal_rng_below(rng, FAL_ULP_COMPLETION + 1),
                .rsn = (uint32_t)fal_rng_next(rng),
                .tag = fal_rng_next(rng),
                .hash = fal_rng_next(rng),
                .has_hash = fal_rng_below(rng, 2) > 0,
                .length = (uint32_t)fal_rng_below(rng, 9000)},
        .cm = {.what = "fatal", .count = fal_rng_below(rng, 2)}};

    if (e.ulp.kind == FAL_ULP_REQUEST) {
        e.ulp.op = (enum fal_ulp_op)fal_rng_below(rng, 2);
        e.ulp.redelivery = fal_rng_below(rng, 2) > 0;
    } else {
        e.ulp.code = (uint32_t)fal_rng_below(rng, 300);
    }
    if (e.ulp.kind == FAL_ULP_ACK) {
        e.ulp.length = 0; /* the SUT does not set what the event does not have */
        e.has_tag = e.ulp.has_hash = false;
    }
    if (e.ulp.kind == FAL_ULP_COMPLETION)
        e.ulp.ulp_nack_code = (uint32_t)fal_rng_below(rng, 300);
    return e;
}

static void same_ulp(const struct fal_ev_ulp *a, const struct fal_ev_ulp *b)
{
    ck_assert(a->kind == b->kind && a->seq == b->seq && a->rsn == b->rsn && a->op == b->op);
    ck_assert(a->length == b->length && a->tag == b->tag && a->hash == b->hash);
    ck_assert(a->has_hash == b->has_hash && a->redelivery == b->redelivery);
    ck_assert(a->answer == b->answer && a->code == b->code && a->has_stamp == b->has_stamp);
    ck_assert(a->ulp_nack_code == b->ulp_nack_code && a->text == b->text);
}

START_TEST(an_event_as_a_struct_is_what_its_line_says)
{
    struct fal_rng rng = {.state = 11};
    unsigned refused = 0;

    for (int i = 0; i < 5000; i++) {
        struct tl_protocol_event event = any_event(&rng), read;
        json_t *line = tl_protocol_event_write(&event);
        bool good = tl_protocol_event_settle(&event);
        struct fal_error err;

        ck_assert_int_eq(tl_protocol_event_read(line, &read, &err) == 0, good);
        json_decref(line);
        refused += !good;
        if (!good)
            continue;
        ck_assert_uint_eq(read.seq, event.seq);
        ck_assert_uint_eq(read.epoch, event.epoch);
        ck_assert_int_eq(read.kind, event.kind);
        if (event.kind == FAL_EV_ULP) {
            ck_assert_str_eq(read.conn, event.conn);
            same_ulp(&read.ulp, &event.ulp);
            continue;
        }
        ck_assert_str_eq(read.cm.what, event.cm.what);
        ck_assert_uint_eq(read.cm.seq, event.cm.seq);
        ck_assert_uint_eq(read.cm.count, event.cm.count);
    }
    ck_assert_uint_gt(refused, 100);
}
END_TEST

START_TEST(frames_of_every_length_and_none_too_long)
{
    struct tl_link_sim_config config = {.seed = 1};
    struct tl_link *link = tl_link_sim_open(&config, NULL);
    uint8_t *frame = calloc(1, 70000);
    struct tl_link_got got;
    struct fal_error err;
    uint64_t sent_ns;

    ck_assert_int_eq(link->ops->send(link, frame, 0, &sent_ns, &err), 0);
    ck_assert_int_eq(link->ops->send(link, frame, 65535, &sent_ns, &err), 0);
    ck_assert_int_eq(link->ops->send(link, frame, 65536, &sent_ns, &err), FAL_ERR_IO);
    ck_assert_int_eq(link->ops->send_line(link, (const char *)frame, 65537, &err), FAL_ERR_IO);
    ck_assert_int_eq(link->ops->wait(link, 1000, &got), TL_LINK_TIMEOUT);
    free(frame);
    link->ops->free(link);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("link_sim");
    TCase *tc = tcase_create("link");

    tcase_add_test(tc, one_seed_gives_one_run);
    tcase_add_test(tc, traffic_survives_a_bad_wire);
    tcase_add_test(tc, a_wire_without_delay_takes_no_time);
    tcase_add_test(tc, waiting_leaps_to_what_comes_first);
    tcase_add_test(tc, a_past_deadline_comes_before_what_arrived_after_it);
    tcase_add_test(tc, waiting_for_nothing_is_an_error_not_a_hang);
    tcase_add_test(tc, a_frame_that_is_there_takes_effect_before_a_line);
    tcase_add_loop_test(tc, caps_say_what_the_wire_does, 0, 16);
    tcase_add_loop_test(tc, caps_say_what_rules_do, 0, 5);
    tcase_add_test(tc, objects_are_the_same_lines_as_text);
    tcase_add_test(tc, an_event_as_a_struct_is_what_its_line_says);
    tcase_add_test(tc, frames_of_every_length_and_none_too_long);
    suite_add_tcase(suite, tc);
    return suite;
}
