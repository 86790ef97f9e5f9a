/* SPDX-License-Identifier: Apache-2.0
 * server.c - one thread and one epoll without busy waiting. After each wake-up the control
 * channel is read before the frames, and its lines are applied after them: a frame that arrived
 * before a command takes effect before it, so that the answer to a barrier is true.
 * If the tester does not read the control channel, events are dropped and counted (`dropped`);
 * frames are not. No command is read from the channel while its answers cannot be written. */
#include "harness/sut/server_state.h"

#include "codecs/base/error.h"
#include "harness/link/echo.h"

#include "harness/wire/privileges.h"
#include "oracles/rng.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    FRAMES_A_TURN = 65536,
    OUTBOX_MAX = 1 << 18, /* limit of bytes of lines between the SUT and the socket */
    OUTBOX_HIGH = OUTBOX_MAX - 2 * TL_LINE_MAX, /* above this, lines stay in the SUT */
    SEND_WAIT_MS = 10,
    LAST_WORDS_MS = 1000,
};

static uint64_t now_of(const struct tl_server *s)
{
    return tl_monotonic_ns() - s->start_ns;
}

int tl_server_watch(struct tl_server *s, int op, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.fd = fd}};

    return epoll_ctl(s->epoll, op, fd, &event);
}

int tl_server_begin(struct tl_server *s, int in, int out, struct fal_error *err)
{
    struct fal_rng rng = fal_rng_split(s->config->seed, s->served);
    const struct tl_sut_config config = {
        .seed = s->served == 0 ? s->config->seed : fal_rng_next(&rng),
        .faults = s->config->faults,
        .twins = s->config->twins,
        .limits = s->config->limits,
        .engine = s->config->engine,
        .live = true,
        .peer_family = tl_address_family(&s->config->frames),
        .echo_port = s->echo_port,
        .psp_keys = s->config->psp_keys,
        .esp_keys = s->config->esp_keys,
    };

    s->sut = tl_sut_new(&config);
    if (s->sut == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    s->served++;
    s->in = in;
    s->out = out;
    s->in_ended = s->in_ready = false;
    s->in_events = s->out_events = 0;
    tl_line_reader_clear(&s->reader);
    tl_outbox_clear(&s->outbox);
    return 0;
}

void tl_server_end(struct tl_server *s)
{
    tl_sut_free(s->sut);
    s->sut = NULL;
    if (s->config->stdio)
        s->stop = true; /* the descriptors belong to the caller */
    else if (s->in >= 0)
        (void)close(s->in);
    s->in = s->out = -1;
    if (s->listener >= 0)
        /* The listener is watched already; only its events change. */
        FAL_IGNORE(tl_server_watch(s, EPOLL_CTL_MOD, s->listener, EPOLLIN));
}

static void accept_control(struct tl_server *s)
{
    int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;

    if (fd < 0)
        return;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (tl_server_begin(s, fd, fd, NULL) != 0) {
        (void)close(fd);
        return;
    }
    /* The listener is watched already; only its events change. */
    FAL_IGNORE(tl_server_watch(s, EPOLL_CTL_MOD, s->listener, 0));
}

static void send_frame(struct tl_server *s, const struct tl_sut_out *out)
{
    const struct tl_address *peer = tl_sut_peer(s->sut, out->conn);
    struct pollfd writable = {.fd = s->frames, .events = POLLOUT};

    if (peer == NULL)
        return;
    if (s->raw != NULL) {
        tl_sut_raw_send(s->raw, peer, tl_sut_seals_esp(s->sut), out);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (sendto(s->frames, out->bytes, out->len, MSG_NOSIGNAL | MSG_DONTWAIT, &peer->u.sa,
                   tl_address_len(peer)) >= 0 ||
            (errno != EAGAIN && errno != ENOBUFS && errno != EINTR))
            return; /* a frame that cannot be sent is lost, as on any network */
        (void)poll(&writable, 1, SEND_WAIT_MS);
    }
}

/* Writes as much as the control channel accepts. False when it is gone. */
static bool write_lines(struct tl_server *s)
{
    for (;;) {
        size_t len;
        const char *bytes = tl_outbox_peek(&s->outbox, &len);
        ssize_t n;

        if (bytes == NULL)
            return true;
        n = s->config->stdio ? write(s->out, bytes, len)
                             : send(s->out, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        tl_outbox_written(&s->outbox, (size_t)n);
    }
}

static bool backed_up(const struct tl_server *s)
{
    size_t len;

    (void)tl_outbox_peek(&s->outbox, &len);
    return len > OUTBOX_HIGH;
}

/* Takes the SUT's output: frames at once, lines into the outbox while it has room. */
static void collect(struct tl_server *s)
{
    struct tl_sut_out out;

    for (;;) {
        if (backed_up(s))
            (void)write_lines(s);
        tl_sut_hold_lines(s->sut, backed_up(s));
        if (!tl_sut_next(s->sut, &out))
            return;
        switch (out.kind) {
        case TL_SUT_FRAME: send_frame(s, &out); break;
        case TL_SUT_LINE:
            /* An event that does not fit is lost (docs/sut-protocol.md). */
            FAL_IGNORE(
                tl_outbox_line(&s->outbox, (const char *)out.bytes, out.len, OUTBOX_MAX));
            break;
        }
    }
}

static void run_timers(struct tl_server *s)
{
    uint64_t now_ns = now_of(s), due_ns = tl_sut_deadline(s->sut);

    if (due_ns > now_ns)
        return;
    tl_sut_late(s->sut, now_ns - due_ns);
    tl_sut_tick(s->sut, now_ns);
}

/* How long a frame waited since the kernel's time stamp. */
static uint64_t lay_ns(const struct timespec *stamp)
{
    struct timespec now;
    int64_t ns;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    ns = (int64_t)(now.tv_sec - stamp->tv_sec) * (int64_t)FAL_S + now.tv_nsec - stamp->tv_nsec;
    return ns > 0 ? (uint64_t)ns : 0;
}

/* Reads a frame and the fields of its IP header. Returns its length, or -1 with errno. */
static ssize_t read_frame(struct tl_server *s, struct tl_sut_ip *ip)
{
    union {
        char bytes[256];
        struct cmsghdr align;
    } ancillary;
    struct iovec iov = {.iov_base = s->frame, .iov_len = sizeof s->frame};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = ancillary.bytes,
                         .msg_controllen = sizeof ancillary.bytes};
    ssize_t n = recvmsg(s->frames, &msg, MSG_DONTWAIT);
    struct timespec stamp;
    int number;

    if (n < 0)
        return n;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
        bool v4 = c->cmsg_level == IPPROTO_IP, v6 = c->cmsg_level == IPPROTO_IPV6;

        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS && s->sut != NULL) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            tl_sut_late(s->sut, lay_ns(&stamp));
        }
        if (v4 && c->cmsg_type == IP_TOS) { /* TOS is one byte, the other fields are integers */
            ip->ecn = *CMSG_DATA(c) & 3;
        } else if (c->cmsg_len >= CMSG_LEN(sizeof number) && (v4 || v6)) {
            memcpy(&number, CMSG_DATA(c), sizeof number);
            if (v6 && c->cmsg_type == IPV6_TCLASS)
                ip->ecn = number & 3;
            else if (c->cmsg_type == (v4 ? IP_TTL : IPV6_HOPLIMIT))
                ip->ttl = (uint8_t)number;
        }
    }
    return n;
}

