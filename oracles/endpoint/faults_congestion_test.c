/* SPDX-License-Identifier: Apache-2.0
 * faults_congestion_test.c - the faults of congestion control, each seen to act: times of ACKs,
 * events of the RUE, what results change. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_probe.h"
#include "tests/testing.h"

/* ---- times of ACKs ---- */

/* How long before it leaves an ACK was sent by its IV, in ns. Two pushes arrive 1 us apart; the
 * coalescing timer sends the ACK. */
static uint64_t age_of_iv(struct solo *s)
{
    const struct solo_out *ack;

    solo_open(s);
    for (uint32_t i = 0; i < 2; i++) {
        struct fal_falcon p = sealed_push(i);

        s->now_ns += 1000;
        sealed_feed(s, &p, sealed_by_peer((int64_t)(i + 1) << 17));
    }
    solo_wait(s, 20000);
    ack = solo_sent(s, FAL_BACK, 0);
    return ack->at_ns - ack->out.seal.iv / 1000;
}

static bool sends_at_arrival(struct solo *s)
{
    return age_of_iv(s) == s->open.params.coalescing_ns - 1000;
}

static bool sends_before_the_queue(struct solo *s)
{
    return age_of_iv(s) == s->open.params.coalescing_ns;
}

/* ---- the RUE ---- */

enum { EVENTS = 2100 };

struct rue {
    struct fal_cc_event last;
    unsigned events, gens; /* gens: how often gen was another one than before */
    struct fal_cc_result change;
    bool changes; /* this time */
};

static struct rue rue;

static void ask_rue(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    (void)ctx, (void)state, (void)now_ticks;
    rue.gens += rue.events > 0 && rue.last.gen != event->gen;
    rue.last = *event;
    rue.events++;
    if (!rue.changes)
        return;
    rue.change.connection_id = result->connection_id;
    *result = rue.change;
}

static void feed_ack(struct solo *s, struct fal_falcon ack)
{
    sealed_feed_now(s, &ack);
}

/* The RUE will answer each event by these windows and timeout, and with a gap. */
static void with_rue(struct solo *s)
{
    rue = (struct rue){.changes = true,
                       .change = {.fcwnd_integer = 7,
                                  .ncwnd = 9,
                                  .retransmit_timeout = 1526,
                                  .fabric_window_time_marker = 11,
                                  .nic_window_time_marker = 12,
                                  .rtt_state = 13,
                                  .delay_state = 14,
                                  .cc_opaque = 2}};
    s->config.rue.policy.process = ask_rue;
    solo_open(s);
}

static uint32_t open_another(struct solo *s)
{
    struct fal_endpoint_conn other = s->open;
    uint32_t conn;

    other.local.cid++;
    other.peer.cid++;
    other.security.spi++;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &other, s->now_ns, &conn), 0);
    return conn;
}

static bool has_the_windows(const struct solo *s, uint32_t conn)
{
    const struct fal_params *params = &fal_ep_conn_find(s->ep, conn)->params;

    return params->fcwnd == 7 && params->ncwnd == 9 && params->rto_ns == fal_ticks_ns(1526);
}

static bool changes_the_other_too(struct solo *s)
{
    uint32_t other;

    with_rue(s);
    other = open_another(s);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    ck_assert(has_the_windows(s, s->conn));
    return has_the_windows(s, other);
}

static bool changes_the_other(struct solo *s)
{
    uint32_t other;

    with_rue(s);
    other = open_another(s);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    return has_the_windows(s, other) && !has_the_windows(s, s->conn);
}

static bool stamps_the_event(struct solo *s)
{
    with_rue(s);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    return rue.last.t4 == (s->now_ns * 1000 >> 17) + 763;
}

