/* SPDX-License-Identifier: Apache-2.0
 * engine.c - see engine.h: the cycle and the sets. */
#include "oracles/logic/engine.h"

#include "codecs/base/error.h"
#include "oracles/logic/engine_impl.h"

#include <assert.h>
#include <stdlib.h>

static const struct fal_logic_engine_fault_row faults[] = {
    {FAL_LOGIC_RING_OVERRUN, "ring-overrun", "K11",
     "an address is generated although the ring of the flow is full"},
    {FAL_LOGIC_FLOW_NEVER_BACK, "flow-never-back", "K11",
     "a flow whose full ring becomes free is not put back into the active set"},
    {FAL_LOGIC_MERGE_LOSES_ONE, "merge-loses-one", "K12",
     "when a flow generates and transmits in one cycle, the transmission is not counted"},
    {FAL_LOGIC_RATE_COARSE, "rate-coarse", "K14", "rates are whole bytes a cycle"},
};

const struct fal_logic_engine_fault_row *fal_logic_engine_faults(size_t *n)
{
    *n = sizeof faults / sizeof *faults;
    return faults;
}

struct fal_en_setup fal_logic_engine_usual(void)
{
    return (struct fal_en_setup){.cycle_ns = 10,
                                 .ring = 8,
                                 .flows = 2048,
                                 .latency_cycles = 10,
                                 .rate_error_ppm = 100,
                                 .user_priority = true};
}

uint64_t fal_logic_engine_now_ns(const struct fal_logic_engine *e)
{
    return e->cycle * e->config.setup.cycle_ns;
}

uint64_t fal_logic_engine_cycle(const struct fal_logic_engine *e)
{
    return e->cycle;
}

const struct fal_logic_sender *fal_logic_engine_flow(const struct fal_logic_engine *e,
                                                     uint32_t flow)
{
    return &e->flows[flow].sender;
}

void fal_logic_engine_tell(struct fal_logic_engine *e, struct fal_en_event *event)
{
    event->cycle = e->cycle;
    event->number = ++e->number;
    if (e->config.sink.event != NULL)
        e->config.sink.event(e->config.sink.ctx, event);
}

/* ---- begin and end ---- */

struct fal_logic_engine *fal_logic_engine_new(const struct fal_logic_engine_config *config)
{
    struct fal_logic_engine *e = calloc(1, sizeof *e);
    uint32_t flows = config->setup.flows;

    assert(config->setup.ring > 0 && config->setup.ring <= FAL_LOGIC_RING_MAX && flows > 0);
    if (e == NULL)
        return NULL;
    e->config = *config;
    e->cycle = 1;
    e->flows = calloc(flows, sizeof *e->flows);
    e->touched = calloc(flows, sizeof *e->touched);
    for (unsigned i = 0; i < 2; i++) {
        e->sets[i].room = flows;
        e->sets[i].flows = calloc(flows, sizeof *e->sets[i].flows);
    }
    if (e->flows != NULL && e->touched != NULL && e->sets[0].flows != NULL &&
        e->sets[1].flows != NULL)
        return e;
    fal_logic_engine_free(e);
    return NULL;
}

void fal_logic_engine_free(struct fal_logic_engine *e)
{
    if (e == NULL)
        return;
    fal_logic_agenda_free(&e->wakes);
    free(e->queue);
    free(e->touched);
    free(e->sets[0].flows);
    free(e->sets[1].flows);
    free(e->flows);
    free(e);
}

/* ---- sets ---- */

static void push(struct fal_logic_engine *e, enum fal_en_set which, uint32_t flow)
{
    struct fal_logic_set *set = &e->sets[which];

    set->flows[(set->head + set->num++) % set->room] = flow;
    fal_logic_engine_tell(
        e, &(struct fal_en_event){.kind = FAL_EN_PUSH, .flow = flow, .set = which});
}

/* Returns false when the set is empty. */
static bool pop(struct fal_logic_engine *e, enum fal_en_set which, uint32_t *flow)
{
    struct fal_logic_set *set = &e->sets[which];

    if (set->num == 0)
        return false;
    *flow = set->flows[set->head];
    set->head = (set->head + 1) % set->room;
    set->num--;
    fal_logic_engine_tell(
        e, &(struct fal_en_event){.kind = FAL_EN_POP, .flow = *flow, .set = which});
    return true;
}

/* ---- credit ---- */

static uint64_t most_credit(const struct fal_logic_engine *e, const struct fal_logic_en_flow *f)
{
    const struct fal_logic_config *config = &e->config.flow;
    uint64_t bytes = config->burst_bytes > config->segment_bytes ? config->burst_bytes
                                                                 : config->segment_bytes;

    return bytes << f->rate.shift;
}

