/* SPDX-License-Identifier: Apache-2.0
 * memory_test.c - many connections, what one costs when idle, and what happens when memory runs
 * out: the n-th allocation fails, for every n. */
#include "oracles/endpoint/bench_solo.h"
#include "oracles/simnet.h"
#include "tests/testing.h"

#include <malloc.h>

/* The sanitizers bring an allocator of their own, which cannot be made to fail here. */
#ifdef __SANITIZE_ADDRESS__
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#ifndef OWN_ALLOCATOR
#define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static long countdown = -1; /* allocations until one fails; negative: none will */
static long live;           /* blocks in use */

static bool fails(void)
{
    return countdown >= 0 && countdown-- == 0;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *old, size_t size)
{
    if (old == NULL)
        return malloc(size);
    return fails() ? NULL : __libc_realloc(old, size);
}

void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}

/* valgrind puts an allocator of its own in place of this one. */
static bool in_charge(void)
{
    long before = live;
    void *volatile p = malloc(1);
    bool yes = live != before;

    free(p);
    return yes;
}

/* Two endpoints and a network between them; a fixed play that touches every kind of state.
 * The first error code that an input gave, or 0. */
struct play {
    struct fal_endpoint *ep[2];
    uint32_t conn[2];
    struct fal_simnet *net;
    uint64_t now_ns;
    unsigned answers;
    int error;
};

static void note_error(struct play *play, int rc)
{
    if (rc == FAL_ERR_MEM && play->error == 0)
        play->error = rc;
}

static void answer(struct play *play, unsigned side, const struct fal_endpoint_out *out)
{
    static const uint8_t data[100];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = play->conn[side],
                                 .rsn = out->rsn,
                                 .length = sizeof data,
                                 .payload = data};

    in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (play->answers++ % 3 == 0)
        in.answer = FAL_ANSWER_RNR;
    note_error(play, fal_endpoint_input(play->ep[side], &in, play->now_ns, NULL));
}

static void drain(struct play *play, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(play->ep[side], &out)) {
        if (out.kind == FAL_OUT_REQUEST)
            answer(play, side, &out);
        else if (out.kind == FAL_OUT_PACKET)
            note_error(play, fal_simnet_send(play->net, side == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
                                             out.bytes, out.len, play->now_ns));
    }
}

static void step(struct play *play)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET};
    enum fal_dir dir;
    uint64_t at_ns;

    while (fal_simnet_next(play->net, play->now_ns, &dir, &at_ns, &in.bytes, &in.len)) {
        unsigned to = dir == FAL_TO_SUT ? 1 : 0;

        note_error(play, fal_endpoint_input(play->ep[to], &in, play->now_ns, NULL));
        drain(play, to);
    }
    in.kind = FAL_IN_TICK;
    for (unsigned side = 0; side < 2; side++) {
        note_error(play, fal_endpoint_input(play->ep[side], &in, play->now_ns, NULL));
        drain(play, side);
    }
}

static bool play_open(struct play *play)
{
    static const struct fal_end ends[2] = {{1, 1, 0, 0, 0}, {2, 2, 0, 0, 0}};
    const struct fal_impairment impair[2] = {{.latency_ns = 1000, .loss_ppm = 100000},
                                             {.latency_ns = 1000}};
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    const struct fal_endpoint_config config = {.internal_notes = true};

    fal_params_default(&open.params, false);
    open.params.transaction_timeout_ns = 30 * FAL_MS;
    play->net = fal_simnet_new(impair, 5);
    if (play->net == NULL)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        play->ep[side] = fal_endpoint_new(&config);
        if (play->ep[side] == NULL)
            return false;
        for (unsigned i = 0; i < 20; i++) { /* so that the tables grow */
            open.local = ends[side];
            open.peer = ends[1 - side];
            open.local.cid = 100 + i;
            if (i == 19)
                open.local.cid = ends[side].cid;
            if (fal_endpoint_open(play->ep[side], &open, 0, &play->conn[side]) < 0)
                return false;
        }
    }
    return true;
}

static int play_all(void)
{
    struct play play = {0};
    static const uint8_t payload[100];
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .length = sizeof payload, .payload = payload};

    if (!play_open(&play)) {
        play.error = FAL_ERR_MEM;
        goto done;
    }
    for (play.now_ns = 0; play.now_ns < 80 * FAL_MS; play.now_ns += 50000) {
        for (unsigned side = 0; side < 2 && play.now_ns < 2000000; side++) {
            in.op = play.now_ns % 100000 == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
            in.conn = play.conn[side];
            note_error(&play, fal_endpoint_input(play.ep[side], &in, play.now_ns, NULL));
            drain(&play, side);
        }
        step(&play);
    }
done:
    fal_endpoint_free(play.ep[0]);
    fal_endpoint_free(play.ep[1]);
    fal_simnet_free(play.net);
    return play.error;
}

START_TEST(when_the_nth_allocation_fails_it_is_told_and_nothing_leaks)
{
    long n = 0, before = live, told = 0;
    bool failed = true;
    int rc;

    if (!in_charge())
        return;
    for (; failed; n++) {
        countdown = n;
        rc = play_all();
        failed = countdown < 0; /* it has been reached */
        countdown = -1;
        told += rc == FAL_ERR_MEM;
        if (live != before)
            ck_abort_msg("allocation %ld: %ld blocks left", n, live - before);
        if (!failed && rc != 0)
            ck_abort_msg("an error without a failure");
    }
    ck_assert_int_gt(n, 100);
    /* A request that finds no memory is refused by NACK 1, which is no error; all else is told.
     */
    ck_assert_int_gt(told, n / 2);
}
END_TEST

START_TEST(an_idle_connection_costs_less_than_4_KiB)
{
    enum { CONNS = 1000 };
    struct fal_endpoint_config config = {.max_connections = CONNS};
    struct fal_endpoint *ep = fal_endpoint_new(&config);
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    size_t before = mallinfo2().uordblks;
    uint32_t conn;

    fal_params_default(&open.params, false);
    for (uint32_t i = 0; i < CONNS; i++) {
        open.local.cid = i;
        ck_assert_int_eq(fal_endpoint_open(ep, &open, 0, &conn), 0);
    }
    ck_assert_uint_lt((mallinfo2().uordblks - before) / CONNS, 1500);
    fal_endpoint_free(ep);
}
END_TEST

#endif

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
#if OWN_ALLOCATOR
    tcase_add_test(tc, when_the_nth_allocation_fails_it_is_told_and_nothing_leaks);
    tcase_add_test(tc, an_idle_connection_costs_less_than_4_KiB);
#endif
    tcase_add_test(tc, two_thousand_connections_do_not_disturb_each_other);
    tcase_add_test(tc, what_cannot_be_opened_is_refused);
    tcase_add_test(tc, time_never_goes_back);
    tcase_add_test(tc, what_was_not_delivered_goes_with_its_connection);
    tcase_add_test(tc, outputs_that_are_not_taken_wait);
    suite_add_tcase(suite, tc);
    return suite;
}
