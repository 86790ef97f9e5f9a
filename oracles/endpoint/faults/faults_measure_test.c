/* SPDX-License-Identifier: Apache-2.0
 * faults_measure_test.c - faults and twins of stamps, marks, levels and the RUE, each seen to
 * act. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_probe.h"
#include "tests/testing.h"

/* ---- stamps ---- */

static bool repeats_ivs(struct solo *s)
{
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    return solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.iv ==
           solo_nth(s, FAL_OUT_PACKET, 1)->out.seal.iv;
}

static bool counts_packets(struct solo *s)
{
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 1);
    solo_wait(s, 1000);
    solo_post_many(s, FAL_OP_PUSH, 1);
    return solo_nth(s, FAL_OUT_PACKET, 1)->out.seal.iv ==
           solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.iv + 1;
}

static bool sends_no_pcid(struct solo *s)
{
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 1);
    return solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.has_vc &&
           solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.vc == 0;
}

static bool carried_with(struct solo *s, enum fal_seal_flaw flaw)
{
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 1);
    return solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.flaw == flaw;
}

static bool sends_in_the_clear(struct solo *s)
{
    return carried_with(s, FAL_SEAL_NONE);
}

static bool announces_another_header(struct solo *s)
{
    return carried_with(s, FAL_SEAL_NEXT_HEADER);
}

static bool seals_less(struct solo *s)
{
    return carried_with(s, FAL_SEAL_CRYPT_OFFSET);
}

static bool takes_the_other_mode(struct solo *s)
{
    return carried_with(s, FAL_SEAL_OTHER_MODE);
}

/* The ACK of two pushes, 3 us apart, with IVs of 100 and 200 ticks, marks and TTLs as given. */
static struct fal_falcon ack_of_two(struct solo *s, const uint8_t ecn[2], const uint8_t ttl[2])
{
    for (uint32_t i = 0; i < 2; i++) {
        struct fal_falcon p = sealed_push(i);

        s->now_ns += 3000;
        sealed_feed_as(
            s, &p,
            (struct sealed_arrival){.seal = sealed_by_peer((int64_t)(i + 1) * 100 * (1 << 17)),
                                    .ecn = ecn[i],
                                    .ttl = ttl[i]});
    }
    solo_wait(s, 10000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    return solo_sent(s, FAL_BACK, 0)->packet;
}

static struct fal_falcon plain_ack(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){0, 0}, (uint8_t[2]){64, 64});
}

static uint32_t second_t1(void)
{
    return (uint32_t)((SEALED_TIME >> 17) + 200);
}

static bool swaps_t1_and_t2(struct solo *s)
{
    return plain_ack(s).t2 == second_t1();
}

static bool has_no_t1(struct solo *s)
{
    return plain_ack(s).t1 == 0;
}

static bool tells_the_first_t1(struct solo *s)
{
    return plain_ack(s).t1 == second_t1() - 100;
}

static bool tells_its_own_time(struct solo *s)
{
    struct fal_falcon ack = plain_ack(s);

    return ack.t2 == (uint32_t)(solo_sent(s, FAL_BACK, 0)->at_ns * 1000 >> 17);
}

static bool counts_microseconds(struct solo *s)
{
    struct fal_falcon ack = plain_ack(s);

    return ack.t2 == (uint32_t)(solo_sent(s, FAL_BACK, 0)->at_ns / FAL_US);
}

static bool tells_the_ttl(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){0, 0}, (uint8_t[2]){62, 61}).hop_count == (61 & 15);
}

static bool counts_no_marks(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){3, 3}, (uint8_t[2]){64, 64}).ecn_rx_count == 0;
}

static bool counts_ect(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){2, 2}, (uint8_t[2]){64, 64}).ecn_rx_count == 2;
}

static bool counts_the_last_mark(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){3, 0}, (uint8_t[2]){64, 64}).ecn_rx_count == 0;
}

static bool tells_the_emptier_pool(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    return plain_ack(s).rx_buffer_occupancy == 0;
}

