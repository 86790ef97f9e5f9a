/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/state.h"

void fal_cc_start(struct fal_params *params)
{
    params->fcwnd = FAL_CC_START_FCWND;
    params->fcwnd_fraction = 0;
    params->packet_gap_ns = 0;
    params->ncwnd = FAL_CC_START_NCWND;
    params->rto_ns = FAL_MS;
}

void fal_cc_unchanged(const struct fal_cc_event *event, struct fal_cc_result *result)
{
    *result = (struct fal_cc_result){
        .connection_id = event->connection_id,
        .fcwnd_fraction = event->fcwnd_fraction,
        .fcwnd_integer = event->fcwnd_integer,
        .inter_packet_gap = event->inter_packet_gap,
        .ncwnd = event->ncwnd,
        .retransmit_timeout = event->retransmit_timeout,
        .event_queue_select = event->event_queue_select,
        .delay_select = event->delay_select,
        .fabric_window_time_marker = event->fabric_window_time_marker,
        .nic_window_time_marker = event->nic_window_time_marker,
        .ncwnd_direction = event->ncwnd_direction,
        .base_delay_target = event->base_delay_target,
        .delay_state = event->delay_state,
        .rtt_state = event->rtt_state,
        .cc_opaque = event->cc_opaque,
    };
}

uint32_t fal_cc_rtt(const struct fal_cc_event *event)
{
    return fal_cc_since(event->t4, event->t1);
}

uint32_t fal_cc_delay_of(const struct fal_cc_event *event)
{
    switch ((enum fal_cc_delay)event->delay_select) {
    case FAL_CC_DELAY_FABRIC:
        return fal_cc_since(fal_cc_rtt(event), fal_cc_since(event->t3, event->t2));
    case FAL_CC_DELAY_FORWARD: return fal_cc_since(event->t2, event->t1);
    case FAL_CC_DELAY_REVERSE: return fal_cc_since(event->t4, event->t3);
    case FAL_CC_DELAY_FULL: break;
    }
    return fal_cc_rtt(event);
}
