/* SPDX-License-Identifier: Apache-2.0
 * cc_windows.c - compares fcwnd, ncwnd and their markers with the possible forks. */
#include "oracles/rules/cc/cc_judging.h"

#include <string.h>

static struct fal_cc_span span_of_arc(struct fal_arc arc)
{
    return (struct fal_cc_span){arc.from, (double)arc.from + arc.len};
}

static bool fabric_fits(struct fal_band_judging *j, const struct fal_band_outcomes *outcomes,
                        struct fal_cc_span *real)
{
    uint32_t marker = j->result->fabric_window_time_marker;
    bool fits = false;

    for (unsigned i = 0; i < outcomes->n; i++) {
        const struct fal_band_outcome *o = &outcomes->at[i];

        if (!fal_span_has(o->value, j->fcwnd)) {
            fal_band_offer(j, FAL_BAND_FABRIC, 0,
                           fal_band_breach_of(FAL_BAND_FCWND, o->of_value, o->value, j->fcwnd));
        } else if (!fal_arc_has(o->marker, marker)) {
            fal_band_offer(j, FAL_BAND_FABRIC, 1,
                           fal_band_breach_of(FAL_BAND_FABRIC_MARKER, o->of_marker,
                                              span_of_arc(o->marker), marker));
        } else {
            fits = true;
            fal_band_allow(j, FAL_BAND_FCWND, o->value);
            *real = fal_span_hull(*real, o->real);
        }
    }
    return fits;
}

/* The answers about one target: 0 none yet, 1 fits, 2 does not. The axes that this type of
 * event does not use change nothing. */
struct answers {
    const struct fal_band_target *target; /* NULL: of a retransmission, which has none */
    uint8_t of[FAL_BAND_F];
};

static bool fabric_allows(struct fal_band_judging *j, unsigned f, struct answers *known,
                          struct fal_cc_span *real)
{
    struct fal_band_outcomes outcomes;
    struct fal_band_fork fork;

    f = j->view.retransmit ? f & ~1U : f & 1; /* COUNTING is the first axis */
    if (known->of[f] != 0)
        return known->of[f] == 1;
    outcomes.n = 0;
    fal_band_choose(&fork, FAL_BAND_FABRIC, f);
    if (j->view.retransmit)
        fal_band_fabric_retransmit(&j->view, &fork, &outcomes);
    else
        fal_band_fabric(&j->view, &fork, known->target, &outcomes);
    known->of[f] = fabric_fits(j, &outcomes, real) ? 1 : 2;
    return known->of[f] == 1;
}

static bool same_span(struct fal_cc_span a, struct fal_cc_span b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* The answers about an equal target, if there are some. */
static struct answers *answers_about(struct answers *known, unsigned *n,
                                     const struct fal_band_target *target)
{
    for (unsigned i = 0; i < *n; i++) {
        const struct fal_band_target *other = known[i].target;

        if (other == target ||
            (other != NULL && target != NULL && same_span(other->delay, target->delay) &&
             same_span(other->flow, target->flow) && same_span(other->hops, target->hops)))
            return &known[i];
    }
    memset(known[*n].of, 0, sizeof known[*n].of);
    known[*n].target = target;
    return &known[(*n)++];
}

void fal_band_judge_fabric(struct fal_band_judging *j, unsigned s, unsigned r)
{
    struct answers known[FAL_BAND_T], *about;
    struct fal_cc_span real = {INFINITY, -INFINITY};
    unsigned n = 0;

    for (unsigned t = 0; t < FAL_BAND_T; t++) {
        uint16_t *left = &j->after.fabric[s][r][t];
        unsigned was = *left;

        if (was == 0)
            continue;
        about = answers_about(
            known, &n,
            j->view.retransmit ? NULL : fal_band_targets_at(&j->targets, &j->view, t));
        j->may_fall |= about->target == NULL || fal_band_may_fall(&j->view, about->target);
        for (unsigned f = 0; was >> f != 0; f++)
            if ((was >> f & 1) != 0 && !fabric_allows(j, f, about, &real))
                *left &= (uint16_t) ~(1U << f);
        j->changed |= *left != was;
    }
    j->real[s][r] = real;
}

/* How many of the fields of an outcome agree with the result, in the order of the report. */
static int nic_agrees(const struct fal_band_outcome *o, const struct fal_cc_result *result)
{
    if (!fal_span_has(o->value, result->ncwnd))
        return 0;
    if (!fal_arc_has(o->marker, result->nic_window_time_marker))
        return 1;
    return (o->directions >> result->ncwnd_direction & 1) == 0 ? 2 : 3;
}

static bool nic_fits(struct fal_band_judging *j, const struct fal_band_outcomes *outcomes)
{
    const struct fal_cc_result *result = j->result;

    for (unsigned i = 0; i < outcomes->n; i++) {
        const struct fal_band_outcome *o = &outcomes->at[i];
        struct fal_band_breach breach;
        int fields = nic_agrees(o, result);

        if (fields == 3) {
            fal_band_allow(j, FAL_BAND_NCWND, o->value);
            return true;
        }
        if (fields == 0)
            breach = fal_band_breach_of(FAL_BAND_NCWND, o->of_value, o->value, result->ncwnd);
        else if (fields == 1)
            breach = fal_band_breach_of(FAL_BAND_NIC_MARKER, o->of_marker,
                                        span_of_arc(o->marker), result->nic_window_time_marker);
        else
            breach = fal_band_breach_of(FAL_BAND_DIRECTION, o->of_direction,
                                        fal_span_of(1 - result->ncwnd_direction),
                                        result->ncwnd_direction);
        fal_band_offer(j, FAL_BAND_NIC, fields, breach);
    }
    return false;
}

void fal_band_judge_nic(struct fal_band_judging *j, unsigned s, unsigned r)
{
    unsigned was = j->after.nic[s][r];
    struct fal_band_outcomes outcomes;
    struct fal_band_fork fork;

    for (unsigned n = 0; was >> n != 0; n++) {
        if ((was >> n & 1) == 0)
            continue;
        outcomes.n = 0;
        fal_band_choose(&fork, FAL_BAND_NIC, n);
        fal_band_nic(&j->view, &fork, &outcomes);
        if (!nic_fits(j, &outcomes))
            j->after.nic[s][r] &= (uint16_t) ~(1U << n);
    }
    j->changed |= j->after.nic[s][r] != was;
}
