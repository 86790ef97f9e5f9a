/* SPDX-License-Identifier: Apache-2.0
 * rate.h - the interval in which the rate of a DCQCN sender (reaction point) lies, by the CNPs
 * that arrived and the bytes that it sent.
 *
 * The state of the reaction point (rate, target, counters, timers) has an order: an increase
 * never makes a higher state lower, and a cut never makes a lower state higher. So the upper
 * edge is the state with as few and as late cuts, and as many and as early increases, as the
 * declared parameters leave possible, and with the smallest alpha; the lower edge is the
 * opposite. That covers every fork that is left open: the phase of the slots, a cut at the CNP
 * or at the end of its slot, CNPs in one slot that count once, an event counted before or after
 * it decides the stage. */
#ifndef FAL_ORACLES_RULES_ROCE_RATE_H
#define FAL_ORACLES_RULES_ROCE_RATE_H

#include "oracles/rules/roce/setup.h"

enum { FAL_ROCE_CUTS = 16, FAL_ROCE_RAISES = 16 };

/* The upper edge. */
struct fal_roce_upper {
    double rate, target; /* bit/s */
    bool limited;        /* a cut has surely happened */
    double alpha;        /* the least that it was at alpha_ns, raises that are sure included */
    uint64_t alpha_ns;
    bool had_cnp, from_start;
    uint64_t counted_ns; /* the last CNP that surely raises alpha */
    uint64_t raises[FAL_ROCE_RAISES];
    unsigned num_raises; /* that are not surely over yet */
    struct {
        uint64_t from_ns, by_ns; /* the earliest and the latest time of the cut */
        double factor;
        uint64_t bytes; /* sent up to from_ns */
    } cuts[FAL_ROCE_CUTS];
    unsigned num_cuts; /* to come */
    uint64_t last_cnp_ns,
        last_cut_by_ns; /* a CNP before the capture counts as one at its begin */
    bool had_cut;
    uint64_t timer_ns; /* the increases by the timer count from here */
    uint64_t timer_events, byte_events;
    uint64_t sent, byte_mark; /* bytes since the flow began; up to the last byte event */
    uint32_t largest;         /* data of a packet: one may be on its way out at a cut */
    double level;             /* bytes that exceed what the rate allows */
    unsigned packets;         /* since the level was last 0 */
    uint64_t level_ns;
};

/* The lower edge. */
struct fal_roce_lower {
    double rate, target;
    uint64_t timer_ns, timer_events;
};

/* CNPs that cut the rate in a piece of time. */
struct fal_roce_cnps_of {
    unsigned count;
    uint64_t first_ns, last_ns;
    double alpha; /* the most that it was at one of them */
};

/* A piece of time in which a rate is measured (RP2 to RP4). */
struct fal_roce_slot {
    uint64_t from_ns, number;
    uint64_t bytes, port; /* of the flow; of all flows before it, which share the port */
    unsigned packets;
    struct fal_roce_cnps_of cnps;
    double least; /* the lower edge at its beginning */
    bool others;  /* a CNP came for another queue pair of the sender */
    bool there;
};

struct fal_roce_rate {
    struct fal_roce_upper upper;
    struct fal_roce_lower lower;
    struct fal_roce_slot slot;
    double before; /* the rate in the slot before, at least; 0: none */
    struct fal_roce_cnps_of cnps_before;
    double alpha; /* at most, right after the last CNP; before the first one: at the start */
    uint64_t last_cnp_ns;
    bool had_cnp;
};

/* Which parameter keeps the edges from being known; NULL: none. */
const char *fal_rj_rate_excuse(const struct fal_rj_setup *setup);

/* The first packet of the flow: `from_start` when it is the first one of its connection. */
void fal_rj_rate_begin(struct fal_roce_rate *rate, const struct fal_rj_setup *setup,
                       uint64_t at_ns, bool from_start);
/* A CNP arrived. */
void fal_rj_rate_cnp(struct fal_roce_rate *rate, const struct fal_rj_setup *setup,
                     uint64_t at_ns);
/* The least part of a rate that these CNPs leave. */
double fal_rj_rate_left(const struct fal_rj_setup *setup, const struct fal_roce_cnps_of *cnps);
/* The rates at that time. */
void fal_rj_rate_advance(struct fal_roce_rate *rate, const struct fal_rj_setup *setup,
                         uint64_t at_ns);
/* A packet left: `data` bytes at least are counted by the limiter, `wire` at most. True when
 * more left than the upper edge allows, over at least 32 packets. */
bool fal_rj_rate_sent(struct fal_roce_rate *rate, const struct fal_rj_setup *setup,
                      uint64_t at_ns, uint32_t data, uint32_t wire);
/* Packets or CNPs were not seen: nothing is known of the rate. */
void fal_rj_rate_forget(struct fal_roce_rate *rate, const struct fal_rj_setup *setup,
                        uint64_t at_ns);

#endif
