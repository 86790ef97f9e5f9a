/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/world.h"

#include "oracles/endpoint/endpoint.h"
#include "oracles/payload.h"
#include "oracles/rng.h"
#include "oracles/simnet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTER, SUT, SIDES, INITIAL_TTL = 64 };
enum { STEPS_MAX = 2000000, CONNS_MAX = 3, PENDING_MAX = 4096, PAYLOAD_MAX = 512 };

/* A sealed packet brings the time when it left, 8 bytes that stand for the IV. */
enum { FRAME_MAX = FAL_HEADER_MAX + PAYLOAD_MAX, IV_LEN = 8 };
#define IV_PS UINT64_C(1000) /* picoseconds a nanosecond */

/* An answer that a ULP will give. */
struct pending {
    uint64_t due_ns;
    int side;
    uint32_t conn, rsn, length;
    enum fal_ulp_op op;
    bool commanded; /* the tester writes `respond`, rather than the ULP answering by itself */
};

struct world {
    struct fal_endpoint *ep[SIDES];
    struct fal_simnet *net;
    struct fal_judge *judge;
    const struct world_config *config;
    struct world_outcome *outcome;
    struct fal_rng rng;
    uint64_t now_ns, index, ulp_seq;
    int64_t command_id;
    uint32_t conns, numbers[CONNS_MAX][SIDES]; /* connection numbers of each endpoint */
    uint32_t rnr_percent, cie_percent, posts_left;
    uint64_t next_post_ns, post_gap_ns;
    bool sealed; /* packets have an IV */
    struct {
        uint32_t conn; /* 0: none */
        uint8_t bytes[FRAME_MAX];
        size_t len;
    } again; /* a packet of the tester that a step will send once more */
    size_t num_pending;
    struct pending pending[PENDING_MAX];
};

static bool chance(struct world *w, uint32_t percent)
{
    return fal_rng_below(&w->rng, 100) < percent;
}

static void record(struct world *w, struct fal_event *event)
{
    event->index = w->index++;
    event->t_ns = w->now_ns;
    fal_judge_event(w->judge, event);
    if (w->config->recorder.event != NULL)
        w->config->recorder.event(w->config->recorder.ctx, event);
}

static void record_packet(struct world *w, uint32_t conn, enum fal_dir dir,
                          enum fal_origin origin, const uint8_t *bytes, size_t len, uint64_t iv)
{
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = conn};

    event.u.packet = (struct fal_ev_packet){.dir = dir,
                                            .origin = origin,
                                            .step = origin == FAL_ORIGIN_STEP ? 1 : -1,
                                            .has_iv = w->sealed,
                                            .iv = iv,
                                            .bytes = bytes,
                                            .len = (uint32_t)len};
    fal_event_packet(&event.u.packet);
    record(w, &event);
    w->outcome->packets[dir]++;
}

static uint32_t conn_of_cid(const struct world *w, uint32_t cid)
{
    uint32_t conn = (cid & 0xff) + 1; /* see open_connections */

    return conn <= w->conns ? conn : 0;
}

/* What the judge may know of the SUT's upper layer. */
static void record_ulp(struct world *w, struct fal_ev_ulp ulp, uint32_t conn)
{
    struct fal_event event = {.kind = FAL_EV_ULP, .conn = conn};

    ulp.seq = ++w->ulp_seq;
    ulp.text = "";
    event.u.ulp = ulp;
    record(w, &event);
}

static void remember(struct world *w, struct pending p)
{
    if (w->num_pending < PENDING_MAX)
        w->pending[w->num_pending++] = p;
}

