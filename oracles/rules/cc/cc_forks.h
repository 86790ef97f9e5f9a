/* SPDX-License-Identifier: Apache-2.0
 * cc_forks.h - the readings of chapter 10 that a Rate Update Engine may choose between. A fork
 * is one alternative of each axis. A SUT keeps to one fork for the whole run, so the run keeps
 * the set of forks that agree with all results so far. The product of all axes is too large to
 * list: a set is kept for each group of axes that decide the same result fields, under each
 * choice of the groups they depend on (smoothing, round trip, target). */
#ifndef FAL_ORACLES_RULES_CC_CC_FORKS_H
#define FAL_ORACLES_RULES_CC_CC_FORKS_H

#include <stdbool.h>
#include <stdint.h>

/* Result fields, in the order in which a breach is reported. */
#define FAL_BAND_FIELDS_OF(X)                     \
    X(RTT_STATE, "rtt_state")                     \
    X(DELAY_STATE, "delay_state")                 \
    X(FCWND, "fcwnd")                             \
    X(FABRIC_MARKER, "fabric_window_time_marker") \
    X(GAP, "inter_packet_gap")                    \
    X(NCWND, "ncwnd")                             \
    X(NIC_MARKER, "nic_window_time_marker")       \
    X(DIRECTION, "ncwnd_direction")               \
    X(RTO, "retransmit_timeout")                  \
    X(PATH, "randomize_path")

#define FAL_BAND_FIELD_ENUM(id, ...) FAL_BAND_##id,
enum fal_band_field { FAL_BAND_FIELDS_OF(FAL_BAND_FIELD_ENUM) FAL_BAND_FIELDS };

#define FAL_BAND_BIT(field) (1U << FAL_BAND_##field)
#define FAL_BAND_OF_FCWND \
    (FAL_BAND_BIT(FCWND) | FAL_BAND_BIT(FABRIC_MARKER) | FAL_BAND_BIT(GAP))
#define FAL_BAND_OF_NCWND \
    (FAL_BAND_BIT(NCWND) | FAL_BAND_BIT(NIC_MARKER) | FAL_BAND_BIT(DIRECTION))
#define FAL_BAND_OF_ALL    ((1U << FAL_BAND_FIELDS) - 1)
#define FAL_BAND_OF_SAMPLE (FAL_BAND_OF_ALL & ~FAL_BAND_BIT(DIRECTION))
#define FAL_BAND_OF_TARGET (FAL_BAND_OF_FCWND | FAL_BAND_BIT(PATH))

enum fal_band_group {
    FAL_BAND_SMOOTHING,
    FAL_BAND_ROUND_TRIP,
    FAL_BAND_TARGET,
    FAL_BAND_FABRIC,
    FAL_BAND_PACE,
    FAL_BAND_TIMEOUT,
    FAL_BAND_NIC,
    FAL_BAND_PLB,
    FAL_BAND_GROUPS
};

/* Axis, group, ambiguity (or the requirement that gives the choice), fields that it can move,
 * the alternatives, the default first. Rows of a group stand together. Only the last of a group
 * has more than two alternatives. */
