/* SPDX-License-Identifier: Apache-2.0
 * pair_test.c - two players of RoCEv2: go-back-N by hand, then random losses, duplicates and
 * reordering, after which every message has arrived whole and once. TALON_TIMES=10: ten times
 * as many. */
#include "oracles/roce/pair.h"

#include "codecs/frame/roce_frame.h"
#include "oracles/cc/dcqcn_net.h"
#include "oracles/rng.h"
#include "oracles/roce/psn.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

enum { LOG = 4096, MESSAGES = 64, MTU = 1024, QPN = 0x11, REMOTE = 0x22 };

struct seen {
    uint64_t at_ns;
    unsigned from;
    struct fal_roce_packet packet;
    unsigned ecn;
};

/* One transfer and what its gate saw. */
static struct world {
    struct fal_roce_pair_setup setup;
    struct fal_roce_qp_setup qp;
    struct fal_roce_pair *pair;
    struct seen log[LOG];
    unsigned seen, done, failed, messages;
    uint64_t lengths[MESSAGES];
    uint32_t drop_nth, drop_also; /* data packets that are dropped at the gate, from 1 */
    uint32_t marks;               /* so many data packets are marked */
    uint32_t data;
    uint32_t loss_ppm, duplicate_ppm, reorder_ppm;
    struct fal_rng rng;
    bool wrong;
} w;

static bool chance(uint32_t ppm)
{
    return fal_rng_below(&w.rng, 1000000) < ppm;
}

static void gate(void *ctx, uint64_t now_ns, unsigned from, uint8_t *bytes, size_t len)
{
    const struct fal_captured captured = {bytes, len, len, FAL_LINKTYPE_ETHERNET};
    struct fal_roce_route route;
    enum fal_icrc_state icrc;
    struct seen *s = &w.log[w.seen % LOG];

    (void)ctx;
    ck_assert(fal_roce_frame_decode(&captured, &s->packet, &route, &icrc));
    s->at_ns = now_ns;
    s->from = from;
    s->ecn = route.ecn;
    w.seen++;
    w.data += s->packet.data_len > 0;
    if (s->packet.data_len > 0 && (w.data == w.drop_nth || w.data == w.drop_also))
        return;
    if (s->packet.data_len > 0 && w.data <= w.marks)
        fal_frame_set_ecn(bytes, len, 14, FAL_ECN_CE);
    if (chance(w.loss_ppm))
        return;
    if (chance(w.duplicate_ppm))
        fal_roce_pair_forward(w.pair, now_ns + fal_rng_below(&w.rng, 5000), from, bytes, len);
    fal_roce_pair_forward(w.pair,
                          now_ns + (chance(w.reorder_ppm) ? fal_rng_below(&w.rng, 3000) : 0),
                          from, bytes, len);
}

static void event(void *ctx, unsigned end, const struct fal_roce_event *e)
{
    uint64_t digest = 0;

    (void)ctx;
    w.done += e->kind == FAL_ROCE_DONE;
    w.failed += e->kind == FAL_ROCE_FAILED;
    if (e->kind != FAL_ROCE_MESSAGE)
        return;
    w.messages++;
    for (uint64_t i = 0; i < e->length; i++) {
        uint8_t byte = fal_roce_byte(end == 1 ? QPN : REMOTE, e->id, i);

        digest = fal_roce_digest(digest, &byte, 1);
    }
    if (e->id >= MESSAGES || e->length != w.lengths[e->id] || digest != e->digest)
        w.wrong = true;
}

static void begin(const char *preset)
{
    w.setup.delay_ns = 1000;
    for (unsigned i = 0; i < 2; i++) {
        w.setup.ends[i].dcqcn = *fal_dcqcn_preset(preset);
        w.setup.ends[i].dcqcn.line_rate_bps = UINT64_C(100000000000);
        w.setup.ends[i].dcqcn.cnp_interval_ns = 50000;
        w.setup.ends[i].answer_ns = 500;
        w.setup.ends[i].rcm = true;
    }
    w.qp = (struct fal_roce_qp_setup){.qpn = QPN,
                                      .remote_qpn = REMOTE,
                                      .psn = 0xfffffa,
                                      .expected_psn = 100,
                                      .mtu = MTU,
                                      .timeout_ns = 100000,
                                      .retries = 7,
                                      .rnr_retries = 7,
                                      .rnr_code = 1,
                                      .r_key = 0x77,
                                      .receives = UINT32_MAX};
}

