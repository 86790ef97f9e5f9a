/* SPDX-License-Identifier: Apache-2.0
 * schedule_test.c - which packet of which connection leaves next: 8.3, 8.2.1.1. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { GAP = 1000, CONNS = 3 };

/* A narrow way out: `burst` packets, then none for a microsecond. Connections have the CIDs
 * from SOLO_CID on, their peers those from SOLO_PEER_CID on. */
static struct solo *narrow(uint32_t burst, int fault)
{
    struct solo *s = solo_new();
    uint32_t conn;

    s->config.tx_gap_ns = GAP;
    s->config.tx_burst = burst;
    if (fault >= 0)
        solo_fault(s, (enum fal_fault_id)fault);
    solo_open(s);
    for (uint32_t i = 1; i < CONNS; i++) {
        s->open.local.cid = SOLO_CID + i;
        s->open.peer.cid = SOLO_PEER_CID + i;
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), 0);
    }
    return s;
}

static void post_on(struct solo *s, uint32_t which, unsigned n, enum fal_ulp_op op)
{
    s->conn = 1 + which;
    solo_post_many(s, op, n);
}

/* Who sent, in the order of departure: one letter a packet, "a" for the first connection. */
static const char *senders(const struct solo *s)
{
    static char text[SOLO_OUTS_MAX + 1];
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->outs[i].out.kind == FAL_OUT_PACKET)
            text[n++] = (char)('a' + s->outs[i].packet.dest_cid - SOLO_PEER_CID);
    text[n] = '\0';
    return text;
}

/* What was sent: R pull_request, P push_data, D pull_data, r resync. */
static const char *types(const struct solo *s)
{
    static char text[SOLO_OUTS_MAX + 1];
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->outs[i].out.kind == FAL_OUT_PACKET &&
            fal_falcon_reliable(s->outs[i].packet.packet_type))
            text[n++] = s->outs[i].packet.packet_type == FAL_PULL_REQUEST ? 'R'
                        : s->outs[i].packet.packet_type == FAL_PUSH_DATA  ? 'P'
                        : s->outs[i].packet.packet_type == FAL_PULL_DATA  ? 'D'
                                                                          : 'r';
    text[n] = '\0';
    return text;
}

/* ---- connections ---- */

START_TEST(FTP_8_3_01_03_connections_take_turns)
{
    struct solo *s = narrow(1, -1);

    post_on(s, 0, 6, FAL_OP_PUSH);
    post_on(s, 1, 3, FAL_OP_PULL);
    post_on(s, 2, 1, FAL_OP_PUSH);
    solo_wait(s, 20 * GAP);
    ck_assert_str_eq(senders(s), "aabcababaa");
    for (size_t i = 1; i < s->n; i++) /* one each microsecond */
        ck_assert_uint_eq(s->outs[i].at_ns, s->outs[i - 1].at_ns + GAP);
    solo_free(s);
}
END_TEST

START_TEST(a_burst_leaves_together)
{
    struct solo *s = narrow(4, -1);
    uint64_t first_ns = s->now_ns;

    post_on(s, 0, 5, FAL_OP_PUSH);
    post_on(s, 1, 5, FAL_OP_PUSH);
    ck_assert_str_eq(senders(s), "aaaa");
    solo_wait(s, 20 * GAP);
    ck_assert_str_eq(senders(s), "aaaaabbbbb");
    for (size_t i = 0; i < s->n; i++)
        ck_assert_uint_eq(s->outs[i].at_ns, first_ns + i / 4 * GAP);
    solo_free(s);
}
END_TEST

