/* SPDX-License-Identifier: Apache-2.0
 * accepted.h - numbers that the subject surely accepted, by its own words other than a claim:
 * an event or an answer of its upper layer, a NACK for a push that its upper layer refused, the
 * data of a pull. They wait for the packets whose claims must cover them (rules R4 and A5). */
#ifndef FAL_ORACLES_RULES_CLAIMS_ACCEPTED_H
#define FAL_ORACLES_RULES_CLAIMS_ACCEPTED_H

#include "oracles/rules/judge/order.h"

/* One such word. */
struct fal_accepted {
    enum fal_window window; /* of the other side */
    int64_t x;
    bool acked; /* acknowledged too, not only received */
    bool event; /* read from the control channel; else a packet */
    struct fal_point point;
};

/* What an out-packet says: that it answers a pull_request, or refuses a push for its upper
 * layer. */
bool fal_accepted_by_data(const struct fal_ctx *c, const struct fal_seen *q,
                          struct fal_accepted *out);
bool fal_accepted_by_nack(const struct fal_ctx *c, const struct fal_seen *q,
                          struct fal_accepted *out);
static inline bool fal_accepted_by_packet(const struct fal_ctx *c, const struct fal_seen *q,
                                          struct fal_accepted *out)
{
    switch (q->falcon->packet_type) {
    case FAL_PULL_DATA: return fal_accepted_by_data(c, q, out);
    case FAL_NACK: return fal_accepted_by_nack(c, q, out);
    default: return false;
    }
}
/* What a `request` or `completion` event says. */
bool fal_accepted_by_event(const struct fal_ctx *c, const struct fal_event *event,
                           struct fal_accepted *out);
/* What it says that the upper layer took a push. */
bool fal_accepted_by_answer(const struct fal_ctx *c, const struct fal_told *told,
                            struct fal_accepted *out);

/* State of a rule; fal_accepted_* below take it from there. */
struct fal_accepted_list {
    struct fal_bag bag; /* struct fal_accepted, oldest first; when full, the oldest goes */
    uint64_t epoch[FAL_WINDOWS];
    uint64_t gap_index; /* of the last mark that packets of the subject went unseen; 0: none */
    int64_t highest[FAL_WINDOWS]; /* of the words in the bag, and of some that were there */
    bool back; /* the time of one of them is before that of the one in front of it */
};

/* Adds it, unless a claim covered it before. Out of memory it is forgotten. */
void fal_accepted_add(const struct fal_ctx *c, struct fal_accepted_list *list,
                      const struct fal_accepted *word);
/* Compares a packet of the subject with everything that waits, and reports how each ended: of
 * BACKs and EACKs, NACKs, or packets that piggyback. */
void fal_accepted_check(struct fal_ctx *c, struct fal_accepted_list *list,
                        const struct fal_seen *q);

/* Callbacks of a rule (struct fal_rule_impl): what is said is added. */
void fal_accepted_ulp(struct fal_ctx *c, const struct fal_event *event);
void fal_accepted_told(struct fal_ctx *c, const struct fal_told *told);
void fal_accepted_mark(struct fal_ctx *c, const struct fal_event *event);

#endif