/* The credit as it is in this cycle, in the precision of the rate of now. */
static void count_credit(struct fal_logic_engine *e, struct fal_logic_en_flow *f)
{
    uint64_t cycles = e->cycle - f->credit_cycle, most = most_credit(e, f), whole;

    if (e->config.logic->credit != FAL_LOGIC_BY_RATE)
        return;
    f->credit_cycle = e->cycle;
    if (f->rate.bytes != 0 && cycles > (most - f->credit) / f->rate.bytes)
        f->credit = most;
    else
        f->credit += cycles * f->rate.bytes;
    if (f->rate_bps == f->sender.flow.rate_bps)
        return;
    whole = f->credit >> f->rate.shift;
    f->rate_bps = f->sender.flow.rate_bps;
    f->rate = fal_logic_rate_of(f->rate_bps, e->config.setup.cycle_ns,
                                e->config.fault == FAL_LOGIC_RATE_COARSE);
    f->credit = whole << f->rate.shift;
    f->wake_cycle = 0;
    fal_logic_engine_tell(e, &(struct fal_en_event){.kind = FAL_EN_RATE,
                                                    .flow = (uint32_t)(f - e->flows),
                                                    .rate_bps = f->rate_bps});
}

/* Returns true if the oldest address may be transmitted; if not, *wait: cycles until it may. */
static bool has_credit(struct fal_logic_engine *e, struct fal_logic_en_flow *f, uint64_t *wait)
{
    uint64_t needed;

    *wait = UINT64_MAX;
    if (f->num == 0)
        return false;
    if (e->config.logic->credit == FAL_LOGIC_BY_TOKENS)
        return f->sender.flow.tokens > 0;
    if (e->config.logic->credit != FAL_LOGIC_BY_RATE)
        return true;
    count_credit(e, f);
    needed = (uint64_t)f->ring[f->head].bytes << f->rate.shift;
    if (f->credit >= needed)
        return true;
    *wait = fal_logic_rate_wait(f->rate, needed - f->credit);
    return false;
}

/* ---- the end of a cycle ---- */

void fal_logic_engine_touch(struct fal_logic_engine *e, uint32_t flow)
{
    if (!e->flows[flow].touched)
        e->touched[e->num_touched++] = flow;
    e->flows[flow].touched = true;
}

static bool has_work(struct fal_logic_en_flow *f)
{
    uint32_t id;

    return !f->sender.given_up && fal_logic_pick(&f->sender, &id) == FAL_LOGIC_GO;
}

static void set_wake(struct fal_logic_engine *e, struct fal_logic_en_flow *f, uint64_t wait)
{
    const struct fal_logic_entry entry = {.at_ns = e->cycle + wait,
                                          .flow = (uint32_t)(f - e->flows)};

    if (wait == UINT64_MAX || f->wake_cycle != 0)
        return;
    f->wake_cycle = entry.at_ns;
    if (fal_logic_agenda_add(&e->wakes, &entry) != 0)
        e->error = FAL_ERR_MEM;
}

/* Puts a touched flow into the sets where it belongs, and reports it. */
static void settle(struct fal_logic_engine *e, uint32_t flow)
{
    struct fal_logic_en_flow *f = &e->flows[flow];
    uint32_t full = e->config.setup.ring, ring = f->sender.flow.outstanding;
    bool work = has_work(f), credit, room = ring < full;
    uint64_t wait;

    f->touched = false;
    if (e->config.fault == FAL_LOGIC_RING_OVERRUN)
        room = f->num <= full;
    f->stuck |= e->config.fault == FAL_LOGIC_FLOW_NEVER_BACK && ring >= full;
    work &= !f->stuck;
    if (work && room && !f->active) {
        f->active = true;
        push(e, FAL_EN_ACTIVE, flow);
    }
    credit = has_credit(e, f, &wait);
    if (credit && !f->ready) {
        f->ready = true;
        f->wake_cycle = 0;
        push(e, FAL_EN_READY, flow);
    } else if (!credit) {
        set_wake(e, f, wait);
    }
    fal_logic_engine_tell(e, &(struct fal_en_event){.kind = FAL_EN_STATE,
                                                    .flow = flow,
                                                    .work = has_work(f),
                                                    .credit = credit,
                                                    .outstanding = ring,
                                                    .active = f->active,
                                                    .ready = f->ready,
                                                    .wake_cycle = f->wake_cycle});
}

/* ---- the modules ---- */

static struct fal_logic_job *job(struct fal_logic_engine *e, uint32_t flow,
                                 enum fal_en_writer writer)
{
    struct fal_logic_job *j = &e->jobs[e->num_jobs++];

    j->flow = flow;
    j->writer = writer;
    j->has_cum = j->timeout = false;
    j->after = e->flows[flow].sender;
    j->after.flow.config = &e->flows[flow].sender.config;
    fal_logic_engine_touch(e, flow);
    return j;
}

