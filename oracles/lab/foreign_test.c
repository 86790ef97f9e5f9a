/* SPDX-License-Identifier: Apache-2.0
 * foreign_test.c - senders behind struct fal_lab_foreign. Here they are endpoints with fixed
 * windows, so what they do is known: they get what they ask for, what they send is counted, and
 * each error of theirs ends the run. */
#include "oracles/lab/bench.h"
#include "oracles/lab/foreign.h"
#include "oracles/lab/theory.h"
#include "tests/testing.h"

#include <stdlib.h>

#define RATE (100 * UINT64_C(1000000000))

/* The function that fails, when it has been called so often. */
enum failing { NOTHING, OPEN, PACKET, POST, TICK, NEXT };

struct world {
    uint32_t mask;   /* of the foreign flows */
    uint32_t window; /* of each */
    enum failing failing;
    unsigned after, opened, closed, posts;
};

struct end {
    struct world *world;
    struct fal_endpoint *ep;
    uint32_t conn;
};

static int called(struct world *world, enum failing what)
{
    return world->failing == what && world->after-- == 0 ? FAL_ERR_IO : 0;
}

static bool serves(void *ctx, uint32_t flow)
{
    return (((const struct world *)ctx)->mask >> flow & 1) != 0;
}

static void *open_end(void *ctx, uint32_t flow, const struct fal_lab_foreign_order *order,
                      struct fal_lab_foreign_opened *opened)
{
    struct world *world = ctx;
    struct end *end = calloc(1, sizeof *end);
    const struct fal_endpoint_config config = {.seed = order->seed, .max_connections = 1};
    struct fal_endpoint_conn conn = {.params = order->params,
                                     .local = order->local,
                                     .peer = order->peer,
                                     .auto_ack = true,
                                     .auto_retransmit = true};

    ck_assert_ptr_nonnull(end);
    ck_assert(serves(ctx, flow));
    world->opened++;
    if (called(world, OPEN) != 0) {
        free(end);
        world->closed++;
        return NULL;
    }
    /* Numbers and parameters of its own choice. */
    conn.local.cid = 77;
    conn.local.data_psn = UINT32_MAX - 3;
    conn.params.fcwnd = conn.params.ncwnd = world->window;
    *opened = (struct fal_lab_foreign_opened){.local = conn.local, .params = conn.params};
    end->world = world;
    end->ep = fal_endpoint_new(&config);
    ck_assert_ptr_nonnull(end->ep);
    ck_assert_int_eq(fal_endpoint_open(end->ep, &conn, 0, &end->conn), 0);
    return end;
}

static void close_end(void *p)
{
    struct end *end = p;

    end->world->closed++;
    fal_endpoint_free(end->ep);
    free(end);
}

static int input(struct end *end, struct fal_endpoint_in in, uint64_t now_ns)
{
    in.conn = end->conn;
    return fal_endpoint_input(end->ep, &in, now_ns, NULL);
}

static int packet(void *p, const uint8_t *bytes, size_t len, const struct fal_seal *seal,
                  uint64_t now_ns)
{
    struct end *end = p;

    ck_assert(!seal->present || seal->spi == 0);
    return called(end->world, PACKET) != 0
               ? FAL_ERR_IO
               : input(end,
                       (struct fal_endpoint_in){
                           .kind = FAL_IN_PACKET, .bytes = bytes, .len = len, .ttl = 64},
                       now_ns);
}

static int post(void *p, uint32_t length, uint64_t now_ns)
{
    static const uint8_t payload[8192];
    struct end *end = p;

    if (called(end->world, POST) != 0)
        return FAL_ERR_IO;
    end->world->posts++;
    return input(
        end,
        (struct fal_endpoint_in){
            .kind = FAL_IN_POST, .op = FAL_OP_PUSH, .length = length, .payload = payload},
        now_ns);
}

static int tick(void *p, uint64_t now_ns)
{
    struct end *end = p;

    return called(end->world, TICK) != 0
               ? FAL_ERR_IO
               : input(end, (struct fal_endpoint_in){.kind = FAL_IN_TICK}, now_ns);
}

static uint64_t deadline(void *p)
{
    return fal_endpoint_deadline(((struct end *)p)->ep);
}

static int next(void *p, struct fal_lab_foreign_out *out)
{
    struct end *end = p;
    struct fal_endpoint_out own;

    if (called(end->world, NEXT) != 0)
        return FAL_ERR_IO;
    while (fal_endpoint_next(end->ep, &own)) {
        *out = (struct fal_lab_foreign_out){.is_packet = own.kind == FAL_OUT_PACKET,
                                            .bytes = own.bytes,
                                            .len = own.len,
                                            .failed = own.code != FAL_CMPL_ACK};
        if (own.kind == FAL_OUT_PACKET || own.kind == FAL_OUT_COMPLETE)
            return 1;
    }
    return 0;
}

