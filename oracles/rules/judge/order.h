/* SPDX-License-Identifier: Apache-2.0
 * order.h - what the test bench knows about a path, and `<<`: certainly earlier, at the subject
 * (judging.md, section 2). */
#ifndef FAL_ORACLES_RULES_JUDGE_ORDER_H
#define FAL_ORACLES_RULES_JUDGE_ORDER_H

#include "oracles/rules/judge/rule.h"

/* What the run event says of the bench replaces what was known: run and paths. */
void fal_bench_run(struct fal_bench *bench, const struct fal_ev_run *run);

/* Whether the subject may drop a packet as a replay (9.2.2.2): packets to it are sealed, and a
 * packet that is younger by the margin overtook it. The connection has facts. */
bool fal_may_be_replay(const struct fal_ctx *c);

/* The path towards the subject; packets that it may have to drop as replays count as lost. */
static inline struct fal_path fal_path_in(const struct fal_ctx *c)
{
    struct fal_path in = c->bench->paths[c->subject].in;

    if (in.lossless && c->track != NULL && c->track->sealed[fal_in(c)])
        in.lossless = !fal_may_be_replay(c);
    return in;
}

/* The path from the subject. */
static inline struct fal_path fal_path_out(const struct fal_ctx *c)
{
    return c->bench->paths[c->subject].out;
}

/* P: the maximum age of the state that an outgoing packet of the subject shows. */
static inline uint64_t fal_pipeline_ns(const struct fal_ctx *c)
{
    return c->subject == FAL_SUBJECT_SUT ? c->track->setup.params.pipeline_ns : 0;
}

/* The steps in which the clock of the subject may advance. The specification gives time stamps
 * a unit, 131.072 ns (7.7.1, 10.1), and no accuracy: steps of one unit, or of the SUT's tick if
 * that is longer. An IV may be older by this than the departure that it stands for. */
static inline uint64_t fal_clock_step_ns(const struct fal_ctx *c)
{
    uint64_t unit_ns = (uint64_t)fal_ticks_ns(1) + 1;
    uint64_t tick_ns = c->subject == FAL_SUBJECT_SUT ? c->track->setup.params.tick_ns : 0;

    return tick_ns > unit_ns ? tick_ns : unit_ns;
}

/* How much older t2 may be than the arrival that it stands for: it counts whole units. */
static inline uint64_t fal_t2_step_ns(const struct fal_ctx *c)
{
    uint64_t tick_ns = c->subject == FAL_SUBJECT_SUT ? c->track->setup.params.tick_ns : 0;

    return (uint64_t)fal_ticks_ns(1) + tick_ns;
}

/* The packet as `<<` needs it; valid as long as `q`. */
static inline const struct fal_point *fal_point_of(const struct fal_seen *q)
{
    return &q->point;
}

/* What two clocks may differ by, of the time that they measure: the specification gives clocks
 * no accuracy (judging.md, section 18). */
static inline uint64_t fal_drift_ns(uint64_t ns)
{
    return ns / 1000;
}

enum fal_order { FAL_BEFORE, FAL_NOT_BEFORE, FAL_ORDER_UNKNOWN };

/* Whether out-packet a is certainly earlier than b, which was observed later: the state that b
 * shows is younger than what a shows. If unknown, *why names what is missing. A witness in b
 * must be younger than a by the pipeline allowance, as it may be of another lane. */
enum fal_order fal_surely_before(const struct fal_ctx *c, const struct fal_point *a,
                                 const struct fal_point *b, enum fal_excuse *why);

/* The same where both show window w: the fields of one window are a joint snapshot, so a
 * witness of that window need only be younger than a. */
enum fal_order fal_window_before(const struct fal_ctx *c, enum fal_window w,
                                 const struct fal_point *a, const struct fal_point *b,
                                 enum fal_excuse *why);

/* The same where a does not show the fact, but implies it: another lane of the subject may know
 * of it later by the pipeline allowance. */
enum fal_order fal_implied_before(const struct fal_ctx *c, const struct fal_point *a,
                                  const struct fal_point *b, enum fal_excuse *why);

/* fal_implied_before for an event that was read from the subject's upper layer before q was
 * observed: whether q shows a state in which the event had happened. */
enum fal_order fal_event_before(const struct fal_ctx *c, const struct fal_at *event,
                                const struct fal_seen *q, enum fal_excuse *why);

/* Whether nothing but a witness can make any packet or event surely earlier than a packet of
 * the subject: fal_surely_before and fal_event_before are then FAL_BEFORE only if the later
 * packet has a witness that is younger than the earlier one. */
bool fal_only_witness(const struct fal_ctx *c);

