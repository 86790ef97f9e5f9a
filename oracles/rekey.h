/* SPDX-License-Identifier: Apache-2.0
 * rekey.h - the key rotation of a connection manager (9.2.2.3, steps 1 to 5), for the
 * connections of one endpoint to another. Pure: it orders through FAL_IN_CM, and what takes
 * time waits for its moment.
 *
 *   prepare   a rotation is near: the generation before is refused (5 of the last rotation)
 *   start     a new generation (1); each connection has a new SPI beside its previous one (2)
 *   announce  the peer has heard, and sends under the new key (3)
 *   linger    a few round trips later the previous SPI goes (4, optional) */
#ifndef FAL_ORACLES_REKEY_H
#define FAL_ORACLES_REKEY_H

#include "codecs/base/error.h"
#include "oracles/endpoint/endpoint.h"

struct fal_rekey_conn {
    uint32_t conn, peer_conn; /* numbers at either endpoint */
    uint32_t spi;             /* of packets to `conn` */
};

enum fal_rekey_step { FAL_REKEY_IDLE, FAL_REKEY_ANNOUNCE, FAL_REKEY_LINGER };

struct fal_rekey {
    struct fal_endpoint *ep, *peer;  /* borrowed */
    uint64_t announce_ns, linger_ns; /* linger FAL_NEVER: the previous SPI stays */
    uint32_t next_spi;               /* below 2^31; its top bit turns with each key (6.5) */
    bool top_bit;
    bool open; /* the last rotation has not been ended */
    enum fal_rekey_step step;
    uint64_t deadline_ns;         /* of the step, or FAL_NEVER */
    struct fal_rekey_conn *conns; /* borrowed */
    size_t num_conns;
};

/* `first_spi`: the first that it may give away, not 0. */
void fal_rekey_init(struct fal_rekey *rekey, struct fal_endpoint *ep, struct fal_endpoint *peer,
                    uint32_t first_spi);

/* Ends the last rotation, when there was one. fal_rekey_start does it where it was left out. 0,
 * or what the endpoint said. */
MUST_USE int fal_rekey_prepare(struct fal_rekey *rekey, uint64_t now_ns);

/* Begins a rotation at now_ns; remote_time is surely older than the peer's clock (9.2.1). 0;
 * FAL_ERR_RANGE while one is under way; or what the endpoint said. */
MUST_USE int fal_rekey_start(struct fal_rekey *rekey, uint64_t now_ns, uint64_t remote_time);

/* Takes the steps that are due. 0, or what an endpoint said. */
MUST_USE int fal_rekey_tick(struct fal_rekey *rekey, uint64_t now_ns);

#endif