START_TEST(after_a_pause_nothing_waits)
{
    struct solo *s = narrow(1, -1);

    post_on(s, 0, 1, FAL_OP_PUSH);
    ck_assert_str_eq(senders(s), "a");
    solo_wait(s, GAP / 2);
    post_on(s, 1, 1, FAL_OP_PUSH);
    ck_assert_str_eq(senders(s), "a");
    solo_wait(s, GAP / 2);
    ck_assert_str_eq(senders(s), "ab");
    solo_wait(s, 100 * GAP); /* unused slots are lost */
    post_on(s, 2, 2, FAL_OP_PUSH);
    ck_assert_str_eq(senders(s), "abc");
    solo_wait(s, GAP);
    ck_assert_str_eq(senders(s), "abcc");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_3_06_a_shut_window_takes_no_turn)
{
    struct solo *s = narrow(1, -1);
    struct fal_falcon back = solo_packet(FAL_BACK, 0, 0);

    s->open.params.fcwnd = 1;
    s->open.local.cid = 50;
    s->open.peer.cid = SOLO_PEER_CID + CONNS;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    solo_post_many(s, FAL_OP_PUSH, 3);
    post_on(s, 0, 4, FAL_OP_PUSH);
    solo_wait(s, 5 * GAP);
    ck_assert_str_eq(senders(s), "daaaa");
    ck_assert_uint_gt(fal_endpoint_deadline(s->ep),
                      s->now_ns + 2 * GAP); /* no connection waits */
    back.dest_cid = 50;
    back.recv_data_base_psn++;
    solo_feed(s, &back, NULL, 0);
    ck_assert_str_eq(senders(s), "daaaad");
    solo_free(s);
}
END_TEST

START_TEST(acknowledgements_do_not_wait)
{
    struct solo *s = narrow(1, -1);

    post_on(s, 0, 4, FAL_OP_PUSH);
    solo_forget(s);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(a_retransmission_takes_a_turn_too)
{
    struct solo *s = narrow(1, -1);

    post_on(s, 0, 1, FAL_OP_PUSH);
    solo_wait(s, 1000000 - GAP / 2);
    post_on(s, 1, 4, FAL_OP_PUSH);
    solo_wait(s, 6 * GAP);
    ck_assert_str_eq(senders(s), "abbabb"); /* due in the middle of b's */
    solo_free(s);
}
END_TEST

START_TEST(a_closed_or_dead_connection_leaves_the_queue)
{
    struct solo *s = narrow(1, -1);

    post_on(s, 0, 3, FAL_OP_PUSH);
    post_on(s, 1, 3, FAL_OP_PUSH);
    fal_endpoint_close(s->ep, 1);
    solo_wait(s, 10 * GAP);
    ck_assert_str_eq(senders(s), "abbb");
    fal_endpoint_close(s->ep, 2);
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), FAL_NEVER);
    solo_free(s);
}
END_TEST

START_TEST(connections_starved)
{
    struct solo *s = narrow(1, FAL_FAULT_CONNECTIONS_STARVED);

    post_on(s, 0, 6, FAL_OP_PUSH);
    post_on(s, 1, 3, FAL_OP_PUSH);
    solo_wait(s, 20 * GAP);
    ck_assert_str_eq(senders(s), "aaaaaabbb");
    solo_free(s);
}
END_TEST

/* A wide way out: windows alone hold packets back. */
static struct solo *wide(int fault)
{
    struct solo *s = solo_new();
    uint32_t conn;

    s->open.params.fcwnd = 2;
    s->open.params.max_attempts = 1;
    if (fault >= 0)
        solo_fault(s, (enum fal_fault_id)fault);
    solo_open(s);
    s->open.local.cid++;
    s->open.peer.cid++;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conn), 0);
    return s;
}

START_TEST(connections_starved_while_windows_are_closed)
{
    for (int fault = -1; fault < FAL_FAULT_ULP_FIRST;) {
        struct solo *s = wide(fault);

        post_on(s, 0, 3, FAL_OP_PUSH);
        post_on(s, 1, 2, FAL_OP_PUSH);
        ck_assert_str_eq(senders(s), fault < 0 ? "aabb" : "aa");
        solo_free(s);
        fault = fault < 0 ? FAL_FAULT_CONNECTIONS_STARVED : FAL_FAULT_ULP_FIRST;
    }
}
END_TEST

