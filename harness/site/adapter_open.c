/* SPDX-License-Identifier: Apache-2.0
 * adapter_open.c - opens the channel to an adapter: a socket, or a SUT in virtual time. */
#include "harness/site/adapter_check.h"

#include "harness/link/sockets.h"
#include "harness/sut/virtual_sut.h"
#include "harness/wire/control_io.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 2000, NS_PER_MS = 1000000, WAIT_EXEC_S = 2 };

/* ---- a socket ---- */

struct stream {
    struct tl_adapter base; /* must be the first member */
    struct tl_stream where;
    int fd;
    struct tl_line_reader reader;
};

static struct stream *stream_of(struct tl_adapter *adapter)
{
    return (struct stream *)adapter;
}

static int ms_left(uint64_t until_ns)
{
    uint64_t now = tl_monotonic_ns();

    return now >= until_ns ? 0 : (int)((until_ns - now) / NS_PER_MS) + 1;
}

static bool read_some(struct stream *s)
{
    size_t room;
    char *space = tl_line_reader_space(&s->reader, &room);
    ssize_t n = recv(s->fd, space, room, MSG_DONTWAIT);

    if (n > 0)
        tl_line_reader_added(&s->reader, (size_t)n);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool stream_send(struct tl_adapter *adapter, const char *bytes, size_t len)
{
    struct stream *s = stream_of(adapter);
    uint64_t until = tl_monotonic_ns() + (uint64_t)WAIT_MS * NS_PER_MS;

    while (len > 0) {
        struct pollfd out = {.fd = s->fd, .events = POLLOUT};
        ssize_t n = send(s->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
            until = tl_monotonic_ns() + (uint64_t)WAIT_MS * NS_PER_MS;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (poll(&out, 1, ms_left(until)) <= 0) {
            return false;
        }
    }
    return true;
}

static const char *stream_read(struct tl_adapter *adapter, size_t *len)
{
    struct stream *s = stream_of(adapter);
    uint64_t until = tl_monotonic_ns() + (uint64_t)WAIT_MS * NS_PER_MS;
    char *line;

    for (;;) {
        struct pollfd in = {.fd = s->fd, .events = POLLIN};

        switch (tl_line_reader_next(&s->reader, &line, len)) {
        case TL_LINE_WHOLE: return line;
        case TL_LINE_TOO_LONG: *len = 0; return "";
        case TL_LINE_NONE: break;
        }
        if (ms_left(until) == 0 || poll(&in, 1, ms_left(until)) <= 0 || !read_some(s))
            return NULL;
    }
}

static bool stream_again(struct tl_adapter *adapter)
{
    struct stream *s = stream_of(adapter);

    if (s->fd >= 0)
        (void)close(s->fd);
    tl_line_reader_clear(&s->reader);
    s->fd = tl_stream_connect(&s->where, (uint64_t)WAIT_MS * NS_PER_MS, NULL);
    return s->fd >= 0;
}

static void stream_free(struct tl_adapter *adapter)
{
    struct stream *s = stream_of(adapter);

    if (s->fd >= 0)
        (void)close(s->fd);
    tl_line_reader_free(&s->reader);
    free(s);
}

static const struct tl_adapter_ops stream_ops = {stream_send, stream_read, stream_again,
                                                 stream_free};

static struct tl_adapter *open_stream(const char *where, struct fal_error *err)
{
    struct stream *s = calloc(1, sizeof *s);
    struct fal_error why = {{0}};

    if (s == NULL || tl_line_reader_init(&s->reader) != 0) {
        free(s);
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    s->base.ops = &stream_ops;
    s->fd = -1;
    if (tl_stream_read(where, &s->where, err) == 0) {
        s->fd = tl_stream_connect(&s->where, (uint64_t)WAIT_MS * NS_PER_MS, &why);
        if (s->fd < 0)
            (void)fal_fail(err, FAL_ERR_IO,
                           "%.250s; start the adapter first, or correct --control", why.text);
    }
    if (s->fd >= 0)
        return &s->base;
    stream_free(&s->base);
    return NULL;
}

/* ---- in virtual time, which stands still here ---- */

struct still {
    struct tl_adapter base; /* must be the first member */
    struct tl_virtual_sut *sut;
};

static struct still *still_of(struct tl_adapter *adapter)
{
    return (struct still *)adapter;
}

static bool still_send(struct tl_adapter *adapter, const char *bytes, size_t len)
{
    struct still *s = still_of(adapter);
    const char *end;

    while ((end = memchr(bytes, '\n', len)) != NULL) {
        s->sut->ops->line(s->sut, bytes, (size_t)(end - bytes), 0);
        len -= (size_t)(end - bytes) + 1;
        bytes = end + 1;
    }
    return s->sut->ops->broken(s->sut) == NULL;
}

static const char *still_read(struct tl_adapter *adapter, size_t *len)
{
    struct still *s = still_of(adapter);
    struct tl_sut_out out;

    while (s->sut->ops->next(s->sut, &out)) {
        if (out.kind == TL_SUT_LINE) {
            *len = out.len;
            return (const char *)out.bytes;
        }
    }
    return NULL;
}

static void still_free(struct tl_adapter *adapter)
{
    struct still *s = still_of(adapter);

    s->sut->ops->free(s->sut);
    free(s);
}

static const struct tl_adapter_ops still_ops = {still_send, still_read, NULL, still_free};

static struct tl_adapter *open_still(const char *where, struct fal_error *err)
{
    const struct tl_lib_config lib = {.child = {.answer_s = WAIT_EXEC_S}, .seed = 1};
    struct still *s = calloc(1, sizeof *s);

    if (s == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    s->base.ops = &still_ops;
    s->sut = where[0] == 'l' ? tl_virtual_lib(where + 4, &lib, err)
                             : tl_virtual_exec(where + 5, 1, &lib.child, err);
    if (s->sut != NULL)
        return &s->base;
    free(s);
    return NULL;
}

struct tl_adapter *tl_adapter_open(const char *where, struct fal_error *err)
{
    if (strncmp(where, "exec:", 5) == 0 || strncmp(where, "lib:", 4) == 0)
        return open_still(where, err);
    return open_stream(where, err);
}
