/* SPDX-License-Identifier: Apache-2.0
 * v21_xoff_lets_answers_pass.c - rule V21: while the requests of RDMA are stopped because
 * resources for them are used up, READs of the peer are answered all the same. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/memory/access.h"

const struct fal_rule fal_about_v21 = {
    .id = "V21",
    .title = "READs are answered while requests of the SUT are stopped",
    .requirements = FAL_IDS("RDMA-6.5-04"),
    .role = "target",
    .needs = "posts",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated when the SUT has acknowledged a READ, and does not answer it within half of the "
        "transaction timeout, while READs of its own wait for their answers, and it refuses posts "
        "or holds back what was posted. Judged only on a path without loss whose delay is known, for a READ with "
        "the right to its memory that comes alone, while nothing else stops an answer: each packet "
        "of the SUT is acknowledged, there was no NACK, and no credits for answers or results of "
        "congestion control are in force.",
};

enum { OPERATION = 31, READ_REQUEST = 12 };

struct state {
    struct fal_at refused; /* the reply to the post that found no room */
    struct fal_at read;    /* the READ that is watched */
    int64_t rsn;           /* its RSN */
    bool stopped, watching;
    uint8_t zero[6]; /* as in struct fal_at */
};

/* Whether a pull that `space` initiated has no answer. */
static bool pull_is_open(const struct fal_ctx *c, enum fal_dir space)
{
    const struct fal_ring *ring;

    if (c->track->rdma == NULL)
        return false;
    ring = &c->track->rdma->requests[space];
    for (int64_t rsn = ring->lo; rsn < ring->hi; rsn++) {
        const struct fal_request *r = fal_track_request(c->track, space, (uint32_t)rsn);

        if (r != NULL && r->type == FAL_PULL_REQUEST &&
            (r->flags & (FAL_REQ_SENT | FAL_REQ_ANSWERED)) == FAL_REQ_SENT)
            return true;
    }
    return false;
}

/* A post that was accepted, and of which no packet was sent; NULL: none. */
static const struct fal_wqe *held_post(const struct fal_ctx *c)
{
    const struct fal_vqp *qp;

    for (qp = fal_objects_qp_on(c->bench->objects, c->conn); qp != NULL; qp = qp->next_on) {
        if (qp->type != FAL_VERBS_RC || qp->vague || qp->trouble)
            continue;
        for (size_t k = 0; k < qp->sends.num; k++) {
            const struct fal_wqe *wqe = &qp->sends.list[k];

            if (wqe->answered != 0 && !wqe->refused && !wqe->completed && wqe->packets == 0)
                return wqe;
        }
    }
    return NULL;
}

/* The event that shows that requests of the SUT are stopped, or NULL. */
static const struct fal_at *witness(const struct fal_ctx *c)
{
    const struct state *state = c->state;
    const struct fal_wqe *wqe = state->stopped ? NULL : held_post(c);

    if (!pull_is_open(c, FAL_FROM_SUT))
        return NULL;
    if (state->stopped)
        return &state->refused;
    return wqe != NULL ? &wqe->asked : NULL;
}

static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    struct state *state = c->state;
    enum fal_verbs_phase phase = said->event->u.verbs.phase;

    if (!c->track->verbs || said->qp == NULL || said->qp->conn != c->conn)
        return;
    if (phase == FAL_VERBS_TOLD) { /* A completion makes room, an error may do anything. */
        state->stopped = state->watching = false;
        return;
    }
    if (phase != FAL_VERBS_ANSWERED || said->asked->kind != FAL_VERBS_POST_SEND)
        return;
    state->stopped = !said->ok && said->qp->type == FAL_VERBS_RC &&
                     (state->stopped || pull_is_open(c, FAL_FROM_SUT));
    if (state->stopped)
        state->refused = fal_at_event(said->event);
}

/* Whether nothing but Xoff may stop an answer. */
static bool is_free(const struct fal_ctx *c)
{
    const struct fal_params *p = &c->track->setup.params;

    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        const struct fal_stream *stream = fal_out_stream(c, (enum fal_window)w);

        if (stream->started && (!stream->based || stream->base != stream->next))
            return false;
    }
    return fal_path_in(c).lossless && fal_path_out(c).lossless &&
           c->bench->paths[c->subject].round_known && !c->track->nacked && !c->track->dead &&
           !c->bench->events_lost && c->track->limits.num == 0 &&
           fal_given(c, FAL_PARAM_AT_fcwnd) && p->fcwnd > 0 &&
           fal_given(c, FAL_PARAM_AT_ncwnd) && p->ncwnd > 0 &&
           fal_given(c, FAL_PARAM_AT_transaction_timeout) &&
           (p->credit_data_pkt_tx | p->credit_data_buf_tx | p->net_pkt_rx | p->net_buf_rx) == 0;
}

static void in(struct fal_ctx *c, const struct fal_seen *p)
{
    struct state *state = c->state;
    const struct fal_vqp *qp;

    if (!c->track->verbs || c->bench->objects == NULL || p->prior != NULL)
        return;
    if (p->falcon->packet_type == FAL_PULL_DATA) { /* It makes room. */
        state->stopped = state->watching = false;
        return;
    }
    if (state->watching || !fal_rdma_has(p) || (p->rdma.opcode & OPERATION) != READ_REQUEST ||
        p->rdma.length == 0)
        return;
    qp = fal_denied_qp(c, &p->rdma);
    if (qp == NULL || qp->trouble || fal_objects_changing(c->bench->objects) ||
        fal_access_reason(c, qp, &p->rdma) != NULL || pull_is_open(c, FAL_TO_SUT) ||
        !is_free(c) || witness(c) == NULL)
        return;
    state->watching = true;
    state->read = p->at;
    state->rsn = p->rsn;
    fal_wake(c, p->at.t_ns + c->track->setup.params.transaction_timeout_ns / 2);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;

    if (!state->watching || !q->reliable || q->falcon->packet_type != FAL_PULL_DATA ||
        q->rsn != state->rsn)
        return;
    state->watching = false;
    fal_holds(c);
}

static void wake(struct fal_ctx *c)
{
    struct state *state = c->state;
    const struct fal_request *r;
    struct fal_at at;
    uint64_t half_ns, due_ns;

    if (!state->watching)
        return;
    half_ns = c->track->setup.params.transaction_timeout_ns / 2;
    r = fal_track_request(c->track, FAL_TO_SUT, (uint32_t)state->rsn);
    if (r == NULL || (r->flags & (FAL_REQ_CLAIMED | FAL_REQ_ANSWERED)) != FAL_REQ_CLAIMED ||
        witness(c) == NULL || !is_free(c)) {
        state->watching = false;
        return;
    }
    due_ns = r->claimed.t_ns + half_ns + c->bench->paths[c->subject].out_ns;
    if (c->now_ns <= due_ns) {
        fal_wake(c, due_ns);
        return;
    }
    state->watching = false;
    at = r->claimed;
    fal_broken(c,
               &(struct fal_blame){.requirement = "RDMA-6.5-04",
                                   .cause = {witness(c), &state->read},
                                   .effect = &at,
                                   .seen = "an acknowledgement, and no answer"},
               "an answer to the READ within %s: stopped requests do not stop it",
               fal_time_text(half_ns).text);
}

const struct fal_rule_impl fal_rule_v21 = {
    .about = &fal_about_v21,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .on_in = FAL_ON_RDMA,
    .on_out = FAL_ON_RDMA,
    .in = in,
    .out = out,
    .verbs = verbs,
    .wake = wake,
};
