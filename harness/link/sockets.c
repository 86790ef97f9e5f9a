/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/sockets.h"

#include "harness/wire/privileges.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_FREE_PORT = 1024, /* for processes without the privilege */
    RCVBUF = 4 << 20,
    BACKLOG = 8,
    NS_PER_MS = 1000000,
    STAMP_PAUSE_NS = 200000,
    STAMP_TRIES = 400,
    ECT0 = 2
};

uint64_t tl_monotonic_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

int tl_resolve(const char *text, struct tl_address *out, struct fal_error *err)
{
    return tl_resolve_among(text, NULL, out, err);
}

int tl_resolve_among(const char *text, const struct tl_allowed *allowed, struct tl_address *out,
                     struct fal_error *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[TL_HOST_TEXT], numeric[TL_ADDRESS_TEXT];
    uint16_t port;
    int rc = tl_address_split(text, host, &port, err);

    if (rc != 0)
        return rc;
    rc = getaddrinfo(host, NULL, &hints, &found);
    if (rc != 0)
        return fal_fail(
            err, FAL_ERR_IO,
            "address '%.100s': %s; expected an IP address, or a name that this host "
            "can resolve",
            text, gai_strerror(rc));
    memset(out, 0, sizeof *out);
    memcpy(&out->u, found->ai_addr,
           found->ai_addrlen < sizeof out->u ? found->ai_addrlen : sizeof out->u);
    freeaddrinfo(found);
    if (tl_address_family(out) == AF_INET6)
        out->u.v6.sin6_port = htons(port);
    else
        out->u.v4.sin_port = htons(port);
    if (tl_address_allowed(out, allowed))
        return 0;
    tl_address_text(out, numeric);
    return fal_fail(err, FAL_ERR_FORM,
                    "address '%.100s' is refused: %s is not loopback, private or link-local; "
                    "permit it with --allow ADDRESS",
                    text, numeric);
}

int tl_stream_read(const char *text, struct tl_stream *out, struct fal_error *err)
{
    return tl_stream_read_among(text, NULL, out, err);
}

int tl_stream_read_among(const char *text, const struct tl_allowed *allowed,
                         struct tl_stream *out, struct fal_error *err)
{
    const char *path;

    *out = (struct tl_stream){0};
    if (strncmp(text, "tcp:", 4) == 0)
        return tl_resolve_among(text + 4, allowed, &out->ip, err);
    if (strncmp(text, "unix:", 5) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "control address '%.100s': expected tcp:HOST:PORT or unix:PATH", text);
    path = text + 5;
    if (path[0] == 0 || strlen(path) >= sizeof out->un.sun_path)
        return fal_fail(err, FAL_ERR_FORM,
                        "control address '%.150s': the path of a socket has 1 to %zu bytes",
                        text, sizeof out->un.sun_path - 1);
    out->is_unix = true;
    out->un.sun_family = AF_UNIX;
    memcpy(out->un.sun_path, path, strlen(path) + 1);
    return 0;
}

static int failed(struct fal_error *err, const char *what, const struct tl_stream *stream,
                  int code)
{
    char text[TL_ADDRESS_TEXT];

    if (stream->is_unix)
        return fal_fail(err, FAL_ERR_IO, "%s unix:%.108s: %s", what, stream->un.sun_path,
                        strerror(code));
    tl_address_text(&stream->ip, text);
    return fal_fail(err, FAL_ERR_IO, "%s tcp:%s: %s", what, text, strerror(code));
}

static const struct sockaddr *sockaddr_of(const struct tl_stream *stream, socklen_t *len)
{
    *len = stream->is_unix ? (socklen_t)sizeof stream->un : tl_address_len(&stream->ip);
    return stream->is_unix ? (const struct sockaddr *)&stream->un : &stream->ip.u.sa;
}

static int stream_socket(const struct tl_stream *stream)
{
    int family = stream->is_unix ? AF_UNIX : tl_address_family(&stream->ip);

    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void set_flag(int fd, int level, int option)
{
    int on = 1;

    (void)setsockopt(fd, level, option, &on, sizeof on);
}

/* Waits until the connection is established. Returns 0 or an errno. */
static int finish_connect(int fd, uint64_t timeout_ns)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
    uint64_t end = tl_monotonic_ns() + timeout_ns, now;
    int error = 0, n;
    socklen_t len = sizeof error;

    do {
        now = tl_monotonic_ns();
        if (now >= end)
            return ETIMEDOUT;
        n = poll(&poll_fd, 1, (int)((end - now) / NS_PER_MS) + 1);
    } while (n == 0 || (n < 0 && errno == EINTR));
    if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        return errno;
    return error;
}

