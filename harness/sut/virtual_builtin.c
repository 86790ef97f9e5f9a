/* SPDX-License-Identifier: Apache-2.0
 * virtual_builtin.c - the built-in SUT as an implementation in virtual time. */
#include "harness/sut/virtual_sut.h"

#include <stdlib.h>

struct builtin {
    struct tl_virtual_sut base; /* must be the first member */
    struct tl_sut *sut;
};

static struct tl_sut *of(struct tl_virtual_sut *sut)
{
    return ((struct builtin *)sut)->sut;
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    tl_sut_frame_ip(of(sut), bytes, len, ip, now_ns);
}

static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    tl_sut_line(of(sut), text, len, now_ns);
}

static void object(struct tl_virtual_sut *sut, json_t *command, uint64_t now_ns)
{
    tl_sut_object(of(sut), command, now_ns);
}

static void order(struct tl_virtual_sut *sut, struct tl_protocol_command *command,
                  uint64_t now_ns)
{
    tl_sut_command_in(of(sut), command, now_ns);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    tl_sut_tick(of(sut), now_ns);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return tl_sut_deadline(of(sut));
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    return tl_sut_next(of(sut), out);
}

static const char *broken(struct tl_virtual_sut *sut)
{
    (void)sut;
    return NULL;
}

static void release(struct tl_virtual_sut *sut)
{
    tl_sut_free(of(sut));
    free(sut);
}

static void faults(const struct tl_virtual_sut *sut, uint64_t *chances, uint64_t *acts)
{
    tl_sut_faults(((const struct builtin *)sut)->sut, chances, acts);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS, .object = object,
                                              .command = order, .faults = faults};

struct tl_virtual_sut *tl_virtual_builtin(const struct tl_sut_config *config,
                                          struct fal_error *err)
{
    struct builtin *builtin = calloc(1, sizeof *builtin);

    if (builtin != NULL) {
        builtin->base.ops = &ops;
        builtin->sut = tl_sut_new(config);
        if (builtin->sut != NULL)
            return &builtin->base;
    }
    free(builtin);
    (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    return NULL;
}
