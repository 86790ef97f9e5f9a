/* SPDX-License-Identifier: Apache-2.0
 * The scripted ULP of the built-in SUT, through lines and frames: what the tester's scripts
 * see. */
#include "harness/sut/sut_testing.h"
#include "tests/testing.h"

static uint64_t filled_hash(uint64_t tag, uint64_t seed, size_t len)
{
    static uint8_t payload[65535];

    fal_payload_fill(tag, seed, payload, len);
    return fal_payload_hash(payload, len);
}

static void hash_text(uint64_t hash, char out[24])
{
    (void)snprintf(out, 24, "0x%016llx", (unsigned long long)hash);
}

START_TEST(a_push_is_told_taken_and_acknowledged_in_this_order)
{
    struct bench b;
    char hash[24];
    json_t *request, *ulp_ack;
    size_t packet;

    bench_new(&b, NULL);
    bench_open(&b, "");
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    bench_run(&b, FAL_MS);
    request = bench_event(&b, "request", 0);
    ulp_ack = bench_event(&b, "ulp_ack", 0);
    ck_assert_int_eq(number_of(request, "seq"), 1);
    ck_assert_int_eq(number_of(request, "epoch"), 1);
    ck_assert_str_eq(text_of(request, "conn"), "c1");
    ck_assert_int_eq(number_of(request, "rsn"), 0xfffffffd);
    ck_assert_str_eq(text_of(request, "op"), "push");
    ck_assert_int_eq(number_of(request, "length"), 64);
    ck_assert_int_eq(number_of(request, "tag"), 1000);
    hash_text(filled_hash(1000, 3, 64), hash);
    ck_assert_str_eq(text_of(request, "hash"), hash);
    ck_assert(json_is_false(json_object_get(request, "redelivery")));
    ck_assert_int_eq(number_of(ulp_ack, "seq"), 2);
    ck_assert_int_eq(number_of(ulp_ack, "rsn"), 0xfffffffd);
    ck_assert_str_eq(text_of(ulp_ack, "answer"), "ack");
    ck_assert_ptr_null(json_object_get(ulp_ack, "code"));
    packet = json_array_size(b.said) - 1;
    ck_assert_str_eq(text_of(json_array_get(b.said, packet), "packet"), "back");
    ck_assert_uint_lt(bench_place(&b, ulp_ack), packet);
    ck_assert_int_eq(b.last_code, FAL_CMPL_ACK);
    bench_free(&b);
}
END_TEST

/* The vector of docs/sut-protocol.md, for vendors to hold theirs against. */
START_TEST(the_documented_payload_has_the_documented_hash)
{
    ck_assert_uint_eq(filled_hash(1, 0, 64), 0xb1c26081921b9e94);
}
END_TEST

START_TEST(a_payload_that_does_not_name_itself_has_no_tag)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    (void)bench_post(&b, FAL_OP_PUSH, 11); /* magic and a part of the tag */
    (void)bench_post(&b, FAL_OP_PUSH, 12);
    (void)bench_post(&b, FAL_OP_PUSH, 0);
    ck_assert_ptr_null(json_object_get(bench_event(&b, "request", 0), "tag"));
    ck_assert_int_eq(number_of(bench_event(&b, "request", 1), "tag"), 1000);
    ck_assert_ptr_null(json_object_get(bench_event(&b, "request", 2), "tag"));
    ck_assert_str_eq(text_of(bench_event(&b, "request", 2), "hash"), "0xcbf29ce484222325");
    bench_free(&b);
}
END_TEST

