/* SPDX-License-Identifier: Apache-2.0
 * lanes.h - receive pipelines with several lanes (rx-lanes, rx-lanes-hashed): requests, data
 * and ACKs, or packets by their PSN, are processed by different engines. A packet waits in its
 * lane for a time between 0 and the pipeline allowance (IXIT `pipeline`); the order inside a
 * lane is kept, so packets of different lanes overtake each other. For connections with one of
 * these variants; for others nothing here has an effect. */
#ifndef FAL_ORACLES_ENDPOINT_VARIANTS_LANES_H
#define FAL_ORACLES_ENDPOINT_VARIANTS_LANES_H

#include "oracles/endpoint/connection.h"

struct fal_lanes;

/* The part of the pipeline allowance that each stage of the connection may use, in nanoseconds:
 * receive lanes and transmit queues together keep within it. */
uint64_t fal_lanes_share_ns(const struct fal_ep_conn *conn);

/* A packet has arrived (FAL_IN_PACKET). True: it is to be processed now; false: it waits, as a
 * copy. `formed`: `falcon` could be read. */
bool fal_lanes_take(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                    const struct fal_falcon *falcon, bool formed);

/* When the next packet leaves its lane, or FAL_NEVER. */
uint64_t fal_lanes_deadline(const struct fal_lanes *lanes);

/* Processes what has waited long enough; with `all`, whatever waits. */
void fal_lanes_run(struct fal_ep_conn *conn, bool all);

/* `lanes` may be NULL. Packets that wait are dropped. */
void fal_lanes_free(struct fal_lanes *lanes);

#endif
