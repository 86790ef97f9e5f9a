/* SPDX-License-Identifier: Apache-2.0
 * cc_band.c - compares a result with every fork that is still possible, group by group. */
#include "oracles/rules/cc/cc_band.h"

#include "oracles/rules/cc/cc_view.h"

#include <math.h>
#include <string.h>

/* Of the forks that do not allow a result, the one that allows the most of its fields. */
struct closest {
    int fields; /* that it allows; -1: nothing was compared */
    struct fal_band_breach breach;
};

struct judging {
    struct fal_band_forks *forks;
    struct fal_band_series *series;
    const struct fal_band_input *input;
    const struct fal_cc_result *result;
    double fcwnd;                                    /* of the result, 1/1024 */
    struct fal_cc_span real[FAL_BAND_S][FAL_BAND_R]; /* of the outcomes that fit, packets */
    struct closest smoothing, fabric, pace, nic, timeout, plb;
};

void fal_band_series_init(struct fal_band_series *series)
{
    memset(series, 0, sizeof *series);
    for (int s = 0; s < FAL_BAND_S; s++)
        for (int t = 0; t < FAL_BAND_T; t++)
            for (int l = 0; l < FAL_BAND_L; l++)
                series->plb[s][t][l].n = 1; /* all counters are zero */
}

static void offer(struct closest *closest, int fields, struct fal_band_breach breach)
{
    if (fields <= closest->fields)
        return;
    closest->fields = fields;
    closest->breach = breach;
}

static struct fal_band_breach breach_of(enum fal_band_field field, const char *requirement,
                                        struct fal_cc_span allowed, double seen)
{
    return (struct fal_band_breach){
        .field = field, .requirement = requirement, .allowed = allowed, .seen = seen};
}

static struct fal_cc_span span_of_arc(struct fal_arc arc)
{
    return (struct fal_cc_span){arc.from, (double)arc.from + arc.len};
}

/* The view of a combination; the axes of `fork` are set too. */
static void look(const struct judging *j, unsigned s, unsigned r, struct fal_band_fork *fork,
                 struct fal_band_view *view)
{
    fal_band_choose(fork, FAL_BAND_SMOOTHING, s);
    fal_band_choose(fork, FAL_BAND_ROUND_TRIP, r);
    fal_band_view(j->input, j->series, fork, view);
}

static void judge_smoothing(struct judging *j)
{
    for (unsigned s = 0; s < FAL_BAND_S; s++) {
        struct fal_band_fork fork = {{0}};
        struct fal_band_view view;
        bool rtt, delay;

        if ((j->forks->smoothing >> s & 1) == 0)
            continue;
        look(j, s, 0, &fork, &view);
        rtt = fal_span_has(view.smoothed_rtt, j->result->rtt_state);
        delay = fal_span_has(view.smoothed_delay, j->result->delay_state);
        if (rtt && delay)
            continue;
        j->forks->smoothing &= (uint8_t) ~(1U << s);
        if (!rtt)
            offer(&j->smoothing, 0,
                  breach_of(FAL_BAND_RTT_STATE, "FTP-10.3.4-06", view.smoothed_rtt,
                            j->result->rtt_state));
        else
            offer(&j->smoothing, 1,
                  breach_of(FAL_BAND_DELAY_STATE, "FTP-10.3.4-06", view.smoothed_delay,
                            j->result->delay_state));
    }
}

static bool fabric_fits(struct judging *j, const struct fal_band_outcomes *outcomes,
                        struct fal_cc_span *real)
{
    bool fits = false;

    for (unsigned i = 0; i < outcomes->n; i++) {
        const struct fal_band_outcome *o = &outcomes->at[i];

        if (!fal_span_has(o->value, j->fcwnd)) {
            offer(&j->fabric, 0, breach_of(FAL_BAND_FCWND, o->of_value, o->value, j->fcwnd));
        } else if (!fal_arc_has(o->marker, j->result->fabric_window_time_marker)) {
            offer(&j->fabric, 1,
                  breach_of(FAL_BAND_FABRIC_MARKER, o->of_marker, span_of_arc(o->marker),
                            j->result->fabric_window_time_marker));
        } else {
            fits = true;
            *real = fal_span_hull(*real, o->real);
        }
    }
    return fits;
}

