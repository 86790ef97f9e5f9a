/* SPDX-License-Identifier: Apache-2.0
 * sockets.h - sockets for the UDP link and for `talon sut`: address resolution, streams of the
 * control channel, datagrams with kernel time stamps. All sockets are non-blocking and close on
 * exec. Only loopback, private, link-local and allowed addresses are used. */
#ifndef TL_HARNESS_LINK_SOCKETS_H
#define TL_HARNESS_LINK_SOCKETS_H

#include "codecs/base/error.h"
#include "harness/link/live_options.h"

#include <sys/un.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t tl_monotonic_ns(void);

/* Resolves HOST:PORT and refuses addresses that are not loopback, private or link-local.
 * Returns 0; FAL_ERR_FORM for an address that is refused or malformed, FAL_ERR_IO when a name
 * cannot be resolved; with `err`. */
MUST_USE int tl_resolve(const char *text, struct tl_address *out, struct fal_error *err);
/* The same, but also accepts the addresses in `allowed` (NULL: none). */
MUST_USE int tl_resolve_among(const char *text, const struct tl_allowed *allowed,
                              struct tl_address *out, struct fal_error *err);

/* The address of a control channel: tcp:HOST:PORT or unix:PATH. */
struct tl_stream {
    bool is_unix;
    struct tl_address ip;
    struct sockaddr_un un;
};

/* Returns as tl_resolve. */
MUST_USE int tl_stream_read(const char *text, struct tl_stream *out, struct fal_error *err);
MUST_USE int tl_stream_read_among(const char *text, const struct tl_allowed *allowed,
                                  struct tl_stream *out, struct fal_error *err);

/* Each of these functions returns a file descriptor, or FAL_ERR_IO with `err`. */

/* Connects within timeout_ns. */
MUST_USE int tl_stream_connect(const struct tl_stream *stream, uint64_t timeout_ns,
                               struct fal_error *err);
/* Listens. A Unix socket file without a listener is replaced. */
MUST_USE int tl_stream_listen(const struct tl_stream *stream, struct fal_error *err);
/* Opens a UDP socket that sends to and receives from `peer` only, with time stamps and drop
 * counts, bound to that local address; NULL: any. */
MUST_USE int tl_udp_connect(const struct tl_address *peer, const struct tl_address *from,
                            struct fal_error *err);
/* Opens a UDP socket at `local` that receives from any address. */
MUST_USE int tl_udp_bind(const struct tl_address *local, struct fal_error *err);
/* Sets the IP header fields of datagrams from now on: ECN bits (-1: ECT(0), the default) and
 * TTL (0: the system's default). */
void tl_udp_mark(int fd, int ecn, int ttl);

/* The longest IP packet that the route of this connected socket carries, as far as the kernel
 * knows; 0: unknown. */
uint32_t tl_udp_mtu(int fd, const struct tl_address *peer);
/* The bytes that a UDP datagram to that address carries in an IP packet of this length, without
 * IP options; 0 of 0. */
uint32_t tl_udp_room(uint32_t mtu, const struct tl_address *peer);

/* From now on datagrams of this connected socket are not fragmented and have that flow label
 * (IPv6; 0: chosen by the kernel). */
void tl_udp_dress(int fd, const struct tl_address *peer, uint32_t flow_label);

/* The kernel starts to take time stamps a while after the first socket asked for them; until
 * then it uses the time of reading. Waits until it has started, at most about 100 ms; false
 * when it did not. For a socket of tl_udp_connect. */
bool tl_wait_for_stamps(void);

/* The local address of the socket. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_socket_address(int fd, struct tl_address *out, struct fal_error *err);

/* The number of datagrams that the socket has dropped since it was opened, modulo 2^32; 0 where
 * the kernel does not tell. */
uint32_t tl_socket_drops(int fd);

#endif
