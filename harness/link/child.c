/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/child.h"

#include "harness/link/keeper.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTPUTS_MAX = 100000, /* limit of one message */
    ANSWER_MS = 30000,    /* generous, because the machine may be busy */
    GRACE_MS = 500,       /* time for the child to end after its input has ended */
    LOOK_MS = 100,        /* how often a silent child is looked at */
    LINES_SHOWN = 6,      /* of its standard error */
    SAID_IN_ERROR = 160,  /* bytes of it in a message of one line */
    PAUSE_LEAST_NS = 20000,
    PAUSE_MOST_NS = 1000000,
};

static int64_t wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tl_child_renew(struct tl_child *child, const struct tl_child_config *config)
{
    child->answer_ms = config->answer_s > 0 ? (int64_t)config->answer_s * 1000 : ANSWER_MS;
    child->stop = (struct tl_stop){.how = TL_STOP_NONE};
    child->said_len = 0;
}

int tl_child_init(struct tl_child *child, size_t in_cap, const struct tl_child_config *config)
{
    *child = (struct tl_child){.to = -1, .from = -1, .err = -1};
    tl_child_renew(child, config);
    child->warden = config->warden;
    child->name = "the SUT's process";
    child->in_cap = in_cap;
    child->in = malloc(in_cap + 1);
    return child->in != NULL ? 0 : FAL_ERR_MEM;
}

void tl_child_started(struct tl_child *child, pid_t pid)
{
    child->pid = pid;
    tl_warden_tell(child->warden, pid, true);
}

/* ---- its standard error ---- */

static void keep_said(struct tl_child *child, const char *bytes, size_t len)
{
    size_t cap = sizeof child->said;

    if (len > cap) {
        bytes += len - cap;
        len = cap;
    }
    if (child->said_len + len > cap) {
        size_t gone = child->said_len + len - cap;

        memmove(child->said, child->said + gone, child->said_len - gone);
        child->said_len -= gone;
    }
    memcpy(child->said + child->said_len, bytes, len);
    child->said_len += len;
}

/* Passes on what there is. */
static void hear(struct tl_child *child)
{
    char bytes[4096];
    ssize_t n;

    while (child->err >= 0 && (n = read(child->err, bytes, sizeof bytes)) >= 0) {
        if (n == 0) {
            (void)close(child->err);
            child->err = -1;
            return;
        }
        (void)!write(STDERR_FILENO, bytes, (size_t)n);
        keep_said(child, bytes, (size_t)n);
        if (n < (ssize_t)sizeof bytes)
            return;
    }
}

/* Adds a line of its standard error to what is shown. */
static void show_line(struct tl_stop *stop, const char *line, size_t len)
{
    size_t used = strlen(stop->said), room = sizeof stop->said - used;
    const char *between = used > 0 ? " | " : "";

    if (len > 0 && room > strlen(between) + 1)
        (void)snprintf(stop->said + used, room, "%s%.*s", between,
                       (int)(len < room ? len : room), line);
}

/* The last lines; before them the summary of a sanitizer, which explanations follow. */
static void show_said(struct tl_child *child)
{
    const char *lines[LINES_SHOWN] = {NULL}, *at = child->said, *end = at + child->said_len;
    size_t lens[LINES_SHOWN] = {0}, n = 0, summary_len = 0;
    const char *summary = NULL;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop != NULL ? stop : end) - at);

        if (len >= 8 && memcmp(at, "SUMMARY:", 8) == 0) {
            summary = at;
            summary_len = len;
        }
        if (len > 0) {
            lines[n % LINES_SHOWN] = at;
            lens[n % LINES_SHOWN] = len;
            n++;
        }
        at += len + 1;
    }
    for (size_t i = n > LINES_SHOWN ? n - LINES_SHOWN : 0; i < n; i++) {
        if (summary != NULL && summary < lines[i % LINES_SHOWN]) {
            show_line(&child->stop, summary, summary_len);
            summary = NULL;
        }
        if (lines[i % LINES_SHOWN] == summary)
            summary = NULL;
        show_line(&child->stop, lines[i % LINES_SHOWN], lens[i % LINES_SHOWN]);
    }
}

/* ---- how it stops ---- */

