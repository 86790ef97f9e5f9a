/* SPDX-License-Identifier: Apache-2.0
 * lite_sut.c - an example: a small Falcon endpoint as a library that Talon certifies in virtual
 * time.
 *
 *   make build/examples/lite_sut.so
 *   build/talon run --sut lib:build/examples/lite_sut.so --profile docs/examples/lite.json
 *
 * With -DLITE_LEVEL=1 or 2 its adapter offers that level only.
 *
 * It knows Talon by two headers: talon_sut.h, whose functions are at the end of this file, and
 * sut_client.h, which reads and writes the control channel. */
#include "harness/sut/sut_client.h"
#include "harness/sut/talon_sut.h"
#include "lite_conn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LITE_LEVEL
#define LITE_LEVEL 3
#endif

struct frame {
    struct frame *next;
    size_t len;
    uint8_t bytes[];
};

struct sut {
    struct talon_client *client;
    struct talon_client_config config;
    json_t *ics;
    struct lite_conn *conns;
    struct frame *head, *tail, *taken;
    uint64_t now_ns, seed, received, sent;
    unsigned names;
};

/* ---- what a connection tells ---- */

static void send_frame(void *ctx, const uint8_t *bytes, size_t len)
{
    struct sut *sut = ctx;
    struct frame *frame = malloc(sizeof *frame + len);

    if (frame == NULL)
        return; /* as if the wire had lost it */
    frame->next = NULL;
    frame->len = len;
    memcpy(frame->bytes, bytes, len);
    if (sut->tail != NULL)
        sut->tail->next = frame;
    else
        sut->head = frame;
    sut->tail = frame;
    sut->sent++;
}

static json_t *hex(uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "0x%016" PRIx64, value);
    return json_string(text);
}

static void tell_request(void *ctx, struct lite_conn *conn, uint32_t rsn,
                         const struct lite_theirs *t)
{
    struct sut *sut = ctx;
    json_t *e;

    if (LITE_LEVEL < 3)
        return;
    e = json_pack("{s:s, s:I, s:s, s:I, s:b}", "conn", conn->name, "rsn", (json_int_t)rsn, "op",
                  t->pull ? "pull" : "push", "length", (json_int_t)t->length, "redelivery", 0);

    if (!t->pull)
        (void)json_object_set_new(e, "hash", hex(t->hash));
    if (t->has_tag)
        (void)json_object_set_new(e, "tag", hex(t->tag));
    talon_client_event(sut->client, "request", e);
}

static const char *const answers[] = {"ack", "data", "withhold"};

static void tell_ulp_ack(void *ctx, struct lite_conn *conn, uint32_t rsn,
                         enum lite_answer answer)
{
    struct sut *sut = ctx;

    if (LITE_LEVEL < 3)
        return;
    talon_client_event(sut->client, "ulp_ack",
                       json_pack("{s:s, s:I, s:s}", "conn", conn->name, "rsn", (json_int_t)rsn,
                                 "answer", answers[answer]));
}

static void tell_completion(void *ctx, struct lite_conn *conn, uint32_t rsn,
                            const struct lite_own *own)
{
    struct sut *sut = ctx;
    json_t *e;

    if (LITE_LEVEL < 2)
        return;
    e = json_pack("{s:s, s:I, s:o, s:i, s:i}", "conn", conn->name, "rsn", (json_int_t)rsn,
                  "tag", hex(own->tag), "code", 0, "ulp_nack_code", 0);

    if (own->pull) {
        (void)json_object_set_new(e, "length", json_integer((json_int_t)own->length));
        (void)json_object_set_new(e, "hash", hex(own->hash));
    }
    talon_client_event(sut->client, "completion", e);
}

static void tell_dead(void *ctx, struct lite_conn *conn)
{
    struct sut *sut = ctx;

    talon_client_event(sut->client, "cm_error",
                       json_pack("{s:s, s:s}", "conn", conn->name, "what", "fatal"));
}

static const struct lite_calls calls = {send_frame, tell_request, tell_ulp_ack, tell_completion,
                                        tell_dead};

/* ---- commands ---- */

static uint64_t number(const json_t *object, const char *key, uint64_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_integer(value) && json_integer_value(value) >= 0
               ? (uint64_t)json_integer_value(value)
               : otherwise;
}

