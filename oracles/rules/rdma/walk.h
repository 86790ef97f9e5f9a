/* SPDX-License-Identifier: Apache-2.0
 * walk.h - for the rules about RDMA: the request at hand, and those before and after it by RSN.
 * The order of requests is that of their RSNs, whatever the order of their packets. */
#ifndef FAL_ORACLES_RULES_RDMA_WALK_H
#define FAL_ORACLES_RULES_RDMA_WALK_H

#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/rule.h"

/* Whether the packet's headers are the subject's own: those of a third party, and those of the
 * SUT, above all of its verbs. Where the tester tells the upper layer of the SUT which bytes to
 * send, they are the tester's, like those of its own packets. */
bool fal_rdma_own(const struct fal_ctx *c, const struct fal_ev_packet *packet);

/* The request of a packet that the subject sends for the first time. NULL: it is none, or has
 * no RDMA headers. */
const struct fal_rdma_fact *fal_rdma_first(const struct fal_ctx *c, const struct fal_seen *q);

enum fal_walked {
    FAL_WALKED_FOUND,
    FAL_WALKED_HOLE,  /* a request that was not seen whole lies in between, or too many do */
    FAL_WALKED_START, /* every request down to the first of the connection was seen */
};

/* What a walk looks for; `of` is the request where it began. */
typedef bool fal_rdma_wanted(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of);

/* The nearest request below `rsn` (up: above it) that is wanted. Every request in between was
 * seen whole. */
enum fal_walked fal_rdma_find(const struct fal_ctx *c, int64_t rsn, bool up,
                              fal_rdma_wanted *wanted, const struct fal_rdma_fact *of,
                              const struct fal_rdma_fact **found);

/* The nearest request below `rsn` (up: above it) that was seen and is wanted, over holes. NULL:
 * none. */
const struct fal_rdma_fact *fal_rdma_nearest(const struct fal_ctx *c, int64_t rsn, bool up,
                                             fal_rdma_wanted *wanted,
                                             const struct fal_rdma_fact *of);

/* How many requests between the two by RSN are wanted. */
uint32_t fal_rdma_count(const struct fal_ctx *c, const struct fal_rdma_fact *low,
                        const struct fal_rdma_fact *high, fal_rdma_wanted *wanted);

#endif
