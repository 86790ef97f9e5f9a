/* SPDX-License-Identifier: Apache-2.0
 * tx_lanes_test.c - transmit queues that overtake each other: no packet leaves later than the
 * allowance, windows and ordered connections keep their order, timers keep their distance. */
#include "oracles/endpoint/variants/lanes.h"

#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { PIPELINE = 20000, PACKETS = 60, GAP = 1000, SEEDS = 20 };

static struct solo *with(uint64_t seed, bool ordered)
{
    struct solo *s = solo_new();

    s->config.seed = seed;
    s->open.params.pipeline_ns = PIPELINE;
    s->open.params.ordered = ordered;
    s->open.params.fcwnd = s->open.params.ncwnd = s->open.params.tx_window_data =
        s->open.params.tx_window_req = 2 * PACKETS;
    s->open.security = (struct fal_endpoint_security){.on = true, .spi = 1, .peer_spi = 2};
    fal_twin_add(&s->open.twins, FAL_TWIN_TX_LANES);
    solo_open(s);
    return s;
}

static struct solo *sends(uint64_t seed, bool ordered)
{
    struct solo *s = with(seed, ordered);

    for (uint32_t i = 0; i < PACKETS; i++) {
        solo_post(s, i % 2 == 0 ? FAL_OP_PUSH : FAL_OP_PULL, 8, s->now_ns);
        solo_wait(s, GAP);
    }
    solo_wait(s, PIPELINE);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA) + solo_packets(s, FAL_PULL_REQUEST),
                      PACKETS);
    return s;
}

/* How many packets leave after one of a higher RSN; of one window, or of both. */
static unsigned overtaken(const struct solo *s, bool across)
{
    unsigned n = 0;

    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            n += s->outs[k].packet.rsn > s->outs[i].packet.rsn &&
                 (across || s->outs[k].packet.packet_type == s->outs[i].packet.packet_type);
    return n;
}

START_TEST(no_packet_leaves_later_than_the_allowance)
{
    unsigned late = 0, at_once = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = sends(seed, false);

        for (size_t i = 0; i < s->n; i++) {
            uint64_t posted_ns = 1000000 + (s->outs[i].packet.rsn - SOLO_RSN) * (uint64_t)GAP;
            uint64_t waited = s->outs[i].at_ns - posted_ns;

            ck_assert_uint_le(waited, PIPELINE);
            late += waited > PIPELINE / 2;
            at_once += waited == 0;
        }
        solo_free(s);
    }
    ck_assert_uint_gt(late, 100);
    ck_assert_uint_gt(at_once, 100);
}
END_TEST

/* FTP-9.1.3-03: on an ordered connection RSN order holds across both windows. */
START_TEST(FTP_9_1_3_03_queues_overtake_each_other_where_no_order_is_asked_for)
{
    unsigned n = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *unordered = sends(seed, false), *ordered = sends(seed, true);

        n += overtaken(unordered, true);
        ck_assert_uint_eq(overtaken(unordered, false), 0);
        ck_assert_uint_eq(overtaken(ordered, true), 0);
        solo_free(unordered);
        solo_free(ordered);
    }
    ck_assert_uint_gt(n, 100);
}
END_TEST

/* 9.2.2.2: a packet is sealed when it leaves, so IVs keep the order of the wire. */
START_TEST(packets_are_sealed_as_they_leave)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = sends(seed, false);

        for (size_t i = 1; i < s->n; i++)
            ck_assert_uint_gt(s->outs[i].out.seal.iv, s->outs[i - 1].out.seal.iv);
        solo_free(s);
    }
}
END_TEST

/* FTP-9.1.1-21: no retransmission comes earlier on the wire than its timeout. */
START_TEST(FTP_9_1_1_21_retransmissions_keep_their_distance)
{
    unsigned later = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(seed, false);
        uint64_t rto_ns = s->open.params.rto_ns;

        solo_post(s, FAL_OP_PUSH, 8, 1);
        solo_wait(s, 4 * rto_ns + PIPELINE);
        ck_assert_uint_ge(s->n, 4);
        for (size_t i = 1; i < s->n; i++) {
            uint64_t apart = s->outs[i].at_ns - s->outs[i - 1].at_ns;

            ck_assert_uint_ge(apart, rto_ns);
            ck_assert_uint_le(apart, rto_ns + PIPELINE);
            later += apart > rto_ns;
        }
        solo_free(s);
    }
    ck_assert_uint_gt(later, 0);
}
END_TEST

/* Nothing that was sent before the connection died leaves after it. */
START_TEST(what_was_sent_leaves_before_the_connection_is_said_to_be_dead)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(seed, false);
        bool dead = false;

        fal_endpoint_close(s->ep, s->conn);
        s->open.params.max_attempts = 1;
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
        solo_post(s, FAL_OP_PUSH, 8, 1);
        solo_wait(s, 10 * s->open.params.rto_ns);
        for (size_t i = 0; i < s->n; i++) {
            dead |= s->outs[i].out.kind == FAL_OUT_CM;
            ck_assert(!dead || s->outs[i].out.kind != FAL_OUT_PACKET);
        }
        ck_assert(dead);
        solo_free(s);
    }
}
END_TEST

START_TEST(an_ack_leaves_by_a_queue_of_its_own)
{
    unsigned late = 0, at_once = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(seed, false);

        s->open.security.on = false;
        fal_endpoint_close(s->ep, s->conn);
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
        solo_feed_pull(s, 0, 0, true);
        at_once += solo_packets(s, FAL_BACK) == 1;
        ck_assert(solo_packets(s, FAL_BACK) == 1 || !fal_endpoint_quiet(s->ep, s->conn));
        solo_wait(s, PIPELINE - 1);
        late += solo_packets(s, FAL_BACK) == 0;
        solo_wait(s, 1);
        ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
        solo_free(s);
    }
    ck_assert_uint_gt(late, 0);
    ck_assert_uint_gt(at_once, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transmit lanes");
    TCase *tc = tcase_create("lanes");

    tcase_add_test(tc, no_packet_leaves_later_than_the_allowance);
    tcase_add_test(tc, FTP_9_1_3_03_queues_overtake_each_other_where_no_order_is_asked_for);
    tcase_add_test(tc, packets_are_sealed_as_they_leave);
    tcase_add_test(tc, FTP_9_1_1_21_retransmissions_keep_their_distance);
    tcase_add_test(tc, what_was_sent_leaves_before_the_connection_is_said_to_be_dead);
    tcase_add_test(tc, an_ack_leaves_by_a_queue_of_its_own);
    suite_add_tcase(suite, tc);
    return suite;
}
