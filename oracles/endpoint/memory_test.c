/* SPDX-License-Identifier: Apache-2.0
 * memory_test.c - what a connection costs when idle, and what happens when memory runs out: the
 * n-th allocation of a conversation fails, for every n. So it does where packets and
 * transactions share the chunks of a slab, and where each is a block of its own. */
#include "oracles/endpoint/rig/bench_cm.h"
#include "oracles/payload.h"
#include "oracles/simnet.h"
#include "tests/allocator.h"
#include "tests/testing.h"

#include <string.h>

enum { CONNS = 3, PAYLOAD = 100, FRAME_MAX = 4096, IDLE_BYTES = 4096 };

/* Two endpoints with an ordered, an unordered and a sealed connection, and a network between
 * them that is bad at chosen places: a conversation that touches every kind of state. */
struct play {
    struct fal_endpoint_config config[2];
    struct cm cm;
    struct cm_conn conns[CONNS];
    struct fal_simnet *net;
    uint64_t now_ns;
    unsigned answers;
    int error; /* the first that an input gave */
};

static void note_error(struct play *play, int rc)
{
    if (rc == FAL_ERR_MEM && play->error == 0)
        play->error = rc;
}

static void input(struct play *play, unsigned side, struct fal_endpoint_in in)
{
    note_error(play, fal_endpoint_input(play->cm.ep[side], &in, play->now_ns, NULL));
}

static void answer(struct play *play, unsigned side, const struct fal_endpoint_out *out)
{
    static const uint8_t data[PAYLOAD];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = out->conn,
                                 .rsn = out->rsn,
                                 .length = sizeof data,
                                 .payload = data};

    in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (play->answers % 3 == 0)
        in.answer = FAL_ANSWER_RNR;
    if (play->answers % 8 == 1)
        in.answer = FAL_ANSWER_CIE;
    if (play->answers++ % 11 == 5)
        return; /* never */
    input(play, side, in);
}

/* Frames carry the seal in front. */
static void transmit(struct play *play, unsigned side, const struct fal_endpoint_out *out)
{
    uint8_t wire[FRAME_MAX];
    struct fal_falcon packet;
    const struct fal_simnet_frame frame = {.dir = side == 0 ? FAL_TO_SUT : FAL_FROM_SUT,
                                           .at_ns = play->now_ns,
                                           .bytes = wire,
                                           .len = sizeof out->seal + out->len,
                                           .ecn = FAL_ECN_CE,
                                           .ttl = 60,
                                           .packet = &packet};

    /* libcheck allocates even where all is well. */
    if (frame.len > sizeof wire || fal_falcon_decode(out->bytes, out->len, &packet) <= 0)
        abort();
    memcpy(wire, &out->seal, sizeof out->seal);
    memcpy(wire + sizeof out->seal, out->bytes, out->len);
    note_error(play, fal_simnet_put(play->net, &frame));
}

static void drain(struct play *play, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(play->cm.ep[side], &out)) {
        if (out.kind == FAL_OUT_REQUEST)
            answer(play, side, &out);
        else if (out.kind == FAL_OUT_PACKET)
            transmit(play, side, &out);
    }
}

static void step(struct play *play)
{
    struct fal_simnet_frame got;

    while (fal_simnet_take(play->net, play->now_ns, &got)) {
        unsigned to = got.dir == FAL_TO_SUT ? 1 : 0;
        struct fal_endpoint_in in = {
            .kind = FAL_IN_PACKET, .ecn = got.ecn, .ttl = got.ttl, .bytes = got.bytes};

        memcpy(&in.seal, got.bytes, sizeof in.seal);
        in.bytes += sizeof in.seal;
        in.len = got.len - sizeof in.seal;
        input(play, to, in);
        drain(play, to);
    }
    for (unsigned side = 0; side < 2; side++) {
        input(play, side, (struct fal_endpoint_in){.kind = FAL_IN_TICK});
        drain(play, side);
    }
}

/* A push in the endpoint's name, as a scenario sends it. */
static void script(struct play *play)
{
    static const uint8_t payload[PAYLOAD];
    struct fal_falcon packet;
    uint32_t conn = play->conns[0].number[0];

    if (fal_endpoint_draft(play->cm.ep[0], conn, FAL_PUSH_DATA, play->now_ns, &packet) != 0)
        return;
    packet.request_length = sizeof payload;
    note_error(play, fal_endpoint_adopt(play->cm.ep[0], conn, &packet, payload, sizeof payload,
                                        play->now_ns));
}

