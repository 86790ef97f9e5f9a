/* SPDX-License-Identifier: Apache-2.0
 * faults_transactions_test.c - each fault of the transaction sublayer breaks what it says.
 *
 * A case plays the same little scene twice, with the fault and without; what it looks at must
 * be right without and wrong with it. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

/* ---- what a scene looks at ---- */

static unsigned requests(const struct solo *s)
{
    return (unsigned)solo_count(s, FAL_OUT_REQUEST);
}

static unsigned completions(const struct solo *s)
{
    return (unsigned)solo_count(s, FAL_OUT_COMPLETE);
}

static enum fal_completion code(const struct solo *s)
{
    return completions(s) > 0 ? solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code : FAL_CMPL_ACK;
}

static unsigned nacks(const struct solo *s)
{
    return (unsigned)solo_packets(s, FAL_NACK);
}

static bool answer(struct solo *s, uint32_t rsn, enum fal_answer what)
{
    static const uint8_t payload[8] = "payload";

    return solo_answer(s,
                       (struct fal_endpoint_in){.payload = payload,
                                                .length = what == FAL_ANSWER_DATA ? 8 : 0,
                                                .rnr_ns = 100000,
                                                .code = 7},
                       rsn, what) == 0;
}

static void feed_nack(struct solo *s, uint32_t psn, enum fal_nack_code code_of)
{
    struct fal_falcon nack = solo_nack(SOLO_DATA + psn, code_of);

    nack.ulp_nack_code = 9;
    nack.rnr_timeout = 1;
    solo_feed(s, &nack, NULL, 0);
}

static void feed_response(struct solo *s, uint32_t psn, uint32_t rsn, size_t len)
{
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + psn, SOLO_RSN + rsn);

    solo_feed(s, &p, "response of the peer", len);
}

/* ---- the initiator ---- */

static bool rsns_count_up(struct solo *s)
{
    uint32_t first = solo_post(s, FAL_OP_PUSH, 4, 1);

    for (uint32_t i = 1; i < 8; i++)
        if (solo_post(s, i % 2 ? FAL_OP_PULL : FAL_OP_PUSH, 4, 1) != first + i)
            return false;
    return solo_sent(s, FAL_PUSH_DATA, 3)->packet.rsn == first + 6;
}

static bool pulls_have_their_rsn(struct solo *s)
{
    return solo_post(s, FAL_OP_PULL, 4, 1) == solo_sent(s, FAL_PULL_REQUEST, 0)->packet.rsn;
}

static bool pulls_ask_for_their_length(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 4, 1);
    return solo_sent(s, FAL_PULL_REQUEST, 0)->packet.request_length == 4;
}

static bool pushes_complete_when_acknowledged(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    return completions(s) == 0;
}

static bool all_complete(struct solo *s)
{
    solo_post_many(s, FAL_OP_PUSH, 6);
    solo_feed_back(s, 0, 6);
    return completions(s) == 6;
}

static bool completions_of_both_kinds_are_in_order(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PULL, 8, 2);
    feed_response(s, 0, 1, 8);
    return completions(s) == 0;
}

static bool pulls_complete_with_their_data(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 8, 2);
    solo_feed_back(s, 1, 0);
    return completions(s) == 0;
}

static bool unmatched_responses_are_discarded(struct solo *s)
{
    feed_response(s, 0, 3, 8);
    return completions(s) == 0;
}

static bool empty_responses_complete(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 8, 2);
    feed_response(s, 0, 0, 0);
    return completions(s) == 1 && code(s) == FAL_CMPL_ACK;
}

static bool long_responses_are_errors(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 8, 2);
    feed_response(s, 0, 0, 9);
    return completions(s) == 1 && code(s) == FAL_CMPL_OP_ERR;
}

static bool rnr_is_not_for_the_ulp(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    feed_nack(s, 0, FAL_NACK_RNR);
    solo_wait(s, RTO);
    return completions(s) == 0 && solo_packets(s, FAL_PUSH_DATA) == 2 &&
           solo_packets(s, FAL_RESYNC) == 0;
}

