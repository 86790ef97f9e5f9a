/* SPDX-License-Identifier: Apache-2.0
 * hostile_lib.c - a library of talon_sut.h that misbehaves as the environment variable HOSTILE
 * says, for tests/live/run_lib.sh. For all other calls it stays silent. */
#include "harness/sut/talon_sut.h"

#include <stdlib.h>
#include <string.h>

static int tells; /* outputs since it was last called */

static const char *mode(void)
{
    const char *text = getenv("HOSTILE"); /* NOLINT(concurrency-mt-unsafe) */

    return text != NULL ? text : "";
}

static int is(const char *name)
{
    return strcmp(mode(), name) == 0;
}

static void *create(uint64_t seed)
{
    (void)seed;
    return is("create") ? NULL : &tells;
}

static void destroy(void *sut)
{
    (void)sut;
}

static void frame(void *sut, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns)
{
    (void)sut;
    (void)bytes;
    (void)len;
    (void)ip;
    (void)now_ns;
}

static void line(void *sut, const char *text, size_t len, uint64_t now_ns)
{
    (void)sut;
    (void)text;
    (void)len;
    (void)now_ns;
    tells = 1;
}

static void tick(void *sut, uint64_t now_ns)
{
    (void)sut;
    (void)now_ns;
}

static uint64_t deadline(void *sut)
{
    (void)sut;
    return is("stuck") ? 0 : TALON_SUT_NEVER;
}

static int next(void *sut, struct talon_sut_out *out)
{
    static const char event[] = "{\"seq\":1,\"epoch\":1,\"event\":\"dropped\",\"count\":1}";
    static const char garbage[] = "\x7f not JSON";
    int ends = !is("endless");

    (void)sut;
    if (ends && tells == 0)
        return 0;
    tells = 0;
    *out = (struct talon_sut_out){TALON_SUT_LINE, (const uint8_t *)event, strlen(event)};
    if (is("kind"))
        out->kind = (enum talon_sut_kind)7;
    if (is("length"))
        out->len = (size_t)1 << 40;
    if (is("null"))
        out->bytes = NULL;
    if (is("garbage"))
        *out =
            (struct talon_sut_out){TALON_SUT_LINE, (const uint8_t *)garbage, strlen(garbage)};
    return !is("silent");
}

const struct talon_sut_api *talon_sut_api_v1(void)
{
    static struct talon_sut_api api = {TALON_SUT_VERSION, create, destroy, frame, line, tick,
                                       deadline,          next};

    if (is("version"))
        api.version = 99;
    if (is("function"))
        api.tick = NULL;
    return is("api") ? NULL : &api;
}
