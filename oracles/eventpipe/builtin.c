/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/eventpipe/builtin.h"

#include <string.h>

enum { EVENTS_PER_RTT = 16, STEP_BPS = 20000000 };

/* The context of a flow. */
struct kept {
    uint64_t rate_bps, rtt_ns, bytes;
    uint32_t events, asked_at; /* events when an RTT packet was asked for */
};

uint64_t fal_ep_round_trip(const struct fal_ep_event *event)
{
    uint64_t away = event->t2_ns == 0 ? event->t3_ns : event->t3_ns - event->t2_ns;
    uint64_t all = event->t4_ns - event->t1_ns;

    return all > away ? all - away : 0;
}

static uint64_t within(uint64_t rate, const struct fal_ep_builtin *p)
{
    return rate < p->least_bps ? p->least_bps : rate > p->most_bps ? p->most_bps : rate;
}

static uint64_t next_rate(const struct fal_ep_builtin *p, struct kept *kept,
                          const struct fal_ep_event *event)
{
    uint64_t rate = kept->rate_bps;

    if (event->t4_ns != 0) { /* an RTT event is among those that were merged */
        kept->rtt_ns = fal_ep_round_trip(event);
        rate = within(kept->rtt_ns < p->target_ns ? rate / 4 * 5 : rate / 10 * 9, p);
    }
    switch (event->kind) {
    case FAL_EP_CNP: return within(rate / 10 * 8, p);
    case FAL_EP_NACK: return within(rate / 2, p);
    case FAL_EP_ACK: return within(rate + (uint64_t)STEP_BPS * event->count, p);
    case FAL_EP_TX: kept->bytes += event->bytes; break;
    case FAL_EP_RTT:
    case FAL_EP_RTT_SENT:
    case FAL_EP_FW: break;
    }
    return rate;
}

static int run(void *ctx, bool first, void *context, const struct fal_ep_event *event,
               struct fal_ep_answer *answer)
{
    const struct fal_ep_builtin *p = ctx;
    struct kept kept;
    uint64_t before;

    memcpy(&kept, context, sizeof kept);
    if (first)
        kept.rate_bps = p->start_bps;
    before = kept.rate_bps;
    kept.events += event->count;
    kept.rate_bps = next_rate(p, &kept, event);
    if (kept.rate_bps != before || event->t4_ns != 0) /* a measurement is always answered */
        answer->rate_bps = kept.rate_bps;
    if (kept.events - kept.asked_at >= EVENTS_PER_RTT) {
        kept.asked_at = kept.events;
        answer->rtt_request = true;
    }
    memcpy(context, &kept, sizeof kept);
    return 0;
}

struct fal_ep_algorithm fal_ep_builtin(struct fal_ep_builtin *parameters)
{
    return (struct fal_ep_algorithm){parameters, sizeof(struct kept), run};
}
