/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/engine/engine.h"

#include "oracles/nvme/engine.h"
#include "oracles/ulp/engine.h"

_Static_assert((int)TL_ENGINE_BUSY == (int)FAL_VERBS_BUSY, "one code for a full queue");
_Static_assert((int)TL_ENGINE_BUSY == (int)FAL_NVME_BUSY, "one code for a full queue");

/* The functions of an engine, layer_make() and so on, and their table, layer_ops. `layer` is
 * also the member of a word that has its words; its own functions begin with `own`. */
#define ENGINE(layer, own)                                                                    \
    static void *layer##_make(const struct tl_engine_config *config)                          \
    {                                                                                         \
        const struct fal_##layer##_config given = {.endpoint = config->endpoint,              \
                                                   .seed = config->seed,                      \
                                                   .faults = config->faults,                  \
                                                   .twins = config->twins};                   \
                                                                                              \
        return own##_new(&given);                                                             \
    }                                                                                         \
    static void layer##_free(void *self)                                                      \
    {                                                                                         \
        own##_free(self);                                                                     \
    }                                                                                         \
    static int layer##_attach(void *self, uint32_t conn, const struct fal_params *params)     \
    {                                                                                         \
        return own##_attach(self, conn, params);                                              \
    }                                                                                         \
    static void layer##_detach(void *self, uint32_t conn)                                     \
    {                                                                                         \
        own##_detach(self, conn);                                                             \
    }                                                                                         \
    static void layer##_reset(void *self)                                                     \
    {                                                                                         \
        own##_reset(self);                                                                    \
    }                                                                                         \
    static int layer##_command(void *self, uint32_t conn, const union tl_word *ask,           \
                               union tl_word *answer, uint64_t now_ns, struct fal_error *err) \
    {                                                                                         \
        return own##_command(self, conn, &ask->layer, &answer->layer, now_ns, err);           \
    }                                                                                         \
    static bool layer##_take(void *self, const struct fal_endpoint_out *out, uint64_t now_ns) \
    {                                                                                         \
        return own##_take(self, out, now_ns);                                                 \
    }                                                                                         \
    static bool layer##_next(void *self, union tl_word *event)                                \
    {                                                                                         \
        return own##_next(self, &event->layer);                                               \
    }                                                                                         \
    static void layer##_tick(void *self, uint64_t now_ns)                                     \
    {                                                                                         \
        own##_tick(self, now_ns);                                                             \
    }                                                                                         \
    static uint64_t layer##_deadline(const void *self)                                        \
    {                                                                                         \
        return own##_deadline(self);                                                          \
    }                                                                                         \
    static bool layer##_out_of_memory(const void *self)                                       \
    {                                                                                         \
        return own##_out_of_memory(self);                                                     \
    }                                                                                         \
    static void layer##_faults(const void *self, uint64_t *chances, uint64_t *acts)           \
    {                                                                                         \
        own##_faults(self, chances, acts);                                                    \
    }                                                                                         \
    static const struct tl_engine_ops layer##_ops = {.make = layer##_make,                    \
                                                     .free = layer##_free,                    \
                                                     .attach = layer##_attach,                \
                                                     .detach = layer##_detach,                \
                                                     .reset = layer##_reset,                  \
                                                     .command = layer##_command,              \
                                                     .take = layer##_take,                    \
                                                     .next = layer##_next,                    \
                                                     .tick = layer##_tick,                    \
                                                     .deadline = layer##_deadline,            \
                                                     .out_of_memory = layer##_out_of_memory,  \
                                                     .faults = layer##_faults}

ENGINE(verbs, fal_verbs);
ENGINE(nvme, fal_nvme_engine);

const struct tl_engine_ops *tl_engine_ops(enum tl_upper_layer upper)
{
    static const struct tl_engine_ops *const rows[TL_UPPERS] = {
        [TL_UPPER_VERBS] = &verbs_ops, [TL_UPPER_NVME] = &nvme_ops};

    return rows[upper];
}
