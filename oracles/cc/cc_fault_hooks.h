/* SPDX-License-Identifier: Apache-2.0
 * cc_fault_hooks.h - what some of the engines with one mistake do (cc_fault.h), by subject: the
 * guards and limits of windows, NACKs and retransmissions, delays, PLB, parameters; and, in
 * cc_fault_results.c, the form of results. */
#ifndef FAL_ORACLES_CC_CC_FAULT_HOOKS_H
#define FAL_ORACLES_CC_CC_FAULT_HOOKS_H

#include "oracles/cc/swift.h"

typedef void fal_cc_params_hook(struct fal_swift_params *params);
typedef void fal_cc_before_hook(struct fal_cc_event *event, struct fal_cc_state *state,
                                uint32_t now);
typedef void fal_cc_after_hook(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result);

fal_cc_after_hook fal_cc_marker_always, fal_cc_marker_of_prev, fal_cc_marker_of_other,
    fal_cc_limits_forgotten, fal_cc_nic_marker_not_moved, fal_cc_nic_rises_any_time,
    fal_cc_nic_falls_any_time, fal_cc_other_nacks_ignored, fal_cc_nack_leaves_fcwnd,
    fal_cc_first_ignored, fal_cc_second_halves, fal_cc_averaged_twice, fal_cc_nic_stays,
    fal_cc_reserved_set, fal_cc_rise_divided, fal_cc_averages_not_given, fal_cc_ncwnd_in_halves,
    fal_cc_gap_wears_off;
fal_cc_before_hook fal_cc_rtt_too_short, fal_cc_forward_is_reverse, fal_cc_reverse_is_forward,
    fal_cc_guard_of_half, fal_cc_count_ahead, fal_cc_base_ignored, fal_cc_plb_some_events,
    fal_cc_plb_wide_window, fal_cc_plb_count_forgotten, fal_cc_plb_acked_twice,
    fal_cc_plb_attempts_by_two, fal_cc_plb_round_begins_late;
fal_cc_params_hook fal_cc_max_fcwnd_lost, fal_cc_max_ncwnd_lost, fal_cc_adder_doubled,
    fal_cc_beta_lost, fal_cc_adder_unbounded, fal_cc_multiplier_lost, fal_cc_threshold_lost,
    fal_cc_increment_lost, fal_cc_level_lost, fal_cc_attempts_lost, fal_cc_scalar_lost;

#endif
