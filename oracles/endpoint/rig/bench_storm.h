/* SPDX-License-Identifier: Apache-2.0
 * bench_storm.h - for the tests of this folder: traffic of all kinds between two endpoints,
 * both being initiator and target at once; one of them may have a fault or a twin. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_STORM_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_STORM_H

#include "oracles/endpoint/rig/bench_cm.h"
#include "oracles/endpoint/rig/bench_pair.h"
#include "oracles/rng.h"

enum { STORM_POSTS = 60, STORM_LATE_MAX = 256, STORM_STEPS_MAX = 400000, STORM_FAULTY = 1 };
enum { STORM_KEPT = 64, STORM_KEPT_BYTES = 160, STORM_ROTATE = 12 };
enum { STORM_PIPELINE = 3000, STORM_TICK = 700 /* ns; for the variants that use them */ };

/* A kind of traffic. Percentages are of the ULP's answers. */
struct storm {
    const char *name;
    struct fal_impairment wire;
    unsigned burst; /* posts at a time */
    unsigned refused_percent, late_percent, never_percent;
    unsigned wrong_percent; /* pulls answered with a byte too much or too little */
    uint32_t tx_window, max_attempts;
    uint32_t gate;         /* fcwnd, and one more than ncwnd */
    uint64_t gap_ns;       /* between packets that leave */
    uint32_t before_wrap;  /* sequence numbers begin so far before 2^32; 0: elsewhere */
    bool unordered, twins; /* both ends draw some */
    bool poor;             /* few resources */
    bool sealed;           /* keys rotate; an attacker on the wire alters and replays packets */
    bool swaying;          /* the RUE sets windows and timeout anew all the time */
};

static const struct storm storms[] = {
    {.name = "plain", .wire = {.latency_ns = 5000}, .burst = 1},
    {.name = "rough ULPs",
     .wire = {.latency_ns = 5000},
     .burst = 3,
     .refused_percent = 25,
     .late_percent = 30},
    {.name = "rough network",
     .wire = {.latency_ns = 3000,
              .jitter_ns = 8000,
              .loss_ppm = 100000,
              .duplicate_ppm = 100000,
              .reorder_ppm = 100000,
              .reorder_ns = 100000},
     .burst = 2,
     .refused_percent = 25},
    {.name = "bursts beyond the windows",
     .wire = {.latency_ns = 20000, .loss_ppm = 20000},
     .burst = 320,
     .refused_percent = 3,
     .late_percent = 80,
     .tx_window = 1024},
    {.name = "wrap-around, unordered",
     .wire = {.latency_ns = 3000, .jitter_ns = 20000, .loss_ppm = 30000},
     .burst = 8,
     .refused_percent = 10,
     .late_percent = 20,
     .before_wrap = 30,
     .unordered = true},
    {.name = "losses to the end of patience",
     .wire = {.latency_ns = 3000, .loss_ppm = 450000},
     .burst = 4,
     .refused_percent = 20,
     .max_attempts = 1},
    {.name = "twins of all kinds",
     .wire = {.latency_ns = 3000, .jitter_ns = 3000, .loss_ppm = 10000},
     .burst = 30,
     .refused_percent = 10,
     .late_percent = 30,
     .twins = true},
    {.name = "a narrow way out",
     .wire = {.latency_ns = 3000, .loss_ppm = 10000},
     .burst = 60,
     .tx_window = 5,
     .gap_ns = 300},
    {.name = "narrow gates",
     .wire = {.latency_ns = 20000, .loss_ppm = 50000},
     .burst = 20,
     .late_percent = 20,
     .never_percent = 5,
     .max_attempts = 100,
     .gate = 4},
    {.name = "a transmit window narrower than the gates",
     .wire = {.latency_ns = 20000, .loss_ppm = 20000},
     .burst = 20,
     .tx_window = 3,
     .gate = 20},
    {.name = "sealed",
     .wire = {.latency_ns = 3000,
              .loss_ppm = 10000,
              .corrupt_ppm = 20000,
              .ce_ppm = 100000,
              .hops = 3},
     .burst = 3,
     .refused_percent = 10,
     .late_percent = 20,
     .sealed = true},
    {.name = "few resources",
     .wire = {.latency_ns = 3000, .loss_ppm = 10000},
     .burst = 20,
     .refused_percent = 10,
     .late_percent = 60,
     .poor = true,
     .swaying = true},
    {.name = "a RUE that sways",
     .wire = {.latency_ns = 3000,
              .jitter_ns = 2000,
              .loss_ppm = 30000,
              .ce_ppm = 200000,
              .hops = 3},
     .burst = 20,
     .refused_percent = 20,
     .late_percent = 20,
     .swaying = true},
    {.name = "ULPs that never answer",
     .wire = {.latency_ns = 3000, .loss_ppm = 30000},
     .burst = 4,
     .late_percent = 20,
     .never_percent = 10,
     .wrong_percent = 10},
};

