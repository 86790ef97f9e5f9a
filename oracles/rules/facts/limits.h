/* SPDX-License-Identifier: Apache-2.0
 * limits.h - which limits of a connection may be in force: fcwnd, ncwnd, gap, RTO (10.6.2.2).
 * Each result of the Rate Update Engine (RUE), and each `set`, replaces them, but nobody sees
 * when the SUT applies it. So all values that may hold at a time are kept, as a range. A value
 * that nobody knows has the widest range. */
#ifndef FAL_ORACLES_RULES_FACTS_LIMITS_H
#define FAL_ORACLES_RULES_FACTS_LIMITS_H

#include "codecs/header/ccqueue.h"
#include "oracles/rules/facts/at.h"
#include "oracles/timeline.h"

struct fal_limit_values {
    uint32_t fcwnd; /* in 1/1024 packets */
    uint32_t ncwnd;
    uint64_t gap_ns, rto_ns;
};

struct fal_limit_range {
    struct fal_limit_values lo, hi;
};

struct fal_limit {
    struct fal_at from;  /* It was not in force before this event. */
    uint64_t sure_ns;    /* The SUT had it by then; FAL_NEVER: not known. */
    uint64_t latency_ns; /* and applied it after this time at most; FAL_NEVER: unknown */
    bool by_result;      /* of the RUE, or of the tester in its place */
    int64_t id;          /* the command that asked for it, until its reply was read; else 0 */
    struct fal_limit_range of;
};

/* When more may be in force, the two oldest become one with the range of both. */
enum { FAL_LIMITS_KEPT = 8 };
struct fal_limits {
    uint8_t num;                          /* 0: those of `open` hold, or nobody knows */
    struct fal_limit at[FAL_LIMITS_KEPT]; /* oldest first */
};

struct fal_limit_range fal_limits_unknown(void);
/* Those of `open`; parameters that were not given are unknown. */
struct fal_limit_range fal_limits_of_setup(const struct fal_connection *setup);
/* Those of an entry. */
struct fal_limit_range fal_limits_of_event(const struct fal_rue_facts *rue,
                                           const struct fal_cc_event *event);
struct fal_limit_range fal_limits_of_result(const struct fal_rue_facts *rue,
                                            const struct fal_cc_result *result);
/* Makes `to` the range of both. */
void fal_limits_join(struct fal_limit_range *to, const struct fal_limit_range *with);

/* The SUT may apply `limit` from now on. `before`: what held until then, if this is the first.
 */
void fal_limits_add(struct fal_limits *limits, const struct fal_limit *limit,
                    const struct fal_limit_range *before);
/* The reply to a command was read. */
void fal_limits_answered(struct fal_limits *limits, int64_t id, bool ok, uint64_t t_ns);
/* Replaces in `r` what a line of the command `set` changes. False: it changes no limit and no
 * path. */
bool fal_limits_set(const char *line, struct fal_limit_range *r);
/* Whether the line asks for a new path, as a result with randomize_path does. */
bool fal_limits_draws_path(const char *line);
/* The newest values, whether they are in force yet or not. False: there are none. */
bool fal_limits_newest(const struct fal_limits *limits, struct fal_limit_range *out);
/* All values that may be in force at t_ns, the departure of a packet from the SUT, and between
 * then and since_ns before it. False: there are none. */
bool fal_limits_at(const struct fal_limits *limits, uint64_t since_ns, uint64_t t_ns,
                   uint64_t pipeline_ns, struct fal_limit_range *out);

#endif
