/* SPDX-License-Identifier: Apache-2.0
 * v2_messages_are_cut_to_size.c - rule V2: SENDs and WRITEs longer than the path MTU are cut
 * into a first packet, middle ones and a last one, all but the last of the MTU's size. The size
 * is learned from the first packet that has it (AMB-R09). */
#include "oracles/rules/judge/report.h"
#include "oracles/rules/rdma/walk.h"

const struct fal_rule fal_about_v2 = {
    .id = "V2",
    .title = "SENDs and WRITEs are cut into packets of one size",
    .requirements = FAL_IDS("RDMA-6.7-01", "RDMA-6.7-03", "RDMA-6.7-04", "RDMA-6.7-05",
                            "RDMA-6.7-07", "RDMA-6.7-08"),
    .role = "initiator",
    .needs = "wire",
    .assumes = "same-packet-on-retransmit",
    .doc =
        "Violated by a first or middle packet of a SEND or WRITE of another size than the first "
        "one seen of its queue pair, by a last or only packet that is longer, or a last one "
        "without data, and by a middle or last packet that no first packet precedes: a SEND's "
        "of the same RMSN, a WRITE's that ends where this one begins. On an ordered connection "
        "the packets of a message must follow each other (AMB-R19). Not judged where requests "
        "in between were not seen. UD has no first, middle and last packets. Where posts are known, a packet must not have more data than "
        "the path MTU, and a message must end with the last byte of its post. The rule judges "
        "connections whose payload is the subject's own.",
};

enum { QPS_MAX = 64 };

/* The size that the packets of a queue pair have. */
struct size {
    uint32_t dest_qp, bytes;
    struct fal_at at;
};

struct state {
    struct fal_bag sizes;
};

static struct size *size_of(struct fal_ctx *c, uint32_t dest_qp)
{
    struct state *state = c->state;

    for (unsigned i = 0; i < state->sizes.num; i++) {
        struct size *size = FAL_BAG(&state->sizes, struct size, i);

        if (size->dest_qp == dest_qp)
            return size;
    }
    return NULL;
}

static void learn(struct fal_ctx *c, const struct fal_rdma_fact *fact)
{
    struct state *state = c->state;
    struct size *size;

    if (state->sizes.num == QPS_MAX)
        fal_bag_remove(&state->sizes, sizeof *size, 0);
    size = fal_bag_add(&state->sizes, sizeof *size, QPS_MAX);
    if (size == NULL)
        c->track->oom = true;
    else
        *size = (struct size){fact->dest_qp, fact->data_len, fact->at};
}

static bool is_whole(const struct fal_rdma_fact *fact)
{
    return fal_rdma_place(fact->opcode) == FAL_RDMA_FIRST ||
           fal_rdma_place(fact->opcode) == FAL_RDMA_MIDDLE;
}

static void judge_size(struct fal_ctx *c, const struct fal_seen *q,
                       const struct fal_rdma_fact *fact)
{
    const struct size *size = size_of(c, fact->dest_qp);
    bool send = fal_rdma_is_send(fact->opcode), whole = is_whole(fact);
    struct fal_blame blame = {.effect = &q->at, .packet = q->packet};

    if (whole)
        blame.requirement = send ? "RDMA-6.7-04" : "RDMA-6.7-07";
    else
        blame.requirement = send ? "RDMA-6.7-05" : "RDMA-6.7-08";
    if (size == NULL && whole)
        learn(c, fact);
    if (fal_rdma_place(fact->opcode) == FAL_RDMA_LAST && fact->data_len == 0) {
        fal_broken(c, &blame, "data in the last packet of a message");
        return;
    }
    if (size == NULL ||
        (whole ? fact->data_len == size->bytes : fact->data_len <= size->bytes)) {
        fal_holds(c);
        return;
    }
    blame.cause[0] = &size->at;
    fal_broken(c, &blame, "%s%u bytes of data, as the first packet of a message had",
               whole ? "" : "at most ", (unsigned)size->bytes);
}

static bool same_send(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fal_rdma_is_send(fact->opcode) && fact->rmsn == of->rmsn;
}

static bool write_before(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return fal_rdma_is_write(fact->opcode) && is_whole(fact) &&
           fact->va + fact->data_len == of->va;
}

static bool any_push(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    (void)of;
    return fal_rdma_is_send(fact->opcode) || fal_rdma_is_write(fact->opcode);
}

/* Datagrams may come between: they are of other queue pairs. */
static bool push_of_service(const struct fal_rdma_fact *fact, const struct fal_rdma_fact *of)
{
    return any_push(fact, of) && fact->opcode >> 5 == of->opcode >> 5;
}

/* A middle or last packet has one before it in its message. */
static void judge_rest(struct fal_ctx *c, const struct fal_seen *q,
                       const struct fal_rdma_fact *fact)
{
    const struct fal_rdma_fact *before;
    bool send = fal_rdma_is_send(fact->opcode);
    enum fal_walked walked =
        fal_rdma_find(c, q->rsn, false, send ? same_send : write_before, fact, &before);

    if (walked == FAL_WALKED_HOLE)
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else if (walked == FAL_WALKED_FOUND && is_whole(before))
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){
                       .requirement = "RDMA-6.7-01", .effect = &q->at, .packet = q->packet},
                   "a first packet of the %s, and no last one, before this one",
                   send ? "SEND" : "WRITE");
}

