/* SPDX-License-Identifier: Apache-2.0
 * bench.h - flows of one logic over a small network, in virtual time: seeded loss, duplication,
 * reordering, marks and trimming, and, where a rate is given, one bottleneck with a queue.
 * Everything follows from the seed. Each event of the transport goes to a function of the
 * caller (oracles/beyond/transport.h). */
#ifndef FAL_ORACLES_LOGIC_BENCH_H
#define FAL_ORACLES_LOGIC_BENCH_H

#include "oracles/logic/receiver.h"
#include "oracles/logic/source.h"

struct fal_logic_net {
    uint32_t loss_ppm, dup_ppm, reorder_ppm, mark_ppm, trim_ppm; /* of segments */
    uint32_t reply_loss_ppm;
    uint64_t delay_ns;    /* one way */
    uint64_t jitter_ns;   /* at most, added to each packet's delay where it is reordered */
    uint64_t link_bps;    /* of the bottleneck; 0: there is none */
    uint32_t queue_bytes; /* above it segments are dropped, or trimmed where `trims` */
    uint32_t kmin_bytes, kmax_bytes, pmax_ppm; /* marks at the bottleneck */
    uint32_t
        pause_bytes; /* from that backlog on the bottleneck pauses all ports (PFC); 0: never */
    bool trims;
};

/* This takes the events; ctx is the caller's. */
struct fal_logic_sink {
    void (*event)(void *ctx, const struct fal_tp_event *event);
    void *ctx;
};

struct fal_logic_bench_config {
    const struct fal_logic *logic;
    struct fal_logic_config flow;
    struct fal_logic_receiver_config receiver;
    struct fal_logic_net net;
    const struct fal_logic_fault *fault; /* NULL: none */
    uint32_t flows;
    uint32_t hosts;      /* flows share so many ports in turn; 0: each has its own */
    uint64_t bytes;      /* of each flow; UINT64_MAX: it always has more */
    bool stream;         /* bursts with pauses; else messages */
    uint64_t wait_ns;    /* T of a stream */
    uint64_t spacing_ns; /* between the starts of flows */
    uint64_t seed;
    uint64_t end_ns;            /* no event after it */
    uint64_t most;              /* wake-ups and arrivals: the run ends then; 0: no limit */
    struct fal_logic_sink sink; /* function NULL: none */
    const bool *stop;           /* may be NULL; set by a callback: the run ends at once */
    void (*after)(void *ctx, uint32_t flow, const struct fal_logic_sender *s,
                  uint64_t now_ns); /* may be NULL: called when a sender was touched */
    void *ctx;                      /* of `after` */
};

/* The results of one flow. */
struct fal_logic_flow_count {
    bool done, given_up;
    uint64_t start_ns, done_ns;
    uint64_t sent, copies, timeouts; /* segments; of them again; expiries */
    uint64_t delivered, bytes;       /* to the user */
    uint64_t lost, trimmed, marked;  /* by the network */
};

struct fal_logic_bench;

/* Returns NULL when memory is out. `config` is copied, what it points to is the caller's. */
struct fal_logic_bench *fal_logic_bench_new(const struct fal_logic_bench_config *config);
void fal_logic_bench_free(struct fal_logic_bench *bench); /* NULL is allowed */
/* Runs until every flow is done, nothing can happen any more, or end_ns. Returns 0 or
 * FAL_ERR_MEM. */
int fal_logic_bench_run(struct fal_logic_bench *bench);
const struct fal_logic_flow_count *fal_logic_bench_count(const struct fal_logic_bench *bench,
                                                         uint32_t flow);
uint64_t fal_logic_bench_now(const struct fal_logic_bench *bench);

#endif