static bool tells_cells_by_packets(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 640, .red_pkt = 1};
    fal_occupancy_init(&s->config.rx_levels[FAL_RX_BUFFERS], 32, 0);
    return plain_ack(s).rx_buffer_occupancy == 0;
}

/* Two packets are an average of less than one with a constant of 1/4. */
static bool tells_no_average(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    fal_occupancy_init(&s->config.rx_levels[FAL_RX_PACKETS], 32, FAL_ALPHA_ONE / 4);
    return plain_ack(s).rx_buffer_occupancy > 1;
}

/* An ACK after the upper layer has taken both pushes. */
static bool tells_the_highest_level(struct solo *s)
{
    struct fal_falcon p = sealed_push(2);

    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    ck_assert_uint_gt(plain_ack(s).rx_buffer_occupancy, 1);
    for (uint32_t i = 0; i < 2; i++)
        solo_ack(s, i);
    solo_wait(s, 10000);
    solo_forget(s);
    sealed_feed(s, &p, sealed_by_peer(300 * (1 << 17)));
    solo_wait(s, 10000);
    return solo_sent(s, FAL_BACK, 0)->packet.rx_buffer_occupancy > 1;
}

/* The level when the upper layer has taken both pushes, and nothing has come since. */
static bool keeps_the_level_of_two(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    ck_assert_uint_gt(plain_ack(s).rx_buffer_occupancy, 1);
    for (uint32_t i = 0; i < 2; i++)
        solo_ack(s, i);
    return s->ep->rx_level[FAL_RX_PACKETS] > 0;
}

/* The level when the connection that held both pushes is closed. */
static bool keeps_the_level_of_the_closed(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    ck_assert_uint_gt(plain_ack(s).rx_buffer_occupancy, 1);
    fal_endpoint_close(s->ep, s->conn);
    return s->ep->rx_level[FAL_RX_PACKETS] > 0;
}

/* The round trip that it believes in after an ACK of 1 ms ago. */
static bool believes_t2(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_open(s);
    ack.t1 = (uint32_t)((s->now_ns - 800000) * 1000 >> 17);
    ack.t2 = ack.t1 + 1;
    sealed_feed(s, &ack, sealed_by_peer(1));
    return fal_ep_conn_find(s->ep, s->conn)->rtt_ns < 10000;
}

/* The round trip that it believes in after an ACK with times of 800 us ago, or without. */
static uint64_t rtt_after_ack(struct solo *s, bool timed)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    s->now_ns += FAL_MS;
    solo_open(s);
    if (timed) {
        ack.t1 = (uint32_t)((s->now_ns - 800000) * 1000 >> 17);
        ack.t2 = ack.t1 + 1;
    }
    sealed_feed(s, &ack, sealed_by_peer(1));
    return fal_ep_conn_find(s->ep, s->conn)->rtt_ns;
}

static bool keeps_the_initial_rtt(struct solo *s)
{
    return rtt_after_ack(s, true) == s->open.params.initial_rtt_ns;
}

static bool takes_a_quarter(struct solo *s)
{
    return rtt_after_ack(s, true) < s->open.params.initial_rtt_ns / 8 * 7 + 50000;
}

static bool measures_without_times(struct solo *s)
{
    return rtt_after_ack(s, false) != s->open.params.initial_rtt_ns;
}

/* ---- RUE ---- */

struct rue {
    struct fal_cc_event last;
    unsigned events;
    struct fal_cc_result change;
};

static struct rue rue;

static void ask_rue(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    (void)ctx, (void)state, (void)now_ticks;
    rue.last = *event;
    rue.events++;
    if (rue.change.fcwnd_integer > 0 || rue.change.inter_packet_gap > 0)
        result->fcwnd_integer = rue.change.fcwnd_integer;
    if (rue.change.ncwnd > 0)
        result->ncwnd = rue.change.ncwnd;
    if (rue.change.retransmit_timeout > 0)
        result->retransmit_timeout = rue.change.retransmit_timeout;
    result->inter_packet_gap = rue.change.inter_packet_gap;
    result->randomize_path = rue.change.randomize_path;
}

