/* SPDX-License-Identifier: Apache-2.0
 * ask.h - from the judge to its rules: who is to hear of an event is known beforehand, by the
 * kind of the event. */
#ifndef FAL_ORACLES_RULES_JUDGE_ASK_H
#define FAL_ORACLES_RULES_JUDGE_ASK_H

#include "oracles/rules/judge/judge_state.h"

enum fal_ask_kind {
    FAL_ASK_RAW_TO_SUT, /* packets: by direction */
    FAL_ASK_RAW_FROM_SUT,
    FAL_ASK_PACKET_TO_SUT,
    FAL_ASK_PACKET_FROM_SUT,
    FAL_ASK_ULP,
    FAL_ASK_APPLIED,
    FAL_ASK_TOLD,
    FAL_ASK_POSTED,
    FAL_ASK_COMMAND,
    FAL_ASK_CM,
    FAL_ASK_ENTRY,
    FAL_ASK_VERBS,
    FAL_ASK_NVME,
    FAL_ASK_EXPLAINED,
    FAL_ASK_MARK,
    FAL_ASK_WAKE,
    FAL_ASK_FINISH,
    FAL_ASK_RESULT, /* no callback: all with results */
};

static inline enum fal_ask_kind fal_ask_raw_kind(enum fal_dir dir)
{
    return dir == FAL_TO_SUT ? FAL_ASK_RAW_TO_SUT : FAL_ASK_RAW_FROM_SUT;
}

static inline enum fal_ask_kind fal_ask_packet(enum fal_dir dir)
{
    return dir == FAL_TO_SUT ? FAL_ASK_PACKET_TO_SUT : FAL_ASK_PACKET_FROM_SUT;
}

/* What there is to tell; one of them. */
struct fal_asked {
    const struct fal_event *event;     /* RAW, ULP, COMMAND, CM, MARK */
    enum fal_fit fit;                  /* RAW */
    const struct fal_seen *seen;       /* PACKET */
    const struct fal_pending *command; /* APPLIED */
    const struct fal_told *told;
    const struct fal_posted *posted;
    const struct fal_entry *entry;
    const struct fal_said *said;   /* VERBS */
    const struct fal_nsaid *heard; /* NVME */
    const struct fal_explained *explained;
};

/* Calls every rule that hears of it, but those whose assumption the other side broke. The
 * connection is at hand (fal_conns_use). `kind` is no packet: see fal_ask_seen. */
void fal_ask(struct fal_judge *judge, struct fal_conn *conn, enum fal_ask_kind kind,
             const struct fal_asked *asked);

/* Of a judge of both ends: the end that is the SUT, 0 or 1; or: */
enum { FAL_EVERY_END = 2 };

/* The same for one end alone. */
void fal_ask_end(struct fal_judge *judge, struct fal_conn *conn, unsigned end,
                 enum fal_ask_kind kind, const struct fal_asked *asked);

/* The same in steps, for one event that is asked in several ways: fal_ask_begin makes the
 * context, then fal_ask_in or fal_ask_raw, and fal_ask_seen with a packet that was placed among
 * the facts. */
void fal_ask_begin(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c);
void fal_ask_in(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                enum fal_ask_kind kind, const struct fal_asked *asked);
/* fal_ask_in of a packet as it was captured. */
void fal_ask_raw(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                 const struct fal_event *event, enum fal_fit fit);
/* `end`: whose facts those are; FAL_EVERY_END unless the ends have facts of their own. */
void fal_ask_seen(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                  unsigned end, const struct fal_seen *seen);

/* Frees what the states of a connection own. They are not used any more. */
void fal_release_states(const struct fal_judge *judge, struct fal_live *live);

#endif
