/* SPDX-License-Identifier: Apache-2.0
 * in_force.h - the limits that the subject may have obeyed when it sent a packet (limits.h). */
#ifndef FAL_ORACLES_RULES_QUEUES_IN_FORCE_H
#define FAL_ORACLES_RULES_QUEUES_IN_FORCE_H

#include "oracles/rules/judge/rule.h"

/* All values that may have been in force when the subject sent a packet that was observed at
 * t_ns, and up to since_ns before. Unknown values have the widest range. Moved: results or
 * `set` changed them since `open`; by_result: the last of these was a result. */
struct fal_in_force {
    struct fal_limit_range of;
    bool moved, by_result;
};
struct fal_in_force fal_in_force(const struct fal_ctx *c, uint64_t t_ns, uint64_t since_ns);

/* Whether the SUT had surely applied the result of that event at t_ns, when it made what shows
 * its state. `ours`: it is the tester's. */
bool fal_result_applied(const struct fal_ctx *c, const struct fal_at *result, bool ours,
                        uint64_t t_ns);

/* Whether a value is known at all. */
static inline bool fal_fcwnd_known(const struct fal_in_force *f)
{
    return f->of.hi.fcwnd != UINT32_MAX;
}

static inline bool fal_ncwnd_known(const struct fal_in_force *f)
{
    return f->of.hi.ncwnd != UINT32_MAX;
}

/* fcwnd of 1/1024 packets as a number of packets that may be outstanding (10.3.5, AMB-11). */
static inline int64_t fal_fcwnd_packets(uint32_t fcwnd)
{
    return fcwnd < FAL_CC_FRACTION ? 1 : fcwnd / FAL_CC_FRACTION;
}

#endif
