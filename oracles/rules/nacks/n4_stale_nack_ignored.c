/* SPDX-License-Identifier: Apache-2.0
 * n4_stale_nack_ignored.c - rule N4: what a NACK does at the transmitter. A NACK with older
 * bases than an acknowledgement before it must be discarded, so it has no effect, except in the
 * window where it is not old (AMB-23). A fresh one moves the base, so packets below its bases
 * are not sent any more. The Resync that a NACK caused shows that it was processed. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_n4 = {
    .id = "N4",
    .title = "a stale NACK has no effect, a fresh one moves the base",
    .requirements = FAL_IDS("FTP-9.2.4-01", "FTP-9.2.4-02", "FTP-9.2.4-03", "FTP-9.2.4-04"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "base-not-beyond-sent one-psn-per-rsn",
    .doc =
        "On a path that keeps order and loses nothing, violated by a Resync whose only cause "
        "is a NACK with an older base than an acknowledgement sent before it; if only the "
        "base of the other window was old, the rule warns (AMB-23). Also violated by a "
        "packet below the base of a NACK, sent provably after the Resync which that NACK "
        "caused.",
};

struct state {
    /* By window: the bases of the newest NACK known to be processed, and the Resync that shows
     * it. */
    struct {
        bool known;
        int64_t base;
        struct fal_point by;
    } freed[FAL_WINDOWS];
};

static void processed(struct state *state, const struct fal_nack *nack,
                      const struct fal_seen *q)
{
    for (unsigned w = 0; w < FAL_WINDOWS; w++) {
        if (state->freed[w].known && state->freed[w].base >= nack->base[w])
            continue;
        state->freed[w].known = true;
        state->freed[w].base = nack->base[w];
        state->freed[w].by = *fal_point_of(q);
    }
}

/* A Resync whose only possible cause should have been discarded. */
static void from_stale(struct fal_ctx *c, const struct fal_seen *q, const struct fal_nack *nack)
{
    struct fal_path in = fal_path_in(c);
    bool older = (nack->discarded >> FAL_WINDOW_REQ & 1) != 0;

    if (!in.lossless || !in.in_order) {
        fal_excused(c, in.lossless ? FAL_EXCUSE_IN_REORDER : FAL_EXCUSE_IN_LOSS);
        return;
    }
    if (nack->unsettled) { /* an engine may have processed it before the acknowledgement */
        fal_excused(c, FAL_EXCUSE_PIPELINE);
        return;
    }
    if (nack->was_apart && fal_read_as(c, FAL_AMB_23, FAL_READ_OTHER, &q->at))
        return;
    fal_broken(c,
               &(struct fal_blame){older ? "FTP-9.2.4-01" : "FTP-9.2.4-03",
                                   {&nack->at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "no reaction: the NACK had an older base than an acknowledgement before it");
}

static void out_resync(struct fal_ctx *c, const struct fal_seen *q)
{
    unsigned code = fal_nack_of_resync(q->falcon->resync_code);
    const struct fal_nack *nack =
        code != 0 ? fal_nacks_find(&c->track->nacks[fal_out(c)], q->window, q->x, code) : NULL;

    if (nack == NULL) /* S1's */
        return;
    if (!nack->was_fresh) {
        if (q->x < fal_out_stream(c, q->window)->doubt ||
            fal_track_may_miss(c->track, fal_in(c), nack->at.index))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        else
            from_stale(c, q, nack);
        return;
    }
    if (nack->count == 1 && !nack->stale)
        processed(c->state, nack, q);
    fal_holds(c);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;

    if (!q->reliable)
        return;
    if (state->freed[q->window].known && q->x < state->freed[q->window].base) {
        const struct fal_point *by = &state->freed[q->window].by;

        if (!fal_path_out(c).no_duplicates && !point->has_iv) {
            fal_excused(c, FAL_EXCUSE_OUT_DUP);
        } else {
            switch (fal_implied_before(c, by, point, &why)) {
            case FAL_BEFORE:
                fal_broken(c,
                           &(struct fal_blame){q->window == FAL_WINDOW_REQ ? "FTP-9.2.4-02"
                                                                           : "FTP-9.2.4-04",
                                               {&by->at},
                                               .effect = &q->at,
                                               .packet = q->packet},
                           "no packet below the base of a NACK that was processed");
                break;
            case FAL_ORDER_UNKNOWN: fal_excused(c, why); break;
            case FAL_NOT_BEFORE: break;
            }
        }
    }
    if (q->falcon->packet_type == FAL_RESYNC)
        out_resync(c, q);
}

/* Numbers learned anew have nothing to do with the old ones. */
static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    if (event->u.mark.mark == FAL_MARK_GAP_IN || event->u.mark.mark == FAL_MARK_GAP_OUT)
        *(struct state *)c->state = (struct state){0};
}

const struct fal_rule_impl fal_rule_n4 = {
    .about = &fal_about_n4,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT | FAL_ASSUME_RSN_UNIQUE,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_RESYNC | FAL_ON_NACKED,
    .mark = mark,
};
