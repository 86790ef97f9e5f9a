/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_rue.c - see dcqcn_rue.h. */
#include "oracles/cc/dcqcn_rue.h"

enum { MARKS = 1 << 14, TICK_PS = 131072, PS_PER_NS = 1000 };

static uint64_t ns_of(uint32_t ticks)
{
    return (uint64_t)ticks * TICK_PS / PS_PER_NS;
}

/* The connection of the event; a new one begins at the line rate. NULL: there is no room. */
static struct fal_dcqcn_conn *conn_of(struct fal_dcqcn_rue *rue, uint32_t now,
                                      const struct fal_cc_event *event)
{
    for (size_t i = 0; i < rue->num_conns; i++) {
        struct fal_dcqcn_conn *conn = &rue->conns[i];

        if (!conn->used) {
            *conn = (struct fal_dcqcn_conn){
                .used = true, .connection_id = event->connection_id, .ticks = now};
            fal_dcqcn_rp_init(&conn->rp, &rue->params, 0);
        }
        if (conn->connection_id == event->connection_id)
            return conn;
    }
    return NULL;
}

/* The window of a rate: a part of a packet is a gap. */
static void set_window(struct fal_cc_result *result, double rate_bps, double rtt_ns,
                       uint32_t bytes)
{
    double packets = rate_bps * rtt_ns / 1e9 / 8 / bytes;
    uint32_t units;

    if (packets > FAL_CC_WINDOW_MAX)
        packets = FAL_CC_WINDOW_MAX;
    units = (uint32_t)(packets * FAL_CC_FRACTION);
    units = units == 0 ? 1 : units;
    result->fcwnd_integer = (uint16_t)(units / FAL_CC_FRACTION);
    result->fcwnd_fraction = (uint16_t)(units % FAL_CC_FRACTION);
    result->inter_packet_gap = 0;
    if (packets < 1) {
        double gap = rtt_ns * PS_PER_NS / TICK_PS * FAL_CC_FRACTION / units;

        result->inter_packet_gap = gap < FAL_CC_GAP_MAX ? (uint32_t)gap : FAL_CC_GAP_MAX;
    }
}

void fal_dcqcn_rue_process(void *ctx, struct fal_cc_state *state, uint32_t now,
                           const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct fal_dcqcn_rue *rue = ctx;
    struct fal_dcqcn_conn *conn = conn_of(rue, now, event);
    unsigned rise;

    (void)state;
    fal_cc_unchanged(event, result);
    if (conn == NULL || event->event_type == FAL_CC_RETRANSMIT)
        return;
    conn->now_ns += ns_of(fal_cc_since(now, conn->ticks));
    conn->ticks = now;
    rise = (event->ecn_accumulated - conn->marks) % MARKS;
    conn->marks = event->ecn_accumulated;
    fal_dcqcn_rp_sent(&conn->rp, (uint64_t)event->num_packets_acked * rue->packet_bytes,
                      conn->now_ns);
    if (fal_dcqcn_np_due(&conn->np, &rue->params, conn->now_ns))
        fal_dcqcn_rp_cnp(&conn->rp, conn->now_ns);
    if (rise > 0 && fal_dcqcn_np_marked(&conn->np, &rue->params, conn->now_ns))
        fal_dcqcn_rp_cnp(&conn->rp, conn->now_ns);
    result->rtt_state = fal_cc_rtt(event);
    set_window(result, (double)fal_dcqcn_rp_rate_bps(&conn->rp),
               (double)ns_of(fal_cc_rtt(event)), rue->packet_bytes);
}
