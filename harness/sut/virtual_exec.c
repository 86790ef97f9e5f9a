/* SPDX-License-Identifier: Apache-2.0
 * virtual_exec.c - a child process in lockstep as an implementation in virtual time. Each
 * message tells the child the time; between messages the child must do nothing
 * (docs/sut-protocol.md, "Lockstep"). A child that is silent, floods or dies ends the link with
 * a reason; the link never hangs. */
#include "codecs/base/hex.h"
#include "harness/link/child.h"
#include "harness/sut/virtual_sut.h"

#include "codecs/json/json.h"
#include "harness/doc/json_member.h"
#include "harness/wire/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum {
    EXEC_FRAME_MAX = 65535,
    MS_PER_S = 1000,
    NOT_FOUND = 127,                           /* exit status of a shell */
    SAID_MAX = 120,                            /* bytes of its standard error in a message */
    QUOTED_MAX = 60,                           /* bytes of a wrong line that a message shows */
    EXEC_LINE_MAX = 2 * EXEC_FRAME_MAX + 4096, /* a frame in hex, and the JSON around it */
};

struct exec {
    struct tl_virtual_sut base; /* must be the first member */
    struct tl_child child;
    uint64_t told_ns, next_ns;
    char *line;        /* bytes to be written: EXEC_LINE_MAX */
    const char *asked; /* number of the message that is being answered */
};

static struct exec *of(struct tl_virtual_sut *sut)
{
    return (struct exec *)sut;
}

/* ---- what it says ---- */

static void keep_frame(struct exec *exec, const char *hex)
{
    uint8_t bytes[EXEC_FRAME_MAX];
    int len = strlen(hex) <= 2 * (size_t)EXEC_FRAME_MAX ? fal_hex_read(hex, bytes, sizeof bytes)
                                                        : FAL_ERR_RANGE;

    if (len < 0)
        tl_child_fail(&exec->child,
                      "sent a frame that is not an even number of hex digits, or is too long");
    else
        tl_child_keep(&exec->child, false, bytes, (size_t)len);
}

/* The line is not of the protocol; the message quotes its beginning. */
static void is_garbage(struct exec *exec, const char *how, const char *text, size_t len)
{
    char what[160], quoted[QUOTED_MAX + 1];
    size_t n = 0;

    for (; n < len && n < QUOTED_MAX; n++)
        quoted[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    quoted[n] = 0;
    (void)snprintf(what, sizeof what, "sent a line that %s: '%s'%s", how, quoted,
                   len > n ? "..." : "");
    tl_child_fail(&exec->child, what);
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
        is_garbage(exec, "is not a JSON object", text, len);
        return true;
    }
    if (json_object_get(object, "do") != NULL && strcmp(exec->asked, "begin") == 0)
        is_garbage(exec, "is Talon's own command and no answer", text, len);
    if (done) {
        if (of == NULL || strcmp(of, exec->asked) != 0)
            tl_child_fail(&exec->child, "sent done for a message other than the current one");
        else if (tl_lockstep_done(object, &answer, &err) != 0)
            tl_child_fail(&exec->child,
                          "sent done without next_ns, a number of nanoseconds or null");
        exec->next_ns = answer.next_ns;
    } else if (frame != NULL) {
        keep_frame(exec, json_is_string(frame) ? json_string_value(frame) : "?");
    } else {
        tl_child_keep(&exec->child, true, text, len);
    }
    json_decref(object);
    return done || tl_child_stopped(&exec->child);
}

/* Consumes whole lines. True when the answer is complete. */
static bool take_lines(void *ctx)
{
    struct exec *exec = ctx;
    struct tl_child *child = &exec->child;

    for (;;) {
        char *start = child->in + child->in_start;
        char *end = memchr(start, '\n', child->in_end - child->in_start);

        if (end == NULL)
            break;
        child->in_start = (size_t)(end - child->in) + 1;
        if (end > start && take_line(exec, start, (size_t)(end - start)))
            return true;
    }
    if (child->in_end - child->in_start == EXEC_LINE_MAX)
        tl_child_fail(child, "sent a line that is too long");
    return tl_child_stopped(child);
}

static void exchange(struct exec *exec, const char *asked, size_t len)
{
    exec->asked = asked;
    tl_child_exchange(&exec->child, exec->line, len, take_lines, exec);
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
    tl_child_frame(&exec->child, bytes, len, now_ns);
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

static void set_at(struct exec *exec, enum tl_stop_at at)
{
    if (!tl_child_stopped(&exec->child))
        exec->child.stop.at = at;
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    set_at(of(sut), TL_STOP_AT_TIME);
    advance(of(sut), now_ns, 0);
}

/* A control line carries no time; the message before it does. Its effects are collected by the
 * message after it. */
static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    struct exec *exec = of(sut);

    if (now_ns > exec->told_ns)
        tick(sut, now_ns);
    if (len + 1 > EXEC_LINE_MAX / 2)
        return;
    set_at(exec, TL_STOP_AT_COMMAND);
    memcpy(exec->line, text, len);
    exec->line[len] = '\n';
    advance(exec, now_ns, len + 1);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return tl_child_stopped(&of(sut)->child) ? FAL_NEVER : of(sut)->next_ns;
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    const struct tl_child_output *output = tl_child_next(&of(sut)->child);

    if (output == NULL)
        return false;
    *out = (struct tl_sut_out){.kind = output->is_line ? TL_SUT_LINE : TL_SUT_FRAME,
                               .bytes = output->bytes,
                               .len = output->len};
    return true;
}

