/* SPDX-License-Identifier: Apache-2.0
 * written.c - what packets to the SUT write into its memory: the data of WRITEs, of the answers
 * to READs, and of SENDs once a completion says where they went. */
#include "oracles/rules/verbs/objects_impl.h"

#include <stdlib.h>
#include <string.h>

enum { WRITTEN_MAX = 512, OPERATION = 31, READ_RESPONSE_FIRST = 13, READ_RESPONSE_ONLY = 16 };

void fal_written_remove(struct fal_objects *o, size_t i)
{
    struct fal_written *written = fal_list_at(&o->written, i);

    free(written->bytes);
    fal_list_remove(&o->written, i);
}

void fal_written_free(struct fal_objects *o)
{
    while (o->written.num > 0)
        fal_written_remove(o, o->written.num - 1);
    fal_list_free(&o->written);
}

const struct fal_written *fal_objects_written(const struct fal_objects *o, size_t i)
{
    return i < o->written.num ? fal_list_at(&o->written, i) : NULL;
}

const struct fal_written *fal_objects_newest(const struct fal_objects *o,
                                             const struct fal_image *image, uint64_t at,
                                             uint64_t length, uint32_t *conn)
{
    const struct fal_written *last = NULL;

    for (size_t i = 0; i < o->written.num; i++) {
        const struct fal_written *w = fal_list_at(&o->written, i);

        if (w->image == image && w->at < at + length && at < w->at + w->length &&
            (last == NULL || w->sent.index >= last->sent.index))
            last = w;
    }
    *conn = last != NULL ? last->conn : fal_objects_some_conn(o);
    return last;
}

static bool overlap(const struct fal_written *a, const struct fal_written *b)
{
    return a->image != NULL && a->image == b->image && a->at < b->at + b->length &&
           b->at < a->at + a->length;
}

/* Whether the younger of two writes surely is the last: that with the higher RSN of a strongly
 * ordered queue pair. */
static bool in_order(const struct fal_written *a, const struct fal_written *b)
{
    return a->kind == b->kind && a->kind != FAL_WRITTEN_ANSWER && a->qp == b->qp &&
           a->qp->ordering == FAL_VERBS_STRONG;
}

/* Forgets the oldest write. Nobody knows its bytes any more, nor those that another write has
 * in common with it, nor which message to its queue pair is the next. */
static void forget_oldest(struct fal_objects *o)
{
    const struct fal_written *oldest = fal_list_at(&o->written, 0);

    if (oldest->kind == FAL_WRITTEN_SEND)
        oldest->qp->mixed = true;
    if (oldest->maybe)
        fal_image_blur(oldest->image, oldest->at, oldest->length);
    for (size_t i = 1; i < o->written.num; i++) {
        const struct fal_written *written = fal_list_at(&o->written, i);

        if (overlap(oldest, written) && !in_order(oldest, written))
            fal_image_blur(written->image, written->at, written->length);
    }
    fal_written_remove(o, 0);
}

/* A new one with a copy of the bytes; the oldest makes room. */
static struct fal_written *add(struct fal_objects *o, const uint8_t *bytes, size_t len)
{
    struct fal_written *written;
    uint8_t *copy = malloc(len);

    if (copy == NULL) {
        o->oom = true;
        return NULL;
    }
    if (o->written.num == WRITTEN_MAX)
        forget_oldest(o);
    written = fal_list_add(o, &o->written, sizeof *written, WRITTEN_MAX);
    if (written == NULL) {
        free(copy);
        return NULL;
    }
    memcpy(copy, bytes, len);
    written->bytes = copy;
    written->length = (uint32_t)len;
    return written;
}

static struct fal_vqp *qp_of_conn(struct fal_objects *o, uint32_t conn, uint32_t qpn)
{
    struct fal_vqp *qp = fal_objects_qp_by_number(o, qpn);

    return qp != NULL && qp->type == FAL_VERBS_RC && qp->conn == conn ? qp : NULL;
}

/* The place of a range in the image of a region; false: not all of it lies inside. */
static bool place(const struct fal_vmr *mr, uint64_t va, uint64_t length, uint64_t *at)
{
    if (mr == NULL || mr->image == NULL || va < mr->va || va - mr->va > mr->length ||
        length > mr->length - (va - mr->va))
        return false;
    *at = mr->at + (va - mr->va);
    return true;
}

