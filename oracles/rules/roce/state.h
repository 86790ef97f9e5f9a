/* SPDX-License-Identifier: Apache-2.0
 * state.h - what the judge of RoCEv2 keeps: paths between two hosts, flows (all packets from
 * one host to one queue pair of another), and what each group of rules knows of them. Files of
 * this folder alone include it. */
#ifndef FAL_ORACLES_RULES_ROCE_STATE_H
#define FAL_ORACLES_RULES_ROCE_STATE_H

#include "oracles/rules/roce/judge.h"
#include "oracles/rules/roce/rate.h"

enum fal_roce_rule {
    FAL_ROCE_NP1,
    FAL_ROCE_NP2,
    FAL_ROCE_NP3,
    FAL_ROCE_NP4,
    FAL_ROCE_RP1,
    FAL_ROCE_RP2,
    FAL_ROCE_RP3,
    FAL_ROCE_RP4,
    FAL_ROCE_CP1,
    FAL_ROCE_GB1,
    FAL_ROCE_GB2,
    FAL_ROCE_GB3,
    FAL_ROCE_GB4,
    FAL_ROCE_GB5,
    FAL_ROCE_GB6,
    FAL_ROCE_WF1,
    FAL_ROCE_WF2,
    FAL_ROCE_WF3,
    FAL_ROCE_RULES
};

#define FAL_ROCE_NO_FLOW UINT32_MAX /* no flow, no path */

/* All packets from one host to another. */
struct fal_roce_path {
    struct fal_rj_host src, dst;
    uint32_t back;  /* the path of the other direction, or NO_FLOW */
    uint32_t flows; /* the first of them, or NO_FLOW */
    uint32_t num_flows;
    bool src_judged, dst_judged;
    uint64_t marked, cnps, last_cnp_ns;
    bool had_cnp;
};

enum fal_roce_pairing { FAL_ROCE_UNPAIRED, FAL_ROCE_LEARNED, FAL_ROCE_GIVEN };

/* A place in the capture that a finding can name. */
struct fal_roce_place {
    uint64_t at_ns, number;
    bool there;
};

/* The receiver's side of a flow that carries data: marks that a CNP answers (np.c). */
struct fal_roce_marks {
    uint64_t marked;
    struct fal_roce_place first;
    struct fal_roce_place due; /* a marked packet that a CNP has to follow */
    uint32_t due_psn;
    bool overdue, accepted; /* the time is over; the packet was acknowledged */
    bool listed;            /* on the judge's list of flows with something due */
    uint32_t next_due;
};

/* CNPs that a flow carries to its queue pair. */
struct fal_roce_cnps {
    uint64_t settled; /* those that no packet before the capture can have caused */
    struct fal_roce_place first, last;
    struct fal_roce_place groundless; /* no mark before it; one may yet come within the error */
};

enum { FAL_ROCE_TIMES = 1024, FAL_ROCE_SPAN = 4096, FAL_ROCE_ACKS = 8 };

/* The requests that a flow carries: the sender's numbers, and which were seen (gbn*.c). */
struct fal_roce_sends {
    uint32_t high, prev; /* the newest number; the one of the packet before */
    uint32_t frontier;   /* the oldest number that was not seen */
    uint64_t seen[FAL_ROCE_SPAN / 64];
    bool reads;   /* READs and atomics: their responses acknowledge, too */
    bool unsized; /* a READ of which the number of packets is not known */
    uint32_t unacked;
    bool has_unacked, fatal;
    struct {
        uint32_t unacked;
        uint64_t at_ns;
    } acks[FAL_ROCE_ACKS]; /* the newest, as a ring */
    unsigned num_acks;
    struct fal_roce_place nak; /* a NAK that the sender has yet to follow */
    uint32_t nak_psn;
    uint64_t last_nak_ns, jumped_ns; /* any NAK; the newest jump back */
    uint64_t last_ack_ns;            /* the newest progress */
    uint64_t decided_ns, sent_ns;    /* the jump was decided after this; the newest packet */
    bool had_nak, had_sequence_nak, jumped;
    struct {
        uint32_t psn;
        uint64_t at_ns;
        bool there;
    } times[FAL_ROCE_TIMES]; /* of the newest copy of a number, by number */
};