static int play(struct world *world, const char *experiment, uint32_t flows, uint64_t time_ps,
                struct fal_lab_outcome *out)
{
    const struct fal_lab_foreign foreign = {world, serves, open_end, close_end, packet,
                                            post,  tick,   deadline, next};
    const struct fal_lab_experiment *e = fal_lab_experiment_find(experiment);
    struct fal_lab_ask ask = fal_lab_ask_of(e, flows);
    struct fal_swift_params params;
    struct fal_swift swift;
    int rc;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    ask.seed = test_seed(1);
    ask.rate_bps = RATE;
    ask.swift = &swift;
    ask.foreign = &foreign;
    ask.time_ps = time_ps;
    rc = e->run(&ask, out);
    ck_assert_uint_eq(world->opened, world->closed);
    return rc;
}

static int64_t milli(const struct fal_lab_outcome *out, const char *name)
{
    const struct fal_lab_value *value = fal_lab_value_find(out, name);

    ck_assert_msg(value != NULL, "%s", name);
    return value->milli;
}

/* A fixed window W holds W packets: alone, the queue is W * S / C less the base delay. */
START_TEST(a_foreign_window_is_its_own)
{
    static const uint32_t windows[] = {60, 100, 150};

    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++) {
        struct world world = {.mask = 1, .window = windows[i]};
        struct fal_lab_outcome out;
        double serial = (double)fal_lab_serial_ps(RATE, FAL_LAB_PACKET);
        double queue = (windows[i] - 1) * serial - (double)FAL_LAB_BASE_PS, found;

        ck_assert_int_eq(play(&world, "incast", 1, 8 * FAL_LAB_MS, &out), 0);
        ck_assert_uint_eq(world.opened, 1);
        ck_assert_int_eq(milli(&out, "utilisation"), 1000);
        found = (double)milli(&out, "queueing delay, median") * 1000; /* ps */
        /* An ACK is for up to 10 packets, so the window is not always full. */
        ck_assert_msg(found > queue - 11 * serial && found < queue + serial,
                      "window %u: %f us, expected %f", windows[i], found / 1e6, queue / 1e6);
        ck_assert_ptr_null(fal_lab_value_find(&out, "share of the foreign flows"));
    }
}
END_TEST

/* Beside Swift, which yields: a larger window gets a larger share. */
START_TEST(the_share_of_a_foreign_flow_grows_with_its_window)
{
    int64_t last = 0;

    for (uint32_t window = 8; window <= 64; window *= 2) {
        struct world world = {.mask = 2, .window = window};
        struct fal_lab_outcome out;
        int64_t share;

        ck_assert_int_eq(play(&world, "incast", 2, 8 * FAL_LAB_MS, &out), 0);
        share = milli(&out, "share of the foreign flows");
        ck_assert_msg(share > last, "window %u: share %ld", window, (long)share);
        last = share;
    }
    ck_assert_int_gt(last, 1000);
}
END_TEST

START_TEST(losses_of_a_foreign_flow_are_counted)
{
    struct world world = {.mask = 3, .window = 200};
    struct fal_lab_outcome out;

    ck_assert_int_eq(play(&world, "incast-loss", 2, 14 * FAL_LAB_MS, &out), 0);
    ck_assert_int_gt(milli(&out, "ECN marks"), 0);
    ck_assert_int_gt(milli(&out, "ECN marks told by ACKs"), 0);
    world = (struct world){.mask = UINT32_MAX, .window = 100};
    ck_assert_int_eq(play(&world, "incast-loss", 8, 14 * FAL_LAB_MS, &out), 0);
    ck_assert_int_gt(milli(&out, "drops"), 0);
    ck_assert_int_gt(milli(&out, "retransmissions"), 0);
    ck_assert_uint_gt(world.posts, 1000);
}
END_TEST

START_TEST(each_error_ends_the_run)
{
    static const char *const experiments[] = {"incast",    "join-leave",    "staircase",
                                              "mixed-rtt", "slow-receiver", "incast-loss"};

    for (int failing = OPEN; failing <= NEXT; failing++)
        for (unsigned i = 0; i < sizeof experiments / sizeof *experiments; i++)
            for (unsigned after = 0; after < 3; after++) {
                struct world world = {
                    .mask = 2, .window = 16, .failing = (enum failing)failing};
                struct fal_lab_outcome out;

                world.after = failing == OPEN ? 0 : after;
                ck_assert_int_eq(play(&world, experiments[i], 2, 12 * FAL_LAB_MS, &out),
                                 FAL_ERR_IO);
            }
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("foreign");
    TCase *tc = tcase_create("foreign");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_foreign_window_is_its_own);
    tcase_add_test(tc, the_share_of_a_foreign_flow_grows_with_its_window);
    tcase_add_test(tc, losses_of_a_foreign_flow_are_counted);
    tcase_add_test(tc, each_error_ends_the_run);
    suite_add_tcase(s, tc);
    return s;
}
