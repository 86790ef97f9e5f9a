/* SPDX-License-Identifier: Apache-2.0
 * t7_t2_not_before_arrival.c - rule T7: the t2 of an ACK or NACK is no older than a packet that
 * the same ACK or NACK acknowledges. The rule needs neither t1 nor delays of the path. Each t2
 * lies before the departure of its packet, so it shows how late the SUT's clock may be at
 * least; and a packet arrives after it was sent. */
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t7 = {
    .id = "T7",
    .title = "t2 is no older than what its packet acknowledges",
    .requirements = FAL_IDS("FTP-7.7.1-10", "FTP-9.1.7-06"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc = "Violated by an ACK or NACK that acknowledges a packet which was sent so long after "
           "an older ACK was observed that its t2 had to be later by more. The time between is "
           "measured with the observer's clock, less the drift of two clocks and the pipeline "
           "allowance.",
};

/* What two clocks may differ by, of the time that they measure. */
#define DRIFT(ns) ((ns) / 5000)
/* Beyond this a difference of t2 may have wrapped. */
#define SPAN_MAX (200 * FAL_S)
/* What happens in one moment of virtual time has times that differ by a nanosecond for each
 * event, and the receiver's clock may not see the difference. */
#define MOMENT_NS (10 * FAL_US)

struct state {
    bool started, any;
    uint64_t start_ns; /* of the first packet; times below count from it */
    /* The highest t2 less the time at which its packet was observed. */
    uint32_t offset;
    struct fal_at by;
};

/* Units of t2 between the start and a time. */
static uint32_t units(const struct state *state, uint64_t t_ns)
{
    return (uint32_t)((int64_t)(t_ns - state->start_ns) * 1000 >> FAL_T1_SHIFT);
}

static uint64_t margin_ns(const struct fal_ctx *c, const struct state *state,
                          const struct fal_seen *q)
{
    uint64_t age_ns =
        q->at.t_ns > state->by.t_ns ? q->at.t_ns - state->by.t_ns : state->by.t_ns - q->at.t_ns;

    return MOMENT_NS + 2 * fal_pipeline_ns(c) + fal_t2_step_ns(c) +
           2 * (uint64_t)fal_ticks_ns(1) + 2 * c->bench->run.clock_error_ns +
           state->by.error_ns + q->at.error_ns + DRIFT(age_ns);
}

static void broken(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                   uint32_t least)
{
    const struct fal_echo *echo = fal_echo_of(&c->track->echoes[fal_in(c)], q->witness);

    fal_broken(
        c,
        &(struct fal_blame){.requirement = q->falcon->packet_type == FAL_NACK ? "FTP-9.1.7-06"
                                                                              : "FTP-7.7.1-10",
                            .cause = {&state->by, echo != NULL ? &echo->at : NULL},
                            .effect = &q->at,
                            .packet = q->packet},
        "a t2 of at least %u: it acknowledges the packet of event %llu, which was sent at "
        "%llu ns",
        (unsigned)least, (unsigned long long)q->witness, (unsigned long long)q->witness_ns);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    uint32_t offset, least;
    bool stepped = c->bench->stepped;

    if (!state->started) {
        state->started = true;
        state->start_ns = q->at.t_ns;
    }
    if (c->subject == FAL_SUBJECT_TESTER)
        return; /* its clock may stand still while it handles many packets of one moment */
    if (!fal_falcon_is_ack(q->falcon->packet_type) || !q->has_witness ||
        (q->falcon->t1 == 0 && q->falcon->t2 == 0) || /* a SUT without time stamps */
        q->at.t_ns - q->witness_ns > SPAN_MAX || (stepped && q->witness < c->bench->step_index))
        return;
    offset = q->falcon->t2 - units(state, q->at.t_ns);
    if (state->any && stepped && state->by.index < c->bench->step_index)
        state->any = false;
    if (state->any) {
        least = state->offset + units(state, q->witness_ns) -
                (uint32_t)(margin_ns(c, state, q) * 1000 >> FAL_T1_SHIFT);
        if ((int32_t)(q->falcon->t2 - least) < 0) {
            broken(c, state, q, least);
            state->any = false;
            return;
        }
        fal_holds(c);
        if ((int32_t)(offset - state->offset) < 0)
            return;
    }
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
