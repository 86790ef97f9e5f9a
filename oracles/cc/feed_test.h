/* SPDX-License-Identifier: Apache-2.0
 * feed_test.h - for tests: events of a round trip, and what Swift makes of them. */
#ifndef FAL_ORACLES_CC_FEED_TEST_H
#define FAL_ORACLES_CC_FEED_TEST_H

#include "oracles/cc/swift.h"
#include "tests/testing.h"

enum { FEED_NOW = 100000 };

/* Swift with PLB and every parameter at its default. */
static inline struct fal_swift feed_swift(void)
{
    struct fal_swift_params params;
    struct fal_swift swift;

    fal_swift_params_default(&params);
    ck_assert_int_eq(fal_swift_init(&swift, &params, true, NULL), 0);
    return swift;
}

/* An ACK at `now` after a round trip of `rtt`, of which the peer held the packet for `held`.
 * The smoothed values equal the sample, so that their orientation does not matter (AMB-35). */
static inline struct fal_cc_event feed_ack(uint32_t now, uint32_t rtt, uint32_t held)
{
    return (struct fal_cc_event){
        .connection_id = 1,
        .event_type = FAL_CC_ACK,
        .t1 = fal_cc_since(now, rtt),
        .t2 = 7000,
        .t3 = 7000 + held,
        .t4 = now,
        .fcwnd_integer = FAL_CC_START_FCWND,
        .ncwnd = FAL_CC_START_NCWND,
        .retransmit_timeout = FAL_CC_START_RTO,
        .num_packets_acked = 1,
        .delay_select = FAL_CC_DELAY_FABRIC,
        .fabric_window_time_marker = fal_cc_since(now, 1),
        .nic_window_time_marker = fal_cc_since(now, 1),
        .base_delay_target = FAL_CC_START_DELAY_TARGET,
        .delay_state = rtt - held,
        .rtt_state = rtt,
    };
}

static inline void feed_fcwnd(struct fal_cc_event *event, double fcwnd)
{
    uint32_t units = (uint32_t)(fcwnd * FAL_CC_FRACTION + 0.5);

    event->fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    event->fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
}

static inline uint32_t feed_units(const struct fal_cc_result *result)
{
    return (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
}

static inline struct fal_cc_result feed(struct fal_swift *swift, struct fal_cc_state *state,
                                        uint32_t now, const struct fal_cc_event *event)
{
    struct fal_cc_result result;

    fal_swift_process(swift, state, now, event, &result);
    return result;
}

#endif