static void stopped(struct tl_child *child, enum tl_stop_how how)
{
    struct tl_stop *stop = &child->stop;
    size_t len;

    stop->how = how;
    hear(child);
    show_said(child);
    len = strlen(stop->said);
    (void)fal_fail(&child->why, FAL_ERR_IO, "%s %s%s%s", child->name, stop->what,
                   len > 0 ? "; its standard error ends with: " : "",
                   stop->said + (len > SAID_IN_ERROR ? len - SAID_IN_ERROR : 0));
}

void tl_child_fail(struct tl_child *child, const char *what)
{
    if (tl_child_stopped(child))
        return;
    (void)snprintf(child->stop.what, sizeof child->stop.what, "%s", what);
    stopped(child, TL_STOP_ADAPTER);
}

/* Its process has ended with that status of waitpid. */
static void ended(struct tl_child *child, int status)
{
    struct tl_stop *stop = &child->stop;

    if (tl_child_stopped(child))
        return;
    if (WIFSIGNALED(status)) {
        stop->code = WTERMSIG(status);
        (void)snprintf(stop->what, sizeof stop->what, "ended by signal %d (%s)", stop->code,
                       strsignal(stop->code)); /* NOLINT(concurrency-mt-unsafe) */
        stopped(child, TL_STOP_SIGNAL);
        return;
    }
    stop->code = WEXITSTATUS(status);
    (void)snprintf(stop->what, sizeof stop->what, "ended with exit status %d", stop->code);
    if (stop->code > 128 && stop->code <= 128 + SIGSYS) /* the shell's child did */
        (void)snprintf(stop->what, sizeof stop->what,
                       "ended by signal %d (%s), as its shell reports by exit status %d",
                       stop->code - 128,
                       strsignal(stop->code - 128), /* NOLINT(concurrency-mt-unsafe) */
                       stop->code);
    stopped(child, stop->code != 0 ? TL_STOP_EXIT : TL_STOP_ADAPTER);
}

/* Waits until the process has ended, at most that long. */
static bool reaps(struct tl_child *child, int *status, int64_t most_ms)
{
    int64_t until = wall_ms() + most_ms;
    struct timespec pause = {.tv_nsec = PAUSE_LEAST_NS};

    for (;;) {
        pid_t pid = waitpid(child->pid, status, WNOHANG);

        if (pid == child->pid || (pid < 0 && errno != EINTR)) {
            child->reaped = true;
            return pid > 0;
        }
        if (wall_ms() >= until)
            return false;
        hear(child); /* a full pipe would hold it up */
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < PAUSE_MOST_NS)
            pause.tv_nsec *= 2;
    }
}

/* Its output has ended, or it reads no more. */
static void hung_up(struct tl_child *child)
{
    int status = 0;

    if (reaps(child, &status, GRACE_MS))
        ended(child, status);
    else
        tl_child_fail(child, "closed its output, or does not read its input any more");
}

static void is_silent(struct tl_child *child)
{
    (void)snprintf(child->stop.what, sizeof child->stop.what,
                   "has not answered for %" PRId64 " s", child->answer_ms / 1000);
    stopped(child, TL_STOP_HANG);
}

/* ---- messages ---- */

static void read_some(struct tl_child *child)
{
    ssize_t n;

    if (child->in_start > 0) {
        memmove(child->in, child->in + child->in_start, child->in_end - child->in_start);
        child->in_end -= child->in_start;
        child->in_start = 0;
    }
    n = read(child->from, child->in + child->in_end, child->in_cap - child->in_end);
    if (n > 0)
        child->in_end += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        hung_up(child);
}

/* Returns how many bytes were written. If the child does not read any more, all count as
 * written, so that the caller goes on to read what the child wrote before. */
static size_t write_some(struct tl_child *child, const char *bytes, size_t len)
{
    ssize_t n = len > 0 ? write(child->to, bytes, len) : 0;

    if (n >= 0)
        return (size_t)n;
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    child->deaf = true;
    return len;
}

