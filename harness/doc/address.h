/* SPDX-License-Identifier: Apache-2.0
 * address.h - UDP and TCP addresses as text and as values. By default Talon sends only to
 * loopback, private (RFC 1918, RFC 4193) and link-local addresses. No function here resolves
 * names; sockets.c does. */
#ifndef TL_HARNESS_DOC_ADDRESS_H
#define TL_HARNESS_DOC_ADDRESS_H

#include "codecs/base/error.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct tl_address {
    union {
        struct sockaddr sa;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } u;
};

enum { TL_ADDRESS_TEXT = 80, TL_HOST_TEXT = 256 };

/* Splits "HOST:PORT" ("[HOST]:PORT" for an IPv6 host) into `host` (TL_HOST_TEXT bytes) and
 * port. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_address_split(const char *text, char *host, uint16_t *port,
                              struct fal_error *err);

/* Reads a numeric address: "127.0.0.1:7777", "[::1]:7777". Returns as above. */
MUST_USE int tl_address_parse(const char *text, struct tl_address *out, struct fal_error *err);

/* Prints the address; `out` has TL_ADDRESS_TEXT bytes. */
void tl_address_text(const struct tl_address *address, char *out);

/* Returns whether the address is loopback, private or link-local. The unspecified address,
 * multicast and global addresses are not. */
bool tl_address_private(const struct tl_address *address);

static inline int tl_address_family(const struct tl_address *address)
{
    return address->u.sa.sa_family;
}

static inline socklen_t tl_address_len(const struct tl_address *address)
{
    return tl_address_family(address) == AF_INET6 ? sizeof address->u.v6 : sizeof address->u.v4;
}

uint16_t tl_address_port(const struct tl_address *address);

#endif
