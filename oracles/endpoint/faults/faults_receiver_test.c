/* SPDX-License-Identifier: Apache-2.0
 * faults_receiver_test.c - what faulty receivers do: their windows, ACKs and NACKs. Each test
 * sees the fault act, and a sound receiver not. */
#include "oracles/endpoint/rig/bench_scene.h"
#include "tests/testing.h"

/* The EACK after everything has settled. */
static const struct fal_falcon *eack(struct solo *s)
{
    solo_wait(s, 8000);
    return &solo_sent(s, FAL_EACK, 0)->packet;
}

static void refuse(struct solo *s, uint32_t rsn, enum fal_answer answer)
{
    struct fal_endpoint_in in = {.code = 9, .rnr_ns = 1280000};

    ck_assert_int_eq(solo_answer(s, in, rsn, answer), 0);
}

static const struct fal_falcon *nack(struct solo *s, enum fal_answer answer)
{
    solo_feed_push(s, 0, false);
    refuse(s, 0, answer);
    return &solo_sent(s, FAL_NACK, 0)->packet;
}

/* A push beyond the window; checks whether the next ACK reports it. */
static uint64_t own_told(struct solo *s)
{
    solo_wait(s, 8000);
    return solo_packets(s, FAL_EACK) > 0 ? solo_sent(s, FAL_EACK, 0)->packet.own : 0;
}

/* ---- scenes: the window ---- */

static uint64_t last_of_window(struct solo *s)
{
    solo_feed_pull(s, 63, 63, false);
    solo_feed_push(s, 127, false);
    return own_told(s);
}

static uint64_t behind_request_window(struct solo *s)
{
    solo_feed_pull(s, 64, 64, false);
    return own_told(s);
}

static uint64_t request_32(struct solo *s)
{
    solo_feed_pull(s, 31, 31, false);
    solo_feed_pull(s, 32, 32, false);
    return own_told(s);
}

static uint64_t data_64(struct solo *s)
{
    solo_feed_push(s, 63, false);
    solo_feed_push(s, 64, false);
    return own_told(s);
}

/* The base moves past 64 requests at once. */
static uint64_t base_past_requests(struct solo *s)
{
    for (uint32_t n = 1; n < 64; n++)
        solo_feed_pull(s, n, n, false);
    solo_feed_pull(s, 0, 0, false);
    return solo_state(s).rx_rbpsn - PEER_REQ;
}

/* The base moves past 128 at once. */
static uint64_t base_past_pushes(struct solo *s)
{
    fal_endpoint_close(s->ep, s->conn);
    s->open.params.ordered = false;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    for (uint32_t n = 128; n-- > 0;) {
        solo_feed_push(s, n, false);
        solo_ack(s, n);
    }
    return solo_state(s).rx_dbpsn - PEER_DATA;
}

static uint64_t edge_behind_held(struct solo *s)
{
    solo_feed_push(s, 0, false);
    solo_feed_push(s, 127, false);
    return own_told(s);
}

static uint64_t farthest(struct solo *s)
{
    solo_feed_push(s, INT32_MAX, false);
    return own_told(s);
}

static uint64_t old_request(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 0, 0, false);
    return own_told(s);
}

static uint64_t own_after_nack(struct solo *s)
{
    solo_feed_push(s, 128, false);
    (void)nack(s, FAL_ANSWER_RNR);
    return own_told(s);
}

static uint64_t own_after_data(struct solo *s)
{
    solo_feed_push(s, 128, false);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    return own_told(s);
}

static uint64_t acks_of_a_duplicate(struct solo *s)
{
    solo_feed_pull(s, 0, 0, true);
    solo_forget(s);
    solo_feed_pull(s, 0, 0, true);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_BACK);
}

/* ---- scenes: piggybacks ---- */

static uint64_t completions_by_piggyback(struct solo *s)
{
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    p.recv_data_base_psn++;
    solo_feed(s, &p, NULL, 0);
    return solo_count(s, FAL_OUT_COMPLETE);
}

static uint64_t completions_by_duplicate(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    return completions_by_piggyback(s);
}

static uint64_t base_of_data(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    return solo_sent(s, FAL_PUSH_DATA, 0)->packet.recv_req_base_psn - PEER_REQ;
}

static uint64_t ack_after_piggyback(struct solo *s)
{
    solo_feed_pull(s, 1, 1, false);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_EACK);
}

/* ---- scenes: resyncs ---- */

static uint64_t base_after_resync(struct solo *s)
{
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    return solo_state(s).rx_dbpsn - PEER_DATA;
}

static uint64_t base_after_resync_of_received(struct solo *s)
{
    solo_feed_push(s, 0, false);
    return base_after_resync(s);
}