/* One combination of FABRIC. The axes that this type of event does not use change nothing, so
 * `known` keeps the answers: 0 none yet, 1 fits, 2 does not. */
static bool fabric_allows(struct judging *j, const struct fal_band_view *view,
                          struct fal_band_fork *fork, unsigned f, uint8_t known[FAL_BAND_F])
{
    struct fal_band_outcomes outcomes = {0};
    unsigned s = fal_band_chosen(fork, FAL_BAND_SMOOTHING);
    unsigned r = fal_band_chosen(fork, FAL_BAND_ROUND_TRIP);

    f = view->retransmit ? f & ~1U : f & 1; /* COUNTING is the first axis */
    if (known[f] != 0)
        return known[f] == 1;
    fal_band_choose(fork, FAL_BAND_FABRIC, f);
    if (view->retransmit) {
        fal_band_fabric_retransmit(view, fork, &outcomes);
    } else {
        struct fal_band_target target =
            fal_band_target(view, fork, fal_band_fcwnd(view->event));

        fal_band_fabric(view, fork, &target, &outcomes);
    }
    known[f] = fabric_fits(j, &outcomes, &j->real[s][r]) ? 1 : 2;
    return known[f] == 1;
}

static void judge_fabric(struct judging *j, unsigned s, unsigned r)
{
    struct fal_band_fork fork = {{0}};
    struct fal_band_view view;

    look(j, s, r, &fork, &view);
    for (unsigned t = 0; t < FAL_BAND_T; t++) {
        uint8_t known[FAL_BAND_F] = {0};
        uint16_t *left = &j->forks->fabric[s][r][t];

        fal_band_choose(&fork, FAL_BAND_TARGET, t);
        for (unsigned f = 0; f < FAL_BAND_F; f++)
            if ((*left >> f & 1) != 0 && !fabric_allows(j, &view, &fork, f, known))
                *left &= (uint16_t) ~(1U << f);
    }
}

/* The gap follows from fcwnd, either as it was computed or as it is stored. */
static void judge_pace(struct judging *j, unsigned s, unsigned r)
{
    struct fal_band_fork fork = {{0}};
    struct fal_band_view view;
    struct fal_cc_span fcwnd =
        fal_span_hull(j->real[s][r], fal_span_of(j->fcwnd / FAL_CC_FRACTION));

    look(j, s, r, &fork, &view);
    for (unsigned p = 0; p < FAL_BAND_P; p++) {
        struct fal_band_value gap;

        fal_band_choose(&fork, FAL_BAND_PACE, p);
        gap = fal_band_gap(&view, &fork, fcwnd);
        if ((j->forks->pace[s][r] >> p & 1) == 0 ||
            fal_span_has(gap.span, j->result->inter_packet_gap))
            continue;
        j->forks->pace[s][r] &= (uint16_t) ~(1U << p);
        offer(&j->pace, 0,
              breach_of(FAL_BAND_GAP, gap.of, gap.span, j->result->inter_packet_gap));
    }
}

static bool nic_fits(struct judging *j, const struct fal_band_outcomes *outcomes)
{
    const struct fal_cc_result *result = j->result;

    for (unsigned i = 0; i < outcomes->n; i++) {
        const struct fal_band_outcome *o = &outcomes->at[i];

        if (!fal_span_has(o->value, result->ncwnd))
            offer(&j->nic, 0, breach_of(FAL_BAND_NCWND, o->of_value, o->value, result->ncwnd));
        else if (!fal_arc_has(o->marker, result->nic_window_time_marker))
            offer(&j->nic, 1,
                  breach_of(FAL_BAND_NIC_MARKER, o->of_marker, span_of_arc(o->marker),
                            result->nic_window_time_marker));
        else if ((o->directions >> result->ncwnd_direction & 1) == 0)
            offer(&j->nic, 2,
                  breach_of(FAL_BAND_DIRECTION, o->of_direction,
                            fal_span_of(1 - result->ncwnd_direction), result->ncwnd_direction));
        else
            return true;
    }
    return false;
}

