/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/ulp.h"

#include "harness/doc/json_member.h"

#include <stdlib.h>

enum { CODE_MAX = 255 };

int tl_ulp_read_answer(const json_t *object, struct fal_scripted_answer *plan,
                       struct fal_error *err)
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

static int read_rule(const json_t *object, struct fal_scripted_rule *rule,
                     struct fal_error *err)
{
    struct fal_scripted_answer plan = {0};
    int op;

    *rule = (struct fal_scripted_rule){0};
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
        return fal_fail(err, FAL_ERR_FORM, "request: must be at least 1");
    if (rule->every == 0 && given(object, "every"))
        return fal_fail(err, FAL_ERR_FORM, "every: must be at least 1");
    if (rule->request != 0 && rule->every != 0)
        return fal_fail(err, FAL_ERR_FORM, "request and every exclude each other");
    if (rule->answer == FAL_ANSWER_DATA && rule->has_op && rule->op == FAL_OP_PUSH)
        return fal_fail(err, FAL_ERR_FORM, "the answer to a push carries no data");
    return 0;
}

int tl_ulp_set_rules(struct fal_scripted *ulp, const json_t *rules, struct fal_error *err)
{
    size_t n = json_array_size(rules);
    struct fal_scripted_rule *read = NULL;

    if (!json_is_array(rules))
        return fal_fail(err, FAL_ERR_FORM, "rules: expected a list");
    if (n > FAL_SCRIPTED_RULES_MAX)
        return fal_fail(err, FAL_ERR_FORM, "rules: %zu rules; at most %d are allowed", n,
                        FAL_SCRIPTED_RULES_MAX);
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
