/* SPDX-License-Identifier: Apache-2.0
 * newreno_testing.h - a NewReno sender of tests, written from RFC 5681, 6582 and 6298 alone: it
 * counts in bytes as the RFCs do, has a plain table of segments, and shares nothing with the
 * kit. */
#ifndef FAL_ORACLES_LOGIC_NEWRENO_TESTING_H
#define FAL_ORACLES_LOGIC_NEWRENO_TESTING_H

#include <stdbool.h>
#include <stdint.h>

struct reno_end {
    uint64_t smss, total;          /* bytes of a segment, and of the transfer */
    uint64_t una, nxt, high;       /* SND.UNA, SND.NXT, one above the highest byte sent */
    uint64_t cwnd, ssthresh, rwnd; /* bytes */
    uint64_t recover;              /* RFC 6582: bytes below it were sent when the loss showed */
    unsigned dupacks;
    bool fast;                      /* in fast recovery */
    bool resend;                    /* the segment at una is to be sent at once */
    bool restarted;                 /* by a partial acknowledgement */
    double srtt, rttvar;            /* ns; srtt 0: none */
    uint64_t rto, rto_least, timer; /* ns; timer 0: off */
    uint64_t counted;               /* bytes acknowledged in congestion avoidance */
};

static inline void reno_begin(struct reno_end *e, uint64_t smss, uint64_t total,
                              uint64_t initial, uint64_t rwnd, uint64_t rto_least)
{
    *e = (struct reno_end){.smss = smss,
                           .total = total,
                           .cwnd = initial,
                           .ssthresh = rwnd,
                           .rwnd = rwnd,
                           .rto = rto_least,
                           .rto_least = rto_least};
}

static inline uint64_t reno_half(const struct reno_end *e)
{
    uint64_t half = (e->high - e->una) / e->smss / 2 * e->smss; /* whole segments */

    return half > 2 * e->smss ? half : 2 * e->smss;
}

static inline void reno_round_trip(struct reno_end *e, double ns)
{
    double rto;

    if (e->srtt == 0) {
        e->srtt = ns;
        e->rttvar = ns / 2;
    } else {
        double off = e->srtt > ns ? e->srtt - ns : ns - e->srtt;

        e->rttvar = 0.75 * e->rttvar + 0.25 * off;
        e->srtt = 0.875 * e->srtt + 0.125 * ns;
    }
    rto = e->srtt + 4 * e->rttvar;
    e->rto = rto > (double)e->rto_least ? (uint64_t)rto : e->rto_least;
}

static inline void reno_grow(struct reno_end *e, uint64_t acked)
{
    if (e->cwnd < e->ssthresh) { /* slow start; L = 2 for delayed acknowledgements (RFC 3465) */
        e->cwnd += acked < 2 * e->smss ? acked : 2 * e->smss;
    } else {
        e->counted += acked;
        if (e->counted >= e->cwnd) {
            e->counted -= e->cwnd;
            e->cwnd += e->smss;
        }
    }
    if (e->cwnd > e->rwnd)
        e->cwnd = e->rwnd;
}

/* RFC 6582 3.2. `sample`: ns of a round trip, 0: none. */
static inline void reno_ack(struct reno_end *e, uint64_t ack, double sample, uint64_t now)
{
    uint64_t acked = ack > e->una ? ack - e->una : 0;

    if (acked == 0) {
        if (e->una == e->high || ack < e->una)
            return;
        e->dupacks++;
        if (e->fast) {
            e->cwnd += e->smss;
        } else if (e->dupacks == 3 && (ack > e->recover || e->recover == 0)) {
            e->ssthresh = reno_half(e);
            e->recover = e->high;
            e->cwnd = e->ssthresh + 3 * e->smss;
            e->fast = e->resend = true;
            e->restarted = false;
        }
        return;
    }
    if (sample > 0)
        reno_round_trip(e, sample);
    e->una = ack;
    if (e->nxt < e->una)
        e->nxt = e->una;
    e->dupacks = 0;
    if (e->fast && ack < e->recover) { /* partial */
        e->resend = true;
        e->cwnd = (e->cwnd > acked ? e->cwnd - acked : 0) + e->smss;
        if (!e->restarted)
            e->timer = now + e->rto;
        e->restarted = true;
        return;
    }
    if (e->fast) {
        uint64_t flight = e->high - e->una + e->smss;

        if (flight < 3 * e->smss) /* at least that much, as the RFC advises against bursts */
            flight = e->ssthresh;
        e->cwnd = flight < e->ssthresh ? flight : e->ssthresh;
        e->fast = false;
    } else {
        reno_grow(e, acked);
    }
    e->timer = e->una == e->high ? 0 : now + e->rto;
}

static inline void reno_timeout(struct reno_end *e, uint64_t now)
{
    if (e->cwnd > e->smss)
        e->ssthresh = reno_half(e);
    e->recover = e->high;
    e->cwnd = e->smss;
    e->nxt = e->una; /* go back */
    e->fast = e->resend = false;
    e->dupacks = 0;
    e->counted = 0;
    e->rto *= 2;
    e->timer = now + e->rto;
}

/* The next byte to send a segment from; UINT64_MAX: nothing may be sent. */
static inline uint64_t reno_next(const struct reno_end *e)
{
    if (e->resend)
        return e->una;
    if (e->nxt >= e->total || e->nxt >= e->una + e->cwnd || e->nxt >= e->una + e->rwnd)
        return UINT64_MAX;
    return e->nxt;
}

static inline void reno_sent(struct reno_end *e, uint64_t from, uint64_t now)
{
    if (e->resend && from == e->una) {
        e->resend = false;
        if (e->nxt == e->una)
            e->nxt += e->smss;
    } else {
        e->nxt = from + e->smss;
    }
    if (e->nxt > e->high)
        e->high = e->nxt;
    if (e->timer == 0)
        e->timer = now + e->rto;
}

#endif
