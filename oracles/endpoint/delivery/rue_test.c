/* SPDX-License-Identifier: Apache-2.0
 * rue_test.c - events for the RUE and what its results change: 10.6, 9.2.4, 10.3.5. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/rue.h"
#include "oracles/endpoint/rig/bench_sealed.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

enum { EVENTS_MAX = 512 };

/* A RUE that keeps what it is told, and answers as the test wants. */
struct mock {
    struct fal_cc_event events[EVENTS_MAX];
    size_t n;
    uint32_t now_ticks;
    unsigned calls; /* counted in the state of the connection */
    void (*answer)(struct fal_cc_result *result);
};

static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct mock *mock = ctx;

    ck_assert_uint_lt(mock->n, EVENTS_MAX);
    mock->now_ticks = now_ticks;
    mock->calls = ++state->plb_acked;
    mock->events[mock->n++] = *event;
    if (mock->answer != NULL)
        mock->answer(result);
}

static struct mock mock;

static struct solo *with_rue(void (*answer)(struct fal_cc_result *result))
{
    struct solo *s = sealed_new();

    mock = (struct mock){.answer = answer};
    s->config.rue.policy = (struct fal_rue_policy){.process = process, .ctx = &mock};
    return s;
}

static struct solo *opened(void (*answer)(struct fal_cc_result *result))
{
    struct solo *s = with_rue(answer);

    solo_open(s);
    return s;
}

static const struct fal_cc_event *the_event(void)
{
    ck_assert_uint_eq(mock.n, 1);
    mock.n = 0;
    return &mock.events[0];
}

/* ---- events ---- */