START_TEST(a_pull_is_answered_with_data_of_its_length)
{
    struct bench b;
    uint32_t rsn;
    json_t *request;

    bench_new(&b, NULL);
    bench_open(&b, "");
    rsn = bench_post(&b, FAL_OP_PULL, 300);
    bench_run(&b, FAL_MS);
    request = bench_event(&b, "request", 0);
    ck_assert_str_eq(text_of(request, "op"), "pull");
    ck_assert_int_eq(number_of(request, "length"), 300);
    ck_assert_ptr_null(json_object_get(request, "hash"));
    ck_assert_str_eq(text_of(bench_event(&b, "ulp_ack", 0), "answer"), "data");
    ck_assert_uint_eq(b.last_len, 300);
    ck_assert_uint_eq(b.last_hash, filled_hash(rsn, 0, 300)); /* the protocol's default */
    bench_free(&b);
}
END_TEST

START_TEST(posts_carry_the_payload_asked_for_and_complete)
{
    static uint8_t zeros[4096];
    struct bench b;
    json_t *push, *pull, *done;
    char hash[24];
    size_t reply, packet;

    bench_new(&b, NULL);
    bench_open(&b, "");
    push = bench_ask(
        &b,
        "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 100, 'tag': '0xfedcba9876543210', 'seed': '0x1'");
    ck_ok(push);
    ck_assert_int_eq(number_of(push, "rsn"), 0xffffffff);
    pull = bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'pull', 'length': 50, 'tag': 12");
    ck_assert_int_eq(number_of(pull, "rsn"), 0); /* RSNs wrap */
    reply = bench_place(&b, push);
    packet = reply + 1;
    ck_assert_str_eq(text_of(json_array_get(b.said, packet), "packet"), "push_data");
    bench_run(&b, FAL_MS);

    done = bench_event(&b, "completion", 0);
    ck_assert_int_eq(number_of(done, "rsn"), 0xffffffff);
    ck_assert_str_eq(text_of(done, "tag"), "0xfedcba9876543210");
    ck_assert_int_eq(number_of(done, "code"), 0);
    ck_assert_int_eq(number_of(done, "ulp_nack_code"), 0);
    ck_assert_ptr_null(json_object_get(done, "hash"));
    done = bench_event(&b, "completion", 1);
    ck_assert_int_eq(number_of(done, "tag"), 12);
    ck_assert_int_eq(number_of(done, "length"), 50);
    hash_text(fal_payload_hash(zeros, 50), hash);
    ck_assert_str_eq(text_of(done, "hash"), hash);

    /* Tags that not every JSON reader holds as a number are strings. */
    ck_ok(bench_ask(
        &b, "'do': 'post', 'conn': 'c1', 'op': 'pull', 'length': 1, 'tag': 9007199254740991"));
    ck_ok(bench_ask(
        &b, "'do': 'post', 'conn': 'c1', 'op': 'pull', 'length': 1, 'tag': 9007199254740992"));
    bench_run(&b, 2 * FAL_MS);
    ck_assert_int_eq(number_of(bench_event(&b, "completion", 2), "tag"), 9007199254740991);
    ck_assert_str_eq(text_of(bench_event(&b, "completion", 3), "tag"), "0x0020000000000000");
    bench_free(&b);
}
END_TEST

START_TEST(post_sends_the_payload_of_the_protocol)
{
    struct bench b;
    struct tl_sut_out out;
    struct fal_falcon packet;
    uint8_t payload[100];
    int header = 0;
    const char line[] =
        "{\"id\": 2, \"epoch\": 1, \"do\": \"post\", \"conn\": \"c1\", \"op\": \"push\", "
        "\"length\": 100, \"tag\": 258, \"seed\": 5}";

    bench_new(&b, NULL);
    bench_open(&b, "");
    tl_sut_line(b.sut, line, sizeof line - 1, 0);
    ck_assert(tl_sut_next(b.sut, &out));
    ck_assert_int_eq(out.kind, TL_SUT_LINE); /* applied is said before it is seen */
    ck_assert(tl_sut_next(b.sut, &out));
    ck_assert_int_eq(out.kind, TL_SUT_FRAME);
    header = fal_falcon_decode(out.bytes, out.len, &packet);
    ck_assert_int_gt(header, 0);
    ck_assert_uint_eq(out.len, (size_t)header + 100);
    fal_payload_fill(258, 5, payload, 100);
    ck_assert_mem_eq(out.bytes + header, payload, 100);
    ck_assert_mem_eq(payload, "TALN\0\0\0\0\0\0\1\2\0\0\0\0", 16);
    bench_free(&b);
}
END_TEST

