/* SPDX-License-Identifier: Apache-2.0
 * deny.h - for the rules about requests that a target must refuse: what it then does with them.
 * A push is refused by a NACK, a pull by an answer without data (FTP 6.4). */
#ifndef FAL_ORACLES_RULES_RDMA_DENY_H
#define FAL_ORACLES_RULES_RDMA_DENY_H

#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/rule.h"

/* A request to the SUT that it must refuse. */
struct fal_denied {
    struct fal_at at;
    int64_t rsn, x;                /* x: the number of a push in its window */
    const char *requirement, *why; /* static */
    bool pull, refused;
    uint8_t zero[6]; /* as in struct fal_at */
};

/* What the SUT made of one. */
enum fal_denial {
    FAL_DENIAL_REFUSED,  /* a NACK that says so, or an answer without data */
    FAL_DENIAL_RESYNCED, /* the tester replaced it */
    FAL_DENIAL_TAKEN,    /* a push was acknowledged */
    FAL_DENIAL_ANSWERED, /* a pull got data */
};

/* Remembers the request of that packet in the bag of struct fal_denied. */
void fal_deny(struct fal_bag *denied, const struct fal_seen *p, const char *requirement,
              const char *why);

/* Tells what a packet of the SUT makes of them. Entries are removed, except those that are
 * refused, until they are acknowledged. */
typedef void fal_denial_told(struct fal_ctx *c, const struct fal_denied *denied,
                             enum fal_denial what, const struct fal_seen *q);
void fal_denied_out(struct fal_ctx *c, struct fal_bag *denied, const struct fal_seen *q,
                    fal_denial_told *told);

/* The usual verdict: BROKEN when it was taken or answered, HOLDS when it was refused. */
void fal_denied_judge(struct fal_ctx *c, const struct fal_denied *denied, enum fal_denial what,
                      const struct fal_seen *q);

/* The RC queue pair of the SUT that a request on this connection names, if it is that of the
 * connection. NULL: none. */
struct fal_vqp *fal_denied_qp(const struct fal_ctx *c, const struct fal_rdma_fact *fact);

#endif
