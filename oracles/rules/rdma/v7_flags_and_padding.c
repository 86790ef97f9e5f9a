/* SPDX-License-Identifier: Apache-2.0
 * v7_flags_and_padding.c - rule V7: Solicited Event, Complete-in-Error and Pad are set as the
 * post and the message ask for. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <stdio.h>

const struct fal_rule fal_about_v7 = {
    .id = "V7",
    .title = "SE, CE and Pad are as the message asks for",
    .requirements = FAL_IDS("RDMA-8.2-04", "RDMA-8.2-05", "RDMA-8.2-08"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a last or only packet of a SEND, or of a WRITE with immediate data, that was "
        "posted with the flag solicited and has no SE, by SE in any other packet, by a message "
        "with CE in a first or middle packet and not in its last one, and by a last packet that "
        "counts pad bytes as data or data as pad bytes. Not judged where a request in between "
        "was not seen whole, or after a completion in error.",
};

static void broken(struct fal_ctx *c, const struct fal_explained *e, const char *requirement,
                   const char *seen, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&e->wqe->asked},
                                   .effect = &e->fact->at,
                                   .seen = seen},
               "%s", expected);
}

static bool wants_event(const struct fal_wqe *wqe, bool ends)
{
    return ends && (wqe->flags & FAL_VERBS_SOLICITED) != 0 &&
           (wqe->op <= FAL_VERBS_SEND_INV || wqe->op == FAL_VERBS_WRITE_IMM);
}

/* Whether data and padding together are those of the rest of the message, but not each of
 * them. */
static bool miscounts(const struct fal_explained *e)
{
    const struct fal_rdma_fact *f = e->fact;
    uint64_t rest = e->wqe->length - e->before;

    return !f->complete_in_error && e->before <= e->wqe->length && f->data_len != rest &&
           f->data_len + f->pad == (rest + 3) / 4 * 4;
}

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_rdma_fact *f = e->fact;
    enum fal_rdma_place place = fal_rdma_place(f->opcode);
    bool ends = place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY, event;

    if (e->qp == NULL || e->wqe == NULL)
        return;
    if (e->qp->vague || e->qp->trouble) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    event = wants_event(e->wqe, ends);
    if (f->solicited != event)
        broken(c, e, "RDMA-8.2-08", event ? "a last packet without SE" : "SE",
               event ? "SE in the last packet, because the post asks for it"
                     : "no SE: the post does not ask for it, or this is not the last packet");
    else if (place == FAL_RDMA_LAST && e->wqe->early_error && !f->complete_in_error)
        broken(c, e, "RDMA-8.2-04", "CE in an earlier packet of the message alone",
               "CE in the last packet of a message that ends in error");
    else if (ends && e->wqe->op <= FAL_VERBS_WRITE_IMM && miscounts(e))
        broken(c, e, "RDMA-8.2-05", "another number of pad bytes",
               "as many pad bytes as the data lack to a multiple of 4");
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_v7 = {
    .about = &fal_about_v7,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .explained = explained,
};
