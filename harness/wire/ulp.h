/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - reads rules of `policy` and answers of `respond` (docs/sut-protocol.md) into the
 * scripted upper layer (oracles/scripted.h). */
#ifndef TL_HARNESS_WIRE_ULP_H
#define TL_HARNESS_WIRE_ULP_H

#include "codecs/base/error.h"
#include "oracles/scripted.h"

#include "harness/wire/protocol.h"

#include <jansson.h>

/* Replaces the rules by those of the JSON list. Returns 0, or FAL_ERR_FORM, FAL_ERR_MEM with
 * `err`; the old rules then stay. */
MUST_USE int tl_ulp_set_rules(struct fal_scripted *ulp, const json_t *rules,
                              struct fal_error *err);

/* The same with rules that were read already, and are taken. */
void tl_ulp_take_rules(struct fal_scripted *ulp, struct fal_scripted_rule *rules, size_t n);

#endif
