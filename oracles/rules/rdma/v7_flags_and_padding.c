/* SPDX-License-Identifier: Apache-2.0
 * v7_flags_and_padding.c - rule V7: Solicited Event, Complete-in-Error and Pad are set as the
 * post and the message ask for; and the target of a Solicited Event raises it. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/deny.h"
#include "oracles/rules/rdma/walk.h"

#include <stdio.h>
#include <string.h>

const struct fal_rule fal_about_v7 = {
    .id = "V7",
    .title = "SE, CE and Pad are as the message asks for",
    .requirements = FAL_IDS("RDMA-8.2-04", "RDMA-8.2-05", "RDMA-8.2-08"),
    .role = "any",
    .needs = "posts, completions",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a last or only packet of a SEND, or of a WRITE with immediate data, that was "
        "posted with the flag solicited and has no SE, by SE in any other packet, by a message "
        "with CE in a first or middle packet and not in its last one, and by a last packet that "
        "counts pad bytes as data or data as pad bytes. Also violated by a SUT that reports no "
        "cq_event by a barrier, although the completion queue of an RC queue pair was armed, a "
        "message with SE was sent to it then, and all messages to it have completed. Not judged "
        "where a request in between was not seen whole, or after a completion in error.",
};

/* The messages to the RC queue pair of the connection, and the event that one of them asks for.
 */
struct state {
    struct fal_at
        solicited;      /* with has_solicited: the first message with SE since the arming */
    uint64_t messages;  /* that were sent whole, and take a receive request each */
    uint64_t completed; /* index of the newest completion */
    bool has_solicited;
    bool lost;       /* a packet was not seen whole */
    uint8_t zero[6]; /* as in struct fal_at */
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

/* ---- the target ---- */

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;

    if (!c->track->verbs || c->bench->objects == NULL || p->prior != NULL ||
        p->falcon->packet_type != FAL_PUSH_DATA)
        return;
    if (!fal_rdma_has(p) || (p->rdma.flags & FAL_RDMA_PARTIAL) != 0 ||
        p->rdma.complete_in_error || fal_denied_qp(c, &p->rdma) == NULL) {
        state->lost = true;
        return;
    }
    if (!fal_rdma_ends_received(p->rdma.opcode))
        return;
    state->messages++;
    if (!p->rdma.solicited || state->has_solicited ||
        !fal_objects_armed(c->bench->objects, c->conn))
        return;
    state->has_solicited = true;
    state->solicited = p->at;
}

static bool is_its_queue(const struct fal_ctx *c, const char *cq)
{
    const struct fal_vqp *qp = fal_objects_rc_on(c->bench->objects, c->conn);

    return qp != NULL && strcmp(qp->recv_cq, cq) == 0;
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct state *state = c->state;
    enum fal_verbs_phase phase = said->event->u.verbs.phase;

    if (phase == FAL_VERBS_ANSWERED && said->ok && said->asked->kind == FAL_VERBS_CQ_ARM &&
        is_its_queue(c, said->asked->cq)) {
        state->has_solicited = false;
    } else if (phase == FAL_VERBS_TOLD && said->told->kind == FAL_VERBS_CQ_EVENT &&
               is_its_queue(c, said->told->cq)) {
        if (state->has_solicited)
            fal_holds(c);
        state->has_solicited = false;
    } else if (phase == FAL_VERBS_TOLD && said->told->kind == FAL_VERBS_WC &&
               said->told->opcode >= FAL_VERBS_DONE_RECV) {
        state->completed = said->event->index;
    }
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const struct fal_vqp *qp;
    struct fal_at at = fal_at_event(event);

    if (event->u.mark.mark != FAL_MARK_BARRIER || !state->has_solicited || state->lost ||
        c->track == NULL || c->track->rsn_doubt[FAL_TO_SUT] || c->track->dead ||
        c->bench->events_lost || state->completed >= c->track->barrier_index)
        return;
    qp = fal_objects_rc_on(c->bench->objects, c->conn);
    if (qp == NULL || qp->trouble || qp->received != state->messages)
        return; /* It may not have completed. */
    state->has_solicited = false;
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-8.2-08",
                                   .cause = {&state->solicited},
                                   .effect = &at,
                                   .seen = "no cq_event by the barrier"},
               "a cq_event of the armed completion queue: a message with SE has completed");
}

const struct fal_rule_impl fal_rule_v7 = {
    .about = &fal_about_v7,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .on_in = FAL_ON_RDMA,
    .in = in,
    .verbs = verbs,
    .mark = mark,
    .explained = explained,
};
