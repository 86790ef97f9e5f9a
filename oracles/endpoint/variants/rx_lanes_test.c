/* SPDX-License-Identifier: Apache-2.0
 * lanes_test.c - receive pipelines with several lanes: no packet waits for longer than the
 * allowance, lanes keep their order and overtake each other, nothing is lost. */
#include "oracles/endpoint/variants/lanes.h"

#include "oracles/endpoint/rig/bench_sealed.h"
#include "tests/testing.h"

enum { PIPELINE = 20000, PACKETS = 60, GAP = 1000, SEEDS = 20, TICK_NS = 132 };

static struct solo *with(enum fal_twin_id id, uint64_t seed, uint64_t pipeline_ns)
{
    struct solo *s = solo_new();

    s->config.seed = seed;
    s->open.params.pipeline_ns = pipeline_ns;
    s->open.params.ordered = false;
    fal_twin_add(&s->open.twins, id);
    solo_open(s);
    return s;
}

struct seen {
    uint64_t arrived_ns[2][PACKETS]; /* of pulls, of pushes */
    uint64_t at_ns[2][PACKETS];
};

/* Pulls and pushes arrive by turns; when each is delivered. */
static struct seen deliveries(struct solo *s)
{
    struct seen seen = {0};

    for (uint32_t i = 0; i < PACKETS; i++) {
        seen.arrived_ns[0][i] = s->now_ns;
        solo_feed_pull(s, i, 2 * i, false);
        solo_wait(s, GAP / 2);
        seen.arrived_ns[1][i] = s->now_ns;
        {
            struct fal_falcon p =
                solo_packet(FAL_PUSH_DATA, PEER_DATA + i, PEER_RSN + 2 * i + 1);

            p.request_length = 4;
            solo_feed(s, &p, "push", 4);
        }
        solo_wait(s, GAP / 2);
    }
    solo_wait(s, PIPELINE);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2 * PACKETS);
    for (size_t i = 0; i < 2 * PACKETS; i++) {
        const struct solo_out *o = solo_nth(s, FAL_OUT_REQUEST, i);
        uint32_t n = o->out.rsn - PEER_RSN;

        ck_assert_uint_eq(seen.at_ns[n % 2][n / 2], 0); /* each once */
        seen.at_ns[n % 2][n / 2] = o->at_ns;
    }
    return seen;
}

/* How many packets of `a` overtake an older packet of `b`. */
static unsigned overtakings(const struct seen *seen, unsigned a, unsigned b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < PACKETS; i++)
        for (unsigned k = 0; k < PACKETS; k++)
            n += seen->arrived_ns[a][i] > seen->arrived_ns[b][k] &&
                 seen->at_ns[a][i] < seen->at_ns[b][k];
    return n;
}

START_TEST(no_packet_waits_longer_than_the_allowance)
{
    enum fal_twin_id ids[] = {FAL_TWIN_RX_LANES, FAL_TWIN_RX_LANES_HASHED};
    unsigned late = 0, at_once = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(ids[_i], seed, PIPELINE);
        struct seen seen = deliveries(s);

        for (unsigned w = 0; w < 2; w++)
            for (unsigned i = 0; i < PACKETS; i++) {
                uint64_t waited = seen.at_ns[w][i] - seen.arrived_ns[w][i];

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

START_TEST(requests_and_data_overtake_each_other_and_keep_their_own_order)
{
    unsigned pulls = 0, pushes = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RX_LANES, seed, PIPELINE);
        struct seen seen = deliveries(s);

        pulls += overtakings(&seen, 0, 1);
        pushes += overtakings(&seen, 1, 0);
        ck_assert_uint_eq(overtakings(&seen, 0, 0), 0);
        ck_assert_uint_eq(overtakings(&seen, 1, 1), 0);
        solo_free(s);
    }
    ck_assert_uint_gt(pulls, 100);
    ck_assert_uint_gt(pushes, 100);
}
END_TEST

START_TEST(packets_of_one_window_overtake_each_other_by_PSN)
{
    unsigned pulls = 0, pushes = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RX_LANES_HASHED, seed, PIPELINE);
        struct seen seen = deliveries(s);

        pulls += overtakings(&seen, 0, 0);
        pushes += overtakings(&seen, 1, 1);
        solo_free(s);
    }
    ck_assert_uint_gt(pulls, 100);
    ck_assert_uint_gt(pushes, 100);
}
END_TEST

START_TEST(an_ack_waits_in_a_lane_of_its_own)
{
    unsigned late = 0, at_once = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RX_LANES, seed, PIPELINE);

        solo_post(s, FAL_OP_PUSH, 4, 7);
        solo_wait(s, GAP);
        solo_feed_back(s, 0, 1);
        at_once += solo_count(s, FAL_OUT_COMPLETE) == 1;
        solo_wait(s, PIPELINE - 1);
        late += solo_count(s, FAL_OUT_COMPLETE) == 0;
        solo_wait(s, 1);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 1);
        solo_free(s);
    }
    ck_assert_uint_gt(late, 0);
    ck_assert_uint_gt(at_once, 0);
}
END_TEST

