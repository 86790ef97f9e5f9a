/* SPDX-License-Identifier: Apache-2.0
 * nv6_one_answer_each.c - rule NV6: each nCMD has one answer of each kind, after what asks for
 * it; write data are sent only when the target asked for them. */
#include "oracles/rules/nvme/walk.h"

const struct fal_rule fal_about_nv6 = {
    .id = "NV6",
    .title = "each request of NVMe has one answer of each kind",
    .requirements =
        FAL_IDS("NVME-6.3-01", "NVME-6.3-02", "NVME-6.3-03", "NVME-6.3-05", "NVME-7.2-03"),
    .role = "any",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a Read Response, Write Data Request or Write Completion for a function and "
        "initiator tag that were not requested on the connection, or that had one before; by "
        "write data that no Write Data Request asked for; and by a Write Completion without "
        "error before the data were sent, if it is the last of its command (another one gives "
        "a warning, AMB-N12). A Write Data Request may come again where the first one failed. "
        "An error needs no data (AMB-N23). After a barrier, violated by an nCMD that was "
        "acknowledged for a transaction timeout and has no answer, on a path without loss, "
        "unless devices hold commands. Not judged where a request may have gone unseen.",
};

/* Whether the answer is of a kind that an nCMD of that operation has. */
static bool fits(const struct fal_ncmd *ncmd, unsigned type)
{
    return fal_ncmd_is_write(ncmd) == (type != FAL_NVME_READ_RESPONSE);
}

static const char *requirement_of(unsigned type)
{
    switch (type) {
    case FAL_NVME_READ_RESPONSE: return "NVME-6.3-01";
    case FAL_NVME_WRITE_DATA_REQUEST: return "NVME-6.3-02";
    case FAL_NVME_WRITE_DATA_RESPONSE: return "NVME-6.3-03";
    default: return "NVME-6.3-05";
    }
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const char *requirement,
                   const struct fal_at *cause, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {cause},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%s", expected);
}

/* No nCMD has these tags. */
static void unasked(struct fal_ctx *c, const struct fal_seen *q)
{
    const int64_t *first = c->track->rsn_first;
    bool data = q->nvme->head->packet_type == FAL_NVME_WRITE_DATA_RESPONSE;

    if (q->nvme->near != NULL) /* for NV7 */
        return;
    /* Of write data the nCMD, or the Write Data Request, may be what was not seen. */
    if (!c->track->setup.initial_known ||
        fal_nvme_holes(c, q->nvme->initiator, first[q->nvme->initiator]) ||
        (data && fal_nvme_holes(c, fal_in(c), first[fal_in(c)])))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        broken(c, q, requirement_of(q->nvme->head->packet_type), NULL,
               "the function and initiator tag of a request");
}

/* The answer was given before. The tag may have been used again by a request that was not
 * seen. */
static void again(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd,
                  const struct fal_at *before)
{
    if (fal_nvme_holes(c, ncmd->initiator, ncmd->rsn))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        broken(c, q, requirement_of(q->nvme->head->packet_type), before,
               "one answer of this kind to the request");
}

/* Whether the transaction that asked for the data may have failed, so that the target asks
 * again. */
static bool pull_failed(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    enum { AGAIN = FAL_REQ_RESYNC | FAL_REQ_ANSWER_RESYNC | FAL_REQ_VARIED };
    const struct fal_request *r =
        fal_ring_at(&c->track->requests[fal_dir_other(ncmd->initiator)], ncmd->pull.rsn);

    return r == NULL || (r->flags & AGAIN) != 0 ||
           (ncmd->data.count == 0 &&
            (c->track->nacked || fal_may_time_out(c, ncmd->pull.at.t_ns, c->now_ns)));
}

static void judge_pull(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd)
{
    if (ncmd->pull.count > 0 && !pull_failed(c, ncmd) &&
        fal_nvme_missed(c, ncmd->pull.at.index))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP); /* that shows why the first one failed */
    else if (ncmd->pull.count > 0 && !pull_failed(c, ncmd))
        again(c, q, ncmd, &ncmd->pull.at);
    else
        fal_holds(c);
}

/* Returns whether another Write Data Request than the one that was seen may have asked for the
 * data. */
static bool asked_unseen(const struct fal_ctx *c, const struct fal_seen *q,
                         const struct fal_ncmd *ncmd)
{
    return q->rsn != ncmd->data.rsn && fal_nvme_holes(c, fal_in(c), ncmd->pull.rsn);
}

static void judge_data(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd)
{
    if (ncmd->pull.count == 0)
        unasked(c, q);
    else if (ncmd->data.count > 0 && ncmd->pull.count == 1 && asked_unseen(c, q, ncmd))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (ncmd->data.count > 0 && ncmd->pull.count == 1)
        broken(c, q, "NVME-7.2-03", &ncmd->data.at,
               "one Write Data Response, with the RSN of the Write Data Request");
    else
        fal_holds(c);
}

