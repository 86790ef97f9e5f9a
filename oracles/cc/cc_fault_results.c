/* SPDX-License-Identifier: Apache-2.0
 * cc_fault_results.c - mistakes of engines that are about the form of a result: values that are
 * missing, or in another unit (cc_fault.h). */
#include "oracles/cc/cc_fault_hooks.h"

void fal_cc_reserved_set(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->reserved_2 = 1;
}

void fal_cc_averages_not_given(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->rtt_state = 0;
    result->delay_state = 0;
}

void fal_cc_ncwnd_in_halves(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    uint32_t halves = 2U * result->ncwnd;

    (void)params;
    (void)now;
    if (result->ncwnd != event->ncwnd)
        result->ncwnd = (uint16_t)(halves < FAL_CC_WINDOW_MAX ? halves : FAL_CC_WINDOW_MAX);
}

void fal_cc_gap_wears_off(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->inter_packet_gap > 0 && result->inter_packet_gap > 0)
        result->inter_packet_gap = event->inter_packet_gap / 2;
}
