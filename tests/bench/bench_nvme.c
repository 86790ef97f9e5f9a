/* SPDX-License-Identifier: Apache-2.0
 * bench_nvme.c - what a command of NVMe costs the player, and the judge of a SUT.
 *
 *   bench_nvme COMMANDS [judge]
 *
 * Two endpoints with an NVMe engine above each, over a wire that delays all frames alike. Side
 * 0 is the initiator, side 1 the target. Reads and writes of 8 KB with protection information
 * go in turn to blocks one after another. With `judge` a judge sees the packets and the
 * words of the target, the SUT.
 *
 * Prints: commands a second, packets a command. */
#include "codecs/header/ulp.h"
#include "oracles/nvme/engine.h"
#include "oracles/rules/judge/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    INITIATOR,
    SUT, /* the target */
    UNDER_WAY = 32,
    BLOCKS = 2,  /* of a command, of 4096 bytes */
    SPAN = 1024, /* blocks that are used: open commands have different ones */
    NSID = 1,
    TARGET_NSID = 9,
    METADATA = 16,
    WIRE_SLOTS = 4096, /* frames under way, a power of two */
    FRAME_MAX = 4400,
    LATENCY_NS = 5000,
};

struct frame {
    uint64_t at_ns;
    uint32_t len;
    unsigned to;
    uint8_t bytes[FRAME_MAX];
};

struct bench {
    struct fal_endpoint *ep[2];
    struct fal_nvme_engine *engine[2];
    uint32_t conn[2];
    struct fal_judge *judge; /* or NULL */
    uint64_t now_ns, index, cmd, packets, completed;
    int64_t id;
    struct frame wire[WIRE_SLOTS];
    uint32_t head, tail;
};

static void die(const char *what)
{
    fprintf(stderr, "bench_nvme: %s\n", what);
    exit(4);
}

static void tell(struct bench *b, struct fal_event *event)
{
    event->index = b->index++;
    event->t_ns = b->now_ns;
    if (b->judge != NULL)
        fal_judge_event(b->judge, event);
}

static void tell_word(struct bench *b, struct fal_ev_nvme said)
{
    struct fal_event event = {.kind = FAL_EV_NVME};

    event.u.nvme = said;
    tell(b, &event);
}

static void transmit(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct frame *frame = &b->wire[b->tail % WIRE_SLOTS];
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = 1};

    if (b->tail - b->head == WIRE_SLOTS || out->len > FRAME_MAX)
        die("the wire is full");
    b->packets++;
    b->tail++;
    frame->at_ns = b->now_ns + LATENCY_NS;
    frame->to = 1 - side;
    frame->len = (uint32_t)out->len;
    memcpy(frame->bytes, out->bytes, out->len);
    if (b->judge == NULL)
        return;
    event.u.packet = (struct fal_ev_packet){.dir = side == SUT ? FAL_FROM_SUT : FAL_TO_SUT,
                                            .origin = FAL_ORIGIN_ENDPOINT,
                                            .step = -1,
                                            .bytes = out->bytes,
                                            .len = (uint32_t)out->len};
    fal_event_packet(&event.u.packet);
    tell(b, &event);
}

/* What the engine reports. */
static void hear(struct bench *b, unsigned side)
{
    struct fal_nvme_word event;

    while (fal_nvme_engine_next(b->engine[side], &event)) {
        if (event.kind == FAL_NVME_CQE && event.status != 0)
            die("a command failed");
        b->completed += event.kind == FAL_NVME_CQE;
        if (side == SUT)
            tell_word(b, (struct fal_ev_nvme){.phase = FAL_VERBS_TOLD, .word = &event});
    }
}

static void drain(struct bench *b, unsigned side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(b->ep[side], &out)) {
        if (fal_nvme_engine_take(b->engine[side], &out, b->now_ns))
            hear(b, side);
        else if (out.kind == FAL_OUT_PACKET)
            transmit(b, side, &out);
    }
    hear(b, side);
}

static void ask(struct bench *b, unsigned side, struct fal_nvme_word word)
{
    struct fal_ev_nvme said = {.phase = FAL_VERBS_ASKED, .id = ++b->id, .word = &word};
    struct fal_nvme_word answer;
    struct fal_error err;

    if (side == SUT)
        tell_word(b, said);
    if (fal_nvme_engine_command(b->engine[side], word.conn[0] != 0 ? b->conn[side] : 0, &word,
                                &answer, b->now_ns, &err) != 0)
        die(err.text);
    answer.kind = word.kind;
    said = (struct fal_ev_nvme){
        .phase = FAL_VERBS_ANSWERED, .id = b->id, .ok = true, .word = &answer};
    if (side == SUT)
        tell_word(b, said);
    drain(b, side);
}

