/* SPDX-License-Identifier: Apache-2.0
 * faults_load_test.c - faults that depend on the length of a payload, or on how much is open at
 * once: they act there, and nowhere else. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "oracles/payload.h"
#include "tests/testing.h"

enum { PULLS = 48, PULL_LEN = 8 };

static struct solo *faulty(const char *text)
{
    struct solo *s = solo_new();
    struct fal_error err = {{0}};

    ck_assert_msg(fal_faults_read(&s->config.faults, text, strlen(text), &err) == 0, "%s",
                  err.text);
    s->open.auto_ack = false;
    solo_open(s);
    return s;
}

/* ---- one length in 512 ---- */

/* Whether a push of that length leaves with other bytes than those of its ULP. */
static bool leaves_wrong(struct solo *s, uint32_t len)
{
    uint8_t right[SOLO_BYTES_MAX];

    ck_assert_uint_le(len, sizeof right);
    solo_forget(s);
    solo_post(s, FAL_OP_PUSH, len, len);
    fal_payload_fill(len, 1, right, len);
    return memcmp(solo_sent(s, FAL_PUSH_DATA, 0)->bytes, right, len) != 0;
}

START_TEST(FTP_7_5_05_payload_is_wrong_at_one_length)
{
    struct solo *s = faulty("payload-wrong-at-length:seed=7");

    for (uint32_t len = 1; len < 20; len++)
        ck_assert_msg(leaves_wrong(s, len) == (len == 7), "length %u", len);
    solo_free(s);
}
END_TEST

START_TEST(each_multiple_of_512_counts_and_391_is_the_default)
{
    struct solo *s = faulty("payload-wrong-at-length");

    for (uint32_t len = 1; len <= 1200; len++) {
        uint64_t before = fal_endpoint_fault_acts(s->ep, FAL_FAULT_PAYLOAD_WRONG_AT_LENGTH);
        bool acted;

        solo_forget(s);
        solo_post(s, FAL_OP_PUSH, len, 1);
        solo_feed_back(s, 0, len);
        acted = fal_endpoint_fault_acts(s->ep, FAL_FAULT_PAYLOAD_WRONG_AT_LENGTH) > before;
        ck_assert_msg(acted == (len == 391 || len == 903), "length %u", len);
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_01_delivery_is_wrong_at_one_length)
{
    struct solo *s = faulty("delivered-wrong-at-length:seed=4"), *other;

    solo_feed_push(s, 0, false);
    ck_assert_mem_eq(solo_nth(s, FAL_OUT_REQUEST, 0)->bytes, "pus", 3);
    ck_assert_int_ne(solo_nth(s, FAL_OUT_REQUEST, 0)->bytes[3], 'h');
    solo_free(s);
    other = faulty("delivered-wrong-at-length:seed=5");
    solo_feed_push(other, 0, false);
    ck_assert_mem_eq(solo_nth(other, FAL_OUT_REQUEST, 0)->bytes, "push", 4);
    solo_free(other);
}
END_TEST

/* ---- more than 40 open ---- */

/* How many of so many pulls get the answer of another. The ULP answers when all are there. */
static unsigned answered_wrong(struct solo *s, unsigned pulls)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < pulls; i++)
        solo_feed_pull(s, i, i, false);
    for (unsigned i = 0; i < pulls; i++) {
        uint8_t data[PULL_LEN];
        const struct solo_out *sent;

        memset(data, (int)i, sizeof data);
        solo_forget(s);
        ck_assert_int_eq(
            solo_answer(s, (struct fal_endpoint_in){.payload = data, .length = PULL_LEN}, i,
                        FAL_ANSWER_DATA),
            0);
        sent = solo_sent(s, FAL_PULL_DATA, 0);
        wrong += sent->packet.rsn != PEER_RSN + i;
        solo_feed_back(s, 0, i + 1);
    }
    return wrong;
}

START_TEST(FTP_8_5_3_2_03_answers_are_swapped_beyond_40)
{
    struct solo *s = faulty("answers-swapped-deep");

    ck_assert_uint_eq(answered_wrong(s, PULLS), 8); /* 4 pairs, until 40 are left */
    solo_free(s);
    s = faulty("answers-swapped-deep");
    ck_assert_uint_eq(answered_wrong(s, 40), 0);
    solo_free(s);
}
END_TEST

/* How many of so many pulls complete with the data of another; they arrive when all are sent.
 */
static unsigned completed_wrong(struct solo *s, unsigned pulls)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < pulls; i++)
        solo_post(s, FAL_OP_PULL, 4, i);
    solo_forget(s);
    for (unsigned i = 0; i < pulls; i++) {
        struct fal_falcon p = solo_packet(FAL_PULL_DATA, PEER_DATA + i, SOLO_RSN + i);
        uint8_t data[4] = {(uint8_t)i, 0, 0, 0};

        p.recv_req_base_psn += pulls;
        solo_feed(s, &p, data, sizeof data);
    }
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), pulls);
    for (unsigned i = 0; i < pulls; i++) {
        const struct solo_out *done = solo_nth(s, FAL_OUT_COMPLETE, i);

        wrong += done->bytes[0] != (uint8_t)done->out.tag;
    }
    return wrong;
}

START_TEST(FTP_8_4_3_2_07_data_are_swapped_beyond_40)
{
    struct solo *s = faulty("data-swapped-deep");

    ck_assert_uint_gt(completed_wrong(s, PULLS), 1);
    solo_free(s);
    s = faulty("data-swapped-deep");
    ck_assert_uint_eq(completed_wrong(s, 40), 0);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of load");
    TCase *tc = tcase_create("faults");

    tcase_add_test(tc, FTP_7_5_05_payload_is_wrong_at_one_length);
    tcase_add_test(tc, each_multiple_of_512_counts_and_391_is_the_default);
    tcase_add_test(tc, FTP_9_2_2_01_delivery_is_wrong_at_one_length);
    tcase_add_test(tc, FTP_8_5_3_2_03_answers_are_swapped_beyond_40);
    tcase_add_test(tc, FTP_8_4_3_2_07_data_are_swapped_beyond_40);
    suite_add_tcase(suite, tc);
    return suite;
}
