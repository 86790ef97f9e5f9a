/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_traffic.h"

#include "harness/link/spawn.h"
#include "harness/wire/control_io.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WHY_LEN = 300, ERR_READ = 4096, WRITE_MS = 5000, RIGHT_KEY = 0x77 };

struct tl_roce_traffic {
    struct tl_child child;
    struct tl_line_reader reader;
    const struct tl_roce_scenario *scenario;
    enum tl_roce_traffic_state state;
    json_t *kept; /* texts that the log borrows */
    uint64_t messages[2][TL_ROCE_CONNS_MAX];
    char why[WHY_LEN];
};

struct tl_roce_traffic *tl_roce_traffic_start(const char *command, struct fal_error *err)
{
    struct tl_roce_traffic *t = calloc(1, sizeof *t);
    const struct tl_child_config config = {.answer_s = 0};

    if (t == NULL || tl_child_init(&t->child, 1, &config) != 0) {
        free(t);
        FAL_IGNORE(fal_fail(err, FAL_ERR_MEM, "out of memory"));
        return NULL;
    }
    t->child.name = "the program of --control";
    t->state = TL_ROCE_TRAFFIC_ENDED;
    if (tl_line_reader_init(&t->reader) != 0)
        FAL_IGNORE(fal_fail(err, FAL_ERR_MEM, "out of memory"));
    else if (tl_spawn(&t->child, NULL, command, err) == 0)
        return t;
    tl_roce_traffic_free(t);
    return NULL;
}

void tl_roce_traffic_free(struct tl_roce_traffic *t)
{
    if (t == NULL)
        return;
    tl_child_free(&t->child);
    tl_line_reader_free(&t->reader);
    json_decref(t->kept);
    free(t);
}

const char *tl_roce_traffic_cannot(const struct tl_roce_traffic *t)
{
    return t->state == TL_ROCE_TRAFFIC_CANNOT ? t->why : NULL;
}

const char *tl_roce_traffic_broken(const struct tl_roce_traffic *t)
{
    return t->state == TL_ROCE_TRAFFIC_BROKEN ? t->why : NULL;
}

/* ---- the case ---- */

static json_t *post_of(const struct tl_roce_step *step, size_t i)
{
    return json_pack("{si ss ss sI sI sI sb}", "step", (int)i, "op", step->word[TL_ROCE_POST],
                     "end", step->from == TL_ROCE_B ? "b" : "a", "qp", (json_int_t)step->qp,
                     "length", (json_int_t)step->length, "at_ns", (json_int_t)step->time_ns,
                     "wrong_key", step->r_key != RIGHT_KEY);
}

static json_t *message_of(const struct tl_roce_scenario *s, uint64_t timeout_ns)
{
    json_t *posts = json_array(), *receives = json_array();
    json_t *some =
        s->receives == UINT64_MAX ? json_null() : json_integer((json_int_t)s->receives);

    for (size_t i = 0; i < s->num_steps; i++) {
        const struct tl_roce_step *step = &s->steps[i];

        if (step->verb == TL_ROCE_POST)
            (void)json_array_append_new(posts, post_of(step, i));
        if (step->verb == TL_ROCE_RECEIVES)
            (void)json_array_append_new(receives,
                                        json_pack("{sI sI}", "at_ns", (json_int_t)step->time_ns,
                                                  "count", (json_int_t)step->value));
    }
    return json_pack("{ss sI sI sI sI sI sI so so so sf}", "case", s->id, "qps",
                     (json_int_t)s->qps, "mtu", (json_int_t)s->mtu, "psn", (json_int_t)s->psn,
                     "retries", (json_int_t)s->retries, "rnr_retries",
                     (json_int_t)s->rnr_retries, "rnr_code", (json_int_t)s->rnr_code,
                     "receives", some, "more_receives", receives, "posts", posts, "timeout_s",
                     (double)timeout_ns / 1e9);
}

