/* SPDX-License-Identifier: Apache-2.0
 * sender.c - see sender.h. */
#include "oracles/logic/sender.h"

#include "oracles/rng.h"

#include <assert.h>
#include <string.h>

static const int64_t bit = 1000000000; /* credit is counted in 10^-9 bit: bit/s * ns */

uint64_t fal_logic_digest(uint64_t key, uint32_t number)
{
    struct fal_rng rng = fal_rng_split(key, number + UINT64_C(1));

    return fal_rng_next(&rng) | 1; /* 0 says that it is not known */
}

static int64_t cost(uint32_t bytes)
{
    return (int64_t)bytes * 8 * bit;
}

static int64_t burst(const struct fal_logic_sender *s)
{
    uint32_t least = s->config.segment_bytes;

    return cost(s->config.burst_bytes > least ? s->config.burst_bytes : least);
}

void fal_logic_sender_init(struct fal_logic_sender *s, const struct fal_logic *logic,
                           const struct fal_logic_config *config, uint32_t first,
                           uint64_t now_ns)
{
    assert(config->segment_bytes > 0 && config->segment_bytes <= UINT16_MAX);
    assert(logic->flow_bytes == sizeof s->flow && logic->user_bytes <= FAL_LOGIC_USER);
    memset(s, 0, sizeof *s);
    s->logic = logic;
    s->config = *config;
    s->first = s->posted = first;
    s->credit_ns = now_ns;
    s->flow.config = &s->config;
    s->flow.wnd_start = s->flow.next_new = first;
    s->flow.wnd = config->max_window;
    s->flow.rate_bps = config->line_rate_bps;
    s->flow.tokens = config->initial_tokens;
    s->flow.rto_ns = config->rto_min_ns;
    s->flow.credit = burst(s);
    logic->init(&s->flow);
}

uint32_t fal_logic_bytes(const struct fal_logic_sender *s, uint32_t id)
{
    uint32_t bytes = s->short_bytes[id % FAL_LOGIC_WINDOW];

    return bytes != 0 ? bytes : s->config.segment_bytes;
}

bool fal_logic_sender_post(struct fal_logic_sender *s, uint32_t bytes)
{
    assert(bytes > 0 && bytes <= s->config.segment_bytes);
    if (s->posted - s->flow.wnd_start >= FAL_LOGIC_WINDOW)
        return false;
    s->short_bytes[s->posted % FAL_LOGIC_WINDOW] =
        (uint16_t)(bytes == s->config.segment_bytes ? 0 : bytes);
    s->posted++;
    return true;
}

bool fal_logic_sender_done(const struct fal_logic_sender *s)
{
    return s->flow.wnd_start == s->posted;
}

/* ---- incoming ---- */

/* The window begins at `cum` now. */
static uint32_t advance(struct fal_logic_flow *flow, uint32_t cum)
{
    uint32_t n = cum - flow->wnd_start;
    uint32_t fresh = n - fal_ring_count(flow->acked, flow->wnd_start, n);

    fal_ring_clear(flow->acked, flow->wnd_start, n);
    fal_ring_clear(flow->marked_rtx, flow->wnd_start, n);
    flow->wnd_start = cum;
    return fresh;
}

static uint32_t acknowledge(struct fal_logic_flow *flow, struct fal_logic_range range)
{
    if (fal_logic_before(range.first, flow->wnd_start))
        range.first = flow->wnd_start;
    if (fal_logic_before(flow->next_new, range.end))
        range.end = flow->next_new;
    if (!fal_logic_before(range.first, range.end))
        return 0;
    fal_ring_clear(flow->marked_rtx, range.first, range.end - range.first);
    return fal_ring_set(flow->acked, range.first, range.end - range.first);
}

static enum fal_logic_in_kind kind_of(const struct fal_logic_reply *reply)
{
    if (reply->nack)
        return FAL_LOGIC_NACK;
    if (reply->has_cum)
        return FAL_LOGIC_ACK;
    return reply->cnp ? FAL_LOGIC_CNP : FAL_LOGIC_GRANT;
}

