/* SPDX-License-Identifier: Apache-2.0
 * v25_modes_go_together.c - rule V25: a queue pair sends only in a mode that its connection and
 * its service allow. */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

#include <inttypes.h>
#include <stdio.h>

const struct fal_rule fal_about_v25 = {
    .id = "V25",
    .title = "queue pairs send only in a mode that goes with their connection",
    .requirements = FAL_IDS("RDMA-6.2-04", "RDMA-6.2-05", "RDMA-6.2-06", "RDMA-6.4-02",
                            "RDMA-6.4-04", "RDMA-6.4-06", "RDMA-6.4-07", "RDMA-6.4-09",
                            "RDMA-6.4-10", "RDMA-6.6.1-01", "RDMA-6.6.2-01"),
    .role = "initiator",
    .needs = "posts",
    .assumes = "",
    .doc =
        "Violated by a request of a strongly ordered queue pair on an unordered connection, or "
        "of another one on an ordered connection; of an unordered RC queue pair with errors "
        "that are compatible with Verbs; of a connection that two RC queue pairs, or two XRC "
        "initiators, have; by a READ, WRITE or atomic operation, or more than a path MTU, of a "
        "UD queue pair; and by more than a path MTU in a SEND of an unordered RC queue pair. "
        "Such an operation must not complete without error, either. The SUT may refuse such a "
        "thing at any time before: it holds when a command or a post is refused that asks for "
        "it.",
};

struct rule {
    const char *requirement, *expected;
};

/* Whether the mode of the queue pair goes with the connection; requirement NULL: it does, or
 * that is not known. */
static struct rule mode(const struct fal_ctx *c, const struct fal_vqp *qp)
{
    bool ordered = fal_track_ordered(c->track);

    if (qp->type == FAL_VERBS_RC && qp->ordering == FAL_VERBS_UNORDERED &&
        qp->errors == FAL_VERBS_ERRORS_VERBS)
        return (struct rule){"RDMA-6.4-07", "the errors of an unordered RC queue pair"
                                            " complete the message alone"};
    if (qp->type == FAL_VERBS_UD || !fal_given(c, FAL_PARAM_AT_ordered))
        return (struct rule){NULL, NULL};
    if (qp->ordering == FAL_VERBS_STRONG && !ordered)
        return (struct rule){"RDMA-6.2-04", "an ordered connection of a strong queue pair"};
    if (qp->ordering == FAL_VERBS_WEAK && ordered)
        return (struct rule){"RDMA-6.2-05", "an unordered connection of a weak queue pair"};
    if (qp->ordering == FAL_VERBS_UNORDERED && ordered)
        return (struct rule){"RDMA-6.2-06",
                             "an unordered connection of an unordered queue pair"};
    return (struct rule){NULL, NULL};
}

/* By ordering: what UD may do. */
static const char *const ud[FAL_VERBS_ORDERINGS] = {"RDMA-6.4-04", "RDMA-6.4-06",
                                                    "RDMA-6.4-10"};

/* Whether the queue pair may do what was posted. */
static struct rule operation(const struct fal_vqp *qp, enum fal_verbs_op op, uint64_t length)
{
    bool send = op <= FAL_VERBS_SEND_INV, longer = qp->path_mtu != 0 && length > qp->path_mtu;

    if (qp->type == FAL_VERBS_UD && !send)
        return (struct rule){ud[qp->ordering], "no READ, WRITE or atomic operation of UD"};
    if (qp->type == FAL_VERBS_UD && longer)
        return (struct rule){"RDMA-6.4-02", "at most one path MTU in an operation of UD"};
    if (qp->type == FAL_VERBS_RC && qp->ordering == FAL_VERBS_UNORDERED && send && longer)
        return (struct rule){"RDMA-6.4-09", "at most one path MTU in a SEND of an unordered"
                                            " queue pair"};
    return (struct rule){NULL, NULL};
}

/* Another queue pair of the same kind that has the connection, or NULL. */
static const struct fal_vqp *rival(const struct fal_ctx *c, const struct fal_vqp *qp)
{
    return qp->type == FAL_VERBS_RC || qp->type == FAL_VERBS_XRC_INI
               ? fal_objects_rival(c->bench->objects, qp)
               : NULL;
}

static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_vqp *other;
    struct rule rule;
    struct fal_blame blame = {.effect = &e->fact->at};
    char seen[80];

    if (e->qp == NULL || e->wqe == NULL)
        return;
    if (e->qp->vague) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    (void)snprintf(seen, sizeof seen, "the packet with sn=%" PRIu32 " is sent", e->fact->sn);
    blame.seen = seen;
    rule = mode(c, e->qp);
    blame.cause[0] = &e->qp->made;
    if (rule.requirement == NULL) {
        rule = operation(e->qp, e->wqe->op, e->wqe->length);
        blame.cause[0] = &e->wqe->asked;
    }
    if (rule.requirement == NULL && (other = rival(c, e->qp)) != NULL) {
        rule.requirement = e->qp->type == FAL_VERBS_RC ? "RDMA-6.6.1-01" : "RDMA-6.6.2-01";
        rule.expected = "one queue pair of a connection";
        blame.cause[0] = &e->qp->connected;
        blame.cause[1] = &other->connected;
    }
    if (rule.requirement == NULL) {
        fal_holds(c);
        return;
    }
    blame.requirement = rule.requirement;
    fal_broken(c, &blame, "%s", rule.expected);
}

/* What must be refused has completed. */
static void completed(struct fal_ctx *c, const struct fal_said *said)
{
    struct fal_at at = fal_at_event(said->event);
    struct rule rule;

    if (said->told->kind != FAL_VERBS_WC || said->told->status != FAL_VERBS_OK ||
        said->wqe == NULL || said->told->opcode >= FAL_VERBS_DONE_RECV)
        return;
    rule = operation(said->qp, said->wqe->op, said->wqe->length);
    if (rule.requirement != NULL)
        fal_broken(c,
                   &(struct fal_blame){.requirement = rule.requirement,
                                       .cause = {&said->wqe->asked},
                                       .effect = &at,
                                       .seen = "a completion without error"},
                   "%s", rule.expected);
}

/* A command or post that was refused although, or because, it asked for too much. */
static void verbs(struct fal_ctx *c, const struct fal_said *said)
{
    if (said->event->u.verbs.phase == FAL_VERBS_TOLD && said->qp != NULL)
        completed(c, said);
    if (said->event->u.verbs.phase != FAL_VERBS_ANSWERED || said->ok || said->qp == NULL)
        return;
    if (said->asked->kind == FAL_VERBS_POST_SEND
            ? operation(said->qp, said->asked->op, fal_verbs_length(said->asked)).requirement !=
                  NULL
            : said->asked->kind == FAL_VERBS_QP_CONNECT &&
                  mode(c, said->qp).requirement != NULL)
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_v25 = {
    .about = &fal_about_v25,
    .power = 1,
    .sut_only = true,
    .explained = explained,
    .verbs = verbs,
};
