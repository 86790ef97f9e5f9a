/* SPDX-License-Identifier: Apache-2.0
 * list_coverage.h - what decides each requirement. */
#ifndef TL_HARNESS_LIST_COVERAGE_H
#define TL_HARNESS_LIST_COVERAGE_H

#include <jansson.h>

/* For each requirement an object: id, observable, the rules that decide it, the scenarios of
 * the suite that cover it, the faults that a rule told by it, and null or the reason why
 * nothing decides it. New reference; NULL when out of memory. */
json_t *tl_list_coverage(void);

#endif
