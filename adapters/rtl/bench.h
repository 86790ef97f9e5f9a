/* SPDX-License-Identifier: Apache-2.0
 * bench.h - what surrounds the pipeline in simulation: senders and the network, processors with
 * an algorithm and a context store, firmware. They read and set the ports of ep_top.sv once a
 * cycle, and know nothing of the simulator (sim.cpp). All random choices follow from the seed.
 */
#ifndef EP_BENCH_H
#define EP_BENCH_H

#include "oracles/beyond/eventpipe.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EP_SLICES_MAX = 256 };

struct ep_options {
    uint64_t seed, cycles;
    uint32_t flows, contexts; /* contexts 0: one for each flow */
    const char *bug, *trace, *setup;
    bool judge; /* by libtalon, while it simulates */
};

/* The RTL was built with these. */
struct ep_rtl {
    uint32_t slices, tx_depth, rx_depth, clock_ns;
};

/* Inputs of the pipeline in a cycle. Times in ns. */
struct ep_in {
    bool tx_valid, rx_valid, fw_valid;
    struct fal_ep_event tx, rx, fw; /* of these: kind, flow, seq, bytes, t1_ns to t4_ns */
    bool class_write;
    enum fal_ep_kind class_kind;
    uint32_t class_value;
    bool seize, unseize; /* firmware takes a flow from its processor; releases a slice */
    uint32_t seize_flow, seized_slice;
    bool start_ready, done_valid, done_has_rate, done_rtt_request;
    uint32_t done_processor;
    uint64_t done_rate_bps, done_digest;
    bool rate_take;
};

/* Outputs in the same cycle, before the clock's edge. */
struct ep_out {
    uint64_t now_ns;
    bool tx_ready, rx_ready, fw_ready;
    bool seize_ready, unseize_ready;
    uint32_t seize_slice;
    bool start, done_ready;
    uint32_t start_processor, start_flow, start_class;
    uint64_t start_bytes, start_t1_ns, start_t4_ns;
    uint32_t done_flow;
    bool rate_valid, rate_rtt_request;
    uint32_t rate_flow;
    uint64_t rate_bps;
    bool idle; /* no event, processor, answer or override is left */
};

/* xorshift64*: the next number. `state` is never 0. */
uint64_t ep_random(uint64_t *state);
/* A number below `limit`, which is not 0. */
uint32_t ep_below(uint64_t *state, uint32_t limit);

/* The default configuration for RTL and options. */
void ep_setup_default(struct fal_ep_setup *setup, const struct ep_rtl *rtl,
                      const struct ep_options *options);
/* Writes it as a JSON object to a file. Returns 0, or -1 with errno. */
int ep_setup_write(const struct fal_ep_setup *setup, const struct ep_rtl *rtl,
                   const char *path);

struct ep_bench;
/* NULL: no memory. `setup` stays the caller's and must live as long. */
struct ep_bench *ep_bench_new(const struct fal_ep_setup *setup,
                              const struct ep_options *options);
void ep_bench_free(struct ep_bench *bench);
/* The inputs of the cycle at `now_ns`. When `quiet`, nothing new begins. */
void ep_bench_inputs(struct ep_bench *bench, uint64_t now_ns, bool quiet, struct ep_in *in);
/* Whether events wait that are not in the pipeline yet, or firmware has a slice. */
bool ep_bench_waits(const struct ep_bench *bench);
/* The bench reacts to the outputs, after the clock's edge. */
void ep_bench_outputs(struct ep_bench *bench, const struct ep_in *in, const struct ep_out *out);

/* ---- the parts of a bench ---- */
struct ep_network;
struct ep_network *ep_network_new(const struct fal_ep_setup *setup, uint32_t flows,
                                  uint64_t seed);
void ep_network_free(struct ep_network *network);
void ep_network_inputs(struct ep_network *network, uint64_t now_ns, bool quiet,
                       struct ep_in *in);
bool ep_network_waits(const struct ep_network *network);
void ep_network_outputs(struct ep_network *network, const struct ep_in *in,
                        const struct ep_out *out);

/* Contexts: `setup->contexts` of them are in the store, the others in slower memory. */
struct ep_store;
struct ep_store *ep_store_new(uint32_t entries, uint32_t flows);
void ep_store_free(struct ep_store *store);
struct ep_context {
    bool known; /* it was written before */
    uint64_t digest, rate_bps;
};
/* Reads the context of a flow for a processor, which is to write it; traces it. */
const struct ep_context *ep_store_read(struct ep_store *store, uint64_t now_ns, uint32_t flow,
                                       uint32_t processor);
void ep_store_write(struct ep_store *store, uint32_t flow, struct ep_context context);

struct ep_processors;
struct ep_processors *ep_processors_new(const struct fal_ep_setup *setup, uint32_t flows,
                                        uint64_t seed);
void ep_processors_free(struct ep_processors *processors);
void ep_processors_inputs(struct ep_processors *processors, uint64_t now_ns, struct ep_in *in);
void ep_processors_outputs(struct ep_processors *processors, const struct ep_in *in,
                           const struct ep_out *out);

struct ep_firmware;
struct ep_firmware *ep_firmware_new(uint32_t flows, uint64_t seed);
void ep_firmware_free(struct ep_firmware *firmware);
void ep_firmware_inputs(struct ep_firmware *firmware, bool quiet, struct ep_in *in);
bool ep_firmware_waits(const struct ep_firmware *firmware);
void ep_firmware_outputs(struct ep_firmware *firmware, const struct ep_in *in,
                         const struct ep_out *out);

/* ---- options ---- */
/* Reads them. Returns true; else *status is the program's: 0 after a help, 2 after an error. */
bool ep_options_read(int argc, char **argv, struct ep_options *options, int *status);
/* The number of a planted bug in bug_e (ep_pkg.sv); 0: none; -1: no such name. */
int ep_bug_number(const char *name);

#ifdef __cplusplus
}
#endif

#endif
