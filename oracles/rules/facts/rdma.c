/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/rdma.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

enum {
    FACTS_MAX = 1024, /* requests kept of one side */
    FACTS_KEPT = 512, /* of them, behind the newest */
    SERVICE_SHIFT = 5,
    OPERATION = 31,
};

/* The RC number of each operation (RDMA 8.1.3); UD and XRC have the same below their service.
 */
enum operation {
    SEND_FIRST = 0,
    SEND_MIDDLE = 1,
    SEND_LAST = 2,
    SEND_LAST_IMM = 3,
    SEND_ONLY = 4,
    SEND_ONLY_IMM = 5,
    WRITE_FIRST = 6,
    WRITE_MIDDLE = 7,
    WRITE_LAST = 8,
    WRITE_LAST_IMM = 9,
    WRITE_ONLY = 10,
    WRITE_ONLY_IMM = 11,
    READ_REQUEST = 12,
    CMP_SWAP = 19,
    FETCH_ADD = 20,
    SEND_LAST_INV = 22,
    SEND_ONLY_INV = 23,
};

enum fal_rdma_class fal_rdma_class(unsigned opcode)
{
    if (opcode >> SERVICE_SHIFT == FAL_RDMA_UD)
        return FAL_RDMA_CLASS_NONE;
    switch (opcode & OPERATION) {
    case SEND_FIRST:
    case SEND_ONLY:
    case SEND_ONLY_IMM:
    case SEND_ONLY_INV:
    case WRITE_LAST_IMM:
    case WRITE_ONLY_IMM: return FAL_RDMA_CLASS_START;
    case SEND_MIDDLE:
    case SEND_LAST:
    case SEND_LAST_IMM:
    case SEND_LAST_INV: return FAL_RDMA_CLASS_CONTINUE;
    case READ_REQUEST:
    case CMP_SWAP:
    case FETCH_ADD: return FAL_RDMA_CLASS_PULL;
    default: return FAL_RDMA_CLASS_NONE;
    }
}

enum fal_rdma_place fal_rdma_place(unsigned opcode)
{
    switch (opcode & OPERATION) {
    case SEND_FIRST:
    case WRITE_FIRST: return FAL_RDMA_FIRST;
    case SEND_MIDDLE:
    case WRITE_MIDDLE: return FAL_RDMA_MIDDLE;
    case SEND_LAST:
    case SEND_LAST_IMM:
    case SEND_LAST_INV:
    case WRITE_LAST:
    case WRITE_LAST_IMM: return FAL_RDMA_LAST;
    default: return FAL_RDMA_ONLY;
    }
}

bool fal_rdma_with(unsigned opcode, enum fal_rdma_header header)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

    for (size_t i = 0; i < kind->num_headers; i++)
        if (kind->headers[i] == header)
            return true;
    return false;
}

bool fal_rdma_is_send(unsigned opcode)
{
    unsigned operation = opcode & OPERATION;

    return operation <= SEND_ONLY_IMM || operation == SEND_LAST_INV ||
           operation == SEND_ONLY_INV;
}

bool fal_rdma_is_write(unsigned opcode)
{
    unsigned operation = opcode & OPERATION;

    return operation >= WRITE_FIRST && operation <= WRITE_ONLY_IMM;
}

bool fal_rdma_has_imm(unsigned opcode)
{
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

    return kind->headers[kind->num_headers - 1] == FAL_RDMA_IMMDT;
}

bool fal_rdma_ends_received(unsigned opcode)
{
    enum fal_rdma_place place = fal_rdma_place(opcode);

    return (place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY) &&
           (fal_rdma_is_send(opcode) ||
            (fal_rdma_is_write(opcode) && fal_rdma_has_imm(opcode)));
}

static void say(const struct fal_seen *seen, const struct fal_ulp *ulp,
                struct fal_rdma_fact *fact)
{
    const struct fal_rdma *rdma = &ulp->rdma;
    size_t used = ulp->size_bytes + rdma->rbth.pad;

