/* SPDX-License-Identifier: Apache-2.0
 * ahead.h - fetches the memory that coming packets need into the cache. With 100,000
 * connections the way from a connection ID to a connection is three loads from memory, each of
 * which depends on the one before. Packets that a caller announces take these three steps while
 * the packets before them are processed. Nothing here changes what the endpoint does. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_AHEAD_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_AHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_endpoint;

enum { FAL_AHEAD_STEP = 2 };

struct fal_ahead {
    uint32_t turn;
    uint32_t cids[FAL_AHEAD_STEP];    /* announced: their places in the map are fetched */
    uint32_t numbers[FAL_AHEAD_STEP]; /* 0: none; their pointers are fetched */
    uint32_t fetched;                 /* the connection that was fetched last */
    bool announced;                   /* a packet was, since the last one arrived */
};

/* The upper layer posts to, or answers on, the open connection of that number. */
void fal_ahead_posted(struct fal_endpoint *ep, uint32_t number);

/* A packet of the connection has arrived; nothing is fetched if it was announced. */
void fal_ahead_arrived(struct fal_endpoint *ep, uint32_t number);

#endif
