/* SPDX-License-Identifier: Apache-2.0
 * property_test.c - a conforming sender, receiver and network of this test's own, small and
 * independent of any player: whatever their parameters, forks, losses, copies, delays and clock
 * errors are, no rule finds anything. And hostile packets never harm the judge. */
#include "oracles/rules/roce/roce_testing.h"

#include "oracles/rng.h"

#include <stdlib.h>

enum { FLOWS = 3, EVENTS = 4096, PACKETS = 1500, PAYLOAD = 1024, HEAD = 58, WINDOW = 64 };

enum kind { SEND, DATA_IN, ANSWER_IN, ALPHA, SLOT, TIMER, NP_TIMER, ACT_NAK, RETRY, CNP_OUT };

struct event {
    double t;
    enum kind kind;
    unsigned flow, syndrome;
    uint32_t psn, len, epoch;
    bool ce, cnp;
};

/* A queue pair at each end. */
struct connection {
    /* sender */
    uint32_t first, next, end, unacked;
    bool act_pending;
    double rc, rt, alpha, send_at, last_progress, last_cut, tokens, tokens_at;
    bool cnp_seen, slot_cnp, cut_once, increased, begun;
    uint64_t bytes, te, be;
    uint32_t alpha_epoch, timer_epoch, retry_epoch;
    /* receiver */
    uint32_t expected, msn;
    bool nak_sent, np_running, np_marked;
    unsigned unanswered;
};

struct world {
    struct fal_rng rng;
    struct fal_dcqcn d;
    struct event heap[EVENTS];
    unsigned num;
    struct connection c[FLOWS];
    unsigned flows;
    double now, sut_clock; /* a second of the SUT, as the capture shows it */
    double delay, jitter, loss, copies, mark, turnaround, timeout, burst;
    double error;
    bool at_a, at_b; /* the vantage */
    bool slots, first_alpha, count_late, hyper_once, wire_paced, backlog;
    unsigned sent, ack_every;
};

static struct world w;

static double uniform(void)
{
    return (double)(fal_rng_next(&w.rng) >> 11) / 9007199254740992.0;
}

static bool chance(double p)
{
    return uniform() < p;
}

/* ---- events ---- */

static void at(double t, struct event e)
{
    unsigned i = w.num++;

    ck_assert_uint_lt(w.num, EVENTS);
    e.t = t;
    for (; i > 0 && w.heap[(i - 1) / 2].t > t; i = (i - 1) / 2)
        w.heap[i] = w.heap[(i - 1) / 2];
    w.heap[i] = e;
}

static struct event next_event(void)
{
    struct event top = w.heap[0], last = w.heap[--w.num];
    unsigned i = 0;

    for (;;) {
        unsigned k = 2 * i + 1;

        if (k >= w.num)
            break;
        if (k + 1 < w.num && w.heap[k + 1].t < w.heap[k].t)
            k++;
        if (w.heap[k].t >= last.t)
            break;
        w.heap[i] = w.heap[k];
        i = k;
    }
    w.heap[i] = last;
    return top;
}

/* A duration of the SUT. */
static double lasts(uint64_t ns)
{
    return (double)ns * w.sut_clock;
}

/* ---- the capture ---- */

static void capture(const struct event *e, bool from_sender)
{
    struct fal_roce_seen seen = from_sender
                                    ? from_a(OP_MIDDLE, e->psn)
                                    : from_b(e->cnp ? FAL_ROCE_OPCODE_CNP : OP_ACK, e->psn);
    double t = 1e6 + w.now + (2 * uniform() - 1) * w.error;

    seen.at_ns = (uint64_t)t;
    seen.dest_qp += e->flow << 8;
    seen.ecn = e->ce ? CE : ECT0;
    if (from_sender) {
        seen.payload = e->len;
        seen.wire = e->len + HEAD;
    } else if (e->cnp) {
        seen.cnp_zeros = seen.becn = true;
    } else {
        seen.has_aeth = true;
        seen.syndrome = (uint8_t)e->syndrome;
        seen.msn = e->epoch;
    }
    show(seen);
}

/* Over the network; the vantage is at one end of it. */
static void travel(struct event e, bool from_sender)
{
    double took = w.delay + uniform() * w.jitter;

    if (from_sender ? w.at_a : w.at_b)
        capture(&e, from_sender);
    if (from_sender && chance(w.mark))
        e.ce = true;
    e.kind = from_sender ? DATA_IN : ANSWER_IN;
    if (!chance(w.loss))
        at(w.now + took, e);
    if (chance(w.copies))
        at(w.now + w.delay + uniform() * w.jitter, e);
}

