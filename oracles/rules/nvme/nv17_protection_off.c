/* SPDX-License-Identifier: Apache-2.0
 * nv17_protection_off.c - rule NV17: without protection information no check is asked for, and
 * all tags are ones. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv17 = {
    .id = "NV17",
    .title = "without protection information no check is asked for",
    .requirements = FAL_IDS("NVME-6.7-22", "NVME-6.7-23", "NVME-6.7-24", "NVME-8.3-08",
                            "NVME-8.3-12", "NVME-8.3-13", "NVME-8.3-14", "NVME-8.5-06",
                            "NVME-8.5-10", "NVME-8.5-11", "NVME-8.5-12"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a request for a namespace without protection information that has a bit "
        "of PRINFO (PRACT too, AMB-N08), or whose reference tag, application tag or mask is not "
        "all ones.",
};

static struct fal_nvme_diff compare(const struct fal_nvme_seen *n, const struct fal_nplan *plan,
                                    const struct fal_nwant *want)
{
    enum { PRACT = 8 };
    bool write = n->cmd->word.op == FAL_NVME_WRITE;
    const struct fal_nvme *h = n->head;
    uint32_t ref = write ? h->ilbrt : h->eilbrt;
    uint16_t mask = write ? h->lbatm : h->elbatm, app = write ? h->lbat : h->elbat;
    const char *tags = write ? "NVME-6.7-24" : "NVME-6.7-23";

    (void)want;
    (void)plan;
    if ((h->prinfo & PRACT) != 0)
        return fal_nvme_differs(write ? "NVME-8.5-06" : "NVME-8.3-08", "prinfo", 0, h->prinfo);
    if (h->prinfo != 0)
        return fal_nvme_differs("NVME-6.7-22", "prinfo", 0, h->prinfo);
    if (ref != UINT32_MAX)
        return fal_nvme_differs(tags, write ? "ilbrt" : "eilbrt", UINT32_MAX, ref);
    if (mask != UINT16_MAX)
        return fal_nvme_differs(tags, write ? "lbatm" : "elbatm", UINT16_MAX, mask);
    if (app != UINT16_MAX)
        return fal_nvme_differs(tags, write ? "lbat" : "elbat", UINT16_MAX, app);
    return (struct fal_nvme_diff){0};
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_request(c, q);
    const struct fal_nspace *space = n != NULL && n->cmd != NULL
                                         ? fal_blocks_space(c->bench->blocks, n->cmd->word.nsid)
                                         : NULL;

    if (space != NULL && space->pi == FAL_NVME_PI_OFF)
        fal_nvme_judge_request(c, q, compare);
}

const struct fal_rule_impl fal_rule_nv17 = {
    .about = &fal_about_nv17,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .out = out,
    .on_out = FAL_ON_NVME,
};
