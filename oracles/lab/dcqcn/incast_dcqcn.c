/* SPDX-License-Identifier: Apache-2.0
 * incast_dcqcn.c - L8: N flows of DCQCN that begin together share a bottleneck, as those of
 * Swift do in L1. */
#include "oracles/lab/bench.h"
#include "oracles/lab/dcqcn/experiments.h"
#include "oracles/lab/dcqcn/net.h"

#include <stdlib.h>

enum { KB = 1000 };
enum { PAUSE_KB };

#define SETTLED_PS (30 * FAL_LAB_MS)

struct incast {
    struct fal_pfc_net net;
    struct fal_pfc_link *links; /* a port of each flow, then the bottleneck */
    struct fal_pfc_flow *flows;
};

static void values(const struct fal_pfc_net *net, const struct fal_lab_ask *ask,
                   struct fal_lab_outcome *out)
{
    int64_t sum = 0;
    double square = 0, whole = 0;
    uint64_t pauses = 0;

    for (uint32_t i = 0; i < net->num_flows; i++) {
        double bytes = (double)net->flows[i].measured_bytes;

        sum += fal_pfc_share_milli(net, i, ask->rate_bps);
        whole += bytes;
        square += bytes * bytes;
    }
    for (uint32_t i = 0; i < net->num_links; i++)
        pauses += net->links[i].pauses;
    fal_lab_value_add(out, "utilisation", "", sum);
    fal_lab_value_band(out, 800, 1010);
    fal_lab_value_add(
        out, "queueing delay, median", "us",
        fal_lab_milli((double)fal_lab_histogram_quantile(&net->waited, 500) / FAL_LAB_US));
    fal_lab_value_add(
        out, "queueing delay, p99", "us",
        fal_lab_milli((double)fal_lab_histogram_quantile(&net->waited, 990) / FAL_LAB_US));
    fal_lab_value_add(out, "Jain's index", "",
                      square > 0 ? fal_lab_milli(whole * whole / square / net->num_flows) : 0);
    fal_lab_count_add(out, "pauses", pauses);
    out->trace = net->trace;
    out->events = net->played;
}

static void set_up(struct incast *s, const struct fal_lab_ask *ask)
{
    uint32_t n = ask->flows;

    for (uint32_t i = 0; i <= n; i++)
        s->links[i] = (struct fal_pfc_link){.rate_bps = ask->rate_bps, .delay_ps = FAL_LAB_US};
    for (uint32_t i = 0; i < n; i++)
        s->flows[i] =
            (struct fal_pfc_flow){.path = {i, n}, .hops = 2, .start_ps = i * FAL_LAB_US / n};
    s->net = (struct fal_pfc_net){.links = s->links,
                                  .flows = s->flows,
                                  .num_links = n + 1,
                                  .num_flows = n,
                                  .dcqcn = true,
                                  .pause_bytes = (uint64_t)ask->settings[PAUSE_KB] * KB,
                                  .from_ps = SETTLED_PS,
                                  .watched = n};
    fal_lab_dcqcn_ask(&s->net, ask);
}

int fal_lab_incast_dcqcn(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    struct incast *s = calloc(1, sizeof *s);
    int rc = FAL_ERR_MEM;

    *out = (struct fal_lab_outcome){.n_values = 0};
    if (s == NULL)
        return rc;
    s->links = calloc(ask->flows + 1, sizeof *s->links);
    s->flows = calloc(ask->flows, sizeof *s->flows);
    if (s->links != NULL && s->flows != NULL) {
        set_up(s, ask);
        rc = fal_pfc_run(&s->net);
        if (rc == 0)
            values(&s->net, ask, out);
        fal_pfc_end(&s->net);
    }
    free(s->links);
    free(s->flows);
    free(s);
    return rc;
}
