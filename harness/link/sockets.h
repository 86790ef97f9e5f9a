/* SPDX-License-Identifier: Apache-2.0
 * sockets.h - sockets for the UDP link and for `talon sut`: addresses by name, streams of
 * the control channel, datagrams with kernel time stamps. All of them are non-blocking and
 * close on exec; none leaves loopback, private and link-local addresses. */
#ifndef TL_HARNESS_LINK_SOCKET_H
#define TL_HARNESS_LINK_SOCKET_H

#include "harness/link/live_options.h"

#include <sys/un.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t tl_monotonic_ns(void);

/* Resolves HOST:PORT and refuses what is not loopback, private or link-local. 0; FAL_ERR_FORM
 * for an address that is refused or cannot be read, FAL_ERR_IO when a name cannot be resolved;
 * with `err`. */
int tl_resolve(const char *text, struct tl_address *out, struct fal_error *err);
/* The same, but for what is allowed (NULL: nothing more). */
int tl_resolve_among(const char *text, const struct tl_allowed *allowed, struct tl_address *out,
                     struct fal_error *err);

/* Where a control channel is: tcp:HOST:PORT or unix:PATH. */
struct tl_stream {
    bool is_unix;
    struct tl_address ip;
    struct sockaddr_un un;
};

/* Same returns as tl_resolve. */
int tl_stream_read(const char *text, struct tl_stream *out, struct fal_error *err);
int tl_stream_read_among(const char *text, const struct tl_allowed *allowed,
                         struct tl_stream *out, struct fal_error *err);

/* Each of these returns a file descriptor, or FAL_ERR_IO with `err`. */

/* Connects within timeout_ns. */
int tl_stream_connect(const struct tl_stream *stream, uint64_t timeout_ns,
                      struct fal_error *err);
/* Listens. The file of a Unix socket that nobody listens on any more is replaced. */
int tl_stream_listen(const struct tl_stream *stream, struct fal_error *err);
/* A UDP socket that sends to and hears `peer` only, with time stamps and drop counts; from that
 * address of this host, or NULL: any. */
int tl_udp_connect(const struct tl_address *peer, const struct tl_address *from,
                   struct fal_error *err);
/* A UDP socket that hears everybody at `local`. */
int tl_udp_bind(const struct tl_address *local, struct fal_error *err);
/* The IP header of what leaves a UDP socket from now on: its ECN bits (-1: ECT(0), as usual)
 * and its TTL (0: the system's). */
void tl_udp_mark(int fd, int ecn, int ttl);

/* From now on datagrams of a connected socket are not fragmented, and have that flow label
 * (IPv6; 0: what the kernel chooses). */
void tl_udp_dress(int fd, const struct tl_address *peer, uint32_t flow_label);

/* The kernel begins to stamp a while after the first socket asked for it, and until then stamps
 * at reading. Waits until it does, at most some 100 ms; false when it never did. For a socket
 * of tl_udp_connect. */
bool tl_wait_for_stamps(void);

/* The address of this end. 0, or FAL_ERR_IO with `err`. */
int tl_socket_address(int fd, struct tl_address *out, struct fal_error *err);

/* Datagrams that the socket has dropped since it was opened, modulo 2^32; 0 where the kernel
 * does not say. */
uint32_t tl_socket_drops(int fd);

#endif