START_TEST(FTP_10_6_2_1_01_to_13_an_ACK_gives_an_event_with_all_it_says)
{
    struct solo *s = opened(NULL);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    const struct fal_cc_event *e;

    solo_post_many(s, FAL_OP_PUSH, 5);
    ack.recv_data_base_psn += 3;
    ack.t1 = 0x12345678;
    ack.t2 = 0x9abcdef0;
    ack.hop_count = 11;
    ack.rx_buffer_occupancy = 19;
    ack.ecn_rx_count = 0x3abc;
    ack.rue_info = 0x2abcde;
    sealed_feed_now(s, &ack);
    e = the_event();
    ck_assert_uint_eq(e->connection_id, SOLO_CID);
    ck_assert_uint_eq(e->event_type, FAL_CC_ACK);
    ck_assert_uint_eq(e->t1, 0x345678);
    ck_assert_uint_eq(e->t2, 0xbcdef0);
    ck_assert_uint_eq(e->t3, (SEALED_TIME + s->now_ns * 1000) >> 17 & 0xffffff);
    ck_assert_uint_eq(e->t4, s->now_ns * 1000 >> 17);
    ck_assert_uint_eq(e->nack_code, 0);
    ck_assert_uint_eq(e->forward_hops, 11);
    ck_assert_uint_eq(e->rx_buffer_level, 19);
    ck_assert_uint_eq(e->cc_metadata, 0xaaf378); /* 22 bits and OWN: AMB-07 */
    ck_assert_uint_eq(e->num_packets_acked, 3);
    ck_assert_uint_eq(e->ecn_accumulated, 0x3abc);
    ck_assert_uint_eq(e->eack + e->eack_drop, 0);
    ck_assert_uint_eq(e->gen, 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_14_to_18_24_an_event_tells_what_is_in_force)
{
    struct solo *s = with_rue(NULL);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    const struct fal_cc_event *e;

    s->config.rue.delay = FAL_CC_DELAY_FORWARD;
    s->open.params.fcwnd = 37;
    s->open.params.ncwnd = 5000; /* more than its field can say */
    solo_open(s);
    sealed_feed_now(s, &ack);
    e = the_event();
    ck_assert_uint_eq(e->fcwnd_integer, 37);
    ck_assert_uint_eq(e->fcwnd_fraction, 0);
    ck_assert_uint_eq(e->ncwnd, 2047);
    ck_assert_uint_eq(e->inter_packet_gap, 0);
    ck_assert_uint_eq(e->retransmit_timeout, 7630); /* 1 ms */
    ck_assert_uint_eq(e->delay_select, 2);
    /* The result said the same: nothing has changed, not even what does not fit. */
    ck_assert_uint_eq(fal_ep_conn_find(s->ep, s->conn)->params.ncwnd, 5000);
    ck_assert_uint_eq(fal_ep_conn_find(s->ep, s->conn)->params.rto_ns, RTO);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_03_10_FTP_9_2_4_07_a_NACK_gives_an_event_with_its_code)
{
    struct solo *s = opened(NULL);

    solo_post_many(s, FAL_OP_PUSH, 2);
    for (unsigned code = 0; code < 256; code++) {
        struct fal_falcon nack = solo_nack(SOLO_DATA, (enum fal_nack_code)code);
        bool known = code == FAL_NACK_RESOURCE || code == FAL_NACK_RNR;

        if (code > 2 && code <= 8)
            continue; /* they end the transaction: elsewhere */
        nack.rue_info = 0xabcdef;
        sealed_feed_now(s, &nack);
        ck_assert_uint_eq(mock.n, known);
        if (known) {
            ck_assert_uint_eq(mock.events[0].event_type, FAL_CC_NACK);
            ck_assert_uint_eq(mock.events[0].nack_code, code);
            ck_assert_uint_eq(mock.events[0].cc_metadata, 0xabcdef);
        }
        mock.n = 0;
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_20_21_an_EACK_and_the_losses_it_shows)
{
    static const struct {
        uint64_t req, rx;
        bool drop;
    } rows[] = {{0, 0, false},   {0, 0x8, false}, {0, 0x10, true},   {0x10, 0, true},
                {0xf, 0, false}, {0, 0x1e, true}, {0, 0xfffe, true}, {0, 0xfff7, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = opened(NULL);
        struct fal_falcon ack = solo_packet(FAL_EACK, 0, 0);
        const struct fal_cc_event *e;

        ack.req_bitmap = rows[i].req; /* of packets never sent: nothing else happens */
        ack.data_rx_bitmap = rows[i].rx;
        ack.own = FAL_OWN_DATA;
        ack.rue_info = 1;
        sealed_feed_now(s, &ack);
        e = the_event();
        ck_assert_uint_eq(e->eack, 1);
        ck_assert_uint_eq(e->eack_drop, rows[i].drop);
        ck_assert_uint_eq(e->cc_metadata, 1 << 2 | FAL_OWN_DATA);
        solo_free(s);
    }
}
END_TEST

START_TEST(a_discarded_ACK_gives_no_event)
{
    struct solo *s = opened(NULL);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    ack.recv_data_base_psn--;
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(mock.n, 0);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_08_09_retransmissions_give_events_with_their_reason)
{
    struct solo *s = opened(NULL);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    for (unsigned i = 1; i < 4; i++) {
        solo_wait(s, RTO);
        ck_assert_uint_eq(mock.n, i);
        ck_assert_uint_eq(mock.events[i - 1].event_type, FAL_CC_RETRANSMIT);
        ck_assert_uint_eq(mock.events[i - 1].retransmit_reason, FAL_CC_RTO);
        ck_assert_uint_eq(mock.events[i - 1].retransmit_count, i);
    }
    mock.n = 0;
    sealed_feed_now(s, &ack); /* acknowledges nothing */
    (void)the_event();
    solo_post_many(s, FAL_OP_PUSH, 9);
    s->now_ns += 100000; /* an RTT later, and before the RTO */
    ack = solo_packet(FAL_EACK, 0, 0);
    ack.data_rx_bitmap = 0x80; /* the first four are lost */
    sealed_feed_now(s, &ack);
    /* Two events: the first one is about the EACK, and the other about all packets that it
     * shows as lost. The first packet has been retransmitted three times before. */
    ck_assert_uint_eq(mock.n, 2);
    ck_assert_uint_eq(mock.events[0].event_type, FAL_CC_ACK);
    ck_assert_uint_eq(mock.events[1].event_type, FAL_CC_RETRANSMIT);
    ck_assert_uint_eq(mock.events[1].retransmit_reason, FAL_CC_EARLY);
    ck_assert_uint_eq(mock.events[1].retransmit_count, 4);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_19_packets_acknowledged_since_the_event_before)
{
    struct solo *s = with_rue(NULL);
    struct fal_falcon ack, pull;

    s->open.params.fcwnd = s->open.params.ncwnd = s->open.params.tx_window_data = 2000;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 20);
    pull = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);
    pull.recv_data_base_psn += 7; /* a piggyback gives no event: it counts in the next */
    sealed_feed_now(s, &pull);
    ck_assert_uint_eq(mock.n, 0);
    ack = solo_packet(FAL_EACK, 0, 0);
    ack.recv_data_base_psn += 9;
    ack.data_ack_bitmap = 0x16;
    ack.data_rx_bitmap = 0x16;
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(mock.events[mock.n - 1].num_packets_acked, 12);
    mock.n = 0;
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(mock.events[mock.n - 1].num_packets_acked, 0);
    mock.n = 0;
    for (unsigned i = 0; i < 1500; i++)
        solo_post(s, FAL_OP_PUSH, 4, 1), solo_forget(s);
    ack = solo_packet(FAL_BACK, 0, 0);
    ack.recv_data_base_psn += 1520;
    solo_forget(s);
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(the_event()->num_packets_acked, 1023);
    solo_free(s);
}
END_TEST

/* ---- results ---- */

static void windows_of_2_and_1(struct fal_cc_result *result)
{
    result->fcwnd_integer = 2;
    result->ncwnd = 1;
}

START_TEST(FTP_10_6_2_2_06_08_18_windows_of_a_result_gate_from_then_on)
{
    struct solo *s = opened(windows_of_2_and_1);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    sealed_feed_now(s, &ack);
    solo_post_many(s, FAL_OP_PUSH, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1); /* ncwnd */
    solo_post_many(s, FAL_OP_PULL, 4);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST),
                      0); /* behind the pushes, in RSN order */
    ack.recv_data_base_psn += 1;
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_free(s);
}
END_TEST

