/* SPDX-License-Identifier: Apache-2.0
 * credits.h - what a transaction costs: the units of packet and buffer resources that each of
 * its parts holds (the tables of 8.2.2, 8.2.3 and 8.2.4).
 *
 * The first six counters are the ULP's credits: requests and data that it generates. The last
 * two are the region of the network, which no ULP sees. Packet resources go by 1, buffers by
 * cells of N bytes. */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_CREDITS_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_CREDITS_H

#include <stdbool.h>
#include <stdint.h>

enum fal_pool {
    FAL_POOL_TX_PACKET,
    FAL_POOL_TX_BUFFER,
    FAL_POOL_RX_PACKET,
    FAL_POOL_RX_BUFFER
};

enum fal_region { FAL_REGION_ULP_REQUESTS, FAL_REGION_ULP_DATA, FAL_REGION_NETWORK };

/* X(enumerator, name, pool, region): the regions that the four pools are carved into (8.2.2).
 */
#define FAL_RESOURCES(X)                                 \
    X(REQ_PKT_TX, "req_pkt_tx", TX_PACKET, ULP_REQUESTS) \
    X(REQ_BUF_TX, "req_buf_tx", TX_BUFFER, ULP_REQUESTS) \
    X(REQ_PKT_RX, "req_pkt_rx", RX_PACKET, ULP_REQUESTS) \
    X(REQ_BUF_RX, "req_buf_rx", RX_BUFFER, ULP_REQUESTS) \
    X(DATA_PKT_TX, "data_pkt_tx", TX_PACKET, ULP_DATA)   \
    X(DATA_BUF_TX, "data_buf_tx", TX_BUFFER, ULP_DATA)   \
    X(NET_PKT_RX, "net_pkt_rx", RX_PACKET, NETWORK)      \
    X(NET_BUF_RX, "net_buf_rx", RX_BUFFER, NETWORK)

#define FAL_RESOURCE_ENUM(id, ...) FAL_RES_##id,
enum fal_resource { FAL_RESOURCES(FAL_RESOURCE_ENUM) FAL_RES_COUNT };

enum { FAL_CREDITS = 6 }; /* of these, the first are the ULP's */

struct fal_resource_row {
    const char *name; /* "req_pkt_tx" */
    enum fal_pool pool;
    enum fal_region region;
};

const struct fal_resource_row *fal_resource_row(enum fal_resource which);

/* What is paid for. */
enum fal_spend {
    FAL_SPEND_PUSH,     /* the initiator's push of that length */
    FAL_SPEND_PULL,     /* the initiator's pull of that length, its response included (8.2.2) */
    FAL_SPEND_RESPONSE, /* the target's pull data of that length */
    FAL_SPEND_NET_PUSH, /* a push that has arrived */
    FAL_SPEND_NET_PULL, /* a pull request that has arrived */
};

/* Which part of it: what transmission holds until the peer acknowledges, and what reception
 * holds until the ULP is done. */
enum fal_part { FAL_PART_ALL, FAL_PART_TX, FAL_PART_RX };

struct fal_units {
    uint32_t of[FAL_RES_COUNT];
};

/* The units of a part; `cell` is N, in bytes, > 0. */
struct fal_units fal_credit_cost(enum fal_spend spend, enum fal_part part, uint32_t length,
                                 uint32_t cell);

#endif
