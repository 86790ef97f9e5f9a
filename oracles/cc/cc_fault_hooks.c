/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/cc_fault_hooks.h"

#include "codecs/header/falcon.h"

#include <math.h>

static uint32_t fcwnd_of_event(const struct fal_cc_event *event)
{
    return (uint32_t)event->fcwnd_integer * FAL_CC_FRACTION + event->fcwnd_fraction;
}

static uint32_t fcwnd_of_result(const struct fal_cc_result *result)
{
    return (uint32_t)result->fcwnd_integer * FAL_CC_FRACTION + result->fcwnd_fraction;
}

static void set_fcwnd(struct fal_cc_result *result, uint32_t units)
{
    result->fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    result->fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
}

static bool is_nack(const struct fal_cc_event *event, bool exhausted)
{
    return event->event_type == FAL_CC_NACK &&
           (event->nack_code == FAL_NACK_RESOURCE) == exhausted;
}

/* UpdateTimeMarker (10.3.4). */
static uint32_t updated(uint32_t marker, uint32_t now, uint32_t rtt)
{
    return fal_cc_since(now, marker) > rtt ? fal_cc_since(now, rtt) : marker;
}

/* ---- markers and guards ---- */

void fal_cc_marker_always(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)params;
    if (event->event_type != FAL_CC_RETRANSMIT)
        result->fabric_window_time_marker = now;
}

void fal_cc_marker_of_prev(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    double least = ceil(params->min_fcwnd * FAL_CC_FRACTION);

    if (event->event_type != FAL_CC_RETRANSMIT && fcwnd_of_result(result) > least)
        result->fabric_window_time_marker =
            updated(event->fabric_window_time_marker, now, fal_cc_rtt(event));
}

void fal_cc_marker_of_other(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    (void)event;
    result->nic_window_time_marker = result->fabric_window_time_marker;
}

void fal_cc_limits_forgotten(const struct fal_cc_event *event,
                             const struct fal_swift_params *params, uint32_t now,
                             struct fal_cc_result *result)
{
    (void)params;
    if (event->event_type == FAL_CC_RETRANSMIT)
        return;
    if (fcwnd_of_result(result) == fcwnd_of_event(event))
        result->fabric_window_time_marker =
            updated(event->fabric_window_time_marker, now, fal_cc_rtt(event));
    if (result->ncwnd == event->ncwnd && !is_nack(event, true))
        result->nic_window_time_marker =
            updated(event->nic_window_time_marker, now, fal_cc_rtt(event));
}

void fal_cc_nic_marker_not_moved(const struct fal_cc_event *event,
                                 const struct fal_swift_params *params, uint32_t now,
                                 struct fal_cc_result *result)
{
    (void)params;
    if (result->nic_window_time_marker != now)
        result->nic_window_time_marker = event->nic_window_time_marker;
}

void fal_cc_guard_of_half(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    uint32_t age = fal_cc_since(now, event->fabric_window_time_marker);

    (void)state;
    event->fabric_window_time_marker = fal_cc_since(now, age * 2 & FAL_CC_TIME_MAX);
}

/* ---- the NIC window ---- */

void fal_cc_nic_stays(const struct fal_cc_event *event, const struct fal_swift_params *params,
                      uint32_t now, struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (result->ncwnd > event->ncwnd)
        result->ncwnd = event->ncwnd;
}

void fal_cc_nic_rises_any_time(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result)
{
    if (event->event_type != FAL_CC_RETRANSMIT && !is_nack(event, true) &&
        event->rx_buffer_level < params->target_rx_buffer_level &&
        result->ncwnd == event->ncwnd) {
        result->ncwnd =
            (uint16_t)fmin(event->ncwnd + params->nic_additive_increment, params->max_ncwnd);
        result->nic_window_time_marker = now;
    }
}

void fal_cc_nic_falls_any_time(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result)
{
    if (event->event_type != FAL_CC_RETRANSMIT && !is_nack(event, true) &&
        event->rx_buffer_level > params->target_rx_buffer_level &&
        result->ncwnd == event->ncwnd && event->ncwnd > params->min_ncwnd) {
        result->ncwnd--;
        result->nic_window_time_marker = now;
    }
}

void fal_cc_other_nacks_ignored(const struct fal_cc_event *event,
                                const struct fal_swift_params *params, uint32_t now,
                                struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (is_nack(event, false))
        fal_cc_unchanged(event, result);
}

void fal_cc_nack_leaves_fcwnd(const struct fal_cc_event *event,
                              const struct fal_swift_params *params, uint32_t now,
                              struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (is_nack(event, true))
        set_fcwnd(result, fcwnd_of_event(event));
}

/* ---- retransmissions ---- */

void fal_cc_first_ignored(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)now;
    if (event->event_type == FAL_CC_RETRANSMIT && event->retransmit_count == 1 &&
        params->retransmit_limit > 1) {
        set_fcwnd(result, fcwnd_of_event(event));
        result->fabric_window_time_marker = event->fabric_window_time_marker;
    }
}

