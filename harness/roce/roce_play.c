/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_play.h"

#include "harness/roce/roce_gate.h"
#include "oracles/roce/pair.h"

#include <stdlib.h>

enum { QPN_A = 0x11, QPN_B = 0x101, R_KEY = 0x77, PSN_B = 0x1000, ADDRESS_A = 1 };

struct play {
    const struct tl_roce_scenario *scenario;
    const struct tl_roce_sut *sut;
    struct tl_roce_log *log;
    struct tl_roce_gate gate;
    struct fal_roce_pair *pair;
};

static void gate_frame(void *ctx, uint64_t now_ns, unsigned from, uint8_t *bytes, size_t len)
{
    struct play *p = ctx;

    if (p->sut->capture != NULL)
        FAL_IGNORE(tl_capture_write(p->sut->capture, now_ns, bytes, (uint32_t)len,
                                    (uint32_t)len, NULL)); /* tl_capture_finish says it */
    tl_roce_gate_frame(&p->gate, now_ns, from, bytes, len);
}

static void at_switch(const struct play *p, uint64_t now_ns, uint32_t interface,
                      struct fal_span frame)
{
    struct fal_pcapng_packet packet = {.interface = interface,
                                       .ts_ns = now_ns,
                                       .bytes = frame.bytes,
                                       .caplen = (uint32_t)frame.len,
                                       .len = (uint32_t)frame.len};

    if (p->sut->at_switch != NULL)
        FAL_IGNORE(tl_capture_write_marked(p->sut->at_switch, &packet, NULL));
}

static void arrived(void *ctx, uint64_t now_ns, unsigned from, const uint8_t *bytes, size_t len)
{
    struct play *p = ctx;
    struct tl_roce_seen *seen = tl_roce_log_frame(p->log, now_ns, from, bytes, len);

    if (seen != NULL)
        seen->point = TL_ROCE_ARRIVAL;
    at_switch(p, now_ns, 1, (struct fal_span){bytes, len});
}

static void at_port(void *ctx, uint64_t now_ns, unsigned end, bool sent, struct fal_span frame)
{
    struct play *p = ctx;
    uint32_t len = (uint32_t)frame.len;

    (void)sent;
    if (p->sut->ports[end] != NULL)
        FAL_IGNORE(tl_capture_write(p->sut->ports[end], now_ns, frame.bytes, len, len, NULL));
}

static void happened(void *ctx, unsigned end, const struct fal_roce_event *event)
{
    struct play *p = ctx;

    tl_roce_log_event(p->log, end, event);
}

static void forward(void *ctx, uint64_t at_ns, unsigned from, const uint8_t *bytes, size_t len)
{
    struct play *p = ctx;

    at_switch(p, at_ns, 0, (struct fal_span){bytes, len});
    fal_roce_pair_forward(p->pair, at_ns, from, bytes, len);
}

static struct fal_roce_pair_setup setup_of(const struct play *p, uint64_t seed)
{
    const struct tl_roce_scenario *s = p->scenario;
    struct fal_roce_pair_setup setup = {.delay_ns = s->network.delay_ns,
                                        .switch_bps = s->network.switch_bps,
                                        .marks = {.kmin_bytes = s->network.kmin_bytes,
                                                  .kmax_bytes = s->network.kmax_bytes,
                                                  .pmax_ppm = (uint32_t)s->network.pmax_ppm},
                                        .network = p->sut->odd,
                                        .seed = seed};

    for (unsigned i = 0; i < 2; i++) {
        struct fal_roce_setup *end = &setup.ends[i];

        end->dcqcn = *fal_dcqcn_preset(s->preset);
        end->dcqcn.line_rate_bps = s->rate_bps;
        if (s->min_rate_bps != 0)
            end->dcqcn.min_rate_bps = s->min_rate_bps;
        end->dcqcn.cnp_interval_ns = s->cnp_interval_ns;
        end->answer_ns = s->answer_ns;
        end->rcm = !s->no_rcm;
        end->odd = p->sut->odd;
    }
    return setup;
}

