/* SPDX-License-Identifier: Apache-2.0
 * rtt_aimd.c - an algorithm for the event pipeline of a NIC: additive increase and
 * multiplicative decrease of the rate, by CNPs, losses and round trips.
 * docs/event-pipeline.md says how to compile and to run it. */
#include "talon_event_algorithm.h"

#define MBPS UINT64_C(1000000)

enum { TARGET_NS = 14000, STEP_MBPS = 40, LEAST_MBPS = 50, EVENTS_PER_RTT = 8 };

/* The context of a flow. */
struct flow {
    uint64_t rate_bps;   /* 0: not known yet */
    uint64_t lowered_ns; /* when the rate fell last */
    uint32_t events;     /* since the last RTT request */
};

/* At most one decrease in a round trip: several events may report the same queue. */
static void lower(struct flow *f, const struct talon_event *event, unsigned percent)
{
    if (event->now_ns - f->lowered_ns < TARGET_NS)
        return;
    f->lowered_ns = event->now_ns;
    f->rate_bps = f->rate_bps / 100 * percent;
    if (f->rate_bps < LEAST_MBPS * MBPS)
        f->rate_bps = LEAST_MBPS * MBPS;
}

static void on_event(void *context, int32_t first, const struct talon_event *event,
                     struct talon_answer *answer)
{
    struct flow *f = context;
    uint64_t before = f->rate_bps;

    if (first) {
        f->rate_bps = 1000 * MBPS; /* where this algorithm begins to count */
        return;                    /* the flow gets the default rate and an RTT packet */
    }
    switch (event->kind) {
    case TALON_EVENT_CNP: lower(f, event, 85); break;
    case TALON_EVENT_NACK: lower(f, event, 50); break;
    case TALON_EVENT_ACK: f->rate_bps += (uint64_t)STEP_MBPS * MBPS * event->count; break;
    default: break;
    }
    if (event->rtt_ns > TARGET_NS) /* 0: no round trip was measured */
        lower(f, event, 80);
    answer->set_rate = f->rate_bps != before;
    answer->rate_bps = f->rate_bps;
    f->events += event->count;
    if (f->events >= EVENTS_PER_RTT) {
        f->events = 0;
        answer->rtt_request = 1;
    }
}

const struct talon_event_algorithm *talon_event_algorithm_v1(void)
{
    static const struct talon_event_algorithm algorithm = {TALON_EVENT_ALGORITHM_VERSION,
                                                           sizeof(struct flow), on_event};

    return &algorithm;
}