START_TEST(one_seed_gives_the_same_times_and_another_gives_others)
{
    struct solo *a = with(FAL_TWIN_RX_LANES, 1, PIPELINE),
                *b = with(FAL_TWIN_RX_LANES, 1, PIPELINE),
                *c = with(FAL_TWIN_RX_LANES, 2, PIPELINE);
    struct seen of_a = deliveries(a), of_b = deliveries(b), of_c = deliveries(c);

    ck_assert_int_eq(memcmp(&of_a, &of_b, sizeof of_a), 0);
    ck_assert_int_ne(memcmp(&of_a, &of_c, sizeof of_a), 0);
    solo_free(a);
    solo_free(b);
    solo_free(c);
}
END_TEST

START_TEST(without_an_allowance_no_packet_waits)
{
    struct solo *s = with(FAL_TWIN_RX_LANES, 1, 0);
    struct seen seen = deliveries(s);

    ck_assert_int_eq(memcmp(seen.at_ns, seen.arrived_ns, sizeof seen.at_ns), 0);
    solo_free(s);
}
END_TEST

/* What waits when the connection closes is dropped; the sanitizers see to its memory. */
START_TEST(a_barrier_processes_what_waits_and_closing_drops_it)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RX_LANES_HASHED, seed, PIPELINE);
        const struct fal_endpoint_in barrier = {.kind = FAL_IN_BARRIER};

        for (uint32_t i = 0; i < PACKETS; i++)
            solo_feed_pull(s, i, i, false);
        ck_assert_int_eq(fal_endpoint_input(s->ep, &barrier, s->now_ns, NULL), 0);
        solo_drain(s);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), PACKETS);
        for (uint32_t i = PACKETS; i < PACKETS + 9; i++)
            solo_feed_pull(s, i, i, false);
        fal_endpoint_close(s->ep, s->conn);
        solo_wait(s, 2 * PIPELINE);
        solo_free(s);
    }
}
END_TEST

/* FTP-7.7.1-09: t2 is when the packet arrived, not when an engine came to it. */
START_TEST(FTP_7_7_1_09_t2_is_the_time_of_arrival)
{
    unsigned waited = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = with(FAL_TWIN_RX_LANES, seed, PIPELINE);
        uint64_t arrived_ns = s->now_ns;
        const struct solo_out *ack;

        solo_feed_pull(s, 0, 0, true);
        solo_wait(s, PIPELINE);
        ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
        ack = solo_sent(s, FAL_BACK, 0);
        waited += ack->at_ns > arrived_ns + 2 * TICK_NS;
        ck_assert_uint_eq(ack->packet.t2, (uint32_t)(arrived_ns * 1000 >> 17));
        solo_free(s);
    }
    ck_assert_uint_gt(waited, 0);
}
END_TEST

/* FTP-9.2.2.2-02: packets that arrive in order are no replays, however long an engine holds one
 * of them. */
START_TEST(FTP_9_2_2_2_02_lanes_begin_behind_the_replay_check)
{
    enum { LONG = 300000 /* three times the replay margin */ };

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct solo *s = sealed_new();

        s->config.seed = seed;
        s->open.params.pipeline_ns = LONG;
        s->open.params.ordered = false;
        fal_twin_add(&s->open.twins, FAL_TWIN_RX_LANES_HASHED);
        solo_open(s);
        for (uint32_t i = 0; i < PACKETS; i++) {
            struct fal_falcon p = sealed_push(i);

            sealed_feed(s, &p, sealed_by_peer((int64_t)s->now_ns * 1000));
            solo_wait(s, 10 * GAP);
        }
        solo_wait(s, LONG);
        ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), PACKETS);
        solo_free(s);
    }
}
END_TEST

/* Receive lanes and transmit queues share the allowance. */
START_TEST(receive_lanes_and_transmit_queues_keep_within_one_allowance)
{
    for (uint64_t seed = 1; seed <= 10 * SEEDS; seed++) {
        struct solo *s = solo_new();

        s->config.seed = seed;
        s->open.params.pipeline_ns = PIPELINE;
        fal_twin_add(&s->open.twins, FAL_TWIN_RX_LANES);
        fal_twin_add(&s->open.twins, FAL_TWIN_QUEUES_SWAP);
        solo_open(s);
        solo_feed_pull(s, 0, 0, true);
        solo_wait(s, PIPELINE);
        ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
        solo_free(s);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("receive lanes");
    TCase *tc = tcase_create("lanes");

    tcase_add_loop_test(tc, no_packet_waits_longer_than_the_allowance, 0, 2);
    tcase_add_test(tc, requests_and_data_overtake_each_other_and_keep_their_own_order);
    tcase_add_test(tc, packets_of_one_window_overtake_each_other_by_PSN);
    tcase_add_test(tc, an_ack_waits_in_a_lane_of_its_own);
    tcase_add_test(tc, one_seed_gives_the_same_times_and_another_gives_others);
    tcase_add_test(tc, without_an_allowance_no_packet_waits);
    tcase_add_test(tc, a_barrier_processes_what_waits_and_closing_drops_it);
    tcase_add_test(tc, FTP_7_7_1_09_t2_is_the_time_of_arrival);
    tcase_add_test(tc, FTP_9_2_2_2_02_lanes_begin_behind_the_replay_check);
    tcase_add_test(tc, receive_lanes_and_transmit_queues_keep_within_one_allowance);
    suite_add_tcase(suite, tc);
    return suite;
}