void fal_cc_second_halves(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)now;
    if (event->event_type == FAL_CC_RETRANSMIT && event->retransmit_count > 1 &&
        event->retransmit_count < params->retransmit_limit && event->fcwnd_integer > 1)
        set_fcwnd(result, fcwnd_of_event(event) / 2);
}

void fal_cc_count_ahead(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    if (event->event_type == FAL_CC_RETRANSMIT &&
        event->retransmit_count < FAL_CC_RETRANSMITS_MAX)
        event->retransmit_count++;
}

/* ---- delays and the target ---- */

void fal_cc_rtt_too_short(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    uint32_t rtt = fal_cc_rtt(event);

    (void)state;
    (void)now;
    event->t1 = fal_cc_since(event->t4, rtt / 2);
}

void fal_cc_forward_is_reverse(struct fal_cc_event *event, struct fal_cc_state *state,
                               uint32_t now)
{
    (void)state;
    (void)now;
    if (event->delay_select == FAL_CC_DELAY_FORWARD)
        event->delay_select = FAL_CC_DELAY_REVERSE;
}

void fal_cc_reverse_is_forward(struct fal_cc_event *event, struct fal_cc_state *state,
                               uint32_t now)
{
    (void)state;
    (void)now;
    if (event->delay_select == FAL_CC_DELAY_REVERSE)
        event->delay_select = FAL_CC_DELAY_FORWARD;
}

void fal_cc_averaged_twice(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->delay_state = (result->delay_state + event->delay_state) / 2;
}

void fal_cc_base_ignored(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->base_delay_target = FAL_CC_START_DELAY_TARGET;
}

void fal_cc_rise_divided(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    uint32_t before = fcwnd_of_event(event), after = fcwnd_of_result(result);

    (void)params;
    (void)now;
    if (event->fcwnd_integer == 0 && after > before && event->event_type != FAL_CC_RETRANSMIT)
        set_fcwnd(result, before + (after - before) / 2);
}

/* ---- PLB ---- */

void fal_cc_plb_some_events(struct fal_cc_event *event, struct fal_cc_state *state,
                            uint32_t now)
{
    (void)now;
    /* The packets of every second event are not counted. */
    state->spare[0] = 1 - state->spare[0];
    if (state->spare[0] != 0)
        event->num_packets_acked = 0;
}

void fal_cc_plb_wide_window(struct fal_cc_event *event, struct fal_cc_state *state,
                            uint32_t now)
{
    (void)state;
    (void)now;
    event->ncwnd = FAL_CC_WINDOW_MAX;
}

void fal_cc_plb_count_forgotten(struct fal_cc_event *event, struct fal_cc_state *state,
                                uint32_t now)
{
    (void)event;
    (void)now;
    state->plb_acked = 0;
    state->plb_congested = 0;
}

void fal_cc_plb_acked_twice(struct fal_cc_event *event, struct fal_cc_state *state,
                            uint32_t now)
{
    (void)now;
    if (event->event_type == FAL_CC_ACK)
        state->plb_acked = (uint16_t)(state->plb_acked + event->num_packets_acked);
}

void fal_cc_plb_attempts_by_two(struct fal_cc_event *event, struct fal_cc_state *state,
                                uint32_t now)
{
    (void)event;
    (void)now;
    if (state->plb_attempts == 1)
        state->plb_attempts = 2;
}

void fal_cc_plb_round_begins_late(struct fal_cc_event *event, struct fal_cc_state *state,
                                  uint32_t now)
{
    (void)event;
    (void)now;
    if (state->plb_acked == 0)
        state->plb_acked = 2;
}

/* ---- parameters ---- */

void fal_cc_max_fcwnd_lost(struct fal_swift_params *params)
{
    params->max_fcwnd = FAL_CC_WINDOW_MAX;
}

void fal_cc_max_ncwnd_lost(struct fal_swift_params *params)
{
    params->max_ncwnd = FAL_CC_WINDOW_MAX;
}

void fal_cc_adder_doubled(struct fal_swift_params *params)
{
    params->max_flow_scaling *= 2;
}

void fal_cc_beta_lost(struct fal_swift_params *params)
{
    /* The adder is 0 only at a window that fcwnd never reaches. */
    params->max_flow_scaling_window = FAL_CC_WINDOW_MAX;
}

void fal_cc_adder_unbounded(struct fal_swift_params *params)
{
    /* It rises below the least window, too: by the same curve, up to a quarter of it. */
    params->min_flow_scaling_window /= 4;
    params->max_flow_scaling *= 2;
}

void fal_cc_multiplier_lost(struct fal_swift_params *params)
{
    params->plb_target_delay_multiplier = 1;
}

void fal_cc_threshold_lost(struct fal_swift_params *params)
{
    params->plb_congestion_threshold = 0;
}

void fal_cc_increment_lost(struct fal_swift_params *params)
{
    params->fabric_additive_increment = 1;
}

void fal_cc_level_lost(struct fal_swift_params *params)
{
    params->target_rx_buffer_level = 15;
}

void fal_cc_attempts_lost(struct fal_swift_params *params)
{
    params->plb_attempt_threshold = 5;
}

void fal_cc_scalar_lost(struct fal_swift_params *params)
{
    params->retransmit_timeout_scalar = 2;
}
