/* SPDX-License-Identifier: Apache-2.0
 * link_udp.c - a SUT reached by UDP over the sockets of this host. */
#include "harness/link/live.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    SEND_TRIES = 5,
    SEND_WAIT_MS = 20,
    REFUSALS = 64, /* ICMP errors that one attempt to read a frame may skip */
    ECT0 = 2,
    ECN_BITS = 3,
    PORTS_MAX = 64,
};

struct link_udp {
    struct tl_live live; /* must be the first member */
    char local[TL_ADDRESS_TEXT];
    int socket; /* the port from which frames leave */
    struct tl_address peer;
    int ports[PORTS_MAX]; /* the sockets of all ports; the first is the link's own */
    unsigned num_ports;
    /* With several ports: which of them have something to read, bit n for port n, as far as
     * epoll was asked; and what the kernel dropped. It is asked for the drops when no frame
     * waits, and when a frame says that some before it were dropped. */
    int poll;
    uint64_t ready;
    bool asks_drops;
    uint32_t overflows[PORTS_MAX], dropped;
};

static struct link_udp *udp_of(struct tl_live *live)
{
    return (struct link_udp *)live;
}

/* Errors that are cleared by reporting them once. */
static bool passing(int code)
{
    return code == ECONNREFUSED || code == EHOSTUNREACH || code == EHOSTDOWN ||
           code == ENETUNREACH || code == EPROTO || code == ENOPROTOOPT || code == EACCES ||
           code == EINTR;
}

static void udp_mark(struct tl_live *live, int ecn, int ttl)
{
    tl_udp_mark(udp_of(live)->socket, live->dscp << 2 | (ecn >= 0 ? ecn : ECT0), ttl);
}

static void udp_dress(struct tl_live *live)
{
    struct link_udp *udp = udp_of(live);

    udp_mark(live, -1, 0);
    tl_udp_dress(udp->socket, &udp->peer, live->flow_label);
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

/* The kernel gives a field of the IP header as one byte or as an int. */
static uint8_t small(const struct cmsghdr *c)
{
    int wide = 0;

    if (c->cmsg_len >= CMSG_LEN(sizeof wide))
        memcpy(&wide, CMSG_DATA(c), sizeof wide);
    else
        wide = *(const unsigned char *)CMSG_DATA(c);
    return (uint8_t)wide;
}

static void note_overflow(struct link_udp *udp, unsigned port, const struct cmsghdr *c)
{
    uint32_t count;

    memcpy(&count, CMSG_DATA(c), sizeof count);
    udp->asks_drops |= count != udp->overflows[port];
    udp->overflows[port] = count;
}

/* Time stamp, ECN and TTL. */
static void read_ancillary(struct tl_live *live, unsigned port, struct msghdr *msg)
{
    struct timespec stamp;
    bool stamped = false;

    live->frame.ecn = live->frame.ttl = live->frame.dscp = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            stamped = true;
        } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
            note_overflow(udp_of(live), port, c);
        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) ||
                   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)) {
            live->frame.ecn = small(c) & ECN_BITS;
            live->frame.dscp = small(c) >> 2;
        } else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) ||
                   (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
            live->frame.ttl = small(c);
        }
    }
    tl_live_stamp(live, stamped ? &stamp : NULL);
}

static int look_at(struct tl_live *live, unsigned port)
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
        ssize_t n = recvmsg(udp->ports[port], &msg, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0 && !passing(errno))
            return errno;
        if (n < 0)
            continue;
        read_ancillary(live, port, &msg);
        live->frame.port = port;
        live->frame.len = (size_t)n;
        live->frame.there = true;
    }
    return 0;
}

static void find_ready(struct link_udp *udp)
{
    struct epoll_event events[PORTS_MAX];
    int n = epoll_wait(udp->poll, events, PORTS_MAX, 0);

    for (int i = 0; i < n; i++)
        udp->ready |= UINT64_C(1) << events[i].data.u32;
}

/* Ports take turns: one frame each. */
static int udp_look(struct tl_live *live)
{
    struct link_udp *udp = udp_of(live);
    int code = 0;

    if (udp->num_ports == 1)
        return look_at(live, 0);
    if (udp->ready == 0)
        find_ready(udp);
    while (code == 0 && udp->ready != 0 && !live->frame.there) {
        unsigned port = (unsigned)__builtin_ctzll(udp->ready);

        udp->ready &= udp->ready - 1;
        code = look_at(live, port);
    }
    udp->asks_drops |= !live->frame.there;
    return code;
}

static uint32_t udp_drops(struct tl_live *live)
{
    struct link_udp *udp = udp_of(live);

    if (udp->num_ports > 1 && !udp->asks_drops)
        return udp->dropped;
    udp->asks_drops = false;
    udp->dropped = 0;
    for (unsigned i = 0; i < udp->num_ports; i++)
        udp->dropped += tl_socket_drops(udp->ports[i]);
    return udp->dropped;
}

static void udp_close(struct tl_live *live)
{
    struct link_udp *udp = udp_of(live);

    if (udp->poll >= 0)
        (void)close(udp->poll);
    for (unsigned i = 0; i < udp->num_ports; i++)
        (void)close(udp->ports[i]);
}

