/* SPDX-License-Identifier: Apache-2.0
 * mutant_sut.c - `make mutation` links talon with this file in the place of virtual_lib.c: a
 * library (`--sut lib:FILE`) then runs in the process of the tester. That takes a third of the
 * time of a process for each SUT. The library has an endpoint of its own (sut_lib.c), so a
 * mutant of it changes neither the tester nor the judge. */
#include "harness/sut/talon_sut.h"
#include "harness/sut/virtual_sut.h"

#include <dlfcn.h>
#include <stdlib.h>

struct mutant {
    struct tl_virtual_sut base; /* must be the first member */
    const struct talon_sut_api *api;
    void *sut;
};

static struct mutant *of(struct tl_virtual_sut *sut)
{
    return (struct mutant *)sut;
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    if (ip.damaged) /* the simulated link acts as its IP layer */
        return;
    of(sut)->api->frame(of(sut)->sut, bytes, len,
                        (struct talon_sut_ip){.ecn = ip.ecn, .ttl = ip.ttl}, now_ns);
}

static void line(struct tl_virtual_sut *sut, const char *line, size_t len, uint64_t now_ns)
{
    of(sut)->api->line(of(sut)->sut, line, len, now_ns);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    of(sut)->api->tick(of(sut)->sut, now_ns);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return of(sut)->api->deadline(of(sut)->sut);
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    struct talon_sut_out got;

    if (of(sut)->api->next(of(sut)->sut, &got) == 0)
        return false;
    *out = (struct tl_sut_out){.kind = got.kind == TALON_SUT_LINE ? TL_SUT_LINE : TL_SUT_FRAME,
                               .bytes = got.bytes,
                               .len = got.len};
    return true;
}

static const char *broken(struct tl_virtual_sut *sut)
{
    (void)sut;
    return NULL;
}

static void release(struct tl_virtual_sut *sut)
{
    of(sut)->api->destroy(of(sut)->sut);
    free(sut);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS};

/* The API of a library, which stays loaded. NULL with `err` if it has none. */
static const struct talon_sut_api *api_of(const char *path, struct fal_error *err)
{
    const struct talon_sut_api *(*api)(void) = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (handle != NULL)
        *(void **)&api = dlsym(handle, "talon_sut_api_v1");
    if (api != NULL)
        return api();
    (void)fal_fail(err, FAL_ERR_IO, "%s is no library with a SUT", path);
    return NULL;
}

struct tl_virtual_sut *tl_virtual_lib(const char *path, const struct tl_lib_config *config,
                                      struct fal_error *err)
{
    struct mutant *mutant = calloc(1, sizeof *mutant);

    if (mutant != NULL && (mutant->api = api_of(path, err)) != NULL) {
        mutant->base.ops = &ops;
        mutant->sut = mutant->api->create(config->seed);
        if (mutant->sut != NULL)
            return &mutant->base;
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    free(mutant);
    return NULL;
}
