/* SPDX-License-Identifier: Apache-2.0
 * lockstep_server.c - reads one message, writes all that it causes; reads no clock. */
#include "harness/sut/lockstep_server.h"
#include "codecs/base/hex.h"

#include "codecs/json/json.h"
#include "harness/doc/json_member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKSTEP_FRAME_MAX = 65535 };

struct lockstep {
    struct tl_sut_config config;
    struct tl_sut *sut;
    uint64_t now_ns;
    FILE *out;
    uint8_t frame[LOCKSTEP_FRAME_MAX];
};

static void say_outputs(struct lockstep *l)
{
    struct tl_sut_out out;

    while (tl_sut_next(l->sut, &out)) {
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
    uint64_t next = tl_sut_deadline(l->sut);

    if (next == FAL_NEVER)
        fprintf(l->out, "{\"done\":\"%s\",\"next_ns\":null}\n", what);
    else
        fprintf(l->out, "{\"done\":\"%s\",\"next_ns\":%" PRIu64 "}\n", what, next);
    return fflush(l->out) == 0 ? 0 : fal_fail(err, FAL_ERR_IO, "cannot write to the output");
}

static int begin(struct lockstep *l, const json_t *message, struct fal_error *err)
{
    uint64_t seed = l->config.seed;

    if (l->sut != NULL)
        return fal_fail(err, FAL_ERR_FORM, "begin: was already sent");
    if (seed == 0 && tl_json_u64(message, "seed", TL_MAY_HAVE, INT64_MAX, &seed, err) < 0)
        return FAL_ERR_FORM;
    l->config.seed = seed;
    l->sut = tl_sut_new(&l->config);
    return l->sut != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* Advances the time; what is due by then happens in order. */
static void go_on(struct lockstep *l, uint64_t until_ns)
{
    uint64_t due;

    while ((due = tl_sut_deadline(l->sut)) <= until_ns && due > l->now_ns) {
        l->now_ns = due;
        tl_sut_tick(l->sut, due);
        say_outputs(l);
    }
    if (until_ns > l->now_ns)
        l->now_ns = until_ns;
    if (tl_sut_deadline(l->sut) <= l->now_ns)
        tl_sut_tick(l->sut, l->now_ns);
}

static int take_frame(struct lockstep *l, const json_t *message, struct fal_error *err)
{
    uint32_t ecn = 0, ttl = 0;
    const char *hex;
    uint64_t at_ns;
    int len;

    if (tl_json_u64(message, "at_ns", TL_MUST_HAVE, INT64_MAX, &at_ns, err) < 0 ||
        tl_json_string(message, "bytes", TL_MUST_HAVE, &hex, err) < 0 ||
        tl_json_u32(message, "ecn", TL_MAY_HAVE, 3, &ecn, err) < 0 ||
        tl_json_u32(message, "ttl", TL_MAY_HAVE, UINT8_MAX, &ttl, err) < 0)
        return FAL_ERR_FORM;
    len = strlen(hex) <= 2 * sizeof l->frame ? fal_hex_read(hex, l->frame, sizeof l->frame)
                                             : FAL_ERR_RANGE;
    if (len < 0)
        return fal_fail(err, FAL_ERR_FORM, "bytes: expected an even number of hex digits");
    if (at_ns > l->now_ns)
        l->now_ns = at_ns;
    tl_sut_frame_ip(l->sut, l->frame, (size_t)len,
                    (struct tl_sut_ip){.ecn = (uint8_t)ecn, .ttl = (uint8_t)ttl}, l->now_ns);
    return 0;
}

/* Handles the three messages that are not control lines: control lines have an id. */
static bool is_lockstep(const json_t *message)
{
    static const char *const names[] = {"begin", "frame", "advance"};
    const char *what = json_string_value(json_object_get(message, "do"));

    for (unsigned i = 0; i < 3 && what != NULL; i++)
        if (strcmp(what, names[i]) == 0)
            return json_object_get(message, "id") == NULL;
    return false;
}

/* As on any other channel, the SUT itself answers what is not JSON. */
static int take(struct lockstep *l, const char *text, size_t len, struct fal_error *err)
{
    json_t *message = tl_json_line(text, len, err);
    const char *what = json_string_value(json_object_get(message, "do"));
    bool lockstep = is_lockstep(message);
    uint64_t until_ns = 0;
    int rc = 0;

    if (lockstep && strcmp(what, "begin") == 0)
        rc = begin(l, message, err);
    else if (l->sut == NULL)
        rc = fal_fail(err, FAL_ERR_FORM, "the first message must be begin");
    else if (lockstep && strcmp(what, "frame") == 0)
        rc = take_frame(l, message, err);
    else if (lockstep && strcmp(what, "advance") == 0)
        rc = tl_json_u64(message, "until_ns", TL_MUST_HAVE, INT64_MAX, &until_ns, err) < 0
                 ? FAL_ERR_FORM
                 : 0;
    else
        tl_sut_line(l->sut, text, len, l->now_ns);
    if (rc == 0 && lockstep && strcmp(what, "advance") == 0)
        go_on(l, until_ns);
    if (rc == 0)
        say_outputs(l);
    if (rc == 0 && lockstep)
        rc = say_done(l, what, err);
    json_decref(message);
    return rc;
}

int tl_lockstep_serve(const struct tl_sut_config *config, FILE *in, FILE *out,
                      struct fal_error *err)
{
    struct lockstep *l = calloc(1, sizeof *l);
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int rc = 0;

    if (l == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    l->config = *config;
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
    tl_sut_free(l->sut);
    free(l);
    return rc;
}
