/* SPDX-License-Identifier: Apache-2.0
 * v16_cid_of_the_queue_pair.c - rule V16: a packet is for the queue pair that has its
 * connection. A request that names another one is refused, and nothing else stops; a response
 * that does is dropped. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/deny.h"

#include <string.h>

const struct fal_rule fal_about_v16 = {
    .id = "V16",
    .title = "the CID of a packet is that of its queue pair",
    .requirements =
        FAL_IDS("RDMA-6.9-01", "RDMA-6.9-02", "RDMA-6.9-03", "RDMA-6.9-04", "RDMA-6.9-05"),
    .role = "any",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when the SUT acknowledges a push, or answers a pull with data, that names an RC "
        "queue pair of another connection; when it refuses such a push with another code than "
        "8; when one of the two queue pairs leaves the state RTS for it; when a READ completes "
        "without error whose answer named another queue pair; and by a NACK of that answer. No "
        "answer to such a pull is right, too (AMB-59). A push that the tester replaced by a "
        "Resync before the SUT refused it is not judged.",
};

/* An answer to the SUT that names another queue pair than its own. */
struct wrong_answer {
    struct fal_at at;
    int64_t rsn, x;
};

struct state {
    struct fal_bag denied;  /* struct fal_denied */
    struct fal_bag answers; /* struct wrong_answer */
    struct fal_at refused;  /* the last refusal */
    bool any;
    uint8_t zero[7]; /* as in struct fal_at */
};

enum { ANSWERS_MAX = 64 };

/* ---- requests ---- */

static void told(struct fal_ctx *c, const struct fal_denied *denied, enum fal_denial what,
                 const struct fal_seen *q)
{
    struct state *state = c->state;

    if (what == FAL_DENIAL_REFUSED) {
        state->refused = q->at;
        state->any = true;
    }
    if (what == FAL_DENIAL_REFUSED && !denied->pull && q->falcon->nack_code != FAL_NACK_CID)
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.9-02",
                                       .cause = {&denied->at},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "a NACK with code 8 (invalid CID)");
    else
        fal_denied_judge(c, denied, what, q);
}

static void wrong_request(struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_vqp *qp = fal_objects_qp_by_number(c->bench->objects, p->rdma.dest_qp);
    struct state *state = c->state;

    if (qp != NULL && qp->type == FAL_VERBS_RC && qp->conn != 0 && qp->conn != c->conn &&
        p->rdma.opcode >> 5 == FAL_RDMA_RC)
        fal_deny(&state->denied, p, "RDMA-6.9-01",
                 "the request names a queue pair of another connection");
}

/* ---- responses ---- */

static void wrong_response(struct fal_ctx *c, const struct fal_seen *p)
{
    const struct fal_vqp *own = fal_objects_rc_on(c->bench->objects, c->conn),
                         *named = fal_objects_qp_by_number(c->bench->objects, p->rdma.dest_qp);
    struct state *state = c->state;
    struct wrong_answer *answer;

    if (own == NULL || named == NULL || named == own || named->conn == c->conn)
        return;
    answer = fal_bag_add(&state->answers, sizeof *answer, ANSWERS_MAX);
    if (answer != NULL)
        *answer = (struct wrong_answer){p->at, p->rsn, p->x};
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    if (!c->track->verbs || c->bench->objects == NULL || !fal_rdma_has(p) || p->prior != NULL)
        return;
    if (p->falcon->packet_type == FAL_PULL_DATA)
        wrong_response(c, p);
    else
        wrong_request(c, p);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    fal_denied_out(c, &state->denied, q, told);
    for (unsigned i = 0; q->falcon->packet_type == FAL_NACK && i < state->answers.num; i++) {
        const struct wrong_answer *answer = FAL_BAG(&state->answers, struct wrong_answer, i);

        if (q->falcon->window == FAL_WINDOW_DATA &&
            (uint32_t)answer->x == q->falcon->nack_psn && q->falcon->nack_code > FAL_NACK_XLR)
            fal_broken(c,
                       &(struct fal_blame){.requirement = "RDMA-6.9-05",
                                           .cause = {&answer->at},
                                           .effect = &q->at,
                                           .packet = q->packet},
                       "no NACK of a response: it is dropped");
    }
}

/* ---- what the verbs say ---- */

static void judge_read(struct fal_ctx *c, const struct fal_said *said)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(said->event);

    for (unsigned i = 0; said->wqe != NULL && i < state->answers.num; i++) {
        struct wrong_answer answer = *FAL_BAG(&state->answers, struct wrong_answer, i);

        if (said->wqe->packets == 0 || answer.rsn < said->wqe->rsn_first ||
            answer.rsn > said->wqe->rsn_last || said->wqe->op < FAL_VERBS_READ)
            continue;
        if (said->told->status == FAL_VERBS_OK)
            fal_broken(c,
                       &(struct fal_blame){.requirement = "RDMA-6.9-04",
                                           .cause = {&answer.at},
                                           .effect = &at,
                                           .seen = "a completion without error"},
                       "no success of an operation whose answer names another queue pair");
        else
            fal_holds(c);
        fal_bag_remove(&state->answers, sizeof answer, i);
        return;
    }
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    const struct state *state = c->state;
    enum fal_verbs_phase phase = said->event->u.verbs.phase;
    struct fal_at at = fal_at_event(said->event);

    if (phase == FAL_VERBS_TOLD && said->told->kind == FAL_VERBS_WC && said->qp != NULL)
        judge_read(c, said);
    if (phase != FAL_VERBS_ANSWERED || !said->ok || said->asked->kind != FAL_VERBS_QP_QUERY ||
        !state->any || said->qp == NULL || said->qp->trouble || c->track->dead ||
        said->asked_at.index < state->refused.index)
        return;
    if (said->told->state == FAL_VERBS_RTS)
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.9-03",
                                       .cause = {&state->refused},
                                       .effect = &at,
                                       .seen = "a queue pair that left the state rts"},
                   "the state rts: such a request does not stop the queue pair");
}

static void release(void *memory)
{
    struct state *state = memory;

    fal_bag_free(&state->denied);
    fal_bag_free(&state->answers);
}

const struct fal_rule_impl fal_rule_v16 = {
    .about = &fal_about_v16,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 2,
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_WAITING,
    .in = in,
    .out = out,
    .verbs = verbs,
    .release = release,
};
