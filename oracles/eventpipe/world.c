/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/eventpipe/world.h"

#include "oracles/eventpipe/agenda.h"
#include "oracles/eventpipe/builtin.h"
#include "oracles/rng.h"

#include <stdlib.h>

enum {
    FLOWS = 48,
    SPARE_FLOWS = 8, /* that never send */
    BURST = 4096,
    PACKET = 1024,
    BASE_RTT_NS = 4000,
    RETRY_NS = 200,
    IDLE_NS = 60000,
    FIRMWARE_NS = 4000,
    STORM_NS = 60000,
    STORM_EVENTS = 160,
    RESPONDER_NS = 2000,
    PIPELINE_NS = 5000, /* an event waits for a free slice at most so long */
    CLOCK_NS = 1234567, /* of a responder that is not synchronised */
    REST_NS = 1000000,
};

#define LINE_BPS    UINT64_C(100000000000)
#define DEFAULT_BPS UINT64_C(2000000000)

struct sender {
    uint64_t rate_bps, backlog, seq;
    bool busy; /* its next burst is on the agenda */
    bool rtt_wanted;
};

struct world {
    struct fal_ep_world_config config;
    struct fal_ep_setup setup;
    struct fal_ep_pipe *pipe;
    struct fal_ep_agenda agenda;
    struct fal_rng rng;
    struct fal_ep_builtin parameters;
    struct sender *senders;
    uint32_t flows, overrides;
    uint64_t now_ns, load_bps; /* load: rates of the flows that send */
    bool ending;
};

static bool variant(const struct fal_ep_world_config *config, enum fal_ep_variant which)
{
    return (config->variants >> which & 1) != 0;
}

struct fal_ep_setup fal_ep_world_setup(const struct fal_ep_world_config *config)
{
    static const struct {
        uint32_t klass, th1, th2;
    } kinds[FAL_EP_KINDS] = {
        [FAL_EP_TX] = {0, 12, 40},  [FAL_EP_CNP] = {1, 40, 64}, [FAL_EP_NACK] = {2, 32, 60},
        [FAL_EP_ACK] = {3, 12, 36}, [FAL_EP_RTT] = {4, 40, 62}, [FAL_EP_RTT_SENT] = {0, 24, 56},
        [FAL_EP_FW] = {4, 0, 0}};
    struct fal_rng rng = fal_rng_split(config->seed, 11);
    struct fal_ep_setup s = {.fifo_depth = {64, 64},
                             .default_rate_bps = DEFAULT_BPS,
                             .burst_bytes = BURST,
                             .responder_ns = RESPONDER_NS,
                             .all_points = true};

    s.slices = 6 + (uint32_t)fal_rng_below(&rng, 9);
    s.processors = fal_rng_below(&rng, 3) == 0 ? s.slices - 1 : s.slices;
    s.contexts = s.slices + 8 + (uint32_t)fal_rng_below(&rng, 16);
    for (unsigned k = 0; k < FAL_EP_KINDS; k++) {
        s.classes[k] = variant(config, FAL_EP_NO_MAPPER) ? k : kinds[k].klass;
        s.th1[k] = variant(config, FAL_EP_NO_DROP) ? 0 : kinds[k].th1;
        s.th2[k] = variant(config, FAL_EP_NO_DROP) ? 0 : kinds[k].th2;
    }
    s.no_drops = variant(config, FAL_EP_NO_DROP);
    s.round_robin = !variant(config, FAL_EP_RX_FIRST);
    s.clocks_synchronised = !variant(config, FAL_EP_CLOCKS_APART);
    s.other_drop_curve = variant(config, FAL_EP_DROP_CURVE);
    s.rates_without_events =
        variant(config, FAL_EP_RATE_BY_TIMER) || variant(config, FAL_EP_RATE_IN_STEPS);
    s.ends_at_rest = true;
    s.pipeline_ns = PIPELINE_NS;
    s.rate_error_ppm = 1000;
    s.rtt_by_difference = variant(config, FAL_EP_RTT_DIFFERENCE);
    return s;
}