static void open_ends(struct bench *b)
{
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    struct fal_event event = {.kind = FAL_EV_CONNECTION, .conn = 1};

    fal_params_default(&open.params, false);
    open.params.ordered = false;
    open.params.mtu = FAL_NVME_MTU;
    open.params.protocol_type = FAL_PROTOCOL_NVME;
    open.params.initial_rtt_ns = 3 * LATENCY_NS;
    for (unsigned side = 0; side < 2; side++) {
        b->ep[side] = fal_endpoint_new(&(struct fal_endpoint_config){.seed = 1 + side});
        b->engine[side] = fal_nvme_engine_new(
            &(struct fal_nvme_config){.endpoint = b->ep[side], .seed = 1 + side});
        if (b->ep[side] == NULL || b->engine[side] == NULL ||
            fal_endpoint_open(b->ep[side], &open, 0, &b->conn[side]) != 0 ||
            fal_nvme_engine_attach(b->engine[side], b->conn[side], &open.params) != 0)
            die("a connection was refused");
    }
    event.u.connection = (struct fal_connection){
        .name = "c", .params = open.params, .initial_known = true, .tester = open.local};
    event.u.connection.sut = open.peer;
    tell(b, &event);
}

static void open_tables(struct bench *b)
{
    ask(b, SUT,
        (struct fal_nvme_word){.kind = FAL_NVME_DEV_FORMAT,
                               .nsid = TARGET_NSID,
                               .block_shift = 12,
                               .metadata = METADATA});
    ask(b, SUT,
        (struct fal_nvme_word){
            .kind = FAL_NVME_DEV_FILL, .nsid = TARGET_NSID, .nlb0 = SPAN - 1, .tag = 1});
    ask(b, INITIATOR,
        (struct fal_nvme_word){
            .kind = FAL_NVME_NS, .nsid = NSID, .block_shift = 12, .pi = FAL_NVME_PI_INSERT});
    ask(b, INITIATOR,
        (struct fal_nvme_word){
            .kind = FAL_NVME_LBA, .valid = true, .conn = "c", .target_nsid = TARGET_NSID});
}

static void post(struct bench *b)
{
    struct fal_nvme_word word = {
        .kind = FAL_NVME_POST, .cmd = ++b->cmd, .nsid = NSID, .nlb0 = BLOCKS - 1, .tag = 1};

    word.op = b->cmd % 2 == 0 ? FAL_NVME_READ : FAL_NVME_WRITE;
    word.slba = BLOCKS * (b->cmd % (SPAN / BLOCKS));
    ask(b, INITIATOR, word);
}

/* Everything that is due at the next moment. */
static void step(struct bench *b, uint64_t commands)
{
    static const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_endpoint_in arrival = {.kind = FAL_IN_PACKET, .ttl = 64};
    uint64_t at_ns;

    while (b->cmd < commands && b->cmd - b->completed < UNDER_WAY)
        post(b);
    at_ns = b->head != b->tail ? b->wire[b->head % WIRE_SLOTS].at_ns : FAL_NEVER;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t ns = fal_endpoint_deadline(b->ep[side]);

        at_ns = ns < at_ns ? ns : at_ns;
        ns = fal_nvme_engine_deadline(b->engine[side]);
        at_ns = ns < at_ns ? ns : at_ns;
    }
    if (at_ns == FAL_NEVER)
        die("a command did not complete");
    b->now_ns = at_ns > b->now_ns ? at_ns : b->now_ns;
    while (b->head != b->tail && b->wire[b->head % WIRE_SLOTS].at_ns <= b->now_ns) {
        const struct frame *frame = &b->wire[b->head++ % WIRE_SLOTS];

        arrival.bytes = frame->bytes;
        arrival.len = frame->len;
        FAL_IGNORE(fal_endpoint_input(b->ep[frame->to], &arrival, b->now_ns, NULL));
        drain(b, frame->to);
    }
    for (unsigned side = 0; side < 2; side++) {
        if (fal_endpoint_deadline(b->ep[side]) <= b->now_ns)
            FAL_IGNORE(fal_endpoint_input(b->ep[side], &tick, b->now_ns, NULL));
        fal_nvme_engine_tick(b->engine[side], b->now_ns);
        drain(b, side);
    }
}

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static struct bench b;
    struct fal_judge_config config = {0};
    struct fal_event run = {.kind = FAL_EV_RUN};
    uint64_t commands;
    double start;

    if ((argc != 2 && argc != 3) || (argc == 3 && strcmp(argv[2], "judge") != 0) ||
        (commands = strtoull(argv[1], NULL, 10)) == 0) {
        fprintf(stderr, "usage: bench_nvme COMMANDS [judge]\n");
        return 2;
    }
    if (argc == 3 && (b.judge = fal_judge_new(&config)) == NULL)
        die("out of memory");
    run.u.run = (struct fal_ev_run){.ordered_events = true, .alone = true};
    tell(&b, &run);
    open_ends(&b);
    open_tables(&b);
    start = seconds();
    while (b.completed < commands)
        step(&b, commands);
    printf("%.0f %.2f\n", (double)commands / (seconds() - start),
           (double)b.packets / (double)commands);
    if (b.judge != NULL)
        fal_judge_finish(b.judge);
    if (b.judge != NULL && fal_judge_verdict(b.judge) >= FAL_VERDICT_FAIL)
        die("the judge found a failure");
    fal_judge_free(b.judge);
    for (unsigned side = 0; side < 2; side++) {
        fal_nvme_engine_free(b.engine[side]);
        fal_endpoint_free(b.ep[side]);
    }
    return 0;
}