bool fal_logic_stage_one(struct fal_logic_sender *s, const struct fal_logic_reply *reply,
                         uint64_t now_ns, struct fal_logic_in *in)
{
    struct fal_logic_flow *flow = &s->flow;

    *in = (struct fal_logic_in){.now_ns = now_ns,
                                .kind = kind_of(reply),
                                .cum = reply->cum,
                                .old_start = flow->wnd_start,
                                .nack_seg = reply->nack_id,
                                .ecn = reply->ecn};
    if (reply->grant > s->grant) {
        in->tokens = (uint32_t)(reply->grant - s->grant);
        s->grant = reply->grant;
        flow->tokens += in->tokens;
    }
    if (!reply->has_cum)
        return in->kind == FAL_LOGIC_CNP || in->tokens != 0;
    if (fal_logic_before(flow->next_new, reply->cum))
        return false;
    if (fal_logic_before(flow->wnd_start, reply->cum))
        in->newly_acked = advance(flow, reply->cum);
    if (in->newly_acked != 0)
        s->barren = 0;
    if (reply->window != 0 && reply->cum == flow->wnd_start)
        s->window = reply->window;
    for (unsigned i = 0; i < reply->num_got; i++)
        in->newly_acked += acknowledge(flow, reply->got[i]);
    if (reply->echo_ns != 0 && in->newly_acked != 0)
        in->rtt_ns = now_ns - reply->echo_ns;
    return true;
}

/* The credit of a rate, as it is now. The time is cut so that nothing overflows: a full burst
 * is all that is kept. */
static void add_credit(struct fal_logic_sender *s, uint64_t now_ns)
{
    uint64_t rate = fal_logic_seam_rate(s, s->flow.rate_bps);
    int64_t room = burst(s) - s->flow.credit;
    uint64_t ns = now_ns - s->credit_ns;

    if (rate == 0)
        return;
    s->credit_ns = now_ns;
    if (room <= 0 || ns > (uint64_t)room / rate)
        s->flow.credit = room <= 0 ? s->flow.credit : burst(s);
    else
        s->flow.credit += (int64_t)(ns * rate);
}

void fal_logic_sender_feedback(struct fal_logic_sender *s, const struct fal_logic_reply *reply,
                               uint64_t now_ns)
{
    struct fal_logic_in in;

    add_credit(s, now_ns); /* by the rate until now */
    if (!fal_logic_stage_one(s, reply, now_ns, &in))
        return;
    fal_logic_seam_before(s, &in);
    s->logic->incoming(&s->flow, &in);
    fal_logic_seam_after(s, &in);
}

/* ---- timers ---- */

bool fal_logic_sender_timers(struct fal_logic_sender *s, uint64_t now_ns)
{
    struct fal_logic_flow *flow = &s->flow;
    struct fal_logic_in in = {
        .now_ns = now_ns, .cum = flow->wnd_start, .old_start = flow->wnd_start};
    uint32_t before = flow->timeouts;

    add_credit(s, now_ns);
    if (flow->rtx_timer_ns != 0 && fal_logic_seam_expiry(s) <= now_ns) {
        in.kind = FAL_LOGIC_TIMEOUT;
        flow->rtx_timer_ns = 0;
        s->logic->periodic(flow, &in);
        fal_logic_seam_after(s, &in);
    }
    if ((flow->tick_ns != 0 && flow->tick_ns <= now_ns) ||
        (flow->tick_bytes != 0 && flow->sent_bytes >= flow->tick_bytes)) {
        in.kind = FAL_LOGIC_TICK;
        flow->tick_ns = flow->tick_bytes = 0;
        s->logic->periodic(flow, &in);
    }
    if (flow->timeouts == before)
        return false;
    s->given_up = s->config.retries != 0 && ++s->barren > s->config.retries;
    return true;
}

uint64_t fal_logic_sender_deadline(const struct fal_logic_sender *s)
{
    uint64_t rtx = s->flow.rtx_timer_ns != 0 ? fal_logic_seam_expiry(s) : UINT64_MAX;
    uint64_t tick = s->flow.tick_ns != 0 ? s->flow.tick_ns : UINT64_MAX;

    if (s->given_up)
        return UINT64_MAX;
    return rtx < tick ? rtx : tick;
}

/* ---- generate and transmit ---- */

