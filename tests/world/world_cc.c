/* SPDX-License-Identifier: Apache-2.0
 * world_cc.c - congestion control in a world: both ends run on Swift and PLB with parameters
 * and readings of their own, and the SUT shows the entries of its queues. */
#include "tests/world/world_impl.h"

#include "oracles/cc/params.h"

#include <stdio.h>

enum { CC_PART = 0x4343 /* of the seed */, TEXT_MAX = 1600, WHEEL_TICK_PS = 512000 };

static double between(struct fal_rng *rng, double least, double most)
{
    return least + (most - least) * (double)fal_rng_below(rng, 1000001) / 1e6;
}

/* Parameters of a network whose round trips take 20 us to 2 ms. */
static void draw(struct fal_rng *rng, struct fal_swift_params *p)
{
    fal_swift_params_default(p);
    p->max_fcwnd = (double)(1 + fal_rng_below(rng, 300));
    p->min_fcwnd = between(rng, 0.05, 1); /* below that, a packet takes many round trips */
    p->fabric_additive_increment = between(rng, 0.1, 4);
    p->fabric_multiplicative_decrease_factor = between(rng, 0.2, 1);
    p->max_fabric_multiplicative_decrease_factor = between(rng, 0.1, 0.8);
    p->base_delay_target = (double)(100 + fal_rng_below(rng, 8000));
    p->max_ncwnd = (double)(1 + fal_rng_below(rng, 300));
    p->target_rx_buffer_level = (double)fal_rng_below(rng, 32);
    p->rtt_smoothing_alpha = between(rng, 0, 0.95);
    p->delay_smoothing_alpha = between(rng, 0, 0.95);
    p->topology_scaling_per_hop = (double)fal_rng_below(rng, 50);
    p->retransmit_limit = (double)(1 + fal_rng_below(rng, 7));
    p->plb_congestion_threshold = between(rng, 0, 1);
    p->plb_attempt_threshold = (double)(1 + fal_rng_below(rng, 8));
    /* The RTO is that of the connection: a shorter one floods the network. */
    p->min_retransmission_timeout = (double)(4000 + fal_rng_below(rng, 20000));
}

static fal_cc_reading_set draw_readings(struct fal_rng *rng)
{
    fal_cc_reading_set readings = 0;

    for (unsigned i = 0; i < FAL_CC_READING_COUNT; i++)
        if (fal_rng_below(rng, 4) == 0)
            readings |= 1U << i;
    /* two readings of the same sentence */
    if (fal_cc_reads(readings, FAL_CC_READING_TARGET_TRUNCATED))
        readings &= ~(1U << FAL_CC_READING_TARGET_ROUNDED);
    if (fal_cc_reads(readings, FAL_CC_READING_GAP_GROWS))
        readings &= ~(1U << FAL_CC_READING_GAP_LESS_RTT);
    return readings;
}

static uint32_t conn_of_cid(const struct world *w, uint32_t cid)
{
    for (uint32_t c = 0; c < w->conns; c++)
        if (w->setup[c].sut.cid == cid)
            return c + 1;
    return 0;
}

static void tell(struct world *w, uint32_t cid, enum fal_cc_entry kind, const void *host,
                 uint32_t now_ticks)
{
    struct fal_event event = {.kind = FAL_EV_CC, .conn = conn_of_cid(w, cid)};

    if (event.conn == 0 || w->config->wire_only)
        return;
    event.u.cc.queue = kind == FAL_CC_ENTRY_EVENT ? FAL_CC_QUEUE_EVENT : FAL_CC_QUEUE_RESULT;
    event.u.cc.seq = ++w->ulp_seq;
    event.u.cc.now_ticks = now_ticks;
    /* Each member fits its field: it was made for it. */
    FAL_IGNORE(fal_cc_encode(FAL_CC_TABLE_MSB, kind, host, event.u.cc.entry, NULL));
    (void)world_tell(w, &event);
}

