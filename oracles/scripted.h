/* SPDX-License-Identifier: Apache-2.0
 * scripted.h - the scripted upper layer of one connection: which answer each delivered request
 * gets, by rules (accept, after a delay, RNR so often, CIE, ...). That of the built-in SUT
 * (docs/sut-protocol.md, `policy`) and that of the endpoint's own tests. Pure data: who owns it
 * carries answers to the endpoint and keeps the time. */
#ifndef FAL_ORACLES_SCRIPTED_H
#define FAL_ORACLES_SCRIPTED_H

#include "oracles/timeline.h"

enum {
    FAL_SCRIPTED_RULES_MAX = 1024,
    FAL_SCRIPTED_OPEN_MAX = 4096
}; /* rules; requests without final answer */

/* An answer, decided. */
struct fal_scripted_answer {
    enum fal_answer answer;
    uint64_t after_ns, rnr_ns;
    uint32_t code, length; /* length: of data, bytes */
    uint64_t tag, seed;    /* of data */
};

/* For the request that it names, or else for those that no other rule names; of several that
 * fit the first. What no rule decides is accepted: `ack`, or the data of a pull. */
struct fal_scripted_rule {
    uint32_t request, every; /* the n-th, each k-th; 0: not given */
    bool has_rsn;
    uint32_t rsn; /* the one of that RSN */
    bool has_op, has_length, has_tag;
    enum fal_ulp_op op;
    enum fal_answer answer;
    uint64_t after_ns, rnr_ns;
    uint32_t times; /* answers a request so often; 0: always */
    uint32_t code, length;
    uint64_t tag, seed;
    bool has_then; /* once it has answered so often, this is the answer */
    struct fal_scripted_answer then;
};

enum fal_scripted_state {
    FAL_SCRIPTED_HELD,    /* waits for `respond` */
    FAL_SCRIPTED_PLANNED, /* a timer of its owner will answer it */
    FAL_SCRIPTED_RETRY,   /* answered rnr: will be delivered again */
};

/* A request that has no final answer yet. */
struct fal_scripted_request {
    bool used;
    bool taken; /* a pull answered `ack`: only its data is missing */
    enum fal_scripted_state state;
    enum fal_ulp_op op;
    uint32_t rsn, length;
    uint32_t number;   /* of the connection's requests, from 1 */
    uint32_t answered; /* how often the rule has answered it */
    struct fal_scripted_answer plan;
};

struct fal_scripted {
    struct fal_scripted_rule *rules;
    size_t num_rules;
    uint32_t delivered; /* requests so far */
    /* By RSN modulo `cap`: RSNs are dense, so a slot is rarely contested; then the table
     * doubles. */
    struct fal_scripted_request *open;
    uint32_t cap;
};

/* Zero-initialised is a valid one. */
void fal_scripted_free(struct fal_scripted *ulp);

enum fal_scripted_what {
    FAL_SCRIPTED_ANSWER, /* answer it by request->plan, after plan.after_ns */
    FAL_SCRIPTED_WAIT,   /* nothing to do: withheld, or it waits already */
    FAL_SCRIPTED_FULL,   /* too many are open: refuse it for now */
};

/* A request was delivered. What to do in the return value; *request (not for FULL) is valid
 * until the next delivery. */
enum fal_scripted_what fal_scripted_deliver(struct fal_scripted *ulp, uint32_t rsn,
                                            enum fal_ulp_op op, uint32_t length,
                                            struct fal_scripted_request **request);

/* Whether a request would be answered with RNR if it were delivered now. */
bool fal_scripted_not_ready(const struct fal_scripted *ulp, uint32_t rsn, enum fal_ulp_op op);

/* The open request of that RSN, or NULL. */
struct fal_scripted_request *fal_scripted_find(const struct fal_scripted *ulp, uint32_t rsn);

/* `request` was answered: forgets it after a final answer. */
void fal_scripted_answered(struct fal_scripted_request *request, enum fal_answer answer);

/* NULL, or why this answer cannot be given to this request. */
const char *fal_scripted_unfit(const struct fal_scripted_request *request,
                               enum fal_answer answer);

#endif
