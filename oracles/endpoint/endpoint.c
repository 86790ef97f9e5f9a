/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/endpoint.h"

#include "oracles/endpoint/delivery/receive.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

#include <stdlib.h>

enum {
    MAX_CONNECTIONS = 1024,
    CID_MAX = 0xffffff,
    PROTOCOL_TYPE_MAX = 7,
    TTL_MAX = 255,
};
enum { TWIN_RNG = 2, PATH_RNG }; /* parts of the seed */

/* Where neither levels nor limits of the host were given, the levels are parts of what the
 * connection that was opened last may hold. */
static void levels_of(struct fal_endpoint *ep, const struct fal_params *params)
{
    const uint32_t limits[FAL_RX_POOLS] = {
        [FAL_RX_PACKETS] = params->net_pkt_rx, [FAL_RX_BUFFERS] = params->net_buf_rx};

    for (unsigned i = 0; i < FAL_RX_POOLS; i++) {
        if (ep->levels_given[i])
            continue;
        fal_occupancy_resize(&ep->occupancy[i], limits[i] > 0 ? limits[i] : UINT32_MAX);
        ep->rx_level[i] = fal_occupancy_level(&ep->occupancy[i], false);
    }
}

/* Levels are parts of what the host may hold; where that has no limit, nothing is ever full. */
static void init_levels(struct fal_endpoint *ep, const struct fal_endpoint_config *config)
{
    const uint32_t *units = config->host_limits.units;
    const uint32_t limits[FAL_RX_POOLS] = {[FAL_RX_PACKETS] = units[FAL_RES_NET_PKT_RX],
                                           [FAL_RX_BUFFERS] = units[FAL_RES_NET_BUF_RX]};

    for (unsigned i = 0; i < FAL_RX_POOLS; i++) {
        if (config->rx_levels[i].alpha > 0)
            ep->occupancy[i] = config->rx_levels[i];
        else
            fal_occupancy_init(&ep->occupancy[i], limits[i] > 0 ? limits[i] : UINT32_MAX, 0);
        ep->levels_given[i] = config->rx_levels[i].alpha > 0 || limits[i] > 0;
        ep->rx_level[i] = fal_occupancy_level(&ep->occupancy[i], false);
    }
}

struct fal_endpoint *fal_endpoint_new(const struct fal_endpoint_config *config)
{
    struct fal_endpoint *ep = calloc(1, sizeof *ep);

    if (ep == NULL)
        return NULL;
    fal_faulty_init(&ep->faulty, &config->faults, config->seed);
    ep->twin_rng = fal_rng_split(config->seed, TWIN_RNG);
    ep->not_ready = config->not_ready;
    ep->ulp = config->ulp;
    ep->notes = config->internal_notes;
    ep->wordless_notes = config->wordless_notes;
    ep->path_rng = fal_rng_split(config->seed, PATH_RNG);
    fal_clock_init(&ep->clock, config->clock_ps, config->iv_shift);
    fal_rue_init(&ep->rue, &config->rue);
    init_levels(ep, config);
    ep->max_conns = config->max_connections > 0 ? config->max_connections : MAX_CONNECTIONS;
    ep->free_hint = 1;
    fal_link_init(&ep->ready);
    fal_link_init(&ep->stale);
    fal_pools_init(&ep->pools, config);
    fal_schedule_init(&ep->schedule, config->tx_gap_ns, config->tx_burst);
    fal_slab_init(&ep->connections, sizeof(struct fal_ep_conn), config->separate_blocks);
    fal_tx_packets_init(&ep->packets, config->separate_blocks);
    fal_ring_slots_init(&ep->slots, config->separate_blocks);
    fal_slab_init(&ep->initiated, offsetof(struct fal_initiated, inside) + FAL_INSIDE,
                  config->separate_blocks);
    fal_slab_init(&ep->received, offsetof(struct fal_received, inside) + FAL_INSIDE,
                  config->separate_blocks);
    return ep;
}

void fal_endpoint_free(struct fal_endpoint *ep)
{
    if (ep == NULL)
        return;
    for (uint32_t i = 0; i < ep->num_conns; i++)
        if (ep->conns[i] != NULL)
            fal_ep_conn_free(ep->conns[i]);
    free(ep->conns);
    fal_cidmap_free(&ep->cids);
    fal_timers_free(&ep->timers);
    fal_outqueue_free(&ep->out);
    fal_pools_free(&ep->pools);
    fal_ring_slots_free(&ep->slots);
    fal_slab_free(&ep->connections);
    fal_slab_free(&ep->packets);
    fal_slab_free(&ep->initiated);
    fal_slab_free(&ep->received);
    free(ep);
}

