/* SPDX-License-Identifier: Apache-2.0
 * k_rules.h - the K rules: what has to hold of any reliable transport, whatever its packets
 * look like. docs/transport-rules.md says what each rule means and what excuses. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_RULES_H
#define FAL_ORACLES_RULES_TRANSPORT_K_RULES_H

#include "oracles/beyond/tally.h"

/* Indices of the rules in a tally over fal_k_rules(). */
enum fal_k_rule {
    FAL_K1,
    FAL_K2,
    FAL_K3,
    FAL_K4,
    FAL_K5,
    FAL_K6,
    FAL_K7,
    FAL_K8,
    FAL_K9,
    FAL_K10,
    FAL_K11, /* from here on of an engine in hardware (k_engine.h) */
    FAL_K12,
    FAL_K13,
    FAL_K14,
    FAL_K_RULES
};

/* The table; *n is set to FAL_K_RULES. */
const struct fal_tally_rule *fal_k_rules(size_t *n);

#endif
