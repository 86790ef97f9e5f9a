/* SPDX-License-Identifier: Apache-2.0
 * Two built-in SUTs, joined by a wire without delay, use RDMA by words of the control protocol
 * alone. */
#include "harness/sut/sut.h"

#include "oracles/payload.h"
#include "tests/testing.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One of them; `said` has its replies and events. */
struct side {
    struct tl_sut *sut;
    json_t *said;
    int64_t id, epoch;
    char qp[32], mr[32];
    uint32_t qpn, rkey;
    uint64_t va;
};

struct pair {
    struct side sides[2];
    uint64_t now_ns;
};

/* `fault`: of the first one, or NULL. */
static void begin_faulty(struct pair *pair, const struct tl_limits *limits, const char *fault)
{
    *pair = (struct pair){.now_ns = 0};
    for (int i = 0; i < 2; i++) {
        struct tl_sut_config config = {.seed = 40 + (uint64_t)i};

        if (limits != NULL)
            config.limits = *limits;
        if (i == 0 && fault != NULL)
            fal_fault_add(&config.faults, (enum fal_fault_id)fal_fault_find(fault));
        pair->sides[i].sut = tl_sut_new(&config);
        pair->sides[i].said = json_array();
        pair->sides[i].epoch = 1;
        ck_assert_ptr_nonnull(pair->sides[i].sut);
    }
}

static void begin(struct pair *pair, const struct tl_limits *limits)
{
    begin_faulty(pair, limits, NULL);
}

static void end(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        tl_sut_free(pair->sides[i].sut);
        json_decref(pair->sides[i].said);
    }
}

/* Carries frames and lines until both are silent at this time. */
static void settle(struct pair *pair)
{
    struct tl_sut_out out;

    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < 2; i++) {
            while (tl_sut_next(pair->sides[i].sut, &out)) {
                more = true;
                if (out.kind == TL_SUT_LINE)
                    (void)json_array_append_new(
                        pair->sides[i].said,
                        json_loadb((const char *)out.bytes, out.len, 0, NULL));
                else
                    tl_sut_frame(pair->sides[1 - i].sut, out.bytes, out.len, pair->now_ns);
            }
        }
    }
}

static void run_for(struct pair *pair, uint64_t ns)
{
    uint64_t until_ns = pair->now_ns + ns;

    for (settle(pair);; settle(pair)) {
        uint64_t a = tl_sut_deadline(pair->sides[0].sut),
                 b = tl_sut_deadline(pair->sides[1].sut), next_ns = a < b ? a : b;

        if (next_ns > until_ns)
            break;
        pair->now_ns = next_ns > pair->now_ns ? next_ns : pair->now_ns;
        for (int i = 0; i < 2; i++)
            tl_sut_tick(pair->sides[i].sut, pair->now_ns);
    }
    pair->now_ns = until_ns;
}

/* Writes a command in which ' stands for "; its reply (borrowed). */
__attribute__((format(printf, 3, 4))) static json_t *ask(struct pair *pair, int side,
                                                         const char *members, ...)
{
    struct side *s = &pair->sides[side];
    char line[2048];
    int head = snprintf(line, sizeof line, "{'id': %lld, 'epoch': %lld, ", (long long)++s->id,
                        (long long)s->epoch);
    va_list args;

    va_start(args, members);
    head += vsnprintf(line + head, sizeof line - (size_t)head, members, args);
    va_end(args);
    ck_assert_int_lt(head, (int)sizeof line - 2);
    strcat(line, "}");
    for (char *at = line; *at != 0; at++)
        *at = *at == '\'' ? '"' : *at;
    tl_sut_line(s->sut, line, strlen(line), pair->now_ns);
    settle(pair);
    for (size_t i = json_array_size(s->said); i-- > 0;) {
        json_t *object = json_array_get(s->said, i);

        if (json_integer_value(json_object_get(object, "id")) == s->id)
            return object;
    }
    ck_abort_msg("no reply to %s", line);
    return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static uint64_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 16)
                                 : (uint64_t)json_integer_value(value);
}

static json_t *good(json_t *reply)
{
    ck_assert_msg(json_is_true(json_object_get(reply, "ok")), "%s", text_of(reply, "why"));
    return reply;
}

static void refused(json_t *reply, const char *error, const char *part)
{
    ck_assert_str_eq(text_of(reply, "error"), error);
    ck_assert_msg(strstr(text_of(reply, "why"), part) != NULL, "'%s' lacks '%s'",
                  text_of(reply, "why"), part);
}