static uint64_t acks_of_resync(struct solo *s)
{
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, true);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_BACK);
}

static uint64_t deliveries_of_resync(struct solo *s)
{
    solo_feed_resync(s, FAL_PUSH_DATA, PEER_DATA, 0, false);
    return solo_count(s, FAL_OUT_REQUEST);
}

static uint64_t deliveries_behind_resync(struct solo *s)
{
    solo_feed_push(s, 1, false);
    return deliveries_of_resync(s);
}

/* ---- scenes: resources ---- */

static uint64_t base_after_drop(struct solo *s)
{
    solo_feed_pull(s, 0, FAL_ENDPOINT_OPEN_MAX, false);
    return solo_state(s).rx_rbpsn - PEER_REQ;
}

static uint64_t nacks_of_drop(struct solo *s)
{
    solo_feed_pull(s, 0, FAL_ENDPOINT_OPEN_MAX, false);
    return solo_packets(s, FAL_NACK);
}

/* ---- scenes: EACKs ---- */

static void acked_push(struct solo *s, uint32_t n)
{
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + n, SOLO_RSN + 50);

    solo_feed(s, &p, "data", 4); /* acknowledged by being received */
}

static uint64_t ack_bits(struct solo *s)
{
    acked_push(s, 2);
    return fal_u128_lo(eack(s)->data_ack_bitmap);
}

static uint64_t req_bits(struct solo *s)
{
    solo_feed_pull(s, 3, 3, false);
    return eack(s)->req_bitmap;
}

static uint64_t rx_bits(struct solo *s)
{
    solo_feed_push(s, 1, false);
    acked_push(s, 2);
    return fal_u128_lo(eack(s)->data_rx_bitmap);
}

static uint64_t rx_high_bits(struct solo *s)
{
    solo_feed_push(s, 1, false);
    return fal_u128_hi(eack(s)->data_rx_bitmap);
}

static uint64_t ack_bits_of_received(struct solo *s)
{
    solo_feed_push(s, 0, false);
    solo_feed_push(s, 2, false);
    return fal_u128_lo(eack(s)->data_ack_bitmap);
}

static uint64_t rx_bits_after_base(struct solo *s)
{
    acked_push(s, 0);
    solo_feed_push(s, 2, false);
    return fal_u128_lo(eack(s)->data_rx_bitmap);
}

static uint64_t eacks_on_own(struct solo *s)
{
    solo_feed_pull(s, 64, 64, false);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_EACK);
}

static uint64_t eacks_on_requests(struct solo *s)
{
    solo_feed_pull(s, 1, 1, false);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_EACK);
}

static uint64_t eacks_on_acks(struct solo *s)
{
    solo_feed_push(s, 0, false); /* waits: no hole */
    acked_push(s, 1);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_EACK);
}

static uint64_t own_of_back(struct solo *s)
{
    solo_feed_pull(s, 0, 0, true);
    return solo_sent(s, FAL_BACK, 0)->packet.own;
}

/* ---- scenes: time ---- */

static uint64_t t2_moves(struct solo *s)
{
    solo_feed_pull(s, 0, 0, true);
    solo_wait(s, 1000000);
    solo_feed_pull(s, 1, 1, true);
    return solo_sent(s, FAL_BACK, 1)->packet.t2 != solo_sent(s, FAL_BACK, 0)->packet.t2;
}

static uint64_t ack_of_push_with_ar(struct solo *s)
{
    solo_feed_push(s, 0, true);
    solo_forget(s); /* acknowledged on receipt */
    solo_ack(s, 0);
    return solo_packets(s, FAL_BACK);
}

static uint64_t ack_while_packets_come(struct solo *s)
{
    for (uint32_t n = 0; n < 4; n++) {
        solo_feed_pull(s, n, n, false);
        solo_wait(s, 4000);
    }
    return solo_packets(s, FAL_BACK);
}

static uint64_t ack_at_timeout(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, 15999);
    return solo_packets(s, FAL_BACK);
}

static uint64_t acks_of_ulp(struct solo *s)
{
    solo_feed_push(s, 0, false);
    solo_wait(s, 8000);
    solo_ack(s, 0);
    solo_wait(s, 8000);
    return solo_packets(s, FAL_BACK);
}

/* ---- scenes: NACKs ---- */

static uint64_t request_base_of_nack(struct solo *s)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN + 2);

    solo_feed_pull(s, 0, 0, true);
    solo_feed_pull(s, 1, 1, false);
    p.request_length = 4;
    solo_feed(s, &p, "push", 4);
    refuse(s, 2, FAL_ANSWER_RNR);
    return solo_sent(s, FAL_NACK, 0)->packet.recv_req_base_psn - PEER_REQ;
}