static void on_request(struct world *w, int side, uint32_t conn,
                       const struct fal_endpoint_out *out)
{
    struct pending p = {.side = side, .conn = conn, .rsn = out->rsn, .op = out->op};

    p.length = out->length;
    p.due_ns = w->now_ns + fal_rng_below(&w->rng, chance(w, 50) ? 1 : 200 * FAL_US);
    p.commanded = side == SUT && chance(w, 40);
    remember(w, p);
    if (side == SUT)
        record_ulp(w,
                   (struct fal_ev_ulp){.kind = FAL_ULP_REQUEST,
                                       .rsn = out->rsn,
                                       .op = out->op,
                                       .length = out->op == FAL_OP_PUSH ? out->payload_len
                                                                        : out->length,
                                       .hash = fal_payload_hash(out->payload, out->payload_len),
                                       .has_hash = out->op == FAL_OP_PUSH,
                                       .redelivery = out->redelivery},
                   conn);
}

static void on_complete(struct world *w, int side, uint32_t conn,
                        const struct fal_endpoint_out *out)
{
    w->outcome->completed++;
    if (side == SUT)
        record_ulp(w,
                   (struct fal_ev_ulp){.kind = FAL_ULP_COMPLETION,
                                       .rsn = out->rsn,
                                       .op = out->op,
                                       .tag = out->tag,
                                       .code = out->code,
                                       .ulp_nack_code = out->ulp_nack_code,
                                       .length = out->payload_len,
                                       .hash = fal_payload_hash(out->payload, out->payload_len),
                                       .has_hash =
                                           out->op == FAL_OP_PULL && out->code == FAL_CMPL_ACK},
                   conn);
}

static uint32_t conn_of(const struct world *w, int side, uint32_t number)
{
    for (uint32_t c = 0; c < w->conns; c++)
        if (w->numbers[c][side] == number)
            return c + 1;
    return 0;
}

static void put_on_net(struct world *w, enum fal_dir dir, const uint8_t *bytes, size_t len)
{
    const struct fal_simnet_frame frame = {.dir = dir,
                                           .at_ns = w->now_ns,
                                           .bytes = bytes,
                                           .len = len,
                                           .ecn = FAL_ECN_ECT0,
                                           .ttl = INITIAL_TTL};

    (void)fal_simnet_put(w->net, &frame);
}

/* A packet leaves its sender. */
static void transmit(struct world *w, int side, uint32_t conn, enum fal_origin origin,
                     const uint8_t *bytes, size_t len)
{
    uint8_t frame[FRAME_MAX + IV_LEN];
    uint64_t iv = w->now_ns * IV_PS;

    if (len > FRAME_MAX)
        return;
    memcpy(frame, bytes, len);
    memcpy(frame + len, &iv, IV_LEN);
    if (side == TESTER)
        record_packet(w, conn, FAL_TO_SUT, origin, bytes, len, iv);
    put_on_net(w, side == TESTER ? FAL_TO_SUT : FAL_FROM_SUT, frame, len + IV_LEN);
}

/* Keeps a reliable packet of the tester for a step, now and then. */
static void keep(struct world *w, uint32_t conn, const uint8_t *bytes, size_t len)
{
    struct fal_falcon f;

    if (w->again.conn != 0 || len > FRAME_MAX || !chance(w, 2) ||
        fal_falcon_decode(bytes, len, &f) <= 0 || !fal_falcon_reliable(f.packet_type))
        return;
    w->again.conn = conn;
    w->again.len = len;
    memcpy(w->again.bytes, bytes, len);
}

static void drain(struct world *w, int side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(w->ep[side], &out)) {
        uint32_t conn = conn_of(w, side, out.conn);

        switch (out.kind) {
        case FAL_OUT_PACKET:
            transmit(w, side, conn, FAL_ORIGIN_ENDPOINT, out.bytes, out.len);
            if (side == TESTER)
                keep(w, conn, out.bytes, out.len);
            break;
        case FAL_OUT_REQUEST: on_request(w, side, conn, &out); break;
        case FAL_OUT_COMPLETE: on_complete(w, side, conn, &out); break;
        case FAL_OUT_CREDITS: break;
        case FAL_OUT_CM:
        case FAL_OUT_NOTE:
        case FAL_OUT_RUE: break;
        }
    }
}