/* The n-th event of that name, or NULL. */
static json_t *event(const struct pair *pair, int side, const char *name, unsigned n)
{
    const json_t *said = pair->sides[side].said;

    for (size_t i = 0; i < json_array_size(said); i++)
        if (strcmp(text_of(json_array_get(said, i), "event"), name) == 0 && n-- == 0)
            return json_array_get(said, i);
    return NULL;
}

/* Opens c1 at both, whose ends are known beforehand. */
static void open_both(struct pair *pair, const char *upper)
{
    for (int i = 0; i < 2; i++)
        (void)good(ask(pair, i,
                       "'do': 'open', 'upper': '%s', 'peer': {'cid': %d, 'function': 1, "
                       "'req_psn': 0, 'data_psn': 0, 'rsn': 0}, 'local': {'cid': %d, "
                       "'function': 1, 'req_psn': 0, 'data_psn': 0, 'rsn': 0}",
                       upper, 11 - i, 10 + i));
}

/* A region of 4096 bytes and a connected queue pair at each. */
static void make_both(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        struct side *s = &pair->sides[i];
        char pd[32], cq[32];
        json_t *reply = good(ask(pair, i, "'do': 'pd_create'"));

        (void)snprintf(pd, sizeof pd, "%s", text_of(reply, "pd"));
        reply = good(ask(pair, i, "'do': 'cq_create', 'depth': 64"));
        (void)snprintf(cq, sizeof cq, "%s", text_of(reply, "cq"));
        reply = good(ask(pair, i,
                         "'do': 'mr_reg', 'pd': '%s', 'length': 4096, "
                         "'access': ['lw', 'rw', 'rr', 'ra']",
                         pd));
        (void)snprintf(s->mr, sizeof s->mr, "%s", text_of(reply, "mr"));
        s->rkey = (uint32_t)number_of(reply, "rkey");
        s->va = number_of(reply, "va");
        reply = good(ask(pair, i,
                         "'do': 'qp_create', 'type': 'rc', 'pd': '%s', 'send_cq': '%s', "
                         "'recv_cq': '%s', 'path_mtu': 1024",
                         pd, cq, cq));
        ck_assert_uint_eq(number_of(reply, "path_mtu"), 1024);
        (void)snprintf(s->qp, sizeof s->qp, "%s", text_of(reply, "qp"));
        s->qpn = (uint32_t)number_of(reply, "qpn");
    }
    for (int i = 0; i < 2; i++)
        (void)good(ask(pair, i, "'do': 'qp_connect', 'qp': '%s', 'conn': 'c1', 'dest_qpn': %u",
                       pair->sides[i].qp, pair->sides[1 - i].qpn));
}

static void begin_connected(struct pair *pair)
{
    begin(pair, NULL);
    open_both(pair, "verbs");
    make_both(pair);
}

static uint64_t pattern_hash(uint64_t tag, uint32_t length)
{
    static uint8_t bytes[4096];

    fal_payload_fill(tag, 0, bytes, length);
    return fal_payload_hash(bytes, length);
}

START_TEST(hello_lists_verbs)
{
    struct pair pair;
    json_t *levels, *reply;

    begin(&pair, NULL);
    reply = good(ask(&pair, 0, "'do': 'hello', 'version': 1"));
    levels = json_object_get(reply, "levels");
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, levels), 3);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(reply, "upper"), 1)),
                     "verbs");
    end(&pair);
}
END_TEST

START_TEST(limits_take_verbs_away)
{
    struct tl_limits limits = {.has_level = false};
    struct fal_error err = {""};
    struct pair pair;
    json_t *reply;

    ck_assert_int_eq(tl_limits_without(&limits, "mr_hash", 7, &err), 0);
    begin(&pair, &limits);
    reply = good(ask(&pair, 0, "'do': 'hello', 'version': 1"));
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, json_object_get(reply, "levels")),
                      2);
    refused(ask(&pair, 0, "'do': 'mr_hash', 'mr': 'm', 'length': 1"), "unsupported", "mr_hash");
    end(&pair);
    ck_assert_int_eq(tl_limits_without(&limits, "cq_arm", 6, &err), 0);
    begin(&pair, &limits);
    reply = good(ask(&pair, 0, "'do': 'hello', 'version': 1"));
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, json_object_get(reply, "levels")),
                      0);
    ck_assert_uint_eq(json_array_size(json_object_get(reply, "upper")), 2);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(reply, "upper"), 1)),
                     "nvme");
    refused(ask(&pair, 0,
                "'do': 'open', 'upper': 'verbs', 'peer': {'cid': 1, 'function': 1, 'req_psn': "
                "0, 'data_psn': 0, 'rsn': 0}"),
            "unsupported", "no RDMA verbs");
    end(&pair);
}
END_TEST

