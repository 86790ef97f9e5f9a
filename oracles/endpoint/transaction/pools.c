/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/transaction/pools.h"

#include "codecs/base/error.h"
#include "oracles/endpoint/delivery/measure.h"

#include <stdlib.h>

enum { CELL = 256 };

void fal_pools_init(struct fal_pools *pools, const struct fal_endpoint_config *config)
{
    *pools = (struct fal_pools){.host.limits = config->host_limits,
                                .function_limits = config->function_limits,
                                .cell = config->cell > 0 ? config->cell : CELL};
}

void fal_pools_free(struct fal_pools *pools)
{
    for (uint32_t i = 0; i < pools->num_functions; i++)
        free(pools->functions[i]);
    free(pools->functions);
    fal_cidmap_free(&pools->places);
}

/* ---- limits ---- */

/* A connection keeps room for one head of line of its own. */
static struct fal_limits limits_of(const struct fal_params *params, uint32_t cell)
{
    struct fal_units longest =
        fal_credit_cost(FAL_SPEND_NET_PUSH, FAL_PART_ALL, params->mtu, cell);
    uint32_t cells = longest.of[FAL_RES_NET_BUF_RX] > 0 ? longest.of[FAL_RES_NET_BUF_RX] : 1;

    return (struct fal_limits){
        .units = {[FAL_RES_REQ_PKT_TX] = params->credit_req_pkt_tx,
                  [FAL_RES_REQ_BUF_TX] = params->credit_req_buf_tx,
                  [FAL_RES_REQ_PKT_RX] = params->credit_req_pkt_rx,
                  [FAL_RES_REQ_BUF_RX] = params->credit_req_buf_rx,
                  [FAL_RES_DATA_PKT_TX] = params->credit_data_pkt_tx,
                  [FAL_RES_DATA_BUF_TX] = params->credit_data_buf_tx,
                  [FAL_RES_NET_PKT_RX] = params->net_pkt_rx,
                  [FAL_RES_NET_BUF_RX] = params->net_buf_rx},
        .red_pkt = params->net_pkt_rx > 0,
        .red_buf = params->net_buf_rx > 0 ? cells : 0,
    };
}

bool fal_pools_sound(const struct fal_pools *pools, const struct fal_params *params)
{
    struct fal_limits own = limits_of(params, pools->cell);

    return fal_limits_sound(&own, params->mtu, pools->cell) &&
           fal_limits_sound(&pools->function_limits, params->mtu, pools->cell) &&
           fal_limits_sound(&pools->host.limits, params->mtu, pools->cell);
}

/* ---- functions ---- */

static struct fal_function *find(const struct fal_pools *pools, uint32_t number)
{
    uint32_t place = fal_cidmap_find(&pools->places, number);

    return place > 0 ? pools->functions[place - 1] : NULL;
}

static struct fal_function *add(struct fal_pools *pools, uint32_t number)
{
    struct fal_function *function = calloc(1, sizeof *function), **grown;
    uint32_t cap = pools->functions_cap == 0 ? 16 : 2 * pools->functions_cap;

    if (function == NULL)
        return NULL;
    if (pools->num_functions == pools->functions_cap) {
        grown = realloc(pools->functions, cap * sizeof(struct fal_function *));
        if (grown == NULL)
            goto fail;
        pools->functions = grown;
        pools->functions_cap = cap;
    }
    if (fal_cidmap_add(&pools->places, number, pools->num_functions + 1) < 0)
        goto fail;
    *function = (struct fal_function){.number = number,
                                      .place = pools->num_functions,
                                      .account.limits = pools->function_limits};
    pools->functions[pools->num_functions++] = function;
    return function;

fail:
    free(function);
    return NULL;
}

/* The last one moves into its place; its CID was there, so it can be put back. */
static void drop(struct fal_pools *pools, struct fal_function *function)
{
    struct fal_function *last = pools->functions[--pools->num_functions];

    fal_cidmap_remove(&pools->places, function->number);
    if (last != function) {
        fal_cidmap_remove(&pools->places, last->number);
        /* It has just been removed: there is room. */
        FAL_IGNORE(fal_cidmap_add(&pools->places, last->number, function->place + 1));
        last->place = function->place;
        pools->functions[last->place] = last;
    }
    free(function);
}

int fal_pools_join(struct fal_ep_conn *conn)
{
    struct fal_pools *pools = &conn->ep->pools;
    bool by_function = fal_limits_any(&pools->function_limits);

    conn->account.limits = limits_of(&conn->params, pools->cell);
    conn->limited = by_function || fal_limits_any(&conn->account.limits) ||
                    fal_limits_any(&pools->host.limits);
    if (!by_function)
        return 0;
    conn->function = find(pools, conn->local.function);
    if (conn->function == NULL)
        conn->function = add(pools, conn->local.function);
    if (conn->function == NULL)
        return FAL_ERR_MEM;
    conn->function->connections++;
    return 0;
}

