/* SPDX-License-Identifier: Apache-2.0
 * spreading.c - L7: ports A to E of switch 1 send to G, and so does F of switch 2, which needs
 * a fifth of the link between the switches. X of switch 2 sends to Y of switch 1 over the same
 * link: G's congestion pauses the link, and X, which has nothing to do with G, stands still. */
#include "oracles/lab/bench.h"
#include "oracles/lab/dcqcn/experiments.h"
#include "oracles/lab/dcqcn/net.h"

#include <stdlib.h>

enum { SENDERS = 5, F = SENDERS, X, FLOWS, F_PERCENT = 20, KB = 1000 };
/* Links: a port of each sender, then between the switches, to G, to Y. */
enum { BETWEEN = FLOWS, TO_G, TO_Y, LINKS };
enum { PAUSE_KB, OTHER_PRIORITY };

#define SETTLED_PS (30 * FAL_LAB_MS)

uint64_t fal_lab_dcqcn_time(const struct fal_lab_ask *ask)
{
    (void)ask;
    return SETTLED_PS + 20 * FAL_LAB_MS;
}

struct spreading {
    struct fal_pfc_net net;
    struct fal_pfc_link links[LINKS];
    struct fal_pfc_flow flows[FLOWS];
};

static struct spreading *set_up(const struct fal_lab_ask *ask, bool dcqcn)
{
    struct spreading *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    for (uint32_t i = 0; i < LINKS; i++)
        s->links[i] = (struct fal_pfc_link){.rate_bps = ask->rate_bps, .delay_ps = FAL_LAB_US};
    for (uint32_t i = 0; i < FLOWS; i++) {
        struct fal_pfc_flow *flow = &s->flows[i];

        *flow = (struct fal_pfc_flow){.path = {i}, .hops = 1};
        if (i >= F)
            flow->path[flow->hops++] = BETWEEN;
        flow->path[flow->hops++] = i == X ? TO_Y : TO_G;
        flow->start_ps = i * FAL_LAB_US / FLOWS;
    }
    s->flows[F].cap_bps = ask->rate_bps * F_PERCENT / 100;
    s->flows[X].priority = ask->settings[OTHER_PRIORITY];
    s->net = (struct fal_pfc_net){.links = s->links,
                                  .flows = s->flows,
                                  .num_links = LINKS,
                                  .num_flows = FLOWS,
                                  .dcqcn = dcqcn,
                                  .pause_bytes = (uint64_t)ask->settings[PAUSE_KB] * KB,
                                  .from_ps = SETTLED_PS,
                                  .watched = TO_G};
    fal_lab_dcqcn_ask(&s->net, ask);
    return s;
}

static void add(struct fal_lab_outcome *out, const char *name, int64_t milli, int64_t least,
                int64_t most)
{
    fal_lab_value_add(out, name, "", milli);
    fal_lab_value_band(out, least, most);
}

static void values(const struct spreading *s, const struct fal_lab_ask *ask, bool dcqcn,
                   struct fal_lab_outcome *out)
{
    const struct fal_pfc_net *net = &s->net;
    bool apart = ask->settings[OTHER_PRIORITY] != 0, free = dcqcn || apart;
    int64_t g = 0;
    uint64_t pauses = 0, span_ps = net->until_ps - net->from_ps;

    for (uint32_t i = 0; i < X; i++)
        g += fal_pfc_share_milli(net, i, ask->rate_bps);
    for (uint32_t i = 0; i < LINKS; i++)
        pauses += s->links[i].pauses;
    add(out, "share of X", fal_pfc_share_milli(net, X, ask->rate_bps), free ? 600 : 100,
        free ? 1000 : 300);
    add(out, "share of F", fal_pfc_share_milli(net, F, ask->rate_bps), 50, 210);
    add(out, "utilisation of G", g, dcqcn ? 850 : 950, 1010);
    add(out, "time that the link is paused",
        span_ps == 0 ? 0 : (int64_t)(s->links[BETWEEN].paused_ps * 1000 / span_ps), 0,
        dcqcn ? 10 : INT64_MAX);
    fal_lab_count_add(out, "pauses", pauses);
    if (dcqcn)
        fal_lab_value_band(out, 0, 0);
    fal_lab_value_add(
        out, "queueing delay to G, p99", "us",
        fal_lab_milli((double)fal_lab_histogram_quantile(&net->waited, 990) / FAL_LAB_US));
    out->trace = net->trace;
    out->events = net->played;
}

static int play(const struct fal_lab_ask *ask, bool dcqcn, struct fal_lab_outcome *out)
{
    struct spreading *s = set_up(ask, dcqcn);
    int rc;

    *out = (struct fal_lab_outcome){.n_values = 0};
    if (s == NULL)
        return FAL_ERR_MEM;
    rc = fal_pfc_run(&s->net);
    if (rc == 0)
        values(s, ask, dcqcn, out);
    fal_pfc_end(&s->net);
    free(s);
    return rc;
}

int fal_lab_spreading(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    return play(ask, false, out);
}

int fal_lab_spreading_dcqcn(const struct fal_lab_ask *ask, struct fal_lab_outcome *out)
{
    return play(ask, true, out);
}
