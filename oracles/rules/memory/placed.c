/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/placed.h"

#include "oracles/payload.h"

#include <stdlib.h>
#include <string.h>

/* A range while its writes are put into it. */
struct range {
    uint64_t at, length;
    uint8_t *bytes, *known;
    const struct fal_written **by; /* who wrote each byte; NULL: nobody */
};

bool fal_placed_asked(const struct fal_said *said)
{
    return said->event->u.verbs.phase == FAL_VERBS_ANSWERED && said->ok &&
           said->asked->kind == FAL_VERBS_MR_HASH;
}

/* Whether its data must have been in memory when the hash was asked for. */
static bool settled(const struct fal_ctx *c, const struct fal_said *said,
                    const struct fal_written *w)
{
    const struct fal_request *r;

    if (w->kind != FAL_WRITTEN_WRITE)
        return w->settled != 0 && w->settled < said->asked_at.index;
    r = fal_track_request(c->track, FAL_TO_SUT, (uint32_t)w->rsn);
    return r != NULL && (r->flags & FAL_REQ_CLAIMED) != 0 &&
           (r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED)) == 0 &&
           r->claimed.index < c->track->barrier_index &&
           c->track->barrier_index < c->bench->barrier_index &&
           c->bench->barrier_index < said->asked_at.index;
}

/* Whether the younger of two writes of one byte is known: that with the higher RSN of a
 * strongly ordered queue pair. */
static bool ordered(const struct fal_written *a, const struct fal_written *b)
{
    return a->qp == b->qp && a->qp->ordering == FAL_VERBS_STRONG && a->kind == b->kind &&
           a->kind != FAL_WRITTEN_ANSWER;
}

static void put(struct range *range, const struct fal_written *w, bool known)
{
    uint64_t from = w->at > range->at ? w->at : range->at, to = w->at + w->length;

    to = to < range->at + range->length ? to : range->at + range->length;
    for (uint64_t at = from; at < to; at++) {
        size_t i = (size_t)(at - range->at);
        const struct fal_written *before = range->by[i];

        if (before != NULL && ordered(before, w) && before->rsn > w->rsn)
            continue;
        range->known[i] = known && (before == NULL || ordered(before, w));
        range->bytes[i] = w->bytes[at - w->at];
        range->by[i] = w;
    }
}

static bool touches(const struct fal_written *w, const struct fal_image *image, uint64_t at,
                    uint64_t length)
{
    return w->image == image && w->at < at + length && at < w->at + w->length;
}

/* Of several connections, the one of the newest write of the range; of none, that of the first
 * queue pair with a connection. */
static const struct fal_written *newest(const struct fal_ctx *c, const struct fal_image *image,
                                        uint64_t at, uint64_t length, uint32_t *conn)
{
    const struct fal_written *w, *last = NULL;
    const struct fal_vqp *qp;

    for (size_t i = 0; (w = fal_objects_written(c->bench->objects, i)) != NULL; i++)
        if (touches(w, image, at, length) &&
            (last == NULL || w->sent.index >= last->sent.index))
            last = w;
    *conn = last != NULL ? last->conn : 0;
    for (size_t i = 0; *conn == 0 && (qp = fal_objects_qp_at(c->bench->objects, i)) != NULL;
         i++)
        *conn = qp->conn;
    return last;
}

static enum fal_placing fill(struct fal_ctx *c, const struct fal_said *said,
                             const struct fal_image *image, struct range *range,
                             struct fal_placed *out)
{
    const struct fal_written *w;
    uint64_t hash = fal_payload_hash(NULL, 0);

    memcpy(range->bytes, image->bytes + range->at, (size_t)range->length);
    memcpy(range->known, image->known + range->at, (size_t)range->length);
    for (size_t i = 0; (w = fal_objects_written(c->bench->objects, i)) != NULL; i++)
        if (touches(w, image, range->at, range->length))
            put(range, w, w->conn == c->conn && settled(c, said, w));
    if (memchr(range->known, 0, (size_t)range->length) != NULL)
        return FAL_PLACING_UNKNOWN;
    out->hash = fal_payload_hash_on(hash, range->bytes, (size_t)range->length);
    return FAL_PLACING_KNOWN;
}

enum fal_placing fal_placed(struct fal_ctx *c, const struct fal_said *said,
                            struct fal_placed *out)
{
    const struct fal_vmr *mr = fal_objects_mr(c->bench->objects, said->asked->mr);
    struct range range = {.length = said->asked->length};
    enum fal_placing placing = FAL_PLACING_UNKNOWN;
    uint32_t conn;

    *out = (struct fal_placed){NULL, 0};
    if (mr == NULL || mr->image == NULL || range.length == 0)
        return FAL_PLACING_OTHER;
    range.at = mr->at + said->asked->offset;
    if (range.at > mr->image->length || range.length > mr->image->length - range.at)
        return FAL_PLACING_OTHER;
    out->last = newest(c, mr->image, range.at, range.length, &conn);
    if (conn != c->conn)
        return FAL_PLACING_OTHER;
    range.bytes = calloc(2, (size_t)range.length);
    range.by = calloc((size_t)range.length, sizeof(struct fal_written *));
    range.known = range.bytes != NULL ? range.bytes + range.length : NULL;
    if (range.bytes != NULL && range.by != NULL)
        placing = fill(c, said, mr->image, &range, out);
    free(range.bytes);
    free((void *)range.by);
    return placing;
}