static void rto_of_200_us(struct fal_cc_result *result)
{
    result->retransmit_timeout = 1526; /* 200.015 us */
}

START_TEST(FTP_10_6_2_2_09_18_a_new_RTO_holds_for_what_is_under_way_too)
{
    struct solo *s = opened(rto_of_200_us);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    uint64_t first, second;

    first = s->now_ns;
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 30000);
    second = s->now_ns;
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 20000);
    sealed_feed_now(s, &ack);
    solo_forget(s);
    solo_to(s, first + 200014);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 0);
    solo_to(s, first + 200015);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_to(s, second + 200015);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 1)->packet.psn, SOLO_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_2_09_a_new_RTO_leaves_RNR_delays_and_fires_what_is_overdue)
{
    struct solo *s = opened(rto_of_200_us);
    struct fal_falcon nack = solo_nack(SOLO_DATA + 1, FAL_NACK_RNR);
    uint64_t nacked;

    mock.answer = NULL;
    solo_post_many(s, FAL_OP_PUSH, 2);
    nack.rnr_timeout = 18; /* 5.12 ms */
    sealed_feed_now(s, &nack);
    nacked = s->now_ns;
    solo_wait(s, 500000);
    solo_forget(s);
    mock.answer = rto_of_200_us;
    nack = solo_packet(FAL_BACK, 0, 0);
    sealed_feed_now(s, &nack);
    solo_to(s, s->now_ns);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1); /* 500 us old: at once */
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.psn, SOLO_DATA);
    solo_feed_back(s, 0, 0); /* unsealed: dropped */
    nack.recv_data_base_psn += 1;
    mock.answer = NULL;
    sealed_feed_now(s, &nack);
    solo_forget(s);
    solo_to(s, nacked + fal_rnr_timeout_ns(18) - 1);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 0);
    solo_to(s, nacked + fal_rnr_timeout_ns(18));
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_free(s);
}
END_TEST

static void pace(struct fal_cc_result *result)
{
    result->fcwnd_integer = 0;
    result->fcwnd_fraction = 512;
    result->inter_packet_gap = 763; /* 100.007 us */
}

START_TEST(FTP_10_6_2_2_07_FTP_10_6_2_1_15_16_below_a_window_of_one_packets_are_paced)
{
    struct solo *s = opened(pace);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    uint64_t first;

    sealed_feed_now(s, &ack);
    solo_forget(s);
    first = s->now_ns;
    solo_post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    ack.recv_data_base_psn += 1;
    sealed_feed_now(s, &ack); /* the window is open, the gap is not over */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_to(s, first + 100006);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_to(s, first + 100007);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_to(s, first + 300000); /* and one outstanding packet at most */
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    ack.recv_data_base_psn += 1;
    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_free(s);
}
END_TEST

