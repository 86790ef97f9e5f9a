/* SPDX-License-Identifier: Apache-2.0
 * order.h - what the bench lets us know of a path, and `<<`: surely before, in the subject
 * (judging.md, section 2). */
#ifndef FAL_ORACLES_RULES_ORDER_H
#define FAL_ORACLES_RULES_ORDER_H

#include "oracles/rules/rule.h"

/* The path in one direction, as the subject's rules may count on it. At the subject's own port
 * nothing lies between it and the observer. */
struct fal_path {
    bool at_port;
    bool lossless, in_order, no_duplicates;
    bool jitter_known;
    uint64_t jitter_ns; /* J: the longest delay less the shortest */
};

struct fal_path fal_path_in(const struct fal_ctx *c);
struct fal_path fal_path_out(const struct fal_ctx *c);

/* P: how old the state may be that an outgoing packet of the subject shows. */
uint64_t fal_pipeline_ns(const struct fal_ctx *c);

/* One packet of the subject, as `<<` needs it. */
struct fal_point {
    struct fal_at at;
    bool has_iv;
    uint64_t iv;
    bool has_witness;
    uint64_t witness;
};
struct fal_point fal_point_of(const struct fal_seen *q);

enum fal_order { FAL_BEFORE, FAL_NOT_BEFORE, FAL_ORDER_UNKNOWN };

/* Whether out-packet a is surely before b, which was observed later. Unknown: *why says for
 * lack of what. */
enum fal_order fal_surely_before(const struct fal_ctx *c, const struct fal_point *a,
                                 const struct fal_point *b, enum fal_excuse *why);

#endif
