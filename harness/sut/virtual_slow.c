/* SPDX-License-Identifier: Apache-2.0
 * virtual_slow.c - an implementation in virtual time whose packets leave late (slow.h). */
#include "harness/sut/virtual_sut.h"

#include <stdlib.h>

struct slow {
    struct tl_virtual_sut base; /* must be the first member */
    struct tl_virtual_sut *inner;
    struct tl_slow_line *line;
    uint64_t now_ns;
};

static struct slow *of(struct tl_virtual_sut *sut)
{
    return (struct slow *)sut;
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    of(sut)->now_ns = now_ns;
    of(sut)->inner->ops->frame(of(sut)->inner, bytes, len, ip, now_ns);
}

static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    of(sut)->now_ns = now_ns;
    of(sut)->inner->ops->line(of(sut)->inner, text, len, now_ns);
}

static void object(struct tl_virtual_sut *sut, json_t *command, uint64_t now_ns)
{
    of(sut)->now_ns = now_ns;
    of(sut)->inner->ops->object(of(sut)->inner, command, now_ns);
}

static void order(struct tl_virtual_sut *sut, struct tl_protocol_command *command,
                  uint64_t now_ns)
{
    of(sut)->now_ns = now_ns;
    of(sut)->inner->ops->command(of(sut)->inner, command, now_ns);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    struct slow *slow = of(sut);

    slow->now_ns = now_ns;
    if (slow->inner->ops->deadline(slow->inner) <= now_ns)
        slow->inner->ops->tick(slow->inner, now_ns);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    uint64_t inner = of(sut)->inner->ops->deadline(of(sut)->inner);
    uint64_t due = tl_slow_due(of(sut)->line);

    return inner < due ? inner : due;
}

/* Lines leave at once, frames when they are due. */
static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    struct slow *slow = of(sut);

    while (slow->inner->ops->next(slow->inner, out)) {
        if (out->kind != TL_SUT_FRAME)
            return true;
        tl_slow_put(slow->line, out, slow->now_ns);
    }
    return tl_slow_take(slow->line, slow->now_ns, out);
}

static const char *broken(struct tl_virtual_sut *sut)
{
    return of(sut)->inner->ops->broken(of(sut)->inner);
}

static void release(struct tl_virtual_sut *sut)
{
    struct slow *slow = of(sut);

    slow->inner->ops->free(slow->inner);
    tl_slow_line_free(slow->line);
    free(slow);
}

static void faults(const struct tl_virtual_sut *sut, uint64_t *chances, uint64_t *acts)
{
    const struct tl_virtual_sut *inner = ((const struct slow *)sut)->inner;

    inner->ops->faults(inner, chances, acts);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS, .object = object,
                                              .command = order, .faults = faults};

struct tl_virtual_sut *tl_virtual_slow(struct tl_virtual_sut *inner, const struct tl_slow *how,
                                       uint64_t seed, struct fal_error *err)
{
    struct slow *slow = inner != NULL ? calloc(1, sizeof *slow) : NULL;

    if (inner == NULL || !how->given) {
        free(slow);
        return inner;
    }
    if (slow != NULL)
        slow->line = tl_slow_line_new(how, seed);
    if (slow == NULL || slow->line == NULL) {
        inner->ops->free(inner);
        free(slow);
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    slow->base.ops = &ops;
    slow->inner = inner;
    return &slow->base;
}