static bool lets_the_old_timeout_run(struct solo *s)
{
    with_rue(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    solo_wait(s, 300000);
    if (solo_packets(s, FAL_PUSH_DATA) != 1)
        return false;
    solo_wait(s, 700000);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    solo_wait(s, 210000); /* The copy has the timeout of the result. */
    return solo_packets(s, FAL_PUSH_DATA) == 3;
}

static bool waits_half_the_gap(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s);
    rue.change.fcwnd_integer = 0;
    rue.change.inter_packet_gap = 1000; /* 131.072 us */
    feed_ack(s, ack);
    solo_post_many(s, FAL_OP_PUSH, 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    ack.recv_data_base_psn++;
    feed_ack(s, ack);
    solo_wait(s, 65535);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    solo_wait(s, 1);
    return solo_packets(s, FAL_PUSH_DATA) == 2;
}

static bool forgets_the_state(struct solo *s)
{
    with_rue(s);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    if (rue.last.fabric_window_time_marker == 11)
        return false;
    ck_assert_uint_eq(rue.last.rtt_state, FAL_CC_START_DELAY);
    ck_assert_uint_eq(rue.last.cc_opaque, 0);
    return rue.last.fabric_window_time_marker == 0 && rue.last.nic_window_time_marker == 0;
}

static bool has_a_path_per_packet(struct solo *s)
{
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    return solo_sent(s, FAL_PUSH_DATA, 0)->out.path !=
               solo_sent(s, FAL_PUSH_DATA, 1)->out.path &&
           solo_sent(s, FAL_PUSH_DATA, 1)->out.path != solo_sent(s, FAL_PUSH_DATA, 2)->out.path;
}

static bool sees_losses_in_each_eack(struct solo *s)
{
    with_rue(s);
    feed_ack(s, solo_packet(FAL_EACK, 0, 0));
    return rue.last.eack_drop == 1;
}

static bool tells_the_discarded(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    with_rue(s);
    ack.recv_data_base_psn += 1000; /* Beyond all that was sent: no event with the fault. */
    feed_ack(s, ack);
    ck_assert_uint_eq(rue.events, 0);
    ack.recv_data_base_psn -= 1001;
    feed_ack(s, ack);
    return rue.events == 1;
}

static bool never_turns(struct solo *s)
{
    with_rue(s);
    rue.changes = false;
    for (unsigned i = 0; i < EVENTS; i++) {
        feed_ack(s, solo_packet(FAL_BACK, 0, 0));
        solo_forget(s);
    }
    ck_assert_uint_eq(rue.events, EVENTS);
    return rue.gens == 0;
}

/* P1 holds for the second event, P2 does not. */
static bool needs_both(struct solo *s)
{
    with_rue(s);
    for (unsigned i = 0; i < 2; i++) {
        feed_ack(s, solo_packet(FAL_BACK, 0, 0));
        solo_wait(s, 50000);
    }
    return rue.events == 0;
}

/* The queue is full. */
static bool needs_nothing_when_long(struct solo *s)
{
    s->config.rue = (struct fal_rue_config){.outside = true, .depth = {1, 2, 3}};
    solo_open(s);
    s->ep->rue.waiting = 3;
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    return solo_count(s, FAL_OUT_RUE) == 1;
}

static bool packs_the_other_way(struct solo *s)
{
    struct fal_cc_event event;

    s->config.rue.outside = true;
    solo_open(s);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    ck_assert_int_gt(fal_cc_decode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_EVENT,
                                   solo_nth(s, FAL_OUT_RUE, 0)->bytes, FAL_CC_ENTRY_LEN,
                                   &event),
                     0);
    return event.connection_id == SOLO_CID;
}

/* ---- variants ---- */

/* How many events four ACKs give that come `gap_ns` apart, each with `acked` packets. */
static unsigned events_of(struct solo *s, uint64_t gap_ns, unsigned acked)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    s->open.params.fcwnd = s->open.params.ncwnd = 200;
    s->config.rue.policy.process = ask_rue;
    rue = (struct rue){.events = 0};
    s->now_ns += FAL_MS;
    solo_open(s);
    solo_post_many(s, FAL_OP_PUSH, 4 * acked);
    for (unsigned i = 0; i < 4; i++) {
        ack.recv_data_base_psn += acked;
        feed_ack(s, ack);
        s->now_ns += gap_ns;
    }
    return rue.events;
}

static bool waits_for_time(struct solo *s)
{
    return events_of(s, 1000, 1) == 1;
}

static bool waits_for_packets(struct solo *s)
{
    return events_of(s, 50000, 12) == 2;
}

/* Two ACKs, then a result, then an ACK. */
static bool waits_for_the_result(struct solo *s)
{
    struct fal_cc_result result = {.connection_id = SOLO_CID, .fcwnd_integer = 7, .ncwnd = 9};
    uint8_t entry[FAL_CC_ENTRY_LEN];
    const struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .bytes = entry, .len = sizeof entry};

    s->config.rue.outside = true;
    solo_open(s);
    for (unsigned i = 0; i < 2; i++)
        feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    if (solo_count(s, FAL_OUT_RUE) != 1)
        return false;
    ck_assert_int_gt(fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, &result, entry, NULL),
                     0);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    feed_ack(s, solo_packet(FAL_BACK, 0, 0));
    return solo_count(s, FAL_OUT_RUE) == 2;
}

