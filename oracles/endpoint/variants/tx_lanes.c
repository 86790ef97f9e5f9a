/* SPDX-License-Identifier: Apache-2.0
 * tx_lanes.c - packets that count as sent wait as a header and a payload, and are sealed when
 * they leave. Retransmissions wait as long as any packet may, so that no two transmissions of a
 * packet are closer together on the wire than its timer had them; and where the gap between
 * packets is controlled, it is so on the wire: nothing waits. */
#include "oracles/endpoint/variants/lanes.h"

#include "oracles/endpoint/delivery/transmit.h"
#include "oracles/endpoint/variants/pipe.h"

#include <stdlib.h>

enum { LANE_ACKS, LANE_FIRST /* of the two for the windows */ };

/* A packet that waits. */
struct departure {
    struct fal_pipe_item item;
    struct fal_falcon header;
    bool alters; /* as in fal_odd: what a fault will do to it */
    size_t payload_len;
    uint8_t payload[];
};

/* On an ordered connection requests and data leave in RSN order across both windows (9.1.3). */
static unsigned lane_of(const struct fal_ep_conn *conn, const struct fal_falcon *header)
{
    if (fal_falcon_is_ack(header->packet_type))
        return LANE_ACKS;
    return LANE_FIRST + (conn->params.ordered ? 0 : fal_falcon_window(header));
}

static struct departure *copy(const struct fal_ep_conn *conn, const struct fal_falcon *header,
                              const uint8_t *payload, size_t payload_len)
{
    struct departure *d = malloc(sizeof *d + payload_len);

    if (d == NULL)
        return NULL;
    d->header = *header;
    d->alters = conn->odd->alters;
    d->payload_len = payload_len;
    if (payload_len > 0)
        memcpy(d->payload, payload, payload_len);
    return d;
}

bool fal_tx_lanes_take(struct fal_ep_conn *conn, const struct fal_falcon *header,
                       const uint8_t *payload, size_t payload_len)
{
    struct fal_odd *odd = conn->odd;
    struct fal_rng *rng = &conn->ep->twin_rng;
    uint64_t now_ns = conn->ep->now_ns, most_ns = fal_lanes_share_ns(conn), leaves_ns;
    bool paced = conn->params.fcwnd == 0 && conn->cc.gap > 0;
    bool ack = fal_falcon_is_ack(header->packet_type);
    struct fal_pipe_lane *lane;
    struct departure *d;

    if (!fal_twin(conn, FAL_TWIN_TX_LANES) || most_ns == 0)
        return true;
    if (odd->tx_pipe == NULL && (odd->tx_pipe = fal_pipe_new(rng, most_ns)) == NULL)
        return true; /* memory is short: the pipeline is as if it had no lanes */
    if (odd->tx_pipe->running)
        return true;
    lane = &odd->tx_pipe->lane[lane_of(conn, header)];
    leaves_ns = fal_pipe_leaves_ns(lane, rng, now_ns, paced ? 0 : most_ns, !ack && odd->again);
    if (fal_pipe_passes(lane, leaves_ns, now_ns))
        return true;
    d = copy(conn, header, payload, payload_len);
    fal_pipe_hold(lane, d != NULL ? &d->item : NULL, leaves_ns, &conn->ep->out_of_memory);
    return false;
}

void fal_tx_lanes_run(struct fal_ep_conn *conn, bool all)
{
    struct fal_pipe *pipe = conn->odd->tx_pipe;
    uint64_t now_ns = conn->ep->now_ns;
    struct fal_pipe_item *item;

    if (pipe == NULL || pipe->running)
        return;
    pipe->running = true;
    while ((item = fal_pipe_take(pipe, now_ns, all)) != NULL) {
        struct departure *d = (struct departure *)item; /* its first member */

        conn->odd->alters = d->alters;
        fal_transmit_emit(conn, &d->header, d->payload, d->payload_len);
        free(d);
    }
    if (all)
        fal_pipe_emptied(pipe, now_ns);
    pipe->running = false;
}
