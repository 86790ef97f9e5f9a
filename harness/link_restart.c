/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link_restart.h"

#include "harness/link_socket.h"
#include "oracles/params.h"

#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define PATIENCE_NS (30 * FAL_S)
#define PAUSE_NS    (10 * FAL_MS)

extern char **environ;

/* In a process group of its own, so that all of it can be ended. 0, or an errno. */
static int start(const char *command, pid_t *child)
{
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)command, NULL};
    posix_spawnattr_t attributes;
    int code = posix_spawnattr_init(&attributes);

    if (code != 0)
        return code;
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    code = posix_spawn(child, "/bin/sh", NULL, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    return code;
}

int tl_restart(const char *command, struct fal_error *err)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    uint64_t until = tl_monotonic_ns() + PATIENCE_NS;
    pid_t child;
    int status = 0, code = start(command, &child);

    if (code != 0)
        return fal_fail(err, FAL_ERR_IO, "--sut-exec: %s", strerror(code));
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (tl_monotonic_ns() > until) {
            (void)kill(-child, SIGKILL);
            (void)waitpid(child, NULL, 0);
            return fal_fail(err, FAL_ERR_IO, "--sut-exec: '%.100s' does not end", command);
        }
        (void)nanosleep(&pause, NULL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "--sut-exec: '%.100s' failed", command);
}
