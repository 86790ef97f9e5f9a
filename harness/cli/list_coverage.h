/* SPDX-License-Identifier: Apache-2.0
 * list_coverage.h - the checks that decide each requirement, and the faults that prove it. A
 * requirement is proven if one of its faults makes a rule that lists it, or a scenario that
 * covers it, fail. */
#ifndef TL_HARNESS_CLI_LIST_COVERAGE_H
#define TL_HARNESS_CLI_LIST_COVERAGE_H

#include "oracles/catalogue.h"

#include <jansson.h>
#include <stdio.h>

/* For each requirement an object: id, observable, levels (suite_level.h), the rules that list
 * it, the scenarios of the suite (as tl_suite_list gives it; NULL: none) that cover it, the
 * faults and the twins that prove it, and null or the reason why nothing does. New reference;
 * NULL when out of memory. */
json_t *tl_coverage(const json_t *suite);
/* The same with the suite beside the program. */
json_t *tl_list_coverage(void);

/* How many of a coverage list are decided and proven, in lines that begin with '#': of all, and
 * of each specification, as a whole and by chapter, those that can be seen from outside and are
 * no duty of the test bench. */
void tl_coverage_totals(FILE *out, const json_t *list);

#endif
