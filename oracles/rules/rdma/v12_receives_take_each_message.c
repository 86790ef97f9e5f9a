/* SPDX-License-Identifier: Apache-2.0
 * v12_receives_take_each_message.c - rule V12: each message that needs a receive request takes
 * one, once, in order where the queue pair is ordered, and its completion tells what the
 * packets said. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v12 = {
    .id = "V12",
    .title = "each message takes one receive request, and tells what was sent",
    .requirements =
        FAL_IDS("RDMA-6.2-01", "RDMA-6.2-02", "RDMA-6.8-01", "RDMA-6.8-05", "RDMA-8.3.5-02"),
    .role = "target",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a successful completion of a receive request of an RC queue pair while no "
        "SEND, or WRITE with immediate data, was sent whole that has not completed before; and, "
        "where the queue pair is strongly or weakly ordered, by one that is not of the next "
        "message, as its length or immediate data say, or not of the next receive request (of a "
        "shared receive queue any). A completion of a UD queue pair must be of a datagram to it "
        "that has not completed before, by its source, its immediate data and its length, with or "
        "without the 40 bytes that InfiniBand leaves for a header (AMB-R25). Not judged after a "
        "NACK or a completion in error, or where a request was not seen whole; nor, in the mode that "
        "completes in error, by a completion of a later message while the next one is not "
        "acknowledged, whose NACK may be under way. The order also needs an adapter that reports "
        "events in their order.",
};

enum { MESSAGES_MAX = 256 };

/* A message that the tester sends to a queue pair. */
struct message {
    struct fal_at at; /* of its newest packet */
    uint64_t length, next_va;
    int64_t rsn; /* of its newest packet */
    uint32_t dest_qp, rmsn, imm;
    bool write, has_imm, whole;
};

struct state {
    /* In the order in which they took their numbers: a SEND has that of its first packet, a
     * WRITE that of its last one. */
    struct fal_bag messages;
    int64_t next;  /* RSN */
    unsigned owed; /* messages that completed while requests before them were not seen */
    bool started, lost;
};

/* ---- the messages ---- */

static struct message *open_message(struct state *state, const struct fal_rdma_fact *fact)
{
    bool write = fal_rdma_is_write(fact->opcode);

    for (unsigned i = 0; i < state->messages.num; i++) {
        struct message *m = FAL_BAG(&state->messages, struct message, i);

        if (!m->whole && m->write == write && m->dest_qp == fact->dest_qp &&
            (write ? m->next_va == fact->va : m->rmsn == fact->rmsn))
            return m;
    }
    return NULL;
}

/* A WRITE takes a receive request if it has immediate data: behind messages that began before
 * it ended. */
static void end_write(struct state *state, struct message *m)
{
    struct message ended = *m, *last;

    fal_bag_remove(&state->messages, sizeof *m,
                   (unsigned)(m - FAL_BAG(&state->messages, struct message, 0)));
    if (!ended.has_imm)
        return;
    last = fal_bag_add(&state->messages, sizeof *last, MESSAGES_MAX);
    if (last != NULL)
        *last = ended;
    else
        state->lost = true;
}

static void add_packet(struct state *state, const struct fal_rdma_fact *fact)
{
    enum fal_rdma_place place = fal_rdma_place(fact->opcode);
    bool begins = place == FAL_RDMA_FIRST || place == FAL_RDMA_ONLY;
    struct message *m = begins ? fal_bag_add(&state->messages, sizeof *m, MESSAGES_MAX)
                               : open_message(state, fact);

    if (m == NULL) {
        state->lost = true;
        return;
    }
    m->write = fal_rdma_is_write(fact->opcode);
    m->dest_qp = fact->dest_qp;
    m->rmsn = fact->rmsn;
    m->next_va = fact->va + fact->data_len;
    m->length += fact->data_len;
    m->at = fact->at;
    m->rsn = fact->rsn;
    m->whole = place == FAL_RDMA_LAST || place == FAL_RDMA_ONLY;
    m->has_imm = fal_rdma_has_imm(fact->opcode);
    m->imm = fact->imm;
    if (fact->complete_in_error)
        state->lost = true; /* it ends in error */
    if (m->whole && m->write)
        end_write(state, m);
}

