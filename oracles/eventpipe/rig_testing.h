/* SPDX-License-Identifier: Apache-2.0
 * rig_testing.h - a pipeline for tests: its trace is kept, and its algorithm answers as the
 * test says. */
#ifndef FAL_ORACLES_EVENTPIPE_RIG_TESTING_H
#define FAL_ORACLES_EVENTPIPE_RIG_TESTING_H

#include "oracles/eventpipe/pipe.h"
#include "tests/testing.h"

#include <string.h>

enum { RIG_LINES = 4096, RIG_SERVICE_NS = 100, RIG_CYCLE_NS = 10 };

struct rig {
    struct fal_ep_pipe_config config;
    struct fal_ep_pipe *pipe;
    struct fal_ep_event lines[RIG_LINES];
    size_t count;
    struct fal_ep_answer answer; /* of each run but the first of a flow */
    int error;
    uint64_t now_ns;
    uint32_t applied; /* answers that reached the sender */
};

static inline void rig_trace(void *ctx, const struct fal_ep_event *event)
{
    struct rig *rig = ctx;

    ck_assert_uint_lt(rig->count, RIG_LINES);
    rig->lines[rig->count++] = *event;
}

static inline int rig_run(void *ctx, bool first, void *context,
                          const struct fal_ep_event *event, struct fal_ep_answer *answer)
{
    struct rig *rig = ctx;
    uint8_t *runs = context;

    (void)event;
    ck_assert_int_eq(*runs == 0, first);
    ++*runs;
    *answer = rig->answer;
    return rig->error;
}

static inline void rig_transmit(void *ctx, uint32_t flow, const struct fal_ep_answer *answer,
                                uint64_t now_ns)
{
    (void)flow;
    (void)answer;
    (void)now_ns;
    ((struct rig *)ctx)->applied++;
}

/* A configuration that the test may change before rig_open. */
static inline void rig_begin(struct rig *rig, uint32_t slices)
{
    memset(rig, 0, sizeof *rig);
    rig->config = (struct fal_ep_pipe_config){.setup = {.slices = slices,
                                                        .processors = slices,
                                                        .classes = {0, 1, 2, 3, 4, 0, 4},
                                                        .fifo_depth = {16, 16},
                                                        .contexts = slices + 1,
                                                        .default_rate_bps = 1000000000},
                                              .seed = 1,
                                              .flows = 8,
                                              .cycle_ns = RIG_CYCLE_NS,
                                              .service_ns = RIG_SERVICE_NS,
                                              .reload_ns = 50,
                                              .algorithm = {rig, 1, rig_run},
                                              .trace = rig_trace,
                                              .transmit = rig_transmit,
                                              .ctx = rig};
}

static inline void rig_open(struct rig *rig)
{
    struct fal_error err = {{0}};

    ck_assert_msg(fal_ep_pipe_new(&rig->pipe, &rig->config, &err) == 0, "%s", err.text);
}

static inline void rig_to(struct rig *rig, uint64_t now_ns)
{
    rig->now_ns = now_ns;
    ck_assert_int_eq(fal_ep_pipe_run(rig->pipe, now_ns), rig->error);
}

static inline bool rig_offer(struct rig *rig, enum fal_ep_kind kind, uint32_t flow,
                             uint64_t seq)
{
    const struct fal_ep_event event = {.kind = kind, .flow = flow, .seq = seq, .bytes = 100};

    return fal_ep_pipe_offer(rig->pipe, &event, rig->now_ns);
}

/* The n-th line of the point and act; NULL: there is none. */
static inline const struct fal_ep_event *rig_nth(const struct rig *rig, enum fal_ep_point point,
                                                 enum fal_ep_act act, size_t n)
{
    for (size_t i = 0; i < rig->count; i++)
        if (rig->lines[i].point == point && rig->lines[i].act == act && n-- == 0)
            return &rig->lines[i];
    return NULL;
}

static inline size_t rig_count(const struct rig *rig, enum fal_ep_point point,
                               enum fal_ep_act act)
{
    size_t n = 0;

    while (rig_nth(rig, point, act, n) != NULL)
        n++;
    return n;
}

/* The states that a slice went through: "IABI". */
static inline void rig_states(const struct rig *rig, uint32_t slice, char out[64])
{
    static const char letters[] = "IABMOP"; /* idle arb busy more_a override more_b */
    size_t n = 0;

    for (size_t i = 0; i < rig->count && n < 62; i++)
        if (rig->lines[i].point == FAL_EP_SLICE && rig->lines[i].slice == slice)
            out[n++] = letters[rig->lines[i].to];
    out[n] = 0;
}

#endif
