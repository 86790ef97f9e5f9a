/* SPDX-License-Identifier: Apache-2.0
 * link_udp.c - a SUT anywhere: Falcon in UDP, by a socket. */
#include "harness/link_live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEND_TRIES = 5,
    SEND_WAIT_MS = 20,
    REFUSALS = 64, /* ICMP errors that one look for a frame may step over */
    ECN_BITS = 3,
};

struct link_udp {
    struct tl_live live; /* first */
    char local[TL_ADDRESS_TEXT];
    int socket;
    uint32_t path;
};

static struct link_udp *udp_of(struct tl_live *live)
{
    return (struct link_udp *)live;
}

/* Errors that go away by being told. */
static bool passing(int code)
{
    return code == ECONNREFUSED || code == EHOSTUNREACH || code == EHOSTDOWN ||
           code == ENETUNREACH || code == EPROTO || code == ENOPROTOOPT || code == EACCES ||
           code == EINTR;
}

static void udp_mark(struct tl_live *live, int ecn, int ttl)
{
    tl_udp_mark(udp_of(live)->socket, ecn, ttl);
}

static int udp_send(struct tl_live *live, const uint8_t *bytes, size_t len)
{
    struct link_udp *udp = udp_of(live);
    int code = 0;

    for (unsigned i = 0; i < SEND_TRIES; i++) {
        if (send(udp->socket, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        code = errno;
        if (code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS) {
            struct pollfd writable = {.fd = udp->socket, .events = POLLOUT};

            (void)poll(&writable, 1, SEND_WAIT_MS);
        } else if (!passing(code)) {
            break;
        }
    }
    return code;
}

/* What the kernel says of the IP header: one byte, or an int. */
static uint8_t small(const struct cmsghdr *c)
{
    int wide = 0;

    if (c->cmsg_len >= CMSG_LEN(sizeof wide))
        memcpy(&wide, CMSG_DATA(c), sizeof wide);
    else
        wide = *(const unsigned char *)CMSG_DATA(c);
    return (uint8_t)wide;
}

/* Stamp, ECN and TTL. */
static void read_ancillary(struct tl_live *live, struct msghdr *msg)
{
    struct timespec stamp;
    bool stamped = false;

    live->frame.ecn = live->frame.ttl = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            stamped = true;
        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) ||
                   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)) {
            live->frame.ecn = small(c) & ECN_BITS;
        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) ||
                   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
            live->frame.ttl = small(c);
        }
    }
    tl_live_stamp(live, stamped ? &stamp : NULL);
}

static int udp_look(struct tl_live *live)
{
    struct link_udp *udp = udp_of(live);

    for (unsigned i = 0; i < REFUSALS && !live->frame.there; i++) {
        union {
            char bytes[256];
            struct cmsghdr align;
        } ancillary;
        struct iovec iov = {.iov_base = live->frame.bytes, .iov_len = sizeof live->frame.bytes};
        struct msghdr msg = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = ancillary.bytes,
                             .msg_controllen = sizeof ancillary.bytes};
        ssize_t n = recvmsg(udp->socket, &msg, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0 && !passing(errno))
            return errno;
        if (n < 0)
            continue;
        read_ancillary(live, &msg);
        live->frame.path = udp->path;
        live->frame.len = (size_t)n;
        live->frame.there = true;
    }
    return 0;
}

static uint32_t udp_drops(struct tl_live *live)
{
    return tl_socket_drops(udp_of(live)->socket);
}

static void udp_close(struct tl_live *live)
{
    if (udp_of(live)->socket >= 0)
        (void)close(udp_of(live)->socket);
}

static const struct tl_port_ops udp_ops = {udp_mark, udp_send, udp_look, udp_drops, udp_close};

static bool loopback(const struct tl_address *address)
{
    return tl_address_family(address) == AF_INET
               ? ntohl(address->u.v4.sin_addr.s_addr) >> 24 == 127
               : IN6_IS_ADDR_LOOPBACK(&address->u.v6.sin6_addr);
}

/* The socket, and what it says of itself. */
static int open_socket(struct link_udp *udp, const char *address, struct fal_error *err)
{
    struct tl_address peer, local;
    int rc = tl_resolve(address, &peer, err);

    if (rc != 0)
        return rc;
    if (tl_address_port(&peer) == 0)
        return fal_fail(err, FAL_ERR_FORM, "address '%.100s' has no port", address);
    udp->socket = tl_udp_connect(&peer, err);
    if (udp->socket < 0 || tl_socket_address(udp->socket, &local, err) != 0)
        return FAL_ERR_IO;
    (void)tl_wait_for_stamps(); /* without them frames count from when they were read */
    tl_address_text(&local, udp->local);
    udp->path = tl_address_port(&peer);
    udp->live.caps.no_duplicates = loopback(&peer);
    udp->live.caps.local_address = udp->local;
    return 0;
}

struct tl_link *tl_link_udp_open(const char *address, const char *control,
                                 struct fal_error *err)
{
    struct link_udp *udp = calloc(1, sizeof *udp);

    if (udp == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    udp->socket = -1;
    tl_live_init(&udp->live, &udp_ops, "udp");
    if (open_socket(udp, address, err) == 0 &&
        tl_live_open(&udp->live, udp->socket, control, err) == 0)
        return &udp->live.link;
    tl_live_free(&udp->live.link);
    return NULL;
}
