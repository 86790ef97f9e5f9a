/* SPDX-License-Identifier: Apache-2.0
 * conns.h - the connections of a judge: by number, by CID, and in the order in which they came.
 *
 * A capture may have 100,000s of them, most of them quiet at any time. Up to a budget of memory
 * all of them are at hand. Beyond it, those that were not used for long are packed: their
 * facts, states and tallies (pack.h). Packing loses nothing. Of a closed connection only its
 * tallies are left. */
#ifndef FAL_ORACLES_RULES_JUDGE_CONNS_H
#define FAL_ORACLES_RULES_JUDGE_CONNS_H

#include "oracles/rules/judge/rule.h"

#include <stddef.h>

enum {
    FAL_SUBJECTS = 2,
    FAL_CELL_WORDS = FAL_CELLS_MAX / 64,
    FAL_AT_HAND = 512, /* So many connections are not packed, whatever they need. */
};
/* Memory for connections that are not packed, in bytes, unless the caller configured another
 * budget: talon check has two judges. */
#define FAL_AT_HAND_BYTES ((size_t)128 << 20)
_Static_assert(FAL_CELLS_MAX *FAL_ENDINGS <= UINT16_MAX + 1,
               "fal_count.what holds each ending");

/* What is known of a connection. */
struct fal_live {
    struct fal_conn *of;
    struct fal_live *newer, *older; /* in fal_conns.newest; `older` in the list of spare ones */
    size_t bytes;                   /* what fal_conns.bytes counts for it */
    uint32_t turns;                 /* how often another connection was used after it */
    bool used;                      /* since it came to hand, or was spared (get_live) */
    struct fal_track track;         /* of an open connection */
    struct fal_tallies tallies;     /* by cell: see ask.h */
    /* By end whose facts they are, and direction of packets: 1 + the windows learned anew so
     * far, when the rules heard the last one; 0: they have heard none since the connection is
     * at hand. */
    uint64_t heard[2][2];
    /* By direction of packets, a bit for each entry of its list (fal_ask_entry.waits_at): a bag
     * of the rule may hold something. */
    uint64_t waits[2][FAL_CELL_WORDS];
    _Alignas(max_align_t) unsigned char state[]; /* by cell: fal_asking.state_at */
};

struct fal_conn {
    uint32_t number;
    uint32_t cid[2];       /* that packets carry, by direction */
    bool open;             /* it has a track; false: closed, only its tallies are left */
    struct fal_live *live; /* NULL: packed */
    /* The facts for the other end, of a judge of both ends, where they are not the same; else
     * NULL. */
    struct fal_track *apart;
    uint8_t *packed;
};

struct fal_conns {
    struct fal_conn **list; /* in order of appearance */
    size_t num, cap;
    uint32_t *slots; /* hash: index + 1 of the newest connection of a number */
    size_t num_slots;
    size_t cells, state_size;
    size_t budget; /* bytes of connections at hand, above which they are packed */
    size_t bytes;  /* of those at hand, except what they have needed since they were counted */
    struct fal_live *last; /* the one that was used last, if it is at hand; else NULL */
    /* Those at hand, in the order in which they came to hand, or were spared when they were the
     * oldest; spare: to be used again. */
    struct fal_live *newest, *oldest, *spare;
    size_t num_live;
    struct fal_track *model; /* what tracks are packed against: the first that was */
    uint8_t *scratch;        /* to pack in */
    size_t scratch_size;
};

/* Connections of so many cells, their states of so many bytes in all. `budget` in bytes; 0:
 * FAL_AT_HAND_BYTES. */
void fal_conns_init(struct fal_conns *conns, size_t cells, size_t state_size, size_t budget);
/* What states own is the caller's to free before: see fal_conns_use. */
void fal_conns_free(struct fal_conns *conns);
/* The newest connection of that number, open or closed; or NULL. */
struct fal_conn *fal_conns_find(const struct fal_conns *conns, uint32_t number);
/* The one connection whose receiver in that direction has the CID, an open one before those
 * that are closed; NULL: none, or several. */
struct fal_conn *fal_conns_by_cid(const struct fal_conns *conns, enum fal_dir dir,
                                  uint32_t cid);
/* Adds one that is at hand, not open, its track and states zeros. NULL when out of memory. */
struct fal_conn *fal_conns_add(struct fal_conns *conns, uint32_t number);
/* The same of one that is never packed and stands in no list: freed by fal_conn_free. */
struct fal_conn *fal_conn_new(const struct fal_conns *conns, uint32_t number);
void fal_conn_free(struct fal_conn *conn);
/* Gives the other end facts of its own, as they are now; the connection is at hand. False: out
 * of memory, so that some may be missing. fal_conn_join: from now on the facts of the SUT are
 * those of both ends again. */
bool fal_conn_part(struct fal_conn *conn);
void fal_conn_join(struct fal_conn *conn);

/* Brings what is known of an open connection to hand; those that were used longest ago may be
 * packed for it. False: out of memory. */
bool fal_conns_use(struct fal_conns *conns, struct fal_conn *conn);
/* The connection was closed, its track and states are free: keeps its tallies. */
void fal_conns_retire(struct fal_conns *conns, struct fal_conn *conn);
/* The tallies of a connection that is at hand or closed; else, and when out of memory, zeros.
 * `room` is where they are unpacked if need be. */
const struct fal_tallies *fal_conn_tallies(const struct fal_conn *conn,
                                           struct fal_tallies *room);

/* The facts for an end that is the SUT; any other number: those of all ends. */
static inline struct fal_track *fal_conn_track(const struct fal_conn *conn, unsigned end)
{
    return end == 1 && conn->apart != NULL ? conn->apart : &conn->live->track;
}

/* The CID that packets in a direction carry. */
static inline uint32_t fal_conn_cid(const struct fal_conn *conn, enum fal_dir dir)
{
    return conn->cid[dir];
}

#endif
