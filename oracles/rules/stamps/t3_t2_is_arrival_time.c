/* SPDX-License-Identifier: Apache-2.0
 * t3_t2_is_arrival_time.c - rule T3: t2 is the time of arrival, by the clock of the SUT's own
 * IVs. Over packets that provably follow each other it does not go back. It is before the IV of
 * the ACK that carries it. The distance of two t2 is that of the packets that they belong to,
 * give or take the jitter of the path. */
#include "codecs/base/time_text.h"
#include "oracles/rules/judge/report.h"

const struct fal_rule fal_about_t3 = {
    .id = "T3",
    .title = "t2 is the time of arrival",
    .requirements =
        FAL_IDS("FTP-7.7.1-10", "FTP-7.7.1-11", "FTP-7.8-09", "FTP-9.1.7-06", "FTP-10.1-02"),
    .role = "receiver",
    .needs = "wire",
    .assumes = "",
    .doc = "Violated by a t2 that decreases over packets that provably follow each other; by a "
           "t2 after the departure of the packet that carries it, once both were seen to use "
           "one clock; and by two t2 whose difference deviates from the distance of their "
           "packets by more than the declared jitter.",
};

/* Beyond this a difference of t2 may have wrapped. */
#define SPAN_MAX (200 * FAL_S)

/* A t2 that was seen. */
struct sample {
    bool any, echoed; /* echoed: its t1 names the packet of `sent` */
    uint32_t t2;
    struct fal_point by;
    struct fal_at sent;
};

struct state {
    struct sample newest;  /* the last one */
    struct sample highest; /* the first that showed the highest t2 */
    bool same_clock;       /* t2 and IV were found to be of one clock */
    bool begun;
    uint64_t begun_ns; /* of the first packet that came here */
};

static const char *requirement(const struct fal_seen *q)
{
    return q->falcon->packet_type == FAL_NACK ? "FTP-9.1.7-06" : "FTP-7.7.1-10";
}

/* Whether a stamp of the connection may lie so many units before `q`. Its packet was sent at
 * `sent` (NULL: not known; then it may have come SPAN_MAX before the first packet from the
 * subject). A stamp stays until another packet replaces it, and the specification does not say
 * how soon one does: t2 may have wrapped since. */
static bool may_lie_back(const struct state *state, const struct fal_seen *q,
                         const struct fal_at *sent, uint32_t units)
{
    uint64_t ns = q->at.t_ns - (sent != NULL ? sent->t_ns : state->begun_ns) +
                  (sent != NULL ? 0 : SPAN_MAX);

    return (uint64_t)fal_ticks_ns(units) <= ns + fal_drift_ns(ns);
}

static bool may_have_wrapped(const struct state *state, const struct fal_seen *q)
{
    const struct sample *old = &state->highest;

    return q->at.t_ns - old->by.at.t_ns > SPAN_MAX ||
           may_lie_back(state, q, old->echoed ? &old->sent : NULL, q->falcon->t2 - old->t2);
}

