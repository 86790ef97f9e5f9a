/* SPDX-License-Identifier: Apache-2.0
 * bench_verbs.c - what an RDMA message costs the player, and the judge of a SUT, and what a
 * queue pair holds.
 *
 *   bench_verbs CONNECTIONS MESSAGES [judge]
 *
 * Two endpoints with verbs above them, over a wire that delays all frames alike. Each
 * connection has an RC queue pair and seven of UD. Messages of 64 bytes go from queue pairs
 * that are drawn at random; as many are under way at 1 connection as at 2,048, so that only
 * what is held makes a difference. With `judge` a judge sees the packets and the words of
 * side 1, the SUT.
 *
 * Prints: messages a second, packets a message, bytes that a queue pair holds at an end (with
 * `judge`: in the judge). To count instructions, collect those of bench_traffic(). */
#include "oracles/rng.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/ulp/engine.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Opening is not counted, so valgrind need not look at it: that is half of the time. */
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#endif

enum {
    QPS = 8, /* of a connection; the first is of RC */
    UNDER_WAY = 64,
    BURST = 16, /* messages of one queue pair in a row */
    LENGTH = 64,
    MEMORY = 4096,
    WIRE_SLOTS = 8192, /* frames under way, a power of two */
    FRAME_MAX = 256,
    LATENCY_NS = 5000,
    SUT = 1,
};

struct frame {
    uint64_t at_ns;
    uint16_t len;
    uint8_t to;
    uint8_t bytes[FRAME_MAX];
};

struct end {
    struct fal_endpoint *ep;
    struct fal_verbs_engine *engine;
    struct fal_verbs mr;
    char pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX];
    char (*qps)[FAL_VERBS_NAME_MAX], (*ahs)[FAL_VERBS_NAME_MAX];
    uint32_t *qpns, *conns;
};

struct bench {
    struct end ends[2];
    struct fal_judge *judge; /* or NULL */
    struct fal_rng rng;
    uint64_t now_ns, index, wr_id, left, packets, completed;
    int64_t command;
    uint32_t num_conns, under_way, qp; /* qp: of the burst */
    struct frame wire[WIRE_SLOTS];
    uint32_t head, tail;
};

void bench_traffic(struct bench *b, uint64_t messages);

static void die(const char *what)
{
    fprintf(stderr, "bench_verbs: %s\n", what);
    exit(4);
}

static size_t held(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static void tell(struct bench *b, struct fal_event *event)
{
    event->index = b->index++;
    event->t_ns = b->now_ns;
    if (b->judge != NULL)
        fal_judge_event(b->judge, event);
}

static void tell_verbs(struct bench *b, uint32_t conn, struct fal_ev_verbs said)
{
    struct fal_event event = {.kind = FAL_EV_VERBS, .conn = conn};

    event.u.verbs = said;
    tell(b, &event);
}

static void transmit(struct bench *b, unsigned side, const struct fal_endpoint_out *out)
{
    struct frame *frame = &b->wire[b->tail % WIRE_SLOTS];
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = out->conn};

    if (b->tail - b->head == WIRE_SLOTS || out->len > FRAME_MAX)
        die("the wire is full");
    b->packets++;
    b->tail++;
    frame->at_ns = b->now_ns + LATENCY_NS;
    frame->to = (uint8_t)(1 - side);
    frame->len = (uint16_t)out->len;
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

static void drain(struct bench *b, unsigned side)
{
    struct fal_endpoint_out out;
    struct fal_verbs event;

    while (fal_endpoint_next(b->ends[side].ep, &out)) {
        if (fal_verbs_take(b->ends[side].engine, &out, b->now_ns))
            continue;
        if (out.kind == FAL_OUT_PACKET)
            transmit(b, side, &out);
    }
    while (fal_verbs_next(b->ends[side].engine, &event)) {
        if (event.status != 0)
            die("a request failed");
        if (event.opcode < FAL_VERBS_DONE_RECV) {
            b->completed++;
            b->under_way--;
        }
        if (side == SUT)
            tell_verbs(b, 0, (struct fal_ev_verbs){.phase = FAL_VERBS_TOLD, .verbs = &event});
    }
}

/* `conn`: from 1; 0: the word names none. */
static struct fal_verbs ask(struct bench *b, unsigned side, uint32_t conn,
                            const struct fal_verbs *word)
{
    struct end *end = &b->ends[side];
    struct fal_ev_verbs said = {.phase = FAL_VERBS_ASKED, .id = ++b->command, .verbs = word};
    struct fal_verbs answer;
    struct fal_error err;

    if (side == SUT)
        tell_verbs(b, conn, said);
    if (fal_verbs_command(end->engine, conn > 0 ? end->conns[conn - 1] : 0, word, &answer,
                          b->now_ns, &err) != 0)
        die(err.text);
    said.phase = FAL_VERBS_ANSWERED;
    said.ok = true;
    said.verbs = &answer;
    if (side == SUT)
        tell_verbs(b, conn, said);
    drain(b, side);
    return answer;
}

static void name(char to[FAL_VERBS_NAME_MAX], const char *from)
{
    memcpy(to, from, FAL_VERBS_NAME_MAX);
}

/* ---- opening ---- */

static void open_connections(struct bench *b)
{
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};
    struct fal_event event = {.kind = FAL_EV_CONNECTION};

    fal_params_default(&open.params, false);
    open.params.ordered = true;
    open.params.initial_rtt_ns = 3 * LATENCY_NS;
    for (uint32_t i = 0; i < b->num_conns; i++) {
        open.local.cid = open.peer.cid = i;
        for (unsigned side = 0; side < 2; side++)
            if (fal_endpoint_open(b->ends[side].ep, &open, 0, &b->ends[side].conns[i]) != 0 ||
                fal_verbs_attach(b->ends[side].engine, b->ends[side].conns[i], &open.params) !=
                    0)
                die("a connection was refused");
        event.conn = i + 1;
        event.u.connection = (struct fal_connection){.params = open.params,
                                                     .initial_known = true,
                                                     .tester = open.local,
                                                     .sut = open.peer};
        (void)snprintf(event.u.connection.name, sizeof event.u.connection.name, "c%u", i);
        tell(b, &event);
    }
}