/* ---- NVMe ---- */

/* Opens a connection of side 0 with these parameters. */
static json_t *open_nvme(struct pair *pair, const char *params)
{
    return ask(pair, 0,
               "'do': 'open', 'upper': 'nvme', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
               "'data_psn': 0, 'rsn': 0}, 'params': {%s}",
               params);
}

START_TEST(nvme_has_levels_of_its_own)
{
    struct tl_limits limits = {.has_level = false};
    struct fal_error err = {""};
    struct pair pair;
    json_t *levels;

    begin(&pair, NULL);
    levels = json_object_get(good(ask(&pair, 0, "'do': 'hello', 'version': 1")), "levels");
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_NVME, levels), 3);
    end(&pair);
    ck_assert_int_eq(tl_limits_without(&limits, "dev_hash", 8, &err), 0);
    begin(&pair, &limits);
    levels = json_object_get(good(ask(&pair, 0, "'do': 'hello', 'version': 1")), "levels");
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_NVME, levels), 2);
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, levels), 3);
    end(&pair);
    ck_assert_int_eq(tl_limits_without(&limits, "nvme_post", 9, &err), 0);
    begin(&pair, &limits);
    refused(open_nvme(&pair, "'ordered': false"), "unsupported", "no NVMe");
    end(&pair);
}
END_TEST

/* NVME-6.5-02, NVME-8-01: an ordered connection, or one whose MTU holds no 4 KB with their
 * metadata, is refused, and may be opened again otherwise. */
START_TEST(nvme_needs_an_unordered_connection_that_holds_its_packets)
{
    struct pair pair;

    begin(&pair, NULL);
    refused(open_nvme(&pair, "'ordered': true, 'mtu': 4300"), "unsupported",
            "\"ordered\": false");
    refused(open_nvme(&pair, "'ordered': false, 'mtu': 1500"), "unsupported", "at least 4260");
    refused(open_nvme(&pair, "'ordered': false, 'mtu': 4259"), "unsupported", "at least 4260");
    (void)good(open_nvme(&pair, "'ordered': false, 'mtu': 4260"));
    end(&pair);
}
END_TEST

START_TEST(words_of_nvme_name_connections_for_nvme)
{
    struct pair pair;
    const char *conn;

    begin(&pair, NULL);
    (void)good(ask(&pair, 0,
                   "'do': 'open', 'peer': {'cid': 1, 'function': 1, 'req_psn': 0, "
                   "'data_psn': 0, 'rsn': 0}"));
    refused(ask(&pair, 0, "'do': 'nvme_lba', 'index': 0, 'valid': true, 'conn': 'c1'"),
            "failed", "raw connection");
    conn = text_of(good(open_nvme(&pair, "'ordered': false, 'mtu': 4300")), "conn");
    (void)good(ask(&pair, 0, "'do': 'nvme_ns', 'nsid': 1"));
    (void)good(
        ask(&pair, 0, "'do': 'nvme_lba', 'index': 0, 'valid': true, 'conn': '%s'", conn));
    refused(
        ask(&pair, 0, "'do': 'post', 'conn': '%s', 'op': 'push', 'length': 8, 'tag': 1", conn),
        "failed", "use nvme_post");
    refused(ask(&pair, 0, "'do': 'nvme_post', 'cmd': 1, 'op': 'read', 'nsid': 2, 'slba': 0"),
            "failed", "nsid");
    (void)good(
        ask(&pair, 0, "'do': 'nvme_post', 'cmd': 1, 'op': 'read', 'nsid': 1, 'slba': 0"));
    (void)good(ask(&pair, 0, "'do': 'close', 'conn': '%s'", conn));
    ck_assert_ptr_nonnull(event(&pair, 0, "nvme_cqe", 0)); /* it failed with its connection */
    end(&pair);
}
END_TEST

