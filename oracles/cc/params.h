/* SPDX-License-Identifier: Apache-2.0
 * params.h - the parameters of Swift and PLB (10.5), with units and ranges.
 *
 * One list: N a whole number, R a real number. The specification names the parameters and gives
 * no values. The defaults are those of a public simulator. Columns: name, default, least, most,
 * unit, section, meaning. A tick is 131.072 ns (AMB-32). */
#ifndef FAL_ORACLES_CC_PARAMS_H
#define FAL_ORACLES_CC_PARAMS_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAL_CC_LEAST_WINDOW 0.0009765625 /* 1/1024 packet: the unit of fcwnd */

/* clang-format off */
#define FAL_SWIFT_PARAMS(N, R) \
    R(max_fcwnd,                                 256,  1, 2047, "packets", "10.5.1", "The largest fabric congestion window.") \
    R(min_fcwnd,                                 0.01, FAL_CC_LEAST_WINDOW, 2047, "packets", "10.5.1", "The smallest fabric congestion window.") \
    R(fabric_additive_increment,                 1,    0, 2047, "packets", "10.5.1", "fcwnd rises by this in a round trip without congestion.") \
    R(fabric_multiplicative_decrease_factor,     0.8,  0, 1, "ratio", "10.5.1", "Weight of the excess delay when fcwnd falls.") \
    R(max_fabric_multiplicative_decrease_factor, 0.5,  0, 1, "ratio", "10.5.1", "fcwnd loses at most this share in one fall.") \
    N(base_delay_target,                         191,  0, 16777215, "ticks", "10.5.1", "The target delay before flow scaling and topology scaling.") \
    N(max_ncwnd,                                 256,  1, 2047, "requests", "10.5.2", "The largest NIC congestion window.") \
    N(min_ncwnd,                                 1,    1, 2047, "requests", "10.5.2", "The smallest NIC congestion window.") \
    R(nic_additive_increment,                    1,    0, 2047, "requests", "10.5.2", "ncwnd rises by this in one step.") \
    R(nic_multiplicative_decrease_factor,        0.8,  0, 1, "ratio", "10.5.2", "Named by 10.5.2 but used by no equation, so the model does not use it (AMB-38).") \
    R(max_nic_multiplicative_decrease_factor,    0.5,  0, 1, "ratio", "10.5.2", "ncwnd loses at most this share in one fall.") \
    N(target_rx_buffer_level,                    15,   0, 31, "levels", "10.5.2", "ncwnd rises while the peer reports a lower buffer level.") \
    R(plb_target_delay_multiplier,               1.01, 0, 1024, "ratio", "10.5.3", "PLB counts an ACK as congested if its delay exceeds this multiple of the target.") \
    R(plb_congestion_threshold,                  0.5,  0, 1, "ratio", "10.5.3", "A PLB round is congested from this share of congested packets on.") \
    N(plb_attempt_threshold,                     5,    1, 255, "rounds", "10.5.3", "PLB draws a new path after so many congested rounds in succession.") \
    R(rtt_smoothing_alpha,                       0.75, 0, 1, "ratio", "10.5.4", "Weight of the old value in the smoothed round trip (AMB-35).") \
    R(delay_smoothing_alpha,                     0,    0, 1, "ratio", "10.5.4", "Weight of the old value in the smoothed delay (AMB-35).") \
    R(topology_scaling_per_hop,                  8,    0, 1048575, "ticks", "10.5.4", "The target delay grows by this for each forward hop.") \
    R(retransmit_timeout_scalar,                 2,    0, 1024, "ratio", "10.5.4", "The retransmit timeout is this multiple of the smoothed round trip.") \
    N(retransmit_limit,                          3,    1, 7, "events", "10.5.4", "fcwnd falls to min_fcwnd after so many retransmission events in succession.") \
    N(min_retransmission_timeout,                1907, 0, 16777215, "ticks", "10.5.4", "The shortest retransmit timeout.") \
    R(min_flow_scaling_window,                   0.1,  FAL_CC_LEAST_WINDOW, 2047, "packets", "10.5.4", "Flow scaling adds max_flow_scaling at this window and below.") \
    R(max_flow_scaling_window,                   256,  FAL_CC_LEAST_WINDOW, 2047, "packets", "10.5.4", "Flow scaling adds nothing at this window and above.") \
    R(max_flow_scaling,                          763,  0, 16777215, "ticks", "10.5.4", "Flow scaling adds at most this to the target delay.")
/* clang-format on */

#define FAL_SWIFT_PARAM_MEMBER(name, ...) double name;

struct fal_swift_params {
    FAL_SWIFT_PARAMS(FAL_SWIFT_PARAM_MEMBER, FAL_SWIFT_PARAM_MEMBER)
};

struct fal_swift_param {
    const char *name;
    double initial, least, most;
    const char *unit, *section, *doc;
    size_t offset; /* of its member, a double */
    bool whole;    /* a whole number */
};

/* The table behind the list, in its order. */
const struct fal_swift_param *fal_swift_param_table(size_t *n);
/* The row of that name, or NULL. */
const struct fal_swift_param *fal_swift_param_find(const char *name);

double fal_swift_param_get(const struct fal_swift_param *param,
                           const struct fal_swift_params *params);
/* Returns 0, or FAL_ERR_RANGE and sets nothing. */
MUST_USE int fal_swift_param_set(const struct fal_swift_param *param,
                                 struct fal_swift_params *params, double value);

/* Sets the parameter that "NAME=VALUE" names. Returns 0, or FAL_ERR_FORM with a clause in
 * `err`. */
MUST_USE int fal_swift_param_read(const char *text, struct fal_swift_params *params,
                                  struct fal_error *err);

/* Every parameter at its default. */
void fal_swift_params_default(struct fal_swift_params *out);

/* Checks every range, and that no least window exceeds its greatest. Returns 0, or
 * FAL_ERR_RANGE with a sentence in `err` (may be NULL). */
MUST_USE int fal_swift_params_check(const struct fal_swift_params *params,
                                    struct fal_error *err);

#endif
