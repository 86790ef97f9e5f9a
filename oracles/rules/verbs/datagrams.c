/* SPDX-License-Identifier: Apache-2.0
 * datagrams.c - what was sent to the UD queue pairs of the SUT, and which of it a completion
 * may be of. */
#include "oracles/rules/verbs/objects_impl.h"

#include <stdlib.h>
#include <string.h>

enum { GRH = 40 }; /* InfiniBand leaves room for a header in front of the data (AMB-R25). */

static void add_source(struct fal_vqp *qp, uint32_t source)
{
    for (unsigned i = 0; i < qp->num_sources && i < FAL_VQP_SOURCES; i++)
        if (qp->sources[i] == source)
            return;
    if (qp->num_sources < FAL_VQP_SOURCES)
        qp->sources[qp->num_sources] = source;
    if (qp->num_sources <= FAL_VQP_SOURCES)
        qp->num_sources++;
}

static void remove_at(struct fal_vqp *qp, unsigned i)
{
    qp->num_datagrams--;
    memmove(&qp->datagrams[i], &qp->datagrams[i + 1],
            (qp->num_datagrams - i) * sizeof *qp->datagrams);
}

/* The oldest makes room, and is not known any more. */
static struct fal_datagram *add(struct fal_objects *o, struct fal_vqp *qp)
{
    if (qp->datagrams == NULL)
        qp->datagrams = calloc(FAL_VQP_DATAGRAMS, sizeof *qp->datagrams);
    if (qp->datagrams == NULL) {
        o->oom = true;
        return NULL;
    }
    if (qp->num_datagrams == FAL_VQP_DATAGRAMS) {
        qp->datagrams_lost = true;
        remove_at(qp, 0);
    }
    return &qp->datagrams[qp->num_datagrams++];
}

void fal_datagram_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact)
{
    struct fal_vqp *qp = fal_objects_qp_by_number(o, fact->dest_qp);
    const struct fal_rdma_kind *kind = fal_rdma_kind(fact->opcode);
    struct fal_datagram *datagram;

    if (qp == NULL || qp->type != FAL_VERBS_UD)
        return;
    add_source(qp, fact->source_qp);
    if (fact->q_key == qp->qkey) {
        qp->good_datagrams++;
    } else {
        qp->bad_datagrams++;
        qp->bad_datagram = fact->at;
    }
    qp->datagram_conn = conn;
    qp->datagrams_lost = qp->datagrams_lost || (fact->flags & FAL_RDMA_PARTIAL) != 0;
    datagram = add(o, qp);
    if (datagram == NULL)
        return;
    *datagram = (struct fal_datagram){.at = fact->at,
                                      .length = fact->data_len,
                                      .imm = fact->imm,
                                      .source = fact->source_qp,
                                      .has_imm = kind->headers[kind->num_headers - 1] ==
                                                 FAL_RDMA_IMMDT};
}

/* Whether that completion may be of the datagram, with so many bytes in front of the data. */
static bool fits(const struct fal_datagram *d, const struct fal_verbs *wc, unsigned parts,
                 unsigned room)
{
    if ((parts & FAL_DATAGRAM_SOURCE) != 0 && wc->has_src_qp && wc->src_qp != d->source)
        return false;
    if ((parts & FAL_DATAGRAM_LENGTH) != 0 && wc->byte_len != d->length + room)
        return false;
    return (parts & FAL_DATAGRAM_IMM) == 0 ||
           (wc->has_imm == d->has_imm && (!d->has_imm || wc->imm == d->imm));
}

static bool room_allowed(const struct fal_objects *o, unsigned room)
{
    return !o->room_known || o->room == room;
}

const struct fal_datagram *fal_datagram_of(const struct fal_objects *o,
                                           const struct fal_vqp *qp, const struct fal_verbs *wc,
                                           unsigned parts)
{
    for (unsigned i = 0; i < qp->num_datagrams; i++)
        if ((room_allowed(o, GRH) && fits(&qp->datagrams[i], wc, parts, GRH)) ||
            (room_allowed(o, 0) && fits(&qp->datagrams[i], wc, parts, 0)))
            return &qp->datagrams[i];
    return NULL;
}

void fal_datagram_completed(struct fal_objects *o, struct fal_vqp *qp,
                            const struct fal_verbs *wc)
{
    unsigned found[2] = {0}, first[2] = {0}, way;

    for (unsigned i = qp->num_datagrams; i-- > 0;)
        for (unsigned with = 0; with < 2; with++)
            if (room_allowed(o, with * GRH) &&
                fits(&qp->datagrams[i], wc, FAL_DATAGRAM_ALL, with * GRH)) {
                found[with]++;
                first[with] = i;
            }
    if (found[0] == 0 && found[1] == 0)
        return;
    if (found[0] > 0 && found[1] > 0) { /* Which of them it is of decides about later ones. */
        qp->datagrams_lost = true;
        return;
    }
    way = found[1] > 0;
    o->room_known = true;
    o->room = way * GRH;
    remove_at(qp, first[way]);
}