static int write_all(struct tl_roce_traffic *t, const char *text, size_t len,
                     struct fal_error *err)
{
    while (len > 0) {
        struct pollfd ready = {.fd = t->child.to, .events = POLLOUT};
        ssize_t n = send(t->child.to, text, len, MSG_NOSIGNAL);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fal_fail(err, FAL_ERR_IO, "the program of --control is gone: %s",
                            strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        if (n < 0 && poll(&ready, 1, WRITE_MS) == 0)
            return fal_fail(err, FAL_ERR_IO, "the program of --control reads nothing");
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

int tl_roce_traffic_begin(struct tl_roce_traffic *t, const struct tl_roce_scenario *scenario,
                          uint64_t timeout_ns, struct fal_error *err)
{
    json_t *message = message_of(scenario, timeout_ns);
    char *text = message != NULL ? json_dumps(message, JSON_COMPACT) : NULL;
    size_t len;
    int rc;

    json_decref(message);
    json_decref(t->kept);
    t->kept = json_array();
    if (text == NULL || t->kept == NULL) {
        free(text);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    t->scenario = scenario;
    t->state = TL_ROCE_TRAFFIC_PREPARES;
    t->why[0] = 0;
    memset(t->messages, 0, sizeof t->messages);
    len = strlen(text);
    text[len] = '\n'; /* in the place of its end */
    rc = write_all(t, text, len + 1, err);
    free(text);
    return rc;
}

/* ---- its answers ---- */

static void broken(struct tl_roce_traffic *t, const char *what, const char *line)
{
    if (t->state == TL_ROCE_TRAFFIC_BROKEN)
        return;
    t->state = TL_ROCE_TRAFFIC_BROKEN;
    (void)snprintf(t->why, sizeof t->why, "the program of --control %s%.180s", what, line);
}

static bool uint_of(const json_t *value, uint64_t most, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* {"qps": [[QPN of end a, QPN of end b], ...]} */
static bool take_qps(struct tl_roce_traffic *t, const json_t *list, struct tl_roce_log *log)
{
    size_t i;
    const json_t *pair;

    if (!json_is_array(list) || json_array_size(list) != t->scenario->qps ||
        t->state != TL_ROCE_TRAFFIC_PREPARES)
        return false;
    json_array_foreach(list, i, pair) for (unsigned end = 0; end < 2; end++)
    {
        uint64_t qpn;

        if (json_array_size(pair) != 2 ||
            !uint_of(json_array_get(pair, end), FAL_ROCE_PSN_MASK, &qpn))
            return false;
        log->conns[i].has_qpn[end] = true;
        log->conns[i].qpn[end] = (uint32_t)qpn;
    }
    log->num_conns = (unsigned)t->scenario->qps;
    for (i = 0; i < t->scenario->num_steps; i++)
        if (t->scenario->steps[i].verb == TL_ROCE_POST)
            tl_roce_log_set(log, &t->scenario->steps[i], 0, SIZE_MAX);
    t->state = TL_ROCE_TRAFFIC_POSTS;
    return true;
}

/* {"done": STEP} or {"failed": STEP, "why": TEXT} */
static bool take_end(struct tl_roce_traffic *t, const json_t *line, uint64_t now_ns,
                     struct tl_roce_log *log)
{
    const json_t *done = json_object_get(line, "done");
    struct fal_roce_event event = {.kind = done != NULL ? FAL_ROCE_DONE : FAL_ROCE_FAILED,
                                   .at_ns = now_ns};
    const struct tl_roce_step *step;

    if (t->state != TL_ROCE_TRAFFIC_POSTS ||
        !uint_of(done != NULL ? done : json_object_get(line, "failed"),
                 t->scenario->num_steps - 1, &event.id))
        return false;
    step = &t->scenario->steps[event.id];
    if (step->verb != TL_ROCE_POST)
        return false;
    event.qp = (unsigned)step->qp - 1;
    event.why = json_string_value(json_object_get(line, "why"));
    tl_roce_log_event(log, step->from == TL_ROCE_B ? 1 : 0, &event);
    return true;
}

/* {"message": "a" or "b", "qp": NUMBER, "length": BYTES, "whole": BOOL} */
static bool take_message(struct tl_roce_traffic *t, const json_t *line, uint64_t now_ns,
                         struct tl_roce_log *log)
{
    const char *end = json_string_value(json_object_get(line, "message"));
    struct fal_roce_event event = {.kind = FAL_ROCE_MESSAGE,
                                   .at_ns = now_ns,
                                   .digest =
                                       json_is_true(json_object_get(line, "whole")) ? 1 : 0};
    unsigned number = end != NULL && strcmp(end, "b") == 0;
    uint64_t qp, length;

    if (t->state != TL_ROCE_TRAFFIC_POSTS || end == NULL ||
        (number == 0 && strcmp(end, "a") != 0) ||
        !uint_of(json_object_get(line, "qp"), t->scenario->qps, &qp) || qp == 0 ||
        !uint_of(json_object_get(line, "length"), UINT32_MAX, &length))
        return false;
    event.qp = (unsigned)qp - 1;
    event.length = (uint32_t)length;
    event.id = t->messages[number][event.qp]++;
    tl_roce_log_event(log, number, &event);
    return true;
}

static bool take_object(struct tl_roce_traffic *t, json_t *line, uint64_t now_ns,
                        struct tl_roce_log *log)
{
    const char *cannot = json_string_value(json_object_get(line, "cannot"));
    const char *error = json_string_value(json_object_get(line, "error"));

    if (json_object_get(line, "qps") != NULL)
        return take_qps(t, json_object_get(line, "qps"), log);
    if (json_object_get(line, "message") != NULL)
        return take_message(t, line, now_ns, log);
    if (json_object_get(line, "done") != NULL || json_object_get(line, "failed") != NULL)
        return take_end(t, line, now_ns, log);
    if (error != NULL) {
        broken(t, "says: ", error);
        return true;
    }
    if (cannot != NULL && t->state == TL_ROCE_TRAFFIC_PREPARES) {
        t->state = TL_ROCE_TRAFFIC_CANNOT;
        (void)snprintf(t->why, sizeof t->why, "%s", cannot);
        return true;
    }
    if (json_is_true(json_object_get(line, "end")) && t->state == TL_ROCE_TRAFFIC_POSTS) {
        t->state = TL_ROCE_TRAFFIC_ENDED;
        return true;
    }
    return false;
}

static void take_line(struct tl_roce_traffic *t, const char *text, size_t len, uint64_t now_ns,
                      struct tl_roce_log *log)
{
    json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

    if (!json_is_object(line))
        broken(t, "wrote a line that is no JSON object: ", text);
    else if (!take_object(t, line, now_ns, log))
        broken(t, "wrote a line that is not expected here: ", text);
    if (json_array_append(t->kept, line) != 0)
        log->no_memory = true;
    json_decref(line);
}

/* Passes on its standard error. */
static void pass_on(const struct tl_roce_traffic *t)
{
    char text[ERR_READ];
    ssize_t n;

    while ((n = read(t->child.err, text, sizeof text)) > 0)
        (void)fwrite(text, 1, (size_t)n, stderr);
}

static bool over(const struct tl_roce_traffic *t)
{
    return t->state != TL_ROCE_TRAFFIC_PREPARES && t->state != TL_ROCE_TRAFFIC_POSTS;
}

enum tl_roce_traffic_state tl_roce_traffic_look(struct tl_roce_traffic *t, uint64_t now_ns,
                                                struct tl_roce_log *log)
{
    enum tl_line got = TL_LINE_NONE;
    size_t len, room;
    char *line;

    pass_on(t);
    while (!over(t)) {
        got = tl_line_reader_next(&t->reader, &line, &len);
        if (got == TL_LINE_NONE) {
            char *space = tl_line_reader_space(&t->reader, &room);
            ssize_t n = read(t->child.from, space, room);

            if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
                broken(t, "has ended", "");
            if (n <= 0)
                break;
            tl_line_reader_added(&t->reader, (size_t)n);
        } else if (got == TL_LINE_TOO_LONG) {
            broken(t, "wrote a line that is too long", "");
        } else {
            take_line(t, line, len, now_ns, log);
        }
    }
    return t->state;
}
