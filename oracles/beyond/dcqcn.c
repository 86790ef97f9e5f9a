/* SPDX-License-Identifier: Apache-2.0
 * dcqcn.c - see dcqcn.h. */
#include "oracles/beyond/dcqcn.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    struct fal_dcqcn values;
} presets[] = {
    {"paper",
     {.g_1024 = 1020,
      .alpha_period_ns = 55000,
      .alpha_start_1024 = 1024,
      .alpha_at_cnp = true,
      .clamp_target = true,
      .gd = 11,
      .max_cut_percent = 50,
      .timer_ns = 55000,
      .byte_counter = 10000000,
      .stages = 5,
      .rai_bps = 40000000,
      .kmin_bytes = 5000,
      .kmax_bytes = 200000,
      .pmax_ppm = 10000}},
    {"nic",
     {.g_1024 = 1019,
      .alpha_period_ns = 1000,
      .alpha_start_1024 = 1023,
      .decrease_period_ns = 4000,
      .gd = 11,
      .max_cut_percent = 50,
      .min_rate_bps = 1000000,
      .timer_ns = 300000,
      .byte_counter = UINT64_C(32767) * 64,
      .stages = 1,
      .rai_bps = 5000000,
      .rhai_bps = 50000000}},
};

const struct fal_dcqcn *fal_dcqcn_preset(const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0)
            return &presets[i].values;
    return NULL;
}
