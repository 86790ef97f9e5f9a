/* SPDX-License-Identifier: Apache-2.0
 * faults_test.c - each fault breaks what it says; and under each the endpoint stays sound and
 * plain traffic flows where it can. */
#include "oracles/catalogue.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#include <ctype.h>

#define RTO UINT64_C(1000000)

static struct solo *with(enum fal_fault_id id)
{
    struct solo *s = solo_new();

    solo_fault(s, id);
    return s;
}

static struct solo *open_with(enum fal_fault_id id)
{
    struct solo *s = with(id);

    solo_open(s);
    return s;
}

/* ---- the table ---- */

START_TEST(every_row_is_complete_and_its_requirements_exist)
{
    size_t n;
    const struct fal_fault *rows = fal_faults(&n);

    ck_assert_uint_ge(n, 16);
    for (size_t i = 0; i < n; i++) {
        char ids[1024], *save = NULL;
        unsigned count = 0;

        ck_assert_int_eq(fal_fault_find(rows[i].name), (int)i);
        for (const char *c = rows[i].name; *c != '\0'; c++)
            ck_assert(islower(*c) || isdigit(*c) || *c == '-');
        ck_assert_uint_lt(strlen(rows[i].requirements), sizeof ids);
        strcpy(ids, rows[i].requirements);
        for (char *id = strtok_r(ids, " ", &save); id != NULL;
             id = strtok_r(NULL, " ", &save)) {
            ck_assert_msg(fal_requirement_find(id) != NULL, "%s: %s", rows[i].name, id);
            count++;
        }
        ck_assert_uint_gt(count, 0);
        ck_assert_uint_gt(strlen(rows[i].section), 0);
        ck_assert_int_eq(rows[i].doc[strlen(rows[i].doc) - 1], '.');
    }
    ck_assert_int_eq(fal_fault_find("no-such-fault"), -1);
    ck_assert_int_eq(fal_fault_find(""), -1);
}
END_TEST

START_TEST(one_in_n_acts_about_every_nth_time)
{
    for (uint32_t one_in = 0; one_in < 8; one_in++) {
        struct solo *s = with(FAL_FAULT_RESERVED_BITS_SET);
        unsigned acted = 0;

        s->config.faults.one_in = one_in;
        s->config.seed = 5;
        solo_open(s);
        for (uint32_t i = 0; i < 1000; i++) {
            solo_feed_pull(s, i, i, true);
            acted += solo_sent(s, FAL_BACK, 0)->packet.reserved_0;
            solo_forget(s);
        }
        ck_assert_uint_ge(acted, one_in < 2 ? 1000 : 1000 / one_in * 8 / 10);
        ck_assert_uint_le(acted, one_in < 2 ? 1000 : 1000 / one_in * 12 / 10);
        solo_free(s);
    }
}
END_TEST

/* ---- what the receiver does wrong ---- */

START_TEST(ack_before_ulp)
{
    struct solo *s = open_with(FAL_FAULT_ACK_BEFORE_ULP);

    solo_feed_push(s, 0, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_sent(s, FAL_BACK, 0)->packet.recv_data_base_psn, PEER_DATA + 1);
    solo_ack(s, 0);
    ck_assert_uint_eq(solo_state(s).rx_dbpsn, PEER_DATA + 1);
    solo_free(s);
}
END_TEST

