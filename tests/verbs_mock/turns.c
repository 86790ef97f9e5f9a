/* SPDX-License-Identifier: Apache-2.0
 * turns.c - lockstep on the standard input and output, around the adapter's own loop. The
 * linker sends the adapter's poll() and read() here (--wrap): a poll() answers the messages of
 * lockstep and returns when the adapter has something to do. */
#include "codecs/base/hex.h"
#include "harness/doc/json_member.h"
#include "harness/wire/protocol.h"
#include "tests/verbs_mock/mock.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME_MAX = 65535 };

/* Names that the linker's --wrap demands. */
int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);

static void stop(const char *why)
{
    (void)fprintf(stderr, "verbs_mock: %s\n", why);
    exit(1);
}

/* ---- what it is told ---- */

static void go_on(struct mock *mock, uint64_t until_ns)
{
    uint64_t due;

    while ((due = tl_sut_deadline(mock->sut)) <= until_ns && due > mock->now_ns) {
        mock->now_ns = due;
        tl_sut_tick(mock->sut, due);
        mock_collect(mock);
    }
    if (until_ns > mock->now_ns)
        mock->now_ns = until_ns;
    if (tl_sut_deadline(mock->sut) <= mock->now_ns)
        tl_sut_tick(mock->sut, mock->now_ns);
}

static void take_frame(struct mock *mock, const struct tl_lockstep_message *message)
{
    uint8_t bytes[FRAME_MAX];
    int len = fal_hex_read(message->bytes, bytes, sizeof bytes);

    if (len < 0)
        stop("frame: expected an even number of hex digits in bytes");
    if (message->at_ns > mock->now_ns)
        mock->now_ns = message->at_ns;
    tl_sut_frame_ip(mock->sut, bytes, (size_t)len,
                    (struct tl_sut_ip){.ecn = message->ecn, .ttl = message->ttl}, mock->now_ns);
}

static void take_message(struct mock *mock, const json_t *object, enum tl_lockstep what)
{
    static const char *const names[] = {"begin", "frame", "advance"};
    struct tl_lockstep_message message;

    if (tl_lockstep_read(object, what, &message, NULL) != 0)
        stop("a message of lockstep has a member that is missing or wrong");
    if ((mock->sut == NULL) != (what == TL_LOCKSTEP_BEGIN))
        stop("expected begin, and one only, before all others");
    switch (what) {
    case TL_LOCKSTEP_BEGIN:
        if (!mock_begin(mock, message.seed))
            stop("the SUT cannot be made");
        break;
    case TL_LOCKSTEP_FRAME: take_frame(mock, &message); break;
    case TL_LOCKSTEP_ADVANCE: go_on(mock, message.at_ns); break;
    }
    mock_collect(mock);
    mock->asked = names[what];
}

/* ---- what it answers ---- */

/* Behind what the adapter has written: an event comes no later than the frames that it causes.
 */
static void say(struct mock *mock)
{
    uint64_t next_ns;

    if (mock->frames_to != NULL) {
        (void)fclose(mock->frames_to);
        (void)fwrite(mock->frames, 1, mock->frames_size, stdout);
        free(mock->frames);
        mock->frames_to = NULL;
    }
    if (mock->asked != NULL) {
        next_ns = tl_sut_deadline(mock->sut);
        printf("{\"done\":\"%s\",\"next_ns\":", mock->asked);
        if (next_ns == FAL_NEVER)
            puts("null}");
        else
            printf("%" PRIu64 "}\n", next_ns);
        mock->asked = NULL;
    }
    (void)fflush(stdout);
}

/* 1: there is a control line to read, or the input has ended. 0: the adapter polls the device.
 */
static int turn(struct mock *mock)
{
    enum tl_lockstep what = TL_LOCKSTEP_BEGIN;
    json_t *object;
    ssize_t len;

    if (mock->line_at < mock->line_len || mock->ended)
        return 1;
    if (mock->news) {
        mock->news = false;
        return 0;
    }
    say(mock);
    len = getline(&mock->line, &mock->line_cap, stdin);
    mock->ended = len <= 0;
    if (mock->ended)
        return 1;
    mock->news = true;
    object = tl_json_line(mock->line, (size_t)len, NULL);
    if (tl_lockstep_is(object, &what)) {
        take_message(mock, object, what);
        json_decref(object);
        mock->news = false; /* this poll() is followed by one of the device */
        return 0;
    }
    json_decref(object);
    if (mock->sut == NULL)
        stop("the first message must be begin");
    mock->line_at = 0;
    mock->line_len = (size_t)len;
    return 1;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
    if (count != 1 || fds->fd != STDIN_FILENO)
        return __real_poll(fds, count, timeout);
    return turn(mock_device());
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
    struct mock *mock = mock_device();
    size_t len = mock->line_len - mock->line_at;

    if (fd != STDIN_FILENO)
        return __real_read(fd, to, size);
    if (len > size)
        len = size;
    memcpy(to, mock->line + mock->line_at, len);
    mock->line_at += len;
    return (ssize_t)len;
}
