/* SPDX-License-Identifier: Apache-2.0
 * world_verbs.h - the queue pairs and memory of a world whose upper layers are verbs: the
 * inside of world_verbs.c and world_verbs_posts.c. */
#ifndef TL_TESTS_WORLD_WORLD_VERBS_H
#define TL_TESTS_WORLD_WORLD_VERBS_H

#include "oracles/ulp/engine.h"
#include "tests/world/world_impl.h"

enum {
    VERBS_MEMORY = 16384,           /* of a region */
    VERBS_LISTS = VERBS_MEMORY / 2, /* what lists name, */
    VERBS_WORDS =
        3 * VERBS_MEMORY / 4, /* and from where on atomic operations are, in some worlds */
    VERBS_PIECES = 3,
    VERBS_RECV = 4096, /* bytes of a receive request: each message fits */
    VERBS_DEPTH = 4096,
    VERBS_UD_MAX = 2,
    VERBS_QPS = CONNS_MAX + VERBS_UD_MAX,
    VERBS_QKEY = 0x1234,
};

/* A queue pair: of each connection one of the service RC, behind them those of UD. */
struct verbs_qp {
    struct fal_verbs qp, mr; /* what the end answered */
    uint64_t wr_id;
    uint32_t owed, given; /* messages that take a receive request; receive requests */
    uint32_t dead_key;    /* of a region that was invalidated or has ended; 0: none */
};

struct verbs_end {
    struct fal_verbs_engine *engine;
    char pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX], srq[FAL_VERBS_NAME_MAX];
    char ahs[CONNS_MAX][FAL_VERBS_NAME_MAX];
    struct fal_verbs closed; /* a region without rights for the peer */
    struct verbs_qp qps[VERBS_QPS];
    uint32_t owed, given; /* of the SRQ */
};

/* What the timeline points to; it is read later, and lives as long as the world. */
struct verbs_kept {
    struct verbs_kept *next;
    struct fal_verbs verbs;
};

struct world_verbs {
    struct verbs_end ends[SIDES];
    struct verbs_kept *kept;
    struct fal_rng rng;
    enum fal_verbs_ordering ordering[CONNS_MAX];
    uint32_t mtu, num_ud, pauses;
    uint32_t pause_at; /* at so many posts left, all that is under way ends first */
    bool srq[SIDES];   /* the end has a shared receive queue */
    bool one_memory;   /* of all queue pairs of an end */
    bool apart;        /* lists, remote data and words of atomic operations do not overlap */
    bool errs;         /* some posts are in error */
    bool given_all;    /* the receive requests that messages before a pause need */
};

static inline uint32_t world_below(struct world *w, uint32_t n)
{
    return (uint32_t)fal_rng_below(&w->verbs->rng, n);
}

static inline void world_name(char out[FAL_VERBS_NAME_MAX], const char *from)
{
    memcpy(out, from, FAL_VERBS_NAME_MAX);
}

/* An end carries out a word. `conn`: from 1; 0: the word is of no connection. *answer may be
 * the same struct. Returns what the engine does. */
int world_verbs_ask(struct world *w, int side, uint32_t conn, const struct fal_verbs *word,
                    struct fal_verbs *answer);
/* A region within that of a queue pair, whose key a Send with Invalidate may end. */
struct fal_verbs world_verbs_window(struct world *w, int side, uint32_t q);

#endif
