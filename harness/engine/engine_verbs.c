/* SPDX-License-Identifier: Apache-2.0
 * engine_verbs.c - the engine of RDMA verbs (oracles/ulp). */
#include "harness/engine/engine_impl.h"
#include "oracles/ulp/engine.h"

_Static_assert((int)TL_ENGINE_BUSY == (int)FAL_VERBS_BUSY, "one code for a full queue");

static void *make(const struct tl_engine_config *config)
{
    const struct fal_verbs_config verbs = {.endpoint = config->endpoint,
                                           .seed = config->seed,
                                           .faults = config->faults,
                                           .twins = config->twins};

    return fal_verbs_new(&verbs);
}

static void end(void *self)
{
    fal_verbs_free(self);
}

static int attach(void *self, uint32_t conn, const struct fal_params *params)
{
    return fal_verbs_attach(self, conn, params);
}

static void detach(void *self, uint32_t conn)
{
    fal_verbs_detach(self, conn);
}

static void reset(void *self)
{
    fal_verbs_reset(self);
}

static int command(void *self, uint32_t conn, const union tl_word *ask, union tl_word *answer,
                   uint64_t now_ns, struct fal_error *err)
{
    return fal_verbs_command(self, conn, &ask->verbs, &answer->verbs, now_ns, err);
}

static bool take(void *self, const struct fal_endpoint_out *out, uint64_t now_ns)
{
    return fal_verbs_take(self, out, now_ns);
}

static bool next(void *self, union tl_word *event)
{
    return fal_verbs_next(self, &event->verbs);
}

static void tick(void *self, uint64_t now_ns)
{
    fal_verbs_tick(self, now_ns);
}

static uint64_t deadline(const void *self)
{
    return fal_verbs_deadline(self);
}

static bool out_of_memory(const void *self)
{
    return fal_verbs_out_of_memory(self);
}

const struct tl_engine_ops tl_engine_verbs = {.make = make,
                                              .free = end,
                                              .attach = attach,
                                              .detach = detach,
                                              .reset = reset,
                                              .command = command,
                                              .take = take,
                                              .next = next,
                                              .tick = tick,
                                              .deadline = deadline,
                                              .out_of_memory = out_of_memory};
