/* SPDX-License-Identifier: Apache-2.0
 * conns.h - the connections of a judge: by number, by CID, and in the order in which they came.
 */
#ifndef FAL_ORACLES_RULES_CONNS_H
#define FAL_ORACLES_RULES_CONNS_H

#include "oracles/rules/rule.h"

enum { FAL_SUBJECTS = 2, FAL_RULES_MAX = 96 };

struct fal_conn {
    uint32_t number;
    bool open; /* it has a track; false: closed, only its tallies are left */
    struct fal_track track;
    struct fal_tallies tallies; /* by cell: see ask.h */
    void **state;               /* likewise; NULL: all zeros */
};

struct fal_conns {
    struct fal_conn **list; /* in order of appearance */
    size_t num, cap;
    uint32_t *slots; /* hash: index + 1 of the newest connection of a number */
    size_t num_slots;
};

void fal_conns_free(struct fal_conns *conns);
/* The newest connection of that number, open or closed; or NULL. */
struct fal_conn *fal_conns_find(const struct fal_conns *conns, uint32_t number);
/* The one connection whose receiver in that direction has the CID, an open one before those
 * that are closed; NULL: none, or several. */
struct fal_conn *fal_conns_by_cid(const struct fal_conns *conns, enum fal_dir dir,
                                  uint32_t cid);
/* Adds one, with room for so many tallies and states. NULL when out of memory. */
struct fal_conn *fal_conns_add(struct fal_conns *conns, uint32_t number, size_t cells);

struct fal_conn *fal_conn_new(uint32_t number, size_t cells);
void fal_conn_free(struct fal_conn *conn);

/* The CID that packets in a direction carry. */
static inline uint32_t fal_conn_cid(const struct fal_conn *conn, enum fal_dir dir)
{
    return dir == FAL_TO_SUT ? conn->track.setup.sut.cid : conn->track.setup.tester.cid;
}

#endif
