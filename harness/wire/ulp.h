/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - reads rules of `policy` and answers of `respond` (docs/sut-protocol.md) into the
 * scripted upper layer (oracles/scripted.h). */
#ifndef TL_HARNESS_WIRE_ULP_H
#define TL_HARNESS_WIRE_ULP_H

#include "codecs/base/error.h"
#include "oracles/scripted.h"

#include <jansson.h>

/* Replaces the rules by those of the JSON list. Returns 0, or FAL_ERR_FORM, FAL_ERR_MEM with
 * `err`; the old rules then stay. */
MUST_USE int tl_ulp_set_rules(struct fal_scripted *ulp, const json_t *rules,
                              struct fal_error *err);

/* Reads the members of one answer (rnr_ns, code, length, tag, seed); members that are absent
 * leave `plan` unchanged. Returns 0, or FAL_ERR_FORM with `err`. */
int tl_ulp_read_answer(const json_t *object, struct fal_scripted_answer *plan,
                       struct fal_error *err);

#endif
