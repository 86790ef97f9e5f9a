/* SPDX-License-Identifier: Apache-2.0
 * sut_lib.c - the built-in SUT as a library (talon_sut.h). `make mutation` links it with one
 * mutated file of the endpoint: the tester and its judge stay as they are.
 * With the environment variable TALON_TRACE, each SUT appends a line to that file when it ends:
 * its seed and a hash of everything that it sent, with the times. Two endpoints that give the
 * same lines cannot be told apart by what was played. */
#include "harness/sut/talon_sut.h"
#include "harness/sut/virtual_sut.h"
#include "tests/mutation/ran.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct traced {
    struct tl_virtual_sut *sut;
    uint64_t seed, now_ns, hash, outputs;
};

/* FNV-1a. */
static void mix(struct traced *t, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len; i++)
        t->hash = (t->hash ^ at[i]) * UINT64_C(0x100000001b3);
}

static void *create(uint64_t seed)
{
    const struct tl_sut_config config = {.seed = seed};
    struct fal_error err;
    struct traced *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    t->seed = seed;
    t->hash = UINT64_C(0xcbf29ce484222325);
    t->sut = tl_virtual_builtin(&config, &err);
    if (t->sut != NULL)
        return t;
    free(t);
    return NULL;
}

static void destroy(void *ctx)
{
    struct traced *t = ctx;
    const char *path = getenv("TALON_TRACE"); /* NOLINT(concurrency-mt-unsafe) */
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    char line[100];
    int n = snprintf(line, sizeof line, "%016" PRIx64 " %016" PRIx64 " %" PRIu64, t->seed,
                     t->hash, t->outputs);

    if (fd >= 0) {
        (void)!write(fd, line, (size_t)n);
        if (mutation_write_ran != NULL)
            mutation_write_ran(fd);
        (void)!write(fd, "\n", 1);
        (void)close(fd);
    }
    t->sut->ops->free(t->sut);
    free(t);
}

static void frame(void *ctx, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns)
{
    struct traced *t = ctx;

    t->now_ns = now_ns;
    t->sut->ops->frame(t->sut, bytes, len, (struct tl_sut_ip){.ecn = ip.ecn, .ttl = ip.ttl},
                       now_ns);
}

static void line(void *ctx, const char *text, size_t len, uint64_t now_ns)
{
    struct traced *t = ctx;

    t->now_ns = now_ns;
    t->sut->ops->line(t->sut, text, len, now_ns);
}

static void tick(void *ctx, uint64_t now_ns)
{
    struct traced *t = ctx;

    t->now_ns = now_ns;
    t->sut->ops->tick(t->sut, now_ns);
}

static uint64_t deadline(void *ctx)
{
    struct traced *t = ctx;

    return t->sut->ops->deadline(t->sut);
}

static int next(void *ctx, struct talon_sut_out *out)
{
    struct traced *t = ctx;
    struct tl_sut_out got;

    if (!t->sut->ops->next(t->sut, &got))
        return 0;
    *out = (struct talon_sut_out){.kind = got.kind == TL_SUT_LINE ? TALON_SUT_LINE
                                                                  : TALON_SUT_FRAME,
                                  .bytes = got.bytes,
                                  .len = got.len};
    t->outputs++;
    mix(t, &t->now_ns, sizeof t->now_ns);
    mix(t, &got.kind, sizeof got.kind);
    mix(t, got.bytes, got.len);
    return 1;
}

const struct talon_sut_api *talon_sut_api_v1(void)
{
    static const struct talon_sut_api api = {
        TALON_SUT_VERSION, create, destroy, frame, line, tick, deadline, next};

    return &api;
}
