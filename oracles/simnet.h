/* SPDX-License-Identifier: Apache-2.0
 * simnet.h - the simulated network between two ends, in virtual time: latency, jitter, loss,
 * duplication, reordering, corruption, from one seed. Pure: frames go in with the time and come
 * out when they are due. */
#ifndef FAL_ORACLES_SIMNET_H
#define FAL_ORACLES_SIMNET_H

#include "oracles/timeline.h"

/* One direction. Probabilities are in parts per million. */
struct fal_impairment {
    uint64_t latency_ns; /* fixed */
    uint64_t
        jitter_ns; /* added, uniform in [0, jitter]; reorders when it exceeds the spacing */
    uint32_t loss_ppm, duplicate_ppm, reorder_ppm,
        corrupt_ppm; /* reorder: held back by reorder_ns */
    uint64_t reorder_ns;
};

struct fal_simnet;

/* The two directions by enum fal_dir. NULL when out of memory; the caller frees. */
struct fal_simnet *fal_simnet_new(const struct fal_impairment impair[2], uint64_t seed);
void fal_simnet_free(struct fal_simnet *net);

/* Takes a frame at now_ns; copied. 0, or FAL_ERR_MEM. */
int fal_simnet_send(struct fal_simnet *net, enum fal_dir dir, const uint8_t *bytes, size_t len,
                    uint64_t now_ns);

/* When the next frame arrives; FAL_NEVER when none is under way. */
uint64_t fal_simnet_deadline(const struct fal_simnet *net);

/* The next frame due at or before now_ns: true with direction, arrival and bytes (valid until
 * the next call). Frames due at the same moment come out in the order they went in. */
bool fal_simnet_next(struct fal_simnet *net, uint64_t now_ns, enum fal_dir *dir,
                     uint64_t *at_ns, const uint8_t **bytes, size_t *len);

/* Frames taken, lost, duplicated, corrupted since the start, by direction. */
struct fal_simnet_counts {
    uint64_t sent[2], lost[2], duplicated[2], corrupted[2];
};
struct fal_simnet_counts fal_simnet_counts(const struct fal_simnet *net);

#endif
