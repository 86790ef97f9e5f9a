/* SPDX-License-Identifier: Apache-2.0
 * spawn.c - see spawn.h. */
#include "harness/link/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* In the new process. */
static void become(tl_spawn_serve *serve, const char *what, int channel, int said)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setpgid(0, 0);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)dup2(said, STDERR_FILENO);
    if (serve != NULL) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
        _exit(serve(what, channel, channel));
    }
    (void)dup2(channel, STDIN_FILENO);
    (void)dup2(channel, STDOUT_FILENO);
    (void)execl("/bin/sh", "sh", "-c", what, NULL);
    _exit(127);
}

int tl_spawn(struct tl_child *child, tl_spawn_serve *serve, const char *what,
             struct fal_error *err)
{
    int channel[2] = {-1, -1}, said[2] = {-1, -1};
    pid_t pid = -1;

    (void)fflush(NULL); /* the child would write it again */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0 &&
        pipe2(said, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0) {
        /* A fork that kept the other end would never see it close. */
        (void)close(channel[0]);
        (void)close(said[0]);
        become(serve, what, channel[1], said[1]);
    }
    if (channel[1] >= 0)
        (void)close(channel[1]);
    if (said[1] >= 0)
        (void)close(said[1]);
    child->to = child->from = channel[0];
    child->err = said[0];
    if (pid < 0)
        return fal_fail(err, FAL_ERR_IO, "cannot start it: %s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    (void)setpgid(pid, pid);              /* whichever of the two comes first */
    (void)fcntl(channel[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(said[0], F_SETFL, O_NONBLOCK);
    tl_child_started(child, pid);
    return 0;
}
