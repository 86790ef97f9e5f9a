/* SPDX-License-Identifier: Apache-2.0
 * answers.c - what acknowledgements and responses do to the requester. */
#include "oracles/roce/state.h"

/* The first READ before `psn` whose responses did not all come, or NULL. */
static struct fal_roce_wqe *unanswered(struct fal_roce_qp *qp, uint32_t psn)
{
    for (unsigned i = 0; i < qp->req.count; i++) {
        struct fal_roce_wqe *w = &qp->req.open[(qp->req.head + i) % FAL_ROCE_POSTS_MAX];

        if (w->post.op == FAL_ROCE_POST_READ && fal_psn_diff(w->first, psn) < 0 &&
            fal_psn_diff(fal_psn_add(w->first, w->got), psn) < 0 && w->got < w->num)
            return w;
    }
    return NULL;
}

static void complete(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_roce_requester *req = &qp->req;

    while (req->count > 0) {
        const struct fal_roce_wqe *w = &req->open[req->head];
        struct fal_roce_event event = {.kind = FAL_ROCE_DONE,
                                       .at_ns = end->now_ns,
                                       .qp = qp->index,
                                       .id = w->post.id,
                                       .length = w->post.length};

        if (fal_psn_diff(fal_psn_add(w->first, w->num), req->una) > 0)
            return;
        req->head = (req->head + 1) % FAL_ROCE_POSTS_MAX;
        req->count--;
        fal_roce_tell(end, &event);
    }
}

/* All PSNs before `psn` are acknowledged. */
static void acknowledged(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn)
{
    struct fal_roce_requester *req = &qp->req;

    if (fal_psn_diff(psn, req->una) <= 0)
        return;
    req->una = psn;
    req->timeouts = req->rnrs = 0;
    if (fal_psn_diff(req->next, req->una) < 0)
        req->next = req->una;
    complete(end, qp);
    fal_roce_req_timer(end, qp);
}

/* Responses of this READ are missing: it is asked for again from there. */
static void ask_again(struct fal_roce_end *end, struct fal_roce_qp *qp, struct fal_roce_wqe *w)
{
    uint32_t psn;

    if (w->asked)
        return;
    w->asked = true;
    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_READ_FROM_START))
        w->got = 0;
    psn = fal_psn_add(w->first, w->got);
    acknowledged(end, qp, psn);
    if (fal_psn_diff(qp->req.next, psn) > 0)
        fal_roce_req_back(end, qp, psn);
}

/* A NAK for a gap: go back to the PSN that it names. */
static void go_back(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn)
{
    struct fal_roce_requester *req = &qp->req;
    uint32_t before = fal_psn_add(psn, UINT32_MAX);

    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_NAK_IGNORED))
        return;
    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_BACK_TOO_FAR) &&
        fal_roce_req_of(qp, before) != NULL)
        psn = before;
    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_RESENDS_ONE)) {
        req->only_end = req->next;
        req->next = psn;
        req->only_one = true;
        return;
    }
    fal_roce_req_back(end, qp, psn);
}

static void rnr(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn, unsigned code)
{
    uint64_t wait_ns = fal_roce_rnr_ns(code);

    if (qp->setup.rnr_retries != 7 && ++qp->req.rnrs > qp->setup.rnr_retries) {
        fal_roce_req_fail(end, qp, "RNR retries exceeded");
        return;
    }
    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_RNR_TOO_EARLY))
        wait_ns /= 8;
    fal_roce_req_back(end, qp, psn);
    qp->req.pause_ns = end->now_ns + wait_ns;
    fal_roce_req_timer(end, qp);
    if (qp->req.timer_ns != UINT64_MAX)
        qp->req.timer_ns += wait_ns;
}

static void take_aeth(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_packet *packet)
{
    enum fal_aeth_kind kind = fal_aeth_kind_of(packet->aeth.syndrome);
    unsigned value = fal_aeth_value_of(packet->aeth.syndrome);
    uint32_t psn = packet->bth.psn, below = psn;
    struct fal_roce_wqe *read;

    if (kind == FAL_AETH_RESERVED)
        return;
    if (kind == FAL_AETH_ACK || (kind == FAL_AETH_NAK && value == FAL_AETH_SEQUENCE &&
                                 fal_roce_end_bad(end, FAL_ROCE_FAULT_ACK_BELOW_LOSS)))
        below = fal_psn_add(psn, 1);
    if (fal_psn_diff(below, qp->req.una) < 0 || fal_psn_diff(below, qp->req.sent_end) > 0)
        return; /* old, or about packets that were never sent */
    read = unanswered(qp, below);
    if (read != NULL) {
        ask_again(end, qp, read);
        return;
    }
    acknowledged(end, qp, below);
    if (below != psn)
        return;
    if (kind == FAL_AETH_RNR)
        rnr(end, qp, psn, value);
    else if (value == FAL_AETH_SEQUENCE)
        go_back(end, qp, psn);
    else
        fal_roce_req_fail(end, qp,
                          value == FAL_AETH_REMOTE_ACCESS     ? "remote access error"
                          : value == FAL_AETH_INVALID_REQUEST ? "remote invalid request"
                                                              : "remote operational error");
}

static void take_response(struct fal_roce_end *end, struct fal_roce_qp *qp,
                          const struct fal_roce_packet *packet)
{
    struct fal_roce_wqe *w = fal_roce_req_of(qp, packet->bth.psn);
    struct fal_roce_wqe *before = unanswered(qp, packet->bth.psn);
    uint32_t at;

    if (w == NULL || w->post.op != FAL_ROCE_POST_READ ||
        fal_psn_diff(packet->bth.psn, qp->req.sent_end) >= 0)
        return;
    at = (uint32_t)fal_psn_diff(packet->bth.psn, w->first);
    if (at < w->got)
        return;
    if (before != NULL) { /* of this READ, or of one before it */
        ask_again(end, qp, before);
        return;
    }
    w->got++;
    w->asked = false;
    acknowledged(end, qp, fal_psn_add(packet->bth.psn, 1));
}

void fal_roce_req_answer(struct fal_roce_end *end, struct fal_roce_qp *qp,
                         const struct fal_roce_packet *packet)
{
    if (qp->req.failed)
        return;
    if (packet->bth.opcode == FAL_ROCE_OP_rc_ack)
        take_aeth(end, qp, packet);
    else if (packet->bth.opcode != FAL_ROCE_OP_rc_atomic_ack)
        take_response(end, qp, packet);
}
