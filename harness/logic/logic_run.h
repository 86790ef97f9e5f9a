/* SPDX-License-Identifier: Apache-2.0
 * logic_run.h - the actions of `talon logic`. */
#ifndef TL_HARNESS_LOGIC_LOGIC_RUN_H
#define TL_HARNESS_LOGIC_LOGIC_RUN_H

#include "codecs/base/error.h"
#include "harness/doc/options.h"
#include "harness/logic/logic_subject.h"
#include "oracles/beyond/engine.h"
#include "oracles/logic/bench.h"

/* The command line. */
struct tl_logic_command {
    struct tl_texts words; /* the action, and what it works on */
    const char *fault, *variant, *events;
    uint64_t seed, count, bytes, flows, hosts, time_ns, rate_bps, timeout;
    uint64_t delay_ns;
    struct fal_logic_net net;
    bool net_given; /* one of loss, duplicates, ...: the network is not drawn */
    bool lossless;  /* the bottleneck pauses its senders */
    bool quiet, delay_given, judge;
};

/* The seam for whoever judges the events of `run`: each transfer is begun with what is declared
 * of it, then its events come, then its end with the time at which the observation ended. A
 * transfer has a flow number of its own, and its times follow those of the transfer before. */
struct tl_logic_judge {
    void *ctx;
    int (*begin)(void *ctx, uint32_t flow, const struct fal_tp_row *row, struct fal_error *err);
    void (*event)(void *ctx, const struct fal_tp_event *event);
    void (*end)(void *ctx, uint32_t flow, uint64_t now_ns);
    int (*report)(void *ctx); /* prints, after all transfers; returns the exit status */
};

/* The same seam for the events of `engine` (oracles/beyond/engine.h). */
struct tl_logic_engine_judge {
    void *ctx;
    int (*begin)(void *ctx, const struct fal_en_setup *setup, struct fal_error *err);
    void (*event)(void *ctx, const struct fal_en_event *event);
    int (*report)(void *ctx); /* prints; returns the exit status */
};

/* The subject of a command: the logic, its fault and its variant. */
struct tl_logic_plan {
    struct tl_logic_subject subject;
    const struct fal_logic_fault *fault;
    struct fal_logic_setup setup;
};

/* Reads the words of the command. Returns 0 or an error with `err`. */
MUST_USE int tl_logic_plan_open(struct tl_logic_plan *plan, const struct tl_logic_command *c,
                                struct fal_error *err);
void tl_logic_plan_close(struct tl_logic_plan *plan);

/* Each returns the exit status; errors are printed. `judge` may be NULL. */
int tl_logic_list(void);
int tl_logic_run(const struct tl_logic_command *c, const struct tl_logic_judge *judge);
int tl_logic_lab(const struct tl_logic_command *c);
int tl_logic_engine(const struct tl_logic_command *c,
                    const struct tl_logic_engine_judge *judge);

#endif
