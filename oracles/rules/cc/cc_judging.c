/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/cc/cc_judging.h"

#include <string.h>

void fal_band_offer(struct fal_band_judging *j, enum fal_band_group group, int fields,
                    struct fal_band_breach breach)
{
    struct fal_band_closest *closest = &j->closest[group];

    if (fields <= closest->fields)
        return;
    closest->fields = fields;
    closest->breach = breach;
}

struct fal_band_breach fal_band_breach_of(enum fal_band_field field, const char *requirement,
                                          struct fal_cc_span allowed, double seen)
{
    return (struct fal_band_breach){
        .field = field, .requirement = requirement, .allowed = allowed, .seen = seen};
}

static bool is_left(const struct fal_band_judging *j, unsigned s)
{
    return (j->after.smoothing >> s & 1) != 0;
}

static void judge_smoothing(struct fal_band_judging *j)
{
    const struct fal_cc_result *result = j->result;
    struct fal_band_fork fork;

    for (unsigned s = 0; s < FAL_BAND_S; s++) {
        bool rtt, delay;

        if (!is_left(j, s))
            continue;
        fal_band_choose(&fork, FAL_BAND_SMOOTHING, s);
        fal_band_view_smoothing(&j->view, &fork);
        j->rtt[s] = j->view.smoothed_rtt;
        j->delay[s] = j->view.smoothed_delay;
        rtt = fal_span_has(j->rtt[s], result->rtt_state);
        delay = fal_span_has(j->delay[s], result->delay_state);
        if (rtt && delay) {
            fal_band_allow(j, FAL_BAND_RTT_STATE, j->rtt[s]);
            fal_band_allow(j, FAL_BAND_DELAY_STATE, j->delay[s]);
            continue;
        }
        j->after.smoothing &= (uint8_t) ~(1U << s);
        j->changed = true;
        fal_band_offer(j, FAL_BAND_SMOOTHING, rtt ? 1 : 0,
                       rtt ? fal_band_breach_of(FAL_BAND_DELAY_STATE, "FTP-10.3.4-06",
                                                j->delay[s], result->delay_state)
                           : fal_band_breach_of(FAL_BAND_RTT_STATE, "FTP-10.3.4-06", j->rtt[s],
                                                result->rtt_state));
    }
}

/* The gap follows from fcwnd, either as it was computed or as it is stored. */
static void judge_pace(struct fal_band_judging *j, unsigned s, unsigned r)
{
    struct fal_cc_span fcwnd =
        fal_span_hull(j->real[s][r], fal_span_of(j->fcwnd / FAL_CC_FRACTION));
    unsigned was = j->after.pace[s][r];
    struct fal_band_fork fork;

    for (unsigned p = 0; was >> p != 0; p++) {
        struct fal_band_value gap;

        if ((was >> p & 1) == 0)
            continue;
        fal_band_choose(&fork, FAL_BAND_PACE, p);
        gap = fal_band_gap(&j->view, &fork, fcwnd);
        if (fal_span_has(gap.span, j->result->inter_packet_gap)) {
            fal_band_allow(j, FAL_BAND_GAP, gap.span);
            continue;
        }
        j->after.pace[s][r] &= (uint16_t) ~(1U << p);
        j->changed = true;
        fal_band_offer(
            j, FAL_BAND_PACE, 0,
            fal_band_breach_of(FAL_BAND_GAP, gap.of, gap.span, j->result->inter_packet_gap));
    }
}

static void judge_timeout(struct fal_band_judging *j, unsigned s)
{
    unsigned was = j->after.timeout[s];
    struct fal_band_fork fork;

    for (unsigned o = 0; was >> o != 0; o++) {
        struct fal_band_value timeout;

        if ((was >> o & 1) == 0)
            continue;
        fal_band_choose(&fork, FAL_BAND_TIMEOUT, o);
        timeout = fal_band_timeout(&j->view, &fork, j->result->inter_packet_gap);
        if (fal_span_has(timeout.span, j->result->retransmit_timeout)) {
            fal_band_allow(j, FAL_BAND_RTO, timeout.span);
            continue;
        }
        j->after.timeout[s] &= (uint8_t) ~(1U << o);
        j->changed = true;
        fal_band_offer(j, FAL_BAND_TIMEOUT, 0,
                       fal_band_breach_of(FAL_BAND_RTO, timeout.of, timeout.span,
                                          j->result->retransmit_timeout));
    }
}

