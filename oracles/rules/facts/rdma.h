/* SPDX-License-Identifier: Apache-2.0
 * rdma.h - the facts about RDMA requests on a connection: what the first copy of each said in
 * its headers, by RSN of the side that initiates it. All copies are equal (rule X1), so that
 * reordering and retransmission are hidden here. */
#ifndef FAL_ORACLES_RULES_FACTS_RDMA_H
#define FAL_ORACLES_RULES_FACTS_RDMA_H

#include "codecs/header/ulp.h"
#include "oracles/rules/facts/ring.h"
#include "oracles/rules/facts/track.h"

enum fal_rdma_fact_flag {
    FAL_RDMA_SEEN = 1,
    FAL_RDMA_PARTIAL = 2, /* the payload was not captured whole, or does not hold its padding */
    FAL_RDMA_OTHER = 4,   /* a request without RDMA headers that could be read */
};

/* A request packet: SEND, WRITE, READ or an atomic operation. */
struct fal_rdma_fact {
    struct fal_at at;
    int64_t rsn;                /* extended */
    uint64_t va, sink_va;       /* of RETH or AtomicETH, of STETH */
    uint32_t sn, rmsn, dest_qp; /* rmsn: of the SETH, 0 without one */
    uint32_t offset;            /* of the OETH */
    uint32_t length, r_key;     /* of the RETH; r_key: also of the AtomicETH */
    uint32_t l_key, source_qp;  /* of STETH, of DETH */
    uint32_t data_len;          /* after the headers, without padding */
    uint8_t opcode, flags;      /* fal_rdma_fact_flag */
    bool complete_in_error, solicited;
};

/* The requests of both sides; made with the first of them. */
struct fal_rdma_facts {
    struct fal_ring requests[FAL_DIRS]; /* struct fal_rdma_fact, by initiator's direction */
};

/* Whether a packet may carry RDMA headers: cheap, and never false where they can be read. */
static inline bool fal_rdma_likely(const struct fal_ev_packet *packet)
{
    enum { FRONT = 12, VERSION = 1 };
    const uint8_t *front = packet->payload;

    if (packet->falcon.protocol_type != FAL_PROTOCOL_RDMA || packet->payload_len < FRONT)
        return false;
    /* The version, or the reserved bits behind it, are right; zeros are a filler. */
    return front[0] >> 4 == VERSION ||
           ((front[0] & 15) == 0 && front[1] == 0 && (front[2] & 0xe0) == 0 &&
            (front[0] | front[2] | front[3] | front[4] | front[5] | front[6] | front[7]) != 0);
}

/* Reads the headers of a packet; false: it has none. */
bool fal_rdma_read(const struct fal_seen *seen, struct fal_rdma *rdma);
/* What a request packet says; flags is FAL_RDMA_OTHER where it has no headers. */
void fal_rdma_fact(const struct fal_seen *seen, struct fal_rdma_fact *fact);

/* The facts about a request that `space` initiated; NULL: it was not seen, or is forgotten. */
const struct fal_rdma_fact *fal_rdma_request(const struct fal_track *track, enum fal_dir space,
                                             int64_t rsn);

/* What an operation does to the sequence numbers of its class (RDMA 8.3.2). */
enum fal_rdma_class {
    FAL_RDMA_CLASS_NONE,     /* no SETH */
    FAL_RDMA_CLASS_START,    /* it takes the next number of SEND and WRITE with immediate */
    FAL_RDMA_CLASS_CONTINUE, /* it has the number of its message's first packet */
    FAL_RDMA_CLASS_PULL,     /* it takes the next number of READ and atomic operations */
};
enum fal_rdma_class fal_rdma_class(unsigned opcode);

/* The part that an operation plays in its message. */
enum fal_rdma_place { FAL_RDMA_ONLY, FAL_RDMA_FIRST, FAL_RDMA_MIDDLE, FAL_RDMA_LAST };
enum fal_rdma_place fal_rdma_place(unsigned opcode);
/* Whether it is a SEND; a WRITE. */
bool fal_rdma_is_send(unsigned opcode);
bool fal_rdma_is_write(unsigned opcode);

/* ---- for the track ---- */

void fal_rdma_commit(struct fal_track *track, const struct fal_seen *seen);
void fal_rdma_free(struct fal_rdma_facts *facts);
/* A copy; NULL when out of memory (*ok is then false), or when there is nothing to copy. */
struct fal_rdma_facts *fal_rdma_copy(const struct fal_rdma_facts *facts, bool *ok);

#endif
