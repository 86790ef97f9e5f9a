/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/cc_fault.h"

#include "codecs/header/falcon.h"
#include "oracles/cc/cc_fault_hooks.h"

#include <math.h>
#include <string.h>

enum { HALF_CLOCK = (FAL_CC_TIME_MAX + 1) / 2 };

static uint32_t units_of(uint16_t integer, uint16_t fraction)
{
    return (uint32_t)integer * FAL_CC_FRACTION + fraction;
}

static void set_fcwnd(struct fal_cc_result *result, const struct fal_swift_params *params,
                      double units)
{
    double most = params->max_fcwnd * FAL_CC_FRACTION,
           least = ceil(params->min_fcwnd * FAL_CC_FRACTION);
    uint32_t whole = (uint32_t)fmin(fmax(units, least), most);

    result->fcwnd_integer = (uint16_t)(whole / FAL_CC_FRACTION);
    result->fcwnd_fraction = (uint16_t)(whole % FAL_CC_FRACTION);
}

/* ---- rise ---- */

/* By how much fcwnd rose, in 1/1024; 0: it did not. */
static uint32_t rise(const struct fal_cc_event *event, const struct fal_cc_result *result)
{
    uint32_t before = units_of(event->fcwnd_integer, event->fcwnd_fraction),
             after = units_of(result->fcwnd_integer, result->fcwnd_fraction);

    return event->event_type != FAL_CC_RETRANSMIT && after > before ? after - before : 0;
}

static void rises_by_event(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)now;
    if (rise(event, result) > 0)
        set_fcwnd(result, params,
                  units_of(event->fcwnd_integer, event->fcwnd_fraction) +
                      params->fabric_additive_increment * FAL_CC_FRACTION);
}

static void rises_undivided(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)now;
    if (rise(event, result) > 0)
        set_fcwnd(result, params,
                  units_of(event->fcwnd_integer, event->fcwnd_fraction) +
                      params->fabric_additive_increment * FAL_CC_FRACTION *
                          event->num_packets_acked);
}

/* ---- guards ---- */

static void ignore_guard(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    event->fabric_window_time_marker = fal_cc_since(now, HALF_CLOCK);
}

static void ignore_nic_guard(struct fal_cc_event *event, struct fal_cc_state *state,
                             uint32_t now)
{
    (void)state;
    if (event->event_type == FAL_CC_NACK)
        event->nic_window_time_marker = fal_cc_since(now, HALF_CLOCK);
}

/* A marker that is numerically above the time counts as just set. */
static void do_not_wrap(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    if (event->fabric_window_time_marker > now)
        event->fabric_window_time_marker = now;
}

static void keep_marker(const struct fal_cc_event *event, const struct fal_swift_params *params,
                        uint32_t now, struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->fabric_window_time_marker = event->fabric_window_time_marker;
}

static void keep_nic_marker(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->nic_window_time_marker = event->nic_window_time_marker;
}

/* ---- NIC window ---- */

static void keep_direction(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->ncwnd_direction = event->ncwnd_direction;
}

static void nack_ignored(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type == FAL_CC_NACK && event->nack_code == FAL_NACK_RESOURCE)
        result->ncwnd = event->ncwnd;
}

static void level_of_target(struct fal_cc_event *event, struct fal_cc_state *state,
                            uint32_t now)
{
    (void)state;
    (void)now;
    event->rx_buffer_level = 0;
}

/* ---- delay ---- */

static void no_hops(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->forward_hops = 0;
}

static void full_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->delay_select = FAL_CC_DELAY_FULL;
}

static void reverse_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->delay_select = FAL_CC_DELAY_REVERSE;
}

static void no_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->base_delay_target = FAL_CC_TIME_MAX;
}

static void target_of_event(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->base_delay_target = event->base_delay_target;
}

static void unsmoothed_rtt(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type != FAL_CC_RETRANSMIT)
        result->rtt_state = fal_cc_rtt(event);
}

