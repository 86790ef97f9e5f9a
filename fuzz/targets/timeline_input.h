/* SPDX-License-Identifier: Apache-2.0
 * timeline_input.h - what the records of fuzz_rules' inputs say: shared with what writes the
 * first ones. The low four bits of a record's kind are an enum fal_event_kind, others flags. */
#ifndef FAL_FUZZ_TARGETS_TIMELINE_INPUT_H
#define FAL_FUZZ_TARGETS_TIMELINE_INPUT_H

#include "fuzz/targets/records.h"
#include "oracles/timeline.h"

enum {
    TIMELINE_KIND = 15,
    TIMELINE_FROM_SUT = 16,
    TIMELINE_STEP = 32,      /* of a packet: a scenario step made it */
    TIMELINE_TRUNCATED = 64, /* of a packet */
    TIMELINE_CONN_2 = 128,   /* of another connection */
    /* Of FAL_EV_VERBS (timeline_nvme.h): */
    TIMELINE_NVME_PACKET = TIMELINE_STEP,    /* a packet with headers of NVMe instead */
    TIMELINE_NVME_WORD = TIMELINE_TRUNCATED, /* a word of NVMe instead */

    /* The first byte of the head */
    TIMELINE_LOSSLESS = 1,
    TIMELINE_ORDERED_EVENTS = 2,
    TIMELINE_ORDERED = 4, /* connections */
    TIMELINE_MAY_MISS = 8,
    TIMELINE_MIDDLE = 16, /* vantage */
    TIMELINE_INITIAL_UNKNOWN = 32,
    TIMELINE_NVME = 64, /* the upper layer of connections is NVMe */

    TIMELINE_CID = 5,      /* of the tester's end; the SUT's is one more, */
    TIMELINE_FUNCTION = 3, /* and so are functions */
};

/* Where the connections of an input begin. */
enum { TIMELINE_PSN = 100, TIMELINE_RSN = 1 };

_Static_assert((int)FAL_EV_VERBS <= (int)TIMELINE_KIND, "every kind of event has its records");

#endif
