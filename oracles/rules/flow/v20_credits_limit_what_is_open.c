/* SPDX-License-Identifier: Apache-2.0
 * v20_credits_limit_what_is_open.c - rule V20: a queue pair of RC has no more transactions open
 * than the credits of its connection allow. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v20 = {
    .id = "V20",
    .title = "no more transactions of a queue pair are open than its credits allow",
    .requirements = FAL_IDS("RDMA-6.5-01"),
    .role = "initiator",
    .needs = "posts, credits of the connection",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a new request of an RC queue pair where the parameters of the connection give "
        "credits, and the requests before it that are open need all of them: each takes one packet "
        "credit, and at least one buffer credit (FTP 8.2.3; the size of a buffer is not known). A "
        "push is open until the tester acknowledged it, a pull until it answered it, but holds its "
        "transmit credits until the acknowledgement at most. Not counted: what the tester refused, "
        "what was replaced by a Resync, and what is older than half of the transaction timeout. A "
        "request that takes the last credit conforms.",
};

/* One kind of credit, and the requests that it limits. */
struct credit {
    enum fal_param_at param;
    uint32_t limit;  /* 0: none */
    bool transmit;   /* of the resources for sending; else for the answer */
    bool pulls_only; /* pushes take none */
    const char *name;
};

/* Whether the tester refused it: the SUT may have ended it. */
static bool refused(const struct fal_ctx *c, const struct fal_request *r)
{
    static const unsigned codes[] = {FAL_NACK_XLR, FAL_NACK_CIE, FAL_NACK_NRE, FAL_NACK_CID};

    for (size_t i = 0; c->track->nacked && i < sizeof codes / sizeof *codes; i++)
        if (fal_nacks_find(&c->track->nacks[FAL_FROM_SUT], r->window, r->psn, codes[i]) != NULL)
            return true;
    return false;
}

/* Whether the transaction surely holds that credit. */
static bool holds_credit(const struct fal_ctx *c, const struct fal_request *r,
                         const struct credit *credit)
{
    bool pull = r->type == FAL_PULL_REQUEST;

    if ((r->flags & (FAL_REQ_SENT | FAL_REQ_PLACED)) != (FAL_REQ_SENT | FAL_REQ_PLACED) ||
        (r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED | FAL_REQ_ANSWERED)) != 0 ||
        (!pull && credit->pulls_only) ||
        c->now_ns - r->first.t_ns >= c->track->setup.params.transaction_timeout_ns / 2)
        return false;
    if ((!pull || credit->transmit) && (r->flags & FAL_REQ_CLAIMED) != 0)
        return false;
    return !refused(c, r);
}

static bool is_rc(const struct fal_rdma_fact *fact)
{
    return fact != NULL && (fact->flags & FAL_RDMA_OTHER) == 0 &&
           fact->opcode >> 5 == FAL_RDMA_RC;
}

static void judge(struct fal_ctx *c, const struct fal_seen *q, const struct credit *credit)
{
    const struct fal_ring *ring = &c->track->rdma->requests[FAL_FROM_SUT];
    const struct fal_request *r, *oldest = NULL;
    uint32_t open = 1; /* with the one at hand */

    for (int64_t rsn = ring->lo; rsn < ring->hi; rsn++) {
        if (!is_rc(fal_rdma_request(c->track, FAL_FROM_SUT, rsn)) || rsn == q->rsn)
            continue;
        r = fal_track_request(c->track, FAL_FROM_SUT, (uint32_t)rsn);
        if (r == NULL || !holds_credit(c, r, credit))
            continue;
        oldest = oldest == NULL ? r : oldest;
        open++;
    }
    if (open == credit->limit)
        fal_holds(c);
    else if (open > credit->limit)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.5-01",
                                       .cause = {oldest != NULL ? &oldest->first : NULL},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "no new request: those that are open hold all %u of %s",
                   (unsigned)credit->limit, credit->name);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_params *p = &c->track->setup.params;
    const struct credit credits[] = {
        {FAL_PARAM_AT_credit_req_pkt_tx, p->credit_req_pkt_tx, true, false,
         "credit_req_pkt_tx"},
        {FAL_PARAM_AT_credit_req_buf_tx, p->credit_req_buf_tx, true, false,
         "credit_req_buf_tx"},
        {FAL_PARAM_AT_credit_req_pkt_rx, p->credit_req_pkt_rx, false, false,
         "credit_req_pkt_rx"},
        {FAL_PARAM_AT_credit_req_buf_rx, p->credit_req_buf_rx, false, true,
         "credit_req_buf_rx"},
    };

    if (!c->track->verbs || !p->flow_control || !fal_given(c, FAL_PARAM_AT_flow_control) ||
        !is_rc(fal_rdma_first(c, q)) || c->track->rdma == NULL)
        return;
    for (size_t i = 0; i < sizeof credits / sizeof *credits; i++)
        if (credits[i].limit > 0 && fal_given(c, credits[i].param) &&
            (!credits[i].pulls_only || q->falcon->packet_type == FAL_PULL_REQUEST))
            judge(c, q, &credits[i]);
}

const struct fal_rule_impl fal_rule_v20 = {
    .about = &fal_about_v20,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .on_out = FAL_ON_RDMA,
    .out = out,
};
