/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/placed.h"

#include "oracles/payload.h"
#include "oracles/rules/judge/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a range must hold. */
struct placed {
    const struct fal_written *last; /* the newest write of the range; NULL: none */
    uint64_t hash;                  /* FNV-1a of the range */
};

enum placing {
    PLACING_OTHER,   /* another connection wrote the range: not a matter of this one */
    PLACING_UNKNOWN, /* some bytes may be one thing or another */
    PLACING_KNOWN,
};

/* A range while its writes are put into it. */
struct range {
    uint64_t at, length;
    uint8_t *bytes, *known;
    const struct fal_written **by; /* who wrote each byte; NULL: nobody */
};

static bool is_hash(const struct fal_said *said)
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
        return w->settled != 0 && w->settled < said->asked_at.index &&
               !(w->kind == FAL_WRITTEN_PLACED && c->bench->events_lost) &&
               !(w->alone && fal_objects_doubt(c->bench->objects));
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

static enum placing fill(struct fal_ctx *c, const struct fal_said *said,
                         const struct fal_image *image, struct range *range, struct placed *out)
{
    const struct fal_written *w;
    uint64_t hash = fal_payload_hash(NULL, 0);

    memcpy(range->bytes, image->bytes + range->at, (size_t)range->length);
    memcpy(range->known, image->known + range->at, (size_t)range->length);
    for (size_t i = 0; (w = fal_objects_written(c->bench->objects, i)) != NULL; i++)
        if (touches(w, image, range->at, range->length))
            put(range, w, w->conn == c->conn && settled(c, said, w));
    if (memchr(range->known, 0, (size_t)range->length) != NULL)
        return PLACING_UNKNOWN;
    out->hash = fal_payload_hash_on(hash, range->bytes, (size_t)range->length);
    return PLACING_KNOWN;
}

static enum placing place(struct fal_ctx *c, const struct fal_said *said, struct placed *out)
{
    const struct fal_vmr *mr = fal_objects_mr(c->bench->objects, said->asked->mr);
    struct range range = {.length = said->asked->length};
    enum placing placing = PLACING_UNKNOWN;
    uint32_t conn;

    *out = (struct placed){NULL, 0};
    if (mr == NULL || mr->image == NULL || range.length == 0)
        return PLACING_OTHER;
    range.at = mr->at + said->asked->offset;
    if (range.at > mr->image->length || range.length > mr->image->length - range.at)
        return PLACING_OTHER;
    out->last = newest(c, mr->image, range.at, range.length, &conn);
    if (conn != c->conn)
        return PLACING_OTHER;
    range.bytes = calloc(2, (size_t)range.length);
    range.by = calloc((size_t)range.length, sizeof(struct fal_written *));
    range.known = range.bytes != NULL ? range.bytes + range.length : NULL;
    if (range.bytes != NULL && range.by != NULL)
        placing = fill(c, said, mr->image, &range, out);
    free(range.bytes);
    free((void *)range.by);
    return placing;
}

static void differs(struct fal_ctx *c, const struct fal_said *said,
                    const struct fal_placed_rule *rule, const struct placed *placed)
{
    struct fal_at at = fal_at_event(said->event);
    const struct fal_written *last = placed->last;
    char seen[80], holds[80];

    (void)snprintf(seen, sizeof seen, "the hash 0x%016" PRIx64, said->told->hash);
    (void)snprintf(holds, sizeof holds, "filled, with the data of %s", rule->data);
    fal_broken(c,
               &(struct fal_blame){.requirement = rule->requirement(last),
                                   .cause = {last != NULL ? &last->sent : NULL},
                                   .effect = &at,
                                   .seen = seen},
               "the hash 0x%016" PRIx64 " of bytes %" PRIu64 " to %" PRIu64 " of region %s: %s",
               placed->hash, said->asked->offset, said->asked->offset + said->asked->length,
               said->asked->mr,
               last != NULL ? holds : "as filled, because no packet with a right to it came");
}

void fal_placed_judge(struct fal_ctx *c, const struct fal_said *said,
                      const struct fal_placed_rule *rule)
{
    struct placed placed;
    enum placing placing;

    if (!c->track->verbs || !is_hash(said))
        return;
    placing = place(c, said, &placed);
    if (placing == PLACING_OTHER ||
        (placed.last != NULL && placed.last->kind == FAL_WRITTEN_ANSWER) != rule->answers)
        return;
    if (placing == PLACING_UNKNOWN)
        fal_undecided(c, FAL_EXCUSE_CONFIG);
    else if (placed.hash == said->told->hash)
        fal_holds(c);
    else
        differs(c, said, rule, &placed);
}