int tl_stream_connect(const struct tl_stream *stream, uint64_t timeout_ns,
                      struct fal_error *err)
{
    int fd = stream_socket(stream), code = 0;
    const struct sockaddr *address;
    socklen_t len;

    if (fd < 0)
        return failed(err, "socket for", stream, errno);
    address = sockaddr_of(stream, &len);
    if (connect(fd, address, len) != 0)
        code = errno == EINPROGRESS ? finish_connect(fd, timeout_ns) : errno;
    if (code != 0) {
        (void)close(fd);
        return failed(err, "cannot connect to", stream, code);
    }
    if (!stream->is_unix)
        set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
    return fd;
}

/* Removes a socket file without a listener. */
static bool abandoned(const struct tl_stream *stream)
{
    int fd = stream_socket(stream), code;

    if (fd < 0)
        return false;
    code =
        connect(fd, (const struct sockaddr *)&stream->un, sizeof stream->un) == 0 ? 0 : errno;
    (void)close(fd);
    return code == ECONNREFUSED;
}

int tl_stream_listen(const struct tl_stream *stream, struct fal_error *err)
{
    int fd = stream_socket(stream), code;
    const struct sockaddr *address;
    socklen_t len;

    if (fd < 0)
        return failed(err, "socket for", stream, errno);
    address = sockaddr_of(stream, &len);
    if (!stream->is_unix)
        set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
    code = bind(fd, address, len) == 0 ? 0 : errno;
    if (code == EADDRINUSE && stream->is_unix && abandoned(stream) &&
        unlink(stream->un.sun_path) == 0)
        code = bind(fd, address, len) == 0 ? 0 : errno;
    if (code == 0 && listen(fd, BACKLOG) != 0)
        code = errno;
    if (code != 0) {
        (void)close(fd);
        return failed(err, "cannot listen at", stream, code);
    }
    return fd;
}

/* Sets the option for both IP versions; the one that does not apply fails without harm. */
void tl_udp_mark(int fd, int ecn, int ttl)
{
    int tos = ecn >= 0 ? ecn : ECT0, hops = ttl > 0 ? ttl : -1;

    (void)setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    (void)setsockopt(fd, IPPROTO_IP, IP_TTL, &hops, sizeof hops);
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof tos);
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof hops);
}

/* from linux/in6.h, which cannot be included together with netinet/in.h */
struct flow_label_request {
    struct in6_addr to;
    uint32_t label; /* as in the header, in network byte order */
    uint8_t action, share;
    uint16_t flags, expires, linger;
    uint32_t pad;
};
enum { FLOW_LABEL_MGR = 32, FLOWINFO_SEND = 33, FLOW_GET = 0, FLOW_ANY = 255, FLOW_CREATE = 1 };

/* Bytes of the headers of IP, without options, and UDP. */
enum { IPV4_UDP = 28, IPV6_UDP = 48 };

uint32_t tl_udp_mtu(int fd, const struct tl_address *peer)
{
    bool v4 = tl_address_family(peer) == AF_INET;
    int mtu = 0;
    socklen_t len = sizeof mtu;

    if (getsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_MTU : IPV6_MTU, &mtu, &len) !=
            0 ||
        mtu < 0)
        return 0;
    return (uint32_t)mtu;
}

uint32_t tl_udp_room(uint32_t mtu, const struct tl_address *peer)
{
    uint32_t headers = tl_address_family(peer) == AF_INET ? IPV4_UDP : IPV6_UDP;

    return mtu > headers ? mtu - headers : 0;
}

void tl_udp_dress(int fd, const struct tl_address *peer, uint32_t flow_label)
{
    const int probe4 = IP_PMTUDISC_PROBE, probe6 = IPV6_PMTUDISC_PROBE;
    struct flow_label_request request = {
        .action = FLOW_GET, .share = FLOW_ANY, .flags = FLOW_CREATE};
    struct tl_address to = *peer;

    (void)setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe4, sizeof probe4);
    if (tl_address_family(peer) != AF_INET6)
        return;
    (void)setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe6, sizeof probe6);
    if (flow_label != 0) {
        request.to = peer->u.v6.sin6_addr;
        request.label = htonl(flow_label & 0xfffff);
        (void)setsockopt(fd, IPPROTO_IPV6, FLOW_LABEL_MGR, &request, sizeof request);
        set_flag(fd, IPPROTO_IPV6, FLOWINFO_SEND);
        to.u.v6.sin6_flowinfo = request.label;
    }
    (void)connect(fd, &to.u.sa, tl_address_len(&to));
}

