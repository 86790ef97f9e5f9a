/* SPDX-License-Identifier: Apache-2.0
 * events.h - the events of a timeline, each kind in a file of its own: what becomes of them for
 * the rules, then for the facts. For the judge alone. */
#ifndef FAL_ORACLES_RULES_EVENTS_EVENTS_H
#define FAL_ORACLES_RULES_EVENTS_EVENTS_H

#include "oracles/rules/judge/judge_state.h"

/* ---- connection.c ---- */

void fal_take_connection(struct fal_judge *judge, const struct fal_event *event);
void fal_take_mark(struct fal_judge *judge, const struct fal_event *event);
/* Frees everything of a connection except its tallies. */
void fal_let_go(struct fal_judge *judge, struct fal_conn *conn);
/* Decides every instance that waited and forgets the facts; the tallies stay. */
void fal_finish_conn(struct fal_judge *judge, struct fal_conn *conn);
/* Tells the rules that a time for which one of them waited has passed. */
void fal_wake_ends(struct fal_judge *judge, struct fal_conn *conn);
/* Packets may have gone unseen before that index. */
void fal_may_have_missed(struct fal_judge *judge, struct fal_conn *conn, uint64_t index);

/* ---- packet.c, control.c, verbs.c ---- */

void fal_take_packet(struct fal_judge *judge, const struct fal_event *event);
/* A command, a reply, an event of an upper layer. */
void fal_take_control(struct fal_judge *judge, const struct fal_event *event);
void fal_take_cm(struct fal_judge *judge, const struct fal_event *event);
/* An entry that the SUT showed. */
void fal_take_entry(struct fal_judge *judge, const struct fal_event *event);
void fal_take_verbs(struct fal_judge *judge, const struct fal_event *event);
/* The facts about NVMe, which are made if there are none yet; NULL: out of memory. */
struct fal_blocks *fal_take_blocks(struct fal_judge *judge);
/* A word of NVMe. */
void fal_take_nvme(struct fal_judge *judge, const struct fal_event *event);

/* ---- for all of them ---- */

/* Whether the connection exists and is open; then it is unpacked. */
static inline bool fal_use(struct fal_judge *judge, struct fal_conn *conn)
{
    if (conn == NULL || !conn->open)
        return false;
    if (conn->live != NULL && conn->live == judge->conns.last)
        return true; /* as of most packets */
    if (!fal_conns_use(&judge->conns, conn))
        judge->oom = true;
    return conn->live != NULL;
}

static inline void fal_wake_due(struct fal_judge *judge, struct fal_conn *conn)
{
    if (conn->open && (judge->now_ns > conn->live->track.wake_ns[0] ||
                       judge->now_ns > conn->live->track.wake_ns[1]))
        fal_wake_ends(judge, conn);
}

/* Where any packet may go unseen, packets may have gone unseen before that index. */
static inline void fal_doubt(struct fal_judge *judge, struct fal_conn *conn, uint64_t index)
{
    if (judge->bench.run.may_miss)
        fal_may_have_missed(judge, conn, index);
}

#endif