/* An endpoint whose RUE has seen an ACK and answered with `change`. */
static void with_rue(struct solo *s, struct fal_cc_result change)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    rue = (struct rue){.change = change};
    s->config.rue.policy.process = ask_rue;
    solo_open(s);
    sealed_feed(s, &ack, sealed_by_peer(1));
}

static bool hides_resource_drops(struct solo *s)
{
    struct fal_falcon nack = solo_nack(SOLO_DATA, FAL_NACK_RESOURCE);

    with_rue(s, (struct fal_cc_result){0});
    solo_post(s, FAL_OP_PUSH, 4, 1);
    sealed_feed(s, &nack, sealed_by_peer(1));
    return rue.events == 1;
}

static bool calls_timeouts_early(struct solo *s)
{
    with_rue(s, (struct fal_cc_result){0});
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 1500000);
    return rue.last.event_type == FAL_CC_RETRANSMIT &&
           rue.last.retransmit_reason == FAL_CC_EARLY;
}

static bool counts_on(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s, (struct fal_cc_result){0});
    solo_post_many(s, FAL_OP_PUSH, 3);
    ack.recv_data_base_psn += 2;
    sealed_feed(s, &ack, sealed_by_peer(1));
    ck_assert_uint_eq(rue.last.num_packets_acked, 2);
    sealed_feed(s, &ack, sealed_by_peer(1));
    return rue.last.num_packets_acked == 2;
}

static bool keeps_fcwnd(struct solo *s)
{
    with_rue(s, (struct fal_cc_result){.fcwnd_integer = 1});
    solo_post_many(s, FAL_OP_PUSH, 2);
    return solo_packets(s, FAL_PUSH_DATA) == 2;
}

static bool keeps_ncwnd(struct solo *s)
{
    with_rue(s, (struct fal_cc_result){.ncwnd = 1});
    solo_post_many(s, FAL_OP_PUSH, 2);
    return solo_packets(s, FAL_PUSH_DATA) == 2;
}

static bool keeps_its_rto(struct solo *s)
{
    with_rue(s, (struct fal_cc_result){.retransmit_timeout = 1526});
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 300000);
    return solo_packets(s, FAL_PUSH_DATA) == 1;
}

static bool does_not_pace(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s, (struct fal_cc_result){.inter_packet_gap = 1000});
    solo_post_many(s, FAL_OP_PUSH, 2);
    ack.recv_data_base_psn++;
    sealed_feed(s, &ack, sealed_by_peer(1));
    return solo_packets(s, FAL_PUSH_DATA) == 2;
}

static bool paces_above_one(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s, (struct fal_cc_result){.fcwnd_integer = 4, .inter_packet_gap = 1000});
    solo_post_many(s, FAL_OP_PUSH, 1);
    ack.recv_data_base_psn++;
    sealed_feed(s, &ack, sealed_by_peer(1));
    solo_post_many(s, FAL_OP_PUSH, 3);
    return solo_packets(s, FAL_PUSH_DATA) < 4;
}

static bool stays_on_its_path(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s, (struct fal_cc_result){.randomize_path = 1});
    solo_post(s, FAL_OP_PUSH, 4, 1);
    sealed_feed(s, &ack, sealed_by_peer(1));
    solo_post(s, FAL_OP_PUSH, 4, 1);
    return solo_sent(s, FAL_PUSH_DATA, 0)->out.path == solo_sent(s, FAL_PUSH_DATA, 1)->out.path;
}

