/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/hunt/hunt_watch.h"

#include "harness/cli/cmd.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 700, LOCK_MS = 100 };

static sigset_t both(void)
{
    sigset_t asked;

    (void)sigemptyset(&asked);
    (void)sigaddset(&asked, SIGINT);
    (void)sigaddset(&asked, SIGTERM);
    return asked;
}

static bool lock(struct hunt_watch *watch)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOCK_MS * 1000L * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&watch->hunt->lock, &until) == 0;
}

static void stop(struct hunt_watch *watch)
{
    struct hunt *h = watch->hunt;

    if (!lock(watch))
        return;
    h->stop = true;
    if (h->stop_why[0] == 0)
        (void)snprintf(h->stop_why, sizeof h->stop_why, "interrupted");
    pthread_mutex_unlock(&h->lock);
}

static void leave(struct hunt_watch *watch)
{
    fprintf(
        stderr,
        "%s: interrupted during a case that does not end; what was found before it is kept\n",
        watch->verb);
    if (lock(watch))
        watch->last(watch->ctx);
    (void)fflush(stdout);
    _exit(TL_STATUS_ERROR); /* the case goes on in another thread: nothing can be freed */
}

static void *wait_for(void *arg)
{
    struct hunt_watch *watch = arg;
    struct pollfd files[2] = {{.fd = watch->over, .events = POLLIN},
                              {.fd = watch->signals, .events = POLLIN}};

    while (poll(files, 2, -1) < 0)
        continue;
    if (files[0].revents != 0)
        return NULL;
    stop(watch);
    if (poll(files, 1, GRACE_MS) == 0)
        leave(watch);
    return NULL;
}

void hunt_watch_begin(struct hunt_watch *watch)
{
    sigset_t asked = both();

    (void)pthread_sigmask(SIG_BLOCK, &asked, NULL);
    watch->signals = signalfd(-1, &asked, SFD_CLOEXEC);
    watch->over = eventfd(0, EFD_CLOEXEC);
    watch->started = watch->signals >= 0 && watch->over >= 0 &&
                     pthread_create(&watch->thread, NULL, wait_for, watch) == 0;
    if (!watch->started)
        (void)pthread_sigmask(SIG_UNBLOCK, &asked, NULL);
}

void hunt_watch_end(struct hunt_watch *watch)
{
    if (watch->started) {
        (void)eventfd_write(watch->over, 1);
        (void)pthread_join(watch->thread, NULL);
    }
    watch->started = false;
    if (watch->signals >= 0)
        (void)close(watch->signals);
    if (watch->over >= 0)
        (void)close(watch->over);
    watch->signals = watch->over = -1;
}
