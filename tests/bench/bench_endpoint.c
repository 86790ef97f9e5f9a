/* SPDX-License-Identifier: Apache-2.0
 * bench_endpoint.c - what a packet costs an endpoint, and what a connection holds.
 *
 *   bench_endpoint CONNECTIONS TRANSACTIONS
 *   bench_endpoint CONNECTIONS PACKETS FILE
 *
 * Two endpoints with so many connections between them, over a wire that delays all frames alike
 * and loses one in a hundred. Bursts of pushes and pulls of 64 bytes run on connections that
 * are drawn at random; as many bursts are under way at 1 connection as at 100,000, so that only
 * what the endpoint does makes a difference. Prints, of the best of five rounds: nanoseconds
 * for each packet and side, events (inputs of both endpoints) in a second, bytes held by an
 * idle connection.
 *
 * With FILE it writes a capture of so many packets instead, to time `talon check` with: taken
 * in the middle of the path, with half of the losses before it and half after. Each connection
 * has two hosts of its own, as a capture tells connections apart by them. */
#include "harness/capture/capture.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROUNDS = 5,
    PAYLOAD = 64,
    BURST = 8,
    BURSTS = 16,       /* under way */
    WIRE_SLOTS = 8192, /* frames under way, a power of two */
    FRAME_MAX = 256,
    LATENCY_NS = 5000,
    LOSS_ONE_IN = 100,
    SUBNET = 10 << 24,
    OTHER_HALF = 1 << 23,
};

struct frame {
    uint64_t at_ns;
    uint16_t len;
    uint8_t to;
    uint8_t bytes[FRAME_MAX];
};

struct bench {
    struct fal_endpoint *ep[2];
    struct fal_rng rng;
    uint64_t now_ns;
    uint64_t left;                    /* transactions to be posted */
    uint32_t conns, open[2 * BURSTS]; /* of each burst: transactions that are not complete */
    uint64_t packets, events, completed;
    struct frame wire[WIRE_SLOTS]; /* first in, first out: all frames take as long */
    uint32_t head, tail;
    struct fal_endpoint_in answer;    /* of a ULP; what is the same for all is filled in */
    struct tl_capture_writer *writer; /* of FILE, or NULL */
    uint64_t to_write;
};

/* Of this process: what others do on the machine is not the endpoint's. */
static uint64_t clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * FAL_S + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "bench_endpoint: %s\n", what);
    exit(4);
}

static void input(struct bench *b, unsigned side, const struct fal_endpoint_in *in)
{
    b->events++;
    if (fal_endpoint_input(b->ep[side], in, b->now_ns, NULL) != 0)
        die("an input was refused");
}

static void record(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct fal_frame frame = {.payload = {NULL, 0}};
    uint8_t bytes[2 * FRAME_MAX];
    struct fal_error err;
    int header = fal_falcon_decode(out->bytes, out->len, &frame.falcon), n;

    if (header < 0)
        die("a packet cannot be decoded");
    frame.payload = (struct fal_span){out->bytes + header, out->len - (size_t)header};
    fal_frame_encapsulate(&frame, FAL_ENCAP_UDP, 4);
    frame.ipv4.src = SUBNET + (side == 0 ? 0u : OTHER_HALF) + out->conn;
    frame.ipv4.dst = SUBNET + (side == 0 ? OTHER_HALF : 0u) + out->conn;
    n = fal_frame_encode(&frame, NULL, 0, bytes, sizeof bytes, NULL);
    if (n < 0 ||
        tl_capture_write(b->writer, b->now_ns, bytes, (uint32_t)n, (uint32_t)n, &err) != 0)
        die("a frame cannot be written");
    b->to_write--;
}

static void transmit(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct frame *frame = &b->wire[b->tail % WIRE_SLOTS];

    bool lost = fal_rng_below(&b->rng, LOSS_ONE_IN) == 0;

    b->packets++;
    if (b->to_write > 0 && (!lost || b->packets % 2 == 0))
        record(b, side, out);
    if (lost)
        return;
    if (b->tail - b->head == WIRE_SLOTS || out->len > FRAME_MAX)
        die("the wire is full");
    b->tail++;
    frame->at_ns = b->now_ns + LATENCY_NS;
    frame->to = (uint8_t)(1 - side);
    frame->len = (uint16_t)out->len;
    memcpy(frame->bytes, out->bytes, out->len);
}

static void respond(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct fal_endpoint_in *in = &b->answer;

    in->conn = out->conn;
    in->rsn = out->rsn;
    in->answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    in->length = out->op == FAL_OP_PUSH ? 0 : PAYLOAD;
    input(b, side, in);
}

static void drain(struct bench *b, unsigned side)
{
    const struct fal_endpoint_out *out;

    while ((out = fal_endpoint_take(b->ep[side])) != NULL) {
        if (out->kind == FAL_OUT_PACKET) {
            transmit(b, side, out);
        } else if (out->kind == FAL_OUT_REQUEST) {
            respond(b, side, out);
        } else if (out->kind == FAL_OUT_COMPLETE) {
            b->open[out->tag]--;
            b->completed++;
        }
    }
}