/* Waits for something of the child, and looks whether it still lives. False: nothing came. */
static bool await(struct tl_child *child, struct pollfd fds[3], int64_t left_ms)
{
    int n = poll(fds, 3, (int)(left_ms < LOOK_MS ? left_ms : LOOK_MS));
    int status = 0;

    /* A process that it left running may keep its output open. */
    if (n == 0 && !child->reaped && reaps(child, &status, 0))
        ended(child, status);
    if (n > 0 && (fds[2].revents & (POLLIN | POLLHUP)) != 0)
        hear(child);
    return n > 0;
}

void tl_child_exchange(struct tl_child *child, const void *bytes, size_t len,
                       tl_child_take *take, void *ctx)
{
    int64_t until = wall_ms() + child->answer_ms;
    size_t written = tl_child_stopped(child) ? 0 : write_some(child, bytes, len);

    child->outputs = 0;
    while (!tl_child_stopped(child)) {
        struct pollfd fds[3] = {{.fd = child->from, .events = POLLIN},
                                {.fd = written < len ? child->to : -1, .events = POLLOUT},
                                {.fd = child->err, .events = POLLIN}};
        int64_t now = wall_ms();

        if (child->deaf && until > now + GRACE_MS)
            until = now + GRACE_MS;
        if (until <= now) {
            if (child->deaf)
                hung_up(child);
            else
                is_silent(child);
            return;
        }
        if (!await(child, fds, until - now))
            continue;
        if ((fds[1].revents & (POLLOUT | POLLERR)) != 0)
            written += write_some(child, (const char *)bytes + written, len - written);
        if (!tl_child_stopped(child) && (fds[0].revents & (POLLIN | POLLHUP)) != 0) {
            read_some(child);
            if (!tl_child_stopped(child) && take(ctx))
                return;
        }
    }
}

void tl_child_frame(struct tl_child *child, const uint8_t *bytes, size_t len, uint64_t now_ns)
{
    struct tl_stop *stop = &child->stop;

    if (tl_child_stopped(child))
        return;
    stop->at = TL_STOP_AT_FRAME;
    stop->frames++;
    stop->frame_at_ns = now_ns;
    stop->frame_len = len;
    memcpy(stop->frame_head, bytes, len < TL_STOP_HEAD ? len : TL_STOP_HEAD);
}

/* ---- outputs ---- */

void tl_child_keep(struct tl_child *child, bool is_line, const void *bytes, size_t len)
{
    struct tl_child_output *output = malloc(sizeof *output + len);

    if (output == NULL || ++child->outputs > OUTPUTS_MAX) {
        tl_child_fail(child, output == NULL ? "sent more than fits in memory"
                                            : "keeps sending without end");
        free(output);
        return;
    }
    *output = (struct tl_child_output){.is_line = is_line, .len = len};
    if (len > 0)
        memcpy(output->bytes, bytes, len);
    if (child->tail != NULL)
        child->tail->next = output;
    else
        child->head = output;
    child->tail = output;
}

const struct tl_child_output *tl_child_next(struct tl_child *child)
{
    free(child->taken);
    child->taken = child->head;
    if (child->taken == NULL)
        return NULL;
    child->head = child->taken->next;
    if (child->head == NULL)
        child->tail = NULL;
    return child->taken;
}

/* ---- its end ---- */

void tl_child_free(struct tl_child *child)
{
    int status;

    if (child->to >= 0)
        (void)close(child->to);
    if (child->from >= 0 && child->from != child->to)
        (void)close(child->from);
    if (child->pid > 0) {
        tl_warden_tell(child->warden, child->pid, false);
        if (!child->reaped && child->stop.how == TL_STOP_HANG)
            (void)kill(-child->pid, SIGKILL); /* it had its time */
        if (!child->reaped && !reaps(child, &status, GRACE_MS)) {
            (void)kill(-child->pid, SIGKILL);
            (void)kill(child->pid, SIGKILL);
            if (!child->reaped)
                (void)waitpid(child->pid, &status, 0);
        }
        (void)kill(-child->pid, SIGKILL); /* processes that it started and left running */
    }
    hear(child);
    if (child->err >= 0)
        (void)close(child->err);
    while (child->head != NULL) {
        struct tl_child_output *first = child->head;

        child->head = first->next;
        free(first);
    }
    free(child->taken);
    free(child->in);
}