static void collect(struct fal_ctx *c)
{
    struct state *state = c->state;
    const struct fal_rdma_fact *fact;

    if (!c->track->setup.initial_known)
        state->lost = true;
    if (!state->started)
        state->next = c->track->rsn_first[FAL_TO_SUT];
    state->started = true;
    while ((fact = fal_rdma_request(c->track, FAL_TO_SUT, state->next)) != NULL) {
        state->next++;
        if ((fact->flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) != 0)
            state->lost = true;
        else if (fact->opcode >> 5 == FAL_RDMA_RC &&
                 (fal_rdma_is_send(fact->opcode) || fal_rdma_is_write(fact->opcode)))
            add_packet(state, fact);
    }
}

/* ---- a completion ---- */

static void broken(struct fal_ctx *c, const struct fal_said *said, const char *requirement,
                   const struct fal_at *cause, const char *expected)
{
    struct fal_at at = fal_at_event(said->event);
    char seen[140];

    (void)snprintf(seen, sizeof seen,
                   "a completion of the receive request %" PRIu64 ": %" PRIu32
                   " bytes, imm=0x%" PRIx32,
                   said->told->wr_id, said->told->byte_len, said->told->imm);
    fal_broken(c,
               &(struct fal_blame){
                   .requirement = requirement, .cause = {cause}, .effect = &at, .seen = seen},
               "%s", expected);
}

/* Of a WRITE the receive request got no bytes, and what byte_len says is not defined. */
static bool fits_length(const struct message *m, const struct fal_said *said)
{
    return m->write || m->length == said->told->byte_len;
}

static bool like(const struct message *m, const struct fal_said *said)
{
    return fits_length(m, said) && m->has_imm == said->told->has_imm &&
           (!m->has_imm || m->imm == said->told->imm);
}

/* The next message of the queue pair; of an unordered one, the first that the completion may
 * be of, if there is one of the operation that it names. */
static struct message *message_of(struct state *state, const struct fal_said *said)
{
    bool write = said->told->opcode == FAL_VERBS_DONE_RECV_IMM;
    struct message *other = NULL;

    for (unsigned i = 0; i < state->messages.num; i++) {
        struct message *m = FAL_BAG(&state->messages, struct message, i);

        if (m->dest_qp != said->qp->qpn || (m->write && !m->whole))
            continue;
        if (said->qp->ordering != FAL_VERBS_UNORDERED)
            return m->whole ? m : NULL;
        if (!m->whole || !like(m, said))
            continue;
        if (m->write == write)
            return m;
        other = other != NULL ? other : m;
    }
    return other;
}

/* Whether it is the next receive request of the queue pair. */
static bool is_next(const struct fal_said *said)
{
    const struct fal_wqes *recvs = fal_vqp_recvs(said->qp);

    if (said->qp->shared != NULL)
        return true; /* Messages of several queue pairs take them in any order. */
    for (size_t i = 0; i < recvs->num; i++)
        if (!recvs->list[i].completed && !recvs->list[i].refused)
            return &recvs->list[i] == said->wqe;
    return false;
}

static void judge_message(struct fal_ctx *c, const struct fal_said *said,
                          const struct message *m)
{
    bool strong = said->qp->ordering == FAL_VERBS_STRONG;

    if (said->qp->ordering == FAL_VERBS_UNORDERED)
        fal_holds(c);
    else if (!c->bench->run.ordered_events)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (!is_next(said))
        broken(c, said, strong ? "RDMA-6.2-01" : "RDMA-6.2-02", &m->at,
               "the next receive request of the queue pair");
    else if (!fits_length(m, said))
        broken(c, said, "RDMA-6.8-05", &m->at, "the length of the next message");
    else if (!like(m, said))
        broken(c, said, "RDMA-8.3.5-02", &m->at, "the immediate data of the message");
    else
        fal_holds(c);
}

static void take(struct state *state, const struct message *m)
{
    fal_bag_remove(&state->messages, sizeof *m,
                   (unsigned)(m - FAL_BAG(&state->messages, struct message, 0)));
}

/* Whether the completion is of a later message, and the NACK for the next one may be under way:
 * a message that ends in error does not stop a queue pair that completes in error. */
