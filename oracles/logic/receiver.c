/* SPDX-License-Identifier: Apache-2.0
 * receiver.c - see receiver.h. */
#include "oracles/logic/receiver.h"

#include <assert.h>
#include <string.h>

enum { REPEATS = 16 };

void fal_logic_receiver_init(struct fal_logic_receiver *r,
                             const struct fal_logic_receiver_config *config, uint32_t first)
{
    assert(config->ranges <= FAL_TP_RANGES && config->ack_every > 0);
    memset(r, 0, sizeof *r);
    r->config = *config;
    r->first = r->cum = r->delivered_end = first;
}

static struct fal_logic_reply *add(struct fal_logic_receiver *r)
{
    assert(r->num_out < FAL_LOGIC_REPLIES);
    r->out[r->num_out] = (struct fal_logic_reply){0};
    return &r->out[r->num_out++];
}

/* Appends the ranges that hold [from, end) segments, one after another, except `skip`. */
static void add_ranges(const struct fal_logic_receiver *r, struct fal_logic_reply *reply,
                       struct fal_logic_range skip)
{
    uint32_t at = r->cum, end = r->cum + fal_ring_end(r->got, r->cum, FAL_LOGIC_WINDOW);

    while (at != end && reply->num_got < r->config.ranges) {
        uint32_t first = at + fal_ring_first_set(r->got, at, end - at);
        uint32_t after = first + fal_ring_first_clear(r->got, first, end - first);

        if (first != skip.first)
            reply->got[reply->num_got++] = (struct fal_logic_range){first, after};
        at = after;
    }
}

/* The ranges of segments that arrived above cum: the one with the newest segment first. */
static void select_ranges(const struct fal_logic_receiver *r, struct fal_logic_reply *reply)
{
    struct fal_logic_range newest = {r->cum, r->cum};
    uint32_t above = r->newest - r->cum;

    if (r->config.ranges == 0)
        return;
    if (above < FAL_LOGIC_WINDOW && fal_ring_get(r->got, r->newest)) {
        newest.first = r->newest;
        while (newest.first != r->cum && fal_ring_get(r->got, newest.first - 1))
            newest.first--;
        newest.end =
            r->newest + fal_ring_first_clear(r->got, r->newest, FAL_LOGIC_WINDOW - above);
        reply->got[reply->num_got++] = newest;
    }
    add_ranges(r, reply, newest);
}

static struct fal_logic_reply *acknowledge(struct fal_logic_receiver *r)
{
    struct fal_logic_reply *reply = add(r);

    reply->has_cum = true;
    reply->cum = r->cum;
    reply->window = r->config.window;
    reply->echo_ns = r->echo_ns;
    reply->grant = r->grant;
    if (r->config.cnp_interval_ns == 0) {
        reply->ecn = r->marked;
        r->marked = false;
    }
    select_ranges(r, reply);
    r->pending = 0;
    r->ack_ns = r->echo_ns = 0;
    fal_logic_seam_reply(r, reply);
    return reply;
}

static void nack(struct fal_logic_receiver *r, uint32_t id)
{
    struct fal_logic_reply *reply = acknowledge(r);

    reply->nack = true;
    reply->nack_id = id;
}

/* ---- marks ---- */

static void notify(struct fal_logic_receiver *r, uint64_t now_ns)
{
    add(r)->cnp = true;
    r->marked = false;
    r->cnp_ns = now_ns + r->config.cnp_interval_ns;
}

/* The notification point: at once when the last interval is over, else at its end. */
static void mark(struct fal_logic_receiver *r, uint64_t now_ns)
{
    r->marked = true;
    if (r->config.cnp_interval_ns != 0 && (r->cnp_ns == 0 || r->cnp_ns <= now_ns))
        notify(r, now_ns);
}

/* ---- segments ---- */

/* The expected segment came, and what waited for it. */
static void take(struct fal_logic_receiver *r)
{
    uint32_t n = fal_ring_first_clear(r->got, r->cum, FAL_LOGIC_WINDOW);

    fal_ring_clear(r->got, r->cum, n);
    r->cum += n;
    r->delivered_end = r->cum;
    r->nacked = false;
}