static void judge_nic(struct judging *j, unsigned s, unsigned r)
{
    struct fal_band_fork fork = {{0}};
    struct fal_band_view view;

    look(j, s, r, &fork, &view);
    for (unsigned n = 0; n < FAL_BAND_N; n++) {
        struct fal_band_outcomes outcomes = {0};

        if ((j->forks->nic[s][r] >> n & 1) == 0)
            continue;
        fal_band_choose(&fork, FAL_BAND_NIC, n);
        fal_band_nic(&view, &fork, &outcomes);
        if (!nic_fits(j, &outcomes))
            j->forks->nic[s][r] &= (uint16_t) ~(1U << n);
    }
}

static void judge_timeout(struct judging *j, unsigned s)
{
    struct fal_band_fork fork = {{0}};
    struct fal_band_view view;

    look(j, s, 0, &fork, &view);
    for (unsigned o = 0; o < FAL_BAND_O; o++) {
        struct fal_band_value timeout;

        fal_band_choose(&fork, FAL_BAND_TIMEOUT, o);
        timeout = fal_band_timeout(&view, &fork, j->result->inter_packet_gap);
        if ((j->forks->timeout[s] >> o & 1) == 0 ||
            fal_span_has(timeout.span, j->result->retransmit_timeout))
            continue;
        j->forks->timeout[s] &= (uint8_t) ~(1U << o);
        offer(&j->timeout, 0,
              breach_of(FAL_BAND_RTO, timeout.of, timeout.span, j->result->retransmit_timeout));
    }
}

/* Every fork goes on counting, those that were ruled out too, so that a later result can be
 * compared with them (breach.mixed). */
static void judge_plb(struct judging *j, unsigned s, unsigned t)
{
    struct fal_band_fork fork = {{0}};
    struct fal_band_view view;
    double unit = 1.0 / FAL_CC_FRACTION, fcwnd = j->fcwnd * unit;
    struct fal_cc_span target[2];

    look(j, s, 0, &fork, &view);
    fal_band_choose(&fork, FAL_BAND_TARGET, t);
    target[0] = fal_band_target(&view, &fork, fal_band_fcwnd(view.event)).delay;
    target[1] =
        fal_band_target(&view, &fork,
                        (struct fal_cc_span){fmax(fcwnd - 2 * unit, 0), fcwnd + 2 * unit})
            .delay;
    for (unsigned l = 0; l < FAL_BAND_L; l++) {
        struct fal_band_plb *plb = &j->series->plb[s][t][l];
        bool reroute = j->result->randomize_path;
        const char *of;

        fal_band_choose(&fork, FAL_BAND_PLB, l);
        if (fal_band_plb(&view, &fork, target[fork.of[FAL_BAND_AXIS_PLB_TARGET]], reroute, plb,
                         &of))
            continue;
        plb->open = true;
        if ((j->forks->plb[s][t] >> l & 1) == 0)
            continue;
        j->forks->plb[s][t] &= (uint16_t) ~(1U << l);
        offer(&j->plb, 0, breach_of(FAL_BAND_PATH, of, fal_span_of(!reroute), reroute));
    }
}

static void judge_all(struct judging *j)
{
    judge_smoothing(j);
    for (unsigned s = 0; s < FAL_BAND_S; s++) {
        if ((j->forks->smoothing >> s & 1) == 0)
            continue;
        for (unsigned r = 0; r < FAL_BAND_R; r++) {
            j->real[s][r] = (struct fal_cc_span){INFINITY, -INFINITY};
            judge_fabric(j, s, r);
            judge_pace(j, s, r);
            judge_nic(j, s, r);
        }
        judge_timeout(j, s);
        for (unsigned t = 0; t < FAL_BAND_T; t++)
            judge_plb(j, s, t);
    }
}

/* Forks without those parts of a combination that this event rules out in one group. */
static bool any_left(const struct fal_band_forks *before, const struct fal_band_forks *after,
                     enum fal_band_group group)
{
    struct fal_band_forks mixed = *before;

