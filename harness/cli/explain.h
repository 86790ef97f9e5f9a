/* SPDX-License-Identifier: Apache-2.0
 * explain.h - what an id means: a requirement, a rule, a scenario, a fault, a twin, the code of
 * an issue, an excuse, an unclear sentence. All but the scenarios is part of the program. */
#ifndef TL_HARNESS_CLI_EXPLAIN_H
#define TL_HARNESS_CLI_EXPLAIN_H

#include "codecs/base/nearest.h"

#include <jansson.h>
#include <stdbool.h>

/* The data that questions need: read and computed when it is first needed. Begins as zeros. */
struct tl_known {
    bool read;
    json_t *suite; /* as tl_suite_list gives it; NULL: no suite */
    json_t *words; /* as tl_list_words gives it */
    json_t *coverage;
};
void tl_known_free(struct tl_known *known);

/* What there is of that id, by any of its kinds; a section ("9.1.6") or a pattern
 * ("FTP-9.1.*") gives all the requirements there, in short. An array of objects, each with
 * `kind` first; empty when there is none, and then `nearest` has what may have been meant
 * (borrowed from `known`). NULL when out of memory. */
json_t *tl_explain(const char *id, struct fal_nearest_list *nearest, struct tl_known *known);

/* The meaning of an excuse, by its name; NULL if there is no such excuse. */
const char *tl_explain_excuse(const char *name);

/* The excuses that a rule has use for, separated by spaces. */
const char *tl_explain_excuses_of(const char *rule);

/* For `talon list`: arrays, in the order of reports. */
json_t *tl_list_excuses(void);
json_t *tl_list_readings(void);
json_t *tl_list_issues(void);

#endif
