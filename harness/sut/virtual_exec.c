/* SPDX-License-Identifier: Apache-2.0
 * virtual_exec.c - a child process in lockstep as an implementation in virtual time. Each
 * message tells the child the time; between messages the child must do nothing
 * (docs/sut-protocol.md, "Lockstep"). A child that is silent, floods or dies ends the link with
 * a reason; the link never hangs. */
#include "codecs/base/hex.h"
#include "harness/sut/virtual_sut.h"

#include "codecs/json/json.h"
#include "harness/doc/json_member.h"
#include "harness/link/keeper.h"
#include "harness/wire/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
    EXEC_FRAME_MAX = 65535,
    EXEC_LINE_MAX = 2 * EXEC_FRAME_MAX + 4096, /* a frame in hex, and the JSON around it */
    OUTPUTS_MAX = 100000,                      /* limit of one message */
    ANSWER_MS = 30000,                         /* generous, because the machine may be busy */
    GRACE_MS = 500, /* time for the child to end after its input has ended */
};

/* Wall-clock time, because the machine may be busy. */
#define ANSWER_NS (30 * FAL_S)

struct output {
    struct output *next;
    enum tl_sut_out_kind kind;
    size_t len;
    uint8_t bytes[];
};

struct exec {
    struct tl_virtual_sut base; /* must be the first member */
    pid_t child;
    int warden; /* where its process group is reported */
    int to, from;
    uint64_t told_ns, next_ns;
    char *in; /* bytes read but not used yet: EXEC_LINE_MAX + 1 bytes */
    size_t in_start, in_end;
    char *line; /* bytes to be written */
    struct output *head, *tail, *taken;
    unsigned outputs;
    bool is_broken;
    int64_t answer_ms; /* wall-clock limit for one answer */
    const char *asked; /* number of the message that is being answered */
    struct fal_error why;
};

static struct exec *of(struct tl_virtual_sut *sut)
{
    return (struct exec *)sut;
}

static void fail(struct exec *exec, const char *what)
{
    if (exec->is_broken)
        return;
    exec->is_broken = true;
    (void)fal_fail(&exec->why, FAL_ERR_IO, "the SUT's process %s", what);
}

static int64_t wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- what it says ---- */

static void keep(struct exec *exec, enum tl_sut_out_kind kind, const void *bytes, size_t len)
{
    struct output *output = malloc(sizeof *output + len);

    if (output == NULL || ++exec->outputs > OUTPUTS_MAX) {
        fail(exec,
             output == NULL ? "sent more than fits in memory" : "keeps sending without end");
        free(output);
        return;
    }
    *output = (struct output){.kind = kind, .len = len};
    memcpy(output->bytes, bytes, len);
    if (exec->tail != NULL)
        exec->tail->next = output;
    else
        exec->head = output;
    exec->tail = output;
}

static void keep_frame(struct exec *exec, const char *hex)
{
    uint8_t bytes[EXEC_FRAME_MAX];
    int len = strlen(hex) <= 2 * (size_t)EXEC_FRAME_MAX ? fal_hex_read(hex, bytes, sizeof bytes)
                                                        : FAL_ERR_RANGE;

    if (len < 0)
        fail(exec, "sent a frame that is not an even number of hex digits, or is too long");
    else
        keep(exec, TL_SUT_FRAME, bytes, (size_t)len);
}

/* Handles one line. True when it ends the answer. */
static bool take_line(struct exec *exec, const char *text, size_t len)
{
    struct fal_error err;
    json_t *object = tl_json_line(text, len, &err);
    const json_t *frame = json_object_get(object, "frame");
    const char *of = json_string_value(json_object_get(object, "done"));
    struct tl_lockstep_answer answer = {.next_ns = FAL_NEVER};
    bool done = json_object_get(object, "done") != NULL;

    if (object == NULL) {
        fail(exec, "sent a line that is not a JSON object");
        return true;
    }
    if (done) {
        if (of == NULL || strcmp(of, exec->asked) != 0)
            fail(exec, "sent done for a message other than the current one");
        else if (tl_lockstep_done(object, &answer, &err) != 0)
            fail(exec, "sent done without next_ns, a number of nanoseconds or null");
        exec->next_ns = answer.next_ns;
    } else if (frame != NULL) {
        keep_frame(exec, json_is_string(frame) ? json_string_value(frame) : "?");
    } else {
        keep(exec, TL_SUT_LINE, text, len);
    }
    json_decref(object);
    return done || exec->is_broken;
}

