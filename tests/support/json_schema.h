/* SPDX-License-Identifier: Apache-2.0
 * json_schema.h - a small evaluator of JSON Schema draft-07, of the words that our schemas use:
 * it stands for an editor's, or a vendor's. */
#ifndef TL_TESTS_SUPPORT_JSON_SCHEMA_H
#define TL_TESTS_SUPPORT_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/* Whether `schema` of the document `root` takes the value. `patterns`: regular expressions,
 * too, and not only placeholders of scenarios. */
bool takes_schema(json_t *root, json_t *schema, json_t *value, bool patterns);

#endif
