/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/ulp.h"

#include "codecs/error.h"
#include "harness/sut_json.h"

#include <stdlib.h>

enum { FIRST_CAP = 16, CODE_MAX = 255 };

void tl_ulp_free(struct tl_ulp *ulp)
{
    free(ulp->rules);
    free(ulp->open);
    *ulp = (struct tl_ulp){0};
}

int tl_ulp_read_answer(const json_t *object, struct tl_ulp_plan *plan, struct fal_error *err)
{
    if (tl_json_u64(object, "rnr_ns", TL_MAY_HAVE, INT64_MAX, &plan->rnr_ns, err) < 0 ||
        tl_json_u32(object, "code", TL_MAY_HAVE, CODE_MAX, &plan->code, err) < 0 ||
        tl_json_u32(object, "length", TL_MAY_HAVE, UINT32_MAX, &plan->length, err) < 0 ||
        tl_json_wide(object, "tag", TL_MAY_HAVE, &plan->tag, err) < 0 ||
        tl_json_wide(object, "seed", TL_MAY_HAVE, &plan->seed, err) < 0)
        return FAL_ERR_FORM;
    return 0;
}

static bool given(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value != NULL && !json_is_null(value);
}

static int read_rule(const json_t *object, struct tl_ulp_rule *rule, struct fal_error *err)
{
    struct tl_ulp_plan plan = {0};
    int op;

    *rule = (struct tl_ulp_rule){0};
    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "expected an object");
    op = tl_json_op(object, "op", TL_MAY_HAVE, &rule->op, err);
    if (op < 0 || tl_json_answer(object, "answer", TL_MUST_HAVE, &rule->answer, err) < 0 ||
        tl_json_u32(object, "request", TL_MAY_HAVE, UINT32_MAX, &rule->request, err) < 0 ||
        tl_json_u32(object, "every", TL_MAY_HAVE, UINT32_MAX, &rule->every, err) < 0 ||
        tl_json_u32(object, "times", TL_MAY_HAVE, UINT32_MAX, &rule->times, err) < 0 ||
        tl_json_u64(object, "after_ns", TL_MAY_HAVE, INT64_MAX, &rule->after_ns, err) < 0 ||
        tl_ulp_read_answer(object, &plan, err) < 0)
        return FAL_ERR_FORM;
    rule->has_op = op == 1;
    rule->has_length = given(object, "length");
    rule->has_tag = given(object, "tag");
    rule->rnr_ns = plan.rnr_ns;
    rule->code = plan.code;
    rule->length = plan.length;
    rule->tag = plan.tag;
    rule->seed = plan.seed;
    if (rule->request == 0 && given(object, "request"))
        return fal_fail(err, FAL_ERR_FORM, "request: counts from 1");
    if (rule->every == 0 && given(object, "every"))
        return fal_fail(err, FAL_ERR_FORM, "every: counts from 1");
    if (rule->request != 0 && rule->every != 0)
        return fal_fail(err, FAL_ERR_FORM, "has both request and every");
    if (rule->answer == FAL_ANSWER_DATA && rule->has_op && rule->op == FAL_OP_PUSH)
        return fal_fail(err, FAL_ERR_FORM, "a push takes no data");
    return 0;
}