START_TEST(rx_bitmap_shifted)
{
    struct solo *s = open_with(FAL_FAULT_RX_BITMAP_SHIFTED);

    solo_feed_push(s, 1, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(fal_u128_lo(solo_sent(s, FAL_EACK, 0)->packet.data_rx_bitmap), 4);
    solo_free(s);
}
END_TEST

START_TEST(eack_omitted_on_hole)
{
    struct solo *s = open_with(FAL_FAULT_EACK_OMITTED_ON_HOLE);

    solo_feed_push(s, 1, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_feed_pull(s, 1, 2, true); /* but not for other reasons once the hole is filled */
    solo_feed_push(s, 0, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_EACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(eack_bit0_set)
{
    struct solo *s = open_with(FAL_FAULT_EACK_BIT0_SET);

    solo_feed_push(s, 1, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(fal_u128_lo(solo_sent(s, FAL_EACK, 0)->packet.data_ack_bitmap), 1);
    ck_assert_uint_eq(solo_sent(s, FAL_EACK, 0)->packet.req_bitmap, 1);
    solo_free(s);
}
END_TEST

START_TEST(own_never_set)
{
    struct solo *s = open_with(FAL_FAULT_OWN_NEVER_SET);

    solo_feed_push(s, 128, false);
    solo_feed_pull(s, 64, 0, false);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(own_never_cleared)
{
    struct solo *s = open_with(FAL_FAULT_OWN_NEVER_CLEARED);

    solo_feed_push(s, 128, false);
    for (uint32_t i = 0; i < 3; i++) {
        solo_feed_pull(s, i, i, true);
        ck_assert_uint_eq(solo_sent(s, FAL_EACK, i)->packet.own, FAL_OWN_DATA);
    }
    solo_free(s);
}
END_TEST

START_TEST(base_goes_back)
{
    static const uint32_t due[] = {1, 1, 3, 3, 5, 5};
    struct solo *s = open_with(FAL_FAULT_BASE_GOES_BACK);

    for (uint32_t i = 0; i < 6; i++) {
        solo_feed_push(s, i, true);
        solo_ack(s, i);
        ck_assert_uint_eq(solo_sent(s, FAL_BACK, i)->packet.recv_data_base_psn,
                          PEER_DATA + due[i]);
    }
    solo_free(s);
}
END_TEST

START_TEST(base_goes_back_never_before_the_first)
{
    struct solo *s = open_with(FAL_FAULT_BASE_GOES_BACK);

    for (uint32_t i = 0; i < 4; i++) {
        solo_feed_pull(s, i, i, true);
        ck_assert_uint_eq(solo_sent(s, FAL_BACK, i)->packet.recv_data_base_psn, PEER_DATA);
    }
    solo_free(s);
}
END_TEST

START_TEST(acks_unsent)
{
    static const uint32_t due[] = {3, 0, 0, 3};
    struct solo *s = open_with(FAL_FAULT_ACKS_UNSENT);

    solo_feed_push(s, 1, false); /* one was received, so the one after it is claimed */
    for (uint32_t i = 0; i < 4; i++) {
        solo_feed_pull(s, i, i, true);
        ck_assert_uint_eq(solo_sent(s, FAL_EACK, i)->packet.recv_data_base_psn,
                          PEER_DATA + due[i]);
    }
    solo_free(s);
}
END_TEST

START_TEST(ar_ignored)
{
    struct solo *s = open_with(FAL_FAULT_AR_IGNORED);

    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 0);
    solo_wait(s, 8000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(coalescing_never)
{
    struct solo *s = open_with(FAL_FAULT_COALESCING_NEVER);

    solo_feed_pull(s, 0, 0, false);
    solo_wait(s, 80000);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 0);
    solo_feed_pull(s, 1, 1, true);
    ck_assert_uint_eq(solo_packets(s, FAL_BACK), 1);
    solo_free(s);
}
END_TEST

START_TEST(psn_compare_unsigned)
{
    struct solo *s = with(FAL_FAULT_PSN_COMPARE_UNSIGNED);
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, 0, PEER_RSN);

    s->open.params.ordered = false;
    s->open.peer.data_psn = UINT32_MAX;
    solo_open(s);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    p.psn--;
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(duplicate_delivered)
{
    struct solo *s = open_with(FAL_FAULT_DUPLICATE_DELIVERED);

    solo_feed_push(s, 0, false);
    solo_feed_push(s, 0, false); /* pending */
    solo_ack(s, 0);
    solo_feed_push(s, 0, false);   /* old */
    solo_feed_push(s, 200, false); /* beyond: not a duplicate */
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_REQUEST, 2)->bytes, "push", 4);
    ck_assert(!solo_nth(s, FAL_OUT_REQUEST, 2)->out.redelivery);
    solo_free(s);
}
END_TEST

START_TEST(copy_of_pull_delivered)
{
    struct solo *s = open_with(FAL_FAULT_COPY_OF_PULL_DELIVERED);
    struct fal_falcon p = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    for (unsigned i = 0; i < 3; i++)
        solo_feed(s, &p, NULL, 0);
    p.psn += 200; /* beyond: not a duplicate */
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 3);
    ck_assert_int_eq(solo_nth(s, FAL_OUT_REQUEST, 2)->out.op, FAL_OP_PULL);
    solo_free(s);
}
END_TEST

START_TEST(payload_corrupted)
{
    struct solo *s = open_with(FAL_FAULT_PAYLOAD_CORRUPTED);
    struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + 1, SOLO_RSN);

    solo_feed_push(s, 0, false);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->bytes, "pusi", 4);
    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_feed(s, &p, "data", 4);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->bytes, "dat`", 4);
    solo_free(s);
}
END_TEST

START_TEST(delivery_unordered)
{
    struct solo *s = open_with(FAL_FAULT_DELIVERY_UNORDERED);

    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 1);
    solo_free(s);
}
END_TEST

START_TEST(cie_nack_wrong_code)
{
    struct solo *s = open_with(FAL_FAULT_CIE_NACK_WRONG_CODE);

    solo_feed_push(s, 0, false);
    ck_assert_int_eq(solo_answer(s, (struct fal_endpoint_in){.code = 9}, 0, FAL_ANSWER_CIE), 0);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.nack_code, FAL_NACK_NRE);
    ck_assert_uint_eq(solo_sent(s, FAL_NACK, 0)->packet.ulp_nack_code, 9);
    solo_free(s);
}
END_TEST

/* ---- what the transmitter does wrong ---- */

START_TEST(rnr_timeout_ignored)
{
    struct solo *s = open_with(FAL_FAULT_RNR_TIMEOUT_IGNORED);
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_RNR);

    p.rnr_timeout = 4; /* 40 us */
    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, 20000);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 2);
    p.rnr_timeout = 0;
    solo_feed(s, &p, NULL, 0);
    solo_wait(s, RTO / 2);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 3);
    solo_free(s);
}
END_TEST

