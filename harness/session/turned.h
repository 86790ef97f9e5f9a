/* SPDX-License-Identifier: Apache-2.0
 * turned.h - judges the tester's packets of a case as those of a SUT. The steps of a valid
 * scenario play a conforming peer, seen through a network: what reaches the SUT may have been
 * lost or duplicated on the way, and what the SUT sent may not have reached
 * the peer. So the judge takes the tester's end for the SUT, and the path between them for one
 * that may lose and duplicate packets: a packet that comes late is a repetition of a lost one.
 * ACKs and NACKs are not repeated, so they keep their order, unless the scenario itself delays
 * packets of the tester. No peer can have sent, over such a network, what the judge still
 * finds.
 *
 * A step may acknowledge a packet that was lost before the tester's endpoint had it. The peer
 * that the scenario plays had it. So later packets of the endpoint are judged as if they had
 * the base that the step has stated. */
#ifndef TL_HARNESS_SESSION_TURNED_H
#define TL_HARNESS_SESSION_TURNED_H

#include "oracles/rules/judge/judge.h"

enum {
    TL_TURNED_FINDINGS = 16, /* kept in a case */
    TL_TURNED_CONNS = 8,     /* whose stated bases are remembered */
};

/* The highest base of each window that a step has stated on a connection. */
struct tl_turned_bases {
    bool stated;
    uint32_t base[2]; /* by enum fal_window */
};

struct tl_turned {
    struct fal_judge *judge; /* NULL: nothing is judged */
    bool disorder, any;
    uint64_t last_ns;                              /* of the last event, if there was any */
    struct tl_turned_bases bases[TL_TURNED_CONNS]; /* by the connection's number */
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
