/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_steer.h"

#include "harness/sut/cc/sut_engine.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/params.h"
#include "oracles/seq.h"

#include <math.h>

enum { SUT, TESTER, SIDES };
enum {
    CID = 0x100,
    SPI = 0x1000,
    BACKLOG = 300,
    RECEIVE_WINDOW = 128,
    TTL = 64,
    LENGTH = 64,
    SILENCE_MAX = 100
};

/* How long ACKs are held: the round trip, and the longest delay that they can tell. t2 is
 * rounded to a tick, and so is the round trip: the sender computes the delay of a step, or a
 * tick less.
 */
#define HOLD_NS     (512 * FAL_US)
#define TICK_NS     0.131072e3
#define ERROR_TICKS 1.25

struct bench {
    const struct tl_engine *engine;
    struct fal_swift swift;
    struct fal_endpoint *ep[SIDES];
    uint32_t conn[SIDES];
    uint64_t now_ns;
    uint32_t next_psn;
    unsigned open, arrived; /* pushes that wait or are under way; that came in this round */
    int rc;
};

static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct bench *b = ctx;

    tl_sut_engine_process(b->engine, &b->swift, state, now_ticks, event, result);
}

static void input(struct bench *b, unsigned side, const struct fal_endpoint_in *in)
{
    int rc = fal_endpoint_input(b->ep[side], in, b->now_ns, NULL);

    if (rc == FAL_ERR_MEM)
        b->rc = rc;
}

/* Counts first copies of pushes. */
static void count(struct bench *b, const struct fal_endpoint_out *out)
{
    struct fal_falcon packet;

    if (fal_falcon_decode(out->bytes, out->len, &packet) <= 0 ||
        packet.packet_type != FAL_PUSH_DATA || fal_seq_lt(packet.psn, b->next_psn))
        return;
    b->next_psn = packet.psn + 1;
    b->arrived++;
}

/* The upper layer of the tester acknowledges each push at once. */
static void take(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct fal_endpoint_in in = {
        .kind = FAL_IN_RESPOND, .conn = b->conn[side], .rsn = out->rsn};

    if (out->kind == FAL_OUT_PACKET) {
        in = (struct fal_endpoint_in){.kind = FAL_IN_PACKET,
                                      .conn = b->conn[1 - side],
                                      .bytes = out->bytes,
                                      .len = out->len,
                                      .seal = out->seal,
                                      .ttl = TTL};
        if (side == SUT)
            count(b, out);
        input(b, 1 - side, &in);
    } else if (out->kind == FAL_OUT_REQUEST) {
        in.answer = FAL_ANSWER_ACK;
        input(b, side, &in);
    } else if (out->kind == FAL_OUT_COMPLETE && b->open > 0) {
        b->open--;
    }
}

/* ---- the bench ---- */

static int open_side(struct bench *b, unsigned side, const struct tl_builtin *sut,
                     uint64_t seed)
{
    struct fal_endpoint_config config = {.seed = seed + side, .clock_ps = side * FAL_S};
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};

    fal_params_default(&open.params, false);
    fal_cc_start(&open.params);
    open.params.rto_ns = FAL_S; /* ACKs are held for long. */
    open.params.transaction_timeout_ns = 1000 * FAL_S;
    open.params.tx_window_data = RECEIVE_WINDOW;
    open.local = (struct fal_end){.cid = CID + side};
    open.peer = (struct fal_end){.cid = CID + 1 - side};
    open.security = (struct fal_endpoint_security){
        .on = true, .spi = SPI + side, .peer_spi = SPI + 1 - side};
    open.security.remote_time = (1 - side) * FAL_S - 1000 * FAL_S;
    if (side == SUT) {
        config.faults = sut->faults;
        config.rue = tl_sut_engine_config(&sut->engine, false);
        config.rue.base_delay_target = (uint32_t)b->swift.params.base_delay_target;
        config.rue.policy = (struct fal_rue_policy){process, b};
        open.twins = sut->twins.set;
    }
    b->ep[side] = fal_endpoint_new(&config);
    if (b->ep[side] == NULL)
        return FAL_ERR_MEM;
    return fal_endpoint_open(b->ep[side], &open, 0, &b->conn[side]);
}

/* Posts pushes, so that the window is always what limits the sender. */
static void refill(struct bench *b)
{
    static const uint8_t payload[LENGTH];
    const struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                       .conn = b->conn[SUT],
                                       .op = FAL_OP_PUSH,
                                       .length = LENGTH,
                                       .payload = payload};

    while (b->open < BACKLOG && b->rc == 0) {
        b->open++;
        input(b, SUT, &in);
    }
}

