/* SPDX-License-Identifier: Apache-2.0
 * t2_echo_of_newest_packet.c - rule T2: t1 echoes the most recent packet. It must not echo a
 * packet that provably arrived before another one, if an older packet of the SUT shows that the
 * other had arrived too. Only new reliable packets count as the other, so that it does not
 * matter which packets set t1 (AMB-61). */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_t2 = {
    .id = "T2",
    .title = "t1 echoes the most recently received packet",
    .requirements = FAL_IDS("FTP-9.1.6-09", "FTP-9.1.7-06", "FTP-10.1-10"),
    .role = "receiver",
    .needs = "wire, IV",
    .assumes = "",
    .doc =
        "Violated by the t1 of one packet when another was sent later, provably arrived "
        "later, and had arrived by then, as an older acknowledgement of the SUT shows. The "
        "order of arrival is known where the path keeps order, or where the packets were sent "
        "further apart than the jitter.",
};

enum { KNOWN_MAX = 6 };

/* A packet that had surely come, as `by` shows. */
struct known {
    uint64_t index, t_ns;
    struct fal_at at;
    struct fal_point by;
};

struct state {
    struct known list[KNOWN_MAX]; /* later packets last */
    unsigned num;
};

/* In which order two in-packets came, the first of them sent earlier. Of two that came within
 * the pipeline allowance, any lane of the subject may have been the first. */
static bool surely_came_first(const struct fal_ctx *c, const struct fal_echo *p,
                              const struct known *later, enum fal_excuse *why)
{
    const struct fal_ev_run *run = &c->bench->run;
    struct fal_path in = fal_path_in(c);
    uint64_t margin, pipeline = fal_pipeline_ns(c);
    bool ordered = in.in_order && in.no_duplicates;

    if (ordered && pipeline == 0)
        return true;
    *why = ordered       ? FAL_EXCUSE_PIPELINE
           : in.in_order ? FAL_EXCUSE_IN_DUP
                         : FAL_EXCUSE_IN_REORDER;
    if (!in.jitter_known || (c->bench->stepped && p->at.index < c->bench->step_index))
        return false;
    margin =
        in.jitter_ns + pipeline + 2 * run->clock_error_ns + p->at.error_ns + later->at.error_ns;
    return later->t_ns > p->at.t_ns && later->t_ns - p->at.t_ns > margin;
}

static void broken(struct fal_ctx *c, const struct fal_seen *q, const struct fal_echo *p,
                   const struct known *later)
{
    fal_broken(
        c,
        &(struct fal_blame){.requirement = q->falcon->packet_type == FAL_NACK ? "FTP-9.1.7-06"
                                                                              : "FTP-10.1-10",
                            .cause = {&p->at, &later->at, &later->by.at},
                            .effect = &q->at,
                            .packet = q->packet},
        "as t1 the time of the packet of event %llu or a later one, which had arrived by "
        "then; it is the time of event %llu",
        (unsigned long long)later->index, (unsigned long long)p->at.index);
}

static void judge(struct fal_ctx *c, const struct state *state, const struct fal_seen *q,
                  const struct fal_echo *p)
{
    const struct fal_point *point = fal_point_of(q);
    enum fal_excuse why = FAL_EXCUSE_OUT_REORDER;
    bool held = false, excused = false;

    for (unsigned i = 0; i < state->num; i++) {
        const struct known *later = &state->list[i];
        bool own = later->by.at.index == q->at.index;

        if (own ? !fal_surely_noted(c, &later->at, q)
                : fal_implied_before(c, &later->by, point, &why) != FAL_BEFORE)
            continue;
        if (p->at.index >= later->index) {
            held = true;
        } else if (surely_came_first(c, p, later, &why)) {
            broken(c, q, p, later);
            return;
        } else {
            excused = true;
        }
    }
    if (excused)
        fal_excused(c, why);
    else if (held)
        fal_holds(c);
}

/* What q itself shows to have come. */
static void learn(struct fal_ctx *c, struct state *state, const struct fal_seen *q)
{
    const struct fal_echo *echo =
        q->has_witness ? fal_echo_of(&c->track->echoes[fal_in(c)], q->witness) : NULL;

    if (echo == NULL || (state->num > 0 && state->list[state->num - 1].index >= echo->at.index))
        return;
    if (state->num == KNOWN_MAX) {
        state->num--;
        memmove(&state->list[0], &state->list[1], state->num * sizeof state->list[0]);
    }
    state->list[state->num++] = (struct known){
        .index = echo->at.index, .t_ns = echo->at.t_ns, .at = echo->at, .by = *fal_point_of(q)};
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    const struct fal_echo *p;

    if (!c->track->clock[fal_in(c)].started)
        return;
    learn(c, state, q);
    if (!fal_falcon_is_ack(q->falcon->packet_type))
        return;
    p = fal_echo_find(&c->track->echoes[fal_in(c)], q->falcon->t1, FAL_T1_SHIFT, NULL, NULL);
    if (p != NULL)
        judge(c, state, q, p);
}

const struct fal_rule_impl fal_rule_t2 = {
    .about = &fal_about_t2,
    .power = 1,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_CLOCK,
};