static bool passed_over(const struct fal_ctx *c, const struct fal_said *said,
                        const struct message *m)
{
    const struct state *state = c->state;
    const struct fal_request *r = fal_track_request(c->track, FAL_TO_SUT, (uint32_t)m->rsn);

    if (said->qp->errors != FAL_VERBS_ERRORS_CIE || like(m, said) ||
        (r != NULL && (r->flags & FAL_REQ_CLAIMED) != 0))
        return false;
    for (unsigned i = 0; i < state->messages.num; i++) {
        const struct message *later = FAL_BAG(&state->messages, struct message, i);

        if (later != m && later->whole && later->dest_qp == m->dest_qp && like(later, said))
            return true;
    }
    return false;
}

/* Completions that could not be judged were of the messages that come first. */
static void settle(struct state *state, const struct fal_said *said)
{
    const struct message *m;

    while (state->owed > 0 && (m = message_of(state, said)) != NULL) {
        take(state, m);
        state->owed--;
    }
}

/* Whether messages are not known, or ended otherwise. Those beyond a hole are not. */
static bool unsure(const struct fal_ctx *c, const struct fal_said *said)
{
    const struct state *state = c->state;

    return state->lost || state->owed > 0 || said->qp->trouble || c->track->nacked ||
           fal_vqp_recvs(said->qp)->forgotten > 0 || c->track->gap_index[FAL_TO_SUT] > 0 ||
           c->track->rsn_next[FAL_TO_SUT] > state->next;
}

/* Of a UD queue pair, whose datagrams may come on several connections: that of the newest one
 * reports. Any datagram to it may have taken any receive request. */
static void judge_datagram(struct fal_ctx *c, const struct fal_said *said)
{
    const struct fal_objects *objects = c->bench->objects;
    const struct fal_vqp *qp = said->qp;

    if (!c->track->verbs || (qp->datagram_conn != 0 && qp->datagram_conn != c->conn))
        return;
    if (qp->trouble || qp->datagrams_lost || qp->bad_datagrams > 0 ||
        fal_vqp_recvs(qp)->forgotten > 0 || fal_objects_doubt(objects) ||
        c->track->rsn_doubt[FAL_TO_SUT])
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (said->wqe == NULL)
        broken(c, said, "RDMA-6.8-01", NULL, "a receive request that has not completed before");
    else if (qp->num_datagrams == 0)
        broken(c, said, "RDMA-6.8-01", NULL,
               "a datagram that was sent and has not completed before");
    else if (fal_datagram_of(objects, qp, said->told, FAL_DATAGRAM_ALL) != NULL)
        fal_holds(c);
    else if (fal_datagram_of(objects, qp, said->told,
                             FAL_DATAGRAM_SOURCE | FAL_DATAGRAM_LENGTH) != NULL)
        broken(c, said, "RDMA-8.3.5-02", NULL, "the immediate data of a datagram");
    else
        broken(c, said, "RDMA-6.8-05", NULL,
               "the length of a datagram from that queue pair, or 40 bytes more");
}

static bool is_receive(const struct fal_said *said)
{
    return said->event->u.verbs.phase == FAL_VERBS_TOLD && said->told->kind == FAL_VERBS_WC &&
           said->qp != NULL && said->told->opcode >= FAL_VERBS_DONE_RECV &&
           said->told->status == FAL_VERBS_OK &&
           (said->qp->srq[0] == 0 || said->qp->shared != NULL);
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct state *state = c->state;
    struct message *m;

    if (is_receive(said) && said->qp->type == FAL_VERBS_UD)
        judge_datagram(c, said);
    if (!is_receive(said) || said->qp->type != FAL_VERBS_RC)
        return;
    collect(c);
    if (said->qp->ordering != FAL_VERBS_UNORDERED)
        settle(state, said);
    if (unsure(c, said)) {
        state->owed++;
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    m = message_of(state, said);
    if (said->wqe == NULL || m == NULL) {
        broken(c, said, "RDMA-6.8-01", NULL,
               said->wqe == NULL
                   ? "a receive request that has not completed before"
                   : "a message that was sent whole and has not completed before");
        return;
    }
    if (said->qp->ordering != FAL_VERBS_UNORDERED && passed_over(c, said, m)) {
        state->lost = true;
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    judge_message(c, said, m);
    take(state, m);
}

/* Facts of requests are forgotten behind the newest ones. */
static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    if (c->track->verbs && fal_rdma_has(p))
        collect(c);
}

const struct fal_rule_impl fal_rule_v12 = {
    .about = &fal_about_v12,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .on_in = FAL_ON_RDMA,
    .in = in,
    .verbs = verbs,
    .release = fal_bag_release,
};