static void sample_lost(const struct fal_cc_event *event, const struct fal_swift_params *params,
                        uint32_t now, struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->delay_state = event->delay_state;
}

/* ---- pacing, timeout, path ---- */

static void constant_gap(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    if (result->fcwnd_integer == 0)
        result->inter_packet_gap = 10;
}

static void gap_above_one(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    if (result->fcwnd_integer > 0)
        result->inter_packet_gap = result->rtt_state / result->fcwnd_integer + 1;
}

static void short_timeout(struct fal_swift_params *params)
{
    params->min_retransmission_timeout = 0;
}

static void no_limit(struct fal_swift_params *params)
{
    params->retransmit_limit = FAL_CC_RETRANSMITS_MAX;
}

static void falls_without_bound(struct fal_swift_params *params)
{
    params->max_fabric_multiplicative_decrease_factor = 1;
}

static void first_round(struct fal_swift_params *params)
{
    params->plb_attempt_threshold = 1;
}

static void never_another_path(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->randomize_path = 0;
}

static void count_on(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)event;
    (void)now;
    if (state->plb_attempts == 0)
        state->plb_attempts = 1;
}

static void other_connection(const struct fal_cc_event *event,
                             const struct fal_swift_params *params, uint32_t now,
                             struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->connection_id = event->connection_id ^ 1;
}

static void nobodys(const struct fal_cc_event *event, const struct fal_swift_params *params,
                    uint32_t now, struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->connection_id = 0xffffff;
}

static void retransmission_moves_ncwnd(const struct fal_cc_event *event,
                                       const struct fal_swift_params *params, uint32_t now,
                                       struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type == FAL_CC_RETRANSMIT && event->ncwnd > params->min_ncwnd)
        result->ncwnd = (uint16_t)(event->ncwnd - 1);
}