static uint64_t about(struct world *w, uint64_t mean)
{
    return mean / 2 + fal_rng_below(&w->rng, mean + 1);
}

static bool chance(struct world *w, uint64_t of_1000)
{
    return fal_rng_below(&w->rng, 1000) < of_1000;
}

static void later(struct world *w, uint64_t delay_ns, struct fal_ep_item item)
{
    item.at_ns = w->now_ns + delay_ns;
    fal_ep_agenda_push(&w->agenda, item);
}

/* ---- the network ---- */

static uint64_t queueing(struct world *w)
{
    uint64_t most = w->load_bps > LINE_BPS ? 20000 : 200 + w->load_bps / (LINE_BPS / 4000);

    return fal_rng_below(&w->rng, most);
}

/* A burst is under way: what comes back of it. */
static void network(struct world *w, uint32_t flow, uint64_t seq)
{
    uint64_t marked = w->load_bps > LINE_BPS ? 400 : w->load_bps / (LINE_BPS / 100);
    uint64_t back = BASE_RTT_NS + queueing(w);

    if (chance(w, 4))
        later(w, back,
              (struct fal_ep_item){
                  .doing = FAL_EP_DO_ARRIVE, .kind = FAL_EP_NACK, .flow = flow, .seq = seq});
    else
        later(w, back,
              (struct fal_ep_item){
                  .doing = FAL_EP_DO_ARRIVE, .kind = FAL_EP_ACK, .flow = flow, .seq = seq});
    if (chance(w, marked))
        later(w, back,
              (struct fal_ep_item){
                  .doing = FAL_EP_DO_ARRIVE, .kind = FAL_EP_CNP, .flow = flow, .seq = seq});
}

static uint64_t in_responder(struct world *w)
{
    if (w->config.fault == FAL_EP_RESPONDER_SLOW && chance(w, 250))
        return 3 * RESPONDER_NS;
    return 100 + fal_rng_below(&w->rng, RESPONDER_NS - 100);
}

/* An RTT packet leaves now, and its response is on the agenda [0096-0103]. */
static void send_rtt(struct world *w, uint32_t flow)
{
    struct sender *s = &w->senders[flow];
    uint64_t there = BASE_RTT_NS / 2 + queueing(w), away = in_responder(w);
    uint64_t clock = w->setup.clocks_synchronised ? 0 : CLOCK_NS;
    struct fal_ep_item response = {.doing = FAL_EP_DO_ARRIVE,
                                   .kind = FAL_EP_RTT,
                                   .flow = flow,
                                   .seq = s->seq,
                                   .t1_ns = w->now_ns};

    s->rtt_wanted = false;
    fal_ep_pipe_note(w->pipe,
                     &(struct fal_ep_event){.point = FAL_EP_WIRE,
                                            .kind = FAL_EP_RTT_SENT,
                                            .flow = flow,
                                            .seq = s->seq,
                                            .t1_ns = w->now_ns},
                     w->now_ns);
    later(w, 0,
          (struct fal_ep_item){.doing = FAL_EP_DO_ARRIVE,
                               .kind = FAL_EP_RTT_SENT,
                               .flow = flow,
                               .seq = s->seq,
                               .t1_ns = w->now_ns});
    response.t2_ns = w->now_ns + there + clock;
    response.t3_ns = response.t2_ns + away;
    if (w->config.fault == FAL_EP_T3_BEFORE_T2 && chance(w, 250))
        response.t3_ns = response.t2_ns - 50;
    if (w->setup.rtt_by_difference) {
        response.t3_ns -= response.t2_ns;
        response.t2_ns = 0;
    }
    later(w, there + away + BASE_RTT_NS / 2, response);
}

/* ---- senders ---- */

static void next_message(struct world *w, uint32_t flow)
{
    if (!w->ending)
        later(w, about(w, IDLE_NS),
              (struct fal_ep_item){.doing = FAL_EP_DO_MESSAGE, .flow = flow});
}