static void input(struct world *w, int side, const struct fal_endpoint_in *in, uint32_t *rsn)
{
    (void)fal_endpoint_input(w->ep[side], in, w->now_ns, rsn);
}

static void record_respond(struct world *w, const struct pending *p,
                           const struct fal_endpoint_in *in)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = p->conn};

    event.u.command = (struct fal_ev_command){.id = ++w->command_id,
                                              .verb = "respond",
                                              .rsn = in->rsn,
                                              .answer = in->answer,
                                              .rnr_ns = in->rnr_ns,
                                              .code = in->code,
                                              .text = ""};
    record(w, &event);
    event = (struct fal_event){.kind = FAL_EV_REPLY, .conn = p->conn};
    event.u.reply = (struct fal_ev_reply){.id = w->command_id, .ok = true, .text = ""};
    record(w, &event);
}

static void answer(struct world *w, struct pending p)
{
    uint8_t payload[PAYLOAD_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                 .conn = w->numbers[p.conn - 1][p.side],
                                 .rsn = p.rsn,
                                 .answer =
                                     p.op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA};

    if (chance(w, w->rnr_percent)) {
        in.answer = FAL_ANSWER_RNR;
        in.rnr_ns = fal_rnr_timeout_ns(1 + (unsigned)fal_rng_below(&w->rng, 10));
    } else if (p.op == FAL_OP_PUSH && chance(w, w->cie_percent)) {
        static const enum fal_answer kinds[] = {FAL_ANSWER_CIE, FAL_ANSWER_NRE, FAL_ANSWER_CID};

        in.answer = kinds[fal_rng_below(&w->rng, 3)];
        in.code = (uint32_t)fal_rng_below(&w->rng, 256);
    } else if (p.op == FAL_OP_PULL) {
        in.length = in.payload_len = p.length < PAYLOAD_MAX ? p.length : PAYLOAD_MAX;
        fal_payload_fill(p.rsn, w->config->seed, payload, in.length);
        in.payload = payload;
    }
    if (p.side == SUT && p.commanded)
        record_respond(w, &p, &in);
    input(w, p.side, &in, NULL);
    if (p.side == SUT && !p.commanded)
        record_ulp(w,
                   (struct fal_ev_ulp){
                       .kind = FAL_ULP_ACK, .rsn = p.rsn, .answer = in.answer, .code = in.code},
                   p.conn);
    drain(w, p.side);
}

static void post(struct world *w, uint32_t c, int side, enum fal_ulp_op op)
{
    uint8_t payload[PAYLOAD_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = w->numbers[c][side],
                                 .op = op,
                                 .tag = ++w->outcome->posted};
    uint32_t rsn = 0;

    in.length = (uint32_t)fal_rng_below(&w->rng, PAYLOAD_MAX);
    fal_payload_fill(in.tag, w->config->seed, payload, in.length);
    in.payload = in.op == FAL_OP_PUSH ? payload : NULL;
    if (side == SUT) {
        struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = c + 1};

        event.u.command = (struct fal_ev_command){.id = ++w->command_id,
                                                  .verb = "post",
                                                  .op = in.op,
                                                  .tag = in.tag,
                                                  .length = in.length,
                                                  .hash = fal_payload_hash(payload, in.length),
                                                  .has_hash = in.op == FAL_OP_PUSH,
                                                  .text = ""};
        record(w, &event);
    }
    input(w, side, &in, &rsn);
    if (side == SUT) {
        struct fal_event event = {.kind = FAL_EV_REPLY, .conn = c + 1};

        event.u.reply = (struct fal_ev_reply){
            .id = w->command_id, .ok = true, .rsn = rsn, .has_rsn = true, .text = ""};
        record(w, &event);
    }
    drain(w, side);
}

