/* SPDX-License-Identifier: Apache-2.0
 * world.c - the ends of a world, and its time. */
#include "codecs/header/ulp.h"
#include "oracles/nvme/engine.h"
#include "tests/world/world_impl.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_MAX = 2000000, PIPELINE_PART = 200 /* beside those of world_draw.c */ };

static uint32_t conn_of(const struct world *w, int side, uint32_t number)
{
    for (uint32_t c = 0; c < w->conns; c++)
        if (w->numbers[c][side] == number)
            return c + 1;
    return 0;
}

void world_drain(struct world *w, int side)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(w->ep[side], &out)) {
        uint32_t conn = conn_of(w, side, out.conn);

        if (world_verbs_take(w, side, &out) || world_nvme_take(w, side, &out))
            continue;
        switch (out.kind) {
        case FAL_OUT_PACKET:
            world_transmit(w, side, conn, &out.seal, out.bytes, out.len);
            if (side == TESTER)
                world_keep(w, conn, &out.seal, out.bytes, out.len);
            break;
        case FAL_OUT_REQUEST: world_request(w, side, conn, &out); break;
        case FAL_OUT_COMPLETE: world_complete(w, side, conn, &out); break;
        case FAL_OUT_CREDITS: break;
        case FAL_OUT_CM:
            if (side == SUT)
                world_tell_cm(w, out.what, conn);
            break;
        case FAL_OUT_NOTE:
        case FAL_OUT_RUE: break;
        }
    }
    world_verbs_events(w, side);
    world_nvme_events(w, side);
}

void world_input(struct world *w, int side, const struct fal_endpoint_in *in, uint32_t *rsn)
{
    FAL_IGNORE(fal_endpoint_input(w->ep[side], in, w->now_ns, rsn));
}

static struct fal_end random_end(struct world *w, uint32_t c, uint32_t high)
{
    bool near_wrap = chance(w, 40);
    uint32_t base = near_wrap ? UINT32_MAX - (uint32_t)fal_rng_below(&w->rng, 40)
                              : (uint32_t)fal_rng_next(&w->rng);

    return (struct fal_end){.cid = high | c,
                            .function = (uint32_t)fal_rng_below(&w->rng, 1 << 24),
                            .req_psn = base,
                            .data_psn = base + (uint32_t)fal_rng_below(&w->rng, 1000),
                            .rsn = (uint32_t)fal_rng_next(&w->rng)};
}

/* Small ones gate, large ones overrun the receiver. */
static uint32_t window(struct world *w)
{
    return chance(w, 60) ? 1 + (uint32_t)fal_rng_below(&w->rng, 64)
                         : 100 + (uint32_t)fal_rng_below(&w->rng, 300);
}

/* Transmit windows that overrun the receiver's a little, and much. */
static uint32_t edge(struct world *w, uint32_t receiver)
{
    return chance(w, 50) ? receiver - 2 + (uint32_t)fal_rng_below(&w->rng, 6) : 400;
}

/* The variants that delay packets within their pipeline have one. Its numbers are apart, so
 * that all else is as without it. */
static void pipeline(const struct world *w, uint32_t conn, struct fal_params *params)
{
    const struct fal_twin_set *twins = &w->config->twins;
    struct fal_rng rng = fal_rng_split(w->config->seed, PIPELINE_PART + conn);

    if (!fal_twin_in(twins, FAL_TWIN_RX_LANES) && !fal_twin_in(twins, FAL_TWIN_RX_LANES_HASHED))
        return;
    /* from far below the timers to the size of one */
    params->pipeline_ns =
        fal_rng_below(&rng, params->coalescing_ns >> 2 * fal_rng_below(&rng, 4)) + 1;
    params->turnaround_ns = params->pipeline_ns;
}

/* NVMe wants unordered connections and room for its longest packet (NVME 6.5, 8). */
static void suit_nvme(struct fal_params *params)
{
    params->ordered = false;
    params->mtu = FAL_NVME_MTU;
    params->protocol_type = FAL_PROTOCOL_NVME;
}