static const char *broken(struct tl_virtual_sut *sut)
{
    return tl_child_stopped(&of(sut)->child) ? of(sut)->child.why.text : NULL;
}

static const struct tl_stop *stopped(struct tl_virtual_sut *sut)
{
    return &of(sut)->child.stop;
}

/* ---- its life ---- */

static void release(struct tl_virtual_sut *sut)
{
    tl_child_free(&of(sut)->child);
    free(of(sut)->line);
    free(sut);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS, .stopped = stopped};

/* Three pipes; what the tester keeps is not inherited. Returns 0, or an errno. */
static int open_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0)
            return errno;
    (void)fcntl(pipes[0][1], F_SETFL, O_NONBLOCK);
    (void)fcntl(pipes[1][0], F_SETFL, O_NONBLOCK);
    (void)fcntl(pipes[2][0], F_SETFL, O_NONBLOCK);
    return 0;
}

/* Starts the child in a process group of its own. Returns 0, or an errno. */
static int start(const char *command, int pipes[3][2], pid_t *pid)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, NULL, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, pipe;
    int code;

    memcpy(&argv[2], &command,
           sizeof command); /* posix_spawn does not write through these pointers */
    (void)sigemptyset(&none);
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    (void)posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, pipes[2][1], STDERR_FILENO);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &pipe);
    code = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Starts the command with its pipes. Returns 0, or an errno. */
static int begin(struct exec *exec, const char *command)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    pid_t pid;
    int code = open_pipes(pipes);

    exec->child.to = pipes[0][1];
    exec->child.from = pipes[1][0];
    exec->child.err = pipes[2][0];
    if (code == 0)
        code = start(command, pipes, &pid);
    if (code == 0)
        tl_child_started(&exec->child, pid);
    if (pipes[0][0] >= 0)
        (void)close(pipes[0][0]);
    for (int i = 1; i < 3; i++)
        if (pipes[i][1] >= 0)
            (void)close(pipes[i][1]);
    return code;
}

/* The program of a simple command, or "": a path that the shell would search for, or words that
 * the shell interprets. */
static void program_of(const char *command, char out[PATH_MAX])
{
    size_t len = strcspn(command, " \t\n");

    out[0] = 0;
    if (len == 0 || len >= PATH_MAX || memchr(command, '/', len) == NULL ||
        strcspn(command, "\\\"'`$&|;<>(){}*?[]#~=%!") < len)
        return;
    memcpy(out, command, len);
    out[len] = 0;
}

/* Looks for the program before a shell is started. Returns 0, or an errno. */
static int look_for(const char *command)
{
    char program[PATH_MAX];

    program_of(command, program);
    return program[0] != 0 && access(program, X_OK) != 0 ? errno : 0;
}

/* The child stopped before it had answered anything. */
static void never_began(const struct tl_child *child, struct fal_error *err)
{
    const struct tl_stop *stop = &child->stop;
    bool unknown = stop->how == TL_STOP_EXIT && stop->code == NOT_FOUND;
    size_t len = strlen(stop->said);

    if (stop->how == TL_STOP_HANG)
        (void)fal_fail(err, FAL_ERR_IO,
                       "the adapter has not answered `begin` for %" PRId64
                       " s (--timeout N waits longer)",
                       child->answer_ms / MS_PER_S);
    else
        (void)fal_fail(err, FAL_ERR_IO, "the adapter %s%s before it answered hello%s%s",
                       stop->what, unknown ? " (the shell did not find the program)" : "",
                       len > 0 ? "; its standard error ends with: " : "",
                       stop->said + (len > SAID_MAX ? len - SAID_MAX : 0));
}

struct tl_virtual_sut *tl_virtual_exec(const char *command, uint64_t seed,
                                       const struct tl_child_config *config,
                                       struct fal_error *err)
{
    struct exec *exec = calloc(1, sizeof *exec);
    int code = ENOMEM;

    if (exec == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    exec->base.ops = &ops;
    exec->next_ns = FAL_NEVER;
    exec->line = malloc(EXEC_LINE_MAX);
    if (tl_child_init(&exec->child, EXEC_LINE_MAX, config) == 0 && exec->line != NULL)
        code = look_for(command);
    if (code == 0)
        code = begin(exec, command);
    if (code != 0) {
        release(&exec->base);
        (void)fal_fail(err, FAL_ERR_IO, "cannot start '%.100s': %s", command,
                       strerror(code)); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    code =
        snprintf(exec->line, EXEC_LINE_MAX,
                 "{\"do\":\"begin\",\"version\":1,\"seed\":%" PRIu64 "}\n", seed & INT64_MAX);
    exchange(exec, "begin", (size_t)code);
    if (tl_child_stopped(&exec->child)) {
        never_began(&exec->child, err);
        release(&exec->base);
        return NULL;
    }
    return &exec->base;
}
