/* SPDX-License-Identifier: Apache-2.0
 * control.h - what the rules learn from the control channel: which answers were ordered for
 * which request, which of them the SUT reports as applied, and how long a policy makes its
 * upper layer hold every answer to a push. */
#ifndef FAL_ORACLES_RULES_JUDGE_CONTROL_H
#define FAL_ORACLES_RULES_JUDGE_CONTROL_H

#include "oracles/rules/facts/track.h"

enum { FAL_PENDING_MAX = 256 };

/* A command whose reply has not been read yet. */
struct fal_pending {
    int64_t id;
    uint32_t conn;
    bool policy; /* or a post, or a respond */
    bool post;
    uint64_t holds_ns;           /* policy */
    struct fal_ev_command asked; /* without its text */
    struct fal_at at;
};

struct fal_control {
    size_t num;
    struct fal_pending
        list[FAL_PENDING_MAX]; /* oldest first; when full, the oldest is forgotten */
};

/* Whether a completion with that code (chapter 11: 0xB, 0xC) refuses a post before it became a
 * transaction: the next post gets its RSN. */
static inline bool fal_code_gives_back(uint32_t code)
{
    return code == 0xb || code == 0xc;
}

/* A command was written for a connection. */
void fal_control_command(struct fal_control *control, struct fal_track *track,
                         const struct fal_event *event);

/* A reply was read: true, with the command, when the reply answers a command that is waited
 * for. */
bool fal_control_reply(struct fal_control *control, const struct fal_event *event,
                       struct fal_pending *out);

/* A `respond` was applied: up to this point an answer is certain. */
void fal_control_applied(struct fal_track *track, const struct fal_pending *command);

/* A `request` or `ulp_ack` event becomes a fact. */
void fal_control_ulp(struct fal_track *track, const struct fal_event *event);

/* The least time for which a policy line ({"do": "policy", "rules": [...]}) makes the upper
 * layer hold its answer to a push, whichever it is; FAL_NEVER: until a `respond`. */
uint64_t fal_control_holds_ns(const char *line);

#endif