/* What a flow carries back to the sender of requests. */
struct fal_roce_answers {
    bool had_nak, nak_target_seen;
    uint32_t nak_psn;
    bool had_msn;
    uint32_t msn;
    /* While it is not known what they answer: */
    bool had_end, had_any_nak;
    uint32_t end; /* the largest number that they acknowledge all below */
    uint64_t any_nak_ns;
};

struct fal_roce_flow {
    uint32_t path, next; /* its path; the next flow of that path */
    uint32_t qp;         /* at the destination */
    uint32_t twin;       /* the flow of the other direction, or NO_FLOW */
    enum fal_roce_pairing pairing;
    uint32_t candidate; /* for twin, while it is learned */
    uint32_t matched_psn;
    unsigned matches, tries;
    uint64_t packets;
    struct fal_roce_marks marks;
    struct fal_roce_cnps cnps;
    struct fal_roce_answers answers;
    struct fal_roce_sends *sends; /* NULL: no request was seen */
    struct fal_roce_rate *rate;   /* NULL: no packet that is paced was seen */
};

struct fal_roce_marking; /* cp.c */

struct fal_roce_judge {
    struct fal_rj_setup setup;
    struct fal_roce_path *paths;
    struct fal_roce_flow *flows;
    size_t num_paths, cap_paths, num_flows, cap_flows;
    uint32_t *path_slots, *flow_slots; /* hash tables: number + 1 */
    size_t num_path_slots, num_flow_slots;
    uint32_t due; /* flows with something due */
    uint64_t start_ns, now_ns, last_cnp_ns;
    bool started, had_cnp, gap, was_gap;
    struct fal_roce_counts counts;
    uint64_t port_bytes; /* that the hosts that are judged sent */
    struct fal_roce_marking *marking;
    struct fal_tally tally;
    struct fal_tally_row rows[FAL_ROCE_RULES];
};

/* ---- flows.c ---- */

/* The flow of a packet; NO_FLOW: no room. */
uint32_t fal_rj_flow_of(struct fal_roce_judge *judge, const struct fal_roce_seen *seen);
/* The flow from host to queue pair if it is known; NO_FLOW otherwise. */
uint32_t fal_rj_flow_find(const struct fal_roce_judge *judge, const struct fal_rj_host *src,
                          const struct fal_rj_host *dst, uint32_t qp);
bool fal_rj_same_host(const struct fal_rj_host *a, const struct fal_rj_host *b);
/* The sends of a flow, made at the first request; NULL: out of memory. */
struct fal_roce_sends *fal_rj_sends_of(struct fal_roce_judge *judge, uint32_t flow);

/* ---- pairs.c ---- */

/* Learns from an acknowledgement which flow it acknowledges. */
void fal_rj_learn(struct fal_roce_judge *judge, uint32_t flow,
                  const struct fal_roce_seen *seen);
/* Whether the setup names the queue pair of a flow, and the queue pair at its other end. */
bool fal_rj_given_peer(const struct fal_roce_judge *judge, uint32_t flow, uint32_t *qp);
/* Pairs a new flow that the setup names. */
void fal_rj_pair_given(struct fal_roce_judge *judge, uint32_t flow);

/* ---- rules: one function for each packet, and the end ---- */

void fal_rj_form(struct fal_roce_judge *judge, uint32_t flow, const struct fal_roce_seen *seen);
void fal_rj_np_data(struct fal_roce_judge *judge, uint32_t flow,
                    const struct fal_roce_seen *seen);
void fal_rj_np_cnp(struct fal_roce_judge *judge, uint32_t flow,
                   const struct fal_roce_seen *seen);
/* The requests of a flow were acknowledged up to, but not including, a number. */
void fal_rj_np_acked(struct fal_roce_judge *judge, uint32_t flow, uint32_t unacked);
void fal_rj_np_paired(struct fal_roce_judge *judge, uint32_t data, uint32_t back);
void fal_rj_np_time(struct fal_roce_judge *judge);
void fal_rj_np_gap(struct fal_roce_judge *judge);
void fal_rj_np_end(struct fal_roce_judge *judge);
void fal_rj_gb_request(struct fal_roce_judge *judge, uint32_t flow,
                       const struct fal_roce_seen *seen);