static uint64_t psn_of_nack(struct solo *s)
{
    return nack(s, FAL_ANSWER_CIE)->nack_psn - PEER_DATA;
}

static uint64_t window_of_nack(struct solo *s)
{
    return nack(s, FAL_ANSWER_CIE)->window;
}

static uint64_t ulp_code_of_nack(struct solo *s)
{
    return nack(s, FAL_ANSWER_NRE)->ulp_nack_code;
}

static uint64_t timeout_of_nack(struct solo *s)
{
    return fal_rnr_timeout_ns(nack(s, FAL_ANSWER_RNR)->rnr_timeout);
}

static uint64_t nacks(struct solo *s)
{
    solo_feed_push(s, 0, false);
    refuse(s, 0, FAL_ANSWER_RNR);
    return solo_packets(s, FAL_NACK);
}

static uint64_t data_base_of_nack(struct solo *s)
{
    return nack(s, FAL_ANSWER_RNR)->recv_data_base_psn - PEER_DATA;
}

static uint64_t deliveries_after_a_done_rsn(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    ck_assert_int_eq(
        solo_answer(s,
                    (struct fal_endpoint_in){.payload = (const uint8_t *)"data", .length = 4},
                    0, FAL_ANSWER_DATA),
        0);
    solo_feed_back(s, 0, 1);
    solo_feed_pull(s, 1, 0, false);
    solo_forget(s);
    solo_feed_pull(s, 2, 1, false);
    return solo_count(s, FAL_OUT_REQUEST);
}

static uint64_t fatal_errors_of_resync(struct solo *s)
{
    solo_feed_resync(s, FAL_PULL_DATA, PEER_DATA, 9000, false);
    return solo_count(s, FAL_OUT_CM);
}

static uint64_t held_after_resync_of_data(struct solo *s)
{
    solo_feed_pull(s, 1, 1, false);
    solo_feed_resync(s, FAL_PULL_DATA, PEER_DATA, 1, false);
    return solo_state(s).open_received;
}

static uint64_t ack_of_ar_with_own(struct solo *s)
{
    solo_feed_push(s, 128, false);
    solo_feed_pull(s, 0, 0, true);
    return solo_packets(s, FAL_EACK);
}

/* Two pulls without IVs, 1 ms apart: how far apart their ACKs say that they came. */
static uint64_t distance_of_t2(struct solo *s)
{
    solo_feed_pull(s, 0, 0, true);
    solo_wait(s, 1000000);
    solo_feed_pull(s, 1, 1, true);
    return (solo_sent(s, FAL_BACK, 1)->packet.t2 - solo_sent(s, FAL_BACK, 0)->packet.t2) / 100;
}