/* Where packets of a message follow each other, none of another comes between. */
static void judge_train(struct fal_ctx *c, const struct fal_seen *q,
                        const struct fal_rdma_fact *low, const struct fal_rdma_fact *high,
                        const struct fal_at *cause)
{
    enum fal_rdma_place place = fal_rdma_place(high->opcode);
    bool goes_on = place == FAL_RDMA_MIDDLE || place == FAL_RDMA_LAST;

    if (!is_whole(low))
        return;
    if (goes_on && fal_rdma_is_send(low->opcode) == fal_rdma_is_send(high->opcode))
        fal_holds(c);
    else
        fal_broken(c,
                   &(struct fal_blame){.requirement = "RDMA-6.7-01",
                                       .cause = {cause},
                                       .effect = &q->at,
                                       .packet = q->packet},
                   "the rest of the %s before another message",
                   fal_rdma_is_send(low->opcode) ? "SEND" : "WRITE");
}

/* Only RC cuts messages: the operations for it are reserved in UD. */
static void datagram_is_whole(struct fal_ctx *c, const struct fal_seen *q)
{
    enum { LAST_WITH_IMMEDIATE = 3 };
    unsigned opcode;

    if (c->ulp == NULL || c->ulp->state != FAL_ULP_RESERVED || q->prior != NULL ||
        !fal_rdma_own(c, q->packet))
        return;
    opcode = c->ulp->rdma.rbth.opcode;
    if (opcode >> 5 == FAL_RDMA_UD && (opcode & 31U) <= LAST_WITH_IMMEDIATE)
        fal_broken(c,
                   &(struct fal_blame){
                       .requirement = "RDMA-6.7-03", .effect = &q->at, .packet = q->packet},
                   "a datagram in one packet: UD does not cut messages");
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_rdma_fact *fact = fal_rdma_first(c, q), *beside;
    enum fal_rdma_place place;

    datagram_is_whole(c, q);
    if (fact == NULL || !any_push(fact, NULL) ||
        fal_rdma_class(fact->opcode) == FAL_RDMA_CLASS_PULL)
        return;
    if ((fact->flags & FAL_RDMA_PARTIAL) != 0) {
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        return;
    }
    place = fal_rdma_place(fact->opcode);
    judge_size(c, q, fact);
    if (place == FAL_RDMA_MIDDLE || place == FAL_RDMA_LAST)
        judge_rest(c, q, fact);
    if (!fal_track_ordered(c->track))
        return;
    if (fal_rdma_find(c, q->rsn, false, push_of_service, fact, &beside) == FAL_WALKED_FOUND)
        judge_train(c, q, beside, fact, &beside->at);
    if (fal_rdma_find(c, q->rsn, true, push_of_service, fact, &beside) == FAL_WALKED_FOUND)
        judge_train(c, q, fact, beside, &beside->at);
}

/* ---- against the post ---- */

static void against_post(struct fal_ctx *c, const struct fal_explained *e,
                         const char *requirement, const char *seen, const char *expected)
{
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement,
                                   .cause = {&e->wqe->asked},
                                   .effect = &e->fact->at,
                                   .seen = seen},
               "%s", expected);
}

/* The size and the part of a packet, where the post says how long the message is. */
static void explained(struct fal_ctx *c, const struct fal_explained *e)
{
    const struct fal_rdma_fact *fact = e->fact;
    uint64_t after = e->before + fact->data_len;
    uint32_t mtu;

    if (e->qp == NULL || e->wqe == NULL || e->wqe->op > FAL_VERBS_WRITE_IMM || e->qp->vague ||
        e->qp->trouble || fact->complete_in_error)
        return;
    mtu = e->qp->path_mtu;
    if (mtu != 0 && fact->data_len > mtu)
        against_post(c, e, "RDMA-6.7-01", "a packet with more data",
                     "at most one path MTU of data in a packet");
    else if (mtu != 0 && is_whole(fact) && e->wqe->length <= mtu)
        against_post(c, e, "RDMA-6.7-01", "a first or middle packet",
                     "one packet: the operation is not longer than the path MTU");
    else if (is_whole(fact) ? after >= e->wqe->length : after != e->wqe->length)
        against_post(c, e, "RDMA-6.7-01", "a message of another length",
                     "a message that ends with the last byte of its post");
    else
        fal_holds(c);
}

const struct fal_rule_impl fal_rule_v2 = {
    .about = &fal_about_v2,
    .power = 1,
    .assumes = FAL_ASSUME_SAME_PACKET,
    .state_size = sizeof(struct state),
    .bags = 1,
    .out = out,
    .on_out = FAL_ON_RDMA,
    .explained = explained,
    .release = fal_bag_release,
};