static void pace_in_vain(struct fal_cc_result *result)
{
    result->inter_packet_gap = 763;
}

START_TEST(FTP_10_6_2_1_15_from_a_window_of_one_on_nothing_is_paced)
{
    struct solo *s = opened(pace_in_vain);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    sealed_feed_now(s, &ack);
    solo_post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_free(s);
}
END_TEST

static bool draws;

static void new_path(struct fal_cc_result *result)
{
    result->randomize_path = draws;
}

START_TEST(FTP_10_6_2_2_03_18_the_path_is_drawn_anew_when_a_result_says_so)
{
    struct solo *s = opened(new_path);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    uint32_t path, changes = 0;

    solo_post(s, FAL_OP_PUSH, 4, 1);
    path = solo_sent(s, FAL_PUSH_DATA, 0)->out.path;
    for (unsigned i = 0; i < 40; i++) {
        draws = i % 4 == 3;
        sealed_feed_now(s, &ack);
        solo_forget(s);
        solo_post(s, FAL_OP_PUSH, 4, 1);
        ck_assert(draws || solo_sent(s, FAL_PUSH_DATA, 0)->out.path == path);
        changes += solo_sent(s, FAL_PUSH_DATA, 0)->out.path != path;
        path = solo_sent(s, FAL_PUSH_DATA, 0)->out.path;
    }
    ck_assert_uint_eq(changes, 10);
    solo_free(s);
}
END_TEST

static void state(struct fal_cc_result *result)
{
    result->cc_metadata = 0xabcdef;
    result->fcwnd_fraction = 1023;
    result->fabric_window_time_marker = 0x111111;
    result->nic_window_time_marker = 0x222222;
    result->ncwnd_direction = 1;
    result->base_delay_target = 0x333333;
    result->delay_state = 0x444444;
    result->rtt_state = 0x555555;
    result->cc_opaque = 2;
}

START_TEST(FTP_10_6_2_2_05_10_to_16_what_the_RUE_keeps_comes_back_with_the_next_event)
{
    struct solo *s = opened(state);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    const struct fal_cc_event *e;

    sealed_feed_now(s, &ack);
    ck_assert_uint_eq(the_event()->rtt_state, FAL_CC_START_DELAY);
    sealed_feed_now(s, &ack);
    e = the_event();
    ck_assert_uint_eq(e->fcwnd_fraction, 1023);
    ck_assert_uint_eq(e->fabric_window_time_marker, 0x111111);
    ck_assert_uint_eq(e->nic_window_time_marker, 0x222222);
    ck_assert_uint_eq(e->ncwnd_direction, 1);
    ck_assert_uint_eq(e->base_delay_target, 0x333333);
    ck_assert_uint_eq(e->delay_state, 0x444444);
    ck_assert_uint_eq(e->rtt_state, 0x555555);
    ck_assert_uint_eq(e->cc_opaque, 2);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_5_6_01_FTP_10_6_2_1_25_to_30_the_first_event_has_the_initial_values)
{
    for (unsigned target = 0; target <= 300; target += 300) {
        struct solo *s = with_rue(NULL);
        struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
        const struct fal_cc_event *e;

        s->config.rue.base_delay_target = target;
        fal_cc_start(&s->open.params);
        solo_open(s);
        sealed_feed_now(s, &ack);
        e = the_event();
        ck_assert_uint_eq(e->fcwnd_integer, 32);
        ck_assert_uint_eq(e->fcwnd_fraction, 0);
        ck_assert_uint_eq(e->ncwnd, 64);
        ck_assert_uint_eq(e->inter_packet_gap, 0);
        ck_assert_uint_eq(e->retransmit_timeout, FAL_CC_START_RTO);
        ck_assert_uint_eq(e->fabric_window_time_marker, 0);
        ck_assert_uint_eq(e->nic_window_time_marker, 0);
        ck_assert_uint_eq(e->ncwnd_direction, FAL_CC_DECREASE);
        ck_assert_uint_eq(e->base_delay_target, target == 0 ? 191 : target);
        ck_assert_uint_eq(e->delay_state, 190);
        ck_assert_uint_eq(e->rtt_state, 190);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_10_5_6_01_a_policy_gets_the_time_and_the_state_of_the_connection)
{
    for (unsigned again = 0; again < 2; again++) { /* a connection begins with an empty state */
        struct solo *s = opened(NULL);
        struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

        solo_post(s, FAL_OP_PUSH, 4, 1);
        for (unsigned i = 1; i <= 3; i++) {
            solo_wait(s, 1000);
            sealed_feed_now(s, &ack);
            ck_assert_uint_eq(mock.now_ticks, the_event()->t4);
            ck_assert_uint_eq(mock.calls, i);
        }
        solo_wait(s, RTO); /* an event without times of its own */
        ck_assert_uint_eq(the_event()->event_type, FAL_CC_RETRANSMIT);
        ck_assert_uint_le(mock.now_ticks, s->now_ns * 1000 >> 17);
        ck_assert_uint_ge(mock.now_ticks, RTO * 1000 >> 17);
        ck_assert_uint_eq(mock.calls, 4);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_10_6_2_2_04_metadata_leaves_with_ACKs_and_NACKs)
{
    struct solo *s = opened(state);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0), push = sealed_push(0);

    sealed_feed_now(s, &ack);
    sealed_feed_now(s, &push);
    solo_wait(s, 10000);
    ck_assert_uint_eq(solo_sent(s, FAL_BACK, 0)->packet.rue_info, 0x2bcdef);
    solo_rnr(s, 0, 50000);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.rue_info, 0xabcdef);
    solo_free(s);
}
END_TEST

