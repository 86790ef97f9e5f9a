/* SPDX-License-Identifier: Apache-2.0
 * lockstep_server.c - reads one message, writes all messages that it causes, and reads no
 * clock. */
#include "harness/sut/lockstep_server.h"
#include "codecs/base/hex.h"

#include "codecs/json/json.h"
#include "harness/doc/json_member.h"
#include "harness/sut/virtual_sut.h"
#include "harness/wire/protocol.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKSTEP_FRAME_MAX = 65535 };

struct lockstep {
    struct tl_sut_config config;
    struct tl_slow slow;
    struct tl_virtual_sut *sut;
    uint64_t now_ns;
    FILE *out;
    uint8_t frame[LOCKSTEP_FRAME_MAX];
};

static void say_outputs(struct lockstep *l)
{
    struct tl_sut_out out;

    while (l->sut->ops->next(l->sut, &out)) {
        if (out.kind == TL_SUT_LINE) {
            fprintf(l->out, "%.*s\n", (int)out.len, (const char *)out.bytes);
            continue;
        }
        fputs("{\"frame\":\"", l->out);
        for (size_t i = 0; i < out.len; i++)
            fprintf(l->out, "%02x", out.bytes[i]);
        fputs("\"}\n", l->out);
    }
}

static int say_done(struct lockstep *l, const char *what, struct fal_error *err)
{
    uint64_t next = l->sut->ops->deadline(l->sut);

    if (next == FAL_NEVER)
        fprintf(l->out, "{\"done\":\"%s\",\"next_ns\":null}\n", what);
    else
        fprintf(l->out, "{\"done\":\"%s\",\"next_ns\":%" PRIu64 "}\n", what, next);
    return fflush(l->out) == 0 ? 0 : fal_fail(err, FAL_ERR_IO, "cannot write to the output");
}

static int begin(struct lockstep *l, uint64_t seed, struct fal_error *err)
{
    if (l->sut != NULL)
        return fal_fail(err, FAL_ERR_FORM, "begin: was already sent");
    if (l->config.seed == 0)
        l->config.seed = seed;
    l->sut =
        tl_virtual_slow(tl_virtual_builtin(&l->config, err), &l->slow, l->config.seed, err);
    return l->sut != NULL ? 0 : FAL_ERR_MEM;
}

/* Advances the time; what is due by then happens in order. */
static void go_on(struct lockstep *l, uint64_t until_ns)
{
    uint64_t due;

    while ((due = l->sut->ops->deadline(l->sut)) <= until_ns && due > l->now_ns) {
        l->now_ns = due;
        l->sut->ops->tick(l->sut, due);
        say_outputs(l);
    }
    if (until_ns > l->now_ns)
        l->now_ns = until_ns;
    if (l->sut->ops->deadline(l->sut) <= l->now_ns)
        l->sut->ops->tick(l->sut, l->now_ns);
}

static int take_frame(struct lockstep *l, const struct tl_lockstep_message *message,
                      struct fal_error *err)
{
    const char *hex = message->bytes;
    int len;

    len = strlen(hex) <= 2 * sizeof l->frame ? fal_hex_read(hex, l->frame, sizeof l->frame)
                                             : FAL_ERR_RANGE;
    if (len < 0)
        return fal_fail(err, FAL_ERR_FORM, "bytes: expected an even number of hex digits");
    if (message->at_ns > l->now_ns)
        l->now_ns = message->at_ns;
    l->sut->ops->frame(l->sut, l->frame, (size_t)len,
                       (struct tl_sut_ip){.ecn = message->ecn, .ttl = message->ttl}, l->now_ns);
    return 0;
}

static int take_message(struct lockstep *l, const json_t *object, enum tl_lockstep what,
                        struct fal_error *err)
{
    struct tl_lockstep_message message;
    int rc = tl_lockstep_read(object, what, &message, err);

    if (rc != 0)
        return rc;
    switch (what) {
    case TL_LOCKSTEP_BEGIN: return begin(l, message.seed, err);
    case TL_LOCKSTEP_FRAME: return take_frame(l, &message, err);
    case TL_LOCKSTEP_ADVANCE: go_on(l, message.at_ns); return 0;
    }
    return 0;
}

/* As on any other channel, the SUT itself answers what is not JSON. */
static int take(struct lockstep *l, const char *text, size_t len, struct fal_error *err)
{
    json_t *object = tl_json_line(text, len, err);
    enum tl_lockstep what = TL_LOCKSTEP_BEGIN;
    bool lockstep = tl_lockstep_is(object, &what);
    int rc = 0;

    if (l->sut == NULL && !(lockstep && what == TL_LOCKSTEP_BEGIN))
        rc = fal_fail(err, FAL_ERR_FORM, "the first message must be begin");
    else if (lockstep)
        rc = take_message(l, object, what, err);
    else
        l->sut->ops->line(l->sut, text, len, l->now_ns);
    if (rc == 0)
        say_outputs(l);
    if (rc == 0 && lockstep)
        rc = say_done(l, json_string_value(json_object_get(object, "do")), err);
    json_decref(object);
    return rc;
}

int tl_lockstep_serve(const struct tl_sut_config *config, const struct tl_slow *slow, FILE *in,
                      FILE *out, struct fal_error *err)
{
    struct lockstep *l = calloc(1, sizeof *l);
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int rc = 0;

    if (l == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    l->config = *config;
    l->slow = *slow;
    l->out = out;
    while (rc == 0 && (n = getline(&line, &cap, in)) > 0) {
        if (line[n - 1] == '\n')
            n--;
        if (n > 0)
            rc = take(l, line, (size_t)n, err);
    }
    if (rc == 0 && ferror(in))
        rc = fal_fail(err, FAL_ERR_IO, "cannot read the input");
    free(line);
    if (l->sut != NULL)
        l->sut->ops->free(l->sut);
    free(l);
    return rc;
}