/* One policy, one push (or pull), what the peer sees. */
static const struct {
    const char *rule;
    enum fal_ulp_op op;
    enum fal_completion code;
    uint8_t nack_code;
} errors[] = {
    {"{'request': 1, 'answer': 'cie', 'code': 17}", FAL_OP_PUSH, FAL_CMPL_TARGET_CIE, 17},
    {"{'every': 1, 'answer': 'nre', 'code': 255}", FAL_OP_PUSH, FAL_CMPL_TARGET_NRE, 255},
    {"{'answer': 'cid', 'code': 0}", FAL_OP_PUSH, FAL_CMPL_TARGET_CID, 0},
    {"{'op': 'pull', 'answer': 'cie'}, {'answer': 'ack'}", FAL_OP_PUSH, FAL_CMPL_ACK, 0},
};

START_TEST(a_policy_refuses_with_its_code)
{
    struct bench b;
    json_t *ulp_ack;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [%s]", errors[_i].rule));
    (void)bench_post(&b, errors[_i].op, 64);
    bench_run(&b, 20 * FAL_MS);
    ck_assert_uint_eq(b.completed, 1);
    ck_assert_int_eq(b.last_code, errors[_i].code);
    ck_assert_uint_eq(b.last_nack_code, errors[_i].nack_code);
    ulp_ack = bench_event(&b, "ulp_ack", 0);
    if (errors[_i].code != FAL_CMPL_ACK) {
        ck_assert_int_eq(number_of(ulp_ack, "code"), errors[_i].nack_code);
        ck_assert(strstr(errors[_i].rule, text_of(ulp_ack, "answer")) != NULL);
    }
    ck_assert_ptr_null(bench_event(&b, "ulp_ack", 1));
    bench_free(&b);
}
END_TEST

START_TEST(a_policy_rnrs_a_push_so_often_then_takes_it)
{
    enum { TIMES = 4 };
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b,
        "'do': 'policy', 'conn': 'c1', 'rules': [{'request': 2, 'answer': 'rnr', 'rnr_ns': 20000, 'times': %d}]",
        TIMES));
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    bench_run(&b, FAL_MS);
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    bench_run(&b, 100 * FAL_MS);
    ck_assert_uint_eq(b.completed, 2);
    ck_assert_int_eq(b.last_code, FAL_CMPL_ACK);
    ck_assert_uint_eq(bench_count(&b, "event", "request"), TIMES + 2);
    ck_assert_uint_eq(bench_count(&b, "answer", "rnr"), TIMES);
    ck_assert_uint_eq(bench_count(&b, "answer", "ack"), 2);
    ck_assert_uint_eq(bench_count(&b, "packet", "nack"), TIMES);
    for (unsigned i = 1; i < TIMES + 2; i++) {
        const json_t *request = bench_event(&b, "request", i);

        ck_assert_int_eq(number_of(request, "rsn"), 0xfffffffe);
        ck_assert_int_eq(json_is_true(json_object_get(request, "redelivery")), i > 1);
    }
    ck_assert_int_eq(number_of(bench_event(&b, "ulp_ack", 1), "rnr_ns"), 20000);
    bench_free(&b);
}
END_TEST

START_TEST(a_policy_rnrs_a_pull_on_its_own_side)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b,
        "'do': 'policy', 'conn': 'c1', 'rules': [{'op': 'pull', 'answer': 'rnr', 'rnr_ns': 50000, 'times': 2}]"));
    (void)bench_post(&b, FAL_OP_PULL, 64);
    bench_run(&b, 99999);
    ck_assert_uint_eq(b.completed, 0);
    bench_run(&b, 100000);
    ck_assert_uint_eq(b.completed, 1);
    ck_assert_uint_eq(bench_count(&b, "event", "request"), 3);
    ck_assert_uint_eq(bench_count(&b, "packet", "nack"), 0);
    bench_free(&b);
}
END_TEST

