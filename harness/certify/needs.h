/* SPDX-License-Identifier: Apache-2.0
 * needs.h - the state of each requirement that a profile requires. A requirement counts only if
 * a check decided it that is known to work: a rule or a scenario that detected a planted fault
 * with this requirement in the built-in implementation. A requirement that was not exercised,
 * stayed undecided or was excused is a gap. */
#ifndef TL_HARNESS_CERTIFY_NEEDS_H
#define TL_HARNESS_CERTIFY_NEEDS_H

#include "codecs/base/error.h"
#include "harness/claims/ics.h"
#include "harness/profile/profile_certify.h"
#include "oracles/rules/judge/rule_set.h"
#include "reports/results/results.h"
#include "reports/results/spent.h"

enum tl_need_state {
    TL_NEED_HELD,
    TL_NEED_WARNED, /* it held, except for a warning */
    TL_NEED_WAIVED,
    TL_NEED_NOT_APPLICABLE, /* the ICS denies the item on which it depends */
    TL_NEED_UNPROVEN,       /* no check decides it, and the reason is known */
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
    uint64_t cases;                    /* cases of scenarios that held */
    const struct tl_spent *sums;       /* those of tl_needs */
    bool failed, warned, waived;
};

struct tl_needs {
    struct tl_need *list;  /* one a requirement of the catalogue, in its order */
    struct tl_spent *sums; /* by rule */
    size_t count;
};

/* Finds the checks of all requirements that the patterns select. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_needs_make(struct tl_needs *needs, const struct tl_certify_rules *rules);
void tl_needs_free(struct tl_needs *needs);

/* Adds a case. */
void tl_needs_add(struct tl_needs *needs, const struct tl_case *c);

/* The state of a requirement. */
enum tl_need_state tl_need_state(const struct tl_need *need, const struct tl_ics *ics);
/* "held", "warned", "waived", "not applicable", "unproven", "not exercised", "excused",
 * "inconclusive", "failed". */
const char *tl_need_state_name(enum tl_need_state state);

/* Whether a fault has a requirement that the profile requires and that can be proven. */
bool tl_needs_fault(const struct tl_needs *needs, const char *requirements);

#endif