static struct fal_end random_end(struct world *w, uint32_t c, uint32_t high)
{
    bool near_wrap = chance(w, 40);
    uint32_t base = near_wrap ? UINT32_MAX - (uint32_t)fal_rng_below(&w->rng, 40)
                              : (uint32_t)fal_rng_next(&w->rng);

    return (struct fal_end){.cid = high | c,
                            .function = (uint32_t)fal_rng_below(&w->rng, 1 << 24),
                            .req_psn = base,
                            .data_psn = base + (uint32_t)fal_rng_below(&w->rng, 1000),
                            .rsn = (uint32_t)fal_rng_next(&w->rng)};
}

/* Small ones gate, large ones overrun the receiver. */
static uint32_t window(struct world *w)
{
    return chance(w, 60) ? 1 + (uint32_t)fal_rng_below(&w->rng, 64)
                         : 100 + (uint32_t)fal_rng_below(&w->rng, 300);
}

/* Transmit windows that overrun the receiver's a little, and much. */
static uint32_t edge(struct world *w, uint32_t receiver)
{
    return chance(w, 50) ? receiver - 2 + (uint32_t)fal_rng_below(&w->rng, 6) : 400;
}

static int open_connections(struct world *w)
{
    for (uint32_t c = 0; c < w->conns; c++) {
        struct fal_event event = {.kind = FAL_EV_CONNECTION, .conn = c + 1};
        struct fal_connection *k = &event.u.connection;
        struct fal_endpoint_conn tester = {.auto_ack = true, .auto_retransmit = true},
                                 sut = tester;
        uint64_t scale = 1 + fal_rng_below(&w->rng, 4);

        (void)snprintf(k->name, sizeof k->name, "c%u", (unsigned)c);
        fal_params_default(&k->params, false);
        k->params.ordered = chance(w, 60);
        k->params.coalescing_ns *= scale;
        k->params.fcwnd = window(w);
        k->params.ncwnd = window(w);
        k->params.tx_window_req = edge(w, FAL_RX_WINDOW_REQ);
        k->params.tx_window_data = edge(w, FAL_RX_WINDOW_DATA);
        k->params.rto_ns = FAL_MS / 2 * scale;
        k->params.initial_rtt_ns = 50 * FAL_US * scale; /* too short a one floods the network */
        k->params.max_attempts = 100; /* losses of 30 % must not end a connection here */
        k->params.transaction_timeout_ns = 100 * FAL_S;
        k->initial_known = true;
        k->tester = random_end(w, c, 0x5a00);
        k->sut = random_end(w, c, 0xc300);
        tester.params = sut.params = k->params;
        sut.twins = w->config->twins;
        tester.twins = w->config->tester;
        k->params.rack_tlp = fal_twin_in(&sut.twins, FAL_TWIN_RACK_TLP);
        k->tester_rack_tlp = fal_twin_in(&tester.twins, FAL_TWIN_RACK_TLP);
        tester.local = sut.peer = k->tester;
        tester.peer = sut.local = k->sut;
        if (fal_endpoint_open(w->ep[TESTER], &tester, 0, &w->numbers[c][TESTER]) != 0 ||
            fal_endpoint_open(w->ep[SUT], &sut, 0, &w->numbers[c][SUT]) != 0)
            return FAL_ERR_MEM;
        record(w, &event);
    }
    return 0;
}

/* The delays of both directions, as one pair of bounds; on a bad network not always known. */
static void declare_delays(struct world *w, const struct fal_impairment impair[2],
                           struct fal_ev_run *run)
{
    uint64_t least = FAL_NEVER, longest = 0;

    for (int d = 0; d < 2; d++) {
        uint64_t min = fal_impairment_delay_min_ns(&impair[d]);
        uint64_t max = fal_impairment_delay_max_ns(&impair[d]);

        least = min < least ? min : least;
        longest = max > longest ? max : longest;
    }
    run->delay_max_ns = FAL_NEVER;
    if (!w->config->clean && w->config->seed / 4 % 2 == 0)
        return;
    run->delay_min_ns = least;
    run->delay_max_ns = longest;
}

