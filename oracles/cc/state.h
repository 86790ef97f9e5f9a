/* SPDX-License-Identifier: Apache-2.0
 * state.h - what a congestion control algorithm keeps of a connection beside its queue entries
 * (codecs/header/ccqueue.h), the values that a connection begins with, and arithmetic on ticks.
 */
#ifndef FAL_ORACLES_CC_STATE_H
#define FAL_ORACLES_CC_STATE_H

#include "codecs/header/ccqueue.h"
#include "oracles/params.h"

/* All zero when the connection opens. PLB keeps its counters here, because no field of an entry
 * carries them (10.5.6). `spare` is free for other algorithms. */
struct fal_cc_state {
    uint16_t plb_acked, plb_congested; /* packets of the present round */
    uint8_t plb_attempts;              /* congested rounds in succession */
    /* Of an engine that counts by itself (reading.h): retransmission events in succession,
     * packets since fcwnd rose. */
    uint8_t retransmits;
    uint16_t counted;
    double spare[2];
};

/* The values in the first event of a connection. Markers are 0, the direction is decrease. */
enum {
    FAL_CC_START_FCWND = 32,
    FAL_CC_START_NCWND = 64,
    FAL_CC_START_RTO = 7630,         /* ticks: 1 ms, rounded up */
    FAL_CC_START_DELAY = 190,        /* ticks, of rtt_state and delay_state: 25 us */
    FAL_CC_START_DELAY_TARGET = 191, /* ticks: 25 us, rounded up */
};

/* a - b for times of 24 bits, which wrap round. */
static inline uint32_t fal_cc_since(uint32_t a, uint32_t b)
{
    return (a - b) & FAL_CC_TIME_MAX;
}

/* Sets the windows and the retransmit timeout of a connection that is about to open. */
void fal_cc_start(struct fal_params *params);

/* The result that leaves everything as the event says. */
void fal_cc_unchanged(const struct fal_cc_event *event, struct fal_cc_result *result);

/* The round trip of an ACK or NACK event, and the delay that it selects (10.1, 10.6.2.1). */
uint32_t fal_cc_rtt(const struct fal_cc_event *event);
uint32_t fal_cc_delay_of(const struct fal_cc_event *event);

#endif
