/* SPDX-License-Identifier: Apache-2.0
 * lib_serve.c - the child process that loads a library and calls it as the tester says. */
#include "harness/sut/lib_host.h"

#include "harness/sut/talon_sut.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAYS_MAX = 1 << 16, WHY_MAX = 400 };

struct served {
    int channel;
    void *handle, *sut;
    const struct talon_sut_api *api;
    char why[WHY_MAX]; /* of a failure; "": none */
    size_t said;       /* bytes in `says` */
    uint8_t says[SAYS_MAX], bytes[TL_LIB_BYTES_MAX + 1];
};

static bool write_all(int fd, const void *bytes, size_t len)
{
    const char *at = bytes;

    while (len > 0) {
        ssize_t n = write(fd, at, len);

        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t len)
{
    char *at = bytes;

    while (len > 0) {
        ssize_t n = read(fd, at, len);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Collects what is said, so that most answers are one write. */
static bool say(struct served *s, const struct tl_lib_answer *answer, const void *bytes)
{
    bool ok = true;

    if (s->said + sizeof *answer + answer->len > SAYS_MAX) {
        ok = write_all(s->channel, s->says, s->said);
        s->said = 0;
    }
    if (sizeof *answer + answer->len > SAYS_MAX)
        return ok && write_all(s->channel, answer, sizeof *answer) &&
               write_all(s->channel, bytes, answer->len);
    memcpy(s->says + s->said, answer, sizeof *answer);
    if (answer->len > 0)
        memcpy(s->says + s->said + sizeof *answer, bytes, answer->len);
    s->said += sizeof *answer + answer->len;
    return ok;
}

static bool say_end(struct served *s)
{
    struct tl_lib_answer answer = {.what = TL_LIB_FAILED, .len = (uint32_t)strlen(s->why)};
    bool ok;

    if (s->why[0] == 0)
        answer = (struct tl_lib_answer){
            .what = TL_LIB_DONE, .next_ns = s->sut != NULL ? s->api->deadline(s->sut) : 0};
    ok = say(s, &answer, s->why) && write_all(s->channel, s->says, s->said);
    s->said = 0;
    return ok;
}

/* Everything that the library has to say since the last call. */
static bool say_outputs(struct served *s)
{
    struct talon_sut_out got = {.kind = TALON_SUT_FRAME};
    unsigned outputs = 0;

    while (s->api->next(s->sut, &got) != 0) {
        struct tl_lib_answer answer = {.len = (uint32_t)got.len};

        if (++outputs > TL_LIB_OUTPUTS_MAX) {
            (void)snprintf(s->why, sizeof s->why, "keeps producing outputs without end");
            return true;
        }
        if ((got.kind != TALON_SUT_FRAME && got.kind != TALON_SUT_LINE) ||
            got.len > TL_LIB_BYTES_MAX || (got.bytes == NULL && got.len > 0)) {
            (void)snprintf(s->why, sizeof s->why, "returned an invalid output");
            return true;
        }
        answer.what = got.kind == TALON_SUT_LINE ? TL_LIB_SAYS_LINE : TL_LIB_SAYS_FRAME;
        if (!say(s, &answer, got.bytes))
            return false;
    }
    return true;
}

static bool complete(const struct talon_sut_api *api)
{
    return api->create != NULL && api->destroy != NULL && api->frame != NULL &&
           api->line != NULL && api->tick != NULL && api->deadline != NULL && api->next != NULL;
}

static void destroy(struct served *s)
{
    if (s->sut != NULL)
        s->api->destroy(s->sut);
    if (s->handle != NULL)
        (void)dlclose(s->handle); /* counters of a build for coverage are written now */
    s->sut = s->handle = NULL;
    s->api = NULL;
}

/* Leaves s->why where the library cannot be used. */
static void load(struct served *s, const char *path)
{
    const struct talon_sut_api *(*get)(void);
    char here[4096 + 2];

    /* A name without a slash would be searched in the system's library folders. */
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    s->handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (s->handle == NULL) {
        (void)snprintf(s->why, sizeof s->why, "cannot load it: %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe) */
        return;
    }
    *(void **)&get = dlsym(s->handle, "talon_sut_api_v1");
    s->api = get != NULL ? get() : NULL;
    if (get == NULL)
        (void)snprintf(s->why, sizeof s->why,
                       "exports no talon_sut_api_v1; expected a "
                       "library that implements talon_sut.h");
    else if (s->api == NULL || s->api->version != TALON_SUT_VERSION || !complete(s->api))
        (void)snprintf(s->why, sizeof s->why, "does not implement version %d of talon_sut.h",
                       TALON_SUT_VERSION);
}

static void create(struct served *s, const char *path, uint64_t seed)
{
    load(s, path);
    if (s->why[0] != 0)
        return;
    s->sut = s->api->create(seed);
    if (s->sut == NULL)
        (void)snprintf(s->why, sizeof s->why, "create returned NULL");
}

/* Does what one message says, and answers. False: there is nobody any more to answer. */
static bool handle(struct served *s, const char *path, const struct tl_lib_message *m)
{
    const struct talon_sut_ip ip = {.ecn = m->ecn, .ttl = m->ttl};

    if (m->what == TL_LIB_CREATE)
        create(s, path, m->now_ns);
    if (m->what == TL_LIB_DESTROY)
        destroy(s);
    if (s->sut == NULL)
        return say_end(s);
    s->bytes[m->len] = 0;
    if (m->what == TL_LIB_FRAME)
        s->api->frame(s->sut, s->bytes, m->len, ip, m->now_ns);
    else if (m->what == TL_LIB_LINE)
        s->api->line(s->sut, (const char *)s->bytes, m->len, m->now_ns);
    else if (m->what == TL_LIB_TICK)
        s->api->tick(s->sut, m->now_ns);
    return (m->what == TL_LIB_CREATE || say_outputs(s)) && say_end(s);
}

int tl_lib_serve(const char *path, int channel)
{
    struct served *s = calloc(1, sizeof *s);
    struct tl_lib_message m;

    if (s == NULL)
        return 1;
    s->channel = channel;
    while (read_all(channel, &m, sizeof m) && m.len <= TL_LIB_BYTES_MAX &&
           read_all(channel, s->bytes, m.len) && handle(s, path, &m))
        ;
    destroy(s);
    free(s);
    return 0;
}