START_TEST(a_policy_answers_later_to_the_nanosecond)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b,
        "'do': 'policy', 'conn': 'c1', 'rules': [{'every': 2, 'answer': 'ack', 'after_ns': 123457}]"));
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 1);
    bench_run(&b, 123456);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 1);
    ck_error(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'ack'"),
             "failed", "by policy is under way");
    bench_run(&b, 123457);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 2);
    bench_run(&b, FAL_MS);
    ck_assert_uint_eq(b.completed, 2);
    bench_free(&b);
}
END_TEST

START_TEST(delayed_answers_come_in_the_order_of_their_times)
{
    struct bench b;
    uint64_t last = 0;

    bench_new(&b, NULL);
    bench_open(&b, "'ordered': false");
    ck_ok(bench_ask(
        &b,
        "'do': 'policy', 'conn': 'c1', 'rules': [{'request': 1, 'answer': 'ack', "
        "'after_ns': 50000}, {'request': 2, 'answer': 'ack', 'after_ns': 30000}, {'every': 1, "
        "'answer': 'ack', 'after_ns': 40000}]"));
    for (unsigned i = 0; i < 40; i++)
        (void)bench_post(&b, FAL_OP_PUSH, 16);
    bench_run(&b, FAL_MS);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 40);
    ck_assert_int_eq(number_of(bench_event(&b, "ulp_ack", 0), "rsn"), 0xfffffffe);
    ck_assert_int_eq(number_of(bench_event(&b, "ulp_ack", 39), "rsn"), 0xfffffffd);
    for (unsigned i = 1; i < 39; i++) {
        uint32_t ahead =
            (uint32_t)number_of(bench_event(&b, "ulp_ack", i), "rsn") - 0xfffffffdU;

        ck_assert_uint_eq(ahead, i + 1); /* equal times: as they were asked */
        ck_assert_uint_gt(ahead, last);
        last = ahead;
    }
    bench_free(&b);
}
END_TEST

START_TEST(the_first_rule_that_fits_decides)
{
    static const struct {
        const char *rules;
        const char *answers[6];
    } rows[] = {
        {"{'answer': 'cie'}, {'request': 2, 'answer': 'ack'}",
         {"cie", "ack", "cie", "cie", "cie", "cie"}},
        {"{'request': 2, 'answer': 'nre'}, {'every': 2, 'answer': 'cie'}",
         {"ack", "nre", "ack", "cie", "ack", "cie"}},
        {"{'every': 2, 'answer': 'cie'}, {'request': 2, 'answer': 'nre'}",
         {"ack", "cie", "ack", "cie", "ack", "cie"}},
        {"{'every': 3, 'op': 'pull', 'answer': 'cie'}",
         {"ack", "ack", "ack", "ack", "ack", "ack"}},
        {"{'answer': 'data'}", {"ack", "ack", "ack", "ack", "ack", "ack"}},
        {"{'answer': 'nre'}, {'answer': 'cie'}", {"nre", "nre", "nre", "nre", "nre", "nre"}},
        {"", {"ack", "ack", "ack", "ack", "ack", "ack"}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bench b;

        bench_new(&b, NULL);
        bench_open(&b, "'ordered': false");
        ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [%s]", rows[r].rules));
        for (unsigned i = 0; i < 6; i++) {
            (void)bench_post(&b, FAL_OP_PUSH, 16);
            ck_assert_str_eq(text_of(bench_event(&b, "ulp_ack", i), "answer"),
                             rows[r].answers[i]);
        }
        bench_free(&b);
    }
}
END_TEST

START_TEST(a_new_policy_replaces_the_old_and_a_bad_one_does_not)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "'ordered': false");
    ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'cie'}]"));
    ck_error(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'x'}]"),
             "failed", "rules[0]");
    (void)bench_post(&b, FAL_OP_PUSH, 16);
    ck_assert_str_eq(text_of(bench_event(&b, "ulp_ack", 0), "answer"), "cie");
    ck_ok(bench_ask(
        &b, "'do': 'policy', 'conn': 'c1', 'rules': [{'request': 2, 'answer': 'nre'}]"));
    (void)bench_post(&b, FAL_OP_PUSH, 16); /* the second of the connection, not of the policy */
    ck_assert_str_eq(text_of(bench_event(&b, "ulp_ack", 1), "answer"), "nre");
    ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': []"));
    (void)bench_post(&b, FAL_OP_PUSH, 16);
    ck_assert_str_eq(text_of(bench_event(&b, "ulp_ack", 2), "answer"), "ack");
    bench_free(&b);
}
END_TEST

