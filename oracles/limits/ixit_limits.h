/* SPDX-License-Identifier: Apache-2.0
 * ixit_limits.h - what the declared values of a SUT may be before they take rules their power
 * (docs/judging.md, section 18). One table: a run reports each value beyond its limit, with the
 * rules that lose by it and by how much, and a certification that needs one of them is refused.
 * rule_ratios.h has the ratios below which a rule decides nothing at all. */
#ifndef FAL_ORACLES_LIMITS_IXIT_LIMITS_H
#define FAL_ORACLES_LIMITS_IXIT_LIMITS_H

#include "oracles/timer_bounds.h"

/* Value; what limits it; the number in the limit; the rules; what they lose; what to do. The
 * limit is a timer divided by the number (RTO, COALESCING: more than that is too much), the
 * shortest RTO times the number (SPAN), the number itself (NUMBER), or so many RTOs as attempts
 * are allowed, and the number more (ATTEMPTS: less than that is too little). */
/* clang-format off */
#define FAL_LIMITS(X) \
    X(turnaround, RTO, 8, "C5 D4 E7 N3 RN2 RN4 S3 S5 U6 X6 X7", "they accept answers that are late by the turnaround", "configure a longer RTO, or declare a shorter turnaround") \
    X(pipeline, RTO, 8, "E7 N1 N4 O1 O2 RN1 S1 S2 S4 S6 T2 T3 T5 U4 U5 X2 X3 X5 X6", "packets and events that are closer than the pipeline allowance show no order", "configure a longer RTO, or declare a shorter pipeline allowance") \
    X(tick, COALESCING, 10, "A1 A2 A4 R5 U6", "they do not judge the coalescing timeout", "configure a longer coalescing timeout, or declare a finer tick") \
    X(tick, RTO, 10, "C3 E2 E4 E7 RN1 RN2 RN4 S1 S3 S5 X6 X7", "they do not judge the RTO", "configure a longer RTO, or declare a finer tick") \
    X(rto_hi, SPAN, 8, "E4 E7 RN2 S3 S5 X7", "they wait for the longest RTO, and accept a copy that is late by the difference", "configure closer limits of the RTO") \
    X(coalescing, RTO, 2, "A2 A3 U6", "the tester retransmits before the ACK is due, so that it answers another copy", "configure a longer RTO, or a shorter coalescing timeout") \
    X(initial_rtt, RTO, 1, "E3", "the timer retransmits before an early retransmission is allowed", "configure a longer RTO, or a shorter initial_rtt") \
    X(ooo_threshold, NUMBER, 63, "E3", "no bitmap of the request window shows a packet missing", "configure a lower threshold") \
    X(replay_margin, NUMBER, 281000000000, "D3", "time stamps wrap before a packet is too old", "configure a shorter margin") \
    X(transaction_timeout, ATTEMPTS, 1, "E5 E6 S1", "the transaction times out before its attempts end", "configure a longer transaction timeout, or fewer attempts")
/* clang-format on */

enum fal_limit_kind {
    FAL_LIMIT_RTO,
    FAL_LIMIT_COALESCING,
    FAL_LIMIT_SPAN,
    FAL_LIMIT_NUMBER,
    FAL_LIMIT_ATTEMPTS
};

#define FAL_LIMIT_ENUM(name, kind, ...) FAL_LIMIT_AT_##name##_##kind,
enum fal_limit_at { FAL_LIMITS(FAL_LIMIT_ENUM) FAL_LIMIT_COUNT };

struct fal_limit {
    enum fal_param_at param;
    enum fal_limit_kind kind;
    uint64_t number;
    const char *rules; /* their ids, separated by spaces */
    const char *loss, *cure;
};

const struct fal_limit *fal_limit(enum fal_limit_at at);

/* The greatest value within the limit (ATTEMPTS: the least), with the other values of the SUT.
 * FAL_NEVER (ATTEMPTS: 0) where nothing limits it: an RTO that varies within unknown limits. */
uint64_t fal_limit_of(enum fal_limit_at at, const struct fal_params *params);

/* Whether the declared value is within its limit. */
bool fal_limit_kept(enum fal_limit_at at, const struct fal_params *params);

/* Why it is not: the value, the limit, what the rules lose and what to do, in words. */
enum { FAL_LIMIT_TEXT_MAX = 400 };
void fal_limit_text(enum fal_limit_at at, const struct fal_params *params,
                    char out[FAL_LIMIT_TEXT_MAX]);

/* ---- against measured answers ---- */

/* The most that a turnaround or a pipeline allowance can plausibly be, if the longest of many
 * answers without a timer took that long: eight times as much. Less than 1 us counts as 1 us.
 */
uint64_t fal_plausible_ns(uint64_t longest_ns);

#endif
