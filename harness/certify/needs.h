/* SPDX-License-Identifier: Apache-2.0
 * needs.h - what became of each requirement that a profile demands. A requirement
 * counts only where something decided it that is known to be able to: a rule, or a scenario,
 * that told a named fault of the built-in implementation which is tagged with it. Whatever was
 * not exercised, stayed undecided or was excused is a gap. */
#ifndef TL_HARNESS_CERTIFY_NEEDS_H
#define TL_HARNESS_CERTIFY_NEEDS_H

#include "codecs/base/error.h"
#include "harness/claims/ics.h"
#include "harness/profile/profile_certify.h"
#include "oracles/rules/judge/rule_set.h"
#include "reports/results/results.h"

enum tl_need_state {
    TL_NEED_HELD,
    TL_NEED_WARNED, /* it held, but for what a warning says */
    TL_NEED_WAIVED,
    TL_NEED_NOT_APPLICABLE, /* the ICS denies the item that it hangs on */
    TL_NEED_UNPROVEN,       /* nothing decides it, and the reason is known */
    /* gaps from here on */
    TL_NEED_NOT_EXERCISED,
    TL_NEED_EXCUSED,
    TL_NEED_INCONCLUSIVE,
    TL_NEED_FAILED,
    TL_NEED_STATES,
};

struct tl_need {
    const struct fal_requirement *requirement;
    bool demanded;
    struct fal_rule_set rules; /* that decide it */
    const char **scenarios;    /* that decide it; borrowed names */
    size_t num_scenarios;
    uint64_t held, undecided, excused; /* instances; cases of scenarios count as one each */
    bool failed, warned, waived;
};

struct tl_needs {
    struct tl_need *list; /* one a requirement of the catalogue, in its order */
    size_t count;
};

/* What can decide what, for all requirements that the patterns take. 0, or FAL_ERR_MEM. */
MUST_USE int tl_needs_make(struct tl_needs *needs, const struct tl_certify_rules *rules);
void tl_needs_free(struct tl_needs *needs);

/* One case more. */
void tl_needs_add(struct tl_needs *needs, const struct tl_case *c);

/* What it comes to. */
enum tl_need_state tl_need_state(const struct tl_need *need, const struct tl_ics *ics);
/* "held", "warned", "waived", "not applicable", "unproven", "not exercised", "excused",
 * "inconclusive", "failed". */
const char *tl_need_state_name(enum tl_need_state state);

/* Whether a fault is tagged with a requirement that is demanded and can be proven. */
bool tl_needs_fault(const struct tl_needs *needs, const char *requirements);

#endif
