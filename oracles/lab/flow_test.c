/* SPDX-License-Identifier: Apache-2.0
 * flow_test.c - a model flow on a bare fabric: when it sends, what its algorithm is told, and
 * what a slow receiver does. A scripted policy stands in for Swift. */
#include "codecs/header/falcon.h"
#include "oracles/lab/bench.h"
#include "tests/testing.h"

#define RATE   (100 * UINT64_C(1000000000))
#define SERIAL UINT64_C(332800) /* of a packet, ps */

enum { EVENTS = 4096 };

/* A policy that gives fixed windows and keeps the events that it was asked about. */
struct script {
    uint32_t fcwnd, ncwnd;
    struct fal_cc_event events[EVENTS];
    unsigned n, nacks, acks, retransmits, level_most;
};

static void scripted(void *ctx, struct fal_cc_state *state, uint32_t now,
                     const struct fal_cc_event *e, struct fal_cc_result *r)
{
    struct script *s = ctx;

    (void)state;
    (void)now;
    if (s->n < EVENTS)
        s->events[s->n++] = *e;
    s->acks += e->event_type == FAL_CC_ACK;
    s->nacks += e->event_type == FAL_CC_NACK;
    s->retransmits += e->event_type == FAL_CC_RETRANSMIT;
    if (e->rx_buffer_level > s->level_most)
        s->level_most = e->rx_buffer_level;
    r->fcwnd_integer = (uint16_t)s->fcwnd;
    r->ncwnd = (uint16_t)s->ncwnd;
    r->retransmit_timeout = FAL_CC_START_RTO;
    r->base_delay_target = e->base_delay_target;
}

/* When packets of each flow arrived. */
struct arrivals {
    uint64_t first_ps[2], last_ps[2], queue_most, queue_last;
    unsigned count[2], acks[2];
};

static void arrived(void *ctx, const struct fal_lab_record *record)
{
    struct arrivals *a = ctx;

    if (record->note == FAL_LAB_NOTE_QUEUE) {
        a->queue_last = record->value;
        if (record->value > a->queue_most)
            a->queue_most = record->value;
    }
    if (record->note == FAL_LAB_NOTE_ACK)
        a->acks[record->index]++;
    if (record->note != FAL_LAB_NOTE_DELIVERED)
        return;
    if (a->count[record->index]++ == 0)
        a->first_ps[record->index] = record->at_ps;
    a->last_ps[record->index] = record->at_ps;
}

static struct fal_lab_bench *bench_of(uint32_t flows, uint64_t time_ps, struct script *script,
                                      struct arrivals *arrivals)
{
    struct fal_swift_params params;
    struct fal_swift swift;
    struct fal_lab_ask ask = {.flows = flows, .seed = 1, .rate_bps = RATE, .swift = &swift};
    struct fal_lab_bench *bench;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    ask.time_ps = time_ps;
    bench = fal_lab_bench_new(&ask, 0);
    ck_assert_ptr_nonnull(bench);
    if (script != NULL)
        bench->lab.policy = (struct fal_rue_policy){scripted, script};
    bench->lab.record = arrived;
    bench->lab.record_ctx = arrivals;
    return bench;
}

static void run(struct fal_lab_bench *bench)
{
    struct fal_lab_outcome out;

    ck_assert_int_eq(fal_lab_bench_run(bench, &out), 0);
    ck_assert(fal_lab_fabric_balanced(&bench->lab.fabric));
}

START_TEST(a_flow_sends_from_its_start_to_its_stop)
{
    static struct script script = {.fcwnd = 8, .ncwnd = 64};
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = bench_of(1, FAL_LAB_MS, &script, &a);
    const uint64_t start = 300 * FAL_LAB_US, stop = 500 * FAL_LAB_US;

    bench->lab.flows[0].config.start_ps = start;
    bench->lab.flows[0].config.stop_ps = stop;
    run(bench);
    /* The first packet needs its own time and half of the round trip. */
    ck_assert_uint_eq(a.first_ps[0], start + SERIAL + FAL_LAB_BASE_PS / 2);
    /* The start window may wait in the queue; a window of 8 does not fill the fabric. */
    ck_assert_uint_ge(a.last_ps[0], stop - FAL_LAB_BASE_PS);
    ck_assert_uint_lt(a.last_ps[0], stop + 2 * FAL_LAB_BASE_PS);
    ck_assert_uint_eq(bench->lab.flows[0].in_flight, 0);
    fal_lab_bench_free(bench);
}
END_TEST

START_TEST(an_unresponsive_flow_sends_its_burst_then_at_its_rate)
{
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = bench_of(1, FAL_LAB_MS, NULL, &a);
    struct fal_lab_flow_config *config = &bench->lab.flows[0].config;

    config->unresponsive = true;
    config->start_ps = 0;
    config->burst = 100;
    config->spacing_ps = SERIAL;
    run(bench);
    /* The queue holds the burst all the time: it is served as fast as it is filled. */
    ck_assert_uint_ge(a.queue_most, 100 * FAL_LAB_PACKET);
    ck_assert_uint_le(a.queue_most, 101 * FAL_LAB_PACKET);
    ck_assert_uint_ge(bench->queues[0].bytes, 99 * FAL_LAB_PACKET);
    /* The link is never idle. */
    ck_assert_uint_eq(a.count[0], (FAL_LAB_MS - FAL_LAB_BASE_PS / 2) / SERIAL);
    ck_assert_uint_eq(a.acks[0], 0);
    fal_lab_bench_free(bench);
}
END_TEST

