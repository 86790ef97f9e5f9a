/* SPDX-License-Identifier: Apache-2.0
 * engine_impl.h - the parts of engine.c: cycle, sets, merge. */
#ifndef FAL_ORACLES_LOGIC_ENGINE_IMPL_H
#define FAL_ORACLES_LOGIC_ENGINE_IMPL_H

#include "oracles/logic/agenda.h"
#include "oracles/logic/engine.h"

enum { FAL_LOGIC_RING_MAX = 64, FAL_LOGIC_JOBS = 5 };

struct fal_logic_address {
    uint32_t id, copy, bytes;
    uint64_t offset, cycle; /* cycle: generated then */
};

/* A flow: its state, and the credit engine's part. */
struct fal_logic_en_flow {
    struct fal_logic_sender sender;
    bool added, active, ready, touched;
    bool stuck; /* FAL_LOGIC_FLOW_NEVER_BACK: it does not enter the active set again */
    struct fal_logic_address ring[2 * FAL_LOGIC_RING_MAX]; /* room for an overrun */
    uint32_t head, num;
    struct fal_logic_rate rate;
    uint64_t rate_bps; /* that `rate` was made of */
    uint64_t credit;   /* bytes << rate.shift, at credit_cycle */
    uint64_t credit_cycle;
    uint64_t wake_cycle;                /* 0: none */
    uint64_t offsets[FAL_LOGIC_WINDOW]; /* of posted segments */
    uint64_t end;                       /* the offset of the next one */
};

/* A FIFO of flows, each at most once. */
struct fal_logic_set {
    uint32_t *flows;
    uint32_t head, num, room;
};

/* One module's work in a cycle: it wrote `after`, a copy of the flow's state. */
struct fal_logic_job {
    uint32_t flow;
    enum fal_en_writer writer;
    bool has_cum; /* feedback that acknowledges */
    bool timeout; /* of periodic */
    struct fal_logic_sender after;
};

struct fal_logic_feedback {
    uint32_t flow;
    struct fal_logic_reply reply;
};

struct fal_logic_engine {
    struct fal_logic_engine_config config;
    struct fal_logic_en_flow *flows;
    struct fal_logic_set sets[2];   /* by enum fal_en_set */
    uint32_t *touched, num_touched; /* flows whose place in the sets is to be looked at */
    struct fal_logic_agenda wakes;
    struct fal_logic_feedback *queue; /* a ring of `room` */
    uint32_t queue_head, queue_num, queue_room;
    bool staged; /* a feedback has passed stage 1 and waits for stage 2 */
    bool staged_cum;
    uint32_t staged_flow;
    struct fal_logic_in staged_in;
    uint64_t staged_cycle;
    uint32_t turn; /* of periodic */
    uint64_t cycle, number;
    struct fal_logic_job jobs[FAL_LOGIC_JOBS];
    unsigned num_jobs;
    struct fal_en_merge merge; /* of the event */
    int error;
};

uint64_t fal_logic_engine_now_ns(const struct fal_logic_engine *e);
void fal_logic_engine_tell(struct fal_logic_engine *e, struct fal_en_event *event);
void fal_logic_engine_touch(struct fal_logic_engine *e, uint32_t flow);
/* Puts the writes of all jobs into their flows. */
void fal_logic_engine_merge(struct fal_logic_engine *e);

#endif
