// SPDX-License-Identifier: Apache-2.0
// ep_pkg.sv - types of the event pipeline of a NIC with programmable congestion control. Numbers in
// brackets are paragraphs of the description that the RTL follows (docs/rtl.md).
package ep_pkg;
    localparam int KINDS = 7;   // kinds of events [0120-0127]
    localparam int CLASSES = 5; // classes, with ids of 3 bits [0130-0131]

    typedef logic [15:0] flow_t;
    typedef logic [2:0] class_t;
    typedef enum logic [2:0] {
        KIND_TX, KIND_CNP, KIND_NACK, KIND_ACK, KIND_RTT, KIND_RTT_SENT, KIND_FW
    } kind_e;

    // States of a slice and what moves it [0146-0151].
    typedef enum logic [2:0] {IDLE, ARB, BUSY, MORE_A, OVERRIDE, MORE_B} state_e;
    typedef enum logic [2:0] {BY_GRANT, BY_EVENT, BY_DONE, BY_FW, BY_FW_RELEASE} cause_e;
    localparam int CAUSES = 5;

    // An event [0042]: `at` is the time at which it was given to the pipeline.
    typedef struct packed {
        kind_e kind;
        flow_t flow;
        logic [31:0] seq, bytes;
        logic [63:0] at, t1, t2, t3, t4; // t1 to t4: of the response of an RTT packet
    } event_t;

    // Events of one flow and class that wait for a processor [0050, 0154-0156].
    typedef struct packed {
        logic [31:0] count, first_seq, last_seq;
        logic [47:0] bytes;
        logic [63:0] first_at, last_at, t1, t2, t3, t4; // t1 to t4: of the last response
    } entry_t;

    // The answer of a processor [0157].
    typedef struct packed {
        flow_t flow;
        logic [63:0] rate_bps;
        logic rtt_request;
    } rate_t;

    // Planted bugs (docs/rtl.md): at most one at a time.
    typedef enum logic [2:0] {
        BUG_NONE, BUG_LOST_WAKEUP, BUG_STALE_MAP, BUG_MERGE_ACROSS_FLOWS, BUG_LAST_SEQ_ONLY,
        BUG_CLASS_SHIFT, BUG_OVERRIDE_DROPS_MERGE
    } bug_e;

    // The state machine of a slice: NEXT[cause][state]. A cause that says nothing about a state leaves
    // it; so does `done` in OVERRIDE and MORE_B, of which the description does not speak.
    localparam state_e NEXT[CAUSES][6] = '{
        //              IDLE      ARB   BUSY      MORE_A  OVERRIDE  MORE_B
        /* grant */   '{IDLE,     BUSY, BUSY,     MORE_A, OVERRIDE, MORE_B},
        /* event */   '{ARB,      ARB,  MORE_A,   MORE_A, MORE_B,   MORE_B},
        /* done */    '{IDLE,     ARB,  IDLE,     ARB,    OVERRIDE, MORE_B},
        /* fw */      '{OVERRIDE, ARB,  OVERRIDE, MORE_A, OVERRIDE, MORE_B},
        /* release */ '{IDLE,     ARB,  BUSY,     MORE_A, IDLE,     ARB}};
endpackage