static int poll_port(struct link_udp *udp, unsigned port, struct fal_error *err)
{
    struct epoll_event in = {.events = EPOLLIN, .data.u32 = port};

    if (epoll_ctl(udp->poll, EPOLL_CTL_ADD, udp->ports[port], &in) != 0)
        return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
    return 0;
}

static int add_port(struct link_udp *udp, struct fal_error *err)
{
    int fd = tl_udp_connect(&udp->peer, NULL, err);

    if (fd < 0)
        return FAL_ERR_IO;
    if (udp->poll < 0) {
        udp->poll = epoll_create1(EPOLL_CLOEXEC);
        if (udp->poll < 0 || poll_port(udp, 0, err) != 0) {
            (void)close(fd);
            return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
        }
    }
    udp->ports[udp->num_ports++] = fd;
    if (poll_port(udp, udp->num_ports - 1, err) != 0)
        return FAL_ERR_IO;
    return tl_live_watch(&udp->live, fd, err);
}

static int udp_local(struct tl_live *live, unsigned port, char *address, size_t cap,
                     struct fal_error *err)
{
    struct link_udp *udp = udp_of(live);
    char text[TL_ADDRESS_TEXT];
    struct tl_address local;

    if (port >= PORTS_MAX)
        return fal_fail(err, FAL_ERR_IO, "the udp link has %d ports", PORTS_MAX);
    while (udp->num_ports <= port)
        if (add_port(udp, err) != 0)
            return FAL_ERR_IO;
    udp->socket = udp->ports[port];
    if (address == NULL)
        return 0;
    if (tl_socket_address(udp->socket, &local, err) != 0)
        return FAL_ERR_IO;
    tl_address_text(&local, text);
    (void)snprintf(address, cap, "%s", text);
    return 0;
}

static const struct tl_port_ops udp_ops = {.mark = udp_mark,
                                           .send = udp_send,
                                           .look = udp_look,
                                           .drops = udp_drops,
                                           .dress = udp_dress,
                                           .close = udp_close,
                                           .local = udp_local};

static bool loopback(const struct tl_address *address)
{
    return tl_address_family(address) == AF_INET
               ? ntohl(address->u.v4.sin_addr.s_addr) >> 24 == 127
               : IN6_IS_ADDR_LOOPBACK(&address->u.v6.sin6_addr);
}

/* Opens the socket and determines its own address. */
static int open_socket(struct link_udp *udp, const char *address, struct fal_error *err)
{
    const char *comma = strstr(address, TL_UDP_FROM);
    struct tl_address local, from;
    size_t len = comma != NULL ? (size_t)(comma - address) : strlen(address);
    char host[TL_HOST_TEXT + 16];
    int rc;

    len = len < sizeof host ? len : sizeof host - 1;
    memcpy(host, address, len);
    host[len] = 0;
    rc = tl_resolve_among(host, &udp->live.options.allowed, &udp->peer, err);
    if (rc == 0 && comma != NULL)
        rc = tl_resolve_among(comma + strlen(TL_UDP_FROM), &udp->live.options.allowed, &from,
                              err);
    if (rc != 0)
        return rc;
    if (comma != NULL && tl_address_family(&from) != tl_address_family(&udp->peer))
        return fal_fail(err, FAL_ERR_FORM,
                        "udp: from= and the SUT's address are of different IP versions");
    if (tl_address_port(&udp->peer) == 0)
        return fal_fail(err, FAL_ERR_FORM, "address '%.100s' has no port; expected HOST:PORT",
                        address);
    udp->socket = tl_udp_connect(&udp->peer, comma != NULL ? &from : NULL, err);
    if (udp->socket < 0)
        return FAL_ERR_IO;
    udp->ports[udp->num_ports++] = udp->socket;
    if (tl_socket_address(udp->socket, &local, err) != 0)
        return FAL_ERR_IO;
    (void)tl_wait_for_stamps(); /* without time stamps, frames get the time at which they were
                                   read */
    tl_address_text(&local, udp->local);
    udp->live.caps.no_duplicates = loopback(&udp->peer);
    /* There is no router on the way to this host itself. */
    udp->live.caps.hops_declared = udp->live.caps.unmarked_in = loopback(&udp->peer);
    udp->live.caps.mtu = tl_udp_room(tl_udp_mtu(udp->socket, &udp->peer), &udp->peer);
    udp->live.caps.local_address = udp->local;
    return 0;
}

struct tl_link *tl_link_udp_open(const char *address, const char *control,
                                 const struct tl_live_options *options, struct fal_error *err)
{
    struct link_udp *udp = calloc(1, sizeof *udp);

    if (udp == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    udp->socket = udp->poll = -1;
    tl_live_init(&udp->live, &udp_ops, "udp");
    if (options != NULL)
        udp->live.options = *options;
    if (open_socket(udp, address, err) == 0 &&
        tl_live_open(&udp->live, udp->socket, control, err) == 0)
        return &udp->live.link;
    tl_live_free(&udp->live.link);
    return NULL;
}
