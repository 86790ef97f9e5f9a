/* SPDX-License-Identifier: Apache-2.0
 * v3_reads_are_cut_to_fit.c - rule V3: a READ is cut into pulls of at most one path MTU, none
 * of which crosses a boundary of the local scatter-gather list; each names its part of the
 * list. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v3 = {
    .id = "V3",
    .title = "READs are cut by the path MTU and by the local list",
    .requirements = FAL_IDS("RDMA-6.7-10", "RDMA-6.7-11", "RDMA-6.7-12", "RDMA-8.3.1-04",
                            "RDMA-8.3.4-01", "RDMA-8.3.4-02"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a pull of a READ that asks for more than one path MTU or for more than is "
        "left of the operation, that crosses a boundary of the scatter-gather list, or whose "
        "STETH is not the address and the key of its part of the list. Of an atomic operation "
        "the STETH names the 8 bytes for the answer. Smaller pulls are allowed (RDMA-6.7-13). "
        "Not judged where a request in between was not seen whole, where a region of the list "
        "is not known, or after a completion in error.",
};

/* The entry of the list that holds the byte `at`, and where it begins. NULL: none. */
static const struct fal_vsge *entry_of(const struct fal_wqe *wqe, uint64_t at, uint64_t *begin)
{
    *begin = 0;
    for (unsigned i = 0; i < wqe->num_sge; i++) {
        if (at < *begin + wqe->sgl[i].length)
            return &wqe->sgl[i];
        *begin += wqe->sgl[i].length;
    }
    return NULL;
}

static void broken(struct fal_ctx *c, const struct fal_explained *e, const char *requirement,
                   const char *expected)
{
    char seen[160];

    (void)snprintf(seen, sizeof seen,
                   "%" PRIu32 " bytes to steth.va=0x%" PRIx64 " lkey=0x%" PRIx32
                   " in the packet with sn=%" PRIu32,
                   e->fact->length, e->fact->sink_va, e->fact->l_key, e->fact->sn);
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&e->wqe->asked},
                                   .effect = &e->fact->at,
                                   .seen = seen},
               "%s", expected);
}

static void judge_sink(struct fal_ctx *c, const struct fal_explained *e, uint64_t length)
{
    uint64_t begin;
    const struct fal_vsge *entry = entry_of(e->wqe, e->before, &begin);

    if (entry == NULL || length == 0)
        fal_holds(c); /* of no bytes */
    else if (e->fact->sink_va != entry->va + (e->before - begin))
        broken(c, e, "RDMA-8.3.4-01", "the address of the READ's next byte in the local list");
    else if (e->fact->l_key != entry->lkey)
        broken(c, e, "RDMA-8.3.4-02", "the L_Key of the entry of the local list");
    else if (e->before - begin + length > entry->length)
        broken(c, e, "RDMA-6.7-12", "a pull that ends with the entry of the local list");
    else
        fal_holds(c);
}

static void judge_read(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_wqe *wqe = e->wqe;
    uint32_t length = e->fact->length;

    if (e->before + length > wqe->length || (length == 0 && wqe->length > 0))
        broken(c, e, "RDMA-8.3.1-04", "a part of what is left of the READ");
    else if (e->qp->path_mtu != 0 && length > e->qp->path_mtu)
        broken(c, e, length == wqe->length ? "RDMA-6.7-10" : "RDMA-6.7-11",
               "at most one path MTU");
    else
        judge_sink(c, e, length);
}

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    enum { ATOMIC = 8 };

    if (e->qp == NULL || e->wqe == NULL || e->wqe->op < FAL_VERBS_READ)
        return;
    if (e->qp->vague || e->qp->trouble)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (!e->wqe->list_known)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (e->wqe->op == FAL_VERBS_READ)
        judge_read(c, e);
    else
        judge_sink(c, e, ATOMIC);
}

const struct fal_rule_impl fal_rule_v3 = {
    .about = &fal_about_v3,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .explained = explained,
};
