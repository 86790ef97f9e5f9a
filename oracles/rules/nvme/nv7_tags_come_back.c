/* SPDX-License-Identifier: Apache-2.0
 * nv7_tags_come_back.c - rule NV7: answers copy the tags of what they answer, and no two open
 * requests have the same. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv7 = {
    .id = "NV7",
    .title = "tags of NVMe are copied, and name one request",
    .requirements = FAL_IDS("NVME-8.2-04", "NVME-8.2-09", "NVME-8.2-11", "NVME-8.2-13"),
    .role = "any",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by an answer that has not the function, the initiator tag or the identifier "
        "of the command of its request, and by write data without the target tag of the Write "
        "Data Request. What else the headers share is not compared (AMB-N05). Violated by a "
        "request whose function and initiator tag another nCMD of the connection has that is "
        "still open. Two open commands of a function with one identifier violate it where they "
        "came from one submission queue; else they give a warning (AMB-N24).",
};

/* The numbers that an answer copies from a request. */
static struct fal_nvme_diff copied(const struct fal_nvme *from, const struct fal_nvme *head)
{
    if (head->initiator_function != from->initiator_function)
        return fal_nvme_differs("NVME-8.2-04", "initiator_function", from->initiator_function,
                                head->initiator_function);
    if (head->initiator_tag != from->initiator_tag)
        return fal_nvme_differs("NVME-8.2-11", "initiator_tag", from->initiator_tag,
                                head->initiator_tag);
    if (head->icmd_identifier != from->icmd_identifier)
        return fal_nvme_differs("NVME-8.2-13", "icmd_identifier", from->icmd_identifier,
                                head->icmd_identifier);
    return (struct fal_nvme_diff){0};
}

static void judge_answer(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = q->nvme;
    const struct fal_ncmd *ncmd = n->ncmd != NULL ? n->ncmd : n->near;
    struct fal_nvme_diff diff;

    if (ncmd == NULL)
        return;
    diff = copied(&ncmd->head, n->head);
    if (diff.requirement == NULL && n->head->packet_type == FAL_NVME_WRITE_DATA_RESPONSE &&
        ncmd->pull.count == 1 && n->head->target_tag != ncmd->pull.head.target_tag)
        diff = fal_nvme_differs("NVME-8.2-09", "target_tag", ncmd->pull.head.target_tag,
                                n->head->target_tag);
    if (diff.requirement == NULL)
        fal_holds(c);
    else if (fal_nvme_holes(c, ncmd->initiator, ncmd->rsn) ||
             (n->ncmd == NULL && fal_nvme_late(c) && !c->track->complete))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* it may belong to another request */
    else
        fal_nvme_broken(c, q, &diff, &ncmd->at);
}

/* Whether an answer to an nCMD may have gone unseen, or it ended without one. */
static bool may_be_over(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    return fal_nvme_may_have_failed(c, ncmd) ||
           fal_nvme_holes(c, fal_dir_other(ncmd->initiator), INT64_MIN);
}

static bool any_may_be_over(const struct fal_ctx *c, const struct fal_npart *part)
{
    for (const struct fal_ncmd *ncmd = part->first; ncmd != NULL; ncmd = ncmd->next)
        if (ncmd->end.count == 0 && may_be_over(c, ncmd))
            return true;
    return false;
}

/* Whether both commands came from one queue of the host. */
static bool one_queue(const struct fal_hcmd *a, const struct fal_hcmd *b)
{
    return a != NULL && b != NULL && a->answered != 0 && b->answered != 0 && a->sq == b->sq;
}

static void judge_request(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = q->nvme;

    if (n->ncmd != NULL) {
        if (may_be_over(c, n->ncmd)) {
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
            return;
        }
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-8.2-11",
                                       .cause = {&n->ncmd->at},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "an initiator tag that no open nCMD of the function has");
        return;
    }
    if (n->rival != NULL && !any_may_be_over(c, n->rival)) {
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-8.2-13",
                                       .cause = {&n->rival->first->at},
                                       .effect = &q->at,
                                       .packet = q->packet,
                                       .warn = !one_queue(n->cmd, n->rival->cmd)},
                   "an identifier that no open command of the function has");
        return;
    }
    fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);

    if (n == NULL)
        return;
    if (fal_nvme_is_request(n->head->packet_type))
        judge_request(c, q);
    else
        judge_answer(c, q);
}

const struct fal_rule_impl fal_rule_nv7 = {
    .about = &fal_about_nv7,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_NVME,
};