static void open_end(struct bench *b, unsigned side)
{
    struct end *end = &b->ends[side];
    struct fal_endpoint_config config = {.seed = 1 + side, .max_connections = b->num_conns};

    end->ep = fal_endpoint_new(&config);
    end->engine =
        fal_verbs_new(&(struct fal_verbs_config){.endpoint = end->ep, .seed = 1 + side});
    end->conns = calloc(b->num_conns, sizeof *end->conns);
    end->qpns = calloc((size_t)b->num_conns * QPS, sizeof *end->qpns);
    end->qps = calloc((size_t)b->num_conns * QPS, sizeof *end->qps);
    end->ahs = calloc(b->num_conns, sizeof *end->ahs);
    if (end->ep == NULL || end->engine == NULL || end->conns == NULL || end->qpns == NULL ||
        end->qps == NULL || end->ahs == NULL)
        die("out of memory");
}

static void open_objects(struct bench *b, unsigned side)
{
    struct end *end = &b->ends[side];
    struct fal_verbs word = {.kind = FAL_VERBS_PD_CREATE};

    name(end->pd, ask(b, side, 0, &word).pd);
    word = (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 4096};
    name(end->cq, ask(b, side, 0, &word).cq);
    word = (struct fal_verbs){.kind = FAL_VERBS_MR_REG, .length = MEMORY, .access = 15};
    name(word.pd, end->pd);
    end->mr = ask(b, side, 0, &word);
}

static void open_qps(struct bench *b, unsigned side)
{
    struct end *end = &b->ends[side];

    for (uint32_t i = 0; i < b->num_conns * QPS; i++) {
        struct fal_verbs word = {.kind = FAL_VERBS_QP_CREATE,
                                 .type = i % QPS == 0 ? FAL_VERBS_RC : FAL_VERBS_UD,
                                 .path_mtu = 256,
                                 .sq = UNDER_WAY,
                                 .rq = 2 * UNDER_WAY,
                                 .qkey = 1,
                                 .has_qkey = true},
                         made;

        name(word.pd, end->pd);
        name(word.send_cq, end->cq);
        name(word.recv_cq, end->cq);
        made = ask(b, side, 0, &word);
        name(end->qps[i], made.qp);
        end->qpns[i] = made.qpn;
    }
}

static void connect_all(struct bench *b, unsigned side)
{
    struct end *end = &b->ends[side];

    for (uint32_t c = 0; c < b->num_conns; c++) {
        struct fal_verbs word = {.kind = FAL_VERBS_QP_CONNECT,
                                 .dest_qpn = b->ends[1 - side].qpns[c * QPS]};

        name(word.qp, end->qps[c * QPS]);
        (void)snprintf(word.conn, sizeof word.conn, "c%u", c);
        FAL_IGNORE(ask(b, side, c + 1, &word).kind);
        word.kind = FAL_VERBS_AH_CREATE;
        name(word.pd, end->pd);
        name(end->ahs[c], ask(b, side, c + 1, &word).ah);
    }
}

/* ---- traffic ---- */

static struct fal_verbs on_qp(const struct bench *b, unsigned side, uint32_t qp,
                              enum fal_verbs_kind kind)
{
    struct fal_verbs word = {.kind = kind, .num_sge = 1, .sgl[0].length = LENGTH};

    name(word.qp, b->ends[side].qps[qp]);
    name(word.sgl[0].mr, b->ends[side].mr.mr);
    return word;
}

