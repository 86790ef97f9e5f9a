/* SPDX-License-Identifier: Apache-2.0
 * turned.h - judges the tester's packets of a case as those of a SUT. The steps of a valid
 * scenario play a conforming peer, seen through a network: what reaches the SUT may have been
 * lost or duplicated on the way, and what the SUT sent may not have reached
 * the peer. So the judge takes the tester's end for the SUT, and the path between them for one
 * that may lose and duplicate packets: a packet that comes late is a repetition of a lost one.
 * ACKs and NACKs are not repeated, so they keep their order, unless the scenario itself delays
 * packets of the tester. What is found then, no peer can have sent over such a network. */
#ifndef TL_HARNESS_SESSION_TURNED_H
#define TL_HARNESS_SESSION_TURNED_H

#include "oracles/rules/judge/judge.h"

enum { TL_TURNED_FINDINGS = 16 }; /* kept in a case */

struct tl_turned {
    struct fal_judge *judge; /* NULL: nothing is judged */
    bool disorder, any;
    uint64_t last_ns; /* of the last event, if there was any */
    size_t num_findings;
    struct fal_finding
        findings[TL_TURNED_FINDINGS]; /* the first of each rule and requirement */
};

/* Begins to judge. `disorder`: packets of the tester may overtake each other before they are
 * seen. False: out of memory. The caller frees in any case. */
MUST_USE bool tl_turned_start(struct tl_turned *turned, bool disorder);
void tl_turned_free(struct tl_turned *turned);

/* Takes the next event of the timeline of a case. */
void tl_turned_event(struct tl_turned *turned, const struct fal_event *event);
/* No more events. Findings have the indices and times of the timeline, subject TESTER, and
 * texts in which the tester's end is the SUT. */
void tl_turned_finish(struct tl_turned *turned);

#endif