static void write_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact,
                       const uint8_t *data)
{
    const struct fal_vmr *mr = fal_objects_mr_by_rkey(o, fact->r_key);
    struct fal_vqp *qp = qp_of_conn(o, conn, fact->dest_qp);
    struct fal_written *written;
    bool either; /* The data may be written or not. */
    uint64_t at;

    if (qp == NULL || !place(mr, fact->va, fact->data_len, &at))
        return;
    either = mr->ended != 0 || mr->invalidated != 0;
    (either ? fal_image_blur : fal_image_forget)(mr->image, at, fact->data_len);
    fal_words_spoil(o, mr->image, at, fact->data_len);
    if (either || strcmp(mr->pd, qp->pd) != 0 || (mr->access & FAL_VERBS_REMOTE_WRITE) == 0)
        return; /* whether it is written is for other rules */
    written = add(o, data, fact->data_len);
    if (written == NULL)
        return;
    written->kind = FAL_WRITTEN_WRITE;
    written->maybe = fact->complete_in_error;
    written->image = mr->image;
    written->at = at;
    written->qp = qp;
    written->conn = conn;
    written->rsn = fact->rsn;
    written->sent = fact->at;
}

/* Whether another SEND to the queue pair began with that number and has not completed. */
static bool number_twice(const struct fal_objects *o, const struct fal_vqp *qp,
                         const struct fal_rdma_fact *fact)
{
    for (size_t i = 0; fact->offset == 0 && i < o->written.num; i++) {
        const struct fal_written *written = fal_list_at(&o->written, i);

        if (written->kind == FAL_WRITTEN_SEND && written->qp == qp && written->at == 0 &&
            written->rmsn == fact->rmsn && written->rsn != fact->rsn)
            return true;
    }
    return false;
}

/* A SEND to an unordered queue pair is one packet, and its completion is found by what it says.
 * Of a weakly ordered one the message number tells, of a strongly ordered one the order. */
static void send_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact,
                      const uint8_t *data)
{
    struct fal_vqp *qp = qp_of_conn(o, conn, fact->dest_qp);
    struct fal_written *written;
    bool alone;

    if (qp == NULL || qp->mixed)
        return;
    alone = qp->ordering == FAL_VERBS_UNORDERED;
    if (qp->ordering != FAL_VERBS_STRONG)
        qp->mixed =
            alone ? fal_rdma_place(fact->opcode) != FAL_RDMA_ONLY : number_twice(o, qp, fact);
    if (qp->mixed)
        return;
    written = add(o, data, fact->data_len);
    if (written == NULL)
        return;
    written->kind = FAL_WRITTEN_SEND;
    written->alone = alone;
    written->has_imm = fal_rdma_has_imm(fact->opcode);
    written->imm = fact->imm;
    written->at = alone ? 0 : fact->offset;
    written->rmsn = fact->rmsn;
    written->qp = qp;
    written->conn = conn;
    written->rsn = fact->rsn;
    written->sent = fact->at;
}

/* Whether the list of a READ has the place that an answer is for. */
static bool has_sink(const struct fal_wqe *wqe, const struct fal_rdma_fact *fact)
{
    for (unsigned i = 0; i < wqe->num_sge; i++)
        if (wqe->sgl[i].lkey == fact->l_key && fact->sink_va >= wqe->sgl[i].va &&
            fact->sink_va - wqe->sgl[i].va < wqe->sgl[i].length)
            return true;
    return !wqe->list_known;
}

/* The READ of the SUT that an answer belongs to, or NULL. Packets of several may take turns:
 * the youngest that it can be, which completes last. */
static const struct fal_wqe *read_of(struct fal_objects *o, uint32_t conn,
                                     const struct fal_rdma_fact *fact, struct fal_vqp **of)
{
    for (struct fal_vqp *qp = fal_objects_qp_on(o, conn); qp != NULL; qp = qp->next_on) {
        if (qp->type != FAL_VERBS_RC)
            continue;
        *of = qp;
        for (size_t k = qp->sends.num; k-- > 0;) {
            const struct fal_wqe *wqe = &qp->sends.list[k];

            if (wqe->op == FAL_VERBS_READ && wqe->packets > 0 && fact->rsn >= wqe->rsn_first &&
                fact->rsn <= wqe->rsn_last && has_sink(wqe, fact))
                return wqe;
        }
    }
    return NULL;
}