/* hop_count of the ACK after a push with TTL 60, then a duplicate or a BACK with TTL 57. */
static unsigned hops_after(struct solo *s, bool duplicate)
{
    struct fal_falcon push = sealed_push(0), back = solo_packet(FAL_BACK, 0, 0);

    solo_open(s);
    sealed_feed_as(s, &push, (struct sealed_arrival){.seal = sealed_by_peer(1), .ttl = 60});
    sealed_feed_as(s, duplicate ? &push : &back,
                   (struct sealed_arrival){.seal = sealed_by_peer(2), .ttl = 57});
    solo_wait(s, 10000);
    return solo_nth(s, FAL_OUT_PACKET, 0)->packet.hop_count;
}

static bool stamps_of_acks(struct solo *s)
{
    return hops_after(s, false) == 7;
}

static bool no_stamps_of_duplicates(struct solo *s)
{
    return hops_after(s, true) == 4;
}

static bool hops_wrap(struct solo *s)
{
    solo_open(s);
    return ack_of_two(s, (uint8_t[2]){0, 0}, (uint8_t[2]){46, 46}).hop_count == 2;
}

static bool level_below(struct solo *s)
{
    s->config.host_limits = (struct fal_limits){.units[FAL_RES_NET_PKT_RX] = 32, .red_pkt = 1};
    return plain_ack(s).rx_buffer_occupancy == 1; /* 2 packets: on the threshold of 2 */
}

static bool metadata_without_own(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_EACK, 0, 0);

    with_rue(s, (struct fal_cc_result){0});
    ack.rue_info = 5;
    ack.own = FAL_OWN_DATA;
    sealed_feed(s, &ack, sealed_by_peer(1));
    return rue.last.cc_metadata == 5;
}

static bool events_without_end(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    s->config.rue = (struct fal_rue_config){.outside = true, .depth = {1, 1, 1}};
    solo_open(s);
    for (unsigned i = 0; i < 3; i++)
        sealed_feed(s, &ack, sealed_by_peer(1));
    return solo_count(s, FAL_OUT_RUE) == 3;
}

/* A sample of 800 us moves an average that trusts samples far from its first guess. */
static bool trusts_samples(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_open(s);
    ack.t1 = (uint32_t)((s->now_ns - 800000) * 1000 >> 17);
    ack.t2 = ack.t1 + 1;
    sealed_feed(s, &ack, sealed_by_peer(1));
    return fal_ep_conn_find(s->ep, s->conn)->rtt_ns > 400000;
}

static bool sets_the_first_bit(struct solo *s)
{
    return (plain_ack(s).rue_info >> 21 & 1) != 0;
}

static bool refuses_reserved_bits(struct solo *s)
{
    struct fal_falcon pull = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    solo_open(s);
    pull.reserved_0 = 1;
    pull.request_length = 8;
    sealed_feed(s, &pull, sealed_by_peer(1));
    return solo_count(s, FAL_OUT_REQUEST) == 0;
}

/* ---- the tables ---- */

