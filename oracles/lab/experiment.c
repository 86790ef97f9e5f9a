/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/experiment.h"

#include "oracles/lab/bench.h"
#include "oracles/lab/dcqcn/experiments.h"

#include <string.h>

/* At 100 Gb/s, the delay of 32 flows in the rest. Swift does not read marks; other algorithms
 * do. */
enum { ECN_KB = 400 };

static const struct fal_lab_experiment experiments[] = {
    {.name = "incast",
     .number = "L1",
     .ecn_kb = ECN_KB,
     .about =
         "N flows begin together and share one bottleneck; the queue comes to rest where the "
         "delay of each flow is its target.",
     .cases = {1, 2, 8, 32, 128, 512},
     .flows_given = true,
     .time_ps = fal_lab_incast_time,
     .run = fal_lab_incast},
    {.name = "incast-loss",
     .number = "L1",
     .ecn_kb = ECN_KB,
     .about = "N flows begin together in front of a queue of 1 MB, which drops packets at the "
              "beginning and none later.",
     .cases = {32},
     .flows_given = true,
     .time_ps = fal_lab_incast_loss_time,
     .run = fal_lab_incast_loss},
    {.name = "join-leave",
     .number = "L2",
     .ecn_kb = ECN_KB,
     .about =
         "A second flow joins one that has the bottleneck for itself, and leaves it again.",
     .cases = {2},
     .time_ps = fal_lab_join_leave_time,
     .run = fal_lab_join_leave,
     .settings = {{"join_us", 5000, 1000, 20000, "when the second flow joins"},
                  {"stay_us", 7000, 3000, 20000, "how long it stays"}}},
    {.name = "plb",
     .number = "L3",
     .ecn_kb = ECN_KB,
     .about = "One flow has equal paths, but an unresponsive load fills the queue of its first "
              "path; PLB draws another one.",
     .own_paths = true,
     .cases = {1},
     .time_ps = fal_lab_plb_time,
     .run = fal_lab_plb,
     .settings = {{"paths", 2, 2, 8, "number of equal paths"},
                  {"queue_us", 200, 100, 2000, "delay in the queue of the loaded path"},
                  {"runs", 20, 1, 100, "number of runs, each with the next seed"}}},
    {.name = "staircase",
     .number = "L4",
     .ecn_kb = ECN_KB,
     .about =
         "The number of flows doubles step by step from one to N, and halves again to one.",
     .cases = {16},
     .flows_given = true,
     .time_ps = fal_lab_staircase_time,
     .run = fal_lab_staircase,
     .settings = {{"step_us", 5000, 3000, 20000, "length of a step"}}},
    {.name = "slow-receiver",
     .number = "L5",
     .ecn_kb = ECN_KB,
     .about = "The receiver takes packets out of its buffer more slowly than the fabric brings "
              "them; the NIC window keeps the buffer half full.",
     .cases = {1},
     .flows_given = true,
     .time_ps = fal_lab_slow_receiver_time,
     .run = fal_lab_slow_receiver,
     .settings = {{"drain_percent", 25, 5, 90,
                   "what the receiver takes of its part of the rate"},
                  {"buffer", 16, 16, 256, "packets that the receiver can hold"}}},
    {.name = "mixed-rtt",
     .number = "L6",
     .ecn_kb = ECN_KB,
     .about =
         "Half of the flows have a longer round trip than the other half; the ratio of their "
         "shares is recorded.",
     .cases = {2, 8},
     .flows_given = true,
     .time_ps = fal_lab_mixed_rtt_time,
     .run = fal_lab_mixed_rtt,
     .settings = {{"near_us", 10, 10, 1000, "round trip of the first half"},
                  {"far_us", 40, 10, 1000, "round trip of the second half"}}},
    {.name = "spreading",
     .number = "L7",
     .about =
         "Five ports and F fill the port G of a lossless switch; pauses stop the link that F "
         "shares with X, whose packets go elsewhere. No congestion control.",
     .own_flows = true,
     .cases = {7},
     .time_ps = fal_lab_dcqcn_time,
     .run = fal_lab_spreading,
     .settings = {{"pause_kb", 200, 50, 10000, "what waits behind a link before it is paused"},
                  {"x_priority", 0, 0, 1, "1: X has a priority of its own"}}},
    {.name = "spreading-dcqcn",
     .number = "L7",
     .about = "The same with DCQCN: the pauses end, and X gets what F leaves of the link.",
     .own_flows = true,
     .cases = {7},
     .time_ps = fal_lab_dcqcn_time,
     .run = fal_lab_spreading_dcqcn,
     .settings = {{"pause_kb", 200, 50, 10000, "what waits behind a link before it is paused"},
                  {"x_priority", 0, 0, 1, "1: X has a priority of its own"}}},
    {.name = "incast-dcqcn",
     .number = "L8",
     .about =
         "N flows of DCQCN begin together and share one bottleneck, as those of Swift do in "
         "the incast.",
     .own_flows = true,
     .cases = {2, 8, 32},
     .flows_given = true,
     .time_ps = fal_lab_dcqcn_time,
     .run = fal_lab_incast_dcqcn,
     .settings = {{"pause_kb", 200, 50, 10000,
                   "what waits behind a link before it is paused"}}},
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

struct fal_lab_setting fal_lab_setting_at(const struct fal_lab_experiment *experiment,
                                          unsigned number)
{
    const struct fal_lab_setting ecn = {"ecn_kb", experiment->ecn_kb, 0, 1000000,
                                        "a queue that holds so much marks packets; 0: none is"};

    return number < FAL_LAB_SETTINGS_OWN ? experiment->settings[number] : ecn;
}

struct fal_lab_ask fal_lab_ask_of(const struct fal_lab_experiment *experiment, uint32_t flows)
{
    struct fal_lab_ask ask = {.flows = flows, .seed = 1};

    for (unsigned i = 0; i < FAL_LAB_SETTINGS_MAX; i++)
        ask.settings[i] = fal_lab_setting_at(experiment, i).value;
    return ask;
}

const struct fal_lab_value *fal_lab_value_find(const struct fal_lab_outcome *out,
                                               const char *name)
{
    for (unsigned i = 0; i < out->n_values; i++)
        if (strcmp(name, out->values[i].name) == 0)
            return &out->values[i];
    return NULL;
}
