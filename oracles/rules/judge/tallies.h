/* SPDX-License-Identifier: Apache-2.0
 * tallies.h - counts how the instances of a connection ended, for each rule and subject (a
 * cell). Most cells only have HOLDS, and most of the rest have one or two other endings, so a
 * full table would be nearly empty: endings other than HOLDS are in a short list. */
#ifndef FAL_ORACLES_RULES_JUDGE_TALLIES_H
#define FAL_ORACLES_RULES_JUDGE_TALLIES_H

#include "oracles/rules/judge/judge.h"

/* How often the instances of one cell had that ending. */
struct fal_tally {
    uint64_t holds, undecided;
    uint64_t broken_fail, broken_warn; /* by the requirement's on_breach */
    uint64_t broken_asked;             /* subject tester: a step asked for it */
    uint64_t excused[FAL_EXCUSE_COUNT];
    uint64_t events[FAL_EXCUSE_PATHS]; /* events of the path that explain these excuses */
};

enum fal_ending {
    FAL_ENDED_HELD_MANY, /* 2^32 times */
    FAL_ENDED_UNDECIDED,
    FAL_ENDED_FAIL,
    FAL_ENDED_WARN,
    FAL_ENDED_ASKED,
    FAL_ENDED_EXCUSED, /* and the excuse */
    /* No ending of an instance: an event of the path that excuses instances of the cell; and
     * the excuse. */
    FAL_ENDED_EVENT = FAL_ENDED_EXCUSED + FAL_EXCUSE_COUNT,
    FAL_ENDINGS = FAL_ENDED_EVENT + FAL_EXCUSE_PATHS
};

enum { FAL_CELLS_MAX = 2 * FAL_RULES_MAX }; /* each rule, for each of two subjects */

/* The newest event of the path of one kind, on one connection, and the cells that it excused.
 */
struct fal_path_event {
    bool known;
    uint64_t t_ns;
    uint64_t cells[FAL_CELLS_MAX / 64];
};

struct fal_count {
    uint32_t low;
    uint16_t what; /* cell * FAL_ENDINGS + ending */
    uint16_t high; /* n counts to 2^48 */
};

struct fal_tallies {
    uint32_t *holds;        /* by cell */
    struct fal_count *list; /* what was counted last is near the front */
    uint16_t num, cap, cells;
    bool oom;                                      /* something was not counted */
    struct fal_path_event event[FAL_EXCUSE_PATHS]; /* not packed: a quiet connection has none */
};

/* False: out of memory. */
bool fal_tallies_init(struct fal_tallies *tallies, size_t cells);
void fal_tallies_free(struct fal_tallies *tallies);

/* Counts one instance; returns the new count. */
uint64_t fal_tallies_count(struct fal_tallies *tallies, size_t cell, unsigned ending);
/* Counts one that held. */
static inline void fal_tallies_hold(struct fal_tallies *tallies, size_t cell)
{
    if (++tallies->holds[cell] == 0)
        (void)fal_tallies_count(tallies, cell, FAL_ENDED_HELD_MANY);
}

/* Counts the event of the path which excuses an instance of the cell at t_ns: what happens
 * within `round_ns`, a round trip, is one event, and it counts once for each cell. */
void fal_tallies_event(struct fal_tallies *tallies, size_t cell, enum fal_excuse excuse,
                       uint64_t t_ns, uint64_t round_ns);

/* Sets all to zero. */
void fal_tallies_clear(struct fal_tallies *tallies);

/* fal_tallies_pack packs them (pack.h) at `out`, which has room for fal_tallies_packed_max, and
 * returns the size; the other unpacks them into tallies of as many cells that are zero. */
size_t fal_tallies_packed_max(const struct fal_tallies *tallies);
size_t fal_tallies_pack(const struct fal_tallies *tallies, uint8_t *out);
size_t fal_tallies_unpack(struct fal_tallies *tallies, const uint8_t *in);

/* All of a cell. */
struct fal_tally fal_tallies_of(const struct fal_tallies *tallies, size_t cell);
/* Adds a counter to the tally of its cell, `what` / FAL_ENDINGS. */
void fal_tallies_read(const struct fal_count *count, struct fal_tally *t);

#endif