static uint32_t window_of(const struct fal_logic_sender *s)
{
    uint32_t most = s->config.max_window;

    if (s->window != 0 && s->window < most)
        most = s->window;
    return most < FAL_LOGIC_WINDOW ? most : FAL_LOGIC_WINDOW;
}

/* Returns true if the window of the logic lets the segment go. A lost segment at the start of
 * the window always may: it is what a recovery begins with. */
static bool inside(const struct fal_logic_sender *s, uint32_t id)
{
    const struct fal_logic_flow *flow = &s->flow;

    if (s->logic->credit != FAL_LOGIC_BY_WINDOW || id == flow->wnd_start)
        return true;
    return s->logic->selective ? fal_logic_in_flight(flow) < flow->wnd
                               : id - flow->wnd_start < flow->wnd;
}

enum fal_logic_wait fal_logic_pick(struct fal_logic_sender *s, uint32_t *id)
{
    const struct fal_logic_flow *flow = &s->flow;
    bool chosen = fal_logic_seam_pick(s, id);

    if (!chosen)
        *id = fal_logic_first_lost(flow);
    if (*id == s->posted)
        return FAL_LOGIC_NO_WORK;
    if (*id - flow->wnd_start >= fal_logic_seam_window(s, window_of(s)) ||
        (!chosen && !inside(s, *id)))
        return FAL_LOGIC_NO_WINDOW;
    return FAL_LOGIC_GO;
}

enum fal_logic_wait fal_logic_sender_next(struct fal_logic_sender *s, uint64_t now_ns,
                                          uint32_t *id, uint64_t *at_ns)
{
    enum fal_logic_wait wait = fal_logic_pick(s, id);
    int64_t needed;
    uint64_t rate;

    add_credit(s, now_ns);
    if (s->given_up)
        return FAL_LOGIC_NO_WORK;
    if (wait != FAL_LOGIC_GO)
        return wait;
    if (s->logic->credit == FAL_LOGIC_BY_TOKENS)
        return s->flow.tokens > 0 || fal_logic_seam_token(s) ? FAL_LOGIC_GO
                                                             : FAL_LOGIC_NO_TOKEN;
    needed = cost(fal_logic_bytes(s, *id)) - s->flow.credit;
    if (s->logic->credit != FAL_LOGIC_BY_RATE || needed <= 0)
        return FAL_LOGIC_GO;
    rate = fal_logic_seam_rate(s, s->flow.rate_bps);
    *at_ns = rate == 0 ? UINT64_MAX : now_ns + ((uint64_t)needed + rate - 1) / rate;
    return FAL_LOGIC_NO_CREDIT;
}

void fal_logic_generated(struct fal_logic_sender *s, uint32_t id)
{
    struct fal_logic_flow *flow = &s->flow;
    uint8_t *copies = &flow->rtx_cnt[id % FAL_LOGIC_WINDOW];

    if (id == flow->next_new) {
        flow->next_new++;
        *copies = 0;
        return;
    }
    fal_ring_put(flow->marked_rtx, id, false);
    *copies = (uint8_t)(*copies < UINT8_MAX ? *copies + 1 : UINT8_MAX);
}

void fal_logic_sender_send(struct fal_logic_sender *s, uint32_t id, uint64_t now_ns,
                           struct fal_logic_packet *out)
{
    struct fal_logic_flow *flow = &s->flow;
    uint32_t bytes = fal_logic_bytes(s, id);

    fal_logic_generated(s, id);
    if (s->logic->credit == FAL_LOGIC_BY_RATE)
        flow->credit -= cost(bytes);
    if (s->logic->credit == FAL_LOGIC_BY_TOKENS && flow->tokens > 0)
        flow->tokens--;
    flow->sent_bytes += bytes;
    if (flow->rtx_timer_ns == 0)
        fal_logic_timer(flow, now_ns);
    *out = (struct fal_logic_packet){.id = id,
                                     .bytes = bytes,
                                     .copy = flow->rtx_cnt[id % FAL_LOGIC_WINDOW],
                                     .digest = fal_logic_digest(s->key, id - s->first),
                                     .sent_ns = now_ns};
    fal_logic_seam_sent(s, out);
}