static bool play_open(struct play *play, bool separate)
{
    const struct fal_impairment impair[2] = {
        {.latency_ns = 1000, .loss_ppm = 100000, .duplicate_ppm = 50000},
        {.latency_ns = 1000, .reorder_ppm = 100000, .reorder_ns = 200000}};
    struct fal_simnet_rule rule = FAL_SIMNET_RULE;

    rule.type = FAL_PUSH_DATA;
    rule.psn = 5; /* whatever becomes of it: resync, and the connection dies */
    play->net = fal_simnet_new(impair, 5);
    if (play->net == NULL || fal_simnet_add_rule(play->net, &rule) != 0)
        return false;
    play->cm.rng = fal_rng_split(3, 1);
    for (unsigned side = 0; side < 2; side++) {
        play->config[side] = (struct fal_endpoint_config){.internal_notes = true,
                                                          .clock_ps = UINT64_C(1) << 50,
                                                          .tx_gap_ns = 500,
                                                          .rue.outside = side == 1,
                                                          .separate_blocks = separate};
        play->cm.clock_ps[side] = play->config[side].clock_ps;
        play->cm.ep[side] = fal_endpoint_new(&play->config[side]);
        if (play->cm.ep[side] == NULL)
            return false;
    }
    for (unsigned c = 0; c < CONNS; c++) {
        struct cm_conn *conn = &play->conns[c];

        conn->sealed = c == 2;
        for (unsigned side = 0; side < 2; side++) {
            struct fal_params *params = &conn->open[side].params;

            fal_params_default(params, false);
            params->ordered = c != 1;
            params->transaction_timeout_ns = 8 * FAL_MS;
            params->max_attempts = 3;
            params->net_pkt_rx = 16;
            for (unsigned twin = 0; c == 1 && twin < FAL_TWIN_ULP_FIRST; twin += 2)
                fal_twin_add(&conn->open[side].twins, (enum fal_twin_id)twin);
        }
        if (cm_connect(&play->cm, conn, 0) != 0)
            return false;
    }
    return true;
}

static void rotate(struct play *play, unsigned which)
{
    struct cm_conn *conns[CONNS] = {&play->conns[0], &play->conns[1], &play->conns[2]};

    note_error(play, cm_rotate(&play->cm, conns, CONNS, which, play->now_ns));
}

static int play_all(bool separate)
{
    static const uint8_t payload[PAYLOAD];
    struct play play = {.now_ns = 0};
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .length = sizeof payload, .payload = payload};

    if (!play_open(&play, separate)) {
        play.error = FAL_ERR_MEM;
        goto done;
    }
    for (unsigned turn = 0; turn < 240; turn++, play.now_ns += 50000) {
        for (unsigned k = 0; k < 2 * CONNS && turn < 12; k++) {
            in.op = (turn + k) % 3 == 0 ? FAL_OP_PULL : FAL_OP_PUSH;
            in.conn = play.conns[k / 2].number[k % 2];
            input(&play, k % 2, in);
            drain(&play, k % 2);
        }
        if (turn == 3)
            script(&play);
        if (turn % 10 == 5 && turn / 10 < CM_ROTATION_STEPS)
            rotate(&play, turn / 10);
        step(&play);
    }
done:
    for (unsigned c = 0; c < CONNS && play.cm.ep[1] != NULL; c++)
        cm_disconnect(&play.cm, &play.conns[c]);
    fal_endpoint_free(play.cm.ep[0]);
    fal_endpoint_free(play.cm.ep[1]);
    fal_simnet_free(play.net);
    return play.error;
}

/* The number of allocations that failed, one in each conversation; how many an input told of in
 * *told. */
static long fail_each(bool separate, long *told)
{
    long before, n = 0;

    *told = 0;
    ck_assert_int_eq(play_all(separate), 0);
    before = allocator.blocks;
    do {
        int rc;

        allocator.failed = false;
        allocator.countdown = ++n;
        rc = play_all(separate);
        allocator.countdown = 0;
        *told += rc == FAL_ERR_MEM;
        if (allocator.blocks != before)
            ck_abort_msg("allocation %ld: %ld blocks left", n, allocator.blocks - before);
        if (!allocator.failed && rc != 0)
            ck_abort_msg("an error without a failure");
    } while (allocator.failed);
    return n - 1;
}

START_TEST(when_the_nth_allocation_fails_it_is_told_and_nothing_leaks)
{
    long told, failed;

    if (!allocator_in_charge())
        return;
    failed = fail_each(true, &told);
    ck_assert_int_gt(failed, 500);
    /* A request that finds no memory is refused by NACK 1, which is no error; all else is told.
     */
    ck_assert_int_gt(told, failed / 2);
}
END_TEST

START_TEST(when_a_chunk_of_a_slab_cannot_be_had_it_is_told_and_nothing_leaks)
{
    long told, failed;

    if (!allocator_in_charge())
        return;
    failed = fail_each(false, &told);
    ck_assert_int_gt(failed, 300);
    ck_assert_int_gt(told, failed / 2);
}
END_TEST

START_TEST(an_idle_connection_costs_less_than_4_KiB)
{
    enum { MANY = 1000 };
    struct fal_endpoint_config config = {.max_connections = MANY};
    struct fal_endpoint *ep = fal_endpoint_new(&config);
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    size_t before = allocator.bytes;
    uint32_t conn;

    fal_params_default(&open.params, false);
    for (uint32_t i = 0; i < MANY; i++) {
        open.local.cid = i;
        ck_assert_int_eq(fal_endpoint_open(ep, &open, 0, &conn), 0);
    }
    if (allocator_in_charge())
        ck_assert_uint_lt((allocator.bytes - before) / MANY, IDLE_BYTES);
    fal_endpoint_free(ep);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("endpoint: memory");
    TCase *tc = tcase_create("memory");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, when_the_nth_allocation_fails_it_is_told_and_nothing_leaks);
    tcase_add_test(tc, when_a_chunk_of_a_slab_cannot_be_had_it_is_told_and_nothing_leaks);
    tcase_add_test(tc, an_idle_connection_costs_less_than_4_KiB);
    suite_add_tcase(suite, tc);
    return suite;
}