/* How far back the witness of a packet proves that events are earlier, where nothing else can
 * (fal_only_witness): the events that were observed before both. More may be needed: the error
 * of its time (fal_event_before, fal_implied_before). */
struct fal_reach {
    uint64_t index, t_ns;
};
struct fal_reach fal_witness_reach(const struct fal_ctx *c, const struct fal_seen *q);

/* Whether an in-packet, and every earlier one, had certainly been processed or was lost before
 * the state that q shows: by declared delays, or because the path keeps order and q
 * acknowledges a packet that is younger by the pipeline allowance. */
bool fal_surely_arrived(const struct fal_ctx *c, const struct fal_at *p,
                        const struct fal_seen *q);

/* Whether the rx bit of x, a number of the data window that the subject had received at
 * `since`, may be 0 again without a violation: a push that got a NACK with code 1 or 2
 * (AMB-65). The NACK may be seen, lost or still in flight. `gap_index`: the last mark that
 * packets of the subject went unseen, 0: none. *why then says which. */
bool fal_rx_may_go(const struct fal_ctx *c, int64_t x, uint64_t since, uint64_t gap_index,
                   enum fal_excuse *why);

/* Whether any engine of the subject surely knew of p, a packet that q proves to have arrived,
 * when it made what q shows. The engine of another fact may know of p by the pipeline allowance
 * after its arrival, and q may show a state as old. */
bool fal_surely_noted(const struct fal_ctx *c, const struct fal_at *p,
                      const struct fal_seen *q);

/* Whether every packet that left the subject before `at` has been observed or lost, so that a
 * decision that waited for it can be made. */
bool fal_out_settled(const struct fal_ctx *c, const struct fal_at *at);

/* `cm` of a rule whose state begins with its only bag, a list of what the SUT still has to do:
 * a connection that has ended has to do nothing (chapter 11). */
void fal_forget_when_dead(struct fal_ctx *c, const struct fal_event *event);

/* Whether a mark says that packets of that direction went unseen. */
bool fal_marks_gap(const struct fal_event *event, enum fal_dir dir);

/* Whether a `cm` event says that the connection failed: from then on it drops every packet.
 * Every other cm event reports one dropped packet. */
bool fal_connection_failed(const struct fal_event *event);

/* Whether the subject, as a transmitter, may discard the ACK or NACK p as stale (9.2.3, 9.2.4):
 * one of its bases is older than a base that was sent to the subject, or may have been sent
 * unseen; bits of an EACK move the base, too (9.1.1, AMB-76). */
bool fal_may_be_stale(const struct fal_ctx *c, const struct fal_seen *p);

/* Within which time after each other two packets may be observed on their way to the SUT if its
 * engines may process them in either order: its pipeline allowance, and what the path changes.
 * 0: it has no such engines; FAL_NEVER: unknown. */
uint64_t fal_lanes_within_ns(const struct fal_bench *bench, const struct fal_connection *setup);
/* Whether the SUT may process p before an ACK or NACK that was observed before p: another
 * engine processes p, or the path does not keep order. The SUT may discard the older one then,
 * as p has a higher base. False if the subject is the tester. */
bool fal_may_overtake(const struct fal_ctx *c, const struct fal_at *older,
                      const int64_t base[2], const struct fal_seen *p);

/* The base of w, a window of the subject as transmitter, that it surely has: from packets that
 * it discards under no order in which its engines may process them. INT64_MIN: none. */
int64_t fal_taken(const struct fal_ctx *c, enum fal_window w);

/* The least time after which the subject may give up a transaction (11). */
uint64_t fal_least_transaction_ns(const struct fal_ctx *c);
/* Whether a transaction that began at `first_ns` may have timed out by `at_ns`. True when the
 * timeout is unknown. */
bool fal_may_time_out(const struct fal_ctx *c, uint64_t first_ns, uint64_t at_ns);
/* Whether the first copy of a request of the peer was seen, so that no earlier copy exists. */
bool fal_first_seen(const struct fal_ctx *c, const struct fal_request *r);
/* Whether the subject, as a target, may have given up the transaction of a request by `at_ns`:
 * its state is soft (6.4) and is kept for the transaction timeout. True when the request is
 * NULL, or its first copy was not seen. */
bool fal_may_be_reclaimed(const struct fal_ctx *c, const struct fal_request *r, uint64_t at_ns);

/* The longest time that a packet takes towards the subject and back, including the error of the
 * clocks. False: no delay was declared. */
static inline bool fal_round_ns(const struct fal_ctx *c, uint64_t *in_ns, uint64_t *out_ns)
{
    const struct fal_paths *paths = &c->bench->paths[c->subject];

    if (!paths->round_known)
        return false;
    *in_ns = paths->in_ns;
    *out_ns = paths->out_ns;
    return true;
}

#endif
