/* SPDX-License-Identifier: Apache-2.0
 * sut_testing.h - for tests only: the built-in SUT on a wire without delay, an endpoint as its
 * peer, and what the SUT said in the order in which it said it. */
#ifndef TL_HARNESS_SUT_SUT_TESTING_H
#define TL_HARNESS_SUT_SUT_TESTING_H

#include "harness/sut/sut.h"
#include "oracles/payload.h"

#include <check.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    struct tl_sut *sut;
    struct fal_endpoint *peer;
    uint32_t conn; /* the peer's */
    uint64_t now_ns;
    int64_t id, epoch;
    json_t *said;    /* replies, events, and {"packet": type name} for frames */
    json_t *sut_end; /* the answer to `open` */
    struct fal_end end;
    uint32_t completed; /* at the peer */
    enum fal_completion last_code;
    uint8_t last_nack_code;
    uint32_t last_len;
    uint64_t last_hash;
    bool deaf; /* the peer does not hear */
};

static inline void bench_new(struct bench *b, const char *fault)
{
    struct tl_sut_config config = {.seed = 7};
    const struct fal_endpoint_config peer = {.seed = 8};

    *b = (struct bench){.epoch = 1, .said = json_array()};
    if (fault != NULL)
        fal_fault_add(&config.faults, (enum fal_fault_id)fal_fault_find(fault));
    b->sut = tl_sut_new(&config);
    b->peer = fal_endpoint_new(&peer);
    ck_assert_ptr_nonnull(b->sut);
    ck_assert_ptr_nonnull(b->peer);
}

static inline void bench_free(struct bench *b)
{
    tl_sut_free(b->sut);
    fal_endpoint_free(b->peer);
    json_decref(b->said);
    json_decref(b->sut_end);
}

static inline void bench_peer_in(struct bench *b, const struct fal_endpoint_in *in)
{
    FAL_IGNORE(fal_endpoint_input(b->peer, in, b->now_ns, NULL));
}

/* The peer's ULP takes pushes and answers pulls with `tag` 99, at once. */
static inline void bench_peer_ulp(struct bench *b, const struct fal_endpoint_out *out)
{
    static const uint8_t data[4096];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = b->conn,
                                 .rsn = out->rsn,
                                 .answer =
                                     out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA,
                                 .payload = data,
                                 .length = out->length,
                                 .payload_len = out->length};

    bench_peer_in(b, &in);
}

/* Carries lines and frames in both directions until neither end has any left at this time. */
static inline void bench_settle(struct bench *b)
{
    struct tl_sut_out from_sut;
    struct fal_endpoint_out out;
    bool more = true;

    while (more) {
        more = false;
        while (tl_sut_next(b->sut, &from_sut)) {
            struct fal_falcon packet;

            more = true;
            if (from_sut.kind == TL_SUT_LINE) {
                ck_assert_uint_eq(from_sut.bytes[from_sut.len], 0);
                json_array_append_new(
                    b->said, json_loadb((const char *)from_sut.bytes, from_sut.len, 0, NULL));
                continue;
            }
            ck_assert_int_gt(fal_falcon_decode(from_sut.bytes, from_sut.len, &packet), 0);
            json_array_append_new(b->said, json_pack("{s:s}", "packet",
                                                     fal_falcon_type_name(packet.packet_type)));
            if (!b->deaf)
                bench_peer_in(b, &(struct fal_endpoint_in){.kind = FAL_IN_PACKET,
                                                           .bytes = from_sut.bytes,
                                                           .len = from_sut.len});
        }
        while (fal_endpoint_next(b->peer, &out)) {
            more = true;
            if (out.kind == FAL_OUT_PACKET) {
                tl_sut_frame(b->sut, out.bytes, out.len, b->now_ns);
            } else if (out.kind == FAL_OUT_REQUEST) {
                bench_peer_ulp(b, &out);
            } else if (out.kind == FAL_OUT_COMPLETE) {
                b->completed++;
                b->last_code = out.code;
                b->last_nack_code = (uint8_t)out.ulp_nack_code;
                b->last_len = out.payload_len;
                b->last_hash = fal_payload_hash(out.payload, out.payload_len);
            }
        }
    }
}

/* Lets time pass, timer by timer, up to `until_ns`. */
static inline void bench_run(struct bench *b, uint64_t until_ns)
{
    for (;;) {
        uint64_t sut, peer, next;

        bench_settle(b);
        sut = tl_sut_deadline(b->sut);
        peer = fal_endpoint_deadline(b->peer);
        next = sut < peer ? sut : peer;
        if (next > until_ns)
            break;
        b->now_ns = next > b->now_ns ? next : b->now_ns;
        if (sut <= b->now_ns)
            tl_sut_tick(b->sut, b->now_ns);
        if (peer <= b->now_ns)
            bench_peer_in(b, &(struct fal_endpoint_in){.kind = FAL_IN_TICK});
    }
    b->now_ns = until_ns;
}

static inline json_t *bench_last(const struct bench *b)
{
    return json_array_get(b->said, json_array_size(b->said) - 1);
}

