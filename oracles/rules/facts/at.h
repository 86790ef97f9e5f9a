/* SPDX-License-Identifier: Apache-2.0
 * at.h - the place of a fact on the timeline, to name it as evidence. */
#ifndef FAL_ORACLES_RULES_FACTS_AT_H
#define FAL_ORACLES_RULES_FACTS_AT_H

#include <stdint.h>

struct fal_at {
    uint64_t index, t_ns;
    uint32_t frame;
    uint32_t error_ns; /* of the time stamp; saturated */
    int32_t step;
    uint8_t origin;  /* enum fal_origin */
    uint8_t zero[3]; /* fal_pack reads every byte of a state, so all of them must be written. */
};

#endif