void fal_rj_gb_answer(struct fal_roce_judge *judge, uint32_t flow,
                      const struct fal_roce_seen *seen);
/* The part of the sender in gbn_send.c: an answer to its requests arrived. */
void fal_rj_gb_answered(struct fal_roce_judge *judge, uint32_t requests,
                        const struct fal_roce_seen *seen);
/* It became known which requests a flow answers. */
void fal_rj_gb_paired(struct fal_roce_judge *judge, uint32_t requests, uint32_t answers);
void fal_rj_rp_sent(struct fal_roce_judge *judge, uint32_t flow,
                    const struct fal_roce_seen *seen);
void fal_rj_rp_cnp(struct fal_roce_judge *judge, uint32_t flow,
                   const struct fal_roce_seen *seen);
void fal_rj_rp_gap(struct fal_roce_judge *judge);
void fal_rj_cp_packet(struct fal_roce_judge *judge, const struct fal_roce_seen *seen);
void fal_rj_cp_end(struct fal_roce_judge *judge);

/* ---- judge.c ---- */

/* A violation of a rule: `place` names the frame, `flow` the queue pair. */
void fal_rj_found(struct fal_roce_judge *judge, enum fal_roce_rule rule,
                  enum fal_verdict verdict, const struct fal_roce_place *place, uint32_t qp,
                  const char *text);
void fal_rj_held(struct fal_roce_judge *judge, enum fal_roce_rule rule);
void fal_rj_excused(struct fal_roce_judge *judge, enum fal_roce_rule rule, const char *reason);
/* The verdict of a rule that also depends on packets which were not seen: FAIL where the
 * capture was declared complete. */
enum fal_verdict fal_rj_unseen(const struct fal_roce_judge *judge);

static inline struct fal_roce_place fal_rj_place(const struct fal_roce_seen *seen)
{
    return (struct fal_roce_place){seen->at_ns, seen->number, true};
}

/* a - b of numbers of 24 bits. */
static inline int32_t fal_rj_psn_diff(uint32_t a, uint32_t b)
{
    return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t fal_rj_psn_add(uint32_t psn, uint32_t n)
{
    return (psn + n) & 0xffffff;
}

static inline uint64_t fal_rj_since(uint64_t now_ns, uint64_t then_ns)
{
    return now_ns > then_ns ? now_ns - then_ns : 0;
}

/* A duration of the SUT's clock at most, and at least, as the capture's clock shows it; the
 * errors of two time stamps apart. Values are capped, so that sums do not overflow. */
static inline uint64_t fal_rj_longest(const struct fal_rj_setup *setup, uint64_t ns)
{
    const uint64_t cap = UINT64_C(1) << 42; /* more than an hour */
    uint64_t capped = ns < cap ? ns : cap;

    return capped + (uint64_t)((double)capped * setup->clock_error_ppm / 1e6) + 1;
}

static inline uint64_t fal_rj_shortest(const struct fal_rj_setup *setup, uint64_t ns)
{
    uint64_t less = (uint64_t)((double)ns * setup->clock_error_ppm / 1e6) + 1;

    return ns > less ? ns - less : 0;
}

/* One way between the vantage and the SUT, at most. */
static inline uint64_t fal_rj_delay(const struct fal_rj_setup *setup)
{
    return setup->vantage == FAL_ROCE_AT_SUT ? 0 : setup->delay_ns;
}

/* By how much the difference of two times in the SUT may differ from that in the capture. */
static inline uint64_t fal_rj_slack(const struct fal_rj_setup *setup)
{
    return 2 * setup->clock_error_ns + fal_rj_delay(setup);
}

static inline bool fal_rj_timed(const struct fal_rj_setup *setup)
{
    return setup->vantage == FAL_ROCE_AT_SUT || setup->have_delay;
}

#endif