/* (a) Back over `<<`. */
static bool goes_back(struct fal_ctx *c, const struct state *state, const struct fal_seen *q)
{
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    int32_t step = (int32_t)(q->falcon->t2 - state->highest.t2);

    if (!state->highest.any || step == 0 ||
        fal_surely_before(c, &state->highest.by, point, &why) != FAL_BEFORE)
        return false;
    if (step > 0) {
        fal_holds(c);
        return false;
    }
    if (may_have_wrapped(state, q))
        return false;
    /* Of two packets that came so close together, the first may be processed last. They lie
     * less than a step of the clock closer together than their t2. */
    if (fal_pipeline_ns(c) > 0 &&
        (uint64_t)fal_ticks_ns(-(int64_t)step) < fal_pipeline_ns(c) + fal_t2_step_ns(c)) {
        fal_excused(c, FAL_EXCUSE_PIPELINE);
        return false;
    }
    fal_broken(c,
               &(struct fal_blame){.requirement = requirement(q),
                                   .cause = {&state->highest.by.at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "a t2 of at least %u, which an older packet carried",
               (unsigned)state->highest.t2);
    return true;
}

/* (b) After the departure of the packet that brings it. */
static bool after_departure(struct fal_ctx *c, struct state *state, const struct fal_seen *q,
                            const struct fal_echo *p)
{
    const struct fal_iv_clock *clock = &c->track->clock[fal_out(c)];
    int32_t held = (int32_t)((uint32_t)(q->packet->iv >> FAL_T1_SHIFT) - q->falcon->t2);

    if (!q->packet->has_iv || !clock->verified || clock->refuted)
        return false;
    if (held >= 0 && p != NULL && q->at.t_ns >= p->at.t_ns &&
        (uint64_t)fal_ticks_ns(held) <= q->at.t_ns - p->at.t_ns + FAL_US) {
        state->same_clock = state->same_clock || held > 0;
        fal_holds(c);
        return false;
    }
    if (!state->same_clock || held >= 0 ||
        (uint64_t)fal_ticks_ns(-(int64_t)held) <= fal_t2_step_ns(c) ||
        may_lie_back(state, q, p != NULL ? &p->at : NULL, (uint32_t)held))
        return false;
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-10.1-02",
                                   .cause = {p != NULL ? &p->at : NULL},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "a t2 no later than the departure in the IV, %u",
               (unsigned)(uint32_t)(q->packet->iv >> FAL_T1_SHIFT));
    return true;
}

/* (c) Further apart, or closer, than the packets that came. */
static bool misses_pace(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                        const struct fal_echo *p)
{
    const struct sample *old = &state->newest;
    struct fal_path in = fal_path_in(c);
    uint64_t sent_ns, margin;
    int64_t came_ns, apart;

    if (p == NULL || !old->echoed || old->sent.index >= p->at.index || !in.jitter_known ||
        fal_track_may_miss(c->track, fal_in(c), 0) || /* one with the same t1 */
        !c->track->setup.initial_known ||             /* likewise before the capture began */
        p->at.t_ns < old->sent.t_ns || p->at.t_ns - old->sent.t_ns > SPAN_MAX ||
        (c->bench->stepped && old->sent.index < c->bench->step_index))
        return false;
    sent_ns = p->at.t_ns - old->sent.t_ns;
    came_ns = fal_ticks_ns((int32_t)(q->falcon->t2 - old->t2));
    apart = came_ns - (int64_t)sent_ns;
    margin = in.jitter_ns + 2 * c->bench->run.clock_error_ns + p->at.error_ns +
             old->sent.error_ns + 2 * fal_pipeline_ns(c) + fal_drift_ns(sent_ns) +
             (uint64_t)fal_ticks_ns(1) + fal_t2_step_ns(c);
    if ((uint64_t)(apart < 0 ? -apart : apart) <= margin) {
        fal_holds(c);
        return false;
    }
    fal_broken(c,
               &(struct fal_blame){.requirement = "FTP-7.7.1-11",
                                   .cause = {&old->sent, &p->at, &old->by.at},
                                   .effect = &q->at,
                                   .packet = q->packet},
               "%lld units of t2 between the two packets, which %s correspond to, within %s",
               (long long)sent_ns * 1000 >> FAL_T1_SHIFT, fal_time_text(sent_ns).text,
               fal_time_text(margin).text);
    return true;
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct sample new = {.any = true, .t2 = q->falcon->t2, .by = *fal_point_of(q)};
    const struct fal_echo *p;
    bool alone, broken;

    if (!state->begun) {
        state->begun = true;
        state->begun_ns = q->at.t_ns;
    }
    if (!fal_falcon_is_ack(q->falcon->packet_type) || (new.t2 == 0 && q->falcon->t1 == 0))
        return; /* both are 0 before anything came */
    p = fal_echo_find(&c->track->echoes[fal_in(c)], q->falcon->t1, FAL_T1_SHIFT, NULL, &alone);
    if (!alone)
        p = NULL;
    if (p != NULL) {
        new.echoed = true;
        new.sent = p->at;
    }
    broken = goes_back(c, state, q) || after_departure(c, state, q, p) ||
             misses_pace(c, state, q, p);
    if (broken)
        *state = (struct state){
            .same_clock = state->same_clock, .begun = true, .begun_ns = state->begun_ns};
    if (!state->highest.any || (int32_t)(new.t2 - state->highest.t2) > 0)
        state->highest = new;
    if (new.echoed)
        state->newest = new;
}

const struct fal_rule_impl fal_rule_t3 = {
    .about = &fal_about_t3,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_ACK,
};