static void drain(struct bench *b)
{
    struct fal_endpoint_out out;
    bool any;

    do {
        any = false;
        for (unsigned side = 0; side < SIDES; side++)
            while (b->rc == 0 && fal_endpoint_next(b->ep[side], &out)) {
                take(b, side, &out);
                any = true;
            }
    } while (any && b->rc == 0);
}

static uint64_t next_deadline(const struct bench *b)
{
    uint64_t sut = fal_endpoint_deadline(b->ep[SUT]),
             tester = fal_endpoint_deadline(b->ep[TESTER]);

    return sut < tester ? sut : tester;
}

/* Plays a round: the ACKs of the packets that came in the last one leave at its end. Returns
 * how many packets they let out. */
static unsigned play(struct bench *b, const struct tl_cc_step *step)
{
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    const struct fal_steer steer = {.on = true,
                                    .hold_ns = HOLD_NS,
                                    .has_delay = true,
                                    .has_hops = true,
                                    .has_level = true,
                                    .delay_ns = (uint64_t)(step->delay * TICK_NS),
                                    .hops = step->hops,
                                    .level = step->level};
    uint64_t end_ns = b->now_ns + HOLD_NS, at_ns;

    if (fal_endpoint_steer_acks(b->ep[TESTER], b->conn[TESTER], &steer) != 0)
        b->rc = FAL_ERR_MEM;
    b->arrived = 0;
    while (b->rc == 0 && (at_ns = next_deadline(b)) <= end_ns) {
        b->now_ns = at_ns > b->now_ns ? at_ns : b->now_ns;
        for (unsigned side = 0; side < SIDES; side++)
            if (fal_endpoint_deadline(b->ep[side]) <= b->now_ns)
                input(b, side, &tick);
        drain(b);
        refill(b);
        drain(b);
    }
    b->now_ns = end_ns;
    return b->arrived;
}

static int run(struct bench *b, const struct tl_cc_steer *steer, struct tl_cc_measure *m,
               struct fal_error *err)
{
    unsigned count, next, silent = 0;
    const struct tl_cc_step first = m->step;
    bool more = true;

    (void)play(b, &first); /* Nothing was sent yet: from now on ACKs are steered. */
    refill(b);
    drain(b);
    for (count = b->arrived; more && b->rc == 0; count = next) {
        const struct tl_cc_step told = m->step;

        next = play(b, &told);
        silent = next == 0 ? silent + 1 : 0;
        if (silent == SILENCE_MAX)
            return fal_fail(err, FAL_ERR_IO, "the sender sends nothing for %d round trips",
                            SILENCE_MAX);
        if (steer->rounds != NULL)
            (void)fprintf(steer->rounds, "%u %.0f %u %u %u\n", m->rounds, told.delay, told.hops,
                          told.level, count);
        more = tl_cc_measure_round(m, count);
    }
    return b->rc == 0 ? 0 : fal_fail(err, b->rc, "out of memory");
}

int tl_cc_steer_run(const struct tl_cc_steer *steer, const struct fal_swift_params *declared,
                    struct tl_cc_measure *m, struct fal_error *err)
{
    struct bench b = {.engine = &steer->sut->engine};
    int rc = tl_sut_engine_swift(b.engine, steer->params, &b.swift, err);

    tl_cc_measure_begin(m, declared, floor((double)HOLD_NS / TICK_NS), ERROR_TICKS);
    if (rc != 0)
        return rc;
    for (unsigned side = 0; side < SIDES && rc == 0; side++)
        rc = open_side(&b, side, steer->sut, steer->seed);
    if (rc == 0)
        rc = run(&b, steer, m, err);
    else
        rc = fal_fail(err, rc, "the connection cannot be opened");
    for (unsigned side = 0; side < SIDES; side++)
        if (b.ep[side] != NULL)
            fal_endpoint_free(b.ep[side]);
    return rc;
}

unsigned tl_cc_steer_print(const struct tl_cc_measure *m)
{
    unsigned outside = 0;

    printf("%-43s %10s %23s %10s\n", "parameter", "estimate", "95 % interval", "declared");
    for (int i = 0; i < TL_CC_MEASURED; i++) {
        enum tl_cc_measured which = (enum tl_cc_measured)i;
        struct tl_cc_range range = m->of[i];
        bool wrong = tl_cc_measured_outside(m, which);

        printf("%-43s %10.4g %10.4g .. %10.4g %10.4g%s\n", tl_cc_measured_name(which),
               (range.lo + range.hi) / 2, range.lo, range.hi,
               tl_cc_measured_declared(m->declared, which), wrong ? "  outside" : "");
        outside += wrong;
    }
    printf("%u round trips\n", m->rounds);
    return outside;
}
