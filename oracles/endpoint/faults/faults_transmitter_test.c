/* SPDX-License-Identifier: Apache-2.0
 * faults_transmitter_test.c - what faulty transmitters do: gates, retransmissions, resyncs, and
 * what they make of ACKs. Each test sees the fault act, and a sound transmitter not. */
#include "oracles/endpoint/rig/bench_scene.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

/* ---- gates ---- */

static uint64_t ten_pushes(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 10);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* The base stays, but all after it is acknowledged. */
static uint64_t pushes_after_eack(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 10);
    solo_feed_eack(s, 0, 0xe, 0xe, 0);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t completions_of_65(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 66);
    solo_feed_back(s, 0, 65);
    return solo_count(s, FAL_OUT_COMPLETE);
}

static uint64_t pull_data_beside_pushes(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_feed_pull(s, 0, 0, false);
    ck_assert_int_eq(
        solo_answer(s,
                    (struct fal_endpoint_in){.payload = (const uint8_t *)"data", .length = 4},
                    0, FAL_ANSWER_DATA),
        0);
    return solo_packets(s, FAL_PULL_DATA);
}

/* A script has sent four requests where ncwnd lets two out; all are due at once. */
static uint64_t copies_at_rto(struct solo *s)
{
    for (unsigned i = 0; i < 4; i++) {
        struct fal_falcon p;

        ck_assert_int_eq(fal_endpoint_draft(s->ep, s->conn, FAL_PUSH_DATA, s->now_ns, &p), 0);
        ck_assert_int_eq(fal_endpoint_adopt(s->ep, s->conn, &p, NULL, 0, s->now_ns), 0);
    }
    solo_wait(s, RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* Two of four are outstanding again; they and a third, which waits, are acknowledged. */
static uint64_t copies_after_ack(struct solo *s)
{
    (void)copies_at_rto(s);
    solo_feed_back(s, 0, 3);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* The first copies of two pushes are lost, one after the other. */
static uint64_t copies_of_the_second(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 1);
    solo_wait(s, RTO);
    solo_feed_back(s, 0, 1);
    solo_post_many(s, FAL_OP_PUSH, 1);
    solo_forget(s);
    solo_wait(s, RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* The first copies are repeated, and again. */
static uint64_t third_copies(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_wait(s, RTO);
    solo_forget(s);
    solo_wait(s, RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t ar_bits(struct solo *s)
{
    uint64_t asked = 0;

    solo_post_many(s, FAL_OP_PUSH, 10);
    for (size_t i = 0; i < 10; i++)
        asked += solo_sent(s, FAL_PUSH_DATA, i)->packet.ack_req;
    return asked;
}

/* ---- retransmissions ---- */

static uint64_t last_byte_changes(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 9, 1);
    solo_wait(s, 2 * RTO);
    ck_assert_int_eq(solo_sent(s, FAL_PUSH_DATA, 1)->bytes[8],
                     solo_sent(s, FAL_PUSH_DATA, 2)->bytes[8]);
    return solo_sent(s, FAL_PUSH_DATA, 0)->bytes[8] != solo_sent(s, FAL_PUSH_DATA, 1)->bytes[8];
}

static uint64_t psn_of_first_copy(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_wait(s, RTO);
    return solo_sent(s, FAL_PUSH_DATA, 4)->packet.psn - SOLO_DATA;
}

static uint64_t type_of_first_copy(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_forget(s);
    solo_wait(s, RTO);
    return s->outs[0].packet.packet_type;
}

static uint64_t copies_before(struct solo *s, uint64_t ns)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_forget(s);
    solo_wait(s, ns);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t copies_before_rto(struct solo *s)
{
    return copies_before(s, RTO - 1);
}

static uint64_t copies_by_two_rtos(struct solo *s)
{
    return copies_before(s, 2 * RTO);
}

static uint64_t copies_before_resync(struct solo *s)
{
    (void)copies_before(s, 40 * RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* Resyncs of five pushes: all but the first are shown as received by so many EACKs. */
static uint64_t resyncs_after_eacks(struct solo *s, unsigned eacks, uint64_t wait_ns)
{
    solo_post_many(s, FAL_OP_PUSH, 5);
    for (unsigned i = 0; i < eacks; i++) {
        solo_wait(s, 20000);
        solo_feed_eack(s, 0, 0, 0x1e, 0);
    }
    solo_forget(s);
    solo_wait(s, wait_ns);
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t copies_after_early_ones(struct solo *s)
{
    return resyncs_after_eacks(s, 4, 2 * RTO);
}

static uint64_t resyncs_after_one_eack(struct solo *s)
{
    return resyncs_after_eacks(s, 1, 4 * RTO);
}

static uint64_t copies_of_the_received(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_eack(s, 0, 0, 0x1, 0);
    solo_forget(s);
    solo_wait(s, RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t resyncs_after_rnrs(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    p.rnr_timeout = 1;
    solo_post(s, FAL_OP_PUSH, 4, 1);
    for (unsigned i = 0; i < 3; i++) {
        solo_feed(s, &p, NULL, 0);
        solo_wait(s, RTO);
    }
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t fatal_signals(struct solo *s)
{
    (void)copies_before(s, 40 * RTO);
    return solo_count(s, FAL_OUT_CM);
}

/* ---- resyncs ---- */

static const struct fal_falcon *resync(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    return &solo_sent(s, FAL_RESYNC, 0)->packet;
}

static uint64_t rsn_of_resync(struct solo *s)
{
    return resync(s)->rsn - SOLO_RSN;
}

static uint64_t type_of_resync(struct solo *s)
{
    return resync(s)->resync_packet_type;
}

static uint64_t code_of_resync(struct solo *s)
{
    return resync(s)->resync_code;
}

static uint64_t copies_of_resync(struct solo *s)
{
    (void)resync(s);
    solo_wait(s, RTO);
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t resyncs_after_nack(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_NRE);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t resyncs_until_fatal(struct solo *s)
{
    (void)copies_before(s, 40 * RTO);
    return solo_packets(s, FAL_RESYNC);
}

/* A transaction that times out in the queue, behind a window of 2. */
static uint64_t resyncs_beyond_window(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_feed_eack(s, 0, 0x2, 0x3, 0); /* what is out is not given up */
    solo_wait(s, 1000 * RTO - 1);
    solo_forget(s);
    solo_wait(s, 1);
    return solo_packets(s, FAL_RESYNC);
}

/* ---- early retransmission ---- */

static void out_and_old(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 8);
    solo_wait(s, 20000);
    solo_forget(s);
}

static uint64_t early(struct solo *s, uint64_t ack, uint64_t rx, unsigned own)
{
    out_and_old(s);
    solo_feed_eack(s, 0, ack, rx, own);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t near_holes(struct solo *s)
{
    return early(s, 0, 0x4, 0);
}

static uint64_t received_below(struct solo *s)
{
    return early(s, 0x40, 0x7f, 0); /* 0 to 5 are received, not acknowledged */
}

static uint64_t far_holes(struct solo *s)
{
    return early(s, 0, 0x80, 0);
}

static uint64_t on_back(struct solo *s)
{
    out_and_old(s);
    solo_feed_back(s, 0, 1);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t own_data(struct solo *s)
{
    return early(s, 0, 0, FAL_OWN_DATA);
}

/* Holes far below the highest PSN received in both windows. */
static uint64_t holes_of_both(struct solo *s)
{
    struct fal_falcon eack = solo_packet(FAL_EACK, 0, 0);

    solo_post_many(s, FAL_OP_PULL, 8);
    out_and_old(s);
    eack.req_bitmap = 0x80;
    eack.data_rx_bitmap = 0x80;
    solo_feed(s, &eack, NULL, 0);
    return solo_packets(s, FAL_PUSH_DATA) * 10 + solo_packets(s, FAL_PULL_REQUEST);
}

static uint64_t own_of_many(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 140 - 8);
    return early(s, 0, 0, FAL_OWN_DATA);
}

static uint64_t own_data_received(struct solo *s)
{
    return early(s, 0, 0xf, FAL_OWN_DATA);
}

/* ---- ACKs and NACKs ---- */

static uint64_t completed_by_bits(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_eack(s, 0, 0x6, 0x6, 0);
    return solo_state(s).open_initiated;
}

static uint64_t open_after_rx_bits(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_eack(s, 0, 0, 0x7, 0);
    return solo_state(s).open_initiated;
}

static uint64_t open_after_wild_base(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_back(s, 0, 4);
    return solo_state(s).open_initiated;
}

static uint64_t early_by_stale_eack(struct solo *s)
{
    out_and_old(s);
    solo_feed_back(s, 0, 1);
    solo_feed_eack(s, 0, 0, 0x81, 0);
    return solo_packets(s, FAL_PUSH_DATA);
}

static uint64_t resyncs_by_stale_nack(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA + 1, FAL_NACK_CIE);

    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_back(s, 0, 1);
    solo_feed(s, &p, NULL, 0);
    return solo_packets(s, FAL_RESYNC);
}

/* The base of the request window alone is old. */
static uint64_t resyncs_by_old_request_base(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post_many(s, FAL_OP_PULL, 1);
    solo_post_many(s, FAL_OP_PUSH, 3);
    solo_feed_back(s, 1, 0);
    solo_feed(s, &p, NULL, 0);
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t asking_of_many(struct solo *s)
{
    uint64_t asking = 0;

    for (unsigned i = 0; i < 40; i++) {
        solo_post_many(s, FAL_OP_PUSH, 5);
        solo_feed_back(s, 0, (i + 1) * 5);
    }
    for (size_t i = 0; i < s->n; i++)
        asking += s->outs[i].out.kind == FAL_OUT_PACKET && s->outs[i].packet.ack_req != 0;
    return asking;
}

static uint64_t resyncs_by_resource_nack(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RESOURCE);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    return solo_packets(s, FAL_RESYNC);
}

static uint64_t completed_by_nack(struct solo *s)
{
    struct fal_falcon p = solo_nack(SOLO_DATA + 1, FAL_NACK_RESOURCE);

    solo_post_many(s, FAL_OP_PUSH, 2);
    p.recv_data_base_psn++;
    solo_feed(s, &p, NULL, 0);
    return solo_count(s, FAL_OUT_COMPLETE);
}

/* Two EACKs; the later one has fewer bits. */
static uint64_t copies_after_two_eacks(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 4);
    solo_feed_eack(s, 0, 0xe, 0xe, 0);
    solo_feed_eack(s, 0, 0x2, 0x2, 0);
    solo_forget(s);
    solo_wait(s, RTO);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* A push under RNR delay, which an EACK shows missing. */
static uint64_t early_copies_during_rnr(struct solo *s)
{
    struct fal_falcon rnr = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    rnr.rnr_timeout = 30;
    solo_post_many(s, FAL_OP_PUSH, 6);
    solo_feed(s, &rnr, NULL, 0);
    solo_forget(s);
    solo_wait(s, RTO / 2);
    solo_feed_eack(s, 0, 0x3e, 0x3e, 0);
    return solo_packets(s, FAL_PUSH_DATA);
}

/* A pull arrives between two copies of a push. */
static uint64_t base_of_the_copy(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 1);
    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, RTO);
    return solo_sent(s, FAL_PUSH_DATA, 1)->packet.recv_req_base_psn - PEER_REQ;
}

/* Another connection has a third of the RTO. */
static uint64_t copies_beside_another(struct solo *s)
{
    struct fal_endpoint_conn other = s->open;
    uint32_t conn;

    other.local.cid++;
    other.params.rto_ns = RTO / 3;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &other, s->now_ns, &conn), 0);
    solo_post_many(s, FAL_OP_PUSH, 1);
    solo_wait(s, RTO / 2);
    return solo_packets(s, FAL_PUSH_DATA);
}

static const struct scene scenes[] = {
    {SCENE(FAL_FAULT_REPEATS_FIRST_BASES, base_of_the_copy, 0, 1)},
    {SCENE(FAL_FAULT_RTO_OF_ANOTHER, copies_beside_another, 2, 1)},
    {SCENE(FAL_FAULT_OVERTAKEN_EACK_FORGETS, copies_after_two_eacks, 3, 1)},
    {SCENE(FAL_FAULT_EARLY_DURING_RNR, early_copies_during_rnr, 1, 0)},
    {SCENE(FAL_FAULT_REPEATS_KEPT_ON_ACK, copies_of_the_second, 0, 1), .ncwnd = 1},
    {SCENE(FAL_FAULT_REPEATS_LOST_ON_ACK, copies_after_ack, 2, 3), .ncwnd = 2},
    {SCENE(FAL_FAULT_REPEATS_BASE_ONLY, copies_at_rto, 1, 2), .ncwnd = 2},
    {SCENE(FAL_FAULT_BASE_ACKNOWLEDGES_64, completions_of_65, 64, 65), .fcwnd = 100,
     .ncwnd = 100},
    {SCENE(FAL_FAULT_BASE_ACKNOWLEDGES_ITSELF, completions_of_65, 66, 65), .fcwnd = 100,
     .ncwnd = 100},
    {SCENE(FAL_FAULT_FCWND_IGNORED, ten_pushes, 10, 4), .fcwnd = 4},
    {SCENE(FAL_FAULT_FCWND_ONE_MORE, ten_pushes, 5, 4), .fcwnd = 4},
    {SCENE(FAL_FAULT_FCWND_FRACTION_COUNTS, ten_pushes, 10, 4), .fcwnd = 4,
     .fcwnd_fraction = 512},
    {SCENE(FAL_FAULT_FCWND_COUNTS_UNACKED, pushes_after_eack, 7, 4), .fcwnd = 4},
    {SCENE(FAL_FAULT_NCWND_IGNORED, ten_pushes, 10, 3), .ncwnd = 3},
    {SCENE(FAL_FAULT_NCWND_GATES_PULL_DATA, pull_data_beside_pushes, 0, 1), .ncwnd = 4},
    {SCENE(FAL_FAULT_RETRANSMIT_UNGATED, copies_at_rto, 4, 2), .ncwnd = 2},
    {SCENE(FAL_FAULT_REPEATS_NEVER_FORGOTTEN, third_copies, 0, 4), .ncwnd = 4},
    {SCENE(FAL_FAULT_TX_WINDOW_IGNORED, ten_pushes, 10, 6), .tx_window = 6},
    {SCENE(FAL_FAULT_AR_NEVER, ar_bits, 0, 10), .fcwnd = 16, .ar_threshold = 16},
    {SCENE(FAL_FAULT_AR_THRESHOLD_STRICT, ar_bits, 1, 10), .fcwnd = 16, .ar_threshold = 16},
    {SCENE(FAL_FAULT_RETRANSMIT_PAYLOAD_CHANGED, last_byte_changes, 1, 0)},
    {SCENE(FAL_FAULT_RETRANSMIT_BACKWARDS, psn_of_first_copy, 3, 0)},
    {SCENE(FAL_FAULT_RETRANSMIT_DATA_FIRST, type_of_first_copy, FAL_PUSH_DATA,
           FAL_PULL_REQUEST)},
    {SCENE(FAL_FAULT_RESYNC_WRONG_RSN, rsn_of_resync, 1, 0)},
    {SCENE(FAL_FAULT_RESYNC_WRONG_TYPE, type_of_resync, FAL_PULL_DATA, FAL_PUSH_DATA)},
    {SCENE(FAL_FAULT_RESYNC_WRONG_CODE, code_of_resync, FAL_RESYNC_EXHAUSTED, FAL_RESYNC_CIE)},
    {SCENE(FAL_FAULT_RESYNC_UNGATED, resyncs_beyond_window, 3, 1), .fcwnd = 2,
     .max_attempts = 5000},
    {SCENE(FAL_FAULT_RESYNC_ONCE, copies_of_resync, 1, 2)},
    {SCENE(FAL_FAULT_RESYNC_OMITTED, resyncs_after_nack, 0, 1)},
    {SCENE(FAL_FAULT_RESYNC_ATTEMPTS_KEPT, resyncs_until_fatal, 1, 4), .max_attempts = 3},
    {SCENE(FAL_FAULT_RTO_HALVED, copies_before_rto, 1, 0)},
    {SCENE(FAL_FAULT_RTO_TREBLED, copies_by_two_rtos, 0, 2)},
    {SCENE(FAL_FAULT_RETRANSMIT_NEVER, copies_by_two_rtos, 0, 2)},
    {SCENE(FAL_FAULT_RETRANSMIT_ONCE, copies_by_two_rtos, 1, 2)},
    {SCENE(FAL_FAULT_RECEIVED_UNTIMED, copies_of_the_received, 2, 3)},
    {SCENE(FAL_FAULT_ATTEMPTS_ENDLESS, resyncs_after_one_eack, 8, 10), .max_attempts = 2},
    {SCENE(FAL_FAULT_ATTEMPTS_DOUBLED, copies_before_resync, 8, 4), .max_attempts = 4},
    {SCENE(FAL_FAULT_ATTEMPTS_HALVED, copies_before_resync, 2, 4), .max_attempts = 4},
    {SCENE(FAL_FAULT_RNR_COUNTS_TWICE, resyncs_after_rnrs, 1, 0), .max_attempts = 4},
    {SCENE(FAL_FAULT_EARLY_COPIES_COUNT, copies_after_early_ones, 2, 0), .max_attempts = 2},
    {SCENE(FAL_FAULT_FATAL_SILENT, fatal_signals, 0, 1), .max_attempts = 2},
    {SCENE(FAL_FAULT_OOO_THRESHOLD_IGNORED, near_holes, 2, 0)},
    {SCENE(FAL_FAULT_EARLY_BY_ACK_BITMAP, received_below, 3, 0)},
    {SCENE(FAL_FAULT_EARLY_NEVER, far_holes, 0, 4)},
    {SCENE(FAL_FAULT_EARLY_FIRST_ONLY, far_holes, 1, 4)},
    {SCENE(FAL_FAULT_EARLY_ON_BACK, on_back, 7, 0)},
    {SCENE(FAL_FAULT_OWN_NOT_HEEDED, own_data, 0, 8)},
    {SCENE(FAL_FAULT_OWN_HEEDED_CROSSWISE, own_data, 0, 8)},
    {SCENE(FAL_FAULT_EARLY_ONE_WINDOW, holes_of_both, 4, 44)},
    {SCENE(FAL_FAULT_OWN_WITHIN_BITMAP, own_of_many, 128, 140), .fcwnd = 200, .ncwnd = 200,
     .tx_window = 200},
    {SCENE(FAL_FAULT_OWN_REPEATS_RECEIVED, own_data_received, 8, 4)},
    {SCENE(FAL_FAULT_EACK_BITS_IGNORED, completed_by_bits, 3, 3)},
    {SCENE(FAL_FAULT_RX_BITS_COMPLETE, open_after_rx_bits, 0, 3)},
    {SCENE(FAL_FAULT_ACK_BEYOND_SENT_TAKEN, open_after_wild_base, 0, 3)},
    {SCENE(FAL_FAULT_ACK_STALE_TAKEN, early_by_stale_eack, 3, 0)},
    {SCENE(FAL_FAULT_NACK_STALE_TAKEN, resyncs_by_stale_nack, 1, 0)},
    {SCENE(FAL_FAULT_NACK_STALE_REQUESTS_TAKEN, resyncs_by_old_request_base, 1, 0)},
    {SCENE(FAL_FAULT_AR_HALF_MORE, asking_of_many, 30, 20)},
    {SCENE(FAL_FAULT_RESOURCE_NACK_RESYNCED, resyncs_by_resource_nack, 1, 0)},
    {SCENE(FAL_FAULT_NACK_BASE_IGNORED, completed_by_nack, 0, 1)},
};

START_TEST(a_faulty_transmitter_differs_from_a_sound_one)
{
    scene_check(&scenes[_i], scenes[_i].id, -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of the transmitter");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, a_faulty_transmitter_differs_from_a_sound_one, 0,
                        (int)(sizeof scenes / sizeof *scenes));
    suite_add_tcase(suite, tc);
    return suite;
}