/* What is different from an ordinary endpoint at one end; -1: nothing. */
struct storm_setup {
    int fault, twin; /* twin FAL_TWIN_COUNT: all of them */
    uint32_t one_in; /* of the fault */
    uint64_t seed;
};

enum { STORMS = sizeof storms / sizeof *storms };

struct late {
    uint64_t at_ns;
    unsigned side;
    struct fal_endpoint_in in;
};

/* A packet recorded by the attacker. */
struct kept {
    struct fal_endpoint_in in;
    uint8_t bytes[STORM_KEPT_BYTES];
};

struct traffic {
    struct pair pair;
    struct cm cm;
    struct cm_conn secured;
    struct kept kept[2][STORM_KEPT]; /* by the side that it came to */
    uint64_t newest_iv[2];
    unsigned num_kept[2];
    const struct storm *storm;
    struct fal_rng rng;
    unsigned posted[2], completed[2], good[2];
    struct late late[STORM_LATE_MAX];
    size_t num_late;
    uint64_t acts;  /* of the fault */
    uint64_t trace; /* hash of all that happened */
    bool runs_on;
};

static inline bool storm_chance(struct traffic *traffic, unsigned percent)
{
    return fal_rng_below(&traffic->rng, 100) < percent;
}

static inline struct fal_endpoint_in storm_answer_to(struct traffic *traffic,
                                                     const struct fal_endpoint_out *out)
{
    static const enum fal_answer refusals[] = {FAL_ANSWER_RNR, FAL_ANSWER_CIE, FAL_ANSWER_NRE,
                                               FAL_ANSWER_CID};
    static const uint8_t data[65];
    struct fal_endpoint_in in = {.rsn = out->rsn,
                                 .payload = data,
                                 .payload_len = 64,
                                 .length = 64,
                                 .code = 3,
                                 .rnr_ns = 50000};

    in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
    if (storm_chance(traffic, traffic->storm->refused_percent))
        in.answer = refusals[fal_rng_below(&traffic->rng, 4)];
    if (in.answer == FAL_ANSWER_DATA && storm_chance(traffic, traffic->storm->wrong_percent))
        in.length = in.payload_len = storm_chance(traffic, 50) ? 63 : 65;
    return in;
}

/* Answers that are refused belong to requests that a fault delivered; no transaction waits for
 * them. */
static inline void storm_on_event(struct pair *pair, unsigned side,
                                  const struct fal_endpoint_out *out)
{
    struct traffic *traffic = pair->ctx;

    if (out->kind == FAL_OUT_COMPLETE) {
        traffic->completed[side]++;
        traffic->good[side] += out->code == FAL_CMPL_ACK;
    }
    if (out->kind != FAL_OUT_REQUEST || storm_chance(traffic, traffic->storm->never_percent))
        return;
    if (!storm_chance(traffic, traffic->storm->late_percent) ||
        traffic->num_late == STORM_LATE_MAX)
        (void)pair_respond(pair, side, storm_answer_to(traffic, out));
    else
        traffic->late[traffic->num_late++] =
            (struct late){.at_ns = pair->now_ns + fal_rng_below(&traffic->rng, 60000),
                          .side = side,
                          .in = storm_answer_to(traffic, out)};
}

/* How the attacker changes a packet before delivering it. The endpoint must not accept any of
 * these. */
static inline void storm_alter(struct traffic *traffic, unsigned side,
                               struct fal_endpoint_in *in)
{
    switch (fal_rng_below(&traffic->rng, 8)) {
    case 0: break; /* repeats it, late */
    case 1: in->seal.spi ^= 0x40; break;
    case 2: in->seal.spi = 0; break;
    case 3: in->seal = (struct fal_seal){.present = false}; break;
    case 4: in->integrity = FAL_DAMAGED; break;
    case 5: in->integrity = FAL_NOT_OPENED; break;
    case 6: in->seal.vc ^= 0x100; break;
    case 7: /* exactly as old as it may not be */
        in->seal.iv =
            traffic->newest_iv[side] - traffic->pair.open[side].params.replay_margin_ns * 1000;
        break;
    }
}