START_TEST(a_policy_gives_data_of_its_length_tag_and_seed)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b,
        "'do': 'policy', 'conn': 'c1', 'rules': [{'request': 1, 'answer': 'data', 'length': "
        "10, 'tag': 3, 'seed': 4}, {'request': 2, 'answer': 'data', 'length': 9999}]"));
    (void)bench_post(&b, FAL_OP_PULL, 64);
    bench_run(&b, FAL_MS);
    ck_assert_uint_eq(b.last_len, 10);
    ck_assert_uint_eq(b.last_hash, filled_hash(3, 4, 10));
    (void)bench_post(&b, FAL_OP_PULL, 64);
    bench_run(&b, 2 * FAL_MS);
    ck_assert_uint_eq(b.last_len, 64); /* never more than was asked for */
    bench_free(&b);
}
END_TEST

START_TEST(a_withheld_push_waits_for_respond)
{
    struct bench b;
    json_t *reply;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(
        &b, "'do': 'policy', 'conn': 'c1', 'rules': [{'request': 1, 'answer': 'withhold'}]"));
    ck_error(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'ack'"),
             "failed", "no request 4294967293 is waiting"); /* before it came */
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    bench_run(&b, 3 * FAL_MS);
    ck_assert_uint_eq(b.completed, 0);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 0);
    ck_error(
        bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'data'"),
        "failed", "a push takes no data");
    ck_error(
        bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'withhold'"),
        "failed", "found 'withhold'");
    reply = bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'ack'");
    ck_ok(reply);
    bench_run(&b, 4 * FAL_MS);
    ck_assert_uint_eq(b.completed, 1);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 0); /* the tester knows it */
    ck_error(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'ack'"),
             "failed", "no request 4294967293 is waiting"); /* once */
    bench_free(&b);
}
END_TEST

