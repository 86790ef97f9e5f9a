/* SPDX-License-Identifier: Apache-2.0
 * algorithm.c - starts the process of an algorithm, and asks it. */
#include "harness/eventpipe/algorithm.h"

#include "harness/eventpipe/algorithm_impl.h"
#include "harness/link/child.h"
#include "oracles/eventpipe/builtin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RATE_MOST UINT64_C(1600000000000)

enum { IN_CAP = 4096 };

struct tl_ep_algorithm {
    struct tl_child child;
    void *into; /* where the answer goes, of so many bytes */
    size_t expected;
    uint32_t context_bytes;
    struct fal_error err;
};

const char *tl_ep_algorithm_file(const char *text, struct fal_error *err)
{
    if (strncmp(text, "lib:", 4) == 0 && text[4] != 0)
        return text + 4;
    (void)fal_fail(err, FAL_ERR_FORM, "expected lib:FILE.so, found '%.60s'", text);
    return NULL;
}

/* In the new process. */
static void become(const char *file, int channel, int said)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setpgid(0, 0);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)dup2(said, STDERR_FILENO);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(nothing, STDOUT_FILENO);
    _exit(tl_ep_serve(file, channel));
}

static int start(struct tl_ep_algorithm *a, const char *file, struct fal_error *err)
{
    int channel[2] = {-1, -1}, said[2] = {-1, -1};
    pid_t pid = -1;

    (void)fflush(NULL); /* the child would write it again */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0 &&
        pipe2(said, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0) {
        (void)close(channel[0]); /* so that the end of Talon ends it, too */
        become(file, channel[1], said[1]);
    }
    if (channel[1] >= 0)
        (void)close(channel[1]);
    if (said[1] >= 0)
        (void)close(said[1]);
    a->child.to = a->child.from = channel[0];
    a->child.err = said[0];
    if (pid < 0)
        return fal_fail(err, FAL_ERR_IO, "cannot start it: %s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    (void)setpgid(pid, pid);              /* whichever of the two comes first */
    (void)fcntl(channel[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(said[0], F_SETFL, O_NONBLOCK);
    tl_child_started(&a->child, pid);
    return 0;
}

static bool take(void *ctx)
{
    struct tl_ep_algorithm *a = ctx;
    struct tl_child *child = &a->child;

    if (child->in_end - child->in_start < a->expected)
        return false;
    memcpy(a->into, child->in + child->in_start, a->expected);
    child->in_start += a->expected;
    return true;
}

/* Sends a message (of length 0: none), and waits for the answer. */
static int exchange(struct tl_ep_algorithm *a, const void *message, size_t len, void *into,
                    size_t expected)
{
    a->into = into;
    a->expected = expected;
    tl_child_exchange(&a->child, message, len, take, a);
    return tl_child_stopped(&a->child) ? fal_fail(&a->err, FAL_ERR_IO, "%s", a->child.why.text)
                                       : 0;
}

int tl_ep_algorithm_open(struct tl_ep_algorithm **out, const char *file, unsigned answer_s,
                         struct fal_error *err)
{
    const struct tl_child_config child = {.answer_s = answer_s};
    struct tl_ep_algorithm *a = calloc(1, sizeof *a);
    struct tl_ep_hello hello;
    int rc;

    *out = NULL;
    if (a == NULL || tl_child_init(&a->child, IN_CAP, &child) != 0) {
        free(a);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    a->child.name = "the algorithm's process";
    rc = start(a, file, err);
    if (rc == 0) {
        rc = exchange(a, "", 0, &hello, sizeof hello);
        if (rc != 0)
            (void)fal_fail(err, rc, "%s: %s", file, a->err.text);
        else if (hello.why[0] != 0)
            rc = fal_fail(err, FAL_ERR_IO, "%s: %.*s", file, TL_EP_WHY, hello.why);
    }
    if (rc != 0) {
        tl_ep_algorithm_close(a);
        return rc;
    }
    a->context_bytes = hello.context_bytes;
    *out = a;
    return 0;
}

void tl_ep_algorithm_close(struct tl_ep_algorithm *algorithm)
{
    if (algorithm == NULL)
        return;
    tl_child_free(&algorithm->child);
    free(algorithm);
}

/* ---- an event ---- */

static struct talon_event event_of(const struct fal_ep_event *e)
{
    return (struct talon_event){.flow = e->flow,
                                .kind = (uint32_t)e->kind,
                                .event_class = e->klass,
                                .count = e->count,
                                .now_ns = e->last_ns,
                                .first_ns = e->first_ns,
                                .seq = e->seq,
                                .last_seq = e->last_seq,
                                .bytes = e->bytes,
                                .t1_ns = e->t1_ns,
                                .t2_ns = e->t2_ns,
                                .t3_ns = e->t3_ns,
                                .t4_ns = e->t4_ns,
                                .rtt_ns = e->t4_ns != 0 ? fal_ep_round_trip(e) : 0};
}

static int judge(struct tl_ep_algorithm *a, uint32_t flow, const struct tl_ep_reply *reply)
{
    const struct talon_answer *answer = &reply->answer;

    if (reply->beyond != 0)
        return fal_fail(&a->err, FAL_ERR_IO,
                        "flow %" PRIu32 ": it wrote beyond its context of %" PRIu32
                        " bytes; raise context_bytes",
                        flow, a->context_bytes);
    if (answer->set_rate != 0 && answer->rate_bps == 0)
        return fal_fail(&a->err, FAL_ERR_IO,
                        "flow %" PRIu32 ": it set the rate 0; expected more than 0, or "
                        "set_rate 0 to keep the rate",
                        flow);
    if (answer->set_rate != 0 && answer->rate_bps > RATE_MOST)
        return fal_fail(&a->err, FAL_ERR_IO,
                        "flow %" PRIu32 ": it set the rate %" PRIu64
                        " b/s; expected at most 1600 Gb/s",
                        flow, answer->rate_bps);
    return 0;
}

static int run(void *ctx, bool first, void *context, const struct fal_ep_event *event,
               struct fal_ep_answer *answer)
{
    struct tl_ep_algorithm *a = ctx;
    struct tl_ep_ask ask;
    struct tl_ep_reply reply;
    int rc;

    memset(&ask, 0, sizeof ask);
    ask.event = event_of(event);
    ask.first = first;
    memcpy(ask.context, context, sizeof ask.context);
    rc = exchange(a, &ask, sizeof ask, &reply, sizeof reply);
    if (rc == 0)
        rc = judge(a, event->flow, &reply);
    if (rc != 0)
        return rc;
    memcpy(context, reply.context, sizeof reply.context);
    answer->rate_bps = reply.answer.set_rate != 0 ? reply.answer.rate_bps : 0;
    answer->rtt_request = reply.answer.rtt_request != 0;
    return 0;
}

struct fal_ep_algorithm tl_ep_algorithm_of(struct tl_ep_algorithm *algorithm)
{
    return (struct fal_ep_algorithm){algorithm, algorithm->context_bytes, run};
}

const struct fal_error *tl_ep_algorithm_error(const struct tl_ep_algorithm *algorithm)
{
    return &algorithm->err;
}
