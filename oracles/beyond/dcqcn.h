/* SPDX-License-Identifier: Apache-2.0
 * dcqcn.h - parameters of DCQCN, as declared for a device. None is assumed: two published sets
 * have names, and a set that is not complete leaves rules without a decision. */
#ifndef FAL_ORACLES_BEYOND_DCQCN_H
#define FAL_ORACLES_BEYOND_DCQCN_H

#include <stdbool.h>
#include <stdint.h>

/* The reaction point (sender), the notification point (receiver), the congestion point. */
struct fal_dcqcn {
    /* alpha: the weight of the old value is g / 1024 (1019 [NV]; 1020 = 1 - 1/256 [P]). */
    uint32_t g_1024;
    uint64_t alpha_period_ns;  /* K */
    uint32_t alpha_start_1024; /* 1024 [P], 1023 [NV] */
    bool alpha_at_cnp; /* raised at the CNP, which begins K anew [P]; else at the end of K */
    uint64_t decrease_period_ns; /* M: at most one decrease in it; 0: one for each CNP [P] */
    bool clamp_target;           /* Rt = Rc at each decrease; else only after an increase */
    uint32_t gd;                 /* rpg_gd: the cut is alpha / 2^(gd - 10); 11 */
    uint32_t max_cut_percent;    /* 50 [NV] */
    uint64_t min_rate_bps, line_rate_bps;
    uint64_t timer_ns, byte_counter; /* T and B */
    uint32_t stages;                 /* F */
    uint64_t rai_bps, rhai_bps;
    uint64_t cnp_interval_ns; /* N, of the notification point */
    uint64_t kmin_bytes, kmax_bytes;
    uint32_t pmax_ppm; /* of the congestion point */
};

/* Sets of published values: "paper" [P], "nic" [NV]. Returns NULL for another name. N and the
 * line rate are 0 in both, hyper increase in "paper": 0 says that a value was not published. */
const struct fal_dcqcn *fal_dcqcn_preset(const char *name);

#endif