START_TEST(respond_rnrs_refuses_and_gives_data)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    ck_ok(bench_ask(&b, "'do': 'policy', 'conn': 'c1', 'rules': [{'answer': 'withhold'}]"));
    (void)bench_post(&b, FAL_OP_PUSH, 64);
    ck_ok(bench_ask(
        &b,
        "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'rnr', 'rnr_ns': 10000"));
    ck_error(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'ack'"),
             "failed", "has not been delivered again");
    bench_run(&b, 5 * FAL_MS);
    ck_assert_uint_eq(bench_count(&b, "event", "request"), 2);
    ck_assert(json_is_true(json_object_get(bench_event(&b, "request", 1), "redelivery")));
    ck_ok(bench_ask(
        &b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967293, 'answer': 'cie', 'code': 9"));
    bench_run(&b, 20 * FAL_MS);
    ck_assert_int_eq(b.last_code, FAL_CMPL_TARGET_CIE);
    ck_assert_uint_eq(b.last_nack_code, 9);

    (void)bench_post(&b, FAL_OP_PULL, 64);
    ck_error(
        bench_ask(
            &b,
            "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'data', 'length': 65"),
        "failed", "more than the 64 bytes asked for");
    ck_error(
        bench_ask(
            &b,
            "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'data', 'length': -1"),
        "failed", "length");
    ck_ok(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'ack'"));
    ck_error(bench_ask(&b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'ack'"),
             "failed", "only its data is missing");
    ck_assert_uint_eq(b.completed, 1);
    ck_ok(bench_ask(
        &b, "'do': 'respond', 'conn': 'c1', 'rsn': 4294967294, 'answer': 'data', 'length': 0"));
    bench_run(&b, 21 * FAL_MS);
    ck_assert_uint_eq(b.completed, 2);
    ck_assert_uint_eq(b.last_len, 0);
    (void)bench_post(&b, FAL_OP_PULL, 64);
    ck_ok(bench_ask(
        &b,
        "'do': 'respond', 'conn': 'c1', 'rsn': 4294967295, 'answer': 'data', 'seed': 8, 'tag': '0x7'"));
    bench_run(&b, 22 * FAL_MS);
    ck_assert_uint_eq(b.last_len, 64);
    ck_assert_uint_eq(b.last_hash, filled_hash(7, 8, 64));
    bench_free(&b);
}
END_TEST

START_TEST(a_barrier_is_answered_after_the_events_before_it)
{
    struct bench b;
    struct tl_sut_out out;
    unsigned lines = 0, events = 0;
    uint8_t frame[128];
    struct fal_endpoint_out pushed;
    size_t len = 0;
    const char line[] = "{\"id\": 50, \"epoch\": 1, \"do\": \"barrier\", \"conn\": \"c1\"}";
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .op = FAL_OP_PUSH,
                                 .length = 4,
                                 .payload = (const uint8_t *)"TALN",
                                 .payload_len = 4};

    bench_new(&b, NULL);
    bench_open(&b, "");
    in.conn = b.conn;
    bench_peer_in(&b, &in);
    while (fal_endpoint_next(b.peer, &pushed))
        if (pushed.kind == FAL_OUT_PACKET && pushed.len <= sizeof frame) {
            memcpy(frame, pushed.bytes, pushed.len);
            len = pushed.len;
        }
    tl_sut_frame(b.sut, frame, len, 0);
    tl_sut_line(b.sut, line, sizeof line - 1, 0);
    while (tl_sut_next(b.sut, &out)) {
        if (out.kind != TL_SUT_LINE)
            continue;
        lines++;
        if (strstr((const char *)out.bytes, "\"event\"") != NULL)
            events++;
        else
            ck_assert_uint_eq(events, 2);
    }
    ck_assert_uint_eq(lines, 3);
    bench_free(&b);
}
END_TEST

START_TEST(seq_rises_by_one_over_connections_and_resets)
{
    struct bench b;
    long long seq = 0;

    bench_new(&b, NULL);
    for (unsigned round = 0; round < 5; round++) {
        bench_open(&b, "");
        for (unsigned i = 0; i < 5; i++)
            (void)bench_post(&b, FAL_OP_PUSH, 16);
        ck_ok(bench_ask(&b, "'do': 'reset', 'scope': 'device'"));
        b.epoch++;
        fal_endpoint_close(b.peer, b.conn);
        json_decref(b.sut_end);
        b.sut_end = NULL;
        for (size_t i = 0; i < json_array_size(b.said); i++) {
            const json_t *said = json_array_get(b.said, i);

            if (json_object_get(said, "event") == NULL)
                continue;
            ck_assert_int_eq(number_of(said, "seq"), ++seq);
            ck_assert_int_eq(number_of(said, "epoch"), round + 1);
        }
        json_array_clear(b.said);
    }
    bench_free(&b);
}
END_TEST

START_TEST(the_connection_manager_hears_of_a_dead_peer)
{
    struct bench b;

    bench_new(&b, NULL);
    bench_open(&b, "");
    b.deaf = true;
    ck_ok(bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'push', 'length': 8, 'tag': 1"));
    ck_ok(bench_ask(&b, "'do': 'post', 'conn': 'c1', 'op': 'pull', 'length': 8, 'tag': 2"));
    bench_run(&b, 10 * FAL_S);
    ck_assert_str_eq(text_of(bench_event(&b, "cm_error", 0), "what"), "fatal");
    ck_assert_str_eq(text_of(bench_event(&b, "cm_error", 0), "conn"), "c1");
    for (unsigned i = 0; i < 2; i++) {
        const json_t *done = bench_event(&b, "completion", i);

        ck_assert_ptr_nonnull(done);
        ck_assert_int_ne(number_of(done, "code"), FAL_CMPL_ACK);
        ck_assert_ptr_null(json_object_get(done, "hash")); /* there is no data to have one */
    }
    ck_ok(bench_ask(&b, "'do': 'close', 'conn': 'c1'"));
    bench_free(&b);
}
END_TEST

START_TEST(a_request_delivered_twice_is_told_twice_and_answered_once)
{
    struct bench b;
    struct fal_endpoint_out out;
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .op = FAL_OP_PUSH,
                                 .length = 4,
                                 .payload = (const uint8_t *)"TALN",
                                 .payload_len = 4};

    bench_new(&b, "duplicate-delivered");
    bench_open(&b, "");
    in.conn = b.conn;
    bench_peer_in(&b, &in);
    while (fal_endpoint_next(b.peer, &out)) {
        if (out.kind != FAL_OUT_PACKET)
            continue;
        tl_sut_frame(b.sut, out.bytes, out.len, 0);
        tl_sut_frame(b.sut, out.bytes, out.len, 0);
    }
    bench_settle(&b);
    ck_assert_uint_eq(bench_count(&b, "event", "request"), 2);
    ck_assert_uint_eq(bench_count(&b, "event", "ulp_ack"), 1);
    bench_free(&b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sut_ulp");
    TCase *tc = tcase_create("ulp");

    tcase_add_test(tc, a_push_is_told_taken_and_acknowledged_in_this_order);
    tcase_add_test(tc, the_documented_payload_has_the_documented_hash);
    tcase_add_test(tc, a_payload_that_does_not_name_itself_has_no_tag);
    tcase_add_test(tc, a_pull_is_answered_with_data_of_its_length);
    tcase_add_test(tc, posts_carry_the_payload_asked_for_and_complete);
    tcase_add_test(tc, post_sends_the_payload_of_the_protocol);
    tcase_add_loop_test(tc, a_policy_refuses_with_its_code, 0, sizeof errors / sizeof *errors);
    tcase_add_test(tc, a_policy_rnrs_a_push_so_often_then_takes_it);
    tcase_add_test(tc, a_policy_rnrs_a_pull_on_its_own_side);
    tcase_add_test(tc, a_policy_answers_later_to_the_nanosecond);
    tcase_add_test(tc, delayed_answers_come_in_the_order_of_their_times);
    tcase_add_test(tc, the_first_rule_that_fits_decides);
    tcase_add_test(tc, a_new_policy_replaces_the_old_and_a_bad_one_does_not);
    tcase_add_test(tc, a_policy_gives_data_of_its_length_tag_and_seed);
    tcase_add_test(tc, a_withheld_push_waits_for_respond);
    tcase_add_test(tc, respond_rnrs_refuses_and_gives_data);
    tcase_add_test(tc, a_barrier_is_answered_after_the_events_before_it);
    tcase_add_test(tc, seq_rises_by_one_over_connections_and_resets);
    tcase_add_test(tc, the_connection_manager_hears_of_a_dead_peer);
    tcase_add_test(tc, a_request_delivered_twice_is_told_twice_and_answered_once);
    suite_add_tcase(suite, tc);
    return suite;
}
