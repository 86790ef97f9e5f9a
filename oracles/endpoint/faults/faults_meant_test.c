/* SPDX-License-Identifier: Apache-2.0
 * faults_meant_test.c - each fault of whom something is meant for breaks what it says: which
 * transaction an error or an answer ends, which request has to wait, who is dead.
 *
 * As in faults_transactions_test.c a case plays a scene twice, with the fault and without. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define RTO UINT64_C(1000000)

static unsigned requests(const struct solo *s)
{
    return (unsigned)solo_count(s, FAL_OUT_REQUEST);
}

static unsigned completions(const struct solo *s)
{
    return (unsigned)solo_count(s, FAL_OUT_COMPLETE);
}

/* Opens the connection once more, with what s->open says now. */
static void reopen(struct solo *s)
{
    fal_endpoint_close(s->ep, s->conn);
    ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &s->conn), 0);
}

static void reopen_unordered(struct solo *s)
{
    s->open.params.ordered = false;
    reopen(s);
}

static bool the_unordered_do_not_wait(struct solo *s)
{
    reopen_unordered(s);
    solo_feed_pull(s, 1, 1, false);
    return requests(s) == 1;
}

static bool the_pull_that_was_named_comes_again(struct solo *s)
{
    reopen_unordered(s);
    solo_feed_pull(s, 0, 0, false);
    solo_feed_pull(s, 1, 1, false);
    ck_assert_int_eq(
        solo_answer(s, (struct fal_endpoint_in){.rnr_ns = 100000}, 1, FAL_ANSWER_RNR), 0);
    solo_wait(s, 200000);
    return requests(s) == 3 &&
           solo_nth(s, FAL_OUT_REQUEST, 2)->out.rsn == solo_nth(s, FAL_OUT_REQUEST, 1)->out.rsn;
}

static bool the_dead_take_no_packets(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_wait(s, 50 * RTO);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 1);
    solo_feed_push(s, 0, false);
    return requests(s) == 0;
}

static bool only_the_refused_ends_in_error(struct solo *s)
{
    uint32_t first = solo_post(s, FAL_OP_PUSH, 4, 1);
    struct fal_falcon nack = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_feed(s, &nack, NULL, 0);
    solo_feed_back(s, 0, 2);
    return completions(s) == 2 && solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn == first &&
           solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code == FAL_CMPL_TARGET_CIE;
}

static bool a_refused_pull_leaves_the_connection(struct solo *s)
{
    struct fal_falcon nack = solo_nack(SOLO_REQ, FAL_NACK_CIE);

    nack.window = FAL_WINDOW_REQ;
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed(s, &nack, NULL, 0);
    return solo_count(s, FAL_OUT_CM) == 0;
}

static bool a_post_without_credits_is_an_error(struct solo *s)
{
    s->open.params.credit_req_pkt_tx = 1;
    reopen(s);
    solo_post_many(s, FAL_OP_PUSH, 2);
    return completions(s) == 1 && solo_nth(s, FAL_OUT_COMPLETE, 0)->out.code != FAL_CMPL_ACK;
}

static void rnr(struct solo *s, uint32_t rsn)
{
    ck_assert_int_eq(
        solo_answer(s, (struct fal_endpoint_in){.rnr_ns = 100000}, rsn, FAL_ANSWER_RNR), 0);
}

static uint32_t rsn_of_request(const struct solo *s, unsigned n)
{
    return solo_nth(s, FAL_OUT_REQUEST, n)->out.rsn - PEER_RSN;
}

/* A copy of the later push comes first. */
static bool the_earlier_push_comes_again_first(struct solo *s)
{
    for (uint32_t i = 0; i < 2; i++)
        solo_feed_push(s, i, false);
    rnr(s, 0);
    rnr(s, 1);
    solo_feed_push(s, 1, false);
    solo_feed_push(s, 0, false);
    return requests(s) == 3 && rsn_of_request(s, 2) == 0;
}

static bool the_earlier_pull_comes_again_first(struct solo *s)
{
    for (uint32_t i = 0; i < 2; i++)
        solo_feed_pull(s, i, i, false);
    rnr(s, 0);
    rnr(s, 1);
    solo_wait(s, 200000);
    return requests(s) == 3 && rsn_of_request(s, 2) == 0;
}

/* Answers two pulls, one after the other; true if both answers leave. */
static bool answers_leave(struct solo *s)
{
    static const uint8_t payload[4] = "data";

    for (uint32_t i = 0; i < 2; i++) {
        solo_feed_pull(s, i, i, false);
        FAL_IGNORE(solo_answer(s, (struct fal_endpoint_in){.payload = payload, .length = 4}, i,
                               FAL_ANSWER_DATA));
        solo_feed_back(s, 0, i + 1);
    }
    return solo_packets(s, FAL_PULL_DATA) == 2;
}