START_TEST(a_write_is_placed_and_completes)
{
    struct pair pair;
    json_t *wc, *reply;

    begin_connected(&pair);
    (void)good(ask(&pair, 0, "'do': 'mr_fill', 'mr': '%s', 'length': 3000, 'tag': 7",
                   pair.sides[0].mr));
    reply = good(ask(&pair, 0,
                     "'do': 'post_send', 'qp': '%s', 'wr_id': 5, 'op': 'write', 'sgl': "
                     "[{'mr': '%s', 'length': 3000}], 'remote': {'va': %llu, 'rkey': %u}, "
                     "'flags': ['signaled']",
                     pair.sides[0].qp, pair.sides[0].mr, (unsigned long long)pair.sides[1].va,
                     pair.sides[1].rkey));
    ck_assert_uint_eq(number_of(reply, "rsn_count"), 3);
    run_for(&pair, 10 * FAL_MS);
    wc = event(&pair, 0, "wc", 0);
    ck_assert_ptr_nonnull(wc);
    ck_assert_uint_eq(number_of(wc, "wr_id"), 5);
    ck_assert_uint_eq(number_of(wc, "status"), 0);
    ck_assert_str_eq(text_of(wc, "opcode"), "write");
    (void)good(ask(&pair, 1, "'do': 'barrier'"));
    reply =
        good(ask(&pair, 1, "'do': 'mr_hash', 'mr': '%s', 'length': 3000", pair.sides[1].mr));
    ck_assert_uint_eq(number_of(reply, "hash"), pattern_hash(7, 3000));
    ck_assert_ptr_null(event(&pair, 1, "wc", 0));
    ck_assert_ptr_null(event(&pair, 1, "request", 0));
    end(&pair);
}
END_TEST

START_TEST(faults_of_the_engines_are_counted)
{
    struct pair pair;
    uint64_t chances, acts;

    begin_faulty(&pair, NULL, "wc-dropped");
    open_both(&pair, "verbs");
    make_both(&pair);
    tl_sut_faults(pair.sides[0].sut, &chances, &acts);
    ck_assert_uint_eq(chances, 0);
    (void)good(ask(&pair, 0,
                   "'do': 'post_send', 'qp': '%s', 'wr_id': 5, 'op': 'write', 'sgl': "
                   "[{'mr': '%s', 'length': 8}], 'remote': {'va': %llu, 'rkey': %u}, "
                   "'flags': ['signaled']",
                   pair.sides[0].qp, pair.sides[0].mr, (unsigned long long)pair.sides[1].va,
                   pair.sides[1].rkey));
    run_for(&pair, 10 * FAL_MS);
    ck_assert_ptr_null(event(&pair, 0, "wc", 0));
    tl_sut_faults(pair.sides[0].sut, &chances, &acts);
    ck_assert_uint_eq(chances, 1);
    ck_assert_uint_eq(acts, 1);
    tl_sut_faults(pair.sides[1].sut, &chances, &acts);
    ck_assert_uint_eq(chances + acts, 0);
    end(&pair);
}
END_TEST

START_TEST(a_send_takes_a_receive_request)
{
    struct pair pair;
    json_t *wc;

    begin_connected(&pair);
    (void)good(ask(&pair, 1,
                   "'do': 'post_recv', 'qp': '%s', 'wr_id': 9, 'sgl': [{'mr': '%s', 'length': "
                   "64}]",
                   pair.sides[1].qp, pair.sides[1].mr));
    (void)good(
        ask(&pair, 0, "'do': 'mr_fill', 'mr': '%s', 'length': 64, 'tag': 3", pair.sides[0].mr));
    (void)good(ask(&pair, 0,
                   "'do': 'post_send', 'qp': '%s', 'wr_id': 1, 'op': 'send_imm', 'imm': 77, "
                   "'sgl': [{'mr': '%s', 'length': 64}]",
                   pair.sides[0].qp, pair.sides[0].mr));
    run_for(&pair, 10 * FAL_MS);
    wc = event(&pair, 1, "wc", 0);
    ck_assert_ptr_nonnull(wc);
    ck_assert_uint_eq(number_of(wc, "wr_id"), 9);
    ck_assert_uint_eq(number_of(wc, "byte_len"), 64);
    ck_assert_uint_eq(number_of(wc, "imm"), 77);
    ck_assert_str_eq(text_of(wc, "opcode"), "recv");
    ck_assert_uint_eq(number_of(good(ask(&pair, 1, "'do': 'mr_hash', 'mr': '%s', 'length': 64",
                                         pair.sides[1].mr)),
                                "hash"),
                      pattern_hash(3, 64));
    end(&pair);
}
END_TEST

