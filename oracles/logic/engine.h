/* SPDX-License-Identifier: Apache-2.0
 * engine.h - the two engines of a programmable NIC, cycle by cycle [S1 3]: a data delivery
 * engine generates addresses of segments into a ring of each flow, a credit engine transmits
 * them. Each cycle handles one event each of incoming (two stages), periodic, generate and
 * transmit; when several hit one flow their writes are merged. It serves any logic of logic.h
 * and tells an observer what it does (oracles/beyond/engine.h). */
#ifndef FAL_ORACLES_LOGIC_ENGINE_H
#define FAL_ORACLES_LOGIC_ENGINE_H

#include "oracles/beyond/engine.h"
#include "oracles/logic/sender.h"

enum fal_logic_engine_fault {
    FAL_LOGIC_ENGINE_SOUND,
    FAL_LOGIC_RING_OVERRUN,    /* K11: an address is generated although the ring is full */
    FAL_LOGIC_FLOW_NEVER_BACK, /* K11: a full ring becomes free, the flow stays inactive */
    FAL_LOGIC_MERGE_LOSES_ONE, /* K12: of generate and transmit in one cycle only one counts */
    FAL_LOGIC_RATE_COARSE,     /* K14: whole bytes a cycle */
};

struct fal_logic_engine_fault_row {
    enum fal_logic_engine_fault fault;
    const char *id, *rule, *text;
};

const struct fal_logic_engine_fault_row *fal_logic_engine_faults(size_t *n);

struct fal_logic_engine_config {
    const struct fal_logic *logic;
    struct fal_logic_config flow; /* line_rate_bps: a flow's rate at the start */
    struct fal_en_setup setup;    /* cycle_ns, ring (1 to 64) and flows (1 to 65536) count */
    enum fal_logic_engine_fault fault;
    struct fal_en_sink sink; /* may be without a function */
    /* An address was transmitted; may be NULL. */
    void (*transmit)(void *ctx, uint32_t flow, const struct fal_logic_packet *packet);
    void *ctx;
};

struct fal_logic_engine;

/* The values of S1: 10 ns, a ring of 8, 2,048 flows, 10 cycles through, 100 ppm. */
struct fal_en_setup fal_logic_engine_usual(void);
/* Returns NULL when memory is out. */
struct fal_logic_engine *fal_logic_engine_new(const struct fal_logic_engine_config *config);
void fal_logic_engine_free(struct fal_logic_engine *engine); /* NULL is allowed */
/* Adds a flow, which no call added before. */
void fal_logic_engine_add(struct fal_logic_engine *engine, uint32_t flow, uint32_t first);
/* The flow's rate is set from outside; 0: the logic's credit by rate never grows. */
void fal_logic_engine_rate(struct fal_logic_engine *engine, uint32_t flow, uint64_t rate_bps);
/* One more segment (sender.h). Returns false when 256 are posted and not acknowledged. */
bool fal_logic_engine_post(struct fal_logic_engine *engine, uint32_t flow, uint32_t bytes);
/* Feedback for a flow waits for the incoming module. Returns 0 or FAL_ERR_MEM. */
int fal_logic_engine_feedback(struct fal_logic_engine *engine, uint32_t flow,
                              const struct fal_logic_reply *reply);
/* One cycle. Returns 0 or FAL_ERR_MEM. */
int fal_logic_engine_step(struct fal_logic_engine *engine);
uint64_t fal_logic_engine_cycle(const struct fal_logic_engine *engine);
/* The state of a flow; the engine's own. */
const struct fal_logic_sender *fal_logic_engine_flow(const struct fal_logic_engine *engine,
                                                     uint32_t flow);

/* ---- rates in integers ---- */

/* A rate as bytes in 2^shift cycles [S1 B]: the shift is the smallest that leaves 14 bits. */
struct fal_logic_rate {
    uint64_t bytes;
    unsigned shift;
};

struct fal_logic_rate fal_logic_rate_of(uint64_t bps, uint32_t cycle_ns, bool coarse);
/* T = L / R: the cycles until so many 2^-shift bytes have come; UINT64_MAX: never. */
uint64_t fal_logic_rate_wait(struct fal_logic_rate rate, uint64_t missing);

#endif