int tl_ulp_set_rules(struct tl_ulp *ulp, const json_t *rules, struct fal_error *err)
{
    size_t n = json_array_size(rules);
    struct tl_ulp_rule *read = NULL;

    if (!json_is_array(rules))
        return fal_fail(err, FAL_ERR_FORM, "rules: expected a list");
    if (n > TL_ULP_RULES_MAX)
        return fal_fail(err, FAL_ERR_FORM, "rules: %zu are too many, at most %d", n,
                        TL_ULP_RULES_MAX);
    if (n > 0) {
        read = calloc(n, sizeof *read);
        if (read == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        struct fal_error why;

        if (read_rule(json_array_get(rules, i), &read[i], &why) != 0) {
            free(read);
            return fal_fail(err, FAL_ERR_FORM, "rules[%zu]: %s", i, why.text);
        }
    }
    free(ulp->rules);
    ulp->rules = read;
    ulp->num_rules = n;
    return 0;
}

static bool names(const struct tl_ulp_rule *rule, uint32_t number)
{
    return (rule->request != 0 && rule->request == number) ||
           (rule->every != 0 && number % rule->every == 0);
}

/* The first rule that fits decides; one that names no request is for those that no other rule
 * names. */
static const struct tl_ulp_rule *rule_for(const struct tl_ulp *ulp,
                                          const struct tl_ulp_request *request)
{
    const struct tl_ulp_rule *rest = NULL;

    for (size_t i = 0; i < ulp->num_rules; i++) {
        const struct tl_ulp_rule *rule = &ulp->rules[i];

        if (rule->has_op && rule->op != request->op)
            continue;
        if (rule->answer == FAL_ANSWER_DATA && request->op == FAL_OP_PUSH)
            continue;
        if (names(rule, request->number))
            return rule;
        if (rest == NULL && rule->request == 0 && rule->every == 0)
            rest = rule;
    }
    return rest;
}

static void decide(const struct tl_ulp *ulp, struct tl_ulp_request *request)
{
    const struct tl_ulp_rule *rule = rule_for(ulp, request);

    if (rule != NULL && rule->times != 0 && request->answered >= rule->times)
        rule = NULL;
    request->plan = (struct tl_ulp_plan){
        .answer = request->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA,
        .length = request->length,
        .tag = request->rsn,
    };
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

struct tl_ulp_request *tl_ulp_find(const struct tl_ulp *ulp, uint32_t rsn)
{
    struct tl_ulp_request *slot;

    if (ulp->cap == 0)
        return NULL;
    slot = &ulp->open[rsn & (ulp->cap - 1)];
    return slot->used && slot->rsn == rsn ? slot : NULL;
}

/* Doubles the table. What had slots of its own in the old one has so in the new. */
static bool grow(struct tl_ulp *ulp)
{
    uint32_t cap = ulp->cap == 0 ? FIRST_CAP : ulp->cap * 2;
    struct tl_ulp_request *open;

    if (cap > TL_ULP_OPEN_MAX)
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

static struct tl_ulp_request *insert(struct tl_ulp *ulp, uint32_t rsn)
{
    while (ulp->cap == 0 || ulp->open[rsn & (ulp->cap - 1)].used)
        if (!grow(ulp))
            return NULL;
    return &ulp->open[rsn & (ulp->cap - 1)];
}

enum tl_ulp_what tl_ulp_deliver(struct tl_ulp *ulp, uint32_t rsn, enum fal_ulp_op op,
                                uint32_t length, struct tl_ulp_request **request)
{
    struct tl_ulp_request *r = tl_ulp_find(ulp, rsn);

    if (r != NULL && r->state != TL_ULP_RETRY) {
        *request = r;
        return TL_ULP_WAIT;
    }
    if (r == NULL) {
        r = insert(ulp, rsn);
        if (r == NULL)
            return TL_ULP_FULL;
        *r = (struct tl_ulp_request){.used = true, .rsn = rsn, .number = ++ulp->delivered};
    }
    r->op = op;
    r->length = length;
    decide(ulp, r);
    *request = r;
    r->state = r->plan.answer == FAL_ANSWER_WITHHOLD ? TL_ULP_HELD : TL_ULP_PLANNED;
    return r->state == TL_ULP_HELD ? TL_ULP_WAIT : TL_ULP_ANSWER;
}

void tl_ulp_answered(struct tl_ulp_request *request, enum fal_answer answer)
{
    if (answer == FAL_ANSWER_RNR) {
        request->state = TL_ULP_RETRY;
    } else if (answer == FAL_ANSWER_ACK && request->op == FAL_OP_PULL) {
        request->taken = true;
        request->state = TL_ULP_HELD;
    } else {
        request->used = false;
    }
}

const char *tl_ulp_unfit(const struct tl_ulp_request *request, enum fal_answer answer)
{
    if (request->state == TL_ULP_PLANNED)
        return "its answer by policy is under way";
    if (request->state == TL_ULP_RETRY)
        return "it was answered rnr and has not been delivered again";
    if (answer == FAL_ANSWER_WITHHOLD)
        return "withhold is no answer";
    if (answer == FAL_ANSWER_DATA && request->op == FAL_OP_PUSH)
        return "a push takes no data";
    if (request->taken && answer == FAL_ANSWER_ACK)
        return "the pull was answered ack already: only its data is missing";
    return NULL;
}
