/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/experiment.h"

#include "oracles/lab/bench.h"

#include <string.h>

static const struct fal_lab_experiment experiments[] = {
    {"incast",
     "L1",
     "N flows begin together and share one bottleneck; the queue comes to rest where the delay of "
     "each flow is its target.",
     {1, 2, 8, 32, 128, 512},
     true,
     fal_lab_incast_time,
     fal_lab_incast},
    {"incast-loss",
     "L1",
     "N flows begin together in front of a queue of 1 MB, which drops packets at the beginning and "
     "none later.",
     {32},
     true,
     fal_lab_incast_time,
     fal_lab_incast_loss},
};

const struct fal_lab_experiment *fal_lab_experiments(size_t *n)
{
    *n = sizeof experiments / sizeof *experiments;
    return experiments;
}

const struct fal_lab_experiment *fal_lab_experiment_find(const char *name)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        if (strcmp(name, experiments[i].name) == 0)
            return &experiments[i];
    return NULL;
}

const struct fal_lab_value *fal_lab_value_find(const struct fal_lab_outcome *out,
                                               const char *name)
{
    for (unsigned i = 0; i < out->n_values; i++)
        if (strcmp(name, out->values[i].name) == 0)
            return &out->values[i];
    return NULL;
}
