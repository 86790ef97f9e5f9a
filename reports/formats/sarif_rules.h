/* SPDX-License-Identifier: Apache-2.0
 * sarif_rules.h - the rules of a SARIF file: requirements that something broke. */
#ifndef TL_REPORTS_FORMATS_SARIF_RULES_H
#define TL_REPORTS_FORMATS_SARIF_RULES_H

#include "codecs/base/error.h"
#include "reports/causes/causes.h"
#include "reports/results/results.h"

#include <stdio.h>

struct tl_sarif_rule {
    char *id, *title, *text, *section, *level;
};

struct tl_sarif_rules {
    struct tl_sarif_rule *list;
    size_t count, cap;
};

/* Whether a problem is one of the SUT's, and not of the bench. */
bool tl_sarif_is_result(const struct tl_problem *p);
/* The problem as it blames the requirement of the cause, if there is one. It borrows from p. */
struct tl_problem tl_sarif_shown(const struct tl_problem *p, const struct tl_cause *cause);
/* The id of the SARIF rule of a problem: its requirement, else its rule, else "talon/REASON".
 */
const char *tl_sarif_rule_id(const struct tl_problem *p);
/* 0, or an error; free it all the same. */
MUST_USE int tl_sarif_rules_gather(struct tl_sarif_rules *rules,
                                   const struct tl_results *results,
                                   const struct tl_causes *causes);
size_t tl_sarif_rule_index(const struct tl_sarif_rules *rules, const struct tl_problem *p);
void tl_sarif_rules_put(FILE *out, const struct tl_sarif_rules *rules);
void tl_sarif_rules_free(struct tl_sarif_rules *rules);

#endif
