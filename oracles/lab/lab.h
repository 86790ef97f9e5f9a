/* SPDX-License-Identifier: Apache-2.0
 * lab.h - flows on a simulated fabric (fabric.h). A model flow has always something to send. It
 * keeps to the windows and the gap of a congestion control algorithm (rue_policy.h), gets an
 * ACK for each packet, and retransmits what is lost. An unresponsive flow sends at a fixed
 * rate.
 *
 * The fabric knows nothing of flows. An end of another kind sends by fal_lab_fabric_send
 * and gets its packets by struct fal_lab_ops, as lab.c does, and ends.c with endpoints.
 */
#ifndef FAL_ORACLES_LAB_LAB_H
#define FAL_ORACLES_LAB_LAB_H

#include "oracles/endpoint/delivery/rue_policy.h"
#include "oracles/lab/fabric.h"
#include "oracles/lab/histogram.h"

enum { FAL_LAB_TICK_SHIFT = 17 }; /* a tick of 131.072 ns is 2^17 ps */

#define FAL_LAB_WINDOW_PS \
    (200 * FAL_LAB_US) /* shares are counted over windows of this length */

struct fal_lab_flow_config {
    uint32_t bytes;                     /* of a packet */
    uint8_t groups[FAL_LAB_STAGES_MAX]; /* that its packets pass */
    uint8_t stages, hops;
    uint64_t start_ps, stop_ps;
    uint64_t spacing_ps; /* least time between two packets */
    uint64_t return_ps;  /* of an ACK, from the receiver to the sender */
    uint32_t entropy;    /* of its first path */
    bool unresponsive;   /* a packet each spacing_ps, after `burst` of them at once */
    uint32_t burst;
    bool foreign; /* its sender is not built in (foreign.h); the lab fills it in */
    /* A receiver that takes a packet each drain_ps out of a buffer of so many packets; it
     * refuses (NACK code 1) what does not fit. 0: it takes each at once. */
    uint64_t drain_ps;
    uint32_t buffer;
};

/* A packet that is under way, or whose fate is not known. */
struct fal_lab_sent {
    uint8_t attempt;
    bool out; /* neither acknowledged nor taken for lost */
};

/* The results of a flow; `measured` counts from fal_lab.from_ps on. */
struct fal_lab_counts {
    uint64_t sent, delivered_bytes, measured_bytes;
    uint64_t measured_taken; /* packets that a receiver with a buffer took out of it */
    uint64_t dropped, retransmitted, timeouts, refused, repaths;
    uint64_t first_repath_ps, last_repath_ps, last_drop_ps, last_refused_ps;
    uint32_t rounds;     /* of PLB, up to the first repath */
    uint64_t marks_told; /* packets with an ECN mark of which ACKs have told the sender */
};

struct fal_lab_flow {
    struct fal_lab_flow_config config;
    /* The last decision of the algorithm, as it is in the next event. */
    struct fal_cc_event cc;
    struct fal_cc_state state;
    uint32_t entropy;
    struct fal_lab_sent *ring; /* by the number of a packet */
    uint32_t cap, first, next; /* numbers [first, next) are in the ring */
    uint32_t in_flight, highest, scanned;
    uint32_t lost; /* to be sent again */
    uint8_t lost_attempt;
    uint64_t last_sent_ps, progress_ps, wake_ps;
    uint64_t buffer_free_ps;
    uint32_t buffered, round_acked, marks; /* marks: as the last ACK said */
    struct fal_lab_counts counts;
    struct fal_lab_histogram *levels; /* of the measured ACKs; NULL: not wanted */
};

enum fal_lab_note {
    FAL_LAB_NOTE_ACK,       /* an algorithm has answered: windows, delay, target */
    FAL_LAB_NOTE_QUEUE,     /* `value` bytes are in the queue `index` */
    FAL_LAB_NOTE_DELIVERED, /* `value` bytes */
    FAL_LAB_NOTE_PATH,      /* the flow draws a path: `value` is its queue in the first group */
    FAL_LAB_NOTE_RETRANSMIT, /* a packet goes again */
    FAL_LAB_NOTE_TIMEOUT,
    FAL_LAB_NOTE_DROPPED, /* a queue had no room for a packet of the flow */
};

struct fal_lab;

/* For plots: what happens, when it does. */
struct fal_lab_record {
    enum fal_lab_note note;
    uint32_t index; /* the flow, or the queue */
    uint64_t at_ps, value;
    uint32_t fcwnd, ncwnd; /* FAL_LAB_NOTE_ACK: fcwnd in 1/1024 packet */
    uint32_t delay, hops;  /* ticks; for the target */
    uint32_t level;        /* of the receiver's buffer, as the last ACK said */
    uint32_t rto;          /* ticks */
    const struct fal_lab *lab;
};

struct fal_lab_pacer; /* pacer.h */

struct fal_lab {
    struct fal_lab_fabric fabric;
    struct fal_lab_flow *flows; /* borrowed; config is filled in */
    uint32_t n_flows;
    struct fal_rue_policy policy;
    const struct fal_lab_pacer *pacer; /* in place of the policy; or NULL */
    uint32_t base_delay_target;        /* ticks */
    uint64_t seed;
    uint64_t from_ps, until_ps;
    void (*record)(void *ctx, const struct fal_lab_record *record); /* may be NULL */
    void *record_ctx;
    /* The rest is the state. */
    struct fal_lab_histogram waited; /* of measured packets, of flows that have an algorithm */
    uint64_t trace; /* hash of each fcwnd with its time and flow: the same for the same seed */
    uint64_t *windows; /* bytes of each flow in each window of FAL_LAB_WINDOW_PS */
    uint32_t n_windows;
    uint64_t draws; /* of paths */
};

/* Prepares a lab whose public members are set. Returns 0 or FAL_ERR_MEM; fal_lab_end in any
 * case. */
MUST_USE int fal_lab_begin(struct fal_lab *lab);
/* The next event. Returns 1; 0: the time is over; or FAL_ERR_MEM. */
MUST_USE int fal_lab_step(struct fal_lab *lab);
/* All events. Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_lab_run(struct fal_lab *lab);
void fal_lab_end(struct fal_lab *lab);

/* The part of a flow in the bytes of a window; 0 where the window has none. */
double fal_lab_share(const struct fal_lab *lab, uint32_t flow, uint32_t window);
/* Jain's index of the measured bytes of the flows [first, end): 1 where all are equal. */
double fal_lab_jain(const struct fal_lab *lab, uint32_t first, uint32_t end);

#endif
