/* SPDX-License-Identifier: Apache-2.0
 * conns_test.c - judges with many connections: each is judged as if it were alone, and what a
 * quiet one holds is bounded, whatever a hostile capture shows of it. */
#include "oracles/rules/judge/conns.h"

#include "tests/testing.h"

#include <malloc.h>

enum { CONNS = 3 * FAL_AT_HAND, PACKETS = 40, HOSTILE = 20000 };

struct bench {
    struct fal_judge *judge;
    uint64_t index;
};

static void start(struct bench *b)
{
    struct fal_judge_config config = {.sut_alone = true, .at_hand_bytes = 1};
    struct fal_event run = {
        .kind = FAL_EV_RUN,
        .u.run = {.vantage = FAL_VANTAGE_MIDDLE, .delay_max_ns = FAL_NEVER}};

    *b = (struct bench){.judge = fal_judge_new(&config)};
    ck_assert_ptr_nonnull(b->judge);
    fal_judge_event(b->judge, &run);
}

static void open_conn(struct bench *b, uint32_t number)
{
    struct fal_event event = {.kind = FAL_EV_CONNECTION, .index = ++b->index, .conn = number};

    fal_params_default(&event.u.connection.params, true);
    event.u.connection.sut.cid = event.u.connection.tester.cid = number;
    fal_judge_event(b->judge, &event);
}

/* A packet of a connection: a header of Falcon and `len` bytes behind it. */
static void play(struct bench *b, enum fal_dir dir, const struct fal_falcon *f,
                 const uint8_t *payload, size_t len)
{
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = f->dest_cid};
    uint8_t bytes[FAL_HEADER_MAX + 24];
    int n = fal_falcon_encode(f, payload, len, bytes, sizeof bytes, NULL);

    ck_assert_int_gt(n, 0);
    event.index = ++b->index;
    event.t_ns = b->index * 100;
    event.u.packet = (struct fal_ev_packet){.dir = dir,
                                            .origin = FAL_ORIGIN_FOREIGN,
                                            .step = -1,
                                            .bytes = bytes,
                                            .len = (uint32_t)n};
    fal_event_packet(&event.u.packet);
    fal_judge_event(b->judge, &event);
}

static void packet(struct bench *b, uint32_t number, enum fal_dir dir, struct fal_falcon *f)
{
    f->dest_cid = number;
    play(b, dir, f, NULL, 0);
}

/* A push each time, every third of them acknowledged late, some numbers missing. */
static void turn(struct bench *b, uint32_t number, uint32_t i)
{
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_PUSH_DATA);
    f.psn = f.rsn = i + i / 10;
    packet(b, number, i % 2 == 0 ? FAL_TO_SUT : FAL_FROM_SUT, &f);
    if (i % 3 != 2)
        return;
    fal_falcon_init(&f, FAL_EACK);
    f.recv_data_base_psn = i / 2;
    f.data_rx_bitmap = f.data_ack_bitmap = UINT64_C(0x0a);
    packet(b, number, i % 2 == 0 ? FAL_TO_SUT : FAL_FROM_SUT, &f);
}

/* The walk gives the results that have a count, in their order. */
static void walk_agrees(const struct fal_judge *judge)
{
    struct fal_result_walk walk = {0};
    const struct fal_rule_result *r;
    size_t num = 0;

    for (size_t i = 0; (r = fal_judge_result(judge, i)) != NULL; i++) {
        const struct fal_rule_result each = *r, *next;
        uint64_t sum = each.holds + each.broken + each.undecided;

        for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
            sum += each.excused[e];
        if (sum == 0)
            continue;
        next = fal_judge_next_result(judge, &walk);
        ck_assert_ptr_nonnull(next);
        ck_assert(next->rule == each.rule && next->subject == each.subject &&
                  next->conn == each.conn && next->holds == each.holds &&
                  next->broken == each.broken && next->undecided == each.undecided &&
                  next->verdict == each.verdict);
        ck_assert_mem_eq(next->excused, each.excused, sizeof each.excused);
        num++;
    }
    ck_assert_uint_gt(num, 0);
    ck_assert_ptr_null(fal_judge_next_result(judge, &walk));
}

/* Their packets come in turns, so that each is packed many times; the times differ, and no rule
 * knows of any here. */
