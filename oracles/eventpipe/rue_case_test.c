/* SPDX-License-Identifier: Apache-2.0
 * rue_case_test.c - the event queue of a Rate Update Engine (10.6) is an event pipeline with
 * one processor, one queue, and classes ACK, NACK and retransmission; what the queue does not
 * take is merged into the next event of the connection (num_packets_acked). Both get the same
 * events, and the same must reach the algorithm at the same time. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/delivery/rue.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "oracles/eventpipe/pipe.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <inttypes.h>

enum { FLOWS = 3, STIMULI = 600, SEEDS = 20, SERVICE_NS = 400, P1_NS = 1500, P2_PACKETS = 4 };

static const uint32_t depth[3] = {2, 4, 6};

/* A packet that arrives, or a retransmission. */
struct stimulus {
    uint64_t at_ns;
    uint32_t flow, acked;
    enum fal_cc_event_type type;
};

/* What the algorithm got. */
struct reached {
    uint64_t at_ns; /* when its processing began */
    uint32_t flow, acked, type;
};

struct log {
    struct reached list[STIMULI];
    size_t count;
};

static struct stimulus stimuli[STIMULI];

static void draw(uint64_t seed)
{
    static const enum fal_cc_event_type types[] = {FAL_CC_ACK, FAL_CC_ACK, FAL_CC_ACK,
                                                   FAL_CC_NACK, FAL_CC_RETRANSMIT};
    struct fal_rng rng = fal_rng_split(seed, 5);
    uint64_t at_ns = 1000000;

    for (size_t i = 0; i < STIMULI; i++) {
        bool calm = i / 50 % 2 == 0;

        at_ns += fal_rng_below(&rng, calm ? 1000 : 250);
        stimuli[i] = (struct stimulus){.at_ns = at_ns,
                                       .flow = (uint32_t)fal_rng_below(&rng, FLOWS),
                                       .type = types[fal_rng_below(&rng, 5)]};
        if (stimuli[i].type == FAL_CC_ACK)
            stimuli[i].acked = (uint32_t)fal_rng_below(&rng, 4);
    }
}

/* ---- the queue of the endpoint, with an engine that takes SERVICE_NS for an event ---- */

struct engine {
    struct solo *s;
    size_t next; /* event that is not processed yet */
    uint64_t done_ns;
    bool busy;
    struct log *log;
};

static void begin_event(struct engine *e, uint64_t now_ns)
{
    const struct solo_out *out;
    struct fal_cc_event event;

    if (e->busy || solo_count(e->s, FAL_OUT_RUE) <= e->next)
        return;
    out = solo_nth(e->s, FAL_OUT_RUE, e->next);
    ck_assert_int_gt(fal_cc_decode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT, out->bytes,
                                   FAL_CC_ENTRY_LEN, &event),
                     0);
    e->busy = true;
    e->done_ns = now_ns + SERVICE_NS;
    e->log->list[e->log->count++] = (struct reached){now_ns, event.connection_id - SOLO_CID,
                                                     event.num_packets_acked, event.event_type};
}

static void end_event(struct engine *e)
{
    const struct solo_out *out = solo_nth(e->s, FAL_OUT_RUE, e->next++);
    struct fal_endpoint_in in = {.kind = FAL_IN_RUE, .len = FAL_CC_ENTRY_LEN};
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    struct fal_cc_event event;
    struct fal_cc_result result;

    ck_assert_int_gt(fal_cc_decode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT, out->bytes,
                                   FAL_CC_ENTRY_LEN, &event),
                     0);
    fal_cc_unchanged(&event, &result);
    ck_assert_int_gt(fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, &result, bytes, NULL),
                     0);
    in.bytes = bytes;
    ck_assert_int_eq(fal_endpoint_input(e->s->ep, &in, e->done_ns, NULL), 0);
    solo_drain(e->s);
    e->busy = false;
    begin_event(e, e->done_ns);
}

static void engine_to(struct engine *e, uint64_t now_ns)
{
    while (e->busy && e->done_ns <= now_ns)
        end_event(e);
}

static void stimulate(struct solo *s, const uint32_t conns[FLOWS], const struct stimulus *x)
{
    struct fal_ep_conn *conn = fal_ep_conn_find(s->ep, conns[x->flow]);
    const struct fal_endpoint_in in = {.kind = FAL_IN_PACKET};
    struct fal_falcon ack = solo_packet(x->type == FAL_CC_NACK ? FAL_NACK : FAL_BACK, 0, 0);
    struct fal_tx_packet packet = {.retransmits = 0};

    s->ep->now_ns = x->at_ns;
    for (uint32_t i = 0; i < x->acked; i++)
        fal_rue_acked(conn, 4);
    if (x->type == FAL_CC_RETRANSMIT)
        fal_rue_retransmit(conn, &packet, FAL_CC_RTO);
    else
        fal_rue_ack(conn, &in, &ack, true);
    solo_drain(s);
}

static void play_endpoint(struct log *log)
{
    struct solo *s = solo_new();
    struct engine e = {.s = s, .log = log};
    uint32_t conns[FLOWS];

    s->config.rue = (struct fal_rue_config){.outside = true,
                                            .format = FAL_CC_TABLE_MSB,
                                            .depth = {depth[0], depth[1], depth[2]},
                                            .p1_ns = P1_NS,
                                            .p2_packets = P2_PACKETS};
    solo_open(s);
    conns[0] = s->conn;
    for (uint32_t i = 1; i < FLOWS; i++) {
        s->open.local.cid = SOLO_CID + i;
        s->open.peer.cid = SOLO_PEER_CID + i;
        ck_assert_int_eq(fal_endpoint_open(s->ep, &s->open, s->now_ns, &conns[i]), 0);
    }
    for (size_t i = 0; i < STIMULI; i++) {
        engine_to(&e, stimuli[i].at_ns);
        stimulate(s, conns, &stimuli[i]);
        begin_event(&e, stimuli[i].at_ns);
    }
    engine_to(&e, UINT64_MAX);
    solo_free(s);
}