static struct lite_conn *find(struct sut *sut, const json_t *command, const char **why)
{
    const char *name = json_string_value(json_object_get(command, "conn"));
    struct lite_conn *conn = sut->conns;

    while (conn != NULL && (name == NULL || strcmp(conn->name, name) != 0))
        conn = conn->next;
    if (conn == NULL)
        *why = "conn: there is none of that name";
    return conn;
}

static void drop(struct sut *sut, struct lite_conn *conn)
{
    struct lite_conn **at = &sut->conns;

    while (*at != conn)
        at = &(*at)->next;
    *at = conn->next;
    lite_free(conn);
}

/* A number of our own choosing, the same for the same seed. */
static uint32_t draw(struct sut *sut)
{
    uint8_t bytes[24];

    lite_fill(++sut->seed, 0, bytes, sizeof bytes);
    return lite_get(bytes + 16);
}

static void read_end(const json_t *object, struct lite_end *end)
{
    end->cid = (uint32_t)number(object, "cid", end->cid) & 0xffffff;
    end->function = (uint32_t)number(object, "function", end->function) & 0xffffff;
    end->psn[LITE_REQ] = (uint32_t)number(object, "req_psn", end->psn[LITE_REQ]);
    end->psn[LITE_DATA] = (uint32_t)number(object, "data_psn", end->psn[LITE_DATA]);
    end->rsn = (uint32_t)number(object, "rsn", end->rsn);
}

static void read_params(const json_t *object, struct lite_params *p)
{
    p->ordered = number(object, "ordered", p->ordered) != 0;
    p->protocol_type = (uint32_t)number(object, "protocol_type", p->protocol_type) & 7;
    p->fcwnd = (uint32_t)number(object, "fcwnd", p->fcwnd);
    p->ncwnd = (uint32_t)number(object, "ncwnd", p->ncwnd);
    p->tx_window[LITE_REQ] = (uint32_t)number(object, "tx_window_req", p->tx_window[LITE_REQ]);
    p->tx_window[LITE_DATA] =
        (uint32_t)number(object, "tx_window_data", p->tx_window[LITE_DATA]);
    p->ar_threshold = (uint32_t)number(object, "ar_threshold", p->ar_threshold);
    p->ar_percent = (uint32_t)number(object, "ar_percent", p->ar_percent);
    p->max_attempts = (uint32_t)number(object, "max_attempts", p->max_attempts);
    p->initial_ttl = (uint32_t)number(object, "initial_ttl", p->initial_ttl);
    p->rto_ns = number(object, "rto_ns", p->rto_ns);
    p->coalescing_ns = number(object, "coalescing_ns", p->coalescing_ns);
}

static const struct lite_params defaults = {.ordered = true,
                                            .protocol_type = 2,
                                            .fcwnd = 64,
                                            .ncwnd = 64,
                                            .tx_window = {128, 256},
                                            .ar_threshold = 8,
                                            .ar_percent = 10,
                                            .max_attempts = 7,
                                            .initial_ttl = 64,
                                            .rto_ns = 1000000,
                                            .coalescing_ns = 8000};

/* Draws a connection id that no other connection has, unless the tester asked for one. */
static void choose_cid(struct sut *sut, struct lite_conn *conn)
{
    bool taken;

    do {
        taken = conn->local.cid == 0;
        for (struct lite_conn *c = sut->conns; c != NULL; c = c->next)
            taken |= c->local.cid == conn->local.cid;
        if (taken)
            conn->local.cid = draw(sut) & 0xffffff;
    } while (taken);
}