/* ---- no RUE ---- */

START_TEST(fixed_windows_say_nothing_and_change_nothing)
{
    struct solo *s = sealed();
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_post_many(s, FAL_OP_PUSH, 2);
    sealed_feed_now(s, &ack);
    solo_wait(s, 3 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_RUE), 0);
    ck_assert_uint_eq(fal_ep_conn_find(s->ep, s->conn)->params.fcwnd, 64);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("RUE");
    TCase *tc = tcase_create("rue");

    tcase_add_test(tc, FTP_10_6_2_1_01_to_13_an_ACK_gives_an_event_with_all_it_says);
    tcase_add_test(tc, FTP_10_6_2_1_14_to_18_24_an_event_tells_what_is_in_force);
    tcase_add_test(tc, FTP_10_6_2_1_03_10_FTP_9_2_4_07_a_NACK_gives_an_event_with_its_code);
    tcase_add_test(tc, FTP_10_6_2_1_20_21_an_EACK_and_the_losses_it_shows);
    tcase_add_test(tc, a_discarded_ACK_gives_no_event);
    tcase_add_test(tc, FTP_10_6_2_1_08_09_retransmissions_give_events_with_their_reason);
    tcase_add_test(tc, FTP_10_6_2_1_19_packets_acknowledged_since_the_event_before);
    tcase_add_test(tc, FTP_10_6_2_2_06_08_18_windows_of_a_result_gate_from_then_on);
    tcase_add_test(tc, FTP_10_6_2_2_09_18_a_new_RTO_holds_for_what_is_under_way_too);
    tcase_add_test(tc, FTP_10_6_2_2_09_a_new_RTO_leaves_RNR_delays_and_fires_what_is_overdue);
    tcase_add_test(tc,
                   FTP_10_6_2_2_07_FTP_10_6_2_1_15_16_below_a_window_of_one_packets_are_paced);
    tcase_add_test(tc, FTP_10_6_2_1_15_from_a_window_of_one_on_nothing_is_paced);
    tcase_add_test(tc, FTP_10_6_2_2_03_18_the_path_is_drawn_anew_when_a_result_says_so);
    tcase_add_test(tc,
                   FTP_10_6_2_2_05_10_to_16_what_the_RUE_keeps_comes_back_with_the_next_event);
    tcase_add_test(tc,
                   FTP_10_5_6_01_FTP_10_6_2_1_25_to_30_the_first_event_has_the_initial_values);
    tcase_add_test(tc, FTP_10_5_6_01_a_policy_gets_the_time_and_the_state_of_the_connection);
    tcase_add_test(tc, FTP_10_6_2_2_04_metadata_leaves_with_ACKs_and_NACKs);
    tcase_add_test(tc, fixed_windows_say_nothing_and_change_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
