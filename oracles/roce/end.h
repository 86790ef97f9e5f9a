/* SPDX-License-Identifier: Apache-2.0
 * end.h - a player of RoCEv2: one end with reliable connected queue pairs. It posts SEND, WRITE
 * and READ, acknowledges, repeats by go-back-N, and plays the notification point and the
 * reaction point of DCQCN. Pure: packets and time go in, packets and events come out.
 *
 *   end.c        the end: its queue pairs take turns at the port
 *   requester.c  what it sends, go-back-N
 *   answers.c    what acknowledgements and responses do to the requester
 *   responder.c  what it answers
 *   notify.c     the notification point */
#ifndef FAL_ORACLES_ROCE_END_H
#define FAL_ORACLES_ROCE_END_H

#include "codecs/header/roce.h"
#include "oracles/beyond/dcqcn.h"
#include "oracles/roce/odd.h"

enum { FAL_ROCE_QPS_MAX = 64, FAL_ROCE_POSTS_MAX = 64, FAL_ROCE_MTU_MAX = 4096 };

/* Of the end. Times in ns; 0 of a time: at once. */
struct fal_roce_setup {
    struct fal_dcqcn dcqcn;  /* line_rate_bps is the port's rate, and not 0 */
    uint64_t answer_ns;      /* from the arrival of a packet to its answer */
    bool rcm;                /* congestion management is claimed */
    struct fal_roce_odd odd; /* faults and variants */
};

/* One queue pair and its peer. */
struct fal_roce_qp_setup {
    uint32_t qpn, remote_qpn;   /* 24 bits */
    uint32_t psn, expected_psn; /* of the first packet that it sends, and that it gets */
    uint32_t mtu;               /* bytes of data in a packet: 256 to FAL_ROCE_MTU_MAX */
    uint64_t timeout_ns;        /* of an outstanding packet; 0: never */
    unsigned retries;           /* timeouts in a row before the queue pair fails */
    unsigned rnr_retries;       /* the same of RNR NAKs; 7: for ever */
    unsigned rnr_code;          /* of the RNR NAKs that it sends, 0 to 31 */
    unsigned ack_every;         /* packets between requests for an ACK; 0: the last one only */
    uint32_t window;            /* packets outstanding at most; 0: 128 */
    uint32_t r_key;             /* of its memory, which peers may write and read */
    uint32_t receives;          /* SENDs that it can take; UINT32_MAX: any number */
    uint32_t remote_address;    /* any number that is equal for equal peers (np-per-ip) */
};

enum fal_roce_op {
    FAL_ROCE_POST_SEND,
    FAL_ROCE_POST_WRITE,
    FAL_ROCE_POST_WRITE_IMM,
    FAL_ROCE_POST_READ
};

struct fal_roce_post {
    enum fal_roce_op op;
    uint64_t id;
    uint32_t length; /* bytes, up to 2^31 */
    uint64_t address;
    uint32_t r_key, immediate;
};

/* A packet that leaves. */
struct fal_roce_out {
    struct fal_roce_packet packet; /* its ICRC is not filled in */
    uint8_t ecn, dscp;
    bool spoil_icrc; /* a planted fault */
    uint16_t src_port;
    unsigned qp; /* index */
};

enum fal_roce_event_kind {
    FAL_ROCE_DONE,    /* a post ended well */
    FAL_ROCE_FAILED,  /* a post ended in error: its queue pair sends no more */
    FAL_ROCE_MESSAGE, /* a message of the peer arrived whole: SEND or WRITE with immediate */
};
struct fal_roce_event {
    enum fal_roce_event_kind kind;
    uint64_t at_ns;
    unsigned qp;
    uint64_t id;     /* of the post; of a message: its number on the queue pair, from 0 */
    uint32_t length; /* bytes of a message */
    uint64_t digest; /* of its data: fal_roce_digest of the post's pattern if it is whole */
    const char *why; /* of FAILED */
};

/* Where packets and events go. Called from the functions below; data are valid for the call. */
struct fal_roce_outlet {
    void (*send)(void *ctx, uint64_t now_ns, const struct fal_roce_out *out);
    void (*event)(void *ctx, const struct fal_roce_event *event); /* or NULL */
    void *ctx;
};

struct fal_roce_end;

/* NULL when out of memory; fal_roce_end_free frees it. */
struct fal_roce_end *fal_roce_end_new(const struct fal_roce_setup *setup,
                                      const struct fal_roce_outlet *outlet);
void fal_roce_end_free(struct fal_roce_end *end);

/* Adds a queue pair. Returns its index, or FAL_ERR_RANGE: a value is out of range, or there are
 * FAL_ROCE_QPS_MAX already. */
MUST_USE int fal_roce_end_add(struct fal_roce_end *end, const struct fal_roce_qp_setup *setup);
/* Posts. Returns 0, FAL_ERR_RANGE (no such queue pair, too long), FAL_ERR_SHORT (its queue is
 * full, or it failed). Call fal_roce_end_run after it. */
MUST_USE int fal_roce_end_post(struct fal_roce_end *end, unsigned qp,
                               const struct fal_roce_post *post);
/* So many more SENDs can be taken. */
void fal_roce_end_receives(struct fal_roce_end *end, unsigned qp, uint32_t more);

/* A packet came, with its ECN bits, and whether its ICRC is right. */
void fal_roce_end_take(struct fal_roce_end *end, uint64_t now_ns,
                       const struct fal_roce_packet *packet, unsigned ecn, bool icrc_good);
/* Everything that is due at or before `now_ns` happens. Times never go back. */
void fal_roce_end_run(struct fal_roce_end *end, uint64_t now_ns);
/* When fal_roce_end_run has to be called next; UINT64_MAX: not before something else happens.
 */
uint64_t fal_roce_end_next_ns(const struct fal_roce_end *end);

/* What is known of a queue pair. */
struct fal_roce_state_of {
    uint64_t rate_bps;
    uint64_t packets, repeats, cnps_sent, cnps_taken, naks_sent;
    bool failed, idle; /* idle: nothing posted is open */
};
struct fal_roce_state_of fal_roce_end_state(const struct fal_roce_end *end, unsigned qp);

/* Byte `offset` of the data of message number `message` of a queue pair; READ responses carry
 * the memory, whose bytes are those of message 0 at the offset of the address. */
uint8_t fal_roce_byte(uint32_t qpn, uint64_t message, uint64_t offset);
/* Goes on with a digest (0 at the start). */
uint64_t fal_roce_digest(uint64_t digest, const uint8_t *bytes, size_t len);

/* The time of `bytes` at `bps`, rounded up. */
static inline uint64_t fal_roce_time_ns(uint64_t bytes, uint64_t bps)
{
    return (bytes * 8 * UINT64_C(1000000000) + bps - 1) / bps;
}

#endif