/* ---- opening and closing ---- */

static bool in_range(const struct fal_params *params)
{
    return params->rto_ns > 0 && params->transaction_timeout_ns > 0 &&
           params->tx_window_req > 0 && params->tx_window_req <= FAL_TX_WINDOW_MAX &&
           params->tx_window_data > 0 && params->tx_window_data <= FAL_TX_WINDOW_MAX &&
           params->mtu <= UINT16_MAX && params->ar_percent <= 100 &&
           params->protocol_type <= PROTOCOL_TYPE_MAX && params->initial_ttl <= TTL_MAX;
}

/* The lowest number that is free, with room for its connection; 0 when out of memory. */
static uint32_t free_number(struct fal_endpoint *ep)
{
    uint32_t number = ep->free_hint, cap = ep->conns_cap == 0 ? 16 : 2 * ep->conns_cap;
    struct fal_ep_conn **conns;

    while (fal_ep_conn_find(ep, number) != NULL)
        number++;
    ep->free_hint = number;
    if (fal_timers_reserve(&ep->timers, number) < 0)
        return 0;
    if (number > ep->conns_cap) {
        conns = realloc(ep->conns, cap * sizeof(struct fal_ep_conn *));
        if (conns == NULL)
            return 0;
        ep->conns = conns;
        ep->conns_cap = cap;
    }
    if (number > ep->num_conns)
        ep->conns[ep->num_conns++] = NULL;
    return number;
}

int fal_endpoint_open(struct fal_endpoint *ep, const struct fal_endpoint_conn *config,
                      uint64_t now_ns, uint32_t *conn)
{
    struct fal_ep_conn *opened;
    uint32_t number;

    if (config->local.cid > CID_MAX || config->peer.cid > CID_MAX ||
        config->local.function > CID_MAX || config->peer.function > CID_MAX ||
        !in_range(&config->params) || !fal_pools_sound(&ep->pools, &config->params) ||
        fal_cidmap_find(&ep->cids, config->local.cid) != 0 || ep->cids.count >= ep->max_conns)
        return FAL_ERR_RANGE;
    if (now_ns > ep->now_ns)
        ep->now_ns = now_ns;
    number = free_number(ep);
    opened = number > 0 ? fal_ep_conn_new(ep, config, number) : NULL;
    if (opened == NULL || fal_cidmap_add(&ep->cids, config->local.cid, number) < 0) {
        if (opened != NULL)
            fal_ep_conn_free(opened);
        return FAL_ERR_MEM;
    }
    levels_of(ep, &config->params);
    ep->conns[number - 1] = opened;
    *conn = number;
    return 0;
}

void fal_endpoint_close(struct fal_endpoint *ep, uint32_t conn)
{
    struct fal_ep_conn *closed = fal_ep_conn_find(ep, conn);

    if (closed == NULL)
        return;
    fal_cidmap_remove(&ep->cids, closed->local.cid);
    fal_timers_set(&ep->timers, conn - 1, FAL_NEVER);
    ep->conns[conn - 1] = NULL;
    if (conn < ep->free_hint)
        ep->free_hint = conn;
    fal_ep_conn_free(closed);
}

/* ---- inputs ---- */

static void tick(struct fal_endpoint *ep)
{
    struct fal_timer timer;

    fal_ep_conn_set_deadlines(ep);
    while ((timer = fal_timers_first(&ep->timers)).at_ns <= ep->now_ns &&
           timer.at_ns != FAL_NEVER) {
        struct fal_ep_conn *conn = ep->conns[timer.id];

        fal_ep_conn_tick(conn);
        fal_ep_conn_settle(conn);
        fal_ep_conn_set_deadlines(ep);
    }
    fal_schedule_run(ep);
}

/* POST and RESPOND. */
static int from_ulp(struct fal_endpoint *ep, const struct fal_endpoint_in *in, uint32_t *rsn)
{
    struct fal_ep_conn *conn = fal_ep_conn_find(ep, in->conn);
    uint32_t ignored;
    int rc;

    if (conn == NULL)
        return FAL_ERR_RANGE;
    conn = fal_decide(conn, of_ulp, conn, in);
    fal_ahead_posted(ep, conn->number);
    if (in->kind == FAL_IN_POST)
        rc = fal_initiator_post(conn, in, rsn != NULL ? rsn : &ignored);
    else
        rc = fal_target_respond(conn, in);
    fal_ep_conn_settle(conn);
    return rc;
}

