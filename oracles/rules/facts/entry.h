/* SPDX-License-Identifier: Apache-2.0
 * entry.h - an entry of a queue between the SUT's packet delivery and its Rate Update Engine
 * (RUE), as rules see it (10.6.2), and who is the RUE. */
#ifndef FAL_ORACLES_RULES_FACTS_ENTRY_H
#define FAL_ORACLES_RULES_FACTS_ENTRY_H

#include "codecs/header/ccqueue.h"
#include "oracles/rules/facts/at.h"
#include "oracles/timeline.h"

struct fal_entry {
    bool is_result;
    bool ours; /* a result of the tester: the command cc_result */
    bool has_ticks;
    uint32_t now_ticks; /* the SUT's clock; with has_ticks */
    struct fal_at at;
    struct fal_cc_event event;   /* unless is_result */
    struct fal_cc_result result; /* of a result */
};

/* Reads the entry of an event of the kind CC, or of a command cc_result. False: its format is
 * not known. */
bool fal_entry_read(const struct fal_rue_facts *rue, const struct fal_event *event,
                    struct fal_entry *out);

/* What commands have made of the RUE of the device, as far as their replies were read. */
struct fal_engine {
    bool refused;          /* a command about the RUE was not carried out */
    bool moved;            /* a command made the SUT's RUE change limits */
    bool traced, tester;   /* entries are shown; the tester is the RUE */
    uint64_t traced_index; /* since these events */
    uint64_t tester_index;
    bool unsure; /* a command about the RUE was written, and its reply was not read yet */
    bool asked_trace, asked_tester; /* what it asks for, if it is granted */
    int64_t id;                     /* of that command */
};

/* A command about the RUE was written, or a reply was read. False: it is about something else.
 * What it ends, it ends at once; what it begins, begins with the reply. */
bool fal_engine_event(struct fal_engine *engine, const struct fal_event *event);
/* Whether results of the RUE, or of the tester, change limits. */
bool fal_engine_moves(const struct fal_engine *engine, const struct fal_rue_facts *rue);
/* Whether limits may change without that an entry or a command shows it. */
bool fal_engine_hidden(const struct fal_engine *engine, const struct fal_rue_facts *rue);

#endif