/* Stage 2 of the feedback of the last cycle, then stage 1 of the next. */
static void incoming(struct fal_logic_engine *e)
{
    struct fal_logic_job *j = NULL;
    const struct fal_logic_feedback *next = NULL;

    if (e->staged) {
        j = job(e, e->staged_flow, FAL_EN_BY_INCOMING);
        j->has_cum = e->staged_cum;
        e->config.logic->incoming(&j->after.flow, &e->staged_in);
        fal_logic_engine_tell(e, &(struct fal_en_event){.kind = FAL_EN_INCOMING,
                                                        .flow = e->staged_flow,
                                                        .since = e->staged_cycle});
        e->staged = false;
    }
    if (e->queue_num == 0)
        return;
    next = &e->queue[e->queue_head];
    if (j == NULL || j->flow != next->flow)
        j = job(e, next->flow, FAL_EN_BY_INCOMING);
    e->staged =
        fal_logic_stage_one(&j->after, &next->reply, fal_logic_engine_now_ns(e), &e->staged_in);
    j->has_cum |= next->reply.has_cum;
    e->staged_flow = next->flow;
    e->staged_cum = next->reply.has_cum;
    e->staged_cycle = e->cycle;
    e->queue_head = (e->queue_head + 1) % e->queue_room;
    e->queue_num--;
}

static bool due(const struct fal_logic_flow *flow, uint64_t now_ns)
{
    return (flow->tick_ns != 0 && flow->tick_ns <= now_ns) ||
           (flow->tick_bytes != 0 && flow->sent_bytes >= flow->tick_bytes);
}

static void periodic(struct fal_logic_engine *e)
{
    uint64_t now_ns = fal_logic_engine_now_ns(e);
    struct fal_logic_in in = {.now_ns = now_ns};
    const struct fal_logic_flow *flow = &e->flows[e->turn].sender.flow;
    uint32_t number = e->turn;
    struct fal_logic_job *j;
    bool timeout = flow->rtx_timer_ns != 0 && flow->rtx_timer_ns <= now_ns;

    e->turn = (e->turn + 1) % e->config.setup.flows;
    if (!e->flows[number].added || (!timeout && !due(flow, now_ns)))
        return;
    j = job(e, number, FAL_EN_BY_PERIODIC);
    j->timeout = timeout;
    in.cum = in.old_start = flow->wnd_start;
    if (timeout) {
        in.kind = FAL_LOGIC_TIMEOUT;
        j->after.flow.rtx_timer_ns = 0;
    } else {
        in.kind = FAL_LOGIC_TICK;
        j->after.flow.tick_ns = j->after.flow.tick_bytes = 0;
    }
    e->config.logic->periodic(&j->after.flow, &in);
    fal_logic_engine_tell(
        e, &(struct fal_en_event){.kind = FAL_EN_PERIODIC, .flow = number, .timeout = timeout});
}

static void tell_address(struct fal_logic_engine *e, enum fal_en_kind kind, uint32_t flow,
                         const struct fal_logic_address *a)
{
    fal_logic_engine_tell(e, &(struct fal_en_event){.kind = kind,
                                                    .flow = flow,
                                                    .seg = a->id - e->flows[flow].sender.first,
                                                    .offset = a->offset,
                                                    .bytes = a->bytes,
                                                    .copy = a->copy,
                                                    .since = a->cycle});
}

static void generate(struct fal_logic_engine *e)
{
    struct fal_logic_en_flow *f;
    struct fal_logic_address *a;
    struct fal_logic_job *j;
    uint32_t flow, id;

    if (!pop(e, FAL_EN_ACTIVE, &flow))
        return;
    f = &e->flows[flow];
    f->active = false;
    fal_logic_engine_touch(e, flow);
    if (fal_logic_pick(&f->sender, &id) != FAL_LOGIC_GO) /* the window has closed since */
        return;
    j = job(e, flow, FAL_EN_BY_GENERATE);
    fal_logic_generated(&j->after, id);
    j->after.flow.outstanding++;
    a = &f->ring[(f->head + f->num++) % (2 * FAL_LOGIC_RING_MAX)];
    *a = (struct fal_logic_address){.id = id,
                                    .copy = j->after.flow.rtx_cnt[id % FAL_LOGIC_WINDOW],
                                    .bytes = fal_logic_bytes(&f->sender, id),
                                    .offset = f->offsets[id % FAL_LOGIC_WINDOW],
                                    .cycle = e->cycle};
    tell_address(e, FAL_EN_GENERATE, flow, a);
}

