/* SPDX-License-Identifier: Apache-2.0
 * measure_test.c - what ACKs report about times, hops, marks and buffers, and the round trip
 * computed from them: 7.7.1, 9.2.3, 9.2.4, 10.1, 10.2. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_sealed.h"
#include "tests/testing.h"

#define TICKS(n) ((int64_t)(n)*131072) /* in ps */

enum { CE = 3, ECT0 = 2, ECT1 = 1 };

static struct sealed_arrival arrival(int64_t iv, uint8_t ecn, uint8_t ttl)
{
    return (struct sealed_arrival){.seal = sealed_by_peer(iv), .ecn = ecn, .ttl = ttl};
}

static uint32_t t1_of(int64_t iv)
{
    return (uint32_t)((SEALED_TIME + (uint64_t)iv) >> 17);
}

static uint32_t ticks_at(const struct solo *s, uint64_t ns)
{
    return (uint32_t)((s->config.clock_ps + ns * 1000) >> 17);
}

static uint64_t rtt_of(const struct solo *s)
{
    return fal_ep_conn_find(s->ep, s->conn)->rtt_ns;
}

/* The ACK of all that has arrived, after the coalescing timeout. */
static struct fal_falcon ack_of(struct solo *s)
{
    struct fal_falcon ack = {0};
    size_t acks = 0;

    solo_wait(s, 10000);
    for (size_t i = 0; i < s->n; i++)
        if (s->outs[i].out.kind == FAL_OUT_PACKET) {
            ack = s->outs[i].packet;
            acks++;
        }
    ck_assert_uint_eq(acks, 1);
    solo_forget(s);
    return ack;
}

START_TEST(FTP_10_1_02_05_10_a_coalesced_ACK_tells_of_the_newest_packet)
{
    struct solo *s = sealed_new();
    struct fal_falcon p = sealed_push(0);
    struct fal_falcon ack;
    uint64_t arrived;

    s->config.clock_ps = UINT64_C(0xfffffffffff00000); /* t2 wraps round on the way */
    solo_open(s);
    sealed_feed_as(s, &p, arrival(TICKS(50), 0, 60));
    s->now_ns += 3000;
    p = sealed_push(1);
    sealed_feed_as(s, &p, arrival(TICKS(80) + 5, 0, 62));
    arrived = s->now_ns;
    ack = ack_of(s);
    ck_assert_uint_eq(ack.t1, t1_of(TICKS(80)));
    ck_assert_uint_eq(ack.t2, ticks_at(s, arrived));
    ck_assert_uint_eq(ack.hop_count, 2);
    solo_free(s);
}
END_TEST

/* A timestamp of the link is more exact than the time at which the packet is read. */
START_TEST(FTP_7_7_1_10_t2_is_the_link_s_stamp)
{
    struct solo *s = sealed_new();
    struct fal_falcon p = sealed_push(0);
    struct sealed_arrival late = arrival(TICKS(50), 0, 62);
    uint64_t arrived;

    solo_open(s);
    s->now_ns += FAL_MS;
    late.age_ns = FAL_MS / 2;
    arrived = s->now_ns - late.age_ns;
    sealed_feed_as(s, &p, late);
    ck_assert_uint_eq(ack_of(s).t2, ticks_at(s, arrived));
    solo_free(s);
}
END_TEST

