/* SPDX-License-Identifier: Apache-2.0
 * server_setup.c - opens and closes what `talon sut` needs. */
#include "harness/sut/server_state.h"

#include "harness/link/echo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Writes the file completely or not at all, because others wait for it. */
static int write_port_file(const char *path, const char *frames, const char *control,
                           struct fal_error *err)
{
    char temporary[4096];
    FILE *file = NULL;
    int written;

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.tmp", path) < sizeof temporary)
        file = fopen(temporary, "we");
    else
        errno = ENAMETOOLONG;
    if (file == NULL)
        goto fail;
    written = fprintf(file, "%s %s\n", frames, control);
    if (fclose(file) != 0 || written < 0 || rename(temporary, path) != 0)
        goto fail;
    return 0;

fail:
    return fal_fail(err, FAL_ERR_IO, "port file %.200s: %s", path, strerror(errno));
}

/* Prints the addresses in the form that `talon run` takes. */
static int tell_addresses(struct tl_server *s, struct fal_error *err)
{
    struct tl_address at = s->config->frames;
    char text[TL_ADDRESS_TEXT], frames[TL_ADDRESS_TEXT + IF_NAMESIZE + 8],
        control[sizeof s->config->control.un + 8];
    int rc = s->raw != NULL ? 0 : tl_socket_address(s->frames, &at, err);

    if (rc != 0)
        return rc;
    tl_address_text(&at, text);
    if (s->raw != NULL)
        (void)snprintf(frames, sizeof frames, "raw:%s,%s", s->config->raw.iface, text);
    else
        (void)snprintf(frames, sizeof frames, "udp:%s", text);
    if (s->config->stdio) {
        (void)snprintf(control, sizeof control, "stdio");
    } else if (s->config->control.is_unix) {
        (void)snprintf(control, sizeof control, "unix:%s", s->config->control.un.sun_path);
    } else {
        rc = tl_socket_address(s->listener, &at, err);
        if (rc != 0)
            return rc;
        tl_address_text(&at, text);
        (void)snprintf(control, sizeof control, "tcp:%s", text);
    }
    fprintf(stderr, "talon sut: frames %s, control %s\n", frames, control);
    if (s->config->port_file == NULL)
        return 0;
    return write_port_file(s->config->port_file, frames, control, err);
}

/* At an interface there is no echo: the kernel may not own the address, so no socket could
 * receive. */
static int open_frames(struct tl_server *s, struct fal_error *err)
{
    if (s->config->is_raw) {
        s->raw = tl_sut_raw_open(&s->config->raw, err);
        s->frames = s->raw != NULL ? tl_sut_raw_fd(s->raw) : -1;
        return s->raw != NULL ? 0 : FAL_ERR_IO;
    }
    s->frames = tl_udp_bind(&s->config->frames, err);
    if (s->frames < 0)
        return FAL_ERR_IO;
    s->echo = tl_echo_open(&s->config->frames, &s->echo_port, err);
    return s->echo >= 0 ? 0 : FAL_ERR_IO;
}

int tl_server_open(struct tl_server *s, const sigset_t *signals, struct fal_error *err)
{
    if (tl_line_reader_init(&s->reader) != 0)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (open_frames(s, err) != 0)
        return FAL_ERR_IO;
    if (!s->config->stdio) {
        s->listener = tl_stream_listen(&s->config->control, err);
        if (s->listener < 0)
            return FAL_ERR_IO;
    }
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    s->signals = signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
    if (s->epoll < 0 || s->timer < 0 || s->signals < 0 ||
        tl_server_watch(s, EPOLL_CTL_ADD, s->timer, EPOLLIN) != 0 ||
        tl_server_watch(s, EPOLL_CTL_ADD, s->signals, EPOLLIN) != 0 ||
        tl_server_watch(s, EPOLL_CTL_ADD, s->frames, EPOLLIN) != 0 ||
        (s->echo >= 0 && tl_server_watch(s, EPOLL_CTL_ADD, s->echo, EPOLLIN) != 0) ||
        (s->listener >= 0 && tl_server_watch(s, EPOLL_CTL_ADD, s->listener, EPOLLIN) != 0))
        return fal_fail(err, FAL_ERR_IO, "epoll: %s", strerror(errno));
    if (s->config->stdio) {
        s->in_flags = fcntl(STDIN_FILENO, F_GETFL);
        s->out_flags = fcntl(STDOUT_FILENO, F_GETFL);
        (void)fcntl(STDIN_FILENO, F_SETFL, s->in_flags | O_NONBLOCK);
        (void)fcntl(STDOUT_FILENO, F_SETFL, s->out_flags | O_NONBLOCK);
        if (tl_server_begin(s, STDIN_FILENO, STDOUT_FILENO, err) != 0)
            return FAL_ERR_MEM;
    }
    return tell_addresses(s, err);
}

void tl_server_close(struct tl_server *s)
{
    const int all[] = {
        s->raw != NULL ? -1 : s->frames, s->echo, s->listener, s->epoll, s->timer, s->signals};

    if (s->sut != NULL)
        tl_server_end(s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            (void)close(all[i]);
    tl_sut_raw_free(s->raw);
    if (s->listener >= 0 && s->config->control.is_unix)
        (void)unlink(s->config->control.un.sun_path);
    if (s->in_flags >= 0)
        (void)fcntl(STDIN_FILENO, F_SETFL, s->in_flags);
    if (s->out_flags >= 0)
        (void)fcntl(STDOUT_FILENO, F_SETFL, s->out_flags);
    tl_line_reader_free(&s->reader);
    tl_outbox_free(&s->outbox);
}
