/* SPDX-License-Identifier: Apache-2.0
 * accept.h - the acceptance checks before the window's: integrity, SPI, replay (9.2.2.1 to
 * 9.2.2.3), in this order (AMB-33); and what a key rotation changes (9.2.2.3).
 *
 * A packet that fails one of them changes nothing: no window, no timer, no ACK or NACK; only
 * the connection manager may be told. On a plain link, which has no IV and no SPI, only the
 * first check is there. */
#ifndef FAL_ORACLES_ENDPOINT_DELIVERY_ACCEPT_H
#define FAL_ORACLES_ENDPOINT_DELIVERY_ACCEPT_H

#include "codecs/base/error.h"
#include "oracles/endpoint/endpoint.h"

struct fal_ep_conn;

/* What a connection knows of its security association (9.2.1). */
struct fal_security {
    bool on;                  /* false: a plain link */
    uint32_t spi, prev_spi;   /* of packets to this end; spi 0: not configured */
    uint32_t generation;      /* of the key behind `spi` */
    uint32_t peer_spi;        /* of packets from this end */
    bool has_vc;              /* packets from this end carry the peer's PCID */
    uint64_t pcid, peer_pcid; /* PSP Connection IDs likewise */
    uint64_t remote_time;     /* largest IV that was accepted */
};

/* What all connections of the endpoint share (9.2.1). */
struct fal_security_global {
    uint32_t generation; /* Current SPI Generation */
    bool allow_previous; /* Allow Previous SPI Generation */
    bool pcid_match;     /* PCID Match Enable */
};

/* As the connection manager configures it (9.2.1). */
void fal_security_init(struct fal_security *security,
                       const struct fal_endpoint_security *config,
                       const struct fal_security_global *global);

/* 9.2.2.2: (remote_time - margin) < iv, mod 2^64. */
bool fal_replay_passes(uint64_t remote_time, uint64_t margin, uint64_t iv);

/* The pseudo-code of 9.2.2.3 (AMB-34): whether SPI and PCID of a seal match, and both with an
 * SPI that is configured. */
bool fal_spi_matches(const struct fal_security *security,
                     const struct fal_security_global *global, const struct fal_seal *seal);
bool fal_pcid_matches(const struct fal_security *security,
                      const struct fal_security_global *global, const struct fal_seal *seal);
bool fal_spi_passes(const struct fal_security *security,
                    const struct fal_security_global *global, const struct fal_seal *seal);

/* Whether a packet of the connection may go on to the window. `falcon` is its header as far as
 * it could be read, `formed` whether it parses as one of this protocol (9.2.2.1). */
bool fal_accept(struct fal_ep_conn *conn, const struct fal_endpoint_in *in,
                const struct fal_falcon *falcon, bool formed);

/* A packet with that IV was accepted: Remote Time is the largest of them (9.2.1). */
void fal_accept_remote_time(struct fal_ep_conn *conn, uint64_t iv, bool ack);

/* An order of the connection manager (FAL_IN_CM); `conn` is NULL for those that regard the
 * endpoint. 0, FAL_ERR_RANGE (a connection that it needs and does not get, or without
 * security). */
MUST_USE int fal_accept_order(struct fal_endpoint *ep, struct fal_ep_conn *conn,
                              const struct fal_endpoint_in *in);

#endif
