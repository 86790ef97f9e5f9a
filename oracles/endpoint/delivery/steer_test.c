/* SPDX-License-Identifier: Apache-2.0
 * steer_test.c - what a tester's end tells in place of what it measures: 10.1. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { HOLD = 200000, PATH = 10000, COALESCING = 8000, TICK_PS = 131072 };

static struct solo *steered(const struct fal_steer *steer)
{
    struct solo *s = solo();

    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn, steer), 0);
    return s;
}

static const struct solo_out *ack(struct solo *s, size_t k)
{
    const struct solo_out *out = solo_sent(s, FAL_BACK, k);

    ck_assert_ptr_nonnull(out);
    return out;
}

static uint32_t ticks(const struct solo *s, uint64_t ns)
{
    return (uint32_t)((s->config.clock_ps + ns * 1000) / TICK_PS);
}

START_TEST(FTP_10_1_05_each_packet_has_an_ACK_after_the_hold)
{
    const struct fal_steer steer = {.on = true, .hold_ns = HOLD};
    struct solo *s = steered(&steer);
    uint64_t start_ns = s->now_ns;

    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, COALESCING / 2);
    solo_feed_pull(s, 1, 1, false);
    ck_assert(!fal_endpoint_quiet(s->ep, s->conn));
    solo_wait(s, HOLD - COALESCING / 2 - 1);
    solo_no_ack(s);
    solo_wait(s, 1);
    ck_assert_uint_eq(ack(s, 0)->at_ns, start_ns + HOLD);
    ck_assert_uint_eq(ack(s, 0)->packet.recv_req_base_psn, PEER_REQ + 1); /* as it was then */
    solo_wait(s, COALESCING / 2);
    ck_assert_uint_eq(ack(s, 1)->at_ns, start_ns + HOLD + COALESCING / 2);
    ck_assert_uint_eq(ack(s, 1)->packet.recv_req_base_psn, PEER_REQ + 2);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 2);
    solo_free(s);
}
END_TEST

/* The delay that the peer computes is the round trip less T3 - T2, with T3 = the departure. */
START_TEST(FTP_10_1_06_T2_makes_the_delay)
{
    static const uint64_t delays_ns[] = {0, 10000, 40000, HOLD + PATH};

    for (size_t i = 0; i < sizeof delays_ns / sizeof *delays_ns; i++) {
        const struct fal_steer steer = {.on = true,
                                        .hold_ns = HOLD,
                                        .path_ns = PATH,
                                        .has_delay = true,
                                        .delay_ns = delays_ns[i]};
        struct solo *s = steered(&steer);
        uint64_t left_ns = s->now_ns + HOLD;
        uint32_t inside;

        solo_feed_pull(s, 0, 0, false);
        solo_wait(s, HOLD);
        inside = ticks(s, left_ns) - ack(s, 0)->packet.t2;
        ck_assert_uint_eq(inside,
                          ((HOLD + PATH - delays_ns[i]) * 1000 + TICK_PS - 1) / TICK_PS);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_10_1_05_hops_level_and_marks_are_those_of_the_test)
{
    const struct fal_steer steer = {
        .on = true, .has_hops = true, .hops = 15, .has_level = true, .level = 31, .marks = 3};
    const struct fal_steer off = {.on = false};
    struct solo *s = steered(&steer);

    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    ck_assert_uint_eq(ack(s, 1)->packet.hop_count, 15);
    ck_assert_uint_eq(ack(s, 1)->packet.rx_buffer_occupancy, 31);
    ck_assert_uint_eq(ack(s, 1)->packet.ecn_rx_count, 6);
    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn, &off), 0);
    solo_feed_pull(s, 2, 2, false);
    solo_wait(s, COALESCING);
    ck_assert_uint_eq(ack(s, 2)->packet.hop_count, 0);
    ck_assert_uint_eq(ack(s, 2)->packet.rx_buffer_occupancy, 0);
    ck_assert_uint_eq(ack(s, 2)->packet.ecn_rx_count, 6); /* a count never falls */
    solo_free(s);
}
END_TEST

