/* SPDX-License-Identifier: Apache-2.0
 * certify_ratios.c - whether the declared values let the rules decide that a profile demands:
 * the ratios of rule_ratios.h, and an RTO that varies. */
#include "harness/certify/certify.h"

#include "codecs/base/time_text.h"
#include "oracles/limits/ixit_limits.h"
#include "oracles/rule_ratios.h"

#include <stdio.h>
#include <string.h>

enum { RTO_SPAN_MAX = 8 /* rto_hi / rto_lo */ };

static const struct fal_rule *rule_named(const char *id)
{
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i]->id, id) == 0)
            return rules[i];
    return NULL;
}

/* Whether the profile demands a requirement that the rule decides. */
static bool is_demanded(const struct tl_certify_rules *rules, const struct fal_rule *rule)
{
    for (const char *const *id = rule->requirements; *id != NULL; id++)
        if (tl_patterns_take(rules->requirements, *id))
            return true;
    return false;
}

/* Whether the profile demands a requirement that one of the rules of a list decides. */
static bool any_demanded(const struct tl_certify_rules *rules, const char *ids)
{
    char list[200], *state = NULL;

    (void)snprintf(list, sizeof list, "%s", ids);
    for (char *id = strtok_r(list, " ", &state); id != NULL; id = strtok_r(NULL, " ", &state)) {
        const struct fal_rule *rule = rule_named(id);

        if (rule != NULL && is_demanded(rules, rule))
            return true;
    }
    return false;
}

static void review_rto(const struct fal_params *params, json_t *refusals)
{
    struct fal_timer_bounds b = fal_rto_bounds(params);

    if (!params->rto_varies)
        return;
    if (!b.known)
        tl_certify_refuse(refusals, "the RTO varies, and the IXIT does not give rto_lo and "
                                    "rto_hi; declare both, the longer one as rto_hi");
    else if (b.hi_ns / RTO_SPAN_MAX > b.lo_ns ||
             (b.hi_ns / RTO_SPAN_MAX == b.lo_ns && b.hi_ns % RTO_SPAN_MAX != 0))
        tl_certify_refuse(refusals,
                          "rto_hi %s is more than %d times rto_lo, %s: no timeout "
                          "can be judged; configure the SUT with closer limits",
                          fal_time_text(b.hi_ns).text, RTO_SPAN_MAX,
                          fal_time_text(b.lo_ns).text);
}

void tl_certify_review_values(const struct tl_certify_rules *rules,
                              const struct fal_params *params, json_t *refusals)
{
    review_rto(params, refusals);
    for (enum fal_ratio_at at = 0; at < FAL_RATIO_COUNT; at++) {
        const struct fal_rule *rule = rule_named(fal_ratio(at)->rule);
        char why[FAL_RATIO_TEXT_MAX];

        if (rule == NULL || fal_ratio_kept(at, params) || !is_demanded(rules, rule))
            continue;
        fal_ratio_text(at, params, why);
        tl_certify_refuse(refusals, "rule %s, which the profile needs, cannot decide: %s",
                          rule->id, why);
    }
    for (enum fal_limit_at at = 0; at < FAL_LIMIT_COUNT; at++) {
        char why[FAL_LIMIT_TEXT_MAX];

        if (fal_limit_kept(at, params) || !any_demanded(rules, fal_limit(at)->rules))
            continue;
        fal_limit_text(at, params, why);
        tl_certify_refuse(refusals, "a declared value is beyond its limit: %s", why);
    }
}
