/* SPDX-License-Identifier: Apache-2.0
 * access.h - for the rules about requests of the tester that reach for memory of the SUT: which
 * of them have no right to it, and what the SUT then does with them. */
#ifndef FAL_ORACLES_RULES_MEMORY_ACCESS_H
#define FAL_ORACLES_RULES_MEMORY_ACCESS_H

#include "oracles/rules/rdma/deny.h"

/* The state of such a rule. */
struct fal_access {
    struct fal_bag denied; /* struct fal_denied */
    bool over;             /* a queue pair in Verbs mode had such a request */
    uint8_t zero[7];       /* as in struct fal_at */
};

/* Why a request has no right to the memory that it names, in static words; NULL: it has, or
 * that is not known. */
typedef const char *fal_access_why(const struct fal_ctx *c, const struct fal_vqp *qp,
                                   const struct fal_rdma_fact *fact);

/* The reason why a WRITE, READ or atomic operation may not reach its memory: the key is of no
 * region, of one that was deregistered or is of another protection domain, the bytes do not all
 * lie inside, or the right is missing (RDMA 8.3.1). Says nothing of invalidated keys and of
 * SENDs. */
fal_access_why fal_access_reason;

/* `in` and `out` of such a rule, whose state is a struct fal_access: a WRITE, READ or atomic
 * operation for a queue pair of the connection is refused where `why` says so. Later requests
 * are not judged where errors stop the queue pair. */
void fal_access_in(struct fal_ctx *c, const struct fal_seen *p, const char *requirement,
                   fal_access_why *why);
void fal_access_out(struct fal_ctx *c, const struct fal_seen *q);

#endif
