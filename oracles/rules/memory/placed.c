/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/memory/placed.h"

#include "oracles/payload.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/memory/serial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The content that a range must have. */
struct placed {
    const struct fal_written *last; /* the newest write of the range; NULL: none */
    uint64_t hash;                  /* FNV-1a of the range, where no order is open */
    bool orders;                    /* It depends on the order of writes that nothing orders. */
};

enum placing {
    PLACING_OTHER,   /* another connection wrote the range: not a matter of this one */
    PLACING_UNKNOWN, /* some bytes may be one thing or another */
    PLACING_MANY,    /* more writes than can be tried in every order */
    PLACING_RIGHT,
    PLACING_WRONG,
};

enum { WRITERS_MAX = 512, NEWEST_MAX = 64 };

/* A write of the range. */
struct writer {
    const struct fal_written *w;
    bool settled;  /* Its data must have been in memory when the hash was asked for. */
    uint64_t done; /* index of the event that proves that the SUT has done it; 0: none */
};

/* A range, its writes in the order in which they were sent, and the pieces into which they
 * divide it. */
struct range {
    const struct fal_image *image;
    uint64_t at, length;
    struct writer *writers;
    size_t num_writers;
    uint64_t *bounds; /* of the pieces, ascending, with both ends */
    size_t num_bounds;
    struct fal_serial_piece *pieces;
    const struct fal_written *open[FAL_SERIAL_MAX]; /* those without an order */
    unsigned num_open;
};

static bool is_hash(const struct fal_said *said)
{
    return said->event->u.verbs.phase == FAL_VERBS_ANSWERED && said->ok &&
           said->asked->kind == FAL_VERBS_MR_HASH;
}

/* Which event proves that the SUT has done a write, and whether its data must have been in
 * memory when the hash was asked for. */
static void settle(const struct fal_ctx *c, const struct fal_said *said, struct writer *writer)
{
    const struct fal_written *w = writer->w;
    const struct fal_request *r;

    if (w->conn != c->conn)
        return;
    if (w->kind != FAL_WRITTEN_WRITE) {
        if ((w->kind == FAL_WRITTEN_PLACED && c->bench->events_lost) ||
            (w->alone && fal_objects_doubt(c->bench->objects)))
            return;
        writer->done = w->settled;
        writer->settled = w->settled != 0 && w->settled < said->asked_at.index;
        return;
    }
    r = fal_track_request(c->track, FAL_TO_SUT, (uint32_t)w->rsn);
    if (r == NULL || (r->flags & FAL_REQ_CLAIMED) == 0 ||
        (r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED)) != 0)
        return;
    writer->done = r->claimed.index;
    writer->settled = r->claimed.index < c->track->barrier_index &&
                      c->track->barrier_index < c->bench->barrier_index &&
                      c->bench->barrier_index < said->asked_at.index;
}

/* Whether one write was surely done before another: of a strongly ordered queue pair by their
 * RSNs, else if it was known to be done when the other one was sent. */
static bool precedes(const struct writer *a, const struct writer *b)
{
    if (a->w->qp == b->w->qp && a->w->qp->ordering == FAL_VERBS_STRONG &&
        a->w->kind == b->w->kind && a->w->kind != FAL_WRITTEN_ANSWER)
        return a->w->rsn < b->w->rsn;
    return a->done != 0 && a->done < b->w->sent.index;
}

