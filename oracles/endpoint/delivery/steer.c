/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/steer.h"

#include "oracles/endpoint/delivery/transmit.h"

#include <stdlib.h>

enum { HELD_MAX = 8192 /* more than both windows have packets */ };

struct held {
    uint64_t due_ns;
    struct fal_falcon ack;
};

struct fal_steering {
    struct fal_steer now;
    struct held *held; /* a ring */
    size_t first, count, cap;
};

int fal_steer_set(struct fal_ep_conn *conn, const struct fal_steer *steer)
{
    if (conn->steering == NULL)
        conn->steering = calloc(1, sizeof *conn->steering);
    if (conn->steering == NULL)
        return FAL_ERR_MEM;
    conn->steering->now = *steer;
    return 0;
}

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
    if (!steer->has_delay)
        return;
    rtt_ns = steer->hold_ns + steer->path_ns;
    ack->t2 = fal_clock_ticks(&conn->ep->clock, now_ns);
    if (rtt_ns > steer->delay_ns)
        ack->t2 -= (uint32_t)fal_ns_ticks(rtt_ns - steer->delay_ns);
}

static struct held *at(const struct fal_steering *s, size_t i)
{
    return &s->held[(s->first + i) % s->cap];
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

bool fal_steer_hold(struct fal_ep_conn *conn, const struct fal_falcon *ack)
{
    struct fal_steering *s = conn->steering;

    /* An ACK does not overtake those that are held. */
    if (s == NULL || (s->count == 0 && (!s->now.on || s->now.hold_ns == 0)))
        return false;
    if (s->count == HELD_MAX)
        return false;
    if (s->count == s->cap && !grow(s)) {
        conn->ep->out_of_memory = true;
        return false;
    }
    *at(s, s->count++) = (struct held){
        .due_ns = conn->ep->now_ns + (s->now.on ? s->now.hold_ns : 0), .ack = *ack};
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
        struct fal_falcon ack = at(s, 0)->ack;

        s->first = (s->first + 1) % s->cap;
        s->count--;
        fal_steer_fill(conn, &ack);
        fal_transmit_emit(conn, &ack, NULL, 0);
    }
}