static const struct fault_probe faults[] = {
    {FAL_FAULT_PCID_NOT_SENT, sends_no_pcid},
    {FAL_FAULT_SEAL_MISSING, sends_in_the_clear},
    {FAL_FAULT_SEAL_NEXT_HEADER, announces_another_header},
    {FAL_FAULT_SEAL_CRYPT_OFFSET, seals_less},
    {FAL_FAULT_SEAL_OTHER_MODE, takes_the_other_mode},
    {FAL_FAULT_IV_REPEATED, repeats_ivs},
    {FAL_FAULT_IV_TWICE, repeats_ivs},
    {FAL_FAULT_IV_COUNTS, counts_packets},
    {FAL_FAULT_RTT_NEVER_MEASURED, keeps_the_initial_rtt},
    {FAL_FAULT_RTT_QUARTERED, takes_a_quarter},
    {FAL_FAULT_RTT_FROM_ZERO, measures_without_times},
    {FAL_FAULT_T1_T2_SWAPPED, swaps_t1_and_t2},
    {FAL_FAULT_T1_ZERO, has_no_t1},
    {FAL_FAULT_T1_OF_THE_FIRST, tells_the_first_t1},
    {FAL_FAULT_T2_OF_THE_ACK, tells_its_own_time},
    {FAL_FAULT_T2_IN_MICROSECONDS, counts_microseconds},
    {FAL_FAULT_HOPS_ARE_TTL, tells_the_ttl},
    {FAL_FAULT_ECN_NEVER_COUNTED, counts_no_marks},
    {FAL_FAULT_ECN_COUNTS_CAPABLE, counts_ect},
    {FAL_FAULT_ECN_NOT_CUMULATIVE, counts_the_last_mark},
    {FAL_FAULT_LEVEL_OF_THE_EMPTIER, tells_the_emptier_pool},
    {FAL_FAULT_LEVEL_THRESHOLDS_SHARED, tells_cells_by_packets},
    {FAL_FAULT_LEVEL_WITHOUT_AVERAGE, tells_no_average},
    {FAL_FAULT_LEVEL_OF_PACKETS_ALONE, tells_cells_by_packets},
    {FAL_FAULT_LEVEL_NEVER_FALLS, tells_the_highest_level},
    {FAL_FAULT_LEVEL_OF_WHAT_IS_TAKEN, keeps_the_level_of_two},
    {FAL_FAULT_LEVEL_OUTLIVES_CONNECTION, keeps_the_level_of_the_closed},
    {FAL_FAULT_RTT_FROM_T2, believes_t2},
    {FAL_FAULT_RESOURCE_DROP_NOT_TOLD, hides_resource_drops},
    {FAL_FAULT_RETRANSMIT_REASON_SWAPPED, calls_timeouts_early},
    {FAL_FAULT_ACKED_COUNT_KEPT, counts_on},
    {FAL_FAULT_FCWND_RESULT_IGNORED, keeps_fcwnd},
    {FAL_FAULT_NCWND_RESULT_IGNORED, keeps_ncwnd},
    {FAL_FAULT_RTO_RESULT_IGNORED, keeps_its_rto},
    {FAL_FAULT_GAP_IGNORED, does_not_pace},
    {FAL_FAULT_GAP_ABOVE_ONE, paces_above_one},
    {FAL_FAULT_PATH_NEVER_CHANGED, stays_on_its_path},
};

static const struct twin_probe twins[] = {
    {FAL_TWIN_STAMPS_OF_ACKS_TOO, stamps_of_acks},
    {FAL_TWIN_STAMPS_OF_NEW_ONLY, no_stamps_of_duplicates},
    {FAL_TWIN_HOPS_WRAP, hops_wrap},
    {FAL_TWIN_LEVEL_BELOW_AT_EQUALITY, level_below},
    {FAL_TWIN_METADATA_WITHOUT_OWN, metadata_without_own},
    {FAL_TWIN_RUE_EVENT_EACH_TIME, events_without_end},
    {FAL_TWIN_RTT_SMOOTHED_REVERSED, trusts_samples},
    {FAL_TWIN_RUE_INFO_WIDE, sets_the_first_bit},
    {FAL_TWIN_RESERVED_BITS_REFUSED, refuses_reserved_bits},
};

enum { FAULTS = sizeof faults / sizeof *faults, TWINS = sizeof twins / sizeof *twins };

START_TEST(each_fault_is_seen_and_only_where_it_is_on)
{
    probe_fault(&faults[_i]);
}
END_TEST

START_TEST(each_twin_is_seen_and_only_where_it_is_taken)
{
    probe_twin(&twins[_i]);
}
END_TEST

START_TEST(no_fault_of_the_list_is_left_out)
{
    probe_all(faults, FAULTS, FAL_FAULT_SEAL_MISSING, FAL_FAULT_PATH_NEVER_CHANGED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of measuring");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, each_fault_is_seen_and_only_where_it_is_on, 0, FAULTS);
    tcase_add_loop_test(tc, each_twin_is_seen_and_only_where_it_is_taken, 0, TWINS);
    tcase_add_test(tc, no_fault_of_the_list_is_left_out);
    suite_add_tcase(suite, tc);
    return suite;
}