/* Consumes whole lines. True when the answer is complete. */
static bool take_lines(struct exec *exec)
{
    for (;;) {
        char *start = exec->in + exec->in_start;
        char *end = memchr(start, '\n', exec->in_end - exec->in_start);

        if (end == NULL)
            break;
        exec->in_start = (size_t)(end - exec->in) + 1;
        if (end > start && take_line(exec, start, (size_t)(end - start)))
            return true;
    }
    memmove(exec->in, exec->in + exec->in_start, exec->in_end - exec->in_start);
    exec->in_end -= exec->in_start;
    exec->in_start = 0;
    if (exec->in_end == EXEC_LINE_MAX)
        fail(exec, "sent a line that is too long");
    return exec->is_broken;
}

static void read_some(struct exec *exec)
{
    ssize_t n = read(exec->from, exec->in + exec->in_end, EXEC_LINE_MAX - exec->in_end);

    if (n > 0)
        exec->in_end += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        fail(exec, n == 0 ? "has ended" : strerror(errno));
}

/* Writes exec->line and reads until the answer to it is complete. It does both at once, since
 * the child may write before it has read everything. */
static void exchange(struct exec *exec, const char *asked, size_t len)
{
    int64_t until = wall_ms() + exec->answer_ms;
    size_t written = 0;
    char what[60];

    exec->asked = asked;
    exec->outputs = 0;
    while (!exec->is_broken) {
        struct pollfd fds[2] = {{.fd = exec->from, .events = POLLIN},
                                {.fd = written < len ? exec->to : -1, .events = POLLOUT}};
        int64_t left = until - wall_ms();

        if (left <= 0 || poll(fds, 2, (int)left) == 0) {
            (void)snprintf(what, sizeof what, "has not answered for %" PRId64 " s",
                           exec->answer_ms / 1000);
            fail(exec, what);
            return;
        }
        if ((fds[1].revents & (POLLOUT | POLLERR)) != 0) {
            ssize_t n = write(exec->to, exec->line + written, len - written);

            if (n > 0)
                written += (size_t)n;
            else if (n < 0 && errno != EAGAIN && errno != EINTR)
                fail(exec, "has ended, or does not read its input any more");
        }
        if ((fds[0].revents & (POLLIN | POLLHUP)) != 0) {
            read_some(exec);
            if (take_lines(exec))
                return;
        }
    }
}

/* ---- what it is told ---- */

static void advance(struct exec *exec, uint64_t now_ns, size_t before)
{
    int n = snprintf(exec->line + before, EXEC_LINE_MAX - before,
                     "{\"do\":\"advance\",\"until_ns\":%" PRIu64 "}\n", now_ns);

    exec->told_ns = now_ns;
    exchange(exec, "advance", before + (size_t)n);
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    static const char digits[] = "0123456789abcdef";
    struct exec *exec = of(sut);
    int n =
        snprintf(exec->line, EXEC_LINE_MAX,
                 "{\"do\":\"frame\",\"at_ns\":%" PRIu64 ",\"ecn\":%u,\"ttl\":%u,\"bytes\":\"",
                 now_ns, ip.ecn, ip.ttl);
    char *at = exec->line + n;

    if (len > EXEC_FRAME_MAX || ip.damaged) /* the simulated link acts as its IP layer */
        return;
    for (size_t i = 0; i < len; i++) {
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    *at++ = '"';
    *at++ = '}';
    *at++ = '\n';
    exec->told_ns = now_ns;
    exchange(exec, "frame", (size_t)(at - exec->line));
}

/* A control line carries no time; the message before it does. Its effects are collected by the
 * message after it. */
static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    struct exec *exec = of(sut);

    if (now_ns > exec->told_ns)
        advance(exec, now_ns, 0);
    if (len + 1 > EXEC_LINE_MAX / 2)
        return;
    memcpy(exec->line, text, len);
    exec->line[len] = '\n';
    advance(exec, now_ns, len + 1);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    advance(of(sut), now_ns, 0);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return of(sut)->is_broken ? FAL_NEVER : of(sut)->next_ns;
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    struct exec *exec = of(sut);

    free(exec->taken);
    exec->taken = exec->head;
    if (exec->taken == NULL)
        return false;
    exec->head = exec->taken->next;
    if (exec->head == NULL)
        exec->tail = NULL;
    *out = (struct tl_sut_out){
        .kind = exec->taken->kind, .bytes = exec->taken->bytes, .len = exec->taken->len};
    return true;
}

