/* SPDX-License-Identifier: Apache-2.0
 * virtual_lib.c - a shared library as an implementation in virtual time (talon_sut.h). */
#include "harness/sut/talon_sut.h"
#include "harness/sut/virtual_sut.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIB_BYTES_MAX = 65536, /* limit of a frame or a line */
    OUTPUTS_MAX = 100000,  /* limit of outputs after one call */
};

struct lib {
    struct tl_virtual_sut base; /* must be the first member */
    void *handle, *sut;
    const struct talon_sut_api *api;
    unsigned outputs; /* the time of the last call */
    const char *broken;
};

static struct lib *of(struct tl_virtual_sut *sut)
{
    return (struct lib *)sut;
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    const struct talon_sut_ip theirs = {.ecn = ip.ecn, .ttl = ip.ttl};

    if (ip.damaged) /* the simulated link acts as its IP layer */
        return;
    of(sut)->outputs = 0;
    of(sut)->api->frame(of(sut)->sut, bytes, len, theirs, now_ns);
}

static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    of(sut)->outputs = 0;
    of(sut)->api->line(of(sut)->sut, text, len, now_ns);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    of(sut)->outputs = 0;
    of(sut)->api->tick(of(sut)->sut, now_ns);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return of(sut)->broken == NULL ? of(sut)->api->deadline(of(sut)->sut) : FAL_NEVER;
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    struct lib *lib = of(sut);
    struct talon_sut_out got = {.kind = TALON_SUT_FRAME};

    if (lib->broken != NULL || lib->api->next(lib->sut, &got) == 0)
        return false;
    if (++lib->outputs > OUTPUTS_MAX) {
        lib->broken = "the library keeps producing outputs without end";
        return false;
    }
    if ((got.kind != TALON_SUT_FRAME && got.kind != TALON_SUT_LINE) ||
        got.len > LIB_BYTES_MAX || (got.bytes == NULL && got.len > 0)) {
        lib->broken = "the library returned an invalid output";
        return false;
    }
    *out = (struct tl_sut_out){.kind = got.kind == TALON_SUT_LINE ? TL_SUT_LINE : TL_SUT_FRAME,
                               .bytes = got.bytes,
                               .len = got.len};
    return true;
}

static const char *broken(struct tl_virtual_sut *sut)
{
    return of(sut)->broken;
}

static void release(struct tl_virtual_sut *sut)
{
    struct lib *lib = of(sut);

    if (lib->sut != NULL)
        lib->api->destroy(lib->sut);
    if (lib->handle != NULL)
        (void)dlclose(lib->handle);
    free(lib);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS};

static bool complete(const struct talon_sut_api *api)
{
    return api->create != NULL && api->destroy != NULL && api->frame != NULL &&
           api->line != NULL && api->tick != NULL && api->deadline != NULL && api->next != NULL;
}

struct tl_virtual_sut *tl_virtual_lib(const char *path, uint64_t seed, struct fal_error *err)
{
    const struct talon_sut_api *(*get)(void);
    struct lib *lib = calloc(1, sizeof *lib);
    char here[4096];

    if (lib == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    lib->base.ops = &ops;
    /* A name without a slash would be searched in the system's library folders. */
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    lib->handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (lib->handle == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s", dlerror());
        goto fail;
    }
    *(void **)&get = dlsym(lib->handle, "talon_sut_api_v1");
    if (get == NULL) {
        (void)fal_fail(err, FAL_ERR_FORM, "%s: exports no talon_sut_api_v1 (talon_sut.h)",
                       path);
        goto fail;
    }
    lib->api = get();
    if (lib->api == NULL || lib->api->version != TALON_SUT_VERSION || !complete(lib->api)) {
        (void)fal_fail(err, FAL_ERR_FORM, "%s: does not implement version %d of talon_sut.h",
                       path, TALON_SUT_VERSION);
        goto fail;
    }
    lib->sut = lib->api->create(seed);
    if (lib->sut == NULL) {
        (void)fal_fail(err, FAL_ERR_IO, "%s: create returned NULL", path);
        goto fail;
    }
    return &lib->base;

fail:
    release(&lib->base);
    return NULL;
}
