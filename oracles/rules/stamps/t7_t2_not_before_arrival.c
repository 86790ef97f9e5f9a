/* SPDX-License-Identifier: Apache-2.0
 * t7_t2_not_before_arrival.c - rule T7: the t2 of an ACK or NACK is no older than a packet that
 * the same ACK or NACK acknowledges. The rule needs neither t1 nor delays of the path. Each t2
 * lies before the departure of its packet, so it shows how late the SUT's clock may be at
 * least; and a packet arrives after it was sent. The engine that keeps t2 may know of a packet
 * later than the one that acknowledges it, by the pipeline allowance: then the packet counts
 * only if an older ACK showed it, or if it was sent long before. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t7 = {
    .id = "T7",
    .title = "t2 is no older than what its packet acknowledges",
    .requirements = FAL_IDS("FTP-7.7.1-10", "FTP-7.8-09", "FTP-9.1.6-09", "FTP-9.1.7-06"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc = "Violated by an ACK or NACK that acknowledges a packet which was sent so long after "
           "an older ACK was observed that its t2 had to be later by more. The time between is "
           "measured with the observer's clock, less the drift of two clocks and the pipeline "
           "allowance. If t1 echoes an older packet, t1 and t2 are not the newest ones (9.1.6, "
           "9.1.7); otherwise t2 is not the time of arrival of the packet of t1 (7.7.1, 7.8).",
};

/* Beyond this a difference of t2 may have wrapped. */
#define SPAN_MAX (200 * FAL_S)
/* What happens in one moment of virtual time has times that differ by a nanosecond for each
 * event, and the receiver's clock may not see the difference. */
#define MOMENT_NS (10 * FAL_US)

/* A packet to the SUT that had surely come, as `by` shows. */
struct come {
    bool any;
    struct fal_at at;
    struct fal_point by;
};

struct state {
    bool started, any;
    uint64_t start_ns; /* of the first packet; times below count from it */
    /* The highest t2 less the time at which its packet was observed. */
    uint32_t offset;
    struct fal_at by;
    struct come shown;  /* by an ACK that may be too close to the next one */
    struct come proven; /* by one that was surely older than another ACK */
};

/* Units of t2 between the start and a time. */
static uint32_t units(const struct state *state, uint64_t t_ns)
{
    return (uint32_t)((int64_t)(t_ns - state->start_ns) * 1000 >> FAL_T1_SHIFT);
}

static uint64_t margin_ns(const struct fal_ctx *c, const struct state *state,
                          const struct fal_at *p)
{
    uint64_t age_ns =
        p->t_ns > state->by.t_ns ? p->t_ns - state->by.t_ns : state->by.t_ns - p->t_ns;

    return MOMENT_NS + 2 * fal_pipeline_ns(c) + fal_t2_step_ns(c) +
           2 * (uint64_t)fal_ticks_ns(1) + 2 * c->bench->run.clock_error_ns +
           state->by.error_ns + p->error_ns + fal_drift_ns(age_ns);
}

/* If t1 echoes an older packet, t1 and t2 may belong together, but are not the newest ones. */
static const char *requirement(const struct fal_ctx *c, const struct fal_seen *q,
                               const struct fal_at *p)
{
    bool nack = q->falcon->packet_type == FAL_NACK;
    const struct fal_echo *echo =
        fal_echo_find(&c->track->echoes[fal_in(c)], q->falcon->t1, FAL_T1_SHIFT, NULL, NULL);

    if (echo != NULL && echo->at.index < p->index)
        return nack ? "FTP-9.1.7-06" : "FTP-9.1.6-09";
    return nack ? "FTP-7.8-09" : "FTP-7.7.1-10";
}

static void broken(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                   const struct fal_at *p, uint32_t least)
{
    const struct fal_echo *echo = fal_echo_of(&c->track->echoes[fal_in(c)], p->index);

    fal_broken(c,
               &(struct fal_blame){.requirement = requirement(c, q, p),
                                   .cause = {&state->by, echo != NULL ? &echo->at : NULL},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "a t2 of at least %u: it acknowledges the packet of event %llu, which was sent "
               "at %s",
               (unsigned)least, (unsigned long long)p->index, fal_time_text(p->t_ns).text);
}

/* The packet that q acknowledges, the one that was sent last. */
static struct fal_at witness_of(const struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_echo *echo = fal_echo_of(&c->track->echoes[fal_in(c)], q->witness);

    if (echo != NULL)
        return echo->at;
    return (struct fal_at){
        .index = q->witness, .t_ns = q->witness_ns, .error_ns = q->at.error_ns, .step = -1};
}

/* The last packet of which the engine that keeps t2 surely knew when it made the t2 of q. NULL:
 * none is known. Keeps what q shows for those that follow. */
static const struct fal_at *known_by(struct fal_ctx *c, struct state *state,
                                     const struct fal_seen *q, struct fal_at *own)
{
    struct come *shown = &state->shown, *proven = &state->proven;
    enum fal_excuse why;

    if (fal_surely_noted(c, own, q)) {
        *shown = (struct come){true, *own, *fal_point_of(q)};
        return own;
    }
    if (shown->any && fal_implied_before(c, &shown->by, fal_point_of(q), &why) == FAL_BEFORE) {
        *proven = *shown;
        shown->any = false;
    }
    if (!shown->any)
        *shown = (struct come){true, *own, *fal_point_of(q)};
    return proven->any &&
                   fal_implied_before(c, &proven->by, fal_point_of(q), &why) == FAL_BEFORE
               ? &proven->at
               : NULL;
}

/* Whether something is judged: not a SUT without time stamps, and nothing that is too far
 * apart. */
static bool matters(const struct fal_ctx *c, const struct fal_seen *q)
{
    return fal_falcon_is_ack(q->falcon->packet_type) && q->has_witness &&
           (q->falcon->t1 != 0 || q->falcon->t2 != 0) &&
           q->at.t_ns - q->witness_ns <= SPAN_MAX &&
           !(c->bench->stepped && q->witness < c->bench->step_index);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_at *p;
    struct fal_at own;
    uint32_t offset, least;
    uint64_t slack_ns;

    if (!state->started) {
        state->started = true;
        state->start_ns = q->at.t_ns;
    }
    if (c->subject == FAL_SUBJECT_TESTER)
        return; /* its clock may stand still while it handles many packets of one moment */
    if (!matters(c, q))
        return;
    offset = q->falcon->t2 - units(state, q->at.t_ns);
    if (c->bench->stepped && state->by.index < c->bench->step_index)
        state->any = state->shown.any = state->proven.any = false;
    own = witness_of(c, q);
    p = known_by(c, state, q, &own);
    slack_ns = p != NULL ? margin_ns(c, state, p) : 0;
    if (state->any && p != NULL && slack_ns <= SPAN_MAX &&
        q->at.t_ns - p->t_ns <=
            SPAN_MAX - slack_ns) { /* else the difference may have wrapped */
        least =
            state->offset + units(state, p->t_ns) - (uint32_t)(slack_ns * 1000 >> FAL_T1_SHIFT);
        if ((int32_t)(q->falcon->t2 - least) < 0) {
            broken(c, state, q, p, least);
            state->any = false;
            return;
        }
        fal_holds(c);
    }
    if (state->any && (int32_t)(offset - state->offset) < 0)
        return;
    state->any = true;
    state->offset = offset;
    state->by = q->at;
}

const struct fal_rule_impl fal_rule_t7 = {
    .about = &fal_about_t7,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_ACK,
};
