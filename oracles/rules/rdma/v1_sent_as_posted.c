/* SPDX-License-Identifier: Apache-2.0
 * v1_sent_as_posted.c - rule V1: the headers and the data of a request packet are those of the
 * work request that explains it. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v1 = {
    .id = "V1",
    .title = "what RDMA sends is what was posted",
    .requirements =
        FAL_IDS("RDMA-6.8-02", "RDMA-8.1.3-01", "RDMA-8.2-10", "RDMA-8.3.1-01", "RDMA-8.3.1-02",
                "RDMA-8.3.1-04", "RDMA-8.3.3-01", "RDMA-8.3.5-01", "RDMA-8.3.6-02",
                "RDMA-8.3.6-03", "RDMA-8.3.6-04", "RDMA-8.3.6-05", "RDMA-8.3.8-01",
                "RDMA-8.3.9-01", "RDMA-8.3.9-02", "RDMA-8.3.10-01", "RDMA-8.3.10-03"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request packet that no work request explains which was posted before, such as one that RDMA itself sends again, and "
        "by one whose destination, address, key, length, immediate data, key to invalidate, "
        "operands or Q_Key are not those of its work request, or whose data are not the bytes "
        "of the work request at that place. Packets of a queue pair are taken in the order of "
        "their RSNs. The length in a WRITE may be that of the whole operation, with a warning "
        "(AMB-R07). Packets of an XRC queue pair have the opcodes of XRC, and their shared receive "
        "queue is that of the post; in InfiniBand's place it gives a warning (AMB-R03). Not judged where a request in between was not seen whole, or after a "
        "completion in error. Data are compared where the tester filled the memory before the "
        "post and nothing may have changed it since.",
};

enum { OPERATION = 31, TOP_BIT = 31 };

/* A member of the packet that is not as it should be; requirement NULL: all are. */
struct difference {
    const char *requirement;
    const char *what;
    uint64_t due, seen;
    bool warn;
};

static struct difference differs(const char *requirement, const char *what, uint64_t due,
                                 uint64_t seen)
{
    return (struct difference){requirement, what, due, seen, false};
}

#define SAME ((struct difference){0})

/* The end of a message has immediate data, or a key to invalidate, if it was posted so. */
static struct difference compare_end(const struct fal_wqe *wqe, const struct fal_rdma_fact *f)
{
    enum fal_rdma_place place = fal_rdma_place(f->opcode);
    bool ends = place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY;
    bool imm = ends && (wqe->op == FAL_VERBS_SEND_IMM || wqe->op == FAL_VERBS_WRITE_IMM);
    bool inv = ends && wqe->op == FAL_VERBS_SEND_INV;

    if (fal_rdma_with(f->opcode, FAL_RDMA_IMMDT) != imm)
        return differs("RDMA-8.3.5-01", "headers with immediate data", imm, !imm);
    if (fal_rdma_with(f->opcode, FAL_RDMA_IETH) != inv)
        return differs("RDMA-8.3.8-01", "headers with a key to invalidate", inv, !inv);
    if (imm && f->imm != wqe->imm)
        return differs("RDMA-8.3.5-01", "imm", wqe->imm, f->imm);
    if (inv && f->imm != wqe->inv)
        return differs("RDMA-8.3.8-01", "ieth.rkey", wqe->inv, f->imm);
    return SAME;
}

static struct difference compare_atomic(const struct fal_wqe *wqe,
                                        const struct fal_rdma_fact *f)
{
    bool cas = wqe->op == FAL_VERBS_CAS;
    uint64_t operand = cas ? wqe->swap : wqe->add;

    if (f->va != wqe->remote_va)
        return differs("RDMA-8.3.6-02", "va", wqe->remote_va, f->va);
    if (f->r_key != wqe->rkey)
        return differs("RDMA-8.3.6-03", "rkey", wqe->rkey, f->r_key);
    if (f->swap != operand)
        return differs("RDMA-8.3.6-04", cas ? "swap" : "add", operand, f->swap);
    if (cas && f->compare != wqe->compare)
        return differs("RDMA-8.3.6-05", "compare", wqe->compare, f->compare);
    return SAME;
}

/* The service is that of the queue pair, and XRC names the shared receive queue of the post. */
static struct difference compare_service(const struct fal_explained *e)
{
    enum { RESERVED_FIRST = 8 };
    bool xrc = e->qp->type == FAL_VERBS_XRC_INI;
    unsigned service = e->fact->opcode >> 5, due = xrc ? FAL_RDMA_XRC : FAL_RDMA_RC;
    const struct fal_wqe *wqe = e->wqe;
    struct difference d;

    if (service != due)
        return differs(xrc ? "RDMA-8.3.9-02" : "RDMA-8.1.3-01", "service", due, service);
    if (!xrc || !wqe->has_srqn || e->fact->xrc_srq == wqe->srqn)
        return SAME;
    d = differs("RDMA-8.3.9-01", "xrc_srq", wqe->srqn, e->fact->xrc_srq);
    d.warn = e->fact->xrc_srq == wqe->srqn >> RESERVED_FIRST; /* AMB-R03 */
    return d;
}

/* READs and WRITEs. */
static struct difference compare_remote(const struct fal_explained *e)
{
    const struct fal_rdma_fact *f = e->fact;
    const struct fal_wqe *wqe = e->wqe;
    struct difference d;