static inline void storm_handed(struct pair *pair, unsigned side,
                                const struct fal_endpoint_in *in)
{
    struct traffic *traffic = pair->ctx;
    struct kept *kept = &traffic->kept[side][traffic->num_kept[side] % STORM_KEPT];
    struct fal_endpoint_in altered;

    if (!traffic->storm->sealed || in->integrity != FAL_INTACT || in->len > STORM_KEPT_BYTES)
        return;
    kept->in = *in;
    memcpy(kept->bytes, in->bytes, in->len);
    kept->in.bytes = kept->bytes;
    if (traffic->num_kept[side]++ == 0 || (int64_t)(in->seal.iv - traffic->newest_iv[side]) > 0)
        traffic->newest_iv[side] = in->seal.iv;
    if (!storm_chance(traffic, 30))
        return;
    altered = traffic
                  ->kept[side][fal_rng_below(&traffic->rng, traffic->num_kept[side] < STORM_KEPT
                                                                ? traffic->num_kept[side]
                                                                : STORM_KEPT)]
                  .in;
    storm_alter(traffic, side, &altered);
    (void)pair_input(pair, side, altered, NULL);
}

static const struct pair_ops storm_ops = {.event = storm_on_event, .handed = storm_handed};

static inline uint64_t storm_next_late(const struct traffic *traffic, size_t *which)
{
    uint64_t first = FAL_NEVER;

    for (size_t i = 0; i < traffic->num_late; i++)
        if (traffic->late[i].at_ns < first) {
            first = traffic->late[i].at_ns;
            *which = i;
        }
    return first;
}

static inline void storm_answer_late(struct traffic *traffic, size_t which)
{
    struct late late = traffic->late[which];

    traffic->late[which] = traffic->late[--traffic->num_late];
    traffic->pair.now_ns = late.at_ns;
    late.in.kind = FAL_IN_RESPOND;
    (void)pair_input(&traffic->pair, late.side, late.in, NULL);
}

static inline void storm_run(struct traffic *traffic, uint64_t until_ns)
{
    for (unsigned steps = 0; steps < STORM_STEPS_MAX; steps++) {
        size_t which = 0;
        uint64_t late_ns = storm_next_late(traffic, &which),
                 at_ns = pair_deadline(&traffic->pair);

        if (late_ns == FAL_NEVER && at_ns == FAL_NEVER)
            return;
        if (late_ns > until_ns && at_ns > until_ns)
            return;
        if (late_ns < at_ns)
            storm_answer_late(traffic, which);
        else
            pair_at(&traffic->pair, at_ns);
    }
    traffic->runs_on = true;
}

/* A RUE that changes everything all the time, within reason. */
static inline void storm_sway(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                              const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct traffic *traffic = ctx;
    static const uint16_t windows[] = {0, 1, 4, 9, 64};

    (void)state, (void)now_ticks;
    traffic->rng.state ^= event->cc_metadata; /* it minds what it is told */
    result->fcwnd_integer = windows[fal_rng_below(&traffic->rng, 5)];
    result->fcwnd_fraction = storm_chance(traffic, 50) ? 512 : 0;
    result->inter_packet_gap = result->fcwnd_integer == 0 ? 40 : 0;
    result->ncwnd = windows[fal_rng_below(&traffic->rng, 5)];
    result->retransmit_timeout = 4000 + (uint32_t)fal_rng_below(&traffic->rng, 8000);
    result->cc_metadata = (uint32_t)fal_rng_below(&traffic->rng, 1 << 24);
    result->randomize_path = storm_chance(traffic, 20);
}

/* So little that bursts are refused, for want of credits or of room for what the peer sends. */
static inline void storm_poor(struct fal_params *params, unsigned side)
{
    params->net_pkt_rx = 8;
    params->net_buf_rx = 40;
    if (side != STORM_FAULTY)
        return; /* the other one overruns it */
    params->credit_req_pkt_tx = params->credit_req_pkt_rx = 12;
    params->credit_data_pkt_tx = 6;
}

