/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Between two looks whether the parent process exists: each is a system call. */
#define WATCH_NS FAL_MS

static struct tl_live *live_of(struct tl_link *link)
{
    return (struct tl_live *)link;
}

static bool look_for_line(struct tl_live *live)
{
    return live->has_control && tl_control_look(&live->control, &live->clock);
}

/* Registers with epoll for what the control channel needs now. */
static int watch_control(struct tl_live *live)
{
    struct tl_control *control = &live->control;
    bool write = live->has_control && tl_control_flush(control);
    struct epoll_event event = {.events = EPOLLIN | (write ? (uint32_t)EPOLLOUT : 0)};
    int op = live->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (!live->has_control || control->fd < 0 ||
        (live->watched && write == live->watched_write))
        return 0;
    if (epoll_ctl(live->epoll, op, control->fd, &event) != 0)
        return errno;
    live->watched = true;
    live->watched_write = write;
    return 0;
}

/* Sleeps until something may have happened; with busy polling it does not sleep. Returns 0, or
 * an errno. */
static int sleep_until(struct tl_live *live, uint64_t now_ns, uint64_t deadline_ns)
{
    struct epoll_event events[4];
    int code;

    if (live->options.busy_poll) {
        if (live->has_control)
            (void)tl_control_flush(&live->control);
        return 0;
    }
    code = watch_control(live);
    if (code != 0)
        return code;
    /* If the timer is already set to an earlier time, leave it: it then fires too early once,
     * which is harmless and rare. */
    if (deadline_ns < live->armed_ns || live->armed_ns <= now_ns) {
        uint64_t at =
            deadline_ns < INT64_MAX / 2 ? live->clock.start_ns + deadline_ns : INT64_MAX;
        struct itimerspec when = {
            .it_value = {.tv_sec = (time_t)(at / FAL_S), .tv_nsec = (long)(at % FAL_S)}};

        if (timerfd_settime(live->timer, TFD_TIMER_ABSTIME, &when, NULL) != 0)
            return errno;
        live->armed_ns = deadline_ns;
    }
    if (epoll_wait(live->epoll, events, 4, -1) < 0 && errno != EINTR)
        return errno;
    return 0;
}

static enum tl_link_event broken(struct tl_live *live, struct tl_link_got *got, int code)
{
    got->at_ns = got->read_ns = tl_clock_now(&live->clock);
    (void)fal_fail(&got->error, FAL_ERR_IO, "the %s link: %s", live->caps.name, strerror(code));
    return TL_LINK_ERROR;
}

/* Reports the end of the control channel, once. */
static enum tl_link_event control_ended(struct tl_live *live, struct tl_link_got *got)
{
    live->control.told = true;
    got->at_ns = got->read_ns = tl_clock_now(&live->clock);
    got->error = live->control.why;
    return live->control.broken ? TL_LINK_ERROR : TL_LINK_CLOSED;
}

static void worse(uint64_t *worst, uint64_t ns)
{
    if (ns > *worst)
        *worst = ns;
}

static enum tl_link_event give(struct tl_live *live, bool line, struct tl_link_got *got)
{
    uint64_t at_ns = line ? live->control.at_ns : live->frame.at_ns;

    live->left_ns = got->read_ns = tl_clock_now(&live->clock);
    worse(&live->timing.queue_ns, got->read_ns > at_ns ? got->read_ns - at_ns : 0);
    if (line) {
        got->at_ns = live->control.at_ns;
        got->bytes = (const uint8_t *)live->control.line;
        got->len = live->control.len;
        live->control.line = NULL;
        return TL_LINK_LINE;
    }
    got->at_ns = live->frame.at_ns;
    got->bytes = live->frame.bytes;
    got->len = live->frame.len;
    got->path = live->frame.path;
    got->ecn = live->frame.ecn;
    got->ttl = live->frame.ttl;
    got->dscp = live->frame.dscp;
    got->port = live->frame.port;
    live->frame.there = false;
    return TL_LINK_FRAME;
}

static enum tl_link_event live_wait(struct tl_link *link, uint64_t deadline_ns,
                                    struct tl_link_got *got)
{
    struct tl_live *live = live_of(link);
    uint64_t begun_ns = tl_clock_now(&live->clock), now = begun_ns;
    bool slept = false;

