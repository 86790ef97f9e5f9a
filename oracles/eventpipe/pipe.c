/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/eventpipe/pipe.h"

#include "oracles/eventpipe/pipe_impl.h"

#include <stdlib.h>

void fal_ep_emit(struct fal_ep_pipe *pipe, struct fal_ep_event event)
{
    event.at_ns = pipe->now_ns;
    event.number = ++pipe->counts.lines;
    if (pipe->config.trace != NULL)
        pipe->config.trace(pipe->config.ctx, &event);
}

void fal_ep_pipe_note(struct fal_ep_pipe *pipe, const struct fal_ep_event *event,
                      uint64_t now_ns)
{
    pipe->now_ns = now_ns;
    fal_ep_emit(pipe, *event);
}

void fal_ep_answered(struct fal_ep_pipe *pipe)
{
    if (pipe->unanswered > 0)
        pipe->unanswered--;
}

/* ---- the beginning ---- */

static int check_sizes(const struct fal_ep_pipe_config *c, struct fal_error *err)
{
    const struct fal_ep_setup *s = &c->setup;

    if (s->slices < 1 || s->slices > FAL_EP_SLICES_MAX || s->processors < 1 ||
        s->processors > s->slices)
        return fal_fail(err, FAL_ERR_RANGE,
                        "expected 1 to %d slices, and at most as many processors; found %u "
                        "and %u",
                        FAL_EP_SLICES_MAX, s->slices, s->processors);
    if (c->flows < 1 || c->flows > FAL_EP_FLOWS_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "expected 1 to %d flows, found %u",
                        FAL_EP_FLOWS_MAX, c->flows);
    if (s->contexts > 0 && (s->contexts <= s->slices || s->contexts > FAL_EP_FLOWS_MAX))
        return fal_fail(err, FAL_ERR_RANGE, "expected more contexts than slices (%u), found %u",
                        s->slices, s->contexts);
    for (unsigned i = 0; i < 2; i++)
        if (s->fifo_depth[i] < 1 || s->fifo_depth[i] > FAL_EP_FIFO_MAX)
            return fal_fail(err, FAL_ERR_RANGE, "expected FIFOs of 1 to %d events, found %u",
                            FAL_EP_FIFO_MAX, s->fifo_depth[i]);
    if (c->cycle_ns < 1 || c->algorithm.run == NULL ||
        c->algorithm.context_bytes > FAL_EP_CONTEXT_MAX)
        return fal_fail(err, FAL_ERR_RANGE,
                        "expected a cycle of at least 1 ns, and an algorithm with a context "
                        "of at most %d bytes",
                        FAL_EP_CONTEXT_MAX);
    return 0;
}

static int check_kinds(const struct fal_ep_pipe_config *c, struct fal_error *err)
{
    const struct fal_ep_setup *s = &c->setup;

    for (unsigned k = 0; k < FAL_EP_KINDS; k++) {
        if (s->classes[k] >= FAL_EP_CLASSES && (c->variants >> FAL_EP_NO_MAPPER & 1) == 0)
            return fal_fail(err, FAL_ERR_RANGE, "kind %u: expected a class below %d, found %u",
                            k, FAL_EP_CLASSES, s->classes[k]);
        if (s->th1[k] > s->th2[k])
            return fal_fail(err, FAL_ERR_RANGE,
                            "kind %u: expected thresholds in order, found %u and %u", k,
                            s->th1[k], s->th2[k]);
    }
    return 0;
}

static int begin(struct fal_ep_pipe *pipe)
{
    uint32_t flows = pipe->config.flows;

    pipe->slice_of = calloc(flows, sizeof *pipe->slice_of);
    pipe->rate_of = calloc(flows, sizeof *pipe->rate_of);
    pipe->carried = pipe->config.carry ? calloc(flows, sizeof *pipe->carried) : NULL;
    if (pipe->slice_of == NULL || pipe->rate_of == NULL ||
        (pipe->config.carry && pipe->carried == NULL))
        return FAL_ERR_MEM;
    return fal_ep_queues_begin(pipe) == 0 ? fal_ep_contexts_begin(pipe) : FAL_ERR_MEM;
}

int fal_ep_pipe_new(struct fal_ep_pipe **out, const struct fal_ep_pipe_config *config,
                    struct fal_error *err)
{
    struct fal_ep_pipe *pipe;

