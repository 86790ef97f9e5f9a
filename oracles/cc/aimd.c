/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/aimd.h"

enum { MARKS = 1 << 14, FCWND_MAX = 256 };

static void set_fcwnd(struct fal_cc_result *result, double fcwnd)
{
    uint32_t units;

    fcwnd = fcwnd < 1 ? 1 : fcwnd;
    fcwnd = fcwnd > FCWND_MAX ? FCWND_MAX : fcwnd;
    units = (uint32_t)(fcwnd * FAL_CC_FRACTION);
    result->fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    result->fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
    result->inter_packet_gap = 0;
}

void fal_aimd_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                      const struct fal_cc_event *event, struct fal_cc_result *result)
{
    double fcwnd = event->fcwnd_integer + (double)event->fcwnd_fraction / FAL_CC_FRACTION;
    uint32_t marker = event->fabric_window_time_marker;
    /* spare[0]: the marks that the last ACK counted */
    unsigned marks = (event->ecn_accumulated - (unsigned)state->spare[0]) % MARKS;
    bool elapsed = fal_cc_since(now, marker) >= event->rtt_state;

    (void)ctx;
    fal_cc_unchanged(event, result);
    if (event->event_type != FAL_CC_RETRANSMIT) {
        state->spare[0] = event->ecn_accumulated;
        result->rtt_state = (3 * event->rtt_state + fal_cc_rtt(event)) / 4;
        if (marks == 0) {
            set_fcwnd(result, fcwnd + event->num_packets_acked / (fcwnd < 1 ? 1 : fcwnd));
            return;
        }
    }
    if (!elapsed)
        return;
    set_fcwnd(result, fcwnd / 2);
    result->fabric_window_time_marker = now & FAL_CC_TIME_MAX;
}