static enum talon_client_done open_conn(void *ctx, const json_t *command, json_t *reply,
                                        const char **why)
{
    struct sut *sut = ctx;
    const char *encap = json_string_value(json_object_get(command, "encap"));
    struct lite_conn *conn;

    if (encap != NULL && strcmp(encap, "udp") != 0) {
        *why = "encap: this example speaks in the clear";
        return TALON_CLIENT_UNSUPPORTED;
    }
    if (!json_is_object(json_object_get(command, "peer"))) {
        *why = "peer: missing";
        return TALON_CLIENT_FAILED;
    }
    conn = calloc(1, sizeof *conn);
    if (conn == NULL) {
        *why = "out of memory";
        return TALON_CLIENT_FAILED;
    }
    conn->calls = &calls;
    conn->ctx = sut;
    conn->params = defaults;
    conn->now_ns = sut->now_ns;
    read_params(json_object_get(command, "params"), &conn->params);
    if (!conn->params.ordered) {
        lite_free(conn);
        *why = "ordered: connections of this example are ordered";
        return TALON_CLIENT_UNSUPPORTED;
    }
    conn->local = (struct lite_end){
        .function = draw(sut) & 0xffffff, .psn = {draw(sut), draw(sut)}, .rsn = draw(sut)};
    read_end(json_object_get(command, "local"), &conn->local);
    choose_cid(sut, conn);
    read_end(json_object_get(command, "peer"), &conn->peer);
    lite_begin(conn);
    (void)snprintf(conn->name, sizeof conn->name, "c%u", ++sut->names);
    conn->next = sut->conns;
    sut->conns = conn;
    (void)json_object_set_new(reply, "conn", json_string(conn->name));
    (void)json_object_set_new(
        reply, "local",
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "cid", (json_int_t)conn->local.cid, "function",
                  (json_int_t)conn->local.function, "req_psn",
                  (json_int_t)conn->local.psn[LITE_REQ], "data_psn",
                  (json_int_t)conn->local.psn[LITE_DATA], "rsn", (json_int_t)conn->local.rsn));
    (void)json_object_set_new(reply, "params", json_object());
    return TALON_CLIENT_DONE;
}

static enum talon_client_done close_conn(void *ctx, const json_t *command, json_t *reply,
                                         const char **why)
{
    struct lite_conn *conn = find(ctx, command, why);

    (void)reply;
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    drop(ctx, conn);
    return TALON_CLIENT_DONE;
}

static enum talon_client_done reset(void *ctx, const json_t *command, json_t *reply,
                                    const char **why)
{
    struct sut *sut = ctx;
    const char *scope = json_string_value(json_object_get(command, "scope"));
    struct lite_conn *next;

    if (scope == NULL || strcmp(scope, "device") != 0) {
        *why = "scope: this example resets the device only";
        return scope == NULL ? TALON_CLIENT_FAILED : TALON_CLIENT_UNSUPPORTED;
    }
    (void)reply;
    for (struct lite_conn *conn = sut->conns; conn != NULL; conn = next) {
        next = conn->next;
        lite_free(conn);
    }
    sut->conns = NULL;
    sut->received = sut->sent = 0;
    return TALON_CLIENT_DONE;
}

static enum talon_client_done post(void *ctx, const json_t *command, json_t *reply,
                                   const char **why)
{
    struct sut *sut = ctx;
    struct lite_conn *conn = find(sut, command, why);
    const char *op = json_string_value(json_object_get(command, "op"));
    uint64_t length = number(command, "length", UINT64_MAX);
    struct lite_order order = {.length = (uint32_t)length};
    uint32_t rsn = 0;

    (void)talon_client_wide(command, "tag", &order.tag);
    (void)talon_client_wide(command, "seed", &order.seed);
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    if (op == NULL || (strcmp(op, "push") != 0 && strcmp(op, "pull") != 0) ||
        length > LITE_MTU) {
        *why = "op: push or pull; length: at most 4096";
        return TALON_CLIENT_FAILED;
    }
    order.pull = strcmp(op, "pull") == 0;
    if (!lite_post(conn, &order, &rsn, sut->now_ns)) {
        *why = "too many transactions, or the connection is dead";
        return TALON_CLIENT_BUSY;
    }
    (void)json_object_set_new(reply, "rsn", json_integer((json_int_t)rsn));
    return TALON_CLIENT_DONE;
}

