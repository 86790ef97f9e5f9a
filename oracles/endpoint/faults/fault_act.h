/* SPDX-License-Identifier: Apache-2.0
 * fault_act.h - the faults of an endpoint at work: whether one acts now, how often it has, and
 * those that act on header fields. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_ACT_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_ACT_H

#include "oracles/endpoint/faults/faults.h"
#include "oracles/rng.h"

struct fal_ep_conn;

struct fal_faulty {
    struct fal_fault_set set;
    struct fal_rng rng; /* the dice of those without a seed of their own */
    struct fal_rng own_rng[FAL_FAULT_HOWS_MAX]; /* by place in set.hows */
    uint64_t chances[FAL_FAULT_COUNT];          /* how often it could have acted */
    uint64_t acts[FAL_FAULT_COUNT];
    uint64_t all_chances, all_acts; /* the sums of both */
    uint32_t held; /* packets that connections held which have ended (ended-holds) */
};

void fal_faulty_init(struct fal_faulty *faulty, const struct fal_fault_set *set, uint64_t seed);

/* Whether a fault that is on acts at this opportunity, by `one-in` and `from`: `when` holds.
 * Both are counted. */
bool fal_faulty_roll(struct fal_faulty *faulty, enum fal_fault_id id);

/* Whether a fault that is about one length in FAL_FAULT_LENGTHS acts on a payload: its seed
 * says which. */
bool fal_fault_at_length(const struct fal_ep_conn *conn, enum fal_fault_id id, size_t len);
enum {
    FAL_FAULT_LENGTHS = 512,
    FAL_FAULT_LENGTH = 391, /* without a seed */
    FAL_FAULT_DEEP = 40,    /* so many may be open before a fault of depth acts */
};

/* A header that is about to leave, encoded: shifts or corrupts the field that the faults of
 * that kind are about. */
void fal_fault_header(const struct fal_ep_conn *conn, const struct fal_layout *layout,
                      uint8_t *wire);

#endif