/* An event waits, and P1 does not hold: the second ACK is for one long packet. */
static bool waits_for_bytes(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    s->config.rue = (struct fal_rue_config){.outside = true, .depth = {1, 64, 64}};
    s->now_ns += FAL_MS;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 0);
    solo_post(s, FAL_OP_PUSH, 4000, 1);
    for (unsigned i = 0; i < 2; i++) {
        ack.recv_data_base_psn++;
        feed_ack(s, ack);
    }
    return solo_count(s, FAL_OUT_RUE) == 2;
}

static const struct twin_probe twins[] = {
    {FAL_TWIN_RUE_EVENT_AFTER_TIME, waits_for_time},
    {FAL_TWIN_RUE_EVENT_AFTER_PACKETS, waits_for_packets},
    {FAL_TWIN_RUE_EVENT_ONE_AT_A_TIME, waits_for_the_result},
    {FAL_TWIN_RUE_P2_COUNTS_BYTES, waits_for_bytes},
};

enum { TWINS = sizeof twins / sizeof *twins };

START_TEST(each_twin_is_seen_and_only_where_it_is_taken)
{
    probe_twin(&twins[_i]);
}
END_TEST

static const struct fault_probe faults[] = {
    {FAL_FAULT_CC_SHARED_STATE, changes_the_other_too},
    {FAL_FAULT_T3_OF_ARRIVAL, sends_at_arrival},
    {FAL_FAULT_T3_BEFORE_QUEUE, sends_before_the_queue},
    {FAL_FAULT_T4_OF_THE_EVENT, stamps_the_event},
    {FAL_FAULT_RTO_FUTURE_ONLY, lets_the_old_timeout_run},
    {FAL_FAULT_GAP_HALVED, waits_half_the_gap},
    {FAL_FAULT_STATE_LOST_BETWEEN_EVENTS, forgets_the_state},
    {FAL_FAULT_RESULTS_CROSS_CONNECTIONS, changes_the_other},
    {FAL_FAULT_PATH_PER_PACKET, has_a_path_per_packet},
    {FAL_FAULT_EACK_DROP_ALWAYS, sees_losses_in_each_eack},
    {FAL_FAULT_EVENT_FOR_STALE_ACK, tells_the_discarded},
    {FAL_FAULT_GEN_STUCK, never_turns},
    {FAL_FAULT_POLICY_INVERTED, needs_both},
    {FAL_FAULT_POLICY_INVERTED, needs_nothing_when_long},
    {FAL_FAULT_ENTRY_BIT_ORDER, packs_the_other_way},
};

enum { FAULTS = sizeof faults / sizeof *faults };

START_TEST(each_fault_is_seen_and_only_where_it_is_on)
{
    probe_fault(&faults[_i]);
}
END_TEST

START_TEST(no_fault_of_the_list_is_left_out)
{
    probe_all(faults, FAULTS, FAL_FAULT_CC_SHARED_STATE, FAL_FAULT_ENTRY_BIT_ORDER);
}
END_TEST

/* A result that names no connection, or another one, leaves its own as it was. */
START_TEST(FTP_10_6_2_2_02_a_result_changes_the_connection_that_it_names)
{
    struct solo *s = sealed_new();
    struct fal_cc_result result = {.fcwnd_integer = 7, .ncwnd = 9, .retransmit_timeout = 1526};
    uint8_t entry[FAL_CC_ENTRY_LEN];
    const struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .bytes = entry, .len = sizeof entry};
    uint32_t other;

    s->config.rue.outside = true;
    solo_open(s);
    other = open_another(s);
    result.connection_id = SOLO_CID + 1;
    ck_assert_int_gt(fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, &result, entry, NULL),
                     0);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    ck_assert(has_the_windows(s, other));
    ck_assert(!has_the_windows(s, s->conn));
    result.connection_id = SOLO_CID + 2;
    ck_assert_int_gt(fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, &result, entry, NULL),
                     0);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), FAL_ERR_RANGE);
    ck_assert(!has_the_windows(s, s->conn));
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of congestion control");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, each_fault_is_seen_and_only_where_it_is_on, 0, FAULTS);
    tcase_add_loop_test(tc, each_twin_is_seen_and_only_where_it_is_taken, 0, TWINS);
    tcase_add_test(tc, no_fault_of_the_list_is_left_out);
    tcase_add_test(tc, FTP_10_6_2_2_02_a_result_changes_the_connection_that_it_names);
    suite_add_tcase(suite, tc);
    return suite;
}