static const char *broken(struct tl_virtual_sut *sut)
{
    return of(sut)->is_broken ? of(sut)->why.text : NULL;
}

/* ---- its life ---- */

static void reap(struct exec *exec)
{
    int64_t until = wall_ms() + GRACE_MS;
    const struct timespec pause = {.tv_nsec = 1000000};

    while (waitpid(exec->child, NULL, WNOHANG) == 0) {
        if (wall_ms() > until) {
            (void)kill(-exec->child, SIGKILL);
            (void)waitpid(exec->child, NULL, 0);
            return;
        }
        (void)nanosleep(&pause, NULL);
    }
    (void)kill(-exec->child, SIGKILL); /* processes that it started and left running */
}

static void release(struct tl_virtual_sut *sut)
{
    struct exec *exec = of(sut);

    if (exec->to >= 0)
        (void)close(exec->to);
    if (exec->from >= 0)
        (void)close(exec->from);
    if (exec->child > 0) {
        tl_warden_tell(exec->warden, exec->child, false);
        reap(exec);
    }
    while (exec->head != NULL) {
        struct output *first = exec->head;

        exec->head = first->next;
        free(first);
    }
    free(exec->taken);
    free(exec->in);
    free(exec->line);
    free(exec);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS};

/* Starts the child in a process group of its own. Returns 0, or an errno. */
static int start(struct exec *exec, const char *command, const int to[2], const int from[2])
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, NULL, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipes;
    int code;

    memcpy(&argv[2], &command,
           sizeof command); /* posix_spawn does not write through these pointers */
    (void)sigemptyset(&none);
    (void)sigemptyset(&pipes);
    (void)sigaddset(&pipes, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    (void)posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &pipes);
    code = posix_spawn(&exec->child, "/bin/sh", &actions, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

struct tl_virtual_sut *tl_virtual_exec(const char *command, uint64_t seed, unsigned answer_s,
                                       int warden, struct fal_error *err)
{
    struct exec *exec = calloc(1, sizeof *exec);
    int to[2] = {-1, -1}, from[2] = {-1, -1}, code = ENOMEM;

    if (exec == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    exec->base.ops = &ops;
    exec->warden = warden;
    exec->answer_ms = answer_s > 0 ? (int64_t)answer_s * 1000 : ANSWER_MS;
    exec->to = exec->from = -1;
    exec->next_ns = FAL_NEVER;
    exec->in = malloc(EXEC_LINE_MAX + 1);
    exec->line = malloc(EXEC_LINE_MAX);
    if (exec->in == NULL || exec->line == NULL)
        goto fail;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        code = errno;
        goto fail;
    }
    exec->to = to[1];
    exec->from = from[0];
    (void)fcntl(exec->to, F_SETFL, O_NONBLOCK);
    (void)fcntl(exec->from, F_SETFL, O_NONBLOCK);
    code = start(exec, command, to, from);
    if (code != 0)
        goto fail;
    tl_warden_tell(exec->warden, exec->child, true);
    (void)close(to[0]);
    (void)close(from[1]);
    code =
        snprintf(exec->line, EXEC_LINE_MAX,
                 "{\"do\":\"begin\",\"version\":1,\"seed\":%" PRIu64 "}\n", seed & INT64_MAX);
    exchange(exec, "begin", (size_t)code);
    if (exec->is_broken) {
        *err = exec->why;
        release(&exec->base);
        return NULL;
    }
    return &exec->base;

fail:
    if (to[0] >= 0)
        (void)close(to[0]);
    if (from[1] >= 0)
        (void)close(from[1]);
    release(&exec->base);
    (void)fal_fail(err, FAL_ERR_IO, "cannot start '%.100s': %s", command, strerror(code));
    return NULL;
}
