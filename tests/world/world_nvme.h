/* SPDX-License-Identifier: Apache-2.0
 * world_nvme.h - the namespaces and devices of a world whose upper layers are NVMe: the inside
 * of world_nvme.c and world_nvme_posts.c. */
#ifndef TL_TESTS_WORLD_WORLD_NVME_H
#define TL_TESTS_WORLD_WORLD_NVME_H

#include "oracles/nvme/engine.h"
#include "tests/world/world_impl.h"

enum {
    NVME_SPACES = 3, /* of an end as an initiator, at most */
    NVME_ROWS = 8,   /* of a namespace in the LBA translation table */
    NVME_BASES = 3,  /* stripes around whose beginning the commands of a namespace lie */
    NVME_BEFORE = 8, /* blocks before a base and from there on that commands may name */
    NVME_AFTER = 64,
    NVME_DEVICES = 2,
    NVME_QUEUES = 4,       /* queue q of a target leads to device q % NVME_DEVICES */
    NVME_TARGET_NSID = 10, /* of the first namespace at the first device */
    NVME_HELD = 64,
    NVME_OPEN = 64,
    NVME_PRINFO = 7, /* all checks */
};

/* A namespace of an end, and how its blocks lie at the devices of the other end. */
struct nvme_space {
    struct fal_nvme_word ns;
    struct fal_nvme_word rows[NVME_ROWS];
    uint64_t bases[NVME_BASES];
    uint64_t mdts; /* most bytes of a command */
};

struct nvme_end {
    struct fal_nvme_engine *engine;
    uint32_t num_spaces;
    struct nvme_space spaces[NVME_SPACES];
    uint64_t cmd; /* number of the newest command */
    size_t num_open;
    struct {
        uint64_t cmd, first, last; /* number, and blocks */
        const struct nvme_space *space;
    } open[NVME_OPEN]; /* with `apart` */
    bool hold;         /* commands of its devices are held, and completed a while later */
    size_t num_held;
    struct {
        uint64_t dcmd, due_ns;
    } held[NVME_HELD];
};

/* What the timeline points to; it is read later, and lives as long as the world. */
struct nvme_kept {
    struct nvme_kept *next;
    struct fal_nvme_word word;
};

struct world_nvme {
    struct nvme_end ends[SIDES];
    struct nvme_kept *kept;
    struct fal_rng rng;
    uint32_t pauses, pause_at; /* at so many posts left, all that is under way ends first */
    uint32_t bad_pi_percent;   /* of writes whose protection information is the host's */
    bool errs;                 /* some commands are wrong, or devices fail */
    bool apart;                /* no two open commands of an end have a block in common */
    bool same_nsids;           /* a namespace has the same number at all devices */
};

/* Where a block lies at the target. */
struct nvme_place {
    const struct fal_nvme_word *row;
    uint64_t tlba;
};

static inline uint32_t nvme_below(struct world *w, uint32_t n)
{
    return (uint32_t)fal_rng_below(&w->nvme->rng, n);
}

/* An end carries out a word. *answer may be the same struct. Returns what the engine does. */
int world_nvme_ask(struct world *w, int side, const struct fal_nvme_word *word,
                   struct fal_nvme_word *answer);
/* Blocks of a stripe (NVME 6.6.2). */
uint64_t world_nvme_stripe(const struct nvme_space *space);
struct nvme_place world_nvme_place(const struct nvme_space *space, uint64_t lba);
/* The namespaces of an end, their rows, and the devices of the other end; once the judge
 * watches. */
void world_nvme_tables(struct world *w, int side);
/* Other rows for some, with blocks at the new places. Nothing is under way. */
void world_nvme_move(struct world *w, int side);
void world_nvme_policy(struct world *w, int side);
/* A command of an end has completed. */
void world_nvme_done(struct nvme_end *end, uint64_t cmd);

#endif