static bool errors_are_resynced(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    feed_nack(s, 0, FAL_NACK_CIE);
    solo_wait(s, 3 * RTO);
    return solo_packets(s, FAL_RESYNC) > 0;
}

static bool refusal(struct solo *s, enum fal_nack_code nack, enum fal_completion due)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    feed_nack(s, 0, nack);
    solo_feed_back(s, 0, 1);
    return completions(s) == 1 && code(s) == due;
}

static bool cie_completes_as_such(struct solo *s)
{
    return refusal(s, FAL_NACK_CIE, FAL_CMPL_TARGET_CIE);
}

static bool nre_completes_as_such(struct solo *s)
{
    return refusal(s, FAL_NACK_NRE, FAL_CMPL_TARGET_NRE);
}

static bool cid_completes_as_such(struct solo *s)
{
    return refusal(s, FAL_NACK_CID, FAL_CMPL_TARGET_CID);
}

static bool xlr_completes_as_such(struct solo *s)
{
    return refusal(s, FAL_NACK_XLR, FAL_CMPL_REMOTE_ERR);
}

static bool ulp_codes_are_handed_on(struct solo *s)
{
    (void)refusal(s, FAL_NACK_CIE, FAL_CMPL_TARGET_CIE);
    return solo_nth(s, FAL_OUT_COMPLETE, 0)->out.ulp_nack_code == 9;
}

static bool pulls_time_out(struct solo *s)
{
    solo_post(s, FAL_OP_PULL, 8, 2);
    solo_feed_back(s, 1, 0);
    solo_wait(s, FAL_S);
    return completions(s) == 1 && code(s) == FAL_CMPL_LOCAL_TO;
}

static bool posts_on_the_dead_complete(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 50 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    solo_forget(s);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    return completions(s) == 1 && code(s) == FAL_CMPL_DEAD_CONN;
}

static bool requests_leave_in_order(struct solo *s)
{
    for (unsigned i = 0; i < 70; i++) /* beyond fcwnd */
        solo_post(s, FAL_OP_PUSH, 4, i);
    solo_feed_back(s, 0, 1);
    return solo_sent(s, FAL_PUSH_DATA, 64)->packet.rsn == SOLO_RSN + 64;
}

/* Pushes and responses wait for the one place in the data window. */
static bool pull_data_have_their_turn(struct solo *s)
{
    s->open.params.fcwnd = 1;
    s->open.local.cid++;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ + i, PEER_RSN + i);

        p.dest_cid = s->open.local.cid;
        p.request_length = 8;
        solo_feed(s, &p, NULL, 0);
    }
    solo_post_many(s, FAL_OP_PUSH, 5);
    ck_assert(answer(s, 0, FAL_ANSWER_DATA));
    for (uint32_t i = 1; i < 4; i++) {
        struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);

        p.dest_cid = s->open.local.cid;
        p.recv_data_base_psn += i;
        solo_feed(s, &p, NULL, 0);
    }
    return solo_packets(s, FAL_PULL_DATA) == 1;
}

/* ---- resources ---- */

static void limited(struct solo *s)
{
    s->open.params.credit_req_pkt_tx = 2;
    s->open.params.net_pkt_rx = 2;
    s->open.local.cid++;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
}

static bool limits_hold(struct solo *s)
{
    limited(s);
    solo_post_many(s, FAL_OP_PUSH, 3);
    return completions(s) == 1 && solo_packets(s, FAL_PUSH_DATA) == 2;
}