/* What is held leaves in order and in time, also when the hold becomes shorter or ends. */
START_TEST(no_ACK_overtakes_one_that_is_held)
{
    struct fal_steer steer = {.on = true, .hold_ns = HOLD};
    struct solo *s = steered(&steer);
    uint64_t start_ns = s->now_ns;

    solo_feed_pull(s, 0, 0, false);
    steer.on = false;
    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn, &steer), 0);
    solo_feed_pull(s, 1, 1, true);
    solo_no_ack(s);
    solo_wait(s, HOLD);
    ck_assert_uint_eq(ack(s, 0)->packet.recv_req_base_psn, PEER_REQ + 1);
    ck_assert_uint_eq(ack(s, 1)->packet.recv_req_base_psn, PEER_REQ + 2);
    ck_assert_uint_eq(ack(s, 1)->at_ns, start_ns + HOLD);
    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn + 1, &steer), FAL_ERR_RANGE);
    solo_free(s);
}
END_TEST

/* They leave together when the next step is set. The peer computes T4 - T1 - (T3 - T2), so T2
 * allows for a packet that was longer on its way than the fastest one. */
START_TEST(FTP_10_1_06_ACKs_that_leave_together_tell_one_delay)
{
    enum { DELAY = 40000, SLOWER = 7 /* ticks */ };
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_steer steer = {.on = true, .together = true, .has_delay = true, .path_ns = PATH};
    struct solo *s = solo();
    uint64_t start_ns = s->now_ns;
    uint32_t t2[3];

    steer.delay_ns = 0;
    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn, &steer), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + i, PEER_RSN + i);
        uint8_t bytes[FAL_HEADER_MAX];
        int n = fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);

        t2[i] = ticks(s, s->now_ns);
        solo_feed_bytes(s, bytes, (size_t)n,
                        (struct solo_arrival){.t1 = t2[i] - 1000 - (i == 1 ? SLOWER : 0)});
        solo_wait(s, COALESCING);
    }
    solo_no_ack(s);
    steer.delay_ns = DELAY; /* The step that counts is that of the time when they leave. */
    steer.has_hops = steer.has_level = true;
    steer.hops = 3;
    steer.level = 4;
    solo_wait(s, HOLD - 3 * COALESCING);
    solo_no_ack(s);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &tick, s->now_ns, NULL), 0);
    ck_assert_int_eq(fal_endpoint_steer_acks(s->ep, s->conn, &steer), 0);
    solo_wait(s, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const struct fal_falcon *told = &ack(s, i)->packet;
        uint32_t shift = DELAY * 1000 / TICK_PS - PATH * 1000 / TICK_PS;

        ck_assert_uint_eq(ack(s, i)->at_ns, start_ns + HOLD);
        ck_assert_uint_eq(told->t2, t2[i] + shift - (i == 1 ? SLOWER : 0));
        ck_assert_uint_eq(told->hop_count, 3);
        ck_assert_uint_eq(told->rx_buffer_occupancy, 4);
        ck_assert_uint_eq(told->recv_req_base_psn, PEER_REQ + i + 1);
    }
    solo_free(s);
}
END_TEST

/* More packets than a window has: the ring grows, and nothing is lost. */
START_TEST(many_ACKs_are_held)
{
    const struct fal_steer steer = {.on = true, .hold_ns = HOLD};
    struct solo *s = steered(&steer);
    enum { MANY = 64 };

    for (uint32_t i = 0; i < MANY; i++) {
        solo_feed_pull(s, i, i, false);
        solo_wait(s, 100);
    }
    solo_wait(s, HOLD);
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(ack(s, i)->packet.recv_req_base_psn, PEER_REQ + 1 + i);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), MANY);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("steer 10.1");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, FTP_10_1_05_each_packet_has_an_ACK_after_the_hold);
    tcase_add_test(tc, FTP_10_1_06_T2_makes_the_delay);
    tcase_add_test(tc, FTP_10_1_05_hops_level_and_marks_are_those_of_the_test);
    tcase_add_test(tc, no_ACK_overtakes_one_that_is_held);
    tcase_add_test(tc, FTP_10_1_06_ACKs_that_leave_together_tell_one_delay);
    tcase_add_test(tc, many_ACKs_are_held);
    suite_add_tcase(suite, tc);
    return suite;
}
