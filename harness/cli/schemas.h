/* SPDX-License-Identifier: Apache-2.0
 * schemas.h - the JSON Schemas of all formats that Talon reads and writes, from their tables.
 */
#ifndef TL_HARNESS_CLI_SCHEMAS_H
#define TL_HARNESS_CLI_SCHEMAS_H

#include <jansson.h>

/* The name of format number `index`, as in scenarios/schema/NAME.json; NULL behind the last. */
const char *tl_schema_name(size_t index);

/* The schema of that name, a new reference; NULL: no such schema, or out of memory. */
json_t *tl_schema(const char *name);

/* The same as scenarios/schema/NAME.json holds it; the caller frees. */
char *tl_schema_text(const char *name);

#endif