START_TEST(a_wrong_key_ends_the_queue_pairs)
{
    struct pair pair;
    json_t *wc;

    begin_connected(&pair);
    (void)good(ask(&pair, 0,
                   "'do': 'post_send', 'qp': '%s', 'wr_id': 5, 'op': 'read', 'sgl': "
                   "[{'mr': '%s', 'length': 8}], 'remote': {'va': %llu, 'rkey': %u}, "
                   "'flags': ['signaled']",
                   pair.sides[0].qp, pair.sides[0].mr, (unsigned long long)pair.sides[1].va,
                   pair.sides[1].rkey ^ 1));
    run_for(&pair, 10 * FAL_MS);
    wc = event(&pair, 0, "wc", 0);
    ck_assert_ptr_nonnull(wc);
    ck_assert_uint_ne(number_of(wc, "status"), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(
            text_of(good(ask(&pair, i, "'do': 'qp_query', 'qp': '%s'", pair.sides[i].qp)),
                    "state"),
            "err");
    end(&pair);
}
END_TEST

START_TEST(raw_commands_are_refused_on_a_connection_for_verbs)
{
    static const char *const commands[] = {
        "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 4, 'tag': 1",
        "'do': 'policy', 'conn': 'c1', 'rules': []",
        "'do': 'respond', 'conn': 'c1', 'rsn': 0, 'answer': 'ack'"};
    struct pair pair;

    begin_connected(&pair);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        refused(ask(&pair, 0, "%s", commands[i]), "failed", "\"upper\": \"verbs\"");
    (void)good(ask(&pair, 0, "'do': 'state', 'conn': 'c1'"));
    (void)good(ask(&pair, 0, "'do': 'barrier', 'conn': 'c1'"));
    end(&pair);
}
END_TEST

START_TEST(a_queue_pair_needs_a_connection_for_verbs)
{
    struct pair pair;
    json_t *reply;
    char pd[32], cq[32];

    begin(&pair, NULL);
    open_both(&pair, "raw");
    (void)snprintf(pd, sizeof pd, "%s",
                   text_of(good(ask(&pair, 0, "'do': 'pd_create'")), "pd"));
    refused(ask(&pair, 0, "'do': 'ah_create', 'pd': '%s', 'conn': 'c1'", pd), "failed",
            "raw connection");
    refused(ask(&pair, 0, "'do': 'ah_create', 'pd': '%s', 'conn': 'c9'", pd), "failed", "c9");
    reply = good(ask(&pair, 0, "'do': 'cq_create', 'depth': 4"));
    (void)snprintf(cq, sizeof cq, "%s", text_of(reply, "cq"));
    refused(ask(&pair, 0, "'do': 'cq_arm', 'cq': '%s9'", cq), "failed", "cq");
    refused(ask(&pair, 0, "'do': 'cq_arm'"), "failed", "cq_arm: cq: missing");
    refused(ask(&pair, 0, "'do': 'mr_reg', 'pd': '%s', 'length': 0", pd), "failed", "length");
    refused(ask(&pair, 0,
                "'do': 'open', 'upper': 'other', 'peer': {'cid': 1, 'function': 1, 'req_psn': "
                "0, 'data_psn': 0, 'rsn': 0}"),
            "unsupported", "upper");
    end(&pair);
}
END_TEST

START_TEST(handles_die_with_the_device)
{
    struct pair pair;
    json_t *reply;

    begin_connected(&pair);
    reply = good(ask(&pair, 0, "'do': 'reset', 'scope': 'device'"));
    pair.sides[0].epoch = (int64_t)number_of(reply, "new_epoch");
    refused(ask(&pair, 0, "'do': 'qp_query', 'qp': '%s'", pair.sides[0].qp), "failed", "qp");
    refused(ask(&pair, 0, "'do': 'mr_dereg', 'mr': '%s'", pair.sides[0].mr), "failed", "mr");
    end(&pair);
}
END_TEST

START_TEST(a_closed_connection_ends_its_queue_pair)
{
    struct pair pair;

    begin_connected(&pair);
    (void)good(ask(&pair, 0, "'do': 'close', 'conn': 'c1'"));
    ck_assert_str_eq(
        text_of(good(ask(&pair, 0, "'do': 'qp_query', 'qp': '%s'", pair.sides[0].qp)), "state"),
        "err");
    end(&pair);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sut_verbs");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, hello_lists_verbs);
    tcase_add_test(tc, limits_take_verbs_away);
    tcase_add_test(tc, nvme_has_levels_of_its_own);
    tcase_add_test(tc, nvme_needs_an_unordered_connection_that_holds_its_packets);
    tcase_add_test(tc, words_of_nvme_name_connections_for_nvme);
    tcase_add_test(tc, a_write_is_placed_and_completes);
    tcase_add_test(tc, faults_of_the_engines_are_counted);
    tcase_add_test(tc, a_send_takes_a_receive_request);
    tcase_add_test(tc, a_wrong_key_ends_the_queue_pairs);
    tcase_add_test(tc, raw_commands_are_refused_on_a_connection_for_verbs);
    tcase_add_test(tc, a_queue_pair_needs_a_connection_for_verbs);
    tcase_add_test(tc, handles_die_with_the_device);
    tcase_add_test(tc, a_closed_connection_ends_its_queue_pair);
    suite_add_tcase(suite, tc);
    return suite;
}
