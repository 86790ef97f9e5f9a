/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/steer.h"

#include "codecs/header/ccqueue.h"
#include "oracles/endpoint/delivery/transmit.h"

#include <stdlib.h>

enum { HELD_MAX = 8192 /* more than both windows have packets */ };

struct held {
    uint64_t due_ns;
    uint32_t way; /* from T1 to T2, in ticks of two clocks */
    struct fal_falcon ack;
};

struct fal_steering {
    struct fal_steer now;
    struct held *held; /* a ring */
    size_t first, count, cap;
    uint32_t fastest; /* the least `way` of those that leave together */
};

void fal_steer_free(struct fal_ep_conn *conn)
{
    if (conn->steering != NULL)
        free(conn->steering->held);
    free(conn->steering);
    conn->steering = NULL;
}

bool fal_steer_each(const struct fal_ep_conn *conn)
{
    return conn->steering != NULL && conn->steering->now.on;
}

unsigned fal_steer_marks(const struct fal_ep_conn *conn)
{
    return fal_steer_each(conn) ? conn->steering->now.marks : 0;
}

/* 10.1: the fabric delay is the round trip without the time at the receiver, T3 - T2. The round
 * trip is known and T3 is now, so T2 decides which delay the peer sees. */
void fal_steer_fill(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    const struct fal_steer *steer = conn->steering != NULL ? &conn->steering->now : NULL;
    uint64_t rtt_ns, now_ns = conn->ep->now_ns;

    if (steer == NULL || !steer->on)
        return;
    if (steer->has_hops)
        ack->hop_count = steer->hops;
    if (steer->has_level)
        ack->rx_buffer_occupancy = steer->level;
    if (!steer->has_delay || steer->together)
        return;
    rtt_ns = steer->hold_ns + steer->path_ns;
    ack->t2 = fal_clock_ticks(&conn->ep->clock, now_ns);
    if (rtt_ns > steer->delay_ns)
        ack->t2 -= (uint32_t)fal_ns_ticks(rtt_ns - steer->delay_ns);
}

/* The way of a packet is known but for the difference of two clocks, so the fastest one of
 * those that leave together stands for the path. The peer computes T4 - T1 - (T3 - T2): to the
 * true delay, the path and what this packet took longer, T2 adds what is missing. */
static void fill_each(const struct fal_steering *s, const struct held *held,
                      struct fal_falcon *ack)
{
    uint32_t arrived = ack->t2, longer = (held->way - s->fastest) & FAL_CC_TIME_MAX;

    ack->hop_count = s->now.has_hops ? s->now.hops : ack->hop_count;
    ack->rx_buffer_occupancy = s->now.has_level ? s->now.level : ack->rx_buffer_occupancy;
    if (s->now.has_delay)
        ack->t2 = arrived + (uint32_t)fal_ns_ticks(s->now.delay_ns) -
                  (uint32_t)fal_ns_ticks(s->now.path_ns) - longer;
}

/* Of two ways, whose difference is small, the shorter. */
static uint32_t shorter(uint32_t a, uint32_t b)
{
    return ((a - b) & FAL_CC_TIME_MAX) <= FAL_CC_TIME_MAX / 2 ? b : a;
}

static struct held *at(const struct fal_steering *s, size_t i)
{
    return &s->held[(s->first + i) % s->cap];
}

/* Those that wait for it are due now. */
static void release(struct fal_steering *s, uint64_t now_ns)
{
    bool first = true;

    for (size_t i = 0; i < s->count; i++) {
        struct held *held = at(s, i);

        if (held->due_ns != FAL_NEVER)
            continue;
        held->due_ns = now_ns;
        s->fastest = first ? held->way : shorter(s->fastest, held->way);
        first = false;
    }
}

int fal_steer_set(struct fal_ep_conn *conn, const struct fal_steer *steer)
{
    if (conn->steering == NULL)
        conn->steering = calloc(1, sizeof *conn->steering);
    if (conn->steering == NULL)
        return FAL_ERR_MEM;
    conn->steering->now = *steer;
    release(conn->steering, conn->ep->now_ns);
    return 0;
}

static bool grow(struct fal_steering *s)
{
    size_t cap = s->cap == 0 ? 64 : 2 * s->cap;
    struct held *more = malloc(cap * sizeof *more);

    if (more == NULL)
        return false;
    for (size_t i = 0; i < s->count; i++)
        more[i] = *at(s, i);
    free(s->held);
    s->held = more;
    s->first = 0;
    s->cap = cap;
    return true;
}

static uint64_t due_ns(const struct fal_ep_conn *conn)
{
    const struct fal_steer *steer = &conn->steering->now;

    if (steer->on && steer->together)
        return FAL_NEVER;
    return conn->ep->now_ns + (steer->on ? steer->hold_ns : 0);
}

bool fal_steer_hold(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_steering *s = conn->steering;

    /* An ACK does not overtake those that are held. */
    if (s == NULL ||
        (s->count == 0 && (!s->now.on || (s->now.hold_ns == 0 && !s->now.together))))
        return false;
    if (s->count == HELD_MAX)
        return false;
    if (s->count == s->cap && !grow(s)) {
        conn->ep->out_of_memory = true;
        return false;
    }
    *at(s, s->count) = (struct held){
        .due_ns = due_ns(conn), .way = (ack->t2 - ack->t1) & FAL_CC_TIME_MAX, .ack = *ack};
    s->count++;
    return true;
}

uint64_t fal_steer_deadline(const struct fal_ep_conn *conn)
{
    const struct fal_steering *s = conn->steering;

    return s != NULL && s->count > 0 ? at(s, 0)->due_ns : FAL_NEVER;
}

void fal_steer_expire(struct fal_ep_conn *conn)
{
    struct fal_steering *s = conn->steering;

    while (s != NULL && s->count > 0 && at(s, 0)->due_ns <= conn->ep->now_ns) {
        const struct held held = *at(s, 0);
        struct fal_falcon ack = held.ack;

        s->first = (s->first + 1) % s->cap;
        s->count--;
        if (s->now.on && s->now.together)
            fill_each(s, &held, &ack);
        else
            fal_steer_fill(conn, &ack);
        fal_transmit_emit(conn, &ack, NULL, 0);
        /* The next one has a departure time of its own, also when this one was late. */
        if (s->now.on && s->count > 0 && at(s, 0)->due_ns < conn->ep->now_ns + s->now.apart_ns)
            at(s, 0)->due_ns = conn->ep->now_ns + s->now.apart_ns;
    }
}