static bool same_span(struct fal_cc_span a, struct fal_cc_span b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* An earlier smoothing that leaves the same forks and gives the same averages. What the event
 * rules out of it is ruled out of this one. */
static unsigned twin_of(const struct fal_band_judging *j, unsigned s)
{
    const struct fal_band_forks *f = j->before;

    for (unsigned other = 0; other < s; other++)
        if (is_left(j, other) && same_span(j->rtt[other], j->rtt[s]) &&
            same_span(j->delay[other], j->delay[s]) && f->timeout[other] == f->timeout[s] &&
            memcmp(f->fabric[other], f->fabric[s], sizeof f->fabric[s]) == 0 &&
            memcmp(f->pace[other], f->pace[s], sizeof f->pace[s]) == 0 &&
            memcmp(f->nic[other], f->nic[s], sizeof f->nic[s]) == 0 &&
            memcmp(f->plb[other], f->plb[s], sizeof f->plb[s]) == 0)
            return other;
    return s;
}

static void copy_twin(struct fal_band_forks *f, unsigned s, unsigned twin)
{
    f->timeout[s] = f->timeout[twin];
    memcpy(f->fabric[s], f->fabric[twin], sizeof f->fabric[s]);
    memcpy(f->pace[s], f->pace[twin], sizeof f->pace[s]);
    memcpy(f->nic[s], f->nic[twin], sizeof f->nic[s]);
}

static void judge_rest(struct fal_band_judging *j, unsigned s)
{
    struct fal_band_fork fork;

    j->view.smoothed_rtt = j->rtt[s];
    j->view.smoothed_delay = j->delay[s];
    j->twin[s] = (uint8_t)twin_of(j, s);
    if (j->twin[s] != s) {
        copy_twin(&j->after, s, j->twin[s]);
        fal_band_judge_plb(j, s);
        return;
    }
    for (unsigned r = 0; r < FAL_BAND_R; r++) {
        if (j->before->pace[s][r] == 0)
            continue;
        fal_band_choose(&fork, FAL_BAND_ROUND_TRIP, r);
        fal_band_view_rtt(&j->view, &fork);
        fal_band_judge_fabric(j, s, r);
        judge_pace(j, s, r);
        fal_band_judge_nic(j, s, r);
    }
    judge_timeout(j, s);
    fal_band_judge_plb(j, s);
}

void fal_band_judge(struct fal_band_judging *j, const struct fal_band_forks *before,
                    const struct fal_band_forks *counting, const struct fal_band_series *series,
                    const struct fal_band_input *input, const struct fal_cc_result *result)
{
    const double unit = 1.0 / FAL_CC_FRACTION;
    double fcwnd = result->fcwnd_integer + result->fcwnd_fraction * unit;

    j->before = before;
    j->after = *before;
    j->changed = j->may_fall = false;
    j->counting = counting;
    j->series = series;
    j->result = result;
    j->fcwnd = fcwnd * FAL_CC_FRACTION;
    fal_band_view_begin(input, series, &j->view);
    fal_band_targets_begin(&j->targets, fal_band_fcwnd(input->event));
    fal_band_targets_begin(
        &j->new_targets, (struct fal_cc_span){fal_most(fcwnd - 2 * unit, 0), fcwnd + 2 * unit});
    for (int group = 0; group < FAL_BAND_GROUPS; group++)
        j->closest[group].fields = -1;
    for (int field = 0; field < FAL_BAND_FIELDS; field++)
        j->allowed[field] = (struct fal_cc_span){INFINITY, -INFINITY};
    judge_smoothing(j);
    for (unsigned s = 0; s < FAL_BAND_S; s++)
        if (is_left(j, s))
            judge_rest(j, s);
}
