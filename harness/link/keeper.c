/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/keeper.h"

#include "harness/link/sockets.h"
#include "oracles/params.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_NS (30 * FAL_S)

enum { LOOK_MS = 10, CHILDREN_TEXT = 4096 };

extern char **environ;

/* ---- the keeper ---- This code runs between fork and _exit: it must not allocate or print. */

/* Starts the command in a process group of its own with no signal blocked. Returns 0, or an
 * errno. */
static int start(const char *command, pid_t *child)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, NULL, NULL};
    posix_spawnattr_t attributes;
    sigset_t none;
    int code = posix_spawnattr_init(&attributes);

    memcpy(&argv[2], &command,
           sizeof command); /* posix_spawn does not write through these pointers */
    if (code != 0)
        return code;
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    code = posix_spawn(child, "/bin/sh", NULL, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    return code;
}

/* Kills every process that is a child of this process now. */
static void kill_children(pid_t group)
{
    char path[64], text[CHILDREN_TEXT + 1], *at = text, *end;
    ssize_t n;
    int fd;

    (void)kill(-group, SIGKILL);
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return; /* a kernel without this file: only the process group can be found */
    n = read(fd, text, CHILDREN_TEXT);
    (void)close(fd);
    text[n > 0 ? n : 0] = 0;
    for (;;) {
        long pid = strtol(at, &end, 10);

        if (end == at)
            return;
        at = end;
        if (pid > 1 && (*end == ' ' || *end == 0))
            (void)kill((pid_t)pid, SIGKILL);
    }
}

/* The children of a killed child become this process's children and are killed in the next
 * round. */
static void end_all(pid_t group)
{
    for (;;) {
        pid_t pid;

        kill_children(group);
        pid = waitpid(-1, NULL, 0);
        if (pid < 0 && errno == ECHILD)
            return;
    }
}

static void keep(const char *command, int life, int told)
{
    struct pollfd ends = {.fd = life};
    unsigned char answer[2] = {0, 0}; /* an errno, or the exit status */
    pid_t child = 0, pid;
    int status;

    (void)setpgid(0, 0); /* an interrupt at the terminal is meant for the tester */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    answer[0] = (unsigned char)start(command, &child);
    if (answer[0] != 0) {
        (void)!write(told, answer, sizeof answer);
        return;
    }
    while (poll(&ends, 1, LOOK_MS) <= 0) {
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid != child)
                continue;
            answer[1] = WIFEXITED(status) ? (unsigned char)WEXITSTATUS(status) : 1;
            (void)!write(told, answer, sizeof answer);
        }
    }
    end_all(child);
}

/* ---- the tester ---- */

static bool answered(int told, unsigned char answer[2])
{
    uint64_t until = tl_monotonic_ns() + PATIENCE_NS;
    struct pollfd in = {.fd = told, .events = POLLIN};

    while (tl_monotonic_ns() < until) {
        int n = poll(&in, 1, LOOK_MS * 10);

        if (n > 0)
            return read(told, answer, 2) == 2;
        if (n < 0 && errno != EINTR)
            return false;
    }
    return false;
}

void tl_keeper_end(struct tl_keeper *keeper)
{
    if (keeper->pid == 0)
        return;
    (void)close(keeper->life);
    (void)waitpid(keeper->pid, NULL, 0);
    *keeper = (struct tl_keeper){0};
}

int tl_restart(struct tl_keeper *keeper, const char *command, struct fal_error *err)
{
    int life[2] = {-1, -1}, told[2] = {-1, -1};
    unsigned char answer[2];
    pid_t parent = getpid();

    tl_keeper_end(keeper);
    if (pipe2(life, O_CLOEXEC) != 0)
        return fal_fail(err, FAL_ERR_IO, "--sut-exec: %s", strerror(errno));
    if (pipe2(told, O_CLOEXEC) != 0 || (keeper->pid = fork()) < 0) {
        (void)fal_fail(err, FAL_ERR_IO, "--sut-exec: %s", strerror(errno));
        (void)close(life[0]);
        (void)close(life[1]);
        if (told[0] >= 0) {
            (void)close(told[0]);
            (void)close(told[1]);
        }
        keeper->pid = 0;
        return FAL_ERR_IO;
    }
    if (keeper->pid == 0) {
        (void)close(life[1]);
        (void)close(told[0]);
        if (getppid() == parent)
            keep(command, life[0], told[1]);
        _exit(0);
    }
    (void)close(life[0]);
    (void)close(told[1]);
    keeper->life = life[1];
    if (!answered(told[0], answer)) {
        (void)close(told[0]);
        tl_keeper_end(keeper);
        return fal_fail(err, FAL_ERR_IO, "--sut-exec: '%.100s' did not finish in 30 s",
                        command);
    }
    (void)close(told[0]);
    if (answer[0] != 0)
        return fal_fail(err, FAL_ERR_IO, "--sut-exec: %s", strerror(answer[0]));
    if (answer[1] != 0)
        return fal_fail(err, FAL_ERR_IO, "--sut-exec: '%.100s' failed", command);
    return 0;
}

/* ---- children in lockstep ---- */

struct told {
    pid_t group;
    int begins;
};

enum { GROUPS_MAX = 1024 };

static void guard_groups(int from)
{
    pid_t groups[GROUPS_MAX] = {0};
    struct told told;
    ssize_t n;

    (void)setpgid(0, 0);
    while ((n = read(from, &told, sizeof told)) == sizeof told || (n < 0 && errno == EINTR)) {
        pid_t find = n > 0 && told.begins ? 0 : told.group;

        for (size_t i = 0; n > 0 && i < GROUPS_MAX; i++) {
            if (groups[i] != find)
                continue;
            groups[i] = told.begins ? told.group : 0;
            break;
        }
    }
    for (size_t i = 0; i < GROUPS_MAX; i++)
        if (groups[i] > 1)
            (void)kill(-groups[i], SIGKILL);
}

int tl_warden_start(struct tl_warden *warden, struct fal_error *err)
{
    pid_t parent = getpid();
    int fds[2];

    *warden = (struct tl_warden){0};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return fal_fail(err, FAL_ERR_IO,
                        "cannot start the process that watches over child processes: %s",
                        strerror(errno));
    warden->pid = fork();
    if (warden->pid == 0) {
        (void)close(fds[1]);
        if (getppid() == parent)
            guard_groups(fds[0]);
        _exit(0);
    }
    (void)close(fds[0]);
    if (warden->pid < 0) {
        warden->pid = 0;
        (void)close(fds[1]);
        return fal_fail(err, FAL_ERR_IO,
                        "cannot start the process that watches over child processes: %s",
                        strerror(errno));
    }
    warden->fd = fds[1];
    return 0;
}

void tl_warden_tell(int fd, pid_t group, bool begins)
{
    const struct told told = {group, begins};

    if (fd > 0)
        (void)!write(fd, &told, sizeof told);
}

void tl_warden_end(struct tl_warden *warden)
{
    if (warden->pid == 0)
        return;
    (void)close(warden->fd);
    (void)waitpid(warden->pid, NULL, 0);
    *warden = (struct tl_warden){0};
}
