/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void ep_setup_default(struct fal_ep_setup *s, const struct ep_rtl *rtl,
                      const struct ep_options *options)
{
    *s = (struct fal_ep_setup){
        .slices = rtl->slices,
        .processors = rtl->slices,
        .classes = {[FAL_EP_CNP] = 1,
                    [FAL_EP_NACK] = 2,
                    [FAL_EP_ACK] = 3,
                    [FAL_EP_RTT] = 4,
                    [FAL_EP_FW] = 4},
        .fifo_depth = {rtl->tx_depth, rtl->rx_depth},
        .contexts = options->contexts,
        .default_rate_bps = 20000000000,
        .burst_bytes = 2048,
        .responder_ns = 300,
        .round_robin = true,
        .all_points = true,
    };
    /* ACKs go first and CNPs last; kinds without thresholds wait while their FIFO is full. */
    s->th1[FAL_EP_TX] = rtl->tx_depth / 4;
    s->th2[FAL_EP_TX] = rtl->tx_depth;
    s->th1[FAL_EP_ACK] = rtl->rx_depth / 4;
    s->th2[FAL_EP_ACK] = rtl->rx_depth * 3 / 4;
    s->th1[FAL_EP_NACK] = rtl->rx_depth / 2;
    s->th2[FAL_EP_NACK] = rtl->rx_depth;
    s->th1[FAL_EP_CNP] = rtl->rx_depth * 3 / 4;
    s->th2[FAL_EP_CNP] = rtl->rx_depth;
}

static void list(FILE *f, const char *name, const uint32_t *values, int n)
{
    fprintf(f, " \"%s\": [", name);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s%" PRIu32, i > 0 ? ", " : "", values[i]);
    fprintf(f, "],\n");
}

int ep_setup_write(const struct fal_ep_setup *s, const struct ep_rtl *rtl, const char *path)
{
    FILE *f = fopen(path, "w");
    int error;

    if (f == NULL)
        return -1;
    fprintf(f, "{\"slices\": %" PRIu32 ", \"processors\": %" PRIu32 ",\n", s->slices,
            s->processors);
    list(f, "classes", s->classes, FAL_EP_KINDS);
    list(f, "th1", s->th1, FAL_EP_KINDS);
    list(f, "th2", s->th2, FAL_EP_KINDS);
    list(f, "fifo_depth", s->fifo_depth, 2);
    fprintf(f, " \"contexts\": %" PRIu32 ", \"default_rate_bps\": %" PRIu64 ",\n", s->contexts,
            s->default_rate_bps);
    fprintf(f, " \"burst_bytes\": %" PRIu64 ", \"responder_ns\": %" PRIu64 ",\n",
            s->burst_bytes, s->responder_ns);
    fprintf(f,
            " \"clocks_synchronised\": %s, \"round_robin\": %s, \"rtt_by_difference\": %s,\n",
            s->clocks_synchronised ? "true" : "false", s->round_robin ? "true" : "false",
            s->rtt_by_difference ? "true" : "false");
    /* sim.cpp plays until no event is left. A burst begins at a clock's edge, at most 2 % late.
     * An event that leaves its queue is at its slice in the next cycle if nothing blocks it. */
    fprintf(f,
            " \"ends_at_rest\": true, \"rate_error_ppm\": 20000, \"pipeline_ns\": %" PRIu32
            ",\n",
            2 * rtl->clock_ns);
    fprintf(f, " \"all_points\": %s, \"no_drops\": %s}\n", s->all_points ? "true" : "false",
            s->no_drops ? "true" : "false");
    error = ferror(f) ? EIO : 0;
    if (fclose(f) != 0 && error == 0)
        error = errno;
    errno = error;
    return error == 0 ? 0 : -1;
}
