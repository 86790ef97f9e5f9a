/* SPDX-License-Identifier: Apache-2.0
 * eventpipe.h - traces of the event pipeline of a NIC with programmable congestion control: the
 * words that the model (oracles/eventpipe), the rules (oracles/rules/eventpipe) and a testbench
 * of RTL (adapters/rtl) have in common. One JSON object a line in files
 * (docs/event-pipeline.md):
 *   {"at_ns": 120, "point": "fifo", "act": "in", "flow": 7, "kind": "ACK", "seq": 12, "bytes":
 * 0} A member of the struct is a member of the object by the same name; members that are 0 may
 * be left out. The words of the enums are in eventpipe_shape.h, which reads and writes lines.
 *
 * The order of lines of one run of a processor: a grant moves the slice from arb to busy. Then,
 * for each class that the grant is for (the model: one): ccp start (class, seq, last_seq,
 * bytes, count, first_ns, last_ns: what was merged up to this line), context read or new,
 * context write, rate (if the algorithm answers), ccp end. After the last of them, done moves
 * the slice. When another class has events, which the grant is not for, the slice moves to
 * more_a at once. An event that is selected gives fifo out, map hit or miss (and write when it
 * gets a slice), merge, slice move. */
#ifndef FAL_ORACLES_BEYOND_EVENTPIPE_H
#define FAL_ORACLES_BEYOND_EVENTPIPE_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of events [0120-0127]. */
enum fal_ep_kind {
    FAL_EP_TX, /* a burst was sent */
    FAL_EP_CNP,
    FAL_EP_NACK,
    FAL_EP_ACK,
    FAL_EP_RTT,      /* the response of an RTT packet came */
    FAL_EP_RTT_SENT, /* an RTT packet left */
    FAL_EP_FW,       /* firmware asks for the flow */
};
enum { FAL_EP_KINDS = 7, FAL_EP_CLASSES = 5, FAL_EP_CLASS_BITS = 3, FAL_EP_FLOWS_MAX = 65536 };

/* The places in the pipeline. */
enum fal_ep_point {
    FAL_EP_SOURCE, /* "source": an event comes into being, before any queue */
    FAL_EP_WRED,   /* "wred": the event is dropped (act drop), `occupancy` as it was met */
    FAL_EP_FIFO,   /* "fifo": it goes into (in) or leaves (out) the TX or RX FIFO, or firmware's
                      register */
    FAL_EP_TABLE,  /* "table": the class of a kind is rewritten (act write; kind, class) */
    FAL_EP_MAP,    /* "map": the flow map: hit, miss, write (flow gets slice), release */
    FAL_EP_SLICE,  /* "slice": state before and after (from, to), cause */
    FAL_EP_MERGE,  /* "merge": the event was added to the entry (slice, class) */
    FAL_EP_CCP,    /* "ccp": a processor gets (act start) or ends (act done) the merged event */
    FAL_EP_CONTEXT, /* "context": read, write, evict, new; `digest` of the contents */
    FAL_EP_RATE,    /* "rate": the answer of a processor: flow, rate_bps, rtt_request */
    FAL_EP_WIRE, /* "wire": a burst of `bytes` of the flow begins at the port; or an RTT packet
                  */
};
enum fal_ep_act {
    FAL_EP_NOT,
    FAL_EP_IN,
    FAL_EP_OUT,
    FAL_EP_DROP,
    FAL_EP_WRITE,
    FAL_EP_HIT,
    FAL_EP_MISS,
    FAL_EP_RELEASE,
    FAL_EP_START,
    FAL_EP_END,
    FAL_EP_READ,
    FAL_EP_EVICT,
    FAL_EP_NEW,
    FAL_EP_MOVE
};
enum fal_ep_queue { FAL_EP_TX_FIFO, FAL_EP_RX_FIFO, FAL_EP_FW_REGISTER };
/* States of a slice [0146-0151] and what moves it. */
enum fal_ep_state {
    FAL_EP_IDLE,
    FAL_EP_ARB,
    FAL_EP_BUSY,
    FAL_EP_MORE_A,
    FAL_EP_OVERRIDE,
    FAL_EP_MORE_B
};
enum fal_ep_cause {
    FAL_EP_BY_EVENT,
    FAL_EP_BY_DONE,
    FAL_EP_BY_GRANT,
    FAL_EP_BY_FW,
    FAL_EP_BY_FW_RELEASE
};

struct fal_ep_event {
    uint64_t at_ns, number; /* number: of the line, from 1 */
    enum fal_ep_point point;
    enum fal_ep_act act;
    enum fal_ep_kind kind;
    enum fal_ep_queue queue;
    uint32_t flow, slice, processor;
    uint32_t klass;     /* "class" */
    uint32_t occupancy; /* of the FIFO, before this event */
    enum fal_ep_state from, to;
    enum fal_ep_cause cause;
    /* The event itself, or what was merged: count 1 for a single event. */
    uint64_t seq, last_seq; /* the first kept, the last replaced */
    uint64_t bytes;         /* the sum */
    uint32_t count;
    uint64_t first_ns, last_ns;
    uint64_t t1_ns, t2_ns, t3_ns, t4_ns; /* of RTT; 0: not there */
    uint64_t rate_bps;
    bool rtt_request;
    uint64_t digest; /* of a context */
};

/* The declared properties of the pipeline (a JSON object with the same names); 0: not declared.
 */
struct fal_ep_setup {
    uint32_t slices, processors;
    uint32_t classes[FAL_EP_KINDS];                /* at the start */
    uint32_t th1[FAL_EP_KINDS], th2[FAL_EP_KINDS]; /* WRED, per kind; 0, 0: no drop */
    uint32_t fifo_depth[2];
    uint32_t contexts; /* entries of the context store; 0: one for each flow */
    uint64_t default_rate_bps;
    uint64_t burst_bytes;
    uint64_t responder_ns; /* T3 - T2 at most */
    bool clocks_synchronised, round_robin, rtt_by_difference;
    bool all_points; /* the trace has every point; false: sources, drops and answers only */
    bool no_drops;
    bool other_drop_curve;     /* between TH1 and TH2 it is not the line [0141] */
    bool rates_without_events; /* answers also come by a timer, or in steps [0093] */
    bool rate_per_event;       /* each run of a flow gives one rate at most */
    bool ends_at_rest;         /* at the end of the trace no event waits anywhere */
    uint64_t pipeline_ns;      /* an event is at its slice this long after its queue, at most */
    uint32_t rate_error_ppm;   /* of the wire against the rate told; 0: not declared */
};

#endif
