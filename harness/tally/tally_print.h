/* SPDX-License-Identifier: Apache-2.0
 * tally_print.h - prints what was found of the rules of a system beside Falcon
 * (oracles/beyond/tally.h), as a table and as JSON. Every verb that judges by such rules prints
 * in this form. */
#ifndef TL_HARNESS_TALLY_TALLY_PRINT_H
#define TL_HARNESS_TALLY_TALLY_PRINT_H

#include "oracles/beyond/tally.h"

#include <jansson.h>
#include <stdio.h>

/* Prints a line for each rule: verdict, how often it held, was violated and could not be
 * decided, its text. Below it the first findings and the first excuse. */
void tl_tally_print(FILE *out, const struct fal_tally *tally);

/* {"verdict", "rules": [{"id", "actor", "text", "source", "verdict", "held", "broken",
 * "excused", "excuse", "findings": [{"verdict", "at_ns", "number", "flow", "what"}]}]}. A
 * member that says nothing is left out: "excuse" without excuses, "number" 0. NULL: out of
 * memory. The caller owns the object. */
json_t *tl_tally_json(const struct fal_tally *tally);

/* The rules themselves, as `talon list rules --protocol` shows them: [{"id", "actor", "title",
 * "source"}]. NULL: out of memory. The caller owns the array. */
json_t *tl_tally_list(const struct fal_tally_rule *rules, size_t n);

/* The exit status of a verb that judged by these rules (reports/base/status.h): a verdict of
 * NONE, where no rule decided anything, is inconclusive. */
int tl_tally_exit_status(const struct fal_tally *tally);

#endif
