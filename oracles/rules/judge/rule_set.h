/* SPDX-License-Identifier: Apache-2.0
 * rule_set.h - a set of rules, one bit for each. A rule's bit is its fal_rule_number(). */
#ifndef FAL_ORACLES_RULES_JUDGE_RULE_SET_H
#define FAL_ORACLES_RULES_JUDGE_RULE_SET_H

#include "oracles/rules/judge/judge.h"

/* All zeros is the empty set. */
struct fal_rule_set {
    uint64_t word[FAL_RULES_MAX / 64];
};
_Static_assert(FAL_RULES_MAX % 64 == 0, "every rule has a bit");

/* `rule` is below FAL_RULES_MAX. */
static inline void fal_rule_set_add(struct fal_rule_set *set, size_t rule)
{
    set->word[rule / 64] |= UINT64_C(1) << rule % 64;
}

static inline bool fal_rule_set_has(const struct fal_rule_set *set, size_t rule)
{
    return (set->word[rule / 64] >> rule % 64 & 1) != 0;
}

static inline bool fal_rule_set_empty(const struct fal_rule_set *set)
{
    uint64_t any = 0;

    for (size_t i = 0; i < FAL_RULES_MAX / 64; i++)
        any |= set->word[i];
    return any == 0;
}

#endif