/* ---- the pipeline, set up as one ---- */

struct pipeline {
    uint64_t event_ns[FLOWS]; /* of the last event that was admitted */
    uint32_t acked[FLOWS];    /* since then */
    struct log *log;
};

/* The policy of 10.6.1 as the built-in endpoint reads it (AMB-43). */
static bool admit(void *ctx, const struct fal_ep_event *event, uint32_t occupancy)
{
    struct pipeline *p = ctx;
    bool p1 = event->last_ns - p->event_ns[event->flow] > P1_NS, p2, wanted;

    p->acked[event->flow] += event->count;
    p2 = p->acked[event->flow] > P2_PACKETS;
    wanted = occupancy < depth[0] || (occupancy < depth[1] && (p1 || p2)) ||
             (occupancy < depth[2] && p1 && p2);
    if (!wanted)
        return false;
    p->acked[event->flow] = 0;
    p->event_ns[event->flow] = event->last_ns;
    return true;
}

static void note(void *ctx, const struct fal_ep_event *e)
{
    static const uint32_t types[FAL_EP_KINDS] = {[FAL_EP_TX] = FAL_CC_RETRANSMIT,
                                                 [FAL_EP_NACK] = FAL_CC_NACK,
                                                 [FAL_EP_ACK] = FAL_CC_ACK};
    struct pipeline *p = ctx;

    if (e->point == FAL_EP_CCP && e->act == FAL_EP_START)
        p->log->list[p->log->count++] =
            (struct reached){e->at_ns, e->flow, e->count, types[e->kind]};
}

static int nothing(void *ctx, bool first, void *context, const struct fal_ep_event *event,
                   struct fal_ep_answer *answer)
{
    (void)ctx;
    (void)first;
    (void)context;
    (void)event;
    (void)answer;
    return 0;
}

static void play_pipeline(struct log *log)
{
    struct pipeline p = {.log = log};
    const struct fal_ep_pipe_config config = {.setup = {.slices = 1,
                                                        .processors = 1,
                                                        .classes = {2, 0, 1, 0, 0, 0, 0},
                                                        .fifo_depth = {1, 16},
                                                        .default_rate_bps = 1},
                                              .flows = FLOWS,
                                              .cycle_ns = 1,
                                              .service_ns = SERVICE_NS,
                                              .algorithm = {NULL, 0, nothing},
                                              .trace = note,
                                              .admit = admit,
                                              .ctx = &p,
                                              .carry = true,
                                              .slices_merge_not = true};
    struct fal_ep_pipe *pipe;

    ck_assert_int_eq(fal_ep_pipe_new(&pipe, &config, NULL), 0);
    for (size_t i = 0; i < STIMULI; i++) {
        const struct stimulus *x = &stimuli[i];
        const struct fal_ep_event event = {.kind = x->type == FAL_CC_ACK    ? FAL_EP_ACK
                                                   : x->type == FAL_CC_NACK ? FAL_EP_NACK
                                                                            : FAL_EP_TX,
                                           .flow = x->flow,
                                           .seq = i,
                                           .count = x->acked};

        ck_assert_int_eq(fal_ep_pipe_run(pipe, x->at_ns), 0);
        ck_assert(fal_ep_pipe_offer(pipe, &event, x->at_ns));
        ck_assert_int_eq(fal_ep_pipe_run(pipe, x->at_ns), 0);
    }
    while (fal_ep_pipe_due(pipe) != FAL_EP_NEVER)
        ck_assert_int_eq(fal_ep_pipe_run(pipe, fal_ep_pipe_due(pipe)), 0);
    fal_ep_pipe_free(pipe);
}

START_TEST(the_same_events_reach_the_algorithm)
{
    size_t refused = 0, carried = 0;

    for (uint64_t seed = 1; seed <= test_rounds(SEEDS); seed++) {
        struct log endpoint = {.count = 0}, pipeline = {.count = 0};

        draw(seed);
        play_endpoint(&endpoint);
        play_pipeline(&pipeline);
        ck_assert_msg(endpoint.count == pipeline.count, "seed %" PRIu64 ": %zu and %zu events",
                      seed, endpoint.count, pipeline.count);
        for (size_t i = 0; i < endpoint.count; i++) {
            const struct reached *a = &endpoint.list[i], *b = &pipeline.list[i];

            ck_assert_msg(a->at_ns == b->at_ns && a->flow == b->flow && a->acked == b->acked &&
                              a->type == b->type,
                          "seed %" PRIu64 ", event %zu: at %" PRIu64 " and %" PRIu64
                          ", flow %u and %u, acked %u and %u, type %u and %u",
                          seed, i, a->at_ns, b->at_ns, a->flow, b->flow, a->acked, b->acked,
                          a->type, b->type);
            carried += a->acked > 3;
        }
        refused += STIMULI - endpoint.count;
    }
    ck_assert_uint_gt(refused, 50);
    ck_assert_uint_gt(carried, 25);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("RUE as an event pipeline");
    TCase *tc = tcase_create("one processor");

    tcase_add_test(tc, the_same_events_reach_the_algorithm);
    suite_add_tcase(suite, tc);
    return suite;
}
