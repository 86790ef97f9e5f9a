/* SPDX-License-Identifier: Apache-2.0
 * talon_event_algorithm.h - what a library exports so that `talon lab --algorithm lib:FILE.so`
 * and `talon eventpipe run --algorithm lib:FILE.so` run the congestion control in it. The
 * library needs nothing of Talon but this file. It runs in a process of its own: it may crash
 * or hang, and is then reported. */
#ifndef TALON_EVENT_ALGORITHM_H
#define TALON_EVENT_ALGORITHM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TALON_EVENT_ALGORITHM_VERSION = 1, TALON_EVENT_CONTEXT_MAX = 64 /* bytes */ };

/* The kind of the last event that was merged. */
enum talon_event_kind {
    TALON_EVENT_TX,       /* packets were sent */
    TALON_EVENT_CNP,      /* the receiver reports congestion */
    TALON_EVENT_NACK,     /* a packet is missing or was refused */
    TALON_EVENT_ACK,      /* packets were acknowledged */
    TALON_EVENT_RTT,      /* the response of an RTT packet came */
    TALON_EVENT_RTT_SENT, /* an RTT packet left */
    TALON_EVENT_FW        /* firmware asks for the flow */
};

/* Events of one flow and one class, merged. */
struct talon_event {
    uint32_t flow;
    uint32_t kind;          /* enum talon_event_kind */
    uint32_t event_class;   /* 0 to 4, or the kind where there is no table */
    uint32_t count;         /* number of events */
    uint64_t now_ns;        /* at which the last event came into being */
    uint64_t first_ns;      /* and the first */
    uint64_t seq, last_seq; /* sequence numbers of the first and the last */
    uint64_t bytes;         /* the sum */
    /* Of the last RTT event among them; 0: there was none. T1 and T4 are of the sender, T2 and
     * T3 of the responder. rtt_ns is (T4 - T1) - (T3 - T2). */
    uint64_t t1_ns, t2_ns, t3_ns, t4_ns, rtt_ns;
};

/* All zeros when event() is called. */
struct talon_answer {
    uint64_t rate_bps;   /* counts if set_rate is not 0: more than 0, at most 1600 Gb/s */
    int32_t set_rate;    /* 0: the rate stays */
    int32_t rtt_request; /* not 0: send an RTT packet */
};

struct talon_event_algorithm {
    int32_t version;        /* TALON_EVENT_ALGORITHM_VERSION */
    uint32_t context_bytes; /* of each flow, at most TALON_EVENT_CONTEXT_MAX */
    /* Takes an event of a flow. `context` holds what the last call for the flow left there; it
     * is all zeros when `first` is not 0: the flow is new, or its context was lost. Then the
     * flow gets the default rate and an RTT packet whatever the answer is. Keep nothing
     * elsewhere: a NIC runs flows side by side, and moves contexts. */
    void (*event)(void *context, int32_t first, const struct talon_event *event,
                  struct talon_answer *answer);
};

/* The function that the library exports. */
const struct talon_event_algorithm *talon_event_algorithm_v1(void);

#ifdef __cplusplus
}
#endif

#endif
