/* SPDX-License-Identifier: Apache-2.0
 * pipe.h - a model of the event pipeline of a NIC with programmable congestion control: events
 * of packets go through FIFOs behind WRED, get a class, are merged for each flow in a slice,
 * and run the algorithm of the flow on a processor; its answer sets the rate of the flow.
 *
 *   offer -> WRED -> TX FIFO  \                          / processor 1 \
 *   offer -> WRED -> RX FIFO   > round robin -> class -> slices   ...    > answer -> rate FIFO
 *   offer -> firmware register/                          \ processor n /             ->
 * transmit
 *
 * It does no I/O, and time is an argument in nanoseconds. The same configuration, seed and
 * calls give the same trace. */
#ifndef FAL_ORACLES_EVENTPIPE_PIPE_H
#define FAL_ORACLES_EVENTPIPE_PIPE_H

#include "codecs/base/error.h"
#include "oracles/beyond/eventpipe.h"
#include "oracles/eventpipe/faults.h"

enum { FAL_EP_SLICES_MAX = 64, FAL_EP_CONTEXT_MAX = 64, FAL_EP_FIFO_MAX = 4096 };
#define FAL_EP_NEVER UINT64_MAX

/* What an algorithm answers. */
struct fal_ep_answer {
    uint64_t rate_bps; /* 0: the rate stays */
    bool rtt_request;
};

/* An algorithm of congestion control: one process for each flow, whose state between two events
 * is its context. */
struct fal_ep_algorithm {
    void *ctx;
    uint32_t context_bytes; /* at most FAL_EP_CONTEXT_MAX */
    /* Takes one merged event (its flow, class, kind of the last event, sums, times) and may
     * change the context, which is all zeros when `first`. Answers of a first run are replaced
     * by the default rate and an RTT request [0089]. Returns 0, or a negative error, after
     * which the pipeline does nothing more. */
    int (*run)(void *ctx, bool first, void *context, const struct fal_ep_event *event,
               struct fal_ep_answer *answer);
};

struct fal_ep_pipe_config {
    struct fal_ep_setup setup;
    uint64_t seed;
    uint32_t flows;      /* numbers of flows are below */
    uint32_t cycle_ns;   /* one event is selected, and one slice granted, in a cycle */
    uint32_t service_ns; /* of a run, and up to so much more, drawn */
    uint32_t service_spread_ns;
    uint32_t reload_ns; /* of a context from the slow memory */
    uint32_t memory;    /* contexts in the slow memory; 0: one for each flow */
    uint32_t rate_ns;   /* from an answer to the sender */
    enum fal_ep_fault fault;
    uint32_t variants; /* bit i: enum fal_ep_variant i */
    struct fal_ep_algorithm algorithm;
    /* Every event of the trace; NULL: nobody wants them. */
    void (*trace)(void *ctx, const struct fal_ep_event *event);
    /* The answer of a processor is at the sender. rate_bps 0: the rate stays. */
    void (*transmit)(void *ctx, uint32_t flow, const struct fal_ep_answer *answer,
                     uint64_t now_ns);
    /* In place of WRED (a declared drop curve): whether an event may enter a FIFO with so many
     * events in it. NULL: WRED. */
    bool (*admit)(void *ctx, const struct fal_ep_event *event, uint32_t occupancy);
    void *ctx; /* of the three */
    /* Merging: an event that is not admitted leaves its count and bytes to the next event of
     * its flow (num_packets_acked of a Rate Update Engine); no slice merges: an event is
     * selected only for a slice that is idle. */
    bool carry, slices_merge_not;
};

/* What happened. */
struct fal_ep_counts {
    uint64_t sources, dropped, selected, merged, runs, answers, hits, misses;
    uint64_t context_hits, context_reloads, context_news, evictions, overrides;
    uint64_t lines; /* of the trace */
};

struct fal_ep_pipe;

/* Makes a pipeline in its first state. Returns 0, FAL_ERR_RANGE (a number of the configuration
 * is impossible) or FAL_ERR_MEM with `err`; *out is NULL then. */
MUST_USE int fal_ep_pipe_new(struct fal_ep_pipe **out, const struct fal_ep_pipe_config *config,
                             struct fal_error *err);
/* NULL is allowed. */
void fal_ep_pipe_free(struct fal_ep_pipe *pipe);

/* An event comes into being: kind, flow, seq, bytes and times of RTT count. The pipeline must
 * have run to `now_ns`. False: it has no room now, and the caller keeps the event (firmware's
 * register is full; or a FIFO is, when nothing is dropped). */
bool fal_ep_pipe_offer(struct fal_ep_pipe *pipe, const struct fal_ep_event *event,
                       uint64_t now_ns);
/* Firmware writes the class of a kind. */
void fal_ep_pipe_write_class(struct fal_ep_pipe *pipe, enum fal_ep_kind kind, uint32_t klass,
                             uint64_t now_ns);
/* Firmware takes over a flow, and gives it back. An override waits until the slice of the flow
 * is idle or busy; a flow without one gets a free slice. False: no slice is free. A release
 * waits until the processor of the slice has ended. */
bool fal_ep_pipe_override(struct fal_ep_pipe *pipe, uint32_t flow, uint64_t now_ns);
void fal_ep_pipe_release(struct fal_ep_pipe *pipe, uint32_t flow, uint64_t now_ns);

/* Does all that is due up to `now_ns`. Returns 0, or the error of the algorithm. */
MUST_USE int fal_ep_pipe_run(struct fal_ep_pipe *pipe, uint64_t now_ns);
/* When something is due next; FAL_EP_NEVER: nothing is before the next call. */
uint64_t fal_ep_pipe_due(const struct fal_ep_pipe *pipe);
/* Writes an event of the trace that lies outside of the pipeline (a burst at the port). */
void fal_ep_pipe_note(struct fal_ep_pipe *pipe, const struct fal_ep_event *event,
                      uint64_t now_ns);
const struct fal_ep_counts *fal_ep_pipe_counts(const struct fal_ep_pipe *pipe);

#endif
