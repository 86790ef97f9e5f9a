/* SPDX-License-Identifier: Apache-2.0
 * nv2_requests_say_what_was_asked.c - rule NV2: a request of NVMe has the fields of the command
 * that the host submitted. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv2 = {
    .id = "NV2",
    .title = "requests of NVMe say what the host asked for",
    .requirements = FAL_IDS("NVME-6.3-01", "NVME-6.3-02", "NVME-8.2-04", "NVME-8.3-02",
                            "NVME-8.3-09", "NVME-8.3-10", "NVME-8.3-11", "NVME-8.5-02",
                            "NVME-8.5-05", "NVME-8.5-07", "NVME-8.5-08", "NVME-8.5-09"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a Read Request or Write Request whose initiator function is not that of "
        "its namespace, or whose initiator NSID, FUA, LR, DSM, directive type or directive "
        "specific value are not those of the command that explains it. Where the tester alone "
        "submits commands to a namespace (`exclusive`), violated by a request that no command "
        "explains.",
};

static struct fal_nvme_diff compare_write(const struct fal_nvme *h,
                                          const struct fal_nvme_word *asked)
{
    if (h->fua != asked->fua)
        return fal_nvme_differs("NVME-8.5-07", "fua", asked->fua, h->fua);
    if (h->lr != asked->lr)
        return fal_nvme_differs("NVME-8.5-07", "lr", asked->lr, h->lr);
    if (h->dsm != asked->dsm)
        return fal_nvme_differs("NVME-8.5-08", "dsm", asked->dsm, h->dsm);
    if (h->dtype != asked->dtype)
        return fal_nvme_differs("NVME-8.5-05", "dtype", asked->dtype, h->dtype);
    if (h->dspec != asked->dspec)
        return fal_nvme_differs("NVME-8.5-09", "dspec", asked->dspec, h->dspec);
    return (struct fal_nvme_diff){0};
}

static struct fal_nvme_diff compare_read(const struct fal_nvme *h,
                                         const struct fal_nvme_word *asked)
{
    if (h->fua != asked->fua)
        return fal_nvme_differs("NVME-8.3-09", "fua", asked->fua, h->fua);
    if (h->lr != asked->lr)
        return fal_nvme_differs("NVME-8.3-10", "lr", asked->lr, h->lr);
    if (h->dsm != asked->dsm)
        return fal_nvme_differs("NVME-8.3-11", "dsm", asked->dsm, h->dsm);
    return (struct fal_nvme_diff){0};
}

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    const struct fal_nvme_word *asked = &n->cmd->word;
    bool write = asked->op == FAL_NVME_WRITE;

    (void)want;
    if (plan->space.told && n->head->initiator_function != plan->space.function)
        return fal_nvme_differs("NVME-8.2-04", "initiator_function", plan->space.function,
                                n->head->initiator_function);
    if (n->head->initiator_nsid != (uint16_t)asked->nsid)
        return fal_nvme_differs(write ? "NVME-8.5-02" : "NVME-8.3-02", "initiator_nsid",
                                (uint16_t)asked->nsid, n->head->initiator_nsid);
    return write ? compare_write(n->head, asked) : compare_read(n->head, asked);
}

/* A request that no command of the host explains. */
static void judge_unasked(struct fal_ctx *c, const struct fal_seen *q,
                          const struct fal_nvme_seen *n)
{
    if (fal_nvme_late(c) || !fal_nvme_exclusive(c, n->head->initiator_nsid) || n->rival != NULL)
        return;
    if (c->bench->unseen) { /* a copy may come after its command has ended */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    fal_broken(c,
               &(struct fal_blame){.requirement = n->head->packet_type == FAL_NVME_WRITE_REQUEST
                                                      ? "NVME-6.3-02"
                                                      : "NVME-6.3-01",
                                   .effect = &q->at,
                                   .packet = q->packet},
               "a command that the host submitted before");
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);

    if (n != NULL && n->cmd == NULL && c->subject == FAL_SUBJECT_SUT)
        judge_unasked(c, q, n);
    else
        fal_nvme_judge_request(c, q, compare);
}

const struct fal_rule_impl fal_rule_nv2 = {
    .about = &fal_about_nv2,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