    *out = NULL;
    if (check_sizes(config, err) != 0 || check_kinds(config, err) != 0)
        return FAL_ERR_RANGE;
    pipe = calloc(1, sizeof *pipe);
    if (pipe == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    pipe->config = *config;
    pipe->wred = fal_rng_split(config->seed, 1);
    pipe->map = fal_rng_split(config->seed, 2);
    pipe->service = fal_rng_split(config->seed, 3);
    pipe->odd = fal_rng_split(config->seed, 4);
    for (unsigned k = 0; k < FAL_EP_KINDS; k++)
        pipe->classes[k] = config->setup.classes[k];
    if (begin(pipe) != 0) {
        fal_ep_pipe_free(pipe);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    *out = pipe;
    return 0;
}

void fal_ep_pipe_free(struct fal_ep_pipe *pipe)
{
    if (pipe == NULL)
        return;
    for (unsigned q = 0; q <= FAL_EP_FW_REGISTER; q++)
        free(pipe->fifos[q].ring);
    fal_ep_contexts_free(pipe);
    free(pipe->slice_of);
    free(pipe->rate_of);
    free(pipe->carried);
    free(pipe);
}

const struct fal_ep_counts *fal_ep_pipe_counts(const struct fal_ep_pipe *pipe)
{
    return &pipe->counts;
}

void fal_ep_pipe_write_class(struct fal_ep_pipe *pipe, enum fal_ep_kind kind, uint32_t klass,
                             uint64_t now_ns)
{
    pipe->now_ns = now_ns;
    if (fal_ep_variant(pipe, FAL_EP_NO_MAPPER))
        return;
    fal_ep_emit(pipe,
                (struct fal_ep_event){
                    .point = FAL_EP_TABLE, .act = FAL_EP_WRITE, .kind = kind, .klass = klass});
    if (!fal_ep_fault(pipe, FAL_EP_CLASS_WRITE_IGNORED))
        pipe->classes[kind] = klass;
}

/* ---- time ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t fal_ep_pipe_due(const struct fal_ep_pipe *pipe)
{
    uint64_t due = FAL_EP_NEVER;

    if (pipe->error != 0)
        return FAL_EP_NEVER;
    if (fal_ep_queues_ready(pipe))
        due = later(pipe->select_ns, pipe->now_ns);
    if (fal_ep_slices_ready(pipe))
        due = earlier(due, later(pipe->grant_ns, pipe->now_ns));
    for (uint32_t i = 0; i < pipe->config.setup.processors; i++)
        if (pipe->processors[i].phase != FAL_EP_FREE)
            due = earlier(due, pipe->processors[i].due_ns);
    if (pipe->rates.count > 0)
        due = earlier(due, pipe->rates.ring[pipe->rates.head].due_ns);
    if (fal_ep_variant(pipe, FAL_EP_RATE_BY_TIMER))
        due = earlier(due, pipe->timer_ns);
    return due;
}

/* Does all that is due at the present time. */
static void step(struct fal_ep_pipe *pipe)
{
    uint64_t now = pipe->now_ns;

    for (uint32_t i = 0; i < pipe->config.setup.processors; i++) {
        struct fal_ep_processor *p = &pipe->processors[i];

        if (p->phase != FAL_EP_FREE && p->due_ns <= now)
            fal_ep_processor_due(pipe, p);
        if (pipe->error != 0)
            return;
    }
    while (pipe->rates.count > 0 && pipe->rates.ring[pipe->rates.head].due_ns <= now)
        fal_ep_rates_due(pipe);
    if (fal_ep_variant(pipe, FAL_EP_RATE_BY_TIMER) && pipe->timer_ns <= now)
        fal_ep_timer_due(pipe);
    if (pipe->grant_ns <= now && fal_ep_slices_ready(pipe)) {
        fal_ep_slices_grant(pipe);
        pipe->grant_ns = now + pipe->config.cycle_ns;
    }
    if (pipe->select_ns <= now && fal_ep_queues_ready(pipe)) {
        fal_ep_queues_select(pipe);
        pipe->select_ns = now + pipe->config.cycle_ns;
    }
}

int fal_ep_pipe_run(struct fal_ep_pipe *pipe, uint64_t now_ns)
{
    uint64_t due;

    while (pipe->error == 0 && (due = fal_ep_pipe_due(pipe)) <= now_ns) {
        pipe->now_ns = due;
        step(pipe);
    }
    if (pipe->now_ns < now_ns)
        pipe->now_ns = now_ns;
    return pipe->error;
}