static int open_connections(struct world *w)
{
    for (uint32_t c = 0; c < w->conns; c++) {
        struct fal_connection *k = &w->setup[c];
        struct fal_endpoint_conn tester = {.auto_ack = true, .auto_retransmit = true},
                                 sut = tester;
        uint64_t scale = 1 + fal_rng_below(&w->rng, 4);

        (void)snprintf(k->name, sizeof k->name, "c%u", (unsigned)c);
        fal_params_default(&k->params, false);
        k->params.ordered = chance(w, 60);
        if ((w->config->trials & WORLD_NVME) != 0)
            suit_nvme(&k->params);
        k->params.coalescing_ns *= scale;
        k->params.fcwnd = window(w);
        k->params.ncwnd = window(w);
        k->params.tx_window_req = edge(w, FAL_RX_WINDOW_REQ);
        k->params.tx_window_data = edge(w, FAL_RX_WINDOW_DATA);
        k->params.rto_ns = FAL_MS / 2 * scale;
        k->params.initial_rtt_ns = 50 * FAL_US * scale; /* too short a one floods the network */
        k->params.max_attempts = 100; /* losses of 30 % must not end a connection here */
        k->params.transaction_timeout_ns = 100 * FAL_S;
        pipeline(w, c, &k->params);
        k->initial_known = true;
        k->engine = (w->config->trials & (WORLD_VERBS | WORLD_NVME)) != 0;
        k->tester = random_end(w, c, 0x5a00);
        k->sut = random_end(w, c, 0xc300);
        tester.params = sut.params = k->params;
        tester.params.pipeline_ns = 0; /* the SUT's: the tester has its own, or none */
        world_draw_ixit(w->config, TESTER, &tester.params);
        world_draw_ixit(w->config, SUT, &sut.params);
        w->inexact |= tester.params.pipeline_ns > 0 || tester.params.tick_ns > 0 ||
                      tester.params.rto_varies;
        k->params = sut.params; /* what is declared is the SUT's */
        sut.twins = w->config->twins;
        tester.twins = w->config->tester;
        world_trials_connection(&w->trials, &k->params, &tester, &sut);
        k->params.rack_tlp = fal_twin_in(&sut.twins, FAL_TWIN_RACK_TLP);
        k->tester_rack_tlp = fal_twin_in(&tester.twins, FAL_TWIN_RACK_TLP);
        world_cc_connection(w, k);
        tester.local = sut.peer = k->tester;
        tester.peer = sut.local = k->sut;
        if (fal_endpoint_open(w->ep[TESTER], &tester, 0, &w->numbers[c][TESTER]) != 0 ||
            fal_endpoint_open(w->ep[SUT], &sut, 0, &w->numbers[c][SUT]) != 0)
            return FAL_ERR_MEM;
    }
    return 0;
}

/* What is promised of the bench; its delays are those of the network. */
static void describe(struct world *w)
{
    struct fal_ev_run *run = &w->run.u.run;
    bool told = w->config->clean && !w->config->undeclared;

    w->run.kind = FAL_EV_RUN;
    (void)snprintf(run->title, sizeof run->title, "soak");
    run->seed = w->config->seed;
    run->vantage = w->config->vantage;
    run->lossless_in = run->lossless_out = told;
    run->no_duplicates_in = run->no_duplicates_out = told;
    run->in_order_in = run->in_order_out = told;
    run->ordered_events = true;
    run->alone = true;
    run->may_miss = w->config->capture_loss_ppm > 0 && !w->config->loss_is_told;
    run->undeclared = run->may_miss && w->config->loss_is_secret;
    run->may_miss = run->may_miss && !run->undeclared;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t earliest(const struct world *w)
{
    uint64_t t = earlier(world_net_ns(w), world_answers_ns(w));

    for (int side = 0; side < SIDES; side++)
        t = earlier(t, fal_endpoint_deadline(w->ep[side]));
    if (w->posts_left > 0)
        t = earlier(t, w->next_post_ns);
    t = earlier(t, world_verbs_ns(w));
    t = earlier(t, world_nvme_ns(w));
    t = earlier(t, world_late_ns(w));
    t = earlier(t, w->trials.rotation_ns);
    return t == FAL_NEVER ? t : earlier(t, w->trials.next_forgery_ns);
}

static void step(struct world *w)
{
    struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};

    world_read_late(w, false);
    world_arrivals(w);
    for (int side = 0; side < SIDES; side++) {
        if (fal_endpoint_deadline(w->ep[side]) <= w->now_ns) {
            world_input(w, side, &tick, NULL);
            world_drain(w, side);
        }
    }
    world_verbs_tick(w);
    world_nvme_tick(w);
    world_step_again(w);
    world_step_rotation(w);
    world_step_forgery(w);
    world_give_answers(w);
    world_posts(w);
}

/* Until nothing more happens, a minute has passed since then or the steps are used up: a fault
 * may keep something going for ever. Whether nothing more happens: the verbs give up what does
 * not come much later, which ends nothing that anybody waits for. */
