/* SPDX-License-Identifier: Apache-2.0
 * endpoint_test.c - the endpoint as a whole: many connections, what cannot be opened, time and
 * outputs. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

START_TEST(two_thousand_connections_do_not_disturb_each_other)
{
    enum { CONNS = 2000 };
    struct fal_endpoint_config config = {.max_connections = CONNS};
    struct fal_endpoint *ep = fal_endpoint_new(&config);
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    struct fal_endpoint_out out;
    struct fal_endpoint_in in = {.kind = FAL_IN_TICK};
    static uint8_t seen[CONNS + 1];
    uint32_t conn;

    fal_params_default(&open.params, false);
    for (uint32_t i = 0; i < CONNS; i++) {
        open.local.cid = i * 7;
        open.peer.cid = 3; /* FTP-6.2-03: the same to different peers */
        open.local.data_psn = i;
        ck_assert_int_eq(fal_endpoint_open(ep, &open, 0, &conn), 0);
        ck_assert_uint_eq(conn, i + 1);
    }
    open.local.cid = 1;
    ck_assert_int_eq(fal_endpoint_open(ep, &open, 0, &conn), FAL_ERR_RANGE);
    for (uint32_t i = 0; i < CONNS; i++) {
        struct fal_endpoint_in post = {.kind = FAL_IN_POST, .conn = i + 1, .op = FAL_OP_PUSH};

        ck_assert_int_eq(fal_endpoint_input(ep, &post, i, NULL), 0);
        ck_assert(fal_endpoint_next(ep, &out));
        ck_assert_uint_eq(out.conn, i + 1);
        ck_assert_uint_eq(out.bytes[19] | out.bytes[18] << 8, i); /* PSN */
    }
    ck_assert_uint_eq(fal_endpoint_deadline(ep), open.params.rto_ns);
    for (uint32_t i = 0; i < CONNS; i += 2)
        fal_endpoint_close(ep, i + 1);
    ck_assert_uint_eq(fal_endpoint_deadline(ep), open.params.rto_ns + 1);
    ck_assert_int_eq(fal_endpoint_input(ep, &in, 2 * FAL_MS, NULL), 0);
    while (fal_endpoint_next(ep, &out))
        seen[out.conn]++;
    for (uint32_t i = 0; i < CONNS; i++)
        ck_assert_uint_eq(seen[i + 1], i % 2);
    open.local.cid = 0;
    ck_assert_int_eq(fal_endpoint_open(ep, &open, 0, &conn), 0);
    ck_assert_uint_eq(conn, 1); /* the lowest that is free */
    fal_endpoint_free(ep);
}
END_TEST

START_TEST(what_cannot_be_opened_is_refused)
{
    struct fal_endpoint_config config = {0};
    struct fal_endpoint *ep = fal_endpoint_new(&config);
    struct fal_endpoint_conn good = {.auto_ack = true}, bad;
    uint32_t conn;

    fal_params_default(&good.params, false);
    good.local.cid = 4;
#define REFUSED(member, value)                                                  \
    do {                                                                        \
        bad = good;                                                             \
        bad.member = value;                                                     \
        ck_assert_int_eq(fal_endpoint_open(ep, &bad, 0, &conn), FAL_ERR_RANGE); \
    } while (0)
    REFUSED(local.cid, 1u << 24);
    REFUSED(peer.cid, 1u << 24);
    REFUSED(local.function, 1u << 24);
    REFUSED(peer.function, 1u << 24);
    REFUSED(params.rto_ns, 0);
    REFUSED(params.transaction_timeout_ns, 0);
    REFUSED(params.tx_window_req, 0);
    REFUSED(params.tx_window_data, 0);
    REFUSED(params.tx_window_req, 65537);
    REFUSED(params.tx_window_data, 65537);
    REFUSED(params.mtu, 65536);
    REFUSED(params.ar_percent, 101);
    REFUSED(params.protocol_type, 8);
    REFUSED(params.initial_ttl, 256);
    ck_assert_int_eq(fal_endpoint_open(ep, &good, 0, &conn), 0);
    REFUSED(peer.function, 0); /* its CID is in use now */
    fal_endpoint_free(ep);
    fal_endpoint_free(NULL);
}
END_TEST

START_TEST(time_never_goes_back)
{
    struct solo *s = solo();
    struct fal_endpoint_in post = {.kind = FAL_IN_POST, .conn = s->conn, .op = FAL_OP_PUSH};

    ck_assert_int_eq(fal_endpoint_input(s->ep, &post, 5, NULL), 0);
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), s->now_ns + s->open.params.rto_ns);
    solo_drain(s);
    solo_free(s);
}
END_TEST

START_TEST(what_was_not_delivered_goes_with_its_connection)
{
    struct solo *s = solo();
    struct fal_endpoint_out out;
    struct fal_falcon p = solo_packet(FAL_PUSH_DATA, PEER_DATA, PEER_RSN);
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET, .bytes = bytes};

    in.len = (size_t)fal_falcon_encode(&p, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    fal_endpoint_close(s->ep, s->conn);
    ck_assert(!fal_endpoint_next(s->ep, &out));
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), FAL_NEVER);
    solo_free(s);
}
END_TEST

START_TEST(outputs_that_are_not_taken_wait)
{
    struct solo *s = solo();
    struct fal_endpoint_in post = {.kind = FAL_IN_POST, .conn = s->conn, .op = FAL_OP_PULL};

    for (unsigned i = 0; i < 64; i++)
        ck_assert_int_eq(fal_endpoint_input(s->ep, &post, s->now_ns, NULL), 0);
    fal_endpoint_close(s->ep, s->conn);
    solo_drain(s);
    ck_assert_uint_eq(solo_packets(s, FAL_PULL_REQUEST), 64);
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(solo_sent(s, FAL_PULL_REQUEST, i)->packet.psn, SOLO_REQ + i);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("endpoint as a whole");
    TCase *tc = tcase_create("endpoint");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, two_thousand_connections_do_not_disturb_each_other);
    tcase_add_test(tc, what_cannot_be_opened_is_refused);
    tcase_add_test(tc, time_never_goes_back);
    tcase_add_test(tc, what_was_not_delivered_goes_with_its_connection);
    tcase_add_test(tc, outputs_that_are_not_taken_wait);
    suite_add_tcase(suite, tc);
    return suite;
}
