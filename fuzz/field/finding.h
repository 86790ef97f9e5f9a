/* SPDX-License-Identifier: Apache-2.0
 * finding.h - which violation of a capture becomes a scenario. */
#ifndef FAL_FUZZ_FIELD_FINDING_H
#define FAL_FUZZ_FIELD_FINDING_H

#include "harness/check/recording.h"

enum { FLD_RULE_MAX = 16, FLD_ID_MAX = 32 };

/* The question: which finding of the capture. */
struct fld_wish {
    struct tl_recording_config capture;
    const char *ulp;         /* events of the upper layer, as of talon check --ulp; or NULL */
    const char *requirement; /* only findings of this requirement; NULL: of any */
    uint64_t nth;            /* of these findings, from 1 */
};

/* A violation by a SUT. */
struct fld_finding {
    char rule[FLD_RULE_MAX]; /* empty: no rule found it, the user says so */
    char requirement[FLD_ID_MAX];
    uint64_t t_ns;               /* when it was found, after the first frame */
    struct fal_connection setup; /* `sut` is the end that violates the requirement */
    bool initial_known;          /* the initial numbers of `setup` are right */
};

/* Judges the capture as talon check does. Where no rule finds a violation of wish->requirement,
 * *out is about the first connection of the SUT: not every violation can be seen in packets.
 * Returns 1 with *out; 0 where the capture shows no such violation, and no requirement was
 * given; FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int fld_finding_read(const struct fld_wish *wish, struct fld_finding *out,
                              struct fal_error *err);

#endif