static bool resources_come_back(struct solo *s)
{
    struct fal_falcon p = solo_packet(FAL_BACK, 0, 0);

    limited(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    p.dest_cid = s->open.local.cid;
    p.recv_data_base_psn += 2;
    solo_feed(s, &p, NULL, 0);
    solo_post_many(s, FAL_OP_PUSH, 2);
    return solo_packets(s, FAL_PUSH_DATA) == 4;
}

static bool heads_of_line_are_taken(struct solo *s)
{
    limited(s);
    for (unsigned i = 2; i > 0; i--) {
        struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + i - 1, PEER_RSN + i - 1);

        p.dest_cid = s->open.local.cid;
        p.request_length = 4;
        solo_feed(s, &p, "push", 4);
    }
    return requests(s) == 2;
}

/* Both credits for requests are used up. */
static bool requests_of_the_peer_are_taken(struct solo *s)
{
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);

    limited(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    p.dest_cid = s->open.local.cid;
    p.request_length = 4;
    solo_feed(s, &p, "push", 4);
    return requests(s) == 1;
}

static bool pulls_are_answered(struct solo *s)
{
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    limited(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    p.dest_cid = s->open.local.cid;
    p.request_length = 8;
    solo_feed(s, &p, NULL, 0);
    return answer(s, 0, FAL_ANSWER_DATA) && solo_packets(s, FAL_PULL_DATA) == 1;
}

/* Both places for requests are taken. */
static bool responses_have_room(struct solo *s)
{
    struct fal_falcon data = solo_packet(FAL_PULL_DATA, PEER_DATA + 2, SOLO_RSN);

    limited(s);
    solo_post(s, FAL_OP_PULL, 4, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA + i, PEER_RSN + i);

        p.dest_cid = s->open.local.cid;
        p.request_length = 4;
        solo_feed(s, &p, "push", 4);
    }
    data.dest_cid = s->open.local.cid;
    solo_feed(s, &data, "data", 4);
    return completions(s) == 1;
}

/* ---- the target ---- */

static bool both_windows_are_delivered_in_order(struct solo *s)
{
    solo_feed_push(s, 0, false);
    solo_feed_pull(s, 0, 2, false); /* RSN 1 is a push that is still on its way */
    return requests(s) == 1;
}

static bool what_is_acknowledged_was_delivered(struct solo *s)
{
    for (unsigned i = 0; i < 3; i++)
        solo_feed_push(s, i, false);
    return requests(s) == 3;
}

static bool followers_wait(struct solo *s)
{
    solo_feed_push(s, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_RNR));
    solo_feed_push(s, 1, false);
    return requests(s) == 1;
}

static bool rnr_pushes_come_again(struct solo *s)
{
    solo_feed_push(s, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_RNR));
    solo_feed_push(s, 0, false);
    return requests(s) == 2;
}

static bool rnr_has_one_nack(struct solo *s)
{
    return rnr_pushes_come_again(s) && nacks(s) == 1;
}

static bool rnr_pulls_come_again(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_RNR));
    solo_wait(s, 100000);
    return requests(s) == 2;
}

static bool rnr_pulls_wait(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_RNR));
    solo_wait(s, 99999);
    return requests(s) == 1;
}

static bool pulls_are_not_nacked(struct solo *s)
{
    (void)rnr_pulls_wait(s);
    return nacks(s) == 0;
}

/* Twice the same CIE: a NACK each time, no delivery. */
static bool refused_twice(struct solo *s)
{
    solo_feed_push(s, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_CIE));
    solo_feed_push(s, 0, false);
    return nacks(s) == 2 && solo_sent(s, FAL_NACK, 1)->packet.ulp_nack_code == 7;
}

static bool refused_is_not_delivered_again(struct solo *s)
{
    (void)refused_twice(s);
    return requests(s) == 1;
}

static bool errors_are_not_acknowledged(struct solo *s)
{
    solo_feed_push(s, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_CIE));
    return nacks(s) == 1 && solo_state(s).rx_dbpsn == PEER_DATA;
}

static bool nacked_with(struct solo *s, enum fal_answer what, enum fal_nack_code due)
{
    solo_feed_push(s, 0, false);
    ck_assert(answer(s, 0, what));
    return solo_sent(s, FAL_NACK, 0)->packet.nack_code == due;
}