/* An answer, of a policy or of `respond`. */
static enum talon_client_done read_answer(const json_t *object, struct lite_rule *rule,
                                          const char **why)
{
    const char *answer = json_string_value(json_object_get(object, "answer"));
    const char *op = json_string_value(json_object_get(object, "op"));

    *rule = (struct lite_rule){.op = op == NULL ? -1 : strcmp(op, "pull") == 0};
    for (int i = 0; i < 3; i++) {
        if (answer == NULL || strcmp(answer, answers[i]) != 0)
            continue;
        rule->answer = (enum lite_answer)i;
        rule->request = (uint32_t)number(object, "request", 0);
        rule->every = (uint32_t)number(object, "every", 0);
        rule->after_ns = number(object, "after_ns", 0);
        rule->length = (uint32_t)number(object, "length", 0);
        rule->has_length = json_is_integer(json_object_get(object, "length"));
        rule->has_tag = talon_client_wide(object, "tag", &rule->tag);
        (void)talon_client_wide(object, "seed", &rule->seed);
        return TALON_CLIENT_DONE;
    }
    *why = "answer: ack, data and withhold are what this example knows";
    return answer == NULL ? TALON_CLIENT_FAILED : TALON_CLIENT_UNSUPPORTED;
}

static enum talon_client_done policy(void *ctx, const json_t *command, json_t *reply,
                                     const char **why)
{
    struct lite_conn *conn = find(ctx, command, why);
    const json_t *rules = json_object_get(command, "rules");
    struct lite_rule read[LITE_RULES];
    size_t n = json_array_size(rules);
    enum talon_client_done done = TALON_CLIENT_DONE;

    (void)reply;
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    if (!json_is_array(rules) || n > LITE_RULES) {
        *why = "rules: a list of at most 64";
        return TALON_CLIENT_FAILED;
    }
    for (size_t i = 0; i < n && done == TALON_CLIENT_DONE; i++)
        done = read_answer(json_array_get(rules, i), &read[i], why);
    if (done != TALON_CLIENT_DONE)
        return done;
    memcpy(conn->rules, read, n * sizeof *read);
    conn->num_rules = n;
    return done;
}

static enum talon_client_done respond(void *ctx, const json_t *command, json_t *reply,
                                      const char **why)
{
    struct sut *sut = ctx;
    struct lite_conn *conn = find(sut, command, why);
    struct lite_rule rule;
    enum talon_client_done done;

    (void)reply;
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    done = read_answer(command, &rule, why);
    if (done != TALON_CLIENT_DONE)
        return done;
    if (!json_is_integer(json_object_get(command, "rsn")) || rule.answer == LITE_WITHHOLD ||
        !lite_respond(conn, (uint32_t)number(command, "rsn", 0), &rule, sut->now_ns)) {
        *why = "rsn: no request waits for this answer";
        return TALON_CLIENT_FAILED;
    }
    return TALON_CLIENT_DONE;
}

static enum talon_client_done set(void *ctx, const json_t *command, json_t *reply,
                                  const char **why)
{
    struct sut *sut = ctx;
    struct lite_conn *conn = find(sut, command, why);

    (void)reply;
    if (conn == NULL)
        return TALON_CLIENT_FAILED;
    if (!json_is_object(json_object_get(command, "params"))) {
        *why = "params: missing";
        return TALON_CLIENT_FAILED;
    }
    read_params(json_object_get(command, "params"), &conn->params);
    lite_tick(conn, sut->now_ns);
    return TALON_CLIENT_DONE;
}

/* All that was caused has been said: this example does all at once. */
static enum talon_client_done barrier(void *ctx, const json_t *command, json_t *reply,
                                      const char **why)
{
    (void)ctx;
    (void)command;
    (void)reply;
    (void)why;
    return TALON_CLIENT_DONE;
}

static enum talon_client_done counters(void *ctx, const json_t *command, json_t *reply,
                                       const char **why)
{
    const struct sut *sut = ctx;

    (void)command;
    (void)why;
    (void)json_object_set_new(reply, "frames_received",
                              json_integer((json_int_t)sut->received));
    (void)json_object_set_new(reply, "frames_sent", json_integer((json_int_t)sut->sent));
    return TALON_CLIENT_DONE;
}

/* In the order of the levels. */
static const struct talon_client_command commands[] = {
    {"open", open_conn},  {"close", close_conn}, {"counters", counters}, /* L1 */
    {"post", post},                                                      /* L2 */
    {"policy", policy},   {"set", set},          {"respond", respond},   /* L3 */
    {"barrier", barrier},
};
enum { COMMANDS_L1 = 3, COMMANDS_L2 = 4, COMMANDS_L3 = sizeof commands / sizeof *commands };

