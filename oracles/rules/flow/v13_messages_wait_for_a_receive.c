/* SPDX-License-Identifier: Apache-2.0
 * v13_messages_wait_for_a_receive.c - rule V13: a message that needs a receive request is
 * acknowledged only when one has taken it, and is then not lost. Until then the target holds
 * it, or refuses it with RNR. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/memory/access.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v13 = {
    .id = "V13",
    .title = "a message is acknowledged when a receive request took it, and not lost then",
    .requirements = FAL_IDS("RDMA-6.8-03"),
    .role = "target",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when the SUT has acknowledged more SENDs, and WRITEs with immediate data, to an "
        "RC queue pair than receive requests were posted to it; and when at a barrier fewer of "
        "them have completed than such messages were acknowledged before it. Messages count in "
        "the order of RSNs, up to the first transaction that has not ended. Not judged: shared "
        "receive queues, and a queue pair to which anything was sent that must be refused, that "
        "ended in error or was replaced by a Resync, or that invalidates a key.",
};

enum { OPERATION = 31, READ_REQUEST = 12, CMP_SWAP = 19, FETCH_ADD = 20 };
enum { ATOMIC_ANSWER = 32, ATOMIC_ALIGNMENT = 8 };

struct state {
    int64_t next;         /* RSN of the first transaction that has not been counted */
    uint64_t messages;    /* acknowledged so far, that need a receive request */
    uint64_t acked_index; /* the newest acknowledgement of any transaction before `next` */
    struct fal_at last;   /* the last packet of the newest such message */
    bool started;
    bool lost;       /* something may end otherwise */
    uint8_t zero[6]; /* as in struct fal_at */
};

/* Whether a receive request is too short for the message as far as it is known. */
static bool too_long(const struct fal_vqp *qp, const struct fal_rdma_fact *fact)
{
    uint64_t length = (uint64_t)fact->offset + fact->data_len;

    for (size_t i = 0; fal_rdma_is_send(fact->opcode) && i < qp->recvs.num; i++)
        if (!qp->recvs.list[i].refused && qp->recvs.list[i].length < length)
            return true;
    return false;
}

/* Whether the offset of a message's first packet is not 0, so that the target may refuse it. */
static bool begins_elsewhere(const struct fal_rdma_fact *fact)
{
    enum fal_rdma_place place = fal_rdma_place(fact->opcode);

    return fact->offset != 0 && (place == FAL_RDMA_ONLY || place == FAL_RDMA_FIRST);
}

/* Whether it is known that the target need not refuse the request. */
static bool is_good(const struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    const struct fal_vqp *qp = fal_denied_qp(c, fact);
    const struct fal_rdma_kind *kind = fal_rdma_kind(fact->opcode);
    unsigned operation = fact->opcode & OPERATION;
    bool atomic = operation == CMP_SWAP || operation == FETCH_ADD;

    if (qp == NULL || qp->trouble || qp->srq[0] != 0 || fact->complete_in_error ||
        (fact->flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) != 0 ||
        fal_objects_rival(c->bench->objects, qp) != NULL || fact->opcode >> 5 != FAL_RDMA_RC)
        return false;
    if (fal_rdma_is_send(fact->opcode))
        return kind->headers[kind->num_headers - 1] != FAL_RDMA_IETH && !too_long(qp, fact) &&
               !begins_elsewhere(fact);
    if (!fal_rdma_is_write(fact->opcode) && operation != READ_REQUEST && !atomic)
        return false;
    return !fal_objects_changing(c->bench->objects) && fal_access_reason(c, qp, fact) == NULL &&
           (!atomic || fact->va % ATOMIC_ALIGNMENT == 0);
}

/* The receive request with that number, from 0, or NULL. */
static const struct fal_wqe *receive(const struct fal_vqp *qp, uint64_t number)
{
    uint64_t n = qp->recvs.forgotten;

    for (size_t i = 0; i < qp->recvs.num; i++)
        if (!qp->recvs.list[i].refused && n++ == number)
            return &qp->recvs.list[i];
    return NULL;
}

