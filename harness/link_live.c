/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct tl_live *live_of(struct tl_link *link)
{
    return (struct tl_live *)link;
}

static bool look_for_line(struct tl_live *live)
{
    return live->has_control && tl_control_look(&live->control, &live->clock);
}

/* Tells epoll what the control channel needs now. */
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

/* Sleeps until something may have happened. 0, or an errno. */
static int sleep_until(struct tl_live *live, uint64_t deadline_ns)
{
    struct epoll_event events[4];
    int code = watch_control(live);

    if (code != 0)
        return code;
    if (deadline_ns != live->armed_ns) {
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

/* The end of the control channel, told once. */
static enum tl_link_event control_ended(struct tl_live *live, struct tl_link_got *got)
{
    live->control.told = true;
    got->at_ns = got->read_ns = tl_clock_now(&live->clock);
    got->error = live->control.why;
    return live->control.broken ? TL_LINK_ERROR : TL_LINK_CLOSED;
}

static enum tl_link_event give(struct tl_live *live, bool line, struct tl_link_got *got)
{
    got->read_ns = tl_clock_now(&live->clock);
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
    live->frame.there = false;
    return TL_LINK_FRAME;
}

static enum tl_link_event live_wait(struct tl_link *link, uint64_t deadline_ns,
                                    struct tl_link_got *got)
{
    struct tl_live *live = live_of(link);

    *got = (struct tl_link_got){0};
    for (;;) {
        bool line = look_for_line(live);
        int code = live->port->look(live);
        uint64_t at_ns, now;

        if (code != 0)
            return broken(live, got, code);
        if (live->frame.there && !line)
            line = look_for_line(live); /* one may have come before the frame, since */
        if (line && live->frame.there)
            line = live->control.at_ns <= live->frame.at_ns;
        if (line || live->frame.there) {
            at_ns = line ? live->control.at_ns : live->frame.at_ns;
            if (at_ns <= deadline_ns)
                return give(live, line, got);
        } else if (live->has_control && live->control.fd < 0 && !live->control.told) {
            return control_ended(live, got);
        }
        now = tl_clock_now(&live->clock);
        if (now >= deadline_ns) {
            got->at_ns = got->read_ns = now;
            return TL_LINK_TIMEOUT;
        }
        code = sleep_until(live, deadline_ns);
        if (code != 0)
            return broken(live, got, code);
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

/* Nobody is there, yet or any more: news that an ICMP message or a silent neighbour left for
 * the next call to find, not a failure of this call. */
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

static int live_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                     struct fal_error *err)
{
    struct tl_live *live = live_of(link);
    int code;

    /* Before it leaves: an answer is never older than its cause. */
    *sent_ns = tl_clock_now(&live->clock);
    code = live->port->send(live, bytes, len);
    if (live->marked)
        live->port->mark(live, -1, 0);
    live->marked = false;
    if (code == 0 || nobody_there(code))
        return 0; /* in the second case lost on the way, as far as this run is concerned */
    return fal_fail(err, FAL_ERR_IO, "cannot send a frame of %zu bytes: %s", len,
                    strerror(code));
}

static int live_send_line(struct tl_link *link, const char *line, size_t len,
                          struct fal_error *err)
{
    struct tl_live *live = live_of(link);

    if (!live->has_control)
        return fal_fail(err, FAL_ERR_IO, "this link has no control channel");
    return tl_control_send(&live->control, line, len, err);
}

static const struct tl_link_ops live_ops = {
    .caps = live_caps,
    .now_ns = live_now,
    .send = live_send,
    .mark = live_mark,
    .send_line = live_send_line,
    .wait = live_wait,
    .drops = live_drops,
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
                                       .delay_max_ns = FAL_NEVER,
                                       .clock_error_ns = live->clock.error_ns};
}

int tl_live_open(struct tl_live *live, int fd, const char *control, struct fal_error *err)
{
    struct epoll_event in = {.events = EPOLLIN};
    int rc = control != NULL ? tl_control_open(&live->control, control, err) : 0;

    if (rc != 0)
        return rc;
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
