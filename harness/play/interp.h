/* SPDX-License-Identifier: Apache-2.0
 * interp.h - plays a scenario's steps on a session. tl_interp_advance does what can be done now
 * and says until when there is nothing to do; who owns the loop pumps the session and comes
 * back. (It waits itself for one thing only: the SUT's answer to a command, which it must give
 * in time.) What was seen lies in the session's logs, so a step finds what came before it
 * began.
 *
 * A step's times count from the one before: from its moment for whatever was sent, commanded or
 * matched. On a live link that moment is not a point (an arrival says only that the packet left
 * before), so an anchor has an early and a late end: lower limits count from the early,
 * deadlines from the late. */
#ifndef TL_HARNESS_PLAY_INTERP_H
#define TL_HARNESS_PLAY_INTERP_H

#include "harness/session/session.h"

enum {
    TL_SAY_LEN = 1200,
    TL_REACTIONS_MAX = 64,
    TL_TRIGGERED_MAX = 256, /* at a time */
    TL_ABSENT_MAX = 8,
    TL_STEPS_PLAYED_MAX = 2000000,
};

/* On a live link: an event without a time of its own is expected within TL_SOON_NS; an event
 * that comes up to TL_GRACE_NS after its deadline is late rather than missing. */
#define TL_SOON_NS  (50 * FAL_MS)
#define TL_GRACE_NS (250 * FAL_MS)

struct tl_anchor {
    uint64_t early_ns, late_ns;
    uint64_t packet;   /* number in the log: packets from here on may come of it */
    uint64_t since_ns; /* and not those that were stamped before */
    uint64_t from_ns;  /* where periods in which nothing may come begin */
};

/* Why the steps ended before their end. */
struct tl_miss {
    enum fal_verdict verdict;
    bool needs_lossless; /* FAIL only if nothing was lost; else inconclusive for `loss` */
    enum tl_reason reason, loss;
    size_t step;
    uint64_t t_ns;
    uint64_t packet;  /* number of the packet that shows it, or UINT64_MAX */
    bool other_type;  /* that packet is of another type than the one that was due */
    bool after_pause; /* the steps had been stopped before */
    char expected[TL_SAY_LEN], seen[TL_SAY_LEN], why[FAL_SAY_MAX + 100];
};

enum tl_interp_state { TL_INTERP_RUNNING, TL_INTERP_DONE, TL_INTERP_MISSED };

/* The time in which an expectation of a group may be met. */
struct tl_window {
    uint64_t earliest_ns, deadline_ns;
    bool done;
};

/* A rule of `on` that holds. */
struct tl_active {
    const struct tl_reaction *rule;
    bool off;
    uint64_t seen, acted, events; /* events: number of the next event to look at */
};

/* A stream of generated traffic, on its way. */
struct tl_flow {
    struct fal_rng rng;
    uint64_t count, outstanding_max, pulls_ppb;
    uint64_t posted, completed, next_ns, deadline_ns, events;
    uint64_t think_from_ns, think_to_ns, tag;
};

struct tl_baton; /* baton.h */

/* The events that a measure has counted. An event that was logged stays as it is, so those
 * before `next` need not be compared again. */
struct tl_counted {
    const struct tl_measure *of; /* or NULL */
    uint64_t since_ns, first, next, fits;
};

/* The names that a scenario gives to objects of the verbs of either side, and their handles.
 * The tester has an upper layer for each connection. */
enum { TL_OBJECTS_MAX = 64 };
struct tl_object {
    char name[FAL_VERBS_NAME_MAX], handle[FAL_VERBS_NAME_MAX];
    bool tester;             /* whose it is */
    char conn[FAL_NAME_MAX]; /* on which the step that made it was played */
};
struct tl_objects {
    size_t n;
    struct tl_object list[TL_OBJECTS_MAX];
};

/* The handle, or NULL. `objects` may be NULL: there are none. */
const char *tl_objects_find(const struct tl_objects *objects, const char *name);

struct tl_interp;

/* Somebody who may stop the steps (interp_stop.c). */
struct tl_stops {
    /* Asked before each step that the file has, and once after the last one (interp->step is
     * then num_steps). Returns whether the steps may go on. False: on a live link the caller
     * comes back soon. It calls tl_interp_pause before it first returns false, and
     * tl_interp_resume before it then returns true. It may break the session, to end the
     * case. */
    bool (*may_begin)(void *ctx, struct tl_interp *interp);
    void *ctx;
};

struct tl_interp {
    struct tl_session *session;
    const struct tl_stops *stops; /* NULL: nobody stops the steps; borrowed */
    struct tl_baton *baton; /* of several connections that play the steps together; or NULL */
    const struct tl_scenario *scenario;
    enum tl_interp_state state;
    struct tl_miss miss;