/* ---- the reaction point ---- */

/* A bucket of tokens that holds a burst. */
static void accrue(struct connection *c)
{
    c->tokens += (w.now - c->tokens_at) * c->rc / 8e9;
    c->tokens_at = w.now;
    if (c->tokens > w.burst)
        c->tokens = w.burst;
}

static void increase(struct connection *c)
{
    uint64_t te = c->te - (w.count_late && c->te > 0), be = c->be - (w.count_late && c->be > 0);
    uint64_t least = te < be ? te : be, most = te > be ? te : be;

    accrue(c);
    c->increased = true;
    if (least > w.d.stages)
        c->rt += (double)w.d.rhai_bps * (w.hyper_once ? 1 : (double)(least - w.d.stages));
    else if (most >= w.d.stages)
        c->rt += (double)w.d.rai_bps;
    if (c->rt > (double)w.d.line_rate_bps)
        c->rt = (double)w.d.line_rate_bps;
    c->rc = (c->rc + c->rt) / 2;
}

static void start_timer(struct connection *c, unsigned flow)
{
    at(w.now + lasts(w.d.timer_ns),
       (struct event){.kind = TIMER, .flow = flow, .epoch = ++c->timer_epoch});
}

static void cut(struct connection *c, unsigned flow)
{
    double factor = 1 - c->alpha / (1 << (w.d.gd - 10));
    double least = 1 - w.d.max_cut_percent / 100.0;

    accrue(c);
    if (w.d.clamp_target || !c->cut_once || c->increased)
        c->rt = c->rc;
    c->rc *= factor > least ? factor : least;
    if (c->rc < (double)w.d.min_rate_bps)
        c->rc = (double)w.d.min_rate_bps;
    if (c->rt < c->rc)
        c->rt = c->rc;
    c->cut_once = true;
    c->increased = false;
    c->te = c->be = c->bytes = 0;
    c->last_cut = w.now;
    start_timer(c, flow);
}

static void start_alpha(struct connection *c, unsigned flow, double in)
{
    at(w.now + in, (struct event){.kind = ALPHA, .flow = flow, .epoch = ++c->alpha_epoch});
}

static void take_cnp(struct connection *c, unsigned flow)
{
    double g = w.d.g_1024 / 1024.0;

    if (!c->begun && w.first_alpha) {
        c->alpha = w.d.alpha_start_1024 / 1024.0;
        start_alpha(c, flow, lasts(w.d.alpha_period_ns));
    }
    c->begun = true;
    if (w.slots && w.d.decrease_period_ns > 0)
        c->slot_cnp = true;
    else if (w.d.decrease_period_ns == 0 || !c->cut_once ||
             w.now - c->last_cut >= lasts(w.d.decrease_period_ns))
        cut(c, flow);
    if (w.d.alpha_at_cnp) {
        c->alpha = g * c->alpha + 1 - g;
        start_alpha(c, flow, lasts(w.d.alpha_period_ns));
    } else {
        c->cnp_seen = true;
    }
}

static void end_alpha(struct connection *c, const struct event *e)
{
    double g = w.d.g_1024 / 1024.0;

    if (e->epoch != c->alpha_epoch)
        return;
    c->alpha = g * c->alpha + (c->cnp_seen ? 1 - g : 0);
    c->cnp_seen = false;
    start_alpha(c, e->flow, lasts(w.d.alpha_period_ns));
}

/* ---- the sender ---- */

static void arm(struct connection *c, unsigned flow)
{
    at(w.now + w.timeout * (1 + uniform()),
       (struct event){.kind = RETRY, .flow = flow, .epoch = ++c->retry_epoch});
}

static void schedule(unsigned flow, double t)
{
    at(t > w.now ? t : w.now, (struct event){.kind = SEND, .flow = flow});
}

static void send(struct connection *c, unsigned flow)
{
    struct event e = {.flow = flow, .psn = c->next & 0xffffff, .len = PAYLOAD};
    double paced, wait;

    if (w.sent >= PACKETS)
        return;
    if (c->next - c->unacked >= WINDOW && !w.backlog) {
        schedule(flow, w.now + 2000);
        return;
    }
    e.len = chance(0.1) ? (uint32_t)(uniform() * PAYLOAD) : PAYLOAD;
    paced = w.wire_paced ? e.len + HEAD : e.len;
    if (c->next == c->unacked)
        arm(c, flow);
    w.sent++;
    travel(e, true);
    c->next++;
    if (c->next > c->end)
        c->end = c->next;
    c->bytes += w.wire_paced ? e.len : e.len + HEAD; /* either may be counted */
    if (c->bytes >= w.d.byte_counter) {
        c->bytes -= w.d.byte_counter;
        c->be++;
        increase(c);
    }
    accrue(c);
    c->tokens -= paced;
    wait = c->tokens < 0 ? -c->tokens * 8e9 / c->rc : 0;
    schedule(flow, w.now + wait + (chance(0.05) && !w.backlog ? 3000 * uniform() : 0));
}

