/* SPDX-License-Identifier: Apache-2.0
 * allocation_test.c - that packets cost no allocation: two endpoints exchange pushes and pulls
 * over a wire with losses and count the calls of the allocator. */
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"
#include "tests/allocator.h"
#include "tests/testing.h"

enum {
    CONNS = 16,
    OPEN = 8, /* transactions of a connection and side that are open at a time */
    FRAMES = 4096,
    FRAME_MAX = 512,
    LATENCY_NS = 5000,
    LOSS_ONE_IN = 50,
    WARM_UP = 200000, /* packets: each ring is as deep as it gets */
    COUNTED = 10000,
};

struct frame {
    uint64_t at_ns;
    size_t len;
    unsigned to;
    uint8_t bytes[FRAME_MAX];
};

struct world {
    struct fal_endpoint *ep[2];
    struct fal_rng rng;
    uint64_t now_ns, packets, completed;
    uint32_t length; /* of a payload */
    unsigned open[2][CONNS];
    struct frame wire[FRAMES]; /* a ring: all frames take as long */
    unsigned head, tail;
    const char *failure; /* libcheck allocates, so nothing is asserted while it is counted */
};

static struct world world;

static const uint8_t payload[FRAME_MAX];

static void input(struct world *w, unsigned side, const struct fal_endpoint_in *in)
{
    if (fal_endpoint_input(w->ep[side], in, w->now_ns, NULL) != 0)
        w->failure = "an input was refused";
}

static void transmit(struct world *w, unsigned side, const struct fal_endpoint_out *out)
{
    struct frame *frame = &w->wire[w->tail % FRAMES];

    w->packets++;
    if (fal_rng_below(&w->rng, LOSS_ONE_IN) == 0)
        return;
    if (w->tail - w->head == FRAMES || out->len > FRAME_MAX) {
        w->failure = "the wire is full";
        return;
    }
    w->tail++;
    frame->at_ns = w->now_ns + LATENCY_NS;
    frame->to = 1 - side;
    frame->len = out->len;
    memcpy(frame->bytes, out->bytes, out->len);
}

static void drain(struct world *w, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(w->ep[side], &out)) {
        bool push = out.op == FAL_OP_PUSH;
        const struct fal_endpoint_in answer = {.kind = FAL_IN_RESPOND,
                                               .conn = out.conn,
                                               .rsn = out.rsn,
                                               .answer =
                                                   push ? FAL_ANSWER_ACK : FAL_ANSWER_DATA,
                                               .length = push ? 0 : w->length,
                                               .payload = payload};

        if (out.kind == FAL_OUT_PACKET)
            transmit(w, side, &out);
        else if (out.kind == FAL_OUT_REQUEST)
            input(w, side, &answer);
        else if (out.kind == FAL_OUT_COMPLETE && out.code == FAL_CMPL_ACK) {
            w->open[side][out.conn - 1]--;
            w->completed++;
        } else if (out.kind == FAL_OUT_COMPLETE)
            w->failure = "a transaction failed";
    }
}

static void post_all(struct world *w)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = w->length};

    for (unsigned side = 0; side < 2; side++)
        for (in.conn = 1; in.conn <= CONNS; in.conn++)
            while (w->open[side][in.conn - 1] < OPEN) {
                in.op = w->open[side][in.conn - 1]++ % 2 == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
                in.payload = in.op == FAL_OP_PUSH ? payload : NULL;
                input(w, side, &in);
                drain(w, side);
            }
}

/* Time goes on to the next frame or timer. */
static void step(struct world *w)
{
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    uint64_t at_ns = w->head != w->tail ? w->wire[w->head % FRAMES].at_ns : FAL_NEVER;

    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(w->ep[side]) < at_ns)
            at_ns = fal_endpoint_deadline(w->ep[side]);
    if (at_ns > w->now_ns)
        w->now_ns = at_ns;
    for (; w->head != w->tail && w->wire[w->head % FRAMES].at_ns <= w->now_ns; w->head++) {
        const struct frame *frame = &w->wire[w->head % FRAMES];
        const struct fal_endpoint_in in = {
            .kind = FAL_IN_PACKET, .bytes = frame->bytes, .len = frame->len, .ttl = 64};

        input(w, frame->to, &in);
        drain(w, frame->to);
    }
    for (unsigned side = 0; side < 2; side++) {
        input(w, side, &tick);
        drain(w, side);
    }
}

static void run(struct world *w, uint64_t packets)
{
    for (uint64_t end = w->packets + packets; w->packets < end && w->failure == NULL;) {
        post_all(w);
        step(w);
    }
}

static void open_all(struct world *w, bool ordered, bool separate)
{
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    uint32_t number;

    fal_params_default(&open.params, false);
    open.params.ordered = ordered;
    open.params.initial_rtt_ns = 3 * LATENCY_NS;
    w->rng = fal_rng_split(1, 1);
    for (unsigned side = 0; side < 2; side++) {
        const struct fal_endpoint_config config = {.seed = 1, .separate_blocks = separate};

        w->ep[side] = fal_endpoint_new(&config);
        for (unsigned i = 0; i < CONNS; i++) {
            open.local.cid = open.peer.cid = i;
            ck_assert_int_eq(fal_endpoint_open(w->ep[side], &open, 0, &number), 0);
        }
    }
}

/* The calls of the allocator in COUNTED packets, after a warm-up. */
static long count(bool ordered, uint32_t length, bool separate)
{
    struct world *w = &world;
    long calls;

    memset(w, 0, sizeof *w);
    w->length = length;
    open_all(w, ordered, separate);
    run(w, WARM_UP);
    calls = allocator.calls;
    run(w, COUNTED);
    calls = allocator.calls - calls;
    ck_assert_msg(w->failure == NULL, "%s", w->failure);
    ck_assert_uint_gt(w->completed, COUNTED / 4);
    for (unsigned side = 0; side < 2; side++)
        fal_endpoint_free(w->ep[side]);
    return calls;
}

START_TEST(packets_of_up_to_256_bytes_cost_no_allocation)
{
    static const uint32_t lengths[] = {0, 64, 256};

    if (!allocator_in_charge())
        return;
    if (count(true, 64, true) == 0)
        ck_abort_msg("calls of the allocator are not counted");
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (unsigned ordered = 0; ordered < 2; ordered++)
            ck_assert_int_eq(count(ordered != 0, lengths[i], false), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("endpoint: allocations");
    TCase *tc = tcase_create("allocations");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, packets_of_up_to_256_bytes_cost_no_allocation);
    suite_add_tcase(suite, tc);
    return suite;
}
