/* SPDX-License-Identifier: Apache-2.0
 * transport.h - events of any reliable transport, as the K rules (oracles/rules/transport) see
 * them: segments of flows, copies of them, feedback and deliveries. A transport logic
 * (oracles/logic), a capture of TCP or RoCE, or a timeline of Falcon is mapped to them. */
#ifndef FAL_ORACLES_BEYOND_TRANSPORT_H
#define FAL_ORACLES_BEYOND_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

enum fal_tp_kind {
    FAL_TP_POST,     /* the sender's user gives segments up to, but not including, `seg` */
    FAL_TP_SEND,     /* the sender sends segment `seg` */
    FAL_TP_ARRIVE,   /* segment `seg` arrives at the receiver */
    FAL_TP_REPLY,    /* the receiver sends feedback */
    FAL_TP_FEEDBACK, /* feedback arrives at the sender */
    FAL_TP_DELIVER,  /* the receiver gives segment `seg` to its user */
    FAL_TP_TIMEOUT,  /* the sender says that its retransmission timer expired (may be absent) */
    FAL_TP_DONE,     /* the sender reports all posted segments as acknowledged */
    FAL_TP_RESET,    /* an end gives the flow up (abort, reset) */
    FAL_TP_LOST_VIEW, /* the observer may have missed events of this flow before this one */
};

enum { FAL_TP_RANGES = 8 }; /* selective ranges of one feedback */

struct fal_tp_range {
    uint64_t first, end; /* [first, end) */
};

/* Feedback of a receiver. Numbers are those of segments and only grow: an adapter unwraps them.
 */
struct fal_tp_reply {
    uint64_t cum; /* every segment below it has arrived */
    bool has_cum;
    struct fal_tp_range got[FAL_TP_RANGES]; /* that arrived besides (SACK, per-packet ack) */
    unsigned num_got;
    bool nack;         /* says that a segment is missing or was trimmed, */
    uint64_t nack_seg; /* this one (go-back-N: the one expected) */
    bool ecn, cnp;     /* congestion was seen */
    bool update;     /* it says the same as before, but brings data or another window: not each
                        sender takes it for a duplicate (RFC 5681 2) */
    uint64_t window; /* segments that the receiver takes above cum; 0: it says nothing */
    uint64_t grant;  /* tokens given in all up to now (NDP); 0: it says nothing */
};

struct fal_tp_event {
    uint64_t at_ns;
    uint64_t number; /* of the frame or event, from 1 */
    uint32_t flow;
    enum fal_tp_kind kind;
    uint64_t seg;
    uint32_t bytes;            /* of the payload of the segment */
    uint64_t digest;           /* of the payload; 0: not known */
    bool ce, trimmed;          /* of a segment: congestion was met, the payload was cut off */
    struct fal_tp_reply reply; /* of REPLY and FEEDBACK */
};

/* The place of the observer decides which events it sees without a gap, in their order. */
enum fal_tp_vantage {
    FAL_TP_BOTH,     /* all events of both ends (virtual time, logs of both) */
    FAL_TP_SENDER,   /* at the sender: SEND and FEEDBACK */
    FAL_TP_RECEIVER, /* at the receiver: ARRIVE and REPLY */
    FAL_TP_MIDDLE, /* in the network: segments and feedback that pass, in the network's order */
};

enum fal_tp_credit { FAL_TP_WINDOW, FAL_TP_RATE, FAL_TP_TOKENS };
enum fal_tp_repair {
    FAL_TP_SELECTIVE, /* only segments that are held to be lost are sent again */
    FAL_TP_GO_BACK_N, /* from the one that a NACK or timeout names, all */
};

/* The declared properties of a transport (one row for each logic); 0 and false: not declared,
 * and nothing is judged that needs it. */
struct fal_tp_row {
    const char *name;
    enum fal_tp_credit credit;
    enum fal_tp_repair repair;
    bool in_order; /* the receiver delivers in order */
    bool cumulative, selective, nacks;
    unsigned dup_threshold;      /* duplicate acknowledgements that show a loss */
    unsigned reorder_segments;   /* segments above that were acknowledged and show a loss */
    bool partial_acks;           /* in recovery a partial acknowledgement shows a loss */
    bool reorder_by_time;        /* RACK: a loss is shown by time since a later segment */
    bool tail_probe, undo, frto; /* named variants of TCP that may send without another cause */
    uint64_t rto_min_ns, rto_max_ns; /* bounds of any retransmission timeout */
    uint64_t rto_low_ns;             /* IRN: the shorter timeout, with few segments in flight */
    uint64_t max_window;             /* segments in flight at most, whatever feedback says */
    uint64_t rate_bps;               /* at most, with bursts of */
    uint64_t burst_bytes;
    uint64_t initial_tokens;
    unsigned dup_least;   /* a sender that adapts its threshold may take so few duplicate
                             acknowledgements for a loss; 0: dup_threshold */
    bool backoff;         /* each timeout without progress doubles the next (RFC 6298 5.5) */
    bool timeout_tokens;  /* a timeout gives a token for each segment that is sent because of it
                           */
    uint64_t answer_ns;   /* the receiver's feedback comes at most that late */
    uint64_t liveness_ns; /* work and credit: the sender sends at most that late */
};

#endif