static inline void storm_set_up(struct traffic *traffic, const struct storm_setup *setup)
{
    const struct storm *storm = traffic->storm;
    const struct fal_impairment both[2] = {storm->wire, storm->wire};
    uint32_t base = 0u - storm->before_wrap, apart = storm->before_wrap > 0 ? 0 : 1000;
    const struct fal_end ends[2] = {{1, 1, base, base + apart, base + 7},
                                    {2, 2, base + 5 * apart, base, base}};

    pair_init(&traffic->pair, &storm_ops, traffic);
    traffic->pair.sealed = storm->sealed;
    for (unsigned side = 0; side < 2; side++) {
        struct fal_params *params = &traffic->pair.open[side].params;

        if (storm->twins)
            fal_twins_draw(&traffic->pair.open[side].twins, &traffic->rng);
        traffic->pair.config[side].tx_gap_ns = storm->gap_ns;
        if (storm->poor)
            storm_poor(params, side);
        if (storm->swaying)
            traffic->pair.config[side].rue.policy =
                (struct fal_rue_policy){.process = storm_sway, .ctx = traffic};
        params->transaction_timeout_ns = 20 * FAL_MS;
        params->pipeline_ns = STORM_PIPELINE;
        params->tick_ns = STORM_TICK;
        params->rto_varies = true;
        params->rto_lo_ns = params->rto_ns;
        params->rto_hi_ns = 2 * params->rto_ns;
        params->ordered = !storm->unordered;
        if (storm->max_attempts > 0)
            params->max_attempts = storm->max_attempts;
        if (storm->tx_window > 0)
            params->tx_window_req = params->tx_window_data = params->fcwnd = params->ncwnd =
                storm->tx_window;
        if (storm->gate > 0) {
            params->fcwnd = params->ar_threshold = storm->gate;
            params->ncwnd = storm->gate - 1;
        }
    }
    if (setup->fault >= 0)
        fal_fault_add(&traffic->pair.config[STORM_FAULTY].faults,
                      (enum fal_fault_id)setup->fault);
    for (int i = 0; i < FAL_TWIN_ULP_FIRST; i++)
        if (setup->twin == i || setup->twin == FAL_TWIN_COUNT)
            fal_twin_add(&traffic->pair.open[STORM_FAULTY].twins, (enum fal_twin_id)i);
    traffic->pair.config[STORM_FAULTY].faults.one_in = setup->one_in;
    pair_open(&traffic->pair, ends, both, setup->seed);
}

/* The connection manager takes the next step of a key rotation (9.2.2.3). */
static inline void storm_rotate(struct traffic *traffic, unsigned step)
{
    struct pair *pair = &traffic->pair;
    struct cm_conn *conn = &traffic->secured;

    if (step == 0) {
        conn->sealed = true;
        for (unsigned side = 0; side < 2; side++) {
            traffic->cm.ep[side] = pair->ep[side];
            conn->number[side] = pair->conn[side];
            if (cm_order(&traffic->cm, NULL, side, FAL_CM_MATCH_PCID, pair->now_ns) != 0)
                ck_abort_msg("an order was refused");
        }
    }
    if (cm_rotate(&traffic->cm, &conn, 1, step, pair->now_ns) != 0)
        ck_abort_msg("a rotation was refused");
    for (unsigned side = 0; side < 2; side++)
        pair_drain(pair, side);
}

/* STORM_POSTS transactions each way; until all is quiet or dead. */
static inline void storm_flow(struct traffic *traffic, const struct storm *storm,
                              const struct storm_setup *setup)
{
    static const uint8_t payload[64];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = 64, .payload = payload};

    *traffic = (struct traffic){.storm = storm, .rng = fal_rng_split(setup->seed, 3)};
    storm_set_up(traffic, setup);
    for (unsigned i = 0; i < (storm->burst > STORM_POSTS ? storm->burst : STORM_POSTS); i++) {
        for (unsigned side = 0; side < 2; side++) {
            in.op = storm_chance(traffic, 50) ? FAL_OP_PUSH : FAL_OP_PULL;
            traffic->posted[side] += pair_input(&traffic->pair, side, in, NULL) == 0;
        }
        if (storm->sealed && i % STORM_ROTATE == 0 && i / STORM_ROTATE < CM_ROTATION_STEPS)
            storm_rotate(traffic, i / STORM_ROTATE);
        if (i % storm->burst == storm->burst - 1)
            storm_run(traffic, traffic->pair.now_ns + 3000);
    }
    storm_run(traffic, 60 * FAL_S);
    traffic->runs_on |= pair_deadline(&traffic->pair) != FAL_NEVER;
    if (setup->fault >= 0)
        traffic->acts = fal_endpoint_fault_acts(traffic->pair.ep[STORM_FAULTY],
                                                (enum fal_fault_id)setup->fault);
    traffic->trace = traffic->pair.trace;
    pair_free(&traffic->pair);
}

#endif
