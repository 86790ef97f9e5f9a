/* SPDX-License-Identifier: Apache-2.0
 * rdma.h - the facts about RDMA requests on a connection: what the first copy of each said in
 * its headers, by RSN of the side that initiates it. All copies are equal (rule X1), so that
 * reordering and retransmission are hidden here. */
#ifndef FAL_ORACLES_RULES_FACTS_RDMA_H
#define FAL_ORACLES_RULES_FACTS_RDMA_H

#include "codecs/header/ulp.h"
#include "oracles/rules/facts/rdma_fact.h"
#include "oracles/rules/facts/ring.h"
#include "oracles/rules/facts/track.h"

/* The requests of both sides; made with the first of them. */
struct fal_rdma_facts {
    struct fal_ring requests[FAL_DIRS]; /* struct fal_rdma_fact, by initiator's direction */
    /* Where posts are known: the RSN of the SUT's next request that a post is to explain. */
    bool explaining;
    int64_t explain;
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

/* What the headers of a reliable packet say, into seen->rdma: its flags are 0 where `ulp` is
 * NULL, and FAL_RDMA_OTHER where no headers could be read. */
void fal_rdma_say(const struct fal_track *track, struct fal_seen *seen,
                  const struct fal_ulp *ulp);

/* Whether the packet has headers of RDMA that could be read: all of seen->rdma is then set. */
static inline bool fal_rdma_has(const struct fal_seen *seen)
{
    return (seen->rdma.flags & (FAL_RDMA_SEEN | FAL_RDMA_OTHER)) == FAL_RDMA_SEEN;
}

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
/* Whether packets of the operation have that header (RDMA 8.1.3). */
bool fal_rdma_with(unsigned opcode, enum fal_rdma_header header);
/* Whether it is a SEND; a WRITE. */
bool fal_rdma_is_send(unsigned opcode);
bool fal_rdma_is_write(unsigned opcode);
/* Whether it carries immediate data (RDMA 8.3.5). */
bool fal_rdma_has_imm(unsigned opcode);
/* Whether it ends a message that takes a receive request: a SEND, or a WRITE with immediate
 * data. */
bool fal_rdma_ends_received(unsigned opcode);

/* ---- for the track ---- */

void fal_rdma_commit(struct fal_track *track, const struct fal_seen *seen);
void fal_rdma_free(struct fal_rdma_facts *facts);
/* A copy; NULL when out of memory (*ok is then false), or when there is nothing to copy. */
struct fal_rdma_facts *fal_rdma_copy(const struct fal_rdma_facts *facts, bool *ok);

#endif