static void answer_sent(struct fal_objects *o, uint32_t conn, const struct fal_rdma_fact *fact,
                        const uint8_t *data)
{
    struct fal_vqp *qp = NULL;
    const struct fal_wqe *wqe = read_of(o, conn, fact, &qp);
    struct fal_written *written;
    uint64_t at;

    for (const struct fal_vmr *mr = fal_objects_mr_next(o, FAL_MR_LKEY, fact->l_key, NULL);
         mr != NULL; mr = fal_objects_mr_next(o, FAL_MR_LKEY, fact->l_key, mr)) {
        if (!place(mr, fact->sink_va, fact->data_len, &at))
            continue;
        if (wqe == NULL) { /* The request came before one that is still to come. */
            fal_image_blur(mr->image, at, fact->data_len);
            return;
        }
        fal_image_forget(mr->image, at, fact->data_len);
        written = add(o, data, fact->data_len);
        if (written == NULL)
            return;
        written->kind = FAL_WRITTEN_ANSWER;
        written->maybe = fact->complete_in_error;
        written->image = mr->image;
        written->at = at;
        written->qp = qp;
        written->conn = conn;
        written->rsn = fact->rsn;
        written->sent = fact->at;
        written->post = wqe->asked.index;
        return;
    }
}

void fal_written_sent(struct fal_objects *o, uint32_t conn, const struct fal_seen *seen)
{
    const struct fal_rdma_fact *fact = &seen->rdma;
    unsigned operation = fact->opcode & OPERATION;
    const uint8_t *data;

    if ((fact->flags & FAL_RDMA_PARTIAL) != 0 || fact->data_len == 0 ||
        fact->opcode >> 5 != FAL_RDMA_RC)
        return;
    data = seen->packet->payload + (seen->packet->payload_len - fact->pad - fact->data_len);
    if (fal_rdma_is_write(fact->opcode))
        write_sent(o, conn, fact, data);
    else if (fal_rdma_is_send(fact->opcode))
        send_sent(o, conn, fact, data);
    else if (operation >= READ_RESPONSE_FIRST && operation <= READ_RESPONSE_ONLY)
        answer_sent(o, conn, fact, data);
}

/* ---- completions ---- */

/* The part of a message that lies in one entry of the list of the receive request becomes a
 * write of its own. */
static void scatter(struct fal_objects *o, const struct fal_written *part,
                    const struct fal_wqe *wqe, uint64_t index)
{
    uint64_t begin = 0;

    for (unsigned i = 0; i < wqe->num_sge; i++) {
        const struct fal_vsge *sge = &wqe->sgl[i];
        uint64_t from = part->at > begin ? part->at : begin, to = part->at + part->length;
        struct fal_written *piece;

        to = to < begin + sge->length ? to : begin + sge->length;
        if (from < to && sge->image != NULL) {
            struct fal_written copy = *part; /* The list may move. */

            piece = add(o, copy.bytes + (from - copy.at), (size_t)(to - from));
            if (piece == NULL)
                return;
            piece->kind = FAL_WRITTEN_PLACED;
            piece->image = sge->image;
            piece->at = sge->at + (from - begin);
            piece->qp = copy.qp;
            piece->conn = copy.conn;
            piece->rsn = copy.rsn;
            piece->sent = copy.sent;
            piece->alone = copy.alone;
            piece->settled = index;
        }
        begin += sge->length;
    }
}

/* Whether the completion may be of that SEND to an unordered queue pair. */
static bool may_be(const struct fal_written *written, const struct fal_said *said)
{
    return written->kind == FAL_WRITTEN_SEND && written->alone && written->qp == said->qp &&
           written->length == said->told->byte_len && written->has_imm == said->told->has_imm &&
           (!written->has_imm || written->imm == said->told->imm);
}

/* Moves a part of a message to where the completed request has it. Returns its length. */
static uint32_t move(struct fal_objects *o, size_t i, const struct fal_said *said, bool known)
{
    struct fal_written *written = fal_list_at(&o->written, i), part = *written;

    written->bytes = NULL; /* Its pieces may need its place. */
    fal_written_remove(o, i);
    if (known)
        scatter(o, &part, said->wqe, said->event->index);
    free(part.bytes);
    return known ? part.length : 0;
}

/* A SEND to an unordered queue pair completed. Where it is one of several, one of them is
 * removed: it does not matter which, because none of the others is known to be open then. */
static uint64_t completed_alone(struct fal_objects *o, const struct fal_said *said)
{
    const struct fal_written *first = NULL;
    size_t at = 0, n = 0;

    for (size_t i = o->written.num; i-- > 0;) {
        if (!may_be(fal_list_at(&o->written, i), said))
            continue;
        at = i;
        first = fal_list_at(&o->written, i);
        n++;
    }
    if (first == NULL)
        return 0;
    for (size_t i = at; n > 1 && i < o->written.num; i++) {
        struct fal_written *written = fal_list_at(&o->written, i);

        written->unclear = written->unclear || may_be(written, said);
    }
    return move(o, at, said, n == 1 && !first->unclear);
}