START_TEST(each_connection_is_judged_as_if_alone)
{
    const struct fal_rule_result *r;
    struct fal_rule_result first[FAL_RULES_MAX];
    size_t num = 0, of_rule, exercised = 0;
    struct bench b, alone;

    start(&b);
    start(&alone);
    for (uint32_t number = 1; number <= CONNS; number++)
        open_conn(&b, number);
    open_conn(&alone, 1);
    for (uint32_t i = 0; i < PACKETS; i++) {
        for (uint32_t number = 1; number <= CONNS; number++)
            turn(&b, number, i);
        turn(&alone, 1, i);
    }
    fal_judge_finish(b.judge);
    fal_judge_finish(alone.judge);
    for (; (r = fal_judge_result(alone.judge, num)) != NULL; num++) {
        first[num] = *r;
        exercised += r->holds > 0;
    }
    ck_assert_uint_gt(exercised, 5);
    for (size_t i = 0; (r = fal_judge_result(b.judge, i)) != NULL; i++) {
        of_rule = i % num;
        ck_assert_msg(r->holds == first[of_rule].holds && r->broken == first[of_rule].broken &&
                          r->undecided == first[of_rule].undecided &&
                          r->verdict == first[of_rule].verdict,
                      "connection %u, rule %s", r->conn, r->rule->id);
        ck_assert_uint_eq(r->conn, i / num + 1);
        ck_assert_mem_eq(r->excused, first[of_rule].excused, sizeof r->excused);
    }
    walk_agrees(b.judge);
    ck_assert_int_lt(fal_judge_verdict(b.judge), FAL_VERDICT_ERROR);
    fal_judge_free(b.judge);
    fal_judge_free(alone.judge);
}
END_TEST

/* Before they are finished. */
START_TEST(packed_connections_are_freed)
{
    struct bench b;

    start(&b);
    for (uint32_t number = 1; number <= CONNS; number++) {
        open_conn(&b, number);
        for (uint32_t i = 0; i < 4; i++)
            turn(&b, number, i);
    }
    fal_judge_free(b.judge);
}
END_TEST

/* A SEND, whose facts have a ring of their own. */
static void send_rdma(struct bench *b, uint32_t number, uint32_t i)
{
    enum { SEND_ONLY = 4 };
    uint8_t headers[24] = {SEND_ONLY};
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_PUSH_DATA);
    f.dest_cid = number;
    f.psn = f.rsn = i;
    f.protocol_type = FAL_PROTOCOL_RDMA;
    play(b, FAL_FROM_SUT, &f, headers, sizeof headers);
}

/* All of them at hand, in turns. */
START_TEST(connections_at_hand_are_freed)
{
    enum { CONNECTIONS = 64 };
    struct fal_judge_config config = {.sut_alone = true};
    struct bench b = {.judge = fal_judge_new(&config)};

    ck_assert_ptr_nonnull(b.judge);
    for (uint32_t number = 1; number <= CONNECTIONS; number++)
        open_conn(&b, number);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t number = 1; number <= CONNECTIONS; number++)
            send_rdma(&b, number, i);
    fal_judge_free(b.judge);
}
END_TEST

static size_t held(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* One packet each, with numbers from anywhere; then another, a leap away. */
START_TEST(what_a_quiet_connection_holds_is_bounded)
{
    struct bench b;
    size_t before, each;

    if (getenv("LD_PRELOAD") != NULL)
        return; /* another allocator */
    start(&b);
    for (uint32_t number = 1; number <= FAL_AT_HAND; number++)
        open_conn(&b, number);
    before = held();
    for (uint32_t n = 1; n <= HOSTILE; n++) {
        struct fal_falcon f;

        open_conn(&b, FAL_AT_HAND + n);
        fal_falcon_init(&f, FAL_PULL_REQUEST);
        for (unsigned i = 0; i < 2; i++) {
            f.psn = n * UINT32_C(2654435761) + i * 4000;
            f.rsn = f.psn * UINT32_C(2246822519);
            f.recv_data_base_psn = f.rsn * UINT32_C(3266489917);
            packet(&b, FAL_AT_HAND + n, FAL_TO_SUT, &f);
        }
    }
    each = (held() - before) / HOSTILE;
    ck_assert_msg(each < 8192, "%zu bytes a connection", each);
    fal_judge_finish(b.judge);
    fal_judge_free(b.judge);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("connections");
    TCase *tc = tcase_create("connections");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, each_connection_is_judged_as_if_alone);
    tcase_add_test(tc, packed_connections_are_freed);
    tcase_add_test(tc, connections_at_hand_are_freed);
    tcase_add_test(tc, what_a_quiet_connection_holds_is_bounded);
    suite_add_tcase(suite, tc);
    return suite;
}
