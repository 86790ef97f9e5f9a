/* SPDX-License-Identifier: Apache-2.0
 * baton.c - the steps go from connection to connection. */
#include "harness/play/baton.h"

#include "harness/play/players.h"

#include <string.h>

enum { PATIENCE_NS = 1000000000 };

static unsigned self(const struct tl_interp *interp)
{
    return interp->scenario->self;
}

void tl_baton_join(struct tl_baton *baton, struct tl_interp *interp)
{
    baton->players[self(interp)] = interp;
    interp->baton = baton;
}

void tl_baton_drop(struct tl_baton *baton)
{
    if (baton->over)
        return;
    baton->over = true;
    for (unsigned i = 0; i < baton->count; i++)
        baton->wake(baton->ctx, i);
}

void tl_baton_leave(struct tl_baton *baton, struct tl_interp *interp)
{
    for (unsigned i = 0; i < baton->count; i++)
        if (baton->players[i] == interp)
            baton->players[i] = NULL;
    tl_baton_drop(baton);
}

/* The sessions of a case began at different moments, from which each counts its times. */
static uint64_t time_for(const struct tl_interp *to, const struct tl_interp *from, uint64_t ns)
{
    uint64_t at_ns = ns + from->session->base_ns;

    return at_ns > to->session->base_ns ? at_ns - to->session->base_ns : 0;
}

/* The number of the first packet in the log of that connection that was seen at that time, or
 * after it. */
static uint64_t packet_at(const struct tl_session *session, uint64_t t_ns)
{
    uint64_t n = session->packets.next;

    while (n > tl_session_first_packet(session) &&
           tl_session_packet(session, n - 1)->t_ns >= t_ns)
        n--;
    return n;
}

static struct tl_anchor anchor_for(const struct tl_interp *to, const struct tl_interp *from)
{
    const struct tl_anchor *anchor = &from->anchor;
    struct tl_anchor out = {
        .early_ns = time_for(to, from, anchor->early_ns),
        .late_ns = time_for(to, from, anchor->late_ns),
        .since_ns = time_for(to, from, anchor->since_ns),
        .from_ns = time_for(to, from, anchor->from_ns),
    };

    out.packet = packet_at(to->session, out.since_ns);
    return out;
}

void tl_baton_moment(struct tl_interp *interp)
{
    struct tl_baton *baton = interp->baton;

    for (unsigned i = 0; i < baton->count; i++)
        if (baton->players[i] != NULL && baton->players[i] != interp)
            baton->players[i]->moments[interp->step] = anchor_for(baton->players[i], interp);
}

void tl_baton_bind(struct tl_interp *interp, const char *name, fal_u128 value,
                   enum tl_expr_type type)
{
    struct tl_baton *baton = interp->baton;

    for (unsigned i = 0; i < baton->count; i++)
        if (baton->players[i] != NULL && baton->players[i] != interp)
            tl_interp_bind_here(baton->players[i], name, value, type);
}

/* Returns the index of the connection that plays the next step of the interpreter. */
static unsigned owner(const struct tl_interp *interp)
{
    const struct tl_scenario *scenario = interp->scenario;
    const struct tl_baton *baton = interp->baton;

    if (interp->step == scenario->postamble && !baton->failed && baton->seam < baton->count)
        return baton->seam;
    if (interp->step == scenario->num_steps || scenario->steps[interp->step].verb == TL_JUMP ||
        scenario->steps[interp->step].verb == TL_REPEAT_END)
        return self(interp);
    return scenario->steps[interp->step].conn;
}

static void give(struct tl_interp *interp, unsigned to)
{
    struct tl_baton *baton = interp->baton;
    struct tl_interp *next = baton->players[to];

    if (next == NULL) {
        tl_baton_drop(baton);
        return;
    }
    next->step = interp->step;
    next->start_ns = time_for(next, interp, interp->start_ns);
    next->start_late_ns = time_for(next, interp, interp->start_late_ns);
    next->anchor = anchor_for(next, interp);
    memcpy(next->loops, interp->loops, sizeof next->loops);
    baton->holder = to;
    baton->wake(baton->ctx, to);
}

bool tl_baton_mine(struct tl_interp *interp)
{
    struct tl_baton *baton = interp->baton;

    if (!baton->over && baton->holder == self(interp)) {
        unsigned next = owner(interp);

        if (next == self(interp))
            return true;
        give(interp, next);
    }
    if (baton->over)
        tl_interp_end(interp);
    return false;
}

bool tl_baton_past_seam(struct tl_interp *interp)
{
    struct tl_baton *baton = interp->baton;

    if (interp->begun || interp->state != TL_INTERP_RUNNING || baton->failed ||
        interp->step != interp->scenario->postamble || baton->seam != self(interp))
        return false;
    baton->seam++;
    return true;
}

uint64_t tl_baton_patience(const struct tl_interp *interp)
{
    return tl_session_now(interp->session) + PATIENCE_NS;
}