static int join(struct play *p)
{
    const struct tl_roce_scenario *s = p->scenario;
    struct tl_roce_log *log = p->log;

    for (unsigned i = 0; i < s->qps; i++) {
        const struct fal_roce_qp_setup qp = {
            .qpn = QPN_A + i,
            .remote_qpn = QPN_B + i,
            .psn = (uint32_t)(s->psn + i) & FAL_ROCE_PSN_MASK,
            .expected_psn = PSN_B + i,
            .mtu = (uint32_t)s->mtu & ~3u,
            .timeout_ns = s->timeout_ns,
            .retries = (unsigned)s->retries,
            .rnr_retries = (unsigned)s->rnr_retries,
            .rnr_code = (unsigned)s->rnr_code,
            .ack_every = (unsigned)s->ack_every,
            .window = (uint32_t)s->window,
            .r_key = R_KEY,
            .receives = s->receives > UINT32_MAX ? UINT32_MAX : (uint32_t)s->receives,
            .remote_address = ADDRESS_A,
        };

        if (fal_roce_pair_join(p->pair, &qp) < 0)
            return FAL_ERR_MEM;
        log->conns[i] = (struct tl_roce_conn){.has_qpn = {true, true},
                                              .has_psn = {true, true},
                                              .qpn = {qp.qpn, qp.remote_qpn},
                                              .psn = {qp.psn, qp.expected_psn}};
    }
    log->num_conns = (unsigned)s->qps;
    return 0;
}

/* Does the posts of that moment. */
static int post_due(struct play *p, uint64_t now_ns, struct fal_error *err)
{
    for (size_t i = 0; i < p->scenario->num_steps; i++) {
        const struct tl_roce_step *step = &p->scenario->steps[i];
        unsigned end = step->from == TL_ROCE_B ? 1 : 0, qp = (unsigned)step->qp - 1;
        const struct fal_roce_post post = {.op = (enum fal_roce_op)step->value,
                                           .id = i,
                                           .length = (uint32_t)step->length,
                                           .address = step->address,
                                           .r_key = (uint32_t)step->r_key};

        if (step->time_ns != now_ns)
            continue;
        if (step->verb == TL_ROCE_RECEIVES)
            fal_roce_end_receives(fal_roce_pair_end(p->pair, 1), qp, (uint32_t)step->value);
        if (step->verb != TL_ROCE_POST)
            continue;
        tl_roce_log_set(p->log, step, now_ns, SIZE_MAX);
        if (fal_roce_end_post(fal_roce_pair_end(p->pair, end), qp, &post) != 0)
            return fal_fail(err, FAL_ERR_RANGE,
                            "line %u: the queue pair takes no such post: it is full, or there "
                            "is none of that number",
                            step->line);
    }
    return 0;
}

/* The next time after `now_ns` at which something is posted. */
static uint64_t next_post(const struct play *p, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;

    for (size_t i = 0; i < p->scenario->num_steps; i++) {
        const struct tl_roce_step *step = &p->scenario->steps[i];

        if ((step->verb == TL_ROCE_POST || step->verb == TL_ROCE_RECEIVES) &&
            step->time_ns > now_ns && step->time_ns < next_ns)
            next_ns = step->time_ns;
    }
    return next_ns;
}

static int play_all(struct play *p, struct fal_error *err)
{
    uint64_t now_ns = 0, end_ns = p->scenario->for_ns, next_ns;
    int rc = post_due(p, 0, err);

    while (rc == 0 && now_ns < end_ns) {
        uint64_t posts_ns = next_post(p, now_ns), own_ns = tl_roce_gate_next_ns(&p->gate);
        uint64_t pair_ns = fal_roce_pair_next_ns(p->pair);

        next_ns = posts_ns < own_ns ? posts_ns : own_ns;
        next_ns = pair_ns < next_ns ? pair_ns : next_ns;
        if (next_ns > end_ns)
            break;
        now_ns = next_ns > now_ns ? next_ns : now_ns;
        rc = fal_roce_pair_run(p->pair, now_ns, NULL);
        tl_roce_gate_run(&p->gate, now_ns);
        if (rc == 0 && posts_ns == now_ns)
            rc = post_due(p, now_ns, err);
        if (p->log->full)
            break;
    }
    if (rc == 0 && p->log->no_memory)
        rc = FAL_ERR_MEM;
    p->log->end_ns = end_ns;
    return rc == FAL_ERR_MEM ? fal_fail(err, rc, "out of memory") : rc;
}

int tl_roce_play(const struct tl_roce_scenario *scenario, const struct tl_roce_sut *sut,
                 uint64_t seed, struct tl_roce_log *log, struct fal_error *err)
{
    struct play p = {.scenario = scenario, .sut = sut, .log = log};
    const struct fal_roce_watch watch = {gate_frame, arrived, happened, &p, at_port};
    const struct fal_roce_pair_setup setup = setup_of(&p, seed);
    int rc = tl_roce_gate_init(&p.gate, scenario, log, forward, &p);

    if (rc == 0)
        p.pair = fal_roce_pair_new(&setup, &watch);
    if (rc != 0 || p.pair == NULL || join(&p) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    else
        rc = play_all(&p, err);
    tl_roce_gate_free(&p.gate);
    fal_roce_pair_free(p.pair);
    return rc;
}