/* [0086]: the distance of bursts follows the rate that was in force at the first. */
static void burst(struct world *w, uint32_t flow)
{
    struct sender *s = &w->senders[flow];
    uint64_t bytes = s->backlog < BURST ? s->backlog : BURST;

    fal_ep_pipe_note(w->pipe,
                     &(struct fal_ep_event){.point = FAL_EP_WIRE,
                                            .kind = FAL_EP_TX,
                                            .flow = flow,
                                            .seq = s->seq,
                                            .bytes = bytes},
                     w->now_ns);
    s->backlog -= bytes;
    for (uint64_t sent = 0; sent < bytes; sent += PACKET) /* a TX event for each packet */
        later(w, sent * 8 * UINT64_C(1000000000) / LINE_BPS,
              (struct fal_ep_item){.doing = FAL_EP_DO_ARRIVE,
                                   .kind = FAL_EP_TX,
                                   .flow = flow,
                                   .seq = s->seq++,
                                   .t1_ns = bytes - sent < PACKET ? bytes - sent : PACKET});
    network(w, flow, s->seq - 1);
    if (s->rtt_wanted)
        send_rtt(w, flow);
    later(w, bytes * 8 * UINT64_C(1000000000) / s->rate_bps,
          (struct fal_ep_item){.doing = FAL_EP_DO_BURST, .flow = flow});
}

/* The time of the burst before is over. */
static void next_burst(struct world *w, uint32_t flow)
{
    struct sender *s = &w->senders[flow];

    if (s->backlog > 0 && !w->ending) {
        burst(w, flow);
        return;
    }
    s->busy = false;
    w->load_bps -= s->rate_bps;
    next_message(w, flow);
}

static void message(struct world *w, uint32_t flow)
{
    struct sender *s = &w->senders[flow];

    if (w->ending)
        return;
    s->backlog += PACKET / 2 * (1 + fal_rng_below(&w->rng, 200));
    if (s->busy)
        return;
    s->busy = true;
    w->load_bps += s->rate_bps;
    burst(w, flow);
}

/* An answer of the pipeline. */
static void transmit(void *ctx, uint32_t flow, const struct fal_ep_answer *answer,
                     uint64_t now_ns)
{
    struct world *w = ctx;
    struct sender *s = &w->senders[flow];
    bool ignored = w->config.fault == FAL_EP_RATE_NOT_APPLIED && answer->rate_bps < s->rate_bps;

    w->now_ns = now_ns;
    if (answer->rate_bps > 0 && !ignored) {
        if (s->busy)
            w->load_bps = w->load_bps - s->rate_bps + answer->rate_bps;
        s->rate_bps = answer->rate_bps;
    }
    if (!answer->rtt_request)
        return;
    s->rtt_wanted = true;
    if (!s->busy)
        send_rtt(w, flow);
}

/* ---- events and firmware ---- */

static uint64_t tx_bytes(const struct fal_ep_item *item)
{
    return item->kind == FAL_EP_TX ? item->t1_ns : 0;
}

static void arrive(struct world *w, const struct fal_ep_item *item)
{
    bool rtt = item->kind == FAL_EP_RTT || item->kind == FAL_EP_RTT_SENT;
    const struct fal_ep_event event = {.kind = item->kind,
                                       .flow = item->flow,
                                       .seq = item->seq,
                                       .bytes = tx_bytes(item),
                                       .t1_ns = rtt ? item->t1_ns : 0,
                                       .t2_ns = item->t2_ns,
                                       .t3_ns = item->t3_ns,
                                       .t4_ns = item->kind == FAL_EP_RTT ? w->now_ns : 0};

    if (!fal_ep_pipe_offer(w->pipe, &event, w->now_ns))
        later(w, RETRY_NS, *item);
}

static void release(struct world *w, uint32_t flow)
{
    w->overrides--;
    fal_ep_pipe_release(w->pipe, flow, w->now_ns);
}