static bool nre_has_its_nack_code(struct solo *s)
{
    return nacked_with(s, FAL_ANSWER_NRE, FAL_NACK_NRE);
}

static bool cid_has_its_nack_code(struct solo *s)
{
    return nacked_with(s, FAL_ANSWER_CID, FAL_NACK_CID);
}

static bool pulls_in_error_are_answered(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_CIE));
    return solo_packets(s, FAL_PULL_DATA) == 1 && nacks(s) == 0;
}

/* ---- NACKs that nothing asked for ---- */

static bool requests_are_not_nacked(struct solo *s)
{
    for (uint32_t i = 0; i < 2; i++)
        solo_feed_push(s, i, false);
    return nacks(s) == 0;
}

static const struct solo_out *response(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    ck_assert(answer(s, 0, FAL_ANSWER_DATA));
    return solo_sent(s, FAL_PULL_DATA, 0);
}

static bool responses_have_the_rsn(struct solo *s)
{
    return response(s)->packet.rsn == PEER_RSN;
}

static bool responses_are_whole(struct solo *s)
{
    return response(s)->out.payload_len == 8;
}

static bool responses_are_sent_once(struct solo *s)
{
    (void)response(s);
    return solo_packets(s, FAL_PULL_DATA) == 1;
}

/* ---- the cases ---- */

static bool own_filter_completes_as_such(struct solo *s)
{
    fal_endpoint_close(s->ep, s->conn);
    s->open.params.xlr_initiator = 1;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_back(s, 0, 1);
    return code(s) == FAL_CMPL_LOCAL_XLR;
}

static bool responds_with(struct solo *s, size_t len, enum fal_completion due)
{
    solo_post(s, FAL_OP_PULL, 8, 1);
    feed_response(s, 0, 0, len);
    return completions(s) == 1 && code(s) == due;
}

static bool long_responses_complete_as_such(struct solo *s)
{
    return responds_with(s, 12, FAL_CMPL_OP_ERR);
}

static bool short_responses_complete_well(struct solo *s)
{
    return responds_with(s, 4, FAL_CMPL_ACK);
}

static bool success_completes_as_such(struct solo *s)
{
    return responds_with(s, 8, FAL_CMPL_ACK);
}

static bool pulls_are_delivered(struct solo *s)
{
    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    return requests(s) == 2;
}

/* The scene's RSNs are small, so it closes the connection and begins anew near their end. */
static bool delivery_goes_on_past_the_wrap(struct solo *s)
{
    struct fal_falcon last, first;

    fal_endpoint_close(s->ep, s->conn);
    s->open.peer.rsn = UINT32_MAX;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
    last = solo_packet(FAL_PULL_REQUEST, PEER_REQ, UINT32_MAX);
    first = solo_packet(FAL_PULL_REQUEST, PEER_REQ + 1, 0);
    solo_feed(s, &last, NULL, 0);
    solo_feed(s, &first, NULL, 0);
    return requests(s) == 2;
}