/* The SEND to the queue pair with the lowest RSN; SIZE_MAX: there is none. */
static size_t first_send(const struct fal_objects *o, const struct fal_vqp *qp)
{
    size_t first = SIZE_MAX;
    int64_t rsn = 0;

    for (size_t i = 0; i < o->written.num; i++) {
        const struct fal_written *written = fal_list_at(&o->written, i);

        if (written->qp != qp || written->kind != FAL_WRITTEN_SEND ||
            (first != SIZE_MAX && written->rsn > rsn))
            continue;
        first = i;
        rsn = written->rsn;
    }
    return first;
}

/* The part of the message that the completion is of; SIZE_MAX: it is not known, or there is
 * none left. On a strongly ordered queue pair it is of the oldest, whose RMSN may stand still
 * (AMB-R05). */
static size_t part_of(const struct fal_objects *o, const struct fal_said *said, uint64_t placed)
{
    const struct fal_written *written;
    size_t first;

    if (said->qp->ordering == FAL_VERBS_STRONG) {
        first = placed < said->told->byte_len ? first_send(o, said->qp) : SIZE_MAX;
        written = first != SIZE_MAX ? fal_list_at(&o->written, first) : NULL;
        return written != NULL && written->at == placed ? first : SIZE_MAX;
    }
    for (size_t i = 0; i < o->written.num; i++) {
        written = fal_list_at(&o->written, i);
        if (written->qp == said->qp && written->kind == FAL_WRITTEN_SEND &&
            written->rmsn == (uint32_t)said->qp->received + 1)
            return i;
    }
    return SIZE_MAX;
}

/* The answers to a READ that completed are in memory. */
static void completed_read(struct fal_objects *o, const struct fal_said *said)
{
    for (size_t i = 0; i < o->written.num; i++) {
        struct fal_written *written = fal_list_at(&o->written, i);

        if (written->qp == said->qp && written->kind == FAL_WRITTEN_ANSWER &&
            written->post == said->wqe->asked.index)
            written->settled = said->event->index;
    }
}

uint64_t fal_written_completed(struct fal_objects *o, const struct fal_said *said)
{
    uint64_t placed = 0;
    size_t i;

    if (said->told->opcode < FAL_VERBS_DONE_RECV) {
        completed_read(o, said);
        return 0;
    }
    /* After an error, which message a completion is of is not known; a WRITE with immediate
     * data uses no memory of the request. */
    if (said->told->opcode != FAL_VERBS_DONE_RECV || said->qp->mixed || said->qp->trouble)
        return 0;
    if (said->qp->ordering == FAL_VERBS_UNORDERED)
        return completed_alone(o, said);
    while ((i = part_of(o, said, placed)) != SIZE_MAX)
        placed += move(o, i, said, true);
    return placed;
}

/* The bytes of a write from `from` to `to` become a write of their own. */
static void add_part(struct fal_objects *o, const struct fal_written *whole, uint64_t from,
                     uint64_t to)
{
    struct fal_written *part = add(o, whole->bytes + (from - whole->at), (size_t)(to - from));
    uint8_t *bytes;

    if (part == NULL)
        return;
    bytes = part->bytes;
    *part = *whole;
    part->bytes = bytes;
    part->at = from;
    part->length = (uint32_t)(to - from);
}

void fal_written_filled(struct fal_objects *o, const struct fal_image *image, uint64_t at,
                        uint64_t length)
{
    size_t i = 0;

    while (image != NULL && i < o->written.num) {
        struct fal_written *written = fal_list_at(&o->written, i), whole = *written;
        uint64_t to = whole.at + whole.length;
        bool under_way = !whole.done && whole.settled == 0;

        if (whole.image != image || whole.at >= at + length || to <= at ||
            (under_way && whole.maybe)) {
            i++;
            continue;
        }
        written->bytes = NULL;
        fal_written_remove(o, i);
        if (whole.at < at)
            add_part(o, &whole, whole.at, at);
        if (to > at + length)
            add_part(o, &whole, at + length, to);
        whole.maybe = true;
        if (under_way)
            add_part(o, &whole, whole.at > at ? whole.at : at,
                     to < at + length ? to : at + length);
        free(whole.bytes);
        i = 0; /* The list may have moved. */
    }
}

void fal_written_forget(struct fal_objects *o, struct fal_image *image, uint64_t at,
                        uint64_t length)
{
    for (size_t i = 0; i < o->written.num; i++) {
        const struct fal_written *w = fal_list_at(&o->written, i);

        if (w->maybe && w->image == image && w->at < at + length && at < w->at + w->length)
            fal_image_forget(image, w->at, w->length);
    }
}

void fal_objects_done(struct fal_objects *o, size_t i)
{
    ((struct fal_written *)fal_list_at(&o->written, i))->done = true;
}