/* The same at an interface. */
static ssize_t read_raw(struct tl_server *s, struct tl_sut_ip *ip, const uint8_t **bytes)
{
    struct tl_raw_got got;

    if (!tl_sut_raw_look(s->raw, &got)) {
        errno = EAGAIN;
        return -1;
    }
    if (s->sut != NULL)
        tl_sut_late(s->sut, lay_ns(&got.stamp));
    *ip = (struct tl_sut_ip){.ecn = got.ecn, .ttl = got.ttl};
    *bytes = got.bytes;
    return (ssize_t)got.len;
}

static void take_frames(struct tl_server *s)
{
    for (unsigned i = 0; i < FRAMES_A_TURN; i++) {
        struct tl_sut_ip ip = {0};
        const uint8_t *bytes = s->frame;
        ssize_t n = s->raw != NULL ? read_raw(s, &ip, &bytes) : read_frame(s, &ip);

        if (n < 0 && errno != EINTR)
            return;
        if (n < 0 || s->sut == NULL)
            continue; /* without a tester there are no connections */
        tl_sut_frame_ip(s->sut, bytes, (size_t)n, ip, now_of(s));
        run_timers(
            s); /* limits the frames handled in a row, so that a flood does not delay timers */
        collect(s);
    }
}

static void read_control(struct tl_server *s)
{
    size_t room;
    char *space = tl_line_reader_space(&s->reader, &room);
    ssize_t n = read(s->in, space, room);

    if (n > 0)
        tl_line_reader_added(&s->reader, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        s->in_ended = true;
}

/* Applies the lines that were read, until answers can no longer be written. */
static void take_lines(struct tl_server *s)
{
    while (!backed_up(s)) {
        char *line;
        size_t len;

        switch (tl_line_reader_next(&s->reader, &line, &len)) {
        case TL_LINE_NONE: return;
        case TL_LINE_WHOLE: tl_sut_line(s->sut, line, len, now_of(s)); break;
        case TL_LINE_TOO_LONG: tl_sut_line_too_long(s->sut); break;
        }
        collect(s);
    }
}

/* Watches one descriptor of the control channel for `events`; 0: none. Returns true when epoll
 * cannot watch it (a file). */
static bool watch_end(struct tl_server *s, int fd, uint32_t events, uint32_t *watched)
{
    int op = *watched == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;

    if (*watched == events)
        return false;
    if (tl_server_watch(s, op, fd, events) != 0)
        return events != 0;
    *watched = events;
    return false;
}

static void watch_control(struct tl_server *s)
{
    size_t waiting;
    bool read = !s->in_ended && !backed_up(s);
    uint32_t in = read ? (uint32_t)EPOLLIN : 0, out;

    (void)tl_outbox_peek(&s->outbox, &waiting);
    out = waiting > 0 ? (uint32_t)EPOLLOUT : 0;
    if (s->in == s->out) {
        (void)watch_end(s, s->in, in | out, &s->in_events);
        return;
    }
    s->in_ready = watch_end(s, s->in, in, &s->in_events);
    (void)watch_end(s, s->out, out, &s->out_events);
}

/* Sets the timer to the SUT's next deadline. */
static void arm(struct tl_server *s)
{
    uint64_t deadline = s->sut != NULL ? tl_sut_deadline(s->sut) : FAL_NEVER;
    uint64_t at = s->start_ns + deadline;
    struct itimerspec when = {0};

    if (deadline == s->armed_ns)
        return;
    if (deadline < INT64_MAX / 2)
        when.it_value =
            (struct timespec){.tv_sec = (time_t)(at / FAL_S), .tv_nsec = (long)(at % FAL_S)};
    (void)timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &when, NULL);
    s->armed_ns = deadline;
}

