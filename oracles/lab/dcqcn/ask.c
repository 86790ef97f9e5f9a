/* SPDX-License-Identifier: Apache-2.0
 * ask.c - settings that all experiments of DCQCN take from the request. */
#include "oracles/lab/bench.h"
#include "oracles/lab/dcqcn/experiments.h"
#include "oracles/lab/dcqcn/net.h"

enum { N_NS = 50000, KB = 1000 };

void fal_lab_dcqcn_ask(struct fal_pfc_net *net, const struct fal_lab_ask *ask)
{
    net->params = *fal_dcqcn_preset("paper");
    net->params.line_rate_bps = ask->rate_bps;
    net->params.cnp_interval_ns = N_NS;
    if (ask->settings[FAL_LAB_ECN_KB] != 0) /* one threshold instead of the line */
        net->params.kmin_bytes = net->params.kmax_bytes =
            (uint64_t)ask->settings[FAL_LAB_ECN_KB] * KB;
    net->packet_bytes = FAL_LAB_PACKET;
    net->until_ps = ask->time_ps;
    if (net->from_ps > net->until_ps)
        net->from_ps = net->until_ps / 2;
    net->seed = ask->seed;
}
