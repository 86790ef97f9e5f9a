/* SPDX-License-Identifier: Apache-2.0
 * pipe_impl.h - the parts of the event pipeline (pipe.h). */
#ifndef FAL_ORACLES_EVENTPIPE_PIPE_IMPL_H
#define FAL_ORACLES_EVENTPIPE_PIPE_IMPL_H

#include "oracles/eventpipe/pipe.h"
#include "oracles/rng.h"

/* A ring of events. */
struct fal_ep_fifo {
    struct fal_ep_event *ring;
    uint32_t cap, head, count;
};

/* The merge entries of a slice lie beside its state [0154]. */
struct fal_ep_slice {
    enum fal_ep_state state;
    bool mapped; /* the flow map points here for `flow` */
    uint32_t flow;
    bool override_waits, release_waits;
    bool runs;           /* a processor works for it */
    uint32_t pending;    /* bit c: entries[c] holds events */
    unsigned next_class; /* the one that a grant looks at first */
    struct fal_ep_event entries[FAL_EP_KINDS];
};

enum fal_ep_phase { FAL_EP_FREE, FAL_EP_LOADING, FAL_EP_RUNNING };

struct fal_ep_processor {
    enum fal_ep_phase phase;
    uint32_t slice;
    uint64_t due_ns;          /* of the end of the phase */
    struct fal_ep_event work; /* what is under way */
    bool has_work;            /* false by a planted bug: there is nothing to do */
    uint32_t context;         /* entry of the store */
    bool first;
};

/* The store and the slow memory behind it. `at` of a flow is the number of its entry and 1. */
struct fal_ep_contexts {
    uint32_t num, *at, *flow_of;
    uint64_t *used, uses;
    bool *taken, *pinned;
    uint8_t *bytes;   /* FAL_EP_CONTEXT_MAX for each entry */
    uint8_t *memory;  /* the same for each flow */
    bool *in_memory;  /* for each flow */
    uint32_t *stored; /* ring of the flows in memory, when it does not hold all */
    uint32_t memory_cap, memory_at;
};

enum { FAL_EP_RATES = 1024 };

struct fal_ep_rates {
    struct {
        uint64_t due_ns;
        uint32_t flow;
        struct fal_ep_answer answer;
    } ring[FAL_EP_RATES];
    uint32_t head, count;
};

struct fal_ep_pipe {
    struct fal_ep_pipe_config config;
    struct fal_ep_counts counts;
    uint64_t now_ns;
    int error;
    struct fal_rng wred, map, service, odd; /* odd: of the fault */
    uint32_t classes[FAL_EP_KINDS];
    struct fal_ep_fifo fifos[FAL_EP_FW_REGISTER + 1];
    unsigned served;              /* the queue that was selected last */
    uint64_t select_ns, grant_ns; /* the next cycle of the selector, of the arbiter */
    struct fal_ep_event held;     /* selected, but without a slice */
    bool holding, held_blocked;
    struct fal_ep_slice slices[FAL_EP_SLICES_MAX];
    struct fal_ep_processor processors[FAL_EP_SLICES_MAX];
    uint32_t granted; /* the slice that was granted last */
    unsigned arbitrating;
    struct fal_ep_contexts contexts;
    struct fal_ep_rates rates;
    uint64_t *rate_of;  /* the last answer of each flow */
    uint32_t *slice_of; /* of each flow, and 1; 0: it has none */
    uint64_t timer_ns;
    uint32_t timer_flow;
    struct fal_ep_event *carried; /* for each flow: what was not admitted (config.carry) */
    uint32_t unanswered;
};

static inline bool fal_ep_fault(const struct fal_ep_pipe *pipe, enum fal_ep_fault fault)
{
    return pipe->config.fault == fault;
}

/* Whether the fault is in force and strikes now: one time in `n`. */
static inline bool fal_ep_strikes(struct fal_ep_pipe *pipe, enum fal_ep_fault fault, uint64_t n)
{
    return pipe->config.fault == fault && fal_rng_below(&pipe->odd, n) == 0;
}

static inline bool fal_ep_variant(const struct fal_ep_pipe *pipe, enum fal_ep_variant variant)
{
    return (pipe->config.variants >> variant & 1) != 0;
}

/* pipe.c: a line of the trace, at the present time. */
void fal_ep_emit(struct fal_ep_pipe *pipe, struct fal_ep_event event);
/* Discards an event that has no answer to wait for. */
void fal_ep_answered(struct fal_ep_pipe *pipe);

/* queues.c */
int fal_ep_queues_begin(struct fal_ep_pipe *pipe);
/* Whether an event waits in a queue or for a slice. */
bool fal_ep_queues_ready(const struct fal_ep_pipe *pipe);
/* Selects an event and places it, or places the one that waits. */
void fal_ep_queues_select(struct fal_ep_pipe *pipe);

/* slices.c: false: the event must wait for a slice. */
bool fal_ep_slices_place(struct fal_ep_pipe *pipe, const struct fal_ep_event *event);
bool fal_ep_slices_ready(const struct fal_ep_pipe *pipe);
void fal_ep_slices_grant(struct fal_ep_pipe *pipe);
/* The processor of the slice has ended. */
void fal_ep_slices_done(struct fal_ep_pipe *pipe, uint32_t slice);

/* processors.c */
struct fal_ep_processor *fal_ep_processor_for(struct fal_ep_pipe *pipe, uint32_t slice);
/* Takes the merged event of one class of the slice, and begins its run. */
void fal_ep_processor_start(struct fal_ep_pipe *pipe, struct fal_ep_processor *p,
                            uint32_t slice);
/* The phase is over. */
void fal_ep_processor_due(struct fal_ep_pipe *pipe, struct fal_ep_processor *p);
void fal_ep_rates_due(struct fal_ep_pipe *pipe);
void fal_ep_timer_due(struct fal_ep_pipe *pipe);

/* contexts.c */
enum fal_ep_place { FAL_EP_IN_STORE, FAL_EP_IN_MEMORY, FAL_EP_NOWHERE };
int fal_ep_contexts_begin(struct fal_ep_pipe *pipe);
void fal_ep_contexts_free(struct fal_ep_pipe *pipe);
enum fal_ep_place fal_ep_context_where(const struct fal_ep_pipe *pipe, uint32_t flow);
/* Brings the context of a flow into the store, and keeps it there. Returns its entry. */
uint32_t fal_ep_context_open(struct fal_ep_pipe *pipe, uint32_t flow);
void fal_ep_context_write(struct fal_ep_pipe *pipe, uint32_t entry, const uint8_t *bytes);
uint8_t *fal_ep_context_bytes(struct fal_ep_pipe *pipe, uint32_t entry);

#endif