/* clang-format off */
static const struct fal_cc_fault table[] = {
    {"rise-by-event", "FTP-10.3.1-02", "fcwnd rises by the additive increment at each event.", NULL, NULL, rises_by_event, NULL, NULL},
    {"rise-not-divided", "FTP-10.3.1-02", "fcwnd rises by the increment for each packet, not divided by fcwnd.", NULL, NULL, rises_undivided, NULL, NULL},
    {"guard-ignored", "FTP-10.3.1-05", "fcwnd falls more than once in a round trip.", NULL, ignore_guard, NULL, "FTP-10.3.6-02", NULL},
    {"guard-not-wrapped", "FTP-10.3.4-08", "The guard of fcwnd compares times without their wrap.", NULL, do_not_wrap, NULL, "FTP-10.3.6-09", NULL},
    {"marker-kept", "FTP-10.3.1-08", "The marker of fcwnd is never set.", NULL, NULL, keep_marker, "FTP-10.3.6-04", NULL},
    {"fall-without-bound", "FTP-10.3.1-06", "One fall of fcwnd ignores the largest factor.", falls_without_bound, NULL, NULL, NULL, NULL},
    {"nic-marker-kept", "FTP-10.3.1-15", "The marker of ncwnd is never set.", NULL, NULL, keep_nic_marker, "FTP-10.3.6-06", NULL},
    {"nic-guard-ignored", "FTP-10.3.3-03", "ncwnd falls at each resource NACK.", NULL, ignore_nic_guard, NULL, NULL, NULL},
    {"nack-ignored", "FTP-10.3.3-02", "ncwnd does not fall at a resource NACK.", NULL, NULL, nack_ignored, NULL, NULL},
    {"direction-kept", "FTP-10.3.1-11", "The direction of ncwnd is that of the event.", NULL, NULL, keep_direction, NULL, NULL},
    {"level-ignored", "FTP-10.3.1-13", "ncwnd rises whatever the level of the peer's buffer is.", NULL, level_of_target, NULL, "FTP-10.3-01", NULL},
    {"retransmission-moves-ncwnd", "FTP-10.3.2-06", "A retransmission lowers ncwnd.", NULL, NULL, retransmission_moves_ncwnd, NULL, NULL},
    {"retransmit-limit-ignored", "FTP-10.3.2-03", "fcwnd does not fall to its minimum at the limit of retransmissions.", no_limit, NULL, NULL, NULL, NULL},
    {"timeout-below-minimum", "FTP-10.3.2-05", "The retransmit timeout may be shorter than the minimum.", short_timeout, NULL, NULL, NULL, NULL},
    {"hops-not-scaled", "FTP-10.3.4-04", "The target delay does not depend on the hops.", NULL, no_hops, NULL, NULL, NULL},
    {"delay-full", "FTP-10.1-07", "The delay is always the whole round trip.", NULL, full_delay, NULL, NULL, NULL},
    {"delay-reverse", "FTP-10.3.4-06", "The delay is that of the way back.", NULL, reverse_delay, NULL, NULL, NULL},
    {"delay-ignored", "FTP-10.3.1-06", "fcwnd does not fall, however long the delay is.", NULL, no_delay, target_of_event, "FTP-10.3-01", NULL},
    {"rtt-not-smoothed", "FTP-10.3.4-06", "rtt_state is the last sample.", NULL, NULL, unsmoothed_rtt, NULL, NULL},
    {"delay-state-kept", "FTP-10.3.4-06", "delay_state never changes.", NULL, NULL, sample_lost, NULL, NULL},
    {"gap-constant", "FTP-10.3.4-10", "The gap does not depend on fcwnd.", NULL, NULL, constant_gap, NULL, NULL},
    {"gap-above-one", "FTP-10.3.4-09", "There is a gap although fcwnd is above one.", NULL, NULL, gap_above_one, NULL, NULL},
    {"plb-first-round", "FTP-10.4-11", "A new path is drawn after the first congested round.", first_round, NULL, NULL, NULL, NULL},
    {"plb-never", "FTP-10.4-08", "A new path is never drawn.", NULL, NULL, never_another_path, NULL, NULL},
    {"plb-counter-kept", "FTP-10.4-11", "The count of congested rounds is never 0.", NULL, count_on, NULL, NULL, NULL},
    {"result-for-nobody", "FTP-10.6.2.2-02", "Results name connection 0xffffff, which there is not.", NULL, NULL, nobodys, NULL, NULL},
    {"result-of-another", "FTP-10.6.2.2-02", "Results name another connection.", NULL, NULL, other_connection, NULL, NULL},
    {"marker-always", "FTP-10.3.1-09", "The marker of fcwnd is set at each ACK.", NULL, NULL, fal_cc_marker_always, "FTP-10.3.6-05", NULL},
    {"marker-of-prev", "FTP-10.3.1-08", "A fall of fcwnd is not seen, because the window before it was not kept.", NULL, NULL, fal_cc_marker_of_prev, "FTP-10.3.1-01", NULL},
    {"one-marker", "FTP-10.3.1-15", "Both windows have one marker, that of fcwnd.", NULL, NULL, fal_cc_marker_of_other, "FTP-10.3.6-01", NULL},
    {"limits-forgotten", "FTP-10.3.6-08", "A window at its limit counts as unchanged.", NULL, NULL, fal_cc_limits_forgotten, NULL, NULL},
    {"nic-marker-not-moved", "FTP-10.3.6-07", "An old marker of ncwnd does not follow the time.", NULL, NULL, fal_cc_nic_marker_not_moved, NULL, NULL},
    {"guard-of-half", "FTP-10.3.1-05", "A round trip counts as over after its half.", NULL, fal_cc_guard_of_half, NULL, "FTP-10.3.4-07 FTP-10.3.6-02", NULL},
    {"ncwnd-never-rises", "FTP-10.3.1-10", "ncwnd does not rise.", NULL, NULL, fal_cc_nic_stays, NULL, NULL},
    {"ncwnd-rises-any-time", "FTP-10.3.6-03", "ncwnd rises at each ACK.", NULL, NULL, fal_cc_nic_rises_any_time, NULL, NULL},
    {"ncwnd-falls-any-time", "FTP-10.3.1-12", "ncwnd falls more than once in a round trip.", NULL, NULL, fal_cc_nic_falls_any_time, "FTP-10.3.6-03", NULL},
    {"other-nacks-ignored", "FTP-10.3.1-16", "NACKs with another code than 1 change nothing.", NULL, NULL, fal_cc_other_nacks_ignored, NULL, "FTP-10.3.4-06"},
    {"nack-leaves-fcwnd", "FTP-10.3.3-01", "A resource NACK leaves fcwnd.", NULL, NULL, fal_cc_nack_leaves_fcwnd, NULL, "FTP-10.3.1-02 FTP-10.3.1-06"},
    {"first-retransmission-ignored", "FTP-10.3.2-02", "The first retransmission does not lower fcwnd.", NULL, NULL, fal_cc_first_ignored, NULL, NULL},
    {"second-retransmission-halves", "FTP-10.3.2-04", "Retransmissions below the limit lower fcwnd, too.", NULL, NULL, fal_cc_second_halves, NULL, NULL},
    {"retransmissions-count-ahead", "FTP-10.3.2-01", "The first retransmission counts as the second.", NULL, fal_cc_count_ahead, NULL, NULL, NULL},
    {"rtt-too-short", "FTP-10.1-06", "The round trip is half of what it was.", NULL, fal_cc_rtt_too_short, NULL, "FTP-10.3.4-06", NULL},
    {"forward-is-reverse", "FTP-10.1-08", "The forward delay is that of the way back.", NULL, fal_cc_forward_is_reverse, NULL, "FTP-10.6.2.1-24", NULL},
    {"reverse-is-forward", "FTP-10.1-09", "The reverse delay is that of the way there.", NULL, fal_cc_reverse_is_forward, NULL, "FTP-10.6.2.1-24", NULL},
    {"averaged-twice", "FTP-10.3.4-06", "The delay is averaged a second time.", NULL, NULL, fal_cc_averaged_twice, "FTP-10.1-11", NULL},
    {"base-ignored", "FTP-10.3.4-05", "The target delay does not depend on base_delay_target.", NULL, fal_cc_base_ignored, NULL, NULL, "FTP-10.3.1-02 FTP-10.3.1-06"},
    {"rise-below-one-halved", "FTP-10.3.1-04", "An fcwnd below one rises by half of the increment.", NULL, NULL, fal_cc_rise_divided, NULL, NULL},
    {"max-fcwnd-ignored", "FTP-10.3.1-07", "fcwnd rises above max_fcwnd.", fal_cc_max_fcwnd_lost, NULL, NULL, NULL, NULL},
    {"max-ncwnd-ignored", "FTP-10.3.1-14", "ncwnd rises above max_ncwnd.", fal_cc_max_ncwnd_lost, NULL, NULL, NULL, NULL},
    {"flow-scaling-doubled", "FTP-10.3.4-01", "Flow scaling adds twice as much.", fal_cc_adder_doubled, NULL, NULL, "FTP-10.3.1-06", NULL},
    {"flow-scaling-too-wide", "FTP-10.3.4-02", "Flow scaling adds something at max_flow_scaling_window, too.", fal_cc_beta_lost, NULL, NULL, "FTP-10.3.1-06", NULL},
    {"flow-scaling-unbounded", "FTP-10.3.4-03", "Flow scaling adds more than max_flow_scaling.", fal_cc_adder_unbounded, NULL, NULL, "FTP-10.3.1-06", NULL},
    {"plb-some-events", "FTP-10.3.1-02", "Every second ACK counts no packets.", NULL, fal_cc_plb_some_events, NULL, "FTP-10.4-01", NULL},
    {"plb-ncwnd-forgotten", "FTP-10.4-02", "A round of PLB has as many packets as fcwnd.", NULL, fal_cc_plb_wide_window, NULL, "FTP-10.3.1-13 FTP-10.3.1-10", NULL},
    {"plb-count-forgotten", "FTP-10.4-03", "A round of PLB has the packets of one ACK only.", NULL, fal_cc_plb_count_forgotten, NULL, "FTP-10.4-10", "FTP-10.4-08"},
    {"plb-acked-twice", "FTP-10.4-05", "A round of PLB ends after half of its packets.", NULL, fal_cc_plb_acked_twice, NULL, NULL, NULL},
    {"plb-attempts-by-two", "FTP-10.4-07", "The second congested round counts twice.", NULL, fal_cc_plb_attempts_by_two, NULL, "FTP-10.4-11", NULL},
    {"plb-round-begins-late", "FTP-10.4-09", "The count of packets is not 0 after a round.", NULL, fal_cc_plb_round_begins_late, NULL, NULL, "FTP-10.4-08"},
    {"plb-multiplier-ignored", "FTP-10.4-04", "PLB counts each packet above the target delay.", fal_cc_multiplier_lost, NULL, NULL, NULL, "FTP-10.4-08"},
    {"plb-threshold-ignored", "FTP-10.4-06", "Each round of PLB counts as congested.", fal_cc_threshold_lost, NULL, NULL, NULL, NULL},
    {"param-increment-ignored", "FTP-10.5.1-01", "fabric_additive_increment cannot be set.", fal_cc_increment_lost, NULL, NULL, NULL, "FTP-10.3.1-02"},
    {"param-level-ignored", "FTP-10.5.2-01", "target_rx_buffer_level cannot be set.", fal_cc_level_lost, NULL, NULL, NULL, "FTP-10.3.1-13"},
    {"param-attempts-ignored", "FTP-10.5.3-01", "plb_attempt_threshold cannot be set.", fal_cc_attempts_lost, NULL, NULL, NULL, "FTP-10.4-08"},
    {"param-scalar-ignored", "FTP-10.5.4-01", "retransmit_timeout_scalar cannot be set.", fal_cc_scalar_lost, NULL, NULL, NULL, "FTP-10.3.2-05"},
    {"reserved-bits-set", "FTP-10.6.2.2-17", "Reserved bits of a result are not 0.", NULL, NULL, fal_cc_reserved_set, NULL, NULL},
    {"gap-wears-off", "FTP-10.3.4-11", "A gap that there is already is halved at each event.", NULL, NULL, fal_cc_gap_wears_off, NULL, "FTP-10.3.4-10"},
    {"ncwnd-in-halves", "FTP-10.3.5-03", "ncwnd of a result counts half packets.", NULL, NULL, fal_cc_ncwnd_in_halves, NULL, "FTP-10.3.1-10 FTP-10.3.1-13 FTP-10.3.1-14"},
    {"averages-not-given", "FTP-10.5.7-01", "rtt_state and delay_state of a result are 0.", NULL, NULL, fal_cc_averages_not_given, NULL, "FTP-10.3.4-06"},
};
/* clang-format on */

const struct fal_cc_fault *fal_cc_faults(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}

const struct fal_cc_fault *fal_cc_fault_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void fal_cc_fault_process(const struct fal_cc_fault *fault, struct fal_swift *swift,
                          struct fal_cc_state *state, uint32_t now,
                          const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct fal_cc_event seen = *event;

    if (fault != NULL && fault->before != NULL)
        fault->before(&seen, state, now);
    fal_cc_unchanged(&seen, result);
    fal_swift_process(swift, state, now, &seen, result);
    if (fault != NULL && fault->after != NULL)
        fault->after(event, &swift->params, now, result);
}
