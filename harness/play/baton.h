/* SPDX-License-Identifier: Apache-2.0
 * baton.h - the steps of a case with several connections. Each connection has an interpreter,
 * and a stack of its own (mux.h); the one whose step it is holds the baton. It plays its step
 * and gives the baton to the connection of the next one, together with the place in the steps
 * and the time from which that one counts. The others wait; their reactions and their generated
 * traffic go on. One copy runs at a time, so nothing here needs a lock. */
#ifndef TL_HARNESS_PLAY_BATON_H
#define TL_HARNESS_PLAY_BATON_H

#include "harness/play/interp.h"

struct tl_baton {
    unsigned count;  /* of connections */
    unsigned holder; /* whose turn it is */
    bool over;       /* the steps have ended, or a connection cannot go on */
    bool failed;     /* a step was missed: what is left is the postamble */
    unsigned seam;   /* at the end of the body: the connection whose traffic is awaited */
    /* Those that play, by the number of their connection; NULL: it has not begun, or it has
     * ended. */
    struct tl_interp *players[TL_CONNECTIONS_MAX];
    /* Lets a connection that waits go on. */
    void (*wake)(void *ctx, unsigned player);
    void *ctx;
};

/* Joins an interpreter, which has begun, to the others. */
void tl_baton_join(struct tl_baton *baton, struct tl_interp *interp);
/* The connection plays no further step, whatever the reason: the others end, too. `interp` may
 * be one that never joined. */
void tl_baton_leave(struct tl_baton *baton, struct tl_interp *interp);
/* Ends the steps of all connections: none of them plays another step. */
void tl_baton_drop(struct tl_baton *baton);

/* Before a step begins: whether this connection plays it. Else the baton was given to the
 * connection that does, or the steps are over (->state says so). */
bool tl_baton_mine(struct tl_interp *interp);
/* At the end of the body: this connection's traffic has ended. True when another connection's
 * comes next. */
bool tl_baton_past_seam(struct tl_interp *interp);
/* How long a connection waits without being woken. */
uint64_t tl_baton_patience(const struct tl_interp *interp);

/* The others get what this one has bound, and when its step was. */
void tl_baton_bind(struct tl_interp *interp, const char *name, fal_u128 value,
                   enum tl_expr_type type);
void tl_baton_moment(struct tl_interp *interp);

#endif
