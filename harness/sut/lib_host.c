/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/lib_host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOST_FD = 3, PATH_LEN = 4096, IDLE_MAX = 64 };

struct tl_lib_host {
    pid_t pid;
    int fd; /* one message for each child, and its answer */
    pthread_mutex_t lock;
    struct tl_child idle[IDLE_MAX]; /* all with the library of this run */
    unsigned num_idle;
};

/* The path goes with two descriptors: the channel, and where it writes its errors. */
struct request {
    char path[PATH_LEN];
};

union fds {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
};

/* ---- the host ---- */

static void set_signals(void)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD};
    sigset_t none;

    (void)sigemptyset(&none);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        (void)signal(usual[i], SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: in a process group of its own, with nothing of the tester's open. */
static void run_child(const char *path, int channel, int said)
{
    int status;

    (void)setpgid(0, 0);
    (void)close(HOST_FD);
    if (dup2(said, STDERR_FILENO) < 0 || dup2(said, STDOUT_FILENO) < 0)
        _exit(1);
    (void)close(said);
    status = tl_lib_serve(path, channel);
    (void)fflush(NULL);
    _exit(status);
}

/* Forks the child as a child of the tester, which waits for its end. This process has one
 * thread, so that the bare system call does as fork does. */
static pid_t fork_for_parent(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* Receives a request. False: the tester has ended. */
static bool receive(struct request *request, int fds[2])
{
    union fds control;
    struct iovec part = {request, sizeof *request};
    struct msghdr head = {.msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
    ssize_t n;

    do
        n = recvmsg(HOST_FD, &head, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0 || CMSG_FIRSTHDR(&head) == NULL)
        return false;
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&head)), 2 * sizeof(int));
    request->path[PATH_LEN - 1] = 0;
    return true;
}

/* Between fork and exec, or without exec: nothing of the tester's stays open. */
static bool set_up(int fd)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)setpgid(0, 0); /* an interrupt at the terminal is meant for the tester */
    set_signals();
    if (nothing >= 0)
        (void)dup2(nothing, STDIN_FILENO);
    if (fd == HOST_FD ? fcntl(fd, F_SETFD, 0) != 0 : dup2(fd, HOST_FD) < 0)
        return false;
    (void)close_range(HOST_FD + 1, ~0U, 0);
    return true;
}

void tl_lib_host_run(void)
{
    struct request request = {.path = {0}};
    int fds[2];

    while (receive(&request, fds)) {
        pid_t pid = fork_for_parent();

        if (pid == 0)
            run_child(request.path, fds[0], fds[1]);
        if (pid < 0)
            pid = -errno;
        (void)close(fds[0]);
        (void)close(fds[1]);
        if (send(HOST_FD, &pid, sizeof pid, MSG_NOSIGNAL) != sizeof pid)
            return;
    }
}

/* ---- the tester ---- */

/* In the new process. A program that is started anew has little memory, which makes forking
 * cheap; where it cannot be started, a copy of the tester does the same. */
static void be_host(int fd, const char *program)
{
    if (!set_up(fd))
        return;
    if (program != NULL)
        (void)execl(program, "talon", TL_LIB_HOST_VERB, NULL);
    tl_lib_host_run();
}

int tl_lib_host_start(struct tl_lib_host **out, const char *program, struct fal_error *err)
{
    struct tl_lib_host *host = calloc(1, sizeof *host);
    int fds[2] = {-1, -1};

    *out = NULL;
    if (host == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    (void)fflush(NULL); /* the child would write it again */
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0 ||
        (host->pid = fork()) < 0) {
        int code = errno;

        if (fds[0] >= 0)
            (void)close(fds[0]);
        if (fds[1] >= 0)
            (void)close(fds[1]);
        free(host);
        return fal_fail(err, FAL_ERR_IO, "cannot start the process that loads libraries: %s",
                        strerror(code)); /* NOLINT(concurrency-mt-unsafe) */
    }
    if (host->pid == 0) {
        be_host(fds[1], program);
        _exit(0);
    }
    (void)close(fds[1]);
    host->fd = fds[0];
    (void)pthread_mutex_init(&host->lock, NULL);
    *out = host;
    return 0;
}

/* Under the lock. Returns the child, or minus an errno. */
static pid_t ask(const struct tl_lib_host *host, struct request *request, const int fds[2])
{
    union fds control = {.bytes = {0}};
    struct iovec part = {request, sizeof *request};
    struct msghdr head = {.msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
    struct cmsghdr *about = CMSG_FIRSTHDR(&head);
    pid_t pid;

    about->cmsg_level = SOL_SOCKET;
    about->cmsg_type = SCM_RIGHTS;
    about->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(about), fds, 2 * sizeof(int));
    if (sendmsg(host->fd, &head, MSG_NOSIGNAL) < 0)
        return -errno;
    if (recv(host->fd, &pid, sizeof pid, 0) != sizeof pid)
        return -EPIPE;
    return pid;
}

int tl_lib_host_fork(struct tl_lib_host *host, const char *path, int channel, int said,
                     pid_t *pid, struct fal_error *err)
{
    const int fds[2] = {channel, said};
    struct request request = {.path = {0}};

    if (strlen(path) >= sizeof request.path)
        return fal_fail(err, FAL_ERR_RANGE, "the path of the library is too long");
    memcpy(request.path, path, strlen(path));
    (void)pthread_mutex_lock(&host->lock);
    *pid = ask(host, &request, fds);
    (void)pthread_mutex_unlock(&host->lock);
    if (*pid > 0)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "cannot start a process for the library: %s",
                    strerror(-*pid)); /* NOLINT(concurrency-mt-unsafe) */
}

bool tl_lib_host_take(struct tl_lib_host *host, struct tl_child *child)
{
    bool any;

    (void)pthread_mutex_lock(&host->lock);
    any = host->num_idle > 0;
    if (any)
        *child = host->idle[--host->num_idle];
    (void)pthread_mutex_unlock(&host->lock);
    return any;
}

bool tl_lib_host_keep(struct tl_lib_host *host, const struct tl_child *child)
{
    bool room;

    (void)pthread_mutex_lock(&host->lock);
    room = host->num_idle < IDLE_MAX;
    if (room)
        host->idle[host->num_idle++] = *child;
    (void)pthread_mutex_unlock(&host->lock);
    return room;
}

void tl_lib_host_end(struct tl_lib_host *host)
{
    if (host == NULL)
        return;
    for (unsigned i = 0; i < host->num_idle; i++)
        tl_child_free(&host->idle[i]);
    (void)close(host->fd);
    (void)waitpid(host->pid, NULL, 0);
    (void)pthread_mutex_destroy(&host->lock);
    free(host);
}
