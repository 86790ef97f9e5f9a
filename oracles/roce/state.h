/* SPDX-License-Identifier: Apache-2.0
 * state.h - inside of the player (end.h). */
#ifndef FAL_ORACLES_ROCE_STATE_H
#define FAL_ORACLES_ROCE_STATE_H

#include "oracles/cc/dcqcn.h"
#include "oracles/cc/dcqcn_net.h"
#include "oracles/roce/end.h"
#include "oracles/roce/psn.h"

enum { FAL_ROCE_READS_MAX = 16, FAL_ROCE_HEAD_BYTES = 14 + 20 + 8 + 12 + 4 };

/* A post that is open: its packets have the PSNs `first` to `first` + `num` - 1. */
struct fal_roce_wqe {
    struct fal_roce_post post;
    uint64_t message; /* number on the queue pair */
    uint32_t first, num;
    uint32_t got; /* READ: responses that came in order, */
    bool asked;   /* and the next was asked for again */
};

struct fal_roce_requester {
    struct fal_roce_wqe open[FAL_ROCE_POSTS_MAX]; /* a ring */
    unsigned head, count;
    uint64_t messages;
    uint32_t tail;     /* the PSN after the last posted one */
    uint32_t next;     /* to be sent */
    uint32_t una;      /* the oldest that is not acknowledged */
    uint32_t sent_end; /* after the highest that was sent */
    uint32_t since_ack_req;
    uint32_t only_end; /* resends-one: where it goes on after the one packet */
    bool only_one;     /* that fault is acting */
    uint64_t sent_ns;  /* pacing: no packet before it */
    uint64_t timer_ns; /* of the timeout; UINT64_MAX: stopped */
    uint64_t pause_ns; /* RNR: no packet before it */
    unsigned timeouts, rnrs;
    uint32_t packets; /* psn-jump counts them */
    bool failed;
};

/* A READ that is being answered, from `psn` on. */
struct fal_roce_serving {
    uint64_t address;
    uint32_t psn, first, num, length;
};

struct fal_roce_responder {
    uint32_t expected, msn;
    uint64_t messages; /* that the peer has begun on this queue pair, READs among them */
    bool nak_sent;     /* for this gap */
    bool in_message;
    uint8_t service; /* of the message: its first opcode */
    uint32_t length; /* of the message so far */
    uint64_t digest;
    uint32_t receives;
    bool failed;
    /* What it has to say: an ACK (its PSN is the last expected one then), or a NAK. */
    uint64_t ack_ns, nak_ns; /* when; UINT64_MAX: nothing */
    uint8_t nak_syndrome;
    uint32_t nak_psn;
    uint32_t ack_beyond; /* planted: how much the ACK says too much */
    struct fal_roce_serving reads[FAL_ROCE_READS_MAX]; /* a ring */
    unsigned reads_head, reads_count;
};

struct fal_roce_qp {
    struct fal_roce_qp_setup setup;
    unsigned index;
    struct fal_roce_requester req;
    struct fal_roce_responder resp;
    struct fal_dcqcn_rp rp;
    struct fal_dcqcn_np np;
    unsigned cnps_due; /* cnp-per-mark: how many leave at cnp_ns */
    uint64_t cnp_ns;   /* a CNP leaves then; UINT64_MAX: none */
    struct fal_roce_state_of state;
};

struct fal_roce_end {
    struct fal_roce_setup setup;
    struct fal_roce_outlet outlet;
    struct fal_roce_qp *qps[FAL_ROCE_QPS_MAX];
    unsigned num_qps, turn; /* turn: whose packet goes next */
    uint64_t port_ns;       /* the port is busy until then */
    uint64_t now_ns;
    struct fal_dcqcn_np np_shared[FAL_ROCE_QPS_MAX]; /* np-per-ip, by the first queue pair of
                                                        a peer; np-per-port: the first */
    uint8_t data[FAL_ROCE_MTU_MAX];
};

static inline bool fal_roce_end_bad(const struct fal_roce_end *end, enum fal_roce_fault fault)
{
    return fal_roce_bad(&end->setup.odd, fault);
}
static inline bool fal_roce_end_does(const struct fal_roce_end *end,
                                     enum fal_roce_variant variant)
{
    return fal_roce_does(&end->setup.odd, variant);
}
/* The parameters of DCQCN with the forks that variants choose. */
struct fal_dcqcn fal_roce_params(const struct fal_roce_setup *setup);

/* Sends a packet of a queue pair now. */
void fal_roce_emit(struct fal_roce_end *end, struct fal_roce_qp *qp, struct fal_roce_out *out);
/* The same for a packet with data or a request for data: paced, and ECT. */
void fal_roce_send_data(struct fal_roce_end *end, struct fal_roce_qp *qp,
                        struct fal_roce_out *out);
void fal_roce_tell(struct fal_roce_end *end, const struct fal_roce_event *event);

/* The requester. */
bool fal_roce_req_ready(const struct fal_roce_qp *qp);        /* has a packet to send, */
uint64_t fal_roce_req_ready_ns(const struct fal_roce_qp *qp); /* not before this time */
void fal_roce_req_send(struct fal_roce_end *end, struct fal_roce_qp *qp);
void fal_roce_req_expired(struct fal_roce_end *end, struct fal_roce_qp *qp);
void fal_roce_req_back(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn);
void fal_roce_req_timer(struct fal_roce_end *end, struct fal_roce_qp *qp);
void fal_roce_req_fail(struct fal_roce_end *end, struct fal_roce_qp *qp, const char *why);
struct fal_roce_wqe *fal_roce_req_of(struct fal_roce_qp *qp, uint32_t psn);
/* An answer of the peer: rc_ack or a read response. */
void fal_roce_req_answer(struct fal_roce_end *end, struct fal_roce_qp *qp,
                         const struct fal_roce_packet *packet);

/* The responder. */
void fal_roce_resp_take(struct fal_roce_end *end, struct fal_roce_qp *qp,
                        const struct fal_roce_packet *packet);
bool fal_roce_resp_serves(const struct fal_roce_qp *qp); /* has a read response to send */
void fal_roce_resp_send(struct fal_roce_end *end, struct fal_roce_qp *qp);
/* ACK and NAK that are due, and when the next is. */
void fal_roce_resp_due(struct fal_roce_end *end, struct fal_roce_qp *qp);
uint64_t fal_roce_resp_next_ns(const struct fal_roce_qp *qp);

/* The notification point. */
void fal_roce_np_take(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_packet *packet, unsigned ecn);
void fal_roce_np_due(struct fal_roce_end *end, struct fal_roce_qp *qp);
uint64_t fal_roce_np_next_ns(const struct fal_roce_end *end, const struct fal_roce_qp *qp);

#endif