static void post_burst(struct bench *b, unsigned which)
{
    static const uint8_t payload[PAYLOAD];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .tag = which, .length = PAYLOAD};

    in.conn = 1 + (uint32_t)fal_rng_below(&b->rng, b->conns);
    for (unsigned i = 0; i < BURST && b->left > 0; i++, b->left--) {
        in.op = i % 2 == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
        in.payload = in.op == FAL_OP_PUSH ? payload : NULL;
        b->open[which]++;
        input(b, which % 2, &in);
        drain(b, which % 2);
    }
}

/* Everything that is due at the next moment. False when nothing is left. */
static bool step(struct bench *b)
{
    static const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_endpoint_in arrival = {.kind = FAL_IN_PACKET, .ttl = 64};
    uint64_t at_ns = b->head != b->tail ? b->wire[b->head % WIRE_SLOTS].at_ns : FAL_NEVER;

    for (unsigned which = 0; which < 2 * BURSTS; which++)
        if (b->open[which] == 0 && b->left > 0)
            post_burst(b, which);
    if (b->head != b->tail)
        at_ns = b->wire[b->head % WIRE_SLOTS].at_ns;
    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(b->ep[side]) < at_ns)
            at_ns = fal_endpoint_deadline(b->ep[side]);
    if (at_ns == FAL_NEVER)
        return false;
    if (at_ns > b->now_ns)
        b->now_ns = at_ns;
    while (b->head != b->tail && b->wire[b->head % WIRE_SLOTS].at_ns <= b->now_ns) {
        const struct frame *frame = &b->wire[b->head % WIRE_SLOTS];
        const struct frame *next = &b->wire[(b->head + FAL_ENDPOINT_AHEAD) % WIRE_SLOTS];

        arrival.bytes = frame->bytes;
        arrival.len = frame->len;
        if (b->tail - b->head > FAL_ENDPOINT_AHEAD)
            fal_endpoint_expect(b->ep[next->to], next->bytes, next->len);
        input(b, frame->to, &arrival);
        b->head++;
        drain(b, frame->to);
    }
    for (unsigned side = 0; side < 2; side++) {
        if (fal_endpoint_deadline(b->ep[side]) <= b->now_ns) {
            input(b, side, &tick);
            drain(b, side);
        }
    }
    return true;
}

static void open_all(struct bench *b, uint32_t conns)
{
    struct fal_endpoint_config config = {.seed = 1, .max_connections = conns};
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    static const uint8_t payload[PAYLOAD];
    uint32_t conn;

    b->conns = conns;
    b->answer = (struct fal_endpoint_in){.kind = FAL_IN_RESPOND, .payload = payload};
    fal_params_default(&open.params, false);
    open.params.initial_rtt_ns = 3 * LATENCY_NS;
    for (unsigned side = 0; side < 2; side++) {
        b->ep[side] = fal_endpoint_new(&config);
        if (b->ep[side] == NULL)
            die("out of memory");
        for (uint32_t i = 0; i < conns; i++) {
            open.local.cid = open.peer.cid = i;
            if (fal_endpoint_open(b->ep[side], &open, 0, &conn) != 0)
                die("a connection was refused");
        }
    }
}

/* Traffic until `packets` are in the file. */
static void write_capture(struct bench *b, const char *path, uint64_t packets)
{
    struct fal_error err = {{0}};

    b->writer = tl_capture_create(path, FAL_LINKTYPE_ETHERNET, &err);
    if (b->writer == NULL)
        die(err.text);
    b->to_write = packets;
    b->left = UINT64_MAX;
    while (b->to_write > 0 && step(b))
        ;
    if (tl_capture_finish(b->writer, &err) != 0)
        die(err.text);
}

static void close_all(struct bench *b)
{
    for (unsigned side = 0; side < 2; side++)
        fal_endpoint_free(b->ep[side]);
}

int main(int argc, char **argv)
{
    static struct bench b;
    uint64_t transactions;
    double best_ns = 1e18, most_events = 0;
    size_t before, idle;
    uint32_t conns;

    if ((argc != 3 && argc != 4) || (conns = (uint32_t)strtoul(argv[1], NULL, 10)) == 0 ||
        (transactions = strtoull(argv[2], NULL, 10)) == 0) {
        fprintf(stderr,
                "usage: bench_endpoint CONNECTIONS TRANSACTIONS | CONNECTIONS PACKETS FILE\n");
        return 2;
    }
    before = mallinfo2().uordblks + mallinfo2().hblkhd;
    open_all(&b, conns);
    b.rng = fal_rng_split(1, 1);
    if (argc == 4) {
        write_capture(&b, argv[3], transactions);
        close_all(&b);
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start, took;

        b.left = transactions;
        b.packets = b.events = b.completed = 0;
        start = clock_ns();
        while (step(&b))
            ;
        took = clock_ns() - start;
        if (b.completed != transactions)
            die("a transaction did not complete");
        if ((double)took / (double)b.packets / 2 < best_ns)
            best_ns = (double)took / (double)b.packets / 2;
        if ((double)b.events / (double)took * 1e9 > most_events)
            most_events = (double)b.events / (double)took * 1e9;
    }
    idle = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    printf("%.1f %.0f %zu\n", best_ns, most_events, idle / 2 / conns);
    close_all(&b);
    return 0;
}
