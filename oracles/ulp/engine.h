/* SPDX-License-Identifier: Apache-2.0
 * engine.h - RDMA verbs above a Falcon endpoint, as a pure state machine: protection domains,
 * memory, completion queues, queue pairs, and what a queue pair sends and answers. It serves
 * the built-in SUT and the tester's side.
 *
 * Caller's loop: fal_verbs_command() for each word of the control protocol;
 *                each output of the endpoint: fal_verbs_take(), which may be an input of the
 *                endpoint, so that more outputs follow;
 *                fal_verbs_next() until it returns false;
 *                when now >= fal_verbs_deadline(): fal_verbs_tick().
 *
 * The shared receive queue of an XRC message is the one that its packets name. The memory of a
 * region is little-endian, which matters for atomic operations and mr_word alone. Nothing of a
 * packet makes the engine touch bytes outside the regions that its keys name (RDMA 8.3.1). */
#ifndef FAL_ORACLES_ULP_ENGINE_H
#define FAL_ORACLES_ULP_ENGINE_H

#include "codecs/verbs/verbs.h"
#include "oracles/endpoint/endpoint.h"

/* What is held at most; 0: the default. */
struct fal_verbs_limits {
    uint64_t memory;  /* bytes of all regions together; 256 MiB */
    uint32_t objects; /* of each kind; 65,536 */
    uint32_t queue;   /* work requests of one queue; 4,096 */
};

struct fal_verbs_config {
    struct fal_endpoint *endpoint; /* borrowed */
    uint64_t seed;                 /* of keys, addresses and queue pair numbers */
    uint32_t cell;                 /* the endpoint's (struct fal_endpoint_config) */
    struct fal_verbs_limits limits;
    /* Faults and conforming variants; those of the endpoint are not looked at. */
    struct fal_fault_set faults;
    struct fal_twin_set twins;
    uint32_t first_sn; /* of a connection's requests; 0: 1 (RDMA 8.2). Another one for tests */
};

struct fal_verbs_engine;

/* What fal_verbs_command returns for a full queue; the other codes are those of error.h. */
enum { FAL_VERBS_BUSY = -100 };

/* NULL when out of memory. The caller frees. */
struct fal_verbs_engine *fal_verbs_new(const struct fal_verbs_config *config);
void fal_verbs_free(struct fal_verbs_engine *engine);

/* A connection of the endpoint whose upper layer is verbs from now on. Returns 0; FAL_ERR_RANGE
 * for one that is not open, or is attached already; FAL_ERR_MEM. */
MUST_USE int fal_verbs_attach(struct fal_verbs_engine *engine, uint32_t conn,
                              const struct fal_params *params);
/* The connection is closed: its queue pairs go to the error state. */
void fal_verbs_detach(struct fal_verbs_engine *engine, uint32_t conn);

/* Carries out one word. `conn`: the endpoint's number of the connection that the word names, 0
 * if it names none. *answer gets the members of the reply. Returns 0; FAL_ERR_FORM or
 * FAL_ERR_RANGE: refused, with a sentence that names the member; FAL_VERBS_BUSY: the queue is
 * full; FAL_ERR_MEM. */
MUST_USE int fal_verbs_command(struct fal_verbs_engine *engine, uint32_t conn,
                               const struct fal_verbs *ask, struct fal_verbs *answer,
                               uint64_t now_ns, struct fal_error *err);

/* An output of the endpoint; false if it is not for this engine: another kind, or a connection
 * that is not attached. */
bool fal_verbs_take(struct fal_verbs_engine *engine, const struct fal_endpoint_out *out,
                    uint64_t now_ns);

/* The next event (wc, cq_event, async), oldest first; false when there is none. */
bool fal_verbs_next(struct fal_verbs_engine *engine, struct fal_verbs *event);

/* Time has passed: messages whose rest does not come are given up. */
void fal_verbs_tick(struct fal_verbs_engine *engine, uint64_t now_ns);
uint64_t fal_verbs_deadline(const struct fal_verbs_engine *engine);

/* All handles die, and connections are no longer attached. */
void fal_verbs_reset(struct fal_verbs_engine *engine);

/* How often a fault of this layer has acted. */
uint64_t fal_verbs_fault_acts(const struct fal_verbs_engine *engine, enum fal_fault_id id);
/* How often faults of this layer could have acted, and how often they have: sums over all. */
void fal_verbs_faults(const struct fal_verbs_engine *engine, uint64_t *chances, uint64_t *acts);

/* Whether an allocation has failed since; what the engine was doing then is lost. */
bool fal_verbs_out_of_memory(const struct fal_verbs_engine *engine);

#endif