/* The flow is the first of the ready set: its oldest address leaves. */
static void transmit(struct fal_logic_engine *e)
{
    struct fal_logic_en_flow *f;
    struct fal_logic_address a;
    struct fal_logic_job *j;
    uint32_t flow;
    uint64_t wait;

    if (!pop(e, FAL_EN_READY, &flow))
        return;
    f = &e->flows[flow];
    f->ready = false;
    fal_logic_engine_touch(e, flow);
    if (!has_credit(e, f, &wait))
        return;
    a = f->ring[f->head];
    f->head = (f->head + 1) % (2 * FAL_LOGIC_RING_MAX);
    f->num--;
    j = job(e, flow, FAL_EN_BY_TRANSMIT);
    j->after.flow.outstanding--;
    j->after.flow.sent_bytes += a.bytes;
    if (e->config.logic->credit == FAL_LOGIC_BY_TOKENS)
        j->after.flow.tokens--;
    if (e->config.logic->credit == FAL_LOGIC_BY_RATE)
        f->credit -= (uint64_t)a.bytes << f->rate.shift;
    if (j->after.flow.rtx_timer_ns == 0)
        fal_logic_timer(&j->after.flow, fal_logic_engine_now_ns(e));
    tell_address(e, FAL_EN_TRANSMIT, flow, &a);
    if (e->config.transmit != NULL)
        e->config.transmit(
            e->config.ctx, flow,
            &(struct fal_logic_packet){
                .id = a.id,
                .bytes = a.bytes,
                .copy = a.copy,
                .digest = fal_logic_digest(f->sender.key, a.id - f->sender.first),
                .sent_ns = fal_logic_engine_now_ns(e)});
}

static void wake(struct fal_logic_engine *e)
{
    struct fal_logic_entry entry;

    while (e->wakes.num > 0 && e->wakes.entries[0].at_ns <= e->cycle &&
           fal_logic_agenda_take(&e->wakes, &entry)) {
        if (e->flows[entry.flow].wake_cycle != entry.at_ns)
            continue; /* the rate was changed since */
        e->flows[entry.flow].wake_cycle = 0;
        fal_logic_engine_touch(e, entry.flow);
    }
}

int fal_logic_engine_step(struct fal_logic_engine *e)
{
    e->num_jobs = 0;
    wake(e);
    incoming(e);
    periodic(e);
    transmit(e);
    generate(e);
    fal_logic_engine_merge(e);
    for (uint32_t i = 0; i < e->num_touched; i++)
        settle(e, e->touched[i]);
    e->num_touched = 0;
    e->cycle++;
    return e->error;
}

/* ---- from outside ---- */

void fal_logic_engine_add(struct fal_logic_engine *e, uint32_t flow, uint32_t first)
{
    struct fal_logic_en_flow *f = &e->flows[flow];

    assert(flow < e->config.setup.flows && !f->added);
    f->added = true;
    fal_logic_sender_init(&f->sender, e->config.logic, &e->config.flow, first,
                          fal_logic_engine_now_ns(e));
    f->credit_cycle = e->cycle;
    fal_logic_engine_tell(
        e, &(struct fal_en_event){.kind = FAL_EN_ADD,
                                  .flow = flow,
                                  .rate_bps = e->config.logic->credit == FAL_LOGIC_BY_RATE
                                                  ? f->sender.flow.rate_bps
                                                  : 0,
                                  .segment_bytes = e->config.flow.segment_bytes});
    f->credit = most_credit(e, f);
    count_credit(e, f);
}

void fal_logic_engine_rate(struct fal_logic_engine *e, uint32_t flow, uint64_t rate_bps)
{
    e->flows[flow].sender.flow.rate_bps = rate_bps;
    count_credit(e, &e->flows[flow]);
    fal_logic_engine_touch(e, flow);
}

bool fal_logic_engine_post(struct fal_logic_engine *e, uint32_t flow, uint32_t bytes)
{
    struct fal_logic_en_flow *f = &e->flows[flow];
    uint32_t id = f->sender.posted;

    if (!fal_logic_sender_post(&f->sender, bytes))
        return false;
    f->offsets[id % FAL_LOGIC_WINDOW] = f->end;
    f->end += bytes;
    fal_logic_engine_touch(e, flow);
    return true;
}

int fal_logic_engine_feedback(struct fal_logic_engine *e, uint32_t flow,
                              const struct fal_logic_reply *reply)
{
    uint32_t room = e->queue_room != 0 ? 2 * e->queue_room : 64;
    struct fal_logic_feedback *queue;

    if (e->queue_num == e->queue_room) {
        queue = calloc(room, sizeof *queue);
        if (queue == NULL)
            return FAL_ERR_MEM;
        for (uint32_t i = 0; i < e->queue_num; i++)
            queue[i] = e->queue[(e->queue_head + i) % e->queue_room];
        free(e->queue);
        e->queue = queue;
        e->queue_head = 0;
        e->queue_room = room;
    }
    assert(e->queue_room > 0);
    e->queue[(e->queue_head + e->queue_num++) % e->queue_room] =
        (struct fal_logic_feedback){.flow = flow, .reply = *reply};
    return 0;
}
