/* SPDX-License-Identifier: Apache-2.0
 * cc_traffic.h - events for a Rate Update Engine: connections whose round trips, delays and
 * losses are drawn, and whose windows are those of the engine's results. A function of the seed
 * and of the results. */
#ifndef TL_HARNESS_CC_CC_TRAFFIC_H
#define TL_HARNESS_CC_CC_TRAFFIC_H

#include "harness/cc/cc_line.h"
#include "oracles/rng.h"

enum { TL_CC_TRAFFIC_CONNS = 8 };

/* The kind of round trips and losses that a connection has for some time. */
enum tl_cc_weather { TL_CC_CALM, TL_CC_CONGESTED, TL_CC_AT_TARGET, TL_CC_LOSSY, TL_CC_WILD };

struct tl_cc_traffic {
    struct fal_rng rng;
    const struct fal_swift_params *params; /* borrowed */
    uint32_t now;                          /* ticks */
    struct tl_cc_flow {
        bool begun;
        enum tl_cc_weather weather;
        unsigned left; /* events until the weather changes */
        uint32_t rtt;  /* of the path */
        unsigned hops, delay_select, retransmits;
        struct fal_cc_event state; /* what the next event carries of the result before */
    } flows[TL_CC_TRAFFIC_CONNS];
};

void tl_cc_traffic_begin(struct tl_cc_traffic *traffic, uint64_t seed,
                         const struct fal_swift_params *params);
/* The next event, in line->event, with line->now and line->keep. */
void tl_cc_traffic_next(struct tl_cc_traffic *traffic, struct tl_cc_line *line);
/* The result of that event: the next one of its connection goes on from there. */
void tl_cc_traffic_result(struct tl_cc_traffic *traffic, const struct tl_cc_line *line);

/* Parameters that differ from their defaults, drawn within their ranges. */
void tl_cc_traffic_params(uint64_t seed, struct fal_swift_params *out);

#endif