#define FAL_BAND_AXES_OF(X)                                                                    \
    X(ORIENTATION, SMOOTHING, "AMB-35", FAL_BAND_OF_SAMPLE, 2, "alpha weighs the old average", \
      "alpha weighs the sample", NULL)                                                         \
    X(FIRST, SMOOTHING, "AMB-68", FAL_BAND_OF_SAMPLE, 2, "a zero average is averaged",         \
      "the first sample replaces a zero average", NULL)                                        \
    X(EXHAUSTED_SMOOTHS, SMOOTHING, "AMB-40", FAL_BAND_OF_SAMPLE, 2,                           \
      "a resource NACK updates the averages", "a resource NACK leaves the averages", NULL)     \
    X(RTT, ROUND_TRIP, "AMB-41", FAL_BAND_OF_FCWND | FAL_BAND_OF_NCWND, 3,                     \
      "rtt is the sample", "rtt is the new average", "rtt is the average before the event")    \
    X(FLOW_ALPHA, TARGET, "AMB-36", FAL_BAND_OF_TARGET, 2,                                     \
      "flow_scaling_alpha with reciprocals", "flow_scaling_alpha as written", NULL)            \
    X(FLOW_BETA, TARGET, "AMB-72", FAL_BAND_OF_TARGET, 2, "beta with max_flow_scaling_window", \
      "beta with max_fcwnd", NULL)                                                             \
    X(TARGET_TICKS, TARGET, "AMB-77", FAL_BAND_OF_TARGET, 3, "a real delay target",            \
      "the delay target is truncated", "the delay target is rounded")                          \
    X(COUNTING, FABRIC, "FTP-10.3.1-03", FAL_BAND_OF_FCWND, 2, "each event increases fcwnd",   \
      "fcwnd increases once enough packets were counted", NULL)                                \
    X(RETRANSMITS, FABRIC, "AMB-39", FAL_BAND_OF_FCWND, 2,                                     \
      "the RUE counts successive retransmissions", "the event's retransmit_count counts",      \
      NULL)                                                                                    \
    X(RETRANSMIT_CLAMP, FABRIC, "AMB-39", FAL_BAND_OF_FCWND, 2,                                \
      "a retransmission clamps fcwnd", "a retransmission does not clamp fcwnd", NULL)          \
    X(LIMIT, FABRIC, "AMB-78", FAL_BAND_OF_FCWND, 2, "the limit sets min_fcwnd at once",       \
      "the limit waits for an RTT since the marker", NULL)                                     \
    X(RETRANSMIT_GAP, PACE, "AMB-39", FAL_BAND_BIT(GAP), 2,                                    \
      "a retransmission computes the gap anew", "a retransmission leaves the gap", NULL)       \
    X(GAP_UNIT, PACE, "AMB-66", FAL_BAND_BIT(GAP), 2, "the gap counts 131.072 ns",             \
      "the gap counts 512 ns", NULL)                                                           \
    X(GAP_FORM, PACE, "AMB-37", FAL_BAND_BIT(GAP), 3, "the gap is rtt / fcwnd",                \
      "the gap is divided by fcwnd at each event", "the gap is 1/R less the target RTT")       \
    X(ACK_RTO, TIMEOUT, "AMB-67", FAL_BAND_BIT(RTO), 2, "an ACK leaves the RTO",               \
      "an ACK computes the RTO anew", NULL)                                                    \
    X(RTO_GAP, TIMEOUT, "AMB-67", FAL_BAND_BIT(RTO), 2, "the RTO does not contain the gap",    \
      "the RTO contains the gap", NULL)                                                        \
    X(NIC_FACTOR, NIC, "AMB-38", FAL_BAND_OF_NCWND, 2,                                         \
      "ncwnd falls without nic_multiplicative_decrease_factor",                                \
      "ncwnd falls with nic_multiplicative_decrease_factor", NULL)                             \
    X(EXHAUSTED_TURNS, NIC, "AMB-40", FAL_BAND_OF_NCWND, 2,                                    \
      "a resource NACK sets the direction", "a resource NACK leaves the direction", NULL)      \
    X(EXHAUSTED_CLAMP, NIC, "AMB-40", FAL_BAND_OF_NCWND, 2, "a resource NACK clamps ncwnd",    \
      "a resource NACK does not clamp ncwnd", NULL)                                            \
    X(EXHAUSTED_MARKS, NIC, "AMB-40", FAL_BAND_OF_NCWND, 2,                                    \
      "a resource NACK without a decrease updates the marker",                                 \
      "a resource NACK without a decrease leaves the marker", NULL)                            \
    X(FRACTION, PLB, "AMB-57", FAL_BAND_BIT(PATH), 2,                                          \
      "a fraction equal to the threshold counts",                                              \
      "a fraction equal to the threshold does not count", NULL)                                \
    X(ATTEMPTS, PLB, "AMB-57", FAL_BAND_BIT(PATH), 2, "reroute at plb_attempt_threshold",      \
      "reroute above plb_attempt_threshold", NULL)                                             \
    X(PLB_TARGET, PLB, "AMB-57", FAL_BAND_BIT(PATH), 2,                                        \
      "PLB takes the target of the old fcwnd", "PLB takes the target of the new fcwnd", NULL)  \
    X(PLB_NACK, PLB, "AMB-70", FAL_BAND_BIT(PATH), 2, "PLB runs at ACK events",                \
      "PLB runs at NACK events too", NULL)

#define FAL_BAND_AXIS_ENUM(id, ...) FAL_BAND_AXIS_##id,
enum fal_band_axis { FAL_BAND_AXES_OF(FAL_BAND_AXIS_ENUM) FAL_BAND_AXES };

struct fal_band_axis_row {
    const char *id; /* AMB or requirement */
    enum fal_band_group group;
    unsigned fields; /* FAL_BAND_BIT of those that it can move */
    unsigned n;
    const char *text[3];
};
const struct fal_band_axis_row *fal_band_axis(enum fal_band_axis axis);
const char *fal_band_field_name(enum fal_band_field field);

/* One alternative of each axis; zero: all defaults. */
struct fal_band_fork {
    uint8_t of[FAL_BAND_AXES];
};

/* Sets the axes of a group from the number of their combination, in mixed radix. */
void fal_band_choose(struct fal_band_fork *fork, enum fal_band_group group, unsigned index);
unsigned fal_band_chosen(const struct fal_band_fork *fork, enum fal_band_group group);

enum {
    FAL_BAND_S = 8,  /* combinations of SMOOTHING */
    FAL_BAND_R = 3,  /* ROUND_TRIP */
    FAL_BAND_T = 12, /* TARGET */
    FAL_BAND_F = 16, /* FABRIC */
    FAL_BAND_P = 12, /* PACE */
    FAL_BAND_O = 4,  /* TIMEOUT */
    FAL_BAND_N = 16, /* NIC */
    FAL_BAND_L = 16, /* PLB */
};

/* The forks of a run that are still possible: a bit for each combination of the last group. */
struct fal_band_forks {
    uint8_t smoothing;
    uint8_t timeout[FAL_BAND_S];
    uint16_t fabric[FAL_BAND_S][FAL_BAND_R][FAL_BAND_T];
    uint16_t pace[FAL_BAND_S][FAL_BAND_R], nic[FAL_BAND_S][FAL_BAND_R];
    uint16_t plb[FAL_BAND_S][FAL_BAND_T];
};

void fal_band_forks_all(struct fal_band_forks *forks);
void fal_band_forks_one(struct fal_band_forks *forks, const struct fal_band_fork *fork);
bool fal_band_forks_any(const struct fal_band_forks *forks);
/* Removes what no possible fork contains: then a part that is left is one of a possible fork.
 */
void fal_band_forks_prune(struct fal_band_forks *forks);
/* Whether that fork is possible. */
bool fal_band_forks_has(const struct fal_band_forks *forks, const struct fal_band_fork *fork);
/* The alternatives of an axis, as bits, that some possible fork contains. */
unsigned fal_band_forks_left(const struct fal_band_forks *forks, enum fal_band_axis axis);

#endif
