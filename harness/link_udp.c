/* SPDX-License-Identifier: Apache-2.0
 * link_udp.c - a SUT anywhere: Falcon in UDP, and the control channel over TCP or a Unix
 * socket.
 *
 * Frames carry the kernel's stamp; so do control lines over TCP (of the last segment that
 * belongs to them: never too early), while those of a Unix socket count from when they were
 * read. Of a frame and a line that are both there, the older one comes out first, at equal
 * times the line: what causes a packet is said before the packet is sent. A deadline that lies
 * before what has arrived comes out before it, even when both lie in the past, so that a flood
 * cannot keep a deadline from being seen. */
#include "harness/link.h"

#include "harness/link_control.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    FRAME_MAX = 65536, /* above the longest UDP payload */
    SEND_TRIES = 5,
    SEND_WAIT_MS = 20,
    REFUSALS = 64, /* ICMP errors that one look for a frame may step over */
};

struct link_udp {
    struct tl_link link;
    struct tl_link_caps caps;
    char local[TL_ADDRESS_TEXT];
    struct tl_clock clock;
    struct tl_control control;
    bool has_control, watched, watched_write; /* what epoll knows of the control channel */
    int udp, epoll, timer;
    uint64_t armed_ns; /* of the timer */
    uint32_t path;
    uint32_t drops_seen;
    bool marked;    /* the next frame has an IP header of its own */
    bool has_frame; /* read and not yet given out */
    size_t frame_len;
    uint64_t frame_at_ns;
    uint8_t frame[FRAME_MAX];
};

static struct link_udp *udp_of(struct tl_link *link)
{
    return (struct link_udp *)link;
}

static struct tl_link_caps udp_caps(const struct tl_link *link)
{
    return ((const struct link_udp *)link)->caps;
}

static uint64_t udp_now(struct tl_link *link)
{
    return tl_clock_now(&udp_of(link)->clock);
}

/* Nobody is there, yet or any more: news that an ICMP message or a silent neighbour left for
 * the next call to find, not a failure of this call. */
static bool nobody_there(int code)
{
    return code == ECONNREFUSED || code == EHOSTUNREACH || code == EHOSTDOWN;
}

/* Errors that go away by being told. */
static bool passing(int code)
{
    return nobody_there(code) || code == ENETUNREACH || code == EPROTO || code == ENOPROTOOPT ||
           code == EACCES || code == EINTR;
}

static int send_frame(struct link_udp *udp, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                      struct fal_error *err)
{
    int code = 0;

    for (unsigned i = 0; i < SEND_TRIES; i++) {
        /* Before it leaves: an answer is never older than its cause. */
        *sent_ns = tl_clock_now(&udp->clock);
        if (send(udp->udp, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
            return 0;
        code = errno;
        if (code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS) {
            struct pollfd writable = {.fd = udp->udp, .events = POLLOUT};

            (void)poll(&writable, 1, SEND_WAIT_MS);
        } else if (!passing(code)) {
            break;
        }
    }
    if (nobody_there(code))
        return 0; /* lost on the way, as far as this run is concerned */
    return fal_fail(err, FAL_ERR_IO, "cannot send a frame of %zu bytes: %s", len,
                    strerror(code));
}

/* Of the frames from now on, of whichever version of IP. */
static void set_header(const struct link_udp *udp, int ecn, int ttl)
{
    (void)setsockopt(udp->udp, IPPROTO_IP, IP_TOS, &ecn, sizeof ecn);
    (void)setsockopt(udp->udp, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
    (void)setsockopt(udp->udp, IPPROTO_IPV6, IPV6_TCLASS, &ecn, sizeof ecn);
    (void)setsockopt(udp->udp, IPPROTO_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof ttl);
}

static void udp_mark(struct tl_link *link, int ecn, int ttl)
{
    struct link_udp *udp = udp_of(link);

    udp->marked = true;
    set_header(udp, ecn >= 0 ? ecn : 0, ttl > 0 ? ttl : -1);
}

static int udp_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                    struct fal_error *err)
{
    struct link_udp *udp = udp_of(link);
    int rc = send_frame(udp, bytes, len, sent_ns, err);

    if (udp->marked)
        set_header(udp, 0, -1);
    udp->marked = false;
    return rc;
}

static int udp_send_line(struct tl_link *link, const char *line, size_t len,
                         struct fal_error *err)
{
    struct link_udp *udp = udp_of(link);

    if (!udp->has_control)
        return fal_fail(err, FAL_ERR_IO, "this link has no control channel");
    return tl_control_send(&udp->control, line, len, err);
}

/* Looks for a frame. 0, or an errno. */
static int look_for_frame(struct link_udp *udp)
{
    for (unsigned i = 0; i < REFUSALS && !udp->has_frame; i++) {
        union {
            char bytes[256];
            struct cmsghdr align;
        } ancillary;
        struct iovec iov = {.iov_base = udp->frame, .iov_len = sizeof udp->frame};
        struct msghdr msg = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = ancillary.bytes,
                             .msg_controllen = sizeof ancillary.bytes};
        struct timespec stamp;
        bool stamped = false;
        uint64_t at_ns;
        ssize_t n = recvmsg(udp->udp, &msg, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return 0;
        if (n < 0 && !passing(errno))
            return errno;
        if (n < 0)
            continue;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
                memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
                stamped = true;
            }
        }
        at_ns = tl_clock_at(&udp->clock, stamped ? &stamp : NULL);
        /* Datagrams leave the queue in the order of their arrival. */
        udp->frame_at_ns = at_ns > udp->frame_at_ns ? at_ns : udp->frame_at_ns;
        udp->frame_len = (size_t)n;
        udp->has_frame = true;
    }
    return 0;
}

