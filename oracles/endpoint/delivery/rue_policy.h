/* SPDX-License-Identifier: Apache-2.0
 * rue_policy.h - the seam between the packet delivery sublayer and a Rate Update Engine (10.6):
 * an algorithm that makes a result of each event. Of a connection it keeps what events and
 * results carry, and a struct fal_cc_state.
 *
 * Swift with PLB: prepare a struct fal_swift by fal_swift_init (oracles/cc/swift.h), then set
 * policy to {fal_swift_process, &swift} and delay to FAL_CC_DELAY_FABRIC, and let
 * fal_cc_start set the parameters of each connection. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_RUE_POLICY_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_RUE_POLICY_H

#include "oracles/cc/state.h"

#include <stdbool.h>

struct fal_rue_policy {
    /* Fills in the result of an event, which begins as "nothing changes". `state` belongs to
     * the connection and is zero when it opens. `now_ticks` is the endpoint's clock, mod 2^24.
     */
    void (*process)(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result);
    void *ctx;
};

/* The event queue: how many entries it has, after which its gen bit turns; and P1 and P2 where
 * the configuration leaves them out. */
enum {
    FAL_RUE_RING = 1024,
    FAL_RUE_P1_NS = 10000,
    FAL_RUE_P2_PACKETS = 16,
    FAL_RUE_P2_BYTES = 64 /* of a packet */
};

/* How a RUE is reached, and which events it gets. */
struct fal_rue_config {
    struct fal_rue_policy policy; /* inside, answers at once; process NULL: fixed windows */
    bool outside;                 /* events leave as FAL_OUT_RUE, results come as FAL_IN_RUE */
    enum fal_cc_format format;    /* of entries from and to a RUE outside */
    enum fal_cc_delay delay;      /* the delay that it is to use */
    /* 10.6.1, AMB-43: below the first depth of the event queue every event is produced; from it
     * on those with P1 or P2; from the second on those with both; from the third on none. All
     * 0: 256, 512, 1024. */
    uint32_t depth[3];
    uint64_t p1_ns;             /* since the last event; 0: 10 us */
    uint32_t p2_packets;        /* acknowledged since then; 0: 16 */
    uint32_t base_delay_target; /* ticks, in a connection's first event; 0: 25 us */
    uint32_t gap_tick_ps;       /* the unit of the gap between packets (AMB-66); 0: 131072 */
};

#endif