static void firmware(struct world *w)
{
    uint32_t flow = (uint32_t)fal_rng_below(&w->rng, w->flows);
    uint64_t what = fal_rng_below(&w->rng, 10);

    if (w->ending)
        return;
    later(w, about(w, FIRMWARE_NS), (struct fal_ep_item){.doing = FAL_EP_DO_FIRMWARE});
    if (what < 4) { /* one or two events, the second of which waits for the register */
        for (uint64_t i = 0; i < (what > 0 ? 2 : 1); i++)
            later(w, 0,
                  (struct fal_ep_item){.doing = FAL_EP_DO_ARRIVE,
                                       .kind = FAL_EP_FW,
                                       .flow = (flow + (uint32_t)i) % w->flows,
                                       .seq = w->now_ns});
    } else if (what < 5) {
        fal_ep_pipe_write_class(w->pipe, (enum fal_ep_kind)fal_rng_below(&w->rng, FAL_EP_KINDS),
                                (uint32_t)fal_rng_below(&w->rng, FAL_EP_CLASSES), w->now_ns);
    } else if (w->overrides < w->setup.slices / 4 &&
               fal_ep_pipe_override(w->pipe, flow, w->now_ns)) {
        w->overrides++;
        later(w, about(w, FIRMWARE_NS),
              (struct fal_ep_item){.doing = FAL_EP_DO_RELEASE, .flow = flow});
    }
}

/* The sequence number of the i-th packet of a storm. */
static uint64_t storm_seq(const struct sender *s, unsigned i)
{
    return s->seq > STORM_EVENTS ? s->seq - STORM_EVENTS + i : 1 + s->seq * i / STORM_EVENTS;
}

/* Acknowledgements of some flows within a microsecond, and messages for flows that rest. */
static void storm(struct world *w)
{
    uint32_t first = (uint32_t)fal_rng_below(&w->rng, w->flows);
    uint64_t storm_flows = 1 + fal_rng_below(&w->rng, w->setup.slices);

    if (w->ending)
        return;
    later(w, about(w, STORM_NS), (struct fal_ep_item){.doing = FAL_EP_DO_STORM});
    for (unsigned i = 0; i < STORM_EVENTS; i++) {
        uint32_t flow = (first + (uint32_t)fal_rng_below(&w->rng, storm_flows)) % w->flows;
        enum fal_ep_kind kind = i % 8 == 7 ? FAL_EP_CNP : FAL_EP_ACK;

        later(w, UINT64_C(5) * i + fal_rng_below(&w->rng, 5),
              (struct fal_ep_item){.doing = FAL_EP_DO_ARRIVE,
                                   .kind = kind,
                                   .flow = flow,
                                   .seq = storm_seq(&w->senders[flow], i)});
    }
    for (uint32_t i = 0; i < w->flows && i < FLOWS; i++) {
        uint32_t flow = (first + i) % w->flows;

        if (!w->senders[flow].busy && chance(w, 250))
            later(w, fal_rng_below(&w->rng, 300),
                  (struct fal_ep_item){.doing = FAL_EP_DO_MESSAGE, .flow = flow});
    }
}

/* ---- a run ---- */

static void act(struct world *w, const struct fal_ep_item *item)
{
    switch (item->doing) {
    case FAL_EP_DO_MESSAGE: message(w, item->flow); break;
    case FAL_EP_DO_BURST: next_burst(w, item->flow); break;
    case FAL_EP_DO_ARRIVE: arrive(w, item); break;
    case FAL_EP_DO_FIRMWARE: firmware(w); break;
    case FAL_EP_DO_RELEASE: release(w, item->flow); break;
    case FAL_EP_DO_STORM: storm(w); break;
    }
}

/* The next moment at which something happens in the pipeline or outside; false: none is left.
 */
static bool next_moment(const struct world *w, uint64_t *at)
{
    uint64_t due = fal_ep_pipe_due(w->pipe);
    uint64_t item = w->agenda.count > 0 ? w->agenda.items[0].at_ns : FAL_EP_NEVER;

    if (w->ending && w->agenda.count == 0 && due > w->now_ns + REST_NS)
        return false; /* timers alone go on for ever */
    *at = due < item ? due : item;
    return *at != FAL_EP_NEVER;
}

