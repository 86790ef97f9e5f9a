/* SPDX-License-Identifier: Apache-2.0
 * learned.h - turnaround and pipeline allowance of a SUT that declares none. Talon learns them
 * before the first case (struct fal_connection, learned_params). A learned value may excuse and
 * never convicts (judging.md, section 18): a deadline that convicts allows for the most that a
 * SUT may take without a declaration, and an answer that meets the deadline only by such an
 * allowance is EXCUSED(config:turnaround). */
#ifndef FAL_ORACLES_RULES_JUDGE_LEARNED_H
#define FAL_ORACLES_RULES_JUDGE_LEARNED_H

#include "oracles/rule_ratios.h"
#include "oracles/rules/judge/rule.h"

/* Replaces the learned values of a connection by those that may convict: the cap of the first
 * timer against which all measured answers were short, or FAL_UNLIMITED; then the parameters
 * count as unknown, too. The judge calls it when it opens a connection. */
void fal_learned_settle(struct fal_connection *setup);

/* Whether turnaround or pipeline allowance of the subject are learned values. */
bool fal_is_learned(const struct fal_ctx *c);

/* T + pipelines * P: the turnaround and so many pipeline allowances with which the subject may
 * be convicted for being late against a timer: those given, or the timer's cap for one that was
 * learned. False: a value is missing, or the SUT declared none and its answers are too slow for
 * that timer; the instance is undecided. */
bool fal_slack_ns(const struct fal_ctx *c, enum fal_timer timer, unsigned pipelines,
                  uint64_t *ns);

/* Whether every answer that was measured took at most 1/times of ns. True unless learned. */
bool fal_learned_within(const struct fal_ctx *c, uint64_t ns, unsigned times);

/* Whether a duty with that deadline was met in time without learned values: `slack_ns` of the
 * deadline are turnaround and pipeline allowance. */
bool fal_met_plainly(const struct fal_ctx *c, uint64_t t_ns, uint64_t until_ns,
                     uint64_t slack_ns);

/* An instance that conforms: HOLDS, or EXCUSED(config:turnaround) when it does so only by a
 * learned value, that is not plainly. */
void fal_held(struct fal_ctx *c, bool plainly);
/* The duty was met at t_ns: HOLDS, or EXCUSED(config:turnaround) if not plainly. */
void fal_met(struct fal_ctx *c, uint64_t t_ns, uint64_t until_ns, uint64_t slack_ns);

#endif