START_TEST(resync_wrong_psn)
{
    struct solo *s = open_with(FAL_FAULT_RESYNC_WRONG_PSN);
    struct fal_falcon p = solo_nack(SOLO_DATA, FAL_NACK_CIE);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.psn, SOLO_DATA + 1);
    ck_assert_uint_eq(solo_sent(s, FAL_RESYNC, 0)->packet.rsn, SOLO_RSN);
    solo_free(s);
}
END_TEST

START_TEST(retransmit_new_psn)
{
    struct solo *s = open_with(FAL_FAULT_RETRANSMIT_NEW_PSN);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_wait(s, RTO);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 2)->packet.psn, SOLO_DATA + 2);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 2)->packet.rsn, SOLO_RSN);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 3)->packet.psn, SOLO_DATA + 3);
    solo_feed_back(s, 0, 4);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert(fal_endpoint_quiet(s->ep, s->conn));
    solo_free(s);
}
END_TEST

START_TEST(psn_skipped)
{
    static const uint32_t due[] = {0, 2, 3, 4, 5, 7, 8};
    struct solo *s = open_with(FAL_FAULT_PSN_SKIPPED);

    for (uint32_t i = 0; i < 7; i++) {
        solo_post(s, FAL_OP_PUSH, 4, i);
        ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, i)->packet.psn, SOLO_DATA + due[i]);
    }
    solo_free(s);
}
END_TEST

START_TEST(recency_ignored)
{
    struct solo *s = open_with(FAL_FAULT_RECENCY_IGNORED);
    struct fal_falcon p = solo_packet(FAL_EACK, 0, 0);

    for (unsigned i = 0; i < 5; i++)
        solo_post(s, FAL_OP_PUSH, 4, i);
    p.data_rx_bitmap = 0x10;
    solo_feed(s, &p, NULL, 0);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_PUSH_DATA), 7);
    solo_free(s);
}
END_TEST

START_TEST(completion_unordered)
{
    struct solo *s = open_with(FAL_FAULT_COMPLETION_UNORDERED);

    solo_post(s, FAL_OP_PULL, 4, 1);
    solo_post(s, FAL_OP_PUSH, 4, 2);
    solo_feed_back(s, 1, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 0)->out.rsn, SOLO_RSN + 1);
    solo_free(s);
}
END_TEST

START_TEST(completion_doubled)
{
    struct solo *s = open_with(FAL_FAULT_COMPLETION_DOUBLED);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_back(s, 0, 1);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_COMPLETE, 1)->out.rsn, SOLO_RSN);
    ck_assert_uint_eq(solo_state(s).open_initiated, 0);
    solo_free(s);
}
END_TEST

START_TEST(reserved_bits_set)
{
    struct solo *s = open_with(FAL_FAULT_RESERVED_BITS_SET);

    solo_post(s, FAL_OP_PUSH, 4, 1);
    solo_feed_pull(s, 0, 0, true);
    ck_assert_uint_eq(solo_sent(s, FAL_PUSH_DATA, 0)->packet.reserved_0, 1);
    ck_assert_uint_eq(solo_sent(s, FAL_BACK, 0)->packet.reserved_0, 1);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults");
    TCase *tc = tcase_create("faults");

    tcase_add_test(tc, every_row_is_complete_and_its_requirements_exist);
    tcase_add_test(tc, one_in_n_acts_about_every_nth_time);
    tcase_add_test(tc, ack_before_ulp);
    tcase_add_test(tc, rx_bitmap_shifted);
    tcase_add_test(tc, eack_omitted_on_hole);
    tcase_add_test(tc, eack_bit0_set);
    tcase_add_test(tc, own_never_set);
    tcase_add_test(tc, own_never_cleared);
    tcase_add_test(tc, base_goes_back);
    tcase_add_test(tc, base_goes_back_never_before_the_first);
    tcase_add_test(tc, acks_unsent);
    tcase_add_test(tc, ar_ignored);
    tcase_add_test(tc, coalescing_never);
    tcase_add_test(tc, psn_compare_unsigned);
    tcase_add_test(tc, duplicate_delivered);
    tcase_add_test(tc, copy_of_pull_delivered);
    tcase_add_test(tc, payload_corrupted);
    tcase_add_test(tc, delivery_unordered);
    tcase_add_test(tc, cie_nack_wrong_code);
    tcase_add_test(tc, rnr_timeout_ignored);
    tcase_add_test(tc, resync_wrong_psn);
    tcase_add_test(tc, retransmit_new_psn);
    tcase_add_test(tc, psn_skipped);
    tcase_add_test(tc, recency_ignored);
    tcase_add_test(tc, completion_unordered);
    tcase_add_test(tc, completion_doubled);
    tcase_add_test(tc, reserved_bits_set);
    suite_add_tcase(suite, tc);
    return suite;
}