static const struct scene scenes[] = {
    {SCENE(FAL_FAULT_T2_KEPT, distance_of_t2, 0, 76)},
    {SCENE(FAL_FAULT_OWN_CLEARED_BY_RNR, own_after_nack, 0, FAL_OWN_DATA)},
    {SCENE(FAL_FAULT_AR_IGNORED_WITH_OWN, ack_of_ar_with_own, 0, 1)},
    {SCENE(FAL_FAULT_NACK_ACKNOWLEDGES, data_base_of_nack, 1, 0)},
    {SCENE(FAL_FAULT_DONE_RSN_BLOCKS, deliveries_after_a_done_rsn, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_OF_NOTHING_FATAL, fatal_errors_of_resync, 1, 0)},
    {SCENE(FAL_FAULT_RESYNC_OF_DATA_ENDS_BOTH, held_after_resync_of_data, 0, 1)},
    {SCENE(FAL_FAULT_WINDOW_EDGE_REFUSED, last_of_window, FAL_OWN_REQ | FAL_OWN_DATA, 0)},
    {SCENE(FAL_FAULT_REQUEST_WINDOW_WIDE, behind_request_window, 0, FAL_OWN_REQ)},
    {SCENE(FAL_FAULT_REQUEST_WINDOW_SHORT, request_32, FAL_OWN_REQ, 0)},
    {SCENE(FAL_FAULT_DATA_WINDOW_SHORT, data_64, FAL_OWN_DATA, 0)},
    {SCENE(FAL_FAULT_BASE_MOVES_TOO_FAR, base_past_requests, 65, 64)},
    {SCENE(FAL_FAULT_BASE_MOVES_BY_64, base_past_pushes, 64, 128)},
    {SCENE(FAL_FAULT_EDGE_REFUSED_WHILE_HELD, edge_behind_held, FAL_OWN_DATA, 0)},
    {SCENE(FAL_FAULT_FARTHEST_PSN_OLD, farthest, 0, FAL_OWN_DATA)},
    {SCENE(FAL_FAULT_OWN_ON_OLD, old_request, FAL_OWN_REQ, 0)},
    {SCENE(FAL_FAULT_OWN_CLEARED_BY_NACK, own_after_nack, 0, FAL_OWN_DATA)},
    {SCENE(FAL_FAULT_OWN_CLEARED_BY_PIGGYBACK, own_after_data, 0, FAL_OWN_DATA)},
    {SCENE(FAL_FAULT_DISCARD_SILENT, acks_of_a_duplicate, 0, 1)},
    {SCENE(FAL_FAULT_PIGGYBACK_IGNORED, completions_by_piggyback, 0, 1)},
    {SCENE(FAL_FAULT_PIGGYBACK_OF_DUPLICATE_IGNORED, completions_by_duplicate, 0, 1)},
    {SCENE(FAL_FAULT_PIGGYBACK_STALE, base_of_data, 0, 1)},
    {SCENE(FAL_FAULT_PIGGYBACK_ENDS_TIMER, ack_after_piggyback, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_IGNORED, base_after_resync, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_OF_RECEIVED_DROPPED, base_after_resync_of_received, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_UNACKNOWLEDGED, acks_of_resync, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_DELIVERED, deliveries_of_resync, 1, 0)},
    {SCENE(FAL_FAULT_RESYNC_BLOCKS_RSN, deliveries_behind_resync, 0, 1)},
    {SCENE(FAL_FAULT_RESOURCE_DROP_RECEIVED, base_after_drop, 1, 0)},
    {SCENE(FAL_FAULT_RESOURCE_DROP_SILENT, nacks_of_drop, 0, 1)},
    {SCENE(FAL_FAULT_ACK_BITMAP_SHIFTED, ack_bits, 8, 4)},
    {SCENE(FAL_FAULT_REQ_BITMAP_SHIFTED, req_bits, 16, 8)},
    {SCENE(FAL_FAULT_REQ_BITMAP_EMPTY, req_bits, 0, 8)},
    {SCENE(FAL_FAULT_RX_BITMAP_MIRRORED, rx_high_bits, UINT64_C(1) << 62, 0)},
    {SCENE(FAL_FAULT_RX_BITMAP_UNSHIFTED, rx_bits_after_base, 4, 2)},
    {SCENE(FAL_FAULT_RX_BITMAP_IS_ACK, rx_bits, 4, 6)},
    {SCENE(FAL_FAULT_ACK_BITMAP_IS_RX, ack_bits_of_received, 4, 0)},
    {SCENE(FAL_FAULT_EACK_OMITTED_ON_OWN, eacks_on_own, 0, 1)},
    {SCENE(FAL_FAULT_EACK_OMITTED_ON_REQUESTS, eacks_on_requests, 0, 1)},
    {SCENE(FAL_FAULT_EACK_OMITTED_ON_ACKS, eacks_on_acks, 0, 1)},
    {SCENE(FAL_FAULT_BACK_CARRIES_OWN, own_of_back, FAL_OWN_DATA, 0)},
    {SCENE(FAL_FAULT_ACK_TIMES_FROZEN, t2_moves, 0, 1)},
    {SCENE(FAL_FAULT_AR_OF_PUSH_AT_ONCE, ack_of_push_with_ar, 0, 1)},
    {SCENE(FAL_FAULT_COALESCING_RESTARTED, ack_while_packets_come, 0, 2)},
    {SCENE(FAL_FAULT_COALESCING_DOUBLED, ack_at_timeout, 0, 1)},
    {SCENE(FAL_FAULT_ULP_ACK_UNTIMED, acks_of_ulp, 1, 2)},
    {SCENE(FAL_FAULT_NACK_STALE_BASE, request_base_of_nack, 1, 2)},
    {SCENE(FAL_FAULT_NACK_WRONG_PSN, psn_of_nack, 1, 0)},
    {SCENE(FAL_FAULT_NACK_WRONG_WINDOW, window_of_nack, 1, 0)},
    {SCENE(FAL_FAULT_NACK_ULP_CODE_LOST, ulp_code_of_nack, 0, 9)},
    {SCENE(FAL_FAULT_NACK_RNR_TIMEOUT_SHORT, timeout_of_nack, 10000, 1280000)},
    {SCENE(FAL_FAULT_NACK_OMITTED, nacks, 0, 1)},
};

START_TEST(a_faulty_receiver_differs_from_a_sound_one)
{
    scene_check(&scenes[_i], scenes[_i].id, -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of the receiver");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, a_faulty_receiver_differs_from_a_sound_one, 0,
                        (int)(sizeof scenes / sizeof *scenes));
    suite_add_tcase(suite, tc);
    return suite;
}