static void post(struct bench *b)
{
    static const enum fal_verbs_op ops[] = {FAL_VERBS_SEND, FAL_VERBS_WRITE, FAL_VERBS_READ};
    uint32_t qp = b->wr_id % BURST != 0
                      ? b->qp
                      : (uint32_t)fal_rng_below(&b->rng, (uint64_t)b->num_conns * QPS);
    unsigned side = (unsigned)(b->wr_id / BURST % 2);
    struct fal_verbs word = on_qp(b, side, qp, FAL_VERBS_POST_SEND), recv;

    word.op = qp % QPS == 0 ? ops[b->wr_id % 3] : FAL_VERBS_SEND;
    b->qp = qp;
    word.wr_id = ++b->wr_id;
    word.flags = FAL_VERBS_SIGNALED;
    word.has_remote = true;
    word.remote.va = b->ends[1 - side].mr.va + MEMORY / 2;
    word.remote.rkey = b->ends[1 - side].mr.rkey;
    if (qp % QPS != 0) {
        word.dest_qpn = b->ends[1 - side].qpns[qp];
        word.qkey = 1;
        word.has_qkey = true;
        name(word.ah, b->ends[side].ahs[qp / QPS]);
    }
    if (word.op == FAL_VERBS_SEND) {
        recv = on_qp(b, 1 - side, qp, FAL_VERBS_POST_RECV);
        recv.wr_id = b->wr_id;
        recv.sgl[0].offset = MEMORY / 4;
        recv.sgl[0].length = 2 * LENGTH; /* with room for a global route header */
        FAL_IGNORE(ask(b, 1 - side, 0, &recv).kind);
    }
    b->under_way++;
    FAL_IGNORE(ask(b, side, 0, &word).kind);
}

/* Everything that is due at the next moment. False when nothing is left. */
static bool step(struct bench *b)
{
    static const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_endpoint_in arrival = {.kind = FAL_IN_PACKET, .ttl = 64};
    uint64_t at_ns;

    while (b->under_way + BURST <= UNDER_WAY && b->left > 0)
        for (unsigned i = 0; i < BURST && b->left > 0; i++, b->left--)
            post(b);
    at_ns = b->head != b->tail ? b->wire[b->head % WIRE_SLOTS].at_ns : FAL_NEVER;
    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(b->ends[side].ep) < at_ns)
            at_ns = fal_endpoint_deadline(b->ends[side].ep);
    if (at_ns == FAL_NEVER)
        return false;
    b->now_ns = at_ns > b->now_ns ? at_ns : b->now_ns;
    while (b->head != b->tail && b->wire[b->head % WIRE_SLOTS].at_ns <= b->now_ns) {
        const struct frame *frame = &b->wire[b->head % WIRE_SLOTS];

        arrival.bytes = frame->bytes;
        arrival.len = frame->len;
        FAL_IGNORE(fal_endpoint_input(b->ends[frame->to].ep, &arrival, b->now_ns, NULL));
        b->head++;
        drain(b, frame->to);
    }
    for (unsigned side = 0; side < 2; side++)
        if (fal_endpoint_deadline(b->ends[side].ep) <= b->now_ns) {
            FAL_IGNORE(fal_endpoint_input(b->ends[side].ep, &tick, b->now_ns, NULL));
            drain(b, side);
        }
    return true;
}

void bench_traffic(struct bench *b, uint64_t messages)
{
    b->left = messages;
    while (step(b))
        continue;
    if (b->completed != messages)
        die("a message did not complete");
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
    size_t before;
    uint64_t messages;
    double start;

    if ((argc != 3 && argc != 4) || (argc == 4 && strcmp(argv[3], "judge") != 0) ||
        (b.num_conns = (uint32_t)strtoul(argv[1], NULL, 10)) == 0 ||
        (messages = strtoull(argv[2], NULL, 10)) == 0) {
        fprintf(stderr, "usage: bench_verbs CONNECTIONS MESSAGES [judge]\n");
        return 2;
    }
    b.rng = fal_rng_split(1, 1);
    if (argc == 4 && (b.judge = fal_judge_new(&config)) == NULL)
        die("out of memory");
    run.u.run = (struct fal_ev_run){.ordered_events = true, .alone = true};
    tell(&b, &run);
    for (unsigned side = 0; side < 2; side++)
        open_end(&b, side);
    open_connections(&b);
    for (unsigned side = 0; side < 2; side++)
        open_objects(&b, side);
    before = held();
    for (unsigned side = 0; side < 2; side++)
        open_qps(&b, side);
    for (unsigned side = 0; side < 2; side++)
        connect_all(&b, side);
    before = held() - before;
    start = seconds();
    CALLGRIND_START_INSTRUMENTATION;
    bench_traffic(&b, messages);
    printf("%.0f %.2f %zu\n", (double)messages / (seconds() - start),
           (double)b.packets / (double)messages, before / 2 / b.num_conns / QPS);
    if (b.judge != NULL)
        fal_judge_finish(b.judge);
    if (b.judge != NULL && fal_judge_verdict(b.judge) >= FAL_VERDICT_FAIL)
        die("the judge found a failure");
    fal_judge_free(b.judge);
    for (unsigned side = 0; side < 2; side++) {
        fal_verbs_free(b.ends[side].engine);
        fal_endpoint_free(b.ends[side].ep);
        free(b.ends[side].conns);
        free(b.ends[side].qpns);
        free(b.ends[side].qps);
        free(b.ends[side].ahs);
    }
    return 0;
}