static void take_answer(struct connection *c, const struct event *e)
{
    uint32_t psn = c->unacked + (uint32_t)((int32_t)((e->psn - c->unacked) << 8) >> 8);

    if (e->cnp) {
        take_cnp(c, e->flow);
        return;
    }
    if (e->syndrome != NAK_SEQUENCE) {
        if ((int32_t)(psn + 1 - c->unacked) > 0 && psn < c->end) {
            c->unacked = psn + 1;
            arm(c, e->flow);
            if (c->next < c->unacked)
                c->next = c->unacked;
        }
        return;
    }
    if ((int32_t)(psn - c->unacked) < 0 || psn >= c->end)
        return;
    c->unacked = psn;
    if (c->next < psn)
        c->next = psn;
    at(w.now + uniform() * w.turnaround * 0.9,
       (struct event){.kind = ACT_NAK, .flow = e->flow, .psn = psn});
}

static void follow_nak(struct connection *c, const struct event *e)
{
    if (c->unacked == e->psn && c->next > c->unacked) {
        c->next = c->unacked;
        arm(c, e->flow);
    }
}

static void retry(struct connection *c, const struct event *e)
{
    if (e->epoch != c->retry_epoch || c->end == c->unacked)
        return;
    c->next = c->unacked;
    arm(c, e->flow);
}

/* ---- the receiver ---- */

static void reply(unsigned flow, struct event e)
{
    e.flow = flow;
    e.epoch = w.c[flow].msn;
    travel(e, false);
}

static void notify(struct connection *c, unsigned flow)
{
    at(w.now + uniform() * w.turnaround * 0.9, (struct event){.kind = CNP_OUT, .flow = flow});
    c->np_running = true;
    c->np_marked = false;
}

static void take_data(struct connection *c, const struct event *e)
{
    int32_t ahead = (int32_t)((e->psn - c->expected) << 8) >> 8;

    if (e->ce && !c->np_running)
        notify(c, e->flow);
    else if (e->ce)
        c->np_marked = true;
    if (ahead > 0) {
        if (!c->nak_sent)
            reply(e->flow, (struct event){.psn = c->expected, .syndrome = NAK_SEQUENCE});
        c->nak_sent = true;
        return;
    }
    if (ahead == 0) {
        c->expected = (c->expected + 1) & 0xffffff;
        c->msn = (c->msn + 1) & 0xffffff;
        c->nak_sent = false;
    }
    if (ahead < 0 || ++c->unanswered >= w.ack_every) {
        c->unanswered = 0;
        reply(e->flow, (struct event){.psn = (c->expected - 1) & 0xffffff, .syndrome = 0x1f});
    }
}

/* ---- the run ---- */

static void play(const struct event *e)
{
    struct connection *c = &w.c[e->flow];

    switch (e->kind) {
    case SEND: send(c, e->flow); break;
    case DATA_IN:
        if (w.at_b)
            capture(e, true);
        take_data(c, e);
        break;
    case ANSWER_IN:
        if (w.at_a)
            capture(e, false);
        take_answer(c, e);
        break;
    case ALPHA: end_alpha(c, e); break;
    case SLOT:
        if (c->slot_cnp)
            cut(c, e->flow);
        c->slot_cnp = false;
        at(w.now + lasts(w.d.decrease_period_ns), *e);
        break;
    case TIMER:
        if (e->epoch != c->timer_epoch)
            break;
        c->te++;
        increase(c);
        start_timer(c, e->flow);
        break;
    case NP_TIMER:
        c->np_running = false;
        if (c->np_marked)
            notify(c, e->flow);
        break;
    case CNP_OUT:
        reply(e->flow, (struct event){.cnp = true});
        at(w.now + lasts(w.d.cnp_interval_ns),
           (struct event){.kind = NP_TIMER, .flow = e->flow});
        break;
    case ACT_NAK: follow_nak(c, e); break;
    case RETRY: retry(c, e); break;
    }
}