    *got = (struct tl_link_got){0};
    if (live->left_ns != 0)
        worse(&live->timing.busy_ns, begun_ns - live->left_ns);
    for (;;) {
        bool line = look_for_line(live);
        /* Saves a frame that was read but is not due yet, because a line precedes it or its
         * time has not come. */
        int code = live->frame.there ? 0 : live->port->look(live);
        uint64_t at_ns;

        if (code != 0)
            return broken(live, got, code);
        if (live->frame.there && !line)
            line = look_for_line(
                live); /* a line may have arrived before the frame in the meantime */
        if (line && live->frame.there)
            line = live->control.at_ns <= live->frame.at_ns;
        if (line || live->frame.there) {
            at_ns = line ? live->control.at_ns : live->frame.at_ns;
            if (at_ns <= deadline_ns)
                return give(live, line, got);
        } else if (live->has_control && live->control.fd < 0 && !live->control.told) {
            return control_ended(live, got);
        }
        if (slept)
            now = tl_clock_now(&live->clock);
        if (now >= deadline_ns) {
            worse(&live->timing.timer_ns,
                  now - (deadline_ns > begun_ns ? deadline_ns : begun_ns));
            live->left_ns = now;
            got->at_ns = got->read_ns = now;
            return TL_LINK_TIMEOUT;
        }
        code = sleep_until(live, now, deadline_ns);
        if (code != 0)
            return broken(live, got, code);
        slept = true;
    }
}

static uint64_t live_drops(struct tl_link *link)
{
    struct tl_live *live = live_of(link);
    uint32_t total = live->port->drops(live), since = total - live->drops_seen;

    live->drops_seen = total;
    return since;
}

static struct tl_link_caps live_caps(const struct tl_link *link)
{
    return ((const struct tl_live *)link)->caps;
}

static uint64_t live_now(struct tl_link *link)
{
    return tl_clock_now(&live_of(link)->clock);
}

/* The peer is not there (yet, or any more): an ICMP message or an unanswered ARP request left
 * this error for the next call. It is not a failure of this call. */
static bool nobody_there(int code)
{
    return code == ECONNREFUSED || code == EHOSTUNREACH || code == EHOSTDOWN;
}

static void live_mark(struct tl_link *link, int ecn, int ttl)
{
    struct tl_live *live = live_of(link);

    live->marked = true;
    live->port->mark(live, ecn, ttl);
}

static const char *live_spoil(struct tl_link *link, enum tl_flaw flaw)
{
    struct tl_live *live = live_of(link);

    if (live->port->spoil == NULL)
        return "the kernel builds its IP and UDP headers (use raw:)";
    return live->port->spoil(live, flaw);
}

/* Holds back what exceeds the allowed rate. Returns the time after that. */
static uint64_t await_turn(struct tl_live *live, size_t len, uint64_t now_ns)
{
    uint64_t due_ns = tl_guard_pass(&live->guard, len, now_ns);
    uint64_t at = live->clock.start_ns + due_ns;
    const struct timespec when = {.tv_sec = (time_t)(at / FAL_S),
                                  .tv_nsec = (long)(at % FAL_S)};

    if (due_ns <= now_ns)
        return now_ns;
    worse(&live->timing.throttle_ns, due_ns - now_ns);
    while ((now_ns = tl_clock_now(&live->clock)) < due_ns)
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    return now_ns;
}

static void live_dress(struct tl_link *link, unsigned dscp, uint32_t flow_label)
{
    struct tl_live *live = live_of(link);

    live->dscp = (uint8_t)dscp;
    live->flow_label = flow_label;
    live->port->dress(live);
}

static void live_esp(struct tl_link *link, bool esp)
{
    live_of(link)->esp = esp;
}

