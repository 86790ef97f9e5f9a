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
    TL_STEPS_PLAYED_MAX = 2000000,
};

/* On a live link: what has no time of its own comes soon; what comes so long after its deadline
 * is only late. */
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
    uint64_t packet; /* number of the packet that shows it, or UINT64_MAX */
    char expected[TL_SAY_LEN], seen[TL_SAY_LEN], why[FAL_SAY_MAX + 100];
};

enum tl_interp_state { TL_INTERP_RUNNING, TL_INTERP_DONE, TL_INTERP_MISSED };

/* When what an expectation of a group waits for may come. */
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

struct tl_interp {
    struct tl_session *session;
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
    uint8_t *rewritten; /* bytes of a packet that a rule has rewritten */
    struct tl_flow flows[TL_STREAMS_MAX];
    bool flowing;
    unsigned unseen; /* steps about upper-layer events of the SUT that nobody can observe */
    struct fal_error why; /* why an expression has no value */
    uint64_t start_ns;
    struct tl_anchor anchor;
    uint64_t next_packet, next_event[2]; /* by side: what expectations have taken lies before */
    /* Of the step that is being played: */
    uint64_t earliest_ns, deadline_ns, wake_ns, scanned;
    unsigned drained;

    struct tl_var vars[TL_VARS_MAX];
    struct tl_scope scope;
};

/* Whether the SUT's end is what the scenario needs; else the case is inconclusive. */
bool tl_interp_as_wished(struct tl_interp *interp);

/* Begins: the session is open. */
void tl_interp_init(struct tl_interp *interp, struct tl_session *session,
                    const struct tl_scenario *scenario);

/* Frees what it holds. */
void tl_interp_clear(struct tl_interp *interp);

/* Plays on. `idle`: the time that the last call returned has come, and nothing that happened
 * before it is left unread. Returns until when there is nothing to do; look at ->state. */
uint64_t tl_interp_advance(struct tl_interp *interp, bool idle);

/* The players of the verbs, in interp_*.c. True when the step is done or missed, false when it
 * waits until ->wake_ns. `fresh`: it has just begun. */
bool tl_play_send(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_expect(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                    bool idle);
bool tl_play_expect_none(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle);
bool tl_play_ulp(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_expect_ulp(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                        bool idle);
bool tl_play_expect_no_event(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                             bool idle);
bool tl_play_any_order(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                       bool idle);
bool tl_play_alt(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_if(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_repeat(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_measure(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_await(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_until_quiet(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle);
void tl_play_on(struct tl_interp *interp, const struct tl_step *step);
void tl_play_off(struct tl_interp *interp, const struct tl_step *step);
void tl_play_release(struct tl_interp *interp, const struct tl_step *step);
/* One step of any kind. */
bool tl_play_step(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);

/* ---- beside the steps ---- */

/* Before anything is sent: rules, faults of the network, traffic. */
void tl_reactions_begin(struct tl_interp *interp);
/* Plays the steps of rules that were triggered. */
void tl_reactions_play(struct tl_interp *interp);
void tl_streams_begin(struct tl_interp *interp);
/* Posts what is due; when the next is due (FAL_NEVER: when something else has happened). */
uint64_t tl_streams_run(struct tl_interp *interp);
bool tl_streams_done(const struct tl_interp *interp);
/* The case cannot end before its traffic: true when it has, or is missed. */
bool tl_streams_end(struct tl_interp *interp, bool idle, uint64_t *wake_ns);
void tl_interp_act(struct tl_interp *interp, enum tl_side side, const struct tl_act *act);

/* Sends the policy that the scenario begins with. */
void tl_interp_policy(struct tl_interp *interp);

/* ---- between the players ---- */

/* A duration of the scenario; false, and the session broken, when it cannot be computed. */
bool tl_interp_duration(struct tl_interp *interp, const struct fal_duration *duration,
                        uint64_t *ns);
/* earliest_ns and deadline_ns of an expectation. */
bool tl_interp_window(struct tl_interp *interp, const struct tl_step *step);
/* The step happened between these times; what came after it begins here. */
void tl_interp_moment(struct tl_interp *interp, uint64_t early_ns, uint64_t late_ns,
                      uint64_t packet);
/* The step is met by what was seen at t_ns; the anchor's numbers stay. */
void tl_interp_matched(struct tl_interp *interp, uint64_t t_ns);
/* What 0r means in RSNs of requests (as_target) or completions at that side: they count from
 * the first transaction of their initiator. */
uint32_t tl_interp_rsn_base(const struct tl_interp *interp, enum tl_side side, bool as_target);
/* Binds a variable. */
void tl_interp_bind(struct tl_interp *interp, const char *name, fal_u128 value,
                    enum tl_expr_type type);
/* What `let` does. */
void tl_interp_assign(struct tl_interp *interp, const struct tl_assignment *list, size_t count);
/* The one number of a value; false, and the session broken, when it has none. */
bool tl_interp_number(struct tl_interp *interp, const struct tl_value *value, uint64_t *out);
/* Whether this packet fits this pattern: 1, 0, or -1 and the session broken. `take` binds what
 * it captures; `why` (may be NULL) gets the first difference. */
int tl_interp_fits(struct tl_interp *interp, const struct fal_pattern *pattern,
                   const struct tl_seen_packet *packet, bool take, struct fal_error *why);
int tl_interp_event_fits(struct tl_interp *interp, const struct tl_event_pattern *pattern,
                         const struct tl_seen_event *seen, bool take, char *why, size_t cap);
/* The first packet or event from `from` on that an expectation could take, not before earliest
 * and not behind deadline (FAL_NEVER: whenever); UINT64_MAX: none yet. */
uint64_t tl_find_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                        uint64_t earliest_ns, uint64_t deadline_ns);
uint64_t tl_find_event(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                       uint64_t earliest_ns, uint64_t deadline_ns);
/* Takes it: binds, complains when it came at the wrong time, moves on. */
void tl_take_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t number);
void tl_take_event(struct tl_interp *interp, const struct tl_step *step, uint64_t number);
/* The packet or event that came nearest, for a step that is missed. */
void tl_nearest_packet(struct tl_interp *interp, const struct tl_step *step,
                       struct tl_miss *miss);
void tl_nearest_event(struct tl_interp *interp, const struct tl_step *step,
                      struct tl_miss *miss);
/* The step is missed; fill in the rest. A fail that the tester's own lateness (since since_ns)
 * may have caused becomes inconclusive. */
struct tl_miss *tl_interp_missed(struct tl_interp *interp, enum fal_verdict verdict,
                                 enum tl_reason reason, uint64_t since_ns);
/* The scenario cannot be played so: the session is broken. */
void tl_interp_unplayable(struct tl_interp *interp, const char *why);
uint64_t tl_interp_turnaround(const struct tl_interp *interp);

#endif