    if (f->va != wqe->remote_va + e->before)
        return differs("RDMA-8.3.1-01", "va", wqe->remote_va + e->before, f->va);
    if (f->r_key != wqe->rkey)
        return differs("RDMA-8.3.1-02", "rkey", wqe->rkey, f->r_key);
    if (wqe->op == FAL_VERBS_READ || f->length == f->data_len)
        return SAME;
    d = differs("RDMA-8.3.1-04", "reth.length", f->data_len, f->length);
    d.warn = f->length == wqe->length;
    return d;
}

static struct difference compare_ud(const struct fal_explained *e)
{
    const struct fal_wqe *wqe = e->wqe;

    if (e->fact->dest_qp != wqe->dest_qpn)
        return differs("RDMA-8.2-10", "dest_qp", wqe->dest_qpn, e->fact->dest_qp);
    /* A Q_Key with its top bit set stands for that of the queue pair. */
    if (wqe->has_qkey && wqe->qkey >> TOP_BIT == 0 && e->fact->q_key != wqe->qkey)
        return differs("RDMA-8.3.10-01", "queue_key", wqe->qkey, e->fact->q_key);
    return SAME;
}

static struct difference compare_data(const struct fal_explained *e)
{
    const struct fal_rdma_fact *f = e->fact;
    uint64_t hash = fal_payload_hash(NULL, 0);

    if (f->data_len == 0 || f->complete_in_error || e->before + f->data_len > e->wqe->length ||
        !fal_wqe_hash(e->wqe, e->before, f->data_len, &hash) || hash == f->hash)
        return SAME;
    return differs(fal_rdma_is_send(f->opcode) ? "RDMA-8.3.3-01" : "RDMA-8.3.1-01",
                   "hash of the data", hash, f->hash);
}

static struct difference compare(const struct fal_explained *e)
{
    const struct fal_wqe *wqe = e->wqe;
    struct difference d;

    if (e->qp->type == FAL_VERBS_UD)
        d = compare_ud(e);
    else if ((d = compare_service(e)).requirement != NULL)
        return d;
    else if (e->qp->dest_qpn != 0 && e->fact->dest_qp != e->qp->dest_qpn)
        d = differs("RDMA-8.2-10", "dest_qp", e->qp->dest_qpn, e->fact->dest_qp);
    else if (wqe->op == FAL_VERBS_CAS || wqe->op == FAL_VERBS_FAA)
        d = compare_atomic(wqe, e->fact);
    else if (!fal_rdma_is_send(e->fact->opcode))
        d = compare_remote(e);
    else
        d = SAME;
    if (d.requirement == NULL && wqe->op <= FAL_VERBS_WRITE_IMM)
        d = compare_end(wqe, e->fact);
    return d.requirement != NULL || wqe->op > FAL_VERBS_WRITE_IMM ? d : compare_data(e);
}

/* The same packet of RDMA, with a lower RSN. */
static bool same_packet(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fact->opcode == of->opcode && fact->sn == of->sn && fact->rmsn == of->rmsn &&
           fact->va == of->va && fact->hash == of->hash;
}

static void unexplained(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_rdma_fact *before =
        fal_rdma_nearest(c, e->fact->rsn, false, same_packet, e->fact);
    struct fal_blame blame = {.requirement = "RDMA-8.2-10",
                              .effect = &e->fact->at,
                              .seen = "a packet that no work request explains"};

    if (e->qp == NULL && e->fact->opcode >> 5 == FAL_RDMA_UD) {
        blame.requirement = "RDMA-8.3.10-03";
        fal_broken(c, &blame, "the number of a queue pair that sends datagrams as source_qp");
    } else if (before != NULL) {
        blame.requirement = "RDMA-6.8-02";
        blame.cause[0] = &before->at;
        blame.seen = "a packet of RDMA again, as another transaction";
        fal_broken(c, &blame, "no retransmission above Falcon");
    } else {
        fal_broken(c, &blame,
                   "a work request of that kind, posted before and not sent whole yet");
    }
}

/* Whether queue pairs that send datagrams are known. A timeline of one of several connections
 * may lack them: they belong to none, so that another timeline has the words that made them. */
static bool knows_datagrams(const struct fal_ctx *c)
{
    return fal_objects_datagrams(c->bench->objects);
}

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    struct difference d;
    char seen[120];

    if ((e->qp == NULL && (e->fact->opcode >> 5 != FAL_RDMA_UD || !knows_datagrams(c))) ||
        (e->qp != NULL && (e->qp->vague || e->qp->trouble))) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    if (e->wqe == NULL || e->qp == NULL) {
        unexplained(c, e);
        return;
    }
    d = compare(e);
    if (d.requirement == NULL) {
        fal_holds(c);
        return;
    }
    (void)snprintf(seen, sizeof seen, "%s=0x%" PRIx64 " in the packet with sn=%" PRIu32, d.what,
                   d.seen, e->fact->sn);
    fal_broken(c,
               &(struct fal_blame){.requirement = d.requirement,
                                   .cause = {&e->wqe->asked},
                                   .effect = &e->fact->at,
                                   .seen = seen,
                                   .warn = d.warn},
               "%s=0x%" PRIx64 ", as posted with wr_id %" PRIu64, d.what, d.due, e->wqe->wr_id);
}

const struct fal_rule_impl fal_rule_v1 = {
    .about = &fal_about_v1,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .explained = explained,
};