static void process(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                    const struct fal_cc_event *event, struct fal_cc_result *result)
{
    const struct world_engine *engine = ctx;

    if (engine->side == SUT)
        tell(engine->world, event->connection_id, FAL_CC_ENTRY_EVENT, event, now_ticks);
    fal_swift_process((void *)&engine->swift, state, now_ticks, event, result);
    if (engine->side == SUT)
        tell(engine->world, event->connection_id, FAL_CC_ENTRY_RESULT, result, now_ticks);
}

static bool plays(const struct world *w)
{
    return (w->config->trials & WORLD_SWIFT) != 0;
}

static void remove_twin(struct fal_twin_set *set, enum fal_twin_id id)
{
    set->bits[id / 64] &= ~(UINT64_C(1) << (id % 64));
}

/* The engine sets the RTO, so that it does not vary by itself. */
void world_cc_twins(struct world_config *config)
{
    if ((config->trials & WORLD_SWIFT) == 0)
        return;
    remove_twin(&config->twins, FAL_TWIN_RTO_VARIES);
    remove_twin(&config->tester, FAL_TWIN_RTO_VARIES);
}

void world_cc_engine(struct world *w, int side, struct fal_endpoint_config *ep)
{
    struct world_engine *engine = &w->engine[side];
    struct fal_rng rng = fal_rng_split(w->config->seed, CC_PART + (uint64_t)side);
    struct fal_swift_params params;

    if (!plays(w))
        return;
    draw(&rng, &params);
    *engine = (struct world_engine){.world = w, .side = side};
    FAL_IGNORE(fal_swift_init(&engine->swift, &params, true, NULL));
    fal_swift_read(&engine->swift, draw_readings(&rng));
    ep->rue = (struct fal_rue_config){
        .policy = {process, engine},
        .delay = (enum fal_cc_delay)fal_rng_below(&rng, 4),
        .p1_ns = 1 + fal_rng_below(&rng, 50 * FAL_US),
        .p2_packets = 1 + (uint32_t)fal_rng_below(&rng, 64),
        .base_delay_target = (uint32_t)params.base_delay_target,
        .gap_tick_ps =
            fal_cc_reads(engine->swift.readings, FAL_CC_READING_GAP_WHEEL) ? WHEEL_TICK_PS : 0};
    engine->gap_tick_ps = ep->rue.gap_tick_ps != 0 ? ep->rue.gap_tick_ps : 131072;
}

void world_cc_connection(const struct world *w, struct fal_connection *k)
{
    if (!plays(w))
        return;
    k->rue = (struct fal_rue_facts){.known = true,
                                    .moves_limits = true,
                                    .swift = true,
                                    .has_latency = true,
                                    .format = FAL_CC_TABLE_MSB,
                                    .gap_tick_ps = w->engine[SUT].gap_tick_ps};
}

static void command(struct world *w, const char *verb, uint32_t conn, const char *text)
{
    struct fal_event event = {.kind = FAL_EV_COMMAND, .conn = conn};

    event.u.command = (struct fal_ev_command){.id = ++w->command_id, .on = true, .text = text};
    (void)snprintf(event.u.command.verb, sizeof event.u.command.verb, "%s", verb);
    world_record(w, &event);
    event = (struct fal_event){.kind = FAL_EV_REPLY, .conn = conn};
    event.u.reply = (struct fal_ev_reply){.id = w->command_id, .ok = true, .text = ""};
    world_record(w, &event);
}

void world_cc_watch(struct world *w)
{
    size_t n, len;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    char text[TEXT_MAX];

    if (!plays(w))
        return;
    len = (size_t)snprintf(text, sizeof text, "{\"do\": \"cc_config\", \"params\": {");
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\"%s\": %.17g",
                                i > 0 ? ", " : "", table[i].name,
                                fal_swift_param_get(&table[i], &w->engine[SUT].swift.params));
    (void)snprintf(text + len, sizeof text - len, "}}");
    for (uint32_t c = 1; c <= w->conns; c++)
        command(w, "cc_config", c, text);
    command(w, "cc_trace", 1, "{\"do\": \"cc_trace\", \"on\": true}");
}