static void open_pair(void)
{
    const struct fal_roce_watch watch = {.gate = gate, .event = event};

    w.pair = fal_roce_pair_new(&w.setup, &watch);
    ck_assert_ptr_nonnull(w.pair);
    ck_assert_int_eq(fal_roce_pair_join(w.pair, &w.qp), 0);
}

static void post(enum fal_roce_op op, uint64_t message, uint32_t length)
{
    const struct fal_roce_post p = {.op = op, .id = message, .length = length, .r_key = 0x77};

    w.lengths[message] = length;
    ck_assert_int_eq(fal_roce_end_post(fal_roce_pair_end(w.pair, 0), 0, &p), 0);
}

static void run_all(void)
{
    ck_assert_int_eq(fal_roce_pair_run(w.pair, UINT64_C(10000000000), NULL), 0);
}

static void setup(void)
{
    memset(&w, 0, sizeof w);
    w.rng.state = 1;
    begin("nic");
}

static void teardown(void)
{
    fal_roce_pair_free(w.pair);
}

/* The packets of end `from` in order, as words; opcode and PSN from its first one. */
static void packets_are(unsigned from, uint32_t base, const char *due)
{
    char text[2048] = "";
    size_t n = 0;

    for (unsigned i = 0; i < w.seen && n < sizeof text - 64; i++) {
        const struct fal_roce_packet *p = &w.log[i].packet;
        bool nak = p->bth.opcode == FAL_ROCE_OP_rc_ack && p->aeth.syndrome >> 5 != 0;

        if (w.log[i].from == from)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %d", n > 0 ? ", " : "",
                                  nak ? "nak"
                                      : p->kind->name + (p->kind->name[0] == 'r' ? 3 : 0),
                                  (int)fal_psn_diff(p->bth.psn, base));
    }
    ck_assert_str_eq(text, due);
}

START_TEST(a_send_of_three_packets)
{
    open_pair();
    post(FAL_ROCE_POST_SEND, 0, 2 * MTU + 5);
    run_all();
    packets_are(0, 0xfffffa, "send_first 0, send_middle 1, send_last 2");
    packets_are(1, 0xfffffa, "ack 2");
    ck_assert_uint_eq(w.done + w.messages, 2);
    ck_assert(!w.wrong);
    ck_assert_uint_eq(w.log[0].ecn, FAL_ECN_ECT0);
}
END_TEST

START_TEST(a_nak_goes_back_to_the_lost_packet)
{
    w.drop_nth = 3;
    open_pair();
    post(FAL_ROCE_POST_WRITE, 0, 5 * MTU);
    run_all();
    packets_are(0, 0xfffffa,
                "write_first 0, write_middle 1, write_middle 2, write_middle 3, write_last 4, "
                "write_middle 2, write_middle 3, write_last 4");
    packets_are(1, 0xfffffa, "nak 2, ack 4");
    ck_assert_uint_eq(w.done, 1);
}
END_TEST

/* Each gap has a NAK of its own. */
START_TEST(two_gaps_have_two_naks)
{
    w.drop_nth = 2;
    w.drop_also = 9; /* of the second round */
    open_pair();
    post(FAL_ROCE_POST_WRITE, 0, 6 * MTU);
    run_all();
    packets_are(1, 0xfffffa, "nak 1, nak 3, ack 5");
}
END_TEST

START_TEST(an_ack_of_what_was_not_sent_is_ignored)
{
    struct fal_roce_route route;
    struct fal_roce_packet ack;
    uint8_t bytes[128];
    int len;

    w.setup.ends[0].dcqcn.line_rate_bps = 1000000; /* 8 ms a packet */
    w.qp.timeout_ns = 0;
    open_pair();
    post(FAL_ROCE_POST_SEND, 0, 4 * MTU);
    ck_assert_int_eq(fal_roce_pair_run(w.pair, 100000, NULL), 0);
    fal_roce_init(&ack, FAL_ROCE_OP_rc_ack);
    ack.bth.dest_qp = QPN;
    ack.bth.psn = fal_psn_add(0xfffffa, 3);
    ack.aeth.syndrome = FAL_AETH_NO_CREDITS;
    fal_roce_route_lab(&route, false, true);
    len = fal_roce_frame_encode(&ack, &route, bytes, sizeof bytes, NULL);
    ck_assert_int_gt(len, 0);
    fal_roce_pair_forward(w.pair, 100000, 1, bytes, (size_t)len);
    ck_assert_int_eq(fal_roce_pair_run(w.pair, 200000, NULL), 0);
    ck_assert_uint_eq(w.done, 0);
    run_all();
    ck_assert_uint_eq(w.done + w.messages, 2);
}
END_TEST