static void draw_world(uint64_t seed)
{
    memset(&w, 0, sizeof w);
    w.rng = (struct fal_rng){seed};
    w.d = *fal_dcqcn_preset(chance(0.5) ? "paper" : "nic");
    w.d.line_rate_bps = (uint64_t)((1 + 99 * uniform()) * 1e9);
    w.d.cnp_interval_ns = (uint64_t)(2000 + 60000 * uniform());
    if (chance(0.5))
        w.d.clamp_target = !w.d.clamp_target;
    if (chance(0.5))
        w.d.rhai_bps = 200000000;
    if (chance(0.3))
        w.d.byte_counter = 100000;
    if (chance(0.3))
        w.d.timer_ns /= 10;
    if (chance(0.3))
        w.d.alpha_at_cnp = !w.d.alpha_at_cnp;
    if (w.d.rhai_bps == 0) /* not published: any may be right */
        w.hyper_once = true;
    w.slots = chance(0.5);
    w.first_alpha = chance(0.5);
    w.count_late = chance(0.5);
    w.hyper_once |= chance(0.5);
    w.wire_paced = chance(0.5);
    w.flows = 1 + (unsigned)fal_rng_below(&w.rng, FLOWS);
    w.delay = 1000 + 3000 * uniform();
    w.jitter = chance(0.4) ? 3000 * uniform() : 0;
    w.loss = chance(0.5) ? 0.01 * uniform() : 0;
    w.copies = chance(0.3) ? 0.01 * uniform() : 0;
    w.mark = chance(0.8) ? 0.1 * uniform() : 0;
    w.turnaround = 200 + 2000 * uniform();
    w.timeout = 100000 + 200000 * uniform();
    w.burst = 4096 + 16384 * uniform();
    w.error = chance(0.5) ? 100 * uniform() : 0;
    w.backlog = w.loss == 0 && w.jitter == 0 && w.copies == 0;
    w.ack_every = 1 + (unsigned)fal_rng_below(&w.rng, 4);
    w.at_a = chance(0.5);
    w.at_b = !w.at_a;
}

/* What is declared, of a device that is in the world. */
static struct fal_rj_setup draw_setup(struct fal_rj_pair pairs[FLOWS])
{
    struct fal_rj_setup s = full_setup(w.at_a ? HOST_A : HOST_B);
    uint32_t ppm = (uint32_t)fal_rng_below(&w.rng, 200);

    s.dcqcn = w.d;
    s.clock_error_ppm = ppm;
    w.sut_clock = 1 + (2 * uniform() - 1) * ppm / 1e6;
    s.clock_error_ns = (uint64_t)w.error + 1;
    s.turnaround_ns = (uint64_t)w.turnaround + 1;
    s.timeout_ns = (uint64_t)w.timeout;
    s.burst_bytes = (uint64_t)w.burst;
    s.backlogged = s.virtual_link = w.backlog;
    s.separate_scheduler = true;
    s.complete = chance(0.8);
    s.alpha_from_cnp = w.first_alpha && chance(0.5);
    if (chance(0.2)) { /* seen from the other end */
        s.vantage = FAL_ROCE_AT_PEER;
        s.suts[0].ip = w.at_a ? HOST_B : HOST_A;
        s.have_delay = true;
        s.delay_ns = (uint64_t)(w.delay + w.jitter) + 1;
        s.no_duplicates = w.copies == 0;
        s.lossless_out = s.lossless_in = w.loss == 0;
        s.no_marking_behind = w.at_b;
    }
    s.limiter = (enum fal_roce_limiter)fal_rng_below(&w.rng, 4);
    for (unsigned i = 0; i < FLOWS; i++)
        pairs[i] = (struct fal_rj_pair){{{HOST_A, false}, {HOST_B, false}},
                                        {QP_A + (i << 8), QP_B + (i << 8)}};
    s.pairs = pairs;
    s.num_pairs = chance(0.7) ? FLOWS : 0;
    return s;
}

static void start_flow(unsigned flow)
{
    struct connection *c = &w.c[flow];

    c->first = c->next = c->end = c->unacked = (uint32_t)fal_rng_next(&w.rng) & 0xffffff;
    c->expected = c->first;
    c->rc = c->rt = (double)w.d.line_rate_bps;
    c->alpha = w.d.alpha_start_1024 / 1024.0;
    at(1000 * uniform(), (struct event){.kind = SEND, .flow = flow});
    if (!w.first_alpha)
        start_alpha(c, flow, lasts(w.d.alpha_period_ns) * uniform());
    if (w.d.decrease_period_ns > 0 && w.slots)
        at(uniform() * lasts(w.d.decrease_period_ns),
           (struct event){.kind = SLOT, .flow = flow});
    at(uniform() * lasts(w.d.timer_ns), (struct event){.kind = TIMER, .flow = flow});
}

