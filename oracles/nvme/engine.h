/* SPDX-License-Identifier: Apache-2.0
 * engine.h - NVMe over Falcon above an endpoint, as a pure state machine, in both roles. The
 * initiator presents virtual namespaces to a host, translates and splits its commands, and cuts
 * them into nCMDs. The target puts nCMDs together again and gives them to devices, which keep
 * their blocks in memory. It serves the built-in SUT and the tester's side.
 *
 * Caller's loop: fal_nvme_engine_command() for each word of the control protocol;
 *                each output of the endpoint: fal_nvme_engine_take(), which may be an input of
 *                the endpoint, so that more outputs follow;
 *                fal_nvme_engine_next() until it returns false;
 *                when now >= fal_nvme_engine_deadline(): fal_nvme_engine_tick().
 *
 * The engine plays the host too: the data of a write are the payload pattern of `tag` and
 * `seed`, its application tags are `app`, and its protection information is valid unless the
 * command has bad_pi. */
#ifndef FAL_ORACLES_NVME_ENGINE_H
#define FAL_ORACLES_NVME_ENGINE_H

#include "codecs/nvme/words.h"
#include "oracles/endpoint/endpoint.h"

enum {
    FAL_NVME_MTU = 4260,             /* bytes of the longest packet's payload (NVME 8.4, 8.7) */
    FAL_NVME_MDTS_MAX = 1024 * 1024, /* the NCNT fields count 256 nCMDs (NVME 8.2) */
};

/* CQE status fields that the engine gives: status code type << 8 | status code. */
enum fal_nvme_status {
    FAL_NVME_OK = 0,
    FAL_NVME_INVALID_FIELD = 0x002,
    FAL_NVME_TRANSFER_ERROR = 0x004,
    FAL_NVME_INTERNAL = 0x006,
    FAL_NVME_LBA_RANGE = 0x080,
    FAL_NVME_CAPACITY = 0x081,
    FAL_NVME_GUARD_CHECK = 0x282,
    FAL_NVME_APP_CHECK = 0x283,
    FAL_NVME_REF_CHECK = 0x284,
    FAL_NVME_PATH = 0x300,
};

struct fal_nvme_config {
    struct fal_endpoint *endpoint; /* borrowed */
    uint64_t seed;                 /* of the function number and of keys */
    uint32_t cell;                 /* the endpoint's (struct fal_endpoint_config) */
    uint64_t image_blocks;         /* blocks of all devices together; 0: 65,536 */
    /* Faults and conforming variants; those of the endpoint are not looked at. */
    struct fal_fault_set faults;
    struct fal_twin_set twins;
};

struct fal_nvme_engine;

/* What fal_nvme_engine_command returns when too many commands are open; the other codes are
 * those of error.h. */
enum { FAL_NVME_BUSY = -100 };

/* NULL when out of memory. The caller frees. */
struct fal_nvme_engine *fal_nvme_engine_new(const struct fal_nvme_config *config);
void fal_nvme_engine_free(struct fal_nvme_engine *engine);

/* A connection of the endpoint whose upper layer is NVMe from now on. Returns 0; FAL_ERR_RANGE
 * for one that is not open, is attached already, is ordered (NVME 8) or has an MTU below
 * FAL_NVME_MTU (NVME 6.5); FAL_ERR_MEM. */
MUST_USE int fal_nvme_engine_attach(struct fal_nvme_engine *engine, uint32_t conn,
                                    const struct fal_params *params);
/* The connection is closed: commands that have nCMDs on it fail. */
void fal_nvme_engine_detach(struct fal_nvme_engine *engine, uint32_t conn);

/* Carries out one word. `conn`: the endpoint's number of the connection that the word names, 0
 * if it names none. *answer gets the members of the reply. Returns 0; FAL_ERR_FORM or
 * FAL_ERR_RANGE: refused, with a sentence that names the member; FAL_NVME_BUSY; FAL_ERR_MEM. */
MUST_USE int fal_nvme_engine_command(struct fal_nvme_engine *engine, uint32_t conn,
                                     const struct fal_nvme_word *ask,
                                     struct fal_nvme_word *answer, uint64_t now_ns,
                                     struct fal_error *err);

/* An output of the endpoint; false if it is not for this engine: another kind, or a connection
 * that is not attached. */
bool fal_nvme_engine_take(struct fal_nvme_engine *engine, const struct fal_endpoint_out *out,
                          uint64_t now_ns);

/* The next event (nvme_cqe, dev_cmd), oldest first; false when there is none. */
bool fal_nvme_engine_next(struct fal_nvme_engine *engine, struct fal_nvme_word *event);

/* Time has passed: devices complete commands. */
void fal_nvme_engine_tick(struct fal_nvme_engine *engine, uint64_t now_ns);
uint64_t fal_nvme_engine_deadline(const struct fal_nvme_engine *engine);

/* All tables, devices and commands are gone, and connections are no longer attached. */
void fal_nvme_engine_reset(struct fal_nvme_engine *engine);

/* How often a fault of this layer has acted. */
uint64_t fal_nvme_engine_fault_acts(const struct fal_nvme_engine *engine, enum fal_fault_id id);
/* How often faults of this layer could have acted, and how often they have: sums over all. */
void fal_nvme_engine_faults(const struct fal_nvme_engine *engine, uint64_t *chances,
                            uint64_t *acts);

/* Whether an allocation has failed since; what the engine was doing then is lost. */
bool fal_nvme_engine_out_of_memory(const struct fal_nvme_engine *engine);

#endif
