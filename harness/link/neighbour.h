/* SPDX-License-Identifier: Apache-2.0
 * neighbour.h - ARP (RFC 826) and neighbour discovery (RFC 4861) for the address that a raw
 * link sends from, because the kernel does not answer for it. */
#ifndef TL_HARNESS_LINK_NEIGHBOUR_H
#define TL_HARNESS_LINK_NEIGHBOUR_H

#include "codecs/base/error.h"
#include "harness/doc/address.h"

#include <libnet.h>
#include <pcap/pcap.h>

/* Answers the frame if it asks for the MAC of `own`. Returns true if the frame was such a
 * request or another message of these protocols, and nothing else. */
bool tl_neighbour_asked(const uint8_t *bytes, size_t len, const uint8_t mac[6],
                        const struct tl_address *own, libnet_t *net);

/* Asks for the MAC of `peer` once, without waiting. */
bool tl_neighbour_ask(libnet_t *net, const uint8_t mac[6], const struct tl_address *own,
                      const struct tl_address *peer);

/* Reads the MAC that a request or an answer announces: its sender's. False: none. */
bool tl_neighbour_says(const uint8_t *bytes, size_t len, struct tl_address *host,
                       uint8_t mac[6]);

/* An interface that asks: how it captures and sends, its MAC and its own address. */
struct tl_neighbour_port {
    pcap_t *pcap;
    libnet_t *net;
    const uint8_t *mac; /* 6 bytes */
    const struct tl_address *own;
};

/* Asks for the MAC of `peer` three times within three seconds and answers requests meanwhile.
 * Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_neighbour_find(const struct tl_neighbour_port *port,
                               const struct tl_address *peer, uint8_t found[6],
                               struct fal_error *err);

#endif