START_TEST(an_unresponsive_flow_of_half_the_rate_leaves_the_other_half)
{
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = bench_of(2, 10 * FAL_LAB_MS, NULL, &a);
    struct fal_lab_flow_config *config = &bench->lab.flows[1].config;

    config->unresponsive = true;
    config->spacing_ps = 2 * SERIAL;
    run(bench);
    ck_assert_uint_ge(a.count[0], 49 * (10 * FAL_LAB_MS / SERIAL) / 100);
    ck_assert_uint_le(a.count[0], 51 * (10 * FAL_LAB_MS / SERIAL) / 100);
    ck_assert_uint_gt(a.acks[0], 0);
    ck_assert_uint_eq(a.acks[1], 0);
    fal_lab_bench_free(bench);
}
END_TEST

/* A buffer of 4 packets in front of a receiver that takes one in 10 us. */
static struct fal_lab_bench *slow(struct script *script, struct arrivals *a)
{
    struct fal_lab_bench *bench = bench_of(1, 2 * FAL_LAB_MS, script, a);

    bench->lab.flows[0].config.buffer = 4;
    bench->lab.flows[0].config.drain_ps = 10 * FAL_LAB_US;
    return bench;
}

START_TEST(a_slow_receiver_takes_a_packet_each_drain_time)
{
    static struct script script = {.fcwnd = 4, .ncwnd = 4};
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = slow(&script, &a);
    unsigned taken = 0;

    run(bench);
    /* The start window of 32 does not fit: 4 are kept, and one leaves now and then. */
    ck_assert_uint_gt(bench->lab.flows[0].counts.refused, 0);
    ck_assert_uint_eq(script.nacks, bench->lab.flows[0].counts.refused);
    /* Four windows of 4 packets fill the buffer; it is never empty. */
    ck_assert_uint_ge(script.acks, 2000 / 10 - 4);
    ck_assert_uint_le(script.acks, 2000 / 10);
    for (unsigned i = 0; i < script.n; i++) {
        const struct fal_cc_event *e = &script.events[i];

        if (e->event_type == FAL_CC_ACK) {
            /* The stay in the buffer is no delay of the fabric: up to 4 drain times. */
            ck_assert_uint_le(e->t3 - e->t2, 4 * (10 * FAL_LAB_US >> FAL_LAB_TICK_SHIFT) + 1);
            ck_assert_uint_ge(e->t3 - e->t2, (10 * FAL_LAB_US >> FAL_LAB_TICK_SHIFT) - 1);
            ck_assert_uint_le(e->rx_buffer_level, 31 * 3 / 4);
            taken += e->num_packets_acked;
        } else if (e->event_type == FAL_CC_NACK) {
            ck_assert_uint_eq(e->nack_code, FAL_NACK_RESOURCE);
            ck_assert_uint_eq(e->rx_buffer_level, 31);
            ck_assert_uint_eq(e->num_packets_acked, 0);
            ck_assert_uint_eq(e->t3, e->t2);
        }
    }
    ck_assert_uint_eq(taken, script.acks);
    fal_lab_bench_free(bench);
}
END_TEST

/* Each refused packet is sent again, and nothing is taken for lost that was not refused. */
START_TEST(a_refused_packet_is_sent_again)
{
    static struct script script = {.fcwnd = 32, .ncwnd = 6};
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = slow(&script, &a);
    const struct fal_lab_counts *counts = &bench->lab.flows[0].counts;

    bench->lab.flows[0].config.stop_ps = FAL_LAB_MS;
    run(bench);
    ck_assert_uint_gt(counts->refused, 20);
    ck_assert_uint_eq(script.retransmits, counts->refused + counts->timeouts);
    ck_assert_uint_le(counts->retransmitted, counts->refused);
    ck_assert_uint_ge(counts->retransmitted + 6, counts->refused);
    ck_assert_uint_eq(bench->lab.flows[0].in_flight, 0);
    ck_assert_uint_eq(bench->lab.flows[0].buffered, 0);
    fal_lab_bench_free(bench);
}
END_TEST

/* A receiver as fast as the fabric refuses nothing, whatever its buffer. */
START_TEST(a_fast_receiver_refuses_nothing)
{
    static struct script script = {.fcwnd = 200, .ncwnd = 200};
    struct arrivals a = {.queue_most = 0};
    struct fal_lab_bench *bench = bench_of(1, FAL_LAB_MS, &script, &a);

    bench->lab.flows[0].config.buffer = 2;
    bench->lab.flows[0].config.drain_ps = SERIAL;
    run(bench);
    ck_assert_uint_eq(bench->lab.flows[0].counts.refused, 0);
    ck_assert_uint_gt(script.acks, 2000);
    fal_lab_bench_free(bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("lab flow");
    TCase *tc = tcase_create("lab flow");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_flow_sends_from_its_start_to_its_stop);
    tcase_add_test(tc, an_unresponsive_flow_sends_its_burst_then_at_its_rate);
    tcase_add_test(tc, an_unresponsive_flow_of_half_the_rate_leaves_the_other_half);
    tcase_add_test(tc, a_slow_receiver_takes_a_packet_each_drain_time);
    tcase_add_test(tc, a_refused_packet_is_sent_again);
    tcase_add_test(tc, a_fast_receiver_refuses_nothing);
    suite_add_tcase(s, tc);
    return s;
}
