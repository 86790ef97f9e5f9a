/* SPDX-License-Identifier: Apache-2.0
 * world_trials.h - what a world puts its SUT through beyond plain traffic: a tester that falls
 * silent, sealed links with packets that must be dropped, scarce resources, lives that end.
 * Each kind draws from dice of its own, so that a world without it stays as it was. Pure. */
#ifndef TL_TESTS_WORLD_WORLD_TRIALS_H
#define TL_TESTS_WORLD_WORLD_TRIALS_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"

enum world_trial {
    WORLD_SEALS = 1,      /* security associations on both ends */
    WORLD_FORGERY = 2,    /* packets that the SUT must drop, marked as such on the timeline */
    WORLD_SILENCE = 4,    /* now and then nothing leaves the tester for a while */
    WORLD_SCARCITY = 8,   /* the SUT's receive resources are few */
    WORLD_MORTALITY = 16, /* attempts and transactions come to an end */
    WORLD_REFUSALS = 32,  /* NACKs of the tester that are stale, or that only filters give */
    WORLD_ERRORS = 64,    /* upper layers answer pulls with errors */
    WORLD_LEAPS = 128,    /* the tester sends a push before one of a lower RSN */
    WORLD_ROTATION = 256, /* with seals: the SUT gets new keys (9.2.2.3) */
    WORLD_TRIALS_ALL = 511,
    WORLD_NARROW = 512,   /* with seals: what a rough way mixes up may be dropped as a replay */
    WORLD_REPLAYS = 1024, /* with seals: pushes that are sealed too early */
    WORLD_SWIFT = 2048,   /* both ends run on Swift, and the SUT shows its queues */
    WORLD_VERBS = 4096,   /* the upper layers are RDMA verbs, */
    WORLD_NVME = 8192,    /* or NVMe */
    /* the tester errs on purpose, so that only findings about the SUT count */
    WORLD_TESTER_ERRS = WORLD_FORGERY | WORLD_SILENCE | WORLD_MORTALITY | WORLD_REFUSALS |
                        WORLD_LEAPS | WORLD_REPLAYS,
    /* something may never be done */
    WORLD_CUT_SHORT = WORLD_TESTER_ERRS | WORLD_SCARCITY | WORLD_ERRORS
};

/* What travels with a packet besides its bytes. */
struct world_envelope {
    uint64_t iv; /* when it left, in ps: of the event where that shows one */
    struct fal_seal seal;
    enum fal_integrity integrity;
    enum fal_bad bad; /* why its receiver must drop it */
};

/* A packet that a step sends in the tester's name. */
struct world_forgery {
    struct world_envelope envelope;
    uint8_t bytes[256];
    size_t len;
};

struct world_trials {
    unsigned kinds; /* enum world_trial */
    struct fal_rng rng;
    uint64_t silent_from_ns, silent_until_ns, next_forgery_ns;
    uint64_t rotation_ns; /* of its next step */
    unsigned rotation;    /* steps that were done */
    unsigned pushes;      /* that steps sent */
    uint64_t margin_ns;   /* of replays: no shorter than a rough way mixes packets up */
    bool match_pcid;
    struct {
        uint32_t conn, rsn; /* conn 0: none */
    } left_out;             /* by a leap; it follows */
};

/* The steps of a key rotation, each a while after the one before. */
enum {
    WORLD_NEW_KEYS,
    WORLD_KEYS_TOLD,
    WORLD_OLD_KEYS_DROPPED,
    WORLD_GENERATION_OVER,
    WORLD_ROTATED
};

void world_trials_init(struct world_trials *t, unsigned kinds, bool rough, uint64_t seed);

/* The parameters, and the security of both ends, of a connection that is about to be opened. */
void world_trials_connection(struct world_trials *t, struct fal_params *params,
                             struct fal_endpoint_conn *tester, struct fal_endpoint_conn *sut);

/* The SUT's resources. */
void world_trials_sut(struct world_trials *t, struct fal_endpoint_config *sut);

/* Whether the tester holds back its packets. */
bool world_trials_silent(struct world_trials *t, uint64_t now_ns);

/* The step of a key rotation that is due, WORLD_ROTATED: none. */
unsigned world_trials_rotate(struct world_trials *t, uint64_t now_ns);
/* The SPI after a rotation. */
uint32_t world_trials_new_spi(void);

/* Whether an upper layer answers a pull with an error. */
bool world_trials_error(struct world_trials *t);

/* Whether a forgery is due; the next time is drawn. */
bool world_trials_due(struct world_trials *t, uint64_t now_ns);

/* Of which type it is to be. */
enum fal_packet_type world_trials_type(struct world_trials *t);

/* The newest IV that the SUT took, and how far beyond it the next one may lie, in ps. */
struct world_iv {
    uint64_t accepted, margin_ps;
};

/* Makes one: `draft` is what the tester's endpoint would put into a packet of that type now,
 * `like` how it would travel, `sut` the SUT's numbers, `iv` what it took. False when no such
 * packet can be made. */
bool world_trials_forge(struct world_trials *t, const struct fal_falcon *draft,
                        const struct world_envelope *like, const struct fal_endpoint_state *sut,
                        const struct world_iv *iv, struct world_forgery *out);

#endif