START_TEST(an_ack_waits_for_the_responses_before_it)
{
    open_pair();
    post(FAL_ROCE_POST_READ, 0, 40 * MTU);
    post(FAL_ROCE_POST_SEND, 1, 10);
    run_all();
    ck_assert_uint_eq(w.log[w.seen - 1].packet.bth.opcode, FAL_ROCE_OP_rc_ack);
    ck_assert_uint_eq(w.log[w.seen - 2].packet.bth.opcode, FAL_ROCE_OP_rc_read_response_last);
    ck_assert_uint_eq(w.done, 2);
}
END_TEST

START_TEST(a_timeout_repairs_a_lost_last_packet)
{
    w.drop_nth = 2;
    open_pair();
    post(FAL_ROCE_POST_WRITE_IMM, 0, 2 * MTU);
    run_all();
    packets_are(0, 0xfffffa,
                "write_first 0, write_last_imm 1, write_first 0, write_last_imm 1");
    ck_assert_uint_ge(w.log[2].at_ns, 100000);
    ck_assert_uint_eq(w.done + w.messages, 2);
}
END_TEST

START_TEST(a_lost_response_is_asked_for_again)
{
    w.drop_nth = 2;
    open_pair();
    post(FAL_ROCE_POST_READ, 0, 4 * MTU);
    run_all();
    packets_are(0, 0xfffffa, "read_request 0, read_request 1");
    packets_are(1, 0xfffffa,
                "read_response_first 0, read_response_middle 1, read_response_middle 2, "
                "read_response_last 3, read_response_first 1, read_response_middle 2, "
                "read_response_last 3");
    ck_assert_uint_eq(w.log[5].packet.reth.length, 3 * MTU);
    ck_assert_uint_eq(w.log[5].packet.reth.virtual_address, MTU);
    ck_assert_uint_eq(w.done, 1);
}
END_TEST

START_TEST(a_receiver_that_is_not_ready)
{
    w.qp.receives = 0;
    w.qp.rnr_code = 10; /* 320 us */
    w.qp.rnr_retries = 2;
    open_pair();
    post(FAL_ROCE_POST_SEND, 0, 2 * MTU);
    ck_assert_int_eq(fal_roce_pair_run(w.pair, 350000, NULL), 0);
    fal_roce_end_receives(fal_roce_pair_end(w.pair, 1), 0, 1);
    run_all();
    packets_are(
        0, 0xfffffa,
        "send_first 0, send_last 1, send_first 0, send_last 1, send_first 0, send_last 1");
    packets_are(1, 0xfffffa, "nak 0, nak 0, ack 1");
    ck_assert_uint_ge(w.log[3].at_ns - w.log[2].at_ns, fal_roce_rnr_ns(10));
    ck_assert_uint_eq(w.done, 1);
}
END_TEST

START_TEST(a_wrong_key_fails_the_post)
{
    const struct fal_roce_post p = {.op = FAL_ROCE_POST_WRITE, .length = 10, .r_key = 1};

    open_pair();
    ck_assert_int_eq(fal_roce_end_post(fal_roce_pair_end(w.pair, 0), 0, &p), 0);
    run_all();
    ck_assert_uint_eq(w.failed, 1);
    ck_assert_uint_eq(w.log[1].packet.aeth.syndrome,
                      fal_aeth_syndrome(FAL_AETH_NAK, FAL_AETH_REMOTE_ACCESS));
    ck_assert_int_eq(fal_roce_end_post(fal_roce_pair_end(w.pair, 0), 0, &p), FAL_ERR_SHORT);
}
END_TEST

/* Marks for 120 us: CNPs at once and at each end of N; the rate falls. */
START_TEST(marks_bring_cnps_that_slow_the_sender)
{
    struct fal_roce_state_of state;
    unsigned cnps = 0;

    w.marks = UINT32_MAX;
    open_pair();
    post(FAL_ROCE_POST_WRITE, 0, 400 * MTU);
    ck_assert_int_eq(fal_roce_pair_run(w.pair, 120000, NULL), 0);
    for (unsigned i = 0; i < w.seen; i++) {
        const struct seen *s = &w.log[i];

        if (s->packet.bth.opcode != FAL_ROCE_OP_cnp)
            continue;
        cnps++;
        ck_assert_uint_eq(s->from, 1);
        ck_assert_uint_eq(s->packet.bth.dest_qp, QPN);
        ck_assert_uint_eq(s->packet.bth.becn, 1);
        ck_assert_uint_eq(s->ecn, FAL_ECN_ECT1);
    }
    ck_assert_uint_eq(cnps, 3);
    state = fal_roce_end_state(fal_roce_pair_end(w.pair, 0), 0);
    ck_assert_uint_lt(state.rate_bps, UINT64_C(60000000000));
    ck_assert_uint_eq(state.cnps_taken, 3);
}
END_TEST

