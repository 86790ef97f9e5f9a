/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/control.h"

#include "oracles/params.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { OUTBOX_MAX = 4 << 20 }; /* limit of queued bytes for a SUT that does not read */

static const uint64_t connect_timeout_ns = 2 * FAL_S;

int tl_control_open(struct tl_control *control, const char *address,
                    const struct tl_allowed *allowed, struct fal_error *err)
{
    struct fal_error why = {{0}};
    struct tl_stream stream;
    int rc, on = 1;

    *control = (struct tl_control){.fd = -1};
    rc = tl_stream_read_among(address, allowed, &stream, err);
    if (rc != 0)
        return rc;
    if (tl_line_reader_init(&control->reader) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    control->fd = tl_stream_connect(&stream, connect_timeout_ns, &why);
    if (control->fd < 0) {
        (void)fal_fail(err, FAL_ERR_IO,
                       "%.250s; start the SUT's adapter before Talon, or correct --control",
                       why.text);
        control->fd = -1;
        return FAL_ERR_IO;
    }
    (void)setsockopt(control->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    return 0;
}

void tl_control_free(struct tl_control *control)
{
    if (control->fd >= 0)
        (void)close(control->fd);
    tl_line_reader_free(&control->reader);
    tl_outbox_free(&control->outbox);
    control->fd = -1;
}

static void end(struct tl_control *control, bool broken, const char *how, const char *why)
{
    (void)close(control->fd);
    control->fd = -1;
    control->broken = broken;
    (void)fal_fail(&control->why, FAL_ERR_IO, "the control channel %s%s", how, why);
}

/* Takes one line, or the end of the channel, out of the bytes that were read. */
static bool next_line(struct tl_control *control)
{
    switch (tl_line_reader_next(&control->reader, &control->line, &control->len)) {
    case TL_LINE_WHOLE: return true;
    case TL_LINE_TOO_LONG:
        if (control->fd >= 0)
            end(control, true, "sent a line that is too long", ": the limit is 65536 bytes");
        tl_line_reader_clear(&control->reader);
        break;
    case TL_LINE_NONE: break;
    }
    control->line = NULL;
    return false;
}

/* TCP gives the arrival time of the last segment read; a Unix socket gives none. */
static const struct timespec *stamp_of(struct msghdr *msg, struct timespec *stamp)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(stamp, CMSG_DATA(c), sizeof *stamp);
            return stamp;
        }
    }
    return NULL;
}

bool tl_control_look(struct tl_control *control, struct tl_clock *clock)
{
    if (control->line != NULL || next_line(control))
        return true;
    while (control->fd >= 0) {
        union {
            char bytes[256];
            struct cmsghdr align;
        } ancillary;
        struct iovec iov;
        struct msghdr msg = {.msg_iov = &iov,
                             .msg_iovlen = 1,
                             .msg_control = ancillary.bytes,
                             .msg_controllen = sizeof ancillary.bytes};
        struct timespec stamp;
        uint64_t at_ns;
        ssize_t n;

        iov.iov_base = tl_line_reader_space(&control->reader, &iov.iov_len);
        n = recvmsg(control->fd, &msg, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (n < 0) {
            end(control, false, "broke: ", strerror(errno));
        } else if (n == 0) {
            end(control, false, "was closed by the SUT",
                tl_line_reader_rest(&control->reader) > 0 ? " within a line" : "");
        } else {
            at_ns = tl_clock_at(clock, stamp_of(&msg, &stamp));
            control->at_ns = at_ns > control->at_ns ? at_ns : control->at_ns;
            tl_line_reader_added(&control->reader, (size_t)n);
            if (next_line(control))
                return true;
        }
    }
    return false;
}

bool tl_control_flush(struct tl_control *control)
{
    while (control->fd >= 0) {
        size_t len;
        const char *bytes = tl_outbox_peek(&control->outbox, &len);
        ssize_t n;

        if (bytes == NULL)
            return false;
        n = send(control->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n < 0) {
            /* Read what the SUT sent before it closed the channel; the read that follows finds
             * the end. */
            tl_outbox_clear(&control->outbox);
            return false;
        }
        tl_outbox_written(&control->outbox, (size_t)n);
    }
    return false;
}

int tl_control_send(struct tl_control *control, const char *line, size_t len,
                    struct fal_error *err)
{
    int rc;

    if (control->fd < 0)
        return fal_fail(err, FAL_ERR_IO, "%s", control->why.text);
    if (len > TL_LINE_MAX || memchr(line, '\n', len) != NULL)
        return fal_fail(
            err, FAL_ERR_IO,
            "cannot send a control line of %zu bytes: the limit is %d bytes, and it must be one line",
            len, TL_LINE_MAX);
    rc = tl_outbox_line(&control->outbox, line, len, OUTBOX_MAX);
    if (rc == FAL_ERR_SHORT)
        return fal_fail(err, FAL_ERR_IO,
                        "the SUT does not read its control channel: %d bytes are queued",
                        OUTBOX_MAX);
    if (rc != 0)
        return fal_fail(err, FAL_ERR_IO, "out of memory");
    (void)tl_control_flush(control);
    return 0;
}
