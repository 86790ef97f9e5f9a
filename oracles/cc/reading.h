/* SPDX-License-Identifier: Apache-2.0
 * reading.h - the other readings of chapter 10 that the model can take (swift.h has the default
 * of each). A Rate Update Engine may choose any of them, and keeps to it. Columns: enumerator,
 * name, ambiguity (or the requirement that leaves the choice), one sentence. */
#ifndef FAL_ORACLES_CC_READING_H
#define FAL_ORACLES_CC_READING_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define FAL_CC_READINGS(X)                                                                           \
    X(COUNTS, "increase-by-count", "FTP-10.3.1-03", "fcwnd rises by the increment when more packets were counted than it holds.") \
    X(ALPHA_OF_SAMPLE, "alpha-of-sample", "AMB-35", "A smoothing alpha weighs the sample, not the old average.") \
    X(SCALING_LITERAL, "flow-scaling-literal", "AMB-36", "The alpha of flow scaling is calculated without reciprocals.") \
    X(GAP_GROWS, "gap-grows", "AMB-37", "A gap that there is already is divided by fcwnd at each event.") \
    X(GAP_LESS_RTT, "gap-less-rtt", "AMB-37", "The gap does not contain the round trip, which passes anyway.") \
    X(NIC_FACTOR, "nic-factor", "AMB-38", "nic_multiplicative_decrease_factor weighs the excess level.") \
    X(COUNTS_REPEATS, "retransmissions-counted", "AMB-39", "The engine counts retransmission events in succession by itself.") \
    X(NACK_KEEPS_AVERAGES, "nack-keeps-averages", "AMB-40", "A resource NACK does not change rtt_state and delay_state.") \
    X(NACK_KEEPS_DIRECTION, "nack-keeps-direction", "AMB-40", "A resource NACK does not change ncwnd_direction.") \
    X(RTT_AVERAGE, "guard-by-average", "AMB-41", "The guards and the gap take the average round trip.") \
    X(GAP_WHEEL, "gap-of-512ns", "AMB-66", "The gap counts ticks of 512 ns.") \
    X(ACK_RTO, "ack-timeout", "AMB-67", "The result of an ACK has a timeout that is calculated anew.") \
    X(RTO_GAP, "timeout-with-gap", "AMB-67", "The retransmit timeout contains the gap.") \
    X(FIRST_SAMPLE, "first-sample", "AMB-68", "The first sample replaces an average of 0.") \
    X(PLB_ON_NACKS, "plb-on-nacks", "AMB-70", "PLB counts the packets of NACK events, too.") \
    X(TARGET_TRUNCATED, "target-truncated", "AMB-77", "The target delay is truncated to ticks.") \
    X(TARGET_ROUNDED, "target-rounded", "AMB-77", "The target delay is rounded to ticks.") \
    X(LIMIT_WAITS, "limit-waits", "AMB-78", "fcwnd falls to its minimum only if the guard allows a fall.") \
    X(DIRECTION_OF_CHANGE, "direction-of-change", "AMB-80", "ncwnd_direction changes only if ncwnd does.")
/* clang-format on */

#define FAL_CC_READING_ENUM(id, ...) FAL_CC_READING_##id,
enum fal_cc_reading { FAL_CC_READINGS(FAL_CC_READING_ENUM) FAL_CC_READING_COUNT };

/* A set of readings, one bit each; 0: the defaults. */
typedef uint32_t fal_cc_reading_set;

/* What the public simulator isekai does in its Swift of generation 1. It also cuts gaps to 16
 * bits, which 10.6.2 does not allow: that is left out. */
#define FAL_CC_ISEKAI                                                     \
    (1U << FAL_CC_READING_GAP_LESS_RTT | 1U << FAL_CC_READING_GAP_WHEEL | \
     1U << FAL_CC_READING_ACK_RTO | 1U << FAL_CC_READING_RTO_GAP |        \
     1U << FAL_CC_READING_TARGET_TRUNCATED | 1U << FAL_CC_READING_LIMIT_WAITS)

struct fal_cc_reading_row {
    const char *name, *of, *doc;
};
const struct fal_cc_reading_row *fal_cc_readings(size_t *n);
/* Reads "NAME[,NAME...]", `len` bytes, and adds these readings; swift-isekai adds several.
 * Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int fal_cc_readings_read(fal_cc_reading_set *set, const char *text, size_t len,
                                  struct fal_error *err);

static inline bool fal_cc_reads(fal_cc_reading_set set, enum fal_cc_reading reading)
{
    return (set >> reading & 1) != 0;
}

#endif