START_TEST(AMB_61_duplicates_tell_too_ACKs_and_dropped_packets_do_not)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0), other;

    sealed_feed_as(s, &p, arrival(TICKS(1), CE, 63));
    sealed_feed_as(s, &p, arrival(TICKS(2), CE, 61));
    other = solo_packet(FAL_BACK, 0, 0);
    sealed_feed_as(s, &other, arrival(TICKS(3), CE, 60));
    sealed_feed_as(s, &p,
                   (struct sealed_arrival){.seal = sealed_by_peer(TICKS(4)),
                                           .integrity = FAL_NOT_OPENED,
                                           .ecn = CE,
                                           .ttl = 50});
    other = ack_of(s);
    ck_assert_uint_eq(other.t1, t1_of(TICKS(2)));
    ck_assert_uint_eq(other.hop_count, 3);
    ck_assert_uint_eq(other.ecn_rx_count, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_1_05_a_NACK_carries_the_times_too)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0);

    sealed_feed_as(s, &p, arrival(TICKS(9), CE, 58));
    solo_rnr(s, 0, 50000);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.t1, t1_of(TICKS(9)));
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.t2, ticks_at(s, s->now_ns));
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.hop_count, 6);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.ecn_rx_count, 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_7_7_1_12_hops_saturate)
{
    static const struct {
        uint8_t ttl, hops;
    } rows[] = {{64, 0}, {63, 1}, {49, 15}, {48, 15}, {1, 15}, {65, 0}, {255, 0}, {0, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = sealed();
        struct fal_falcon p = sealed_push(0);

        sealed_feed_as(s, &p, arrival(1, 0, rows[i].ttl));
        ck_assert_uint_eq(ack_of(s).hop_count, rows[i].hops);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_7_7_1_14_CE_marks_are_counted_modulo_2_14)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0);

    sealed_feed_as(s, &p, arrival(1, ECT0, 64));
    sealed_feed_as(s, &p, arrival(2, ECT1, 64));
    sealed_feed_as(s, &p, arrival(3, 0, 64));
    ck_assert_uint_eq(ack_of(s).ecn_rx_count, 0);
    for (int64_t i = 1; i <= (1 << 14) + 5; i++)
        sealed_feed_as(s, &p, arrival(3 + i, CE, 64));
    ck_assert_uint_eq(ack_of(s).ecn_rx_count, 5);
    sealed_feed_as(s, &p, arrival(1 << 15, CE, 64)); /* it is never reset */
    ck_assert_uint_eq(ack_of(s).ecn_rx_count, 6);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_1_03_every_packet_leaves_with_an_IV_of_its_time)
{
    struct solo *s = sealed_new();
    uint64_t last = 0;

    s->config.clock_ps = UINT64_C(77) << 40;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    s->now_ns += 12345;
    solo_post(s, FAL_OP_PULL, 4, 1);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    solo_wait(s, 10000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    for (size_t i = 0; i < s->n; i++) {
        const struct solo_out *out = &s->outs[i];

        if (out->out.kind != FAL_OUT_PACKET)
            continue;
        ck_assert(out->out.seal.present && out->out.seal.has_vc);
        ck_assert_uint_gt(out->out.seal.iv, last);
        ck_assert_uint_eq(out->out.seal.iv >> 17,
                          (s->config.clock_ps + out->at_ns * 1000) >> 17);
        last = out->out.seal.iv;
    }
    solo_free(s);
}
END_TEST

/* The peer acknowledges with a t1 so many ticks ago and any t2. */
static void acknowledge(struct solo *s, enum fal_packet_type type, uint32_t ago, uint32_t base)
{
    struct fal_falcon p = solo_packet(type, 0, 0);

    p.recv_data_base_psn += base;
    p.t1 = ticks_at(s, s->now_ns) - ago;
    p.t2 = p.t1 - 123456; /* another clock */
    if (type == FAL_NACK)
        p.nack_code = FAL_NACK_RESOURCE;
    sealed_feed(s, &p, sealed_by_peer(1));
}

START_TEST(FTP_9_2_3_08_FTP_9_2_4_06_FTP_10_1_06_the_round_trip_is_T4_less_T1)
{
    static const enum fal_packet_type types[] = {FAL_BACK, FAL_EACK, FAL_NACK};

    for (size_t i = 0; i < 3; i++) {
        struct solo *s = sealed();
        uint64_t before = rtt_of(s), sample = 800 * UINT64_C(131072) / 1000;

        solo_post_many(s, FAL_OP_PUSH, 4);
        acknowledge(s, types[i], 800, 1);
        ck_assert_uint_eq(rtt_of(s), before - before / 8 + sample / 8);
        before = rtt_of(s);
        acknowledge(s, types[i], 800, 0); /* older: discarded, and no sample */
        ck_assert_uint_eq(rtt_of(s), before);
        acknowledge(s, types[i], (uint32_t)-5, 1); /* from the future */
        ck_assert_uint_eq(rtt_of(s), before);
        solo_free(s);
    }
}
END_TEST

START_TEST(T1_may_be_0_on_a_sealed_link_and_means_nothing_on_a_plain_one)
{
    struct solo *s = sealed_new();

    s->config.clock_ps = (UINT64_C(1) << 49) - 1000000000; /* ticks are 0 in 1 ms: now */
    s->now_ns = 1000000 + 131072;
    solo_open(s);
    acknowledge(s, FAL_BACK, 1000, 0);
    ck_assert_uint_eq(rtt_of(s), 10000 - 10000 / 8 + 131072 / 8);
    solo_free(s);
    s = solo();
    solo_feed_back(s, 0, 0);
    ck_assert_uint_eq(rtt_of(s), 10000);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_2_01_06_ACK_and_NACK_carry_the_higher_level)
{
    struct solo *s = sealed_new();

    s->config.cell = 4;
    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 64;  /* a level for 2 packets */
    s->config.host_limits.units[FAL_RES_NET_BUF_RX] = 160; /* and for 5 cells */
    s->config.host_limits.red_pkt = 1;
    s->config.host_limits.red_buf = 4;
    s->open.params.mtu = 16;
    solo_open(s);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 0);
    for (uint32_t i = 1; i < 7; i++)
        (void)sealed_takes(s, i, sealed_by_peer(1 + i));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 3); /* 7 packets, 7 cells */
    for (uint32_t i = 0; i < 5; i++)
        solo_ack(s, i);
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 1);
    solo_rnr(s, 5, 50000);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rx_buffer_occupancy, 1);
    fal_endpoint_close(s->ep, s->conn); /* everything is given back */
    for (unsigned i = 0; i < FAL_RX_POOLS; i++)
        ck_assert_uint_eq(s->ep->occupancy[i].average, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_2_06_the_buffers_may_be_the_fuller_pool)
{
    struct solo *s = sealed_new();

    s->config.cell = 1;
    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 640;
    s->config.host_limits.units[FAL_RES_NET_BUF_RX] = 64;
    s->config.host_limits.red_pkt = 1;
    s->config.host_limits.red_buf = 16;
    s->open.params.mtu = 16;
    solo_open(s);
    (void)sealed_takes(s, 0, sealed_by_peer(1));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 2); /* 4 bytes of 64 */
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_2_03_05_averages_and_thresholds_are_configured_by_pool)
{
    struct solo *s = sealed_new();

    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 1000;
    s->config.host_limits.red_pkt = 1;
    fal_occupancy_init(&s->config.rx_levels[FAL_RX_PACKETS], 32, 512);
    fal_occupancy_init(&s->config.rx_levels[FAL_RX_BUFFERS], 320, 0);
    solo_open(s);
    (void)sealed_takes(s, 0, sealed_by_peer(1));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 0); /* 1/2 */
    (void)sealed_takes(s, 1, sealed_by_peer(2));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 1); /* 1/4 + 1 */
    (void)sealed_takes(s, 2, sealed_by_peer(3));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 2); /* 5/8 + 3/2 */
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_2_05_other_thresholds_count_from_then_on)
{
    struct fal_occupancy levels;
    struct solo *s = sealed_new();

    s->config.host_limits.units[FAL_RES_NET_PKT_RX] = 1000;
    s->config.host_limits.red_pkt = 1;
    solo_open(s);
    (void)sealed_takes(s, 0, sealed_by_peer(1));
    (void)sealed_takes(s, 1, sealed_by_peer(2));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 0); /* 2 of 1000 */
    fal_occupancy_init(&levels, 32, 512);
    fal_endpoint_rx_levels(s->ep, FAL_RX_PACKETS, &levels);
    (void)sealed_takes(s, 2, sealed_by_peer(3));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 2); /* 1 + 3/2: the average goes on */
    fal_endpoint_rx_levels(s->ep, FAL_RX_PACKETS, NULL);
    (void)sealed_takes(s, 3, sealed_by_peer(4));
    ck_assert_uint_eq(ack_of(s).rx_buffer_occupancy, 0);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("measuring");
    TCase *tc = tcase_create("measure");

    tcase_add_test(tc, FTP_10_1_02_05_10_a_coalesced_ACK_tells_of_the_newest_packet);
    tcase_add_test(tc, FTP_7_7_1_10_t2_is_the_link_s_stamp);
    tcase_add_test(tc, AMB_61_duplicates_tell_too_ACKs_and_dropped_packets_do_not);
    tcase_add_test(tc, FTP_10_1_05_a_NACK_carries_the_times_too);
    tcase_add_test(tc, FTP_7_7_1_12_hops_saturate);
    tcase_add_test(tc, FTP_7_7_1_14_CE_marks_are_counted_modulo_2_14);
    tcase_add_test(tc, FTP_10_1_03_every_packet_leaves_with_an_IV_of_its_time);
    tcase_add_test(tc, FTP_9_2_3_08_FTP_9_2_4_06_FTP_10_1_06_the_round_trip_is_T4_less_T1);
    tcase_add_test(tc, T1_may_be_0_on_a_sealed_link_and_means_nothing_on_a_plain_one);
    tcase_add_test(tc, FTP_10_2_01_06_ACK_and_NACK_carry_the_higher_level);
    tcase_add_test(tc, FTP_10_2_06_the_buffers_may_be_the_fuller_pool);
    tcase_add_test(tc, FTP_10_2_03_05_averages_and_thresholds_are_configured_by_pool);
    tcase_add_test(tc, FTP_10_2_05_other_thresholds_count_from_then_on);
    suite_add_tcase(suite, tc);
    return suite;
}