    size_t step, next; /* the next step; the players of jumps change it */
    uint64_t played;
    bool begun, failed;        /* failed: the postamble is being played, `miss` stays */
    struct tl_anchor *moments; /* of the steps that have names, by index; or NULL */
    struct tl_window group[TL_BRANCHES_MAX];
    uint64_t taken[TL_BRANCHES_MAX]; /* packets, by any_order */
    size_t num_taken;
    uint64_t from[3]; /* where it began to look: packets, events of either side */
    struct {
        uint64_t count, index;
    } loops[TL_LOOPS_MAX];
    struct tl_active active[TL_REACTIONS_MAX];
    size_t num_active;
    size_t triggered[TL_TRIGGERED_MAX]; /* whose steps are to be played */
    size_t num_triggered;
    bool reacting;
    struct tl_objects *objects; /* or NULL */
    uint8_t *rewritten;         /* bytes of a packet that a rule has rewritten */
    struct tl_flow flows[TL_STREAMS_MAX];
    bool flowing;
    struct {
        bool any;
        size_t step;
        uint64_t t_ns, by_ns; /* by_ns: later than the learned turnaround allows */
        uint64_t packet;      /* or UINT64_MAX */
    } slow;                   /* the first step that only an undeclared turnaround explains */
    struct {
        size_t step;
        uint64_t t_ns,
            until_ns;        /* the end of its period; the scenario's next act, or FAL_NEVER */
    } absent[TL_ABSENT_MAX]; /* the last steps that were met because nothing came; */
    size_t num_absent;       /* of all of them, the k-th is at k % TL_ABSENT_MAX */
    /* Gets the time from its cause to each packet that a step takes; or NULL. */
    void (*answered)(void *ctx, uint64_t ns);
    void *answered_ctx;
    unsigned unseen; /* steps about upper-layer events of the SUT that cannot be observed; */
    const struct tl_event_pattern *unseen_first; /* the event of the first of them */
    /* The parameters whose variables were read, as bits of enum fal_param_at; `reads` points
     * there. */
    uint64_t read_params, *reads;
    bool took_copy; /* a step took a copy that a shorter RTO than the wished one explains */
    struct fal_error why;             /* why an expression has no value */
    uint64_t start_ns, start_late_ns; /* late: without the stops of the steps since then */
    struct tl_anchor anchor;
    uint64_t next_packet,
        next_event[2]; /* by side: expectations have taken everything before it */
    /* Of the step that is being played: */
    uint64_t earliest_ns, deadline_ns, wake_ns, scanned;
    unsigned drained;
    struct tl_counted counted;

    struct tl_scope scope;
    /* The last member, which is not cleared: scope.num_vars of them are there. */
    struct tl_var vars[TL_VARS_MAX];
};

/* Whether the SUT's end is what the scenario needs; else the case is inconclusive. */
bool tl_interp_as_wished(struct tl_interp *interp);

/* Whether a parameter of the SUT that differs from the wish (session->unlike) may have changed
 * what happened until t_ns. */
bool tl_interp_unlike(struct tl_interp *interp, uint64_t t_ns);

/* Whether a step was met by a copy that the SUT sent after its RTO, which is shorter than the
 * case wished, though no step of the case speaks of the RTO: then the step proves nothing. */
bool tl_interp_rto_intervened(const struct tl_interp *interp);

/* One that has not begun: it can only begin, or be cleared. NULL when out of memory; the caller
 * clears it, and frees it with free(). */
struct tl_interp *tl_interp_new(void);

/* Begins: the session is open. */
void tl_interp_init(struct tl_interp *interp, struct tl_session *session,
                    const struct tl_scenario *scenario);

/* Frees what it holds. */
void tl_interp_clear(struct tl_interp *interp);

/* "@8us request rsn=0r op=push length=64": an event of either side, in one line. */
void tl_interp_print_event(const struct tl_interp *interp, const struct tl_seen_event *seen,
                           char *out, size_t cap);

/* The steps stop before the next one, and go on. On a live link the wall clock runs meanwhile:
 * whatever the scenario counts from an earlier moment is due so much later, and may still be
 * as early. Both do it for all connections that play the steps together. */
void tl_interp_pause(struct tl_interp *interp);
void tl_interp_resume(struct tl_interp *interp);

/* Continues to play. `idle`: the time that the last call returned has come, and every earlier
 * event has been read. Returns until when there is nothing to do; the caller looks at ->state.
 */
uint64_t tl_interp_advance(struct tl_interp *interp, bool idle);

#endif