static bool look_for_line(struct link_udp *udp)
{
    return udp->has_control && tl_control_look(&udp->control, &udp->clock);
}

/* Tells epoll what the control channel needs now. */
static int watch_control(struct link_udp *udp)
{
    struct tl_control *control = &udp->control;
    bool write = udp->has_control && tl_control_flush(control);
    struct epoll_event event = {.events = EPOLLIN | (write ? (uint32_t)EPOLLOUT : 0)};
    int op = udp->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (!udp->has_control || control->fd < 0 || (udp->watched && write == udp->watched_write))
        return 0;
    if (epoll_ctl(udp->epoll, op, control->fd, &event) != 0)
        return errno;
    udp->watched = true;
    udp->watched_write = write;
    return 0;
}

/* Sleeps until something may have happened. 0, or an errno. */
static int sleep_until(struct link_udp *udp, uint64_t deadline_ns)
{
    struct epoll_event events[4];
    int code = watch_control(udp);

    if (code != 0)
        return code;
    if (deadline_ns != udp->armed_ns) {
        uint64_t at =
            deadline_ns < INT64_MAX / 2 ? udp->clock.start_ns + deadline_ns : INT64_MAX;
        struct itimerspec when = {
            .it_value = {.tv_sec = (time_t)(at / FAL_S), .tv_nsec = (long)(at % FAL_S)}};

        if (timerfd_settime(udp->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0)
            return errno;
        udp->armed_ns = deadline_ns;
    }
    if (epoll_wait(udp->epoll, events, 4, -1) < 0 && errno != EINTR)
        return errno;
    return 0;
}

static enum tl_link_event broken(struct link_udp *udp, struct tl_link_got *got, int code)
{
    got->at_ns = got->read_ns = tl_clock_now(&udp->clock);
    (void)fal_fail(&got->error, FAL_ERR_IO, "the UDP link: %s", strerror(code));
    return TL_LINK_ERROR;
}

/* The end of the control channel, told once. */
static enum tl_link_event control_ended(struct link_udp *udp, struct tl_link_got *got)
{
    udp->control.told = true;
    got->at_ns = got->read_ns = tl_clock_now(&udp->clock);
    got->error = udp->control.why;
    return udp->control.broken ? TL_LINK_ERROR : TL_LINK_CLOSED;
}

static enum tl_link_event give(struct link_udp *udp, bool line, struct tl_link_got *got)
{
    got->read_ns = tl_clock_now(&udp->clock);
    if (line) {
        got->at_ns = udp->control.at_ns;
        got->bytes = (const uint8_t *)udp->control.line;
        got->len = udp->control.len;
        udp->control.line = NULL;
        return TL_LINK_LINE;
    }
    got->at_ns = udp->frame_at_ns;
    got->bytes = udp->frame;
    got->len = udp->frame_len;
    got->path = udp->path;
    udp->has_frame = false;
    return TL_LINK_FRAME;
}

static enum tl_link_event udp_wait(struct tl_link *link, uint64_t deadline_ns,
                                   struct tl_link_got *got)
{
    struct link_udp *udp = udp_of(link);

    *got = (struct tl_link_got){0};
    for (;;) {
        bool line = look_for_line(udp);
        int code = look_for_frame(udp);
        uint64_t at_ns, now;

        if (code != 0)
            return broken(udp, got, code);
        if (udp->has_frame && !line)
            line = look_for_line(udp); /* one may have come before the frame, since */
        if (line && udp->has_frame)
            line = udp->control.at_ns <= udp->frame_at_ns;
        if (line || udp->has_frame) {
            at_ns = line ? udp->control.at_ns : udp->frame_at_ns;
            if (at_ns <= deadline_ns)
                return give(udp, line, got);
        } else if (udp->has_control && udp->control.fd < 0 && !udp->control.told) {
            return control_ended(udp, got);
        }
        now = tl_clock_now(&udp->clock);
        if (now >= deadline_ns) {
            got->at_ns = got->read_ns = now;
            return TL_LINK_TIMEOUT;
        }
        code = sleep_until(udp, deadline_ns);
        if (code != 0)
            return broken(udp, got, code);
    }
}

static uint64_t udp_drops(struct tl_link *link)
{
    struct link_udp *udp = udp_of(link);
    uint32_t total = tl_socket_drops(udp->udp), since = total - udp->drops_seen;

    udp->drops_seen = total;
    return since;
}

static void udp_free(struct tl_link *link)
{
    struct link_udp *udp = udp_of(link);

    tl_control_free(&udp->control);
    if (udp->udp >= 0)
        (void)close(udp->udp);
    if (udp->timer >= 0)
        (void)close(udp->timer);
    if (udp->epoll >= 0)
        (void)close(udp->epoll);
    free(udp);
}

static const struct tl_link_ops udp_ops = {
    .caps = udp_caps,
    .now_ns = udp_now,
    .send = udp_send,
    .mark = udp_mark,
    .send_line = udp_send_line,
    .wait = udp_wait,
    .drops = udp_drops,
    .free = udp_free,
};

static bool loopback(const struct tl_address *address)
{
    return tl_address_family(address) == AF_INET
               ? ntohl(address->u.v4.sin_addr.s_addr) >> 24 == 127
               : IN6_IS_ADDR_LOOPBACK(&address->u.v6.sin6_addr);
}

/* The sockets, and what they say of themselves. */
static int open_sockets(struct link_udp *udp, const char *address, struct fal_error *err)
{
    struct epoll_event in = {.events = EPOLLIN};
    struct tl_address peer, local;
    int rc = tl_resolve(address, &peer, err);

    if (rc != 0)
        return rc;
    if (tl_address_port(&peer) == 0)
        return fal_fail(err, FAL_ERR_FORM, "address '%.100s' has no port", address);
    udp->udp = tl_udp_connect(&peer, err);
    if (udp->udp < 0 || tl_socket_address(udp->udp, &local, err) != 0)
        return FAL_ERR_IO;
    (void)tl_wait_for_stamps(); /* without them frames count from when they were read */
    tl_address_text(&local, udp->local);
    udp->path = tl_address_port(&peer);
    udp->drops_seen = tl_socket_drops(udp->udp);
    udp->caps.no_duplicates = loopback(&peer);
    udp->epoll = epoll_create1(EPOLL_CLOEXEC);
    udp->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (udp->epoll < 0 || udp->timer < 0 ||
        epoll_ctl(udp->epoll, EPOLL_CTL_ADD, udp->udp, &in) != 0 ||
        epoll_ctl(udp->epoll, EPOLL_CTL_ADD, udp->timer, &in) != 0)
        return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
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
    udp->link.ops = &udp_ops;
    udp->udp = udp->epoll = udp->timer = udp->control.fd = -1;
    udp->armed_ns = FAL_NEVER;
    tl_clock_init(&udp->clock);
    if (open_sockets(udp, address, err) != 0)
        goto fail;
    if (control != NULL && tl_control_open(&udp->control, control, err) != 0)
        goto fail;
    udp->has_control = control != NULL;
    udp->caps.name = "udp";
    udp->caps.live = true;
    udp->caps.control = udp->has_control;
    udp->caps.delay_max_ns = FAL_NEVER;
    udp->caps.clock_error_ns = udp->clock.error_ns;
    udp->caps.local_address = udp->local;
    return &udp->link;

fail:
    udp_free(&udp->link);
    return NULL;
}
