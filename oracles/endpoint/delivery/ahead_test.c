/* SPDX-License-Identifier: Apache-2.0
 * ahead_test.c - packets that are announced: whatever the bytes are, and whatever comes in
 * their place, the endpoint does the same as without. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

enum { PACKETS = 60 };

/* Announces the beginning of a packet for that CID, `len` bytes of it. */
static void expect(struct solo *s, uint32_t cid, size_t len)
{
    const uint8_t bytes[4] = {0x10, (uint8_t)(cid >> 16), (uint8_t)(cid >> 8), (uint8_t)cid};
    uint8_t *exact = malloc(len > 0 ? len : 1); /* sanitizers find a read beyond it */

    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, len);
    fal_endpoint_expect(s->ep, exact, len);
    free(exact);
}

/* Pushes to a connection, answered; `announced`: with packets announced that come or do not. */
static struct fal_endpoint_state play(bool announced)
{
    struct solo *s = solo();
    struct fal_endpoint_state state;

    for (uint32_t n = 0; n < PACKETS; n++) {
        for (uint32_t k = 0; announced && k < 3; k++)
            expect(s, (n + k) % 3 == 0 ? s->open.local.cid : n * 7919, (n + k) % 5);
        solo_feed_push(s, n, n % 4 == 0);
        solo_ack(s, n);
    }
    state = solo_state(s);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), PACKETS);
    solo_free(s);
    return state;
}

START_TEST(announced_packets_change_nothing)
{
    struct fal_endpoint_state with = play(true), without = play(false);

    ck_assert_uint_eq(with.rx_dbpsn, without.rx_dbpsn);
    ck_assert_uint_eq(with.tx_dnpsn, without.tx_dnpsn);
    ck_assert_uint_eq(with.target_nrsn, without.target_nrsn);
}
END_TEST

START_TEST(an_announced_connection_may_be_closed_before_its_packet_comes)
{
    struct fal_endpoint_config config = {0};
    struct solo *s = solo();
    uint32_t cid = s->open.local.cid;

    for (unsigned i = 0; i < 3; i++)
        expect(s, cid, 4);
    fal_endpoint_close(s->ep, s->conn);
    for (unsigned i = 0; i < 8; i++)
        expect(s, cid, 4);
    solo_free(s);

    s = calloc(1, sizeof *s); /* an endpoint that never had a connection */
    ck_assert_ptr_nonnull(s);
    s->ep = fal_endpoint_new(&config);
    for (unsigned i = 0; i < 8; i++)
        expect(s, cid, 4);
    fal_endpoint_free(s->ep);
    free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("announced packets");
    TCase *tc = tcase_create("announced packets");

    tcase_add_test(tc, announced_packets_change_nothing);
    tcase_add_test(tc, an_announced_connection_may_be_closed_before_its_packet_comes);
    suite_add_tcase(suite, tc);
    return suite;
}