/* After the tester has closed its side, writes what is queued, for a limited time. */
static void last_words(struct tl_server *s)
{
    struct pollfd out = {.fd = s->out, .events = POLLOUT};
    uint64_t end = now_of(s) + LAST_WORDS_MS * FAL_MS;
    size_t len;

    for (;;) {
        collect(s);
        if (!write_lines(s) || tl_outbox_peek(&s->outbox, &len) == NULL || now_of(s) >= end)
            return;
        (void)poll(&out, 1, LAST_WORDS_MS / 10);
    }
}

static void serve_control(struct tl_server *s, bool readable)
{
    if (readable)
        read_control(s);
    take_frames(s);
    if (s->sut == NULL)
        return;
    take_lines(s);
    run_timers(s);
    collect(s);
    if (!write_lines(s)) {
        tl_server_end(s);
        return;
    }
    if (s->in_ended && !backed_up(s)) {
        take_lines(s);
        last_words(s);
        tl_server_end(s);
    }
}

static int loop(struct tl_server *s, struct fal_error *err)
{
    while (!s->stop) {
        struct epoll_event events[8];
        bool readable = false;
        int n;

        if (s->sut != NULL)
            watch_control(s);
        arm(s);
        n = epoll_wait(s->epoll, events, 8, s->in_ready ? 0 : -1);
        if (n < 0 && errno != EINTR)
            return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;

            if (fd == s->signals)
                s->stop = true;
            if (fd == s->echo)
                tl_echo_serve(s->echo, &s->echoed);
            if (fd == s->listener && s->sut == NULL)
                accept_control(s);
            if (s->in >= 0 && fd == s->in)
                readable = true;
        }
        serve_control(s,
                      s->in >= 0 && (readable || s->in_ready) && !s->in_ended && !backed_up(s));
    }
    return 0;
}

int tl_server_run(const struct tl_server_config *config, struct fal_error *err)
{
    struct tl_server *s = calloc(1, sizeof *s);
    struct signalfd_siginfo taken;
    sigset_t signals, before;
    int rc;

    if (s == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    s->config = config;
    s->epoll = s->timer = s->signals = s->frames = s->echo = s->listener = s->in = s->out = -1;
    s->in_flags = s->out_flags = -1;
    s->start_ns = tl_monotonic_ns();
    s->armed_ns = FAL_NEVER;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    rc = tl_server_open(s, &signals, err);
    if (rc == 0)
        rc = tl_privileges_drop(false, err); /* the SUT's ports are open */
    if (rc == 0)
        rc = loop(s, err);
    /* Pending signals must be consumed, or they would be delivered when they are unblocked. */
    while (s->signals >= 0 && read(s->signals, &taken, sizeof taken) == sizeof taken)
        ;
    tl_server_close(s);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    free(s);
    return rc;
}
