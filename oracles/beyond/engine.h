/* SPDX-License-Identifier: Apache-2.0
 * engine.h - what an observer sees of a transport engine in hardware that works cycle by cycle:
 * a data delivery engine generates addresses of segments, a ring of at most N addresses a flow
 * holds them, a credit engine transmits them [S1 3.1]. The model (oracles/logic/engine.h) and a
 * testbench of RTL report these events to a function of the caller; rules K11 to K14 read them.
 */
#ifndef FAL_ORACLES_BEYOND_ENGINE_H
#define FAL_ORACLES_BEYOND_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

/* The declared properties of an engine; 0: not declared, and nothing is judged that needs it.
 */
struct fal_en_setup {
    uint32_t cycle_ns;       /* 10 */
    uint32_t ring;           /* N: addresses that were generated and not transmitted, a flow */
    uint32_t flows;          /* that the engine can serve at once; 1,024 to 2,048 */
    uint32_t latency_cycles; /* from GENERATE to TRANSMIT, for a flow with credit alone in the
                                engine; 10 (0.1 us) */
    uint32_t
        rate_error_ppm;   /* of the rate that a flow with work is given; set-up to transmit */
    uint32_t burst_bytes; /* D: credit is never kept above it */
    bool user_priority;   /* of two writers of one variable the program names the winner */
};

enum fal_en_kind {
    FAL_EN_ADD,      /* a flow is added: rate_bps, segment_bytes */
    FAL_EN_REMOVE,   /* the flow is gone: it leaves both sets and its ring is empty */
    FAL_EN_RATE,     /* the rate of a flow is set: rate_bps (0: it is not limited by a rate) */
    FAL_EN_PUSH,     /* the flow enters a set: `set` */
    FAL_EN_POP,      /* the flow is taken from the front of a set: `set` */
    FAL_EN_INCOMING, /* feedback was processed: stage 1 of two in cycle `since`, stage 2 now */
    FAL_EN_PERIODIC, /* the flow's timers were looked at; `timeout`: one had expired */
    FAL_EN_GENERATE, /* an address goes into the ring: seg, offset, bytes, copy */
    FAL_EN_TRANSMIT, /* the oldest address leaves: the same members; `since`: generated then */
    FAL_EN_MERGE,    /* several of the four wrote this flow in this cycle: `vars` */
    FAL_EN_STATE,    /* the flow as it is at the end of a cycle in which it was touched; after
                        all other events of that cycle: the members from `work` on */
};

/* The two FIFO sets [S1 3.1]. */
enum fal_en_set { FAL_EN_ACTIVE, FAL_EN_READY };

/* The four that may write a flow in one cycle. */
enum fal_en_writer {
    FAL_EN_BY_INCOMING,
    FAL_EN_BY_PERIODIC,
    FAL_EN_BY_GENERATE,
    FAL_EN_BY_TRANSMIT,
    FAL_EN_WRITERS
};

/* The ways in which writes of one cycle to one variable become one value. */
enum fal_en_join {
    FAL_EN_VALUE, /* one writer's value as a whole; which one, with two, the program says */
    FAL_EN_SUM,   /* before + the sum of all (value - before) */
    FAL_EN_BITS,  /* a bit that at least one writer changed is changed, all others are not */
};

/* One variable in a merge. A writer that did not change it is not in `wrote`. */
struct fal_en_var {
    const char *name; /* "outstanding", "wnd_start", "marked_rtx[0]", "user[3]" */
    enum fal_en_join join;
    uint8_t wrote; /* bit 1 << writer */
    uint64_t before, value[FAL_EN_WRITERS], after;
};

enum { FAL_EN_VARS = 80 };

struct fal_en_merge {
    uint8_t writers;      /* bit 1 << writer: it worked on the flow in this cycle */
    bool timeout_dropped; /* feedback and a timeout in one cycle: the timeout was dropped, so
                             that BY_PERIODIC wrote nothing [S1 3.4] */
    unsigned num_vars;    /* those that at least one writer changed */
    struct fal_en_var vars[FAL_EN_VARS];
};

struct fal_en_event {
    uint64_t cycle;
    uint64_t number; /* of the event, from 1 */
    enum fal_en_kind kind;
    uint32_t flow;
    enum fal_en_set set; /* of PUSH and POP */
    uint64_t since;      /* an earlier cycle */
    /* An address: segment `seg` begins `offset` bytes after the first byte of the flow. */
    uint64_t seg, offset;
    uint32_t bytes;
    uint32_t copy; /* 0: sent for the first time */
    bool timeout;
    uint64_t rate_bps;
    uint32_t segment_bytes;
    const struct fal_en_merge *merge; /* of MERGE; valid during the call */
    /* STATE. */
    bool work;            /* a lost or a new segment may be generated (window permitting) */
    bool credit;          /* enough for the oldest address of the ring; false if it is empty */
    uint32_t outstanding; /* addresses in the ring */
    bool active, ready;   /* it is in the set */
    uint64_t wake_cycle;  /* a timer will put it into the ready set then; 0: none is set */
};

/* This takes the events; ctx is the caller's. */
struct fal_en_sink {
    void (*event)(void *ctx, const struct fal_en_event *event);
    void *ctx;
};

#endif
