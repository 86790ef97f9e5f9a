/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/variants/lanes.h"

#include "oracles/endpoint/delivery/receive.h"

#include <stdlib.h>

enum {
    LANE_ACKS,
    LANE_FIRST, /* of the lanes that are chosen by window or by PSN */
    HASHED = 4,
    LANES = LANE_FIRST + HASHED,
    PACE_KEPT = 16, /* on average so many packets pass before a lane's speed changes */
};

/* A packet that waits. */
struct waiting {
    struct fal_link link;
    uint64_t arrived_ns, leaves_ns;
    struct fal_endpoint_in in; /* without its bytes */
    uint8_t bytes[];
};

struct lane {
    struct fal_link queue; /* struct waiting, oldest first */
    uint64_t pace_ns;      /* no packet waits for longer, while the lane has this speed */
    uint64_t last_ns;      /* when the newest packet leaves or has left */
    bool steady;           /* each packet waits for just that time */
};

struct fal_lanes {
    struct lane lane[LANES];
    bool running; /* the packet that is processed has waited */
};

uint64_t fal_lanes_share_ns(const struct fal_ep_conn *conn)
{
    bool in = fal_twin(conn, FAL_TWIN_RX_LANES) || fal_twin(conn, FAL_TWIN_RX_LANES_HASHED);
    bool out = fal_twin(conn, FAL_TWIN_QUEUES_SWAP);

    return conn->params.pipeline_ns / (in && out ? 2 : 1);
}

/* A lane is idle, busy, or anything between, and stays so for a while. */
static void draw_pace(struct lane *lane, struct fal_rng *rng, uint64_t most_ns)
{
    uint64_t kind = fal_rng_below(rng, 4);

    lane->steady = kind < 2;
    lane->pace_ns = kind == 0 ? 0 : kind == 1 ? most_ns : fal_rng_below(rng, most_ns + 1);
}

static struct fal_lanes *new_lanes(struct fal_rng *rng, uint64_t most_ns)
{
    struct fal_lanes *lanes = calloc(1, sizeof *lanes);

    for (unsigned i = 0; lanes != NULL && i < LANES; i++) {
        fal_link_init(&lanes->lane[i].queue);
        draw_pace(&lanes->lane[i], rng, most_ns);
    }
    return lanes;
}

static unsigned hash(uint32_t psn)
{
    return (psn * UINT32_C(2654435761)) >> 30;
}

_Static_assert(HASHED == 4, "hash() gives two bits");

static struct lane *lane_of(const struct fal_ep_conn *conn, const struct fal_falcon *falcon,
                            bool formed)
{
    struct lane *lanes = conn->odd->lanes->lane;
    bool by_hash = fal_twin(conn, FAL_TWIN_RX_LANES_HASHED);

    if (!formed)
        return &lanes[LANE_FIRST];
    if (fal_falcon_is_ack(falcon->packet_type))
        return by_hash && falcon->packet_type == FAL_NACK
                   ? &lanes[LANE_FIRST + hash(falcon->nack_psn)]
                   : &lanes[LANE_ACKS];
    return &lanes[LANE_FIRST + (by_hash ? hash(falcon->psn) : fal_falcon_window(falcon))];
}

static uint64_t wait_ns(struct lane *lane, struct fal_rng *rng, uint64_t most_ns)
{
    if (fal_rng_below(rng, PACE_KEPT) == 0)
        draw_pace(lane, rng, most_ns);
    if (lane->pace_ns > most_ns)
        lane->pace_ns = most_ns; /* the allowance has been changed */
    return lane->steady ? lane->pace_ns : fal_rng_below(rng, lane->pace_ns + 1);
}

static struct waiting *copy(const struct fal_endpoint_in *in)
{
    struct waiting *w = malloc(sizeof *w + in->len);

    if (w == NULL)
        return NULL;
    w->in = *in;
    w->in.bytes = w->bytes;
    w->in.falcon = NULL; /* it is not there any more by then */
    if (in->len > 0)
        memcpy(w->bytes, in->bytes, in->len);
    return w;
}

bool fal_lanes_take(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                    const struct fal_falcon *falcon, bool formed)
{
    struct fal_odd *odd = conn->odd;
    struct fal_rng *rng = &conn->ep->twin_rng;
    uint64_t now_ns = conn->ep->now_ns, most_ns = fal_lanes_share_ns(conn), leaves_ns;
    struct lane *lane;
    struct waiting *w;

    if ((!fal_twin(conn, FAL_TWIN_RX_LANES) && !fal_twin(conn, FAL_TWIN_RX_LANES_HASHED)) ||
        most_ns == 0)
        return true;
    if (odd->lanes == NULL && (odd->lanes = new_lanes(rng, most_ns)) == NULL)
        return true; /* memory is short: the pipeline is as if it had no lanes */
    if (odd->lanes->running)
        return true;
    lane = lane_of(conn, falcon, formed);
    leaves_ns = now_ns + wait_ns(lane, rng, most_ns);
    if (leaves_ns < lane->last_ns)
        leaves_ns = lane->last_ns;
    if (leaves_ns == now_ns && fal_link_alone(&lane->queue))
        return true;
    w = copy(in);
    if (w == NULL) {
        conn->ep->out_of_memory = true;
        return false;
    }
    w->arrived_ns = now_ns;
    w->leaves_ns = lane->last_ns = leaves_ns;
    fal_link_append(&lane->queue, &w->link);
    return false;
}

static struct waiting *first(const struct lane *lane)
{
    return fal_link_alone(&lane->queue) ? NULL
                                        : FAL_ITEM(lane->queue.next, struct waiting, link);
}

/* The packet that leaves its lane before all others, or NULL. */
static struct waiting *next(const struct fal_lanes *lanes)
{
    struct waiting *soonest = NULL;

    for (unsigned i = 0; lanes != NULL && i < LANES; i++) {
        struct waiting *w = first(&lanes->lane[i]);

        if (w != NULL && (soonest == NULL || w->leaves_ns < soonest->leaves_ns))
            soonest = w;
    }
    return soonest;
}

uint64_t fal_lanes_deadline(const struct fal_lanes *lanes)
{
    const struct waiting *w = next(lanes);

    return w != NULL ? w->leaves_ns : FAL_NEVER;
}

void fal_lanes_run(struct fal_ep_conn *conn, bool all)
{
    struct fal_lanes *lanes = conn->odd->lanes;
    uint64_t now_ns = conn->ep->now_ns;
    struct waiting *w;

    if (lanes == NULL || lanes->running)
        return;
    lanes->running = true;
    while ((w = next(lanes)) != NULL && (all || w->leaves_ns <= now_ns)) {
        struct fal_ep_conn *to;

        fal_link_remove(&w->link);
        w->in.age_ns += now_ns - w->arrived_ns;
        to = fal_receive_packet(conn->ep, &w->in);
        if (to != NULL)
            fal_ep_conn_settle(to);
        free(w);
    }
    if (all)
        for (unsigned i = 0; i < LANES; i++)
            lanes->lane[i].last_ns = now_ns;
    lanes->running = false;
}

void fal_lanes_free(struct fal_lanes *lanes)
{
    struct waiting *w;

    while ((w = next(lanes)) != NULL) {
        fal_link_remove(&w->link);
        free(w);
    }
    free(lanes);
}