static bool touches(const struct fal_written *w, const struct fal_image *image, uint64_t at,
                    uint64_t length)
{
    return w->image == image && w->at < at + length && at < w->at + w->length;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* The writes of the range, and where they begin and end in it. */
static void collect(struct fal_ctx *c, const struct fal_said *said, struct range *range)
{
    uint64_t end = range->at + range->length;
    const struct fal_written *w;
    size_t n = 0;

    range->bounds[n++] = range->at;
    range->bounds[n++] = end;
    for (size_t i = 0; (w = fal_objects_written(c->bench->objects, i)) != NULL; i++) {
        struct writer *writer = &range->writers[range->num_writers];

        if (!touches(w, range->image, range->at, range->length) ||
            range->num_writers == WRITERS_MAX)
            continue;
        range->num_writers++;
        *writer = (struct writer){.w = w};
        settle(c, said, writer);
        range->bounds[n++] = w->at > range->at ? w->at : range->at;
        range->bounds[n++] = w->at + w->length < end ? w->at + w->length : end;
    }
    qsort(range->bounds, n, sizeof *range->bounds, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || range->bounds[i] != range->bounds[range->num_bounds - 1])
            range->bounds[range->num_bounds++] = range->bounds[i];
}

/* The writes of a piece of which none is known to come before another one of the piece. False:
 * too many. */
static bool newest_of(const struct range *range, uint64_t at,
                      const struct writer *newest[NEWEST_MAX], unsigned *num)
{
    *num = 0;
    for (size_t i = 0; i < range->num_writers; i++) {
        const struct writer *writer = &range->writers[i];
        bool older = false;
        unsigned kept = 0;

        if (at < writer->w->at || at >= writer->w->at + writer->w->length)
            continue;
        for (unsigned k = 0; k < *num && !older; k++)
            older = precedes(writer, newest[k]);
        if (older)
            continue;
        for (unsigned k = 0; k < *num; k++)
            if (!precedes(newest[k], writer))
                newest[kept++] = newest[k];
        if (kept == NEWEST_MAX)
            return false;
        newest[kept++] = writer;
        *num = kept;
    }
    return true;
}

/* Adds to those that have no order. False: too many. */
static bool is_open(struct range *range, const struct fal_written *w)
{
    for (unsigned i = 0; i < range->num_open; i++)
        if (range->open[i] == w)
            return true;
    if (range->num_open == FAL_SERIAL_MAX)
        return false;
    range->open[range->num_open++] = w;
    return true;
}

/* Collects what a piece may hold. PLACING_RIGHT: all of that is known. */
static enum placing choose(struct range *range, size_t i)
{
    const struct writer *newest[NEWEST_MAX];
    struct fal_serial_piece *piece = &range->pieces[i];
    uint64_t at = range->bounds[i];
    unsigned num;

    *piece = (struct fal_serial_piece){.length = range->bounds[i + 1] - at, .num = 1};
    if (memchr(range->image->vague + at, 1, (size_t)piece->length) != NULL)
        return PLACING_UNKNOWN;
    if (!newest_of(range, at, newest, &num))
        return PLACING_MANY;
    if (num == 0) {
        piece->choice[0] = range->image->bytes + at;
        return memchr(range->image->known + at, 0, (size_t)piece->length) == NULL
                   ? PLACING_RIGHT
                   : PLACING_UNKNOWN;
    }
    for (unsigned k = 0; k < num; k++)
        if (!newest[k]->settled || newest[k]->w->maybe)
            return PLACING_UNKNOWN;
    for (unsigned k = 0; k < num; k++) {
        if (num > 1 && !is_open(range, newest[k]->w))
            return PLACING_MANY;
        piece->choice[k] = newest[k]->w->bytes + (at - newest[k]->w->at);
    }
    piece->num = num;
    return PLACING_RIGHT;
}

static enum placing fill(struct fal_ctx *c, const struct fal_said *said, struct range *range,
                         struct placed *out)
{
    enum placing placing = PLACING_RIGHT;
    uint64_t hash = fal_payload_hash(NULL, 0);
    size_t n;

    /* A part of a message may lie there. */
    if (fal_objects_awaited(c->bench->objects, range->image, range->at, range->length))
        return PLACING_UNKNOWN;
    collect(c, said, range);
    n = range->num_bounds - 1;
    for (size_t i = 0; i < n; i++) {
        enum placing one = choose(range, i);

        /* Of what is not known, no order says more. */
        if (one == PLACING_UNKNOWN || placing == PLACING_RIGHT)
            placing = one;
        if (placing == PLACING_UNKNOWN)
            return placing;
    }
    if (placing != PLACING_RIGHT)
        return placing;
    out->orders = range->num_open > 0;
    for (size_t i = 0; i < n; i++)
        hash = fal_payload_hash_on(hash, range->pieces[i].choice[0],
                                   (size_t)range->pieces[i].length);
    out->hash = hash;
    switch (fal_serial_find(range->pieces, n, said->told->hash)) {
    case FAL_SERIAL_FOUND: return PLACING_RIGHT;
    case FAL_SERIAL_MANY: return PLACING_MANY;
    case FAL_SERIAL_NONE: break;
    }
    return PLACING_WRONG;
}

static enum placing place(struct fal_ctx *c, const struct fal_said *said, struct placed *out)
{
    enum { BOUNDS_MAX = 2 * WRITERS_MAX + 2 };
    const struct fal_vmr *mr = fal_objects_mr(c->bench->objects, said->asked->mr);
    struct range range = {.length = said->asked->length};
    enum placing placing = PLACING_UNKNOWN;
    uint32_t conn;

    *out = (struct placed){NULL, 0, false};
    if (mr == NULL || mr->image == NULL || range.length == 0)
        return PLACING_OTHER;
    range.image = mr->image;
    range.at = mr->at + said->asked->offset;
    if (range.at > mr->image->length || range.length > mr->image->length - range.at)
        return PLACING_OTHER;
    out->last = fal_objects_newest(c->bench->objects, mr->image, range.at, range.length, &conn);
    if (conn != c->conn)
        return PLACING_OTHER;
    range.writers = calloc(WRITERS_MAX, sizeof *range.writers);
    range.bounds = calloc(BOUNDS_MAX, sizeof *range.bounds);
    range.pieces = calloc(BOUNDS_MAX, sizeof *range.pieces);
    if (range.writers != NULL && range.bounds != NULL && range.pieces != NULL)
        placing = fill(c, said, &range, out);
    free(range.writers);
    free(range.bounds);
    free(range.pieces);
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
               "the hash 0x%016" PRIx64 "%s of bytes %" PRIu64 " to %" PRIu64
               " of region %s: %s",
               placed->hash, placed->orders ? ", or that of another order," : "",
               said->asked->offset, said->asked->offset + said->asked->length, said->asked->mr,
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
    else if (placing == PLACING_MANY)
        fal_undecided(c, FAL_EXCUSE_WRITE_ORDER);
    else if (placing == PLACING_RIGHT)
        fal_holds(c);
    else if (fal_objects_doubt(c->bench->objects)) /* a write that was not seen */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
    else
        differs(c, said, rule, &placed);
}
