/* SPDX-License-Identifier: Apache-2.0
 * processors.c - runs of the algorithm, and what their answers do [0047, 0077-0079, 0089-0092,
 * 0157]. */
#include "oracles/eventpipe/pipe_impl.h"

#include <string.h>

enum { TIMER_NS = 50000, TIMER_FLOWS = 8 };

/* As many processors as slices: each slice has its own. Otherwise any that is free. */
struct fal_ep_processor *fal_ep_processor_for(struct fal_ep_pipe *pipe, uint32_t slice)
{
    uint32_t n = pipe->config.setup.processors;

    if (n == pipe->config.setup.slices)
        return pipe->processors[slice].phase == FAL_EP_FREE ? &pipe->processors[slice] : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (pipe->processors[i].phase == FAL_EP_FREE)
            return &pipe->processors[i];
    return NULL;
}

static uint32_t number_of(const struct fal_ep_pipe *pipe, const struct fal_ep_processor *p)
{
    return (uint32_t)(p - pipe->processors);
}

static uint64_t flow_hash(uint32_t flow)
{
    struct fal_rng rng = {flow};

    return fal_rng_next(&rng) | 1;
}

static void work_line(struct fal_ep_pipe *pipe, const struct fal_ep_processor *p,
                      enum fal_ep_act act)
{
    struct fal_ep_event line = p->work;

    line.point = FAL_EP_CCP;
    line.act = act;
    line.slice = p->slice;
    line.processor = number_of(pipe, p);
    if (fal_ep_variant(pipe, FAL_EP_HASH))
        line.digest = flow_hash(line.flow);
    fal_ep_emit(pipe, line);
}

/* The context is there: the algorithm works on it for the service time. */
static void run(struct fal_ep_pipe *pipe, struct fal_ep_processor *p)
{
    uint32_t spread = pipe->config.service_spread_ns;
    uint32_t flow = p->work.flow;

    p->first = fal_ep_context_where(pipe, flow) == FAL_EP_NOWHERE;
    p->context = fal_ep_context_open(pipe, flow);
    p->phase = FAL_EP_RUNNING;
    p->due_ns = pipe->now_ns + pipe->config.service_ns +
                (spread > 0 ? fal_rng_below(&pipe->service, spread + 1) : 0);
}

static void begin_work(struct fal_ep_pipe *pipe, struct fal_ep_processor *p)
{
    work_line(pipe, p, FAL_EP_START);
    pipe->counts.runs++;
    if (fal_ep_context_where(pipe, p->work.flow) != FAL_EP_IN_MEMORY) {
        run(pipe, p);
        return;
    }
    p->phase = FAL_EP_LOADING;
    p->due_ns = pipe->now_ns + pipe->config.reload_ns;
}

/* The classes of a slice take turns. */
static unsigned class_of(const struct fal_ep_slice *slice)
{
    unsigned klass = slice->next_class % FAL_EP_KINDS;

    for (unsigned i = 0; i < FAL_EP_KINDS && (slice->pending >> klass & 1) == 0; i++)
        klass = (klass + 1) % FAL_EP_KINDS;
    return klass;
}

void fal_ep_processor_start(struct fal_ep_pipe *pipe, struct fal_ep_processor *p,
                            uint32_t number)
{
    struct fal_ep_slice *slice = &pipe->slices[number];
    unsigned klass = class_of(slice);

    p->slice = number;
    p->has_work = slice->pending != 0;
    slice->runs = true;
    if (!p->has_work) { /* a planted bug has lost its events: there is nothing to do */
        p->phase = FAL_EP_RUNNING;
        p->due_ns = pipe->now_ns + pipe->config.service_ns;
        return;
    }
    p->work = slice->entries[klass];
    p->work.klass = klass;
    if (fal_ep_fault(pipe, FAL_EP_MERGE_ACROSS_FLOWS))
        p->work.flow = slice->flow;
    slice->pending &= ~(UINT32_C(1) << klass);
    slice->next_class = klass + 1;
    begin_work(pipe, p);
}

/* ---- answers ---- */

static void queue_rate(struct fal_ep_pipe *pipe, uint32_t flow,
                       const struct fal_ep_answer *answer)
{
    struct fal_ep_rates *rates = &pipe->rates;
    uint32_t at;

    if (rates->count == FAL_EP_RATES)
        fal_ep_rates_due(pipe);
    at = (rates->head + rates->count++) % FAL_EP_RATES;
    rates->ring[at].due_ns = pipe->now_ns + pipe->config.rate_ns;
    rates->ring[at].flow = flow;
    rates->ring[at].answer = *answer;
}