static const struct {
    enum fal_fault_id fault;
    bool (*right)(struct solo *s);
} cases[] = {
    {FAL_FAULT_RSN_SKIPPED, rsns_count_up},
    {FAL_FAULT_PULL_RSN_REPEATED, pulls_have_their_rsn},
    {FAL_FAULT_PULL_LENGTH_WRONG, pulls_ask_for_their_length},
    {FAL_FAULT_COMPLETION_BEFORE_ACK, pushes_complete_when_acknowledged},
    {FAL_FAULT_COMPLETION_LOST, all_complete},
    {FAL_FAULT_PULLS_COMPLETE_APART, completions_of_both_kinds_are_in_order},
    {FAL_FAULT_PULL_COMPLETED_ON_ACK, pulls_complete_with_their_data},
    {FAL_FAULT_PULL_DATA_UNMATCHED_DELIVERED, unmatched_responses_are_discarded},
    {FAL_FAULT_PULL_DATA_EMPTY_DISCARDED, empty_responses_complete},
    {FAL_FAULT_PULL_DATA_LONG_DELIVERED, long_responses_are_errors},
    {FAL_FAULT_RNR_COMPLETES, rnr_is_not_for_the_ulp},
    {FAL_FAULT_ERROR_WITHOUT_RESYNC, errors_are_resynced},
    {FAL_FAULT_CIE_COMPLETES_WELL, cie_completes_as_such},
    {FAL_FAULT_NRE_COMPLETES_AS_CIE, nre_completes_as_such},
    {FAL_FAULT_CID_COMPLETES_AS_NRE, cid_completes_as_such},
    {FAL_FAULT_REMOTE_XLR_COMPLETES_AS_CIE, xlr_completes_as_such},
    {FAL_FAULT_TIMEOUT_COMPLETES_AS_DEAD, pulls_time_out},
    {FAL_FAULT_TRANSACTION_NEVER_TIMES_OUT, pulls_time_out},
    {FAL_FAULT_ULP_CODE_NOT_TOLD, ulp_codes_are_handed_on},
    {FAL_FAULT_DEAD_CONNECTION_SILENT, posts_on_the_dead_complete},
    {FAL_FAULT_REQUESTS_SENT_LAST_FIRST, requests_leave_in_order},
    {FAL_FAULT_PULL_DATA_STARVED, pull_data_have_their_turn},
    {FAL_FAULT_LIMITS_IGNORED, limits_hold},
    {FAL_FAULT_RESOURCES_LEAKED, resources_come_back},
    {FAL_FAULT_HEAD_OF_LINE_REFUSED, heads_of_line_are_taken},
    {FAL_FAULT_POOLS_SHARED, requests_of_the_peer_are_taken},
    {FAL_FAULT_RESPONSES_SHARE_CREDITS, pulls_are_answered},
    {FAL_FAULT_RESPONSE_ROOM_LATE, responses_have_room},
    {FAL_FAULT_ROOM_REFUSED, requests_are_not_nacked},
    {FAL_FAULT_RNR_WITHOUT_CAUSE, requests_are_not_nacked},
    {FAL_FAULT_ERROR_WITHOUT_CAUSE, requests_are_not_nacked},
    {FAL_FAULT_FILTER_WITHOUT_CAUSE, requests_are_not_nacked},
    {FAL_FAULT_ORDERED_DELIVERY_BY_PSN, both_windows_are_delivered_in_order},
    {FAL_FAULT_DELIVERY_LOST, what_is_acknowledged_was_delivered},
    {FAL_FAULT_RNR_NOT_STICKY, followers_wait},
    {FAL_FAULT_RNR_PUSH_FORGOTTEN, rnr_pushes_come_again},
    {FAL_FAULT_RNR_NACK_AGAIN, rnr_has_one_nack},
    {FAL_FAULT_RNR_PULL_FORGOTTEN, rnr_pulls_come_again},
    {FAL_FAULT_RNR_PULL_EARLY, rnr_pulls_wait},
    {FAL_FAULT_RNR_PULL_NACKED, pulls_are_not_nacked},
    {FAL_FAULT_RNR_REDELIVERED_TWICE, rnr_pushes_come_again},
    {FAL_FAULT_CIE_REDELIVERED, refused_is_not_delivered_again},
    {FAL_FAULT_CIE_NACK_ONCE, refused_twice},
    {FAL_FAULT_CIE_NACK_REPEATED_OTHERWISE, refused_twice},
    {FAL_FAULT_ERROR_ACKNOWLEDGED, errors_are_not_acknowledged},
    {FAL_FAULT_NRE_NACK_WRONG_CODE, nre_has_its_nack_code},
    {FAL_FAULT_CID_NACK_WRONG_CODE, cid_has_its_nack_code},
    {FAL_FAULT_PULL_ERROR_NACKED, pulls_in_error_are_answered},
    {FAL_FAULT_PULL_ERROR_UNANSWERED, pulls_in_error_are_answered},
    {FAL_FAULT_PULL_DATA_WRONG_RSN, responses_have_the_rsn},
    {FAL_FAULT_PULL_DATA_SHORT, responses_are_whole},
    {FAL_FAULT_PULL_DATA_OF_NOTHING, responses_are_whole},
    {FAL_FAULT_PULL_DATA_DOUBLED, responses_are_sent_once},
    {FAL_FAULT_LOCAL_XLR_COMPLETES_AS_REMOTE, own_filter_completes_as_such},
    {FAL_FAULT_TOO_LONG_COMPLETES_AS_CIE, long_responses_complete_as_such},
    {FAL_FAULT_SHORT_PULL_DATA_REFUSED, short_responses_complete_well},
    {FAL_FAULT_SUCCESS_COMPLETES_AS_CIE, success_completes_as_such},
    {FAL_FAULT_COMPLETION_CODE_RESERVED, cie_completes_as_such},
    {FAL_FAULT_PULL_DELIVERY_LOST, pulls_are_delivered},
    {FAL_FAULT_DELIVERY_ENDS_AT_WRAP, delivery_goes_on_past_the_wrap},
};

