/* SPDX-License-Identifier: Apache-2.0
 * lab_json.h - the values of an experiment as JSON. */
#ifndef TL_HARNESS_LAB_LAB_JSON_H
#define TL_HARNESS_LAB_LAB_JSON_H

#include "oracles/lab/experiment.h"

#include <jansson.h>
#include <stdio.h>

/* A case with its values as an object, of which the caller gets a reference; NULL: out of
 * memory. */
json_t *tl_lab_json_case(const struct fal_lab_experiment *e, const struct fal_lab_ask *ask,
                         const struct fal_lab_outcome *out);
/* Writes all cases as one object and takes the reference of `cases`. Returns 0, FAL_ERR_MEM or
 * FAL_ERR_IO. */
MUST_USE int tl_lab_json_put(FILE *out, const struct fal_lab_experiment *e, json_t *cases,
                             unsigned warnings);

#endif