static bool play(struct world *w, unsigned *steps)
{
    unsigned steps_max = w->config->steps_max > 0 ? w->config->steps_max : STEPS_MAX;
    uint64_t t, end_ns = w->now_ns + 60 * FAL_S;

    for (; *steps < steps_max; ++*steps) {
        t = earliest(w);
        if (t == FAL_NEVER || t > end_ns)
            break;
        w->now_ns = t > w->now_ns ? t : w->now_ns;
        step(w);
    }
    t = earliest(w);
    return t == FAL_NEVER || (t > end_ns && t == world_verbs_ns(w));
}

/* Until its end; with verbs or NVMe there are pauses, in which nothing is under way. */
static void play_all(struct world *w)
{
    unsigned steps = 0;

    while (play(w, &steps)) {
        world_nvme_wait(w);
        world_record_barrier(w);
        if (!world_verbs_pause(w) && !world_nvme_pause(w))
            break;
    }
}

/* Whether packets show an IV. An end that reads none has no T3, which its engine needs. */
static bool sealed(struct world *w)
{
    bool drawn = chance(w, 50), seals = (w->config->trials & WORLD_SEALS) != 0;

    return seals || (drawn && (w->config->trials & WORLD_SWIFT) == 0);
}

static void draw_size(struct world *w)
{
    w->conns = 1 + (uint32_t)fal_rng_below(&w->rng, CONNS_MAX);
    w->rnr_percent = chance(w, 50) ? (uint32_t)fal_rng_below(&w->rng, 30) : 0;
    w->cie_percent = chance(w, 50) ? (uint32_t)fal_rng_below(&w->rng, 15) : 0;
    w->posts_left = 20 + (uint32_t)fal_rng_below(&w->rng, 600);
    if ((w->config->trials & WORLD_SWIFT) != 0)
        w->posts_left += 1000; /* windows need round trips to move */
    if ((w->config->trials & WORLD_VERBS) != 0)
        w->posts_left /= 2; /* each is several packets */
    if ((w->config->trials & WORLD_NVME) != 0)
        w->posts_left /= 6;
    w->post_gap_ns = FAL_US * (1 + fal_rng_below(&w->rng, 300));
}

int world_run(const struct world_config *asked, struct world_outcome *outcome)
{
    struct world_config own = *asked, *config = &own;
    struct world *w = calloc(1, sizeof *w);
    struct fal_endpoint_config ep = {.seed = config->seed};
    struct fal_judge_config judge = {.finding = world_finding, .ctx = w};
    int result = FAL_ERR_MEM;

    *outcome = (struct world_outcome){0};
    if (w == NULL)
        return result;
    world_cc_twins(&own);
    w->config = config;
    w->outcome = outcome;
    w->rng = fal_rng_split(config->seed, 99);
    w->eye = fal_rng_split(config->seed, 98);
    world_trials_init(&w->trials, config->trials, !config->clean, config->seed);
    describe(w);
    if (world_net_new(w) != 0)
        goto fail;
    w->sealed = sealed(w);
    draw_size(w);
    world_cc_engine(w, TESTER, &ep);
    w->ep[TESTER] = fal_endpoint_new(&ep);
    ep.faults = config->faults;
    ep.seed ^= 1;
    world_trials_sut(&w->trials, &ep);
    world_cc_engine(w, SUT, &ep);
    w->ep[SUT] = fal_endpoint_new(&ep);
    w->judge = fal_judge_new(&judge);
    if (w->ep[TESTER] == NULL || w->ep[SUT] == NULL || w->judge == NULL)
        goto fail;
    if (open_connections(w) != 0 || world_verbs_new(w) != 0 || world_nvme_new(w) != 0)
        goto fail;
    if (w->trials.match_pcid && (config->trials & WORLD_SEALS) != 0)
        world_input(w, SUT,
                    &(struct fal_endpoint_in){.kind = FAL_IN_CM, .order = FAL_CM_MATCH_PCID},
                    NULL);
    world_watch(w);
    world_cc_watch(w);
    if (world_verbs_open(w) != 0)
        goto fail;
    world_nvme_open(w);
    play_all(w);
    fal_judge_finish(w->judge);
    world_sum_up(w);
    result = 0;
fail:
    fal_judge_free(w->judge);
    world_verbs_free(w);
    world_nvme_free(w);
    for (int h = NEAR; h < HALVES; h++)
        fal_simnet_free(w->net[h]);
    fal_endpoint_free(w->ep[TESTER]);
    fal_endpoint_free(w->ep[SUT]);
    free(w);
    return result;
}