static void start(struct world *w, const struct fal_impairment impair[2])
{
    struct fal_event event = {.kind = FAL_EV_RUN};
    bool clean = w->config->clean;

    (void)snprintf(event.u.run.title, sizeof event.u.run.title, "soak");
    event.u.run.seed = w->config->seed;
    event.u.run.vantage = FAL_VANTAGE_TESTER;
    event.u.run.lossless_in = event.u.run.lossless_out = clean;
    event.u.run.no_duplicates_in = event.u.run.no_duplicates_out = clean;
    event.u.run.in_order_in = event.u.run.in_order_out = clean;
    event.u.run.ordered_events = true;
    declare_delays(w, impair, &event.u.run);
    record(w, &event);
}

static struct fal_impairment random_impairment(struct world *w)
{
    struct fal_impairment i = {.latency_ns = FAL_US + fal_rng_below(&w->rng, 20 * FAL_US)};

    if (w->config->clean)
        return i;
    i.jitter_ns = fal_rng_below(&w->rng, 30 * FAL_US);
    i.loss_ppm = (uint32_t)fal_rng_below(&w->rng, chance(w, 50) ? 300000 : 20000);
    i.duplicate_ppm = (uint32_t)fal_rng_below(&w->rng, 100000);
    i.reorder_ppm = (uint32_t)fal_rng_below(&w->rng, 200000);
    i.reorder_ns = fal_rng_below(&w->rng, 200 * FAL_US);
    i.hops = (uint8_t)fal_rng_below(&w->rng, 20);
    i.ce_ppm = (uint32_t)fal_rng_below(&w->rng, 100000);
    if (chance(w, 40)) {
        i.rate_bps = UINT64_C(1000000000) << fal_rng_below(&w->rng, 8);
        i.queue_bytes = 4096 + (uint32_t)fal_rng_below(&w->rng, 1 << 18);
        i.ecn_bytes = 1 + (uint32_t)fal_rng_below(&w->rng, i.queue_bytes);
    }
    return i;
}

static size_t next_pending(const struct world *w)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < w->num_pending; i++)
        if (best == SIZE_MAX || w->pending[i].due_ns < w->pending[best].due_ns)
            best = i;
    return best;
}

static uint64_t earliest(const struct world *w)
{
    size_t p = next_pending(w);
    uint64_t t = fal_simnet_deadline(w->net), d;

    for (int side = 0; side < SIDES; side++)
        if ((d = fal_endpoint_deadline(w->ep[side])) < t)
            t = d;
    if (p != SIZE_MAX && w->pending[p].due_ns < t)
        t = w->pending[p].due_ns;
    if (w->posts_left > 0 && w->next_post_ns < t)
        t = w->next_post_ns;
    return t;
}

static void deliver(struct world *w, const struct fal_simnet_frame *got)
{
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = got->bytes,
                                 .len = got->len - IV_LEN,
                                 .ecn = got->ecn,
                                 .ttl = got->ttl};
    struct fal_falcon f;
    int side = got->dir == FAL_TO_SUT ? SUT : TESTER;
    uint64_t iv;

    memcpy(&iv, got->bytes + in.len, IV_LEN);
    if (side == SUT && chance(w, 5))
        in.ecn = 3; /* the network marks some */
    in.t1 = w->sealed ? (uint32_t)(iv / FAL_TICK_PS) : 0;
    if (side == TESTER) {
        (void)fal_falcon_decode(in.bytes, in.len, &f);
        record_packet(w, conn_of_cid(w, f.dest_cid), FAL_FROM_SUT, FAL_ORIGIN_ENDPOINT,
                      in.bytes, in.len, iv);
    }
    input(w, side, &in, NULL);
    drain(w, side);
}

