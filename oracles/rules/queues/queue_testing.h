/* SPDX-License-Identifier: Apache-2.0
 * queue_testing.h - for tests only: a SUT whose queue entries are seen. */
#ifndef FAL_ORACLES_RULES_QUEUES_QUEUE_TESTING_H
#define FAL_ORACLES_RULES_QUEUES_QUEUE_TESTING_H

#include "oracles/rules/judge/script_testing.h"

/* Its RUE takes up to 1 us, and does not move limits unless it is seen to. */
static inline struct fal_connection queue_connection(const struct kind *kind)
{
    struct fal_connection c = script_connection(kind);

    c.rue = (struct fal_rue_facts){.known = true,
                                   .swift = true,
                                   .has_latency = true,
                                   .latency_ns = FAL_US,
                                   .gap_tick_ps = 131072};
    return c;
}

static inline struct outcome queue_run(const char *rule, const struct kind *kind,
                                       const char *const *lines)
{
    struct fal_connection c = queue_connection(kind);

    return script_run(rule, kind, &c, lines);
}

#endif
