/* SPDX-License-Identifier: Apache-2.0
 * pools.h - the resources of a connection: its own account, that of its function and that of
 * the host (8.2.2, 8.2.3, 8.2.4). Everything that a transaction takes is given back once: its
 * transmit part when the peer has acknowledged, its receive part when the ULP is done (11). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_POOLS_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_POOLS_H

#include "codecs/base/error.h"
#include "oracles/endpoint/connection.h"

void fal_pools_init(struct fal_pools *pools, const struct fal_endpoint_config *config);
void fal_pools_free(struct fal_pools *pools);

/* Whether the limits at all levels leave room for the longest head of line of a connection. */
bool fal_pools_sound(const struct fal_pools *pools, const struct fal_params *params);

/* A connection joins the account of its function, and leaves it with all that it still holds.
 * 0, FAL_ERR_MEM. */
MUST_USE int fal_pools_join(struct fal_ep_conn *conn);
void fal_pools_leave(struct fal_ep_conn *conn);

/* Releases everything that the connection holds, because it has ended. */
void fal_pools_drain(struct fal_ep_conn *conn);

enum fal_shortage {
    FAL_SHORT_NOTHING, /* taken */
    FAL_SHORT_CREDIT,  /* the connection's own limit */
    FAL_SHORT_POOL,    /* that of its function or the host */
};

/* Takes what a transaction of that length costs, or nothing. */
enum fal_shortage fal_pools_take(struct fal_ep_conn *conn, enum fal_spend spend,
                                 uint32_t length, bool head);

/* Gives back a part of it; credits of the ULP are told to it when this input is done with. */
void fal_pools_give(struct fal_ep_conn *conn, enum fal_spend spend, enum fal_part part,
                    uint32_t length);

/* Whether requests of the peer are held in the connection's resources (8.2.4). Always false
 * without limits, where nothing is counted. */
bool fal_pools_hold_requests(const struct fal_ep_conn *conn);

/* Whether the connection's whole share of it is in use. */
bool fal_pools_spent(const struct fal_ep_conn *conn, enum fal_resource which);

/* Gives back what this packet of the connection's own ULP holds; nothing, the second time. */
void fal_pools_give_packet(struct fal_ep_conn *conn, struct fal_tx_packet *packet);

/* Tells the ULP, once, that it has credits again. */
void fal_pools_tell(struct fal_ep_conn *conn);

#endif
