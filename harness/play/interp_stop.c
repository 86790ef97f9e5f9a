/* SPDX-License-Identifier: Apache-2.0
 * interp_stop.c - stops of the steps, at which a person looks at the case. In virtual time
 * nothing happens during a stop. On a live link the session goes on: the endpoint of the tester
 * and the rules of `on` answer the SUT, and only the steps wait. */
#include "harness/play/baton.h"
#include "harness/play/players.h"

/* How soon to ask again, so that a person does not notice it. */
#define HELD_NS (10 * FAL_MS)

/* Whether a step of the file begins, or all of them are over. The connections that play the
 * steps together pass the end of the body one by one. */
static bool is_step(const struct tl_interp *interp)
{
    const struct tl_scenario *scenario = interp->scenario;
    const struct tl_baton *baton = interp->baton;

    if (baton != NULL && !baton->failed && interp->step == scenario->postamble &&
        baton->seam < baton->count)
        return false;
    return interp->step == scenario->num_steps ||
           (scenario->steps[interp->step].verb != TL_JUMP &&
            scenario->steps[interp->step].verb != TL_REPEAT_END);
}

bool tl_interp_may_begin(struct tl_interp *interp, uint64_t *again_ns)
{
    if (interp->state != TL_INTERP_RUNNING || !is_step(interp))
        return true;
    *again_ns = tl_session_now(interp->session) + HELD_NS;
    return interp->stops->may_begin(interp->stops->ctx, interp) &&
           interp->session->broken.reason == TL_REASON_NONE;
}

/* What counts from an earlier moment is due so much later. */
static void postpone(struct tl_interp *interp, uint64_t ns)
{
    interp->start_late_ns += ns;
    interp->anchor.late_ns += ns;
    for (size_t i = 0; interp->moments != NULL && i < interp->scenario->num_steps; i++)
        interp->moments[i].late_ns += ns;
    for (size_t i = 0; i < interp->scenario->num_streams; i++)
        if (interp->flows[i].deadline_ns < FAL_NEVER - ns)
            interp->flows[i].deadline_ns += ns;
}

/* The i-th of the connections that play the steps together; NULL: it has left. */
static struct tl_interp *player(struct tl_interp *interp, unsigned i)
{
    return interp->baton != NULL ? interp->baton->players[i] : interp;
}

static unsigned players(const struct tl_interp *interp)
{
    return interp->baton != NULL ? interp->baton->count : 1;
}

void tl_interp_pause(struct tl_interp *interp)
{
    for (unsigned i = 0; i < players(interp); i++)
        if (player(interp, i) != NULL)
            tl_session_pause(player(interp, i)->session, (int32_t)interp->step);
}

void tl_interp_resume(struct tl_interp *interp)
{
    for (unsigned i = 0; i < players(interp); i++)
        if (player(interp, i) != NULL)
            postpone(player(interp, i), tl_session_resume(player(interp, i)->session));
}