/* Whether an answer to any other nCMD of the command is still to come. */
static bool is_last(const struct fal_ncmd *ncmd)
{
    const struct fal_npart *part = ncmd->part;

    return part->ended + 1 >= part->seen &&
           (part->head.s != 0 || part->seen > part->head.ncnt_total);
}

static void judge_end(struct fal_ctx *c, const struct fal_seen *q, const struct fal_ncmd *ncmd)
{
    const struct fal_nvme *head = q->nvme->head;
    bool early = head->packet_type == FAL_NVME_WRITE_COMPLETION && head->cqe_status == 0 &&
                 ncmd->data.count == 0;

    if (ncmd->end.count > 0)
        again(c, q, ncmd, &ncmd->end.at);
    else if (!early)
        fal_holds(c);
    else if (fal_nvme_holes(c, fal_dir_other(ncmd->initiator), INT64_MIN) ||
             fal_nvme_data_unread(c, ncmd))
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "NVME-6.3-05",
                                       .cause = {&ncmd->at},
                                       .effect = &q->at,
                                       .packet = q->packet,
                                       .warn = !is_last(ncmd)},
                   "the data of the nCMD before its Write Completion");
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_nvme_seen *n = fal_nvme_mine(c, q);
    unsigned type;

    if (n == NULL || fal_nvme_is_request(n->head->packet_type))
        return;
    type = n->head->packet_type;
    if (n->ncmd == NULL || !fits(n->ncmd, type))
        unasked(c, q);
    else if (type == FAL_NVME_WRITE_DATA_REQUEST)
        judge_pull(c, q, n->ncmd);
    else if (type == FAL_NVME_WRITE_DATA_RESPONSE)
        judge_data(c, q, n->ncmd);
    else
        judge_end(c, q, n->ncmd);
}

/* ---- answers that do not come ---- */

/* When the target had all that it needs to answer: the request, or the data. False: not yet. */
static bool due_since(const struct fal_ctx *c, const struct fal_ncmd *ncmd,
                      struct fal_at *since)
{
    const struct fal_request *r = fal_ring_at(&c->track->requests[ncmd->initiator], ncmd->rsn);

    if (r == NULL || (r->flags & FAL_REQ_CLAIMED) == 0)
        return false;
    *since = r->claimed;
    if (!fal_ncmd_is_write(ncmd) || ncmd->pull.count == 0)
        return true;
    *since = ncmd->data.at;
    return ncmd->data.count > 0;
}

/* Whether devices may still hold its command. */
static bool held(const struct fal_ctx *c, const struct fal_ncmd *ncmd)
{
    const struct fal_npolicy *policy = fal_blocks_policy(c->bench->blocks);
    const struct fal_dcmd *dcmd = ncmd->part->dcmd;

    if (dcmd != NULL && dcmd->complete)
        return false;
    return policy->hold || policy->unsure || policy->after_ns > 0 || dcmd == NULL
               ? policy->known != 0
               : dcmd->held;
}

static void finish(struct fal_ctx *c)
{
    const struct fal_ncmd *ncmd;

    /* Scenarios may leave requests of the SUT without an answer. */
    if (c->subject != FAL_SUBJECT_SUT || c->track == NULL || c->bench->blocks == NULL ||
        !c->bench->control || c->track->given || !fal_nvme_speaks(c) || fal_nvme_troubled(c))
        return;
    for (size_t i = 0; (ncmd = fal_blocks_ncmd_at(c->bench->blocks, i)) != NULL; i++) {
        struct fal_at since;

        if (ncmd->conn != c->conn || ncmd->initiator != fal_in(c) || ncmd->end.count > 0 ||
            !due_since(c, ncmd, &since) || held(c, ncmd) || c->track->barrier_ns < since.t_ns ||
            c->track->barrier_ns - since.t_ns < 2 * fal_least_transaction_ns(c) ||
            !fal_given(c, FAL_PARAM_AT_transaction_timeout) ||
            fal_nvme_holes(c, fal_out(c), INT64_MIN))
            continue;
        fal_broken(c,
                   &(struct fal_blame){.requirement = fal_ncmd_is_write(ncmd)
                                                          ? ncmd->pull.count == 0
                                                                ? "NVME-6.3-02"
                                                                : "NVME-6.3-05"
                                                          : "NVME-6.3-01",
                                       .cause = {&ncmd->at},
                                       .effect = &since,
                                       .seen = "no answer after a barrier"},
                   "an answer to the request within a transaction timeout");
    }
}

const struct fal_rule_impl fal_rule_nv6 = {
    .about = &fal_about_nv6,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .out = out,
    .on_out = FAL_ON_NVME,
    .finish = finish,
};
