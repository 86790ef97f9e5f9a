/* SPDX-License-Identifier: Apache-2.0
 * engine_judge.h - judges what an observer sees of a transport engine in hardware
 * (oracles/beyond/engine.h) by rules K11 to K14. Excuses: row:NAME (the set-up does not declare
 * it), not-alone (other flows may be served first), no-credit, short (too few cycles or bytes
 * to decide), segment-size (segments take more than a cycle of the link), shared-link. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_ENGINE_JUDGE_H
#define FAL_ORACLES_RULES_TRANSPORT_ENGINE_JUDGE_H

#include "codecs/base/error.h"
#include "oracles/beyond/engine.h"
#include "oracles/rules/transport/k_rules.h"

struct fal_en_judge;

/* `tally` is one over fal_k_rules(); it is not cleared and outlives the judge. NULL: out of
 * memory. */
struct fal_en_judge *fal_en_judge_new(const struct fal_en_setup *setup,
                                      struct fal_tally *tally);
/* NULL is allowed. */
void fal_en_judge_free(struct fal_en_judge *judge);
/* Takes the next event, in the order of the engine. Any numbers are allowed. Returns 0 or
 * FAL_ERR_MEM. */
MUST_USE int fal_en_judge_event(struct fal_en_judge *judge, const struct fal_en_event *event);
/* Nothing follows: decides what was open. */
void fal_en_judge_end(struct fal_en_judge *judge);

#endif