    mixed.smoothing = after->smoothing;
    switch (group) {
    case FAL_BAND_FABRIC: memcpy(mixed.fabric, after->fabric, sizeof mixed.fabric); break;
    case FAL_BAND_PACE: memcpy(mixed.pace, after->pace, sizeof mixed.pace); break;
    case FAL_BAND_NIC: memcpy(mixed.nic, after->nic, sizeof mixed.nic); break;
    case FAL_BAND_TIMEOUT: memcpy(mixed.timeout, after->timeout, sizeof mixed.timeout); break;
    case FAL_BAND_PLB: memcpy(mixed.plb, after->plb, sizeof mixed.plb); break;
    case FAL_BAND_SMOOTHING:
    case FAL_BAND_ROUND_TRIP:
    case FAL_BAND_TARGET:
    case FAL_BAND_GROUPS: break;
    }
    return fal_band_forks_any(&mixed);
}

/* The first group that alone leaves no fork gives the breach. */
static void explain(const struct judging *j, const struct fal_band_forks *before,
                    struct fal_band_breach *breach)
{
    const struct {
        enum fal_band_group group;
        const struct closest *closest;
    } groups[] = {
        {FAL_BAND_SMOOTHING, &j->smoothing}, {FAL_BAND_FABRIC, &j->fabric},
        {FAL_BAND_PACE, &j->pace},           {FAL_BAND_NIC, &j->nic},
        {FAL_BAND_TIMEOUT, &j->timeout},     {FAL_BAND_PLB, &j->plb},
    };

    *breach = breach_of(FAL_BAND_FIELDS, NULL, fal_span_of(0), 0);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (groups[i].closest->fields >= 0 && !any_left(before, j->forks, groups[i].group)) {
            *breach = groups[i].closest->breach;
            return;
        }
}

static struct judging judging_of(struct fal_band_forks *forks, struct fal_band_series *series,
                                 const struct fal_band_input *input,
                                 const struct fal_cc_result *result)
{
    struct closest none = {.fields = -1};

    return (struct judging){.forks = forks,
                            .series = series,
                            .input = input,
                            .result = result,
                            .fcwnd = result->fcwnd_integer * (double)FAL_CC_FRACTION +
                                     result->fcwnd_fraction,
                            .smoothing = none,
                            .fabric = none,
                            .pace = none,
                            .nic = none,
                            .timeout = none,
                            .plb = none};
}

static void count_retransmits(struct fal_band_series *series, const struct fal_cc_event *event)
{
    if (event->event_type != FAL_CC_RETRANSMIT) {
        series->last_retransmit = false;
        return;
    }
    series->row = series->last_retransmit ? series->row + 1 : 1;
    series->last_retransmit = true;
}

/* Adds the packets that an engine which counts (10.3.1-03) may have counted. */
static void count_packets(struct fal_band_series *series, const struct fal_cc_event *event,
                          const struct fal_cc_result *result)
{
    double before = fal_band_fcwnd(event).lo,
           after = result->fcwnd_integer + (double)result->fcwnd_fraction / FAL_CC_FRACTION;

    if (event->event_type == FAL_CC_RETRANSMIT || series->counted >= FAL_BAND_UNCOUNTED)
        return;
    series->counted += event->num_packets_acked;
    if (after > before) /* the rest may stay */
        series->counted = fmax(0, series->counted - before);
}

bool fal_band_holds(struct fal_band_forks *forks, struct fal_band_series *series,
                    const struct fal_band_input *input, const struct fal_cc_result *result,
                    struct fal_band_breach *breach)
{
    struct fal_band_forks after = *forks, alone;
    struct fal_band_series next = *series;
    struct judging judging = judging_of(&after, &next, input, result);

    judge_all(&judging);
    if (fal_band_forks_any(&after)) {
        count_retransmits(&next, input->event);
        *forks = after;
        *series = next;
        count_packets(series, input->event, result);
        return true;
    }
    explain(&judging, forks, breach);
    fal_band_forks_all(&alone);
    next = *series;
    judging = judging_of(&alone, &next, input, result);
    judge_all(&judging);
    breach->mixed = fal_band_forks_any(&alone);
    count_packets(series, input->event, result);
    return false;
}