static void in_order(struct fal_logic_receiver *r, uint64_t now_ns)
{
    bool filled = fal_ring_count(r->got, r->cum, FAL_LOGIC_WINDOW) > 1;

    take(r);
    r->pending++;
    /* RFC 5681 4.2: a segment that fills a gap is acknowledged at once. */
    if (filled || r->pending >= r->config.ack_every || r->config.ack_delay_ns == 0)
        (void)acknowledge(r);
    else if (r->ack_ns == 0)
        r->ack_ns = now_ns + r->config.ack_delay_ns;
}

static void out_of_order(struct fal_logic_receiver *r, uint32_t id)
{
    bool once = r->config.nacks == FAL_LOGIC_NACK_ONCE;

    r->newest = id;
    if (r->config.buffers)
        fal_ring_put(r->got, id, true);
    if (r->config.nacks == FAL_LOGIC_NACK_EACH || (once && !r->nacked))
        nack(r, r->cum);
    else if (!once)
        (void)acknowledge(r);
    r->nacked = true;
}

void fal_logic_receiver_arrive(struct fal_logic_receiver *r,
                               const struct fal_logic_packet *packet, uint64_t now_ns)
{
    uint32_t above = packet->id - r->cum;

    r->num_out = 0;
    r->pulls_owed += r->config.pulls;
    r->repeat_ns = r->repeats = 0;
    if (packet->ce)
        mark(r, now_ns);
    if (r->echo_ns == 0 || packet->id != r->cum) /* RFC 7323: the oldest of those delayed */
        r->echo_ns = packet->sent_ns;
    if (packet->trimmed && above < FAL_LOGIC_WINDOW && !fal_ring_get(r->got, packet->id)) {
        r->echo_ns = 0; /* headers overtake data: it is no round trip of data */
        nack(r, packet->id);
    } else if (packet->trimmed) {
        (void)acknowledge(r); /* of a segment that arrived before */
    } else if (above == 0) {
        fal_ring_put(r->got, packet->id, true);
        in_order(r, now_ns);
    } else if (above < FAL_LOGIC_WINDOW) {
        out_of_order(r, packet->id);
    } else {
        r->echo_ns = 0; /* a duplicate: its time says nothing */
        (void)acknowledge(r);
    }
}

/* A token was told: when nothing comes of it, it went lost. */
static void await(struct fal_logic_receiver *r, uint64_t now_ns)
{
    r->repeat_ns = 0;
    if (r->config.repeat_ns != 0 && r->repeats < REPEATS)
        r->repeat_ns = now_ns + (r->config.repeat_ns << r->repeats++);
}

void fal_logic_receiver_timers(struct fal_logic_receiver *r, uint64_t now_ns)
{
    r->num_out = 0;
    if (r->ack_ns != 0 && r->ack_ns <= now_ns)
        (void)acknowledge(r);
    if (r->config.cnp_interval_ns != 0 && r->marked && r->cnp_ns <= now_ns)
        notify(r, now_ns);
    if (r->repeat_ns != 0 && r->repeat_ns <= now_ns) {
        add(r)->grant = r->grant;
        await(r, now_ns);
    }
}

uint64_t fal_logic_receiver_deadline(const struct fal_logic_receiver *r)
{
    uint64_t ack = r->ack_ns != 0 ? r->ack_ns : UINT64_MAX;
    uint64_t cnp = r->config.cnp_interval_ns != 0 && r->marked ? r->cnp_ns : UINT64_MAX;

    uint64_t first = ack < cnp ? ack : cnp;

    return r->repeat_ns != 0 && r->repeat_ns < first ? r->repeat_ns : first;
}

void fal_logic_receiver_pull(struct fal_logic_receiver *r, uint64_t now_ns)
{
    r->num_out = 0;
    if (r->pulls_owed == 0)
        return;
    r->pulls_owed--;
    add(r)->grant = ++r->grant;
    await(r, now_ns);
}
