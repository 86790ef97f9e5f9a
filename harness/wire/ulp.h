/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - the scripted upper layer (oracles/scripted.h) in the words of the SUT control
 * protocol: rules of `policy`, answers of `respond` (docs/sut-protocol.md). */
#ifndef TL_HARNESS_ULP_H
#define TL_HARNESS_ULP_H

#include "codecs/error.h"
#include "oracles/scripted.h"

#include <jansson.h>

/* Replaces the rules by those of the JSON list. 0; FAL_ERR_FORM, FAL_ERR_MEM with `err`, and
 * the old rules stay. */
int tl_ulp_set_rules(struct fal_scripted *ulp, const json_t *rules, struct fal_error *err);

/* Reads the members of one answer that it may have (rnr_ns, code, length, tag, seed); `plan`
 * keeps the others. 0, or FAL_ERR_FORM with `err`. */
int tl_ulp_read_answer(const json_t *object, struct fal_scripted_answer *plan,
                       struct fal_error *err);

#endif