/* Writes a raw line and returns what was said last (borrowed). */
static inline json_t *bench_line(struct bench *b, const char *line, size_t len)
{
    tl_sut_line(b->sut, line, len, b->now_ns);
    bench_settle(b);
    return bench_last(b);
}

/* Writes {"id", "epoch", <members>} and returns the answer (borrowed). Quotes are written ' in
 * it. */
__attribute__((format(printf, 2, 3))) static inline json_t *bench_ask(struct bench *b,
                                                                      const char *members, ...)
{
    char line[8192];
    int head = snprintf(line, sizeof line, "{\"id\": %lld, \"epoch\": %lld, ",
                        (long long)++b->id, (long long)b->epoch);
    size_t from = json_array_size(b->said);
    va_list args;

    va_start(args, members);
    head += vsnprintf(line + head, sizeof line - (size_t)head, members, args);
    va_end(args);
    ck_assert_int_lt(head, (int)sizeof line - 2);
    strcat(line, "}");
    for (char *at = line; *at != 0; at++)
        if (*at == '\'')
            *at = '"';
    (void)bench_line(b, line, strlen(line));
    for (size_t i = from; i < json_array_size(b->said); i++) {
        json_t *object = json_array_get(b->said, i);

        if (json_integer_value(json_object_get(object, "id")) == b->id)
            return object;
    }
    ck_abort_msg("no answer to %s", line);
    return NULL;
}

static inline const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static inline long long number_of(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static inline void ck_ok(const json_t *reply)
{
    const json_t *ok = json_object_get(reply, "ok");

    ck_assert_msg(json_is_true(ok), "%s", text_of(reply, "why"));
}

/* The answer is this error, and its sentence holds `part`. */
static inline void ck_error(const json_t *reply, const char *error, const char *part)
{
    ck_assert_str_eq(text_of(reply, "error"), error);
    ck_assert_ptr_null(json_object_get(reply, "ok"));
    ck_assert_msg(strstr(text_of(reply, "why"), part) != NULL, "'%s' lacks '%s'",
                  text_of(reply, "why"), part);
}

/* Opens c1: the peer's initial numbers sit below the wrap, so that each test also tests it. */
static inline void bench_open(struct bench *b, const char *params)
{
    struct fal_endpoint_conn config = {.auto_ack = true, .auto_retransmit = true};
    const struct fal_end end = {.cid = 5,
                                .function = 6,
                                .req_psn = 0xfffffffe,
                                .data_psn = 0xffffffff,
                                .rsn = 0xfffffffd};
    const json_t *local;
    json_t *reply =
        bench_ask(b,
                  "'do': 'open', 'encap': 'udp', 'peer': {'cid': 5, 'function': 6, "
                  "'req_psn': 4294967294, 'data_psn': 4294967295, 'rsn': 4294967293}, "
                  "'local': {'rsn': 4294967295}, 'params': {%s}",
                  params);

    ck_ok(reply);
    local = json_object_get(reply, "local");
    fal_params_default(&config.params, false);
    config.local = end;
    config.peer = (struct fal_end){.cid = (uint32_t)number_of(local, "cid"),
                                   .function = (uint32_t)number_of(local, "function"),
                                   .req_psn = (uint32_t)number_of(local, "req_psn"),
                                   .data_psn = (uint32_t)number_of(local, "data_psn"),
                                   .rsn = (uint32_t)number_of(local, "rsn")};
    b->end = config.peer;
    b->sut_end = json_incref(reply);
    ck_assert_int_eq(fal_endpoint_open(b->peer, &config, b->now_ns, &b->conn), 0);
}

/* The peer starts a transaction; its RSN. Push payload: tag 1000 + rsn, seed 3. */
static inline uint32_t bench_post(struct bench *b, enum fal_ulp_op op, uint32_t length)
{
    static uint8_t payload[4096];
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .conn = b->conn, .op = op, .length = length};
    uint32_t rsn;

    if (op == FAL_OP_PUSH) {
        fal_payload_fill(1000, 3, payload, length);
        in.payload = payload;
        in.payload_len = length;
    }
    ck_assert_int_eq(fal_endpoint_input(b->peer, &in, b->now_ns, &rsn), 0);
    bench_settle(b);
    return rsn;
}

/* The n-th event of that name from the beginning (0 the first), or NULL. */
static inline json_t *bench_event(const struct bench *b, const char *name, unsigned n)
{
    for (size_t i = 0; i < json_array_size(b->said); i++) {
        json_t *object = json_array_get(b->said, i);

        if (strcmp(text_of(object, "event"), name) == 0 && n-- == 0)
            return object;
    }
    return NULL;
}

static inline unsigned bench_count(const struct bench *b, const char *key, const char *value)
{
    unsigned n = 0;

    for (size_t i = 0; i < json_array_size(b->said); i++)
        n += strcmp(text_of(json_array_get(b->said, i), key), value) == 0;
    return n;
}

/* Where an object stands in what was said. */
static inline size_t bench_place(const struct bench *b, const json_t *object)
{
    size_t i = 0;

    while (i < json_array_size(b->said) && json_array_get(b->said, i) != object)
        i++;
    return i;
}

#endif
