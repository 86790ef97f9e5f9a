/* SPDX-License-Identifier: Apache-2.0
 * engine.h - one face of the engines that play upper layers (oracles/ulp, ...), so that the
 * built-in SUT and the tester's side of a case drive each of them alike. The caller's loop is
 * that of oracles/ulp/engine.h. */
#ifndef TL_HARNESS_ENGINE_ENGINE_H
#define TL_HARNESS_ENGINE_ENGINE_H

#include "harness/wire/words.h"
#include "oracles/endpoint/endpoint.h"

struct tl_engine_config {
    struct fal_endpoint *endpoint; /* borrowed */
    uint64_t seed;
    struct fal_fault_set faults;
    struct fal_twin_set twins;
};

/* The functions of one engine; each is that of oracles/ulp/engine.h with its name. `self` is
 * what `make` returned. */
struct tl_engine_ops {
    /* NULL when out of memory. */
    void *(*make)(const struct tl_engine_config *config);
    void (*free)(void *self);
    int (*attach)(void *self, uint32_t conn, const struct fal_params *params);
    void (*detach)(void *self, uint32_t conn);
    void (*reset)(void *self);
    int (*command)(void *self, uint32_t conn, const union tl_word *ask, union tl_word *answer,
                   uint64_t now_ns, struct fal_error *err);
    bool (*take)(void *self, const struct fal_endpoint_out *out, uint64_t now_ns);
    bool (*next)(void *self, union tl_word *event);
    void (*tick)(void *self, uint64_t now_ns);
    uint64_t (*deadline)(const void *self);
    bool (*out_of_memory)(const void *self);
    void (*faults)(const void *self, uint64_t *chances, uint64_t *acts);
};

/* What `command` returns for a full queue; the other codes are those of error.h. */
enum { TL_ENGINE_BUSY = -100 };

/* The engine of a layer; NULL: there is none, as for the raw one. */
const struct tl_engine_ops *tl_engine_ops(enum tl_upper_layer upper);

#endif