void fal_pools_drain(struct fal_ep_conn *conn)
{
    struct fal_units held;

    memcpy(held.of, conn->account.used, sizeof held.of);
    fal_account_give(&conn->account, &held);
    fal_account_give(&conn->ep->pools.host, &held);
    if (conn->function != NULL)
        fal_account_give(&conn->function->account, &held);
    if (fal_proceed(conn, level_freed, &held, true))
        fal_measure_pools(conn->ep);
    conn->credits_back = conn->limited && conn->params.flow_control;
}

void fal_pools_leave(struct fal_ep_conn *conn)
{
    fal_pools_drain(conn);
    if (conn->function == NULL)
        return;
    if (--conn->function->connections == 0)
        drop(&conn->ep->pools, conn->function);
    conn->function = NULL;
}

/* ---- taking and giving ---- */

enum fal_shortage fal_pools_take(struct fal_ep_conn *conn, enum fal_spend spend,
                                 uint32_t length, bool head)
{
    struct fal_pools *pools = &conn->ep->pools;
    struct fal_units units;

    if (!conn->limited)
        return FAL_SHORT_NOTHING;
    units = fal_credit_cost(spend, FAL_PART_ALL, length, pools->cell);
    if (!fal_account_room(&conn->account, &units, head))
        return FAL_SHORT_CREDIT;
    if (!fal_proceed(conn, device_room, &units, head) ||
        (conn->function != NULL && !fal_account_room(&conn->function->account, &units, head)) ||
        !fal_account_room(&pools->host, &units, head))
        return FAL_SHORT_POOL;
    fal_account_take(&conn->account, &units);
    fal_account_take(&pools->host, &units);
    if (conn->function != NULL)
        fal_account_take(&conn->function->account, &units);
    fal_measure_pools(conn->ep);
    return FAL_SHORT_NOTHING;
}

void fal_pools_give(struct fal_ep_conn *conn, enum fal_spend spend, enum fal_part part,
                    uint32_t length)
{
    struct fal_units units;

    if (!conn->limited || !fal_proceed(conn, give_back, spend))
        return;
    units = fal_credit_cost(spend, part, length, conn->ep->pools.cell);
    fal_account_give(&conn->account, &units);
    fal_account_give(&conn->ep->pools.host, &units);
    if (conn->function != NULL)
        fal_account_give(&conn->function->account, &units);
    if (fal_proceed(conn, level_freed, &units, false))
        fal_measure_pools(conn->ep);
    if (spend != FAL_SPEND_NET_PUSH && spend != FAL_SPEND_NET_PULL)
        conn->credits_back = conn->params.flow_control;
}

bool fal_pools_hold_requests(const struct fal_ep_conn *conn)
{
    return conn->account.used[FAL_RES_NET_PKT_RX] > 0;
}

bool fal_pools_spent(const struct fal_ep_conn *conn, enum fal_resource which)
{
    return fal_account_left(&conn->account, which) == 0;
}

void fal_pools_give_packet(struct fal_ep_conn *conn, struct fal_tx_packet *packet)
{
    enum fal_spend spend = packet->original == FAL_PULL_DATA   ? FAL_SPEND_RESPONSE
                           : packet->original == FAL_PUSH_DATA ? FAL_SPEND_PUSH
                                                               : FAL_SPEND_PULL;

    if (packet->charged)
        fal_pools_give(conn, spend, FAL_PART_TX, packet->request_length);
    packet->charged = false;
}

void fal_pools_tell(struct fal_ep_conn *conn)
{
    if (conn->credits_back)
        (void)fal_ep_conn_out(conn, &(struct fal_endpoint_out){.kind = FAL_OUT_CREDITS}, 0);
    conn->credits_back = false;
}

int fal_endpoint_credits(const struct fal_endpoint *ep, uint32_t conn,
                         struct fal_endpoint_credits *left)
{
    const struct fal_ep_conn *of = fal_ep_conn_find(ep, conn);

    if (of == NULL)
        return FAL_ERR_RANGE;
    for (unsigned i = 0; i < FAL_RES_COUNT; i++) {
        left->connection[i] = fal_account_left(&of->account, i);
        left->function[i] =
            of->function != NULL ? fal_account_left(&of->function->account, i) : UINT32_MAX;
        left->host[i] = fal_account_left(&ep->pools.host, i);
    }
    return 0;
}
