/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - the scripted upper layer of one connection of the built-in SUT: which answer each
 * delivered request gets, by the rules of the last `policy` command (docs/sut-protocol.md).
 * Pure data: who owns it carries answers to the endpoint and keeps the time. */
#ifndef TL_HARNESS_ULP_H
#define TL_HARNESS_ULP_H

#include "oracles/timeline.h"

enum {
    TL_ULP_RULES_MAX = 1024,
    TL_ULP_OPEN_MAX = 4096
}; /* rules; requests without final answer */

struct tl_ulp_rule {
    uint32_t request, every; /* the n-th, each k-th; 0: not given */
    bool has_op, has_length, has_tag;
    enum fal_ulp_op op;
    enum fal_answer answer;
    uint64_t after_ns, rnr_ns;
    uint32_t times; /* answers a request so often; 0: always */
    uint32_t code, length;
    uint64_t tag, seed;
};

/* An answer, decided. */
struct tl_ulp_plan {
    enum fal_answer answer;
    uint64_t after_ns, rnr_ns;
    uint32_t code, length; /* length: of data, bytes */
    uint64_t tag, seed;    /* of data */
};

enum tl_ulp_state {
    TL_ULP_HELD,    /* waits for `respond` */
    TL_ULP_PLANNED, /* a timer of its owner will answer it */
    TL_ULP_RETRY,   /* answered rnr: will be delivered again */
};

/* A request that has no final answer yet. */
struct tl_ulp_request {
    bool used;
    bool taken; /* a pull answered `ack`: only its data is missing */
    enum tl_ulp_state state;
    enum fal_ulp_op op;
    uint32_t rsn, length;
    uint32_t number;   /* of the connection's requests, from 1 */
    uint32_t answered; /* how often the rule has answered it */
    struct tl_ulp_plan plan;
};

struct tl_ulp {
    struct tl_ulp_rule *rules;
    size_t num_rules;
    uint32_t delivered; /* requests so far */
    /* By RSN modulo `cap`: RSNs are dense, so a slot is rarely contested; then the table
     * doubles. */
    struct tl_ulp_request *open;
    uint32_t cap;
};

/* Zero-initialised is a valid one. */
void tl_ulp_free(struct tl_ulp *ulp);

/* Replaces the rules by those of the JSON list. 0; FAL_ERR_FORM, FAL_ERR_MEM with `err`, and
 * the old rules stay. */
int tl_ulp_set_rules(struct tl_ulp *ulp, const json_t *rules, struct fal_error *err);

/* Reads the members of one answer that it may have (rnr_ns, code, length, tag, seed); `plan`
 * keeps the others. 0, or FAL_ERR_FORM with `err`. */
int tl_ulp_read_answer(const json_t *object, struct tl_ulp_plan *plan, struct fal_error *err);

enum tl_ulp_what {
    TL_ULP_ANSWER, /* answer it by request->plan, after plan.after_ns */
    TL_ULP_WAIT,   /* nothing to do: withheld, or it waits already */
    TL_ULP_FULL,   /* too many are open: refuse it for now */
};

/* A request was delivered. What to do in the return value; *request (not for FULL) is valid
 * until the next delivery. */
enum tl_ulp_what tl_ulp_deliver(struct tl_ulp *ulp, uint32_t rsn, enum fal_ulp_op op,
                                uint32_t length, struct tl_ulp_request **request);

/* The open request of that RSN, or NULL. */
struct tl_ulp_request *tl_ulp_find(const struct tl_ulp *ulp, uint32_t rsn);

/* `request` was answered: forgets it after a final answer. */
void tl_ulp_answered(struct tl_ulp_request *request, enum fal_answer answer);

/* NULL, or why this answer cannot be given to this request. */
const char *tl_ulp_unfit(const struct tl_ulp_request *request, enum fal_answer answer);

#endif