/* Asks for ECN and TTL of received datagrams and allows to set those of sent ones. */
static void show_ip_header(int fd)
{
    set_flag(fd, IPPROTO_IP, IP_RECVTTL);
    set_flag(fd, IPPROTO_IP, IP_RECVTOS);
    set_flag(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT);
    set_flag(fd, IPPROTO_IPV6, IPV6_RECVTCLASS);
    tl_udp_mark(fd, -1, 0);
}

static int udp_socket(const struct tl_address *address, struct fal_error *err)
{
    int fd = socket(tl_address_family(address), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int size = RCVBUF;

    if (fd < 0)
        return fal_fail(err, FAL_ERR_IO, "UDP socket: %s", strerror(errno));
    /* Exceeds the system's limit if permitted; otherwise sets the limit. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    set_flag(fd, SOL_SOCKET, SO_TIMESTAMPNS);
    set_flag(fd, SOL_SOCKET, SO_RXQ_OVFL);
    show_ip_header(fd);
    return fd;
}

/* Closes the socket and reports why it cannot be used. */
static int udp_failed(int fd, const char *what, const struct tl_address *address,
                      struct fal_error *err)
{
    int code = errno;
    char text[TL_ADDRESS_TEXT], hint[TL_HINT_MAX];
    unsigned port = tl_address_port(address);

    (void)close(fd);
    tl_address_text(address, text);
    if (code == EACCES && port > 0 && port < FIRST_FREE_PORT &&
        !tl_privilege_has(TL_PRIVILEGE_PORT)) {
        tl_privilege_hint(TL_PRIVILEGE_PORT, port, hint);
        return fal_fail(err, FAL_ERR_IO, "%s udp:%s: %s", what, text, hint);
    }
    return fal_fail(err, FAL_ERR_IO, "%s udp:%s: %s", what, text, strerror(code));
}

int tl_udp_connect(const struct tl_address *peer, const struct tl_address *from,
                   struct fal_error *err)
{
    int fd = udp_socket(peer, err);

    if (fd >= 0 && from != NULL && bind(fd, &from->u.sa, tl_address_len(from)) != 0)
        return udp_failed(fd, "cannot send from", from, err);
    if (fd >= 0 && connect(fd, &peer->u.sa, tl_address_len(peer)) != 0)
        return udp_failed(fd, "cannot send to", peer, err);
    return fd;
}

int tl_udp_bind(const struct tl_address *local, struct fal_error *err)
{
    int fd = udp_socket(local, err);

    if (fd >= 0 && bind(fd, &local->u.sa, tl_address_len(local)) != 0)
        return udp_failed(fd, "cannot listen at", local, err);
    return fd;
}

/* Sends a datagram to itself, waits, and checks that the time stamp is older than the wait. */
static bool stamped_on_arrival(int fd)
{
    const struct timespec pause = {.tv_nsec = STAMP_PAUSE_NS};
    union {
        char bytes[256];
        struct cmsghdr align;
    } ancillary;
    char byte = 0;
    struct iovec iov = {.iov_base = &byte, .iov_len = 1};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = ancillary.bytes,
                         .msg_controllen = sizeof ancillary.bytes};
    struct timespec stamp, now;

    if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1)
        return false;
    (void)nanosleep(&pause, NULL);
    if (recvmsg(fd, &msg, MSG_DONTWAIT) != 1)
        return false;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            return (now.tv_sec - stamp.tv_sec) * 1000000000L + now.tv_nsec - stamp.tv_nsec >=
                   STAMP_PAUSE_NS;
        }
    }
    return false;
}

bool tl_wait_for_stamps(void)
{
    struct tl_address own = {
        .u.v4 = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}}};
    int fd = tl_udp_bind(&own, NULL);
    bool stamped = false;

    if (fd < 0)
        return false;
    if (tl_socket_address(fd, &own, NULL) == 0 &&
        connect(fd, &own.u.sa, tl_address_len(&own)) == 0)
        for (unsigned i = 0; i < STAMP_TRIES && !stamped; i++)
            stamped = stamped_on_arrival(fd);
    (void)close(fd);
    return stamped;
}

int tl_socket_address(int fd, struct tl_address *out, struct fal_error *err)
{
    socklen_t len = sizeof out->u;

    memset(out, 0, sizeof *out);
    if (getsockname(fd, &out->u.sa, &len) != 0)
        return fal_fail(err, FAL_ERR_IO, "cannot determine the own address: %s",
                        strerror(errno));
    return 0;
}

uint32_t tl_socket_drops(int fd)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t len = sizeof info;

    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) != 0 ||
        len <= SK_MEMINFO_DROPS * sizeof *info)
        return 0;
    return info[SK_MEMINFO_DROPS];
}