    *fact = (struct fal_rdma_fact){.at = seen->at, .rsn = seen->rsn, .flags = FAL_RDMA_SEEN};
    fact->opcode = rdma->rbth.opcode;
    fact->sn = rdma->rbth.sequence_number;
    fact->dest_qp = rdma->rbth.dest_qp;
    fact->complete_in_error = rdma->rbth.complete_in_error != 0;
    fact->solicited = rdma->rbth.solicited_event != 0;
    fact->rmsn = rdma->seth.rmsn;
    fact->offset = rdma->oeth.message_offset;
    fact->length = rdma->reth.length;
    fact->source_qp = rdma->deth.source_qp;
    fact->sink_va = rdma->steth.virtual_address;
    fact->l_key = rdma->steth.l_key;
    fact->swap = rdma->atomiceth.swap_or_add;
    fact->compare = rdma->atomiceth.compare;
    fact->imm = rdma->immdt.immediate_data | rdma->ieth.r_key;
    fact->xrc_srq = rdma->xrceth.xrc_srq;
    fact->q_key = rdma->deth.queue_key;
    fact->pad = rdma->rbth.pad;
    /* The opcode has one of these two headers at most; the other is 0. */
    fact->va = rdma->atomiceth.virtual_address | rdma->reth.virtual_address;
    fact->r_key = rdma->atomiceth.r_key | rdma->reth.r_key;
    if (seen->packet->truncated || seen->packet->payload_len < used)
        fact->flags |= FAL_RDMA_PARTIAL;
    else
        fact->data_len = (uint32_t)(seen->packet->payload_len - used);
}

void fal_rdma_say(const struct fal_track *track, struct fal_seen *seen,
                  const struct fal_ulp *ulp)
{
    seen->rdma.flags = 0;
    if (ulp == NULL || ulp->protocol != FAL_PROTOCOL_RDMA ||
        seen->falcon->packet_type == FAL_RESYNC)
        return;
    if (ulp->state != FAL_ULP_READ) {
        seen->rdma.flags = FAL_RDMA_SEEN | FAL_RDMA_OTHER;
        return;
    }
    say(seen, ulp, &seen->rdma);
    if (track->verbs && (seen->rdma.flags & FAL_RDMA_PARTIAL) == 0)
        seen->rdma.hash =
            fal_payload_hash(seen->packet->payload + ulp->size_bytes, seen->rdma.data_len);
}

const struct fal_rdma_fact *fal_rdma_request(const struct fal_track *track, enum fal_dir space,
                                             int64_t rsn)
{
    const struct fal_rdma_fact *fact;

    if (track->rdma == NULL)
        return NULL;
    fact = fal_ring_at(&track->rdma->requests[space], rsn);
    return fact != NULL && (fact->flags & FAL_RDMA_SEEN) != 0 ? fact : NULL;
}

/* ---- for the track ---- */

static bool make(struct fal_track *track)
{
    if (track->rdma != NULL)
        return true;
    track->rdma = calloc(1, sizeof *track->rdma);
    if (track->rdma == NULL) {
        track->oom = true;
        return false;
    }
    for (unsigned d = 0; d < FAL_DIRS; d++)
        fal_ring_init(&track->rdma->requests[d], sizeof(struct fal_rdma_fact), FACTS_MAX);
    return true;
}

void fal_rdma_commit(struct fal_track *track, const struct fal_seen *seen)
{
    unsigned type = seen->falcon->packet_type;
    struct fal_rdma_fact *fact;

    if ((type != FAL_PUSH_DATA && type != FAL_PULL_REQUEST) || seen->prior != NULL ||
        (track->rdma == NULL && seen->rdma.flags == 0) || !make(track))
        return;
    fact = fal_ring_reach(&track->rdma->requests[seen->space], seen->rsn,
                          track->rsn_next[seen->space] - FACTS_KEPT, &track->oom);
    if (fact == NULL || (fact->flags & FAL_RDMA_SEEN) != 0)
        return;
    if (fal_rdma_has(seen))
        *fact = seen->rdma;
    else
        *fact = (struct fal_rdma_fact){
            .at = seen->at, .rsn = seen->rsn, .flags = FAL_RDMA_SEEN | FAL_RDMA_OTHER};
}

void fal_rdma_free(struct fal_rdma_facts *facts)
{
    if (facts == NULL)
        return;
    for (unsigned d = 0; d < FAL_DIRS; d++)
        fal_ring_free(&facts->requests[d]);
    free(facts);
}

struct fal_rdma_facts *fal_rdma_copy(const struct fal_rdma_facts *facts, bool *ok)
{
    struct fal_rdma_facts *copy;

    if (facts == NULL)
        return NULL;
    copy = malloc(sizeof *copy);
    if (copy == NULL) {
        *ok = false;
        return NULL;
    }
    *copy = *facts;
    for (unsigned d = 0; d < FAL_DIRS; d++)
        *ok = fal_ring_copy(&copy->requests[d], &facts->requests[d]) && *ok;
    return copy;
}
