/* SPDX-License-Identifier: Apache-2.0
 * rx_lanes.c - packets wait once they were accepted, and are then processed with the time stamp
 * of their arrival. */
#include "oracles/endpoint/variants/lanes.h"

#include "oracles/endpoint/delivery/receive.h"
#include "oracles/endpoint/faults/seams.h"
#include "oracles/endpoint/variants/pipe.h"

#include <stdlib.h>

enum {
    LANE_ACKS,
    LANE_FIRST, /* of the lanes that are chosen by window or by PSN */
    HASH_SHIFT = 30,
};

_Static_assert(LANE_FIRST + (1 << (32 - HASH_SHIFT)) == FAL_PIPE_LANES, "a lane for each hash");

/* A packet that waits. */
struct arrival {
    struct fal_pipe_item item;
    uint64_t arrived_ns;
    struct fal_endpoint_in in; /* without the bytes */
    struct fal_arrival packet;
    uint8_t payload[];
};

static bool by_hash(const struct fal_ep_conn *conn)
{
    return fal_twin(conn, FAL_TWIN_RX_LANES_HASHED);
}

static bool has_lanes(const struct fal_ep_conn *conn)
{
    return fal_twin(conn, FAL_TWIN_RX_LANES) || by_hash(conn);
}

uint64_t fal_lanes_share_ns(const struct fal_ep_conn *conn)
{
    const bool stages[] = {has_lanes(conn), fal_twin(conn, FAL_TWIN_QUEUES_SWAP),
                           fal_twin(conn, FAL_TWIN_TX_LANES)};
    unsigned n = 0;

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        n += stages[i];
    return (conn->twins.lanes_ns > 0 ? conn->twins.lanes_ns : conn->params.pipeline_ns) /
           (n > 0 ? n : 1);
}

static unsigned hash(uint32_t psn)
{
    return (psn * UINT32_C(2654435761)) >> HASH_SHIFT;
}

static unsigned lane_of(const struct fal_ep_conn *conn, const struct fal_falcon *falcon)
{
    if (falcon->packet_type == FAL_NACK && by_hash(conn))
        return LANE_FIRST + hash(falcon->nack_psn);
    if (fal_falcon_is_ack(falcon->packet_type))
        return LANE_ACKS;
    return LANE_FIRST + (by_hash(conn) ? hash(falcon->psn) : fal_falcon_window(falcon));
}

static struct arrival *copy(const struct fal_endpoint_in *in, const struct fal_arrival *packet,
                            uint64_t now_ns)
{
    struct arrival *a = malloc(sizeof *a + packet->payload_len);

    if (a == NULL)
        return NULL;
    a->arrived_ns = now_ns;
    a->in = *in;
    a->in.bytes = NULL; /* they are not there any more by then */
    a->in.falcon = NULL;
    a->packet = *packet;
    a->packet.payload = a->payload;
    if (packet->payload_len > 0)
        memcpy(a->payload, packet->payload, packet->payload_len);
    return a;
}

bool fal_rx_lanes_take(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                       const struct fal_arrival *packet)
{
    struct fal_odd *odd = conn->odd;
    struct fal_rng *rng = &conn->ep->twin_rng;
    uint64_t now_ns = conn->ep->now_ns, most_ns = fal_lanes_share_ns(conn), leaves_ns;
    struct fal_pipe_lane *lane;
    struct arrival *a;

    if (!has_lanes(conn) || most_ns == 0)
        return true;
    if (odd->rx_pipe == NULL && (odd->rx_pipe = fal_pipe_new(rng, most_ns)) == NULL)
        return true; /* memory is short: the pipeline is as if it had no lanes */
    lane = &odd->rx_pipe->lane[lane_of(conn, &packet->falcon)];
    leaves_ns = fal_pipe_leaves_ns(lane, rng, now_ns, most_ns, false);
    if (fal_pipe_passes(lane, leaves_ns, now_ns))
        return true;
    a = copy(in, packet, now_ns);
    fal_pipe_hold(lane, a != NULL ? &a->item : NULL, leaves_ns, &conn->ep->out_of_memory);
    return false;
}

void fal_rx_lanes_run(struct fal_ep_conn *conn, bool all)
{
    struct fal_pipe *pipe = conn->odd->rx_pipe;
    uint64_t now_ns = conn->ep->now_ns;
    struct fal_pipe_item *item;

    if (pipe == NULL || pipe->running)
        return;
    pipe->running = true;
    while ((item = fal_pipe_take(pipe, now_ns, all)) != NULL) {
        struct arrival *a = (struct arrival *)item; /* its first member */

        a->in.age_ns += now_ns - a->arrived_ns;
        if (!conn->dead || fal_odd_addressee(conn->ep, conn, true) != NULL) {
            fal_receive_accepted(conn, &a->in, &a->packet);
            fal_ep_conn_settle(conn);
        }
        free(a);
    }
    if (all)
        fal_pipe_emptied(pipe, now_ns);
    pipe->running = false;
}

uint64_t fal_lanes_deadline(const struct fal_ep_conn *conn)
{
    uint64_t rx_ns = fal_pipe_deadline(conn->odd->rx_pipe);
    uint64_t tx_ns = fal_pipe_deadline(conn->odd->tx_pipe);

    return rx_ns < tx_ns ? rx_ns : tx_ns;
}

static void free_pipe(struct fal_pipe *pipe)
{
    struct fal_pipe_item *item;

    while (pipe != NULL && (item = fal_pipe_next(pipe)) != NULL) {
        fal_link_remove(&item->link);
        free(item); /* the beginning of what was allocated */
    }
    free(pipe);
}

void fal_lanes_free(struct fal_ep_conn *conn)
{
    free_pipe(conn->odd->rx_pipe);
    free_pipe(conn->odd->tx_pipe);
}