static void run(uint64_t seed)
{
    struct fal_rj_pair pairs[FLOWS];
    struct fal_rj_setup s;
    double last = 0;

    draw_world(seed);
    s = draw_setup(pairs);
    begin(&s);
    for (unsigned i = 0; i < w.flows; i++)
        start_flow(i);
    while (w.num > 0 && (w.sent < PACKETS || w.now < last + 200000) && w.now < 1e9) {
        struct event e = next_event();

        w.now = e.t;
        if (w.sent < PACKETS)
            last = w.now;
        play(&e);
    }
    finish();
    for (size_t i = 0; i < fal_roce_judge_tally(judge)->num_rules; i++)
        ck_assert_msg(fal_roce_judge_tally(judge)->rows[i].verdict <= FAL_VERDICT_PASS,
                      "%s\n%s", findings(), test_again(seed));
}

START_TEST(conforming_ends_are_never_found)
{
    uint64_t seed = test_seed(0x20261130);
    struct fal_rng rng = {seed};
    unsigned long rounds = test_rounds(100);

    run(seed);
    for (unsigned long i = 1; i < rounds; i++)
        run(fal_rng_next(&rng));
    fal_roce_judge_free(judge);
    judge = NULL;
}
END_TEST

/* ---- hostile packets ---- */

static struct fal_roce_seen any_packet(struct fal_rng *rng)
{
    struct fal_roce_seen s = {.number = ++frame_number};
    uint64_t bits = fal_rng_next(rng), more = fal_rng_next(rng);

    now_ns = (bits & 0xff) == 0 ? fal_rng_next(rng) : now_ns + (bits & 0xffff);
    s.at_ns = now_ns;
    s.src = HOST_A + (bits >> 16 & 1);
    s.dst = HOST_A + (bits >> 17 & 1);
    s.v6 = (bits >> 18 & 31) == 0;
    s.ecn = bits >> 24 & 3;
    s.opcode = (bits >> 26 & 1) ? (uint8_t)(bits >> 32) : (bits >> 27 & 1) ? OP_MIDDLE : OP_ACK;
    if ((bits >> 28 & 3) == 0)
        s.opcode = FAL_ROCE_OPCODE_CNP;
    s.dest_qp = (uint32_t)(more & 3);
    s.psn =
        (more >> 2 & 15) == 0 ? (uint32_t)(more >> 8) & 0xffffff : (uint32_t)(more >> 8) & 63;
    s.has_aeth = s.opcode == OP_ACK;
    s.syndrome = (uint8_t)(more >> 40);
    s.has_reth = s.opcode == OP_READ;
    s.dma_length = (uint32_t)(more >> 20);
    s.payload = s.wire = (uint32_t)(bits >> 48);
    s.point = (enum fal_roce_point)(more >> 60) % 3;
    s.icrc = (enum fal_roce_icrc)(bits >> 46 & 3);
    return s;
}

START_TEST(hostile_packets_do_no_harm)
{
    struct fal_rng rng = {test_seed(7)};

    for (int round = 0; round < 40; round++) {
        struct fal_rj_setup s = full_setup(HOST_A + (unsigned)round % 2);

        s.dcqcn = *fal_dcqcn_preset(round & 2 ? "paper" : "nic");
        s.dcqcn.line_rate_bps = 1 + fal_rng_next(&rng) % UINT64_C(400000000000);
        s.dcqcn.cnp_interval_ns = fal_rng_next(&rng) >> (round % 64);
        s.clock_error_ns = fal_rng_next(&rng) >> (10 + round % 50);
        s.pipeline_ns = fal_rng_next(&rng) >> (10 + round % 40);
        s.vantage = (enum fal_roce_vantage)(round % 4);
        s.mtu = round & 4 ? 256 : 0;
        s.backlogged = s.separate_scheduler = round & 8;
        s.num_pairs = round & 1;
        begin(&s);
        for (int i = 0; i < 500; i++) {
            struct fal_roce_seen seen = any_packet(&rng);

            if (i % 97 == 0)
                fal_roce_judge_gap(judge);
            if (i % 3 == 0)
                fal_roce_judge_queue(judge, now_ns, fal_rng_next(&rng) >> (i % 64));
            show(seen);
        }
        finish();
    }
    fal_roce_judge_free(judge);
    judge = NULL;
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce: properties");
    TCase *tc = tcase_create("property");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, conforming_ends_are_never_found);
    tcase_add_test(tc, hostile_packets_do_no_harm);
    suite_add_tcase(suite, tc);
    return suite;
}
