/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/plb.h"

/* Adds to a counter of 16 bits, which saturates. */
static uint16_t plus(uint16_t count, unsigned n)
{
    return n < (unsigned)(UINT16_MAX - count) ? (uint16_t)(count + n) : UINT16_MAX;
}

/* A round is over: whether it is the last of enough congested ones in succession. A round
 * without a packet is not congested. */
static bool round_over(const struct fal_swift_params *params, struct fal_cc_state *state)
{
    bool congested = state->plb_acked > 0 && (double)state->plb_congested / state->plb_acked >=
                                                 params->plb_congestion_threshold;

    state->plb_acked = 0;
    state->plb_congested = 0;
    if (!congested) {
        state->plb_attempts = 0;
        return false;
    }
    if (state->plb_attempts < UINT8_MAX)
        state->plb_attempts++;
    if (state->plb_attempts < params->plb_attempt_threshold)
        return false;
    state->plb_attempts = 0;
    return true;
}

bool fal_plb_ack(const struct fal_swift_params *params, struct fal_cc_state *state,
                 const struct fal_plb_ack *ack)
{
    state->plb_acked = plus(state->plb_acked, ack->acked);
    if (ack->delay > ack->target * params->plb_target_delay_multiplier)
        state->plb_congested = plus(state->plb_congested, ack->acked);
    return state->plb_acked >= ack->window && round_over(params, state);
}
