/* SPDX-License-Identifier: Apache-2.0
 * k_flow.h - what the K rules keep of a flow and of each of its segments. For the files of this
 * folder. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_FLOW_H
#define FAL_ORACLES_RULES_TRANSPORT_K_FLOW_H

#include "oracles/rules/transport/transport_judge.h"

#include <stddef.h>

enum {
    FAL_K_SEGMENTS = 16384, /* of a flow at most; older ones are forgotten */
    FAL_K_FLOWS = 65536,
    FAL_K_NACKS = 8, /* targets of a go-back that were named and not used yet */
    /* A flow without DELIVER keeps that many segments, in case that the first comes late. */
    FAL_K_DELIVERY_LAG = 1024,
};
/* Greater numbers of segments are taken for nonsense. */
#define FAL_K_SEG_END (UINT64_C(1) << 62)

struct fal_k_seg {
    uint64_t last_ns;    /* of the last copy that was sent, or seen */
    uint64_t last_order; /* which event that was, counted by the judge */
    uint64_t acked_ns;
    uint64_t digest; /* 0: not known */
    uint32_t bytes;  /* 0: not known */
    uint32_t copies;
    bool arrived, delivered;
    bool trimmed;  /* a trimmed copy came after it arrived */
    bool acked;    /* by feedback that reached the sender */
    bool claimed;  /* by feedback that the receiver sent */
    bool licensed; /* feedback after the last copy may have shown a loss */
    bool lost;     /* feedback has surely shown a loss, and no copy was sent since */
    bool flying;   /* it counts against the window */
};

struct fal_k_flow {
    uint32_t id;
    struct fal_k_seg *ring; /* of [low, high); a power of two */
    size_t capacity;
    uint64_t low, high; /* below low all is settled, or forgotten */
    bool forgot, begun;

    uint64_t now_ns;
    bool clock_back;       /* times of this flow went back */
    uint64_t unsure_below; /* of these segments events may have been missed */
    bool unsure;           /* of all, until the next cumulative acknowledgement */

    /* The sender. */
    uint64_t next; /* the highest segment sent, plus one */
    uint64_t posted;
    bool has_posted, has_prev;
    uint64_t prev; /* the segment that was sent last */
    uint64_t cum, cum_ns;
    uint64_t acked_above;    /* the highest segment acknowledged selectively, plus one */
    uint64_t feedback_order; /* of the last feedback that acknowledged selectively */
    uint64_t newest_acked;   /* the order of the last copy among acknowledged segments */
    uint64_t dups;           /* duplicate acknowledgements since cum moved, */
    uint64_t inflation;      /* and since the recovery began */
    uint64_t sure_dups;      /* those that each sender takes for duplicates */
    bool fresh;              /* the first of them could begin a recovery */
    uint64_t unacked;        /* segments that were sent and are not acknowledged */
    uint64_t window;         /* the last that was advertised */
    uint64_t recover, recovery_order;
    bool recovering, probed;
    bool entered;      /* the first retransmission of this recovery was sent */
    uint64_t timer_ns; /* the earliest start of the running timer */
    unsigned backoffs; /* timeouts since anything was acknowledged */
    uint64_t timeout_order, timeout_high; /* the last timeout, and what was sent before it */
    uint64_t edge;                        /* the highest cum + window */
    uint64_t grant, used;                 /* tokens */
    uint64_t credit, credit_ns;           /* of the rate, in bits of 10^-9 */
    bool has_credit, edge_known;
    uint64_t flying;
    uint64_t lost_count, lost_ns; /* segments marked `lost`, the last time one was */
    uint64_t nacks[FAL_K_NACKS];
    unsigned num_nacks;
    uint32_t largest; /* bytes of the largest segment */
    uint64_t last_send_ns, last_feedback_ns, last_post_ns;
    bool stalled, reset, done;
    uint64_t done_high;

    /* The receiver. */
    uint64_t claim;                      /* the highest cumulative acknowledgement */
    uint64_t claim_dups, claim_dup_high; /* repeated, and what was sent then */
    bool has_claim;
    uint64_t answer_due_ns; /* 0: none is due */
    bool delivers;          /* DELIVER was seen */
    bool undelivered;       /* a segment was settled before DELIVER of it was seen */
    uint64_t deliver_next;
    bool has_deliver_next;
};

struct fal_tp_judge {
    struct fal_tp_row row;
    struct fal_tp_view view;
    struct fal_tally *tally;
    struct fal_k_flow **flows; /* by hash of the id, a power of two */
    size_t slots, num_flows;
    uint64_t now_ns, number, order;
};

/* Whether the observer sees what the sender does, and what reaches the receiver. */
static inline bool fal_k_at_sender(const struct fal_tp_judge *k)
{
    return k->view.vantage == FAL_TP_BOTH || k->view.vantage == FAL_TP_SENDER;
}
static inline bool fal_k_at_receiver(const struct fal_tp_judge *k)
{
    return k->view.vantage == FAL_TP_BOTH || k->view.vantage == FAL_TP_RECEIVER;
}

/* The flow of that number, NULL: no event was of it. */
struct fal_k_flow *fal_k_flow_find(const struct fal_tp_judge *k, uint32_t id);
/* Forgets all of the flow but its number. */
void fal_k_flow_clear(struct fal_k_flow *f);
/* The flow of that number, made if it is not there. Returns 1 with *flow, 0 if there are too
 * many, or FAL_ERR_MEM. */
MUST_USE int fal_k_flow_of(struct fal_tp_judge *k, uint32_t id, struct fal_k_flow **flow);
void fal_k_flows_free(struct fal_tp_judge *k);

/* A segment that is kept, else NULL. */
struct fal_k_seg *fal_k_at(const struct fal_k_flow *f, uint64_t seg);
/* The same; the flow is extended up to it. *out is NULL where it is below low, or nonsense.
 * Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_k_hold(struct fal_k_flow *f, uint64_t seg, struct fal_k_seg **out);
/* The oldest segment that was sent and is not acknowledged, as far as it is kept, else NULL. */
const struct fal_k_seg *fal_k_oldest(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                                     uint64_t *seg);
/* Drops segments of which nothing more can be asked. */
void fal_k_settle(const struct fal_tp_judge *k, struct fal_k_flow *f);

/* Whether an event of that segment may have been missed. */
static inline bool fal_k_unsure(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                                uint64_t seg)
{
    return !k->view.complete || f->unsure || seg < f->unsure_below;
}

/* A cumulative acknowledgement after a gap in the view: what was sent in the gap, and a
 * recovery that began in it, are over some windows later. */
void fal_k_sure_again(const struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t cum);

/* a - b, at least 0. */
static inline uint64_t fal_k_less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}
/* a + b, at most UINT64_MAX. */
static inline uint64_t fal_k_more(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline void fal_k_held(struct fal_tp_judge *k, enum fal_k_rule rule)
{
    fal_tally_held(k->tally, rule);
}
static inline void fal_k_excused(struct fal_tp_judge *k, enum fal_k_rule rule,
                                 const char *reason)
{
    fal_tally_excused(k->tally, rule, reason);
}
/* A violation, shown by the present event. */
#define fal_k_broken(k, f, rule, ...)                                              \
    fal_tally_found((k)->tally, rule,                                              \
                    &(const struct fal_tally_finding){.verdict = FAL_VERDICT_FAIL, \
                                                      .at_ns = (k)->now_ns,        \
                                                      .number = (k)->number,       \
                                                      .flow = (f)->id},            \
                    __VA_ARGS__)

#endif