static void count_message(struct fal_ctx *c, const struct fal_vqp *qp,
                          const struct fal_rdma_fact *fact, const struct fal_request *r)
{
    struct state *state = c->state;
    const struct fal_wqe *wqe = receive(qp, state->messages);
    char seen[100];

    state->messages++;
    state->last = fact->at;
    if (state->messages <= qp->recvs.forgotten)
        return;
    if (wqe != NULL && wqe->asked.index < state->acked_index) {
        if (wqe->asked.index > fact->at.index) /* The message waited for it. */
            fal_holds(c);
        return;
    }
    state->lost = true;
    (void)snprintf(seen, sizeof seen,
                   "an acknowledgement of message %" PRIu64
                   " before so many receive requests were posted",
                   state->messages);
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-6.8-03",
                                   .cause = {&fact->at},
                                   .effect = &r->claimed,
                                   .seen = seen},
               "RNR, or no acknowledgement, until a receive request takes the message");
}

/* How the next transaction ended; NULL: it has not, or nothing is judged any more. */
static const struct fal_request *ended(struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    struct state *state = c->state;
    const struct fal_request *r = fal_track_request(c->track, FAL_TO_SUT, (uint32_t)fact->rsn);
    uint32_t least =
        (fact->opcode & OPERATION) == READ_REQUEST ? fact->length : (uint32_t)ATOMIC_ANSWER;

    if (r == NULL)
        return NULL;
    if ((r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED | FAL_REQ_ANSWER_RESYNC)) != 0) {
        state->lost = true;
        return NULL;
    }
    if (r->type == FAL_PUSH_DATA)
        return (r->flags & FAL_REQ_CLAIMED) != 0 ? r : NULL;
    if ((r->flags & FAL_REQ_ANSWERED) == 0)
        return NULL;
    state->lost = r->answer_length < least; /* an error */
    return state->lost ? NULL : r;
}

/* Takes all transactions that have ended. */
static void follow(struct fal_ctx *c)
{
    struct state *state = c->state;
    const struct fal_rdma_fact *fact;
    const struct fal_request *r;

    if (!c->track->verbs || c->bench->objects == NULL)
        return;
    state->lost = state->lost || !c->track->setup.initial_known;
    if (!state->started)
        state->next = c->track->rsn_first[FAL_TO_SUT];
    state->started = true;
    while (!state->lost &&
           (fact = fal_rdma_request(c->track, FAL_TO_SUT, state->next)) != NULL &&
           (r = ended(c, fact)) != NULL) {
        const struct fal_vqp *qp = fal_denied_qp(c, fact);

        state->next++;
        if (!is_good(c, fact)) {
            state->lost = true;
            return;
        }
        if (r->type == FAL_PUSH_DATA && r->claimed.index > state->acked_index)
            state->acked_index = r->claimed.index;
        if (fal_rdma_ends_received(fact->opcode))
            count_message(c, qp, fact, r);
    }
}

/* Facts of requests are forgotten behind the newest ones. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (p->rdma.flags == 0 || !c->track->verbs || c->bench->objects == NULL || state->lost)
        return;
    follow(c);
    if (p->prior == NULL && p->falcon->packet_type != FAL_PULL_DATA &&
        (!fal_rdma_has(p) || !is_good(c, &p->rdma)))
        state->lost = true;
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    const struct state *state = c->state;

    if (!state->lost && said->qp != NULL && said->qp->conn == c->conn)
        follow(c);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    struct fal_at at = fal_at_event(event);
    const struct fal_rdma_fact *fact;
    const struct fal_vqp *qp;
    char seen[100];

    if (event->u.mark.mark != FAL_MARK_BARRIER || state->lost || c->track == NULL)
        return;
    follow(c);
    fact = state->messages > 0 ? fal_rdma_request(c->track, FAL_TO_SUT, state->next - 1) : NULL;
    qp = fact != NULL ? fal_denied_qp(c, fact) : NULL;
    if (state->lost || qp == NULL || qp->trouble || c->track->dead || c->bench->events_lost ||
        state->acked_index >= c->track->barrier_index || qp->received >= state->messages)
        return;
    state->lost = true;
    (void)snprintf(seen, sizeof seen, "%" PRIu64 " completions at the barrier", qp->received);
    fal_broken(
        c,
        &(struct fal_blame){
            .requirement = "RDMA-6.8-03", .cause = {&state->last}, .effect = &at, .seen = seen},
        "%" PRIu64 " completions of receive requests, one for each message that was "
        "acknowledged",
        state->messages);
}

static void finish(struct fal_ctx *c)
{
    const struct state *state = c->state;

    if (!state->lost && c->track != NULL)
        follow(c);
}

const struct fal_rule_impl fal_rule_v13 = {
    .about = &fal_about_v13,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .on_in = FAL_ON_RDMA,
    .in = in,
    .verbs = verbs,
    .mark = mark,
    .finish = finish,
};
