/* SPDX-License-Identifier: Apache-2.0
 * budget.h - the excuse budget and the power of a run (judging.md, sections 3 and 18): what a
 * path was measured to do, against what the rules excused by it, and how many instances each
 * rule decided. A path that lost nothing of ten thousand probes does not excuse three hundred
 * ACKs that were never seen. */
#ifndef FAL_ORACLES_RULES_JUDGE_BUDGET_H
#define FAL_ORACLES_RULES_JUDGE_BUDGET_H

#include "oracles/rules/judge/rule.h"

enum { FAL_BUDGET_MEASURED = 300 }; /* With fewer trials a path counts as not measured. */

enum fal_budget_word {
    FAL_BUDGET_FITS,
    FAL_BUDGET_BEYOND,     /* more than a path that was measured like that does */
    FAL_BUDGET_UNMEASURED, /* more than is believed of a path that was not measured */
};

/* Whether each duty is an instance of that rule, so that their number says how many packets
 * could have been lost (fal_rule_impl.each). */
bool fal_budget_each(const struct fal_rule *rule);
/* Whether k events among n packets are believed of a path that was measured so. */
enum fal_budget_word fal_budget_word(uint64_t n, uint64_t k, struct fal_trials path);
/* The largest number of events among n packets that are believed. */
uint64_t fal_budget_allowed(uint64_t n, struct fal_trials path);
/* The probability that at least k of the k + losses events of n + trials packets are among the
 * n, if all packets share one path: the upper tail of the hypergeometric distribution. */
double fal_budget_tail(uint64_t n, uint64_t k, struct fal_trials path);

/* Of one direction, over all connections. */
struct fal_measured {
    uint64_t packets, reliable; /* seen; those with a number of their own */
    uint64_t holes;             /* numbers passed over when a higher one was first seen */
    uint64_t late;              /* numbers first seen below the highest */
    uint64_t repeats;           /* numbers seen again */
    uint64_t shown;             /* claims of the other side that show a hole */
};

/* Counts a packet before it becomes a fact. */
void fal_measure(struct fal_measured measured[FAL_DIRS], const struct fal_track *track,
                 const struct fal_seen *seen);

/* Adds what was measured on other connections. */
void fal_measured_add(struct fal_measured *sum, const struct fal_measured *more);

/* Without a measurement: an upper estimate of how often that excuse may have been true;
 * UINT64_MAX where nothing was measured or the excuse does not concern the path. */
uint64_t fal_seen_allowed(const struct fal_measured measured[FAL_DIRS], enum fal_excuse excuse);

/* What the rules decided and excused over all connections, by end or subject. */
struct fal_spent {
    uint64_t decided, open;
    uint64_t excused[FAL_EXCUSE_PATHS], events[FAL_EXCUSE_PATHS];
};
struct fal_budget {
    struct fal_spent of[2][FAL_RULES_MAX];
};

/* Of a judge that has decided everything. NULL when out of memory. The caller frees. */
struct fal_budget *fal_budget_new(const struct fal_judge *judge);

#endif