static int live_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                     struct fal_error *err)
{
    struct tl_live *live = live_of(link);
    int code;

    *sent_ns = tl_clock_now(&live->clock);
    if (live->has_control && live->control.fd < 0)
        return fal_fail(err, FAL_ERR_IO, "nothing is sent any more: %s",
                        live->control.why.text);
    if (*sent_ns >= live->watch_ns) {
        if (!tl_guard_watched(&live->guard))
            return fal_fail(err, FAL_ERR_IO,
                            "nothing is sent any more: the process that started talon is gone");
        live->watch_ns = *sent_ns + WATCH_NS;
    }
    /* The time is taken before the frame leaves, so that an answer is never older than its
     * cause. */
    *sent_ns = await_turn(live, len, *sent_ns);
    code = live->port->send(live, bytes, len);
    if (live->marked)
        live->port->mark(live, -1, 0);
    live->marked = false;
    if (code == 0 || nobody_there(code))
        return 0; /* in the second case the frame counts as lost on the path */
    return fal_fail(err, code == EMSGSIZE ? FAL_ERR_RANGE : FAL_ERR_IO,
                    code == EMSGSIZE ? "a frame of %zu bytes is too long for the interface (%s)"
                                     : "cannot send a frame of %zu bytes: %s",
                    len, strerror(code));
}

static int live_send_line(struct tl_link *link, const char *line, size_t len,
                          struct fal_error *err)
{
    struct tl_live *live = live_of(link);

    if (!live->has_control)
        return fal_fail(err, FAL_ERR_IO, "this link has no control channel");
    return tl_control_send(&live->control, line, len, err);
}

static int live_port(struct tl_link *link, unsigned port, char *address, size_t cap,
                     struct fal_error *err)
{
    struct tl_live *live = live_of(link);

    if (live->port->local == NULL)
        return fal_fail(err, FAL_ERR_IO, "the %s link has one port", live->caps.name);
    return live->port->local(live, port, address, cap, err);
}

static void live_timing(struct tl_link *link, struct tl_link_timing *out)
{
    struct tl_live *live = live_of(link);

    *out = live->timing;
    live->timing = (struct tl_link_timing){0};
}

static const struct tl_link_ops live_ops = {
    .caps = live_caps,
    .now_ns = live_now,
    .send = live_send,
    .mark = live_mark,
    .spoil = live_spoil,
    .port = live_port,
    .send_line = live_send_line,
    .wait = live_wait,
    .drops = live_drops,
    .timing = live_timing,
    .dress = live_dress,
    .esp = live_esp,
    .free = tl_live_free,
};

void tl_live_stamp(struct tl_live *live, const struct timespec *stamp)
{
    uint64_t at_ns = tl_clock_at(&live->clock, stamp);

    if (at_ns > live->frame.at_ns)
        live->frame.at_ns = at_ns;
}

void tl_live_init(struct tl_live *live, const struct tl_port_ops *port, const char *name)
{
    live->link.ops = &live_ops;
    live->port = port;
    live->epoll = live->timer = live->control.fd = -1;
    live->armed_ns = FAL_NEVER;
    tl_clock_init(&live->clock);
    live->caps = (struct tl_link_caps){.name = name,
                                       .live = true,
                                       .ports = port->local != NULL,
                                       .delay_max_ns = FAL_NEVER,
                                       .clock_error_ns = live->clock.error_ns};
}

int tl_live_open(struct tl_live *live, int fd, const char *control, struct fal_error *err)
{
    struct epoll_event in = {.events = EPOLLIN};
    int rc = control != NULL
                 ? tl_control_open(&live->control, control, &live->options.allowed, err)
                 : 0;

    if (rc != 0)
        return rc;
    tl_guard_init(&live->guard, &live->options);
    live->has_control = live->caps.control = control != NULL;
    live->drops_seen = live->port->drops(live);
    live->epoll = epoll_create1(EPOLL_CLOEXEC);
    live->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (live->epoll < 0 || live->timer < 0 ||
        epoll_ctl(live->epoll, EPOLL_CTL_ADD, fd, &in) != 0 ||
        epoll_ctl(live->epoll, EPOLL_CTL_ADD, live->timer, &in) != 0)
        return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
    return 0;
}

int tl_live_watch(struct tl_live *live, int fd, struct fal_error *err)
{
    struct epoll_event in = {.events = EPOLLIN};

    if (epoll_ctl(live->epoll, EPOLL_CTL_ADD, fd, &in) != 0)
        return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
    return 0;
}

void tl_live_free(struct tl_link *link)
{
    struct tl_live *live = live_of(link);

    tl_control_free(&live->control);
    live->port->close(live);
    if (live->timer >= 0)
        (void)close(live->timer);
    if (live->epoll >= 0)
        (void)close(live->epoll);
    free(live);
}