/* The first connection fills its window again and again, and ends. */
static const char *second_after_end(int fault, unsigned n, bool closes)
{
    struct solo *s = wide(fault);
    static char text[SOLO_OUTS_MAX + 1];

    post_on(s, 0, n, FAL_OP_PUSH);
    if (closes)
        fal_endpoint_close(s->ep, 1);
    else
        solo_wait(s, FAL_S);
    solo_forget(s);
    post_on(s, 1, 2, FAL_OP_PUSH);
    (void)strcpy(text, senders(s));
    solo_free(s);
    return text;
}

START_TEST(what_ends_stalls_the_others_by_faults_only)
{
    ck_assert_str_eq(second_after_end(-1, 2, false), "bb");
    ck_assert_str_eq(second_after_end(FAL_FAULT_ERROR_STALLS_OTHERS, 2, false), "");
    ck_assert_str_eq(second_after_end(FAL_FAULT_ERROR_STALLS_OTHERS, 2, true), "bb");
}
END_TEST

/* ended-holds: 17 packets of connections that ended leave no room. */
START_TEST(what_ended_holds_is_missing_by_a_fault_only)
{
    static const int faults[] = {-1, FAL_FAULT_ENDED_HOLDS};

    for (unsigned i = 0; i < 4; i++) {
        struct solo *s = solo_new();
        uint32_t other;

        s->open.params.max_attempts = 1;
        if (faults[i % 2] >= 0)
            solo_fault(s, (enum fal_fault_id)faults[i % 2]);
        solo_open(s);
        post_on(s, 0, 17, FAL_OP_PUSH);
        s->open.local.cid++;
        s->open.peer.cid++;
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &other), 0);
        if (i < 2)
            fal_endpoint_close(s->ep, 1);
        else
            solo_wait(s, FAL_S);
        solo_forget(s);
        s->conn = other;
        solo_post_many(s, FAL_OP_PUSH, 1);
        ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), i % 2 == 0);
        solo_free(s);
    }
}
END_TEST

/* However many there are, and whatever each has to send, none is two turns behind another. */
START_TEST(FTP_8_3_03_turns_are_fair_among_many)
{
    enum { MANY = 100, EACH = 5 };
    struct solo *s = solo_new();
    unsigned sent[MANY] = {0};

    s->config.tx_gap_ns = GAP;
    s->open.params.rto_ns = FAL_S;
    solo_open(s);
    fal_endpoint_close(s->ep, s->conn);
    for (uint32_t i = 0; i < MANY; i++) {
        s->open.local.cid = 100 + i;
        s->open.peer.cid = 1000 + i;
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
        solo_post_many(s, FAL_OP_PUSH, EACH);
    }
    solo_wait(s, GAP * (MANY * EACH + 1));
    for (size_t i = 0; i < s->n; i++) {
        unsigned who = s->outs[i].packet.dest_cid - 1000;

        sent[who]++;
        for (unsigned k = 0; k < MANY; k++)
            ck_assert_uint_le(sent[who], sent[k] + 2);
    }
    ck_assert_uint_eq(s->n, MANY * EACH);
    solo_free(s);
}
END_TEST

/* ---- types of packets ---- */

/* Pushes, pulls and responses of one connection that wait together for a way out. */
static struct solo *mixed(bool ordered, int twin)
{
    static const uint8_t payload[8];
    struct solo *s = solo_new();