struct traffic {
    uint32_t conn;
    int side;
    enum fal_ulp_op op;
};

static struct traffic random_traffic(struct world *w)
{
    return (struct traffic){.conn = (uint32_t)fal_rng_below(&w->rng, w->conns),
                            .side = chance(w, 50) ? TESTER : SUT,
                            .op = chance(w, 60) ? FAL_OP_PUSH : FAL_OP_PULL};
}

static void step(struct world *w)
{
    struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    struct fal_simnet_frame got;
    size_t p;

    while (fal_simnet_take(w->net, w->now_ns, &got))
        deliver(w, &got);
    for (int side = 0; side < SIDES; side++) {
        if (fal_endpoint_deadline(w->ep[side]) <= w->now_ns) {
            input(w, side, &tick, NULL);
            drain(w, side);
        }
    }
    if (w->again.conn != 0 && chance(w, 3)) {
        transmit(w, TESTER, w->again.conn, FAL_ORIGIN_STEP, w->again.bytes, w->again.len);
        w->again.conn = 0;
    }
    while ((p = next_pending(w)) != SIZE_MAX && w->pending[p].due_ns <= w->now_ns) {
        struct pending due = w->pending[p];

        w->pending[p] = w->pending[--w->num_pending];
        answer(w, due);
    }
    if (w->posts_left > 0 && w->next_post_ns <= w->now_ns) {
        bool alike = chance(w, 10); /* many of a kind fill a window */
        unsigned burst = 1 + (unsigned)fal_rng_below(&w->rng, alike ? 300 : 8);
        struct traffic t = random_traffic(w);

        for (; burst > 0 && w->posts_left > 0; burst--, w->posts_left--) {
            post(w, t.conn, t.side, t.op);
            if (!alike)
                t = random_traffic(w);
        }
        w->next_post_ns = w->now_ns + fal_rng_below(&w->rng, w->post_gap_ns);
    }
}

bool world_killed(const struct world_kill *kills, size_t n, const struct world_kill *kill)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(kills[i].rule, kill->rule) == 0 &&
            strcmp(kills[i].requirement, kill->requirement) == 0)
            return true;
    return false;
}

static void note_kill(struct world_outcome *outcome, const struct fal_finding *f)
{
    struct world_kill kill = {f->rule->id, f->requirement != NULL ? f->requirement : "-"};

    if (outcome->num_kills < WORLD_KILLS_MAX &&
        !world_killed(outcome->kills, outcome->num_kills, &kill))
        outcome->kills[outcome->num_kills++] = kill;
}

static void finding(void *ctx, const struct fal_finding *f)
{
    struct world *w = ctx;

    if (f->instance == FAL_BROKEN && f->subject == FAL_SUBJECT_SUT)
        note_kill(w->outcome, f);
    if (w->outcome->why[0] == 0 && f->instance == FAL_BROKEN && !f->asked)
        (void)snprintf(
            w->outcome->why, sizeof w->outcome->why,
            "%s (%s) broken by the %s at %" PRIu64 " ns, event %" PRIu64 ": due %s; seen %s",
            f->rule->id, f->requirement != NULL ? f->requirement : "-",
            f->subject == FAL_SUBJECT_SUT ? "SUT" : "tester", f->t_ns,
            f->num_evidence > 0 ? f->evidence[f->num_evidence - 1] : 0, f->expected, f->seen);
}

