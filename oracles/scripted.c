/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/scripted.h"

#include <stdlib.h>

enum { FIRST_CAP = 16 };

void fal_scripted_free(struct fal_scripted *ulp)
{
    free(ulp->rules);
    free(ulp->open);
    *ulp = (struct fal_scripted){0};
}

static bool names(const struct fal_scripted_rule *rule,
                  const struct fal_scripted_request *request)
{
    return (rule->has_rsn && rule->rsn == request->rsn) ||
           (rule->request != 0 && rule->request == request->number) ||
           (rule->every != 0 && request->number % rule->every == 0);
}

/* The first rule that fits decides; one that names no request is for those that no other rule
 * names. */
static const struct fal_scripted_rule *rule_for(const struct fal_scripted *ulp,
                                                const struct fal_scripted_request *request)
{
    const struct fal_scripted_rule *rest = NULL;

    for (size_t i = 0; i < ulp->num_rules; i++) {
        const struct fal_scripted_rule *rule = &ulp->rules[i];

        if (rule->has_op && rule->op != request->op)
            continue;
        if (rule->answer == FAL_ANSWER_DATA && request->op == FAL_OP_PUSH)
            continue;
        if (names(rule, request))
            return rule;
        if (rest == NULL && !rule->has_rsn && rule->request == 0 && rule->every == 0)
            rest = rule;
    }
    return rest;
}

static void decide(const struct fal_scripted *ulp, struct fal_scripted_request *request)
{
    const struct fal_scripted_rule *rule = rule_for(ulp, request);
    const struct fal_scripted_answer *then = NULL;

    if (rule != NULL && rule->times != 0 && request->answered >= rule->times) {
        then = rule->has_then ? &rule->then : NULL;
        rule = NULL;
    }
    request->plan = (struct fal_scripted_answer){
        .answer = request->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA,
        .length = request->length,
        .tag = request->rsn,
    };
    if (then != NULL)
        request->plan = *then;
    if (rule == NULL)
        return;
    request->answered++;
    request->plan.answer = rule->answer;
    request->plan.after_ns = rule->after_ns;
    request->plan.rnr_ns = rule->rnr_ns;
    request->plan.code = rule->code;
    request->plan.seed = rule->seed;
    if (rule->has_tag)
        request->plan.tag = rule->tag;
    if (rule->has_length && rule->length < request->length)
        request->plan.length = rule->length;
}

struct fal_scripted_request *fal_scripted_find(const struct fal_scripted *ulp, uint32_t rsn)
{
    struct fal_scripted_request *slot;

    if (ulp->cap == 0)
        return NULL;
    slot = &ulp->open[rsn & (ulp->cap - 1)];
    return slot->used && slot->rsn == rsn ? slot : NULL;
}

/* Doubles the table. What had slots of its own in the old one has so in the new. */
static bool grow(struct fal_scripted *ulp)
{
    uint32_t cap = ulp->cap == 0 ? FIRST_CAP : ulp->cap * 2;
    struct fal_scripted_request *open;

    if (cap > FAL_SCRIPTED_OPEN_MAX)
        return false;
    open = calloc(cap, sizeof *open);
    if (open == NULL)
        return false;
    for (uint32_t i = 0; i < ulp->cap; i++)
        if (ulp->open[i].used)
            open[ulp->open[i].rsn & (cap - 1)] = ulp->open[i];
    free(ulp->open);
    ulp->open = open;
    ulp->cap = cap;
    return true;
}

static struct fal_scripted_request *insert(struct fal_scripted *ulp, uint32_t rsn)
{
    while (ulp->cap == 0 || ulp->open[rsn & (ulp->cap - 1)].used)
        if (!grow(ulp))
            return NULL;
    return &ulp->open[rsn & (ulp->cap - 1)];
}

enum fal_scripted_what fal_scripted_deliver(struct fal_scripted *ulp, uint32_t rsn,
                                            enum fal_ulp_op op, uint32_t length,
                                            struct fal_scripted_request **request)
{
    struct fal_scripted_request *r = fal_scripted_find(ulp, rsn);

    if (r != NULL && r->state != FAL_SCRIPTED_RETRY) {
        *request = r;
        return FAL_SCRIPTED_WAIT;
    }
    if (r == NULL) {
        r = insert(ulp, rsn);
        if (r == NULL)
            return FAL_SCRIPTED_FULL;
        *r =
            (struct fal_scripted_request){.used = true, .rsn = rsn, .number = ++ulp->delivered};
    }
    r->op = op;
    r->length = length;
    decide(ulp, r);
    *request = r;
    r->state = r->plan.answer == FAL_ANSWER_WITHHOLD ? FAL_SCRIPTED_HELD : FAL_SCRIPTED_PLANNED;
    return r->state == FAL_SCRIPTED_HELD ? FAL_SCRIPTED_WAIT : FAL_SCRIPTED_ANSWER;
}

bool fal_scripted_not_ready(const struct fal_scripted *ulp, uint32_t rsn, enum fal_ulp_op op)
{
    const struct fal_scripted_request *open = fal_scripted_find(ulp, rsn);
    struct fal_scripted_request request = {.rsn = rsn, .number = ulp->delivered + 1};

    if (open != NULL && open->state != FAL_SCRIPTED_RETRY)
        return false;
    if (open != NULL)
        request = *open;
    request.op = op;
    decide(ulp, &request);
    return request.plan.answer == FAL_ANSWER_RNR;
}

void fal_scripted_answered(struct fal_scripted_request *request, enum fal_answer answer)
{
    if (answer == FAL_ANSWER_RNR) {
        request->state = FAL_SCRIPTED_RETRY;
    } else if (answer == FAL_ANSWER_ACK && request->op == FAL_OP_PULL) {
        request->taken = true;
        request->state = FAL_SCRIPTED_HELD;
    } else {
        request->used = false;
    }
}

const char *fal_scripted_unfit(const struct fal_scripted_request *request,
                               enum fal_answer answer)
{
    if (request->state == FAL_SCRIPTED_PLANNED)
        return "its answer by policy is under way";
    if (request->state == FAL_SCRIPTED_RETRY)
        return "it was answered rnr and has not been delivered again";
    if (answer == FAL_ANSWER_WITHHOLD)
        return "withhold is no answer";
    if (answer == FAL_ANSWER_DATA && request->op == FAL_OP_PUSH)
        return "a push takes no data";
    if (request->taken && answer == FAL_ANSWER_ACK)
        return "the pull was answered ack already: only its data is missing";
    return NULL;
}
