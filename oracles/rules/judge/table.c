/* SPDX-License-Identifier: Apache-2.0
 * table.c - the table of all rules, made from rule_list.h. */
#include "oracles/rules/judge/rule.h"

#include <string.h>

#define RULE(id) &fal_rule_##id,
static const struct fal_rule_impl *const impls[] = {
#include "oracles/rules/rule_list.h"
};
#undef RULE

#define RULE(id) &fal_about_##id,
static const struct fal_rule *const abouts[] = {
#include "oracles/rules/rule_list.h"
};
#undef RULE

#define RULES (sizeof abouts / sizeof *abouts)
_Static_assert(RULES <= FAL_RULES_MAX, "raise FAL_RULES_MAX (judge.h)");

const struct fal_rule *const *fal_rules(size_t *n)
{
    *n = RULES;
    return abouts;
}

const struct fal_rule_impl *const *fal_rule_table(size_t *n)
{
    *n = RULES;
    return impls;
}

const struct fal_rule *fal_rule_find(const char *id)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(abouts[i]->id, id) == 0)
            return abouts[i];
    return NULL;
}

size_t fal_rule_number(const struct fal_rule *rule)
{
    size_t i = 0;

    while (i < RULES && abouts[i] != rule)
        i++;
    return i;
}