/* ---- what talon_sut.h asks for ---- */

static void destroy(void *ctx)
{
    struct sut *sut = ctx;
    struct frame *next;

    while (sut->conns != NULL)
        drop(sut, sut->conns);
    for (; sut->head != NULL; sut->head = next) {
        next = sut->head->next;
        free(sut->head);
    }
    free(sut->taken);
    json_decref(sut->ics);
    talon_client_free(sut->client);
    free(sut);
}

static void *create(uint64_t seed)
{
    static const char *const offered[] = {"transport-mode", "ordered-connections"};
    static const char *const not [] = {"tunnel-mode",
                                       "psp",
                                       "esp",
                                       "unordered-connections",
                                       "rack-tlp",
                                       "early-retransmission",
                                       "constrained-resources",
                                       "xlr-filter",
                                       "swift",
                                       "plb"};
    struct sut *sut = calloc(1, sizeof *sut);

    if (sut == NULL)
        return NULL;
    sut->seed = seed;
    sut->ics = json_object();
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++)
        (void)json_object_set_new(sut->ics, offered[i], json_true());
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        (void)json_object_set_new(sut->ics, not [i], json_false());
    sut->config = (struct talon_client_config){.vendor = "Example",
                                               .product = "Lite",
                                               .firmware = "1",
                                               .serial = "0",
                                               .level = LITE_LEVEL,
                                               .ics = sut->ics,
                                               .ordered_events = true,
                                               .reset = reset,
                                               .commands = commands,
                                               .num_commands = LITE_LEVEL == 1   ? COMMANDS_L1
                                                               : LITE_LEVEL == 2 ? COMMANDS_L2
                                                                                 : COMMANDS_L3,
                                               .ctx = sut};
    sut->client = talon_client_new(&sut->config);
    if (sut->client != NULL && sut->ics != NULL)
        return sut;
    destroy(sut);
    return NULL;
}

static void frame(void *ctx, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns)
{
    struct sut *sut = ctx;
    struct lite_packet packet;

    sut->now_ns = now_ns;
    sut->received++;
    if (!lite_decode(bytes, len, &packet))
        return;
    for (struct lite_conn *conn = sut->conns; conn != NULL; conn = conn->next) {
        if (conn->local.cid == packet.cid) {
            lite_take(conn, &packet, ip.ecn, ip.ttl, now_ns);
            return;
        }
    }
}

static void line(void *ctx, const char *text, size_t len, uint64_t now_ns)
{
    struct sut *sut = ctx;

    sut->now_ns = now_ns;
    talon_client_line(sut->client, text, len);
}

static void tick(void *ctx, uint64_t now_ns)
{
    struct sut *sut = ctx;

    sut->now_ns = now_ns;
    for (struct lite_conn *conn = sut->conns; conn != NULL; conn = conn->next)
        if (lite_deadline(conn) <= now_ns)
            lite_tick(conn, now_ns);
}

static uint64_t deadline(void *ctx)
{
    const struct sut *sut = ctx;
    uint64_t due = TALON_SUT_NEVER;

    for (const struct lite_conn *conn = sut->conns; conn != NULL; conn = conn->next)
        if (lite_deadline(conn) < due)
            due = lite_deadline(conn);
    return due;
}

/* Lines before frames: what causes a packet is said before it. */
static int next(void *ctx, struct talon_sut_out *out)
{
    struct sut *sut = ctx;
    const char *text = talon_client_next(sut->client, &out->len);

    if (text != NULL) {
        out->kind = TALON_SUT_LINE;
        out->bytes = (const uint8_t *)text;
        return 1;
    }
    free(sut->taken);
    sut->taken = sut->head;
    if (sut->taken == NULL)
        return 0;
    sut->head = sut->taken->next;
    if (sut->head == NULL)
        sut->tail = NULL;
    *out = (struct talon_sut_out){TALON_SUT_FRAME, sut->taken->bytes, sut->taken->len};
    return 1;
}

const struct talon_sut_api *talon_sut_api_v1(void)
{
    static const struct talon_sut_api api = {
        TALON_SUT_VERSION, create, destroy, frame, line, tick, deadline, next};

    return &api;
}
