/* SPDX-License-Identifier: Apache-2.0
 * rue_queue_test.c - a RUE outside the endpoint, reached through the queues of 10.6.2, and
 * which events they get: 10.6.1. */
#include "oracles/endpoint/delivery/rue_policy.h"
#include "oracles/endpoint/rig/bench_sealed.h"
#include "tests/testing.h"

static struct solo *outside(enum fal_cc_format format)
{
    struct solo *s = sealed_new();

    s->config.rue = (struct fal_rue_config){
        .outside = true, .format = format, .depth = {2, 4, 6}, .p1_ns = 1000, .p2_packets = 2};
    solo_open(s);
    return s;
}

static struct fal_cc_event read_event(const struct solo *s, size_t n)
{
    const struct solo_out *out = solo_nth(s, FAL_OUT_RUE, n);
    struct fal_cc_event event;

    ck_assert_uint_eq(out->out.len, FAL_CC_ENTRY_LEN);
    ck_assert_int_gt(fal_cc_decode(s->config.rue.format, FAL_CC_ENTRY_EVENT, out->bytes,
                                   sizeof out->bytes, &event),
                     0);
    return event;
}

static int give_result(struct solo *s, const struct fal_cc_result *result, size_t len)
{
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    const struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .bytes = bytes, .len = len};
    int rc;

    ck_assert_int_gt(
        fal_cc_encode(s->config.rue.format, FAL_CC_ENTRY_RESULT, result, bytes, NULL), 0);
    rc = fal_endpoint_input(s->ep, &in, s->now_ns, NULL);
    solo_drain(s);
    return rc;
}

START_TEST(FTP_10_6_2_2_01_02_a_RUE_outside_reads_and_writes_entries)
{
    struct solo *s = outside((enum fal_cc_format)_i); /* AMB-69 */
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    struct fal_cc_event event;
    struct fal_cc_result result;

    sealed_feed_now(s, &ack);
    event = read_event(s, 0);
    ck_assert_uint_eq(event.connection_id, SOLO_CID);
    fal_cc_unchanged(&event, &result);
    ck_assert_uint_eq(result.connection_id, SOLO_CID);
    result.fcwnd_integer = 1;
    ck_assert_int_eq(give_result(s, &result, FAL_CC_ENTRY_LEN), 0);
    solo_post_many(s, FAL_OP_PUSH, 3);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 1);
    result.fcwnd_integer = 3; /* a larger window lets the others go at once */
    ck_assert_int_eq(give_result(s, &result, FAL_CC_ENTRY_LEN), 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    ck_assert_int_eq(give_result(s, &result, FAL_CC_ENTRY_LEN - 1), FAL_ERR_SHORT);
    result.connection_id = 4242;
    ck_assert_int_eq(give_result(s, &result, FAL_CC_ENTRY_LEN), FAL_ERR_RANGE);
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_1_01_to_04_a_fuller_queue_takes_fewer_events)
{
    /* Depths 2, 4, 6 (AMB-43): always; P1 or P2; P1 and P2; never. */
    static const struct {
        uint64_t wait_ns;
        uint32_t acked;
        bool event;
    } rows[] = {{0, 0, true},     {0, 0, true},                      /* 0 and 1 waiting */
                {0, 0, false},    {1000, 2, false}, {1001, 0, true}, /* 2: either will do */
                {0, 2, false},    {0, 1, true},                      /* 3: acked since is 3 */
                {2000, 0, false}, {0, 3, true},                      /* 4: both */
                {2000, 3, true},  {9000, 9, false}};                 /* 5; 6: none */
    struct solo *s = outside(FAL_CC_TABLE_MSB);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    size_t events = 0;

    solo_post_many(s, FAL_OP_PUSH, 40);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        s->now_ns += rows[i].wait_ns;
        ack.recv_data_base_psn += rows[i].acked;
        sealed_feed_now(s, &ack);
        events += rows[i].event;
        ck_assert_msg(solo_count(s, FAL_OUT_RUE) == events, "row %zu", i);
    }
    ck_assert_uint_eq(read_event(s, 3).num_packets_acked, 3); /* of skipped ones too */
    solo_free(s);
}
END_TEST

START_TEST(FTP_10_6_2_1_34_gen_turns_with_each_pass_of_the_ring)
{
    struct solo *s = outside(FAL_CC_TABLE_MSB);
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);
    struct fal_cc_event event;
    struct fal_cc_result result;

    for (unsigned i = 0; i < 3000; i++) {
        solo_forget(s);
        sealed_feed_now(s, &ack);
        event = read_event(s, 0);
        ck_assert_uint_eq(event.gen, i / 1024 % 2 == 0);
        fal_cc_unchanged(&event, &result);
        ck_assert_int_eq(give_result(s, &result, FAL_CC_ENTRY_LEN), 0);
    }
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("RUE queues");
    TCase *tc = tcase_create("queues");

    tcase_add_loop_test(tc, FTP_10_6_2_2_01_02_a_RUE_outside_reads_and_writes_entries,
                        FAL_CC_TABLE_MSB, FAL_CC_GEN1_LSB + 1);
    tcase_add_test(tc, FTP_10_6_1_01_to_04_a_fuller_queue_takes_fewer_events);
    tcase_add_test(tc, FTP_10_6_2_1_34_gen_turns_with_each_pass_of_the_ring);
    suite_add_tcase(suite, tc);
    return suite;
}