/* Two marks in N: a CNP at once, one at the end of N, and no more. */
START_TEST(a_remembered_mark_has_one_cnp)
{
    w.marks = 2;
    open_pair();
    post(FAL_ROCE_POST_WRITE, 0, 20 * MTU);
    run_all();
    ck_assert_uint_eq(fal_roce_end_state(fal_roce_pair_end(w.pair, 1), 0).cnps_sent, 2);
    ck_assert_uint_eq(fal_roce_end_state(fal_roce_pair_end(w.pair, 0), 0).cnps_taken, 2);
}
END_TEST

/* One random transfer; false: a message is missing, wrong or there twice. */
static bool transfer(uint64_t seed, uint64_t number)
{
    unsigned expected = 0, n;
    bool ok;

    memset(&w, 0, sizeof w);
    w.rng = fal_rng_split(seed, number);
    begin(number % 2 == 0 ? "nic" : "paper");
    w.loss_ppm = (uint32_t)fal_rng_below(&w.rng, 100000);
    w.duplicate_ppm = (uint32_t)fal_rng_below(&w.rng, 50000);
    w.reorder_ppm = (uint32_t)fal_rng_below(&w.rng, 50000);
    w.marks = number % 5 == 0 ? UINT32_MAX : 0;
    w.qp.retries = 200;
    w.qp.ack_every = (unsigned)fal_rng_below(&w.rng, 9);
    w.qp.psn = (uint32_t)fal_rng_below(&w.rng, 1 << 24);
    w.setup.ends[1].odd.variants =
        fal_rng_next(&w.rng) &
        (1U << FAL_ROCE_VARIANT_ACK_COALESCED | 1U << FAL_ROCE_VARIANT_NAK_AFTER_LATE);
    w.setup.ends[0].odd.variants = fal_rng_next(&w.rng) & 1U << FAL_ROCE_VARIANT_ACK_EACH;
    open_pair();
    n = 1 + (unsigned)fal_rng_below(&w.rng, 12);
    for (unsigned i = 0; i < n; i++) {
        enum fal_roce_op op = (enum fal_roce_op)fal_rng_below(&w.rng, 4);

        post(op, i, (uint32_t)fal_rng_below(&w.rng, 12 * MTU));
        expected += op == FAL_ROCE_POST_SEND || op == FAL_ROCE_POST_WRITE_IMM;
    }
    run_all();
    ok = w.done == n && w.failed == 0 && w.messages == expected && !w.wrong;
    fal_roce_pair_free(w.pair);
    w.pair = NULL;
    return ok;
}

START_TEST(random_transfers_end_whole)
{
    uint64_t seed = test_seed(22), n = test_rounds(50);

    for (uint64_t i = 0; i < n; i++)
        ck_assert_msg(transfer(seed, i), "transfer %llu TALON_SEED=%llu", (unsigned long long)i,
                      (unsigned long long)seed);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pair");
    TCase *tc = tcase_create("pair");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 250);
    tcase_add_test(tc, a_send_of_three_packets);
    tcase_add_test(tc, a_nak_goes_back_to_the_lost_packet);
    tcase_add_test(tc, two_gaps_have_two_naks);
    tcase_add_test(tc, an_ack_of_what_was_not_sent_is_ignored);
    tcase_add_test(tc, an_ack_waits_for_the_responses_before_it);
    tcase_add_test(tc, a_remembered_mark_has_one_cnp);
    tcase_add_test(tc, a_timeout_repairs_a_lost_last_packet);
    tcase_add_test(tc, a_lost_response_is_asked_for_again);
    tcase_add_test(tc, a_receiver_that_is_not_ready);
    tcase_add_test(tc, a_wrong_key_fails_the_post);
    tcase_add_test(tc, marks_bring_cnps_that_slow_the_sender);
    tcase_add_test(tc, random_transfers_end_whole);
    suite_add_tcase(suite, tc);
    return suite;
}