/* What a connection, or each, has put off is done now. */
static void catch_up(struct fal_endpoint *ep, uint32_t number)
{
    for (uint32_t i = 0; i < ep->num_conns; i++) {
        struct fal_ep_conn *conn = ep->conns[i];

        if (conn != NULL && conn->odd != NULL && (number == 0 || number == i + 1)) {
            fal_remind(conn, catch_up);
            fal_ep_conn_settle(conn);
        }
    }
}

/* TICK, CM, RUE and BARRIER. */
static int from_others(struct fal_endpoint *ep, const struct fal_endpoint_in *in)
{
    struct fal_ep_conn *conn;
    int rc = 0;

    if (in->kind == FAL_IN_TICK) {
        tick(ep);
    } else if (in->kind == FAL_IN_CM) {
        catch_up(ep, in->conn); /* an order finds nothing half done */
        rc = fal_accept_order(ep, fal_ep_conn_find(ep, in->conn), in);
    } else if (in->kind == FAL_IN_BARRIER) {
        catch_up(ep, in->conn);
    } else {
        conn = fal_rue_result(ep, in, &rc);
        if (conn != NULL)
            fal_ep_conn_settle(conn);
    }
    return rc;
}

int fal_endpoint_input(struct fal_endpoint *ep, const struct fal_endpoint_in *in,
                       uint64_t now_ns, uint32_t *rsn)
{
    struct fal_ep_conn *conn;
    int rc = 0;

    if (now_ns > ep->now_ns)
        ep->now_ns = now_ns;
    ep->out_of_memory = false;
    if (in->kind == FAL_IN_PACKET) {
        conn = fal_receive_packet(ep, in);
        if (conn != NULL)
            fal_ep_conn_settle(conn);
    } else if (in->kind == FAL_IN_POST || in->kind == FAL_IN_RESPOND) {
        rc = from_ulp(ep, in, rsn);
    } else {
        rc = from_others(ep, in);
    }
    return rc == 0 && ep->out_of_memory ? FAL_ERR_MEM : rc;
}

/* ---- outputs ---- */

/* Requests are delivered one at a time, when all else was taken: the ULP's answer to one, if it
 * comes at once, decides whether the next may follow (8.5.3.4). Connections take turns. */
static void deliver_one(struct fal_endpoint *ep)
{
    struct fal_ep_conn *conn = FAL_ITEM(ep->ready.next, struct fal_ep_conn, link);
    bool delivered = fal_target_deliver(conn);

    fal_link_remove(&conn->link);
    if (fal_target_ready(conn))
        fal_link_append(&ep->ready, &conn->link);
    if (!delivered)
        ep->out_of_memory = true;
}

static __attribute__((noinline)) const struct fal_endpoint_out *deliver(struct fal_endpoint *ep)
{
    while (fal_outqueue_empty(&ep->out) && !fal_link_alone(&ep->ready) && !ep->out_of_memory)
        deliver_one(ep);
    return fal_outqueue_take(&ep->out);
}

const struct fal_endpoint_out *fal_endpoint_take(struct fal_endpoint *ep)
{
    ep->out_of_memory = false;
    if (fal_outqueue_empty(&ep->out))
        return fal_link_alone(&ep->ready) ? NULL : deliver(ep);
    return fal_outqueue_take(&ep->out);
}

bool fal_endpoint_next(struct fal_endpoint *ep, struct fal_endpoint_out *out)
{
    const struct fal_endpoint_out *first = fal_endpoint_take(ep);

    if (first != NULL)
        *out = *first;
    return first != NULL;
}

uint64_t fal_endpoint_fault_acts(const struct fal_endpoint *ep, enum fal_fault_id id)
{
    return ep->faulty.acts[id];
}

uint64_t fal_endpoint_fault_chances(const struct fal_endpoint *ep, enum fal_fault_id id)
{
    return ep->faulty.chances[id];
}

void fal_endpoint_faults(const struct fal_endpoint *ep, uint64_t *chances, uint64_t *acts)
{
    *chances = ep->faulty.all_chances;
    *acts = ep->faulty.all_acts;
}

uint64_t fal_endpoint_deadline(struct fal_endpoint *ep)
{
    uint64_t send_ns = fal_schedule_deadline(ep), timer_ns;

    fal_ep_conn_set_deadlines(ep);
    timer_ns = fal_timers_first(&ep->timers).at_ns;
    return timer_ns < send_ns ? timer_ns : send_ns;
}