static int play(struct world *w)
{
    uint64_t rest_ns = FAL_EP_NEVER, at;
    int rc = 0;

    while (rc == 0 && !w->agenda.out_of_memory && next_moment(w, &at) && at < rest_ns) {
        struct fal_ep_item item;

        rc = fal_ep_pipe_run(w->pipe, at);
        w->now_ns = at;
        if (!w->ending && fal_ep_pipe_counts(w->pipe)->sources >= w->config.events) {
            w->ending = true;
            rest_ns = at + REST_NS;
        }
        while (rc == 0 && w->agenda.count > 0 && w->agenda.items[0].at_ns <= at &&
               fal_ep_agenda_pop(&w->agenda, &item))
            act(w, &item);
    }
    return w->agenda.out_of_memory ? FAL_ERR_MEM : rc;
}

static void begin(struct world *w)
{
    for (uint32_t i = 0; i < w->flows + SPARE_FLOWS; i++)
        w->senders[i] = (struct sender){.rate_bps = DEFAULT_BPS, .seq = 1};
    for (uint32_t i = 0; i < w->flows; i++)
        later(w, fal_rng_below(&w->rng, (uint64_t)2 * IDLE_NS * (1 + i / 8)),
              (struct fal_ep_item){.doing = FAL_EP_DO_MESSAGE, .flow = i});
    later(w, FIRMWARE_NS, (struct fal_ep_item){.doing = FAL_EP_DO_FIRMWARE});
    later(w, STORM_NS, (struct fal_ep_item){.doing = FAL_EP_DO_STORM});
}

static void trace(void *ctx, const struct fal_ep_event *event)
{
    const struct world *w = ctx;

    w->config.trace(w->config.ctx, event);
}

static struct fal_ep_pipe_config pipe_config(struct world *w)
{
    const struct fal_ep_world_config *config = &w->config;

    w->parameters = (struct fal_ep_builtin){.start_bps = DEFAULT_BPS,
                                            .least_bps = DEFAULT_BPS / 16,
                                            .most_bps = LINE_BPS / 4,
                                            .target_ns = BASE_RTT_NS + 1500};
    return (struct fal_ep_pipe_config){.setup = w->setup,
                                       .seed = config->seed,
                                       .flows = w->flows + SPARE_FLOWS,
                                       .cycle_ns = 8,
                                       .service_ns = 200,
                                       .service_spread_ns = 300,
                                       .reload_ns = 400,
                                       .memory = w->flows - w->flows / 8,
                                       .rate_ns = 20,
                                       .fault = config->fault,
                                       .variants = config->variants,
                                       .algorithm = config->algorithm != NULL
                                                        ? *config->algorithm
                                                        : fal_ep_builtin(&w->parameters),
                                       .trace = config->trace != NULL ? trace : NULL,
                                       .transmit = transmit,
                                       .ctx = w};
}

int fal_ep_world_run(const struct fal_ep_world_config *config, struct fal_ep_counts *counts,
                     struct fal_error *err)
{
    struct world w = {.config = *config, .setup = fal_ep_world_setup(config)};
    struct fal_ep_pipe_config pipe;
    int rc;

    w.flows = config->flows > 0 ? config->flows : FLOWS;
    w.rng = fal_rng_split(config->seed, 12);
    pipe = pipe_config(&w);
    rc = fal_ep_pipe_new(&w.pipe, &pipe, err);
    if (rc != 0)
        return rc;
    w.senders = calloc((size_t)w.flows + SPARE_FLOWS, sizeof *w.senders);
    rc = FAL_ERR_MEM;
    if (w.senders != NULL) {
        begin(&w);
        rc = play(&w);
    }
    if (rc == FAL_ERR_MEM)
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    *counts = *fal_ep_pipe_counts(w.pipe);
    free(w.senders);
    fal_ep_agenda_free(&w.agenda);
    fal_ep_pipe_free(w.pipe);
    return rc;
}
