/* SPDX-License-Identifier: Apache-2.0
 * cc_child.c - starts the process, writes a line of JSON for each event and reads its answer. A
 * library is served in a fork of this process by the same lines (cc_serve.c). */
#include "harness/cc/cc_child.h"

#include "codecs/base/hex.h"
#include "harness/link/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEX_LEN = 2 * FAL_CC_ENTRY_LEN, LINE_MAX_LEN = 4096 };

struct tl_cc_child {
    struct tl_child child;
    json_t *answer; /* the last one */
    uint64_t events;
};

/* ---- starting ---- */

/* In the new process. */
static void become(bool library, const char *what, int channel, int said)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setpgid(0, 0);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)dup2(said, STDERR_FILENO);
    if (library) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
        _exit(tl_cc_serve(what, channel, channel));
    }
    (void)dup2(channel, STDIN_FILENO);
    (void)dup2(channel, STDOUT_FILENO);
    (void)execl("/bin/sh", "sh", "-c", what, NULL);
    _exit(127);
}

static int start(struct tl_cc_child *c, bool library, const char *what, struct fal_error *err)
{
    int channel[2] = {-1, -1}, said[2] = {-1, -1};
    pid_t pid = -1;

    (void)fflush(NULL); /* the child would write it again */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0 &&
        pipe2(said, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0)
        become(library, what, channel[1], said[1]);
    if (channel[1] >= 0)
        (void)close(channel[1]);
    if (said[1] >= 0)
        (void)close(said[1]);
    c->child.to = c->child.from = channel[0];
    c->child.err = said[0];
    if (pid < 0)
        return fal_fail(err, FAL_ERR_IO, "cannot start it: %s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    (void)setpgid(pid, pid);              /* whichever of the two comes first */
    (void)fcntl(channel[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(said[0], F_SETFL, O_NONBLOCK);
    tl_child_started(&c->child, pid);
    return 0;
}

/* ---- a line and its answer ---- */

static bool take(void *ctx)
{
    struct tl_cc_child *c = ctx;
    struct tl_child *child = &c->child;
    char *line = child->in + child->in_start, *end;
    size_t len = child->in_end - child->in_start;

    end = memchr(line, '\n', len);
    if (end == NULL) {
        if (len >= LINE_MAX_LEN)
            tl_child_fail(child, "sent a line that is longer than 4096 bytes");
        return false;
    }
    child->in_start += (size_t)(end - line) + 1;
    c->answer = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(c->answer))
        tl_child_fail(child, "answered with a line that is no JSON object");
    return true;
}

/* Sends the object, which it takes, and waits for the answer: c->answer. */
static int exchange(struct tl_cc_child *c, json_t *message, struct fal_error *err)
{
    char *text = message != NULL ? json_dumps(message, JSON_COMPACT) : NULL;
    const char *refused;
    size_t len;

    json_decref(message);
    json_decref(c->answer);
    c->answer = NULL;
    if (text == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    len = strlen(text);
    text[len] = '\n'; /* in the place of its end: exchange takes a length */
    tl_child_exchange(&c->child, text, len + 1, take, c);
    free(text);
    if (tl_child_stopped(&c->child))
        return fal_fail(err, FAL_ERR_IO, "%s", c->child.why.text);
    refused = json_string_value(json_object_get(c->answer, "error"));
    return refused != NULL ? fal_fail(err, FAL_ERR_IO, "it refuses: %.200s", refused) : 0;
}

static json_t *configuration(enum fal_cc_format format, const struct fal_swift_params *params)
{
    size_t n;
    const struct fal_swift_param *table = fal_swift_param_table(&n);
    json_t *values = json_object();

    for (size_t i = 0; i < n; i++)
        (void)json_object_set_new(values, table[i].name,
                                  json_real(fal_swift_param_get(&table[i], params)));
    return json_pack("{s:s, s:s, s:o}", "do", "configure", "format",
                     fal_name_of(&fal_names_cc_format, format), "params", values);
}

int tl_cc_child_open(struct tl_cc_child **out, const struct tl_cc_child_config *config,
                     struct fal_error *err)
{
    const struct tl_child_config child = {.answer_s = config->answer_s};
    struct tl_cc_child *c = calloc(1, sizeof *c);
    int rc;

    *out = NULL;
    if (c == NULL || tl_child_init(&c->child, LINE_MAX_LEN, &child) != 0) {
        free(c);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    c->child.name = "the engine's process";
    rc = start(c, config->library, config->what, err);
    if (rc == 0)
        rc = exchange(c, configuration(config->format, config->params), err);
    if (rc != 0)
        tl_cc_child_close(c);
    else
        *out = c;
    return rc;
}

void tl_cc_child_close(struct tl_cc_child *child)
{
    if (child == NULL)
        return;
    tl_child_free(&child->child);
    json_decref(child->answer);
    free(child);
}

int tl_cc_child_ask(struct tl_cc_child *child, bool reset, uint32_t now,
                    const uint8_t event[FAL_CC_ENTRY_LEN], uint8_t result[FAL_CC_ENTRY_LEN],
                    struct fal_error *err)
{
    char hex[HEX_LEN + 1];
    const char *answer;
    int rc;

    fal_hex_write(event, FAL_CC_ENTRY_LEN, hex);
    rc = exchange(child,
                  json_pack("{s:s, s:s, s:I, s:s}", "do", "event", "state",
                            reset ? "reset" : "keep", "now_ticks", (json_int_t)now, "event",
                            hex),
                  err);
    child->events++;
    if (rc != 0)
        return rc;
    answer = json_string_value(json_object_get(child->answer, "result"));
    if (answer == NULL || fal_hex_read(answer, result, FAL_CC_ENTRY_LEN) != FAL_CC_ENTRY_LEN)
        return fal_fail(err, FAL_ERR_IO,
                        "its answer to event %" PRIu64 " has no \"result\" of %d hex digits",
                        child->events, HEX_LEN);
    return 0;
}
