/* SPDX-License-Identifier: Apache-2.0
 * transfer.h - one random transfer of one flow: its network, size and pattern follow from the
 * seed. */
#ifndef FAL_ORACLES_LOGIC_TRANSFER_H
#define FAL_ORACLES_LOGIC_TRANSFER_H

#include "oracles/logic/bench.h"
#include "oracles/logic/setup.h"

struct fal_logic_transfer {
    struct fal_logic_setup setup;
    const struct fal_logic_fault *fault; /* NULL: none */
    struct fal_logic_net net;            /* of fal_logic_transfer_random, or the caller's */
    uint64_t seed;
    uint64_t bytes;
    bool stream;
    struct fal_logic_sink sink;
    const bool *stop; /* bench.h */
};

struct fal_logic_outcome {
    struct fal_logic_flow_count count;
    uint64_t end_ns;
};

/* Sets net, bytes and stream of `t` from its seed: up to 5 % loss, duplication and reordering,
 * 1 to 400 segments. */
void fal_logic_transfer_random(struct fal_logic_transfer *t);
/* Runs it for at most 100 s of virtual time. Returns 0 or FAL_ERR_MEM. */
int fal_logic_transfer_run(const struct fal_logic_transfer *t, struct fal_logic_outcome *out);

#endif