    s->config.tx_gap_ns = GAP;
    s->open.params.ordered = ordered;
    if (twin >= 0)
        fal_twin_add(&s->open.twins, (enum fal_twin_id)twin);
    solo_open(s);
    for (uint32_t i = 0; i < 3; i++)
        solo_feed_pull(s, i, i, false);
    solo_post_many(s, FAL_OP_PULL, 3);
    solo_post_many(s, FAL_OP_PUSH, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(solo_answer(s,
                                     (struct fal_endpoint_in){.payload = payload, .length = 8},
                                     i, FAL_ANSWER_DATA),
                         0);
    solo_wait(s, 20 * GAP);
    return s;
}

START_TEST(FTP_8_3_04_05_requests_and_pull_data_take_turns)
{
    struct solo *s = mixed(true, -1);

    ck_assert_str_eq(types(s), "RDRDRDPPP");
    solo_free(s);
}
END_TEST

START_TEST(AMB_46_three_queues_take_turns_where_no_order_is_due)
{
    struct solo *s = mixed(false, FAL_TWIN_THREE_QUEUES);

    ck_assert_str_eq(types(s), "RDPRDPRDP");
    solo_free(s);
    s = mixed(true, FAL_TWIN_THREE_QUEUES); /* FTP-8.2.1.1-01 */
    ck_assert_str_eq(types(s), "RDRDRDPPP");
    solo_free(s);
}
END_TEST

START_TEST(FTP_8_3_02_types_may_be_prioritised)
{
    struct solo *s = mixed(true, FAL_TWIN_PULL_DATA_FIRST);

    ck_assert_str_eq(types(s), "RDDDRRPPP");
    solo_free(s);
}
END_TEST

/* With three queues and shut windows too, RSNs of an ordered connection leave in order. */
START_TEST(FTP_8_2_1_1_01_requests_of_an_ordered_connection_leave_in_RSN_order)
{
    for (unsigned twin = 0; twin < 2; twin++) {
        struct solo *s = solo_new();
        uint32_t rsn = SOLO_RSN;

        s->open.params.ncwnd = 2;
        if (twin)
            fal_twin_add(&s->open.twins, FAL_TWIN_THREE_QUEUES);
        solo_open(s);
        for (unsigned i = 0; i < 12; i++)
            solo_post(s, i % 3 == 0 ? FAL_OP_PUSH : FAL_OP_PULL, 4, i);
        for (unsigned i = 1; i < 9; i++)
            solo_feed_back(s, solo_state(s).tx_rnpsn - SOLO_REQ,
                           solo_state(s).tx_dnpsn - SOLO_DATA);
        for (size_t i = 0; i < s->n; i++)
            if (s->outs[i].out.kind == FAL_OUT_PACKET)
                ck_assert_uint_eq(s->outs[i].packet.rsn, rsn++);
        ck_assert_uint_eq(rsn, SOLO_RSN + 12);
        solo_free(s);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scheduler");
    TCase *tc = tcase_create("scheduler");

    tcase_add_test(tc, FTP_8_3_01_03_connections_take_turns);
    tcase_add_test(tc, a_burst_leaves_together);
    tcase_add_test(tc, after_a_pause_nothing_waits);
    tcase_add_test(tc, FTP_8_3_06_a_shut_window_takes_no_turn);
    tcase_add_test(tc, acknowledgements_do_not_wait);
    tcase_add_test(tc, a_retransmission_takes_a_turn_too);
    tcase_add_test(tc, a_closed_or_dead_connection_leaves_the_queue);
    tcase_add_test(tc, connections_starved);
    tcase_add_test(tc, connections_starved_while_windows_are_closed);
    tcase_add_test(tc, what_ends_stalls_the_others_by_faults_only);
    tcase_add_test(tc, what_ended_holds_is_missing_by_a_fault_only);
    tcase_add_test(tc, FTP_8_3_03_turns_are_fair_among_many);
    tcase_add_test(tc, FTP_8_3_04_05_requests_and_pull_data_take_turns);
    tcase_add_test(tc, AMB_46_three_queues_take_turns_where_no_order_is_due);
    tcase_add_test(tc, FTP_8_3_02_types_may_be_prioritised);
    tcase_add_test(tc, FTP_8_2_1_1_01_requests_of_an_ordered_connection_leave_in_RSN_order);
    suite_add_tcase(suite, tc);
    return suite;
}