static bool credits_of_responses_come_back(struct solo *s)
{
    s->open.params.credit_data_pkt_tx = 1;
    reopen(s);
    return answers_leave(s);
}

static bool acknowledged_pulls_are_over(struct solo *s)
{
    return answers_leave(s) && solo_state(s).open_received == 0;
}

static bool the_only_request_of_an_unordered_connection_is_taken(struct solo *s)
{
    s->open.params.net_pkt_rx = 1;
    reopen_unordered(s);
    solo_feed_push(s, 3, false);
    return requests(s) == 1;
}

/* Opens another connection at the same endpoint; its number. */
static uint32_t open_another(struct solo *s)
{
    struct fal_endpoint_conn other = s->open;
    uint32_t conn;

    other.local.cid++;
    other.peer.cid++;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &other, s->now_ns, &conn), 0);
    return conn;
}

/* FTP-8.4.3.1-01, FTP-8.4.3.3-02 */
static bool leaves_on_its_connection(struct solo *s, enum fal_ulp_op op,
                                     enum fal_packet_type type)
{
    open_another(s);
    solo_post(s, op, 4, 1);
    return solo_sent(s, type, 0)->packet.dest_cid == SOLO_PEER_CID;
}

static bool pulls_leave_on_their_connection(struct solo *s)
{
    return leaves_on_its_connection(s, FAL_OP_PULL, FAL_PULL_REQUEST);
}

static bool pushes_leave_on_their_connection(struct solo *s)
{
    return leaves_on_its_connection(s, FAL_OP_PUSH, FAL_PUSH_DATA);
}

/* FTP-8.5.3.2-02: a pull waits on each connection; the answer to one is sent on that. */
static bool answers_leave_on_their_connection(struct solo *s)
{
    struct fal_falcon pull = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    open_another(s);
    pull.request_length = 4;
    solo_feed(s, &pull, NULL, 0);
    pull.dest_cid++;
    solo_feed(s, &pull, NULL, 0);
    ck_assert_int_eq(
        solo_answer(s,
                    (struct fal_endpoint_in){.payload = (const uint8_t *)"data", .length = 4},
                    0, FAL_ANSWER_DATA),
        0);
    return solo_sent(s, FAL_PULL_DATA, 0)->packet.dest_cid == SOLO_PEER_CID;
}

/* FTP-8-01 */
static bool an_initiator_is_a_target_too(struct solo *s)
{
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_push(s, 0, false);
    return requests(s) == 1;
}

static const struct {
    enum fal_fault_id fault;
    bool (*right)(struct solo *s);
} cases[] = {
    {FAL_FAULT_PULLS_ON_ANOTHER, pulls_leave_on_their_connection},
    {FAL_FAULT_PUSHES_ON_ANOTHER, pushes_leave_on_their_connection},
    {FAL_FAULT_ANSWERS_ON_ANOTHER, answers_leave_on_their_connection},
    {FAL_FAULT_ONE_ROLE, an_initiator_is_a_target_too},
    {FAL_FAULT_RNR_PUSH_OVERTAKES, the_earlier_push_comes_again_first},
    {FAL_FAULT_RNR_REDELIVERED_BACKWARDS, the_earlier_pull_comes_again_first},
    {FAL_FAULT_RESPONSE_CREDITS_LEAKED, credits_of_responses_come_back},
    {FAL_FAULT_PULLS_NEVER_CLOSED, acknowledged_pulls_are_over},
    {FAL_FAULT_UNORDERED_HEAD_REFUSED, the_only_request_of_an_unordered_connection_is_taken},
    {FAL_FAULT_UNORDERED_IN_ORDER, the_unordered_do_not_wait},
    {FAL_FAULT_RNR_PULL_OF_ANOTHER, the_pull_that_was_named_comes_again},
    {FAL_FAULT_DEAD_CONNECTION_ANSWERS, the_dead_take_no_packets},
    {FAL_FAULT_ERROR_OF_ANOTHER, only_the_refused_ends_in_error},
    {FAL_FAULT_ERROR_NACK_FATAL, a_refused_pull_leaves_the_connection},
    {FAL_FAULT_REFUSED_COMPLETES_WELL, a_post_without_credits_is_an_error},
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of who is meant");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, it_is_right_without_and_wrong_with_the_fault, 0, CASES);
    suite_add_tcase(suite, tc);
    return suite;
}