enum { CASES = sizeof cases / sizeof *cases };

START_TEST(it_is_right_without_and_wrong_with_the_fault)
{
    size_t n;
    const char *name = fal_faults(&n)[cases[_i].fault].name;
    struct solo *s = solo();

    ck_assert_msg(cases[_i].right(s), "%s: wrong without it", name);
    solo_free(s);
    s = solo_new();
    solo_fault(s, cases[_i].fault);
    solo_open(s);
    ck_assert_msg(!cases[_i].right(s), "%s: right with it", name);
    ck_assert_uint_gt(fal_endpoint_fault_acts(s->ep, cases[_i].fault), 0);
    solo_free(s);
}
END_TEST

/* The rows that other tests of this folder show. */
START_TEST(every_fault_of_the_transaction_sublayer_has_a_case)
{
#define ID(id, ...) FAL_FAULT_##id,
    static const enum fal_fault_id rows[] = {FAL_FAULTS_TRANSACTIONS(ID)};
    size_t n;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        /* schedule_test.c, faults_meant_test.c */
        bool found =
            rows[i] == FAL_FAULT_PULLS_ON_ANOTHER || rows[i] == FAL_FAULT_PUSHES_ON_ANOTHER ||
            rows[i] == FAL_FAULT_ANSWERS_ON_ANOTHER || rows[i] == FAL_FAULT_ONE_ROLE ||
            rows[i] == FAL_FAULT_CONNECTIONS_STARVED || rows[i] == FAL_FAULT_ENDED_HOLDS ||
            rows[i] == FAL_FAULT_ERROR_STALLS_OTHERS ||
            rows[i] == FAL_FAULT_UNORDERED_IN_ORDER ||
            rows[i] == FAL_FAULT_RNR_PULL_OF_ANOTHER ||
            rows[i] == FAL_FAULT_DEAD_CONNECTION_ANSWERS ||
            rows[i] == FAL_FAULT_ERROR_OF_ANOTHER || rows[i] == FAL_FAULT_ERROR_NACK_FATAL ||
            rows[i] == FAL_FAULT_REFUSED_COMPLETES_WELL ||
            rows[i] == FAL_FAULT_RNR_PUSH_OVERTAKES;

        for (size_t c = 0; c < CASES; c++)
            found |= cases[c].fault == rows[i];
        ck_assert_msg(found, "%s", fal_faults(&n)[rows[i]].name);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of transactions");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, it_is_right_without_and_wrong_with_the_fault, 0, CASES);
    tcase_add_test(tc, every_fault_of_the_transaction_sublayer_has_a_case);
    suite_add_tcase(suite, tc);
    return suite;
}