static void sum_up(struct world *w)
{
    size_t n;
    const struct fal_rule *rules = fal_rules(&n);
    const struct fal_rule_result *r;
    struct fal_suspect suspect;

    for (size_t i = 0; (r = fal_judge_result(w->judge, i)) != NULL; i++) {
        if (r->subject != FAL_SUBJECT_SUT)
            continue;
        w->outcome->exercised[r->rule - rules] += r->holds + r->broken;
        w->outcome->broken[r->rule - rules] |= r->broken > 0;
    }
    w->outcome->verdict = fal_judge_verdict(w->judge);
    for (int i = 0; i < FAL_FAULT_COUNT; i++)
        w->outcome->acts[i] = fal_endpoint_fault_acts(w->ep[SUT], (enum fal_fault_id)i);
    w->outcome->suspect = fal_judge_suspect(w->judge, 0, &suspect);
    for (uint32_t c = 0; c < w->conns; c++)
        for (int side = 0; side < SIDES; side++)
            w->outcome->stuck |= !fal_endpoint_quiet(w->ep[side], w->numbers[c][side]);
}

/* Nothing is under way: what the SUT's upper layer was told has been read. */
static void record_barrier(struct world *w)
{
    for (uint32_t c = 1; c <= w->conns; c++) {
        struct fal_event command = {.kind = FAL_EV_COMMAND, .conn = c},
                         mark = {.kind = FAL_EV_MARK, .conn = c};

        command.u.command =
            (struct fal_ev_command){.id = ++w->command_id, .verb = "barrier", .text = ""};
        record(w, &command);
        mark.u.mark.mark = FAL_MARK_BARRIER;
        record(w, &mark);
    }
}

int world_run(const struct world_config *config, struct world_outcome *outcome)
{
    struct world *w = calloc(1, sizeof *w);
    struct fal_endpoint_config ep = {.seed = config->seed};
    struct fal_judge_config judge = {.finding = finding, .ctx = w};
    struct fal_impairment impair[2];
    unsigned steps_max = config->steps_max > 0 ? config->steps_max : STEPS_MAX;
    int result = FAL_ERR_MEM;

    *outcome = (struct world_outcome){0};
    if (w == NULL)
        return result;
    w->config = config;
    w->outcome = outcome;
    w->rng = fal_rng_split(config->seed, 99);
    impair[FAL_TO_SUT] = random_impairment(w);
    impair[FAL_FROM_SUT] = config->clean ? impair[FAL_TO_SUT] : random_impairment(w);
    w->sealed = chance(w, 50);
    w->conns = 1 + (uint32_t)fal_rng_below(&w->rng, CONNS_MAX);
    w->rnr_percent = chance(w, 50) ? (uint32_t)fal_rng_below(&w->rng, 30) : 0;
    w->cie_percent = chance(w, 50) ? (uint32_t)fal_rng_below(&w->rng, 15) : 0;
    w->posts_left = 20 + (uint32_t)fal_rng_below(&w->rng, 600);
    w->post_gap_ns = FAL_US * (1 + fal_rng_below(&w->rng, 300));
    w->ep[TESTER] = fal_endpoint_new(&ep);
    ep.faults = config->faults;
    ep.seed ^= 1;
    w->ep[SUT] = fal_endpoint_new(&ep);
    w->net = fal_simnet_new(impair, config->seed);
    w->judge = fal_judge_new(&judge);
    if (w->ep[TESTER] == NULL || w->ep[SUT] == NULL || w->net == NULL || w->judge == NULL)
        goto fail;
    start(w, impair);
    if (open_connections(w) != 0)
        goto fail;
    /* Bounded: a fault may keep something going for ever. */
    for (unsigned steps = 0; steps < steps_max; steps++) {
        uint64_t t = earliest(w);

        if (t == FAL_NEVER || t > 60 * FAL_S)
            break;
        w->now_ns = t > w->now_ns ? t : w->now_ns;
        step(w);
    }
    if (earliest(w) == FAL_NEVER)
        record_barrier(w);
    fal_judge_finish(w->judge);
    sum_up(w);
    result = 0;
fail:
    fal_judge_free(w->judge);
    fal_simnet_free(w->net);
    fal_endpoint_free(w->ep[TESTER]);
    fal_endpoint_free(w->ep[SUT]);
    free(w);
    return result;
}
