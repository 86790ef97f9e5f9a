/* SPDX-License-Identifier: Apache-2.0
 * engine_nvme.c - the engine of NVMe (oracles/nvme). */
#include "harness/engine/engine_impl.h"
#include "oracles/nvme/engine.h"

_Static_assert((int)TL_ENGINE_BUSY == (int)FAL_NVME_BUSY, "one code for a full queue");

static void *make(const struct tl_engine_config *config)
{
    const struct fal_nvme_config nvme = {.endpoint = config->endpoint,
                                         .seed = config->seed,
                                         .faults = config->faults,
                                         .twins = config->twins};

    return fal_nvme_engine_new(&nvme);
}

static void end(void *self)
{
    fal_nvme_engine_free(self);
}

static int attach(void *self, uint32_t conn, const struct fal_params *params)
{
    return fal_nvme_engine_attach(self, conn, params);
}

static void detach(void *self, uint32_t conn)
{
    fal_nvme_engine_detach(self, conn);
}

static void reset(void *self)
{
    fal_nvme_engine_reset(self);
}

static int command(void *self, uint32_t conn, const union tl_word *ask, union tl_word *answer,
                   uint64_t now_ns, struct fal_error *err)
{
    return fal_nvme_engine_command(self, conn, &ask->nvme, &answer->nvme, now_ns, err);
}

static bool take(void *self, const struct fal_endpoint_out *out, uint64_t now_ns)
{
    return fal_nvme_engine_take(self, out, now_ns);
}

static bool next(void *self, union tl_word *event)
{
    return fal_nvme_engine_next(self, &event->nvme);
}

static void tick(void *self, uint64_t now_ns)
{
    fal_nvme_engine_tick(self, now_ns);
}

static uint64_t deadline(const void *self)
{
    return fal_nvme_engine_deadline(self);
}

static bool out_of_memory(const void *self)
{
    return fal_nvme_engine_out_of_memory(self);
}

const struct tl_engine_ops tl_engine_nvme = {.make = make,
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