static void answer_line(struct fal_ep_pipe *pipe, uint32_t flow, uint32_t slice,
                        uint32_t processor, const struct fal_ep_answer *answer)
{
    if (answer->rate_bps > 0)
        pipe->rate_of[flow] = answer->rate_bps;
    pipe->counts.answers++;
    fal_ep_emit(pipe, (struct fal_ep_event){.point = FAL_EP_RATE,
                                            .flow = flow,
                                            .slice = slice,
                                            .processor = processor,
                                            .rate_bps = answer->rate_bps,
                                            .rtt_request = answer->rtt_request});
    queue_rate(pipe, flow, answer);
}

/* The first answer of a new flow [0089]. */
static void first_answer(const struct fal_ep_pipe *pipe, struct fal_ep_answer *answer)
{
    answer->rate_bps = pipe->config.setup.default_rate_bps;
    answer->rtt_request = !fal_ep_fault(pipe, FAL_EP_NEW_FLOW_WITHOUT_RTT);
    if (fal_ep_fault(pipe, FAL_EP_NEW_FLOW_AT_LINE_RATE))
        answer->rate_bps *= 10;
}

/* At most an eighth up or down from the last rate. */
static void in_steps(const struct fal_ep_pipe *pipe, uint32_t flow,
                     struct fal_ep_answer *answer)
{
    uint64_t last = pipe->rate_of[flow];

    if (last == 0 || answer->rate_bps == 0)
        return;
    if (answer->rate_bps > last + last / 8)
        answer->rate_bps = last + last / 8;
    else if (answer->rate_bps < last - last / 8)
        answer->rate_bps = last - last / 8;
}

static void give_answer(struct fal_ep_pipe *pipe, const struct fal_ep_processor *p,
                        struct fal_ep_answer answer)
{
    uint32_t flow = pipe->slices[p->slice].flow; /* read from the flow map [0157] */

    if (p->first)
        first_answer(pipe, &answer);
    else if (fal_ep_variant(pipe, FAL_EP_RATE_IN_STEPS))
        in_steps(pipe, flow, &answer);
    if (fal_ep_strikes(pipe, FAL_EP_ANSWER_WITHOUT_EVENT, 16)) {
        const struct fal_ep_answer other = {.rate_bps = 1000000};
        uint32_t last = pipe->config.flows - 1; /* a world has flows that never send */

        answer_line(pipe, last, p->slice, number_of(pipe, p), &other);
    }
    if (answer.rate_bps == 0 && !answer.rtt_request)
        return;
    if (fal_ep_strikes(pipe, FAL_EP_RATE_TO_WRONG_FLOW, 8))
        flow = (flow + 1) % pipe->config.flows;
    answer_line(pipe, flow, p->slice, number_of(pipe, p), &answer);
}

void fal_ep_rates_due(struct fal_ep_pipe *pipe)
{
    struct fal_ep_rates *rates = &pipe->rates;
    uint32_t at = rates->head;

    rates->head = (at + 1) % FAL_EP_RATES;
    rates->count--;
    if (pipe->config.transmit != NULL)
        pipe->config.transmit(pipe->config.ctx, rates->ring[at].flow, &rates->ring[at].answer,
                              pipe->now_ns);
}

/* Rates of flows that have one grow by a twentieth, some flows at a time. The processor of such
 * an answer is none: the number after the last. */
void fal_ep_timer_due(struct fal_ep_pipe *pipe)
{
    pipe->timer_ns = pipe->now_ns + TIMER_NS;
    for (unsigned i = 0; i < TIMER_FLOWS; i++) {
        uint32_t flow = pipe->timer_flow;
        struct fal_ep_answer answer = {.rate_bps = pipe->rate_of[flow] / 20 * 21};

        pipe->timer_flow = (flow + 1) % pipe->config.flows;
        if (answer.rate_bps > 0 && pipe->slice_of[flow] == 0)
            answer_line(pipe, flow, 0, pipe->config.setup.processors, &answer);
    }
}

/* ---- the end of a phase ---- */

static void end_run(struct fal_ep_pipe *pipe, struct fal_ep_processor *p)
{
    struct fal_ep_answer answer = {.rate_bps = 0};
    uint8_t bytes[FAL_EP_CONTEXT_MAX];

    memcpy(bytes, fal_ep_context_bytes(pipe, p->context), sizeof bytes);
    pipe->error = pipe->config.algorithm.run(pipe->config.algorithm.ctx, p->first, bytes,
                                             &p->work, &answer);
    if (pipe->error != 0)
        return;
    fal_ep_context_write(pipe, p->context, bytes);
    give_answer(pipe, p, answer);
    work_line(pipe, p, FAL_EP_END);
    fal_ep_answered(pipe);
}

void fal_ep_processor_due(struct fal_ep_pipe *pipe, struct fal_ep_processor *p)
{
    if (p->phase == FAL_EP_LOADING) {
        run(pipe, p);
        return;
    }
    if (p->has_work)
        end_run(pipe, p);
    if (pipe->error != 0)
        return;
    p->phase = FAL_EP_FREE;
    fal_ep_slices_done(pipe, p->slice);
}
